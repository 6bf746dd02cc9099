/* slurm_row.c -- one line of Slurm's accounting as a task.
 *
 * Which columns there are is up to the call of sacct; each value is taken from the first of several
 * columns that has it. A job that never started has no Start or, in older versions, Start = End and no
 * nodes. One whose end is not known was still running when the records were taken.
 *
 * More separators than columns: the job's name or its command holds them, the only texts that users choose
 * freely.
 *
 * As nodes, a job has equal parts of its processors, memory and GPUs on each: records do not say how they
 * were dealt out. Does not model: licences, models of GPUs, steps, node lists. A job that was resized is
 * its last row. Source: sacct(1). Cost: about 0.5 us a row of 26 columns. */
#include "workload/slurm_row.h"

#include <string.h>

#include "base/util.h"
#include "workload/spec.h"
#include "workload/submit_line.h"
#include "workload/writing.h"

/* ---- columns ---- */

static const struct {
  const char *word, *old;
} column_names[] = {
#define X(name, word, old) [HC_SLURM_##name] = {word, old},
    HC_SLURM_COLUMNS(X)
#undef X
};

char hc_slurm_separator(const char *line, size_t n)
{
  for (const char *p = "|;,\t"; *p; p++)
    if (memchr(line, *p, n)) return *p;
  return '\0';
}

size_t hc_slurm_cut(const char *line, size_t n, char separator, hc_field out[HC_SLURM_FIELDS])
{
  const hc_lexer l = {.separator = separator, .quotes = separator != '|', .one_line = true};
  return hc_lexer_cut(&l, line, n, out, HC_SLURM_FIELDS);
}

static hc_slice slice_of(const hc_field *f)
{
  return (hc_slice){f->text, f->length};
}

const char *hc_slurm_title(hc_slurm_column c)
{
  return column_names[c].word;
}

static bool is_column(hc_slice t, size_t c)
{
  return column_names[c].word && (hc_slurm_same_column(t, column_names[c].word) ||
                                  (column_names[c].old && hc_slurm_same_column(t, column_names[c].old)));
}

bool hc_slurm_is_heading(const hc_field *fields, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (is_column(slice_of(&fields[i]), HC_SLURM_JOB_ID) ||
        is_column(slice_of(&fields[i]), HC_SLURM_JOB_ID_RAW))
      return true;
  return false;
}

size_t hc_slurm_named(const hc_field *fields, size_t count, bool own)
{
  static const uint8_t words[] = {
      HC_SLURM_ELAPSED_RAW, HC_SLURM_LIMIT,     HC_SLURM_LIMIT_RAW,   HC_SLURM_NODES,   HC_SLURM_REQ_NODES,
      HC_SLURM_NODE_LIST,   HC_SLURM_CPUS,      HC_SLURM_REQ_CPUS,    HC_SLURM_REQ_MEM, HC_SLURM_REQ_TRES,
      HC_SLURM_ALLOC_TRES,  HC_SLURM_TOTAL_CPU, HC_SLURM_CPU_TIME_RAW};
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    bool is_named = false;
    for (size_t c = 0; c < (own ? HC_ARRAY_LEN(words) : HC_SLURM_COLUMN_COUNT); c++)
      is_named |= is_column(slice_of(&fields[i]), own ? words[c] : c);
    n += is_named;
  }
  return n;
}

void hc_slurm_find_columns(const hc_field *fields, size_t count, char separator, hc_slurm_columns *out)
{
  if (count > 1 && fields[count - 1].length == 0) count--; /* --parsable ends each line with a separator */
  *out = (hc_slurm_columns){.count = count, .separator = separator};
  for (size_t c = 0; c < HC_SLURM_COLUMN_COUNT; c++) {
    out->at[c] = -1;
    for (size_t i = count; i-- > 0;)
      if (is_column(slice_of(&fields[i]), c)) out->at[c] = (int)i;
  }
}

const char *hc_slurm_missing_column(const hc_slurm_columns *c, hc_slurm_units units)
{
  const int *at = c->at;
  const bool tres = at[HC_SLURM_ALLOC_TRES] >= 0 || at[HC_SLURM_REQ_TRES] >= 0;
  if (at[HC_SLURM_SUBMIT] < 0) return "Submit";
  if ((at[HC_SLURM_START] < 0 || at[HC_SLURM_END] < 0) && at[HC_SLURM_ELAPSED] < 0 &&
      at[HC_SLURM_ELAPSED_RAW] < 0 && at[HC_SLURM_CPU_TIME_RAW] < 0)
    return at[HC_SLURM_START] < 0 ? "Start" : "End";
  if (units == HC_SLURM_UNITS_NODES && at[HC_SLURM_NODES] < 0 && at[HC_SLURM_REQ_NODES] < 0 && !tres)
    return "NNodes";
  if (units == HC_SLURM_UNITS_CPUS && at[HC_SLURM_CPUS] < 0 && at[HC_SLURM_REQ_CPUS] < 0 && !tres)
    return "NCPUS";
  return NULL;
}

