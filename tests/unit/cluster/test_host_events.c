/* test_host_events.c -- what happens to hosts: written out, from a table, drawn. */
#include "base/math.h"
#include "base/state.h"
#include "cell_test.h"

static const char cell_yaml[] =
    "{use: hosts, classes: [{name: c, count: 5, cpus: 4}, {name: m, count: 3, cpus: 8}], "
    "zones: [{name: rack, size: 2}]}";

typedef struct stream {
  const hc_events_type *type;
  hc_events *events;
} stream;

static hc_rc open_events(world *w, const char *yaml, uint64_t seed, stream *s)
{
  const hc_events_context c = {
      .allocator = hc_default_allocator(), .cell = &w->cell, .lexicon = w->lexicon, .seed = seed};
  hc_chosen chosen = {0};
  *s = (stream){0};
  TRY(world_choose(w, HC_KIND_EVENTS, yaml, &chosen));
  s->type = (const hc_events_type *)chosen.type;
  return s->type->open(&c, chosen.options, &s->events, &w->e);
}

static stream must_open(world *w, const char *yaml)
{
  stream s;
  if (open_events(w, yaml, 1, &s) != 0) fail_msg("%s: %s", w->e.where, w->e.text);
  return s;
}

static void must_have(world *w, stream *s, const char *const *expected, size_t count)
{
  hc_host_event x;
  for (size_t i = 0; i < count; i++) {
    const hc_rc rc = s->type->next(s->events, &x, &w->e);
    if (rc != 1) fail_msg("event %zu: %d %s", i, rc, w->e.text);
    const hc_cell_event y = {x.at, x.host, x.change, x.capacity};
    assert_string_equal(event_text(w, &y), expected[i]);
  }
  assert_int_equal(s->type->next(s->events, &x, &w->e), 0);
}

static void refuses(world *w, const char *yaml, const char *text)
{
  stream s;
  assert_int_equal(open_events(w, yaml, 1, &s), HC_EUSAGE);
  w->e.text[strcspn(w->e.text, "\n")] = '\0';
  assert_string_equal(w->e.text, text);
}

/* ---- list ---- */

static void a_list_is_sorted_by_time(void **state)
{
  HC_UNUSED(state);
  static const char *const expected[] = {"60 m-0 resize 2500/-", "100 c-1 down", "100 c-2 down",
                                         "100 m-2 drain",        "100 c-4 down", "200 c-1 up",
                                         "200 c-2 up",           "3600 m-2 up"};
  world w;
  stream s;
  world_begin(&w);
  world_has(&w, cell_yaml);
  s = must_open(
      &w, "{use: list, changes: [{at: 100, hosts: 'c-[1-2]', until: 200s}, {at: 100s, hosts: m-2, change: "
          "drain}, {at: 1h, hosts: m-2, change: up}, {at: 1m, hosts: m-0, change: resize, amounts: "
          "[cpus=2.5]}, {at: 100, hosts: 4-4, change: down}]}");
  must_have(&w, &s, expected,
            HC_ARRAY_LEN(expected)); /* those of one instant in the order in which they stand */
  s.type->close(s.events);
  s = must_open(&w, "list"); /* nothing happens */
  must_have(&w, &s, NULL, 0);
  s.type->close(s.events);
  world_end(&w);
}

static void mistakes_in_lists_are_named(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, cell_yaml);
  refuses(&w, "{use: list, changes: [{hosts: c-1}]}", "when? Say it with at");
  assert_string_equal(w.e.where, "change 1");
  refuses(&w, "{use: list, changes: [{at: 1}]}", "which hosts? Name them in hosts");
  refuses(&w, "{use: list, changes: [{at: 1, hosts: x-1}]}",
          "there is no host or class \"x-1\"; the hosts are c-0 (0) to m-2 (7)");
  refuses(&w, "{use: list, changes: [{at: 5, hosts: c-1, until: 5}]}", "until must be later than at");
  refuses(&w, "{use: list, changes: [{at: 5, hosts: c-1, change: up, until: 6}]}",
          "until goes with down and drain: it is when the hosts are up again");
  refuses(&w, "{use: list, changes: [{at: 5, hosts: c-1, change: resize}]}",
          "amounts and resize go together");
  refuses(&w, "{use: list, changes: [{at: 5, hosts: c-1, amounts: [cpus=1]}]}",
          "amounts and resize go together");
  refuses(&w, "{use: list, changes: [{at: 5, hosts: c-1, change: resize, amounts: [cpus=x]}]}",
          "cpus: expected cores, such as 10 or 2.5, got \"x\"");
  refuses(&w, "{use: list, changes: [{at: 5, hosts: c-1, change: sink}]}",
          "cell.changes.0.change: expected one of up, down, drain, resize, fail, got \"sink\"");
  world_end(&w);
}

