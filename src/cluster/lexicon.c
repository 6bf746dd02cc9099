/* lexicon.c -- names, dimensions and rare facts of one run, each kept once; and labels, kept for each.
 *
 * A rare fact is copied into one block: its header, then its arrays, so that equal facts are equal bytes; a
 * table of handles finds it by content. A handle without a holder is used again. Cost of keeping one: a hash
 * of its bytes and one look.
 *
 * A label is the name of one task: a copy of the text, without a look for an equal one. Its handles are
 * told from those of facts by their highest bit, so that what holds a task holds both alike (labels.h).
 *
 * Of several sources each has a lexicon of its own (hc_lexicon_new_within): what its numbers are called is
 * kept there, everything else is the run's. */
#include "cluster/lexicon.h"

#include <string.h>

#include "base/state.h"
#include "base/threads.h"
#include "base/util.h"
#include "cluster/expected.h"
#include "cluster/labels.h"

#define NAME_LIMIT ((size_t)1 << 24)
#define ARRAY_LIMIT ((size_t)1 << 20) /* items in one array of a fact */
#define TEXT_LIMIT ((size_t)1 << 21)  /* bytes of its text */
#define IS_LABEL HC_LABELS_MOST       /* of a handle */
#define TITLE_SIZE 32

typedef struct fact {
  hc_task_extras *more; /* block of `size` bytes; its arrays lie behind it. NULL: the handle is free */
  size_t size;
  uint64_t hash;
  uint32_t held, next; /* next free handle */
} fact;

typedef struct called {
  int64_t number;
  uint64_t name; /* among the names, and IS_MET, IS_MADE */
} called;
#define IS_MET (UINT64_C(1) << 63)
#define IS_MADE (UINT64_C(1) << 62) /* of the number and its source's place: no log has it */

/* What numbers are called: of users, of queues. */
typedef struct callings {
  hc_names names;
  called *all; /* [count] who has which of `names`, in the order in which they were said */
  size_t count, cap;
  hc_map by_number;       /* -> place in `all` */
  char title[TITLE_SIZE]; /* "": what it is called by default */
  uint64_t left;          /* calls beyond the limit */
} callings;

struct hc_lexicon {
  const hc_lexicon_calls *calls; /* first: see hindcast/lexicon.h */
  const hc_allocator *allocator;
  hc_lexicon *within; /* of one source: the run's, which has all but `called`. NULL: it is the run's */
  hc_names names, dimensions;
  uint32_t shown[HC_DIMENSIONS]; /* of `names`, plus 1: what a dimension is called in its stead; 0 */
  callings called[HC_CALLED_COUNT];
  fact *facts; /* [count]; handle h is facts[h - 1] */
  size_t count, cap, held;
  uint32_t vacant;  /* first free handle; 0: none */
  hc_map by_hash;   /* hash of content -> handle; of two with one hash the second is not shared */
  hc_labels labels; /* their handles with IS_LABEL */
  size_t most;      /* names of a kind; 0: as many as there can be, and executables of one source alone not */
  bool has_names;   /* of any number */
  bool no_labels;   /* they are of no use */
  bool shared;      /* two threads may call */
  bool programs;    /* names of executables are asked for */
  bool of_run;      /* of one source: the run file says who its users are */
  hc_expected expected;
  hc_monitor *monitor;
};

static void lock(const hc_lexicon *l)
{
  if (l->shared) hc_monitor_enter(l->monitor);
}

static void unlock(const hc_lexicon *l)
{
  if (l->shared) hc_monitor_leave(l->monitor);
}

void hc_lexicon_share(hc_lexicon *l)
{
  l->shared = true;
}

/* ---- names ---- */

static uint32_t name(hc_lexicon *l, const char *text, size_t n)
{
  if (l->within) l = l->within;
  uint32_t id;
  hc_rc rc;
  lock(l);
  rc = hc_names_add(&l->names, text, n, &id);
  unlock(l);
  return rc < 0 ? HC_NO_NAME : id;
}

static const char *text(const hc_lexicon *l, uint32_t id)
{
  const char *out;
  if (l->within) l = l->within;
  lock(l);
  out = id < l->names.count ? l->names.names[id] : "?";
  unlock(l);
  return out;
}

