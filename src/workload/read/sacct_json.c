/* sacct_json.c -- Slurm's accounting records as `sacct --json` prints them, and slurmrestd's GET
 * /slurmdb/jobs.
 *
 * The list `jobs` of one object, of any of the versions since 21.08: numbers stand by themselves or, from
 * 23.02 on, as {set, infinite, number}; the state is a word or a list that begins with it; amounts are
 * entries {type, name, count} of tres. What they mean is what they mean in a row of sacct (slurm_row.c),
 * steps are passed over. A waiting array is one entry with a list of its tasks.
 *
 * Text is read token by token, so that memory does not grow with the file. Going back to a state reads the
 * file up to there. Source: https://slurm.schedmd.com/rest_api.html. Cost: about 8 ns a byte, 30 us a job
 * with steps. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/slurm_json.h"
#include "workload/slurm_log.h"

typedef struct options {
  hc_slurm_log_options common;
} options;

struct hc_source {
  hc_slurm_log log; /* first */
  hc_json *json;
  hc_arena texts; /* of the job at hand */
  uint64_t jobs;  /* entries taken, plain state */
};

/* An entry as it is looked at. */
typedef struct entry {
  hc_slurm_cells cells;
  int64_t job, array, task, het, offset; /* -1: not said */
  const char *tasks;                     /* of a waiting array: "1-10%2" */
} entry;

/* ---- values ---- */

static hc_rc say_number(hc_source *s, entry *x, const hc_json_token *t, hc_slurm_column c, hc_error *e)
{
  int64_t n;
  bool infinite;
  TRY(hc_slurm_json_number(s->json, t, &n, &infinite, e));
  hc_slurm_say_number(&x->cells, c, n);
  if (infinite) hc_slurm_say_word(&x->cells, c, "UNLIMITED");
  return 0;
}

static hc_rc take_number(hc_source *s, const hc_json_token *t, int64_t *out, hc_error *e)
{
  bool infinite;
  return hc_slurm_json_number(s->json, t, out, &infinite, e);
}

/* A text, unless one is there already. */
static hc_rc say_text(hc_source *s, entry *x, const hc_json_token *t, hc_slurm_column c, hc_error *e)
{
  if (t->kind != HC_JSON_STRING || t->size == 0 || x->cells.at[c].n > 0) return hc_json_skip(s->json, t, e);
  const char *copy = hc_arena_text(&s->texts, t->text, t->size);
  if (!copy) return HC_ENOMEM;
  hc_slurm_say(&x->cells, c, copy, t->size);
  return 0;
}

/* ---- parts of an entry ---- */

static hc_rc read_time(hc_source *s, entry *x, hc_error *e)
{
  static const char *const members[] = {"submission", "eligible", "start", "end",
                                        "elapsed",    "limit",    "total"};
  static const hc_slurm_column columns[] = {HC_SLURM_SUBMIT, HC_SLURM_ELIGIBLE,    HC_SLURM_START,
                                            HC_SLURM_END,    HC_SLURM_ELAPSED_RAW, HC_SLURM_LIMIT_RAW};
  static const char *const seconds[] = {"seconds"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 7, &which, &t, e)) == 1) {
    if (which < 6) TRY(say_number(s, x, &t, columns[which], e));
    else if (which == 6 && t.kind == HC_JSON_OBJECT) {
      while ((rc = hc_json_member(s->json, seconds, 1, &which, &t, e)) == 1)
        if (which == 0) TRY(say_number(s, x, &t, HC_SLURM_TOTAL_CPU, e));
        else TRY(hc_json_skip(s->json, &t, e));
      TRY(rc);
    } else TRY(hc_json_skip(s->json, &t, e));
  }
  return rc;
}