static size_t instants_among(const hc_field *fields, size_t count)
{
  size_t n = 0;
  int64_t unix_time;
  for (size_t i = 0; i < count; i++)
    n += fields[i].length >= 19 && fields[i].length <= 25 &&
         hc_slurm_time(slice_of(&fields[i]), NULL, 0, &unix_time) == HC_SLURM_VALUE;
  return n;
}

bool hc_slurm_fits_xdmod(const hc_field *fields, size_t count, char separator)
{
  hc_slurm_id id;
  return separator == '|' && count == 26 && hc_slurm_job(slice_of(&fields[0]), &id) &&
         hc_slurm_job(slice_of(&fields[1]), &id) && instants_among(fields + 10, 2) == 2 &&
         instants_among(fields, 10) == 0;
}

/* By a header: JobID and what else a record needs. Without one, by a job id and instants between bars. */
int hc_slurm_likely(const char *line, size_t n)
{
  hc_field fields[HC_SLURM_FIELDS];
  hc_slurm_columns columns;
  hc_slurm_id id;
  const char separator = hc_slurm_separator(line, n);
  if (separator == '\0')
    return (n >= 6 && memcmp(line, "JobID ", 6) == 0) || (n >= 13 && memcmp(line, "       JobID ", 13) == 0)
               ? 60
               : 0;
  const size_t count = HC_MIN(hc_slurm_cut(line, n, separator, fields), HC_SLURM_FIELDS);
  if (hc_slurm_is_heading(fields, count)) {
    hc_slurm_find_columns(fields, count, separator, &columns);
    return columns.at[HC_SLURM_SUBMIT] >= 0 || columns.at[HC_SLURM_STATE] >= 0 ||
                   columns.at[HC_SLURM_ELAPSED] >= 0
               ? 95
               : 40;
  }
  if (hc_slurm_named(fields, count, true) >= 2 &&
      hc_slurm_named(fields, count, false) >= HC_SLURM_NAMES_A_HEADER) {
    hc_slurm_find_columns(fields, count, separator, &columns);
    return hc_slurm_missing_column(&columns, HC_SLURM_UNITS_CPUS) ? 30 : 80; /* jobs without their numbers */
  }
  return separator == '|' && hc_slurm_job(slice_of(&fields[0]), &id) && instants_among(fields, count) >= 2
             ? 70
             : 0;
}

/* ---- a row ---- */

/* A row as it is looked at. */
typedef struct row {
  hc_slurm_reading *how;
  const hc_slurm_cells *cells;
  bool is_bad;  /* a field is wrong */
  uint32_t bad; /* place of the first that is; 0: it is not in the line */
  int32_t status;
  hc_slurm_phase phase;
  int64_t submit, eligible, start, end; /* Unix seconds; HC_UNKNOWN */
  hc_time elapsed;                      /* ns; HC_UNKNOWN */
  int64_t used[2], asked[2];            /* by hc_slurm_units; HC_UNKNOWN */
} row;

/* The field of a column; empty if the log does not have it. */
static hc_slice get(const row *r, hc_slurm_column c)
{
  return r->cells->at[c];
}

static bool has(const row *r, hc_slurm_column c)
{
  return r->cells->has >> c & 1;
}

/* Note that a field is wrong. */
static void blame(row *r, hc_slice field)
{
  if (!r->is_bad) r->bad = hc_slurm_place(r->cells, field);
  r->is_bad = true;
}

static int64_t time_in(row *r, hc_slurm_column c, int64_t after)
{
  int64_t v = HC_UNKNOWN;
  if (hc_slurm_time(get(r, c), r->how->zone, after, &v) == HC_SLURM_BAD) blame(r, get(r, c));
  return v;
}

static hc_time duration_in(row *r, hc_slurm_column c, hc_time unit)
{
  hc_time v = HC_UNKNOWN;
  if (hc_slurm_duration(get(r, c), unit, &v) == HC_SLURM_BAD) blame(r, get(r, c));
  return v;
}

/* A count of one of two columns; the second names several ("cpu=12,node=1"). */
static int64_t count_in(row *r, hc_slurm_column c, hc_slurm_column tres, const char *name)
{
  hc_slice field = get(r, c);
  int64_t v = HC_UNKNOWN;
  hc_slurm_found found = hc_slurm_count(field, &v);
  if (found == HC_SLURM_BAD && c == HC_SLURM_REQ_NODES) found = HC_SLURM_NOTHING; /* may be "2-4" */
  if (found == HC_SLURM_NOTHING && hc_slurm_tres(get(r, tres), name, &field))
    found = hc_slurm_count(field, &v);
  if (found == HC_SLURM_BAD) blame(r, field);
  return v;
}