static int dimension(hc_lexicon *l, const char *word, size_t n)
{
  uint32_t id;
  hc_rc rc;
  if (l->within) l = l->within;
  lock(l);
  rc = hc_names_add(&l->dimensions, word, n, &id);
  unlock(l);
  return rc < 0 ? -1 : (int)id;
}

static const char *dimension_name(const hc_lexicon *l, uint32_t d)
{
  const char *out;
  if (l->within) l = l->within;
  lock(l);
  out = d < l->dimensions.count ? l->dimensions.names[d] : NULL;
  if (out && l->shown[d] > 0) out = l->names.names[l->shown[d] - 1];
  unlock(l);
  return out;
}

hc_rc hc_lexicon_show_dimension(hc_lexicon *l, uint32_t d, const char *text, size_t n)
{
  const uint32_t id = name(l, text, n);
  if (id == HC_NO_NAME) return HC_ENOMEM;
  if (l->within) l = l->within;
  lock(l);
  l->shown[d] = id + 1;
  unlock(l);
  return 0;
}

/* @param made  0 or IS_MADE */
static hc_rc call_one(const hc_allocator *a, callings *c, size_t most, int64_t number, const char *word,
                      size_t n, uint64_t made)
{
  uint32_t id;
  if (hc_map_get(&c->by_number, (uint64_t)number) != HC_MAP_NONE) return 0;
  if (most > 0 && c->count >= most) {
    c->left++;
    return 0;
  }
  TRY(hc_names_add(&c->names, word, n, &id));
  TRY(hc_reserve(a, (void **)&c->all, &c->cap, c->count + 1, sizeof *c->all));
  TRY(hc_map_set(&c->by_number, (uint64_t)number, (uint32_t)c->count));
  c->all[c->count++] = (called){number, id | made};
  return 0;
}

static const char *name_at(const callings *c, size_t at)
{
  return c->names.names[c->all[at].name & ~(IS_MET | IS_MADE)];
}

static const char *text_of(const callings *c, int64_t number)
{
  const uint32_t at = hc_map_get(&c->by_number, (uint64_t)number);
  return at == HC_MAP_NONE ? NULL : name_at(c, at);
}

/* A source's own limit is the run's. */
static size_t most_of(const hc_lexicon *l)
{
  return l->within ? l->within->most : l->most;
}

/* Of executables there may be as many as tasks: they are kept where they are asked for. */
static bool keeps(const hc_lexicon *l, int kind)
{
  return kind != HC_CALLED_EXECUTABLE || l->within || l->most > 0 || l->programs;
}

void hc_lexicon_keep_programs(hc_lexicon *l)
{
  l->programs = true;
}

static void ask(hc_lexicon *l, hc_called kind)
{
  if (kind == HC_CALLED_EXECUTABLE) hc_lexicon_keep_programs(l);
}

/* @return 0 or HC_ENOMEM */
static hc_rc meet_expected(hc_lexicon *l, hc_called kind, const char *word, size_t n)
{
  hc_lexicon *run = l->within ? l->within : l;
  lock(run);
  const hc_rc rc = hc_expected_met(&run->expected, kind, l->within != NULL, word, n);
  unlock(run);
  return rc;
}

static hc_rc meet_all_expected(hc_lexicon *l)
{
  hc_lexicon *run = l->within ? l->within : l;
  hc_rc rc = 0;
  lock(l);
  if (run != l) lock(run);
  for (int k = 0; k < HC_CALLED_COUNT && run->expected.count > 0; k++)
    for (size_t i = 0; i < l->called[k].names.count && rc >= 0; i++) {
      const char *word = l->called[k].names.names[i];
      rc = hc_expected_met(&run->expected, (hc_called)k, run != l, word, strlen(word));
    }
  if (run != l) unlock(run);
  unlock(l);
  return rc;
}

static hc_rc expect(hc_lexicon *l, hc_called kind, const char *word)
{
  hc_lexicon *run = l->within ? l->within : l;
  if ((unsigned)kind >= HC_CALLED_COUNT) return 0;
  ask(l, kind);
  lock(run);
  const hc_rc rc = hc_expected_add(&run->expected, kind, word, l->within != NULL);
  unlock(run);
  return rc < 0 ? rc : meet_all_expected(l); /* a source may have read ahead */
}

