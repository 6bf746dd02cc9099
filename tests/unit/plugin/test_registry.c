/* test_registry.c -- the registry, what it refuses, shared objects, and the pages made from descriptors.
 *
 * Every built-in component is checked here as a stranger's would be at loading: complete, with help for each
 * parameter, and with defaults that its own table accepts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "base/value.h"
#include "hindcast/policy.h"
#include "plugin/describe.h"
#include "plugin/registry.h"
#include "setup/config.h"

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  HC_UNUSED(self);
  return (int64_t)task->serial;
}

static const hc_order_type plain = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "plain", .summary = "an order"},
    .key = key};

static hc_registry *empty(void)
{
  hc_registry *r;
  assert_int_equal(hc_registry_empty(hc_default_allocator(), &r), 0);
  return r;
}

static hc_registry *full(void)
{
  hc_registry *r;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &r), 0);
  return r;
}

/* ---- names ---- */

static void test_kinds(void **state)
{
  hc_registry *r = empty();
  HC_UNUSED(state);
  for (unsigned k = 0; k < HC_KIND_COUNT; k++) assert_int_equal(hc_registry_kind(r, (hc_kind)k)->kind, k);
  assert_string_equal(hc_kind_name(r, HC_KIND_ORDER), "order");
  assert_string_equal(hc_registry_kind(r, HC_KIND_ORDER)->text, "sorts a queue");
  assert_string_equal(hc_kind_name(r, HC_KIND_OWN), "?");
  assert_null(hc_registry_kind(r, HC_KIND_LIMIT));
  assert_int_equal(hc_kind_find(r, "order"), HC_KIND_ORDER);
  assert_int_equal(hc_kind_find(r, "orders"), HC_KIND_ORDER);
  assert_int_equal(hc_kind_find(r, "policies"), HC_KIND_POLICY);
  assert_int_equal(hc_kind_find(r, "classes"), HC_KIND_CLASS);
  assert_int_equal(hc_kind_find(r, "ord"), HC_KIND_LIMIT);
  assert_int_equal(hc_kind_find(r, ""), HC_KIND_LIMIT);
  hc_registry_free(r);
}

/* A library brings a kind of its own and a component of it: checked by what the kind says, taken whole or not
 * at all. */
typedef struct tint_type {
  hc_component component;
  int (*shade)(void);
} tint_type;
static int grey(void)
{
  return 1;
}
static const hc_needed tint_needs[] = {{"shade", offsetof(tint_type, shade)}, {NULL, 0}};

static void test_own_kinds(void **state)
{
  const hc_kind tint = (hc_kind)(HC_KIND_OWN + 3);
  hc_kind_type kinds[] = {{tint, "tint", "colours", sizeof(tint_type), false, tint_needs}, {.word = NULL}};
  tint_type soft = {{HC_COMPONENT_HEAD(tint_type, tint), .name = "soft", .summary = "grey"}, grey};
  const hc_component *components[] = {&soft.component, NULL};
  const hc_plugin library = {sizeof library, HC_ABI, "tints", components, kinds};
  hc_registry *r = empty();
  hc_error e = {0};
  HC_UNUSED(state);
  assert_int_equal(hc_registry_add(r, &soft.component, &e), HC_EUSAGE); /* its kind is not known yet */
  soft.shade = NULL;
  e = (hc_error){0};
  assert_int_equal(hc_registry_take(r, &library, "tints.so", &e), HC_EUSAGE);
  assert_string_equal(e.text, "tint soft: its member `shade` is not set, and the kind tint needs it");
  assert_null(hc_registry_kind(r, tint)); /* nothing of it stayed */
  soft.shade = grey;
  kinds[0].kind = HC_KIND_ORDER;
  e = (hc_error){0};
  assert_int_equal(hc_registry_take(r, &library, "tints.so", &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "a number that is not from"));
  kinds[0].kind = tint;
  kinds[0].word = "order";
  e = (hc_error){0};
  assert_int_equal(hc_registry_take(r, &library, "tints.so", &e), HC_EUSAGE);
  assert_string_equal(e.text, "there is a kind \"order\" already; name it otherwise");
  kinds[0].word = "tint";
  e = (hc_error){0};
  assert_int_equal(hc_registry_take(r, &library, "tints.so", &e), 0);
  assert_int_equal(hc_kind_find(r, "tints"), tint);
  assert_ptr_equal(hc_registry_find(r, tint, "soft"), &soft.component);
  kinds[0].word = "shade";
  e = (hc_error){0};
  assert_int_equal(hc_registry_take(r, &library, "tints.so", &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "has the number of the kind")); /* two libraries, one number */
  hc_registry_free(r);
}