static int64_t either(int64_t a, int64_t b)
{
  return a > 0 ? a : b;
}

static void read_counts(row *r)
{
  r->used[0] = count_in(r, HC_SLURM_CPUS, HC_SLURM_ALLOC_TRES, "cpu");
  r->asked[0] = count_in(r, HC_SLURM_REQ_CPUS, HC_SLURM_REQ_TRES, "cpu");
  r->used[1] = count_in(r, HC_SLURM_NODES, HC_SLURM_ALLOC_TRES, "node");
  r->asked[1] = count_in(r, HC_SLURM_REQ_NODES, HC_SLURM_REQ_TRES, "node");
  for (int i = 0; i < 2; i++)
    if (r->asked[i] == 0) r->asked[i] = HC_UNKNOWN;
}

/* Each is not before the one it follows: this tells the two readings of an hour that occurs twice. */
static void read_times(row *r)
{
  r->submit = time_in(r, HC_SLURM_SUBMIT, 0);
  r->eligible = time_in(r, HC_SLURM_ELIGIBLE, r->submit);
  r->start = time_in(r, HC_SLURM_START, r->submit);
  r->elapsed = duration_in(r, HC_SLURM_ELAPSED_RAW, HC_SECOND);
  if (r->elapsed == HC_UNKNOWN) r->elapsed = duration_in(r, HC_SLURM_ELAPSED, HC_SECOND);
  if (r->elapsed == HC_UNKNOWN && !has(r, HC_SLURM_END)) {
    const int64_t cpus = either(r->used[0], r->asked[0]);
    const hc_time all = duration_in(r, HC_SLURM_CPU_TIME_RAW, HC_SECOND);
    if (all != HC_UNKNOWN && cpus > 0) r->elapsed = all / cpus;
  }
  r->end =
      time_in(r, HC_SLURM_END,
              r->start == HC_UNKNOWN ? r->submit : r->start + (r->elapsed > 0 ? r->elapsed / HC_SECOND : 0));
  if (r->start == HC_UNKNOWN && r->end != HC_UNKNOWN && r->elapsed > 0)
    r->start = r->end - r->elapsed / HC_SECOND;
}

static bool has_started(const row *r)
{
  if (r->phase == HC_SLURM_IS_PENDING || hc_slurm_is(get(r, HC_SLURM_NODE_LIST), "None assigned"))
    return false;
  if (has(r, HC_SLURM_START)) return r->start != HC_UNKNOWN || r->elapsed > 0;
  return r->elapsed > 0 || (r->elapsed == 0 && r->status != HC_STATUS_CANCELLED);
}

/* How long it waited if there is no Start: what Slurm says of it, or of its processors. */
static hc_time wait_without_start(row *r)
{
  const int64_t cpus = either(r->asked[0], r->used[0]);
  hc_time wait = duration_in(r, HC_SLURM_PLANNED, HC_SECOND);
  if (wait != HC_UNKNOWN) return wait;
  wait = duration_in(r, HC_SLURM_PLANNED_CPU_RAW, HC_SECOND);
  return wait != HC_UNKNOWN && cpus > 0 ? wait / cpus : HC_UNKNOWN;
}

static void put_times(row *r, hc_slurm_record *out)
{
  hc_task_spec *t = &out->spec;
  const bool started = has_started(r);
  const int64_t leaves = started ? r->start : r->end;
  int64_t arrival = r->submit;
  if (r->how->wait_from == HC_SLURM_WAIT_ELIGIBLE && r->submit != HC_UNKNOWN && r->eligible > r->submit &&
      (leaves == HC_UNKNOWN || r->eligible <= leaves))
    arrival = r->eligible;
  out->submitted = r->submit;
  if (arrival != HC_UNKNOWN && r->eligible >= arrival && (leaves == HC_UNKNOWN || r->eligible <= leaves))
    t->held = (r->eligible - arrival) * HC_SECOND;
  t->submit = arrival == HC_UNKNOWN ? HC_UNKNOWN : arrival * HC_SECOND;
  t->wait = HC_UNKNOWN;
  if (arrival != HC_UNKNOWN && leaves != HC_UNKNOWN && leaves >= arrival)
    t->wait = (leaves - arrival) * HC_SECOND;
  if (started && !has(r, HC_SLURM_START) && r->start == HC_UNKNOWN) t->wait = wait_without_start(r);
  t->run = HC_UNKNOWN;
  if (r->cells->at_start) {
    t->wait = HC_UNKNOWN;
    if (t->submit != HC_UNKNOWN) t->flags |= HC_SPEC_AT_START;
  }
  if (!started) return;
  out->still_running = r->phase == HC_SLURM_IS_RUNNING || (has(r, HC_SLURM_END) && r->end == HC_UNKNOWN);
  const bool both = r->start != HC_UNKNOWN && r->end != HC_UNKNOWN && r->end >= r->start;
  if (r->elapsed != HC_UNKNOWN) t->run = r->elapsed;
  if (both && (r->how->run_from == HC_SLURM_RUN_END || r->elapsed == HC_UNKNOWN))
    t->run = (r->end - r->start) * HC_SECOND;
  const hc_slice nodes = get(r, HC_SLURM_NODE_LIST);
  if (t->run == 0 && nodes.n > 0 && r->used[0] != 0 &&
      (r->status == HC_STATUS_FAILED || r->status == HC_STATUS_CANCELLED))
    t->flags |= HC_SPEC_STARTED;
}

