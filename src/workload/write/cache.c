/* cache.c -- writes a workload as it is, in a compact binary form that is read many times faster than any
 * text.
 *
 * Everything that is known of a task is kept, rare facts and names included; a run over the cache is the run
 * over its source. Up to 4096 tasks make a block, coded by columns; see workload/cache_format.h for the
 * bytes. Blocks have checksums, as has the whole. Of rows that the source's reader rejected or merged only
 * the numbers are kept, by reason.
 *
 * Memory: a block of tasks, and 4 bytes for each name. Cost: about 100 ns per task; 15 to 40 bytes for one of
 * a batch log. */
#include "workload/cache_format.h"
#include "workload/names.h"
#include "workload/writing.h"

#define VALUES (HC_COLUMNS * HC_CACHE_ROWS * sizeof(uint64_t))

struct hc_writer {
  const hc_writer_context *context;
  hc_out out;
  hc_task_spec tasks[HC_CACHE_CHUNK]; /* the last few */
  uint64_t *values;                   /* [HC_COLUMNS][HC_CACHE_ROWS] of the others of the block */
  uint64_t said;                      /* a bit for each column with a value */
  size_t count, gathered;             /* tasks of the block, and those of them in `values` */
  hc_cache_names names;
  hc_cache_fresh fresh;
  hc_buffer more, column, block;
  hc_map known;                   /* handle of rare facts -> number in the block */
  hc_map called[HC_CALLED_COUNT]; /* numbers whose names are written */
  hc_buffer calls, labels;        /* names that are new in the block; of its tasks, and their jobs */
  uint64_t call_count, label_count, labelled; /* and the row that was the last to have one */
  uint32_t more_count;
  uint64_t total, blocks, refers;
  hc_hash chain; /* of all checksums */
};

static void cache_close(hc_writer *w)
{
  const hc_allocator *a;
  if (!w) return;
  a = w->context->allocator;
  hc_out_close(&w->out);
  if (w->values) hc_free(a, w->values, VALUES);
  hc_cache_names_fini(&w->names);
  hc_buffer_fini(&w->fresh.names);
  hc_buffer_fini(&w->fresh.dimensions);
  hc_buffer_fini(&w->more);
  hc_buffer_fini(&w->column);
  hc_buffer_fini(&w->block);
  hc_map_fini(&w->known);
  for (int k = 0; k < HC_CALLED_COUNT; k++) hc_map_fini(&w->called[k]);
  hc_buffer_fini(&w->calls);
  hc_buffer_fini(&w->labels);
  hc_free(a, w, sizeof *w);
}

/* Write `w->block`, which begins with its frame, behind which `size` is filled in; then its checksum. */
static hc_rc write_part(hc_writer *w, size_t frame)
{
  uint8_t sum[HC_CACHE_SUM];
  uint64_t words[2];
  hc_buffer *b = &w->block;
  hc_hash h;
  if (b->failed) return HC_ENOMEM;
  hc_store_le((uint8_t *)b->data + frame + 4, b->size - frame - HC_CACHE_FRAME, 4);
  hc_hash_init(&h);
  hc_hash_add(&h, b->data, b->size);
  hc_hash_end(&h, words);
  hc_store_le(sum, words[0], 8);
  hc_store_le(sum + 8, words[1], 8);
  hc_hash_add(&w->chain, sum, sizeof sum);
  TRY(hc_out_add(&w->out, b->data, b->size));
  b->size = 0;
  return hc_out_add(&w->out, sum, sizeof sum);
}

static void put_frame(hc_buffer *b, uint32_t tag, uint64_t tasks, uint64_t number)
{
  hc_cache_put_fixed(b, tag, 4);
  hc_cache_put_fixed(b, 0, 4); /* the size */
  hc_cache_put_fixed(b, tasks, 4);
  hc_cache_put_fixed(b, number, 4);
}

