/* read.c -- a table read by its columns: rows as numbers, then as tasks.
 *
 * A row with another number of fields than the first line is malformed: what its end would say is not known.
 * So is one with a field that is not what its column holds; the ledger counts it, and the first is told.
 * Columns are read in their order, then the hook `row` says what is between them. Cost: about 0.3 us a row;
 * constant memory but for names. */
#include "base/state.h"
#include "base/util.h"
#include "table/sheet.h"
#include "workload/ledger.h"
#include "workload/reading.h"

static hc_sheet *sheet_of(const hc_source *s)
{
  return (hc_sheet *)(uintptr_t)s;
}

/* ---- the members of a task by its facts ---- */

#define NOWHERE UINT16_MAX

static const uint16_t members[HC_FACT_COUNT] = {
#define AT(fact, member) [HC_FACT_##fact] = offsetof(hc_task_spec, member)
    AT(ID, id),
    AT(SUBMIT, submit),
    AT(WAIT, wait),
    AT(RUN, run),
    AT(LIMIT, limit),
    AT(CPU_TIME, cpu_time),
    AT(THINK, think),
    AT(CANCEL_AT, cancel_at),
    AT(PROCS_USED, procs_used),
    AT(PROCS_ASKED, procs_asked),
    AT(MEMORY_USED, memory_used),
    AT(MEMORY_ASKED, memory_asked),
    AT(PRECEDING, preceding),
    AT(USER, user),
    AT(GROUP, group),
    AT(EXECUTABLE, executable),
    AT(QUEUE, queue),
    AT(PARTITION, partition),
    AT(PRIORITY, priority),
    AT(STATUS, status),
    AT(JOB, job),
    AT(NOT_BEFORE, not_before),
    AT(HOSTS, hosts),
    AT(CPU, need[HC_DIM_CPU]),
    AT(MEMORY, need[HC_DIM_MEMORY]),
    AT(DISK, need[HC_DIM_DISK]),
    AT(GPU, need[HC_DIM_GPU]),
    AT(BUNDLE, count),
#undef AT
};

#define MOST_FACTOR ((uint64_t)1 << 22) /* times 10^9: below 2^52 */

/* ---- fields ---- */

static inline const hc_field *field_of(const hc_sheet *s, uint32_t column)
{
  const uint64_t n = s->s.at[column];
  const hc_field *f;
  if (n == 0 || n > s->in.count) return NULL;
  f = &s->in.fields[n - 1];
  if (f->length == 0) return NULL;
  return s->begins[(unsigned char)f->text[0]] && hc_format_says_missing(s->format, f) ? NULL : f;
}

const hc_field *hc_sheet_field(const hc_sheet *s, uint32_t column)
{
  return field_of(s, column);
}

hc_rc hc_sheet_wrong(hc_sheet *s, uint32_t column, const char *what, hc_error *e)
{
  const hc_field *f = hc_sheet_field(s, column);
  const size_t at = (size_t)s->s.at[column];
  const char *title;
  size_t n = hc_column_title(&s->form->columns[column], &title);
  if (at > 0 && at <= s->in.title_count) {
    title = s->in.titles[at - 1];
    n = strlen(title);
  }
  s->in.s.rows--;
  return hc_delimited_reject(&s->in, s->context, f ? f->text : NULL, e, "%.*s holds \"%.*s\", which is %s",
                             (int)HC_MIN(n, (size_t)40), title, f ? (int)HC_MIN(f->length, (size_t)40) : 0,
                             f ? f->text : "", what);
}

hc_rc hc_sheet_reject(hc_sheet *s, hc_reason why, hc_error *e)
{
  return hc_row_reject(s->context, s->in.name, s->in.s.line, 0, why, s->in.record, e);
}

static void count_rounding(const hc_sheet *s, double error)
{
  hc_row_ledger *l = s->context->ledger;
  if (!l || error == 0) return;
  l->rounded++;
  l->rounding = HC_MAX(l->rounding, error);
}

