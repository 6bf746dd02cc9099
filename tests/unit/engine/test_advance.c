/* test_advance.c -- advance reservations in cases small enough to follow by hand, what is refused and how it
 * is said, what is told of overruns and of users that never come. Random ones:
 * tests/property/test_advance.c. */
#include "engine_test.h"

#define COUNTED "cell: {use: count, procs: 8}\nparanoid: true\noverrun: run_on\n"
#define ON_HOSTS \
  "cell: {use: hosts, classes: [{name: h, count: 4, cpus: 2}]}\nparanoid: true\noverrun: run_on\n"
#define KEPT "reservations: [{units: 4, users: [2], start: 100, end: 200}]\n"
#define HOSTS_KEPT "reservations: [{hosts: [0, 1], users: [2], start: 100, end: 200}]\n"

/* Eight processors, four of them user 2's in [100, 200). Task 1 (4, to 50) is over; task 2 would run into it
 * with 5 and waits until 200; task 3 fits beside it; task 4 is user 2's, task 5 too: more than is kept,
 * while there is room. */
static const job five[] = {
    J(1, 0, 50, 4, 50),
    J(2, 60, 50, 5, 50),
    J(3, 61, 60, 4, 60),
    J_WITH(4, 110, 30, 3, 30, .user = 2),
    J_WITH(5, 125, 90, 3, 90, .user = 2),
};

static void test_processors(void **state)
{
  (void)state;
  assert_starts(COUNTED KEPT "policy: {select: scan}\n", 8, five, COUNT(five),
                (int64_t[]){0, 200, 61, 110, 125});
  assert_starts(COUNTED KEPT "policy: {select: easy}\n", 8, five, COUNT(five),
                (int64_t[]){0, 200, 61, 110, 125});
  /* in order: task 2 blocks the others until its window is over, and more are there then */
  assert_starts(COUNTED KEPT "policy: {select: blocking}\n", 8, five, COUNT(five),
                (int64_t[]){0, 200, 250, 250, 280});
}

/* Tasks of two cores have a host whole. Of four hosts 0 and 1 are user 2's in [100, 200). */
static void test_hosts(void **state)
{
  static const job jobs[] = {
      J(1, 60, 40, 1, 40),                   /* over at 100: any host */
      J(2, 61, 40, 1, 40),                   /* would end at 101: host 2 */
      J_WITH(3, 62, 100, 1, 100, .user = 2), /* its users' own: host 0, beside task 1 */
      J(4, 150, 10, 3, 10),                  /* three cores on hosts 2 and 3: there are four */
      J(5, 151, 10, 3, 10),                  /* one is left there, and 0 and 1 are closed */
  };
  (void)state;
  assert_starts(ON_HOSTS HOSTS_KEPT "policy: {select: scan}\n", 8, jobs, COUNT(jobs),
                (int64_t[]){60, 61, 62, 150, 160});
  assert_starts(ON_HOSTS HOSTS_KEPT "policy: {select: easy}\n", 8, jobs, COUNT(jobs),
                (int64_t[]){60, 61, 62, 150, 160});
  assert_starts(ON_HOSTS HOSTS_KEPT "policy: {select: conservative}\n", 8, jobs, COUNT(jobs),
                (int64_t[]){60, 61, 62, 150, 160});
}

/* Nothing else happens at 200: the end of a window is a reason to decide. It comes back twice, and the task
 * is too long to run in between. */
static void test_recurs(void **state)
{
  static const job jobs[] = {J(1, 0, 60, 8, 60)};
  (void)state;
  assert_starts(COUNTED "reservations: [{units: 1, users: [2], start: 50, end: 100, every: 100, times: 3}]\n",
                8, jobs, 1, (int64_t[]){300});
}

static void note_of(bench *b, char *out, size_t size);

static hc_rc take_note(void *ctx, const char *const *values)
{
  if (strcmp(values[0], "reservation_note") == 0) (void)snprintf(ctx, 512, "%s", values[1]);
  return 0;
}

static void note_of(bench *b, char *out, size_t size)
{
  hc_result *r;
  assert_true(size >= 512);
  out[0] = '\0';
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "hindcast", 2, take_note, out, &b->error));
  hc_result_free(r);
}

