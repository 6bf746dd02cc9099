/* average.c -- as long as all ended tasks of the same user so far, on average. */
#include "policy/history.h"

typedef struct options {
  hc_history_options head;
} options;

static hc_time answer(const hc_history *h, const hc_time *window, size_t n, const void *opts)
{
  HC_UNUSED(window);
  HC_UNUSED(n);
  HC_UNUSED(opts);
  return hc_wide_divide(h->sum, (int64_t)h->count, false);
}

static hc_rc init(const hc_allocator *a, const void *opts, hc_predictor **out, hc_error *e)
{
  return hc_history_new(a, opts, 0, answer, out, e);
}

static const hc_param params[] = {HC_HISTORY_PARAMS(options, head, "[user]", "1"), {0}};

const hc_predictor_type hc_predictor_average = {
    .component =
        {HC_COMPONENT_HEAD(hc_predictor_type, HC_KIND_PREDICTOR), .name = "average",
         .summary = "the mean of all ended tasks of the same user",
         .detail =
             "prediction = sum of run times / their number, over all that ended so far. " HC_HISTORY_DETAIL,
         .source = "Gibbons, JSSPP 1997, doi:10.1007/3-540-63574-2_16", .params = params,
         .options_size = sizeof(options)},
    HC_HISTORY_CALLS,
};
