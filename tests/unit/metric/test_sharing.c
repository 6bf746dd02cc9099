/* test_sharing.c -- families that compare what users have with what is fair: published examples held as
 * allocations, histories worked out by hand, and random histories against a computation that keeps every
 * instant. */
#include <stdio.h>

#include "cluster/filling.h"
#include "cluster/lexicon.h"
#include "metric_test.h"

#define FOUND(table, key, name, value) expect_found(&l, table, key, name, value)

/* One host of 9 cores and 18 GB, the cell of the example of Ghodsi et al., NSDI 2011. */
static const hc_host_class ghodsi_class = {.name = "one", .capacity = {9000, 18 * GIB}};
/* 30 cores, 30 GB: their example against asset fairness. */
static const hc_host_class asset_class = {.name = "one", .capacity = {30000, 30 * GIB}};
static const uint32_t one_class_of[2] = {0, 0};

static hc_cell_spec cell_of(const hc_host_class *class, uint32_t hosts)
{
  return (hc_cell_spec){.granularity = HC_CELL_HOSTS,
                        .units = hosts,
                        .classes = class,
                        .class_count = 1,
                        .class_of = one_class_of};
}

/* A history being written down. */
typedef struct history {
  hc_change items[512];
  size_t count;
  uint64_t serial;
} history;

static void queue(history *h, int64_t at, uint64_t serial, int64_t user, int64_t cpu, int64_t memory)
{
  h->items[h->count++] = amounts(change(HC_CHANGE_QUEUED, at, serial, user, HC_NO_HOST), cpu, memory);
}

static void start(history *h, int64_t at, uint64_t serial, int64_t user, int64_t cpu, int64_t memory)
{
  h->items[h->count++] = amounts(change(HC_CHANGE_UNQUEUED, at, serial, user, HC_NO_HOST), cpu, memory);
  h->items[h->count++] = claim(at, serial, user, 0, cpu, memory);
}

/* `waiting` tasks come at 0, of which `running` start at once. */
static void backlog(history *h, int64_t user, int running, int waiting, int64_t cpu, int64_t memory)
{
  for (int i = 0; i < running + waiting; i++) {
    queue(h, 0, h->serial, user, cpu, memory);
    if (i < running) start(h, 0, h->serial, user, cpu, memory);
    h->serial++;
  }
  qsort(h->items, h->count, sizeof *h->items, by_time);
}

static void find_of(const hc_metric_type *m, const hc_cell_spec *cell, const void *options, const history *h,
                    int64_t end, hc_finding_list *l)
{
  const hc_metric_context context = context_with(cell);
  find_changes(m, &context, options, h->items, h->count, end, l);
}

/* ---- what DRF gives is fair ---- */

/* D1: A (1 core, 4 GB) runs 3 tasks, B (3, 1) 2, both with more waiting: dominant shares of 2/3, which is
 * what is fair, so Jain 1, no deficit, and nothing that pooling would gain: 9 of 9 cores, 14 of 18 GB. In B's
 * place, on (6, 2), A would run half a task, in A's, on (3, 12), B 1: neither envies. Of half of everything A
 * would run 2.25, B 1.5: both have 4/3 of that. */
static void the_allocation_of_drf_is_fair(void **state)
{
  const hc_cell_spec cell = cell_of(&ghodsi_class, 1);
  history h = {.count = 0};
  hc_finding_list l;
  (void)state;
  backlog(&h, 1, 3, 20, 1000, 4 * GIB);
  backlog(&h, 2, 2, 20, 3000, GIB);
  find_of(&hc_metric_fair_share, &cell, NULL, &h, 100, &l);
  FOUND("fair_share_by_user", 1, "fair", 2 / 3.);
  FOUND("fair_share_by_user", 2, "fair", 2 / 3.);
  FOUND("fair_share_by_user", 2, "used", 2 / 3.);
  FOUND(NULL, 0, "fair_share_jain", 1);
  FOUND(NULL, 0, "fair_share_jain_satisfaction", 1);
  FOUND(NULL, 0, "fair_share_deficit", 0);
  FOUND(NULL, 0, "fair_share_distance", 0);
  FOUND(NULL, 0, "fair_share_cpu_gain", 0);
  FOUND(NULL, 0, "fair_share_memory_gain", 0);
  FOUND(NULL, 0, "fair_share_users", 2);
  hc_finding_list_fini(&l);
  find_of(&hc_metric_envy, &cell, NULL, &h, 100, &l);
  FOUND(NULL, 0, "envy_mean", 0);
  FOUND(NULL, 0, "envy_max", 0);
  FOUND(NULL, 0, "envy_time_beyond_a_task", 0);
  hc_finding_list_fini(&l);
  find_of(&hc_metric_sharing_incentive, &cell, NULL, &h, 100, &l);
  FOUND("sharing_incentive_by_user", 1, "ratio", 4 / 3.);
  FOUND("sharing_incentive_by_user", 2, "ratio", 4 / 3.);
  FOUND(NULL, 0, "sharing_incentive_min", 4 / 3.);
  FOUND(NULL, 0, "sharing_incentive_losers", 0);
  hc_finding_list_fini(&l);
  find_of(&hc_metric_underserved, &cell, NULL, &h, 100, &l);
  FOUND(NULL, 0, "underserved_periods", 0);
  FOUND("satisfaction", 100, "of_usage", 1);
  hc_finding_list_fini(&l);
}