/* A time before 0 is given as -1, or as nothing where 0 is. */
static bool read_seconds(hc_time unit, const hc_field *f, hc_time *out)
{
  const hc_moment_format format = {.kind = HC_MOMENT_SECONDS, .unit = unit};
  const bool negative = f->length > 1 && f->text[0] == '-';
  const hc_field number = {.text = f->text + negative, .length = f->length - negative};
  if (!hc_field_moment(&number, &format, NULL, out)) return false;
  if (negative && *out > 0) *out = -1;
  return *out <= HC_NEVER / 4;
}

bool hc_sheet_moment(const hc_field *f, hc_time unit, const hc_zone *zone, hc_time *out)
{
  const hc_moment_format iso = {.kind = HC_MOMENT_ISO}, unix = {.kind = HC_MOMENT_UNIX, .unit = unit};
  return hc_field_moment(f, &iso, zone, out) || hc_field_moment(f, &unix, NULL, out);
}

/* A whole number of few digits, "12" or "12.0", which any unit of up to MOST_FACTOR leaves below 2^52. */
static inline bool is_short(const hc_field *f, uint64_t *out)
{
  uint64_t n = 0;
  size_t length = f->length;
  if (length > 2 && f->text[length - 1] == '0' && f->text[length - 2] == '.') length -= 2;
  if (length > 9) return false;
  for (size_t i = 0; i < length; i++) {
    if (!hc_is_digit(f->text[i])) return false;
    n = n * 10 + (uint64_t)(f->text[i] - '0');
  }
  *out = n;
  return true;
}

/* @return 1, or 0: it is no decimal; -1: it is larger than there can be. */
static int read_decimal(const hc_sheet *s, const hc_column *c, hc_unit u, const hc_field *f, int64_t *out)
{
  uint64_t digits;
  uint32_t places;
  bool negative;
  double error, one = 1;
  if (!hc_field_decimal(f, &digits, &places, &negative)) return 0;
  if (digits == 0 ? !(c->flags & HC_ZERO_SAYS) : negative) return 1;
  for (uint32_t i = 0; i < places; i++) one *= 10;
  if ((double)digits < (double)c->least * one || (c->most > 0 && (double)digits > (double)c->most * one))
    return 1;
  if (!hc_scale_up(digits, places, u, out, &error)) return -1;
  count_rounding(s, error);
  return 1;
}

static bool read_word(const hc_column *c, const hc_field *f, int64_t *out)
{
  for (const hc_word *w = c->words; w->text; w++) {
    if (!hc_same_word(f->text, f->length, w->text)) continue;
    *out = w->value;
    return true;
  }
  return !(c->flags & HC_STRICT_WORD);
}

static bool read_whole(const hc_column *c, hc_unit u, const hc_field *f, int64_t *out)
{
  int64_t n;
  if (!hc_field_whole(f, &n)) return (c->flags & HC_OR_ROW) != 0;
  if ((c->least != 0 || c->most != 0) && (n < c->least || n > c->most)) return false;
  return !__builtin_mul_overflow(n, (int64_t)u.num, out);
}

/* The number in a name: 17 of "j_17". One more digit than a number has: a hash that was written out. */
static int64_t number_in(const hc_field *f, const char *prefix)
{
  const size_t m = strlen(prefix);
  size_t i = m;
  int64_t number = 0;
  if (f->length <= m || f->length - m > 19 || memcmp(f->text, prefix, m) != 0)
    return hc_name_number(f->text, f->length);
  for (; i < f->length && hc_is_digit(f->text[i]); i++)
    number = (int64_t)((uint64_t)number * 10 + (uint64_t)(f->text[i] - '0'));
  if (i == f->length && i - m <= 18) return number;
  return i == f->length ? hc_name_number(f->text + m, f->length - m) : hc_name_number(f->text, f->length);
}

/* What a field should have been. */
static const char *wrong_by_how(const hc_column *c)
{
  switch (c->how) {
    case HC_IS_AMOUNT:
    case HC_IS_DECIMAL: return "no amount";
    case HC_IS_SECONDS: return "no time";
    case HC_IS_LENGTH: return "no length of time";
    case HC_IS_MOMENT: return "no date such as 2020-06-09 18:41:01";
    case HC_IS_WORD: return "no word that is known here";
    case HC_IS_TEXT:
    case HC_IS_WHOLE:
    case HC_IS_NAME:
    case HC_IS_NUMBERED: break;
  }
  return "no number that it can be";
}

