/* slurm.c -- Slurm's own scheduling: the main scheduler and the backfill of slurmctld, on its clocks.
 *
 * What there is to know lies in policy/slurm/: what is configured (settings), when passes come (clock), what
 * is known of jobs and nodes (books), and the two schedulers (main_pass, backfill) with the choice of nodes
 * (nodes) and the plan of the backfill (space). Here is how the engine's calls reach them.
 *
 * Nothing happens at an arrival or an end but that a pass is asked for, unless an epilog ends jobs; the
 * policy wakes itself when the next pass or cycle is due. Source: Slurm 22.05 (docs/slurm.md). */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/scheduler.h"
#include "policy/slurm/shares.h"
#include "policy/slurm/slices.h"

typedef struct options {
  const char *conf, *parameters, *log, *zone;
  hc_time tick, tick_at, backfill_at, full_at, per_job, completes, killed;
  hc_time period_at, limits_at, slices_at;
  hc_list accounting, lines, commands, reservations; /* const char * */
  int epilog, plans;
} options;

enum { EPILOG_CONF, EPILOG_NONE, EPILOG_PRESENT };
enum { PLANS_ALL, PLANS_NEEDED };

struct hc_policy {
  hc_slurm m;
  hc_slurm_accounting accounting;
  const hc_lexicon *lexicon;
  hc_slurm_moments log;
  hc_names noted;
  hc_buffer priority_note; /* what of Priority... plays no part */
  hc_time per_job;         /* that the backfill tries */
  hc_time slices_at, slice;
  struct {
    hc_time woken;  /* the wake that is under way; HC_NEVER: none */
    int64_t ranked; /* priorities are those of the last period */
    /* since the last task or host changed: a pass over all has started nothing, a cycle has */
    int64_t passed, cycled;
    int64_t seen;    /* when a pass last went over all, s */
    int64_t ended;   /* a job has ended whose epilog runs the main scheduler */
    int64_t heard;   /* of a task or a host, s */
    int64_t begun;   /* reservations have begun and ended up to then, s; 0: none was looked at */
    hc_time sliced;  /* when a slice last began; HC_UNKNOWN: none has */
    int64_t put_off; /* hc_slurm_put_off */
  } s;
};

static hc_rc read_conf(hc_policy *self, const options *o, hc_conf *conf, hc_error *e)
{
  hc_slurm_settings *s = &self->m.settings;
  hc_slurm_settings_default(s);
  if (o->conf) {
    TRY(hc_conf_read(self->m.allocator, o->conf, conf, e));
    TRY(hc_conf_lay(self->m.allocator, conf, o->lines.items, o->lines.count, "policy.lines", e));
    TRY(hc_slurm_settings_conf(s, conf, &self->noted, e));
  } else if (o->lines.count > 0) {
    return hc_fail(e, HC_EUSAGE, "policy.lines", 0, 0,
                   "lines are laid over a slurm.conf: say which with policy.conf");
  }
  if (o->parameters)
    TRY(hc_slurm_settings_parameters(s, o->parameters, HC_EUSAGE, "policy slurm", 0, &self->noted, e));
  if (o->epilog != EPILOG_CONF) s->has_epilog = o->epilog == EPILOG_PRESENT;
  return 0;
}

