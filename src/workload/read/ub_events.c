/* ub_events.c -- workloads of the Slurm simulator of the University at Buffalo: its event files, and the
 * tables of jobs that these are made of.
 *
 * An event file has a line for each submission: `-dt SECONDS -e submit_batch_job |`, then what sbatch would
 * be told. Beside sbatch's own words there are -sim-walltime, how long the job runs (-1: up to its limit),
 * and -jid, its number. A table has the same in columns, `dt;job_id;wall_time;...` in seconds from the
 * begin, or `sim_job_id,sim_submit_ts,...` with Unix times; limits are in minutes.
 *
 * These are jobs that were made, not recorded: they have no waits and no states. A job's number is its -jid
 * or job_id, or that in a name such as jobid_1001, else that of its row. Memory is that of each node in MiB,
 * or of each processor where --mem-per-cpu says so. Of --constraint what sbatch joins by & and | is taken,
 * without counts of nodes.
 *
 * Does not know: other events than submissions (their lines are counted as no tasks), dependencies. Source:
 * https://github.com/ubccr-slurm-simulator/slurm_sim_tools, tutorials. Cost: about 1 us a line. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/constraint_text.h"
#include "workload/delimited.h"
#include "workload/ledger.h"
#include "workload/reading.h"
#include "workload/slurm_text.h"
#include "workload/spec.h"

#define MOST ((int64_t)1 << 30) /* tasks, nodes, cores of a job */

typedef struct options {
  const char *file, *zone, *origin;
  hc_time time_unit;
  int demand, constraints;
} options;

enum { DEMAND_PROCESSORS, DEMAND_NODES };
enum { CONSTRAINTS_REQUIRE, CONSTRAINTS_IGNORE };

/* What is said of a job. The words of sbatch, without their hyphens, then the titles of the two tables. */
#define KEYS(X) \
  X(DT, "-dt", NULL, "dt", NULL) \
  X(EVENT, "-e", NULL, NULL, NULL) \
  X(ID, "-jid", NULL, "job_id", "sim_job_id") \
  X(NAME, "-J", "--job-name", NULL, NULL) \
  X(RUN, "-sim-walltime", NULL, "wall_time", "sim_duration") \
  X(USER, "--uid", NULL, "user", "sim_username") \
  X(LIMIT, "-t", "--time", "wall_limit", "sim_wclimit") \
  X(TASKS, "-n", "--ntasks", "n_tasks", "sim_tasks") \
  X(PER_NODE, NULL, "--ntasks-per-node", "ntasks_per_node", "sim_tasks_per_node") \
  X(NODES, "-N", "--nodes", NULL, NULL) \
  X(CPUS, "-c", "--cpus-per-task", NULL, "sim_cpus_per_task") \
  X(ACCOUNT, "-A", "--account", "account", "sim_account") \
  X(PARTITION, "-p", "--partition", "partition", "sim_partition") \
  X(QOS, "-q", "--qos", "qos", "sim_qosname") \
  X(MEMORY, NULL, "--mem", "mem", "sim_req_mem") \
  X(CPU_MEMORY, NULL, "--mem-per-cpu", NULL, NULL) \
  X(CONSTRAINT, "-C", "--constraint", "constraint", "sim_features") \
  X(GRES, NULL, "--gres", "gres", "sim_gres") \
  X(EXCLUSIVE, NULL, "--exclusive", NULL, NULL) \
  X(AT, NULL, NULL, NULL, "sim_submit_ts") \
  X(MEMORY_IS_OF_CPU, NULL, NULL, NULL, "sim_req_mem_per_cpu") \
  X(CANCELLED_AT, NULL, NULL, NULL, "sim_cancelled_ts")

enum {
#define X(name, word, long_word, title, other) name,
  KEYS(X)
#undef X
      KEY_COUNT
};

static const struct {
  const char *words[4]; /* short, long; of the first table, of the second */
} keys[KEY_COUNT] = {
#define X(name, word, long_word, title, other) {{word, long_word, title, other}},
    KEYS(X)
#undef X
};

