/* gpu_fragments.c -- the part of the free GPUs that typical tasks could not use: FGD's fragmentation, over
 * time.
 *
 * F of a host is as in cluster/fragments.h; the ratio is the sum of F over that of what is free of GPUs. Both
 * are levels over hosts that change when a task takes or gives back something, when a host changes, and when
 * other tasks become typical; then every host is looked at again. F is kept in millionths of a thousandth of
 * a GPU, rounded once for the sum over all hosts, which is exact until then.
 *
 * Which GPUs a task has is part of what changed. Hosts whose GPUs are divisible at will have one large one.
 * What a drained host has free counts, that of one that is away does not. Cost: typical tasks x GPUs of the
 * host per claim, and the same over all hosts when other tasks become typical (logarithmically often); 300
 * bytes per host. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/fragments.h"
#include "metric/machine.h"
#include "metric/spans.h"

#define PART 1000000 /* levels of F are millionths of thousandths */

enum { FREE, FRAGMENTS, LEVELS };

typedef struct options {
  hc_span_options spans;
  hc_typical_options typical;
} options;

typedef struct holding {
  int64_t claimed[HC_NEEDS]; /* by the lexicon's number */
} holding;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  hc_spans spans;
  hc_typicals typicals;
  holding *held;      /* [hosts] */
  uint32_t room;      /* most GPUs that a host has, or may be resized to */
  int64_t *taken;     /* [hosts][room] thousandths of each GPU */
  hc_wide *fragments; /* [hosts] F x weight: what is counted of it in `sum` */
  hc_wide sum;
  bool has_gpus;
};

/* ---- hosts ---- */

static void read_free(const hc_metric *self, uint32_t host, hc_free_gpus *r)
{
  const holding *h = &self->held[host];
  const int64_t *capacity = hc_machine_capacity(&self->machine, host),
                *taken = self->taken + (size_t)host * self->room;
  const hc_cell_spec *spec = self->machine.spec;
  const uint32_t devices = spec->classes[spec->class_of[host]].devices;
  r->divisible = devices == 0;
  r->count = 1;
  for (int d = 0; d < HC_NEEDS; d++) r->free[d] = HC_MAX(hc_amount_minus(capacity[d], h->claimed[d]), 0);
  if (r->divisible) {
    r->devices[0] = r->free[HC_DIM_GPU];
    return;
  }
  r->count = (uint32_t)HC_MIN((capacity[HC_DIM_GPU] + HC_DEVICE - 1) / HC_DEVICE, self->room);
  for (uint32_t i = 0; i < r->count; i++) {
    const int64_t size = HC_MIN(capacity[HC_DIM_GPU] - (int64_t)i * HC_DEVICE, HC_DEVICE);
    r->devices[i] = HC_MAX(size - taken[i], 0);
  }
}

static int64_t free_of(const hc_free_gpus *r)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < r->count; i++) sum += r->devices[i];
  return sum;
}

static void look_at(hc_metric *self, uint32_t host, const hc_free_gpus *r)
{
  const hc_wide now = hc_fragments(&self->typicals, r);
  self->sum = hc_wide_minus(self->sum, self->fragments[host]);
  self->sum = hc_wide_plus(self->sum, now);
  self->fragments[host] = now;
}

/* Sum of F over hosts, as the level of its column. */
static int64_t level_of(const hc_metric *self)
{
  if (self->typicals.weight == 0) return 0;
  const double x = hc_wide_real(self->sum) / (double)self->typicals.weight * PART;
  return (int64_t)(HC_MIN(x, 9e18) + 0.5);
}

static void look_at_all(hc_metric *self)
{
  for (uint32_t h = 0; h < self->machine.hosts; h++) {
    hc_free_gpus r;
    read_free(self, h, &r);
    look_at(self, h, &r);
  }
}

/* ---- birth and death ---- */

/* As the cell itself has it: cluster/hosts_devices.c. */
static uint32_t room_for(const hc_cell_spec *s)
{
  enum { LEAST = 16 };
  int64_t most = LEAST;
  for (uint32_t k = 0; k < s->class_count; k++) most = HC_MAX(most, (int64_t)s->classes[k].devices);
  for (size_t i = 0; i < s->event_count; i++)
    if (s->events[i].capacity) most = HC_MAX(most, s->events[i].capacity[HC_DIM_GPU] / HC_DEVICE);
  return (uint32_t)HC_MIN(most, HC_DEVICES);
}

