/* names.h -- names of a column as numbers 1, 2, 3 ... in order of first sight; or the numbers that it
 * holds. */
#ifndef HC_WORKLOAD_NAMES_H
#define HC_WORKLOAD_NAMES_H

#include "base/fields.h"
#include "hindcast/lexicon.h"

#define HC_NAME_LIMIT ((size_t)1 << 20) /* most names in one column */

typedef enum hc_column_kind { HC_COLUMN_UNDECIDED, HC_COLUMN_NUMBERS, HC_COLUMN_NAMES } hc_column_kind;

typedef struct hc_interned {
  hc_names names;
  hc_lexicon *lexicon; /* is told each new name; NULL: none is */
  hc_called what;      /* of which kind it is then; at first of users */
  uint64_t kind;       /* hc_column_kind: by the first value */
} hc_interned;

void hc_interned_init(hc_interned *i, const hc_allocator *a, bool names);
void hc_interned_fini(hc_interned *i);
/** @param scratch  for names with quotes in them
 *  @return 1; 0: a name in a column of numbers; HC_ELIMIT: too many names; HC_ENOMEM. */
hc_rc hc_interned_number(hc_interned *i, const hc_field *f, hc_buffer *scratch, int64_t *out);
hc_rc hc_interned_visit(hc_interned *i, hc_visitor *v);
hc_rc hc_names_visit(hc_names *n,
                     hc_visitor *v); /* on loading they become what was saved, with its numbers */

#endif
