/* test_recorded.c -- how logs say that tasks ended: words, what hc_status has them as, and which formats say
 * them and are read back. */
#define _GNU_SOURCE
#include "reader_test.h"
#include "writer_test.h"

#define BOTH(x) \
  extern const hc_writer_type hc_writer_##x; \
  READER(x)
BOTH(sacct);
BOTH(csv);
BOTH(helios);
BOTH(native);
BOTH(swf);
BOTH(gwf);
BOTH(google2011);
BOTH(alibaba_v2018);

#define BIT(state) (UINT32_C(1) << HC_RECORDED_##state)
#define PLAIN (BIT(UNKNOWN) | BIT(FAILED) | BIT(COMPLETED) | BIT(CANCELLED))
#define PARTS (BIT(PARTIAL) | BIT(PARTIAL_LAST) | BIT(PARTIAL_FAILED))
#define ALL ((UINT32_C(1) << HC_RECORDED_COUNT) - 1)

static void test_words(void **state)
{
  HC_UNUSED(state);
  for (int r = 0; r < HC_RECORDED_COUNT; r++) {
    const char *word = hc_recorded_name((hc_recorded)r);
    char upper[32] = {0};
    for (size_t i = 0; word[i]; i++) upper[i] = (char)(word[i] == '_' ? '_' : word[i] - 'a' + 'A');
    assert_int_equal(hc_recorded_of(word, strlen(word)), r); /* no two have one word */
    assert_int_equal(hc_recorded_of(upper, strlen(upper)), r);
    assert_int_not_equal(hc_recorded_text((hc_recorded)r)[0], '?');
    assert_non_null(strstr(hc_reader_native.component.detail, word)); /* which lists them */
  }
  assert_int_equal(hc_recorded_of("time", 4), HC_RECORDED_COUNT);
  assert_string_equal(hc_recorded_name(HC_RECORDED_COUNT), "?");
  for (int s = HC_STATUS_UNKNOWN; s <= HC_STATUS_CANCELLED; s++) /* the first seven are those of hc_status */
    assert_int_equal(hc_recorded_status((hc_recorded)(s + 1)), s);
  assert_int_equal(hc_recorded_status(HC_RECORDED_TIMEOUT), HC_STATUS_FAILED);
  assert_int_equal(hc_recorded_status(HC_RECORDED_PREEMPTED), HC_STATUS_CANCELLED);
  assert_int_equal(hc_recorded_status(HC_RECORDED_REQUEUED), HC_STATUS_PARTIAL);
}

static void test_spec(void **state)
{
  hc_task_spec t = hc_task_spec_none();
  HC_UNUSED(state);
  assert_int_equal(hc_spec_recorded(&t), HC_RECORDED_UNKNOWN);
  t.flags = HC_SPEC_SPREAD | HC_SPEC_STARTED;
  for (int r = 0; r <= HC_RECORDED_COUNT; r++) {
    hc_spec_record(&t, (hc_recorded)r);
    assert_int_equal(hc_spec_recorded(&t), r % HC_RECORDED_COUNT); /* the count is none */
    assert_int_equal(t.status, hc_recorded_status((hc_recorded)r));
    assert_int_equal(t.flags & 0xffff, HC_SPEC_SPREAD | HC_SPEC_STARTED);
    assert_int_equal((hc_task_facts(&t, NULL) & HC_FACT_BIT(STATE)) != 0,
                     r >= HC_RECORDED_FINER && r < HC_RECORDED_COUNT);
  }
}

/* Defaults of the lists, which choose() does not read; some of their words. */
static const char *const missing[] = {"", "-1"}, *const completed[] = {"COMPLETED"},
                         *const failed[] = {"FAILED", "TIMEOUT"}, *const cancelled[] = {"CANCELLED"};

static void set_words(hc_chosen *c, const char *name, const char *const *words, size_t count)
{
  const hc_param *p = hc_reader_csv.component.params;
  while (strcmp(p->name, name) != 0) p++;
  hc_list *list = (hc_list *)(void *)((char *)c->options + p->offset);
  test_free(list->items);
  list->items = test_calloc(count, sizeof *words);
  memcpy(list->items, words, count * sizeof *words);
  list->count = count;
}

