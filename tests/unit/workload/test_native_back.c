/* test_native_back.c -- what the writer `native` writes the reader `native` reads: the same task, member by
 * member. */
#define _GNU_SOURCE
#include "reader_test.h"
#include "workload/native.h"
#include "writer_test.h"

extern const hc_reader_type hc_reader_native;
extern const hc_writer_type hc_writer_native;

#define GIB ((int64_t)1 << 30)
#define NAME(l, s) hc_lexicon_name(l, s, strlen(s))

/* Everything that a task of a data centre can have. */
static hc_task_spec full_task(hc_lexicon *l)
{
  const hc_after after[] = {{.job = 9, .task = 1, .how = HC_AFTER_COMPLETED},
                            {.job = 8, .task = HC_UNKNOWN, .how = HC_AFTER_FAILED},
                            {.job = 8, .task = 2, .how = HC_AFTER_STARTED},
                            {.job = 7, .task = 3, .how = HC_AFTER_ARRIVED}};
  const uint32_t model = NAME(l, "gpu_model"), odd = NAME(l, "a=b|c"), text5 = NAME(l, "5");
  const hc_constraint constraints[] = {
      {.attribute = model, .compare = HC_EQUAL, .is_text = 1, .value = NAME(l, "V100")},
      {.attribute = NAME(l, "ssd"), .compare = HC_ABSENT},
      {.attribute = odd, .compare = HC_AT_MOST, .group = 1, .value = -7},
      {.attribute = odd, .compare = HC_UNEQUAL, .group = 2, .is_text = 1, .value = text5},
      {.attribute = model, .compare = HC_PRESENT, .group = 2}};
  const uint32_t hosts[] = {NAME(l, "n1"), NAME(l, "a \"quoted\" one")};
  hc_chunk chunk = {.hosts = 2, .need = {1500, GIB + 1}};
  const hc_use_step uses[] = {{.until = 7 * HC_MS, .cpu = 250, .memory = HC_UNKNOWN},
                              {.until = HC_NEVER, .cpu = HC_UNKNOWN, .memory = 3}};
  hc_task_spec t = hc_task_spec_none();
  hc_task_extras m = hc_task_extras_none();
  for (int d = HC_DIM_DISK; d < HC_DIMENSIONS; d++) chunk.need[d] = HC_UNKNOWN;
  m.after = after, m.after_count = HC_ARRAY_LEN(after);
  m.constraints = constraints, m.constraint_count = HC_ARRAY_LEN(constraints);
  m.hosts = hosts, m.host_count = HC_ARRAY_LEN(hosts);
  m.chunks = &chunk, m.chunk_count = 1;
  m.uses = uses, m.use_count = HC_ARRAY_LEN(uses);
  m.least = 1, m.of = 2, m.most = 6; /* of its two hosts */
  m.set = NAME(l, "fat nodes"), m.same = NAME(l, "rack"), m.differ = NAME(l, "row");
  m.per_host = 1, m.per_zone = 2, m.zone_level = NAME(l, "switch"), m.rival = 9;
  t.id = 4, t.job = 9, t.submit = 1234567891, t.not_before = 2 * HC_SECOND, t.run = 1, t.limit = HC_MINUTE;
  t.cancel_at = HC_HOUR, t.wait = 5, t.held = 2;
  t.cpu_time = 6, t.think = 7, t.preceding = 3, t.priority = -12;
  t.status = HC_STATUS_PARTIAL_LAST, t.count = 3, t.hosts = 2;
  t.user = 11, t.group = 12, t.executable = 13, t.queue = 14, t.partition = 15;
  t.procs_used = 16, t.procs_asked = 17, t.memory_used = 18, t.memory_asked = 19;
  t.need[HC_DIM_CPU] = 1, t.need[HC_DIM_MEMORY] = 5 * GIB + 1, t.need[HC_DIM_DISK] = 0,
  t.need[HC_DIM_GPU] = 333;
  t.need[HC_DIM_OTHER] = 4;
  t.flags = HC_SPEC_SPREAD | HC_SPEC_AT_START | HC_SPEC_NO_END | HC_SPEC_PREFILL;
  t.more = hc_lexicon_keep(l, &m);
  assert_true(t.more != 0);
  return t;
}

static void same_name(const hc_lexicon *a, uint32_t x, const hc_lexicon *b, uint32_t y)
{
  assert_int_equal(x == HC_NO_NAME, y == HC_NO_NAME);
  if (x != HC_NO_NAME) assert_string_equal(hc_lexicon_text(a, x), hc_lexicon_text(b, y));
}

static void same_constraints(const hc_lexicon *a, const hc_task_extras *x, const hc_lexicon *b,
                             const hc_task_extras *y)
{
  assert_int_equal(x->constraint_count, y->constraint_count);
  for (size_t i = 0; i < x->constraint_count; i++) {
    const hc_constraint *p = &x->constraints[i], *q = &y->constraints[i];
    same_name(a, p->attribute, b, q->attribute);
    assert_true(p->compare == q->compare && p->group == q->group && p->is_text == q->is_text);
    if (p->is_text) same_name(a, (uint32_t)p->value, b, (uint32_t)q->value);
    else assert_int_equal(p->value, q->value);
  }
}

