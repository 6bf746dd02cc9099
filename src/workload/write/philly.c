/* philly.c -- writes a job log as Microsoft's Philly has it (cluster_job_log): a JSON array of jobs with their attempts.
 *
 *   {"status": "Pass", "vc": "11cb48", "jobid": "7", "attempts": [{"start_time": "2017-10-09 09:00:30",
 *    "end_time": "2017-10-09 11:10:00", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]}],
 *    "submitted_time": "2017-10-09 09:00:00", "user": "aa11"}
 *
 * A task is a job with one attempt, from its start (its submission, where no wait is known) to its end; one without a run
 * time has no attempt. Each of its hosts is a machine with so many whole GPUs, chunks are machines with others, and cores
 * and memory are those that come with a GPU (`cpus_per_gpu`, `memory_per_gpu`), or lost. Names of users and of virtual
 * clusters (queues) are written where they are known, else their numbers; the reader numbers them anew, by first sight.
 *
 * Dates are whole seconds on the clocks of `zone` and do not say so: the second of two equal hours comes back as the
 * first, and is lost. Where nobody knows the date of time 0 it is the midnight that began 1970 there. The reader counts
 * time from the begin of the first submission's day, if it is not told an `origin`. A bundle becomes as many jobs. Left
 * out: tasks without a submission, those that ran without GPUs, and those with more than 16 on a host. Source: Jeon et al., USENIX ATC 2019;
 * https://github.com/msr-fiddle/philly-traces. Cost: about 0.6 us a task. */
#include "base/text.h"
#include "workload/reading.h"
#include "workload/spec.h"
#include "workload/writing.h"

typedef struct options {
  const char *zone;
  double cpus_per_gpu;
  int64_t memory_per_gpu;
} options;

struct hc_writer {
  hc_rows rows;
  const options *o;
  hc_zone *zone;
  int64_t origin; /* Unix seconds */
  hc_buffer job;  /* the one at hand */
  bool any;
};

static void philly_close(hc_writer *w)
{
  if (w) hc_buffer_fini(&w->job);
  if (w) hc_zone_free(w->zone);
  hc_rows_close(w);
}

static hc_rc philly_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_writer *w;
  hc_rc rc;
  TRY(hc_rows_open(c, sizeof *w, "[", &w));
  w->o = given;
  hc_buffer_init(&w->job, c->allocator);
  rc = hc_origin_zone(c->allocator, "writer philly", w->o->zone, &w->zone, e);
  if (rc < 0) {
    philly_close(w);
    return rc;
  }
  w->origin =
      c->info && c->info->unix_start != HC_UNKNOWN ? c->info->unix_start : -hc_zone_offset(w->zone, 0);
  *out = w;
  return 0;
}

/* ---- dates ---- */

/* What a clock shows there, and shows once: an hour before it showed something else. False: it does not. */
static bool add_date(hc_writer *w, const char *before, int64_t seconds)
{
  const int64_t unix = seconds + w->origin;
  const int32_t offset = hc_zone_offset(w->zone, unix);
  char text[40];
  const char *end = hc_put_char(hc_put_date(text, unix + offset, ' '), '"');
  hc_buffer_text(&w->job, before);
  hc_buffer_add(&w->job, text, (size_t)(end - text));
  for (int64_t back = 900; back <= 7200; back += 900) /* clocks are put back by quarters of an hour */
    if (hc_zone_offset(w->zone, unix - back) - offset == back) return false;
  return true;
}

/* ---- machines ---- */

/* So many machines, each with so many GPUs; `*made` numbers them. */
static void add_machines(hc_buffer *b, int64_t hosts, int64_t gpus, int64_t *made)
{
  for (int64_t i = 0; i < hosts && !b->failed; i++) {
    hc_add_int(b, *made > 0 ? ", {\"ip\": \"m" : "{\"ip\": \"m", *made + 1);
    ++*made;
    hc_buffer_text(b, "\", \"gpus\": [");
    for (int64_t g = 0; g < gpus; g++) {
      hc_add_int(b, g > 0 ? ", \"gpu" : "\"gpu", g);
      hc_buffer_text(b, "\"");
    }
    hc_buffer_text(b, "]}");
  }
}

static int64_t whole_gpus(int64_t need, uint64_t *lost)
{
  if (need <= 0) return 0;
  if (need % HC_DEVICE != 0) *lost |= HC_FACT_BIT(PRECISION);
  return need / HC_DEVICE + (need % HC_DEVICE != 0);
}

