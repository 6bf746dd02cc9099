/* squeue.c -- the jobs that wait and run now, as a table that `squeue` prints with a bar between columns.
 *
 *   squeue --all --format='%i|%P|%j|%u|%a|%q|%T|%V|%S|%M|%l|%D|%C|%m|%Q|%r|%E|%N'
 *
 * Columns are found by the titles that squeue gives them, in any order; those of --Format have the same or
 * are known by theirs. A job's name may hold bars. Without --array a waiting array is one row, 7_[1-9]: a
 * task for each. Source: https://slurm.schedmd.com/squeue.html. Cost: about 3 us a row. */
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "base/util.h"
#include "workload/slurm_live.h"

typedef struct options {
  hc_slurm_live_options common;
} options;

struct hc_source {
  hc_slurm_live live; /* first */
};

/* Behind the columns of sacct's those that are not. */
enum {
  REASON = HC_SLURM_COLUMN_COUNT,
  NODES_OR_REASON,
  DEPENDENCY,
  MEMORY,
  TRES_NODE,
  SWITCH_WAIT,
  ALL_COLUMNS
};

static const struct {
  const char *title;
  uint8_t column;
} titles[] = {{"JOBID", HC_SLURM_JOB_ID},
              {"PARTITION", HC_SLURM_PARTITION},
              {"NAME", HC_SLURM_JOB_NAME},
              {"USER", HC_SLURM_USER},
              {"USERNAME", HC_SLURM_USER},
              {"UID", HC_SLURM_UID},
              {"USERID", HC_SLURM_UID},
              {"GROUP", HC_SLURM_GROUP},
              {"GROUPNAME", HC_SLURM_GROUP},
              {"ACCOUNT", HC_SLURM_ACCOUNT},
              {"QOS", HC_SLURM_QOS},
              {"ST", HC_SLURM_STATE},
              {"STATE", HC_SLURM_STATE},
              {"STATECOMPACT", HC_SLURM_STATE},
              {"SUBMITTIME", HC_SLURM_SUBMIT},
              {"ELIGIBLETIME", HC_SLURM_ELIGIBLE},
              {"STARTTIME", HC_SLURM_START},
              {"TIME", HC_SLURM_ELAPSED},
              {"TIMEUSED", HC_SLURM_ELAPSED},
              {"TIMELIMIT", HC_SLURM_LIMIT},
              {"NODES", HC_SLURM_NODES},
              {"NUMNODES", HC_SLURM_NODES},
              {"CPUS", HC_SLURM_CPUS},
              {"NUMCPUS", HC_SLURM_CPUS},
              {"PRIORITY", HC_SLURM_PRIORITY},
              {"PRIORITYLONG", HC_SLURM_PRIORITY},
              {"NODELIST", HC_SLURM_NODE_LIST},
              {"TRESALLOC", HC_SLURM_ALLOC_TRES},
              {"RESERVATION", HC_SLURM_RESERVATION},
              {"TIMEMIN", HC_SLURM_LEAST_LIMIT},
              {"MINTIME", HC_SLURM_LEAST_LIMIT},
              {"REQSWITCH", HC_SLURM_SWITCHES},
              {"OVERSUBSCRIBE", HC_SLURM_SHARING},
              {"WAIT4SWITCH", SWITCH_WAIT},
              {"REQUEUE", HC_SLURM_REQUEUE},
              {"REASON", REASON},
              {"NODELIST(REASON)", NODES_OR_REASON},
              {"REASONLIST", NODES_OR_REASON},
              {"DEPENDENCY", DEPENDENCY},
              {"MINMEMORY", MEMORY},
              {"TRESPERNODE", TRES_NODE}};

typedef struct reading {
  hc_slurm_live *l;
  hc_slurm_columns columns; /* its separator; the rest is in `at` */
  int at[ALL_COLUMNS];      /* -1: there is none */
  char memory[64], switches[64];
} reading;

/* ---- the header ---- */

/* Titles are the same without their blanks, underlines and lines. */
static bool is_title(hc_slice t, const char *title)
{
  size_t k = 0;
  for (size_t i = 0; i < t.n; i++) {
    if (t.s[i] == '_' || t.s[i] == '-' || t.s[i] == ' ') continue;
    const char c = t.s[i] >= 'a' && t.s[i] <= 'z' ? (char)(t.s[i] - 32) : t.s[i];
    if (title[k++] != c) return false;
  }
  return title[k] == '\0';
}

static size_t find_titles(const hc_field *fields, size_t count, int at[ALL_COLUMNS])
{
  size_t found = 0;
  for (size_t c = 0; c < ALL_COLUMNS; c++) at[c] = -1;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < HC_ARRAY_LEN(titles); k++)
      if (is_title((hc_slice){fields[i].text, fields[i].length}, titles[k].title)) {
        found += at[titles[k].column] < 0;
        at[titles[k].column] = (int)i;
        break;
      }
  return found;
}

