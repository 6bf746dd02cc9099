/* fcfs.c -- first come, first served: in order, and as soon as there is room.
 *
 * A task starts no earlier than every task before it in (submit, serial) has started, or left the queue. And
 * where the scheduler looks at the queue whenever anything happened, the first in it does not wait while it
 * fits: after each instant the processors that are free are fewer than it asks for. On hosts the sweep over
 * them (hosts.c) asks whether it could have had there and then what it had later: constraints say the same of
 * a host at any time. Those about other tasks do not, so that where tasks may have such, only an idle cell
 * counts. Cost: O(n). */
#include "base/util.h"
#include "verify/parts.h"
#include "verify/sweep.h"

static hc_rc check_order(hc_check *c)
{
  hc_time latest = HC_UNKNOWN;
  uint32_t whose = UINT32_MAX;
  for (uint32_t rank = 0; rank < c->count; rank++) {
    const hc_checked *t = &c->tasks[rank];
    const bool starts = t->start != HC_UNKNOWN;
    const hc_time out = starts ? t->start : t->gone;
    if (starts && t->start < latest && hc_promises_at(c, t->start))
      TRY(hc_find(c, latest == HC_NEVER ? HC_FOUND_PASSES_FOR_EVER : HC_FOUND_OUT_OF_ORDER, t->start, rank,
                  whose, latest, 0));
    if (out > latest) {
      latest = out;
      whose = rank;
    }
  }
  hc_held_to(c, HC_RULE_ORDER, c->count);
  return 0;
}

/* ---- the head of the queue ---- */

hc_rc hc_line_open(hc_line *l, hc_check *c)
{
  *l = (hc_line){.c = c, .told = UINT32_MAX};
  l->out = hc_alloc(c->allocator, c->count + 1);
  return l->out ? 0 : HC_ENOMEM;
}

void hc_line_close(hc_line *l)
{
  hc_free(l->c->allocator, l->out, l->c->count + 1);
}

void hc_line_hear(hc_line *l, const hc_happens *h)
{
  if (h->kind == HC_ARRIVES) l->arrived = h->rank + 1;
  if (h->kind == HC_STARTS || h->kind == HC_LEAVES) l->out[h->rank] = true;
}

uint32_t hc_line_head(hc_line *l)
{
  while (l->head < l->arrived && l->out[l->head]) l->head++;
  return l->head < l->arrived ? l->head : UINT32_MAX;
}

hc_rc hc_line_find(hc_line *l, uint32_t head, hc_time since)
{
  if (l->told == head) return 0;
  l->told = head;
  return hc_find(l->c, HC_FOUND_HEAD_WAITS, since, head, UINT32_MAX, since, 0);
}

static hc_rc check_heads(hc_line *l)
{
  hc_check *c = l->c;
  int64_t free = c->capacity;
  for (size_t i = 0; i < c->event_count; i++) {
    const hc_happens *h = &c->events[i];
    const hc_checked *t = &c->tasks[h->rank];
    uint32_t head;
    hc_line_hear(l, h);
    if (h->kind == HC_ENDS) free += t->units;
    if (h->kind == HC_STARTS && t->end > t->start) free -= t->units;
    if (i + 1 < c->event_count && c->events[i + 1].at == h->at) continue;
    if (h->at >= c->options->told->until) break; /* nothing was decided there any more */
    head = hc_line_head(l);
    if (head == UINT32_MAX) continue;
    hc_held_to(c, HC_RULE_HEAD, 1);
    if (c->tasks[head].units <= free) TRY(hc_line_find(l, head, h->at));
  }
  return 0;
}

hc_rc hc_check_fcfs(hc_check *c)
{
  const hc_verify_told *told = c->options->told;
  hc_line l;
  hc_rc rc;
  TRY(check_order(c));
  if (!told || !told->starts_heads || c->options->hosts) return 0;
  rc = hc_line_open(&l, c);
  if (rc >= 0) rc = check_heads(&l);
  hc_line_close(&l);
  return rc;
}
