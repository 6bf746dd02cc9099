/* placing.c -- what placements on hosts share. See placing.h.
 *
 * The greatest cosine, and the least part aside, of a vector between two corners lie on the path f(x) = (x
 * a, each part held between its corners): that is what the conditions of Karush, Kuhn and Tucker say, the
 * cosine being quasi-concave and the part aside convex. The path has a kink where x a meets a corner;
 * between two kinks each of the two has at most one place where it is level, which has a closed form. So a
 * bound looks at twice as many places as there are kinks. */
#include "policy/placing.h"

#include <string.h>

#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"

#define EXPONENT_MOST 300.0 /* so that no weight is infinite */

size_t hc_place_lowest(const void *options, const hc_place_input *in, hc_range *out)
{
  int64_t left = in->units;
  size_t n = 0;
  HC_UNUSED(options);
  for (size_t i = 0; i < in->free_count && left > 0; i++) {
    out[n] = in->free[i];
    if (out[n].count > left) out[n].count = (uint32_t)left;
    left -= out[n++].count;
  }
  return left > 0 ? 0 : n;
}

/* ---- shares ---- */

static double item_of(const hc_list *l, uint8_t which)
{
  return which < l->count ? ((const double *)l->items)[which] : 0;
}

/* What an amount is divided by on a host with this capacity, for a task with this need; 0: the dimension does
 * not count there. */
static double divisor_of(const hc_scale *s, const hc_cell_totals *cell, uint8_t which, int64_t capacity,
                         int64_t need)
{
  switch ((hc_divisor)s->by) {
    case HC_DIVIDE_BY_HOST: return capacity > 0 ? (double)capacity : 0;
    case HC_DIVIDE_BY_AMOUNTS:
      return item_of(&s->amounts, which) * (which == HC_DIM_CPU || which == HC_DIM_GPU ? 1000 : 1);
    case HC_DIVIDE_BY_CELL: return cell ? (double)cell->capacity[which] : 0;
    case HC_DIVIDE_BY_TASK: return (double)need;
    case HC_DIVIDE_BY_NOTHING: break;
  }
  return capacity > 0 ? 1 : 0;
}

static double weight_of(const hc_scale *s, const hc_demand *demand, uint8_t which, double divisor)
{
  double weight = s->weights.count == 0 ? 1 : item_of(&s->weights, which), mean;
  if (!demand || demand->how == HC_LEARN_NOTHING) return weight;
  mean = demand->mean[which] / divisor;
  if (demand->how == HC_LEARN_MEAN) return weight * mean;
  return weight * hc_exp(HC_MIN(demand->rate * mean, EXPONENT_MOST));
}

static hc_share share_of(double weight, double divisor, int64_t need, int64_t free, int64_t capacity)
{
  return (hc_share){.weight = weight,
                    .need = (double)need / divisor,
                    .free = (double)free / divisor,
                    .left = ((double)free - (double)need) / divisor,
                    .whole = (double)capacity / divisor,
                    .divisor = divisor};
}

static void add(hc_shares *x, hc_share share)
{
  x->weight += share.weight;
  x->at[x->count++] = share;
}

void hc_shares_read(const hc_scale *s, const hc_demand *demand, const hc_host_view *h, hc_shares *out)
{
  out->count = 0;
  out->weight = 0;
  for (uint32_t d = 0; d < h->dimensions; d++) {
    double divisor = divisor_of(s, h->cell, h->which[d], h->capacity[d], h->need[d]), weight;
    if (!(divisor > 0) || h->capacity[d] <= 0) continue;
    weight = weight_of(s, demand, h->which[d], divisor);
    if (!(weight > 0)) continue;
    add(out, share_of(weight, divisor, h->need[d], h->free[d], h->capacity[d]));
    out->at[out->count - 1].dimension = d;
  }
}

/* Shares of a host that may or may not have the dimension: from nothing to all of it. */
static void add_unsure(const hc_scale *s, const hc_demand *demand, const hc_host_box *b, uint32_t d,
                       double high, hc_share_box *out)
{
  double least = divisor_of(s, b->cell, b->which[d], 1, b->need[d]),
         most = divisor_of(s, b->cell, b->which[d], b->capacity_high[d], b->need[d]);
  double weight = weight_of(s, demand, b->which[d], least);
  out->sure = false;
  add(&out->low, (hc_share){.weight = weight_of(s, demand, b->which[d], most)});
  high = s->by == HC_DIVIDE_BY_HOST ? 1 : high / least;
  add(&out->high, (hc_share){.weight = weight, .free = high, .left = high, .whole = high});
}

static double least_share(double x)
{
  return x < 1 ? x : 1;
}

