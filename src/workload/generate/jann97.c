/* jann97.c -- the workload model of Jann and others: ranges of sizes, each with a hyper-Erlang law of gaps
 * and of run times.
 *
 * A job's size lies in one of some ten ranges. Each range has an arrival process of its own, whose gaps, and
 * run times that, follow a hyper-Erlang law of common order (workload/hypererlang.h): with probability p the
 * sum of n exponentials of mean 1 / lambda_1, else of mean 1 / lambda_2. The four numbers match three moments
 * of what was seen in the log. The published numbers, of a machine of 322 nodes, are in tables that are not
 * at hand; so they are fitted to any log here, as theirs were, or given.
 *
 * Within a range the size is its greatest, as in the variant in which each job gets a power of two, or
 * uniform. Ranges in which the log has no task yield none. Task k of range i follows from seed, replication,
 * stream, i and k; only the clocks are carried on. Cost: about 450 ns per task, constant memory; fitting
 * reads the log once, when the source is opened.
 *
 * Source: Jann, Pattnaik, Franke, Wang, Skovira & Riodan, "Modeling of workload in MPPs", JSSPP 1997,
 * doi:10.1007/3-540-63574-2_18. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/fitting.h"
#include "workload/generated.h"
#include "workload/hypererlang.h"

#define WHERE "source jann97"
#define RANGES 64
#define FEWEST 5 /* tasks of a range: four gaps, of which three moments say something */

typedef enum withins { WITHIN_UNIFORM, WITHIN_TOP } withins;
enum { GAP, RUN, LAWS };

typedef struct law_options {
  hc_list order, p, lambda1, lambda2;
} law_options;

typedef struct options {
  hc_generated_options head;
  int64_t procs;
  hc_chosen fit;
  hc_list sizes;
  law_options laws[LAWS];
  int within;
  bool strict_fit, whole_seconds;
} options;

typedef struct range {
  int64_t low, high; /* sizes */
  bool used;
  hc_hyper_erlang laws[LAWS];
} range;

struct hc_source {
  hc_generated head;
  const options *o;
  int64_t tops[RANGES];
  range ranges[RANGES];
  size_t count;
  struct {
    hc_time clock[RANGES];  /* of the next arrival */
    uint64_t drawn[RANGES]; /* its number */
  } s;
};

/* ---- ranges ---- */

static hc_rc set_ranges(hc_source *s, hc_error *e)
{
  const int64_t *sizes = s->o->sizes.items;
  const size_t given = s->o->sizes.count;
  if (given > RANGES) return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "sizes: more than %d ranges", RANGES);
  for (size_t i = 0; i < given; i++) {
    if (i > 0 && sizes[i] <= sizes[i - 1])
      return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "sizes: value %zu is not above the one before it", i + 1);
    s->tops[s->count++] = sizes[i];
  }
  for (int64_t top = 1; given == 0; top *= 2) { /* 1, 2, 3-4, 5-8 ... */
    s->tops[s->count++] = HC_MIN(top, s->o->procs);
    if (top >= s->o->procs) break;
  }
  for (size_t i = 0; i < s->count; i++)
    s->ranges[i] = (range){.low = i ? s->tops[i - 1] + 1 : 1, .high = s->tops[i]};
  if (s->tops[s->count - 1] <= s->o->procs) return 0;
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                 "sizes: the last range reaches above procs, %lld: raise procs, or lower it",
                 (long long)s->o->procs);
}

/* ---- parameters that were given ---- */

static hc_rc take_law(const hc_source *s, int law, hc_hyper_erlang *to, size_t i, hc_error *e)
{
  static const char *const names[LAWS] = {"gap", "run"};
  const law_options *l = &s->o->laws[law];
  if (l->order.count != s->count || l->p.count != s->count || l->lambda1.count != s->count ||
      l->lambda2.count != s->count)
    return hc_fail(
        e, HC_EUSAGE, WHERE, 0, 0,
        "%s_order, %s_p, %s_lambda1 and %s_lambda2 do not all have %zu values, one for each range: give "
        "them, or a log to `fit`",
        names[law], names[law], names[law], names[law], s->count);
  const double rate1 = ((const double *)l->lambda1.items)[i], rate2 = ((const double *)l->lambda2.items)[i];
  if (!(rate1 > 0 && rate2 > 0))
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "range %zu: a rate of %s is not above 0", i + 1, names[law]);
  *to = (hc_hyper_erlang){((const int64_t *)l->order.items)[i], ((const double *)l->p.items)[i], 1 / rate1,
                          1 / rate2};
  return 0;
}