/* D4: of (30, 30) asset fairness gives U1 (1, 3) 6 tasks and U2 (1, 1) 12: U2 holds (12, 12), less than the
 * (15, 15) that would be its own, 12/15. Fair would be 5 and 15 tasks, shares of a half: U1 has 18/30, U2
 * 12/30, 0.1 apart. In the place of U1, on (6, 18), U2 would run 6: no envy either way. */
static void asset_fairness_violates_sharing_incentive(void **state)
{
  const hc_cell_spec cell = cell_of(&asset_class, 1);
  void *o = default_options(&hc_metric_underserved.component);
  history h = {.count = 0};
  hc_finding_list l;
  (void)state;
  backlog(&h, 1, 6, 60, 1000, 3 * GIB);
  backlog(&h, 2, 12, 60, 1000, GIB);
  find_of(&hc_metric_sharing_incentive, &cell, NULL, &h, 50, &l);
  FOUND("sharing_incentive_by_user", 2, "ratio", 12 / 15.);
  FOUND("sharing_incentive_by_user", 1, "ratio", 6 / 5.);
  FOUND(NULL, 0, "sharing_incentive_min", 12 / 15.);
  FOUND(NULL, 0, "sharing_incentive_losers", 0.5);
  FOUND(NULL, 0, "sharing_incentive_loss", 3 / 30.);
  FOUND("sharing_incentive_by_user", 2, "below", 1); /* by three tasks, all the time */
  hc_finding_list_fini(&l);
  find_of(&hc_metric_fair_share, &cell, NULL, &h, 50, &l);
  FOUND("fair_share_by_user", 2, "fair", 0.5);
  FOUND("fair_share_by_user", 2, "deficit", 0.1);
  FOUND("fair_share_by_user", 1, "deficit", 0);
  FOUND("fair_share_by_user", 1, "distance", 0.1);
  FOUND(NULL, 0, "fair_share_distance", 0.2);
  FOUND(NULL, 0, "fair_share_cpu_gain", (20 - 18) / 30.);
  FOUND(NULL, 0, "fair_share_memory_gain", 0); /* 30 of 30 are held */
  FOUND(NULL, 0, "fair_share_jain", 1 / (2 * (0.36 + 0.16)));
  hc_finding_list_fini(&l);
  set_option(&hc_metric_underserved.component, o, "tolerance", 0.9);
  find_of(&hc_metric_underserved, &cell, o, &h, 50, &l);
  FOUND("underserved_by_user", 2, "longest", 50); /* 0.4 < 0.9 x 0.5, cut by the end */
  FOUND("underserved_by_user", 2, "penalty", 2500);
  FOUND("underserved_by_user", 2, "time", 1);
  FOUND("underserved_by_user", 1, "periods", 0);
  FOUND("satisfaction", 80, "of_usage", 0.4);
  FOUND("satisfaction", 120, "of_usage", 0.6);
  FOUND("satisfaction", 80, "of_fair", 0.5);
  hc_finding_list_fini(&l);
  free(o);
}

/* D9: with weights 2 : 1 on the cell of D1, 54/13 and 18/13 tasks are fair: shares 12/13 and 6/13. */
static void weights_count(void **state)
{
  static const char *const texts[] = {"1=2"}, *const wrong[] = {"1=0", "=1", "3", "1=2=x"},
                           *const twice[] = {"1=2", "1=3"};
  const hc_metric_type *const families[] = {&hc_metric_fair_share, &hc_metric_underserved, &hc_metric_envy,
                                            &hc_metric_sharing_incentive, &hc_metric_finish_time};
  const hc_cell_spec cell = cell_of(&ghodsi_class, 1);
  hc_metric_context context = context_with(&cell);
  history h = {.count = 0};
  hc_finding_list l;
  (void)state;
  backlog(&h, 1, 3, 20, 1000, 4 * GIB);
  backlog(&h, 2, 2, 20, 3000, GIB);
  for (size_t k = 0; k < HC_ARRAY_LEN(families); k++) {
    void *o = default_options(&families[k]->component);
    for (size_t i = 0; i < HC_ARRAY_LEN(wrong) + 1; i++) {
      hc_metric *self = NULL;
      hc_error e = {0};
      if (i < HC_ARRAY_LEN(wrong)) set_list(&families[k]->component, o, "weights", &wrong[i], 1);
      else set_list(&families[k]->component, o, "weights", twice, 2);
      assert_int_equal(families[k]->init(&context, o, &self, &e), HC_EUSAGE);
      assert_non_null(strstr(e.text, "weight"));
      assert_non_null(strstr(e.where, families[k]->component.name));
    }
    set_list(&families[k]->component, o, "weights", texts, 1);
    if (k == 0) {
      find_of(families[k], &cell, o, &h, 10, &l);
      FOUND("fair_share_by_user", 1, "fair", 12 / 13.);
      FOUND("fair_share_by_user", 2, "fair", 6 / 13.);
      /* u / w: a third and two thirds */
      FOUND(NULL, 0, "fair_share_jain", 1 / (2 * (1 / 9. + 4 / 9.)));
      hc_finding_list_fini(&l);
    }
    free(o);
  }
}

