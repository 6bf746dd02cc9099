/* measured.c -- how much of what they asked for tasks used. See measured.h. */
#include "metric/measured.h"

#include "base/util.h"

#define NOTHING __builtin_nan("")

hc_measured_sums hc_measured_none(void)
{
  return (hc_measured_sums){.first_start = INT64_MAX, .last_end = INT64_MIN};
}

/* ---- how it ended ---- */

/* The column of its figures. */
static int end_of(hc_ending ending)
{
  switch (ending) {
    case HC_ENDING_COMPLETED:
    case HC_ENDING_FAILED:
    case HC_ENDING_TIMEOUT:
    case HC_ENDING_OUT_OF_MEMORY:
    case HC_ENDING_NODE_FAIL:
    case HC_ENDING_CANCELLED: return (int)ending - (int)HC_ENDING_COMPLETED;
    case HC_ENDING_UNKNOWN:
    case HC_ENDING_REQUEUED:
    case HC_ENDING_OTHER:
    case HC_ENDING_COUNT: break;
  }
  return HC_MEASURED_other_ends - HC_MEASURED_completed;
}

/* Failed to put back: these stand beside each other. */
static bool is_lost(int64_t ending)
{
  return ending >= HC_ENDING_FAILED && ending <= HC_ENDING_REQUEUED;
}

static bool is_cut(int64_t ending)
{
  return ending == HC_ENDING_TIMEOUT || ending == HC_ENDING_NODE_FAIL || ending == HC_ENDING_CANCELLED ||
         ending == HC_ENDING_REQUEUED;
}

static void add_end(hc_measured_sums *s, const hc_task_record *r, int64_t ending)
{
  s->ends[end_of((hc_ending)ending)]++;
  if (ending == HC_ENDING_UNKNOWN) return;
  s->hows++;
  if (is_lost(ending)) hc_wide_add_product(&s->lost, hc_task_ran(r), r->units);
}

bool hc_measured_was_cut(const hc_task_record *r, const hc_measured *m)
{
  if (r->final == HC_FINAL_KILLED || (m && is_cut(m->ending))) return true;
  return m && m->ending != HC_ENDING_COMPLETED && r->limit > 0 && hc_task_ran(r) >= r->limit;
}

/* ---- what it used ---- */

static double cores_of(const hc_measured_how *how, int64_t units)
{
  return how->core_units > 0 ? (double)units / (double)how->core_units : NOTHING;
}

static void add_use(hc_measured_sums *s, const hc_measured_how *how, const hc_task_record *r,
                    const hc_measured *m)
{
  const hc_time ran = hc_task_ran(r);
  if (m->cpu_time >= 0) {
    const double idle = cores_of(how, r->units) * ((double)ran / 1e9) - (double)m->cpu_time / 1e9;
    s->cpus++;
    hc_wide_add(&s->cpu, m->cpu_time);
    hc_wide_add_product(&s->cpu_held, ran, r->units);
    if (idle > 0) hc_real_sum_add(&s->idle, idle);
    if (idle > 0 && !is_lost(m->ending)) hc_real_sum_add(&s->idle_kept, idle);
  }
  if (m->memory_asked > 0 && m->memory_used >= 0) {
    s->memories++;
    hc_real_sum_add(&s->memory_used, (double)m->memory_used * ((double)ran / 1e9));
    hc_real_sum_add(&s->memory_asked, (double)m->memory_asked * ((double)ran / 1e9));
  }
}

/* ---- pseudo-cluster ---- */

/* To the program a date ends with its minutes. */
static hc_time minute_of(const hc_measured_how *how, hc_time t)
{
  const hc_time zero = how->unix_start == HC_UNKNOWN ? 0 : how->unix_start % 60 * HC_SECOND;
  return how->is_program ? hc_floor_div(t + zero, HC_MINUTE) * HC_MINUTE : t;
}

