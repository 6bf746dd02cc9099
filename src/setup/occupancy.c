/* occupancy.c -- how much of a machine was busy, away and reserved, piece by piece of the site's calendar.
 *
 * Pieces begin at multiples of their length on the site's clock: a day on which the clocks change has 23
 * hours or 25. Means are exact integrals over a piece. What is away or reserved may be busy all the same: a
 * node that drains has its tasks, and a reservation those that it is for.
 * Cost: a step for each piece that a task, an outage or a reservation touches; 40 bytes a piece. */
#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "hindcast/setup.h"

#define MOST_PIECES 1000000

typedef struct pieces {
  const hc_allocator *allocator;
  const hc_result_facts *facts;
  hc_zone *zone;
  hc_time every;
  hc_occupancy *rows;
  double *begins; /* [count + 1] s since the origin */
  size_t count, cap, begin_cap;
} pieces;

static int32_t offset_at(const pieces *p, double second)
{
  if (p->facts->unix_start == HC_UNKNOWN) return 0;
  return p->zone ? hc_zone_offset(p->zone, p->facts->unix_start + (int64_t)second) : p->facts->zone_offset;
}

static int64_t zero(const pieces *p)
{
  return p->facts->unix_start == HC_UNKNOWN ? 0 : p->facts->unix_start;
}

/* The clock of the site, and back: by the offset of about then. */
static double on_clock(const pieces *p, double second)
{
  return second + (double)(zero(p) + offset_at(p, second));
}

static double since_origin(const pieces *p, double clock)
{
  const double about = clock - (double)(zero(p) + offset_at(p, 0));
  return clock - (double)(zero(p) + offset_at(p, about));
}

static hc_rc add(pieces *p, int64_t at, double begin)
{
  TRY(hc_reserve(p->allocator, (void **)&p->rows, &p->cap, p->count + 1, sizeof *p->rows));
  TRY(hc_reserve(p->allocator, (void **)&p->begins, &p->begin_cap, p->count + 2, sizeof *p->begins));
  p->rows[p->count] = (hc_occupancy){.at = at};
  p->begins[p->count++] = begin;
  return 0;
}

static hc_rc make(pieces *p, double from, double to, hc_error *e)
{
  const double every = (double)p->every / 1e9, clock = on_clock(p, from);
  int64_t k = (int64_t)(clock / every);
  k -= (double)k * every > clock;
  if ((to - from) / every > MOST_PIECES)
    return hc_fail(e, HC_EUSAGE, "every", 0, 0, "these are more than %d pieces of time: make them longer",
                   MOST_PIECES);
  TRY(add(p, (int64_t)clock, from));
  for (double begin = from;;) {
    k++;
    const double next = since_origin(p, (double)k * every);
    if (next >= to) break;
    if (next <= begin) continue;
    begin = next;
    TRY(add(p, (int64_t)((double)k * every), begin));
  }
  p->begins[p->count] = to;
  for (size_t i = 0; i < p->count; i++) p->rows[i].seconds = p->begins[i + 1] - p->begins[i];
  return 0;
}

static size_t piece_at(const pieces *p, double second)
{
  size_t from = 0, to = p->count;
  while (to - from > 1) {
    const size_t middle = (from + to) / 2;
    if (p->begins[middle] <= second) from = middle;
    else to = middle;
  }
  return from;
}

enum { BUSY, DOWN, RESERVED };

static void count(pieces *p, int what, double from, double to, double cores)
{
  from = HC_MAX(from, p->begins[0]);
  to = HC_MIN(to, p->begins[p->count]);
  if (!(from < to)) return;
  for (size_t i = piece_at(p, from); i < p->count && p->begins[i] < to; i++) {
    const double part = HC_MIN(to, p->begins[i + 1]) - HC_MAX(from, p->begins[i]);
    hc_occupancy *row = &p->rows[i];
    *(what == BUSY ? &row->busy : what == DOWN ? &row->down : &row->reserved) += cores * part / row->seconds;
  }
}

static void count_spans(pieces *p, int what, const hc_node_times *s)
{
  for (size_t i = 0; s && i < s->count; i++)
    count(p, what, (double)(s->items[i].from - zero(p)),
          s->items[i].to == HC_UNKNOWN ? p->begins[p->count] : (double)(s->items[i].to - zero(p)),
          (double)s->items[i].cores);
}

static bool ran(const hc_task_record *r)
{
  return (uint64_t)r->final <= HC_FINAL_KILLED && r->end > r->start;
}

static hc_rc work(pieces *p, const hc_task_record *records, size_t n, const hc_node_times *down,
                  const hc_node_times *reserved, hc_error *e)
{
  hc_time from = INT64_MAX, to = INT64_MIN;
  const double unit = (double)HC_MAX(p->facts->core_units, 1);
  for (size_t i = 0; i < n; i++) {
    if (!ran(&records[i])) continue;
    from = HC_MIN(from, records[i].start);
    to = HC_MAX(to, records[i].end);
  }
  if (from >= to) return hc_fail(e, HC_EUSAGE, "occupancy", 0, 0, "no task ran: there is nothing to count");
  if ((down || reserved) && p->facts->unix_start == HC_UNKNOWN)
    return hc_fail(
        e, HC_EUSAGE, "occupancy", 0, 0,
        "when nodes were away or reserved is said by dates, and the log has none; say when it begins "
        "with --set unix_start=SECONDS");
  TRY(make(p, (double)from / 1e9, (double)to / 1e9, e));
  for (size_t i = 0; i < n; i++)
    if (ran(&records[i]))
      count(p, BUSY, (double)records[i].start / 1e9, (double)records[i].end / 1e9,
            (double)records[i].units / unit);
  count_spans(p, DOWN, down);
  count_spans(p, RESERVED, reserved);
  return 0;
}

hc_rc hc_occupancy_of(const hc_allocator *a, const hc_result_facts *facts, const hc_task_record *records,
                      size_t n, const hc_node_times *down, const hc_node_times *reserved, hc_time every,
                      hc_occupancy **rows, size_t *row_count, size_t *row_cap, hc_error *e)
{
  pieces p = {.allocator = a, .facts = facts, .every = every};
  hc_rc rc = facts->zone[0] && hc_zone_is_known(facts->zone) ? hc_zone_open(a, facts->zone, &p.zone) : 0;
  if (rc >= 0) rc = work(&p, records, n, down, reserved, e);
  if (rc == HC_ENOMEM) (void)hc_fail(e, rc, "occupancy", 0, 0, "out of memory");
  hc_zone_free(p.zone);
  hc_free(a, p.begins, p.begin_cap * sizeof *p.begins);
  if (rc < 0) hc_occupancy_free(a, p.rows, p.cap);
  if (rc < 0) return rc;
  *rows = p.rows;
  *row_count = p.count;
  *row_cap = p.cap;
  return 0;
}

void hc_occupancy_free(const hc_allocator *a, hc_occupancy *rows, size_t row_cap)
{
  hc_free(a, rows, row_cap * sizeof *rows);
}
