/* announced.c -- changes of hosts that were announced ahead: nothing starts on a host that drains, and
 * nothing that a host would have no room for when it has become smaller.
 *
 * The table `announcements` says what was announced and when; what a host has then stands among its changes.
 * A task that starts when a shrink is known and would, by its estimate, run when it comes, must fit what the
 * host has then beside those on it at its start that are believed to run then too. That a host returns, or
 * grows, binds no start. Announced downtime is reserved.c's.
 *
 * Where estimates of what runs are not those of the records (tasks are stopped, lost, resized or
 * corrected, or hosts differ in speed) sizes are not checked. Cost: O(announcements x grants), and for
 * each host that shrinks pairs of tasks believed to run then. */
#include "base/util.h"
#include "hindcast/cell.h"
#include "verify/parts.h"

enum { DRAINS = 1, RESIZES = 3 }; /* as the engine numbers kinds */

typedef struct crossing {
  const hc_verify_grant *grant;
  uint32_t rank;
} crossing;

typedef struct sizes {
  hc_check *c;
  uint32_t *ranks; /* [count] by serial; UINT32_MAX */
  crossing *on;    /* of one announced shrink */
  size_t count, cap;
} sizes;

static hc_time believed_end(const hc_checked *t)
{
  return hc_time_add(t->start, HC_MAX(t->estimate, 1));
}

static bool has_host(const hc_verify_announcement *x, uint32_t host)
{
  return (int64_t)host >= x->first && (int64_t)host - x->first < x->count;
}

/* ---- drains ---- */

static hc_rc check_drain(sizes *s, const hc_verify_announcement *x, const hc_verify_grant *g, uint32_t rank)
{
  const hc_time start = s->c->tasks[rank].start;
  hc_held_to(s->c, HC_RULE_ANNOUNCED, 1);
  if (start < x->start || start >= x->end) return 0;
  return hc_find_on(s->c, HC_FOUND_IN_DRAIN, start, rank, g->host, 0, x->start, x->end);
}

/* ---- sizes ---- */

static const hc_verify_change *change_at(const hc_verify_hosts *h, hc_time at, uint32_t host)
{
  size_t low = 0, high = h->change_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (h->changes[middle].at < at) low = middle + 1;
    else high = middle;
  }
  for (; low < h->change_count && h->changes[low].at == at; low++)
    if (h->changes[low].host == host && h->changes[low].change == HC_HOST_RESIZE) return &h->changes[low];
  return NULL;
}

/* Believed to run when it comes, and not over when it was announced. */
static hc_rc note_crossing(sizes *s, const hc_verify_announcement *x, const hc_verify_grant *g, uint32_t rank)
{
  const hc_checked *t = &s->c->tasks[rank];
  if (t->start >= x->start || t->end <= x->announced || believed_end(t) <= x->start) return 0;
  TRY(hc_reserve(s->c->allocator, (void **)&s->on, &s->cap, s->count + 1, sizeof *s->on));
  s->on[s->count++] = (crossing){g, rank};
  return 0;
}

static hc_rc check_crossing(sizes *s, const hc_verify_announcement *x, const crossing *of)
{
  hc_check *c = s->c;
  const hc_verify_hosts *h = c->options->hosts;
  const hc_time start = c->tasks[of->rank].start;
  const hc_verify_change *then = change_at(h, x->start, of->grant->host);
  if (start < x->announced || !then) return 0;
  hc_held_to(c, HC_RULE_ANNOUNCED, 1);
  for (uint32_t d = 0; d < h->dimensions; d++) {
    int64_t sum = 0;
    if (!h->is_of_hosts[d] || of->grant->amount[d] == 0) continue;
    for (size_t i = 0; i < s->count; i++) {
      const hc_checked *t = &c->tasks[s->on[i].rank];
      if (s->on[i].grant->host != of->grant->host || t->start > start || t->end <= start) continue;
      if (__builtin_add_overflow(sum, s->on[i].grant->amount[d], &sum)) return 0;
    }
    if (sum > then->amount[d])
      return hc_find_on(c, HC_FOUND_INTO_SHRINK, start, of->rank, of->grant->host, d, sum, then->amount[d]);
  }
  return 0;
}

/* A task that has hosts whole keeps them as they were. */
static bool is_whole(const hc_verify_hosts *h, int64_t serial)
{
  for (size_t i = 0; i < h->demand_count; i++)
    if (h->demands[i].serial == serial) return (h->demands[i].form & 1) != 0;
  return false;
}

/* ---- all ---- */

static hc_rc check_one(sizes *s, const hc_verify_announcement *x, bool estimates)
{
  hc_check *c = s->c;
  const hc_verify_hosts *h = c->options->hosts;
  s->count = 0;
  if (x->kind != DRAINS && (x->kind != RESIZES || !estimates)) return 0;
  for (size_t i = 0; i < h->grant_count; i++) {
    const hc_verify_grant *g = &h->grants[i];
    if (!has_host(x, g->host) || g->serial < 0 || (uint64_t)g->serial >= c->count) continue;
    const uint32_t rank = s->ranks[g->serial];
    if (rank == UINT32_MAX || c->tasks[rank].start == HC_UNKNOWN) continue;
    TRY(x->kind == DRAINS ? check_drain(s, x, g, rank) : note_crossing(s, x, g, rank));
  }
  for (size_t i = 0; i < s->count; i++)
    if (!is_whole(h, s->on[i].grant->serial)) TRY(check_crossing(s, x, &s->on[i]));
  return 0;
}

hc_rc hc_check_announced(hc_check *c)
{
  const hc_verify_told *told = c->options->told;
  const hc_verify_hosts *h = c->options->hosts;
  sizes s = {.c = c};
  hc_rc rc = 0;
  if (!told || told->announcement_count == 0 || !h) return 0;
  const bool estimates = !c->options->stops && told->plain_times && told->loss_count == 0 &&
                         !c->options->corrections && h->resize_count == 0;
  s.ranks = hc_alloc(c->allocator, c->count * sizeof *s.ranks + 1);
  if (!s.ranks) return HC_ENOMEM;
  for (size_t i = 0; i < c->count; i++) s.ranks[i] = UINT32_MAX;
  for (uint32_t i = 0; i < c->count; i++) {
    const int64_t serial = c->records[c->tasks[i].record].serial;
    if (serial >= 0 && (uint64_t)serial < c->count) s.ranks[serial] = i;
  }
  for (size_t i = 0; i < told->announcement_count && rc >= 0; i++) {
    if (told->announcements[i].kind == RESIZES && !estimates) c->report.gaps |= UINT32_C(1) << HC_GAP_SIZES;
    rc = check_one(&s, &told->announcements[i], estimates);
  }
  hc_free(c->allocator, s.on, s.cap * sizeof *s.on);
  hc_free(c->allocator, s.ranks, c->count * sizeof *s.ranks + 1);
  return rc;
}
