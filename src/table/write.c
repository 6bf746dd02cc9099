/* write.c -- tasks written by the columns of a format.
 *
 * A task is first numbers, as for reading: what columns say of it by themselves, then what the hook `fill`
 * makes of the rest. Then each is written as its column is. What no column says is lost; so is what one
 * cannot say exactly, which is rounded and told. Cost: about 150 ns a row. */
#include <string.h>

#include "base/wide.h"
#include "table/pen.h"
#include "table/sheet.h"

#define MOST_AMOUNT ((int64_t)1 << 52)           /* that readers take */
#define MOST_DIGITS INT64_C(1000000000000000000) /* 18 digits */
#define MOST_TEXT ((size_t)4096)                 /* bytes of a list of models */

static hc_pen *pen_of(hc_writer *w)
{
  return (hc_pen *)(void *)w;
}

/* ---- fields ---- */

/* A number with a point in it. */
static char *as_real(const char *start, char *end)
{
  if (end == start || memchr(start, '.', (size_t)(end - start))) return end;
  memcpy(end, ".0", 2);
  return end + 2;
}

/* A reader takes the decimal d for the amount if d x num / den, rounded up, is the amount: of those with so
 * many places the largest that is not more. */
char *hc_put_decimal(char *p, int64_t amount, uint64_t num, uint64_t den, uint64_t *lost)
{
  const int64_t held = HC_MIN(amount, MOST_AMOUNT);
  hc_uint128 wanted = (hc_uint128)(uint64_t)held * den, one = den, digits = 0;
  int64_t unit = 1;
  if (amount < 0) return p;
  if (den == 1 && (num == 1000 || (num <= 1024 && (num & (num - 1)) == 0)))
    return hc_put_parts(p, amount, (int64_t)num);
  if (amount > MOST_AMOUNT) *lost |= HC_FACT_BIT(PRECISION);
  for (; held > 0; wanted *= 10, one *= 10, unit *= 10) {
    digits = wanted / num;
    if (digits * num > wanted - one) break;
    if (digits < MOST_DIGITS / 10 && unit < MOST_DIGITS) continue;
    digits += digits * num < wanted; /* rounded up, as nothing else holds what is held in part */
    *lost |= HC_FACT_BIT(PRECISION);
    break;
  }
  return hc_put_parts(p, (int64_t)digits, unit);
}

/* Whole units, upwards. */
static char *put_up(char *p, int64_t v, uint64_t unit, uint64_t *lost)
{
  const int64_t rest = v % (int64_t)unit;
  if (v < 0) return p;
  if (rest != 0) *lost |= HC_FACT_BIT(PRECISION);
  return hc_put_uint(p, (uint64_t)(v / (int64_t)unit + (rest != 0)));
}

static char *put_amount(char *p, const hc_pen *w, uint32_t column, int64_t v, uint64_t *lost)
{
  const hc_column *c = &w->form->columns[column];
  const uint64_t num = w->unit[column].num, den = w->unit[column].den;
  char *start = p;
  if (v < 0 || v == HC_NEVER) return p;
  if (!(c->flags & (HC_EXACT | HC_POINTED))) return put_up(p, v, num, lost);
  p = den == 1 && (uint64_t)v % num == 0 ? hc_put_uint(p, (uint64_t)v / num)
                                         : hc_put_decimal(p, v, num, den, lost);
  return c->flags & HC_POINTED ? as_real(start, p) : p;
}

static char *put_time(char *p, const hc_column *c, hc_time t, uint64_t *lost)
{
  char *start = p;
  if (t == HC_UNKNOWN || t == HC_NEVER || (t < 0 && c->how == HC_IS_LENGTH)) return p;
  if (!(c->flags & (HC_EXACT | HC_POINTED))) return hc_put_int(p, hc_whole(t, HC_SECOND, lost));
  p = t >= 0 && t % HC_SECOND == 0 ? hc_put_uint(p, (uint64_t)(t / HC_SECOND))
                                   : hc_put_parts(p, t, HC_SECOND);
  return c->flags & HC_POINTED ? as_real(start, p) : p;
}

static char *put_moment(char *p, const hc_pen *w, hc_time t, uint64_t *lost)
{
  int64_t seconds;
  if (t == HC_UNKNOWN || t == HC_NEVER) return p;
  seconds = hc_whole(t, HC_SECOND, lost);
  return __builtin_add_overflow(seconds, w->origin, &seconds) ? p : hc_put_date(p, seconds, ' ');
}