static hc_rc check_header(const reading *x, const char *line, hc_error *e)
{
  static const struct {
    uint8_t column, or_column;
    const char *title;
  } needed[] = {{HC_SLURM_JOB_ID, HC_SLURM_JOB_ID, "JOBID (%i)"},
                {HC_SLURM_STATE, HC_SLURM_STATE, "STATE (%T)"},
                {HC_SLURM_LIMIT, HC_SLURM_LIMIT, "TIME_LIMIT (%l)"},
                {HC_SLURM_CPUS, HC_SLURM_NODES, "CPUS (%C) or NODES (%D)"},
                {HC_SLURM_START, HC_SLURM_ELAPSED, "START_TIME (%S) or TIME (%M)"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(needed); i++)
    if (x->at[needed[i].column] < 0 && x->at[needed[i].or_column] < 0)
      return hc_fail(e, HC_EINPUT, x->l->name, 1, 0,
                     "there is no column %s%s: ask squeue with "
                     "--format='%%i|%%P|%%j|%%u|%%a|%%q|%%T|%%V|%%S|%%M|%%l|%%D|%%C|%%m|%%Q|%%r|%%E|%%N'",
                     needed[i].title, strchr(line, '|') ? "" : ", nor a bar between columns");
  return 0;
}

/* ---- rows ---- */

static bool is_waiting(hc_slice state)
{
  return hc_slurm_is(state, "PENDING") || hc_slurm_is(state, "PD");
}

/* A bar in a job's name: columns behind it count from the end. */
static hc_slice get(const reading *x, const hc_field *fields, size_t shift, size_t column)
{
  const int at = x->at[column], name = x->at[HC_SLURM_JOB_NAME];
  if (at < 0) return (hc_slice){0};
  const hc_field *f = &fields[(size_t)at + (name >= 0 && at > name ? shift : 0)];
  return (hc_slice){f->text, f->length};
}

/* How many switches is one column, how long a job waits for so few another. */
static void say_switches(reading *x, hc_slurm_cells *c, hc_slice wait)
{
  const hc_slice most = c->at[HC_SLURM_SWITCHES];
  if (most.n == 0 || wait.n == 0 || !hc_is_digit(wait.s[0]) || most.n + wait.n + 2 > sizeof x->switches)
    return;
  const int n =
      snprintf(x->switches, sizeof x->switches, "%.*s@%.*s", (int)most.n, most.s, (int)wait.n, wait.s);
  hc_slurm_say(c, HC_SLURM_SWITCHES, x->switches, (size_t)n);
}

static void say_rest(reading *x, hc_slurm_cells *c, const hc_field *fields, size_t shift,
                     hc_slurm_live_more *more)
{
  const bool waits = is_waiting(c->at[HC_SLURM_STATE]);
  const hc_slice both = get(x, fields, shift, NODES_OR_REASON), memory = get(x, fields, shift, MEMORY),
                 tres = get(x, fields, shift, TRES_NODE);
  *more = (hc_slurm_live_more){get(x, fields, shift, REASON), get(x, fields, shift, DEPENDENCY), 0};
  if (both.n > 2 && both.s[0] == '(' && more->reason.n == 0)
    more->reason = (hc_slice){both.s + 1, both.n - 2};
  else if (both.n > 0 && both.s[0] != '(' && c->at[HC_SLURM_NODE_LIST].n == 0)
    hc_slurm_say(c, HC_SLURM_NODE_LIST, both.s, both.n);
  if (waits && x->at[HC_SLURM_CPUS] >= 0) {
    hc_slurm_say(c, HC_SLURM_REQ_CPUS, c->at[HC_SLURM_CPUS].s, c->at[HC_SLURM_CPUS].n);
    hc_slurm_say(c, HC_SLURM_CPUS, "", 0);
  }
  if (waits && x->at[HC_SLURM_NODES] >= 0) {
    hc_slurm_say(c, HC_SLURM_REQ_NODES, c->at[HC_SLURM_NODES].s, c->at[HC_SLURM_NODES].n);
    hc_slurm_say(c, HC_SLURM_NODES, "", 0);
  }
  if (tres.n > 5 && memcmp(tres.s, "gres", 4) == 0) hc_slurm_say(c, HC_SLURM_GRES, tres.s + 5, tres.n - 5);
  say_switches(x, c, get(x, fields, shift, SWITCH_WAIT));
  if (memory.n == 0) return;
  const bool by_cpu = memory.s[memory.n - 1] == 'c'; /* else of a node */
  const int n = snprintf(x->memory, sizeof x->memory, "%.*s%s", (int)HC_MIN(memory.n, (size_t)40), memory.s,
                         by_cpu ? "" : "n");
  hc_slurm_say(c, HC_SLURM_REQ_MEM, x->memory, (size_t)n);
}

static hc_rc take_line(reading *x, const char *line, size_t n, uint64_t number, hc_error *e)
{
  hc_field fields[HC_SLURM_FIELDS];
  hc_slurm_cells cells;
  hc_slurm_live_more more;
  size_t count = hc_slurm_cut(line, n, x->columns.separator, fields);
  if (count > HC_SLURM_FIELDS || count < x->columns.count ||
      (count > x->columns.count && x->at[HC_SLURM_JOB_NAME] < 0)) {
    return hc_slurm_live_malformed(x->l, line, number, 0, e);
  }
  const size_t shift = count - x->columns.count;
  hc_slurm_cells_begin(&cells, line, n);
  for (size_t c = 0; c < HC_SLURM_COLUMN_COUNT; c++) {
    if (x->at[c] < 0) continue;
    const hc_slice v = get(x, fields, shift, c);
    hc_slurm_say(&cells, (hc_slurm_column)c, v.s, v.n);
  }
  say_rest(x, &cells, fields, shift, &more);
  if (hc_slurm_is(cells.at[HC_SLURM_STATE], "STATE") || hc_slurm_is(cells.at[HC_SLURM_STATE], "ST"))
    if (hc_slurm_is(cells.at[HC_SLURM_JOB_ID], "JOBID")) return 0; /* the header again */
  return hc_slurm_live_take(x->l, &cells, &more, number, e);
}

static hc_rc read_lines(reading *x, hc_input *in, hc_error *e)
{
  hc_field fields[HC_SLURM_FIELDS];
  char *line;
  size_t n;
  hc_rc rc = hc_input_line(in, &line, &n, e);
  if (rc <= 0)
    return rc < 0 ? rc : hc_fail(e, HC_EINPUT, x->l->name, 0, 0, "the file is empty: give a table of squeue");
  x->columns.separator = strchr(line, '|') ? '|' : hc_slurm_separator(line, n);
  x->columns.count = HC_MIN(hc_slurm_cut(line, n, x->columns.separator, fields), HC_SLURM_FIELDS);
  (void)find_titles(fields, x->columns.count, x->at);
  TRY(check_header(x, line, e));
  while ((rc = hc_input_line(in, &line, &n, e)) == 1)
    if (n > 0) TRY(take_line(x, line, n, hc_input_lines(in), e));
  return rc;
}

static hc_rc read_all(hc_source *s, hc_error *e)
{
  reading x = {.l = &s->live};
  const hc_source_context *c = s->live.context;
  hc_input *in = NULL;
  hc_rc rc = hc_input_open(c->allocator, s->live.o->file, &in, e);
  if (rc >= 0) hc_input_sum(in, c->sums);
  if (rc >= 0) rc = read_lines(&x, in, e);
  hc_input_free(in);
  return rc;
}

/* ---- the reader ---- */

static hc_rc squeue_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  return hc_slurm_live_open(
      c, "source squeue", given, sizeof **out, read_all,
      "no row is a job as the columns say: give what squeue printed with a bar between columns", out, e);
}

