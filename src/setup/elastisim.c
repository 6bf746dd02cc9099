/* elastisim.c -- ElastiSim's configuration.json as the configuration of a run.
 *
 *   jobs_file                     source: {use: elastisim, file, cores: 1}
 *   platform_file                 cell and network simgrid; the speed of its hosts; GPUs (num_gpus,
 *                                 flops_per_gpu, gpu_to_gpu_bw); its file system (pfs_host) and burst
 *                                 buffers (node_local_bb, wide_striping)
 *   schedule_on_job_submit, ..._finalize, scheduling_interval
 *                                 when architecture monolithic decides
 *   job_kill_grace_period         kill_grace of the source
 *   sensing, sensing_interval, pfs_read_links, pfs_write_links
 *                                 the metric sensing, beside the usual ones
 *   log_task_times                task_times of the source, and the metric part_times
 *   zmq_url, schedule_on_..., min_scheduling_interval, clip_evolving_requests
 *                                 options of the policy elastisim, should the run have that
 *
 * It lies where a run file would, so that later files, --set and flags stand above it. ElastiSim's algorithm
 * is a program of its own behind zmq_url, which a run needs not have, so that the policy is ours: `elastic`
 * as the one of its example project (greedy over blocking), unless another is said. With `--policy elastisim`
 * the algorithm comes, and the file says where to and when it is invoked. What plays no part is told in a
 * note with the result, and what would make another run of it is refused: see known[].
 *
 * Files are looked for where they are said, from the working directory as ElastiSim does, and else by their
 * last names beside the configuration. Source: ElastiSim 2024, its documentation and
 * src/util/Configuration.cpp. */
#include "setup/elastisim.h"

#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "base/util.h"
#include "cluster/platform.h"
#include "setup/shorthand.h"

enum key {
  JOBS,
  PLATFORM,
  ON_SUBMIT,
  ON_FINALIZE,
  INTERVAL,
  LEAST_INTERVAL,
  OVERSUBSCRIPTION,
  GRACE,
  SENSING,
  SENSING_INTERVAL,
  READ_LINKS,
  WRITE_LINKS,
  CLIPS,
  ON_POINT,
  ON_RECONFIGURATION,
  LOG_TASKS,
  URL,
  IO_INFORMATION,
  STATISTICS,
  CPU,
  NODES,
  NETWORK,
  PFS,
  GPU,
  TASKS,
  PROGRESS,
  KEYS
};

/* Words of the note: what of a key plays no part, where it says true or anything; NULL: it plays its part.
 * And does it play its part with the policy elastisim? */
static const struct {
  const char *name, *note;
  bool is_algorithms;
} known[KEYS] = {
    [JOBS] = {"jobs_file", NULL, false},
    [PLATFORM] = {"platform_file", NULL, false},
    [ON_SUBMIT] = {"schedule_on_job_submit", NULL, false},
    [ON_FINALIZE] = {"schedule_on_job_finalize", NULL, false},
    [INTERVAL] = {"scheduling_interval", NULL, false},
    [LEAST_INTERVAL] = {"min_scheduling_interval", NULL, false},
    [OVERSUBSCRIPTION] = {"allow_oversubscription",
                          "a policy here gives no node to two jobs at once, which is "
                          "all that it would allow",
                          false},
    [GRACE] = {"job_kill_grace_period", NULL, false},
    [SENSING] = {"sensing", NULL, false},
    [SENSING_INTERVAL] = {"sensing_interval", NULL, false},
    [READ_LINKS] = {"pfs_read_links", NULL, false},
    [WRITE_LINKS] = {"pfs_write_links", NULL, false},
    [CLIPS] = {"clip_evolving_requests", NULL, false},
    [ON_POINT] = {"schedule_on_scheduling_point", "points call for a decision where they free something",
                  true},
    [ON_RECONFIGURATION] = {"schedule_on_reconfiguration", "the same", true},
    [LOG_TASKS] = {"log_task_times", NULL, false},
    [URL] = {"zmq_url", "the algorithm is the run's policy", true},
    [IO_INFORMATION] = {"forward_io_information", "no policy is told it", true},
    [STATISTICS] = {"job_statistics", NULL, false},
    [CPU] = {"cpu_utilization", NULL, false},
    [NODES] = {"node_utilization", NULL, false},
    [NETWORK] = {"network_activity", NULL, false},
    [PFS] = {"pfs_utilization", NULL, false},
    [GPU] = {"gpu_utilization", NULL, false},
    [TASKS] = {"task_times", NULL, false},
    [PROGRESS] = {"show_progress_bar", NULL, false},
};

