/* service_queues.c -- see service_queues.h. */
#include "policy/service_queues.h"

#include "base/util.h"

enum { SERVICE_AREA, SERVICE_TIME };

hc_rc hc_service_queues_check(const hc_service_queues *q, const char *where, hc_error *e)
{
  const double *t = q->thresholds.items;
  for (size_t i = 1; i < q->thresholds.count; i++)
    if (!(t[i] > t[i - 1]))
      return hc_fail(e, HC_EUSAGE, where, 0, 0,
                     "thresholds must ascend, and %g stands behind %g: write them in order, each once", t[i],
                     t[i - 1]);
  return 0;
}

static double weight_of(const hc_service_queues *q, const hc_ranked *j)
{
  return q->service == SERVICE_TIME ? 1 : j->weight;
}

double hc_service_of(const hc_service_queues *q, const hc_ranked *j, hc_time now)
{
  return weight_of(q, j) * ((double)hc_ranked_held(j, now) / 1e9);
}

/* The first whole ns. */
static hc_time round_up(double ns)
{
  const hc_time whole = ns < 0x1p62 ? (hc_time)ns : HC_NEVER;
  return whole == HC_NEVER ? whole : whole + ((double)whole < ns);
}

/* The time held, in ns, at which a threshold is reached. */
static hc_time reached(const hc_service_queues *q, const hc_ranked *j, double threshold)
{
  return round_up(threshold * 1e9 / weight_of(q, j));
}

static hc_time counted(const hc_ranked *j, hc_time now)
{
  return hc_ranked_held(j, now) - j->forgiven;
}

static int64_t level(const hc_service_queues *q, const hc_ranked *j, hc_time now)
{
  const double *t = q->thresholds.items;
  const hc_time held = counted(j, now);
  int64_t n = 0;
  while ((size_t)n < q->thresholds.count && held >= reached(q, j, t[n])) n++;
  return n;
}

/* When a task that waits is in the first queue again. */
static hc_time promoted_at(const hc_service_queues *q, const hc_ranked *j)
{
  if (q->promote == 0 || j->state != HC_RANKED_WAITS || j->held == j->forgiven) return HC_NEVER;
  return hc_time_add(j->waits, round_up(q->promote * (double)(j->held - j->forgiven)));
}

int64_t hc_service_level(hc_reranking *r, const hc_service_queues *q, const hc_view *v, hc_ranked *j)
{
  const hc_time now = r->s->now(v);
  const int64_t at = level(q, j, now);
  if (at == 0 || promoted_at(q, j) > now) return at;
  j->forgiven = j->held;
  j->waits = j->promoted = now;
  return 0;
}

hc_time hc_service_until(hc_reranking *r, const hc_service_queues *q, const hc_view *v, const hc_ranked *j)
{
  const hc_time now = r->s->now(v);
  const int64_t at = level(q, j, now);
  const double *t = q->thresholds.items;
  if (j->state == HC_RANKED_WAITS) return at > 0 ? promoted_at(q, j) : HC_NEVER;
  if ((size_t)at == q->thresholds.count) return HC_NEVER;
  const hc_time whole = reached(q, j, t[at]);
  return whole == HC_NEVER ? HC_NEVER : hc_time_add(now, whole - counted(j, now));
}
