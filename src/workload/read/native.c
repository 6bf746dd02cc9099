/* native.c -- reads the native format: a list of tasks in YAML or JSON, with a file of profiles and one of
 * jobs.
 *
 * It is the format of DSLab-CS, whose keys are all known, with what that lacks: earliest starts,
 * dependencies, bundles, any dimension, constraints, named hosts, partitions, and what a log recorded. Every
 * task of every other format can be said in it. The list is read item by item (workload/items.c), so that
 * memory does not grow with it; profiles and jobs are held. What a key means is in workload/native_task.c,
 * what a profile comes to in native_profiles.c, constraints and dependencies in native_rules.c.
 *
 * `submit_time` is when a task becomes known, `schedule_after` the earliest time at which it may start;
 * whether a policy sees it in between is the policy's matter (HC_PLANS_AHEAD). Run times come from profiles;
 * one that communicates or touches a disk has none without a model of these, and its row is rejected
 * (`profile`). A key that is not known is an error of the file, since it is most likely a mistyped one;
 * everything else that is wrong with an item rejects its row.
 *
 * Tasks may stand in any order that the window of sorting covers. Source: DSLab-CS,
 * https://github.com/nogokama/dslab-cluster-simulator, and the thesis that describes it, sections 4.3 and
 * 4.5. Cost: some 25 us a task. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/native.h"
#include "workload/reading.h"

#define DSLAB_SPEED 1000.0 /* the default of cpu_speed */

typedef enum unknown_keys { UNKNOWN_REFUSE, UNKNOWN_IGNORE } unknown_keys;
typedef enum refers { REFERS_ANY, REFERS_JOB, REFERS_NONE } refers;

typedef struct options {
  const char *file, *profiles, *collections, *origin;
  int unknown_keys, refers;
  hc_time time_unit;
  int64_t memory_unit;
  double cpu_speed;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_items items;
  hc_native native;
  hc_task_spec task;
  hc_trace_info info;
  struct {
    uint64_t count, at_end; /* items read so far */
    hc_told_flaws flaws;
  } s;
};

/* ---- rows ---- */

/* Something is wrong with the item: with its row, or with the file. @return 0, or an error. */
static hc_rc refuse(hc_source *s, hc_rc rc, const hc_error *mine, bool is_fatal, hc_error *e)
{
  if (is_fatal || (rc != HC_EINPUT && rc != HC_ELIMIT)) {
    if (mine->rc == 0) return rc;
    return hc_fail(e, rc, mine->where, mine->line, mine->column, "%s", mine->text);
  }
  return hc_flaws_reject(&s->s.flaws, s->context, s->items.name, mine->line > 0 ? mine->line : s->items.line,
                         mine->column, e, "%s", mine->text);
}

/* Make the item at hand a task. @return 1, 0 if its row was rejected, or an error. */
static hc_rc take_item(hc_source *s, hc_error *e)
{
  hc_error mine = {0};
  hc_value *v;
  s->native.is_fatal = false;
  hc_rc rc = hc_items_parse(&s->items, &v, &mine);
  if (rc < 0) return refuse(s, rc, &mine, false, e);
  s->task = hc_task_spec_none();
  s->task.id = (int64_t)s->s.count;
  s->task.line = s->items.line;
  rc = hc_native_task(&s->native, v, &s->task, &mine);
  hc_items_place(&s->items, &mine.line, &mine.column);
  if (rc < 0) return refuse(s, rc, &mine, s->native.is_fatal || rc == HC_ELIMIT, e);
  s->s.flaws.at.rows++;
  if (rc == 1) return 1;
  return hc_row_reject(s->context, s->items.name, s->items.line, 0, s->native.why, NULL, e);
}

