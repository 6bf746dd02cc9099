/* test_google2011_tables.c -- what stands beside the events of the trace of 2011: measured usage,
 * constraints and names of jobs that are joined to tasks, tables in several files, and rows that are
 * wrong. */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "google2011_rows.h"

/* ---- what is joined ---- */

static const char two_tasks[] =
    ROW("10", "1", "0", SUBMIT) ROW("10", "1", "1", SUBMIT) ROW("20", "1", "0", SCHEDULE)
        ROW("20", "1", "1", SCHEDULE) ROW("60", "1", "0", FINISH) ROW("80", "1", "1", FINISH);

static const char usage[] = /* start, end, job, index, machine, cpu, memory */
    "20,40,1,0,9,0.5,1,1,0,0,0,0,0,0,0,0,0,0,1,0\n"
    "20,50,1,1,9,1,2,1,0,0,0,0,0,0,0,0,0,0,1,0\n"
    "40,60,1,0,9,1.5,2,1,0,0,0,0,0,0,0,0,0,0,1,0\n"
    "50,60,1,7,9,1,2,1,0,0,0,0,0,0,0,0,0,0,1,0\n" /* of no task */
    "60,70,1,0,9,9,9,1,0,0,0,0,0,0,0,0,0,0,1,0\n" /* after its end */
    "70,80,1,1,9,0,0,1,0,0,0,0,0,0,0,0,0,0,1,0\n";

static void test_usage(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE, two_tasks);
  set_table(&t, "usage", usage);
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "1/0 at 10 waits 10 runs 40 completed\n1/1 at 10 waits 10 runs 60 completed\n");
  assert_int_equal(t.first.cpu_time, 40 * HC_SECOND); /* a mean of one core for 40 s */
  assert_int_equal(t.first.memory_used, 3 << 19);     /* 1.5 MiB */
  assert_int_equal(t.last.cpu_time, 45 * HC_SECOND);  /* (30 x 1 + 10 x 0) / 40 cores, for 60 s */
  assert_int_equal(t.last.memory_used, 3 << 19);
  assert_int_equal(t.first.need[HC_DIM_CPU], 2000); /* what it asked for stays */
  assert_int_equal(t.ledger.read, 12);
  assert_int_equal(t.ledger.merged, 8);
  assert_int_equal(t.ledger.rejected[HC_REASON_INCOMPLETE], 2);
  end_told(&t);
}

static void test_measured(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE,
               ROW("10", "1", "0", SUBMIT) ROW("11", "1", "1", SUBMIT) ROW("12", "1", "2", SUBMIT)
                   ROW("13", "1", "3", SUBMIT) ROW("20", "1", "1", SCHEDULE) ROW("30", "1", "0", SCHEDULE)
                       ROW("35", "1", "3", KILL) ROW("40", "1", "2", SCHEDULE) ROW("60", "1", "0", FINISH)
                           ROW("80", "1", "1", FINISH) ROW("90", "1", "2", FINISH));
  set_table(&t, "usage", "20,50,1,1,9,0.25,2\n30,50,1,0,9,0.0004,0.5\n");
  set_option(&t, "reading=measured");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  /* In order of their starts. 1/2 was not measured, 1/3 never started. */
  assert_string_equal(t.text, "1/1 at 20 waits 0 runs 60 completed start\n"
                              "1/0 at 30 waits 0 runs 30 completed start\n");
  assert_int_equal(t.first.need[HC_DIM_CPU], 250);
  assert_int_equal(t.first.need[HC_DIM_MEMORY], 2 << 20);
  assert_int_equal(t.last.need[HC_DIM_CPU], 1); /* 0.4 thousandths of a core are not nothing */
  assert_int_equal(t.ledger.rejected[HC_REASON_INCOMPLETE], 1);
  assert_int_equal(t.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  end_told(&t);
}

