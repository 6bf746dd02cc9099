/* report.c -- what the world has to say: figures, a table by application, a row an invocation.
 *
 * An invocation is a task row: its application is its queue, its host its partition, and what it runs is its
 * duration, so that end - start is longer where cores were contended. Means are over invocations that have
 * ended; relative ones over those whose duration is above 0. */
#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "functions/world.h"

const char *const hc_fn_figures[] = {
    "makespan|s|lower, usual, compared, primary|from time 0 to the last end of an invocation; of a run that "
    "is cut "
    "off, to there",
    "invocations|1|none, usual|invocations that arrived",
    "cold_starts|1|lower, usual, compared|invocations that waited for a container to start",
    "cold_start_share|1|lower, usual|cold_starts / invocations that started",
    "cold_start_latency_mean|s|lower, usual|mean of start - arrival over cold starts",
    "queued|1|lower, usual|invocations that were queued on their host before they had a container",
    "queue_wait_mean|s|lower|mean over `queued` of the time until they had a container",
    "execution_slowdown_mean|s|lower, usual, compared|mean of end - start - duration",
    "execution_slowdown_relative_mean|1|lower, usual|mean of (end - start - duration) / duration",
    ("total_slowdown_mean|s|lower, usual, compared, performance|mean of end - arrival - duration: queues and "
     "cold starts included"),
    "total_slowdown_relative_mean|1|lower, usual|mean of (end - arrival - duration) / duration",
    ("wasted_memory_time|B*s|lower, usual, compared|sum over containers of memory x time in which it was up "
     "and "
     "had no invocation"),
    "held_memory_time|B*s|lower|sum over containers of memory x time from when it begins to start",
    "wasted_memory_share|1|lower, usual|wasted_memory_time / held_memory_time",
    "core_utilisation|1|none, usual|mean over time, until makespan, of min(shares of busy containers, "
    "cores) / cores",
    "containers|1|lower, usual|containers that were made",
    "containers_ahead|1|none|of these, those made ahead of an invocation (prewarm, keeper)",
    ("learned_share|1|none, usual|with a keeper: share of the times at which a container became idle when "
     "the keeper knew enough of the application"),
    "by_queue.invocations|1|none|invocations of the application that arrived",
    "by_queue.cold_starts|1|lower|of these, those that waited for a container to start",
    "by_queue.execution_slowdown_mean|s|lower|mean of end - start - duration",
    "by_queue.total_slowdown_mean|s|lower|mean of end - arrival - duration",
    "by_queue.wasted_memory_time|B*s|lower|memory x time in which its containers were up and had no "
    "invocation",
    NULL};

static double no_value(void)
{
  return (double)__builtin_nanf("");
}

static double ratio(double a, double b)
{
  return b > 0 ? a / b : no_value();
}

/* ns, summed up, over n, in s */
static double mean(hc_wide sum, uint64_t n)
{
  return ratio(hc_wide_real(sum) / 1e9, (double)n);
}

static void add(hc_fn_sums *to, const hc_fn_sums *s)
{
  to->invoked += s->invoked;
  to->started += s->started;
  to->ended += s->ended;
  to->cold += s->cold;
  to->queued += s->queued;
  to->timed += s->timed;
  hc_wide_add_wide(&to->cold_wait, s->cold_wait);
  hc_wide_add_wide(&to->queue_wait, s->queue_wait);
  hc_wide_add_wide(&to->execution, s->execution);
  hc_wide_add_wide(&to->total, s->total);
  hc_wide_add_wide(&to->wasted, s->wasted);
  hc_wide_add_wide(&to->held, s->held);
  to->execution_relative += s->execution_relative;
  to->total_relative += s->total_relative;
}

static hc_rc tell_sums(const hc_fn_sums *s, hc_findings *f)
{
  const double ended = (double)s->timed;
  const double wasted = hc_wide_real(s->wasted) / 1e9, held = hc_wide_real(s->held) / 1e9;
  TRY(hc_find_count(f, "invocations", "1", (int64_t)s->invoked));
  TRY(hc_find_count(f, "cold_starts", "1", (int64_t)s->cold));
  TRY(hc_find_real(f, "cold_start_share", "1", ratio((double)s->cold, (double)s->started)));
  TRY(hc_find_real(f, "cold_start_latency_mean", "s", mean(s->cold_wait, s->cold)));
  TRY(hc_find_count(f, "queued", "1", (int64_t)s->queued));
  TRY(hc_find_real(f, "queue_wait_mean", "s", mean(s->queue_wait, s->queued)));
  TRY(hc_find_real(f, "execution_slowdown_mean", "s", mean(s->execution, s->ended)));
  TRY(hc_find_real(f, "execution_slowdown_relative_mean", "1", ratio(s->execution_relative, ended)));
  TRY(hc_find_real(f, "total_slowdown_mean", "s", mean(s->total, s->ended)));
  TRY(hc_find_real(f, "total_slowdown_relative_mean", "1", ratio(s->total_relative, ended)));
  TRY(hc_find_real(f, "wasted_memory_time", "B*s", wasted));
  TRY(hc_find_real(f, "held_memory_time", "B*s", held));
  return hc_find_real(f, "wasted_memory_share", "1", ratio(wasted, held));
}

