/* apart.c -- who is who among several sources. See apart.h.
 *
 * Numbers are told apart by arithmetic, so that nothing has to be remembered but what sharing needs: which
 * number a shared name has, and which numbers are shared without a name. A new shared name takes the number
 * that its source gives it if that is free, else the next that is, so that the first source's stay.
 *
 * Everything is done when a task is taken from its source, which two threads do in the same order as one.
 * Cost: two look-ups in a hash for each kind of name that a task has. */
#include "workload/apart.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "workload/inputs.h"
#include "workload/ledger.h"
#include "workload/names.h"

#define IS_HASH (INT64_C(1) << 62) /* hc_name_number: as large and larger */
#define NAME_LIMIT ((size_t)1 << 24)
#define NAMELESS UINT32_MAX

typedef struct owner {
  int64_t number;
  uint64_t name; /* among `names`, or NAMELESS */
} owner;

/* What sources that share have called so far. */
typedef struct common {
  hc_names names;
  owner *owners; /* [count] each number once, in the order in which they came */
  size_t count, cap;
  int64_t *numbers; /* [names.count] of each name */
  size_t number_cap;
  hc_map by_number; /* -> place in `owners` */
  int64_t last;     /* tried when a new name looked for a number */
} common;

typedef struct origin {
  hc_source_context context;
  const char *prefix;
  bool shares;
} origin;

struct hc_apart {
  const hc_allocator *allocator;
  hc_lexicon *lexicon;     /* the run's */
  origin *origins;         /* [count] */
  size_t count, run_place; /* whose users the run file names have this place */
  bool prepared;
  common shared[HC_CALLED_COUNT];
  hc_arena text;
  hc_buffer scratch;
};

/* ---- prefixes ---- */

/* The file's name without folders and endings, or the component's name. */
static size_t stem_of(const hc_chosen *c, const char **out)
{
  const char *name = hc_source_name(c), *slash = strrchr(name, '/');
  *out = slash ? slash + 1 : name;
  return strcspn(*out, ".");
}

static bool same_stem(const hc_stream_options *o, size_t a, size_t b)
{
  const char *x, *y;
  const size_t n = stem_of(&o->sources[a], &x), m = stem_of(&o->sources[b], &y);
  return n == m && memcmp(x, y, n) == 0;
}

/* "a/" of logs/a.swf.gz; with its place, "2-a/", where another source is called the same, or nothing is
 * left. */
static const char *default_prefix(hc_apart *a, const hc_stream_options *o, size_t which)
{
  const char *stem;
  const size_t n = stem_of(&o->sources[which], &stem);
  bool is_alone = n > 0 && (stem[0] < '0' || stem[0] > '9');
  for (size_t i = 0; i < o->source_count; i++) is_alone &= i == which || !same_stem(o, i, which);
  if (is_alone) return hc_arena_printf(&a->text, "%.*s/", (int)HC_MIN(n, (size_t)100), stem);
  return hc_arena_printf(&a->text, "%zu-%.*s/", which + 1, (int)HC_MIN(n, (size_t)100), stem);
}

static hc_rc check_prefixes(const hc_apart *a, hc_error *e)
{
  for (size_t i = 0; i < a->count; i++)
    for (size_t j = 0; j < i; j++)
      if (!a->origins[i].shares && !a->origins[j].shares &&
          strcmp(a->origins[i].prefix, a->origins[j].prefix) == 0)
        return hc_fail(
            e, HC_EUSAGE, "prefix", 0, 0,
            "sources %zu and %zu have the prefix \"%.80s\": give each its own, or say `users: shared` "
            "if they mean the same people",
            j + 1, i + 1, a->origins[i].prefix);
  return 0;
}

static hc_rc check_count(const char *what, size_t count, size_t sources, hc_error *e)
{
  if (count == sources) return 0;
  return hc_fail(e, HC_EUSAGE, what, 0, 0, "%zu are given for %zu sources: give one for each, in their order",
                 count, sources);
}

/* ---- birth ---- */

