/* placing_test.h -- what tests of placements on hosts share: options from text, a few hosts, and the
 * choice among them by looking at every one. */
#ifndef HC_PLACING_TEST_H
#define HC_PLACING_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

#define HC_PLACE(name) extern const hc_place_type hc_place_##name;
#include "hindcast/placement.h"
#include "policy/places.def"
#undef HC_PLACE

static const hc_place_type *const all_places[] __attribute__((unused)) = {
#define HC_PLACE(name) &hc_place_##name,
#include "policy/places.def"
#undef HC_PLACE
};

/* ---- options ---- */

static inline int index_of_choice(const char *choices, const char *text, size_t n)
{
  int index = 0;
  for (const char *c = choices;; index++) {
    size_t word = strcspn(c, "|");
    if (word == n && strncmp(c, text, n) == 0) return index;
    if (c[word] == '\0') break;
    c += word + 1;
  }
  fail_msg("%.*s is none of %s", (int)n, text, choices);
  return -1;
}

static inline void *default_place_options(const hc_place_type *t);

static inline void set_one(const hc_param *p, void *at, const char *text, size_t n)
{
  char copy[64];
  assert_true(n < sizeof copy);
  memcpy(copy, text, n);
  copy[n] = '\0';
  switch (p->type) {
    case HC_INT:
    case HC_SIZE: *(int64_t *)at = strtoll(copy, NULL, 10); break;
    case HC_REAL: *(double *)at = strtod(copy, NULL); break;
    case HC_BOOL: *(bool *)at = strcmp(copy, "true") == 0; break;
    case HC_CHOICE: *(int *)at = index_of_choice(p->choices, text, n); break;
    case HC_TEXT: *(char **)at = strcpy(calloc(1, n + 1), copy); break;
    case HC_COMPONENT:
      for (size_t i = 0; i < HC_ARRAY_LEN(all_places); i++)
        if (strcmp(all_places[i]->component.name, copy) == 0)
          *(hc_chosen *)at = (hc_chosen){&all_places[i]->component, default_place_options(all_places[i])};
      break;
    case HC_TIME: fail_msg("no placement has a time");
  }
}

/* A value, or a list of values with commas between. */
static inline void set_param(const hc_param *p, void *options, const char *text, size_t n)
{
  hc_list *list = (hc_list *)((char *)options + p->offset);
  size_t item = p->type == HC_TEXT        ? sizeof(char *)
                : p->type == HC_COMPONENT ? sizeof(hc_chosen)
                : p->type == HC_CHOICE    ? sizeof(int)
                                          : 8;
  if (!p->list) {
    set_one(p, list, text, n);
    return;
  }
  list->items = calloc(16, item);
  list->count = 0;
  for (const char *end = text + n; text < end;) {
    text += strspn(text, "[ ");
    size_t word = strcspn(text, ",;]");
    if (word == 0) break;
    set_one(p, (char *)list->items + item * list->count++, text, word);
    text += word + (text[word] == ',');
    if (*text == ';') break;
  }
}

static inline void *default_place_options(const hc_place_type *t)
{
  void *options = calloc(1, t->component.options_size + 1);
  for (const hc_param *p = t->component.params; p && p->name; p++)
    if (p->fallback) set_param(p, options, p->fallback, strlen(p->fallback));
  return options;
}

static inline void free_options(const hc_component *c, void *options)
{
  for (const hc_param *p = c->params; p && p->name; p++) {
    void *at = (char *)options + p->offset;
    if (p->list) {
      hc_list *l = at;
      for (size_t i = 0; p->type == HC_TEXT && i < l->count; i++) free(((char **)l->items)[i]);
      for (size_t i = 0; p->type == HC_COMPONENT && i < l->count; i++)
        free_options(((hc_chosen *)l->items)[i].type, ((hc_chosen *)l->items)[i].options);
      free(l->items);
    } else if (p->type == HC_COMPONENT) {
      const hc_chosen *chosen = at;
      if (chosen->type) free_options(chosen->type, chosen->options);
    }
  }
  free(options);
}

/* ---- a placement ---- */

typedef struct placement {
  const hc_place_type *type;
  void *options;
  hc_policy *self;
  hc_chooser chooser;
} placement;

