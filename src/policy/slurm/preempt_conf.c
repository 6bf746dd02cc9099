/* preempt_conf.c -- see preempt_conf.h. Source: slurm.conf(5) of Slurm 22.05. */
#include "policy/slurm/preempt_conf.h"

#include <stdlib.h>
#include <string.h>

#include "base/lexer.h"
#include "base/util.h"
#include "policy/slurm/settings.h"

#define MOST_GRACE 31536000 /* s */

static hc_rc wrong(const hc_conf_line *l, const hc_conf_pair *p, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, l->file, l->line, p->column, "%s=%.60s: %s", p->key, p->value, what);
}

const char *hc_slurm_preempt_mode_read(const char *text, hc_slurm_preempt_mode *mode, bool *gang,
                                       bool *within)
{
  static const char *const words[] = {"", "off", "cancel", "requeue", "suspend"};
  hc_slurm_preempt_mode found = HC_SLURM_MODE_CLUSTER;
  for (const char *p = text; *p; p += strspn(p, ", ")) {
    const size_t n = strcspn(p, ", ");
    hc_slurm_preempt_mode one = HC_SLURM_MODE_CLUSTER;
    for (size_t i = 1; i < HC_ARRAY_LEN(words); i++)
      if (hc_same_word(p, n, words[i])) one = (hc_slurm_preempt_mode)i;
    if (one != HC_SLURM_MODE_CLUSTER) {
      if (found != HC_SLURM_MODE_CLUSTER && found != one) return "it names two ways at once";
      found = one;
    } else if (hc_same_word(p, n, "gang")) {
      if (gang) *gang = true;
    } else if (hc_same_word(p, n, "within")) {
      if (within) *within = true;
    } else if (hc_same_word(p, n, "checkpoint")) {
      return "Slurm has no checkpoints since 20.02: OFF, CANCEL, REQUEUE or SUSPEND";
    } else if (n > 0) {
      return "expected OFF, CANCEL, REQUEUE or SUSPEND, and GANG or WITHIN beside it";
    }
    p += n;
  }
  *mode = found;
  return NULL;
}

/* ---- the cluster ---- */

static hc_rc take_type(hc_slurm_preemption *p, const hc_conf_line *l, const hc_conf_pair *pair, hc_error *e)
{
  static const char *const types[] = {"preempt/none", "preempt/partition_prio", "preempt/qos"};
  for (size_t i = 0; i < HC_ARRAY_LEN(types); i++) {
    if (!hc_conf_same(pair->value, types[i])) continue;
    p->type = (hc_slurm_preempt_type)i;
    return 1;
  }
  return wrong(l, pair, "expected preempt/none, preempt/partition_prio or preempt/qos", e);
}

static hc_rc take_mode(hc_slurm_preemption *p, const hc_conf_line *l, const hc_conf_pair *pair, hc_error *e)
{
  p->gang = p->within = false;
  const char *bad = hc_slurm_preempt_mode_read(pair->value, &p->mode, &p->gang, &p->within);
  return bad ? wrong(l, pair, bad, e) : 1;
}

static hc_rc take_exempt(hc_slurm_preemption *p, const hc_conf_line *l, const hc_conf_pair *pair, hc_error *e)
{
  hc_time t;
  p->exempt = 0;
  if (strcmp(pair->value, "-1") == 0) return 1;
  if (!hc_conf_limit(pair->value, &t) || t < 0)
    return wrong(l, pair, "expected minutes, or a time such as 1:30:00", e);
  p->exempt = t == HC_NEVER ? HC_SLURM_UNLIMITED : t / HC_SECOND;
  return 1;
}

static hc_rc take_number(const hc_conf_line *l, const hc_conf_pair *pair, int64_t most, int64_t *out,
                         hc_error *e)
{
  int64_t v;
  if (hc_parse_int(pair->value, strlen(pair->value), &v) < 0 || v < 0 || v > most)
    return hc_fail(e, HC_EINPUT, l->file, l->line, pair->column, "%s=%.60s is no number from 0 to %lld",
                   pair->key, pair->value, (long long)most);
  *out = v;
  return 1;
}

