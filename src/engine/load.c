/* load.c -- local load: what it leaves of hosts, which hosts may be used, and when that calls for a decision.
 *
 * Load is a function of time that is only asked (hindcast/cell.h): at a decision, for the hosts that are
 * looked at. The rest is the question when a change of load must be an event. With `load_wake: every_change`
 * each is while a task waits. That is the definition, and far too many. With `needed`, the default, an
 * instant's end asks instead:
 *
 *   1. Is there a task that waits and could start if no host had any load? It needs enough hosts with room
 * for it
 *      that the criterion admits unloaded, free for as long as it would run on them (not promised to another
 * before).
 *      A selector that starts no task but the head (HC_HEAD_ONLY) is asked for the head alone. If there is
 * none, no
 *      change of load matters until something else happens.
 *   2. Otherwise changes are followed in order of time, up to the next event of any kind, until one makes a
 *      difference: a host passes the criterion that did not, or leaves more of a dimension, across what one
 * of these
 *      tasks needs of it. Where starting depends on which hosts are chosen (HC_ASKS_HARMLESS), the opposite
 *      direction counts too, and every change if the placement looks at load. That one becomes an event.
 *
 * A decision at any other change would see what the last one saw, and time alone only takes possibilities
 * away (a task must end before a promised time). But a decision that both promised and started something
 * might promise otherwise if it were repeated: behind it the very next change of any host is an event, once.
 * What draws anew each time (HC_TIME_DEPENDENT), an order that varies, tasks past their estimate, and
 * predictions that are corrected break this: then every change counts for which 1 holds. So both ways give
 * one schedule, which tests/property/test_load_wake.c checks. An architecture to which a decision in vain is
 * not nothing, since it is occupied by it (`think`) or counts it (hc_architecture_type.is_memoryless), gets
 * every change whatever was asked for.
 *
 * Choices about the future leave load out: hosts that only load keeps from use count as free then. Cost of a
 * change that is followed: about 0.2 us and a look at each host's next; memory 16 bytes a host and process.
 * */
#include <string.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/load.h"
#include "engine/overcommit.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/signals.h"
#include "engine/tasks.h"
#include "engine/work.h"

#define FOLLOWED_MOST 1000000 /* changes without an event; then they are not waited for any more */

typedef struct process {
  const hc_load_type *type;
  hc_load *self;
  uint32_t dimension; /* the cell's own number */
  bool takes;
} process;

enum { UNKNOWN, NO, YES };

/* What the tasks that could start need of a dimension. */
typedef struct needs {
  int64_t low[HC_DIMENSIONS], high[HC_DIMENSIONS];
} needs;

struct hc_loads {
  process *processes;
  size_t count;
  uint32_t hosts;
  hc_load_level *levels;      /* [hosts][count]; until <= the time asked: to be asked anew */
  double view[HC_DIMENSIONS]; /* of the host that a placement looks at */
  uint8_t *idle;      /* [hosts] would it be eligible without load? UNKNOWN, NO or YES, for one question */
  uint32_t *followed; /* [hosts] those whose changes are followed, `followed_count` of them */
  uint32_t followed_count;
  /* state */
  bool needs_each;       /* load_wake: every_change, or an architecture to which decisions in vain matter */
  hc_event_handle event; /* HC_NO_EVENT: none */
  uint64_t started;      /* tasks, when it was last asked what matters */
  /* what was found then, which holds until something else than time changes; not saved */
  struct {
    uint64_t version, submitted;
    int64_t waiting;
    bool is_known, could;
    needs n;
  } found;
};

/* ---- levels ---- */

static hc_load_level *levels_at(hc_engine *e, uint32_t host, hc_time at)
{
  hc_loads *l = e->loads;
  hc_load_level *level = &l->levels[(size_t)host * l->count];
  for (size_t i = 0; i < l->count; i++)
    if (level[i].until <= at) level[i] = l->processes[i].type->level(l->processes[i].self, host, at);
  return level;
}

/* Past the levels that are kept, which are those of now. */
hc_load_level hc_load_ask(void *ctx, uint32_t host, uint32_t dimension, hc_time at)
{
  const hc_engine *e = ctx;
  const hc_loads *l = e->loads;
  hc_load_level sum = {.level = 0, .until = HC_NEVER};
  for (size_t i = 0; i < l->count; i++) {
    hc_load_level one;
    if (hc_hosts_which(e->cell.hosts)[l->processes[i].dimension] != dimension) continue;
    one = l->processes[i].type->level(l->processes[i].self, host, at);
    sum.level += one.level - sum.level * one.level; /* 1 - the product; a single one as it is */
    sum.until = HC_MIN(sum.until, one.until);
  }
  return sum;
}

