/* messages.c -- one scheduler that hears and acts by messages, which a server takes one at a time.
 *
 * The server and the scheduler are on one host, the master. Tasks that were submitted, tasks that have
 * ended, each start that the scheduler has decided and its word that it is ready again are messages to the
 * server. It takes them in the order in which they were sent, and each takes the time of its way through
 * the network: from the master to itself, or from the first host of a task that has ended. What sends
 * several waits for each to be taken before it sends the next. When no message waits, the scheduler is
 * ready, and something has happened, it decides at once on what the server has been told: hosts of tasks
 * whose ends are still on their way are not offered to it.
 *
 * So every start is late by some latencies, and starts of one decision follow one another by one each.
 * Tasks that are submitted at one time are one message. The submitter greets first, then sleeps from one
 * time of submission to the next, on a clock of its own, which its messages make late; behind the last it
 * says so.
 *
 * At one instant: a message that arrives, what the submitter sends next, the decision that it allows; then
 * ends of tasks are sent, by serial; then what the scheduler sends next. A scheduler never decides while
 * starts of its last decision are on their way, so that none of them is a conflict unless a host fails.
 *
 * A scheduler that decides outside of the run (the policy `outside`) is told by what has come in which
 * order and when: the tasks of each message, each end, each wake that it has asked for, and that all has
 * been submitted. It is called first at time 0, and whenever there is news; each action of its plan is a
 * message, in their order: a start, a rejection, a stop, a wake. A stopped task is told as one that ended,
 * by a message from the master. Its plan may come in parts: it is ready again behind the last one. Actions
 * that are joined are one message; what they ask to be told of is told when that is taken, or when each host
 * that they have switched has said by a message that it is off or on.
 * What happens outside of the run (hc_run_incidents) has a submitter for each list, as tasks have one.
 *
 * State: a line of messages, 24 bytes each, two words a host. Cost: O(hosts) a decision and an end. */
#include <string.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/architecture.h"
#include "hindcast/network.h"

enum { TIMER_DUE = 1 };
/* ACTION: what is not a start, in a plan from outside; STOPPED: a task that such a plan has ended; CALL: a
 * wake that it asked for; SWITCHED: a host that it has switched is off, or on; HERALD_...: of those who tell
 * what happens outside. */
enum {
  HELLO,
  SUBMIT,
  BYE,
  START,
  READY,
  ENDED,
  ACTION,
  STOPPED,
  CALL,
  SWITCHED,
  HERALD_HELLO,
  HERALD_TELLS,
  HERALD_BYE
};

typedef struct options {
  hc_chosen network;
  const char *master;
  hc_time latency, report;
  double size;
  bool incidents;
} options;

typedef struct message {
  uint32_t kind;
  /* START: which start of the plan; ACTION: which of its messages; ENDED: the first host; SUBMIT: how many
   * tasks; HERALD_...: which list */
  uint32_t what;
  /* ENDED: what its hosts are marked with; of STOPPED the same; SWITCHED: of the request; HERALD_TELLS: how
   * many */
  uint64_t mark;
  hc_time cost;
} message;

/* What a plan from outside is to be told of, and waits for hosts that it has switched. */
typedef struct request {
  hc_news done;
  uint64_t mark;
  uint64_t left; /* hosts that have not said that they are off or on */
} request;

/* Who tells what happens outside of the run, of one list. */
typedef struct herald {
  hc_time clock; /* when it woke last */
  hc_time wake;  /* and will; HC_NEVER: it does not sleep */
  uint64_t next; /* that it has not told */
} herald;

