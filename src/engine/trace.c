/* trace.c -- opens what a configuration says arrives, without a run.
 *
 * The machine matters only for what is too large, so a cell that cannot be had (no size given, none in the
 * log) is no error here: nothing is too large then. */
#include "workload/trace.h"
#include "base/util.h"
#include "engine/config.h"

static void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

/* Processors of the configured machine; 0 if that cannot be said. */
static int64_t ask_cell(const hc_allocator *a, const hc_run_options *o, const hc_trace_info *info,
                        hc_lexicon *lexicon)
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
  hc_arena_fini(&arena);
  return rc < 0 || spec.granularity == HC_CELL_HOSTS ? 0 : spec.units;
}

hc_rc hc_trace_open(const hc_allocator *a, hc_config *c, const hc_trace_options *options, hc_trace **out,
                    hc_error *e)
{
  const hc_run_options *o;
  hc_source_context context = {.allocator = a};
  hc_stream_options stream = {0};
  hc_trace *t;
  TRY(hc_config_resolve(c, e));
  o = hc_config_options(c);
  context.seed = (uint64_t)o->seed;
  context.replication = (uint64_t)o->replication;
  context.strict = o->strict;
  context.rejected = options->rejected;
  context.rejected_ctx = options->rejected_ctx;
  stream.sources = o->source.items;
  stream.source_count = o->source.count;
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
  TRY(hc_trace_make(&context, &stream, &t, e));
  hc_trace_set_capacity(t, ask_cell(a, o, hc_trace_facts(t), hc_trace_lexicon(t)));
  *out = t;
  return 0;
}
