/* trace.c -- workloads without a run: opens what a configuration says arrives, writes it in any format, sorts
 * the lines of its file.
 *
 * The machine matters only for what is too large, so a cell that cannot be had (no size given, none in the
 * log) is no error here: nothing is too large then. */
#include "workload/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/blame.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "setup/config.h"

/* ---- reading ---- */

static void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

/* Whole cores of the hosts that are there at first. */
static int64_t count_cores(const hc_cell_spec *spec)
{
  int64_t cores = 0;
  for (uint32_t h = 0; h < spec->units; h++)
    if (!spec->absent || !spec->absent[h]) cores += spec->classes[spec->class_of[h]].capacity[HC_DIM_CPU];
  return cores / 1000;
}

/* Processors of the configured machine; 0 if that cannot be said. @param cores  those of hosts count */
static int64_t ask_cell(const hc_allocator *a, const hc_run_options *o, const hc_trace_info *info,
                        hc_lexicon *lexicon, bool cores)
{
  const hc_cell_type *type = (const hc_cell_type *)o->cell.type;
  hc_cell_spec spec = {0};
  hc_error ignored = {0};
  hc_arena arena;
  hc_rc rc;
  if (!type) return 0;
  hc_arena_init(&arena, a);
  rc = type->describe(
      &(hc_cell_context){
          .allocator = a, .alloc = arena_alloc, .arena = &arena, .trace = info, .lexicon = lexicon},
      o->cell.options, &spec, &ignored);
  const bool on_hosts = rc >= 0 && spec.granularity == HC_CELL_HOSTS;
  const int64_t units = rc < 0 ? 0 : !on_hosts ? spec.units : cores ? count_cores(&spec) : 0;
  hc_arena_fini(&arena);
  return units;
}

int64_t hc_trace_processors(const hc_allocator *a, const hc_config *c, hc_trace *t)
{
  return ask_cell(a, hc_config_options(c), hc_trace_facts(t), hc_trace_lexicon(t), true);
}

static hc_rc read_profile(const hc_registry *r, hc_arena *a, const hc_value *tree, hc_chosen *out,
                          hc_error *e)
{
  const hc_resolver by = {.registry = r, .arena = a};
  return hc_resolve_component(&by, HC_KIND_PROFILE, tree, "profile", out, e);
}

hc_rc hc_trace_open(const hc_allocator *a, hc_config *c, const hc_trace_options *options, hc_trace **out,
                    hc_error *e)
{
  const hc_run_options *o;
  hc_source_context context = {.allocator = a};
  hc_stream_options stream = {0};
  hc_trace *t;
  hc_rc rc;
  TRY(hc_config_resolve(c, e));
  o = hc_config_options(c);
  context.seed = (uint64_t)o->seed;
  context.replication = (uint64_t)o->replication;
  context.strict = o->strict;
  context.rejected = options->rejected;
  context.rejected_ctx = options->rejected_ctx;
  stream.sources = o->source.items;
  stream.source_count = o->source.count;
  stream.users = o->users;
  stream.prefixes = o->prefix;
  stream.transforms = o->transforms.items;
  stream.transform_count = o->transforms.count;
  stream.window = (size_t)o->sort_window;
  stream.raw = options->mode == HC_TRACE_ROWS;
  stream.admission = (hc_admission){.processors = (hc_processors)o->processors,
                                    .overrun = (hc_overrun)o->overrun,
                                    .no_limit = (hc_no_limit)o->no_limit,
                                    .assumed_limit = o->assumed_limit,
                                    .zero_length = (hc_zero_length)o->zero_length,
                                    .too_large = (hc_too_large)o->too_large,
                                    .cancelled = (hc_cancelled)o->cancelled,
                                    .believe_waiting = (hc_believe)o->believe_waiting,
                                    .believe_running = (hc_believe)o->believe_running};
  rc = hc_trace_make(&context, &stream, &(hc_trace_laws){hc_config_registry(c), read_profile},
                     (size_t)options->most_names, &t, e);
  if (rc < 0) hc_config_place(c, e);
  if (rc < 0) return rc;
  if (options->renumber) hc_trace_renumber(t);
  hc_trace_set_capacity(t, ask_cell(a, o, hc_trace_facts(t), hc_trace_lexicon(t), false));
  *out = t;
  return 0;
}

