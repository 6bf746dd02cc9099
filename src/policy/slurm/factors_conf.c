/* factors_conf.c -- parameters of priority in a slurm.conf: see factors.h. */
#include <stddef.h>
#include <string.h>

#include "base/lexer.h"
#include "base/util.h"
#include "policy/slurm/factors.h"

static const char *const records[] = {"NodeName", "PartitionName", "DownNodes", "NodeSet", "FrontendName"};

/* A key's value and its place. */
typedef struct setting {
  const char *value;
  hc_slurm_place at;
} setting;

static bool is_record(const hc_conf_line *l)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(records); i++)
    if (hc_conf_same(l->pairs[0].key, records[i])) return true;
  return false;
}

/* The last of its key that is not of a node or a partition. */
static bool find(const hc_conf *c, const char *key, setting *out)
{
  for (size_t i = c->count; i-- > 0;) {
    const hc_conf_pair *pair = is_record(&c->lines[i]) ? NULL : hc_conf_find(&c->lines[i], key);
    if (!pair) continue;
    *out = (setting){pair->value, {c->lines[i].file, c->lines[i].line, pair->column}};
    return true;
  }
  return false;
}

static hc_rc wrong(const setting *s, const char *key, const char *expected, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, s->at.file, s->at.line, s->at.column, "%s: expected %s, got \"%.60s\"", key,
                 expected, s->value);
}

/* ---- values ---- */

static hc_rc read_weights(hc_slurm_priority *p, const hc_conf *c, hc_error *e)
{
  const struct {
    const char *key;
    uint32_t *out;
  } weights[] = {{"PriorityWeightAge", &p->age},
                 {"PriorityWeightAssoc", &p->assoc},
                 {"PriorityWeightFairshare", &p->fair_share},
                 {"PriorityWeightJobSize", &p->size},
                 {"PriorityWeightPartition", &p->partition},
                 {"PriorityWeightQOS", &p->qos}};
  setting s;
  for (size_t i = 0; i < HC_ARRAY_LEN(weights); i++) {
    int64_t v;
    if (!find(c, weights[i].key, &s)) continue;
    if (hc_parse_int(s.value, strlen(s.value), &v) < 0 || v < 0 || v > UINT32_MAX)
      return wrong(&s, weights[i].key, "a whole number from 0 to 4294967295", e);
    *weights[i].out = (uint32_t)v;
  }
  return 0;
}

/* Whole minutes, begun ones in full. */
static hc_rc read_minutes(const hc_conf *c, const char *key, hc_time least, hc_time *out, hc_error *e)
{
  hc_time t;
  setting s;
  if (!find(c, key, &s)) return 0;
  if (!hc_conf_limit(s.value, &t) || t < least)
    return wrong(&s, key, "minutes, or a time such as 7-0 or 14-12:00:00", e);
  *out = t == HC_NEVER ? t : (t + HC_MINUTE - 1) / HC_MINUTE * HC_MINUTE;
  return 0;
}

static hc_rc read_yes(const hc_conf *c, const char *key, bool *out, hc_error *e)
{
  static const char *const yes[] = {"yes", "up", "true", "1"}, *const no[] = {"no", "down", "false", "0"};
  setting s;
  if (!find(c, key, &s)) return 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(yes); i++) {
    if (!hc_conf_same(s.value, yes[i]) && !hc_conf_same(s.value, no[i])) continue;
    *out = hc_conf_same(s.value, yes[i]);
    return 0;
  }
  return wrong(&s, key, "YES or NO", e);
}

static hc_rc read_type(hc_slurm_priority *p, const hc_conf *c, hc_error *e)
{
  setting s;
  if (!find(c, "PriorityType", &s) || hc_conf_same(s.value, "priority/basic")) return 0;
  if (!hc_conf_same(s.value, "priority/multifactor"))
    return wrong(&s, "PriorityType", "priority/basic or priority/multifactor", e);
  p->type = HC_SLURM_MULTIFACTOR;
  return 0;
}

static hc_rc read_reset(hc_slurm_priority *p, const hc_conf *c, hc_error *e)
{
  setting s;
  if (!find(c, "PriorityUsageResetPeriod", &s) || hc_conf_same(s.value, "NONE")) return 0;
  if (hc_conf_same(s.value, "NOW")) {
    p->usage.reset = HC_SLURM_RESET_NOW;
    return 0;
  }
  return wrong(&s, "PriorityUsageResetPeriod",
               "NONE or NOW: DAILY, WEEKLY, MONTHLY, QUARTERLY and YEARLY are not modelled", e);
}

