/* scontrol_jobs.c -- the jobs that wait and run now, as `scontrol show job` prints them.
 *
 * A record is lines of KEY=value from one JobId= to the next; with -o it is one line. Keys that are not known
 * are passed over, so that versions do not matter. A job's name and what it runs may hold anything, and end
 * at their line. Source: https://slurm.schedmd.com/scontrol.html, and texts of Slurm 22.05. Cost: about 5 us
 * a job. */
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "base/util.h"
#include "workload/slurm_live.h"
#include "workload/slurm_pairs.h"

typedef struct options {
  hc_slurm_live_options common;
} options;

struct hc_source {
  hc_slurm_live live; /* first */
};

enum {
  JOB,
  ARRAY_JOB,
  ARRAY_TASK,
  HET_JOB,
  HET_OFFSET,
  REASON,
  DEPENDENCY,
  CPUS,
  NODES,
  MEMORY_NODE,
  MEMORY_CPU,
  TRES,
  TRES_NODE,
  THROTTLE,
  OTHERS
};

static const hc_slurm_key keys[] = {{"JobId", HC_SLURM_PAIR_OTHER, JOB},
                                    {"ArrayJobId", HC_SLURM_PAIR_OTHER, ARRAY_JOB},
                                    {"ArrayTaskId", HC_SLURM_PAIR_OTHER, ARRAY_TASK},
                                    {"ArrayTaskThrottle", HC_SLURM_PAIR_OTHER, THROTTLE},
                                    {"HetJobId", HC_SLURM_PAIR_OTHER, HET_JOB},
                                    {"HetJobOffset", HC_SLURM_PAIR_OTHER, HET_OFFSET},
                                    {"JobName", HC_SLURM_PAIR_TEXT, HC_SLURM_JOB_NAME},
                                    {"UserId", HC_SLURM_PAIR_USER, 0},
                                    {"GroupId", HC_SLURM_PAIR_GROUP, 0},
                                    {"Priority", HC_SLURM_PAIR, HC_SLURM_PRIORITY},
                                    {"Account", HC_SLURM_PAIR, HC_SLURM_ACCOUNT},
                                    {"QOS", HC_SLURM_PAIR, HC_SLURM_QOS},
                                    {"JobState", HC_SLURM_PAIR, HC_SLURM_STATE},
                                    {"Reason", HC_SLURM_PAIR_OTHER, REASON},
                                    {"Dependency", HC_SLURM_PAIR_OTHER, DEPENDENCY},
                                    {"RunTime", HC_SLURM_PAIR, HC_SLURM_ELAPSED},
                                    {"TimeLimit", HC_SLURM_PAIR, HC_SLURM_LIMIT},
                                    {"TimeMin", HC_SLURM_PAIR, HC_SLURM_LEAST_LIMIT},
                                    {"Reservation", HC_SLURM_PAIR, HC_SLURM_RESERVATION},
                                    {"Switches", HC_SLURM_PAIR, HC_SLURM_SWITCHES},
                                    {"OverSubscribe", HC_SLURM_PAIR, HC_SLURM_SHARING},
                                    {"Requeue", HC_SLURM_PAIR, HC_SLURM_REQUEUE},
                                    {"SubmitTime", HC_SLURM_PAIR, HC_SLURM_SUBMIT},
                                    {"EligibleTime", HC_SLURM_PAIR, HC_SLURM_ELIGIBLE},
                                    {"StartTime", HC_SLURM_PAIR, HC_SLURM_START},
                                    {"Partition", HC_SLURM_PAIR, HC_SLURM_PARTITION},
                                    {"NodeList", HC_SLURM_PAIR_NODES, HC_SLURM_NODE_LIST},
                                    {"NumNodes", HC_SLURM_PAIR_OTHER, NODES},
                                    {"NumCPUs", HC_SLURM_PAIR_OTHER, CPUS},
                                    {"TRES", HC_SLURM_PAIR_OTHER, TRES},
                                    {"ReqTRES", HC_SLURM_PAIR, HC_SLURM_REQ_TRES},
                                    {"AllocTRES", HC_SLURM_PAIR, HC_SLURM_ALLOC_TRES},
                                    {"MinMemoryNode", HC_SLURM_PAIR_OTHER, MEMORY_NODE},
                                    {"MinMemoryCPU", HC_SLURM_PAIR_OTHER, MEMORY_CPU},
                                    {"TresPerNode", HC_SLURM_PAIR_OTHER, TRES_NODE},
                                    {"SubmitLine", HC_SLURM_PAIR_TEXT, HC_SLURM_SUBMIT_LINE},
                                    {"Command", HC_SLURM_PAIR_TEXT, HC_SLURM_COLUMN_COUNT},
                                    {"WorkDir", HC_SLURM_PAIR_TEXT, HC_SLURM_COLUMN_COUNT},
                                    {"Comment", HC_SLURM_PAIR_TEXT, HC_SLURM_COLUMN_COUNT}};

