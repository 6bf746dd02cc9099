/* fluid_parts.h -- what the files of the fluid solver share: its tables, and the small steps between them.
 *
 *   fluid.c        the calls, and the life of an activity
 *   fluid_links.c  which activities are on which resource
 *   fluid_fair.c   levels: max-min fairness, worked out where something changed
 *   fluid_joint.c  the other rule, of SimGrid's parallel tasks
 *   fluid_time.c   clocks, and what ends when
 *   fluid_visit.c  saving, loading, and whether what was loaded is sound
 *
 * Within these files a resource is a *link* and an activity a *flow*: short words for what is in every line.
 *
 * A flow's *share* is factor / cost: its rate is level x share, and of a link it takes a x level with
 * a = weight x share. A flow is *lazy* (its level is what it was before the changes of this instant),
 * *undecided*, or *decided* anew; flow.stamp says which. Links on which a flow is alone, those that each may
 * use whole and those without limit bound it, and are not shared; `bound_level` is the least of these bounds
 * and of its own. A link *holds back* the flows whose bottleneck it is, its *own*, which stand first among
 * its members, and whose ends are in a heap on its clock. */
#ifndef HC_EXECUTION_FLUID_PARTS_H
#define HC_EXECUTION_FLUID_PARTS_H

#include "base/mem.h"
#include "base/util.h"
#include "execution/fluid.h"

#define NONE UINT32_MAX
#define SELF (UINT32_MAX - 1) /* a flow's bottleneck: its bound */
#define INFINITE __builtin_inf()
#define CLASSES 32

/* Levels closer than this are one; a link is overfull only beyond the second. */
#define SAME 4e-15
#define OVERFULL 1e-13

/* Eight bytes of the one pool, in blocks of 2^k cells. */
typedef union hc_fluid_cell {
  struct {
    uint32_t link, place; /* place: among the members of the link */
  } use;                  /* in the block of a flow: the first `shared` ones are those on shared links */
  double weight;          /* after the uses, one each, if they are not all 1 */
  struct {
    uint32_t flow, use; /* use: cell */
  } member;             /* in the block of a link: its own first */
  uint32_t next;        /* of a block that is vacant */
} hc_fluid_cell;

/* Sixteen bytes of the other: the ends of the flows that a link holds back, a heap. */
typedef struct hc_fluid_moment {
  double at; /* on the link's clock */
  uint32_t flow;
  uint32_t next; /* of a block that is vacant */
} hc_fluid_moment;

/* A link as the filling of levels sees it: one line of the cache. */
typedef struct hc_fluid_link {
  double room,
      room_low; /* capacity less what lazy and decided members take that are not its own; two parts */
  double asked, asked_low; /* sum of a of its own and of undecided members: what the level is divided among */
  double level;            /* of its own; infinite if it has none */
  double key;              /* in the heap of the filling: its level is not below. Infinite: not in it */
  uint32_t open;           /* undecided members */
  uint32_t asking;         /* members that count in `asked` */
  uint32_t phase;          /* 2 x the filling in which its own were last released; + 1: in which it closed */
  uint32_t touched;        /* the filling for which it is listed */
} hc_fluid_link;

/* The rest of it. */
typedef struct hc_fluid_side {
  double capacity; /* with the table: at so many members */
  uint32_t members, own;
  uint32_t wide;        /* of its own: those on other shared links too */
  uint32_t block, ends; /* where its members and its ends are: `places` of each */
  uint32_t places;
  uint32_t stirred;   /* the last filling before which one of its own became undecided */
  uint32_t is_shared; /* as fluid_links.c says */
  double least_bound; /* not above the bound of any of its own */
  /* Its clock: how far its level has come, in seconds x level. */
  double clock;
  hc_time clock_at;
  uint32_t due;     /* its place among what ends next, or NONE */
  uint32_t turns;   /* ends added since the clock was set back */
  uint32_t retimed; /* the filling in which its next end may have changed */
  uint32_t alive;   /* flows that use it, delayed and suspended ones included: there are as many places */
  uint32_t mark, mark_use;
  uint32_t is_fatpipe, table, table_count; /* table: in f->tables */
  uint32_t pad;
  double given, used;
} hc_fluid_side;