static hc_rc read_damping(hc_slurm_priority *p, const hc_conf *c, hc_error *e)
{
  int64_t v;
  setting s;
  if (!find(c, "FairShareDampeningFactor", &s)) return 0;
  if (hc_parse_int(s.value, strlen(s.value), &v) < 0 || v < 1 || v > UINT16_MAX)
    return wrong(&s, "FairShareDampeningFactor", "a whole number from 1 to 65535", e);
  p->usage.damping = v;
  return 0;
}

/* ---- lists of words ---- */

typedef struct meaning {
  const char *word;
  uint32_t flags;
} meaning;

/* The flags that a list of words between commas stands for. */
static hc_rc read_words(const setting *s, const char *key, const meaning *all, size_t count,
                        const char *expected, uint32_t *out, hc_error *e)
{
  for (const char *p = s->value; *p; p += strspn(p, ", ")) {
    const size_t n = strcspn(p, ", ");
    size_t i = 0;
    while (i < count && !hc_same_word(p, n, all[i].word)) i++;
    if (n > 0 && i == count) return wrong(s, key, expected, e);
    if (n > 0) *out |= all[i].flags;
    p += n;
  }
  return 0;
}

#define TREE_OFF 0x10000u
#define OBLIVIOUS 0x20000u

static hc_rc read_flags(hc_slurm_priority *p, const hc_conf *c, hc_error *e)
{
  static const meaning all[] = {
      {"ACCRUE_ALWAYS", HC_SLURM_ACCRUE_ALWAYS},
      {"CALCULATE_RUNNING", HC_SLURM_CALCULATE_RUNNING},
      {"DEPTH_OBLIVIOUS", OBLIVIOUS},
      {"FAIR_TREE", 0},
      {"INCR_ONLY", HC_SLURM_INCR_ONLY},
      {"MAX_TRES", HC_SLURM_MAX_TRES},
      {"NO_FAIR_TREE", TREE_OFF},
      {"NO_NORMAL_ALL", HC_SLURM_RAW_ASSOC | HC_SLURM_RAW_PART | HC_SLURM_RAW_QOS | HC_SLURM_RAW_TRES},
      {"NO_NORMAL_ASSOC", HC_SLURM_RAW_ASSOC},
      {"NO_NORMAL_PART", HC_SLURM_RAW_PART},
      {"NO_NORMAL_QOS", HC_SLURM_RAW_QOS},
      {"NO_NORMAL_TRES", HC_SLURM_RAW_TRES},
      {"SMALL_RELATIVE_TO_TIME", HC_SLURM_RELATIVE_TO_TIME}};
  setting s;
  uint32_t flags = 0;
  if (!find(c, "PriorityFlags", &s)) return 0;
  TRY(read_words(&s, "PriorityFlags", all, HC_ARRAY_LEN(all),
                 "ACCRUE_ALWAYS, CALCULATE_RUNNING, DEPTH_OBLIVIOUS, INCR_ONLY, MAX_TRES, NO_FAIR_TREE, "
                 "NO_NORMAL_ALL, _ASSOC, _PART, _QOS, _TRES or SMALL_RELATIVE_TO_TIME",
                 &flags, e));
  p->flags = flags & ~(TREE_OFF | OBLIVIOUS);
  if (flags & TREE_OFF) p->usage.sharing = HC_SLURM_CLASSIC;
  if (flags & OBLIVIOUS) p->usage.sharing = HC_SLURM_DEPTH_OBLIVIOUS;
  return 0;
}

static hc_rc read_enforce(hc_slurm_priority *p, const hc_conf *c, hc_error *e)
{
  enum { LIMITS = HC_SLURM_ENFORCE_LIMITS | HC_SLURM_ENFORCE_ASSOCS };
  static const meaning all[] = {{"none", 0},
                                {"0", 0},
                                {"nojobs", 0},
                                {"nosteps", 0},
                                {"wckeys", HC_SLURM_ENFORCE_ASSOCS},
                                {"associations", HC_SLURM_ENFORCE_ASSOCS},
                                {"1", HC_SLURM_ENFORCE_ASSOCS},
                                {"limits", LIMITS},
                                {"2", LIMITS},
                                {"qos", HC_SLURM_ENFORCE_QOS | HC_SLURM_ENFORCE_ASSOCS},
                                {"safe", HC_SLURM_ENFORCE_SAFE | LIMITS},
                                {"all", HC_SLURM_ENFORCE_SAFE | HC_SLURM_ENFORCE_QOS | LIMITS}};
  setting s;
  if (!find(c, "AccountingStorageEnforce", &s)) return 0;
  TRY(read_words(&s, "AccountingStorageEnforce", all, HC_ARRAY_LEN(all),
                 "associations, limits, nojobs, nosteps, qos, safe, wckeys, all or none", &p->enforce, e));
  p->usage.enforces_limits = (p->enforce & HC_SLURM_ENFORCE_LIMITS) != 0;
  return 0;
}

