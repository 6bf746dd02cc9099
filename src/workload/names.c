/* names.c -- names of a column as numbers, in order of first sight. See names.h. */
#include "workload/names.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

void hc_interned_init(hc_interned *i, const hc_allocator *a, bool names)
{
  hc_names_init(&i->names, a, HC_NAME_LIMIT);
  i->kind = names ? HC_COLUMN_NAMES : HC_COLUMN_UNDECIDED;
  i->lexicon = NULL;
  i->ledger = NULL;
  i->bytes = 0;
  i->what = HC_CALLED_USER;
}

void hc_interned_fini(hc_interned *i)
{
  hc_names_fini(&i->names);
}

int64_t hc_name_hashed(const char *text, size_t n)
{
  hc_hash h;
  uint64_t out[2];
  hc_hash_init(&h);
  hc_hash_add(&h, text, n);
  hc_hash_end(&h, out);
  return (int64_t)(out[0] & ((UINT64_C(1) << 59) - 1)) | HC_NAME_HASHED;
}

/* @param number  what it has if it is new; 0: the next one */
static hc_rc add_name(hc_interned *i, const char *text, size_t n, int64_t number, int64_t *out)
{
  const size_t known = i->names.count;
  const bool is_full = known >= i->names.limit || i->bytes + n > HC_NAME_BYTES;
  uint32_t id = is_full ? hc_names_find(&i->names, text, n) : 0;
  if (is_full && id == HC_MAP_NONE) {
    *out = hc_name_hashed(text, n);
    hc_name_unkept(i->ledger);
    return 1;
  }
  if (!is_full) TRY(hc_names_add(&i->names, text, n, &id));
  *out = number != 0 ? number : (int64_t)id + 1;
  if (id < known) return 1;
  i->bytes += n;
  if (i->lexicon) TRY(hc_lexicon_call(i->lexicon, i->what, *out, text, n));
  return 1;
}

hc_rc hc_interned_number(hc_interned *i, const hc_field *f, hc_buffer *scratch, int64_t *out)
{
  const char *text;
  size_t length;
  if (i->kind != HC_COLUMN_NAMES && hc_field_whole(f, out)) {
    i->kind = HC_COLUMN_NUMBERS;
    return 1;
  }
  if (i->kind == HC_COLUMN_UNDECIDED) i->kind = HC_COLUMN_NAMES;
  TRY(hc_field_text(f, scratch, &text, &length));
  return add_name(i, text, length, i->kind == HC_COLUMN_NUMBERS ? hc_name_hashed(text, length) : 0, out);
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
  HC_VISIT(v, i->bytes);
  return hc_names_visit(&i->names, v);
}
