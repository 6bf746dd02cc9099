/* refusals.c -- on a cell of hosts, how many refuse the task that was asked about, and why it got the host
 * it got.
 *
 * Each host is counted once, by the first filter that refuses it: those of the cell (hosts_refusals.c), of
 * which the gate is told apart here; then hosts that the scheduler may not use, and hosts that are promised
 * to others. So the numbers sum to the hosts. Where hosts are offered one by one it is the whole cell that
 * is counted. The score of a host is that of the placement at the choice that the start came of; a start on
 * hosts that the policy named, or that were promised, has none. */
#include "engine/refusals.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/demand.h"
#include "engine/explain.h"
#include "engine/load.h"
#include "engine/queues.h"
#include "reserve/reserve.h"

enum { PROMISED = HC_REFUSED_GATE + 1, RESERVED, LOADED, ELSEWHERE, KINDS };

typedef struct counting {
  hc_engine *e;
  hc_task task;
  hc_request request;
  const hc_range *scope; /* [scope_count] hosts that its scheduler always has; 0: all */
  size_t scope_count;
  uint64_t fit, of[KINDS], small[HC_DIMENSIONS], full[HC_DIMENSIONS];
  int64_t most[HC_DIMENSIONS]; /* free on one of those that are full */
} counting;

static bool is_in(const hc_range *ranges, size_t n, uint32_t host)
{
  for (size_t i = 0; i < n; i++)
    if (host >= ranges[i].first && host - ranges[i].first < ranges[i].count) return true;
  return n == 0;
}

static void count_one(void *ctx, uint32_t host, hc_refusal why, uint32_t d)
{
  counting *c = ctx;
  uint32_t kind = why;
  if (!is_in(c->scope, c->scope_count, host)) kind = ELSEWHERE;
  else if (why == HC_REFUSED_GATE && !hc_advance_admits(c->e, host)) kind = RESERVED;
  else if (why == HC_REFUSED_GATE && hc_load_takes(c->e, host, c->request.need)) kind = LOADED;
  else if (why == HC_REFUSED_NOT && !hc_reserve_leaves(c->e->reserve, c->task, host)) kind = PROMISED;
  if (kind == HC_REFUSED_SMALL) c->small[d]++;
  else if (kind == HC_REFUSED_FULL) {
    c->full[d]++;
    c->most[d] = HC_MAX(c->most[d], hc_hosts_free_of(c->e->cell.hosts, host)[d]);
  } else if (kind == HC_REFUSED_NOT) c->fit++;
  else c->of[kind]++;
}

typedef struct list {
  char text[400];
  size_t n, items;
} list;

static void add(list *l, uint64_t count, const char *what, const char *name)
{
  if (count == 0) return;
  l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%s%llu %s%s", l->items++ > 0 ? ", " : "",
                           (unsigned long long)count, what, name);
  l->n = HC_MIN(l->n, sizeof l->text - 1);
}

/* "cpu (at most 4)" */
static const char *name_and_most(const counting *c, uint32_t d, char out[128])
{
  const uint32_t dimension = c->e->gauge.which[d];
  char text[32];
  if (dimension == HC_DIM_MEMORY || dimension == HC_DIM_DISK) (void)hc_format_size(c->most[d], text);
  else if (dimension > HC_DIM_GPU) (void)snprintf(text, sizeof text, "%lld", (long long)c->most[d]);
  else (void)hc_format_real((double)c->most[d] / 1000, text);
  (void)snprintf(out, 128, "%.80s (at most %s)", hc_lexicon_dimension_name(c->e->lexicon, dimension), text);
  return out;
}