enum { USERS, ACCOUNTS, PARTITIONS, QOSES, NAMES, NAME_KINDS };

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_delimited in;
  hc_zone *zone;
  hc_trace_info info;
  hc_task_spec task;
  hc_interned names[NAME_KINDS];
  hc_constraint *constraints;
  size_t constraint_cap;
  hc_slice said[KEY_COUNT]; /* of the job at hand; without text: nothing */
  struct {                  /* plain state */
    uint64_t at[KEY_COUNT]; /* of a table: which column, from 1; 0: none */
    uint64_t form, width;   /* 0: not known yet */
  } s;
};

enum { UNKNOWN_FORM, EVENTS, TABLE };

/* ---- what is said ---- */

static hc_slice slice_of(const hc_field *f)
{
  return (hc_slice){f->text, f->length};
}

static bool is_said(const hc_source *s, int key)
{
  return s->said[key].n > 0;
}

/* The key of a word of the command; KEY_COUNT: none that matters. */
static int key_of(hc_slice word, size_t from)
{
  for (int k = 0; k < KEY_COUNT; k++)
    for (size_t i = from; i < from + 2; i++) {
      const char *w = keys[k].words[i];
      if (w && strlen(w) == word.n && memcmp(w, word.s, word.n) == 0) return k;
    }
  return KEY_COUNT;
}

/* A word of a command and what follows it: "-n 12", "-n=12", "--uid=ann". @return fields taken */
static size_t take_word(hc_source *s, const hc_field *f, size_t left)
{
  const hc_slice word = slice_of(f);
  const char *equals = memchr(word.s, '=', word.n);
  const size_t n = equals ? (size_t)(equals - word.s) : word.n;
  const int k = key_of((hc_slice){word.s, n}, 0);
  if (k == KEY_COUNT) return 1;
  if (equals) {
    s->said[k] = (hc_slice){equals + 1, word.n - n - 1};
    return 1;
  }
  if (k == EXCLUSIVE || left < 2) {
    s->said[k] = word;
    return 1;
  }
  s->said[k] = slice_of(f + 1);
  return 2;
}

static void gather(hc_source *s)
{
  const hc_delimited *d = &s->in;
  memset(s->said, 0, sizeof s->said);
  for (size_t i = 0; s->s.form == EVENTS && i < d->count;) i += take_word(s, &d->fields[i], d->count - i);
  for (int k = 0; s->s.form == TABLE && k < KEY_COUNT; k++) {
    const size_t at = (size_t)s->s.at[k];
    if (at == 0 || at > d->count) continue;
    s->said[k] = slice_of(&d->fields[at - 1]);
    if (hc_slurm_is(s->said[k], "NA")) s->said[k].n = 0;
  }
}

/* ---- a job ---- */

/* The row is malformed by what a key says. @return 0 or HC_EINPUT */
static hc_rc wrong(hc_source *s, int key, const char *what, hc_error *e)
{
  const hc_slice v = s->said[key];
  const char *word =
      s->s.form == TABLE ? s->in.titles[s->s.at[key] - 1] : keys[key].words[keys[key].words[0] ? 0 : 1];
  s->in.s.rows--;
  return hc_delimited_reject(&s->in, s->context, v.s, e, "%s is \"%.*s\", which is %s", word,
                             (int)HC_MIN(v.n, (size_t)40), v.s, what);
}

/* A whole number from 1 to MOST. @return 1, 0 (it is none), an error */
static hc_rc count_of(hc_source *s, int key, int64_t otherwise, int64_t *out, hc_error *e)
{
  *out = otherwise;
  if (!is_said(s, key)) return 1;
  if (hc_slurm_count(s->said[key], out) != HC_SLURM_VALUE || *out < 1 || *out > MOST)
    return wrong(s, key, "no number of tasks, nodes or cores", e);
  return 1;
}

