/* sleep.c -- what strategies of energy_bf are made of: tasks that are planned, hosts that sleep and are
 * woken, and what a plan is worth. See sleep.h. */
#include "policy/sleep/sleep.h"

#include <string.h>

#include "base/util.h"

/* ---- hosts ---- */

hc_rc hc_sleep_sedate(hc_sleep *x, hc_outlook *o, uint32_t host, hc_time at)
{
  const hc_time off = hc_time_add(at, x->o->off), may = hc_time_add(off, x->least[host]);
  TRY(hc_outlook_use_one(o, host, at, off, HC_USE_STOPPING));
  TRY(hc_outlook_use_one(o, host, off, may, HC_USE_ASLEEP));
  return hc_outlook_use_one(o, host, may, HC_NEVER, HC_USE_WAKABLE);
}

hc_rc hc_sleep_wake(hc_sleep *x, hc_outlook *o, uint32_t host, hc_time at)
{
  const hc_time on = hc_time_add(at, x->o->on);
  TRY(hc_outlook_use_one(o, host, at, on, HC_USE_STARTING));
  return hc_outlook_use_one(o, host, on, HC_NEVER, HC_USE_IDLE);
}

int64_t hc_sleep_sedate_some(hc_sleep *x, hc_outlook *o, int64_t n)
{
  int64_t done = 0;
  for (uint32_t h = 0; h < o->hosts && done < n; h++) {
    if (!hc_outlook_always(o, h, HC_USE_IDLE)) continue;
    TRY(hc_sleep_sedate(x, o, h, x->now));
    done++;
  }
  return done;
}

int64_t hc_sleep_wake_some(hc_sleep *x, hc_outlook *o, int64_t n)
{
  int64_t done = 0;
  for (uint32_t h = 0; h < o->hosts && done < n; h++) {
    if (!hc_outlook_always(o, h, HC_USE_WAKABLE)) continue;
    TRY(hc_sleep_wake(x, o, h, x->now));
    done++;
  }
  return done;
}

int64_t hc_sleep_awake(const hc_sleep *x)
{
  return (int64_t)hc_outlook_number(&x->base, 0, HC_USE_IDLE) +
         (int64_t)hc_outlook_number(&x->base, 0, HC_USE_TASK) +
         (int64_t)hc_outlook_number(&x->base, 0, HC_USE_STARTING);
}

int64_t hc_sleep_asleep(const hc_sleep *x)
{
  return (int64_t)hc_outlook_number(&x->base, 0, HC_USE_STOPPING) +
         (int64_t)hc_outlook_number(&x->base, 0, HC_USE_ASLEEP) +
         (int64_t)hc_outlook_number(&x->base, 0, HC_USE_WAKABLE);
}

int64_t hc_sleep_first(const hc_sleep *x)
{
  for (size_t i = 0; i < x->count; i++)
    if (x->jobs[i].start != x->now) return x->jobs[i].hosts;
  return 0;
}

int64_t hc_sleep_sedate_idle(hc_sleep *x)
{
  int64_t done = 0, may = hc_sleep_awake(x) - hc_sleep_first(x);
  for (uint32_t h = 0; h < x->plan.hosts && done < may; h++) {
    if (hc_outlook_number(&x->plan, 0, HC_USE_STARTING) > 0) break;
    if (x->idle_since[h] == HC_NEVER || hc_time_add(x->idle_since[h], x->o->idle_after) > x->now) continue;
    if (!hc_outlook_always(&x->plan, h, HC_USE_IDLE)) continue;
    TRY(hc_sleep_sedate(x, &x->plan, h, x->now));
    done++;
  }
  return done;
}

/* ---- tasks ---- */

/* How many slots of a job there is room for on these hosts, as far as it wants. */
static int64_t room_on(const hc_sleep *x, size_t job, const uint64_t *hosts)
{
  const int64_t *rooms = &x->rooms[job * x->cell->class_count], wanted = x->jobs[job].slots;
  int64_t n = 0;
  for (size_t w = 0; w < x->base.words; w++) {
    if (x->cell->class_count == 1) n += rooms[0] * __builtin_popcountll(hosts[w]);
    else
      for (uint64_t rest = hosts[w]; rest != 0; rest &= rest - 1)
        n += rooms[x->cell->class_of[w * 64 + (size_t)__builtin_ctzll(rest)]];
    if (n >= wanted) break;
  }
  return n;
}

