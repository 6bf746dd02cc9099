/* trace_split.c -- `hindcast trace split`: a workload in parts, by time, by number, or by whose it is.
 *
 * By time or number one part is open at a time, and gets its name as soon as it is whole. By user (group,
 * queue ...) all are open until the end, so that their number is bounded. On failure every part that was made
 * is removed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/trace.h"

#define MOST_OPEN 500 /* parts at once */
#define MOST_PARTS 100000

typedef enum rule { BY_TIME, BY_NUMBER, BY_OWNER } rule;

static const cli_flag split_flags[] = {
    {.name = "every",
     .metavar = "TIME",
     .help = "A part for each span of so long, from the first submission: 7d, 12h."},
    {.name = "parts", .metavar = "N", .help = "N parts of equally many tasks, one after the other in time."},
    {.name = "by",
     .metavar = "WHOSE",
     .complete = "user|group|queue|partition|executable|status",
     .help = "A part for each user, group, queue, partition, executable or status; 500 at most."},
    {.name = "output",
     .letter = 'o',
     .metavar = "NAME",
     .complete = CLI_FILE,
     .help = "Names of the parts: % stands for the part's number, or whose it is. Default: the log's name, a "
             "dash, and that."},
    {.name = "usable", .help = "Leave out what a run could not use, by its rules."},
    {.name = NULL},
};
static const cli_flag *const split_tables[] = {
    split_flags,      cli_to_flags, cli_window_flags, cli_transform_flags, cli_config_flags,
    cli_format_flags, NULL};

static const cli_column columns[] = {{.name = "part", .right = true},
                                     {.name = "file"},
                                     {.name = "tasks", .right = true},
                                     {.name = "first_submit", .right = true},
                                     {.name = "last_submit", .right = true}};

typedef struct part {
  int64_t key;
  char *path;
  cli_trace_out out;
  uint64_t tasks;
  hc_time first, last;
  bool is_open;
} part;

typedef struct splitting {
  cli *c;
  hc_trace *trace;
  rule rule;
  hc_time every, origin;
  uint64_t each, rest; /* tasks of a part; so many of the first parts have one more */
  size_t owner;        /* offset of the member */
  const char *word;    /* of the owner */
  const char *format;
  part **parts; /* each stays where it is: its writer writes to its file */
  size_t count, cap;
  cli_trace_facts facts;
  cli_trace_losses losses;
} splitting;

/* ---- how ---- */

static const struct {
  const char *word;
  size_t offset;
} owners[] = {{"user", offsetof(hc_task_spec, user)},
              {"group", offsetof(hc_task_spec, group)},
              {"queue", offsetof(hc_task_spec, queue)},
              {"partition", offsetof(hc_task_spec, partition)},
              {"executable", offsetof(hc_task_spec, executable)},
              {"status", 0}};

static hc_rc read_owner(splitting *s, const char *by)
{
  for (size_t i = 0; i < CLI_LEN(owners); i++) {
    if (strcmp(by, owners[i].word) != 0) continue;
    s->rule = BY_OWNER;
    s->owner = owners[i].offset;
    s->word = owners[i].word;
    return 0;
  }
  return cli_fail(s->c, HC_EUSAGE,
                  "--by: expected user, group, queue, partition, executable or status, got \"%.80s\"", by);
}

static int64_t owner_of(const splitting *s, const hc_task_spec *t)
{
  int64_t key;
  if (s->owner == 0) return t->status;
  memcpy(&key, (const char *)t + s->owner, sizeof key);
  return key;
}

static hc_rc read_rule(splitting *s)
{
  const char *every = cli_value(s->c, "every"), *parts = cli_value(s->c, "parts"),
             *by = cli_value(s->c, "by");
  const char *name = cli_value(s->c, "output");
  if (!!every + !!parts + !!by != 1)
    return cli_fail(s->c, HC_EUSAGE, "split how? Give one of --every 7d, --parts 4, --by user");
  if (name && !strchr(name, '%'))
    return cli_fail(s->c, HC_EUSAGE,
                    "--output: \"%.200s\" is one name for many parts; write %% where their number goes",
                    name);
  s->rule = BY_NUMBER;
  if (by) return read_owner(s, by);
  if (!every) return 0;
  s->rule = BY_TIME;
  if (hc_parse_time(every, strlen(every), &s->every) < 0 || s->every <= 0 || s->every == HC_NEVER)
    return cli_fail(s->c, HC_EUSAGE, "--every: expected a time such as 7d or 12h, got \"%.80s\"", every);
  return 0;
}