struct hc_architecture {
  hc_architecture_context c;
  const hc_policy_type *type;
  hc_policy *policy;
  uint32_t queue, untold; /* untold: of tasks that the scheduler has not been told of */
  bool is_outside;        /* it decides outside of the run */
  uint32_t hosts;
  hc_time own;     /* from the master to itself */
  hc_time *report; /* [hosts] from each to the master */
  hc_range *scope; /* [hosts] */
  /* state */
  struct {
    hc_time due; /* of the message that is on its way; HC_NEVER: none is */
    hc_time clock,
        wake;       /* of the submitter: when it woke last, and when it will; HC_NEVER: it does not sleep */
    hc_time taken;  /* its last message was taken then */
    uint64_t marks; /* ends so far */
    uint32_t sends; /* the submitter waits for its message to be taken */
    uint32_t ready, why;            /* the scheduler; hc_why_bit that it is to be told */
    uint32_t to_start, start_count; /* starts of the plan: those sent; all */
    uint32_t pending;               /* the plan's first message is to be sent, behind ends of this instant */
    hc_time armed;                  /* of the timer that was set last */
    message now;                    /* on its way */
  } s;
  struct {
    uint32_t is_asked; /* a plan is to come from outside: what it is asked for stands in `s` */
    uint32_t begun;    /* a scheduler outside has been called for the first time */
    hc_time rest;  /* of the plan that is being sent: when the rest is asked for; HC_NEVER: it is whole */
    hc_time calls; /* it is asked for that; HC_NEVER: it is not thinking */
    uint32_t has_more, unused; /* what it is asked for, or has been last, is the rest of a plan */
    uint64_t requests; /* so far */
    uint64_t gone;     /* heralds that have none left */
  } x;
  uint64_t *switches; /* [hosts] mark of the request by which it is being switched; 0: it is not; outside */
  request *requests;  /* [request_count] that are not over */
  size_t request_count, request_cap;
  herald *heralds; /* [herald_count] */
  size_t herald_count, herald_cap;
  hc_news *news; /* [news_count] ends that a scheduler outside has not been told of, by their marks */
  size_t news_count, news_cap;
  message *line; /* [count] waiting */
  size_t count, cap;
  message *ends; /* [end_count] of this instant */
  size_t end_count, end_cap;
  hc_task *arrived; /* [arrived_count] in order, not sent; then those in messages */
  size_t arrived_count, arrived_cap;
  hc_time *times; /* [arrived_count] of their submission */
  size_t time_count, time_cap;
  uint64_t *hidden; /* [hosts] mark of the end that is not told; 0: none */
  void *kept;       /* the plan */
  size_t kept_size, kept_cap;
  /* [start_count] tasks; outside: the first action of each message of the plan, and how many actions there
   * are */
  uint32_t *starts;
  size_t start_size, start_cap;
};

static hc_time now_of(const hc_architecture *self)
{
  return self->c.services->now(self->c.engine);
}

/* ---- lines ---- */

static hc_rc send(hc_architecture *self, const message *m)
{
  TRY(hc_reserve(self->c.allocator, (void **)&self->line, &self->cap, self->count + 1, sizeof *self->line));
  self->line[self->count++] = *m;
  return 0;
}

static hc_rc send_own(hc_architecture *self, uint32_t kind, uint32_t what)
{
  return send(self, &(message){.kind = kind, .what = what, .cost = self->own});
}

/* The server takes the next one, at the time at which it is free and there is one. */
static void take_next(hc_architecture *self, hc_time now)
{
  if (self->s.due != HC_NEVER || self->count == 0) return;
  self->s.now = self->line[0];
  memmove(self->line, self->line + 1, --self->count * sizeof *self->line);
  self->s.due = hc_time_add(now, self->s.now.cost);
}

/* ---- the submitter ---- */

/* How many of those that arrived are of the group that it would send at this time of its clock. */
static size_t group_size(const hc_architecture *self)
{
  size_t n = 0;
  while (n < self->arrived_count && self->times[n] <= self->s.clock) n++;
  return n;
}

/* It sleeps until the next tasks are submitted, from when its last message was taken: as long as they are
 * away from when it woke last, so that the time of the message comes on top. */
static void sleep_on(hc_architecture *self)
{
  if (self->s.sends || self->s.wake != HC_NEVER || self->arrived_count == 0) return;
  self->s.wake = hc_time_add(self->s.taken, HC_MAX(self->times[0] - self->s.clock, 0));
}

static hc_rc submit(hc_architecture *self, hc_time now)
{
  self->s.clock = now;
  self->s.wake = HC_NEVER;
  const size_t n = group_size(self);
  if (n == 0) return 0;
  self->s.sends = 1;
  return send_own(self, SUBMIT, (uint32_t)n);
}

static hc_rc tell(hc_architecture *self, const hc_news *news, hc_time at)
{
  hc_news one = *news;
  one.at = at;
  return self->is_outside ? self->c.services->tell(self->c.engine, &one) : 0;
}

static hc_rc submitted(hc_architecture *self, size_t n, hc_time at)
{
  for (size_t i = 0; i < n; i++) {
    TRY(self->c.services->enqueue(self->c.engine, self->queue, self->arrived[i]));
    TRY(tell(self, &(hc_news){.kind = HC_NEWS_SUBMITTED, .task = self->arrived[i]}, at));
  }
  self->arrived_count -= n;
  self->time_count -= n;
  memmove(self->arrived, self->arrived + n, self->arrived_count * sizeof *self->arrived);
  memmove(self->times, self->times + n, self->time_count * sizeof *self->times);
  self->s.why |= HC_WHY_ARRIVAL;
  return 0;
}

/* ---- heralds: as the submitter ---- */

