/* csv_demand.c -- what rows of data centres say: hosts, amounts on each, jobs, predecessors, constraints.
 *
 * Amounts that are no whole number of a dimension's units are rounded up, and counted. Ids and jobs may be
 * names; their numbers (hc_name_number) are what predecessors are found by. Where no column says which job
 * a task is part of, each task is a job of its own, since others wait for jobs and tasks within them. */
#include <string.h>

#include "base/util.h"
#include "workload/constraint_text.h"
#include "workload/csv.h"
#include "workload/ledger.h"
#include "workload/spec.h"

#define MOST_HOSTS ((int64_t)1 << 31)

int64_t hc_csv_number(const char *s, size_t n)
{
  return hc_name_number(s, n);
}

/* ---- the mapping ---- */

static void add_demand(hc_csv *s, const char *name, size_t at, int dimension, int64_t unit, bool is_size)
{
  s->demands[s->demand_count++] =
      (hc_csv_demand){.name = name, .at = at, .unit = unit, .dimension = dimension, .is_size = is_size};
  s->last = HC_MAX(s->last, at);
}

static hc_rc bad_other(const char *text, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                 "other: \"%.80s\" %s; write dimension=column, or dimension=column*unit with a whole number",
                 text, what);
}

/* "licences=lic*1000". */
static hc_rc map_other(hc_csv *s, const char *text, hc_error *e)
{
  const char *equals = strchr(text, '='), *star = equals ? strrchr(equals, '*') : NULL;
  char column[256];
  int64_t unit = 1;
  size_t at, n;
  if (!equals || equals == text) return bad_other(text, "has no dimension", e);
  const hc_field f = {.text = star ? star + 1 : "", .length = star ? strlen(star + 1) : 0};
  if (star && (!hc_field_whole(&f, &unit) || unit < 1 || unit > (int64_t)1 << 50))
    return bad_other(text, "has a unit that is no whole number from 1", e);
  n = star ? (size_t)(star - equals - 1) : strlen(equals + 1);
  if (n == 0 || n >= sizeof column) return bad_other(text, "has no column", e);
  memcpy(column, equals + 1, n);
  column[n] = '\0';
  at = hc_csv_find(s, column);
  if (at == 0) return hc_csv_no_such_column(s, "other", column, e);
  const int dimension = hc_lexicon_dimension(s->context->lexicon, text, (size_t)(equals - text));
  if (dimension < 0)
    return hc_fail(e, HC_ELIMIT, "source csv", 0, 0,
                   "other: \"%.80s\" would be a dimension too many: a run has at most %d", text,
                   HC_DIMENSIONS);
  for (size_t i = 0; i < s->demand_count; i++)
    if (s->demands[i].dimension == dimension)
      return bad_other(text, "names a dimension that has a column already", e);
  add_demand(s, "other", at, dimension, unit, false);
  return 0;
}

static int64_t thousandths(double unit)
{
  return HC_MAX((int64_t)(unit * 1000.0 + 0.5), 1);
}

hc_rc hc_csv_map_demands(hc_csv *s, hc_error *e)
{
  const hc_csv_options *o = s->o;
  const char *const *others = o->other.items;
  const struct {
    hc_csv_column column;
    int dimension;
    int64_t unit;
    bool is_size;
  } known[] = {{HC_CSV_CPU, HC_DIM_CPU, thousandths(o->cpu_unit), false},
               {HC_CSV_MEMORY, HC_DIM_MEMORY, o->memory_unit, true},
               {HC_CSV_DISK, HC_DIM_DISK, o->disk_unit, true},
               {HC_CSV_GPU, HC_DIM_GPU, thousandths(o->gpu_unit), false}};
  if ((o->other.count > 0 || s->at[HC_CSV_AFTER] || s->at[HC_CSV_CONSTRAINTS] || s->at[HC_CSV_PREFERS]) &&
      !s->context->lexicon)
    return hc_fail(e, HC_EUNSUPPORTED, "source csv", 0, 0,
                   "this source does not keep what `other`, `after`, `constraints` and `prefers` say: leave "
                   "them out");
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++)
    if (s->at[known[i].column])
      add_demand(s, hc_csv_names[known[i].column], s->at[known[i].column], known[i].dimension, known[i].unit,
                 known[i].is_size);
  for (size_t i = 0; i < o->other.count; i++) TRY(map_other(s, others[i], e));
  if (s->at[HC_CSV_AFTER] && !s->at[HC_CSV_ID])
    return hc_fail(e, HC_EUSAGE, "source csv", 0, 0,
                   "after: tasks are waited for by their ids, and no column says these: set `id`");
  return 0;
}

