/* multi_path.c -- one scheduler that takes job after job, and thinks about each for as long as its kind
 * needs.
 *
 * The schedulers of the list are kinds of jobs here: one server, one queue. If all kinds think equally long
 * this is a single-path monolithic scheduler; if they do not, one with a path for each kind, in which a job
 * that is thought about for long holds up the queue behind it. The decision is made at the end of
 * the time of thinking, on the cell as it is then, so that nothing is ever refused. Source: Schwarzkopf et
 * al., Omega, EuroSys 2013, doi:10.1145/2465351.2465386, section 3.1. */
#include "architecture/scheduler/schedulers.h"
#include "base/util.h"

typedef struct options {
  hc_schedulers_options schedulers;
} options;

struct hc_architecture {
  hc_schedulers all;
};

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  TRY(hc_schedulers_init(&self->all, c, &o->schedulers, true, e));
  return hc_schedulers_refuse_hosts(&self->all, e);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->all.c.allocator;
  hc_schedulers_fini(&self->all);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {
#include "architecture/scheduler/params.h"
    {0}};

const hc_architecture_type hc_architecture_multi_path = {
    .component = {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE),
                  .figures = hc_schedulers_figures, .name = "multi_path",
                  .summary = "one scheduler that takes job after job, with a think time for each kind",
                  .detail =
                      "`schedulers` lists the kinds of jobs, each with a think time; with equal think times "
                      "this is a single-path scheduler. It decides at the end of the think time, so nothing "
                      "is refused.",
                  .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3.1",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .visit = hc_schedulers_kind_visit,
    .fini = fini,
    HC_SCHEDULERS_CALLS_LATE,
};
