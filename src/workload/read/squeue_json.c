/* squeue_json.c -- the jobs that wait and run now, as `squeue --json` and `scontrol show job --json` print
 * them.
 *
 * The list `jobs` of one object, of any of the versions since 21.08: numbers stand by themselves or, from
 * 23.02 on, as {set, infinite, number}; a state is a word or a list that begins with it. When it was asked
 * is `last_update`, which no run time says better. Source: https://slurm.schedmd.com/rest_api.html. Cost:
 * about 8 ns a byte. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "workload/slurm_json.h"
#include "workload/slurm_live.h"

typedef struct options {
  hc_slurm_live_options common;
} options;

struct hc_source {
  hc_slurm_live live; /* first */
};

typedef struct reading {
  hc_slurm_live *l;
  hc_json *json;
  hc_arena texts; /* of the job at hand */
} reading;

/* A job as it is looked at. */
typedef struct entry {
  hc_slurm_cells cells;
  hc_slurm_live_more more;
  int64_t job, array, task, het, offset; /* -1: not said */
  int64_t cpus, nodes, by_cpu, by_node, switches, switch_wait;
  const char *tasks; /* of a waiting array: "1-10%2" */
} entry;

/* Numbers first, then texts. */
enum {
  JOB,
  ARRAY,
  TASK,
  HET,
  OFFSET,
  CPUS,
  NODES,
  BY_CPU,
  BY_NODE,
  MOST,
  SWITCHES,
  SWITCH_WAIT,
  SUBMIT,
  ELIGIBLE,
  START,
  LIMIT,
  PRIORITY,
  LEAST_LIMIT,
  STATE,
  SHARED,
  TASKS,
  REASON,
  DEPENDENCY,
  TRES_NODE,
  REQUEUE,
  TEXTS
};
static const char *const known[] = {"job_id",
                                    "array_job_id",
                                    "array_task_id",
                                    "het_job_id",
                                    "het_job_offset",
                                    "cpus",
                                    "node_count",
                                    "memory_per_cpu",
                                    "memory_per_node",
                                    "array_max_tasks",
                                    "required_switches",
                                    "maximum_switch_wait_time",
                                    "submit_time",
                                    "eligible_time",
                                    "start_time",
                                    "time_limit",
                                    "priority",
                                    "time_minimum",
                                    "job_state",
                                    "shared",
                                    "array_task_string",
                                    "state_reason",
                                    "dependency",
                                    "tres_per_node",
                                    "requeue",
                                    "name",
                                    "user_name",
                                    "account",
                                    "group_name",
                                    "partition",
                                    "qos",
                                    "nodes",
                                    "tres_req_str",
                                    "tres_alloc_str",
                                    "resv_name",
                                    "submit_line"};
static const hc_slurm_column texts[] = {HC_SLURM_JOB_NAME,    HC_SLURM_USER,       HC_SLURM_ACCOUNT,
                                        HC_SLURM_GROUP,       HC_SLURM_PARTITION,  HC_SLURM_QOS,
                                        HC_SLURM_NODE_LIST,   HC_SLURM_REQ_TRES,   HC_SLURM_ALLOC_TRES,
                                        HC_SLURM_RESERVATION, HC_SLURM_SUBMIT_LINE};

static hc_rc no_memory(const reading *x, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, x->l->name, 0, 0, "out of memory for the queue");
}

/* ---- members ---- */

static hc_rc take_text(reading *x, const hc_json_token *t, hc_slice *out, hc_error *e)
{
  *out = (hc_slice){0};
  if (t->kind != HC_JSON_STRING) return hc_json_skip(x->json, t, e);
  const char *copy = hc_arena_text(&x->texts, t->text, t->size);
  if (!copy) return no_memory(x, e);
  *out = (hc_slice){copy, t->size};
  return 0;
}

/* A word, or a list of words of which the first is the state itself; how it shares nodes. */
static hc_rc take_word(reading *x, entry *out, hc_slurm_column c, const hc_json_token *t, hc_error *e)
{
  hc_slice word = {0}, rest;
  hc_json_token item;
  hc_rc rc;
  if (t->kind != HC_JSON_ARRAY) TRY(take_text(x, t, &word, e));
  else {
    while ((rc = hc_json_next(x->json, &item, e)) == 1)
      TRY(take_text(x, &item, word.n == 0 ? &word : &rest, e));
    TRY(rc);
  }
  hc_slurm_say(&out->cells, c, word.s ? word.s : "", word.n);
  return 0;
}

