/* model_v1.c -- cores of a processor share its memory: as long as all tasks ask for less than c, none is
 * slowed down; beyond, the speed-up falls with b to a floor, which is the lower the more tasks there are and
 * the more the task asks for itself. */
#include "base/util.h"
#include "irmasim/irmasim.h"

enum { B, C, DA, DB, DC, DD };
static const char *const constants[] = {"b", "c", "da", "db", "dc", "dd", NULL};

static hc_rc check(const double *k, uint32_t cores, char why[HC_IRM_WHY])
{
  if (cores == 0) return hc_irm_wrong(why, "`cores` must not be 0");
  if (k[B] == 0) return hc_irm_wrong(why, "`b` must not be 0");
  for (double n = -1; n < cores; n++)
    if (k[DC] - n * k[DD] == 0)
      return hc_irm_wrong(why, "with %.0f busy cores dc - n dd is 0, by which the model divides", n + 1);
  return 0;
}

static double smooth(double x)
{
  if (x < 0) return 1;
  if (x > 1) return 0;
  return 1 - x * x * x * (x * (x * 6 - 15) + 10);
}

/* The speed-up where bandwidth is used up. */
static double floor_of(const double *k, double y, double n)
{
  const double s = smooth((y - (k[DA] - n) * k[DB]) / (k[DC] - n * k[DD]));
  return s * (n * 0.6 / (1 + n * 0.6)) + 1 / (1 + n * 0.6);
}

static double speedup(const double *k, double x, double y, double n)
{
  if (x < k[C]) return 1;
  const double d = floor_of(k, y, n);
  return hc_irm_round9(x > (d + k[B] * k[C] - 1) / k[B] ? d : k[B] * (x - k[C]) + 1);
}

const hc_irm_model hc_irm_model_v1 = {
    .name = "modelV1", .constants = constants, .check = check, .speedup = speedup};
