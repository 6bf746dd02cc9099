/* survey.c -- what a workload holds: how its measures are spread, whose it is, and which share which class
 * has.
 *
 * Everything is bounded: quantiles come from sketches (workload/sketch.h), distinct users and the like are
 * counted up to 2^20, classes up to 256 with one more for all others, and jobs that may still get tasks are
 * kept in a table of 2^14 places by their number, from which a job is taken when another needs its place: a
 * job whose tasks come further apart counts as two. Of tasks without a job each is one.
 *
 * cpu time is cores x run, memory time is bytes x run, both of all slots and of all tasks of a bundle. A
 * batch task has its processors as cores, and its memory per processor times these. Its duration is from its
 * recorded start (its submission, if no wait is known) to its recorded end. Source for the classes:
 * Schwarzkopf et al., "Omega", EuroSys 2013, figures 2 to 4. Cost: about 80 ns per task. */
#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/sketch.h"
#include "workload/writing.h"

#define DISTINCT ((size_t)1 << 20)
#define CLASSES 256 /* beyond these, all together */
#define OPEN_JOBS 16384u
#define MEASURE_EXACT 65536u
#define MEASURE_BITS 10u
#define CLASS_EXACT 4096u
#define CLASS_BITS 7u

typedef struct measure {
  hc_sketch sketch;
  uint64_t missing;
} measure;

typedef struct class_data {
  hc_class_totals totals;
  hc_sketch spread[HC_CLASS_MEASURE_COUNT];
  hc_time last_submit;
  uint64_t unended; /* jobs without a recorded duration */
} class_data;

/* A job of which more tasks may come. */
typedef struct open_job {
  int64_t job; /* -1: the place is free */
  hc_time start, end;
  uint64_t tasks;
  uint32_t class_id;
} open_job;

struct hc_survey {
  const hc_allocator *allocator;
  hc_survey_options o;
  int64_t *bands;
  hc_survey_totals totals;
  measure measures[HC_MEASURE_COUNT];
  hc_map distinct[5]; /* users, groups, queues, partitions, executables */
  class_data *classes;
  size_t class_count, class_cap;
  hc_map class_of; /* key -> index */
  size_t *order;   /* [class_count] by key, once ended */
  open_job *jobs;  /* [OPEN_JOBS] */
  hc_zone *zone;
};

/* What one unit of a measure is as a whole number. */
static const double measure_units[HC_MEASURE_COUNT] = {
    [HC_MEASURE_INTERARRIVAL] = 1e9, [HC_MEASURE_WAIT] = 1e9,     [HC_MEASURE_RUN] = 1e9,
    [HC_MEASURE_LIMIT] = 1e9,        [HC_MEASURE_PROCESSORS] = 1, [HC_MEASURE_MEMORY_ASKED] = 1,
    [HC_MEASURE_MEMORY_USED] = 1,    [HC_MEASURE_HOSTS] = 1,      [HC_MEASURE_CPU] = 1000,
    [HC_MEASURE_MEMORY] = 1,         [HC_MEASURE_DISK] = 1,       [HC_MEASURE_GPU] = 1000,
    [HC_MEASURE_BUNDLE] = 1,         [HC_MEASURE_PRIORITY] = 1};
static const double class_units[HC_CLASS_MEASURE_COUNT] = {
    [HC_CLASS_DURATION] = 1e9, [HC_CLASS_SIZE] = 1, [HC_CLASS_INTERARRIVAL] = 1e9};

/* ---- birth and death ---- */

