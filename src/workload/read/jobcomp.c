/* jobcomp.c -- the completion log that Slurm's plug-in jobcomp/filetxt writes: a line of KEY=value for each
 * job that ended.
 *
 * Keys come in any order, and versions have more or fewer of them. A value goes up to the next key that is
 * known; the job's name and its directory, which users choose, hold what looks like a key and is none.
 * NodeList=(null) is a job that never started: its StartTime is then its EndTime, and what it asked for
 * stands in Tres and, in most versions, in ProcCnt. Tres is what was asked for, ProcCnt and NodeCnt what was
 * given.
 *
 * Jobs are written when they end, so that submissions are out of order by up to the longest job. A job that
 * was requeued has a line for each run. Does not have: suspended time, steps, what waits or runs.
 *
 * Source: https://slurm.schedmd.com/jobcomp.html, and logs of Slurm 22.05. Cost: about 1.5 us a line. */
#include <string.h>

#include "base/util.h"
#include "workload/slurm_log.h"
#include "workload/slurm_pairs.h"

typedef struct options {
  hc_slurm_log_options common;
} options;

struct hc_source {
  hc_slurm_log log; /* first */
};

enum { ARRAY_JOB, ARRAY_TASK, HET_JOB, HET_OFFSET, PASSED_OVER };

static const hc_slurm_key keys[] = {{"JobId", HC_SLURM_PAIR, HC_SLURM_JOB_ID},
                                    {"UserId", HC_SLURM_PAIR_USER, 0},
                                    {"GroupId", HC_SLURM_PAIR_GROUP, 0},
                                    {"Name", HC_SLURM_PAIR_TEXT, HC_SLURM_JOB_NAME},
                                    {"JobState", HC_SLURM_PAIR, HC_SLURM_STATE},
                                    {"Partition", HC_SLURM_PAIR, HC_SLURM_PARTITION},
                                    {"TimeLimit", HC_SLURM_PAIR, HC_SLURM_LIMIT_RAW},
                                    {"StartTime", HC_SLURM_PAIR, HC_SLURM_START},
                                    {"EndTime", HC_SLURM_PAIR, HC_SLURM_END},
                                    {"NodeList", HC_SLURM_PAIR_NODES, HC_SLURM_NODE_LIST},
                                    {"NodeCnt", HC_SLURM_PAIR, HC_SLURM_NODES},
                                    {"ProcCnt", HC_SLURM_PAIR, HC_SLURM_CPUS},
                                    {"WorkDir", HC_SLURM_PAIR_TEXT, HC_SLURM_COLUMN_COUNT},
                                    {"ReservationName", HC_SLURM_PAIR, HC_SLURM_RESERVATION},
                                    {"Gres", HC_SLURM_PAIR, HC_SLURM_GRES},
                                    {"Tres", HC_SLURM_PAIR, HC_SLURM_REQ_TRES},
                                    {"Account", HC_SLURM_PAIR, HC_SLURM_ACCOUNT},
                                    {"QOS", HC_SLURM_PAIR, HC_SLURM_QOS},
                                    {"WcKey", HC_SLURM_PAIR_OTHER, PASSED_OVER},
                                    {"Cluster", HC_SLURM_PAIR, HC_SLURM_CLUSTER},
                                    {"SubmitTime", HC_SLURM_PAIR, HC_SLURM_SUBMIT},
                                    {"EligibleTime", HC_SLURM_PAIR, HC_SLURM_ELIGIBLE},
                                    {"ArrayJobId", HC_SLURM_PAIR_OTHER, ARRAY_JOB},
                                    {"ArrayTaskId", HC_SLURM_PAIR_OTHER, ARRAY_TASK},
                                    {"HetJobId", HC_SLURM_PAIR_OTHER, HET_JOB},
                                    {"HetJobOffset", HC_SLURM_PAIR_OTHER, HET_OFFSET},
                                    {"PackJobId", HC_SLURM_PAIR_OTHER, HET_JOB},
                                    {"PackJobOffset", HC_SLURM_PAIR_OTHER, HET_OFFSET},
                                    {"DerivedExitCode", HC_SLURM_PAIR_OTHER, PASSED_OVER},
                                    {"ExitCode", HC_SLURM_PAIR_OTHER, PASSED_OVER}};

/* A line as it is looked at. */
typedef struct record {
  hc_slurm_cells cells;
  hc_slice number[4]; /* ARRAY_JOB ... HET_OFFSET */
} record;

/* ---- a line ---- */

static void put_number(void *ctx, uint8_t which, hc_slice v)
{
  record *r = ctx;
  if (which < HC_ARRAY_LEN(r->number)) r->number[which] = v;
}