/* Without files all jobs are of no association, and priorities by multifactor know nothing of shares. */
static hc_rc open_accounting(hc_policy *self, const hc_policy_context *c, const options *o,
                             const hc_conf *conf, hc_error *e)
{
  hc_slurm_accounting *a = &self->accounting;
  hc_slurm_books *b = &self->m.books;
  const hc_slurm_accounting_files files = {&o->accounting, &o->commands};
  TRY(hc_slurm_accounting_init(a, c, conf, &files, b->nodes.count, b->partition_count, e));
  a->period = o->period_at;
  for (size_t i = 0; i < a->assocs.qos_count && self->m.settings.preempt.type == HC_SLURM_PREEMPT_QOS; i++) {
    const hc_slurm_qos *q = &a->assocs.qos[i];
    if (q->mode == HC_SLURM_MODE_SUSPEND && !self->m.settings.preempt.gang)
      return hc_fail(
          e, HC_EINPUT, q->named.file, q->named.line, q->named.column,
          "QOS %.60s: PreemptMode=SUSPEND lets jobs have the same cores at the same time without the "
          "gang scheduler: say PreemptMode=SUSPEND,GANG in the slurm.conf",
          q->name);
  }
  if (conf) hc_slurm_priority_note(&a->priority, conf, &self->priority_note);
  for (size_t i = 0; i < b->partition_count; i++)
    hc_slurm_accounting_part(a, i, b->partitions[i].factor, b->partitions[i].nodes, c->cell);
  if (o->accounting.count + o->commands.count > 0 || hc_slurm_accounting_ranks(a)) b->accounting = a;
  return 0;
}

static hc_rc open_reservations(hc_policy *self, const hc_policy_context *c, const options *o, hc_error *e)
{
  hc_slurm_books *b = &self->m.books;
  const hc_slurm_reserving how = {
      .context = c, .words = b->words, .partition = hc_slurm_books_partition, .ctx = b};
  const hc_rc rc = hc_slurm_reservations_init(&b->reservations, &how, &o->reservations, o->zone, e);
  b->reservations.over_run = self->m.settings.resv_over_run;
  return rc;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self;
  hc_conf conf = {0};
  hc_rc rc;
  if (!c->cell || c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "policy", 0, 0,
                   "the policy slurm chooses nodes, and this cell counts processors: say `cell: {use: slurm, "
                   "file: slurm.conf}` or `cell: {use: hosts, classes: [{count: 128, cpus: 16}]}`");
  self = *out = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->m.s = c->services;
  self->m.allocator = c->allocator;
  self->lexicon = c->lexicon;
  self->s.woken = HC_NEVER;
  self->s.ranked = 1;
  self->per_job = o->per_job;
  self->slices_at = o->slices_at;
  self->s.sliced = HC_UNKNOWN;
  self->m.defers = o->plans == PLANS_NEEDED;
  hc_names_init(&self->noted, c->allocator, UINT32_MAX);
  hc_buffer_init(&self->priority_note, c->allocator);
  rc = read_conf(self, o, &conf, e);
  self->slice = self->m.settings.time_slice * HC_SECOND;
  if (rc >= 0) rc = hc_slurm_books_init(&self->m.books, c, &self->m.settings, o->conf ? &conf : NULL, e);
  if (rc >= 0) rc = open_accounting(self, c, o, o->conf ? &conf : NULL, e);
  if (rc >= 0) rc = open_reservations(self, c, o, e);
  self->m.books.completes[0] = o->completes;
  self->m.books.completes[1] = o->killed;
  self->m.preempt.poll_at = o->limits_at;
  if (rc >= 0) rc = hc_slurm_prepare(&self->m);
  if (o->conf) hc_conf_close(&conf, c->allocator);
  if (rc >= 0 && o->log)
    rc = hc_slurm_moments_read(c->allocator, o->log, o->zone, self->m.books.origin, &self->log, e);
  hc_slurm_clock_init(&self->m.clock, self->m.books.origin, o->tick, o->tick_at, o->backfill_at, o->full_at);
  if (o->log) self->m.clock.log = &self->log;
  return rc;
}

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->m.allocator;
  hc_slurm_fini(&self->m);
  hc_slurm_accounting_fini(&self->accounting);
  hc_slurm_moments_close(&self->log, a);
  hc_names_fini(&self->noted);
  hc_buffer_fini(&self->priority_note);
  hc_free(a, self, sizeof *self);
}

/* ---- what is heard ---- */

