/* test_csv.c -- tables of jobs: how they are cut, what columns mean, what follows, and what is wrong. */
#define _GNU_SOURCE
#include "workload/names.h"
#include "workload_test.h"

READER(csv);

/* Defaults of the lists, which choose() does not read; some of their words. */
static const char *missing[] = {"", "-1", "NA", "None"}, *completed[] = {"COMPLETED", "1"},
                  *failed[] = {"FAILED", "0"}, *cancelled[] = {"CANCELLED", "5"};

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

static void add_table(bench *b, const char *text, hc_chosen options)
{
  const hc_param *p = options.type->params;
  memset(b, 0, sizeof *b);
  b->context = (hc_source_context){.allocator = hc_default_allocator(), .seed = 1, .ledger = &b->ledger};
  b->options.sources = b->sources;
  b->options.transforms = b->transforms;
  b->options.source_count = 1;
  b->options.raw = true;
  b->files[0] = write_file(text);
  const char *path = b->files[0].path;
  while (strcmp(p->name, "file") != 0) p++;
  memcpy((char *)options.options + p->offset, &path, sizeof path);
  set_words(&options, "missing", missing, HC_ARRAY_LEN(missing));
  set_words(&options, "completed", completed, HC_ARRAY_LEN(completed));
  set_words(&options, "failed", failed, HC_ARRAY_LEN(failed));
  set_words(&options, "cancelled", cancelled, HC_ARRAY_LEN(cancelled));
  b->sources[0] = options;
}

#define OPTIONS(...) choose(&hc_reader_csv.component, "comment=#", __VA_ARGS__, NULL)
#define USUAL "id=id", "submit=submit", "run=run", "procs=procs"

static hc_task_spec only_row(const char *text, hc_chosen options)
{
  bench b;
  hc_arrival a = {0};
  add_table(&b, text, options);
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  tear_down(&b);
  return a.spec;
}

static void test_every_column(void **state)
{
  const hc_task_spec t =
      only_row("id,submit,wait,run,limit,procs,used,asked,mem,u,g,x,q,p,st,prio\n"
               "11,22,33,44,55,6,7,8,9,12,13,14,15,16,1,-3\n",
               OPTIONS(USUAL, "wait=wait", "limit=limit", "procs_used=used", "memory_asked=asked",
                       "memory_used=mem", "user=u", "group=g", "executable=x", "queue=q", "partition=p",
                       "status=st", "priority=prio", "memory_unit=1KiB"));
  HC_UNUSED(state);
  assert_int_equal(t.id, 11);
  assert_int_equal(t.line, 2);
  assert_int_equal(t.submit, 22 * HC_SECOND);
  assert_int_equal(t.wait, 33 * HC_SECOND);
  assert_int_equal(t.run, 44 * HC_SECOND);
  assert_int_equal(t.limit, 55 * HC_SECOND);
  assert_int_equal(t.procs_asked, 6);
  assert_int_equal(t.procs_used, 7);
  assert_int_equal(t.memory_asked, 8 * 1024);
  assert_int_equal(t.memory_used, 9 * 1024);
  assert_int_equal(t.user, 12);
  assert_int_equal(t.group, 13);
  assert_int_equal(t.executable, 14);
  assert_int_equal(t.queue, 15);
  assert_int_equal(t.partition, 16);
  assert_int_equal(t.status, HC_STATUS_COMPLETED);
  assert_int_equal(t.priority, -3);
  assert_true(t.cpu_time == HC_UNKNOWN && t.preceding == -1 && t.cancel_at == HC_NEVER);
}

static void test_missing(void **state)
{
  const hc_task_spec t = only_row("id,submit,run,procs,limit,u,st\n x7 ,, NA ,-1,None,\"\",\n",
                                  OPTIONS(USUAL, "limit=limit", "user=u", "status=st"));
  HC_UNUSED(state);
  assert_int_equal(t.id, 1); /* not a number: the row's own */
  assert_true(t.submit == HC_UNKNOWN && t.run == HC_UNKNOWN && t.procs_asked == HC_UNKNOWN &&
              t.limit == HC_UNKNOWN);
  assert_true(t.user == -1 && t.status == HC_STATUS_UNKNOWN);
}

