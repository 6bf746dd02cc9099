/* turns.c -- an architecture in a shared object: narrow tasks queue in one line, wide ones in another, and the two lines
 * take turns. The one whose turn it is chooses first, until it has started something; the other takes what is left. */
#include "hindcast/architecture.h"
#include "hindcast/plugin.h"

enum { NARROW, WIDE, LINES };

typedef struct options {
  int64_t narrow;
} options;

struct hc_architecture {
  hc_architecture_context c;
  const hc_policy_type *type;
  int64_t narrow;
  uint32_t queue[LINES];
  hc_policy *policy[LINES];  /* each line has a policy of its own: the run's, twice */
  uint32_t why, early, turn; /* state: what has happened since the last decision, and whose turn it is */
};

static void fini(hc_architecture *self)
{
  for (int k = 0; k < LINES; k++)
    if (self->policy[k]) self->type->fini(self->policy[k]);
  self->c.allocator->resize(self->c.allocator->ctx, self, sizeof *self, 0);
}

/* A queue, sorted as the policy says, and a policy that hears of its tasks. */
static hc_rc open_line(hc_architecture *self, int k, const char *name, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  const hc_policy_context *context;
  hc_policy_parts parts = {0};
  hc_rc rc;
  if (self->type->parts) self->type->parts(self->c.policy.options, &parts);
  rc = s->queue_new(self->c.engine, parts.order, parts.candidates, &self->queue[k]);
  if (rc == 0) rc = s->policy_context(self->c.engine, self->queue[k], name, &self->c.policy, &context);
  if (rc == 0) rc = self->type->init(context, self->c.policy.options, &self->policy[k], e);
  if (rc == 0) s->follow(self->c.engine, self->queue[k], self->type, self->policy[k]);
  return rc;
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  hc_architecture *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  hc_rc rc;
  if (!self) return HC_ENOMEM;
  *self = (hc_architecture){
      .c = *c, .type = (const hc_policy_type *)c->policy.type, .narrow = ((const options *)opts)->narrow};
  rc = open_line(self, NARROW, "narrow", e);
  if (rc == 0) rc = open_line(self, WIDE, "wide", e);
  if (rc == 0) *out = self;
  else fini(self);
  return rc;
}

/* Something happens: a task that arrives is put into its line; the rest waits for the end of the round. */
static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  (void)e;
  self->why |= (uint32_t)sig->what;
  self->early |= sig->early;
  if (sig->what != HC_WHY_ARRIVAL) return 0;
  const int64_t units = self->c.policy_context->services->units(s->task_view(self->c.engine), sig->task);
  return s->enqueue(self->c.engine, self->queue[units > self->narrow ? WIDE : NARROW], sig->task);
}

/* One line decides, and what it has planned is carried out. */
static hc_rc decide_on(hc_architecture *self, uint32_t line, bool *started, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  const hc_why why = {.bits = self->why, .task = HC_NO_TASK, .early_end = self->early != 0};
  hc_view *v;
  hc_plan *p;
  hc_rc rc;
  *started = false;
  if (s->queued(self->c.engine, self->queue[line]) == 0) return 0;
  rc = s->view_open(self->c.engine, self->queue[line], NULL, 0, &v, &p);
  if (rc == 0) rc = s->decide(self->c.engine, line, self->policy[line], v, p, &why, e);
  if (rc != 0) return rc; /* the view is closed, and its plan undone */
  for (size_t k = 0; k < s->planned(p); k++) *started |= s->plan_start(p, k) != HC_NO_TASK;
  rc = s->view_close(self->c.engine, v, true);
  if (rc == 0) rc = s->commit(self->c.engine, p, HC_COMMIT_NOW, e);
  return rc < 0 ? rc : 0;
}

/* The end of a round, in which something may have happened. */
static hc_rc decide(hc_architecture *self, hc_error *e)
{
  const uint32_t first = self->turn;
  bool started, other;
  hc_rc rc;
  if (self->why == 0) return 0;
  rc = decide_on(self, first, &started, e);
  if (rc == 0) rc = decide_on(self, 1 - first, &other, e);
  if (started) self->turn = 1 - first;
  self->why = self->early = 0;
  return rc;
}

/* What was counted, by the policies' own figures. */
static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  hc_rc rc = 0;
  for (int k = 0; k < LINES && rc == 0; k++)
    if (self->type->finish) rc = self->type->finish(self->policy[k], f);
  return rc;
}

/* Saved, loaded and hashed by the same lines. */
static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  const hc_visitor_calls *calls = hc_visitor_calls_of(v);
  hc_rc rc = calls->bytes(v, &self->why, sizeof self->why);
  if (rc == 0) rc = calls->bytes(v, &self->early, sizeof self->early);
  if (rc == 0) rc = calls->bytes(v, &self->turn, sizeof self->turn);
  for (int k = 0; k < LINES && rc == 0; k++)
    if (self->type->visit) rc = self->type->visit(self->policy[k], v);
  return rc;
}

static const hc_param params[] = {HC_PARAM(INT, options, narrow, "processors", "1", 1, 1e9,
                                           "A task of at most so many processors is narrow."),
                                  {0}};

const hc_architecture_type hc_architecture_turns = {
    .component = {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .name = "turns",
                  .summary = "narrow and wide tasks in a line each, which choose by turns", .params = params,
                  .options_size = sizeof(options)},
    .reach = HC_REACH_QUEUE,
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .finish = finish,
    .visit = visit,
    .fini = fini};

/* Only a shared object needs what follows. */
static const hc_component *const components[] = {&hc_architecture_turns.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "turns", .components = components};