/* Reservations that begin or end ask for a pass, and are a change for the backfill. */
static void go_on_reserved(hc_policy *self, hc_time now)
{
  hc_slurm *m = &self->m;
  hc_slurm_reservations *r = &m->books.reservations;
  const int64_t s = hc_slurm_second(&m->books, now);
  if (r->count == 0) return;
  if (self->s.begun == 0) self->s.begun = s;
  for (int64_t at; (at = hc_slurm_reservations_next(r, self->s.begun)) <= s;) {
    const hc_time then = (at - m->books.origin) * HC_SECOND;
    hc_slurm_clock_settle(&m->clock, &m->settings, then);
    hc_slurm_clock_change(&m->clock, then, true);
    hc_slurm_reservations_go_on(r, at);
    self->s.begun = at;
    self->s.passed = self->s.cycled = 0;
  }
  self->s.begun = s;
  hc_slurm_reservations_go_on(r, s);
}

/* Nodes of jobs that have ended come free, and the clocks go on, in the order of time. */
static void go_on(hc_policy *self, hc_time now)
{
  hc_slurm *m = &self->m;
  hc_time at;
  bool killed;
  while (hc_slurm_books_free(&m->books, now, &at, &killed)) {
    hc_slurm_clock_settle(&m->clock, &m->settings, at);
    hc_slurm_clock_change(&m->clock, at, true);
    self->s.passed = self->s.cycled = 0;
    if (at == now && (m->settings.has_epilog || killed) && !m->settings.defer && !m->clock.log)
      self->s.ended = 1;
  }
  go_on_reserved(self, now);
  hc_slurm_clock_settle(&m->clock, &m->settings, now);
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  hc_slurm *m = &self->m;
  const hc_time now = m->s->now(v);
  go_on(self, now);
  if (m->books.accounting && hc_slurm_accounting_go_on(m->books.accounting, now)) self->s.ranked = 0;
  self->s.passed = self->s.cycled = 0;
  self->s.heard = hc_slurm_second(&m->books, now);
  hc_slurm_clock_change(&m->clock, now, what == HC_TASK_EVENT_QUEUED);
  TRY(hc_slurm_books_hear(&m->books, v, what, t, amounts));
  if (m->books.has_polled && !m->clock.log) self->s.ended = 1;
  m->books.has_polled = false;
  return 0;
}

static hc_rc cell_changed(hc_policy *self, const hc_view *v)
{
  hc_slurm *m = &self->m;
  const hc_time now = m->s->now(v);
  hc_slurm_clock_settle(&m->clock, &m->settings, now);
  self->s.passed = self->s.cycled = 0;
  self->s.heard = hc_slurm_second(&m->books, now);
  hc_slurm_clock_change(&m->clock, now, true);
  return hc_slurm_books_capacity(&m->books, v);
}

/* ---- decisions ---- */

/* Nothing runs, and what is queued finds no nodes among all there are: time alone does not change that, but
 * for usage that decays and for jobs that were requeued. */
static bool is_stuck(const hc_policy *self, hc_time now)
{
  const hc_slurm *m = &self->m;
  const hc_slurm_reservations *r = &m->books.reservations;
  if (!hc_slurm_reservations_rest(r, self->s.seen, self->s.heard, hc_slurm_second(&m->books, now)))
    return false;
  return m->books.running_count == m->books.suspended_count && self->s.passed &&
         (self->s.cycled || m->settings.builtin) && !self->accounting.relents &&
         m->books.latest_begin <= self->s.seen;
}

/* When the next slice begins, behind now. */
static hc_time next_slice(const hc_policy *self, hc_time now)
{
  const hc_time past = (now - self->slices_at) % self->slice;
  return hc_time_add(now, self->slice - (past < 0 ? past + self->slice : past));
}

/* What the gang scheduler waits for; HC_NEVER: nothing. */
static hc_time next_of_gang(const hc_policy *self, hc_time now)
{
  const hc_slurm_books *b = &self->m.books;
  const hc_slurm *m = &self->m;
  if (m->put_off || (b->slices.is_pending && m->starts > 0)) return now;
  const hc_time slice = hc_slurm_slices_matter(b) ? next_slice(self, now) : HC_NEVER;
  return b->suspended_count > 0 ? HC_MIN(slice, HC_MAX(hc_slurm_books_next_free(b), now + 1)) : slice;
}