static void test_separators(void **state)
{
  const struct {
    const char *text, *option;
  } tables[] = {
      {"id;submit;run;procs\n1;2.5;3;4\n", "separator=auto"},
      {"id\tsubmit\trun\tprocs\n1\t2.5\t3\t4\n", "separator=auto"},
      {"id|submit|run|procs|\n1|2.5|3|4|\n",
       "separator=auto"}, /* one behind the last field, as sacct -p has it */
      {"id submit run procs\n 1   2.5\t3  4  \n", "separator=auto"},
      {"id, submit, run, \"procs\"\r\n1, 2.5 ,\"3\" , 4\r\n", "separator=comma"},
      {"\xEF\xBB\xBFid,submit,run,procs\n1,2.5,3,4",
       "separator=auto"}, /* a byte order mark; no newline at the end */
      {"# made by hand\n\nID,Submit,RUN,Procs\n# more\n1,2.5,3,4\n", "separator=auto"},
      {"\"a,b;c;d;e\",id,submit,run,procs\nx,1,2.5,3,4\n", "separator=auto"}, /* quoted ones do not count */
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(tables); i++) {
    const hc_task_spec t = only_row(tables[i].text, OPTIONS(USUAL, tables[i].option));
    assert_int_equal(t.id, 1);
    assert_int_equal(t.submit, 2500 * HC_MS);
    assert_int_equal(t.run, 3 * HC_SECOND);
    assert_int_equal(t.procs_asked, 4);
  }
}

static void test_without_header(void **state)
{
  const hc_task_spec t = only_row("title of the table\n1,2,3,4\n",
                                  OPTIONS("id=1", "submit=2", "run=3", "procs=4", "header=false", "skip=1"));
  HC_UNUSED(state);
  assert_int_equal(t.procs_asked, 4);
  assert_int_equal(t.line, 2);
}

static void test_quotes(void **state)
{
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  add_table(&b,
            "id,submit,run,procs,user,group\n"
            "1,0,1,1,\"lee, \"\"x\"\"\",\"two\nlines\"\n"
            "2,0,1,1,\"lee, x\",\"two\n\nlines\"\n"
            "3,0,1,1,\"lee, \"\"x\"\"\",\"two\nlines\"\n"
            "4,0,1,1,le\"e,g\n",
            OPTIONS(USUAL, "user=user", "group=group"));
  assert_int_equal(open_bench(&b), 0);
  const int64_t users[] = {1, 2, 1, 3}, groups[] = {1, 2, 1, 3}, lines[] = {2, 4, 7, 9};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
    assert_int_equal(a.spec.user, users[i]);
    assert_int_equal(a.spec.group, groups[i]);
    assert_int_equal(a.spec.line, lines[i]); /* where the record begins */
  }
  tear_down(&b);
  /* Without quotes they are characters like others. */
  assert_int_equal(only_row("id,submit,run,procs\n\"1,0,1,1\n", OPTIONS(USUAL, "quotes=false")).procs_asked,
                   1);
}

static void test_open_quote(void **state)
{
  bench b;
  HC_UNUSED(state);
  add_table(&b, "id,submit,run,procs\n1,0,1,1\n2,0,1,\"1\n3,0,1,1\n", OPTIONS(USUAL));
  char got[64];
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_int_equal(b.error.rc, HC_EINPUT); /* not a counted row: it would swallow the rest of the file */
  assert_int_equal(b.error.line, 3);
  assert_non_null(strstr(b.error.text, "quotes: false"));
  tear_down(&b);
}