/* What is due is told, else it sleeps until the next is, from now on. */
static hc_rc go_on_telling(hc_architecture *self, uint32_t list, hc_time now)
{
  herald *h = &self->heralds[list];
  const hc_time *at;
  const size_t count = self->c.services->incidents(self->c.engine, list, &at);
  uint64_t n = 0;
  h->wake = HC_NEVER;
  while (h->next + n < count && at[h->next + n] <= h->clock) n++;
  if (n > 0) return send(self, &(message){.kind = HERALD_TELLS, .what = list, .mark = n, .cost = self->own});
  if (h->next == count) return send_own(self, HERALD_BYE, list);
  h->wake = hc_time_add(now, at[h->next] - h->clock);
  return 0;
}

static hc_rc wake_heralds(hc_architecture *self, hc_time now)
{
  for (uint32_t i = 0; i < self->herald_count; i++) {
    if (self->heralds[i].wake > now) continue;
    self->heralds[i].clock = now;
    TRY(go_on_telling(self, i, now));
  }
  return 0;
}

static hc_time next_wake(const hc_architecture *self)
{
  hc_time out = self->s.wake;
  for (size_t i = 0; i < self->herald_count; i++) out = HC_MIN(out, self->heralds[i].wake);
  return out;
}

static hc_rc begin_heralds(hc_architecture *self)
{
  const size_t n = self->is_outside ? self->c.services->incident_lists(self->c.engine) : 0;
  TRY(hc_reserve(self->c.allocator, (void **)&self->heralds, &self->herald_cap, n, sizeof *self->heralds));
  for (; self->herald_count < n; self->herald_count++) {
    self->heralds[self->herald_count] = (herald){.wake = HC_NEVER};
    TRY(send_own(self, HERALD_HELLO, (uint32_t)self->herald_count));
  }
  return 0;
}

/* It has told so many. */
static hc_rc happen(hc_architecture *self, uint32_t list, uint64_t count, hc_time at, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  herald *h = &self->heralds[list];
  const hc_time *times;
  uint64_t before = 0;
  for (uint32_t i = 0; i < list; i++) before += s->incidents(self->c.engine, i, &times);
  for (; count > 0; count--, h->next++) {
    const hc_news one = {.kind = HC_NEWS_INCIDENT, .id = (int64_t)(before + h->next)};
    TRY(s->happen(self->c.engine, list, (size_t)h->next, e));
    TRY(tell(self, &one, at));
  }
  self->s.why |= HC_WHY_CELL;
  return go_on_telling(self, list, at);
}

static hc_rc tell_gone(hc_architecture *self, hc_time at)
{
  if (++self->x.gone < self->herald_count) return 0;
  self->s.why |= HC_WHY_TIMER;
  return tell(self, &(hc_news){.kind = HC_NEWS_NO_MORE_INCIDENTS}, at);
}

/* ---- the scheduler ---- */

static size_t scope_of(hc_architecture *self)
{
  size_t n = 0;
  for (uint32_t h = 0; h < self->hosts; h++) {
    if (self->hidden[h] != 0) continue;
    if (n > 0 && self->scope[n - 1].first + self->scope[n - 1].count == h) self->scope[n - 1].count++;
    else self->scope[n++] = (hc_range){h, 1};
  }
  return n;
}

static hc_rc note_start(hc_architecture *self, uint32_t start)
{
  TRY(hc_reserve(self->c.allocator, (void **)&self->starts, &self->start_cap, self->start_size + 1,
                 sizeof *self->starts));
  self->starts[self->start_size++] = start;
  return 0;
}

static hc_rc note_starts(hc_architecture *self, const hc_plan *p)
{
  const hc_engine_services *s = self->c.services;
  const size_t n = s->planned(p);
  self->start_size = 0;
  for (size_t k = 0; k < n; k++) {
    const hc_task t = s->plan_start(p, k);
    if (self->is_outside && !(k > 0 && s->plan_joined(p, k))) TRY(note_start(self, (uint32_t)k));
    if (!self->is_outside && t != HC_NO_TASK) TRY(note_start(self, t));
  }
  self->s.start_count = (uint32_t)self->start_size;
  return self->is_outside && n > 0 ? note_start(self, (uint32_t)n) : 0;
}

static void drop_plan(hc_architecture *self)
{
  (void)self->c.allocator->resize(self->c.allocator->ctx, self->kept, self->kept_cap, 0);
  self->kept = NULL;
  self->kept_size = self->kept_cap = 0;
}

static hc_rc keep_plan(hc_architecture *self, hc_view *v, hc_plan *p, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  TRY(note_starts(self, p));
  self->s.to_start = 0;
  if (self->s.start_count == 0) {
    TRY(s->view_close(self->c.engine, v, true));
    const hc_rc rc = s->commit(self->c.engine, p, HC_COMMIT_NOW, e);
    return rc < 0 ? rc : 0;
  }
  TRY(s->plan_save(self->c.engine, p, &self->kept, &self->kept_size));
  self->kept_cap = self->kept_size;
  return s->view_close(self->c.engine, v, false);
}

