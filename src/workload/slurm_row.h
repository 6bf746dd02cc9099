/* slurm_row.h -- one line of Slurm's accounting as a task: which column is what, and what a row says. */
#ifndef HC_WORKLOAD_SLURM_ROW_H
#define HC_WORKLOAD_SLURM_ROW_H

#include "base/lexer.h"
#include "hindcast/workload.h"
#include "workload/names.h"
#include "workload/slurm_text.h"

#define HC_SLURM_FIELDS 512                 /* of a line */
#define HC_SLURM_NAMES_A_HEADER ((size_t)3) /* titles of sacct's that make a header, also without JobID */

/* Columns that are looked at, each with the names it has had. */
#define HC_SLURM_COLUMNS(X) \
  X(JOB_ID, "JobID", NULL) \
  X(JOB_ID_RAW, "JobIDRaw", NULL) \
  X(CLUSTER, "Cluster", NULL) \
  X(USER, "User", NULL) \
  X(UID, "UID", NULL) \
  X(ACCOUNT, "Account", NULL) \
  X(GROUP, "Group", NULL) \
  X(GID, "GID", NULL) \
  X(PARTITION, "Partition", NULL) \
  X(QOS, "QOS", "QOSRAW") \
  X(JOB_NAME, "JobName", NULL) \
  X(SUBMIT, "Submit", NULL) \
  X(ELIGIBLE, "Eligible", NULL) \
  X(START, "Start", NULL) \
  X(END, "End", NULL) \
  X(ELAPSED_RAW, "ElapsedRaw", NULL) \
  X(ELAPSED, "Elapsed", NULL) \
  X(LIMIT, "Timelimit", NULL) \
  X(LIMIT_RAW, "TimelimitRaw", NULL) \
  X(STATE, "State", NULL) \
  X(NODES, "NNodes", "AllocNodes") \
  X(REQ_NODES, "ReqNodes", NULL) \
  X(NODE_LIST, "NodeList", NULL) \
  X(CPUS, "NCPUS", "AllocCPUS") \
  X(REQ_CPUS, "ReqCPUS", NULL) \
  X(REQ_MEM, "ReqMem", NULL) \
  X(REQ_TRES, "ReqTRES", NULL) \
  X(ALLOC_TRES, "AllocTRES", NULL) \
  X(GRES, "AllocGRES", "ReqGRES") \
  X(TOTAL_CPU, "TotalCPU", NULL) \
  X(CPU_TIME_RAW, "CPUTimeRAW", NULL) \
  X(PLANNED, "Planned", "Reserved") \
  X(PLANNED_CPU_RAW, "PlannedCPURAW", "ResvCPURAW") \
  X(PRIORITY, "Priority", NULL) \
  X(MAX_RSS, "MaxRSS", NULL) \
  X(TASKS, "NTasks", NULL) \
  X(USED_TRES, "TRESUsageInTot", NULL) \
  X(RESERVATION, "Reservation", NULL) \
  X(LEAST_LIMIT, "TimeMin", "MinTime") \
  X(SWITCHES, "ReqSwitches", NULL) \
  X(SHARING, "OverSubscribe", NULL) /* of squeue and scontrol */ \
  X(SUBMIT_LINE, "SubmitLine", NULL) \
  X(REQUEUE, "Requeue", NULL) \
  X(LIMIT_SECONDS, NULL, NULL) /* of other systems */ \
  X(USED_MEM, NULL, NULL)      /* bytes that a job used, all of its hosts together */

typedef enum hc_slurm_column {
#define X(name, word, old) HC_SLURM_##name,
  HC_SLURM_COLUMNS(X)
#undef X
      HC_SLURM_COLUMN_COUNT
} hc_slurm_column;

typedef struct hc_slurm_columns {
  int at[HC_SLURM_COLUMN_COUNT]; /* position, -1: the log does not have it */
  size_t count;                  /* of all columns; 0: not known yet */
  char separator;
} hc_slurm_columns;

typedef enum hc_slurm_units { HC_SLURM_UNITS_CPUS, HC_SLURM_UNITS_NODES } hc_slurm_units;
typedef enum hc_slurm_demand {
  HC_SLURM_DEMAND_PROCESSORS,
  HC_SLURM_DEMAND_NODES,
  HC_SLURM_DEMAND_SLURM
} hc_slurm_demand;
typedef enum hc_slurm_wait { HC_SLURM_WAIT_SUBMIT, HC_SLURM_WAIT_ELIGIBLE } hc_slurm_wait;
typedef enum hc_slurm_run { HC_SLURM_RUN_ELAPSED, HC_SLURM_RUN_END } hc_slurm_run;

/* Names as numbers from 1, in order of first sight. */
enum {
  HC_SLURM_USERS,
  HC_SLURM_ACCOUNTS,
  HC_SLURM_PARTITIONS,
  HC_SLURM_QOSES,
  HC_SLURM_JOB_NAMES,
  HC_SLURM_CLUSTERS,
  HC_SLURM_NAME_KINDS
};

/* The fields of one row by column, wherever they stand: in a line, in pairs of a key and a value, in JSON.
 * What another batch system says is put into Slurm's columns, and then means what Slurm's would. */
typedef struct hc_slurm_cells {
  const char *line; /* [size] what the row was read from, for places in errors */
  size_t size;
  uint64_t has;          /* a bit for each column that the log has at all */
  const hc_slurm_id *id; /* what the log calls the job; NULL: JobID and JobIDRaw say it */
  int64_t unique;        /* beside `id`: the number that no other job has; -1: `id` is it */
  bool at_start; /* the log does not know when a job arrived: what it says of that is when it started */
  int64_t row;   /* the job's number if nothing says it */
  hc_slice at[HC_SLURM_COLUMN_COUNT];   /* zeroed: empty */
  char made[HC_SLURM_COLUMN_COUNT][24]; /* numbers that were made of other forms */
} hc_slurm_cells;

