/* write.c -- tasks as lines of the Standard Workload Format.
 *
 * Losslessly: seconds and KiB are written as whole numbers when they are, else with as many decimals as they
 * need. A KiB is 1024 bytes, so that ten decimals always suffice. Cost: about 150 ns per line. */
#include "hindcast/workload.h"

#include "base/text.h"
#include "base/util.h"

typedef struct line {
  char text[18 * 34];
  size_t size;
} line;

static void put_char(line *l, char c)
{
  if (l->size < sizeof l->text) l->text[l->size++] = c;
}

static void put_int(line *l, int64_t n)
{
  char digits[24];
  size_t i = sizeof digits;
  uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  if (n < 0) put_char(l, '-');
  do digits[--i] = (char)('0' + left % 10);
  while ((left /= 10) > 0);
  while (i < sizeof digits) put_char(l, digits[i++]);
}

/* `left` of `unit` parts of one, as ".5" with no zeros at the end. */
static void put_fraction(line *l, uint64_t left, uint64_t unit)
{
  put_char(l, '.');
  while (left > 0) {
    left *= 10;
    put_char(l, (char)('0' + left / unit));
    left %= unit;
  }
}

/* An amount in units of `unit`; -1 if not known. Negative amounts do not occur: the reader refuses them. */
static void put_amount(line *l, int64_t n, int64_t unit)
{
  put_char(l, ' ');
  if (n < 0 || n == HC_NEVER) {
    put_int(l, -1);
    return;
  }
  put_int(l, n / unit);
  if (n % unit) put_fraction(l, (uint64_t)(n % unit), (uint64_t)unit);
}

static void put_id(line *l, int64_t n)
{
  put_char(l, ' ');
  put_int(l, n);
}

void hc_swf_write_spec(hc_buffer *out, const hc_task_spec *t)
{
  line l;
  l.size = 0;
  put_int(&l, t->id);
  put_amount(&l, t->submit, HC_SECOND);
  put_amount(&l, t->wait, HC_SECOND);
  put_amount(&l, t->run, HC_SECOND);
  put_amount(&l, t->procs_used, 1);
  put_amount(&l, t->cpu_time, HC_SECOND);
  put_amount(&l, t->memory_used, 1024);
  put_amount(&l, t->procs_asked, 1);
  put_amount(&l, t->limit, HC_SECOND);
  put_amount(&l, t->memory_asked, 1024);
  put_id(&l, t->status);
  put_id(&l, t->user);
  put_id(&l, t->group);
  put_id(&l, t->executable);
  put_id(&l, t->queue);
  put_id(&l, t->partition);
  put_id(&l, t->preceding);
  put_amount(&l, t->think, HC_SECOND);
  put_char(&l, '\n');
  hc_buffer_add(out, l.text, l.size);
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