static int64_t share(int64_t bytes, int64_t times, int64_t parts)
{
  int64_t all;
  if (bytes < 0 || times <= 0 || parts <= 0 || __builtin_mul_overflow(bytes, times, &all)) return HC_UNKNOWN;
  return all / parts + (all % parts != 0);
}

/* Memory for each processor, or node, asked for. */
static int64_t memory_of(row *r, hc_slurm_units per)
{
  const int64_t cpus = either(r->asked[0], r->used[0]), nodes = either(r->used[1], r->asked[1]);
  const int64_t units = per == HC_SLURM_UNITS_CPUS ? cpus : nodes;
  hc_slurm_scope scope;
  hc_slice field = get(r, HC_SLURM_REQ_MEM);
  int64_t bytes = HC_UNKNOWN;
  hc_slurm_found found = hc_slurm_memory(field, &bytes, &scope);
  if (found == HC_SLURM_NOTHING && (hc_slurm_tres(get(r, HC_SLURM_REQ_TRES), "mem", &field) ||
                                    hc_slurm_tres(get(r, HC_SLURM_ALLOC_TRES), "mem", &field)))
    found = hc_slurm_memory(field, &bytes, &scope);
  if (found == HC_SLURM_BAD) blame(r, field);
  if (found != HC_SLURM_VALUE) return HC_UNKNOWN;
  switch (scope) {
    case HC_SLURM_PER_JOB: return share(bytes, 1, units);
    case HC_SLURM_PER_CPU: return per == HC_SLURM_UNITS_CPUS ? bytes : share(bytes, cpus, units);
    case HC_SLURM_PER_NODE: return per == HC_SLURM_UNITS_NODES ? bytes : share(bytes, nodes, units);
  }
  return HC_UNKNOWN;
}

/* GPUs of each node, in thousandths: those that it had, else those that it asked for. */
static int64_t gpus_of(row *r, int64_t nodes)
{
  static const hc_slurm_column columns[] = {HC_SLURM_ALLOC_TRES, HC_SLURM_GRES, HC_SLURM_REQ_TRES};
  for (size_t i = 0; i < HC_ARRAY_LEN(columns); i++) {
    const hc_slice field = get(r, columns[i]);
    const bool each = columns[i] == HC_SLURM_GRES;
    int64_t n = 0;
    const hc_slurm_found found = each ? hc_slurm_gres_gpus(field, &n) : hc_slurm_tres_gpus(field, &n);
    if (found == HC_SLURM_BAD) blame(r, field);
    if (found == HC_SLURM_VALUE) return share(n, HC_DEVICE, each ? 1 : nodes);
  }
  return 0;
}

/* As so many nodes, all alike, with a part of everything on each. */
static void put_nodes(row *r, hc_task_spec *t)
{
  const int64_t cpus = either(r->used[0], r->asked[0]), nodes = either(r->used[1], r->asked[1]);
  if (nodes <= 0) return;
  t->hosts = nodes;
  if (nodes > 1) t->flags |= HC_SPEC_SPREAD;
  if (cpus > 0) t->need[HC_DIM_CPU] = (cpus / nodes + (cpus % nodes != 0)) * 1000;
  t->need[HC_DIM_MEMORY] = memory_of(r, HC_SLURM_UNITS_NODES);
  t->need[HC_DIM_GPU] = gpus_of(r, nodes);
}

/* Bytes that a job or a step used, on all its hosts together: what it says of that; else the largest of its
 * tasks, which is known, times their number: no less than it used. */
static int64_t memory_used_of(row *r)
{
  int64_t bytes = HC_UNKNOWN, tasks, all;
  hc_slurm_scope scope;
  hc_slice field;
  if (hc_slurm_count(get(r, HC_SLURM_USED_MEM), &bytes) == HC_SLURM_VALUE) return bytes;
  if (hc_slurm_tres(get(r, HC_SLURM_USED_TRES), "mem", &field) &&
      hc_slurm_memory(field, &bytes, &scope) == HC_SLURM_VALUE)
    return bytes;
  field = get(r, HC_SLURM_MAX_RSS);
  if (field.n == 0 || hc_slurm_memory(field, &bytes, &scope) != HC_SLURM_VALUE) return HC_UNKNOWN;
  if (hc_slurm_count(get(r, HC_SLURM_TASKS), &tasks) != HC_SLURM_VALUE || tasks < 1) tasks = 1;
  return __builtin_mul_overflow(bytes, tasks, &all) ? HC_UNKNOWN : all;
}