/* How many tasks there are, by a pass of its own. */
static hc_rc count_tasks(cli *c, hc_trace_mode mode, uint64_t *tasks)
{
  const hc_trace_options options = {.mode = mode};
  hc_trace_task task;
  hc_config *config;
  cli_progress line;
  hc_trace *t;
  hc_rc rc;
  for (size_t i = 0; i < c->operand_count; i++)
    if (strcmp(c->operands[i], "-") == 0)
      return cli_fail(
          c, HC_EUNSUPPORTED,
          "standard input cannot be read twice, as --parts does to count; save it to a file first");
  CLI_TRY(cli_trace_open(c, &options, &config, &t));
  cli_progress_begin(&line, c, "counting");
  while ((rc = hc_trace_next(t, &task, &c->error)) == 1)
    if (++*tasks % 4096 == 0 && !cli_progress_part(&line, 0, 0)) {
      rc = HC_ECANCELLED;
      break;
    }
  cli_progress_end(&line);
  return cli_trace_close(c, config, t, rc);
}

static hc_rc share_out(splitting *s, hc_trace_mode mode)
{
  int64_t n = 0;
  uint64_t tasks = 0;
  if (s->rule != BY_NUMBER) return 0;
  CLI_TRY(cli_int(s->c, "parts", 1, MOST_PARTS, &n));
  CLI_TRY(count_tasks(s->c, mode, &tasks));
  s->each = tasks / (uint64_t)n;
  s->rest = tasks % (uint64_t)n;
  return 0;
}

/* Which part a task goes to. `number` counts tasks from 0. */
static int64_t key_of(const splitting *s, const hc_task_spec *t, uint64_t number)
{
  uint64_t longer = s->rest * (s->each + 1);
  switch (s->rule) {
    case BY_TIME: return t->submit == HC_UNKNOWN ? 1 : (t->submit - s->origin) / s->every + 1;
    case BY_OWNER: return owner_of(s, t);
    case BY_NUMBER: break;
  }
  if (number < longer) return (int64_t)(number / (s->each + 1)) + 1;
  return (int64_t)(s->rest + (number - longer) / (s->each ? s->each : 1)) + 1;
}

/* ---- parts ---- */

static hc_rc name_part(const splitting *s, int64_t key, char **out)
{
  const char *name = cli_value(s->c, "output"), *ending = NULL;
  char stem[208], number[32];
  hc_buffer b;
  const hc_component *w = hc_registry_find(cli_registry(s->c), HC_KIND_WRITER, s->format);
  hc_buffer_init(&b, s->c->allocator);
  (void)snprintf(number, sizeof number, key < 0 ? "none" : "%" PRId64, key);
  if (!name) {
    if (w) ending = ((const hc_writer_type *)w)->ending;
    cli_stem(s->c->operand_count ? s->c->operands[0] : "part", stem, sizeof stem);
    hc_buffer_printf(&b, "%s-%s%s", stem, number, ending ? ending : "");
  }
  for (; name && *name; name++)
    if (*name == '%') hc_buffer_text(&b, number);
    else hc_buffer_add(&b, name, 1);
  *out = b.failed ? NULL : malloc(b.size + 1);
  if (*out) memcpy(*out, b.data, b.size + 1);
  hc_buffer_fini(&b);
  return *out ? 0 : cli_fail(s->c, HC_ENOMEM, "out of memory for the name of a part");
}

static hc_rc open_part(splitting *s, int64_t key, part **out)
{
  part *p;
  if (s->count >= (s->rule == BY_OWNER ? MOST_OPEN : MOST_PARTS))
    return cli_fail(s->c, HC_ELIMIT, "more than %zu parts; choose %s", s->count,
                    s->rule == BY_OWNER ? "fewer owners with --where" : "longer ones");
  if (s->count == s->cap) {
    size_t cap = s->cap ? 2 * s->cap : 16;
    part **parts = realloc(s->parts, cap * sizeof *parts);
    if (!parts) return cli_fail(s->c, HC_ENOMEM, "out of memory for parts");
    s->parts = parts;
    s->cap = cap;
  }
  p = calloc(1, sizeof *p);
  if (!p) return cli_fail(s->c, HC_ENOMEM, "out of memory for parts");
  p->key = key;
  s->parts[s->count++] = p;
  CLI_TRY(name_part(s, key, &p->path));
  CLI_TRY(cli_file_open(s->c, p->path, &p->out.file));
  p->is_open = true;
  *out = p;
  return cli_trace_out_begin(s->c, &p->out, s->format, s->trace, &s->facts);
}

static hc_rc close_part(splitting *s, part *p)
{
  hc_rc rc = hc_trace_writer_finish(p->out.writer, &s->c->error);
  p->is_open = false;
  cli_trace_losses_add(&s->losses, &p->out);
  if (rc < 0) {
    cli_trace_out_drop(&p->out);
    return rc;
  }
  hc_trace_writer_free(p->out.writer);
  p->out.writer = NULL;
  return cli_file_commit(&p->out.file);
}