static void test_find(void **state)
{
  hc_registry *r = empty();
  hc_error e = {0};
  HC_UNUSED(state);
  assert_null(hc_registry_find(r, HC_KIND_ORDER, "plain"));
  assert_int_equal(hc_registry_add(r, &plain.component, &e), 0);
  assert_ptr_equal(hc_registry_find(r, HC_KIND_ORDER, "plain"), &plain.component);
  assert_null(hc_registry_find(r, HC_KIND_SELECT, "plain")); /* a name belongs to its kind */
  assert_ptr_equal(hc_registry_at(r, HC_KIND_ORDER, 0), &plain.component);
  assert_null(hc_registry_at(r, HC_KIND_ORDER, 1));
  assert_null(hc_registry_at(r, HC_KIND_LIMIT, 0));
  assert_string_equal(hc_registry_nearest(r, HC_KIND_ORDER, "plian"), "plain"); /* two letters swapped */
  assert_null(hc_registry_nearest(r, HC_KIND_ORDER, "fancy"));
  assert_int_equal(hc_registry_add(r, &plain.component, &e), HC_EUSAGE);
  assert_string_equal(e.text,
                      "the kind order has a component \"plain\" already; give the new one another name");
  hc_registry_free(r);
}

/* Others read the options of a record, so that a second kind of record would be read as the first. */
static void test_records(void **state)
{
  static const hc_component other = {HC_COMPONENT_HEAD(hc_component, HC_KIND_CLASS), .name = "other",
                                     .summary = "another class"};
  hc_registry *r = full();
  hc_error e = {0};
  HC_UNUSED(state);
  assert_string_equal(hc_registry_at(r, HC_KIND_CLASS, 0)->name, "host_class");
  assert_int_equal(hc_registry_add(r, &other, &e), HC_EUSAGE);
  assert_string_equal(e.text, "the kind class has one component, and can have no other");
  assert_null(hc_registry_at(r, HC_KIND_CLASS, 1));
  hc_registry_free(r);
}

/* ---- what is refused ---- */

static const hc_param no_help[] = {{.name = "x", .type = HC_INT}, {.name = NULL}};
static const hc_param outside[] = {{.name = "x", .type = HC_INT, .offset = 8, .help = "h"}, {.name = NULL}};
static const hc_param unaligned[] = {{.name = "x", .type = HC_BOOL, .list = true, .offset = 4, .help = "h"},
                                     {.name = NULL}};
static const hc_param no_choices[] = {{.name = "x", .type = HC_CHOICE, .help = "h"}, {.name = NULL}};
static const hc_param no_kind[] = {{.name = "x", .type = HC_COMPONENT, .help = "h"}, {.name = NULL}};
static const hc_param bad_name[] = {{.name = "X y", .type = HC_INT, .help = "h"}, {.name = NULL}};
static const hc_param reserved[] = {{.name = "use", .type = HC_INT, .help = "h"}, {.name = NULL}};
static const hc_param no_type[] = {{.name = "x", .help = "h"}, {.name = NULL}};
static const hc_param range[] = {{.name = "x", .type = HC_INT, .min = 2, .max = 1, .help = "h"},
                                 {.name = NULL}};
