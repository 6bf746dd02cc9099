/* easy_book.c -- EASY backfilling that plans with a book of its own: what it has decided, and what it has
 * been told.
 *
 * A host is in the book from the decision that gave it to a task until the task's end has been told, and is
 * believed to come back when the task's estimate has passed since that decision. So starts and ends that are
 * on their way (architecture `messages`) are not known here, as they are not to a scheduler beside a
 * simulator. The head's reservation is a set of hosts, the first in order that will be free at the earliest
 * time at which enough are. It is made anew when an end has been told, when the head is another one, and
 * when hosts have come or gone; not at an arrival. With `promise: time` it is that time alone, which it
 * keeps while it is the head (easy_bf_fast). A candidate takes the first hosts that are free: any if it ends
 * by the reservation, else those alone that are not reserved.
 *
 * Hosts are exclusive: a task takes as many, whole, as its slots fill. A task that runs past its
 * estimate is believed to end at the next instant. Hosts that are away, or held by tasks that were not
 * started here, are not planned with. A task that may not run on the hosts that are its turn waits, and
 * keeps none from others.
 *
 * `dates: binary` is for comparisons, job by job, with a scheduler that reads dates as text: a date is
 * rounded to a microsecond and is the binary fraction that stands for it, and sums of dates are exact, so
 * that of two sums that are equal as text one is the smaller.
 *
 * Cost: O(hosts) a decision and a start, O(hosts log hosts) a reservation, O(queued) for candidates. Source:
 * easy_bf and easy_bf_fast of batsched 1.4; Lifka, JSSPP 1995, doi:10.1007/3-540-60153-8_35. */
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/birth.h"

enum { DATES_EXACT, DATES_BINARY };
enum { PROMISE_HOSTS, PROMISE_TIME };

typedef struct options {
  hc_time margin;
  int promise, dates;
} options;

/* A time, and by how much less or more than a nanosecond it is another one (s). */
typedef struct date {
  hc_time at;
  double error;
} date;

/* What is known of a host. */
typedef struct entry {
  uint64_t holder; /* serial of its task, plus 1; 0: none */
  date until;
  uint64_t reserved; /* 1: for the head */
} entry;

/* When a host comes back. */
typedef struct back {
  date until;
  uint32_t host;
} back;

struct hc_policy {
  hc_select_base base;
  options o;
  uint32_t hosts, classes;
  const hc_cell_spec *cell;
  int64_t *free[2]; /* [classes] usable hosts: those that are not reserved, all */
  bool *usable;     /* [hosts] of a decision: it is offered, up, and no other task holds it */
  hc_range *ranges; /* [hosts] of a start */
  back *sorted;     /* [hosts] */
  /* state */
  entry *book; /* [hosts] */
  struct {
    uint64_t head; /* serial of the task that has the reservation, plus 1; 0: none */
    date start;
    uint64_t known; /* hosts that were usable or held at the last decision */
  } s;
};

/* ---- dates ---- */

/* By how much `d` is more than `us` microseconds, in seconds, where it is about so many: the product is
 * split, so that each part is exact. */
static double error_of(double d, int64_t us)
{
  const double big = d * 1048577.0; /* 2^20 + 1 */
  const double high = big - (big - d), low = d - high;
  return ((high * 1e6 - (double)us) + low * 1e6) / 1e6;
}

static date date_of(const hc_policy *self, hc_time t)
{
  if (self->o.dates == DATES_EXACT || t >= HC_NEVER - HC_US) return (date){.at = t};
  const int64_t us = (t + HC_US / 2) / HC_US;
  return (date){us * HC_US, error_of((double)us / 1e6, us)};
}

static date later(date a, date by)
{
  if (a.at == HC_NEVER || by.at == HC_NEVER) return (date){.at = HC_NEVER};
  return (date){hc_time_add(a.at, by.at), a.error + by.error};
}

/* When a task is believed to give back what it gets now. Where the promise is a time, it is the sum of two
 * binary fractions that was rounded to one. */
static date believed_end(const hc_policy *self, date now, date length)
{
  date d = later(now, length);
  if (self->o.dates == DATES_EXACT || self->o.promise == PROMISE_HOSTS || d.at == HC_NEVER) return d;
  const double sum = (double)(now.at / HC_US) / 1e6 + (double)(length.at / HC_US) / 1e6;
  d.error = error_of(sum, d.at / HC_US);
  return d;
}

