/* site_log.c -- a trace format in a shared object: lines of `submit;id;procs;run;limit;user`, times in seconds from
 * any origin, an empty field where a log does not say; what begins with # is a comment. Lines come in any order within
 * the run's `sort_window`, and the file may be packed. */
#include "hindcast/plugin.h"
#include "hindcast/workload.h"

enum { SUBMIT, ID, PROCS, RUN, LIMIT, USER, FIELDS };

typedef struct options {
  const char *file;
} options;

struct hc_source {
  const hc_source_context *c;
  hc_lines *lines;
  hc_name_numbers *users;
  hc_trace_info info;
  hc_task_spec task; /* the one that was handed over last */
};

/* ---- a line ---- */

typedef struct field {
  const char *text;
  size_t n;
} field;

/* @return how many fields it has */
static int cut(const char *line, field fields[FIELDS])
{
  int n = 0;
  for (const char *end; line; line = *end ? end + 1 : NULL, n++) {
    end = line + strcspn(line, ";");
    if (n < FIELDS) fields[n] = (field){line, (size_t)(end - line)};
  }
  return n;
}

static bool read_time(const hc_source *s, field f, hc_time *out)
{
  return f.n == 0 || s->c->calls->numbers->parse_seconds(f.text, f.n, out) == 0;
}

static bool read_number(const hc_source *s, field f, int64_t *out)
{
  return f.n == 0 || s->c->calls->numbers->parse_int(f.text, f.n, out) == 0;
}

/* Fill the task. @return 1, 0 if the line is none, HC_ENOMEM */
static hc_rc read_task(hc_source *s, const char *line)
{
  field fields[FIELDS];
  hc_task_spec *t = &s->task;
  *t = hc_task_spec_none();
  t->line = hc_lines_number(s->lines);
  t->id = (int64_t)t->line; /* if it has no number of its own */
  if (cut(line, fields) != FIELDS || !read_time(s, fields[SUBMIT], &t->submit) ||
      !read_number(s, fields[ID], &t->id) || !read_number(s, fields[PROCS], &t->procs_asked) ||
      !read_time(s, fields[RUN], &t->run) || !read_time(s, fields[LIMIT], &t->limit))
    return 0;
  if (fields[USER].n == 0) return 1;
  hc_rc rc = hc_name_number_of(s->users, fields[USER].text, fields[USER].n, &t->user);
  return rc < 0 ? rc : 1;
}

/* ---- the reader ---- */

static void close_source(hc_source *s)
{
  hc_lines_close(s->lines);
  hc_name_numbers_free(s->users);
  s->c->allocator->resize(s->c->allocator->ctx, s, sizeof *s, 0);
}

static hc_rc open_source(const hc_source_context *c, const void *opts, hc_source **out, hc_error *e)
{
  const options *o = opts;
  hc_source *s = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *s);
  if (!s) return HC_ENOMEM;
  *s = (hc_source){.c = c, .info = hc_trace_info_none()};
  hc_rc rc = hc_lines_open(c, o->file, &s->lines, e);
  if (rc == 0) rc = hc_name_numbers_new(c, HC_CALLED_USER, &s->users);
  if (rc == 0) *out = s;
  else close_source(s);
  return rc;
}

static hc_rc next_job(hc_source *s, hc_job *job, hc_error *e)
{
  char *line;
  size_t n;
  hc_rc rc;
  while ((rc = hc_lines_next(s->lines, &line, &n, e)) == 1) {
    if (n == 0 || line[0] == '#') continue;
    if (s->c->ledger) s->c->ledger->read++;
    rc = read_task(s, line);
    if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc == 0)
      rc = hc_source_reject(s->c, hc_lines_name(s->lines), hc_lines_number(s->lines), 0, HC_REASON_MALFORMED,
                            line, e);
    if (rc != 0) return rc;
  }
  return rc;
}

static const hc_trace_info *info(hc_source *s)
{
  return &s->info;
}

static hc_rc visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  hc_rc rc = hc_lines_visit(s->lines, v, e);
  return rc < 0 ? rc : hc_name_numbers_visit(s->users, v);
}

static void progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_lines_progress(s->lines, done, total);
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the log, plain, .gz, .zst or .xz; - is standard input."),
    {0}};

const hc_reader_type hc_reader_site_log = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "site_log",
                  .summary = "lines of submit;id;procs;run;limit;user, times in seconds",
                  .params = params, .options_size = sizeof(options)},
    .open = open_source, .next = next_job, .info = info, .visit = visit, .progress = progress,
    .close = close_source};

/* Only a shared object needs what follows. */
static const hc_component *const components[] = {&hc_reader_site_log.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "site_log", .components = components};