static const hc_param twice[] = {
    {.name = "x", .type = HC_INT, .help = "h"}, {.name = "x", .type = HC_INT, .help = "h"}, {.name = NULL}};

static void test_bad_params(void **state)
{
  static const struct {
    const hc_param *params;
    const char *fault;
  } cases[] = {
      {no_help, "\"x\" has no help"},
      {outside, "\"x\" lies outside the options struct"},
      {unaligned, "\"x\" lies outside the options struct"},
      {no_choices, "\"x\" has no choices"},
      {no_kind, "\"x\" has no kind of component to choose from"},
      {bad_name, "\"X y\" has a name that cannot be a key"},
      {reserved, "\"use\" has a name that cannot be a key"},
      {no_type, "\"x\" has no known type"},
      {range, "\"x\" has a least value above its greatest"},
      {twice, "\"x\" stands in its table twice"},
  };
  hc_registry *r = empty();
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_order_type t = plain;
    hc_error e = {0};
    t.component.params = cases[i].params;
    t.component.options_size = cases[i].params == outside ? 8 : 64;
    assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), HC_EUSAGE);
    if (!strstr(e.text, cases[i].fault)) fail_msg("case %zu: %s", i, e.text);
  }
  hc_registry_free(r);
}

static void test_bad_components(void **state)
{
  hc_error e = {0};
  hc_order_type t = plain;
  hc_registry *r = empty();
  HC_UNUSED(state);
  t.key = NULL;
  assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), HC_EUSAGE);
  assert_string_equal(e.text, "order plain: its member `key` is not set, and the kind order needs it");
  e = (hc_error){0};
  t = plain;
  t.component.abi = HC_ABI + 1;
  assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), HC_EVERSION);
  e = (hc_error){0};
  t = plain;
  t.component.size -= 8; /* an older struct, without the last function */
  assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), HC_EVERSION);
  e = (hc_error){0};
  t = plain;
  t.component.size += 64; /* a newer one */
  assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), 0);
  t.component.kind = (hc_kind)99;
  assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), HC_EUSAGE);
  e = (hc_error){0};
  t = plain;
  t.component.name = "Plain";
  assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), HC_EUSAGE);
  e = (hc_error){0};
  t = plain;
  t.component.summary = "";
  assert_int_equal(hc_registry_check(r, &t.component, "x.so", &e), HC_EUSAGE);
  hc_registry_free(r);
}

/* ---- the built-in ones ---- */

static void test_builtin_are_complete(void **state)
{
  hc_registry *r = full();
  const hc_component *c;
  HC_UNUSED(state);
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    for (size_t i = 0; (c = hc_registry_at(r, (hc_kind)k, i)); i++) {
      hc_error e = {0};
      assert_int_equal(c->kind, k);
      if (hc_registry_check(r, c, "builtin", &e) < 0) fail_msg("%s", e.text);
      assert_ptr_equal(hc_registry_find(r, (hc_kind)k, c->name), c); /* no two of one name */
      for (const hc_param *p = c->params; p && p->name;
           p++) { /* what has a unit says it; "1" is that of a ratio */
        const char *unit = p->unit ? p->unit : "none";
        const bool measured = p->type == HC_TIME || p->type == HC_SIZE || (p->type == HC_REAL && !p->list);
        if (measured && !p->unit)
          fail_msg("%s %s: %s has no unit", hc_kind_name(r, (hc_kind)k), c->name, p->name);
        if (p->type == HC_TIME && strcmp(unit, "s") != 0)
          fail_msg("%s: %s is a time in %s", c->name, p->name, unit);
        if (p->type == HC_SIZE && unit[0] != 'B') fail_msg("%s: %s is a size in %s", c->name, p->name, unit);
      }
    }
  }
  hc_registry_free(r);
}

/* ---- figures ---- */