/* The shares of each dimension that load leaves: to tasks, and as it is seen. */
typedef struct shares {
  double left[HC_DIMENSIONS], seen[HC_DIMENSIONS];
} shares;

static void read_shares(hc_engine *e, uint32_t host, hc_time at, bool blind, shares *s)
{
  const hc_loads *l = e->loads;
  const hc_load_level *level;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) s->left[d] = s->seen[d] = 1;
  if (!l || blind || e->asked.hosts) return;
  level = levels_at(e, host, at);
  for (size_t i = 0; i < l->count; i++) {
    const process *p = &l->processes[i];
    s->seen[p->dimension] *= 1 - level[i].level;
    if (p->takes) s->left[p->dimension] *= 1 - level[i].level;
  }
}

/* ---- may a host be used? ---- */

static hc_hosts *hosts_asked(const hc_engine *e)
{
  return e->asked.hosts ? e->asked.hosts : e->cell.hosts;
}

static bool is_eligible(hc_engine *e, uint32_t host, const shares *s)
{
  double used[HC_DIMENSIONS], load[HC_DIMENSIONS];
  const uint32_t n = e->tasks.dimensions;
  const hc_hosts *hosts = hosts_asked(e);
  const int64_t *free = hc_hosts_free_of(hosts, host), *capacity;
  const hc_host_class *class = &e->cell_spec.classes[e->cell_spec.class_of[host]];
  if (!e->eligibility || !e->eligibility->admits) return true;
  capacity = hc_hosts_capacity_of(hosts, host);
  for (uint32_t d = 0; d < n; d++) {
    load[d] = 1 - s->seen[d];
    used[d] = capacity[d] > 0 ? 1 - (double)free[d] / (double)capacity[d] * s->seen[d] : 0;
  }
  return e->eligibility->admits(e->eligibility_state,
                                &(hc_host_state){.host = host,
                                                 .class_id = e->cell_spec.class_of[host],
                                                 .dimensions = n,
                                                 .is_idle = hc_hosts_is_idle(hosts, host),
                                                 .which = hc_hosts_which(e->cell.hosts),
                                                 .used = used,
                                                 .load = load,
                                                 .capacity = capacity,
                                                 .speed = class->speed,
                                                 .host_class = class});
}

static bool leaves_enough(const hc_engine *e, uint32_t host, const int64_t *need, const shares *s)
{
  const int64_t *free;
  if (!need) return true;
  free = hc_hosts_free_of(hosts_asked(e), host);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++)
    if (need[d] > 0 && s->left[d] < 1 && (double)need[d] > (double)free[d] * s->left[d]) return false;
  return true;
}

bool hc_load_takes(hc_engine *e, uint32_t host, const int64_t *need)
{
  shares s;
  read_shares(e, host, e->now, e->blind, &s);
  return !leaves_enough(e, host, need, &s);
}

static bool is_spare(const hc_engine *e, uint32_t host)
{
  const double speed = e->cell_spec.classes[e->cell_spec.class_of[host]].speed;
  return hc_time_add(e->now, hc_work_length(e->spare_estimate, speed)) <= hc_reserve_window(e->reserve, host);
}

static bool admits(void *ctx, uint32_t host, const int64_t *need)
{
  hc_engine *e = ctx;
  shares s;
  if (e->spare_estimate != HC_UNKNOWN && !is_spare(e, host)) return false;
  if (!hc_advance_admits(e, host)) return false;
  if (e->admits_up_to > 0 && !hc_overcommit_admits(e, host, need)) return false;
  read_shares(e, host, e->now, e->blind, &s);
  return leaves_enough(e, host, need, &s) && is_eligible(e, host, &s);
}

/* What placements are told beside amounts. */
static void look(void *ctx, hc_host_view *v)
{
  hc_engine *e = ctx;
  const hc_time window = hc_reserve_window(e->reserve, v->host);
  v->now = e->now;
  if (window != HC_NEVER) v->window = HC_MAX(window - e->now, 0);
  if (e->past && e->now > 0) v->past = hc_past_of(e, v->host, v->capacity[0]);
  v->held = e->chooser.reads_held ? hc_hosts_held(hosts_asked(e)) : NULL;
  v->stamp = e->asked.hosts ? e->asked.stamp : e->cell.version;
  if (e->loads && !e->blind && !e->asked.hosts) {
    shares s;
    const uint8_t *which = hc_hosts_which(e->cell.hosts);
    read_shares(e, v->host, e->now, false, &s);
    for (uint32_t i = 0, d = 0; i < v->dimensions; i++) {
      while (which[d] != v->which[i]) d++;
      e->loads->view[i] = 1 - s.seen[d];
    }
    v->load = e->loads->view;
  }
}

