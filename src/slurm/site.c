/* site.c -- what a private cluster takes of a site's slurm.conf: nodes by their sizes, partitions, and how
 * is scheduled.
 *
 * All else is the site's own (hosts, users, accounting, plug-ins, programs before and after jobs) and is
 * left out by name, so that nothing of the site is reached from here, and that the reader sees what the
 * replay lacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slurm_conf.h"
#include "base/util.h"
#include "slurm/cluster.h"

static const char *const global_keys[] = {"SchedulerType",
                                          "SchedulerTimeSlice",
                                          "SelectType",
                                          "SelectTypeParameters",
                                          "PreemptMode",
                                          "PreemptType",
                                          "PreemptExemptTime",
                                          "DefMemPerCPU",
                                          "DefMemPerNode",
                                          "MaxMemPerCPU",
                                          "MaxMemPerNode",
                                          "CompleteWait",
                                          "KillWait",
                                          "OverTimeLimit",
                                          "EnforcePartLimits",
                                          "FairShareDampeningFactor",
                                          "PriorityType",
                                          "PriorityCalcPeriod",
                                          "PriorityDecayHalfLife",
                                          "PriorityFavorSmall",
                                          "PriorityFlags",
                                          "PriorityMaxAge",
                                          "PriorityUsageResetPeriod",
                                          "PriorityWeightAge",
                                          "PriorityWeightAssoc",
                                          "PriorityWeightFairshare",
                                          "PriorityWeightJobSize",
                                          "PriorityWeightPartition",
                                          "PriorityWeightQOS",
                                          "PriorityWeightTRES",
                                          "MaxArraySize",
                                          "MaxJobCount"};
static const char *const node_keys[] = {"NodeName",        "CPUs",           "Boards",         "Sockets",
                                        "SocketsPerBoard", "CoresPerSocket", "ThreadsPerCore", "RealMemory",
                                        "Weight",          "Feature",        "Features"};
static const char *const partition_keys[] = {"PartitionName",
                                             "Nodes",
                                             "Default",
                                             "MaxTime",
                                             "DefaultTime",
                                             "MaxNodes",
                                             "MinNodes",
                                             "PriorityTier",
                                             "PriorityJobFactor",
                                             "PreemptMode",
                                             "GraceTime",
                                             "LLN",
                                             "OverSubscribe",
                                             "DefMemPerCPU",
                                             "DefMemPerNode",
                                             "MaxMemPerCPU",
                                             "MaxMemPerNode",
                                             "MaxCPUsPerNode",
                                             "OverTimeLimit",
                                             "State",
                                             "Hidden",
                                             "SelectTypeParameters",
                                             "DisableRootJobs",
                                             "ExclusiveUser"};

static bool is_one_of(const char *const *keys, size_t count, const char *key)
{
  for (size_t i = 0; i < count; i++)
    if (hc_conf_same(keys[i], key)) return true;
  return false;
}

hc_rc hc_cluster_set(const char *setting, hc_buffer *lines, hc_buffer *parameters, hc_error *e)
{
  const size_t n = strcspn(setting, "=");
  char key[64];
  if (setting[n] != '=' || n == 0 || n >= sizeof key || strpbrk(setting, "\n\r"))
    return hc_fail(e, HC_EUSAGE, "slurm", 0, 0, "expected KEY=VALUE as in a slurm.conf, got \"%.80s\"",
                   setting);
  memcpy(key, setting, n);
  key[n] = '\0';
  if (hc_conf_same(key, "SchedulerParameters")) {
    parameters->size = 0;
    hc_buffer_text(parameters, setting + n + 1);
    return 0;
  }
  if (!is_one_of(global_keys, HC_ARRAY_LEN(global_keys), key))
    return hc_fail(e, HC_EUSAGE, "slurm", 0, 0,
                   "%s is not a setting of how is scheduled, and all others are the private cluster's own",
                   key);
  hc_buffer_printf(lines, "%s\n", setting);
  return 0;
}

static bool is_default(const char *value)
{
  return hc_conf_same(value, "DEFAULT");
}

/* Each key once, whatever its line. */
static void leave_out(hc_buffer *left, const char *key)
{
  const size_t n = strlen(key);
  for (const char *at = left->data; at && (at = strstr(at, key)); at += n)
    if ((at == left->data || at[-1] == ' ') && (at[n] == ',' || at[n] == '\0')) return;
  hc_buffer_printf(left, "%s%s", left->size ? ", " : "", key);
}