void hc_lexicon_note_expected(const hc_lexicon *l, hc_buffer *out)
{
  hc_expected_note(&l->expected, l, out);
}

hc_rc hc_lexicon_refuse_unmet(const hc_lexicon *l, const hc_allocator *a, hc_error *e)
{
  return hc_expected_refuse(&l->expected, l, a, e);
}

static hc_rc call_as(hc_lexicon *l, hc_called kind, int64_t number, const char *word, size_t n, uint64_t made)
{
  hc_rc rc;
  if ((unsigned)kind >= HC_CALLED_COUNT || !keeps(l, (int)kind)) return 0;
  lock(l);
  rc = call_one(l->allocator, &l->called[kind], most_of(l), number, word, n, made);
  l->has_names = true;
  unlock(l);
  return rc < 0 || made ? rc : meet_expected(l, kind, word, n);
}

static hc_rc call(hc_lexicon *l, hc_called kind, int64_t number, const char *word, size_t n)
{
  return call_as(l, kind, number, word, n, 0);
}

hc_rc hc_lexicon_call_made(hc_lexicon *l, hc_called kind, int64_t number, const char *word, size_t n)
{
  return call_as(l, kind, number, word, n, IS_MADE);
}

bool hc_lexicon_is_made(const hc_lexicon *l, hc_called kind, int64_t number)
{
  const callings *c = &l->called[kind];
  uint32_t at;
  bool is_made;
  lock(l);
  at = hc_map_get(&c->by_number, (uint64_t)number);
  is_made = at != HC_MAP_NONE && (c->all[at].name & IS_MADE);
  unlock(l);
  return is_made;
}

static const char *called_text(const hc_lexicon *l, hc_called kind, int64_t number)
{
  const char *out;
  if ((unsigned)kind >= HC_CALLED_COUNT) return NULL;
  lock(l);
  out = text_of(&l->called[kind], number);
  unlock(l);
  return out;
}

bool hc_lexicon_knows(const hc_lexicon *l, hc_called kind, const char *text, const char **near)
{
  const size_t n = strlen(text), limit = HC_MIN((n + 2) / 3, 3);
  const callings *c = &l->called[kind];
  size_t best = limit + 1;
  *near = NULL;
  lock(l);
  const bool is_known = hc_names_find(&c->names, text, n) != HC_MAP_NONE;
  for (size_t i = 0; !is_known && i < c->names.count; i++) {
    const size_t distance = hc_edit_distance(text, c->names.names[i], best);
    if (distance >= best) continue;
    best = distance;
    *near = c->names.names[i];
  }
  unlock(l);
  return is_known;
}

bool hc_lexicon_number(const hc_lexicon *l, hc_called kind, const char *text, int64_t *number)
{
  const callings *c = &l->called[kind];
  bool is_there = false;
  lock(l);
  const uint32_t name = hc_names_find(&c->names, text, strlen(text));
  for (size_t i = 0; i < c->count && !is_there && name != HC_MAP_NONE; i++) {
    is_there = (c->all[i].name & ~(IS_MET | IS_MADE)) == name;
    if (is_there) *number = c->all[i].number;
  }
  unlock(l);
  return is_there;
}

/* ---- what is met ---- */

void hc_lexicon_limit(hc_lexicon *l, size_t most)
{
  l->most = most;
}

bool hc_lexicon_has_names(const hc_lexicon *l)
{
  lock(l);
  const bool has_names = l->has_names;
  unlock(l);
  return has_names;
}

bool hc_lexicon_is_full(const hc_lexicon *l, hc_called kind)
{
  return l->called[kind].left > 0;
}

uint32_t hc_lexicon_meet(hc_lexicon *l, const int64_t numbers[HC_CALLED_COUNT],
                         const char *names[HC_CALLED_COUNT], uint32_t *unknown)
{
  uint32_t met = 0;
  *unknown = 0;
  lock(l);
  for (int k = 0; k < HC_CALLED_COUNT; k++) {
    callings *c = &l->called[k];
    if (c->count == 0 || numbers[k] < (k == HC_CALLED_ACCOUNT || k == HC_CALLED_QOS)) continue;
    const uint32_t at = hc_map_get(&c->by_number, (uint64_t)numbers[k]);
    if (at == HC_MAP_NONE) {
      if (c->left > 0) *unknown |= UINT32_C(1) << k;
      continue;
    }
    if (c->all[at].name & IS_MET) continue;
    names[k] = name_at(c, at);
    c->all[at].name |= IS_MET;
    met |= UINT32_C(1) << k;
  }
  unlock(l);
  return met;
}