/* The same, where the source has numbered the names that it read: ann is user 1, ben 2. The name counts
 * before the number. With ben's weight 2: a + 3 b = 9 cores and b / 3 = 2 x 4 a / 18, so a = 9 / 5, and
 * shares of 2/5 and 4/5. */
static void weights_go_by_name(void **state)
{
  static const struct {
    const char *texts[2];
    size_t count;
    double one, two; /* fair shares of users 1 and 2 */
  } cases[] = {{{"ann=2"}, 1, 12 / 13., 6 / 13.},
               {{"ben=2"}, 1, 0.4, 0.8},
               {{"1=2"}, 1, 12 / 13., 6 / 13.},
               {{"ann=2", "1=7"}, 2, 12 / 13., 6 / 13.}};
  const hc_cell_spec cell = cell_of(&ghodsi_class, 1);
  hc_metric_context context = context_with(&cell);
  history h = {.count = 0};
  hc_lexicon *lexicon;
  (void)state;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &lexicon), 0);
  assert_int_equal(hc_lexicon_name(lexicon, "first", 5), 0); /* names have numbers of their own */
  assert_int_equal(hc_lexicon_call(lexicon, HC_CALLED_USER, 1, "ann", 3), 0);
  assert_int_equal(hc_lexicon_call(lexicon, HC_CALLED_USER, 2, "ben", 3), 0);
  context.lexicon = lexicon;
  backlog(&h, 1, 3, 20, 1000, 4 * GIB);
  backlog(&h, 2, 2, 20, 3000, GIB);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    void *o = default_options(&hc_metric_fair_share.component);
    hc_finding_list l;
    set_list(&hc_metric_fair_share.component, o, "weights", cases[i].texts, cases[i].count);
    find_changes(&hc_metric_fair_share, &context, o, h.items, h.count, 10, &l);
    FOUND("fair_share_by_user", 1, "fair", cases[i].one);
    FOUND("fair_share_by_user", 2, "fair", cases[i].two);
    hc_finding_list_fini(&l);
    free(o);
  }
  hc_lexicon_free(lexicon);
}

/* ---- over time ---- */

/* Ten cores, two users with tasks of a core and enough of them. [0, 10): A has 8, B 2; [10, 40): A 2, B 8.
 * Fair is 5 each. B is owed 0.3 for 10 s, then A for 30 s: deficit 0.3 all the time. In a window of 16 s, in
 * steps of 1 s: at second t <= 10 B is owed 0.3 t; from then on it gets back 0.3 a second, until 20; what A
 * is owed counts from there on, and is all of the window from 26 on. */
static void a_window_forgives(void **state)
{
  void *o = options_of(&hc_metric_fair_share, 10, 100);
  hc_metric_context context = context_of(10);
  history h = {.count = 0};
  hc_finding_list l;
  double owed = 0, most = 0;
  int64_t due[40];
  (void)state;
  for (uint64_t i = 0; i < 40; i++) {
    const int64_t user = i < 20 ? 1 : 2;
    const bool early = i < 8 || (i >= 20 && i < 22);
    queue(&h, 0, i, user, 1000, 0);
    if (!early) continue;
    start(&h, 0, i, user, 1000, 0);
    h.items[h.count - 1].host = HC_NO_HOST;
  }
  for (uint64_t i = 2; i < 8; i++) h.items[h.count++] = release(10, i, 1, HC_NO_HOST, 1000, 0);
  for (uint64_t i = 22; i < 28; i++) {
    start(&h, 10, i, 2, 1000, 0);
    h.items[h.count - 1].host = HC_NO_HOST;
  }
  qsort(h.items, h.count, sizeof *h.items, by_time);
  for (int t = 0; t < 40; t++) due[t] = t < 10 ? 3 : -3; /* to B, in cores x s */
  for (int t = 1; t <= 40; t++) {
    int64_t sum = 0;
    for (int k = t > 16 ? t - 16 : 0; k < t; k++) sum += due[k];
    owed += (double)(sum < 0 ? -sum : sum) / 10 / 16;
    most = (double)(sum < 0 ? -sum : sum) / 160 > most ? (double)(sum < 0 ? -sum : sum) / 160 : most;
  }
  set_option(&hc_metric_fair_share.component, o, "window", 16);
  find_changes(&hc_metric_fair_share, &context, o, h.items, h.count, 40, &l);
  FOUND(NULL, 0, "fair_share_deficit", 0.3);
  FOUND(NULL, 0, "fair_share_distance", 0.6);
  FOUND("fair_share_by_user", 2, "deficit", 0.3 * 10 / 40);
  FOUND("fair_share_by_user", 1, "deficit_max", 0.3);
  FOUND(NULL, 0, "fair_share_window_deficit", owed / 40);
  FOUND(NULL, 0, "fair_share_window_deficit_max", most);
  FOUND("fair_share:user:1", 0, "used", 0.8);
  FOUND("fair_share:user:1", 10, "used", 0.2);
  FOUND("fair_share:user:1", 10, "fair", 0.5);
  FOUND("fair_share", 0, "deficit", 0.3);
  hc_finding_list_fini(&l);
  /* Nothing changes for 10^6 s more: the window is full of what A is owed, step after step. */
  find_changes(&hc_metric_fair_share, &context, o, h.items, h.count, 1000040, &l);
  FOUND(NULL, 0, "fair_share_window_deficit", (owed + 0.3 * 1e6) / 1000040);
  hc_finding_list_fini(&l);
  free(o);
}

