/* sampling_host.c -- what stands in the queue of a host, whose turn it is, and what an idle host does about
 * it.
 *
 * First come, first served; or the entry whose job is believed to have least left to do (SRPT: believed mean
 * run time x tasks that have not ended, as it is now), but no task is passed more than `bypass` times.
 * The task whose turn it is blocks the others until there is room. Room is what is free less what is kept for
 * answers that are under way. */
#include "architecture/sampling/sampling.h"
#include "base/math.h"
#include "base/util.h"

/* ---- entries ---- */

hc_rc hc_sampling_new_entry(hc_sampling *s, uint32_t batch, uint32_t *out)
{
  hc_batch *b = &s->batches[batch];
  if (s->vacant_entry != HC_NOBODY) {
    *out = s->vacant_entry;
    s->vacant_entry = s->entries[*out].next;
  } else {
    if (s->entry_count >= HC_NOBODY) return HC_ELIMIT;
    TRY(hc_reserve(s->c.allocator, (void **)&s->entries, &s->entry_cap, s->entry_count + 1,
                   sizeof *s->entries));
    *out = (uint32_t)s->entry_count++;
  }
  s->entries[*out] = (hc_entry){.batch = batch,
                                .task = HC_NO_TASK,
                                .host = HC_NOBODY,
                                .prev = HC_NOBODY,
                                .next = HC_NOBODY,
                                .batch_prev = HC_NOBODY,
                                .batch_next = b->entries};
  if (b->entries != HC_NOBODY) s->entries[b->entries].batch_prev = *out;
  b->entries = *out;
  b->refs++;
  return 0;
}

static void unlink_from_batch(hc_sampling *s, const hc_entry *x)
{
  if (x->batch_prev != HC_NOBODY) s->entries[x->batch_prev].batch_next = x->batch_next;
  else s->batches[x->batch].entries = x->batch_next;
  if (x->batch_next != HC_NOBODY) s->entries[x->batch_next].batch_prev = x->batch_prev;
}

void hc_sampling_drop_entry(hc_sampling *s, uint32_t entry)
{
  const hc_entry x = s->entries[entry];
  unlink_from_batch(s, &x);
  s->entries[entry] = (hc_entry){.next = s->vacant_entry, .host = HC_NOBODY};
  s->vacant_entry = entry;
  hc_sampling_release(s, x.batch);
}

static bool is_long(const hc_sampling *s, const hc_entry *x)
{
  return s->batches[x->batch].is_long != 0;
}

hc_rc hc_sampling_enqueue(hc_sampling *s, uint32_t host, uint32_t entry, bool first)
{
  hc_sampled_host *h = &s->host[host];
  hc_entry *x = &s->entries[entry];
  x->host = host;
  x->prev = first ? HC_NOBODY : h->last;
  x->next = first ? h->first : HC_NOBODY;
  if (x->prev != HC_NOBODY) s->entries[x->prev].next = entry;
  else h->first = entry;
  if (x->next != HC_NOBODY) s->entries[x->next].prev = entry;
  else h->last = entry;
  h->count++;
  h->long_here += is_long(s, x);
  return hc_sampling_mark(s, host);
}

void hc_sampling_unqueue(hc_sampling *s, uint32_t entry)
{
  hc_entry *x = &s->entries[entry];
  hc_sampled_host *h = &s->host[x->host];
  if (x->prev != HC_NOBODY) s->entries[x->prev].next = x->next;
  else h->first = x->next;
  if (x->next != HC_NOBODY) s->entries[x->next].prev = x->prev;
  else h->last = x->prev;
  h->count--;
  h->long_here -= is_long(s, x);
  x->host = x->prev = x->next = HC_NOBODY;
}

static void leave(hc_sampling *s, uint32_t entry)
{
  hc_sampling_unqueue(s, entry);
  hc_sampling_drop_entry(s, entry);
}

/* ---- room ---- */

static bool has_room(const hc_sampling *s, uint32_t host, const hc_batch *b)
{
  const hc_sampled_host *h = &s->host[host];
  if (b->need.is_whole && h->asking > 0) return false;
  return hc_one_host_has_room(s->ask, s->c.services->task_view(s->c.engine), host, &b->need, h->held);
}

hc_rc hc_sampling_ask_for(hc_sampling *s, uint32_t host, uint32_t batch)
{
  hc_sampled_host *h = &s->host[host];
  for (uint32_t d = 0; d < s->dimensions; d++) h->held[d] += s->batches[batch].need.amount[d];
  h->asking++;
  return hc_sampling_send(s, &(hc_message){.kind = HC_MAIL_ASK, .host = host, .batch = batch});
}

hc_rc hc_sampling_stick(hc_sampling *s, uint32_t host, uint32_t batch)
{
  if (!has_room(s, host, &s->batches[batch])) return 0;
  s->counts.sticky++;
  return hc_sampling_ask_for(s, host, batch);
}

void hc_sampling_unhold(hc_sampling *s, uint32_t host, uint32_t batch)
{
  hc_sampled_host *h = &s->host[host];
  for (uint32_t d = 0; d < s->dimensions; d++) h->held[d] -= s->batches[batch].need.amount[d];
  h->asking--;
}

