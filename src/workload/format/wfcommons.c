/* wfcommons.c -- workflows of WfCommons (JSON), schemas 1.4 and 1.5.
 *
 *   1.4   workflow.tasks: [{name, id, runtimeInSeconds, cores, memoryInBytes, parents,
 *                           files: [{name, sizeInBytes, link}]}]
 *   1.5   workflow.specification.tasks: [{name, id, parents, inputFiles, outputFiles}]
 *         workflow.specification.files: [{id, sizeInBytes}]
 *         workflow.execution.tasks: [{id, runtimeInSeconds, coreCount, memoryInBytes}]
 *
 * Members may stand in any order, but the id or name of a task before what else is said of it. Children are
 * edges as parents are. Machines, commands and all that was measured beside are passed over. Cost: 8 ns a
 * byte. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/util.h"
#include "workload/workflow_file.h"

typedef struct options {
  hc_flow_options_read flow;
} options;

typedef struct reading {
  hc_source *s;
  hc_json *j;
  hc_error *e;
} reading;

static hc_rc wrong(const reading *r, const hc_json_token *t, const char *text)
{
  return hc_fail(r->e, HC_EINPUT, r->s->name, t->line, t->column, "%s", text);
}

static hc_rc expect(const reading *r, const hc_json_token *t, hc_json_kind kind, const char *text)
{
  return t->kind == kind ? 0 : wrong(r, t, text);
}

static bool is_text(const hc_json_token *t)
{
  return t->kind == HC_JSON_STRING || t->kind == HC_JSON_NUMBER;
}

/* ---- what a task says ---- */

typedef struct link {
  uint32_t task;
  int what; /* FILE_INPUT ... */
} link;
enum { FILE_INPUT, FILE_OUTPUT, PARENT, CHILD };

/* A list of names of files or tasks. */
static hc_rc read_names(reading *r, const hc_json_token *list, link x)
{
  hc_json_token t;
  hc_rc rc;
  if (list->kind == HC_JSON_NULL) return 0;
  TRY(expect(r, list, HC_JSON_ARRAY, "this is a list of names"));
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) {
    uint32_t at;
    if (!is_text(&t)) return wrong(r, &t, "this is a name");
    switch (x.what) {
      case PARENT: TRY(hc_flow_wait(r->s, x.task, t.text, t.line, t.column, r->e)); break;
      case CHILD:
        TRY(hc_flow_task_of(r->s, t.text, &at));
        TRY(hc_flow_wait(r->s, at, r->s->tasks[x.task].id, t.line, t.column, r->e));
        break;
      default:
        TRY(hc_flow_file_of(r->s, t.text, t.line, t.column, &at));
        TRY(hc_flow_use_file(r->s, x.task, at, x.what == FILE_OUTPUT, t.line, t.column, r->e));
    }
  }
  return rc;
}