/* As slurmctld was asked: processors, each with its part of the memory, on as many nodes as -N says. ReqTRES
 * has node=1 also of a job that has no -N, which may lie on any number. A job that had more processors than
 * it asked for (--exclusive, cores of several threads) and one with GPUs, which are of nodes, is what it had
 * on each; so is one that runs. */
static void put_asked(row *r, hc_slurm_record *out)
{
  const int64_t nodes = r->asked[1] > 0 ? r->asked[1] : 1, had = r->used[1];
  const bool is_larger = r->asked[0] > 0 && r->used[0] > r->asked[0];
  if (is_larger || r->phase == HC_SLURM_IS_RUNNING || gpus_of(r, HC_MAX(had, nodes)) > 0) {
    put_nodes(r, &out->spec);
    return;
  }
  if (nodes <= 1) return;
  out->least_hosts = HC_MIN(nodes, (int64_t)UINT32_MAX);
  out->most_hosts = HC_MIN(HC_MAX(nodes, had), (int64_t)UINT32_MAX);
}

static hc_time limit_of(row *r)
{
  static const hc_slurm_column columns[] = {HC_SLURM_LIMIT, HC_SLURM_LIMIT_RAW, HC_SLURM_LIMIT_SECONDS};
  for (size_t i = 0; i < HC_ARRAY_LEN(columns); i++) {
    const hc_slurm_column c = columns[i];
    const hc_slice field = get(r, c);
    hc_time limit;
    if (hc_slurm_is(field, "Partition_Limit")) return r->how->partition_limit;
    if (hc_slurm_is(field, "UNLIMITED")) return HC_UNKNOWN;
    limit = duration_in(r, c, c == HC_SLURM_LIMIT_SECONDS ? HC_SECOND : HC_MINUTE);
    if (limit != HC_UNKNOWN) return limit;
  }
  return HC_UNKNOWN;
}

static void put_amounts(row *r, hc_slurm_record *out)
{
  hc_task_spec *t = &out->spec;
  const int u = (int)r->how->units;
  t->procs_used = r->used[u];
  t->procs_asked = r->asked[u];
  if (!has_started(r)) {
    if (t->procs_asked <= 0) t->procs_asked = t->procs_used > 0 ? t->procs_used : HC_UNKNOWN;
    t->procs_used = 0;
  }
  t->memory_asked = memory_of(r, r->how->units);
  if (r->how->demand == HC_SLURM_DEMAND_NODES) put_nodes(r, t);
  if (r->how->demand == HC_SLURM_DEMAND_SLURM) put_asked(r, out);
  t->memory_used = t->cpu_time = HC_UNKNOWN;
  t->memory_used = share(memory_used_of(r), 1, t->procs_used);
  const hc_time cpu = duration_in(r, HC_SLURM_TOTAL_CPU, HC_SECOND);
  if (cpu != HC_UNKNOWN && t->procs_used > 0) t->cpu_time = cpu / t->procs_used;
  t->limit = limit_of(r);
  if (hc_slurm_count(get(r, HC_SLURM_PRIORITY), &t->priority) != HC_SLURM_VALUE) t->priority = 0;
}

/* ---- terms ---- */

static bool is_said(hc_slice t)
{
  return t.n > 0 && !hc_slurm_is(t, "(null)") && !hc_slurm_is(t, "N/A") && !hc_slurm_is(t, "None");
}

/* Who may be beside it: as squeue and scontrol show it, NO, USER or YES, which is also any job of a partition
 * with OverSubscribe=FORCE; else by --exclusive and --oversubscribe of the command. */
static int64_t exclusive_of(const row *r, const hc_submit_line *line)
{
  const hc_slice shown = get(r, HC_SLURM_SHARING);
  if (hc_slurm_is(shown, "NO") || hc_slurm_is(shown, "none")) return HC_EXCLUSIVE_HOST;
  if (hc_slurm_is(shown, "USER") || hc_slurm_is(shown, "user")) return HC_EXCLUSIVE_USER;
  if (hc_slurm_is(shown, "YES")) return HC_EXCLUSIVE_NEVER;
  return line->exclusive;
}

/* What a field says, else an option of the command. */
static hc_slice told(const row *r, hc_slurm_column c, hc_slice option)
{
  return is_said(get(r, c)) ? get(r, c) : option;
}

