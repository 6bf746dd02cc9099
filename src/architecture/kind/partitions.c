/* partitions.c -- the cell is cut up: each scheduler has hosts of its own, and no other uses them.
 *
 * What a scheduler does not need stays idle: that is what the cut costs. Each decides at the end of its
 * time of thinking, on its own hosts as they are then, so that nothing is ever refused. Source: Schwarzkopf
 * et al., Omega, EuroSys 2013, doi:10.1145/2465351.2465386, section 3.2. */
#include "architecture/scheduler/partitions.h"
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
  TRY(hc_schedulers_init(&self->all, c, &o->schedulers, false, e));
  TRY(hc_schedulers_never_mold(&self->all, "it sees hosts of its own alone", e));
  return hc_partitions_read(&self->all, e);
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

const hc_architecture_type hc_architecture_partitions = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = hc_schedulers_figures,
         .name = "partitions", .summary = "the cell is cut up: each scheduler has hosts of its own",
         .detail = "`hosts` of each scheduler says which hosts are its own; if no scheduler has `hosts`, all "
                   "get equally many, by number. A scheduler decides at the end of its think time, so "
                   "nothing is refused.",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3.2",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .visit = hc_schedulers_kind_visit,
    .fini = fini,
    HC_SCHEDULERS_CALLS_LATE,
    .offers_hosts = true,
    .keeps_hosts = true,
};
