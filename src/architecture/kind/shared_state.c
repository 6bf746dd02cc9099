/* shared_state.c -- several schedulers, each deciding on what it saw when it began to think: Omega.
 *
 * A scheduler takes a job, looks at the whole cell as it is then, and chooses hosts; when it has thought for
 * long enough it commits what it chose to the cell as it has become. What does not fit any more is a
 * conflict: the rest starts (`commit: incremental`) or nothing does (`all_or_nothing`), and the job comes
 * back for another attempt. With `conflict: sequence` it is a conflict too if another one has started
 * something on the same host meanwhile.
 *
 * The private view costs nothing per host: the decision is made on the live cell at once, taken back, and
 * kept as a list of wishes. Commits of one instant come in the order in which the decisions began; then free
 * schedulers begin anew, so that they see them. Source: Schwarzkopf et al., Omega, EuroSys 2013,
 * doi:10.1145/2465351.2465386. */
#include "architecture/scheduler/schedulers.h"
#include "base/util.h"

enum { CONFLICT_FIT, CONFLICT_SEQUENCE };
enum { COMMIT_INCREMENTAL, COMMIT_ALL_OR_NOTHING };

typedef struct options {
  hc_schedulers_options schedulers;
  int conflict, commit;
} options;

struct hc_architecture {
  hc_schedulers all;
  hc_commit_mode mode;
};

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  hc_attempt a;
  uint32_t scheduler;
  TRY(hc_schedulers_signal(&self->all, sig, &scheduler, e));
  if (scheduler == HC_NO_SCHEDULER) return 0;
  TRY(hc_schedulers_commit(&self->all, scheduler, self->mode, &a, e));
  return hc_schedulers_done(&self->all, scheduler, &a, e);
}

static hc_rc decide_on(hc_architecture *self, uint32_t i, hc_error *e)
{
  const bool instant = hc_schedulers_is_instant(&self->all, i);
  hc_attempt a;
  const hc_rc rc = hc_schedulers_decide(&self->all, i, NULL, 0, instant, &a, e);
  if (rc != 0) return rc;
  return instant ? hc_schedulers_done(&self->all, i, &a, e) : hc_schedulers_timer(&self->all, i);
}

static hc_rc decide_from(hc_architecture *self, uint32_t from, hc_error *e)
{
  for (uint32_t i = from; i < self->all.count; i++) {
    hc_rc rc = hc_schedulers_begin(&self->all, i);
    if (rc > 0) rc = decide_on(self, i, e);
    if (rc != 0) return rc;
  }
  return 0;
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  return decide_from(self, 0, e);
}

static hc_rc go_on(hc_architecture *self, hc_error *e)
{
  const uint32_t i = self->all.asked;
  const hc_rc rc = decide_on(self, i, e);
  return rc != 0 ? rc : decide_from(self, i + 1, e);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  self->mode = o->commit == COMMIT_ALL_OR_NOTHING ? HC_COMMIT_ALL_OR_NONE : HC_COMMIT_CHECKED;
  TRY(hc_schedulers_init(&self->all, c, &o->schedulers, false, e));
  TRY(hc_schedulers_refuse_hosts(&self->all, e));
  if (self->all.by_pass && o->commit == COMMIT_ALL_OR_NOTHING)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture shared_state", 0, 0,
        "`commit: all_or_nothing` is about the tasks of a job, and a pass is about all jobs: one promise "
        "that cannot be kept would refuse every start; leave out one of `commit` and `decision`");
  if (o->conflict == CONFLICT_FIT) return 0;
  self->mode = (hc_commit_mode)(self->mode | HC_COMMIT_IN_SEQUENCE);
  return c->services->count_starts(c->engine);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->all.c.allocator;
  hc_schedulers_fini(&self->all);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {
#include "architecture/scheduler/params.h"
    HC_PARAM(CHOICE, options, conflict, "fit|sequence", "fit",
             "What is a conflict. fit: a task does not fit any more on the host that was chosen for it; "
             "sequence: also that another scheduler has started something there meanwhile."),
    HC_PARAM(CHOICE, options, commit, "incremental|all_or_nothing", "incremental",
             "After a conflict. incremental: the job's other tasks start; all_or_nothing: none of them "
             "starts."),
    {0}};

const hc_architecture_type hc_architecture_shared_state = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = hc_schedulers_figures,
         .name = "shared_state",
         .summary = "several schedulers, each on its own view of the whole cell: Omega",
         .detail =
             "A scheduler takes one job at a time, decides on the cell as it is when it begins to think, and "
             "commits at the end of the think time; what does not fit by then is refused, and tried again. "
             "Tasks that end in between are no conflict.",
         .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 3.4",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = hc_schedulers_kind_visit,
    .fini = fini,
    HC_SCHEDULERS_CALLS,
    .go_on = go_on,
};