static bool is_after(date a, date b)
{
  return a.at != b.at ? a.at > b.at : a.error > b.error;
}

HC_SORT(sort_backs, back,
        is_after(b->until, a->until) || (!is_after(a->until, b->until) && a->host < b->host))

static date length_of(const hc_policy *self, const hc_view *v, hc_task t)
{
  date d = date_of(self, self->base.s->estimate(v, t));
  d.at = hc_time_add(d.at, self->o.margin);
  return d;
}

/* ---- the book ---- */

static bool is_offered(const hc_range *scope, size_t count, size_t *at, uint32_t host)
{
  if (count == 0) return true;
  while (*at < count && scope[*at].first + scope[*at].count <= host) ++*at;
  return *at < count && scope[*at].first <= host;
}

/* Look at every host: what has been told since. @return has any come back, or gone? */
static bool read_cell(hc_policy *self, const hc_view *v)
{
  const hc_services *s = self->base.s;
  const hc_range *scope;
  const size_t count = s->scope(v, &scope);
  uint64_t known = 0;
  size_t at = 0;
  bool ended = false;
  for (uint32_t h = 0; h < self->hosts; h++) {
    const int64_t *has, *free = s->host_free(v, h, &has);
    const bool is_free =
        is_offered(scope, count, &at, h) && free[HC_DIM_CPU] > 0 && free[HC_DIM_CPU] == has[HC_DIM_CPU];
    entry *x = &self->book[h];
    ended |= is_free && x->holder != 0;
    if (is_free) x->holder = 0;
    else if (x->holder != 0 && x->until.at <= s->now(v)) x->until.at = s->now(v) + 1;
    self->usable[h] = is_free;
    known += is_free || x->holder != 0;
  }
  ended |= known != self->s.known;
  self->s.known = known;
  return ended;
}

static void unreserve(hc_policy *self)
{
  for (uint32_t h = 0; h < self->hosts; h++) self->book[h].reserved = 0;
  self->s.head = 0;
}

/* How many slots of a task an empty host of a class has room for. */
static int64_t room_of(const hc_policy *self, const hc_view *v, hc_task t, uint32_t class)
{
  const hc_services *s = self->base.s;
  const int64_t *has = self->cell->classes[class].capacity;
  int64_t room = s->slots(v, t);
  for (uint32_t d = 0; d < s->dimensions(v); d++) {
    const int64_t need = s->demand(v, t, d);
    if (need > 0) room = HC_MIN(room, has[s->dimension_id(v, d)] / need);
  }
  return room;
}

/* Count usable hosts anew. */
static void count_free(hc_policy *self)
{
  for (int all = 0; all < 2; all++) memset(self->free[all], 0, self->classes * sizeof *self->free[all]);
  for (uint32_t h = 0; h < self->hosts; h++) {
    if (!self->usable[h]) continue;
    self->free[1][self->cell->class_of[h]]++;
    if (!self->book[h].reserved) self->free[0][self->cell->class_of[h]]++;
  }
}

/* How many of a task's slots there is room for now: on all hosts, or those alone that are not reserved. */
static int64_t free_room(const hc_policy *self, const hc_view *v, hc_task t, bool all)
{
  int64_t n = 0;
  for (uint32_t k = 0; k < self->classes; k++)
    if (self->free[all][k] > 0) n += self->free[all][k] * room_of(self, v, t, k);
  return n;
}

static bool fits(const hc_policy *self, const hc_view *v, hc_task t, bool all)
{
  return free_room(self, v, t, all) >= self->base.s->slots(v, t);
}

static bool any_free(const hc_policy *self)
{
  for (uint32_t k = 0; k < self->classes; k++)
    if (self->free[1][k] > 0) return true;
  return false;
}

/* Give the first that are free to the task, all or those alone that are not reserved. @return 1; 0: it may
 * not run there */
