/* test_csv_hosts.c -- tables of data centres: hosts, amounts with units, jobs, counts, predecessors,
 * constraints. */
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

/* ---- amounts ---- */

static void amounts_have_units(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g,
             "id,submit,run,n,c,m,d,g,lic\n"
             "1,0,60,3,50,4,2GB,0.5,7\n"
             "2,0,60,,150.5,0.5,,,\n",
             OPTIONS(USUAL, "hosts=n", "cpu=c", "cpu_unit=0.01", "memory=m", "memory_unit=1GiB", "disk=d",
                     "gpu=g", "spread=true"));
  const hc_task_spec *t = next_row(&g);
  assert_int_equal(t->hosts, 3);
  assert_int_equal(t->need[HC_DIM_CPU], 500);
  assert_int_equal(t->need[HC_DIM_MEMORY], (int64_t)4 << 30);
  assert_int_equal(t->need[HC_DIM_DISK], 2000000000);
  assert_int_equal(t->need[HC_DIM_GPU], 500);
  assert_int_equal(t->flags, HC_SPEC_SPREAD);
  assert_int_equal(t->procs_asked, 3); /* a core, rounded up, on each */
  assert_int_equal(t->job, -1);
  assert_int_equal(ledger.rounded, 0);
  t = next_row(&g);
  assert_int_equal(t->hosts, 1);
  assert_int_equal(t->need[HC_DIM_CPU], 1505);
  assert_int_equal(t->need[HC_DIM_MEMORY], (int64_t)1 << 29);
  assert_true(t->need[HC_DIM_DISK] == HC_UNKNOWN && t->need[HC_DIM_GPU] == HC_UNKNOWN && t->flags == 0);
  assert_int_equal(t->procs_asked, 2);
  assert_null(next_row(&g));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_NONE);
  close_table(&g);
}

static void amounts_of_a_task_are_parted(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g, "id,submit,run,n,c,m\n1,0,60,3,10,100\n2,0,60,1,0.0001,7\n",
             OPTIONS(USUAL, "hosts=n", "cpu=c", "memory=m", "amounts_of=task"));
  const hc_task_spec *t = next_row(&g);
  assert_int_equal(t->need[HC_DIM_CPU], 3334); /* 10,000 / 3, rounded up */
  assert_int_equal(t->need[HC_DIM_MEMORY], 34);
  assert_int_equal(ledger.rounded, 2);
  is_near("the larger error", ledger.rounding, 34 / (100 / 3.0) - 1, 1e-12);
  t = next_row(&g);
  assert_int_equal(t->need[HC_DIM_CPU], 1); /* never to zero */
  assert_int_equal(ledger.rounded, 3);
  is_near("the largest error", ledger.rounding, 9, 1e-9); /* a thousandth where a tenth of one was asked */
  close_table(&g);
}

static void other_dimensions_have_names(void **state)
{
  const char *others[] = {"licences=lic", "bandwidth=6*1000"};
  generator g;
  HC_UNUSED(state);
  hc_chosen options = OPTIONS(USUAL, "procs=p");
  set_words(&options, "other", others, 2);
  open_table(&g, "id,submit,run,p,lic,bw\n1,0,60,2,7,2.5\n", options);
  const hc_task_spec *t = next_row(&g);
  const int licences = hc_lexicon_dimension(g.lexicon, "licences", 8),
            bandwidth = hc_lexicon_dimension(g.lexicon, "bandwidth", 9);
  assert_true(licences >= HC_DIM_OTHER && bandwidth >= HC_DIM_OTHER && licences != bandwidth);
  assert_int_equal(t->need[licences], 7);
  assert_int_equal(t->need[bandwidth], 2500);
  assert_int_equal(t->need[HC_DIM_CPU], HC_UNKNOWN);
  assert_true(t->hosts == 1 && t->procs_asked == 2);
  close_table(&g);
}

static void rows_may_be_bundles_of_jobs(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g,
             "id,submit,run,job,n,c,begin\n"
             "1,10,60,j7,500,1,20\n"
             "2,10,60,9,,1,\n",
             OPTIONS(USUAL, "job=job", "count=n", "cpu=c", "not_before=begin"));
  const hc_task_spec *t = next_row(&g);
  assert_true(t->job >= (int64_t)1 << 62); /* a name */
  assert_int_equal(t->count, 500);
  assert_int_equal(t->not_before, 20 * HC_SECOND);
  t = next_row(&g);
  assert_true(t->job == 9 && t->count == 0 && t->not_before == HC_UNKNOWN);
  close_table(&g);
}

/* Dates count from the day of the first submission. */
static void dates_of_earliest_starts(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g, "id,submit,run,c,begin\n1,2024-01-31T10:00,60,1,2024-02-01 08:00:00\n",
             OPTIONS(USUAL, "cpu=c", "not_before=begin", "time_format=iso", "not_before_format=%Y-%m-%d %T"));
  const hc_task_spec *t = next_row(&g);
  assert_int_equal(t->submit, 10 * HC_HOUR);
  assert_int_equal(t->not_before, 32 * HC_HOUR);
  close_table(&g);
}

