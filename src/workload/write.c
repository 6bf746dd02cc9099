/* write.c -- tasks as lines of the Standard Workload Format.
 *
 * Losslessly: seconds and KiB are written as whole numbers when they are, else with as many decimals as they
 * need. A KiB is 1024 bytes, so that ten decimals always suffice. Cost: about 50 ns per line. */
#include "workload/writing.h"

/* An amount in units of `unit`; -1 if not known. Negative amounts do not occur: the reader refuses them. */
static inline char *put_amount(char *p, int64_t n, int64_t unit)
{
  *p++ = ' ';
  if (n < 0 || n == HC_NEVER) return hc_put_text(p, "-1");
  return n % unit == 0 ? hc_put_uint(p, (uint64_t)(n / unit)) : hc_put_parts(p, n, unit);
}

static inline char *put_id(char *p, int64_t n)
{
  *p++ = ' ';
  return hc_put_int(p, n);
}

char *hc_swf_put(char *p, const hc_task_spec *t, const hc_batch *b)
{
  p = hc_put_int(p, t->id);
  p = put_amount(p, t->submit, HC_SECOND);
  p = put_amount(p, t->wait, HC_SECOND);
  p = put_amount(p, t->run, HC_SECOND);
  p = put_amount(p, b->procs_used, 1);
  p = put_amount(p, t->cpu_time, HC_SECOND);
  p = put_amount(p, b->memory_used, 1024);
  p = put_amount(p, b->procs_asked, 1);
  p = put_amount(p, t->limit, HC_SECOND);
  p = put_amount(p, b->memory_asked, 1024);
  p = put_id(p, t->status);
  p = put_id(p, t->user);
  p = put_id(p, t->group);
  p = put_id(p, t->executable);
  p = put_id(p, t->queue);
  p = put_id(p, t->partition);
  p = put_id(p, t->preceding);
  p = put_amount(p, t->think, HC_SECOND);
  *p++ = '\n';
  return p;
}

void hc_swf_write_spec(hc_buffer *out, const hc_task_spec *t)
{
  const hc_batch b = {t->procs_used, t->procs_asked, t->memory_used, t->memory_asked};
  char line[HC_SWF_ROW];
  hc_buffer_add(out, line, (size_t)(hc_swf_put(line, t, &b) - line));
}

static void put_text(hc_buffer *out, const char *key, const char *value)
{
  if (!value) return;
  hc_buffer_printf(out, "; %s: ", key);
  for (const char *p = value; *p; p++) hc_buffer_add(out, *p == '\n' || *p == '\r' ? " " : p, 1);
  hc_buffer_add(out, "\n", 1);
}

static void put_number(hc_buffer *out, const char *key, int64_t value, bool said)
{
  if (said) hc_buffer_printf(out, "; %s: %lld\n", key, (long long)value);
}

void hc_swf_write_header(hc_buffer *out, const hc_trace_info *info, const char *note)
{
  if (info && info->header && info->header[0]) {
    hc_buffer_text(out, info->header);
    if (out->size > 0 && out->data[out->size - 1] != '\n') hc_buffer_add(out, "\n", 1);
  } else if (info) {
    put_text(out, "Version", "2.2");
    put_text(out, "Computer", info->computer);
    put_text(out, "Installation", info->installation);
    put_text(out, "Acknowledge", info->acknowledge);
    put_number(out, "MaxJobs", info->jobs, info->jobs >= 0);
    put_number(out, "MaxRecords", info->records, info->records >= 0);
    put_number(out, "UnixStartTime", info->unix_start, info->unix_start >= 0);
    put_text(out, "TimeZoneString", info->zone);
    put_number(out, "MaxNodes", info->nodes, info->nodes > 0);
    put_number(out, "MaxProcs", info->processors, info->processors > 0);
  }
  put_text(out, "Note", note);
}
