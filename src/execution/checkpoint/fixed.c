/* fixed.c -- a checkpoint after each stretch of work of a given length. */
#include "hindcast/execution.h"

typedef struct options {
  hc_checkpoint_options all;
  hc_time every;
} options;

static double every(const void *opts, double cost, double mtbf)
{
  const options *o = opts;
  (void)cost;
  (void)mtbf;
  return o->every == HC_UNKNOWN ? -1 : (double)o->every / 1e9;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, every, "s", NULL, 1e-9, 1e9, "Work between two checkpoints. Required."),
    HC_CHECKPOINT_PARAMS(options),
    {0}};

const hc_checkpoint_type hc_checkpoint_fixed = {
    .component = {HC_COMPONENT_HEAD(hc_checkpoint_type, HC_KIND_CHECKPOINT), .name = "fixed",
                  .summary = "after a fixed amount of work",
                  .detail = "Example: checkpoint: {use: fixed, every: 1h, write: 5m, read: 10m}.",
                  .params = params,
                  .options_size = sizeof(options)},
    .every = every};
