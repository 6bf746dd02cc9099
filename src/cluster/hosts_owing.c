/* hosts_owing.c -- hosts that hold what they no longer have.
 *
 * A host that shrinks keeps what is on it, so what is free there may be less than nothing. It takes no new task until it
 * has room again; but other hosts have what they have, so the question whether anything could start must not subtract one
 * host's debt from another's room. Only a change of a host makes a debt, and giving back ends it: the few that have one
 * are a set of bits, looked at when it is asked.
 *
 * A host that was taken whole may be another by the time that it is given back, or be away: what its task has taken is
 * written down when it takes it.
 *
 * Who looks at another time gives back what others hold, and takes it again: on a host that drains, or that owes, nobody
 * could take it who did not have it. */
#include <string.h>

#include "base/state.h"
#include "cluster/hosts_parts.h"

/* ---- debts ---- */

/* What is free in truth, on a host that is up. */
static int64_t free_on(const hc_hosts *h, uint32_t host, uint32_t d)
{
  return hc_hosts_row(h, host)[d] + (hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY);
}

static bool owes_any(const hc_hosts *h, uint32_t host)
{
  bool any = false;
  for (uint32_t d = 0; d < h->dims; d++) any |= !h->is_shared[d] && free_on(h, host, d) < 0;
  return any && (h->flags[host] & HC_HOSTS_UP) != 0;
}

/* ---- one host ---- */

bool hc_hosts_lacks(const hc_hosts *h, uint32_t host, uint32_t d)
{
  return !h->is_shared[d] && (h->flags[host] & HC_HOSTS_WHOLE) == 0 && free_on(h, host, d) < 0;
}

bool hc_hosts_lacks_devices(const hc_hosts *h, uint32_t host, const hc_devices *of)
{
  for (uint32_t i = 0; h->devices && i < h->device_cap; i++)
    if (hc_devices_have(of, i) && hc_hosts_devices_of(h, host)[i] < 0) return true;
  return false;
}

bool hc_hosts_lacks_any(const hc_hosts *h, uint32_t host)
{
  for (uint32_t d = 0; d < h->dims; d++)
    if (hc_hosts_lacks(h, host, d)) return true;
  for (uint32_t i = 0; h->devices && (h->flags[host] & HC_HOSTS_WHOLE) == 0 && i < h->device_cap; i++)
    if (hc_hosts_devices_of(h, host)[i] < 0) return true;
  return false;
}

void hc_hosts_note_owing(hc_hosts *h, uint32_t host)
{
  if (!owes_any(h, host)) return;
  hc_hosts_bits_set(&h->owing, host);
  h->owes = true;
}

int64_t hc_hosts_free_most(hc_hosts *h, uint32_t d)
{
  int64_t sum = hc_hosts_free_sum(h, d);
  if (!h->owes || h->is_shared[d]) return sum;
  h->owes = false;
  for (uint32_t host = hc_hosts_bits_next(&h->owing, 0); host != HC_NO_HOST;
       host = hc_hosts_bits_next(&h->owing, host + 1)) {
    if (!owes_any(h, host)) {
      hc_hosts_bits_clear(&h->owing, host);
      continue;
    }
    h->owes = true;
    sum -= HC_MIN(free_on(h, host, d), 0);
  }
  return sum;
}

bool hc_hosts_owes(const hc_hosts *h)
{
  return h->owes;
}

/* ---- what was given back for a look ---- */

hc_rc hc_hosts_take_again(hc_hosts *h, const hc_request *r, const hc_grant *grants, size_t count)
{
  const hc_task_extras *m = hc_lexicon_more(h->lexicon, r->more);
  int64_t shared[HC_DIMENSIONS];
  hc_hosts_want w;
  if (hc_hosts_is_limited(m)) {
    const hc_hosts_facts f = hc_hosts_facts_levels(h, r->more);
    TRY(hc_hosts_limits_add(h, &f, grants, count));
  }
  for (size_t i = 0; i < count; i++) {
    const hc_grant *g = &grants[i];
    if (r->whole) {
      hc_hosts_claim_whole(h, g->host);
    } else {
      if (i == 0 || g->chunk != g[-1].chunk) (void)hc_hosts_want_of_grant(h, r, m, g, &w);
      hc_hosts_claim(h, &w, g);
    }
    hc_hosts_note_owing(h, g->host);
  }
  if (!h->has_shared || !hc_hosts_shared_need(h, r, m, shared)) return 0;
  for (uint32_t d = 0; d < h->dims; d++) h->shared_free[d] -= shared[d];
  return 0;
}

/* ---- hosts as a whole ---- */

hc_rc hc_hosts_reserve_whole(hc_hosts *h)
{
  if (!h->taken) h->taken = hc_alloc(h->allocator, (size_t)h->units * h->dims * sizeof *h->taken);
  return h->taken ? 0 : HC_ENOMEM;
}

void hc_hosts_note_whole(hc_hosts *h, uint32_t host)
{
  const size_t at = (size_t)host * h->dims;
  memcpy(h->taken + at, h->caps + at, h->dims * sizeof *h->taken);
}

const int64_t *hc_hosts_taken_of(const hc_hosts *h, uint32_t host)
{
  return (h->taken ? h->taken : h->caps) + (size_t)host * h->dims;
}

/* Of those that are whole somebody's now: what others were taken for is nobody's business any more. */
hc_rc hc_hosts_visit_whole(hc_hosts *h, hc_visitor *v)
{
  for (uint32_t host = 0; host < h->units; host++) {
    if ((h->flags[host] & HC_HOSTS_WHOLE) == 0) continue;
    TRY(hc_hosts_reserve_whole(h));
    TRY(hc_visit_bytes(v, h->taken + (size_t)host * h->dims, h->dims * sizeof *h->taken));
  }
  return 0;
}
