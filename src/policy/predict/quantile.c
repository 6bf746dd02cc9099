/* quantile.c -- a quantile of the last run times of tasks that are alike.
 *
 * A mean is too short for about half of the tasks; a high quantile for few of them. The quantile q of n run
 * times is the one of rank ceil(q n), from 1: a run time that was. */

#include "policy/history.h"

enum { WINDOW_MOST = 256 };

typedef struct options {
  hc_history_options head;
  double q;
  int64_t window;
} options;

/* The one of that rank, by insertion: windows are short. */
static hc_time ranked(const hc_time *window, size_t n, size_t rank)
{
  hc_time sorted[WINDOW_MOST];
  for (size_t i = 0; i < n; i++) {
    size_t k = i;
    for (; k > 0 && sorted[k - 1] > window[i]; k--) sorted[k] = sorted[k - 1];
    sorted[k] = window[i];
  }
  return sorted[rank - 1];
}

static hc_time answer(const hc_history *h, const hc_time *window, size_t n, const void *opts)
{
  const double at = ((const options *)opts)->q * (double)n;
  size_t rank = (size_t)at;
  HC_UNUSED(h);
  rank += (double)rank < at;
  return ranked(window, n, HC_MAX(HC_MIN(rank, n), (size_t)1));
}

static hc_rc init(const hc_allocator *a, const void *opts, hc_predictor **out, hc_error *e)
{
  return hc_history_new(a, opts, (size_t)((const options *)opts)->window, answer, out, e);
}

static const hc_param params[] = {
    HC_HISTORY_PARAMS(options, head, "[user]", "2"),
    HC_PARAM(REAL, options, q, "1", "0.75", 0, 1,
             "Which quantile: 0.5 is the median, 1 the longest in the window."),
    HC_PARAM(INT, options, window, "tasks", "20", 1, WINDOW_MOST,
             "Number of the last ended tasks whose run times count."),
    {0}};

const hc_predictor_type hc_predictor_quantile = {
    .component = {HC_COMPONENT_HEAD(hc_predictor_type, HC_KIND_PREDICTOR), .name = "quantile",
                  .summary = "a quantile of the last run times of the same user, program or class",
                  .detail = "prediction = the run time of rank ceil(q n) among the last n of the window. "
                            "`by: [user_executable, user]` goes by user and job name where both are known "
                            "and have been seen. " HC_HISTORY_DETAIL,
                  .source = "Smith, Foster and Taylor, JSSPP 1998, doi:10.1007/BFb0053984 (classes of tasks)",
                  .params = params, .options_size = sizeof(options)},
    HC_HISTORY_CALLS,
};