/* "1@00:10:00": how many switches at most, and how long it waits for so few. */
static bool read_switches(hc_slice t, int64_t *most, hc_time *wait)
{
  const char *at = memchr(t.s, '@', t.n);
  const size_t n = at ? (size_t)(at - t.s) : t.n;
  if (hc_slurm_count((hc_slice){t.s, n}, most) != HC_SLURM_VALUE) return false;
  *most = HC_MIN(*most, (int64_t)UINT32_MAX);
  return !at || hc_slurm_duration((hc_slice){at + 1, t.n - n - 1}, HC_MINUTE, wait) == HC_SLURM_VALUE;
}

/* Which reservation a job names: the one that it ran in, or, where the command named several, those. */
static hc_rc put_reservation(row *r, hc_slice asked, hc_slurm_terms *t)
{
  hc_lexicon *l = r->how->names[HC_SLURM_USERS].lexicon;
  const hc_slice name =
      asked.n > 0 && memchr(asked.s, ',', asked.n) ? asked : told(r, HC_SLURM_RESERVATION, asked);
  if (!l || !is_said(name)) return 0;
  const uint32_t word = hc_lexicon_name(l, name.s, name.n);
  t->reservation = word;
  return word == HC_NO_NAME ? HC_ENOMEM : 0;
}

/* Terms of a job. A value of the command that none of its fields tells and that is none is no error of the
 * row: its quotes are lost. */
static hc_rc put_terms(row *r, hc_slurm_record *out)
{
  const hc_submit_line line = hc_submit_line_read(get(r, HC_SLURM_SUBMIT_LINE));
  const hc_slice switches = told(r, HC_SLURM_SWITCHES, line.switches),
                 least_limit = told(r, HC_SLURM_LEAST_LIMIT, line.least_limit),
                 requeue = get(r, HC_SLURM_REQUEUE);
  hc_slurm_terms *t = &out->terms;
  *t = (hc_slurm_terms){.reservation = HC_NO_NAME,
                        .switch_wait = HC_UNKNOWN,
                        .exclusive = exclusive_of(r, &line),
                        .component = out->shown[2] + 1,
                        .again = line.again,
                        .at_once = HC_MIN(out->terms.at_once, (int64_t)UINT32_MAX)};
  if (t->at_once == 0 && out->shown[1] >= 0) t->at_once = HC_MIN(line.at_once, (int64_t)UINT32_MAX);
  if (t->at_once > 0) out->spec.job = out->shown[0]; /* whose tasks they are together */
  hc_time least = 0;
  if (is_said(least_limit) && hc_slurm_duration(least_limit, HC_MINUTE, &least) == HC_SLURM_BAD &&
      least_limit.s != line.least_limit.s)
    blame(r, least_limit);
  if (least > 0 && out->spec.limit != HC_UNKNOWN && least < out->spec.limit) t->least_limit = least;
  if (is_said(switches) && !read_switches(switches, &t->switches, &t->switch_wait)) {
    t->switches = 0;
    if (switches.s != line.switches.s) blame(r, switches);
  }
  if (hc_slurm_is(requeue, "0")) t->again = HC_AGAIN_NEVER;
  if (hc_slurm_is(requeue, "1")) t->again = HC_AGAIN_ALWAYS;
  return put_reservation(r, line.reservation, t);
}

bool hc_slurm_put_terms(const hc_slurm_terms *t, hc_task_extras *m)
{
  m->reservation = (uint32_t)t->reservation;
  m->least_limit = t->least_limit;
  m->switches = (uint32_t)t->switches;
  m->switch_wait = t->switches > 0 ? t->switch_wait : HC_UNKNOWN;
  m->exclusive = (uint32_t)t->exclusive;
  m->component = (uint32_t)t->component;
  m->again = (uint32_t)t->again;
  m->at_once = (uint32_t)t->at_once;
  return hc_task_has_terms(m) || m->again != HC_AGAIN_UNSAID || m->at_once > 0;
}

/* ---- names ---- */

void hc_slurm_names_init(hc_slurm_reading *how, const hc_source_context *c)
{
  static const hc_called called[HC_SLURM_CLUSTERS] = {[HC_SLURM_USERS] = HC_CALLED_USER,
                                                      [HC_SLURM_ACCOUNTS] = HC_CALLED_GROUP,
                                                      [HC_SLURM_PARTITIONS] = HC_CALLED_PARTITION,
                                                      [HC_SLURM_QOSES] = HC_CALLED_QUEUE,
                                                      [HC_SLURM_JOB_NAMES] = HC_CALLED_EXECUTABLE};
  for (int k = 0; k < HC_SLURM_NAME_KINDS; k++) {
    hc_interned_init(&how->names[k], c->allocator, true);
    how->names[k].ledger = c->ledger;
    if (k == HC_SLURM_CLUSTERS) continue; /* which no task has */
    how->names[k].lexicon = c->lexicon;
    how->names[k].what = called[k];
  }
}