static void test_derived(void **state)
{
  HC_UNUSED(state);
  /* All of (submit, start, end, wait, run) = (10, 30, 70, 20, 40), with what is named left out. */
  const char *text = "submit,start,end,wait,run,procs\n10,30,70,20,40,1\n";
  const hc_chosen sets[] = {
      OPTIONS("submit=submit", "start=start", "end=end", "procs=procs"),
      OPTIONS("submit=submit", "wait=wait", "end=end", "procs=procs"),
      OPTIONS("submit=submit", "start=start", "run=run", "procs=procs"),
      OPTIONS("start=start", "wait=wait", "end=end", "procs=procs"),
      OPTIONS("end=end", "wait=wait", "run=run", "procs=procs"),
  };
  for (size_t i = 0; i < HC_ARRAY_LEN(sets); i++) {
    const hc_task_spec t = only_row(text, sets[i]);
    assert_int_equal(t.submit, 10 * HC_SECOND);
    assert_int_equal(t.wait, 20 * HC_SECOND);
    assert_int_equal(t.run, 40 * HC_SECOND);
  }
  /* What is given counts more than what could be derived. */
  const hc_task_spec t =
      only_row("submit,start,end,run,procs\n10,30,70,35,1\n",
               OPTIONS("submit=submit", "start=start", "end=end", "run=run", "procs=procs"));
  assert_int_equal(t.run, 35 * HC_SECOND);
  assert_int_equal(t.wait, 20 * HC_SECOND);
  /* Cancelled while it waited: it left when it "ended". */
  const hc_task_spec left =
      only_row("submit,start,end,procs,st\n10,None,70,1,CANCELLED by 7\n",
               OPTIONS("submit=submit", "start=start", "end=end", "procs=procs", "status=st"));
  assert_int_equal(left.wait, 60 * HC_SECOND);
  assert_true(left.run == HC_UNKNOWN && left.status == HC_STATUS_CANCELLED);
}

static void test_units(void **state)
{
  const hc_task_spec t = only_row("id,submit,run,procs,wait,limit\n1,1500,2,3,4,1.5\n",
                                  OPTIONS(USUAL, "wait=wait", "limit=limit", "time_unit=1ms", "run_unit=1h",
                                          "wait_unit=1m", "limit_unit=1h"));
  const hc_task_spec clock = only_row("id,submit,run,procs,wait,limit\n1,0,01:00:05,3,1-00:00:00,1h30m\n",
                                      OPTIONS(USUAL, "wait=wait", "limit=limit", "limit_unit=1m"));
  HC_UNUSED(state);
  assert_int_equal(t.submit, 1500 * HC_MS);
  assert_int_equal(t.run, 2 * HC_HOUR);
  assert_int_equal(t.wait, 4 * HC_MINUTE);
  assert_int_equal(t.limit, 90 * HC_MINUTE);
  assert_int_equal(clock.run, HC_HOUR + 5 * HC_SECOND);
  assert_int_equal(clock.wait, HC_DAY);
  assert_int_equal(clock.limit, 90 * HC_MINUTE); /* a text with units needs none */
}

static void test_processors_and_memory(void **state)
{
  const hc_task_spec t =
      only_row("submit,run,nodes,each,used,mem\n0,1,2,18,3,144\n",
               OPTIONS("submit=submit", "run=run", "procs=nodes", "procs_times=each", "procs_factor=2",
                       "procs_used=used", "memory_asked=mem", "memory_of=task", "memory_unit=1MiB"));
  HC_UNUSED(state);
  assert_int_equal(t.procs_asked, 72); /* 2 nodes of 18 cores with 2 threads each */
  assert_int_equal(t.procs_used, 6);
  assert_int_equal(t.memory_asked, 2 << 20); /* 144 MiB for 72 */
  assert_int_equal(only_row("submit,run\n0,1\n", OPTIONS("submit=1", "run=2", "procs_factor=4")).procs_asked,
                   4);
  assert_int_equal(
      only_row("a,b,c,d\n0,1,2,4GiB\n", OPTIONS("submit=1", "run=2", "procs=3", "memory_used=4")).memory_used,
      (int64_t)4 << 30);
}

/* The time of submission under a format, and where it counts from. */
static hc_time moment(const char *text, const char *format, const char *zone)
{
  hc_moment_format f;
  hc_zone *z = NULL;
  hc_time out = HC_UNKNOWN;
  const hc_field field = {.text = text, .length = strlen(text)};
  assert_null(hc_moment_format_init(&f, format, HC_SECOND));
  if (zone) assert_int_equal(hc_zone_open(hc_default_allocator(), zone, &z), 0);
  if (!hc_field_moment(&field, &f, z, &out)) out = HC_UNKNOWN;
  hc_zone_free(z);
  return out;
}

