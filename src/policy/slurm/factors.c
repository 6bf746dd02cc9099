/* factors.c -- see factors.h: the sum. */
#include "policy/slurm/factors.h"

#include "base/util.h"

#define NO_MINUTES 4294967295.0 /* what Slurm divides by where there is no limit */

static double between(double x)
{
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double age_of(const hc_slurm_priority *p, const hc_slurm_ranked *job, hc_time now)
{
  if (p->age == 0 || job->accrue == HC_UNKNOWN || p->max_age == HC_NEVER) return 0;
  const int64_t age = HC_MAX(hc_floor_div(now, HC_SECOND) - hc_floor_div(job->accrue, HC_SECOND), INT64_C(0));
  const int64_t most = p->max_age / HC_SECOND;
  return age < most ? (double)age / (double)most : 1;
}

static double relative_size(const hc_slurm_priority *p, const hc_slurm_scale *s, const hc_slurm_ranked *job)
{
  const double cpus = (double)s->cpus;
  const double at_least = (double)job->min_nodes * cpus / (double)s->nodes;
  const double minutes =
      job->limit == HC_NEVER ? NO_MINUTES : (double)HC_MAX(job->limit / HC_MINUTE, INT64_C(1));
  const double size = HC_MAX((double)job->cpus, at_least) / minutes / cpus;
  return p->favor_small ? 1 - size : size;
}

static double size_of(const hc_slurm_priority *p, const hc_slurm_scale *s, const hc_slurm_ranked *job)
{
  const double nodes = (double)s->nodes, cpus = (double)s->cpus;
  double x;
  if (p->flags & HC_SLURM_RELATIVE_TO_TIME) return between(relative_size(p, s, job));
  x = (p->favor_small ? nodes - (double)job->min_nodes : (double)job->min_nodes) / nodes;
  if (job->cpus > 0) x = (x + (p->favor_small ? cpus - (double)job->cpus : (double)job->cpus) / cpus) / 2;
  return between(x);
}

static double part_of(int64_t x, int64_t most, bool is_raw)
{
  if (is_raw) return (double)x;
  return most > 0 ? (double)x / (double)most : 0;
}

static double tres_of(const hc_slurm_priority *p, const hc_slurm_tres *t, const hc_slurm_ranked *job)
{
  double sum = 0;
  for (uint32_t i = 0; p->has_tres && job->amounts && i < t->count; i++) {
    const double amount = (double)job->amounts->of[i];
    const int64_t all = job->part_amounts ? job->part_amounts->of[i] : 0;
    if (p->flags & HC_SLURM_RAW_TRES) sum += amount * p->tres[i];
    else if (all > 0) sum += amount / (double)all * p->tres[i];
  }
  return sum;
}

static uint32_t cut(double x)
{
  if (x < 1) return 1;
  return x >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}

void hc_slurm_priority_of(const hc_slurm_priority *p, const hc_slurm_scale *s, const hc_slurm_ranked *job,
                          hc_time now, hc_slurm_factors *out)
{
  const hc_slurm_assocs *b = s->b;
  const int64_t assoc = job->assoc == HC_SLURM_NONE ? 0 : b->items[job->assoc].priority;
  const int64_t qos = job->qos == HC_SLURM_NONE ? 0 : b->qos[job->qos].priority;
  const int64_t most_part = HC_MAX(s->most_part_factor, INT64_C(1));
  *out = (hc_slurm_factors){
      .age = age_of(p, job, now) * p->age,
      .assoc = part_of(assoc, b->most_priority, p->flags & HC_SLURM_RAW_ASSOC) * p->assoc,
      .fair_share = (job->assoc == HC_SLURM_NONE ? 0 : job->fair_share) * p->fair_share,
      .size = p->size == 0 ? 0 : size_of(p, s, job) * p->size,
      .partition = part_of(job->part_factor, most_part, p->flags & HC_SLURM_RAW_PART) * p->partition,
      .qos = part_of(qos, b->most_qos_priority, p->flags & HC_SLURM_RAW_QOS) * p->qos,
      .tres = tres_of(p, &b->tres, job),
      .site = (double)job->site,
      .nice = (double)job->nice};
  out->priority = cut(out->age + out->assoc + out->fair_share + out->size + out->partition + out->qos +
                      out->tres + out->site - out->nice);
}

uint32_t hc_slurm_priority_basic(uint32_t *lowest, int64_t nice)
{
  int64_t x = *lowest >= 2 ? (int64_t)*lowest - 1 : 1;
  if (nice <= 0 || x > nice + 1) x -= nice;
  x = HC_MIN(HC_MAX(x, INT64_C(1)), (int64_t)UINT32_MAX);
  *lowest = HC_MIN(*lowest, (uint32_t)x);
  return (uint32_t)x;
}
