/* native_task.c -- one task of the native format: a map, in our words or in those of DSLab-CS.
 *
 * A key has several spellings (DSLab's first): submit_time, time, submit; wall_time_limit, limit;
 * collection_id, job. What a task does not say its job says. Amounts are read by native_amounts.c, terms by
 * native_terms.c; here is what the keys mean, who a task is, when it comes, where it may lie, and how long it
 * runs.
 *
 * Within its job a task goes by its execution_index; without one by its id. That number is its id, since it
 * is what others wait for. Tasks with several hosts have them all different, unless `spread: false` says
 * otherwise. */
#include <string.h>

#include "base/util.h"
#include "workload/native.h"
#include "workload/spec.h"

enum {
  ID,
  INDEX,
  NAME,
  SUBMIT,
  NOT_BEFORE,
  RESOURCES,
  PROFILE,
  DELAY,
  PROCS,
  MEMORY_PER_PROC,
  CANCEL_AT,
  LIMIT,
  PRIORITY,
  JOB,
  COUNT,
  AFTER_ENDED,
  AFTER_COMPLETED,
  AFTER_FAILED,
  AFTER_STARTED,
  AFTER_ARRIVED,
  AFTER_JOB,
  USER,
  GROUP,
  QUEUE,
  PARTITION,
  ACCOUNT,
  QOS,
  CALLED,
  SET,
  CONSTRAINTS,
  HOSTS,
  SPREAD,
  SAME,
  DIFFER,
  RIVALS,
  USAGE,
  RECORDED,
  RESIZES,
  MALLEABLE,
  MOLDABLE,
  SHAPES,
  MAX_CORES,
  EXECUTORS,
  HOST_COUNT,
  AT_ONCE,
  RESERVATION,
  SWITCHES,
  LEAST_LIMIT,
  EXCLUSIVE,
  COMPONENT,
  REQUEUE,
  PREFERS,
  INPUTS,
  OUTPUTS,
  ADDITIONAL_IO,
  STORAGE_MAPPING,
  KEYS
};

static const hc_native_key keys[] = {{"id", ID},
                                     {"execution_index", INDEX},
                                     {"index", INDEX},
                                     {"name", NAME},
                                     {"submit_time", SUBMIT},
                                     {"time", SUBMIT},
                                     {"submit", SUBMIT},
                                     {"schedule_after", NOT_BEFORE},
                                     {"not_before", NOT_BEFORE},
                                     {"resources", RESOURCES},
                                     {"need", RESOURCES},
                                     {"profile", PROFILE},
                                     {"delay", DELAY},
                                     {"run", DELAY},
                                     {"procs", PROCS},
                                     {"memory_per_proc", MEMORY_PER_PROC},
                                     {"cancel_at", CANCEL_AT},
                                     {"wall_time_limit", LIMIT},
                                     {"limit", LIMIT},
                                     {"priority", PRIORITY},
                                     {"collection_id", JOB},
                                     {"job", JOB},
                                     {"count", COUNT},
                                     {"start_after", AFTER_ENDED},
                                     {"after_any", AFTER_ENDED},
                                     {"after_ok", AFTER_COMPLETED},
                                     {"after_not_ok", AFTER_FAILED},
                                     {"after_start", AFTER_STARTED},
                                     {"after_arrival", AFTER_ARRIVED},
                                     {"after_job", AFTER_JOB},
                                     {"start_after_collection_ids", AFTER_JOB},
                                     {"user", USER},
                                     {"group", GROUP},
                                     {"queue", QUEUE},
                                     {"partition", PARTITION},
                                     {"account", ACCOUNT},
                                     {"qos", QOS},
                                     {"called", CALLED},
                                     {"set", SET},
                                     {"constraints", CONSTRAINTS},
                                     {"hosts", HOSTS},
                                     {"spread", SPREAD},
                                     {"same", SAME},
                                     {"differ", DIFFER},
                                     {"rivals", RIVALS},
                                     {"usage", USAGE},
                                     {"recorded", RECORDED},
                                     {"resizes", RESIZES},
                                     {"malleable", MALLEABLE},
                                     {"moldable", MOLDABLE},
                                     {"shapes", SHAPES},
                                     {"max_cores", MAX_CORES},
                                     {"executors", EXECUTORS},
                                     {"host_count", HOST_COUNT},
                                     {"at_once", AT_ONCE},
                                     {"reservation", RESERVATION},
                                     {"switches", SWITCHES},
                                     {"least_limit", LEAST_LIMIT},
                                     {"exclusive", EXCLUSIVE},
                                     {"component", COMPONENT},
                                     {"requeue", REQUEUE},
                                     {"prefers", PREFERS},
                                     {"inputs", INPUTS},
                                     {"outputs", OUTPUTS},
                                     {"additional_io", ADDITIONAL_IO},
                                     {"storage_mapping", STORAGE_MAPPING},
                                     {NULL, 0}};

