/* users.c -- users who wait for their jobs: a closed loop around any source.
 *
 * A user has sessions; a session is a number of batches; a batch is a number of jobs that are submitted one
 * `spacing` after another, without waiting for each other. When the last of them has ended, the user thinks,
 * and submits the next batch; after the last batch of a session, the user rests instead. A batch of one job
 * is interactive work. So a slow machine is asked for less, as a real one is. What jobs are, is taken row by
 * row from `from`; their own times of submission are not used, but for when a user of the log begins.
 *
 *   users: n   n users share the rows in the order in which they want them; the first submission comes after
 *              `start`.
 *   users: 0   the users of the rows: each has its own rows in their order, and begins when the first was
 *              submitted. At most `ahead` rows wait for their users; a user without a row among them is away
 *              until one comes.
 *
 * A job that did not complete may be submitted once more, as a task of its own, before the batch goes on:
 * after a time-out (its run time is above its limit) with a longer limit, after any other failure as it was.
 *
 * Never read ahead: a task is yielded when its submission is known, and that is when its predecessors have
 * ended. Draws are named by user and number of the draw. Cost: O(log ready), some 250 ns a task; memory: live
 * jobs, users, and `ahead` rows. Sources: Zakay & Feitelson 2014 (batches, think times and sessions),
 * doi:10.1109/MASCOTS.2014.15; Shmueli & Feitelson 2009, doi:10.1109/TPDS.2008.152 (feedback). */
#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/generated.h"
#include "workload/law.h"
#include "workload/spec.h"

#define WHERE "source users"
#define NONE UINT32_MAX
#define MOST_AT_ONCE 1e6 /* jobs of a batch, batches of a session */
#define USER_BITS 40     /* of an entity: which draw of the user */

enum { THINK, REST, START, SPACING, RETRY, JOBS, BATCHES, LAWS };

static const struct {
  const char *name;
  hc_law_unit unit;
} laws[LAWS] = {[THINK] = {"think", HC_LAW_TIME},       [REST] = {"rest", HC_LAW_TIME},
                [START] = {"start", HC_LAW_TIME},       [SPACING] = {"spacing", HC_LAW_TIME},
                [RETRY] = {"retry_after", HC_LAW_TIME}, [JOBS] = {"batch", HC_LAW_NUMBER},
                [BATCHES] = {"session", HC_LAW_NUMBER}};

typedef enum retries { RETRY_NEVER, RETRY_TIMEOUT, RETRY_FAILURE, RETRY_ANY } retries;

typedef struct options {
  hc_chosen from;
  int64_t users, ahead, tasks, attempts, stream;
  hc_time until, cap;
  const char *laws[LAWS];
  double factor;
  const char *user;
  bool one_job;
  int resubmit;
} options;

typedef struct person {
  int64_t user;
  uint64_t draws, left; /* draws made; batches left in the session */
  uint32_t open;        /* jobs of the batch that have not ended */
  uint32_t first, last; /* rows of their own that wait for them */
  uint32_t active;      /* is in a batch, or thinks of one */
} person;

/* A job on its way, or a row that waits for its user. */
typedef struct node {
  hc_task_spec spec;
  uint32_t next; /* of a user's rows, or of the free ones */
  uint32_t person, attempt, unused;
} node;

typedef struct ready_job {
  hc_time submit;
  int64_t id;
  uint64_t node;
} ready_job;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  const hc_reader_type *type;
  hc_source *from;
  hc_source_context inner; /* what `from` has of the context */
  hc_law law[LAWS];
  bool has[LAWS];
  hc_time until;
  int64_t first_user; /* of `users` */
  ready_job *ready;   /* heap, least first */
  size_t ready_count, ready_cap;
  node *nodes;
  size_t node_count, node_cap;
  person *people;
  size_t person_count, person_cap;
  hc_task_spec *rows; /* of the supply's last job, from s.row on */
  size_t row_count, row_cap;
  hc_map by_id, by_user;
  hc_task_spec task; /* the one at hand */
  struct {
    hc_time now; /* the latest end told of */
    uint64_t made, out, held, row;
    uint32_t free, begun, supply_ended, unused;
  } s;
};

/* ---- laws ---- */

static double draw(hc_source *s, uint32_t who, int law)
{
  person *p = &s->people[who];
  hc_draws d = hc_generated_draws(s->context, s->o->stream, (uint64_t)who << USER_BITS | p->draws++,
                                  HC_PURPOSE_SESSION);
  return hc_law_draw(&s->law[law], &d);
}

