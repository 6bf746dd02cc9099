/* hosts_parts.h -- what the files of the hosts cell share; no other file includes it.
 *
 * A host has a *row*: what is free on it in each dimension of the cell, then, if hosts have devices, two columns
 * that are derived from them: the fullest part of one device that is free, and the devices that are free. A
 * slot fits on a host if its own row nowhere exceeds the host's. A host that takes nothing (away, draining, taken
 * whole) has HC_HOSTS_AWAY taken off its row, so that no comparison need ask.
 *
 *   free = capacity - claimed     on each host and in each dimension; capacity is 0 while a host is away */
#ifndef HC_CLUSTER_HOSTS_PARTS_H
#define HC_CLUSTER_HOSTS_PARTS_H

#include "base/math.h"
#include "base/mem.h"
#include "base/util.h"
#include "cluster/hosts.h"

enum {
  HC_HOSTS_FAN = 16,
  HC_HOSTS_GPUS = 16, /* a host can be resized to so many, or to as many as any host has from the start */
  HC_HOSTS_FEW = 64,  /* so many hosts are the bits of a word */
  HC_HOSTS_COLUMNS = HC_DIMENSIONS + 2,
  HC_HOSTS_PAIRS = 6,
  HC_HOSTS_WORDS = (HC_HOSTS_COLUMNS + HC_HOSTS_PAIRS + 3) / 4,
  HC_HOSTS_LEVELS = 9, /* 16^8 = 2^32 */
  HC_HOSTS_MEMO = 8,
  HC_HOSTS_FACTS = 64,  /* sets of hosts remembered */
  HC_HOSTS_NEVERS = 512 /* shapes of which it is remembered whether they ever fit; a power of two */
};
#define HC_HOSTS_MOST (INT64_C(1) << 60)   /* of one dimension on one host */
#define HC_HOSTS_AWAY (INT64_C(1) << 61)   /* below what any host may owe */
#define HC_HOSTS_TOTAL (INT64_C(1) << 62)  /* of one dimension in the cell */
#define HC_HOSTS_SLOTS (UINT32_C(1) << 24) /* more slots than that no task gets */

enum {
  HC_HOSTS_UP = 1,
  HC_HOSTS_DRAIN = 2,
  HC_HOSTS_WHOLE = 4
}; /* flags of a host; it takes more if just UP */

/* ---- sets of hosts: a bit for each, and a bit for each word that is not 0, and so on ---- */

typedef struct hc_hosts_bits {
  uint64_t *words[6];
  size_t sizes[6]; /* words */
  uint32_t levels;
} hc_hosts_bits;

hc_rc hc_hosts_bits_init(hc_hosts_bits *b, const hc_allocator *a, uint32_t n);
void hc_hosts_bits_fini(hc_hosts_bits *b, const hc_allocator *a);
void hc_hosts_bits_set(hc_hosts_bits *b, uint32_t i);
void hc_hosts_bits_clear(hc_hosts_bits *b, uint32_t i);
/* The lowest that is set at or after `from`; HC_NO_HOST. */
uint32_t hc_hosts_bits_next(const hc_hosts_bits *b, uint32_t from);
static inline bool hc_hosts_bits_has(const hc_hosts_bits *b, uint32_t i)
{
  return b->words[0][i >> 6] >> (i & 63) & 1;
}

/* ---- what a slot asks for ---- */

typedef struct hc_hosts_want {
  int64_t row[HC_HOSTS_COLUMNS]; /* by column; shared dimensions 0 */
  int64_t gpu;                   /* of a host with devices, thousandths; 0: none */
  uint32_t padding, columns;
} hc_hosts_want;

/* ---- rare facts, resolved ---- */


/* The hosts that constraints, names and a set leave, kept for all tasks that say the same. */
typedef struct hc_hosts_allowed {
  uint64_t hash, used; /* of what they say; when it was used last; 0: empty */
  hc_constraint *constraints;
  uint32_t *names;
  uint32_t *sets; /* beside `set` */
  size_t constraint_count, name_count, set_count;
  uint32_t set;
  bool nowhere; /* no such set, or none of the hosts named */
  hc_hosts_bits bits;
  uint32_t *of_class; /* [class_count] how many of each */
  uint32_t count;
} hc_hosts_allowed;