/* ---- what columns are called ---- */

static hc_rc title(hc_lexicon *l, hc_called kind, const char *word)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const size_t n = strlen(word);
  if ((unsigned)kind >= HC_CALLED_COUNT || n == 0 || n >= TITLE_SIZE || word[strspn(word, letters)] != '\0')
    return HC_EUSAGE;
  lock(l);
  memcpy(l->called[kind].title, word, n + 1);
  unlock(l);
  return 0;
}

const char *hc_called_word(hc_called kind)
{
  static const char *const words[HC_CALLED_COUNT] = {"user",      "group",   "executable", "queue",
                                                     "partition", "account", "qos"};
  return (unsigned)kind < HC_CALLED_COUNT ? words[kind] : "?";
}

static const char *title_of(const hc_lexicon *l, hc_called kind)
{
  if ((unsigned)kind >= HC_CALLED_COUNT || l->called[kind].title[0] == '\0') return hc_called_word(kind);
  return l->called[kind].title;
}

static void users_of_run(hc_lexicon *l)
{
  l->of_run = true;
}

bool hc_lexicon_has_users_of_run(const hc_lexicon *l)
{
  return l->of_run;
}

static hc_rc call_all(hc_lexicon *l, callings *to, const callings *from)
{
  for (size_t i = 0; i < from->count; i++) {
    const char *word = name_at(from, i);
    TRY(call_one(l->allocator, to, most_of(l), from->all[i].number, word, strlen(word),
                 from->all[i].name & IS_MADE));
  }
  return 0;
}

hc_rc hc_lexicon_call_all(hc_lexicon *l, const hc_lexicon *from)
{
  hc_rc rc = 0;
  lock(l);
  l->of_run |= from->of_run;
  for (int k = 0; k < HC_CALLED_COUNT && rc == 0; k++) {
    memcpy(l->called[k].title, from->called[k].title, TITLE_SIZE);
    l->has_names |= from->called[k].count > 0;
    if (keeps(l, k)) rc = call_all(l, &l->called[k], &from->called[k]);
  }
  unlock(l);
  return rc;
}

uint32_t hc_lexicon_names(const hc_lexicon *l)
{
  return (uint32_t)l->names.count;
}

uint32_t hc_lexicon_dimensions(const hc_lexicon *l)
{
  return (uint32_t)l->dimensions.count;
}

/* ---- labels ---- */

static hc_rc label_of(hc_lexicon *l, const char *text, size_t n, uint32_t *handle)
{
  hc_rc rc;
  if (l->within) l = l->within;
  *handle = 0;
  if (l->no_labels || n == 0) return 0;
  lock(l);
  rc = hc_labels_hold(&l->labels, text, n, handle);
  unlock(l);
  if (rc == 0) *handle |= IS_LABEL;
  return rc;
}

static const char *label_text(const hc_lexicon *l, uint32_t handle, size_t *n)
{
  const hc_label *x;
  const char *out;
  if (l->within) l = l->within;
  lock(l);
  x = hc_labels_at(&l->labels, handle ^ IS_LABEL);
  out = x ? x->text : NULL;
  if (n) *n = x ? x->size : 0;
  unlock(l);
  return out;
}

void hc_lexicon_refuse_labels(hc_lexicon *l)
{
  l->no_labels = true;
}

/* ---- rare facts ---- */

/* The arrays of a fact, in the order in which they lie behind it. */
typedef struct part {
  const void **items;
  size_t bytes;
} part;
enum { PARTS = 14 };

