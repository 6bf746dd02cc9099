/* slurm_runs_test.h -- whole runs under the policy slurm, each also taken to pieces and put together again.
 *
 * The main loop looks at each whole second here (tick: 1s) and the backfill first at 0, so that a pass
 * runs at the first second that is asked for and 3 s after the last one, and cycles run at 0, 30, 60... s
 * as long as there is something to look at. T(id, submitted, runs, limit, nodes, processors on each) is a
 * job, in seconds. */
#ifndef HC_SLURM_RUNS_TEST_H
#define HC_SLURM_RUNS_TEST_H

#include "../architecture/starts_test.h"

#define T_WITH(id, at, run, limit, nodes, cpus, more) \
  "- {id: " #id ", submit_time: " #at ", delay: " #run ", limit: " #limit \
  ", resources: {nodes_count: " #nodes ", cpu_per_node: " #cpus "}" more "}\n"
#define T(id, at, run, limit, nodes, cpus) T_WITH(id, at, run, limit, nodes, cpus, "")
#define T_IN(id, at, run, limit, nodes, cpus, partition) \
  T_WITH(id, at, run, limit, nodes, cpus, ", partition: " partition)

#define EVENTS(changes) "events: {use: list, changes: [" changes "]}\n"
#define FOUR "NodeName=n[0-3] CPUs=8\nPartitionName=all Nodes=n[0-3]\n"
#define FINE "SchedulerParameters=bf_resolution=1\n"
#define BUILTIN "SchedulerType=sched/builtin\n"

typedef struct given {
  const char *conf, *keys, *run; /* of slurm.conf, of the policy's keys, of the run file's */
} given;

/* @param topology  path of a topology.conf; NULL: there is none */
static inline void begin_run_on(bench *b, const given *g, const char *topology, const char *tasks,
                                char path[64])
{
  char yaml[1024], key[96] = "";
  write_log(path, g->conf, strlen(g->conf));
  if (topology) (void)snprintf(key, sizeof key, ", topology_file: %s", topology);
  (void)snprintf(
      yaml, sizeof yaml,
      "source: {use: native, file: FILE}\ncell: {use: slurm, file: %s%s}\nmetrics: []\nparanoid: true\n"
      "policy: {use: slurm, conf: %s, tick: 1s%s%s}\n%s",
      path, key, path, g->keys ? ", " : "", g->keys ? g->keys : "", g->run ? g->run : "");
  check(b, try_text(b, yaml, tasks));
}

static inline void begin_run(bench *b, const given *g, const char *tasks, char path[64])
{
  begin_run_on(b, g, NULL, tasks, path);
}

/* Starts are in ms: -1 for a task that did not start. @param topology  text of a topology.conf; NULL: none */
static inline void starts_on(const given *g, const char *topology, const char *tasks, const int64_t *at,
                             size_t count)
{
  static const uint64_t pieces[] = {0, 1, 3};
  char switches[64];
  if (topology) write_log(switches, topology, strlen(topology));
  for (size_t k = 0; k < COUNT(pieces); k++) {
    bench b;
    char path[64];
    begin_run_on(&b, g, topology ? switches : NULL, tasks, path);
    if (pieces[k] > 0) finish_in_pieces(&b, pieces[k]);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_time start = record_of(&b, (int64_t)i + 1)->start;
      const int64_t got = start == HC_UNKNOWN ? -1 : start / (HC_SECOND / 1000);
      if (got != at[i])
        fail_msg("%s\ntask %zu starts at %" PRId64 " ms, should at %" PRId64, g->conf, i + 1, got, at[i]);
    }
    end(&b);
    (void)unlink(path);
  }
  if (topology) (void)unlink(switches);
}

static inline void starts(const given *g, const char *tasks, const int64_t *at, size_t count)
{
  starts_on(g, NULL, tasks, at, count);
}
#define RUN(conf, policy, run, tasks, ...) \
  starts(&(const given){conf, policy, run}, tasks, (const int64_t[]){__VA_ARGS__}, \
         COUNT(((const int64_t[]){__VA_ARGS__})))

#endif
