/* math.h -- elementary functions and random variates that give the same bits everywhere.
 *
 * exp, log, pow ... are ours, because the C library's differ in the last bit between versions and every
 * digest would with them. Within 1 ulp of the true value (tested against long double). Built with
 * -ffp-contract=off. */
#ifndef HC_BASE_MATH_H
#define HC_BASE_MATH_H

#include "hindcast/base.h"

double hc_exp(double x);
double hc_log(double x); /* natural; -inf at 0, NaN below */
double hc_log2(double x);
double hc_log10(double x);
double hc_pow(double x, double y); /* the C standard's special cases */
double hc_sqrt(double x);          /* correctly rounded */

/* Student's t quantile for a two-sided interval (level 0.95, degrees of freedom >= 1), absolute error <
 * 1e-6. */
double hc_student_t(double level, double degrees);
/* P(|T| > |t|), the two-sided p value. */
double hc_student_outside(double t, double degrees);
double hc_normal_below(double z);    /* P(Z < z), 12 digits of either tail */
double hc_normal_share(double z);    /* the same to an absolute 1e-14: what workload models subtract */
double hc_normal_quantile(double p); /* its inverse, 0 < p < 1; relative error below 1e-14 */
/* log Gamma(x), x > 0; the incomplete gamma functions P(a, x) (0 below 0) and Q(a, x) = 1 - P(a, x), of which
 * the chi-square tail is Q(degrees / 2, x / 2); the incomplete beta function I_x(a, b), of which the binomial
 * P(X <= k) of n is I_(1-p)(n - k, k + 1). NaN outside their domains; about 12 digits. */
double hc_gamma_log(double x);
double hc_gamma_below(double a, double x);
double hc_gamma_above(double a, double x);
double hc_beta_below(double a, double b, double x);

/* ---- random streams: counter-based, so a new draw somewhere never shifts another ---- */

/* A stream is named by (seed, replication, entity, purpose); draw k of it is a pure function of the five.
 * Philox4x64-10 (Salmon et al., SC'11, doi:10.1145/2063384.2063405): key = (seed, purpose), counter =
 * (draw / 4, entity, replication, 0), word = draw % 4. */
typedef struct hc_draws {
  uint64_t seed, replication, entity, purpose;
  uint64_t draw; /* next one; part of a run's state */
} hc_draws;

/* Purposes are spelt once, here, and never renumbered. */
typedef enum hc_purpose {
  HC_PURPOSE_TEST = 0,
  HC_PURPOSE_ORDER = 1,  /* random order of a queue: entity = task serial */
  HC_PURPOSE_PLACE = 2,  /* random placement: entity = task serial */
  HC_PURPOSE_LOAD = 3,   /* load-scaling transforms: entity = row */
  HC_PURPOSE_SAMPLE = 4, /* which tasks a sample keeps: entity = task serial */
  HC_PURPOSE_POLICY = 5, /* a policy's own draws */
  /* Generators: entity = rank of the task, or of the arrival. */
  HC_PURPOSE_ARRIVAL = 6,
  HC_PURPOSE_RUN = 7,
  HC_PURPOSE_SIZE = 8,
  HC_PURPOSE_ESTIMATE = 9,
  HC_PURPOSE_USER = 10,
  /* Hosts: entity = host, or zone of the level. */
  HC_PURPOSE_FAILURE = 11, /* how long it is up */
  HC_PURPOSE_REPAIR = 12,  /* how long it is down */
  HC_PURPOSE_FOUND = 24,   /* how long until a silent failure is found */
  HC_PURPOSE_SILENT = 25,  /* whether a failure is silent: draw = its failures so far */
  HC_PURPOSE_COPY =
      27, /* whether local checkpoints survive: entity = task serial, draw = its losses so far */
  HC_PURPOSE_SPREAD = 26, /* whether it takes another with it: entity = both, draw = its failures so far */
  /* Generators of jobs: entity = rank of the job. */
  HC_PURPOSE_JOB = 13,    /* how many tasks it has, and what else it draws once */
  HC_PURPOSE_SHAPE = 14,  /* which task waits for which */
  HC_PURPOSE_DEMAND = 15, /* what its tasks need of each host */
  /* Statistics: entity = what is resampled, replication = the resample. */
  HC_PURPOSE_BOOTSTRAP = 16,
  HC_PURPOSE_SHAKE_TAPE = 32,   /* a study's shaking: entity = row, draw = 256 x number of the shake */
  HC_PURPOSE_SHAKE_SUBMIT = 20, /* the transform `shake`: entity = rank of the task, or its user */
  HC_PURPOSE_SHAKE_RUN = 21,
  HC_PURPOSE_MALLEABLE = 23, /* which tasks the transform `malleable` makes so: entity = rank */
  HC_PURPOSE_SESSION = 22,   /* how users think and rest: entity = user, and rank of the draw */
  /* Hosts. */
  HC_PURPOSE_LOCAL_LOAD = 40, /* entity = process and host, draw = block and place in it */
  HC_PURPOSE_HEARTBEAT = 41,  /* when within a period it reports: entity = host */
  HC_PURPOSE_THINK = 42,   /* how long a scheduler thinks: entity = scheduler, draw = its decisions so far */
  HC_PURPOSE_MACHINE = 43, /* what a host has: entity = host */
  HC_PURPOSE_BLACKLIST = 50, /* machines that a picky scheduler never uses: entity = scheduler */
  HC_PURPOSE_REPLICA = 56,   /* where the copies of its data lie: entity = task serial, or its job */
  HC_PURPOSE_ROUND = 60,     /* in which order hosts are offered: entity = number of the round */
  /* hosts that a job samples: entity = its first task's serial, draw = its draws so far; or that a scheduler
   * goes through: entity = scheduler, draw = its decisions so far */
  HC_PURPOSE_PROBE = 70,
  HC_PURPOSE_STEAL = 71, /* hosts that a host looks for work on: entity = host, draw = its draws so far */
  HC_PURPOSE_BELIEF =
      72, /* error of what is believed of a job's run time: entity = its first task's serial */
  HC_PURPOSE_QUALITY = 73 /* how good a host is: entity = host */
} hc_purpose;

void hc_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4]);
uint64_t hc_random_bits(hc_draws *s);              /* 64 uniform bits */
double hc_random_unit(hc_draws *s);                /* [0, 1), 53 bits */
uint64_t hc_random_below(hc_draws *s, uint64_t n); /* 0 .. n-1, exactly uniform (Lemire); n > 0 */
double hc_random_exponential(hc_draws *s, double mean);
/* The same draws one after the other, four of which come from one block: zero but for `s`. */
typedef struct hc_draw_block {
  hc_draws s;
  uint64_t words[4];
  bool has_words;
} hc_draw_block;
uint64_t hc_random_block_below(hc_draw_block *b, uint64_t n); /* hc_random_below */
double hc_random_normal(hc_draws *s, double mean, double deviation);

#endif
