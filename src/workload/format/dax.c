/* dax.c -- DAX, the abstract workflows of Pegasus (XML).
 *
 *   <adag>
 *     <job id="ID1" name="merge" runtime="12.5" numcores="2">
 *       <uses file="a.dat" link="input" size="600"/>     (or name="a.dat")
 *     </job>
 *     <child ref="ID1"> <parent ref="ID0"/> </child>
 *   </adag>
 *
 * A file that several uses name is one: its size is what the first says that says one. Argument, profile,
 * file and other elements are passed over. `runtime` is not of Pegasus's schema, but of the workflows that
 * its generator makes, with which schedulers are compared. Cost: as expat's. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "base/xml.h"
#include "workload/workflow_file.h"

typedef struct options {
  hc_flow_options_read flow;
} options;

typedef struct reading {
  hc_source *s;
  uint32_t job, child; /* at hand; HC_FLOW_NONE */
  bool is_dax;
} reading;

static const char *attribute(const char *const *attributes, const char *name)
{
  for (; *attributes; attributes += 2)
    if (strcmp(attributes[0], name) == 0) return attributes[1];
  return NULL;
}

static hc_rc lacks(const reading *r, const hc_xml_place *at, const char *element, const char *what,
                   hc_error *e)
{
  return hc_fail(e, HC_EINPUT, r->s->name, at->line, at->column, "this %s has no %s", element, what);
}

static hc_rc open_job(reading *r, const hc_xml_place *at, const char *const *attributes, hc_error *e)
{
  const char *id = attribute(attributes, "id"), *name = attribute(attributes, "name");
  const char *runtime = attribute(attributes, "runtime"), *cores = attribute(attributes, "numcores");
  int64_t milli;
  if (!id) return lacks(r, at, "job", "`id`, by which others name it", e);
  TRY(hc_flow_task_of(r->s, id, &r->job));
  TRY(hc_flow_declare(r->s, r->job, at->line, at->column, e));
  if (name) TRY(hc_flow_call(r->s, r->job, name));
  if (!runtime) return lacks(r, at, "job", "`runtime`, which is how many seconds it takes", e);
  TRY(hc_flow_runtime(r->s, r->job, runtime, at->line, at->column, e));
  if (!cores) cores = attribute(attributes, "cores");
  if (!cores) return 0;
  TRY(hc_flow_size(r->s, cores, 1000, &milli, at->line, at->column, e));
  if (milli < 1 || milli > INT64_C(1000000000))
    return hc_fail(e, HC_EINPUT, r->s->name, at->line, at->column,
                   "numcores is a number from 0.001 to 1,000,000");
  r->s->tasks[r->job].milli = milli;
  return 0;
}

static hc_rc open_uses(reading *r, const hc_xml_place *at, const char *const *attributes, hc_error *e)
{
  const char *file = attribute(attributes, "file"), *link = attribute(attributes, "link");
  const char *size = attribute(attributes, "size");
  uint32_t id;
  if (!file) file = attribute(attributes, "name");
  if (!file) return lacks(r, at, "use", "`file`", e);
  if (!link) return lacks(r, at, "use", "`link`, which is input or output", e);
  if (strcmp(link, "input") != 0 && strcmp(link, "output") != 0) {
    if (strcmp(link, "none") == 0) return 0;
    return hc_fail(e, HC_EINPUT, r->s->name, at->line, at->column,
                   "the link of a use is \"%.40s\": it is input or output; a file that is both needs two "
                   "names",
                   link);
  }
  TRY(hc_flow_file_of(r->s, file, at->line, at->column, &id));
  if (size && r->s->files[id].bytes == HC_UNKNOWN)
    TRY(hc_flow_size(r->s, size, 1, &r->s->files[id].bytes, at->line, at->column, e));
  return hc_flow_use_file(r->s, r->job, id, link[0] == 'o', at->line, at->column, e);
}