static hc_rc take_overrun(void *ctx, const char *const *values)
{
  int64_t *row = ctx;
  for (int i = 0; i < 4; i++) row[i] = strtoll(values[i], NULL, 10);
  row[4]++;
  return 0;
}

/* Task 1 should end at 90 and has six of eight until 150: of four that are kept two are missing. User 9
 * never comes. */
static void test_overruns_are_told(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 6, 90), J_WITH(2, 110, 10, 4, 10, .user = 2)};
  int64_t row[5] = {0};
  char note[512];
  bench b;
  hc_result *r;
  (void)state;
  begin(&b, COUNTED "reservations: [{units: 4, users: [2, 9], start: 100, end: 200}]\n", 8, jobs, 2, NULL);
  finish(&b);
  assert_int_equal(start_of(&b, 1), 0);
  assert_int_equal(start_of(&b, 2), 150);
  note_of(&b, note, sizeof note);
  assert_non_null(strstr(note, "1 time others still held"));
  assert_non_null(strstr(note, "no task came from user 9, which reservation 1 names"));
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "overruns", 4, take_overrun, row, &b.error));
  hc_result_free(r);
  const int64_t expected[5] = {0, 100 * HC_SECOND, -1, 2, 1};
  assert_memory_equal(row, expected, sizeof row);
  end(&b);
}

/* ---- what runs there as it begins ---- */

static void assert_schedule(const char *yaml, int64_t procs, const job *jobs, size_t count,
                            const int64_t *starts, const int64_t *ends)
{
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report;
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    hc_result *r;
    begin(&b, yaml, procs, jobs, count, NULL);
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < count; i++)
      if (start_of(&b, (int64_t)i + 1) != starts[i] || end_of(&b, (int64_t)i + 1) != ends[i])
        fail_msg("%s: task %zu runs from %" PRId64 " to %" PRId64 ", and not from %" PRId64 " to %" PRId64,
                 yaml, i + 1, start_of(&b, (int64_t)i + 1), end_of(&b, (int64_t)i + 1), starts[i], ends[i]);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    check(&b, hc_verify_result(b.allocator, r, &q, NULL, NULL, &report, &b.error));
    hc_result_free(r);
    end(&b);
  }
}
#define SCHEDULE(yaml, jobs, starts, ends) assert_schedule(yaml, 8, jobs, COUNT(jobs), starts, ends)
#define AT(...) ((const int64_t[]){__VA_ARGS__})

/* Task 1 should end at 90 and has six of eight until 150. Four are user 2's from 100 to 200: two are missing
 * at 100. Kept, task 2 waits until 150. Stopped, task 2 starts at 110, and task 1 has room again when the
 * reservation is over: all of its 150 s, or the 50 that are left. On hosts it is on the first three, of which
 * two are reserved: the same. */
static void test_at_start(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 6, 90), J_WITH(2, 110, 10, 4, 10, .user = 2)};
  static const struct {
    const char *word;
    int64_t starts[2], ends[2];
  } cases[] = {{"keep", {0, 150}, {150, 160}},
               {"requeue", {200, 110}, {350, 120}},
               {"checkpoint", {200, 110}, {250, 120}},
               {"stop", {0, 110}, {100, 120}}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    char yaml[400];
    (void)snprintf(
        yaml, sizeof yaml,
        COUNTED
        "reservations: [{units: 4, users: [2], start: 100, end: 200, at_start: %s}]\npolicy: {select: "
        "scan}\n",
        cases[i].word);
    SCHEDULE(yaml, jobs, cases[i].starts, cases[i].ends);
    if (i == 0) continue; /* on hosts task 2 has the two that are left */
    (void)snprintf(
        yaml, sizeof yaml,
        ON_HOSTS
        "reservations: [{hosts: [0, 1], users: [2], start: 100, end: 200, at_start: %s}]\npolicy: {select: "
        "scan}\n",
        cases[i].word);
    SCHEDULE(yaml, jobs, cases[i].starts, cases[i].ends);
  }
}

/* At 100 four of eight are user 2's. Tasks 1 and 2 (three each) are past their 50 s, task 3 (two) is not:
 * task 2 goes, which started later, and since one is missing still task 1; task 3 goes on. Of equal starts
 * the later task goes. */
