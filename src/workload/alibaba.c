/* alibaba.c -- what the readers of Alibaba's cluster traces share.
 *
 * The tables were published without a header, with one, or with one of other words; copies add or drop it. So the
 * first line is one of titles if it holds one that is known, or text where a number belongs. Known titles say where a
 * column is, whatever the order; if they do not name all that is needed, the published order counts, provided that
 * there are as many columns.
 *
 * Amounts are decimals in units of the trace (100 is a core; 100, or 1, is the memory of the largest machine). They
 * are scaled in whole numbers of 128 bits and rounded up: what is held in part is held, and nothing becomes zero.
 *
 * Fields may be quoted, within their line; a row with another number of fields than the first line is malformed: what
 * its end would say is not known. Missing is an empty field, NaN, null or \N. Source: https://github.com/alibaba/clusterdata. Cost: about 0.3 us a
 * row. */
#include "workload/alibaba.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "base/wide.h"
#include "workload/ledger.h"
#include "workload/origin.h"

#define LARGEST_AMOUNT ((int64_t)1 << 52)
#define MOST_DIGITS 18

/* ---- decimals ---- */

typedef struct decimal {
  uint64_t digits; /* below 10^18 */
  uint32_t places;
  bool negative;
} decimal;

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Add a digit; past the eighteenth, those behind the point are dropped, upwards. */
static bool add_digit(decimal *d, unsigned digit, bool fraction, bool *dropped)
{
  if (d->digits >= UINT64_C(100000000000000000)) {
    if (!fraction) return false;
    *dropped |= digit != 0;
    return true;
  }
  d->digits = d->digits * 10 + digit;
  d->places += fraction;
  return true;
}

/* Move the point by an exponent. */
static bool shift(decimal *d, int64_t by, bool *dropped)
{
  for (; by > 0 && d->places > 0; by--) d->places--;
  for (; by > 0; by--)
    if (d->digits > UINT64_C(10000000000000000)) return d->digits == 0;
    else d->digits *= 10;
  for (; by < 0 && d->digits > 0; by++) {
    if (d->places < MOST_DIGITS) {
      d->places++;
    } else {
      *dropped |= d->digits % 10 != 0;
      d->digits /= 10;
    }
  }
  return true;
}

/* "12", "0.02", "-1", "1e-05". */
static bool read_decimal(const hc_field *f, decimal *out)
{
  const char *p = f->text, *end = p + f->length;
  decimal d = {0};
  bool fraction = false, dropped = false, any = false;
  if (p < end && (*p == '-' || *p == '+')) d.negative = *p++ == '-';
  for (; p < end && (is_digit(*p) || (*p == '.' && !fraction)); p++) {
    if (*p == '.') fraction = true;
    else if (!add_digit(&d, (unsigned)(*p - '0'), fraction, &dropped)) return false;
    any |= *p != '.';
  }
  if (!any) return false;
  if (p < end) {
    int64_t by;
    const hc_field rest = {.text = p + 2, .length = (size_t)(end - p) - 2};
    if ((*p != 'e' && *p != 'E') || end - p < 2) return false;
    if (p[1] == '-' || p[1] == '+') {
      if (rest.length == 0 || rest.length > 6 || !is_digit(rest.text[0]) || !hc_field_whole(&rest, &by))
        return false;
      if (p[1] == '-') by = -by;
    } else {
      const hc_field all = {.text = p + 1, .length = (size_t)(end - p) - 1};
      if (all.length > 6 || !hc_field_whole(&all, &by)) return false;
    }
    if (!shift(&d, by, &dropped)) return false;
  }
  d.digits += dropped; /* upwards */
  *out = d;
  return true;
}

