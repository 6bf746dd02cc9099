/* refusal.c -- a job's controller refuses a host that suits its task worse than hosts it was offered lately.
 *
 * Each operation (or each user) remembers the last n offers on which its task would have fitted: what was
 * free, and when. An offer is measured against the task, and so are those that are remembered, anew for this
 * task. If more than k of them would have been better, by more than a tolerance, the offer is refused: better
 * ones come often enough to wait for. `better(a, b)` is a < b - A and a < b / R. The offer itself is
 * remembered after the answer, if it was refused or a task started on it, so that of n remembered and this
 * one, alike and independent, each is as likely to be the best as any: without tolerance an offer is taken
 * with probability (k + 1) / (n + 1). One that is taken and then cannot be used, and one that it is not asked
 * about (a fallback), are not remembered.
 *
 * The two published forms differ. The thesis takes an offer if at most k were better, after the first s
 * offers ever; YTsaurus if fewer than max_better_past_snapshots were (k = max_better - 1), while s are
 * remembered (so s above n refuses for ever). Its defaults are s 0, n 10, max_better 2, and no limit to
 * refusals in a row; the thesis has s 5, n 15, k 2. Remembered offers that are too old or would not hold this
 * task count towards s, not towards k, in both.
 *
 * `adapt` answers what the thesis leaves open, that tasks should not end more often than offers are taken: k
 * grows by `adapt` for each task by which what runs has fallen below the highest that ran since something
 * began to wait. This is an integral controller of (ends - starts), reflected at 0: in balance it adds
 * nothing, and what it adds is gone when the lost ground is made up for. At k >= n every offer is taken, so
 * it cannot wind up for ever. Cost: O(n dimensions) an offer. Memory: n (dimensions + 1) x 8 bytes an
 * operation that has tasks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/sharing.h"
#include "policy/operations.h"
#include "policy/packing.h"

enum { RULE_THESIS, RULE_YTSAURUS };

typedef struct options {
  int metric, fresh, whose, rule;
  int64_t at_first, window, better, in_a_row, relaxed;
  double absolute, relative, adapt;
  hc_time age;
  hc_list dimensions;                /* const char * */
  hc_list never_users, never_groups; /* const char *, int64_t */
  const char *never;
  bool by_user;
} options;

/* How often a user was asked, for the first of them. */
#define NAMED 64
typedef struct asked {
  int64_t user;
  uint64_t refused, taken;
} asked;

/* The last offers of an operation: a ring, and what it has seen. */
typedef struct memory {
  uint64_t count, next, in_a_row, seen;
  uint64_t highest; /* tasks that ran at once since one began to wait */
} memory;

/* What `never` may look at. */
typedef enum variable { USER, GROUP, JOB, SERIAL, PRIORITY, PROCS, SUBMIT, WAIT, VARIABLES } variable;
static const char *const names[VARIABLES] = {
    [USER] = "user",   [GROUP] = "group",   [JOB] = "job",           [SERIAL] = "serial",
    [PROCS] = "procs", [SUBMIT] = "submit", [PRIORITY] = "priority", [WAIT] = "wait"};

static bool has_name(size_t i)
{
  return i == USER || i == GROUP;
}

typedef struct people {
  const hc_lexicon *lexicon;
  int64_t user, group;
} people;

static const char *called(const void *ctx, size_t i)
{
  const people *a = ctx;
  if (!a->lexicon) return NULL;
  return i == USER ? hc_lexicon_called(a->lexicon, HC_CALLED_USER, a->user)
                   : hc_lexicon_called(a->lexicon, HC_CALLED_GROUP, a->group);
}

struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  const options *o;
  bool counts[HC_DIMENSIONS]; /* by the lexicon's number */
  hc_arena arena;
  const hc_lexicon *lexicon;
  const hc_expr *never;
  hc_operations whose;
  memory *memories;
  size_t memory_count, memory_cap;
  uint32_t dims, padding; /* of the cell; 0: no offer was remembered yet */
  int64_t *pasts;         /* [memory_count][window][1 + dims]: when, and what was free */
  size_t past_count, past_cap;
  uint64_t refused, taken, forced; /* offers */
  uint64_t people_count;
  asked people[NAMED]; /* [people_count] in the order in which they came */
};

static size_t past_size(const hc_policy *self)
{
  return 1 + (size_t)self->dims;
}

/* Where the i-th offer of a memory is. */
static int64_t *past_at(const hc_policy *self, uint32_t place, uint64_t i)
{
  return self->pasts + (place * (size_t)self->o->window + i) * past_size(self);
}

static hc_rc know(hc_policy *self, const hc_offer *offer, uint32_t place)
{
  const size_t count = (size_t)place + 1;
  size_t pasts;
  if (place < self->memory_count) return 0;
  self->dims = offer->dimensions;
  pasts = count * (size_t)self->o->window * past_size(self);
  TRY(hc_reserve(self->allocator, (void **)&self->memories, &self->memory_cap, count,
                 sizeof *self->memories));
  TRY(hc_reserve(self->allocator, (void **)&self->pasts, &self->past_cap, pasts, sizeof *self->pasts));
  memset(self->memories + self->memory_count, 0, (count - self->memory_count) * sizeof *self->memories);
  if (pasts > 0) memset(self->pasts + self->past_count, 0, (pasts - self->past_count) * sizeof *self->pasts);
  self->memory_count = count;
  self->past_count = pasts;
  return 0;
}

static void clear(hc_policy *self, uint32_t place)
{
  const size_t size = (size_t)self->o->window * past_size(self) * sizeof *self->pasts;
  if (place >= self->memory_count) return;
  if (size > 0) memset(past_at(self, place, 0), 0, size);
  self->memories[place] = (memory){0};
}

/* ---- the rule ---- */

/* What a task needs in the dimensions that count, as shares of the cell. */
typedef struct aim {
  uint32_t count;
  uint8_t of[HC_DIMENSIONS]; /* [count] by the cell's dimensions */
  double need[HC_DIMENSIONS];
} aim;

static void take_aim(const hc_policy *self, const hc_offer *o, aim *out)
{
  out->count = 0;
  for (uint32_t d = 0; d < o->dimensions; d++) {
    if (!self->counts[o->which[d]] || o->capacity[d] <= 0) continue;
    out->need[out->count] = (double)o->need[d] / (double)o->capacity[d];
    out->of[out->count++] = (uint8_t)d;
  }
}

/* How badly it goes with what is, or was, free. */
static double measure(const hc_policy *self, const hc_offer *o, const aim *a, const int64_t *free)
{
  double left[HC_DIMENSIONS];
  for (uint32_t i = 0; i < a->count; i++) left[i] = (double)free[a->of[i]] / (double)o->capacity[a->of[i]];
  return hc_packing_of((hc_packing)self->o->metric, a->count, a->need, left);
}

static bool would_fit(const hc_offer *o, const int64_t *free)
{
  for (uint32_t d = 0; d < o->dimensions; d++)
    if (o->need[d] > free[d]) return false;
  return true;
}

static double seconds(hc_time t)
{
  return (double)t / (double)HC_SECOND;
}

/* Users are known in any case. */
static bool looks_at_groups(const options *o)
{
  return o->never || o->never_groups.count > 0;
}

