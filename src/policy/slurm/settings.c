/* settings.c -- see settings.h.
 *
 * What takes time in Slurm takes none here, so that bounds of time (max_sched_time, bf_max_time,
 * bf_yield_interval and the like) have nothing to bound: they are taken and play no part. All other names
 * that no table here has are noted. A value that stands twice counts as it stands last; names are compared
 * with upper and lower case alike, and whole, where Slurm looks for them anywhere in the list.
 * Source: https://slurm.schedmd.com/sched_config.html, slurm.conf(5) of 22.05. */
#include "policy/slurm/settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lexer.h"
#include "base/util.h"
#include "policy/slurm/assoc.h"

static const struct {
  const char *name;
  size_t offset;
  int64_t fallback, least, most;
} numbers[] = {
#define X(name, fallback, least, most) {#name, offsetof(hc_slurm_settings, name), fallback, least, most},
    HC_SLURM_NUMBERS(X)
#undef X
};

static const struct {
  const char *name;
  size_t offset;
} switches[] = {
#define X(name) {#name, offsetof(hc_slurm_settings, name)},
    HC_SLURM_FLAGS(X)
#undef X
};

/* They bound what takes no time here, or change a signal that no job here hears. */
static const char *const timeless[] = {
    "bf_continue", "bf_max_time",    "bf_yield_interval",  "bf_yield_sleep",      "bf_yield_rpc_cnt",
    "max_rpc_cnt", "max_sched_time", "sched_min_interval", "build_queue_timeout", "preempt_send_user_signal"};

static int64_t *number_of(hc_slurm_settings *s, size_t offset)
{
  return (int64_t *)(void *)((char *)s + offset);
}

void hc_slurm_settings_default(hc_slurm_settings *s)
{
  *s = (hc_slurm_settings){
      .kill_wait = 30, .cred_expire = 120, .time_slice = 30, .preempt = {.message_timeout = 10}};
  for (size_t i = 0; i < HC_ARRAY_LEN(numbers); i++) *number_of(s, numbers[i].offset) = numbers[i].fallback;
}

/* ---- SchedulerParameters ---- */

typedef struct place {
  hc_rc wrong;
  const char *where;
  uint32_t line, column;
} place;

/* One of a list: NAME or NAME=VALUE. */
typedef struct item {
  const char *name, *value; /* value NULL: none */
  size_t name_length, value_length;
} item;

static bool is(const item *x, const char *name)
{
  char text[64];
  if (x->name_length >= sizeof text) return false;
  memcpy(text, x->name, x->name_length);
  text[x->name_length] = '\0';
  return hc_conf_same(text, name);
}

static hc_rc take_number(hc_slurm_settings *s, size_t which, const item *x, const place *at, hc_error *e)
{
  const char *name = numbers[which].name;
  char text[32], *end = text;
  int64_t v = 0;
  if (x->value && x->value_length > 0 && x->value_length < sizeof text) {
    memcpy(text, x->value, x->value_length);
    text[x->value_length] = '\0';
    v = strtoll(text, &end, 10);
  }
  if (end == text || *end != '\0' || v < numbers[which].least || v > numbers[which].most)
    return hc_fail(e, at->wrong, at->where, at->line, at->column,
                   "SchedulerParameters: %s=%.*s is no number from %lld to %lld", name,
                   x->value ? (int)HC_MIN(x->value_length, 40) : 0, x->value ? x->value : "",
                   (long long)numbers[which].least, (long long)numbers[which].most);
  *number_of(s, numbers[which].offset) = v;
  return 0;
}

static hc_rc take_hetjob_prio(hc_slurm_settings *s, const item *x, const place *at, hc_error *e)
{
  static const char *const words[] = {"min", "max", "avg"};
  for (size_t i = 0; i < HC_ARRAY_LEN(words) && x->value; i++)
    if (hc_same_word(x->value, x->value_length, words[i])) {
      s->hetjob_prio = (hc_slurm_hetjob_prio)(HC_SLURM_HETJOB_MIN + i);
      return 0;
    }
  return hc_fail(e, at->wrong, at->where, at->line, at->column,
                 "SchedulerParameters: bf_hetjob_prio=%.*s is none of min, max and avg",
                 x->value ? (int)HC_MIN(x->value_length, 40) : 0, x->value ? x->value : "");
}