/* ---- writing ---- */

struct hc_trace_writer {
  hc_arena arena; /* of the options */
  hc_writer_context context;
  const hc_writer_type *type;
  hc_writer *self;
  uint64_t written, left_out, lost[HC_FACT_COUNT];
};

hc_rc hc_trace_writer_new(const hc_registry *r, const char *format, const char *const *settings, size_t count,
                          const hc_writer_context *context, hc_trace_writer **out, hc_error *e)
{
  const hc_settings chosen_by = {.kind = HC_KIND_WRITER,
                                 .name = format,
                                 .settings = settings,
                                 .count = count,
                                 .flag = "--option",
                                 .expected = "option=value, such as memory_scale=256GiB",
                                 .path = "to"};
  hc_chosen chosen = {0};
  hc_trace_writer *w = hc_alloc(context->allocator, sizeof *w);
  hc_rc rc;
  if (!w) return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the writer");
  w->context = *context;
  hc_arena_init(&w->arena, context->allocator);
  rc = hc_resolve_settings(&(hc_resolver){.registry = r, .arena = &w->arena}, &chosen_by, &chosen, e);
  if (rc >= 0) {
    w->type = (const hc_writer_type *)chosen.type;
    rc = hc_blame(chosen.type, w->type->open(&w->context, chosen.options, &w->self, e), e);
  }
  if (rc < 0) {
    hc_trace_writer_free(w);
    return rc == HC_ENOMEM ? hc_fail(e, rc, "", 0, 0, "out of memory for the writer") : rc;
  }
  *out = w;
  return 0;
}

/* A number that is written as its name is, or is called by itself behind its source's prefix ("b/7"), has no
 * name. */
static bool is_name(const hc_lexicon *l, hc_called kind, const char *text, int64_t number)
{
  char own[32];
  (void)snprintf(own, sizeof own, "%" PRId64, number);
  return strcmp(text, own) != 0 && !hc_lexicon_is_made(l, kind, number);
}

/* Which of its numbers have names: facts of the trace rather than of the task. */
static uint64_t names_of(const hc_lexicon *l, const hc_task_spec *t)
{
  const struct {
    hc_called kind;
    int64_t number;
    uint64_t fact;
  } all[] = {{HC_CALLED_USER, t->user, HC_FACT_BIT(USER_NAME)},
             {HC_CALLED_GROUP, t->group, HC_FACT_BIT(GROUP_NAME)},
             {HC_CALLED_EXECUTABLE, t->executable, HC_FACT_BIT(EXECUTABLE_NAME)},
             {HC_CALLED_QUEUE, t->queue, HC_FACT_BIT(QUEUE_NAME)},
             {HC_CALLED_PARTITION, t->partition, HC_FACT_BIT(PARTITION_NAME)},
             {HC_CALLED_ACCOUNT, t->account > 0 ? t->account : -1, HC_FACT_BIT(ACCOUNT_NAME)},
             {HC_CALLED_QOS, t->qos > 0 ? t->qos : -1, HC_FACT_BIT(QOS_NAME)}};
  uint64_t out = 0;
  for (size_t i = 0; l && i < HC_ARRAY_LEN(all); i++) {
    const char *text = all[i].number >= 0 ? hc_lexicon_called(l, all[i].kind, all[i].number) : NULL;
    if (text && is_name(l, all[i].kind, text, all[i].number)) out |= all[i].fact;
  }
  const hc_task_extras *m = (out & HC_FACT_BIT(PARTITION_NAME)) ? hc_lexicon_more(l, t->more) : NULL;
  if (m && m->set != HC_NO_NAME)
    out &= ~HC_FACT_BIT(PARTITION_NAME); /* it is the set's, which is a fact of its own */
  return out;
}

