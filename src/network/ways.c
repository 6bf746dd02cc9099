/* ways.c -- ways of least latency through a graph of any size, found when they are asked for.
 *
 * Which of equally short ways is taken is the rule of Floyd and Warshall's loops, without the loops. These
 * keep, of the shortest ways between two nodes, one whose largest inner node K is least, and then the one up
 * to K likewise: so that way is taken whose *records*, its inner nodes that are larger than all before them,
 * are least when they are compared from the last and largest one on; of two of which one begins as the other,
 * the shorter. The records of a way that goes on by w are w and those records behind it that are larger: so
 * the best way by w goes on as the best one from w, records grow from node to node even where latency does
 * not, and one search backwards from where ways lead, by (latency, records), finds the next node of all.
 * Records are a chain up[w], up[up[w]] ... that all nodes before w share: comparing two costs their lengths.
 *
 * A *leaf* has one neighbour, by which all of its ways go: only between the others is anything stored, one
 * arc for each node of a *table* for each node that ways lead to. A table is made when it is first asked for;
 * they take up to so many bytes, and then the oldest one goes. Latencies are whole nanoseconds: sums are
 * exact, and equal is equal.
 *
 * Cost: a table O(arcs log nodes), 1 to 20 ms for 20,000 nodes without leaves, by how many ways are equal; 4
 * bytes for each node that is no leaf. Source: R. W. Floyd, CACM 5(6), 1962, algorithm 97; E. W. Dijkstra,
 * Numerische Mathematik 1, 1959. */
#include "network/ways.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"

/* What a node that is waited for has been offered, and the best offer of each. */
typedef struct offer {
  const struct hc_ways_search *of;
  int64_t latency;
  uint32_t node, by, arc; /* inner numbers; of the arc its place in `in` */
} offer;

typedef struct hc_ways_search {
  offer *best, *heap; /* [inner_count]; [arcs + 1] */
  uint32_t *up;       /* [inner_count] the next larger record of a way that begins by it; HC_MAP_NONE */
  uint32_t *depth;    /* [inner_count] how many records there are with it */
  bool *is_done;      /* [inner_count] */
} search;

/* ---- records ---- */

/* Are the records of a way by `a` before those by `b`? HC_MAP_NONE: none, what is reached at once. */
static bool is_less(const search *s, uint32_t a, uint32_t b)
{
  const uint32_t m = a == HC_MAP_NONE ? 0 : s->depth[a], n = b == HC_MAP_NONE ? 0 : s->depth[b];
  bool less = m < n;
  for (uint32_t i = m; i > n; i--) a = s->up[a];
  for (uint32_t i = n; i > m; i--) b = s->up[b];
  for (; a != b; a = s->up[a], b = s->up[b]) less = a < b;
  return less;
}

static bool is_offer_before(const offer *a, const offer *b)
{
  if (a->latency != b->latency) return a->latency < b->latency;
  return is_less(a->of, a->by, b->by);
}

HC_HEAP(offers, offer, is_offer_before(a, b))

/* ---- tables ---- */

static void settle(search *s, const offer *x)
{
  uint32_t up = x->by; /* of the records behind it the first that is larger */
  while (up != HC_MAP_NONE && up < x->node) up = s->up[up];
  s->up[x->node] = up;
  s->depth[x->node] = up == HC_MAP_NONE ? 1 : s->depth[up] + 1;
  s->is_done[x->node] = true;
}