static void fini(hc_metric *self)
{
  if (self) {
    const hc_allocator *a = self->family.context.allocator;
    hc_free(a, self->held, self->machine.hosts * sizeof *self->held);
    hc_free(a, self->taken, (size_t)self->machine.hosts * self->room * sizeof *self->taken);
    hc_free(a, self->fragments, self->machine.hosts * sizeof *self->fragments);
    hc_typicals_fini(&self->typicals);
    hc_machine_fini(&self->machine);
    hc_spans_fini(&self->spans);
  }
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  int64_t sum = 0;
  hc_spans_init(&self->spans, a, &o->spans);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  TRY(hc_typicals_init(&self->typicals, a, &o->typical, "metric gpu_fragments", e));
  TRY(hc_spans_widen(&self->spans, LEVELS));
  for (uint32_t d = 0; d < self->machine.dimensions; d++)
    self->has_gpus |= self->machine.hosts > 0 && self->machine.which[d] == HC_DIM_GPU;
  if (!self->has_gpus) return 0;
  self->room = room_for(self->machine.spec);
  self->held = hc_alloc(a, self->machine.hosts * sizeof *self->held);
  self->taken = hc_alloc(a, (size_t)self->machine.hosts * self->room * sizeof *self->taken);
  self->fragments = hc_alloc(a, self->machine.hosts * sizeof *self->fragments);
  if (!self->held || !self->taken || !self->fragments) return HC_ENOMEM;
  look_at_all(self);
  for (uint32_t h = 0; h < self->machine.hosts; h++) {
    hc_free_gpus r;
    read_free(self, h, &r);
    sum = hc_amount_plus(sum, free_of(&r));
  }
  hc_spans_start(&self->spans, FREE, sum);
  hc_spans_start(&self->spans, FRAGMENTS, level_of(self));
  return 0;
}

HC_FAMILY_INIT

/* ---- hearing ---- */

/* What a task has on a host lies on these GPUs: as much of each as it holds, from the lowest. */
static void move(hc_metric *self, const hc_change *c, int64_t sign)
{
  holding *h = &self->held[c->host];
  int64_t *taken = self->taken + (size_t)c->host * self->room;
  const uint32_t n = hc_devices_count(&c->devices);
  int64_t left = c->amount[HC_DIM_GPU];
  for (int d = 0; d < HC_NEEDS; d++)
    h->claimed[d] = hc_amount_plus(h->claimed[d], sign > 0 ? c->amount[d] : hc_amount_minus(0, c->amount[d]));
  for (uint32_t i = 0; i < self->room && left > 0; i++) {
    if (!hc_devices_have(&c->devices, i)) continue;
    const int64_t each = n == 1 ? left : HC_MIN(left, HC_DEVICE);
    taken[i] += sign * each;
    left -= each;
  }
}

