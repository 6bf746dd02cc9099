/* weighted.c -- the host with the greatest weighted sum of the scores of several placements, as
 * kube-scheduler adds up its score plugins.
 *
 * Scores of different placements have different units, so each is brought to 0 .. 100 first:
 *
 *   share   100 x score, held between 0 and 100: of scores that are shares (LeastAllocated, MostAllocated and
 *           BalancedAllocation come so in Kubernetes, without a look at other nodes)
 *   most    100 x score / the greatest score of the hosts in question (Kubernetes' DefaultNormalizeScore)
 *   range   100 x (score - least) / (greatest - least), 0 where all are equal (InterPodAffinity)
 *
 * The last two are of the hosts that fit now, so these are walked twice. Where all scores are shares and
 * have bounds the sum has one, and no more hosts are looked at than for one placement.
 *
 * Not done: other placements' own ways among equal scores, and samples (random_k). Cost: that of the
 * parts. Source: kube-scheduler, framework/runtime (RunScorePlugins), plugins/helper/normalize_score. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "policy/placing.h"

enum { SCALE_AUTO, SCALE_SHARE, SCALE_MOST, SCALE_RANGE };
enum { MOST_PARTS = 16 };

typedef struct options {
  hc_list of;      /* hc_chosen */
  hc_list weights; /* double */
  hc_list scales;  /* int */
  bool whole;
} options;

typedef struct part {
  const hc_place_type *type;
  const void *options;
  hc_policy *inner; /* NULL: it has no state */
  hc_chooser chooser;
  double weight;
  int scale;
  double least, most; /* of the hosts in question */
} part;

struct hc_policy {
  const hc_allocator *allocator;
  bool whole;
  bool is_relative; /* to the hosts in question */
  bool has_bound;
  size_t count;
  part parts[MOST_PARTS];
};

/* ---- the score ---- */

static double hold(double x)
{
  return x < 0 ? 0 : x > 100 ? 100 : x;
}

static double scaled(const hc_policy *self, const part *p, double score)
{
  double x = 0;
  if (!(score == score)) return 0; /* no number is the worst score */
  switch (p->scale) {
    case SCALE_SHARE: x = hold(100 * score); break;
    case SCALE_MOST: x = p->most > 0 ? hold(100 * (score / p->most)) : 0; break;
    default: x = p->most > p->least ? hold(100 * ((score - p->least) / (p->most - p->least))) : 0; break;
  }
  return self->whole ? (double)(int64_t)x : x;
}

static double score(void *state, const hc_host_view *h)
{
  const hc_policy *self = state;
  double sum = 0;
  for (size_t i = 0; i < self->count; i++) {
    const part *p = &self->parts[i];
    sum += p->weight * scaled(self, p, p->chooser.score(p->chooser.self, h));
  }
  return sum;
}

/* Each step keeps order in doubles too: products with a weight, sums, cuts. */
static double bound(void *state, const hc_host_box *b)
{
  const hc_policy *self = state;
  double sum = 0;
  for (size_t i = 0; i < self->count; i++) {
    const part *p = &self->parts[i];
    sum += p->weight * scaled(self, p, p->chooser.bound(p->chooser.self, b));
  }
  return sum;
}

static void meet(void *state, const hc_host_view *h)
{
  hc_policy *self = state;
  for (size_t i = 0; i < self->count; i++) {
    part *p = &self->parts[i];
    double x;
    if (!h) {
      p->least = __builtin_inf();
      p->most = -__builtin_inf();
      continue;
    }
    if (p->scale == SCALE_SHARE) continue;
    x = p->chooser.score(p->chooser.self, h);
    if (!(x == x)) continue;
    p->least = HC_MIN(p->least, x);
    p->most = HC_MAX(p->most, x);
  }
}

/* Those of the first placement that says which. */
static hc_devices devices(void *state, const hc_host_view *h, int64_t amount)
{
  const hc_policy *self = state;
  size_t i = 0;
  while (!self->parts[i].chooser.devices) i++;
  return self->parts[i].chooser.devices(self->parts[i].chooser.self, h, amount);
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST,
                      .self = self,
                      .score = score,
                      .bound = self->has_bound ? bound : NULL,
                      .meet = self->is_relative ? meet : NULL};
  for (size_t i = 0; i < self->count; i++) {
    const hc_chooser *c = &self->parts[i].chooser;
    if (c->devices) out->devices = devices;
    out->reads_past |= c->reads_past;
    out->reads_load |= c->reads_load;
    out->reads_held |= c->reads_held;
  }
}

/* ---- birth, state, death ---- */

