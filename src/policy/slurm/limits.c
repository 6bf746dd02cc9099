/* limits.c -- which limit forbids a job: see limits.h. */
#include "policy/slurm/limits.h"

#include <string.h>

#include "base/util.h"

#define NO_MINUTES INT64_C(0xffffffff) /* what Slurm multiplies by where there is no time limit */

/* A look at one job's limits. */
typedef struct look {
  const hc_slurm_limits *l;
  const hc_slurm_assocs *b;
  const hc_slurm_asked *job;
  hc_slurm_verdict *v;
  uint32_t first, second;              /* QOS in the order of their weight; HC_SLURM_NONE */
  hc_slurm_bounds taken;               /* limits that a QOS had, which hide those behind */
  hc_slurm_amounts mins;               /* amounts x minutes of the time limit */
  bool is_safe, is_strict, is_limited; /* is_limited: there is any limit to be looked at */
} look;

/* Whose limits are looked at. */
typedef struct owner {
  const hc_slurm_bounds *bounds;
  uint32_t assoc, qos; /* one of them HC_SLURM_NONE */
  uint32_t at;         /* its counter, and its usage */
} owner;

static bool forbid(const look *k, const owner *o, const char *reason, bool is_for_ever)
{
  *k->v = (hc_slurm_verdict){reason, is_for_ever, o->assoc, o->qos};
  return false;
}

/* ---- the job ---- */