/* ---- predecessors and constraints ---- */

static void within_a_job_tasks_wait_by_id(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g,
             "id,submit,run,job,c,deps\n"
             "1,0,60,4,1,\n"
             "map,0,60,4,1,NA\n"
             "3,0,60,4,1,1;map\n"
             "3,0,60,5,1,\"[1, 2]\"\n",
             OPTIONS(USUAL, "job=job", "cpu=c", "after=deps", "after_how=completed"));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_ANY);
  assert_int_equal(next_row(&g)->more, 0);
  const hc_task_spec *t = next_row(&g);
  const int64_t map = t->id;
  assert_true(t->more == 0 && map >= (int64_t)1 << 62);
  t = next_row(&g);
  const hc_task_extras *m = hc_lexicon_more(g.lexicon, t->more);
  assert_int_equal(m->after_count, 2);
  assert_true(m->after[0].job == 4 && m->after[0].task == 1 && m->after[0].how == HC_AFTER_COMPLETED);
  assert_true(m->after[1].job == 4 && m->after[1].task == map);
  t = next_row(&g);
  m = hc_lexicon_more(g.lexicon, t->more);
  assert_int_equal(m->after_count, 2);
  assert_true(m->after[1].job == 5 && m->after[1].task == 2);
  assert_null(next_row(&g));
  close_table(&g);
}

/* In a table with jobs a row without one is in none: were its job its id, others of that job would wait for it. The
 * number that a name got is read back as itself; 19 digits that are no such number are a name. */
static void rows_without_a_job_are_in_none(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g,
             "id,submit,run,job,c,deps\n"
             "1,0,60,,1,\n"
             "map,0,60,1,1,\n"
             "7350506780674692694,0,60,1,1,map\n"
             "4611686018427387903,0,60,1,1,\n",
             OPTIONS(USUAL, "job=job", "cpu=c", "after=deps"));
  assert_int_equal(next_row(&g)->job, -1);
  const int64_t map = next_row(&g)->id;
  assert_int_equal(next_row(&g)->id, INT64_C(7350506780674692694));
  const int64_t name = next_row(&g)->id;
  assert_true(name >> 62 == 1 && name != map);
  assert_null(next_row(&g));
  close_table(&g);
}

/* Without jobs each task is one, which others wait for. */
static void without_jobs_each_task_is_one(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g, "id,submit,run,p,deps\n1,0,60,2,\nx,0,60,2,1\n9,0,60,2,x|1\n",
             OPTIONS(USUAL, "procs=p", "after=deps"));
  assert_int_equal(g.type->refers(g.source), HC_REFERS_ANY);
  const hc_task_spec *t = next_row(&g);
  assert_true(t->job == 1 && t->hosts == HC_UNKNOWN && t->procs_asked == 2);
  t = next_row(&g);
  const int64_t x = t->id;
  assert_int_equal(t->job, x);
  t = next_row(&g);
  const hc_task_extras *m = hc_lexicon_more(g.lexicon, t->more);
  assert_int_equal(m->after_count, 2);
  assert_true(m->after[0].job == x && m->after[0].task == HC_UNKNOWN && m->after[0].how == HC_AFTER_ENDED);
  assert_int_equal(m->after[1].job, 1);
  assert_null(next_row(&g));
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

