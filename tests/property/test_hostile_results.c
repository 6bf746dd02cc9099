/* test_hostile_results.c -- a stored result that was tampered with is an error, never a crash.
 *
 * Results of several kinds are made by the command. Then each column of each table, in all rows or in one, is
 * set to NULL, to a word and to the ends of 64 bits, and every command that reads results reads it: it ends
 * by itself, with one of its own statuses, within a few seconds and without filling the disk. Under
 * sanitizers their reports count as crashes.
 *
 * All of it is some 130,000 commands. The tests take a sample, another part of it for each kind of result;
 * with HC_SOAK set to 1 all are run. A failure prints the lines that make it again. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hindcast/base.h"

#include "sample.h"

/* One of so many commands: primes, so that no column, value or command is always left out. */
#define SAMPLE hc_test_cases(601, 7219)
#define OUTPUT_MOST (64L << 20)
#define SECONDS_MOST 20

typedef struct kind {
  const char *name;
  const char *run[12]; /* the arguments of the command, which make it; NULL ends */
} kind;

#define EXAMPLE(x) HC_TEST_SOURCE_DIR "/examples/" x ".yaml"
static const kind kinds[] = {
    {"intervals",
     {HC_TEST_SOURCE_DIR "/tests/golden/inputs/ten.swf", "--policy", "easy", "--set",
      "cell.granularity=intervals"}},
    {"failures", {EXAMPLE("failures"), "--first", "60"}},
    {"gang", {EXAMPLE("gang"), "--first", "60"}},
    {"preemption", {EXAMPLE("fairness/preemption")}},
    {"resizing", {EXAMPLE("resizing")}},
    {"deferred", {EXAMPLE("deferred")}},
    {"parts", {EXAMPLE("part-times")}},
    {"world", {"world.yaml"}},
    {"by",
     {HC_TEST_SOURCE_DIR "/tests/golden/inputs/ten.swf", "--policy", "easy", "--trim", "full", "--set",
      "task_rows=all", "--set", "metrics=[tasks, {use: by, by: 'day,size', most: 3}, by_user]"}},
    {"without_rows",
     {HC_TEST_SOURCE_DIR "/tests/golden/inputs/ten.swf", "--policy", "easy", "--set", "task_rows=none",
      "--set", "metrics=[tasks, {use: by, by: 'day,size', most: 3}, by_user]"}},
};

static const char world[] =
    "world: {use: omega, machines: 10, run_time: 2m, workloads: [{name: Batch, arrivals: "
    "{use: exp_exp_exp, interarrival: 20, tasks: 3, duration: 50, cpus: 0.15, memory: 0.3}}]}\n";