/* ---- file ---- */

static void a_table_is_read_row_by_row(void **state)
{
  HC_UNUSED(state);
  static const char *const expected[] = {"100 c-1 down", "100 c-2 down", "120 m-0 drain", "120 c-1 up",
                                         "3600 m-0 resize 2500/1073741824"};
  world w;
  stream s;
  world_begin(&w);
  world_has(&w, cell_yaml);
  s = must_open(&w, "{use: file, file: " DATA "events.csv}");
  must_have(&w, &s, expected, HC_ARRAY_LEN(expected));
  s.type->close(s.events);
  world_end(&w);
}

static void mistakes_in_tables_have_a_place(void **state)
{
  static const struct {
    const char *table, *text;
    uint32_t line, column;
  } cases[] = {
      {"", "the first row must be titles, with at, host and change among them, as in at,host,change,cpus", 1,
       0},
      {"at,host\n",
       "the first row must be titles, with at, host and change among them, as in at,host,change,cpus", 1, 0},
      {"at,host,change\n5,c-1,fall\n", "change: expected up, down, drain or resize, got \"fall\"", 2, 7},
      {"at,host,change\nsoon,c-1,up\n",
       "at: expected a time (90s, 1h30m, or a number of seconds), got \"soon\"", 2, 1},
      {"at,host,change\n-5,c-1,up\n",
       "at: expected a time (90s, 1h30m, or a number of seconds), got "
       "\"-5\"",
       2, 1},
      {"at,host,change\n5,c-1,up\n4,c-1,up\n", "earlier than the row before: sort the rows by time", 3, 1},
      {"at,host,change\n5,c-9,up\n",
       "there is no host or class \"c-9\"; the hosts are c-0 (0) to m-2 "
       "(7)",
       0, 0},
      {"at,host,change,cpus\n5,c-1,up,4\n", "cpus: only a resize has amounts", 2, 10},
      {"at,host,change,cpus\n5,c-1,resize,\n", "a resize without amounts", 2, 7},
      {"at,host,change,cpus\n5,c-1,resize,many\n",
       "cpus: expected cores, such as 10 or 2.5, got "
       "\"many\"",
       0, 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    static const char path[] = "test_host_events.csv";
    FILE *f = fopen(path, "w");
    hc_host_event x;
    stream s;
    hc_rc rc;
    world w;
    assert_non_null(f);
    assert_true(fputs(cases[i].table, f) >= 0);
    assert_int_equal(fclose(f), 0);
    world_begin(&w);
    world_has(&w, cell_yaml);
    rc = open_events(&w, "{use: file, file: test_host_events.csv}", 1, &s);
    while (rc >= 0 && (rc = s.type->next(s.events, &x, &w.e)) == 1) continue;
    assert_true(rc < 0);
    assert_string_equal(w.e.text, cases[i].text);
    assert_int_equal(w.e.line, cases[i].line);
    assert_int_equal(w.e.column, cases[i].column);
    if (s.events) s.type->close(s.events);
    world_end(&w);
    (void)remove(path);
  }
}

/* ---- drawn ---- */

static void fixed_times_are_a_clock(void **state)
{
  HC_UNUSED(state);
  static const char *const racks[] = {"10 c-1 down", "10 c-2 down", "10 c-3 down", "13 c-1 up",
                                      "13 c-2 up",   "13 c-3 up",   "23 c-1 down", "23 c-2 down",
                                      "23 c-3 down", "26 c-1 up",   "26 c-2 up",   "26 c-3 up"};
  static const char *const hosts[] = {"10 m-2 down", "13 m-2 up", "23 m-2 down", "26 m-2 up"};
  world w;
  stream s;
  world_begin(&w);
  world_has(&w, cell_yaml);
  /* Up for 10 s, down for 3 s: failures at 10, 23 and 36, of which the last is too late. Rack 0 holds c-0
   * and c-1, of which c-1 takes part; rack 1 holds c-2 and c-3. */
  s = must_open(&w, "{use: drawn, up_time: 10s, down_time: 3s, up_distribution: fixed, down_distribution: "
                    "fixed, "
                    "until: 30s, level: rack, hosts: 1-3}");
  must_have(&w, &s, racks, HC_ARRAY_LEN(racks));
  s.type->close(s.events);
  s = must_open(&w, "{use: drawn, up_time: 10s, down_time: 3s, up_distribution: fixed, down_distribution: "
                    "fixed, "
                    "until: 30s, hosts: m-2}");
  must_have(&w, &s, hosts, HC_ARRAY_LEN(hosts));
  s.type->close(s.events);
  world_end(&w);
}

/* Mean times between failures and to repair over a long time, and that each host alternates. */
static void check_means(const char *yaml, double up, double down)
{
  world w;
  stream s;
  hc_host_event x;
  hc_time last = 0, since[1000] = {0};
  bool is_up[1000];
  double ups = 0, downs = 0;
  uint64_t up_count = 0, down_count = 0;
  memset(is_up, true, sizeof is_up);
  world_begin(&w);
  world_has(&w, "{use: hosts, classes: [{name: c, count: 1000, cpus: 1}]}");
  s = must_open(&w, yaml);
  for (int i = 0; i < 400000; i++) {
    assert_int_equal(s.type->next(s.events, &x, &w.e), 1);
    assert_true(x.at >= last);
    last = x.at;
    assert_int_equal(x.change, is_up[x.host] ? HC_HOST_DOWN : HC_HOST_UP);
    if (is_up[x.host]) {
      ups += (double)(x.at - since[x.host]) / 1e9;
      up_count++;
    } else {
      downs += (double)(x.at - since[x.host]) / 1e9;
      down_count++;
    }
    is_up[x.host] = !is_up[x.host];
    since[x.host] = x.at;
  }
  s.type->close(s.events);
  world_end(&w);
  /* 2 x 10^5 draws with a deviation of at most 1.5 means: within 1.5 % of the mean. What is cut off at
   * the end makes the observed times a little short. */
  assert_true(ups / (double)up_count > up * 0.985 && ups / (double)up_count < up * 1.015);
  assert_true(downs / (double)down_count > down * 0.985 && downs / (double)down_count < down * 1.015);
}

static void means_are_what_was_asked_for(void **state)
{
  HC_UNUSED(state);
  check_means("{use: drawn, up_time: 1h, down_time: 5m}", 3600, 300);
  check_means("{use: drawn, up_time: 1h, down_time: 5m, up_distribution: weibull, up_shape: 0.7}", 3600, 300);
  check_means("{use: drawn, up_time: 100s, down_time: 300s, down_distribution: weibull, down_shape: 3}", 100,
              300);
  check_means("{use: drawn, up_time: 100s, down_time: 10s, down_distribution: fixed}", 100, 10);
  check_means(
      "{use: drawn, up_time: 1h, down_time: 5m, up_distribution: gamma, down_distribution: lognormal}", 3600,
      300);
  /* Gamma(1 + 1/0.5) = 2 scales, and 2 scales. */
  check_means("{use: drawn, up_scale: 30m, up_distribution: weibull, up_shape: 0.9, down_scale: 150s, "
              "down_distribution: gamma, down_shape: 2}",
              1893.93, 300);
}

/* When each host fails first, up to 10^9 s. */
static void first_failures(world *w, const char *yaml, uint64_t seed, hc_time *out, uint32_t hosts)
{
  stream s;
  hc_host_event x;
  for (uint32_t i = 0; i < hosts; i++) out[i] = HC_NEVER;
  assert_int_equal(open_events(w, yaml, seed, &s), 0);
  while (s.type->next(s.events, &x, &w->e) == 1)
    if (x.change == HC_HOST_DOWN && out[x.host] == HC_NEVER) out[x.host] = x.at;
  s.type->close(s.events);
}

/* A host fails when it fails, whichever others are looked at and however long repairs take. */
static void draws_depend_on_the_host_alone(void **state)
{
  HC_UNUSED(state);
  hc_time all[8], some[8], slow[8], other[8];
  bool differs = false;
  world w;
  world_begin(&w);
  world_has(&w, cell_yaml);
  first_failures(&w, "{use: drawn, up_time: 1d, down_time: 1h, until: 9d}", 7, all, 8);
  first_failures(&w, "{use: drawn, up_time: 1d, down_time: 1h, until: 9d, hosts: m}", 7, some, 8);
  first_failures(&w, "{use: drawn, up_time: 1d, down_time: 5h, down_distribution: fixed, until: 9d}", 7, slow,
                 8);
  first_failures(&w, "{use: drawn, up_time: 1d, down_time: 1h, until: 9d}", 8, other, 8);
  for (uint32_t i = 0; i < 8; i++) {
    assert_int_equal(slow[i], all[i]);
    assert_int_equal(some[i], i < 5 ? HC_NEVER : all[i]);
    differs |= other[i] != all[i];
  }
  assert_true(differs); /* another seed, other failures */
  /* The first draw of host 0 is that of the stream (7, 0, 0, FAILURE): -mean x ln(1 - u). */
  hc_draws d = {.seed = 7, .entity = 0, .purpose = HC_PURPOSE_FAILURE};
  assert_int_equal(all[0], (hc_time)(hc_random_exponential(&d, 86400.0) * 1e9));
  world_end(&w);
}

static void mistakes_in_draws_are_named(void **state)
{
  HC_UNUSED(state);
  world w;
  world_begin(&w);
  world_has(&w, cell_yaml);
  refuses(&w, "drawn",
          "say up_time, how long a host works between failures, and down_time, how long a repair takes");
  refuses(&w, "{use: drawn, up_time: 1h, up_scale: 1h, down_time: 1m}",
          "up_time is the mean of its distribution, and up_scale the scale: give one of them");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, down_scale: 1m}",
          "down_time is the mean of its distribution, and down_scale the scale: give one of them");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, up_distribution: weibull, up_shape: 0}",
          "cell.up_shape: expected a number from 0.1 to 100, got \"0\"");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, down_distribution: gamma, down_shape: -2}",
          "cell.down_shape: expected a number from 0.1 to 100, got \"-2\"");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, spread: 0.5}",
          "spread, the chance, and spread_level, over which zones, go together");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, spread: 0.5, spread_level: rack, level: rack}",
          "zones of `level` fail as one, and failures of hosts spread: leave out one of them, or say both "
          "as two "
          "entries of `events`");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, level: rack, spares: [c-1]}",
          "a spare takes the place of a host, and with `level` zones fail as one: leave out one of them, or "
          "say both "
          "as two entries of `events`");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, spare_time: 5m}",
          "spare_time is how long a spare takes to be in service: name them with spares");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, hosts: [m], spares: [c-1]}",
          "a spare is not among `hosts`, which are those that take part");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, silent: 0.5}",
          "silent, the chance, and found_time, after which such a failure is found, go together");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, crews: -1}",
          "cell.crews: expected a whole number (repairs) from 0 to 1000000000, got \"-1\"");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, level: row}",
          "the cell has no level \"row\"; it has rack");
  refuses(&w, "{use: drawn, up_time: 1h, down_time: 1m, hosts: x}",
          "there is no host or class \"x\"; the hosts are c-0 (0) to m-2 (7)");
  refuses(&w, "{use: drawn, up_time: 0, down_time: 1m}",
          "cell.up_time: expected a time (90s, 1h30m, 2d, never, or a number of seconds), more than 0, "
          "got \"0\"");
  world_end(&w);
}

