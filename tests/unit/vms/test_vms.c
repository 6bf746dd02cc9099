/* test_vms.c -- the closed world `vms`: vectors of DSLab IaaS, and cases worked by hand. */
#include "../omega/world_test.h"

#include "base/util.h"

static void only_row(world *w, size_t want, hc_task_record *out)
{
  hc_error e = {0};
  size_t n;
  check(hc_result_tasks(w->result, true, out, want + 1, &n, &e), &e);
  assert_int_equal(n, want);
}

/* V41. 10 of 30 cpus for 1 s of boot, 2 s and 0.5 s of stop, from 0.4 on: 35 cpu seconds. With power 0.4 +
 * 0.6 x load a window of 10 s is 4.7, and with a constant of 1 it is 10. */
static void test_v41(void **state)
{
  world w = run("world: {use: vms, hosts: {cpus: 30, memory: 30}, vms: {cpus: 10, memory: 10, lifetime: 2}}");
  hc_task_record r[2];
  (void)state;
  near(figure(&w, "used_cpu_time"), 35);
  near(0.4 * 10 + 0.6 * figure(&w, "used_cpu_time") / 30, 4.7);
  near(figure(&w, "active_time"), 3.5);
  near(figure(&w, "wait_mean"), 1.4);
  only_row(&w, 1, r);
  assert_int_equal(r[0].start, 4 * HC_SECOND / 10);
  assert_int_equal(r[0].end, 39 * HC_SECOND / 10);
  assert_int_equal(r[0].partition, 1);
  done(&w);
}

#define TWO_HOSTS "use: vms, throughput: 10, hosts: {count: 2, cpus: 200, memory: 200}"

/* V43. Held at 0.4, runs from 1.4 for 20 s, through a migration at 5.2 that copies until 15.2 and is there at
 * 16.2: over at 21.4, reported at 21.5, seen at 21.7. The first host is held until 15.7, the second from 5.2
 * to 21.9. */
static void test_v43(void **state)
{
  world w = run("world: {" TWO_HOSTS ", vms: {cpus: 100, memory: 100, lifetime: 20}, "
                "migrations: {vm: 1, host: 2, at: 5}}");
  hc_task_record r[2];
  (void)state;
  near(figure(&w, "last_seen"), 21.7);
  near(figure(&w, "migrations"), 1);
  near(figure(&w, "active_time"), 15.3 + 16.7);
  near(figure(&w, "used_cpu_time"), 3200);
  only_row(&w, 1, r);
  assert_int_equal(r[0].partition, 2);
  done(&w);
  w = run("world: {" TWO_HOSTS ", vms: {cpus: 100, memory: 100, lifetime: 100}, "
          "migrations: [{vm: 1, host: 2, at: 20}, {vm: 1, host: 1, at: 40}]}");
  near(figure(&w, "last_seen"), 101.7);
  near(figure(&w, "migrations"), 2);
  done(&w);
}

/* V43, overload. Two of 10 cpus at load 2 are all of 40, for 2 s; then one is half of them, for 2 s more. */
static void test_overload(void **state)
{
  world w =
      run("world: {use: vms, boot: 0, stop: 0, message_delay: 0, hosts: {cpus: 40, memory: 40}, vms: ["
          "{cpus: 10, memory: 10, load: 2, lifetime: 4}, {cpus: 10, memory: 10, load: 2, lifetime: 2}]}");
  (void)state;
  near(figure(&w, "overload_time_fraction"), 0.5);
  near(figure(&w, "active_time"), 4);
  near(figure(&w, "used_cpu_time"), 40 * 2 + 20 * 2);
  done(&w);
}

/* A migration that is asked for at 15 would have copied at 25.2. The lifetime is over at 21.4: the target
 * lets it go, and the source is free at 21.9. One that is asked for at 10.6 has copied at 20.8, and would be
 * there at 21.8: the source is free at 21.3, the target at 21.9. */
static void test_cancelled(void **state)
{
  static const struct {
    const char *at;
    double active;
    int64_t host;
  } cases[] = {{"15", 21.5 + 6.2, 1}, {"10.6", 20.9 + 11.1, 2}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[300];
    hc_task_record r[2];
    world w;
    (void)snprintf(text, sizeof text,
                   "world: {" TWO_HOSTS ", vms: {cpus: 100, memory: 100, lifetime: 20}, "
                   "migrations: {vm: 1, host: 2, at: %s}}",
                   cases[i].at);
    w = run(text);
    near(figure(&w, "migrations"), 0);
    near(figure(&w, "migrations_cancelled"), 1);
    near(figure(&w, "active_time"), cases[i].active);
    near(figure(&w, "last_seen"), 21.7);
    only_row(&w, 1, r);
    assert_int_equal(r[0].partition, cases[i].host);
    assert_int_equal(r[0].end, 219 * HC_SECOND / 10);
    done(&w);
  }
}