enum { VACANT, DELAYED, SUSPENDED, SHARING, ENDED };

/* A flow as the filling sees it: one line. */
typedef struct hc_fluid_flow {
  double level, bound_level, share;
  uint32_t uses, count, shared; /* cells */
  uint32_t weights;             /* what to add to the cell of a use for that of its weight; 0: all are 1 */
  uint32_t bottleneck;          /* a link, SELF, or NONE: not yet placed */
  uint32_t own_use;             /* cell of the use of the bottleneck */
  uint32_t place;               /* in the heap of ends of its link, or among what ends next */
  uint32_t stamp;
  uint32_t state;
  uint32_t pad;
} hc_fluid_flow;

/* The links of its first uses, in their order: what is in its cells once more, on half a line. */
#define WAY 8u
typedef struct hc_fluid_way {
  uint32_t links[WAY];
} hc_fluid_way;

/* The rest of it. */
typedef struct hc_fluid_record {
  double left; /* work at `since`, unless a link holds it back: then the heap of ends says it */
  hc_time since;
  double rate; /* held back by itself: its rate since then */
  double work, bound, cost, factor;
  double booked; /* of its work: in `used` of its links */
  uint64_t tag, serial, order;
  uint32_t generation;
  uint32_t vacant;     /* the next vacant slot; or of those whose delay is over now */
  uint32_t next;       /* of those made undecided between fillings, VACANT slots included */
  uint32_t is_chained; /* it is one of them */
  uint32_t is_leaving; /* it ends now, and is still a member of its links */
  uint32_t cells;      /* of its block */
} hc_fluid_record;

typedef struct hc_fluid_due {
  hc_time at;
  uint32_t id; /* a link, or IS_FLOW with the flow: delayed, or bound by itself */
  uint32_t pad;
} hc_fluid_due;
#define IS_FLOW 0x80000000u

typedef struct hc_fluid_told {
  uint64_t serial, order;
  uint32_t flow, pad;
} hc_fluid_told;

typedef struct hc_fluid_key {
  double key;
  uint32_t link, pad;
} hc_fluid_key;

/* A flow, to the other rule. */
typedef struct hc_fluid_part {
  double rate, step;
  uint32_t flow, grows;
} hc_fluid_part;

struct hc_fluid {
  const hc_allocator *allocator;
  /* These begin at a line of the cache: hc_fluid_lines_reserve. */
  hc_fluid_cell *cells;
  size_t cell_count, cell_cap;
  hc_fluid_link *links;
  size_t link_count, link_cap;
  hc_fluid_flow *flows;
  size_t flow_count, flow_cap;
  hc_fluid_way *ways; /* of flows; not saved: it follows from their cells */
  size_t way_cap;
  hc_fluid_side *sides; /* of links */
  size_t side_count, side_cap;
  hc_fluid_record *records; /* of flows */
  size_t record_count, record_cap;
  hc_fluid_moment *moments;
  size_t moment_count, moment_cap;
  double *tables;
  size_t table_count, table_cap;
  hc_fluid_due *due; /* heap */
  size_t due_count, due_cap;
  hc_fluid_told *told; /* heap of ended flows that are not told yet */
  size_t told_count, told_cap;
  uint32_t *touched; /* links to be looked at */
  size_t touched_count, touched_cap;
  uint32_t *retimed; /* links */
  size_t retimed_count, retimed_cap;
  hc_fluid_key *wave; /* heap of the filling; empty between fillings */
  size_t wave_count, wave_cap;
  uint32_t *wave_at; /* of links that are in it: where; others: 0 */
  size_t wave_at_cap;
  /* fluid_joint.c */
  hc_fluid_part *group; /* all that share */
  size_t group_count, group_cap;
  struct hc_fluid_state {
    hc_time now;
    uint64_t order;
    uint64_t active;
    uint32_t vacant[CLASSES]; /* blocks of 2^k cells */
    uint32_t vacant_ends[CLASSES];
    uint32_t vacant_flow, chain;
    uint32_t filling; /* number of the next one, or of the one under way */
    uint32_t mark;
    uint32_t rule;
    uint32_t is_changed; /* something is, since the levels were worked out: for the other rule */
  } s;
};