static void squeue_close(hc_source *s)
{
  hc_slurm_live_close(s, sizeof *s);
}

static int squeue_recognise(const char *name, const char *head, size_t size)
{
  hc_field fields[HC_SLURM_FIELDS];
  const char *end = memchr(head, '\n', size);
  const size_t n = end ? (size_t)(end - head) : size;
  int at[ALL_COLUMNS];
  HC_UNUSED(name);
  if (n < 6 || !memchr(head, '|', n) || !hc_head_holds(head, n, "JOBID")) return 0;
  const size_t count = HC_MIN(hc_slurm_cut(head, n, '|', fields), HC_SLURM_FIELDS);
  const size_t found = find_titles(fields, count, at);
  const bool has_state = at[HC_SLURM_STATE] >= 0 && at[HC_SLURM_JOB_ID] >= 0;
  return has_state && found >= 3 ? 97 : 0; /* sacct writes JobID */
}

static const hc_param params[] = {
    HC_SLURM_LIVE_PARAMS(options, "Path of the table that squeue printed, with a bar between columns; - is "
                                  "standard input."),
    {.name = NULL},
};

const hc_reader_type hc_reader_squeue = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "squeue",
         .summary = "the jobs that run and wait now, as squeue prints them",
         .detail = "A table with titles and a bar between columns. Required are JOBID, STATE or ST, "
                   "TIME_LIMIT, CPUS or NODES, START_TIME or TIME. SUBMIT_TIME, NODELIST, PRIORITY, REASON, "
                   "DEPENDENCY and RESERVATION improve the result, and OVER_SUBSCRIBE (%h) says which jobs "
                   "have their nodes for themselves or for their user. A running job is placed on its nodes, "
                   "and runs up to its limit. A pending job keeps its submission, and may start at or after "
                   "the time of the listing, when the jobs that it depends on allow it. Held jobs are "
                   "`filtered`. Run times here are upper bounds: `hindcast when` draws them from history.",
         .source = "https://slurm.schedmd.com/squeue.html", .params = params,
         .options_size = sizeof(options)},
    .open = squeue_open,
    .next = hc_slurm_live_next,
    .info = hc_slurm_live_info,
    .refers = hc_slurm_live_refers,
    .visit = hc_slurm_live_visit,
    .close = squeue_close,
    .recognise = squeue_recognise,
};