/* "current": the word, or a list of words of which the first is the state itself. */
static hc_rc read_state(hc_source *s, entry *x, hc_error *e)
{
  static const char *const members[] = {"current"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 1, &which, &t, e)) == 1) {
    if (which == 0 && t.kind == HC_JSON_ARRAY) {
      while ((rc = hc_json_next(s->json, &t, e)) == 1) TRY(say_text(s, x, &t, HC_SLURM_STATE, e));
      TRY(rc);
    } else if (which == 0) TRY(say_text(s, x, &t, HC_SLURM_STATE, e));
    else TRY(hc_json_skip(s->json, &t, e));
  }
  return rc;
}

/* Memory is in MiB, and that of a processor or of a node. */
static hc_rc read_required(hc_source *s, entry *x, hc_error *e)
{
  static const char *const members[] = {"CPUs", "memory_per_cpu", "memory_per_node"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 3, &which, &t, e)) == 1) {
    int64_t n;
    if (which == 0) TRY(say_number(s, x, &t, HC_SLURM_REQ_CPUS, e));
    else if (which > 2) TRY(hc_json_skip(s->json, &t, e));
    else {
      TRY(take_number(s, &t, &n, e));
      const char *text =
          n > 0 ? hc_arena_printf(&s->texts, "%lldM%c", (long long)n, which == 1 ? 'c' : 'n') : "";
      if (!text) return HC_ENOMEM;
      if (n > 0) hc_slurm_say_word(&x->cells, HC_SLURM_REQ_MEM, text);
    }
  }
  return rc;
}

/* A pair of numbers: {job_id, task_id, task} of an array, {job_id, job_offset} of a heterogeneous job. */
static hc_rc read_place(hc_source *s, int64_t *job, int64_t *place, const char **list, hc_error *e)
{
  static const char *const members[] = {"job_id", "task_id", "job_offset", "task"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 4, &which, &t, e)) == 1) {
    if (which == 0) TRY(take_number(s, &t, job, e));
    else if (which < 3) TRY(take_number(s, &t, place, e));
    else if (which == 3 && list && t.kind == HC_JSON_STRING && t.size > 0) {
      *list = hc_arena_text(&s->texts, t.text, t.size);
      if (!*list) return HC_ENOMEM;
    } else TRY(hc_json_skip(s->json, &t, e));
  }
  return rc;
}

/* One amount, as sacct has it: "cpu=4", "gres/gpu=2". Memory is in MiB. */
static hc_rc read_amount(hc_source *s, char *text, size_t *size, size_t cap, hc_error *e)
{
  static const char *const members[] = {"type", "name", "count"};
  char type[40] = "", name[80] = "";
  hc_json_token t;
  int64_t n = -1;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 3, &which, &t, e)) == 1) {
    if (which == 2) TRY(take_number(s, &t, &n, e));
    else {
      if (which < 2 && t.kind == HC_JSON_STRING)
        (void)snprintf(which == 0 ? type : name, which == 0 ? sizeof type : sizeof name, "%s", t.text);
      TRY(hc_json_skip(s->json, &t, e));
    }
  }
  if (rc < 0 || n < 0 || !type[0] || cap - *size < 160) return rc;
  *size += (size_t)snprintf(text + *size, cap - *size, "%s%s%s%s=%lld%s", *size > 0 ? "," : "", type,
                            name[0] ? "/" : "", name, (long long)n, strcmp(type, "mem") == 0 ? "M" : "");
  return rc;
}

static hc_rc read_amounts(hc_source *s, entry *x, hc_slurm_column c, hc_error *e)
{
  char text[2048];
  size_t size = 0;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(s->json, &t, e)) == 1)
    if (t.kind == HC_JSON_OBJECT) TRY(read_amount(s, text, &size, sizeof text, e));
    else TRY(hc_json_skip(s->json, &t, e));
  TRY(rc);
  const char *copy = hc_arena_text(&s->texts, text, size);
  if (!copy) return HC_ENOMEM;
  hc_slurm_say(&x->cells, c, copy, size);
  return 0;
}

