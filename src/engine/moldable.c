/* moldable.c -- tasks that offer sizes, one of which a plan settles when it starts them.
 *
 * Such a task (HC_SIZED_AT_START of hc_task_extras) asks for a size by itself. How long one with a profile
 * is, it says when it runs (points.c). While another
 * one waits a plan may give it another size that it offers (actions/mold.c): then it is a task of that size
 * to all who look at it, with the run, the estimate and the limit that go with it. What these are follows
 * from those of its own size:
 *
 *   a law   S of each size: time = own time x S(own) / S(size), rounded up to a whole ns as that of a host
 *           of another speed is (execution/work.c); so a limit that ends it in its own size does so in each
 *   no law  S(n) = n: its work stays what it is, as that of a malleable task
 *   times   run, limit and estimate are said, and go through the run's options as those of a log do
 *           (overrun, no_limit, believe_waiting ...)
 *
 * What a predictor says of a task (predict.c) is of its own size, and is scaled as its times are. Where it
 * writes checkpoints its work is scaled, and after how much of that what is written, the rule says anew of
 * each size (checkpoints.c).
 *
 * The size that a start has is that of the attempt. A task that waits again has its own size again, unless it
 * has saved work: that was done in a size, and goes on in it.
 *
 * On a cell sizes are counted as tasks are there, in slots or processors: what is said of another number of
 * processors than it needs there is taken in proportion, and a size that does not come to a whole number is
 * not offered. What could never be held by the whole cell is not offered either; of a list that the source
 * wrote out it is an error, which names the task's line.
 *
 * The store has a row in `molds` for each start in another size than the task's own: what it asked for and
 * what it got. Cost: O(log sizes) a change; a list of offers O(sizes). The word is Feitelson's and Rudolph's,
 * JSSPP 1996, LNCS 1162. */
#include "engine/moldable.h"

#include "base/util.h"
#include "engine/combine.h"
#include "engine/explain.h"
#include "engine/intervals.h"
#include "engine/part.h"
#include "engine/rows.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "execution/work.h"
#include "workload/admit.h"
#include "workload/ledger.h"

static const hc_task_extras *extras_of(const hc_engine *e, hc_task id)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  return more ? hc_lexicon_more(e->lexicon, more) : NULL;
}

/* Its slots are alike, and how long it is no profile says. */
static bool offers_sizes(const hc_task_extras *m)
{
  return m && m->of > 0 && (m->changes & HC_SIZED_AT_START) && m->profile_size == 0 &&
         m->chunk_count + m->resize_count == 0 && m->most_cpu == 0;
}

static bool has_saved(const hc_work *w)
{
  return w->saved != 0 || w->restart != 0;
}

bool hc_moldable_is(const hc_engine *e, hc_task id)
{
  const hc_live *t = &e->tasks.live[id];
  return (e->policy_flags & HC_MOLDS) && t->state == HC_TASK_WAITING && !t->deferred &&
         !(t->flags & HC_TASK_PREFILL) && offers_sizes(extras_of(e, id)) && !has_saved(hc_work_of(e, id));
}

uint32_t hc_moldable_own(const hc_engine *e, hc_task id)
{
  const uint32_t own = hc_attempt_of(e, id)->own.size;
  return own > 0 ? own : hc_size_of(e, id);
}

/* ---- what it offers ---- */

int64_t hc_moldable_each(const hc_engine *e, hc_task id)
{
  const hc_live *t = &e->tasks.live[id];
  return e->cell.hosts ? t->units / HC_MAX(t->slots, 1) : 1;
}

static const hc_task_size *item_of(const hc_task_extras *m, int64_t size)
{
  size_t low = 0, high = m->size_count;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (m->sizes[mid].size < size) low = mid + 1;
    else high = mid;
  }
  return low < m->size_count && m->sizes[low].size == size ? &m->sizes[low] : NULL;
}

/* The same of the cell's own numbers. */
static const hc_task_size *item_for(const hc_task_extras *m, uint32_t own, int64_t size)
{
  const hc_wide said = hc_wide_times(hc_wide_product(size, 1), m->of);
  const int64_t n = hc_wide_divide(said, own, false);
  return n == hc_wide_divide(said, own, true) ? item_of(m, n) : NULL;
}

