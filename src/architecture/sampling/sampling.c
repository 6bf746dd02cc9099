/* sampling.c -- batches and their tasks, and what the engine says of them: see sampling.h.
 *
 * All tasks that wait stand in one queue of the engine, whose order is not asked for: an architecture of this
 * kind asks no policy. What becomes of them it hears as a policy that follows the queue does. */
#include "architecture/sampling/sampling.h"

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"

hc_time hc_sampling_now(const hc_sampling *s)
{
  return s->c.services->now(s->c.engine);
}

static const hc_view *task_view(const hc_sampling *s)
{
  return s->c.services->task_view(s->c.engine);
}

/* ---- batches ---- */

static hc_rc new_batch(hc_sampling *s, uint32_t *out)
{
  if (s->vacant_batch != HC_NOBODY) {
    *out = s->vacant_batch;
    s->vacant_batch = s->batches[*out].next;
  } else {
    if (s->batch_count >= HC_NOBODY) return HC_ELIMIT;
    TRY(hc_reserve(s->c.allocator, (void **)&s->batches, &s->batch_cap, s->batch_count + 1,
                   sizeof *s->batches));
    *out = (uint32_t)s->batch_count++;
  }
  s->batches[*out] = (hc_batch){.first = HC_NO_TASK, .last = HC_NO_TASK, .entries = HC_NOBODY, .is_used = 1};
  return 0;
}

void hc_sampling_release(hc_sampling *s, uint32_t batch)
{
  HC_ASSERT(s->batches[batch].refs > 0);
  if (--s->batches[batch].refs > 0) return;
  s->batches[batch] = (hc_batch){.next = s->vacant_batch};
  s->vacant_batch = batch;
}

static hc_rc open_batch(hc_sampling *s, hc_task t, int64_t job, uint32_t *out)
{
  TRY(new_batch(s, out));
  s->batches[*out].arrived = hc_sampling_now(s);
  s->batches[*out].first_serial = s->ask->serial(task_view(s), t);
  hc_one_host_measure(s->ask, task_view(s), t, &s->batches[*out].need);
  TRY(hc_reserve(s->c.allocator, (void **)&s->fresh, &s->fresh_cap, s->fresh_count + 1, sizeof *s->fresh));
  s->fresh[s->fresh_count++] = *out;
  return job >= 0 ? hc_map_set(&s->of_job, (uint64_t)job, *out) : 0;
}

/* Believed; what has no estimate is longer than anything. */
static double believed(const hc_sampling *s, hc_task t)
{
  const hc_time estimate = s->ask->estimate(task_view(s), t);
  return estimate == HC_NEVER || estimate < 0 ? (double)HC_DAY * 36500 : (double)estimate;
}

static void link_task(hc_sampling *s, uint32_t batch, hc_task t)
{
  hc_batch *b = &s->batches[batch];
  s->tasks[t] = (hc_sampled_task){.serial = s->ask->serial(task_view(s), t),
                                  .batch = batch,
                                  .state = HC_SAMPLED_WAITS,
                                  .prev = b->last,
                                  .next = HC_NO_TASK,
                                  .host = HC_NOBODY};
  if (b->last != HC_NO_TASK) s->tasks[b->last].next = t;
  else b->first = t;
  b->last = t;
  b->waiting++;
  b->left++;
  b->unstarted++;
  b->tasks++;
  b->refs++;
  b->mean += believed(s, t);
}

static void unlink_task(hc_sampling *s, hc_task t)
{
  const hc_sampled_task *x = &s->tasks[t];
  hc_batch *b = &s->batches[x->batch];
  if (x->prev != HC_NO_TASK) s->tasks[x->prev].next = x->next;
  else b->first = x->next;
  if (x->next != HC_NO_TASK) s->tasks[x->next].prev = x->prev;
  else b->last = x->prev;
  b->waiting--;
}

/* File a task that has arrived, or that has lost its host, and put it into the queue. */
static hc_rc file(hc_sampling *s, hc_task t, int64_t job)
{
  uint32_t batch = job >= 0 ? hc_map_get(&s->of_job, (uint64_t)job) : HC_NOBODY;
  TRY(hc_reserve(s->c.allocator, (void **)&s->tasks, &s->task_cap, (size_t)t + 1, sizeof *s->tasks));
  while (s->task_count <= t) s->tasks[s->task_count++] = (hc_sampled_task){0};
  if (batch == HC_NOBODY) TRY(open_batch(s, t, job, &batch));
  link_task(s, batch, t);
  s->moved = t;
  TRY(s->c.services->enqueue(s->c.engine, s->staging, t));
  s->moved = HC_NO_TASK;
  return 0;
}

