/* bench_timeline.c -- the timeline at a steady number of breakpoints: one moves (two changes), or one is
 * asked. */
#define _GNU_SOURCE
#include "bench.h"

#include "reserve/timeline.h"

enum { OPERATIONS = 1000000 };

typedef enum question { MOVE, LEVEL, LEAST, EARLIEST, FOLD } question;

typedef struct setup {
  size_t breakpoints;
  question question;
  uint64_t checksum;
} setup;

static uint64_t draw(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

/* Ends at random times within a span, as if each freed 1 to 16 units: an end that passes is replaced by a
 * later one. */
static int64_t run(void *ctx)
{
  setup *x = ctx;
  hc_timeline *t;
  uint64_t s = 88172645463325252u, sum = 0, span_s = x->breakpoints * 64;
  hc_time span = (hc_time)x->breakpoints * 64 * HC_SECOND, now = 0;
  static hc_time at[100000];
  int64_t change[16];
  if (hc_timeline_new(hc_default_allocator(), 64, &t) < 0) return -1;
  for (int i = 0; i < 16; i++) change[i] = i % 2 ? i : -i - 1; /* the level wanders about its start */
  for (size_t i = 0; i < x->breakpoints; i++) {
    at[i] = (hc_time)(draw(&s) % (uint64_t)span);
    if (hc_timeline_add(t, at[i], change[i % 16]) < 0) return -1;
  }
  size_t k = 0;
  int64_t begin = bench_now();
  for (size_t i = 0; i < OPERATIONS; i++) {
    uint64_t r = draw(&s);
    hc_time when = (hc_time)(((r >> 32) * span_s) >> 32) * HC_SECOND + (hc_time)(r & 0xfffffff);
    if (++k == x->breakpoints) k = 0;
    int64_t folded = 0;
    switch (x->question) {
      case MOVE:
        if (hc_timeline_add(t, at[k], -change[k % 16]) < 0) return -1;
        if (hc_timeline_add(t, when, change[k % 16]) < 0) return -1;
        at[k] = when;
        break;
      case LEVEL: sum += (uint64_t)hc_timeline_level(t, when); break;
      case LEAST: sum += (uint64_t)hc_timeline_least(t, when, when + span / 8); break;
      case EARLIEST:
        sum += (uint64_t)hc_timeline_earliest(t, when, 500 * HC_SECOND, 40 + (int64_t)(r % 64));
        break;
      case FOLD:
        if (!hc_timeline_first(t, 0, &now, &folded) || hc_timeline_add(t, now, -folded) < 0) return -1;
        hc_timeline_base_add(t, folded);
        if (hc_timeline_add(t, now + when, folded) < 0) return -1;
        break;
    }
  }
  int64_t took = bench_now() - begin;
  x->checksum = sum + hc_timeline_count(t);
  hc_timeline_free(t);
  return took;
}

int main(void)
{
  static const size_t sizes[] = {32, 256, 1000, 10000, 100000};
  static const struct {
    const char *name;
    question question;
    double parts;
    const char *unit;
  } cases[] = {
      {"add", MOVE, 2, "change"},
      {"level", LEVEL, 1, "question"},
      {"least over an eighth", LEAST, 1, "question"},
      {"earliest", EARLIEST, 1, "question"},
      {"fold the first, add a later", FOLD, 1, "event"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      setup x = {.breakpoints = sizes[i], .question = cases[c].question};
      char name[80];
      int64_t took = bench_min(3, run, &x);
      if (took < 0) return 1;
      (void)snprintf(name, sizeof name, "timeline %s, %zu", cases[c].name, sizes[i]);
      bench_print(name, (double)took / OPERATIONS / cases[c].parts, cases[c].unit);
    }
  }
  return 0;
}
