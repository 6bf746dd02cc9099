/* namer.c -- see namer.h. */
#include "setup/namer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"

/* ---- what tasks have beside group and queue ---- */

static hc_rc keep_beside(hc_besides *b, int64_t serial, hc_beside x)
{
  uint32_t at = b->vacant;
  if (at >= b->count) {
    TRY(hc_reserve(b->places.allocator, (void **)&b->all, &b->cap, b->count + 1, sizeof *b->all));
    at = (uint32_t)b->count;
  }
  TRY(hc_map_set(&b->places, (uint64_t)serial, at));
  if (at == b->count) b->count++;
  else b->vacant = (uint32_t)b->all[at].account;
  b->all[at] = x;
  return 0;
}

bool hc_namer_beside(void *namer, int64_t serial, hc_beside *out)
{
  const hc_besides *b = &((const hc_namer *)namer)->besides;
  const uint32_t at = b->places.count > 0 ? hc_map_get(&b->places, (uint64_t)serial) : HC_MAP_NONE;
  if (at >= b->count) return false;
  *out = b->all[at];
  return true;
}

void hc_namer_told(hc_namer *n, const hc_task_record *records, size_t count)
{
  hc_besides *b = &n->besides;
  for (size_t i = 0; i < count && b->places.count > 0; i++) {
    const uint32_t at = hc_map_get(&b->places, (uint64_t)records[i].serial);
    if (at >= b->count) continue;
    hc_map_remove(&b->places, (uint64_t)records[i].serial);
    b->all[at] = (hc_beside){.account = b->vacant};
    b->vacant = at;
  }
}

/* A run without such tasks has nothing of this in its state. */
static hc_rc visit_besides(hc_besides *b, hc_visitor *v)
{
  TRY(hc_map_visit(&b->places, v));
  HC_VISIT_ARRAY(v, b->all, b->count, b->cap);
  HC_VISIT(v, b->vacant);
  return 0;
}

hc_rc hc_namer_visit(hc_namer *n, hc_visitor *v)
{
  HC_VISIT(v, n->tasks);
  HC_VISIT(v, n->left);
  HC_VISIT(v, n->beside);
  if (n->beside[0] + n->beside[1] > 0) return visit_besides(&n->besides, v);
  if (!hc_visit_loading(v)) return 0;
  hc_map_fini(&n->besides.places);
  n->besides.count = 0;
  n->besides.vacant = HC_MAP_NONE;
  return 0;
}

/* ---- names ---- */

void hc_namer_init(hc_namer *n, const hc_allocator *a, hc_store *store, hc_lexicon *lexicon, int64_t limit)
{
  *n = (hc_namer){.store = store, .lexicon = lexicon, .limit = limit, .besides.vacant = HC_MAP_NONE};
  hc_map_init(&n->besides.places, a);
}

void hc_namer_fini(hc_namer *n)
{
  const hc_allocator *a = n->besides.places.allocator;
  if (!a) return; /* it was not begun */
  hc_free(a, n->besides.all, n->besides.cap * sizeof *n->besides.all);
  hc_map_fini(&n->besides.places);
}

static hc_rc name_task(hc_namer *n, int64_t serial, const hc_task_spec *t, hc_error *e)
{
  if (n->tasks >= (uint64_t)n->limit) {
    n->left[HC_NAMES_OF_TASKS]++;
    return 0;
  }
  n->tasks++;
  return hc_store_task_name(n->store, serial, hc_lexicon_label_text(n->lexicon, t->label, NULL),
                            hc_lexicon_label_text(n->lexicon, t->job_label, NULL), e);
}

