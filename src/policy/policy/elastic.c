/* elastic.c -- another policy, whose tasks start with as many nodes as a strategy says and change while they
 * run.
 *
 * The strategy says with how many slots each task that waits would start, and the policy within decides which
 * start; that is repeated while some do, since room is less then. Then it says how many each running task
 * that may change is to have: it is resized, or under a model of execution that is a wish for its next
 * scheduling point. Those that may not change while they run keep what they started with.
 *
 * Strategies are one file each (policy/elastic): rigid, min, average, preferred, keep_preferred, common_pool,
 * agreement, steal_agreement, equipartition, largest, priority, greedy. What a task prefers lies between its
 * least and its most (`preferred`). Tasks without a profile start with what they ask for.
 *
 * The names min, average, preferred, agreement, steal agreement and common pool are those of the schedulers
 * for ElastiSim of the Wagomu project (University of Kassel), and min, preferred, average and keep-preferred
 * those of Zojer, Posner and Özden, "Evaluating malleable job scheduling in HPC clusters using real-world
 * workloads", 2026 (arXiv 2602.17318). What each says is written at its head: these are not ports of their
 * programs, which choose nodes too and keep lists of who gets whose.
 *
 * Cost a decision: O((waiting + running + slots that move) log running), for each round in which some start.
 * */
#include "base/util.h"
#include "policy/around.h"
#include "policy/elastic/sharing.h"

typedef struct options {
  hc_around_options around;
  int strategy;
  double preferred;
} options;

typedef struct elastic {
  hc_policy base;
  const options *o;
  const hc_elastic_strategy *strategy;
} elastic;

static const hc_elastic_strategy *const strategies[] = {
#define HC_STRATEGY(name) &hc_elastic_##name,
#include "policy/elastic/strategies.def"
#undef HC_STRATEGY
};

static int64_t size_of(const hc_services *s, const hc_view *v, hc_task t)
{
  const int64_t slots = s->slots(v, t);
  return slots > 0 ? slots : s->units(v, t);
}

static int64_t each_of(const hc_services *s, const hc_view *v, hc_task t)
{
  const int64_t slots = s->slots(v, t);
  return slots > 0 ? HC_MAX(s->units(v, t) / slots, 1) : 1;
}

static int64_t prefers(const options *o, int64_t least, int64_t most)
{
  return least + (int64_t)(o->preferred * (double)(most - least) + 0.5);
}

/* ---- those that wait ---- */

static hc_rc mold_all(elastic *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->base.s;
  const int64_t free = s->free_units(v);
  const size_t n = s->queued(v);
  hc_task *all = s->scratch(v, n * sizeof *all + 1);
  size_t count = 0;
  hc_cursor at = {0};
  hc_task t;
  if (!all) return HC_ENOMEM;
  while (count < n && (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) all[count++] = t;
  for (size_t i = 0; i < count; i++) {
    int64_t least, most;
    s->sizes(v, all[i], &least, &most);
    if (least == most) continue;
    const int64_t size =
        self->strategy->start(least, most, prefers(self->o, least, most), free / each_of(s, v, all[i]));
    const hc_rc rc = s->mold(p, all[i], HC_MIN(HC_MAX(size, least), most));
    if (rc < 0 && rc != HC_EPOLICY) return rc;
  }
  return 0;
}

static hc_rc start_some(elastic *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->base.s;
  const bool molds = self->strategy != &hc_elastic_rigid;
  for (size_t before; (before = s->queued(v)) > 0;) {
    if (molds) TRY(mold_all(self, v, p));
    TRY(hc_around_decide(&self->base, v, p, why));
    if (!molds || s->queued(v) == before) break;
  }
  return 0;
}

/* ---- those that run ---- */

static hc_rc gather(elastic *self, hc_view *v, bool some_wait, hc_elastic *x)
{
  const hc_services *s = self->base.s;
  const hc_task *running;
  const size_t n = s->running(v, &running);
  x->tasks = s->scratch(v, n * sizeof *x->tasks + 1);
  if (!x->tasks) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const hc_task t = running[i];
    const int64_t slots = s->slots(v, t), units = s->units(v, t), size = slots > 0 ? slots : units;
    int64_t least, most;
    s->sizes(v, t, &least, &most);
    if (least >= most || size < least || size > most || (some_wait && s->awaited(v, t) > 0)) continue;
    x->tasks[x->count++] = (hc_sharer){.task = t,
                                       .size = size,
                                       .least = least,
                                       .most = most,
                                       .prefers = prefers(self->o, least, most),
                                       .each = slots > 0 ? HC_MAX(units / slots, 1) : 1,
                                       .target = size,
                                       .priority = s->priority(v, t),
                                       .serial = s->serial(v, t)};
  }
  return 0;
}

/* What those that wait need, in the size in which they would start. */
static void add_up(elastic *self, hc_view *v, hc_elastic *x)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  hc_task t;
  while ((t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK) {
    if (s->not_before(v, t) > s->now(v)) continue;
    const int64_t need = size_of(s, v, t) * each_of(s, v, t);
    if (x->wants == 0) x->first = need;
    if (__builtin_add_overflow(x->wants, need, &x->wants)) x->wants = INT64_MAX / 2;
    if (x->wants > INT64_MAX / 4 || !self->strategy->draws_all) break;
  }
}

