/* matrix.h -- an Ousterhout matrix: rows are time slots, columns are processors, and what is placed in a row
 * has columns of its own there.
 *
 * Which row takes what asks for so many columns, and which of them, is the packing:
 *   first fit  the first row with enough free columns; the lowest of them
 *   best fit   the row with the fewest free columns that are enough, the first of equals; the lowest of them
 *   buddy      the request is rounded up to a power of two and gets an aligned block of so many columns: the
 *              lowest of the first row that has one. The rest of the block stays empty. What exceeds the
 *              greatest power of two there is room for takes a whole row
 * Which of them run when is not known here. Cost: O(columns / 64) a row that is looked at.
 * Sources: Ousterhout, ICDCS 1982; Feitelson, JSSPP 1996, LNCS 1162, pp. 89-110. */
#ifndef HC_POLICY_MATRIX_H
#define HC_POLICY_MATRIX_H

#include "base/mem.h"

typedef enum hc_packing { HC_PACK_FIRST_FIT, HC_PACK_BEST_FIT, HC_PACK_BUDDY } hc_packing;

typedef struct hc_matrix {
  const hc_allocator *allocator;
  hc_packing packing;
  uint32_t columns, words;
  uint64_t *taken; /* [rows][words] a bit a column */
  uint32_t *room;  /* [rows] free columns */
  size_t rows, taken_count, taken_cap, room_cap;
} hc_matrix;

/* Ranges of columns, ascending: where something was placed. */
typedef struct hc_columns {
  hc_range *items;
  size_t count, cap;
} hc_columns;

void hc_matrix_init(hc_matrix *m, const hc_allocator *a, uint32_t columns, hc_packing packing);
void hc_matrix_fini(hc_matrix *m);
hc_rc hc_matrix_visit(hc_matrix *m, hc_visitor *v);
/* An empty row behind the last. @return 0 or HC_ENOMEM */
hc_rc hc_matrix_add_row(hc_matrix *m);
void hc_matrix_remove_row(hc_matrix *m, size_t row);
/* Add a row's columns to another's, which have none in common; the row stays, empty. */
void hc_matrix_merge(hc_matrix *m, size_t into, size_t row);
bool hc_matrix_is_disjoint(const hc_matrix *m, size_t row, size_t other);
/* The most columns that some row could give to one request: no row takes more. */
uint32_t hc_matrix_most(const hc_matrix *m);
/* The row for so many columns; `rows` if none has them. */
size_t hc_matrix_find(const hc_matrix *m, uint32_t units);
/* Take them there, behind those that `out` has. @param block out: columns that are taken from the first of
 * them on; 0: those that `out` says, and no others. @return 0 or HC_ENOMEM */
hc_rc hc_matrix_take(hc_matrix *m, size_t row, uint32_t units, hc_columns *out, uint32_t *block);
void hc_matrix_give(hc_matrix *m, size_t row, const hc_range *columns, size_t count, uint32_t block);

/* Sets of columns, [words]. */
bool hc_columns_meet(const uint64_t *set, const hc_range *columns, size_t count);
void hc_columns_set(uint64_t *set, const hc_range *columns, size_t count, bool is_in);

#endif
