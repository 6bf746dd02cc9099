/* inertia.c -- energy_bf_monitoring_inertial of batsched: as long as the load goes down more and more
 * hosts sleep, and as long as it goes up more and more are woken.
 *
 * The *horizon of load* is how long it would take until all queued work was done if it were a liquid
 * that is poured into what is idle: its integral over a period is compared with that of the period
 * before. Is it not greater, hosts are put to sleep, in each period so many as in the last one times, or
 * plus, `step`, at least one; if it is, that is over, and from the next period on hosts are woken so.
 * Where its mean is `busy` or more they are woken whatever was before. Beside that those sleep that have
 * been idle for long enough, and these are woken for any queued task; the others only for the first,
 * which is never delayed: no host sleeps that it is planned on, nor in a period in which hosts have to
 * be woken for it. What tasks have woken counts first as what slept for being idle. */
#include "base/util.h"
#include "policy/sleep/sleep.h"

/* Seconds until the queue would be done; of what had come before now if `before`. */
static double horizon(const hc_sleep *x, bool before)
{
  const hc_outlook *o = &x->base;
  double load = 0;
  for (size_t i = 0; i < x->count; i++) {
    const hc_sleep_job *j = &x->jobs[i];
    if (before && j->submitted == x->now) continue;
    if (j->length == HC_NEVER) return __builtin_inf();
    load += (double)j->hosts * ((double)j->length / 1e9);
  }
  for (size_t k = 0; k < o->count && load > 0; k++) {
    const double idle = hc_outlook_number(o, k, HC_USE_IDLE);
    const double length = k + 1 < o->count ? (double)(o->from[k + 1] - o->from[k]) / 1e9 : __builtin_inf();
    if (idle > 0 && load <= idle * length) return (double)(o->from[k] - x->now) / 1e9 + load / idle;
    if (idle > 0) load -= idle * length;
  }
  return load > 0 ? __builtin_inf() : 0;
}

/* A trapezoid more. */
static void integrate(hc_sleep *x)
{
  struct hc_sleep_state *s = &x->state;
  const double length = (double)(x->now - s->llh_at) / 1e9;
  if (length > 0) s->integral += (s->llh + horizon(x, true)) / 2 * length;
  s->llh_at = x->now;
  s->llh = horizon(x, false);
}

static int64_t grown(const hc_sleep *x, int64_t last)
{
  const double n = x->o->grow == HC_SLEEP_TIMES ? (double)last * x->o->step : (double)last + x->o->step;
  return (int64_t)HC_MIN(HC_MAX(n, 1.0), (double)x->base.hosts);
}

/* @param last  how many were woken in the last period */
static hc_rc wake(hc_sleep *x, int64_t last)
{
  struct hc_sleep_state *s = &x->state;
  s->sedates = !(s->integral > s->before);
  if (s->sedates) return 0;
  const int64_t n = hc_sleep_wake_some(x, &x->plan, grown(x, last));
  if (n < 0) return (hc_rc)n;
  s->by_inertia = HC_MAX(s->by_inertia - n, 0);
  s->woken = n;
  return 0;
}

/* Those that sleep already for having been idle are its own first. */
static hc_rc sedate(hc_sleep *x, int64_t last)
{
  struct hc_sleep_state *s = &x->state;
  s->sedates = s->integral <= s->before;
  if (!s->sedates) return 0;
  const int64_t want = grown(x, last);
  const int64_t others = HC_MIN(HC_MAX(hc_sleep_asleep(x) - s->by_inertia, 0), want);
  const int64_t n = hc_sleep_sedate_some(x, &x->plan, want - others);
  if (n < 0) return (hc_rc)n;
  s->by_inertia += n + others;
  s->sedated = n;
  return 0;
}

/* A period is over. The first one has none to be compared with. */
static hc_rc step(hc_sleep *x)
{
  struct hc_sleep_state *s = &x->state;
  const int64_t woken = s->woken, sedated = s->sedated;
  hc_rc rc = 0;
  s->woken = s->sedated = 0;
  if (x->o->busy > 0 && s->integral >= (double)x->o->busy / 1e9 * ((double)x->o->period / 1e9)) {
    s->sedates = 0;
    s->before = 0;
  }
  if (s->stages++ > 0 && x->woken == 0) rc = s->sedates ? sedate(x, sedated) : wake(x, woken);
  s->before = s->integral;
  s->integral = 0;
  return rc;
}

static hc_rc decide(hc_sleep *x)
{
  struct hc_sleep_state *s = &x->state;
  TRY(hc_outlook_copy(&x->plan, &x->base));
  integrate(x);
  s->by_inertia = HC_MIN(s->by_inertia, hc_sleep_asleep(x));
  TRY(hc_sleep_put_jobs(x, &x->plan, hc_sleep_asleep(x) - s->by_inertia));
  s->woken += (int64_t)hc_outlook_number(&x->plan, 0, HC_USE_STARTING) -
              (int64_t)hc_outlook_number(&x->base, 0, HC_USE_STARTING); /* for tasks, now */
  if (x->is_stage) TRY(step(x));
  if (x->woken == 0 && (x->is_stage || x->o->at_events)) {
    const int64_t n = hc_sleep_sedate_idle(x);
    if (n < 0) return (hc_rc)n;
  }
  return 0;
}

const hc_sleep_strategy hc_sleep_inertia = {
    .name = "inertia", .uses = HC_SLEEP_IDLE | HC_SLEEP_STAGES | HC_SLEEP_GROWTH, .decide = decide};