/* @param settings "weights=1,0;normalise=nothing", "" for the defaults. */
static inline hc_rc try_placement(placement *p, const hc_place_type *type, const char *settings, hc_error *e)
{
  static const hc_policy_context c = {.seed = 1};
  hc_policy_context context = c;
  hc_rc rc = 0;
  context.allocator = hc_default_allocator();
  *p = (placement){.type = type, .options = default_place_options(type)};
  while (*settings) {
    size_t key = strcspn(settings, "="), value = strcspn(settings + key + 1, ";");
    const hc_param *q = type->component.params;
    while (q && q->name && (strlen(q->name) != key || strncmp(q->name, settings, key) != 0)) q++;
    if (!q || !q->name) fail_msg("%s has no %.*s", type->component.name, (int)key, settings);
    if (q->type == HC_COMPONENT && q->list) {
      hc_list *old = (hc_list *)((char *)p->options + q->offset);
      for (size_t i = 0; i < old->count; i++)
        free_options(((hc_chosen *)old->items)[i].type, ((hc_chosen *)old->items)[i].options);
      free(old->items);
    } else if (q->type == HC_COMPONENT) {
      hc_chosen *old = (hc_chosen *)((char *)p->options + q->offset);
      free_options(old->type, old->options);
    }
    set_param(q, p->options, settings + key + 1, value);
    settings += key + 1 + value;
    settings += *settings == ';';
  }
  if (type->init) rc = type->init(&context, p->options, &p->self, e);
  if (rc >= 0 && type->chooser) type->chooser(p->options, p->self, &p->chooser);
  return rc;
}

static inline placement open_placement(const hc_place_type *type, const char *settings)
{
  placement p;
  hc_error e = {0};
  if (try_placement(&p, type, settings, &e) < 0) fail_msg("%s: %s", type->component.name, e.text);
  return p;
}

static inline void close_placement(placement *p)
{
  if (p->self) p->type->fini(p->self);
  free_options(&p->type->component, p->options);
}

/* ---- hosts ---- */

#define D 5
static const uint8_t test_which[D] = {HC_DIM_CPU, HC_DIM_MEMORY, HC_DIM_DISK, HC_DIM_GPU, HC_DIM_OTHER};

/* Ten hosts: 80 and 320 of the first two dimensions, what the largest machines could have of the others. */
static const hc_cell_totals test_cell = {
    .capacity = {80, 320, INT64_C(1) << 55, INT64_C(1) << 40, INT64_C(1) << 40}, .hosts = 10};

typedef struct host {
  int64_t capacity[D], free[D];
  int32_t devices[HC_DEVICES];
  uint32_t device_count, class_id;
} host;

static inline hc_host_view view_of(const host *h, uint32_t id, const int64_t *need, uint32_t dimensions)
{
  return (hc_host_view){.host = id,
                        .class_id = h->class_id,
                        .dimensions = dimensions,
                        .device_count = h->device_count,
                        .which = test_which,
                        .need = need,
                        .free = h->free,
                        .capacity = h->capacity,
                        .devices = h->devices,
                        .cell = &test_cell};
}

static inline double score_of(const placement *p, const host *h, const int64_t *need, uint32_t dimensions)
{
  hc_host_view v = view_of(h, 0, need, dimensions);
  return p->chooser.score(p->chooser.self, &v);
}

static inline bool fits(const host *h, const int64_t *need, uint32_t dimensions)
{
  for (uint32_t d = 0; d < dimensions; d++)
    if (h->free[d] < need[d]) return false;
  return true;
}

/* The host of the highest score, or the first; -1: none fits. */
static inline int choose(const placement *p, const host *hosts, int n, const int64_t *need,
                         uint32_t dimensions)
{
  int best = -1;
  double most = 0;
  for (int i = 0; i < n; i++) {
    double s;
    if (!fits(&hosts[i], need, dimensions)) continue;
    if (p->chooser.how == HC_CHOOSE_FIRST) return i;
    s = score_of(p, &hosts[i], need, dimensions);
    if (best >= 0 && s <= most) continue;
    best = i;
    most = s;
  }
  return best;
}

static inline void expect_near(double x, double expected)
{
  double far = x > expected ? x - expected : expected - x;
  if (!(far <= 1e-12)) fail_msg("%.17g, not %.17g", x, expected);
}

#endif
