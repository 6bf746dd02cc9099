/* mask.c -- names and numbers of people, programs and machines replaced by others, by a keyed hash.
 *
 * Users, groups, programs, accounts and QOS become 48-bit numbers, by their names where they have any;
 * numbers that are hashes of names (of jobs, tasks, queues) become other such numbers; the names that rare
 * facts hold (hosts, sets of them, attributes), those of dimensions that a log named, and what tasks and jobs
 * are called, become "m" and sixteen hexadecimal digits. The same key gives the same replacements, so that
 * traces masked apart can still be put together, and without the key names cannot be tried out. Two of n
 * users get one number with a chance of n^2 / 2^49.
 *
 * Times, sizes, states, queues and partitions by number, and which names are the same stay as they are:
 * a reader that knows when a user ran what finds that user again. The key is hashed to 32 bytes, whatever its
 * length. Names are hashed with what they name, so that user 7 and group 7 differ. Cost: about 0.3 us per
 * number, and a name once. */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "hindcast/workload.h"
#include "workload/blake2s.h"

#define NUMBER_MASK ((UINT64_C(1) << 48) - 1)
#define IS_HASH (INT64_C(1) << 62) /* hc_name_number */
#define UNMASKED 0                 /* in `names`: not seen yet; else the masked name plus 1 */

struct hc_mask {
  const hc_allocator *allocator;
  hc_lexicon *lexicon;
  uint8_t key[HC_BLAKE2S_SIZE];
  uint32_t *names; /* [cap] by name */
  size_t cap;
  hc_arena scratch;    /* of the rare facts at hand */
  hc_buffer text;      /* of the name at hand */
  uint32_t held;       /* handle that the last task got; 0 */
  uint32_t labels[2];  /* and those of what it and its job are called */
  uint32_t dimensions; /* the next to be masked */
};

hc_rc hc_mask_new(const hc_allocator *a, const void *key, size_t size, hc_lexicon *l, hc_mask **out,
                  hc_error *e)
{
  hc_mask *m;
  if (size < HC_MASK_KEY_LEAST)
    return hc_fail(e, HC_EUSAGE, "", 0, 0,
                   "a key of %zu bytes can be guessed: at least %d are needed, such as 32 from /dev/urandom",
                   size, HC_MASK_KEY_LEAST);
  m = hc_alloc(a, sizeof *m);
  if (!m) return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the mask");
  m->allocator = a;
  m->lexicon = l;
  hc_arena_init(&m->scratch, a);
  hc_buffer_init(&m->text, a);
  m->dimensions = HC_DIM_OTHER;
  hc_blake2s(NULL, 0, key, size, m->key);
  *out = m;
  return 0;
}

static void let_go(hc_mask *m)
{
  if (m->lexicon) {
    hc_lexicon_drop_handle(m->lexicon, m->held);
    hc_lexicon_drop_handle(m->lexicon, m->labels[0]);
    hc_lexicon_drop_handle(m->lexicon, m->labels[1]);
  }
  m->held = m->labels[0] = m->labels[1] = 0;
}

void hc_mask_free(hc_mask *m)
{
  if (!m) return;
  let_go(m);
  hc_free(m->allocator, m->names, m->cap * sizeof *m->names);
  hc_arena_fini(&m->scratch);
  hc_buffer_fini(&m->text);
  memset(m->key, 0, sizeof m->key);
  hc_free(m->allocator, m, sizeof *m);
}

static uint64_t hash_bytes(const hc_mask *m, const void *bytes, size_t size)
{
  uint8_t out[HC_BLAKE2S_SIZE];
  uint64_t h = 0;
  hc_blake2s(m->key, sizeof m->key, bytes, size, out);
  for (unsigned i = 0; i < 8; i++) h |= (uint64_t)out[i] << 8 * i;
  return h;
}

static uint64_t hash_number(const hc_mask *m, char what, int64_t n)
{
  uint8_t text[9] = {(uint8_t)what};
  for (unsigned i = 0; i < 8; i++) text[i + 1] = (uint8_t)((uint64_t)n >> 8 * i);
  return hash_bytes(m, text, sizeof text);
}