static hc_rc take_given(hc_source *s, hc_error *e)
{
  for (size_t i = 0; i < s->count; i++) {
    for (int k = 0; k < LAWS; k++) TRY(take_law(s, k, &s->ranges[i].laws[k], i, e));
    s->ranges[i].used = true;
  }
  return 0;
}

/* ---- or fitted ---- */

static hc_rc fit_law(const hc_source *s, const range *r, const char *what, const hc_power_sums *m,
                     hc_hyper_erlang *to, hc_error *e)
{
  const int matched =
      m->count > 0 ? hc_hyper_erlang_fit(to, m->first / m->count, m->second / m->count, m->third / m->count)
                   : 0;
  if (matched == 3 || (matched == 1 && !s->o->strict_fit)) return 0;
  return hc_fail(
      e, HC_EINPUT, WHERE, 0, 0,
      "sizes %lld to %lld: no hyper-Erlang law has the moments of the %.0f %s of the log: %s, or widen the "
      "range",
      (long long)r->low, (long long)r->high, m->count, what,
      matched == 1 ? "they hardly vary; say `strict_fit: false`" : "they are all 0");
}

static hc_rc fit_ranges(hc_source *s, const hc_fit_range *seen, hc_error *e)
{
  bool any = false;
  for (size_t i = 0; i < s->count; i++) {
    range *r = &s->ranges[i];
    if (seen[i].run.count == 0) continue;
    if (seen[i].run.count < FEWEST)
      return hc_fail(
          e, HC_EINPUT, WHERE, 0, 0,
          "sizes %lld to %lld: the log has %.0f tasks there, too few for three moments (%d): widen the "
          "ranges with `sizes`",
          (long long)r->low, (long long)r->high, seen[i].run.count, FEWEST);
    TRY(fit_law(s, r, "gaps", &seen[i].gap, &r->laws[GAP], e));
    TRY(fit_law(s, r, "run times", &seen[i].run, &r->laws[RUN], e));
    any = r->used = true;
  }
  if (any) return 0;
  return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "the log to fit has no task of a size in any range");
}

static hc_rc fit(hc_source *s, hc_error *e)
{
  hc_fit_range seen[RANGES];
  TRY(hc_fit_read(s->head.context, &s->o->fit, s->tops, s->count, seen, NULL, e));
  return fit_ranges(s, seen, e);
}

/* ---- the source ---- */

/* Two draws of entity k of range i never meet: there are at most RANGES of them. */
static hc_draws draws(const hc_source *s, size_t i, hc_purpose purpose)
{
  return hc_generated_draw(&s->head, s->s.drawn[i] * RANGES + i, purpose);
}

static void advance(hc_source *s, size_t i)
{
  hc_draws d = draws(s, i, HC_PURPOSE_ARRIVAL);
  s->s.clock[i] =
      hc_time_add(s->s.clock[i], hc_generated_time(hc_hyper_erlang_draw(&s->ranges[i].laws[GAP], &d)));
}

static hc_rc jann97_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_generated_new(c, sizeof *s, o, o->procs, WHERE);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->o = o;
  TRY_OR(set_ranges(s, e), fail);
  TRY_OR(o->fit.type ? fit(s, e) : take_given(s, e), fail);
  for (size_t i = 0; i < s->count; i++)
    if (s->ranges[i].used) advance(s, i);
  *out = s;
  return 0;
fail:
  hc_generated_close(s);
  return rc;
}

static size_t earliest(const hc_source *s)
{
  size_t first = RANGES;
  for (size_t i = 0; i < s->count; i++)
    if (s->ranges[i].used && (first == RANGES || s->s.clock[i] < s->s.clock[first])) first = i;
  return first;
}

static hc_rc jann97_next(hc_source *s, hc_job *job, hc_error *e)
{
  const options *o = s->o;
  const size_t i = earliest(s);
  const range *r = &s->ranges[i];
  const hc_time at = s->s.clock[i];
  hc_draws d = draws(s, i, HC_PURPOSE_RUN);
  int64_t size = r->high;
  HC_UNUSED(e);
  if (hc_generated_is_over(&s->head, at)) return 0;
  const hc_time run = HC_MAX(hc_generated_time(hc_hyper_erlang_draw(&r->laws[RUN], &d)), 1);
  d = draws(s, i, HC_PURPOSE_SIZE);
  if (o->within == WITHIN_UNIFORM)
    size = r->low + (int64_t)hc_random_below(&d, (uint64_t)(r->high - r->low) + 1);
  s->head.task = hc_generated_task(s->head.s.rank, hc_generated_submit(at, o->whole_seconds),
                                   hc_generated_run(run, o->whole_seconds), size);
  s->s.drawn[i]++;
  advance(s, i);
  s->head.s.rank++;
  return hc_generated_yield(&s->head, job);
}