static hc_rc wake_at(hc_policy *self, hc_time at, hc_plan *p)
{
  if (at == HC_NEVER || at == self->s.woken) return 0;
  self->s.woken = at;
  return self->m.s->wake(p, at);
}

static hc_rc wake(hc_policy *self, const hc_view *v, hc_plan *p)
{
  hc_slurm *m = &self->m;
  const hc_time now = m->s->now(v), gang = next_of_gang(self, now);
  bool full;
  if (gang == now || m->s->queued(v) == 0 || is_stuck(self, now)) return wake_at(self, gang, p);
  const hc_time main = hc_slurm_clock_main(&m->clock, &m->settings, now + 1, &full);
  const hc_time fill = hc_slurm_clock_backfill(&m->clock, &m->settings, now + 1);
  const hc_time freed = HC_MAX(hc_slurm_books_next_free(&m->books), now + 1);
  const int64_t reserved =
      hc_slurm_reservations_next(&m->books.reservations, hc_slurm_second(&m->books, now));
  const hc_time begins = reserved == INT64_MAX ? HC_NEVER : (reserved - m->books.origin) * HC_SECOND;
  return wake_at(self, HC_MIN(HC_MIN(HC_MIN(HC_MIN(main, fill), begins), freed), gang), p);
}

/* Slices begin, and suspended jobs go on before any other job gets at their nodes. */
static hc_rc take_turns(hc_policy *self, const hc_view *v, hc_plan *p)
{
  hc_slurm *m = &self->m;
  const hc_time now = m->s->now(v);
  const bool is_over = (now - self->slices_at) % self->slice == 0 && self->s.sliced != now;
  if (is_over && hc_slurm_slices_matter(&m->books)) hc_slurm_slices_turn(&m->books);
  if (is_over) self->s.sliced = now;
  const hc_rc rc = hc_slurm_slices_apply(m, v, p);
  if (rc > 0) hc_slurm_clock_change(&m->clock, now, true);
  return HC_MIN(rc, 0);
}

/* What the last decision of this time put off. */
static hc_rc catch_up(hc_policy *self, hc_view *v, hc_plan *p)
{
  const int64_t put_off = self->s.put_off;
  self->s.put_off = 0;
  if (put_off & (HC_SLURM_PUT_OFF_FRONT | HC_SLURM_PUT_OFF_FULL))
    TRY(hc_slurm_main_pass(&self->m, v, p, (put_off & HC_SLURM_PUT_OFF_FULL) != 0));
  return (put_off & HC_SLURM_PUT_OFF_CYCLE) && !self->m.put_off ? hc_slurm_backfill(&self->m, v, p) : 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_slurm *m = &self->m;
  const hc_time now = m->s->now(v);
  bool full;
  go_on(self, now);
  if (m->books.accounting && hc_slurm_accounting_go_on(m->books.accounting, now)) self->s.ranked = 0;
  if (m->books.accounting && hc_slurm_accounting_ranks(m->books.accounting) && !self->s.ranked) {
    hc_slurm_books_rank(&m->books, v, m->books.accounting->period - m->books.accounting->priority.period);
    hc_slurm_clock_change(&m->clock, now, false);
    self->s.ranked = 1;
  }
  if (self->s.woken <= now) self->s.woken = HC_NEVER;
  m->starts = 0;
  m->put_off = 0;
  TRY(take_turns(self, v, p));
  TRY(catch_up(self, v, p));
  if (why->bits & HC_WHY_CELL) hc_slurm_books_look(&m->books, v);
  if (self->s.ended) TRY(hc_slurm_main_pass(m, v, p, false));
  self->s.ended = 0;
  if (hc_slurm_clock_main(&m->clock, &m->settings, now, &full) == now) {
    hc_slurm_clock_ran(&m->clock, now, full);
    if (full || m->settings.sched_interval < 0) self->accounting.relents = 0;
    TRY(hc_slurm_main_pass(m, v, p, full));
    self->s.passed |= full || m->settings.sched_interval < 0;
    if (self->s.passed) self->s.seen = hc_slurm_second(&m->books, now);
  }
  if (hc_slurm_clock_backfill(&m->clock, &m->settings, now) == now) {
    const int64_t tried = m->counts.backfill_tried;
    TRY(hc_slurm_backfill(m, v, p));
    hc_slurm_clock_filled(&m->clock, &m->settings, now, (m->counts.backfill_tried - tried) * self->per_job);
    self->s.cycled = 1;
  }
  self->s.put_off |= m->put_off;
  return wake(self, v, p);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  HC_VISIT(v, self->m.clock.s);
  HC_VISIT(v, self->m.counts);
  if (self->m.books.accounting) TRY(hc_slurm_accounting_visit(self->m.books.accounting, v));
  return hc_slurm_books_visit(&self->m.books, v);
}