void hc_load_spare(hc_engine *e, hc_task id)
{
  const bool is_asked =
      e->admits_up_to > 0 || e->loads || (e->eligibility && e->eligibility->admits) || e->advance;
  e->spare_estimate = id == HC_NO_TASK ? HC_UNKNOWN : hc_running_estimate_of(e, id);
  e->gate.admits = is_asked || id != HC_NO_TASK ? admits : NULL;
  e->choice.version = 0;
}

/* ---- who could start without load? ---- */

/* As any task finds a host while nothing is started or ends: asked once for all of them. */
static bool is_idly_eligible(hc_engine *e, uint32_t host)
{
  uint8_t *known = &e->loads->idle[host];
  shares s;
  if (*known == UNKNOWN) {
    read_shares(e, host, e->now, true, &s);
    *known = is_eligible(e, host, &s) ? YES : NO;
  }
  return *known == YES;
}

/* Hosts that an idle load would let have a slot of it, free for as long as it would run at this speed. */
static uint32_t hosts_for(hc_engine *e, hc_task id, const int64_t *need, double speed, uint32_t enough)
{
  const hc_time end = hc_time_add(e->now, hc_work_length(hc_running_estimate_of(e, id), speed));
  const bool own = hc_windows_names(e->reserve, id);
  const bool promised = e->reserve->promised > 0;
  uint32_t n = 0;
  for (uint32_t host = 0; host < e->cell_spec.units && n < enough; host++) {
    if (e->loads->idle[host] == NO) continue;
    if (!hc_hosts_has_room(e->cell.hosts, host, need)) continue;
    if (e->has_speeds && e->cell_spec.classes[e->cell_spec.class_of[host]].speed < speed) continue;
    if (promised && !own && hc_reserve_window(e->reserve, host) < end) continue;
    n += is_idly_eligible(e, host);
  }
  return n;
}

static bool fits_blind(hc_engine *e, hc_task id)
{
  const hc_request r = hc_request_of(e, id);
  const hc_chooser first = {.how = HC_CHOOSE_FIRST};
  const hc_grant *grants;
  const bool was = e->blind;
  hc_rc n;
  e->blind = true;
  e->choice.version = 0;
  n = hc_hosts_choose(e->cell.hosts, &r, &first, NULL, 0, &grants);
  e->blind = was;
  hc_engine_note(e, n);
  return n > 0;
}

/* One slot a host and nothing rare: counting hosts says whether it fits. */
static bool is_simple(const hc_engine *e, const hc_request *r)
{
  return r->more == 0 && !r->whole && (r->slots == 1 || r->spread) && !e->gauge.has_gpus &&
         !hc_hosts_is_shared(e->cell.hosts, 0);
}

static bool could_start(hc_engine *e, hc_task id)
{
  const hc_request r = hc_request_of(e, id);
  if (!is_simple(e, &r)) return fits_blind(e, id);
  if (!e->has_speeds || e->reserve->promised == 0)
    return hosts_for(e, id, r.need, e->has_speeds ? 0 : 1, r.slots) == r.slots;
  for (uint32_t k = 0; k < e->cell_spec.class_count; k++) {
    const double speed = e->cell_spec.classes[k].speed;
    bool seen = false;
    for (uint32_t i = 0; i < k && !seen; i++) seen = e->cell_spec.classes[i].speed == speed;
    if (!seen && hosts_for(e, id, r.need, speed, r.slots) == r.slots) return true;
  }
  return false;
}