static bool never_refuses(const hc_policy *self, const hc_offer *offer)
{
  const options *o = self->o;
  const hc_services *s = self->services;
  int64_t user, group;
  if (o->never_users.count + o->never_groups.count == 0 && !self->never) return false;
  user = s->user(offer->view, offer->task);
  group = looks_at_groups(o) ? s->group(offer->view, offer->task) : -1;
  for (size_t i = 0; i < o->never_users.count; i++)
    if (hc_policy_is_user(self->lexicon, ((const char *const *)o->never_users.items)[i], user)) return true;
  for (size_t i = 0; i < o->never_groups.count; i++)
    if (((const int64_t *)o->never_groups.items)[i] == group) return true;
  if (!self->never) return false;
  const hc_time submit = s->submitted(offer->view, offer->task);
  const double values[VARIABLES] = {[USER] = (double)user,
                                    [GROUP] = (double)group,
                                    [JOB] = (double)s->job(offer->view, offer->task),
                                    [SERIAL] = (double)s->serial(offer->view, offer->task),
                                    [PRIORITY] = (double)s->priority(offer->view, offer->task),
                                    [PROCS] = (double)s->units(offer->view, offer->task),
                                    [SUBMIT] = seconds(submit),
                                    [WAIT] = seconds(offer->now - submit)};
  const people a = {self->lexicon, user, group};
  const double x = hc_expr_value_called(self->never, values, called, &a);
  return x == x && x != 0;
}

/* How many better ones it bears: k. */
static int64_t borne(const hc_policy *self, const hc_offer *offer, uint32_t place, memory *m)
{
  const options *o = self->o;
  const int64_t plain = o->rule == RULE_YTSAURUS ? o->better - 1 : o->better;
  int64_t k = offer->round > 0 ? HC_MAX(plain, o->relaxed) : plain;
  if (o->adapt > 0 && place < self->whose.count) {
    const uint64_t running = self->whose.items[place].running;
    m->highest = HC_MAX(m->highest, running);
    k += (int64_t)HC_MIN(o->adapt * (double)(m->highest - running), 1e9);
  }
  return k;
}

static bool accepts(hc_policy *self, const hc_offer *offer)
{
  const options *o = self->o;
  uint32_t place;
  memory none = {0}, *m = &none;
  int64_t better = 0, k;
  double now;
  aim a;
  if (never_refuses(self, offer)) return true;
  if (hc_operations_of(&self->whose, offer->view, offer->task, offer->user, &place) < 0) return true;
  if (place < self->memory_count) m = &self->memories[place];
  if (o->in_a_row > 0 && m->in_a_row >= (uint64_t)o->in_a_row) return true;
  k = borne(self, offer, place, m);
  take_aim(self, offer, &a);
  now = measure(self, offer, &a, offer->free);
  for (uint64_t i = 0; i < m->count && better <= k; i++) {
    const int64_t *p = past_at(self, place, i);
    double then;
    if (o->age != HC_NEVER && p[0] < offer->now - o->age) continue;
    if (!would_fit(offer, p + 1)) continue;
    then = measure(self, offer, &a, p + 1);
    better += then < now - o->absolute && then < now / o->relative;
  }
  return (o->rule == RULE_YTSAURUS ? m->count : m->seen) >= (uint64_t)o->at_first && better <= k;
}

static void count(hc_policy *self, int64_t user, bool took)
{
  size_t at = 0;
  while (at < self->people_count && self->people[at].user != user) at++;
  if (at == NAMED) return;
  if (at == self->people_count) self->people[self->people_count++] = (asked){.user = user};
  self->people[at].refused += !took;
  self->people[at].taken += took;
}

