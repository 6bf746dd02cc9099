/* around.h -- a policy that is put around another: that one decides, and this one does something more.
 *
 * The other is the option `policy`. What it declares the outer one declares too, its parts are the outer
 * one's, and all that it is asked or told goes on to it. Not of policies that keep books of tasks
 * (on_task_event): what the outer one plans between their decisions would not be theirs. */
#ifndef HC_POLICY_AROUND_H
#define HC_POLICY_AROUND_H

#include "base/mem.h"
#include "hindcast/policy.h"

/* First member of every such policy's options. */
typedef struct hc_around_options {
  hc_chosen policy;
} hc_around_options;

#define HC_AROUND_PARAM(struct_, member) \
  HC_PARAM_AS( \
      COMPONENT, "policy", struct_, member, HC_KIND_POLICY, "batch", \
      "The policy that decides which tasks start. A policy that keeps its own account of running tasks " \
      "(fair, yt, gang) is refused.")

/* What every policy of this kind begins with. */
struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  size_t size; /* of the whole struct */
  const hc_policy_type *type;
  hc_policy *inner;
  void *own; /* what the outer one keeps beside it */
};

uint32_t hc_around_flags(const void *options);
void hc_around_parts(const void *options, hc_policy_parts *out);
/** @param name of the outer one, for errors @param size of its struct, which begins with hc_policy */
hc_rc hc_around_init(const hc_policy_context *c, const void *options, const char *name, size_t size,
                     hc_policy **out, hc_error *e);
hc_rc hc_around_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why);
void hc_around_outcome(hc_policy *self, hc_view *v, hc_task t, hc_rc rc);
hc_rc hc_around_visit(hc_policy *self, hc_visitor *v);
hc_rc hc_around_finish(hc_policy *self, hc_findings *f);
void hc_around_fini(hc_policy *self);

#endif
