/* test_contract.c -- what holds for every family of the list: figures declared are figures found; how the
 * records were cut into blocks changes nothing; a state saved in the middle and loaded goes on to the same
 * end; memory that runs out is an error and no more. */
#include "cluster/lexicon.h"
#include "metric_test.h"

#include <inttypes.h>
#include <stdio.h>

#define TASKS 700

typedef struct world {
  hc_task_record *tasks;
  recorded intervals;
  hc_change *changes;
  size_t change_count;
  hc_time end;
  hc_lexicon *lexicon;
} world;

static int set_up(void **state)
{
  world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  w->tasks = random_tasks(TASKS, 7);
  assert_int_equal(hc_metric_replay(hc_default_allocator(), 64, w->tasks, TASKS, record, &w->intervals), 0);
  w->change_count = random_changes(TASKS, 7, &w->changes);
  w->end = w->changes[w->change_count - 1].at + HC_SECOND;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  assert_int_equal(hc_lexicon_dimension(w->lexicon, "licence", 7), LICENCE);
  assert_int_equal(hc_lexicon_dimension(w->lexicon, "thing", 5), THING);
  *state = w;
  return 0;
}

static int tear_down(void **state)
{
  world *w = *state;
  free(w->tasks);
  free(w->intervals.items);
  free(w->changes);
  hc_lexicon_free(w->lexicon);
  free(w);
  return 0;
}

static hc_metric_context context_in(const world *w)
{
  hc_metric_context c = context_of(64);
  static const hc_reserved course = {.to = HC_HOUR, .units = 1}; /* so that its figures are told */
  c.cell = &test_cell;
  c.lexicon = w->lexicon;
  c.reserved = &course;
  c.reserved_count = 1;
  c.network_draws = true;
  c.link_watts = 2;
  c.switch_watts = 5;
  return c;
}

static void name_link(const void *names, uint32_t link, char *name, size_t size)
{
  HC_UNUSED(names);
  (void)snprintf(name, size, "link_%" PRIu32, link);
}

static hc_rc rate_link(void *rates, uint32_t link, double *out)
{
  HC_UNUSED(rates);
  *out = link == 0 ? 30 : 50;
  return 0;
}

/* A run with a model of execution: a task that was over, what was used until 10 s, and a core and a GPU that
 * compute. */
static hc_rc hear_doings(const hc_metric_type *m, hc_metric *self)
{
  static const double none[2] = {0}, used[2] = {300, 500}, bandwidth[2] = {100, 50};
  const hc_did_record did = {.at = 10 * HC_SECOND,
                             .worked = 10 * HC_SECOND,
                             .alone = 5 * HC_SECOND,
                             .times = {HC_SECOND, 9 * HC_SECOND},
                             .sent = 300};
  hc_use_look u = {.link_used = none,
                   .link_bandwidth = bandwidth,
                   .link_count = 2,
                   .disk_used = none,
                   .disk_bandwidth = bandwidth,
                   .disk_count = 1,
                   .link_name = name_link,
                   .link_rate = rate_link};
  const hc_change computes = {.at = HC_SECOND,
                              .kind = HC_CHANGE_COMPUTES,
                              .amount = {[HC_DIM_CPU] = HC_CORE_COMPUTES, [HC_DIM_GPU] = HC_CORE_COMPUTES}};
  const hc_labelled_record part = {.label = "solve", .serial = 1, .host = 1, .hosts = 2, .ended = HC_SECOND};
  if (m->did) TRY(m->did(self, &did));
  if (m->labelled) TRY(m->labelled(self, &part));
  if (!m->look) return 0;
  TRY(m->look(self, &u));
  if (m->change_kinds == 1u << HC_CHANGE_COMPUTES) TRY(m->changes(self, &computes, 1));
  u.at = 10 * HC_SECOND;
  u.link_used = u.disk_used = used;
  u.link_energy = 20;
  return m->look(self, &u);
}

/* A run of a workflow of two tasks, of which the second waits for the first, and both are completed. */
static hc_rc hear_workflow(const hc_metric_type *m, hc_metric *self, const world *w)
{
  static const uint8_t could[64] = {1, 1, 1, 1, 1, 1};
  const hc_workflow_edge edge = {.task = 1, .bytes = 100, .takes = 1};
  hc_workflow_record r = {
      .job = 1, .run = HC_SECOND, .units = 1000, .slots = 1, .could = could, .edges = &edge};
  if (!m->workflow) return 0;
  assert_true(test_cell.units <= 64);
  for (int64_t serial = 0; r.id < 2; serial++)
    for (size_t i = 0; i < TASKS; i++) {
      if (w->tasks[i].serial != serial || w->tasks[i].final != HC_FINAL_COMPLETED || r.id == 2) continue;
      r.serial = (uint64_t)serial;
      r.id++;
      r.edge_count = r.id == 2;
      r.submit = w->tasks[i].submit;
      TRY(m->workflow(self, &r));
    }
  return 0;
}