/* In a second round it is the same offer, which the first has remembered. */
static hc_rc noted(hc_policy *self, const hc_offer *offer, bool started)
{
  const size_t n = (size_t)self->o->window;
  uint32_t place;
  memory *m;
  int64_t *p;
  self->forced += offer->is_forced;
  if (offer->is_forced) return 0;
  self->taken += started;
  self->refused += !started && offer->round == 0;
  if (self->o->by_user && (started || offer->round == 0))
    count(self, self->services->user(offer->view, offer->task), started);
  if (never_refuses(self, offer)) return 0;
  TRY(hc_operations_of(&self->whose, offer->view, offer->task, offer->user, &place));
  TRY(know(self, offer, place));
  m = &self->memories[place];
  m->in_a_row = started ? 0 : m->in_a_row + (offer->round == 0);
  if (offer->round > 0) return 0;
  m->seen++;
  if (n == 0) return 0;
  p = past_at(self, place, m->next);
  m->next = (m->next + 1) % n;
  m->count = HC_MIN(m->count + 1, n);
  p[0] = offer->now;
  for (uint32_t d = 0; d < offer->dimensions; d++) p[1 + d] = offer->free[d];
  return 0;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, uint32_t user)
{
  uint32_t place;
  bool ended;
  if (self->o->whose == HC_MEMORY_USER && self->o->adapt == 0) return 0;
  TRY(hc_operations_hear(&self->whose, v, what, t, user, &place, &ended));
  if (ended && self->o->whose == HC_MEMORY_OPERATION) clear(self, place);
  else if (self->whose.items[place].waiting == 0 && place < self->memory_count)
    self->memories[place].highest = 0; /* nothing waits: what ends is not missed */
  return 0;
}

static void forget(hc_policy *self, uint32_t user)
{
  if (self->o->whose == HC_MEMORY_USER && self->o->fresh) clear(self, user);
}

/* ---- life ---- */

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  return HC_TIME_DEPENDENT | (o->whose == HC_MEMORY_OPERATION || looks_at_groups(o) ? HC_ASKS_JOBS : 0);
}

/* Which dimensions count. Not said: all that the cell has. */
static hc_rc choose_dimensions(hc_policy *self, hc_lexicon *l, hc_error *e)
{
  const hc_list *list = &self->o->dimensions;
  for (int d = 0; d < HC_DIMENSIONS; d++) self->counts[d] = list->count == 0;
  for (size_t i = 0; i < list->count; i++) {
    const char *name = ((const char *const *)list->items)[i];
    const int d = l ? hc_lexicon_dimension(l, name, strlen(name)) : -1;
    if (d < 0)
      return hc_fail(e, HC_EUSAGE, "accept refusal", 0, 0, "there is no room for the dimension %s", name);
    self->counts[d] = true;
  }
  return 0;
}

/* Users and tasks that never refuse. */
/* A name that no task has would never be refused, unseen. */
static hc_rc expect_names(hc_lexicon *l, const hc_expr *x)
{
  const char *text;
  size_t i, which;
  for (i = 0; l && (text = hc_expr_name(x, i, &which)); i++)
    if (text[strspn(text, "0123456789.-")] != '\0')
      TRY(hc_lexicon_expect(l, which == USER ? HC_CALLED_USER : HC_CALLED_GROUP, text));
  return 0;
}

static hc_rc choose_never(hc_policy *self, hc_lexicon *l, hc_error *e)
{
  hc_expr *x;
  self->lexicon = l;
  if (!self->o->never || !self->o->never[0]) return 0;
  TRY(hc_expr_compile_called(&self->arena, self->o->never, names, VARIABLES, has_name, &x, e));
  self->never = x;
  return expect_names(l, x);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->services = c->services;
  self->o = opts;
  hc_arena_init(&self->arena, c->allocator);
  hc_operations_init(&self->whose, c, (hc_memory_of)self->o->whose);
  *out = self;
  if (self->o->rule == RULE_YTSAURUS && self->o->at_first > self->o->window)
    return hc_fail(
        e, HC_EUSAGE, "accept refusal", 0, 0,
        "at_first is %lld, but no more than window: %lld offers are remembered: it would refuse for ever",
        (long long)self->o->at_first, (long long)self->o->window);
  TRY(choose_never(self, c->lexicon, e));
  return choose_dimensions(self, c->lexicon, e);
}

