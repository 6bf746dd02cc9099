/* export.c -- a log of IRMaSim, as the world irmasim has written it while it ran. */
#include <string.h>

#include "base/util.h"
#include "output/emit.h"

typedef struct options {
  int log;
} options;

#define LOGS "jobs|simulation|summary|resources"
static const char *const logs[] = {"jobs", "simulation", "summary", "resources"};

typedef struct copying {
  const char *log;
  const hc_sink *out;
  bool any;
} copying;

static hc_rc copy(void *ctx, const char *const *v)
{
  copying *c = ctx;
  if (!v[0] || !v[1] || strcmp(v[0], c->log) != 0) return 0;
  c->any = true;
  return c->out->write(c->out->ctx, v[1], strlen(v[1]));
}

static hc_rc run(const hc_allocator *a, const void *opts, hc_result *r, const hc_sink *out, hc_error *e)
{
  const options *o = opts;
  copying c = {logs[o->log], out, false};
  HC_UNUSED(a);
  TRY(hc_result_rows(r, "logs", 2, copy, &c, e));
  if (c.any) return 0;
  return hc_fail(e, HC_EUSAGE, hc_result_path(r), 0, 0,
                 "it has no log \"%s\": that is of runs of the world irmasim, if they keep `logs`%s", c.log,
                 strcmp(c.log, "resources") == 0 ? ", and if its options file says log_resource_type" : "");
}

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, options, log, LOGS, "jobs",
        "Which of IRMaSim's logs. jobs: jobs.log, a row for each task. simulation: simulation.log, a row for "
        "each event. summary: what it prints. resources: resources.log, a row for each node and event."),
    {0}};

const hc_exporter_type hc_exporter_irmasim = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "irmasim",
                  .summary = "a run of the world irmasim, as the logs of IRMaSim",
                  .detail = "The logs are those of IRMaSim to the byte, except for the lines of its summary "
                            "that name the files that it loads and the time that it took.",
                  .source = "IRMaSim, github.com/irmasim/IRMaSim", .params = params,
                  .options_size = sizeof(options)},
    .run = run};