/* A role at the end of a line, behind the formula, would be taken for a part of it. */
static bool ends_in_role(const char *formula)
{
  static const char *const roles[] = {"usual", "compared", "primary", "performance"};
  const char *last = strrchr(formula, '|');
  for (size_t i = 0; last && i < HC_ARRAY_LEN(roles); i++)
    if (strncmp(last + 1, roles[i], strlen(roles[i])) == 0) return true;
  return false;
}

static void check_figures(const hc_registry *r, const hc_component *c)
{
  for (const char *const *line = c->figures; line && *line; line++) {
    const hc_figure f = hc_figure_cut(*line);
    if (!f.has_direction || f.name_size == 0 || f.formula[0] == '\0' || ends_in_role(f.formula))
      fail_msg("%s %s: \"%s\" is not name|unit|direction|formula", hc_kind_name(r, c->kind), c->name, *line);
  }
}

/* A figure's direction belongs to its declaration: each built-in one says it. */
static void test_figures_are_declared(void **state)
{
  hc_registry *r = full();
  const hc_component *c;
  HC_UNUSED(state);
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++)
    for (size_t i = 0; (c = hc_registry_at(r, (hc_kind)k, i)); i++) check_figures(r, c);
  hc_registry_free(r);
}

static void test_directions(void **state)
{
  static const struct {
    const char *name;
    int direction;
  } of[] = {
      {"utilisation", 1},
      {"trimmed.utilisation", 1}, /* as what it was made from */
      {"origin_utilisation", 1},
      {"wait_mean", -1},
      {"trimmed.wait_mean", -1},
      {"host_mean_memory", 1},
      {"host_variance_memory", -1},
      {"jobs_within_batch", 1}, /* once inverted, as no pattern of names knew them */
      {"days_within_batch", 1},
      {"fair_share_jain_satisfaction", 1},
      {"user_share_satisfaction_least", 1},
      {"user_share_least", 1},
      {"user_share_even", 1},
      {"sharing_incentive_min", 1},
      {"window_load_cpu", 1},
      {"window_useful_memory", 1},
      {"trimmed.jain_usage", 1},
      {"backfilled_share", 0}, /* no virtue */
      {"tasks_backfilled", 0},
      {"busyness_batch", -1},
      {"busyness_offered_batch", 0}, /* the longer pattern */
      {"jobs_batch", 0},
      {"tasks", 0},
      {"what_no_component_finds", 0},
  };
  hc_registry *r = full();
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(of); i++)
    if (hc_figure_direction(r, of[i].name) != of[i].direction)
      fail_msg("%s: %d, expected %d", of[i].name, hc_figure_direction(r, of[i].name), of[i].direction);
  hc_registry_free(r);
}

/* A line of three parts, as a component elsewhere may have it: it has no direction, and its text is the third
 * part. */
static void test_figure_lines(void **state)
{
  hc_figure f = hc_figure_cut("late|s|sum of a | b");
  HC_UNUSED(state);
  assert_false(f.has_direction);
  assert_int_equal(f.direction, 0);
  assert_string_equal(f.formula, "sum of a | b");
  f = hc_figure_cut("late|s|lower|sum of a | b");
  assert_true(f.has_direction);
  assert_int_equal(f.direction, -1);
  assert_string_equal(f.formula, "sum of a | b");
}

/* ---- defaults ---- */

/* Each default is in its own range, and each default component exists. */
static void test_builtin_defaults(void **state)
{
  hc_registry *r = full();
  const hc_component *c;
  HC_UNUSED(state);
  for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
    for (size_t i = 0; (c = hc_registry_at(r, (hc_kind)k, i)); i++) {
      hc_error e = {0};
      hc_arena arena;
      hc_resolver resolver = {.registry = r, .arena = &arena};
      void *options;
      hc_arena_init(&arena, hc_default_allocator());
      if (hc_resolve(&resolver, c, NULL, c->name, &options, &e) < 0)
        fail_msg("%s %s: %s", hc_kind_name(r, (hc_kind)k), c->name, e.text);
      hc_arena_fini(&arena);
    }
  }
  hc_registry_free(r);
}