/* ---- state ---- */

/* Stop after each event, save, go on in another that was opened alike. */
static void what_is_saved_goes_on(void **state)
{
  HC_UNUSED(state);
  static const char *const all[] = {
      "{use: list, changes: [{at: 100, hosts: c, until: 200s}, {at: 150, hosts: m-2, change: drain}]}",
      "{use: file, file: " DATA "events.csv}",
      "{use: drawn, up_time: 1h, down_time: 5m, until: 3h, level: rack}",
      "{use: drawn, up_time: 1h, down_time: 5m, until: 9h, crews: 1, spares: [m-2], spread: 0.5, "
      "spread_level: rack, "
      "silent: 0.5, found_time: 10m}"};
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++) {
    world w;
    stream a, b;
    hc_host_event x = {0}, y = {0};
    size_t events = 0;
    hc_rc rc = 1;
    world_begin(&w);
    world_has(&w, cell_yaml);
    a = must_open(&w, all[i]);
    for (; rc == 1; events++) {
      hc_buffer saved;
      hc_buffer_init(&saved, hc_default_allocator());
      hc_visitor save = {.calls = &hc_state_calls,
                         .mode = HC_VISIT_SAVE,
                         .allocator = hc_default_allocator(),
                         .out = &saved};
      assert_int_equal(a.type->visit(a.events, &save), 0);
      hc_visitor load = {.calls = &hc_state_calls,
                         .mode = HC_VISIT_LOAD,
                         .allocator = hc_default_allocator(),
                         .in = (const uint8_t *)saved.data,
                         .left = saved.size};
      b = must_open(&w, all[i]);
      assert_int_equal(b.type->visit(b.events, &load), 0);
      rc = a.type->next(a.events, &x, &w.e);
      assert_int_equal(b.type->next(b.events, &y, &w.e), rc);
      if (rc == 1) assert_memory_equal(&x, &y, sizeof x);
      b.type->close(b.events);
      hc_buffer_fini(&saved);
    }
    assert_true(events > 5);
    a.type->close(a.events);
    world_end(&w);
  }
}

