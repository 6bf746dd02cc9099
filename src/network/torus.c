/* torus.c -- ways through tori. See torus.h. */
#include "network/torus.h"

bool hc_torus_init(hc_torus *t)
{
  uint64_t nodes = 1, longest = 0;
  if (t->dimensions == 0 || t->dimensions > HC_TORUS_DIMENSIONS) return false;
  for (uint32_t j = 0; j < t->dimensions; j++) {
    if (t->size[j] == 0) return false;
    nodes *= t->size[j];
    longest += t->size[j] - 1; /* the rule of equal ways takes long ones at times */
    if (nodes > UINT32_MAX / HC_TORUS_DIMENSIONS) return false;
  }
  t->nodes = (uint32_t)nodes;
  t->longest = (uint32_t)longest;
  return true;
}

/* Upwards from digit a to digit b, of a dimension of n. */
static bool goes_up(uint64_t a, uint64_t b, uint64_t n)
{
  return (b > a && b <= a + n / 2) || (a > n / 2 && (a + n / 2) % n >= b);
}

bool hc_torus_step(const hc_torus *t, uint32_t from, uint32_t to, uint32_t *at, uint32_t *cable,
                   bool *is_back)
{
  uint32_t product = 1, next = *at;
  if (*at == to) return false;
  for (uint32_t j = 0; j < t->dimensions; j++) {
    const uint32_t n = t->size[j], here = *at / product % n;
    if (here != to / product % n) {
      *is_back = !goes_up(from / product % n, to / product % n, n);
      if (*is_back) next = here == 0 ? *at + product * (n - 1) : *at - product;
      else next = here == n - 1 ? *at - product * (n - 1) : *at + product;
      *cable = (*is_back ? next : *at) * t->dimensions + j;
      break;
    }
    product *= n;
  }
  *at = next;
  return true;
}

uint32_t hc_torus_levels(const hc_torus *t)
{
  uint32_t level = 1;
  for (uint32_t j = 0; j < t->dimensions; j++)
    while (t->size[j] > (uint64_t)1 << level) level++;
  return level;
}

/* Digits without their last `level` bits are the digits of the box. */
uint32_t hc_torus_box(const hc_torus *t, uint32_t level, uint32_t node)
{
  uint32_t box = 0, product = 1;
  for (uint32_t j = 0; j < t->dimensions; j++) {
    box += (node % t->size[j] >> level) * product;
    product *= (uint32_t)((t->size[j] + ((uint64_t)1 << level) - 1) >> level);
    node /= t->size[j];
  }
  return box;
}

uint32_t hc_torus_other(const hc_torus *t, uint32_t cable)
{
  const uint32_t node = cable / t->dimensions, j = cable % t->dimensions;
  uint32_t product = 1;
  for (uint32_t i = 0; i < j; i++) product *= t->size[i];
  return node / product % t->size[j] == t->size[j] - 1 ? node - product * (t->size[j] - 1) : node + product;
}
