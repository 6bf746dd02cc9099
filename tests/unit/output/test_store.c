/* test_store.c -- a result written, read back, hashed, refused; and what a failure leaves behind: nothing. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/state.h"
#include "hindcast/output.h"

static const hc_allocator *memory(void)
{
  return hc_default_allocator();
}

static hc_task_record task(int64_t i)
{
  return (hc_task_record){.serial = i,
                          .id = 100 + i,
                          .submit = i * HC_SECOND,
                          .start = 2 * i * HC_SECOND,
                          .end = 3 * i * HC_SECOND + 10 * HC_SECOND,
                          .units = i % 7 + 1,
                          .limit = HC_UNKNOWN,
                          .estimate = HC_NEVER,
                          .run = (i + 10) * HC_SECOND,
                          .user = i % 3,
                          .group = -1,
                          .executable = -1,
                          .queue = 0,
                          .partition = -1,
                          .final = HC_FINAL_COMPLETED,
                          .flags = i % 2 ? HC_TASK_BACKFILLED : 0};
}

static void fill(hc_store *s, int64_t tasks)
{
  const char *config[3] = {"policy.select", "easy", "flag"}, *input[3] = {"/a/log.swf", "1234", "00ff"};
  const char *row[2] = {"used", "3"}, *final[2] = {"completed", "3"}, *info[2] = {"wall", "0.1"};
  const char *rejected[4] = {"/a/log.swf", "17", "malformed", "x y z"};
  assert_int_equal(hc_store_row(s, "configuration", 3, config, NULL), 0);
  assert_int_equal(hc_store_row(s, "inputs", 3, input, NULL), 0);
  assert_int_equal(hc_store_row(s, "rows", 2, row, NULL), 0);
  assert_int_equal(hc_store_row(s, "finals", 2, final, NULL), 0);
  assert_int_equal(hc_store_row(s, "rejected", 4, rejected, NULL), 0);
  assert_int_equal(hc_store_row(s, "run_info", 2, info, NULL), 0);
  for (int64_t i = 0; i < tasks; i++) {
    hc_task_record t = task(i);
    assert_int_equal(hc_store_tasks(s, &t, 1, NULL), 0);
  }
  assert_int_equal(hc_store_figure(s, "all", "wait_mean", "s", 0.1, false, NULL), 0);
  assert_int_equal(hc_store_figure(s, "all", "tasks", "1", 3, true, NULL), 0);
  assert_int_equal(hc_store_figure(s, "trimmed", "wait_mean", "s", __builtin_nan(""), false, NULL), 0);
  assert_int_equal(hc_store_cell(s, "all", "by_user", 2, "wait_mean", "s", 1.5, NULL), 0);
}

static void write_result(const char *path, int64_t tasks)
{
  hc_store *s = NULL;
  hc_error e = {0};
  if (hc_store_new(memory(), path, &s, &e) < 0) fail_msg("%s", e.text);
  fill(s, tasks);
  if (hc_store_commit(s, &e) < 0) fail_msg("%s", e.text);
  hc_store_free(s);
}

static void digest_of(const char *path, char text[33])
{
  hc_result *r = NULL;
  hc_error e = {0};
  if (hc_result_open(memory(), path, &r, &e) < 0) fail_msg("%s", e.text);
  assert_int_equal(hc_result_digest(r, text, &e), 0);
  hc_result_free(r);
}

/* Each test works in a directory of its own, which must be empty at the end. */
static int enter(void **state)
{
  char *path = strdup("/tmp/hc_store_XXXXXX");
  if (!path || !mkdtemp(path) || chdir(path) != 0) return -1;
  *state = path;
  return 0;
}

static int leave(void **state)
{
  int rc = chdir("/") != 0 || rmdir(*state) != 0; /* fails if anything is left */
  free(*state);
  return rc;
}

static hc_rc count_rows(void *ctx, const char *const *values)
{
  if (values[0]) ++*(int *)ctx;
  return 0;
}

static hc_rc check_cell(void *ctx, const char *const *values)
{
  ++*(int *)ctx;
  assert_string_equal(values[1], "by_user");
  assert_string_equal(values[2], "2"); /* the key is a whole number */
  assert_string_equal(values[5], "1.5");
  return 0;
}

