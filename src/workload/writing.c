/* writing.c -- what the writers of traces share. See writing.h. */
#include "workload/writing.h"

#include <stdio.h>

#include "base/fields.h"
#include "base/text.h"
#include "base/utf8.h"
#include "workload/names.h"

const char hc_digit_pairs[200] = {
    '0', '0', '0', '1', '0', '2', '0', '3', '0', '4', '0', '5', '0', '6', '0', '7', '0', '8', '0', '9',
    '1', '0', '1', '1', '1', '2', '1', '3', '1', '4', '1', '5', '1', '6', '1', '7', '1', '8', '1', '9',
    '2', '0', '2', '1', '2', '2', '2', '3', '2', '4', '2', '5', '2', '6', '2', '7', '2', '8', '2', '9',
    '3', '0', '3', '1', '3', '2', '3', '3', '3', '4', '3', '5', '3', '6', '3', '7', '3', '8', '3', '9',
    '4', '0', '4', '1', '4', '2', '4', '3', '4', '4', '4', '5', '4', '6', '4', '7', '4', '8', '4', '9',
    '5', '0', '5', '1', '5', '2', '5', '3', '5', '4', '5', '5', '5', '6', '5', '7', '5', '8', '5', '9',
    '6', '0', '6', '1', '6', '2', '6', '3', '6', '4', '6', '5', '6', '6', '6', '7', '6', '8', '6', '9',
    '7', '0', '7', '1', '7', '2', '7', '3', '7', '4', '7', '5', '7', '6', '7', '7', '7', '8', '7', '9',
    '8', '0', '8', '1', '8', '2', '8', '3', '8', '4', '8', '5', '8', '6', '8', '7', '8', '8', '8', '9',
    '9', '0', '9', '1', '9', '2', '9', '3', '9', '4', '9', '5', '9', '6', '9', '7', '9', '8', '9', '9'};

/* ---- rows ---- */

hc_rc hc_out_open(hc_out *o, const hc_writer_context *c)
{
  *o = (hc_out){.allocator = c->allocator, .sink = c->sink};
  o->data = hc_alloc(c->allocator, HC_OUT_SIZE);
  return o->data ? 0 : HC_ENOMEM;
}

void hc_out_close(hc_out *o)
{
  if (o->data) hc_free(o->allocator, o->data, HC_OUT_SIZE);
  o->data = NULL;
}

hc_rc hc_out_flush(hc_out *o)
{
  const size_t n = o->size;
  o->size = 0;
  return n > 0 ? o->sink.write(o->sink.ctx, o->data, n) : 0;
}

hc_rc hc_out_add(hc_out *o, const void *data, size_t size)
{
  const char *from = data;
  while (size > 0) {
    size_t n;
    if (o->size == HC_OUT_SIZE) TRY(hc_out_flush(o));
    n = HC_MIN(size, HC_OUT_SIZE - o->size);
    memcpy(o->data + o->size, from, n);
    o->size += n;
    from += n;
    size -= n;
  }
  return 0;
}

/* ---- writers that gather rows ---- */

static hc_rows *rows_of(hc_writer *w)
{
  return (hc_rows *)(void *)w; /* its first member */
}

void hc_rows_close(hc_writer *w)
{
  if (!w) return;
  hc_out_close(&rows_of(w)->out);
  hc_free(rows_of(w)->context->allocator, w, rows_of(w)->size);
}

hc_rc hc_rows_open(const hc_writer_context *c, size_t size, const char *titles, hc_writer **out)
{
  hc_rows *r = hc_alloc(c->allocator, size);
  hc_rc rc;
  if (!r) return HC_ENOMEM;
  r->context = c;
  r->size = size;
  rc = hc_out_open(&r->out, c);
  if (rc == 0 && titles) rc = hc_out_add(&r->out, titles, strlen(titles));
  if (rc < 0) hc_rows_close((hc_writer *)(void *)r);
  else *out = (hc_writer *)(void *)r;
  return rc;
}

