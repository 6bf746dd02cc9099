/* assoc_keys.c -- what a key of sacctmgr means for an association and for a QOS.
 *
 * One table for all of them: a key has a name, how much of it is enough, what it belongs to, how its value
 * is read and where it is kept. Columns of `sacctmgr show qos` are named by the begins of these keys, or
 * have a row of their own. A key that is written out is that key; else the first row of which it is a begin.
 * Source: sacctmgr(1) of Slurm 22.05. */
#include <stddef.h>
#include <string.h>

#include "base/lexer.h"
#include "base/slurm_conf.h"
#include "base/util.h"
#include "policy/slurm/assoc.h"

#define MOST_GRACE 31536000 /* s */
#define MOST_FACTOR 1e6     /* products of factors and amounts stay numbers */

typedef enum how {
  COUNT,    /* a number of jobs; -1: no limit */
  WALL,     /* minutes, or a time */
  LIST,     /* of TRES */
  ONE,      /* one TRES, which is `tres` */
  SHARES,   /* a number or parent */
  PRIORITY, /* a number; -1: none */
  QOS_LIST, /* of QOS */
  DEFAULT,  /* a QOS */
  PREEMPT,  /* QOS that may be preempted */
  MODE,     /* how */
  GRACE,    /* seconds, or a time */
  EXEMPT,   /* minutes, or a time */
  FLAGS,    /* of a QOS */
  FACTOR,   /* usage */
  LIMIT_FACTOR,
  NOTED,  /* it would play a part and does not: noted if it has a value */
  NOTHING /* nothing that a schedule depends on */
} how;

enum { OF_ASSOC = 1, OF_QOS = 2, OF_BOTH = 3 };

typedef struct row {
  const char *name;
  uint8_t least, of, how, tres;
  uint16_t offset; /* in hc_slurm_bounds */
} row;

#define AT(member) offsetof(hc_slurm_bounds, member)

