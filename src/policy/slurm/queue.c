/* queue.c -- the queue: which records a job has in it, and in which order they stand.
 *
 * A job has a record for each of its partitions, and for each reservation that it names. The queue is
 * sorted when it is looked at: the few that came since go where they belong, many are sorted with all
 * others. Records of jobs that have left go then, too. Cost: O(log queue) a job that comes, and a move of
 * what stands behind it. */
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/books_parts.h"
#include "policy/slurm/preempt.h"
#include "policy/slurm/sharing.h"
#include "policy/slurm/suspended.h"

#define FEW_NEW 16 /* jobs that are put into a sorted queue one by one */

/* ---- records ---- */

/* A job that ran, ends and waits anew at the same instant was requeued: the credential of its first run has
 * to expire. */
static bool has_just_ended(const hc_slurm_books *b, const hc_view *v, uint64_t serial)
{
  for (size_t i = 0; b->ended.at == b->s->now(v) && i < b->ended.count; i++)
    if (b->ended.serials[i] == serial) return true;
  return false;
}

/* In how many partitions of its own a job stands in the queue: in those whose MaxTime its limit keeps to, or
 * if there are none in the first. @param out [1 + set_count] */
static size_t partitions_of(const hc_slurm_books *b, const hc_view *v, hc_task t, const hc_task_shape *shape,
                            uint32_t *out)
{
  const hc_time asked = b->s->estimate(v, t);
  size_t n = 0;
  out[0] = hc_slurm_books_part(b, shape->set);
  for (size_t i = 0; i < shape->set_count + 1 && shape->set_count > 0; i++) {
    const uint32_t part = i == 0 ? out[0] : hc_slurm_books_part(b, shape->sets[i - 1]);
    const int64_t most = b->partitions[part].max_time;
    if (i > 0 && part + 1 == b->partition_count) continue; /* the cell has no such partition */
    if (asked == HC_NEVER || asked / HC_SECOND <= most) out[n++] = part;
  }
  return HC_MAX(n, 1);
}

/* One more record of a job that is in the queue. */
static hc_rc join_one(hc_slurm_books *b, const hc_view *v, const hc_slurm_job *like, uint32_t partition)
{
  hc_slurm_job *x;
  TRY(hc_reserve(b->allocator, (void **)&b->queue, &b->queue_cap, b->queue_count + 1, sizeof *b->queue));
  x = &b->queue[b->queue_count];
  *x = *like;
  x->partition = partition;
  x->limit = hc_slurm_books_limit(b, v, x->task, partition);
  x->sharing = hc_slurm_sharing_of(&b->partitions[partition], like->sharing);
  x->next = b->places[x->task];
  if (b->accounting && hc_slurm_accounting_ranks(b->accounting))
    x->priority = hc_slurm_accounting_priority(b->accounting, v, x->task, partition, b->s->now(v));
  b->places[x->task] = (uint32_t)++b->queue_count;
  return 0;
}

/* Where QOS preempt each other the order of the queue need not be an order: it is merged, as Slurm does. */
static bool is_merged(const hc_slurm_books *b)
{
  return b->settings->preempt.type == HC_SLURM_PREEMPT_QOS;
}

/* --switches: slurmctld looks at its nodes when it is submitted, and counts from then. A job that was
 * requeued has waited before. */
static void wait_for_switches(hc_slurm_books *b, hc_slurm_job *x, const hc_task_shape *shape)
{
  int64_t wait = b->settings->max_switch_wait;
  if (shape->switch_wait != HC_UNKNOWN) wait = HC_MIN(wait, shape->switch_wait / HC_SECOND);
  x->switches = shape->switches;
  x->switched = x->submitted + wait;
  b->latest_begin = HC_MAX(b->latest_begin, x->switched);
}

