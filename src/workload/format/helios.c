/* helios.c -- cluster_log.csv of the Helios data set, and tables of GPU clusters that are like it (Acme).
 *
 * The header says where things stand; a column may have any of the titles below. A row is a job that ran, or
 * was to run, on `node_num` hosts with `gpu_num` GPUs and `cpu_num` cores in all, which are dealt out to the
 * hosts as evenly as whole GPUs allow: where they do not come out even, the hosts with one GPU less are a
 * chunk. Memory, where a table has it, is that of each host.
 *
 * Run time is end - start, and `duration` only in a table without these two columns, since Acme's holds the
 * wait as well. Helios writes local time without saying whose; Acme has an offset with each date.
 *
 * Users, virtual clusters and kinds of job become numbers from 1 in order of first sight. It does not read
 * cluster_gpu_number.csv (the size of each virtual cluster on each day), and does not look at failures'
 * times.
 *
 * Written, GPUs and cores are rounded up to whole ones; vc is the queue, or the group of a task that has
 * none. Dates are UTC, whole seconds, counted from 1970 if the trace does not say when it began. A bundle
 * becomes as many rows. Source: Hu et al., SC 2021, doi:10.1145/3458817.3476223; Hu et al., NSDI 2024 (Acme).
 * Cost: about 1 us a row read, 150 ns written. */
#include "table/pen.h"
#include "table/sheet.h"
#include "workload/ledger.h"

#define MOST_OF_ANY ((int64_t)1 << 30) /* GPUs, cores, hosts of a job */

enum {
  ID,
  USER,
  CLUSTER,
  GPUS,
  CPUS,
  NODES,
  STATE,
  SUBMIT,
  START,
  END,
  DURATION,
  WAIT,
  MEMORY,
  KIND,
  COLUMNS
};
enum { PROCESSORS_CPU, PROCESSORS_GPU };

typedef struct options {
  hc_sheet_options common;
  int processors;
} options;

static char *put_state(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(w);
  hc_pen_lose(lost, HC_FACT_BIT(RUN),
              t->flags & HC_SPEC_NO_END); /* a job that runs is no task to its reader */
  if (t->flags & HC_SPEC_NO_END) return hc_put_text(p, "RUNNING");
  return hc_put_state(p, t, lost);
}

#define COUNT HC_WHOLE(0, MOST_OF_ANY), .wrong = "no number of GPUs, cores or hosts"

static const hc_column columns[COLUMNS] = {
    [ID] = {"job_id|jobid|id|job_name", HC_TO(ID), HC_NUMBERED(""), .flags = HC_OR_ROW},
    [USER] = {"user|user_id|user_name", HC_TO(USER), HC_IS(NAME)},
    [CLUSTER] = {"vc|virtual_cluster|vc_name|partition", HC_TO(QUEUE), HC_IS(NAME)},
    [GPUS] = {"gpu_num|num_gpus|gpus|gpu", COUNT, .note = "GPUs of all its hosts",
              .flags = HC_TELLING | HC_LATE},
    [CPUS] = {"cpu_num|num_cpus|cpus|cpu", COUNT, .note = "cores of all its hosts", .flags = HC_LATE},
    [NODES] = {"node_num|num_nodes|nodes|node", COUNT, .note = "hosts", .flags = HC_TELLING | HC_LATE},
    [STATE] = {"state|status|job_state", .note = "status", .put = put_state},
    [SUBMIT] = {"submit_time|submitted_time|submit", HC_TO(SUBMIT), HC_IS(MOMENT), .flags = HC_TELLING},
    [START] = {"start_time|start", HC_IS(MOMENT), .note = "the end of its wait"},
    [END] = {"end_time|finish_time|end", HC_IS(MOMENT), .note = "the end of its run"},
    [DURATION] = {"duration|run_time|runtime", HC_TO(RUN), HC_IS(LENGTH)},
    [WAIT] = {"queue|queue_time|wait_time", HC_TO(WAIT), HC_IS(LENGTH)},
    [MEMORY] = {"mem_per_pod_GB|mem_per_node_GB", HC_TO(MEMORY), HC_AMOUNT((int64_t)1 << 30),
                .wrong = "no number of gigabytes", .flags = HC_READ_ONLY | HC_LATE},
    [KIND] = {"type|job_type", HC_TO(EXECUTABLE), HC_IS(NAME), .flags = HC_READ_ONLY}};

static const hc_table_form form =
    HC_FORM("a log of Helios", columns, ',', .joined = true, .titles = HC_TITLES_ALWAYS);

/* ---- reading ---- */

static hc_rc check_titles(hc_sheet *s, hc_error *e)
{
  const uint64_t *at = s->s.at;
  const char *missing = at[SUBMIT] == 0 ? "submit_time"
                        : at[DURATION] == 0 && !(at[START] && at[END])
                            ? "start_time and end_time, or duration,"
                        : at[GPUS] == 0 && at[CPUS] == 0 ? "gpu_num or cpu_num"
                                                         : NULL;
  if (at[START] && at[END]) s->s.at[DURATION] = 0; /* it is not looked at */
  if (!missing) return 0;
  return hc_fail(
      e, HC_EINPUT, s->in.name, hc_line_number(s->in.s.line), 0,
      "no column %s is in this header, which begins with \"%.80s\"; the reader csv takes any columns",
      missing, s->in.titles[0]);
}