static void test_which_go(void **state)
{
  static const job jobs[] = {J(1, 0, 150, 3, 50), J(2, 10, 150, 3, 50), J(3, 20, 200, 2, 300)};
  static const job equal[] = {J(1, 0, 150, 3, 50), J(2, 0, 150, 3, 50), J(3, 0, 200, 1, 300)};
  (void)state;
#define STOPS(units) \
  COUNTED "reservations: [{units: " units ", users: [2], start: 100, end: 200, at_start: stop}]\n"
  SCHEDULE(STOPS("4"), jobs, AT(0, 10, 20), AT(100, 100, 220));
  SCHEDULE(STOPS("3"), jobs, AT(0, 10, 20), AT(150, 100, 220));
  SCHEDULE(STOPS("4"), equal, AT(0, 0, 0), AT(150, 100, 200));
}

/* All eight are out of order from 100 to 150, which is announced at 60. Task 1 starts before that and would
 * be over at 120; task 2 is over before; task 3 would not be, and waits. Known from the beginning task 1
 * waits as well. */
static void test_maintenance(void **state)
{
  static const job jobs[] = {J(1, 50, 70, 2, 70), J(2, 70, 20, 2, 20), J(3, 80, 30, 2, 30)};
  static const char *const cells[] = {
      COUNTED "reservations: [{units: 8, maintenance: true, start: 100, end: 150, ",
      ON_HOSTS "reservations: [{hosts: all, maintenance: true, start: 100, end: 150, "};
  static const char *const policies[] = {"scan", "easy", "conservative"};
  (void)state;
  for (size_t k = 0; k < COUNT(cells) * COUNT(policies); k++) {
    char yaml[500];
#define MAINTENANCE(rest) \
  (void)snprintf(yaml, sizeof yaml, "%s" rest "}]\npolicy: {select: %s}\n", cells[k % 2], policies[k / 2])
    MAINTENANCE("announced: 60");
    SCHEDULE(yaml, jobs, AT(50, 70, 150), AT(120, 90, 180));
    MAINTENANCE("announced: 60, at_start: requeue");
    SCHEDULE(yaml, jobs, AT(150, 70, 150), AT(220, 90, 180));
    MAINTENANCE("announced: 60, at_start: checkpoint");
    SCHEDULE(yaml, jobs, AT(150, 70, 150), AT(170, 90, 180));
    MAINTENANCE("announced: 60, at_start: stop");
    SCHEDULE(yaml, jobs, AT(50, 70, 150), AT(100, 90, 180));
    MAINTENANCE("announced: 0");
    SCHEDULE(yaml, jobs, AT(150, 70, 150), AT(220, 90, 180));
  }
}

/* Task 2 is promised 60, when task 1 is over. At 30 it is announced that user 9 has all from 100 to 200: it
 * would run into that, and is promised 200. Task 3 is over by 100 and has no room before 60: it may go first,
 * or wait behind. */
static void test_promises_are_renewed(void **state)
{
  static const job jobs[] = {J(1, 0, 60, 8, 60), J(2, 10, 100, 8, 100), J(3, 20, 40, 4, 40)};
  static const char *const policies[] = {"easy", "{use: easy, reserve: hosts}", "conservative",
                                         "{use: conservative, replan: none}", "slack"};
  static const char *const cells[] = {COUNTED "reservations: [{units: 8, ",
                                      ON_HOSTS "reservations: [{hosts: all, "};
  (void)state;
  for (size_t k = 0; k < 2 * COUNT(policies); k++) {
    char yaml[500];
    (void)snprintf(yaml, sizeof yaml,
                   "%susers: [9], start: 100, end: 200, announced: 30}]\npolicy: {select: %s}\n",
                   cells[k % 2], policies[k / 2]);
    SCHEDULE(yaml, jobs, AT(0, 200, 60), AT(60, 300, 100));
  }
  /* a reservation that is kept whatever happens is in task 3's way at 60, and void only when it is missed */
  SCHEDULE(COUNTED "reservations: [{units: 8, users: [9], start: 100, end: 200, announced: 30}]\n"
                   "policy: {select: {use: easy, sticky: true}}\n",
           jobs, AT(0, 200, 300), AT(60, 300, 340));
}

/* ---- over time ---- */