static bool has_param(const hc_component *c, const char *name)
{
  for (const hc_param *p = c->params; p && p->name; p++) {
    if (strcmp(p->name, name) == 0) return true;
  }
  return false;
}

/* A preset names parameters that exist, and values that they accept. */
static void test_presets(void **state)
{
  hc_registry *r = full();
  const hc_component *preset, *c;
  HC_UNUSED(state);
  assert_non_null(hc_registry_at(r, HC_KIND_COMPAT, 0));
  for (size_t i = 0; (preset = hc_registry_at(r, HC_KIND_COMPAT, i)); i++) {
    for (const hc_preset_entry *x = ((const hc_compat_type *)preset)->entries; x->component; x++) {
      bool known = false;
      for (unsigned k = 0; k < HC_KIND_LIMIT; k++) {
        hc_error e = {0};
        hc_arena arena;
        hc_resolver resolver = {.registry = r, .arena = &arena, .compat = preset};
        void *options;
        c = hc_registry_find(r, (hc_kind)k, x->component);
        if (!c || !has_param(c, x->param)) continue;
        known = true;
        hc_arena_init(&arena, hc_default_allocator());
        if (hc_resolve(&resolver, c, NULL, c->name, &options, &e) < 0)
          fail_msg("%s: %s", preset->name, e.text);
        hc_arena_fini(&arena);
      }
      if (!known) fail_msg("%s: there is no parameter %s.%s", preset->name, x->component, x->param);
    }
  }
  hc_registry_free(r);
}

/* ---- shared objects ---- */

static void test_load(void **state)
{
  hc_registry *r = empty();
  const hc_component *c;
  hc_error e = {0};
  HC_UNUSED(state);
  if (hc_registry_load(r, "./plugin_good.so", &e) < 0) fail_msg("%s", e.text);
  c = hc_registry_find(r, HC_KIND_ORDER, "fixture_lifo");
  assert_non_null(c);
  assert_string_equal(c->summary, "last come, first served");
  assert_int_equal(((const hc_order_type *)c)->key(NULL, &(hc_order_input){.serial = 5}), -5); /* it runs */
  assert_int_equal(hc_registry_load(r, "plugin_good.so", &e), 0); /* again, from here: no second copy */
  assert_null(hc_registry_at(r, HC_KIND_ORDER, 1));
  hc_registry_free(r);
}

static void test_load_refused(void **state)
{
  static const struct {
    const char *path;
    hc_rc rc;
    const char *text;
  } cases[] = {
      {"./plugin_abi.so", HC_EVERSION,
       "made for ABI 6; this is ABI 5: build it again with the headers of hindcast "},
      {"./plugin_symbol.so", HC_EUSAGE,
       "a shared object, but not one of hindcast's: it has no symbol hc_plugin_entry"},
      {"./plugin_twice.so", HC_EUSAGE,
       "it brings two components of kind order named \"fixture_lifo\"; rename one"},
      {"./plugin_params.so", HC_EUSAGE,
       "order fixture_lifo: the parameter \"depth\" lies outside the options struct"},
      {"./plugin_none.so", HC_EIO, "cannot be loaded: "},
      {"/dev/null", HC_EIO, "cannot be loaded: "},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_registry *r = empty();
    hc_error e = {0};
    hc_rc rc = hc_registry_load(r, cases[i].path, &e);
    if (rc != cases[i].rc || !strstr(e.text, cases[i].text)) fail_msg("%s: %d %s", cases[i].path, rc, e.text);
    assert_string_equal(e.where, cases[i].path);
    assert_null(hc_registry_at(r, HC_KIND_ORDER, 0)); /* nothing of it was added */
    hc_registry_free(r);
  }
}