int64_t hc_moldable_in_slots(const hc_task_extras *m, uint32_t own, uint32_t said)
{
  const hc_wide n = hc_wide_times(hc_wide_product(own, 1), said);
  const int64_t down = hc_wide_divide(n, m->of, false);
  return down == hc_wide_divide(n, m->of, true) && down <= UINT32_MAX ? down : 0;
}

static void bounds_of(const hc_engine *e, hc_task id, const hc_task_extras *m, int64_t *least, int64_t *most)
{
  const hc_wide own = hc_wide_product(hc_moldable_own(e, id), 1);
  const uint32_t held = hc_attempt_of(e, id)->own.most;
  *least = HC_MAX(hc_wide_divide(hc_wide_times(own, m->least), m->of, true), 1);
  *most = HC_MIN(hc_wide_divide(hc_wide_times(own, m->most), m->of, false), (int64_t)UINT32_MAX);
  *most = HC_MIN(*most, (int64_t)UINT32_MAX / HC_MAX(hc_moldable_each(e, id), 1));
  if (held > 0) *most = HC_MIN(*most, (int64_t)held);
}

bool hc_moldable_offers(const hc_engine *e, hc_task id, int64_t size)
{
  const hc_task_extras *m = extras_of(e, id);
  int64_t least, most;
  if (size == hc_moldable_own(e, id)) return true;
  bounds_of(e, id, m, &least, &most);
  if (size < least || size > most) return false;
  return m->size_count == 0 || item_for(m, hc_moldable_own(e, id), size) != NULL;
}

/* ---- how long it is in each ---- */

typedef struct times {
  hc_time run, estimate, running_estimate, limit;
  bool is_killed;
} times;

static times times_of(const hc_engine *e, hc_task id)
{
  const hc_attempt *a = hc_attempt_of(e, id);
  if (a->own.size > 0)
    return (times){a->own.run, a->own.estimate, a->own.running_estimate, a->own.limit, a->own.is_killed != 0};
  return (times){e->tasks.live[id].run, hc_estimate_of(e, id), hc_running_estimate_of(e, id),
                 hc_cold_of(e, id)->limit, (e->tasks.live[id].bits & HC_LIVE_KILLED) != 0};
}

static void write_times(hc_engine *e, hc_task id, const times *x)
{
  hc_live *t = hc_live_of(e, id);
  t->run = x->run;
  t->bits = (uint8_t)((t->bits & ~HC_LIVE_KILLED) | (x->is_killed ? HC_LIVE_KILLED : 0));
  e->tasks.cold[id].limit = x->limit; /* it is there: the task has extras */
  if (!e->tasks.plans) {
    e->tasks.cold[id].estimate = x->running_estimate;
    return;
  }
  e->tasks.cold[id].estimate = e->tasks.planned[id].running_estimate = x->running_estimate;
  e->tasks.planned[id].estimate = x->estimate;
}

/* From one size to another: of the time that it takes all but what its checkpoints do goes by a speed. */
typedef struct change {
  hc_marks from, to;
  double speed;
} change;

static hc_time through(const change *c, hc_time time)
{
  return hc_marks_length(&c->to, hc_work_length(hc_marks_work(&c->from, time), c->speed));
}

static times changed(const change *c, const times *from)
{
  times x = *from;
  x.run = through(c, from->run);
  x.estimate = through(c, from->estimate);
  x.running_estimate = through(c, from->running_estimate);
  if (from->limit > 0) x.limit = through(c, from->limit);
  return x;
}

static hc_marks marks_in(const hc_engine *e, hc_task id, uint32_t size)
{
  hc_attempt a = {.marks.every = 0};
  const bool writes = e->options->checkpoint.type && !e->model;
  if (writes) (void)hc_intervals_lay(e, id, size, &a); /* it did for its own size */
  return a.marks;
}