static hc_time draw_time(hc_source *s, uint32_t who, int law)
{
  const double seconds = s->has[law] ? draw(s, who, law) : 0.0;
  return hc_generated_time(HC_MAX(seconds, 0.0));
}

static uint64_t draw_number(hc_source *s, uint32_t who, int law)
{
  const double number = draw(s, who, law) + 0.5;
  return (uint64_t)HC_MAX(HC_MIN(number, MOST_AT_ONCE), 1.0);
}

/* ---- nodes ---- */

static hc_rc new_node(hc_source *s, const hc_task_spec *t, uint32_t who, uint32_t *out)
{
  uint32_t i = s->s.free;
  if (i != NONE) {
    s->s.free = s->nodes[i].next;
  } else {
    if (s->node_count >= NONE) return HC_ELIMIT;
    TRY(hc_reserve(s->context->allocator, (void **)&s->nodes, &s->node_cap, s->node_count + 1,
                   sizeof *s->nodes));
    i = (uint32_t)s->node_count++;
  }
  s->nodes[i] = (node){.spec = *t, .next = NONE, .person = who};
  *out = i;
  return 0;
}

static void free_node(hc_source *s, uint32_t i)
{
  s->nodes[i].next = s->s.free;
  s->s.free = i;
}

/* ---- the heap of those whose time is known ---- */

HC_HEAP(ready, ready_job, a->submit != b->submit ? a->submit < b->submit : a->id < b->id)

static hc_rc push_ready(hc_source *s, ready_job r)
{
  TRY(hc_reserve(s->context->allocator, (void **)&s->ready, &s->ready_cap, s->ready_count + 1, sizeof r));
  ready_rise(s->ready, s->ready_count++, r);
  return 0;
}

static uint32_t pop_ready(hc_source *s)
{
  return (uint32_t)ready_pop(s->ready, &s->ready_count).node;
}

/* ---- the supply ---- */

/* The next row of the supply. @return 1, 0 at its end, or an error. */
static hc_rc supply(hc_source *s, hc_task_spec *out, hc_error *e)
{
  while (s->s.row == s->row_count) {
    hc_job job;
    if (s->s.supply_ended) return 0;
    const hc_rc rc = s->type->next(s->from, &job, e);
    if (rc < 0) return rc;
    if (rc == 2)
      return hc_fail(e, HC_EUNSUPPORTED, WHERE, 0, 0, "a closed loop cannot be inside another: follow none");
    if (rc == 0) {
      s->s.supply_ended = 1;
      return 0;
    }
    s->s.row = s->row_count = 0;
    TRY(hc_reserve(s->context->allocator, (void **)&s->rows, &s->row_cap, job.task_count, sizeof *s->rows));
    for (uint32_t i = 0; i < job.task_count; i++) {
      s->rows[i] = job.tasks[i];
      hc_spec_drop(s->context->lexicon, &s->rows[i]); /* what it waits for is the user's business */
    }
    s->row_count = job.task_count;
  }
  *out = s->rows[s->s.row++];
  return 1;
}

static hc_rc new_person(hc_source *s, int64_t user, uint32_t *out)
{
  if (s->person_count >= (size_t)1 << 24) return HC_ELIMIT;
  TRY(hc_reserve(s->context->allocator, (void **)&s->people, &s->person_cap, s->person_count + 1,
                 sizeof *s->people));
  *out = (uint32_t)s->person_count++;
  s->people[*out] = (person){.user = user, .first = NONE, .last = NONE};
  return 0;
}

/* The next row for a user. @return 1, 0 if there is none now. */
static hc_rc take_row(hc_source *s, uint32_t who, hc_task_spec *out, hc_error *e)
{
  person *p = &s->people[who];
  if (s->o->users > 0) return supply(s, out, e);
  if (p->first == NONE) return 0;
  const uint32_t i = p->first;
  p->first = s->nodes[i].next;
  if (p->first == NONE) p->last = NONE;
  *out = s->nodes[i].spec;
  free_node(s, i);
  s->s.held--;
  return 1;
}

/* ---- batches ---- */

static hc_rc submit(hc_source *s, uint32_t i, hc_time at)
{
  hc_task_spec *t = &s->nodes[i].spec;
  t->id = (int64_t)s->s.made + 1;
  t->submit = at;
  TRY(hc_map_set(&s->by_id, (uint64_t)t->id, i));
  TRY(push_ready(s, (ready_job){at, t->id, i}));
  s->s.made++;
  return 0;
}

static bool is_over(const hc_source *s, hc_time at)
{
  return at >= s->until || (s->o->tasks > 0 && s->s.made >= (uint64_t)s->o->tasks);
}