static hc_uint128 power_of_ten(uint32_t n)
{
  hc_uint128 p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

bool hc_alibaba_scale(uint64_t digits, uint32_t places, hc_alibaba_ratio r, int64_t *out, double *error)
{
  const hc_uint128 n = (hc_uint128)digits * r.num, den = power_of_ten(places) * r.den;
  hc_uint128 q = n / den;
  const hc_uint128 rest = n - q * den;
  q += rest > 0;
  if (q > (hc_uint128)LARGEST_AMOUNT) return false;
  *out = (int64_t)q;
  *error = rest > 0 ? (double)(den - rest) / (double)n : 0;
  return true;
}

hc_alibaba_ratio hc_alibaba_cpu(const hc_alibaba_options *o, int64_t published)
{
  return (hc_alibaba_ratio){1000, (uint64_t)(o->cpu_scale > 0 ? o->cpu_scale : published)};
}

hc_alibaba_ratio hc_alibaba_memory(const hc_alibaba_options *o, int64_t share)
{
  return (hc_alibaba_ratio){(uint64_t)o->memory_scale, (uint64_t)share};
}

/* ---- the first line ---- */

/* Titles are the same whatever their case, and whether words are joined by blanks, lines or nothing. */
static bool same_title(const hc_field *f, const char *title)
{
  const char *p = f->text, *end = p + f->length;
  for (;;) {
    while (p < end && (*p == ' ' || *p == '_' || *p == '-')) p++;
    while (*title == '_') title++;
    if (p == end || *title == '\0') return p == end && *title == '\0';
    if (!hc_same_word(p, 1, (const char[]){*title, '\0'})) return false;
    p++;
    title++;
  }
}

static size_t find_title(const hc_field *fields, size_t count, const char *title)
{
  for (size_t i = 0; i < count; i++)
    if (same_title(&fields[i], title)) return i + 1;
  return 0;
}

size_t hc_alibaba_titles(const hc_alibaba_schema *s, const hc_field *fields, size_t count)
{
  size_t n = 0;
  count = HC_MIN(count, (size_t)HC_ALIBABA_COLUMNS);
  for (uint32_t c = 0; c < s->count; c++) n += find_title(fields, count, s->titles[c]) > 0;
  return n;
}

bool hc_alibaba_is_number(const hc_field *f)
{
  decimal d;
  return read_decimal(f, &d);
}

static bool is_missing(const hc_field *f)
{
  static const char *const words[] = {"nan", "null", "none", "\\N"};
  if (f->length == 0) return true;
  if (f->length > 4 || is_digit(f->text[0])) return false;
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (hc_same_word(f->text, f->length, words[i])) return true;
  return false;
}

/* Where the columns of one schema are, as far as a first line says it. */
typedef struct layout {
  uint64_t at[HC_ALIBABA_COLUMNS];
  uint64_t width;
  const hc_alibaba_schema *schema;
  bool is_titles;
  const hc_alibaba_options *o; /* of those who sort lines */
  const char *first;           /* the line of titles, to be known again; owned */
  size_t first_size;
} layout;

/* The schema that most titles are of; else the one with as many columns; else the first. */
static const hc_alibaba_schema *choose_schema(const hc_alibaba_schema *schemas, size_t n,
                                              const hc_field *fields, size_t count)
{
  const hc_alibaba_schema *best = NULL;
  size_t most = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t titles = hc_alibaba_titles(&schemas[i], fields, count);
    if (titles <= most) continue;
    most = titles;
    best = &schemas[i];
  }
  for (size_t i = 0; i < n && !best; i++)
    if (schemas[i].count == count) best = &schemas[i];
  return best ? best : &schemas[0];
}

static bool has_needed(const layout *l)
{
  for (uint32_t c = 0; c < l->schema->count; c++)
    if (l->schema->needed & 1u << c && l->at[c] == 0) return false;
  return true;
}

static void find_columns(const hc_alibaba_schema *schemas, size_t n, const hc_field *fields, size_t count,
                         layout *out)
{
  const hc_alibaba_schema *s = choose_schema(schemas, n, fields, count);
  size_t known = 0;
  memset(out, 0, sizeof *out);
  out->schema = s;
  out->width = count;
  for (uint32_t c = 0; c < s->count; c++) {
    out->at[c] = find_title(fields, count, s->titles[c]);
    known += out->at[c] > 0;
  }
  out->is_titles = known > 0 || (s->number < count && !is_missing(&fields[s->number]) &&
                                 !hc_alibaba_is_number(&fields[s->number]));
  if (!out->is_titles || (!has_needed(out) && count == s->count)) {
    for (uint32_t c = 0; c < s->count; c++) out->at[c] = c + 1;
    out->width = s->count;
  }
}