static hc_rc take_reserved(void *ctx, const char *const *values)
{
  double *of = ctx;
  if (strcmp(values[1], "series") == 0 && strcmp(values[3], "reserved_mean") == 0)
    of[strtoll(values[2], NULL, 10) / 100] = strtod(values[5], NULL);
  return 0;
}

/* Four units for 50 s of the second 100 s, and for 10 of the 50 s of the third that the run has. It begins
 * when the first reservation does, at 12: of these 88 s two units are reserved for 16. */
static void test_series(void **state)
{
  static const job jobs[] = {J(1, 20, 230, 1, 230)};
  static const char *const cells[] = {
      COUNTED "reservations: [{units: 2, users: [9], start: 12, end: 28}, "
              "{units: 4, users: [8], start: 150, end: 210}]\n",
      ON_HOSTS
      "reservations: [{hosts: 0, users: [9], start: 12, end: 28}, "
      "{hosts: 1-2, users: [8], start: 150, end: 210}]\npolicy: {select: scan, place: {use: first_fit}}\n"};
  (void)state;
  for (size_t i = 0; i < COUNT(cells); i++) {
    const double unit = i == 0 ? 1 : 1000; /* on hosts thousandths of a core */
    double of[3] = {0};
    char yaml[600];
    hc_result *r;
    bench b;
    (void)snprintf(yaml, sizeof yaml, "%smetrics: [{use: series, interval: 100}]\n", cells[i]);
    begin(&b, yaml, 8, jobs, COUNT(jobs), NULL);
    finish_in_pieces(&b, 1);
    check(&b, hc_result_of_store(b.store, &r, &b.error));
    check(&b, hc_result_rows(r, "cells", 6, take_reserved, of, &b.error));
    hc_result_free(r);
    assert_true(of[0] == 2 * 16 / 88. * unit && of[1] == 4 * 50 / 100. * unit &&
                of[2] == 4 * 10 / 50. * unit);
    end(&b);
  }
}

/* ---- tables, and names ---- */

static void with_table(const char *table, const char *rest, bench *b, hc_rc *rc)
{
  static char path[64];
  char yaml[600];
  if (path[0]) (void)unlink(path); /* a run reads it once more at its end */
  path[0] = '\0';
  if (!table) return;
  write_log(path, table, strlen(table));
  (void)snprintf(yaml, sizeof yaml, "reservations: [{file: %s%s}]\nunix_start: 1714521600\n%s", path, rest,
                 strstr(table, "hosts") ? ON_HOSTS : COUNTED);
  *rc = try_begin(b, yaml, 8, five, COUNT(five), NULL);
}

/* The same as in test_processors and test_hosts, beside one of the run file that begins later. 100 s after
 * the run begins, at midnight of the first of May 2024, are a minute and 40 s. */
static void test_file(void **state)
{
  static const char *const good[] = {
      "units,users,start,end\n4,2,100,200\n",
      "units,users,start,end\n4,2;7,2024-05-01 00:01:40,2024-05-01T00:03:20\n",
      /* two lines of one table */
      ("name,units,users,start,end,every,times,announced,at_start,maintenance\n"
       "\"a, b\",4,\"2 7\",100s,200s,,,50,keep,false\n")};
  static const struct {
    const char *table, *rest, *text;
    uint32_t line, column;
  } bad[] = {
      {"units,users,start\n4,2,100\n", "", "start and end among them", 1, 0},
      {"units,user,start,end\n4,2,100,200\n", "", "no column of reservations is called \"user\"", 1, 7},
      {"units,users,start,end\n4,2,100,200\n4,3,1x,5\n", "", "expected a time (90, 9h, 1d12h) or a date", 3,
       5},
      {"units,users,start,end\n4,2,2024-13-01,200\n", "", "expected a time", 2, 5},
      {"units,users,start,end\n4,2,2024-02-30 09:00,200\n", "", "expected a time", 2, 5},
      {"units,users,start,end\n4,2,2024-04-01,200\n", "", "before the run begins", 2, 5},
      {"units,users,start,end\n-4,2,100,200\n", "", "units: expected a whole number", 2, 1},
      {"units,users,start,end,at_start\n4,2,100,200,kill\n", "", "expected one of keep|requeue", 2, 13},
      {"units,users,start,end\n4,2,200,100\n", "", "it ends before it begins", 0, 0},
      {"units,users,start,end,announced\n4,2,100,200,101\n", "", "announced after it has begun", 0, 0},
      {"units,start,end\n4,100,200\n", "", "no task may use it", 0, 0},
      {"units,start,end\n4,100,200\n", ", users: [1], start: 5", "the rows of its `file` say", 0, 0},
      {"hosts,users,start,end\nh-9,2,100,200\n", "", "there is no host", 0, 0},
  };
  bench b;
  hc_rc rc;
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    with_table(good[i], "}, {units: 8, users: [8], start: 5000, end: 6000", &b, &rc);
    check(&b, rc);
    finish(&b);
    assert_int_equal(start_of(&b, 2), 200); /* blocking, the default */
    assert_int_equal(start_of(&b, 3), 250);
    end(&b);
  }
  with_table("hosts,users,start,end\nh-[0-1],2,100,200\n", "", &b, &rc);
  check(&b, rc);
  end(&b);
  with_table("units,start,end\n4,100,200\n", ", users: [2]", &b, &rc); /* what rows leave out */
  check(&b, rc);
  end(&b);
  for (size_t i = 0; i < COUNT(bad); i++) {
    with_table(bad[i].table, bad[i].rest, &b, &rc);
    assert_true(rc < 0);
    if (!strstr(b.error.text, bad[i].text)) fail_msg("%s: %s", bad[i].table, b.error.text);
    if (bad[i].line > 0) assert_int_equal(b.error.line, bad[i].line);
    if (bad[i].column > 0) assert_int_equal(b.error.column, bad[i].column);
    end(&b);
  }
  with_table(NULL, NULL, NULL, NULL);
}