static int64_t row_number(const hc_sheet *s)
{
  return (int64_t)(s->in.s.rows + s->in.s.malformed);
}

/* What stands for a field that says nothing. */
static int64_t nothing(const hc_sheet *s, const hc_column *c)
{
  if (c->flags & HC_OR_ROW) return row_number(s);
  return c->how == HC_IS_NAME || c->how == HC_IS_NUMBERED || (c->how == HC_IS_WORD && c->to) ? -1
                                                                                             : HC_UNKNOWN;
}

static hc_rc read_field(hc_sheet *s, uint32_t column, const hc_field *f, hc_error *e)
{
  const hc_column *c = &s->form->columns[column];
  int64_t *v = &s->value[column];
  bool ok = true;
  int n;
  *v = nothing(s, c);
  const hc_unit u = s->unit[column];
  const hc_time unit = s->o->time_unit ? s->o->time_unit : HC_SECOND;
  switch (c->how) {
    case HC_IS_TEXT: return 1;
    case HC_IS_WHOLE: ok = read_whole(c, u, f, v); break;
    case HC_IS_AMOUNT: ok = hc_field_amount(f, (int64_t)u.num, v); break;
    case HC_IS_DECIMAL:
      n = read_decimal(s, c, u, f, v);
      if (n < 0) return hc_sheet_wrong(s, column, "more than there can be", e);
      ok = n == 1;
      break;
    case HC_IS_SECONDS:
      ok = read_seconds(unit, f, v);
      if (ok && (*v < 0 || (*v == 0 && s->form->zero_is_none))) *v = HC_UNKNOWN;
      break;
    case HC_IS_LENGTH: ok = hc_field_duration(f, unit, v); break;
    case HC_IS_MOMENT: ok = hc_sheet_moment(f, unit, s->zone, v); break;
    case HC_IS_WORD: ok = read_word(c, f, v); break;
    case HC_IS_NAME: return hc_interned_number(s->names[column], f, &s->scratch, v);
    case HC_IS_NUMBERED: *v = number_in(f, c->text); break;
  }
  return ok ? 1 : hc_sheet_wrong(s, column, c->wrong ? c->wrong : wrong_by_how(c), e);
}

/* @return 1, 0 if the row was rejected, or an error. */
static inline hc_rc read_step(hc_sheet *s, const hc_sheet_step *k, uint32_t column, hc_error *e)
{
  int64_t *v = &s->value[column];
  uint64_t number;
  if (k->field < s->in.count) {
    const hc_field *f = &s->in.fields[k->field];
    const char first = f->length > 0 ? f->text[0] : '\0';
    if (k->is_plain && hc_is_digit(first) && is_short(f, &number) && (int64_t)number >= k->least &&
        (int64_t)number <= k->most) {
      *v = (int64_t)number * k->num;
      return 1;
    }
    if (f->length > 0 && (!s->begins[(unsigned char)first] || !hc_format_says_missing(s->format, f)))
      return read_field(s, column, f, e);
  }
  *v = k->or_row ? row_number(s) : k->nothing;
  return 1;
}

hc_rc hc_sheet_read(hc_sheet *s, uint32_t column, hc_error *e)
{
  return read_step(s, &s->steps[column], column, e);
}

int64_t hc_sheet_number(const hc_column *c, const hc_field *f)
{
  int64_t n;
  if (c->how == HC_IS_NUMBERED) return number_in(f, c->text);
  return c->how == HC_IS_WHOLE && hc_field_whole(f, &n) ? n : hc_name_number(f->text, f->length);
}

bool hc_sheet_time(const hc_column *c, const hc_field *f, hc_time unit, const hc_zone *zone, hc_time *out)
{
  if (c->how == HC_IS_MOMENT) return hc_sheet_moment(f, unit, zone, out);
  return read_seconds(unit, f, out) && *out >= 0;
}