/* ---- whose turn it is ---- */

static double left_of(const hc_sampling *s, const hc_entry *x)
{
  const hc_batch *b = &s->batches[x->batch];
  return b->mean * b->left;
}

/* No entry may be passed that has been passed as often as may be. */
static uint32_t next_of(const hc_sampling *s, const hc_sampled_host *h)
{
  uint32_t best = h->first;
  if (!s->o.srpt) return best;
  for (uint32_t at = h->first; at != HC_NOBODY; at = s->entries[at].next) {
    if (left_of(s, &s->entries[at]) < left_of(s, &s->entries[best])) best = at;
    if (s->entries[at].bypassed >= s->o.bypass) break;
  }
  return best;
}

static void count_passed(hc_sampling *s, const hc_sampled_host *h, uint32_t entry)
{
  for (uint32_t at = h->first; s->o.srpt && at != entry; at = s->entries[at].next) s->entries[at].bypassed++;
}

static bool is_gone(const hc_sampling *s, const hc_entry *x)
{
  return x->task != HC_NO_TASK && !hc_sampling_is_bound(s, x->task, x->serial, x->host);
}

/* @return 1: go on with the next; 0: none can */
static hc_rc serve_one(hc_sampling *s, uint32_t host, uint32_t at, hc_error *e)
{
  const hc_entry x = s->entries[at];
  if (is_gone(s, &x)) {
    leave(s, at);
    return 1;
  }
  if (!has_room(s, host, &s->batches[x.batch])) return 0;
  if (x.task != HC_NO_TASK) {
    const hc_rc rc = hc_sampling_start(s, x.task, host, e);
    if (rc <= 0) return rc;
  } else {
    TRY(hc_sampling_ask_for(s, host, x.batch));
  }
  count_passed(s, &s->host[host], at);
  leave(s, at);
  return 1;
}

/* Something is free, nothing waits, and no answer is under way. */
static bool is_idle(const hc_sampling *s, uint32_t host)
{
  const hc_sampled_host *h = &s->host[host];
  const int64_t *capacity, *free;
  if (h->count > 0 || h->asking > 0 || h->steals > 0) return false;
  free = s->ask->host_free(s->c.services->task_view(s->c.engine), host, &capacity);
  return capacity[0] > 0 && free[0] > 0;
}

hc_rc hc_sampling_serve(hc_sampling *s, uint32_t host, hc_error *e)
{
  hc_sampled_host *h = &s->host[host];
  hc_rc rc = 1;
  h->is_dirty = 0;
  while (rc == 1 && h->count > 0) rc = serve_one(s, host, next_of(s, h), e);
  if (rc < 0 || s->o.steal == 0 || !is_idle(s, host)) return HC_MIN(rc, 0);
  h->steals = (uint32_t)s->o.steal;
  return hc_sampling_steal(s, host);
}

hc_rc hc_sampling_mark(hc_sampling *s, uint32_t host)
{
  if (s->host[host].is_dirty) return 0;
  TRY(hc_reserve(s->c.allocator, (void **)&s->dirty, &s->dirty_cap, s->dirty_count + 1, sizeof *s->dirty));
  s->dirty[s->dirty_count++] = host;
  s->host[host].is_dirty = 1;
  return 0;
}

/* ---- stealing ---- */

hc_rc hc_sampling_steal(hc_sampling *s, uint32_t thief)
{
  const hc_policy_context *c = s->c.policy_context;
  hc_sampled_host *h = &s->host[thief];
  hc_draws draws = {c->seed, c->replication, thief, HC_PURPOSE_STEAL, h->draws};
  const uint32_t others = s->general - (thief < s->general);
  uint32_t victim;
  if (others == 0) {
    h->steals = 0;
    return 0;
  }
  victim = (uint32_t)hc_random_below(&draws, others);
  victim += thief < s->general && victim >= thief;
  h->draws = draws.draw;
  s->counts.steals++;
  return hc_sampling_send(
      s, &(hc_message){.kind = HC_MAIL_STEAL, .host = thief, .batch = HC_NOBODY, .value = victim});
}

/* A reservation of a batch that the thief could serve. */
static bool is_loot(const hc_sampling *s, const hc_entry *x, uint32_t thief)
{
  const hc_task t = s->batches[x->batch].first;
  return x->task == HC_NO_TASK && t != HC_NO_TASK && s->c.services->could(s->c.engine, t, thief);
}

uint32_t hc_sampling_loot(hc_sampling *s, uint32_t victim, uint32_t thief)
{
  const hc_sampled_host *h = &s->host[victim];
  uint32_t first = HC_NOBODY, last = HC_NOBODY;
  bool behind = h->long_running > 0;
  for (uint32_t at = h->first, next; at != HC_NOBODY; at = next) {
    const hc_entry *x = &s->entries[at];
    next = x->next;
    if (is_long(s, x)) {
      if (first != HC_NOBODY) break;
      behind = true;
    } else if (behind && is_loot(s, x, thief)) {
      hc_sampling_unqueue(s, at);
      if (first == HC_NOBODY) first = at;
      else s->entries[last].next = at;
      last = at;
      s->counts.stolen++;
    } else if (first != HC_NOBODY) {
      break;
    }
  }
  return first;
}
