/* test_users.c -- the closed loop `users` on a machine of one processor that serves in order of submission:
 * times that are known exactly, and the machine-repairman queue.
 *
 * The machine is here, some thirty lines, so that nothing but the source is tested. Streams are fixed. */
#define _GNU_SOURCE
#include "nested_test.h"

extern const hc_reader_type hc_reader_users, hc_reader_mixture;

#define USERS(inner, ...) around(choose(&hc_reader_users.component, __VA_ARGS__, NULL), inner)
#define JOBS(...) choose(&hc_reader_mixture.component, "interval=1s", "jobs=0", __VA_ARGS__, NULL)
#define MOST 4096

/* ---- one machine, first come first served; a limit ends a job ---- */

typedef struct machine {
  generator g;
  hc_task_spec line[MOST]; /* not yet ended, by (submit, id); line[0] runs if it was submitted by now */
  size_t waiting, seen;
  hc_task_spec log[MOST]; /* as yielded, by (submit, id) of arrival */
  hc_time now, busy;
  bool over;
} machine;

static void take_all(machine *m)
{
  hc_job job;
  hc_rc rc;
  while ((rc = m->g.type->next(m->g.source, &job, &m->g.error)) == 1) {
    size_t i = m->waiting++;
    assert_true(m->waiting < MOST && job.task_count == 1);
    assert_true(job.tasks->submit >= m->now); /* never in the past */
    for (; i > 0 && job.tasks->submit < m->line[i - 1].submit; i--) m->line[i] = m->line[i - 1];
    m->line[i] = *job.tasks;
    if (m->seen < MOST) m->log[m->seen++] = *job.tasks;
  }
  if (rc < 0) fail_msg("%s", m->g.error.text);
  m->over = rc == 0;
  assert_int_equal(rc, m->waiting > 0 ? 2 : 0); /* it waits, unless nothing is under way */
}

static void start_machine(machine *m, hc_chosen chosen, uint64_t replication)
{
  *m = (machine){0};
  m->g = (generator){.type = (const hc_reader_type *)chosen.type, .chosen = chosen};
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &m->g.lexicon), 0);
  m->g.context = (hc_source_context){
      .allocator = hc_default_allocator(), .seed = 1, .replication = replication, .lexicon = m->g.lexicon};
  if (m->g.type->open(&m->g.context, chosen.options, &m->g.source, &m->g.error) < 0)
    fail_msg("%s", m->g.error.text);
  take_all(m);
}

/* Serve the next job. @return false if there is none. */
static bool serve(machine *m)
{
  if (m->waiting == 0) return false;
  const hc_task_spec t = m->line[0];
  const bool killed = t.limit > 0 && t.run > t.limit;
  const hc_time ran = killed ? t.limit : t.run;
  const hc_feedback f = {.id = t.id, .end = HC_MAX(m->now, t.submit) + ran, .completed = !killed};
  memmove(m->line, m->line + 1, --m->waiting * sizeof *m->line);
  m->busy += ran;
  m->now = f.end;
  const size_t before = m->waiting;
  const hc_rc released = m->g.type->feedback(m->g.source, &f, &m->g.error);
  if (released < 0) fail_msg("%s", m->g.error.text);
  take_all(m);
  assert_int_equal(released, m->waiting - before); /* as many as it said */
  return true;
}

static void stop_machine(machine *m)
{
  m->g.source ? m->g.type->close(m->g.source) : (void)0;
  hc_lexicon_free(m->g.lexicon);
  drop(&m->g.chosen);
}

/* Submissions in seconds, in the order of ids. */
static void submissions(hc_chosen chosen, const char *expect)
{
  machine *m = test_malloc(sizeof *m);
  char got[512] = "";
  size_t n = 0;
  start_machine(m, chosen, 0);
  while (serve(m) && m->seen < 40) {
  }
  for (size_t i = 0; i < m->seen; i++)
    n += (size_t)snprintf(got + n, sizeof got - n, "%s%g", i ? " " : "", (double)m->log[i].submit / 1e9);
  assert_string_equal(got, expect);
  stop_machine(m);
  test_free(m);
}

/* ---- exact times ---- */