/* ---- what hooks share ---- */

hc_rc hc_sheet_label(hc_sheet *s, uint32_t column, uint32_t *out)
{
  const hc_field *f = hc_sheet_field(s, column);
  const char *text;
  size_t n;
  if (!f || hc_is_number_text(f->text, f->length, s->value[column]) || !s->context->lexicon) return 0;
  TRY(hc_field_text(f, &s->scratch, &text, &n));
  return hc_lexicon_label(s->context->lexicon, text, n, out);
}

void hc_sheet_defaults(const hc_sheet *s, int64_t *cpu, int64_t *memory)
{
  if (*cpu == HC_UNKNOWN && s->o->default_cpu > 0) {
    const double exact = s->o->default_cpu * 1000;
    *cpu = (int64_t)exact;
    *cpu += (double)*cpu < exact;
  }
  if (*memory == HC_UNKNOWN && s->o->default_memory > 0) *memory = s->o->default_memory;
}

hc_rc hc_sheet_demand(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  int64_t *cpu = &t->need[HC_DIM_CPU], *memory = &t->need[HC_DIM_MEMORY];
  hc_sheet_defaults(s, cpu, memory);
  if (*cpu == HC_UNKNOWN && *memory == HC_UNKNOWN && t->need[HC_DIM_GPU] == HC_UNKNOWN)
    return hc_sheet_reject(s, HC_REASON_NO_DEMAND, e);
  return 1;
}

hc_rc hc_sheet_keep(hc_sheet *s, hc_task_spec *t, const hc_task_extras *m)
{
  t->more = hc_lexicon_keep(s->context->lexicon, m);
  return t->more ? 1 : HC_ENOMEM;
}

hc_rc hc_sheet_one_of(hc_sheet *s, hc_task_spec *t, uint32_t column, const char *attribute, size_t most,
                      hc_error *e)
{
  const hc_field *f = hc_sheet_field(s, column);
  hc_lexicon *l = s->context->lexicon;
  hc_constraint models[HC_TABLE_ALTERNATIVES];
  hc_task_extras more = hc_task_extras_none();
  const char *p = f ? f->text : NULL, *end = f ? p + f->length : NULL;
  while (p < end) {
    const char *bar = memchr(p, '|', (size_t)(end - p));
    const size_t n = (size_t)((bar ? bar : end) - p);
    if (n > 0) {
      const uint32_t name = hc_lexicon_name(l, attribute, strlen(attribute)),
                     value = hc_lexicon_name(l, p, n);
      if (name == HC_NO_NAME || value == HC_NO_NAME) return HC_ENOMEM;
      if (more.constraint_count == HC_MIN(most, HC_TABLE_ALTERNATIVES))
        return hc_sheet_wrong(s, column, "more models than there can be", e);
      models[more.constraint_count++] =
          (hc_constraint){.attribute = name, .compare = HC_EQUAL, .is_text = 1, .value = value};
    }
    p += n + (bar != NULL);
  }
  more.constraints = models;
  return more.constraint_count > 0 ? hc_sheet_keep(s, t, &more) : 1;
}

/* ---- rows ---- */

static void drop_more(hc_sheet *s)
{
  hc_spec_drop(s->context->lexicon, &s->task);
}

/* Whether a number of at most nine digits, times a number, is what a column of that kind makes of it. */
static bool is_plain(const hc_sheet *s, uint32_t column, hc_sheet_step *k)
{
  const hc_column *c = &s->form->columns[column];
  const hc_unit u = s->unit[column];
  k->num = (int64_t)u.num;
  k->least = c->least;
  k->most = c->least == 0 && c->most == 0 ? INT64_MAX : c->most;
  switch (c->how) {
    case HC_IS_WHOLE: return u.num < MOST_FACTOR;
    case HC_IS_AMOUNT:
      k->most = INT64_MAX;
      k->least = 0;
      return u.num < MOST_FACTOR;
    case HC_IS_DECIMAL:
      k->least = c->least > 0 ? c->least : !(c->flags & HC_ZERO_SAYS);
      k->most = c->most > 0 ? c->most : INT64_MAX;
      return u.den == 1 && u.num < MOST_FACTOR;
    case HC_IS_SECONDS:
    case HC_IS_LENGTH:
      k->num = s->o->time_unit ? s->o->time_unit : HC_SECOND;
      k->least = c->how == HC_IS_SECONDS && s->form->zero_is_none;
      k->most = INT64_MAX;
      return k->num <= HC_SECOND;
    default: return false;
  }
}

