/* yt.c -- YTsaurus's scheduler: operations in a tree of pools, vector fair shares, packing by refusal.
 *
 * Hosts are offered as they report, one by one (policy/share/offers.h). At each offer the operation that is
 * least satisfied, of those that have a task which fits, tries to start one, if its pools' limits allow it
 * and the operation does not refuse the host for a better one. If all that could refused and nothing was
 * started, the first of them starts one task all the same.
 *
 * Fair shares are those of the last tick (policy/share/yt.h); satisfaction follows each start. The books are
 * exact: YTsaurus's own lag behind by up to 100 ms. Sources: the scheduler of YTsaurus and its simulator; the
 * thesis on packing in it. */
#include <stdio.h>

#include "base/util.h"
#include "policy/packing.h"
#include "policy/placing.h"
#include "policy/preempting.h"
#include "policy/share/offers.h"
#include "policy/share/yt.h"
#include "policy/share/yt_modules.h"
#include "policy/share/yt_stopping.h"

#define JOB_NUMBER ((INT64_C(1) << 56) - 1) /* of a job's name: the rest is its source */

enum { OPERATION_JOB, OPERATION_USER };
enum { PREEMPTION_NONE, PREEMPTION_NORMAL };

/* What the parameters of these names are by default. */
#define MODULE_TIMEOUT (20 * 60 * HC_SECOND)
#define MODULE_PATIENCE (15 * 60 * HC_SECOND)

typedef struct options {
  int operation, preemption;
  int task, fallback; /* offers.h */
  hc_time update, starving_after, badly_after, history;
  double tolerance;
  bool caps, priorities;
  const char *main, *pools_file, *pool_tree;
  hc_list pools, weights;
  hc_yt_stopping_options stopping;
  hc_tetris_options tetris;
  hc_list modules, module_priority;
  double module_amount;
  int module_choice;
  hc_time module_timeout, module_patience;
  hc_chosen accept, eligibility;
} options;

/* ---- the result ---- */

/* What an element of the tree is due, and what it uses. */
static hc_rc share_figures(const hc_turns *t, const char *table, int64_t key, uint32_t node,
                           const int64_t *used, hc_findings *out)
{
  const hc_pool *x = hc_pools_at(&t->yt->tree, node);
  char name[64];
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const char *dimension = hc_lexicon_dimension_name(t->o.lexicon, t->which[d]);
    (void)snprintf(name, sizeof name, "fair_%.40s", dimension);
    TRY(hc_find_cell(out, table, key, name, "1", x->fair[d]));
    (void)snprintf(name, sizeof name, "usage_%.40s", dimension);
    TRY(hc_find_cell(out, table, key, name, "1", (double)used[d] * t->yt->part[d]));
  }
  return 0;
}

static hc_rc find_shares(const hc_turns *t, hc_findings *out)
{
  const hc_yt *y = t->yt;
  for (uint32_t i = 0; i < y->pool_count && t->books.dims > 0; i++)
    TRY(share_figures(t, "yt_pools", i, i, y->pools[i].used, out));
  for (uint32_t i = 0; i < y->op_count; i++) {
    const hc_yt_operation *o = &y->ops[i];
    if (o->node == HC_POOL_NONE) continue;
    TRY(share_figures(t, "yt_operations", o->job >= 0 ? o->job & JOB_NUMBER : o->user, o->node,
                      t->books.members[i].used, out));
  }
  return 0;
}

static hc_rc finish(hc_policy *self, hc_findings *out)
{
  const hc_offers_counts *n = &self->n;
  uint64_t preempting, preempted;
  hc_yt_stopping_counts(self->preempt, &preempting, &preempted);
  TRY(hc_find_count(out, "yt_offers", "offers", (int64_t)n->offers));
  TRY(hc_find_count(out, "yt_starts", "tasks", (int64_t)n->starts));
  TRY(hc_find_count(out, "yt_fallbacks", "tasks", (int64_t)n->fallbacks));
  TRY(hc_find_count(out, "yt_preempting", "tasks", (int64_t)preempting));
  TRY(hc_find_count(out, "yt_preempted", "tasks", (int64_t)preempted));
  TRY(hc_find_count(out, "yt_updates", "updates", (int64_t)self->turns.yt->updates));
  TRY(hc_find_count(out, "yt_passed_no_fit", "operations", (int64_t)n->misfits));
  TRY(hc_find_count(out, "yt_passed_limits", "operations", (int64_t)n->limited));
  TRY(hc_find_count(out, "yt_passed_packing", "operations", (int64_t)n->refused));
  TRY(find_shares(&self->turns, out));
  TRY(hc_yt_modules_find(self->turns.yt, out));
  return hc_offers_finish(self, out);
}

