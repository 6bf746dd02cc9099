/* test_power.c -- what hosts draw by their load: published values, and what is no model of power. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "cluster/watts.h"

#define HC_POWER(x) extern const hc_power_type hc_power_##x;
#include "cluster/powers.def"
#undef HC_POWER

/* Options of a curve: what is common, and the one number that some have. */
typedef struct curve {
  hc_power_options power;
  double number;
} curve;

typedef struct measured {
  hc_power_options power;
  hc_list watts;
} measured;

static curve between(double idle, double peak, double number)
{
  return (curve){{.idle = idle, .peak = peak, .least = -1, .stopping = -1, .starting = -1}, number};
}

static const hc_host_class some_class = {.name = "c", .capacity = {1000}};
static const hc_host_class both[2] = {{.name = "c", .capacity = {1000}}, {.name = "d", .capacity = {1000}}};
static const uint32_t class_of[2] = {0, 1};
static const hc_cell_spec one_host = {
    .granularity = HC_CELL_HOSTS, .units = 1, .classes = &some_class, .class_count = 1, .class_of = class_of};
static const hc_cell_spec two_hosts = {
    .granularity = HC_CELL_HOSTS, .units = 2, .classes = both, .class_count = 2, .class_of = class_of};

static hc_rc lay(hc_watts *w, hc_class_watts room[2], const hc_cell_spec *cell, const hc_chosen *chosen,
                 size_t count, hc_error *e)
{
  const hc_list list = {.items = (void *)(uintptr_t)chosen, .count = count};
  return hc_watts_init(w, &list, cell, NULL, room, e);
}

static double draw_of(const hc_watts *w, uint32_t host, hc_power_state state, double load)
{
  return hc_watts_of(w, host, state, (const double[HC_POWER_PARTS]){load, load, load});
}

static double at(const hc_power_type *type, const void *options, double load)
{
  const hc_chosen chosen = {.type = &type->component, .options = (void *)(uintptr_t)options};
  hc_class_watts room[2];
  hc_error e = {0};
  hc_watts w;
  if (lay(&w, room, &one_host, &chosen, 1, &e) < 0) fail_msg("%s", e.text);
  return draw_of(&w, 0, HC_POWER_ON, load);
}

static void assert_watts(const hc_power_type *type, const void *options, double load, double want)
{
  const double got = at(type, options, load);
  if (!(fabs(got - want) <= 1e-10)) /* ten digits are published, and some cut off */

    fail_msg("%s at %g: %.10f, not %.10f", type->component.name, load, got, want);
}

/* DSLab's dslab-models, tests of its power models. */
static void curves_of_dslab(void **state)
{
  const curve c = between(0.4, 1, 0), mse = between(0.4, 1, 1.4), asymptotic = between(0.4, 1, 0.1);
  curve wakes = between(0.4, 1, 0);
  (void)state;
  assert_watts(&hc_power_linear, &c, 0, 0.4);
  assert_watts(&hc_power_linear, &c, 0.1, 0.46);
  assert_watts(&hc_power_linear, &c, 0.5, 0.7);
  assert_watts(&hc_power_linear, &c, 1, 1);
  wakes.power.least = 0.5;
  assert_watts(&hc_power_linear, &wakes, 0, 0.4);
  assert_watts(&hc_power_linear, &wakes, 0.1, 0.55);
  assert_watts(&hc_power_mse, &mse, 0.1, 0.4961135697);
  assert_watts(&hc_power_mse, &mse, 0.5, 0.7726425150);
  assert_watts(&hc_power_square, &c, 0.1, 0.406);
  assert_watts(&hc_power_square, &c, 0.5, 0.55);
  assert_watts(&hc_power_square, &c, 0.8, 0.784);
  assert_watts(&hc_power_cubic, &c, 0.1, 0.4006);
  assert_watts(&hc_power_cubic, &c, 0.5, 0.475);
  assert_watts(&hc_power_cubic, &c, 0.8, 0.7072);
  assert_watts(&hc_power_asymptotic, &asymptotic, 0.1, 0.6196361676);
  assert_watts(&hc_power_asymptotic, &asymptotic, 0.5, 0.8479786159);
  assert_watts(&hc_power_asymptotic, &asymptotic, 0.8, 0.9398993612);
  assert_watts(&hc_power_asymptotic, &asymptotic, 1, 0.9999863800);
  assert_watts(&hc_power_square_root, &c, 0.25, 0.7); /* half of the way */
  assert_watts(&hc_power_constant, &c, 0, 0.4);
  assert_watts(&hc_power_constant, &c, 1, 0.4);
}