static int64_t farther(int64_t a, int64_t b)
{
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Offer all nodes before `node` a way by it. @param by its inner number; HC_MAP_NONE: ways lead to it */
static void offer_to(const hc_ways *w, size_t *count, uint32_t node, uint32_t by, int64_t latency)
{
  search *s = w->search;
  for (uint32_t i = w->in.first[node]; i < w->in.first[node + 1]; i++) {
    const uint32_t from = w->inner[w->in.items[i].from];
    if (from == HC_MAP_NONE || s->is_done[from]) continue;
    const offer x = {s, farther(latency, w->in.items[i].latency), from, by, i};
    offer *best = &s->best[from];
    if (best->of && !is_offer_before(&x, best)) continue;
    *best = x;
    offers_rise(s->heap, *count, x);
    ++*count;
  }
}

static void fill(const hc_ways *w, uint32_t to, uint32_t *table)
{
  search *s = w->search;
  size_t count = 0;
  memset(s->best, 0, w->inner_count * sizeof *s->best);
  memset(s->is_done, 0, w->inner_count * sizeof *s->is_done);
  memset(table, 0xff, w->inner_count * sizeof *table);
  s->is_done[w->inner[to]] = true;
  offer_to(w, &count, to, HC_MAP_NONE, 0);
  while (count > 0) {
    const offer x = offers_pop(s->heap, &count);
    if (s->is_done[x.node]) continue;
    settle(s, &x);
    table[x.node] = x.arc;
    offer_to(w, &count, w->in.items[x.arc].from, x.node, x.latency);
  }
}

/* Room for one more: that of the oldest if they are too many. */
static uint32_t *room_for(hc_ways *w, uint32_t inner)
{
  uint32_t *table;
  if (w->kept_count < w->table_most) {
    table = hc_alloc(w->allocator, w->inner_count * sizeof *table);
    if (table) w->kept[w->kept_count++] = inner;
    return table;
  }
  const uint32_t oldest = w->kept[w->kept_next];
  table = w->tables[oldest];
  w->tables[oldest] = NULL;
  w->kept[w->kept_next] = inner;
  w->kept_next = (w->kept_next + 1) % w->table_most;
  return table;
}

static const uint32_t *table_of(hc_ways *w, uint32_t to)
{
  const uint32_t inner = w->inner[to];
  if (w->tables[inner]) return w->tables[inner];
  uint32_t *table = room_for(w, inner);
  if (!table) return NULL;
  fill(w, to, table);
  return w->tables[inner] = table;
}

/* ---- ways ---- */

typedef struct route {
  uint32_t *ids, most;
  int64_t count;
} route;

static hc_rc add(route *r, const hc_arc *x)
{
  if (r->count == r->most) return HC_ELIMIT;
  r->ids[r->count++] = x->id;
  return 0;
}

/* The only arc of a leaf; NULL: there is none in that direction. */
static const hc_arc *only(const hc_arcs *arcs, uint32_t leaf)
{
  return arcs->first[leaf] == arcs->first[leaf + 1] ? NULL : &arcs->items[arcs->first[leaf]];
}

static hc_rc go_on(hc_ways *w, uint32_t from, uint32_t to, route *r)
{
  const uint32_t *table = from == to ? NULL : table_of(w, to);
  if (from != to && !table) return HC_ENOMEM;
  while (from != to) {
    const uint32_t arc = table[w->inner[from]];
    if (arc == HC_MAP_NONE) return HC_EUNSUPPORTED;
    TRY(add(r, &w->in.items[arc]));
    from = w->in.items[arc].to;
  }
  return 0;
}

static hc_rc find(hc_ways *w, uint32_t from, uint32_t to, route *r)
{
  const hc_arc *first = w->inner[from] == HC_MAP_NONE ? only(&w->out, from) : NULL;
  const hc_arc *last = w->inner[to] == HC_MAP_NONE ? only(&w->in, to) : NULL;
  if ((w->inner[from] == HC_MAP_NONE && !first) || (w->inner[to] == HC_MAP_NONE && !last))
    return HC_EUNSUPPORTED;
  if (first) TRY(add(r, first));
  if (first) from = first->to;
  if (from == to) return 0;
  TRY(go_on(w, from, last ? last->from : to, r));
  return last ? add(r, last) : 0;
}

int64_t hc_ways_find(hc_ways *w, uint32_t from, uint32_t to, uint32_t *ids, uint32_t most)
{
  route r = {ids, most, 0};
  if (from == to) return 0;
  hc_monitor_enter(w->monitor);
  const hc_rc rc = find(w, from, to, &r);
  hc_monitor_leave(w->monitor);
  return rc < 0 ? rc : r.count;
}

/* ---- is it one piece? ---- */

/* Mark what is reached from node 0, along arcs or against them. @param line [nodes] room */
static void spread(const hc_ways *w, const hc_arcs *arcs, bool against, bool *is_reached, uint32_t *line)
{
  uint32_t count = 0;
  memset(is_reached, 0, w->nodes * sizeof *is_reached);
  is_reached[line[count++] = 0] = true;
  for (uint32_t at = 0; at < count; at++)
    for (uint32_t i = arcs->first[line[at]]; i < arcs->first[line[at] + 1]; i++) {
      const uint32_t next = against ? arcs->items[i].from : arcs->items[i].to;
      if (is_reached[next]) continue;
      is_reached[next] = true;
      line[count++] = next;
    }
}

/* Each reaches each if node 0 reaches all and all reach it. */
int hc_ways_apart(const hc_ways *w, uint32_t count, uint32_t *from, uint32_t *to)
{
  const size_t bytes = w->nodes * (sizeof(bool) + sizeof(uint32_t));
  uint32_t *line = count > 0 ? hc_alloc(w->allocator, bytes) : NULL;
  bool *is_reached = (bool *)(line + (line ? w->nodes : 0));
  int found = 0;
  if (count == 0) return 0;
  if (!line) return HC_ENOMEM;
  for (int against = 0; against < 2 && !found; against++) {
    spread(w, against ? &w->in : &w->out, against, is_reached, line);
    for (uint32_t i = 0; i < count && !found; i++) {
      if (is_reached[i]) continue;
      *from = against ? i : 0;
      *to = against ? 0 : i;
      found = 1;
    }
  }
  hc_free(w->allocator, line, bytes);
  return found;
}

/* ---- its making ---- */

typedef struct numbered {
  hc_arc arc;
  uint32_t number; /* in the order in which they were told */
} numbered;

HC_SORT(by_ends, numbered,
        a->arc.from != b->arc.from ? a->arc.from < b->arc.from
        : a->arc.to != b->arc.to   ? a->arc.to < b->arc.to
                                   : a->number < b->number)

/* In order of their ends, the last one of each two nodes alone. @return how many are left */
static hc_rc put_in_order(const hc_allocator *a, hc_arc *arcs, size_t count, uint32_t *left)
{
  numbered *all = hc_alloc(a, (count + 1) * sizeof *all);
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) all[i] = (numbered){arcs[i], (uint32_t)i};
  by_ends(all, count);
  *left = 0;
  for (size_t i = 0; i < count; i++)
    if (i + 1 == count || all[i].arc.from != all[i + 1].arc.from || all[i].arc.to != all[i + 1].arc.to)
      arcs[(*left)++] = all[i].arc;
  hc_free(a, all, (count + 1) * sizeof *all);
  return 0;
}

