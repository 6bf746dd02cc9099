/* bill.c -- who answers for the energy that hosts draw while tasks hold their cores.
 *
 * What a host draws at an instant is shared by the tasks that hold cores of it, in proportion to the cores:
 * one that has half of those that are held answers for half of the draw, the idle part of it included. So
 * the shares of all tasks add up to what hosts draw while any of their cores are held; the rest is no
 * task's.
 *
 * A host has a *price*: what holding a thousandth of a core on it has cost since the run began, in
 * microwatts x ns. It grows by draw x time / held whenever either changes, so that a task's share is what
 * it held times the growth of the price between its start and its end, whatever happened meanwhile beside
 * it. A price is rounded down to a whole number at each change: 1e-15 J for each thousandth of a core.
 *
 * A task's share is summed up over its attempts, and is a key's (a user's) when it is over. Of an attempt
 * that was lost in part, so much of what it has taken is put under a key of its own (HC_BILL_LOST).
 * Attempts that are over are told at once, records and changes in blocks: so what is told of a task waits
 * until all changes of its time have come.
 *
 * Cost: a division of 128 bits a change of a host, a look-up a claim; 72 bytes for each task that is
 * there, 32 for each of its hosts, 32 a host and a key. */
#include "metric/bill.h"

#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/machine.h"
#include "metric/sum128.h"

#define NONE HC_MAP_NONE

hc_rc hc_bill_init(hc_bill *b, const hc_allocator *a, uint32_t hosts)
{
  *b = (hc_bill){.allocator = a, .vacant_claim = NONE, .vacant_task = NONE};
  hc_map_init(&b->by_serial, a);
  hc_map_init(&b->by_key, a);
  b->hosts = hc_alloc(a, hosts * sizeof *b->hosts);
  if (!b->hosts) return HC_ENOMEM;
  b->host_count = hosts;
  for (uint32_t h = 0; h < hosts; h++) b->hosts[h] = (hc_bill_host){.since = 0};
  return 0;
}

void hc_bill_fini(hc_bill *b)
{
  if (!b->allocator) return;
  hc_map_fini(&b->by_serial);
  hc_map_fini(&b->by_key);
  hc_free(b->allocator, b->hosts, b->host_count * sizeof *b->hosts);
  hc_free(b->allocator, b->claims, b->claim_cap * sizeof *b->claims);
  hc_free(b->allocator, b->tasks, b->task_cap * sizeof *b->tasks);
  hc_free(b->allocator, b->rows, b->row_cap * sizeof *b->rows);
  hc_free(b->allocator, b->told, b->told_cap * sizeof *b->told);
}

/* ---- hosts ---- */

static void settle(hc_bill_host *h, hc_time at)
{
  if (h->held > 0 && at > h->since) {
    const hc_int128 spent = (hc_int128)h->draws * hc_time_between(h->since, at);
    h->price = hc_wide_plus(h->price, hc_wide_store(spent / h->held));
  }
  h->since = at;
}

void hc_bill_draws(hc_bill *b, uint32_t host, hc_time at, int64_t draws)
{
  hc_bill_host *h = &b->hosts[host];
  if (h->draws == draws) return;
  settle(h, at);
  h->draws = draws;
}

/* ---- tasks ---- */

static hc_rc find_task(hc_bill *b, uint64_t serial, hc_bill_task **out)
{
  uint32_t at = hc_map_get(&b->by_serial, serial);
  if (at == NONE) {
    TRY(HC_SLOT_TAKE(b->allocator, hc_bill_task, next, b->tasks, b->task_count, b->task_cap, b->vacant_task,
                     &at));
    b->tasks[at] = (hc_bill_task){.serial = serial, .key = -1, .first = NONE, .last = NONE, .next = NONE};
    const hc_rc rc = hc_map_set(&b->by_serial, serial, at);
    if (rc < 0) HC_SLOT_GIVE(hc_bill_task, next, b->tasks, b->vacant_task, at);
    TRY(rc);
  }
  *out = &b->tasks[at];
  return 0;
}

