/* chart_span.h -- a span of time in equal pieces, and what is added up over them: the lines of
 * `hindcast show --chart`. */
#ifndef HC_CLI_CHART_SPAN_H
#define HC_CLI_CHART_SPAN_H

#include "cli/cli.h"

typedef struct cli_chart_span {
  hc_time from, to;
  size_t pieces;
} cli_chart_span;

/** From one time to a later one; 0 if it is not later, or one is not known. */
hc_time cli_chart_between(hc_time from, hc_time to);
/** What has an amount from `start` to `end` adds its part of each piece. @param series [pieces] */
void cli_chart_add(const cli_chart_span *s, double *series, hc_time start, hc_time end, double amount);

/** What hosts do beside tasks: chart_hosts.c. Each adds to a series of zeros.
 *  @param has out: whether there is anything to draw
 *  @return 0, HC_EINPUT (a damaged file), HC_ENOMEM. Cost: O(rows + hosts) */
hc_rc cli_chart_away(cli *c, hc_result *r, const cli_chart_span *s, double *series, bool *has);
/** Hosts that plans have switched off, from when they begin to stop until they are on. */
hc_rc cli_chart_off(cli *c, hc_result *r, const cli_chart_span *s, double *series, bool *has);
/** What all hosts draw, W, where the metric `energy` kept it. */
hc_rc cli_chart_power(cli *c, hc_result *r, const cli_chart_span *s, double *series, bool *has);

#endif