/* One dimension of a box in which every host has it. */
static void add_sure(const hc_scale *s, const hc_demand *demand, const hc_host_box *b, uint32_t d,
                     const int64_t ends[2], hc_share_box *out)
{
  uint8_t which = b->which[d];
  int64_t capacity = HC_MAX(b->capacity_low[d], ends[0]);
  double least = divisor_of(s, b->cell, which, HC_MAX(capacity, 1), b->need[d]),
         most = divisor_of(s, b->cell, which, b->capacity_high[d], b->need[d]);
  hc_share low, high;
  if (!(least > 0)) return;
  low = share_of(weight_of(s, demand, which, most), most, b->need[d], ends[0], capacity);
  high = share_of(weight_of(s, demand, which, least), least, b->need[d], ends[1], b->capacity_high[d]);
  if (s->by == HC_DIVIDE_BY_HOST) {
    high.need = least_share(high.need);
    high.free = least_share(high.free);
    high.left = least_share(high.left);
    low.whole = high.whole = 1;
  }
  if (!(high.weight > 0)) return;
  if (least < most && demand && demand->how == HC_LEARN_EXP) { /* hc_exp may err in the last bit */
    low.weight *= 1 - HC_PLACING_SLACK;
    high.weight *= 1 + HC_PLACING_SLACK;
  }
  out->fixed &= least >= most;
  out->point &= ends[0] == ends[1];
  add(&out->low, low);
  add(&out->high, high);
}

bool hc_share_box_read(const hc_scale *s, const hc_demand *demand, const hc_host_box *b, hc_share_box *out)
{
  out->low.count = out->high.count = 0;
  out->low.weight = out->high.weight = 0;
  out->fixed = out->sure = out->point = true;
  for (uint32_t d = 0; d < b->dimensions; d++) {
    /* A host that is looked at can hold the task, and has nothing free that it has not. */
    int64_t ends[2] = {HC_MAX(b->low[d], b->need[d]), HC_MIN(b->high[d], b->capacity_high[d])};
    if (ends[0] > ends[1]) return false;
    if (b->capacity_high[d] <= 0) continue;
    if (HC_MAX(b->capacity_low[d], ends[0]) > 0) add_sure(s, demand, b, d, ends, out);
    else if (divisor_of(s, b->cell, b->which[d], 1, b->need[d]) > 0 && weight_of(s, NULL, b->which[d], 1) > 0)
      add_unsure(s, demand, b, d, (double)ends[1], out);
  }
  out->fixed &= out->sure;
  out->point &= out->fixed;
  return true;
}

double hc_shares_left(const hc_shares *x)
{
  double sum = 0;
  for (uint32_t i = 0; i < x->count; i++) sum += x->at[i].weight * x->at[i].left;
  return sum;
}

double hc_shares_left_mean(const hc_shares *x)
{
  return x->weight > 0 ? hc_shares_left(x) / x->weight : 0;
}

double hc_share_box_left_least(const hc_share_box *b)
{
  return b->sure ? hc_shares_left_mean(&b->low) : 0;
}

double hc_share_box_left_most(const hc_share_box *b)
{
  double most = 0;
  if (b->sure) return hc_shares_left_mean(&b->high);
  for (uint32_t i = 0; i < b->high.count; i++) most = HC_MAX(most, b->high.at[i].left);
  return most * (1 + HC_PLACING_SLACK);
}

/* ---- vectors ---- */

typedef struct products {
  double aa, ab, bb;
} products;

static products products_of(const double *a, const double *b, uint32_t n)
{
  products p = {0, 0, 0};
  for (uint32_t i = 0; i < n; i++) {
    p.aa += a[i] * a[i];
    p.ab += a[i] * b[i];
    p.bb += b[i] * b[i];
  }
  return p;
}

double hc_cosine(const double *a, const double *b, uint32_t n)
{
  products p = products_of(a, b, n);
  double lengths = hc_sqrt(p.aa * p.bb);
  if (!(lengths > 0)) return 0;
  return least_share(p.ab / lengths);
}

double hc_aside(const double *a, const double *b, uint32_t n)
{
  products p = products_of(a, b, n);
  double length = hc_sqrt(p.aa), aside = length > 0 ? hc_sqrt(p.bb) - p.ab / length : hc_sqrt(p.bb);
  return HC_MAX(aside, 0);
}

/* The place x of the path. @return of the parts that a corner holds there: their length^2 in a and in f,
 * and their product. */
static products step(const double *a, const double *low, const double *high, uint32_t n, double x, double *f)
{
  products held = {0, 0, 0};
  for (uint32_t i = 0; i < n; i++) {
    double free = x * a[i];
    f[i] = free < low[i] ? low[i] : free > high[i] ? high[i] : free;
    if (free > low[i] && free < high[i]) continue;
    held.aa += a[i] * a[i];
    held.ab += a[i] * f[i];
    held.bb += f[i] * f[i];
  }
  return held;
}

