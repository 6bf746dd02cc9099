/* offers.h -- a policy that shares: members take turns at what is offered. The state of the policies fair and
 * yt, and what they do; each of them says what it is made of.
 *
 * At an offer (a host that reports, or the whole cell under the architecture monolithic): the member whose
 * turn it is (turns.h) tries its first task that fits. If it starts, the order is looked at anew, and members
 * that refused are asked again, since less is left; if nothing of the member's fits, or it refuses the host,
 * it stands back for this offer. So until no member can, or wants. If members that could start a task have
 * refused, the first of them may be made to (`fallback`). Then running tasks may be stopped for queued ones
 * (`preempt`).
 *
 * With a knob below 1 the best of several candidates goes first: tetris.h. What every member has is known
 * from books that are kept by hearing of every task, so an offer in vain costs one look at the head of the
 * line, and a start O(dimensions log members).
 *
 * Of a member's tasks of the same demand only the first is tried: behind a task whose constraints no host on
 * offer meets, its like wait too. Tasks of several slots get them where the placement puts them within the
 * offer. */
#ifndef HC_POLICY_SHARE_OFFERS_H
#define HC_POLICY_SHARE_OFFERS_H

#include "hindcast/sharing.h"
#include "policy/share/rule.h"
#include "policy/share/tetris.h"

enum { HC_TASK_FIRST_FIT, HC_TASK_HEAD };
enum { HC_MISFIT_NEXT, HC_MISFIT_STOP };
enum {
  HC_FALLBACK_NOTHING_STARTED,
  HC_FALLBACK_ALL_REFUSED,
  HC_FALLBACK_NONE,
  HC_FALLBACK_BEST_SCORE,
  HC_FALLBACK_ROUND_REFUSED
};

typedef struct hc_offers_setup {
  hc_turns_options turns;
  hc_tetris_options tetris;
  int task, misfit, fallback; /* as above */
  int64_t rounds;
  const hc_chosen *accept;
  const hc_preempt_type *preempt;
  const void *preempt_options; /* heeded as hc_preempt_type.init does */
  const char *member;          /* what one is called, for explanations */
} hc_offers_setup;

typedef struct hc_offers_counts {
  uint64_t offers;                    /* at which a task of a member could have fitted, by its least needs */
  uint64_t starts, fallbacks;         /* fallbacks: of the starts, those of tasks whose members had refused */
  uint64_t misfits, limited, refused; /* members passed over at such offers: no task fits, limits, refusal */
} hc_offers_counts;

/* Of a policy that shares. */
struct hc_policy {
  const hc_allocator *allocator;
  const hc_services *services;
  hc_offers_setup o;
  const hc_accept_type *accept_type;
  hc_policy *accept;
  hc_policy *preempt;
  hc_time woken; /* the latest time at which it asked to be called; HC_UNKNOWN: never */
  hc_turns turns;
  uint64_t number; /* of the decision, or of its part since the last start */
  uint32_t *out;   /* members that stand back for this offer: in front those that refused it */
  size_t out_count, out_cap, refused;
  hc_tetris tetris;
  hc_preferred preferred; /* where data are, if it matters */
  hc_works works;         /* what `turns` knows of jobs, if it matters */
  hc_offers_counts n;
};

/* What is set up is copied; lists and texts are borrowed, as is what the options of `accept` are. @return 0,
 * an error of the rule's, of `accept` or of `preempt`, HC_ENOMEM; `out` is there in any case but the last and
 * is to be freed by `fini`. */
hc_rc hc_offers_init(const hc_policy_context *c, const hc_offers_setup *o, hc_policy **out, hc_error *e);

/* As the calls of hc_policy_type of these names. */
hc_rc hc_offers_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why);
hc_rc hc_offers_on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                              const int64_t *amounts);
hc_rc hc_offers_cell_changed(hc_policy *self, const hc_view *v);
hc_time hc_offers_next_preemption(hc_policy *self, hc_time now, uint32_t host);
hc_rc hc_offers_note(const hc_policy *self, hc_buffer *out);
hc_rc hc_offers_visit(hc_policy *self, hc_visitor *v);
hc_rc hc_offers_finish(hc_policy *self, hc_findings *f);
void hc_offers_fini(hc_policy *self);

#endif