/* Do rings lie where their memories say? */
static bool is_whole(const hc_policy *self)
{
  const uint64_t n = (uint64_t)self->o->window;
  if (self->dims > HC_DIMENSIONS || self->past_count != self->memory_count * n * past_size(self))
    return false;
  for (size_t i = 0; i < self->memory_count; i++)
    if (self->memories[i].count > n || (n > 0 && self->memories[i].next >= n)) return false;
  return true;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  TRY(hc_operations_visit(&self->whose, v));
  HC_VISIT(v, self->refused);
  HC_VISIT(v, self->taken);
  HC_VISIT(v, self->forced);
  HC_VISIT(v, self->people);
  HC_VISIT(v, self->people_count);
  if (self->people_count > NAMED) return HC_EINPUT;
  HC_VISIT_ARRAY(v, self->memories, self->memory_count, self->memory_cap);
  HC_VISIT(v, self->dims);
  HC_VISIT_ARRAY(v, self->pasts, self->past_count, self->past_cap);
  return is_whole(self) ? 0 : HC_EINPUT;
}

static double part(uint64_t refused, uint64_t taken)
{
  return refused + taken > 0 ? (double)refused / (double)(refused + taken) : __builtin_nan("");
}

static hc_rc find_people(const hc_policy *self, hc_findings *f)
{
  char name[64];
  TRY(hc_find_real(f, "refused_share", "1", part(self->refused, self->taken)));
  for (size_t i = 0; i < self->people_count; i++) {
    const asked *x = &self->people[i];
    (void)snprintf(name, sizeof name, "refused_share_of_%" PRId64, x->user);
    TRY(hc_find_real(f, name, "1", part(x->refused, x->taken)));
  }
  return 0;
}

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  TRY(hc_find_count(f, "offers_refused", "offers", (int64_t)self->refused));
  TRY(hc_find_count(f, "offers_taken", "offers", (int64_t)self->taken));
  TRY(hc_find_count(f, "offers_forced", "offers", (int64_t)self->forced));
  return find_people(self, f);
}

static void fini(hc_policy *self)
{
  hc_operations_fini(&self->whose);
  hc_arena_fini(&self->arena);
  hc_free(self->allocator, self->memories, self->memory_cap * sizeof *self->memories);
  hc_free(self->allocator, self->pasts, self->past_cap * sizeof *self->pasts);
  hc_free(self->allocator, self, sizeof *self);
}

