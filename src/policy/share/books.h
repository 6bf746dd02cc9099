/* books.h -- what members have queued, and what they hold: the books of every policy that shares a cell.
 *
 * A member is what shares: a user, or an operation. Its tasks stand in one line for each shape of demand that
 * they have, the first in front. So the first task that fits is found among the heads, at a cost per shape
 * and not per task. Members are numbered as they come; the number of one that has left is given again. */
#ifndef HC_POLICY_SHARE_BOOKS_H
#define HC_POLICY_SHARE_BOOKS_H

#include "base/mem.h"
#include "hindcast/task.h"
#include "policy/share/needs.h"

typedef struct hc_waiter {
  int64_t key; /* the place in the line; then by serial */
  uint64_t serial;
  hc_task task;
  uint32_t work; /* tasks of another number have another shape; 0 where it does not matter (works.h) */
} hc_waiter;

typedef struct hc_shape {
  int64_t need[HC_DIMENSIONS]; /* of one slot */
  int64_t units;               /* so many of them at once */
  uint32_t work, padding;      /* as that of its tasks */
  uint32_t user, place;        /* place: among the user's shapes */
  uint32_t next;               /* of the same hash, or of the free ones */
  uint32_t kind;               /* of its need */
  uint32_t kin, before;        /* the next and the last shape of that kind; HC_MAP_NONE */
  uint64_t tried;              /* number of the decision in which its head did not fit */
  hc_waiter *heap;             /* [count] the first in front */
  size_t count, cap;           /* 0: the shape is free */
} hc_shape;

typedef struct hc_member {
  int64_t id;
  int64_t used[HC_DIMENSIONS];
  int64_t least[HC_DIMENSIONS];  /* of the needs of its shapes */
  int64_t wanted[HC_DIMENSIONS]; /* by its waiting tasks together */
  uint64_t waiting, holding;     /* tasks */
  uint32_t leaf;                 /* in a tree of pools */
  uint32_t next;                 /* of the numbers that are free */
  bool is_here;
  bool is_out; /* of this decision */
  uint32_t *shapes;
  size_t shape_count, shape_cap;
} hc_member;

typedef struct hc_books {
  const hc_allocator *allocator;
  uint32_t dims; /* 0: not known yet */
  hc_map index;  /* id -> member */
  hc_member *members;
  size_t member_count, member_cap; /* numbers that are free count too */
  uint32_t vacant_member;          /* first of these; HC_MAP_NONE */
  hc_map by_hash;                  /* -> first shape of the chain */
  hc_shape *shapes;
  size_t shape_count, shape_cap;
  uint32_t vacant; /* first of the shapes that are free; HC_MAP_NONE */
  hc_needs needs;  /* of all shapes */
  uint32_t *kin;   /* [needs.count] the first shape of each kind; HC_MAP_NONE */
  size_t kin_count, kin_cap;
} hc_books;

void hc_books_init(hc_books *b, const hc_allocator *a);
void hc_books_fini(hc_books *b);
/* The member's number. @param is_new out: it was made. @return 0, HC_ENOMEM, HC_ELIMIT. */
hc_rc hc_books_member(hc_books *b, int64_t id, uint32_t *member, bool *is_new);
/* A member of which no task waits or runs leaves. */
void hc_books_leave(hc_books *b, uint32_t member);
/* A task joins, or leaves. @param need [dims] of one slot @param units slots. Cost: O(dims + log waiting);
 * leaving from further behind is O(waiting). */
hc_rc hc_books_add(hc_books *b, uint32_t member, const hc_waiter *w, const int64_t *need, int64_t units);
void hc_books_remove(hc_books *b, uint32_t member, const hc_waiter *w, const int64_t *need, int64_t units);
/* Of the member's shapes that need at most `free` on a host and `room` in all (NULL: any), and were not tried
 * in decision `number`, the one whose head is first; HC_MAP_NONE if there is none. Cost: O(shapes dims). */
uint32_t hc_books_first(const hc_books *b, uint32_t member, const int64_t *free, uint64_t number,
                        const int64_t *room);
/* Does a task of the shape need at most `room` [dims] in all? */
bool hc_books_has_room(const hc_books *b, const hc_shape *s, const int64_t *room);
/* State: members and waiting tasks, in an order that does not depend on how they came there. */
hc_rc hc_books_visit(hc_books *b, hc_visitor *v);

#endif
