/* stat_adjust.c -- p values corrected for having asked several questions.
 *
 * Adjusted p values: the smallest level at which the procedure would still call that one significant. Holm
 * steps down, from the smallest p: the running maximum of (m - i) p. Benjamini-Hochberg steps up, from the
 * largest: the running minimum of m / (i + 1) p. Neither assumes anything of Holm's dependence;
 * Benjamini-Hochberg wants independence or positive dependence. Sources: Holm 1979; Benjamini and Hochberg
 * 1995, doi:10.1111/j.2517-6161.1995.tb02031.x. Cost: one sort. */

#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "hindcast/study.h"

typedef struct question {
  double p;
  size_t place;
} question;

HC_SORT(sort_questions, question, a->p != b->p ? a->p < b->p : a->place < b->place)

static void holm(const question *q, size_t m, double *adjusted)
{
  double most = 0;
  for (size_t i = 0; i < m; i++) {
    most = HC_MAX(most, HC_MIN(1.0, (double)(m - i) * q[i].p));
    adjusted[q[i].place] = most;
  }
}

static void benjamini(const question *q, size_t m, double *adjusted)
{
  double least = 1;
  for (size_t i = m; i-- > 0;) {
    least = HC_MIN(least, (double)m / (double)(i + 1) * q[i].p);
    adjusted[q[i].place] = least;
  }
}

hc_rc hc_stat_adjust(const hc_allocator *a, hc_stat_adjustment how, const double *p, size_t count,
                     double *adjusted)
{
  question *q = hc_alloc(a, (count + 1) * sizeof *q);
  size_t m = 0;
  if (!q) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    adjusted[i] = p[i];
    if (p[i] == p[i]) q[m++] = (question){.p = p[i], .place = i};
  }
  sort_questions(q, m);
  switch (how) {
    case HC_STAT_HOLM: holm(q, m, adjusted); break;
    case HC_STAT_BENJAMINI: benjamini(q, m, adjusted); break;
    case HC_STAT_BONFERRONI:
      for (size_t i = 0; i < m; i++) adjusted[q[i].place] = HC_MIN(1.0, (double)m * q[i].p);
      break;
    case HC_STAT_NONE: break;
  }
  hc_free(a, q, (count + 1) * sizeof *q);
  return 0;
}
