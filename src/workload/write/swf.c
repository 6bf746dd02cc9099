/* swf.c -- writes the Standard Workload Format: a header and a line of 18 numbers for each task.
 *
 * The header is the source's own, as it stood, if it was of this format; else it is made from what the source
 * says of itself, and the source's comments follow as notes. Times and memory are written exactly, with
 * decimals where they need them. A task that has no number of processors but a vector gets whole cores for
 * it. A bundle becomes as many lines. Source: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html.
 * Cost: about 60 ns per line. */
#include "workload/writing.h"

struct hc_writer {
  hc_rows rows;
};

/* Whether any of the comments is of this format. */
static bool is_header_of_swf(const char *header)
{
  while (*header) {
    const char *line = header + strspn(header, " \t");
    if (*line == ';') return true;
    header += strcspn(header, "\n");
    header += *header == '\n';
  }
  return false;
}

/* Comments of another format, without their mark. */
static void add_notes(hc_buffer *b, const char *header)
{
  while (*header) {
    const size_t n = strcspn(header, "\n");
    size_t mark = 0;
    while (mark < n && (header[mark] == '#' || header[mark] == ' ' || header[mark] == '\t')) mark++;
    if (mark < n) {
      hc_buffer_text(b, "; Note: ");
      hc_buffer_add(b, header + mark, n - mark);
      hc_buffer_add(b, "\n", 1);
    }
    header += n + (header[n] == '\n');
  }
}

static hc_rc write_head(hc_writer *w)
{
  hc_trace_info info = {.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  const char *foreign = NULL;
  hc_buffer b;
  hc_rc rc;
  if (w->rows.context->info) info = *w->rows.context->info;
  if (info.header && info.header[0] && !is_header_of_swf(info.header)) {
    foreign = info.header;
    info.header = NULL;
  }
  hc_buffer_init(&b, w->rows.context->allocator);
  hc_swf_write_header(&b, &info, NULL);
  if (foreign) add_notes(&b, foreign);
  hc_swf_write_header(&b, NULL, w->rows.context->note);
  rc = b.failed ? HC_ENOMEM : hc_out_add(&w->rows.out, b.data, b.size);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc swf_open(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e)
{
  hc_rc rc;
  HC_UNUSED(options);
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  rc = write_head(*out);
  if (rc < 0) hc_rows_close(*out);
  return rc;
}

static hc_rc swf_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_batch b = hc_batch_of(t, lost);
  const int64_t rows = t->count > 1 ? t->count : 1;
  TRY(hc_rows_allowed(t, rows, "swf", e));
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, hc_swf_put(row, t, &b));
  }
  return 0;
}

const hc_writer_type hc_writer_swf = {
    .component = {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "swf",
                  .summary = "Standard Workload Format of the Parallel Workloads Archive",
                  .detail =
                      "18 numbers a line, seconds and KiB per processor, exactly. A task that has a vector "
                      "instead of processors gets ceil(cores) for each host, and its memory divided among "
                      "them, rounded up. A bundle becomes as many lines.",
                  .source = "https://www.cs.huji.ac.il/labs/parallel/workload/swf.html"},
    .holds = HC_HOLDS_BATCH | HC_FACT_BIT(PRECEDING) | HC_FACT_BIT(THINK) | HC_FACT_BIT(BUNDLE),
    .ending = ".swf",
    .open = swf_open,
    .task = swf_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