static int64_t times(int64_t a, int64_t b)
{
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static double factor_of(const look *k)
{
  return k->job->qos == HC_SLURM_NONE ? 1 : k->b->qos[k->job->qos].usage_factor;
}

/* Minutes of a time limit; with UsageFactorSafe as they are charged. */
static int64_t minutes(const look *k, hc_time limit)
{
  const bool is_charged =
      k->job->qos != HC_SLURM_NONE && (k->b->qos[k->job->qos].flags & HC_SLURM_FACTOR_SAFE);
  const int64_t n = limit == HC_NEVER ? NO_MINUTES : (limit + HC_MINUTE - 1) / HC_MINUTE;
  if (!is_charged || (limit == HC_NEVER && factor_of(k) >= 1)) return n;
  return (int64_t)HC_MIN((double)n * factor_of(k), 0x1p62);
}

/* Its own minutes; -1: it names none, and has what the limit at hand is. */
static int64_t own_minutes(const look *k)
{
  return k->job->limit == HC_UNKNOWN ? -1 : minutes(k, k->job->limit);
}

static bool has_bounds(const look *k, uint32_t qos)
{
  return qos != HC_SLURM_NONE && k->l->has_bounds[k->b->count + qos];
}

static void begin(look *k, const hc_slurm_limits *l, const hc_slurm_asked *job, hc_slurm_verdict *v)
{
  const bool is_over =
      job->qos != HC_SLURM_NONE && (l->usage->b->qos[job->qos].flags & HC_SLURM_OVER_PART_QOS);
  const hc_time limit = job->limit == HC_UNKNOWN ? job->part_limit : job->limit;
  int64_t *taken = (int64_t *)(void *)&k->taken;
  *v = (hc_slurm_verdict){NULL, false, HC_SLURM_NONE, HC_SLURM_NONE};
  k->l = l;
  k->b = l->usage->b;
  k->job = job;
  k->v = v;
  k->is_strict = false;
  k->is_safe = (l->enforce & HC_SLURM_ENFORCE_SAFE) != 0;
  k->first = is_over || job->part_qos == HC_SLURM_NONE ? job->qos : job->part_qos;
  k->second = k->first == job->qos ? job->part_qos : job->qos;
  if (k->second == k->first) k->second = HC_SLURM_NONE;
  k->is_limited = job->assoc != HC_SLURM_NONE && (l->enforce & HC_SLURM_ENFORCE_LIMITS) &&
                  (l->has_bounds[job->assoc] || has_bounds(k, k->first) || has_bounds(k, k->second));
  if (!k->is_limited) return;
  for (size_t i = 0; i < sizeof k->taken / sizeof *taken; i++) taken[i] = HC_SLURM_NO_LIMIT;
  for (uint32_t i = 0; i < k->b->tres.count; i++)
    k->mins.of[i] = times(minutes(k, limit), job->amounts.of[i]);
}

static owner of_assoc(const look *k, uint32_t x)
{
  return (owner){&k->b->items[x].bounds, x, HC_SLURM_NONE, x};
}

static owner of_qos(const look *k, uint32_t q)
{
  return (owner){&k->b->qos[q].bounds, HC_SLURM_NONE, q, (uint32_t)k->b->count + q};
}

/* The counter of the job's user or account in a QOS; NULL: nothing was counted yet. */
static const hc_slurm_counter *member(const look *k, uint32_t qos, bool is_account)
{
  const hc_slurm_assoc *x = &k->b->items[k->job->assoc];
  const uint32_t id = is_account ? x->account_id : x->user_id;
  const uint32_t at = hc_map_get(&k->l->index, hc_slurm_member_key(qos, id, is_account));
  return at == HC_MAP_NONE ? NULL : &k->l->counters[at];
}

/* ---- one number ---- */

/* Whether a limit holds, which a QOS may have hidden. One of a QOS hides those behind. */
static bool holds(const owner *o, int64_t limit, int64_t *taken)
{
  if (*taken != HC_SLURM_NO_LIMIT || limit == HC_SLURM_NO_LIMIT) return false;
  if (o->qos != HC_SLURM_NONE) *taken = limit;
  return true;
}

/* ---- TRES ---- */

/* Nodes of the job that the counter does not hold already. */
static int64_t new_nodes(const look *k, const hc_slurm_counter *c)
{
  const hc_slurm_asked *job = k->job;
  int64_t n = job->amounts.of[HC_SLURM_NODE];
  if (!c || c->nodes == HC_MAP_NONE || !job->nodes) return n;
  const uint16_t *jobs = k->l->node_jobs + (size_t)c->nodes * k->l->node_count;
  n = 0;
  for (size_t r = 0; r < job->node_ranges; r++)
    for (uint32_t i = 0; i < job->nodes[r].count; i++) {
      const uint32_t node = job->nodes[r].first + i;
      n += node >= k->l->node_count || jobs[node] == 0;
    }
  return n;
}

/* Amounts that are held together may not exceed a limit. */
static bool fits_held(const look *k, const owner *o, hc_slurm_family family, const hc_slurm_amounts *limits,
                      double scale, hc_slurm_amounts *taken, const hc_slurm_counter *c)
{
  for (uint32_t i = 0; i < k->b->tres.count; i++) {
    if (i == HC_SLURM_ENERGY || !holds(o, limits->of[i], &taken->of[i])) continue;
    const int64_t limit = scale > 0 ? (int64_t)HC_MIN((double)limits->of[i] * scale, 0x1p62) : limits->of[i];
    const int64_t wants = i == HC_SLURM_NODE ? new_nodes(k, c) : k->job->amounts.of[i];
    if (wants > limit) return forbid(k, o, hc_slurm_reason(&k->b->tres, family, i), true);
    if (wants > 0 && c && wants > limit - c->held.of[i])
      return forbid(k, o, hc_slurm_reason(&k->b->tres, family, i), false);
  }
  return true;
}

/* Whether used minutes stay as they are. */
static bool never_decays(const look *k, const owner *o)
{
  return k->l->usage->s.step == 1 ||
         (o->qos != HC_SLURM_NONE && (k->b->qos[o->qos].flags & HC_SLURM_NO_DECAY));
}

/* Minutes used so far, and those that running jobs may still use. With a UsageFactor of 0 none count. */
static void used_minutes(const look *k, const owner *o, uint32_t i, int64_t *spent, int64_t *running)
{
  const hc_slurm_used *u = &k->l->usage->used[o->at];
  const bool is_free = factor_of(k) == 0;
  *spent = is_free ? 0 : (int64_t)HC_MIN(u->tres[i] / 60, 0x1p62);
  *running = is_free ? 0 : (int64_t)HC_MIN(u->run_secs[i] / 60, 0x1p62);
}

/* GrpTRESMins: what was used, and with `safe` what would be. */
static bool fits_minutes(const look *k, const owner *o, hc_slurm_family family, hc_slurm_amounts *taken)
{
  for (uint32_t i = 0; i < k->b->tres.count; i++) {
    const int64_t limit = o->bounds->grp_mins.of[i], wants = k->mins.of[i];
    int64_t spent, running;
    if (i == HC_SLURM_ENERGY || !holds(o, limit, &taken->of[i])) continue;
    const char *reason = hc_slurm_reason(&k->b->tres, family, i);
    used_minutes(k, o, i, &spent, &running);
    if (wants > 0 && spent >= limit) return forbid(k, o, reason, limit <= 0 || never_decays(k, o));
    if (!k->is_safe) continue;
    if (wants > limit) return forbid(k, o, reason, true);
    if (wants > 0 && wants > limit - spent - running)
      return forbid(k, o, reason, wants > limit - spent && never_decays(k, o));
  }
  return true;
}

/* GrpTRESRunMins: what running jobs may still use, and this one. */
static bool fits_running(const look *k, const owner *o, hc_slurm_family family, hc_slurm_amounts *taken)
{
  for (uint32_t i = 0; i < k->b->tres.count; i++) {
    const int64_t limit = o->bounds->grp_run_mins.of[i], wants = k->mins.of[i];
    int64_t spent, running;
    if (i == HC_SLURM_ENERGY || !holds(o, limit, &taken->of[i])) continue;
    used_minutes(k, o, i, &spent, &running);
    if (wants > limit || (wants > 0 && wants > limit - running))
      return forbid(k, o, hc_slurm_reason(&k->b->tres, family, i), wants > limit);
  }
  return true;
}

/* Amounts of the job alone, on each of `divisor` nodes, against the most or the least. */
static bool fits_alone(const look *k, const owner *o, hc_slurm_family family, const hc_slurm_amounts *limits,
                       double scale, hc_slurm_amounts *taken, const hc_slurm_amounts *amounts,
                       int64_t divisor)
{
  const bool is_least = family == HC_SLURM_QOS_MIN_JOB;
  for (uint32_t i = 0; i < k->b->tres.count; i++) {
    if (i == HC_SLURM_ENERGY || !holds(o, limits->of[i], &taken->of[i])) continue;
    const int64_t limit = scale > 0 ? (int64_t)HC_MIN((double)limits->of[i] * scale, 0x1p62) : limits->of[i];
    const int64_t wants = divisor > 0 ? amounts->of[i] / divisor : amounts->of[i];
    if (o->qos == HC_SLURM_NONE && amounts->of[i] == 0) continue;
    if (is_least ? wants < limit : wants > limit)
      return forbid(k, o, hc_slurm_reason(&k->b->tres, family, i), true);
  }
  return true;
}

/* ---- before hosts are chosen ---- */

static bool fits_wall(look *k, const owner *o, int64_t limit, int64_t *taken, const char *reason)
{
  const int64_t asked = own_minutes(k);
  if (!holds(o, limit, taken)) return true;
  return asked > limit ? forbid(k, o, reason, true) : true;
}

static bool fits_grp_wall(look *k, const owner *o, const char *reason)
{
  const int64_t limit = o->bounds->grp_wall;
  const int64_t spent = (int64_t)(k->l->usage->used[o->at].wall / 60);
  if (!holds(o, limit, &k->taken.grp_wall)) return true;
  const int64_t asked = own_minutes(k) < 0 ? HC_MIN(limit, o->bounds->max_wall) : own_minutes(k);
  if (spent >= limit) return forbid(k, o, reason, limit <= 0 || never_decays(k, o));
  if (k->is_safe && asked > limit - spent) return forbid(k, o, reason, asked > limit || never_decays(k, o));
  return true;
}

/* A count of jobs. */
static bool fits_count(look *k, const owner *o, int64_t limit, int64_t *taken, int64_t has,
                       const char *reason)
{
  if (!holds(o, limit, taken) || has < limit) return true;
  return forbid(k, o, reason, limit <= 0);
}

static bool qos_before(look *k, uint32_t qos)
{
  if (!has_bounds(k, qos)) return true;
  const owner o = of_qos(k, qos);
  const hc_slurm_bounds *x = o.bounds;
  const hc_slurm_counter *user = member(k, qos, false), *account = member(k, qos, true);
  return fits_count(k, &o, x->grp_jobs, &k->taken.grp_jobs, k->l->counters[o.at].jobs, "QOSGrpJobsLimit") &&
         fits_grp_wall(k, &o, "QOSGrpWallLimit") &&
         fits_count(k, &o, x->max_jobs_account, &k->taken.max_jobs_account, account ? account->jobs : 0,
                    "MaxJobsPerAccount") &&
         fits_count(k, &o, x->max_jobs_user, &k->taken.max_jobs_user, user ? user->jobs : 0,
                    "QOSMaxJobsPerUserLimit") &&
         fits_wall(k, &o, x->max_wall, &k->taken.max_wall, "QOSMaxWallDurationPerJobLimit");
}

static bool assoc_before(look *k, uint32_t assoc)
{
  const owner o = of_assoc(k, assoc);
  const hc_slurm_bounds *x = o.bounds;
  const int64_t jobs = k->l->counters[o.at].jobs;
  if (!k->l->has_bounds[assoc]) return true;
  if (!fits_count(k, &o, x->grp_jobs, &k->taken.grp_jobs, jobs, "AssocGrpJobsLimit")) return false;
  if (!fits_grp_wall(k, &o, "AssocGrpWallLimit")) return false;
  if (assoc != k->job->assoc) return true;
  if (k->taken.max_jobs_account == HC_SLURM_NO_LIMIT &&
      !fits_count(k, &o, x->max_jobs, &k->taken.max_jobs_user, jobs, "AssocMaxJobsLimit"))
    return false;
  return fits_wall(k, &o, x->max_wall, &k->taken.max_wall, "AssocMaxWallDurationPerJobLimit");
}

/* Whether there is an association where one must be. @return true: go on if limits are enforced */
static bool is_known(look *k)
{
  static const owner none = {.assoc = HC_SLURM_NONE, .qos = HC_SLURM_NONE};
  if (k->job->assoc != HC_SLURM_NONE || !(k->l->enforce & HC_SLURM_ENFORCE_ASSOCS)) return true;
  return forbid(k, &none, "InvalidAccount", true);
}

bool hc_slurm_limits_before(const hc_slurm_limits *l, const hc_slurm_asked *job, hc_slurm_verdict *v)
{
  look k;
  begin(&k, l, job, v);
  if (!is_known(&k)) return false;
  if (!k.is_limited) return true;
  if (!qos_before(&k, k.first) || !qos_before(&k, k.second)) return false;
  for (uint32_t x = job->assoc; x != HC_SLURM_NONE; x = k.b->items[x].parent)
    if (!assoc_before(&k, x)) return false;
  return true;
}

/* ---- behind ---- */

static bool qos_after(look *k, uint32_t qos)
{
  if (!has_bounds(k, qos)) return true;
  const owner o = of_qos(k, qos);
  const hc_slurm_bounds *x = o.bounds;
  const hc_slurm_amounts *asks = &k->job->amounts;
  hc_slurm_bounds *t = &k->taken;
  return fits_minutes(k, &o, HC_SLURM_QOS_GRP_MINS, &t->grp_mins) &&
         fits_held(k, &o, HC_SLURM_QOS_GRP, &x->grp, 0, &t->grp, &k->l->counters[o.at]) &&
         fits_running(k, &o, HC_SLURM_QOS_GRP_RUN_MINS, &t->grp_run_mins) &&
         fits_alone(k, &o, HC_SLURM_QOS_MAX_MINS, &x->max_mins, 0, &t->max_mins, &k->mins, 0) &&
         fits_alone(k, &o, HC_SLURM_QOS_MAX_JOB, &x->max_job, 0, &t->max_job, asks, 0) &&
         fits_alone(k, &o, HC_SLURM_QOS_MAX_NODE, &x->max_node, 0, &t->max_node, asks,
                    asks->of[HC_SLURM_NODE]) &&
         fits_alone(k, &o, HC_SLURM_QOS_MIN_JOB, &x->min_job, 0, &t->min_job, asks, 0) &&
         fits_held(k, &o, HC_SLURM_QOS_MAX_ACCOUNT, &x->max_account, 0, &t->max_account,
                   member(k, qos, true)) &&
         fits_held(k, &o, HC_SLURM_QOS_MAX_USER, &x->max_user, 0, &t->max_user, member(k, qos, false));
}

/* By what a QOS multiplies limits of associations; 0: by nothing. */
static double limit_factor(const look *k)
{
  const double first = k->first == HC_SLURM_NONE ? 0 : k->b->qos[k->first].limit_factor;
  return first > 0 || k->second == HC_SLURM_NONE ? first : k->b->qos[k->second].limit_factor;
}

static bool assoc_after(look *k, uint32_t assoc)
{
  const owner o = of_assoc(k, assoc);
  const hc_slurm_bounds *x = o.bounds;
  const hc_slurm_amounts *asks = &k->job->amounts;
  const double scale = limit_factor(k);
  hc_slurm_bounds *t = &k->taken;
  if (!k->l->has_bounds[assoc]) return true;
  if (!fits_minutes(k, &o, HC_SLURM_ASSOC_GRP_MINS, &t->grp_mins) ||
      !fits_held(k, &o, HC_SLURM_ASSOC_GRP, &x->grp, scale, &t->grp, &k->l->counters[o.at]) ||
      !fits_running(k, &o, HC_SLURM_ASSOC_GRP_RUN_MINS, &t->grp_run_mins))
    return false;
  if (assoc != k->job->assoc) return true;
  return fits_alone(k, &o, HC_SLURM_ASSOC_MAX_MINS, &x->max_mins, 0, &t->max_mins, &k->mins, 0) &&
         fits_alone(k, &o, HC_SLURM_ASSOC_MAX_JOB, &x->max_job, scale, &t->max_job, asks, 0) &&
         fits_alone(k, &o, HC_SLURM_ASSOC_MAX_NODE, &x->max_node, 0, &t->max_node, asks,
                    asks->of[HC_SLURM_NODE]);
}

bool hc_slurm_limits_after(const hc_slurm_limits *l, const hc_slurm_asked *job, hc_slurm_verdict *v)
{
  look k;
  begin(&k, l, job, v);
  if (!k.is_limited) return true;
  if (!qos_after(&k, k.first) || !qos_after(&k, k.second)) return false;
  for (uint32_t x = job->assoc; x != HC_SLURM_NONE; x = k.b->items[x].parent)
    if (!assoc_after(&k, x)) return false;
  return true;
}

/* ---- at submission ---- */

/* Amounts of the job alone against a limit of many, which no wait would help. */
static bool could_fit(look *k, const owner *o, hc_slurm_family family, const hc_slurm_amounts *limits,
                      double scale, hc_slurm_amounts *taken, const hc_slurm_amounts *amounts)
{
  return !k->is_strict || fits_alone(k, o, family, limits, scale, taken, amounts, 0);
}

static bool fits_submitted(look *k, const owner *o, int64_t limit, int64_t *taken, int64_t has, int64_t jobs,
                           const char *reason)
{
  if (!holds(o, limit, taken) || jobs <= limit - has) return true;
  return forbid(k, o, reason, jobs > limit);
}

/* Slurm takes the time limit that a job does not name from the limits it has to keep. */
static bool could_last(look *k, const owner *o, hc_slurm_family family, const hc_slurm_amounts *limits,
                       hc_slurm_amounts *taken)
{
  return own_minutes(k) < 0 || could_fit(k, o, family, limits, 0, taken, &k->mins);
}

static bool qos_submit(look *k, uint32_t qos, int64_t jobs)
{
  if (!has_bounds(k, qos)) return true;
  const owner o = of_qos(k, qos);
  const hc_slurm_bounds *x = o.bounds;
  const hc_slurm_amounts *asks = &k->job->amounts;
  const hc_slurm_counter *user = member(k, qos, false), *account = member(k, qos, true);
  const int64_t nodes = asks->of[HC_SLURM_NODE];
  hc_slurm_bounds *t = &k->taken;
  return could_fit(k, &o, HC_SLURM_QOS_MAX_ACCOUNT, &x->max_account, 0, &t->max_account, asks) &&
         could_fit(k, &o, HC_SLURM_QOS_MAX_USER, &x->max_user, 0, &t->max_user, asks) &&
         could_fit(k, &o, HC_SLURM_QOS_GRP, &x->grp, 0, &t->grp, asks) &&
         fits_submitted(k, &o, x->grp_submit, &t->grp_submit, k->l->counters[o.at].submitted, jobs,
                        "QOSGrpSubmitJobsLimit") &&
         could_last(k, &o, HC_SLURM_QOS_MAX_MINS, &x->max_mins, &t->max_mins) &&
         could_last(k, &o, HC_SLURM_QOS_GRP_MINS, &x->grp_mins, &t->grp_mins) &&
         could_last(k, &o, HC_SLURM_QOS_GRP_RUN_MINS, &x->grp_run_mins, &t->grp_run_mins) &&
         (!k->is_strict || (fits_wall(k, &o, x->max_wall, &t->max_wall, "QOSMaxWallDurationPerJobLimit") &&
                            fits_wall(k, &o, x->grp_wall, &t->grp_wall, "QOSGrpWallLimit"))) &&
         could_fit(k, &o, HC_SLURM_QOS_MAX_JOB, &x->max_job, 0, &t->max_job, asks) &&
         (!k->is_strict ||
          fits_alone(k, &o, HC_SLURM_QOS_MAX_NODE, &x->max_node, 0, &t->max_node, asks, nodes)) &&
         fits_submitted(k, &o, x->max_submit_account, &t->max_submit_account,
                        account ? account->submitted : 0, jobs, "MaxSubmitJobsPerAccount") &&
         fits_submitted(k, &o, x->max_submit_user, &t->max_submit_user, user ? user->submitted : 0, jobs,
                        "QOSMaxSubmitJobPerUserLimit") &&
         could_fit(k, &o, HC_SLURM_QOS_MIN_JOB, &x->min_job, 0, &t->min_job, asks);
}

/* What holds for an association and all above it. */
static bool group_submit(look *k, const owner *o, int64_t jobs)
{
  const hc_slurm_bounds *x = o->bounds;
  hc_slurm_bounds *t = &k->taken;
  return could_fit(k, o, HC_SLURM_ASSOC_GRP, &x->grp, limit_factor(k), &t->grp, &k->job->amounts) &&
         fits_submitted(k, o, x->grp_submit, &t->grp_submit, k->l->counters[o->at].submitted, jobs,
                        "AssocGrpSubmitJobsLimit") &&
         could_last(k, o, HC_SLURM_ASSOC_GRP_MINS, &x->grp_mins, &t->grp_mins) &&
         could_last(k, o, HC_SLURM_ASSOC_GRP_RUN_MINS, &x->grp_run_mins, &t->grp_run_mins) &&
         (!k->is_strict || fits_wall(k, o, x->grp_wall, &t->grp_wall, "AssocGrpWallLimit"));
}

static bool own_submit(look *k, const owner *o, int64_t jobs)
{
  const hc_slurm_bounds *x = o->bounds;
  const hc_slurm_amounts *asks = &k->job->amounts;
  hc_slurm_bounds *t = &k->taken;
  if (!could_fit(k, o, HC_SLURM_ASSOC_MAX_JOB, &x->max_job, limit_factor(k), &t->max_job, asks)) return false;
  if (k->is_strict && !fits_alone(k, o, HC_SLURM_ASSOC_MAX_NODE, &x->max_node, 0, &t->max_node, asks,
                                  asks->of[HC_SLURM_NODE]))
    return false;
  if (t->max_submit_account == HC_SLURM_NO_LIMIT &&
      !fits_submitted(k, o, x->max_submit, &t->max_submit_user, k->l->counters[o->at].submitted, jobs,
                      "AssocMaxSubmitJobLimit"))
    return false;
  return could_last(k, o, HC_SLURM_ASSOC_MAX_MINS, &x->max_mins, &t->max_mins) &&
         (!k->is_strict || fits_wall(k, o, x->max_wall, &t->max_wall, "AssocMaxWallDurationPerJobLimit"));
}

static bool may_use_qos(look *k)
{
  const owner o = {.assoc = k->job->assoc, .qos = k->job->qos};
  if (!(k->l->enforce & HC_SLURM_ENFORCE_QOS) || hc_slurm_assocs_may_use(k->b, k->job->assoc, k->job->qos))
    return true;
  return forbid(k, &o, "InvalidQOS", true);
}

static bool denies(const look *k, uint32_t qos)
{
  return qos != HC_SLURM_NONE && (k->b->qos[qos].flags & HC_SLURM_DENY_ON_LIMIT);
}

bool hc_slurm_limits_submit(const hc_slurm_limits *l, const hc_slurm_asked *job, int64_t jobs,
                            hc_slurm_verdict *v)
{
  look k;
  begin(&k, l, job, v);
  if (!is_known(&k) || !may_use_qos(&k)) return false;
  if (!k.is_limited) return true;
  k.is_strict = k.first == HC_SLURM_NONE || denies(&k, k.first) || denies(&k, k.second);
  if (!qos_submit(&k, k.first, jobs) || !qos_submit(&k, k.second, jobs)) return false;
  for (uint32_t x = job->assoc; x != HC_SLURM_NONE; x = k.b->items[x].parent) {
    const owner o = of_assoc(&k, x);
    if (!l->has_bounds[x]) continue;
    if (!group_submit(&k, &o, jobs) || (x == job->assoc && !own_submit(&k, &o, jobs))) return false;
  }
  return true;
}

/* ---- the time limit of a job that names none ---- */

static void lower(int64_t *least, const owner *o, int64_t limit, int64_t *taken)
{
  if (holds(o, limit, taken)) *least = HC_MIN(*least, limit);
}

hc_time hc_slurm_limits_wall(const hc_slurm_limits *l, const hc_slurm_asked *job)
{
  int64_t least = HC_SLURM_NO_LIMIT;
  hc_slurm_verdict v;
  look k;
  begin(&k, l, job, &v);
  if (!k.is_limited) return HC_UNKNOWN;
  for (int i = 0; i < 2; i++) {
    const uint32_t qos = i == 0 ? k.first : k.second;
    if (qos == HC_SLURM_NONE) continue;
    const owner o = of_qos(&k, qos);
    lower(&least, &o, o.bounds->max_wall, &k.taken.max_wall);
    lower(&least, &o, o.bounds->grp_wall, &k.taken.grp_wall);
  }
  for (uint32_t x = job->assoc; x != HC_SLURM_NONE; x = k.b->items[x].parent) {
    const owner o = of_assoc(&k, x);
    lower(&least, &o, o.bounds->grp_wall, &k.taken.grp_wall);
    if (x == job->assoc) lower(&least, &o, o.bounds->max_wall, &k.taken.max_wall);
  }
  return least == HC_SLURM_NO_LIMIT ? HC_UNKNOWN : HC_MIN(least, HC_NEVER / HC_MINUTE) * HC_MINUTE;
}
