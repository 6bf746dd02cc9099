/* watch.c -- what happens, told as it happens: for those who step through a run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "engine/explain.h"
#include "engine/part.h"
#include "engine/tasks.h"

#define PLACES 4 /* that are named */

/* " on h1, h2 and 3 more"; nothing of processors without names. */
static void put_places(const hc_engine *e, const hc_notice *n, char *out, size_t size)
{
  size_t at = 0;
  out[0] = '\0';
  if (e->cell_spec.granularity == HC_CELL_COUNT) return;
  for (size_t i = 0; i < n->count && i < PLACES && at + 1 < size; i++) {
    const hc_grant *g = &n->grants[i];
    const char *before = i == 0 ? " on " : ", ";
    if (e->cell.hosts)
      at += (size_t)snprintf(out + at, size - at, "%s%s", before, e->cell_spec.host_names[g->host]);
    else if (g->slots > 1)
      at += (size_t)snprintf(out + at, size - at, "%s%" PRIu32 "-%" PRIu32, before, g->host,
                             g->host + g->slots - 1);
    else at += (size_t)snprintf(out + at, size - at, "%s%" PRIu32, before, g->host);
  }
  if (n->count > PLACES && at + 1 < size)
    (void)snprintf(out + at, size - at, " and %zu more", n->count - PLACES);
}

static void put_span(hc_time from, hc_time to, char out[40])
{
  out[hc_format_duration(HC_MAX(to - from, 0), out)] = '\0';
}

static hc_rc on_host(hc_engine *e, const hc_notice *n)
{
  static const char *const words[] = {"is there", "has gone", "drains", "has other amounts"};
  char text[128];
  const uint32_t change = n->event->change;
  (void)snprintf(text, sizeof text, "host %.80s %s", e->cell_spec.host_names[n->event->host],
                 change < HC_ARRAY_LEN(words) ? words[change] : "changes");
  e->watch.each(e->watch.ctx, &(hc_happening){.time = e->now, .what = HC_HAPPENS_HOST, .text = text});
  return 0;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  hc_happening h = {.time = e->now};
  char text[256], amount[64], span[40], places[128];
  const hc_live *t;
  if (n->kind == HC_ON_HOST) return on_host(e, n);
  t = hc_live_of(e, n->task);
  h.serial = t->serial;
  h.id = e->tasks.identities[n->task].id;
  if (n->kind == HC_ON_ARRIVED) {
    h.what = HC_HAPPENS_ARRIVAL;
    (void)snprintf(text, sizeof text, "task %" PRId64 " arrives: wants %s", h.id,
                   hc_explain_amount(e, t->units, amount));
  } else if (n->kind == HC_ON_STARTED) {
    h.what = HC_HAPPENS_START;
    put_span(t->submit, e->now, span);
    put_places(e, n, places, sizeof places);
    if (e->now == t->submit)
      (void)snprintf(text, sizeof text, "task %" PRId64 " starts at once%s", h.id, places);
    else (void)snprintf(text, sizeof text, "task %" PRId64 " starts after %s%s", h.id, span, places);
  } else if (n->kind == HC_ON_OVER) {
    if (n->for_good) return 0; /* it is gone, too */
    h.what = HC_HAPPENS_STOP;
    (void)snprintf(text, sizeof text, "task %" PRId64 " is stopped, and waits again", h.id);
  } else {
    h.what = HC_HAPPENS_END;
    put_span(t->start, e->now, span);
    if (t->start == HC_UNKNOWN)
      (void)snprintf(text, sizeof text, "task %" PRId64 " leaves without a start", h.id);
    else
      (void)snprintf(text, sizeof text, "task %" PRId64 " %s after %s", h.id,
                     n->completed ? "ends" : "is ended", span);
  }
  h.text = text;
  e->watch.each(e->watch.ctx, &h);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->watch.each != NULL;
}

const hc_part hc_part_watch = {.name = "watch",
                               .wanted = wanted,
                               .hears = HC_HEARS(ARRIVED) | HC_HEARS(STARTED) | HC_HEARS(OVER) |
                                        HC_HEARS(GONE) | HC_HEARS(HOST),
                               .on = on};
