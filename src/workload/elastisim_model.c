/* elastisim_model.c -- application models of ElastiSim as profiles of rigid jobs.
 *
 *   on_init                    its tasks, once
 *   phases                     their tasks one after the other, `iterations` times each
 *   cpu                        a computation and a pattern of messages at once; `coupled`: a parallel task
 *   pfs_read ... bb_write      file_read and file_write of the paths that the reader says; `async`: beside
 *   the tasks behind it, until the phase or sequence that it stands in is over
 *   idle, busy_wait            idle
 *   sequence                   sequence
 *
 * A rigid job has as many nodes as it asks for, so that all performance models are computed when it is read:
 * their variables are those of its size and its arguments, which are names here and no texts to be replaced.
 * What is distributed is: vectors uniform S on each, total and all_ranks S / n, root_only, even_ranks,
 * odd_ranks, vector; matrices all_to_all S / (n (n - 1)) for each pair, gather and scatter S / n, ring S / (2
 * n) each way, ring_clockwise and ring_counter_clockwise S / n, master_worker 2 S / (n - 1) each way as
 * ElastiSim has it (a total of 4 S), matrix. Messages of one task progress at one rate.
 *
 *   gpu                        `gpus`, beside the messages of nodes, and a delay for those of GPUs of a node
 *
 * Of S bytes between n x g GPUs, g on each node, S (n g - g) / (n g - 1) go from node to node in all_to_all,
 * and S / g in rings, dealt out as above; with g = 1 all of it, in any pattern. On a node as long as the two
 * GPUs take that send each other most: 2 S / (n g (n g - 1)) in all_to_all; in rings S (g - 1) / (n g), of
 * one node S, and of that a gth part where g > 2.
 *
 * A task begins when the one before it has ended on all nodes. (ElastiSim's nodes wait for each other where
 * they talk, or where `synchronized` is set.) busy_wait takes its time and no cores. on_reconfiguration and
 * on_expansion never come to a rigid job. Jobs of other types: elastisim_elastic.c.
 *
 * Source: ElastiSim 2024, its documentation and source. */
#include "workload/elastisim_model.h"

#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/elastisim_tree.h"

#define MODELS_MOST ((size_t)1 << 20)
#define NESTING 32

enum { ARGUMENTS_MOST = 64, OWN_NAMES = 3 };

void hc_elastisim_init(hc_elastisim_models *m, const hc_allocator *a, const hc_book *book)
{
  *m = (hc_elastisim_models){.allocator = a, .book = book, .unit = 1};
  hc_names_init(&m->names, a, MODELS_MOST);
  hc_arena_init(&m->lasting, a);
  hc_arena_init(&m->scratch, a);
  hc_buffer_init(&m->text, a);
}

void hc_elastisim_fini(hc_elastisim_models *m)
{
  hc_free(m->allocator, m->all, m->cap * sizeof(hc_value *));
  hc_names_fini(&m->names);
  hc_arena_fini(&m->lasting);
  hc_arena_fini(&m->scratch);
  hc_buffer_fini(&m->text);
}

/* One job's model on its way to a profile. */
typedef struct making {
  hc_elastisim_models *m;
  const char *names[OWN_NAMES + ARGUMENTS_MOST];
  double values[OWN_NAMES + ARGUMENTS_MOST];
  size_t name_count;
  uint32_t n, gpus; /* nodes; GPUs of each */
  hc_error *e;
} making;

/* ---- trees ---- */

static hc_rc append_number(making *k, hc_value *list, double x)
{
  hc_value *v = hc_elastisim_number(&k->m->scratch, x);
  return v ? hc_value_append(&k->m->scratch, list, v) : HC_ENOMEM;
}

/* A sequence or a parallel of two. */
static hc_rc both(making *k, const char *use, hc_value *one, hc_value *two, hc_value **out)
{
  hc_value *list;
  TRY(hc_elastisim_new_profile(&k->m->scratch, use, out));
  TRY(hc_elastisim_new_list(&k->m->scratch, *out, "profiles", &list));
  TRY(hc_value_append(&k->m->scratch, list, one));
  return hc_value_append(&k->m->scratch, list, two);
}

/* ---- numbers ---- */