static hc_rc tell_application(const hc_fn_application *a, int64_t key, hc_findings *f)
{
  static const char table[] = "by_queue";
  const hc_fn_sums *s = &a->sums;
  TRY(hc_find_cell(f, table, key, "invocations", "1", (double)s->invoked));
  TRY(hc_find_cell(f, table, key, "cold_starts", "1", (double)s->cold));
  TRY(hc_find_cell(f, table, key, "execution_slowdown_mean", "s", mean(s->execution, s->ended)));
  TRY(hc_find_cell(f, table, key, "total_slowdown_mean", "s", mean(s->total, s->ended)));
  return hc_find_cell(f, table, key, "wasted_memory_time", "B*s", hc_wide_real(s->wasted) / 1e9);
}

static hc_rc tell(const hc_world *w, hc_findings *f)
{
  const bool is_cut = w->next < w->invocation_count || w->ended_count < w->next;
  const double makespan = (double)(is_cut ? w->now : w->last_end);
  double used = 0, cores = 0;
  hc_fn_sums all = {0};
  for (size_t i = 0; i < w->application_count; i++) add(&all, &w->applications[i].sums);
  for (size_t i = 0; i < w->host_count; i++) {
    used += hc_fn_cpu_used(w, (uint32_t)i);
    cores += w->hosts[i].cores;
  }
  TRY(hc_find_real(f, "makespan", "s", makespan / 1e9));
  TRY(tell_sums(&all, f));
  TRY(hc_find_real(f, "core_utilisation", "1", ratio(used, cores * makespan)));
  TRY(hc_find_count(f, "containers", "1", (int64_t)w->made));
  TRY(hc_find_count(f, "containers_ahead", "1", (int64_t)w->prewarmed));
  if (w->keeper) TRY(hc_find_real(f, "learned_share", "1", ratio((double)w->learned, (double)w->rests)));
  for (size_t i = 0; i < w->application_count; i++)
    TRY(tell_application(&w->applications[i], (int64_t)i + 1, f));
  return 0;
}

/* ---- the store ---- */

static hc_final final_of(const hc_fn_invocation *x)
{
  if (x->state == HC_FN_ENDED) return HC_FINAL_COMPLETED;
  return x->state == HC_FN_RUNS ? HC_FINAL_RUNNING : HC_FINAL_WAITING;
}

static hc_rc store_invocation(const hc_world *w, uint32_t i, hc_store *store, hc_error *e)
{
  const hc_fn_invocation *x = &w->invocations[i];
  const hc_task_record row = {.serial = i,
                              .id = (int64_t)i + 1,
                              .submit = x->arrival,
                              .start = x->start,
                              .end = x->end,
                              .units = 1,
                              .limit = HC_UNKNOWN,
                              .estimate = HC_NEVER,
                              .run = x->duration,
                              .user = -1,
                              .group = -1,
                              .executable = -1,
                              .queue = (int64_t)x->application + 1,
                              .partition = (int64_t)x->host + 1,
                              .final = final_of(x)};
  return hc_store_tasks(store, &row, 1, e);
}

/* Those that ended, as they did, then those that did not. */
static hc_rc store_invocations(const hc_world *w, hc_store *store, hc_error *e)
{
  for (size_t i = 0; i < w->ended_count; i++) TRY(store_invocation(w, w->ended[i], store, e));
  for (uint32_t i = 0; i < w->next; i++) {
    if (w->invocations[i].state != HC_FN_ENDED) TRY(store_invocation(w, i, store, e));
  }
  return 0;
}

static hc_rc store_number(hc_store *store, const char *table, const char *key, uint64_t n, hc_error *e)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRIu64, n);
  return hc_store_row(store, table, 2, (const char *[]){key, text}, e);
}

static hc_rc store_ledgers(const hc_world *w, hc_store *store, hc_error *e)
{
  uint64_t finals[HC_FINAL_COUNT] = {0};
  uint64_t rejected = 0;
  for (int r = 0; r < HC_REASON_COUNT; r++) rejected += w->rejected[r];
  TRY(store_number(store, "rows", "read", w->next + rejected, e));
  TRY(store_number(store, "rows", "used", w->next, e));
  TRY(store_number(store, "rows", "merged", 0, e));
  for (int r = 0; r < HC_REASON_COUNT; r++)
    if (w->rejected[r] > 0) TRY(store_number(store, "rows", hc_reason_name((hc_reason)r), w->rejected[r], e));
  for (size_t i = 0; i < w->next; i++) finals[final_of(&w->invocations[i])]++;
  for (int f = 0; f < HC_FINAL_COUNT; f++)
    TRY(store_number(store, "finals", hc_final_name((hc_final)f), finals[f], e));
  return 0;
}

static hc_rc store_names(const hc_world *w, hc_store *store, hc_error *e)
{
  char text[128], hosts[40], applications[40];
  hosts[hc_format_count((int64_t)w->host_count, hosts)] = '\0';
  applications[hc_format_count((int64_t)w->application_count, applications)] = '\0';
  (void)snprintf(text, sizeof text, "%s host%s, %s application%s", hosts, w->host_count == 1 ? "" : "s",
                 applications, w->application_count == 1 ? "" : "s");
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"machine", text}, e));
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"queue_is_called", "application"}, e));
  TRY(hc_store_row(store, "hindcast", 2, (const char *[]){"partition_is_called", "host"}, e));
  for (size_t i = 0; i < w->application_count; i++)
    TRY(hc_store_name(store, "queue", (int64_t)i + 1, w->applications[i].name, e));
  return 0;
}

hc_rc hc_fn_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e)
{
  hc_fn_account(w);
  if (store) {
    TRY(store_names(w, store, e));
    TRY(store_ledgers(w, store, e));
    TRY(store_invocations(w, store, e));
  }
  return tell(w, f);
}
