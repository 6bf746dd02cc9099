/* tightest.c -- a placement in a shared object: the host that has least left of what the task asks for; of
 * processors the free ones with the highest ids. */
#include "hindcast/placement.h"
#include "hindcast/plugin.h"

typedef struct options {
  double share; /* of a host */
} options;

/* The highest score takes the task, the lower host of equal ones. */
static double score(void *self, const hc_host_view *h)
{
  const options *o = self;
  double left = 0;
  for (uint32_t d = 0; d < h->dimensions; d++)
    if (h->need[d] > 0) left += (double)(h->free[d] - h->need[d]) / (double)h->capacity[d];
  return left >= o->share ? -left : -left - (double)h->dimensions; /* what would be too full comes last */
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  (void)self;
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)opts, .score = score};
}

/* A cell that numbers its processors: ranges from the last one down, and written ascending. */
static size_t place(const void *opts, const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units;
  size_t first = in->free_count, n = 0;
  (void)opts;
  while (left > 0 && first > 0) left -= in->free[--first].count;
  if (left > 0) return 0; /* not enough is free */
  for (size_t i = first; i < in->free_count; i++) out[n++] = in->free[i];
  out[0].first += (uint32_t)-left; /* of the lowest of them only its upper part */
  out[0].count -= (uint32_t)-left;
  return n;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, share, "1", "0", 0, 1,
             "A host that would have less than this share left is a last resort."),
    {0}};

const hc_place_type hc_place_tightest = {
    .component = {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "tightest",
                  .summary = "the host that has least left, or the processors with the highest ids",
                  .params = params, .options_size = sizeof(options)},
    .place = place,
    .chooser = chooser};

/* Only a shared object needs what follows. */
static const hc_component *const components[] = {&hc_place_tightest.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "tightest", .components = components};
