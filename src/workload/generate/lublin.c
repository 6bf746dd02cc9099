/* lublin.c -- the workload model of Lublin and Feitelson: batch and interactive jobs of a parallel machine.
 *
 * Size: serial, or 2^x for a two-stage uniform x, which is rounded for powers of two. Run time: exp of a
 * hyper-gamma variate whose mixture depends on the size, so that large jobs run longer. Arrivals: gaps are
 * exp of a gamma variate, measured in points, of which each half hour of the day holds as many as a gamma
 * density says; each type has a clock of its own, and the earlier one yields the next job.
 *
 * Two things are ours. Sizes that would not fit are bounded by the machine (the largest power of two in it):
 * rounding x can pass log2 of a machine that is no power of two. And `clock: exact`: the published program
 * drops the fraction of a second after each gap, so that its daily cycle wanders by half a second per job of
 * a type, hours in a long workload. The published gamma generator is another than ours: same distribution,
 * other draws.
 *
 * Does not model users, memory or queues. Cost: about 400 ns per task, constant memory.
 * Source: Lublin & Feitelson, JPDC 63(11), 2003, doi:10.1016/S0743-7315(03)00108-4; parameters of their
 * program of
 * 1999. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "base/variates.h"
#include "workload/generated.h"

#define WHERE "source lublin"
#define BUCKETS ((size_t)48)
#define BUCKET 1800.0    /* seconds */
#define FIRST_BUCKET 11  /* the density's 11 falls on 5:00: the day begins where fewest arrive */
#define LONGEST_RUN 12.0 /* ln of seconds: about 45 hours */
#define LONGEST_GAP 13.0 /* about 5 days */

enum { INTERACTIVE, BATCH, MERGED, MODELS };
typedef enum types { TYPE_BOTH, TYPE_BATCH, TYPE_INTERACTIVE, TYPE_MERGED } types;
typedef enum estimates { ESTIMATE_EXACT, ESTIMATE_FACTOR } estimates;
typedef enum clocks { CLOCK_PUBLISHED, CLOCK_EXACT } clocks;
typedef enum size_rules { SIZES_MOVED, SIZES_LOG2 } size_rules;

typedef struct model {
  double serial, pow2; /* probabilities */
  double u_low, u_med, u_hi,
      u_prob;                    /* log2 of the size: two-stage uniform; u_med, u_hi 0: from the machine */
  double a1, b1, a2, b2, pa, pb; /* ln of the run time: gamma 1 with probability pa size + pb, else gamma 2 */
  double a_arr, b_arr, a_num, b_num, arar; /* ln of the gaps; where in the day */
} model;

typedef struct options {
  hc_generated_options head;
  int64_t procs;
  int type, estimate, clock, sizes;
  double estimate_factor, gap_scale;
  model models[MODELS];
} options;

typedef struct arrivals {
  double clock, points, share; /* seconds; left over from the last gap, and as a part of its bucket */
  uint64_t rank, bucket;       /* of the next arrival; the half hour */
} arrivals;

struct hc_source {
  hc_generated head;
  const options *o;
  model models[MODELS]; /* with what the machine says */
  double weight[MODELS][BUCKETS];
  bool used[MODELS];
  arrivals of[MODELS]; /* state */
};

/* ---- the model ---- */

static int64_t draw_size(const hc_source *s, const model *m, hc_draws *d)
{
  const double u = hc_random_unit(d);
  if (u <= m->serial) return 1;
  const bool first = hc_random_unit(d) < m->u_prob;
  const double low = first ? m->u_low : m->u_med, high = first ? m->u_med : m->u_hi;
  const double x = low + (high - low) * hc_random_unit(d);
  if (u > m->serial + m->pow2) return HC_MIN((int64_t)(hc_pow(2.0, x) + 0.5), s->o->procs);
  int64_t size = (int64_t)1 << (int64_t)(x + 0.5);
  while (size > s->o->procs) size /= 2;
  return size;
}

static hc_time draw_run(const model *m, int64_t size, hc_draws *d)
{
  const double p = m->pa * (double)size + m->pb;
  double y;
  do y = hc_random_unit(d) < p ? hc_random_gamma(d, m->a1, m->b1) : hc_random_gamma(d, m->a2, m->b2);
  while (y > LONGEST_RUN);
  return (hc_time)hc_exp(y) * HC_SECOND;
}

