/* utilisation.c -- hosts whose utilisation, as a weighted sum over dimensions, does not exceed a threshold.
 *
 *   sum over d of w_d (1 - free_d / M_d) <= threshold
 *
 * free_d is what tasks and local load leave. The source prints M_i (memory) below the line of the disk's
 * term, which is a misprint: each dimension is divided by its own amount. With a weight of the cores above
 * the threshold a host on which all cores are claimed is out by itself. */
#include "base/mem.h"
#include "base/util.h"
#include "hindcast/placement.h"

typedef struct options {
  hc_list weights; /* double */
  double threshold;
} options;

struct hc_policy {
  const hc_allocator *allocator;
  double weight[HC_DIMENSIONS], threshold;
};

static hc_rc init(const hc_eligibility_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  HC_UNUSED(e);
  if (!self) return HC_ENOMEM;
  self->allocator = c->allocator;
  self->threshold = o->threshold;
  for (size_t i = 0; i < HC_DIMENSIONS && i < o->weights.count; i++)
    self->weight[i] = ((const double *)o->weights.items)[i];
  *out = self;
  return 0;
}

static bool admits(const hc_policy *self, const hc_host_state *h)
{
  double sum = 0;
  for (uint32_t d = 0; d < h->dimensions; d++) sum += self->weight[h->which[d]] * h->used[d];
  return sum <= self->threshold;
}

static void fini(hc_policy *self)
{
  hc_free(self->allocator, self, sizeof *self);
}

static const hc_param params[] = {
    HC_PARAM(REALS, options, weights, "1", "[0.6, 0.3, 0.1]", 0, 1e6,
             "Weight of each dimension: cpu, memory, disk, gpu, then others in the order in which the run "
             "names them. Those behind the end of the list do not count."),
    HC_PARAM(REAL, options, threshold, "1", "0.5", 0, 1e6, "Greatest sum with which a host may be used."),
    {0}};

const hc_eligibility_type hc_eligibility_utilisation = {
    .component =
        {HC_COMPONENT_HEAD(hc_eligibility_type, HC_KIND_ELIGIBILITY), .name = "utilisation",
         .summary = "hosts of which the weighted sum of used shares is at most a threshold",
         .detail =
             "sum over dimensions of weight x used <= threshold, where used = 1 - left (1 - local load) / "
             "amount, and left is what tasks leave of the dimension. The source divides the disk's term by "
             "memory, a misprint.",
         .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: CU, "
                   "convolution of utilisations", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .admits = admits,
    .fini = fini,
};