static hc_rc lacks(const layout *l, const char *name, uint64_t line, hc_error *e)
{
  const hc_alibaba_schema *s = l->schema;
  uint32_t c = 0;
  while (l->at[c] > 0 || !(s->needed & 1u << c)) c++;
  return hc_fail(e, HC_EINPUT, name, hc_line_number(line), 0,
                 "this is not %s: no column has the title %s; `hindcast list reader` has the formats",
                 s->kind, s->titles[c]);
}

/* ---- opening, and rows ---- */

hc_rc hc_alibaba_open(hc_alibaba *a, const hc_source_context *c, const hc_alibaba_options *o,
                      const hc_alibaba_schema *schemas, size_t count, hc_error *e)
{
  hc_time origin = HC_UNKNOWN;
  memset(a, 0, sizeof *a);
  a->context = c;
  a->o = o;
  a->schemas = a->schema = schemas;
  a->schema_count = count;
  a->info.unix_start = a->info.jobs = a->info.records = HC_UNKNOWN;
  if (!o->file || !o->file[0])
    return hc_fail(e, HC_EUSAGE, schemas->reader, 0, 0,
                   "no file is given: set `file`, or `-` for standard input");
  TRY(hc_origin_read(schemas->reader, o->origin, NULL, &origin, e));
  a->info.unix_start = hc_origin_seconds(origin);
  TRY(hc_delimited_open(&a->table, c->allocator, o->file, e));
  hc_input_sum(a->table.in, c->sums);
  a->table.separator = ',';
  a->table.quotes = a->table.one_line = true;
  return 0;
}

void hc_alibaba_close(hc_alibaba *a)
{
  hc_delimited_close(&a->table);
}

hc_rc hc_alibaba_visit(hc_alibaba *a, hc_visitor *v, hc_error *e)
{
  TRY(hc_delimited_visit(&a->table, v, e));
  HC_VISIT(v, a->s);
  if (a->s.schema >= a->schema_count) return HC_EINPUT;
  a->schema = &a->schemas[a->s.schema];
  return 0;
}

/* @return 1 if the first record is a row, 0 if it is a line of titles, or an error. */
static hc_rc begin(hc_alibaba *a, hc_error *e)
{
  layout l;
  find_columns(a->schemas, a->schema_count, a->table.fields, a->table.count, &l);
  a->schema = l.schema;
  a->s.schema = (uint64_t)(l.schema - a->schemas);
  memcpy(a->s.at, l.at, sizeof l.at);
  a->s.width = l.width;
  a->s.started = 1;
  if (!has_needed(&l)) return lacks(&l, a->table.name, a->table.s.line, e);
  a->table.s.has_header = l.is_titles;
  return !l.is_titles;
}

hc_rc hc_alibaba_take(hc_alibaba *a, hc_error *e)
{
  hc_delimited *t = &a->table;
  if (!a->s.started) {
    const hc_rc rc = begin(a, e);
    if (rc <= 0) return rc;
  }
  if (a->context->ledger) a->context->ledger->read++;
  if (t->flaw) return hc_delimited_reject(t, a->context, t->flaw, e, "text follows a closed quote");
  if (t->count == a->s.width) {
    t->s.rows++;
    return 1;
  }
  return hc_delimited_reject(t, a->context, NULL, e, "it has %zu fields, where %llu are expected", t->count,
                             (unsigned long long)a->s.width);
}

hc_rc hc_alibaba_end(hc_alibaba *a, hc_error *e)
{
  return hc_delimited_end(&a->table, a->schema->kind, "`hindcast list reader` has the formats", e);
}

