/* algorithm_hear.c -- the answer of an algorithm of ElastiSim, taken apart and checked:
 *
 *   {"code": 4293673985, "jobs": [{"id": 3, "assigned_node_ids": [0, 1], "assigned_num_gpus_per_node": 0,
 *     "kill_flag": false, "modified_runtime_args": false}]}
 *
 * A job that waits starts on the nodes that it is assigned; one that runs has them from its next scheduling
 * point on, and they are kept for it until then. What ElastiSim would end with, or take and run two jobs on a
 * node, is an error; members that the protocol does not have are, too. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonline.h"
#include "base/text.h"
#include "base/util.h"
#include "remote/algorithm.h"

#define CODE_SCHEDULED INT64_C(0xFFEC4401)
#define SHOWN 160 /* bytes of what it says, in an error */

typedef struct span {
  const char *text; /* NULL: it is not there */
  size_t size;
} span;

/* What it says of a job. */
typedef struct saying {
  int64_t id, gpus; /* -1: nothing */
  bool kills, sets_arguments;
  span nodes, arguments, whole;
} saying;

/* ---- errors ---- */

static hc_rc wrong_answer(hc_policy *self, span answer, const char *what)
{
  char at[32];
  at[hc_format_seconds(self->s->now(self->with.view), at)] = '\0';
  return hc_fail(&self->with.error, HC_EPOLICY, HC_ALGORITHM_PLACE, 0, 0,
                 "at t=%s s its answer %s: \"%.*s%s\"", at, what, (int)HC_MIN(answer.size, (size_t)SHOWN),
                 answer.text, answer.size > SHOWN ? "..." : "");
}

hc_rc hc_algorithm_wrong(hc_policy *self, const hc_algorithm_job *j, hc_rc rc, const char *format, ...)
{
  char at[32], what[256];
  va_list args;
  at[hc_format_seconds(self->s->now(self->with.view), at)] = '\0';
  va_start(args, format);
  (void)vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return hc_fail(&self->with.error, rc, HC_ALGORITHM_PLACE, 0, 0, "at t=%s s it says %.*s%s: %s", at,
                 (int)HC_MIN(j->said_size, (size_t)SHOWN), j->said, j->said_size > SHOWN ? "..." : "", what);
}

/* ---- reading ---- */

static bool is_text(const hc_jsonline_token *t, const char *text)
{
  return !t->escaped && t->size == strlen(text) && memcmp(t->text, text, t->size) == 0;
}

static bool take_int(hc_jsonline *j, int64_t *out)
{
  const hc_jsonline_token t = hc_jsonline_next(j);
  return t.kind == HC_JSONLINE_NUMBER && hc_parse_int(t.text, t.size, out) == 0;
}

static bool take_bool(hc_jsonline *j, bool *out)
{
  const hc_jsonline_token t = hc_jsonline_next(j);
  *out = t.kind == HC_JSONLINE_TRUE;
  return *out || t.kind == HC_JSONLINE_FALSE;
}

static bool take_span(hc_jsonline *j, hc_jsonline_kind kind, span *out)
{
  const hc_jsonline_token t = hc_jsonline_next(j);
  out->text = t.text;
  if (t.kind != kind || !hc_jsonline_skip(j, t)) return false;
  out->size = (size_t)(j->at - t.text);
  return true;
}

/* @return NULL, or what is wrong */
static const char *take_member(hc_jsonline *j, const hc_jsonline_token *key, saying *s)
{
  if (is_text(key, "id")) return take_int(j, &s->id) ? NULL : "has an `id` that is no number of a job";
  if (is_text(key, "assigned_node_ids"))
    return take_span(j, HC_JSONLINE_ARRAY, &s->nodes) ? NULL : "has `assigned_node_ids` that are no list";
  if (is_text(key, "assigned_num_gpus_per_node"))
    return take_int(j, &s->gpus) && s->gpus >= 0 ? NULL
                                                 : "has an `assigned_num_gpus_per_node` that is no number";
  if (is_text(key, "kill_flag"))
    return take_bool(j, &s->kills) ? NULL : "has a `kill_flag` that is neither true nor false";
  if (is_text(key, "modified_runtime_args"))
    return take_bool(j, &s->sets_arguments) ? NULL
                                            : "has a `modified_runtime_args` that is neither true nor false";
  if (is_text(key, "runtime_arguments"))
    return take_span(j, HC_JSONLINE_OBJECT, &s->arguments) ? NULL
                                                           : "has `runtime_arguments` that are no object";
  return "has a job with a member that the protocol does not have";
}