typedef struct hc_hosts_facts {
  const hc_task_extras *more;      /* NULL: none */
  const hc_hosts_allowed *allowed; /* NULL: all */
  int same, differ, zone;          /* levels; -1: none */
  bool nowhere;                    /* names what is not there */
} hc_hosts_facts;

/* The hosts of each zone of a level, as ranges; made when first asked for. */
typedef struct hc_hosts_level {
  hc_range *ranges;
  size_t *begin;  /* [zone_count + 1] in `ranges`; NULL: not made yet */
  uint64_t *seen; /* [zone_count] the epoch in which it was last counted */
  uint64_t *used; /* [zone_count] the epoch in which a choice last used it */
  uint64_t *sum;  /* [zone_count] scratch */
  uint8_t *good;  /* [zone_count] scratch */
} hc_hosts_level;

/* How many live tasks of a rival are on a host (level 0) or in a zone (1 + level). */
typedef struct hc_hosts_rival {
  int64_t who;
  uint32_t level, place, count, padding; /* count 0: the place is free */
} hc_hosts_rival;

typedef struct hc_hosts_shape {
  int64_t need[HC_NEEDS];
  uint32_t slots, known; /* known: 1 + hc_never; 0: empty */
  bool whole, spread, padding[6];
} hc_hosts_shape;

/* An amount as a part of the greatest that a host has, 15 bits. */
typedef struct hc_hosts_axis {
  int64_t most;
  uint64_t factor;
  uint32_t column, shift;
} hc_hosts_axis;

/* Two of them, the one or the other doubled, of which the lesser is a key. */
typedef struct hc_hosts_pair {
  uint32_t a, b; /* axes */
  uint32_t x, y; /* shifts */
} hc_hosts_pair;

/* ---- shapes: hosts by what is free on them ---- */

typedef struct hc_hosts_shapes hc_hosts_shapes;

/* The question for the best host. */
typedef struct hc_hosts_asker {
  void *self;
  const hc_chooser *chooser;
  bool (*may_use)(void *self, uint32_t host); /* NULL: every host */
  double (*score)(void *self, uint32_t host);
} hc_hosts_asker;

/* Few hosts by a score that is fixed, best first. */
typedef struct hc_hosts_ranking {
  double (*score)(void *self, const hc_host_view *h); /* whose it is; NULL: not made yet */
  void *self;
  uint8_t order[HC_HOSTS_FEW];
} hc_hosts_ranking;

/* ---- the cell ---- */

struct hc_hosts {
  const hc_allocator *allocator;
  const hc_cell_spec *spec;
  hc_lexicon *lexicon;
  uint64_t seed, replication;
  uint32_t units, dims, columns;
  uint8_t which[HC_DIMENSIONS];
  bool is_shared[HC_DIMENSIONS], has_shared, has_devices;
  int gpu;             /* own number of the dimension, -1: none */
  uint32_t device_cap; /* most that any host has */
  uint32_t *of_class;  /* [class_count] hosts of each */

  /* state */
  int64_t *rows;    /* [units * columns] what is free, then what follows from devices */
  int64_t *caps;    /* [units * dims] nominal: kept while a host is away */
  int64_t *taken;   /* [units * dims] what a host had when it was last taken whole; NULL: none ever was */
  uint8_t *flags;   /* [units] */
  uint32_t *held;   /* [units] grants on it */
  int32_t *devices; /* [units * device_cap] free; NULL: no host has any */
  int64_t shared_free[HC_DIMENSIONS];
  uint32_t turn; /* where the round-robin placement looks first */
  hc_hosts_rival *rivals;
  size_t rival_cap, rival_count;

  /* derived */
  uint64_t *bounds[HC_HOSTS_LEVELS]; /* keys; [0]: of the rows themselves */
  uint8_t *stale[HC_HOSTS_LEVELS];   /* a byte for each block: is the bound above perhaps too high? */
  uint32_t counts[HC_HOSTS_LEVELS];  /* rows of each level, before padding */
  uint32_t levels, words, axis_count, pair_count;
  bool is_plain; /* two dimensions and nothing else: one word of keys */
  hc_hosts_axis axes[HC_HOSTS_COLUMNS];
  hc_hosts_pair pairs[HC_HOSTS_PAIRS];
  hc_hosts_bits idle;
  hc_hosts_bits owing; /* hosts that hold more than they have, and perhaps some that did: hosts_owing.c */
  bool owes;           /* one of them is set */
  uint64_t open;       /* of at most 64 hosts, those with anything free of the first dimension */
  int64_t capacity_sum[HC_DIMENSIONS], free_sum[HC_DIMENSIONS];
  uint32_t up, idle_count;
  hc_cell_totals totals;                         /* the same sums as placements are told them */
  int64_t memo[HC_HOSTS_MEMO][HC_HOSTS_COLUMNS]; /* what fits nowhere */
  uint32_t memo_count, memo_next;