static hc_rc jann97_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_generated_visit(s, v, e));
  HC_VISIT(v, s->s);
  for (size_t i = 0; i < s->count; i++)
    if (s->s.clock[i] < 0) return hc_generated_damaged(&s->head, e);
  return 0;
}

#define OFFSET(member) .offset = offsetof(options, member)
#define LIST(word, type_, member, unit_, low, high, text) \
  { \
    .name = word, .type = type_, .list = true, OFFSET(member), .unit = unit_, .fallback = "[]", .min = low, \
    .max = high, .help = text \
  }
/* One number of a law for each range. `of` says what is drawn */
#define NUMBER(word, type_, member, unit_, low, high, what, of) \
  LIST(word, type_, member, unit_, low, high, "Without `fit`: " what " of the law of " of ", for each range.")
#define LAW(word, law, of) \
  NUMBER(word "_order", HC_INT, laws[law].order, "1", 1, HC_ERLANG_MOST, "number n of stages", of), \
      NUMBER(word "_p", HC_REAL, laws[law].p, "1", 0, 1, "probability of the first rate", of), \
      NUMBER(word "_lambda1", HC_REAL, laws[law].lambda1, "1/s", 0, 1e9, "first rate", of), \
      NUMBER(word "_lambda2", HC_REAL, laws[law].lambda2, "1/s", 0, 1e9, "second rate", of)

static const hc_param params[] = {
    HC_GENERATED_PARAMS(options, "1000", HC_GENERATED_HOW_MANY),
    HC_PARAM(INT, options, procs, "processors", "322", 1, 1e9,
             "Processors of the machine, which bound the sizes; 322: the SP2 of the Cornell Theory Center."),
    LIST("sizes", HC_INT, sizes, "processors", 1, 1e9,
         "The greatest size of each range, ascending; the first range begins at 1. Empty: 1, 2, 4, 8 ... up "
         "to procs."),
    HC_PARAM(COMPONENT, options, fit, HC_KIND_READER, NULL,
             "A source to whose moments both laws of each range are fitted: `{use: swf, file: log.swf}`. "
             "Default: the parameters `gap_*` and `run_*` give the laws."),
    HC_PARAM(BOOL, options, strict_fit, "false",
             "Whether gaps or run times that hardly vary (cv below 0.03), to which no law of up to 1000 "
             "stages can be fitted, are an error. false: they get 1000 stages and the right mean."),
    LAW("gap", GAP, "the time between two jobs of a range"),
    LAW("run", RUN, "run times"),
    HC_PARAM(CHOICE, options, within, "uniform|top", "uniform",
             "The size within a range. uniform: each size with the same probability. top: the greatest."),
    HC_GENERATED_WHOLE_SECONDS(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_jann97 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "jann97",
         .summary =
             "generates parallel jobs by the model of Jann and others: a hyper-Erlang law for each range of "
             "sizes",
         .detail = "Sizes are cut into ranges, each with an arrival process of its own. Gaps and run times "
                   "of a range follow a hyper-Erlang law of common order: with probability p a sum of n "
                   "exponentials of rate lambda1, else of rate lambda2. Fit to raw moments mu_k of a log: "
                   "m_k = mu_k / (n (n + 1) ... (n + k - 1)); s = (m3 - m1 m2) / (m2 - m1^2), q = (m1 m3 - "
                   "m2^2) / (m2 - m1^2); 1 / lambda1 and 1 / lambda2 are the roots of z^2 - s z + q; p = (m1 "
                   "- 1 / lambda2) / (1 / lambda1 - 1 / lambda2); n is the least for which both are above 0 "
                   "and p in [0, 1]. The published tables of numbers are not included: give a log as `fit`, "
                   "or numbers. Our own choices: the ranges 1, 2, 3-4, 5-8 ..., and sizes uniform within a "
                   "range. Limits are run times: see the transforms `estimates` and `tsafrir`.",
         .source =
             "Jann, Pattnaik, Franke, Wang, Skovira & Riodan, Modeling of workload in MPPs, JSSPP 1997, "
             "doi:10.1007/3-540-63574-2_18",
         .params = params, .options_size = sizeof(options)},
    .open = jann97_open,
    .next = jann97_next,
    .info = hc_generated_info,
    .visit = jann97_visit,
    .progress = hc_generated_progress,
    .close = hc_generated_close,
};
