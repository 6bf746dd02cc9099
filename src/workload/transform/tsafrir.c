/* tsafrir.c -- gives every task the estimate that a user would have given it: one of few round values.
 *
 * All run times are read once, the model's histogram of estimates is made for as many jobs, and is dealt out
 * at random among those that are not shorter than the run (workload/popular.c). Every limit there was is
 * replaced. A task whose run time is not known keeps its limit and is not counted; a bundle is one job.
 *
 * Draws are those of purpose estimate, entity 2^64 - 1, so that they meet no generator's. Cost: some 40 bytes
 * per task, whose number `most` bounds. */
#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"
#include "workload/popular.h"

#define WHERE "transform tsafrir"

typedef struct options {
  hc_time max_estimate;
  hc_list popular;
  int64_t bins, most, stream;
  int rule, infeasible;
  bool longest_first;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_time *run, *estimate; /* [count], in the order of rows; of rows whose run time is known */
  size_t count, run_cap, estimate_cap;
  bool ready;
  uint64_t at; /* state: the next of them */
};

static void tsafrir_fini(hc_transform *t)
{
  const hc_allocator *a = t->context->allocator;
  hc_free(a, t->run, t->run_cap * sizeof *t->run);
  hc_free(a, t->estimate, t->estimate_cap * sizeof *t->estimate);
  hc_free(a, t, sizeof *t);
}

static hc_rc tsafrir_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                          hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = given};
  return 0;
}

static bool counts(const hc_task_spec *task)
{
  return task->run >= 0 && task->run != HC_NEVER;
}

/* The largest estimate: as given, or the longest run to the next whole hour. */
static hc_rc largest(const hc_transform *t, hc_time *out, hc_error *e)
{
  hc_time longest = 0;
  for (size_t i = 0; i < t->count; i++) longest = HC_MAX(longest, t->run[i]);
  if (longest > HC_NEVER - HC_HOUR)
    return hc_fail(e, HC_ELIMIT, WHERE, 0, 0, "a run time of 292 years has no estimate: drop that task");
  *out = t->o->max_estimate;
  if (*out == HC_UNKNOWN) *out = HC_MAX(-hc_floor_div(-longest, HC_HOUR) * HC_HOUR, HC_HOUR);
  if (longest <= *out) return 0;
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                 "a task runs %.6g h, longer than max_estimate: raise it, or leave it out",
                 (double)longest / 3.6e12);
}

static hc_rc check_popular(const hc_transform *t, hc_time longest, hc_error *e)
{
  const hc_time *given = t->o->popular.items;
  for (size_t i = 0; i < t->o->popular.count; i++)
    if (given[i] <= 0 || given[i] >= longest)
      return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                     "popular: value %zu is not between 0 and the largest estimate, %.6g h", i + 1,
                     (double)longest / 3.6e12);
  return 0;
}

/* All run times are known: deal out. */
static hc_rc deal(hc_transform *t, hc_error *e)
{
  const options *o = t->o;
  const hc_allocator *a = t->context->allocator;
  const size_t bin_bytes = HC_POPULAR_MOST * sizeof(hc_popular_bin),
               rank_bytes = 2 * t->count * sizeof(uint32_t);
  hc_popular_options with = {.jobs = t->count,
                             .bins = o->bins,
                             .rule = (hc_popular_rule)o->rule,
                             .given = o->popular.items,
                             .given_count = o->popular.count,
                             .longest_first = o->longest_first};
  hc_draws d = {.seed = t->context->seed,
                .replication = t->context->replication,
                .entity = UINT64_MAX,
                .purpose = (uint64_t)o->stream << 32 | HC_PURPOSE_ESTIMATE};
  size_t k = 0;
  TRY(largest(t, &with.longest, e));
  TRY(check_popular(t, with.longest, e));
  TRY(hc_reserve(a, (void **)&t->estimate, &t->estimate_cap, 2 * t->count, sizeof *t->estimate));
  hc_popular_bin *bins = hc_alloc(a, bin_bytes);
  uint32_t *rank = hc_alloc(a, rank_bytes);
  hc_rc rc = HC_ENOMEM;
  if (bins && rank) {
    const size_t n = hc_popular_bins(&with, &d, bins, NULL, NULL);
    rc = hc_popular_assign(t->run, t->count, bins, n, o->infeasible == 1, &d, rank, t->estimate, &k);
  }
  hc_free(a, bins, bin_bytes);
  hc_free(a, rank, rank_bytes);
  if (rc != HC_EINPUT) return rc;
  return hc_fail(
      e, HC_EINPUT, WHERE, 0, 0,
      "run time %zu of %zu by length is above estimate %zu: users of this model ask for less than these "
      "tasks run; raise max_estimate, or say `infeasible: raise`",
      k + 1, t->count, k + 1);
}