static hc_rc find_part(splitting *s, int64_t key, part **out)
{
  if (s->rule == BY_OWNER) {
    for (size_t i = 0; i < s->count; i++) {
      if (s->parts[i]->key != key) continue;
      *out = s->parts[i];
      return 0;
    }
    return open_part(s, key, out);
  }
  if (s->count > 0 && s->parts[s->count - 1]->key == key) {
    *out = s->parts[s->count - 1];
    return 0;
  }
  if (s->count > 0) CLI_TRY(close_part(s, s->parts[s->count - 1]));
  return open_part(s, key, out);
}

static hc_rc put_task(splitting *s, const hc_trace_task *task, uint64_t number)
{
  part *p;
  CLI_TRY(find_part(s, key_of(s, &task->spec, number), &p));
  if (p->tasks++ == 0) p->first = task->spec.submit;
  p->last = task->spec.submit;
  return hc_trace_writer_task(p->out.writer, task, &s->c->error);
}

static hc_rc read_all(splitting *s)
{
  hc_trace_task task;
  cli_progress line;
  uint64_t n = 0;
  hc_rc rc = hc_trace_next(s->trace, &task, &s->c->error);
  if (rc < 0) return rc;
  CLI_TRY(cli_trace_facts_init(s->c, s->trace, "split", true, &s->facts));
  if (rc == 1 && task.spec.submit != HC_UNKNOWN) s->origin = task.spec.submit;
  cli_progress_begin(&line, s->c, "splitting");
  for (; rc == 1; rc = hc_trace_next(s->trace, &task, &s->c->error)) {
    hc_rc put = put_task(s, &task, n++);
    if (put >= 0 && !cli_progress_trace(&line, s->trace, n)) put = HC_ECANCELLED;
    if (put < 0) rc = put;
    if (rc < 0) break;
  }
  cli_progress_end(&line);
  if (rc >= 0) rc = cli_trace_settle(s->c);
  for (size_t i = 0; i < s->count && rc >= 0; i++)
    if (s->parts[i]->is_open) rc = close_part(s, s->parts[i]);
  return rc;
}

/* ---- the end ---- */

static int by_key(const void *a, const void *b)
{
  const part *x = *(part *const *)a, *y = *(part *const *)b;
  return (x->key > y->key) - (x->key < y->key);
}

static void show(splitting *s)
{
  cli_table t;
  cli_table_init(&t, s->c->allocator, columns, CLI_LEN(columns));
  if (s->rule == BY_OWNER) qsort(s->parts, s->count, sizeof *s->parts, by_key);
  for (size_t i = 0; i < s->count; i++) {
    const part *p = s->parts[i];
    char number[32];
    (void)snprintf(number, sizeof number, "%" PRId64, p->key);
    cli_add_pair(&t, number, NULL, false);
    cli_add_text(&t, p->path);
    cli_add_int(&t, (int64_t)p->tasks);
    cli_add_time(&t, p->first);
    cli_add_time(&t, p->last);
  }
  if (!cli_has(s->c, "quiet")) cli_table_show(s->c, &t);
  cli_table_fini(&t);
  cli_trace_losses_show(s->c, &s->losses);
  cli_trace_unused_show(s->c, hc_trace_rows(s->trace));
}

static void remove_parts(splitting *s)
{
  for (size_t i = 0; i < s->count; i++) {
    part *p = s->parts[i];
    if (p->is_open) cli_trace_out_drop(&p->out);
    else if (p->tasks > 0) (void)unlink(p->path);
  }
}

static hc_rc split(cli *c)
{
  const hc_trace_options options = {.mode = cli_has(c, "usable") ? HC_TRACE_TASKS : HC_TRACE_ROWS};
  splitting s = {.c = c};
  hc_config *config;
  hc_rc rc;
  CLI_TRY(read_rule(&s));
  cli_listen();
  CLI_TRY(share_out(&s, options.mode));
  CLI_TRY(cli_trace_open(c, &options, &config, &s.trace));
  s.format = cli_trace_format(c, cli_value(c, "output"));
  rc = read_all(&s);
  if (rc >= 0) show(&s);
  else remove_parts(&s);
  for (size_t i = 0; i < s.count; i++) {
    free(s.parts[i]->path);
    free(s.parts[i]);
  }
  free(s.parts);
  cli_trace_facts_fini(&s.facts);
  rc = cli_trace_close(c, config, s.trace, rc);
  return rc < 0 ? rc : 0;
}

const cli_command cli_trace_split = {
    .name = "split",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Write a workload in parts: by time, by number of tasks, or by whose they are.",
    .detail = "Times stay those of the whole log. Spans in which nothing was submitted make no part, so that "
              "numbers of parts may leave gaps. Prints which part holds what.",
    .examples = "hindcast trace split KTH.swf.gz --every 30d --output 'month-%.swf'\n"
                "hindcast trace split KTH.swf.gz --by user",
    .flags = split_tables,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = split,
};
