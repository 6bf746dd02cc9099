/* downtimes.c -- see downtimes.h. Cost: O(1) an event, memory in proportion to hosts and to what is
 * announced. */
#include "cluster/downtimes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define MOST_HOSTS ((size_t)1 << 24)
#define NO_ROW UINT32_MAX

typedef struct hc_down_host {
  hc_time start, end, announced;
  uint64_t place;
  uint32_t host;
  uint32_t what;   /* hc_announced */
  uint32_t before; /* of this host and not over yet, plus 1; 0: none */
  uint32_t row;    /* amounts of a resize; NO_ROW */
} down_host;

/* What this source says of a host so far. */
typedef struct hc_down_since {
  hc_time at;         /* it has been away, or has drained, since then; HC_NEVER: it is up */
  uint64_t announced; /* by this change or line, which was announced; 0: it was not */
  uint32_t open;      /* the last entry in `hosts` of this host that is not over, plus 1; 0: none */
  uint32_t unused;
} down_since;

void hc_downtimes_init(hc_downtimes *d, const hc_allocator *a, const hc_cell_spec *cell, const char *of,
                       const char *word)
{
  *d = (hc_downtimes){.allocator = a, .units = cell->units, .absent = cell->absent, .of = of, .word = word};
}

void hc_downtimes_fini(hc_downtimes *d)
{
  hc_free(d->allocator, d->hosts, d->host_cap * sizeof *d->hosts);
  if (d->since) hc_free(d->allocator, d->since, d->units * sizeof *d->since);
  hc_free(d->allocator, d->rows, d->row_cap * HC_DIMENSIONS * sizeof *d->rows);
  hc_free(d->allocator, d->items, d->cap * sizeof *d->items);
  hc_free(d->allocator, d->ranges, d->range_cap * sizeof *d->ranges);
}

/* ---- what cannot be announced ---- */

static hc_rc refuse_return(const char *where, const hc_downtimes *d, const hc_host_event *event, hc_error *e)
{
  const down_since *s = &d->since[event->host];
  if (s->at == HC_NEVER)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "host %u is not away by then, as far as these events say, so that nothing is announced: "
                   "leave out `announced`",
                   event->host);
  if (s->announced > 0)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "that host %u goes was announced by %s %" PRIu64
                   ", and with that when it returns: leave out "
                   "`announced` here",
                   event->host, d->word, s->announced);
  return 0;
}

static hc_rc check(const hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place,
                   hc_error *e)
{
  char where[300];
  (void)snprintf(where, sizeof where, "%.200s, %s %" PRIu64, d->of, d->word, place);
  if (announced > event->at)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "it is announced after it has begun: `announced` must not be later than `at`");
  if (d->host_count >= MOST_HOSTS)
    return hc_fail(e, HC_ELIMIT, where, 0, 0, "more than %zu hosts change as announced", MOST_HOSTS);
  return event->change == HC_HOST_UP && event->host < d->units ? refuse_return(where, d, event, e) : 0;
}

/* ---- what is known of a host ---- */

/* A host that is absent at first has been away from the beginning. */
static hc_rc need_since(hc_downtimes *d)
{
  if (d->since) return 0;
  d->since = hc_alloc(d->allocator, d->units * sizeof *d->since);
  if (!d->since) return HC_ENOMEM;
  for (uint32_t i = 0; i < d->units; i++)
    d->since[i] = (down_since){.at = d->absent && d->absent[i] ? 0 : HC_NEVER};
  return 0;
}

static hc_rc keep_amounts(hc_downtimes *d, const hc_host_event *event, uint64_t place, uint32_t *row)
{
  const down_host *last = d->host_count > 0 ? &d->hosts[d->host_count - 1] : NULL;
  const bool is_same = last && last->row != NO_ROW && last->place == place && last->start == event->at;
  *row = NO_ROW;
  if (event->change != HC_HOST_RESIZE) return 0;
  if (!is_same) {
    TRY(hc_reserve(d->allocator, (void **)&d->rows, &d->row_cap, d->row_count + 1,
                   HC_DIMENSIONS * sizeof *d->rows));
    memcpy(d->rows + d->row_count++ * HC_DIMENSIONS, event->capacity, sizeof event->capacity);
  }
  *row = (uint32_t)d->row_count - 1;
  return 0;
}

