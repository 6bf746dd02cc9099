/* goodput.c -- data-parallel training whose batch grows with its GPUs: Pollux's goodput.
 *
 * A step on K GPUs with a batch of M examples in all computes for T_grad = grad + example M / K, and then
 * adds gradients up for T_sync = 0 on one GPU, near + near_each (K - 2) on one host, and far + far_each (K -
 * 2) on several; the two overlap as gamma says: T = (T_grad^gamma + T_sync^gamma)^(1 / gamma). So M / T
 * examples go through in a second. Of a larger batch each example teaches less: with the noise scale phi of
 * the gradients it is worth (phi + M0) / (phi + M) of one in a batch of M0. Goodput is the product, and a
 * task has the batch that makes it greatest, between M0 and what K GPUs hold. A speed-up is the goodput on K
 * GPUs over that on one.
 *
 * M is a real number here. Goodput rises with M up to one place and falls behind it, where the golden section
 * finds it. phi is one number, where Pollux measures it anew as training goes on. How GPUs lie on hosts is
 * not known to a law: K of them are on as few as they fit on.
 *
 * Source: Qiao, Choe, Subramanya, Neiswanger, Ho, Zhang, Ganger and Xing, "Pollux: co-adaptive cluster
 * scheduling for goodput-optimized deep learning", OSDI 2021, sections 3 and 4. The defaults are what its
 * authors take for realistic in the tests of AdaptDL (sched/adaptdl_sched/policy/pollux_test.py), with phi =
 * 128 x 0.000502 / 0.00136. */
#include "base/math.h"
#include "base/util.h"
#include "hindcast/execution.h"

typedef struct options {
  double grad, example, near, near_each, far, far_each, gamma, noise, batch, most, memory, per_host;
} options;

static double seconds_of_step(const options *o, double gpus, double batch)
{
  const double grad = o->grad + o->example * batch / gpus, beyond = HC_MAX(gpus - 2, 0);
  double sync = 0;
  if (gpus > o->per_host) sync = o->far + o->far_each * beyond;
  else if (gpus > 1) sync = o->near + o->near_each * beyond;
  if (sync <= 0) return grad;
  return hc_pow(hc_pow(grad, o->gamma) + hc_pow(sync, o->gamma), 1 / o->gamma);
}

static double goodput(const options *o, double gpus, double batch)
{
  return batch / seconds_of_step(o, gpus, batch) * (o->noise + o->batch) / (o->noise + batch);
}

/* The greatest, by the golden section: each step leaves 0.618 of the stretch. */
static double best(const options *o, double gpus)
{
  static const double part = 0.61803398874989485;
  double low = o->batch, high = HC_MAX(o->batch, HC_MIN(o->most, o->memory * gpus));
  double a = high - part * (high - low), b = low + part * (high - low);
  double at_a = goodput(o, gpus, a), at_b = goodput(o, gpus, b);
  for (int i = 0; i < 60; i++) {
    if (at_a < at_b) {
      low = a;
      a = b;
      at_a = at_b;
      b = low + part * (high - low);
      at_b = goodput(o, gpus, b);
    } else {
      high = b;
      b = a;
      at_b = at_a;
      a = high - part * (high - low);
      at_a = goodput(o, gpus, a);
    }
  }
  return HC_MAX(at_a, at_b);
}

static double speedup(const void *given, double gpus)
{
  return best(given, gpus) / best(given, 1);
}

static hc_rc check(const void *given, hc_error *e)
{
  const options *o = given;
  if (o->grad + o->example > 0 && o->memory >= o->batch && o->most >= o->batch) return 0;
  return hc_fail(
      e, HC_EUSAGE, "speedup goodput", 0, 0,
      "a step takes time (grad, example), and the batch of %g has to fit on one GPU (memory: %g) and "
      "below `most` (%g)",
      o->batch, o->memory, o->most);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, grad, "s", "0.121", 0, 1e9,
             "Time of computing in a step that does not depend on the batch."),
    HC_PARAM(REAL, options, example, "s", "0.00568", 0, 1e9,
             "Further time of computing in a step for each example on a GPU."),
    HC_PARAM(REAL, options, near, "s", "0.0118", 0, 1e9,
             "Time of adding up gradients in a step, between two GPUs of one host."),
    HC_PARAM(REAL, options, near_each, "s", "0.00317", 0, 1e9,
             "Further time of adding up for each GPU beyond two, on one host."),
    HC_PARAM(REAL, options, far, "s", "0.0236", 0, 1e9,
             "Time of adding up gradients in a step, between two GPUs of different hosts."),
    HC_PARAM(REAL, options, far_each, "s", "0.00634", 0, 1e9,
             "Further time of adding up for each GPU beyond two, on several hosts."),
    HC_PARAM(REAL, options, gamma, "1", "1.14", 1, 1000,
             "How much computing and adding up overlap. 1: not at all; the greater, the more."),
    HC_PARAM(REAL, options, noise, "examples", "47.2", 0, 1e12,
             "Noise scale phi of the gradients: the greater, the less is lost by a larger batch."),
    HC_PARAM(REAL, options, batch, "examples", "128", 1, 1e12,
             "The smallest batch, M0, with which a task begins."),
    HC_PARAM(REAL, options, most, "examples", "1280", 1, 1e12, "The largest batch on all GPUs together."),
    HC_PARAM(REAL, options, memory, "examples", "256", 1, 1e12,
             "The largest number of examples of a batch on one GPU."),
    HC_PARAM(REAL, options, per_host, "GPUs", "4", 1, 1e9,
             "Number of GPUs of a host; a task with more is on several hosts."),
    {0}};

const hc_speedup_type hc_speedup_goodput = {
    .component =
        {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP), .name = "goodput",
         .summary = "training whose batch grows with the number of its GPUs: the goodput of Pollux",
         .detail = "S(K) = max over M of G(K, M) / max over M of G(1, M), with K GPUs, G = M / T x (phi + "
                   "M0) / (phi + M), T = ((grad + example M / K)^gamma + sync^gamma)^(1 / gamma), and sync = "
                   "0 on one GPU, near + near_each (K - 2) on up to `per_host` GPUs, far + far_each (K - 2) "
                   "on more. The batch M is a real number from M0 = `batch` to the smaller of `most` and "
                   "`memory` x K. phi = `noise` stays the same throughout the training.",
         .source = "Qiao et al., Pollux: co-adaptive cluster scheduling for goodput-optimized deep learning, "
                   "OSDI 2021, sections 3 and 4; the defaults: AdaptDL (github.com/petuum/adaptdl), "
                   "sched/adaptdl_sched/policy/pollux_test.py",
         .params = params, .options_size = sizeof(options)},
    .speedup = speedup,
    .check = check};
