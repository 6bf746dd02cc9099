/* test_slurm_placed.c -- the policy slurm beside slurmctld: when jobs start, and on which nodes, that want
 * nodes for themselves or their user, few switches, or to start together. */
#include "slurm_runs_test.h"

#include <stdlib.h>

typedef struct placed_job {
  int id, at, run, minutes, nodes, cpus;
  const char *more;
} placed_job;

typedef struct start {
  int64_t job;
  double at;
  const char *nodes; /* a digit each, from 1 */
} start;

typedef struct recorded {
  const char *name, *conf;
  placed_job jobs[12];
  start starts[12];
} recorded;

#define JOB(...) {__VA_ARGS__},
#define ON(...) {__VA_ARGS__},
#define CASE(name, conf, jobs, starts) {#name, conf, {jobs}, {starts}},
static const recorded all[] = {
#include "oracles/slurm/placed.inc"
};

/* Phases that the records show: of the backfill. */
static const struct {
  const char *name, *keys;
} phases[] = {{"owned", "backfill_at: 27s"},
              {"bounds", "backfill_at: 26s"},
              {"switches", "backfill_at: 23s"},
              {"switch_wait", "backfill_at: 23s"},
              {"together", "backfill_at: 27s"},
              {"together_later", "backfill_at: 27s"},
              {"together_at_once", "backfill_at: 27s"},
              {"cores", "backfill_at: 27s"}};

static const char *phase_of(const char *name)
{
  for (size_t i = 0; i < COUNT(phases); i++)
    if (strcmp(phases[i].name, name) == 0) return phases[i].keys;
  return NULL;
}

#define NEAR 4.0 /* s: jobs come, and passes run, up to 3 s and a second later or sooner than in the record */

static void put_jobs(const recorded *c, char *out, size_t size)
{
  size_t n = 0;
  for (size_t i = 0; i < COUNT(c->jobs) && c->jobs[i].id > 0; i++) {
    const placed_job *x = &c->jobs[i];
    n += (size_t)snprintf(out + n, size - n,
                          "- {id: %d, submit_time: %d, delay: %d, limit: %d, resources: {nodes_count: %d, "
                          "cpu_per_node: %d}, spread: true, %s}\n",
                          x->id, x->at, x->run, x->minutes * 60, x->nodes, x->cpus, x->more);
  }
}

typedef struct places {
  char nodes[16][16]; /* of each task, by its number */
} places;

/* A row of `grants`: serial, host, and what it holds there. */
static hc_rc take_place(void *ctx, const char *const *row)
{
  places *p = ctx;
  const size_t id = strtoul(row[0], NULL, 10) + 1, n = strlen(p->nodes[id]);
  p->nodes[id][n] = (char)('1' + strtol(row[1], NULL, 10));
  return 0;
}

#define LEAVES "SwitchName=s1 Nodes=n[1-4]\nSwitchName=s2 Nodes=n[5-8]\nSwitchName=s3 Switches=s[1-2]\n"

static void compare(const recorded *c)
{
  const bool is_tree = strstr(c->conf, "topology/tree") != NULL;
  char tasks[4096], path[64], leaves[64];
  bench b;
  hc_result *r;
  places p = {0};
  put_jobs(c, tasks, sizeof tasks);
  write_log(leaves, LEAVES, sizeof LEAVES - 1);
  begin_run_on(&b, &(const given){c->conf, phase_of(c->name), NULL}, is_tree ? leaves : NULL, tasks, path);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "grants", 12, take_place, &p, &b.error));
  hc_result_free(r);
  for (size_t i = 0; i < COUNT(c->starts) && c->starts[i].job > 0; i++) {
    const start *s = &c->starts[i];
    const double at = (double)record_of(&b, s->job)->start / 1e9;
    if (at < s->at - NEAR || at > s->at + NEAR || strcmp(p.nodes[s->job], s->nodes) != 0)
      fail_msg("%s: job %" PRId64 " starts at %.1f s on %s, under slurmctld at %.1f s on %s", c->name, s->job,
               at, p.nodes[s->job], s->at, s->nodes);
  }
  end(&b);
  (void)unlink(path);
  (void)unlink(leaves);
}

static void test_as_slurmctld_did(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(all); i++) compare(&all[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_slurmctld_did)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