/* It has been called, and answers at the end of this instant. What is told while it thinks on it is called
 * for when it is ready. */
static void called(hc_architecture *self, hc_time rest)
{
  if (!self->x.has_more) self->s.why = 0;
  self->s.ready = 0;
  self->s.pending = 1;
  self->x.rest = rest;
  self->x.has_more = rest != HC_NEVER;
}

/* A scheduler outside is asked about all hosts: which it knows to be free, it knows from its news. */
static hc_rc call(hc_architecture *self, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  const hc_why why = {.bits = self->s.why, .task = HC_NO_TASK};
  hc_view *v;
  hc_plan *p;
  self->s.start_count = self->s.to_start = 0;
  const size_t n = self->is_outside ? 0 : scope_of(self);
  if (!self->is_outside && (n == 0 || s->queued(self->c.engine, self->queue) == 0)) {
    called(self, HC_NEVER);
    return 0;
  }
  TRY(s->view_open(self->c.engine, self->queue, n > 0 ? self->scope : NULL, n, &v, &p));
  const hc_rc rc = s->decide(self->c.engine, 0, self->policy, v, p, &why, e);
  self->x.is_asked = rc > 0;
  if (rc != 0) return rc;
  called(self, s->rest(self->c.engine));
  return keep_plan(self, v, p, e);
}

/* Its next message: a start, or that it is ready; or it goes on thinking. */
static hc_rc answer(hc_architecture *self, hc_time now)
{
  const bool is_all = self->s.to_start == self->s.start_count;
  if (is_all && self->x.has_more) {
    self->x.calls = HC_MAX(self->x.rest, now);
    return 0;
  }
  if (is_all) return send_own(self, READY, 0);
  return send_own(self, self->is_outside ? ACTION : START, self->s.to_start++);
}

static bool is_the_one(void *ctx, hc_task t)
{
  return t == *(const hc_task *)ctx;
}

static hc_rc carry_out(hc_architecture *self, uint32_t which, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  hc_plan *p;
  TRY(s->plan_load(self->c.engine, self->kept, self->kept_size, &p));
  (void)s->plan_sift(self->c.engine, p, is_the_one, &self->starts[which]);
  const hc_rc rc = s->commit(self->c.engine, p, HC_COMMIT_CHECKED, e);
  if (rc > 0) self->s.why |= HC_WHY_CONFLICT;
  if (which + 1 == self->s.start_count) drop_plan(self);
  return rc < 0 ? rc : 0;
}

/* A task has ended, which a scheduler outside is told of when the message is taken. */
static hc_rc hear_end(hc_architecture *self, hc_news *one, bool is_sent)
{
  if (is_sent) self->s.marks++;
  one->mark = (uint32_t)self->s.marks;
  TRY(hc_reserve(self->c.allocator, (void **)&self->news, &self->news_cap, self->news_count + 1,
                 sizeof *self->news));
  self->news[self->news_count++] = *one;
  return is_sent ? send(self, &(message){.kind = STOPPED, .mark = self->s.marks, .cost = self->own}) : 0;
}

static hc_rc tell_done(hc_architecture *self, const hc_news *done)
{
  self->s.why |= HC_WHY_CELL;
  return tell(self, done, now_of(self));
}

/* What it is joined with has been heard before it. */
static hc_rc hear_done(hc_architecture *self, const hc_news *done, uint64_t *left)
{
  if (done->id < 0) return 0; /* it has taken a message, and is no news */
  if (*left == 0) return tell_done(self, done);
  TRY(hc_reserve(self->c.allocator, (void **)&self->requests, &self->request_cap, self->request_count + 1,
                 sizeof *self->requests));
  self->requests[self->request_count++] =
      (request){.done = *done, .mark = self->x.requests, .left = *left};
  *left = 0;
  return 0;
}

static hc_rc send_switched(hc_architecture *self, uint32_t host)
{
  const uint64_t mark = self->switches[host];
  self->switches[host] = 0;
  if (mark == 0) return 0;
  TRY(hc_reserve(self->c.allocator, (void **)&self->ends, &self->end_cap, self->end_count + 1,
                 sizeof *self->ends));
  self->ends[self->end_count++] =
      (message){.kind = SWITCHED, .what = host, .mark = mark, .cost = self->report[host]};
  return 0;
}

/* What has happened of which a scheduler outside is to be told. @param is_sent it has done so itself */
static hc_rc hear(hc_architecture *self, bool is_sent)
{
  hc_news one;
  uint64_t left = 0;
  while (self->c.services->next_news(self->c.engine, &one)) {
    switch ((hc_news_kind)one.kind) {
      case HC_NEWS_ENDED: TRY(hear_end(self, &one, is_sent)); break;
      case HC_NEWS_SWITCHES:
        if (left++ == 0) self->x.requests++;
        self->switches[one.host] = self->x.requests;
        break;
      case HC_NEWS_DONE: TRY(hear_done(self, &one, &left)); break;
      case HC_NEWS_SWITCHED: TRY(send_switched(self, one.host)); break;
      case HC_NEWS_SUBMITTED:
      case HC_NEWS_CALL:
      case HC_NEWS_ALL_SUBMITTED:
      case HC_NEWS_INCIDENT:
      case HC_NEWS_NO_MORE_INCIDENTS: break;
    }
  }
  return 0;
}

