/* doc.c -- the columns of a format in words: what the reference page of a format says of them is what is read
 * and written. What no table says, a column's note does. */
#include "table/doc.h"

#include <string.h>

#include "base/util.h"
#include "hindcast/task.h"

#define MOST_SAID (1 << 14) /* a larger bound says nothing */

void hc_form_say(const hc_table_form *form, hc_buffer *b)
{
  hc_buffer_printf(b, "%s: %u columns ", form->kind, form->count);
  if (form->titles == HC_TITLES_ALWAYS) hc_buffer_text(b, "found by their titles");
  else if (form->fixed) hc_buffer_text(b, "in this order");
  else hc_buffer_text(b, "in this order, or found by their titles");
}

bool hc_form_is_again(const hc_table_format *f, size_t form)
{
  for (size_t i = 0; i < form; i++) {
    bool same = f->forms[i].count == f->forms[form].count;
    for (uint32_t c = 0; same && c < f->forms[form].count; c++)
      same = strcmp(f->forms[i].columns[c].titles, f->forms[form].columns[c].titles) == 0;
    if (same) return true;
  }
  return false;
}

void hc_column_say(const hc_column *c, hc_buffer *b)
{
  if (c->note) hc_buffer_text(b, c->note);
  else if (c->to) hc_buffer_text(b, hc_fact_name((hc_fact)(c->to - 1)));
  else hc_buffer_text(b, "not used");
  if (c->flags & HC_READ_ONLY) hc_buffer_text(b, "; not written");
  if (c->flags & HC_WRITE_ONLY) hc_buffer_text(b, "; not read");
}

/* 1 of it: "thousandths of a core", "GiB". */
static void say_unit(const hc_column *c, hc_buffer *b)
{
  static const struct {
    int64_t num;
    const char *text;
  } sizes[] = {{(int64_t)1 << 30, "GiB"}, {1 << 20, "MiB"}, {1024, "KiB"}, {1, "bytes"}};
  const int64_t num = c->num ? c->num : 1, den = c->den ? c->den : 1;
  const int fact = (int)c->to - 1;
  const char *part = den == 1000 ? "thousandths of " : den == 100 ? "hundredths of " : "";
  if (fact == HC_FACT_CPU) hc_buffer_printf(b, "%s%s", part, *part ? "a core" : "cores");
  else if (fact == HC_FACT_GPU) hc_buffer_printf(b, "%s%s", part, *part ? "a GPU" : "GPUs");
  else if (fact == HC_FACT_PROCS_USED || fact == HC_FACT_PROCS_ASKED) hc_buffer_text(b, "processors");
  else if (c->flags & HC_MEMORY_SCALE && num == 1)
    hc_buffer_printf(b, "%smemory_scale", *part ? part : "times ");
  else if (fact == HC_FACT_MEMORY || fact == HC_FACT_DISK || fact == HC_FACT_MEMORY_USED ||
           fact == HC_FACT_MEMORY_ASKED) {
    for (size_t i = 0; i < HC_ARRAY_LEN(sizes); i++)
      if (sizes[i].num == num) hc_buffer_text(b, sizes[i].text);
  } else hc_buffer_text(b, "a number");
  if (c->flags & HC_CPU_SCALE) hc_buffer_text(b, ", or as cpu_scale says");
  if (c->flags & HC_MEMORY_SCALE && num > 1) hc_buffer_text(b, ", or as memory_scale says");
}

static void say_words(const hc_column *c, hc_buffer *b)
{
  for (const hc_word *w = c->words; w->text; w++) {
    hc_buffer_printf(b, "%s%s", w == c->words ? "" : ", ", w->text);
    if (c->to != 1 + HC_FACT_STATUS) hc_buffer_printf(b, " %lld", (long long)w->value);
  }
}

void hc_column_say_how(const hc_column *c, hc_buffer *b)
{
  switch (c->how) {
    case HC_IS_TEXT:
      if (c->text) hc_buffer_printf(b, "written as %s", c->text);
      break;
    case HC_IS_WHOLE:
      hc_buffer_text(b, "a whole number");
      if (c->least != 0 && c->least > -MOST_SAID) hc_buffer_printf(b, " from %lld", (long long)c->least);
      if (c->most > 0 && c->most < MOST_SAID) hc_buffer_printf(b, " to %lld", (long long)c->most);
      break;
    case HC_IS_AMOUNT:
    case HC_IS_DECIMAL: say_unit(c, b); break;
    case HC_IS_SECONDS: hc_buffer_text(b, c->num == HC_US ? "microseconds" : "seconds"); break;
    case HC_IS_LENGTH: hc_buffer_text(b, "seconds, 1h30m or 1-02:00:00"); break;
    case HC_IS_MOMENT: hc_buffer_text(b, "a date, or seconds since 1970"); break;
    case HC_IS_WORD: say_words(c, b); break;
    case HC_IS_NAME:
      hc_buffer_printf(b, "names%s, numbered from 1", c->flags & HC_OR_NUMBERS ? " or numbers" : "");
      break;
    case HC_IS_NUMBERED:
      if (c->text && c->text[0]) hc_buffer_printf(b, "%s17 is 17, another name its hash", c->text);
      else hc_buffer_text(b, "a number, or the hash of a name");
      break;
  }
}