/* What has a name is masked by it, since its number is only the order in which it was seen. */
static hc_rc mask_person(hc_mask *m, hc_called kind, char what, int64_t *n)
{
  const char *name = *n >= 0 && m->lexicon ? hc_lexicon_called(m->lexicon, kind, *n) : NULL;
  if (*n < 0) return 0;
  if (!name) {
    *n = (int64_t)(hash_number(m, what, *n) & NUMBER_MASK);
    return 0;
  }
  m->text.size = 0;
  hc_buffer_add(&m->text, &what, 1);
  hc_buffer_text(&m->text, name);
  if (m->text.failed) return HC_ENOMEM;
  *n = (int64_t)(hash_bytes(m, m->text.data, m->text.size) & NUMBER_MASK);
  return 0;
}

/* A number that is none but a name's hash is masked; the same name is the same number wherever it stands. */
static void mask_hash(const hc_mask *m, int64_t *n)
{
  if (*n < IS_HASH) return;
  *n = (int64_t)(hash_number(m, 'n', *n) & (uint64_t)(IS_HASH - 1)) | IS_HASH;
}

/* A queue or partition that has a name is masked as persons are, so that the name goes; a number alone
 * stays. */
static hc_rc mask_called(hc_mask *m, hc_called kind, char what, int64_t *n)
{
  if (*n >= 0 && m->lexicon && hc_lexicon_called(m->lexicon, kind, *n)) return mask_person(m, kind, what, n);
  mask_hash(m, n);
  return 0;
}

/* ---- names ---- */

/* "m" and sixteen digits. */
static void spell(const hc_mask *m, const char *was, size_t n, char text[17])
{
  static const char digits[] = "0123456789abcdef";
  uint8_t out[HC_BLAKE2S_SIZE];
  hc_blake2s(m->key, sizeof m->key, was, n, out);
  text[0] = 'm';
  for (unsigned i = 0; i < 8; i++) {
    text[1 + 2 * i] = digits[out[i] >> 4];
    text[2 + 2 * i] = digits[out[i] & 15];
  }
}

static hc_rc mask_name(hc_mask *m, uint32_t *name)
{
  char text[17];
  const char *was;
  uint32_t masked;
  if (*name == HC_NO_NAME) return 0;
  if (*name < m->cap && m->names[*name] != UNMASKED) {
    *name = m->names[*name] - 1;
    return 0;
  }
  was = hc_lexicon_text(m->lexicon, *name);
  spell(m, was, strlen(was), text);
  masked = hc_lexicon_name(m->lexicon, text, sizeof text);
  if (masked == HC_NO_NAME) return HC_ENOMEM;
  if (*name >= m->cap) {
    const size_t was_cap = m->cap;
    TRY(hc_reserve(m->allocator, (void **)&m->names, &m->cap, (size_t)*name + 1, sizeof *m->names));
    memset(m->names + was_cap, 0, (m->cap - was_cap) * sizeof *m->names);
  }
  m->names[*name] = masked + 1;
  *name = masked;
  return 0;
}

/* Of several names between commas each by itself. */
static hc_rc mask_list(hc_mask *m, uint32_t *name)
{
  const char *was = *name != HC_NO_NAME ? hc_lexicon_text(m->lexicon, *name) : "";
  char text[17];
  if (!strchr(was, ',')) return mask_name(m, name);
  m->text.size = 0;
  for (size_t n; *was; was += n + (was[n] == ',')) {
    n = strcspn(was, ",");
    spell(m, was, n, text);
    if (m->text.size > 0) hc_buffer_text(&m->text, ",");
    hc_buffer_add(&m->text, text, sizeof text);
  }
  if (m->text.failed) return HC_ENOMEM;
  *name = hc_lexicon_name(m->lexicon, m->text.data, m->text.size);
  return *name == HC_NO_NAME ? HC_ENOMEM : 0;
}

static hc_rc mask_text(hc_mask *m, int64_t *value)
{
  uint32_t name = (uint32_t)*value;
  TRY(mask_name(m, &name));
  *value = name;
  return 0;
}

static void *copy(hc_mask *m, const void *items, size_t size)
{
  void *p = hc_arena_alloc(&m->scratch, size ? size : 1);
  if (p && size) memcpy(p, items, size);
  return p;
}

/* Names of items: numbers that a file gives them say nothing. */
static hc_rc mask_items(hc_mask *m, const hc_data_item **items, size_t count)
{
  hc_data_item *now = copy(m, *items, count * sizeof *now);
  if (!now) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) mask_hash(m, &now[i].name);
  *items = now;
  return 0;
}