/* To where it is; before it runs; twice at once, the second while the first goes on; where it does not
 * fit. */
static void test_refused(void **state)
{
  world w = run("world: {" TWO_HOSTS ", vms: [{cpus: 100, memory: 100, lifetime: 40}, "
                "{arrival: 1, cpus: 150, memory: 10, lifetime: 5}], migrations: [{vm: 1, host: 1, at: 9}, "
                "{vm: 1, host: 2, at: 0}, {vm: 1, host: 2, at: 4}, {vm: 1, host: 2, at: 10}, "
                "{vm: 1, host: 2, at: 10}, {vm: 1, host: 1, at: 12}]}");
  (void)state; /* the second vm is on the second host from 1.4 to 7.9 */
  near(figure(&w, "migrations"), 1);
  near(figure(&w, "migrations_refused"), 5);
  done(&w);
}

/* Two schedulers choose the first host at 0. The store has the first there at 0.2 and refuses the second,
 * which its scheduler hears at 0.4; it asks again at 1.4, knows better, and the second host holds it at
 * 1.8. */
static void test_conflict(void **state)
{
  world w = run("world: {use: vms, schedulers: 2, hosts: {count: 2, cpus: 10, memory: 10}, "
                "vms: {count: 2, cpus: 10, memory: 1, lifetime: 5}}");
  hc_task_record r[3];
  (void)state;
  near(figure(&w, "conflicts"), 1);
  near(figure(&w, "wait_mean"), (1.4 + 2.8) / 2);
  only_row(&w, 2, r);
  assert_int_equal(r[1].partition, 2);
  assert_int_equal(r[1].queue, 2);
  done(&w);
}

/* A migration takes the room that the store gave away meanwhile: the vm that arrives at 4.9 is placed on the
 * second host by a store that hears of the migration at 5.4; at 5.3 its host has no room left. It is placed
 * anew, at 6.5, on the first. */
static void test_migration_between(void **state)
{
  world w =
      run("world: {use: vms, throughput: 1TB, hosts: [{cpus: 10, memory: 10}, {cpus: 10, memory: 10}], vms: ["
          "{cpus: 10, memory: 1, lifetime: 50}, {arrival: 4.9, cpus: 10, memory: 1, lifetime: 5}], "
          "migrations: {vm: 1, host: 2, at: 5}}");
  hc_task_record r[3];
  (void)state;
  near(figure(&w, "conflicts"), 1);
  near(figure(&w, "migrations"), 1);
  only_row(&w, 2, r);
  assert_int_equal(r[0].id, 2);
  assert_int_equal(r[0].partition, 1);
  assert_int_equal(r[0].start, 69 * HC_SECOND / 10);
  done(&w);
}

/* The host is held from 0.4 to 4.9, which the scheduler hears at 5.3. It asks for the second at 0, 1 ... 5 in
 * vain, and at 6. With a timeout of 3 it asks no more at 4. */
static void test_retry(void **state)
{
  static const char text[] = "world: {use: vms, %s hosts: {cpus: 1}, vms: {count: 2, lifetime: 3}}";
  char given[200];
  world w;
  hc_task_record r[3];
  (void)state;
  (void)snprintf(given, sizeof given, text, "");
  w = run(given);
  near(figure(&w, "retries"), 6);
  only_row(&w, 2, r);
  assert_int_equal(r[1].start, 64 * HC_SECOND / 10);
  done(&w);
  (void)snprintf(given, sizeof given, text, "timeout: 3,");
  w = run(given);
  near(figure(&w, "retries"), 4);
  near(figure(&w, "rejected"), 1);
  only_row(&w, 2, r);
  assert_int_equal(r[0].final, HC_FINAL_REJECTED);
  done(&w);
}