hc_rc hc_slurm_preempt_take(hc_slurm_preemption *p, const hc_conf_line *l, const hc_conf_pair *pair,
                            hc_error *e)
{
  int64_t v = 1;
  hc_rc rc;
  if (hc_conf_same(l->pairs[0].key, "PartitionName")) return 0; /* theirs: hc_slurm_preempt_partition */
  if (hc_conf_same(pair->key, "PreemptType")) return take_type(p, l, pair, e);
  if (hc_conf_same(pair->key, "PreemptMode")) return take_mode(p, l, pair, e);
  if (hc_conf_same(pair->key, "PreemptExemptTime")) return take_exempt(p, l, pair, e);
  if (hc_conf_same(pair->key, "MessageTimeout")) return take_number(l, pair, 65533, &p->message_timeout, e);
  if (!hc_conf_same(pair->key, "JobRequeue")) return 0;
  rc = take_number(l, pair, 1, &v, e);
  p->never_requeues = v == 0;
  return rc;
}

/* The last of its key that is not of a partition. */
static const hc_conf_pair *last_of(const hc_conf *c, const char *key, const hc_conf_line **line)
{
  for (size_t i = c->count; i-- > 0;) {
    if (hc_conf_same(c->lines[i].pairs[0].key, "PartitionName")) continue;
    const hc_conf_pair *pair = hc_conf_find(&c->lines[i], key);
    if (pair) *line = &c->lines[i];
    if (pair) return pair;
  }
  return NULL;
}

hc_rc hc_slurm_preempt_check(const hc_slurm_preemption *p, const hc_conf *conf, hc_error *e)
{
  const hc_conf_line *l = NULL;
  const bool has_mode = p->mode != HC_SLURM_MODE_CLUSTER && p->mode != HC_SLURM_MODE_OFF;
  const hc_conf_pair *pair = last_of(conf, has_mode ? "PreemptMode" : "PreemptType", &l);
  if (!pair) return 0;
  if (p->type == HC_SLURM_PREEMPT_NONE && has_mode)
    return wrong(l, pair,
                 "slurmctld does not start with it and no PreemptType: add "
                 "PreemptType=preempt/partition_prio or preempt/qos, or leave it out",
                 e);
  if (p->type != HC_SLURM_PREEMPT_NONE && !has_mode)
    return wrong(l, pair,
                 "slurmctld does not start with it and PreemptMode=OFF: add PreemptMode=REQUEUE, CANCEL or "
                 "SUSPEND,GANG",
                 e);
  if (p->mode == HC_SLURM_MODE_SUSPEND && !p->gang)
    return wrong(l, pair, "the gang scheduler is what lets suspended jobs go on: say SUSPEND,GANG", e);
  return 0;
}

/* ---- a partition ---- */

hc_rc hc_slurm_preempt_partition(hc_slurm_part_preemption *p, const hc_conf_defaults *d,
                                 const hc_conf_line *l, hc_error *e)
{
  const hc_conf_pair *mode = hc_conf_get(d, l, "PreemptMode"), *grace = hc_conf_get(d, l, "GraceTime");
  const char *bad = mode ? hc_slurm_preempt_mode_read(mode->value, &p->mode, NULL, NULL) : NULL;
  hc_time t;
  if (bad) return wrong(l, mode, bad, e);
  if (!grace) return 0;
  if (!hc_conf_duration(grace->value, strlen(grace->value), HC_SECOND, &t) || t < 0 ||
      t > MOST_GRACE * HC_SECOND)
    return wrong(l, grace, "expected seconds, or a time such as 0:02:00", e);
  p->grace = t / HC_SECOND;
  return 0;
}