static hc_rc read_run(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const hc_slice limit = s->said[LIMIT], run = s->said[RUN];
  const hc_field f = {.text = run.s, .length = run.n};
  if (limit.n > 0 && !hc_slurm_is(limit, "UNLIMITED") &&
      hc_slurm_duration(limit, HC_MINUTE, &t->limit) != HC_SLURM_VALUE)
    return wrong(s, LIMIT, "no time limit: minutes, H:MM:SS or D-HH:MM:SS", e);
  if (run.n == 0 || run.s[0] == '-') t->run = t->limit; /* -1: until it is ended */
  else if (!hc_field_duration(&f, HC_SECOND, &t->run)) return wrong(s, RUN, "no number of seconds", e);
  return 1;
}

static hc_rc read_submit(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const hc_field f = {.text = s->said[DT].s, .length = s->said[DT].n};
  const hc_moment_format seconds = {.kind = HC_MOMENT_SECONDS, .unit = HC_SECOND};
  int64_t unix;
  if (f.length > 0) return hc_field_moment(&f, &seconds, NULL, &t->submit) ? 1 : wrong(s, DT, "no time", e);
  if (!is_said(s, AT)) return 1; /* that is for the stream to say */
  if (hc_slurm_time(s->said[AT], s->zone, 0, &unix) != HC_SLURM_VALUE) return wrong(s, AT, "no time", e);
  t->submit = unix * HC_SECOND;
  const hc_rc rc = hc_delimited_since_origin(&s->in, s->context, &t->submit, e);
  if (rc == 1 && hc_slurm_time(s->said[CANCELLED_AT], s->zone, 0, &unix) == HC_SLURM_VALUE)
    t->cancel_at = unix * HC_SECOND - s->in.s.origin;
  return rc;
}

/* The digits that end a name such as jobid_1001; else the row. */
static int64_t number_of(const hc_source *s)
{
  const hc_slice id = s->said[ID], name = s->said[NAME];
  int64_t n;
  if (hc_slurm_count(id, &n) == HC_SLURM_VALUE) return n;
  size_t at = name.n;
  while (at > 0 && hc_is_digit(name.s[at - 1])) at--;
  if (at > 3 && name.s[at - 1] == '_' && memcmp(name.s, "job", 3) == 0 &&
      hc_slurm_count((hc_slice){name.s + at, name.n - at}, &n) == HC_SLURM_VALUE)
    return n;
  return (int64_t)(s->in.s.rows + s->in.s.malformed);
}

static hc_rc read_memory(hc_source *s, int64_t procs, int64_t nodes, hc_task_spec *t, hc_error *e)
{
  const int key = is_said(s, CPU_MEMORY) ? CPU_MEMORY : MEMORY;
  const bool of_cpu = key == CPU_MEMORY || hc_slurm_is(s->said[MEMORY_IS_OF_CPU], "1");
  hc_slurm_scope scope;
  int64_t bytes, node, all;
  switch (hc_slurm_memory(s->said[key], &bytes, &scope)) {
    case HC_SLURM_BAD: return wrong(s, key, "no amount of memory", e);
    case HC_SLURM_NOTHING: return 1;
    case HC_SLURM_VALUE: break;
  }
  const int64_t of_node = of_cpu ? procs / nodes + (procs % nodes != 0) : 1;
  if (__builtin_mul_overflow(bytes, of_node, &node) || __builtin_mul_overflow(node, nodes, &all))
    return wrong(s, key, "more than there can be", e);
  t->memory_asked = of_cpu ? bytes : all / procs + (all % procs != 0);
  if (((const options *)s->o)->demand == DEMAND_NODES) t->need[HC_DIM_MEMORY] = node;
  return 1;
}

static hc_rc read_constraints(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const hc_slice v = s->said[CONSTRAINT];
  hc_task_extras more = hc_task_extras_none();
  if (v.n == 0 || s->o->constraints == CONSTRAINTS_IGNORE || !s->context->lexicon) return 1;
  const char *flaw = hc_constraints_read(s->context->allocator, s->context->lexicon, v.s, v.n,
                                         &s->constraints, &more.constraint_count, &s->constraint_cap);
  if (flaw) return flaw[0] ? wrong(s, CONSTRAINT, flaw, e) : HC_ENOMEM;
  more.constraints = s->constraints;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more ? 1 : HC_ENOMEM;
}