/* ---- what it is made of ---- */

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_accept_type *accept = (const hc_accept_type *)o->accept.type;
  const uint32_t more = accept->flags ? accept->flags(o->accept.options) : 0;
  return more | HC_SHARES | HC_NEEDS_SCOPE | HC_ASKS_JOBS | HC_TIME_DEPENDENT |
         (o->tetris.mix > 0 ? HC_NEEDS_ESTIMATE : 0) |
         (o->preemption == PREEMPTION_NONE ? 0 : HC_MAY_PREEMPT);
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const options *o = opts;
  out->eligibility = &o->eligibility;
}

/* What is said of modules means something. */
static hc_rc check_modules(const options *o, hc_error *e)
{
  const bool says = o->module_amount > 0 || o->module_choice != HC_YT_MODULE_MOST_ROOM ||
                    o->module_timeout != MODULE_TIMEOUT || o->module_priority.count > 0;
  if (o->modules.count == 0 && (says || o->module_patience != MODULE_PATIENCE))
    return hc_fail(e, HC_EUSAGE, "policy yt", 0, 0,
                   "module_amount, module_choice, module_timeout, module_patience and module_priority are of "
                   "`modules`, and there are none: name them, such as modules: [dc], a level of zones");
  if (o->module_patience != MODULE_PATIENCE && o->module_priority.count == 0)
    return hc_fail(e, HC_EUSAGE, "policy yt", 0, 0,
                   "module_patience is that of operations in pools of `module_priority`: name some there");
  if (o->modules.count > 0 && o->operation == OPERATION_USER)
    return hc_fail(e, HC_EUSAGE, "policy yt", 0, 0,
                   "modules: an operation is bound as a whole when it comes, and a user's tasks come one "
                   "after the other: set operation: job");
  if (o->module_priority.count > 0 && o->preemption == PREEMPTION_NONE)
    return hc_fail(e, HC_EUSAGE, "policy yt", 0, 0,
                   "module_priority: what is evicted for priority operations has to be stopped: set "
                   "preemption: normal, or leave it out");
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  static const hc_preempt_type none = {0};
  const options *o = opts;
  const hc_accept_type *accept = (const hc_accept_type *)o->accept.type;
  const hc_yt_options yt = {.update = o->update,
                            .by_user = o->operation == OPERATION_USER,
                            .by_priority = o->priorities,
                            .caps = o->caps,
                            .main = o->main,
                            .pools_file = o->pools_file,
                            .pool_tree = o->pool_tree,
                            .tolerance = o->tolerance,
                            .starving_after = o->starving_after,
                            .badly_after = o->badly_after,
                            .history = o->history,
                            .cell = c->cell,
                            .modules = {.names = &o->modules,
                                        .priority = &o->module_priority,
                                        .amount = o->module_amount,
                                        .choice = o->module_choice,
                                        .timeout = o->module_timeout,
                                        .patience = o->module_patience,
                                        .stops = o->preemption != PREEMPTION_NONE}};
  hc_yt_stopping_options stopping = o->stopping;
  hc_offers_setup setup = {.turns = {.rule = &hc_share_yt,
                                     .where = "policy yt",
                                     .yt = &yt,
                                     .lists = {[HC_DUE_WEIGHT] = &o->weights},
                                     .pools = &o->pools,
                                     .lexicon = c->lexicon},
                           .tetris = o->tetris,
                           .task = o->task,
                           .fallback = o->fallback,
                           .rounds = 1,
                           .accept = &o->accept,
                           .preempt = o->preemption == PREEMPTION_NONE ? &none : &hc_yt_stopping,
                           .preempt_options = &stopping,
                           .member = "operation"};
  setup.tetris.heads = o->task == HC_TASK_HEAD;
  TRY(check_modules(o, e));
  TRY(hc_tetris_check(&setup.tetris, "policy yt", "operation", e));
  stopping.badly = o->badly_after != HC_NEVER;
  stopping.head = o->task == HC_TASK_HEAD;
  if (accept->pace)
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy yt", 0, 0,
        "under %s tasks run longer on some hosts than on others, which yt does not do: use the policy fair",
        o->accept.type->name);
  return hc_offers_init(c, &setup, out, e);
}