static void test_measured_attempts(void **state)
{
  told t;
  HC_UNUSED(
      state); /* an evicted start is not the one that counts; a task in the queue at the end never started */
  prepare_told(&t, TYPE,
               ROW("10", "1", "0", SUBMIT) ROW("12", "1", "0", SCHEDULE) ROW("15", "1", "0", EVICT)
                   ROW("15", "1", "0", SUBMIT) ROW("16", "1", "1", SUBMIT) ROW("17", "1", "1", SCHEDULE)
                       ROW("18", "1", "2", SUBMIT) ROW("20", "1", "0", SCHEDULE) ROW("30", "1", "0", FINISH)
                           ROW("40", "1", "1", FINISH));
  set_table(&t, "usage", "12,15,1,0,9,8,8\n17,40,1,1,9,1,1\n20,30,1,0,9,2,2\n");
  set_option(&t, "reading=measured");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_string_equal(t.text, "1/1 at 17 waits 0 runs 23 completed start\n"
                              "1/0 at 20 waits 0 runs 10 completed start\n");
  assert_int_equal(t.last.need[HC_DIM_CPU], 2000); /* of the last attempt alone */
  assert_int_equal(t.ledger.rejected[HC_REASON_NEVER_RAN], 1);
  end_told(&t);
}

static void is_constraint(const told *t, const hc_constraint *c, const char *name, hc_compare compare,
                          const char *text, int64_t number, uint32_t group)
{
  assert_string_equal(hc_lexicon_text(t->lexicon, c->attribute), name);
  assert_int_equal(c->compare, compare);
  assert_int_equal(c->group, group); /* each must hold */
  assert_int_equal(c->is_text, text != NULL);
  if (text) assert_string_equal(hc_lexicon_text(t->lexicon, (uint32_t)c->value), text);
  else assert_int_equal(c->value, number);
}

static void test_constraints(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE,
               FULL("10", "", "1", "0", SUBMIT, "1", "1", "1") ROW("10", "1", "1", SUBMIT)
                   ROW("30", "1", "0", KILL) ROW("31", "1", "1", KILL));
  set_table(&t, "constraints",
            "10,1,0,0,arch,x86=\n" /* time, job, index, operator, attribute, value */
            "10,1,0,1,kernel,3\n"
            "10,1,0,2,disks,8\n"
            "10,1,0,3,disks,2.5\n"
            "10,1,0,0,gpu,\n"
            "10,1,0,1,rack,\n"
            "10,1,1,0,old,1\n"
            "10,1,5,0,arch,x86=\n" /* of no task */
            "20,1,1,0,new,1\n"     /* said later: instead of those before */
            "20,1,1,0,new,2\n");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  const hc_task_extras *m = hc_lexicon_more(t.lexicon, t.first.more),
                       *n = hc_lexicon_more(t.lexicon, t.last.more);
  assert_non_null(m);
  assert_int_equal(m->constraint_count, 6);
  is_constraint(&t, &m->constraints[0], "arch", HC_EQUAL, "x86=", 0, 0);
  is_constraint(&t, &m->constraints[1], "kernel", HC_UNEQUAL, NULL, 3, 1);
  is_constraint(&t, &m->constraints[2], "disks", HC_LESS, NULL, 8, 2);
  is_constraint(&t, &m->constraints[3], "disks", HC_GREATER, NULL, 2,
                3); /* whole numbers above 2.5 are above 2 */
  is_constraint(&t, &m->constraints[4], "gpu", HC_ABSENT, NULL, 0, 4);
  is_constraint(&t, &m->constraints[5], "rack", HC_PRESENT, NULL, 0, 5);
  assert_int_equal(m->per_host, 1); /* the flag stays */
  assert_non_null(n);
  assert_int_equal(n->constraint_count, 2);
  is_constraint(&t, &n->constraints[0], "new", HC_EQUAL, NULL, 1, 0);
  is_constraint(&t, &n->constraints[1], "new", HC_EQUAL, NULL, 2, 1);
  assert_int_equal(t.ledger.rejected[HC_REASON_INCOMPLETE], 1);
  assert_int_equal(t.ledger.merged, 2 + 9);
  end_told(&t);
}

