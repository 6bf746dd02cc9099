/* write.c -- tables being written: opening, titles, and fields that are seldom or long. Rows are in pen.h. */
#include <string.h>

#include "base/wide.h"
#include "table/pen.h"
#include "table/sheet.h"

#define MOST_AMOUNT ((int64_t)1 << 52)           /* that readers take */
#define MOST_DIGITS INT64_C(1000000000000000000) /* 18 digits */
#define MOST_TEXT ((size_t)4096)                 /* bytes of a list of models */

/* ---- fields ---- */

/* A reader takes the decimal d for the amount if d x num / den, rounded up, is the amount: of those with so
 * many places the largest that is not more. */
char *hc_put_decimal(char *p, int64_t amount, uint64_t num, uint64_t den, uint64_t *lost)
{
  const int64_t held = HC_MIN(amount, MOST_AMOUNT);
  hc_uint128 wanted = (hc_uint128)(uint64_t)held * den, one = den, digits = 0;
  int64_t unit = 1;
  const bool is_power = (num & (num - 1)) == 0;
  const int bits = __builtin_ctzll(num);
  if (amount < 0) return p;
  if (den == 1 && amount <= MOST_AMOUNT &&
      (num == 1000 || num == 100 || num == 10 || (num <= 1024 && (num & (num - 1)) == 0)))
    return hc_put_parts(p, amount, (int64_t)num);
  if (amount > MOST_AMOUNT) *lost |= HC_FACT_BIT(PRECISION);
  for (; held > 0; wanted *= 10, one *= 10, unit *= 10) {
    digits = is_power ? wanted >> bits : wanted >> 64 ? wanted / num : (uint64_t)wanted / num;
    if (digits * num > wanted - one) break;
    if (digits < MOST_DIGITS / 10 && unit < MOST_DIGITS) continue;
    digits += digits * num < wanted; /* rounded up, as nothing else holds what is held in part */
    *lost |= HC_FACT_BIT(PRECISION);
    break;
  }
  return hc_put_parts(p, (int64_t)digits, unit);
}

char *hc_put_moment(char *p, const hc_pen *w, hc_time t, uint64_t *lost)
{
  int64_t seconds;
  if (t == HC_UNKNOWN || t == HC_NEVER) return p;
  seconds = hc_whole(t, HC_SECOND, lost);
  return __builtin_add_overflow(seconds, w->origin, &seconds) ? p : hc_put_date(p, seconds, ' ');
}

hc_text_rules hc_pen_rules(const hc_pen *w, uint32_t flags)
{
  const hc_table_form *f = w->form;
  return (hc_text_rules){.separator = f->separator,
                         .quotes = f->quotes || f->joined,
                         .joined = f->joined,
                         .or_numbers = (flags & HC_OR_NUMBERS) != 0,
                         .any_case = w->format->missing_any_case,
                         .missing = w->format->missing};
}

static char *put_called(char *p, const hc_pen *w, hc_called kind, uint32_t flags, int64_t number,
                        uint64_t *lost)
{
  const hc_text_rules rules = hc_pen_rules(w, flags);
  return hc_put_called(p, &rules, w->rows.context, kind, number, lost);
}

char *hc_pen_name(char *p, const hc_pen *w, const hc_column *c, int64_t number, uint64_t *lost)
{
  const hc_called kind = hc_column_called(c);
  if (kind < HC_CALLED_COUNT) return put_called(p, w, kind, c->flags, number, lost);
  return number < 0 ? p : hc_put_int(p, number);
}

char *hc_pen_called(char *p, const hc_pen *w, hc_called kind, int64_t number, uint64_t *lost)
{
  return put_called(p, w, kind, 0, number, lost);
}

bool hc_pen_label(char **p, const hc_pen *w, const hc_column *c, uint64_t *lost)
{
  const bool is_job = c->to == 1 + HC_FACT_JOB, is_whole = c->how == HC_IS_WHOLE;
  const uint32_t handle = is_job ? w->task->job_label : c->to == 1 + HC_FACT_ID ? w->task->label : 0;
  const hc_lexicon *l = w->rows.context->lexicon;
  const char *text = handle != 0 && l ? hc_lexicon_label_text(l, handle, NULL) : NULL;
  const hc_text_rules rules = hc_pen_rules(w, is_whole ? HC_OR_NUMBERS : 0);
  const bool begins_else = text && (text[0] == '#' || (unsigned char)text[0] == 0xef); /* comments, files */
  char *end = text && !begins_else ? hc_put_field(*p, &rules, text) : NULL;
  if (!end) return false;
  *lost &= ~(is_job ? HC_FACT_BIT(JOB_LABEL) : HC_FACT_BIT(LABEL));
  *p = end;
  return true;
}

void hc_pen_tell(const hc_pen *w, hc_called kind, int64_t number, uint64_t *lost)
{
  const hc_text_rules rules = hc_pen_rules(w, 0);
  const char *name = hc_called_of(w->rows.context, kind, number);
  if (name && hc_field_says(&rules, name)) *lost &= ~hc_name_fact(kind);
}

/* Alternatives for gpu_model, and nothing else. */
static bool is_model(const hc_lexicon *l, const hc_constraint *c, const hc_constraint *first, size_t left)
{
  const char *text = c->is_text ? hc_lexicon_text(l, (uint32_t)c->value) : NULL;
  return text && c->compare == HC_EQUAL && c->group == first->group &&
         strcmp(hc_lexicon_text(l, c->attribute), "gpu_model") == 0 && !strpbrk(text, ",|\"\n\r") &&
         strlen(text) < left;
}

char *hc_pen_models(char *p, const hc_lexicon *l, const hc_task_spec *t, size_t most, uint64_t *lost)
{
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

/* ---- the writer ---- */

void hc_pen_close(hc_writer *writer)
{
  hc_pen *w = hc_pen_of(writer);
  if (!w) return;
  if (w->own && w->format->dropped) w->format->dropped(w);
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

uint64_t hc_format_holds(const hc_table_format *f, const hc_table_form *form)
{
  uint64_t held = f->says;
  for (uint32_t i = 0; i < form->count; i++)
    if (form->columns[i].to && !(form->columns[i].flags & HC_READ_ONLY))
      held |= UINT64_C(1) << (form->columns[i].to - 1);
  return held;
}

hc_rc hc_pen_open(const hc_table_format *f, const hc_writer_context *c, const void *options, hc_writer **out,
                  hc_error *e)
{
  hc_pen *w;
  hc_rc rc = 0;
  TRY(hc_rows_open(c, sizeof *w, NULL, out));
  w = hc_pen_of(*out);
  w->format = f;
  w->form = &f->forms[f->form_of ? f->form_of(options) : 0];
  w->options = options;
  w->held = hc_format_holds(f, w->form);
  w->origin = c->info && c->info->unix_start != HC_UNKNOWN ? c->info->unix_start : 0;
  if (f->pen_size > 0 && !(w->own = hc_alloc(c->allocator, f->pen_size))) rc = HC_ENOMEM;
  if (rc == 0) rc = write_head(w, e);
  if (rc < 0) hc_pen_close(*out);
  return rc;
}

hc_rc hc_pen_finish(hc_writer *writer, hc_error *e)
{
  hc_pen *w = hc_pen_of(writer);
  if (w->format->ended) TRY(w->format->ended(w, e));
  return hc_rows_finish(writer, e);
}