hc_rc hc_survey_new(const hc_allocator *a, const hc_survey_options *o, hc_survey **out)
{
  hc_survey *s = hc_alloc(a, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->allocator = a;
  s->o = *o;
  s->bands = hc_alloc(a, (o->band_count + 1) * sizeof *s->bands);
  s->jobs = hc_alloc(a, OPEN_JOBS * sizeof *s->jobs);
  if (!s->bands || !s->jobs) {
    hc_survey_free(s);
    return HC_ENOMEM;
  }
  if (o->band_count > 0) memcpy(s->bands, o->bands, o->band_count * sizeof *s->bands);
  for (size_t i = 0; i < OPEN_JOBS; i++) s->jobs[i].job = -1;
  for (size_t i = 0; i < HC_MEASURE_COUNT; i++)
    hc_sketch_init(&s->measures[i].sketch, a, MEASURE_EXACT, MEASURE_BITS);
  for (size_t i = 0; i < HC_ARRAY_LEN(s->distinct); i++) hc_map_init(&s->distinct[i], a);
  hc_map_init(&s->class_of, a);
  if (o->info && o->info->zone) {
    const hc_rc rc = hc_zone_open(a, o->info->zone, &s->zone);
    if (rc < 0) {
      hc_survey_free(s);
      return rc;
    }
  }
  *out = s;
  return 0;
}

void hc_survey_free(hc_survey *s)
{
  const hc_allocator *a;
  if (!s) return;
  a = s->allocator;
  for (size_t i = 0; i < HC_MEASURE_COUNT; i++) hc_sketch_fini(&s->measures[i].sketch);
  for (size_t i = 0; s->class_of.allocator && i < HC_ARRAY_LEN(s->distinct); i++)
    hc_map_fini(&s->distinct[i]);
  for (size_t i = 0; i < s->class_count; i++)
    for (size_t m = 0; m < HC_CLASS_MEASURE_COUNT; m++) hc_sketch_fini(&s->classes[i].spread[m]);
  hc_free(a, s->classes, s->class_cap * sizeof *s->classes);
  if (s->class_of.allocator) hc_map_fini(&s->class_of);
  if (s->order) hc_free(a, s->order, s->class_count * sizeof *s->order);
  if (s->jobs) hc_free(a, s->jobs, OPEN_JOBS * sizeof *s->jobs);
  if (s->bands) hc_free(a, s->bands, (s->o.band_count + 1) * sizeof *s->bands);
  hc_zone_free(s->zone);
  hc_free(a, s, sizeof *s);
}

/* ---- one task ---- */

static hc_rc hear(hc_survey *s, hc_measure m, int64_t value, bool known)
{
  if (!known) {
    s->measures[m].missing++;
    return 0;
  }
  return hc_sketch_add(&s->measures[m].sketch, value, 1);
}

static hc_rc hear_time(hc_survey *s, hc_measure m, hc_time t)
{
  return hear(s, m, t, t >= 0 && t != HC_NEVER);
}

static hc_rc hear_measures(hc_survey *s, const hc_trace_task *task)
{
  const hc_task_spec *t = &task->spec;
  TRY(hear_time(s, HC_MEASURE_WAIT, t->wait));
  TRY(hear_time(s, HC_MEASURE_RUN, t->run));
  TRY(hear_time(s, HC_MEASURE_LIMIT, t->limit));
  TRY(hear(s, HC_MEASURE_PROCESSORS, task->units, task->units > 0));
  TRY(hear(s, HC_MEASURE_MEMORY_ASKED, t->memory_asked, t->memory_asked > 0));
  TRY(hear(s, HC_MEASURE_MEMORY_USED, t->memory_used, t->memory_used > 0));
  TRY(hear(s, HC_MEASURE_HOSTS, t->hosts, t->hosts > 0));
  TRY(hear(s, HC_MEASURE_CPU, t->need[HC_DIM_CPU], t->need[HC_DIM_CPU] >= 0));
  TRY(hear(s, HC_MEASURE_MEMORY, t->need[HC_DIM_MEMORY], t->need[HC_DIM_MEMORY] >= 0));
  TRY(hear(s, HC_MEASURE_DISK, t->need[HC_DIM_DISK], t->need[HC_DIM_DISK] >= 0));
  TRY(hear(s, HC_MEASURE_GPU, t->need[HC_DIM_GPU], t->need[HC_DIM_GPU] >= 0));
  TRY(hear(s, HC_MEASURE_BUNDLE, t->count, t->count > 1));
  return hear(s, HC_MEASURE_PRIORITY, t->priority, t->priority > 0);
}

static hc_rc note_distinct(hc_survey *s, const hc_task_spec *t)
{
  const int64_t keys[] = {t->user, t->group, t->queue, t->partition, t->executable};
  uint64_t *const counts[] = {&s->totals.users, &s->totals.groups, &s->totals.queues, &s->totals.partitions,
                              &s->totals.executables};
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) {
    hc_map *m = &s->distinct[i];
    if (keys[i] < 0 || hc_map_get(m, (uint64_t)keys[i]) != HC_MAP_NONE) continue;
    if (m->count >= DISTINCT) {
      s->totals.many = true;
      continue;
    }
    TRY(hc_map_set(m, (uint64_t)keys[i], 0));
    ++*counts[i];
  }
  return 0;
}

static unsigned hour_of(const hc_survey *s, hc_time submit)
{
  const int64_t start = s->o.info && s->o.info->unix_start != HC_UNKNOWN ? s->o.info->unix_start : 0;
  int64_t seconds = hc_floor_div(submit, HC_SECOND);
  if (__builtin_add_overflow(seconds, start, &seconds)) return 0;
  if (s->zone && start != 0) seconds += hc_zone_offset(s->zone, seconds);
  return (unsigned)(hc_floor_div(seconds, 3600) - hc_floor_div(seconds, 86400) * 24);
}