/* ---- what it is ---- */

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, operation, "job|user", "job",
             "What counts as an operation. job: each job; a task of no job is one by itself. user: all tasks "
             "of a user."),
    HC_PARAM(COMPONENTS, options, pools, HC_KIND_POOL, NULL,
             "The tree of pools: [{name: research, weight: 2, strong: [cpu=30%], users: [ann, ben]}]. "
             "Operations of no declared pool are children of the root."),
    HC_PARAM(FILE, options, pools_file, NULL,
             "Path of a file of pools of YTsaurus's simulator, YSON or JSON: they come before those of "
             "`pools`."),
    HC_PARAM(TEXT, options, pool_tree, NULL,
             "Which of the trees of pools_file. Default: the file is one tree."),
    HC_PARAM(TEXTS, options, weights, NULL,
             "Weights of users' operations: [17=2, ann=0.5]; others have weight 1."),
    HC_PARAM(BOOL, options, priorities, "false",
             "An operation's weight is also multiplied by the priority of its first task, if that is above "
             "0."),
    HC_PARAM(TEXT, options, main, "cpu",
             "The main dimension: a guarantee for it holds in the same part for the dimensions that the "
             "guarantee does not name."),
    HC_PARAM(TIME, options, update, "s", "200ms", 0, 1e6,
             "How often fair shares are computed, at multiples of this; 0: whenever a host is offered and "
             "anything changed."),
    HC_PARAM(BOOL, options, caps, "true",
             "Is an operation's fair share at most what its tasks could use on the empty cell, host by "
             "host?"),
    HC_PARAM(
        TIME, options, history, "s", "0", 0, 1e10,
        "Half-life of the average of past use that counts against children of the root, as `history` of a "
        "pool does for its own. 0: past use does not count."),
    HC_PARAM(REAL, options, tolerance, "1", "0.8", 0, 1,
             "An operation or a pool is below its fair share if it holds less than this part of it."),
    HC_PARAM(TIME, options, starving_after, "s", "30s", 0, 1e9,
             "An operation or a pool starves when it has been below its fair share for longer than this."),
    HC_PARAM(TIME, options, badly_after, "s", "never", 0, 1e10,
             "An operation or a pool starves badly (aggressively) when it has been below for longer than "
             "this; YTsaurus, where it is switched on: 2m."),
    HC_PARAM(CHOICE, options, preemption, "none|normal", "normal",
             "Preemption for starving operations. none: none. normal: for an operation that starves, or is "
             "in a pool that does, tasks of others are stopped, for the room of at most one task at an "
             "offer; the work of these is lost. For operations that starve badly (badly_after) more tasks "
             "may be stopped."),
    HC_PARAM_AS(TIME, "backoff", options, stopping.backoff, "s", "5s", 0, 1e9,
                "For how long a host is left alone after tasks were stopped on it, or after a search for "
                "such tasks in vain."),
    HC_PARAM_AS(
        REAL, "threshold", options, stopping.threshold, "1", "1", 0, 1e6,
        "The part of its fair share that an operation keeps: tasks may be stopped that started when it held "
        "this much."),
    HC_PARAM_AS(REAL, "bad_threshold", options, stopping.bad_threshold, "1", "0.2", 0, 1e6,
                "The part of its fair share that an operation keeps, as `threshold` says, where room is made "
                "for those that starve badly."),
    HC_PARAM_AS(
        REAL, "content", options, stopping.content, "1", "1", 0, 1e6,
        "Tasks in a pool whose satisfaction is below this, or that starves, are stopped for others in "
        "that pool only."),
    HC_PARAM_AS(REAL, "badly_content", options, stopping.bad_content, "1", "0.2", 0, 1e6,
                "As `content`, where room is made for those that starve badly."),
    HC_PARAM_AS(TIME, "grace", options, stopping.grace, "s", "60s", 1e-9, 1e9,
                "How long tasks of graceful pools may run on once they are told to go."),
    HC_PARAM_AS(
        CHOICE, "on_grace", options, stopping.on_grace, "requeue|kill|checkpoint", "requeue",
        "What becomes of tasks that have not ended after `grace`. requeue: they are stopped, wait again and "
        "begin anew. kill: they are ended. checkpoint: they are stopped, wait again and go on from what they "
        "have done."),
    HC_PARAM_AS(CHOICE, "victims", options, stopping.victims, HC_VICTIMS, "newest",
                "Which task of one class is stopped first. newest: the last that started, as in YTsaurus; "
                "oldest: the first that started; least_lost: the one with the least dominant share x time "
                "that it ran; most_over_share: one of the operation that is most above its fair share."),
    HC_PARAM_AS(
        REAL, "knob", options, tetris.knob, "1", "1", 0, 1,
        "f: 1 is YTsaurus's order. Below 1, Tetris: the first ceil((1 - f) U) of the U operations that have "
        "queued tasks are candidates, by satisfaction, and the one whose task goes best with the host is "
        "taken."),
    HC_TETRIS_PARAMS(options, tetris),
    HC_PARAM(TEXTS, options, modules, NULL,
             "Modules of hosts, such as data centres; an operation of whole GPU hosts keeps to one. Either a "
             "level of zones, each of which is a module, or the modules themselves: zones, sets of hosts, or "
             "features of their hosts. Default: none."),
    HC_PARAM(REAL, options, module_amount, "gpus", "0", 0, 1e9,
             "An operation is bound to a module if each of its tasks takes all GPUs of a host, and all its "
             "tasks together take at least this many."),
    HC_PARAM(CHOICE, options, module_choice, HC_YT_MODULE_CHOICES, "most_room",
             "Which module an operation gets, of those whose GPUs, less those of operations bound there, are "
             "enough for it. most_room: the one with the most such GPUs. least_room: the one with the "
             "fewest. least_loaded: the one of which the least part is taken once the operation is in it. "
             "Ties go to the first."),
    HC_PARAM(TIME, options, module_timeout, "s", "20m", 0, 1e10,
             "A bound operation that has had queued tasks for longer than this moves to another module with "
             "room; its running tasks are stopped. With preemption: none, only operations without running "
             "tasks move."),
    HC_PARAM(TEXTS, options, module_priority, NULL,
             "Pools whose operations, and those of pools in them, may take a module from operations of other "
             "pools, whose tasks are stopped."),
    HC_PARAM(TIME, options, module_patience, "s", "15m", 0, 1e10,
             "How long an operation of a pool of `module_priority` first waits for a module with room."),
    HC_PARAM(CHOICE, options, task, "first_fit|head", "first_fit",
             "What an operation starts: the first of its tasks that fits (first_fit), or only its first task "
             "(head), as in YTsaurus's simulator."),
    HC_PARAM(COMPONENT, options, accept, HC_KIND_ACCEPT, "always",
             "How an operation answers the offer of a host on which its task fits: `refusal` is packing. "
             "Each operation has a memory of its own."),
    HC_PARAM(CHOICE, options, fallback, "nothing_started|all_refused|none", "nothing_started",
             "If all operations that could start a task have refused, the first of them starts one all the "
             "same. nothing_started: only if nothing was started at this offer, as in YTsaurus; all_refused: "
             "also if something was, as in the thesis; none: never."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always",
             "Which hosts may be used now, by their attributes and their load."),
    {0}};