static hc_rc start(hc_policy *self, hc_view *v, hc_plan *p, hc_task t, bool all)
{
  const hc_services *s = self->base.s;
  const date until = believed_end(self, date_of(self, s->now(v)), length_of(self, v, t));
  const uint64_t holder = s->serial(v, t) + 1;
  int64_t left = s->slots(v, t);
  size_t n = 0;
  for (uint32_t h = 0; h < self->hosts && left > 0; h++) {
    entry *x = &self->book[h];
    if (!self->usable[h] || (!all && x->reserved)) continue;
    const int64_t room = room_of(self, v, t, self->cell->class_of[h]);
    if (room <= 0) continue;
    self->usable[h] = false;
    x->holder = holder;
    x->until = until;
    if (n > 0 && self->ranges[n - 1].first + self->ranges[n - 1].count == h) self->ranges[n - 1].count++;
    else self->ranges[n++] = (hc_range){h, 1};
    left -= room;
  }
  const hc_rc rc = s->start(p, t, self->ranges, n);
  for (uint32_t h = 0; h < self->hosts && rc == HC_EPOLICY; h++) {
    if (self->book[h].holder != holder) continue;
    self->usable[h] = true;
    self->book[h].holder = 0;
  }
  count_free(self);
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

/* ---- the head ---- */

static date start_at(const hc_policy *self, const hc_view *v, hc_task t, size_t n)
{
  const int64_t wanted = self->base.s->slots(v, t);
  int64_t room = free_room(self, v, t, true);
  for (size_t i = 0; i < n; i++) {
    room += room_of(self, v, t, self->cell->class_of[self->sorted[i].host]);
    if (room >= wanted) return self->sorted[i].until;
  }
  return (date){.at = HC_NEVER};
}

/* Promise it the first hosts that are free at the earliest time at which enough are. */
static void reserve(hc_policy *self, const hc_view *v, hc_task t)
{
  const hc_services *s = self->base.s;
  int64_t left = s->slots(v, t);
  size_t n = 0;
  for (uint32_t h = 0; h < self->hosts; h++)
    if (self->book[h].holder != 0 && self->book[h].until.at != HC_NEVER)
      self->sorted[n++] = (back){self->book[h].until, h};
  sort_backs(self->sorted, n);
  self->s.head = s->serial(v, t) + 1;
  self->s.start = start_at(self, v, t, n);
  if (self->s.start.at == HC_NEVER || self->o.promise == PROMISE_TIME) return;
  for (uint32_t h = 0; h < self->hosts && left > 0; h++) {
    entry *x = &self->book[h];
    const int64_t room = room_of(self, v, t, self->cell->class_of[h]);
    x->reserved = room > 0 && (self->usable[h] || (x->holder != 0 && !is_after(x->until, self->s.start)));
    if (x->reserved) left -= room;
  }
  count_free(self);
}

/* Start from the head until a task does not fit, and make that one's reservation. @param head HC_NO_TASK: all
 * have started */
static hc_rc start_heads(hc_policy *self, hc_view *v, hc_plan *p, hc_cursor *at, hc_task *head)
{
  const hc_services *s = self->base.s;
  unreserve(self);
  count_free(self);
  while ((*head = s->next(v, HC_LIST_QUEUE, at, NULL)) != HC_NO_TASK) {
    if (!fits(self, v, *head, true)) {
      reserve(self, v, *head);
      return 0;
    }
    const hc_rc rc = start(self, v, p, *head, true);
    if (rc < 0) return rc;
    if (rc > 0) continue;
    self->s.head = s->serial(v, *head) + 1; /* hosts that it may use are not among the first */
    self->s.start.at = HC_NEVER;
    return 0;
  }
  return 0;
}

/* ---- candidates ---- */

static void explain(const hc_policy *self, const hc_view *v, hc_task head)
{
  const hc_services *s = self->base.s;
  const hc_task t = s->asked(v);
  const date start = self->s.start;
  if (t == HC_NO_TASK || start.at == HC_NEVER) return;
  const int64_t spare = free_room(self, v, t, false);
  s->note(v, head, HC_NOTE_PROMISE, HC_NO_TASK, start.at, spare);
  if (t == head || !fits(self, v, t, true)) return;
  if (is_after(later(date_of(self, s->now(v)), length_of(self, v, t)), start))
    s->note(v, t, HC_NOTE_DELAYS, head, start.at, spare);
}

static hc_rc backfill(hc_policy *self, hc_view *v, hc_plan *p, hc_task head, hc_cursor at)
{
  const hc_services *s = self->base.s;
  const date now = date_of(self, s->now(v));
  while (any_free(self)) {
    const hc_task t = s->next(v, HC_LIST_QUEUE, &at, NULL);
    if (t == HC_NO_TASK) break;
    const bool is_late =
        self->s.start.at != HC_NEVER && is_after(later(now, length_of(self, v, t)), self->s.start);
    if (is_late && self->o.promise == PROMISE_TIME) continue;
    if (t == head || !fits(self, v, t, !is_late)) continue;
    const hc_rc rc = start(self, v, p, t, !is_late);
    if (rc < 0) return rc;
  }
  explain(self, v, head);
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->base.s;
  hc_cursor first = {0}, at = {0};
  bool anew = read_cell(self, v);
  HC_UNUSED(why);
  hc_task head = s->next(v, HC_LIST_QUEUE, &first, NULL);
  if (head == HC_NO_TASK) {
    unreserve(self);
    return 0;
  }
  count_free(self);
  if (self->o.promise == PROMISE_TIME) anew = fits(self, v, head, true);
  else anew |= self->s.start.at <= s->now(v); /* it was missed */
  anew |= self->s.head != s->serial(v, head) + 1;
  if (anew) TRY(start_heads(self, v, p, &at, &head));
  else at = first;
  return head == HC_NO_TASK ? 0 : backfill(self, v, p, head, at);
}

/* ---- birth ---- */

static uint32_t flags(const void *opts)
{
  HC_UNUSED(opts);
  return HC_NEEDS_ESTIMATE | HC_PLACES_HOSTS | HC_BINDS_ITSELF;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const uint32_t hosts = c->cell && c->cell->granularity == HC_CELL_HOSTS ? c->cell->units : 0;
  if (hosts == 0)
    return hc_fail(e, HC_EUNSUPPORTED, "policy", 0, 0,
                   "the selector easy_book books whole hosts, and this cell counts processors: say `cell: "
                   "{use: hosts, classes: [{count: 128, cpus: 1}]}`, or `select: easy`");
  TRY(hc_select_new(c, sizeof **out, out));
  hc_policy *self = *out;
  self->o = *(const options *)opts;
  self->hosts = hosts;
  self->cell = c->cell;
  self->classes = c->cell->class_count;
  for (int all = 0; all < 2; all++)
    self->free[all] = hc_alloc(c->allocator, self->classes * sizeof *self->free[all]);
  self->usable = hc_alloc(c->allocator, hosts * sizeof *self->usable);
  self->ranges = hc_alloc(c->allocator, hosts * sizeof *self->ranges);
  self->sorted = hc_alloc(c->allocator, hosts * sizeof *self->sorted);
  self->book = hc_alloc(c->allocator, hosts * sizeof *self->book);
  return self->free[0] && self->free[1] && self->usable && self->ranges && self->sorted && self->book
             ? 0
             : HC_ENOMEM;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  return hc_visit_bytes(v, self->book, self->hosts * sizeof *self->book);
}

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->base.allocator;
  for (int all = 0; all < 2; all++) hc_free(a, self->free[all], self->classes * sizeof *self->free[all]);
  hc_free(a, self->usable, self->hosts * sizeof *self->usable);
  hc_free(a, self->ranges, self->hosts * sizeof *self->ranges);
  hc_free(a, self->sorted, self->hosts * sizeof *self->sorted);
  hc_free(a, self->book, self->hosts * sizeof *self->book);
  hc_select_free(self);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, margin, "s", "0", 0, 1e9,
             "How much longer than its estimate a task is expected to hold its hosts."),
    HC_PARAM(
        CHOICE, options, promise, "hosts|time", "hosts",
        "What the head is promised. hosts: the first hosts that will be free when there are enough, computed "
        "anew when an end is told. time: only the time, as computed when the task became the head; a task "
        "that would end later does not start."),
    HC_PARAM(
        CHOICE, options, dates, "exact|binary", "exact",
        "How times are compared. exact: as whole nanoseconds. binary: as if read from text of six decimals "
        "into binary fractions, whose sums are exact: of two sums that are equal as text one is the smaller "
        "(batsched). With `promise: time` the promised time is rounded."),
    {0}};

const hc_select_type hc_select_easy_book = {
    .component =
        {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "easy_book",
         .summary = "EASY backfilling on hosts, with its own record of which tasks hold them, as in batsched",
         .detail =
             "A host belongs to a task from the decision that gave it until the end of the task has been "
             "told; it is expected to be free `margin` after the task's estimate. The head of the queue is "
             "promised the first hosts that will be free at the time at which there are enough; the promise "
             "is made anew when an end is told or another task becomes the head, not at an arrival. Other "
             "tasks start on the first free hosts if they end by that time, or on free hosts that are not "
             "promised. Tasks take whole hosts, as many as their slots fill; a task that may not run on the "
             "first free hosts waits.",
         .source = "batsched 1.4, easy_bf and easy_bf_fast; Lifka 1995, doi:10.1007/3-540-60153-8_35",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
};
