/* test_names.c -- names in a run's result: written when a task first has them, limited, in snapshots, and
 * of no consequence for what happens. */
#include "engine_test.h"

#include "base/util.h"

static const job none[] = {J(1, 0, 1, 1, 1)};

#define NAMED \
  "source: {use: synthetic, tasks: 300, procs: 8, load: 0.7, users: 12, user_names: u, task_names: t}\n" \
  "policy: easy\n"

static char said[1 << 16];

static hc_rc say(void *ctx, const char *const *row)
{
  const size_t n = strlen(said);
  (void)ctx;
  (void)snprintf(said + n, sizeof said - n, "%s %s %s\n", row[0], row[1] ? row[1] : "-",
                 row[2] ? row[2] : "-");
  return 0;
}

static hc_rc say_cell(void *ctx, const char *const *row)
{
  const size_t n = strlen(said);
  (void)ctx;
  (void)snprintf(said + n, sizeof said - n, "%s %s %g\n", row[1], row[3], row[5] ? atof(row[5]) : -1);
  return 0;
}

static const char *rows_of(bench *b, const char *table)
{
  hc_result *r;
  said[0] = '\0';
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, table, 3, say, NULL, &b->error));
  hc_result_free(r);
  return said;
}

static void digests_of(bench *b, char result[33], char schedule[33])
{
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_digest(r, result, &b->error));
  check(b, hc_result_schedule_digest(r, schedule, &b->error));
  hc_result_free(r);
}