/* {name, sizeInBytes, link} @param task HC_FLOW_NONE: a file by itself */
static hc_rc read_file(reading *r, const hc_json_token *object, uint32_t task)
{
  enum { NAME, ID, BYTES, SIZE, LINK, KEYS };
  static const char *const keys[] = {"name", "id", "sizeInBytes", "size", "link"};
  int64_t bytes = HC_UNKNOWN;
  int direction = -1;
  uint32_t file = HC_FLOW_NONE;
  hc_json_token t;
  size_t which;
  hc_rc rc;
  TRY(expect(r, object, HC_JSON_OBJECT, "a file is an object: {\"name\": ..., \"sizeInBytes\": ...}"));
  while ((rc = hc_json_member(r->j, keys, KEYS, &which, &t, r->e)) == 1) {
    if (which == SIZE)
      return wrong(r, &t, "`size` is of schemas before 1.4, whose unit is not sure: write sizeInBytes");
    if ((which == NAME || which == ID) && (file == HC_FLOW_NONE || which == ID)) {
      if (!is_text(&t)) return wrong(r, &t, "the name of a file is a text");
      TRY(hc_flow_file_of(r->s, t.text, t.line, t.column, &file));
    }
    if (which == BYTES && t.kind != HC_JSON_NULL) {
      if (t.kind != HC_JSON_NUMBER) return wrong(r, &t, "sizeInBytes is a number");
      TRY(hc_flow_size(r->s, t.text, 1, &bytes, t.line, t.column, r->e));
    }
    if (which == LINK) {
      direction = t.kind == HC_JSON_STRING && strcmp(t.text, "input") == 0    ? FILE_INPUT
                  : t.kind == HC_JSON_STRING && strcmp(t.text, "output") == 0 ? FILE_OUTPUT
                                                                              : -1;
      if (direction < 0) return wrong(r, &t, "the link of a file is \"input\" or \"output\"");
    }
    TRY(hc_json_skip(r->j, &t, r->e));
  }
  if (rc < 0) return rc;
  if (file == HC_FLOW_NONE) return wrong(r, object, "this file has no name");
  if (bytes != HC_UNKNOWN && r->s->files[file].bytes == HC_UNKNOWN) r->s->files[file].bytes = bytes;
  if (task == HC_FLOW_NONE) return 0;
  if (direction < 0) return wrong(r, object, "this file has no link, which is \"input\" or \"output\"");
  return hc_flow_use_file(r->s, task, file, direction == FILE_OUTPUT, object->line, object->column, r->e);
}

static hc_rc read_files(reading *r, const hc_json_token *list, uint32_t task)
{
  hc_json_token t;
  hc_rc rc;
  if (list->kind == HC_JSON_NULL) return 0;
  TRY(expect(r, list, HC_JSON_ARRAY, "files are a list"));
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) TRY(read_file(r, &t, task));
  return rc;
}

/* ---- tasks ---- */

enum {
  ID,
  NAME,
  RUNTIME,
  RUNTIME_S,
  CORES,
  CORE_COUNT,
  MEMORY,
  PARENTS,
  CHILDREN,
  FILES,
  INPUTS,
  OUTPUTS,
  KEYS
};
static const char *const task_keys[] = {"id",       "name",      "runtime",       "runtimeInSeconds",
                                        "cores",    "coreCount", "memoryInBytes", "parents",
                                        "children", "files",     "inputFiles",    "outputFiles"};

static hc_rc read_number(reading *r, uint32_t task, size_t which, const hc_json_token *t)
{
  hc_flow_task *x = &r->s->tasks[task];
  if (t->kind == HC_JSON_NULL) return 0;
  if (t->kind != HC_JSON_NUMBER) return wrong(r, t, "this is a number");
  if (which == RUNTIME || which == RUNTIME_S)
    return hc_flow_runtime(r->s, task, t->text, t->line, t->column, r->e);
  if (which == MEMORY) return hc_flow_size(r->s, t->text, 1, &x->memory, t->line, t->column, r->e);
  TRY(hc_flow_size(r->s, t->text, 1000, &x->milli, t->line, t->column, r->e));
  if (x->milli > INT64_C(1000000000)) return wrong(r, t, "more than 1,000,000 cores");
  if (x->milli == 0) x->milli = HC_UNKNOWN; /* it is not known */
  return 0;
}

static hc_rc read_member(reading *r, uint32_t task, size_t which, const hc_json_token *t)
{
  switch (which) {
    case NAME:
      if (!is_text(t)) return wrong(r, t, "the name of a task is a text");
      return hc_flow_call(r->s, task, t->text);
    case RUNTIME:
    case RUNTIME_S:
    case CORES:
    case CORE_COUNT:
    case MEMORY: return read_number(r, task, which, t);
    case PARENTS: return read_names(r, t, (link){task, PARENT});
    case CHILDREN: return read_names(r, t, (link){task, CHILD});
    case FILES: return read_files(r, t, task);
    case INPUTS: return read_names(r, t, (link){task, FILE_INPUT});
    case OUTPUTS: return read_names(r, t, (link){task, FILE_OUTPUT});
    default: return hc_json_skip(r->j, t, r->e);
  }
}