/* Leave the lowest that have room for `slots` of it. */
static void keep_lowest(const hc_sleep *x, size_t job, uint64_t *hosts, int64_t slots)
{
  const int64_t *rooms = &x->rooms[job * x->cell->class_count];
  for (size_t w = 0; w < x->base.words; w++)
    for (uint64_t rest = hosts[w]; rest != 0; rest &= rest - 1) {
      const int64_t room = rooms[x->cell->class_of[w * 64 + (size_t)__builtin_ctzll(rest)]];
      if (slots <= 0 || room == 0) hosts[w] &= ~(rest & -rest);
      else slots -= room;
    }
}

/* The hosts that are so from a piece on until `to`. */
static void throughout(const hc_outlook *o, size_t piece, hc_time to, hc_use use, uint64_t *out)
{
  memcpy(out, hc_outlook_set(o, piece, use), o->words * sizeof *out);
  for (size_t k = piece + 1; k < o->count && o->from[k] < to; k++)
    for (size_t w = 0; w < o->words; w++) out[w] &= hc_outlook_set(o, k, use)[w];
}

/* The earliest start at or after `from`, and its hosts in x->some. @return HC_NEVER: there is none */
static hc_time first_fit(hc_sleep *x, const hc_outlook *o, size_t job, hc_time from)
{
  for (size_t k = 0; k < o->count; k++) {
    if (hc_outlook_end(o, k) <= from) continue;
    const hc_time at = HC_MAX(o->from[k], from);
    if (room_on(x, job, hc_outlook_set(o, k, HC_USE_IDLE)) < x->jobs[job].slots) continue;
    throughout(o, k, hc_time_add(at, x->jobs[job].length), HC_USE_IDLE, x->some);
    if (room_on(x, job, x->some) < x->jobs[job].slots) continue;
    keep_lowest(x, job, x->some, x->jobs[job].slots);
    return at;
  }
  return HC_NEVER;
}

/* The hosts in x->some are its own from `at` on. */
static hc_rc place(hc_sleep *x, hc_outlook *o, size_t job, hc_time at)
{
  hc_sleep_job *j = &x->jobs[job];
  j->start = at;
  for (uint32_t h = 0; h < o->hosts && at == x->now; h++)
    if (x->some[h / 64] >> (h % 64) & 1) x->given[h] = (uint32_t)job + 1;
  return hc_outlook_use(o, x->some, at, hc_time_add(at, j->length), HC_USE_TASK);
}

static hc_rc wake_set(hc_sleep *x, hc_outlook *o, const uint64_t *hosts, hc_time at)
{
  for (uint32_t h = 0; h < o->hosts; h++)
    if (hosts[h / 64] >> (h % 64) & 1) {
      TRY(hc_sleep_wake(x, o, h, at));
      x->woken++;
    }
  return 0;
}

static bool covers(const hc_outlook *o, size_t piece, hc_use use, const uint64_t *hosts)
{
  const uint64_t *set = hc_outlook_set(o, piece, use);
  for (size_t w = 0; w < o->words; w++)
    if (hosts[w] & ~set[w]) return false;
  return true;
}

/* Of the hosts that sleep at the end of time, wake the lowest that it misses as soon as all of them may be.
 * @return when they are there; HC_NEVER: there are too few; HC_ENOMEM */
static hc_time wake_for(hc_sleep *x, hc_outlook *o, size_t job)
{
  const size_t last = o->count - 1;
  const int64_t idle = room_on(x, job, hc_outlook_set(o, last, HC_USE_IDLE));
  const int64_t missing = x->jobs[job].slots - idle;
  size_t k = last;
  memcpy(x->more, hc_outlook_set(o, last, HC_USE_WAKABLE), o->words * sizeof *x->more);
  if (missing <= 0 || room_on(x, job, x->more) < missing) return HC_NEVER;
  keep_lowest(x, job, x->more, missing);
  while (k > 0 && covers(o, k - 1, HC_USE_WAKABLE, x->more)) k--;
  const hc_time at = o->from[k];
  TRY(wake_set(x, o, x->more, at));
  return hc_time_add(at, x->o->on);
}

/* Those that were just woken to be there at a time are woken to be there at a later one. */
static hc_rc wake_later(hc_sleep *x, hc_outlook *o, hc_time there, hc_time at)
{
  TRY(hc_outlook_use(o, x->more, there - x->o->on, at - x->o->on, HC_USE_WAKABLE));
  return hc_outlook_use(o, x->more, at - x->o->on, at, HC_USE_STARTING);
}

/* Could it start earlier than at `planned` when some that sleep now have been woken, on these and on
 * others that are idle from then on? At most `most` of them. @return how many were woken; HC_ENOMEM */