static const row rows[] = {
    {"AdminLevel", 2, OF_ASSOC, NOTHING, 0, 0},
    {"Classification", 2, OF_ASSOC, NOTHING, 0, 0},
    {"Coordinators", 2, OF_ASSOC, NOTHING, 0, 0},
    {"DefaultQOS", 8, OF_ASSOC, DEFAULT, 0, 0},
    {"DefaultWCKey", 8, OF_ASSOC, NOTHING, 0, 0},
    {"Descr", 5, OF_BOTH, NOTHING, 0, 0},
    {"Description", 3, OF_BOTH, NOTHING, 0, 0},
    {"FairShare", 1, OF_ASSOC, SHARES, 0, 0},
    {"Features", 4, OF_ASSOC, NOTHING, 0, 0},
    {"Flags", 2, OF_QOS, FLAGS, 0, 0},
    {"GraceTime", 3, OF_QOS, GRACE, 0, 0},
    {"GrpCPUMins", 7, OF_BOTH, ONE, HC_SLURM_CPU, AT(grp_mins)},
    {"GrpCPURunMins", 7, OF_BOTH, ONE, HC_SLURM_CPU, AT(grp_run_mins)},
    {"GrpCPUs", 7, OF_BOTH, ONE, HC_SLURM_CPU, AT(grp)},
    {"GrpJobs", 4, OF_BOTH, COUNT, 0, AT(grp_jobs)},
    {"GrpJobsAccrue", 8, OF_BOTH, NOTED, 0, 0},
    {"GrpMemory", 4, OF_BOTH, ONE, HC_SLURM_MEM, AT(grp)},
    {"GrpNodes", 4, OF_BOTH, ONE, HC_SLURM_NODE, AT(grp)},
    {"GrpSubmitJobs", 4, OF_BOTH, COUNT, 0, AT(grp_submit)},
    {"GrpTRES", 7, OF_BOTH, LIST, 0, AT(grp)},
    {"GrpTRESMins", 8, OF_BOTH, LIST, 0, AT(grp_mins)},
    {"GrpTRESRunMins", 8, OF_BOTH, LIST, 0, AT(grp_run_mins)},
    {"GrpWall", 4, OF_BOTH, WALL, 0, AT(grp_wall)},
    {"ID", 2, OF_QOS, NOTHING, 0, 0},
    {"LimitFactor", 6, OF_QOS, LIMIT_FACTOR, 0, 0},
    {"MaxCPUMinsPerJob", 7, OF_BOTH, ONE, HC_SLURM_CPU, AT(max_mins)},
    {"MaxCPURunMins", 10, OF_BOTH, NOTED, 0, 0},
    {"MaxCPUsPerUser", 11, OF_QOS, ONE, HC_SLURM_CPU, AT(max_user)},
    {"MaxCPUsPU", 9, OF_QOS, ONE, HC_SLURM_CPU, AT(max_user)},
    {"MaxCPUsPerJob", 7, OF_BOTH, ONE, HC_SLURM_CPU, AT(max_job)},
    {"MaxJobsAccruePerUser", 8, OF_BOTH, NOTED, 0, 0},
    {"MaxJobsAccruePA", 15, OF_QOS, NOTED, 0, 0},
    {"MaxJobsAccruePU", 15, OF_QOS, NOTED, 0, 0},
    {"MaxJobsPerAccount", 11, OF_QOS, COUNT, 0, AT(max_jobs_account)},
    {"MaxJobsPA", 9, OF_QOS, COUNT, 0, AT(max_jobs_account)},
    {"MaxJobsPerUser", 4, OF_QOS, COUNT, 0, AT(max_jobs_user)},
    {"MaxJobsPU", 9, OF_QOS, COUNT, 0, AT(max_jobs_user)},
    {"MaxJobs", 4, OF_ASSOC, COUNT, 0, AT(max_jobs)},
    {"MaxNodesPerUser", 12, OF_QOS, ONE, HC_SLURM_NODE, AT(max_user)},
    {"MaxNodesPU", 10, OF_QOS, ONE, HC_SLURM_NODE, AT(max_user)},
    {"MaxNodesPerJob", 4, OF_BOTH, ONE, HC_SLURM_NODE, AT(max_job)},
    {"MaxSubmitJobsPerAccount", 17, OF_QOS, COUNT, 0, AT(max_submit_account)},
    {"MaxSubmitJobsPA", 15, OF_QOS, COUNT, 0, AT(max_submit_account)},
    {"MaxSubmitPA", 11, OF_QOS, COUNT, 0, AT(max_submit_account)},
    {"MaxSubmitJobsPerUser", 4, OF_QOS, COUNT, 0, AT(max_submit_user)},
    {"MaxSubmitJobsPU", 15, OF_QOS, COUNT, 0, AT(max_submit_user)},
    {"MaxSubmitPU", 11, OF_QOS, COUNT, 0, AT(max_submit_user)},
    {"MaxSubmitJobs", 4, OF_ASSOC, COUNT, 0, AT(max_submit)},
    {"MaxTRESPerAccount", 11, OF_QOS, LIST, 0, AT(max_account)},
    {"MaxTRESPA", 9, OF_QOS, LIST, 0, AT(max_account)},
    {"MaxTRESPerUser", 11, OF_QOS, LIST, 0, AT(max_user)},
    {"MaxTRESPU", 9, OF_QOS, LIST, 0, AT(max_user)},
    {"MaxTRESPerNode", 11, OF_BOTH, LIST, 0, AT(max_node)},
    {"MaxTRESPN", 9, OF_BOTH, LIST, 0, AT(max_node)},
    {"MaxTRESPerJob", 7, OF_BOTH, LIST, 0, AT(max_job)},
    {"MaxTRESPJ", 9, OF_BOTH, LIST, 0, AT(max_job)},
    {"MaxTRESMinsPerJob", 8, OF_BOTH, LIST, 0, AT(max_mins)},
    {"MaxTRESRunMinsPerUser", 8, OF_BOTH, NOTED, 0, 0},
    {"MaxTRESRunMinsPA", 16, OF_QOS, NOTED, 0, 0},
    {"MaxTRESRunMinsPU", 16, OF_QOS, NOTED, 0, 0},
    {"MaxWallDurationPerJob", 4, OF_BOTH, WALL, 0, AT(max_wall)},
    {"MinCPUsPerJob", 7, OF_QOS, ONE, HC_SLURM_CPU, AT(min_job)},
    {"MinPrioThresh", 4, OF_BOTH, NOTED, 0, 0},
    {"MinTRESPerJob", 7, OF_QOS, LIST, 0, AT(min_job)},
    {"Organization", 1, OF_ASSOC, NOTHING, 0, 0},
    {"Preempt", 7, OF_QOS, PREEMPT, 0, 0},
    {"PreemptExemptTime", 8, OF_QOS, EXEMPT, 0, 0},
    {"PreemptMode", 8, OF_QOS, MODE, 0, 0},
    {"Priority", 2, OF_BOTH, PRIORITY, 0, 0},
    {"QOSLevel", 1, OF_ASSOC, QOS_LIST, 0, 0},
    {"RawUsage", 7, OF_BOTH, NOTED, 0, 0},
    {"Shares", 1, OF_ASSOC, SHARES, 0, 0},
    {"UsageFactor", 6, OF_QOS, FACTOR, 0, 0},
    {"UsageThreshold", 6, OF_QOS, NOTED, 0, 0},
    {"WCKeys", 2, OF_ASSOC, NOTHING, 0, 0},
};

