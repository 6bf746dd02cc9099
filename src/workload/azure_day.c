/* azure_day.c -- a day of the Azure Functions dataset of 2019. See azure_day.h. */
#include "workload/azure_day.h"

#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "base/util.h"

#define POINTS HC_AZURE_POINTS
#define LONGEST 1e12 /* ms */
#define KEY_MOST 1024
#define NAMES_MOST 10000000
#define MINUTES_MOST 10080 /* a week in one table */
#define A_MINUTE_MOST 1000000000

static const char *const quantiles[POINTS] = {
    "percentile_Average_0",  "percentile_Average_1",  "percentile_Average_25", "percentile_Average_50",
    "percentile_Average_75", "percentile_Average_99", "percentile_Average_100"};
static const double shares[POINTS] = {0, 0.01, 0.25, 0.5, 0.75, 0.99, 1};
static const char *const memories[] = {"AverageAllocatedMb", "AverageAllocatedMb_pct50",
                                       "AverageAllocatedMb_pct99", "AverageAllocatedMb_pct100"};

/* ---- fields ---- */

/* The number of what some columns say together, whose texts are one name that no other texts make. */
static hc_rc number_of(hc_names *names, const hc_table *t, const size_t *columns, size_t count, uint32_t *out,
                       hc_error *e)
{
  char key[KEY_MOST];
  size_t size = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t n = hc_table_size(t, columns[i]);
    if (n == 0) return hc_table_fail(t, columns[i], e, "this field is empty, and says which function it is");
    if (size + n + 1 > KEY_MOST)
      return hc_table_fail(t, columns[i], e, "longer than names of functions are, which are hashes");
    memcpy(key + size, hc_table_text(t, columns[i]), n);
    key[size + n] = '\n';
    size += n + 1;
  }
  const hc_rc rc = hc_names_add(names, key, size, out);
  return rc == HC_ELIMIT ? hc_table_fail(t, columns[0], e, "more than %d different names", NAMES_MOST) : rc;
}

static hc_rc real_at(const hc_table *t, size_t column, double most, double *out, hc_error *e)
{
  if (hc_table_real(t, column, out) && *out >= 0 && *out <= most) return 0;
  return hc_table_fail(t, column, e, "expected a number from 0 to %g, got \"%.80s\"", most,
                       hc_table_text(t, column));
}