/* Properties of a host that ElastiSim looks at. */
enum property {
  BATCH_SYSTEM,
  PFS_HOST,
  PFS_TARGETS,
  NUM_GPUS,
  FLOPS_PER_GPU,
  GPU_BANDWIDTH,
  HAS_BUFFER,
  BUFFER_READ,
  BUFFER_WRITE,
  WIDE_STRIPING,
  FLOPS_PER_BYTE,
  PROPERTIES
};
static const char *const properties[PROPERTIES] = {
    "batch_system",  "pfs_host",   "pfs_targets", "num_gpus",      "flops_per_gpu", "gpu_to_gpu_bw",
    "node_local_bb", "bb_read_bw", "bb_write_bw", "wide_striping", "flops_per_byte"};

typedef struct host_facts {
  const char *says[PROPERTIES]; /* NULL: nothing */
} host_facts;

typedef struct making {
  hc_arena *a;
  const hc_value *root;
  const hc_value *at[KEYS];
  const char *path; /* of the configuration */
  hc_platform p;
  host_facts *hosts; /* [p.hosts_count] */
  hc_error *e;
} making;

/* ---- its JSON ---- */

bool hc_elastisim_is_configuration(const hc_value *v)
{
  return v->kind == HC_VALUE_MAP && hc_value_get(v, known[JOBS].name) &&
         hc_value_get(v, known[PLATFORM].name);
}

static hc_rc take_keys(making *k)
{
  for (size_t i = 0; i < k->root->count; i++) {
    const hc_value *v = k->root->items[i];
    size_t n = 0;
    while (n < KEYS && strcmp(known[n].name, v->key) != 0) n++;
    if (n == KEYS)
      return hc_value_fail_key(
          v, k->e, HC_EUSAGE,
          "ElastiSim's configuration has no key \"%.80s\"; keys of a run stand in a file of "
          "their own behind it, or in --set",
          v->key);
    k->at[n] = v;
  }
  return 0;
}

/* A key that is not there is false, as in ElastiSim. */
static hc_rc flag_of(const making *k, enum key key, bool *out)
{
  const hc_value *v = k->at[key];
  *out = false;
  if (!v || (v->kind == HC_VALUE_SCALAR && hc_parse_bool(v->text, strlen(v->text), out) == 0)) return 0;
  return hc_value_fail(v, k->e, HC_EUSAGE, "%s is true or false", known[key].name);
}

static hc_rc number_of(const making *k, enum key key, double *out)
{
  const hc_value *v = k->at[key];
  *out = 0;
  if (!v) return 0;
  if (v->kind == HC_VALUE_SCALAR && hc_parse_real(v->text, strlen(v->text), out) == 0 && *out >= 0) return 0;
  return hc_value_fail(v, k->e, HC_EUSAGE, "%s is a number of seconds, from 0 on", known[key].name);
}

/* ---- trees ---- */

/* A word of ours, or a name of theirs, which is a text whatever it looks like. */
static hc_value *word(making *k, const char *text)
{
  return hc_value_scalar(k->a, text, HC_FROM_FILE);
}

static hc_value *name(making *k, const char *text)
{
  hc_value *v = word(k, text);
  if (v) v->quoted = true;
  return v;
}

static hc_rc put(making *k, hc_value *map, const char *key, hc_value *v)
{
  return v ? hc_value_put(k->a, map, key, v) : HC_ENOMEM;
}

