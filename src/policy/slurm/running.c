/* running.c -- jobs that run, or whose nodes are still to be cleaned up: what each has of which node, and
 * when it is believed to end.
 *
 * They stand in the order of their ends. What a job gets and gives back is heard part by part; when it
 * gives back all that it has it has ended, and its nodes come free when they are clean. Cost: O(nodes of
 * the job) an event, and a move of the running jobs behind it. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/books_parts.h"
#include "policy/slurm/cores.h"
#include "policy/slurm/sharing.h"
#include "policy/slurm/slices.h"
#include "policy/slurm/suspended.h"

/* ---- the order of ends ---- */

static bool ends_before(const hc_slurm_books *b, uint32_t i, uint32_t k)
{
  const hc_slurm_busy *x = &b->jobs[i], *y = &b->jobs[k];
  return x->end != y->end ? x->end < y->end : x->serial < y->serial;
}

static size_t rank(const hc_slurm_books *b, uint32_t i)
{
  size_t low = 0, high = b->running_count;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (ends_before(b, b->by_end[mid], i)) low = mid + 1;
    else high = mid;
  }
  return low;
}

static hc_rc insert(hc_slurm_books *b, uint32_t i)
{
  const size_t at = rank(b, i);
  TRY(hc_reserve(b->allocator, (void **)&b->by_end, &b->by_end_cap, b->running_count + 1, sizeof *b->by_end));
  memmove(b->by_end + at + 1, b->by_end + at, (b->running_count - at) * sizeof *b->by_end);
  b->by_end[at] = i;
  b->running_count++;
  return 0;
}

/* A place in `jobs`: one that is vacant, or a new one. */
static hc_rc vacant(hc_slurm_books *b, uint32_t *out)
{
  if (b->vacant_count > 0) {
    *out = b->vacancies[--b->vacant_count];
    return 0;
  }
  TRY(hc_reserve(b->allocator, (void **)&b->jobs, &b->job_cap, b->job_count + 1, sizeof *b->jobs));
  b->jobs[b->job_count] = (hc_slurm_busy){.task = HC_NO_TASK};
  TRY(hc_reserve(b->allocator, (void **)&b->vacancies, &b->vacant_cap, b->job_count + 1,
                 sizeof *b->vacancies));
  *out = (uint32_t)b->job_count++;
  return 0;
}

/* Take it out of the order. */
static void remove_from(hc_slurm_books *b, uint32_t i)
{
  const size_t at = rank(b, i);
  b->running_count--;
  memmove(b->by_end + at, b->by_end + at + 1, (b->running_count - at) * sizeof *b->by_end);
}

/* ---- what a job has of its nodes ---- */

/* Where a node is among those of a job, sought from `from` on and then before it; `nodes` if it is not. */
static uint32_t part_of(const hc_slurm_busy *x, uint32_t host, uint32_t from)
{
  for (uint32_t i = from; i < x->nodes; i++)
    if (x->hosts[i] == host) return i;
  for (uint32_t i = 0; i < from && i < x->nodes; i++)
    if (x->hosts[i] == host) return i;
  return x->nodes;
}

static hc_rc grow(hc_slurm_books *b, hc_slurm_busy *x, size_t by)
{
  TRY(hc_reserve(b->allocator, (void **)&x->hosts, &x->host_cap, x->nodes + by, sizeof *x->hosts));
  return hc_reserve(b->allocator, (void **)&x->amounts, &x->amount_cap, (x->nodes + by) * b->nodes.dims,
                    sizeof *x->amounts);
}

/* A job gets, or gives back, amounts of a node. @param is_new  it had nothing on that node
 * @return behind where it is among those of the job */
