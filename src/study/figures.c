/* figures.c -- which way a figure is good.
 *
 * What is waited for, lost or spent is a cost, and most figures are; this is the list of those of which more
 * is better. A pattern ends in * or begins with it. It does not decide what is worth looking at; a
 * question may say otherwise (`direction`). Source: the formulas of the figures, `hindcast describe metric
 * NAME`. */
#include <string.h>

#include "base/util.h"
#include "hindcast/study.h"

static const char *const higher[] = {
    "utilisation*",    "*_utilisation",    "jain_*",           "*_jain",      "prediction_accuracy",
    "tasks_completed", "tasks_started",    "throughput*",      "host_load_*", "running_mean",
    "host_mean_*",     "tasks_backfilled", "backfilled_share", "speed_up_*",  "jobs_sped_up_share*"};

static bool matches(const char *pattern, const char *name)
{
  size_t n = strlen(pattern), m = strlen(name);
  if (pattern[0] == '*') return m >= n - 1 && strcmp(name + m - (n - 1), pattern + 1) == 0;
  if (n && pattern[n - 1] == '*') return strncmp(name, pattern, n - 1) == 0;
  return strcmp(name, pattern) == 0;
}

int hc_figure_direction(const char *name)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(higher); i++) {
    if (matches(higher[i], name)) return 1;
  }
  return -1;
}