/* One user, one machine: a cycle is run + think. First after a think of 60, then every 100 + 60. */
static void a_cycle_is_run_and_think(void **state)
{
  hc_chosen jobs = JOBS("run=100s");
  HC_UNUSED(state);
  submissions(USERS(jobs, "users=1", "think=60", "tasks=5"), "60 220 380 540 700");
  submissions(USERS(jobs, "users=1", "think=60", "start=5", "until=400"), "5 165 325");
  drop(&jobs);
}

/* Batches of three, ten seconds apart, 100 s each on one processor: submitted at 0, 10, 20, the last ends at
 * 300, and the next begins 60 later; after two of them the session ends, and the user rests for an hour: 660
 * + 3600. */
static void batches_and_sessions(void **state)
{
  hc_chosen jobs = JOBS("run=100s");
  HC_UNUSED(state);
  submissions(USERS(jobs, "users=1", "think=60", "start=0", "batch=3", "spacing=10", "session=2", "rest=1h",
                    "tasks=8"),
              "0 10 20 360 370 380 4260 4270");
  submissions(USERS(jobs, "users=1", "think=60", "start=0", "batch=2", "tasks=4"), "0 0 260 260");
  drop(&jobs);
}

/* An operation of three tasks is followed by the next when its last task has ended: 300 s later, on one
 * processor. Each is one job, by the number of its first task; the users are 7 and 8, and the second waits
 * for the first's. */
static void operations_in_a_loop(void **state)
{
  static const int64_t job[] = {1, 1, 1, 4, 4, 4, 7, 7, 7}, user[] = {7, 7, 7, 8, 8, 8, 7, 7, 7};
  hc_chosen jobs = JOBS("run=100s");
  machine *m = test_malloc(sizeof *m);
  HC_UNUSED(state);
  start_machine(
      m, USERS(jobs, "users=2", "user=7", "think=0", "start=0", "batch=3", "one_job=true", "tasks=9"), 0);
  while (serve(m)) {
  }
  assert_int_equal(m->seen, 9);
  for (size_t i = 0; i < m->seen; i++) {
    assert_int_equal(m->log[i].job, job[i]);
    assert_int_equal(m->log[i].user, user[i]);
    assert_int_equal(m->log[i].submit, i < 6 ? 0 : 300 * HC_SECOND);
  }
  stop_machine(m);
  test_free(m);
  drop(&jobs);
}

/* Two users, think 10, run 100, both begin at 0: each waits for the other's job. Ends at 100, 200, then one
 * every 100: the machine never rests, and each submits 10 s after its own end. */
static void users_wait_for_each_other(void **state)
{
  hc_chosen jobs = JOBS("run=100s");
  HC_UNUSED(state);
  submissions(USERS(jobs, "users=2", "think=10", "start=0", "tasks=6"), "0 0 110 210 310 410");
  drop(&jobs);
}

/* One user, jobs of no length to speak of: times between submissions are the thinks, by their law's mean and
 * deviation (uniform from 0 to 120 s: 60 and 34.64; a larger one of two draws would have 80), to five
 * standard errors. */
static void thinks_have_their_law(void **state)
{
  hc_chosen jobs = JOBS("run=1ms");
  machine *m = test_malloc(sizeof *m);
  moments z = {0};
  HC_UNUSED(state);
  start_machine(m, USERS(jobs, "users=1", "think=uniform(0s 2m)"), 0);
  for (int i = 0; i < 4000; i++) assert_true(serve(m));
  for (size_t i = 1; i < 4000; i++)
    add_to(&z, (double)(m->log[i].submit - m->log[i - 1].submit) / 1e9 - 1e-3);
  mean_is("think", &z, 60, 0);
  is_near("deviation of thinks", deviation_of(&z), 34.641, 5 * 34.641 / hc_sqrt(2.0 * 4000));
  stop_machine(m);
  test_free(m);
  drop(&jobs);
}

/* ---- resubmission ---- */

/* 35 s of work and a limit of 10: ended at 10, then, five seconds later, with 20 s, then with 40, which is
 * enough. The next job comes 60 s after that. */
