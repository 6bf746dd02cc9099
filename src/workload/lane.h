/* lane.h -- one source, from its rows to tasks that can be scheduled: read, put in order, transformed,
 * admitted.
 *
 *   source -> sort window -> transform -> transform -> (sort window) -> admission
 *
 * With `threads: 2` all of it is done on a thread of the lane's own, a few blocks ahead (ahead.h); what comes
 * out, and what is counted by then, is the same. Only a task of which just the hosts themselves can say
 * whether it will ever run, since it wants more than a plain part of one, is admitted by the side that takes
 * it. */
#ifndef HC_WORKLOAD_LANE_H
#define HC_WORKLOAD_LANE_H

#include "workload/stream.h"

typedef struct hc_lane hc_lane;

/** Open source number `which` of `o`, and read its first job, so that what its header says is known.
 *  @param c, o borrowed; the admission may still change before the first task is asked for */
hc_rc hc_lane_open(const hc_source_context *c, const hc_stream_options *o, size_t which, hc_lane **out,
                   hc_error *e);
void hc_lane_close(hc_lane *l); /* NULL is fine */
/** Start the transforms that aim at a total: not before the machine's size is known. Before the first
 *  task. */
hc_rc hc_lane_prepare(hc_lane *l, hc_error *e);
/** The next task; a row that stands for many is one. Borrowed until the next call. The context's ledger has
 *  what was rejected before it. @return 1; 0: there are no more; 2: it waits for feedback; or an error */
hc_rc hc_lane_next(hc_lane *l, const hc_arrival **out, hc_error *e);
/** Tasks that follow the one just handed out, lie behind it, and of which there is nothing more to be said or
 *  counted than that each is a row that is used. @return how many; mostly 0 if the lane has no thread */
uint32_t hc_lane_stretch(hc_lane *l, const hc_arrival **first);
/** The last `n` of them, from `first` on, were not taken. */
void hc_lane_give_back(hc_lane *l, const hc_arrival *first, uint32_t n);
/** Tell the source that a task has ended. @return how many tasks it lets go, or an error. */
/** More rows: as hc_reader_type.feed. @return also HC_ENOTFOUND: its source takes none */
hc_rc hc_lane_feed(hc_lane *l, const char *text, size_t size, hc_error *e);
bool hc_lane_takes(const hc_lane *l);
hc_rc hc_lane_feedback(hc_lane *l, const hc_feedback *f, hc_error *e);
bool hc_lane_listens(const hc_lane *l);
const hc_trace_info *hc_lane_info(const hc_lane *l);
hc_refers hc_lane_refers(const hc_lane *l);
/** Bytes of rows that were handed on. @param total 0: not known */
void hc_lane_progress(const hc_lane *l, uint64_t *done, uint64_t *total);
/** A row that was read and is not handed on goes where it can be saved; a thread stops until the next
 *  call. */
hc_rc hc_lane_settle(hc_lane *l, hc_error *e);
hc_rc hc_lane_visit(hc_lane *l, hc_visitor *v, hc_error *e); /* settled */

#endif