/* A number, or a performance model. */
static hc_rc evaluate(making *k, const hc_value *v, double *out)
{
  hc_expr *x;
  hc_error mine = {0};
  if (v->kind != HC_VALUE_SCALAR) return hc_value_fail(v, k->e, HC_EINPUT, "%s is no number", v->key);
  if (hc_parse_real(v->text, strlen(v->text), out) < 0) {
    const hc_rc rc = hc_expr_compile(&k->m->scratch, v->text, k->names, k->name_count, &x, &mine);
    if (rc < 0) return hc_value_fail(v, k->e, HC_EINPUT, "%s: %s", v->key ? v->key : "payload", mine.text);
    *out = hc_expr_value(x, k->values);
  }
  if (*out - *out == 0 && *out >= 0) return 0;
  return hc_value_fail(v, k->e, HC_EINPUT,
                       "\"%.80s\" comes to %g on %u nodes: a payload is a number from 0 on", v->text, *out,
                       k->n);
}

static hc_rc iterations(making *k, const hc_value *v, double *out)
{
  const hc_value *times = hc_value_get(v, "iterations");
  *out = 1;
  if (!times) return 0;
  TRY(evaluate(k, times, out));
  if (*out > 1e12) return hc_value_fail(times, k->e, HC_EINPUT, "%g iterations are more than 10^12", *out);
  *out = (double)(int64_t)*out;
  return 0;
}

static hc_rc check_keys(making *k, const hc_value *map, const char *const *known, size_t count,
                        const char *what)
{
  if (map->kind != HC_VALUE_MAP) return hc_value_fail(map, k->e, HC_EINPUT, "%s is an object", what);
  for (size_t i = 0; i < map->count; i++) {
    size_t j = 0;
    while (j < count && strcmp(known[j], map->items[i]->key) != 0) j++;
    if (j == count)
      return hc_value_fail_key(map->items[i], k->e, HC_EINPUT, "%s has no \"%.60s\"", what,
                               map->items[i]->key);
  }
  return 0;
}

/* ---- what is distributed ---- */

/* So much on ranks first, first + step ...; or what a list says. */
typedef struct share {
  double each;
  uint32_t first, step;
  const hc_value *list; /* [n]; NULL */
} share;

static hc_rc amount_of(making *k, const share *s, uint32_t rank, double *out)
{
  *out = rank >= s->first && (rank - s->first) % s->step == 0 ? s->each : 0;
  return s->list ? evaluate(k, s->list->items[rank], out) : 0;
}

static hc_rc read_share(making *k, const hc_value *task, const char *payload, const char *pattern, share *out)
{
  const hc_value *amount, *word;
  TRY(hc_elastisim_need(task, payload, &amount, k->e));
  TRY(hc_elastisim_need(task, pattern, &word, k->e));
  *out = (share){.step = 1};
  if (word->kind == HC_VALUE_SCALAR && strcmp(word->text, "vector") == 0) {
    out->list = amount;
    if (amount->kind == HC_VALUE_LIST && amount->count == k->n) return 0;
    return hc_value_fail(amount, k->e, HC_EINPUT, "a vector has a number for each of the job's %u nodes",
                         k->n);
  }
  TRY(evaluate(k, amount, &out->each));
  const char *p = word->kind == HC_VALUE_SCALAR ? word->text : "";
  if (strcmp(p, "uniform") == 0) return 0;
  if (strcmp(p, "total") == 0 || strcmp(p, "all_ranks") == 0) out->each /= k->n;
  else if (strcmp(p, "root_only") == 0) out->step = k->n;
  else if (strcmp(p, "even_ranks") == 0 || strcmp(p, "odd_ranks") == 0) {
    out->step = 2;
    out->first = p[0] == 'o';
    out->each /= p[0] == 'o' ? (double)HC_MAX(k->n / 2, 1u) : (double)((k->n + 1) / 2);
  } else {
    return hc_value_fail(word, k->e, HC_EINPUT,
                         "%s: \"%.60s\" is none of uniform, total, all_ranks, root_only, even_ranks, "
                         "odd_ranks "
                         "and vector",
                         pattern, p);
  }
  return 0;
}

static bool is_uniform(const share *s)
{
  return !s->list && s->first == 0 && s->step == 1;
}

