/* azure2019.c -- the Azure Functions dataset of 2019: how often each function is invoked in each minute of a
 * day.
 *
 * A day is three tables: invocations a minute of each function (HashOwner, HashApp, HashFunction, Trigger, 1
 * to 1440), percentiles of its durations in milliseconds, and percentiles of the memory of each application
 * in megabytes. When in its minute an invocation comes, and how long it takes, is not in them: the first is
 * at even distances or drawn, the second is drawn from a distribution whose quantiles are the percentiles,
 * on straight lines between them. Draws are by the source's number, the row and the invocation's rank in it,
 * so that none depends on which others are taken.
 *
 * An application (HashApp) is what has containers; functions share those of theirs. Invocations of a
 * function without durations are rejected as `incomplete`. Source: github.com/Azure/AzurePublicDataset,
 * AzureFunctionsDataset2019.md; Shahrad et al., USENIX ATC 2020. */
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/table.h"
#include "base/util.h"
#include "functions/functions.h"

#define WHERE "invocations azure2019"
#define POINTS 7
#define KEY_MOST 1024
#define NAMES_MOST 10000000
#define MINUTES_MOST 10080 /* a week in one table */
#define A_MINUTE_MOST 1000000000

typedef struct options {
  const char *file, *durations, *memory;
  int spread, memory_is;
  double share;
  hc_time begin, from, until, least;
} options;

enum { SPREAD_DRAWN, SPREAD_EVEN };

static const char *const quantiles[POINTS] = {
    "percentile_Average_0",  "percentile_Average_1",  "percentile_Average_25", "percentile_Average_50",
    "percentile_Average_75", "percentile_Average_99", "percentile_Average_100"};
static const double shares[POINTS] = {0, 0.01, 0.25, 0.5, 0.75, 0.99, 1};
static const char *const memories[] = {"AverageAllocatedMb", "AverageAllocatedMb_pct50",
                                       "AverageAllocatedMb_pct99", "AverageAllocatedMb_pct100"};

typedef struct lengths {
  double ms[POINTS];
} lengths;

/* What is read of a day. */
typedef struct day {
  const hc_invocations_context *c;
  const options *o;
  hc_names functions, applications; /* by the fields that say which */
  lengths *lengths;                 /* [length_count] of functions */
  size_t length_count, length_cap;
  int64_t *bytes; /* [byte_count] of applications */
  size_t byte_count, byte_cap;
  uint64_t rows; /* of the first table */
} day;

/* ---- fields ---- */

/* The texts of some columns as one, which no other texts make. */
static hc_rc key_of(const hc_table *t, const size_t *columns, size_t count, char *key, size_t *size,
                    hc_error *e)
{
  *size = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t n = hc_table_size(t, columns[i]);
    if (n == 0) return hc_table_fail(t, columns[i], e, "this field is empty, and says which function it is");
    if (*size + n + 1 > KEY_MOST)
      return hc_table_fail(t, columns[i], e, "longer than names of functions are, which are hashes");
    memcpy(key + *size, hc_table_text(t, columns[i]), n);
    key[*size + n] = '\n';
    *size += n + 1;
  }
  return 0;
}

static hc_rc real_at(const hc_table *t, size_t column, double most, double *out, hc_error *e)
{
  if (hc_table_real(t, column, out) && *out >= 0 && *out <= most) return 0;
  return hc_table_fail(t, column, e, "expected a number from 0 to %g, got \"%.80s\"", most,
                       hc_table_text(t, column));
}

static hc_rc open_table(hc_table *t, const day *d, const char *file, hc_error *e)
{
  hc_rc rc = hc_table_open(t, d->c->allocator, file, e);
  if (rc >= 0) rc = hc_table_next(t, e);
  if (rc == 0) return hc_fail(e, HC_EINPUT, t->name, 0, 0, "the file is empty");
  return rc < 0 ? rc : hc_table_keep_titles(t);
}