static hc_rc open_origin(hc_apart *a, const hc_source_context *c, const hc_stream_options *o, size_t i)
{
  origin *g = &a->origins[i];
  const int *shares = o->users.items;
  const char *const *prefixes = o->prefixes.items;
  g->context = *c;
  g->context.lexicon = NULL;
  TRY(hc_lexicon_new_within(c->lexicon, &g->context.lexicon));
  if (o->users.count > 0) g->shares = shares[o->users.count == 1 ? 0 : i] != 0;
  g->prefix = i < o->prefixes.count ? prefixes[i] : default_prefix(a, o, i);
  return g->prefix ? 0 : HC_ENOMEM;
}

hc_rc hc_apart_new(const hc_source_context *c, const hc_stream_options *o, hc_apart **out, hc_error *e)
{
  hc_apart *a;
  hc_rc rc;
  if (o->users.count > 1) TRY(check_count("users", o->users.count, o->source_count, e));
  if (o->prefixes.count > 0) TRY(check_count("prefix", o->prefixes.count, o->source_count, e));
  a = hc_alloc(c->allocator, sizeof *a);
  if (!a) return HC_ENOMEM;
  a->allocator = c->allocator;
  a->lexicon = c->lexicon;
  hc_arena_init(&a->text, c->allocator);
  hc_buffer_init(&a->scratch, c->allocator);
  for (int k = 0; k < HC_CALLED_COUNT; k++) {
    hc_names_init(&a->shared[k].names, c->allocator, NAME_LIMIT);
    hc_map_init(&a->shared[k].by_number, c->allocator);
  }
  a->origins = hc_alloc(c->allocator, o->source_count * sizeof *a->origins);
  a->count = a->origins ? o->source_count : 0;
  rc = a->origins ? 0 : HC_ENOMEM;
  for (size_t i = 0; i < a->count && rc == 0; i++) rc = open_origin(a, c, o, i);
  if (rc == 0) rc = check_prefixes(a, e);
  if (rc < 0) hc_apart_free(a);
  else *out = a;
  return rc;
}

void hc_apart_free(hc_apart *a)
{
  if (!a) return;
  for (size_t i = 0; i < a->count; i++) hc_lexicon_free(a->origins[i].context.lexicon);
  hc_free(a->allocator, a->origins, a->count * sizeof *a->origins);
  for (int k = 0; k < HC_CALLED_COUNT; k++) {
    common *m = &a->shared[k];
    hc_names_fini(&m->names);
    hc_map_fini(&m->by_number);
    hc_free(a->allocator, m->owners, m->cap * sizeof *m->owners);
    hc_free(a->allocator, m->numbers, m->number_cap * sizeof *m->numbers);
  }
  hc_buffer_fini(&a->scratch);
  hc_arena_fini(&a->text);
  hc_free(a->allocator, a, sizeof *a);
}

const hc_source_context *hc_apart_context(const hc_apart *a, size_t source)
{
  return &a->origins[source].context;
}

/* ---- numbers of each its own ---- */

static int64_t pattern(size_t source)
{
  return (int64_t)(source * UINT64_C(0x9e3779b97f4a7c15) & (uint64_t)(IS_HASH - 1));
}

/* @return false: it is too large to have room beside those of other sources. */
static bool move(size_t source, int64_t *n)
{
  if (*n < 0) return true;
  if (*n >= IS_HASH) *n ^= pattern(source);
  else if (*n >= HC_APART) return false;
  else *n += (int64_t)source * HC_APART;
  return true;
}

static hc_rc no_room(const hc_task_spec *t, const char *what, int64_t n, hc_error *e)
{
  return hc_fail(e, HC_EUNSUPPORTED, "source", hc_line_number(t->line), 0,
                 "%s %" PRId64 " of task %" PRId64
                 " is too large to be told apart from another source's (10^12 and "
                 "more): number them anew, or say `users: shared` if the sources number alike",
                 what, n, t->id);
}

int64_t hc_apart_own_id(const hc_apart *a, size_t source, int64_t id)
{
  if (id < 0 || a->origins[source].shares) return id;
  return id >= IS_HASH ? id ^ pattern(source) : id - (int64_t)source * HC_APART;
}

/* ---- shared numbers ---- */

static hc_rc own(const hc_apart *a, common *m, int64_t number, uint64_t name)
{
  TRY(hc_reserve(a->allocator, (void **)&m->owners, &m->cap, m->count + 1, sizeof *m->owners));
  TRY(hc_map_set(&m->by_number, (uint64_t)number, (uint32_t)m->count));
  m->owners[m->count++] = (owner){number, name};
  return 0;
}