static hc_rc write_head(hc_writer *w)
{
  hc_trace_info info = {.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  size_t frame;
  if (w->context->info) info = *w->context->info;
  hc_buffer_printf(&w->block, "%s%d\n", HC_CACHE_MAGIC, HC_CACHE_VERSION);
  frame = w->block.size;
  put_frame(&w->block, HC_CACHE_HEAD_TAG, 0, 0);
  hc_cache_put_info(&w->block, &info);
  if (w->block.size > HC_CACHE_PART) return HC_ELIMIT;
  return write_part(w, frame);
}

static hc_rc cache_open(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e)
{
  const hc_allocator *a = c->allocator;
  hc_writer *w = hc_alloc(a, sizeof *w);
  hc_rc rc;
  HC_UNUSED(options);
  if (!w) return HC_ENOMEM;
  w->context = c;
  hc_cache_names_init(&w->names, a, c->lexicon);
  hc_buffer_init(&w->fresh.names, a);
  hc_buffer_init(&w->fresh.dimensions, a);
  hc_buffer_init(&w->more, a);
  hc_buffer_init(&w->column, a);
  hc_buffer_init(&w->block, a);
  hc_map_init(&w->known, a);
  for (int k = 0; k < HC_CALLED_COUNT; k++) hc_map_init(&w->called[k], a);
  hc_buffer_init(&w->calls, a);
  hc_buffer_init(&w->labels, a);
  hc_hash_init(&w->chain);
  w->values = hc_alloc(a, VALUES);
  rc = w->values ? hc_out_open(&w->out, c) : HC_ENOMEM;
  if (rc == 0) rc = write_head(w);
  if (rc == HC_ELIMIT) rc = hc_fail(e, rc, "cache", 0, 0, "the header of the trace is longer than 32 MiB");
  if (rc < 0) cache_close(w);
  else *out = w;
  return rc;
}

/* ---- a block ---- */

/* Rare facts of the task as their number in the block. */
static hc_rc number_more(hc_writer *w, uint32_t handle, const hc_task_extras *m, uint32_t *out)
{
  hc_buffer *b = &w->column;
  *out = hc_map_get(&w->known, handle);
  if (*out != HC_MAP_NONE) return 0;
  b->size = 0;
  hc_cache_put_more(b, m, &w->names, &w->fresh);
  hc_cache_put(&w->more, b->size);
  hc_buffer_add(&w->more, b->data, b->size);
  *out = ++w->more_count;
  return hc_map_set(&w->known, handle, *out);
}

static void note_refers(hc_writer *w, const hc_task_spec *t, const hc_task_extras *m)
{
  for (size_t i = 0; i < m->after_count; i++) {
    const uint64_t how = t->job >= 0 && m->after[i].job == t->job ? HC_REFERS_JOB : HC_REFERS_ANY;
    w->refers = HC_MAX(w->refers, how);
  }
}

static void gather(hc_writer *w)
{
  hc_cache_gather(w->tasks, w->count - w->gathered, w->gathered, &w->said, w->values);
  w->gathered = w->count;
}

/* The names of dimensions that any task of the block needs. */
static void name_dimensions(hc_writer *w)
{
  for (uint32_t d = HC_DIM_OTHER; d < HC_NEEDS; d++)
    if (w->said >> (HC_COLUMN_NEED + d) & 1)
      (void)hc_cache_dimension(&w->names, &w->fresh.dimensions, &w->fresh.dimension_count, d);
}

static void put_columns(hc_writer *w)
{
  for (unsigned c = 0; c < HC_COLUMNS; c++) {
    const size_t before = w->block.size;
    if (!(w->said >> c & 1)) continue;
    hc_cache_encode(&w->block, c, w->count, w->values + (size_t)c * HC_CACHE_ROWS);
    if (w->block.failed || w->block.size == before) continue;
    if (c >= HC_COLUMN_NEED && c < HC_COLUMN_NEED + HC_NEEDS) /* by the dimensions of the file */
      w->block.data[before] = (char)(HC_COLUMN_NEED + w->names.dimension[c - HC_COLUMN_NEED]);
  }
}

static void put_section(hc_buffer *b, uint32_t count, hc_buffer *from)
{
  hc_cache_put(b, count);
  if (from->size > 0) hc_buffer_add(b, from->data, from->size);
  b->failed |= from->failed;
  from->size = 0;
}

/* ---- names ---- */

/* What a number is called, once; again if very many were since. */
static hc_rc call(hc_writer *w, hc_called kind, int64_t number)
{
  const char *name = hc_called_of(w->context, kind, number);
  hc_map *known = &w->called[kind];
  if (!name || hc_map_get(known, (uint64_t)number) != HC_MAP_NONE) return 0;
  if (known->count >= HC_NAME_LIMIT) {
    hc_map_fini(known);
    hc_map_init(known, w->context->allocator);
  }
  TRY(hc_map_set(known, (uint64_t)number, 0));
  hc_cache_put(&w->calls, (uint64_t)kind);
  hc_cache_put_signed(&w->calls, number);
  hc_cache_put_text(&w->calls, name, strlen(name));
  w->call_count++;
  return 0;
}

/* @param which  0: of the task, 1: of its job */
static void label(hc_writer *w, uint32_t handle, unsigned which)
{
  size_t n = 0;
  const char *text = handle != 0 ? hc_lexicon_label_text(w->context->lexicon, handle, &n) : NULL;
  const uint64_t row = w->count - 1;
  if (!text) return;
  hc_cache_put(&w->labels, (row - w->labelled) * 2 + which);
  hc_cache_put_text(&w->labels, text, n);
  w->labelled = row;
  w->label_count++;
}

static hc_rc take_names(hc_writer *w, const hc_task_spec *t)
{
  const int64_t numbers[] = {t->user, t->group, t->executable, t->queue, t->partition};
  if (!w->context->lexicon) return 0;
  for (size_t k = 0; k < HC_ARRAY_LEN(numbers); k++) TRY(call(w, (hc_called)k, numbers[k]));
  if (t->label != 0) label(w, t->label, 0);
  if (t->job_label != 0) label(w, t->job_label, 1);
  return 0;
}

static hc_rc write_names(hc_writer *w, hc_error *e)
{
  if (w->call_count + w->label_count == 0) return 0;
  put_frame(&w->block, HC_CACHE_NAMES_TAG, 0, w->blocks);
  hc_cache_put(&w->block, w->call_count);
  hc_buffer_add(&w->block, w->calls.data, w->calls.size);
  hc_cache_put(&w->block, w->label_count);
  if (w->labels.size > 0) hc_buffer_add(&w->block, w->labels.data, w->labels.size);
  w->block.failed |= w->calls.failed | w->labels.failed;
  if (w->block.size > HC_CACHE_PART)
    return hc_fail(e, HC_ELIMIT, "cache", 0, 0, "the names of block %llu of the cache are longer than 32 MiB",
                   (unsigned long long)w->blocks);
  w->calls.size = w->labels.size = 0;
  w->call_count = w->label_count = w->labelled = 0;
  return write_part(w, 0);
}

static hc_rc write_block(hc_writer *w, hc_error *e)
{
  if (w->count == 0) return 0;
  TRY(write_names(w, e));
  gather(w);
  name_dimensions(w);
  put_frame(&w->block, HC_CACHE_BLOCK_TAG, w->count, w->blocks);
  put_section(&w->block, w->fresh.name_count, &w->fresh.names);
  put_section(&w->block, w->fresh.dimension_count, &w->fresh.dimensions);
  put_section(&w->block, w->more_count, &w->more);
  put_columns(w);
  if (w->block.size > HC_CACHE_PART)
    return hc_fail(e, HC_ELIMIT, "cache", 0, 0,
                   "block %llu of the cache is longer than 32 MiB: a task in it has too "
                   "many predecessors or hosts",
                   (unsigned long long)w->blocks);
  TRY(write_part(w, 0));
  w->total += w->count;
  w->blocks++;
  w->count = w->gathered = 0;
  w->said = 0;
  w->fresh.name_count = w->fresh.dimension_count = w->more_count = 0;
  hc_map_fini(&w->known);
  hc_map_init(&w->known, w->context->allocator);
  return 0;
}

static hc_rc cache_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  hc_task_spec *t = &w->tasks[w->count++ % HC_CACHE_CHUNK];
  const hc_task_extras *m = hc_lexicon_more(w->context->lexicon, task->spec.more);
  HC_UNUSED(lost);
  *t = task->spec;
  t->more = 0;
  TRY(take_names(w, t));
  if (m) {
    TRY(number_more(w, task->spec.more, m, &t->more));
    note_refers(w, t, m);
  }
  if (w->count % HC_CACHE_CHUNK == 0) gather(w);
  if (w->count < HC_CACHE_ROWS && w->more.size < HC_CACHE_FACTS &&
      w->calls.size + w->labels.size < HC_CACHE_FACTS)
    return 0;
  return write_block(w, e);
}