/* @param out [count] columns of these titles */
static hc_rc find_columns(const hc_table *t, const char *const *titles, size_t count, size_t *out,
                          hc_error *e)
{
  for (size_t i = 0; i < count; i++) {
    out[i] = hc_table_column(t, titles[i]);
    if (out[i] == 0)
      return hc_table_fail(t, 0, e, "no column is called %s: is this the right table of the dataset?",
                           titles[i]);
  }
  return 0;
}

/* ---- durations ---- */

static hc_rc read_lengths(day *d, hc_table *t, hc_error *e)
{
  static const char *const keys[] = {"HashOwner", "HashApp", "HashFunction"};
  size_t which[3], points[POINTS], size;
  char key[KEY_MOST];
  hc_rc rc;
  TRY(open_table(t, d, d->o->durations, e));
  TRY(find_columns(t, keys, 3, which, e));
  TRY(find_columns(t, quantiles, POINTS, points, e));
  while ((rc = hc_table_next(t, e)) > 0) {
    lengths x;
    uint32_t id;
    TRY(key_of(t, which, 3, key, &size, e));
    TRY(hc_names_add(&d->functions, key, size, &id));
    for (size_t i = 0; i < POINTS; i++) {
      TRY(real_at(t, points[i], HC_FN_LONGEST * 1e3, &x.ms[i], e));
      if (i > 0) x.ms[i] = HC_MAX(x.ms[i], x.ms[i - 1]);
    }
    if (id < d->length_count) continue; /* the first row of a function counts */
    TRY(hc_reserve(d->c->allocator, (void **)&d->lengths, &d->length_cap, d->length_count + 1,
                   sizeof *d->lengths));
    d->lengths[d->length_count++] = x;
  }
  return rc;
}

static hc_time draw_length(const day *d, const lengths *x, hc_draws *draws)
{
  const double u = hc_random_unit(draws);
  size_t i = 1;
  while (i + 1 < POINTS && u >= shares[i]) i++;
  const double part = (u - shares[i - 1]) / (shares[i] - shares[i - 1]);
  const double ms = x->ms[i - 1] + part * (x->ms[i] - x->ms[i - 1]);
  return HC_MAX((hc_time)(ms * 1e6 + 0.5), d->o->least);
}

/* ---- memory ---- */

static hc_rc read_memory(day *d, hc_table *t, hc_error *e)
{
  static const char *const keys[] = {"HashOwner", "HashApp"};
  size_t which[2], column, size;
  char key[KEY_MOST];
  hc_rc rc;
  TRY(open_table(t, d, d->o->memory, e));
  TRY(find_columns(t, keys, 2, which, e));
  TRY(find_columns(t, &memories[d->o->memory_is], 1, &column, e));
  while ((rc = hc_table_next(t, e)) > 0) {
    double mb;
    uint32_t id;
    TRY(key_of(t, which, 2, key, &size, e));
    TRY(real_at(t, column, 1e9, &mb, e));
    TRY(hc_names_add(&d->applications, key, size, &id));
    if (id < d->byte_count) continue;
    TRY(hc_reserve(d->c->allocator, (void **)&d->bytes, &d->byte_cap, d->byte_count + 1, sizeof *d->bytes));
    d->bytes[d->byte_count++] = (int64_t)(mb * 1048576 + 0.5);
  }
  return rc;
}

/* ---- invocations ---- */

typedef struct function {
  uint32_t application;
  const lengths *lengths;
  uint64_t row, rank; /* rank of its next invocation */
} function;

/* @param place in its minute, 0 to 1, where it is not drawn */
static hc_rc invoke(day *d, const function *f, hc_time minute, double place, hc_error *e)
{
  const options *o = d->o;
  hc_draws draws = {.seed = d->c->seed,
                    .replication = d->c->replication,
                    .entity = ((uint64_t)d->c->number << 56) + (f->row << 34) + f->rank,
                    .purpose = HC_PURPOSE_ARRIVAL};
  hc_draws of_length = draws;
  of_length.purpose = HC_PURPOSE_RUN;
  if (o->spread == SPREAD_DRAWN) place = hc_random_unit(&draws);
  const hc_time at = minute + (hc_time)(place * (double)HC_MINUTE);
  if (at < o->from || at > o->until) {
    d->c->reject(d->c->ctx, HC_REASON_OUTSIDE, 1);
    return 0;
  }
  const hc_rc rc = d->c->invoke(d->c->ctx, f->application, at - o->from + o->begin,
                                draw_length(d, f->lengths, &of_length));
  if (rc != HC_ELIMIT) return rc;
  return hc_fail(e, rc, WHERE, 0, 0,
                 "more invocations than a run can have: take a `share` of the applications, or say `until`");
}