static hc_rc put_shares(making *k, hc_value *map, const char *key, const share *s)
{
  hc_value *list;
  TRY(hc_elastisim_new_list(&k->m->scratch, map, key, &list));
  for (uint32_t i = 0; i < k->n; i++) {
    double x;
    TRY(amount_of(k, s, i, &x));
    TRY(append_number(k, list, x));
  }
  return 0;
}

/* ---- computation and messages ---- */

static hc_rc make_compute(making *k, const share *s, hc_value **out)
{
  TRY(hc_elastisim_new_profile(&k->m->scratch, is_uniform(s) ? "compute_homogeneous" : "compute_vector",
                               out));
  return is_uniform(s) ? hc_elastisim_put_number(&k->m->scratch, *out, "compute_work", s->each)
                       : put_shares(k, *out, "compute_work", s);
}

typedef enum talk { ALL, GATHER, SCATTER, RING, CLOCKWISE, COUNTER, MASTER, MATRIX, TALKS } talk;
static const char *const talks[TALKS] = {"all_to_all",    "gather",         "scatter",
                                         "ring",          "ring_clockwise", "ring_counter_clockwise",
                                         "master_worker", "matrix"};

/* Bytes of one message. */
static double message_of(talk t, double total, double n)
{
  switch (t) {
    case ALL: return total / (n * (n - 1));
    case RING: return total / (2 * n);
    case MASTER: return 2 * total / (n - 1);
    case GATHER:
    case SCATTER:
    case CLOCKWISE:
    case COUNTER:
    case MATRIX:
    case TALKS: break;
  }
  return total / n;
}

static bool sends(talk t, uint32_t from, uint32_t to, uint32_t n)
{
  const bool next = to == (from + 1) % n, last = from == (to + 1) % n;
  if (from == to) return false;
  switch (t) {
    case ALL: return true;
    case GATHER: return to == 0;
    case SCATTER: return from == 0;
    case RING: return next || last;
    case CLOCKWISE: return next;
    case COUNTER: return last;
    case MASTER: return from == 0 || to == 0;
    case MATRIX:
    case TALKS: break;
  }
  return false;
}

/* @param total out: bytes that are dealt out; of a matrix 0 */
static hc_rc read_talk(making *k, const hc_value *task, talk *out, double *total)
{
  const hc_value *bytes, *word;
  size_t i = 0;
  TRY(hc_elastisim_need(task, "bytes", &bytes, k->e));
  TRY(hc_elastisim_need(task, "communication_pattern", &word, k->e));
  while (i < TALKS && (word->kind != HC_VALUE_SCALAR || strcmp(talks[i], word->text) != 0)) i++;
  if (i == TALKS)
    return hc_value_fail(word, k->e, HC_EINPUT,
                         "communication_pattern: this is none of all_to_all, gather, scatter, ring, "
                         "ring_clockwise, ring_counter_clockwise, master_worker and matrix");
  *out = (talk)i;
  *total = 0;
  if (*out != MATRIX) return evaluate(k, bytes, total);
  if (bytes->kind == HC_VALUE_LIST && bytes->count == (size_t)k->n * k->n) return 0;
  return hc_value_fail(bytes, k->e, HC_EINPUT, "a matrix has %u x %u numbers, row by row", k->n, k->n);
}

static hc_rc put_matrix(making *k, hc_value *map, const hc_value *task, talk t, double each)
{
  const hc_value *given = hc_value_get(task, "bytes");
  hc_value *list;
  if (k->n > 1024)
    return hc_value_fail(task, k->e, HC_ELIMIT, "the messages of %u nodes are more than a profile can say",
                         k->n);
  TRY(hc_elastisim_new_list(&k->m->scratch, map, "com", &list));
  for (uint32_t i = 0; i < k->n; i++)
    for (uint32_t j = 0; j < k->n; j++) {
      double x = sends(t, i, j, k->n) ? each : 0;
      if (t == MATRIX) TRY(evaluate(k, given->items[(size_t)i * k->n + j], &x));
      TRY(append_number(k, list, x));
    }
  return 0;
}

/* A pattern of this tree, whose messages progress together. */
static hc_rc make_pattern(making *k, const char *use, double size, const char *direction, hc_value **out)
{
  TRY(hc_elastisim_new_profile(&k->m->scratch, use, out));
  TRY(hc_elastisim_put_number(&k->m->scratch, *out, "size", size));
  TRY(hc_elastisim_put_word(&k->m->scratch, *out, "together", "true", false));
  return direction ? hc_elastisim_put_word(&k->m->scratch, *out, "direction", direction, false) : 0;
}

