/* names.c -- names of a column as numbers, in order of first sight. */
#include "workload/names.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

void hc_interned_init(hc_interned *i, const hc_allocator *a, bool names)
{
  hc_names_init(&i->names, a, HC_NAME_LIMIT);
  i->kind = names ? HC_COLUMN_NAMES : HC_COLUMN_UNDECIDED;
  i->lexicon = NULL;
  i->what = HC_CALLED_USER;
}

void hc_interned_fini(hc_interned *i)
{
  hc_names_fini(&i->names);
}

hc_rc hc_interned_number(hc_interned *i, const hc_field *f, hc_buffer *scratch, int64_t *out)
{
  const size_t known = i->names.count;
  const char *text;
  size_t length;
  uint32_t id;
  if (i->kind != HC_COLUMN_NAMES && hc_field_whole(f, out)) {
    i->kind = HC_COLUMN_NUMBERS;
    return 1;
  }
  if (i->kind == HC_COLUMN_NUMBERS) return 0;
  i->kind = HC_COLUMN_NAMES;
  TRY(hc_field_text(f, scratch, &text, &length));
  TRY(hc_names_add(&i->names, text, length, &id));
  *out = (int64_t)id + 1;
  if (i->lexicon && id == known) TRY(hc_lexicon_call(i->lexicon, i->what, *out, text, length));
  return 1;
}

/* Made anew from the names, which are written one after the other, each with its NUL. */
static hc_rc read_names(hc_names *names, const hc_buffer *b)
{
  const hc_allocator *a = names->arena.allocator;
  const size_t limit = names->limit;
  hc_names_fini(names);
  hc_names_init(names, a, limit);
  for (size_t at = 0; at < b->size;) {
    const char *end = memchr(b->data + at, '\0', b->size - at);
    uint32_t id;
    if (!end) return HC_EINPUT;
    TRY(hc_names_add(names, b->data + at, (size_t)(end - (b->data + at)), &id));
    at = (size_t)(end - b->data) + 1;
  }
  return 0;
}

hc_rc hc_names_visit(hc_names *names, hc_visitor *v)
{
  hc_buffer b;
  hc_rc rc = 0;
  hc_buffer_init(&b, names->arena.allocator);
  if (!hc_visit_loading(v))
    for (size_t n = 0; n < names->count; n++) hc_buffer_add(&b, names->names[n], strlen(names->names[n]) + 1);
  if (b.failed) rc = HC_ENOMEM;
  if (rc == 0) rc = hc_visit_array(v, (void **)&b.data, &b.size, &b.cap, 1);
  if (rc == 0 && hc_visit_loading(v)) rc = read_names(names, &b);
  hc_buffer_fini(&b);
  return rc;
}

hc_rc hc_interned_visit(hc_interned *i, hc_visitor *v)
{
  HC_VISIT(v, i->kind);
  return hc_names_visit(&i->names, v);
}
