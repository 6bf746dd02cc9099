/* test_records.c -- families that hear what changed, on a schedule that is known from its records alone; and
 * the fragments of GPUs, which need to know on which of them a task lies. Worked out by hand. */
#include "base/util.h"
#include "cluster/lexicon.h"
#include "metric/evaluate.h"
#include "metric_test.h"

#define FOUND(table, key, name, value) expect_found(&l, table, key, name, value)

extern const hc_trim_type hc_trim_window;

/* ---- what records say ---- */

static hc_rc evaluate(const hc_metric_type *type, const hc_task_record *t, size_t n, const hc_chosen *trim,
                      hc_finding_list *l, hc_error *e)
{
  void *o = default_options(&type->component);
  const hc_chosen chosen = {&type->component, o};
  const hc_metric_context context = context_of(4);
  const hc_trim_input in = {.tasks = n, .first_submit = 0, .last_submit = S(5), .last_end = S(30)};
  hc_rc rc;
  hc_finding_list_init(l, hc_default_allocator());
  rc = hc_metric_evaluate(&context, &chosen, 1, t, n, NULL, trim, trim ? &in : NULL, &l->findings, e);
  free(o);
  return rc;
}

/* The picture in metric_test.h: 105 of 120 processor seconds are busy; one task waits from 5 to 10 beside the
 * one that waits from 5 to 20. From 10 to 20: 25 of 40, and one waits all the time. */
static void records_say_what_changed(void **state)
{
  hc_task_record t[GANTT_TASKS];
  hc_interval x[GANTT_INTERVALS];
  void *o = default_options(&hc_trim_window.component);
  const hc_chosen trim = {&hc_trim_window.component, o};
  hc_error e = {0};
  hc_finding_list l;
  (void)state;
  gantt(t, x);
  assert_int_equal(evaluate(&hc_metric_host_load, t, GANTT_TASKS, NULL, &l, &e), 0);
  FOUND(NULL, 0, "host_load_cpu", 105 / 120.);
  FOUND(NULL, 0, "host_load_cpu_amount", 105 / 30.);
  hc_finding_list_fini(&l);
  assert_int_equal(evaluate(&hc_metric_queue_load, t, GANTT_TASKS, NULL, &l, &e), 0);
  FOUND(NULL, 0, "queue_load_tasks_mean", 20 / 30.);
  FOUND(NULL, 0, "queue_load_tasks_max", 2);
  FOUND(NULL, 0, "queue_load_cpu_amount", (5 * 1 + 15 * 4) / 30.);
  hc_finding_list_fini(&l);
  set_option(&hc_trim_window.component, o, "from", 10);
  set_option(&hc_trim_window.component, o, "to", 20);
  assert_int_equal(evaluate(&hc_metric_host_load, t, GANTT_TASKS, &trim, &l, &e), 0);
  FOUND(NULL, 0, "host_load_cpu", 25 / 40.);
  hc_finding_list_fini(&l);
  assert_int_equal(evaluate(&hc_metric_queue_load, t, GANTT_TASKS, &trim, &l, &e), 0);
  FOUND(NULL, 0, "queue_load_tasks_mean", 1);
  hc_finding_list_fini(&l);
  free(o);
}

static void use_is_not_in_records(void **state)
{
  hc_task_record t[GANTT_TASKS];
  hc_interval x[GANTT_INTERVALS];
  hc_error e = {0};
  hc_finding_list l;
  (void)state;
  gantt(t, x);
  assert_int_equal(evaluate(&hc_metric_usage, t, GANTT_TASKS, NULL, &l, &e), HC_EUNSUPPORTED);
  assert_non_null(strstr(e.text, "metric usage counts what tasks really use"));
  hc_finding_list_fini(&l);
}

/* Records with one task of which the story of hosts says nothing: named, not counted as 0. */
static void a_story_with_a_gap_is_refused(void **state)
{
  const hc_task_record t = task_of(7, 0, 5, 10, 1, 1);
  const hc_host_story none = {0};
  void *o = default_options(&hc_metric_host_load.component);
  const hc_chosen chosen = {&hc_metric_host_load.component, o};
  hc_metric_context context = context_of(6);
  hc_error e = {0};
  hc_finding_list l;
  (void)state;
  context.cell = &test_cell;
  hc_finding_list_init(&l, hc_default_allocator());
  assert_int_equal(hc_metric_evaluate(&context, &chosen, 1, &t, 1, &none, NULL, NULL, &l.findings, &e),
                   HC_EUNSUPPORTED);
  assert_non_null(strstr(e.text, "what task 7 asked of them"));
  hc_finding_list_fini(&l);
  free(o);
}