static void test_dates(void **state)
{
  const hc_time at = 1709539200 * HC_SECOND; /* 2024-03-04 08:00:00 UTC, a Monday */
  HC_UNUSED(state);
  assert_int_equal(moment("1709539200", "unix", NULL), at);
  assert_int_equal(moment("2024-03-04T08:00:00", "iso", NULL), at);
  assert_int_equal(moment("2024-03-04 08:00", "iso", NULL), at);
  assert_int_equal(moment("2024-03-04T08:00:00.25Z", "iso", NULL), at + 250 * HC_MS);
  assert_int_equal(moment("2024-03-04 09:30:00 +01:30", "iso", NULL), at);
  assert_int_equal(moment("2024-03-04T03:00:00-0500", "iso", "+09:00"), at); /* its own offset counts */
  assert_int_equal(moment("2024-03-04T10:00:00", "iso", "+02:00"), at);
  assert_int_equal(moment("2024-03-04", "iso", NULL), at - 8 * HC_HOUR);
  assert_int_equal(moment("04/03/2024 08:00:00", "%d/%m/%Y %H:%M:%S", NULL), at);
  assert_int_equal(moment("3/4/24 8:00:00 AM", "%m/%d/%y %I:%M:%S %p", NULL), at);
  assert_int_equal(moment("3/4/24 12:00:00 AM", "%m/%d/%y %I:%M:%S %p", NULL), at - 8 * HC_HOUR);
  assert_int_equal(moment("4-Mar-2024  08:00", "%e-%b-%Y %H:%M", NULL), at);
  assert_int_equal(moment("100% 2024-03-04 08:00:00", "100%% %F %T", NULL), at);
  assert_int_equal(moment("2024-02-29", "iso", NULL), 1709164800 * HC_SECOND);
  const char *wrong[] = {"2023-02-29",        "2024-13-01", "2024-00-01",  "2024-03-04T24:00:00",
                         "2024-03-04T08:60",  "",           "2024-03-04T", "1709539200",
                         "2024-03-04 08:00x", "24-03-04",   "2024-3-4"};
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) assert_true(moment(wrong[i], "iso", NULL) == HC_UNKNOWN);
}

static void test_zone(void **state)
{
  HC_UNUSED(state);
  const hc_time spring = 1711846800 * HC_SECOND,
                autumn = 1729990800 * HC_SECOND; /* 01:00 UTC of the changes */
  assert_int_equal(moment("2024-03-31 01:59:59", "iso", "Europe/Stockholm"), spring - HC_SECOND);
  assert_int_equal(moment("2024-03-31 03:00:00", "iso", "Europe/Stockholm"), spring);
  assert_int_equal(moment("2024-03-31 02:30:00", "iso", "Europe/Stockholm"),
                   spring + 30 * HC_MINUTE); /* left out */
  assert_int_equal(moment("2024-10-27 02:30:00", "iso", "Europe/Stockholm"),
                   autumn - 30 * HC_MINUTE); /* the first */
  assert_int_equal(moment("2024-10-27 03:00:00", "iso", "Europe/Stockholm"), autumn + HC_HOUR);
}

