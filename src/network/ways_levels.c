/* ways_levels.c -- groups of hosts that are near each other in a graph, level by level. See ways.h.
 *
 * All distances are found by looking around a node no farther than matters: as far as the nearest two hosts
 * known so far are apart, or as far as a group reaches. So the many groups of low levels cost little each,
 * and the few of high ones a look at the graph each; no table of pairs is made. Latencies are whole
 * nanoseconds, connections are counted; both are exact. Where ways there and back differ, hosts are as far
 * apart as the
 * longer one, and a further node lies where that host does to which its way is shortest.
 *
 * Cost: a look around costs O(arcs log arcs) of what lies within. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "network/ways.h"

enum { THERE, BACK, DIRECTIONS };

typedef struct spot {
  int64_t at;
  uint32_t node, source;
} spot;

HC_HEAP(spots, spot, a->at != b->at ? a->at < b->at : a->source < b->source)

typedef struct view {
  const hc_ways *w;
  uint32_t hosts;
  bool by_hops;
  int64_t *at[DIRECTIONS];    /* [nodes] how far away; FAR beyond what was looked at */
  uint32_t *seen[DIRECTIONS]; /* [seen_count] what is not FAR */
  uint32_t seen_count[DIRECTIONS];
  uint32_t *source; /* [nodes] from which of the nodes that it was looked from, of the last look */
  spot *heap;       /* [arcs + nodes] */
  size_t waiting;
  /* of the level at hand, by host or by group below */
  uint32_t *stands, *joins,
      *place;       /* [hosts] who stands for it; which it joins; [hosts] its number by host */
  int64_t *nearest; /* [hosts] how far what it joins is */
} view;

#define FAR INT64_MAX

static void offer(view *v, int direction, uint32_t node, int64_t at, uint32_t source)
{
  if (v->at[direction][node] < at || (v->at[direction][node] == at && v->source[node] <= source)) return;
  if (v->at[direction][node] == FAR) v->seen[direction][v->seen_count[direction]++] = node;
  v->at[direction][node] = at;
  v->source[node] = source;
  spots_rise(v->heap, v->waiting, (spot){at, node, source});
  v->waiting++;
}

static void forget(view *v, int direction)
{
  for (uint32_t i = 0; i < v->seen_count[direction]; i++) v->at[direction][v->seen[direction][i]] = FAR;
  v->seen_count[direction] = 0;
  v->waiting = 0;
}

/* Carry on from what has been offered, no farther than `most`. */
static void look(view *v, int direction, int64_t most)
{
  const hc_arcs *arcs = direction == THERE ? &v->w->out : &v->w->in;
  while (v->waiting > 0) {
    const spot x = spots_pop(v->heap, &v->waiting);
    if (x.at != v->at[direction][x.node] || x.source != v->source[x.node]) continue;
    for (uint32_t i = arcs->first[x.node]; i < arcs->first[x.node + 1]; i++) {
      const hc_arc *arc = &arcs->items[i];
      int64_t at;
      if (__builtin_add_overflow(x.at, v->by_hops ? 1 : arc->latency, &at) || at > most) continue;
      offer(v, direction, direction == THERE ? arc->to : arc->from, at, x.source);
    }
  }
}

/* Both ways of one node, whose distances are then in `at`. */
static void look_around(view *v, uint32_t node, int64_t most)
{
  for (int i = 0; i < DIRECTIONS; i++) {
    forget(v, i);
    offer(v, i, node, 0, 0);
    look(v, i, most);
  }
}

static int64_t distance(const view *v, uint32_t node)
{
  return HC_MAX(v->at[THERE][node], v->at[BACK][node]);
}

/* The distance of the two nearest hosts that are not in one place; 0: all are. */
static int64_t least_apart(view *v)
{
  int64_t least = FAR;
  for (uint32_t h = 0; h < v->hosts; h++) {
    look_around(v, h, least == FAR ? FAR - 1 : least - 1);
    for (uint32_t i = 0; i < v->seen_count[THERE]; i++) {
      const uint32_t node = v->seen[THERE][i];
      const int64_t d = distance(v, node);
      if (node < v->hosts && d > 0) least = HC_MIN(least, d);
    }
  }
  return least == FAR ? 0 : least;
}

/* Group `g` is made by number `i` of those that stand for one: those behind it that it is near to join it. */
static void attract(view *v, uint32_t i, uint32_t n, uint32_t g, int64_t radius)
{
  look_around(v, v->stands[i], radius);
  for (uint32_t k = 0; k < v->seen_count[THERE]; k++) {
    const uint32_t host = v->seen[THERE][k], other = host < v->hosts ? v->place[host] : HC_MAP_NONE;
    const int64_t d = distance(v, host);
    if (other == HC_MAP_NONE || other <= i || other >= n || d > radius) continue;
    if (v->joins[other] != HC_MAP_NONE && d >= v->nearest[other]) continue;
    v->nearest[other] = d;
    v->joins[other] = g;
  }
}