static hc_rc hear(hc_metric *self, const hc_change *c)
{
  int64_t more[HC_DIMENSIONS];
  hc_free_gpus r;
  if (c->kind == HC_CHANGE_QUEUED) {
    if (c->whole || !hc_typicals_arrived(&self->typicals, c->amount, c->slots)) return 0;
    look_at_all(self);
    return hc_spans_set(&self->spans, FRAGMENTS, c->at, level_of(self));
  }
  if (c->kind == HC_CHANGE_UNQUEUED || c->kind > HC_CHANGE_HOST || !hc_machine_has(&self->machine, c->host))
    return 0;
  read_free(self, c->host, &r);
  const int64_t before = free_of(&r);
  if (c->kind == HC_CHANGE_HOST) (void)hc_machine_change(&self->machine, c, more);
  else move(self, c, c->kind == HC_CHANGE_CLAIMED ? 1 : -1);
  read_free(self, c->host, &r);
  look_at(self, c->host, &r);
  const int64_t grown = hc_amount_minus(free_of(&r), before);
  TRY(hc_spans_set(&self->spans, FREE, c->at, hc_amount_plus(hc_spans_value(&self->spans, FREE), grown)));
  return hc_spans_set(&self->spans, FRAGMENTS, c->at, level_of(self));
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  if (!self->has_gpus) return 0;
  for (size_t i = 0; i < count; i++) {
    hc_spans_hear(&self->spans, changes[i].at);
    TRY(hear(self, &changes[i]));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  return hc_spans_close(&self->spans, end);
}

/* ---- figures ---- */

static hc_rc find(hc_findings *f, const char *table, int64_t key, const hc_wide sums[LEVELS], hc_time time)
{
  const hc_wide free = hc_wide_product(time, HC_DEVICE),
                parts = hc_wide_product(time, (int64_t)HC_DEVICE * PART);
  const double values[] = {hc_wide_ratio(sums[FRAGMENTS], sums[FREE]) / PART,
                           hc_wide_ratio(sums[FRAGMENTS], parts), hc_wide_ratio(sums[FREE], free)};
  static const char *const names[] = {"gpu_fragments_ratio", "gpu_fragments_amount", "gpu_fragments_free"};
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    const char *unit = i == 0 ? "1" : "GPUs";
    if (table) TRY(hc_find_cell(f, table, key, names[i] + sizeof "gpu_fragments", unit, values[i]));
    else TRY(hc_find_real(f, names[i], unit, values[i]));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  hc_wide sums[LEVELS];
  if (!self->has_gpus) return 0;
  for (size_t l = 0; l < LEVELS; l++) sums[l] = hc_spans_total(s, l);
  TRY(find(f, NULL, 0, sums, s->times.begin == HC_UNKNOWN ? 0 : s->times.end - s->times.begin));
  for (size_t r = 0; r < s->rows; r++) {
    TRY(hc_spans_find_until(s, r, f, "gpu_fragments"));
    for (size_t l = 0; l < LEVELS; l++) sums[l] = hc_spans_sum(s, r, l);
    TRY(find(f, "gpu_fragments", hc_spans_key(s, r), sums, hc_spans_until(s, r) - hc_spans_from(s, r)));
  }
  return 0;
}

/* Fragments are made again from what is free. */
static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_machine_visit(&self->machine, v));
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_typicals_visit(&self->typicals, v));
  if (self->spans.columns != LEVELS) return HC_EINPUT;
  if (!self->has_gpus) return 0;
  TRY(hc_visit_bytes(v, self->held, self->machine.hosts * sizeof *self->held));
  TRY(hc_visit_bytes(v, self->taken, (size_t)self->machine.hosts * self->room * sizeof *self->taken));
  if (hc_visit_loading(v)) look_at_all(self);
  return 0;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans), HC_TYPICAL_PARAMS(options, typical), {.name = NULL}};

#define RATIO "integral of F over hosts / integral of what is free of their GPUs"

static const char *const figures[] = {
    "gpu_fragments_ratio|1|lower|" RATIO,
    "gpu_fragments_amount|GPUs|lower|mean of the sum of F over hosts",
    "gpu_fragments_free|GPUs|none|mean of what is free of GPUs",
    "gpu_fragments.until|s|none|where the piece of time ends; the key is where it begins",
    "gpu_fragments.ratio|1|lower|" RATIO ", during it",
    "gpu_fragments.amount|GPUs|lower|mean of the sum of F over hosts, during it",
    "gpu_fragments.free|GPUs|none|mean of what is free of GPUs, during it",
    NULL,
};

const hc_metric_type hc_metric_gpu_fragments = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "gpu_fragments",
         .summary = "the part of free GPUs that typical tasks could not use (FGD), over time",
         .detail =
             "F = sum over typical tasks m of popularity x F(m), for each host; F(m) is all that is free of "
             "the host's GPUs if m needs none or cannot run there (for want of cores or of GPUs), else what "
             "is free of those GPUs that have too little for m. The ratio is the sum of F over hosts, "
             "divided by all that is free of GPUs; 1 means that no typical task could use any of it. Typical "
             "tasks are learned from the tasks queued so far (one that is queued again counts again), unless "
             "they are given; the source takes the whole workload, and divides by all GPUs in some figures. "
             "Cells without GPUs have no figures." HC_SPANS_TEXT,
         .source =
             "Weng et al., Beware of fragmentation: scheduling GPU-sharing workloads with fragmentation "
             "gradient descent, USENIX ATC 2023",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
