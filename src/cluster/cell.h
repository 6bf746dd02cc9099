/* cell.h -- the machine during a run: what is free now, and which task may use what.
 *
 * Every amount held is a claim; the sum of claims and the free amount always make the capacity, which is
 * asserted at each change. The set of free ids is kept only if processors have names (granularity
 * `intervals`). What will be free when is asked in src/reserve. */
#ifndef HC_CLUSTER_CELL_H
#define HC_CLUSTER_CELL_H

#include "cluster/freeset.h"
#include "cluster/hosts.h"

typedef struct hc_cell {
  hc_granularity granularity;
  int64_t capacity, free; /* units; hosts: amounts of the first dimension on those that are up. After a shrink
                             `free` may be negative */
  int64_t claimed;        /* sum of all claims held now: capacity - free */
  hc_freeset ids;         /* free processors by name; empty unless intervals */
  hc_hosts *hosts;        /* NULL unless hosts */
  uint64_t grown,
      last_grown;   /* hosts: a number that changes when anything is given back or a host changes: what did
                                 not fit at a number does not while it lasts */
  bool owes;        /* perhaps a host holds more than it has: what is free elsewhere is more than `free` */
  uint64_t version; /* hosts: counts their changes, so that an answer can be known to be still right */
} hc_cell;

/** @param lexicon, seed, replication for a cell of hosts. */
hc_rc hc_cell_init(hc_cell *c, const hc_allocator *a, const hc_cell_spec *spec, hc_lexicon *lexicon,
                   uint64_t seed, uint64_t replication, hc_error *e);
void hc_cell_fini(hc_cell *c);
/** The most that tasks could get now: one that wants more of the first dimension fits nowhere. At least `free`. */
int64_t hc_cell_free_owing(hc_cell *c);
static inline int64_t hc_cell_free_most(hc_cell *c)
{
  return c->owes ? hc_cell_free_owing(c) : c->free;
}
/** Take what a request asks for, on a cell of any granularity. @param grants [count] what was chosen for it: of
 *  hosts; or processors by name, `slots` of them from `host` on; none if they have no names.
 *  @return 0; HC_ECONFLICT: not free, or named processors are not ascending, disjoint and `units` together;
 *  HC_ENOMEM. On failure nothing has changed. */
hc_rc hc_cell_take(hc_cell *c, const hc_request *r, const hc_grant *grants, size_t count);
/** The same for what was just given back for the sake of a question: hosts may owe it by now. */
hc_rc hc_cell_take_again(hc_cell *c, const hc_request *r, const hc_grant *grants, size_t count);
/** Give back what was taken: undoes hc_cell_take exactly. @return 0 or HC_ENOMEM. */
hc_rc hc_cell_give(hc_cell *c, const hc_request *r, const hc_grant *grants, size_t count);
/** What a request holds becomes `to` [dimensions] in each slot, where it is: as hc_hosts_resize. */
void hc_cell_resize_hosts(hc_cell *c, const hc_request *r, const int64_t *to, const hc_grant *grants,
                          size_t count);
/** Choose and take at once, for one slot of this need: on a cell that is plain (hc_hosts_is_plain). @param
 *  how HC_CHOOSE_FIRST or HC_CHOOSE_NEXT. @return the host; HC_NO_HOST: it fits nowhere, nothing changed. */
uint32_t hc_cell_take_one(hc_cell *c, const int64_t *need, hc_choice how);
void hc_cell_give_one(hc_cell *c, const int64_t *need, uint32_t host);
/** A host changes; what it holds stays claimed. @return 0 or HC_ENOMEM. */
hc_rc hc_cell_change(hc_cell *c, const hc_host_event *event);
hc_rc hc_cell_visit(hc_cell *c, hc_visitor *v);

#endif
