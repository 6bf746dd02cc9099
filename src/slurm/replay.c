/* replay.c -- see replay.h. */
#include "slurm/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slurm_conf.h"
#include "base/util.h"

const char *const hc_replay_words[HC_REPLAY_STATES] = {"COMPLETED",     "FAILED", "TIMEOUT", "CANCELLED",
                                                       "OUT_OF_MEMORY", "OTHER",  "LOST"};

/* ---- jobs ---- */

static hc_replay_state state_of(const hc_task_spec *t)
{
  const hc_recorded r = hc_spec_recorded(t);
  if (r == HC_RECORDED_TIMEOUT) return HC_REPLAY_TIMEOUT;
  if (r == HC_RECORDED_OUT_OF_MEMORY) return HC_REPLAY_OUT_OF_MEMORY;
  switch (hc_recorded_status(r)) {
    case HC_STATUS_FAILED:
    case HC_STATUS_PARTIAL_FAILED: return HC_REPLAY_FAILED;
    case HC_STATUS_CANCELLED: return HC_REPLAY_CANCELLED;
    default: return HC_REPLAY_COMPLETED; /* also where the log does not say */
  }
}

static int64_t up_to(int64_t a, int64_t b)
{
  return a / b + (a % b > 0);
}

static int64_t minutes_of(hc_time t)
{
  return t == HC_UNKNOWN || t == HC_NEVER || t <= 0 ? 0 : up_to(t, HC_MINUTE);
}

/* Nodes and processors on each: as the log says, or as few nodes as will do, with equal parts. */
static bool give_size(const hc_task_spec *t, const hc_replay_machine *m, hc_replay_job *j)
{
  const int64_t procs = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
  if (t->hosts > 0) {
    j->nodes = t->hosts;
    if (t->need[HC_DIM_CPU] > 0) j->cpus = up_to(t->need[HC_DIM_CPU], 1000);
    else if (procs > 0) j->cpus = up_to(procs, j->nodes);
    else j->cpus = m->cpus;
  } else {
    if (procs <= 0) return false;
    j->nodes = up_to(procs, m->cpus);
    j->cpus = up_to(procs, j->nodes);
  }
  return true;
}

hc_time hc_replay_limit(const char *text)
{
  hc_time limit;
  return hc_conf_limit(text, &limit) && limit > 0 ? limit : HC_NEVER;
}

static void give_limit(const hc_task_spec *t, const hc_replay_machine *m, hc_replay_job *j)
{
  const hc_time limit = t->limit == HC_UNKNOWN ? HC_NEVER : t->limit;
  j->minutes = minutes_of(limit);
  if (j->state == HC_REPLAY_TIMEOUT) {
    /* One that was ended at another limit than its own, a partition's perhaps, is ended when it was. */
    if (j->minutes == 0 || j->run + 3 * HC_MINUTE < limit) j->minutes = HC_MAX(minutes_of(j->run), 1);
  } else if (j->minutes > 0 && j->run + m->margin > j->minutes * HC_MINUTE) {
    j->minutes = minutes_of(j->run + m->margin);
    j->was_raised = true;
  }
}

