/* native_sizes.c -- in which sizes a task may run, in the native format: `malleable`, `moldable`, `shapes`.
 *
 *   malleable: {min: 2, max: 8}                  any of these sizes, while it runs, or `when` it says
 *   malleable: {min: 2, max: 8, speedup: {amdahl: 0.1}}
 *                                                the same, as fast in each as the law says
 *   malleable: {min: 2, max: 4, speeds: [1.8, 2.5, 3]}
 *                                                the same, the law size by size
 *   moldable: {min: 2, max: 8, preferred: 6, speedup: {amdahl: 0.1}}
 *                                                settled when it starts; its length follows from the law
 *   shapes: [{slots: 2, time: 1h, limit: 2h}, {slots: 8, time: 20m}]
 *                                                the same, size by size
 *
 * A law becomes a speed for each size, so that what a task carries needs no law. What the task asks for
 * itself is one of its shapes: the one of its own size where one has that, else one more. A task that asks
 * for nothing asks for its first shape. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "hindcast/execution.h"
#include "workload/native.h"

#define SIZES_MOST 65536 /* of one task */

enum { M_LEAST, M_MOST, M_PREFERRED, M_WHEN, M_SPEEDUP, M_SPEEDS, M_KEYS };

static const hc_native_key bounds[] = {{"min", M_LEAST},       {"least", M_LEAST},         {"max", M_MOST},
                                       {"most", M_MOST},       {"preferred", M_PREFERRED}, {"when", M_WHEN},
                                       {"speedup", M_SPEEDUP}, {"speeds", M_SPEEDS},       {NULL, 0}};
static const char *const whens[] = {"start", "running", "itself"}; /* of hc_size_change, bit by bit */

static hc_rc read_when(const hc_value *v, uint32_t *out, hc_error *e)
{
  const hc_value *const *items = v->kind == HC_VALUE_LIST ? (const hc_value *const *)v->items : &v;
  const size_t count = v->kind == HC_VALUE_LIST ? v->count : 1;
  for (size_t i = 0; i < count; i++) {
    size_t k = 0;
    while (k < HC_ARRAY_LEN(whens) &&
           (items[i]->kind != HC_VALUE_SCALAR || strcmp(items[i]->text, whens[k]) != 0))
      k++;
    if (k == HC_ARRAY_LEN(whens))
      return hc_value_fail(
          items[i], e, HC_EINPUT,
          "a malleable task changes its size `when` it starts (start), while it runs (running), "
          "or when it asks for it (itself)");
    *out |= UINT32_C(1) << k;
  }
  return 0;
}

/* How many hosts it asks for; of one that names none, processors. */
static int64_t asked(const hc_task_spec *t)
{
  return t->hosts > 1 || t->procs_asked <= 0 ? HC_MAX(t->hosts, 1) : t->procs_asked;
}

/* ---- a law ---- */

static hc_rc make_room(hc_native *n, size_t count)
{
  return hc_reserve(n->context->allocator, (void **)&n->sizes, &n->sizes_cap, count, sizeof *n->sizes);
}

static void set_speed(hc_native *n, const hc_task_extras *m, size_t i, double speed)
{
  n->sizes[i] = (hc_task_size){.size = m->least + (uint32_t)i,
                               .speed = speed,
                               .run = HC_UNKNOWN,
                               .limit = HC_UNKNOWN,
                               .estimate = HC_UNKNOWN};
}

/* Size by size, from `min` to `max`. */
static hc_rc read_speeds(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  const size_t count = (size_t)(m->most - m->least) + 1;
  hc_field f;
  if (v->kind != HC_VALUE_LIST || v->count != count || count > SIZES_MOST)
    return hc_value_fail(
        v, e, HC_EINPUT,
        "`speeds` is a list with a speed-up for each size from `min` to `max`, %zu of them, and "
        "%d at most",
        count, SIZES_MOST);
  TRY(make_room(n, count));
  for (size_t i = 0; i < count; i++) {
    double s;
    if (!hc_native_scalar(v->items[i], &f) || hc_parse_real(f.text, f.length, &s) < 0 || !(s > 0) ||
        !(s - s == 0))
      return hc_value_fail(
          v->items[i], e, HC_EINPUT,
          "a speed-up is a number above zero: how many times as fast as in one slot a task is");
    set_speed(n, m, i, s);
  }
  m->sizes = n->sizes;
  m->size_count = count;
  return 0;
}

