/* shared_state.c -- several schedulers, each deciding on what it saw when it began to think: Omega.
 *
 * A scheduler takes a job, looks at the whole cell as it is then, and chooses hosts; when it has thought for long enough
 * it commits what it chose to the cell as it has become. What does not fit any more is a conflict: the rest starts
 * (`commit: incremental`) or nothing does (`all_or_nothing`), and the job comes back for another attempt. With `conflict:
 * sequence` it is a conflict too if anybody has started something on the same host meanwhile.
 *
 * The private view costs nothing per host: the decision is made on the live cell at once, taken back, and kept as a
 * list of wishes. Commits of one instant come in the order in which the thoughts began; then free schedulers begin anew, so
 * that they see them. Source: Schwarzkopf et al., Omega, EuroSys 2013, doi:10.1145/2465351.2465386. */
#include "architecture/desks.h"
#include "base/util.h"

enum { CONFLICT_FIT, CONFLICT_SEQUENCE };
enum { COMMIT_INCREMENTAL, COMMIT_ALL_OR_NOTHING };

typedef struct options {
  hc_desks_options desks;
  int conflict, commit;
} options;

struct hc_architecture {
  hc_desks desks;
  hc_commit_mode mode;
};

static hc_rc hear(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  hc_attempt a;
  uint32_t desk;
  TRY(hc_desks_hear(&self->desks, sig, &desk, e));
  if (desk == HC_NO_WORK) return 0;
  TRY(hc_desks_commit(&self->desks, desk, self->mode, &a, e));
  return hc_desks_done(&self->desks, desk, &a, e);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  hc_attempt a;
  for (uint32_t i = 0; i < self->desks.count; i++) {
    const hc_rc rc = hc_desks_begin(&self->desks, i);
    if (rc < 0) return rc;
    if (rc == 0) continue;
    TRY(hc_desks_decide(&self->desks, i, NULL, 0, false, &a, e));
    TRY(hc_desks_timer(&self->desks, i));
  }
  return 0;
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  self->mode = o->commit == COMMIT_ALL_OR_NOTHING ? HC_COMMIT_ALL_OR_NONE : HC_COMMIT_CHECKED;
  TRY(hc_desks_init(&self->desks, c, &o->desks, false, e));
  TRY(hc_desks_refuse_hosts(&self->desks, e));
  if (o->conflict == CONFLICT_FIT) return 0;
  self->mode = (hc_commit_mode)(self->mode | HC_COMMIT_IN_SEQUENCE);
  return c->services->count_starts(c->engine);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->desks.c.allocator;
  hc_desks_fini(&self->desks);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {
    HC_DESKS_PARAMS(options, desks),
    HC_PARAM(CHOICE, options, conflict, "fit|sequence", "fit",
             "What is a conflict: that a task does not fit any more on the host that was chosen for it; or "
             "also that anybody has started something there meanwhile."),
    HC_PARAM(CHOICE, options, commit, "incremental|all_or_nothing", "incremental",
             "With a conflict, whether the job's other tasks start or none does."),
    {0}};

const hc_architecture_type hc_architecture_shared_state = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = hc_desks_figures,
         .name = "shared_state",
         .summary = "several schedulers, each on its own view of the whole cell: Omega",
         .detail =
             "A scheduler takes one job at a time, decides on the cell as it is when it begins to think, and "
             "commits when it has thought; what does not fit by then is refused, and tried again. Tasks that end "
             "are no conflict.",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3.4",
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