/* Its id, or its name if that comes first, has to be its first member, so that the rest has a task. */
static hc_rc read_task(reading *r, const hc_json_token *object, bool declares)
{
  uint32_t task = HC_FLOW_NONE;
  char name[512] = "";
  hc_json_token t;
  size_t which;
  hc_rc rc;
  TRY(expect(r, object, HC_JSON_OBJECT, "a task is an object: {\"id\": ..., \"name\": ...}"));
  while ((rc = hc_json_member(r->j, task_keys, KEYS, &which, &t, r->e)) == 1) {
    if (which == NAME && task == HC_FLOW_NONE && is_text(&t)) {
      (void)snprintf(name, sizeof name, "%.511s", t.text);
      continue;
    }
    if (which == ID) {
      if (!is_text(&t) || task != HC_FLOW_NONE)
        return wrong(r, &t, "the id of a task is a text, and stands before all but its name");
      TRY(hc_flow_task_of(r->s, t.text, &task));
      if (declares) TRY(hc_flow_declare(r->s, task, object->line, object->column, r->e));
      if (name[0] && declares) TRY(hc_flow_call(r->s, task, name));
      continue;
    }
    if (task == HC_FLOW_NONE && which < KEYS) { /* 1.4: tasks may go by their names alone */
      if (!name[0]) return wrong(r, &t, "the id or name of a task stands before what else is said of it");
      TRY(hc_flow_task_of(r->s, name, &task));
      if (declares) TRY(hc_flow_declare(r->s, task, object->line, object->column, r->e));
    }
    TRY(read_member(r, task, which, &t));
  }
  if (rc < 0 || task != HC_FLOW_NONE) return rc;
  return wrong(r, object, "this task has no id");
}

static hc_rc read_tasks(reading *r, const hc_json_token *list, bool declares)
{
  hc_json_token t;
  hc_rc rc;
  TRY(expect(r, list, HC_JSON_ARRAY, "tasks are a list"));
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) TRY(read_task(r, &t, declares));
  return rc;
}

/* ---- the file ---- */