static hc_rc find_row(hc_bill *b, int64_t key, hc_bill_row **out)
{
  uint32_t at = hc_map_get(&b->by_key, (uint64_t)key);
  if (at == NONE) {
    TRY(hc_reserve(b->allocator, (void **)&b->rows, &b->row_cap, b->row_count + 1, sizeof *b->rows));
    at = (uint32_t)b->row_count;
    TRY(hc_map_set(&b->by_key, (uint64_t)key, at));
    b->rows[b->row_count++] = (hc_bill_row){.key = key};
  }
  *out = &b->rows[at];
  return 0;
}

/* Its record has come, and it holds nothing. */
static hc_rc pay(hc_bill *b, hc_bill_task *t)
{
  hc_bill_row *row;
  TRY(find_row(b, t->key, &row));
  row->energy = hc_wide_plus(row->energy, t->energy);
  hc_map_remove(&b->by_serial, t->serial);
  HC_SLOT_GIVE(hc_bill_task, next, b->tasks, b->vacant_task, (uint32_t)(t - b->tasks));
  return 0;
}

static hc_rc begin(hc_bill *b, hc_bill_task *t, uint32_t host, int64_t milli)
{
  uint32_t at;
  TRY(HC_SLOT_TAKE(b->allocator, hc_bill_claim, next, b->claims, b->claim_count, b->claim_cap,
                   b->vacant_claim, &at));
  b->claims[at] = (hc_bill_claim){.price = b->hosts[host].price, .held = milli, .host = host, .next = NONE};
  if (t->last != NONE) b->claims[t->last].next = at;
  else t->first = at;
  t->last = at;
  return 0;
}

/* Claims are given back in the order in which they came: the first is nearly always the one. */
static void end(hc_bill *b, hc_bill_task *t, uint32_t host, int64_t milli)
{
  uint32_t before = NONE, at = t->first;
  while (at != NONE && (b->claims[at].host != host || b->claims[at].held != milli)) {
    before = at;
    at = b->claims[at].next;
  }
  if (at == NONE) return;
  const hc_bill_claim *c = &b->claims[at];
  t->energy = hc_wide_plus(t->energy, hc_wide_times(hc_wide_minus(b->hosts[host].price, c->price), c->held));
  if (before != NONE) b->claims[before].next = c->next;
  else t->first = c->next;
  if (t->last == at) t->last = before;
  HC_SLOT_GIVE(hc_bill_claim, next, b->claims, b->vacant_claim, at);
}

/* ---- what is told of tasks ---- */

static hc_rc tell(hc_bill *b, hc_bill_told x)
{
  TRY(hc_reserve(b->allocator, (void **)&b->told, &b->told_cap, b->told_count + 1, sizeof *b->told));
  b->told[b->told_count++] = x;
  return 0;
}

hc_rc hc_bill_lose(hc_bill *b, uint64_t serial, hc_time at, double share)
{
  return tell(b, (hc_bill_told){.at = at, .serial = serial, .share = share});
}

hc_rc hc_bill_over(hc_bill *b, uint64_t serial, hc_time at, int64_t key, bool counts)
{
  return tell(b, (hc_bill_told){.at = at, .serial = serial, .share = -1, .key = key, .tasks = counts});
}

/* To 2^-40 of it, in whole numbers: the core has no division of 128 bits by doubles. */
static hc_wide share_of(hc_wide all, double share)
{
  enum { BITS = 40 };
  const int64_t part = (int64_t)(share * (double)(INT64_C(1) << BITS) + 0.5);
  const hc_int128 x = hc_wide_load(all), low = x & ((INT64_C(1) << BITS) - 1);
  return hc_wide_store((x >> BITS) * part + (low * part >> BITS));
}

static hc_rc lose(hc_bill *b, hc_bill_task *t, double share)
{
  hc_bill_row *row;
  const hc_wide attempt = hc_wide_minus(t->energy, t->settled);
  const hc_wide lost = share < 1 ? share_of(attempt, share) : attempt;
  TRY(find_row(b, HC_BILL_LOST, &row));
  row->energy = hc_wide_plus(row->energy, lost);
  t->energy = t->settled = hc_wide_minus(t->energy, lost);
  return 0;
}