/* ---- classes ---- */

static int64_t key_of(const hc_survey *s, const hc_task_spec *t)
{
  int64_t band = 0;
  switch (s->o.by) {
    case HC_BY_BAND:
      while ((size_t)band < s->o.band_count && t->priority >= s->bands[band]) band++;
      return band;
    case HC_BY_PRIORITY: return t->priority;
    case HC_BY_USER: return t->user;
    case HC_BY_GROUP: return t->group;
    case HC_BY_QUEUE: return t->queue;
    case HC_BY_PARTITION: return t->partition;
    case HC_BY_EXECUTABLE: return t->executable;
    case HC_BY_STATUS: return t->status;
    case HC_BY_NOTHING: break;
  }
  return 0;
}

static hc_rc find_class(hc_survey *s, int64_t key, uint32_t *out)
{
  class_data *c;
  *out = hc_map_get(&s->class_of, (uint64_t)key);
  if (*out != HC_MAP_NONE) return 0;
  if (s->class_count >= CLASSES) {
    key = INT64_MAX;
    *out = hc_map_get(&s->class_of, (uint64_t)key);
    if (*out != HC_MAP_NONE) return 0;
  }
  TRY(hc_reserve(s->allocator, (void **)&s->classes, &s->class_cap, s->class_count + 1, sizeof *s->classes));
  TRY(hc_map_set(&s->class_of, (uint64_t)key, (uint32_t)s->class_count));
  c = &s->classes[s->class_count];
  *c = (class_data){.totals.key = key, .last_submit = HC_UNKNOWN};
  for (size_t m = 0; m < HC_CLASS_MEASURE_COUNT; m++)
    hc_sketch_init(&c->spread[m], s->allocator, CLASS_EXACT, CLASS_BITS);
  *out = (uint32_t)s->class_count++;
  return 0;
}

static hc_rc end_job(hc_survey *s, open_job *j)
{
  class_data *c = &s->classes[j->class_id];
  j->job = -1;
  TRY(hc_sketch_add(&c->spread[HC_CLASS_SIZE], (int64_t)HC_MIN(j->tasks, (uint64_t)INT64_MAX), 1));
  if (j->end == HC_UNKNOWN || j->start == HC_UNKNOWN) {
    c->unended++;
    return 0;
  }
  return hc_sketch_add(&c->spread[HC_CLASS_DURATION], j->end - j->start, 1);
}

static hc_rc begin_job(hc_survey *s, open_job *j, const hc_task_spec *t, uint32_t class_id)
{
  class_data *c = &s->classes[class_id];
  *j = (open_job){.job = t->job, .start = HC_UNKNOWN, .end = HC_UNKNOWN, .class_id = class_id};
  c->totals.jobs++;
  s->totals.all.jobs++;
  if (t->submit == HC_UNKNOWN) return 0;
  if (c->last_submit != HC_UNKNOWN)
    TRY(hc_sketch_add(&c->spread[HC_CLASS_INTERARRIVAL], t->submit - c->last_submit, 1));
  c->last_submit = t->submit;
  return 0;
}

static void join_job(open_job *j, const hc_task_spec *t)
{
  const hc_time start = hc_start_of(t), end = hc_end_of(t);
  j->tasks += t->count > 1 ? t->count : 1;
  if (end == HC_UNKNOWN || end == HC_NEVER) return;
  if (j->start == HC_UNKNOWN || start < j->start) j->start = start;
  if (j->end == HC_UNKNOWN || end > j->end) j->end = end;
}

static hc_rc note_job(hc_survey *s, const hc_task_spec *t, uint32_t class_id)
{
  open_job alone, *j;
  if (t->job < 0) {
    TRY(begin_job(s, &alone, t, class_id));
    join_job(&alone, t);
    return end_job(s, &alone);
  }
  j = &s->jobs[((uint64_t)t->job * UINT64_C(0x9e3779b97f4a7c15)) >> 50];
  if (j->job != t->job) {
    if (j->job >= 0) TRY(end_job(s, j));
    TRY(begin_job(s, j, t, class_id));
  }
  join_job(j, t);
  return 0;
}

/* Cores and bytes of all of a task's slots. */
static void add_demand(const hc_trace_task *task, double *cores, double *bytes)
{
  const hc_slots s = hc_slots_of(&task->spec);
  const double slots = (double)s.hosts * (double)s.count;
  *cores = s.need[HC_DIM_CPU] > 0 ? (double)s.need[HC_DIM_CPU] / 1000 * slots : 0;
  *bytes = s.need[HC_DIM_MEMORY] > 0 ? (double)s.need[HC_DIM_MEMORY] * slots : 0;
}

