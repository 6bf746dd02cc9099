/* stat_best.c -- multiple comparisons with the best.
 *
 * Let k be the true best of m choices. With probability 1 - alpha at least, all m - 1 differences of k from
 * another are overestimated by no more than w, w the one-sided paired t width at alpha / (m - 1)
 * (Bonferroni). Then
 *   high(i) = max(0, min over l of (i - l + w(i, l))) bounds i's lead over the best other from above,
 *   low(i)  = min(0, min over l that may be best of (i - l - w(i, l))) from below,
 * together for all i: k itself has a high bound of at least zero, so it is among those that may be best, and
 * the rest follows from the same event. Pairs need no equal variances and no independence: that is what
 * paired widths buy for Bonferroni's price, against Hsu's own multivariate t. Sources: Hsu 1984,
 * doi:10.1214/aos/1176346732; Nelson and Matejcik 1995, doi:10.1287/mnsc.41.12.1935. Cost: m^2 n. */
#include "base/math.h"
#include "base/mem.h"
#include "base/util.h"
#include "hindcast/study.h"

#define INFINITE __builtin_inf()

typedef struct lead {
  double mean, width; /* of i over l, more is better; the width infinite where it is not known */
} lead;

static lead lead_of(const double *x, const double *y, size_t count, double level, bool higher,
                    double *scratch)
{
  hc_stat_mean m;
  for (size_t i = 0; i < count; i++) scratch[i] = higher ? x[i] - y[i] : y[i] - x[i];
  (void)hc_stat_mean_of(scratch, count, level, &m);
  if (m.count == 0) return (lead){.mean = 0, .width = INFINITE};
  return (lead){.mean = m.mean, .width = m.count < 2 ? INFINITE : m.half_width};
}

static double bound_high(const lead *leads, size_t choices, size_t i)
{
  double least = INFINITE;
  for (size_t l = 0; l < choices; l++) {
    if (l != i) least = HC_MIN(least, leads[i * choices + l].mean + leads[i * choices + l].width);
  }
  return least;
}

static double bound_low(const lead *leads, const hc_stat_choice *all, size_t choices, size_t i)
{
  double least = INFINITE;
  for (size_t l = 0; l < choices; l++) {
    if (l != i && all[l].may_be_best)
      least = HC_MIN(least, leads[i * choices + l].mean - leads[i * choices + l].width);
  }
  return least;
}

static void compare_all(const double *const *values, size_t choices, size_t count, double level, bool higher,
                        lead *leads, double *scratch)
{
  double alpha = (1 - level) / (double)(choices - 1);
  double wide = 1 - 2 * alpha; /* a one-sided bound at alpha is an end of the two-sided interval at 2 alpha */
  if (!(wide > 0)) wide = 1e-9; /* two choices at a level of a half or less */
  for (size_t i = 0; i < choices; i++) {
    for (size_t l = 0; l < i; l++) {
      lead x = lead_of(values[i], values[l], count, wide, higher, scratch);
      leads[i * choices + l] = x;
      leads[l * choices + i] = (lead){.mean = -x.mean, .width = x.width};
    }
  }
}

hc_rc hc_stat_best(const hc_allocator *a, const double *const *values, size_t choices, size_t count,
                   double level, bool higher, hc_stat_choice *out)
{
  size_t leads_size = choices * choices * sizeof(lead), scratch_size = (count + 1) * sizeof(double);
  lead *leads;
  double *scratch;
  hc_stat_mean m;
  if (choices == 0 || !(level > 0) || !(level < 1)) return HC_EUSAGE;
  leads = hc_alloc(a, leads_size);
  scratch = hc_alloc(a, scratch_size);
  if (leads && scratch) {
    if (choices > 1) compare_all(values, choices, count, level, higher, leads, scratch);
    for (size_t i = 0; i < choices; i++) {
      double high = choices > 1 ? bound_high(leads, choices, i) : 0;
      (void)hc_stat_mean_of(values[i], count, level, &m);
      out[i] = (hc_stat_choice){.mean = m.mean, .high = HC_MAX(0.0, high), .may_be_best = high >= 0};
    }
    for (size_t i = 0; choices > 1 && i < choices; i++)
      out[i].low = HC_MIN(0.0, bound_low(leads, out, choices, i)); /* 0 for a sole winner */
  }
  if (leads) hc_free(a, leads, leads_size);
  if (scratch) hc_free(a, scratch, scratch_size);
  return leads && scratch ? 0 : HC_ENOMEM;
}