/* Whether the reader will say the same of cores and memory: the bits of what it will. */
static uint64_t comes_with(const options *o, int64_t gpus, const int64_t need[HC_DIMENSIONS])
{
  int64_t memory;
  uint64_t same = 0;
  if (gpus == 0) return 0;
  if (o->cpus_per_gpu > 0 && need[HC_DIM_CPU] == gpus * (int64_t)(o->cpus_per_gpu * 1000 + 0.999))
    same |= HC_FACT_BIT(CPU);
  if (o->memory_per_gpu > 0 && !__builtin_mul_overflow(gpus, o->memory_per_gpu, &memory) &&
      need[HC_DIM_MEMORY] == memory)
    same |= HC_FACT_BIT(MEMORY);
  return same;
}

static bool said(const int64_t need[HC_DIMENSIONS], uint64_t same)
{
  bool all = (need[HC_DIM_CPU] < 0 || (same & HC_FACT_BIT(CPU))) &&
             (need[HC_DIM_MEMORY] < 0 || (same & HC_FACT_BIT(MEMORY)));
  for (int d = 0; d < HC_DIMENSIONS; d++)
    all &= d == HC_DIM_CPU || d == HC_DIM_MEMORY || d == HC_DIM_GPU || need[d] < 0;
  return all;
}

/* The machines of its attempt. What its chunks need beside GPUs must come with these, and each kind of machine must have
 * fewer than the one before, since the reader puts those with the most first. */
static void add_detail(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const hc_task_extras *m = hc_lexicon_more(w->rows.context->lexicon, t->more);
  const int64_t own = whole_gpus(s->need[HC_DIM_GPU], lost);
  const uint64_t same = comes_with(w->o, own, s->need);
  int64_t made = 0, total = own * s->hosts, before = own;
  bool chunks = own > 0;
  *lost &= ~same;
  add_machines(&w->job, s->hosts, own, &made);
  for (size_t i = 0; m && i < m->chunk_count; i++) {
    const hc_chunk *c = &m->chunks[i];
    const int64_t gpus = whole_gpus(c->need[HC_DIM_GPU], lost);
    chunks &= gpus > 0 && gpus < before && comes_with(w->o, gpus, c->need) == same && said(c->need, same);
    add_machines(&w->job, c->hosts, gpus, &made);
    total += gpus * c->hosts;
    before = gpus;
  }
  if (chunks && m && m->chunk_count > 0) *lost &= ~HC_FACT_BIT(CHUNKS);
  if (own == 0) *lost |= HC_FACT_BIT(HOSTS); /* a machine without GPUs is none */
  if (total > 0 && t->procs_asked == total) *lost &= ~HC_FACT_BIT(PROCS_ASKED);
  if (total > 0 && t->procs_used == total) *lost &= ~HC_FACT_BIT(PROCS_USED);
  if (own > 0) *lost &= ~HC_FACT_BIT(SPREAD);
}

/* ---- jobs ---- */

static const char *status_of(const hc_task_spec *t, uint64_t *lost)
{
  switch (t->status) {
    case HC_STATUS_COMPLETED: return "\"Pass\"";
    case HC_STATUS_FAILED: return "\"Failed\"";
    case HC_STATUS_CANCELLED: return "\"Killed\"";
    case HC_STATUS_UNKNOWN: break;
    default: *lost |= HC_FACT_BIT(STATUS); break;
  }
  return "null";
}

/* A name where it is known, else its number; null where there is none. */
static void add_name(hc_buffer *b, const char *before, int64_t n, const char *name)
{
  if (name && n >= 0) {
    hc_add_string(b, before, name);
    return;
  }
  hc_buffer_text(b, before);
  if (n < 0) hc_buffer_text(b, "null");
  else hc_add_int(b, "\"", n);
  hc_buffer_text(b, n < 0 ? "" : "\"");
}

static void add_attempt(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const int64_t submit = hc_whole(t->submit, HC_SECOND, lost);
  const int64_t start = submit + (t->wait > 0 ? hc_whole(t->wait, HC_SECOND, lost) : 0);
  const int64_t end = start + hc_whole(t->run, HC_SECOND, lost);
  if (!add_date(w, "{\"start_time\": \"", start)) *lost |= HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN);
  if (!add_date(w, ", \"end_time\": \"", end)) *lost |= HC_FACT_BIT(RUN);
  hc_buffer_text(&w->job, ", \"detail\": [");
  add_detail(w, t, s, lost);
  hc_buffer_text(&w->job, "]}");
}