/* As many jobs as the batch has, as far as there are rows. Without any, the user is away. */
static hc_rc begin_batch(hc_source *s, uint32_t who, hc_time at, hc_error *e)
{
  const uint64_t jobs = s->has[JOBS] ? draw_number(s, who, JOBS) : 1;
  const int64_t first = (int64_t)s->s.made + 1;
  if (s->people[who].left == 0)
    s->people[who].left = s->has[BATCHES] ? draw_number(s, who, BATCHES) : UINT64_MAX;
  s->people[who].active = 0;
  for (uint64_t k = 0; k < jobs && !is_over(s, at); k++) {
    hc_task_spec t;
    uint32_t i;
    const hc_rc rc = take_row(s, who, &t, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
    t.user = s->people[who].user;
    t.preceding = -1;
    t.job = s->o->one_job ? first : -1;
    t.wait = t.think = t.not_before = HC_UNKNOWN;
    t.cancel_at = HC_NEVER;
    TRY(new_node(s, &t, who, &i));
    TRY(submit(s, i, at));
    s->people[who].open++;
    s->people[who].active = 1;
    if (s->has[SPACING]) at = hc_time_add(at, draw_time(s, who, SPACING));
  }
  return 0;
}

static hc_rc end_batch(hc_source *s, uint32_t who, hc_time end, hc_error *e)
{
  person *p = &s->people[who];
  if (p->left != UINT64_MAX) p->left--;
  return begin_batch(s, who, hc_time_add(end, draw_time(s, who, p->left > 0 ? THINK : REST)), e);
}

/* Rows for users of the log, up to `ahead` of them; who was away comes back with the first. */
static hc_rc fill(hc_source *s, hc_error *e)
{
  while (s->o->users == 0 && s->s.held < (uint64_t)s->o->ahead) {
    hc_task_spec t;
    uint32_t i;
    const hc_rc rc = supply(s, &t, e);
    if (rc <= 0) return rc;
    uint32_t who = hc_map_get(&s->by_user, (uint64_t)t.user);
    if (who == HC_MAP_NONE) {
      TRY(new_person(s, t.user, &who));
      TRY(hc_map_set(&s->by_user, (uint64_t)t.user, who));
    }
    TRY(new_node(s, &t, who, &i));
    person *p = &s->people[who];
    if (p->first == NONE) p->first = i;
    else s->nodes[p->last].next = i;
    p->last = i;
    s->s.held++;
    if (!p->active) TRY(begin_batch(s, who, HC_MAX(t.submit, s->s.now), e));
  }
  return 0;
}

static hc_rc begin(hc_source *s, hc_error *e)
{
  if (!s->s.begun) {
    s->s.begun = 1;
    for (int64_t i = 0; i < s->o->users; i++) {
      uint32_t who;
      TRY(new_person(s, s->first_user + i, &who));
      TRY(begin_batch(s, who, draw_time(s, who, s->has[START] ? START : THINK), e));
    }
  }
  return fill(s, e);
}

/* ---- the loop ---- */

static hc_rc users_next(hc_source *s, hc_job *job, hc_error *e)
{
  TRY(begin(s, e));
  if (s->ready_count == 0) return s->s.out > 0 ? 2 : 0;
  const uint32_t i = pop_ready(s);
  s->task = s->nodes[i].spec;
  s->s.out++;
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

/* Whether it is submitted once more, and with which limit. */
static bool tries_again(const hc_source *s, node *n, bool completed)
{
  const options *o = s->o;
  const bool timed_out = n->spec.limit > 0 && n->spec.run > n->spec.limit;
  if (completed || n->attempt + 1 >= (uint64_t)o->attempts) return false;
  if (!timed_out) return o->resubmit == RETRY_FAILURE || o->resubmit == RETRY_ANY;
  if (o->resubmit != RETRY_TIMEOUT && o->resubmit != RETRY_ANY) return false;
  if (o->cap != HC_UNKNOWN && n->spec.limit >= o->cap) return false; /* it had the longest limit */
  const hc_time longer = hc_generated_time((double)n->spec.limit / 1e9 * o->factor);
  n->spec.limit = o->cap == HC_UNKNOWN ? longer : HC_MIN(longer, o->cap);
  return true;
}

static hc_rc users_feedback(hc_source *s, const hc_feedback *f, hc_error *e)
{
  const uint32_t i = hc_map_get(&s->by_id, (uint64_t)f->id);
  const uint64_t before = s->s.made;
  if (i == HC_MAP_NONE) return 0;
  const bool ended = f->end != HC_UNKNOWN && f->end != HC_NEVER;
  const hc_time end = ended ? f->end : HC_MAX(s->nodes[i].spec.submit, s->s.now); /* left out: at once */
  const uint32_t who = s->nodes[i].person;
  hc_map_remove(&s->by_id, (uint64_t)f->id);
  s->s.out--;
  if (ended) s->s.now = HC_MAX(s->s.now, f->end);
  if (ended && tries_again(s, &s->nodes[i], f->completed)) {
    const hc_time at = hc_time_add(end, draw_time(s, who, RETRY));
    if (!is_over(s, at)) {
      s->nodes[i].attempt++;
      TRY(submit(s, i, at));
      return 1;
    }
  }
  free_node(s, i);
  if (--s->people[who].open == 0) TRY(end_batch(s, who, end, e));
  TRY(fill(s, e));
  const uint64_t released = s->s.made - before;
  return (hc_rc)HC_MIN(released, (uint64_t)INT32_MAX);
}

/* ---- the source ---- */

static void users_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  if (s->from) s->type->close(s->from);
  for (int i = 0; i < LAWS; i++) hc_law_fini(&s->law[i]);
  hc_free(a, s->ready, s->ready_cap * sizeof *s->ready);
  hc_free(a, s->nodes, s->node_cap * sizeof *s->nodes);
  hc_free(a, s->people, s->person_cap * sizeof *s->people);
  hc_free(a, s->rows, s->row_cap * sizeof *s->rows);
  hc_map_fini(&s->by_id);
  hc_map_fini(&s->by_user);
  hc_free(a, s, sizeof *s);
}

static hc_rc check(const options *o, hc_error *e)
{
  if (!o->from.type)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "nothing says what the users' jobs are: give any source, `from: {use: mixture, ...}`");
  if (o->laws[REST] && !o->laws[BATCHES])
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "users rest between sessions: say with `session` how long one is");
  if (o->user && o->users == 0)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "users of the log have names of their own: leave out user, or give users");
  if (o->laws[START] && o->users == 0)
    return hc_fail(
        e, HC_EUSAGE, WHERE, 0, 0,
        "users of the log begin when their first row was submitted: leave out start, or give users");
  return 0;
}