static hc_rc invoke_minute(day *d, function *f, hc_time minute, int64_t n, hc_error *e)
{
  if (minute + HC_MINUTE <= d->o->from || minute > d->o->until) {
    d->c->reject(d->c->ctx, HC_REASON_OUTSIDE, (uint64_t)n);
    f->rank += (uint64_t)n;
    return 0;
  }
  for (int64_t i = 0; i < n; i++, f->rank++) TRY(invoke(d, f, minute, ((double)i + 0.5) / (double)n, e));
  return 0;
}

/* @return how many minutes there are, from the column of the first */
static size_t count_minutes(const hc_table *t, size_t first)
{
  size_t n = 0;
  char title[24];
  for (; first + n <= t->title_count && n < MINUTES_MOST; n++) {
    (void)snprintf(title, sizeof title, "%zu", n + 1);
    if (strcmp(t->titles[first + n - 1], title) != 0) break;
  }
  return n;
}

/* @return 1; 0, with the reason: it is not taken */
static hc_rc find_function(day *d, const hc_table *t, const size_t *which, function *f, hc_reason *why,
                           hc_error *e)
{
  char key[KEY_MOST];
  size_t size;
  uint32_t id;
  TRY(key_of(t, which, 2, key, &size, e));
  TRY(hc_names_add(&d->applications, key, size, &id));
  hc_draws draws = {.seed = d->c->seed,
                    .replication = d->c->replication,
                    .entity = ((uint64_t)d->c->number << 56) + id,
                    .purpose = HC_PURPOSE_SAMPLE};
  *why = HC_REASON_FILTERED;
  if (d->o->share < 1 && hc_random_unit(&draws) >= d->o->share) return 0;
  TRY(key_of(t, which, 3, key, &size, e));
  const uint32_t of = hc_names_find(&d->functions, key, size);
  *why = HC_REASON_INCOMPLETE;
  if (of == HC_MAP_NONE) return 0;
  const hc_rc rc =
      d->c->application(d->c->ctx, hc_table_text(t, which[1]), hc_table_size(t, which[1]), &f->application);
  if (rc == 0)
    return hc_table_fail(t, which[1], e,
                         "no application is called \"%.80s\": add one of the name \"*\" to `applications`, "
                         "which is for all that are not named",
                         hc_table_text(t, which[1]));
  TRY(rc);
  if (id < d->byte_count) d->c->memory(d->c->ctx, f->application, d->bytes[id]);
  f->lengths = &d->lengths[of];
  return 1;
}

static hc_rc read_row(day *d, const hc_table *t, const size_t *which, size_t first, size_t minutes,
                      hc_error *e)
{
  function f = {.row = d->rows++};
  hc_reason why = HC_REASON_FILTERED;
  const hc_rc found = find_function(d, t, which, &f, &why, e);
  if (found < 0) return found;
  for (size_t m = 0; m < minutes; m++) {
    int64_t n;
    if (!hc_table_whole(t, first + m, &n) || n < 0 || n > A_MINUTE_MOST)
      return hc_table_fail(t, first + m, e,
                           "expected how many invocations there were in minute %zu, got \"%.80s\"", m + 1,
                           hc_table_text(t, first + m));
    if (n == 0) continue;
    if (found == 0) d->c->reject(d->c->ctx, why, (uint64_t)n);
    else TRY(invoke_minute(d, &f, (hc_time)m * HC_MINUTE, n, e));
  }
  return 0;
}