static const char *before(const hc_buffer *out, size_t begin)
{
  return out->size > begin ? "; " : "";
}

static hc_rc note(const hc_policy *self, hc_buffer *out)
{
  const hc_slurm_books *b = &self->m.books;
  const size_t begin = out->size;
  hc_buffer accounts;
  hc_buffer_init(&accounts, self->m.allocator);
  if (b->accounting) hc_slurm_assocs_note(&b->accounting->assocs, &accounts);
  if (self->m.counts.refused > 0)
    hc_buffer_printf(
        out,
        "its books allowed %lld starts that the cell refused: what a task says of zones and of other "
        "tasks (same, differ, rivals), Slurm does not know",
        (long long)self->m.counts.refused);
  if (self->m.settings.has_tree && !b->nodes.tree)
    hc_buffer_printf(out,
                     "%sTopologyPlugin=topology/tree, and the cell has no switches: nodes lie in a row until "
                     "its topology_file says otherwise",
                     before(out, begin));
  for (size_t i = 0; i < self->noted.count; i++)
    hc_buffer_printf(out, "%s%s%.60s", i > 0 ? ", " : before(out, begin),
                     i > 0 ? "" : "not modelled of slurm.conf: ", self->noted.names[i]);
  size_t shared = 0;
  for (uint32_t h = 0; b->times && h < b->nodes.count; h++) shared += b->times[h] > 1;
  if (shared > 0)
    hc_buffer_printf(
        out,
        "OverSubscribe without PreemptMode=GANG lets jobs run on the same cores at once: %zu node%s "
        "with as many times their cores as jobs may have one, and nothing slows jobs that share them "
        "but a model of `execution`",
        shared, shared == 1 ? " counts" : "s count");
  if (self->priority_note.size > 0)
    hc_buffer_printf(out, "%s%s", before(out, begin), self->priority_note.data);
  if (b->bounded > 0)
    hc_buffer_printf(out,
                     "%s%llu jobs bound the switches of their nodes (--switches), and without topology/tree "
                     "there are none",
                     before(out, begin), (unsigned long long)b->bounded);
  hc_buffer reserved;
  hc_buffer_init(&reserved, self->m.allocator);
  hc_slurm_reservations_note(&b->reservations, &reserved);
  if (reserved.size > 0) hc_buffer_printf(out, "%s%s", before(out, begin), reserved.data);
  const bool is_lost = reserved.failed;
  hc_buffer_fini(&reserved);
  if (accounts.size > 0) hc_buffer_printf(out, "%s%s", before(out, begin), accounts.data);
  const bool failed = is_lost || out->failed || accounts.failed || self->priority_note.failed;
  hc_buffer_fini(&accounts);
  return failed ? HC_ENOMEM : 0;
}

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  const hc_slurm_counts *n = &self->m.counts;
  TRY(hc_find_count(f, "main_passes", "1", n->passes));
  TRY(hc_find_count(f, "main_tried", "jobs", n->main_tried));
  TRY(hc_find_count(f, "main_started", "jobs", n->main_started));
  TRY(hc_find_count(f, "backfill_cycles", "1", n->cycles));
  TRY(hc_find_count(f, "backfill_tried", "jobs", n->backfill_tried));
  if (!self->m.defers) TRY(hc_find_count(f, "backfill_planned", "jobs", n->planned));
  TRY(hc_find_count(f, "backfill_started", "jobs", n->backfill_started));
  TRY(hc_find_count(f, "backfill_deepest", "jobs", n->deepest));
  TRY(hc_slurm_reservations_tell(&self->m.books.reservations, self->m.books.origin, f));
  TRY(hc_slurm_books_tell_guests(&self->m.books, f));
  if (self->m.settings.preempt.type == HC_SLURM_PREEMPT_NONE && !self->m.settings.preempt.gang) return 0;
  TRY(hc_find_count(f, "slurm_preempted", "jobs", n->preempted));
  TRY(hc_find_count(f, "slurm_preempted_requeued", "jobs", n->preempted_requeued));
  TRY(hc_find_count(f, "slurm_preempted_told", "jobs", n->preempted_told));
  return hc_find_count(f, "slurm_suspended", "jobs", n->suspended);
}