/* ---- fragments of GPUs ---- */

/* A host of 8 cores and 2 GPUs; typical are (4 cores, half a GPU), thrice as often as (4 cores, a GPU). In
 * thousandths, F = (3 x F(half) + F(whole)) / 4:
 *    0  1 core and 400 of GPU 0    600 and 1000 are free: 0, 600               F  150 of 1600
 *   10  1 core and 500 of GPU 1    600 and 500: 0, all of 1100                 F  275 of 1100
 *   20  3 cores                    3 are left, neither can run: all, all       F 1100 of 1100
 *   40  all are given back         0, 0                                        F    0 of 2000
 *   50  the host goes away                                                     F    0 of    0
 * Integrals to 60: F 150 x 10 + 275 x 10 + 1100 x 20 = 26250; free 16000 + 11000 + 22000 + 20000 = 69000. */
static void fragments_of(void *o, bool learns)
{
  static const hc_host_class class = {.name = "g", .capacity = {8000, 64, 0, 2000}, .devices = 2};
  static const uint32_t class_of[] = {0};
  static const char *const names[] = {"h"};
  const hc_cell_spec cell = {.granularity = HC_CELL_HOSTS,
                             .units = 1,
                             .classes = &class,
                             .class_count = 1,
                             .class_of = class_of,
                             .host_names = names};
  hc_change c[] = {change(HC_CHANGE_QUEUED, 0, 1, -1, HC_NO_HOST),
                   change(HC_CHANGE_QUEUED, 0, 2, -1, HC_NO_HOST),
                   claim(0, 1, -1, 0, 1000, 1),
                   claim(10, 2, -1, 0, 1000, 1),
                   claim(20, 3, -1, 0, 3000, 1),
                   release(40, 1, -1, 0, 1000, 1),
                   release(40, 2, -1, 0, 1000, 1),
                   release(40, 3, -1, 0, 3000, 1),
                   change(HC_CHANGE_HOST, 50, 0, -1, 0)};
  hc_metric_context context = context_with(&cell);
  hc_finding_list l;
  c[0].slots = learns ? 3 : 0;
  c[1].slots = learns ? 1 : 0;
  c[0].amount[HC_DIM_CPU] = c[1].amount[HC_DIM_CPU] = 4000;
  c[0].amount[HC_DIM_GPU] = 500;
  c[1].amount[HC_DIM_GPU] = 1000;
  c[2].amount[HC_DIM_GPU] = c[5].amount[HC_DIM_GPU] = 400;
  c[3].amount[HC_DIM_GPU] = c[6].amount[HC_DIM_GPU] = 500;
  c[2].devices.bits[0] = c[5].devices.bits[0] = 1;
  c[3].devices.bits[0] = c[6].devices.bits[0] = 2;
  find_changes(&hc_metric_gpu_fragments, &context, o, c, HC_ARRAY_LEN(c), 60, &l);
  FOUND(NULL, 0, "gpu_fragments_ratio", 26250 / 69000.);
  FOUND(NULL, 0, "gpu_fragments_amount", 26250 / 60. / 1000);
  FOUND(NULL, 0, "gpu_fragments_free", 69000 / 60. / 1000);
  FOUND("gpu_fragments", 0, "ratio", (1500 + 2750) / 27000.);
  FOUND("gpu_fragments", 20, "ratio", 1);
  FOUND("gpu_fragments", 40, "ratio", 0);
  FOUND("gpu_fragments", 40, "free", 1);
  hc_finding_list_fini(&l);
}

static void fragments_of_gpus(void **state)
{
  const char *typical[] = {"4 0.5 3", "4 1 1"};
  void *o = options_of(&hc_metric_gpu_fragments, 20, 100);
  (void)state;
  fragments_of(o, true); /* three halves and one whole were queued */
  set_list(&hc_metric_gpu_fragments.component, o, "typical", typical, 2);
  fragments_of(o, false);
  free(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_say_what_changed),
      cmocka_unit_test(use_is_not_in_records),
      cmocka_unit_test(a_story_with_a_gap_is_refused),
      cmocka_unit_test(fragments_of_gpus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