/* What reads results; @ is the one that was tampered with, = the one that was not. */
static const char *const commands[][8] = {
    {"show", "@"},
    {"show", "@", "--all", "--json"},
    {"show", "@", "--config"},
    {"show", "@", "--info"},
    {"verify", "@"},
    {"digest", "@"},
    {"digest", "--schedule", "@"},
    {"compare", "@", "="},
    {"compare", "=", "@", "--job-by-job"},
    {"why", "@", "#0"},
    {"show", "@", "--longest", "3"},
    {"show", "@", "--by", "day,size"},
    {"show", "@", "--by", "user", "--sort", "tasks"},
    {"show", "@", "--by", "month,run > 60", "--figures", "all"},
    {"show", "@", "--by", "estimate", "--scope", "trimmed"},
    {"compare", "@", "=", "--by", "user,hour"},
    {"compare", "=", "@", "--by", "size"},
    {"export", "@", "--format", "csv"},
    {"export", "@", "--format", "json"},
    {"export", "@", "--format", "swf"},
    {"export", "@", "--format", "accasim"},
    {"export", "@", "--format", "batsim"},
    {"export", "@", "--format", "gantt"},
    {"export", "@", "--format", "dslab"},
    {"export", "@", "--format", "perfetto"},
    {"show", "@", "--chart"},
    {"cite", "@"},
    {"cite", "@", "--bibtex"},
    {"export", "@", "--format", "omega"},
    {"export", "@", "--format", "yt_operations"},
    {"export", "@", "--format", "elastisim_task_times"},
    {"export", "@", "--format", "csv", "--set", "table=%"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static const char *const values[] = {"NULL", "'x'", "9223372036854775807", "-9223372036854775808", "-1"};
#define VALUES (sizeof values / sizeof values[0])

typedef struct trial {
  const kind *kind;
  char sql[256];
  char table[64];
  uint64_t turn, done;
  bool all;
} trial;

/* ---- running ---- */

static void child_limits(void)
{
  const struct rlimit size = {OUTPUT_MOST, OUTPUT_MOST}, cpu = {SECONDS_MOST, SECONDS_MOST};
  (void)setrlimit(RLIMIT_FSIZE, &size);
  (void)setrlimit(RLIMIT_CPU, &cpu);
}

/* @return its status as waitpid tells it */
static int run(const char *const *args)
{
  const char *argv[20] = {HC_TEST_COMMAND};
  int status = 0;
  pid_t child;
  for (size_t i = 0; i < 18 && args[i]; i++) argv[i + 1] = args[i];
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666),
              err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    child_limits();
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(err, STDERR_FILENO);
    (void)execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static bool sanitizer_reported(void)
{
  static char text[1 << 16];
  FILE *f = fopen("err", "r");
  const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) (void)fclose(f);
  text[n] = '\0';
  return strstr(text, "runtime error:") || strstr(text, "Sanitizer");
}

static bool is_well(int status)
{
  return WIFEXITED(status) && WEXITSTATUS(status) <= 3 && !sanitizer_reported();
}

/* ---- tampering ---- */

static void copy(const char *from, const char *to)
{
  static char block[1 << 16];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  size_t n;
  assert_non_null(in);
  assert_non_null(out);
  while ((n = fread(block, 1, sizeof block, in)) > 0) assert_int_equal(fwrite(block, 1, n, out), n);
  (void)fclose(in);
  assert_int_equal(fclose(out), 0);
}

static void tamper(const trial *t)
{
  sqlite3 *db;
  copy("whole.db", "changed.db");
  assert_int_equal(sqlite3_open("changed.db", &db), SQLITE_OK);
  (void)sqlite3_exec(db, "PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF", NULL, NULL, NULL);
  if (sqlite3_exec(db, t->sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", t->sql, sqlite3_errmsg(db));
  (void)sqlite3_close(db);
}

static void check(trial *t, const char *const *command)
{
  const char *args[10] = {0};
  char table[80];
  int status;
  (void)snprintf(table, sizeof table, "table=%s", t->table);
  for (size_t i = 0; i < 8 && command[i]; i++)
    args[i] = strcmp(command[i], "@") == 0         ? "changed.db"
              : strcmp(command[i], "=") == 0       ? "whole.db"
              : strcmp(command[i], "table=%") == 0 ? table
                                                   : command[i];
  status = run(args);
  t->done++;
  if (is_well(status)) return;
  print_error("%s: status %x of `hindcast %s %s %s %s` after\n  %s\n", t->kind->name, (unsigned)status,
              args[0], args[1], args[2] ? args[2] : "", args[3] ? args[3] : "", t->sql);
  if (system("tail -5 err >&2") != 0) print_error("what it said cannot be shown\n");
  fail();
}

static void try_change(trial *t)
{
  bool changed = false;
  for (size_t c = 0; c < COMMANDS; c++) {
    if (!t->all && t->turn++ % SAMPLE != 0) continue;
    if (!changed) tamper(t);
    changed = true;
    check(t, commands[c]);
  }
}

static void try_column(trial *t, const char *column)
{
  for (size_t v = 0; v < VALUES; v++)
    for (int one = 0; one < 2; one++) {
      (void)snprintf(t->sql, sizeof t->sql, "UPDATE \"%s\" SET \"%s\"=%s%s", t->table, column, values[v],
                     one ? " WHERE rowid=2" : "");
      try_change(t);
    }
}

static void try_table(trial *t, sqlite3 *db)
{
  char sql[128];
  sqlite3_stmt *columns;
  (void)snprintf(sql, sizeof sql, "SELECT name FROM pragma_table_info('%s')", t->table);
  assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &columns, NULL), SQLITE_OK);
  while (sqlite3_step(columns) == SQLITE_ROW) try_column(t, (const char *)sqlite3_column_text(columns, 0));
  (void)sqlite3_finalize(columns);
}

static uint64_t try_kind(const kind *k, uint64_t first, bool all)
{
  trial t = {.kind = k, .turn = first, .all = all};
  const char *args[20] = {"run"};
  size_t n = 1;
  sqlite3 *db;
  sqlite3_stmt *tables;
  for (; k->run[n - 1]; n++) args[n] = k->run[n - 1];
  args[n++] = "--quiet";
  args[n++] = "--output";
  args[n] = "whole.db";
  if (run(args) != 0) fail_msg("%s cannot be made", k->name);
  assert_int_equal(sqlite3_open_v2("whole.db", &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type='table' ORDER BY rowid",
                                      -1, &tables, NULL),
                   SQLITE_OK);
  while (sqlite3_step(tables) == SQLITE_ROW) {
    (void)snprintf(t.table, sizeof t.table, "%s", (const char *)sqlite3_column_text(tables, 0));
    try_table(&t, db);
  }
  (void)sqlite3_finalize(tables);
  (void)sqlite3_close(db);
  return t.done;
}

static void test_no_command_crashes(void **state)
{
  char directory[] = "/tmp/hindcast-test-XXXXXX";
  static const char *const made[] = {"whole.db", "changed.db", "out", "err", "examples", "world.yaml"};
  const char *only = getenv("HINDCAST_KIND");
  FILE *f;
  (void)state;
  assert_non_null(mkdtemp(directory));
  assert_int_equal(chdir(directory), 0);
  assert_non_null(f = fopen("world.yaml", "w"));
  assert_true(fputs(world, f) >= 0 && fclose(f) == 0);
  assert_int_equal(symlink(HC_TEST_SOURCE_DIR "/examples", "examples"), 0); /* where their paths begin */
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    uint64_t done;
    if (only && strcmp(only, kinds[i].name) != 0) continue;
    done = try_kind(&kinds[i], i * 83, hc_test_is_soak());
    assert_true(done >= hc_test_cases(10, 3)); /* there are tables, and they have columns */
  }
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) (void)unlink(made[i]);
  assert_int_equal(chdir("/"), 0);
  assert_int_equal(rmdir(directory), 0); /* and the commands have left nothing there */
}

/* `kinds`: what HINDCAST_KIND may be, for those who run them side by side (tests/soak/hostile). */
int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_command_crashes)};
  if (argc == 2 && strcmp(argv[1], "kinds") == 0) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) (void)puts(kinds[i].name);
    return 0;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
