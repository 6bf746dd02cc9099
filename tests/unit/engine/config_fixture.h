/* config_fixture.h -- a configuration over small components of our own, so that messages can be compared
 * word by word whatever the program's own components are called this week. The run's table and the presets
 * are the real ones. */
#ifndef HC_TESTS_CONFIG_FIXTURE_H
#define HC_TESTS_CONFIG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "hindcast/architecture.h"
#include "hindcast/metric.h"
#include "hindcast/placement.h"
#include "plugin/registry.h"
#include "setup/config.h"

/* ---- components to configure ---- */

typedef struct select_options {
  int64_t depth;
  bool strict;
  int retry;
  double share;
  hc_time window;
  hc_chosen candidates;
} select_options;

static const hc_param select_params[] = {
    HC_PARAM(INT, select_options, depth, "tasks", "1", 1, 1000, "h"),
    HC_PARAM(BOOL, select_options, strict, "false", "h"),
    HC_PARAM(CHOICE, select_options, retry, "always|at_reservation", "always", "h"),
    HC_PARAM(REAL, select_options, share, NULL, "0.5", 0, 1, "h"),
    HC_PARAM(TIME, select_options, window, NULL, NULL, 0, 0, "h"),
    HC_PARAM(COMPONENT, select_options, candidates, HC_KIND_ORDER, NULL, "h"),
    {.name = NULL},
};

typedef struct batch_options {
  hc_chosen order, select, place;
} batch_options;

static const hc_param batch_params[] = {
    HC_PARAM(COMPONENT, batch_options, order, HC_KIND_ORDER, "fcfs", "h"),
    HC_PARAM(COMPONENT, batch_options, select, HC_KIND_SELECT, "{use: easy, share: 0.25}", "h"),
    HC_PARAM(COMPONENT, batch_options, place, HC_KIND_PLACE, "first_fit", "h"),
    {.name = NULL},
};

typedef struct file_options {
  const char *file;
} file_options;

static const hc_param file_params[] = {
    HC_PARAM(TEXT, file_options, file, NULL, "h"),
    {.name = NULL},
};

typedef struct first_options {
  int64_t n;
  hc_list users; /* int64_t */
} first_options;

static const hc_param first_params[] = {
    HC_PARAM(INT, first_options, n, NULL, "10", 1, 1e18, "h"),
    HC_PARAM(INTS, first_options, users, NULL, NULL, 0, 0, "h"),
    {.name = NULL},
};

typedef struct cell_options {
  int64_t processors, memory;
} cell_options;

static const hc_param cell_params[] = {
    HC_PARAM(INT, cell_options, processors, NULL, NULL, 0, 0, "h"),
    HC_PARAM(SIZE, cell_options, memory, NULL, "64MiB", 0, 0, "h"),
    {.name = NULL},
};

typedef struct call_options {
  int call;
} call_options;

static const hc_param call_params[] = {
    HC_PARAM(CHOICE, call_options, call, "instant|per_event|period", "instant", "h"),
    {.name = NULL},
};

static int recognise(const char *name, const char *head, size_t size)
{
  HC_UNUSED(name);
  return size >= 7 && memcmp(head, "; Magic", 7) == 0 ? 90 : 0;
}

#define PLAIN(type, kind_, name_) .component = {HC_COMPONENT_HEAD(type, kind_), .name = name_, .summary = "s"}
#define WITH(type, kind_, name_, table, options) \
  .component = {HC_COMPONENT_HEAD(type, kind_), .name = name_, .summary = "s", .params = table, \
                .options_size = sizeof(options)}

static const hc_policy_type policy_batch = {
    WITH(hc_policy_type, HC_KIND_POLICY, "batch", batch_params, batch_options)};
static const hc_order_type order_fcfs = {PLAIN(hc_order_type, HC_KIND_ORDER, "fcfs")};
static const hc_order_type order_sjf = {PLAIN(hc_order_type, HC_KIND_ORDER, "sjf")};
static const hc_order_type order_random = {PLAIN(hc_order_type, HC_KIND_ORDER, "random")};
static const hc_select_type select_easy = {
    WITH(hc_select_type, HC_KIND_SELECT, "easy", select_params, select_options)};
