/* rule.h -- a rule of sharing: what a member has, as one number. The member with the least is next.
 *
 * A rule of users is one file in share/rule/ that ends in one const struct, and one line in shares.def. What
 * it needs besides the books it says by flags; what several rules ask is at the end. A rule whose members are
 * others, or whose fair shares are its own, has a keeper of its own as well: yt.c. */
#ifndef HC_POLICY_SHARE_RULE_H
#define HC_POLICY_SHARE_RULE_H

#include "base/util.h"
#include "policy/share/turns.h"

typedef enum hc_share_flag {
  HC_SHARE_FORGETS = 1,      /* usage that decays may be added (half_life) */
  HC_SHARE_TREE = 2,         /* users stand in a tree of pools, which keeps its own order (forest.c) */
  HC_SHARE_BY_TASK = 4,      /* a user stands where its first task stands; without guarantees */
  HC_SHARE_BY_HOST = 8,      /* each host is shared by itself, and named at the start */
  HC_SHARE_CUT = 16,         /* hosts are cut into slots */
  HC_SHARE_QUOTAS = 32,      /* measured against quotas */
  HC_SHARE_ARRIVALS = 64,    /* targets grow as users arrive, and are limits (dynamic DRF) */
  HC_SHARE_ONE_WEIGHT = 128, /* a user's weight is the same in all dimensions, which are not compared */
  /* Hosts are offered one by one, each with what is stopped on it; a member is asked about one task that
   * could really start, and a refusal or a limit ends its turn. */
  HC_SHARE_ONE_HOST = 256
} hc_share_flag;

/* What members are, and where they stand: the part of hc_turns that knows. All have been initialised, and the
 * books changed, when it is called. */
struct hc_share_keeper {
  hc_rc (*init)(hc_turns *t, hc_error *e);
  void (*fini)(hc_turns *t);
  /* The cell's dimensions are known: before anything else is heard. */
  hc_rc (*learn)(hc_turns *t, const hc_view *v);
  /* What was due by now is done, before something is heard; and before a decision. */
  hc_rc (*advance)(hc_turns *t, const hc_view *v);
  hc_rc (*open)(hc_turns *t, const hc_view *v);
  int64_t (*whose)(const hc_turns *t, const hc_view *v, hc_task task); /* the id of a task's member */
  hc_rc (*welcome)(hc_turns *t, const hc_view *v, hc_task task, uint32_t member); /* it is new */
  /* A task waits, or does so no more: enters it into the books. @param need [dims] of one slot */
  hc_rc (*move_task)(hc_turns *t, const hc_view *v, hc_task task, uint32_t member, const int64_t *need,
                     bool joins);
  hc_rc (*move_claim)(hc_turns *t, const hc_view *v, hc_task task, uint32_t member, const int64_t *amounts,
                      int64_t sign);
  /* @param may it has a queued task, and has not left the line @return is it in the line? */
  bool (*stands)(const hc_turns *t, uint32_t member, bool may, double *key, uint64_t *tie);
  bool (*allows)(const hc_turns *t, uint32_t shape); /* NULL: all is allowed */
  /* May tasks of a member use a host, where hosts are offered one by one? NULL: any. */
  bool (*admits)(const hc_turns *t, uint32_t member, uint32_t host);
  /* Why it may not, in words. With `admits`. */
  void (*say_why_not)(const hc_turns *t, uint32_t member, uint32_t host, char *out, size_t size);
  hc_rc (*cell_changed)(hc_turns *t, const hc_view *v); /* NULL: `open` sees it */
  hc_rc (*visit)(hc_turns *t, hc_visitor *v);           /* after books and capacity */
};

extern const hc_share_keeper hc_share_claims; /* of every rule that names no other */

struct hc_share_rule {
  const char *name;
  uint32_t flags; /* of hc_share_flag */
  double (*key)(const hc_turns *t, uint32_t user);
  /* What divisible tasks would get, for rules that measure against it; NULL: no other does. @param p all of
   * it set @param tasks [users] out */
  hc_rc (*solve)(const hc_allocator *a, hc_fair_problem *p, double *tasks);
  const hc_share_keeper *keeper; /* NULL: hc_share_claims */
};

extern const hc_share_rule *const hc_share_rules[]; /* as shares.def has them */

static inline bool hc_share_does(const hc_share_rule *r, hc_share_flag what)
{
  return (r->flags & (uint32_t)what) != 0;
}

/* a / b: 0 of nothing, and never infinite. */
static inline double hc_share_over(double a, double b)
{
  const double most = 1e300;
  if (a <= 0) return 0;
  return b > 0 ? HC_MIN(a / b, most) : most;
}

/* The share of one dimension that a user holds, and, with a half-life, has held. */
static inline double hc_share_part(const hc_turns *t, uint32_t user, uint32_t d)
{
  const hc_claimant *c = &t->claims[user];
  const double part =
      hc_share_over((double)t->books.members[user].used[d], (double)t->capacity[d] * c->weights[d]);
  return t->o.half_life > 0 ? part + c->past[d] / c->weights[d] : part;
}

/* The largest of them. */
static inline double hc_share_dominant(const hc_turns *t, uint32_t user)
{
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const double part = hc_share_part(t, user, d);
    most = HC_MAX(most, part);
  }
  return most;
}

/* The dominant share over that in a computed allocation. A user that came since is due an equal part. */
static inline double hc_share_of_target(const hc_turns *t, uint32_t user)
{
  const hc_claimant *c = &t->claims[user];
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const double part = hc_share_over((double)t->books.members[user].used[d], (double)t->capacity[d]);
    most = HC_MAX(most, part);
  }
  if (c->target >= 0) return hc_share_over(most, c->target);
  return hc_share_over(most, 1.0 / (double)HC_MAX(t->books.member_count, 1));
}

#endif
