/* test_csv_hosts.c -- tables of data centres: constraints as text, what is kept once, snapshots. Hosts,
 * amounts with units, jobs, counts, predecessors: tests/rows/csv.rows. */
#define _GNU_SOURCE
#include "generator_test.h"
#include "workload/constraint_text.h"

READER(csv);

static void set_words(hc_chosen *c, const char *name, const char **words, size_t count)
{
  const hc_param *p = c->type->params;
  while (strcmp(p->name, name) != 0) p++;
  hc_list *list = (hc_list *)(void *)((char *)c->options + p->offset);
  test_free(list->items);
  list->items = test_calloc(count, sizeof *words);
  memcpy(list->items, words, count * sizeof *words);
  list->count = count;
}

static const char *missing[] = {"", "-1", "NA"};
static trace_file file;
static hc_row_ledger ledger;

static hc_chosen with_file(const char *text, hc_chosen options)
{
  const hc_param *p = options.type->params;
  file = write_file(text);
  const char *path = file.path;
  while (strcmp(p->name, "file") != 0) p++;
  memcpy((char *)options.options + p->offset, &path, sizeof path);
  set_words(&options, "missing", missing, HC_ARRAY_LEN(missing));
  return options;
}

#define OPTIONS(...) choose(&hc_reader_csv.component, __VA_ARGS__, NULL)
#define USUAL "id=id", "submit=submit", "run=run"

static void open_table(generator *g, const char *text, hc_chosen options)
{
  open_generator(g, with_file(text, options));
  ledger = (hc_row_ledger){0};
  g->context.ledger = &ledger;
}

static void close_table(generator *g)
{
  close_generator(g);
  unlink(file.path);
}

/* Rows of a job may stand far apart. */
static void who_refers_to_others(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g, "id,submit,run,c,deps\n1,0,60,1,\n", OPTIONS(USUAL, "cpu=c"));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_NONE);
  close_table(&g);
  open_table(&g, "id,submit,run,c,deps\n1,0,60,1,\n", OPTIONS(USUAL, "cpu=c", "after=deps"));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_ANY);
  close_table(&g);
}

static void constraints_are_groups_of_alternatives(void **state)
{
  hc_lexicon *l;
  hc_constraint *c = NULL;
  size_t count = 0, cap = 0;
  const char *text = " ssd & gpu_model=V100|gpu_model == A100,memory_gb>=64 ; !old& rack!=-3 ";
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  assert_null(hc_constraints_read(hc_default_allocator(), l, text, strlen(text), &c, &count, &cap));
  assert_int_equal(count, 6);
  const uint32_t groups[] = {0, 1, 1, 2, 3, 4},
                 compares[] = {HC_PRESENT, HC_EQUAL, HC_EQUAL, HC_AT_LEAST, HC_ABSENT, HC_UNEQUAL};
  const char *const names[] = {"ssd", "gpu_model", "gpu_model", "memory_gb", "old", "rack"};
  for (int i = 0; i < 6; i++) {
    assert_int_equal(c[i].group, groups[i]);
    assert_int_equal(c[i].compare, compares[i]);
    assert_string_equal(hc_lexicon_text(l, c[i].attribute), names[i]);
    assert_int_equal(c[i].is_text, i == 1 || i == 2);
  }
  assert_string_equal(hc_lexicon_text(l, (uint32_t)c[2].value), "A100");
  assert_true(c[3].value == 64 && c[5].value == -3);
  const struct {
    const char *text, *wrong;
  } bad[] = {{"", "where the name of an attribute is expected"},
             {"a &", "where the name of an attribute is expected"},
             {"a = ", "where a value is expected"},
             {"a < b", "where texts are put in order"},
             {"a b", "where & or | is expected"},
             {"a!=1|2|b=3", "where != with several values has other alternatives"},
             {"ssd|a!=1|2", "where != with several values has other alternatives"},
             {"a!=1|2|!b", "where != with several values has other alternatives"},
             {"a=1|", "where a value is expected"},
             {"a>1|b", "where texts are put in order"},
             {"!a = 3", "where & or | is expected"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++, count = 0)
    assert_string_equal(
        hc_constraints_read(hc_default_allocator(), l, bad[i].text, strlen(bad[i].text), &c, &count, &cap),
        bad[i].wrong);
  hc_free(hc_default_allocator(), c, cap * sizeof *c);
  hc_lexicon_free(l);
}

static void equal_facts_are_kept_once(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g, "id,submit,run,c,k\n1,0,60,1,ssd\n2,0,60,1,ssd\n3,0,60,1,hdd\n",
             OPTIONS(USUAL, "cpu=c", "constraints=k"));
  const hc_task_spec *t = next_row(&g);
  const uint32_t first = t->more;
  hc_lexicon_hold(g.lexicon, first); /* as the engine would */
  assert_int_equal(next_row(&g)->more, first);
  assert_int_not_equal(next_row(&g)->more, first);
  assert_null(next_row(&g));
  hc_lexicon_drop(g.lexicon, first);
  close_table(&g);
}

static void a_snapshot_is_the_position(void **state)
{
  const char *text = "id,submit,run,c,deps\n1,0,60,1,\n2,0,60,1,1\n3,0,60,1,2\n4,0,60,1,3;1\n5,0,60,1,4\n";
  const trace_file one = write_file(text);
  HC_UNUSED(state);
  hc_chosen a = OPTIONS(one.pair, USUAL, "cpu=c", "after=deps"),
            b = OPTIONS(one.pair, USUAL, "cpu=c", "after=deps");
  set_words(&a, "missing", missing, HC_ARRAY_LEN(missing));
  set_words(&b, "missing", missing, HC_ARRAY_LEN(missing));
  snapshot_goes_on(a, b, 2, 9);
  unlink(one.path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_refers_to_others),
      cmocka_unit_test(constraints_are_groups_of_alternatives),
      cmocka_unit_test(equal_facts_are_kept_once),
      cmocka_unit_test(a_snapshot_is_the_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