/* ---- processors ---- */

/* Processors are what its resources come to, unless they are said. */
static hc_rc read_processors(hc_native *n, const hc_value *const *at, const hc_native_sums *s,
                             hc_task_spec *t, hc_error *e)
{
  hc_native_set_processors(t, s);
  if (at[PROCS] && !at[RESOURCES]) t->memory_asked = HC_UNKNOWN;
  if (hc_native_is_unknown(at[PROCS])) t->procs_asked = HC_UNKNOWN;
  else if (at[PROCS]) TRY(hc_native_whole(at[PROCS], "procs", 0, HC_NATIVE_AMOUNT, &t->procs_asked, e));
  if (hc_native_is_unknown(at[MEMORY_PER_PROC])) t->memory_asked = HC_UNKNOWN;
  else if (at[MEMORY_PER_PROC])
    TRY(hc_native_amount(n, at[MEMORY_PER_PROC], n->units.memory, true, &t->memory_asked, e));
  return 0;
}

/* ---- who and when ---- */

static hc_rc read_who(hc_native *n, const hc_value *const *at, hc_task_spec *t, hc_error *e)
{
  if (at[JOB]) TRY(hc_native_name(at[JOB], "collection_id", &t->job, e));
  if (at[ID]) TRY(hc_native_name(at[ID], "id", &t->id, e));
  if (at[INDEX] && at[JOB]) TRY(hc_native_name(at[INDEX], "execution_index", &t->id, e));
  if (at[NAME]) TRY(hc_native_name(at[NAME], "name", &t->executable, e));
  const hc_native_job *j = t->job >= 0 ? hc_native_job_of(n, t->job) : NULL;
  if (j) {
    t->submit = j->submit;
    t->user = j->user;
    t->group = j->group;
    t->queue = j->queue;
    t->priority = j->priority;
  }
  if (at[USER]) TRY(hc_native_called(n, HC_NATIVE_USERS, at[USER], "user", &t->user, e));
  if (at[GROUP]) TRY(hc_native_called(n, HC_NATIVE_GROUPS, at[GROUP], "group", &t->group, e));
  if (at[QUEUE]) TRY(hc_native_called(n, HC_NATIVE_QUEUES, at[QUEUE], "queue", &t->queue, e));
  if (at[PARTITION])
    TRY(hc_native_called(n, HC_NATIVE_PARTITIONS, at[PARTITION], "partition", &t->partition, e));
  if (at[ACCOUNT]) TRY(hc_native_called(n, HC_NATIVE_ACCOUNTS, at[ACCOUNT], "account", &t->account, e));
  if (at[QOS]) TRY(hc_native_called(n, HC_NATIVE_QOSES, at[QOS], "qos", &t->qos, e));
  if (at[PRIORITY])
    TRY(hc_native_whole(at[PRIORITY], "priority", -HC_NATIVE_PRIORITY, HC_NATIVE_PRIORITY, &t->priority, e));
  return 0;
}

static hc_rc read_when(hc_native *n, const hc_value *const *at, hc_task_spec *t, hc_error *e)
{
  int64_t count = 0;
  if (at[SUBMIT]) TRY(hc_native_time(at[SUBMIT], "submit_time", n->units.time, &t->submit, e));
  if (at[NOT_BEFORE]) TRY(hc_native_time(at[NOT_BEFORE], "schedule_after", n->units.time, &t->not_before, e));
  if (at[LIMIT]) TRY(hc_native_time(at[LIMIT], "wall_time_limit", n->units.time, &t->limit, e));
  if (at[CANCEL_AT]) TRY(hc_native_time(at[CANCEL_AT], "cancel_at", n->units.time, &t->cancel_at, e));
  if (at[COUNT]) TRY(hc_native_whole(at[COUNT], "count", 1, HC_NATIVE_TASKS, &count, e));
  t->count = (uint32_t)count;
  return 0;
}