/* As so many nodes, with an equal part of its processors on each; all of each if it is not to share them. */
static hc_rc read_nodes(hc_source *s, int64_t procs, int64_t nodes, hc_task_spec *t, hc_error *e)
{
  int64_t gpus = 0;
  t->hosts = nodes;
  if (nodes > 1) t->flags |= HC_SPEC_SPREAD;
  if (hc_slurm_gres_gpus(s->said[GRES], &gpus) == HC_SLURM_BAD || gpus > HC_DEVICES)
    return wrong(s, GRES, "no number of GPUs", e);
  const bool alone = is_said(s, EXCLUSIVE) && s->said[EXCLUSIVE].s[0] == '-'; /* not --exclusive=user */
  if (!alone) t->need[HC_DIM_CPU] = (procs / nodes + (procs % nodes != 0)) * 1000;
  if (alone) t->need[HC_DIM_MEMORY] = HC_UNKNOWN;
  if (!alone) t->need[HC_DIM_GPU] = gpus * HC_DEVICE;
  return read_constraints(s, t, e);
}

static hc_rc read_demand(hc_source *s, hc_task_spec *t, hc_error *e)
{
  int64_t tasks, per_node, nodes, cpus;
  hc_rc rc = count_of(s, NODES, 1, &nodes, e);
  if (rc == 1) rc = count_of(s, PER_NODE, 0, &per_node, e);
  if (rc == 1) rc = count_of(s, TASKS, per_node > 0 ? per_node * nodes : nodes, &tasks, e);
  if (rc == 1) rc = count_of(s, CPUS, 1, &cpus, e);
  if (rc != 1) return rc;
  if (per_node > 0) nodes = HC_MAX(nodes, (tasks + per_node - 1) / per_node);
  if (__builtin_mul_overflow(tasks, cpus, &t->procs_asked)) return wrong(s, CPUS, "too many", e);
  nodes = HC_MIN(nodes, t->procs_asked);
  rc = read_memory(s, t->procs_asked, nodes, t, e);
  return rc == 1 && s->o->demand == DEMAND_NODES ? read_nodes(s, t->procs_asked, nodes, t, e) : rc;
}

static hc_rc read_names(hc_source *s, hc_task_spec *t)
{
  static const int said[NAME_KINDS] = {USER, ACCOUNT, PARTITION, QOS, NAME};
  int64_t *const to[NAME_KINDS] = {&t->user, &t->group, &t->partition, &t->queue, &t->executable};
  for (int k = 0; k < NAME_KINDS; k++) {
    const hc_field f = {.text = s->said[said[k]].s, .length = s->said[said[k]].n};
    if (f.length > 0) TRY(hc_interned_number(&s->names[k], &f, NULL, to[k]));
  }
  return 1;
}

/* @return 1 with a task, 0 if the row was rejected, an error */
static hc_rc read_job(hc_source *s, hc_error *e)
{
  hc_task_spec *t = &s->task;
  *t = hc_task_spec_none();
  t->line = s->in.s.line;
  gather(s);
  if (s->s.form == EVENTS && !hc_slurm_is(s->said[EVENT], "submit_batch_job"))
    return hc_row_reject(s->context, s->in.name, s->in.s.line, 0, HC_REASON_NOT_A_TASK, s->in.record, e);
  t->id = number_of(s);
  hc_rc rc = read_submit(s, t, e);
  if (rc == 1) rc = read_run(s, t, e);
  if (rc == 1) rc = read_demand(s, t, e);
  if (rc == 1) rc = read_names(s, t);
  if (rc != 1 && s->context->lexicon) hc_spec_drop(s->context->lexicon, t);
  return rc;
}

/* ---- rows ---- */

static bool is_event(const char *line, size_t n)
{
  return n > 4 && line[0] == '-' && hc_head_holds(line, n, "-dt") && hc_head_holds(line, n, "-e ");
}