/* All of it is there: long or short, and off. */
static hc_rc send_out(hc_sampling *s, uint32_t batch, hc_error *e)
{
  const hc_policy_context *c = s->c.policy_context;
  hc_batch *b = &s->batches[batch];
  hc_draws draws = {c->seed, c->replication, b->first_serial, HC_PURPOSE_BELIEF, 0};
  const uint64_t scheduler = s->turn % (uint64_t)s->o.schedulers;
  b->mean /= b->tasks;
  if (s->o.error > 0) b->mean *= 1 + s->o.error * (2 * hc_random_unit(&draws) - 1);
  b->is_long = s->o.is_split && b->mean > (double)s->o.cutoff;
  s->counts.of[b->is_long].batches++;
  if (b->waiting == 0) return 0;
  if (b->is_long) return hc_sampling_place_long(s, batch, e);
  s->turn++;
  if (s->o.think_job == 0) return hc_sampling_probe(s, batch, e);
  s->free_at[scheduler] = hc_time_add(HC_MAX(s->free_at[scheduler], hc_sampling_now(s)), s->o.think_job);
  return hc_sampling_send_at(s, s->free_at[scheduler], &(hc_message){.kind = HC_MAIL_BEGIN, .batch = batch});
}

/* ---- tasks ---- */

hc_task hc_sampling_take(hc_sampling *s, uint32_t batch, uint32_t host)
{
  hc_task t = s->batches[batch].first;
  while (t != HC_NO_TASK && !s->c.services->could(s->c.engine, t, host)) t = s->tasks[t].next;
  if (t == HC_NO_TASK) return t;
  unlink_task(s, t);
  s->tasks[t].state = HC_SAMPLED_BOUND;
  s->tasks[t].host = host;
  return t;
}

bool hc_sampling_is_bound(const hc_sampling *s, hc_task t, uint64_t serial, uint32_t host)
{
  const hc_sampled_task *x = &s->tasks[t];
  return x->serial == serial && x->state == HC_SAMPLED_BOUND && x->host == host;
}

static hc_rc count_start(hc_sampling *s, hc_task t)
{
  const hc_sampled_task *x = &s->tasks[t];
  hc_batch *b = &s->batches[x->batch];
  hc_sampling_class *k = &s->counts.of[b->is_long];
  const double wait = (double)(x->started - b->arrived);
  TRY(hc_counted_add(&k->task_wait, wait));
  if (--b->unstarted > 0) return 0;
  return hc_counted_add(&k->batch_wait, wait);
}

hc_rc hc_sampling_start(hc_sampling *s, hc_task t, uint32_t host, hc_error *e)
{
  const hc_engine_services *eng = s->c.services;
  const hc_range there = {host, 1};
  hc_view *v;
  hc_plan *p;
  hc_rc rc;
  TRY(eng->view_open(s->c.engine, s->staging, NULL, 0, &v, &p));
  s->moved = t;
  rc = s->ask->start(p, t, &there, 1);
  TRY(eng->view_close(s->c.engine, v, rc == 0));
  if (rc < 0) return rc == HC_EPOLICY ? 0 : rc;
  TRY(eng->commit(s->c.engine, p, HC_COMMIT_NOW, e));
  s->moved = HC_NO_TASK;
  s->tasks[t].state = HC_SAMPLED_RUNS;
  s->tasks[t].started = hc_sampling_now(s);
  s->host[host].running++;
  if (s->batches[s->tasks[t].batch].is_long) hc_sampling_long_starts(s, t);
  TRY(count_start(s, t));
  return 1;
}

hc_rc hc_sampling_reject(hc_sampling *s, hc_task t, hc_error *e)
{
  const hc_engine_services *eng = s->c.services;
  hc_view *v;
  hc_plan *p;
  TRY(eng->view_open(s->c.engine, s->staging, NULL, 0, &v, &p));
  TRY(s->ask->reject(p, t, "no single host could ever run it"));
  TRY(eng->view_close(s->c.engine, v, true));
  return eng->commit(s->c.engine, p, HC_COMMIT_NOW, e);
}

/* ---- what is heard ---- */

static hc_rc note_end(hc_sampling *s, hc_task t, uint32_t host)
{
  hc_sampled_task *x = &s->tasks[t];
  TRY(hc_reserve(s->c.allocator, (void **)&s->ended, &s->ended_cap, s->ended_count + 1, sizeof *s->ended));
  if (s->batches[x->batch].is_long && x->host != HC_NOBODY) hc_sampling_long_ends(s, t);
  s->ended[s->ended_count++] = (hc_ended){host, x->batch};
  x->state = HC_SAMPLED_NONE;
  return 0;
}