/* The number of a name; -1 if there is none. */
static hc_rc number_of(row *r, int kind, hc_slurm_column c, hc_slurm_column otherwise, int64_t *out)
{
  hc_slice name = get(r, c);
  *out = -1;
  if (name.n == 0) name = get(r, otherwise);
  if (name.n == 0) return 0;
  const hc_field f = {.text = name.s, .length = name.n};
  return HC_MIN(hc_interned_number(&r->how->names[kind], &f, NULL, out), 0);
}

static hc_rc put_names(row *r, hc_slurm_record *out)
{
  hc_task_spec *t = &out->spec;
  TRY(number_of(r, HC_SLURM_USERS, HC_SLURM_USER, HC_SLURM_UID, &t->user));
  if (t->user < 0) TRY(number_of(r, HC_SLURM_USERS, HC_SLURM_UID, HC_SLURM_UID, &t->user));
  TRY(number_of(r, HC_SLURM_ACCOUNTS, HC_SLURM_ACCOUNT, HC_SLURM_GROUP, &t->group));
  if (t->group < 0) TRY(number_of(r, HC_SLURM_ACCOUNTS, HC_SLURM_GID, HC_SLURM_GID, &t->group));
  TRY(number_of(r, HC_SLURM_PARTITIONS, HC_SLURM_PARTITION, HC_SLURM_PARTITION, &t->partition));
  TRY(number_of(r, HC_SLURM_QOSES, HC_SLURM_QOS, HC_SLURM_QOS, &t->queue));
  TRY(number_of(r, HC_SLURM_JOB_NAMES, HC_SLURM_JOB_NAME, HC_SLURM_JOB_NAME, &t->executable));
  return number_of(r, HC_SLURM_CLUSTERS, HC_SLURM_CLUSTER, HC_SLURM_CLUSTER, &out->cluster);
}

/* ---- which job ---- */

/* Whether a row is the titles again, as in files that were put together. */
static bool is_heading(const row *r)
{
  static const hc_slurm_column named[] = {HC_SLURM_JOB_ID, HC_SLURM_JOB_ID_RAW, HC_SLURM_SUBMIT};
  for (size_t i = 0; i < HC_ARRAY_LEN(named); i++)
    if (is_column(get(r, named[i]), named[i])) return true;
  return false;
}

static void put_id(hc_slurm_record *out, const hc_slurm_id *id, const hc_slurm_id *unique)
{
  out->job = unique->job >= 0 ? unique->job : id->job;
  out->task = unique->job >= 0 ? -1 : id->task;
  out->component = unique->job >= 0 ? -1 : id->component;
  out->shown[0] = id->job;
  out->shown[1] = id->task;
  out->shown[2] = id->component;
  out->spec.id = out->job;
  if (id->component >= 0) out->spec.job = id->job;
}

static hc_slurm_verdict identify(row *r, hc_slurm_record *out, hc_slice *list)
{
  const hc_slice name = get(r, HC_SLURM_JOB_ID), raw = get(r, HC_SLURM_JOB_ID_RAW);
  hc_slurm_id id = {.job = r->cells->row, .task = -1, .component = -1}, unique = {.job = -1};
  const bool named = has(r, HC_SLURM_JOB_ID) || has(r, HC_SLURM_JOB_ID_RAW);
  if (is_heading(r)) return HC_SLURM_HEADING;
  if (r->cells->id) {
    id = *r->cells->id;
    unique.job = r->cells->unique;
  }
  if (!r->cells->id && named && !hc_slurm_job(name.n > 0 ? name : raw, &id)) {
    blame(r, name);
    return HC_SLURM_MALFORMED;
  }
  if (!r->cells->id && raw.n > 0 && !hc_slurm_job(raw, &unique)) {
    blame(r, raw);
    return HC_SLURM_MALFORMED;
  }
  *list = id.list.n > 0 ? id.list : unique.list;
  if (id.is_step || unique.is_step) {
    put_id(out, &id, &unique);
    return HC_SLURM_STEP;
  }
  if (list->n > 0) unique.job = -1;
  put_id(out, &id, &unique);
  out->terms.at_once = id.at_once;
  return list->n > 0 ? HC_SLURM_ARRAY : HC_SLURM_TASK;
}

/* ---- fields of a row ---- */

void hc_slurm_cells_begin(hc_slurm_cells *c, const char *line, size_t size)
{
  c->line = line;
  c->size = size;
  c->has = 0;
  c->id = NULL;
  c->at_start = false;
  c->row = c->unique = -1;
  memset(c->at, 0, sizeof c->at);
}

void hc_slurm_say(hc_slurm_cells *c, hc_slurm_column column, const char *s, size_t n)
{
  c->at[column] = (hc_slice){s, n};
  c->has |= UINT64_C(1) << column;
}

void hc_slurm_say_word(hc_slurm_cells *c, hc_slurm_column column, const char *word)
{
  hc_slurm_say(c, column, word, strlen(word));
}