static void a_time_out_asks_for_more(void **state)
{
  hc_chosen jobs = JOBS("run=35s", "limit_factor=0.2857142857142857", "limit_round=1s");
  const hc_time limits[] = {10, 20, 40, 10};
  machine *m = test_malloc(sizeof *m);
  HC_UNUSED(state);
  start_machine(m,
                USERS(jobs, "users=1", "think=60", "start=0", "resubmit=timeout", "retry_after=5",
                      "attempts=9", "tasks=4"),
                0);
  while (serve(m)) {
  }
  const hc_time at[] = {0, 15, 40, 135};
  assert_int_equal(m->seen, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(m->log[i].limit, limits[i] * HC_SECOND);
    assert_int_equal(m->log[i].submit, at[i] * HC_SECOND);
    assert_int_equal(m->log[i].run, 35 * HC_SECOND);
    assert_int_equal(m->log[i].id, i + 1); /* each attempt is a task of its own */
  }
  assert_true(m->over);
  stop_machine(m);
  test_free(m);
  drop(&jobs);
}

static void attempts_end(void **state)
{
  hc_chosen jobs = JOBS("run=35s", "limit_factor=0.2857142857142857", "limit_round=1s");
  HC_UNUSED(state);
  /* two attempts: 0 to 10, 10 to 30, and given up; the next job 60 later */
  submissions(USERS(jobs, "users=1", "think=60", "start=0", "resubmit=any", "attempts=2", "tasks=4"),
              "0 10 90 100");
  /* a cap of 20 lets the second ask for 20, and the third for nothing */
  submissions(
      USERS(jobs, "users=1", "think=60", "start=0", "resubmit=timeout", "attempts=9", "cap=20", "tasks=4"),
      "0 10 90 100");
  /* a cap of 15 is asked for */
  submissions(
      USERS(jobs, "users=1", "think=60", "start=0", "resubmit=timeout", "attempts=9", "cap=15", "tasks=4"),
      "0 10 85 95");
  /* other failures only: never */
  submissions(USERS(jobs, "users=1", "think=60", "start=0", "resubmit=failure", "tasks=3"), "0 70 140");
  drop(&jobs);
}

/* A host fails under the job at 7: submitted again with the limit that it had. Left out of the run: it goes
 * on. */
static void other_ends(void **state)
{
  hc_chosen jobs = JOBS("run=35s");
  generator g;
  hc_job job;
  HC_UNUSED(state);
  open_generator(&g, USERS(jobs, "users=1", "think=60", "start=0", "resubmit=failure", "attempts=2"));
  assert_int_equal(g.type->next(g.source, &job, &g.error), 1);
  assert_int_equal(g.type->next(g.source, &job, &g.error), 2);
  hc_feedback f = {.id = 1, .end = 7 * HC_SECOND};
  assert_int_equal(g.type->feedback(g.source, &f, &g.error), 1);
  assert_int_equal(g.type->next(g.source, &job, &g.error), 1);
  assert_int_equal(job.tasks->id, 2);
  assert_int_equal(job.tasks->submit, 7 * HC_SECOND);
  assert_int_equal(job.tasks->limit, 35 * HC_SECOND);
  f = (hc_feedback){.id = 2, .end = 10 * HC_SECOND}; /* and again: given up, 60 s of thought */
  assert_int_equal(g.type->feedback(g.source, &f, &g.error), 1);
  assert_int_equal(g.type->next(g.source, &job, &g.error), 1);
  assert_int_equal(job.tasks->submit, 70 * HC_SECOND);
  f = (hc_feedback){.id = 3, .end = HC_UNKNOWN}; /* too large, say: known when it was submitted */
  assert_int_equal(g.type->feedback(g.source, &f, &g.error), 1);
  assert_int_equal(g.type->next(g.source, &job, &g.error), 1);
  assert_int_equal(job.tasks->submit, 130 * HC_SECOND);
  f.id = 77; /* no user's */
  assert_int_equal(g.type->feedback(g.source, &f, &g.error), 0);
  close_generator(&g);
  drop(&jobs);
}

/* ---- the users of a log ---- */

