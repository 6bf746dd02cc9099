/* gpu_packing.c -- use what is used: a GPU that others share, then a free one of a host in use, then a fresh
 * host.
 *
 * Score of a task that needs GPUs: sharing a GPU in use 100 - free / 100 of it (thousandths); n free GPUs of
 * a host in use max(50 - n, 100/3); any GPU of a host with none in use 100/3 - those it has. Without GPUs 0:
 * the lowest host. The GPU shared is the fullest that fits, which is what a cell gives anyway.
 *
 * Bound: 100/3 - the fewest GPUs, if all hosts of the box are idle; else what the task could get at best. */
#include "policy/placing.h"

typedef enum band { SHARED = 100, USED = 50 } band;
#define FRESH (100.0 / 3)

/* The place of GPUs among the cell's dimensions; `n` if it has none. */
static uint32_t gpus_at(const uint8_t *which, uint32_t n)
{
  uint32_t d = 0;
  while (d < n && which[d] != HC_DIM_GPU) d++;
  return d;
}

static double on_free_ones(int64_t need)
{
  double score = USED - (double)((need + HC_DEVICE - 1) / HC_DEVICE);
  return HC_MAX(score, FRESH);
}

static double on_fresh_host(int64_t capacity)
{
  return FRESH - (double)(capacity / HC_DEVICE);
}

static double score(void *self, const hc_host_view *h)
{
  uint32_t d = gpus_at(h->which, h->dimensions);
  int64_t need = d < h->dimensions ? h->need[d] : 0, fullest = HC_DEVICE;
  HC_UNUSED(self);
  if (need <= 0) return 0;
  if (h->free[d] >= h->capacity[d]) return on_fresh_host(h->capacity[d]);
  if (need >= HC_DEVICE) return on_free_ones(need);
  for (uint32_t i = 0; i < h->device_count; i++)
    if (h->devices[i] >= need) fullest = HC_MIN(fullest, h->devices[i]);
  return fullest < HC_DEVICE ? SHARED - (double)fullest / 100 : on_free_ones(need);
}

static double bound(void *self, const hc_host_box *b)
{
  uint32_t d = gpus_at(b->which, b->dimensions);
  int64_t need = d < b->dimensions ? b->need[d] : 0;
  HC_UNUSED(self);
  if (need <= 0) return 0;
  if (b->low[d] >= b->capacity_high[d]) return on_fresh_host(HC_MAX(b->capacity_low[d], need));
  return need >= HC_DEVICE ? on_free_ones(need) : SHARED - (double)need / 100;
}

static void chooser(const void *options, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(options);
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .score = score, .bound = bound};
}

const hc_place_type hc_place_gpu_packing = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "gpu_packing",
         .summary = "share a GPU in use, else take free GPUs of a host in use, else use an unused host",
         .detail =
             "Score of a host for a task with GPUs: 100 - free/100 of the fullest GPU in use that fits "
             "(free in thousandths); else max(50 - GPUs taken, 100/3) if one of its GPUs is in use; else "
             "100/3 - its GPUs. A task without GPUs goes to the lowest host. The FGD simulator cuts scores "
             "to whole numbers; here nothing is cut." HC_LOWEST_TEXT,
         .source = "Weng et al., Beware of fragmentation, USENIX ATC 2023: the GpuPacking baseline of its "
                   "simulator"},
    .place = hc_place_lowest,
    .chooser = chooser,
};