/* Ten cores. B runs nothing on [0, 4), 5 of its tasks on [4, 10), nothing on [10, 12), and then 5: two
 * periods. */
static void periods_are_counted(void **state)
{
  hc_metric_context context = context_of(10);
  void *o = default_options(&hc_metric_underserved.component);
  history h = {.count = 0};
  hc_finding_list l;
  (void)state;
  for (uint64_t i = 0; i < 10; i++) queue(&h, 0, i, 1, 1000, 0);
  for (uint64_t i = 10; i < 20; i++) queue(&h, 0, i, 2, 1000, 0);
  for (int64_t k = 0; k < 2; k++) {
    const uint64_t first = 10 + 5 * (uint64_t)k;
    for (uint64_t i = first; i < first + 5; i++) {
      start(&h, k ? 12 : 4, i, 2, 1000, 0);
      h.items[h.count - 1].host = HC_NO_HOST;
      if (k == 0) h.items[h.count++] = release(10, i, 2, HC_NO_HOST, 1000, 0);
    }
  }
  for (uint64_t i = 0; i < 5; i++) {
    start(&h, 0, i, 1, 1000, 0);
    h.items[h.count - 1].host = HC_NO_HOST;
  }
  qsort(h.items, h.count, sizeof *h.items, by_time);
  find_changes(&hc_metric_underserved, &context, o, h.items, h.count, 20, &l);
  FOUND(NULL, 0, "underserved_periods", 2);
  FOUND(NULL, 0, "underserved_penalty", 16 + 4);
  FOUND(NULL, 0, "underserved_length_p50", 2);
  FOUND(NULL, 0, "underserved_length_max", 4);
  FOUND(NULL, 0, "underserved_users", 6 / 20.);
  FOUND("underserved_by_user", 2, "time", 6 / 20.);
  FOUND("underserved_by_user", 2, "longest", 4);
  FOUND("satisfaction", 0, "of_usage", 0);
  /* B's fair share is 0.5 all the time, A's too; 6 of 40 user-seconds are in the lowest tenth. */
  FOUND("satisfaction", 0, "of_fair", 6 / 40.);
  hc_finding_list_fini(&l);
  set_option(&hc_metric_underserved.component, o, "shortest", 2);
  set_option(&hc_metric_underserved.component, o, "power", 1);
  find_changes(&hc_metric_underserved, &context, o, h.items, h.count, 20, &l);
  FOUND(NULL, 0, "underserved_periods", 1); /* the second is not longer than 2 s */
  FOUND(NULL, 0, "underserved_penalty", 4);
  hc_finding_list_fini(&l);
  free(o);
}

/* Twelve cores: A runs 8 tasks of one, B 2 and C none, all with more that wait. B would rather be A: 8 / 2 -
 * 1 = 3, by 6 tasks; C starves. With weights B = 4 and A = 1 B would be content with a quarter, and looks at
 * 8 x 4. */
static void envy_by_hand(void **state)
{
  static const char *const texts[] = {"2=0.25"};
  hc_metric_context context = context_of(12);
  void *o = default_options(&hc_metric_envy.component);
  history h = {.count = 0};
  hc_finding_list l;
  (void)state;
  for (uint64_t i = 0; i < 60; i++) {
    const int64_t user = 1 + (int64_t)i / 20;
    queue(&h, 0, i, user, 1000, 0);
    if (i >= 8 && (i < 20 || i >= 22)) continue;
    start(&h, 0, i, user, 1000, 0);
    h.items[h.count - 1].host = HC_NO_HOST;
  }
  qsort(h.items, h.count, sizeof *h.items, by_time);
  find_changes(&hc_metric_envy, &context, o, h.items, h.count, 10, &l);
  FOUND("envy_by_user", 1, "mean", 0);
  FOUND("envy_by_user", 2, "mean", 3);
  FOUND("envy_by_user", 2, "beyond_a_task", 1);
  FOUND("envy_by_user", 3, "starving", 1);
  FOUND(NULL, 0, "envy_mean", 1.5); /* of A and B */
  FOUND(NULL, 0, "envy_max", 3);
  FOUND(NULL, 0, "envy_users", 2);
  FOUND(NULL, 0, "envy_starving", 1 / 3.);
  FOUND(NULL, 0, "envy_time_beyond_a_task", 1);
  hc_finding_list_fini(&l);
  set_list(&hc_metric_envy.component, o, "weights", texts, 1);
  find_changes(&hc_metric_envy, &context, o, h.items, h.count, 10, &l);
  FOUND("envy_by_user", 2, "mean", 0); /* 8 / 4 = 2, which it has */
  hc_finding_list_fini(&l);
  free(o);
}