static hc_rc make_talk(making *k, const hc_value *task, talk t, double each, hc_value **out)
{
  hc_value *in, *back;
  switch (t) {
    case ALL: return make_pattern(k, "all_to_all", each, NULL, out);
    case GATHER: return make_pattern(k, "gather", each, NULL, out);
    case SCATTER: return make_pattern(k, "scatter", each, NULL, out);
    case RING: return make_pattern(k, "ring", each, "both", out);
    case CLOCKWISE: return make_pattern(k, "ring", each, "clockwise", out);
    case COUNTER: return make_pattern(k, "ring", each, "counter", out);
    case MASTER:
      TRY(make_pattern(k, "gather", each, NULL, &in));
      TRY(make_pattern(k, "scatter", each, NULL, &back));
      return both(k, "parallel", in, back, out);
    case MATRIX:
    case TALKS: break;
  }
  TRY(hc_elastisim_new_profile(&k->m->scratch, "parallel_task", out));
  return put_matrix(k, *out, task, t, each);
}

/* Both at one rate. */
static hc_rc make_coupled(making *k, const hc_value *task, const share *work, talk t, double each,
                          hc_value **out)
{
  if (is_uniform(work) && t == ALL) {
    TRY(hc_elastisim_new_profile(&k->m->scratch, "parallel_homogeneous", out));
    TRY(hc_elastisim_put_number(&k->m->scratch, *out, "cpu", work->each));
    return hc_elastisim_put_number(&k->m->scratch, *out, "com", each);
  }
  TRY(hc_elastisim_new_profile(&k->m->scratch, "parallel_task", out));
  TRY(put_shares(k, *out, "cpu", work));
  return put_matrix(k, *out, task, t, each);
}

/* Alone a node sends nothing. */
static hc_rc make_cpu(making *k, const hc_value *task, hc_value **out)
{
  const bool computes = hc_value_get(task, "flops"), has_bytes = hc_value_get(task, "bytes");
  share work = {.step = 1};
  talk t = ALL;
  double each = 0;
  bool coupled;
  hc_value *one, *two;
  if (!computes && !has_bytes)
    return hc_value_fail(task, k->e, HC_EINPUT, "a cpu task has `flops`, `bytes` or both");
  TRY(hc_elastisim_flag(task, "coupled", false, &coupled, k->e));
  if (computes) TRY(read_share(k, task, "flops", "computation_pattern", &work));
  if (has_bytes && k->n > 1) TRY(read_talk(k, task, &t, &each));
  if (t != MATRIX && each > 0) each = message_of(t, each, k->n);
  if (!has_bytes || k->n == 1) return make_compute(k, &work, out);
  if (!computes) return make_talk(k, task, t, each, out);
  if (coupled) return make_coupled(k, task, &work, t, each, out);
  TRY(make_compute(k, &work, &one));
  TRY(make_talk(k, task, t, each, &two));
  return both(k, "parallel", one, two, out);
}

/* ---- GPUs ---- */

/* Each process's GPUs share its work; those of a node send each other bytes beside that, and nodes too. */
static hc_rc make_gpu(making *k, const hc_value *task, hc_value **out)
{
  const bool computes = hc_value_get(task, "flops"), has_bytes = hc_value_get(task, "bytes");
  hc_value *list, *part;
  share work;
  talk t = ALL;
  double total = 0;
  if (!computes && !has_bytes)
    return hc_value_fail(task, k->e, HC_EINPUT, "a gpu task has `flops`, `bytes` or both");
  TRY(hc_elastisim_new_profile(&k->m->scratch, "parallel", out));
  TRY(hc_elastisim_new_list(&k->m->scratch, *out, "profiles", &list));
  if (has_bytes) TRY(read_talk(k, task, &t, &total));
  TRY(hc_elastisim_gpus(task, has_bytes ? talks[t] : NULL, k->gpus, k->m->gpu_bandwidth, k->e));
  if (computes) {
    TRY(read_share(k, task, "flops", "computation_pattern", &work));
    TRY(hc_elastisim_new_profile(&k->m->scratch, "gpus", &part));
    TRY(hc_elastisim_put_number(&k->m->scratch, part, "gpus", k->gpus));
    if (is_uniform(&work)) TRY(hc_elastisim_put_number(&k->m->scratch, part, "work", work.each));
    else TRY(put_shares(k, part, "work", &work));
    TRY(hc_value_append(&k->m->scratch, list, part));
  }
  if (has_bytes && k->gpus > 1) {
    const double inside = total * hc_elastisim_gpus_inside(talks[t], k->n, k->gpus);
    TRY(hc_elastisim_new_profile(&k->m->scratch, "idle", &part));
    TRY(hc_elastisim_put_number(&k->m->scratch, part, "time", inside / k->m->gpu_bandwidth));
    TRY(hc_value_append(&k->m->scratch, list, part));
  }
  if (!has_bytes || k->n == 1) return 0;
  total *= hc_elastisim_gpus_apart(talks[t], k->n, k->gpus);
  TRY(make_talk(k, task, t, message_of(t, total, k->n), &part));
  return hc_value_append(&k->m->scratch, list, part);
}

