/* names.c -- what the numbers of a result are called: asked by numbers and by names.
 *
 * Each table is read when the first question comes, once. Cost: about 60 bytes a name beside
 * its text; a look-up a question, a walk over all of a kind for one that is asked by its name. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/store.h"

typedef struct named {
  int64_t number;
  const char *texts[2]; /* the name; of a task those of itself and its job, either may be NULL */
} named;

typedef struct name_list {
  named *all; /* [count] as stored */
  size_t count, cap;
  hc_map by_number; /* -> place */
} name_list;

typedef struct beside_list {
  hc_beside *all;
  size_t count, cap;
  hc_map by_serial; /* -> place */
} beside_list;

typedef struct measured_list {
  hc_measured *all;
  size_t count, cap;
  hc_map by_serial; /* -> place */
} measured_list;

struct hc_result_names {
  const hc_allocator *allocator;
  hc_arena text;
  name_list of[HC_CALLED_COUNT], tasks;
  char titles[HC_CALLED_COUNT][32];
  beside_list besides;
  measured_list measured;
  bool has_names, has_tasks, has_besides, has_measured; /* are read */
};

static hc_rc add(hc_result_names *n, name_list *l, int64_t number, const char *first, const char *second)
{
  const char *const texts[] = {first, second};
  named x = {.number = number};
  if (hc_map_get(&l->by_number, (uint64_t)number) != HC_MAP_NONE) return 0; /* the first holds */
  for (int i = 0; i < 2; i++) {
    if (!texts[i]) continue;
    x.texts[i] = hc_arena_text(&n->text, texts[i], strlen(texts[i]));
    if (!x.texts[i]) return HC_ENOMEM;
  }
  TRY(hc_reserve(n->allocator, (void **)&l->all, &l->cap, l->count + 1, sizeof *l->all));
  TRY(hc_map_set(&l->by_number, (uint64_t)number, (uint32_t)l->count));
  l->all[l->count++] = x;
  return 0;
}

static hc_rc number_of(const char *text, int64_t *out)
{
  return text ? hc_parse_int(text, strlen(text), out) : HC_EINPUT;
}

static hc_rc take_name(void *ctx, const char *const *row)
{
  hc_result_names *n = ctx;
  int64_t number;
  TRY(number_of(row[0], &number));
  for (int k = 0; row[1] && row[2] && k < HC_CALLED_COUNT; k++)
    if (strcmp(row[1], hc_called_word((hc_called)k)) == 0) return add(n, &n->of[k], number, row[2], NULL);
  return 0; /* of a kind that a later program has */
}

static hc_rc take_task(void *ctx, const char *const *row)
{
  hc_result_names *n = ctx;
  int64_t serial;
  TRY(number_of(row[0], &serial));
  return add(n, &n->tasks, serial, row[1], row[2]);
}

static hc_rc take_beside(void *ctx, const char *const *row)
{
  hc_result_names *n = ctx;
  beside_list *l = &n->besides;
  hc_beside x = {-1, -1};
  int64_t serial;
  TRY(number_of(row[0], &serial));
  if (row[1]) TRY(number_of(row[1], &x.account));
  if (row[2]) TRY(number_of(row[2], &x.qos));
  TRY(hc_reserve(n->allocator, (void **)&l->all, &l->cap, l->count + 1, sizeof *l->all));
  TRY(hc_map_set(&l->by_serial, (uint64_t)serial, (uint32_t)l->count));
  l->all[l->count++] = x;
  return 0;
}

static hc_rc take_measured(void *ctx, const char *const *row)
{
  hc_result_names *n = ctx;
  measured_list *l = &n->measured;
  int64_t of[6];
  for (size_t i = 0; i < HC_ARRAY_LEN(of); i++) {
    of[i] = HC_UNKNOWN;
    if (i == 0 || row[i]) TRY(number_of(row[i], &of[i]));
  }
  TRY(hc_reserve(n->allocator, (void **)&l->all, &l->cap, l->count + 1, sizeof *l->all));
  TRY(hc_map_set(&l->by_serial, (uint64_t)of[0], (uint32_t)l->count));
  l->all[l->count++] = (hc_measured){
      .held = of[1], .cpu_time = of[2], .memory_asked = of[3], .memory_used = of[4], .ending = of[5]};
  return 0;
}

static hc_rc take_title(void *ctx, const char *const *row)
{
  hc_result_names *n = ctx;
  char key[48];
  for (int k = 0; row[0] && row[1] && k < HC_CALLED_COUNT; k++) {
    (void)snprintf(key, sizeof key, "%s_is_called", hc_called_word((hc_called)k));
    if (strcmp(row[0], key) == 0) (void)snprintf(n->titles[k], sizeof n->titles[k], "%s", row[1]);
  }
  return 0;
}

static hc_result_names *names_of(hc_result *r)
{
  if (r->names) return r->names;
  hc_result_names *n = hc_alloc(r->allocator, sizeof *n);
  if (!n) {
    (void)hc_fail(&r->failed, HC_ENOMEM, r->path, 0, 0, "out of memory for the names of the result");
    return NULL;
  }
  n->allocator = r->allocator;
  hc_arena_init(&n->text, r->allocator);
  for (int k = 0; k < HC_CALLED_COUNT; k++) hc_map_init(&n->of[k].by_number, r->allocator);
  hc_map_init(&n->tasks.by_number, r->allocator);
  hc_map_init(&n->besides.by_serial, r->allocator);
  hc_map_init(&n->measured.by_serial, r->allocator);
  r->names = n;
  return n;
}