/* Two hosts of 4 cores and 8 GiB. A task of 3 cores waits from 0 to 10 while each host has 2 free; at 5 one
 * host gets 3 free. One of two slots of 2 cores waits from 2 to 4: it fits, one slot a host. A whole host is
 * asked for from 12 to 14 while the second is idle from 13 on. Up to 20. */
static void what_would_fit(void **state)
{
  static const hc_host_class class = {.name = "two", .capacity = {4000, 8 * GIB}};
  const hc_cell_spec cell = cell_of(&class, 2);
  hc_change c[] = {claim(0, 1, 1, 0, 1000, GIB),
                   claim(0, 2, 1, 0, 1000, GIB),
                   claim(0, 3, 1, 1, 2000, GIB),
                   amounts(change(HC_CHANGE_QUEUED, 0, 4, 2, HC_NO_HOST), 3000, GIB),
                   amounts(change(HC_CHANGE_QUEUED, 2, 5, 2, HC_NO_HOST), 2000, GIB),
                   amounts(change(HC_CHANGE_UNQUEUED, 4, 5, 2, HC_NO_HOST), 2000, GIB),
                   release(5, 2, 1, 0, 1000, GIB),
                   amounts(change(HC_CHANGE_UNQUEUED, 10, 4, 2, HC_NO_HOST), 3000, GIB),
                   change(HC_CHANGE_QUEUED, 12, 6, 2, HC_NO_HOST),
                   release(13, 3, 1, 1, 2000, GIB),
                   change(HC_CHANGE_UNQUEUED, 14, 6, 2, HC_NO_HOST)};
  hc_finding_list l;
  hc_metric_context context = context_with(&cell);
  (void)state;
  c[4].slots = c[5].slots = 2;
  c[8].whole = c[10].whole = 1;
  find_changes(&hc_metric_pareto, &context, NULL, c, HC_ARRAY_LEN(c), 20, &l);
  FOUND(NULL, 0, "pareto_violation", (2 + 5 + 1) / 20.);
  FOUND(NULL, 0, "pareto_violation_of_waiting", 8 / 12.);
  FOUND(NULL, 0, "pareto_tasks", 8 / 20.);
  FOUND(NULL, 0, "pareto_tasks_max", 1);
  hc_finding_list_fini(&l);
}

/* Ten cores, two parties. User 1: at 0 a task of 8 cores and 10 s, which runs on [2, 12): alone it would need
 * more than its 5 cores and run for 16 s, rho 12/16. At 4 one of 1 core and 10 s that runs on [12, 22):
 * 18/10. Alone the load is 16 s from 0 and 2 s from 4 on: 18 s, and shared it took 22. */
static void times_alone(void **state)
{
  hc_metric_context context = context_of(10);
  void *o = default_options(&hc_metric_finish_time.component);
  history h = {.count = 0};
  hc_finding_list l;
  (void)state;
  queue(&h, 0, 1, 1, 8000, 0);
  start(&h, 2, 1, 1, 8000, 0);
  h.items[h.count++] = release(12, 1, 1, HC_NO_HOST, 8000, 0);
  queue(&h, 4, 2, 1, 1000, 0);
  start(&h, 12, 2, 1, 1000, 0);
  h.items[h.count++] = release(22, 2, 1, HC_NO_HOST, 1000, 0);
  qsort(h.items, h.count, sizeof *h.items, by_time);
  set_option(&hc_metric_finish_time.component, o, "parties", 2);
  find_changes(&hc_metric_finish_time, &context, o, h.items, h.count, 30, &l);
  FOUND("finish_time_by_user", 1, "shared", 22);
  FOUND("finish_time_by_user", 1, "independent", 18);
  FOUND("finish_time_by_user", 1, "rho", 22 / 18.);
  FOUND("finish_time_by_user", 1, "task_mean", (12 / 16. + 18 / 10.) / 2);
  FOUND(NULL, 0, "finish_time_user_max", 22 / 18.);
  FOUND(NULL, 0, "finish_time_task_late", 0.5);
  FOUND(NULL, 0, "finish_time_task_max", 1.8);
  FOUND(NULL, 0, "finish_time_task_p50", 0.75);
  hc_finding_list_fini(&l);
  free(o);
}

/* A host fails under a task, which is back in the queue at once and starts anew: one task, from 0 to 30, that
 * ran 10. */