static void same_more(const hc_lexicon *a, const hc_task_extras *x, const hc_lexicon *b,
                      const hc_task_extras *y)
{
  assert_int_equal(x->after_count, y->after_count);
  for (size_t i = 0; i < x->after_count; i++)
    assert_memory_equal(&x->after[i], &y->after[i], offsetof(hc_after, padding));
  same_constraints(a, x, b, y);
  assert_int_equal(x->host_count, y->host_count);
  for (size_t i = 0; i < x->host_count; i++) same_name(a, x->hosts[i], b, y->hosts[i]);
  assert_int_equal(x->chunk_count, y->chunk_count);
  for (size_t i = 0; i < x->chunk_count; i++)
    assert_memory_equal(&x->chunks[i], &y->chunks[i], sizeof *x->chunks);
  assert_int_equal(x->use_count, y->use_count);
  assert_memory_equal(x->uses, y->uses, x->use_count * sizeof *x->uses);
  assert_true(x->least == y->least && x->of == y->of && x->most == y->most);
  same_name(a, x->set, b, y->set);
  same_name(a, x->same, b, y->same);
  same_name(a, x->differ, b, y->differ);
  same_name(a, x->zone_level, b, y->zone_level);
  assert_true(x->per_host == y->per_host && x->per_zone == y->per_zone && x->rival == y->rival);
}

/* All but where it stands and its handle of rare facts. */
static void same_task(const hc_task_spec *x, const hc_task_spec *y)
{
  hc_task_spec a = *x, b = *y;
  a.line = b.line = a.more = b.more = 0;
  assert_memory_equal(&a, &b, sizeof a);
}

static void test_back(void **state)
{
  writing d;
  reading r;
  HC_UNUSED(state);
  begin(&d, &hc_writer_native, NULL);
  assert_int_equal(hc_lexicon_dimension(d.lexicon, "a licence: b", 12), HC_DIM_OTHER);
  assert_int_equal(hc_lexicon_call(d.lexicon, HC_CALLED_USER, 11, "ann: \"x\"", 8), 0);
  assert_int_equal(hc_lexicon_call(d.lexicon, HC_CALLED_QUEUE, 14, "long", 4), 0);
  const hc_task_spec full = full_task(d.lexicon);
  hc_task_spec batch = hc_task_spec_none(), odd;
  batch.id = 5, batch.procs_asked = 3, batch.memory_asked = 7, batch.submit = HC_SECOND, batch.run = 0;
  batch.status = HC_STATUS_CANCELLED;
  odd = batch; /* processors and a disk, on hosts that were not told: grid workloads say so */
  odd.need[HC_DIM_DISK] = 1536, odd.run = odd.submit = odd.memory_asked = HC_UNKNOWN, odd.partition = 2;
  assert_int_equal(put(&d, &full), 0);
  assert_int_equal(d.lost, 0);
  assert_int_equal(put(&d, &batch), 0);
  assert_int_equal(d.lost, 0);
  assert_int_equal(put(&d, &odd), 0);
  assert_int_equal(d.lost, 0);
  end(&d);
  read_all(&r, &hc_reader_native, d.text.data, NULL, NULL, NULL);
  assert_int_equal(r.count, 3);
  same_task(&full, &r.tasks[0]);
  same_more(d.lexicon, hc_lexicon_more(d.lexicon, full.more), r.lexicon, more_of(&r, 0));
  same_task(&batch, &r.tasks[1]);
  same_task(&odd, &r.tasks[2]);
  assert_true(r.tasks[1].more == 0 && r.tasks[2].more == 0);
  assert_string_equal(hc_lexicon_dimension_name(r.lexicon, HC_DIM_OTHER), "a licence: b");
  assert_string_equal(hc_lexicon_called(r.lexicon, HC_CALLED_USER, 11), "ann: \"x\"");
  assert_string_equal(hc_lexicon_called(r.lexicon, HC_CALLED_QUEUE, 14), "long");
  end_reading(&r);
  hc_lexicon_drop(d.lexicon, full.more);
  drop_writing(&d);
}

/* An entry of more than 1 MiB is refused by the reader, so its lists are lost, and said to be. */
static void test_long_lists(void **state)
{
  writing d;
  reading r;
  hc_after *after = test_calloc(40000, sizeof *after);
  hc_task_spec t = hc_task_spec_none();
  hc_task_extras m = hc_task_extras_none();
  HC_UNUSED(state);
  begin(&d, &hc_writer_native, NULL);
  for (int i = 0; i < 40000; i++) after[i] = (hc_after){.job = INT64_C(100000000000), .task = i};
  t.id = 1, t.submit = 0, t.run = 1, t.job = 5;
  m.after = after, m.after_count = 40000;
  t.more = hc_lexicon_keep(d.lexicon, &m);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(AFTER));
  end(&d);
  read_all(&r, &hc_reader_native, d.text.data, NULL, NULL, NULL);
  assert_true(r.count == 1 && r.tasks[0].more == 0 && r.tasks[0].job == 5);
  end_reading(&r);
  hc_lexicon_drop(d.lexicon, t.more);
  drop_writing(&d);
  test_free(after);
}

/* What is lost is what comes back as something else. */
static void test_lost(void **state)
{
  writing d;
  hc_task_spec t = hc_task_spec_none();
  HC_UNUSED(state);
  begin(&d, &hc_writer_native, NULL);
  assert_int_equal(hc_lexicon_dimension(d.lexicon, "cores", 5), HC_DIM_OTHER); /* which means cpu there */
  t.id = INT64_C(1) << 61;
  t.submit = t.run = 1;
  t.need[HC_DIM_OTHER] = 1;
  t.priority = HC_NATIVE_PRIORITY + 1;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(ID) | HC_FACT_BIT(OTHER) | HC_FACT_BIT(PRIORITY));
  t.run = HC_NEVER;
  assert_int_equal(put(&d, &t), 1);
  finish(&d, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_back),
      cmocka_unit_test(test_long_lists),
      cmocka_unit_test(test_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