static void parts_of(hc_task_extras *m, part out[PARTS])
{
  out[0] = (part){(const void **)&m->after, m->after_count * sizeof *m->after};
  out[1] = (part){(const void **)&m->constraints, m->constraint_count * sizeof *m->constraints};
  out[2] = (part){(const void **)&m->chunks, m->chunk_count * sizeof *m->chunks};
  out[3] = (part){(const void **)&m->uses, m->use_count * sizeof *m->uses};
  out[4] = (part){(const void **)&m->resizes, m->resize_count * sizeof *m->resizes};
  out[5] = (part){(const void **)&m->further, m->further_count * sizeof *m->further};
  out[6] = (part){(const void **)&m->inputs, m->input_count * sizeof *m->inputs};
  out[7] = (part){(const void **)&m->outputs, m->output_count * sizeof *m->outputs};
  out[8] = (part){(const void **)&m->sizes, m->size_count * sizeof *m->sizes};
  out[9] = (part){(const void **)&m->hosts, m->host_count * sizeof *m->hosts}; /* behind all that are wider */
  out[10] = (part){(const void **)&m->prefers, m->prefer_count * sizeof *m->prefers};
  out[11] = (part){(const void **)&m->executors, m->executor_count * sizeof *m->executors};
  out[12] = (part){(const void **)&m->sets, m->set_count * sizeof *m->sets};
  out[13] = (part){(const void **)&m->profile, m->profile_size}; /* last: texts have any length */
}

static size_t size_of(const hc_task_extras *m)
{
  hc_task_extras copy = *m;
  part parts[PARTS];
  size_t size = sizeof *m;
  parts_of(&copy, parts);
  for (int i = 0; i < PARTS; i++) size += parts[i].bytes;
  return size;
}

static bool too_long(const hc_task_extras *m)
{
  return m->after_count > ARRAY_LIMIT || m->constraint_count > ARRAY_LIMIT || m->chunk_count > ARRAY_LIMIT ||
         m->further_count > HC_DIMENSIONS || m->host_count > ARRAY_LIMIT || m->use_count > ARRAY_LIMIT ||
         m->resize_count > ARRAY_LIMIT || m->prefer_count > ARRAY_LIMIT || m->executor_count > ARRAY_LIMIT ||
         m->profile_size > TEXT_LIMIT || m->set_count >= HC_TASK_SETS || m->input_count > ARRAY_LIMIT ||
         m->output_count > ARRAY_LIMIT || m->size_count > ARRAY_LIMIT;
}

/* Copy the arrays of `m` behind `block`, and let it point there. */
static void pack(hc_task_extras *block, const hc_task_extras *m)
{
  hc_task_extras from = *m;
  part to[PARTS], source[PARTS];
  char *at = (char *)(block + 1);
  *block = *m;
  parts_of(&from, source);
  parts_of(block, to);
  for (int i = 0; i < PARTS; i++) {
    if (to[i].bytes > 0) memcpy(at, *source[i].items, to[i].bytes);
    *to[i].items = to[i].bytes > 0 ? at : NULL;
    at += to[i].bytes;
  }
}

static hc_task_extras without_pointers(const hc_task_extras *m)
{
  hc_task_extras head = *m;
  head.after = NULL;
  head.constraints = NULL;
  head.chunks = NULL;
  head.hosts = NULL;
  head.uses = NULL;
  head.resizes = NULL;
  head.further = NULL;
  head.prefers = NULL;
  head.executors = NULL;
  head.profile = NULL;
  head.inputs = head.outputs = NULL;
  head.sets = NULL;
  head.sizes = NULL;
  return head;
}

/* The content without pointers. */
static uint64_t hash_of(const hc_task_extras *block, size_t size)
{
  const hc_task_extras head = without_pointers(block);
  hc_hash h;
  uint64_t out[2];
  hc_hash_init(&h);
  hc_hash_add(&h, &head, sizeof head);
  hc_hash_add(&h, block + 1, size - sizeof head);
  hc_hash_end(&h, out);
  return out[0];
}

static bool same(const hc_task_extras *a, const hc_task_extras *b, size_t size)
{
  return a->after_count == b->after_count && a->constraint_count == b->constraint_count &&
         a->chunk_count == b->chunk_count && a->host_count == b->host_count && a->use_count == b->use_count &&
         a->resize_count == b->resize_count && a->further_count == b->further_count &&
         a->prefer_count == b->prefer_count && a->profile_size == b->profile_size &&
         a->input_count == b->input_count && a->output_count == b->output_count && a->set == b->set &&
         a->same == b->same && a->differ == b->differ && a->per_host == b->per_host &&
         a->per_zone == b->per_zone && a->zone_level == b->zone_level && a->rival == b->rival &&
         a->least == b->least && a->of == b->of && a->most == b->most && a->changes == b->changes &&
         a->least_cpu == b->least_cpu && a->most_cpu == b->most_cpu &&
         a->executor_count == b->executor_count && a->least_hosts == b->least_hosts &&
         a->most_hosts == b->most_hosts && a->at_once == b->at_once && a->set_count == b->set_count &&
         a->reservation == b->reservation && a->switches == b->switches && a->switch_wait == b->switch_wait &&
         a->least_limit == b->least_limit && a->exclusive == b->exclusive && a->component == b->component &&
         a->again == b->again && a->size_count == b->size_count && a->preferred == b->preferred &&
         memcmp(a + 1, b + 1, size - sizeof *a) == 0;
}