/* ---- amounts ---- */

/* Count what rounding did to an amount of x. */
static void count_rounding(hc_row_ledger *l, double x, int64_t whole)
{
  const double error = x > 0 ? ((double)whole - x) / x : 0;
  if (!l || !(error > 1e-12)) return;
  l->rounded++;
  l->rounding = HC_MAX(l->rounding, error);
}

/* The amount of a field on each of `parts` hosts. */
static bool read_amount(const hc_csv *s, const hc_csv_demand *d, const hc_field *f, int64_t parts,
                        int64_t *out)
{
  double x;
  int64_t all;
  if (!(d->is_size ? hc_field_size(f, d->unit, &all) : hc_field_amount(f, d->unit, &all))) return false;
  *out = all / parts + (all % parts != 0);
  if (hc_parse_real(f->text, f->length, &x) == 0)
    count_rounding(s->context->ledger, x * (double)d->unit / (double)parts, *out);
  return true;
}

/* Columns come in any order, dimensions in that of their numbers. */
static void add_further(hc_csv *s, uint32_t dimension, int64_t amount)
{
  size_t i = s->further_count++;
  for (; i > 0 && s->further[i - 1].dimension > dimension; i--) s->further[i] = s->further[i - 1];
  s->further[i] = (hc_amount){.dimension = dimension, .amount = amount};
}

/* A field as a whole number from 1 to `most`; `otherwise` if there is none. */
static bool read_number(hc_csv *s, hc_csv_column c, int64_t most, int64_t otherwise, const char *wrong,
                        int64_t *out)
{
  const hc_field *f = hc_csv_get(s, c);
  *out = otherwise;
  if (!f) return true;
  if (hc_field_whole(f, out) && *out >= 1 && *out <= most) return true;
  return hc_csv_is_wrong(s, c, wrong);
}

bool hc_csv_read_demands(hc_csv *s)
{
  hc_task_spec *t = &s->task;
  int64_t count, hosts;
  s->further_count = 0;
  const hc_field *job = hc_csv_get(s, HC_CSV_JOB);
  if (job) t->job = hc_csv_number(job->text, job->length);
  else if (s->at[HC_CSV_AFTER] && !s->at[HC_CSV_JOB]) t->job = t->id; /* else it could be another's job */
  if (!read_number(s, HC_CSV_COUNT, UINT32_MAX, 0, "which is no number of tasks", &count)) return false;
  t->count = (uint32_t)count;
  if (s->demand_count == 0 && !s->at[HC_CSV_HOSTS]) return true;
  if (!read_number(s, HC_CSV_HOSTS, MOST_HOSTS, 1, "which is no number of hosts", &hosts)) return false;
  t->hosts = hosts;
  if (s->o->spread && hosts > 1) t->flags |= HC_SPEC_SPREAD;
  for (size_t i = 0; i < s->demand_count; i++) {
    const hc_csv_demand *d = &s->demands[i];
    const hc_field *f = hc_csv_at(s, d->at);
    int64_t amount;
    if (!f) continue;
    if (!read_amount(s, d, f, s->o->amounts_of == HC_CSV_OF_HOST ? 1 : hosts, &amount))
      return hc_csv_is_wrong_at(s, d->at, d->name, "which is no amount");
    if (d->dimension < HC_NEEDS) t->need[d->dimension] = amount;
    else add_further(s, (uint32_t)d->dimension, amount);
  }
  if (t->procs_asked == HC_UNKNOWN && t->procs_used == HC_UNKNOWN && !s->at[HC_CSV_PROCS] &&
      !s->at[HC_CSV_PROCS_USED]) {
    const int64_t cores = t->need[HC_DIM_CPU] == HC_UNKNOWN ? 1 : (t->need[HC_DIM_CPU] + 999) / 1000;
    if (__builtin_mul_overflow(HC_MAX(cores, 1), hosts, &t->procs_asked))
      return hc_csv_is_wrong_at(s, s->at[HC_CSV_HOSTS], "hosts", "which is too many");
  }
  return true;
}

/* ---- rare facts ---- */