  hc_hosts_shapes *shapes; /* NULL until a choice asks for it */

  /* caches and scratch */
  hc_hosts_level *zones; /* [level_count] */
  hc_hosts_allowed allowed[HC_HOSTS_FACTS];
  uint64_t tick;
  hc_names names;       /* of hosts; made when first asked for */
  uint32_t *host_named; /* [units] */
  bool has_names;
  hc_hosts_shape *nevers;    /* [HC_HOSTS_NEVERS]; NULL until needed */
  const hc_hosts_gate *gate; /* NULL: none */
  void *scored;              /* hosts and their scores, for a choice of many */
  size_t scored_cap;
  uint32_t roomy; /* a class that had room */
  uint64_t *used; /* [units] the epoch in which a choice last used it; NULL until needed */
  uint64_t epoch, zone_epoch;
  hc_hosts_ranking ranking;
  hc_grant *grants; /* of the last choice */
  size_t grant_count, grant_cap;
  hc_range *dealt; /* of the task at hand, whose hosts a policy deals */
  size_t dealt_cap;
  hc_range *ranges; /* scope and zone, crossed */
  size_t range_cap;
  uint32_t *drawn; /* hosts that fit */
  size_t drawn_cap;
  int64_t *away; /* [HC_DIMENSIONS] what is free on a host that takes nothing, as it is told */
};

static inline int64_t *hc_hosts_row(const hc_hosts *h, uint32_t host)
{
  return h->rows + (size_t)host * h->columns;
}
static inline int32_t *hc_hosts_devices_of(const hc_hosts *h, uint32_t host)
{
  return h->devices + (size_t)host * h->device_cap;
}
static inline bool hc_hosts_takes(const hc_hosts *h, uint32_t host)
{
  return h->flags[host] == HC_HOSTS_UP;
}
static inline uint32_t hc_hosts_class_devices(const hc_hosts *h, uint32_t host)
{
  return h->spec->classes[h->spec->class_of[host]].devices;
}

/* ---- hosts_index.c ---- */

hc_rc hc_hosts_index_init(hc_hosts *h);
void hc_hosts_index_fini(hc_hosts *h);
/* All bounds anew. */
void hc_hosts_index_build(hc_hosts *h);
/* No amount of a row has grown; or none has shrunk. After the second, what is remembered of failures is checked. */
void hc_hosts_index_sink(hc_hosts *h, uint32_t host);
void hc_hosts_index_rise(hc_hosts *h, uint32_t host);
/* Where one slot would go on a plain cell (hosts_choose.c); HC_NO_HOST. */
uint32_t hc_hosts_find_plain(hc_hosts *h, const int64_t *need, hc_choice how);
/* The lowest host in [from, to) on which the row fits, of those in `among` (NULL: all); HC_NO_HOST. */
uint32_t hc_hosts_index_seek(hc_hosts *h, const int64_t *need, uint32_t from, uint32_t to,
                             const hc_hosts_bits *among);
static inline bool hc_hosts_index_fits(const hc_hosts *h, const int64_t *need, uint32_t host)
{
  const int64_t *row = hc_hosts_row(h, host);
  int64_t x = 0;
  for (uint32_t c = 0; c < h->columns; c++) x |= row[c] - need[c];
  return x >= 0;
}
/* Is it known that this fits nowhere? And: now it is. */
bool hc_hosts_memo_knows(const hc_hosts *h, const int64_t *need);
void hc_hosts_memo_add(hc_hosts *h, const int64_t *need);
void hc_hosts_index_check(const hc_hosts *h);

/* ---- hosts_shapes.c ---- */