/* A record as it is looked at. */
typedef struct record {
  hc_slurm_cells cells;
  hc_slice other[OTHERS];
  uint64_t line; /* where it begins; 0: none has begun */
} record;

/* Texts of the record: its lines are copied behind each other. */
typedef struct reading {
  hc_slurm_live *l;
  hc_arena texts;
  record r;
  char id[160], memory[64];
} reading;

static void take_other(void *ctx, uint8_t number, hc_slice v)
{
  record *r = ctx;
  r->other[number] = v;
}

/* ---- what a record says ---- */

static int print(char *out, size_t size, hc_slice a, const char *between, hc_slice b, const char *end)
{
  const int n = snprintf(out, size, "%.*s%s%.*s%s", (int)HC_MIN(a.n, (size_t)60), a.s ? a.s : "", between,
                         (int)HC_MIN(b.n, (size_t)80), b.s ? b.s : "", end);
  return HC_MIN(n, (int)size - 1);
}

/* Which job it is, as Slurm spells it: "7_3", "7_[4-9%2]" of one that waits, "7+1". */
static void say_id(reading *x)
{
  const hc_slice *o = x->r.other;
  int64_t task;
  const bool is_list = o[ARRAY_TASK].n > 0 && hc_slurm_count(o[ARRAY_TASK], &task) != HC_SLURM_VALUE;
  int n;
  if (o[ARRAY_TASK].n > 0 && o[ARRAY_JOB].n > 0)
    n = print(x->id, sizeof x->id, o[ARRAY_JOB], is_list ? "_[" : "_", o[ARRAY_TASK], is_list ? "]" : "");
  else if (o[HET_JOB].n > 0 && o[HET_OFFSET].n > 0)
    n = print(x->id, sizeof x->id, o[HET_JOB], "+", o[HET_OFFSET], "");
  else n = print(x->id, sizeof x->id, o[JOB], "", (hc_slice){0}, "");
  hc_slurm_say(&x->r.cells, HC_SLURM_JOB_ID, x->id, (size_t)n);
}

/* "2-4" is a range that a waiting job may have: its least. */
static hc_slice least_of(hc_slice t)
{
  const char *dash = t.n > 0 ? memchr(t.s, '-', t.n) : NULL;
  return dash ? (hc_slice){t.s, (size_t)(dash - t.s)} : t;
}

static void say_amounts(reading *x)
{
  hc_slurm_cells *c = &x->r.cells;
  const hc_slice *o = x->r.other, cpus = least_of(o[CPUS]), nodes = least_of(o[NODES]);
  const bool runs = !hc_slurm_is(c->at[HC_SLURM_STATE], "PENDING"), by_cpu = o[MEMORY_CPU].n > 0;
  const hc_slice memory = by_cpu ? o[MEMORY_CPU] : o[MEMORY_NODE];
  if (cpus.n > 0) hc_slurm_say(c, runs ? HC_SLURM_CPUS : HC_SLURM_REQ_CPUS, cpus.s, cpus.n);
  if (nodes.n > 0) hc_slurm_say(c, runs ? HC_SLURM_NODES : HC_SLURM_REQ_NODES, nodes.s, nodes.n);
  if (o[TRES].n > 0 && c->at[HC_SLURM_REQ_TRES].n == 0)
    hc_slurm_say(c, runs ? HC_SLURM_ALLOC_TRES : HC_SLURM_REQ_TRES, o[TRES].s, o[TRES].n);
  if (o[TRES_NODE].n > 5 && memcmp(o[TRES_NODE].s, "gres", 4) == 0) /* gres:gpu:2, gres/gpu:2 */
    hc_slurm_say(c, HC_SLURM_GRES, o[TRES_NODE].s + 5, o[TRES_NODE].n - 5);
  if (memory.n == 0) return;
  const int n = print(x->memory, sizeof x->memory, memory, "", (hc_slice){0}, by_cpu ? "c" : "n");
  hc_slurm_say(c, HC_SLURM_REQ_MEM, x->memory, (size_t)n);
}