static hc_rc open_table(hc_table *t, const hc_azure_day *d, const char *file, hc_error *e)
{
  hc_rc rc = hc_table_open(t, d->allocator, file, e);
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

static hc_rc read_lengths(hc_azure_day *d, hc_table *t, const char *file, hc_error *e)
{
  static const char *const keys[] = {"HashOwner", "HashApp", "HashFunction"};
  size_t which[3], points[POINTS];
  hc_rc rc;
  TRY(open_table(t, d, file, e));
  TRY(find_columns(t, keys, 3, which, e));
  TRY(find_columns(t, quantiles, POINTS, points, e));
  while ((rc = hc_table_next(t, e)) > 0) {
    double ms[POINTS];
    uint32_t id;
    TRY(number_of(&d->functions, t, which, 3, &id, e));
    for (size_t i = 0; i < POINTS; i++) {
      TRY(real_at(t, points[i], LONGEST, &ms[i], e));
      if (i > 0) ms[i] = HC_MAX(ms[i], ms[i - 1]);
    }
    if (id < d->length_count) continue; /* the first row of a function counts */
    TRY(hc_reserve(d->allocator, (void **)&d->lengths, &d->length_cap, d->length_count + 1,
                   sizeof *d->lengths));
    memcpy(d->lengths[d->length_count++], ms, sizeof ms);
  }
  return rc;
}

/* ---- memory ---- */

static hc_rc read_memory(hc_azure_day *d, hc_table *t, const char *file, hc_error *e)
{
  static const char *const keys[] = {"HashOwner", "HashApp"};
  size_t which[2], column;
  hc_rc rc;
  TRY(open_table(t, d, file, e));
  TRY(find_columns(t, keys, 2, which, e));
  TRY(find_columns(t, &memories[d->o->memory_is], 1, &column, e));
  while ((rc = hc_table_next(t, e)) > 0) {
    double mb;
    uint32_t id;
    TRY(real_at(t, column, 1e9, &mb, e));
    TRY(number_of(&d->applications, t, which, 2, &id, e));
    if (id < d->byte_count) continue;
    TRY(hc_reserve(d->allocator, (void **)&d->bytes, &d->byte_cap, d->byte_count + 1, sizeof *d->bytes));
    d->bytes[d->byte_count++] = (int64_t)(mb * 1048576 + 0.5);
  }
  return rc;
}

/* ---- invocations ---- */

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

static hc_rc read_counts(hc_azure_day *d, const hc_table *t, size_t first, size_t minutes, hc_error *e)
{
  uint64_t before = 0;
  for (size_t m = 0; m < minutes; m++) {
    int64_t n;
    if (!hc_table_whole(t, first + m, &n) || n < 0 || n > A_MINUTE_MOST)
      return hc_table_fail(t, first + m, e,
                           "expected how many invocations there were in minute %zu, got \"%.80s\"", m + 1,
                           hc_table_text(t, first + m));
    if (n == 0) continue;
    if (before + (uint64_t)n > UINT32_MAX)
      return hc_table_fail(t, first + m, e, "more than 2^32 invocations of one function");
    TRY(hc_reserve(d->allocator, (void **)&d->counts, &d->cap, d->count + 1, sizeof *d->counts));
    d->counts[d->count++] =
        (hc_azure_count){(uint32_t)m, (uint32_t)d->row_count - 1, (uint32_t)n, (uint32_t)before};
    before += (uint64_t)n;
  }
  return 0;
}

static hc_rc read_row(hc_azure_day *d, const hc_table *t, const size_t *columns, hc_error *e)
{
  hc_azure_function f;
  TRY(number_of(&d->owners, t, columns, 1, &f.owner, e));
  TRY(number_of(&d->applications, t, columns, 2, &f.application, e));
  TRY(number_of(&d->functions, t, columns, 3, &f.function, e));
  f.lengths = f.function < d->length_count ? f.function : HC_MAP_NONE;
  if (d->row_count >= NAMES_MOST) return hc_table_fail(t, 0, e, "more than %d functions", NAMES_MOST);
  TRY(hc_reserve(d->allocator, (void **)&d->rows, &d->row_cap, d->row_count + 1, sizeof *d->rows));
  d->rows[d->row_count++] = f;
  return 0;
}

static hc_rc read_invocations(hc_azure_day *d, hc_table *t, const char *file, hc_error *e)
{
  static const char *const titles[] = {"HashOwner", "HashApp", "HashFunction", "1"};
  size_t columns[4];
  hc_rc rc;
  TRY(open_table(t, d, file, e));
  TRY(find_columns(t, titles, 4, columns, e));
  const size_t minutes = count_minutes(t, columns[3]);
  while ((rc = hc_table_next(t, e)) > 0) {
    TRY(read_row(d, t, columns, e));
    TRY(read_counts(d, t, columns[3], minutes, e));
  }
  return rc;
}

/* ---- all ---- */

typedef hc_rc read_table(hc_azure_day *d, hc_table *t, const char *file, hc_error *e);

static hc_rc read_one(hc_azure_day *d, read_table *read, const char *file, hc_error *e)
{
  hc_table t = {0};
  const hc_rc rc = read(d, &t, file, e);
  hc_table_close(&t);
  return rc;
}

hc_rc hc_azure_read(const hc_allocator *a, const hc_azure_options *o, const char *where, hc_azure_day *d,
                    hc_error *e)
{
  *d = (hc_azure_day){.allocator = a, .o = o};
  hc_names_init(&d->owners, a, NAMES_MOST);
  hc_names_init(&d->applications, a, NAMES_MOST);
  hc_names_init(&d->functions, a, NAMES_MOST);
  if (!o->file || !o->durations)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "which files? write file: invocations_per_function_md.anon.d01.csv, durations: "
                   "function_durations_percentiles.anon.d01.csv, memory: "
                   "app_memory_percentiles.anon.d01.csv");
  TRY(read_one(d, read_lengths, o->durations, e));
  if (o->memory) TRY(read_one(d, read_memory, o->memory, e));
  return read_one(d, read_invocations, o->file, e);
}

void hc_azure_close(hc_azure_day *d)
{
  const hc_allocator *a = d->allocator;
  hc_names_fini(&d->owners);
  hc_names_fini(&d->applications);
  hc_names_fini(&d->functions);
  hc_free(a, d->rows, d->row_cap * sizeof *d->rows);
  hc_free(a, d->counts, d->cap * sizeof *d->counts);
  hc_free(a, d->lengths, d->length_cap * sizeof *d->lengths);
  hc_free(a, d->bytes, d->byte_cap * sizeof *d->bytes);
}

const char *hc_azure_name(const hc_azure_day *d, uint32_t application, size_t *size)
{
  const char *at = strchr(d->applications.names[application], '\n') + 1;
  *size = strcspn(at, "\n");
  return at;
}

/* ---- draws ---- */

bool hc_azure_takes(const hc_azure_day *d, uint32_t application, const hc_draws *stream)
{
  hc_draws draws = *stream;
  if (d->o->share >= 1) return true;
  draws.entity += application;
  draws.purpose = HC_PURPOSE_SAMPLE;
  return hc_random_unit(&draws) < d->o->share;
}

static hc_time draw_length(const hc_azure_day *d, const double *ms, hc_draws *draws)
{
  const double u = hc_random_unit(draws);
  size_t i = 1;
  while (i + 1 < POINTS && u >= shares[i]) i++;
  const double part = (u - shares[i - 1]) / (shares[i] - shares[i - 1]);
  const double x = ms[i - 1] + part * (ms[i] - ms[i - 1]);
  return HC_MAX((hc_time)(x * 1e6 + 0.5), d->o->least);
}

void hc_azure_draw(const hc_azure_day *d, const hc_azure_count *c, uint32_t i, const hc_draws *stream,
                   double *place, hc_time *length)
{
  hc_draws draws = *stream;
  draws.entity += ((uint64_t)c->row << 32) + c->before + i;
  draws.purpose = HC_PURPOSE_ARRIVAL;
  *place = d->o->spread == HC_AZURE_DRAWN ? hc_random_unit(&draws) : ((double)i + 0.5) / (double)c->count;
  draws.purpose = HC_PURPOSE_RUN;
  draws.draw = 0;
  *length = draw_length(d, d->lengths[d->rows[c->row].lengths], &draws);
}