static hc_rc native_next(hc_source *s, hc_job *job, hc_error *e)
{
  while (!s->s.at_end) {
    hc_rc rc = hc_items_next(&s->items, e);
    if (rc < 0) return rc;
    if (rc == 0) {
      s->s.at_end = 1;
      return hc_flaws_end(&s->s.flaws, s->items.name, "a task", "`hindcast describe native` has the format",
                          e);
    }
    s->s.count++;
    if (s->context->ledger) s->context->ledger->read++;
    rc = take_item(s, e);
    if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- the reader ---- */

static void native_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_items_close(&s->items);
  hc_native_fini(&s->native);
  hc_free(a, s, sizeof *s);
}

/* What a run that carries profiles out says in another place. */
static hc_rc check_kept(const hc_source_context *c, const options *o, hc_error *e)
{
  if (!c->profiles) return 0;
  if (o->time_unit != HC_SECOND)
    return hc_fail(
        e, HC_EUNSUPPORTED, "source native", 0, 0,
        "times of profiles that are carried out (execution) are in seconds: write times with their "
        "units, and leave out `time_unit`");
  if (o->cpu_speed == DSLAB_SPEED || o->cpu_speed == c->profiles->speed) return 0;
  return hc_fail(
      e, HC_EUNSUPPORTED, "source native", 0, 0,
      "`cpu_speed` is %g here and %g under `execution`, which carries profiles out: say it there alone",
      o->cpu_speed, c->profiles->speed);
}

/* Profiles and jobs, before the first task. */
static hc_rc read_files(hc_source *s, hc_error *e)
{
  const options *o = s->o;
  hc_time origin = HC_UNKNOWN;
  TRY(hc_origin_read("source native", o->origin, NULL, &origin, e));
  s->info.unix_start = hc_origin_seconds(origin);
  if (o->profiles && o->profiles[0]) {
    hc_native *n = &s->native;
    TRY(n->scripts.book ? hc_native_scripts_read(&n->scripts, &n->profiles, o->profiles, e)
                        : hc_native_profiles_read(&n->profiles, o->profiles, e));
  }
  if (o->collections && o->collections[0]) TRY(hc_native_jobs_read(&s->native, o->collections, e));
  return hc_items_open(&s->items, s->context->allocator, o->file, e);
}

static hc_rc native_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  static const hc_refers kinds[] = {HC_REFERS_ANY, HC_REFERS_JOB, HC_REFERS_NONE};
  const options *o = given;
  hc_source *s;
  TRY(check_kept(c, o, e));
  TRY(hc_reading_begin(c, "source native", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info.jobs = s->info.records = HC_UNKNOWN;
  s->info.derived =
      "Run times are what profiles come to: a computation takes its work / (cpu_speed x cores).";
  hc_native_init(&s->native, c);
  s->native.units = (hc_native_units){.time = o->time_unit,
                                      .memory = o->memory_unit,
                                      .speed = c->profiles ? c->profiles->speed : o->cpu_speed};
  s->native.refers = kinds[o->refers];
  s->native.ignore_unknown = o->unknown_keys == UNKNOWN_IGNORE;
  const hc_rc rc = read_files(s, e);
  if (rc < 0) native_close(s);
  else *out = s;
  return rc;
}

static const hc_trace_info *native_info(hc_source *s)
{
  return &s->info;
}

static hc_rc native_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  TRY(hc_native_visit(&s->native, v));
  return hc_items_visit(&s->items, v, e);
}

static void native_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->items.in, done, total);
}

static hc_refers native_refers(const hc_source *s)
{
  return s->native.refers;
}

/* A list, with keys that no other format has. */
static int native_recognise(const char *name, const char *head, size_t size)
{
  const bool has_time = hc_head_holds(head, size, "submit_time") || hc_head_holds(head, size, "\"time\"");
  size_t i = hc_head_begin(head, size);
  HC_UNUSED(name);
  while (i < size && (head[i] == '#' || (size - i >= 3 && memcmp(head + i, "---", 3) == 0))) {
    const char *end = memchr(head + i, '\n', size - i); /* past comments and marks */
    if (!end) return 0;
    i = (size_t)(end - head);
    i += hc_head_begin(end, size - i);
  }
  if (i == size || (head[i] != '-' && head[i] != '[' && head[i] != '{') || !has_time) return 0;
  if (hc_head_holds(head, size, "nodes_count") || hc_head_holds(head, size, "cpu_per_node")) return 95;
  return hc_head_holds(head, size, "resources") && hc_head_holds(head, size, "profile") ? 92 : 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "Path of the list of tasks, YAML or JSON, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(FILE, options, profiles, NULL,
             "Path of the file that maps names to profiles, YAML or JSON. Default: tasks describe their "
             "own."),
    HC_PARAM(FILE, options, collections, NULL,
             "Path of the list of jobs: id, time, user, group, queue, priority, start_after_collection_ids. "
             "Default: a job is only a number."),
    HC_PARAM(
        REAL, options, cpu_speed, "work/time_unit", "1000", 1e-9, 1e18,
        "compute_work that a core of a host of speed 1 does in one unit of time. DSLab's default is 1000."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6,
             "Unit of a time that is a number. Times may also have units (1h30m)."),
    HC_PARAM(SIZE, options, memory_unit, "B", "1", 1, 1125899906842624.0,
             "Bytes of one unit of memory or disk, for amounts that are numbers: 1GiB. DSLab has no unit; "
             "hosts and tasks must be in the same one. Amounts may also have units (4GiB)."),
    HC_PARAM(CHOICE, options, refers, "any|job|none", "any",
             "Which tasks a task may wait for; a row that waits for others is malformed. any: tasks of any "
             "job, so that finished tasks are remembered to the end of the run. job: tasks of its own job. "
             "none: no task."),
    HC_PARAM(CHOICE, options, unknown_keys, "refuse|ignore", "refuse",
             "What becomes of an unknown key of a task or job. refuse: it is an error, since it is most "
             "likely mistyped. ignore: it is ignored."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Date (UTC) or Unix time of time 0, for tables by day. Default: none."),
    {0}};