static const char *take_saying(hc_jsonline *j, saying *s)
{
  hc_jsonline_token t = hc_jsonline_next(j);
  s->whole.text = t.text;
  if (t.kind != HC_JSONLINE_OBJECT) return "has `jobs` with something that is no job";
  while ((t = hc_jsonline_next(j)).kind == HC_JSONLINE_KEY) {
    const char *what = take_member(j, &t, s);
    if (what) return what;
  }
  s->whole.size = (size_t)(j->at - s->whole.text);
  if (t.kind != HC_JSONLINE_END) return "is no JSON";
  if (s->id < 0) return "has a job without an `id`";
  if (!s->kills && !s->nodes.text) return "has a job without `assigned_node_ids`";
  return s->sets_arguments && !s->arguments.text ? "has modified arguments and no `runtime_arguments`" : NULL;
}

/* ---- one job ---- */

static bool runs(const hc_algorithm_job *j)
{
  return j->state == HC_JOB_RUNNING || j->state == HC_JOB_PENDING_RECONFIGURATION ||
         j->state == HC_JOB_IN_RECONFIGURATION;
}

/* A node that a running job is to have. */
static hc_rc check_node(hc_policy *self, uint32_t job, uint32_t node)
{
  const hc_algorithm_job *j = &self->jobs[job];
  const hc_algorithm_node *n = &self->nodes[node];
  if (n->job == job || !runs(j)) return 0;
  if (n->job != HC_NO_JOB)
    return hc_algorithm_wrong(self, j, HC_EPOLICY, "job %" PRId64 " runs on node %" PRIu32,
                              self->jobs[n->job].id, node);
  if (n->expected != HC_NO_JOB && n->expected != job)
    return hc_algorithm_wrong(self, j, HC_EPOLICY, "node %" PRIu32 " is kept for job %" PRId64, node,
                              self->jobs[n->expected].id);
  return n->is_away ? hc_algorithm_wrong(self, j, HC_EPOLICY, "node %" PRIu32 " takes no jobs now", node) : 0;
}

static hc_rc take_nodes(hc_policy *self, uint32_t job, span list)
{
  hc_algorithm_job *j = &self->jobs[job];
  int64_t number;
  hc_jsonline in;
  hc_jsonline_begin(&in, list.text, list.size);
  (void)hc_jsonline_next(&in);
  for (;;) {
    const hc_jsonline_token t = hc_jsonline_next(&in);
    if (t.kind == HC_JSONLINE_END) return 0;
    if (t.kind != HC_JSONLINE_NUMBER || hc_parse_int(t.text, t.size, &number) < 0 || number < 0 ||
        number >= (int64_t)self->node_count)
      return hc_algorithm_wrong(self, j, HC_EPOLICY, "it names a node that there is not");
    for (size_t i = 0; i < j->node_count; i++)
      if (j->nodes[i] == (uint32_t)number)
        return hc_algorithm_wrong(self, j, HC_EPOLICY, "it names node %" PRId64 " twice", number);
    TRY(check_node(self, job, (uint32_t)number));
    TRY(hc_algorithm_assign(self, job, (uint32_t)number));
  }
}

static hc_rc check_sizes(hc_policy *self, const hc_algorithm_job *j, const saying *s)
{
  if (j->node_count < j->least || j->node_count > j->most)
    return hc_algorithm_wrong(self, j, HC_EPOLICY, "that are %zu nodes, and it has %" PRIu32 " to %" PRIu32,
                              j->node_count, j->least, j->most);
  if (j->type == HC_JOB_RIGID || s->gpus == (int64_t)j->gpus) return 0;
  if (s->gpus < (int64_t)j->told.gpus_least || s->gpus > (int64_t)j->told.gpus_most)
    return hc_algorithm_wrong(self, j, HC_EPOLICY, "it has %" PRIu32 " to %" PRIu32 " GPUs of each node",
                              j->told.gpus_least, j->told.gpus_most);
  return hc_algorithm_wrong(
      self, j, HC_EUNSUPPORTED,
      "how many GPUs of each node a job has is settled when it is read: this one has %" PRIu32
      ", its most; give it as many for its least and its most",
      j->gpus);
}