static hc_rc write_rows(hc_writer *w)
{
  const hc_row_ledger *l = w->context->ledger;
  if (!l || !hc_cache_has_rows(l)) return 0;
  put_frame(&w->block, HC_CACHE_ROWS_TAG, 0, w->blocks);
  hc_cache_put_rows(&w->block, l);
  return write_part(w, 0);
}

static hc_rc cache_finish(hc_writer *w, hc_error *e)
{
  uint8_t end[HC_CACHE_END];
  uint64_t words[2];
  hc_hash h;
  TRY(write_block(w, e));
  TRY(write_rows(w));
  hc_store_le(end, HC_CACHE_END_TAG, 4);
  hc_store_le(end + 4, HC_CACHE_END - HC_CACHE_FRAME - HC_CACHE_SUM, 4);
  hc_store_le(end + 8, w->total, 8);
  hc_store_le(end + 16, w->blocks, 8);
  hc_store_le(end + 24, w->refers, 8);
  hc_hash_end(&w->chain, words);
  hc_store_le(end + 32, words[0], 8);
  hc_store_le(end + 40, words[1], 8);
  hc_hash_init(&h);
  hc_hash_add(&h, end, HC_CACHE_END - HC_CACHE_SUM);
  hc_hash_end(&h, words);
  hc_store_le(end + 48, words[0], 8);
  hc_store_le(end + 56, words[1], 8);
  TRY(hc_out_add(&w->out, end, sizeof end));
  return hc_out_flush(&w->out);
}

const hc_writer_type hc_writer_cache = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "cache",
         .summary =
             "a compact binary form that keeps everything and is read many times faster than the source",
         .detail =
             "It holds everything that is known of each task, names, and the facts of the trace itself. Only "
             "rows that the reader of the source rejected or merged are lost; their numbers are kept by "
             "reason. Columns are in blocks of 4096 tasks, each with a checksum; the reader `cache` refuses "
             "a file that is damaged, cut or of another version. A cache is no archive: keep the source."},
    .holds = ~(HC_FACT_BIT(ACCOUNT) | HC_FACT_BIT(QOS)),
    .ending = ".hct",
    .open = cache_open,
    .task = cache_task,
    .finish = cache_finish,
    .close = cache_close,
};