static void cut(const char *line, size_t size, record *r)
{
  hc_slurm_cells_begin(&r->cells, line, size);
  memset(r->number, 0, sizeof r->number);
  hc_slurm_pairs_cut(&r->cells, keys, HC_ARRAY_LEN(keys), false, line, size, put_number, r);
}

/* Which job it is, as Slurm spells it: a task of an array by that array, a component by its leader.
 * @return what is no number; NULL */
static const hc_slice *identify(record *r, hc_slurm_id *id)
{
  int64_t n[4] = {-1, -1, -1, -1};
  for (size_t i = 0; i < 4; i++)
    if (hc_slurm_count(r->number[i], &n[i]) == HC_SLURM_BAD) return &r->number[i];
  const hc_slice name = r->cells.at[HC_SLURM_JOB_ID];
  if (!hc_slurm_job(name, id) || id->is_step) return &r->cells.at[HC_SLURM_JOB_ID];
  r->cells.unique = id->job;
  if (n[0] > 0 && n[1] >= 0) *id = (hc_slurm_id){.job = n[0], .task = n[1], .component = -1};
  if (n[2] > 0 && n[3] >= 0) *id = (hc_slurm_id){.job = n[2], .task = -1, .component = n[3]};
  return NULL;
}

/* ---- reading ---- */

/* What each line must have. */
static const char *missing(const hc_slurm_cells *c)
{
  static const struct {
    hc_slurm_column column;
    const char *key;
  } needed[] = {{HC_SLURM_JOB_ID, "JobId"}, {HC_SLURM_START, "StartTime"}, {HC_SLURM_END, "EndTime"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(needed); i++)
    if (!(c->has >> needed[i].column & 1)) return needed[i].key;
  return NULL;
}

static hc_rc jobcomp_read(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  hc_slurm_id id;
  record r;
  char *line;
  size_t n;
  const hc_rc rc = hc_slurm_log_line(l, &line, &n, e);
  if (rc <= 0) return rc < 0 ? rc : hc_slurm_log_end(l, e);
  const uint64_t number = hc_input_lines(l->in);
  l->s.begun = true;
  cut(line, n, &r);
  if (missing(&r.cells)) return hc_slurm_log_malformed(l, line, number, 0, e);
  const hc_slice *bad = identify(&r, &id);
  if (bad) return hc_slurm_log_malformed(l, line, number, hc_slurm_place(&r.cells, *bad), e);
  r.cells.id = &id;
  return hc_slurm_log_row(l, &r.cells, number, false, e);
}

static const hc_slurm_log_type jobcomp_log = {
    .who = "source jobcomp",
    .empty = "the file that JobCompLoc in slurm.conf names",
    .advice = "no line is a job: each has JobId=, StartTime= and EndTime=, as jobcomp/filetxt writes them",
    .separator = '_',
    .words = {"account", "qos", "job_name"},
    .read = jobcomp_read};

/* ---- the reader ---- */

static int jobcomp_recognise(const char *name, const char *head, size_t size)
{
  const size_t at = hc_head_begin(head, size);
  HC_UNUSED(name);
  if (size - at < 6 || memcmp(head + at, "JobId=", 6) != 0) return 0;
  return hc_head_holds(head, size, " JobState=") && hc_head_holds(head, size, " EndTime=") ? 95 : 0;
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options, "Path of the log, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_SLURM_LOG_UNITS(options, "ProcCnt, and cpu in Tres", "NodeCnt, and node in Tres"),
    HC_SLURM_LOG_DEMAND(options, " (Tres)"),
    HC_SLURM_LOG_WAIT(options, "EligibleTime: dependencies, begin times and holds are over"),
    HC_SLURM_LOG_RUN(options, "the same, since the log does not say how long it was suspended"),
    HC_SLURM_LOG_REQUEUES(options, ", one for each run"),
    HC_PARAM_AS(TIME, "partition_limit", options, common.partition_limit, "s", NULL, 1, 1e9,
                "The limit of jobs whose TimeLimit is Partition_Limit. Default: no limit."),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

HC_SLURM_LOG_READER(
    jobcomp, jobcomp_log, jobcomp_recognise, params,
    .summary = "the completion log that Slurm's jobcomp/filetxt writes",
    .detail =
        "A line of KEY=value for each job that ended; JobId, StartTime and EndTime are required. A job "
        "without nodes (NodeList=(null)) never started. Tasks of arrays and components of heterogeneous jobs "
        "are named 7_3 and 7+1. Names, states and the origin of time mean the same as for the reader sacct. "
        "Lines are in order of end; if jobs run for longer than the run's sort_window spans, `trace convert` "
        "with a larger sort_window puts them in order of submission.",
    .source = "https://slurm.schedmd.com/jobcomp.html");
