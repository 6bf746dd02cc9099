/* fgd.c -- fragmentation gradient descent: the host, and the GPU, where free GPUs stay most useful.
 *
 * The fragment F of a host, and which tasks are typical, is as in cluster/fragments.h. Score: F before - F
 * after, in thousandths of a GPU. The source's score is 100 / (1 + e^-(that / 1000)), cut to whole numbers:
 * the same order, but for ties that the cut makes. A part of a GPU is tried on every GPU of the host; the
 * best is its score, and the one that it gets. The source knows the whole workload beforehand, and which
 * models of GPU a task accepts; a placement knows neither.
 *
 * Popularities are whole numbers, so scores are exact. F falls by no more than what the task takes of GPUs:
 * what it takes was a fragment, or was not, and what is left becomes one or stays what it was. That is the
 * bound: 0 for a task without GPUs, its need for others.
 *
 * Cost: typical tasks x different GPUs of the host x GPUs, a score; 600 KiB of state if it learns. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "policy/fragments.h"
#include "policy/placing.h"

typedef struct options {
  hc_typical_options typical;
} options;

struct hc_policy {
  const hc_allocator *allocator;
  hc_typicals typicals;
};

static void read_room(const hc_host_view *h, hc_free_gpus *r)
{
  memset(r->free, 0, sizeof r->free);
  for (uint32_t d = 0; d < h->dimensions && h->which[d] < HC_NEEDS; d++) r->free[h->which[d]] = h->free[d];
  r->count = HC_MIN(h->device_count, (uint32_t)HC_DEVICES);
  r->divisible = r->count == 0 && r->free[HC_DIM_GPU] > 0;
  if (r->divisible) r->count = 1;
  for (uint32_t i = 0; i < r->count; i++) r->devices[i] = r->divisible ? r->free[HC_DIM_GPU] : h->devices[i];
}

/* ---- the choice ---- */

/* F before - F after, over all typical tasks, and which GPUs that takes. */
static hc_wide fall(const hc_policy *self, const hc_host_view *h, int64_t need, hc_devices *taken)
{
  hc_wide before, best = {0};
  int64_t each = 0;
  uint32_t wanted, found = 0;
  hc_free_gpus r;
  read_room(h, &r);
  before = hc_fragments(&self->typicals, &r);
  for (uint32_t d = 0; d < h->dimensions && h->which[d] < HC_NEEDS; d++) r.free[h->which[d]] -= h->need[d];
  *taken = (hc_devices){0};
  wanted = need > 0 ? hc_free_gpus_wanted(&r, need, &each) : 0;
  if (wanted != 1 || each == HC_DEVICE) {
    for (uint32_t i = 0; i < r.count && found < wanted; i++) {
      if (r.devices[i] < each) continue;
      r.devices[i] -= each;
      hc_devices_add(taken, i);
      found++;
    }
    return hc_wide_minus(before, hc_fragments(&self->typicals, &r));
  }
  for (uint32_t i = 0; i < r.count; i++) {
    bool is_like_another = false;
    hc_wide change;
    for (uint32_t k = 0; k < i; k++) is_like_another |= r.devices[k] == r.devices[i];
    if (r.devices[i] < each || is_like_another) continue;
    r.devices[i] -= each;
    change = hc_wide_minus(before, hc_fragments(&self->typicals, &r));
    r.devices[i] += each;
    if (!hc_devices_none(taken) && hc_wide_load(change) <= hc_wide_load(best)) continue;
    best = change;
    *taken = (hc_devices){0};
    hc_devices_add(taken, i);
  }
  return best;
}

static int64_t gpu_need(const uint8_t *which, const int64_t *need, uint32_t n)
{
  for (uint32_t d = 0; d < n; d++)
    if (which[d] == HC_DIM_GPU) return need[d];
  return 0;
}

static double score(void *state, const hc_host_view *h)
{
  const hc_policy *self = state;
  hc_devices taken;
  if (self->typicals.weight == 0) return 0;
  return hc_wide_real(fall(self, h, gpu_need(h->which, h->need, h->dimensions), &taken)) /
         (double)self->typicals.weight;
}

static double bound(void *state, const hc_host_box *b)
{
  const hc_policy *self = state;
  int64_t need = gpu_need(b->which, b->need, b->dimensions);
  if (self->typicals.weight == 0 || need <= 0) return 0;
  return hc_wide_real(hc_wide_product((int64_t)self->typicals.weight, need)) / (double)self->typicals.weight;
}

static hc_devices devices(void *state, const hc_host_view *h, int64_t amount)
{
  hc_devices taken;
  (void)fall(state, h, amount, &taken);
  return h->device_count > 0 ? taken : (hc_devices){0};
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out =
      (hc_chooser){.how = HC_CHOOSE_BEST, .self = self, .score = score, .bound = bound, .devices = devices};
}

/* ---- birth, state, death ---- */

static void arrived(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots)
{
  HC_UNUSED(dimensions); /* typical tasks are told apart by the first of them */
  (void)hc_typicals_arrived(&self->typicals, need, slots);
}

static void fini(hc_policy *self)
{
  if (!self) return;
  hc_typicals_fini(&self->typicals);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  hc_rc rc;
  if (!self) return hc_fail(e, HC_ENOMEM, "place fgd", 0, 0, "no memory for the typical tasks");
  self->allocator = c->allocator;
  rc = hc_typicals_init(&self->typicals, c->allocator, &((const options *)opts)->typical, "place fgd", e);
  if (rc < 0) fini(self);
  else *out = self;
  return rc;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return hc_typicals_visit(&self->typicals, v);
}

static const hc_param params[] = {HC_TYPICAL_PARAMS(options, typical), {.name = NULL}};

const hc_place_type hc_place_fgd = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "fgd",
         .summary = "fragmentation gradient descent: the host and GPU where free GPUs stay most useful",
         .detail =
             "Score of a host: F before - F after the task, in thousandths of a GPU. F = sum over typical "
             "tasks m of popularity x F(m); F(m) is all that is free of the host's GPUs if m needs none or "
             "cannot run there, else what is free of those GPUs that have too little for m. A part of a GPU "
             "goes to the GPU with the best score. Typical tasks are learned from the arrivals so far, "
             "unless they are given; the source knows the whole workload, and the GPU models that a task "
             "accepts. The source's sigmoid orders in the same way, but it cuts scores to whole "
             "numbers." HC_LOWEST_TEXT,
         .source =
             "Weng et al., Beware of fragmentation: scheduling GPU-sharing workloads with fragmentation "
             "gradient descent, USENIX ATC 2023",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .arrived = arrived,
    .visit = visit,
    .fini = fini,
};
