/* csv_row.c -- one row of a table of jobs as a task: times, what follows from them, processors, memory,
 * names. */
#include <string.h>

#include "base/util.h"
#include "workload/csv.h"
#include "workload/ledger.h"
#include "workload/spec.h"

static bool is_missing(const hc_csv *s, const hc_field *f)
{
  const char *const *words = s->o->missing.items;
  if (!s->missing[f->length > 0 ? (unsigned char)f->text[0] : 0]) return false;
  for (size_t i = 0; i < s->o->missing.count; i++)
    if (hc_field_is(f, words[i])) return true;
  return false;
}

const hc_field *hc_csv_at(const hc_csv *s, size_t at)
{
  const hc_field *f = at ? &s->table.fields[at - 1] : NULL;
  if (at >= HC_CSV_COMPUTED) {
    f = &s->computing.of[at - HC_CSV_COMPUTED].field;
    return f->text ? f : NULL;
  }
  return f && !is_missing(s, f) ? f : NULL;
}

const hc_field *hc_csv_get(const hc_csv *s, hc_csv_column c)
{
  return hc_csv_at(s, s->at[c]);
}

bool hc_csv_is_wrong_at(hc_csv *s, size_t at, const char *name, const char *text)
{
  s->wrong = at > 0 && at < HC_CSV_COMPUTED ? &s->table.fields[at - 1] : NULL;
  s->wrong_name = name;
  s->wrong_text = text;
  return false;
}

bool hc_csv_is_wrong(hc_csv *s, hc_csv_column c, const char *text)
{
  return hc_csv_is_wrong_at(s, s->at[c], hc_csv_names[c], text);
}

static bool read_times(hc_csv *s, hc_time moments[HC_CSV_MOMENTS], hc_time durations[HC_CSV_DURATIONS])
{
  for (int i = 0; i < HC_CSV_MOMENTS; i++) {
    const hc_field *f = hc_csv_get(s, (hc_csv_column)(HC_CSV_SUBMIT + i));
    moments[i] = HC_UNKNOWN;
    if (f && !hc_field_moment(f, &s->formats[i], s->zone, &moments[i]))
      return hc_csv_is_wrong(s, (hc_csv_column)(HC_CSV_SUBMIT + i),
                             "which is no time in the form that `time_format` says");
  }
  for (int i = 0; i < HC_CSV_DURATIONS; i++) {
    const hc_field *f = hc_csv_get(s, (hc_csv_column)(HC_CSV_WAIT + i));
    durations[i] = HC_UNKNOWN;
    if (f && !hc_field_duration(f, s->units[i], &durations[i]))
      return hc_csv_is_wrong(s, (hc_csv_column)(HC_CSV_WAIT + i), "which is no duration");
  }
  return true;
}

/* later - earlier. All moments are far from the ends of their type. */
static bool difference(hc_time later, hc_time earlier, hc_time *out)
{
  return !__builtin_sub_overflow(later, earlier, out) && *out >= 0;
}

/* What was not given and follows from the rest. */
static bool derive(hc_csv *s, hc_time submit, hc_time start, hc_time end)
{
  hc_task_spec *t = &s->task;
  if (start == HC_UNKNOWN && end != HC_UNKNOWN && t->run != HC_UNKNOWN && submit == HC_UNKNOWN &&
      __builtin_sub_overflow(end, t->run, &start))
    return hc_csv_is_wrong(s, HC_CSV_RUN, "which is too long");
  if (submit == HC_UNKNOWN && start != HC_UNKNOWN && t->wait != HC_UNKNOWN &&
      (__builtin_sub_overflow(start, t->wait, &submit) || (!s->is_absolute && submit < 0)))
    return hc_csv_is_wrong(s, HC_CSV_WAIT, "which is too long");
  if (t->wait == HC_UNKNOWN && submit != HC_UNKNOWN && start != HC_UNKNOWN &&
      !difference(start, submit, &t->wait))
    return hc_csv_is_wrong(s, HC_CSV_START, "which is before its submission");
  if (start == HC_UNKNOWN && submit != HC_UNKNOWN && t->wait != HC_UNKNOWN)
    start = hc_time_add(submit, t->wait);
  if (t->run == HC_UNKNOWN && start != HC_UNKNOWN && end != HC_UNKNOWN && !difference(end, start, &t->run))
    return hc_csv_is_wrong(s, HC_CSV_END, "which is before its start");
  if (t->wait == HC_UNKNOWN && t->status == HC_STATUS_CANCELLED && submit != HC_UNKNOWN &&
      end != HC_UNKNOWN && !difference(end, submit, &t->wait)) /* it left the queue then */
    return hc_csv_is_wrong(s, HC_CSV_END, "which is before its submission");
  t->submit = submit;
  return true;
}