/* How many times as fast it is as in its own size; 1 where times are said. */
static double speed_in(const hc_task_extras *m, uint32_t own, int64_t size)
{
  if (m->size_count == 0) return (double)size / (double)own;
  const double speed = item_for(m, own, size)->speed;
  return speed > 0 ? speed / item_of(m, m->of)->speed : 1;
}

double hc_moldable_speed(const hc_engine *e, hc_task id, int64_t size)
{
  const hc_task_extras *m = extras_of(e, id);
  const uint32_t molded = hc_attempt_of(e, id)->own.size, began = hc_work_of(e, id)->width;
  const uint32_t own = molded > 0 ? molded : began > 0 ? began : hc_size_of(e, id);
  if (!m || m->of == 0 || size < 1) return 0;
  if (m->size_count == 0) return (double)size;
  const hc_task_size *item = item_for(m, own, size);
  return item ? item->speed : 0;
}

/* As a log says them: through the options of the run. */
static times admitted(const hc_engine *e, const times *own, const hc_task_size *s)
{
  const hc_run_options *o = e->options;
  const hc_admission how = {.overrun = (hc_overrun)o->overrun,
                            .no_limit = (hc_no_limit)o->no_limit,
                            .assumed_limit = o->assumed_limit,
                            .zero_length = (hc_zero_length)o->zero_length,
                            .believe_waiting = (hc_believe)o->believe_waiting,
                            .believe_running = (hc_believe)o->believe_running};
  const hc_time limit = s->limit != HC_UNKNOWN ? s->limit : own->limit;
  const hc_admitted x = hc_admit_times(&how, s->run, limit, s->estimate);
  return (times){x.run, x.estimate, x.running_estimate, limit, x.killed};
}

static times times_in(const hc_engine *e, hc_task id, const hc_task_extras *m, int64_t size)
{
  const uint32_t own = hc_moldable_own(e, id);
  const times mine = times_of(e, id);
  if (size == own) return mine;
  const change c = {marks_in(e, id, own), marks_in(e, id, (uint32_t)size), speed_in(m, own, size)};
  const hc_task_size *s = m->size_count > 0 ? item_for(m, own, size) : NULL;
  if (!s || s->speed > 0) return changed(&c, &mine);
  const times work = changed(&(change){.from = c.from, .speed = 1}, &mine), said = admitted(e, &work, s);
  return changed(&(change){.to = c.to, .speed = 1}, &said);
}

/* Of which its times are: that in which its attempt began, if it was resized. */
static uint32_t size_of_times(const hc_engine *e, hc_task id)
{
  const uint32_t began = hc_work_of(e, id)->width;
  return began > 0 ? began : hc_size_of(e, id);
}

/* What takes so long in one of its sizes, in another. Where times are said there is no predictor to ask. */
static hc_time taken_in(const hc_engine *e, hc_task id, uint32_t from, uint32_t to, hc_time time)
{
  const uint32_t own = hc_moldable_own(e, id);
  const hc_task_extras *m = extras_of(e, id);
  const change c = {.from = marks_in(e, id, from),
                    .to = marks_in(e, id, to),
                    .speed = speed_in(m, own, to) / speed_in(m, own, from)};
  return from == to ? time : through(&c, time);
}

hc_time hc_moldable_from_own(const hc_engine *e, hc_task id, hc_time time)
{
  const uint32_t own = hc_attempt_of(e, id)->own.size;
  return own > 0 ? taken_in(e, id, own, size_of_times(e, id), time) : time;
}

hc_time hc_moldable_to_own(const hc_engine *e, hc_task id, hc_time time)
{
  const uint32_t own = hc_attempt_of(e, id)->own.size;
  return own > 0 ? taken_in(e, id, size_of_times(e, id), own, time) : time;
}

/* ---- a change ---- */