static uint32_t move_part(hc_slurm_books *b, hc_slurm_busy *x, const hc_holding *part, int64_t sign,
                          uint32_t from, bool is_new)
{
  const uint32_t dims = b->nodes.dims, i = is_new ? x->nodes : part_of(x, part->host, from);
  int64_t *mine = x->amounts + (size_t)i * dims, *free = b->free + (size_t)part->host * dims;
  if (i == x->nodes) {
    memset(mine, 0, dims * sizeof *mine);
    x->hosts[x->nodes++] = part->host;
    b->on[part->host]++;
    hc_bit_put(b->idle, part->host, false);
  }
  for (uint32_t d = 0; d < dims; d++) {
    mine[d] += sign * part->amount[d];
    free[d] -= sign * part->amount[d];
  }
  b->sum -= sign * part->amount[0];
  b->owes |= free[0] < 0;
  hc_slurm_books_count(b, part->amount[0]);
  hc_bit_put(b->some, part->host, free[0] > 0);
  return i + 1;
}

static bool is_nothing(const int64_t *amounts, uint32_t dims)
{
  for (uint32_t d = 0; d < dims; d++)
    if (amounts[d] != 0) return false;
  return true;
}

/* Nodes of which the job has nothing any more are not its own. */
static void leave_nodes(hc_slurm_books *b, hc_slurm_busy *x)
{
  const uint32_t dims = b->nodes.dims;
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->nodes; i++) {
    const int64_t *amounts = x->amounts + (size_t)i * dims;
    const uint32_t host = x->hosts[i];
    if (is_nothing(amounts, dims)) {
      hc_bit_put(b->idle, host, --b->on[host] == 0);
      continue;
    }
    x->hosts[n] = host;
    memmove(x->amounts + (size_t)n++ * dims, amounts, dims * sizeof *amounts);
  }
  x->nodes = n;
}

/* ---- a job begins and ends ---- */

/* In which partition a job starts: that of its record; of one that ran before the run began the first of its
 * own that has its nodes. */
static uint32_t runs_in(const hc_slurm_books *b, const hc_view *v, hc_task t, const hc_task_shape *shape)
{
  const hc_holding *held;
  const uint32_t first = hc_slurm_books_part(b, shape->set);
  if (b->starting.task == t) return b->starting.partition;
  const size_t n = shape->set_count > 0 ? b->s->held(v, t, &held) : 0;
  for (size_t i = 0; i < shape->set_count + 1 && n > 0; i++) {
    const uint32_t part = i == 0 ? first : hc_slurm_books_part(b, shape->sets[i - 1]);
    size_t in = 0;
    while (in < n && hc_bit_is(b->partitions[part].nodes, held[in].host)) in++;
    if (in == n) return part;
  }
  return first;
}

/* Its limit, s; of one that starts with a limit of its own that. */
static int64_t believed_of(const hc_slurm_books *b, const hc_view *v, hc_task t, uint32_t partition)
{
  const bool is_cut = b->starting.task == t && b->starting.limit > 0;
  return is_cut ? b->starting.limit : hc_slurm_books_limit(b, v, t, partition);
}

/* With which it starts; of what ran before, the order of submission. */
static int64_t priority_of(const hc_slurm_books *b, hc_task t, const hc_slurm_busy *x)
{
  if (b->starting.task == t) return b->starting.priority;
  if (t < b->place_cap && b->places[t] > 0) return b->queue[b->places[t] - 1].priority;
  return HC_SLURM_FIRST_PRIORITY - (int64_t)x->serial;
}

