/* test_slurm_usage.c -- usage, fair shares and priorities of Slurm against what slurmctld 22.05.8 wrote.
 *
 * tests/data/slurm/usage.txt is the begin of one of its runs (12 nodes of 8 CPUs; half-life and largest age
 * 10 minutes, a period a minute), told by lines:
 *   S JOB ACCOUNT USER QOS START CPUS LIMIT      a job starts; seconds of the day, limit in seconds
 *   E JOB END                                    it ends
 *   P SECOND                                     the priority thread wakes
 *   U ACCOUNT USER RAW WALL                      what it logs as usage then, with six decimals
 *   L ACCOUNT USER LEVEL                         what the fair tree logs in a period
 *   B, H ACCOUNT USER SHARES RAW EFFECTIVE FACTOR LEVEL    a block of sshare
 *   J JOB ACCOUNT USER PARTITION QOS AGE NODES CPUS age share size partition qos tres priority
 *                                                a row of sprio; AGE: seconds as of when it was computed
 * Each is replayed and each number compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/input.h"
#include "base/math.h"
#include "base/util.h"
#include "policy/slurm/factors.h"

#define DATA HC_TEST_SOURCE_DIR "/tests/data/slurm/"
#define JOBS 1024

/* ---- the cluster ---- */

typedef struct world {
  hc_slurm_assocs b;
  hc_slurm_priority p;
  hc_conf conf;
  hc_slurm_usage u;
  uint32_t handles[JOBS];
  size_t same[128], other[128]; /* numbers that agree, and that do not, by the letter of their line */
} world;

static void open_world(world *w)
{
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  memset(w, 0, sizeof *w);
  assert_int_equal(hc_slurm_assocs_init(&w->b, a), 0);
  assert_int_equal(hc_conf_read(a, DATA "priority.conf", &w->conf, &e), 0);
  if (hc_slurm_priority_read(&w->p, &w->conf, &w->b, &e) < 0) fail_msg("%s", e.text);
  if (hc_slurm_assocs_read(&w->b, DATA "qos.psv", &e) < 0) fail_msg("%s", e.text);
  if (hc_slurm_assocs_read(&w->b, DATA "associations.cfg", &e) < 0) fail_msg("%s", e.text);
  if (hc_slurm_assocs_settle(&w->b, &e) < 0) fail_msg("%s", e.text);
  assert_int_equal(hc_slurm_usage_init(&w->u, &w->b, &w->p.usage, a), 0);
}

static void close_world(world *w)
{
  hc_slurm_usage_fini(&w->u);
  hc_conf_close(&w->conf, hc_default_allocator());
  hc_slurm_assocs_fini(&w->b);
}

/* ---- lines ---- */

static void judge(world *w, const char *line, bool agrees)
{
  ++(agrees ? w->same : w->other)[(unsigned char)line[0]];
  if (!agrees && w->other[(unsigned char)line[0]] <= 5) print_message("differs: %s\n", line);
}

static bool near(double a, double b, double by)
{
  return a - b <= by && b - a <= by;
}

static uint32_t assoc_of(const world *w, const char *account, const char *user)
{
  return strcmp(user, "-") == 0 ? hc_slurm_assocs_account(&w->b, account)
                                : hc_slurm_assocs_find(&w->b, account, user, NULL);
}

static void start(world *w, const char *line)
{
  char account[40], user[40], qos[40];
  int job, at, cpus, limit;
  assert_int_equal(sscanf(line, "S %d %39s %39s %39s %d %d %d", &job, account, user, qos, &at, &cpus, &limit),
                   7);
  const hc_slurm_running r = {.assoc = assoc_of(w, account, user),
                              .qos = hc_slurm_assocs_qos(&w->b, qos),
                              .part_qos = HC_SLURM_NONE,
                              .start = at * HC_SECOND,
                              .limit = limit * HC_SECOND,
                              .billing = cpus,
                              .amounts = {{cpus}}};
  assert_in_range(job, 0, JOBS - 1);
  assert_int_equal(hc_slurm_usage_start(&w->u, &r, &w->handles[job]), 0);
}

static void end(world *w, const char *line)
{
  int job, at;
  assert_int_equal(sscanf(line, "E %d %d", &job, &at), 2);
  hc_slurm_usage_end(&w->u, w->handles[job], at * HC_SECOND);
}

static void period(world *w, const char *line)
{
  int at;
  assert_int_equal(sscanf(line, "P %d", &at), 1);
  hc_slurm_usage_period(&w->u, at * HC_SECOND);
}

static void used(world *w, const char *line)
{
  char account[40], user[40];
  double raw, wall;
  assert_int_equal(sscanf(line, "U %39s %39s %lf %lf", account, user, &raw, &wall), 4);
  const hc_slurm_used *x = hc_slurm_used_by(&w->u, assoc_of(w, account, user));
  judge(w, line, near(x->raw, raw, 1e-6) && near(x->wall, wall, 1e-6));
}