static void test_origin(void **state)
{
  bench b;
  char got[64];
  HC_UNUSED(state);
  /* Not given: the begin of the first row's day. */
  add_table(&b, "id,submit,run,procs\n1,1709539200,1,1\n2,1709510400,1,1\n",
            OPTIONS(USUAL, "time_format=unix"));
  hc_arrival a;
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.id, 2); /* earlier, on the same day */
  assert_int_equal(a.spec.submit, 0);
  assert_int_equal(hc_stream_info(b.stream)->unix_start, 1709510400);
  tear_down(&b);
  /* An earlier day cannot be counted from it, which is said with the remedy. */
  add_table(&b, "id,submit,run,procs\n1,1709539200,1,1\n2,1709510399,1,1\n",
            OPTIONS(USUAL, "time_format=unix"));
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_int_equal(b.error.rc, HC_EINPUT);
  assert_int_equal(b.error.line, 3);
  assert_non_null(strstr(b.error.text, "`origin`"));
  tear_down(&b);
  /* Given: what is before it is left out. */
  add_table(&b, "id,submit,run,procs\n1,1709539200,1,1\n2,1709510399,1,1\n3,1709510401,1,1\n",
            OPTIONS(USUAL, "time_format=unix", "origin=2024-03-04"));
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "3 1");
  assert_int_equal(b.ledger.rejected[HC_REASON_OUTSIDE], 1);
  assert_int_equal(b.ledger.read, 3);
  tear_down(&b);
}

static void test_names(void **state)
{
  const char *text = "id,submit,run,procs,u\n1,0,1,1,ann\n2,1,1,1,7\n3,2,1,1,ann\n4,3,1,1,\n5,4,1,1,Ann\n";
  const int64_t users[] = {1, 2, 1, -1, 3};
  bench b;
  hc_arrival a;
  char got[64];
  HC_UNUSED(state);
  add_table(&b, text, OPTIONS(USUAL, "user=u")); /* the first is a name, so "7" is one */
  assert_int_equal(open_bench(&b), 0);
  for (size_t i = 0; i < HC_ARRAY_LEN(users); i++) {
    assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
    assert_int_equal(a.spec.user, users[i]);
  }
  tear_down(&b);
  /* The first is a number: a name is a mistake, unless all are taken as names. */
  text = "id,submit,run,procs,u\n1,0,1,1,7\n2,1,1,1,ann\n";
  add_table(&b, text, OPTIONS(USUAL, "user=u"));
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1");
  assert_int_equal(b.ledger.rejected[HC_REASON_MALFORMED], 1);
  tear_down(&b);
  add_table(&b, text, OPTIONS(USUAL, "user=u", "names=always"));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.user, 1);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.user, 2);
  tear_down(&b);
}

static void test_status(void **state)
{
  const struct {
    const char *word;
    int status;
  } words[] = {{"COMPLETED", HC_STATUS_COMPLETED},
               {"completed", HC_STATUS_COMPLETED},
               {"CANCELLED by 10099", HC_STATUS_CANCELLED},
               {"CANCELLED+", HC_STATUS_CANCELLED},
               {"0", HC_STATUS_FAILED},
               {"\"FAILED\"", HC_STATUS_FAILED},
               {"COMPLETEDLY", HC_STATUS_UNKNOWN},
               {"RUNNING", HC_STATUS_UNKNOWN}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++) {
    char text[128];
    snprintf(text, sizeof text, "id,submit,run,procs,st\n1,0,1,1,%s\n", words[i].word);
    assert_int_equal(only_row(text, OPTIONS(USUAL, "status=st")).status, words[i].status);
  }
}

static void test_malformed(void **state)
{
  const struct {
    const char *row;
    uint32_t column;
  } bad[] = {
      {"x,2,nan,4,5,6", 5},                                                    /* no number */
      {"x,2,-5,4,5,6", 5},                                                     /* negative, not -1 */
      {"x,0x10,3,4,5,6", 3},                                                   /* hexadecimal */
      {"x,2,3,-4,5,6", 7},    {"x,2,3,1e30,5,6", 7}, {"x,2,3,4,\"5\"6,6", 12}, /* text behind a quote */
      {"x,2,3", 0},                                                            /* too few */
      {"x,2,3,4,5,6,7", 0},  /* more than there are titles: something has moved */
      {"x,2,3,4,5,6.5", 11}, /* half a priority */
      {"x,2,1e11,4,5,6", 5}, /* past 292 years */
      {"x,2,never,4,5,6", 5},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) {
    char text[256], got[64];
    bench b;
    for (int strict = 0; strict < 2; strict++) {
      snprintf(text, sizeof text, "id,submit,run,procs,x,prio\n8,1,1,1,,1\n%s\n9,2,1,1,,1\n", bad[i].row);
      add_table(&b, text, OPTIONS(USUAL, "priority=prio"));
      b.context.strict = strict;
      b.options.window = 1;
      const hc_rc rc = open_bench(&b);
      assert_int_equal(rc, 0);
      ids(&b, got, sizeof got);
      assert_string_equal(got, strict ? "8 error" : "8 9");
      assert_int_equal(b.ledger.rejected[HC_REASON_MALFORMED], 1);
      if (strict) {
        assert_int_equal(b.error.line, 3);
        assert_int_equal(b.error.column, bad[i].column);
        assert_non_null(strstr(b.error.text, "malformed"));
      } else {
        assert_int_equal(b.ledger.read, 3);
      }
      tear_down(&b);
    }
  }
}