hc_rc hc_slurm_queue_join(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  const hc_services *s = b->s;
  hc_task_shape shape;
  uint32_t parts[HC_TASK_SETS];
  hc_slurm_job one, *x = &one;
  s->shape(v, t, &shape);
  const size_t count = partitions_of(b, v, t, &shape, parts);
  uint32_t names[HC_TASK_RESERVATIONS];
  const uint32_t named = b->reservations.is_known ? shape.reservation : HC_NO_NAME;
  const size_t turns =
      hc_slurm_reservations_named(&b->reservations, named, hc_slurm_second(b, s->now(v)), names);
  const bool is_lost = t < b->run_cap && b->runs[t] > 0; /* while it was suspended */
  if (is_lost) hc_slurm_suspended_lose(b, v, b->runs[t] - 1);
  *x = (hc_slurm_job){.serial = s->serial(v, t),
                      .priority = HC_SLURM_FIRST_PRIORITY - (int64_t)s->serial(v, t),
                      .submitted = hc_slurm_second(b, s->submitted(v, t)),
                      .user = s->user(v, t),
                      .account = s->group(v, t),
                      .task = t,
                      .partition = parts[0],
                      .least = shape.least_limit / HC_SECOND,
                      .sharing = shape.exclusive,
                      .is_one_of = count * turns > 1};
  x->array = HC_NO_NAME;
  if (shape.component > 0) TRY(hc_slurm_hets_join(&b->hets, s->job(v, t), &x->het));
  if (is_lost || has_just_ended(b, v, x->serial)) {
    x->begin = hc_slurm_second(b, s->now(v)) + b->settings->cred_expire + 1;
    b->latest_begin = HC_MAX(b->latest_begin, x->begin);
  }
  if (x->begin == 0) {
    b->bounded += shape.switches > 0 && !b->nodes.tree;
    b->reservations.unread += !b->reservations.is_known && shape.reservation != HC_NO_NAME;
  }
  if (shape.switches > 0 && b->nodes.tree) wait_for_switches(b, x, &shape);
  x->qos = HC_SLURM_NONE;
  if (shape.at_once > 0) TRY(hc_slurm_arrays_join(&b->arrays, s->job(v, t), shape.at_once, &x->array));
  b->is_sorted = false;
  if (b->accounting) TRY(hc_slurm_accounting_join(b->accounting, v, t, x->partition));
  if (b->accounting) x->qos = hc_slurm_accounting_qos(b->accounting, t);
  TRY(hc_slurm_books_by_task(b, &b->places, &b->place_cap, t));
  for (size_t i = 0; i < count * turns; i++) {
    x->turn = (uint32_t)(i % turns);
    x->reservation = names[x->turn];
    TRY(join_one(b, v, x, parts[i / turns]));
  }
  if (is_merged(b)) TRY(hc_reserve(b->allocator, (void **)&b->merge, &b->merge_cap, b->queue_cap, sizeof *x));
  return 0;
}

void hc_slurm_queue_leave(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  uint32_t at = t < b->place_cap ? b->places[t] : 0;
  if (at == 0) return;
  if (b->accounting) hc_slurm_accounting_leave(b->accounting, v, t, b->queue[at - 1].partition);
  b->places[t] = 0;
  for (; at != 0; at = b->queue[at - 1].next) b->queue[at - 1].task = HC_NO_TASK;
  b->has_gone = true;
}

/* ---- order ---- */

/* By what a job stands in the queue: by itself, or by its heterogeneous job. No padding. */
typedef struct standing {
  int64_t tier, priority;
  uint64_t serial;
} standing;

static inline standing own_standing(const hc_slurm_books *b, const hc_slurm_job *x)
{
  return (standing){b->partitions[x->partition].tier, x->priority, x->serial};
}

/* A component stands among jobs that are none of its heterogeneous job by all of these. */
static standing het_standing(const hc_slurm_books *b, const hc_slurm_job *x)
{
  if (x->het == 0) return own_standing(b, x);
  const hc_slurm_het *h = &b->hets.items[x->het - 1];
  return (standing){h->tier, h->priority, h->serial};
}

/* The least, the greatest or the mean over the records of each. */
static void rank_hets(hc_slurm_books *b)
{
  const hc_slurm_hetjob_prio how = b->settings->hetjob_prio;
  for (size_t i = 0; i < b->hets.count; i++) b->hets.items[i].records = 0;
  for (size_t i = 0; i < b->queue_count; i++) {
    const hc_slurm_job *x = &b->queue[i];
    if (x->task == HC_NO_TASK || x->het == 0) continue;
    hc_slurm_het *h = &b->hets.items[x->het - 1];
    const int64_t tier = b->partitions[x->partition].tier;
    const bool is_first = h->records++ == 0;
    h->serial = is_first ? x->serial : HC_MIN(h->serial, x->serial);
    if (is_first || how == HC_SLURM_HETJOB_AVG) {
      h->tier = (is_first ? 0 : h->tier) + tier;
      h->priority = (is_first ? 0 : h->priority) + x->priority;
      continue;
    }
    h->tier = how == HC_SLURM_HETJOB_MIN ? HC_MIN(h->tier, tier) : HC_MAX(h->tier, tier);
    h->priority =
        how == HC_SLURM_HETJOB_MIN ? HC_MIN(h->priority, x->priority) : HC_MAX(h->priority, x->priority);
  }
  for (size_t i = 0; i < b->hets.count && how == HC_SLURM_HETJOB_AVG; i++) {
    hc_slurm_het *h = &b->hets.items[i];
    if (h->records > 0) h->tier /= h->records, h->priority /= h->records;
  }
}