/* One message of the plan. */
static hc_rc act(hc_architecture *self, uint32_t which, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  const uint32_t first = self->starts[which];
  hc_plan *p;
  TRY(s->plan_load(self->c.engine, self->kept, self->kept_size, &p));
  s->plan_pick(p, first, self->starts[which + 1] - first);
  const hc_rc rc = s->commit(self->c.engine, p, HC_COMMIT_CHECKED, e);
  if (rc > 0) self->s.why |= HC_WHY_CONFLICT;
  if (which + 1 == self->s.start_count) drop_plan(self);
  return rc < 0 ? rc : hear(self, true);
}

/* ---- the server ---- */

static hc_rc tell_end(hc_architecture *self, uint64_t mark, hc_time at)
{
  size_t k = 0;
  while (k < self->news_count && self->news[k].mark != (uint32_t)mark) k++;
  if (k == self->news_count) return 0;
  TRY(tell(self, &self->news[k], at));
  memmove(self->news + k, self->news + k + 1, (--self->news_count - k) * sizeof *self->news);
  return 0;
}

static hc_rc told(hc_architecture *self, uint64_t mark, hc_time at)
{
  for (uint32_t h = 0; h < self->hosts; h++)
    if (self->hidden[h] == mark) self->hidden[h] = 0;
  self->s.why |= HC_WHY_END;
  return tell_end(self, mark, at);
}

/* A host has said that it is off, or on. */
static hc_rc tell_switched(hc_architecture *self, uint64_t mark)
{
  size_t k = 0;
  while (k < self->request_count && self->requests[k].mark != mark) k++;
  if (k == self->request_count || --self->requests[k].left > 0) return 0;
  TRY(tell_done(self, &self->requests[k].done));
  memmove(self->requests + k, self->requests + k + 1, (--self->request_count - k) * sizeof *self->requests);
  return 0;
}

/* A message has arrived. @return as call: 1: a plan is to come from outside */
static hc_rc receive(hc_architecture *self, hc_error *e)
{
  const message m = self->s.now;
  const hc_time at = self->s.due;
  self->s.due = HC_NEVER;
  switch (m.kind) {
    case HELLO:
      self->s.sends = 0;
      self->s.clock = self->s.taken = at;
      break;
    case SUBMIT:
      self->s.sends = 0;
      self->s.taken = at;
      TRY(submitted(self, m.what, at));
      if (self->arrived_count == 0 && !self->c.services->more_arrive(self->c.engine))
        TRY(send_own(self, BYE, 0));
      break;
    case BYE: /* the scheduler is told, and has nothing to decide */
      self->s.why |= HC_WHY_TIMER;
      TRY(tell(self, &(hc_news){.kind = HC_NEWS_ALL_SUBMITTED}, at));
      break;
    case CALL:
      self->s.why |= HC_WHY_TIMER;
      TRY(tell(self, &(hc_news){.kind = HC_NEWS_CALL}, at));
      break;
    case ACTION:
      self->s.pending = 1;
      TRY(act(self, m.what, e));
      break;
    case STOPPED:
      self->s.why |= HC_WHY_END;
      TRY(tell_end(self, m.mark, at));
      break;
    case START:
      self->s.pending = 1;
      TRY(carry_out(self, m.what, e));
      break;
    case SWITCHED: TRY(tell_switched(self, m.mark)); break;
    case HERALD_HELLO:
      self->heralds[m.what].clock = at;
      TRY(go_on_telling(self, m.what, at));
      break;
    case HERALD_TELLS: TRY(happen(self, m.what, m.mark, at, e)); break;
    case HERALD_BYE: TRY(tell_gone(self, at)); break;
    case READY: self->s.ready = 1; break;
    default: TRY(told(self, m.mark, at));
  }
  sleep_on(self);
  if (self->s.wake <= at) TRY(submit(self, at));
  TRY(wake_heralds(self, at));
  return self->s.ready && self->count == 0 && self->s.why != 0 ? call(self, e) : 0;
}

static hc_rc send_ends(hc_architecture *self)
{
  for (size_t i = 0; i < self->end_count; i++) TRY(send(self, &self->ends[i]));
  self->end_count = 0;
  return 0;
}