static hc_rc begin(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  hc_task_shape shape;
  uint32_t at, array;
  TRY(vacant(b, &at));
  TRY(hc_slurm_books_by_task(b, &b->runs, &b->run_cap, t));
  b->s->shape(v, t, &shape);
  if (shape.at_once > 0) { /* what ran before was never queued */
    TRY(hc_slurm_arrays_join(&b->arrays, b->s->job(v, t), shape.at_once, &array));
    hc_slurm_arrays_count(&b->arrays, b->s->job(v, t), 1);
  }
  hc_slurm_busy *x = &b->jobs[at];
  x->serial = b->s->serial(v, t);
  x->task = t;
  x->freed = HC_NEVER;
  x->killed = 0;
  x->start = hc_slurm_second(b, b->s->now(v));
  x->partition = runs_in(b, v, t, &shape);
  x->user = b->s->user(v, t);
  x->sharing = hc_slurm_sharing_of(&b->partitions[x->partition], shape.exclusive);
  x->is_whole = shape.is_whole || x->sharing == HC_EXCLUSIVE_HOST;
  x->again = shape.again;
  b->owned += x->sharing == HC_EXCLUSIVE_USER;
  x->end = x->start + believed_of(b, v, t, x->partition);
  x->told = x->since = 0;
  x->job = shape.component > 0 ? b->s->job(v, t) : 0;
  x->part = shape.component;
  x->rest_nodes = 0;
  x->whole.count = 0;
  x->sliced =
      (hc_slurm_sliced){.need = (uint32_t)hc_slurm_rows_need(&b->partitions[x->partition], shape.exclusive),
                        .is_apart = shape.component > 0};
  x->qos = b->accounting ? hc_slurm_accounting_qos(b->accounting, t) : HC_SLURM_NONE;
  x->priority = priority_of(b, t, x);
  b->runs[t] = at + 1;
  return insert(b, at);
}

/* It has nothing any more. */
void hc_slurm_books_forget(hc_slurm_books *b, uint32_t at)
{
  remove_from(b, at);
  b->owned -= b->jobs[at].sharing == HC_EXCLUSIVE_USER;
  b->jobs[at].task = HC_NO_TASK;
  b->vacancies[b->vacant_count++] = at;
}

/* Is that all that it has, beside what it keeps from others? */
static bool is_all(const hc_slurm_books *b, const hc_slurm_busy *x, const hc_holding *held, size_t n)
{
  if (b->cores.words > 0) return hc_slurm_cores_are_all(b, x, held, n);
  for (uint32_t d = 0; d < b->nodes.dims; d++) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum -= held[i].amount[d];
    for (uint32_t i = 0; i < x->nodes; i++) sum += x->amounts[(size_t)i * b->nodes.dims + d];
    for (uint32_t i = 0; i < x->rest_nodes; i++) sum -= x->rest[(size_t)i * b->nodes.dims + d];
    if (sum != 0) return false;
  }
  return true;
}

/* Among those whose nodes are still to be cleaned up, by when that is done. */
static void queue_up(hc_slurm_books *b, uint32_t at)
{
  size_t i = b->completing_count++;
  for (; i > 0 && b->jobs[b->completing[i - 1]].freed > b->jobs[at].freed; i--)
    b->completing[i] = b->completing[i - 1];
  b->completing[i] = at;
}

static hc_rc note_end(hc_slurm_books *b, hc_time now, uint64_t serial)
{
  if (b->ended.at != now) b->ended.count = 0;
  b->ended.at = now;
  TRY(hc_reserve(b->allocator, (void **)&b->ended.serials, &b->ended.cap, b->ended.count + 1,
                 sizeof *b->ended.serials));
  b->ended.serials[b->ended.count++] = serial;
  return 0;
}

/* It has ended; its nodes are still to be cleaned up. */
static hc_rc complete(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  const uint32_t at = b->runs[t] - 1;
  hc_slurm_busy *x = &b->jobs[at];
  if (b->arrays.count > 0) hc_slurm_arrays_count(&b->arrays, b->s->job(v, t), -1);
  if (x->told > 0 || x->start < hc_slurm_second(b, b->s->now(v))) TRY(note_end(b, b->s->now(v), x->serial));
  TRY(hc_reserve(b->allocator, (void **)&b->completing, &b->completing_cap, b->completing_count + 1,
                 sizeof *b->completing));
  b->runs[t] = 0;
  remove_from(b, at);
  x->end = hc_slurm_second(b, b->s->now(v));
  b->has_polled |= x->told > 0 && x->told < hc_slurm_second(b, b->s->now(v));
  x->killed = x->told > 0 || b->s->is_killed(v, t);
  x->freed = hc_time_add(b->s->now(v), b->completes[x->killed]);
  queue_up(b, at);
  TRY(insert(b, at));
  hc_slurm_cores_settle(b, x);
  return 0;
}

