/* model_v2.c -- processes of a node share its memory: fitted curves of speed-up and power, in thousands of
 * MB/s. */
#include "base/math.h"
#include "irmasim/irmasim.h"

/* Of the speed-up, and of the power of a node with processes. */
enum { AAA, AAB, ABA, ABB, BAA, BAB, BBA, BBB, CAA, CAB, CBA, CBB, CCA, CCB, DAA, DAB, DBA, DBB };
enum { P00 = DBB + 1, P01, P02, P10, P11, P20 };
static const char *const constants[] = {"aaa", "aab", "aba", "abb", "baa", "bab", "bba", "bbb", "caa",
                                        "cab", "cba", "cbb", "cca", "ccb", "daa", "dab", "dba", "dbb",
                                        "p00", "p01", "p02", "p10", "p11", "p20", NULL};

static double speedup(const double *k, double of_all, double of_it, double n)
{
  const double x = of_all * 1e-3, y = of_it * 1e-3;
  const double a = (k[ABB] + n * k[ABA]) + y * (k[AAB] + n * k[AAA]);
  const double b = (k[BBB] + n * k[BBA]) + y * (k[BAB] + n * k[BAA]);
  const double c = (k[CCB] + n * k[CCA]) + y * (k[CBB] + n * k[CBA]) + y * y * (k[CAB] + n * k[CAA]);
  const double d = (k[DBB] + n * k[DBA]) + y * (k[DAB] + n * k[DAA]);
  return b + (c - b) * hc_exp(-hc_exp(a * (x - d))) * 0.9;
}

static double power(const double *k, double of_all, double n)
{
  const double x = of_all * 1e-3;
  return k[P00] + k[P10] * x + k[P20] * (x * x) + k[P01] * n + k[P02] * (n * n) + k[P11] * x * n;
}

const hc_irm_model hc_irm_model_v2 = {
    .name = "modelV2", .by_node = true, .constants = constants, .speedup = speedup, .power = power};