hc_rc hc_rows_finish(hc_writer *w, hc_error *e)
{
  HC_UNUSED(e);
  return hc_out_flush(&rows_of(w)->out);
}

/* ---- text ---- */

char *hc_put_many(char *p, uint64_t n)
{
  const uint64_t high = n / 100000000;
  const uint32_t low = (uint32_t)(n - high * 100000000);
  p = hc_put_uint(p, high);
  return hc_put_four(hc_put_four(p, low / 10000), low % 10000);
}

/* `left` of 2^bits parts of one, behind the point. */
static char *put_binary(char *p, uint64_t left, unsigned bits)
{
  for (; left > 0; left &= (UINT64_C(1) << bits) - 1) {
    left *= 10;
    *p++ = (char)('0' + (left >> bits));
  }
  return p;
}

/* `left` of 10^n parts of one, without the zeros at the end. */
static char *put_decimals(char *p, uint64_t left, unsigned n)
{
  char *end = p + n;
  for (char *q = end; q > p; left /= 10) *--q = (char)('0' + left % 10);
  while (end[-1] == '0') end--;
  return end;
}

/* `unit` is 10^n, which the compiler knows where it matters. */
static inline char *put_decimal_parts(char *p, uint64_t n, uint64_t unit, unsigned decimals)
{
  const uint64_t whole = n / unit, left = n - whole * unit;
  p = hc_put_uint(p, whole);
  if (left == 0) return p;
  *p++ = '.';
  return put_decimals(p, left, decimals);
}

char *hc_put_parts(char *p, int64_t n, int64_t unit)
{
  uint64_t left, each = (uint64_t)unit;
  unsigned decimals = 0;
  if (n < 0) *p++ = '-';
  left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  switch (unit) {
    case HC_SECOND: return put_decimal_parts(p, left, (uint64_t)HC_SECOND, 9);
    case 1000: return put_decimal_parts(p, left, 1000, 3);
    case 100: return put_decimal_parts(p, left, 100, 2);
    case 10: return put_decimal_parts(p, left, 10, 1);
    default: break;
  }
  if ((each & (each - 1)) == 0) {
    const unsigned bits = (unsigned)__builtin_ctzll(each);
    p = hc_put_uint(p, left >> bits);
    left &= each - 1;
    return left == 0 ? p : put_binary(hc_put_char(p, '.'), left, bits);
  }
  for (; each > 1; each /= 10) decimals++;
  return put_decimal_parts(p, left, (uint64_t)unit, decimals);
}

char *hc_put_rounded(char *p, double x, int decimals)
{
  int64_t unit = 1;
  for (int i = 0; i < decimals; i++) unit *= 10;
  if (!(x > 0)) return hc_put_char(p, '0');
  return hc_put_parts(p, x * (double)unit < 9e18 ? (int64_t)(x * (double)unit + 0.5) : INT64_MAX, unit);
}

static char *put_two(char *p, int n)
{
  memcpy(p, hc_digit_pairs + (size_t)2 * (size_t)(n % 100), 2);
  return p + 2;
}

/* ---- names ---- */

static bool is_missing(const hc_text_rules *r, const char *text, size_t n)
{
  for (const char *const *word = r->missing; word && *word; word++)
    if (r->any_case ? hc_same_word(text, n, *word) : strcmp(text, *word) == 0) return true;
  return n == 0;
}

/* A number that is written otherwise than it would be is a text, and is read as none. */
static bool is_other_number(const char *text, size_t n)
{
  const hc_field f = {.text = text, .length = n};
  char as_number[24];
  int64_t number;
  if (!hc_field_whole(&f, &number)) return false;
  if (number < 0) return true;
  *hc_put_int(as_number, number) = '\0';
  return strcmp(as_number, text) != 0;
}

static char *put_quoted(char *p, const char *text)
{
  *p++ = '"';
  for (; *text; text++) {
    if (*text == '"') *p++ = '"';
    *p++ = *text;
  }
  return hc_put_char(p, '"');
}

