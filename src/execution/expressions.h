/* expressions.h -- arithmetic in place of the numbers of profiles: 1e12 / num_hosts.
 *
 * In the text of a profile an expression is a string that begins with "=". It is compiled when the text is
 * read, where its place is known, and computed for a task and a round when an instance is called: so what it
 * stands for is part of no text, and tasks of all sizes share one script. See expressions.c. */
#ifndef HC_EXECUTION_EXPRESSIONS_H
#define HC_EXECUTION_EXPRESSIONS_H

#include "base/expr.h"
#include "execution/book.h"

#define HC_EXPRESSIONS_MOST 4096 /* of one profile */

/* What expressions may name, in this order. */
#define HC_SCRIPT_VARIABLES(X) \
  X(NUM_HOSTS, "num_hosts")         /* of the task's processes */ \
  X(NUM_NODES, "num_nodes")         /* the same */ \
  X(NUM_PROCESSES, "num_processes") /* the same */ \
  X(NUM_CORES, "num_cores")         /* of all hosts */ \
  X(NUM_GPUS, "num_gpus")           /* of all hosts */ \
  X(MEMORY, "memory")               /* bytes, of all hosts */ \
  X(LIMIT, "limit")                 /* s */ \
  X(SUBMIT, "submit_time")          /* s since the run's origin */ \
  X(PRIORITY, "priority") \
  X(USER, "user") /* its number */ \
  X(TASK, "task") /* its number */ \
  X(ITERATION, "iteration")
enum {
#define X(name, text) HC_VARIABLE_##name,
  HC_SCRIPT_VARIABLES(X)
#undef X
      HC_VARIABLES
};

/* One in the options of a part. */
typedef struct hc_script_expr {
  const hc_chosen *part;
  const hc_param *param;
  size_t index; /* of a list */
  const char *text;
  const hc_expr *expr;
} hc_script_expr;

typedef struct hc_script_exprs {
  hc_script_expr *items; /* [count] in the order of the text: those of a part stand together */
  size_t count;
} hc_script_exprs;

/** Is this text of a scalar an expression, where a number of this parameter is asked for? */
bool hc_expression_is(const hc_param *p, const char *text);
/** Fill the options of a tree that hc_book_translate made, as hc_book.resolve; with 1 where an expression
 *  stands.
 *  @param exprs out, may be NULL @return 0; HC_EUSAGE with the place, HC_ELIMIT, HC_ENOMEM */
hc_rc hc_expressions_resolve(const hc_book *b, hc_arena *a, hc_value *tree, hc_chosen *out,
                             hc_script_exprs *exprs, hc_error *e);
/** Bytes of a copy of the options of a part, with its lists. */
size_t hc_expressions_room(const hc_chosen *part, const hc_script_expr *exprs, size_t count);
/** Copy the options of a part and put values in. @param room [hc_expressions_room] out
 *  @param values [HC_VARIABLES], NaN: the task has no such @return 0; HC_EINPUT with the reason */
hc_rc hc_expressions_fill(const hc_chosen *part, const hc_script_expr *exprs, size_t count,
                          const double *values, void *room, hc_error *e);

#endif