bool hc_slurm_books_free(hc_slurm_books *b, hc_time now, hc_time *at, bool *killed)
{
  if (hc_slurm_books_next_free(b) > now) return false;
  b->version++;
  b->plain++;
  const uint32_t first = b->completing[0], dims = b->nodes.dims;
  hc_slurm_busy *x = &b->jobs[first];
  b->completing_count--;
  memmove(b->completing, b->completing + 1, b->completing_count * sizeof *b->completing);
  for (uint32_t i = 0; i < x->nodes; i++) {
    const uint32_t host = x->hosts[i];
    for (uint32_t d = 0; d < dims; d++) b->free[(size_t)host * dims + d] += x->amounts[(size_t)i * dims + d];
    b->sum += x->amounts[(size_t)i * dims];
    hc_bit_put(b->some, host, b->free[(size_t)host * dims] > 0);
    hc_bit_put(b->idle, host, --b->on[host] == 0);
  }
  *at = x->freed;
  *killed = x->killed != 0;
  x->nodes = x->rest_nodes = 0;
  x->whole.count = 0;
  hc_slurm_books_forget(b, first);
  hc_slurm_slices_leave(b, first);
  return true;
}

hc_time hc_slurm_books_next_free(const hc_slurm_books *b)
{
  return b->completing_count > 0 ? b->jobs[b->completing[0]].freed : HC_NEVER;
}

void hc_slurm_books_move_end(hc_slurm_books *b, uint32_t at, int64_t end)
{
  remove_from(b, at);
  b->jobs[at].end = end;
  (void)insert(b, at); /* where there was one there is room */
  hc_slurm_cores_settle(b, &b->jobs[at]);
  b->version++;
  b->plain++;
}

/* ---- what is heard ---- */

/* With the gang scheduler: a job that has nothing yet has its place among others as soon as it has. */
static hc_rc move_cores(hc_slurm_books *b, uint32_t at, const hc_holding *held, size_t n, int64_t sign)
{
  const bool is_new = b->jobs[at].whole.count == 0;
  TRY(hc_slurm_cores_move(b, &b->jobs[at], held, n, sign));
  if (!is_new) return 0;
  TRY(hc_slurm_rows_join(b, &b->jobs[at]));
  return hc_slurm_slices_join(b, at);
}

static hc_rc move(hc_slurm_books *b, const hc_view *v, hc_task t, int64_t sign)
{
  const hc_holding *held;
  const size_t n = b->s->held(v, t, &held);
  uint32_t from = 0;
  if (sign > 0 && (t >= b->run_cap || b->runs[t] == 0)) TRY(begin(b, v, t));
  if (t >= b->run_cap || b->runs[t] == 0) return 0;
  b->version++;
  const uint32_t at = b->runs[t] - 1;
  hc_slurm_busy *x = &b->jobs[at];
  const bool ends = sign < 0 && is_all(b, x, held, n);
  b->plain += b->cores.words == 0 && (ends || (sign > 0 && x->nodes == 0));
  if (ends) return complete(b, v, t);
  if (b->cores.words > 0) return move_cores(b, at, held, n, sign);
  hc_slurm_sharing_give(b, x);
  TRY(grow(b, x, n));
  /* As long as nodes come in their order to a job that has none before them, each is new to it. */
  bool is_new = x->nodes == 0;
  for (size_t i = 0; i < n; i++) {
    is_new = is_new && (i == 0 || held[i].host > held[i - 1].host);
    from = move_part(b, x, &held[i], sign, from, is_new);
  }
  leave_nodes(b, x);
  return hc_slurm_sharing_take(b, x);
}

