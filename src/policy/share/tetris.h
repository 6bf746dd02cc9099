/* tetris.h -- Tetris between fairness and packing: of the first users, the one whose task goes best with
 * what is free.
 *
 * With a knob f the first ceil((1 - f) U) of the U users in the line are candidates. How well a task goes
 * with a host depends on its need alone, so it is worked out once for each kind of need; the candidates
 * are a walk along the ordered line. If all are candidates, kinds are tried from the best on, and of the
 * best that a task would start the first user in the line is taken: so the cost is that of the kinds, not
 * of the users.
 *
 * With `mix` or `barrier` all tasks of the candidates are looked at, the first of each job and need:
 *
 *   score = a - eps p    a: alignment of the task with the host;
 *                        p: work that is left of its job (works.h);
 *                        eps = mix x mean(a) / mean(p), the means over all that could start now
 *
 * and tasks of a stage for which others wait, and of which the part `barrier` is over, come before all
 * others. Then the cost is that of the candidates' needs, for each of their jobs. Source: Grandl et al.,
 * SIGCOMM 2014, sections 3.2 to 3.5.
 *
 * Under the rule yt users are operations, in the order of their satisfaction, those left out that a host's
 * tags or modules keep off it; and all are walked along, as that rule does anyway. */
#ifndef HC_POLICY_SHARE_TETRIS_H
#define HC_POLICY_SHARE_TETRIS_H

#include "policy/packing.h"
#include "policy/placing.h"
#include "policy/preferred.h"
#include "policy/share/turns.h"

typedef struct hc_tetris_options {
  double knob;
  bool rounds_doubles; /* of (1 - knob) U, as doubles have it */
  bool heads, stops;   /* only a user's first task; a task that does not fit may be chosen */
  hc_packing score;
  const hc_scale *scale;
  double mix;     /* m; 0: alignment alone */
  double barrier; /* b; 1: none */
  double remote;  /* this part of the alignment is lost on hosts that have not the task's data */
} hc_tetris_options;

static inline bool hc_tetris_mixes(const hc_tetris_options *o)
{
  return o->mix > 0 || o->barrier < 1 || o->remote > 0;
}

/* A task that could start on a host. */
typedef struct hc_pairing {
  uint32_t user, shape, host, rank; /* rank: of the user among the candidates */
  double alignment, work;
  bool is_awaited;
} hc_pairing;

typedef struct hc_candidate {
  uint32_t user, shape; /* shape: HC_MAP_NONE where all are looked at */
} hc_candidate;

typedef struct hc_tetris {
  const hc_allocator *allocator;
  hc_tetris_options o;
  bool *fits; /* [kind of the line] into what is offered */
  size_t fit_cap;
  hc_candidate *drawn;
  size_t drawn_cap;
  hc_pairing *pairs;
  size_t pair_count, pair_cap;
  double *score;   /* [kind] on the host of `stamp` */
  uint64_t *stamp; /* [kind] */
  size_t score_count, score_cap, stamp_cap;
  uint64_t look; /* number of the look at a host */
} hc_tetris;

/* What is offered. */
typedef struct hc_tetris_offer {
  const hc_services *services;
  const hc_view *view;
  const hc_range *hosts; /* [host_count] */
  size_t host_count;
  hc_preferred *preferred; /* where data are */
  const int64_t *most;     /* [dims] free on any of them; NULL: not known */
  uint64_t number;         /* of the decision: shapes that were tried in it are left out */
} hc_tetris_offer;

typedef struct hc_tetris_choice {
  uint32_t user, shape, host; /* user: HC_NOBODY if there is none */
  uint32_t rank;              /* of the user among those drawn */
  double badness;
} hc_tetris_choice;

/* What mix, barrier and remote_penalty ask of the rest. @param where for messages, "policy fair" @param what
 * a member is, "user" @return 0 or HC_EUSAGE. */
hc_rc hc_tetris_check(const hc_tetris_options *o, const char *where, const char *what, hc_error *e);
void hc_tetris_init(hc_tetris *x, const hc_allocator *a, const hc_tetris_options *o);
void hc_tetris_fini(hc_tetris *x);
/* @return 0, HC_ENOMEM. Cost: O(candidates (shapes of each + log) + kinds dims). */
hc_rc hc_tetris_choose(hc_tetris *x, hc_turns *t, const hc_tetris_offer *f, hc_tetris_choice *best);

#endif