static uint32_t what_of(hc_host_change change)
{
  switch (change) {
    case HC_HOST_UP: return HC_ANNOUNCED_UP;
    case HC_HOST_DOWN: return HC_ANNOUNCED_DOWN;
    case HC_HOST_DRAIN: return HC_ANNOUNCED_DRAIN;
    case HC_HOST_RESIZE: return HC_ANNOUNCED_RESIZE;
    case HC_HOST_EVICT:
    case HC_HOST_FAIL: break; /* they are never announced */
  }
  return HC_ANNOUNCED_DOWN;
}

/* What stays is open until the host is up; a drain is over where the host goes down as announced. */
static hc_rc add(hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place)
{
  down_since *s = &d->since[event->host];
  const uint32_t what = what_of((hc_host_change)event->change);
  const bool stays = what == HC_ANNOUNCED_DOWN || what == HC_ANNOUNCED_DRAIN;
  down_host x = {.start = what == HC_ANNOUNCED_UP ? s->at : event->at,
                 .end = stays ? HC_NEVER : event->at,
                 .announced = announced,
                 .place = place,
                 .host = event->host,
                 .what = what};
  TRY(keep_amounts(d, event, place, &x.row));
  TRY(hc_reserve(d->allocator, (void **)&d->hosts, &d->host_cap, d->host_count + 1, sizeof *d->hosts));
  if (stays) {
    down_host *open = s->open > 0 ? &d->hosts[s->open - 1] : NULL;
    if (open && open->what == HC_ANNOUNCED_DRAIN && what == HC_ANNOUNCED_DOWN) {
      open->end = event->at;
      s->open = open->before;
    }
    x.before = s->open;
    s->open = (uint32_t)d->host_count + 1;
  }
  d->hosts[d->host_count++] = x;
  return 0;
}

/* A second downtime before the first is over ends with it, as both hosts come back: that they have a host at
 * one time is found later. */
static void note(hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place)
{
  down_since *s = &d->since[event->host];
  if (event->change == HC_HOST_DOWN || event->change == HC_HOST_DRAIN) {
    s->at = HC_MIN(s->at, event->at);
    if (announced != HC_NEVER) s->announced = place;
    return;
  }
  if (event->change != HC_HOST_UP) return;
  for (uint32_t i = s->open; i > 0; i = d->hosts[i - 1].before) d->hosts[i - 1].end = event->at;
  *s = (down_since){.at = HC_NEVER};
}

hc_rc hc_downtimes_hear(hc_downtimes *d, const hc_host_event *event, hc_time announced, uint64_t place,
                        hc_error *e)
{
  hc_rc rc = need_since(d);
  if (rc >= 0 && announced != HC_NEVER) TRY(check(d, event, announced, place, e));
  if (rc >= 0 && event->host >= d->units) return 0;
  if (rc >= 0 && announced != HC_NEVER) rc = add(d, event, announced, place);
  if (rc < 0) return hc_fail(e, HC_ENOMEM, d->of, 0, 0, "out of memory");
  note(d, event, announced, place);
  return 0;
}

/* ---- all of it ---- */

static bool belong_together(const down_host *a, const down_host *b)
{
  return a->place == b->place && a->start == b->start && a->end == b->end && a->announced == b->announced &&
         a->what == b->what;
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
      d->items[d->count++] = (hc_downtime){
          .start = x->start, .end = x->end, .announced = x->announced, .place = x->place, .what = x->what};
      first = d->range_count;
    }
    hc_downtime *item = &d->items[d->count - 1];
    if (goes_on && x->host == was->host + 1) d->ranges[d->range_count - 1].count++;
    else d->ranges[d->range_count++] = (hc_range){x->host, 1};
    item->hosts = d->ranges + first;
    item->count = d->range_count - first;
    if (x->row != NO_ROW) item->capacity = d->rows + (size_t)x->row * HC_DIMENSIONS;
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