/* ---- input and output, delays ---- */

static hc_rc make_io(making *k, const hc_value *task, const char *type, hc_value **out)
{
  const char *use = strstr(type, "read") ? "file_read" : "file_write";
  const char *path = type[0] == 'p' ? k->m->pfs : k->m->burst_buffer;
  hc_value *processes = NULL, *list = NULL;
  share s;
  TRY(read_share(k, task, "bytes", "pattern", &s));
  if (s.list) {
    TRY(hc_elastisim_new_profile(&k->m->scratch, "parallel", out));
    TRY(hc_elastisim_new_list(&k->m->scratch, *out, "profiles", &list));
  }
  for (uint32_t i = 0; i < (s.list ? k->n : 1u); i++) {
    hc_value *one;
    double each = s.each;
    if (s.list) TRY(amount_of(k, &s, i, &each));
    TRY(hc_elastisim_new_profile(&k->m->scratch, use, &one));
    TRY(hc_elastisim_put_word(&k->m->scratch, one, "path", path, true));
    TRY(hc_elastisim_put_number(&k->m->scratch, one, "size", each));
    if (!is_uniform(&s)) TRY(hc_elastisim_new_list(&k->m->scratch, one, "processes", &processes));
    for (uint32_t r = s.list ? i : s.first; !is_uniform(&s) && r < (s.list ? i + 1 : k->n); r += s.step)
      TRY(append_number(k, processes, r));
    if (!is_uniform(&s) && processes->count == 0)
      return hc_elastisim_new_profile(&k->m->scratch, "idle", out) < 0
                 ? HC_ENOMEM
                 : hc_elastisim_put_number(&k->m->scratch, *out, "time", 0);
    if (!s.list) *out = one;
    else TRY(hc_value_append(&k->m->scratch, list, one));
  }
  return 0;
}

/* It lasts as long as on the node where it is the longest. */
static hc_rc make_idle(making *k, const hc_value *task, hc_value **out)
{
  share s = {.step = 1};
  double longest = 0;
  if (hc_value_get(task, "pattern")) {
    TRY(read_share(k, task, "delay", "pattern", &s));
  } else {
    const hc_value *delay;
    TRY(hc_elastisim_need(task, "delay", &delay, k->e));
    TRY(evaluate(k, delay, &s.each));
  }
  for (uint32_t i = 0; i < k->n; i++) {
    double x;
    TRY(amount_of(k, &s, i, &x));
    longest = HC_MAX(longest, x);
  }
  TRY(hc_elastisim_new_profile(&k->m->scratch, "idle", out));
  return hc_elastisim_put_number(&k->m->scratch, *out, "time", longest * k->m->unit);
}

/* ---- tasks ---- */

static hc_rc make_tasks(making *k, const hc_value *tasks, size_t from, double times, int depth,
                        hc_value **out);

static hc_rc make_once(making *k, const hc_value *task, const char *type, int depth, hc_value **out)
{
  const hc_value *tasks;
  hc_elastisim_kind kind;
  TRY(hc_elastisim_kind_of(task, type, &kind, k->e));
  switch (kind) {
    case HC_ELASTISIM_CPU: return make_cpu(k, task, out);
    case HC_ELASTISIM_GPU: return make_gpu(k, task, out);
    case HC_ELASTISIM_IO: return make_io(k, task, type, out);
    case HC_ELASTISIM_IDLE: return make_idle(k, task, out);
    case HC_ELASTISIM_SEQUENCE: break;
  }
  TRY(hc_elastisim_need(task, "tasks", &tasks, k->e));
  return make_tasks(k, tasks, 0, 1, depth + 1, out);
}

