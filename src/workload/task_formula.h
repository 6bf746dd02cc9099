/* task_formula.h -- a formula over what a task says when it comes: what its user knew, not how it went.
 *
 * Its variables: submit and limit in seconds, procs, hosts, and the numbers id, user, group, partition,
 * priority and queue. What a task does not say is -1. Cost: about 2 ns per operation of the formula. */
#ifndef HC_WORKLOAD_TASK_FORMULA_H
#define HC_WORKLOAD_TASK_FORMULA_H

#include "base/expr.h"
#include "base/mem.h"
#include "hindcast/workload.h"

/* What a parameter says of its variables. */
#define HC_TASK_FORMULA_NAMES \
  "submit, limit (seconds), procs, hosts, id, user, group, queue, partition and priority"

typedef struct hc_task_formula {
  hc_arena arena;
  hc_expr *expr; /* NULL: there is none */
} hc_task_formula;

/** @param text NULL or "": none @return 0, HC_EUSAGE with a place in the text, HC_ENOMEM; fini in any case */
hc_rc hc_task_formula_init(hc_task_formula *f, const hc_allocator *allocator, const char *text, hc_error *e);
void hc_task_formula_fini(hc_task_formula *f);
/** There is one. @return NaN: it is not defined for this task */
double hc_task_formula_value(const hc_task_formula *f, const hc_task_spec *task);
/** As a condition: neither 0 nor undefined; or there is none. */
bool hc_task_formula_holds(const hc_task_formula *f, const hc_task_spec *task);

#endif