/* It was taken away while it waited. */
static hc_rc withdrawn(hc_sampling *s, hc_task t)
{
  if (s->tasks[t].state == HC_SAMPLED_WAITS) unlink_task(s, t);
  else if (s->tasks[t].state == HC_SAMPLED_BOUND) TRY(hc_sampling_mark(s, s->tasks[t].host));
  else return 0;
  return note_end(s, t, HC_NOBODY);
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  hc_sampling *s = (hc_sampling *)(void *)self;
  HC_UNUSED(v);
  HC_UNUSED(amounts);
  if (t == s->moved) return 0;
  switch (what) {
    case HC_TASK_EVENT_QUEUED: /* it has lost its host */
      TRY(hc_reserve(s->c.allocator, (void **)&s->again, &s->again_cap, s->again_count + 1,
                     sizeof *s->again));
      s->again[s->again_count++] = t;
      return 0;
    case HC_TASK_EVENT_DEQUEUED: return withdrawn(s, t);
    case HC_TASK_EVENT_ALLOCATED: return 0;
    case HC_TASK_EVENT_RELEASED:
      return s->tasks[t].state == HC_SAMPLED_RUNS ? note_end(s, t, s->tasks[t].host) : 0;
  }
  return 0;
}

hc_rc hc_sampling_hear(hc_sampling *s, const hc_signal *sig, hc_error *e)
{
  if (sig->what == HC_WHY_ARRIVAL) return file(s, sig->task, s->ask->job(task_view(s), sig->task));
  if (sig->what == HC_WHY_CELL) s->looks_at_all = true;
  return sig->what == HC_WHY_TIMER ? hc_sampling_deliver(s, e) : 0;
}

/* ---- a round ---- */

static hc_rc settle(hc_sampling *s, const hc_ended *x)
{
  hc_batch *b = &s->batches[x->batch];
  hc_sampling_class *k = &s->counts.of[b->is_long];
  b->left--;
  if (x->host == HC_NOBODY) {
    b->unstarted--;
  } else {
    s->host[x->host].running--;
    TRY(hc_sampling_mark(s, x->host));
    if (b->left == 0) {
      TRY(hc_counted_add(&k->batch_time, (double)(hc_sampling_now(s) - b->arrived)));
    }
    if (s->o.sticky && !b->is_long) TRY(hc_sampling_stick(s, x->host, x->batch));
  }
  hc_sampling_release(s, x->batch);
  return 0;
}

static hc_rc settle_all(hc_sampling *s)
{
  for (size_t i = 0; i < s->ended_count; i++) TRY(settle(s, &s->ended[i]));
  s->ended_count = 0;
  for (size_t i = 0; i < s->again_count; i++)
    if (s->ask->waits(task_view(s), s->again[i])) TRY(file(s, s->again[i], -1));
  s->again_count = 0;
  for (uint32_t h = 0; s->looks_at_all && h < s->hosts; h++)
    if (s->host[h].count > 0) TRY(hc_sampling_mark(s, h));
  s->looks_at_all = false;
  return 0;
}

hc_rc hc_sampling_decide(hc_sampling *s, hc_error *e)
{
  TRY(settle_all(s));
  if (s->of_job.count > 0) {
    hc_map_fini(&s->of_job);
    hc_map_init(&s->of_job, s->c.allocator);
  }
  for (size_t i = 0; i < s->fresh_count; i++) {
    s->batches[s->fresh[i]].refs++; /* all its tasks may be rejected */
    TRY(send_out(s, s->fresh[i], e));
    hc_sampling_release(s, s->fresh[i]);
  }
  s->fresh_count = 0;
  for (size_t i = 0; i < s->dirty_count; i++) TRY(hc_sampling_serve(s, s->dirty[i], e));
  s->dirty_count = 0;
  TRY(settle_all(s)); /* what was rejected */
  return hc_sampling_arm(s);
}

/* ---- life ---- */

static hc_rc make_room(hc_sampling *s)
{
  const hc_allocator *a = s->c.allocator;
  s->host = hc_alloc(a, s->hosts * sizeof *s->host);
  s->free_at = hc_alloc(a, (size_t)s->o.schedulers * sizeof *s->free_at);
  s->drawn = hc_alloc(a, s->hosts * sizeof *s->drawn);
  s->found = hc_alloc(a, s->hosts * sizeof *s->found);
  s->waits = hc_alloc(a, s->hosts * sizeof *s->waits);
  if (!s->host || !s->free_at || !s->drawn || !s->found || !s->waits) return HC_ENOMEM;
  for (uint32_t h = 0; h < s->hosts; h++) s->host[h].first = s->host[h].last = HC_NOBODY;
  return 0;
}