/* A new name's number: its source's own, or the next that is free. */
static hc_rc take_number(const hc_apart *a, common *m, uint32_t name, int64_t own_number)
{
  int64_t n = own_number;
  while (hc_map_get(&m->by_number, (uint64_t)n) != HC_MAP_NONE) n = ++m->last;
  TRY(hc_reserve(a->allocator, (void **)&m->numbers, &m->number_cap, (size_t)name + 1, sizeof *m->numbers));
  m->numbers[name] = n;
  return own(a, m, n, name);
}

static hc_rc share_number(const hc_apart *a, hc_called kind, const hc_task_spec *t, int64_t n, hc_error *e)
{
  common *m = (common *)&a->shared[kind];
  const uint32_t at = hc_map_get(&m->by_number, (uint64_t)n);
  if (at == HC_MAP_NONE) return own(a, m, n, NAMELESS);
  if (m->owners[at].name == NAMELESS) return 0;
  return hc_fail(e, HC_EUNSUPPORTED, "users", hc_line_number(t->line), 0,
                 "task %" PRId64 " is of %s %" PRId64
                 ", a number alone, and that is %.80s of another source: sources "
                 "that share have names, or the same numbers",
                 t->id, hc_called_word(kind), n, m->names.names[m->owners[at].name]);
}

static hc_rc share(hc_apart *a, hc_called kind, const char *text, const hc_task_spec *t, int64_t *n,
                   hc_error *e)
{
  common *m = &a->shared[kind];
  const size_t known = m->names.count;
  uint32_t id;
  if (!text) return share_number(a, kind, t, *n, e);
  TRY(hc_names_add(&m->names, text, strlen(text), &id));
  if (id == known) {
    TRY(take_number(a, m, id, *n));
    TRY(hc_lexicon_call(a->lexicon, kind, m->numbers[id], text, strlen(text)));
  }
  *n = m->numbers[id];
  return 0;
}

/* ---- names behind a prefix ---- */

static hc_rc call(hc_apart *a, const origin *g, hc_called kind, const char *text, int64_t own_number,
                  int64_t n)
{
  hc_buffer *b = &a->scratch;
  if (!text && kind != HC_CALLED_USER && kind != HC_CALLED_QUEUE) return 0;
  if (hc_lexicon_called(a->lexicon, kind, n)) return 0;
  b->size = 0;
  hc_buffer_text(b, g->prefix);
  if (text) hc_buffer_text(b, text);
  else hc_buffer_printf(b, "%" PRId64, own_number);
  if (b->failed) return HC_ENOMEM;
  return text ? hc_lexicon_call(a->lexicon, kind, n, b->data, b->size)
              : hc_lexicon_call_made(a->lexicon, kind, n, b->data, b->size);
}

/* A column is called what all sources call it. */
static void title(hc_apart *a, hc_called kind)
{
  const char *word = hc_lexicon_title_of(a->origins[0].context.lexicon, kind);
  for (size_t i = 1; i < a->count; i++)
    if (strcmp(word, hc_lexicon_title_of(a->origins[i].context.lexicon, kind)) != 0) return;
  (void)hc_lexicon_title(a->lexicon, kind, word);
}

/* What only the opened sources know. */
static void prepare(hc_apart *a)
{
  for (size_t i = 0; i < a->count; i++)
    if (!hc_lexicon_has_users_of_run(a->origins[i].context.lexicon)) a->run_place = a->count;
  for (int k = 0; k < HC_CALLED_COUNT; k++) title(a, (hc_called)k);
  a->prepared = true;
}

static hc_rc name_user_of_run(hc_apart *a, const origin *g, const hc_task_spec *t, int64_t *n, hc_error *e)
{
  const int64_t own_number = *n;
  const char *text = hc_lexicon_called(g->context.lexicon, HC_CALLED_USER, own_number);
  if (a->run_place > 0 && !move(a->run_place, n)) return no_room(t, "user", own_number, e);
  return text ? hc_lexicon_call(a->lexicon, HC_CALLED_USER, *n, text, strlen(text)) : 0;
}

