/* partition_conf.c -- what the lines of a slurm.conf say of a partition that scheduling goes by. */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/books.h"

/* The line at hand, and where what it says goes. */
typedef struct reading {
  const hc_conf_defaults *d;
  const hc_conf_line *l;
  hc_error *e;
} reading;

static hc_rc wrong(const reading *r, const hc_conf_pair *p, const char *expected)
{
  return hc_fail(r->e, HC_EINPUT, r->l->file, r->l->line, p->column, "%s=%.60s %s", p->key, p->value,
                 expected);
}

/* A number of 16 bits, as PriorityTier is. @param other  its name before 16.05; NULL: it had none */
static hc_rc take_number(const reading *r, const char *key, const char *other, int64_t *out)
{
  const hc_conf_pair *p = hc_conf_get(r->d, r->l, key);
  int64_t v;
  if (!p && other) p = hc_conf_get(r->d, r->l, other);
  if (!p) return 0;
  if (!hc_conf_amount(p->value, strlen(p->value), &v) || v > 65533)
    return wrong(r, p, "is no number from 0 to 65533");
  *out = v;
  return 0;
}

static hc_rc take_max_time(const reading *r, int64_t *out)
{
  const hc_conf_pair *p = hc_conf_get(r->d, r->l, "MaxTime");
  hc_time most;
  if (!p) return 0;
  if (!hc_conf_limit(p->value, &most) || most <= 0)
    return hc_fail(r->e, HC_EINPUT, r->l->file, r->l->line, p->column,
                   "MaxTime=%.60s: expected minutes, D-HH:MM:SS or UNLIMITED", p->value);
  if (most != HC_NEVER) *out = most / HC_SECOND;
  return 0;
}

static hc_rc take_default_time(const reading *r, int64_t *out)
{
  const hc_conf_pair *p = hc_conf_get(r->d, r->l, "DefaultTime");
  hc_time time;
  if (!p) p = hc_conf_get(r->d, r->l, "DefTime");
  if (!p || strcmp(p->value, "NONE") == 0) return 0;
  if (!hc_conf_limit(p->value, &time) || time <= 0)
    return hc_fail(r->e, HC_EINPUT, r->l->file, r->l->line, p->column,
                   "DefaultTime=%.60s: expected minutes, D-HH:MM:SS, UNLIMITED or NONE", p->value);
  if (time != HC_NEVER) *out = time / HC_SECOND;
  return 0;
}

/* MinNodes, MaxNodes, MaxCPUsPerNode. @param least  0 or 1; @param out  0: no bound */
static hc_rc take_nodes(const reading *r, const char *key, int64_t least, uint32_t *out)
{
  const hc_conf_pair *p = hc_conf_get(r->d, r->l, key);
  int64_t v;
  if (!p) return 0;
  if (hc_conf_same(p->value, "UNLIMITED") || hc_conf_same(p->value, "INFINITE")) {
    *out = 0;
    return 0;
  }
  if (!hc_conf_amount(p->value, strlen(p->value), &v) || v < least || v >= UINT32_MAX)
    return wrong(r, p, "is no number, nor UNLIMITED");
  *out = (uint32_t)v;
  return 0;
}

static hc_rc take_switch(const reading *r, const char *key, bool *out)
{
  const hc_conf_pair *p = hc_conf_get(r->d, r->l, key);
  if (!p) return 0;
  if (hc_conf_same(p->value, "YES") || hc_conf_same(p->value, "UP") || hc_conf_same(p->value, "TRUE") ||
      strcmp(p->value, "1") == 0)
    *out = true;
  else if (hc_conf_same(p->value, "NO") || hc_conf_same(p->value, "DOWN") ||
           hc_conf_same(p->value, "FALSE") || strcmp(p->value, "0") == 0)
    *out = false;
  else return wrong(r, p, "is neither YES nor NO");
  return 0;
}

/* NO, EXCLUSIVE, YES[:n], FORCE[:n]: n jobs to a core, 4 where it is not said. */
static hc_rc take_sharing(const reading *r, hc_slurm_partition *out)
{
  const hc_conf_pair *p = hc_conf_get(r->d, r->l, "OverSubscribe");
  char word[16] = "";
  int64_t jobs = 4;
  if (!p) p = hc_conf_get(r->d, r->l, "Shared");
  if (!p) return 0;
  const size_t n = strcspn(p->value, ":");
  if (n < sizeof word) memcpy(word, p->value, n);
  const bool is_many = hc_conf_same(word, "YES") || hc_conf_same(word, "FORCE");
  const char *count = p->value[n] == ':' ? p->value + n + 1 : NULL;
  out->is_exclusive = hc_conf_same(word, "EXCLUSIVE");
  if ((!is_many && !out->is_exclusive && !hc_conf_same(word, "NO")) || (count && !is_many) ||
      (count && (!hc_conf_amount(count, strlen(count), &jobs) || jobs < 1 || jobs > 32767)))
    return wrong(r, p, "is none of NO, EXCLUSIVE, YES, YES:n, FORCE and FORCE:n");
  out->is_oversubscribed = is_many && jobs > 1;
  out->is_forced = hc_conf_same(word, "FORCE");
  out->rows = is_many ? (uint32_t)jobs : 1;
  return 0;
}

static hc_rc take_all(const reading *r, hc_slurm_partition *p)
{
  uint32_t cpus = 0;
  TRY(take_number(r, "PriorityTier", "Priority", &p->tier));
  TRY(take_number(r, "PriorityJobFactor", NULL, &p->factor));
  TRY(take_max_time(r, &p->max_time));
  TRY(take_default_time(r, &p->default_time));
  TRY(take_nodes(r, "MinNodes", 0, &p->least_nodes));
  TRY(take_nodes(r, "MaxNodes", 1, &p->most_nodes));
  TRY(take_nodes(r, "MaxCPUsPerNode", 1, &cpus));
  p->most_cpus = (int64_t)cpus * 1000;
  TRY(take_sharing(r, p));
  TRY(take_switch(r, "ExclusiveUser", &p->is_of_user));
  TRY(take_switch(r, "LLN", &p->is_least_loaded));
  return hc_slurm_preempt_partition(&p->preempt, r->d, r->l, r->e);
}

hc_rc hc_slurm_partition_read(hc_slurm_partition *p, const char *name, const hc_conf *conf,
                              const hc_allocator *a, hc_error *e)
{
  hc_conf_defaults d = {0};
  hc_rc rc = 0;
  for (size_t i = 0; conf && i < conf->count && rc >= 0; i++) {
    const hc_conf_line *l = &conf->lines[i];
    if (!hc_conf_same(l->pairs[0].key, "PartitionName")) continue;
    rc = hc_conf_is_default(&d, a, l);
    if (rc != 0 || strcmp(l->pairs[0].value, name) != 0) continue;
    rc = take_all(&(const reading){&d, l, e}, p);
  }
  hc_free(a, (void *)d.lines, d.cap * sizeof *d.lines);
  return HC_MIN(rc, 0);
}
