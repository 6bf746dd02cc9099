/* data.h -- data items that tasks read and make. See data.c. */
#ifndef HC_ENGINE_DATA_H
#define HC_ENGINE_DATA_H

#include "engine/state.h"

#define HC_NO_ITEM UINT32_MAX

/** What a task waits for because it reads an item. @param i of its inputs
 *  @return 1: the task in `out`; 0: the item is given; HC_EINPUT: no task makes it, and it has no size */
hc_rc hc_data_after(hc_engine *e, hc_task id, size_t i, hc_after *out, hc_error *error);
/** What its items are to the model: in the scratch arena. @return 0 or HC_ENOMEM */
hc_rc hc_data_of(hc_engine *e, hc_task id, hc_activity *a);
/** An input of a task as a planner sees it. */
typedef struct hc_data_input {
  uint32_t item; /* HC_NO_ITEM: it is not known yet */
  int64_t bytes;
  bool is_made;  /* by a task; else it is given */
  int64_t maker; /* its number within the job */
} hc_data_input;
hc_data_input hc_data_input_of(const hc_engine *e, hc_task id, size_t i);
/** Where an item lies; UINT32_MAX: it is not made, or no model knows. */
uint32_t hc_data_lies(const hc_engine *e, uint32_t item);

/** Bring all that a task reads to a host. @return 0, or an error */
hc_rc hc_data_bring(hc_engine *e, hc_task id, uint32_t host, hc_error *error);
/** Bytes of the items that it makes. */
int64_t hc_data_makes(hc_engine *e, hc_task id);
double hc_data_between(const hc_engine *e, uint32_t from, uint32_t to, double bytes);

#endif