/* Which columns are read, and when: first those that are neither late nor names, which are not to be numbered
 * before. What this file does not have says nothing, in each row. */
static void settle_order(hc_sheet *s)
{
  s->early = s->late = 0;
  memset(s->begins, 0, sizeof s->begins);
  for (const char *const *word = s->format->missing; *word; word++) {
    const unsigned char c = (unsigned char)(*word)[0];
    s->begins[c] = 1;
    if (s->format->missing_any_case && c >= 'a' && c <= 'z') s->begins[c - 'a' + 'A'] = 1;
  }
  for (uint32_t c = 0; c < s->form->count; c++) {
    const hc_column *k = &s->form->columns[c];
    hc_sheet_step *step = &s->steps[c];
    *step = (hc_sheet_step){.member = k->to ? members[k->to - 1] : NOWHERE,
                            .field = (uint32_t)s->s.at[c] - 1,
                            .nothing = nothing(s, k)};
    s->value[c] = step->nothing;
    step->is_narrow =
        step->member == offsetof(hc_task_spec, status) || step->member == offsetof(hc_task_spec, count);
    step->is_plain = is_plain(s, c, step);
    step->or_row = (k->flags & HC_OR_ROW) != 0;
    step->of_task = k->to == 1 + HC_FACT_ID;
    step->of_job = k->to == 1 + HC_FACT_JOB;
  }
  for (int late = 0; late < 2; late++)
    for (uint32_t c = 0; c < s->form->count; c++) {
      const hc_column *k = &s->form->columns[c];
      const bool is_late = k->how == HC_IS_NAME || (k->flags & HC_LATE) != 0;
      if (is_late != (late == 1) || k->how == HC_IS_TEXT || k->flags & HC_ASKED) continue;
      if (s->s.at[c] == 0 && (!k->to || s->value[c] == HC_UNKNOWN)) continue;
      s->order[s->early + s->late] = (uint8_t)c;
      *(is_late ? &s->late : &s->early) += 1;
    }
  s->said_count = 0;
  s->wants_demand = false;
  for (uint32_t c = 0; c < s->form->count; c++) {
    const hc_column *k = &s->form->columns[c];
    if (s->s.at[c] > 0 && k->flags & HC_SAID) s->said[s->said_count++] = (uint8_t)c;
    s->wants_demand |= k->to == 1 + HC_FACT_CPU && !(k->flags & (HC_ASKED | HC_WRITE_ONLY));
  }
  s->is_ready = true;
}

static inline void set_fact(hc_task_spec *t, const hc_sheet_step *k, int64_t v)
{
  if (k->member == NOWHERE || v == HC_UNKNOWN) return;
  if (!k->is_narrow) memcpy((char *)t + k->member, &v, sizeof v);
  else if (k->member == offsetof(hc_task_spec, status)) t->status = (int32_t)v;
  else t->count = (uint32_t)v;
}

/* @return 1, 0 if the row was rejected, or an error. */
static hc_rc read_columns(hc_sheet *s, hc_task_spec *t, const uint8_t *order, uint32_t n, hc_error *e)
{
  for (const uint8_t *end = order + n; order < end; order++) {
    const hc_sheet_step *k = &s->steps[*order];
    const hc_rc rc = read_step(s, k, *order, e);
    if (rc != 1) return rc;
    set_fact(t, k, s->value[*order]);
    if (k->of_task) TRY(hc_sheet_label(s, *order, &t->label));
    if (k->of_job) TRY(hc_sheet_label(s, *order, &t->job_label));
  }
  return 1;
}