/* id submit run user. User 1 has rows 1, 2, 5; user 2 rows 3, 4. Each begins when the log says, at 10 and 30;
 * then comes 20 s after its own end. The machine: job 1 from 10 to 110, 3 from 110 to 210 (submitted at 30),
 * 2 submitted at 130 runs to 310, 4 submitted at 230 runs to 410, 5 submitted at 330. In the order of their
 * yield: 10 30 130 230 330. */
static void users_of_a_log_keep_their_rows(void **state)
{
  static const char *const ahead[] = {"ahead=16384", "ahead=3"};
  const int64_t users[] = {1, 2, 1, 2, 1}, lines[] = {1, 3, 2, 4, 5};
  trace_file f = write_file("1 10 5 100 1 -1 -1 1 200 -1 1 1 8 9 1 2 -1 -1\n"
                            "2 20 5 100 1 -1 -1 1 200 -1 1 1 8 9 1 2 -1 -1\n"
                            "3 30 5 100 1 -1 -1 1 200 -1 1 2 8 9 1 2 -1 -1\n"
                            "4 40 5 100 1 -1 -1 1 200 -1 1 2 8 9 1 2 -1 -1\n"
                            "5 50 5 100 1 -1 -1 1 200 -1 1 1 8 9 1 2 -1 -1\n");
  hc_chosen rows = choose(&hc_reader_swf.component, f.pair, NULL);
  machine *m = test_malloc(sizeof *m);
  HC_UNUSED(state);
  for (size_t k = 0; k < 2; k++) {
    submissions(USERS(rows, "think=20", ahead[k]), "10 30 130 230 330");
    start_machine(m, USERS(rows, "think=20", ahead[k]), 0);
    while (serve(m)) {
    }
    assert_int_equal(m->seen, 5);
    for (size_t i = 0; i < 5; i++) {
      assert_int_equal(m->log[i].user, users[i]);
      assert_int_equal(m->log[i].line, lines[i]);
    }
    stop_machine(m);
  }
  test_free(m);
  drop(&rows);
  unlink(f.path);
}

/* One row ahead: user 2's row is seen when user 1's first has gone, and user 1 is away while it is all that
 * waits. */
static void a_user_without_a_row_is_away(void **state)
{
  trace_file f = write_file("1 10 5 100 1 -1 -1 1 200 -1 1 1 8 9 1 2 -1 -1\n"
                            "2 20 5 100 1 -1 -1 1 200 -1 1 2 8 9 1 2 -1 -1\n"
                            "3 25 5 100 1 -1 -1 1 200 -1 1 2 8 9 1 2 -1 -1\n"
                            "4 30 5 100 1 -1 -1 1 200 -1 1 1 8 9 1 2 -1 -1\n");
  hc_chosen rows = choose(&hc_reader_swf.component, f.pair, NULL);
  HC_UNUSED(state);
  /* 1 ends at 110 and has no row in sight: away. 2 ends at 210 and goes on at 230 with row 3, which makes
   * room for row 4: user 1 is back, at 210 */
  submissions(USERS(rows, "think=20", "ahead=1"), "10 20 210 230");
  drop(&rows);
  unlink(f.path);
}

/* ---- the machine-repairman queue ---- */

/* B(n, a), by the recursion B(0) = 1, B(k) = a B(k-1) / (k + a B(k-1)). */
static double erlang_b(int n, double a)
{
  double b = 1;
  for (int k = 1; k <= n; k++) b = a * b / (k + a * b);
  return b;
}

/* N users, exponential thought of mean Z, exponential runs of mean S, one server: it is idle when all think,
 * which has probability B(N, Z / S). 20 replications of 2,000 jobs each; the mean utilisation lies within
 * Student's interval of level 0.999, 19 degrees. The bias of starting with all in thought is some Z of 2,000
 * S, below a tenth of the interval. So does the cycle, by Little: jobs per time = U / S, and N = that x (mean
 * cycle). */