static hc_rc read_invocations(day *d, hc_table *t, hc_error *e)
{
  static const char *const titles[] = {"HashOwner", "HashApp", "HashFunction", "1"};
  size_t columns[4];
  hc_rc rc;
  TRY(open_table(t, d, d->o->file, e));
  TRY(find_columns(t, titles, 4, columns, e));
  const size_t minutes = count_minutes(t, columns[3]);
  while ((rc = hc_table_next(t, e)) > 0) TRY(read_row(d, t, columns, columns[3], minutes, e));
  return rc;
}

/* ---- all ---- */

static hc_rc read_one(day *d, hc_rc (*read)(day *d, hc_table *t, hc_error *e), hc_error *e)
{
  hc_table t = {0};
  const hc_rc rc = read(d, &t, e);
  hc_table_close(&t);
  return rc;
}

static hc_rc make(const hc_invocations_context *c, const void *opts, hc_error *e)
{
  day d = {.c = c, .o = opts};
  if (!d.o->file || !d.o->durations)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "which files? write {use: azure2019, file: invocations_per_function_md.anon.d01.csv, "
                   "durations: function_durations_percentiles.anon.d01.csv, memory: "
                   "app_memory_percentiles.anon.d01.csv}");
  hc_names_init(&d.functions, c->allocator, NAMES_MOST);
  hc_names_init(&d.applications, c->allocator, NAMES_MOST);
  hc_rc rc = read_one(&d, read_lengths, e);
  if (rc >= 0 && d.o->memory) rc = read_one(&d, read_memory, e);
  if (rc >= 0) rc = read_one(&d, read_invocations, e);
  hc_names_fini(&d.functions);
  hc_names_fini(&d.applications);
  hc_free(c->allocator, d.lengths, d.length_cap * sizeof *d.lengths);
  hc_free(c->allocator, d.bytes, d.byte_cap * sizeof *d.bytes);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, file, NULL,
             "Invocations of each function by minute, invocations_per_function_md.anon.dNN.csv, plain or "
             "packed."),
    HC_PARAM(TEXT, options, durations, NULL,
             "Percentiles of durations, function_durations_percentiles.anon.dNN.csv. Required."),
    HC_PARAM(TEXT, options, memory, NULL,
             "Percentiles of memory, app_memory_percentiles.anon.dNN.csv, for applications that are not "
             "declared by name. Default: none, and theirs is that of the application *."),
    HC_PARAM(CHOICE, options, spread, "drawn|even", "drawn",
             "When in its minute an invocation comes. drawn: all times are equally likely. even: at equal "
             "distances, the k-th of n at (k - 1/2) / n of the minute."),
    HC_PARAM(CHOICE, options, memory_is, "average|pct50|pct99|pct100", "average",
             "Which column of `memory` a container takes."),
    HC_PARAM(REAL, options, share, "1", "1", 0, 1, "Share of the applications that is taken, drawn."),
    HC_PARAM(TIME, options, begin, "s", "0", 0, 1e9,
             "When the day begins in the run: 1d for a second day of several."),
    HC_PARAM(TIME, options, from, "s", "0", 0, 1e9,
             "What comes earlier in the day is left out; the day begins then."),
    HC_PARAM(TIME, options, until, "s", "never", 0, 1e10, "What comes later in the day is left out."),
    HC_PARAM(TIME, options, least, "s", "1ms", 0, 1e9, "Shorter durations are made so long."),
    {0}};

const hc_invocations_type hc_invocations_azure2019 = {
    .component =
        {HC_COMPONENT_HEAD(hc_invocations_type, HC_KIND_INVOCATIONS), .name = "azure2019",
         .summary = "the Azure Functions dataset of 2019: invocations by minute",
         .detail = "Three tables of one day, by their titles. Application = HashApp. Duration = the quantile "
                   "function that is straight between percentile_Average_0, 1, 25, 50, 75, 99 and 100, at a "
                   "uniform draw; a percentile below the one before it counts as that. Of several rows of "
                   "one function's durations, or one application's memory, the first counts. Invocations of "
                   "functions without durations are not made, and counted as incomplete. Several days are "
                   "several sources.",
         .source = "github.com/Azure/AzurePublicDataset, AzureFunctionsDataset2019.md; Shahrad et al., "
                   "USENIX ATC 2020",
         .params = params, .options_size = sizeof(options)},
    .make = make};
