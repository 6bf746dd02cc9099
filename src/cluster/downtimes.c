/* downtimes.c -- see downtimes.h. Cost: O(1) an event, memory in proportion to hosts and to what is
 * announced. */
#include "cluster/downtimes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"

#define MOST_HOSTS ((size_t)1 << 24)

typedef struct hc_down_host {
  hc_time start, end, announced;
  uint64_t place;
  uint32_t host;
  uint32_t before; /* of this host and not over yet, plus 1; 0: none */
} down_host;

void hc_downtimes_init(hc_downtimes *d, const hc_allocator *a, uint32_t units, const char *of,
                       const char *word)
{
  *d = (hc_downtimes){.allocator = a, .units = units, .of = of, .word = word};
}

void hc_downtimes_fini(hc_downtimes *d)
{
  hc_free(d->allocator, d->hosts, d->host_cap * sizeof *d->hosts);
  if (d->open) hc_free(d->allocator, d->open, d->units * sizeof *d->open);
  hc_free(d->allocator, d->items, d->cap * sizeof *d->items);
  hc_free(d->allocator, d->ranges, d->range_cap * sizeof *d->ranges);
}

static hc_rc check(const hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place,
                   hc_error *e)
{
  char where[300];
  (void)snprintf(where, sizeof where, "%.200s, %s %" PRIu64, d->of, d->word, place);
  if (event->change != HC_HOST_DOWN)
    return hc_fail(
        e, HC_EUSAGE, where, 0, 0,
        "announced goes with down: policies keep tasks off hosts that are known to leave, and no other "
        "change cuts what runs");
  if (announced > event->at)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "it is announced after it has begun: `announced` must not be later than `at`");
  if (d->host_count >= MOST_HOSTS)
    return hc_fail(e, HC_ELIMIT, where, 0, 0, "more than %zu hosts go down as announced", MOST_HOSTS);
  return 0;
}

static hc_rc add(hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place)
{
  if (!d->open) {
    d->open = hc_alloc(d->allocator, d->units * sizeof *d->open);
    if (!d->open) return HC_ENOMEM;
  }
  TRY(hc_reserve(d->allocator, (void **)&d->hosts, &d->host_cap, d->host_count + 1, sizeof *d->hosts));
  d->hosts[d->host_count++] = (down_host){.start = event->at,
                                          .end = HC_NEVER,
                                          .announced = announced,
                                          .place = place,
                                          .host = event->host,
                                          .before = d->open[event->host]};
  d->open[event->host] = (uint32_t)d->host_count;
  return 0;
}

/* A second downtime before the first is over ends with it, as both hosts come back: that they have a host at
 * one time is found later. */
hc_rc hc_downtimes_hear(hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place,
                        hc_error *e)
{
  if (announced != HC_NEVER) TRY(check(d, event, announced, place, e));
  if (event->host >= d->units) return 0;
  if (announced != HC_NEVER)
    return add(d, event, announced, place) < 0 ? hc_fail(e, HC_ENOMEM, d->of, 0, 0, "out of memory") : 0;
  if (event->change != HC_HOST_UP || !d->open) return 0;
  for (uint32_t i = d->open[event->host]; i > 0; i = d->hosts[i - 1].before) d->hosts[i - 1].end = event->at;
  d->open[event->host] = 0;
  return 0;
}

static bool belong_together(const down_host *a, const down_host *b)
{
  return a->place == b->place && a->start == b->start && a->end == b->end && a->announced == b->announced;
}

hc_rc hc_downtimes_settle(hc_downtimes *d)
{
  size_t first = 0;
  TRY(hc_reserve(d->allocator, (void **)&d->ranges, &d->range_cap, d->host_count, sizeof *d->ranges));
  for (size_t i = 0; i < d->host_count; i++) {
    const down_host *x = &d->hosts[i], *was = i > 0 ? x - 1 : NULL;
    const bool goes_on = was && belong_together(was, x);
    if (!goes_on) {
      TRY(hc_reserve(d->allocator, (void **)&d->items, &d->cap, d->count + 1, sizeof *d->items));
      d->items[d->count++] =
          (hc_downtime){.start = x->start, .end = x->end, .announced = x->announced, .place = x->place};
      first = d->range_count;
    }
    hc_downtime *item = &d->items[d->count - 1];
    if (goes_on && x->host == was->host + 1) d->ranges[d->range_count - 1].count++;
    else d->ranges[d->range_count++] = (hc_range){x->host, 1};
    item->hosts = d->ranges + first;
    item->count = d->range_count - first;
  }
  for (size_t i = 0; i < d->count; i++) {
    d->items[i].of = d->of;
    d->items[i].word = d->word;
  }
  return 0;
}

bool hc_downtimes_get(const hc_downtimes *d, size_t i, hc_downtime *out)
{
  if (i >= d->count) return false;
  *out = d->items[i];
  return true;
}
