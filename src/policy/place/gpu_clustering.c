/* gpu_clustering.c -- keep tasks of a kind together: those that share a GPU, and those that take whole ones.
 *
 * Four bands of 25, by what is on the host: only the task's own kind, its kind and others, no task, only
 * others; inside a band the host with less GPU free. The source's kinds are: a part of a GPU, 1 GPU, 2 GPUs,
 * ... A placement sees the GPUs of a host and not who is on it, so that here the kinds are two: a GPU in part
 * free is shared, and one with nothing free is taken whole (though parts may have filled it up).
 *
 * Bound: the band of an idle host if all hosts of the box are idle, else the highest, as a box does not
 * show single GPUs; and inside it the least free. */
#include "policy/placing.h"

#define BAND 25.0

typedef struct options {
  double most; /* GPUs of the largest host */
} options;

static uint32_t gpus_at(const uint8_t *which, uint32_t n)
{
  uint32_t d = 0;
  while (d < n && which[d] != HC_DIM_GPU) d++;
  return d;
}

/* Inside a band. */
static double fullness(const options *o, int64_t free)
{
  double share = (double)free / (o->most * HC_DEVICE);
  return BAND * (share < 1 ? 1 - share : 0);
}

static double score(void *self, const hc_host_view *h)
{
  uint32_t d = gpus_at(h->which, h->dimensions);
  int64_t need = d < h->dimensions ? h->need[d] : 0;
  bool shared = false, whole = false, same, other;
  double band;
  if (need <= 0) return 0;
  for (uint32_t i = 0; i < h->device_count && h->free[d] < h->capacity[d]; i++) {
    shared |= h->devices[i] > 0 && h->devices[i] < HC_DEVICE;
    whole |= h->devices[i] <= 0;
  }
  same = need < HC_DEVICE ? shared : whole;
  other = need < HC_DEVICE ? whole : shared;
  band = same ? (other ? 2 : 3) : (other ? 0 : 1);
  return BAND * band + fullness(self, h->free[d]);
}

static double bound(void *self, const hc_host_box *b)
{
  uint32_t d = gpus_at(b->which, b->dimensions);
  int64_t need = d < b->dimensions ? b->need[d] : 0;
  if (need <= 0) return 0;
  return BAND * (b->low[d] >= b->capacity_high[d] ? 1 : 3) + fullness(self, HC_MAX(b->low[d], need));
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, most, "GPUs", "8", 0.001, 1e6,
             "Number of GPUs of the largest host: the divisor `most` of the score."),
    {.name = NULL}};

const hc_place_type hc_place_gpu_clustering = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "gpu_clustering",
         .summary = "keep tasks that share GPUs apart from those that take whole ones",
         .detail =
             "Score of a host for a task with GPUs: 75 if only tasks of its own kind are there, 50 if others "
             "are there too, 25 if no task is there, 0 if only others are; plus 25 (1 - free GPUs / most). "
             "There are two kinds, part of a GPU and whole GPUs, and the state of the GPUs shows which are "
             "there: a GPU that is partly free is shared, one with nothing free is taken whole. The source "
             "has a kind for each number of GPUs, which a placement cannot see, and cuts scores to whole "
             "numbers. A task without GPUs goes to the lowest host." HC_LOWEST_TEXT,
         .source = "Weng et al., Beware of fragmentation, USENIX ATC 2023: the GpuClustering baseline of its "
                   "simulator",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