static hc_rc cut_cell(hc_sampling *s, hc_error *e)
{
  const uint32_t kept = (uint32_t)(s->o.short_share * s->hosts + 0.5);
  s->general = s->hosts - kept;
  if (s->general > 0) return 0;
  return hc_fail(e, HC_EUSAGE, s->name, 0, 0,
                 "short_share %g of %u hosts leaves none for long jobs: make it less, or the cell larger",
                 s->o.short_share, s->hosts);
}

hc_rc hc_sampling_init(hc_sampling *s, const hc_architecture_context *c, const char *name,
                       const hc_sampling_options *o, hc_error *e)
{
  *s = (hc_sampling){.c = *c,
                     .o = *o,
                     .ask = c->policy_context->services,
                     .name = name,
                     .vacant_batch = HC_NOBODY,
                     .vacant_entry = HC_NOBODY,
                     .armed = HC_NEVER,
                     .moved = HC_NO_TASK};
  hc_map_init(&s->of_job, c->allocator);
  hc_sampling_counts_init(&s->counts, c->allocator);
  s->hosts = c->services->hosts(c->engine);
  if (s->hosts == 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, name, 0, 0,
        "tasks are queued on hosts, and this cell has none: use `cell: {use: hosts, classes: [{count: 100, "
        "cpus: 4}]}`");
  s->dimensions = s->ask->dimensions(task_view(s));
  TRY(cut_cell(s, e));
  TRY(make_room(s));
  TRY(c->services->queue_new(c->engine, NULL, NULL, &s->staging));
  s->listener.component = c->policy.type ? *c->policy.type : (hc_component){0};
  s->listener.on_task_event = on_task_event;
  c->services->follow(c->engine, s->staging, &s->listener, (hc_policy *)(void *)s);
  return 0;
}

void hc_sampling_fini(hc_sampling *s)
{
  const hc_allocator *a = s->c.allocator;
  if (!a) return;
  hc_free(a, s->tasks, s->task_cap * sizeof *s->tasks);
  hc_free(a, s->batches, s->batch_cap * sizeof *s->batches);
  hc_free(a, s->entries, s->entry_cap * sizeof *s->entries);
  hc_free(a, s->mail, s->mail_cap * sizeof *s->mail);
  hc_free(a, s->host, s->hosts * sizeof *s->host);
  hc_free(a, s->free_at, (size_t)s->o.schedulers * sizeof *s->free_at);
  hc_free(a, s->drawn, s->hosts * sizeof *s->drawn);
  hc_free(a, s->found, s->hosts * sizeof *s->found);
  hc_free(a, s->waits, s->hosts * sizeof *s->waits);
  hc_free(a, s->fresh, s->fresh_cap * sizeof *s->fresh);
  hc_free(a, s->dirty, s->dirty_cap * sizeof *s->dirty);
  hc_free(a, s->ended, s->ended_cap * sizeof *s->ended);
  hc_free(a, s->again, s->again_cap * sizeof *s->again);
  hc_map_fini(&s->of_job);
  hc_sampling_counts_fini(&s->counts);
}

hc_rc hc_sampling_finish(hc_sampling *s, hc_findings *f)
{
  return hc_sampling_counts_find(&s->counts, &s->o, f);
}

hc_rc hc_sampling_visit(hc_sampling *s, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, s->tasks, s->task_count, s->task_cap);
  HC_VISIT_ARRAY(v, s->batches, s->batch_count, s->batch_cap);
  HC_VISIT_ARRAY(v, s->entries, s->entry_count, s->entry_cap);
  HC_VISIT_ARRAY(v, s->mail, s->mail_count, s->mail_cap);
  TRY(hc_visit_bytes(v, s->host, s->hosts * sizeof *s->host));
  TRY(hc_visit_bytes(v, s->free_at, (size_t)s->o.schedulers * sizeof *s->free_at));
  HC_VISIT(v, s->vacant_batch);
  HC_VISIT(v, s->vacant_entry);
  HC_VISIT(v, s->turn);
  HC_VISIT(v, s->sent);
  HC_VISIT(v, s->armed);
  return hc_sampling_counts_visit(&s->counts, v);
}