#define STATES \
  "completed, failed, cancelled, partial, partial_last, partial_failed, timeout, out_of_memory, node_fail, " \
  "boot_fail, launch_failed, deadline, interrupted, preempted, evicted, revoked, requeued, resizing, lost "

const hc_reader_type hc_reader_native = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "native",
         .summary = "a list of tasks in YAML or JSON, with profiles and jobs; reads DSLab-CS's workloads",
         .detail =
             "Keys of a task: id, name, submit_time (or time), schedule_after (an earliest start, which "
             "policies that plan ahead see), resources {nodes_count, cpu_per_node, memory_per_node, disk, "
             "gpu, any other dimension} or a list of such groups, profile (a name, {type, args}) or delay, "
             "wall_time_limit, priority, collection_id, execution_index, count, user, group, queue, "
             "partition or set, account, qos, constraints (\"ssd\", \"!ssd\", \"kernel>=5\", "
             "\"gpu_model=V100|A100\"), hosts, prefers (hosts or zones where its data are), spread, same, "
             "differ, rivals. For the policy slurm: host_count, at_once, reservation, switches, least_limit, "
             "exclusive and component (docs/slurm.md). Predecessors: start_after, after_ok, after_not_ok, "
             "after_start, after_arrival (indices in its job, or {job, task}), after_job. usage: what each "
             "of its hosts really uses, step by step, for the metric usage: [{until: 5m, cpu: 0.5, memory: "
             "1GiB}, ...], with times since its start. resizes: what each of its hosts holds from a time "
             "after its start on (in-place vertical resizing): [{after: 10m, resources: {cpu: 2, memory: "
             "8GiB}}, ...]; amounts that a step leaves out stay as before, GPUs never change, and the run's "
             "option cannot_grow says what happens where there is no room. malleable {min, max, preferred, "
             "when: start|running|itself, speedup or speeds}: its sizes, in hosts, or in processors for a "
             "task that names no hosts, with a law of speed-up, or with a list of speeds from min to max, "
             "each as a multiple of that of one slot; moldable: the same for its size at the start. shapes: "
             "the sizes with which it may start: [{slots: 4, time: 1h, limit: 2h, estimate: 90m, preferred: "
             "true}, ...], or {slots, speedup}. With `execution`: max_cores, the most cores that it has on "
             "each host, chosen when it starts and at least cpu_per_node; executors, its number of "
             "processes, or {count, placement: spread|fill}, or a list with the host of each. additional_io: "
             "a profile that it carries out beside its own, or {profile: ..., coupled: true} for both at one "
             "rate. storage_mapping: what names of storage in its profile mean: {pfs: storage_1, /data: "
             "/scratch}. inputs and outputs: data items that it reads and makes: names, {name: a, size: "
             "600MB}, or {a: 600MB, b: 1GB}; it waits for the tasks of its job that make what it reads, and "
             "an item that no task makes needs its size where it is read. A task of a batch log has procs "
             "and memory_per_proc in place of resources (with both, these replace the values that follow "
             "from resources; `unknown` is a value of both, of nodes_count and of delay). cancel_at: when it "
             "leaves the queue if it has not started. A user, queue or partition may have a number and a "
             "name, {3: ann}. A constraint that contains operators is {attribute: x, is: \"=\", value: y}, "
             "and alternatives are {any: [...]} of such constraints. called: names of other numbers of a "
             "task: {executable, partition, id, job}. recorded: how it went in reality: {wait, held, status, "
             "procs_used, memory_used, cpu_time, preceding, think, at_start, no_end, prefill, started}, "
             "where status is one of " STATES
             "and unknown. A value that a task does not have is that of its job; its own priority and user "
             "come first. Run times by profiles: idle and delay, their time; compute-homogenous and "
             "compute-vector, compute_work / (cpu_speed x cores of each host); sequence, the sum of its "
             "parts; parallel, the longest of its times, or the sum of its computations, which share the "
             "cores. Other profiles are rejected (profile); with `execution` tasks keep profiles of every "
             "kind, and do what these say. Numbers of cores become thousandths, rounded up. Within a job a "
             "task is identified by its execution_index, or else by its id.",
         .source =
             "DSLab-CS, https://github.com/nogokama/dslab-cluster-simulator (native workload, profiles)",
         .params = params, .options_size = sizeof(options)},
    .open = native_open,
    .next = native_next,
    .info = native_info,
    .visit = native_visit,
    .progress = native_progress,
    .close = native_close,
    .recognise = native_recognise,
    .refers = native_refers,
};