hc_rc hc_hosts_shapes_build(hc_hosts *h);
void hc_hosts_shapes_fini(hc_hosts *h);
/* A row, the flags, or the devices of a host have changed. */
void hc_hosts_shapes_move(hc_hosts *h, uint32_t host);
/* A capacity has changed: before the move. */
void hc_hosts_shapes_resize(hc_hosts *h, uint32_t host);
/* The lowest of the hosts with the highest score; HC_NO_HOST. The chooser has a bound. @return 0 or HC_ENOMEM */
hc_rc hc_hosts_shapes_best(hc_hosts *h, const hc_hosts_want *w, const hc_hosts_asker *ask, uint32_t *out);
void hc_hosts_shapes_check(const hc_hosts *h);

/* ---- hosts_devices.c ---- */

/* Free thousandths of GPU `i` of a host with `capacity` of them and nothing on it. */
int32_t hc_hosts_device_size(int64_t capacity, uint32_t i);
/* How many GPUs a host has now. */
uint32_t hc_hosts_device_count(const hc_hosts *h, uint32_t host);
/* The two derived columns of a host, without its absence. */
void hc_hosts_device_columns(const hc_hosts *h, uint32_t host, int64_t out[2]);
/* Slots with that demand that free devices hold. */
uint64_t hc_hosts_device_slots(const int32_t *devices, uint32_t n, int64_t gpu);
/* The devices of one slot; none: it does not fit. */
hc_devices hc_hosts_device_pick(const int32_t *devices, uint32_t n, int64_t gpu);
/* Are these the right devices for so many slots, and free? */
bool hc_hosts_device_fits(const int32_t *devices, uint32_t n, int64_t gpu, uint32_t slots, hc_devices of);
/* Take (sign -1) or give (1). */
void hc_hosts_device_move(int32_t *devices, uint32_t n, int64_t gpu, uint32_t slots, hc_devices of,
                          int32_t sign);

/* One grant more on a host, and one less. */
static inline void hc_hosts_occupy(hc_hosts *h, uint32_t host)
{
  if (h->held[host]++ > 0 || !hc_hosts_takes(h, host)) return;
  hc_hosts_bits_clear(&h->idle, host);
  h->idle_count--;
}
static inline void hc_hosts_vacate(hc_hosts *h, uint32_t host)
{
  HC_ASSERT(h->held[host] > 0);
  if (--h->held[host] > 0 || !hc_hosts_takes(h, host)) return;
  hc_hosts_bits_set(&h->idle, host);
  h->idle_count++;
}

/* ---- hosts_owing.c: hosts that hold what they no longer have ---- */

/* What a grant is of. @return false: of nothing that the task has. */
bool hc_hosts_want_of_grant(const hc_hosts *h, const hc_request *r, const hc_task_extras *m,
                            const hc_grant *g, hc_hosts_want *w);
hc_rc hc_hosts_reserve_whole(hc_hosts *h);            /* room to note it; 0 or HC_ENOMEM */
void hc_hosts_note_whole(hc_hosts *h, uint32_t host); /* it has been taken whole */
hc_rc hc_hosts_visit_whole(hc_hosts *h, hc_visitor *v);

/* A host has changed: note if it owes anything now. */
void hc_hosts_note_owing(hc_hosts *h, uint32_t host);

/* ---- hosts_simple.c: one slot on each host, nothing rare ---- */

static inline bool hc_hosts_is_simple(const hc_hosts *h, const hc_request *r, const hc_grant *grants,
                                      size_t count)
{
  uint64_t other = 0;
  bool possible = r->more == 0 && !r->whole && !h->has_shared && !h->has_devices;
  if (!possible) return false;
  for (size_t i = 0; i < count; i++)
    other |= (grants[i].slots ^ 1) | grants[i].chunk | grants[i].devices.bits[0] | grants[i].devices.bits[1];
  for (uint32_t d = 0; d < h->dims; d++) possible &= (uint64_t)r->need[d] <= (uint64_t)HC_HOSTS_MOST;
  return possible && other == 0;
}
/* @return 0, or HC_ECONFLICT with nothing changed */
hc_rc hc_hosts_take_simply(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count);
void hc_hosts_give_simply(hc_hosts *h, const int64_t *need, const hc_grant *grants, size_t count);

/* ---- hosts_few.c: at most 64 hosts, which are the bits of a word ---- */