static const char *const figures[] = {
    "main_passes|1|none|passes of the main scheduler over a queue that was not empty",
    "main_tried|jobs|none|jobs for which the main scheduler looked for nodes, each time counted",
    "main_started|jobs|none|jobs that the main scheduler started",
    "backfill_cycles|1|none|cycles of the backfill over a queue that was not empty",
    "backfill_tried|jobs|none|jobs for which the backfill looked for nodes, each time counted",
    "backfill_planned|jobs|none|jobs for which the backfill planned nodes, each time counted (`plans: all`)",
    "backfill_started|jobs|none|jobs that the backfill started",
    "backfill_deepest|jobs|none|most jobs that one cycle of the backfill tried",
    "slurm_window.reservation|1|none|an occurrence of a reservation: the number of its name (`reserved_by`)",
    "slurm_window.start|s|none|when it begins",
    "slurm_window.end|s|none|when it ends",
    "slurm_window.known|s|none|time from which on it is the next occurrence: the end of the one before it",
    "slurm_window.over_run|s|none|for how long its jobs may go on after its end",
    "slurm_window.of|1|none|number of its reservation, in the order of the files",
    ("slurm_window.flags|1|none|sums of 1 MAINT, 2 OVERLAP, 4 FLEX, 8 ALL_NODES, 16 PART_NODES, 32 all users "
     "but those that it names, 64 all accounts but those that it names, 128 it does not say whose it is, 256 "
     "it recurs, 512 it names users, 1024 it names accounts"),
    "slurm_window_guests.of|1|none|number of a reservation, for a user or account of it",
    "slurm_window_guests.user|1|none|a user that it names",
    "slurm_window_guests.account|1|none|an account that it names, or an account below one that it names",
    "slurm_window_hosts.window|1|none|number of an occurrence, for a range of its hosts",
    "slurm_window_hosts.first|1|none|the first of the range",
    "slurm_window_hosts.count|hosts|none|how many they are",
    "slurm_preempted|jobs|none|running jobs that were preempted, each time counted",
    "slurm_preempted_requeued|jobs|none|of these, jobs that wait again",
    "slurm_preempted_told|jobs|none|of these, jobs that were given a GraceTime",
    "slurm_suspended|jobs|none|running jobs that were suspended, each time counted",
    NULL};

/* What the slurm.conf says of preemption. One that cannot be read says nothing: the birth says why. */
static hc_slurm_preemption preemption_of(const options *o, const hc_allocator *a)
{
  hc_conf conf = {0};
  hc_slurm_preemption p = {0};
  hc_error e = {0};
  if (!o->conf) return p;
  hc_rc rc = hc_conf_read(a, o->conf, &conf, &e);
  if (rc >= 0) rc = hc_conf_lay(a, &conf, o->lines.items, o->lines.count, "policy.lines", &e);
  for (size_t i = 0; rc >= 0 && i < conf.count; i++)
    for (uint32_t k = 0; rc >= 0 && k < conf.lines[i].count; k++)
      rc = hc_slurm_preempt_take(&p, &conf.lines[i], &conf.lines[i].pairs[k], &e);
  hc_conf_close(&conf, a);
  return rc >= 0 ? p : (hc_slurm_preemption){0};
}

