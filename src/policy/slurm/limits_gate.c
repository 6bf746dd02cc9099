/* limits_gate.c -- what a partition lets in: see limits.h. */
#include <string.h>

#include "base/lexer.h"
#include "base/util.h"
#include "policy/slurm/limits.h"

/* A list that says something. */
static bool is_given(const char *list)
{
  return list && *list && !hc_same_word(list, strlen(list), "ALL");
}

/* Whether two lists between commas have a name in common, whatever the case. */
static bool meet(const char *list, const char *names)
{
  for (const char *p = names; *p; p += strspn(p, ", ")) {
    const size_t n = strcspn(p, ", ");
    if (hc_slurm_is_listed(list, p, n)) return true;
    p += n;
  }
  return false;
}

static bool refuse(hc_slurm_verdict *v, const hc_slurm_asked *job, const char *reason)
{
  *v = (hc_slurm_verdict){reason, true, job->assoc, job->qos};
  return false;
}

/* An allowed list hides a denied one. */
static bool is_let_in(const char *allow, const char *deny, const char *name)
{
  if (is_given(allow)) return name && meet(allow, name);
  return !is_given(deny) || !name || !meet(deny, name);
}

bool hc_slurm_gate_admits(const hc_slurm_gate *g, const hc_slurm_assocs *b, const hc_slurm_asked *job,
                          const char *account, const char *groups, hc_slurm_verdict *v)
{
  const int64_t nodes = job->amounts.of[HC_SLURM_NODE];
  const hc_slurm_qos *q = job->qos == HC_SLURM_NONE ? NULL : &b->qos[job->qos];
  const uint32_t flags = q ? q->flags : 0;
  *v = (hc_slurm_verdict){NULL, false, HC_SLURM_NONE, HC_SLURM_NONE};
  if (!is_let_in(g->allow_groups, NULL, groups)) return refuse(v, job, "PartitionConfig");
  if ((nodes < g->min_nodes && !(flags & HC_SLURM_PART_MIN_NODE)) ||
      (g->max_nodes != UINT32_MAX && nodes > g->max_nodes && !(flags & HC_SLURM_PART_MAX_NODE)))
    return refuse(v, job, "PartitionNodeLimit");
  if (job->limit != HC_UNKNOWN && job->limit > g->max_time && !(flags & HC_SLURM_PART_TIME))
    return refuse(v, job, "PartitionTimeLimit");
  if (!is_let_in(g->allow_accounts, g->deny_accounts, account)) return refuse(v, job, "AccountNotAllowed");
  if (!is_let_in(g->allow_qos, g->deny_qos, q ? q->name : NULL)) return refuse(v, job, "QOSNotAllowed");
  return true;
}