int hc_replay_make(const hc_task_spec *t, const hc_replay_machine *m, hc_replay_job *out, const char **why)
{
  hc_replay_job j = {.id = t->id, .submit = t->submit, .wait = t->wait, .run = t->run};
  j.state = state_of(t);
  j.user_number = t->user;
  j.cancel_at = HC_NEVER;
  j.late = HC_UNKNOWN;
  j.got = HC_REPLAY_LOST;
  j.given = HC_NEVER;
  j.got_submit = j.got_start = j.got_end = HC_UNKNOWN;
  *why = "without a time of submission";
  if (j.submit == HC_UNKNOWN) return 0;
  *why = "without a number of processors";
  if (!give_size(t, m, &j)) return 0;
  *why = "larger than the machine";
  if (j.nodes > m->nodes || j.cpus > m->cpus) return 0;
  j.ran =
      j.run != HC_UNKNOWN && (j.run > 0 || (t->flags & HC_SPEC_STARTED) || j.state == HC_REPLAY_COMPLETED);
  *why = "that did not run, without having been cancelled";
  if (!j.ran) {
    if (j.state != HC_REPLAY_CANCELLED) return 0;
    j.cancel_at = t->cancel_at != HC_UNKNOWN && t->cancel_at != HC_NEVER ? t->cancel_at
                  : j.wait != HC_UNKNOWN                                 ? j.submit + j.wait
                                                                         : j.submit;
    j.cancel_at = HC_MAX(j.cancel_at, j.submit);
    j.wait = HC_UNKNOWN;
    j.run = 0;
  }
  give_limit(t, m, &j);
  if (m->with_memory) {
    const int64_t mb = t->memory_asked > 0 ? up_to(t->memory_asked, 1 << 20)
                       : t->hosts > 0 && t->need[HC_DIM_MEMORY] > 0
                           ? up_to(up_to(t->need[HC_DIM_MEMORY], j.cpus), 1 << 20)
                           : 1;
    j.memory = HC_MAX(mb, 1);
  }
  *out = j;
  return 1;
}

void hc_replay_ask(const hc_replay_job *j, char name[64], hc_batch_job *out)
{
  static const hc_vend ends[HC_REPLAY_STATES] = {[HC_REPLAY_COMPLETED] = HC_VEND_COMPLETED,
                                                 [HC_REPLAY_FAILED] = HC_VEND_FAILED,
                                                 [HC_REPLAY_TIMEOUT] = HC_VEND_NEVER,
                                                 [HC_REPLAY_CANCELLED] = HC_VEND_CANCELLED,
                                                 [HC_REPLAY_OUT_OF_MEMORY] = HC_VEND_OUT_OF_MEMORY};
  const bool ends_itself = j->ran && j->state != HC_REPLAY_TIMEOUT;
  (void)snprintf(name, 64, HC_REPLAY_NAME "%" PRId64, j->id);
  *out = (hc_batch_job){.name = name,
                        .nodes = j->nodes,
                        .cpus = j->cpus,
                        .memory = j->memory,
                        .minutes = j->minutes,
                        .partition = j->partition,
                        .user = j->user,
                        .exclusive = j->exclusive,
                        .wish = {.run = ends_itself ? j->run : j->minutes * HC_MINUTE,
                                 .end = j->ran ? ends[j->state] : HC_VEND_NEVER,
                                 .exit = 1}};
}

/* ---- replaying ---- */

typedef struct replaying {
  const hc_allocator *a;
  hc_batch *b;
  hc_replay_job *jobs;
  size_t count, next, next_cancel; /* next: to be submitted; of `cancels` */
  size_t *cancels;                 /* [cancel_count] jobs that are cancelled from outside, by time */
  size_t cancel_count, open;
  const hc_replay_options *o;
  hc_replay_totals *t;
  hc_time begin,
      first;    /* the batch system's clock at the first submission; that submission's time in the log */
  hc_map by_id; /* job by its number */
  hc_error *e;
} replaying;

static hc_time log_now(replaying *r)
{
  return r->b->now(r->b) - r->begin + r->first;
}

static int by_cancel(const void *x, const void *y, const hc_replay_job *jobs)
{
  const size_t a = *(const size_t *)x, b = *(const size_t *)y;
  if (jobs[a].cancel_at != jobs[b].cancel_at) return jobs[a].cancel_at < jobs[b].cancel_at ? -1 : 1;
  return (a > b) - (a < b);
}

/* By a merge of halves: the order of the log is nearly theirs. */
static void sort_cancels(size_t *x, size_t *other, size_t n, const hc_replay_job *jobs)
{
  const size_t half = n / 2;
  size_t i = 0, j = half, k = 0;
  if (n < 2) return;
  sort_cancels(x, other, half, jobs);
  sort_cancels(x + half, other, n - half, jobs);
  while (i < half && j < n) other[k++] = by_cancel(&x[j], &x[i], jobs) < 0 ? x[j++] : x[i++];
  while (i < half) other[k++] = x[i++];
  while (j < n) other[k++] = x[j++];
  memcpy(x, other, n * sizeof *x);
}