static hc_rc read_law(hc_native *n, const hc_value *v, hc_task_extras *m, hc_error *e)
{
  const hc_book *b = n->context->laws;
  const size_t count = (size_t)(m->most - m->least) + 1;
  hc_chosen law;
  if (!b)
    return hc_value_fail(
        v, e, HC_EUNSUPPORTED,
        "a law of speed-up is read by runs and by `hindcast trace`: elsewhere give its sizes as "
        "`shapes: [{slots: 2, speedup: 1.8}, ...]`");
  if (count > SIZES_MOST)
    return hc_value_fail(v, e, HC_ELIMIT,
                         "a law of speed-up is for %d sizes at most, and from `min` to `max` "
                         "are %zu: leave it out, which is linear, or list `shapes`",
                         SIZES_MOST, count);
  hc_arena_reset(&n->scripts.scratch);
  TRY(hc_book_law(b, &n->scripts.scratch, v, &law, e));
  TRY(make_room(n, count));
  for (size_t i = 0; i < count; i++) {
    const uint32_t size = m->least + (uint32_t)i;
    const double s = hc_speedup(&law, size);
    if (!(s > 0) || !(s - s == 0))
      return hc_value_fail(v, e, HC_EINPUT,
                           "the law of speed-up %s says %g for %u slots, and has to be above "
                           "zero",
                           law.type->name, s, size);
    set_speed(n, m, i, s);
  }
  m->sizes = n->sizes;
  m->size_count = count;
  return 0;
}

/* ---- from a least to a most ---- */

static hc_rc read_bounds(const hc_value *const *at, const hc_value *v, int64_t of, hc_task_extras *m,
                         hc_error *e)
{
  int64_t least = of, most = of, preferred = 0;
  if (at[M_LEAST]) TRY(hc_native_whole(at[M_LEAST], "min", 1, UINT32_MAX, &least, e));
  if (at[M_MOST]) TRY(hc_native_whole(at[M_MOST], "max", 1, UINT32_MAX, &most, e));
  if (at[M_PREFERRED]) TRY(hc_native_whole(at[M_PREFERRED], "preferred", 1, UINT32_MAX, &preferred, e));
  if (of > UINT32_MAX || least > of || most < of)
    return hc_value_fail(v, e, HC_EINPUT,
                         "a malleable task asks for %lld, which is not between its `min` and its `max`",
                         (long long)of);
  if (preferred != 0 && (preferred < least || preferred > most))
    return hc_value_fail(at[M_PREFERRED], e, HC_EINPUT, "`preferred` is not between `min` and `max`");
  m->least = (uint32_t)least;
  m->of = (uint32_t)of;
  m->most = (uint32_t)most;
  m->preferred = (uint32_t)preferred;
  return 0;
}

/* Its slots have to be alike, and keep what they have. */
static hc_rc check_plain(const hc_native_sizes *at, const hc_value *v, const hc_task_extras *m, hc_error *e)
{
  if (m->chunk_count + m->resize_count == 0 && !at->executors) return 0;
  return hc_value_fail(
      v, e, HC_EINPUT,
      "a task whose size is settled when it starts, or that has a law of speed-up, has the same "
      "resources in each of its slots: leave out its sizes, or further groups of resources, "
      "resizes and executors");
}

/* Without a profile it is the law that says how long it is. */
static hc_rc read_changes(hc_native *n, const hc_native_sizes *at, const hc_value *v,
                          const hc_value *const *of_it, hc_task_extras *m, hc_error *e)
{
  const hc_value *law = of_it[M_SPEEDUP] ? of_it[M_SPEEDUP] : of_it[M_SPEEDS];
  if (of_it[M_SPEEDUP] && of_it[M_SPEEDS])
    return hc_value_fail(of_it[M_SPEEDS], e, HC_EINPUT,
                         "`speedup` and `speeds` say the same: keep one of the two");
  if (law && at->profile)
    return hc_value_fail(
        law, e, HC_EINPUT,
        "how much faster this task is with more slots its profile says: leave out `speedup`");
  if (!law && !(m->changes & HC_SIZED_AT_START)) return 0;
  if (at->profile && !n->scripts.book) { /* a length that was worked out is that of its own size */
    m->changes &= ~(uint32_t)HC_SIZED_AT_START;
    if (m->changes == 0) m->least = m->of = m->most = m->preferred = 0;
  }
  if (at->profile) return 0;
  TRY(check_plain(at, v, m, e));
  if (!law) return 0;
  return law == of_it[M_SPEEDS] ? read_speeds(n, law, m, e) : read_law(n, law, m, e);
}