/* The same text means the same in a table and in a native workload: see test_native.c for the latter. */
static void a_value_behind_a_bar_is_another_value(void **state)
{
  generator g;
  HC_UNUSED(state);
  open_table(&g,
             "id,submit,run,c,k\n1,0,60,1,gpu_model=V100|A100\n2,0,60,1,gpu_model!=V100|Tesla T4 & ssd\n"
             "3,0,60,1,ssd|a!=1|b=2|!c\n",
             OPTIONS(USUAL, "cpu=c", "constraints=k"));
  const hc_task_extras *m = hc_lexicon_more(g.lexicon, next_row(&g)->more);
  assert_int_equal(m->constraint_count, 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(hc_lexicon_text(g.lexicon, m->constraints[i].attribute), "gpu_model");
    assert_int_equal(m->constraints[i].compare, HC_EQUAL);
    assert_int_equal(m->constraints[i].group, 0);
    assert_string_equal(hc_lexicon_text(g.lexicon, (uint32_t)m->constraints[i].value), i ? "A100" : "V100");
  }
  m = hc_lexicon_more(g.lexicon, next_row(&g)->more); /* neither of the two: both must hold */
  assert_int_equal(m->constraint_count, 3);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(m->constraints[i].group, i);
  assert_int_equal(m->constraints[1].compare, HC_UNEQUAL);
  assert_string_equal(hc_lexicon_text(g.lexicon, (uint32_t)m->constraints[1].value), "Tesla T4");
  assert_int_equal(m->constraints[2].compare, HC_PRESENT);
  m = hc_lexicon_more(g.lexicon, next_row(&g)->more); /* alternatives that are all named */
  const uint32_t compares[] = {HC_PRESENT, HC_UNEQUAL, HC_EQUAL, HC_ABSENT};
  assert_int_equal(m->constraint_count, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(m->constraints[i].compare, compares[i]);
    assert_int_equal(m->constraints[i].group, 0);
  }
  assert_null(next_row(&g));
  close_table(&g);
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

/* ---- what is wrong ---- */

static void malformed(const char *row, const char *want, hc_chosen options)
{
  generator g;
  char text[200];
  hc_job job;
  snprintf(text, sizeof text, "id,submit,run,n,c,k,w\n%s\n", row);
  open_table(&g, text, options);
  g.context.strict = true;
  assert_int_equal(g.type->next(g.source, &job, &g.error), HC_EINPUT);
  if (!strstr(g.error.text, want)) fail_msg("\"%s\" does not say \"%s\"", g.error.text, want);
  assert_int_equal(g.error.line, 2);
  assert_int_equal(ledger.rejected[HC_REASON_MALFORMED], 1);
  close_table(&g);
}

static void malformed_fields_are_named(void **state)
{
  HC_UNUSED(state);
  malformed("1,0,60,0,1,,", "hosts: column \"n\" holds \"0\", which is no number of hosts",
            OPTIONS(USUAL, "hosts=n", "cpu=c"));
  malformed("1,0,60,9999999999,1,,", "which is no number of hosts", OPTIONS(USUAL, "hosts=n", "cpu=c"));
  malformed("1,0,60,1,lots,,", "cpu: column \"c\" holds \"lots\", which is no amount",
            OPTIONS(USUAL, "cpu=c"));
  malformed("1,0,60,1,-4,,", "which is no amount", OPTIONS(USUAL, "cpu=c"));
  malformed("1,0,60,1e300,1,,", "which is no amount", OPTIONS(USUAL, "cpu=n"));
  malformed("1,0,60,2147483648,4503599627370,,", "which is too many", OPTIONS(USUAL, "hosts=n", "cpu=c"));
  malformed("1,0,60,0,1,,", "count: column \"n\" holds \"0\", which is no number of tasks",
            OPTIONS(USUAL, "count=n", "cpu=c"));
  malformed("1,0,60,1,1,a<b,", "constraints: column \"k\" holds \"a<b\", where texts are put in order",
            OPTIONS(USUAL, "cpu=c", "constraints=k"));
  malformed("1,0,60,1,1,,soon", "not_before: column \"w\" holds \"soon\", which is no time",
            OPTIONS(USUAL, "cpu=c", "not_before=w"));
}

static void mapping_refused(hc_chosen options, const char *want)
{
  generator g;
  assert_true(try_generator(&g, with_file("id,submit,run,n,c\n1,0,60,1,1\n", options)) < 0);
  assert_string_equal(g.error.text, want);
  close_table(&g);
}

static void mappings_that_cannot_be_are_refused(void **state)
{
  const char *const others[][2] = {
      {"licences",
       "other: \"licences\" has no dimension; write dimension=column, or dimension=column*unit with a "
       "whole number"},
      {"=c", "other: \"=c\" has no dimension; write dimension=column, or dimension=column*unit with a whole "
             "number"},
      {"a=",
       "other: \"a=\" has no column; write dimension=column, or dimension=column*unit with a whole number"},
      {"a=c*x", "other: \"a=c*x\" has a unit that is no whole number from 1; write dimension=column, or "
                "dimension=column*unit with a whole number"},
      {"a=cc", "other: there is no column \"cc\"; did you mean \"c\"?"},
      {"cpu=c", "other: \"cpu=c\" names a dimension that has a column already; write dimension=column, or "
                "dimension=column*unit with a whole number"},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(others); i++) {
    const char *words[] = {others[i][0]};
    hc_chosen options = OPTIONS(USUAL, "cpu=n");
    set_words(&options, "other", words, 1);
    mapping_refused(options, others[i][1]);
  }
  const char *many[] = {"a=c", "b=c", "c=c", "d=c", "e=c"};
  hc_chosen options = OPTIONS(USUAL, "cpu=n");
  set_words(&options, "other", many, 5);
  mapping_refused(options, "other: \"e=c\" would be a dimension too many: a run has 8");
  mapping_refused(OPTIONS("submit=submit", "run=run", "cpu=n", "after=c"),
                  "after: tasks are waited for by their ids, and no column says these: set `id`");
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
      cmocka_unit_test(amounts_have_units),
      cmocka_unit_test(amounts_of_a_task_are_parted),
      cmocka_unit_test(other_dimensions_have_names),
      cmocka_unit_test(rows_may_be_bundles_of_jobs),
      cmocka_unit_test(dates_of_earliest_starts),
      cmocka_unit_test(within_a_job_tasks_wait_by_id),
      cmocka_unit_test(rows_without_a_job_are_in_none),
      cmocka_unit_test(without_jobs_each_task_is_one),
      cmocka_unit_test(constraints_are_groups_of_alternatives),
      cmocka_unit_test(a_value_behind_a_bar_is_another_value),
      cmocka_unit_test(equal_facts_are_kept_once),
      cmocka_unit_test(malformed_fields_are_named),
      cmocka_unit_test(mappings_that_cannot_be_are_refused),
      cmocka_unit_test(a_snapshot_is_the_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
