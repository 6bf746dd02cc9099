/* order.c -- in which order points are carried out: those of one workload together, so that it is read once.
 *
 * The digits of the axes that change what arrives count most; among the rest the replication counts least. It
 * is a permutation of the product, computed and not stored. */
#include "base/util.h"
#include "study/runner.h"

uint64_t hc_study_point_at(const hc_study *s, uint64_t at)
{
  uint64_t point = 0, weight[HC_STUDY_AXES], w = 1;
  for (size_t i = s->axis_count; i-- > 0; w *= s->axes[i].count) weight[i] = w;
  for (int workload = 0; workload < 2; workload++) {
    for (size_t i = s->axis_count; i-- > 0;) {
      if (s->axes[i].workload != (workload == 1)) continue;
      point += at % s->axes[i].count * weight[i];
      at /= s->axes[i].count;
    }
  }
  return point;
}

uint64_t hc_study_shard_begin(const hc_study *s, uint64_t shard, uint64_t shards)
{
  return s->product / shards * (shard - 1) + HC_MIN(s->product % shards, shard - 1);
}