static hc_rc find_cancels(replaying *r)
{
  size_t *other = hc_alloc(r->a, (r->count + 1) * sizeof *other);
  r->cancels = hc_alloc(r->a, (r->count + 1) * sizeof *r->cancels);
  if (other && r->cancels) {
    for (size_t i = 0; i < r->count; i++)
      if (r->jobs[i].cancel_at != HC_NEVER) r->cancels[r->cancel_count++] = i;
    sort_cancels(r->cancels, other, r->cancel_count, r->jobs);
  }
  hc_free(r->a, other, other ? (r->count + 1) * sizeof *other : 0);
  return other && r->cancels ? 0 : hc_fail(r->e, HC_ENOMEM, "replay", 0, 0, "out of memory");
}

static hc_rc submit(replaying *r, hc_replay_job *j)
{
  hc_batch_job asked;
  char name[64], said[200] = "";
  hc_rc rc;
  hc_replay_ask(j, name, &asked);
  rc = r->b->submit(r->b, &asked, j->batch_id, said, sizeof said, r->e);
  if (rc < 0) return rc;
  if (rc == 0) {
    r->t->submitted++;
    return 0;
  }
  j->batch_id[0] = '\0';
  if (r->t->refused++ == 0) (void)snprintf(r->t->refusal, sizeof r->t->refusal, "%s", said);
  return 0;
}

static hc_rc cancel(replaying *r, hc_replay_job *j)
{
  if (!j->batch_id[0]) return 0;
  r->t->cancelled++;
  return r->b->cancel(r->b, j->batch_id, r->e);
}

/* @return whether there is one; cancellations behind submissions of the same moment */
static bool next_event(const replaying *r, hc_time *at, bool *is_cancel)
{
  const hc_time s = r->next < r->count ? r->jobs[r->next].submit : HC_NEVER;
  const hc_time c =
      r->next_cancel < r->cancel_count ? r->jobs[r->cancels[r->next_cancel]].cancel_at : HC_NEVER;
  *is_cancel = c < s;
  *at = HC_MIN(s, c);
  return *at != HC_NEVER;
}

static hc_rc look(replaying *r)
{
  TRY(r->b->poll(r->b, &r->open, r->e));
  if (r->o->tick && !r->o->tick(r->o->ctx, r->t->submitted, r->t->submitted - r->open, log_now(r)))
    return hc_fail(
        r->e, HC_ECANCELLED, "replay", 0, 0,
        "interrupted; jobs that were submitted are still there: `hindcast slurm down` ends their cluster");
  return 0;
}

static hc_rc wait_until(replaying *r, hc_time until)
{
  while (log_now(r) < until) {
    r->b->wait(r->b, until - r->first + r->begin);
    if (log_now(r) < until) TRY(look(r));
  }
  return 0;
}

static hc_rc submit_all(replaying *r)
{
  hc_time at;
  bool is_cancel;
  while (next_event(r, &at, &is_cancel)) {
    TRY(wait_until(r, at));
    if (is_cancel) TRY(cancel(r, &r->jobs[r->cancels[r->next_cancel++]]));
    else TRY(submit(r, &r->jobs[r->next++]));
    if (r->next % 32 == 0) TRY(look(r));
  }
  return 0;
}

static hc_rc wait_for_ends(replaying *r)
{
  const hc_time last = log_now(r);
  TRY(look(r));
  while (r->open > 0) {
    if (r->o->give_up != HC_NEVER && log_now(r) - last > r->o->give_up) return 0;
    r->b->wait(r->b, HC_NEVER);
    TRY(look(r));
  }
  return 0;
}

/* ---- what became of them ---- */