static hc_rc take_item(hc_slurm_settings *s, const item *x, const place *at, hc_names *noted, hc_error *e)
{
  uint32_t id;
  if (x->name_length == 0) return 0;
  if (is(x, "bf_hetjob_prio")) return take_hetjob_prio(s, x, at, e);
  for (size_t i = 0; i < HC_ARRAY_LEN(numbers); i++)
    if (is(x, numbers[i].name)) return take_number(s, i, x, at, e);
  for (size_t i = 0; i < HC_ARRAY_LEN(switches); i++) {
    if (!is(x, switches[i].name)) continue;
    *((bool *)(void *)((char *)s + switches[i].offset)) = true;
    if (s->bf_hetjob_immediate && s->hetjob_prio == HC_SLURM_HETJOB_OWN) s->hetjob_prio = HC_SLURM_HETJOB_MIN;
    return 0;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(timeless); i++)
    if (is(x, timeless[i])) return 0;
  return hc_names_add(noted, x->name, x->name_length, &id);
}

static hc_rc take_list(hc_slurm_settings *s, const char *list, const place *at, hc_names *noted, hc_error *e)
{
  while (*list != '\0') {
    const size_t n = strcspn(list, ",");
    const char *equals = memchr(list, '=', n);
    item x = {.name = list, .name_length = equals ? (size_t)(equals - list) : n};
    while (x.name_length > 0 && *x.name == ' ') x.name++, x.name_length--;
    if (equals) {
      x.value = equals + 1;
      x.value_length = n - (size_t)(equals + 1 - list);
    }
    TRY(take_item(s, &x, at, noted, e));
    list += n + (list[n] == ',');
  }
  return 0;
}

hc_rc hc_slurm_settings_parameters(hc_slurm_settings *s, const char *list, hc_rc wrong, const char *where,
                                   uint32_t line, hc_names *noted, hc_error *e)
{
  return take_list(s, list, &(place){wrong, where, line, 0}, noted, e);
}

/* ---- slurm.conf ---- */

/* Lengths of time are numbers of seconds or minutes here, and UNLIMITED. */
static hc_rc take_length(const hc_conf_line *l, const hc_conf_pair *p, hc_time unit, int64_t *out,
                         hc_error *e)
{
  char *end;
  const long long v = strtoll(p->value, &end, 10);
  if (hc_conf_same(p->value, "UNLIMITED") || hc_conf_same(p->value, "INFINITE")) {
    *out = HC_SLURM_UNLIMITED;
    return 0;
  }
  if (end == p->value || *end != '\0' || v < 0 || v > 65533)
    return hc_fail(e, HC_EINPUT, l->file, l->line, p->column,
                   "%s=%.60s is no length of time: a number of %s from 0 to 65533, or UNLIMITED", p->key,
                   p->value, unit == HC_SECOND ? "seconds" : "minutes");
  *out = v * (unit / HC_SECOND);
  return 0;
}

static hc_rc take_type(hc_slurm_settings *s, const hc_conf_line *l, const hc_conf_pair *p, hc_error *e)
{
  s->builtin = hc_conf_same(p->value, "sched/builtin");
  if (s->builtin || hc_conf_same(p->value, "sched/backfill")) return 0;
  return hc_fail(e, HC_EINPUT, l->file, l->line, p->column,
                 "SchedulerType=%.60s: the schedulers of Slurm are sched/backfill and sched/builtin",
                 p->value);
}

/* AuthInfo=socket=/run/munge,cred_expire=120 */
static hc_rc take_auth(hc_slurm_settings *s, const hc_conf_line *l, const hc_conf_pair *p, hc_error *e)
{
  const char *word = strstr(p->value, "cred_expire="), *digits = word ? word + strlen("cred_expire=") : "";
  char *end;
  const long long v = strtoll(digits, &end, 10);
  if (!word) return 0;
  if (end == digits || (*end != '\0' && *end != ',') || v < 0 || v > 65533)
    return hc_fail(e, HC_EINPUT, l->file, l->line, p->column,
                   "AuthInfo: cred_expire=%.40s is no number of seconds from 0 to 65533", digits);
  s->cred_expire = v;
  return 0;
}

/* PreemptParameters of later releases are SchedulerParameters of 22.05 by shorter names. */
static hc_rc take_preempt_list(hc_slurm_settings *s, const char *list, const place *at, hc_names *noted,
                               hc_error *e)
{
  for (; *list != '\0'; list += strspn(list, ", ")) {
    char text[96];
    const size_t n = strcspn(list, ", ");
    (void)snprintf(text, sizeof text, "preempt_%.*s", (int)HC_MIN(n, (size_t)80), list);
    TRY(take_list(s, text, at, noted, e));
    list += n;
  }
  return 0;
}

