/* elastisim_tree.h -- what both readers of application models share: members of its JSON, and trees of
 * profiles that they make of it. See elastisim_tree.c. */
#ifndef HC_WORKLOAD_ELASTISIM_TREE_H
#define HC_WORKLOAD_ELASTISIM_TREE_H

#include "base/value.h"

/* What a task of a phase is. */
typedef enum hc_elastisim_kind {
  HC_ELASTISIM_CPU,
  HC_ELASTISIM_GPU,
  HC_ELASTISIM_IO, /* pfs_read, pfs_write, bb_read, bb_write */
  HC_ELASTISIM_IDLE,
  HC_ELASTISIM_SEQUENCE
} hc_elastisim_kind;
/** @return 0; HC_EUNSUPPORTED, HC_EINPUT with the place */
hc_rc hc_elastisim_kind_of(const hc_value *task, const char *type, hc_elastisim_kind *out, hc_error *e);
/** A member that must be there. @return 0 or HC_EINPUT with the place */
hc_rc hc_elastisim_need(const hc_value *map, const char *key, const hc_value **out, hc_error *e);
/** A member that is true or false, or its fallback. @return the same */
hc_rc hc_elastisim_flag(const hc_value *map, const char *key, bool fallback, bool *out, hc_error *e);

/* ---- messages between GPUs, as ElastiSim deals them out to those of a node and to nodes ---- */

/** Can a gpu task of a job with so many GPUs on each node be carried out? @param pattern its
 *  communication_pattern; NULL: it sends nothing @param bandwidth  between GPUs of a node; 0: it is not known
 *  @return 0; HC_EINPUT, HC_EUSAGE, HC_EUNSUPPORTED with the place */
hc_rc hc_elastisim_gpus(const hc_value *task, const char *pattern, int64_t gpus, double bandwidth,
                        hc_error *e);
/** What part of all bytes goes from node to node, dealt out by the same pattern. */
double hc_elastisim_gpus_apart(const char *pattern, double nodes, double gpus);
/** What part goes between those two GPUs of a node that send each other most: as long as these take, all do.
 *  */
double hc_elastisim_gpus_inside(const char *pattern, double nodes, double gpus);

/** A task's profile as a part under the task's name, by which its times are told. @param profile in, out
 *  @return 0 or HC_ENOMEM */
hc_rc hc_elastisim_label(hc_arena *a, const hc_value *task, hc_value **profile);

/* Trees of profiles. @return 0 or HC_ENOMEM; NULL: HC_ENOMEM */
hc_value *hc_elastisim_number(hc_arena *a, double x);
hc_rc hc_elastisim_put_word(hc_arena *a, hc_value *map, const char *key, const char *text, bool quoted);
hc_rc hc_elastisim_put_number(hc_arena *a, hc_value *map, const char *key, double x);
hc_rc hc_elastisim_new_profile(hc_arena *a, const char *use, hc_value **out);
/** A list, as the member of a map unless that is NULL. */
hc_rc hc_elastisim_new_list(hc_arena *a, hc_value *map, const char *key, hc_value **out);

#endif
