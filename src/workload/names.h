/* names.h -- names of a column as numbers 1, 2, 3 ... in order of first sight; or the numbers that it
 * holds, among which a name is numbered by its hash.
 *
 * Of the names of a column HC_NAME_LIMIT are remembered, or HC_NAME_BYTES of them. One that comes later has
 * the number of its hash, too: the same wherever it is met, without memory, and without a name for its
 * readers; the ledger counts such fields. */
#ifndef HC_WORKLOAD_NAMES_H
#define HC_WORKLOAD_NAMES_H

#include "base/fields.h"
#include "hindcast/lexicon.h"
#include "hindcast/workload.h"

#define HC_NAME_LIMIT ((size_t)1 << 20)   /* most names in one column */
#define HC_NAME_BYTES ((size_t)256 << 20) /* and most bytes of them */
#define HC_NAME_HASHED (INT64_C(1) << 32) /* the least number of a name that is its hash */

typedef enum hc_column_kind { HC_COLUMN_UNDECIDED, HC_COLUMN_NUMBERS, HC_COLUMN_NAMES } hc_column_kind;

typedef struct hc_interned {
  hc_names names;
  hc_lexicon *lexicon;   /* is told each new name; NULL: none is */
  hc_row_ledger *ledger; /* counts fields whose name is one too many; NULL: nothing does */
  hc_called what;        /* of which kind it is then; at first of users */
  uint64_t kind;         /* hc_column_kind: by the first value */
  uint64_t bytes;        /* of the names */
} hc_interned;

/** The number of a name by itself: from HC_NAME_HASHED on, below 2^59. Two of n names have the same with a
 *  chance of n^2 / 2^60: one in 11,000 for ten million. */
int64_t hc_name_hashed(const char *text, size_t n);
/** Count a field whose name is one too many. */
static inline void hc_name_unkept(hc_row_ledger *l)
{
  if (l) l->unnamed++;
}

void hc_interned_init(hc_interned *i, const hc_allocator *a, bool names);
void hc_interned_fini(hc_interned *i);
/** @param scratch  for names with quotes in them
 *  @return 1 or HC_ENOMEM. */
hc_rc hc_interned_number(hc_interned *i, const hc_field *f, hc_buffer *scratch, int64_t *out);
hc_rc hc_interned_visit(hc_interned *i, hc_visitor *v);
hc_rc hc_names_visit(hc_names *n,
                     hc_visitor *v); /* on loading they become what was saved, with its numbers */

#endif