static bool needs_quotes(const hc_text_rules *r, const char *text, size_t n)
{
  const char special[] = {r->separator, r->separator == ' ' ? '\t' : r->separator, '\n', '\r', '\0'};
  return hc_is_blank(text[0]) || hc_is_blank(text[n - 1]) || strpbrk(text, special) ||
         (r->quotes && text[0] == '"');
}

bool hc_field_says(const hc_text_rules *r, const char *text)
{
  const size_t n = strlen(text);
  if (n > HC_NAME_MOST || is_missing(r, text, n) || (r->or_numbers && is_other_number(text, n))) return false;
  if (strpbrk(text, "\n\r") && (!r->joined || strchr(text, '\r'))) return false;
  return r->quotes || !needs_quotes(r, text, n);
}

char *hc_put_field(char *p, const hc_text_rules *r, const char *text)
{
  if (!hc_field_says(r, text)) return NULL;
  return needs_quotes(r, text, strlen(text)) ? put_quoted(p, text) : hc_put_text(p, text);
}

char *hc_put_json(char *p, const char *text)
{
  static const char digits[] = "0123456789abcdef";
  *p++ = '"';
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c < 0x20) {
      p = hc_put_text(p, "\\u00");
      p = hc_put_char(hc_put_char(p, digits[c >> 4]), digits[c & 15]);
      continue;
    }
    if (c == '"' || c == '\\') *p++ = '\\';
    *p++ = (char)c;
  }
  return hc_put_char(p, '"');
}

bool hc_is_plain_text(const char *text)
{
  const size_t n = strlen(text);
  for (size_t i = 0, step; i < n; i += step) {
    uint32_t code;
    step = hc_utf8_decode(text + i, n - i, &code);
    if (step == 0) return false;
  }
  return n > 0 && n <= HC_NAME_MOST;
}

const char *hc_called_of(const hc_writer_context *c, hc_called kind, int64_t number)
{
  return c->lexicon && number >= 0 ? hc_lexicon_called(c->lexicon, kind, number) : NULL;
}

char *hc_put_called(char *p, const hc_text_rules *r, const hc_writer_context *c, hc_called kind,
                    int64_t number, uint64_t *lost)
{
  if (number < 0) return p;
  const char *name = hc_called_of(c, kind, number);
  if (!name) return hc_put_uint(p, (uint64_t)number);
  char *end = hc_put_field(p, r, name);
  if (end) *lost &= ~hc_name_fact(kind);
  if (end) return end;
  *lost |= hc_name_fact(kind);
  return hc_put_int(p, hc_name_hashed(name, strlen(name)));
}

char *hc_put_state(char *p, const hc_task_spec *t, uint64_t *lost)
{
  static const char *const words[HC_RECORDED_COUNT] = {
#define X(name, word, status, text) #name,
      HC_RECORDED(X)
#undef X
  };
  const hc_recorded is = hc_spec_recorded(t);
  if (t->status >= HC_STATUS_PARTIAL && t->status <= HC_STATUS_PARTIAL_FAILED) {
    *lost |= HC_FACT_BIT(STATUS);
    return p;
  }
  if (is == HC_RECORDED_UNKNOWN) return p;
  *lost &= ~HC_FACT_BIT(STATE);
  return hc_put_text(p, words[is]);
}

char *hc_put_date(char *p, int64_t unix_seconds, char separator)
{
  const hc_calendar c = hc_calendar_of(unix_seconds, 0);
  if (c.year >= 0 && c.year < 1000) *p++ = '0'; /* four digits, as logs have them */
  p = hc_put_int(p, c.year);
  p = put_two(hc_put_char(p, '-'), c.month);
  p = put_two(hc_put_char(p, '-'), c.day);
  p = put_two(hc_put_char(p, separator), c.hour);
  p = put_two(hc_put_char(p, ':'), c.minute);
  return put_two(hc_put_char(p, ':'), c.second);
}

