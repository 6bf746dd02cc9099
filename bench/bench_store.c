/* bench_store.c -- what a task row costs: as a part of a page, as the store does it, and by bind and step.
 *
 * 100,000 rows like those of a batch log, into a file in the current directory, the commit's fsync not
 * counted (it is no CPU time). The second case is what the store would be without bulk.c and block.c, with the
 * same pages and pragmas. */
#define _GNU_SOURCE
#include "bench.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "hindcast/output.h"

#define ROWS 100000

static void fill(hc_task_record *t)
{
  uint64_t x = 88172645463325252u;
  for (int64_t i = 0; i < ROWS; i++) {
    int64_t run, wait;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    run = (int64_t)(x % 36000 + 1) * HC_SECOND;
    wait = (int64_t)((x >> 20) % 7200) * HC_SECOND;
    t[i] = (hc_task_record){.serial = i,
                            .id = i + 1,
                            .submit = i * 37 * HC_SECOND,
                            .start = i * 37 * HC_SECOND + wait,
                            .end = i * 37 * HC_SECOND + wait + run,
                            .units = (int64_t)(x >> 40) % 256 + 1,
                            .limit = 2 * run,
                            .estimate = 2 * run,
                            .run = run,
                            .user = (int64_t)(x >> 50) % 200,
                            .group = -1,
                            .executable = -1,
                            .queue = 1,
                            .partition = -1,
                            .final = HC_FINAL_COMPLETED,
                            .flags = (int64_t)(x >> 60) & 1};
  }
}

static int64_t by_store(void *ctx)
{
  const hc_task_record *t = ctx;
  hc_store *s = NULL;
  int64_t begin = bench_now(), spent;
  bool ok = hc_store_new(hc_default_allocator(), "bench_store.db", &s, NULL) == 0;
  for (size_t i = 0; ok && i < ROWS; i += 250) ok = hc_store_tasks(s, t + i, 250, NULL) == 0;
  ok = ok && hc_store_commit(s, NULL) == 0;
  hc_store_free(s);
  spent = bench_now() - begin;
  (void)unlink("bench_store.db");
  return ok ? spent : -1;
}

static int64_t by_bind(void *ctx)
{
  const hc_task_record *t = ctx;
  sqlite3 *db = NULL;
  sqlite3_stmt *insert = NULL;
  int64_t begin = bench_now(), spent;
  (void)sqlite3_open("bench_bind.db", &db);
  (void)sqlite3_exec(db,
                     "PRAGMA page_size=32768;PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
                     "PRAGMA locking_mode=EXCLUSIVE;PRAGMA cache_size=-2048;BEGIN;"
                     "CREATE TABLE tasks(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p)",
                     NULL, NULL, NULL);
  (void)sqlite3_prepare_v2(db, "INSERT INTO tasks VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1, &insert,
                           NULL);
  for (size_t i = 0; i < ROWS; i++) {
    int64_t values[16];
    memcpy(values, &t[i], sizeof values);
    for (int c = 0; c < 16; c++) (void)sqlite3_bind_int64(insert, c + 1, values[c]);
    (void)sqlite3_step(insert);
    (void)sqlite3_reset(insert);
  }
  (void)sqlite3_finalize(insert);
  if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) return -1;
  (void)sqlite3_close(db);
  spent = bench_now() - begin;
  (void)unlink("bench_bind.db");
  return spent;
}

static int64_t by_reader(void *ctx)
{
  static hc_task_record block[256];
  hc_result *r = ctx;
  size_t n = 1;
  int64_t begin = bench_now();
  if (hc_result_tasks(r, true, block, 256, &n, NULL) < 0) return -1;
  while (n > 0) {
    if (hc_result_tasks(r, false, block, 256, &n, NULL) < 0) return -1;
  }
  return bench_now() - begin;
}

static int64_t by_digest(void *ctx)
{
  char text[33];
  int64_t begin = bench_now();
  if (hc_result_digest(ctx, text, NULL) < 0) return -1;
  return bench_now() - begin;
}

static int64_t empty(void *ctx)
{
  hc_store *s = NULL;
  int64_t begin = bench_now();
  if (hc_store_new(hc_default_allocator(), "bench_store.db", &s, NULL) < 0) return -1;
  const hc_rc rc = hc_store_commit(s, NULL);
  (void)ctx;
  hc_store_free(s);
  const int64_t spent = bench_now() - begin;
  (void)unlink("bench_store.db");
  return rc < 0 ? -1 : spent;
}

int main(void)
{
  hc_task_record *t = malloc(ROWS * sizeof *t);
  hc_store *s = NULL;
  hc_result *r = NULL;
  if (!t) return 1;
  fill(t);
  bench_print("store: task row, in bulk", (double)bench_min(7, by_store, t) / ROWS, "row");
  printf("%-44s %10.1f MiB, %.1f of them the rows\n", "store: peak memory",
         (double)bench_peak_memory() / 1048576, (double)(ROWS * sizeof *t) / 1048576);
  bench_print("store: task row, bind and step", (double)bench_min(7, by_bind, t) / ROWS, "row");
  bench_print("store: empty", (double)bench_min(7, empty, NULL), "store");
  if (hc_store_new(hc_default_allocator(), "bench_store.db", &s, NULL) < 0 ||
      hc_store_tasks(s, t, ROWS, NULL) < 0 || hc_store_commit(s, NULL) < 0 ||
      hc_result_of_store(s, &r, NULL) < 0)
    return 1;
  bench_print("store: task row, read", (double)bench_min(5, by_reader, r) / ROWS, "row");
  bench_print("store: task row, digest", (double)bench_min(5, by_digest, r) / ROWS, "row");
  hc_result_free(r);
  hc_store_free(s);
  (void)unlink("bench_store.db");
  free(t);
  return 0;
}