/* ---- one by one ---- */

enum { S_SIZE, S_TIME, S_LIMIT, S_ESTIMATE, S_SPEEDUP, S_PREFERRED, S_KEYS };

static const hc_native_key shape[] = {{"slots", S_SIZE},
                                      {"size", S_SIZE},
                                      {"nodes", S_SIZE},
                                      {"procs", S_SIZE},
                                      {"time", S_TIME},
                                      {"delay", S_TIME},
                                      {"run", S_TIME},
                                      {"limit", S_LIMIT},
                                      {"wall_time_limit", S_LIMIT},
                                      {"estimate", S_ESTIMATE},
                                      {"speedup", S_SPEEDUP},
                                      {"preferred", S_PREFERRED},
                                      {NULL, 0}};

/* @param preferred  in, out: the size of the one that says so */
static hc_rc read_shape(hc_native *n, const hc_value *v, hc_task_size *out, uint32_t *preferred, hc_error *e)
{
  const hc_value *at[S_KEYS];
  hc_field f;
  int64_t size;
  *out = (hc_task_size){.run = HC_UNKNOWN, .limit = HC_UNKNOWN, .estimate = HC_UNKNOWN};
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT, "a shape is a map: {slots: 4, time: 30m, limit: 1h}");
  TRY(hc_native_members(v, shape, at, S_KEYS, NULL, NULL, &n->is_fatal, e));
  if (!at[S_SIZE] || !at[S_TIME] == !at[S_SPEEDUP])
    return hc_value_fail(v, e, HC_EINPUT,
                         "a shape has its `slots`, and either the `time` that it takes or its `speedup`");
  TRY(hc_native_whole(at[S_SIZE], "slots", 1, UINT32_MAX, &size, e));
  out->size = (uint32_t)size;
  if (at[S_PREFERRED]) {
    bool is = false;
    if (!hc_native_scalar(at[S_PREFERRED], &f) || hc_parse_bool(f.text, f.length, &is) < 0 ||
        (is && *preferred > 0))
      return hc_value_fail(at[S_PREFERRED], e, HC_EINPUT, "`preferred` is true of one shape, or of none");
    if (is) *preferred = out->size;
  }
  if (at[S_TIME]) TRY(hc_native_time(at[S_TIME], "time", n->units.time, &out->run, e));
  if (at[S_LIMIT]) TRY(hc_native_time(at[S_LIMIT], "limit", n->units.time, &out->limit, e));
  if (at[S_ESTIMATE]) TRY(hc_native_time(at[S_ESTIMATE], "estimate", n->units.time, &out->estimate, e));
  if (!at[S_SPEEDUP]) return 0;
  if (at[S_LIMIT] || at[S_ESTIMATE])
    return hc_value_fail(
        v, e, HC_EINPUT,
        "the limit and the estimate of a shape with a `speedup` follow from those of the task");
  if (!hc_native_scalar(at[S_SPEEDUP], &f) || hc_parse_real(f.text, f.length, &out->speed) < 0 ||
      !(out->speed > 0) || !(out->speed - out->speed == 0))
    return hc_value_fail(at[S_SPEEDUP], e, HC_EINPUT,
                         "the speed-up of a shape is a number above zero: how many times as fast as in one "
                         "slot it is");
  return 0;
}

HC_SORT(sort_sizes, hc_task_size, a->size < b->size)

/* The one that has this size; NULL: none has. */
static hc_task_size *of_size(hc_native *n, size_t count, int64_t size)
{
  for (size_t i = 0; i < count; i++)
    if (n->sizes[i].size == size) return &n->sizes[i];
  return NULL;
}