static void put_pairs(const hc_conf_line *l, const char *const *keys, size_t count, hc_buffer *lines,
                      hc_buffer *left)
{
  for (uint32_t i = 0; i < l->count; i++) {
    const hc_conf_pair *p = &l->pairs[i];
    if (is_one_of(keys, count, p->key)) hc_buffer_printf(lines, "%s=%s ", p->key, p->value);
    else leave_out(left, p->key);
  }
}

static int64_t number_of(const hc_conf_line *l, const char *key, int64_t fallback)
{
  const hc_conf_pair *p = hc_conf_find(l, key);
  int64_t n;
  return p && hc_parse_int(p->value, strlen(p->value), &n) == 0 && n > 0 && n < 65536 ? n : fallback;
}

static int64_t cpus_of(const hc_conf_line *l)
{
  return number_of(l, "CPUs",
                   number_of(l, "Boards", 1) * number_of(l, "Sockets", number_of(l, "SocketsPerBoard", 1)) *
                       number_of(l, "CoresPerSocket", 1) * number_of(l, "ThreadsPerCore", 1));
}

hc_rc hc_cluster_take_conf(const hc_allocator *a, const char *path, const char *host, uint16_t port,
                           hc_buffer *lines, hc_buffer *names, hc_buffer *parameters, int64_t *cpus,
                           hc_buffer *note, hc_error *e)
{
  hc_conf conf;
  hc_buffer left;
  bool has_partition = false;
  hc_rc rc = hc_conf_read(a, path, &conf, e);
  hc_buffer_init(&left, a);
  *cpus = 1;
  for (size_t i = 0; rc >= 0 && i < conf.count; i++) {
    const hc_conf_line *l = &conf.lines[i];
    const hc_conf_pair *first = &l->pairs[0];
    if (hc_conf_same(first->key, "NodeName")) {
      put_pairs(l, node_keys, HC_ARRAY_LEN(node_keys), lines, &left);
      *cpus = HC_MAX(*cpus, cpus_of(l));
      if (!is_default(first->value)) {
        hc_buffer_printf(lines, "NodeHostname=%s NodeAddr=127.0.0.1 Port=%u State=UNKNOWN", host, port);
        hc_buffer_printf(names, "%s%s", names->size ? "," : "", first->value);
      }
      hc_buffer_text(lines, "\n");
    } else if (hc_conf_same(first->key, "PartitionName")) {
      put_pairs(l, partition_keys, HC_ARRAY_LEN(partition_keys), lines, &left);
      hc_buffer_text(lines, "\n");
      has_partition |= !is_default(first->value);
    } else {
      for (uint32_t k = 0; k < l->count; k++) {
        const hc_conf_pair *p = &l->pairs[k];
        if (hc_conf_same(p->key, "SchedulerParameters")) {
          parameters->size = 0;
          hc_buffer_text(parameters, p->value);
        } else if (is_one_of(global_keys, HC_ARRAY_LEN(global_keys), p->key)) {
          hc_buffer_printf(lines, "%s=%s\n", p->key, p->value);
        } else {
          leave_out(&left, p->key);
        }
      }
    }
  }
  if (rc >= 0 && names->size == 0)
    rc = hc_fail(e, HC_EINPUT, path, 0, 0, "it names no nodes: a line NodeName=... is needed");
  if (rc >= 0 && !has_partition)
    rc = hc_fail(e, HC_EINPUT, path, 0, 0, "it has no partition: a line PartitionName=... is needed");
  if (left.size) hc_buffer_printf(note, "left out of %s: %s\n", path, left.data);
  if (rc >= 0 && (left.failed || lines->failed || names->failed || note->failed || parameters->failed))
    rc = hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory");
  hc_buffer_fini(&left);
  hc_conf_close(&conf, a);
  return rc;
}