/* Of those in a word, the hosts with room for a slot. */
uint64_t hc_hosts_few_fit(const hc_hosts *h, const int64_t *need, uint64_t in);
uint32_t hc_hosts_few_count(uint64_t bits);
/* Which of the hosts left, `count` of them, a chooser without a score takes next: the first, the first at or behind
 * `turn`, or one that is drawn. */
uint64_t hc_hosts_few_next(const hc_chooser *c, uint64_t left, uint32_t count, uint32_t turn,
                           hc_draw_block *draws);
/* Where a task's random draws begin: a place that it did not keep says nothing about the next. */
static inline hc_draws hc_hosts_draws(const hc_hosts *h, const hc_request *r)
{
  return (hc_draws){.seed = h->seed,
                    .replication = h->replication,
                    .entity = r->serial,
                    .purpose = HC_PURPOSE_PLACE,
                    .draw = (uint64_t)r->draws << 32};
}
/* One slot, or slots on different hosts, anywhere, of nothing rare: is hc_hosts_few_choose all that it takes? */
bool hc_hosts_few_suits(const hc_hosts *h, const hc_request *r, const hc_chooser *c);
/* @return how many grants are in h->grants, in order; 0: it does not fit; HC_ENOMEM */
hc_rc hc_hosts_few_choose(hc_hosts *h, const hc_request *r, const hc_chooser *c);

/* ---- hosts_limits.c ---- */

/* @return 0 or HC_ENOMEM. */
hc_rc hc_hosts_facts_of(hc_hosts *h, uint32_t more, hc_hosts_facts *out);
void hc_hosts_facts_fini(hc_hosts *h);
/* What of set, names and constraints leaves a host out; HC_REFUSED_NOT: nothing. */
hc_refusal hc_hosts_rule_against(const hc_hosts *h, const hc_hosts_facts *f, uint32_t host);
/* The ranges of each zone of a level. */
hc_rc hc_hosts_level_build(hc_hosts *h, int level);
static inline uint32_t hc_hosts_zone_of(const hc_hosts *h, int level, uint32_t host)
{
  return h->spec->levels[level].zone_of[host];
}
static inline bool hc_hosts_is_limited(const hc_task_extras *m)
{
  return m && (m->per_host > 0 || m->per_zone > 0);
}
/* Would one more task of that rival keep within its limits there? */
bool hc_hosts_limits_allow(const hc_hosts *h, const hc_hosts_facts *f, uint32_t host);
/* Count a task in, or out. Counting in may fail with HC_ENOMEM, and then changes nothing. */
hc_rc hc_hosts_limits_add(hc_hosts *h, const hc_hosts_facts *f, const hc_grant *grants, size_t count);
void hc_hosts_limits_remove(hc_hosts *h, const hc_hosts_facts *f, const hc_grant *grants, size_t count);
hc_rc hc_hosts_limits_visit(hc_hosts *h, hc_visitor *v);
/* The facts without the hosts they leave, which need no memory: enough to give back. */
hc_hosts_facts hc_hosts_facts_levels(const hc_hosts *h, uint32_t more);

/* ---- hosts.c ---- */

/* Sums, idle hosts, columns and bounds anew, from rows and flags. */
void hc_hosts_derive(hc_hosts *h);
/* What a slot asks for, from amounts by own dimension. @return false: more than any host may have. */
bool hc_hosts_want_of(const hc_hosts *h, const int64_t *need, hc_hosts_want *out);
/* Of a chunk, whose amounts are by the lexicon's numbers. */
bool hc_hosts_want_chunk(const hc_hosts *h, const hc_chunk *chunk, hc_hosts_want *out);
/* Slots that fit on a host now. */
uint64_t hc_hosts_slots_on(const hc_hosts *h, uint32_t host, const hc_hosts_want *w);
/* Claim what fits, and undo it: amounts, devices, bounds, sums; nothing else. */
void hc_hosts_claim(hc_hosts *h, const hc_hosts_want *w, const hc_grant *g);
void hc_hosts_release(hc_hosts *h, const hc_hosts_want *w, const hc_grant *g);
void hc_hosts_claim_whole(hc_hosts *h, uint32_t host);
void hc_hosts_release_whole(hc_hosts *h, uint32_t host);

#endif