/* What it does is kept. `run` is what that takes alone, if it is known. */
static hc_rc keep_profile(hc_native *n, const hc_value *const *at, const hc_native_sums *s, hc_task_spec *t,
                          hc_task_extras *m, hc_error *e)
{
  const hc_value *v = at[PROFILE], *more = at[ADDITIONAL_IO], *mapping = at[STORAGE_MAPPING];
  hc_native_length alone;
  const char *what;
  const hc_rc rc = more || mapping ? hc_native_script_with(&n->scripts, &n->profiles, v, more, mapping,
                                                           &m->profile, &m->profile_size, &alone, e)
                                   : hc_native_script_of(&n->scripts, &n->profiles, v, &m->profile,
                                                         &m->profile_size, &alone, e);
  if (rc < 0) n->is_fatal = true; /* most likely a word of the file that is wrong for many */
  if (rc < 0) return rc;
  t->flags |= HC_SPEC_PROFILE;
  if (hc_native_run(&alone, &n->units, s->hosts, s->least, s->uneven, &t->run, &what) != 1)
    t->run = HC_UNKNOWN;
  return 1;
}

/* @return 1; 0: its length depends on a platform; or an error. */
static hc_rc read_run(hc_native *n, const hc_value *item, const hc_value *const *at, const hc_native_sums *s,
                      hc_task_spec *t, hc_task_extras *m, hc_error *e)
{
  const char *what = NULL;
  hc_native_length l;
  if (at[PROFILE] && at[DELAY])
    return hc_value_fail_key(at[DELAY], e, HC_EINPUT, "a task has a `profile` or a `delay`, not both");
  if (at[SHAPES] && !at[DELAY] && !at[PROFILE] && t->run != HC_UNKNOWN) return 1; /* one of them says it */
  if (!at[PROFILE] && !at[DELAY])
    return hc_value_fail(item, e, HC_EINPUT,
                         "this task has no `profile`, which says what it does, and no `delay`");
  if (!at[PROFILE] && (at[ADDITIONAL_IO] || at[STORAGE_MAPPING]))
    return hc_value_fail_key(at[ADDITIONAL_IO] ? at[ADDITIONAL_IO] : at[STORAGE_MAPPING], e, HC_EINPUT,
                             "it goes with a `profile`, and this task has a `delay`: say {delay: ...} as its "
                             "profile");
  if (hc_native_is_unknown(at[DELAY])) return 1; /* it never ran, or how long is not known */
  if (at[DELAY]) {
    TRY(hc_native_time(at[DELAY], "delay", n->units.time, &t->run, e));
    return 1;
  }
  if (n->scripts.book) return keep_profile(n, at, s, t, m, e);
  if (at[ADDITIONAL_IO]) {
    n->why = HC_REASON_PROFILE;
    return 0;
  }
  TRY(hc_native_length_of(&n->profiles, at[PROFILE], &l, e));
  const hc_rc rc = hc_native_run(&l, &n->units, s->hosts, s->least, s->uneven, &t->run, &what);
  if (rc < 0) return hc_value_fail(at[PROFILE], e, rc, "%s", what);
  n->why = HC_REASON_PROFILE;
  return rc;
}

/* ---- rare facts ---- */

hc_rc hc_native_lexicon_name(hc_native *n, const hc_value *v, const char *what, uint32_t *out, hc_error *e)
{
  hc_field f;
  if (!hc_native_scalar(v, &f) || f.length == 0) return hc_value_fail(v, e, HC_EINPUT, "%s is a name", what);
  *out = hc_lexicon_name(n->context->lexicon, f.text, f.length);
  return *out == HC_NO_NAME ? HC_ENOMEM : 0;
}

/* A name, or a list of names, into `*out` [*count]. */
static hc_rc read_hosts(hc_native *n, const hc_value *v, const char *what, uint32_t **out, size_t *cap,
                        size_t *count, hc_error *e)
{
  const bool list = v->kind == HC_VALUE_LIST;
  *count = list ? v->count : 1;
  TRY(hc_reserve(n->context->allocator, (void **)out, cap, *count, sizeof **out));
  for (size_t i = 0; i < *count; i++)
    TRY(hc_native_lexicon_name(n, list ? v->items[i] : v, what, &(*out)[i], e));
  return 0;
}

