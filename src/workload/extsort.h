/* extsort.h -- a trace of any length sorted by time of submission, in bounded memory: hc_sort_lines and
 * hc_trace_sort of hindcast/workload.h. */
#ifndef HC_WORKLOAD_EXTSORT_H
#define HC_WORKLOAD_EXTSORT_H

#endif