hc_rc hc_moldable_set(hc_engine *e, hc_task id, uint32_t size)
{
  const uint32_t own = hc_moldable_own(e, id);
  const times mine = times_of(e, id), now = times_in(e, id, extras_of(e, id), size);
  hc_attempt *a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  e->choice.version = 0; /* what was chosen last was for another size */
  if (e->tasks.remembers) e->tasks.failed[id] = 0;
  const uint32_t most = a->own.most;
  if (size == own) a->own = hc_attempt_plain.own;
  else {
    a->own.size = own;
    a->own.run = mine.run;
    a->own.estimate = mine.estimate;
    a->own.running_estimate = mine.running_estimate;
    a->own.limit = mine.limit;
    a->own.is_killed = mine.is_killed;
  }
  a->own.most = most;
  if (e->options->checkpoint.type && !e->model) (void)hc_intervals_lay(e, id, size, a);
  hc_set_size(e, id, size);
  write_times(e, id, &now);
  return 0;
}

void hc_moldable_reset(hc_engine *e, hc_task id)
{
  const uint32_t own = hc_attempt_of(e, id)->own.size;
  if (own == 0 || has_saved(hc_work_of(e, id))) return;
  hc_engine_note(e, hc_moldable_set(e, id, own));
}

/* ---- all that it offers ---- */

/* Of a list of times how fast each is, by what is believed: the smallest counts as linear. */
static void set_speeds(hc_mold_offer *out, size_t count)
{
  const double work = (double)out[0].size * (double)HC_MIN(out[0].estimate, HC_NEVER);
  for (size_t i = 0; i < count; i++)
    out[i].speed = out[i].estimate > 0 ? work / (double)out[i].estimate : (double)out[i].size;
}

static hc_mold_offer offer_of(const hc_engine *e, hc_task id, const hc_task_extras *m, int64_t size,
                              double speed)
{
  return (hc_mold_offer){size, size * hc_moldable_each(e, id), speed, times_in(e, id, m, size).estimate};
}

size_t hc_moldable_list(const hc_engine *e, hc_task id, hc_mold_offer *out, size_t cap)
{
  const hc_task_extras *m = extras_of(e, id);
  int64_t least, most;
  size_t n = 0;
  bounds_of(e, id, m, &least, &most);
  if (m->size_count == 0) {
    for (int64_t size = least; size <= most; size++, n++)
      if (n < cap) out[n] = offer_of(e, id, m, size, (double)size);
    return n;
  }
  for (size_t i = 0; i < m->size_count; i++) {
    const int64_t size = hc_moldable_in_slots(m, hc_moldable_own(e, id), m->sizes[i].size);
    if (size < least || size > most) continue;
    if (n < cap) out[n] = offer_of(e, id, m, size, m->sizes[i].speed);
    n++;
  }
  if (n > 0 && n <= cap && m->sizes[0].speed == 0) set_speeds(out, n);
  return n;
}

/* ---- which runs, and which tasks ---- */

hc_rc hc_moldable_check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  if (!(flags & HC_MOLDS)) return 0;
  if (!e->architecture_type->lets_rates)
    return hc_combine_refuse(error, "a policy that settles the sizes of tasks has to see the whole queue and "
                                    "the whole cell, and to be the only scheduler: use the architecture "
                                    "monolithic, or leave out `mold`");
  return 0;
}

static hc_rc refuse(const hc_notice *n, const char *why)
{
  return hc_fail(n->error, HC_EUNSUPPORTED, "source", hc_line_number(n->arrival->spec.line), 0,
                 "task %lld has a size that is settled when it starts, %s", (long long)n->arrival->spec.id,
                 why);
}

/* Could the whole cell hold it in that size? */
static bool could_be(hc_engine *e, hc_task id, int64_t size)
{
  if (!e->cell.hosts) return size <= (int64_t)e->cell_spec.units;
  hc_request r = hc_request_of(e, id);
  r.slots = (uint32_t)size;
  return hc_hosts_never(e->cell.hosts, &r) == HC_NEVER_FALSE;
}

/* The largest from `least` to `most` that could be: more is never easier. */
static int64_t largest(hc_engine *e, hc_task id, int64_t least, int64_t most)
{
  if (could_be(e, id, most)) return most;
  while (least < most - 1) {
    const int64_t mid = least + (most - least) / 2;
    if (could_be(e, id, mid)) least = mid;
    else most = mid;
  }
  return least;
}