/* Everything there is to hear, in blocks of `block` by turns. @return 0, or what the family returned. */
static hc_rc hear_some(const hc_metric_type *m, hc_metric *self, const world *w, size_t at[3], size_t block)
{
  size_t n = HC_MIN(block, TASKS - at[0]), k = HC_MIN(2 * block, w->intervals.count - at[1]);
  size_t h = HC_MIN(3 * block, w->change_count - at[2]);
  if (at[0] == 0) TRY(hear_doings(m, self));
  if (at[0] == 0) TRY(hear_workflow(m, self, w));
  if (m->tasks) TRY(m->tasks(self, w->tasks + at[0], n));
  if (m->intervals) TRY(m->intervals(self, w->intervals.items + at[1], k));
  if (m->changes) TRY(m->changes(self, w->changes + at[2], h));
  at[0] += n;
  at[1] += k;
  at[2] += h;
  return 0;
}

static bool is_over(const world *w, const size_t at[3])
{
  return at[0] == TASKS && at[1] == w->intervals.count && at[2] == w->change_count;
}

static void find_world(const hc_metric_type *m, const world *w, const void *options, hc_finding_list *l)
{
  hc_metric_context c = context_in(w);
  hc_metric *self = NULL;
  size_t at[3] = {0};
  hc_finding_list_init(l, hc_default_allocator());
  assert_int_equal(m->init(&c, options, &self, NULL), 0);
  while (!is_over(w, at)) assert_int_equal(hear_some(m, self, w, at, 1000), 0);
  if (m->until) assert_int_equal(m->until(self, w->end), 0);
  assert_int_equal(m->finish(self, &l->findings), 0);
  m->fini(self);
}

/* Those of pseudo-cluster, and what only a log measures, come by their names. */
static void ask_all(const hc_component *c, const char *name, void *options)
{
  static int all[128];
  const hc_param *p = c->params;
  size_t n = 1;
  while (strcmp(p->name, name) != 0) p++;
  for (const char *s = p->choices; *s; s++) n += *s == '|';
  assert_true(n <= HC_ARRAY_LEN(all));
  for (size_t i = 0; i < n; i++) all[i] = (int)i;
  *(hc_list *)(void *)((char *)options + p->offset) = (hc_list){.items = all, .count = n};
}

static void test_declared_figures_are_found_figures(void **state)
{
  const world *w = *state;
  for (size_t i = 0; i < HC_ARRAY_LEN(all_metrics); i++) {
    const hc_metric_type *m = all_metrics[i];
    hc_finding_list l;
    void *o = default_options(&m->component);
    if (m == &hc_metric_by) ask_all(&m->component, "figures", o);
    if (m == &hc_metric_energy) {
      ask_all(&m->component, "by", o);
      set_option(&m->component, o, "pue", 1.5);
      set_option(&m->component, o, "price", 0.3);
      set_option(&m->component, o, "wasted", true);
      set_option(&m->component, o, "trace", true);
      set_option(&m->component, o, "network", true);
    }
    if (m == &hc_metric_activity) set_option(&m->component, o, "contention", true);
    if (m == &hc_metric_activity) set_option(&m->component, o, "rows", true);
    if (m == &hc_metric_workflow) set_option(&m->component, o, "rows", true);
    if (m == &hc_metric_resource_use) set_option(&m->component, o, "detail", 2); /* series */
    find_world(m, w, o, &l);
    free(o);
    for (size_t k = 0; k < l.count; k++)
      if (!hc_metric_declares(m, l.items[k].table, l.items[k].name, l.items[k].unit))
        fail_msg("%s finds %s [%s], which it does not declare", m->component.name, l.items[k].name,
                 l.items[k].unit);
    for (const char *const *line = m->component.figures; *line; line++) {
      bool is_found = false;
      for (size_t k = 0; k < l.count; k++)
        is_found |= hc_metric_matches(*line, l.items[k].table, l.items[k].name, l.items[k].unit);
      if (!is_found) fail_msg("%s declares %s, which it does not find", m->component.name, *line);
    }
    hc_finding_list_fini(&l);
  }
}

