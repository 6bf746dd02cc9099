/* emit.c -- see emit.h. A piece is 64 KiB: large enough that a sink's cost is nothing, small enough to
 * stream. */
#include "output/emit.h"

#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/parts.h"

#define PIECE ((size_t)1 << 16)
#define BLOCK 256

void hc_emit_init(hc_emit *m, const hc_allocator *a, const hc_sink *sink, hc_error *e)
{
  hc_buffer_init(&m->text, a);
  m->sink = sink;
  m->error = e;
}

static hc_rc hand_over(hc_emit *m)
{
  hc_rc rc;
  if (m->text.failed)
    return hc_fail(m->error, HC_ENOMEM, "export", 0, 0, "out of memory while writing the export");
  if (m->text.size == 0) return 0;
  rc = m->sink->write(m->sink->ctx, m->text.data, m->text.size);
  m->text.size = 0;
  if (rc < 0)
    return hc_fail(m->error, rc, "export", 0, 0, "the export could not be written: %s", hc_rc_text(rc));
  return 0;
}

hc_rc hc_emit_row(hc_emit *m)
{
  return m->text.size >= PIECE || m->text.failed ? hand_over(m) : 0;
}

hc_rc hc_emit_end(hc_emit *m, hc_rc rc)
{
  if (rc >= 0) rc = hand_over(m);
  hc_buffer_fini(&m->text);
  return rc < 0 ? rc : 0;
}

void hc_emit_int(hc_emit *m, int64_t n)
{
  char digits[24];
  size_t i = sizeof digits;
  uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  do {
    digits[--i] = (char)('0' + u % 10);
    u /= 10;
  } while (u > 0);
  if (n < 0) digits[--i] = '-';
  hc_buffer_add(&m->text, digits + i, sizeof digits - i);
}

void hc_emit_seconds(hc_emit *m, hc_time t, const char *missing)
{
  char text[32];
  if (t == HC_UNKNOWN || t == HC_NEVER) {
    hc_buffer_text(&m->text, missing);
    return;
  }
  hc_buffer_add(&m->text, text, hc_format_seconds(t, text));
}

void hc_emit_fixed(hc_emit *m, hc_time t)
{
  uint64_t us = ((t < 0 ? 0 - (uint64_t)t : (uint64_t)t) + 500) / 1000;
  hc_buffer_printf(&m->text, "%s%llu.%06llu", t < 0 && us > 0 ? "-" : "", (unsigned long long)(us / 1000000),
                   (unsigned long long)(us % 1000000));
}

hc_rc hc_emit_tasks(hc_emit *m, hc_result *r, hc_emit_order order,
                    hc_rc (*each)(void *ctx, const hc_task_record *t), void *ctx)
{
  const hc_allocator *a = m->text.allocator;
  hc_task_record *block = hc_alloc(a, BLOCK * sizeof *block);
  bool rewind = true;
  size_t n = 0;
  hc_rc rc = 0;
  if (!block) return hc_fail(m->error, HC_ENOMEM, "export", 0, 0, "out of memory while reading tasks");
  do {
    rc = order == HC_EMIT_STORED ? hc_result_tasks(r, rewind, block, BLOCK, &n, m->error)
                                 : hc_result_tasks_sorted(r, rewind, block, BLOCK, &n, m->error);
    rewind = false;
    for (size_t i = 0; rc == 0 && i < n; i++) {
      rc = each(ctx, &block[i]);
      if (rc == 0) rc = hc_emit_row(m);
    }
  } while (rc == 0 && n > 0);
  hc_free(a, block, BLOCK * sizeof *block);
  return rc;
}

int64_t hc_emit_fact(hc_result *r, const char *key)
{
  return hc_result_fact(r, key, HC_UNKNOWN);
}

hc_rc hc_emit_need_tasks(hc_result *r, bool every, hc_error *e)
{
  const char *rows = hc_result_config(r, "task_rows");
  if (!rows || strcmp(rows, "all") == 0 || (!every && strcmp(rows, "none") != 0)) return 0;
  return hc_fail(e, HC_EUSAGE, hc_result_path(r), 0, 0,
                 "the result has task_rows: %s, and this format needs %s; run it with task_rows: all", rows,
                 every ? "every task" : "tasks");
}