static void test_load_duplicate_name(void **state)
{
  hc_registry *r = empty();
  hc_error e = {0};
  HC_UNUSED(state);
  assert_int_equal(hc_registry_load(r, "./plugin_good.so", &e), 0);
  assert_int_equal(hc_registry_load(r, "./plugin_duplicate.so", &e), HC_EUSAGE);
  assert_string_equal(
      e.text, "the kind order has a component \"fixture_lifo\" already; give the new one another name");
  assert_null(hc_registry_at(r, HC_KIND_ORDER, 1));
  hc_registry_free(r);
}

/* ---- pages ---- */

static hc_rc keep(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static void test_describe(void **state)
{
  static const hc_param params[] = {
      {.name = "depth",
       .type = HC_INT,
       .unit = "tasks",
       .fallback = "1",
       .min = 1,
       .max = 10,
       .help = "How deep."},
      {.name = "rule",
       .type = HC_CHOICE,
       .offset = 8,
       .fallback = "one",
       .choices = "one|two",
       .help = "Which rule."},
      {.name = "order",
       .type = HC_COMPONENT,
       .kind = HC_KIND_ORDER,
       .list = true,
       .offset = 16,
       .help = "Orders."},
      {.name = NULL},
  };
  hc_select_type t = {.component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "deep",
                                    .summary = "looks deep", .detail = "Looks past it.",
                                    .source = "Author 1999", .params = params, .options_size = 32}};
  hc_registry *r = empty();
  hc_buffer b;
  const hc_sink sink = {&b, keep};
  hc_error e = {0};
  HC_UNUSED(state);
  hc_buffer_init(&b, hc_default_allocator());
  r->kinds[HC_KIND_SELECT].items = malloc(sizeof(void *));
  r->kinds[HC_KIND_SELECT].items[0] = &t.component;
  r->kinds[HC_KIND_SELECT].count = r->kinds[HC_KIND_SELECT].cap = 1;
  assert_int_equal(hc_describe(r, NULL, "deep", HC_PAGE_TEXT, &sink, &e), 0);
  assert_string_equal(
      b.data, "deep (select)\n  looks deep\n\n  Looks past it.\n\nSource\n  Author 1999\n\nParameters\n"
              "  depth: whole number (tasks), from 1 to 10; default 1\n      How deep.\n"
              "  rule: choice, one of one, two; default one\n      Which rule.\n"
              "  order: list of order; default none\n      Orders.\n");
  b.size = 0;
  assert_int_equal(hc_list_components(r, "selects", HC_PAGE_JSON, &sink, &e), 0);
  assert_string_equal(b.data, "[\n{\"kind\":\"select\",\"name\":\"deep\",\"summary\":\"looks deep\"}\n]\n");
  assert_int_equal(hc_describe(r, "select", "dep", HC_PAGE_TEXT, &sink, &e), HC_ENOTFOUND);
  assert_string_equal(e.text, "there is no select \"dep\"; did you mean the select \"deep\"?");
  e = (hc_error){0};
  assert_int_equal(hc_list_components(r, "sorcery", HC_PAGE_TEXT, &sink, &e), HC_EUSAGE);
  assert_string_equal(
      e.text,
      "there is no kind \"sorcery\"; the kinds are run, reader, writer, transform, cell, class, set, level, "
      "events, change, load, architecture, scheduler, policy, order, select, place, eligibility, accept, "
      "preempt, pool, metric, trim, exporter, compat, carrier, world, mold, reservation, setting, "
      "predictor");
  hc_buffer_fini(&b);
  hc_registry_free(r);
}

/* JSON is YAML, and our own parser refuses duplicate keys: the pages are well formed. */
/* The columns of a format are on its reader's page, as its table has them: three of Azure's that say how busy
 * a machine was are a line together. */