/* ---- part ---- */

/* Of hosts 0 to 7 every third stays; or each keeps a third of its 4 or 8 cores, rounded down. */
static void a_part_of_the_cell(void **state)
{
  HC_UNUSED(state);
  static const char *const gone[] = {"0 c-0 down", "0 c-2 down", "0 c-3 down", "0 m-0 down", "0 m-1 down"};
  static const char *const smaller[] = {"0 c-0 resize 1333/0", "0 c-1 resize 1333/0", "0 c-2 resize 1333/0",
                                        "0 c-3 resize 1333/0", "0 c-4 resize 1333/0", "0 m-0 resize 2666/0",
                                        "0 m-1 resize 2666/0", "0 m-2 resize 2666/0"};
  world w;
  stream s;
  world_begin(&w);
  world_has(&w, cell_yaml);
  s = must_open(&w, "{use: part, of: 3, which: 1}");
  must_have(&w, &s, gone, HC_ARRAY_LEN(gone));
  s.type->close(s.events);
  s = must_open(&w, "{use: part, of: 3, how: scaled}");
  must_have(&w, &s, smaller, HC_ARRAY_LEN(smaller));
  s.type->close(s.events);
  s = must_open(&w, "{use: part, of: 1}");
  must_have(&w, &s, NULL, 0);
  s.type->close(s.events);
  refuses(&w, "{use: part, of: 3, which: 3}", "which is 3 of 3: parts are numbered from 0");
  refuses(&w, "{use: part, of: 9}",
          "8 hosts cannot be split among 9: take how: scaled, or a smaller "
          "number");
  world_end(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_sorted_by_time),       cmocka_unit_test(mistakes_in_lists_are_named),
      cmocka_unit_test(a_table_is_read_row_by_row),     cmocka_unit_test(mistakes_in_tables_have_a_place),
      cmocka_unit_test(fixed_times_are_a_clock),        cmocka_unit_test(means_are_what_was_asked_for),
      cmocka_unit_test(draws_depend_on_the_host_alone), cmocka_unit_test(mistakes_in_draws_are_named),
      cmocka_unit_test(what_is_saved_goes_on),          cmocka_unit_test(a_part_of_the_cell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
