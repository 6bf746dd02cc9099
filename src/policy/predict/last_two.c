/* last_two.c -- as long as the last two of the same user, on average: the predictor of EASY++.
 *
 * Tsafrir, Etsion and Feitelson found that so little is enough: what a user did last is the best guide, and
 * a longer memory made no better schedules. The two are those that ended last, whatever they asked for. */
#include "policy/history.h"

typedef struct options {
  hc_history_options head;
} options;

static hc_time answer(const hc_history *h, const hc_time *window, size_t n, const void *opts)
{
  HC_UNUSED(window);
  HC_UNUSED(n);
  HC_UNUSED(opts);
  if (h->before == HC_UNKNOWN) return HC_UNKNOWN;
  return (hc_time)(((uint64_t)h->last + (uint64_t)h->before) / 2);
}

static hc_rc init(const hc_allocator *a, const void *opts, hc_predictor **out, hc_error *e)
{
  return hc_history_new(a, opts, 0, answer, out, e);
}

static const hc_param params[] = {HC_HISTORY_PARAMS(options, head, "[user]", "2"), {0}};

const hc_predictor_type hc_predictor_last_two = {
    .component = {HC_COMPONENT_HEAD(hc_predictor_type, HC_KIND_PREDICTOR), .name = "last_two",
                  .summary = "the mean of the last two ended tasks of the same user, as in EASY++",
                  .detail = "prediction = (run of the last + run of the one before) / 2. " HC_HISTORY_DETAIL,
                  .source =
                      "Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007, doi:10.1109/TPDS.2007.70606",
                  .params = params, .options_size = sizeof(options)},
    HC_HISTORY_CALLS,
};
