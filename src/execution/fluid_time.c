/* fluid_time.c -- clocks, and what ends when.
 *
 * The flows that one link holds back have one level, so they share a clock: it advances by level x seconds.
 * A flow that is held back from clock v on with work w left ends when the clock stands at v + w / share: the
 * link has a heap of these, and is itself in the heap of what ends next, once, with the first of them. A
 * change of level moves one entry there, whatever the number of flows. Flows bound by themselves, and those
 * that wait for their delay, are in that heap one by one.
 *
 * A clock is set back to 0 when its link holds back none, and after four times as many additions as it has
 * ends, so that its digits are those of what is to come (the cost is spread over the additions).
 *
 * When a time is not whole the end is at the next ns; see fluid.h for what is close enough to a whole one.
 * */
#include "base/util.h"
#include "execution/fluid_parts.h"

HC_FLUID_HEAP(ends, hc_fluid_moment, a.at < b.at, f->flows[x.flow].place = (uint32_t)at)
HC_FLUID_HEAP(due, hc_fluid_due, a.at < b.at || (a.at == b.at && a.id < b.id),
              if (x.id & IS_FLOW) f->flows[x.id & ~IS_FLOW].place = (uint32_t)at;
              else f->sides[x.id].due = (uint32_t)at)

/* `since` and the time of so much work at a rate, up to the next whole ns. */
static hc_time end_after(hc_time since, double work, double rate)
{
  const double ns = work / rate * 1e9, least = ns - 1e-3 - 1e-13 * ns;
  hc_time whole;
  if (work <= 0) return since;
  if (!(ns < 0x1p62)) return HC_NEVER; /* at rate 0 it is infinite */
  if (least <= 0) return since;
  whole = (hc_time)least;
  return hc_time_add(since, whole + ((double)whole < least));
}

/* ---- what ends next ---- */

static void due_set(hc_fluid *f, uint32_t id, uint32_t place, hc_time at)
{
  const hc_fluid_due x = {.at = at, .id = id};
  if (place == NONE) due_rise(f, f->due, f->due_count++, x);
  else if (f->due[place].at != at) due_settle(f, f->due, f->due_count, place, x);
}

static void due_drop(hc_fluid *f, uint32_t place)
{
  due_take(f, f->due, f->due_count, place);
  f->due_count--;
}

void hc_fluid_due_add(hc_fluid *f, uint32_t flow, hc_time at)
{
  due_set(f, flow | IS_FLOW, NONE, at);
}

void hc_fluid_due_drop(hc_fluid *f, uint32_t flow)
{
  due_drop(f, f->flows[flow].place);
  f->flows[flow].place = NONE;
}

hc_time hc_fluid_due_first(const hc_fluid *f)
{
  return f->due_count > 0 ? f->due[0].at : HC_NEVER;
}

uint32_t hc_fluid_due_take(hc_fluid *f)
{
  const uint32_t id = f->due[0].id;
  return id & IS_FLOW ? id & ~IS_FLOW : ends_of(f, &f->sides[id])[0].flow;
}

static void retime_link(hc_fluid *f, uint32_t link)
{
  hc_fluid_side *s = &f->sides[link];
  s->retimed = 0;
  if (s->own == 0) {
    if (s->due != NONE) due_drop(f, s->due);
    s->due = NONE;
    return;
  }
  due_set(f, link, s->due, end_after(s->clock_at, ends_of(f, s)[0].at - s->clock, f->links[link].level));
}

void hc_fluid_retime(hc_fluid *f)
{
  for (size_t i = 0; i < f->retimed_count; i++) retime_link(f, f->retimed[i]);
  f->retimed_count = 0;
}

/* ---- a flow finds its bottleneck, and leaves it ---- */

double hc_fluid_left(const hc_fluid *f, uint32_t flow)
{
  const hc_fluid_flow *w = &f->flows[flow];
  const hc_fluid_record *r = &f->records[flow];
  double left = r->left;
  if (w->bottleneck < SELF) {
    left = (ends_of(f, &f->sides[w->bottleneck])[w->place].at - clock_now(f, w->bottleneck)) * w->share;
  } else if (w->bottleneck == SELF && f->s.now > r->since) {
    left -= r->rate * ((double)(f->s.now - r->since) * 1e-9);
  }
  return left > 0 ? HC_MIN(left, r->work) : 0;
}

/* The member at `at` and the one at `to` change places. */
static void swap_members(hc_fluid *f, hc_fluid_side *s, uint32_t at, uint32_t to)
{
  hc_fluid_cell *members = members_of(f, s);
  const hc_fluid_cell x = members[at];
  if (at == to) return;
  members[at] = members[to];
  members[to] = x;
  f->cells[members[at].member.use].use.place = at;
  f->cells[x.member.use].use.place = to;
}

static void disown(hc_fluid *f, hc_fluid_flow *w)
{
  hc_fluid_side *s = &f->sides[w->bottleneck];
  retime(f, w->bottleneck);
  ends_take(f, ends_of(f, s), s->own, w->place);
  ends_of(f, s)[s->own - 1] = (hc_fluid_moment){0};
  swap_members(f, s, f->cells[w->own_use].use.place, --s->own);
  if (w->shared >= 2) s->wide--;
  if (s->own > 0) return;
  f->links[w->bottleneck].level = s->least_bound = INFINITE;
  s->clock = 0;
  s->turns = 0;
}

static void set_back(hc_fluid *f, hc_fluid_side *s)
{
  hc_fluid_moment *ends = ends_of(f, s);
  for (uint32_t i = 0; i < s->own; i++) ends[i].at -= s->clock;
  s->clock = 0;
  s->turns = 0;
}

/* Its clock is at now: the filling has brought it there. */
static void belong(hc_fluid *f, uint32_t flow, double left)
{
  hc_fluid_flow *w = &f->flows[flow];
  hc_fluid_side *s = &f->sides[w->bottleneck];
  hc_fluid_moment x = {.flow = flow};
  retime(f, w->bottleneck);
  if (++s->turns > 64 + 4 * s->own) set_back(f, s);
  x.at = s->clock + (w->share == 1 ? left : left / w->share);
  swap_members(f, s, f->cells[w->own_use].use.place, s->own);
  ends_rise(f, ends_of(f, s), s->own++, x);
  if (w->shared >= 2) s->wide++;
  s->least_bound = HC_MIN(s->least_bound, w->bound_level);
}

/* Bound by itself, at a level: it may be infinite. */
static void go_alone(hc_fluid *f, uint32_t flow, double left)
{
  hc_fluid_flow *w = &f->flows[flow];
  hc_fluid_record *r = &f->records[flow];
  r->rate = w->level * w->share;
  r->left = left;
  r->since = f->s.now;
  due_set(f, flow | IS_FLOW, w->place, end_after(f->s.now, left, r->rate));
}

void hc_fluid_place(hc_fluid *f, uint32_t flow, uint32_t bottleneck, uint32_t use, double level)
{
  hc_fluid_flow *w = &f->flows[flow];
  const double before = w->level;
  double left;
  w->level = level;
  if (w->bottleneck == bottleneck && (bottleneck != SELF || before == level)) return;
  left = hc_fluid_left(f, flow);
  if (w->bottleneck < SELF) {
    disown(f, w);
    w->place = NONE;
  } else if (w->bottleneck == SELF && bottleneck != SELF) {
    hc_fluid_due_drop(f, flow);
  }
  w->bottleneck = bottleneck;
  w->own_use = use;
  if (bottleneck < SELF) belong(f, flow, left);
  else if (bottleneck == SELF) go_alone(f, flow, left);
  else f->records[flow].left = left;
}