static uint32_t new_handle(hc_lexicon *l)
{
  uint32_t handle = l->vacant;
  if (handle != 0) {
    l->vacant = l->facts[handle - 1].next;
    return handle;
  }
  if (l->count >= IS_LABEL - 2) return 0;
  if (hc_reserve(l->allocator, (void **)&l->facts, &l->cap, l->count + 1, sizeof *l->facts) < 0) return 0;
  l->facts[l->count] = (fact){0};
  return (uint32_t)++l->count;
}

static void give_handle_back(hc_lexicon *l, uint32_t handle)
{
  l->facts[handle - 1] = (fact){.next = l->vacant};
  l->vacant = handle;
}

static uint32_t keep_one(hc_lexicon *l, const hc_task_extras *m)
{
  const size_t size = size_of(m);
  uint32_t handle;
  hc_task_extras *block;
  uint64_t hash;
  if (too_long(m) || !(block = hc_alloc(l->allocator, size))) return 0;
  pack(block, m);
  hash = hash_of(block, size);
  handle = hc_map_get(&l->by_hash, hash);
  if (handle != HC_MAP_NONE && l->facts[handle - 1].size == size &&
      same(l->facts[handle - 1].more, block, size)) {
    hc_free(l->allocator, block, size);
    l->facts[handle - 1].held++;
    return handle;
  }
  const bool shared = handle == HC_MAP_NONE;
  handle = new_handle(l);
  if (handle != 0 && shared && hc_map_set(&l->by_hash, hash, handle) < 0) {
    give_handle_back(l, handle);
    handle = 0;
  }
  if (handle == 0) {
    hc_free(l->allocator, block, size);
    return 0;
  }
  l->facts[handle - 1] = (fact){.more = block, .size = size, .hash = hash, .held = 1};
  l->held++;
  return handle;
}

static uint32_t keep(hc_lexicon *l, const hc_task_extras *m)
{
  uint32_t handle;
  if (l->within) l = l->within;
  lock(l);
  handle = keep_one(l, m);
  unlock(l);
  return handle;
}

static const hc_task_extras *more(const hc_lexicon *l, uint32_t handle)
{
  const hc_task_extras *out;
  if (l->within) l = l->within;
  lock(l);
  out = handle - 1 < l->count ? l->facts[handle - 1].more : NULL;
  unlock(l);
  return out;
}

void hc_lexicon_hold(hc_lexicon *l, uint32_t handle)
{
  if (handle == 0) return;
  if (l->within) l = l->within;
  lock(l);
  if (handle & IS_LABEL) {
    hc_label *x = hc_labels_at(&l->labels, handle ^ IS_LABEL);
    HC_ASSERT(x);
    x->held++;
  } else {
    HC_ASSERT(handle <= l->count && l->facts[handle - 1].more);
    l->facts[handle - 1].held++;
  }
  unlock(l);
}

static void drop_one(hc_lexicon *l, uint32_t handle)
{
  fact *f;
  HC_ASSERT(handle <= l->count && l->facts[handle - 1].more);
  f = &l->facts[handle - 1];
  if (--f->held > 0) return;
  if (hc_map_get(&l->by_hash, f->hash) == handle) hc_map_remove(&l->by_hash, f->hash);
  hc_free(l->allocator, f->more, f->size);
  give_handle_back(l, handle);
  l->held--;
}

void hc_lexicon_drop(hc_lexicon *l, uint32_t handle)
{
  if (handle == 0) return;
  if (l->within) l = l->within;
  lock(l);
  if (handle & IS_LABEL) hc_labels_drop(&l->labels, handle ^ IS_LABEL);
  else drop_one(l, handle);
  unlock(l);
}