static hc_rc end_record(reading *x, hc_error *e)
{
  record *r = &x->r;
  const hc_slurm_live_more more = {r->other[REASON], r->other[DEPENDENCY],
                                   hc_slurm_at_once(r->other[THROTTLE])};
  hc_rc rc = 0;
  if (r->line > 0) {
    say_id(x);
    say_amounts(x);
    rc = hc_slurm_live_take(x->l, &r->cells, &more, r->line, e);
  }
  *r = (record){.line = 0};
  hc_arena_reset(&x->texts);
  return rc;
}

/* ---- lines ---- */

static bool begins_record(const char *line)
{
  return memcmp(line, "JobId=", 6) == 0;
}

static hc_rc take_line(reading *x, const char *line, size_t n, uint64_t number, hc_error *e)
{
  while (n > 0 && (*line == ' ' || *line == '\t')) line++, n--;
  if (n >= 6 && begins_record(line)) {
    TRY(end_record(x, e));
    x->r.line = number;
    hc_slurm_cells_begin(&x->r.cells, "", 0);
  }
  if (n == 0) return 0;
  if (x->r.line == 0) return hc_slurm_live_malformed(x->l, line, number, 0, e);
  const char *copy = hc_arena_text(&x->texts, line, n);
  if (!copy) return hc_fail(e, HC_ENOMEM, x->l->name, 0, 0, "out of memory for the queue");
  const bool is_whole = x->r.line == number && strstr(copy, " JobState="); /* of -o */
  hc_slurm_pairs_cut(&x->r.cells, keys, HC_ARRAY_LEN(keys), !is_whole, copy, n, take_other, &x->r);
  return 0;
}

static hc_rc read_lines(reading *x, hc_input *in, hc_error *e)
{
  char *line;
  size_t n;
  hc_rc rc;
  while ((rc = hc_input_line(in, &line, &n, e)) == 1) TRY(take_line(x, line, n, hc_input_lines(in), e));
  return rc < 0 ? rc : end_record(x, e);
}

static hc_rc read_all(hc_source *s, hc_error *e)
{
  reading x = {.l = &s->live};
  const hc_source_context *c = s->live.context;
  hc_input *in = NULL;
  hc_arena_init(&x.texts, c->allocator);
  hc_rc rc = hc_input_open(c->allocator, s->live.o->file, &in, e);
  if (rc >= 0) hc_input_sum(in, c->sums);
  if (rc >= 0) rc = read_lines(&x, in, e);
  hc_input_free(in);
  hc_arena_fini(&x.texts);
  return rc;
}

/* ---- the reader ---- */

static hc_rc scontrol_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  return hc_slurm_live_open(c, "source scontrol_jobs", given, sizeof **out, read_all,
                            "no record is a job: give what `scontrol show job` printed", out, e);
}

static void scontrol_close(hc_source *s)
{
  hc_slurm_live_close(s, sizeof *s);
}

static int scontrol_recognise(const char *name, const char *head, size_t size)
{
  const size_t at = hc_head_begin(head, size);
  HC_UNUSED(name);
  if (size - at < 6 || !begins_record(head + at)) return 0;
  return hc_head_holds(head, size, "JobName=") && hc_head_holds(head, size, "JobState=") ? 96 : 0;
}

static const hc_param params[] = {
    HC_SLURM_LIVE_PARAMS(options, "Path of what `scontrol show job` printed, with -o or without; - is "
                                  "standard input."),
    {.name = NULL},
};

const hc_reader_type hc_reader_scontrol_jobs = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "scontrol_jobs",
         .summary = "the jobs that run and wait now, as scontrol show job prints them",
         .detail =
             "A running job is placed on its nodes, and runs up to its limit. A pending job keeps its "
             "submission, and may start at or after the time of the listing, when it is eligible and the "
             "jobs that it depends on allow it. A pending array becomes a task for each element, of which at "
             "most as many run at one time as its bound (%2) says. A job with OverSubscribe=NO has its nodes "
             "for itself. Jobs that have ended are `outside`, held jobs are `filtered`. Run times here are "
             "upper bounds: `hindcast when` draws them from history.",
         .source = "https://slurm.schedmd.com/scontrol.html", .params = params,
         .options_size = sizeof(options)},
    .open = scontrol_open,
    .next = hc_slurm_live_next,
    .info = hc_slurm_live_info,
    .refers = hc_slurm_live_refers,
    .visit = hc_slurm_live_visit,
    .close = scontrol_close,
    .recognise = scontrol_recognise,
};