/* {of: name, per_host: 1, per_zone: 2, level: rack} */
static hc_rc read_rivals(hc_native *n, const hc_value *v, const hc_task_spec *t, hc_task_extras *m,
                         hc_error *e)
{
  enum { OF, PER_HOST, PER_ZONE, LEVEL, R };
  static const hc_native_key known[] = {
      {"of", OF}, {"per_host", PER_HOST}, {"per_zone", PER_ZONE}, {"level", LEVEL}, {NULL, 0}};
  const hc_value *at[R];
  int64_t per_host = 0, per_zone = 0;
  if (v->kind != HC_VALUE_MAP)
    return hc_value_fail(v, e, HC_EINPUT,
                         "rivals are a map: {of: web, per_host: 1, per_zone: 2, level: rack}");
  TRY(hc_native_members(v, known, at, R, NULL, NULL, &n->is_fatal, e));
  m->rival = t->job;
  if (at[OF]) TRY(hc_native_name(at[OF], "the job whose tasks are rivals", &m->rival, e));
  if (at[PER_HOST]) TRY(hc_native_whole(at[PER_HOST], "per_host", 1, HC_NATIVE_TASKS, &per_host, e));
  if (at[PER_ZONE]) TRY(hc_native_whole(at[PER_ZONE], "per_zone", 1, HC_NATIVE_TASKS, &per_zone, e));
  if (at[LEVEL]) TRY(hc_native_lexicon_name(n, at[LEVEL], "a level of zones", &m->zone_level, e));
  if (m->rival < 0 || (per_host == 0 && per_zone == 0) || (per_zone > 0) != (at[LEVEL] != NULL))
    return hc_value_fail(
        v, e, HC_EINPUT,
        "rivals need `of` (or a collection_id), `per_host` or `per_zone`, and with the latter `level`");
  m->per_host = (uint32_t)per_host;
  m->per_zone = (uint32_t)per_zone;
  return 0;
}

static hc_rc read_after(hc_native *n, const hc_value *const *at, const hc_task_spec *t, hc_task_extras *m,
                        hc_error *e)
{
  static const struct {
    int key;
    hc_after_how how;
  } kinds[] = {{AFTER_ENDED, HC_AFTER_ENDED},
               {AFTER_COMPLETED, HC_AFTER_COMPLETED},
               {AFTER_FAILED, HC_AFTER_FAILED},
               {AFTER_STARTED, HC_AFTER_STARTED},
               {AFTER_ARRIVED, HC_AFTER_ARRIVED}};
  const hc_native_job *j = t->job >= 0 ? hc_native_job_of(n, t->job) : NULL;
  const hc_value *jobs = at[AFTER_JOB];
  const size_t listed = jobs && jobs->kind == HC_VALUE_LIST ? jobs->count : jobs != NULL;
  size_t *count = &m->after_count;
  for (size_t i = 0; i < HC_ARRAY_LEN(kinds); i++)
    if (at[kinds[i].key]) TRY(hc_native_read_after(n, at[kinds[i].key], kinds[i].how, t, count, e));
  const size_t all = listed + (j ? j->after_count : 0);
  for (size_t i = 0; i < all; i++) {
    hc_after a = {.task = HC_UNKNOWN, .how = HC_AFTER_ENDED};
    const hc_value *v = i < listed && jobs->kind == HC_VALUE_LIST ? jobs->items[i] : jobs;
    if (i < listed) TRY(hc_native_name(v, "a job that it waits for", &a.job, e));
    else a.job = n->after[j->first_after + i - listed];
    if (a.job == t->job) n->why = HC_REASON_CYCLE;
    else if (i < listed && n->refers != HC_REFERS_ANY)
      return hc_value_fail(v, e, HC_EINPUT,
                           "this task waits for another job, which `refers` rules out: set it to any");
    TRY(hc_reserve(n->context->allocator, (void **)&n->afters, &n->afters_cap, *count + 1,
                   sizeof *n->afters));
    n->afters[(*count)++] = a;
  }
  m->after = n->afters;
  return 0;
}

