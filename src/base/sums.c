/* sums.c -- see sums.h. A short list: a run names a handful of files. */
#include "base/sums.h"

#include <string.h>

#include "base/threads.h"
#include "base/util.h"

typedef struct noted {
  char *path; /* owned */
  uint64_t bytes;
  hc_hash hash;
} noted;

struct hc_sums {
  const hc_allocator *allocator;
  hc_monitor *monitor;
  noted *items;
  size_t count, cap;
};

hc_rc hc_sums_new(const hc_allocator *a, hc_sums **out)
{
  hc_sums *s = hc_alloc(a, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->allocator = a;
  if (hc_monitor_new(a, &s->monitor) < 0) {
    hc_free(a, s, sizeof *s);
    return HC_ENOMEM;
  }
  *out = s;
  return 0;
}

void hc_sums_free(hc_sums *s)
{
  if (!s) return;
  const hc_allocator *a = s->allocator;
  for (size_t i = 0; i < s->count; i++) hc_free(a, s->items[i].path, strlen(s->items[i].path) + 1);
  hc_free(a, s->items, s->cap * sizeof *s->items);
  hc_monitor_free(s->monitor);
  hc_free(a, s, sizeof *s);
}

static noted *find(const hc_sums *s, const char *path)
{
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->items[i].path, path) == 0) return &s->items[i];
  return NULL;
}

/* A new one; NULL if there is no room. */
static noted *add(hc_sums *s, const char *path)
{
  const size_t size = strlen(path) + 1;
  if (hc_reserve(s->allocator, (void **)&s->items, &s->cap, s->count + 1, sizeof *s->items) < 0) return NULL;
  char *copy = hc_alloc(s->allocator, size);
  if (!copy) return NULL;
  memcpy(copy, path, size);
  s->items[s->count] = (noted){.path = copy};
  return &s->items[s->count++];
}

void hc_sums_note(hc_sums *s, const char *path, uint64_t bytes, const hc_hash *hash)
{
  hc_monitor_enter(s->monitor);
  noted *n = find(s, path);
  if (!n) n = add(s, path);
  if (n) {
    n->bytes = bytes;
    n->hash = *hash;
  }
  hc_monitor_leave(s->monitor);
}

bool hc_sums_find(hc_sums *s, const char *path, uint64_t *bytes, hc_hash *hash)
{
  hc_monitor_enter(s->monitor);
  const noted *n = find(s, path);
  if (n) {
    *bytes = n->bytes;
    *hash = n->hash;
  }
  hc_monitor_leave(s->monitor);
  return n != NULL;
}