void hc_slurm_say_number(hc_slurm_cells *c, hc_slurm_column column, int64_t n)
{
  char *text = c->made[column];
  hc_slurm_say(c, column, text, n < 0 ? 0 : (size_t)(hc_put_uint(text, (uint64_t)n) - text));
}

void hc_slurm_say_switches(hc_slurm_cells *c, int64_t most, int64_t wait)
{
  char *text = c->made[HC_SLURM_SWITCHES];
  if (most <= 0) return;
  char *p = hc_put_uint(text, (uint64_t)HC_MIN(most, INT64_C(999999)));
  if (wait >= 0) {
    wait = HC_MIN(wait, INT64_C(359999999));
    p = hc_put_char(hc_put_uint(hc_put_char(p, '@'), (uint64_t)(wait / 3600)), ':');
    p = hc_put_char(hc_put_uint(p, (uint64_t)(wait % 3600 / 60)), ':');
    p = hc_put_uint(p, (uint64_t)(wait % 60));
  }
  hc_slurm_say(c, HC_SLURM_SWITCHES, text, (size_t)(p - text));
}

/* Which of two columns that users choose holds the separators that are too many: the command of a job where
 * a time between the two stands where it should then, and where no time does. */
static int freest_of(const hc_slurm_columns *columns, const hc_field *fields, size_t shift)
{
  static const uint8_t times[] = {HC_SLURM_SUBMIT, HC_SLURM_START, HC_SLURM_END, HC_SLURM_ELIGIBLE};
  const int name = columns->at[HC_SLURM_JOB_NAME], line = columns->at[HC_SLURM_SUBMIT_LINE];
  if (name < 0 || line < 0) return HC_MAX(name, line);
  for (size_t i = 0; i < HC_ARRAY_LEN(times); i++) {
    const int at = columns->at[times[i]];
    int64_t v;
    if (at < HC_MIN(name, line) || at > HC_MAX(name, line)) continue;
    const hc_slice field = slice_of(&fields[(size_t)at + (at > line ? shift : 0)]);
    return hc_slurm_time(field, NULL, 0, &v) != HC_SLURM_BAD ? line : name;
  }
  return line;
}

/* Fields behind the text that holds separators count from the end. */
bool hc_slurm_cut_row(const hc_slurm_columns *columns, const char *line, size_t n, hc_slurm_cells *out)
{
  hc_field fields[HC_SLURM_FIELDS];
  size_t count = hc_slurm_cut(line, n, columns->separator, fields);
  hc_slurm_cells_begin(out, line, n);
  if (count > HC_SLURM_FIELDS || count < columns->count) return false;
  if (count > columns->count && fields[count - 1].length == 0) count--;
  const size_t shift = count - columns->count;
  const int holder = shift > 0 ? freest_of(columns, fields, shift) : -1;
  if (shift > 0 && holder < 0) return false;
  for (size_t c = 0; c < HC_SLURM_COLUMN_COUNT; c++) {
    const int at = columns->at[c];
    if (at < 0) continue;
    const hc_field *f = &fields[(size_t)at + (at > holder ? shift : 0)];
    hc_slurm_say(out, (hc_slurm_column)c, f->text, f->length);
  }
  return true;
}

static hc_rc read_step(row *r, hc_slurm_record *out)
{
  out->spec.memory_used = memory_used_of(r);
  TRY(number_of(r, HC_SLURM_CLUSTERS, HC_SLURM_CLUSTER, HC_SLURM_CLUSTER, &out->cluster));
  return (hc_rc)HC_SLURM_STEP;
}

hc_rc hc_slurm_read(hc_slurm_reading *how, const hc_slurm_cells *cells, hc_slurm_record *out, hc_slice *list,
                    uint32_t *column)
{
  row r = {.how = how, .cells = cells};
  hc_recorded state;
  *out = (hc_slurm_record){.spec = {.cancel_at = HC_NEVER, .think = HC_UNKNOWN, .preceding = -1}};
  hc_spec_plain(&out->spec);
  const hc_slurm_verdict verdict = identify(&r, out, list);
  *column = r.bad;
  if (verdict == HC_SLURM_STEP) return read_step(&r, out);
  if (verdict != HC_SLURM_TASK && verdict != HC_SLURM_ARRAY) return (hc_rc)verdict;
  r.phase = hc_slurm_state(get(&r, HC_SLURM_STATE), &state);
  hc_spec_record(&out->spec, state);
  r.status = out->spec.status;
  read_counts(&r);
  read_times(&r);
  put_times(&r, out);
  put_amounts(&r, out);
  TRY(put_terms(&r, out));
  *column = r.bad;
  if (r.is_bad) return (hc_rc)HC_SLURM_MALFORMED;
  TRY(put_names(&r, out));
  return (hc_rc)verdict;
}