static hc_rc put_text(making *k, hc_value *map, const char *key, const char *text)
{
  return put(k, map, key, word(k, text));
}

static hc_rc put_name(making *k, hc_value *map, const char *key, const char *text)
{
  return put(k, map, key, name(k, text));
}

static hc_rc put_real(making *k, hc_value *map, const char *key, double x)
{
  char text[32];
  const size_t n = hc_format_real(x, text);
  const char *copy = hc_arena_text(k->a, text, n);
  return put(k, map, key, copy ? hc_value_scalar(k->a, copy, HC_FROM_FILE) : NULL);
}

/* YAML of our own, as a value. */
static hc_rc put_yaml(making *k, hc_value *map, const char *key, const char *yaml)
{
  hc_value *v = NULL;
  TRY(hc_value_parse(k->a, yaml, strlen(yaml), key, &v, k->e));
  return put(k, map, key, v);
}

static hc_rc put_map(making *k, hc_value *map, const char *key, hc_value **out)
{
  *out = hc_value_map(k->a);
  return put(k, map, key, *out);
}

static hc_rc new_list(making *k, hc_value *map, const char *key, hc_value **out)
{
  *out = hc_value_map(k->a);
  if (*out) (*out)->kind = HC_VALUE_LIST;
  return put(k, map, key, *out);
}

static hc_rc append(making *k, hc_value *list, hc_value *v)
{
  return v ? hc_value_append(k->a, list, v) : HC_ENOMEM;
}

/* ---- files ---- */

static hc_rc file_of(making *k, enum key key, const char **out)
{
  const hc_value *v = k->at[key];
  const hc_files *files = hc_files_of(k->a->allocator);
  if (v->kind != HC_VALUE_SCALAR || v->text[0] == '\0')
    return hc_value_fail(v, k->e, HC_EUSAGE, "%s is the path of a file", known[key].name);
  *out = v->text;
  if (files->look(files->ctx, v->text, NULL) != HC_FILE_ABSENT) return 0;
  const char *slash = strrchr(k->path, '/'), *last = strrchr(v->text, '/');
  *out = hc_arena_printf(k->a, "%.*s%s", slash ? (int)(slash + 1 - k->path) : 0, k->path,
                         last ? last + 1 : v->text);
  if (!*out) return HC_ENOMEM;
  if (files->look(files->ctx, *out, NULL) != HC_FILE_ABSENT) return 0;
  return hc_value_fail(
      v, k->e, HC_EIO,
      "%s: there is no file \"%.200s\", from the working directory as ElastiSim has it, and no "
      "\"%.200s\"",
      known[key].name, v->text, *out);
}

/* ---- the platform ---- */

/* The last of a name counts. */
static hc_rc read_properties(making *k)
{
  k->hosts = hc_arena_alloc(k->a, (k->p.hosts_count + 1) * sizeof *k->hosts);
  if (!k->hosts) return HC_ENOMEM;
  for (size_t h = 0; h < k->p.hosts_count; h++) k->hosts[h] = (host_facts){{NULL}};
  for (size_t i = 0; i < k->p.props_count; i++) {
    const hc_platform_prop *x = &k->p.props[i];
    int which = 0;
    while (which < PROPERTIES && strcmp(properties[which], x->name) != 0) which++;
    for (uint32_t h = 0; which < PROPERTIES && h < x->hosts; h++)
      k->hosts[x->first_host + h].says[which] = x->value;
  }
  return 0;
}

static const char *property(const making *k, uint32_t h, enum property which)
{
  return k->hosts[h].says[which];
}

static bool is_true(const making *k, uint32_t h, enum property which)
{
  const char *value = property(k, h, which);
  return value && strcmp(value, "true") == 0;
}

static bool computes(const making *k, uint32_t host)
{
  return !is_true(k, host, BATCH_SYSTEM) && !is_true(k, host, PFS_HOST);
}

static const char *name_of(const making *k, uint32_t host)
{
  return k->p.points[k->p.hosts[host].point].name;
}