static hc_rc users_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  TRY(check(o, e));
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->inner = *c;
  s->type = (const hc_reader_type *)o->from.type;
  s->until = o->until == HC_UNKNOWN ? HC_GENERATED_END : HC_MIN(o->until, HC_GENERATED_END);
  s->s.free = NONE;
  hc_map_init(&s->by_id, c->allocator);
  hc_map_init(&s->by_user, c->allocator);
  for (int i = 0; i < LAWS; i++) {
    s->has[i] = o->laws[i] != NULL;
    if (s->has[i])
      TRY_OR(hc_law_read(&s->law[i], c->allocator, o->laws[i], laws[i].unit, WHERE, laws[i].name, e), fail);
  }
  s->first_user = 1;
  if (o->user) TRY_OR(hc_generated_user(c, o->user, &s->first_user), fail);
  TRY_OR(s->type->open(&s->inner, o->from.options, &s->from, e), fail);
  *out = s;
  return 0;
fail:
  users_close(s);
  return rc;
}

static const hc_trace_info *users_info(hc_source *s)
{
  return s->type->info(s->from);
}

/* A damaged snapshot must not lead outside the arrays. */
static bool is_sound(const hc_source *s)
{
  bool sound = s->s.row <= s->row_count && (s->s.free == NONE || s->s.free < s->node_count);
  for (size_t i = 0; i < s->node_count; i++)
    sound &= (s->nodes[i].next == NONE || s->nodes[i].next < s->node_count) &&
             s->nodes[i].person < s->person_count;
  for (size_t i = 0; i < s->person_count; i++)
    sound &= (s->people[i].first == NONE) == (s->people[i].last == NONE) &&
             (s->people[i].first == NONE ||
              (s->people[i].first < s->node_count && s->people[i].last < s->node_count));
  for (size_t i = 0; i < s->ready_count; i++) sound &= s->ready[i].node < s->node_count;
  return sound && hc_map_is_below(&s->by_id, s->node_count) && hc_map_is_below(&s->by_user, s->person_count);
}

static hc_rc users_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(s->type->visit(s->from, v, e));
  HC_VISIT(v, s->s);
  HC_VISIT_ARRAY(v, s->ready, s->ready_count, s->ready_cap);
  HC_VISIT_ARRAY(v, s->nodes, s->node_count, s->node_cap);
  HC_VISIT_ARRAY(v, s->people, s->person_count, s->person_cap);
  HC_VISIT_ARRAY(v, s->rows, s->row_count, s->row_cap);
  TRY(hc_map_visit(&s->by_id, v));
  TRY(hc_map_visit(&s->by_user, v));
  if (!hc_visit_loading(v) || is_sound(s)) return 0;
  return hc_fail(e, HC_EINPUT, WHERE, 0, 0, "the saved state is damaged: make it again");
}