/* Before it is born: OverSubscribe without the gang scheduler. */
static hc_rc shares_cores(const void *opts, const hc_allocator *a, const hc_cell_spec *cell, uint32_t *times,
                          hc_error *e)
{
  const options *o = opts;
  hc_conf conf = {0};
  if (!o->conf || preemption_of(o, a).gang) return 0;
  hc_rc rc = hc_conf_read(a, o->conf, &conf, e);
  if (rc >= 0) rc = hc_conf_lay(a, &conf, o->lines.items, o->lines.count, "policy.lines", e);
  if (rc >= 0) rc = hc_slurm_shares_of(&conf, cell, a, times, e);
  hc_conf_close(&conf, a);
  return rc;
}

static uint32_t flags_of_files(const void *opts, const hc_allocator *a)
{
  const hc_slurm_preemption p = preemption_of(opts, a);
  const bool preempts = p.type != HC_SLURM_PREEMPT_NONE, suspends = p.gang;
  return (preempts ? HC_MAY_PREEMPT : 0u) | (suspends ? HC_SETS_RATES : 0u) | HC_NEEDS_ESTIMATE |
         HC_PLACES_HOSTS | HC_ASKS_JOBS | HC_TIME_DEPENDENT | HC_KEEPS_HOST_COUNTS | HC_GOES_BY_BOOKS |
         HC_CUTS_LIMITS | HC_KEEPS_TERMS;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, conf, NULL,
             "The cluster's slurm.conf: SchedulerType, SchedulerParameters, partitions' tiers and limits, "
             "KillWait, OverTimeLimit, Epilog. Default: Slurm's defaults."),
    HC_PARAM_AS(TEXT, "scheduler_parameters", options, parameters, NULL,
                "SchedulerParameters that replace those of `conf`, written as in slurm.conf: "
                "\"bf_interval=60,bf_window=2880\"."),
    HC_PARAM(TIME, options, tick, "s", "1.0033s", 1e-3, 3600,
             "Period of the main loop: a second, and the time of its own work."),
    HC_PARAM(TIME, options, tick_at, "s", "0", -1e9, 1e9,
             "Phase of the main loop: a time at which it runs, from the run's beginning, as a slurmctld.log "
             "shows it."),
    HC_PARAM(TIME, options, backfill_at, "s", "0", -1e9, 1e9,
             "Phase of the backfill: the time of its first cycle, as a slurmctld.log shows it."),
    HC_PARAM(TIME, options, full_at, "s", "0", -1e9, 1e9,
             "Time at which the main scheduler last looked at the whole queue before the run."),
    HC_PARAM(
        FILES, options, accounting, NULL,
        "Associations and QOS: dumps of `sacctmgr dump`, scripts of its commands, tables of `sacctmgr -P "
        "show qos`. Default: there are none."),
    HC_PARAM(TEXTS, options, lines, NULL,
             "Lines that replace lines of `conf`, as cell.lines do for the cell's file; both should be the "
             "same. SchedulerParameters= changes only the parameters that it names."),
    HC_PARAM_AS(TEXTS, "sacctmgr", options, commands, NULL,
                "Commands of sacctmgr that change what `accounting` says: \"modify account physics set "
                "fairshare=30\"."),
    HC_PARAM(TIME, options, period_at, "s", "0", -1e9, 1e9,
             "Phase of PriorityCalcPeriod: the first time at which usage and priorities are computed."),
    HC_PARAM(TIME, options, limits_at, "s", "0", -1e9, 1e9,
             "Phase of the check of time limits, which comes every 30 s: a job that was preempted with a "
             "GraceTime ends at such a check."),
    HC_PARAM(TIME, options, slices_at, "s", "0", -1e9, 1e9,
             "Phase of the gang scheduler: a time at which a slice begins; slices begin every "
             "SchedulerTimeSlice."),
    HC_PARAM(
        FILE, options, log, NULL,
        "A slurmctld.log of the same time (SlurmctldDebug=debug, DebugFlags=Backfill): passes and cycles "
        "run when it says that they did. Default: by their rules."),
    HC_PARAM(
        FILES, options, reservations, NULL,
        "Advance reservations: what `scontrol show reservation` prints, and tables of `sacctmgr -P show "
        "reservation format=name,start,end,nodenames,flags`. Default: none is known, and jobs that name one "
        "run as others do."),
    HC_PARAM(TEXT, options, zone, NULL,
             "Tz database name of the clock of `log` and of the dates of `reservations`. Default: UTC."),
    HC_PARAM(TIME, options, per_job, "s", "100us", 0, 10,
             "How long the backfill takes for a job that it tries: its next cycle begins that much later. "
             "Its decisions take no time."),
    HC_PARAM(TIME, options, completes, "s", "0", 0, 86400,
             "How long the nodes of a job stay taken once it has ended by itself."),
    HC_PARAM(TIME, options, killed, "s", "0.1s", 0, 86400,
             "How long the nodes of a job stay taken that its limit or its user ended, until its processes "
             "are gone: after that the main scheduler runs at once, as after an epilog."),
    HC_PARAM(CHOICE, options, epilog, "conf|none|present", "conf",
             "What the end of a job does. conf: as `conf` says (Epilog). none: it asks for a pass, which "
             "comes with the main loop's next look. present: the main scheduler runs at once."),
    HC_PARAM(
        CHOICE, options, plans, "all|needed", "needed",
        "For which jobs that do not start a cycle of the backfill plans nodes. needed: only for jobs on "
        "which another job's start may depend. all: for each job that Slurm plans for, so that the result "
        "says how many these were (backfill_planned); the same jobs start on the same nodes at the same "
        "times, and the run takes up to four times as long. Where a start is explained, limits of "
        "associations hold, or there are reservations, preemption or heterogeneous jobs, all are planned in "
        "any case."),
    {0}};

