/* operations.h -- whose memory it is: controllers of jobs (operations) remember by job, or all jobs of a user
 * together.
 *
 * A place is a number that belongs to one user or operation while it has a task that waits or runs, and to
 * another afterwards; what a component remembers of it lies in an array of its own. An operation is a job of
 * a source; a task that is part of no job is an operation by itself. Places of users are never given away.
 * Cost: one look into a map for each thing that is heard of a task of another operation than the last. */
#ifndef HC_POLICY_OPERATIONS_H
#define HC_POLICY_OPERATIONS_H

#include "base/set.h"
#include "hindcast/policy.h"

#define HC_MEMORIES "operation|user" /* in the order of hc_memory_of */
typedef enum hc_memory_of { HC_MEMORY_OPERATION, HC_MEMORY_USER } hc_memory_of;

typedef struct hc_operation {
  int64_t job;       /* or a serial; HC_MEMORY_USER: nothing */
  uint32_t is_alone; /* a task by itself */
  uint32_t next;     /* of the vacant ones */
  uint64_t waiting, running;
} hc_operation;

typedef struct hc_operations {
  const hc_allocator *allocator;
  const hc_services *services;
  hc_memory_of whose;
  hc_set index; /* by job and is_alone */
  hc_operation *items;
  size_t count, cap;
  uint32_t vacant; /* HC_MAP_NONE */
  uint32_t last;   /* the place that was asked for last: often the next one, too; HC_MAP_NONE */
} hc_operations;

void hc_operations_init(hc_operations *o, const hc_policy_context *c, hc_memory_of whose);
void hc_operations_fini(hc_operations *o);
/* The place of a task's operation, or of its user. @return 0, HC_ENOMEM. */
hc_rc hc_operations_of(hc_operations *o, const hc_view *v, hc_task t, uint32_t user, uint32_t *place);
/* As hc_accept_type.on_task_event. @param place out: whose it is. @param ended out: nothing of it waits or
 * runs any more; an operation's place is vacant. */
hc_rc hc_operations_hear(hc_operations *o, const hc_view *v, hc_task_event what, hc_task t, uint32_t user,
                         uint32_t *place, bool *ended);
hc_rc hc_operations_visit(hc_operations *o, hc_visitor *v);

/* Is this the user that options name, as the source names it or by its number? */
bool hc_policy_is_user(const hc_lexicon *l, const char *text, int64_t user);

#endif