static void make_job(hc_writer *w, const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  hc_buffer *b = &w->job;
  const bool ran = t->run >= 0;
  b->size = 0;
  hc_buffer_text(b, ",\n{\"status\": ");
  hc_buffer_text(b, status_of(t, lost));
  add_name(b, ", \"vc\": ", t->queue, hc_lexicon_called(l, HC_CALLED_QUEUE, t->queue));
  if (t->id >= 0) add_name(b, ", \"jobid\": ", t->id, NULL);
  if (t->id >= 0 && !hc_name_holds(t->id)) *lost |= HC_FACT_BIT(ID);
  hc_buffer_text(b, ", \"attempts\": [");
  if (ran) add_attempt(w, t, s, lost);
  else if (t->wait >= 0) *lost |= HC_FACT_BIT(WAIT);
  if (!ran) *lost |= hc_task_facts(t, l) & (HC_FACT_BIT(HOSTS) | HC_FACT_BIT(GPU));
  if (!add_date(w, "], \"submitted_time\": \"", hc_whole(t->submit, HC_SECOND, lost)))
    *lost |= HC_FACT_BIT(SUBMIT);
  add_name(b, ", \"user\": ", t->user, hc_lexicon_called(l, HC_CALLED_USER, t->user));
  hc_buffer_text(b, "}");
}

/* How many machines it is, or 0: the format cannot say it, since it ran on no GPU, or on more than a machine has. */
static int64_t machines_of(const hc_task_spec *t, const hc_task_extras *m, int64_t hosts)
{
  int64_t most = t->need[HC_DIM_GPU], all = hosts;
  for (size_t i = 0; m && i < m->chunk_count; i++) {
    most = HC_MAX(most, m->chunks[i].need[HC_DIM_GPU]);
    all += m->chunks[i].hosts;
  }
  return most > (int64_t)HC_DEVICES * HC_DEVICE || (most <= 0 && t->run >= 0) ? 0 : all;
}

static hc_rc philly_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  int64_t machines;
  if (t->submit == HC_UNKNOWN || t->run == HC_NEVER) return 1;
  machines = machines_of(t, hc_lexicon_more(w->rows.context->lexicon, t->more), s.hosts);
  if (machines == 0) return 1;
  TRY(hc_rows_allowed(t, HC_MAX(s.count, machines), "philly", e));
  make_job(w, t, &s, lost);
  if (w->job.failed) return HC_ENOMEM;
  for (int64_t i = 0; i < s.count; i++) {
    const size_t comma = w->any ? 0 : 1;
    TRY(hc_out_add(&w->rows.out, w->job.data + comma, w->job.size - comma));
    w->any = true;
  }
  return 0;
}

static hc_rc philly_finish(hc_writer *w, hc_error *e)
{
  TRY(hc_out_add(&w->rows.out, "\n]\n", 3));
  return hc_rows_finish(w, e);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, zone, "America/Los_Angeles",
             "Time zone of the dates, which do not say it: the reader's `zone`. UTC has no hour twice."),
    HC_PARAM(REAL, options, cpus_per_gpu, "cores", "0", 0, 1e6,
             "Cores that the reader will be told come with a GPU: tasks with as many lose none. 0: it will "
             "not."),
    HC_PARAM(SIZE, options, memory_per_gpu, "B", "0", 0, 1125899906842624.0, "The same of memory."),
    {.name = NULL},
};

const hc_writer_type hc_writer_philly = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "philly",
         .summary =
             "the job log of Microsoft's Philly (cluster_job_log, JSON): jobs with attempts, machines and GPUs",
         .detail =
             "jobid, vc (the queue), user, status (Pass, Failed, Killed, or null), submitted_time, and one attempt with "
             "start_time, end_time and, for each host, a machine with its GPUs, rounded up to whole ones; each is "
             "another host. Dates are whole seconds in `zone`, without saying so. A task that never ran has no attempt. "
             "A bundle becomes as many jobs. Users and virtual clusters are numbered anew when they are read. Lost: "
             "cores and memory that do not come with GPUs, disks, limits, priorities, groups, jobs, predecessors, "
             "constraints, and that a run had not ended. Left out: tasks without submission, those that ran without GPUs, "
             "and those with more than 16 on a host.",
         .source =
             "Jeon et al., \"Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads\", "
             "USENIX ATC 2019; https://github.com/msr-fiddle/philly-traces",
         .params = params, .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(USER) | HC_FACT_BIT(QUEUE) | HC_FACT_BIT(USER_NAME) | HC_FACT_BIT(QUEUE_NAME) |
             HC_FACT_BIT(STATUS) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE),
    .ending = ".json",
    .open = philly_open,
    .task = philly_task,
    .finish = philly_finish,
    .close = philly_close,
};