/* The same tests: eleven measurements, and those of an IBM x3550 M3 with Xeon X5675 (SPECpower). */
static void tables_of_dslab(void **state)
{
  double shares[] = {0, .45, .51, .59, .64, .75, .79, .82, .91, .98, 1};
  double ibm[] = {58.4, 98, 109, 118, 128, 140, 153, 170, 189, 205, 222};
  const measured a = {.watts = {.items = shares, .count = 11}}, b = {.watts = {.items = ibm, .count = 11}};
  static const double want[][2] = {{0.05, 0.225}, {0.1, 0.45},   {0.5, 0.75},
                                   {0.51, 0.754}, {0.89, 0.973}, {0.99, 0.998}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(want); i++) assert_watts(&hc_power_table, &a, want[i][0], want[i][1]);
  assert_watts(&hc_power_table, &b, 0.85, 197);
  assert_watts(&hc_power_table, &b, 0, 58.4);
  assert_watts(&hc_power_table, &b, 1, 222);
}

typedef struct scaled {
  hc_power_options power;
  double by_load, by_frequency, frequency;
} scaled;

typedef struct chosen_state {
  hc_power_options power;
  hc_list idles, peaks;
  int64_t pstate;
  hc_list speeds;
} chosen_state;

/* A table and states have no option `idle`: what they draw without load stands for it, and 0 W that are given
 * are 0 W. */
static void switching_draws_what_idling_does(void **state)
{
  double table[] = {50, 120, 200}, idles[] = {95, 80}, peaks[] = {190, 150};
  (void)state;
  for (int given = -1; given <= 0; given++) {
    const hc_power_options power = {.least = -1, .stopping = given, .starting = given};
    const measured t = {.power = power, .watts = {.items = table, .count = 3}};
    const chosen_state s = {power, {.items = idles, .count = 2}, {.items = peaks, .count = 2}, 1, {0}};
    const hc_chosen of[] = {{.type = &hc_power_table.component, .options = (void *)(uintptr_t)&t},
                            {.type = &hc_power_states.component, .options = (void *)(uintptr_t)&s}};
    static const double idle[] = {50, 80};
    for (size_t i = 0; i < HC_ARRAY_LEN(of); i++) {
      hc_class_watts room[2];
      hc_error e = {0};
      hc_watts w;
      assert_int_equal(lay(&w, room, &one_host, &of[i], 1, &e), 0);
      assert_true(draw_of(&w, 0, HC_POWER_STOPPING, 0) == (given < 0 ? idle[i] : 0));
      assert_true(draw_of(&w, 0, HC_POWER_STARTING, 0) == (given < 0 ? idle[i] : 0));
      assert_true(draw_of(&w, 0, HC_POWER_OFF, 0) == 0);
    }
  }
}

typedef struct modules {
  hc_power_options power;
  int64_t module;
  double watts, reads, writes;
} modules;

/* DSLab's tests of DVFS and of states of power. */
static void frequencies_of_dslab(void **state)
{
  static const double want[][3] = {
      {0.1, 0, 0.44}, {0.1, 0.5, 0.45}, {0.5, 0.75, 0.675}, {0.8, 0.75, 0.84}, {1, 1, 1}};
  double idles[] = {0.6, 0.55, 0.5}, peaks[] = {1, 0.85, 0.75};
  static const double in_state[] = {0.84, 0.73, 0.65};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(want); i++) {
    const scaled s = {.power = {.idle = 0.4, .stopping = -1, .starting = -1},
                      .by_load = 0.4,
                      .by_frequency = 0.2,
                      .frequency = want[i][1]};
    assert_watts(&hc_power_dvfs, &s, want[i][0], want[i][2]);
  }
  for (int i = 0; i < 3; i++) {
    const chosen_state s = {
        .idles = {.items = idles, .count = 3}, .peaks = {.items = peaks, .count = 3}, .pstate = i};
    assert_watts(&hc_power_states, &s, 0.6, in_state[i]);
  }
}

/* The same states where a plan may choose: a host that has not been put into any draws what the one says
 * that it begins in, and what it draws while it is off is that of no state. */
