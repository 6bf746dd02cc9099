/* test_preferred.c -- tasks whose trace says where their data are: delay scheduling and Tetris's penalty, by
 * hand.
 *
 * Hosts h0 and h1 are in rack r0, h2 and h3 in r1, each of one core; all report every second, in this
 * order. Of accept: locality rack-mates are taken 2 s after the first host that was skipped, others 3 s
 * later. */
#include "../architecture/starts_test.h"

#define SOURCE \
  "source: {use: csv, file: FILE, id: id, submit: at, run: run, limit: run, cpu: cpu, user: user, " \
  "prefers: at_}\n" \
  "metrics: [tasks]\nparanoid: true\n"
#define TITLES "id,at,run,cpu,user,at_\n"
#define RACKS \
  "cell: {use: hosts, zones: [{name: rack, size: 2}], classes: [{count: 4, name_prefix: h, cpus: 1}]}\n"
#define BEATS "architecture: {use: heartbeat, period: 1s, phase: zero}\n"
#define WAITS \
  "policy: {use: fair, fallback: none, accept: {use: locality, rack_wait: 2s, any_wait: 3s, replicas: 4, " \
  "zone: rack}}\n"

typedef struct wanted_row {
  int64_t serial, host;
} wanted_row;

static hc_rc take_host(void *ctx, const char *const *values)
{
  wanted_row *w = ctx;
  if (strtoll(values[0], NULL, 10) == w->serial) w->host = strtoll(values[1], NULL, 10);
  return 0;
}

static int64_t host_of(bench *b, int64_t id)
{
  wanted_row w = {record_of(b, id)->serial, -1};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "grants", 12, take_host, &w, &b->error));
  hc_result_free(r);
  return w.host;
}

/* 1 wants h2 and skips h0 and h1 at 0. 2 and 3 want h2 too, which is taken: from 2 s on h3 will do, and
 * user 2 is before user 3. 3 takes any host from 5 s on. 4 wants rack r0: no host is nearer than that,
 * which it does not know: at 2 it takes h0, which 2 and 3 do not want; so 3 gets h1. 5 says nothing: its
 * copies are everywhere. 6 wants a host that this cell has not, and waits for 5 s in vain. */
static void test_delays(void **state)
{
  static const char *const tasks =
      TITLES "1,0,100,1,1,h-2\n2,0,100,1,2,h-2\n3,0,100,1,3,[h-2]\n4,0,100,1,4,rack-0\n"
             "5,200,10,1,5,\n6,300,10,1,6,elsewhere-7;elsewhere-8\n";
  bench b;
  (void)state;
  check(&b, try_text(&b, SOURCE RACKS BEATS WAITS, tasks));
  finish(&b);
  assert_true(start_of(&b, 1) == 0 && host_of(&b, 1) == 2);
  assert_true(start_of(&b, 2) == 2 && host_of(&b, 2) == 3);
  assert_true(start_of(&b, 3) == 5 && host_of(&b, 3) == 1);
  assert_true(start_of(&b, 4) == 2 && host_of(&b, 4) == 0);
  assert_int_equal(start_of(&b, 5), 200);
  assert_int_equal(start_of(&b, 6), 305);
  assert_true(figure(&b, "starts_by_trace") == 5 && figure(&b, "starts_of_strange_places") == 1 &&
              figure(&b, "starts_on_host") == 2);
  assert_true(figure(&b, "starts_in_rack") == 2 && figure(&b, "starts_elsewhere") == 2);
  end(&b);
}

/* Tetris: tasks of 0.6 and 0.54 of a core, one on a host; 1 has its data on h-1, 2 on h-0. On h-0, which
 * reports first, 1 has a = 0.6 (1 - penalty), 2 has 0.54: up to a penalty of a tenth 1 is first, and
 * takes h-0; above it 2 is, and 1 takes h-1. Where nothing is said there is no penalty. */
static void test_penalty(void **state)
{
  static const struct {
    const char *penalty, *tasks;
    int64_t hosts[2];
  } cases[] = {{"0", TITLES "1,0,100,0.6,1,h-1\n2,0,100,0.54,2,h-0\n", {0, 1}},
               {"0.09", TITLES "1,0,100,0.6,1,h-1\n2,0,100,0.54,2,h-0\n", {0, 1}},
               {"0.11", TITLES "1,0,100,0.6,1,h-1\n2,0,100,0.54,2,h-0\n", {1, 0}},
               {"0.11", TITLES "1,0,100,0.6,1,\n2,0,100,0.54,2,\n", {0, 1}}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    char yaml[768];
    bench b;
    (void)snprintf(yaml, sizeof yaml,
                   SOURCE RACKS BEATS "policy: {use: fair, share: fifo, knob: 0, remote_penalty: %s}\n",
                   cases[i].penalty);
    check(&b, try_text(&b, yaml, cases[i].tasks));
    finish(&b);
    for (int64_t k = 0; k < 2; k++)
      if (host_of(&b, k + 1) != cases[i].hosts[k])
        fail_msg("penalty %s: task %" PRId64 " is on host %" PRId64, cases[i].penalty, k + 1,
                 host_of(&b, k + 1));
    end(&b);
  }
}

/* A run is a value. */
static void test_in_pieces(void **state)
{
  static const char *const tasks =
      TITLES "1,0,9,1,1,h-2\n2,0,9,1,2,h-2\n3,0,9,1,3,h-2 h-1\n4,3,9,1,4,rack-0\n5,4,7,1,1,h-2\n";
  bench b, c;
  (void)state;
  check(&b, try_text(&b, SOURCE RACKS BEATS WAITS, tasks));
  finish(&b);
  check(&c, try_text(&c, SOURCE RACKS BEATS WAITS, tasks));
  finish_in_pieces(&c, 1);
  for (int64_t i = 1; i <= 5; i++) assert_int_equal(start_of(&b, i), start_of(&c, i));
  end(&b);
  end(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_delays), cmocka_unit_test(test_penalty),
                                     cmocka_unit_test(test_in_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