_Static_assert(sizeof(hc_slurm_bounds) % sizeof(int64_t) == 0, "limits are numbers");

static bool same_letters(const char *a, const char *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if ((a[i] | 0x20) != (b[i] | 0x20)) return false;
  return true;
}

bool hc_slurm_begins(const char *word, size_t n, const char *name, size_t least)
{
  return n >= least && n <= strlen(name) && same_letters(word, name, n);
}

bool hc_slurm_is_listed(const char *list, const char *name, size_t n)
{
  for (const char *p = list; *p; p += strspn(p, ", ")) {
    const size_t m = strcspn(p, ", ");
    if (m == n && n > 0 && same_letters(p, name, n)) return true;
    p += m;
  }
  return false;
}

static const row *find_row(const hc_slurm_setting *s, unsigned of)
{
  const row *found = NULL;
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) {
    const row *r = &rows[i];
    if (!(r->of & of) || !hc_slurm_begins(s->key, s->key_size, r->name, r->least)) continue;
    if (s->key_size == strlen(r->name)) return r;
    if (!found) found = r;
  }
  return found;
}

static hc_rc unknown(const hc_slurm_setting *s, const char *of, unsigned mask, hc_error *e)
{
  const char *names[HC_ARRAY_LEN(rows)];
  char word[64];
  size_t n = 0;
  const size_t m = HC_MIN(s->key_size, sizeof word - 1);
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++)
    if (rows[i].of & mask) names[n++] = rows[i].name;
  memcpy(word, s->key, m);
  word[m] = '\0';
  const char *near = hc_title_near(names, n, word);
  return hc_fail(e, HC_EINPUT, s->at.file, s->at.line, s->at.column, "%s has no key \"%s\"%s%s%s", of, word,
                 near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}

static hc_rc wrong(const hc_slurm_setting *s, const char *expected, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, s->at.file, s->at.line, s->at.column, "%.*s: expected %s, got \"%.60s\"",
                 (int)HC_MIN(s->key_size, (size_t)40), s->key, expected, s->value);
}

static hc_rc no_memory(const hc_slurm_setting *s, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, s->at.file, 0, 0, "out of memory");
}

/* ---- values ---- */

static hc_rc set_count(const hc_slurm_setting *s, int64_t *out, hc_error *e)
{
  if (!hc_slurm_tres_amount(HC_SLURM_CPU, s->value, strlen(s->value), out))
    return wrong(s, "a whole number, or -1 for no limit", e);
  return 0;
}