/* Those that are to be smaller, or those that are to be larger. */
static hc_rc resize_all(const hc_services *s, hc_view *v, hc_plan *p, const hc_elastic *x, bool larger)
{
  for (size_t i = 0; i < x->count; i++) {
    const hc_sharer *t = &x->tasks[i];
    if ((t->target > t->size) != larger) continue;
    const int64_t wish = s->wished(v, t->task); /* 0: it stays as it is */
    if (t->target == (wish > 0 ? wish : t->size)) continue;
    const hc_rc rc = s->resize(p, t->task, t->target, NULL, 0);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
  }
  return 0;
}

/* A running task waits for room that is reserved for it: others give up for it what they would for the first
 * task of the queue. */
static hc_rc make_room(elastic *self, hc_view *v, hc_plan *p, int64_t awaited)
{
  hc_elastic x = {.wants = awaited, .first = awaited};
  if (self->strategy == &hc_elastic_rigid) return 0;
  TRY(gather(self, v, true, &x));
  x.free = self->base.s->free_units(v);
  if (x.count > 0) self->strategy->share(&x);
  return resize_all(self->base.s, v, p, &x, false);
}

/* What is given up comes first: where nothing waits for a point it is there at once, for those that wait and
 * then for those that get more. */
static hc_rc decide(hc_policy *base, hc_view *v, hc_plan *p, const hc_why *why)
{
  elastic *self = (elastic *)base;
  const hc_services *s = base->s;
  const size_t before = s->queued(v);
  const int64_t awaited = s->awaited(v, HC_NO_TASK);
  hc_elastic x = {0};
  if (awaited > 0) return make_room(self, v, p, awaited);
  TRY(start_some(self, v, p, why));
  if (self->strategy == &hc_elastic_rigid) return 0;
  TRY(gather(self, v, false, &x));
  x.free = s->free_units(v);
  add_up(self, v, &x);
  if (x.count > 0) self->strategy->share(&x);
  TRY(resize_all(s, v, p, &x, false));
  if (s->free_units(v) > x.free) TRY(start_some(self, v, p, why));
  TRY(resize_all(s, v, p, &x, true));
  /* Those that start now may change once they run. */
  return s->queued(v) < before && s->free_units(v) > 0 ? s->wake(p, s->now(v)) : 0;
}

static uint32_t flags(const void *given)
{
  return (hc_around_flags(given) | HC_MAY_RESIZE) & ~(uint32_t)HC_HEAD_ONLY;
}

static hc_rc init(const hc_policy_context *c, const void *given, hc_policy **out, hc_error *e)
{
  const options *o = given;
  if (hc_around_flags(given) & HC_MOLDS)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy elastic", 0, 0,
        "both this policy and `mold` of the one within settle in which sizes tasks start: leave out "
        "`mold`, or use the policy malleable");
  TRY(hc_around_init(c, given, "elastic", sizeof(elastic), out, e));
  ((elastic *)*out)->o = o;
  ((elastic *)*out)->strategy = strategies[o->strategy];
  return 0;
}

static const hc_param params[] = {
    HC_AROUND_PARAM(options, around.policy),
    HC_PARAM(
        CHOICE, options, strategy,
        "rigid|min|average|preferred|keep_preferred|common_pool|agreement|steal_agreement|equipartition|"
        "largest|priority|greedy",
        "min",
        "How slots are shared. rigid: no task changes its size. min: tasks start with their least size, "
        "shrink down to it for the first queued task, and grow while none is queued. average: all have the "
        "same part of the range between their least and greatest sizes. preferred: tasks start with the "
        "preferred size if there is room, and give up first what is beyond it. keep_preferred: running tasks "
        "grow to their preferred sizes before queued tasks start, and shrink no further than to these. "
        "common_pool: all that tasks hold beyond their least sizes is shared out anew, to queued tasks "
        "first. agreement: tasks start with what there is, and grow to their preferred sizes before queued "
        "tasks start. steal_agreement: the same, and what they lack is taken from tasks beyond their "
        "preferred sizes; for a queued task running ones shrink down to their least sizes. equipartition: "
        "all have equally many, within their bounds. largest: the largest shrink for a queued task, the "
        "smallest grow while none is queued. priority: tasks of low priority shrink first, those of high "
        "priority grow first. greedy: no task shrinks, and running tasks grow before queued ones start."),
    HC_PARAM(
        REAL, options, preferred, "1", "0.5", 0, 1,
        "The preferred size of a task: its least size plus this part of the range up to its greatest, "
        "rounded."),
    {0}};

const hc_policy_type hc_policy_elastic = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "elastic",
         .summary = "another policy, whose tasks start and go on with as many slots as a strategy says",
         .detail =
             "Malleable tasks say between which sizes they may change (`malleable` of native tasks, "
             "ElastiSim's num_nodes_min and num_nodes_max). A task with a profile is moldable too, and is "
             "resized at its scheduling points; any other one is resized at any time, and its work is "
             "conserved. While room is reserved for a task that asks for more (cannot_grow: reserve) no task "
             "starts and no other grows, and running tasks give up for it what they would give up for the "
             "first task of the queue.",
         .source =
             "Zojer, Posner and Özden, 2026 (arXiv 2602.17318), and the schedulers of the Wagomu project; "
             "McCann, Vaswani and Zahorjan, ACM TOCS 11(2), 1993",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = hc_around_parts,
    .init = init,
    .decide = decide,
    .outcome = hc_around_outcome,
    .visit = hc_around_visit,
    .fini = hc_around_fini,
    .finish = hc_around_finish,
};