static const char *const figures[] = {
    "yt_offers|offers|none|offers of hosts on which a queued task could have fitted, by its amounts",
    "yt_starts|tasks|none|starts without those that preemption made room for",
    "yt_fallbacks|tasks|lower|of these, starts of tasks whose operations had refused",
    "yt_passed_no_fit|operations|none|times that an operation was passed over at such an offer since none "
    "of its tasks fitted",
    "yt_passed_limits|operations|none|the same, since a pool would have held more than its limit",
    "yt_passed_packing|operations|none|the same, since the operation refused",
    "yt_preempting|tasks|none|starts that preemption made room for",
    "yt_preempted|tasks|lower|tasks that were stopped for these, stopped since their pools held more than "
    "their limits, or told to go",
    "yt_updates|updates|none|ticks at which fair shares were computed",
    "yt_pools.fair_*|1|none|fair share of a pool at the last tick, by dimension; the key is its number in "
    "the list, 0 the root",
    "yt_pools.usage_*|1|none|share of the cell that the pool held at the end",
    "yt_operations.fair_*|1|none|fair share of an operation at the last tick; the key is its job, or its "
    "user",
    "yt_operations.usage_*|1|none|share of the cell that the operation held at the end",
    "yt_module_binds|operations|none|with `modules`: times that an operation was bound to a module",
    "yt_module_moves|operations|lower|of these, moves after the operation had waited too long in another "
    "module",
    "yt_module_evictions|operations|lower|operations that lost their module to an operation with priority",
    "yt_module_oversized|operations|none|operations of whole hosts that no module could hold: they run as if "
    "without `modules`",
    "yt_modules.gpus|gpus|none|what the hosts of a module had at the end; the key is its number in order, "
    "from 0",
    "yt_modules.reserved|gpus|none|what operations bound to it held and wanted at the last tick",
    NULL};

const hc_policy_type hc_policy_yt = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .figures = figures, .name = "yt",
         .summary =
             "YTsaurus's scheduler: vector fair shares of operations in a tree of pools, packing, preemption",
         .detail =
             "For the architecture heartbeat. At an offer the least satisfied operation with a task that "
             "fits goes first; fair shares, satisfaction and starvation are those of docs/fair-shares.md. "
             "The thesis on packing is accept: {use: refusal, at_first: 5, window: 15, better: 2}, "
             "YTsaurus's default without packing accept: always. Guarantees that exceed the cell are scaled "
             "down. Not modelled: the order of fifo pools at an offer (it is in the fair shares).",
         .source = "the scheduler of YTsaurus and its simulator; the thesis on packing in it",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = hc_offers_decide,
    .visit = hc_offers_visit,
    .fini = hc_offers_fini,
    .on_task_event = hc_offers_on_task_event,
    .finish = finish,
    .note = hc_offers_note,
    .next_preemption = hc_offers_next_preemption,
    .cell_changed = hc_offers_cell_changed,
};