#define OFFSET(member) .offset = offsetof(options, member)
#define LAW(which, word, unit_, value, text) \
  { \
    .name = word, .type = HC_TEXT, OFFSET(laws[which]), .unit = unit_, .fallback = value, .help = text \
  }

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, from, HC_KIND_READER, NULL,
             "The source of the jobs: any source, or the path of a log. Required."),
    HC_PARAM(INT, options, users, "users", "0", 0, 1e6,
             "Number of users, numbered from 1, who share the jobs. 0: the users of the source, each with "
             "their own jobs."),
    HC_PARAM(TEXT, options, user, NULL,
             "With `users`: name, or number, of the first user; further users have the next numbers. Several "
             "such sources need different names. Default: 1."),
    HC_PARAM(BOOL, options, one_job, "false",
             "Whether the tasks of a batch are one job, whose number is that of its first task."),
    LAW(THINK, "think", "s", "exponential(10m)", "Law of the time from the end of a batch to the next one."),
    LAW(JOBS, "batch", "jobs", NULL,
        "Law of the number of jobs of a batch, rounded, at least 1. Default: 1, so that each job is waited "
        "for."),
    LAW(SPACING, "spacing", "s", NULL,
        "Law of the time between two submissions of a batch. Default: all at once."),
    LAW(BATCHES, "session", "batches", NULL,
        "Law of the number of batches of a session. Default: one session without end."),
    LAW(REST, "rest", "s", NULL,
        "Law of the time from the end of a session's last batch to the next session. Default: 0."),
    LAW(START, "start", "s", NULL,
        "With `users`: law of the time of a user's first submission. Default: that of `think`."),
    HC_PARAM(CHOICE, options, resubmit, "never|timeout|failure|any", "never",
             "Which jobs that did not complete are submitted again. never: none. timeout: jobs that their "
             "limit ended. failure: all other jobs. any: both."),
    HC_PARAM(INT, options, attempts, "1", "3", 1, 1e6, "Greatest number of attempts of a job."),
    HC_PARAM(REAL, options, factor, "1", "2", 1, 1e6,
             "Factor of the limit after an attempt that its limit ended."),
    HC_PARAM(TIME, options, cap, "s", NULL, 1, 4e9,
             "Longest limit with which a job is submitted again; a job that this limit ended is given up. "
             "Default: no bound."),
    LAW(RETRY, "retry_after", "s", NULL,
        "Law of the time from the end of an attempt to the submission of the next one. Default: 0."),
    HC_PARAM(INT, options, tasks, "tasks", "0", 0, 1e15,
             "Number of tasks that are submitted, every attempt counted. 0: as long as there are jobs."),
    HC_GENERATED_UNTIL(options),
    HC_PARAM(INT, options, ahead, "rows", "16384", 1, 1e8,
             "Without `users`: number of rows of a log that may wait for their users."),
    HC_GENERATED_STREAM(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_users = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "users",
         .summary = "a closed loop: users who wait for their jobs, think, rest and try again",
         .detail = "A user submits a batch of jobs, waits until all have ended, thinks, and submits the next "
                   "batch; after `session` batches the user rests. submission(k + 1) = max over batch k of "
                   "its ends + think. With `batch: 300, one_job: true, think: 0` a user always has one job "
                   "of 300 tasks under way, like an operation of YTsaurus or a MapReduce job. With N users, "
                   "one job in a batch, exponential think times of mean Z and exponential run times of mean "
                   "S on one processor this is the machine-repairman queue: the share of time in which the "
                   "processor is idle is Erlang's B(N, Z / S). A job that did not complete may be submitted "
                   "again (`resubmit`) as another task, with limit' = min(factor x limit, cap) if its limit "
                   "ended it; each attempt is a row of the ledger. Jobs that the run leaves out, such as too "
                   "large ones, end at once. Dependencies and constraints of jobs are dropped. " HC_LAW_HELP,
         .source =
             "Zakay & Feitelson, Preserving user behavior characteristics in trace-based simulation of "
             "parallel job scheduling, MASCOTS 2014, doi:10.1109/MASCOTS.2014.15; Shmueli & Feitelson 2009, "
             "doi:10.1109/TPDS.2008.152",
         .params = params, .options_size = sizeof(options)},
    .open = users_open,
    .next = users_next,
    .feedback = users_feedback,
    .info = users_info,
    .visit = users_visit,
    .close = users_close,
};
