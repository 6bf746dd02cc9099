/* test_failure_trace.c -- failures as they were recorded: the Failure Trace Archive's tables, and CSV. */
#include "base/state.h"
#include "cell_test.h"

static const char cell_yaml[] =
    "{use: hosts, classes: [{name: c, count: 5, cpus: 4}, {name: m, count: 3, cpus: 8}]}";

/* In the columns of an event_trace: nodes by node, not by time; node 7 has two components. */
static const char archive[] =
    "# "
    "event_id\tcomponent_id\tnode_id\tplatform_id\tnode_name\tevent_type\tevent_start_time\tevent_stop_time\t"
    "event_end_reason\n"
    "1\t1\t3\t1\tc-1\t1\t1000\t1100\tNULL\n"
    "2\t1\t3\t1\tc-1\t0\t1100\t1160.5\t2\n"
    "# a comment in between\n"
    "3\t1\t3\t1\tc-1\t1\t1160.5\t2000\tNULL\n"
    "4\t1\t7\t1\tc-3\t0\t1050\t1090\t0\n"
    "5\t2\t7\t1\tc-3\t0\t1080\t1200\t0\n"
    "6\t1\t9\t2\tm-2\t0\t1900\tNULL\t0\n";

static const char *write_table(const char *text)
{
  static const char path[] = "test_failure_trace.tab";
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
  return path;
}

static hc_rc open_trace(world *w, const char *table, const char *more, const hc_events_type **type,
                        hc_events **out)
{
  const hc_events_context c = {.allocator = hc_default_allocator(), .cell = &w->cell, .lexicon = w->lexicon};
  const char *path = write_table(table);
  hc_chosen chosen = {0};
  char yaml[512];
  hc_rc rc;
  (void)snprintf(yaml, sizeof yaml, "{use: failure_trace, file: %s%s}", path, more);
  *out = NULL;
  rc = world_choose(w, HC_KIND_EVENTS, yaml, &chosen);
  *type = (const hc_events_type *)chosen.type;
  if (rc == 0) rc = (*type)->open(&c, chosen.options, out, &w->e);
  (void)remove(path);
  return rc;
}

