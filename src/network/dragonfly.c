/* dragonfly.c -- ways through dragonflies. See dragonfly.h. */
#include "network/dragonfly.h"

#include "base/util.h"

static uint64_t pairs(uint64_t n)
{
  return n * (n - 1) / 2;
}

/* The number of the pair j < k among those of n, in order of j, then of k. */
static uint32_t pair_of(uint32_t j, uint32_t k, uint32_t n)
{
  return (uint32_t)((uint64_t)j * n - (uint64_t)j * (j + 1) / 2 + (k - j - 1));
}

bool hc_dragonfly_init(hc_dragonfly *d)
{
  const uint64_t most = UINT64_C(1) << 28;
  uint64_t routers, green, black, blue;
  if (d->groups == 0 || d->chassis == 0 || d->blades == 0 || d->nodes == 0) return false;
  if (d->green_cables == 0 || d->black_cables == 0 || d->blue_cables == 0) return false;
  if (d->groups > 65536 || d->chassis > 65536 || d->blades > 65536 || d->groups > d->blades) return false;
  routers = (uint64_t)d->groups * d->chassis * d->blades;
  if (routers > most || routers * d->nodes > most) return false;
  green = (uint64_t)d->groups * d->chassis * pairs(d->blades);
  black = (uint64_t)d->groups * d->blades * pairs(d->chassis);
  blue = pairs(d->groups);
  if (routers * d->nodes + green + black + blue > most) return false;
  d->routers = (uint32_t)routers;
  d->first_green = (uint32_t)routers * d->nodes;
  d->first_black = d->first_green + (uint32_t)green;
  d->first_blue = d->first_black + (uint32_t)black;
  d->connections = d->first_blue + (uint32_t)blue;
  return true;
}

typedef struct place {
  uint32_t group, chassis, blade;
} place;

static place place_of(const hc_dragonfly *d, uint32_t router)
{
  const uint32_t in_group = d->chassis * d->blades;
  return (place){router / in_group, router % in_group / d->blades, router % d->blades};
}

static uint32_t router_of(const hc_dragonfly *d, place p)
{
  return (p.group * d->chassis + p.chassis) * d->blades + p.blade;
}

static hc_dragonfly_step local(const hc_dragonfly *d, uint32_t node, bool is_back)
{
  return (hc_dragonfly_step){
      .connection = node, .is_back = is_back, .from = node / d->nodes, .to = node / d->nodes};
}

static hc_dragonfly_step green(const hc_dragonfly *d, place at, uint32_t blade)
{
  const uint32_t low = HC_MIN(at.blade, blade), high = HC_MAX(at.blade, blade);
  const uint64_t first = (uint64_t)(at.group * d->chassis + at.chassis) * pairs(d->blades);
  place to = at;
  to.blade = blade;
  return (hc_dragonfly_step){d->first_green + (uint32_t)first + pair_of(low, high, d->blades),
                             at.blade > blade, router_of(d, at), router_of(d, to), HC_DRAGONFLY_GREEN};
}

static hc_dragonfly_step black(const hc_dragonfly *d, place at, uint32_t chassis)
{
  const uint32_t low = HC_MIN(at.chassis, chassis), high = HC_MAX(at.chassis, chassis);
  const uint64_t first = (uint64_t)at.group * pairs(d->chassis) * d->blades;
  place to = at;
  to.chassis = chassis;
  return (hc_dragonfly_step){d->first_black + (uint32_t)first + pair_of(low, high, d->chassis) * d->blades +
                                 at.blade,
                             at.chassis > chassis, router_of(d, at), router_of(d, to), HC_DRAGONFLY_BLACK};
}

static hc_dragonfly_step blue(const hc_dragonfly *d, place at, uint32_t group)
{
  const uint32_t low = HC_MIN(at.group, group), high = HC_MAX(at.group, group);
  const place to = {group, 0, at.group};
  return (hc_dragonfly_step){d->first_blue + pair_of(low, high, d->groups), at.group > group,
                             router_of(d, at), router_of(d, to), HC_DRAGONFLY_BLUE};
}

size_t hc_dragonfly_way(const hc_dragonfly *d, uint32_t from, uint32_t to, hc_dragonfly_step *steps)
{
  const uint32_t source = from / d->nodes, target = to / d->nodes;
  const place goal = place_of(d, target);
  place at = place_of(d, source);
  size_t n = 0;
  steps[n++] = local(d, from, false);
  if (source != target) {
    if (goal.group != at.group) {
      const uint32_t mine = at.group;
      if (at.blade != goal.group) {
        steps[n++] = green(d, at, goal.group);
        at.blade = goal.group;
      }
      if (at.chassis != 0) {
        steps[n++] = black(d, at, 0);
        at.chassis = 0;
      }
      steps[n++] = blue(d, at, goal.group);
      at = (place){goal.group, 0, mine};
    }
    if (goal.blade != at.blade) {
      steps[n++] = green(d, at, goal.blade);
      at = (place){goal.group, 0, goal.blade};
    }
    if (goal.chassis != at.chassis) steps[n++] = black(d, at, goal.chassis);
  }
  steps[n++] = local(d, to, true);
  return n;
}

hc_dragonfly_colour hc_dragonfly_colour_of(const hc_dragonfly *d, uint32_t connection)
{
  return connection >= d->first_blue    ? HC_DRAGONFLY_BLUE
         : connection >= d->first_black ? HC_DRAGONFLY_BLACK
         : connection >= d->first_green ? HC_DRAGONFLY_GREEN
                                        : HC_DRAGONFLY_LOCAL;
}

uint32_t hc_dragonfly_cables(const hc_dragonfly *d, uint32_t connection)
{
  switch (hc_dragonfly_colour_of(d, connection)) {
    case HC_DRAGONFLY_LOCAL: return 1;
    case HC_DRAGONFLY_GREEN: return d->green_cables;
    case HC_DRAGONFLY_BLACK: return d->black_cables;
    case HC_DRAGONFLY_BLUE: return d->blue_cables;
  }
  return 1;
}

/* The pair that has a number: pair_of turned round. */
static void pair_at(uint32_t number, uint32_t n, uint32_t *j, uint32_t *k)
{
  *j = 0;
  for (; number >= n - 1 - *j; ++*j) number -= n - 1 - *j;
  *k = *j + 1 + number;
}

void hc_dragonfly_ends(const hc_dragonfly *d, uint32_t connection, uint32_t ends[2])
{
  uint32_t low, high, at;
  switch (hc_dragonfly_colour_of(d, connection)) {
    case HC_DRAGONFLY_LOCAL: ends[0] = ends[1] = connection / d->nodes; return;
    case HC_DRAGONFLY_GREEN:
      at = connection - d->first_green;
      pair_at(at % (uint32_t)pairs(d->blades), d->blades, &low, &high);
      at = at / (uint32_t)pairs(d->blades) * d->blades;
      ends[0] = at + low;
      ends[1] = at + high;
      return;
    case HC_DRAGONFLY_BLACK: {
      const uint32_t each = (uint32_t)pairs(d->chassis) * d->blades,
                     group = (connection - d->first_black) / each;
      at = (connection - d->first_black) % each;
      pair_at(at / d->blades, d->chassis, &low, &high);
      ends[0] = router_of(d, (place){group, low, at % d->blades});
      ends[1] = router_of(d, (place){group, high, at % d->blades});
      return;
    }
    case HC_DRAGONFLY_BLUE:
      pair_at(connection - d->first_blue, d->groups, &low, &high);
      ends[0] = router_of(d, (place){low, 0, high});
      ends[1] = router_of(d, (place){high, 0, low});
      return;
  }
}
