/* partitions.c -- the cell is cut up: each scheduler has hosts of its own, and no other uses them.
 *
 * What a scheduler does not need, nobody gets: that is what the cut costs. Each decides at the end of its thought, on its
 * own hosts as they are then, so that nothing is ever refused. Source: Schwarzkopf et al., Omega, EuroSys 2013,
 * doi:10.1145/2465351.2465386, section 3.2. */
#include "architecture/desk_parts.h"
#include "base/util.h"

typedef struct options {
  hc_desks_options desks;
} options;

struct hc_architecture {
  hc_desks desks;
  hc_desk_part *parts; /* [kind_count] */
};

static hc_rc hear(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  return hc_desk_parts_hear(&self->desks, self->parts, sig, e);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  HC_UNUSED(e);
  return hc_desk_parts_begin(&self->desks);
}

/* ---- life ---- */

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  TRY(hc_desks_init(&self->desks, c, &o->desks, false, e));
  TRY(hc_desks_never_mold(&self->desks, "it sees hosts of its own alone", e));
  return hc_desk_parts(&self->desks, &self->parts, e);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->desks.c.allocator;
  hc_desks_fini(&self->desks);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {HC_DESKS_PARAMS(options, desks), {0}};

const hc_architecture_type hc_architecture_partitions = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = hc_desks_figures,
         .name = "partitions", .summary = "the cell is cut up: each scheduler has hosts of its own",
         .detail =
             "`hosts` of each scheduler says which; if nobody has it, each gets as many as the others, by "
             "number. It decides at the end of its thought, so nothing is refused.",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3.2",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = hear,
    .decide = decide,
    .visit = hc_desks_kind_visit,
    .fini = fini,
    .finish = hc_desks_kind_finish,
    .asks_jobs = true,
    .is_memoryless = hc_desks_kind_is_memoryless,
    .reach = HC_REACH_JOB,
    .note = hc_desks_kind_note,
    .offers_hosts = true,
};