/* All that happens up to now, in its order. */
static hc_rc go_on(hc_architecture *self, hc_time now, hc_error *e)
{
  for (;;) {
    if (self->s.due <= now && self->s.due != HC_NEVER) {
      const hc_time at = self->s.due;
      const hc_rc rc = receive(self, e);
      if (rc != 0) return rc;
      if (at < now) {
        take_next(self, at);
        continue;
      }
    }
    if (self->s.wake <= now) TRY(submit(self, self->s.wake));
    TRY(wake_heralds(self, now));
    TRY(send_ends(self));
    if (self->s.pending) {
      self->s.pending = 0;
      TRY(answer(self, now));
    }
    if (self->x.calls <= now) {
      self->x.calls = HC_NEVER;
      const hc_rc rc = call(self, e);
      if (rc != 0) return rc;
      continue; /* what it has answered */
    }
    take_next(self, now);
    if (self->s.due > now) return 0;
  }
}

static hc_rc set_timer(hc_architecture *self, hc_time now)
{
  const hc_time at = HC_MIN(HC_MIN(self->s.due, next_wake(self)), self->x.calls);
  if (at == HC_NEVER || at == self->s.armed) return 0;
  self->s.armed = at;
  return self->c.services->timer(self->c.engine, HC_MAX(at, now), TIMER_DUE);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  const hc_time now = now_of(self);
  if (self->x.is_asked || !self->x.begun) {
    const hc_rc rc = call(self, e);
    if (rc != 0) return rc;
    if (!self->x.begun) TRY(begin_heralds(self));
    self->x.begun = 1;
  }
  sleep_on(self);
  const hc_rc rc = go_on(self, now, e);
  if (rc != 0) return rc;
  return set_timer(self, now);
}

static hc_rc on_arrival(hc_architecture *self, hc_task t)
{
  if (self->c.services->is_own_task(self->c.engine))
    return self->c.services->enqueue(self->c.engine, self->queue, t);
  TRY(hc_reserve(self->c.allocator, (void **)&self->arrived, &self->arrived_cap, self->arrived_count + 1,
                 sizeof *self->arrived));
  TRY(hc_reserve(self->c.allocator, (void **)&self->times, &self->time_cap, self->time_count + 1,
                 sizeof *self->times));
  self->arrived[self->arrived_count++] = t;
  self->times[self->time_count++] = now_of(self);
  return self->c.services->enqueue(self->c.engine, self->untold, t);
}

static hc_rc on_end(hc_architecture *self, const hc_signal *sig)
{
  const uint64_t mark = ++self->s.marks;
  const uint32_t first = sig->host_count > 0 ? sig->hosts[0].first : 0;
  for (size_t i = 0; i < sig->host_count; i++)
    for (uint32_t k = 0; k < sig->hosts[i].count; k++) self->hidden[sig->hosts[i].first + k] = mark;
  TRY(hc_reserve(self->c.allocator, (void **)&self->ends, &self->end_cap, self->end_count + 1,
                 sizeof *self->ends));
  self->ends[self->end_count++] =
      (message){.kind = ENDED, .what = first, .mark = mark, .cost = self->report[first]};
  return hear(self, false);
}

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  HC_UNUSED(e);
  if (sig->what == HC_WHY_ARRIVAL && sig->task != HC_NO_TASK) return on_arrival(self, sig->task);
  if (sig->what == HC_WHY_END && sig->host_count > 0) return on_end(self, sig);
  if (sig->what == HC_WHY_CELL && sig->switched && self->is_outside) return hear(self, false);
  if (sig->what == HC_WHY_CELL) self->s.why |= HC_WHY_CELL;
  if (sig->what == HC_WHY_TIMER && sig->timer == HC_TIMER_WAKE && self->is_outside)
    return send_own(self, CALL, 0);
  return 0;
}

/* ---- birth ---- */

static hc_time ns_of(double s)
{
  return s < 9e9 ? (hc_time)(s * 1e9 + 0.5) : HC_NEVER;
}

static hc_rc route_time(const hc_network_of_run *n, uint32_t from, uint32_t to, uint32_t *links, double size,
                        hc_time *out)
{
  hc_route r;
  TRY(hc_network_route_of(n, from, to, links, &r));
  *out = ns_of(r.delay + (r.bound < 1e300 ? size / (r.bound * n->facts.rules.bandwidth_factor) : 0));
  return 0;
}

static hc_rc ask_routes(hc_architecture *self, const options *o, const hc_network_of_run *n, hc_error *e)
{
  const hc_allocator *a = self->c.allocator;
  const size_t size = (n->facts.longest + (size_t)1) * sizeof(uint32_t);
  uint32_t *links = a->resize(a->ctx, NULL, 0, size);
  hc_rc rc = links ? route_time(n, self->hosts, self->hosts, links, o->size, &self->own) : HC_ENOMEM;
  for (uint32_t h = 0; h < self->hosts && rc == 0; h++)
    rc = route_time(n, h, self->hosts, links, o->size, &self->report[h]);
  if (links) (void)a->resize(a->ctx, links, size, 0);
  if (rc == HC_ENOTFOUND)
    return hc_fail(e, HC_EUSAGE, "architecture messages", 0, 0,
                   "the network has no route from a host of the cell to the master \"%.80s\"", o->master);
  return rc;
}