static void test_constraints_stay_bounded(void **state)
{
  char *text = test_calloc(100, 40);
  told t;
  HC_UNUSED(state);
  for (int i = 0; i < 100; i++) sprintf(text + strlen(text), "10,1,0,0,a%d,1\n", i);
  prepare_told(&t, TYPE, ROW("10", "1", "0", SUBMIT) ROW("30", "1", "0", KILL));
  set_table(&t, "constraints", text);
  set_option(&t, "updates=first");
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  assert_int_equal(hc_lexicon_more(t.lexicon, t.first.more)->constraint_count, HC_GOOGLE_CONSTRAINTS);
  end_told(&t);
  test_free(text);
}

static void test_jobs(void **state)
{
  told t;
  HC_UNUSED(state);
  prepare_told(&t, TYPE,
               "10,,1,0,,0,,1,1,1,1,,\n" /* says nothing of its user */
               "11,,2,0,,0,cy,1,1,1,1,,\n"
               "30,,1,0,,5,,1,1,1,1,,\n"
               "31,,2,0,,5,cy,1,1,1,1,,\n"
               "40,,1,1,,0,,1,1,1,1,,\n"
               "41,,1,1,,5,,1,1,1,1,,\n");
  set_table(
      &t, "jobs",
      "10,,1,0,ann,1,name-1,logical-a\n" /* time, missing, job, event, user, class, name, logical name */
      "11,,2,0,bob,1,name-2,logical-b\n"
      "12,,3,0,bob,1,name-3,logical-a\n"
      "35,,1,4,ann,1,name-1,logical-a\n"); /* forgotten from here on */
  open_told(&t);
  assert_int_equal(tell_one(&t), 1);
  assert_true(t.last.user == 1 && t.last.executable == 1);
  assert_int_equal(tell_one(&t), 1);
  assert_true(t.last.executable == 2);
  assert_int_equal(t.last.user,
                   3); /* what its own row says counts more: ann, bob, cy in order of first sight */
  assert_int_equal(tell_one(&t), 1);
  assert_true(t.last.user == -1 && t.last.executable == -1);
  assert_int_equal(tell_one(&t), 0);
  no_error(&t);
  assert_int_equal(t.ledger.merged, 3 + 4);
  end_told(&t);
}

/* ---- files ---- */

static void write_at(const char *directory, const char *name, const char *text)
{
  char path[128];
  FILE *f;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

static void remove_at(const char *directory, const char *name)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  unlink(path);
}

static void test_parts(void **state)
{
  char directory[] = "/tmp/hindcast-parts-XXXXXX", pair[160];
  const char *want = "1/0 at 10 waits 2 runs 8 completed\n2/0 at 21 waits 1 leaves 22 cancelled\n";
  HC_UNUSED(state);
  assert_non_null(mkdtemp(directory));
  write_at(directory, "part-00001-of-00003.csv", ROW("20", "1", "0", FINISH));
  write_at(directory, "part-00000-of-00003.csv", ROW("10", "1", "0", SUBMIT) ROW("12", "1", "0", SCHEDULE));
  write_at(directory, "part-00002-of-00003.csv", "");
  write_at(directory, "part-00003-of-00003.csv", ROW("21", "2", "0", SUBMIT) ROW("22", "2", "0", KILL));
  write_at(directory, ".hidden", "not a table\n");
  snprintf(pair, sizeof pair, "file=%s", directory);
  expect_told(TYPE, NULL, pair, NULL, NULL, want, 3);
  snprintf(pair, sizeof pair, "file=%s/part-*-of-0000?.csv", directory);
  expect_told(TYPE, NULL, pair, NULL, NULL, want, 3);
  char more[400];
  snprintf(pair, sizeof pair, "file=%s/part-00000-of-00003.csv", directory);
  snprintf(more, sizeof more, "parts=%s/part-00001*,%s/part-00003-of-00003.csv", directory, directory);
  expect_told(TYPE, NULL, pair, more, NULL, want, 3);
  told t;
  prepare_told(&t, TYPE, NULL);
  snprintf(pair, sizeof pair, "file=%s/*.gz", directory);
  set_option(&t, pair);
  expect_refused(&t, HC_EIO, 0, "no file in this directory matches \"*.gz\"");
  /* Lines count through all parts for a task, and within its part where an error names it. */
  write_at(directory, "part-00003-of-00003.csv", ROW("21", "2", "0", SUBMIT) "nonsense\n");
  prepare_told(&t, TYPE, NULL);
  snprintf(pair, sizeof pair, "file=%s", directory);
  set_option(&t, pair);
  t.context.strict = true;
  expect_refused(&t, HC_EINPUT, 2, "it has 1 fields, where 13 are expected");
  for (int i = 0; i < 4; i++) {
    char name[32];
    snprintf(name, sizeof name, "part-%05d-of-00003.csv", i);
    remove_at(directory, name);
  }
  remove_at(directory, ".hidden");
  prepare_told(&t, TYPE, NULL);
  set_option(&t, pair);
  expect_refused(&t, HC_EIO, 0, "there is no file in this directory");
  rmdir(directory);
}