const hc_policy_type hc_policy_slurm = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .figures = figures, .name = "slurm",
         .summary = "Slurm's main scheduler and backfill, on their clocks, as slurm.conf configures them",
         .detail =
             "Jobs start in passes of the main scheduler (a second's tick, batch_sched_delay after the last "
             "pass; the whole queue every sched_interval) and in cycles of the backfill (every bf_interval, "
             "if anything has changed). The main scheduler starts jobs by PriorityTier, priority and "
             "submission until one does not fit, which blocks its partition and the nodes of it. The "
             "backfill plans the first bf_max_job_test jobs on whole nodes, in steps of bf_resolution up to "
             "bf_window, and starts what the plan lets start. Nodes are chosen in runs of consecutive ones, "
             "by weight and best fit, or those that are least loaded (LLN). A job has its nodes for itself "
             "(OverSubscribe=EXCLUSIVE, `exclusive: true`) or for its user (ExclusiveUser, `exclusive: "
             "user`), waits for the number of switches that it asks for as long as it says, and starts "
             "together with the other components of its heterogeneous job. With PreemptMode=GANG jobs that "
             "have the same cores (OverSubscribe=FORCE, YES) take turns. Priorities are those of "
             "priority/basic or priority/multifactor, with fair tree; limits of associations and QOS hold "
             "where AccountingStorageEnforce says so. `reservations` are kept: a job that names one is in it "
             "and ends with it, others are kept from its nodes. A job of several partitions starts in the "
             "first that has room, and the backfill may cut the time limit of a job down to its least limit "
             "(--time-min).",
         .source = "Slurm 22.05, https://slurm.schedmd.com/sched_config.html", .params = params,
         .options_size = sizeof(options)},
    .flags_of_files = flags_of_files,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
    .cell_changed = cell_changed,
    .finish = finish,
    .note = note,
    .shares_cores = shares_cores,
};
