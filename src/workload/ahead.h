/* ahead.h -- tasks that are made on a thread of its own, a few blocks ahead of the caller that takes them. */
#ifndef HC_WORKLOAD_AHEAD_H
#define HC_WORKLOAD_AHEAD_H

#include "workload/stream.h"

typedef struct hc_ahead hc_ahead;

/** Who makes them. Once hc_ahead_next has been called it belongs to the thread, until hc_ahead_stop. */
typedef struct hc_ahead_maker {
  void *ctx;
  hc_rc (*next)(void *ctx, hc_arrival *out, hc_error *e); /* 1, 0 at the end, or an error */
  void (*progress)(void *ctx, uint64_t *done, uint64_t *total);
} hc_ahead_maker;

/** @param for_maker what the maker has to have in place of `given`: it counts and tells there, and both are
 *  passed on in their time. @return 0 or HC_ENOMEM. */
hc_rc hc_ahead_new(const hc_source_context *given, const hc_ahead_maker *maker, hc_ahead **out,
                   hc_source_context *for_maker);
/** The next task, borrowed until the next call; rows that were rejected before it are told. @param ledger as
 *  it stands then. @return as the maker's; HC_EIO: no thread can be made */
hc_rc hc_ahead_next(hc_ahead *h, const hc_arrival **out, hc_row_ledger *ledger, hc_error *e);
/** Those behind the task that was just handed out which need not be looked at: in order of submission, one
 *  a row, admitted, and nothing was rejected between them. They lie one after the other and count as handed
 *  out.
 *  @return how many; 0: the next one is not like that */
uint32_t hc_ahead_stretch(hc_ahead *h, const hc_arrival **first);
/** The last `n` of them were not taken, and come again. */
void hc_ahead_give_back(hc_ahead *h, uint32_t n);
/** Stop the thread: the maker can be looked at once all that it has made has been taken. */
void hc_ahead_stop(hc_ahead *h);
/** As hc_ahead_next, of what a stopped one had made. @return 0: nothing is left; hc_ahead_next begins
 *  again */
hc_rc hc_ahead_left(hc_ahead *h, const hc_arrival **out, hc_row_ledger *ledger, hc_error *e);
/** The maker was put elsewhere, where it had counted this: nothing that was made before counts. Stopped. */
void hc_ahead_reset(hc_ahead *h, const hc_row_ledger *ledger);
void hc_ahead_progress(const hc_ahead *h, uint64_t *done, uint64_t *total); /* as of the tasks handed out */
void hc_ahead_free(hc_ahead *h);                                            /* NULL is fine */

#endif