static char *put_word(char *p, const hc_column *c, int64_t v, uint64_t *lost)
{
  for (const hc_word *w = c->words; w->text; w++)
    if (w->value == v) return hc_put_text(p, w->text);
  if (c->to && v != HC_UNKNOWN && v != -1) *lost |= UINT64_C(1) << (c->to - 1);
  return p;
}

static char *put_column(char *p, hc_pen *w, uint32_t column, int64_t v, uint64_t *lost)
{
  const hc_column *c = &w->form->columns[column];
  if (c->put) return c->put(p, w, w->task, lost);
  switch (c->how) {
    case HC_IS_TEXT: return c->text ? hc_put_text(p, c->text) : p;
    case HC_IS_NUMBERED: return v < 0 ? p : hc_put_uint(hc_put_text(p, c->text), (uint64_t)v);
    case HC_IS_NAME: return v < 0 ? p : hc_put_uint(p, (uint64_t)v);
    case HC_IS_WHOLE:
      if (w->unit[column].num > 1) return put_up(p, v, w->unit[column].num, lost);
      return v == HC_UNKNOWN ? p : hc_put_int(p, v);
    case HC_IS_AMOUNT:
    case HC_IS_DECIMAL: return put_amount(p, w, column, v, lost);
    case HC_IS_SECONDS:
    case HC_IS_LENGTH: return put_time(p, c, v, lost);
    case HC_IS_MOMENT: return put_moment(p, w, v, lost);
    case HC_IS_WORD: return put_word(p, c, v, lost);
  }
  return p;
}

/* Alternatives for gpu_model, and nothing else. */
static bool is_model(const hc_lexicon *l, const hc_constraint *c, const hc_constraint *first, size_t left)
{
  const char *text = c->is_text ? hc_lexicon_text(l, (uint32_t)c->value) : NULL;
  return text && c->compare == HC_EQUAL && c->group == first->group &&
         strcmp(hc_lexicon_text(l, c->attribute), "gpu_model") == 0 && !strpbrk(text, ",|\"\n\r") &&
         strlen(text) < left;
}

char *hc_pen_models(char *p, const hc_pen *w, const hc_task_spec *t, size_t most, uint64_t *lost)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  const hc_task_extras *m = t->more != 0 ? hc_lexicon_more(l, t->more) : NULL;
  char *start = p;
  if (!m || m->constraint_count == 0 || m->constraint_count > most) return p;
  for (size_t i = 0; i < m->constraint_count; i++) {
    const hc_constraint *c = &m->constraints[i];
    if (!is_model(l, c, m->constraints, MOST_TEXT - (size_t)(p - start))) return start;
    if (i > 0) p = hc_put_char(p, '|');
    p = hc_put_text(p, hc_lexicon_text(l, (uint32_t)c->value));
  }
  *lost &= ~HC_FACT_BIT(CONSTRAINTS);
  return p;
}

/* ---- rows ---- */

static char *put_row(char *p, hc_pen *w, const int64_t *value, uint64_t *lost)
{
  const char *none = w->format->none;
  for (uint32_t i = 0; i < w->written_count; i++) {
    char *start = p;
    p = put_column(p, w, w->written[i], value[w->written[i]], lost);
    if (p == start && none) p = hc_put_text(p, none);
    *p++ = i + 1 < w->written_count ? w->form->separator : '\n';
  }
  return p;
}

/* What columns say by themselves. */
static void fill_facts(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost)
{
  static const int dimensions[] = {HC_DIM_CPU, HC_DIM_MEMORY, HC_DIM_DISK, HC_DIM_GPU};
  const bool is_batch = (w->held & HC_FACT_BIT(PROCS_ASKED)) != 0;
  const hc_batch b = is_batch ? hc_batch_of(t, lost) : (hc_batch){0};
  for (uint32_t i = 0; i < w->written_count; i++) {
    const uint32_t c = w->written[i], to = w->form->columns[c].to;
    value[c] = to ? hc_fact_of(t, to) : HC_UNKNOWN;
    if (to >= 1 + HC_FACT_CPU && to <= 1 + HC_FACT_GPU && !is_batch)
      value[c] = w->slots.need[dimensions[to - 1 - HC_FACT_CPU]];
    if (to == 1 + HC_FACT_HOSTS) value[c] = w->slots.hosts;
    if (!is_batch) continue;
    if (to == 1 + HC_FACT_PROCS_USED) value[c] = b.procs_used;
    if (to == 1 + HC_FACT_PROCS_ASKED) value[c] = b.procs_asked;
    if (to == 1 + HC_FACT_MEMORY_USED) value[c] = b.memory_used;
    if (to == 1 + HC_FACT_MEMORY_ASKED) value[c] = b.memory_asked;
  }
}