static const char *const figures[] = {
    "offers_refused|offers|none|offers of hosts on which a task would have fitted and that its user refused",
    "offers_taken|offers|none|offers that users took, on which a task started",
    "offers_forced|offers|lower|starts by the fallback of the policy, without asking",
    "refused_share|1|none|offers_refused / (offers_refused + offers_taken)",
    "refused_share_of_*|1|none|with `by_user`, the same for a user, by its number; for the first 64 users",
    NULL,
};

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, metric, HC_PACKINGS, "angle_length",
             "How badly a task and a host go together, with d the demand of the task and f the free amounts, "
             "as shares of the cell: angle 1 - cos(d, f); angle_length (1 - cos(d, f)) |f| / |d|; cosine 1 / "
             "cos(d, f); dot 1 / (d . f); drfh sum |d_r / d_1 - f_r / f_1|."),
    HC_PARAM(TEXTS, options, dimensions, NULL,
             "Which dimensions count, as [cpu, memory]. Default: all that the cell has."),
    HC_PARAM(CHOICE, options, rule, "thesis|ytsaurus", "thesis",
             "When an offer is taken. thesis: if at most `better` of the remembered offers were better, once "
             "`at_first` offers have come. ytsaurus: if fewer than `better` were, once `at_first` offers are "
             "remembered."),
    HC_PARAM_AS(CHOICE, "memory", options, whose, HC_MEMORIES, "user",
                "What has a memory of its own. operation: each job, from its first task on until none of its "
                "tasks waits or runs, as in YTsaurus; a task of no job by itself. user: all tasks of a user "
                "together."),
    HC_PARAM(INT, options, at_first, "offers", "0", 0, 1e6,
             "s: all offers are refused until this many have come (rule: ytsaurus: are remembered). The "
             "thesis: 5."),
    HC_PARAM(INT, options, window, "offers", "10", 0, 1e6,
             "n: how many offers are remembered. The thesis: 15."),
    HC_PARAM(INT, options, better, "offers", "1", 0, 1e6,
             "k: an offer is taken if at most this many of the remembered ones were better; with rule: "
             "ytsaurus its max_better_past_snapshots, which is k + 1. The thesis: 2."),
    HC_PARAM(INT, options, relaxed, "offers", "5", 0, 1e6,
             "k of a second round, if the policy has one (rounds: 2) and this is more than `better`."),
    HC_PARAM(REAL, options, adapt, "offers per task", "0", 0, 1e6,
             "k grows by this for each task by which the number of running tasks is below the greatest "
             "number that ran while tasks waited, so that offers are taken no less often than tasks end. 0: "
             "k stays. Not in YTsaurus; the thesis proposes it."),
    HC_PARAM(REAL, options, absolute, "1", "0.05", 0, 1e9,
             "A: one offer is better than another if its metric is less by more than this, and by more than "
             "the factor `relative`."),
    HC_PARAM(REAL, options, relative, "1", "1.5", 1, 1e9,
             "R: one offer is better than another if its metric is less by more than this factor, and by "
             "more than `absolute`."),
    HC_PARAM(TIME, options, age, "s", "1h", 0, 1e10,
             "Offers older than this are not compared; never: all are. The thesis: 20m."),
    HC_PARAM(
        INT, options, in_a_row, "offers", "0", 0, 1e9,
        "After this many refusals in a row the next offer is taken, so that no task starves. 0: no limit."),
    HC_PARAM(BOOL, options, by_user, "false",
             "Are refusals counted for each user, too (figures refused_share_of_*)? For studies, which keep "
             "no tables."),
    HC_PARAM(CHOICE, options, fresh, "never|when_idle", "when_idle",
             "With memory: user, when remembered offers are forgotten. when_idle: when all tasks of the user "
             "have ended. never: only by `age` and `window`."),
    HC_PARAM(TEXTS, options, never_users, NULL,
             "Users who take every offer that fits: [17, ann], as the source names them or by number. Their "
             "offers are not remembered."),
    HC_PARAM(INTS, options, never_groups, NULL, NULL, 0, 9e15,
             "Groups of users who take every offer that fits, by number."),
    HC_PARAM(
        TEXT, options, never, NULL,
        "Tasks that take every offer that fits: those for which this is not 0, a formula over user, group "
        "(by number, or compared with a name: user == \"ann\"), job (-1: none), serial, priority, procs, and "
        "in seconds submit, wait. `wait > 3600` takes anything after an hour."),
    {0}};

const hc_accept_type hc_accept_refusal = {
    .component =
        {HC_COMPONENT_HEAD(hc_accept_type, HC_KIND_ACCEPT), .name = "refusal",
         .summary = "refuses a host if better ones were offered lately",
         .detail =
             "Amounts are shares of the cell. Offers that were refused, and those on which a task started, "
             "are remembered. A user gains by refusing: the rule is not strategy-proof, unless absolute is 0 "
             "and relative is 1; then it takes (k + 1) / (n + 1) of offers that are alike. YTsaurus: rule: "
             "ytsaurus, memory: operation, better: 2. The thesis: memory: operation, at_first: 5, window: "
             "15, better: 2, age: 20m, and `fallback: all_refused` of the policy.",
         .source = "the packing of YTsaurus's scheduler (angle, angle_length), and the thesis behind it",
         .params = params, .options_size = sizeof(options), .figures = figures},
    .flags = flags,
    .init = init,
    .accepts = accepts,
    .noted = noted,
    .forget = forget,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .on_task_event = on_task_event,
};
