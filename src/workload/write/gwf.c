/* gwf.c -- writes the Grid Workload Format: comments that begin with #, and a line of 29 columns for each
 * task.
 *
 * The first 16 columns are those of the Standard Workload Format; of the other 13 only the disk space asked
 * for (column 26, KB of 1024 bytes) is known here, and all else is -1. Every task is UNITARY. Times count
 * from the trace's own origin, which a comment names. A task that has no number of processors but a vector
 * gets whole cores for it. A bundle becomes as many lines. Source: Iosup et al., "The Grid Workloads
 * Archive", FGCS 24(7), 2008, doi:10.1016/j.future.2008.02.003. Cost: about 80 ns per line. */
#include "workload/writing.h"

struct hc_writer {
  hc_rows rows;
};

static void put_fact(hc_buffer *b, const char *key, const char *value)
{
  if (!value || !value[0]) return;
  hc_buffer_printf(b, "# %s: ", key);
  for (; *value; value++) hc_buffer_add(b, *value == '\n' || *value == '\r' ? " " : value, 1);
  hc_buffer_text(b, "\n");
}

static void put_count(hc_buffer *b, const char *key, int64_t n, bool said)
{
  if (said) hc_buffer_printf(b, "# %s: %lld\n", key, (long long)n);
}

static hc_rc write_head(hc_writer *w)
{
  static const char titles[] =
      "# JobID SubmitTime WaitTime RunTime NProcs AverageCPUTimeUsed UsedMemory ReqNProcs ReqTime ReqMemory "
      "Status UserID GroupID ExecutableID QueueID PartitionID OrigSiteID LastRunSiteID JobStructure "
      "JobStructureParams UsedNetwork UsedLocalDiskSpace UsedResources ReqPlatform ReqNetwork "
      "ReqLocalDiskSpace ReqResources VOID ProjectID\n";
  const hc_trace_info *i = w->rows.context->info;
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, w->rows.context->allocator);
  if (i) {
    put_fact(&b, "Computer", i->computer);
    put_fact(&b, "Installation", i->installation);
    put_fact(&b, "Acknowledge", i->acknowledge);
    put_count(&b, "UnixStartTime", i->unix_start, i->unix_start != HC_UNKNOWN);
    put_count(&b, "MaxProcs", i->processors, i->processors > 0);
    put_count(&b, "MaxNodes", i->nodes, i->nodes > 0);
  }
  put_fact(&b, "Note", w->rows.context->note);
  hc_buffer_text(&b, titles);
  rc = b.failed ? HC_ENOMEM : hc_out_add(&w->rows.out, b.data, b.size);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc gwf_open(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e)
{
  hc_rc rc;
  HC_UNUSED(options);
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  rc = write_head(*out);
  if (rc < 0) hc_rows_close(*out);
  return rc;
}

static hc_rc gwf_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_batch b = hc_batch_of(t, lost);
  const int64_t rows = t->count > 1 ? t->count : 1, disk = t->need[HC_DIM_DISK];
  TRY(hc_rows_allowed(t, rows, "gwf", e));
  for (int64_t i = 0; i < rows; i++) {
    char *row, *p;
    int blanks = 0;
    TRY(hc_out_row(&w->rows.out, &row));
    /* The other format's line, of which columns 17 and 18 are written over. */
    for (p = hc_swf_put(row, t, &b); blanks < 2;) blanks += *--p == ' ';
    p = hc_put_text(p, " -1 -1 UNITARY -1 -1 -1 -1 -1 -1 ");
    p = disk >= 0 ? hc_put_parts(p, disk, 1024) : hc_put_text(p, "-1");
    p = hc_put_text(p, " -1 -1 -1\n");
    hc_out_end(&w->rows.out, p);
  }
  return 0;
}

const hc_writer_type hc_writer_gwf = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "gwf",
         .summary = "Grid Workload Format of the Grid Workloads Archive",
         .detail = "29 columns a line: the first 16 as in swf, of the others only the disk space asked for. "
                   "Times count from the trace's origin. A task that has a vector instead of processors gets "
                   "ceil(cores) for each host. A bundle becomes as many lines.",
         .source = "doi:10.1016/j.future.2008.02.003"},
    .holds = HC_HOLDS_BATCH | HC_FACT_BIT(DISK) | HC_FACT_BIT(BUNDLE),
    .ending = ".gwf",
    .open = gwf_open,
    .task = gwf_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
