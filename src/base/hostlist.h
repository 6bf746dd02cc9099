/* hostlist.h -- the names that a list of hosts in brackets stands for, as Slurm writes them: `n[01-03,10]`,
 * `r[0-1]n[00-03]`, `login,gpu[1-2]`.
 *
 * Numbers keep the width of the low end of their range; of several brackets in a name the last runs fastest;
 * commas outside of brackets separate names. Nothing is held: each name is handed over as it comes, so that
 * who asks decides how many are too many. */
#ifndef HC_BASE_HOSTLIST_H
#define HC_BASE_HOSTLIST_H

#include "base/mem.h"

#define HC_HOSTLIST_MOST (UINT64_C(1) << 24)

typedef struct hc_hostlist {
  const char *text;
  hc_rc wrong;       /* HC_EUSAGE or HC_EINPUT: what a list that cannot be read is */
  const char *where; /* with line and column the place of the text, for errors */
  uint32_t line, column;
  /** A name. @return 0 to go on; all else ends it. */
  hc_rc (*take)(void *ctx, const char *name, hc_error *e);
  void *ctx;
} hc_hostlist;

/** Hand over all names in their order. Empty names between commas are passed over.
 * @return 0; `wrong` (brackets that do not close, a range that ends before it begins, more than four pairs
 * of brackets in a name); HC_ELIMIT (a name of more than 1,023 bytes, more than 2^24 names); or what `take`
 * returned other than 0. */
hc_rc hc_hostlist_each(const hc_hostlist *l, hc_error *e);
/** Whether a name is one of the list's, whose `take` and `ctx` play no part. @return 1, 0, or an error as
 * above. Cost: the names up to it */
hc_rc hc_hostlist_has(const hc_hostlist *l, const char *name, hc_error *e);

/** A number of at most nine digits, or a range of them, at `s`: "5", "00-99", in which `last` may be the
 * less. @param width  out: digits of `first` @return how many bytes it takes; 0: it is neither */
size_t hc_hostlist_range(const char *s, uint32_t *first, uint32_t *last, size_t *width);

#endif