/* Between the columns that are read at once and those that are late. @return as read_task. */
static inline hc_rc check_task(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  hc_rc rc = 1;
  for (uint32_t i = 0; i < s->said_count; i++)
    if (s->value[s->said[i]] == HC_UNKNOWN)
      return hc_sheet_reject(s,
                             s->form->columns[s->said[i]].to == 1 + HC_FACT_SUBMIT ? HC_REASON_NO_SUBMIT
                                                                                   : HC_REASON_NEVER_RAN,
                             e);
  if (s->format->check) rc = s->format->check(s, t, e);
  return rc == 1 && s->wants_demand ? hc_sheet_demand(s, t, e) : rc;
}

/* @return 1, 0 if the row was rejected, or an error. */
static hc_rc read_task(hc_sheet *s, hc_error *e)
{
  const hc_table_format *f = s->format;
  hc_task_spec *t = &s->task;
  hc_rc rc = 1;
  if (!s->is_ready) settle_order(s);
  if (!f->before && !f->row && s->early + s->late == 0) return 1; /* the caller reads all of it */
  *t = hc_task_spec_none();
  t->line = s->in.s.line;
  if (f->rows == HC_ROW_A_HOST) t->hosts = 1;
  if (f->before) rc = f->before(s, t, e);
  if (rc == 1) rc = read_columns(s, t, s->order, s->early, e);
  if (rc == 1) rc = check_task(s, t, e);
  if (rc == 1) rc = read_columns(s, t, s->order + s->early, s->late, e);
  if (rc == 1 && f->row) rc = f->row(s, t, e);
  if (rc == 1 && s->is_dated && t->submit != HC_UNKNOWN)
    rc = hc_delimited_since_origin(&s->in, s->context, &t->submit, e);
  if (rc != 1) drop_more(s);
  return rc;
}

static bool is_as_long(const hc_sheet *s)
{
  const size_t n = s->in.count;
  if (n == s->s.width || (n > s->s.width && s->form->longer)) return true;
  return s->form->shorter && n + 1 == s->s.width && s->s.at[s->form->count - 1] == s->s.width;
}

/* The record at hand. @return 1 if it is a task, 0 if it was rejected, or an error. */
static hc_rc take_row(hc_sheet *s, hc_error *e)
{
  hc_delimited *t = &s->in;
  if (s->context->ledger) s->context->ledger->read++;
  if (t->flaw)
    return hc_delimited_reject(t, s->context, t->flaw, e,
                               "text follows a closed quote; quotes within a field are doubled");
  if (!is_as_long(s) && s->form->expected)
    return hc_delimited_reject(t, s->context, NULL, e, "it has %zu fields, where %s are expected", t->count,
                               s->form->expected);
  if (!is_as_long(s))
    return hc_delimited_reject(t, s->context, NULL, e, "it has %zu fields, where %llu are expected", t->count,
                               (unsigned long long)s->s.width);
  t->s.rows++;
  return read_task(s, e);
}

/* ---- the first line ---- */

static hc_rc lacks(const hc_sheet *s, uint32_t column, hc_error *e)
{
  const char *title;
  const size_t n = hc_column_title(&s->form->columns[column], &title);
  return hc_fail(e, HC_EINPUT, s->in.name, hc_line_number(s->in.s.line), 0,
                 "this is not %s: no column has the title %.*s; `hindcast list reader` has the formats",
                 s->form->kind, (int)n, title);
}

/* What 1 of each column is, of what a task has. */
static void find_units(const hc_table_form *form, int64_t cpu_scale, int64_t memory_scale,
                       hc_unit unit[HC_TABLE_COLUMNS])
{
  for (uint32_t c = 0; c < form->count; c++) {
    const hc_column *k = &form->columns[c];
    unit[c] = (hc_unit){(uint64_t)(k->num ? k->num : 1), (uint64_t)(k->den ? k->den : 1)};
    if (k->flags & HC_CPU_SCALE && cpu_scale > 0) unit[c].den = (uint64_t)cpu_scale;
    if (k->flags & HC_MEMORY_SCALE && memory_scale > 0) unit[c].num = (uint64_t)memory_scale;
  }
}