static hc_rc take_number(reading *x, entry *out, size_t which, const hc_json_token *t, hc_error *e)
{
  static const hc_slurm_column columns[] = {HC_SLURM_SUBMIT,    HC_SLURM_ELIGIBLE, HC_SLURM_START,
                                            HC_SLURM_LIMIT_RAW, HC_SLURM_PRIORITY, HC_SLURM_LEAST_LIMIT};
  int64_t *const numbers[] = {&out->job,     &out->array,        &out->task,     &out->het,
                              &out->offset,  &out->cpus,         &out->nodes,    &out->by_cpu,
                              &out->by_node, &out->more.at_once, &out->switches, &out->switch_wait};
  int64_t n;
  bool infinite;
  TRY(hc_slurm_json_number(x->json, t, &n, &infinite, e));
  if (which < SUBMIT) {
    *numbers[which] = n;
    return 0;
  }
  const hc_slurm_column c = columns[which - SUBMIT];
  if ((which < LIMIT || which == LEAST_LIMIT) && n == 0) n = -1; /* not yet, or not asked for */
  hc_slurm_say_number(&out->cells, c, n);
  if (infinite && which == LIMIT) hc_slurm_say_word(&out->cells, HC_SLURM_LIMIT, "UNLIMITED");
  return 0;
}

static hc_rc take_member(reading *x, entry *out, size_t which, const hc_json_token *t, hc_error *e)
{
  hc_slice text;
  if (which >= HC_ARRAY_LEN(known)) return hc_json_skip(x->json, t, e);
  if (which < STATE) return take_number(x, out, which, t, e);
  if (which == STATE || which == SHARED)
    return take_word(x, out, which == STATE ? HC_SLURM_STATE : HC_SLURM_SHARING, t, e);
  if (which == REQUEUE && (t->kind == HC_JSON_TRUE || t->kind == HC_JSON_FALSE))
    hc_slurm_say_word(&out->cells, HC_SLURM_REQUEUE, t->kind == HC_JSON_TRUE ? "1" : "0");
  TRY(take_text(x, t, &text, e));
  if (text.n == 0) return 0;
  if (which == TASKS) out->tasks = text.s;
  else if (which == REASON) out->more.reason = text;
  else if (which == DEPENDENCY) out->more.dependency = text;
  else if (which == TRES_NODE && text.n > 5 && memcmp(text.s, "gres", 4) == 0)
    hc_slurm_say(&out->cells, HC_SLURM_GRES, text.s + 5, text.n - 5);
  else if (which >= TEXTS) hc_slurm_say(&out->cells, texts[which - TEXTS], text.s, text.n);
  return 0;
}

/* ---- a job ---- */

static int64_t bound_of(const char *tasks)
{
  const char *percent = strchr(tasks, '%');
  return percent ? hc_slurm_at_once((hc_slice){percent + 1, strlen(percent + 1)}) : 0;
}

static hc_slurm_id id_of(const entry *x)
{
  hc_slurm_id id = {.job = x->job, .task = -1, .component = -1};
  if (x->array > 0 && x->tasks)
    id = (hc_slurm_id){.job = x->array,
                       .task = -1,
                       .component = -1,
                       .list = {x->tasks, strcspn(x->tasks, "%")},
                       .at_once = bound_of(x->tasks)};
  else if (x->array > 0 && x->task >= 0)
    id = (hc_slurm_id){.job = x->array, .task = x->task, .component = -1};
  if (x->het > 0 && x->offset >= 0) id = (hc_slurm_id){.job = x->het, .task = -1, .component = x->offset};
  return id;
}

static hc_rc say_amounts(reading *x, entry *out, hc_error *e)
{
  hc_slurm_cells *c = &out->cells;
  const bool waits = hc_slurm_is(c->at[HC_SLURM_STATE], "PENDING");
  const int64_t memory = out->by_cpu > 0 ? out->by_cpu : out->by_node;
  if (out->cpus > 0) hc_slurm_say_number(c, waits ? HC_SLURM_REQ_CPUS : HC_SLURM_CPUS, out->cpus);
  if (out->nodes > 0) hc_slurm_say_number(c, waits ? HC_SLURM_REQ_NODES : HC_SLURM_NODES, out->nodes);
  if (memory <= 0) return 0;
  const char *text = hc_arena_printf(&x->texts, "%lldM%c", (long long)memory, out->by_cpu > 0 ? 'c' : 'n');
  if (!text) return no_memory(x, e);
  hc_slurm_say_word(c, HC_SLURM_REQ_MEM, text);
  return 0;
}