static void a_second_attempt_is_the_same_task(void **state)
{
  hc_metric_context context = context_of(10);
  history h = {.count = 0};
  hc_finding_list l;
  (void)state;
  queue(&h, 0, 1, 1, 1000, 0);
  start(&h, 0, 1, 1, 1000, 0);
  h.items[h.count++] = release(15, 1, 1, HC_NO_HOST, 1000, 0);
  queue(&h, 15, 1, 1, 1000, 0);
  start(&h, 20, 1, 1, 1000, 0);
  h.items[h.count++] = release(30, 1, 1, HC_NO_HOST, 1000, 0);
  find_changes(&hc_metric_finish_time, &context, NULL, h.items, h.count, 30, &l);
  FOUND("finish_time_by_user", 1, "tasks", 1);
  FOUND("finish_time_by_user", 1, "task_mean", 3);
  hc_finding_list_fini(&l);
}

static size_t state_size(const hc_metric_type *m, hc_metric *self)
{
  hc_buffer b;
  hc_visitor v = {.mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &b};
  size_t size;
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(m->visit(self, &v), 0);
  size = b.size;
  hc_buffer_fini(&b);
  return size;
}

/* Tasks that come, and leave the queue without having started, or that come and end: what is kept of the
 * first is what is kept of a hundred. */
static void who_is_gone_is_forgotten(void **state)
{
  hc_metric_context context = context_of(10);
  void *o = default_options(&hc_metric_finish_time.component);
  hc_metric *self = NULL;
  size_t after_four = 0;
  (void)state;
  assert_int_equal(hc_metric_finish_time.init(&context, o, &self, NULL), 0);
  for (uint64_t i = 0; i < 100; i++) {
    const int64_t t = (int64_t)i / 2 * 10;
    hc_change c[] = {change(HC_CHANGE_QUEUED, t, i, 1, HC_NO_HOST),
                     change(HC_CHANGE_UNQUEUED, t + 1, i, 1, HC_NO_HOST),
                     claim(t + 1, i, 1, HC_NO_HOST, 0, 0), release(t + 2, i, 1, HC_NO_HOST, 0, 0)};
    c[0].amount[HC_DIM_CPU] = c[1].amount[HC_DIM_CPU] = 1000;
    for (size_t k = 0; k < (i % 2 ? 2 : 4); k++)
      assert_int_equal(hc_metric_finish_time.changes(self, &c[k], 1), 0);
    if (i == 4) after_four = state_size(&hc_metric_finish_time, self);
  }
  /* but for a quantile's value of 8 bytes for each that ended, and two vacant places of 4 */
  assert_in_range(state_size(&hc_metric_finish_time, self), after_four, after_four + 48 * 8 + 2 * 4);
  hc_metric_finish_time.fini(self);
  free(o);
}

/* User 1: a task on two hosts [0, 10), one [4, 10); user 2: [2, 30), cut at 20. From 5 on: 5 + 5, and 15. At
 * rate 0.5 for what holds memory, of user 1 only the second counts as half. */
static void times_of_tasks(void **state)
{
  static const char memory[] = "memory";
  const hc_cell_spec cell = cell_of(&ghodsi_class, 2);
  const hc_change c[] = {claim(0, 1, 1, 0, 1000, 0),     claim(0, 1, 1, 1, 1000, 0),
                         claim(2, 3, 2, 0, 1000, GIB),   claim(4, 2, 1, 1, 1000, GIB),
                         release(10, 1, 1, 0, 1000, 0),  release(10, 1, 1, 1, 1000, 0),
                         release(10, 2, 1, 1, 1000, GIB)};
  hc_metric_context context = context_with(&cell);
  void *o = options_of(&hc_metric_task_time, 10, 100);
  hc_finding_list l;
  (void)state;
  find_changes(&hc_metric_task_time, &context, o, c, HC_ARRAY_LEN(c), 20, &l);
  FOUND("task_time_by_user", 1, "task_time", 16);
  FOUND("task_time_by_user", 2, "task_time", 18);
  FOUND(NULL, 0, "task_time", 34);
  FOUND("task_time", 10, "running", 1);
  hc_finding_list_fini(&l);
  set_option(&hc_metric_task_time.component, o, "from", 5);
  set_option(&hc_metric_task_time.component, o, "user", 1);
  set_option(&hc_metric_task_time.component, o, "rate", 0.5);
  for (const hc_param *p = hc_metric_task_time.component.params; p->name; p++)
    if (strcmp(p->name, "dimension") == 0) {
      const char *word = memory;
      memcpy((char *)o + p->offset, &word, sizeof word);
    }
  find_changes(&hc_metric_task_time, &context, o, c, HC_ARRAY_LEN(c), 20, &l);
  FOUND("task_time_by_user", 1, "task_time", 5 + 2.5);
  FOUND("task_time_by_user", 2, "task_time", 15);
  hc_finding_list_fini(&l);
  free(o);
}

/* ---- against a computation that keeps everything ---- */

enum { MANY = 17 };

typedef struct model {
  double held[MANY][HC_DIMENSIONS], wanted[MANY][HC_DIMENSIONS], capacity[HC_DIMENSIONS];
  double away[6]; /* is the host away? */
  double host[6][HC_DIMENSIONS];
  int tasks[MANY];
} model;

