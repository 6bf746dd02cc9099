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
  *c = (hc_slurm_clock){.tick = tick, .origin = origin};
  c->s = (hc_slurm_clock_state){.tick_at = tick_at, .poll = poll_at, .asked = HC_NEVER};
  c->s.last_full = second(c, full_at);
  c->s.last_pass = c->s.last_cycle = c->s.changed = LONG_AGO;
  c->s.seen = INT64_MIN / 4;
}

/* ---- a log ---- */

/* The first of them at or after `t`; `n`: none. */
static size_t next_of(const hc_slurm_moment *all, size_t n, hc_time t)
{
  size_t low = 0, high = n;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (all[mid].at < t) low = mid + 1;
    else high = mid;
  }
  return low;
}

/* What it tells of both lies before `t`. */
static bool is_over(const hc_slurm_clock *c, hc_time t)
{
  const hc_slurm_moments *l = c->log;
  return !l || (next_of(l->passes, l->pass_count, t) == l->pass_count &&
                next_of(l->cycles, l->cycle_count, t) == l->cycle_count);
}

/* ---- the main scheduler ---- */

/* The first tick at or after `t`. */
static hc_time tick_from(const hc_slurm_clock *c, hc_time t)
{
  const hc_time past = t - c->s.tick_at;
  const hc_time n = past / c->tick + (past % c->tick > 0);
  return c->s.tick_at + n * c->tick;
}

static hc_time tick_in(const hc_slurm_clock *c, int64_t s, hc_time now)
{
  return tick_from(c, HC_MAX(HC_MAX(beginning(c, s), now), c->s.seen + 1));
}

hc_time hc_slurm_clock_main(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now, bool *full)
{
  const hc_slurm_moments *l = c->log;
  const size_t at = l ? next_of(l->passes, l->pass_count, HC_MAX(now, c->s.seen + 1)) : 0;
  if (l && at < l->pass_count) {
    *full = l->passes[at].full != 0;
    return l->passes[at].at;
  }
  const hc_time whole =
      s->sched_interval < 0 ? HC_NEVER : tick_in(c, c->s.last_full + s->sched_interval, now);
  const hc_time front = c->s.asked == HC_NEVER
                            ? HC_NEVER
                            : tick_in(c, c->s.last_pass + s->batch_sched_delay, HC_MAX(now, c->s.asked));
  *full = whole <= front && whole != HC_NEVER;
  return HC_MIN(whole, front);
}

void hc_slurm_clock_ran(hc_slurm_clock *c, hc_time now, bool full)
{
  c->s.seen = now;
  c->s.last_pass = second(c, now);
  c->s.asked = HC_NEVER;
  if (full) c->s.last_full = c->s.last_pass;
}

/* Passes over nothing, whole intervals at once. */
static void settle_main(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  const int64_t idle = second(c, now) - c->s.last_full;
  bool full;
  if (c->s.asked == HC_NEVER && s->sched_interval > 0 && idle > 2 * s->sched_interval)
    c->s.last_full += (idle / s->sched_interval - 1) * s->sched_interval;
  for (hc_time at; (at = hc_slurm_clock_main(c, s, HC_MAX(c->s.seen, INT64_MIN / 8), &full)) < now;)
    hc_slurm_clock_ran(c, at, full);
}

/* ---- the backfill ---- */

static bool has_work(const hc_slurm_clock *c)
{
  return c->s.changed >= c->s.last_cycle && c->s.changed > LONG_AGO;
}

static bool runs_at(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time at)
{
  return has_work(c) && second(c, at) - c->s.last_cycle >= s->bf_interval;
}

void hc_slurm_clock_filled(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now, hc_time took)
{
  c->s.last_cycle = second(c, now + took);
  c->s.poll = now + took + s->bf_interval * HC_SECOND;
}

static void settle_backfill(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  while (c->s.poll < now) {
    if (runs_at(c, s, c->s.poll)) hc_slurm_clock_filled(c, s, c->s.poll, 0);
    else if (has_work(c)) c->s.poll += HC_SECOND;
    else c->s.poll += ((now - c->s.poll - 1) / HC_SECOND + 1) * HC_SECOND;
  }
}

hc_time hc_slurm_clock_backfill(const hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  hc_time at = c->s.poll;
  const hc_slurm_moments *l = c->log;
  const size_t k = l ? next_of(l->cycles, l->cycle_count, now) : 0;
  if (l && k < l->cycle_count) return l->cycles[k].at;
  if (s->builtin || !has_work(c)) return HC_NEVER;
  while (at < now || !runs_at(c, s, at)) at += HC_SECOND;
  return at;
}

void hc_slurm_clock_settle(hc_slurm_clock *c, const hc_slurm_settings *s, hc_time now)
{
  if (!is_over(c, now)) return;
  settle_main(c, s, now);
  if (!s->builtin) settle_backfill(c, s, now);
}

void hc_slurm_clock_change(hc_slurm_clock *c, hc_time now, bool pass)
{
  c->s.changed = second(c, now);
  if (pass && c->s.asked == HC_NEVER) c->s.asked = now;
}
