/* bench_waitlist.c -- the waiting queue at a steady length: one task leaves, another comes; or one is
 * asked for.
 *
 * Sizes and estimates as logs have them: powers of two are most common, and estimates are round. The
 * adversarial case is made against the size classes: the short tasks are all of 13 processors, the query
 * has 12.. in one class with them, and the tasks small enough are long, so that every leaf looks promising
 * and none is. */
#define _GNU_SOURCE
#include "bench.h"

#include "kernel/waitlist.h"

enum { MOST = 100000 };

typedef enum work { FIFO, MIDDLE, RANDOM, SCAN, BACKFILL, ADVERSARY, REKEY } work;

typedef struct setup {
  size_t tasks;
  work work;
  size_t operations;
  uint64_t checksum;
} setup;

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static hc_waiting some_task(uint64_t *s, uint64_t serial, work kind)
{
  uint64_t r = draw(s);
  int64_t units = (int64_t)1 << (r & 7);
  if ((r >> 8 & 3) == 0) units = 1 + (int64_t)(r >> 16 & 127);
  hc_waiting e = {.key = 0,
                  .serial = serial,
                  .task = (hc_task)(serial & 0xfffff),
                  .units = units,
                  .estimate = (hc_time)(1 + (r >> 24 & 15)) * 30 * HC_MINUTE};
  if (kind == RANDOM) e.key = (int64_t)(r >> 32);
  if (kind == ADVERSARY) {
    e.units = serial % 8 ? 16 : 13;
    e.estimate = serial % 8 ? HC_MINUTE : HC_DAY;
  }
  return e;
}

static int64_t shuffled_key(void *ctx, hc_task task)
{
  const uint64_t *salt = ctx;
  return (int64_t)(((task + 1) * 0x9e3779b97f4a7c15u ^ *salt) >> 40);
}

/* One operation of the kind; returns false on failure. */
static bool operate(hc_waitlist *w, setup *x, uint64_t *s, hc_waiting *tasks, uint64_t *serial, size_t i)
{
  hc_cursor at = {0};
  hc_filter f = {.max_units = 1 + (int64_t)(draw(s) & 15), .max_estimate = HC_HOUR, .or_units = 0};
  size_t k = x->work == FIFO ? i % x->tasks : (size_t)(((draw(s) >> 32) * x->tasks) >> 32);
  switch (x->work) {
    case FIFO:
    case MIDDLE:
    case RANDOM:
      hc_waitlist_remove(w, tasks[k].key, tasks[k].serial);
      tasks[k] = some_task(s, ++*serial, x->work);
      return hc_waitlist_insert(w, &tasks[k]) == 0;
    case SCAN:
      at = (hc_cursor){tasks[k].key, tasks[k].serial, true};
      x->checksum += hc_waitlist_next(w, &at, NULL);
      return true;
    case BACKFILL: /* few processors are free, and half an hour: about one task in a hundred passes */
      f.max_units = 1;
      f.max_estimate = 30 * HC_MINUTE;
      at = (hc_cursor){tasks[k].key, tasks[k].serial, true};
      x->checksum += hc_waitlist_next(w, &at, &f);
      return true;
    case ADVERSARY:
      f.max_units = 15;
      x->checksum += hc_waitlist_next(w, &at, &f);
      return true;
    case REKEY: return hc_waitlist_rekey(w, shuffled_key, serial) == 0 && ++*serial;
  }
  return false;
}

static int64_t run(void *ctx)
{
  setup *x = ctx;
  static hc_waiting tasks[MOST];
  hc_waitlist *w;
  uint64_t s = 88172645463325252u, serial = 0;
  bool ok = true;
  if (hc_waitlist_new(hc_default_allocator(), &w) < 0) return -1;
  for (size_t i = 0; ok && i < x->tasks; i++) {
    tasks[i] = some_task(&s, ++serial, x->work);
    ok = hc_waitlist_insert(w, &tasks[i]) == 0;
  }
  int64_t begin = bench_now();
  for (size_t i = 0; ok && i < x->operations; i++) ok = operate(w, x, &s, tasks, &serial, i);
  int64_t took = bench_now() - begin;
  hc_waitlist_free(w);
  return ok ? took : -1;
}

int main(void)
{
  static const size_t sizes[] = {10, 100, 1000, 10000, 100000};
  static const struct {
    const char *name;
    work work;
    size_t work_in_all; /* operations; divided by the length where one operation costs as much */
    bool linear;
    const char *unit;
  } cases[] = {
      {"remove first, append", FIFO, 1000000, false, "pair"},
      {"remove any, append", MIDDLE, 1000000, false, "pair"},
      {"remove any, insert anywhere", RANDOM, 1000000, false, "pair"},
      {"next of all", SCAN, 1000000, false, "question"},
      {"next that backfills", BACKFILL, 1000000, false, "question"},
      {"next, adversarial", ADVERSARY, 3000000, true, "question"},
      {"rekey", REKEY, 3000000, true, "queue"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      setup x = {.tasks = sizes[i], .work = cases[c].work, .operations = cases[c].work_in_all};
      char name[80];
      if (cases[c].linear) x.operations /= sizes[i];
      int64_t took = bench_min(3, run, &x);
      if (took < 0) return 1;
      (void)snprintf(name, sizeof name, "waitlist %s, %zu", cases[c].name, sizes[i]);
      bench_print(name, (double)took / (double)x.operations, cases[c].unit);
    }
  }
  return 0;
}
