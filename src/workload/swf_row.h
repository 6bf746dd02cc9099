/* swf_row.h -- one line of the Standard Workload Format, both ways. */
#ifndef HC_WORKLOAD_SWF_ROW_H
#define HC_WORKLOAD_SWF_ROW_H

#include "base/input.h"
#include "hindcast/workload.h"
#include "workload/writing.h"

#define HC_SWF_FIELDS 18

/* Columns in their order: name, what it holds, the member of a task, and whose that is when it is written,
 * the task's (t) or what it is in the terms of batch systems (b). */
#define HC_SWF_COLUMNS(X) \
  X(ID, WHOLE, id, t) \
  X(SUBMIT, TIME, submit, t) \
  X(WAIT, TIME, wait, t) \
  X(RUN, TIME, run, t) \
  X(USED, AMOUNT, procs_used, b) \
  X(CPU, TIME, cpu_time, t) \
  X(MEMORY, KIB, memory_used, b) \
  X(ASKED, AMOUNT, procs_asked, b) \
  X(LIMIT, TIME, limit, t) \
  X(MEMORY_ASKED, KIB, memory_asked, b) \
  X(STATUS, STATE, status, t) \
  X(USER, WHOLE, user, t) \
  X(GROUP, WHOLE, group, t) \
  X(EXECUTABLE, WHOLE, executable, t) \
  X(QUEUE, WHOLE, queue, t) \
  X(PARTITION, WHOLE, partition, t) \
  X(PRECEDING, WHOLE, preceding, t) \
  X(THINK, TIME, think, t)

/** Read a row.
 *  @param line    ends in a NUL; not changed
 *  @param unit    what one unit of the time fields is, ns
 *  @param alcf    field 6 is the requested time (see the reader)
 *  @param column  out: 1-based place of what is wrong, written only then
 *  @return 1, or 0 if the row is malformed. Cost: about 50 ns if all fields are whole numbers. */
int hc_swf_row(const char *line, hc_time unit, bool alcf, hc_task_spec *out, uint32_t *column);

/** A task as a line, with its newline: at most HC_SWF_ROW bytes. Lossless: seconds and KiB are whole
 * numbers when they are, else have as many decimals as they need. Cost: about 50 ns. */
#define HC_SWF_ROW ((size_t)HC_SWF_FIELDS * 40)
char *hc_swf_put(char *p, const hc_task_spec *t, const hc_batch *b);

/** The keys of lines, as hc_reader_type has them: fields 2 and 1. The layout is the title line, if there is
 *  one. */
hc_line_kind hc_swf_line_key(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id);
hc_rc hc_swf_line_begin(const hc_allocator *a, const void *options, const char *text, size_t size,
                        void **layout, hc_error *e);
void hc_swf_line_end(const hc_allocator *a, void *layout);

/** Do the rows of a file ascend, by fields 2 and 1, so that none need be sorted? It is read once more for
 *  that. @param of  it, as opened @return false: they do not, or that is not known. Cost: swf_order.c */
bool hc_swf_ascends(const hc_allocator *a, const hc_input *of);

/** True for a comment or an empty line. */
bool hc_swf_is_comment(const char *line);

#endif