/* @return false: no task could. @param n what those that could need */
static bool any_could_start(hc_engine *e, needs *n)
{
  const bool head_only = (e->policy_flags & HC_HEAD_ONLY) && !(e->policy_flags & HC_VARIES);
  bool found = false;
  memset(e->loads->idle, UNKNOWN, e->loads->hosts);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    n->low[d] = INT64_MAX;
    n->high[d] = 0;
  }
  for (size_t q = 0; q < e->queue_count; q++) {
    hc_waitlist *list = e->queues[q].sorting[HC_LIST_QUEUE].list;
    const hc_filter fits = {.max_units = hc_free_most(e), .max_estimate = HC_NEVER};
    hc_cursor at = {0};
    hc_task id;
    while ((id = hc_waitlist_next(list, &at, head_only ? NULL : &fits)) != HC_NO_TASK) {
      if (hc_live_of(e, id)->units <= hc_free_most(e) && could_start(e, id)) {
        const int64_t *need = hc_request_of(e, id).need;
        found = true;
        for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
          n->low[d] = HC_MIN(n->low[d], need[d]);
          n->high[d] = HC_MAX(n->high[d], need[d]);
        }
      }
      if (head_only) break;
    }
  }
  return found;
}

/* The same again, if nothing but time has passed: an instant counts one version. Promises pass with time. */
static bool any_could_start_now(hc_engine *e, needs *n)
{
  hc_loads *l = e->loads;
  const bool same = l->found.is_known && l->found.version + 1 == e->cell.version &&
                    l->found.submitted == e->counters.submitted && l->found.waiting == e->waiting &&
                    e->reserve->promised == 0;
  if (!same) l->found.could = any_could_start(e, &l->found.n);
  l->found.is_known = e->reserve->promised == 0;
  l->found.version = e->cell.version;
  l->found.submitted = e->counters.submitted;
  l->found.waiting = e->waiting;
  *n = l->found.n;
  return l->found.could;
}

/* ---- which changes matter ---- */

/* A host on which nothing of the first dimension is free takes no task that needs some. */
static bool is_followed(const hc_engine *e, uint32_t host, const needs *n, bool all)
{
  if (!hc_hosts_is_up(e->cell.hosts, host)) return false;
  return all || n->low[0] <= 0 || hc_hosts_is_shared(e->cell.hosts, 0) ||
         hc_hosts_free_of(e->cell.hosts, host)[0] >= n->low[0];
}

/* What a host is to the tasks that could start: a number that is higher where it lets more of them in. */
static bool makes_difference(hc_engine *e, uint32_t host, const needs *n, const shares *was, const shares *is)
{
  const bool both_ways = (e->policy_flags & HC_ASKS_HARMLESS) != 0;
  const bool before = is_eligible(e, host, was), after = is_eligible(e, host, is);
  const int64_t *free = hc_hosts_free_of(e->cell.hosts, host);
  if (before != after) return after || both_ways;
  if (!after) return false;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    const double a = (double)free[d] * was->left[d], b = (double)free[d] * is->left[d];
    if (a == b || (a > b && !both_ways)) continue;
    if ((a > b ? a : b) >= (double)n->low[d] && (a > b ? b : a) < (double)n->high[d]) return true;
  }
  return false;
}

static void list_followed(hc_engine *e, const needs *n, bool all)
{
  hc_loads *l = e->loads;
  l->followed_count = 0;
  for (uint32_t host = 0; host < l->hosts; host++)
    if (is_followed(e, host, n, all)) l->followed[l->followed_count++] = host;
}

#define SEVERAL UINT32_MAX

/* The next change of a host that is followed, at or after `from`, and whose it is: a host, or SEVERAL. */
static hc_time next_change(hc_engine *e, hc_time from, uint32_t *whose)
{
  const hc_loads *l = e->loads;
  hc_time at = HC_NEVER;
  *whose = SEVERAL;
  for (uint32_t k = 0; k < l->followed_count; k++) {
    const hc_load_level *level = levels_at(e, l->followed[k], from);
    for (size_t i = 0; i < l->count; i++) {
      if (level[i].until > at || (level[i].until == at && *whose == l->followed[k])) continue;
      *whose = level[i].until == at ? SEVERAL : l->followed[k];
      at = level[i].until;
    }
  }
  return at;
}

/* Hosts may change at the same instant: each is asked before its levels are those of `at`. */
static bool change_matters(hc_engine *e, hc_time at, const needs *n, uint32_t whose)
{
  const hc_loads *l = e->loads;
  bool matters = false;
  for (uint32_t k = 0; k < l->followed_count && !matters; k++) {
    shares was, is;
    if (whose != SEVERAL && whose != l->followed[k]) continue;
    read_shares(e, l->followed[k], at - 1, false, &was);
    read_shares(e, l->followed[k], at, false, &is);
    matters = makes_difference(e, l->followed[k], n, &was, &is);
  }
  return matters;
}