static void test_contradictions(void **state)
{
  bench b;
  char got[64];
  HC_UNUSED(state);
  add_table(
      &b,
      "id,s,b,e,p\n1,10,20,15,1\n2,10,5,20,1\n3,10,10,10,1\n", /* ends early; starts early; no time at all */
      OPTIONS("id=id", "submit=s", "start=b", "end=e", "procs=p"));
  assert_int_equal(open_bench(&b), 0);
  ids(&b, got, sizeof got);
  assert_string_equal(got, "3");
  assert_int_equal(b.ledger.rejected[HC_REASON_MALFORMED], 2);
  tear_down(&b);
}

static hc_rc open_error(const char *text, hc_chosen options, hc_error *e)
{
  bench b;
  add_table(&b, text, options);
  const hc_rc rc = open_bench(&b);
  *e = b.error;
  tear_down(&b);
  return rc;
}

static void test_wrong_mapping(void **state)
{
  const char *text = "job,submitted,run,procs\n1,2,3,4\n";
  hc_error e;
  HC_UNUSED(state);
  assert_int_equal(open_error(text, OPTIONS("submit=submited", "run=run", "procs=procs"), &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "did you mean \"submitted\"?"));
  assert_int_equal(e.line, 1);
  assert_int_equal(open_error(text, OPTIONS("submit=9", "run=run", "procs=procs"), &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "\"9\" among the 4"));
  assert_int_equal(open_error(text, OPTIONS("submit=2", "run=zzzzzz", "procs=procs"), &e), HC_EINPUT);
  assert_int_equal(open_error(text, OPTIONS("submit=submitted", "run=3", "procs=4", "header=false"), &e),
                   HC_EUSAGE);
  assert_int_equal(open_error(text, OPTIONS("run=3", "procs=4"), &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "`submit`"));
  assert_int_equal(open_error(text, OPTIONS("submit=2", "procs=4"), &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "`run`"));
  assert_int_equal(open_error(text, OPTIONS("submit=2", "run=3"), &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "`procs`"));
  assert_int_equal(open_error(text, OPTIONS("submit=2", "run=3", "procs=4", "time_format=%H:%M"), &e),
                   HC_EUSAGE);
  assert_non_null(strstr(e.text, "gives no date"));
  assert_int_equal(open_error(text, OPTIONS("submit=2", "run=3", "procs=4", "zone=Nowhere/At_all"), &e),
                   HC_EUSAGE);
  assert_int_equal(open_error(text, OPTIONS("submit=2", "run=3", "procs=4", "origin=soon"), &e), HC_EUSAGE);
  assert_int_equal(
      open_error(text, OPTIONS("submit=2", "start=1", "run=3", "procs=4", "start_format=unix"), &e),
      HC_EUSAGE);
  assert_int_equal(open_error("", OPTIONS("submit=2", "run=3", "procs=4"), &e), HC_EINPUT);
  assert_int_equal(open_error("a,b,c,d\n", OPTIONS("submit=2", "run=3", "procs=4"), &e),
                   0); /* no rows: no tasks */
  assert_int_equal(open_error("a,b,c,d\nx,x,x,x\n", OPTIONS("submit=2", "run=3", "procs=4"), &e), HC_EINPUT);
  assert_int_equal(e.line, 2); /* where the first is wrong, and why */
  assert_int_equal(e.column, 3);
}

