/* threads.h -- a thread beside the one that called, and what two of them need: one at a time, and to wait for
 * each other.
 *
 * A core is built without threads.c: it has no thread, so that a monitor is nothing there, and it refuses to
 * start one. */
#ifndef HC_BASE_THREADS_H
#define HC_BASE_THREADS_H

#include "base/mem.h"

typedef struct hc_thread hc_thread;
typedef struct hc_monitor hc_monitor;

/** Whether threads can be had at all. @return 0; HC_EUNSUPPORTED with the remedy */
hc_rc hc_threads_check(hc_error *e);
/** @return 0; HC_EIO: none can be made; HC_EUNSUPPORTED: as hc_threads_check; HC_ENOMEM. */
hc_rc hc_thread_start(const hc_allocator *a, void (*work)(void *ctx), void *ctx, hc_thread **out,
                      hc_error *e);
/** Wait for its end. */
void hc_thread_join(hc_thread *t);

/** @param out NULL where there are no threads, which all of these take. @return 0 or HC_ENOMEM. */
hc_rc hc_monitor_new(const hc_allocator *a, hc_monitor **out);
void hc_monitor_free(hc_monitor *m);
void hc_monitor_enter(hc_monitor *m);
void hc_monitor_leave(hc_monitor *m);
/** Within it: let others enter until one of them wakes all that wait here. */
void hc_monitor_wait(hc_monitor *m);
void hc_monitor_wake(hc_monitor *m);

#endif
