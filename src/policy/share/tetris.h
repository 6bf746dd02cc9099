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

typedef enum hc_tetris_rounding { HC_TETRIS_EXACT, HC_TETRIS_DOUBLE } hc_tetris_rounding;

/* What its parameters are, for the policies that have them; `heads` and `stops` follow from theirs. */
typedef struct hc_tetris_options {
  double knob;
  int rounding;   /* hc_tetris_rounding, of (1 - knob) U: as on paper, or as doubles have it */
  int score;      /* hc_packing */
  double mix;     /* m; 0: alignment alone */
  double barrier; /* b; 1: none */
  double remote;  /* this part of the alignment is lost on hosts that have not the task's data */
  hc_scale scale;
  bool heads, stops; /* only a user's first task; a task that does not fit may be chosen */
} hc_tetris_options;

/* Its parameters behind `knob`, whose users have another name in each policy. */
#define HC_TETRIS_PARAMS(options, member) \
  HC_PARAM_AS(CHOICE, "rounding", options, member.rounding, "exact|double", "exact", \
              "How (1 - f) U is computed. exact: without rounding errors. double: in double precision, as " \
              "DSLab's example does, where (1 - 0.7) 10 is above 3 and its ceiling is 4."), \
      HC_PARAM_AS(CHOICE, "score", options, member.score, HC_PACKINGS, "dot", \
                  "With a knob below 1, how well a task with demand d goes with the free amounts f of a " \
                  "host. angle, cosine: by direction; angle_length: (1 - cos) |f| / |d|; dot: Tetris's " \
                  "product; drfh: sum |d_r / d_1 - f_r / f_1|."), \
      HC_PARAM_AS( \
          REAL, "mix", options, member.mix, "1", "0", 0, 1e6, \
          "With a knob below 1, m of Tetris: a task's score is a - eps p, a the score above (dot or " \
          "cosine), p the remaining work of its job: the sum, over the job's tasks that wait or run, of " \
          "(share of the cell in each dimension) x estimate. eps is m x mean(a) / mean(p), over all tasks " \
          "that could start now. 0: a alone; Tetris has 1."), \
      HC_PARAM_AS(REAL, "barrier", options, member.barrier, "1", "1", 0, 1, \
                  "With a knob below 1, b of Tetris: if others wait for a stage, and at least this part of " \
                  "it is over, its other tasks come before all others. A stage is the tasks of one name in " \
                  "a job, or the job. 1: no stage does; Tetris has 0.9."), \
      HC_PARAM_AS(REAL, "remote_penalty", options, member.remote, "1", "0", 0, 1, \
                  "With a knob below 1, the part of the score that is lost on a host without the task's " \
                  "data, where the trace says on which hosts they are (`prefers`). Tetris has 0.1."), \
      HC_PARAM_AS(REALS, "dimension_weights", options, member.scale.weights, "1", NULL, 0, 1e9, \
                  "With a knob below 1, the weight of each dimension in the score: cpu, memory, disk, gpu, " \
                  "then others. Those behind the end of the list do not count. Default: each has weight " \
                  "1."), \
      HC_NORMALISE_PARAM(options, member.scale, "host"), HC_AMOUNTS_PARAM(options, member.scale)

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
