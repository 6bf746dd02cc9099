/* test_hosts_packing.c -- published placements of packing heuristics on four hosts, with scores written here.
 *
 * Two hosts of 10 cores and 5 of memory, two of 13 and 4; (6, 2), (6, 2), (7, 1) and (9, 1) are in use. Then
 * tasks of (2, 2), (3, 1) and (1, 1) arrive, and stay. The placements are those of DSLab's tests of its
 * packing heuristics for virtual machines (dslab-iaas); the formulas are worked out in the comments of each
 * score. Each is asked for with every host scored, and again with a bound that says nothing, by which hosts
 * are found by their amounts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/math.h"
#include "cluster/hosts.h"
#include "cluster/lexicon.h"

enum { UNITS = 4 };

static const int64_t taken[UNITS][2] = {{6, 2}, {6, 2}, {7, 1}, {9, 1}};
static const int64_t tasks[3][2] = {{2, 2}, {3, 1}, {1, 1}};

/* The weights of the cell now: the part of each amount that is in use on all hosts together. */
typedef struct weights {
  double at[2];
} weights;

static double no_bound(void *self, const hc_host_box *b)
{
  (void)self;
  (void)b;
  return __builtin_inf();
}

/* The host with the fewest cores left. */
static double fewest_cores(void *self, const hc_host_view *h)
{
  (void)self;
  return -(double)h->free[0];
}

static double most_cores(void *self, const hc_host_view *h)
{
  (void)self;
  return (double)h->free[0];
}

/* Sum of need x free, both as parts of the host. First task: 0.32 on h1, 0.446 on h3, 0.422 on h4. */
static double dot_product(void *self, const hc_host_view *h)
{
  double sum = 0;
  (void)self;
  for (int d = 0; d < 2; d++)
    sum += (double)h->need[d] / (double)h->capacity[d] * (double)h->free[d] / (double)h->capacity[d];
  return sum;
}

/* The same, each amount weighed by how much of it is in use. */
static double weighted_dot_product(void *self, const hc_host_view *h)
{
  const weights *w = self;
  double sum = 0;
  for (int d = 0; d < 2; d++)
    sum +=
        w->at[d] * (double)h->need[d] / (double)h->capacity[d] * (double)h->free[d] / (double)h->capacity[d];
  return sum;
}

/* The least weighed square of what is left. First task: 0.038 on h1, 0.035 on h4. */
static double least_squares(void *self, const hc_host_view *h)
{
  const weights *w = self;
  double sum = 0;
  for (int d = 0; d < 2; d++) {
    const double left = (double)(h->free[d] - h->need[d]) / (double)h->capacity[d];
    sum -= w->at[d] * left * left;
  }
  return sum;
}

/* Cosine of the angle between what is in use with the task and what the host has. First task: 1 on h1. */
static double cosine(void *self, const hc_host_view *h)
{
  double product = 0, use = 0, all = 0;
  (void)self;
  for (int d = 0; d < 2; d++) {
    const double u = (double)(h->capacity[d] - h->free[d] + h->need[d]), c = (double)h->capacity[d];
    product += u * c;
    use += u * u;
    all += c * c;
  }
  return product / hc_sqrt(use * all);
}

/* How much nearer the use comes to the line from nothing to the capacity. First task: from 1.691 to 0.368 on
 * h4. */
static double nearer_to_line(void *self, const hc_host_view *h)
{
  const double x = (double)h->capacity[0], y = (double)h->capacity[1];
  const double u = x - (double)h->free[0], v = y - (double)h->free[1];
  const double before = u * y - v * x;
  const double after = (u + (double)h->need[0]) * y - (v + (double)h->need[1]) * x;
  (void)self;
  return ((before < 0 ? -before : before) - (after < 0 ? -after : after)) / hc_sqrt(x * x + y * y);
}

typedef struct world {
  hc_lexicon *lexicon;
  hc_hosts *hosts;
  weights weights;
} world;