static hc_rc index_arcs(hc_ways *w, const hc_arc *arcs, bool by_to, hc_arcs *out)
{
  out->items = hc_alloc(w->allocator, (w->arcs + 1) * sizeof *out->items);
  out->first = hc_alloc(w->allocator, (w->nodes + (size_t)2) * sizeof *out->first);
  if (!out->items || !out->first) return HC_ENOMEM;
  memset(out->first, 0, (w->nodes + (size_t)2) * sizeof *out->first);
  for (uint32_t i = 0; i < w->arcs; i++) out->first[(by_to ? arcs[i].to : arcs[i].from) + 2]++;
  for (uint32_t i = 1; i <= w->nodes; i++) out->first[i + 1] += out->first[i];
  for (uint32_t i = 0; i < w->arcs; i++)
    out->items[out->first[(by_to ? arcs[i].to : arcs[i].from) + 1]++] = arcs[i];
  return 0;
}

/* Its only neighbour; HC_MAP_NONE: it has none, or several. */
static uint32_t neighbour(const hc_ways *w, uint32_t node)
{
  uint32_t is = HC_MAP_NONE;
  for (uint32_t i = w->out.first[node]; i < w->out.first[node + 1]; i++) {
    if (is != HC_MAP_NONE && is != w->out.items[i].to) return HC_MAP_NONE;
    is = w->out.items[i].to;
  }
  for (uint32_t i = w->in.first[node]; i < w->in.first[node + 1]; i++) {
    if (is != HC_MAP_NONE && is != w->in.items[i].from) return HC_MAP_NONE;
    is = w->in.items[i].from;
  }
  return is;
}

static void find_leaves(hc_ways *w)
{
  for (uint32_t i = 0; i < w->nodes; i++) {
    const uint32_t by = neighbour(w, i);
    const bool is_leaf = by != HC_MAP_NONE && neighbour(w, by) == HC_MAP_NONE;
    w->inner[i] = is_leaf ? HC_MAP_NONE : w->inner_count++;
  }
}