/* The master is one host more than the cell has. */
static hc_rc ask_network(hc_architecture *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->c.allocator;
  const hc_cell_spec *cell = self->c.policy_context->cell;
  const size_t size = (self->hosts + (size_t)1) * sizeof(char *);
  hc_network_of_run n = {0};
  if (!o->master)
    return hc_fail(e, HC_EUSAGE, "architecture messages", 0, 0,
                   "with `network`, say which of its hosts the scheduler is on, as in master: master_host");
  const char **names = a->resize(a->ctx, NULL, 0, size);
  if (!names) return HC_ENOMEM;
  for (uint32_t h = 0; h < self->hosts; h++) names[h] = cell->host_names[h];
  names[self->hosts] = o->master;
  hc_rc rc = hc_network_make(
      &(hc_network_context){
          .allocator = a, .hosts = self->hosts + 1, .host_names = names, .where = "architecture.network",
          .unmetered = true},
      &o->network, &n, e);
  if (rc == 0) rc = ask_routes(self, o, &n, e);
  if (n.type) hc_network_drop(&n);
  (void)a->resize(a->ctx, names, size, 0);
  return rc;
}

static hc_rc make_hosts(hc_architecture *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->c.allocator;
  self->hosts = self->c.services->hosts(self->c.engine);
  if (self->hosts == 0)
    return hc_fail(e, HC_EUNSUPPORTED, "architecture messages", 0, 0,
                   "ends of tasks are told from their hosts, and this cell counts processors: say "
                   "`cell: {use: hosts, ...}`");
  self->report = a->resize(a->ctx, NULL, 0, self->hosts * sizeof *self->report);
  self->scope = a->resize(a->ctx, NULL, 0, self->hosts * sizeof *self->scope);
  self->hidden = a->resize(a->ctx, NULL, 0, self->hosts * sizeof *self->hidden);
  self->switches = a->resize(a->ctx, NULL, 0, self->hosts * sizeof *self->switches);
  if (!self->report || !self->scope || !self->hidden || !self->switches) return HC_ENOMEM;
  memset(self->hidden, 0, self->hosts * sizeof *self->hidden);
  memset(self->switches, 0, self->hosts * sizeof *self->switches);
  self->own = o->latency;
  for (uint32_t h = 0; h < self->hosts; h++) self->report[h] = o->report >= 0 ? o->report : o->latency;
  return o->network.type ? ask_network(self, o, e) : 0;
}

static hc_rc check_policy(const hc_policy_type *type, const void *given, const hc_allocator *a, hc_error *e)
{
  const uint32_t flags = hc_policy_flags(type, given, a);
  const uint32_t more = HC_MAY_PREEMPT | HC_MAY_RESIZE | HC_SETS_RATES | HC_MAY_POWER;
  if (!(flags & (flags & HC_DECIDED_OUTSIDE ? HC_MAY_RESIZE | HC_SETS_RATES : more))) return 0;
  return hc_fail(
      e, HC_EUNSUPPORTED, "architecture messages", 0, 0,
      "the policy %s does more than start tasks, and starts alone are sent as messages: use another "
      "policy, or the architecture monolithic",
      type->component.name);
}