/* What the task asks for itself is among them. */
static hc_rc meet_own(hc_native *n, const hc_native_sizes *at, size_t *count, int64_t of, hc_task_spec *t,
                      hc_error *e)
{
  hc_task_size *own = of_size(n, *count, of);
  hc_time run = HC_UNKNOWN;
  if (at->delay) TRY(hc_native_time(at->delay, "delay", n->units.time, &run, e));
  if (!own && (n->sizes[0].speed > 0 || run == HC_UNKNOWN))
    return hc_value_fail(at->shapes, e, HC_EINPUT,
                         "the task asks for %lld slots, and none of its shapes has so many: add it, or, with "
                         "times, say its `delay`",
                         (long long)of);
  if (!own) {
    n->sizes[(*count)++] =
        (hc_task_size){.size = (uint32_t)of, .run = run, .limit = HC_UNKNOWN, .estimate = HC_UNKNOWN};
    return 0;
  }
  if (own->speed > 0) return 0;
  if (run != HC_UNKNOWN && run != own->run)
    return hc_value_fail(
        at->delay, e, HC_EINPUT,
        "the shape of the size that the task asks for takes another time: keep one of the two");
  if (own->limit != HC_UNKNOWN && t->limit != HC_UNKNOWN && t->limit != own->limit)
    return hc_value_fail(
        at->shapes, e, HC_EINPUT,
        "the shape of the size that the task asks for has another limit: keep one of the two");
  t->run = own->run;
  if (own->limit != HC_UNKNOWN) t->limit = own->limit;
  return 0;
}

static hc_rc read_list(hc_native *n, const hc_native_sizes *at, hc_task_spec *t, hc_task_extras *m,
                       hc_error *e)
{
  const hc_value *v = at->shapes;
  size_t count = v->count;
  if (v->kind != HC_VALUE_LIST || count == 0 || count > SIZES_MOST)
    return hc_value_fail(v, e, HC_EINPUT, "shapes are a list: [{slots: 2, time: 1h}, {slots: 8, time: 20m}]");
  if (at->profile)
    return hc_value_fail(v, e, HC_EINPUT,
                         "how long this task runs in each size its profile says: leave out one of the two");
  TRY(check_plain(at, v, m, e));
  TRY(make_room(n, count + 1));
  for (size_t i = 0; i < count; i++) {
    TRY(read_shape(n, v->items[i], &n->sizes[i], &m->preferred, e));
    if (of_size(n, i, n->sizes[i].size))
      return hc_value_fail(v->items[i], e, HC_EINPUT, "two shapes have %u slots: keep one", n->sizes[i].size);
    if ((n->sizes[i].speed > 0) != (n->sizes[0].speed > 0))
      return hc_value_fail(v->items[i], e, HC_EINPUT, "shapes have a `time` each, or a `speedup` each");
  }
  if (!at->is_sized) t->procs_asked = n->sizes[0].size;
  const int64_t of = asked(t);
  TRY(meet_own(n, at, &count, of, t, e));
  sort_sizes(n->sizes, count);
  m->least = n->sizes[0].size;
  m->of = (uint32_t)of;
  m->most = n->sizes[count - 1].size;
  m->changes = HC_SIZED_AT_START;
  m->sizes = n->sizes;
  m->size_count = count;
  return 0;
}

/* ---- a task ---- */

hc_rc hc_native_read_sizes(hc_native *n, const hc_native_sizes *at, hc_task_spec *t, hc_task_extras *m,
                           hc_error *e)
{
  const hc_value *v = at->malleable ? at->malleable : at->moldable;
  const hc_value *of_it[M_KEYS];
  if ((at->malleable != NULL) + (at->moldable != NULL) + (at->shapes != NULL) > 1)
    return hc_value_fail_key(at->shapes ? at->shapes : at->moldable, e, HC_EINPUT,
                             "a task says its sizes once: as `malleable`, `moldable` or `shapes`");
  if (at->shapes) return read_list(n, at, t, m, e);
  if (!v) return 0;
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT, "what a malleable task may have is a map: {min: 2, max: 8}");
  TRY(hc_native_members(v, bounds, of_it, M_KEYS, NULL, NULL, &n->is_fatal, e));
  TRY(read_bounds(of_it, v, asked(t), m, e));
  if (of_it[M_WHEN]) TRY(read_when(of_it[M_WHEN], &m->changes, e));
  if (at->moldable) m->changes |= HC_SIZED_AT_START;
  return read_changes(n, at, v, of_it, m, e);
}
