/* figures_test.h -- figures of runs of native workloads, held against what follows by hand: each run in one
 * piece, and saved and restored after each instant. */
#ifndef HC_FIGURES_TEST_H
#define HC_FIGURES_TEST_H

#include "tasks_test.h"

typedef struct expected {
  const char *table; /* NULL: of the summary */
  int64_t key;
  const char *name;
  double value; /* NaN: there is none */
} expected;

/* A cell that is looked for. */
typedef struct sought {
  const expected *x;
  double value;
  bool is_there;
} sought;

static inline hc_rc take_cell(void *ctx, const char *const *v)
{
  sought *s = ctx;
  if (strcmp(v[1], s->x->table) != 0 || strtoll(v[2], NULL, 10) != s->x->key || strcmp(v[3], s->x->name) != 0)
    return 0;
  s->is_there = true;
  s->value = v[5] ? strtod(v[5], NULL) : __builtin_nan("");
  return 0;
}

static inline double find(bench *b, const expected *x)
{
  sought s = {.x = x, .value = __builtin_nan("")};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  if (x->table) check(b, hc_result_rows(r, "cells", 6, take_cell, &s, &b->error));
  else s.value = hc_result_figure(r, "all", x->name);
  hc_result_free(r);
  if (x->table && !s.is_there) fail_msg("no cell %s %" PRId64 " %s", x->table, x->key, x->name);
  return s.value;
}

/* These figures, to 1e-9 relative; times end at whole ns. */
static inline void assert_figures(const char *tasks, const char *yaml, size_t count, const expected *all)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    char file[64];
    bench b;
    check(&b, try_tasks(&b, file, tasks, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (size_t i = 0; i < count; i++) {
      const double value = find(&b, &all[i]), off = __builtin_fabs(value - all[i].value);
      const bool is_none = value != value && all[i].value != all[i].value;
      if (!is_none && !(off <= 1e-9 * __builtin_fabs(all[i].value) + 1e-12))
        fail_msg("%s%s: %s %" PRId64 " %s is %.12g, not %.12g", tasks, yaml,
                 all[i].table ? all[i].table : "summary", all[i].key, all[i].name, value, all[i].value);
    }
    end(&b);
    (void)unlink(file);
  }
}
#define FIGURES(tasks, yaml, ...) \
  assert_figures(tasks, yaml, COUNT(((const expected[]){__VA_ARGS__})), (const expected[]){__VA_ARGS__})
#define ALL(name, value) \
  { \
    NULL, 0, name, value \
  }

#endif