void hc_explain_hosts(hc_engine *e, hc_task t)
{
  static const char *const what[KINDS] = {[HC_REFUSED_AWAY] = "away",
                                          [HC_REFUSED_SET] = "outside its partition",
                                          [HC_REFUSED_NAME] = "that it does not name",
                                          [HC_REFUSED_CONSTRAINT] = "without the attributes it asks for",
                                          [HC_REFUSED_ZONE] = "in no zone",
                                          [HC_REFUSED_BUSY] = "in use, and it wants them whole",
                                          [HC_REFUSED_DEVICES] = "with too little left on any one GPU",
                                          [HC_REFUSED_RIVALS] = "with as many of its rivals as it allows",
                                          [HC_REFUSED_GATE] = "not eligible",
                                          [PROMISED] = "promised to others before it would end",
                                          [RESERVED] = "reserved or announced to be away before it would end",
                                          [LOADED] = "under too much local load",
                                          [ELSEWHERE] = "of other schedulers"};
  counting c = {.e = e, .task = t, .request = hc_request_of(e, t)};
  list l = {.n = 0};
  char name[128];
  if (e->architecture_type->keeps_hosts) {
    c.scope = e->view.scope;
    c.scope_count = e->view.scope_count;
  }
  hc_rc rc = hc_reserve_narrow(e->reserve, t, HC_UNKNOWN);
  if (rc >= 0) {
    hc_advance_ask(e, t, e->now, HC_UNKNOWN);
    rc = hc_hosts_refusals(e->cell.hosts, &c.request, count_one, &c);
    hc_advance_ask(e, HC_NO_TASK, 0, 0);
    hc_reserve_widen(e->reserve);
  }
  hc_engine_note(e, rc);
  if (rc < 0) return;
  for (uint32_t k = HC_REFUSED_AWAY; k < HC_REFUSED_SMALL; k++) add(&l, c.of[k], what[k], "");
  for (uint32_t d = 0; d < e->gauge.dimensions; d++)
    add(&l, c.small[d], "with too little ", hc_lexicon_dimension_name(e->lexicon, e->gauge.which[d]));
  for (uint32_t d = 0; d < e->gauge.dimensions; d++)
    if (c.full[d] > 0) add(&l, c.full[d], "with too little free ", name_and_most(&c, d, name));
  for (uint32_t k = HC_REFUSED_BUSY; k < KINDS; k++) add(&l, c.of[k], what[k], "");
  hc_explain_text(e, t, "of %u host%s: %s%s%llu with room for %s", e->cell_spec.units,
                  e->cell_spec.units == 1 ? "" : "s", l.text, l.items > 0 ? ", " : "",
                  (unsigned long long)c.fit, c.request.slots > 1 ? "one of its slots" : "it");
}

/* ---- the host that it got ---- */

static const hc_place_type *place_of(const hc_engine *e, hc_task t)
{
  const hc_place_type *own = e->queues[e->tasks.live[t].queue].place;
  return own ? own : e->place;
}

void hc_explain_choice(hc_engine *e, hc_task t, const hc_grant *grants, size_t count)
{
  const hc_view *v = &e->view;
  hc_request r;
  if (t != hc_explain_asked(e)) return;
  e->noted.ranked.host = HC_NO_HOST;
  if (count != 1 || grants[0].slots != 1) return;
  r = hc_request_of(e, t);
  hc_advance_ask(e, t, e->now, HC_UNKNOWN);
  hc_engine_note(e, hc_hosts_rank(e->cell.hosts, &r, &e->chooser, v->open ? v->scope : NULL,
                                  v->open ? v->scope_count : 0, grants[0].host, &e->noted.ranked.rank));
  hc_advance_ask(e, HC_NO_TASK, 0, 0);
  e->noted.ranked.host = grants[0].host;
}

/* ": best_fit gives it 0.25, and the next, h3, 0.5; 13 hosts had room" */
static void choice_words(const hc_engine *e, hc_task t, char *out, size_t size)
{
  const hc_hosts_ranked *r = &e->noted.ranked.rank;
  const hc_place_type *place = place_of(e, t);
  const char *name = place ? place->component.name : "first_fit";
  char own[40], others[40];
  if (r->fitting <= 1) {
    (void)snprintf(out, size, ", the only one with room");
    return;
  }
  if (!r->has_score || r->next == HC_NO_HOST) {
    (void)snprintf(out, size, ", by %s of %u with room", name, r->fitting);
    return;
  }
  (void)snprintf(own, sizeof own, "%.6g", r->score);
  (void)snprintf(others, sizeof others, "%.6g", r->next_score);
  (void)snprintf(out, size, ": %s gives it %s, and %s to the next best, %.60s, of %u with room", name, own,
                 others, e->cell_spec.host_names[r->next], r->fitting);
}

void hc_explain_start(hc_engine *e, hc_task t, const hc_grant *grants, size_t count)
{
  const hc_wait_queue *q = &e->queues[e->tasks.live[t].queue];
  const bool is_named = q->scheduler && q->scheduler[0];
  char by[100] = "", where[160] = "", why[320] = "";
  if (is_named) (void)snprintf(by, sizeof by, ", by the scheduler %.80s", q->scheduler);
  if (e->cell.hosts && count > 0) {
    const char *first = e->cell_spec.host_names[grants[0].host];
    if (count == 1) (void)snprintf(where, sizeof where, " on host %.60s", first);
    else (void)snprintf(where, sizeof where, " on %zu hosts, the first of them %.60s", count, first);
    if (count == 1 && e->noted.ranked.host == grants[0].host) choice_words(e, t, why, sizeof why);
  }
  hc_explain_text(e, t, "starts%s%s%s", where, by, why);
}