static hc_rc name_one(hc_apart *a, size_t source, hc_called kind, const hc_task_spec *t, int64_t *n,
                      hc_error *e)
{
  const origin *g = &a->origins[source];
  const int64_t own_number = *n;
  const char *text;
  if (own_number < 0 || (own_number == 0 && (kind == HC_CALLED_ACCOUNT || kind == HC_CALLED_QOS))) return 0;
  if (kind == HC_CALLED_USER && hc_lexicon_has_users_of_run(g->context.lexicon))
    return name_user_of_run(a, g, t, n, e);
  text = hc_lexicon_called(g->context.lexicon, kind, own_number);
  if (g->shares) return share(a, kind, text, t, n, e);
  if (!move(source, n)) return no_room(t, hc_called_word(kind), own_number, e);
  return call(a, g, kind, text, own_number, *n);
}

/* ---- rare facts ---- */

/* The tasks that it waits for, and those that it may not stand beside, in the run's numbers. */
static hc_rc move_more(hc_apart *a, size_t source, hc_task_spec *t, hc_error *e)
{
  const hc_task_extras *was = hc_lexicon_more(a->lexicon, t->more);
  hc_after *after;
  hc_task_extras now;
  uint32_t handle;
  if (!was || (was->after_count == 0 && was->per_host == 0 && was->per_zone == 0)) return 0;
  now = *was;
  after = hc_alloc(a->allocator, (now.after_count + 1) * sizeof *after);
  if (!after) return HC_ENOMEM;
  if (now.after_count > 0) memcpy(after, now.after, now.after_count * sizeof *after);
  bool fits = move(source, &now.rival);
  for (size_t i = 0; i < now.after_count; i++)
    fits &= move(source, &after[i].job) && move(source, &after[i].task);
  now.after = after;
  handle = fits ? hc_lexicon_keep(a->lexicon, &now) : 0;
  hc_free(a->allocator, after, (now.after_count + 1) * sizeof *after);
  if (!fits) return no_room(t, "what it waits for: job", t->job, e);
  if (handle == 0) return HC_ENOMEM;
  hc_lexicon_drop(a->lexicon, t->more);
  t->more = handle;
  return 0;
}

hc_rc hc_apart_task(hc_apart *a, size_t source, hc_task_spec *t, hc_error *e)
{
  int64_t *const named[HC_CALLED_COUNT] = {&t->user,      &t->group,   &t->executable, &t->queue,
                                           &t->partition, &t->account, &t->qos};
  if (!a->prepared) prepare(a);
  for (int k = 0; k < HC_CALLED_COUNT; k++) TRY(name_one(a, source, (hc_called)k, t, named[k], e));
  if (a->origins[source].shares) return 0;
  if (t->more != 0 && source > 0) TRY(move_more(a, source, t, e));
  const int64_t job = t->job, preceding = t->preceding;
  if (!move(source, &t->job)) return no_room(t, "job", job, e);
  if (!move(source, &t->preceding)) return no_room(t, "preceding job", preceding, e);
  if (!move(source, &t->id)) return no_room(t, "id", t->id, e);
  return 0;
}

/* ---- where it stands ---- */

static hc_rc load_common(const hc_apart *a, common *m)
{
  hc_map_fini(&m->by_number);
  hc_map_init(&m->by_number, a->allocator);
  TRY(hc_reserve(a->allocator, (void **)&m->numbers, &m->number_cap, m->names.count + 1, sizeof *m->numbers));
  for (size_t i = 0; i < m->count; i++) {
    const owner *o = &m->owners[i];
    TRY(hc_map_set(&m->by_number, (uint64_t)o->number, (uint32_t)i));
    if (o->name == NAMELESS) continue;
    if (o->name >= m->names.count) return HC_EINPUT;
    m->numbers[o->name] = o->number;
  }
  return 0;
}

hc_rc hc_apart_visit(hc_apart *a, hc_visitor *v)
{
  for (size_t i = 0; i < a->count; i++) TRY(hc_lexicon_visit_called(a->origins[i].context.lexicon, v));
  for (int k = 0; k < HC_CALLED_COUNT; k++) {
    common *m = &a->shared[k];
    TRY(hc_names_visit(&m->names, v));
    TRY(hc_visit_array(v, (void **)&m->owners, &m->count, &m->cap, sizeof *m->owners));
    HC_VISIT(v, m->last);
    if (hc_visit_loading(v)) TRY(load_common(a, m));
  }
  return 0;
}