/* A word, or a word and more behind a blank: Slurm writes "CANCELLED by 1001". */
static bool begins_with_word(const hc_field *f, const char *word)
{
  const size_t n = strlen(word);
  return hc_same_word(f->text, HC_MIN(f->length, n), word) && (f->length <= n || f->text[n] == ' ');
}

static hc_recorded state_of(const hc_field *f)
{
  if (!f) return HC_RECORDED_UNKNOWN;
  if (begins_with_word(f, "CANCELLED") || begins_with_word(f, "CANCELED")) return HC_RECORDED_CANCELLED;
  if (hc_same_word(f->text, f->length, "ERROR")) return HC_RECORDED_FAILED;
  return hc_recorded_of(f->text, f->length);
}

static hc_rc read_times(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const hc_time start = s->value[START], end = s->value[END];
  hc_spec_record(t, state_of(hc_sheet_field(s, STATE)));
  if (t->submit != HC_UNKNOWN && start != HC_UNKNOWN && !hc_span(start, t->submit, &t->wait))
    return hc_sheet_wrong(s, START, "before the submission", e);
  if (start != HC_UNKNOWN && end != HC_UNKNOWN && !hc_span(end, start, &t->run))
    return hc_sheet_wrong(s, END, "before the start", e);
  if (t->submit != HC_UNKNOWN && start == HC_UNKNOWN && end != HC_UNKNOWN &&
      t->status == HC_STATUS_CANCELLED && !hc_span(end, t->submit, &t->wait)) /* it left the queue then */
    return hc_sheet_wrong(s, END, "before the submission", e);
  return 1;
}

/* Cores of each host, in thousandths, when `cpus` are dealt out to `hosts`. */
static int64_t share(const hc_sheet *s, int64_t cpus, int64_t hosts)
{
  const int64_t milli = (cpus * 1000 + hosts - 1) / hosts;
  hc_row_ledger *l = s->context->ledger;
  if (l && cpus * 1000 % hosts != 0) {
    const double exact = (double)cpus * 1000 / (double)hosts, error = ((double)milli - exact) / exact;
    l->rounded++;
    l->rounding = HC_MAX(l->rounding, error);
  }
  return milli;
}

static hc_rc deal_out(hc_sheet *s, hc_task_spec *t)
{
  const options *o = (const options *)(const void *)s->o;
  const int64_t gpus = s->value[GPUS], cpus = s->value[CPUS], hosts = HC_MAX(s->value[NODES], 1);
  hc_task_extras more = hc_task_extras_none();
  hc_chunk less;
  t->procs_asked = o->processors == PROCESSORS_GPU ? gpus : cpus;
  if (cpus > 0) t->need[HC_DIM_CPU] = share(s, cpus, hosts);
  t->hosts = hosts;
  if (gpus == HC_UNKNOWN) return 1;
  t->need[HC_DIM_GPU] = gpus / hosts * HC_DEVICE;
  if (gpus % hosts == 0) return 1;
  less = (hc_chunk){.hosts = (uint32_t)(hosts - gpus % hosts)};
  memcpy(less.need, t->need, sizeof t->need);
  for (int d = HC_NEEDS; d < HC_DIMENSIONS; d++) less.need[d] = HC_UNKNOWN;
  t->hosts = gpus % hosts;
  t->need[HC_DIM_GPU] += HC_DEVICE;
  more.chunks = &less;
  more.chunk_count = 1;
  return hc_sheet_keep(s, t, &more);
}

static hc_rc read_job(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  static const char *const words[] = {"RUNNING", "SUSPENDED", "PENDING"};
  const hc_field *f = hc_sheet_field(s, STATE);
  for (size_t i = 0; f && i < HC_ARRAY_LEN(words); i++)
    if (hc_same_word(f->text, f->length, words[i])) return hc_sheet_reject(s, HC_REASON_STILL_RUNNING, e);
  return deal_out(s, t);
}

/* ---- writing ---- */

static int64_t plus_product(int64_t sum, int64_t a, int64_t b)
{
  int64_t product;
  if (a < 0) return sum;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum)) return INT64_MAX;
  return sum;
}

/* Chunks of which each host has one GPU less than the others come back when GPUs are dealt out evenly. */
static bool is_even(const hc_task_spec *t, const hc_task_extras *m)
{
  hc_chunk c;
  if (m->chunk_count != 1) return false;
  c = m->chunks[0];
  if (c.need[HC_DIM_GPU] + HC_DEVICE != t->need[HC_DIM_GPU]) return false;
  c.need[HC_DIM_GPU] = t->need[HC_DIM_GPU];
  for (int d = HC_NEEDS; d < HC_DIMENSIONS; d++)
    if (c.need[d] != HC_UNKNOWN) return false;
  return m->further_count == 0 && memcmp(c.need, t->need, sizeof t->need) == 0;
}