/* Of `n` hosts, which stand for the groups so far, those that stand for the next ones, in place. @return how
 * many */
static uint32_t gather(view *v, uint32_t n, int64_t radius)
{
  uint32_t groups = 0;
  memset(v->place, 0xff, v->hosts * sizeof *v->place);
  memset(v->joins, 0xff, v->hosts * sizeof *v->joins);
  for (uint32_t i = 0; i < n; i++) v->place[v->stands[i]] = i;
  for (uint32_t i = 0; i < n; i++) {
    if (v->joins[i] != HC_MAP_NONE) continue;
    v->joins[i] = groups;
    attract(v, i, n, groups, radius);
    v->stands[groups++] = v->stands[i];
  }
  return groups;
}

/* Where each node lies: at itself, or at the host that is nearest. @param out [nodes] */
static void place_nodes(view *v, uint32_t *out)
{
  forget(v, BACK);
  memset(v->source, 0xff, v->w->nodes * sizeof *v->source);
  for (uint32_t h = 0; h < v->hosts; h++) offer(v, BACK, h, 0, h);
  look(v, BACK, FAR - 1);
  for (uint32_t i = 0; i < v->w->nodes; i++)
    out[i] = i < v->hosts ? i : v->at[BACK][i] == FAR ? 0 : v->source[i];
}

static hc_rc make_levels(view *v, hc_arena *a, uint32_t most, uint32_t **group_of, uint32_t *levels)
{
  uint32_t *lies = hc_arena_room(a, (v->w->nodes + (size_t)1) * sizeof *lies), n = v->hosts;
  if (!lies) return HC_ENOMEM;
  place_nodes(v, lies);
  for (uint32_t i = 0; i < v->hosts; i++) v->stands[i] = i;
  for (int64_t radius = least_apart(v); (*levels == 0 || n > 1) && radius <= FAR / 2; radius *= 2) {
    const uint32_t groups = gather(v, n, radius), *below = *levels > 0 ? group_of[*levels - 1] : lies;
    if (groups == n && n > 1 && radius > 0) continue;
    if (*levels == most || (groups == n && n > 1)) return 0; /* ways of more than 292 years */
    uint32_t *of = hc_arena_room(a, (v->w->nodes + (size_t)1) * sizeof *of);
    if (!of) return HC_ENOMEM;
    for (uint32_t i = 0; i < v->w->nodes; i++) of[i] = v->joins[below[i]];
    group_of[(*levels)++] = of;
    n = groups;
  }
  return 0;
}

static hc_rc make_view(view *v, hc_arena *scratch)
{
  const size_t nodes = v->w->nodes + (size_t)1, hosts = v->hosts + (size_t)1;
  for (int i = 0; i < DIRECTIONS; i++) {
    v->at[i] = hc_arena_room(scratch, nodes * sizeof *v->at[i]);
    v->seen[i] = hc_arena_room(scratch, nodes * sizeof *v->seen[i]);
    if (!v->at[i] || !v->seen[i]) return HC_ENOMEM;
    for (size_t k = 0; k < nodes; k++) v->at[i][k] = FAR;
  }
  v->source = hc_arena_alloc(scratch, nodes * sizeof *v->source);
  v->heap = hc_arena_room(scratch, (v->w->arcs + nodes) * sizeof *v->heap);
  v->stands = hc_arena_room(scratch, hosts * sizeof *v->stands);
  v->joins = hc_arena_room(scratch, hosts * sizeof *v->joins);
  v->place = hc_arena_room(scratch, hosts * sizeof *v->place);
  v->nearest = hc_arena_room(scratch, hosts * sizeof *v->nearest);
  return v->source && v->heap && v->stands && v->joins && v->place && v->nearest ? 0 : HC_ENOMEM;
}

hc_rc hc_ways_levels(const hc_ways *w, hc_arena *a, uint32_t hosts, bool by_hops, uint32_t most,
                     uint32_t **group_of, uint32_t *levels)
{
  hc_arena scratch;
  view v = {.w = w, .hosts = hosts, .by_hops = by_hops};
  *levels = 0;
  if (hosts == 0) return 0;
  hc_arena_init(&scratch, w->allocator);
  hc_rc rc = make_view(&v, &scratch);
  if (rc == 0) rc = make_levels(&v, a, most, group_of, levels);
  hc_arena_fini(&scratch);
  return rc;
}
