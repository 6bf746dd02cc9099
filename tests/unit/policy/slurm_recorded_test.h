/* slurm_recorded_test.h -- what slurmctld did with some jobs, for tests that hold the policy slurm to it.
 * The cases are in tests/oracles/slurm, one file a subject, which is included into a list of `recorded`. */
#ifndef HC_TESTS_SLURM_RECORDED_TEST_H
#define HC_TESTS_SLURM_RECORDED_TEST_H

#include "slurm_runs_test.h"

#define NEAR 4.0 /* s: jobs come, and passes run, up to 3 s and a second later or sooner than in the record */

typedef enum fact_kind { START, REQUEUED, KILLED, TOLD, SUSPENDED, RESUMED, END } fact_kind;

typedef struct fact {
  fact_kind kind;
  int64_t job; /* 0: behind the last one */
  double at;   /* s */
} fact;

typedef struct slurm_job {
  int id, at, run, minutes, nodes, cpus;
  const char *partition, *qos;
  int shares; /* --oversubscribe */
} slurm_job;

typedef struct recorded {
  const char *name, *conf;
  slurm_job jobs[8];
  fact facts[80]; /* in order of time */
} recorded;

#define JOB(...) {__VA_ARGS__},
#define FACT(...) {__VA_ARGS__},
#define CASE(name, conf, jobs, facts) {#name, conf, {jobs}, {facts}},

static inline bool is_pause(const fact *f)
{
  return f->kind == SUSPENDED || f->kind == RESUMED;
}

static inline bool is_near(double at, const fact *f)
{
  return at >= f->at - NEAR && at <= f->at + NEAR;
}

/* The jobs of a case as tasks of the native format. */
static inline void put_jobs(const recorded *c, char *out, size_t size)
{
  size_t n = 0;
  for (size_t i = 0; i < COUNT(c->jobs) && c->jobs[i].id > 0; i++) {
    const slurm_job *x = &c->jobs[i];
    n += (size_t)snprintf(out + n, size - n,
                          "- {id: %d, submit_time: %d, delay: %d, limit: %d, resources: {nodes_count: %d, "
                          "cpu_per_node: %d}, partition: %s%s%s%s}\n",
                          x->id, x->at, x->run, x->minutes * 60, x->nodes, x->cpus, x->partition,
                          x->qos[0] ? ", user: root, group: root, queue: " : "", x->qos,
                          x->shares ? ", exclusive: never" : "");
  }
}

/* Each case under the model, with QOS as `sacctmgr show qos -P` says them. */
static inline void compare_all(const recorded *all, size_t count, const char *qualities,
                               void (*compare)(const recorded *c, const char *path))
{
  char path[64];
  write_log(path, qualities, strlen(qualities));
  for (size_t i = 0; i < count; i++) compare(&all[i], path);
  (void)unlink(path);
}

#endif