/* A table, with these lists of words in place of the default ones where they are given. */
static void read_csv(reading *r, const char *text, const char *const *fails, const char *const *cancels)
{
  begin_reading(r, &hc_reader_csv, text, NULL, NULL, NULL);
  set_words(&r->chosen, "missing", missing, HC_ARRAY_LEN(missing));
  set_words(&r->chosen, "completed", completed, HC_ARRAY_LEN(completed));
  set_words(&r->chosen, "failed", fails ? fails : failed, fails ? 1 : HC_ARRAY_LEN(failed));
  set_words(&r->chosen, "cancelled", cancels ? cancels : cancelled, 1);
  open_reading(r);
  read_on(r);
  if (r->rc < 0) fail_msg("%s\nline %u: %s", text, r->error.line, r->error.text);
}

/* A format says the states of `kept`, and tells of all others that they are lost. */
static void expect_kept(const hc_writer_type *writer, const hc_reader_type *reader, uint32_t kept,
                        const char *option)
{
  for (int r = 0; r < HC_RECORDED_COUNT; r++) {
    hc_task_spec t = hc_task_spec_none();
    writing d;
    reading back;
    begin(&d, writer, NULL);
    t.id = 7, t.job = strncmp(writer->component.name, "alibaba", 7) == 0 ? 3 : -1;
    t.submit = 100 * HC_SECOND, t.wait = 5 * HC_SECOND, t.run = HC_MINUTE, t.hosts = 1;
    t.user = 3, t.procs_asked = t.procs_used = 4;
    t.need[HC_DIM_CPU] = 4000;
    hc_spec_record(&t, (hc_recorded)r);
    assert_int_equal(put(&d, &t), 0);
    const bool is_lost = (d.lost & (HC_FACT_BIT(STATE) | HC_FACT_BIT(STATUS))) != 0;
    end(&d);
    if (is_lost != !(kept >> r & 1))
      fail_msg("%s: %s is %s", writer->component.name, hc_recorded_name((hc_recorded)r),
               is_lost ? "told to be lost" : "not told to be lost");
    if (reader == &hc_reader_csv) read_csv(&back, d.text.data, NULL, NULL);
    else read_all(&back, reader, d.text.data, option, NULL, NULL);
    assert_int_equal(back.count, 1);
    if (!is_lost && r != HC_RECORDED_UNKNOWN && /* which a format may say as a good end */
        hc_spec_recorded(&back.tasks[0]) != (hc_recorded)r)
      fail_msg("%s: %s became %s", writer->component.name, hc_recorded_name((hc_recorded)r),
               hc_recorded_name(hc_spec_recorded(&back.tasks[0])));
    if (!(d.lost & HC_FACT_BIT(STATUS)) && t.status != HC_STATUS_UNKNOWN) /* what is coarser is kept */
      assert_int_equal(back.tasks[0].status, t.status);
    end_reading(&back);
    drop_writing(&d);
  }
}

static void test_formats(void **state)
{
  HC_UNUSED(state);
  expect_kept(&hc_writer_native, &hc_reader_native, ALL, NULL);
  expect_kept(&hc_writer_csv, &hc_reader_csv, ALL & ~(PARTS | BIT(REQUEUED) | BIT(RESIZING)), NULL);
  expect_kept(&hc_writer_helios, &hc_reader_helios, ALL & ~(PARTS | BIT(REQUEUED) | BIT(RESIZING)), NULL);
  expect_kept(&hc_writer_sacct, &hc_reader_sacct,
              ALL & ~(PARTS | BIT(INTERRUPTED) | BIT(EVICTED) | BIT(LOST)), NULL);
  expect_kept(&hc_writer_swf, &hc_reader_swf, PLAIN | PARTS, "partial=keep");
  expect_kept(&hc_writer_alibaba_v2018, &hc_reader_alibaba_v2018,
              BIT(UNKNOWN) | BIT(FAILED) | BIT(COMPLETED) | BIT(INTERRUPTED), "statuses=ended");
}

