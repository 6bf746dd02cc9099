/* partition_conf.c -- what the lines of a slurm.conf say of a partition that scheduling goes by. */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/books.h"

hc_rc hc_slurm_partition_read(hc_slurm_partition *p, const char *name, const hc_conf *conf,
                              const hc_allocator *a, hc_error *e)
{
  hc_conf_defaults d = {0};
  hc_rc rc = 0;
  for (size_t i = 0; conf && i < conf->count && rc >= 0; i++) {
    const hc_conf_line *l = &conf->lines[i];
    const hc_conf_pair *tier, *time;
    hc_time most;
    int64_t v;
    if (!hc_conf_same(l->pairs[0].key, "PartitionName")) continue;
    rc = hc_conf_is_default(&d, a, l);
    if (rc != 0 || strcmp(l->pairs[0].value, name) != 0) continue;
    tier = hc_conf_get(&d, l, "PriorityTier");
    if (!tier) tier = hc_conf_get(&d, l, "Priority");
    if (tier && (!hc_conf_amount(tier->value, strlen(tier->value), &v) || v > 65533))
      rc = hc_fail(e, HC_EINPUT, l->file, l->line, tier->column, "%s=%.40s is no number from 0 to 65533",
                   tier->key, tier->value);
    else if (tier) p->tier = v;
    const hc_conf_pair *factor = hc_conf_get(&d, l, "PriorityJobFactor");
    if (rc >= 0 && factor && (!hc_conf_amount(factor->value, strlen(factor->value), &v) || v > 65533))
      rc = hc_fail(e, HC_EINPUT, l->file, l->line, factor->column,
                   "PriorityJobFactor=%.40s is no number from 0 to 65533", factor->value);
    else if (factor) p->factor = v;
    time = hc_conf_get(&d, l, "MaxTime");
    if (rc >= 0 && time && (!hc_conf_limit(time->value, &most) || most <= 0))
      rc = hc_fail(e, HC_EINPUT, l->file, l->line, time->column,
                   "MaxTime=%.60s: expected minutes, D-HH:MM:SS or UNLIMITED", time->value);
    else if (time && most != HC_NEVER) p->max_time = most / HC_SECOND;
    time = hc_conf_get(&d, l, "DefaultTime");
    if (!time) time = hc_conf_get(&d, l, "DefTime");
    if (rc >= 0 && time && strcmp(time->value, "NONE") != 0 &&
        (!hc_conf_limit(time->value, &most) || most <= 0))
      rc = hc_fail(e, HC_EINPUT, l->file, l->line, time->column,
                   "DefaultTime=%.60s: expected minutes, D-HH:MM:SS, UNLIMITED or NONE", time->value);
    else if (time && strcmp(time->value, "NONE") != 0 && most != HC_NEVER) p->default_time = most / HC_SECOND;
    if (rc >= 0) rc = hc_slurm_preempt_partition(&p->preempt, &d, l, e);
  }
  hc_free(a, (void *)d.lines, d.cap * sizeof *d.lines);
  return HC_MIN(rc, 0);
}