/* Move a type's clock to its next arrival. */
static void advance(hc_source *s, size_t type)
{
  const model *m = &s->models[type];
  const double *weight = s->weight[type];
  arrivals *a = &s->of[type];
  hc_draws d = hc_generated_draw(&s->head, 2 * a->rank + (type == BATCH), HC_PURPOSE_ARRIVAL);
  double g, gap = 0;
  do g = hc_random_gamma(&d, m->a_arr * m->arar, m->b_arr);
  while (g > LONGEST_GAP);
  a->points += hc_exp(g) * s->o->gap_scale / BUCKET;
  while (a->points > weight[a->bucket] || weight[a->bucket] == 0) {
    a->points -= weight[a->bucket];
    a->bucket = (a->bucket + 1) % BUCKETS;
    gap += BUCKET;
  }
  const double share = a->points / weight[a->bucket];
  a->clock += gap + BUCKET * (share - a->share);
  if (s->o->clock == CLOCK_PUBLISHED) a->clock = (double)(int64_t)a->clock;
  a->share = share;
  a->rank++;
}

/* ---- from options ---- */

static hc_rc refuse(hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s", text);
}

/* The table's u_hi and u_med are those of a machine of 128; for another they move with log2 of its size, or
 * are what the publication recommends: log2 of the size, and 2.5 below that. */
static hc_rc set_sizes(model *m, size_t type, int64_t procs, size_rules rule, hc_error *e)
{
  static const double table[MODELS][2] = {[INTERACTIVE] = {3, 5.5}, [BATCH] = {5, 7}, [MERGED] = {4.5, 7}};
  const double all = hc_log2((double)procs), high = rule == SIZES_LOG2 ? all : table[type][1] + (all - 7.0),
               middle = rule == SIZES_LOG2 ? all - 2.5 : table[type][0] + (all - 7.0);
  if (m->u_hi == 0) m->u_hi = HC_MAX(high, m->u_low);
  if (m->u_med == 0) m->u_med = HC_MIN(HC_MAX(middle, m->u_low), m->u_hi);
  if (m->serial + m->pow2 > 1)
    return refuse(e, "the probabilities of serial and of power-of-two jobs add up to more than 1: lower one");
  if (!(m->u_low <= m->u_med && m->u_med <= m->u_hi))
    return refuse(
        e, "u_low, u_med and u_hi are not in this order: they bound the two stages of log2 of the size");
  return 0;
}

/* Each draw must have a fair chance to be taken. */
static hc_rc check_cuts(const model *m, hc_error *e)
{
  if (hc_gamma_below(m->a1, LONGEST_RUN / m->b1) < 0.01 || hc_gamma_below(m->a2, LONGEST_RUN / m->b2) < 0.01)
    return refuse(e, "with these a1, b1, a2, b2 hardly any run time is below exp(12) s: lower them");
  if (hc_gamma_below(m->a_arr * m->arar, LONGEST_GAP / m->b_arr) < 0.01)
    return refuse(e, "with these a_arr, b_arr hardly any gap is below exp(13) s: lower them");
  return 0;
}

static hc_rc set_weights(hc_source *s, size_t type, hc_error *e)
{
  const model *m = &s->models[type];
  double *weight = s->weight[type], sum = 0;
  for (size_t i = FIRST_BUCKET; i < FIRST_BUCKET + BUCKETS; i++) {
    const double middle = (double)i;
    const double w = hc_gamma_below(m->a_num, (middle + 0.5) / m->b_num) -
                     hc_gamma_below(m->a_num, (middle - 0.5) / m->b_num);
    weight[(i - 1) % BUCKETS] = HC_MAX(w, 0.0);
    sum += HC_MAX(w, 0.0);
  }
  if (!(sum >= 0.01)) return refuse(e, "with these a_num, b_num hardly anything arrives within the day");
  for (size_t i = 0; i < BUCKETS; i++) weight[i] *= (double)BUCKETS / sum;
  return 0;
}

static hc_rc set_models(hc_source *s, hc_error *e)
{
  const types t = (types)s->o->type;
  s->used[INTERACTIVE] = t == TYPE_BOTH || t == TYPE_INTERACTIVE;
  s->used[BATCH] = t == TYPE_BOTH || t == TYPE_BATCH;
  s->used[MERGED] = t == TYPE_MERGED;
  for (size_t i = 0; i < MODELS; i++) {
    s->models[i] = s->o->models[i];
    if (!s->used[i]) continue;
    TRY(set_sizes(&s->models[i], i, s->o->procs, (size_rules)s->o->sizes, e));
    TRY(check_cuts(&s->models[i], e));
    TRY(set_weights(s, i, e));
    advance(s, i);
  }
  return 0;
}

/* ---- the source ---- */

static hc_rc lublin_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_generated_new(c, sizeof *s, o, o->procs, WHERE);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->o = o;
  TRY_OR(set_models(s, e), fail);
  *out = s;
  return 0;
fail:
  hc_generated_close(s);
  return rc;
}