static hc_replay_state state_word(const char *word)
{
  for (int i = 0; i < HC_REPLAY_OTHER; i++) {
    const size_t n = strlen(hc_replay_words[i]);
    if (strncmp(word, hc_replay_words[i], n) == 0 && (word[n] == '\0' || word[n] == ' '))
      return (hc_replay_state)i;
  }
  return HC_REPLAY_OTHER;
}

static hc_rc take(void *ctx, const hc_batch_record *x)
{
  replaying *r = ctx;
  const size_t n = strlen(HC_REPLAY_NAME);
  hc_replay_job *j;
  uint32_t at;
  int64_t id;
  if (!x->name || strncmp(x->name, HC_REPLAY_NAME, n) != 0 ||
      hc_parse_int(x->name + n, strlen(x->name + n), &id) < 0)
    return 0; /* another one's */
  at = hc_map_get(&r->by_id, (uint64_t)id);
  if (at == HC_MAP_NONE || strcmp(r->jobs[at].batch_id, x->id) != 0) return 0;
  j = &r->jobs[at];
  j->got = state_word(x->state);
  j->got_submit = x->submit;
  j->got_start = x->start;
  j->got_end = x->end;
  return 0;
}

static int by_size(const void *x, const void *y)
{
  const hc_time a = *(const hc_time *)x, b = *(const hc_time *)y;
  return (a > b) - (a < b);
}

/* The log's beginning on the batch system's clock: no job can have been submitted early, so the earliest of
 * those that the jobs say, each less its time in the log, is it. */
static void find_origin(replaying *r)
{
  r->t->origin = HC_UNKNOWN;
  for (size_t i = 0; i < r->count; i++) {
    const hc_replay_job *j = &r->jobs[i];
    const int64_t at =
        j->got_submit == HC_UNKNOWN ? HC_UNKNOWN : j->got_submit - hc_floor_div(j->submit, HC_SECOND);
    if (at != HC_UNKNOWN && (r->t->origin == HC_UNKNOWN || at < r->t->origin)) r->t->origin = at;
  }
}

static hc_rc count_all(replaying *r)
{
  hc_time *late = hc_alloc(r->a, (r->count + 1) * sizeof *late);
  size_t n = 0;
  if (!late) return hc_fail(r->e, HC_ENOMEM, "replay", 0, 0, "out of memory");
  find_origin(r);
  for (size_t i = 0; i < r->count; i++) {
    hc_replay_job *j = &r->jobs[i];
    if (j->got_submit != HC_UNKNOWN) {
      j->late = (j->got_submit - r->t->origin) * HC_SECOND - hc_floor_div(j->submit, HC_SECOND) * HC_SECOND;
      late[n++] = j->late;
    }
    r->t->states[j->state][j->got]++;
    r->t->equal += j->state == j->got;
  }
  qsort(late, n, sizeof *late, by_size);
  r->t->late_median = n ? late[n / 2] : 0;
  r->t->late_most = n ? late[n - 1] : 0;
  hc_free(r->a, late, (r->count + 1) * sizeof *late);
  return 0;
}

static hc_rc index_jobs(replaying *r)
{
  for (size_t i = 0; i < r->count; i++) {
    if (i > 0 && r->jobs[i].submit < r->jobs[i - 1].submit)
      return hc_fail(r->e, HC_EINPUT, "replay", 0, 0, "jobs are not in order of submission");
    if (hc_map_get(&r->by_id, (uint64_t)r->jobs[i].id) != HC_MAP_NONE)
      r->jobs[i].id = INT64_C(1) << 40 | (int64_t)i; /* a number that the log has twice: by its row instead */
    if (hc_map_set(&r->by_id, (uint64_t)r->jobs[i].id, (uint32_t)i) < 0)
      return hc_fail(r->e, HC_ENOMEM, "replay", 0, 0, "out of memory");
  }
  return 0;
}