/* Which column of a table is what. @return how many are known */
static size_t find_columns(const hc_field *f, size_t n, uint64_t at[KEY_COUNT])
{
  size_t known = 0;
  memset(at, 0, KEY_COUNT * sizeof *at);
  for (size_t i = 0; i < n; i++) {
    const int k = key_of(slice_of(&f[i]), 2);
    if (k == KEY_COUNT) continue;
    known++;
    at[k] = i + 1;
  }
  return known;
}

/* @return 1 if the first line is a row, 0 if it has titles, HC_EINPUT */
static hc_rc begin(hc_source *s, hc_error *e)
{
  hc_delimited *d = &s->in;
  if (is_event(d->record, d->length)) {
    s->s.form = EVENTS;
    d->separator = d->s.separator = ' ';
    return HC_MIN(hc_delimited_cut_again(d, ' '), 0) < 0 ? HC_ENOMEM : 1;
  }
  (void)find_columns(d->fields, d->count, s->s.at);
  if ((s->s.at[DT] == 0 && s->s.at[AT] == 0) || s->s.at[RUN] == 0 || s->s.at[TASKS] == 0)
    return hc_fail(e, HC_EINPUT, d->name, hc_line_number(d->s.line), 0,
                   "this is no workload of the Slurm simulator: its lines begin with -dt SECONDS -e, or its "
                   "first has the titles dt, wall_time and n_tasks, or sim_submit_ts, sim_duration and "
                   "sim_tasks");
  s->s.form = TABLE;
  s->s.width = d->count;
  TRY(hc_delimited_keep_titles(d));
  return 0;
}

static hc_rc take_row(hc_source *s, hc_error *e)
{
  if (s->context->ledger) s->context->ledger->read++;
  if (s->s.form == TABLE && s->in.count != s->s.width)
    return hc_delimited_reject(&s->in, s->context, NULL, e, "it has %zu fields, where %llu are expected",
                               s->in.count, (unsigned long long)s->s.width);
  s->in.s.rows++;
  return read_job(s, e);
}

static hc_rc ub_next(hc_source *s, hc_job *job, hc_error *e)
{
  while (!s->in.s.at_end) {
    hc_rc rc = hc_delimited_next(&s->in, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_delimited_end(&s->in, "an event or job of the Slurm simulator",
                              "`hindcast list reader` has the formats", e);
    if (s->s.form == UNKNOWN_FORM) {
      rc = begin(s, e);
      if (rc < 0) return rc;
      if (rc == 0) continue;
    }
    rc = take_row(s, e);
    if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- the reader ---- */

static void ub_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_delimited_close(&s->in);
  hc_zone_free(s->zone);
  for (int k = 0; k < NAME_KINDS; k++) hc_interned_fini(&s->names[k]);
  hc_free(a, s->constraints, s->constraint_cap * sizeof *s->constraints);
  hc_free(a, s, sizeof *s);
}

static void begin_names(hc_source *s)
{
  static const hc_called called[NAME_KINDS] = {HC_CALLED_USER, HC_CALLED_GROUP, HC_CALLED_PARTITION,
                                               HC_CALLED_QUEUE, HC_CALLED_EXECUTABLE};
  static const char *const words[NAME_KINDS] = {NULL, "account", NULL, "qos", "job_name"};
  for (int k = 0; k < NAME_KINDS; k++) {
    hc_interned_init(&s->names[k], s->context->allocator, true);
    s->names[k].ledger = s->context->ledger;
    s->names[k].lexicon = s->context->lexicon;
    s->names[k].what = called[k];
    if (words[k] && s->context->lexicon) (void)hc_lexicon_title(s->context->lexicon, called[k], words[k]);
  }
}

static hc_rc ub_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const char *who = "source ub_events";
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, who, o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  begin_names(s);
  TRY_OR(hc_delimited_open(&s->in, c->allocator, o->file, e), fail);
  hc_input_sum(s->in.in, c->sums);
  TRY_OR(hc_origin_zone(c->allocator, who, o->zone, &s->zone, e), fail);
  s->in.zone = s->zone;
  TRY_OR(hc_origin_read(who, o->origin, s->zone, &s->in.s.origin, e), fail);
  s->in.origin_given = s->in.s.origin != HC_UNKNOWN;
  *out = s;
  return 0;
fail:
  ub_close(s);
  return rc;
}

static const hc_trace_info *ub_info(hc_source *s)
{
  s->info.unix_start = hc_delimited_unix_start(&s->in);
  return &s->info;
}

static void ub_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->in.in, done, total);
}