static void fini(hc_policy *self)
{
  if (!self) return;
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].inner && self->parts[i].type->fini) self->parts[i].type->fini(self->parts[i].inner);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc open_part(part *p, const hc_policy_context *c, const hc_chosen *of, hc_error *e)
{
  p->type = (const hc_place_type *)of->type;
  p->options = of->options;
  if (p->type->init) TRY(p->type->init(c, p->options, &p->inner, e));
  p->chooser = (hc_chooser){.how = HC_CHOOSE_FIRST};
  if (p->type->chooser) p->type->chooser(p->options, p->inner, &p->chooser);
  if (p->scale == SCALE_AUTO) p->scale = p->chooser.is_share ? SCALE_SHARE : SCALE_RANGE;
  if (!p->chooser.score || p->chooser.how != HC_CHOOSE_BEST)
    return hc_fail(
        e, HC_EUSAGE, "place weighted", 0, 0,
        "of: the placement `%s` does not score every host, so it cannot be added up; take ones that do, such "
        "as least_allocated, balanced or spread",
        p->type->component.name);
  if (p->chooser.meet)
    return hc_fail(e, HC_EUSAGE, "place weighted", 0, 0,
                   "of: `weighted` is in itself; name all its placements in one list");
  return 0;
}

static hc_rc check_options(const options *o, hc_error *e)
{
  if (o->of.count == 0 || o->of.count > MOST_PARTS)
    return hc_fail(e, HC_EUSAGE, "place weighted", 0, 0,
                   "of: names %zu placements, and it takes 1 to %d: of: [least_allocated, balanced]",
                   o->of.count, MOST_PARTS);
  if (o->weights.count > 0 && o->weights.count != o->of.count)
    return hc_fail(e, HC_EUSAGE, "place weighted", 0, 0,
                   "weights: has %zu numbers for %zu placements; give each one, or leave it out: 1 each",
                   o->weights.count, o->of.count);
  if (o->scales.count > 0 && o->scales.count != o->of.count)
    return hc_fail(e, HC_EUSAGE, "place weighted", 0, 0,
                   "scales: has %zu words for %zu placements; give each one, or leave it out: auto",
                   o->scales.count, o->of.count);
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  const hc_chosen *of = o->of.items;
  hc_policy *self;
  hc_rc rc = 0;
  TRY(check_options(o, e));
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  *self = (hc_policy){.allocator = c->allocator, .whole = o->whole, .has_bound = true};
  while (rc >= 0 && self->count < o->of.count) {
    const size_t i = self->count++;
    part *p = &self->parts[i];
    p->weight = o->weights.count > 0 ? ((const double *)o->weights.items)[i] : 1;
    p->scale = o->scales.count > 0 ? ((const int *)o->scales.items)[i] : SCALE_AUTO;
    rc = open_part(p, c, &of[i], e);
    self->is_relative |= p->scale != SCALE_SHARE;
    self->has_bound &= p->scale == SCALE_SHARE && p->chooser.bound && !p->chooser.tie;
  }
  if (rc < 0) {
    fini(self);
    return rc;
  }
  *out = self;
  return 0;
}

static void arrived(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].type->arrived)
      self->parts[i].type->arrived(self->parts[i].inner, need, dimensions, slots);
}

/* What is known of the hosts in question is made anew at each choice. */
static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->parts[i].type->visit) TRY(self->parts[i].type->visit(self->parts[i].inner, v));
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENTS, options, of, HC_KIND_PLACE, "[least_allocated, balanced]",
             "The placements whose scores are added up."),
    HC_PARAM(REALS, options, weights, "1", NULL, 0, 1e9, "Weight of each placement. Default: 1 each."),
    HC_PARAM(
        CHOICES, options, scales, "auto|share|most|range", NULL,
        "How each score is brought to 0 .. 100. auto: share for placements whose scores are shares, else "
        "range. share: 100 x score, limited to 0 .. 100. most: 100 x score / the greatest score of the hosts "
        "that fit now. range: linear, 0 for the least of these scores and 100 for the greatest. Default: "
        "auto each."),
    HC_PARAM(BOOL, options, whole, "false",
             "Is each score cut to a whole number, as in Kubernetes? Then more hosts are equal."),
    {.name = NULL}};

const hc_place_type hc_place_weighted = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "weighted",
         .summary = "the host with the greatest weighted sum of other placements' scores",
         .detail =
             "Score of a host: sum of weight x score, each brought to 0 .. 100 first. kube-scheduler adds up "
             "LeastAllocated (least_allocated) and BalancedAllocation (balanced) with weight 1 each, "
             "ImageLocality 1, NodeAffinity 2 (preferred), InterPodAffinity 2, PodTopologySpread 2 (spread), "
             "TaintToleration 3. Which hosts fit is decided before. How the parts break ties does not "
             "matter." HC_LOWEST_TEXT,
         .source = "Kubernetes, scheduling framework, Score and NormalizeScore; default weights of "
                   "kube-scheduler 1.2x (pkg/scheduler/apis/config/v1/default_plugins.go)",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .arrived = arrived,
    .visit = visit,
    .fini = fini,
};
