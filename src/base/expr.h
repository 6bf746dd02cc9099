/* expr.h -- arithmetic over named variables: "-(wait / request)^3 * procs".
 *
 * Numbers, variables, + - * / % ^ (right-associative, above unary minus), comparisons < <= > >= == != (1
 * or 0), and && || !, c ? a : b, parentheses, and the functions min max abs sqrt exp log log2 log10 floor
 * ceil round pow. `x in (1, 2)` and `x not in (1, 2)` compare a variable with each. Compiled once to a
 * postfix program, evaluated without allocation. Division by zero gives a NaN, which callers treat as "last".
 * No assignment, no loops: evaluation takes time in proportion to the program's length.
 *
 * A variable that stands for something that has a name (a user, a queue) is compared with it: user == "ann",
 * queue != 'long', user in ("ann", "bob", 7). What has no name is called by its number: "7" is 7 there. Names
 * are asked for when a value is, so that those count that are met later. */
#ifndef HC_BASE_EXPR_H
#define HC_BASE_EXPR_H

#include "base/mem.h"

typedef struct hc_expr hc_expr;

#define HC_EXPR_LIMIT 4096 /* longest text, bytes; nesting is bounded to 64 */

/** Compile. @param names [count] the variables, by position.
 *  @return 0; HC_EUSAGE with the column in `e` and the nearest known name; HC_ELIMIT; HC_ENOMEM. */
hc_rc hc_expr_compile(hc_arena *a, const char *text, const char *const *names, size_t count, hc_expr **out,
                      hc_error *e);
/** The same where some variables may be compared with names.
 *  @param has_name  whether variable i may; its value is then a number, which may have a name */
hc_rc hc_expr_compile_called(hc_arena *a, const char *text, const char *const *names, size_t count,
                             bool (*has_name)(size_t variable), hc_expr **out, hc_error *e);
/** Value for these variables. @param values [count] as compiled. Cost: about 2 ns per operation. */
double hc_expr_value(const hc_expr *x, const double *values);
/** What a variable's value is called; NULL: it has no name. */
typedef const char *(*hc_expr_called)(const void *ctx, size_t variable);
/** The same of one with names. Cost: a call and a comparison of texts for each name more. */
double hc_expr_value_called(const hc_expr *x, const double *values, hc_expr_called called, const void *ctx);
/** True if the program reads variable `i`: what changes with time makes an order vary. */
bool hc_expr_reads(const hc_expr *x, size_t i);
/** True if it compares variable `i` with a name. */
bool hc_expr_names(const hc_expr *x, size_t i);
/** Name number `i` that a variable is compared with, and which variable it is. A text that is a number is
 *  among them. @return NULL: there are no more */
const char *hc_expr_name(const hc_expr *x, size_t i, size_t *variable);
/** True if the value is that of a comparison, or of && || !: 1 or 0. */
bool hc_expr_is_claim(const hc_expr *x);

#endif
