/* expected.c -- see expected.h. */
#include "cluster/expected.h"

#include <string.h>

#include "base/util.h"

#define SHOWN 5 /* names in the sentence */

void hc_expected_fini(hc_expected *x)
{
  for (size_t i = 0; i < x->count; i++) {
    hc_free(x->allocator, x->all[i].text, x->all[i].size);
    hc_free(x->allocator, x->all[i].near, x->all[i].near_size);
  }
  hc_free(x->allocator, x->all, x->cap * sizeof *x->all);
}

static char *copy_of(const hc_allocator *a, const char *text, size_t n)
{
  char *copy = hc_alloc(a, n + 1);
  if (copy) memcpy(copy, text, n); /* hc_alloc gives zeros */
  return copy;
}

/* At how many edits a name is no longer like it: as hc_lexicon_knows has it. */
static size_t too_far(const char *text)
{
  return HC_MIN((strlen(text) + 2) / 3, 3) + 1;
}

hc_rc hc_expected_add(hc_expected *x, hc_called kind, const char *text, bool of_source)
{
  const size_t n = strlen(text);
  for (size_t i = 0; i < x->count; i++)
    if (x->all[i].kind == kind && x->all[i].of_source == of_source && strcmp(x->all[i].text, text) == 0)
      return 0;
  TRY(hc_reserve(x->allocator, (void **)&x->all, &x->cap, x->count + 1, sizeof *x->all));
  hc_expected_name *e = &x->all[x->count];
  *e = (hc_expected_name){.size = n + 1, .distance = too_far(text), .kind = kind, .of_source = of_source};
  e->text = copy_of(x->allocator, text, n);
  if (!e->text) return HC_ENOMEM;
  x->count++;
  return 0;
}

static bool is_of(const hc_expected_name *e, hc_called kind)
{
  return e->kind == kind || (e->kind == HC_CALLED_ACCOUNT && kind == HC_CALLED_GROUP) ||
         (e->kind == HC_CALLED_QOS && kind == HC_CALLED_QUEUE);
}

static hc_rc note_near(hc_expected *x, hc_expected_name *e, const char *name, size_t n)
{
  const size_t own = e->size - 1, apart = n > own ? n - own : own - n;
  if (apart >= e->distance) return 0; /* so many edits at least */
  char *copy = copy_of(x->allocator, name, n);
  if (!copy) return HC_ENOMEM;
  const size_t distance = hc_edit_distance(e->text, copy, e->distance);
  if (distance >= e->distance) {
    hc_free(x->allocator, copy, n + 1);
    return 0;
  }
  hc_free(x->allocator, e->near, e->near_size);
  e->near = copy;
  e->near_size = n + 1;
  e->distance = distance;
  return 0;
}

hc_rc hc_expected_met(hc_expected *x, hc_called kind, bool of_source, const char *name, size_t n)
{
  for (size_t i = 0; i < x->count; i++) {
    hc_expected_name *e = &x->all[i];
    if (e->is_met || e->of_source != of_source || !is_of(e, kind)) continue;
    e->is_met = strlen(e->text) == n && memcmp(e->text, name, n) == 0;
    if (!e->is_met) TRY(note_near(x, e, name, n));
  }
  return 0;
}

/* A name is text from outside: what would move a cursor is shown as a question mark, and little of a long one. */
static void quote(hc_buffer *out, const char *text)
{
  enum { MOST = 80 };
  size_t n = strlen(text);
  const bool is_cut = n > MOST;
  if (is_cut)
    for (n = MOST; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
  hc_buffer_text(out, "\"");
  for (size_t i = 0; i < n; i++) {
    const unsigned char c = (unsigned char)text[i];
    hc_buffer_add(out, c < 0x20 || c == 0x7f ? "?" : &text[i], 1);
  }
  hc_buffer_text(out, is_cut ? "...\"" : "\"");
}

void hc_expected_note(const hc_expected *x, const hc_lexicon *titles, hc_buffer *out)
{
  size_t count = 0;
  for (size_t i = 0; i < x->count; i++) {
    const hc_expected_name *e = &x->all[i];
    if (e->is_met || ++count > SHOWN) continue;
    if (count == 1) hc_buffer_printf(out, "%sno task that was read has", out->size > 0 ? "; " : "");
    hc_buffer_printf(out, "%s the %s ", count == 1 ? "" : ", or", hc_lexicon_title_of(titles, e->kind));
    quote(out, e->text);
    if (!e->near) continue;
    hc_buffer_text(out, " (did you mean ");
    quote(out, e->near);
    hc_buffer_text(out, "?)");
  }
  if (count > SHOWN) hc_buffer_printf(out, ", or %zu more names", count - SHOWN);
  if (count > 0) hc_buffer_text(out, ", which is asked for by name");
}

hc_rc hc_expected_refuse(const hc_expected *x, const hc_lexicon *titles, const hc_allocator *a, hc_error *e)
{
  hc_buffer text;
  hc_rc rc = 0;
  hc_buffer_init(&text, a);
  hc_expected_note(x, titles, &text);
  if (text.failed) rc = hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for names");
  else if (text.size > 0)
    rc = hc_fail(e, HC_EUSAGE, "filter", 0, 0, "%.400s; correct it, or leave out `strict`", text.data);
  hc_buffer_fini(&text);
  return rc;
}