/* The same, of any host. */
static hc_time any_change(hc_engine *e, hc_time from)
{
  const needs everything = {.low = {0}};
  uint32_t whose;
  list_followed(e, &everything, true);
  return next_change(e, from, &whose);
}

static hc_rc arm_at(hc_engine *e, hc_time at)
{
  const hc_event change = hc_event_at(HC_EVENT_load, at, HC_ORDER_MOST, HC_WHO_MOST);
  return hc_queue_push(e->events, &change, &e->loads->event);
}

/* When something happens anyway: there is no need to look further. */
static hc_time next_event(hc_engine *e)
{
  hc_event next;
  hc_time at = e->options->until;
  if (hc_queue_peek(e->events, &next)) at = HC_MIN(at, next.time);
  if (e->has_arrival) at = HC_MIN(at, e->next->spec.submit);
  return at;
}

static hc_rc follow(hc_engine *e, const needs *n, bool each)
{
  const hc_time bound = next_event(e);
  const bool all =
      (e->policy_flags & (HC_TIME_DEPENDENT | HC_VARIES)) || e->overdue_units > 0 || e->forecasts;
  hc_time at = e->now;
  list_followed(e, n, all);
  for (uint32_t i = 0; i < FOLLOWED_MOST; i++) {
    uint32_t host;
    at = next_change(e, at, &host);
    if (at >= bound) return 0;
    if (each || change_matters(e, at, n, host)) return arm_at(e, at);
  }
  return 0;
}

static hc_rc arm(hc_engine *e)
{
  hc_loads *l = e->loads;
  const bool again = (e->policy_flags & HC_MAKES_RESERVATIONS) && l->started != e->counters.started;
  needs n;
  if (l->event != HC_NO_EVENT) {
    hc_queue_cancel(e->events, l->event);
    l->event = HC_NO_EVENT;
  }
  l->started = e->counters.started;
  if (e->waiting == 0 || e->options->load_wake == HC_WAKE_NEVER) return 0;
  if (l->needs_each) {
    const hc_time at = any_change(e, e->now);
    return at == HC_NEVER ? 0 : arm_at(e, at);
  }
  if (again) {
    const hc_time at = any_change(e, e->now);
    return at < next_event(e) ? arm_at(e, at) : 0;
  }
  if (!any_could_start_now(e, &n)) return 0;
  return follow(e, &n,
                (e->policy_flags & (HC_TIME_DEPENDENT | HC_VARIES)) || e->overdue_units > 0 || e->forecasts ||
                    (e->chooser.reads_load && (e->policy_flags & HC_ASKS_HARMLESS)));
}

static hc_rc deliver(hc_engine *e, uint32_t who, uint64_t order, hc_error *error)
{
  const hc_signal changed = {.what = HC_WHY_CELL, .task = HC_NO_TASK, .early = e->reserve->type->holds_hosts};
  HC_UNUSED(who);
  HC_UNUSED(order);
  e->loads->event = HC_NO_EVENT;
  return hc_signal_send(e, &changed, error);
}

const hc_event_type hc_event_load = {.name = "load", .deliver = deliver};

void hc_load_ready(hc_engine *e)
{
  const hc_architecture_type *t = e->architecture_type;
  if (!e->loads) return;
  e->loads->needs_each = e->options->load_wake == HC_WAKE_EVERY_CHANGE || !t->is_memoryless ||
                         !t->is_memoryless(e->architecture);
}

/* ---- birth, state and death ---- */

static int own_dimension(const hc_engine *e, uint32_t lexicon)
{
  const uint8_t *which = hc_hosts_which(e->cell.hosts);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++)
    if (which[d] == lexicon && !hc_hosts_is_shared(e->cell.hosts, d)) return (int)d;
  return -1;
}

static hc_rc open_process(hc_engine *e, const hc_chosen *chosen, uint32_t index, hc_error *error)
{
  const hc_load_context context = {.allocator = e->allocator,
                                   .cell = &e->cell_spec,
                                   .lexicon = e->lexicon,
                                   .seed = (uint64_t)e->options->seed,
                                   .replication = (uint64_t)e->options->replication,
                                   .index = index};
  process *p = &e->loads->processes[index];
  uint32_t lexicon;
  int d;
  p->type = (const hc_load_type *)chosen->type;
  TRY(hc_blame(chosen->type,
               p->type->open(&context, chosen->options, &p->self, &lexicon, &p->takes, error), error));
  d = own_dimension(e, lexicon);
  if (d < 0)
    return hc_fail(error, HC_EUSAGE, "configuration", 0, 0, "local_load of %s, of which no host has any",
                   hc_lexicon_dimension_name(e->lexicon, lexicon));
  p->dimension = (uint32_t)d;
  return 0;
}