static void test_descriptors_are_complete(void **state)
{
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(all_metrics); i++) {
    const hc_metric_type *m = all_metrics[i];
    const char *name = m->component.name;
    assert_int_equal(m->component.size, sizeof *m);
    assert_int_equal(m->component.kind, HC_KIND_METRIC);
    if (!m->component.summary || !m->component.detail)
      fail_msg("the metric %s lacks a summary or a detail, which its page is made of", name);
    if (!m->tasks && !m->intervals && !m->changes && !m->did && !m->look && !m->attempts && !m->labelled)
      fail_msg("the metric %s hears of nothing: set tasks, intervals, changes, did, look, attempts or "
               "labelled",
               name);
    if (!m->init || !m->finish || !m->visit || !m->fini)
      fail_msg("the metric %s lacks init, finish, visit or fini", name);
  }
}

static void expect_equal(const hc_metric_type *m, const hc_finding_list *a, const hc_finding_list *b)
{
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; i++)
    if (a->items[i].key != b->items[i].key || strcmp(a->items[i].name, b->items[i].name) != 0 ||
        memcmp(&a->items[i].value, &b->items[i].value, sizeof(double)) != 0)
      fail_msg("%s: %s is %.17g, not %.17g", m->component.name, a->items[i].name, b->items[i].value,
               a->items[i].value);
}

/* Claims and releases of a task that stand together are of one moment and have the same amounts in
 * random_changes. */
static hc_rc hear_together(const hc_metric_type *m, hc_metric *self, const world *w)
{
  for (size_t i = 0, n; i < w->change_count; i += n) {
    const hc_change *x = w->changes + i;
    uint32_t hosts[6];
    for (n = 0; i + n < w->change_count && n < 6 && x[n].serial == x->serial && x[n].kind == x->kind; n++)
      hosts[n] = x[n].host;
    if (x->kind != HC_CHANGE_CLAIMED && x->kind != HC_CHANGE_RELEASED) continue;
    TRY(m->claims(self, &(hc_claim_record){.at = x->at,
                                           .serial = x->serial,
                                           .user = x->user,
                                           .kind = x->kind,
                                           .host_count = (uint32_t)n,
                                           .hosts = hosts,
                                           .amount = x->amount}));
  }
  return 0;
}

/* A family that hears claims of many hosts at once finds what it finds host by host. */
static void test_claims_are_changes_told_together(void **state)
{
  const world *w = *state;
  const hc_metric_context c = context_in(w);
  size_t families = 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(all_metrics); i++) {
    const hc_metric_type *m = all_metrics[i];
    hc_finding_list one_by_one, together;
    hc_metric *self = NULL;
    void *o = default_options(&m->component);
    if (m->claims) {
      families++;
      assert_non_null(m->changes);
      find_changes(m, &c, o, w->changes, w->change_count, w->end / HC_SECOND, &one_by_one);
      hc_finding_list_init(&together, hc_default_allocator());
      assert_int_equal(m->init(&c, o, &self, NULL), 0);
      assert_int_equal(hear_together(m, self, w), 0);
      assert_int_equal(m->finish(self, &together.findings), 0);
      expect_equal(m, &one_by_one, &together);
      m->fini(self);
      hc_finding_list_fini(&one_by_one);
      hc_finding_list_fini(&together);
    }
    free(o);
  }
  assert_true(families > 0);
}

static hc_rc save(const hc_metric_type *m, hc_metric *self, hc_buffer *out)
{
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = out};
  hc_buffer_init(out, hc_default_allocator());
  return m->visit(self, &v);
}

static hc_rc load(const hc_metric_type *m, hc_metric *self, const hc_buffer *in, size_t size)
{
  hc_visitor v = {.calls = &hc_state_calls,
                  .mode = HC_VISIT_LOAD,
                  .allocator = hc_default_allocator(),
                  .in = (const uint8_t *)in->data,
                  .left = size};
  return m->visit(self, &v);
}

/* What a run's digest of its state would say: maps have no order. */
static void hash_state(const hc_metric_type *m, hc_metric *self, uint64_t out[2])
{
  hc_hash h;
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_HASH, .allocator = hc_default_allocator(), .hash = &h};
  hc_hash_init(&h);
  assert_int_equal(m->visit(self, &v), 0);
  hc_hash_end(&h, out);
}

/* In blocks of different sizes, tasks, intervals and changes by turns; saved and loaded into a new state
 * on the way. */