static hc_rc take_arguments(hc_policy *self, hc_algorithm_job *j, const saying *s)
{
  if (!s->sets_arguments) return 0;
  if (!j->arguments) self->set_at_run_time++;
  j->arguments = hc_arena_text(&self->arena, s->arguments.text, s->arguments.size);
  return j->arguments ? 0 : HC_ENOMEM;
}

/* One that runs: from its next point on. */
static hc_rc settle(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  const bool is_settled = hc_algorithm_is_settled(self, job);
  const int state = is_settled ? HC_JOB_RUNNING : HC_JOB_PENDING_RECONFIGURATION;
  if (!is_settled && (j->type == HC_JOB_RIGID || j->type == HC_JOB_MOLDABLE))
    return hc_algorithm_wrong(self, j, HC_EPOLICY, "it runs, and is %s: its nodes stay the same",
                              j->type == HC_JOB_RIGID ? "rigid" : "moldable");
  if (state == j->state || (is_settled && j->state == HC_JOB_IN_RECONFIGURATION)) return 0;
  j->state = state;
  return hc_algorithm_touch(self, job);
}

static hc_rc take_job(hc_policy *self, const saying *s)
{
  hc_algorithm_job *j;
  if (s->id >= self->next_id) return wrong_answer(self, s->whole, "names a job that there is not");
  const uint32_t job = self->by_id[s->id];
  j = &self->jobs[job];
  j->said = s->whole.text;
  j->said_size = s->whole.size;
  if (j->is_answered)
    return hc_algorithm_wrong(self, j, HC_EPOLICY, "it has said something of that job before");
  if (j->state != HC_JOB_PENDING && !runs(j))
    return hc_algorithm_wrong(self, j, HC_EPOLICY, "that job is over");
  TRY(hc_reserve(self->allocator, (void **)&self->answered, &self->answered_cap, self->answered_count + 1,
                 sizeof *self->answered));
  self->answered[self->answered_count++] = job;
  j->is_answered = true;
  j->dies = s->kills;
  if (s->kills) return 0;
  hc_algorithm_unassign(self, job);
  TRY(take_nodes(self, job, s->nodes));
  TRY(check_sizes(self, j, s));
  TRY(take_arguments(self, j, s));
  j->starts = j->state == HC_JOB_PENDING;
  return j->starts ? 0 : settle(self, job);
}

/* ---- an answer ---- */

static hc_rc take_jobs(hc_policy *self, span list, span answer)
{
  hc_jsonline in;
  hc_jsonline_begin(&in, list.text, list.size);
  (void)hc_jsonline_next(&in);
  for (;;) {
    hc_jsonline ahead = in;
    saying s = {.id = -1, .gpus = -1};
    if (hc_jsonline_next(&ahead).kind == HC_JSONLINE_END) return 0;
    const char *what = take_saying(&in, &s);
    if (what) return wrong_answer(self, answer, what);
    TRY(take_job(self, &s));
  }
}

hc_rc hc_algorithm_hear(hc_policy *self, const char *text, size_t size)
{
  const span answer = {text, size};
  span jobs = {0};
  int64_t code = -1;
  hc_jsonline in;
  hc_jsonline_token t;
  for (size_t i = 0; i < self->answered_count; i++) self->jobs[self->answered[i]].is_answered = false;
  self->answered_count = 0;
  hc_jsonline_begin(&in, text, size);
  if (hc_jsonline_next(&in).kind != HC_JSONLINE_OBJECT)
    return wrong_answer(self, answer, "is no object of JSON");
  while ((t = hc_jsonline_next(&in)).kind == HC_JSONLINE_KEY) {
    if (is_text(&t, "code") && !take_int(&in, &code))
      return wrong_answer(self, answer, "has a `code` that is none");
    else if (is_text(&t, "jobs") && !take_span(&in, HC_JSONLINE_ARRAY, &jobs))
      return wrong_answer(self, answer, "has `jobs` that are no list");
    else if (!is_text(&t, "code") && !is_text(&t, "jobs"))
      return wrong_answer(self, answer, "has a member that is neither `code` nor `jobs`");
  }
  if (t.kind != HC_JSONLINE_END || hc_jsonline_next(&in).kind != HC_JSONLINE_DONE)
    return wrong_answer(self, answer, "is no JSON");
  if (code != CODE_SCHEDULED)
    return wrong_answer(self, answer, "has not the `code` 4293673985, by which an invocation is answered");
  return jobs.text ? take_jobs(self, jobs, answer) : wrong_answer(self, answer, "has no `jobs`");
}