static hc_rc make_repeated(making *k, const hc_value *task, int depth, bool *is_async, hc_value **out)
{
  static const char *const known[] = {"type",       "name",
                                      "iterations", "synchronized",
                                      "flops",      "computation_pattern",
                                      "bytes",      "communication_pattern",
                                      "coupled",    "pattern",
                                      "async",      "delay",
                                      "tasks"};
  const hc_value *type;
  hc_value *once, *list;
  double times;
  TRY(check_keys(k, task, known, HC_ARRAY_LEN(known), "a task"));
  TRY(hc_elastisim_need(task, "type", &type, k->e));
  TRY(iterations(k, task, &times));
  TRY(hc_elastisim_flag(task, "async", false, is_async, k->e));
  TRY(make_once(k, task, type->kind == HC_VALUE_SCALAR ? type->text : "", depth, &once));
  *out = once;
  if (times == 1) return 0;
  if (times < 1) {
    TRY(hc_elastisim_new_profile(&k->m->scratch, "idle", out));
    return hc_elastisim_put_number(&k->m->scratch, *out, "time", 0);
  }
  TRY(hc_elastisim_new_profile(&k->m->scratch, "sequence", out));
  TRY(hc_elastisim_new_list(&k->m->scratch, *out, "profiles", &list));
  TRY(hc_value_append(&k->m->scratch, list, once));
  return hc_elastisim_put_number(&k->m->scratch, *out, "repeat", times);
}

static hc_rc make_task(making *k, const hc_value *task, int depth, bool *is_async, hc_value **out)
{
  TRY(make_repeated(k, task, depth, is_async, out));
  return k->m->labels ? hc_elastisim_label(&k->m->scratch, task, out) : 0;
}

/* Those from `from` on, so many times: what is asynchronous goes on beside those behind it. */
static hc_rc make_tasks(making *k, const hc_value *tasks, size_t from, double times, int depth,
                        hc_value **out)
{
  hc_value *list, *task, *rest, *pair;
  if (tasks->kind != HC_VALUE_LIST) return hc_value_fail(tasks, k->e, HC_EINPUT, "tasks are an array");
  if (depth > NESTING)
    return hc_value_fail(tasks, k->e, HC_ELIMIT, "tasks are nested deeper than %d", NESTING);
  TRY(hc_elastisim_new_profile(&k->m->scratch, "sequence", out));
  TRY(hc_elastisim_new_list(&k->m->scratch, *out, "profiles", &list));
  if (times != 1) TRY(hc_elastisim_put_number(&k->m->scratch, *out, "repeat", times));
  for (size_t i = from; i < tasks->count; i++) {
    bool is_async;
    TRY(make_task(k, tasks->items[i], depth, &is_async, &task));
    if (is_async && i + 1 < tasks->count) {
      TRY(make_tasks(k, tasks, i + 1, 1, depth + 1, &rest));
      TRY(both(k, "parallel", task, rest, &pair));
      return hc_value_append(&k->m->scratch, list, pair);
    }
    TRY(hc_value_append(&k->m->scratch, list, task));
  }
  if (list->count > 0) return 0;
  TRY(hc_elastisim_new_profile(&k->m->scratch, "idle", out));
  return hc_elastisim_put_number(&k->m->scratch, *out, "time", 0);
}

/* ---- a model ---- */

static hc_rc make_phase(making *k, const hc_value *phase, hc_value *all)
{
  static const char *const known[] = {
      "iterations", "tasks", "scheduling_point", "final_scheduling_point", "evolving_request",
      "barrier",    "name"};
  const hc_value *tasks;
  hc_value *part;
  double times;
  TRY(check_keys(k, phase, known, HC_ARRAY_LEN(known), "a phase"));
  TRY(hc_elastisim_need(phase, "tasks", &tasks, k->e));
  TRY(iterations(k, phase, &times));
  if (times < 1) return 0;
  TRY(make_tasks(k, tasks, 0, times, 0, &part));
  return hc_value_append(&k->m->scratch, all, part);
}

