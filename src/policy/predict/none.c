/* none.c -- no prediction: what the others are measured against. */
#include "hindcast/predictor.h"

static hc_time predict(const hc_predictor *self, const hc_predictor_task *t)
{
  (void)self;
  (void)t;
  return HC_UNKNOWN;
}

const hc_predictor_type hc_predictor_none = {
    .component = {HC_COMPONENT_HEAD(hc_predictor_type, HC_KIND_PREDICTOR), .name = "none",
                  .summary = "what users asked for is used as the prediction",
                  .detail = "The baseline, for studies that compare predictors: the same run as without the "
                            "key `predictor`."},
    .predict = predict,
};