/* Of all hosts together; a chunk's hosts are hosts like the others. */
static void add_up(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost)
{
  const hc_task_extras *m = hc_lexicon_more(w->rows.context->lexicon, t->more);
  int64_t hosts = w->slots.hosts, cpu = plus_product(0, w->slots.need[HC_DIM_CPU], hosts),
          gpu = plus_product(0, w->slots.need[HC_DIM_GPU], hosts);
  for (size_t i = 0; m && i < m->chunk_count; i++) {
    const hc_chunk *c = &m->chunks[i];
    hosts = plus_product(hosts, c->hosts, 1);
    cpu = plus_product(cpu, c->need[HC_DIM_CPU], c->hosts);
    gpu = plus_product(gpu, c->need[HC_DIM_GPU], c->hosts);
  }
  if (m && m->chunk_count > 0 && is_even(t, m)) *lost &= ~HC_FACT_BIT(CHUNKS);
  hc_pen_lose(lost, HC_FACT_BIT(PRECISION), cpu % 1000 != 0 || gpu % HC_DEVICE != 0);
  value[NODES] = hosts;
  value[CPUS] = cpu / 1000 + (cpu % 1000 != 0);
  value[GPUS] = gpu / HC_DEVICE + (gpu % HC_DEVICE != 0);
}

static hc_rc write_job(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  HC_UNUSED(e);
  add_up(w, t, value, lost);
  if (t->queue < 0) value[CLUSTER] = t->group;
  hc_pen_lose(lost, HC_FACT_BIT(GROUP), t->group >= 0); /* it is read as a queue, if it stands anywhere */
  value[START] = t->wait == HC_UNKNOWN && t->run == HC_UNKNOWN ? HC_UNKNOWN : hc_start_of(t);
  value[END] = hc_end_of(t);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {
    .name = "helios",
    .forms = &form,
    .form_count = 1,
    .missing = {"-1", "None", "NULL", "null", "nan", "NaN", "NaT", "Unknown"},
    .derived =
        "GPUs and cores, recorded for the whole job, are dealt out evenly to its hosts; the run time is "
        "end - start, or `duration` in a table without these two.",
    .score = 96,
    .bound = check_titles,
    .check = read_times,
    .row = read_job,
    .rows = HC_ROW_OF_A_BUNDLE,
    .says = HC_FACT_BIT(STATUS) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) | HC_FACT_BIT(GPU) |
            HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(NO_END),
    .fill = write_job};

static const hc_param params[] = {
    HC_PARAM_AS(FILE, "file", options, common.file, NULL,
                "Path of the table, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(
        CHOICE, options, processors, "cpu|gpu", "cpu",
        "What the processors of a task are, on cells that count processors. cpu: its cores. gpu: its GPUs."),
    HC_PARAM_AS(TIME, "time_unit", options, common.time_unit, "s", "1s", 1e-9, 1e6,
                "Unit of `duration`, of `queue`, and of a time that is a number (since 1970)."),
    HC_PARAM_AS(TEXT, "zone", options, common.zone, NULL,
                "Time zone of dates without an offset, such as Asia/Shanghai or +08:00. Default: UTC, so "
                "that days are those in the file."),
    HC_PARAM_AS(TEXT, "origin", options, common.origin, NULL,
                "Time 0: a date or a Unix time; rows submitted before it are left out. Default: the begin of "
                "the day on which the first row was submitted."),
    {0}};

HC_TABLE_READER(
    helios, format, options, params,
    .summary = "cluster_log.csv of SenseTime's Helios, and similar tables of GPU clusters (Acme)",
    .detail = "GPUs and cores are dealt out evenly to the hosts of a job (one host, if node_num is unknown), "
              "in thousandths of a core, rounded up; rounded rows are counted in the ledger. Variants of "
              "titles are known. States: COMPLETED, CANCELLED, and FAILED, TIMEOUT and NODE_FAIL, which are "
              "failed; rows that are RUNNING, SUSPENDED or PENDING are rejected. Jobs without GPUs are kept; "
              "the transform filter can leave them out.",
    .source = "Hu et al., SC 2021, doi:10.1145/3458817.3476223; "
              "https://github.com/S-Lab-System-Group/HeliosData; "
              "Hu et al., NSDI 2024, https://github.com/InternLM/AcmeTrace");

HC_TABLE_WRITER(
    helios, format, columns, ',', ".csv",
    .summary = "cluster_log.csv in the form of the Helios data set: GPUs, cores and hosts of each job",
    .detail = "With titles; GPUs and cores are rounded up to whole numbers, dates are in UTC; vc is the "
              "queue, or the group if there is no queue. A trace that does not say when it began begins in "
              "1970. A bundle becomes a row for each of its tasks.",
    .source = "doi:10.1145/3458817.3476223");
