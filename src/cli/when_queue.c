/* when_queue.c -- what runs and waits at a moment, with run times drawn from history.
 *
 * Of a live queue each task is taken as its reader gives it. Of a log a job that had started by the moment
 * and not ended runs since its start, one that had been submitted and not started waits, and may start from
 * then on; what came later is not known, as it is not of a live queue. Each draw is a text in the native
 * format, in which a job's number is its place: names, nodes and dependencies go with it.
 *
 * A draw is one of the candidates of the history, each as likely; the number that chooses it is made of
 * seed, draw and place, so that neither the order of runs nor other jobs change it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cli/when.h"

#define UNLIMITED (86400 * HC_SECOND) /* of a log, where neither limit nor history says anything */

/* splitmix64 */
static uint64_t mixed(uint64_t x)
{
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

typedef struct gathering {
  cli_moment *m;
  const cli_history *h;
  hc_trace *trace;
  hc_lexicon *lexicon;
  hc_trace_writer **writers; /* [draws] */
  uint64_t seed;
  hc_time at;    /* HC_UNKNOWN: a live queue */
  int64_t until; /* Unix seconds: of history */
  hc_time candidates[CLI_CANDIDATES];
} gathering;

static hc_rc put(void *ctx, const void *data, size_t size)
{
  hc_buffer *b = ctx;
  hc_buffer_add(b, data, size);
  return b->failed ? HC_ENOMEM : 0;
}

static char *copy_of(const char *text)
{
  return strdup(text ? text : "");
}

/* ---- one job ---- */

/* What a row is at the moment. @return false: it is not there */
static bool at_moment(const gathering *x, hc_task_spec *t, hc_time *real)
{
  *real = HC_UNKNOWN;
  if (x->at == HC_UNKNOWN) return true;
  if (t->submit == HC_UNKNOWN || t->submit > x->at || t->wait == HC_UNKNOWN) return false;
  const bool ran = t->run != HC_UNKNOWN;
  const hc_time left = t->submit + t->wait; /* the queue */
  if (left > x->at) {
    t->not_before = x->at;
    *real = ran ? left : HC_UNKNOWN;
    return true;
  }
  if (!ran || left + t->run <= x->at) return false;
  t->submit = left;
  t->wait = 0;
  t->flags |= HC_SPEC_PREFILL;
  return true;
}

static hc_rc keep_job(gathering *x, const hc_task_spec *t, hc_time real)
{
  cli_moment *m = x->m;
  const char *label = hc_lexicon_label_text(x->lexicon, t->label, NULL);
  char number[32];
  if (m->count == m->cap) {
    const size_t cap = m->cap ? 2 * m->cap : 256;
    cli_queued *jobs = realloc(m->jobs, cap * sizeof *jobs);
    if (!jobs) return cli_fail(m->c, HC_ENOMEM, "out of memory for the queue");
    m->jobs = jobs;
    m->cap = cap;
  }
  (void)snprintf(number, sizeof number, "%lld", (long long)t->id);
  cli_queued *q = &m->jobs[m->count++];
  *q = (cli_queued){.label = copy_of(label ? label : number),
                    .user = t->user,
                    .partition = t->partition,
                    .user_name = copy_of(hc_lexicon_called(x->lexicon, HC_CALLED_USER, t->user)),
                    .partition_name =
                        copy_of(hc_lexicon_called(x->lexicon, HC_CALLED_PARTITION, t->partition)),
                    .units = t->procs_asked > 0 ? t->procs_asked : t->procs_used,
                    .submit = t->submit,
                    .real = real,
                    .waits = !(t->flags & HC_SPEC_PREFILL)};
  m->waiting += q->waits;
  if (q->label && q->user_name && q->partition_name) return 0;
  return cli_fail(m->c, HC_ENOMEM, "out of memory for the queue");
}

static hc_rc describe_runner(gathering *x, const hc_task_spec *t, cli_runner *out)
{
  cli_history *h = (cli_history *)(uintptr_t)x->h; /* a new name has no samples */
  const bool runs = (t->flags & HC_SPEC_PREFILL) != 0;
  *out = (cli_runner){.limit = t->limit > 0 ? t->limit : HC_UNKNOWN,
                      .elapsed = runs ? x->m->now - t->submit : 0};
  CLI_TRY(cli_history_name(h, hc_lexicon_called(x->lexicon, HC_CALLED_USER, t->user), t->user, &out->user));
  return cli_history_name(h, hc_lexicon_called(x->lexicon, HC_CALLED_EXECUTABLE, t->executable),
                          t->executable, &out->name);
}

/* In each draw a run time: of what runs, in all. */
static hc_rc write_draws(gathering *x, hc_trace_task *t, size_t place)
{
  cli_runner r;
  CLI_TRY(describe_runner(x, &t->spec, &r));
  const size_t n = cli_history_like(x->h, &r, x->until, x->candidates);
  const bool is_live = x->at == HC_UNKNOWN; /* its run times are bounds */
  const hc_time bound = r.limit != HC_UNKNOWN ? r.limit : is_live ? t->spec.run : UNLIMITED;
  for (size_t d = 0; d < x->m->draws; d++) {
    const uint64_t draw = mixed(mixed(mixed(x->seed) ^ d) ^ place);
    hc_time run = n > 0 ? x->candidates[draw % n] : bound;
    if (run <= r.elapsed) run = r.elapsed + HC_SECOND;
    t->spec.run = run > 0 ? run : HC_SECOND;
    CLI_TRY(hc_trace_writer_task(x->writers[d], t, &x->m->c->error));
  }
  return 0;
}

static hc_rc take(gathering *x, hc_trace_task *t)
{
  hc_time real;
  const size_t place = x->m->count;
  if (!at_moment(x, &t->spec, &real)) return 0;
  CLI_TRY(keep_job(x, &t->spec, real));
  t->spec.id = (int64_t)place;
  t->spec.label = t->spec.job_label = 0;
  t->spec.status = HC_STATUS_COMPLETED;
  t->spec.think = HC_UNKNOWN;
  return write_draws(x, t, place);
}

/* ---- all of them ---- */

static hc_rc open_writers(gathering *x)
{
  cli_moment *m = x->m;
  for (size_t d = 0; d < m->draws; d++) {
    const hc_writer_context context = {.allocator = m->c->allocator,
                                       .lexicon = x->lexicon,
                                       .info = hc_trace_facts(x->trace),
                                       .sink = {.ctx = &m->texts[d], .write = put}};
    CLI_TRY(
        hc_trace_writer_new(cli_registry(m->c), "native", NULL, 0, &context, &x->writers[d], &m->c->error));
  }
  return 0;
}

/* When a live queue was looked at: from when on what waits may start. Its reader has all of it. */
static hc_rc find_now(cli *c, hc_config *config, hc_time *now)
{
  const hc_trace_options o = {.mode = HC_TRACE_ROWS};
  hc_trace_task t;
  hc_trace *trace;
  hc_time started = 0;
  hc_rc rc;
  *now = HC_NEVER;
  CLI_TRY(hc_trace_open(c->allocator, config, &o, &trace, &c->error));
  while ((rc = hc_trace_next(trace, &t, &c->error)) == 1) {
    if (t.spec.flags & HC_SPEC_PREFILL) started = t.spec.submit > started ? t.spec.submit : started;
    else if (t.spec.not_before != HC_UNKNOWN && t.spec.not_before < *now) *now = t.spec.not_before;
  }
  hc_trace_close(trace);
  if (*now == HC_NEVER) *now = started;
  return rc;
}

static hc_rc gather(gathering *x)
{
  cli_moment *m = x->m;
  hc_trace_task t;
  hc_rc rc = hc_trace_next(x->trace, &t, &m->c->error);
  m->unix_start = hc_trace_facts(x->trace)->unix_start;
  x->until =
      x->at == HC_UNKNOWN || m->unix_start == HC_UNKNOWN ? INT64_MAX : m->unix_start + x->at / HC_SECOND;
  if (m->unix_start == HC_UNKNOWN && x->at != HC_UNKNOWN) x->until = x->at / HC_SECOND;
  if (rc >= 0) CLI_TRY(open_writers(x));
  for (; rc == 1; rc = hc_trace_next(x->trace, &t, &m->c->error)) CLI_TRY(take(x, &t));
  for (size_t d = 0; rc >= 0 && d < m->draws; d++) rc = hc_trace_writer_finish(x->writers[d], &m->c->error);
  return rc;
}

hc_rc cli_moment_open(cli *c, hc_config *config, const cli_history *h, hc_time at, size_t draws,
                      uint64_t seed, cli_moment *out)
{
  const hc_trace_options o = {.mode = HC_TRACE_ROWS};
  gathering x = {.m = out, .h = h, .seed = seed, .at = at};
  hc_rc rc = 0;
  *out = (cli_moment){.c = c, .now = at, .draws = draws, .texts = calloc(draws, sizeof *out->texts)};
  x.writers = calloc(draws, sizeof *x.writers);
  if (!out->texts || !x.writers) rc = cli_fail(c, HC_ENOMEM, "out of memory for %zu draws", draws);
  for (size_t d = 0; rc >= 0 && d < draws; d++) hc_buffer_init(&out->texts[d], c->allocator);
  if (rc >= 0 && at == HC_UNKNOWN) rc = find_now(c, config, &out->now);
  if (rc >= 0) rc = hc_trace_open(c->allocator, config, &o, &x.trace, &c->error);
  if (rc >= 0) {
    x.lexicon = hc_trace_lexicon(x.trace);
    rc = gather(&x);
    for (size_t d = 0; d < draws; d++) hc_trace_writer_free(x.writers[d]);
    hc_trace_close(x.trace);
  }
  free(x.writers);
  if (rc < 0) return rc;
  out->starts = malloc((out->count * draws + 1) * sizeof *out->starts);
  if (!out->starts) return cli_fail(c, HC_ENOMEM, "out of memory for the starts");
  for (size_t i = 0; i < out->count * draws; i++) out->starts[i] = HC_UNKNOWN;
  return 0;
}

void cli_moment_close(cli_moment *m)
{
  for (size_t i = 0; i < m->count; i++) {
    free(m->jobs[i].label);
    free(m->jobs[i].user_name);
    free(m->jobs[i].partition_name);
  }
  for (size_t d = 0; m->texts && d < m->draws; d++) hc_buffer_fini(&m->texts[d]);
  free(m->jobs);
  free(m->texts);
  free(m->starts);
}

hc_time cli_moment_quantile(const cli_moment *m, size_t job, double share)
{
  hc_time *sorted = malloc((m->draws + 1) * sizeof *sorted), out;
  if (!sorted) return HC_NEVER;
  for (size_t d = 0; d < m->draws; d++) {
    const hc_time t = m->starts[job * m->draws + d];
    sorted[d] = t == HC_UNKNOWN ? HC_NEVER : t;
  }
  qsort(sorted, m->draws, sizeof *sorted, cli_by_time);
  out = sorted[cli_rank(m->draws, share)];
  free(sorted);
  return out;
}