hc_rc hc_replay_run(const hc_allocator *a, hc_batch *b, hc_replay_job *jobs, size_t count,
                    const hc_replay_options *o, hc_replay_totals *out, hc_error *e)
{
  replaying r = {.a = a, .b = b, .jobs = jobs, .count = count, .o = o, .t = out, .e = e};
  hc_rc rc;
  *out = (hc_replay_totals){0};
  hc_map_init(&r.by_id, a);
  rc = index_jobs(&r);
  if (rc >= 0) rc = find_cancels(&r);
  r.begin = b->now(b);
  r.first = count ? jobs[0].submit : 0;
  if (rc >= 0) rc = submit_all(&r);
  if (rc >= 0) rc = wait_for_ends(&r);
  if (rc >= 0) rc = b->collect(b, take, &r, e);
  if (rc >= 0) rc = count_all(&r);
  hc_free(a, r.cancels, r.cancels ? (count + 1) * sizeof *r.cancels : 0);
  hc_map_fini(&r.by_id);
  return rc;
}

/* ---- as records ---- */

static void put_time(hc_buffer *out, int64_t t)
{
  if (t == HC_UNKNOWN) hc_buffer_text(out, "|Unknown");
  else hc_buffer_printf(out, "|%" PRId64, t);
}

void hc_replay_write(const hc_replay_job *jobs, size_t count, const hc_replay_totals *t, int64_t unix_origin,
                     bool replayed, hc_buffer *out)
{
  static const char *const sharing[] = {[HC_EXCLUSIVE_NOT] = "|OK",
                                        [HC_EXCLUSIVE_HOST] = "|NO",
                                        [HC_EXCLUSIVE_USER] = "|USER",
                                        [HC_EXCLUSIVE_NEVER] = "|YES"};
  bool is_said = false;
  for (size_t i = 0; i < count; i++) is_said |= jobs[i].exclusive != HC_EXCLUSIVE_NOT;
  hc_buffer_text(out,
                 "JobID|User|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|NNodes|NCPUS|ReqCPUS");
  hc_buffer_text(out, is_said ? "|OverSubscribe\n" : "\n");
  for (size_t i = 0; i < count; i++) {
    const hc_replay_job *j = &jobs[i];
    const int64_t shift = unix_origin - (t->origin == HC_UNKNOWN ? 0 : t->origin);
    int64_t submit = unix_origin + hc_floor_div(j->submit, HC_SECOND), start = HC_UNKNOWN, end = HC_UNKNOWN;
    hc_replay_state state = j->state;
    if (replayed) {
      if (j->got == HC_REPLAY_LOST || j->got_submit == HC_UNKNOWN) continue;
      state = j->got;
      submit = j->got_submit + shift;
      if (j->got_start != HC_UNKNOWN) start = j->got_start + shift;
      if (j->got_end != HC_UNKNOWN) end = j->got_end + shift;
    } else if (!j->ran) {
      end = unix_origin + hc_floor_div(j->cancel_at, HC_SECOND);
    } else {
      /* A log that knows no waits has no schedule: the jobs are there, and have started at once. */
      start = submit + (j->wait == HC_UNKNOWN ? 0 : hc_floor_div(j->wait, HC_SECOND));
      end = start + hc_floor_div(j->run, HC_SECOND);
    }
    hc_buffer_printf(out, "%" PRId64 "|u%" PRId64 "|%s", j->id, j->user_number,
                     j->partition ? j->partition : "");
    put_time(out, submit);
    put_time(out, start);
    put_time(out, end);
    hc_buffer_printf(out, "|%" PRId64, start == HC_UNKNOWN || end == HC_UNKNOWN ? 0 : end - start);
    if (j->minutes > 0) hc_buffer_printf(out, "|%" PRId64, j->minutes);
    else if (j->given > 0 && j->given != HC_NEVER) hc_buffer_printf(out, "|%" PRId64, j->given / HC_MINUTE);
    else hc_buffer_text(out, "|UNLIMITED");
    hc_buffer_printf(out, "|%s|%" PRId64 "|%" PRId64 "|%" PRId64 "%s\n",
                     state == HC_REPLAY_OTHER ? "FAILED" : hc_replay_words[state], j->nodes,
                     j->nodes * j->cpus, j->nodes * j->cpus, is_said ? sharing[j->exclusive] : "");
  }
}