static hc_rc make_names(hc_sheet *s)
{
  for (uint32_t c = 0; c < s->form->count; c++) {
    const hc_column *k = &s->form->columns[c];
    if (k->how != HC_IS_NAME) continue;
    if (!s->names[c]) {
      s->names[c] = hc_alloc(s->context->allocator, sizeof *s->names[c]);
      if (!s->names[c]) return HC_ENOMEM;
      hc_interned_init(s->names[c], s->context->allocator, !(k->flags & HC_OR_NUMBERS));
    }
    s->names[c]->lexicon = s->context->lexicon;
    s->names[c]->ledger = s->context->ledger;
    s->names[c]->what = hc_column_called(k);
  }
  return 0;
}

static hc_rc choose_form(hc_sheet *s, size_t form)
{
  s->s.form = form;
  const uint32_t submit = hc_form_says(s->format->forms + form, HC_FACT_SUBMIT);
  s->form = &s->format->forms[form];
  s->is_dated = submit < s->form->count && s->form->columns[submit].how == HC_IS_MOMENT;
  s->is_ready = false;
  find_units(s->form, s->o->cpu_scale, s->o->memory_scale, s->unit);
  return make_names(s);
}

/* @return 1 if the first record is a row, 0 if it is a line of titles, or an error. */
static hc_rc begin(hc_sheet *s, hc_error *e)
{
  size_t first = 0, count = s->format->form_count;
  bool titles;
  if (s->format->pick) s->format->pick(s->o, &first, &count);
  TRY(choose_form(
      s, hc_format_bind(s->format, first, count, s->in.record, s->in.length, s->s.at, &s->s.width, &titles)));
  s->s.begun = 1;
  if (s->in.separator != s->form->separator) TRY(hc_delimited_cut_again(&s->in, s->form->separator));
  if (titles) TRY(hc_delimited_keep_titles(&s->in));
  if (s->format->bound) TRY(s->format->bound(s, e));
  const uint32_t c = hc_form_lacks(s->form, s->s.at);
  return c < s->form->count ? lacks(s, c, e) : !titles;
}

/* The file is at its end. */
static hc_rc end(hc_sheet *s, hc_error *e)
{
  hc_buffer titles;
  hc_rc rc;
  if (s->s.begun || s->form->titles != HC_TITLES_ALWAYS)
    return hc_delimited_end(&s->in, s->form->kind, "`hindcast list reader` has the formats", e);
  s->in.s.at_end = true;
  hc_buffer_init(&titles, s->context->allocator);
  hc_form_titles(s->form, &titles);
  rc = titles.failed ? HC_ENOMEM
                     : hc_fail(e, HC_EINPUT, s->in.name, 0, 0, "the file has no header line, such as %.*s",
                               (int)titles.size, titles.data);
  hc_buffer_fini(&titles);
  return rc;
}