static void test_round_trip(void **state)
{
  hc_result *r = NULL;
  hc_task_record got[100];
  size_t n = 0;
  int64_t seen = 0;
  int rows = 0;
  (void)state;
  write_result("r.db", 1200); /* over two blocks of 512, and a rest */
  assert_int_equal(hc_result_open(memory(), "r.db", &r, NULL), 0);
  assert_int_equal(hc_result_task_count(r), 1200);
  for (bool rewind = true;; rewind = false) {
    assert_int_equal(hc_result_tasks(r, rewind, got, 100, &n, NULL), 0);
    if (n == 0) break;
    for (size_t i = 0; i < n; i++) {
      hc_task_record want = task(seen++);
      assert_memory_equal(&got[i], &want, sizeof want); /* HC_UNKNOWN and HC_NEVER among them */
    }
  }
  assert_int_equal(seen, 1200);
  assert_int_equal(hc_result_tasks(r, false, got, 100, &n, NULL), 0);
  assert_int_equal(n, 0); /* the end stays the end */
  assert_int_equal(hc_result_tasks(r, true, got, 1, &n, NULL), 0);
  assert_int_equal(got[0].id, 100); /* and rewinding begins again */
  assert_string_equal(hc_result_config(r, "policy.select"), "easy");
  assert_null(hc_result_config(r, "policy.order"));
  assert_true(hc_result_figure(r, "all", "wait_mean") == 0.1);
  assert_true(hc_result_figure(r, "all", "tasks") == 3);
  assert_true(hc_result_figure(r, "trimmed", "wait_mean") != 0.0); /* NaN: stored as NULL */
  assert_int_equal(hc_result_rows(r, "cells", 6, check_cell, &rows, NULL), 0);
  assert_int_equal(rows, 1);
  assert_int_equal(hc_result_rows(r, "nonsense", 2, count_rows, &rows, NULL), HC_EUSAGE);
  assert_int_equal(hc_result_rows(r, "cells", 5, count_rows, &rows, NULL), HC_EUSAGE);
  assert_string_equal(hc_result_path(r), "r.db");
  hc_result_free(r);
  assert_int_equal(unlink("r.db"), 0);
}