static hc_rc wrong_host(const making *k, uint32_t host, hc_rc rc, const char *text)
{
  return hc_fail(k->e, rc, k->p.file, k->p.hosts[host].line, 0, "host %.80s: %s", name_of(k, host), text);
}

/* ElastiSim's properties of a node, as far as they must be the same for all. */
typedef struct nodes {
  double speed, gpu_speed, gpu_bandwidth;
  bool differ; /* in speed */
} nodes;

static hc_rc read_gpus(const making *k, uint32_t host, nodes *n)
{
  const char *count = property(k, host, NUM_GPUS), *speed = property(k, host, FLOPS_PER_GPU),
             *bandwidth = property(k, host, GPU_BANDWIDTH);
  double x = 0, y = 0;
  if (!count || strcmp(count, "0") == 0) return 0;
  if (!speed || hc_platform_speed(speed, &x) < 0 || !(x > 0))
    return wrong_host(k, host, HC_EINPUT, "flops_per_gpu is missing, or no speed such as 9.7Tf");
  if (bandwidth && (hc_platform_bandwidth(bandwidth, &y) < 0 || !(y > 0)))
    return wrong_host(k, host, HC_EINPUT, "gpu_to_gpu_bw is no bandwidth such as 300GBps");
  if (strcmp(count, "1") != 0 && !bandwidth)
    return wrong_host(k, host, HC_EINPUT, "it has several GPUs, and no gpu_to_gpu_bw");
  if ((n->gpu_speed > 0 && n->gpu_speed != x) || (n->gpu_bandwidth > 0 && y > 0 && n->gpu_bandwidth != y))
    return wrong_host(
        k, host, HC_EUNSUPPORTED,
        "its GPUs are not as those of the hosts before it, and all are of one speed and bandwidth here");
  n->gpu_speed = x;
  if (y > 0) n->gpu_bandwidth = y;
  return 0;
}

/* All hosts of the file system, or those that it names, are the same for each node. */
static hc_rc check_targets(const making *k, uint32_t host, const char **checked)
{
  const char *targets = property(k, host, PFS_TARGETS);
  size_t named = 0, all = 0;
  if (!targets || (*checked && strcmp(targets, *checked) == 0)) return 0;
  *checked = targets;
  for (uint32_t i = 0; i < k->p.hosts_count; i++) all += is_true(k, i, PFS_HOST);
  for (const char *s = targets;; s++) {
    const size_t n = strcspn(s, ",");
    bool is_one = false;
    for (uint32_t i = 0; i < k->p.hosts_count && !is_one; i++)
      is_one = is_true(k, i, PFS_HOST) && strlen(name_of(k, i)) == n && memcmp(name_of(k, i), s, n) == 0;
    if (!is_one) return wrong_host(k, host, HC_EUNSUPPORTED, "pfs_targets names a host that is no pfs_host");
    named++;
    s += n;
    if (*s == '\0') break;
  }
  if (named == all) return 0;
  return wrong_host(
      k, host, HC_EUNSUPPORTED,
      "pfs_targets names some of the hosts of the file system, and each node uses all of them here");
}

static bool is_wide(const making *k, uint32_t host)
{
  return is_true(k, host, HAS_BUFFER) && is_true(k, host, WIDE_STRIPING);
}

/* What each byte of a wide burst buffer costs nodes to compute. */
static hc_rc check_buffer(const making *k, uint32_t host)
{
  const char *says = property(k, host, FLOPS_PER_BYTE);
  double flops = 0;
  if (!is_wide(k, host) || !says) return 0;
  if (hc_platform_speed(says, &flops) < 0)
    return wrong_host(k, host, HC_EINPUT, "flops_per_byte is no number such as 2, or 2f");
  if (flops == 0) return 0;
  return wrong_host(
      k, host, HC_EUNSUPPORTED,
      "flops_per_byte: nodes compute nothing here while burst buffers are read and written: leave "
      "it out");
}