hc_rc hc_sheet_row(hc_sheet *s, hc_error *e)
{
  while (!s->in.s.at_end) {
    hc_rc rc = hc_delimited_next(&s->in, e);
    if (rc < 0) return rc;
    if (rc == 0) return end(s, e);
    if (!s->s.begun) {
      rc = begin(s, e);
      if (rc < 0) return rc;
      if (rc == 0) continue;
    }
    rc = take_row(s, e);
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- the members of hc_reader_type ---- */

void hc_sheet_close(hc_source *source)
{
  hc_sheet *s = sheet_of(source);
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  if (s->format->closed) s->format->closed(s);
  for (uint32_t c = 0; c < HC_TABLE_COLUMNS; c++) {
    if (!s->names[c]) continue;
    hc_interned_fini(s->names[c]);
    hc_free(a, s->names[c], sizeof *s->names[c]);
  }
  hc_buffer_fini(&s->scratch);
  hc_delimited_close(&s->in);
  hc_zone_free(s->zone);
  if (s->own) hc_free(a, s->own, s->format->own_size);
  hc_free(a, s, sizeof *s);
}

static hc_rc open_file(hc_sheet *s, const char *who, hc_error *e)
{
  const hc_sheet_options *o = s->o;
  const hc_table_form *form = s->form;
  if (!o->file || !o->file[0])
    return hc_fail(e, HC_EUSAGE, who, 0, 0, "no file is given: set `file`, or `-` for standard input");
  TRY(hc_origin_zone(s->context->allocator, who, o->zone, &s->zone, e));
  TRY(hc_delimited_open(&s->in, s->context->allocator, o->file, e));
  hc_input_sum(s->in.in, s->context->sums);
  s->in.separator = form->separator;
  s->in.quotes = form->quotes || form->joined;
  s->in.one_line = !form->joined;
  s->in.zone = s->zone;
  s->in.origin_given = o->origin != NULL;
  return hc_origin_read(who, o->origin, s->zone, &s->in.s.origin, e);
}

hc_rc hc_sheet_open(const hc_table_format *f, const hc_source_context *c, const void *options,
                    hc_source **out, hc_error *e)
{
  char who[64] = "source ";
  hc_sheet *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  strncat(who, f->name, sizeof who - sizeof "source ");
  s->context = c;
  s->format = f;
  s->o = options;
  s->info.unix_start = s->info.jobs = s->info.records = HC_UNKNOWN;
  s->info.zone = s->o->zone;
  s->info.derived = f->derived;
  hc_buffer_init(&s->scratch, c->allocator);
  rc = choose_form(s, 0);
  if (rc == 0 && f->own_size > 0 && !(s->own = hc_alloc(c->allocator, f->own_size))) rc = HC_ENOMEM;
  if (rc == 0) rc = open_file(s, who, e);
  if (rc == 0 && f->opened) rc = f->opened(s, e);
  if (rc < 0) hc_sheet_close((hc_source *)(void *)s);
  else *out = (hc_source *)(void *)s;
  return rc;
}

hc_rc hc_sheet_next(hc_source *source, hc_job *job, hc_error *e)
{
  hc_sheet *s = sheet_of(source);
  if (s->format->next) return s->format->next(s, job, e);
  const hc_rc rc = hc_sheet_row(s, e);
  if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return rc;
}

const hc_trace_info *hc_sheet_info(hc_source *source)
{
  hc_sheet *s = sheet_of(source);
  s->info.unix_start = hc_delimited_unix_start(&s->in);
  if (s->format->info) s->format->info(s, &s->info);
  return &s->info;
}

hc_rc hc_sheet_visit(hc_source *source, hc_visitor *v, hc_error *e)
{
  hc_sheet *s = sheet_of(source);
  if (s->format->paused) s->format->paused(s);
  TRY(hc_delimited_visit(&s->in, v, e));
  HC_VISIT(v, s->s);
  if (s->s.form >= s->format->form_count) return HC_EINPUT;
  if (hc_visit_loading(v)) TRY(choose_form(s, (size_t)s->s.form));
  for (uint32_t c = 0; c < s->form->count; c++)
    if (s->names[c]) TRY(hc_interned_visit(s->names[c], v));
  return s->format->visit ? s->format->visit(s, v, e) : 0;
}

void hc_sheet_progress(hc_source *source, uint64_t *done, uint64_t *total)
{
  hc_input_progress(sheet_of(source)->in.in, done, total);
}

hc_refers hc_sheet_refers(const hc_source *source)
{
  const hc_sheet *s = sheet_of(source);
  return s->format->refers ? s->format->refers(s) : HC_REFERS_NONE;
}

const hc_param hc_sheet_params[] = {
    HC_TABLE_FILE(hc_sheet_options, file),
    HC_PARAM(TIME, hc_sheet_options, time_unit, "s", "1s", 1e-9, 1e6, "What one unit of a time is."),
    HC_PARAM(
        TEXT, hc_sheet_options, origin, NULL,
        "When the trace's time 0 was: a date such as 2018-01-31, or a Unix time. It changes no time of a "
        "task."),
    {.name = NULL}};