/* ---- rejected rows of several files ---- */

typedef struct heard {
  char text[400];
} heard;

/* "part-1:2 incomplete;" */
static void hear(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text)
{
  heard *h = ctx;
  const size_t n = strlen(h->text);
  (void)text;
  snprintf(h->text + n, sizeof h->text - n, "%s:%llu %s;", strrchr(file, '/') + 1, (unsigned long long)line,
           hc_reason_name(why));
}

#define THREE_PARTS 3
static const char *const parts_of_rows[THREE_PARTS] = {
    ROW("10", "1", "0", SUBMIT) ROW("11", "9", "0", FINISH)
        ROW("12", "1", "0", SCHEDULE), /* ends what never began */
    ROW("20", "1", "0", FINISH) "nonsense\n" ROW("21", "9", "1", KILL),
    ROW("30", "2", "0", SUBMIT) ROW("31", "2", "0", KILL) ROW("32", "3", "0", SUBMIT)};

static void open_parts(told *t, heard *h, const char *pair)
{
  prepare_told(t, TYPE, NULL);
  set_option(t, pair);
  t->context.rejected = hear;
  t->context.rejected_ctx = h;
  open_told(t);
}

/* Each row is told of by the part that it stands in and its line there: what the reader refuses at once, what
 * only the end of a life shows, and, by file_of, the tasks that are handed on. The same after a snapshot
 * anywhere, which has to know how many lines were before each part. */
static void test_rows_of_parts_are_told_by_file(void **state)
{
  char directory[] = "/tmp/hindcast-parts-XXXXXX", pair[80];
  HC_UNUSED(state);
  assert_non_null(mkdtemp(directory));
  snprintf(pair, sizeof pair, "file=%s", directory);
  for (int i = 0; i < THREE_PARTS; i++)
    write_at(directory, (char[]){'p', '-', (char)('0' + i), 0}, parts_of_rows[i]);
  for (int cut = 0; cut <= 3; cut++) {
    heard h = {""};
    told a, b;
    hc_buffer saved;
    open_parts(&a, &h, pair);
    open_parts(&b, &h, pair);
    for (int i = 0; i < cut; i++) assert_int_equal(tell_one(&a), 1);
    hc_buffer_init(&saved, hc_default_allocator());
    hc_visitor save = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
    assert_int_equal(a.type->visit(a.source, &save, &a.error), 0);
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = hc_default_allocator(),
                       .in = (const uint8_t *)saved.data,
                       .left = saved.size};
    assert_int_equal(b.type->visit(b.source, &load, &b.error), 0);
    for (int i = cut; i < 3; i++) {
      static const char *const stands[] = {"p-0:1", "p-2:1", "p-2:3"};
      char at[32];
      assert_int_equal(tell_one(&b), 1);
      snprintf(at, sizeof at, "%s:%llu", strrchr(TYPE->file_of(b.source, b.last.file), '/') + 1,
               (unsigned long long)b.last.line);
      assert_string_equal(at, stands[i]);
    }
    assert_int_equal(tell_one(&b), 0);
    assert_null(TYPE->file_of(b.source, THREE_PARTS));
    assert_string_equal(h.text, "p-0:2 incomplete;p-1:2 malformed;p-1:3 incomplete;");
    hc_buffer_fini(&saved);
    end_told(&a);
    end_told(&b);
  }
  for (int i = 0; i < THREE_PARTS; i++) remove_at(directory, (char[]){'p', '-', (char)('0' + i), 0});
  rmdir(directory);
}

