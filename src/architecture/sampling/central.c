/* sampling_central.c -- long jobs: a central scheduler knows how much long work each host has, and gives to
 * who has least.
 *
 * The estimated wait of a host is the believed run time of the long tasks that it was given and has not
 * started, plus what the running ones are believed to have left, over the tasks of this size that it can run
 * at once. Short tasks are not seen. The scheduler learns at once what hosts do; its decisions take no time,
 * and `latency` to arrive. Ties go to the lower host. Cost: O(hosts) for a batch, and O(log hosts) a task. */
#include "architecture/sampling/sampling.h"
#include "base/util.h"

/* Tasks of this size that a host can run at once, were it idle; 0 while it is away. */
static double slots_of(const hc_sampling *s, const hc_batch *b, uint32_t host)
{
  const int64_t *capacity;
  int64_t slots = INT64_MAX;
  bool is_there = false;
  (void)s->ask->host_free(s->c.services->task_view(s->c.engine), host, &capacity);
  for (uint32_t d = 0; d < s->dimensions; d++) {
    is_there |= capacity[d] > 0;
    if (capacity[d] > 0 && b->need.amount[d] > 0) slots = HC_MIN(slots, capacity[d] / b->need.amount[d]);
  }
  if (!is_there) return 0;
  return b->need.is_whole || slots == INT64_MAX ? 1 : (double)HC_MAX(slots, 1);
}

static double wait_on(const hc_sampling *s, const hc_batch *b, uint32_t host)
{
  const hc_sampled_host *h = &s->host[host];
  const double slots = slots_of(s, b, host), now = (double)hc_sampling_now(s);
  const double left = h->long_until - h->long_running * now;
  return slots > 0 ? (HC_MAX(h->long_queued, 0) + HC_MAX(left, 0)) / slots : (double)HC_NEVER;
}

static bool is_less(const hc_sampling *s, uint32_t a, uint32_t b)
{
  return s->waits[a] != s->waits[b] ? s->waits[a] < s->waits[b] : a < b;
}

static void sink(hc_sampling *s, uint32_t n, uint32_t i)
{
  for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
    const uint32_t host = s->found[i];
    if (child + 1 < n && is_less(s, s->found[child + 1], s->found[child])) child++;
    if (!is_less(s, s->found[child], host)) break;
    s->found[i] = s->found[child];
    s->found[child] = host;
  }
}

/* The heap of hosts that could run a task, by their waits. */
static uint32_t line_up(hc_sampling *s, uint32_t batch)
{
  const hc_batch *b = &s->batches[batch];
  uint32_t n = 0;
  for (uint32_t h = 0; h < s->general; h++) {
    if (!s->c.services->could(s->c.engine, b->first, h)) continue;
    s->waits[h] = wait_on(s, b, h);
    s->found[n++] = h;
  }
  for (uint32_t i = n / 2; i-- > 0;) sink(s, n, i);
  return n;
}

/* A task that asks for other hosts than the first did: all are looked at, and then those that are kept for
 * short ones. */
static uint32_t least_of_all(const hc_sampling *s, const hc_batch *b, hc_task t)
{
  uint32_t best = HC_NOBODY;
  double least = 0;
  for (uint32_t h = 0; h < s->hosts; h++) {
    if (h == s->general && best != HC_NOBODY) break;
    if (!s->c.services->could(s->c.engine, t, h)) continue;
    const double wait = wait_on(s, b, h);
    if (best != HC_NOBODY && wait >= least) continue;
    best = h;
    least = wait;
  }
  return best;
}

static hc_rc assign(hc_sampling *s, uint32_t batch, hc_task t, uint32_t host)
{
  const hc_batch *b = &s->batches[batch];
  const hc_task taken = hc_sampling_take(s, batch, host);
  HC_ASSERT(taken == t);
  s->tasks[t].expected = b->mean;
  s->host[host].long_assigned++;
  s->host[host].long_queued += b->mean;
  s->waits[host] = wait_on(s, b, host);
  return hc_sampling_send(
      s, &(hc_message){
             .kind = HC_MAIL_TASK, .host = host, .batch = batch, .task = t, .serial = s->tasks[t].serial});
}

hc_rc hc_sampling_place_long(hc_sampling *s, uint32_t batch, hc_error *e)
{
  const uint32_t n = line_up(s, batch);
  while (s->batches[batch].waiting > 0) {
    const hc_task t = s->batches[batch].first;
    uint32_t host = n > 0 ? s->found[0] : HC_NOBODY;
    const bool is_top = host != HC_NOBODY && s->c.services->could(s->c.engine, t, host);
    if (!is_top) host = least_of_all(s, &s->batches[batch], t);
    if (host == HC_NOBODY) {
      s->counts.nowhere++;
      TRY(hc_sampling_reject(s, t, e));
      continue;
    }
    TRY(assign(s, batch, t, host));
    if (is_top) sink(s, n, 0);
    else
      for (uint32_t i = n / 2; i-- > 0;) sink(s, n, i);
  }
  return 0;
}

/* Nothing is nothing, without what sums of reals leave. */
static void unqueue(hc_sampled_host *h, double expected)
{
  h->long_queued = h->long_assigned == h->long_running ? 0 : h->long_queued - expected;
}

void hc_sampling_long_starts(hc_sampling *s, hc_task t)
{
  const hc_sampled_task *x = &s->tasks[t];
  hc_sampled_host *h = &s->host[x->host];
  h->long_running++;
  unqueue(h, x->expected);
  h->long_until += (double)x->started + x->expected;
}

void hc_sampling_long_ends(hc_sampling *s, hc_task t)
{
  const hc_sampled_task *x = &s->tasks[t];
  hc_sampled_host *h = &s->host[x->host];
  h->long_assigned--;
  if (x->state == HC_SAMPLED_BOUND) {
    unqueue(h, x->expected);
    return;
  }
  h->long_running--;
  h->long_until = h->long_running == 0 ? 0 : h->long_until - ((double)x->started + x->expected);
}