/* What may stand between ids. */
static bool is_between(char c)
{
  return c == ' ' || c == '\t' || c == ';' || c == '|' || c == ',' || c == '[' || c == ']' || c == '"' ||
         c == '\'';
}

static hc_rc read_after(hc_csv *s, const hc_field *f, size_t *count)
{
  const hc_task_spec *t = &s->task;
  const char *text;
  size_t n;
  TRY(hc_field_text(f, &s->scratch, &text, &n));
  for (size_t i = 0; i < n;) {
    size_t end = i;
    while (end < n && !is_between(text[end])) end++;
    if (end > i) {
      const int64_t number = hc_csv_number(text + i, end - i);
      const bool within = s->at[HC_CSV_JOB] && t->job >= 0;
      TRY(hc_reserve(s->context->allocator, (void **)&s->after, &s->after_cap, *count + 1, sizeof *s->after));
      s->after[(*count)++] = (hc_after){.job = within ? t->job : number,
                                        .task = within ? number : HC_UNKNOWN,
                                        .how = hc_csv_hows[s->o->after_how]};
    }
    i = end + 1;
  }
  return 0;
}

static hc_rc read_prefers(hc_csv *s, const hc_field *f, size_t *count)
{
  const char *text;
  size_t n;
  TRY(hc_field_text(f, &s->scratch, &text, &n));
  for (size_t i = 0, end; i < n; i = end + 1) {
    end = i;
    while (end < n && !is_between(text[end])) end++;
    if (end == i) continue;
    TRY(hc_reserve(s->context->allocator, (void **)&s->prefers, &s->prefer_cap, *count + 1,
                   sizeof *s->prefers));
    s->prefers[*count] = hc_lexicon_name(s->context->lexicon, text + i, end - i);
    if (s->prefers[(*count)++] == HC_NO_NAME) return HC_ENOMEM;
  }
  return 0;
}

static hc_rc label(hc_csv *s, hc_csv_column said, hc_csv_column otherwise, int64_t number, uint32_t *out)
{
  const hc_csv_column column = s->at[said] ? said : otherwise;
  const hc_field *f = s->at[column] ? hc_csv_get(s, column) : NULL;
  const char *text;
  size_t n;
  if (!f || hc_is_number_text(f->text, f->length, number)) return 0;
  TRY(hc_field_text(f, &s->scratch, &text, &n));
  return hc_spec_label(s->context->lexicon, text, n, number, out);
}

/* What it and its job are called, where their numbers do not say it. @return 1 or HC_ENOMEM, without a hold
 * on anything. */
static hc_rc label_task(hc_csv *s)
{
  hc_task_spec *t = &s->task;
  hc_rc rc = label(s, HC_CSV_LABEL, HC_CSV_ID, t->id, &t->label);
  if (rc == 0) rc = label(s, HC_CSV_JOB_LABEL, HC_CSV_JOB, t->job, &t->job_label);
  if (rc < 0) hc_spec_drop(s->context->lexicon, t);
  return rc < 0 ? rc : 1;
}

hc_rc hc_csv_more(hc_csv *s, hc_error *e)
{
  const hc_field *after = hc_csv_get(s, HC_CSV_AFTER), *constraints = hc_csv_get(s, HC_CSV_CONSTRAINTS),
                 *prefers = hc_csv_get(s, HC_CSV_PREFERS);
  hc_task_extras more = hc_task_extras_none();
  const char *text;
  size_t n;
  HC_UNUSED(e);
  if (after) TRY(read_after(s, after, &more.after_count));
  if (constraints) {
    TRY(hc_field_text(constraints, &s->scratch, &text, &n));
    const char *wrong = hc_constraints_read(s->context->allocator, s->context->lexicon, text, n,
                                            &s->constraints, &more.constraint_count, &s->constraint_cap);
    if (wrong && !*wrong) return HC_ENOMEM;
    if (wrong) return hc_csv_is_wrong(s, HC_CSV_CONSTRAINTS, wrong);
  }
  if (prefers) TRY(read_prefers(s, prefers, &more.prefer_count));
  if (more.after_count == 0 && more.constraint_count == 0 && s->further_count == 0 && more.prefer_count == 0)
    return label_task(s);
  more.prefers = s->prefers;
  more.further = s->further;
  more.further_count = s->further_count;
  more.after = s->after;
  more.constraints = s->constraints;
  s->task.more = hc_lexicon_keep(s->context->lexicon, &more);
  return s->task.more ? label_task(s) : HC_ENOMEM;
}