static hc_rc name_numbers(hc_namer *n, const hc_task_spec *t, hc_error *e)
{
  const int64_t numbers[HC_CALLED_COUNT] = {[HC_CALLED_USER] = t->user,
                                            [HC_CALLED_GROUP] = t->group,
                                            [HC_CALLED_EXECUTABLE] = t->executable,
                                            [HC_CALLED_QUEUE] = t->queue,
                                            [HC_CALLED_PARTITION] = t->partition,
                                            [HC_CALLED_ACCOUNT] = t->account,
                                            [HC_CALLED_QOS] = t->qos};
  const char *names[HC_CALLED_COUNT];
  uint32_t unknown, met = hc_lexicon_meet(n->lexicon, numbers, names, &unknown);
  for (; met != 0; met &= met - 1) {
    const int k = __builtin_ctz(met);
    TRY(hc_store_name(n->store, hc_called_word((hc_called)k), numbers[k], names[k], e));
  }
  for (; unknown != 0; unknown &= unknown - 1) n->left[__builtin_ctz(unknown)]++;
  return 0;
}

static hc_rc meet_beside(hc_namer *n, int64_t serial, const hc_task_spec *t, bool has_row, hc_error *e)
{
  const bool account = t->account > 0, qos = t->qos > 0;
  const int64_t row[] = {serial, account ? t->account : HC_UNKNOWN, qos ? t->qos : HC_UNKNOWN};
  const hc_beside x = {.account = account ? t->account : -1, .qos = qos ? t->qos : -1};
  n->beside[0] += account;
  n->beside[1] += qos;
  if (keep_beside(&n->besides, serial, x) < 0)
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the accounts of live tasks");
  return has_row ? hc_store_numbers(n->store, "task_accounts", HC_ARRAY_LEN(row), row, e) : 0;
}

hc_rc hc_namer_meet(hc_namer *n, int64_t serial, const hc_task_spec *t, bool has_row, hc_error *e)
{
  has_row = has_row && n->store;
  if (has_row && (t->label | t->job_label) != 0) TRY(name_task(n, serial, t, e));
  if (t->account > 0 || t->qos > 0) TRY(meet_beside(n, serial, t, has_row, e));
  return n->store ? name_numbers(n, t, e) : 0;
}

static const char *word_of(int kind)
{
  return kind == HC_NAMES_OF_TASKS ? "task" : hc_called_word((hc_called)kind);
}

static hc_rc store_count(const hc_namer *n, const char *key, uint64_t count, hc_error *e)
{
  char text[24];
  if (count == 0) return 0;
  (void)snprintf(text, sizeof text, "%" PRIu64, count);
  return hc_store_row(n->store, "hindcast", 2, (const char *[]){key, text}, e);
}

hc_rc hc_namer_finish(const hc_namer *n, hc_error *e)
{
  char key[48];
  for (int k = 0; k < HC_CALLED_COUNT; k++) {
    const char *row[] = {key, hc_lexicon_title_of(n->lexicon, (hc_called)k)};
    (void)snprintf(key, sizeof key, "%s_is_called", word_of(k));
    if (strcmp(row[1], word_of(k)) != 0) TRY(hc_store_row(n->store, "hindcast", 2, row, e));
  }
  for (int k = 0; k <= HC_NAMES_OF_TASKS; k++) {
    (void)snprintf(key, sizeof key, "unnamed_%s", word_of(k));
    TRY(store_count(n, key, n->left[k], e));
  }
  TRY(store_count(n, "account_beside_group", n->beside[0], e));
  return store_count(n, "qos_beside_queue", n->beside[1], e);
}

static void note_left(const hc_namer *n, hc_buffer *out)
{
  const char *before = "names were not kept of ";
  for (int k = 0; k <= HC_NAMES_OF_TASKS; k++) {
    if (n->left[k] == 0) continue;
    hc_buffer_text(out, before);
    before = ", ";
    if (k < HC_NAMES_OF_TASKS)
      hc_buffer_printf(out, "the %s of ", hc_lexicon_title_of(n->lexicon, (hc_called)k));
    hc_buffer_printf(out, "%" PRIu64 " task%s", n->left[k], n->left[k] == 1 ? "" : "s");
  }
  if (out->size == 0) return;
  hc_buffer_printf(out,
                   ": there are more than %" PRId64
                   " of a kind, and what is configured by such a name does not hold for them; name_limit "
                   "raises it",
                   n->limit);
}

void hc_namer_note(const hc_namer *n, hc_buffer *out)
{
  note_left(n, out);
  hc_lexicon_note_expected(n->lexicon, out);
}