static hc_rc read_at_once(const hc_value *v, const hc_task_spec *t, hc_task_extras *m, hc_error *e)
{
  int64_t most;
  if (t->job < 0)
    return hc_value_fail(v, e, HC_EINPUT, "at_once bounds the tasks of a job: this one has no collection_id");
  TRY(hc_native_whole(v, "at_once", 1, HC_NATIVE_TASKS, &most, e));
  m->at_once = (uint32_t)most;
  return 0;
}

/* host_count: 4, or [2, 4] */
static hc_rc read_host_count(const hc_value *v, hc_task_extras *m, hc_error *e)
{
  const bool two = v->kind == HC_VALUE_LIST && v->count == 2;
  int64_t least, most;
  if (v->kind == HC_VALUE_LIST && !two)
    return hc_value_fail(v, e, HC_EINPUT, "host_count is a number of hosts, or [least, most]");
  TRY(hc_native_whole(two ? v->items[0] : v, "host_count", 1, HC_NATIVE_TASKS, &least, e));
  TRY(hc_native_whole(two ? v->items[1] : v, "host_count", least, HC_NATIVE_TASKS, &most, e));
  m->least_hosts = (uint32_t)least;
  m->most_hosts = (uint32_t)most;
  return 0;
}

/* A set, or a list of sets of which any will do. */
static hc_rc read_sets(hc_native *n, const hc_value *v, const char *what, uint32_t *first, hc_task_extras *m,
                       hc_error *e)
{
  size_t count;
  if (v->kind != HC_VALUE_LIST) return hc_native_lexicon_name(n, v, what, first, e);
  if (v->count == 0 || v->count > HC_TASK_SETS)
    return hc_value_fail(v, e, HC_EINPUT, "%s is a name, or a list of 1 to %d names", what, HC_TASK_SETS);
  TRY(read_hosts(n, v, what, &n->sets, &n->sets_cap, &count, e));
  *first = n->sets[0];
  m->sets = n->sets + 1;
  m->set_count = count - 1;
  return 0;
}

static hc_rc read_place(hc_native *n, const hc_value *const *at, const hc_task_spec *t, hc_task_extras *m,
                        hc_error *e)
{
  const hc_value *called = at[PARTITION]; /* {3: batch} is number 3 and the set batch, {3: null} no set */
  uint32_t partition = HC_NO_NAME;
  if (called && called->kind == HC_VALUE_MAP) called = called->items[0];
  if (called && called->kind == HC_VALUE_NULL) called = NULL;
  if (called) TRY(read_sets(n, called, "partition", &partition, m, e));
  const size_t further = m->set_count;
  if (at[SET]) TRY(read_sets(n, at[SET], "set", &m->set, m, e));
  if (at[SET] && called && (partition != m->set || further + m->set_count > 0))
    return hc_value_fail(at[SET], e, HC_EINPUT, "a task has one `partition` or one `set`, not both");
  if (called) m->set = partition;
  if (at[SAME]) TRY(hc_native_lexicon_name(n, at[SAME], "same", &m->same, e));
  if (at[DIFFER]) TRY(hc_native_lexicon_name(n, at[DIFFER], "differ", &m->differ, e));
  if (at[HOSTS]) TRY(read_hosts(n, at[HOSTS], "a host", &n->hosts, &n->hosts_cap, &m->host_count, e));
  m->hosts = n->hosts;
  if (at[PREFERS])
    TRY(read_hosts(n, at[PREFERS], "a host or a zone", &n->prefers, &n->prefers_cap, &m->prefer_count, e));
  m->prefers = n->prefers;
  if (at[RIVALS]) TRY(read_rivals(n, at[RIVALS], t, m, e));
  if (at[HOST_COUNT]) TRY(read_host_count(at[HOST_COUNT], m, e));
  if (at[AT_ONCE]) TRY(read_at_once(at[AT_ONCE], t, m, e));
  TRY(hc_native_read_terms(n,
                           &(hc_native_terms){.reservation = at[RESERVATION],
                                              .switches = at[SWITCHES],
                                              .least_limit = at[LEAST_LIMIT],
                                              .exclusive = at[EXCLUSIVE],
                                              .component = at[COMPONENT],
                                              .requeue = at[REQUEUE]},
                           t, m, e));
  if (at[CONSTRAINTS]) TRY(hc_native_read_constraints(n, at[CONSTRAINTS], &m->constraint_count, e));
  m->constraints = n->constraints;
  return 0;
}