/* @return 0; or an error with the line of the task */
static hc_rc check_list(hc_engine *e, const hc_notice *n, const hc_task_extras *m)
{
  const uint32_t own = hc_size_of(e, n->task);
  for (size_t i = 0; i < m->size_count; i++) {
    const int64_t size = hc_moldable_in_slots(m, own, m->sizes[i].size);
    if (size == 0 || could_be(e, n->task, size)) continue;
    return hc_fail(
        n->error, HC_EINPUT, "source", hc_line_number(n->arrival->spec.line), 0,
        "task %lld offers a shape of %u slots, which can never run on these %s: leave it out, or give "
        "the cell what it asks for",
        (long long)n->arrival->spec.id, m->sizes[i].size, e->cell.hosts ? "hosts" : "processors");
  }
  return 0;
}

/* What is believed of it in its own size, if that shape says it. */
static void believe_own(hc_engine *e, hc_task id, const hc_task_extras *m)
{
  const hc_task_size *own = m->size_count > 0 ? item_of(m, m->of) : NULL;
  if (!own || own->estimate == HC_UNKNOWN) return;
  const times mine = times_of(e, id);
  const hc_marks marks = marks_in(e, id, hc_size_of(e, id));
  const times work = changed(&(change){.from = marks, .speed = 1}, &mine), said = admitted(e, &work, own);
  times x = changed(&(change){.to = marks, .speed = 1}, &said);
  x.run = mine.run;
  x.is_killed = mine.is_killed;
  write_times(e, id, &x);
}

static hc_rc arrive(hc_engine *e, const hc_notice *n)
{
  const hc_task_extras *m = extras_of(e, n->task);
  const bool has_profile = m && m->of > 0 && (m->changes & HC_SIZED_AT_START) && m->profile_size > 0;
  if (!has_profile && !offers_sizes(m)) return 0;
  if (!has_profile) believe_own(e, n->task, m);
  if (!(e->policy_flags & HC_MOLDS)) return 0; /* it starts with what it asks for */
  if (!has_profile && m->size_count > 0 && m->sizes[0].speed == 0) {
    if (e->forecasts)
      return refuse(n,
                    "and says a time for each, while a predictor says one for the size that it asks for: "
                    "give its shapes a `speedup` each, or leave out `predictor`, or `mold`");
    TRY(check_list(e, n, m));
  }
  int64_t least, most;
  hc_attempt *a = hc_attempt_need(e, n->task);
  if (!a) return HC_ENOMEM;
  bounds_of(e, n->task, m, &least, &most);
  a->own.most = (uint32_t)largest(e, n->task, hc_size_of(e, n->task), HC_MAX(most, 1));
  return 0;
}

/* ---- what happened ---- */

static hc_rc started(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_attempt *a = hc_attempt_of(e, id);
  const hc_live *t = hc_live_of(e, id);
  const uint32_t own = a->own.size > 0 ? a->own.size : e->points ? a->work.width : 0;
  if (own == 0) return 0;
  e->counters.molded++;
  if (e->explain)
    hc_explain_text(e, id, "starts with %u %s, and asks for %u by itself", hc_size_of(e, id),
                    e->cell.hosts ? "slots" : "processors", own);
  if (!hc_keeps_rows(e)) return 0;
  return hc_store_numbers(e->store, "molds", 6,
                          (const int64_t[]){(int64_t)t->serial, t->start, own, hc_size_of(e, id),
                                            times_of(e, id).estimate, hc_running_estimate_of(e, id)},
                          error);
}

/* ---- as a part ---- */

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  return n->kind == HC_ON_EXTRAS ? arrive(e, n) : started(e, n->task, n->error);
}

static bool molds(const hc_engine *e)
{
  return (e->policy_flags & HC_MOLDS) != 0;
}

static bool always(const hc_engine *e)
{
  HC_UNUSED(e);
  return true;
}

const hc_part hc_part_moldable = {.name = "moldable", .wanted = always, .hears = HC_HEARS(EXTRAS), .on = on};
const hc_part hc_part_molded = {.name = "molded", .wanted = molds, .hears = HC_HEARS(STARTED), .on = on};