void hc_add_int(hc_buffer *b, const char *before, int64_t n)
{
  char text[24];
  hc_buffer_text(b, before);
  hc_buffer_add(b, text, (size_t)(hc_put_int(text, n) - text));
}

void hc_add_string(hc_buffer *b, const char *before, const char *text)
{
  hc_buffer_text(b, before);
  hc_json_string(b, text, strlen(text));
}

/* ---- what a task needs ---- */

static int64_t times(int64_t a, int64_t b)
{
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t shared_up(int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

hc_slots hc_slots_of(const hc_task_spec *t)
{
  const int64_t procs = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
  hc_slots s = {.count = t->count > 1 ? t->count : 1, .hosts = t->hosts > 0 ? t->hosts : 1};
  memcpy(s.need, t->need, sizeof s.need);
  if (procs <= 0) return s;
  if (s.need[HC_DIM_CPU] == HC_UNKNOWN) s.need[HC_DIM_CPU] = shared_up(times(procs, 1000), s.hosts);
  if (s.need[HC_DIM_MEMORY] == HC_UNKNOWN && t->memory_asked >= 0)
    s.need[HC_DIM_MEMORY] = shared_up(times(t->memory_asked, procs), s.hosts);
  return s;
}

uint64_t hc_slots_say(const hc_task_spec *t, const hc_slots *s)
{
  const int64_t procs = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
  uint64_t said = 0;
  if (procs > 0 && s->need[HC_DIM_CPU] >= 0 && s->need[HC_DIM_CPU] == times(procs, 1000) / s->hosts) {
    said |= HC_FACT_BIT(PROCS_ASKED);
    if (t->procs_asked <= 0 || t->procs_asked == t->procs_used) said |= HC_FACT_BIT(PROCS_USED);
  }
  if (t->need[HC_DIM_MEMORY] == HC_UNKNOWN && s->need[HC_DIM_MEMORY] >= 0) said |= HC_FACT_BIT(MEMORY_ASKED);
  return said;
}

hc_batch hc_batch_of(const hc_task_spec *t, uint64_t *lost)
{
  const int64_t cpu = t->need[HC_DIM_CPU], memory = t->need[HC_DIM_MEMORY], hosts = HC_MAX(t->hosts, 1);
  hc_batch b = {t->procs_used, t->procs_asked, t->memory_used, t->memory_asked};
  int64_t procs;
  if (b.procs_asked <= 0 && b.procs_used <= 0 && (cpu != HC_UNKNOWN || t->hosts > 0)) {
    b.procs_asked = times(cpu == HC_UNKNOWN ? 1 : HC_MAX(shared_up(cpu, 1000), 1), hosts);
  }
  procs = b.procs_asked > 0 ? b.procs_asked : b.procs_used;
  if (cpu > 0 && procs == times(shared_up(cpu, 1000), hosts)) { /* both were said, and agree */
    *lost &= ~HC_FACT_BIT(CPU);
    if (cpu % 1000 != 0) *lost |= HC_FACT_BIT(PRECISION);
  }
  if (b.memory_asked < 0 && memory >= 0 && procs > 0) {
    b.memory_asked = shared_up(times(memory, hosts), procs);
    *lost &= ~HC_FACT_BIT(MEMORY);
    if (times(b.memory_asked, procs) != times(memory, hosts)) *lost |= HC_FACT_BIT(PRECISION);
  }
  return b;
}

hc_rc hc_rows_allowed(const hc_task_spec *t, int64_t rows, const char *format, hc_error *e)
{
  if (rows <= HC_ROWS_PER_TASK) return 0;
  return hc_fail(
      e, HC_ELIMIT, "", 0, 0,
      "task %lld would be %lld rows of %s, and at most %d are written for one task: a format with bundles "
      "(csv, cache) holds it",
      (long long)t->id, (long long)rows, format, HC_ROWS_PER_TASK);
}