static void machine_repairman(void **state)
{
  static const struct {
    const char *users, *think;
    int n;
    double z;
  } cases[] = {{"users=1", "think=exponential(100)", 1, 100},
               {"users=3", "think=exponential(400)", 3, 400},
               {"users=8", "think=exponential(600)", 8, 600}};
  const double student = 3.8834;
  machine *m = test_malloc(sizeof *m);
  HC_UNUSED(state);
  for (size_t c = 0; c < HC_ARRAY_LEN(cases); c++) {
    const double want = 1 - erlang_b(cases[c].n, cases[c].z / 100);
    moments u = {0};
    for (uint64_t r = 0; r < 20; r++) {
      hc_chosen jobs = JOBS("run=exponential(100)");
      start_machine(m, USERS(jobs, cases[c].users, cases[c].think), r);
      for (int i = 0; i < 2000; i++) assert_true(serve(m));
      add_to(&u, (double)m->busy / (double)m->now);
      stop_machine(m);
      drop(&jobs);
    }
    const double half = student * deviation_of(&u) / hc_sqrt(19);
    assert_true(half < 0.02); /* it says something */
    is_near("utilisation", mean_of(&u), want, half);
  }
  assert_true(distance(erlang_b(1, 1), 0.5) < 1e-12); /* S = Z: half of the time */
  test_free(m);
}

/* ---- what it refuses; snapshots ---- */

static void what_it_refuses(void **state)
{
  hc_chosen jobs = JOBS("run=35s");
  HC_UNUSED(state);
  refused(choose(&hc_reader_users.component, NULL),
          "nothing says what the users' jobs are: give any source, `from: {use: mixture, ...}`");
  refused(USERS(jobs, "rest=1h"), "users rest between sessions: say with `session` how long one is");
  refused(USERS(jobs, "start=5"),
          "users of the log begin when their first row was submitted: leave out start, or give users");
  drop(&jobs);
}

/* In the middle of 300 jobs of five users in batches with retries the state is saved, and read into another
 * source: both go on alike; bytes that are no state are refused. */
static void snapshots(void **state)
{
#define BUSY \
  USERS(jobs, "users=5", "batch=uniform(1 4)", "spacing=exponential(9)", "session=3", "rest=1h", \
        "resubmit=any", "retry_after=exponential(5)")
  hc_chosen jobs = JOBS("run=exponential(100)", "limit_factor=uniform(0.5 2)");
  machine *a = test_malloc(sizeof *a), *b = test_malloc(sizeof *b);
  hc_buffer saved;
  HC_UNUSED(state);
  hc_buffer_init(&saved, hc_default_allocator());
  start_machine(a, BUSY, 0);
  for (int i = 0; i < 300; i++) assert_true(serve(a));
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(a->g.type->visit(a->g.source, &save, &a->g.error), 0);
  start_machine(b, BUSY, 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(b->g.type->visit(b->g.source, &load, &b->g.error), 0);
  memcpy(b->line, a->line, sizeof b->line);
  b->waiting = a->waiting;
  b->seen = a->seen;
  b->now = a->now;
  for (int i = 0; i < 300; i++) assert_true(serve(a) && serve(b));
  assert_true(a->now == b->now && a->seen == b->seen && a->waiting == b->waiting);
  assert_memory_equal(a->line, b->line, a->waiting * sizeof *a->line);
  saved.data[saved.size - 24] ^= 0x40; /* in a map: outside the arrays */
  load.in = (const uint8_t *)saved.data;
  load.left = saved.size / 2;
  assert_int_equal(b->g.type->visit(b->g.source, &load, &b->g.error), HC_EINPUT);
  hc_buffer_fini(&saved);
  stop_machine(a);
  stop_machine(b);
  test_free(a);
  test_free(b);
  drop(&jobs);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cycle_is_run_and_think),
      cmocka_unit_test(batches_and_sessions),
      cmocka_unit_test(operations_in_a_loop),
      cmocka_unit_test(users_wait_for_each_other),
      cmocka_unit_test(thinks_have_their_law),
      cmocka_unit_test(a_time_out_asks_for_more),
      cmocka_unit_test(attempts_end),
      cmocka_unit_test(other_ends),
      cmocka_unit_test(users_of_a_log_keep_their_rows),
      cmocka_unit_test(a_user_without_a_row_is_away),
      cmocka_unit_test(machine_repairman),
      cmocka_unit_test(what_it_refuses),
      cmocka_unit_test(snapshots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