/* Hosts of 4, 2 and 4 cpus; one of two, then three of one. */
static void test_places(void **state)
{
  static const struct {
    const char *place;
    int64_t hosts[4];
  } cases[] = {{"first_fit", {1, 1, 1, 2}}, {"best_fit", {1, 1, 1, 2}}, {"worst_fit", {1, 2, 3, 2}}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[300];
    hc_task_record r[5];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: vms, place: %s, hosts: [{cpus: 4, memory: 4GiB}, {cpus: 2, memory: 4GiB}, {cpus: 4, "
        "memory: 4GiB}], vms: [{cpus: 2, lifetime: 9}, {count: 3, lifetime: 9}]}",
        cases[i].place);
    w = run(text);
    only_row(&w, 4, r);
    for (int k = 0; k < 4; k++) assert_int_equal(r[k].partition, cases[i].hosts[r[k].serial]);
    done(&w);
  }
}

/* Two of 10 cpus at load 2 fill the first host from 0.4 on. At 2 both run, and the first is sent to the
 * other: held there from 2.2, copied at once, gone from the first host at 2.7. Hosts are free of them at 0.4
 * + 1 + 10 + 0.5 = 11.9. */
static void test_migrator_overload(void **state)
{
  world w = run(
      "world: {use: vms, throughput: 1TB, migrator: {interval: 2, underload: 0}, hosts: {count: 2, cpus: 40, "
      "memory: 40}, vms: {count: 2, cpus: 10, memory: 0, load: 2, lifetime: 10}}");
  (void)state;
  near(figure(&w, "migrations"), 1);
  near(figure(&w, "overload_time"), 2.3);
  near(figure(&w, "active_time"), 11.5 + 9.7);
  done(&w);
}

/* Four hosts at a tenth each. At 2 the first keeps its own: no host is as much loaded and before it. The
 * others' go there, and arrive at 3.2; three hosts are free at 2.7. Without `underload` they stay. */
static void test_migrator_underload(void **state)
{
  (void)state;
  for (int low = 0; low <= 1; low++) {
    char text[400];
    hc_task_record r[5];
    world w;
    (void)snprintf(
        text, sizeof text,
        "world: {use: vms, place: worst_fit, throughput: 1TB, migrator: {interval: 2, underload: %s}, hosts: "
        "{count: 4, cpus: 100, memory: 40}, vms: {count: 4, cpus: 10, memory: 0, lifetime: 10}}",
        low ? "0.4" : "0");
    w = run(text);
    near(figure(&w, "migrations"), low ? 3 : 0);
    near(figure(&w, "active_time"), low ? 11.5 + 3 * 2.3 : 4 * 11.5);
    only_row(&w, 4, r);
    for (int i = 0; i < 4; i++) assert_int_equal(r[i].partition, low ? 1 : r[i].serial + 1);
    done(&w);
  }
}

static void test_until(void **state)
{
  world w = run("{until: 3, world: {use: vms, hosts: {cpus: 2, memory: 4GiB}, vms: [{lifetime: 1}, "
                "{lifetime: 9}, {arrival: 2, lifetime: 1}, {arrival: 4}]}}");
  hc_task_record r[4];
  (void)
      state; /* the first is held from 0.4 to 2.9; the third waits for word of it, the fourth has not come */
  only_row(&w, 3, r);
  assert_int_equal(r[0].final, HC_FINAL_COMPLETED);
  assert_int_equal(r[1].final, HC_FINAL_RUNNING);
  assert_int_equal(r[2].final, HC_FINAL_WAITING);
  near(figure(&w, "makespan"), 3);
  near(figure(&w, "used_cpu_time"), 2.5 + 2.6);
  done(&w);
}

static void test_refusals(void **state)
{
  static const struct {
    const char *text, *what;
  } cases[] = {
      {"world: vms", "there are no hosts"},
      {"world: {use: vms, hosts: {}}", "there are no virtual machines"},
      {"world: {use: vms, hosts: {}, vms: {}, migrations: {vm: 2}}", "of virtual machine 2 to host 1"},
      {"world: {use: vms, hosts: {}, vms: {}, migrations: {host: 2}}", "of virtual machine 1 to host 2"},
      {"world: {use: vms, hosts: {}, vms: {}, migrator: {underload: 0.9}}", "`underload` is above"},
      {"world: {use: vms, hosts: {}, file: /nowhere.csv}", "No such file"}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) assert_refused(cases[i].text, cases[i].what);
}

/* The n-th allocation fails, for every n: an error, and nothing is kept. */
static void test_out_of_memory(void **state)
{
  static const char text[] =
      "world: {" TWO_HOSTS ", schedulers: 3, vms: {count: 60, cpus: 7, memory: 3, lifetime: 20}, "
      "migrations: {vm: 1, host: 2, at: 5}, migrator: {}}";
  (void)state;
  assert_scarce(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_v41),
                                     cmocka_unit_test(test_v43),
                                     cmocka_unit_test(test_overload),
                                     cmocka_unit_test(test_cancelled),
                                     cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_conflict),
                                     cmocka_unit_test(test_migration_between),
                                     cmocka_unit_test(test_retry),
                                     cmocka_unit_test(test_places),
                                     cmocka_unit_test(test_migrator_overload),
                                     cmocka_unit_test(test_migrator_underload),
                                     cmocka_unit_test(test_until),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