/* ---- all of them ---- */

static hc_rc read_times(hc_slurm_priority *p, const hc_conf *c, hc_error *e)
{
  p->max_age = p->usage.half_life = 7 * HC_DAY;
  p->period = 5 * HC_MINUTE;
  TRY(read_minutes(c, "PriorityMaxAge", 0, &p->max_age, e));
  TRY(read_minutes(c, "PriorityDecayHalfLife", 0, &p->usage.half_life, e));
  return read_minutes(c, "PriorityCalcPeriod", 1, &p->period, e);
}

static hc_rc read_tres(hc_slurm_priority *p, const hc_conf *c, hc_slurm_assocs *b, hc_error *e)
{
  setting s;
  p->has_tres = find(c, "PriorityWeightTRES", &s);
  if (!p->has_tres) return 0;
  return hc_slurm_tres_weights(&b->tres, &b->arena, s.value, "PriorityWeightTRES", &s.at, p->tres, e);
}

hc_rc hc_slurm_priority_read(hc_slurm_priority *p, const hc_conf *c, hc_slurm_assocs *b, hc_error *e)
{
  setting s;
  *p = (hc_slurm_priority){.usage.damping = 1};
  p->has_database =
      find(c, "AccountingStorageType", &s) && hc_conf_same(s.value, "accounting_storage/slurmdbd");
  TRY(read_type(p, c, e));
  TRY(read_weights(p, c, e));
  TRY(read_times(p, c, e));
  TRY(read_yes(c, "PriorityFavorSmall", &p->favor_small, e));
  TRY(read_flags(p, c, e));
  TRY(read_reset(p, c, e));
  TRY(read_damping(p, c, e));
  TRY(read_enforce(p, c, e));
  TRY(read_tres(p, c, b, e));
  if (!p->has_database) p->age = p->fair_share = 0;
  return 0;
}

/* ---- notes ---- */

static bool begins_with_priority(const char *key)
{
  static const char word[] = "priority";
  return strlen(key) >= sizeof word - 1 && hc_same_word(key, sizeof word - 1, word);
}

static bool is_taken(const char *key)
{
  static const char *const taken[] = {
      "PriorityType",        "PriorityMaxAge",          "PriorityDecayHalfLife",    "PriorityCalcPeriod",
      "PriorityFavorSmall",  "PriorityFlags",           "PriorityUsageResetPeriod", "PriorityWeightAge",
      "PriorityWeightAssoc", "PriorityWeightFairshare", "PriorityWeightJobSize",    "PriorityWeightPartition",
      "PriorityWeightQOS",   "PriorityWeightTRES"};
  for (size_t i = 0; i < HC_ARRAY_LEN(taken); i++)
    if (hc_conf_same(key, taken[i])) return true;
  return false;
}

static void note(hc_buffer *out, const char *text)
{
  hc_buffer_printf(out, "%s%s", out->size > 0 ? ", " : "not taken of priority: ", text);
}

void hc_slurm_priority_note(const hc_slurm_priority *p, const hc_conf *c, hc_buffer *out)
{
  setting s;
  for (size_t i = 0; i < c->count; i++)
    for (uint32_t k = 0; k < c->lines[i].count && !is_record(&c->lines[i]); k++) {
      const char *key = c->lines[i].pairs[k].key;
      if (begins_with_priority(key) && !is_taken(key)) note(out, key);
    }
  if (p->flags & HC_SLURM_CALCULATE_RUNNING) note(out, "PriorityFlags=CALCULATE_RUNNING");
  if (p->has_database || p->type == HC_SLURM_BASIC) return;
  if (find(c, "PriorityWeightAge", &s)) note(out, "PriorityWeightAge (it needs slurmdbd)");
  if (find(c, "PriorityWeightFairshare", &s)) note(out, "PriorityWeightFairshare (it needs slurmdbd)");
}