static void reads(const char *table, const char *more, const char *const *expected, size_t count)
{
  const hc_events_type *type;
  hc_events *events;
  hc_host_event x;
  world w;
  world_begin(&w);
  world_has(&w, cell_yaml);
  if (open_trace(&w, table, more, &type, &events) != 0) fail_msg("%s: %s", w.e.where, w.e.text);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(type->next(events, &x, &w.e), 1);
    const hc_cell_event y = {x.at, x.host, x.change, NULL};
    assert_string_equal(event_text(&w, &y), expected[i]);
  }
  assert_int_equal(type->next(events, &x, &w.e), 0);
  type->close(events);
  world_end(&w);
}
#define READS(table, more, ...) \
  reads(table, more, (const char *const[]){__VA_ARGS__}, HC_ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

/* The origin is the earliest start, 1000; the two components of c-3 together are one downtime. */
static void an_archive_is_read_as_it_is(void **state)
{
  HC_UNUSED(state);
  READS(archive, "", "50 c-3 down", "100 c-1 down", "160.5 c-1 up", "200 c-3 up", "900 m-2 down");
  READS(archive, ", component: 1", "50 c-3 down", "90 c-3 up", "100 c-1 down", "160.5 c-1 up",
        "900 m-2 down");
  READS(archive, ", platform: 2", "0 m-2 down"); /* its own earliest start */
  /* At 1085 c-3 is away already, and m-2 fails 815 s later. */
  READS(archive, ", from: 1085", "0 c-3 down", "15 c-1 down", "75.5 c-1 up", "115 c-3 up", "815 m-2 down");
  READS(archive, ", hosts: [c-3]", "50 c-3 down", "200 c-3 up");
}

/* Node 3 is host c-3, 7 is m-2; 9 is none. In order 3, 7, 9 are the first, second and third of m. */
static void nodes_are_hosts_by_number_or_in_order(void **state)
{
  HC_UNUSED(state);
  READS(archive, ", match: number, surplus: skip", "50 m-2 down", "100 c-3 down", "160.5 c-3 up",
        "200 m-2 up");
  READS(archive, ", match: order, hosts: [m]", "50 m-1 down", "100 m-0 down", "160.5 m-0 up", "200 m-1 up",
        "900 m-2 down");
  READS(archive, ", match: order, hosts: [c-0, c-1], surplus: skip", "50 c-1 down", "100 c-0 down",
        "160.5 c-0 up", "200 c-1 up");
  /* A node that never fails is still one of those that there are. */
  READS("node,start,stop,type\n1,0,9,up\n2,3,4,down\n", ", match: order", "3 c-1 down", "4 c-1 up");
}

static void a_csv_has_titles(void **state)
{
  HC_UNUSED(state);
  READS("host,start,stop\nm-1,5,7\nc-2,1,\nm-1,7,8\n", ", from: 0", "1 c-2 down", "5 m-1 down", "8 m-1 up");
  READS("start,end,host,type\n0,10,c-0,available\n4,6,c-1,unavailable\n", "", "4 c-1 down", "6 c-1 up");
  /* A state of its own counts only if asked for: 2 and 3 are a user at Notre Dame. */
  READS("host,start,stop,type\nc-0,1,2,0\nc-0,5,6,2\n", ", from: 0", "1 c-0 down", "2 c-0 up");
  READS("host,start,stop,type\nc-0,1,2,0\nc-0,5,6,2\n", ", from: 0, down: ['2']", "5 c-0 down", "6 c-0 up");
}

static void mistakes_have_a_place(void **state)
{
  static const struct {
    const char *table, *more, *text;
    uint32_t line, column;
  } cases[] = {
      {"", "", "the table has no rows", 0, 0},
      {"host,begin\n", "",
       "the first row must be titles, with host or node, start and stop among them, or that of an "
       "event_trace of the "
       "Failure Trace Archive, which has nine columns without titles",
       1, 0},
      {"host,start,stop\nc-1,soon,5\n", "", "expected a time in seconds, got \"soon\"", 2, 5},
      {"host,start,stop\nc-1,-4,5\n", "", "expected a time in seconds, got \"-4\"", 2, 5},
      {"host,start,stop\nc-1,6,5\n", "", "it stops before it starts", 2, 7},
      {"host,start,stop\nc-9,4,5\n", "",
       "the cell has no host \"c-9\": say how nodes are hosts with `match`, or `surplus: skip`", 2, 1},
      {"host,start,stop,type\nc-1,4,5,broken\n", "",
       "type: expected 0 or 1, down or up, unavailable or available, got \"broken\"", 2, 9},
      {"host,start,stop\nc-1,4,5\n", ", match: order",
       "there is no column node, which `match`, `component` or `platform` ask for", 1, 0},
      {"node,start,stop\nx,4,5\n", ", match: number", "node: expected a number, got \"x\"", 2, 1},
      {"node,start,stop\n8,4,5\n", ", match: number",
       "it has more nodes than there are hosts (8): give more `hosts`, or `surplus: skip`", 0, 0},
      {"node,start,stop\n8,4,5\n9,4,5\n", ", match: order, hosts: [c-1]",
       "it has more nodes than there are hosts (1): give more `hosts`, or `surplus: skip`", 0, 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    const hc_events_type *type;
    hc_events *events;
    world w;
    world_begin(&w);
    world_has(&w, cell_yaml);
    assert_true(open_trace(&w, cases[i].table, cases[i].more, &type, &events) < 0);
    w.e.text[strcspn(w.e.text, "\n")] = '\0';
    assert_string_equal(w.e.text, cases[i].text);
    assert_int_equal(w.e.line, cases[i].line);
    assert_int_equal(w.e.column, cases[i].column);
    world_end(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_archive_is_read_as_it_is),
      cmocka_unit_test(nodes_are_hosts_by_number_or_in_order),
      cmocka_unit_test(a_csv_has_titles),
      cmocka_unit_test(mistakes_have_a_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
