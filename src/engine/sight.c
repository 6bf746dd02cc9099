/* sight.c -- a run as it stands between two advances: the machine, the first queued tasks, and the running
 * ones that hold most. For those who watch it; nothing is changed by looking. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/explain.h"
#include "engine/promises.h"
#include "engine/queues.h"

static void see(const hc_engine *e, hc_task id, hc_seen_task *out)
{
  const hc_live *t = &e->tasks.live[id];
  const bool runs = t->state != HC_TASK_WAITING;
  *out = (hc_seen_task){.serial = t->serial,
                        .id = e->tasks.identities[id].id,
                        .user = hc_lexicon_called(e->lexicon, HC_CALLED_USER, e->tasks.identities[id].user),
                        .units = t->units,
                        .since = runs ? t->start : t->submit,
                        .promised = runs ? HC_NEVER : hc_reserved_of(e, id)};
  (void)hc_explain_amount(e, t->units, out->wants);
}

static void see_queued(hc_engine *e, hc_seen *io)
{
  for (size_t q = 0; q < e->queue_count; q++) {
    hc_cursor at = {0};
    hc_waitlist *list = e->queues[q].sorting[HC_LIST_QUEUE].list;
    uint64_t place = 0;
    while (list && io->queued_count < io->queued_cap) {
      const hc_task t = hc_waitlist_next(list, &at, NULL);
      if (t == HC_NO_TASK) break;
      see(e, t, &io->queued[io->queued_count]);
      io->queued[io->queued_count++].place = ++place;
    }
  }
}

static bool is_larger(const hc_live *a, const hc_seen_task *b)
{
  return a->units != b->units ? (int64_t)a->units > b->units : a->serial < b->serial;
}

/* Into its place among the largest so far; the least of a full list goes. */
static void see_running(const hc_engine *e, hc_seen *io)
{
  for (size_t i = 0; io->running_cap > 0 && i < e->tasks.count; i++) {
    const hc_live *t = &e->tasks.live[i];
    size_t at = io->running_count;
    if (t->state != HC_TASK_RUNNING) continue;
    while (at > 0 && is_larger(t, &io->running[at - 1])) at--;
    if (at == io->running_cap) continue;
    if (io->running_count < io->running_cap) io->running_count++;
    memmove(&io->running[at + 1], &io->running[at], (io->running_count - at - 1) * sizeof *io->running);
    see(e, (hc_task)i, &io->running[at]);
  }
}

void hc_run_look(hc_run *r, hc_seen *io)
{
  hc_engine *e = &r->engine;
  io->queued_count = io->running_count = 0;
  io->capacity = io->held = 0;
  io->machine[0] = io->free[0] = '\0';
  if (r->world) return;
  io->capacity = e->cell.capacity;
  io->held = e->cell.claimed;
  (void)hc_explain_amount(e, e->cell.capacity, io->machine);
  (void)hc_explain_amount(e, e->cell.free, io->free);
  see_queued(e, io);
  see_running(e, io);
}