static hc_rc read_nodes(const making *k, nodes *n)
{
  const char *checked = NULL;
  *n = (nodes){.speed = 0};
  for (uint32_t h = 0; h < k->p.hosts_count; h++) {
    if (!computes(k, h)) continue;
    if (n->speed == 0) n->speed = k->p.hosts[h].speed;
    n->differ |= n->speed != k->p.hosts[h].speed;
    TRY(read_gpus(k, h, n));
    TRY(check_targets(k, h, &checked));
    TRY(check_buffer(k, h));
  }
  if (n->speed > 0) return 0;
  return hc_fail(k->e, HC_EINPUT, k->p.file, 0, 0, "the platform has no node that computes");
}

/* A disk of a file system that is no bottleneck: its links are. */
static hc_rc put_pfs(making *k, hc_value *disks)
{
  hc_value *disk = NULL, *servers = NULL;
  size_t count = 0;
  for (uint32_t h = 0; h < k->p.hosts_count; h++) {
    if (!is_true(k, h, PFS_HOST)) continue;
    if (count++ == 0) {
      disk = hc_value_map(k->a);
      TRY(append(k, disks, disk));
      TRY(put_text(k, disk, "use", "striped"));
      TRY(new_list(k, disk, "servers", &servers));
      TRY(put_text(k, disk, "mount", "/pfs"));
      TRY(put_text(k, disk, "read_bandwidth", "1000TB"));
      TRY(put_text(k, disk, "write_bandwidth", "1000TB"));
    }
    TRY(append(k, servers, name(k, name_of(k, h))));
  }
  return 0;
}

/* A burst buffer is on its node; those that are alike stand together. What is written to a wide one is spread
 * over those of all nodes of a job. */
static hc_rc put_buffers(making *k, hc_value *disks)
{
  const char *last[2] = {NULL, NULL};
  bool last_is_wide = false;
  hc_value *hosts = NULL;
  for (uint32_t h = 0; h < k->p.hosts_count; h++) {
    double speed[2];
    const char *text[2] = {property(k, h, BUFFER_READ), property(k, h, BUFFER_WRITE)};
    if (!computes(k, h) || !is_true(k, h, HAS_BUFFER)) continue;
    for (int i = 0; i < 2; i++)
      if (!text[i] || hc_platform_bandwidth(text[i], &speed[i]) < 0)
        return wrong_host(k, h, HC_EINPUT, "bb_read_bw and bb_write_bw are bandwidths such as 5GBps");
    const bool wide = is_wide(k, h);
    if (!hosts || strcmp(text[0], last[0]) != 0 || strcmp(text[1], last[1]) != 0 || wide != last_is_wide) {
      hc_value *disk = hc_value_map(k->a);
      TRY(append(k, disks, disk));
      TRY(new_list(k, disk, "hosts", &hosts));
      TRY(put_text(k, disk, "mount", "/bb"));
      TRY(put_real(k, disk, "read_bandwidth", speed[0]));
      TRY(put_real(k, disk, "write_bandwidth", speed[1]));
      if (wide) TRY(put_text(k, disk, "wide", "true"));
      last[0] = text[0];
      last[1] = text[1];
      last_is_wide = wide;
    }
    TRY(append(k, hosts, name(k, name_of(k, h))));
  }
  return 0;
}

static hc_rc put_platform(making *k, hc_value *out, const char *file, const nodes *n)
{
  hc_value *cell, *execution, *network, *disks;
  TRY(put_map(k, out, "cell", &cell));
  TRY(put_text(k, cell, "use", "simgrid"));
  TRY(put_name(k, cell, "file", file));
  TRY(put_text(k, cell, "roles", "elastisim"));
  TRY(put_text(k, cell, "whole_hosts", "true"));
  if (n->differ) TRY(put_real(k, cell, "flops", n->speed));
  TRY(put_map(k, out, "execution", &execution));
  TRY(put_text(k, execution, "use", "activities"));
  TRY(put_real(k, execution, "cpu_speed", n->speed));
  if (n->gpu_speed > 0) TRY(put_real(k, execution, "gpu_speed", n->gpu_speed));
  TRY(put_text(k, execution, "sharing", "bottleneck"));
  TRY(put_map(k, execution, "network", &network));
  TRY(put_text(k, network, "use", "simgrid"));
  TRY(put_name(k, network, "file", file));
  TRY(put_text(k, network, "factors",
               "plain")); /* all its messages are parallel tasks, which L07 scales by none */
  TRY(new_list(k, execution, "disks", &disks));
  TRY(put_pfs(k, disks));
  return put_buffers(k, disks);
}