static void states_are_chosen(void **state)
{
  double idles[] = {0.6, 0.55, 0.5}, peaks[] = {1, 0.85, 0.75}, speeds[] = {1, 0.8, 0.5};
  static const double load[HC_POWER_PARTS] = {0.6}, in_state[] = {0.84, 0.73, 0.65};
  const chosen_state s = {.power = {.off = 0.1},
                          .idles = {.items = idles, .count = 3},
                          .peaks = {.items = peaks, .count = 3},
                          .speeds = {.items = speeds, .count = 3}};
  const hc_chosen chosen = {.type = &hc_power_states.component, .options = (void *)(uintptr_t)&s};
  hc_class_watts room[2];
  hc_arena arena;
  hc_error e = {0};
  hc_watts w;
  (void)state;
  hc_arena_init(&arena, hc_default_allocator());
  assert_int_equal(lay(&w, room, &one_host, &chosen, 1, &e), 0);
  assert_int_equal(hc_watts_states(&w, NULL, &arena, &e), 0);
  assert_int_equal(hc_watts_cores(&w, 0)->state_count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const double off = hc_watts_of(&w, 0, hc_power_at(i), load) - in_state[i];
    assert_true(off > -1e-12 && off < 1e-12);
    assert_true(hc_watts_cores(&w, 0)->speeds[i] == speeds[i]);
    assert_int_equal(hc_pstate_of_code(hc_power_at(i)), i);
  }
  assert_true(draw_of(&w, 0, HC_POWER_ON, 0.6) == hc_watts_of(&w, 0, hc_power_at(0), load));
  assert_true(draw_of(&w, 0, HC_POWER_OFF, 0) == 0.1);
  assert_int_equal(hc_pstate_of_code(HC_POWER_OFF), HC_POWER_STATES);
  hc_arena_fini(&arena);
}

#define GIB (INT64_C(1) << 30)
static const hc_host_class fat_class = {
    .name = "fat",
    .capacity = {[HC_DIM_CPU] = 1000, [HC_DIM_MEMORY] = 240 * GIB, [HC_DIM_GPU] = 4000},
    .devices = 4};
static const hc_cell_spec fat_host = {
    .granularity = HC_CELL_HOSTS, .units = 1, .classes = &fat_class, .class_count = 1, .class_of = class_of};

/* Beside cores that draw nothing: DSLab's tests of DDR3 with 240 GB; four GPUs, half of which are held. */
static void parts_add_up(void **state)
{
  const scaled nothing = {.power = {.stopping = -1, .starting = -1}};
  modules m = {.module = 8 * GIB, .watts = 3, .reads = -1, .writes = -1};
  curve gpu = between(50, 300, 0);
  const hc_chosen chosen[] = {{.type = &hc_power_dvfs.component, .options = (void *)(uintptr_t)&nothing},
                              {.type = &hc_power_ddr3.component, .options = &m},
                              {.type = &hc_power_gpus.component, .options = &gpu}};
  static const double want[][2] = {{0, 23.4}, {0.1, 30.06}, {0.5, 56.7}, {1, 90}};
  hc_class_watts room[2];
  hc_error e = {0};
  hc_watts w;
  (void)state;
  assert_int_equal(lay(&w, room, &fat_host, chosen, 2, &e), 0);
  for (size_t i = 0; i < HC_ARRAY_LEN(want); i++)
    assert_true(fabs(draw_of(&w, 0, HC_POWER_ON, want[i][0]) - want[i][1]) < 1e-10);
  m.reads = 0.4;
  m.writes = 0.8;
  assert_int_equal(lay(&w, room, &fat_host, chosen, 2, &e), 0);
  assert_true(fabs(draw_of(&w, 0, HC_POWER_ON, 0.3) - 62.28) < 1e-10);
  m = (modules){.module = 32 * GIB, .watts = 8, .reads = -1, .writes = -1};
  assert_int_equal(lay(&w, room, &fat_host, chosen, 3, &e), 0);
  assert_true(fabs(draw_of(&w, 0, HC_POWER_ON, 0) - (16.64 + 4 * 50)) < 1e-10);
  assert_true(fabs(draw_of(&w, 0, HC_POWER_ON, 0.5) - (40.32 + 4 * 175)) < 1e-10);
}

static void states_draw_what_is_said(void **state)
{
  curve c = between(95, 190, 0);
  const hc_chosen chosen = {.type = &hc_power_linear.component, .options = &c};
  hc_class_watts room[2];
  hc_error e = {0};
  hc_watts w;
  (void)state;
  assert_int_equal(lay(&w, room, &one_host, &chosen, 1, &e), 0);
  assert_true(draw_of(&w, 0, HC_POWER_OFF, 1) == 0);
  assert_true(draw_of(&w, 0, HC_POWER_STOPPING, 1) == 95);
  assert_true(draw_of(&w, 0, HC_POWER_STARTING, 0) == 95);
  c.power.off = 9.75;
  c.power.stopping = 100;
  c.power.starting = 125;
  assert_int_equal(lay(&w, room, &one_host, &chosen, 1, &e), 0);
  assert_true(draw_of(&w, 0, HC_POWER_OFF, 1) == 9.75);
  assert_true(draw_of(&w, 0, HC_POWER_STOPPING, 1) == 100);
  assert_true(draw_of(&w, 0, HC_POWER_STARTING, 0) == 125);
}