size_t hc_lexicon_held(const hc_lexicon *l)
{
  return l->held + l->labels.held;
}

/* ---- birth, state and death ---- */

static const hc_lexicon_calls calls = {.size = (uint32_t)sizeof(hc_lexicon_calls),
                                       .abi = HC_ABI,
                                       .name = name,
                                       .text = text,
                                       .dimension = dimension,
                                       .dimension_name = dimension_name,
                                       .keep = keep,
                                       .more = more,
                                       .hold = hc_lexicon_hold,
                                       .drop = hc_lexicon_drop,
                                       .call = call,
                                       .called = called_text,
                                       .users_of_run = users_of_run,
                                       .title = title,
                                       .title_of = title_of,
                                       .label = label_of,
                                       .label_text = label_text,
                                       .ask = ask,
                                       .expect = expect};

static hc_rc known_dimensions(hc_lexicon *l)
{
  static const char *const known[HC_DIM_OTHER] = {"cpu", "memory", "disk", "gpu"};
  for (int d = 0; d < HC_DIM_OTHER; d++)
    if (dimension(l, known[d], strlen(known[d])) != d) return HC_ENOMEM;
  return 0;
}

static void init_callings(callings *c, const hc_allocator *a)
{
  hc_names_init(&c->names, a, NAME_LIMIT);
  hc_map_init(&c->by_number, a);
}

static void fini_callings(callings *c, const hc_allocator *a)
{
  hc_names_fini(&c->names);
  hc_map_fini(&c->by_number);
  hc_free(a, c->all, c->cap * sizeof *c->all);
}

hc_rc hc_lexicon_new(const hc_allocator *a, hc_lexicon **out)
{
  hc_lexicon *l = hc_alloc(a, sizeof *l);
  if (!l) return HC_ENOMEM;
  l->calls = &calls;
  l->allocator = l->labels.allocator = l->expected.allocator = a;
  hc_names_init(&l->names, a, NAME_LIMIT);
  hc_names_init(&l->dimensions, a, HC_DIMENSIONS);
  for (int k = 0; k < HC_CALLED_COUNT; k++) init_callings(&l->called[k], a);
  hc_map_init(&l->by_hash, a);
  if (hc_monitor_new(a, &l->monitor) < 0 || known_dimensions(l) < 0) {
    hc_lexicon_free(l);
    return HC_ENOMEM;
  }
  *out = l;
  return 0;
}

hc_rc hc_lexicon_new_within(hc_lexicon *run, hc_lexicon **out)
{
  TRY(hc_lexicon_new(run->allocator, out));
  (*out)->within = run;
  (*out)->shared = run->shared;
  return 0;
}

static void forget_facts(hc_lexicon *l)
{
  for (size_t i = 0; i < l->count; i++)
    if (l->facts[i].more) hc_free(l->allocator, l->facts[i].more, l->facts[i].size);
  hc_free(l->allocator, l->facts, l->cap * sizeof *l->facts);
  hc_map_fini(&l->by_hash);
  l->facts = NULL;
  l->count = l->cap = l->held = 0;
  l->vacant = 0;
}

void hc_lexicon_free(hc_lexicon *l)
{
  if (!l) return;
  forget_facts(l);
  hc_labels_fini(&l->labels);
  hc_expected_fini(&l->expected);
  hc_monitor_free(l->monitor);
  hc_names_fini(&l->names);
  hc_names_fini(&l->dimensions);
  for (int k = 0; k < HC_CALLED_COUNT; k++) fini_callings(&l->called[k], l->allocator);
  hc_free(l->allocator, l, sizeof *l);
}

/* Names come back with the numbers that they had: a run that was opened alike may know more of them already,
 * and then in the same order. */
static hc_rc visit_names(hc_names *names, hc_visitor *v, const hc_allocator *a)
{
  uint64_t count = names->count;
  HC_VISIT(v, count);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t n = i < names->count && !hc_visit_loading(v) ? strlen(names->names[i]) : 0;
    uint32_t id = 0;
    char *copy;
    hc_rc rc;
    HC_VISIT(v, n);
    if (!hc_visit_loading(v)) {
      TRY(hc_visit_bytes(v, (void *)(uintptr_t)names->names[i], (size_t)n));
      continue;
    }
    if (n > v->left) return HC_EINPUT;
    copy = hc_alloc(a, (size_t)n + 1);
    if (!copy) return HC_ENOMEM;
    rc = hc_visit_bytes(v, copy, (size_t)n);
    if (rc >= 0) rc = hc_names_add(names, copy, (size_t)n, &id);
    hc_free(a, copy, (size_t)n + 1);
    TRY(rc);
    if (id != i) return HC_EINPUT;
  }
  return 0;
}

