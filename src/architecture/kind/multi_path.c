/* multi_path.c -- one scheduler that takes job after job, and thinks about each for as long as its kind needs.
 *
 * The schedulers of the list are kinds of jobs here: one server, one line. If all kinds think equally long this is a
 * single-path monolithic scheduler; if they do not, one with a path for each kind, in which a job that is thought about for
 * long holds up the line behind it. The decision is made at the end of the thought, on the cell as it is then, so that nothing
 * is ever refused. Source: Schwarzkopf et al., Omega, EuroSys 2013, doi:10.1145/2465351.2465386, section 3.1. */
#include "architecture/desks.h"
#include "base/util.h"

typedef struct options {
  hc_desks_options desks;
} options;

struct hc_architecture {
  hc_desks desks;
};

static hc_rc hear(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  hc_attempt a;
  uint32_t desk;
  TRY(hc_desks_hear(&self->desks, sig, &desk, e));
  if (desk == HC_NO_WORK) return 0;
  TRY(hc_desks_decide(&self->desks, desk, NULL, 0, true, &a, e));
  return hc_desks_done(&self->desks, desk, &a, e);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  HC_UNUSED(e);
  const hc_rc rc = hc_desks_begin(&self->desks, 0);
  return rc <= 0 ? rc : hc_desks_timer(&self->desks, 0);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  TRY(hc_desks_init(&self->desks, c, &o->desks, true, e));
  return hc_desks_refuse_hosts(&self->desks, e);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->desks.c.allocator;
  hc_desks_fini(&self->desks);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {HC_DESKS_PARAMS(options, desks), {0}};

const hc_architecture_type hc_architecture_multi_path = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = hc_desks_figures,
         .name = "multi_path",
         .summary = "one scheduler that takes job after job, with a think time for each kind",
         .detail =
             "Kinds are what `schedulers` lists. One that thinks equally long about all of them is single-path. "
             "It decides at the end of its thought, so nothing is refused.",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3.1",
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
};