static hc_rc read_part(reading *r, const hc_json_token *object, bool is_execution)
{
  static const char *const keys[] = {"tasks", "files"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  TRY(expect(r, object, HC_JSON_OBJECT, "this is an object with `tasks`"));
  while ((rc = hc_json_member(r->j, keys, 2, &which, &t, r->e)) == 1) {
    if (which == 0) TRY(read_tasks(r, &t, !is_execution));
    else if (which == 1 && !is_execution) TRY(read_files(r, &t, HC_FLOW_NONE));
    else TRY(hc_json_skip(r->j, &t, r->e));
  }
  return rc;
}

static hc_rc read_workflow(reading *r, const hc_json_token *object)
{
  enum { TASKS, JOBS, SPECIFICATION, EXECUTION, COUNT };
  static const char *const keys[] = {"tasks", "jobs", "specification", "execution"};
  hc_json_token t;
  size_t which;
  hc_rc rc;
  TRY(expect(r, object, HC_JSON_OBJECT, "the workflow is an object"));
  while ((rc = hc_json_member(r->j, keys, COUNT, &which, &t, r->e)) == 1) {
    if (which == JOBS) return wrong(r, &t, "`jobs` are of schemas before 1.3: convert it to 1.4 or 1.5");
    if (which == TASKS) TRY(read_tasks(r, &t, true));
    else if (which == SPECIFICATION) TRY(read_part(r, &t, false));
    else if (which == EXECUTION) TRY(read_part(r, &t, true));
    else TRY(hc_json_skip(r->j, &t, r->e));
  }
  return rc;
}

static hc_rc read_all(reading *r)
{
  static const char *const keys[] = {"schemaVersion", "workflow"};
  bool has_workflow = false;
  hc_json_token t;
  size_t which;
  hc_rc rc = hc_json_next(r->j, &t, r->e);
  if (rc < 0) return rc;
  if (rc == 0 || t.kind != HC_JSON_OBJECT)
    return hc_fail(r->e, HC_EINPUT, r->s->name, 1, 1, "a workflow of WfCommons is an object with `workflow`");
  while ((rc = hc_json_member(r->j, keys, 2, &which, &t, r->e)) == 1) {
    if (which == 0) {
      if (!is_text(&t) || (strcmp(t.text, "1.4") != 0 && strcmp(t.text, "1.5") != 0))
        return wrong(r, &t, "schemaVersion is none that is read: convert it to 1.4 or 1.5");
    } else if (which == 1) {
      has_workflow = true;
      TRY(read_workflow(r, &t));
    } else {
      TRY(hc_json_skip(r->j, &t, r->e));
    }
  }
  if (rc < 0) return rc;
  TRY(rc = hc_json_next(r->j, &t, r->e));
  if (rc == 1) return wrong(r, &t, "something stands behind the workflow");
  return has_workflow ? 0 : hc_fail(r->e, HC_EINPUT, r->s->name, 0, 0, "there is no `workflow` in this file");
}

/* What `execution` has and the specification has not. */
static hc_rc check_there(const reading *r)
{
  for (size_t i = 0; i < r->s->task_count; i++)
    if (!r->s->tasks[i].is_there && r->s->tasks[i].runtime >= 0)
      return hc_fail(r->e, HC_EINPUT, r->s->name, 0, 0,
                     "`execution` has the task \"%.80s\", and the specification has none of that id",
                     r->s->tasks[i].id);
  return 0;
}

static hc_rc wfcommons_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_error mine = {0};
  reading r = {.e = &mine};
  TRY(hc_flow_begin(c, "source wfcommons", &o->flow, &r.s, e));
  hc_rc rc = hc_json_open(c->allocator, o->flow.file, &r.j, &mine);
  if (rc == 0) rc = read_all(&r);
  hc_json_free(r.j);
  if (rc == 0) rc = check_there(&r);
  if (rc == 0) rc = hc_flow_end(r.s, &mine);
  if (rc < 0 && mine.rc != 0 && e && e->rc == 0) *e = mine;
  if (rc < 0) hc_flow_close(r.s);
  else *out = r.s;
  return rc;
}

static int wfcommons_recognise(const char *name, const char *head, size_t size)
{
  HC_UNUSED(name);
  const size_t i = hc_head_begin(head, size);
  if (i == size || head[i] != '{') return 0;
  if (hc_head_holds(head, size, "\"schemaVersion\"")) return 96;
  return hc_head_holds(head, size, "\"workflow\"") && hc_head_holds(head, size, "\"tasks\"") ? 80 : 0;
}

static const hc_param params[] = {
    HC_FLOW_PARAMS(options, "Path of the workflow, plain, .gz, .zst or .xz; - is standard input."), {0}};

const hc_reader_type hc_reader_wfcommons = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "wfcommons",
                  .summary = "a workflow of WfCommons (JSON, schemas 1.4 and 1.5)",
                  .detail =
                      "A task for each task, with its runtime, coreCount (default 1) and memoryInBytes. "
                      "Files are data items: a task waits for the tasks that make its inputs, and with "
                      "`execution: activities` items are sent over the network. Parents and children order "
                      "tasks too. All tasks are submitted at the same time, as one job. Speeds of machines "
                      "are not read: reference_speed holds for all. A circle, two makers of a file, an "
                      "unknown parent, a runtime below 0 and a missing size are errors with their place.",
                  .source = "WfCommons, WfFormat 1.4 and 1.5, https://wfcommons.org/format", .params = params,
                  .options_size = sizeof(options)},
    .open = wfcommons_open,
    .next = hc_flow_next,
    .info = hc_flow_info,
    .visit = hc_flow_visit,
    .close = hc_flow_close,
    .recognise = wfcommons_recognise,
    .refers = hc_flow_refers,
};
