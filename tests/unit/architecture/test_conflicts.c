/* test_conflicts.c -- conflicts by task and time: which start was refused, where, and which other
 * scheduler's was there first, by hand and against what is counted. */
#include "schedulers_test.h"

#include "output/store.h"

/* One host. Job 1 (two tasks, user 1) is thought about from 0 to 10, job 2 (one task of 5 s, user 2) from 3
 * to 8: both see the host free, and job 2 commits first. */
static const char *const rivals = TITLES "1,1,0,50,1,1\n1,2,0,50,1,1\n2,3,3,5,1,2\n";
#define RIVALS_ON(cpus, more) \
  SOURCE HOSTS( \
      1, \
      cpus) "architecture: {use: shared_state, schedulers: [{name: one, takes: user == 1, think_job: 10s, " \
            "think_task: 0}, {name: two, think_job: 5s, think_task: 0}]" more "}\n"

typedef struct lost {
  int64_t at, attempt, serial, id, host, against_id; /* at: s */
  char name[16], reason[16], against[16];
} lost;

typedef struct losses {
  lost of[512];
  size_t count;
} losses;

static hc_rc take_loss(void *ctx, const char *const *v)
{
  losses *l = ctx;
  lost *x = &l->of[l->count++];
  assert_true(l->count <= COUNT(l->of));
  assert_string_equal(v[4], "start");
  *x = (lost){.at = strtoll(v[0], NULL, 10) / HC_SECOND,
              .attempt = strtoll(v[1], NULL, 10),
              .serial = strtoll(v[5], NULL, 10),
              .id = strtoll(v[6], NULL, 10),
              .host = strtoll(v[7], NULL, 10),
              .against_id = strtoll(v[12], NULL, 10)};
  (void)snprintf(x->name, sizeof x->name, "%s", v[3]);
  (void)snprintf(x->reason, sizeof x->reason, "%s", v[8]);
  (void)snprintf(x->against, sizeof x->against, "%s", v[10]);
  return 0;
}

static void lose(bench *b, losses *out)
{
  hc_result *r;
  out->count = 0;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "conflicts", 13, take_loss, out, &b->error));
  hc_result_free(r);
}

static void assert_loss(const lost *x, int64_t at, int64_t id, const char *reason)
{
  assert_int_equal(x->at, at);
  assert_int_equal(x->id, id);
  assert_int_equal(x->serial, id - 1);
  assert_int_equal(x->host, 0);
  assert_string_equal(x->name, "one");
  assert_string_equal(x->reason, reason);
  assert_string_equal(x->against, "two");
  assert_int_equal(x->against_id, 3);
}

/* Of two cores task 2 finds none at 10, since task 3 of scheduler two has had one from 8 on. Of three there
 * is room for both, but something has started on the host: by its sequence both are refused. All or nothing
 * tells the one for which there is no room. Off, there is no row. */
static void test_each_conflict_is_told(void **state)
{
  static losses l;
  bench b;
  (void)state;
  check(&b, try_text(&b, RIVALS_ON(2, "") "conflicts: true\n", rivals));
  finish(&b);
  lose(&b, &l);
  assert_int_equal(l.count, 1);
  assert_loss(&l.of[0], 10, 2, "taken");
  end(&b);
  check(&b, try_text(&b, RIVALS_ON(3, ", conflict: sequence") "conflicts: true\n", rivals));
  finish(&b);
  lose(&b, &l);
  assert_int_equal(l.count, 2);
  assert_loss(&l.of[0], 10, 1, "sequence");
  assert_loss(&l.of[1], 10, 2, "sequence");
  end(&b);
  check(&b, try_text(&b, RIVALS_ON(2, ", commit: all_or_nothing") "conflicts: true\n", rivals));
  finish(&b);
  lose(&b, &l);
  assert_int_equal(l.count, 1);
  assert_loss(&l.of[0], 10, 2, "taken");
  end(&b);
  check(&b, try_text(&b, RIVALS_ON(2, ""), rivals));
  finish(&b);
  lose(&b, &l);
  assert_int_equal(l.count, 0);
  end(&b);
}

/* Scheduler one plans both tasks for 10, and the host is down from 9 to 20: no other scheduler is in the
 * way. */
static void test_a_host_is_in_the_way(void **state)
{
  static losses l;
  bench b;
  (void)state;
  check(&b, try_text(&b,
                     SOURCE HOSTS(
                         1, 2) "architecture: {use: shared_state, schedulers: [{name: one, think_job: 10s, "
                               "think_task: 0}]}\nconflicts: true\nevents: [{use: list, changes: [{hosts: "
                               "c-0, at: 9, change: down}, {hosts: c-0, at: 20, change: up}]}]\n",
                     TITLES "1,1,0,5,1,1\n"));
  finish(&b);
  lose(&b, &l);
  assert_true(l.count >= 1);
  assert_int_equal(l.of[0].at, 10);
  assert_string_equal(l.of[0].reason, "host");
  assert_string_equal(l.of[0].against, "");
  assert_int_equal(l.of[0].against_id, -1);
  end(&b);
}

