/* swf_row.h -- one line of the Standard Workload Format as numbers. */
#ifndef HC_WORKLOAD_SWF_ROW_H
#define HC_WORKLOAD_SWF_ROW_H

#include "hindcast/workload.h"

#define HC_SWF_FIELDS 18

/** Read a row.
 *  @param line    ends in a NUL; not changed
 *  @param unit    what one unit of the time fields is, ns
 *  @param alcf    field 6 is the requested time (see the reader)
 *  @param column  out: 1-based place of what is wrong, written only then
 *  @return 1, or 0 if the row is malformed. Cost: about 50 ns if all fields are whole numbers. */
int hc_swf_row(const char *line, hc_time unit, bool alcf, hc_task_spec *out, uint32_t *column);

/** The keys of lines, as hc_reader_type has them: fields 2 and 1. The layout is the title line, if there is
 *  one. */
hc_line_kind hc_swf_line_key(const void *layout, const char *line, size_t n, hc_time *submit, int64_t *id);
hc_rc hc_swf_line_begin(const hc_allocator *a, const void *options, const char *text, size_t size,
                        void **layout, hc_error *e);
void hc_swf_line_end(const hc_allocator *a, void *layout);

/** True for a comment or an empty line. */
bool hc_swf_is_comment(const char *line);

#endif