static hc_rc take_job(reading *x, const hc_json_token *begin, hc_error *e)
{
  entry out = {.job = -1,
               .array = -1,
               .task = -1,
               .het = -1,
               .offset = -1,
               .cpus = -1,
               .nodes = -1,
               .by_cpu = -1,
               .by_node = -1,
               .switch_wait = -1};
  const uint32_t line = begin->line, column = begin->column;
  hc_json_token t;
  size_t which;
  hc_rc rc = 0;
  hc_arena_reset(&x->texts);
  hc_slurm_cells_begin(&out.cells, "", 0);
  if (begin->kind != HC_JSON_OBJECT) TRY(hc_json_skip(x->json, begin, e));
  else
    while ((rc = hc_json_member(x->json, known, HC_ARRAY_LEN(known), &which, &t, e)) == 1)
      TRY(take_member(x, &out, which, &t, e));
  TRY(rc);
  if (out.job < 0) {
    return hc_slurm_live_malformed(x->l, NULL, line, column, e);
  }
  const hc_slurm_id id = id_of(&out);
  out.cells.id = &id;
  out.cells.unique = -1;
  TRY(say_amounts(x, &out, e));
  hc_slurm_say_switches(&out.cells, out.switches, out.switch_wait);
  return hc_slurm_live_take(x->l, &out.cells, &out.more, line, e);
}

/* ---- the file ---- */

static hc_rc take_jobs(reading *x, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(x->json, &t, e)) == 1) TRY(take_job(x, &t, e));
  return rc;
}

static hc_rc read_object(reading *x, hc_error *e)
{
  static const char *const members[] = {"jobs", "last_update"};
  hc_json_token t;
  size_t which;
  bool infinite, has_jobs = false;
  hc_rc rc = hc_json_next(x->json, &t, e);
  if (rc == 1 && t.kind == HC_JSON_OBJECT)
    while ((rc = hc_json_member(x->json, members, 2, &which, &t, e)) == 1) {
      if (which == 0 && t.kind == HC_JSON_ARRAY) {
        has_jobs = true;
        TRY(take_jobs(x, e));
      } else if (which == 1) {
        TRY(hc_slurm_json_number(x->json, &t, &x->l->asked, &infinite, e));
        if (x->l->asked <= 0) x->l->asked = HC_UNKNOWN;
      } else {
        TRY(hc_json_skip(x->json, &t, e));
      }
    }
  if (rc < 0 || has_jobs) return HC_MIN(rc, 0);
  return hc_fail(e, HC_EINPUT, x->l->name, 1, 1,
                 "there is no list \"jobs\" in this file: give what `squeue --json` printed");
}

static hc_rc read_all(hc_source *s, hc_error *e)
{
  reading x = {.l = &s->live};
  hc_arena_init(&x.texts, s->live.context->allocator);
  hc_rc rc = hc_json_open(s->live.context->allocator, s->live.o->file, &x.json, e);
  if (rc >= 0) rc = read_object(&x, e);
  hc_json_free(x.json);
  hc_arena_fini(&x.texts);
  return rc;
}

/* ---- the reader ---- */

static hc_rc squeue_json_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  return hc_slurm_live_open(c, "source squeue_json", given, sizeof **out, read_all,
                            "no entry of \"jobs\" is a job: each has job_id and job_state", out, e);
}

static void squeue_json_close(hc_source *s)
{
  hc_slurm_live_close(s, sizeof *s);
}

/* Accounting has neither of these members. */
static int squeue_json_recognise(const char *name, const char *head, size_t size)
{
  const size_t at = hc_head_begin(head, size);
  HC_UNUSED(name);
  if (at >= size || head[at] != '{' || !hc_head_holds(head, size, "\"jobs\"")) return 0;
  return hc_head_holds(head, size, "\"job_state\"") || hc_head_holds(head, size, "\"accrue_time\"") ? 98 : 0;
}

static const hc_param params[] = {
    HC_SLURM_LIVE_PARAMS(options, "Path of what `squeue --json` printed; - is standard input."),
    {.name = NULL},
};

const hc_reader_type hc_reader_squeue_json = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "squeue_json",
                  .summary = "the jobs that run and wait now, as squeue --json prints them",
                  .detail =
                      "The list `jobs`, of Slurm 21.08 and later, which `scontrol show job --json` prints "
                      "too. Running and pending jobs become tasks as for the reader scontrol_jobs, with "
                      "OverSubscribe as `shared`; the time of the listing is `last_update`.",
                  .source = "https://slurm.schedmd.com/rest_api.html", .params = params,
                  .options_size = sizeof(options)},
    .open = squeue_json_open,
    .next = hc_slurm_live_next,
    .info = hc_slurm_live_info,
    .refers = hc_slurm_live_refers,
    .visit = hc_slurm_live_visit,
    .close = squeue_json_close,
    .recognise = squeue_json_recognise,
};