static bool is_level(double mine, const char *text, double by)
{
  return strcmp(text, "inf") == 0 ? hc_slurm_is_infinite(mine)
                                  : near(mine, atof(text), by * HC_MAX(mine, 1.0));
}

static void level(world *w, const char *line)
{
  char account[40], user[40], text[40];
  assert_int_equal(sscanf(line, "L %39s %39s %39s", account, user, text), 3);
  judge(w, line, is_level(w->u.standing[assoc_of(w, account, user)].level, text, 1e-12));
}

/* sshare prints six decimals, and raw usage without its fraction. */
static void shown(world *w, const char *line)
{
  char account[40], user[40], text[40];
  double shares, raw, effective, factor;
  assert_int_equal(sscanf(line, "H %39s %39s %lf %lf %lf %lf %39s", account, user, &shares, &raw, &effective,
                          &factor, text),
                   7);
  const uint32_t x = assoc_of(w, account, user);
  const hc_slurm_standing *s = &w->u.standing[x];
  bool agrees = near(s->norm_shares, shares, 5e-7) && (double)(int64_t)w->u.used[x].raw == raw &&
                near(s->effective, effective, 5e-7);
  if (strcmp(user, "-") != 0) agrees = agrees && near(s->factor, factor, 5e-7);
  if (strcmp(text, "-") != 0) agrees = agrees && is_level(s->level, text, 5e-7);
  judge(w, line, agrees);
}

/* sprio rounds each factor. */
static bool rounds_to(double x, int shown_as)
{
  return near(x, shown_as, 0.5 + 1e-9);
}

static void ranked(world *w, const char *line)
{
  static const struct {
    const char *name;
    int factor;
  } parts[] = {{"batch", 10}, {"high", 20}, {"short", 100}};
  const hc_slurm_amounts all = {{96}};
  const hc_slurm_scale scale = {.b = &w->b, .nodes = 12, .cpus = 96, .most_part_factor = 100};
  char account[40], user[40], part[40], qos[40];
  int job, age, nodes, cpus, x[7], factor = 0;
  assert_int_equal(sscanf(line, "J %d %39s %39s %39s %39s %d %d %d %d %d %d %d %d %d %d", &job, account, user,
                          part, qos, &age, &nodes, &cpus, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6]),
                   15);
  for (size_t i = 0; i < HC_ARRAY_LEN(parts); i++)
    if (strcmp(part, parts[i].name) == 0) factor = parts[i].factor;
  const hc_slurm_amounts amounts = {{cpus}};
  const uint32_t assoc = assoc_of(w, account, user);
  const hc_slurm_ranked r = {.accrue = 0,
                             .min_nodes = (uint32_t)nodes,
                             .cpus = cpus,
                             .limit = HC_NEVER,
                             .assoc = assoc,
                             .qos = hc_slurm_assocs_qos(&w->b, qos),
                             .fair_share = hc_slurm_usage_factor(&w->u, assoc),
                             .part_factor = factor,
                             .amounts = &amounts,
                             .part_amounts = &all};
  hc_slurm_factors f;
  hc_slurm_priority_of(&w->p, &scale, &r, age * HC_SECOND, &f);
  judge(w, line,
        rounds_to(f.age, x[0]) && rounds_to(f.fair_share, x[1]) && rounds_to(f.size, x[2]) &&
            rounds_to(f.partition, x[3]) && rounds_to(f.qos, x[4]) && rounds_to(f.tres, x[5]) &&
            f.priority == (uint32_t)x[6]);
}

static void obey(world *w, const char *line)
{
  switch (line[0]) {
    case 'S': start(w, line); break;
    case 'E': end(w, line); break;
    case 'P': period(w, line); break;
    case 'U': used(w, line); break;
    case 'L': level(w, line); break;
    case 'H': shown(w, line); break;
    case 'J': ranked(w, line); break;
    case 'B': break;
    default: fail_msg("no such line: %s", line);
  }
}

static void replay(world *w, const char *path)
{
  hc_input *in = NULL;
  hc_error e = {0};
  char *line;
  size_t n;
  assert_int_equal(hc_input_open(hc_default_allocator(), path, &in, &e), 0);
  while (hc_input_line(in, &line, &n, &e) == 1) obey(w, line);
  hc_input_free(in);
}

static void test_a_run_of_slurm(void **state)
{
  world w;
  (void)state;
  open_world(&w);
  replay(&w, DATA "usage.txt");
  for (const char *c = "ULHJ"; *c; c++)
    print_message("%c: %zu of %zu agree\n", *c, w.same[(int)*c], w.same[(int)*c] + w.other[(int)*c]);
  /* complete: each line of the file is one of these, and none differs */
  assert_int_equal(w.same['U'], 131);
  assert_int_equal(w.same['L'], 30);
  assert_int_equal(w.same['H'], 99);
  assert_int_equal(w.same['J'], 41);
  close_world(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_run_of_slurm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