static int64_t rows_of(const hc_pen *w)
{
  int64_t n = 1;
  switch (w->format->rows) {
    case HC_ROW_A_TASK: return 1;
    case HC_ROW_OF_A_BUNDLE: return w->slots.count;
    case HC_ROW_A_HOST: break;
  }
  return __builtin_mul_overflow(w->slots.count, w->slots.hosts, &n) ? INT64_MAX : n;
}

/* What the demand of slots says of one that was given in processors. */
static uint64_t said_by_slots(const hc_pen *w, const hc_task_spec *t)
{
  const uint64_t said = hc_slots_say(t, &w->slots);
  if (!(w->held & HC_FACT_BIT(CPU)) || w->held & HC_FACT_BIT(PROCS_ASKED)) return 0;
  return w->held & HC_FACT_BIT(MEMORY) ? said : said & ~HC_FACT_BIT(MEMORY_ASKED);
}

hc_rc hc_pen_task(hc_writer *writer, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  hc_pen *w = pen_of(writer);
  const hc_task_spec *t = w->task = &task->spec;
  int64_t value[HC_TABLE_COLUMNS];
  *lost &= ~w->held;
  w->slots = hc_slots_of(t);
  w->repeat = rows_of(w);
  fill_facts(w, t, value, lost);
  if (w->format->fill) {
    const hc_rc rc = w->format->fill(w, t, value, lost, e);
    if (rc != 0) return rc;
  }
  TRY(hc_rows_allowed(t, w->repeat, w->format->name, e));
  for (int64_t i = 0; i < w->repeat; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, put_row(row, w, value, lost));
  }
  *lost &= ~said_by_slots(w, t);
  return 0;
}

/* ---- the writer ---- */

void hc_pen_close(hc_writer *writer)
{
  hc_pen *w = pen_of(writer);
  if (!w) return;
  if (w->own) hc_free(w->rows.context->allocator, w->own, w->format->pen_size);
  hc_rows_close(writer);
}

static hc_rc write_head(hc_pen *w, hc_error *e)
{
  hc_buffer b;
  hc_rc rc = 0;
  hc_buffer_init(&b, w->rows.context->allocator);
  if (w->format->begun) {
    rc = w->format->begun(w, &b, e);
  } else if (w->form->titles == HC_TITLES_ALWAYS || w->format->writes_titles) {
    hc_form_titles(w->form, &b);
    hc_buffer_text(&b, "\n");
  }
  if (rc == 0 && b.failed) rc = HC_ENOMEM;
  if (rc == 0) rc = hc_out_add(&w->rows.out, b.data, b.size);
  hc_buffer_fini(&b);
  return rc;
}

hc_rc hc_pen_open(const hc_table_format *f, const hc_writer_context *c, const void *options, hc_writer **out,
                  hc_error *e)
{
  hc_pen *w;
  hc_rc rc = 0;
  TRY(hc_rows_open(c, sizeof *w, NULL, out));
  w = pen_of(*out);
  w->format = f;
  w->form = &f->forms[f->form_of ? f->form_of(options) : 0];
  w->options = options;
  w->held = f->says;
  w->origin = c->info && c->info->unix_start != HC_UNKNOWN ? c->info->unix_start : 0;
  for (uint32_t i = 0; i < w->form->count; i++) {
    const hc_column *k = &w->form->columns[i];
    if (k->flags & HC_READ_ONLY) continue;
    if (k->to) w->held |= UINT64_C(1) << (k->to - 1);
    w->unit[i].num = (uint64_t)(k->num ? k->num : 1);
    w->unit[i].den = (uint64_t)(k->den ? k->den : 1);
    if (w->unit[i].num % w->unit[i].den == 0) {
      w->unit[i].num /= w->unit[i].den;
      w->unit[i].den = 1;
    }
    w->written[w->written_count++] = i;
  }
  if (f->pen_size > 0 && !(w->own = hc_alloc(c->allocator, f->pen_size))) rc = HC_ENOMEM;
  if (rc == 0) rc = write_head(w, e);
  if (rc < 0) hc_pen_close(*out);
  return rc;
}
