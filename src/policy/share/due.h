/* due.h -- what users are due: weights, quotas, limits and guarantees, as a configuration's lists say them.
 *
 * An entry is USER=VALUE. USER is the name by which the source knows a user, else its number, else * for all
 * that a list does not name. VALUE is one number for every dimension, or DIMENSION:NUMBER for some of them,
 * blanks between: `ann=2`, `ben=cpu:1 memory:2`, `cem=25%`, `dan=cpu:16 memory:64GB`. A weight is a factor.
 * Elsewhere one number for all is a share of the cell, as is a per cent; any other is an amount: cores,
 * bytes, GPUs, units. A guarantee is a share always. */
#ifndef HC_POLICY_SHARE_DUE_H
#define HC_POLICY_SHARE_DUE_H

#include "base/mem.h"
#include "hindcast/lexicon.h"

typedef enum hc_due_list {
  HC_DUE_WEIGHT,
  HC_DUE_QUOTA,
  HC_DUE_LIMIT,
  HC_DUE_GUARANTEE,
  HC_DUE_LISTS
} hc_due_list;

/* By the lexicon's number of a dimension; below 0: not said. */
typedef struct hc_due_vector {
  double share[HC_DIMENSIONS]; /* of the cell; a weight: the factor */
  double amount[HC_DIMENSIONS];
} hc_due_vector;

/* What one user is due. */
typedef struct hc_due {
  hc_due_vector of[HC_DUE_LISTS];
  uint32_t pool;              /* number from 1; 0: none says */
  uint8_t said[HC_DUE_LISTS]; /* a list names the user */
} hc_due;

typedef struct hc_dues {
  const hc_allocator *allocator;
  const hc_lexicon *lexicon; /* may be NULL */
  const char *where;         /* whose lists they are, for messages: "policy fair" */
  hc_names names;            /* of users, as they are spelt */
  hc_due *rows;              /* [names.count] */
  size_t row_cap;
  bool *seen; /* [names.count] a task of theirs came */
  size_t seen_cap;
  double oversold[HC_DIMENSIONS]; /* the sum of guarantees, where it is above 1; else 0 */
  hc_due nothing, answer;
} hc_dues;

hc_rc hc_dues_init(hc_dues *d, const hc_allocator *a, const hc_lexicon *lexicon, const char *where);
void hc_dues_fini(hc_dues *d);
/* Read one of the lists: const char * entries. @return 0, HC_EUSAGE with the entry and what to write,
 * HC_ENOMEM. */
hc_rc hc_dues_read(hc_dues *d, hc_due_list which, const hc_list *list, hc_error *e);
/* Put a user into a pool. @return 0, HC_EUSAGE (in two), HC_ENOMEM. */
hc_rc hc_dues_pool(hc_dues *d, const char *user, uint32_t pool, hc_error *e);
/* Guarantees that sum to more than there is: scale them to what there is, or refuse. After the lists. */
hc_rc hc_dues_guarantees(hc_dues *d, bool scales, hc_error *e);
/* Refuse weights that differ by dimension, where dimensions are not compared. @return 0 or HC_EUSAGE */
hc_rc hc_dues_one_weight(const hc_dues *d, hc_error *e);
/* What the user of this number is due, and that there is such a user. Borrowed until the next question. */
const hc_due *hc_dues_of(hc_dues *d, int64_t user);
/* The same of anything that has a number and perhaps a name (NULL). */
const hc_due *hc_dues_called(hc_dues *d, const char *name, int64_t number);
/* At the end of a run: which users were named and never came, and what was scaled. */
void hc_dues_note(const hc_dues *d, hc_buffer *out);
/* The number of a dimension that the run knows, or -1. */
int hc_dues_dimension(const hc_lexicon *lexicon, const char *name, size_t n);

#endif