/* The type that arrives next; of two at once the interactive one. */
static size_t earliest(const hc_source *s)
{
  size_t first = MODELS;
  for (size_t i = 0; i < MODELS; i++)
    if (s->used[i] && (first == MODELS || s->of[i].clock < s->of[first].clock)) first = i;
  return first;
}

static hc_time limit(const hc_source *s, hc_time run)
{
  hc_draws d;
  switch ((estimates)s->o->estimate) {
    case ESTIMATE_EXACT: return run;
    case ESTIMATE_FACTOR: break;
  }
  d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_ESTIMATE);
  return hc_generated_up(
      hc_generated_time((double)run / 1e9 * (1.0 + s->o->estimate_factor * hc_random_unit(&d))));
}

static hc_rc lublin_next(hc_source *s, hc_job *job, hc_error *e)
{
  const size_t type = earliest(s);
  const model *m = &s->models[type];
  const hc_time exact = hc_generated_time(s->of[type].clock), at = exact / HC_SECOND * HC_SECOND;
  hc_draws d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_SIZE);
  int64_t size;
  HC_UNUSED(e);
  if (hc_generated_is_over(&s->head, at) || exact >= HC_GENERATED_END) return 0;
  size = draw_size(s, m, &d);
  d = hc_generated_draw(&s->head, s->head.s.rank, HC_PURPOSE_RUN);
  s->head.task = hc_generated_task(s->head.s.rank, at, draw_run(m, size, &d), size);
  s->head.task.limit = HC_MAX(limit(s, s->head.task.run), s->head.task.run);
  if (type != MERGED) s->head.task.queue = type == BATCH; /* 0: interactive, as the format suggests */
  advance(s, type);
  s->head.s.rank++;
  return hc_generated_yield(&s->head, job);
}

static hc_rc lublin_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_generated_visit(s, v, e));
  HC_VISIT(v, s->of);
  for (size_t i = 0; i < MODELS; i++) {
    const arrivals *a = &s->of[i];
    const bool sound = a->bucket < BUCKETS && a->clock >= 0 && a->clock < 1e10 && a->points >= 0 &&
                       a->points < 1e6 && a->share >= 0 && a->share < 1e300;
    if (!sound) return hc_generated_damaged(&s->head, e);
  }
  return 0;
}

/* One parameter of a type: its table's value is the default. */
#define REAL(word, which, member, value, low, high, text) \
  HC_PARAM_AS(REAL, word "_" #member, options, models[which].member, "1", value, low, high, \
              "Jobs of type " word ": " text ".")

#define MODEL(word, which, serial_, pow2_, u_low_, u_prob_, a1_, b1_, a2_, b2_, pa_, pb_) \
  REAL(word, which, serial, serial_, 0, 1, "probability of one processor"), \
      REAL(word, which, pow2, pow2_, 0, 1, "probability of a power of two"), \
      REAL(word, which, u_low, u_low_, 0, 29, "least log2 of the size of other jobs"), \
      REAL(word, which, u_med, "0", 0, 29, "where the second stage begins; 0: by `sizes`"), \
      REAL(word, which, u_hi, "0", 0, 29, "greatest log2 of the size; 0: by `sizes`"), \
      REAL(word, which, u_prob, u_prob_, 0, 1, "probability of the first stage, u_low to u_med"), \
      REAL(word, which, a1, a1_, 1e-3, 1e6, "shape of the first gamma of ln(run)"), \
      REAL(word, which, b1, b1_, 1e-6, 1e3, "scale of the first gamma of ln(run)"), \
      REAL(word, which, a2, a2_, 1e-3, 1e6, "shape of the second gamma of ln(run)"), \
      REAL(word, which, b2, b2_, 1e-6, 1e3, "scale of the second gamma of ln(run)"), \
      REAL(word, which, pa, pa_, -1e3, 1e3, \
           "the first gamma has probability pa size + pb, bounded by 0 and 1"), \
      REAL(word, which, pb, pb_, -1e3, 1e3, \
           "pb of the probability pa size + pb of the first gamma; with pa = 0 size and run time are " \
           "independent")

#define MODEL_ARRIVALS(word, which, a_arr_, b_arr_, a_num_, b_num_, arar_) \
  REAL(word, which, a_arr, a_arr_, 1e-3, 1e6, "shape of the gamma of ln(gap), times arar"), \
      REAL(word, which, b_arr, b_arr_, 1e-6, 0.99, "scale of the gamma of ln(gap)"), \
      REAL(word, which, a_num, a_num_, 1e-3, 1e6, "shape of the gamma density of arrivals over the day"), \
      REAL(word, which, b_num, b_num_, 1e-3, 1e3, \
           "scale of the gamma density of arrivals over the day, in half hours"), \
      REAL(word, which, arar, arar_, 1e-3, 1e3, "gaps of all hours against those of the rush hour")

