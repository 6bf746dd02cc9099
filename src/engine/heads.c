/* heads.c -- start from the head of the queue while tasks fit: what most selectors do first, and in a data
 * centre with room nearly all there is to do.
 *
 * It is next, fits and start, called by turns. Where a task has one slot on a host of two amounts, nothing
 * rare about it, and the first or next host with room is wanted, as nearly every task of a data centre's
 * trace, the same is done in one go: the head is looked at where it stands, its host is searched and taken at
 * once, and it leaves the queue by its head. That is a third of the cost of the calls by turns, which look at
 * a task again in each of them: without it a stream of small tasks to 1,000 hosts takes 28 % more
 * instructions, and with `think` 19 % (docs/notes/003). The plan that comes out is the same, and undone
 * in the same way. */
#include "base/util.h"
#include "engine/plan.h"
#include "engine/queues.h"
#include "engine/tasks.h"

enum { AHEAD = 4 }; /* tasks that lie anywhere are fetched so many before they are looked at */

/* Nothing more is asked of a start than the host that it takes. */
static bool starts_plainly(const hc_engine *e)
{
  if (e->policy_flags & HC_SETS_PSTATES) return false; /* a start sets a rate, too */
  return e->is_plain && e->view.scope_count == 0 && !e->view.is_limited && !e->explain &&
         (e->chooser.how == HC_CHOOSE_FIRST || e->chooser.how == HC_CHOOSE_NEXT);
}

/* @return 1: done, and `blocked` is set; 0: the rest is for the calls by turns; HC_ENOMEM */
static hc_rc plain_heads(hc_plan *p, hc_waitlist *list, hc_task *blocked)
{
  hc_engine *e = p->engine;
  const hc_waiting *head, *later;
  while ((head = hc_waitlist_head(list))) {
    if ((later = hc_waitlist_later(list, AHEAD)) && later->task < e->tasks.count) {
      __builtin_prefetch(&e->tasks.live[later->task], 1);
      __builtin_prefetch(hc_need_of(e, later->task));
    }
    if (!hc_asks_plainly(e, head->task)) break;
    const hc_task id = head->task;
    hc_live *t = hc_live_of(e, id);
    uint32_t host;
    TRY(hc_plan_room(p, 1));
    host = hc_cell_take_one(&e->cell, hc_need_of(e, id), e->chooser.how);
    if (host == HC_NO_HOST) {
      *blocked = id;
      return 1;
    }
    hc_waitlist_drop_head(list);
    if (e->shapes.is_on) hc_shapes_leave(&e->shapes, id);
    e->waiting--;
    t->state = HC_TASK_PLANNED;
    t->start = e->now;
    p->actions[p->count++] = (hc_action){.serial = t->serial,
                                         .at = e->now,
                                         .was = HC_NEVER,
                                         .kind = HC_ACTION_START,
                                         .task = id,
                                         .grants = (uint32_t)p->grant_count,
                                         .grant_count = 1};
    p->grants[p->grant_count++] = (hc_grant){.host = host, .slots = 1};
  }
  return hc_waitlist_count(list) == 0;
}

hc_rc hc_plan_start_heads(hc_plan *p, hc_task *blocked)
{
  hc_engine *e = p->engine;
  const hc_services *s = e->policy_context.services;
  hc_waitlist *list = e->queues[e->view.queue].sorting[HC_LIST_QUEUE].list;
  const bool leads = p->heads == p->count; /* no task was started before from further behind */
  hc_rc rc = 0;
  *blocked = HC_NO_TASK;
  if (starts_plainly(e)) rc = plain_heads(p, list, blocked);
  while (rc == 0) {
    hc_cursor first = {0}; /* what stood before has left */
    *blocked = s->next(&e->view, HC_LIST_QUEUE, &first, NULL);
    if (*blocked == HC_NO_TASK || !s->fits(&e->view, *blocked)) rc = 1;
    else rc = hc_plan_start(p, *blocked, NULL, 0);
  }
  if (leads) p->heads = p->count;
  return HC_MIN(rc, 0);
}
