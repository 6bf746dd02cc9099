/* accounting.h -- whose a job is, what priority that gives it, and which limits it meets: associations,
 * usage, factors and limits, joined to the tasks of a run. See accounting.c. */
#ifndef HC_POLICY_SLURM_ACCOUNTING_H
#define HC_POLICY_SLURM_ACCOUNTING_H

#include "hindcast/policy.h"
#include "policy/slurm/factors.h"
#include "policy/slurm/limits.h"

/* What is known of a task from when it joins until it has ended. No padding. */
typedef struct hc_slurm_client {
  uint32_t assoc, qos;
  uint32_t handle; /* of its usage */
  uint32_t state;  /* hc_slurm_client_state */
  int64_t rest[2]; /* cores and GPUs, thousandths, of its nodes beside what it asked for */
} hc_slurm_client;
typedef enum hc_slurm_client_state {
  HC_SLURM_IS_GONE,
  HC_SLURM_IS_QUEUED,
  HC_SLURM_IS_RUNNING
} hc_slurm_client_state;

/* What a partition is to priorities. */
typedef struct hc_slurm_part_facts {
  int64_t factor; /* PriorityJobFactor */
  hc_slurm_amounts amounts;
} hc_slurm_part_facts;

typedef struct hc_slurm_accounting {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_lexicon *lexicon;
  hc_slurm_priority priority;
  hc_slurm_assocs assocs;
  hc_slurm_usage usage;
  hc_slurm_limits limits;
  hc_slurm_scale scale;
  hc_slurm_part_facts *parts; /* [part_count] in the order of the books' */
  size_t part_count;
  hc_time period;           /* ns: when the next period comes */
  hc_slurm_client *clients; /* [client_cap] by task */
  size_t client_cap;
  int64_t relents;  /* a limit kept a job back that usage which decays will let pass; the owner forgets it */
  hc_range *ranges; /* [nodes] of the job at hand */
  uint32_t node_count;
} hc_slurm_accounting;

/* Where associations and QOS are said. Texts. */
typedef struct hc_slurm_accounting_files {
  const hc_list *files;    /* see assoc.h */
  const hc_list *commands; /* of sacctmgr, laid over them */
} hc_slurm_accounting_files;

/** @param nodes  of the cluster
 *  @return 0; HC_EINPUT with file, line and column; HC_ENOMEM. Give it back in every case. */
hc_rc hc_slurm_accounting_init(hc_slurm_accounting *a, const hc_policy_context *c, const hc_conf *conf,
                               const hc_slurm_accounting_files *files, uint32_t nodes, size_t parts,
                               hc_error *e);
void hc_slurm_accounting_fini(hc_slurm_accounting *a);
hc_rc hc_slurm_accounting_visit(hc_slurm_accounting *a, hc_visitor *v);
/** Is priority/multifactor configured? */
static inline bool hc_slurm_accounting_ranks(const hc_slurm_accounting *a)
{
  return a->priority.type == HC_SLURM_MULTIFACTOR;
}

/** What a partition is: PriorityJobFactor, and its nodes' bits. */
void hc_slurm_accounting_part(hc_slurm_accounting *a, size_t part, int64_t factor, const uint64_t *nodes,
                              const hc_cell_spec *cell);

/** A task joins, leaves, gets what it holds, gives it back. */
hc_rc hc_slurm_accounting_join(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part);
void hc_slurm_accounting_leave(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part);
hc_rc hc_slurm_accounting_begin(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                                const hc_holding *held, size_t count, hc_time limit);
void hc_slurm_accounting_end(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                             const hc_holding *held, size_t count);

/** Of the nodes that a task is dealt, or holds, so many cores and GPUs, thousandths, count as its own
 *  beside what it asked for. */
void hc_slurm_accounting_whole(hc_slurm_accounting *a, hc_task t, const int64_t rest[2]);

/** Let its limits count a task that is queued as if it ran on what it is dealt; and no more.
 *  @return 0, HC_ENOMEM */
hc_rc hc_slurm_accounting_count(hc_slurm_accounting *a, const hc_view *v, hc_task t,
                                const hc_host_room *dealt, size_t count);
void hc_slurm_accounting_discount(hc_slurm_accounting *a, const hc_view *v, hc_task t,
                                  const hc_host_room *dealt, size_t count);

/** A task that runs is suspended; it goes on, for so long at most; it was lost while it was suspended, when
 *  it had so many nodes. Its limits count it all the while. */
void hc_slurm_accounting_pause(hc_slurm_accounting *a, const hc_view *v, hc_task t);
hc_rc hc_slurm_accounting_resume(hc_slurm_accounting *a, const hc_view *v, hc_task t, size_t nodes,
                                 hc_time limit);
void hc_slurm_accounting_lose(hc_slurm_accounting *a, const hc_view *v, hc_task t, size_t nodes);
/** The QOS of a task that waits or runs; HC_SLURM_NONE: none. */
uint32_t hc_slurm_accounting_qos(const hc_slurm_accounting *a, hc_task t);
/** Its priority at `now`, by multifactor. */
int64_t hc_slurm_accounting_priority(const hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                                     hc_time now);
/** Let the periods that are due come. @return has one come? */
bool hc_slurm_accounting_go_on(hc_slurm_accounting *a, hc_time now);

/** Which limit keeps a job from being looked at, or from starting on what it is dealt; NULL: none. Constant.
 * */
const char *hc_slurm_accounting_before(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part);
const char *hc_slurm_accounting_after(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                                      const hc_host_room *dealt, size_t count);

#endif