static hc_rc set_wall(const hc_slurm_setting *s, int64_t *out, hc_error *e)
{
  hc_time t;
  if (!hc_conf_limit(s->value, &t))
    return wrong(s, "minutes, a time such as 1-12:00:00, or -1 for no limit", e);
  *out = t == HC_NEVER ? HC_SLURM_NO_LIMIT : (t + HC_MINUTE - 1) / HC_MINUTE;
  return 0;
}

static hc_rc set_list(hc_slurm_assocs *b, const row *r, const hc_slurm_setting *s, hc_slurm_bounds *x,
                      hc_error *e)
{
  hc_slurm_amounts *out = (hc_slurm_amounts *)(void *)((char *)x + r->offset);
  return hc_slurm_tres_read(&b->tres, &b->arena, s->value, r->name, &s->at, out, e);
}

static hc_rc set_one(const row *r, const hc_slurm_setting *s, hc_slurm_bounds *x, hc_error *e)
{
  hc_slurm_amounts *out = (hc_slurm_amounts *)(void *)((char *)x + r->offset);
  if (!hc_slurm_tres_amount(r->tres, s->value, strlen(s->value), &out->of[r->tres]))
    return wrong(s, "an amount, or -1 for no limit", e);
  return 0;
}

static hc_rc set_real(const hc_slurm_setting *s, double *out, hc_error *e)
{
  double x;
  if (hc_parse_real(s->value, strlen(s->value), &x) < 0 || x < 0 || x > MOST_FACTOR)
    return wrong(s, "a number from 0 to 1000000", e);
  *out = x;
  return 0;
}

static hc_rc set_shares(const hc_slurm_setting *s, int64_t *out, hc_error *e)
{
  int64_t v;
  if (hc_slurm_begins(s->value, strlen(s->value), "parent", 6)) {
    *out = HC_SLURM_PARENT_SHARES;
    return 0;
  }
  if (!hc_slurm_tres_amount(HC_SLURM_CPU, s->value, strlen(s->value), &v) ||
      (v > UINT32_MAX / 2 && v != HC_SLURM_NO_LIMIT))
    return wrong(s, "a number of shares, or parent", e);
  *out = v == HC_SLURM_NO_LIMIT ? 1 : v; /* -1 takes back what was given */
  return 0;
}

static hc_rc set_priority(const hc_slurm_setting *s, int64_t *out, hc_error *e)
{
  TRY(set_count(s, out, e));
  if (*out == HC_SLURM_NO_LIMIT) *out = 0;
  return *out > UINT32_MAX ? wrong(s, "a number below 2^32", e) : 0;
}

/* The next word of a list between commas; `n` 0: there is none. */
static const char *next_word(const char **p, size_t *n)
{
  while (**p == ',' || hc_is_blank(**p)) ++*p;
  const char *word = *p;
  *n = strcspn(word, ", \t");
  *p += *n;
  return word;
}

/* A QOS by a piece of a list. */
static hc_rc qos_of(hc_slurm_assocs *b, const hc_slurm_setting *s, const char *word, size_t n, uint32_t *out,
                    hc_error *e)
{
  const char *name = hc_arena_text(&b->arena, word, n);
  return name ? hc_slurm_assocs_add_qos(b, name, &s->at, out, e) : no_memory(s, e);
}

/* "a,b" sets the list; "+a,-b", or KEY+=a, change it. */
static hc_rc set_qos_list(hc_slurm_assocs *b, const hc_slurm_setting *s, hc_slurm_qos_set *out, hc_error *e)
{
  const char *p = s->value, *word;
  size_t n;
  bool is_first = s->op == '\0';
  for (word = next_word(&p, &n); n > 0; word = next_word(&p, &n)) {
    const char op = *word == '+' || *word == '-' ? *word : s->op;
    const size_t skip = *word == '+' || *word == '-';
    uint32_t id;
    if (n == skip) return wrong(s, "names of QOS between commas", e);
    if (is_first && skip == 0) memset(out, 0, sizeof *out);
    is_first = false;
    TRY(qos_of(b, s, word + skip, n - skip, &id, e));
    if (op == '-') out->bits[id / 64] &= ~(UINT64_C(1) << (id % 64));
    else out->bits[id / 64] |= UINT64_C(1) << (id % 64);
  }
  return 0;
}