static hc_metric *hear_in_pieces(const hc_metric_type *m, const world *w, const hc_metric_context *c,
                                 const void *o, size_t block, bool reload)
{
  hc_metric *self = NULL;
  size_t at[3] = {0};
  assert_int_equal(m->init(c, o, &self, NULL), 0);
  for (size_t turn = 0; !is_over(w, at); turn++) {
    assert_int_equal(hear_some(m, self, w, at, block), 0);
    if (reload && turn % 5 == 2) {
      hc_buffer b;
      assert_int_equal(save(m, self, &b), 0);
      m->fini(self);
      assert_int_equal(m->init(c, o, &self, NULL), 0);
      assert_int_equal(load(m, self, &b, b.size), 0);
      hc_buffer_fini(&b);
    }
  }
  if (m->until) assert_int_equal(m->until(self, w->end), 0);
  return self;
}

static void test_blocks_and_snapshots_change_nothing(void **state)
{
  const world *w = *state;
  hc_metric_context c = context_in(w);
  for (size_t i = 0; i < HC_ARRAY_LEN(all_metrics); i++) {
    const hc_metric_type *m = all_metrics[i];
    void *o = default_options(&m->component);
    hc_finding_list whole, pieces;
    hc_metric *plain = hear_in_pieces(m, w, &c, o, 256, false), *cut = hear_in_pieces(m, w, &c, o, 17, true);
    uint64_t a[2], b[2];
    hash_state(m, plain, a);
    hash_state(m, cut, b);
    if (a[0] != b[0] || a[1] != b[1]) fail_msg("%s: the state depends on how it was cut", m->component.name);
    find_world(m, w, o, &whole);
    hc_finding_list_init(&pieces, hc_default_allocator());
    assert_int_equal(m->finish(cut, &pieces.findings), 0);
    expect_equal(m, &whole, &pieces);
    hc_finding_list_fini(&whole);
    hc_finding_list_fini(&pieces);
    m->fini(plain);
    m->fini(cut);
    free(o);
  }
}

static void test_short_snapshots_are_refused(void **state)
{
  const world *w = *state;
  hc_metric_context c = context_in(w);
  for (size_t i = 0; i < HC_ARRAY_LEN(all_metrics); i++) {
    const hc_metric_type *m = all_metrics[i];
    void *o = default_options(&m->component);
    hc_metric *self = hear_in_pieces(m, w, &c, o, 256, false);
    hc_buffer b;
    assert_int_equal(save(m, self, &b), 0);
    m->fini(self);
    assert_int_equal(m->init(&c, o, &self, NULL), 0);
    assert_int_equal(load(m, self, &b, b.size - 1), HC_EINPUT);
    m->fini(self);
    hc_buffer_fini(&b);
    free(o);
  }
}

/* ---- memory that runs out ---- */

typedef struct scarce {
  int64_t left; /* growths that still succeed */
  int64_t live; /* blocks */
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  HC_UNUSED(old_size);
  if (new_size == 0) {
    s->live -= p != NULL;
    free(p);
    return NULL;
  }
  if (s->left-- <= 0) return NULL;
  s->live += p == NULL;
  return realloc(p, new_size);
}

/* 0 if there was memory enough. */
static hc_rc live_a_life(const hc_metric_type *m, const world *w, const hc_allocator *a, const void *o)
{
  hc_metric_context c = context_in(w);
  hc_finding_list l;
  hc_metric *self = NULL;
  size_t at[3] = {0};
  hc_rc rc;
  c.allocator = a;
  if ((rc = m->init(&c, o, &self, NULL)) < 0) return rc;
  while (rc >= 0 && !is_over(w, at)) rc = hear_some(m, self, w, at, 1000);
  if (rc >= 0 && m->until) rc = m->until(self, w->end);
  hc_finding_list_init(&l, hc_default_allocator());
  if (rc >= 0) rc = m->finish(self, &l.findings);
  hc_finding_list_fini(&l);
  m->fini(self);
  return rc;
}

static void test_out_of_memory_is_an_error(void **state)
{
  const world *w = *state;
  for (size_t i = 0; i < HC_ARRAY_LEN(all_metrics); i++) {
    void *o = default_options(&all_metrics[i]->component);
    hc_rc rc = HC_ENOMEM;
    for (int64_t n = 0; rc < 0; n++) {
      scarce s = {.left = n};
      const hc_allocator a = {&s, scarce_resize, NULL};
      rc = live_a_life(all_metrics[i], w, &a, o);
      assert_true(rc == 0 || rc == HC_ENOMEM);
      assert_true(s.live == 0); /* nothing leaked on the way out */
      assert_true(n < 1000);    /* `by` has some of each group */
    }
    free(o);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_declared_figures_are_found_figures),
      cmocka_unit_test(test_descriptors_are_complete),
      cmocka_unit_test(test_claims_are_changes_told_together),
      cmocka_unit_test(test_blocks_and_snapshots_change_nothing),
      cmocka_unit_test(test_short_snapshots_are_refused),
      cmocka_unit_test(test_out_of_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