static hc_rc make_search(hc_ways *w)
{
  const hc_allocator *a = w->allocator;
  search *s = hc_alloc(a, sizeof *s);
  if (!s) return HC_ENOMEM;
  *s = (search){.best = hc_alloc(a, (w->inner_count + (size_t)1) * sizeof *s->best),
                .heap = hc_alloc(a, (w->arcs + (size_t)1) * sizeof *s->heap),
                .up = hc_alloc(a, (w->inner_count + (size_t)1) * sizeof *s->up),
                .depth = hc_alloc(a, (w->inner_count + (size_t)1) * sizeof *s->depth),
                .is_done = hc_alloc(a, (w->inner_count + (size_t)1) * sizeof *s->is_done)};
  w->search = s;
  return s->best && s->heap && s->up && s->depth && s->is_done ? 0 : HC_ENOMEM;
}

static hc_rc make(hc_ways *w, hc_arc *arcs, size_t count, size_t table_bytes)
{
  const hc_allocator *a = w->allocator;
  TRY(put_in_order(a, arcs, count, &w->arcs));
  TRY(index_arcs(w, arcs, false, &w->out));
  TRY(index_arcs(w, arcs, true, &w->in));
  w->inner = hc_alloc(a, (w->nodes + (size_t)1) * sizeof *w->inner);
  if (!w->inner) return HC_ENOMEM;
  find_leaves(w);
  w->table_most = HC_MAX(table_bytes / ((w->inner_count + (size_t)1) * sizeof **w->tables), (size_t)1);
  w->table_most = HC_MIN(w->table_most, (size_t)w->inner_count + 1);
  w->tables = hc_alloc(a, (w->inner_count + (size_t)1) * sizeof(uint32_t *));
  w->kept = hc_alloc(a, w->table_most * sizeof *w->kept);
  if (!w->tables || !w->kept) return HC_ENOMEM;
  memset(w->tables, 0, (w->inner_count + (size_t)1) * sizeof(uint32_t *));
  TRY(make_search(w));
  return hc_monitor_new(a, &w->monitor);
}

hc_rc hc_ways_new(const hc_allocator *a, uint32_t nodes, hc_arc *arcs, size_t count, size_t table_bytes,
                  hc_ways **out)
{
  hc_ways *w = hc_alloc(a, sizeof *w);
  if (!w) return HC_ENOMEM;
  *w = (hc_ways){.allocator = a, .nodes = nodes};
  const hc_rc rc = make(w, arcs, count, table_bytes);
  if (rc < 0) hc_ways_free(w);
  else *out = w;
  return rc;
}

static void free_search(const hc_ways *w)
{
  search *s = w->search;
  if (!s) return;
  hc_free(w->allocator, s->best, (w->inner_count + (size_t)1) * sizeof *s->best);
  hc_free(w->allocator, s->heap, (w->arcs + (size_t)1) * sizeof *s->heap);
  hc_free(w->allocator, s->up, (w->inner_count + (size_t)1) * sizeof *s->up);
  hc_free(w->allocator, s->depth, (w->inner_count + (size_t)1) * sizeof *s->depth);
  hc_free(w->allocator, s->is_done, (w->inner_count + (size_t)1) * sizeof *s->is_done);
  hc_free(w->allocator, s, sizeof *s);
}

void hc_ways_free(hc_ways *w)
{
  if (!w) return;
  const hc_allocator *a = w->allocator;
  for (uint32_t i = 0; w->tables && i < w->inner_count; i++)
    if (w->tables[i]) hc_free(a, w->tables[i], w->inner_count * sizeof **w->tables);
  hc_free(a, w->tables, (w->inner_count + (size_t)1) * sizeof(uint32_t *));
  hc_free(a, w->kept, w->table_most * sizeof *w->kept);
  free_search(w);
  for (int i = 0; i < 2; i++) {
    hc_arcs *arcs = i == 0 ? &w->out : &w->in;
    hc_free(a, arcs->items, (w->arcs + 1) * sizeof *arcs->items);
    hc_free(a, arcs->first, (w->nodes + (size_t)2) * sizeof *arcs->first);
  }
  hc_free(a, w->inner, (w->nodes + (size_t)1) * sizeof *w->inner);
  hc_monitor_free(w->monitor);
  hc_free(a, w, sizeof *w);
}