/* Words of Slurm as sacct prints them, cut and with what follows. */
static void test_slurm(void **state)
{
  static const struct {
    const char *word;
    hc_recorded is;
  } words[] = {{"TIMEOUT", HC_RECORDED_TIMEOUT},     {"OUT_OF_ME+", HC_RECORDED_OUT_OF_MEMORY},
               {"NODE_FAIL", HC_RECORDED_NODE_FAIL}, {"CANCELLED by 1001", HC_RECORDED_CANCELLED},
               {"PREEMPTED", HC_RECORDED_PREEMPTED}, {"DEADLINE", HC_RECORDED_DEADLINE},
               {"COMPLETED", HC_RECORDED_COMPLETED}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++) {
    char text[512];
    reading r;
    snprintf(text, sizeof text,
             "JobID|Submit|Start|End|State|NCPUS\n"
             "1|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:02:00|%s|4\n",
             words[i].word);
    read_all(&r, &hc_reader_sacct, text, NULL, NULL, NULL);
    assert_int_equal(r.count, 1);
    assert_int_equal(hc_spec_recorded(&r.tasks[0]), words[i].is);
    end_reading(&r);
  }
}

/* What the lists of a user say comes first; a word is finer only if it agrees with them. */
static void test_csv_lists(void **state)
{
  static const char text[] = "id,submit,run,procs,status\n1,0,1,1,TIMEOUT\n2,0,1,1,FAILED\n3,0,1,1,EVICTED\n"
                             "4,0,1,1,bad\n5,0,1,1,timeout+\n";
  static const hc_recorded plain[] = {HC_RECORDED_TIMEOUT, HC_RECORDED_FAILED, HC_RECORDED_EVICTED,
                                      HC_RECORDED_UNKNOWN, HC_RECORDED_TIMEOUT};
  static const hc_recorded listed[] = {HC_RECORDED_CANCELLED, HC_RECORDED_UNKNOWN, HC_RECORDED_EVICTED,
                                       HC_RECORDED_FAILED, HC_RECORDED_CANCELLED};
  reading r;
  HC_UNUSED(state);
  read_csv(&r, text, NULL, NULL);
  for (int i = 0; i < 5; i++) assert_int_equal(hc_spec_recorded(&r.tasks[i]), plain[i]);
  end_reading(&r);
  read_csv(&r, text, (const char *const[]){"bad"}, (const char *const[]){"timeout"});
  for (int i = 0; i < 5; i++) assert_int_equal(hc_spec_recorded(&r.tasks[i]), listed[i]);
  end_reading(&r);
}

/* Submitted, started, and put off its host: it is not what its user killed. 0 is the event SUBMIT, 1 is
 * SCHEDULE, 2 is EVICT, 6 is LOST. */
static void test_google(void **state)
{
  static const char rows[] = "600000000,,7,0,,0,u,1,0,0.5,0.5,,0\n601000000,,7,0,9,1,u,1,0,0.5,0.5,,0\n"
                             "602000000,,7,0,9,%d,u,1,0,0.5,0.5,,0\n";
  static const hc_recorded is[] = {[2] = HC_RECORDED_EVICTED,
                                   [3] = HC_RECORDED_FAILED,
                                   [4] = HC_RECORDED_COMPLETED,
                                   [5] = HC_RECORDED_CANCELLED,
                                   [6] = HC_RECORDED_LOST};
  HC_UNUSED(state);
  for (int how = 2; how <= 6; how++) {
    char text[512];
    reading r;
    snprintf(text, sizeof text, rows, how);
    read_all(&r, &hc_reader_google2011, text, NULL, NULL, NULL);
    assert_int_equal(r.count, 1);
    assert_int_equal(hc_spec_recorded(&r.tasks[0]), is[how]);
    end_reading(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),     cmocka_unit_test(test_spec),
                                     cmocka_unit_test(test_formats),   cmocka_unit_test(test_slurm),
                                     cmocka_unit_test(test_csv_lists), cmocka_unit_test(test_google)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