/* Each user once, by its number; each task by its serial, which is its id less one. */
static void every_name_once(void **state)
{
  bench b;
  hc_result *r;
  int64_t number = 0, serial = 0;
  char text[24];
  (void)state;
  begin(&b, NAMED, 8, none, 1, NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  for (size_t i = 0; i < b.count; i++) {
    (void)snprintf(text, sizeof text, "u%d", (int)b.records[i].user);
    assert_string_equal(hc_result_name(r, HC_CALLED_USER, b.records[i].user), text);
    assert_true(hc_result_number(r, HC_CALLED_USER, text, &number));
    assert_int_equal(number, b.records[i].user);
    (void)snprintf(text, sizeof text, "t%d", (int)b.records[i].id);
    assert_string_equal(hc_result_task_name(r, b.records[i].serial), text);
    assert_int_equal(hc_result_find_task(r, text, &serial), 1);
    assert_int_equal(serial, b.records[i].serial);
  }
  assert_null(hc_result_name(r, HC_CALLED_USER, 13));
  assert_null(hc_result_name(r, HC_CALLED_GROUP, 1));
  assert_null(hc_result_job_name(r, 0));
  assert_int_equal(hc_result_find_task(r, "t301", &serial), 0);
  assert_false(hc_result_has_names(r, HC_CALLED_QUEUE));
  assert_string_equal(hc_result_title(r, HC_CALLED_GROUP), "group");
  hc_result_free(r);
  size_t lines = 0;
  for (const char *s = rows_of(&b, "names"); *s; s++) lines += *s == '\n';
  assert_int_equal(lines, 12);
  end(&b);
}

/* Names count in the digest of the result and in that of no schedule. */
static void names_change_no_schedule(void **state)
{
  char result[2][33], schedule[2][33];
  bench a, b;
  (void)state;
  begin(&a, NAMED, 8, none, 1, NULL);
  finish(&a);
  digests_of(&a, result[0], schedule[0]);
  begin(&b, "source: {use: synthetic, tasks: 300, procs: 8, load: 0.7, users: 12}\npolicy: easy\n", 8, none,
        1, NULL);
  finish(&b);
  digests_of(&b, result[1], schedule[1]);
  assert_string_equal(schedule[0], schedule[1]);
  assert_string_not_equal(result[0], result[1]);
  end(&a);
  end(&b);
}

/* Saved and taken up again after every 40 instants: the same rows, each once. */
static void saved_and_carried_on(void **state)
{
  char result[2][33], schedule[2][33];
  bench a, b;
  (void)state;
  begin(&a, NAMED, 8, none, 1, NULL);
  finish(&a);
  digests_of(&a, result[0], schedule[0]);
  begin(&b, NAMED, 8, none, 1, NULL);
  finish_in_pieces(&b, 40);
  digests_of(&b, result[1], schedule[1]);
  assert_string_equal(result[0], result[1]);
  end(&a);
  end(&b);
}

/* With room for three names of a kind, the first three users and tasks have one, and the rest is counted. */
static void beyond_the_limit(void **state)
{
  bench b;
  hc_result *r;
  int64_t unnamed = 0;
  (void)state;
  begin(&b, NAMED "name_limit: 3\n", 8, none, 1, NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  for (size_t i = 0; i < b.count; i++) unnamed += !hc_result_name(r, HC_CALLED_USER, b.records[i].user);
  hc_result_free(r);
  assert_true(unnamed > 0 && unnamed < 300);
  assert_int_equal(counted(&b, "hindcast", "unnamed_user"), unnamed);
  assert_int_equal(counted(&b, "hindcast", "unnamed_task"), 297);
  assert_string_equal(rows_of(&b, "task_names"), "0 t1 -\n1 t2 -\n2 t3 -\n");
  size_t lines = 0;
  for (const char *s = rows_of(&b, "names"); *s; s++) lines += *s == '\n';
  assert_int_equal(lines, 3);
  end(&b);
}

/* Rows of tasks and names of tasks are of the same tasks; names of users are there without any row. */
static void samples_and_none(void **state)
{
  bench b;
  hc_result *r;
  (void)state;
  begin(&b, NAMED "task_rows: sample\nsample: 10\n", 8, none, 1, NULL);
  finish(&b);
  check(&b, hc_result_of_store(b.store, &r, &b.error));
  assert_true(b.count > 0 && b.count < 100);
  size_t lines = 0;
  for (const char *s = rows_of(&b, "task_names"); *s; s++) lines += *s == '\n';
  assert_int_equal(lines, b.count);
  for (size_t i = 0; i < b.count; i++) assert_non_null(hc_result_task_name(r, b.records[i].serial));
  hc_result_free(r);
  end(&b);
  begin(&b, NAMED "task_rows: none\n", 8, none, 1, NULL);
  finish(&b);
  assert_string_equal(rows_of(&b, "task_names"), "");
  assert_non_null(strstr(rows_of(&b, "names"), "1 user u1\n"));
  end(&b);
}

/* Two sources: each its own users, called so; and one run's tasks keep the names that they have. */
static void two_sources(void **state)
{
  bench b;
  (void)state;
  begin(&b,
        "source: [{use: synthetic, tasks: 20, procs: 8, load: 0.7, users: 2, user_names: u, task_names: t}, "
        "{use: synthetic, tasks: 20, procs: 8, load: 0.7, users: 2, user_names: u, stream: 1}]\n"
        "prefix: [a/, b/]\npolicy: easy\n",
        8, none, 1, NULL);
  finish(&b);
  const char *names = rows_of(&b, "names");
  assert_non_null(strstr(names, "1 user a/u1\n"));
  assert_non_null(strstr(names, "1000000000001 user b/u1\n"));
  size_t lines = 0;
  for (const char *s = rows_of(&b, "task_names"); *s; s++) lines += *s == '\n';
  assert_int_equal(lines, 20); /* those of the first source */
  end(&b);
}

/* renumber gives tasks other ids, and what they were called goes with the old ones. */
static void renumbered(void **state)
{
  bench b;
  (void)state;
  begin(&b, NAMED "transforms: [{use: renumber, from: 5000}]\n", 8, none, 1, NULL);
  finish(&b);
  assert_string_equal(rows_of(&b, "task_names"), "");
  assert_int_equal(record_of(&b, 5000)->serial, 0);
  assert_non_null(strstr(rows_of(&b, "names"), "1 user u1\n"));
  end(&b);
}

/* ---- accounts beside groups ---- */

static char accounts_path[] = "/tmp/hc_accounts_XXXXXX", accounts[600];

/* 300 tasks of group g. Every third is of account a1, those before them of a2, and the others of none; QOS q1
 * and q2 by turns. */
static const char *accounts_yaml(const char *rest)
{
  const int fd = mkstemp(accounts_path);
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  assert_non_null(f);
  for (int i = 0; i < 300; i++) {
    (void)fprintf(f,
                  "- {id: %d, submit_time: %d, delay: %d, procs: %d, user: u, group: g, queue: q, qos: q%d",
                  i + 1, i / 4, 1 + i % 11, 1 + i % 5, 1 + i % 2);
    (void)fprintf(f, i % 3 < 2 ? ", account: a%d}\n" : "}\n", 1 + i % 3);
  }
  assert_int_equal(fclose(f), 0);
  (void)snprintf(accounts, sizeof accounts,
                 "source: {use: native, file: '%s'}\ncell: {procs: 8}\npolicy: easy\n"
                 "metrics: [tasks, {use: by, by: [account, qos]}, {use: by, by: account}]\n%s",
                 accounts_path, rest);
  return accounts;
}

static int cells_of(bench *b, const char *table, const char *name, const char *value)
{
  char line[80];
  int n = 0;
  hc_result *r;
  said[0] = '\0';
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_result_rows(r, "cells", 6, say_cell, NULL, &b->error));
  hc_result_free(r);
  (void)snprintf(line, sizeof line, "%s %s %s\n", table, name, value);
  for (const char *s = strstr(said, line); s; s = strstr(s + 1, line)) n++;
  return n;
}

/* What a task has beside its group is known until metrics have been told of it, in one piece and in many,
 * with task rows and without, and to a trimmed summary too. */
static void accounts_in_pieces(void **state)
{
  static const char *const rows[] = {"", "task_rows: none\n", "trim: {use: ranks, first: 0.1}\n"};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) {
    char result[2][33], schedule[33];
    const char *yaml = accounts_yaml(rows[i]);
    bench a, b;
    begin(&a, yaml, 8, none, 1, NULL);
    finish(&a);
    digests_of(&a, result[0], schedule);
    assert_int_equal(cells_of(&a, "by(account,qos)", "tasks", "50"), 6); /* 3 by 2 */
    assert_int_equal(cells_of(&a, "by(account)", "tasks", "100"), 3);
    assert_int_equal(cells_of(&a, "by(account)", "account", "2"), i == 2 ? 2 : 1);
    assert_int_equal(cells_of(&a, "by(account)", "account_other", "1"), i == 2 ? 2 : 1);
    begin(&b, yaml, 8, none, 1, NULL);
    finish_in_pieces(&b, 20);
    digests_of(&b, result[1], schedule);
    assert_string_equal(result[0], result[1]);
    end(&a);
    end(&b);
    assert_int_equal(unlink(accounts_path), 0);
    (void)strcpy(accounts_path + sizeof accounts_path - 7, "XXXXXX");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_once),      cmocka_unit_test(names_change_no_schedule),
      cmocka_unit_test(saved_and_carried_on), cmocka_unit_test(beyond_the_limit),
      cmocka_unit_test(samples_and_none),     cmocka_unit_test(two_sources),
      cmocka_unit_test(renumbered),           cmocka_unit_test(accounts_in_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