static hc_rc set_default(hc_slurm_assocs *b, const hc_slurm_setting *s, uint32_t *out, hc_error *e)
{
  if (strcmp(s->value, "-1") != 0) return hc_slurm_assocs_add_qos(b, s->value, &s->at, out, e);
  *out = HC_SLURM_NONE;
  return 0;
}

/* OFF means the cluster's way, as nothing does. */
static hc_rc set_mode(hc_slurm_assocs *b, const hc_slurm_setting *s, hc_slurm_qos *x, hc_error *e)
{
  static const char *const modes[] = {"cluster", "off",     "cancel", "checkpoint",
                                      "requeue", "suspend", "gang",   "within"};
  const char *p = s->value, *word;
  size_t n;
  for (word = next_word(&p, &n); n > 0; word = next_word(&p, &n)) {
    bool is_one = false;
    for (size_t i = 0; i < HC_ARRAY_LEN(modes); i++) is_one |= hc_same_word(word, n, modes[i]);
    if (!is_one) return wrong(s, "cluster, off, cancel, requeue, suspend, gang or within", e);
  }
  x->within = false;
  if (hc_slurm_preempt_mode_read(s->value, &x->mode, NULL, &x->within) || x->mode == HC_SLURM_MODE_OFF)
    x->mode = HC_SLURM_MODE_CLUSTER;
  x->preempt_mode = hc_arena_text(&b->arena, s->value, strlen(s->value));
  return x->preempt_mode ? 0 : no_memory(s, e);
}

static hc_rc set_grace(const hc_slurm_setting *s, int64_t *out, hc_error *e)
{
  hc_time t = 0;
  if (strcmp(s->value, "-1") != 0 &&
      (!hc_conf_duration(s->value, strlen(s->value), HC_SECOND, &t) || t < 0 || t / HC_SECOND > MOST_GRACE))
    return wrong(s, "seconds, or a time such as 0:02:00", e);
  *out = t / HC_SECOND;
  return 0;
}

static hc_rc set_exempt(const hc_slurm_setting *s, int64_t *out, hc_error *e)
{
  hc_time t;
  *out = -1;
  if (strcmp(s->value, "-1") == 0) return 0;
  if (!hc_conf_limit(s->value, &t) || t < 0)
    return wrong(s, "minutes, a time such as 1:30:00, or -1 for the cluster's", e);
  *out = t / HC_SECOND; /* for ever: longer than any run */
  return 0;
}

static const struct {
  const char *name;
  uint32_t flag;
} flags[] = {{"DenyOnLimit", HC_SLURM_DENY_ON_LIMIT},
             {"EnforceUsageThreshold", HC_SLURM_ENFORCE_THRESHOLD},
             {"NoDecay", HC_SLURM_NO_DECAY},
             {"NoReserve", HC_SLURM_NO_RESERVE},
             {"OverPartQOS", HC_SLURM_OVER_PART_QOS},
             {"PartitionMaxNodes", HC_SLURM_PART_MAX_NODE},
             {"PartitionMinNodes", HC_SLURM_PART_MIN_NODE},
             {"PartitionTimeLimit", HC_SLURM_PART_TIME},
             {"RequiresReservation", HC_SLURM_REQUIRES_RESERVATION},
             {"UsageFactorSafe", HC_SLURM_FACTOR_SAFE}};

static uint32_t flag_of(const char *word, size_t n)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(flags); i++)
    if (hc_same_word(word, n, flags[i].name)) return flags[i].flag;
  return 0;
}