static hc_rc take_start(void *ctx, const char *const *values)
{
  *(int64_t *)ctx = strtoll(values[1], NULL, 10);
  return 0;
}

/* The run begins at midnight in Stockholm, on the 31st of March 2024. Clocks go from 2 to 3: 4 o'clock is 3 h
 * later. */
static void test_dates_have_a_zone(void **state)
{
  static const char *const table = "units,users,start,end\n4,2,2024-03-31 04:00,2024-03-31 05:00\n";
  char path[64], yaml[500];
  int64_t start = 0;
  hc_result *r;
  bench b;
  (void)state;
  write_log(path, table, strlen(table));
  (void)snprintf(yaml, sizeof yaml,
                 COUNTED "reservations: [{file: %s}]\nunix_start: 1711839600\nzone: Europe/Stockholm\n",
                 path);
  begin(&b, yaml, 8, five, COUNT(five), NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  check(&b, hc_result_rows(r, "reservations", 6, take_start, &start, &b.error));
  assert_int_equal(start, 3 * 3600 * HC_SECOND);
  hc_result_free(r);
  end(&b);
  (void)unlink(path);
}

static hc_rc try_names(bench *b, const char *source, const char *more)
{
  static const char *const rows = "id,submit,run,procs,user\n1,0,10,1,ann\n2,5,10,1,Bert\n";
  char yaml[600];
  hc_rc rc;
  memset(b, 0, sizeof *b);
  write_log(b->path, rows, strlen(rows));
  (void)snprintf(
      yaml, sizeof yaml,
      "source: {%s}\ncell: {use: count, procs: 8}\nmetrics: []\nreservations: [{units: 1, users: [anna], "
      "start: 100, end: 200}]\n%s",
      source, more);
  rc = configure(b, hc_default_allocator(), yaml, NULL);
  if (rc >= 0) rc = hc_store_new(b->allocator, NULL, &b->store, &b->error);
  if (rc >= 0) rc = hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error);
  if (rc >= 0) rc = hc_run_advance(b->run, HC_NEVER, 0, &b->error);
  return rc < 0 ? rc : hc_run_finish(b->run, &b->error);
}

/* The users of a generator are known before the run, those of a table when it has been read: then it is said,
 * or with `strict` an error. The nearest name is named. */