static void apply(model *m, const hc_change *c)
{
  const int u = (int)c->user + 1;
  for (int d = 0; d < HC_DIMENSIONS; d++) {
    const double each = (double)c->amount[d], times = d == LICENCE ? 1 : c->slots;
    if (c->kind == HC_CHANGE_HOST) {
      m->capacity[d] += each - m->host[c->host][d];
      m->host[c->host][d] = each;
    } else if (c->kind == HC_CHANGE_CLAIMED) m->held[u][d] += each;
    else if (c->kind == HC_CHANGE_RELEASED) m->held[u][d] -= each;
    else m->wanted[u][d] += (c->kind == HC_CHANGE_QUEUED ? 1 : -1) * each * times;
  }
}

/* Of each user f and u now, from scratch. */
static void shares_now(const model *m, double *fair, double *used)
{
  double demand[MANY * HC_DIMENSIONS], most[MANY], parts[MANY];
  hc_fair_problem p = {
      .users = MANY, .dims = HC_DIMENSIONS, .capacity = m->capacity, .demand = demand, .most = most};
  for (int u = 0; u < MANY; u++) {
    most[u] = 1;
    for (int d = 0; d < HC_DIMENSIONS; d++) {
      const bool counts = m->capacity[d] > 0 || d < HC_DIM_DISK || d == HC_DIM_GPU || d == LICENCE;
      demand[u * HC_DIMENSIONS + d] = counts ? m->held[u][d] + m->wanted[u][d] : 0;
    }
  }
  assert_int_equal(hc_fair_drf(hc_default_allocator(), &p, parts, NULL), 0);
  for (int u = 0; u < MANY; u++) {
    fair[u] = used[u] = 0;
    for (int d = 0; d < HC_DIMENSIONS; d++) {
      const double c = m->capacity[d], wants = demand[u * HC_DIMENSIONS + d];
      if (!(c > 0)) continue;
      used[u] = HC_MAX(used[u], m->held[u][d] / c);
      if (wants > 0) fair[u] = HC_MAX(fair[u], parts[u] * wants / c);
    }
  }
}

static void expect_near(const hc_finding_list *l, const char *table, int64_t key, const char *name,
                        double value)
{
  const hc_finding *f = hc_finding_list_get(l, table, key, name);
  double far;
  assert_non_null(f);
  far = f->value - value;
  if (!(far < 1e-9 && far > -1e-9)) fail_msg("%s of %d is %.12g, not %.12g", name, (int)key, f->value, value);
}

/* 300 tasks of 16 users on hosts that come, go and change: means of fair share, use and deficits as an
 * explicit walk over all instants gives them, in which DRF is computed anew at each, for all users whether
 * they are there or not. */
static void random_histories_against_a_walk(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    double fair[MANY], used[MANY], fair_sum[MANY] = {0}, used_sum[MANY] = {0}, deficit[MANY] = {0},
                                   distance = 0;
    hc_metric_context context = context_with(&test_cell);
    hc_change *c;
    const size_t n = random_changes(300, seed, &c);
    const int64_t begin = c[0].at / HC_SECOND, end = c[n - 1].at / HC_SECOND + 5;
    model m = {.capacity = {36000, 72.0 * GIB, 4e12, 8000, 10, 8}};
    hc_finding_list l;
    for (int h = 0; h < 6; h++)
      for (int d = 0; d < HC_DIMENSIONS && h < 5; d++)
        m.host[h][d] = (double)test_classes[test_class_of[h]].capacity[d];
    for (size_t i = 0; i < n;) {
      size_t k = i;
      double dt;
      while (k < n && c[k].at == c[i].at) apply(&m, &c[k++]);
      dt = (double)((k < n ? c[k].at : S(end)) - c[i].at) / 1e9;
      shares_now(&m, fair, used);
      for (int u = 0; u < MANY; u++) {
        fair_sum[u] += fair[u] * dt;
        used_sum[u] += used[u] * dt;
        deficit[u] += HC_MAX(0, fair[u] - used[u]) * dt;
        distance += (fair[u] > used[u] ? fair[u] - used[u] : used[u] - fair[u]) * dt;
      }
      i = k;
    }
    find_changes(&hc_metric_fair_share, &context, NULL, c, n, end, &l);
    for (int u = 0; u < 16; u++) {
      const double time = (double)(end - begin);
      expect_near(&l, "fair_share_by_user", u - 1, "fair", fair_sum[u] / time);
      expect_near(&l, "fair_share_by_user", u - 1, "used", used_sum[u] / time);
      expect_near(&l, "fair_share_by_user", u - 1, "deficit", deficit[u] / time);
    }
    expect_near(&l, NULL, 0, "fair_share_distance", distance / (double)(end - begin));
    hc_finding_list_fini(&l);
    free(c);
  }
}