/** Where a field stands in the line, 1-based; 0: not in it. */
static inline uint32_t hc_slurm_place(const hc_slurm_cells *c, hc_slice field)
{
  const uintptr_t at = (uintptr_t)field.s, line = (uintptr_t)c->line;
  return at >= line && at <= line + c->size ? (uint32_t)(at - line) + 1 : 0;
}
/** A row whose line is this, without fields yet. */
void hc_slurm_cells_begin(hc_slurm_cells *c, const char *line, size_t size);
/** The log has this column, and says so. */
void hc_slurm_say(hc_slurm_cells *c, hc_slurm_column column, const char *s, size_t n);
/** The same of a text of the program's own, and of a whole number that is not negative; one that is says
 *  nothing. */
void hc_slurm_say_word(hc_slurm_cells *c, hc_slurm_column column, const char *word);
void hc_slurm_say_number(hc_slurm_cells *c, hc_slurm_column column, int64_t n);
/** Bounds on switches, as "1@00:10:00". @param wait  seconds; -1: it does not say */
void hc_slurm_say_switches(hc_slurm_cells *c, int64_t most, int64_t wait);

/* How rows are read. Everything is borrowed. */
typedef struct hc_slurm_reading {
  hc_slurm_columns columns;
  hc_slurm_units units;
  hc_slurm_demand demand;
  hc_slurm_wait wait_from;
  hc_slurm_run run_from;
  hc_time partition_limit; /* HC_UNKNOWN: not known */
  const hc_zone *zone;     /* NULL: UTC */
  hc_interned names[HC_SLURM_NAME_KINDS];
} hc_slurm_reading;

/** Every column of names is one of names alone, told to the lexicon and the ledger of its source. */
void hc_slurm_names_init(hc_slurm_reading *how, const hc_source_context *c);

/* What a job asks of the scheduler beside hosts: as hc_task_extras has it, but numbers of 64 bits. */
typedef struct hc_slurm_terms {
  int64_t reservation; /* HC_NO_NAME: none */
  int64_t least_limit, switches, switch_wait;
  int64_t exclusive, component;
  int64_t again;   /* hc_again */
  int64_t at_once; /* tasks of its array that may run at once; 0: any number, or it is of none */
} hc_slurm_terms;

/* A row that was read. No padding. */
typedef struct hc_slurm_record {
  hc_task_spec spec;                     /* submit: ns since 1970 */
  int64_t submitted;                     /* the column Submit, Unix seconds; HC_UNKNOWN */
  int64_t job, task, component, cluster; /* which job it is, and no other */
  int64_t shown[3];                      /* the same as JobID has it, which may be said in another way: job,
                                            task of an array, component; -1 */
  int64_t still_running, provisional;    /* 0 or 1 */
  int64_t least_hosts, most_hosts;       /* as hc_task_extras has them */
  hc_slurm_terms terms;
} hc_slurm_record;

typedef enum hc_slurm_verdict {
  HC_SLURM_TASK,
  HC_SLURM_ARRAY,   /* stands for each task of a list */
  HC_SLURM_STEP,    /* part of a job that has a row of its own */
  HC_SLURM_HEADING, /* the header again, as in files that were put together */
  HC_SLURM_MALFORMED
} hc_slurm_verdict;

/** Put terms into rare facts. @return is there anything to keep? */
bool hc_slurm_put_terms(const hc_slurm_terms *t, hc_task_extras *m);
/* The separator of a line: the first of | ; , and tab that occurs in it; NUL if none does. */
char hc_slurm_separator(const char *line, size_t n);
/** Cut a line at its separators; blanks around a field are not part of it. Quotes count unless bars separate.
 *  @return fields, of which [HC_SLURM_FIELDS] are written; a larger number if there are more */
size_t hc_slurm_cut(const char *line, size_t n, char separator, hc_field out[HC_SLURM_FIELDS]);
/** The name of a column, as sacct has it today. */
const char *hc_slurm_title(hc_slurm_column c);
/* Whether fields are names of columns, JobID among them. */
bool hc_slurm_is_heading(const hc_field *fields, size_t count);
/* How many of them name columns of sacct's; with `own`, those alone that no other program would call so. */
size_t hc_slurm_named(const hc_field *fields, size_t count, bool own);
/** Whether a row is one of the 26 columns that XDMoD asks for. */
bool hc_slurm_fits_xdmod(const hc_field *fields, size_t count, char separator);
/** How likely a line is the first of sacct's records, 0 to 100. */
int hc_slurm_likely(const char *line, size_t n);
/* Which column is where. A name that occurs twice counts where it occurs first. */
void hc_slurm_find_columns(const hc_field *fields, size_t count, char separator, hc_slurm_columns *out);
/* What must be there and is not: its name, or NULL. Rows without JobID are jobs 1, 2, 3 ... */
const char *hc_slurm_missing_column(const hc_slurm_columns *c, hc_slurm_units units);
/** Cut a line into the fields of its columns. False if it does not have them. */
bool hc_slurm_cut_row(const hc_slurm_columns *columns, const char *line, size_t n, hc_slurm_cells *out);
/** Read a row. Of a step only what job it is of, and as memory_used the bytes that all its tasks used.
 *  @param column  of a malformed one, 1-based, 0 if the whole line is meant
 *  @param list  of an array
 *  @return hc_slurm_verdict or HC_ENOMEM. */
hc_rc hc_slurm_read(hc_slurm_reading *how, const hc_slurm_cells *cells, hc_slurm_record *out, hc_slice *list,
                    uint32_t *column);

#endif