/* Only what it gets when it starts, and what it gives back at its end, counts for its association. */
static hc_rc account(hc_slurm_books *b, const hc_view *v, hc_task t, int64_t sign)
{
  const hc_holding *held;
  const size_t n = b->s->held(v, t, &held);
  const bool runs = t < b->run_cap && b->runs[t] != 0;
  hc_task_shape shape;
  b->s->shape(v, t, &shape);
  const uint32_t part = runs ? b->jobs[b->runs[t] - 1].partition : runs_in(b, v, t, &shape);
  if (sign > 0 && !runs) {
    int64_t rest[2] = {0, 0};
    if (hc_slurm_sharing_of(&b->partitions[part], shape.exclusive) == HC_EXCLUSIVE_HOST)
      hc_slurm_sharing_rest(b, v, held, n, rest);
    hc_slurm_accounting_whole(b->accounting, t, rest);
    return hc_slurm_accounting_begin(b->accounting, v, t, part, held, n,
                                     believed_of(b, v, t, part) * HC_SECOND);
  }
  if (sign < 0 && runs && is_all(b, &b->jobs[b->runs[t] - 1], held, n))
    hc_slurm_accounting_end(b->accounting, v, t, part, held, n);
  return 0;
}

hc_rc hc_slurm_running_claim(hc_slurm_books *b, const hc_view *v, hc_task t, const int64_t *amounts,
                             int64_t sign)
{
  if (b->is_changing) return hc_slurm_suspended_hear(b, v, t, amounts, sign);
  if (b->accounting) TRY(account(b, v, t, sign));
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if (b->shared[d]) b->licences[d] -= sign * amounts[d];
  return move(b, v, t, sign);
}

/* ---- state ---- */

/* By their ranks in the order of ends, which are those of the places that loading gives them. */
static hc_rc visit_completing(hc_slurm_books *b, hc_visitor *v)
{
  size_t count = b->completing_count;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    TRY(hc_reserve(b->allocator, (void **)&b->completing, &b->completing_cap, count, sizeof *b->completing));
    b->completing_count = count;
  }
  for (size_t i = 0; i < count; i++) {
    size_t at = hc_visit_loading(v) ? 0 : rank(b, b->completing[i]);
    HC_VISIT(v, at);
    if (at >= b->running_count) return HC_EINPUT;
    if (hc_visit_loading(v)) b->completing[i] = b->by_end[at];
  }
  return 0;
}

/* Each running job, in the order of their ends. */
hc_rc hc_slurm_running_visit(hc_slurm_books *b, hc_visitor *v)
{
  size_t count = b->running_count;
  HC_VISIT(v, count);
  for (size_t i = 0; i < count; i++) {
    uint32_t at = i < b->running_count ? b->by_end[i] : 0;
    if (hc_visit_loading(v)) TRY(vacant(b, &at));
    hc_slurm_busy *x = &b->jobs[at];
    size_t hosts = x->nodes, amounts = hosts * b->nodes.dims;
    HC_VISIT(v, x->serial);
    HC_VISIT(v, x->start);
    HC_VISIT(v, x->end);
    HC_VISIT(v, x->freed);
    HC_VISIT(v, x->killed);
    HC_VISIT(v, x->told);
    HC_VISIT(v, x->priority);
    HC_VISIT(v, x->job);
    HC_VISIT(v, x->part);
    HC_VISIT(v, x->partition);
    HC_VISIT(v, x->qos);
    HC_VISIT(v, x->is_whole);
    HC_VISIT(v, x->again);
    HC_VISIT(v, x->task);
    HC_VISIT_ARRAY(v, x->hosts, hosts, x->host_cap);
    HC_VISIT_ARRAY(v, x->amounts, amounts, x->amount_cap);
    TRY(hc_slurm_suspended_visit(b, x, v));
    TRY(hc_slurm_sharing_visit(b, x, v));
    if (!hc_visit_loading(v)) continue;
    x->nodes = (uint32_t)hosts;
    for (size_t k = 0; k < hosts; k++) hc_slurm_books_count(b, x->amounts[k * b->nodes.dims]);
    TRY(insert(b, at));
    if (x->freed != HC_NEVER) continue;
    TRY(hc_slurm_books_by_task(b, &b->runs, &b->run_cap, x->task));
    b->runs[x->task] = at + 1;
  }
  TRY(visit_completing(b, v));
  return hc_visit_loading(v) ? hc_slurm_slices_load(b) : 0;
}
