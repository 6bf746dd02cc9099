/* fairness.c -- measures of fairness: see metric/fairness.h for each formula and its source. */
#include "metric/fairness.h"

#include "base/math.h"
#include "base/util.h"

static double weight_of(const double *weight, size_t i)
{
  return weight ? weight[i] : 1;
}

double hc_fairness_jain(size_t n, const double *x, const double *weight)
{
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    double v = x[i] / weight_of(weight, i);
    sum += v;
    squares += v * v;
  }
  if (n == 0) return __builtin_nan("");
  return squares > 0 ? sum * sum / ((double)n * squares) : 1;
}

double hc_fairness_worth(uint32_t dims, const double *demand, const double *amounts)
{
  double tasks = __builtin_inf();
  for (uint32_t r = 0; r < dims; r++)
    if (demand[r] > 0) tasks = HC_MIN(tasks, amounts[r] / demand[r]);
  return tasks;
}

/* Tasks that i would run in the place of the user that it envies most, itself included. */
static double best_place(uint32_t users, uint32_t dims, const double *demand, const double *held,
                         const double *weight, uint32_t i)
{
  const double *need = demand + (size_t)i * dims;
  double best = hc_fairness_worth(dims, need, held + (size_t)i * dims);
  for (uint32_t j = 0; j < users; j++) {
    double there = hc_fairness_worth(dims, need, held + (size_t)j * dims);
    if (j != i) best = HC_MAX(best, there * weight_of(weight, i) / weight_of(weight, j));
  }
  return best;
}

double hc_fairness_envy(uint32_t users, uint32_t dims, const double *demand, const double *held,
                        const double *weight, uint32_t i)
{
  double own = hc_fairness_worth(dims, demand + (size_t)i * dims, held + (size_t)i * dims);
  double best = best_place(users, dims, demand, held, weight, i);
  if (best <= own) return 1; /* also nothing to nothing, and those who need nothing */
  return own > 0 ? best / own : __builtin_inf();
}

double hc_fairness_envy_tasks(uint32_t users, uint32_t dims, const double *demand, const double *held,
                              const double *weight, uint32_t i)
{
  double own = hc_fairness_worth(dims, demand + (size_t)i * dims, held + (size_t)i * dims);
  double best = best_place(users, dims, demand, held, weight, i);
  return best <= own ? -1 : best - own - 1;
}

double hc_fairness_sharing(uint32_t users, uint32_t dims, const double *demand, const double *capacity,
                           const double *weight, uint32_t i, double tasks)
{
  double sum = 0;
  for (uint32_t j = 0; j < users; j++) sum += weight_of(weight, j);
  return tasks /
         (hc_fairness_worth(dims, demand + (size_t)i * dims, capacity) * (weight_of(weight, i) / sum));
}

void hc_fairness_deficit(size_t samples, uint32_t users, const double *fair, const double *usage,
                         size_t window, double *out)
{
  for (size_t t = 0; t < samples; t++) out[t] = 0;
  for (uint32_t i = 0; i < users && window > 0; i++) {
    double due = 0;
    for (size_t t = 0; t < samples; t++) {
      due += fair[t * users + i] - usage[t * users + i];
      if (t >= window) due -= fair[(t - window) * users + i] - usage[(t - window) * users + i];
      out[t] += HC_MAX(0.0, due);
    }
  }
}

size_t hc_fairness_underserved(size_t samples, const hc_time *at, hc_time end, const double *fair,
                               const double *usage, double tolerance, hc_time shortest,
                               hc_fairness_period *periods, size_t cap)
{
  size_t n = 0;
  for (size_t t = 0; t < samples;) {
    hc_fairness_period p = {.begin = at[t]};
    if (!(usage[t] < tolerance * fair[t])) {
      t++;
      continue;
    }
    while (t < samples && usage[t] < tolerance * fair[t]) t++;
    p.end = t < samples ? at[t] : end;
    if (p.end - p.begin <= shortest) continue;
    if (n < cap) periods[n] = p;
    n++;
  }
  return n;
}

double hc_fairness_penalty(const hc_fairness_period *periods, size_t n, double power)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += hc_pow((double)(periods[i].end - periods[i].begin) / 1e9, power);
  return sum;
}

double hc_fairness_finish(hc_time submitted, hc_time end_shared, hc_time time_alone)
{
  return (double)(end_shared - submitted) / (double)time_alone;
}
