/* random_k.c -- the best of a few hosts drawn at random: the power of choice, and what large schedulers do in
 * place of looking at every host.
 *
 * The cell draws the hosts among those that fit, with the task's own stream; another placement scores
 * them. Whatever state that one has is kept here. */
#include "base/mem.h"
#include "policy/placing.h"

typedef struct options {
  int64_t sample;
  hc_chosen by;
} options;

struct hc_policy {
  const hc_allocator *allocator;
  const hc_place_type *type;
  const void *options;
  hc_policy *inner; /* NULL: it has no state */
};

static void fini(hc_policy *self)
{
  if (!self) return;
  if (self->inner && self->type->fini) self->type->fini(self->inner);
  hc_free(self->allocator, self, sizeof *self);
}

static void inner_chooser(const hc_policy *self, hc_chooser *out)
{
  *out = (hc_chooser){.how = HC_CHOOSE_FIRST};
  if (self->type->chooser) self->type->chooser(self->options, self->inner, out);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  hc_chooser chosen;
  hc_rc rc = 0;
  if (!self) return hc_fail(e, HC_ENOMEM, "policy", 0, 0, "no memory for the state of a placement");
  self->allocator = c->allocator;
  self->type = (const hc_place_type *)o->by.type;
  self->options = o->by.options;
  if (self->type->init) rc = self->type->init(c, self->options, &self->inner, e);
  if (rc >= 0) {
    inner_chooser(self, &chosen);
    if (chosen.meet)
      rc = hc_fail(
          e, HC_EUSAGE, "place random_k", 0, 0,
          "by: the scores of `%s` are relative to all hosts that fit, and only those drawn are looked "
          "at; with `scales: [share, ...]` they are not",
          self->type->component.name);
    if (rc >= 0 && !chosen.score)
      rc = hc_fail(
          e, HC_EUSAGE, "place random_k", 0, 0,
          "by: the placement `%s` does not compare hosts, so it cannot choose among those drawn; take one "
          "that does, such as least_allocated",
          self->type->component.name);
  }
  if (rc < 0) {
    fini(self);
    return rc;
  }
  *out = self;
  return 0;
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  const options *o = opts;
  inner_chooser(self, out);
  out->how = HC_CHOOSE_SAMPLE;
  out->sample = (uint32_t)o->sample;
  out->bound = NULL; /* only those drawn are looked at */
}

static void arrived(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots)
{
  if (self->type->arrived) self->type->arrived(self->inner, need, dimensions, slots);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return self->type->visit ? self->type->visit(self->inner, v) : 0;
}

static const hc_param params[] = {
    HC_PARAM(INT, options, sample, "hosts", "2", 1, 1e6, "How many of the hosts that fit are drawn."),
    HC_PARAM(COMPONENT, options, by, HC_KIND_PLACE, "least_allocated",
             "The placement by whose score the best of them is chosen."),
    {.name = NULL}};

const hc_place_type hc_place_random_k = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "random_k",
         .summary = "the best of a few hosts drawn at random among those that fit",
         .detail =
             "Draws `sample` hosts that hold the task, named by (seed, replication, serial), and takes the "
             "one with the highest score of another placement. A task that was refused or stopped draws "
             "anew." HC_LOWEST_TEXT,
         .source = "Mitzenmacher, The power of two choices in randomized load balancing, IEEE TPDS 12 (2001)",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .arrived = arrived,
    .visit = visit,
    .fini = fini,
};