/* Rare facts with other names, as a handle that is held until the next task. */
static hc_rc mask_more(hc_mask *m, uint32_t *handle)
{
  const hc_task_extras *was = hc_lexicon_more(m->lexicon, *handle);
  hc_task_extras now;
  hc_after *after;
  hc_constraint *constraints;
  uint32_t *hosts, *prefers, *sets;
  if (!was) return 0;
  hc_arena_reset(&m->scratch);
  now = *was;
  now.after = after = copy(m, was->after, was->after_count * sizeof *after);
  now.constraints = constraints = copy(m, was->constraints, was->constraint_count * sizeof *constraints);
  now.hosts = hosts = copy(m, was->hosts, was->host_count * sizeof *hosts);
  now.prefers = prefers = copy(m, was->prefers, was->prefer_count * sizeof *prefers);
  now.sets = sets = copy(m, was->sets, was->set_count * sizeof *sets);
  if (!after || !constraints || !hosts || !prefers || !sets) return HC_ENOMEM;
  for (size_t i = 0; i < was->after_count; i++) {
    mask_hash(m, &after[i].job);
    mask_hash(m, &after[i].task);
  }
  for (size_t i = 0; i < was->constraint_count; i++) {
    TRY(mask_name(m, &constraints[i].attribute));
    if (constraints[i].is_text) TRY(mask_text(m, &constraints[i].value));
  }
  for (size_t i = 0; i < was->host_count; i++) TRY(mask_name(m, &hosts[i]));
  for (size_t i = 0; i < was->prefer_count; i++) TRY(mask_name(m, &prefers[i]));
  for (size_t i = 0; i < was->set_count; i++) TRY(mask_name(m, &sets[i]));
  TRY(mask_name(m, &now.set));
  TRY(mask_list(m, &now.reservation));
  TRY(mask_name(m, &now.same));
  TRY(mask_name(m, &now.differ));
  TRY(mask_name(m, &now.zone_level));
  mask_hash(m, &now.rival);
  TRY(mask_items(m, &now.inputs, now.input_count));
  TRY(mask_items(m, &now.outputs, now.output_count));
  m->held = hc_lexicon_keep(m->lexicon, &now);
  if (m->held == 0) return HC_ENOMEM;
  *handle = m->held;
  return 0;
}

/* What a task, or its job, is called: a text for a text. */
static hc_rc mask_label(hc_mask *m, uint32_t *label, uint32_t *held)
{
  size_t n = 0;
  const char *was = m->lexicon ? hc_lexicon_label_text(m->lexicon, *label, &n) : NULL;
  char text[17];
  *label = 0;
  if (!was) return 0;
  spell(m, was, n, text);
  TRY(hc_lexicon_label(m->lexicon, text, sizeof text, held));
  *label = *held;
  return 0;
}

/* Dimensions that a log named (licences, models of GPUs) go by another name from now on. */
static hc_rc mask_dimensions(hc_mask *m)
{
  char text[17];
  for (; m->lexicon && m->dimensions < hc_lexicon_dimensions(m->lexicon); m->dimensions++) {
    const char *was = hc_lexicon_dimension_name(m->lexicon, m->dimensions);
    spell(m, was, strlen(was), text);
    TRY(hc_lexicon_show_dimension(m->lexicon, m->dimensions, text, sizeof text));
  }
  return 0;
}

static hc_rc mask_numbers(hc_mask *m, hc_task_spec *t)
{
  TRY(mask_person(m, HC_CALLED_USER, 'u', &t->user));
  TRY(mask_person(m, HC_CALLED_GROUP, 'g', &t->group));
  TRY(mask_person(m, HC_CALLED_EXECUTABLE, 'x', &t->executable));
  if (t->account > 0) TRY(mask_person(m, HC_CALLED_ACCOUNT, 'a', &t->account));
  if (t->qos > 0) TRY(mask_person(m, HC_CALLED_QOS, 's', &t->qos));
  TRY(mask_called(m, HC_CALLED_QUEUE, 'q', &t->queue));
  TRY(mask_called(m, HC_CALLED_PARTITION, 'p', &t->partition));
  TRY(mask_label(m, &t->label, &m->labels[0]));
  return mask_label(m, &t->job_label, &m->labels[1]);
}

hc_rc hc_mask_task(hc_mask *m, hc_task_spec *t, hc_error *e)
{
  let_go(m);
  hc_rc rc = mask_numbers(m, t);
  if (rc == 0) rc = mask_dimensions(m);
  mask_hash(m, &t->id);
  mask_hash(m, &t->job);
  mask_hash(m, &t->preceding);
  if (rc == 0 && t->more != 0) rc = mask_more(m, &t->more);
  if (rc == 0) return 0;
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for masked names");
}