/* ---- jobs, decisions, what is counted ---- */

static hc_rc put_source(making *k, hc_value *out, const nodes *n)
{
  const char *file;
  hc_value *source;
  double grace;
  bool logs;
  TRY(file_of(k, JOBS, &file));
  TRY(number_of(k, GRACE, &grace));
  TRY(flag_of(k, LOG_TASKS, &logs));
  TRY(put_map(k, out, "source", &source));
  TRY(put_text(k, source, "use", "elastisim"));
  TRY(put_name(k, source, "file", file));
  TRY(put_text(k, source, "cores", "1"));
  if (logs) TRY(put_text(k, source, "task_times", "true"));
  if (grace > 0) TRY(put_real(k, source, "kill_grace", grace));
  return n->gpu_bandwidth > 0 ? put_real(k, source, "gpu_bandwidth", n->gpu_bandwidth) : 0;
}

static hc_rc put_decisions(making *k, hc_value *out)
{
  hc_value *architecture, *triggers, *call;
  double interval, least;
  bool submit, finalize, unused;
  TRY(flag_of(k, ON_SUBMIT, &submit));
  TRY(flag_of(k, ON_FINALIZE, &finalize));
  TRY(flag_of(k, OVERSUBSCRIPTION, &unused));
  TRY(number_of(k, INTERVAL, &interval));
  TRY(number_of(k, LEAST_INTERVAL, &least));
  if (interval == 0 && (!submit || !finalize))
    return hc_value_fail(
        k->root, k->e, HC_EUSAGE,
        "nothing calls for decisions: set schedule_on_job_submit and schedule_on_job_finalize, or "
        "scheduling_interval");
  TRY(put_yaml(k, out, "policy", "{use: elastic, strategy: greedy, policy: blocking}"));
  if (interval == 0 && least == 0) return 0;
  TRY(put_map(k, out, "architecture", &architecture));
  TRY(put_text(k, architecture, "use", "monolithic"));
  TRY(new_list(k, architecture, "call", &call));
  /* each event calls by itself, which matters only where the first call makes the next one come too soon */
  if (submit || finalize) TRY(append(k, call, word(k, least > 0 ? "per_event" : "instant")));
  if (least > 0) TRY(put_real(k, architecture, "apart", least));
  if (interval > 0) TRY(append(k, call, word(k, "period")));
  if (interval > 0) TRY(put_real(k, architecture, "period", interval));
  if (!submit && !finalize) return 0;
  TRY(new_list(k, architecture, "triggers", &triggers));
  if (submit) TRY(append(k, triggers, word(k, "arrival")));
  return finalize ? append(k, triggers, word(k, "end")) : 0;
}

static hc_rc put_links(making *k, hc_value *metric, const char *member, enum key key)
{
  const hc_value *v = k->at[key];
  hc_value *list;
  if (!v || v->kind != HC_VALUE_LIST)
    return hc_value_fail(v ? v : k->root, k->e, HC_EUSAGE,
                         "%s is a list of names of links; it may be empty",
                         known[key].name);
  if (v->count == 0) return 0;
  TRY(new_list(k, metric, member, &list));
  for (size_t i = 0; i < v->count; i++) {
    if (v->items[i]->kind != HC_VALUE_SCALAR)
      return hc_value_fail(v->items[i], k->e, HC_EUSAGE, "%s: a link has a name", known[key].name);
    TRY(append(k, list, name(k, v->items[i]->text)));
  }
  return 0;
}