static hc_rc read_tres(hc_source *s, entry *x, hc_error *e)
{
  static const char *const members[] = {"allocated", "requested"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 2, &which, &t, e)) == 1)
    if (which < 2 && t.kind == HC_JSON_ARRAY)
      TRY(read_amounts(s, x, which == 0 ? HC_SLURM_ALLOC_TRES : HC_SLURM_REQ_TRES, e));
    else TRY(hc_json_skip(s->json, &t, e));
  return rc;
}

/* {id, name}, and from 26.05 on what was asked for, which may be several: the last wins. Where there is no
 * name (22.05 has none) it is called by its number. */
static hc_rc read_reservation(hc_source *s, entry *x, hc_error *e)
{
  static const char *const members[] = {"id", "name", "requested"};
  hc_slice texts[3] = {{0}};
  hc_json_token t;
  int64_t number = -1;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 3, &which, &t, e)) == 1) {
    if (which == 0) TRY(take_number(s, &t, &number, e));
    else if (which > 2 || t.kind != HC_JSON_STRING || t.size == 0) TRY(hc_json_skip(s->json, &t, e));
    else {
      texts[which] = (hc_slice){hc_arena_text(&s->texts, t.text, t.size), t.size};
      if (!texts[which].s) return HC_ENOMEM;
    }
  }
  const hc_slice name = texts[2].n > 0 ? texts[2] : texts[1];
  if (name.n > 0) hc_slurm_say(&x->cells, HC_SLURM_RESERVATION, name.s, name.n);
  else if (number > 0) hc_slurm_say_number(&x->cells, HC_SLURM_RESERVATION, number);
  return rc;
}

static hc_rc read_association(hc_source *s, entry *x, hc_error *e)
{
  static const char *const members[] = {"account", "cluster", "user"};
  static const hc_slurm_column columns[] = {HC_SLURM_ACCOUNT, HC_SLURM_CLUSTER, HC_SLURM_USER};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  while ((rc = hc_json_member(s->json, members, 3, &which, &t, e)) == 1)
    if (which < 3) TRY(say_text(s, x, &t, columns[which], e));
    else TRY(hc_json_skip(s->json, &t, e));
  return rc;
}

/* ---- an entry ---- */

enum { TIME, STATE, REQUIRED, ARRAY, HET, TRES, RESERVATION, ASSOCIATION, JOB_ID, NODES, PRIORITY, TEXTS };
static const char *const known[] = {"time",     "state",       "required",    "array",   "het",
                                    "tres",     "reservation", "association", "job_id",  "allocation_nodes",
                                    "priority", "name",        "user",        "account", "group",
                                    "cluster",  "partition",   "qos",         "nodes",   "submit_line"};
static const hc_slurm_column texts[] = {HC_SLURM_JOB_NAME, HC_SLURM_USER,      HC_SLURM_ACCOUNT,
                                        HC_SLURM_GROUP,    HC_SLURM_CLUSTER,   HC_SLURM_PARTITION,
                                        HC_SLURM_QOS,      HC_SLURM_NODE_LIST, HC_SLURM_SUBMIT_LINE};

static hc_rc read_object(hc_source *s, entry *x, size_t which, hc_error *e)
{
  switch (which) {
    case TIME: return read_time(s, x, e);
    case STATE: return read_state(s, x, e);
    case REQUIRED: return read_required(s, x, e);
    case ARRAY: return read_place(s, &x->array, &x->task, &x->tasks, e);
    case HET: return read_place(s, &x->het, &x->offset, NULL, e);
    case TRES: return read_tres(s, x, e);
    case RESERVATION: return read_reservation(s, x, e);
    default: return read_association(s, x, e);
  }
}

