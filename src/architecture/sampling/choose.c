/* sampling_choose.c -- which hosts a batch samples, and early binding.
 *
 * A host is drawn until one is found that has not been drawn for the batch and could run the task; after some
 * draws in vain the hosts that are left are listed, and one of them is drawn: either way each of them is as
 * likely as the others. Cost: O(1) a probe while the batch is small beside the cell, else O(hosts). */
#include <stdlib.h>

#include "architecture/sampling/sampling.h"
#include "base/math.h"
#include "base/sort.h"
#include "base/util.h"

enum { DRAWS_IN_VAIN = 32 };

static hc_draws draws_of(const hc_sampling *s, uint32_t batch)
{
  const hc_policy_context *c = s->c.policy_context;
  const hc_batch *b = &s->batches[batch];
  return (hc_draws){c->seed, c->replication, b->first_serial, HC_PURPOSE_PROBE, b->draws};
}

/* What a probe looks for. */
typedef struct search {
  hc_task task;
  uint32_t from, to; /* hosts */
  bool unmarked;     /* that the central scheduler has given no long task */
  bool fresh;        /* not drawn for this batch */
} search;

static bool suits(const hc_sampling *s, const search *q, uint32_t host)
{
  if (q->fresh && s->drawn[host] == s->draw) return false;
  if (q->unmarked && s->host[host].long_assigned > 0) return false;
  return s->c.services->could(s->c.engine, q->task, host);
}

static uint32_t draw_host(hc_sampling *s, uint32_t batch, const search *q)
{
  hc_draws draws = draws_of(s, batch);
  uint32_t n = 0, host = HC_NOBODY;
  if (q->from >= q->to) return HC_NOBODY;
  for (int i = 0; i < DRAWS_IN_VAIN && host == HC_NOBODY; i++) {
    const uint32_t at = q->from + (uint32_t)hc_random_below(&draws, q->to - q->from);
    if (suits(s, q, at)) host = at;
  }
  if (host == HC_NOBODY) {
    for (uint32_t at = q->from; at < q->to; at++)
      if (suits(s, q, at)) s->found[n++] = at;
    if (n > 0) host = s->found[hc_random_below(&draws, n)];
  }
  s->batches[batch].draws = draws.draw;
  if (host != HC_NOBODY && q->fresh) s->drawn[host] = s->draw;
  return host;
}

static hc_rc send_probe(hc_sampling *s, uint32_t batch, uint32_t host)
{
  const bool early = s->o.binding == HC_BIND_EARLY;
  s->counts.probes++;
  s->batches[batch].answers += early;
  return hc_sampling_send(
      s, &(hc_message){.kind = early ? HC_MAIL_READ : HC_MAIL_PROBE, .host = host, .batch = batch});
}

/* Where the cell is too small for distinct hosts, they are drawn anew, one for each task: there is a place
 * for each. */
hc_rc hc_sampling_probe(hc_sampling *s, uint32_t batch, hc_error *e)
{
  bool is_small = false;
  s->draw++;
  for (uint32_t t = s->batches[batch].first, next; t != HC_NO_TASK; t = next) {
    const search q = {.task = t, .to = s->hosts, .fresh = true};
    int64_t sent = 0;
    next = s->tasks[t].next;
    for (; sent < (is_small ? 1 : s->o.probes); sent++) {
      uint32_t host = draw_host(s, batch, &q);
      if (host == HC_NOBODY) {
        is_small = true;
        if (sent > 0) break;
        s->draw++;
        host = draw_host(s, batch, &q);
      }
      if (host == HC_NOBODY) break;
      TRY(send_probe(s, batch, host));
    }
    if (sent > 0) continue;
    s->counts.nowhere++;
    TRY(hc_sampling_reject(s, t, e));
  }
  return 0;
}

uint32_t hc_sampling_elsewhere(hc_sampling *s, uint32_t batch, uint32_t times, bool *is_last)
{
  search q = {.task = s->batches[batch].first, .to = s->hosts, .unmarked = true};
  uint32_t host = HC_NOBODY;
  *is_last = false;
  if (times < 2) host = draw_host(s, batch, &q);
  if (host != HC_NOBODY) return host;
  *is_last = true;
  q = (search){.task = q.task, .from = s->general, .to = s->hosts};
  return draw_host(s, batch, &q);
}

/* ---- early binding ---- */

typedef struct answer {
  uint32_t length, order, entry, host;
} answer;

HC_SORT(sort_answers, answer, a->length != b->length ? a->length < b->length : a->order < b->order)

/* The answers of a batch, the shortest queue first; the same lengths in the order of the probes. */
static hc_rc gather(hc_sampling *s, uint32_t batch, answer **out, size_t *count)
{
  size_t n = 0;
  for (uint32_t at = s->batches[batch].entries; at != HC_NOBODY; at = s->entries[at].batch_next) n++;
  *out = hc_alloc(s->c.allocator, n * sizeof **out);
  *count = n;
  if (!*out) return n > 0 ? HC_ENOMEM : 0;
  for (uint32_t at = s->batches[batch].entries; at != HC_NOBODY; at = s->entries[at].batch_next) {
    const hc_entry *x = &s->entries[at];
    n--; /* the chain begins with the last that came */
    (*out)[n] = (answer){x->bypassed, (uint32_t)n, at, x->host};
  }
  sort_answers(*out, *count);
  return 0;
}

/* Each task goes to the first of them that has none yet and could run it; if there is none, to the first that
 * could. */
static hc_rc bind_all(hc_sampling *s, uint32_t batch, const answer *a, size_t n)
{
  size_t from = 0;
  s->draw++;
  while (s->batches[batch].waiting > 0) {
    const hc_task t = s->batches[batch].first;
    uint32_t host = HC_NOBODY;
    hc_message m = {.kind = HC_MAIL_TASK, .batch = batch};
    while (from < n && s->drawn[a[from].host] == s->draw) from++;
    for (size_t i = from; i < n && host == HC_NOBODY; i++)
      if (s->drawn[a[i].host] != s->draw && s->c.services->could(s->c.engine, t, a[i].host)) host = a[i].host;
    if (host == HC_NOBODY && from > 0) {
      s->draw++; /* all have one: another turn */
      from = 0;
      continue;
    }
    for (size_t i = 0; i < n && host == HC_NOBODY; i++)
      if (s->c.services->could(s->c.engine, t, a[i].host)) host = a[i].host;
    HC_ASSERT(host != HC_NOBODY);
    s->drawn[host] = s->draw;
    m.host = host;
    m.task = hc_sampling_take(s, batch, host);
    m.serial = s->tasks[m.task].serial;
    TRY(hc_sampling_send(s, &m));
  }
  return 0;
}

hc_rc hc_sampling_place(hc_sampling *s, uint32_t batch)
{
  answer *a;
  size_t n;
  hc_rc rc = gather(s, batch, &a, &n);
  if (rc == 0) rc = bind_all(s, batch, a, n);
  for (size_t i = 0; rc == 0 && i < n; i++) hc_sampling_drop_entry(s, a[i].entry);
  hc_free(s->c.allocator, a, n * sizeof *a);
  return rc;
}
