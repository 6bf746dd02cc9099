/* labels.c -- texts by handle, held by those that have them.
 *
 * Not looked for among others, since each is the name of one task: a copy, without a hash. Tasks come in a
 * stream and their names go in about the same order, so texts lie one behind the other in pages, and a page
 * goes with the last of its texts. That of a row which a filter drops is the last on its page, whose room is
 * used again: a name that stays keeps a page for those that came with it, not for those that were never
 * tasks. */
#include "cluster/labels.h"

#include <string.h>

#include "base/util.h"

#define PAGE ((size_t)16 << 10) /* bytes; a longer text has a page of its own */

struct hc_label_page {
  size_t size, used, held; /* of its bytes; texts that are held */
  char bytes[];
};

/* The next free handle; it is not taken yet. */
static hc_rc find_free(hc_labels *l, uint32_t *out)
{
  if (l->vacant == 0) {
    if (l->count >= HC_LABELS_MOST - 2) return HC_ENOMEM;
    if (l->count == l->cap)
      TRY(hc_reserve(l->allocator, (void **)&l->all, &l->cap, l->count + 1, sizeof *l->all));
    l->all[l->count] = (hc_label){.next = 0};
    l->vacant = (uint32_t)++l->count;
  }
  *out = l->vacant;
  return 0;
}

static void free_page(const hc_allocator *a, hc_label_page *p)
{
  if (p) hc_free(a, p, sizeof *p + p->size);
}

/* Room for so many bytes, in `x`. */
static hc_rc make_room(hc_labels *l, hc_label *x, size_t size)
{
  hc_label_page *p = l->page;
  if (!p || p->size - p->used < size) {
    const size_t room = HC_MAX(size, PAGE);
    p = hc_alloc(l->allocator, sizeof *p + room);
    if (!p) return HC_ENOMEM;
    p->size = room;
    if (l->page && l->page->held == 0) free_page(l->allocator, l->page);
    l->page = p;
  }
  x->page = p;
  x->text = p->bytes + p->used;
  x->size = size - 1;
  p->used += size;
  p->held++;
  return 0;
}

static void give_room_back(hc_labels *l, hc_label *x)
{
  hc_label_page *p = x->page;
  if (x->text + x->size + 1 == p->bytes + p->used) p->used -= x->size + 1;
  if (--p->held > 0) return;
  p->used = 0;
  if (p != l->page) free_page(l->allocator, p);
}

hc_rc hc_labels_hold(hc_labels *l, const char *text, size_t n, uint32_t *handle)
{
  uint32_t h;
  TRY(find_free(l, &h));
  hc_label *x = &l->all[h - 1];
  TRY(make_room(l, x, n + 1));
  memcpy(x->text, text, n);
  x->text[n] = '\0';
  x->held = 1;
  l->vacant = x->next;
  x->next = 0;
  l->held++;
  *handle = h;
  return 0;
}

void hc_labels_drop(hc_labels *l, uint32_t handle)
{
  hc_label *x = hc_labels_at(l, handle);
  HC_ASSERT(x);
  if (--x->held > 0) return;
  give_room_back(l, x);
  x->next = l->vacant;
  l->vacant = handle;
  l->held--;
}

void hc_labels_fini(hc_labels *l)
{
  for (size_t i = 0; i < l->count; i++)
    if (l->all[i].held > 0) give_room_back(l, &l->all[i]);
  free_page(l->allocator, l->page);
  hc_free(l->allocator, l->all, l->cap * sizeof *l->all);
  *l = (hc_labels){.allocator = l->allocator};
}

static hc_rc visit_label(hc_labels *l, hc_visitor *v, hc_label *x)
{
  uint64_t size = x->held > 0 ? x->size + 1 : 0; /* with its NUL */
  uint32_t held = x->held;
  HC_VISIT(v, size);
  HC_VISIT(v, held);
  HC_VISIT(v, x->next);
  if ((size == 0) != (held == 0)) return HC_EINPUT;
  if (size == 0) return 0;
  if (hc_visit_loading(v)) {
    if (size > v->left) return HC_EINPUT;
    TRY(make_room(l, x, (size_t)size));
    x->held = held;
    l->held++;
  }
  TRY(hc_visit_bytes(v, x->text, (size_t)size));
  return x->text[x->size] == '\0' ? 0 : HC_EINPUT;
}

hc_rc hc_labels_visit(hc_labels *l, hc_visitor *v)
{
  uint64_t count = l->count;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > v->left) return HC_EINPUT;
    hc_labels_fini(l);
    TRY(hc_reserve(l->allocator, (void **)&l->all, &l->cap, (size_t)count, sizeof *l->all));
    for (; l->count < count; l->count++) l->all[l->count] = (hc_label){.next = 0};
  }
  HC_VISIT(v, l->vacant);
  for (uint64_t i = 0; i < count; i++) TRY(visit_label(l, v, &l->all[i]));
  return l->vacant <= l->count ? 0 : HC_EINPUT;
}