/* Preemptors before those they may preempt, those with a reservation before others, then by the tier of their
 * partition, priority, submission. */
static bool goes_before(const hc_slurm_books *b, const hc_slurm_job *x, const hc_slurm_job *y)
{
  if (is_merged(b)) {
    if (hc_slurm_preempt_qos(b, x->qos, x->priority, y->qos, y->priority)) return true;
    if (hc_slurm_preempt_qos(b, y->qos, y->priority, x->qos, x->priority)) return false;
  }
  const bool is_own = x->het == y->het || b->settings->hetjob_prio == HC_SLURM_HETJOB_OWN;
  const standing one = is_own ? own_standing(b, x) : het_standing(b, x),
                 other = is_own ? own_standing(b, y) : het_standing(b, y);
  if ((x->reservation != HC_NO_NAME) != (y->reservation != HC_NO_NAME)) return x->reservation != HC_NO_NAME;
  if (one.tier != other.tier) return one.tier > other.tier;
  if (one.priority != other.priority) return one.priority > other.priority;
  if (x->submitted != y->submitted) return x->submitted < y->submitted;
  if (one.serial != other.serial) return one.serial < other.serial;
  if (x->serial != y->serial) return x->serial < y->serial;
  return x->turn != y->turn ? x->turn < y->turn : x->partition < y->partition;
}

HC_SORT_OF(sort_queue, hc_slurm_job, goes_before(of, a, b))
HC_SORT(sort_serials, hc_slurm_job,
        a->serial != b->serial ? a->serial < b->serial
        : a->turn != b->turn   ? a->turn < b->turn
                               : a->partition < b->partition)
HC_SORT_STABLE_OF(merge_queue, hc_slurm_job, goes_before(of, a, b))

void hc_slurm_books_rank(hc_slurm_books *b, const hc_view *v, hc_time now)
{
  for (size_t i = 0; i < b->queue_count; i++) {
    hc_slurm_job *x = &b->queue[i];
    if (x->task != HC_NO_TASK)
      x->priority = hc_slurm_accounting_priority(b->accounting, v, x->task, x->partition, now);
  }
  b->sorted_count = 0;
  b->is_sorted = false;
}

/* A job that stands behind others that are sorted goes where it belongs. */
static void sink(hc_slurm_books *b, size_t at)
{
  const hc_slurm_job x = b->queue[at];
  size_t low = 0, high = at;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (goes_before(b, &x, &b->queue[mid])) high = mid;
    else low = mid + 1;
  }
  memmove(b->queue + low + 1, b->queue + low, (at - low) * sizeof x);
  b->queue[low] = x;
}

/* Where each record of the queue is. */
static void place(hc_slurm_books *b)
{
  for (size_t i = 0; i < b->queue_count; i++) b->places[b->queue[i].task] = 0;
  for (size_t i = b->queue_count; i-- > 0;) {
    b->queue[i].next = b->places[b->queue[i].task];
    b->places[b->queue[i].task] = (uint32_t)i + 1;
  }
}

void hc_slurm_books_sort(hc_slurm_books *b)
{
  size_t n = 0, sorted = 0;
  if (b->is_sorted && !b->has_gone) return;
  if (b->hets.count > 0 && b->settings->hetjob_prio != HC_SLURM_HETJOB_OWN) {
    rank_hets(b);
    b->sorted_count = 0;
  }
  for (size_t i = 0; i < b->queue_count; i++) {
    if (b->queue[i].task == HC_NO_TASK) continue;
    if (i < b->sorted_count) sorted++;
    if (n != i) b->queue[n] = b->queue[i];
    n++;
  }
  b->queue_count = n;
  if (is_merged(b)) {
    sort_serials(b->queue, n);
    merge_queue(b->queue, n, b->merge, b);
  } else if (n - sorted > FEW_NEW) sort_queue(b->queue, n, b);
  else
    for (size_t i = sorted; i < n; i++) sink(b, i);
  place(b);
  b->sorted_count = n;
  b->is_sorted = true;
  b->has_gone = false;
}

/* ---- state ---- */

hc_rc hc_slurm_queue_visit(hc_slurm_books *b, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, b->queue, b->queue_count, b->queue_cap);
  TRY(hc_reserve(b->allocator, (void **)&b->merge, &b->merge_cap, b->queue_cap, sizeof *b->merge));
  b->sorted_count = b->queue_count;
  b->is_sorted = true;
  for (size_t i = 0; hc_visit_loading(v) && i < b->queue_count; i++)
    TRY(hc_slurm_books_by_task(b, &b->places, &b->place_cap, b->queue[i].task));
  if (hc_visit_loading(v)) place(b);
  return 0;
}
