/* bench_queue.c -- the event queue in the hold model: pop the first event, push one a random while later.
 *
 * The number of pending events stays the same, so the time per hold is the cost of one event at that
 * depth. Increments are exponential-like (the logarithm is replaced by a sum of shifted bits, to time the
 * queue and not the draw), either in nanoseconds, where ties are rare, or in whole seconds as in traces,
 * where thousands of events share an instant. */
#define _GNU_SOURCE
#include "bench.h"
#include "kernel/queue.h"

typedef struct hold {
  hc_queue_kind kind;
  size_t pending, holds;
  bool whole_seconds;
  uint64_t checksum;
} hold;

static uint64_t next_bits(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* About an hour on average, with a long tail: a geometric exponent and a uniform fraction. */
static hc_time increment(uint64_t *state, bool whole_seconds)
{
  uint64_t r = next_bits(state);
  unsigned halvings = (unsigned)__builtin_ctzll(r | (uint64_t)1 << 12);
  hc_time t = (hc_time)((halvings << 20 | (r >> 44)) * (uint64_t)2000000) + 1;
  return whole_seconds ? t / HC_SECOND * HC_SECOND : t;
}

static bool step(hc_queue *q, hold *h, uint64_t *state, uint64_t *key)
{
  hc_event e;
  if (!hc_queue_pop(q, &e)) return false;
  h->checksum = h->checksum * 31 + e.key;
  e.time += increment(state, h->whole_seconds);
  e.key = ++*key;
  return hc_queue_push(q, &e, NULL) == 0;
}

static int64_t run(void *ctx)
{
  hold *h = ctx;
  hc_queue *q;
  uint64_t state = 1, key = 0;
  bool ok = true;
  if (hc_queue_new(hc_default_allocator(), h->kind, &q) < 0) return -1;
  h->checksum = 0;
  while (ok && key < h->pending) {
    hc_event e = {.time = increment(&state, h->whole_seconds), .key = ++key};
    ok = hc_queue_push(q, &e, NULL) == 0;
  }
  for (size_t i = 0; ok && i < 2 * h->pending; i++) ok = step(q, h, &state, &key);
  int64_t begin = bench_now();
  for (size_t i = 0; ok && i < h->holds; i++) ok = step(q, h, &state, &key);
  int64_t took = bench_now() - begin;
  hc_queue_free(q);
  return ok ? took : -1;
}

int main(void)
{
  static const size_t depths[] = {1000, 100000, 1000000};
  static const char *const kinds[] = {"heap", "radix"};
  int status = 0;
  for (int seconds = 0; seconds < 2; seconds++) {
    for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
      uint64_t checksums[2] = {0, 0};
      for (int kind = 0; kind < 2; kind++) {
        hold h = {
            .kind = (hc_queue_kind)kind, .pending = depths[d], .holds = 1000000, .whole_seconds = seconds};
        int64_t least = bench_min(3, run, &h);
        char name[64];
        (void)snprintf(name, sizeof name, "queue hold, %s, %s, %zu pending", kinds[kind],
                       seconds ? "whole seconds" : "ns", h.pending);
        if (least < 0) status = 1;
        bench_print(name, (double)least / (double)h.holds, "hold");
        checksums[kind] = h.checksum;
      }
      if (checksums[0] != checksums[1]) {
        printf("the two kinds disagree\n");
        status = 1;
      }
    }
  }
  return status;
}