/* ---- sums that do not drift: the error of each addition is kept ---- */

static inline void sum_add(double *sum, double *low, double x)
{
  const double old = *sum, now = old + x, part = now - old;
  *sum = now;
  *low += (old - (now - part)) + (x - part);
}

/* ---- a heap whose items know their places ---- */

/* `before` is an expression over a and b, values of `type`; `told` a statement over f, x and at. */
#define HC_FLUID_HEAP(name, type, before, told) \
  static inline bool name##_before(type a, type b) \
  { \
    return before; \
  } \
  static inline void name##_put(hc_fluid *f, type *heap, size_t at, type x) \
  { \
    HC_UNUSED(f); \
    heap[at] = x; \
    told; \
  } \
  static inline void name##_rise(hc_fluid *f, type *heap, size_t at, type x) \
  { \
    for (; at > 0 && name##_before(x, heap[(at - 1) / 2]); at = (at - 1) / 2) \
      name##_put(f, heap, at, heap[(at - 1) / 2]); \
    name##_put(f, heap, at, x); \
  } \
  static inline void name##_sink(hc_fluid *f, type *heap, size_t n, size_t at, type x) \
  { \
    for (size_t child; (child = 2 * at + 1) < n; at = child) { \
      if (child + 1 < n && name##_before(heap[child + 1], heap[child])) child++; \
      if (!name##_before(heap[child], x)) break; \
      name##_put(f, heap, at, heap[child]); \
    } \
    name##_put(f, heap, at, x); \
  } \
  static inline void name##_settle(hc_fluid *f, type *heap, size_t n, size_t at, type x) \
  { \
    if (at > 0 && name##_before(x, heap[(at - 1) / 2])) name##_rise(f, heap, at, x); \
    else name##_sink(f, heap, n, at, x); \
  } \
  /* Takes the item at `at`; n counts it. */ \
  static inline void name##_take(hc_fluid *f, type *heap, size_t n, size_t at) \
  { \
    if (at != n - 1) name##_settle(f, heap, n - 1, at, heap[n - 1]); \
  }

/* ---- what a link and a flow are ---- */

static inline hc_fluid_cell *members_of(const hc_fluid *f, const hc_fluid_side *s)
{
  return f->cells + s->block;
}

static inline hc_fluid_moment *ends_of(const hc_fluid *f, const hc_fluid_side *s)
{
  return f->moments + s->ends;
}

static inline double weight_of(const hc_fluid *f, const hc_fluid_flow *w, uint32_t use)
{
  return w->weights > 0 ? f->cells[use + w->weights].weight : 1;
}

static inline double a_of(const hc_fluid *f, const hc_fluid_flow *w, uint32_t use)
{
  return w->weights > 0 ? f->cells[use + w->weights].weight * w->share : w->share;
}

static inline uint32_t link_of(const hc_fluid *f, const hc_fluid_flow *w, uint32_t use)
{
  return use - w->uses < WAY ? f->ways[w - f->flows].links[use - w->uses] : f->cells[use].use.link;
}

/* After its cells. */
static inline void way_set(hc_fluid *f, const hc_fluid_flow *w, uint32_t use)
{
  if (use - w->uses < WAY) f->ways[w - f->flows].links[use - w->uses] = f->cells[use].use.link;
}

static inline bool is_undecided(const hc_fluid *f, const hc_fluid_flow *w)
{
  return w->stamp == 2 * f->s.filling;
}

static inline bool is_lazy(const hc_fluid *f, const hc_fluid_flow *w)
{
  return w->stamp < 2 * f->s.filling;
}

/* The level at which it is at rest. That of a flow on one shared link is not written at each change. */
static inline double level_of(const hc_fluid *f, const hc_fluid_flow *w)
{
  return w->bottleneck < SELF ? f->links[w->bottleneck].level : w->bottleneck == SELF ? w->level : 0;
}

static inline double clock_now(const hc_fluid *f, uint32_t link)
{
  const hc_fluid_side *s = &f->sides[link];
  const hc_time since = f->s.now - s->clock_at;
  return since == 0 || s->own == 0 ? s->clock : s->clock + f->links[link].level * ((double)since * 1e-9);
}

static inline void asks_add(hc_fluid_link *l, double a)
{
  sum_add(&l->asked, &l->asked_low, a);
  l->asking++;
}

static inline void asks_drop(hc_fluid_link *l, double a)
{
  sum_add(&l->asked, &l->asked_low, -a);
  if (--l->asking == 0) l->asked = l->asked_low = 0;
}

static inline void takes(hc_fluid_link *l, double amount)
{
  sum_add(&l->room, &l->room_low, -amount);
}

/* To be looked at by the next filling, or by the one under way. */
static inline void touch(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  if (l->touched == f->s.filling) return;
  l->touched = f->s.filling;
  f->touched[f->touched_count++] = link; /* there is room for all links */
}

static inline void retime(hc_fluid *f, uint32_t link)
{
  hc_fluid_side *s = &f->sides[link];
  if (s->retimed == f->s.filling) return;
  s->retimed = f->s.filling;
  f->retimed[f->retimed_count++] = link;
}

/* fluid.c: room for all that a filling writes; an array that begins at a line of the cache, and its end */
hc_rc hc_fluid_reserve(hc_fluid *f, size_t links, size_t flows);
hc_rc hc_fluid_lines_reserve(const hc_allocator *a, void **items, size_t *cap, size_t need, size_t item);
void hc_fluid_lines_free(const hc_allocator *a, void *items, size_t cap, size_t item);

/* fluid_links.c: blocks of cells, and which flows are on which link */
hc_rc hc_fluid_block_take(hc_fluid *f, uint32_t need, uint32_t *block, uint32_t *cells);
void hc_fluid_block_give(hc_fluid *f, uint32_t block, uint32_t cells);
hc_rc hc_fluid_link_reserve(hc_fluid *f, uint32_t link,
                            uint32_t flows);                      /* places for so many, or HC_ENOMEM */
void hc_fluid_join(hc_fluid *f, uint32_t flow);                   /* begins to share; undecided */
void hc_fluid_withdraw(hc_fluid *f, uint32_t flow, bool is_done); /* it takes nothing any more */
void hc_fluid_leave(hc_fluid *f, uint32_t flow);                  /* and is on no link */
void hc_fluid_left_links(hc_fluid *f, uint32_t flow);             /* of which that is then told */
void hc_fluid_link_changed(hc_fluid *f, uint32_t link);           /* its capacity, or its number of members */

/* fluid_fair.c */
void hc_fluid_undecide(hc_fluid *f, uint32_t flow); /* between fillings */
void hc_fluid_fill(hc_fluid *f);
void hc_fluid_next_filling(hc_fluid *f);

/* fluid_joint.c */
void hc_fluid_joint_fill(hc_fluid *f);

/* fluid_time.c */
void hc_fluid_place(hc_fluid *f, uint32_t flow, uint32_t bottleneck, uint32_t use, double level);
double hc_fluid_left(const hc_fluid *f, uint32_t flow); /* work, at now */
void hc_fluid_retime(hc_fluid *f);                      /* all links that are listed for it */
void hc_fluid_due_add(hc_fluid *f, uint32_t flow, hc_time at);
void hc_fluid_due_drop(hc_fluid *f, uint32_t flow);
hc_time hc_fluid_due_first(const hc_fluid *f);
uint32_t hc_fluid_due_take(hc_fluid *f); /* the flow of the first: ended, or its delay is over */

#endif