/* Of what is lost itself, the name is not lost beside it. */
static uint64_t without_names_of_lost(uint64_t lost)
{
  if (lost & HC_FACT_BIT(USER)) lost &= ~HC_FACT_BIT(USER_NAME);
  if (lost & HC_FACT_BIT(GROUP)) lost &= ~HC_FACT_BIT(GROUP_NAME);
  if (lost & HC_FACT_BIT(EXECUTABLE)) lost &= ~HC_FACT_BIT(EXECUTABLE_NAME);
  if (lost & HC_FACT_BIT(QUEUE)) lost &= ~HC_FACT_BIT(QUEUE_NAME);
  if (lost & HC_FACT_BIT(PARTITION)) lost &= ~HC_FACT_BIT(PARTITION_NAME);
  if (lost & HC_FACT_BIT(ACCOUNT)) lost &= ~HC_FACT_BIT(ACCOUNT_NAME);
  if (lost & HC_FACT_BIT(QOS)) lost &= ~HC_FACT_BIT(QOS_NAME);
  if (lost & HC_FACT_BIT(ID)) lost &= ~HC_FACT_BIT(LABEL);
  if (lost & HC_FACT_BIT(JOB)) lost &= ~HC_FACT_BIT(JOB_LABEL);
  return lost;
}

hc_rc hc_trace_writer_task(hc_trace_writer *w, const hc_trace_task *t, hc_error *e)
{
  uint64_t lost = 0;
  if (~w->type->holds != 0)
    lost = (hc_task_facts(&t->spec, w->context.lexicon) | names_of(w->context.lexicon, &t->spec)) &
           ~w->type->holds;
  const hc_rc rc = w->type->task(w->self, t, &lost, e);
  if (rc < 0) return rc == HC_ENOMEM ? hc_fail(e, rc, "", 0, 0, "out of memory for what is written") : rc;
  if (rc == 1) {
    w->left_out++;
    return 0;
  }
  w->written++;
  lost = without_names_of_lost(lost);
  for (; lost != 0; lost &= lost - 1) w->lost[__builtin_ctzll(lost)]++;
  return 0;
}

hc_rc hc_trace_writer_finish(hc_trace_writer *w, hc_error *e)
{
  return w->type->finish ? w->type->finish(w->self, e) : 0;
}

uint64_t hc_trace_writer_written(const hc_trace_writer *w)
{
  return w->written;
}

uint64_t hc_trace_writer_left_out(const hc_trace_writer *w)
{
  return w->left_out;
}

uint64_t hc_trace_writer_lost(const hc_trace_writer *w, hc_fact fact)
{
  return (unsigned)fact < HC_FACT_COUNT ? w->lost[fact] : 0;
}

const hc_writer_type *hc_trace_writer_format(const hc_trace_writer *w)
{
  return w->type;
}

void hc_trace_writer_free(hc_trace_writer *w)
{
  const hc_allocator *a;
  if (!w) return;
  a = w->context.allocator;
  if (w->self) w->type->close(w->self);
  hc_arena_fini(&w->arena);
  hc_free(a, w, sizeof *w);
}

/* ---- sorting ---- */

/* The file that a reader's options name; NULL if its format has none. */
static const char *file_of(const hc_chosen *c)
{
  const char *path = NULL;
  for (const hc_param *p = c->type->params; p && p->name; p++)
    if (strcmp(p->name, "file") == 0 && p->type == HC_TEXT && !p->list)
      memcpy(&path, (const char *)c->options + p->offset, sizeof path);
  return path;
}

hc_rc hc_trace_sort_source(const hc_allocator *a, hc_config *c, const char *out, const hc_sort_options *o,
                           hc_error *e)
{
  hc_sort_options sort = *o;
  const hc_chosen *source;
  const char *file;
  TRY(hc_config_resolve(c, e));
  source = hc_config_options(c)->source.items;
  if (hc_config_options(c)->source.count != 1)
    return hc_fail(e, HC_EUSAGE, "", 0, 0,
                   "lines of one log are sorted; `hindcast trace merge` puts several together");
  file = file_of(source);
  if (!file || !file[0])
    return hc_fail(e, HC_EUSAGE, "", 0, 0, "the source %s is no file whose lines could be sorted",
                   source->type->name);
  sort.format = (const hc_reader_type *)source->type;
  sort.options = source->options;
  return hc_sort_lines(a, file, out, &sort, e);
}
