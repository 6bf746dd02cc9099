/* shapes.h -- which demands have failed: tasks that wait and ask for the same are not tried one by one.
 *
 * A *shape* is all that decides whether a task fits, beside the state of the cell: the amounts of a slot, the
 * number of slots, whether hosts are taken whole or must differ. While nothing is given back, a shape that
 * did not fit does not, whichever task has it. Waiting tasks know their shape; each shape has one of 63 bits,
 * and a queue's nodes know the bits of the tasks in them. A bit has failed when all shapes have that wait and
 * share it, so that what has failed is passed over without being looked at: with up to 63 shapes a decision
 * costs a try for each, however many tasks wait.
 *
 * Kept for policies that declare HC_ASKS_FITS, on cells of hosts of at most HC_NEEDS dimensions without local load, planned hosts, criteria
 * of eligibility or schedulers that are shown one job. Tasks with anything rare (constraints, chunks ...)
 * have no shape, nor have tasks beyond the 4,096th shape, and tasks that came out of a snapshot: they are
 * tried. Nothing of it is state. */
#ifndef HC_ENGINE_SHAPES_H
#define HC_ENGINE_SHAPES_H

#include "cluster/hosts.h"
#include "kernel/waitlist.h"

enum { HC_SHAPE_LIMIT = 4096, HC_SHAPE_BITS = 63 };
#define HC_NO_SHAPE UINT16_MAX

typedef struct hc_shape {
  int64_t need[HC_NEEDS];
  uint64_t failed; /* cell.grown when it last did not fit */
  uint32_t slots, waiting;
  uint16_t next; /* in its bucket, or of those that are free */
  bool whole, spread;
} hc_shape;

typedef struct hc_shapes {
  bool is_on;
  hc_kinds kinds; /* by task: the bit of its shape; HC_SHAPE_BITS: it has none */
  uint16_t *of;   /* [kinds.count] by task; HC_NO_SHAPE */
  hc_shape *list; /* [HC_SHAPE_LIMIT] */
  uint16_t *buckets;
  uint16_t count, vacant;
  uint64_t at;     /* cell.grown, of what follows */
  uint64_t failed; /* bits */
  uint16_t alive[HC_SHAPE_BITS],
      dead[HC_SHAPE_BITS]; /* shapes of a bit that wait; those of them that failed */
} hc_shapes;

/* A task begins to wait, before it is put into a queue; and waits no more. @return 0 or HC_ENOMEM */
hc_rc hc_shapes_join(hc_shapes *s, const hc_allocator *a, hc_task t, const hc_request *r,
                     uint32_t dimensions);
void hc_shapes_leave(hc_shapes *s, hc_task t);
/* It did not fit. @param grown cell.grown */
void hc_shapes_fail(hc_shapes *s, hc_task t, uint64_t grown);
/* Has its shape failed since anything was given back last? */
bool hc_shapes_failed(const hc_shapes *s, hc_task t, uint64_t grown);
/* The bits of which nothing fits. */
uint64_t hc_shapes_mask(hc_shapes *s, uint64_t grown);
/* Nothing is known of any task. */
void hc_shapes_reset(hc_shapes *s);
void hc_shapes_fini(hc_shapes *s, const hc_allocator *a);

#endif