static bool multiply(int64_t *amount, int64_t factor)
{
  return !__builtin_mul_overflow(*amount, factor, amount) && *amount <= (int64_t)1 << 52;
}

static bool read_processors(hc_csv *s)
{
  const int64_t factor = s->o->procs_factor > 0 ? s->o->procs_factor : 1;
  hc_task_spec *t = &s->task;
  const hc_field *asked = hc_csv_get(s, HC_CSV_PROCS), *times = hc_csv_get(s, HC_CSV_PROCS_TIMES),
                 *used = hc_csv_get(s, HC_CSV_PROCS_USED);
  int64_t multiplier = 1;
  t->procs_asked = t->procs_used = HC_UNKNOWN;
  if (asked && !hc_field_amount(asked, 1, &t->procs_asked))
    return hc_csv_is_wrong(s, HC_CSV_PROCS, "which is no number of processors");
  if (times && !hc_field_amount(times, 1, &multiplier))
    return hc_csv_is_wrong(s, HC_CSV_PROCS_TIMES, "which is no whole number");
  if (asked && (!multiply(&t->procs_asked, multiplier) || !multiply(&t->procs_asked, factor)))
    return hc_csv_is_wrong(s, HC_CSV_PROCS, "which is too many");
  if (s->at[HC_CSV_PROCS_TIMES] && !times) t->procs_asked = HC_UNKNOWN;
  if (used && (!hc_field_amount(used, 1, &t->procs_used) || !multiply(&t->procs_used, factor)))
    return hc_csv_is_wrong(s, HC_CSV_PROCS_USED, "which is no number of processors");
  if (!s->at[HC_CSV_PROCS] && !s->at[HC_CSV_PROCS_USED] && s->o->procs_factor > 0) t->procs_asked = factor;
  return true;
}

static bool read_memory(hc_csv *s, hc_csv_column c, int64_t procs, int64_t *out)
{
  const hc_field *f = hc_csv_get(s, c);
  *out = HC_UNKNOWN;
  if (!f) return true;
  if (!hc_field_size(f, s->o->memory_unit, out)) return hc_csv_is_wrong(s, c, "which is no amount of memory");
  if (s->o->memory_of == HC_CSV_OF_TASK) *out = procs > 0 ? (*out + procs - 1) / procs : HC_UNKNOWN;
  return true;
}

/* "CANCELLED by 1001" and "CANCELLED+" are CANCELLED. */
static size_t first_word(const char *text, size_t n)
{
  size_t first = 0;
  while (first < n && text[first] != ' ' && text[first] != '+') first++;
  return first;
}

static bool is_among(const hc_list *words, const char *text, size_t n)
{
  const char *const *items = words->items;
  const size_t first = first_word(text, n);
  for (size_t i = 0; i < words->count; i++)
    if (hc_same_word(text, n, items[i]) || hc_same_word(text, first, items[i])) return true;
  return false;
}

static hc_rc read_status(hc_csv *s)
{
  const hc_field *f = hc_csv_get(s, HC_CSV_STATUS);
  const char *text;
  size_t n;
  hc_recorded is = HC_RECORDED_COUNT;
  hc_spec_record(&s->task, is);
  if (!f) return 0;
  TRY(hc_field_text(f, &s->scratch, &text, &n));
  if (is_among(&s->o->completed, text, n)) is = HC_RECORDED_COMPLETED;
  else if (is_among(&s->o->cancelled, text, n)) is = HC_RECORDED_CANCELLED;
  else if (is_among(&s->o->failed, text, n)) is = HC_RECORDED_FAILED;
  const hc_recorded finer = is == HC_RECORDED_COMPLETED ? HC_RECORDED_COUNT /* there is nothing finer */
                                                        : hc_recorded_of(text, first_word(text, n));
  if (finer >= HC_RECORDED_FINER && finer < HC_RECORDED_COUNT &&
      (is == HC_RECORDED_COUNT || hc_recorded_status(finer) == hc_recorded_status(is)))
    is = finer; /* "TIMEOUT" is a failure, and more than that */
  hc_spec_record(&s->task, is);
  return 0;
}

