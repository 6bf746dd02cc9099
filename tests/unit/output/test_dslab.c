/* test_dslab.c -- monitoring in DSLab's layout, from the tables of the metrics on one small history to the
 * text.
 *
 * One class "g" of two hosts, 50 cores and 10 GB each. User 3 has 50 cores and 2 GB on the first host [5, 11)
 * and waited for them since 2; user 4 waits from 6 to the end, 12. In pieces of 10 s:
 *   [0, 10)   50 x 5 of 100 x 10 cores, 2 x 5 of 20 x 10 GB; waiting (5 - 2) + (10 - 6) = 7; share 0.5 x 5
 *   [10, 12)  50 x 1 of 100 x 2 cores;  waiting 2;  share 0.5 x 1 of 2 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/metric.h"
#include "hindcast/output.h"

extern const hc_exporter_type hc_exporter_dslab;
extern const hc_metric_type hc_metric_host_load, hc_metric_queue_load, hc_metric_dominant_share;

#define GB 1000000000

static const hc_host_class class = {.name = "g", .capacity = {50000, 10 * (int64_t)GB}};
static const uint32_t class_of[2] = {0, 0};
static const char *const names[2] = {"h,1", "h2"};
static const hc_cell_spec cell = {.granularity = HC_CELL_HOSTS,
                                  .units = 2,
                                  .classes = &class,
                                  .class_count = 1,
                                  .class_of = class_of,
                                  .host_names = names};

static hc_change change(hc_change_kind kind, int64_t at, int64_t user, uint32_t host)
{
  return (hc_change){.at = at * HC_SECOND,
                     .serial = (uint64_t)user,
                     .user = user,
                     .kind = kind,
                     .host = host,
                     .slots = 1,
                     .amount = {50000, 2 * (int64_t)GB},
                     .used_cpu = HC_UNKNOWN,
                     .used_memory = HC_UNKNOWN};
}

/* ---- from the metrics to the store ---- */

static hc_rc keep_figure(void *ctx, const char *name, const char *unit, double value, bool is_count,
                         int64_t count)
{
  (void)count;
  return hc_store_figure(ctx, "all", name, unit, value, is_count, NULL);
}

static hc_rc keep_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  return hc_store_cell(ctx, "all", table, key, name, unit, value, NULL);
}

/* Options by name; all else as the family has it by default, which these tests do not need. */
static void set(const hc_component *c, void *options, const char *name, int64_t value)
{
  for (const hc_param *p = c->params; p->name; p++) {
    char *at = (char *)options + p->offset;
    int choice = (int)value;
    if (strcmp(p->name, name) != 0) continue;
    if (p->type == HC_CHOICE) memcpy(at, &choice, sizeof choice);
    else memcpy(at, &value, sizeof value);
  }
}

static void count(const hc_metric_type *m, hc_store *s)
{
  const hc_change changes[] = {change(HC_CHANGE_QUEUED, 2, 3, HC_NO_HOST),
                               change(HC_CHANGE_UNQUEUED, 5, 3, HC_NO_HOST),
                               change(HC_CHANGE_CLAIMED, 5, 3, 0), change(HC_CHANGE_QUEUED, 6, 4, HC_NO_HOST),
                               change(HC_CHANGE_RELEASED, 11, 3, 0)};
  hc_metric_context c = {.allocator = hc_default_allocator(), .cell = &cell, .unix_start = HC_UNKNOWN};
  hc_findings f = {.ctx = s, .figure = keep_figure, .cell = keep_cell};
  void *options = calloc(1, m->component.options_size);
  hc_metric *self = NULL;
  set(&m->component, options, "every", 10 * HC_SECOND);
  set(&m->component, options, "rows", 100);
  set(&m->component, options, "detail", 2);
  set(&m->component, options, "users", 1);
  assert_int_equal(m->init(&c, options, &self, NULL), 0);
  assert_int_equal(m->changes(self, changes, HC_ARRAY_LEN(changes)), 0);
  assert_int_equal(m->until(self, 12 * HC_SECOND), 0);
  assert_int_equal(m->finish(self, &f), 0);
  m->fini(self);
  free(options);
}

static hc_rc keep(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static void expect(const hc_metric_type *m, int table, bool header, const char *expected)
{
  union {
    char bytes[64];
    int64_t words[8];
  } o = {.bytes = {0}};
  hc_store *s = NULL;
  hc_result *r = NULL;
  hc_buffer text;
  hc_sink sink = {&text, keep};
  hc_error e = {0};
  hc_buffer_init(&text, hc_default_allocator());
  assert_int_equal(hc_store_new(hc_default_allocator(), NULL, &s, NULL), 0);
  if (m) count(m, s);
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  for (const hc_param *p = hc_exporter_dslab.component.params; p->name; p++) {
    if (p->type == HC_CHOICE) memcpy(o.bytes + p->offset, &table, sizeof table);
    else memcpy(o.bytes + p->offset, &header, sizeof header);
  }
  if (m) {
    assert_int_equal(hc_exporter_dslab.run(hc_default_allocator(), &o, r, &sink, &e), 0);
    assert_string_equal(text.data, expected);
  } else {
    assert_int_equal(hc_exporter_dslab.run(hc_default_allocator(), &o, r, &sink, &e), HC_EUSAGE);
    assert_string_equal(e.text, expected);
  }
  hc_buffer_fini(&text);
  hc_result_free(r);
  hc_store_free(s);
}

static void load_csv(void **state)
{
  (void)state;
  expect(&hc_metric_host_load, 0, true,
         "time,name,cpu_load,memory_load,disk_load\n"
         "10,TOTAL,0.25,0.05,0\n"
         "10,group-g,0.25,0.05,0\n"
         "10,\"host-h,1\",0.5,0.1,0\n"
         "10,host-h2,0,0,0\n"
         "12,TOTAL,0.25,0.05,0\n"
         "12,group-g,0.25,0.05,0\n"
         "12,\"host-h,1\",0.5,0.1,0\n"
         "12,host-h2,0,0,0\n");
}

static void scheduler_info_csv(void **state)
{
  (void)state;
  expect(&hc_metric_queue_load, 1, true,
         "time,queue_size,user\n"
         "10,0.7,TOTAL\n"
         "10,0.3,3\n"
         "12,1,TOTAL\n"
         "12,0,3\n");
}

static void fair_share_csv(void **state)
{
  (void)state;
  expect(&hc_metric_dominant_share, 2, false, "10,3,0.25\n12,3,0.25\n");
}

static void a_result_without_the_table_says_what_to_run(void **state)
{
  (void)state;
  expect(NULL, 1, true, "the result has no table 'queue_load'; run it with the metric `queue_load`");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(load_csv),
      cmocka_unit_test(scheduler_info_csv),
      cmocka_unit_test(fair_share_csv),
      cmocka_unit_test(a_result_without_the_table_says_what_to_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