static bool is_nothing(const hc_task_extras *m)
{
  return m->after_count + m->constraint_count + m->host_count + m->chunk_count + m->per_host + m->per_zone +
                 m->use_count + m->resize_count + m->further_count + m->of + m->prefer_count +
                 m->profile_size + m->input_count + m->output_count ==
             0 &&
         !hc_task_has_terms(m) && m->again == HC_AGAIN_UNSAID && m->most_cpu == 0 && m->executor_count == 0 &&
         m->least_hosts == 0 && m->at_once == 0 && m->set == HC_NO_NAME && m->same == HC_NO_NAME &&
         m->differ == HC_NO_NAME;
}

static hc_rc read_spread(const hc_value *v, const hc_native_sums *s, hc_task_spec *t, hc_error *e)
{
  bool spread = s->hosts > 1;
  hc_field f;
  if (v && (!hc_native_scalar(v, &f) || hc_parse_bool(f.text, f.length, &spread) < 0))
    return hc_value_fail(v, e, HC_EINPUT, "spread is true or false");
  if (spread) t->flags |= HC_SPEC_SPREAD;
  return 0;
}

/* ---- the task ---- */

static hc_rc pass_over(void *ctx, const hc_value *v, hc_error *e)
{
  HC_UNUSED(ctx);
  HC_UNUSED(v);
  HC_UNUSED(e);
  return 0;
}

hc_rc hc_native_task(hc_native *n, const hc_value *item, hc_task_spec *t, hc_error *e)
{
  const hc_value *at[KEYS];
  hc_task_extras more = hc_task_extras_none();
  hc_native_sums s = {0};
  n->is_fatal = false;
  n->why = HC_REASON_COUNT;
  if (item->kind != HC_VALUE_MAP)
    return hc_value_fail(item, e, HC_EINPUT,
                         "a task is a map: {submit_time: 0, resources: {...}, profile: ...}");
  TRY(hc_native_members(item, keys, at, KEYS, n->ignore_unknown ? pass_over : NULL, NULL, &n->is_fatal, e));
  TRY(read_who(n, at, t, e));
  TRY(read_when(n, at, t, e));
  TRY(hc_native_read_resources(n, at[RESOURCES], at[PROCS], t, &more, &s, e));
  TRY(read_processors(n, at, &s, t, e));
  TRY(read_spread(at[SPREAD], &s, t, e));
  TRY(read_after(n, at, t, &more, e));
  TRY(read_place(n, at, t, &more, e));
  TRY(hc_native_read_usage(n, at[USAGE], &more, e));
  if (at[RECORDED]) TRY(hc_native_read_recorded(n, at[RECORDED], t, e));
  TRY(hc_native_read_resizes(n, at[RESIZES], &more, e));
  TRY(hc_native_read_sizes(n,
                           &(hc_native_sizes){.malleable = at[MALLEABLE],
                                              .moldable = at[MOLDABLE],
                                              .shapes = at[SHAPES],
                                              .profile = at[PROFILE],
                                              .delay = hc_native_is_unknown(at[DELAY]) ? NULL : at[DELAY],
                                              .executors = at[EXECUTORS],
                                              .is_sized = at[RESOURCES] || at[PROCS]},
                           t, &more, e));
  TRY(hc_native_read_cores(n, at[MAX_CORES], t, &more, e));
  TRY(hc_native_read_executors(n, at[EXECUTORS], t, &more, e));
  TRY(hc_native_read_data(n, at[INPUTS], at[OUTPUTS], t, &more, e));
  if (n->why == HC_REASON_CYCLE) return 0;
  const hc_rc rc = read_run(n, item, at, &s, t, &more, e);
  if (rc != 1) return rc;
  TRY(hc_native_read_called(n, at[CALLED], t, e));
  if (hc_native_label(n, at[INDEX] && at[JOB] ? at[INDEX] : at[ID], at[JOB], t) < 0) {
    hc_spec_drop_labels(n->context->lexicon, t);
    return HC_ENOMEM;
  }
  if (is_nothing(&more)) return 1;
  t->more = hc_lexicon_keep(n->context->lexicon, &more);
  if (t->more == 0) hc_spec_drop_labels(n->context->lexicon, t);
  return t->more == 0 ? HC_ENOMEM : 1;
}