static hc_rc open_processes(hc_engine *e, hc_error *error)
{
  const hc_list *chosen = &e->options->local_load;
  hc_loads *l = hc_alloc(e->allocator, sizeof *l);
  size_t cells;
  if (!l) return HC_ENOMEM;
  e->loads = l;
  l->event = HC_NO_EVENT;
  l->hosts = e->cell_spec.units;
  cells = (size_t)l->hosts * chosen->count;
  l->processes = hc_alloc(e->allocator, chosen->count * sizeof *l->processes);
  if (!l->processes) return HC_ENOMEM;
  l->count = chosen->count;
  l->levels = hc_alloc(e->allocator, cells * sizeof *l->levels);
  if (!l->levels) return HC_ENOMEM;
  for (size_t i = 0; i < cells; i++) l->levels[i].until = HC_UNKNOWN;
  l->idle = hc_arena_alloc(&e->build, l->hosts * sizeof *l->idle);
  l->followed = hc_arena_alloc(&e->build, l->hosts * sizeof *l->followed);
  if (!l->idle || !l->followed) return HC_ENOMEM;
  for (uint32_t i = 0; i < chosen->count; i++)
    TRY(open_process(e, &((const hc_chosen *)chosen->items)[i], i, error));
  return 0;
}

hc_rc hc_load_open(hc_engine *e, hc_error *error)
{
  const hc_eligibility_context context = {e->allocator, &e->cell_spec, e->lexicon};
  const hc_policy_type *policy = (const hc_policy_type *)e->options->policy.type;
  hc_policy_parts parts = {0};
  if (policy->parts) policy->parts(e->options->policy.options, &parts);
  if (!e->cell.hosts) {
    const hc_eligibility_type *t =
        parts.eligibility ? (const hc_eligibility_type *)parts.eligibility->type : NULL;
    if (e->options->local_load.count > 0 || (t && t->admits))
      return hc_fail(
          error, HC_EUNSUPPORTED, "configuration", 0, 0,
          "local_load and eligibility are about hosts, and this cell counts processors: use a cell of "
          "hosts");
    return 0;
  }
  if (e->options->local_load.count > 0) TRY(open_processes(e, error));
  if (parts.eligibility && parts.eligibility->type) {
    e->eligibility = (const hc_eligibility_type *)parts.eligibility->type;
    if (e->eligibility->init)
      TRY(hc_blame(parts.eligibility->type,
                   e->eligibility->init(&context, parts.eligibility->options, &e->eligibility_state, error),
                   error));
  }
  e->gate = (hc_hosts_gate){.ctx = e, .look = look};
  hc_load_spare(e, HC_NO_TASK);
  hc_hosts_set_gate(e->cell.hosts, &e->gate);
  return 0;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  hc_loads *l = e->loads;
  if (!l) return 0;
  if (v->mode != HC_VISIT_HASH) HC_VISIT(v, l->event);
  HC_VISIT(v, l->started);
  if (hc_visit_loading(v)) l->found.is_known = false;
  for (size_t i = 0; hc_visit_loading(v) && i < l->hosts * l->count; i++) l->levels[i].until = HC_UNKNOWN;
  return 0;
}

static void finish(hc_engine *e)
{
  hc_loads *l = e->loads;
  if (e->eligibility_state && e->eligibility->fini) e->eligibility->fini(e->eligibility_state);
  if (!l) return;
  for (size_t i = 0; i < l->count; i++)
    if (l->processes[i].self && l->processes[i].type->close)
      l->processes[i].type->close(l->processes[i].self);
  hc_free(e->allocator, l->processes, e->options->local_load.count * sizeof *l->processes);
  hc_free(e->allocator, l->levels, (size_t)l->hosts * e->options->local_load.count * sizeof *l->levels);
  hc_free(e->allocator, l, sizeof *l);
}

/* At an instant's end: an event where a decision may differ. */
static hc_rc on(hc_engine *e, const hc_notice *n)
{
  HC_UNUSED(n);
  return arm(e);
}

static bool wanted(const hc_engine *e)
{
  return e->loads != NULL;
}

const hc_part hc_part_load = {
    .name = "load", .wanted = wanted, .hears = HC_HEARS(INSTANT), .on = on, .visit = visit, .fini = finish};