static hc_rc put_metrics(making *k, hc_value *out, const char *usual)
{
  hc_value *list = NULL, *metric;
  double every;
  bool senses, logs;
  TRY(flag_of(k, SENSING, &senses));
  TRY(flag_of(k, LOG_TASKS, &logs));
  TRY(number_of(k, SENSING_INTERVAL, &every));
  if (!senses && !logs) return 0;
  if (senses && !(every > 0))
    return hc_value_fail(k->at[SENSING], k->e, HC_EUSAGE, "sensing needs a sensing_interval above 0");
  TRY(hc_value_parse(k->a, usual, strlen(usual), "metrics", &list, k->e));
  TRY(put(k, out, "metrics", list));
  if (logs) TRY(append(k, list, word(k, "part_times")));
  if (!senses) return 0;
  metric = hc_value_map(k->a);
  TRY(append(k, list, metric));
  TRY(put_text(k, metric, "use", "sensing"));
  TRY(put_real(k, metric, "every", every));
  TRY(put_links(k, metric, "pfs_read", READ_LINKS));
  return put_links(k, metric, "pfs_write", WRITE_LINKS);
}

/* ---- what plays no part ---- */

/* Is it there, and not false? */
static bool says_something(const hc_value *v)
{
  bool is = true;
  return v && !(v->kind == HC_VALUE_SCALAR && hc_parse_bool(v->text, strlen(v->text), &is) == 0 && !is);
}

/* @param of_algorithm  the policy is elastisim */
static hc_rc make_note(const making *k, bool of_algorithm, const char **out)
{
  const hc_value *clips = k->at[CLIPS];
  hc_buffer b;
  size_t count = 0;
  hc_buffer_init(&b, k->a->allocator);
  hc_buffer_text(&b, "of ElastiSim's configuration some keys play no part: ");
  for (size_t i = 0; i < KEYS; i++) {
    if (!known[i].note || (of_algorithm && known[i].is_algorithms) || !says_something(k->at[i])) continue;
    hc_buffer_printf(&b, "%s%s (%s)", count++ > 0 ? ", " : "", known[i].name, known[i].note);
  }
  if (!of_algorithm && clips && !says_something(clips))
    hc_buffer_printf(&b, "%s%s (requests are clipped to a job's bounds, where ElastiSim ends)",
                     count++ > 0 ? ", " : "", known[CLIPS].name);
  if (count == 0) b.size = 0;
  hc_buffer_printf(&b, "%sits files are written by `hindcast export`", count > 0 ? "; " : "");
  *out = b.failed ? NULL : hc_arena_text(k->a, b.data, b.size);
  hc_buffer_fini(&b);
  return *out ? 0 : HC_ENOMEM;
}

/* ---- its algorithm ---- */

static hc_rc put_buffer_nodes(making *k, hc_value *out)
{
  hc_value *list = NULL;
  for (uint32_t h = 0; h < k->p.hosts_count; h++) {
    if (!computes(k, h) || !is_true(k, h, HAS_BUFFER)) continue;
    if (!list) TRY(new_list(k, out, "burst_buffers", &list));
    TRY(append(k, list, name(k, name_of(k, h))));
  }
  return 0;
}