/* Titles are kept for what is wrong: where reading stood they must be known. */
static hc_rc ub_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  if (hc_visit_loading(v) && s->s.form == UNKNOWN_FORM) {
    const hc_rc rc = hc_delimited_next(&s->in, e);
    if (rc < 0) return rc;
    if (rc == 1) TRY(begin(s, e));
  }
  TRY(hc_delimited_visit(&s->in, v, e));
  TRY(hc_visit_bytes(v, &s->s, sizeof s->s));
  for (int k = 0; k < NAME_KINDS; k++) TRY(hc_interned_visit(&s->names[k], v));
  return 0;
}

static int ub_recognise(const char *name, const char *head, size_t size)
{
  size_t n;
  bool whole;
  uint64_t at[KEY_COUNT];
  hc_field fields[64];
  const char *line = hc_lexer_first(head, size, "#", &n, &whole);
  HC_UNUSED(name);
  if (!line) return 0;
  if (is_event(line, n)) return 96;
  const hc_lexer l = {.separator = hc_lexer_guess(line, n), .quotes = true, .one_line = true};
  const size_t count = HC_MIN(hc_lexer_cut(&l, line, n, fields, 64), (size_t)64);
  const size_t known = find_columns(fields, count, at);
  return (at[DT] || at[AT]) && at[RUN] && at[TASKS] && known >= 8 ? 96 : 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "Path of the events or the table, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(
        TEXT, options, zone, NULL,
        "Time zone by which the days of sim_submit_ts are counted, as in the Tz database. Default: UTC."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Time 0 of sim_submit_ts: a date such as 2017-01-31, or a Unix time; rows submitted before it "
             "are left out. `dt` always counts from time 0. Default: the begin of the day of the first row."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1, 1,
             "Unit of a time that is a number: always a second, by the definition of the format."),
    HC_PARAM(CHOICE, options, demand, "processors|nodes", "processors",
             "What a task asks for on a cell of hosts. On cells that count processors it makes no "
             "difference. processors: so many processors, on any hosts. nodes: as many different hosts as -N "
             "says, or as follow from --ntasks-per-node, with an equal part of the processors, and with "
             "--mem and the GPUs of --gres on each; with --exclusive all of each host."),
    HC_PARAM(CHOICE, options, constraints, "require|ignore", "require",
             "With `demand: nodes`, what --constraint means. require: a constraint on attributes of hosts. "
             "ignore: nothing."),
    {.name = NULL},
};

const hc_reader_type hc_reader_ub_events = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "ub_events",
                  .summary = "workloads of the UB Slurm simulator: its event files, and its tables of jobs",
                  .detail =
                      "A line `-dt SECONDS -e submit_batch_job | ...` for each job, with options of sbatch, "
                      "-sim-walltime (its run time; -1: up to its limit) and -jid; or a table with titles, "
                      "dt;job_id;wall_time;... or sim_job_id,sim_submit_ts,... The run's `overrun` says what "
                      "becomes of a job that runs for longer than its limit. Accounts become groups, QOS "
                      "queues, and job names executables. Other events are rejected as not_a_task.",
                  .source = "https://github.com/ubccr-slurm-simulator/slurm_sim_tools", .params = params,
                  .options_size = sizeof(options)},
    .open = ub_open,
    .next = ub_next,
    .info = ub_info,
    .visit = ub_visit,
    .progress = ub_progress,
    .close = ub_close,
    .recognise = ub_recognise,
};