/* An entry that names a class is its own, one that names none is that of the others, in whatever order. */
static void classes_have_their_own(void **state)
{
  const char *const names[] = {"d"};
  curve others = between(1, 2, 0), own = between(10, 20, 0);
  const hc_chosen chosen[] = {{.type = &hc_power_linear.component, .options = &others},
                              {.type = &hc_power_linear.component, .options = &own}};
  hc_class_watts room[2];
  hc_error e = {0};
  hc_watts w;
  (void)state;
  own.power.classes = (hc_list){.items = (void *)(uintptr_t)names, .count = 1};
  assert_int_equal(lay(&w, room, &two_hosts, chosen, 2, &e), 0);
  assert_true(draw_of(&w, 0, HC_POWER_ON, 1) == 2);
  assert_true(draw_of(&w, 1, HC_POWER_ON, 1) == 20);
  assert_int_equal(lay(&w, room, &two_hosts, chosen + 1, 1, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "class c"));
  others.power.classes = own.power.classes;
  e = (hc_error){0};
  assert_int_equal(lay(&w, room, &two_hosts, chosen, 2, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "two entries"));
}

static void assert_wrong(const hc_power_type *type, const void *options, const hc_cell_spec *cell,
                         const char *text)
{
  const hc_chosen chosen = {.type = &type->component, .options = (void *)(uintptr_t)options};
  hc_class_watts room[2];
  hc_error e = {0};
  hc_watts w;
  assert_int_equal(lay(&w, room, cell, &chosen, 1, &e), HC_EUSAGE);
  if (!strstr(e.text, text)) fail_msg("\"%s\" does not say \"%s\"", e.text, text);
}

/* Power that falls with load is a mistake, unless it was measured. */
static void what_is_no_model(void **state)
{
  const char *const names[] = {"gone"};
  double falls[] = {100, 90, 120}, one[] = {100};
  const curve upside_down = between(200, 100, 0);
  curve wakes = between(100, 200, 0), named = between(1, 2, 0);
  const measured table = {.watts = {.items = falls, .count = 3}},
                 short_table = {.watts = {.items = one, .count = 1}};
  hc_cell_spec counted = {.granularity = HC_CELL_COUNT, .units = 4};
  (void)state;
  assert_wrong(&hc_power_linear, &upside_down, &one_host, "only a table that was measured may fall");
  wakes.power.least = 90;
  assert_wrong(&hc_power_square, &wakes, &one_host, "90 W, and 100 W without");
  assert_watts(&hc_power_table, &table, 0.5, 90);
  assert_wrong(&hc_power_table, &short_table, &one_host, "two or more");
  named.power.classes = (hc_list){.items = (void *)(uintptr_t)names, .count = 1};
  assert_wrong(&hc_power_linear, &named, &one_host, "no class of hosts gone");
  assert_wrong(&hc_power_linear, &named, &counted, "counts processors");
  assert_wrong(&hc_power_simgrid, &upside_down, &one_host, "wattage_per_state");
  const curve gpu = between(50, 300, 0);
  assert_wrong(&hc_power_gpus, &gpu, &one_host, "hosts of the class c have none");
  assert_wrong(&hc_power_gpus, &gpu, &counted, "have none");
  assert_wrong(&hc_power_gpus, &gpu, &fat_host, "no entry says what hosts of the class fat draw");
  const chosen_state none = {.pstate = 0};
  assert_wrong(&hc_power_states, &none, &one_host, "both take one for each state");
  const modules half = {.module = GIB, .watts = 3, .reads = 0.4, .writes = -1};
  assert_wrong(&hc_power_ddr3, &half, &fat_host, "both `reads` and `writes`");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frequencies_of_dslab),     cmocka_unit_test(parts_add_up),
      cmocka_unit_test(curves_of_dslab),          cmocka_unit_test(tables_of_dslab),
      cmocka_unit_test(states_draw_what_is_said), cmocka_unit_test(classes_have_their_own),
      cmocka_unit_test(states_are_chosen),        cmocka_unit_test(what_is_no_model),
      cmocka_unit_test(switching_draws_what_idling_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