static hc_rc set_flags(const hc_slurm_setting *s, uint32_t *out, hc_error *e)
{
  const char *p = s->value, *word;
  size_t n;
  if (s->op == '\0') *out = 0;
  for (word = next_word(&p, &n); n > 0; word = next_word(&p, &n)) {
    const uint32_t flag = flag_of(word, n);
    if (strcmp(s->value, "-1") == 0) continue;
    if (flag == 0)
      return wrong(s,
                   "DenyOnLimit, EnforceUsageThreshold, NoDecay, NoReserve, OverPartQOS, PartitionMaxNodes, "
                   "PartitionMinNodes, PartitionTimeLimit, RequiresReservation or UsageFactorSafe",
                   e);
    *out = s->op == '-' ? *out & ~flag : *out | flag;
  }
  return 0;
}

/* ---- keys ---- */

/* What is the same for associations and QOS. @return 1: the key is of another kind */
static hc_rc set_common(hc_slurm_assocs *b, const row *r, const hc_slurm_setting *s, hc_slurm_bounds *x,
                        int64_t *priority, hc_error *e)
{
  int64_t *number = (int64_t *)(void *)((char *)x + r->offset);
  uint32_t id;
  switch (r->how) {
    case COUNT: return set_count(s, number, e);
    case WALL: return set_wall(s, number, e);
    case LIST: return set_list(b, r, s, x, e);
    case ONE: return set_one(r, s, x, e);
    case PRIORITY: return set_priority(s, priority, e);
    case NOTED: return hc_names_add(&b->unmodelled, r->name, strlen(r->name), &id) < 0 ? no_memory(s, e) : 0;
    case NOTHING: return 0;
    default: return 1;
  }
}

/* An empty value, and one that says "as the cluster has it", set nothing. */
static bool is_empty(const row *r, const char *value)
{
  static const char *const nothing[] = {"", "NONE", "00:00:00", "0", "0.000000", "-1"};
  for (size_t i = 0; i < HC_ARRAY_LEN(nothing); i++)
    if ((i == 0 || r->how == NOTED) && strcmp(value, nothing[i]) == 0) return true;
  return false;
}

hc_rc hc_slurm_assoc_set(hc_slurm_assocs *b, uint32_t assoc, const hc_slurm_setting *s, hc_error *e)
{
  hc_slurm_assoc *x = &b->items[assoc];
  const row *r = find_row(s, OF_ASSOC);
  if (!r) return unknown(s, "an association", OF_ASSOC, e);
  if (is_empty(r, s->value)) return 0;
  switch (r->how) {
    case SHARES: return set_shares(s, &x->shares, e);
    case DEFAULT: return set_default(b, s, &x->default_qos, e);
    case QOS_LIST:
      if (!x->has_qos && s->op != '\0')
        for (uint32_t up = x->parent; up != HC_SLURM_NONE; up = b->items[up].parent)
          if (b->items[up].has_qos) {
            x->qos = b->items[up].qos;
            break;
          }
      x->has_qos = true;
      return set_qos_list(b, s, &x->qos, e);
    default: return HC_MIN(set_common(b, r, s, &x->bounds, &x->priority, e), 0);
  }
}

hc_rc hc_slurm_qos_set_key(hc_slurm_assocs *b, uint32_t qos, const hc_slurm_setting *s, hc_error *e)
{
  const row *r = find_row(s, OF_QOS);
  if (!r) return unknown(s, "a QOS", OF_QOS, e);
  if (is_empty(r, s->value)) return 0;
  if (r->how == PREEMPT) { /* names of QOS: the list may move */
    hc_slurm_qos_set set = b->qos[qos].preempts;
    const hc_rc rc = set_qos_list(b, s, &set, e);
    b->qos[qos].preempts = set;
    return rc;
  }
  hc_slurm_qos *x = &b->qos[qos];
  switch (r->how) {
    case MODE: return set_mode(b, s, x, e);
    case GRACE: return set_grace(s, &x->grace, e);
    case EXEMPT: return set_exempt(s, &x->exempt, e);
    case FLAGS: return set_flags(s, &x->flags, e);
    case FACTOR: return set_real(s, &x->usage_factor, e);
    case LIMIT_FACTOR: return set_real(s, &x->limit_factor, e);
    default: return HC_MIN(set_common(b, r, s, &x->bounds, &x->priority, e), 0);
  }
}