static void fini(const hc_allocator *a, name_list *l)
{
  hc_free(a, l->all, l->cap * sizeof *l->all);
  hc_map_fini(&l->by_number);
}

void hc_result_names_free(hc_result *r)
{
  hc_result_names *n = r->names;
  if (!n) return;
  for (int k = 0; k < HC_CALLED_COUNT; k++) fini(n->allocator, &n->of[k]);
  fini(n->allocator, &n->tasks);
  hc_free(n->allocator, n->besides.all, n->besides.cap * sizeof *n->besides.all);
  hc_map_fini(&n->besides.by_serial);
  hc_free(n->allocator, n->measured.all, n->measured.cap * sizeof *n->measured.all);
  hc_map_fini(&n->measured.by_serial);
  hc_arena_fini(&n->text);
  hc_free(n->allocator, n, sizeof *n);
  r->names = NULL;
}

/* A failure is kept for hc_result_check(), and the names are then as good as none. */
static hc_result_names *read_names(hc_result *r)
{
  hc_result_names *n = names_of(r);
  if (!n || n->has_names) return n;
  n->has_names = true;
  if (hc_result_rows(r, "hindcast", 2, take_title, n, NULL) >= 0)
    (void)hc_result_rows(r, "names", 3, take_name, n, NULL);
  return n;
}

static hc_result_names *read_tasks(hc_result *r)
{
  hc_result_names *n = names_of(r);
  if (!n || n->has_tasks) return n;
  n->has_tasks = true;
  (void)hc_result_rows(r, "task_names", 3, take_task, n, NULL);
  return n;
}

static const named *find(const name_list *l, int64_t number)
{
  const uint32_t at = hc_map_get(&l->by_number, (uint64_t)number);
  return at == HC_MAP_NONE ? NULL : &l->all[at];
}

bool hc_result_has_names(hc_result *r, hc_called kind)
{
  const hc_result_names *n = (unsigned)kind < HC_CALLED_COUNT ? read_names(r) : NULL;
  return n && n->of[kind].count > 0;
}

const char *hc_result_name(hc_result *r, hc_called kind, int64_t number)
{
  const hc_result_names *n = (unsigned)kind < HC_CALLED_COUNT ? read_names(r) : NULL;
  const named *x = n ? find(&n->of[kind], number) : NULL;
  return x ? x->texts[0] : NULL;
}

bool hc_result_number(hc_result *r, hc_called kind, const char *name, int64_t *number)
{
  const hc_result_names *n = (unsigned)kind < HC_CALLED_COUNT ? read_names(r) : NULL;
  for (size_t i = 0; n && i < n->of[kind].count; i++) {
    const named *x = &n->of[kind].all[i];
    if (strcmp(x->texts[0], name) != 0) continue;
    *number = x->number;
    return true;
  }
  return false;
}

const char *hc_result_title(hc_result *r, hc_called kind)
{
  const hc_result_names *n = (unsigned)kind < HC_CALLED_COUNT ? read_names(r) : NULL;
  return n && n->titles[kind][0] ? n->titles[kind] : hc_called_word(kind);
}

bool hc_result_beside(hc_result *r, int64_t serial, hc_beside *out)
{
  hc_result_names *n = names_of(r);
  if (n && !n->has_besides) {
    n->has_besides = true;
    (void)hc_result_rows(r, "task_accounts", 3, take_beside, n, NULL);
  }
  const uint32_t at = n ? hc_map_get(&n->besides.by_serial, (uint64_t)serial) : HC_MAP_NONE;
  if (at == HC_MAP_NONE) return false;
  *out = n->besides.all[at];
  return true;
}

static hc_result_names *read_measured(hc_result *r)
{
  hc_result_names *n = names_of(r);
  if (!n || n->has_measured) return n;
  n->has_measured = true;
  (void)hc_result_rows(r, "measured", 6, take_measured, n, NULL);
  return n;
}

bool hc_result_measured(hc_result *r, int64_t serial, hc_measured *out)
{
  const hc_result_names *n = read_measured(r);
  const uint32_t at = n ? hc_map_get(&n->measured.by_serial, (uint64_t)serial) : HC_MAP_NONE;
  if (at == HC_MAP_NONE) return false;
  *out = n->measured.all[at];
  return true;
}

bool hc_result_has_measured(hc_result *r)
{
  const hc_result_names *n = read_measured(r);
  return n && n->measured.count > 0;
}

const char *hc_result_task_name(hc_result *r, int64_t serial)
{
  const hc_result_names *n = read_tasks(r);
  const named *x = n ? find(&n->tasks, serial) : NULL;
  return x ? x->texts[0] : NULL;
}

const char *hc_result_job_name(hc_result *r, int64_t serial)
{
  const hc_result_names *n = read_tasks(r);
  const named *x = n ? find(&n->tasks, serial) : NULL;
  return x ? x->texts[1] : NULL;
}

uint64_t hc_result_find_tasks(hc_result *r, const char *name, bool of_job, int64_t *serials, size_t cap)
{
  const hc_result_names *n = read_tasks(r);
  uint64_t found = 0;
  for (size_t i = 0; n && i < n->tasks.count; i++) {
    const named *x = &n->tasks.all[i];
    if (!x->texts[of_job] || strcmp(x->texts[of_job], name) != 0) continue;
    if (found < cap) serials[found] = x->number;
    found++;
  }
  return found;
}

uint64_t hc_result_find_task(hc_result *r, const char *name, int64_t *serial)
{
  return hc_result_find_tasks(r, name, false, serial, 1);
}