hc_rc hc_alibaba_next(hc_alibaba *a, hc_error *e)
{
  while (!a->table.s.at_end) {
    hc_rc rc = hc_delimited_next(&a->table, e);
    if (rc < 0) return rc;
    if (rc == 0) return hc_alibaba_end(a, e);
    rc = hc_alibaba_take(a, e);
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- fields ---- */

const hc_field *hc_alibaba_get(const hc_alibaba *a, uint32_t column)
{
  const uint64_t n = a->s.at[column];
  const hc_field *f;
  if (n == 0 || n > a->table.count) return NULL;
  f = &a->table.fields[n - 1];
  return is_missing(f) ? NULL : f;
}

hc_rc hc_alibaba_wrong(hc_alibaba *a, uint32_t column, const char *what, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(a, column);
  a->table.s.rows--;
  return hc_delimited_reject(&a->table, a->context, f ? f->text : NULL, e, "%s holds \"%.*s\", which is %s",
                             a->schema->titles[column], f ? (int)HC_MIN(f->length, (size_t)40) : 0,
                             f ? f->text : "", what);
}

hc_rc hc_alibaba_reject(hc_alibaba *a, hc_reason why, hc_error *e)
{
  return hc_row_reject(a->context, a->table.name, a->table.s.line, 0, why, a->table.record, e);
}

/* A decimal times a unit. A time before 0 is given as -1. */
static bool read_time(const hc_field *f, hc_time unit, hc_time *out)
{
  const hc_moment_format format = {.kind = HC_MOMENT_SECONDS, .unit = unit};
  const bool negative = f->length > 1 && f->text[0] == '-';
  const hc_field number = {.text = f->text + negative, .length = f->length - negative};
  if (!hc_field_moment(&number, &format, NULL, out)) return false;
  if (negative && *out > 0) *out = -1;
  return true;
}

hc_rc hc_alibaba_time(hc_alibaba *a, uint32_t column, hc_time *out, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(a, column);
  *out = HC_UNKNOWN;
  if (!f) return 1;
  if (!read_time(f, a->o->time_unit, out) || *out > HC_NEVER / 4)
    return hc_alibaba_wrong(a, column, "no time", e);
  if (*out < 0 || (*out == 0 && a->schema->zero_is_none)) *out = HC_UNKNOWN;
  return 1;
}

hc_rc hc_alibaba_count(hc_alibaba *a, uint32_t column, int64_t least, int64_t most, int64_t *out, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(a, column);
  int64_t n;
  if (!f) return 1;
  if (!hc_field_whole(f, &n) || n < least || n > most)
    return hc_alibaba_wrong(a, column, "no number that it can be", e);
  *out = n;
  return 1;
}

hc_rc hc_alibaba_amount(hc_alibaba *a, uint32_t column, hc_alibaba_ratio r, hc_alibaba_range range,
                        int64_t *out, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(a, column);
  double error, unit;
  decimal d;
  *out = HC_UNKNOWN;
  if (!f) return 1;
  if (!read_decimal(f, &d)) return hc_alibaba_wrong(a, column, "no amount", e);
  unit = (double)power_of_ten(d.places);
  if (d.negative && d.digits > 0) return 1;
  if ((double)d.digits < range.least * unit || (double)d.digits > range.most * unit) return 1;
  if (!hc_alibaba_scale(d.digits, d.places, r, out, &error)) {
    *out = HC_UNKNOWN;
    return hc_alibaba_wrong(a, column, "more than there can be", e);
  }
  hc_alibaba_rounded(a, error);
  return 1;
}

void hc_alibaba_defaults(const hc_alibaba *a, int64_t *cpu, int64_t *memory)
{
  if (*cpu == HC_UNKNOWN && a->o->default_cpu > 0) {
    const double exact = a->o->default_cpu * 1000;
    *cpu = (int64_t)exact;
    *cpu += (double)*cpu < exact;
  }
  if (*memory == HC_UNKNOWN && a->o->default_memory > 0) *memory = a->o->default_memory;
}

/* ---- states ---- */

typedef enum state { TERMINATED, FAILED, INTERRUPTED, CANCELLED, RUNNING, WAITING, READY, STATES } state;
static const char *const state_names[STATES] = {"Terminated", "Failed",  "Interrupted", "Cancelled",
                                                "Running",    "Waiting", "Ready"};

static state find_state(const hc_field *f)
{
  if (hc_field_is(f, state_names[TERMINATED])) return TERMINATED;
  for (int i = 0; i < STATES; i++)
    if (hc_same_word(f->text, f->length, state_names[i])) return (state)i;
  return STATES;
}

bool hc_alibaba_is_state(const hc_field *f)
{
  return find_state(f) != STATES;
}

/* Why a task in that state is not to be had; HC_REASON_COUNT if it is. */
static hc_reason why_not(state s, hc_alibaba_statuses wanted, const hc_alibaba_span *t)
{
  switch (s) {
    case WAITING:
    case READY: return HC_REASON_NEVER_RAN;
    case RUNNING: return t->start == HC_UNKNOWN ? HC_REASON_ALREADY_RUNNING : HC_REASON_STILL_RUNNING;
    case FAILED:
    case INTERRUPTED:
    case CANCELLED:
      if (wanted == HC_ALIBABA_TERMINATED) return HC_REASON_FILTERED;
      if (t->end == HC_UNKNOWN) return HC_REASON_NEVER_RAN;
      break;
    case TERMINATED:
    case STATES: break;
  }
  if (t->start == HC_UNKNOWN) return t->end == HC_UNKNOWN ? HC_REASON_NEVER_RAN : HC_REASON_ALREADY_RUNNING;
  return t->end == HC_UNKNOWN ? HC_REASON_STILL_RUNNING : HC_REASON_COUNT;
}

hc_rc hc_alibaba_ran(hc_alibaba *a, uint32_t status, uint32_t start, uint32_t end, hc_alibaba_statuses wanted,
                     hc_alibaba_span *out, hc_error *e)
{
  const hc_field *f = hc_alibaba_get(a, status);
  const state s = f ? find_state(f) : TERMINATED;
  hc_reason why;
  hc_rc rc;
  if (s == STATES) return hc_alibaba_wrong(a, status, "no state that is known", e);
  rc = hc_alibaba_time(a, start, &out->start, e);
  if (rc == 1) rc = hc_alibaba_time(a, end, &out->end, e);
  if (rc != 1) return rc;
  why = why_not(s, wanted, out);
  if (why != HC_REASON_COUNT) return hc_alibaba_reject(a, why, e);
  if (out->end < out->start) return hc_alibaba_wrong(a, end, "before it started", e);
  out->status = s == TERMINATED  ? HC_STATUS_COMPLETED
                : s == CANCELLED ? HC_STATUS_CANCELLED
                                 : HC_STATUS_FAILED;
  return 1;
}

/* ---- names ---- */

int64_t hc_alibaba_number(const char *s, size_t n, const char *prefix)
{
  const size_t m = strlen(prefix);
  size_t i = m;
  if (n <= m || n - m > MOST_DIGITS + 1 || memcmp(s, prefix, m) != 0) return hc_name_number(s, n);
  while (i < n && is_digit(s[i])) i++; /* one more digit than a number has: a hash that was written out */
  return i == n ? hc_name_number(s + m, n - m) : hc_name_number(s, n);
}

int64_t hc_alibaba_id(const hc_alibaba *a, uint32_t column, const char *prefix)
{
  const hc_field *f = hc_alibaba_get(a, column);
  return f ? hc_alibaba_number(f->text, f->length, prefix) : -1;
}

hc_rc hc_alibaba_one_of(hc_lexicon *l, const char *attribute, const hc_field *f, hc_constraint *out,
                        size_t cap)
{
  const char *p = f->text, *end = p + f->length;
  size_t n = 0;
  while (p < end) {
    const char *bar = memchr(p, '|', (size_t)(end - p));
    const size_t length = (size_t)((bar ? bar : end) - p);
    if (length > 0) {
      const uint32_t name = hc_lexicon_name(l, attribute, strlen(attribute)),
                     value = hc_lexicon_name(l, p, length);
      if (name == HC_NO_NAME || value == HC_NO_NAME) return HC_ENOMEM;
      if (n == cap) return HC_ELIMIT;
      out[n++] = (hc_constraint){.attribute = name, .compare = HC_EQUAL, .is_text = 1, .value = value};
    }
    p += length + (bar != NULL);
  }
  return (hc_rc)n;
}

/* ---- lines ---- */

/* Cut a line at commas; blanks around a field do not count. @return how many there are. */
static size_t cut(const char *p, size_t n, hc_field out[HC_ALIBABA_COLUMNS])
{
  const char *end = p + n;
  size_t count = 0;
  if (n > 0 && end[-1] == '\r') end--;
  for (;;) {
    const char *closed = p < end && *p == '"' ? memchr(p + 1, '"', (size_t)(end - p) - 1) : NULL;
    const char *comma = memchr(closed ? closed : p, ',', (size_t)(end - (closed ? closed : p)));
    hc_field f = {.text = p, .length = (size_t)((comma ? comma : end) - p)};
    if (closed) f = (hc_field){.text = p + 1, .length = (size_t)(closed - p) - 1};
    while (f.length > 0 && (*f.text == ' ' || *f.text == '\t')) f.text++, f.length--;
    while (f.length > 0 && (f.text[f.length - 1] == ' ' || f.text[f.length - 1] == '\t')) f.length--;
    if (count < HC_ALIBABA_COLUMNS) out[count] = f;
    count++;
    if (!comma) return count;
    p = comma + 1;
  }
}

static bool is_passed_over(const char *line, size_t n)
{
  size_t i = 0;
  while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')) i++;
  return i == n || line[i] == '#';
}

/* The first line that counts, whole or not; NULL if there is none. */
static const char *first_line(const char *text, size_t size, size_t *n, bool *whole)
{
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    size -= 3;
  }
  while (size > 0) {
    const char *newline = memchr(text, '\n', size);
    *n = newline ? (size_t)(newline - text) : size;
    *whole = newline != NULL;
    if (!is_passed_over(text, *n)) return text;
    if (!newline) break;
    text += *n + 1;
    size -= *n + 1;
  }
  return NULL;
}

size_t hc_alibaba_first_line(const char *head, size_t size, hc_field out[HC_ALIBABA_COLUMNS])
{
  size_t n;
  bool whole;
  const char *line = first_line(head, size, &n, &whole);
  return line && whole ? cut(line, n, out) : 0;
}

void hc_alibaba_line_end(const hc_allocator *a, void *made)
{
  layout *l = made;
  if (!l) return;
  hc_free(a, (void *)(uintptr_t)l->first, l->first_size);
  hc_free(a, l, sizeof *l);
}

hc_rc hc_alibaba_line_begin(const hc_allocator *a, const hc_alibaba_options *o,
                            const hc_alibaba_schema *schemas, size_t count, const char *text, size_t size,
                            void **out, hc_error *e)
{
  hc_field fields[HC_ALIBABA_COLUMNS] = {0};
  size_t n = 0;
  bool whole;
  const char *line = first_line(text, size, &n, &whole);
  layout *l = hc_alloc(a, sizeof *l);
  hc_rc rc = 0;
  if (!l) return HC_ENOMEM;
  if (line && n > 0 && line[n - 1] == '\r') n--;
  find_columns(schemas, count, fields, line ? HC_MIN(cut(line, n, fields), (size_t)HC_ALIBABA_COLUMNS) : 0,
               l);
  l->o = o;
  if (line && !has_needed(l)) rc = lacks(l, o->file ? o->file : schemas->reader, 0, e);
  if (rc == 0 && line && l->is_titles) {
    char *copy = hc_alloc(a, n);
    if (!copy) rc = HC_ENOMEM;
    else memcpy(copy, line, n);
    l->first = copy;
    l->first_size = copy ? n : 0;
  }
  if (rc < 0) hc_alibaba_line_end(a, l);
  else *out = l;
  return rc;
}

hc_line_kind hc_alibaba_line_key(const void *made, const char *line, size_t n, hc_time *submit, int64_t *id)
{
  const layout *l = made;
  const hc_alibaba_schema *s = l->schema;
  hc_field fields[HC_ALIBABA_COLUMNS];
  size_t count;
  if (n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
    line += 3;
    n -= 3;
  }
  if (n > 0 && line[n - 1] == '\r') n--;
  if (is_passed_over(line, n)) return HC_LINE_HEAD;
  if (l->first && n == l->first_size && memcmp(line, l->first, n) == 0) return HC_LINE_HEAD;
  count = HC_MIN(cut(line, n, fields), (size_t)HC_ALIBABA_COLUMNS);
  *submit = 0;
  *id = 0;
  if (s->id < HC_ALIBABA_COLUMNS && l->at[s->id] > 0 && l->at[s->id] <= count) {
    const hc_field *f = &fields[l->at[s->id] - 1];
    *id = hc_alibaba_number(f->text, f->length, s->prefix);
  }
  if (s->submit >= HC_ALIBABA_COLUMNS || l->at[s->submit] == 0) return HC_LINE_ROW;
  if (l->at[s->submit] > count) return HC_LINE_BROKEN;
  const hc_field *f = &fields[l->at[s->submit] - 1];
  if (is_missing(f)) return s->zero_is_none ? HC_LINE_BROKEN : HC_LINE_ROW;
  if (!read_time(f, l->o->time_unit, submit) || *submit < 0) return HC_LINE_BROKEN;
  return HC_LINE_ROW;
}