static void test_what_is_wrong(void **state)
{
  static const struct {
    const char *row, *words;
  } wrong[] = {
      {"x,,1,0,,0,u,1,1,1,1,,\n", "field 1 holds \"x\", which is no time"},
      {"-5,,1,0,,0,u,1,1,1,1,,\n", "which is no time"},
      {"99999999999999999999,,1,0,,0,u,1,1,1,1,,\n", "which is no time"},
      {"5,,,0,,0,u,1,1,1,1,,\n", "field 3 holds \"\", which is no id"},
      {"5,,1,3000000000,,0,u,1,1,1,1,,\n", "field 4 holds \"3000000000\", which is no id"},
      {"5,,1,0,,9,u,1,1,1,1,,\n", "field 6 holds \"9\", which is no event from 0 to 8"},
      {"5,,1,0,,0,u,1,1,nan,1,,\n", "field 10 holds \"nan\", which is no amount"},
      {"5,,1,0,,0,u,1,1,1,-0.5,,\n", "field 11 holds \"-0.5\", which is no amount"},
      {"5,,1,0,,0,u,1,1,1,1e300,,\n", "which is no amount"},
      {"5,,1,0,,0,u,1,high,1,1,,\n", "field 9 holds \"high\", which is no priority"},
      {"5,,1,0,,0,u,1,1,1,1,,2\n", "field 13 holds \"2\", which is no 0 or 1"},
      {"5,,1,0,,0,u,1,1,1,1\n", "it has 11 fields, where 13 are expected"},
  };
  told t;
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s", ROW("1", "1", "0", SUBMIT), wrong[i].row);
    prepare_told(&t, TYPE, text);
    t.context.strict = true;
    expect_refused(&t, HC_EINPUT, 2, wrong[i].words);
    expect_without(TYPE, text, NULL, NULL, HC_REASON_MALFORMED, 1, "1/0 at 1 waits 0 unknown open\n");
    prepare_told(&t, TYPE, wrong[i].row); /* nothing but that */
    expect_refused(&t, HC_EINPUT, 1, "no row of this file can be read as the events of tasks");
  }
  prepare_told(&t, TYPE, ROW("5", "1", "0", SUBMIT) ROW("4", "2", "0", SUBMIT));
  expect_refused(&t, HC_EINPUT, 2, "this event is earlier than the one before it");
  prepare_told(&t, TYPE, "");
  expect_refused(&t, HC_EINPUT, 0, "the file has no rows: give the events of tasks");
  prepare_told(&t, TYPE, NULL);
  expect_refused(&t, HC_EUSAGE, 0, "no file is given");
  prepare_told(&t, TYPE, two_tasks);
  set_option(&t, "reading=measured");
  expect_refused(&t, HC_EUSAGE, 0, "set `usage` to that table");
  prepare_told(&t, TYPE, NULL);
  set_option(&t, "file=-");
  set_option(&t, "usage=-");
  expect_refused(&t, HC_EUSAGE, 0, "standard input can be only one of the tables");
  prepare_told(&t, TYPE, two_tasks);
  set_table(&t, "usage", "1,2,3\n");
  expect_refused(&t, HC_EINPUT, 1, "no row of this file can be read as the usage of tasks");
  prepare_told(&t, TYPE, two_tasks);
  set_table(&t, "constraints", "10,1,0,2,arch,x86\n");
  t.context.strict = true;
  expect_refused(&t, HC_EINPUT, 1, "field 6 holds \"x86\", which is no number to be less or greater than");
  prepare_told(&t, TYPE, two_tasks);
  set_table(&t, "jobs", ""); /* a table without rows says nothing */
  open_told(&t);
  tell_all(&t);
  no_error(&t);
  end_told(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_usage),
      cmocka_unit_test(test_measured),
      cmocka_unit_test(test_measured_attempts),
      cmocka_unit_test(test_constraints),
      cmocka_unit_test(test_constraints_stay_bounded),
      cmocka_unit_test(test_jobs),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_rows_of_parts_are_told_by_file),
      cmocka_unit_test(test_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