/* A run that is saved in the middle and goes on with another store, which has nothing but the snapshot. The
 * first is a file's, so that both kinds of stores take rows from each other. */
static void finish_elsewhere(bench *b, hc_time cut)
{
  hc_store *first;
  hc_snapshot s;
  hc_run_free(b->run);
  b->run = NULL;
  hc_store_free(b->store);
  check(b, hc_sqlite_store_new(b->allocator, NULL, false, &first, &b->error));
  check(b, hc_run_new(b->allocator, b->config, first, &b->run, &b->error));
  assert_int_equal(hc_run_advance(b->run, cut, 0, &b->error), 1);
  check(b, hc_run_snapshot(b->run, &s, &b->error));
  hc_run_free(b->run);
  b->run = NULL;
  hc_store_free(first);
  check(b, hc_store_new(b->allocator, NULL, &b->store, &b->error));
  check(b, hc_run_restore(b->allocator, b->config, b->store, &s, &b->run, &b->error));
  hc_snapshot_free(b->allocator, &s);
  finish(b);
}

static void digest_of(bench *b, char out[33])
{
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_digest(r, out, &b->error));
  hc_result_free(r);
}

/* What is told sums to what is counted: decisions with a conflict are the attempts, refused starts the rows;
 * and a run saved and taken up again tells the same, in the same store and in one that is new. */
static void test_told_as_counted(void **state)
{
  static const char *const names[] = {"services", "batch"};
  static losses whole, pieces;
  static char tasks[1 << 14];
  char one[33], two[33];
  uint64_t s = 88172645463325252u;
  size_t n = (size_t)snprintf(tasks, sizeof tasks, "%s", TITLES);
  int64_t at = 0;
  bench b;
  (void)state;
  for (int number = 1, id = 0; number <= 60; number++) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    at += (int64_t)(s >> 40) % 6;
    for (uint64_t k = 0; k < 1 + (s >> 50) % 5; k++)
      n += (size_t)snprintf(tasks + n, sizeof tasks - n, "%d,%d,%" PRId64 ",%d,1,%d\n", number, ++id, at,
                            5 + (int)((s >> 30) % 40), number % 4 == 0 ? 1 : 2);
  }
#define CROWD \
  SOURCE HOSTS( \
      6, \
      4) "architecture: {use: shared_state, schedulers: [{name: services, takes: user == 1, think_job: 4s, " \
         "think_task: 0}, {name: batch, count: 3, think_job: 2s, think_task: 0}]}\nconflicts: true\n"
  check(&b, try_text(&b, CROWD, tasks));
  finish(&b);
  lose(&b, &whole);
  assert_true(whole.count > 5);
  for (size_t k = 0; k < COUNT(names); k++) {
    char name[40];
    double refused = 0, attempts = 0, tried = 0;
    for (size_t i = 0; i < whole.count; i++) {
      if (strcmp(whole.of[i].name, names[k]) != 0) continue;
      refused++;
      attempts += i == 0 || whole.of[i].attempt != whole.of[i - 1].attempt;
    }
    for (size_t i = 0; i < b.count; i++) tried += (b.records[i].user == 1) == (k == 0);
    tried += refused;
    (void)snprintf(name, sizeof name, "conflicts_%s", names[k]);
    assert_true(figure(&b, name) == attempts);
    (void)snprintf(name, sizeof name, "task_conflict_share_%s", names[k]);
    assert_true(figure(&b, name) == refused / tried);
  }
  digest_of(&b, one);
  end(&b);
  check(&b, try_text(&b, CROWD, tasks));
  finish_in_pieces(&b, 7);
  lose(&b, &pieces);
  assert_int_equal(pieces.count, whole.count);
  assert_memory_equal(pieces.of, whole.of, whole.count * sizeof *whole.of);
  end(&b);
  const hc_time cut = (whole.of[whole.count / 2].at + 1) * HC_SECOND; /* half of the rows are there */
  check(&b, try_text(&b, CROWD, tasks));
  finish_elsewhere(&b, cut);
  lose(&b, &pieces);
  assert_int_equal(pieces.count, whole.count);
  assert_memory_equal(pieces.of, whole.of, whole.count * sizeof *whole.of);
  digest_of(&b, two);
  assert_string_equal(one, two);
  end(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_conflict_is_told),
                                     cmocka_unit_test(test_a_host_is_in_the_way),
                                     cmocka_unit_test(test_told_as_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