static hc_rc read_member(hc_source *s, entry *x, size_t which, const hc_json_token *t, hc_error *e)
{
  if (which < JOB_ID && t->kind == HC_JSON_OBJECT) return read_object(s, x, which, e);
  if (which == JOB_ID) return take_number(s, t, &x->job, e);
  if (which == NODES) return say_number(s, x, t, HC_SLURM_NODES, e);
  if (which == PRIORITY) return say_number(s, x, t, HC_SLURM_PRIORITY, e);
  if (which >= TEXTS && which < HC_ARRAY_LEN(known)) return say_text(s, x, t, texts[which - TEXTS], e);
  return hc_json_skip(s->json, t, e);
}

/* What it is called: a task of an array by that array, a component by its leader. */
static hc_slurm_id id_of(entry *x)
{
  hc_slurm_id id = {.job = x->job, .task = -1, .component = -1};
  if (x->array > 0 && x->task >= 0) id = (hc_slurm_id){.job = x->array, .task = x->task, .component = -1};
  else if (x->array > 0 && x->tasks) id.list = (hc_slice){x->tasks, strcspn(x->tasks, "%")};
  if (x->het > 0 && x->offset >= 0) id = (hc_slurm_id){.job = x->het, .task = -1, .component = x->offset};
  x->cells.unique = id.list.n > 0 ? -1 : x->job;
  return id;
}

static hc_rc take_entry(hc_source *s, const hc_json_token *begin, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  entry x = {.job = -1, .array = -1, .task = -1, .het = -1, .offset = -1};
  const uint32_t line = begin->line, column = begin->column;
  hc_json_token t;
  size_t which;
  hc_rc rc = 1;
  hc_arena_reset(&s->texts);
  hc_slurm_cells_begin(&x.cells, "", 0);
  x.cells.has = UINT64_C(1) << HC_SLURM_START | UINT64_C(1) << HC_SLURM_END;
  s->jobs++;
  if (begin->kind != HC_JSON_OBJECT) {
    TRY(hc_json_skip(s->json, begin, e));
    return hc_slurm_log_malformed(l, NULL, line, column, e);
  }
  while ((rc = hc_json_member(s->json, known, HC_ARRAY_LEN(known), &which, &t, e)) == 1)
    TRY(read_member(s, &x, which, &t, e));
  TRY(rc);
  if (x.job < 0) return hc_slurm_log_malformed(l, NULL, line, column, e);
  const hc_slurm_id id = id_of(&x);
  x.cells.id = &id;
  return hc_slurm_log_row(l, &x.cells, line, false, e);
}

/* ---- the file ---- */

/* Up to the list of jobs. */
static hc_rc begin(hc_source *s, hc_json *j, hc_error *e)
{
  static const char *const members[] = {"jobs"};
  hc_json_token t;
  size_t which;
  hc_rc rc = hc_json_next(j, &t, e);
  if (rc == 1 && t.kind == HC_JSON_OBJECT) {
    while ((rc = hc_json_member(j, members, 1, &which, &t, e)) == 1) {
      if (which == 0 && t.kind == HC_JSON_ARRAY) return 1;
      TRY(hc_json_skip(j, &t, e));
    }
  }
  return rc < 0 ? rc
                : hc_fail(e, HC_EINPUT, s->log.name, 1, 1,
                          "there is no list \"jobs\" in this file: give what `sacct --json` printed");
}

static hc_rc sacct_json_read(hc_source *s, hc_error *e)
{
  hc_slurm_log *l = &s->log;
  hc_json_token t;
  if (!l->s.begun) TRY(begin(s, s->json, e));
  l->s.begun = true;
  const hc_rc rc = hc_json_next(s->json, &t, e);
  if (rc < 0) return rc;
  return rc == 0 ? hc_slurm_log_end(l, e) : take_entry(s, &t, e);
}

static const hc_slurm_log_type sacct_json_log = {
    .who = "source sacct_json",
    .empty = "what `sacct --json` printed",
    .advice = "no entry of \"jobs\" is a job: each has job_id and time",
    .separator = '_',
    .words = {"account", "qos", "job_name"},
    .read = sacct_json_read};

/* ---- the reader ---- */