static hc_rc open_edge(reading *r, const hc_xml_place *at, const char *const *attributes, bool is_child,
                       hc_error *e)
{
  const char *ref = attribute(attributes, "ref");
  if (!ref) return lacks(r, at, is_child ? "child" : "parent", "`ref`, the id of a job", e);
  if (!is_child) return hc_flow_wait(r->s, r->child, ref, at->line, at->column, e);
  r->child = hc_names_find(&r->s->task_ids, ref, strlen(ref));
  if (r->child == HC_MAP_NONE || !r->s->tasks[r->child].is_there)
    return hc_fail(e, HC_EINPUT, r->s->name, at->line, at->column,
                   "there is no job \"%.80s\" above this child: jobs stand before edges", ref);
  return 0;
}

static hc_rc open_element(void *ctx, const hc_xml_place *at, const char *name, const char *const *attributes,
                          hc_error *e)
{
  reading *r = ctx;
  const char *colon = strchr(name, ':');
  if (colon) name = colon + 1;
  if (strcmp(name, "adag") == 0) r->is_dax = true;
  else if (!r->is_dax)
    return hc_fail(e, HC_EINPUT, r->s->name, at->line, at->column,
                   "a DAX begins with <adag>, and this with <%.40s>", name);
  if (strcmp(name, "job") == 0) return open_job(r, at, attributes, e);
  if (strcmp(name, "dax") == 0 || strcmp(name, "dag") == 0)
    return hc_fail(e, HC_EUNSUPPORTED, r->s->name, at->line, at->column,
                   "a workflow within a workflow is not read: write its jobs in its place");
  if (strcmp(name, "uses") == 0 && r->job != HC_FLOW_NONE) return open_uses(r, at, attributes, e);
  if (strcmp(name, "child") == 0) return open_edge(r, at, attributes, true, e);
  if (strcmp(name, "parent") == 0 && r->child != HC_FLOW_NONE) return open_edge(r, at, attributes, false, e);
  return 0;
}

static hc_rc close_element(void *ctx, const hc_xml_place *at, const char *name, hc_error *e)
{
  reading *r = ctx;
  const char *colon = strchr(name, ':');
  HC_UNUSED(at);
  HC_UNUSED(e);
  if (colon) name = colon + 1;
  if (strcmp(name, "job") == 0) r->job = HC_FLOW_NONE;
  if (strcmp(name, "child") == 0) r->child = HC_FLOW_NONE;
  return 0;
}

static hc_rc dax_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  reading r = {.job = HC_FLOW_NONE, .child = HC_FLOW_NONE};
  const hc_xml_handler handler = {&r, open_element, close_element};
  TRY(hc_flow_begin(c, "source dax", &o->flow, &r.s, e));
  hc_rc rc = hc_xml_read(c->allocator, o->flow.file, &handler, e);
  if (rc == 0) rc = hc_flow_end(r.s, e);
  if (rc < 0) hc_flow_close(r.s);
  else *out = r.s;
  return rc;
}

static int dax_recognise(const char *name, const char *head, size_t size)
{
  if (hc_head_holds(head, size, "<adag")) return 96;
  return name && strstr(name, ".dax") ? 60 : 0;
}

static const hc_param params[] = {HC_FLOW_PARAMS(options, "Path of the workflow, plain, .gz, .zst or .xz."),
                                  {0}};

const hc_reader_type hc_reader_dax = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "dax",
         .summary = "a workflow of Pegasus (DAX, XML)",
         .detail =
             "A task for each job, with its runtime and its numcores (default 1). Files that jobs use are "
             "data items: a task waits for the tasks that make its inputs, and with `execution: activities` "
             "items are sent over the network. Edges (child, parent) order tasks too. All tasks are "
             "submitted at the same time, as one job. A circle, two makers of a file, an unknown parent and "
             "a runtime below 0 are errors with their place. Entities and DTDs within the file are refused.",
         .source = "Pegasus, DAX schema 3.6; its workflow generator for `runtime`", .params = params,
         .options_size = sizeof(options)},
    .open = dax_open,
    .next = hc_flow_next,
    .info = hc_flow_info,
    .visit = hc_flow_visit,
    .close = hc_flow_close,
    .recognise = dax_recognise,
    .refers = hc_flow_refers,
};
