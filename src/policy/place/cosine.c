/* cosine.c -- the host whose vector points where the task's does.
 *
 * The literature has two readings: the angle between the need and what is free (FairTetris), and the angle
 * between use, task included, and capacity (DSLab's CosineSimilarity). Each component is multiplied by its
 * weight. Bound: the greatest cosine over the box (placing.c), or 1 where its hosts have different
 * divisors or capacities. */
#include "policy/placing.h"

enum { FREE, USED };

typedef struct options {
  hc_scale scale;
  int of;
} options;

typedef struct vectors {
  double a[HC_DIMENSIONS], low[HC_DIMENSIONS], high[HC_DIMENSIONS];
} vectors;

/* The direction wanted, and the corners of what a host offers; with equal corners, one host. */
static void set_vectors(const options *o, const hc_shares *low, const hc_shares *high, vectors *v)
{
  for (uint32_t i = 0; i < low->count; i++) {
    const hc_share *x = &low->at[i], *y = &high->at[i];
    v->a[i] = x->weight * (o->of == FREE ? x->need : x->whole);
    v->low[i] = x->weight * (o->of == FREE ? x->free : x->whole - y->left);
    v->high[i] = x->weight * (o->of == FREE ? y->free : x->whole - x->left);
  }
}

static double score(void *self, const hc_host_view *h)
{
  const options *o = self;
  hc_shares x;
  vectors v;
  hc_shares_read(&o->scale, NULL, h, &x);
  set_vectors(o, &x, &x, &v);
  return hc_cosine(v.a, v.low, x.count);
}

static bool same_capacity(const hc_share_box *x)
{
  for (uint32_t i = 0; i < x->low.count; i++)
    if (x->low.at[i].whole < x->high.at[i].whole) return false;
  return true;
}

static double bound(void *self, const hc_host_box *b)
{
  const options *o = self;
  hc_share_box x;
  vectors v;
  if (!hc_share_box_read(&o->scale, NULL, b, &x)) return -__builtin_inf();
  if (!x.fixed || (o->of == USED && !same_capacity(&x))) return 1;
  set_vectors(o, &x.low, &x.high, &v);
  return x.point ? hc_cosine(v.a, v.low, x.low.count) : hc_cosine_most(v.a, v.low, v.high, x.low.count);
}

static void chooser(const void *o, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_BEST, .self = (void *)o, .score = score, .bound = bound};
}

static const hc_param params[] = {
    HC_SCALE_PARAMS(options, scale, "host"),
    HC_PARAM(CHOICE, options, of, "free|used", "free",
             "Between which vectors the angle is taken. free: the need and the free amounts. used: use, the "
             "task included, and capacity."),
    {.name = NULL}};

const hc_place_type hc_place_cosine = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "cosine",
         .summary = "the host whose free amounts are in proportion to the task's",
         .detail =
             "Score of a host: need . free / (|need| |free|), or, with of: used, the same of use (the task "
             "included) and capacity; each component is divided as normalise says and multiplied by its "
             "weight. FairTetris compares amounts divided by nothing, in cores and gigabytes: normalise: "
             "amounts with amounts: [1, 1e9]. DSLab's CosineSimilarity is of: used, in its own units."
             HC_LOWEST_TEXT,
         .source = "Gabay and Zaourar, Annals of Operations Research 242 (2016), as a measure; DSLab",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
};