static void sacct_json_close(hc_source *s)
{
  if (!s) return;
  hc_json_free(s->json);
  hc_arena_fini(&s->texts);
  hc_slurm_log_close(s, sizeof *s);
}

static hc_rc sacct_json_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  TRY(hc_slurm_log_open(&sacct_json_log, c, o, sizeof *s, false, &s, e));
  hc_arena_init(&s->texts, c->allocator);
  const hc_rc rc = hc_json_open(c->allocator, o->common.file, &s->json, e);
  if (rc < 0) sacct_json_close(s);
  else *out = s;
  return rc;
}

static void sacct_json_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_json_progress(s->json, done, total);
}

/* Read the file up to where the state says. */
static hc_rc go_back(hc_source *s, hc_error *e)
{
  hc_json_token t;
  hc_json *j;
  if (!hc_json_seekable(s->json))
    return hc_fail(e, HC_EUNSUPPORTED, s->log.name, 0, 0,
                   "this input cannot be read twice: save it to a file first");
  TRY(hc_json_open(s->log.context->allocator, s->log.o->file, &j, e));
  hc_json_free(s->json);
  s->json = j;
  if (s->log.s.begun) TRY(begin(s, j, e));
  for (uint64_t i = 0; i < s->jobs; i++) {
    TRY(hc_json_next(j, &t, e));
    TRY(hc_json_skip(j, &t, e));
  }
  return 0;
}

static hc_rc sacct_json_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_slurm_log_visit(s, v, e));
  TRY(hc_visit_bytes(v, &s->jobs, sizeof s->jobs));
  return hc_visit_loading(v) ? go_back(s, e) : 0;
}

/* By what stands around its jobs, which may be far from the begin: `meta` names slurm then. */
static int sacct_json_recognise(const char *name, const char *head, size_t size)
{
  const size_t at = hc_head_begin(head, size);
  HC_UNUSED(name);
  if (at >= size || head[at] != '{') return 0;
  const bool jobs = hc_head_holds(head, size, "\"jobs\"");
  const bool slurm = hc_head_holds(head, size, "\"slurm\"") || hc_head_holds(head, size, "\"Slurm\"");
  const bool job =
      hc_head_holds(head, size, "\"submission\"") || hc_head_holds(head, size, "\"association\"");
  return jobs && (job || slurm) ? 97 : 0;
}

static const hc_param params[] = {
    HC_SLURM_LOG_FILE(options, "Path of the records, plain, .gz, .zst or .xz; - is standard input."),
    HC_SLURM_LOG_ZONE(options),
    HC_SLURM_LOG_TIMES(options),
    HC_SLURM_LOG_UNITS(options, "cpu of tres, and required.CPUs", "allocation_nodes, and node of tres"),
    HC_SLURM_LOG_DEMAND(options, " (tres)"),
    HC_SLURM_LOG_WAIT(options, "dependencies, --begin, holds and array throttles are over"),
    HC_SLURM_LOG_RUN(options, "without the time it was suspended"),
    HC_SLURM_LOG_REQUEUES(options, ", as sacct -D prints"),
    HC_SLURM_LOG_AHEAD(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_sacct_json = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "sacct_json",
                  .summary = "Slurm accounting records, as sacct --json prints them",
                  .detail = "The list `jobs`, of Slurm 21.08 and later (numbers as {set, infinite, number} "
                            "from 23.02 on). Names, states, waits, arrays, heterogeneous jobs, the origin of "
                            "time, reservation and submit_line mean the same as for the reader sacct; steps "
                            "are ignored. Names of jobs may contain any character, here also bars.",
                  .source = "https://slurm.schedmd.com/rest_api.html", .params = params,
                  .options_size = sizeof(options)},
    .open = sacct_json_open,
    .next = hc_slurm_log_next,
    .info = hc_slurm_log_info,
    .visit = sacct_json_visit,
    .progress = sacct_json_progress,
    .close = sacct_json_close,
    .recognise = sacct_json_recognise,
};