/* Where the path has kinks, ascending. @return how many. */
static uint32_t find_kinks(const double *a, const double *low, const double *high, uint32_t n, double *kinks)
{
  uint32_t count = 0;
  for (uint32_t k = 0; k < 2 * n; k++) {
    uint32_t i = k % n, at = count;
    double x;
    if (!(a[i] > 0)) continue;
    x = (k < n ? low[i] : high[i]) / a[i];
    for (; at > 0 && kinks[at - 1] > x; at--) kinks[at] = kinks[at - 1];
    kinks[at] = x;
    count++;
  }
  return count;
}

/* True if x a lies between the corners for some x: the cosine is 1 there. */
static bool meets(const double *a, const double *low, const double *high, uint32_t n)
{
  double from = 0, to = __builtin_inf();
  for (uint32_t i = 0; i < n; i++) {
    if (!(a[i] > 0)) {
      if (low[i] > 0) return false;
      continue;
    }
    from = HC_MAX(from, low[i] / a[i]);
    to = HC_MIN(to, high[i] / a[i]);
  }
  return from <= to;
}

typedef double (*measure)(const double *a, const double *b, uint32_t n);

/* The greatest (or, with sign -1, the least) measure on the path. `level` says where it is level on a
 * stretch between two kinks, from what is held there. */
static double along(const double *a, const double *low, const double *high, uint32_t n, measure of,
                    double sign, double (*level)(products held))
{
  double kinks[2 * HC_DIMENSIONS], f[HC_DIMENSIONS], best = 0;
  uint32_t count = find_kinks(a, low, high, n, kinks);
  for (uint32_t k = 0; k < count; k++) {
    double x, m;
    (void)step(a, low, high, n, kinks[k], f);
    m = sign * of(a, f, n);
    if (k == 0 || m > best) best = m;
    if (k + 1 == count) break;
    x = level(step(a, low, high, n, kinks[k] / 2 + kinks[k + 1] / 2, f));
    if (!(x > kinks[k] && x < kinks[k + 1])) continue;
    (void)step(a, low, high, n, x, f);
    m = sign * of(a, f, n);
    if (m > best) best = m;
  }
  return sign * best;
}

static double cosine_is_level(products held)
{
  return held.ab > 0 ? held.bb / held.ab : -1;
}

static double aside_is_level(products held)
{
  return held.aa > 0 ? hc_sqrt(held.bb / held.aa) : -1;
}

double hc_cosine_most(const double *a, const double *low, const double *high, uint32_t n)
{
  if (meets(a, low, high, n)) return 1;
  return least_share(along(a, low, high, n, hc_cosine, 1, cosine_is_level) * (1 + HC_PLACING_SLACK));
}

double hc_aside_least(const double *a, const double *low, const double *high, uint32_t n)
{
  double least, length = 0;
  if (meets(a, low, high, n)) return 0;
  least = along(a, low, high, n, hc_aside, -1, aside_is_level);
  for (uint32_t i = 0; i < n; i++) length += high[i];
  return HC_MAX(least - length * HC_PLACING_SLACK, 0);
}

/* ---- demands learned from arrivals ---- */

hc_rc hc_learner_init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  const hc_learner_options *o = options;
  hc_learner *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  self->allocator = c->allocator;
  self->options = options;
  self->demand.how = o->weigh;
  self->demand.rate = o->rate;
  *out = (hc_policy *)self;
  return 0;
}

static void set_means(hc_demand *d)
{
  for (uint32_t i = 0; i < d->known; i++)
    d->mean[i] = d->slots > 0 ? hc_wide_real(d->sum[i]) / (double)d->slots : 0;
}

void hc_learner_arrived(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots)
{
  hc_demand *d = &((hc_learner *)self)->demand;
  if (slots <= 0) return;
  d->slots += (uint64_t)slots;
  for (uint32_t i = 0; i < dimensions; i++) {
    if (need[i] <= 0) continue;
    hc_wide_add_product(&d->sum[i], need[i], slots);
    d->known = HC_MAX(d->known, i + 1);
  }
  set_means(d);
}

hc_rc hc_learner_visit(hc_policy *self, hc_visitor *v)
{
  hc_demand *d = &((hc_learner *)self)->demand;
  HC_VISIT(v, d->slots);
  HC_VISIT(v, d->sum);
  HC_VISIT(v, d->known);
  if (d->known > HC_DIMENSIONS) return HC_EINPUT;
  set_means(d);
  return 0;
}

void hc_learner_fini(hc_policy *self)
{
  hc_learner *l = (hc_learner *)self;
  if (l) hc_free(l->allocator, l, sizeof *l);
}