static void add_pseudo_cluster(hc_measured_sums *s, const hc_measured_how *how, const hc_task_record *r,
                               bool is_completed)
{
  const hc_time submit = minute_of(how, r->submit), start = minute_of(how, r->start);
  const hc_time end = minute_of(how, r->end), wait = hc_time_between(submit, start);
  const bool has_limit = r->limit > 0 && r->limit != HC_NEVER;
  s->tasks++;
  if (wait > 0 || !how->is_program) {
    s->waited++;
    hc_wide_add(&s->wait, wait);
  }
  hc_wide_add_product(&s->area, hc_time_between(start, end), r->units);
  s->first_start = HC_MIN(s->first_start, start);
  s->last_end = HC_MAX(s->last_end, end);
  if (has_limit) {
    s->queue_to_limits++;
    hc_real_sum_add(&s->queue_to_limit, (double)wait / (double)r->limit);
  }
  if (!is_completed) return;
  s->without_limit += !has_limit;
  if (!has_limit) return;
  s->used_times++;
  hc_real_sum_add(&s->used_time, (double)hc_time_between(start, end) / (double)r->limit);
}

/* ---- all of it ---- */

void hc_measured_add(hc_measured_sums *s, const hc_measured_how *how, const hc_task_record *r,
                     const hc_measured *m)
{
  const bool says = m && m->ending != HC_ENDING_UNKNOWN;
  if (r->limit > 0 && r->limit != HC_NEVER) {
    s->limits++;
    hc_wide_add_product(&s->limit_asked, r->limit, r->units);
    hc_wide_add_product(&s->limit_used, hc_task_ran(r), r->units);
  }
  add_end(s, r, m ? m->ending : HC_ENDING_UNKNOWN);
  if (m) add_use(s, how, r, m);
  add_pseudo_cluster(s, how, r,
                     says ? m->ending == HC_ENDING_COMPLETED : r->final == HC_FINAL_COMPLETED);
}

static double core_hours(const hc_measured_how *how, hc_wide area)
{
  return how->core_units > 0 ? hc_wide_seconds(area) / (double)how->core_units / 3600 : NOTHING;
}

/* The program divides by every task's limit, or does not end well. */
static double used_time(const hc_measured_sums *s, const hc_measured_how *how)
{
  return how->is_program && s->without_limit > 0 ? NOTHING : hc_mean_real(s->used_time, s->used_times);
}

double hc_measured_find(const hc_measured_sums *s, const hc_measured_how *how, hc_measured_figure which,
                        bool gathers)
{
  const bool has_cpu = gathers && s->cpus > 0, says = s->hows > 0;
  const double held = hc_wide_seconds(s->cpu_held) / (double)HC_MAX(how->core_units, 1);
  const hc_time span = hc_time_between(s->first_start, s->last_end);
  switch (which) {
    case HC_MEASURED_asked_core_hours: return s->limits > 0 ? core_hours(how, s->limit_asked) : NOTHING;
    case HC_MEASURED_limit_used: return hc_wide_ratio(s->limit_used, s->limit_asked);
    case HC_MEASURED_cpu_used: return has_cpu && held > 0 ? hc_wide_seconds(s->cpu) / held : NOTHING;
    case HC_MEASURED_memory_used:
      return hc_real_sum_value(s->memory_asked) > 0
                 ? hc_real_sum_value(s->memory_used) / hc_real_sum_value(s->memory_asked)
                 : NOTHING;
    case HC_MEASURED_idle_core_hours: return has_cpu ? hc_real_sum_value(s->idle) / 3600 : NOTHING;
    case HC_MEASURED_lost_core_hours: return says ? core_hours(how, s->lost) : NOTHING;
    case HC_MEASURED_wasted_core_hours:
      return has_cpu && says ? core_hours(how, s->lost) + hc_real_sum_value(s->idle_kept) / 3600 : NOTHING;
    case HC_MEASURED_completed:
    case HC_MEASURED_failed:
    case HC_MEASURED_timeout:
    case HC_MEASURED_out_of_memory:
    case HC_MEASURED_node_fail:
    case HC_MEASURED_cancelled:
    case HC_MEASURED_other_ends: return says ? (double)s->ends[which - HC_MEASURED_completed] : NOTHING;
    case HC_MEASURED_average_queue_time: return hc_mean_seconds(s->wait, s->waited) / 60;
    case HC_MEASURED_average_congestion:
      return span > 0 && how->core_units > 0 ? hc_wide_real(s->area) / (double)span / (double)how->core_units
                                             : NOTHING;
    case HC_MEASURED_used_time: return used_time(s, how);
    case HC_MEASURED_aborted: return (double)(s->tasks - s->used_times - s->without_limit);
    case HC_MEASURED_queue_to_limit_time:
      return hc_mean_real(s->queue_to_limit, how->is_program ? s->tasks : s->queue_to_limits);
    case HC_MEASURED_FIGURES: break;
  }
  return NOTHING;
}