/* @return 1 or an error. */
static hc_rc read_numbered(hc_csv *s)
{
  int64_t *const out[HC_CSV_NUMBERED] = {&s->task.user, &s->task.group, &s->task.executable, &s->task.queue,
                                         &s->task.partition};
  for (int i = 0; i < HC_CSV_NUMBERED; i++) {
    const hc_field *f = hc_csv_get(s, (hc_csv_column)(HC_CSV_USER + i));
    hc_rc rc = 1;
    *out[i] = -1;
    if (f) rc = hc_interned_number(&s->numbered[i], f, &s->scratch, out[i]);
    if (rc < 0) return rc;
  }
  return 1;
}

/* A whole number; else the number of its name where others may wait for it, or that of the row. */
static void read_id(hc_csv *s)
{
  const hc_field *f = hc_csv_get(s, HC_CSV_ID);
  s->task.id = (int64_t)(s->table.s.rows + s->table.s.malformed) + 1;
  if (!f || hc_field_whole(f, &s->task.id)) return;
  if (s->at[HC_CSV_AFTER] || s->at[HC_CSV_JOB]) s->task.id = hc_csv_number(f->text, f->length);
}

hc_rc hc_csv_task(hc_csv *s)
{
  hc_task_spec *t = &s->task;
  hc_time moments[HC_CSV_MOMENTS], durations[HC_CSV_DURATIONS];
  const hc_field *f;
  int64_t procs;
  memset(t, 0, sizeof *t);
  hc_spec_plain(t);
  t->line = s->table.s.line;
  t->cpu_time = t->think = HC_UNKNOWN;
  t->preceding = -1;
  t->cancel_at = HC_NEVER;
  if (!hc_csv_compute(s)) return 0;
  read_id(s);
  if (!read_times(s, moments, durations)) return 0;
  t->wait = durations[0];
  t->run = durations[1];
  t->limit = durations[2];
  t->not_before = moments[3];
  TRY(read_status(s));
  if (!derive(s, moments[0], moments[1], moments[2]) || !read_processors(s)) return 0;
  procs = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
  if (!read_memory(s, HC_CSV_MEMORY_ASKED, procs, &t->memory_asked)) return 0;
  if (!read_memory(s, HC_CSV_MEMORY_USED, t->procs_used > 0 ? t->procs_used : procs, &t->memory_used))
    return 0;
  f = hc_csv_get(s, HC_CSV_PRIORITY);
  if (f && !hc_field_whole(f, &t->priority))
    return hc_csv_is_wrong(s, HC_CSV_PRIORITY, "which is no whole number");
  if (!hc_csv_read_demands(s)) return 0;
  return read_numbered(s);
}

hc_rc hc_csv_reject(hc_csv *s, hc_error *e)
{
  if (!s->wrong)
    return hc_delimited_reject(&s->table, s->context, NULL, e, "%s is a number %s", s->wrong_name,
                               s->wrong_text);
  const size_t number = (size_t)(s->wrong - s->table.fields) + 1;
  const char *title = number <= s->table.title_count ? s->table.titles[number - 1] : NULL;
  const hc_field *f = s->wrong;
  const int length = (int)HC_MIN(f->length, (size_t)40);
  if (title)
    return hc_delimited_reject(&s->table, s->context, f->text, e, "%s: column \"%.40s\" holds \"%.*s\", %s",
                               s->wrong_name, title, length, f->text, s->wrong_text);
  return hc_delimited_reject(&s->table, s->context, f->text, e, "%s: column %zu holds \"%.*s\", %s",
                             s->wrong_name, number, length, f->text, s->wrong_text);
}

/* Those at the end that are not asked for may be
 * missing; more than the header has means that one of them is not quoted and the rest have moved. */
bool hc_csv_has_shape(const hc_csv *s)
{
  const hc_delimited *t = &s->table;
  if (t->flaw || t->count < s->last) return false;
  if (t->title_count == 0 || t->separator == ' ' || t->count <= t->title_count) return true;
  return t->count == t->title_count + 1 && t->fields[t->count - 1].length == 0;
}

hc_rc hc_csv_reject_shape(hc_csv *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  if (t->flaw)
    return hc_delimited_reject(t, s->context, t->flaw, e,
                               "text follows a closed quote; quotes within a field are doubled");
  return hc_delimited_reject(t, s->context, NULL, e, "it has %zu fields, where %zu are expected", t->count,
                             t->title_count > 0 ? t->title_count : s->last);
}