static void test_snapshot(void **state)
{
  bench b, c;
  char text[4096] = "id,submit,run,procs,u\n", whole[1024], rest[1024], again[1024];
  hc_arrival a;
  hc_buffer saved;
  HC_UNUSED(state);
  for (int i = 1; i <= 60; i++) {
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%d,%d,1,1,\"user\n%d\"\n", i, i, i % 7);
  }
  add_table(&b, text, OPTIONS(USUAL, "user=u", "time_format=unix"));
  b.options.window = 4;
  assert_int_equal(open_bench(&b), 0);
  for (int i = 0; i < 20; i++) assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  hc_buffer_init(&saved, hc_default_allocator());
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(hc_stream_visit(b.stream, &save, &b.error), 0);
  ids(&b, rest, sizeof rest);

  add_table(&c, "", OPTIONS(USUAL, "user=u", "time_format=unix"));
  FILE *f = fopen(c.files[0].path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
  c.options.window = 4;
  assert_int_equal(open_bench(&c), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(hc_stream_visit(c.stream, &load, &c.error), 0);
  assert_int_equal(hc_stream_next(c.stream, &a, &c.error), 1);
  assert_int_equal(a.spec.user,
                   21 % 7 == 0 ? 7 : 21 % 7); /* the names are known as they were: user 0 came seventh */
  snprintf(whole, sizeof whole, "%lld ", (long long)a.spec.id);
  ids(&c, again, sizeof again);
  strcat(whole, again);
  assert_string_equal(whole, rest);
  assert_memory_equal(&b.ledger, &c.ledger, sizeof b.ledger);
  hc_buffer_fini(&saved);
  tear_down(&b);
  tear_down(&c);
}

/* ---- memory ---- */

typedef struct scarce {
  int left; /* allocations that still succeed */
} scarce;

static void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  scarce *s = ctx;
  if (new_size > 0 && s->left-- <= 0) return NULL;
  return hc_default_allocator()->resize(NULL, p, old_size, new_size);
}

static void test_out_of_memory(void **state)
{
  const char *text = "id,submit,run,procs,u,st\n1,0,1,1,\"a \"\"b\"\"\",\"x\ny\"\n2,1,1,1,c,1\n";
  HC_UNUSED(state);
  for (int n = 0;; n++) {
    scarce s = {.left = n};
    const hc_allocator a = {.ctx = &s, .resize = scarce_resize};
    bench b;
    hc_source *source = NULL;
    hc_job job;
    add_table(&b, text,
              OPTIONS(USUAL, "user=u", "status=st", "time_format=iso", "submit_format=unix", "zone=+01:00"));
    b.context.allocator = &a;
    hc_rc rc = hc_reader_csv.open(&b.context, b.sources[0].options, &source, &b.error);
    if (rc == 0)
      while ((rc = hc_reader_csv.next(source, &job, &b.error)) == 1) continue;
    assert_true(rc == 0 || rc == HC_ENOMEM);
    hc_reader_csv.close(source);
    tear_down(&b);
    assert_true(n < 1000);
    if (rc == 0) break;
  }
}

static void test_recognised_by_name_only(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(hc_reader_csv.recognise("jobs.csv", "a,b\n", 4), 5);
  assert_int_equal(hc_reader_csv.recognise("jobs.tsv.zst", "", 0), 5);
  assert_int_equal(hc_reader_csv.recognise("jobs.txt", "a,b\n", 4), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_column),
      cmocka_unit_test(test_missing),
      cmocka_unit_test(test_separators),
      cmocka_unit_test(test_without_header),
      cmocka_unit_test(test_quotes),
      cmocka_unit_test(test_open_quote),
      cmocka_unit_test(test_derived),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_processors_and_memory),
      cmocka_unit_test(test_dates),
      cmocka_unit_test(test_zone),
      cmocka_unit_test(test_origin),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_status),
      cmocka_unit_test(test_malformed),
      cmocka_unit_test(test_contradictions),
      cmocka_unit_test(test_wrong_mapping),
      cmocka_unit_test(test_snapshot),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_recognised_by_name_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