static hc_rc note_class(hc_survey *s, const hc_trace_task *task)
{
  const hc_task_spec *t = &task->spec;
  const double run = t->run > 0 && t->run != HC_NEVER ? (double)t->run / 1e9 : 0;
  const uint64_t tasks = t->count > 1 ? t->count : 1;
  double cores, bytes;
  uint32_t id;
  TRY(find_class(s, key_of(s, t), &id));
  add_demand(task, &cores, &bytes);
  hc_class_totals *const sums[] = {&s->classes[id].totals, &s->totals.all};
  for (size_t i = 0; i < HC_ARRAY_LEN(sums); i++) {
    sums[i]->tasks += tasks;
    sums[i]->cpu_time += cores * run;
    sums[i]->memory_time += bytes * run;
  }
  if (t->submit != HC_UNKNOWN) {
    const unsigned hour = hour_of(s, t->submit);
    s->totals.submitted[hour] += tasks;
    s->totals.work[hour] += cores * run;
  }
  return note_job(s, t, id);
}

hc_rc hc_survey_add(hc_survey *s, const hc_trace_task *task)
{
  const hc_task_spec *t = &task->spec;
  hc_survey_totals *sum = &s->totals;
  const hc_time end = hc_end_of(t) == HC_UNKNOWN ? hc_start_of(t) : hc_end_of(t);
  const bool is_first = sum->all.tasks == 0;
  if (is_first) sum->first_submit = t->submit;
  else if (t->submit != HC_UNKNOWN)
    TRY(hear(s, HC_MEASURE_INTERARRIVAL, t->submit - sum->last_submit, t->submit >= sum->last_submit));
  sum->last_submit = t->submit;
  if (is_first || end > sum->last_end) sum->last_end = end;
  if (task->units > 0 && task->run > 0 && task->run != HC_NEVER)
    sum->area += (double)task->run / 1e9 * (double)task->units;
  if (t->status >= HC_STATUS_UNKNOWN && t->status <= HC_STATUS_CANCELLED) sum->status[t->status + 1]++;
  sum->recorded[hc_spec_recorded(t)]++;
  TRY(hear_measures(s, task));
  TRY(note_distinct(s, t));
  return note_class(s, task);
}

/* ---- the end ---- */

hc_rc hc_survey_end(hc_survey *s)
{
  for (size_t i = 0; i < OPEN_JOBS; i++)
    if (s->jobs[i].job >= 0) TRY(end_job(s, &s->jobs[i]));
  if (s->order || s->class_count == 0) return 0;
  s->order = hc_alloc(s->allocator, s->class_count * sizeof *s->order);
  if (!s->order) return HC_ENOMEM;
  for (size_t i = 0; i < s->class_count; i++) { /* at most 257: by insertion */
    size_t at = i;
    for (; at > 0 && s->classes[s->order[at - 1]].totals.key > s->classes[i].totals.key; at--)
      s->order[at] = s->order[at - 1];
    s->order[at] = i;
  }
  return 0;
}

const hc_survey_totals *hc_survey_get(const hc_survey *s)
{
  return &s->totals;
}

static hc_spread spread_of(hc_sketch *k, uint64_t missing, double unit, const double *shares, size_t n,
                           double *out)
{
  const double none = (double)__builtin_nanf("");
  hc_spread p = {.known = k->n,
                 .missing = missing,
                 .mean = none,
                 .least = none,
                 .most = none,
                 .exact = hc_sketch_is_exact(k)};
  hc_sketch_quantiles(k, shares, n, out);
  for (size_t i = 0; i < n; i++) out[i] /= unit;
  if (k->n == 0) return p;
  p.mean = k->sum / (double)k->n / unit;
  p.least = (double)k->least / unit;
  p.most = (double)k->most / unit;
  return p;
}

hc_spread hc_survey_spread(hc_survey *s, hc_measure m, const double *shares, size_t n, double *out)
{
  return spread_of(&s->measures[m].sketch, s->measures[m].missing, measure_units[m], shares, n, out);
}

size_t hc_survey_classes(const hc_survey *s)
{
  return s->order ? s->class_count : 0;
}

const hc_class_totals *hc_survey_class(const hc_survey *s, size_t i)
{
  return &s->classes[s->order[i]].totals;
}

hc_spread hc_survey_class_spread(hc_survey *s, size_t i, hc_class_measure m, const double *shares, size_t n,
                                 double *out)
{
  class_data *c = &s->classes[s->order[i]];
  return spread_of(&c->spread[m], m == HC_CLASS_DURATION ? c->unended : 0, class_units[m], shares, n, out);
}