static const hc_host_class classes[2] = {{.name = "wide", .capacity = {10, 5}, .speed = 1},
                                         {.name = "long", .capacity = {13, 4}, .speed = 1}};
static const uint32_t class_of[UNITS] = {0, 0, 1, 1}, racks[UNITS] = {0, 1, 2, 3};
static const char *const names[UNITS] = {"h1", "h2", "h3", "h4"};
static const hc_zone_level level = {"rack", racks, names, UNITS};
static const hc_cell_spec spec = {.granularity = HC_CELL_HOSTS,
                                  .units = UNITS,
                                  .classes = classes,
                                  .class_count = 2,
                                  .class_of = class_of,
                                  .host_names = names,
                                  .levels = &level,
                                  .level_count = 1};

static void begin(world *w)
{
  hc_error e = {0};
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  assert_int_equal(hc_hosts_new(hc_default_allocator(), &spec, w->lexicon, 1, 0, &w->hosts, &e), 0);
  for (uint32_t i = 0; i < UNITS; i++) {
    const hc_request r = {.need = taken[i], .slots = 1};
    assert_int_equal(hc_hosts_take(w->hosts, &r, &(hc_grant){.host = i, .slots = 1}, 1), 0);
  }
}

static void end(world *w)
{
  hc_hosts_check(w->hosts);
  hc_hosts_free(w->hosts);
  hc_lexicon_free(w->lexicon);
}

static void places(hc_chooser c, uint32_t more_racks, const uint32_t expected[3])
{
  world w;
  begin(&w);
  c.self = &w.weights;
  for (uint32_t t = 0; t < 3; t++) {
    hc_request r = {.need = tasks[t], .slots = 1};
    const hc_grant *g;
    if (more_racks > 0) {
      hc_task_extras m = hc_task_extras_none();
      m.per_zone = more_racks;
      m.zone_level = hc_lexicon_name(w.lexicon, "rack", 4);
      r.more = hc_lexicon_keep(w.lexicon, &m);
    }
    for (uint32_t d = 0; d < 2; d++)
      w.weights.at[d] = 1 - (double)hc_hosts_free_sum(w.hosts, d) / (double)hc_hosts_capacity(w.hosts, d);
    assert_int_equal(hc_hosts_choose(w.hosts, &r, &c, NULL, 0, &g), 1);
    assert_int_equal(g->host + 1, expected[t]);
    assert_int_equal(hc_hosts_take(w.hosts, &r, g, 1), 0);
  }
  end(&w);
}

static void best(double (*score)(void *, const hc_host_view *), uint32_t a, uint32_t b, uint32_t c)
{
  const uint32_t expected[3] = {a, b, c};
  places((hc_chooser){.how = HC_CHOOSE_BEST, .score = score}, 0, expected);
  places((hc_chooser){.how = HC_CHOOSE_BEST, .score = score, .bound = no_bound}, 0, expected);
}

static void heuristics_place_as_published(void **state)
{
  static const uint32_t first_fit[3] = {1, 2, 1};
  (void)state;
  places((hc_chooser){.how = HC_CHOOSE_FIRST}, 0, first_fit);
  best(fewest_cores, 1, 2, 2);
  best(most_cores, 3, 1, 2);
  best(dot_product, 3, 4, 1);
  best(weighted_dot_product, 3, 1, 4);
  best(least_squares, 4, 1, 4);
  best(cosine, 1, 3, 3);
  best(nearer_to_line, 4, 3, 3);
}

/* Racks of one host, at most one of the tasks in each. */
static void rivals_in_racks_as_published(void **state)
{
  static const uint32_t apart[3] = {1, 2, 3};
  (void)state;
  places((hc_chooser){.how = HC_CHOOSE_FIRST}, 1, apart);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heuristics_place_as_published),
      cmocka_unit_test(rivals_in_racks_as_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