static void test_names(void **state)
{
  char note[512];
  bench b;
  (void)state;
  assert_int_equal(try_names(&b, "use: random, execution_count: 3, user: ann", ""), HC_EUSAGE);
  if (!strstr(b.error.text, "no user \"anna\"; did you mean \"ann\"?")) fail_msg("%s", b.error.text);
  end(&b);
  check(&b, try_names(&b, "use: csv, file: FILE", ""));
  note_of(&b, note, sizeof note);
  assert_non_null(strstr(note, "no task came from user anna"));
  assert_non_null(strstr(note, "(did you mean ann?)"));
  end(&b);
  assert_int_equal(try_names(&b, "use: csv, file: FILE", "strict: true\n"), HC_EUSAGE);
  if (!strstr(b.error.text, "(did you mean ann?)")) fail_msg("%s", b.error.text);
  end(&b);
}

static void refused(const char *yaml, const char *text)
{
  bench b;
  const hc_rc rc = try_begin(&b, yaml, 8, five, COUNT(five), NULL);
  if (rc >= 0) fail_msg("%s is accepted", yaml);
  if (!strstr(b.error.text, text)) fail_msg("%s: says \"%s\", not \"%s\"", yaml, b.error.text, text);
  end(&b);
}

static void test_refusals(void **state)
{
  (void)state;
#define COUNTED_WITH(text) COUNTED "reservations: [" text "]\n"
#define HOSTS_WITH(text) ON_HOSTS "reservations: [" text "]\n"
  refused(COUNTED_WITH("{units: 4, users: [1], end: 5}"), "`start` and `end`");
  refused(COUNTED_WITH("{units: 4, users: [1], start: 5, end: 5}"), "it ends before it begins");
  refused(COUNTED_WITH("{units: 4, start: 1, end: 5}"), "no task may use it");
  refused(COUNTED_WITH("{users: [1], start: 1, end: 5}"), "an amount of 0");
  refused(COUNTED_WITH("{units: 9, users: [1], start: 1, end: 5}"),
          "9 processors are reserved, and the cell has 8");
  refused(COUNTED_WITH("{units: 4, users: [1], start: 1, end: 5, every: 3, times: 2}"),
          "begins again before it ends");
  refused(COUNTED_WITH("{units: 4, users: [1], start: 1, end: 5, times: 2}"),
          "`every` and `times` go together");
  refused(COUNTED_WITH("{hosts: all, users: [1], start: 1, end: 5}"), "this cell counts processors");
  refused(COUNTED_WITH("{units: 5, users: [1], start: 1, end: 5}, {units: 4, users: [2], start: 4, end: 9}"),
          "9 processors are reserved when reservation 2 begins");
  refused(COUNTED_WITH("{units: 1, users: [1], start: 1, end: 5}, {units: 4, users: [1], start: 4, end: 9}"),
          "of one user or account");
  refused(HOSTS_WITH("{units: 5, users: [1], start: 1, end: 5}"), "this cell has hosts");
  refused(HOSTS_WITH("{users: [1], start: 1, end: 5}"), "no host");
  refused(HOSTS_WITH("{hosts: h-9, users: [1], start: 1, end: 5}"), "there is no host");
  refused(HOSTS_WITH("{count: 5, users: [1], start: 1, end: 5}"), "5 hosts are reserved, and 4");
  refused(HOSTS_WITH("{hosts: 0-2, users: [1], start: 1, end: 5}, {hosts: 2, users: [2], start: 4, end: 9}"),
          "have a host at one time");
  refused(HOSTS_WITH("{hosts: 0-2, users: [1], start: 1, end: 5}, {count: 2, users: [2], start: 4, end: 9}"),
          "2 hosts are reserved, and 1");
  refused(COUNTED_WITH("{units: 4, users: [1], maintenance: true, start: 1, end: 5}"),
          "no task may run in a maintenance");
  refused(COUNTED_WITH("{units: 4, users: [1], start: 1, end: 5, announced: 2}"),
          "announced after it has begun");
  refused(ON_HOSTS HOSTS_KEPT "architecture: shared_state\n", "one job at a time");
  refused(ON_HOSTS HOSTS_KEPT "policy: gang\n", "suspends");
  refused(COUNTED KEPT "policy: {place: contiguous}\n", "one range");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_processors),
      cmocka_unit_test(test_hosts),
      cmocka_unit_test(test_recurs),
      cmocka_unit_test(test_overruns_are_told),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_at_start),
      cmocka_unit_test(test_which_go),
      cmocka_unit_test(test_maintenance),
      cmocka_unit_test(test_promises_are_renewed),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_dates_have_a_zone),
      cmocka_unit_test(test_series),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