static hc_rc load_fact(hc_lexicon *l, hc_visitor *v, fact *f)
{
  char *at;
  part parts[PARTS];
  if (f->size < sizeof *f->more || f->size > v->left) return HC_EINPUT;
  f->more = hc_alloc(l->allocator, f->size);
  if (!f->more) return HC_ENOMEM;
  TRY(hc_visit_bytes(v, f->more, f->size));
  if (too_long(f->more) || size_of(f->more) != f->size) return HC_EINPUT;
  at = (char *)(f->more + 1);
  parts_of(f->more, parts);
  for (int i = 0; i < PARTS; i++) {
    *parts[i].items = parts[i].bytes > 0 ? at : NULL;
    at += parts[i].bytes;
  }
  f->hash = hash_of(f->more, f->size);
  return 0;
}

static hc_rc visit_fact(hc_lexicon *l, hc_visitor *v, fact *f)
{
  uint64_t size = f->more ? f->size : 0;
  HC_VISIT(v, size);
  HC_VISIT(v, f->held);
  HC_VISIT(v, f->next);
  if (size == 0) return 0;
  if (!hc_visit_loading(v)) {
    hc_task_extras head = without_pointers(f->more); /* which are this process's own */
    HC_VISIT(v, head);
    return hc_visit_bytes(v, f->more + 1, f->size - sizeof head);
  }
  f->size = (size_t)size;
  TRY(load_fact(l, v, f));
  l->held++;
  return hc_map_get(&l->by_hash, f->hash) == HC_MAP_NONE
             ? hc_map_set(&l->by_hash, f->hash, (uint32_t)(f - l->facts) + 1)
             : 0;
}

static hc_rc visit_callings(callings *c, hc_visitor *v, const hc_allocator *a)
{
  TRY(hc_visit_bytes(v, c->title, sizeof c->title));
  c->title[TITLE_SIZE - 1] = '\0';
  HC_VISIT(v, c->left);
  TRY(visit_names(&c->names, v, a));
  TRY(hc_visit_array(v, (void **)&c->all, &c->count, &c->cap, sizeof *c->all));
  if (!hc_visit_loading(v)) return 0;
  hc_map_fini(&c->by_number);
  hc_map_init(&c->by_number, a);
  for (size_t i = 0; i < c->count; i++) {
    if ((c->all[i].name & ~(IS_MET | IS_MADE)) >= c->names.count) return HC_EINPUT;
    TRY(hc_map_set(&c->by_number, (uint64_t)c->all[i].number, (uint32_t)i));
  }
  return 0;
}

hc_rc hc_lexicon_visit_called(hc_lexicon *l, hc_visitor *v)
{
  for (int k = 0; k < HC_CALLED_COUNT; k++) {
    TRY(visit_callings(&l->called[k], v, l->allocator));
    l->has_names |= l->called[k].count > 0;
  }
  return hc_visit_loading(v) ? meet_all_expected(l) : 0;
}

hc_rc hc_lexicon_visit(hc_lexicon *l, hc_visitor *v)
{
  uint64_t count = l->count;
  TRY(visit_names(&l->names, v, l->allocator));
  TRY(visit_names(&l->dimensions, v, l->allocator));
  TRY(hc_lexicon_visit_called(l, v));
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > v->left) return HC_EINPUT;
    forget_facts(l);
    hc_map_init(&l->by_hash, l->allocator);
    TRY(hc_reserve(l->allocator, (void **)&l->facts, &l->cap, (size_t)count, sizeof *l->facts));
    for (; l->count < count; l->count++) l->facts[l->count] = (fact){0};
  }
  HC_VISIT(v, l->vacant);
  for (uint64_t i = 0; i < count; i++) TRY(visit_fact(l, v, &l->facts[i]));
  if (l->vacant > l->count) return HC_EINPUT;
  return hc_labels_visit(&l->labels, v);
}