static void test_view_in_seconds(void **state)
{
  sqlite3 *db;
  sqlite3_stmt *q;
  (void)state;
  write_result("r.db", 6);
  assert_int_equal(sqlite3_open("r.db", &db), SQLITE_OK);
  assert_int_equal(
      sqlite3_prepare_v2(db,
                         "SELECT wait, response, slowdown, bounded_slowdown, lim, estimate, state, "
                         "backfilled FROM task WHERE id=105",
                         -1, &q, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  /* task 5: submitted at 5, starts at 10, ends at 25: waits 5, response 20, held 15, slowdown 20/15 */
  assert_true(sqlite3_column_double(q, 0) == 5);
  assert_true(sqlite3_column_double(q, 1) == 20);
  assert_true(sqlite3_column_double(q, 2) == 20.0 / 15.0);
  assert_true(sqlite3_column_double(q, 3) == 20.0 / 15.0);
  assert_int_equal(sqlite3_column_type(q, 4), SQLITE_NULL); /* no limit is known */
  assert_int_equal(sqlite3_column_type(q, 5), SQLITE_NULL); /* nothing was believed */
  assert_string_equal((const char *)sqlite3_column_text(q, 6), "completed");
  assert_int_equal(sqlite3_column_int(q, 7), 1);
  assert_int_equal(sqlite3_finalize(q), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  assert_int_equal(unlink("r.db"), 0);
}

static hc_store *new_store(void)
{
  hc_store *s = NULL;
  assert_int_equal(hc_store_new(memory(), NULL, &s, NULL), 0);
  fill(s, 3);
  return s;
}

static void take_digest(hc_store *s, char text[33])
{
  hc_result *r = NULL;
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_int_equal(hc_result_schema(r), HC_STORE_VERSION);
  assert_int_equal(hc_result_digest(r, text, NULL), 0);
  hc_result_free(r);
  hc_store_free(s);
}

/* What a later program can be asked besides moves no digest: a key at its default counts neither when it is
 * written nor when it is left out. */
static void test_defaults_do_not_count(void **state)
{
  static const char *const usual[4] = {"later", "7", "file", "7"},
                           *const other[4] = {"later", "8", "file", "7"},
                           *const none[4] = {"later", "7", "file", NULL},
                           *const before[3] = {"later", "7", "file"};
  char plain[33], text[33];
  hc_store *s = new_store();
  (void)state;
  take_digest(s, plain);
  s = new_store();
  assert_int_equal(hc_store_row(s, "configuration", 4, usual, NULL), 0);
  take_digest(s, text);
  assert_string_equal(text, plain);
  s = new_store();
  assert_int_equal(hc_store_row(s, "configuration", 4, other, NULL), 0);
  take_digest(s, text);
  assert_string_not_equal(text, plain);
  s = new_store();
  assert_int_equal(hc_store_row(s, "configuration", 4, none, NULL), 0); /* it has no default */
  take_digest(s, text);
  assert_string_not_equal(text, plain);
  s = new_store();
  assert_int_equal(hc_store_row(s, "configuration", 3, before, NULL), 0); /* as an older writer says it */
  take_digest(s, text);
  assert_string_not_equal(text, plain);
}

/* Which file it was is said by the checksum of what is in it. */
static void test_names_of_files_do_not_count(void **state)
{
  static const char *const here[5] = {"policy.conf", "a/slurm.conf", "file", NULL, "file"},
                           *const there[5] = {"policy.conf", "b/slurm.conf", "file", NULL, "file"},
                           *const word[5] = {"policy.conf", "b/slurm.conf", "file", NULL, NULL};
  char one[33], other[33];
  hc_store *s = new_store();
  (void)state;
  assert_int_equal(hc_store_row(s, "configuration", 5, here, NULL), 0);
  take_digest(s, one);
  s = new_store();
  assert_int_equal(hc_store_row(s, "configuration", 5, there, NULL), 0);
  take_digest(s, other);
  assert_string_equal(one, other);
  s = new_store();
  assert_int_equal(hc_store_row(s, "configuration", 5, word, NULL), 0); /* no file: what it says counts */
  take_digest(s, other);
  assert_string_not_equal(one, other);
}

static void test_digest_is_of_the_content(void **state)
{
  char a[33], b[33], c[33], d[33];
  sqlite3 *db;
  hc_store *s = NULL;
  hc_result *r = NULL;
  (void)state;
  write_result("a.db", 50);
  write_result("b.db", 51);
  digest_of("a.db", a);
  digest_of("b.db", b);
  assert_string_not_equal(a, b); /* one task more */
  /* Another page size, another layout, other computing facts, another place of the log: the same result. */
  assert_int_equal(sqlite3_open("b.db", &db), SQLITE_OK);
  assert_int_equal(
      sqlite3_exec(
          db,
          "DELETE FROM tasks WHERE serial=50; UPDATE run_info SET value='9';UPDATE inputs SET "
          "path='/b/log.swf'; UPDATE rejected SET file='/b/log.swf'; UPDATE configuration SET "
          "origin='file';INSERT INTO configuration VALUES('event_queue','heap','flag','radix',NULL);PRAGMA "
          "page_size=1024; VACUUM",
          NULL, NULL, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  digest_of("b.db", b);
  assert_string_equal(a, b);
  assert_int_equal(sqlite3_open("b.db", &db), SQLITE_OK); /* a table without rows */
  assert_int_equal(sqlite3_exec(db, "CREATE TABLE jobs(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p)", NULL, NULL, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  digest_of("b.db", b);
  assert_string_equal(a, b);
  assert_int_equal(sqlite3_open("b.db", &db), SQLITE_OK);
  assert_int_equal(
      sqlite3_exec(db, "UPDATE summary SET value=0.1000000001 WHERE name='wait_mean' AND scope='all'", NULL,
                   NULL, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  digest_of("b.db", c);
  assert_string_not_equal(a, c); /* a figure changed in its tenth digit */
  assert_int_equal(hc_store_new(memory(), NULL, &s, NULL), 0);
  fill(s, 50);
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_int_equal(hc_result_digest(r, d, NULL), 0);
  assert_string_equal(a, d); /* in memory, uncommitted: the same content */
  /* As they were before rejected rows had a file: read as rows without one. */
  assert_int_equal(sqlite3_open("a.db", &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "ALTER TABLE rejected DROP COLUMN file", NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  digest_of("a.db", c);
  assert_string_equal(a, c);
  hc_result_free(r);
  hc_store_free(s);
  assert_int_equal(unlink("a.db") | unlink("b.db"), 0);
}

static void digest_after(const char *statement, char text[33])
{
  sqlite3 *db;
  assert_int_equal(sqlite3_open("u.db", &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, statement, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  digest_of("u.db", text);
}

/* No limit is not a limit of 0, in a record or in another table: a digest tells them apart, and comes
 * back. */
static void test_digest_tells_unknown_from_zero(void **state)
{
  char was[33], zero[33], back[33];
  (void)state;
  write_result("u.db", 3);
  digest_of("u.db", was);
  digest_after("UPDATE tasks SET lim = 0 WHERE serial = 1", zero);
  digest_after("UPDATE tasks SET lim = NULL WHERE serial = 1", back);
  assert_string_not_equal(was, zero);
  assert_string_equal(was, back);
  digest_after("UPDATE summary SET value = 0 WHERE scope = 'trimmed'", zero); /* stored as NULL: a NaN */
  digest_after("UPDATE summary SET value = NULL WHERE scope = 'trimmed'", back);
  assert_string_not_equal(was, zero);
  assert_string_equal(was, back);
  assert_int_equal(unlink("u.db"), 0);
}

static void test_same_bytes_twice(void **state)
{
  static char one[1 << 20], two[1 << 20];
  size_t n, m;
  FILE *f;
  (void)state;
  write_result("a.db", 700);
  write_result("b.db", 700);
  assert_non_null(f = fopen("a.db", "rb"));
  n = fread(one, 1, sizeof one, f);
  (void)fclose(f);
  assert_non_null(f = fopen("b.db", "rb"));
  m = fread(two, 1, sizeof two, f);
  (void)fclose(f);
  assert_int_equal(n, m);
  assert_memory_equal(one, two, n); /* nothing in the file depends on its name or the time */
  assert_int_equal(unlink("a.db") | unlink("b.db"), 0);
}

static void test_commit_names_the_file(void **state)
{
  hc_store *s = NULL;
  char partial[64];
  hc_error e = {0};
  const char *row[2] = {"k", "v"};
  (void)state;
  assert_int_equal(hc_store_new(memory(), "results/r.db", &s, NULL), 0); /* makes `results` */
  fill(s, 3);
  (void)snprintf(partial, sizeof partial, "results/r.db.partial-%ld", (long)getpid());
  assert_int_equal(access("results/r.db", F_OK), -1); /* not under its name before the commit */
  assert_int_equal(access(partial, F_OK), 0);
  assert_int_equal(hc_store_commit(s, &e), 0);
  assert_int_equal(access("results/r.db", F_OK), 0);
  assert_int_equal(access(partial, F_OK), -1);
  assert_int_equal(hc_store_commit(s, &e), HC_EUSAGE);                  /* once */
  assert_int_equal(hc_store_row(s, "run_info", 2, row, &e), HC_EUSAGE); /* and nothing afterwards */
  hc_store_free(s);
  assert_int_equal(access("results/r.db", F_OK), 0); /* freeing a committed store keeps the file */
  write_result("results/r.db", 5);                   /* an existing result is replaced */
  assert_int_equal(unlink("results/r.db") | rmdir("results"), 0);
}

static void write_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  (void)fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

/* A result takes the place of a result and of an empty file; of a log or another database only if it is asked
 * to. */
static void test_takes_no_other_place(void **state)
{
  hc_store *s = NULL;
  hc_error e = {0};
  sqlite3 *db;
  struct stat st;
  (void)state;
  write_text("r.db", "1 0 -1 100 3\n");
  assert_int_equal(hc_store_new(memory(), "r.db", &s, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "--force"));
  assert_int_equal(stat("r.db", &st), 0);
  assert_int_equal(st.st_size, 13); /* as it was */
  assert_int_equal(unlink("r.db"), 0);
  assert_int_equal(sqlite3_open("r.db", &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "PRAGMA application_id=7;CREATE TABLE x(a)", NULL, NULL, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  assert_int_equal(hc_store_new(memory(), "r.db", &s, NULL), HC_EUSAGE);
  assert_int_equal(hc_store_replace(memory(), "r.db", &s, NULL), 0);
  fill(s, 3);
  assert_int_equal(hc_store_commit(s, NULL), 0);
  hc_store_free(s);
  write_result("r.db", 5);
  write_text("r.db", "");
  write_result("r.db", 5);
  assert_int_equal(unlink("r.db"), 0);
}

/* Of two files beside the target, one is written by a process that lives, the other by one that was
 * killed. */
static void test_left_overs_go(void **state)
{
  hc_store *s = NULL, *t = NULL;
  int status;
  pid_t child;
  char left[64];
  (void)state;
  child = fork();
  if (child == 0) {
    if (hc_store_new(memory(), "r.db", &s, NULL) == 0) (void)raise(SIGKILL);
    _exit(1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  (void)snprintf(left, sizeof left, "r.db.partial-%ld", (long)child);
  assert_int_equal(access(left, F_OK), 0); /* nothing can be done by a process that is killed */
  write_text("r.db.partial-17x", "not ours");
  write_text("r.db.partial-", "not ours");
  assert_int_equal(hc_store_new(memory(), "r.db", &s, NULL), 0);
  assert_int_equal(access(left, F_OK), -1);
  assert_int_equal(hc_store_new(memory(), "r.db", &t, NULL), 0); /* which does not take the other's away */
  fill(s, 3);
  fill(t, 4);
  assert_int_equal(hc_store_commit(t, NULL), 0);
  assert_int_equal(hc_store_commit(s, NULL), 0);
  hc_store_free(t);
  hc_store_free(s);
  assert_int_equal(unlink("r.db.partial-17x") | unlink("r.db.partial-") | unlink("r.db"), 0);
}

/* Directories are made below the working directory only. */
static void test_directories(void **state)
{
  hc_store *s = NULL;
  hc_error e = {0};
  char here[512], path[600];
  (void)state;
  assert_non_null(getcwd(here, sizeof here));
  (void)snprintf(path, sizeof path, "%s/absolute/r.db", here);
  assert_int_equal(hc_store_new(memory(), path, &s, &e), HC_EIO);
  assert_non_null(strstr(e.text, "mkdir"));
  assert_int_equal(access("absolute", F_OK), -1);
  assert_int_equal(hc_store_new(memory(), "new/../../up/r.db", &s, NULL), HC_EIO);
  assert_int_equal(hc_store_new(memory(), "below/r.db", &s, NULL), 0);
  hc_store_free(s);
  assert_int_equal(access("below", F_OK), -1); /* and go again with the result that was not to be */
}

static void test_drop_leaves_nothing(void **state)
{
  hc_store *s = NULL;
  (void)state;
  assert_int_equal(hc_store_new(memory(), "results/r.db", &s, NULL), 0);
  fill(s, 2000);
  hc_store_free(s);
  assert_int_equal(access("results", F_OK), -1); /* not even the directory that it made */
}

static void test_bad_places(void **state)
{
  hc_store *s = NULL;
  hc_error e = {0};
  (void)state;
  assert_int_equal(hc_store_new(memory(), "no/such/r.db", &s, &e), HC_EIO); /* one level is made, not two */
  assert_non_null(strstr(e.text, "make it first"));
  memset(&e, 0, sizeof e);
  assert_int_equal(mkdir("d", 0777), 0);
  assert_int_equal(hc_store_new(memory(), "d", &s, &e), HC_EIO);
  assert_non_null(strstr(e.text, "directory; name a file in it"));
  memset(&e, 0, sizeof e);
  assert_int_equal(hc_store_new(memory(), "/dev/null", &s, &e), HC_EIO); /* must not be replaced by a file */
  assert_non_null(strstr(e.text, "regular file"));
  assert_int_equal(chmod("d", 0555), 0);
  memset(&e, 0, sizeof e);
  if (geteuid() != 0) { /* root may write anywhere */
    assert_int_equal(hc_store_new(memory(), "d/r.db", &s, &e), HC_EIO);
    assert_non_null(strstr(e.text, "writable"));
  }
  assert_int_equal(rmdir("d"), 0);
}

/* A file size limit stands for a full disk: SQLite's write fails in the middle. */
static void test_failing_write(void **state)
{
  struct rlimit old, small = {256 * 1024, 256 * 1024};
  hc_store *s = NULL;
  hc_error e = {0};
  hc_rc rc = 0;
  (void)state;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  small.rlim_max = old.rlim_max;
  assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  assert_int_equal(hc_store_new(memory(), "r.db", &s, &e), 0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int64_t i = 0; rc == 0 && i < 100000; i++) {
    hc_task_record t = task(i);
    rc = hc_store_tasks(s, &t, 1, &e);
  }
  if (rc == 0) rc = hc_store_commit(s, &e);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_int_equal(rc, HC_EIO);
  assert_non_null(strstr(e.text, "cannot write the result"));
  hc_store_free(s);
  assert_int_equal(access("r.db", F_OK), -1);
}

static void test_bad_rows(void **state)
{
  hc_store *s = NULL;
  hc_error e = {0};
  hc_result *r = NULL;
  const char *row[4] = {"a.swf", "1", "malformed", NULL};
  int rows = 0;
  (void)state;
  assert_int_equal(hc_store_new(memory(), NULL, &s, NULL), 0);
  assert_int_equal(hc_store_row(s, "sumary", 2, row, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text,
                         "use one of hindcast, configuration, inputs, rows, finals, hosts, logs, conflicts, "
                         "rejected, run_info"));
  assert_int_equal(hc_store_numbers(s, "sumary", 2, (const int64_t[]){1, 2}, NULL), HC_EUSAGE);
  assert_int_equal(hc_store_row(s, "tasks", 2, row, NULL), HC_EUSAGE);
  assert_int_equal(hc_store_row(s, "rows", 3, row, NULL), HC_EUSAGE);
  for (int i = 0; i < 1500; i++) assert_int_equal(hc_store_row(s, "rejected", 4, row, NULL), 0);
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_int_equal(hc_result_rows(r, "rejected", 4, count_rows, &rows, NULL), 0);
  assert_int_equal(rows, 1000); /* the table is a sample: output.h */
  hc_result_free(r);
  hc_store_free(s);
}

static void test_refused_files(void **state)
{
  hc_result *r = NULL;
  hc_error e = {0};
  sqlite3 *db;
  FILE *f;
  (void)state;
  assert_int_equal(hc_result_open(memory(), "r.db", &r, &e), HC_EIO); /* not there */
  assert_non_null(f = fopen("r.db", "w"));
  (void)fputs("; Version: 2.2\n1 0 -1 100 3\n", f);
  (void)fclose(f);
  memset(&e, 0, sizeof e);
  assert_int_equal(hc_result_open(memory(), "r.db", &r, &e), HC_EINPUT); /* a log, not a result */
  assert_non_null(strstr(e.text, "hindcast run"));
  assert_int_equal(unlink("r.db"), 0);
  assert_int_equal(sqlite3_open("r.db", &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "CREATE TABLE x(a)", NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  assert_int_equal(hc_result_open(memory(), "r.db", &r, NULL), HC_EINPUT); /* another program's database */
  assert_int_equal(unlink("r.db"), 0);
  write_result("r.db", 3);
  assert_int_equal(sqlite3_open("r.db", &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "PRAGMA user_version=99", NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  memset(&e, 0, sizeof e);
  assert_int_equal(hc_result_open(memory(), "r.db", &r, &e), HC_EVERSION); /* of a newer program */
  assert_non_null(strstr(e.text, "newer Hindcast"));
  write_result("r.db", 3000);
  assert_int_equal(truncate("r.db", 100000), 0);
  memset(&e, 0, sizeof e);
  if (hc_result_open(memory(), "r.db", &r, &e) ==
      0) { /* cut short: found at the latest by reading all of it */
    char text[33];
    assert_int_equal(hc_result_digest(r, text, &e), HC_EINPUT);
    hc_result_free(r);
  }
  assert_int_equal(e.rc, HC_EINPUT);
  assert_int_equal(unlink("r.db"), 0);
}

static void test_snapshot(void **state)
{
  hc_store *a = NULL, *b = NULL;
  hc_result *r = NULL;
  hc_buffer bytes;
  hc_visitor save = {.mode = HC_VISIT_SAVE, .allocator = memory(), .out = &bytes}, load;
  hc_task_record t = task(1), got[2];
  size_t n = 0;
  (void)state;
  hc_buffer_init(&bytes, memory());
  assert_int_equal(hc_store_new(memory(), NULL, &a, NULL), 0);
  assert_int_equal(hc_store_new(memory(), NULL, &b, NULL), 0);
  assert_int_equal(hc_store_tasks(a, &t, 1, NULL), 0);
  for (int64_t i = 5; i < 9; i++) {
    hc_task_record other = task(i);
    assert_int_equal(hc_store_tasks(b, &other, 1, NULL), 0);
  }
  assert_int_equal(hc_store_visit(a, &save), 0);
  assert_int_equal(bytes.size, 8 + sizeof(hc_task_record) +
                                   8 * 29); /* a count and one record; counts of the other tables */
  load = (hc_visitor){
      .mode = HC_VISIT_LOAD, .allocator = memory(), .in = (const uint8_t *)bytes.data, .left = bytes.size};
  assert_int_equal(hc_store_visit(b, &load), 0); /* replaces what was there */
  assert_int_equal(hc_result_of_store(b, &r, NULL), 0);
  assert_int_equal(hc_result_tasks(r, true, got, 2, &n, NULL), 0);
  assert_int_equal(n, 1);
  assert_memory_equal(&got[0], &t, sizeof t);
  hc_result_free(r);
  hc_store_free(a);
  hc_store_free(b);
  hc_buffer_fini(&bytes);
}

/* ---- out of memory at every allocation of ours ---- */

typedef struct failing {
  int left;
} failing;

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  failing *f = ctx;
  (void)old_size;
  if (new_size == 0) {
    free(p);
    return NULL;
  }
  return f->left-- > 0 ? realloc(p, new_size) : NULL;
}

static void test_out_of_memory(void **state)
{
  bool done = false;
  (void)state;
  for (int n = 0; !done; n++) {
    failing f = {n};
    const hc_allocator a = {&f, failing_resize, NULL};
    hc_store *s = NULL;
    hc_rc rc = hc_store_new(&a, "r.db", &s, NULL);
    if (rc == 0) rc = hc_store_commit(s, NULL);
    done = rc == 0;
    if (!done) assert_int_equal(rc, HC_ENOMEM);
    if (s) hc_store_free(s);
    assert_int_equal(access("r.db", F_OK), done ? 0 : -1);
    assert_true(n < 20);
  }
  assert_int_equal(unlink("r.db"), 0);
}

static void test_names(void **state)
{
  (void)state;
  assert_string_equal(hc_final_name(HC_FINAL_KILLED), "killed");
  assert_string_equal(hc_final_text(HC_FINAL_COMPLETED), "ran to its end");
  assert_string_equal(hc_final_name((hc_final)99), "?"); /* a damaged file may hold any number */
}

int main(void)
{
#define IN_DIRECTORY(f) cmocka_unit_test_setup_teardown(f, enter, leave)
  const struct CMUnitTest tests[] = {
      IN_DIRECTORY(test_round_trip),
      IN_DIRECTORY(test_view_in_seconds),
      IN_DIRECTORY(test_defaults_do_not_count),
      IN_DIRECTORY(test_names_of_files_do_not_count),
      IN_DIRECTORY(test_digest_is_of_the_content),
      IN_DIRECTORY(test_digest_tells_unknown_from_zero),
      IN_DIRECTORY(test_same_bytes_twice),
      IN_DIRECTORY(test_commit_names_the_file),
      IN_DIRECTORY(test_takes_no_other_place),
      IN_DIRECTORY(test_left_overs_go),
      IN_DIRECTORY(test_directories),
      IN_DIRECTORY(test_drop_leaves_nothing),
      IN_DIRECTORY(test_bad_places),
      IN_DIRECTORY(test_failing_write),
      IN_DIRECTORY(test_bad_rows),
      IN_DIRECTORY(test_refused_files),
      IN_DIRECTORY(test_snapshot),
      IN_DIRECTORY(test_out_of_memory),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
