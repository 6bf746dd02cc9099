/* test_csv.c -- tables of jobs: dates, snapshots, memory. How they are cut, what columns mean, what follows,
 * and what is wrong: tests/rows/csv.rows. */
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

#define OPTIONS(...) choose(&hc_reader_csv.component, __VA_ARGS__, NULL)
#define USUAL "id=id", "submit=submit", "run=run", "procs=procs"

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
      cmocka_unit_test(test_dates),
      cmocka_unit_test(test_zone),
      cmocka_unit_test(test_snapshot),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_recognised_by_name_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