static void test_columns_on_page(void **state)
{
  hc_registry *r = full();
  hc_buffer b;
  hc_error e = {0};
  const hc_sink sink = {&b, keep};
  (void)state;
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(hc_describe(r, "reader", "azure_v1", HC_PAGE_TEXT, &sink, &e), 0);
  assert_non_null(
      strstr(b.data, "\nColumns\n  vmtable.csv of Azure's trace of 2017: 11 columns in this order"));
  assert_non_null(strstr(b.data, "\n    vmcreated: submit; required; seconds\n"));
  assert_non_null(strstr(b.data, "\n    maxcpu, avgcpu, p95maxcpu: not used; written as 0\n"));
  assert_non_null(strstr(b.data, "\n    vmcorecount: cpu; required; cores\n    vmmemory: memory; GiB\n"));
  b.size = 0;
  assert_int_equal(hc_describe(r, "reader", "alibaba_v2026", HC_PAGE_JSON, &sink, &e), 0);
  assert_non_null(strstr(b.data, "{\"titles\":\"job_type\",\"says\":\"queue\",\"how\":\"Spot 1, HP 2\","
                                 "\"needed\":false}"));
  b.size = 0;
  assert_int_equal(hc_manual(r, "reader", &sink, &e), 0);
  assert_non_null(strstr(b.data, "\n| `instance_num` | bundle | a whole number from 1 |\n"));
  assert_non_null(strstr(b.data, "\n| `end_time` | the end of its run; required | seconds |\n"));
  hc_buffer_fini(&b);
  hc_registry_free(r);
}

static void test_pages_parse(void **state)
{
  hc_registry *r = full();
  hc_buffer b;
  const hc_sink sink = {&b, keep};
  hc_arena arena;
  hc_error e = {0};
  hc_value *v;
  HC_UNUSED(state);
  hc_arena_init(&arena, hc_default_allocator());
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(hc_schema(r, &sink, &e), 0);
  if (hc_value_parse(&arena, b.data, b.size, "schema", &v, &e) < 0) fail_msg("%s", e.text);
  assert_non_null(
      hc_value_get(hc_value_get(hc_value_get(hc_value_get(v, "$defs"), "run"), "properties"), "seed"));
  assert_non_null(hc_value_get(hc_value_get(v, "$defs"), "compat.pyss"));
  /* a name, or an object: with `use` among several, without it alone */
  const hc_value *several = hc_value_get(hc_value_get(hc_value_get(v, "$defs"), "cell"), "anyOf"),
                 *only = hc_value_get(hc_value_get(hc_value_get(v, "$defs"), "class"), "anyOf");
  assert_non_null(hc_value_get(several->items[1], "required"));
  assert_int_equal(only->count, 2);
  assert_null(hc_value_get(only->items[1], "required"));
  b.size = 0;
  assert_int_equal(hc_describe(r, NULL, "run", HC_PAGE_JSON, &sink, &e), 0);
  if (hc_value_parse(&arena, b.data, b.size, "page", &v, &e) < 0) fail_msg("%s", e.text);
  b.size = 0;
  assert_int_equal(hc_list_components(r, NULL, HC_PAGE_JSON, &sink, &e), 0);
  if (hc_value_parse(&arena, b.data, b.size, "list", &v, &e) < 0) fail_msg("%s", e.text);
  b.size = 0;
  assert_int_equal(hc_manual(r, NULL, &sink, &e), 0);
  assert_non_null(strstr(b.data, "\n## pyss\n"));
  hc_buffer_fini(&b);
  hc_arena_fini(&arena);
  hc_registry_free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_own_kinds),
      cmocka_unit_test(test_find),
      cmocka_unit_test(test_records),
      cmocka_unit_test(test_bad_params),
      cmocka_unit_test(test_bad_components),
      cmocka_unit_test(test_builtin_are_complete),
      cmocka_unit_test(test_figures_are_declared),
      cmocka_unit_test(test_directions),
      cmocka_unit_test(test_figure_lines),
      cmocka_unit_test(test_builtin_defaults),
      cmocka_unit_test(test_presets),
      cmocka_unit_test(test_load),
      cmocka_unit_test(test_load_refused),
      cmocka_unit_test(test_load_duplicate_name),
      cmocka_unit_test(test_describe),
      cmocka_unit_test(test_columns_on_page),
      cmocka_unit_test(test_pages_parse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