static int64_t wake_others(hc_sleep *x, hc_outlook *o, size_t job, hc_time planned, int64_t most)
{
  const hc_time at = hc_time_add(x->now, x->o->on), to = hc_time_add(at, x->jobs[job].length);
  int64_t n = 0;
  size_t k = 0;
  if (most <= 0 || at >= planned) return 0;
  while (hc_outlook_end(o, k) <= at) k++;
  throughout(o, 0, to, HC_USE_WAKABLE, x->more);
  throughout(o, k, to, HC_USE_IDLE, x->some);
  const int64_t missing = x->jobs[job].slots - room_on(x, job, x->some);
  if (missing <= 0 || room_on(x, job, x->more) < missing) return 0;
  keep_lowest(x, job, x->more, missing);
  for (size_t w = 0; w < o->words; w++) n += __builtin_popcountll(x->more[w]);
  if (n > most) return 0;
  TRY(wake_set(x, o, x->more, x->now));
  const hc_time start = first_fit(x, o, job, at);
  HC_ASSERT(start == at);
  TRY(place(x, o, job, start));
  return n;
}

/* @param first  all before it start now, or all are planned */
static hc_rc put_job(hc_sleep *x, hc_outlook *o, size_t job, bool first, int64_t *others)
{
  hc_time at = first_fit(x, o, job, x->now);
  if (at == x->now) return place(x, o, job, at);
  const int64_t n = wake_others(x, o, job, at, *others);
  if (n != 0) {
    *others -= n;
    return n < 0 ? (hc_rc)n : 0;
  }
  if (!first) return 0;
  if (at == HC_NEVER) {
    const hc_time there = wake_for(x, o, job);
    if (there < 0) return (hc_rc)there;
    if (there != HC_NEVER) at = first_fit(x, o, job, there);
    if (there != HC_NEVER && at > there) TRY(wake_later(x, o, there, at));
  }
  return at == HC_NEVER ? 0 : place(x, o, job, at);
}

hc_rc hc_sleep_put_jobs(hc_sleep *x, hc_outlook *o, int64_t others)
{
  bool first = true;
  x->woken = 0;
  memset(x->given, 0, o->hosts * sizeof *x->given);
  for (size_t i = 0; i < x->count; i++) {
    x->jobs[i].start = HC_NEVER;
    TRY(put_job(x, o, i, first, &others));
    if (x->o->plan == HC_SLEEP_PLAN_FIRST && x->jobs[i].start != x->now) first = false;
  }
  return 0;
}

/* ---- what a plan is worth ---- */

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

static double slowdown_of(hc_time submitted, hc_time start, hc_time end)
{
  return seconds(end - submitted) / seconds(HC_MAX(end - start, 1));
}

double hc_sleep_slowdown(const hc_sleep *x)
{
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < x->ran_count; i++, n++)
    sum += x->ran[i].end == HC_NEVER ? 1 : slowdown_of(x->ran[i].submitted, x->ran[i].start, x->ran[i].end);
  for (size_t i = 0; i < x->count; i++) {
    const hc_sleep_job *j = &x->jobs[i];
    if (j->start == HC_NEVER) continue;
    sum += j->length == HC_NEVER ? 1 : slowdown_of(j->submitted, j->start, hc_time_add(j->start, j->length));
    n++;
  }
  return n > 0 ? sum / (double)n : 0;
}

/* What a host draws less because it sleeps from when nothing is planned on it any more. */
static double saves(const hc_sleep *x, const hc_outlook *o, uint32_t host, hc_time until)
{
  const double *watts = &x->watts[host];
  size_t k = o->count;
  while (k > 0 && hc_outlook_is(o, k - 1, HC_USE_IDLE, host)) k--;
  if (k == o->count || o->from[k] >= until) return 0;
  const hc_time rest = until - o->from[k], off = HC_MIN(rest, x->o->off);
  return seconds(rest) * watts[(size_t)HC_USE_IDLE * o->hosts] -
         seconds(off) * watts[(size_t)HC_USE_STOPPING * o->hosts] -
         seconds(rest - off) * watts[(size_t)HC_USE_WAKABLE * o->hosts];
}

double hc_sleep_energy(const hc_sleep *x, const hc_outlook *o, hc_time until)
{
  double sum = 0;
  for (uint32_t h = 0; h < o->hosts; h++) sum -= saves(x, o, h, until);
  for (size_t k = 0; k < o->count && o->from[k] < until; k++) {
    double watts = 0;
    for (int u = 0; u < HC_USE_COUNT; u++)
      for (size_t w = 0; w < o->words; w++)
        for (uint64_t rest = hc_outlook_set(o, k, (hc_use)u)[w]; rest != 0; rest &= rest - 1)
          watts += x->watts[(size_t)u * o->hosts + w * 64 + (size_t)__builtin_ctzll(rest)];
    sum += watts * seconds(HC_MIN(hc_outlook_end(o, k), until) - o->from[k]);
  }
  return sum;
}