/* CR_Core_Memory,CR_LLN: what jobs are allocated. */
static void take_select(hc_slurm_settings *s, const char *list)
{
  static const char *const words[] = {"CR_Core", "CR_Core_Memory", "CR_Socket", "CR_Socket_Memory"};
  static const char *const cpus[] = {"CR_CPU", "CR_CPU_Memory"};
  s->least_loaded = hc_slurm_is_listed(list, "CR_LLN", 6);
  s->keeps_memory = hc_slurm_is_listed(list, "CR_Memory", 9);
  s->slices_by = HC_SLURM_BY_NODES;
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++) {
    if (!hc_slurm_is_listed(list, words[i], strlen(words[i]))) continue;
    s->slices_by = HC_SLURM_BY_CORES;
    s->keeps_memory |= i % 2 == 1;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(cpus); i++) {
    if (!hc_slurm_is_listed(list, cpus[i], strlen(cpus[i]))) continue;
    s->slices_by = HC_SLURM_BY_CPUS;
    s->keeps_memory |= i % 2 == 1;
  }
}

static hc_rc take_slice(hc_slurm_settings *s, const hc_conf_line *l, const hc_conf_pair *p, hc_error *e)
{
  if (hc_conf_amount(p->value, strlen(p->value), &s->time_slice) && s->time_slice >= 5 &&
      s->time_slice <= 65533)
    return 0;
  return hc_fail(e, HC_EINPUT, l->file, l->line, p->column,
                 "SchedulerTimeSlice=%.60s is no number of seconds from 5 to 65533", p->value);
}

/* Jobs that tasks are bound for go by cores under CR_CPU, too; where whole nodes are allocated, by nodes. */
static void see_slices(hc_slurm_settings *s, const hc_conf *conf)
{
  for (size_t i = 0; i < conf->count; i++)
    for (uint32_t k = 0; k < conf->lines[i].count; k++) {
      const hc_conf_pair *p = &conf->lines[i].pairs[k];
      if (hc_conf_same(p->key, "TaskPlugin") && !hc_conf_same(p->value, "task/none") &&
          s->slices_by == HC_SLURM_BY_CPUS)
        s->slices_by = HC_SLURM_BY_CORES;
      if (hc_conf_same(p->key, "SelectType") && hc_conf_same(p->value, "select/linear"))
        s->slices_by = HC_SLURM_BY_NODES;
    }
}

static hc_rc take_pair(hc_slurm_settings *s, const hc_conf_line *l, const hc_conf_pair *p, hc_names *noted,
                       hc_error *e)
{
  if (hc_conf_same(p->key, "SchedulerType")) return take_type(s, l, p, e);
  if (hc_conf_same(p->key, "SchedulerParameters"))
    return take_list(s, p->value, &(place){HC_EINPUT, l->file, l->line, p->column}, noted, e);
  if (hc_conf_same(p->key, "PreemptParameters"))
    return take_preempt_list(s, p->value, &(place){HC_EINPUT, l->file, l->line, p->column}, noted, e);
  const hc_rc rc = hc_slurm_preempt_take(&s->preempt, l, p, e);
  if (rc != 0) return HC_MIN(rc, 0);
  if (hc_conf_same(p->key, "AuthInfo")) return take_auth(s, l, p, e);
  if (hc_conf_same(p->key, "KillWait")) return take_length(l, p, HC_SECOND, &s->kill_wait, e);
  if (hc_conf_same(p->key, "OverTimeLimit")) return take_length(l, p, 60 * HC_SECOND, &s->over_time_limit, e);
  if (hc_conf_same(p->key, "ResvOverRun")) return take_length(l, p, 60 * HC_SECOND, &s->resv_over_run, e);
  if (hc_conf_same(p->key, "TopologyPlugin")) s->has_tree = hc_conf_same(p->value, "topology/tree");
  if (hc_conf_same(p->key, "SelectTypeParameters")) take_select(s, p->value);
  if (hc_conf_same(p->key, "SchedulerTimeSlice")) return take_slice(s, l, p, e);
  if (hc_conf_same(p->key, "TopologyParam"))
    s->tree_is_optional = hc_slurm_is_listed(p->value, "TopoOptional", 12);
  if (hc_conf_same(p->key, "Epilog")) s->has_epilog = p->value[0] != '\0';
  return 0;
}

hc_rc hc_slurm_settings_conf(hc_slurm_settings *s, const hc_conf *conf, hc_names *noted, hc_error *e)
{
  for (size_t i = 0; i < conf->count; i++)
    for (uint32_t k = 0; k < conf->lines[i].count; k++)
      TRY(take_pair(s, &conf->lines[i], &conf->lines[i].pairs[k], noted, e));
  see_slices(s, conf);
  return hc_slurm_preempt_check(&s->preempt, conf, e);
}