/* Tasks of one host each that fit or do not, asked of every host anew at every instant. */
static void random_fits_against_a_walk(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    hc_metric_context context = context_with(&test_cell);
    hc_change *c;
    const size_t n = random_changes(200, seed, &c);
    const int64_t begin = c[0].at / HC_SECOND, end = c[n - 1].at / HC_SECOND + 5;
    double violated = 0, tasks = 0, free_of[6][HC_DIMENSIONS], licences = 10;
    size_t *waiting = calloc(n, sizeof *waiting), count = 0;
    hc_finding_list l;
    model m = {.capacity = {0}};
    for (int h = 0; h < 6; h++)
      for (int d = 0; d < HC_DIMENSIONS; d++) {
        m.host[h][d] = h < 5 ? (double)test_classes[test_class_of[h]].capacity[d] : 0;
        free_of[h][d] = m.host[h][d];
      }
    for (size_t i = 0; i < n;) {
      size_t k = i, fitting = 0;
      double dt;
      for (; k < n && c[k].at == c[i].at; k++) {
        if (c[k].kind == HC_CHANGE_QUEUED) waiting[count++] = k;
        if (c[k].kind == HC_CHANGE_UNQUEUED)
          for (size_t w = 0; w < count; w++)
            if (c[waiting[w]].serial == c[k].serial) waiting[w] = waiting[--count];
        for (int d = 0; d < HC_DIMENSIONS && c[k].kind >= HC_CHANGE_CLAIMED; d++) {
          const double x = (double)c[k].amount[d];
          double *f = &free_of[c[k].host][d];
          *f += c[k].kind == HC_CHANGE_CLAIMED    ? -x
                : c[k].kind == HC_CHANGE_RELEASED ? x
                                                  : x - m.host[c[k].host][d];
          if (c[k].kind == HC_CHANGE_HOST) m.host[c[k].host][d] = x;
        }
      }
      for (size_t w = 0; w < count; w++) {
        const hc_change *q = &c[waiting[w]];
        uint32_t slots = 0;
        for (int h = 0; h < 6; h++) {
          double room = 1e9;
          if (!(m.host[h][0] > 0)) continue;
          for (int d = 0; d < HC_DIMENSIONS; d++)
            if (d != LICENCE && q->amount[d] > 0) room = HC_MIN(room, free_of[h][d] / (double)q->amount[d]);
          if (room >= 1) slots += (uint32_t)room;
        }
        fitting += slots >= q->slots && (double)q->amount[LICENCE] <= licences;
      }
      dt = (double)((k < n ? c[k].at : S(end)) - c[i].at) / 1e9;
      violated += fitting > 0 ? dt : 0;
      tasks += (double)fitting * dt;
      i = k;
    }
    find_changes(&hc_metric_pareto, &context, NULL, c, n, end, &l);
    expect_near(&l, NULL, 0, "pareto_violation", violated / (double)(end - begin));
    expect_near(&l, NULL, 0, "pareto_tasks", tasks / (double)(end - begin));
    assert_true(violated > 0 && violated < (double)(end - begin));
    hc_finding_list_fini(&l);
    free(waiting);
    free(c);
  }
}

/* Users who come again and again: 200 different times of submission of one user. The bound is not below the
 * load, and not above it by more than the run is long. */
static void many_submissions_are_bounded(void **state)
{
  hc_metric_context context = context_of(10);
  void *o = default_options(&hc_metric_finish_time.component);
  static history h;
  hc_finding_list l;
  double independent;
  (void)state;
  h.count = 0;
  set_option(&hc_metric_finish_time.component, o, "parties", 1);
  for (uint64_t i = 0; i < 120; i++) {
    queue(&h, (int64_t)i * 10, i, 1, 10000, 0);
    start(&h, (int64_t)i * 10, i, 1, 10000, 0);
    h.items[h.count++] = release((int64_t)i * 10 + 10, i, 1, HC_NO_HOST, 10000, 0);
  }
  qsort(h.items, h.count, sizeof *h.items, by_time);
  find_changes(&hc_metric_finish_time, &context, o, h.items, h.count, 1200, &l);
  independent = hc_finding_list_get(&l, "finish_time_by_user", 1, "independent")->value;
  assert_true(independent >= 1200 && independent <= 1200 + 20);
  FOUND("finish_time_by_user", 1, "task_mean", 1);
  hc_finding_list_fini(&l);
  free(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_allocation_of_drf_is_fair),
      cmocka_unit_test(asset_fairness_violates_sharing_incentive),
      cmocka_unit_test(weights_count),
      cmocka_unit_test(weights_go_by_name),
      cmocka_unit_test(a_window_forgives),
      cmocka_unit_test(periods_are_counted),
      cmocka_unit_test(envy_by_hand),
      cmocka_unit_test(what_would_fit),
      cmocka_unit_test(times_alone),
      cmocka_unit_test(a_second_attempt_is_the_same_task),
      cmocka_unit_test(times_of_tasks),
      cmocka_unit_test(who_is_gone_is_forgotten),
      cmocka_unit_test(random_histories_against_a_walk),
      cmocka_unit_test(random_fits_against_a_walk),
      cmocka_unit_test(many_submissions_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