static hc_rc is_told(hc_bill *b, const hc_bill_told *x)
{
  const uint32_t at = hc_map_get(&b->by_serial, x->serial); /* NONE: it never held a core */
  hc_bill_task *t = at == NONE ? NULL : &b->tasks[at];
  hc_bill_row *row;
  if (x->share >= 0) return t ? lose(b, t, x->share) : 0;
  TRY(find_row(b, x->key, &row));
  row->tasks += (uint64_t)x->tasks;
  if (!t) return 0;
  t->key = x->key;
  t->is_over = 1;
  return t->first == NONE ? pay(b, t) : 0;
}

/* Changes have come to `at`. */
static hc_rc hear_until(hc_bill *b, hc_time at)
{
  while (b->told_first < b->told_count && b->told[b->told_first].at < at)
    TRY(is_told(b, &b->told[b->told_first++]));
  if (b->told_first == b->told_count) b->told_first = b->told_count = 0;
  return 0;
}

hc_rc hc_bill_hold(hc_bill *b, uint64_t serial, int64_t key, uint32_t host, hc_time at, int64_t milli)
{
  hc_bill_task *t;
  hc_bill_host *h = &b->hosts[host];
  if (b->told_count > 0) TRY(hear_until(b, at));
  TRY(find_task(b, serial, &t));
  if (!t->is_over) t->key = key;
  settle(h, at);
  h->held = hc_amount_plus(h->held, milli);
  if (milli > 0) return begin(b, t, host, milli);
  end(b, t, host, hc_amount_minus(0, milli));
  return t->is_over && t->first == NONE ? pay(b, t) : 0;
}

hc_wide hc_bill_of(const hc_bill *b, int64_t key)
{
  const uint32_t at = hc_map_get(&b->by_key, (uint64_t)key);
  return at == NONE ? (hc_wide){0} : b->rows[at].energy;
}

hc_rc hc_bill_close(hc_bill *b, hc_time at)
{
  for (uint32_t h = 0; h < b->host_count; h++) settle(&b->hosts[h], at);
  for (size_t i = 0; i < b->task_count; i++) {
    hc_bill_task *t = &b->tasks[i];
    if (hc_map_get(&b->by_serial, t->serial) != i) continue; /* vacant */
    while (t->first != NONE) end(b, t, b->claims[t->first].host, b->claims[t->first].held);
  }
  while (b->told_first < b->told_count) TRY(is_told(b, &b->told[b->told_first++]));
  for (size_t i = 0; i < b->task_count; i++)
    if (hc_map_get(&b->by_serial, b->tasks[i].serial) == i) TRY(pay(b, &b->tasks[i]));
  return 0;
}

/* ---- state ---- */

static bool are_sound(const hc_bill *b)
{
  if (b->told_first > b->told_count) return false;
  for (size_t i = 0; i < b->claim_count; i++)
    if (b->claims[i].host >= b->host_count ||
        (b->claims[i].next != NONE && b->claims[i].next >= b->claim_count))
      return false;
  for (size_t i = 0; i < b->task_count; i++) {
    const hc_bill_task *t = &b->tasks[i];
    if ((t->first != NONE && t->first >= b->claim_count) || (t->last != NONE && t->last >= b->claim_count))
      return false;
    size_t n = 0;
    for (uint32_t at = t->first; at != NONE; at = b->claims[at].next)
      if (++n > b->claim_count) return false;
  }
  return HC_SLOTS_ARE_SOUND(hc_bill_claim, next, b->claims, b->claim_count, b->vacant_claim) &&
         HC_SLOTS_ARE_SOUND(hc_bill_task, next, b->tasks, b->task_count, b->vacant_task);
}

hc_rc hc_bill_visit(hc_bill *b, hc_visitor *v)
{
  TRY(hc_visit_bytes(v, b->hosts, b->host_count * sizeof *b->hosts));
  HC_VISIT_ARRAY(v, b->claims, b->claim_count, b->claim_cap);
  HC_VISIT_ARRAY(v, b->tasks, b->task_count, b->task_cap);
  HC_VISIT_ARRAY(v, b->rows, b->row_count, b->row_cap);
  HC_VISIT_ARRAY(v, b->told, b->told_count, b->told_cap);
  HC_VISIT(v, b->told_first);
  HC_VISIT(v, b->vacant_claim);
  HC_VISIT(v, b->vacant_task);
  TRY(hc_map_visit(&b->by_serial, v));
  TRY(hc_map_visit(&b->by_key, v));
  return are_sound(b) ? 0 : HC_EINPUT;
}
