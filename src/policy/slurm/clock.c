/* clock.c -- see clock.h.
 *
 * The main loop of slurmctld looks every second, and a little: the time of its own work is added to each
 * second that it sleeps. It runs the main scheduler over the whole queue when sched_interval has passed since
 * it last did, else over its front if a pass has been asked for (a job came, ended or was changed) and
 * batch_sched_delay has passed since the last pass. Both compare whole seconds, as all of this does.
 *
 * The backfill sleeps bf_interval, and runs if as much has passed since its last cycle and anything has
 * changed since; if not it looks again every second. A cycle that tries a job changes something.
 *
 * While no job waits passes and cycles find nothing, but they move what comes after them: `settle` counts
 * them without a decision. Source: slurmctld of Slurm 22.05, as it behaves (docs/slurm.md). */
#include "policy/slurm/clock.h"

#include "base/util.h"

#define LONG_AGO (INT64_C(-1000000000)) /* s: before all that happens */

static int64_t second(const hc_slurm_clock *c, hc_time t)
{
  return t / HC_SECOND - (t % HC_SECOND < 0) + c->origin;
}

/* Where a second of slurmctld's clock begins, ns. */
static hc_time beginning(const hc_slurm_clock *c, int64_t s)
{
  return (s - c->origin) * HC_SECOND;
}

void hc_slurm_clock_init(hc_slurm_clock *c, int64_t origin, hc_time tick, hc_time tick_at, hc_time poll_at,
                         hc_time full_at)
{
  *c = (hc_slurm_clock){
      .tick = tick, .tick_at = tick_at, .origin = origin, .poll = poll_at, .asked = HC_NEVER};
  c->last_full = second(c, full_at);
  c->last_pass = c->last_cycle = c->changed = LONG_AGO;
  c->seen = INT64_MIN / 4;
}

/* ---- the main scheduler ---- */

/* The first tick at or after `t`. */
static hc_time tick_from(const hc_slurm_clock *c, hc_time t)
{
  const hc_time past = t - c->tick_at;
  const hc_time n = past / c->tick + (past % c->tick > 0);
  return c->tick_at + n * c->tick;
}

static hc_time tick_in(const hc_slurm_clock *c, int64_t s, hc_time now)
{
  return tick_from(c, HC_MAX(HC_MAX(beginning(c, s), now), c->seen + 1));
}

hc_time hc_slurm_clock_main(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now, bool *full)
{
  const hc_time whole = s->sched_interval < 0 ? HC_NEVER : tick_in(c, c->last_full + s->sched_interval, now);
  const hc_time front = c->asked == HC_NEVER
                            ? HC_NEVER
                            : tick_in(c, c->last_pass + s->batch_sched_delay, HC_MAX(now, c->asked));
  *full = whole <= front && whole != HC_NEVER;
  return HC_MIN(whole, front);
}

void hc_slurm_clock_ran(hc_slurm_clock *c, hc_time now, bool full)
{
  c->seen = now;
  c->last_pass = second(c, now);
  c->asked = HC_NEVER;
  if (full) c->last_full = c->last_pass;
}

/* Passes over nothing, whole intervals at once. */
static void settle_main(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  const int64_t idle = second(c, now) - c->last_full;
  bool full;
  if (c->asked == HC_NEVER && s->sched_interval > 0 && idle > 2 * s->sched_interval)
    c->last_full += (idle / s->sched_interval - 1) * s->sched_interval;
  for (hc_time at; (at = hc_slurm_clock_main(c, s, HC_MAX(c->seen, INT64_MIN / 8), &full)) < now;)
    hc_slurm_clock_ran(c, at, full);
}

/* ---- the backfill ---- */

static bool has_work(const hc_slurm_clock *c)
{
  return c->changed >= c->last_cycle && c->changed > LONG_AGO;
}

static bool runs_at(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time at)
{
  return has_work(c) && second(c, at) - c->last_cycle >= s->bf_interval;
}

void hc_slurm_clock_filled(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now, hc_time took)
{
  c->last_cycle = second(c, now + took);
  c->poll = now + took + s->bf_interval * HC_SECOND;
}

static void settle_backfill(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  while (c->poll < now) {
    if (runs_at(c, s, c->poll)) hc_slurm_clock_filled(c, s, c->poll, 0);
    else if (has_work(c)) c->poll += HC_SECOND;
    else c->poll += ((now - c->poll - 1) / HC_SECOND + 1) * HC_SECOND;
  }
}

hc_time hc_slurm_clock_backfill(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  hc_time at = c->poll;
  if (s->builtin || !has_work(c)) return HC_NEVER;
  while (at < now || !runs_at(c, s, at)) at += HC_SECOND;
  return at;
}

void hc_slurm_clock_settle(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  settle_main(c, s, now);
  if (!s->builtin) settle_backfill(c, s, now);
}

void hc_slurm_clock_change(hc_slurm_clock *c, hc_time now, bool pass)
{
  c->changed = second(c, now);
  if (pass && c->asked == HC_NEVER) c->asked = now;
}