static const hc_param params[] = {
    HC_GENERATED_TASKS(options, "1000", HC_GENERATED_HOW_MANY),
    HC_GENERATED_UNTIL_AT(options, head.until),
    HC_PARAM(INT, options, procs, "processors", "128", 2, 5e8,
             "Processors of the machine, which bound the sizes."),
    HC_PARAM(
        CHOICE, options, type, "both|batch|interactive|merged", "both",
        "Which jobs there are. both: batch and interactive jobs, each with parameters and a clock of their "
        "own. batch, interactive: only these. merged: one kind of job, fitted to all jobs together."),
    HC_PARAM(CHOICE, options, estimate, "exact|factor", "exact",
             "The limit that a task asks for, which is not part of the model. exact: its run time. factor: "
             "run (1 + u f), u uniform in [0, 1), f = estimate_factor."),
    HC_PARAM(REAL, options, estimate_factor, "1", "4", 0, 1e6, "The factor f of `estimate: factor`."),
    HC_PARAM(CHOICE, options, clock, "published|exact", "published",
             "When fractions of a second are dropped. published: after each gap, so that the daily cycle "
             "shifts by half a second for each job of a type. exact: only when a job is submitted."),
    HC_PARAM(CHOICE, options, sizes, "moved|log2", "moved",
             "The values u_hi and u_med of types whose parameters are 0. moved: the published values for 128 "
             "processors + log2(procs / 128). log2: as the publication recommends for any machine, u_hi = "
             "log2(procs) and u_med = u_hi - 2.5 (it allows 1.5 to 3.5 below)."),
    HC_PARAM(REAL, options, gap_scale, "1", "1", 1e-6, 1e6,
             "Factor of the activity between two arrivals: 2 halves the load. Days keep their length, unlike "
             "under the transform load."),
    HC_GENERATED_STREAM_AT(options, head.stream),
    MODEL("batch", BATCH, "0.2927", "0.6686", "1.2", "0.875", "6.57", "0.823", "639.1", "0.0156", "-0.003",
          "0.6986"),
    MODEL_ARRIVALS("batch", BATCH, "6.0415", "0.8531", "6.1271", "5.2740", "1.0519"),
    MODEL("interactive", INTERACTIVE, "0.1541", "0.625", "1", "0.705", "3.8351", "0.6605", "7.073", "0.6856",
          "-0.0118", "0.9156"),
    MODEL_ARRIVALS("interactive", INTERACTIVE, "6.5510", "0.6621", "8.9186", "3.6680", "0.9797"),
    MODEL("merged", MERGED, "0.244", "0.576", "0.8", "0.86", "4.2", "0.94", "312", "0.03", "-0.0054", "0.78"),
    MODEL_ARRIVALS("merged", MERGED, "10.2303", "0.4871", "8.1737", "3.9631", "1.0225"),
    {.name = NULL},
};

const hc_reader_type hc_reader_lublin = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "lublin",
         .summary = "generates batch and interactive jobs by the model of Lublin and Feitelson",
         .detail =
             "gamma(a, b) has mean a b. Size: 1 with probability serial; else 2^x to the nearest whole "
             "number, with x uniform in [u_low, u_med] with probability u_prob, else in [u_med, u_hi]; with "
             "probability pow2 x is rounded first; never above procs. Run time: floor(exp(y)) s, y from "
             "gamma(a1, b1) with probability pa size + pb, else gamma(a2, b2); y above 12 is drawn again. "
             "Arrivals: exp(g) s of activity, g from gamma(a_arr arar, b_arr), above 13 drawn again; half "
             "hour i - 1 (mod 48) of the day, i = 11 to 58, holds F(i + 1/2) - F(i - 1/2) of the activity, F "
             "the cdf of gamma(a_num, b_num), scaled to half an hour in the mean. Time 0 is midnight. Queue "
             "0 is interactive, 1 batch. The load is what comes out, about 0.70 for type: merged of 128 "
             "processors: use gap_scale, or the transform load. Sizes above procs, which rounding x can give "
             "where procs is no power of two, become the greatest power of two within it.",
         .source = "Lublin & Feitelson, JPDC 63(11), 2003, doi:10.1016/S0743-7315(03)00108-4",
         .params = params, .options_size = sizeof(options)},
    .open = lublin_open,
    .next = lublin_next,
    .info = hc_generated_info,
    .visit = lublin_visit,
    .progress = hc_generated_progress,
    .close = hc_generated_close,
};