static hc_rc make_model(making *k, const hc_value *model, hc_value **out)
{
  static const char *const known[] = {"on_init", "on_reconfiguration", "on_expansion", "phases", "name"};
  const hc_value *init = hc_value_get(model, "on_init"), *phases;
  hc_value *all;
  TRY(check_keys(k, model, known, HC_ARRAY_LEN(known), "an application model"));
  TRY(hc_elastisim_need(model, "phases", &phases, k->e));
  if (phases->kind != HC_VALUE_LIST) return hc_value_fail(phases, k->e, HC_EINPUT, "phases are an array");
  TRY(hc_elastisim_new_profile(&k->m->scratch, "sequence", out));
  TRY(hc_elastisim_new_list(&k->m->scratch, *out, "profiles", &all));
  if (init) TRY(make_phase(k, init, all));
  for (size_t i = 0; i < phases->count; i++) TRY(make_phase(k, phases->items[i], all));
  if (all->count > 0) return 0;
  TRY(hc_elastisim_new_profile(&k->m->scratch, "idle", out));
  return hc_elastisim_put_number(&k->m->scratch, *out, "time", 0);
}

hc_rc hc_elastisim_read(hc_elastisim_models *m, const char *file, const hc_value **out, hc_error *e)
{
  uint32_t id;
  const size_t before = m->names.count;
  TRY(hc_names_add(&m->names, file, strlen(file), &id));
  if (m->names.count > before) {
    TRY(hc_reserve(m->allocator, (void **)&m->all, &m->cap, m->names.count, sizeof(hc_value *)));
    m->all[id] = NULL;
  }
  if (!m->all[id]) TRY(hc_value_parse_file(&m->lasting, file, &m->all[id], e));
  *out = m->all[id];
  return 0;
}

static hc_rc take_arguments(making *k, const hc_elastisim_job *job)
{
  static const char *const own[OWN_NAMES] = {"num_nodes", "num_gpus_per_node", "num_gpus"};
  const double values[OWN_NAMES] = {(double)job->nodes, (double)job->gpus, (double)(job->nodes * job->gpus)};
  memcpy(k->names, own, sizeof own);
  memcpy(k->values, values, sizeof values);
  k->name_count = OWN_NAMES;
  for (size_t i = 0; job->arguments && i < job->arguments->count; i++) {
    const hc_value *v = job->arguments->items[i];
    if (k->name_count == HC_ARRAY_LEN(k->names))
      return hc_value_fail(v, k->e, HC_ELIMIT, "a job has more than %d arguments", ARGUMENTS_MOST);
    if (v->kind != HC_VALUE_SCALAR || hc_parse_real(v->text, strlen(v->text), &k->values[k->name_count]) < 0)
      return hc_value_fail(v, k->e, HC_EINPUT, "the argument %.60s is no number", v->key);
    k->names[k->name_count++] = v->key;
  }
  return 0;
}

hc_rc hc_elastisim_text(hc_elastisim_models *m, const hc_value *tree, const hc_value *model, int64_t nodes,
                        const char **text, size_t *size, hc_error *e)
{
  m->text.size = 0;
  hc_value_write_json(tree, &m->text, false);
  if (m->text.failed) return HC_ENOMEM;
  if (m->text.size > HC_PROFILE_TEXT)
    return hc_value_fail(model, e, HC_ELIMIT, "on %lld nodes this model is longer than 1 MiB",
                         (long long)nodes);
  *text = m->text.data;
  *size = m->text.size;
  return 0;
}

hc_rc hc_elastisim_profile(hc_elastisim_models *m, const char *file, const hc_elastisim_job *job,
                           const char **text, size_t *size, hc_error *e)
{
  making k = {.m = m, .n = (uint32_t)job->nodes, .gpus = (uint32_t)job->gpus, .e = e};
  const hc_value *model;
  hc_value *tree = NULL;
  hc_chosen unused;
  hc_arena_reset(&m->scratch);
  TRY(hc_elastisim_read(m, file, &model, e));
  TRY(take_arguments(&k, job));
  TRY(make_model(&k, model, &tree));
  TRY(m->book->resolve(m->book, &m->scratch, tree, &unused, e));
  return hc_elastisim_text(m, tree, model, job->nodes, text, size, e);
}