static const hc_select_type select_scan = {PLAIN(hc_select_type, HC_KIND_SELECT, "scan")};
static const hc_place_type place_first = {PLAIN(hc_place_type, HC_KIND_PLACE, "first_fit")};
static const hc_place_type place_best = {PLAIN(hc_place_type, HC_KIND_PLACE, "best_fit")};
static const hc_place_type place_random = {PLAIN(hc_place_type, HC_KIND_PLACE, "random")};
static const hc_reader_type reader_swf = {
    WITH(hc_reader_type, HC_KIND_READER, "swf", file_params, file_options)};
static const hc_reader_type reader_magic = {
    WITH(hc_reader_type, HC_KIND_READER, "magic", file_params, file_options), .recognise = recognise};
static const hc_transform_type transform_first = {
    WITH(hc_transform_type, HC_KIND_TRANSFORM, "first", first_params, first_options)};
static const hc_cell_type cell_auto = {PLAIN(hc_cell_type, HC_KIND_CELL, "auto")};
static const hc_cell_type cell_count = {WITH(hc_cell_type, HC_KIND_CELL, "count", cell_params, cell_options)};
static const hc_architecture_type architecture_monolithic = {
    WITH(hc_architecture_type, HC_KIND_ARCHITECTURE, "monolithic", call_params, call_options)};
static const hc_trim_type trim_pyss = {PLAIN(hc_trim_type, HC_KIND_TRIM, "pyss")};
extern const hc_compat_type hc_compat_pyss, hc_compat_cqsim, hc_compat_accasim;

static const hc_component *const components[] = {
    &hc_component_run,          &policy_batch.component,
    &order_fcfs.component,      &order_sjf.component,
    &order_random.component,    &select_easy.component,
    &select_scan.component,     &place_first.component,
    &place_best.component,      &place_random.component,
    &reader_swf.component,      &reader_magic.component,
    &transform_first.component, &cell_auto.component,
    &cell_count.component,      &architecture_monolithic.component,
    &trim_pyss.component,       &hc_compat_pyss.component,
    &hc_compat_cqsim.component, &hc_compat_accasim.component,
};

#define METRIC_LIMIT 64
static hc_metric_type metrics[METRIC_LIMIT];
static char metric_names[METRIC_LIMIT][32];

/* A metric for each word of the table's default list. */
static void add_metrics(hc_registry *r)
{
  const hc_param *p = hc_component_run.params;
  size_t count = 0;
  while (strcmp(p->name, "metrics") != 0) p++;
  for (const char *s = p->fallback; *s; s += strcspn(s, " ,]")) {
    s += strspn(s, "[ ,]");
    if (*s == '\0') break;
    assert_true(count < METRIC_LIMIT);
    (void)snprintf(metric_names[count], sizeof metric_names[count], "%.*s", (int)strcspn(s, " ,]"), s);
    metrics[count] = (hc_metric_type){PLAIN(hc_metric_type, HC_KIND_METRIC, metric_names[count])};
    r->kinds[HC_KIND_METRIC].items[r->kinds[HC_KIND_METRIC].count++] = &metrics[count].component;
    count++;
  }
}

static hc_registry *make_registry(void)
{
  hc_registry *r;
  assert_int_equal(hc_registry_empty(hc_default_allocator(), &r), 0);
  assert_int_equal(hc_registry_reserve(r, METRIC_LIMIT), 0);
  for (size_t i = 0; i < HC_ARRAY_LEN(components); i++) {
    hc_registry_list *l = &r->kinds[components[i]->kind];
    l->items[l->count++] = components[i];
  }
  add_metrics(r);
  return r;
}

typedef struct fixture {
  hc_registry *registry;
  hc_config *config;
} fixture;

static int setup(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  hc_error e = {0};
  f->registry = make_registry();
  assert_int_equal(hc_config_new(hc_default_allocator(), f->registry, &f->config, &e), 0);
  *state = f;
  return 0;
}

static int teardown(void **state)
{
  fixture *f = *state;
  hc_config_free(f->config);
  hc_registry_free(f->registry);
  free(f);
  return 0;
}

static void read_text(hc_config *c, const char *yaml)
{
  hc_error e = {0};
  if (hc_config_text(c, yaml, strlen(yaml), "run.yaml", &e) < 0) fail_msg("%s", e.text);
}

static void set(hc_config *c, const char *assignment)
{
  hc_error e = {0};
  if (hc_config_set(c, assignment, &e) < 0) fail_msg("%s", e.text);
}

static const hc_run_options *resolve(hc_config *c)
{
  hc_error e = {0};
  if (hc_config_resolve(c, &e) < 0) fail_msg("%s: %s", e.where, e.text);
  return hc_config_options(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