static hc_rc tsafrir_look(hc_transform *t, const hc_task_spec *task, hc_error *e)
{
  t->at = 0;
  if (!task) {
    if (!t->ready && t->count > 0) TRY(deal(t, e));
    t->ready = true;
    return 0;
  }
  if (!counts(task)) return 0;
  if (t->count >= (size_t)t->o->most)
    return hc_fail(
        e, HC_ELIMIT, WHERE, 0, 0,
        "there are more than %lld tasks, and all their run times have to be held: put `first` before it, or "
        "raise `most`",
        (long long)t->o->most);
  TRY(hc_reserve(t->context->allocator, (void **)&t->run, &t->run_cap, t->count + 1, sizeof *t->run));
  t->run[t->count++] = task->run;
  return 0;
}

static hc_rc tsafrir_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(why);
  if (!counts(task)) return 1;
  if (t->at >= t->count || t->run[t->at] != task->run)
    return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "task %lld: the source did not yield the same tasks twice",
                   (long long)task->id);
  task->limit = t->estimate[t->at++];
  return 1;
}

static hc_rc tsafrir_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->at);
  return t->at <= t->count ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, max_estimate, "s", NULL, 3600, 1e9,
             "The largest estimate, M, which the site allows. Default: the longest run time, rounded up to a "
             "whole hour."),
    HC_PARAM(INT, options, bins, "values", "0", 0, HC_POPULAR_MOST,
             "Number K of different estimates. 0: by `rule`, from the number of tasks."),
    HC_PARAM(CHOICE, options, rule, "table|power", "table",
             "How K follows from the number of tasks. table: straight lines through (tasks, K) (0, 0) (20, "
             "10) (200, 20) (1000, 35) (10000, 90) (70000, 340) (250000, 565), and 565 beyond. power: "
             "0.653566 tasks^0.547761."),
    HC_PARAM(TIMES, options, popular, "s", "[]", 1, 1e9,
             "Estimates that users of the site ask for. Each replaces the nearest value of the head, first "
             "among its further round values, and never the largest."),
    HC_PARAM(BOOL, options, longest_first, "true",
             "Whether the largest estimate is the most popular one. false: which one is, is drawn."),
    HC_PARAM(CHOICE, options, infeasible, "error|raise", "error",
             "What happens if the k-th longest run time is above the k-th longest estimate. error: the run "
             "ends with an error, as in the authors' program. raise: that estimate becomes the least value "
             "that is not below the run time."),
    HC_PARAM(INT, options, most, "tasks", "10000000", 1, 2e9,
             "Greatest number of tasks, each of which needs about 40 bytes of memory; more end the run with "
             "an error."),
    HC_PARAM(INT, options, stream, "1", "0", 0, 1e9, "Another number gives other draws from the same seed."),
    {.name = NULL},
};

const hc_transform_type hc_transform_tsafrir = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "tsafrir",
         .summary = "give every task an estimate as users give it: one of a few round, popular values, never "
                    "below its run time",
         .detail = "There are K different estimates (see `rule`). 20 of them, the head, have 89 % of the "
                   "tasks: the largest, M, then 5, 10, 15, 20, 30 min, 1 to 6, 8, 10, 12, 18 h where these "
                   "are below M, and further round values below M. The x-th most popular of them has 14.0491 "
                   "exp(-0.177531 x) + 0.462513 % of the tasks, for x = 2 to 20; the first has the rest of "
                   "the 89 %. How popular each value is, is drawn from the tables of four logs. The other K "
                   "- 20 values, to the minute, are M (a - 1) x / (a - x), for x = 1 / (K - 20) to 1 and a = "
                   "1 + 12.1039 K^-0.6026; the r-th most popular of them has a part of the other 11 % of the "
                   "tasks in proportion to r^-2.267. Then tasks and estimates are sorted, the longest first, "
                   "and each task draws one of the remaining estimates that are not below its run time. The "
                   "source is read twice, which neither standard input nor a closed loop allows, and all run "
                   "times are held in memory (see `most`). The constants are those of the authors' program. "
                   "For K below 20 our own choice is a head of its first values, with shares in proportion.",
         .source = "Tsafrir, Etsion & Feitelson, Modeling user runtime estimates, JSSPP 2005, "
                   "doi:10.1007/11605300_1",
         .params = params, .options_size = sizeof(options)},
    .needs_totals = true,
    .init = tsafrir_init,
    .apply = tsafrir_apply,
    .visit = tsafrir_visit,
    .fini = tsafrir_fini,
    .look = tsafrir_look,
};