static bool tells_incidents(const void *opts)
{
  const options *o = opts;
  return o->incidents;
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  const hc_policy_type *type = (const hc_policy_type *)c->policy.type;
  const hc_policy_context *context;
  hc_policy_parts parts = {0};
  hc_architecture *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  if (!self) return HC_ENOMEM;
  memset(self, 0, sizeof *self);
  self->c = *c;
  self->type = type;
  *out = self;
  self->s.due = self->s.wake = HC_NEVER;
  self->s.armed = HC_UNKNOWN;
  self->s.sends = 1; /* it greets first */
  self->x.rest = self->x.calls = HC_NEVER;
  self->is_outside = c->services->is_outside(c->engine);
  self->x.begun = !self->is_outside;
  if (o->incidents && !self->is_outside)
    return hc_fail(e, HC_EUSAGE, "architecture messages", 0, 0,
                   "what happens outside of the run is told to `policy: outside` alone: leave out "
                   "`incidents`");
  TRY(check_policy(type, c->policy.options, c->allocator, e));
  TRY(make_hosts(self, o, e));
  TRY(send_own(self, HELLO, 0));
  if (self->is_outside) TRY(c->services->timer(c->engine, 0, TIMER_DUE)); /* it is called first */
  else TRY(send_own(self, READY, 0));
  take_next(self, 0);
  if (type->parts) type->parts(c->policy.options, &parts);
  TRY(c->services->queue_new(c->engine, parts.order, parts.candidates, &self->queue));
  TRY(c->services->queue_new(c->engine, NULL, NULL, &self->untold));
  TRY(c->services->policy_context(c->engine, self->queue, "", &c->policy, &context));
  if (type->init)
    TRY(hc_blame(&type->component, type->init(context, c->policy.options, &self->policy, e), e));
  c->services->follow(c->engine, self->queue, type, self->policy);
  return 0;
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  HC_VISIT_ARRAY(v, self->line, self->count, self->cap);
  HC_VISIT_ARRAY(v, self->ends, self->end_count, self->end_cap);
  HC_VISIT_ARRAY(v, self->arrived, self->arrived_count, self->arrived_cap);
  HC_VISIT_ARRAY(v, self->times, self->time_count, self->time_cap);
  HC_VISIT_ARRAY(v, self->starts, self->start_size, self->start_cap);
  TRY(hc_visit_bytes(v, self->hidden, self->hosts * sizeof *self->hidden));
  TRY(hc_visit_array(v, &self->kept, &self->kept_size, &self->kept_cap, 1));
  if (v->mode != HC_VISIT_HASH || self->is_outside || self->x.is_asked) {
    HC_VISIT(v, self->x);
    HC_VISIT_ARRAY(v, self->news, self->news_count, self->news_cap);
    TRY(hc_visit_bytes(v, self->switches, self->hosts * sizeof *self->switches));
    HC_VISIT_ARRAY(v, self->requests, self->request_count, self->request_cap);
    HC_VISIT_ARRAY(v, self->heralds, self->herald_count, self->herald_cap);
  }
  return self->type->visit ? self->type->visit(self->policy, v) : 0;
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->c.allocator;
  if (self->policy && self->type->fini) self->type->fini(self->policy);
  hc_free(a, self->line, self->cap * sizeof *self->line);
  hc_free(a, self->ends, self->end_cap * sizeof *self->ends);
  hc_free(a, self->arrived, self->arrived_cap * sizeof *self->arrived);
  hc_free(a, self->times, self->time_cap * sizeof *self->times);
  hc_free(a, self->starts, self->start_cap * sizeof *self->starts);
  hc_free(a, self->news, self->news_cap * sizeof *self->news);
  hc_free(a, self->report, self->hosts * sizeof *self->report);
  hc_free(a, self->scope, self->hosts * sizeof *self->scope);
  hc_free(a, self->hidden, self->hosts * sizeof *self->hidden);
  hc_free(a, self->switches, self->hosts * sizeof *self->switches);
  hc_free(a, self->requests, self->request_cap * sizeof *self->requests);
  hc_free(a, self->heralds, self->herald_cap * sizeof *self->heralds);
  if (self->kept) drop_plan(self);
  (void)a->resize(a->ctx, self, sizeof *self, 0);
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  return self->type->finish ? self->type->finish(self->policy, f) : 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1000,
             "How long a message takes from the host of the scheduler to itself."),
    HC_PARAM(TIME, options, report, "s", NULL, 0, 1000,
             "How long the message takes that a task has ended. Default: as `latency`."),
    HC_PARAM(COMPONENT, options, network, HC_KIND_NETWORK, NULL,
             "The network that messages go through. In place of `latency` and `report` a message then takes "
             "the latency of its route to `master`, and the time of `size` on the slowest link of the route. "
             "Default: none."),
    HC_PARAM(TEXT, options, master, NULL,
             "Host of the network that the scheduler is on, which is not one of the cell's. With `network`."),
    HC_PARAM(REAL, options, size, "B", "1", 0, 1e12, "Bytes of a message."),
    HC_PARAM(BOOL, options, incidents, "false",
             "The program that decides (`policy: outside`) is told of incidents outside of the run, which it "
             "announces itself (hc_run_incidents)."),
    {0}};

const hc_architecture_type hc_architecture_messages = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .name = "messages",
         .summary = "one scheduler that learns of events and acts by messages, which are taken one at a time",
         .detail =
             "Submissions, ends and starts of tasks are messages through a network, which a server takes one "
             "after the other; the scheduler decides when no message waits. A host is not offered until the "
             "end of the last task on it has been told, so hosts are best given whole to tasks. Policies may "
             "do nothing but start tasks; one that decides outside of the run (`policy: outside`) may do "
             "more, and is told of events one by one.",
         .source = "Batsim 4.2.1, its server and submitters", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .hears_hosts = true,
    .offers_hosts = true,
    .keeps_hosts = true,
    .go_on = decide, /* what it was asked about is kept */
    .brings_news = true,
    .tells_incidents = tells_incidents,
};