static hc_rc put_algorithm(making *k, hc_value *out)
{
  static const struct {
    enum key key;
    const char *word;
  } when[] = {{ON_SUBMIT, "submit"},
              {ON_FINALIZE, "finalize"},
              {ON_POINT, "scheduling_point"},
              {ON_RECONFIGURATION, "reconfiguration"}};
  const char *file;
  hc_value *list;
  double interval, least;
  bool is = true;
  TRY(file_of(k, JOBS, &file));
  TRY(put_name(k, out, "jobs", file));
  if (k->at[URL] && k->at[URL]->kind == HC_VALUE_SCALAR) TRY(put_name(k, out, "url", k->at[URL]->text));
  TRY(new_list(k, out, "schedule_on", &list));
  for (size_t i = 0; i < HC_ARRAY_LEN(when); i++) {
    TRY(flag_of(k, when[i].key, &is));
    if (is) TRY(append(k, list, word(k, when[i].word)));
  }
  TRY(number_of(k, INTERVAL, &interval));
  TRY(number_of(k, LEAST_INTERVAL, &least));
  if (interval > 0) TRY(put_real(k, out, "interval", interval));
  if (least > 0) TRY(put_real(k, out, "apart", least));
  if (k->at[CLIPS]) TRY(flag_of(k, CLIPS, &is));
  if (k->at[CLIPS] && !is) TRY(put_text(k, out, "clips", "false"));
  TRY(flag_of(k, IO_INFORMATION, &is));
  if (is) {
    TRY(put_text(k, out, "io_information", "true"));
    if (k->at[READ_LINKS]) TRY(put_links(k, out, "pfs_read", READ_LINKS));
    if (k->at[WRITE_LINKS]) TRY(put_links(k, out, "pfs_write", WRITE_LINKS));
  }
  return put_buffer_nodes(k, out);
}

/* What put_decisions has made, and no run file or setting. */
static bool is_ours(const hc_value *v)
{
  static const char *const keys[] = {"call", "triggers", "period", "apart"};
  bool is = false;
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) is |= strcmp(v->key, keys[i]) == 0;
  return is && !v->file && v->origin < HC_FROM_SET;
}

static void drop_calls(hc_value *architecture)
{
  size_t left = 0;
  for (size_t i = 0; i < architecture->count; i++)
    if (!is_ours(architecture->items[i])) architecture->items[left++] = architecture->items[i];
  architecture->count = left;
}

hc_rc hc_elastisim_invite(hc_arena *a, const hc_elastisim_run *run, hc_value *tree, bool *is)
{
  hc_value *policy = hc_value_get(tree, "policy"), *architecture = hc_value_get(tree, "architecture");
  const hc_value *called = policy ? hc_shorthand_name(policy) : NULL;
  *is = run->algorithm && called && strcmp(called->text, "elastisim") == 0;
  if (!*is) return 0;
  policy = hc_shorthand_map(a, policy);
  if (!policy) return HC_ENOMEM;
  for (size_t i = 0; i < run->algorithm->count; i++) {
    const hc_value *v = run->algorithm->items[i];
    hc_value *copy = hc_arena_alloc(a, sizeof *copy);
    if (hc_value_get(policy, v->key)) continue;
    if (!copy) return HC_ENOMEM;
    *copy = *v;
    TRY(hc_value_put(a, policy, v->key, copy));
  }
  if (architecture && architecture->kind == HC_VALUE_MAP) drop_calls(architecture);
  return hc_value_put(a, tree, "policy", policy);
}

/* ---- a run of it ---- */

static hc_rc make(making *k, const char *metrics, hc_elastisim_run *out)
{
  const char *platform;
  nodes n;
  out->keys = hc_value_map(k->a);
  out->algorithm = hc_value_map(k->a);
  if (!out->keys || !out->algorithm) return HC_ENOMEM;
  TRY(take_keys(k));
  TRY(file_of(k, PLATFORM, &platform));
  TRY(hc_platform_read(k->a->allocator, platform, &k->p, k->e));
  TRY(read_properties(k));
  TRY(read_nodes(k, &n));
  TRY(put_source(k, out->keys, &n));
  TRY(put_platform(k, out->keys, platform, &n));
  TRY(put_decisions(k, out->keys));
  TRY(put_metrics(k, out->keys, metrics));
  TRY(put_algorithm(k, out->algorithm));
  TRY(make_note(k, true, &out->with_algorithm));
  return make_note(k, false, &out->note);
}

hc_rc hc_elastisim_configuration(hc_arena *a, const hc_value *v, const char *path, const char *metrics,
                                 hc_elastisim_run *out, hc_error *e)
{
  making k = {.a = a, .root = v, .path = path, .e = e};
  const hc_rc rc = make(&k, metrics, out);
  hc_platform_free(&k.p);
  return rc;
}
