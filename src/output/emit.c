/* emit.c -- see emit.h. A piece is 64 KiB: large enough that a sink's cost is nothing, small enough to
 * stream. */
#include "output/emit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/store.h"

#define PIECE ((size_t)1 << 16)
#define BLOCK 256

void hc_emit_init(hc_emit *m, const hc_allocator *a, const hc_sink *sink, hc_error *e)
{
  hc_buffer_init(&m->text, a);
  m->sink = sink;
  m->error = e;
  m->per_processor = 1;
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

static hc_rc look_for_units(void *ctx, const char *const *values)
{
  hc_emit *m = ctx;
  const bool is_it = values[0] && values[1] && strcmp(values[0], "units_of") == 0;
  if (is_it && (strcmp(values[1], "cpu") == 0 || strcmp(values[1], "gpu") == 0)) m->per_processor = 1000;
  return 0;
}

hc_rc hc_emit_units(hc_emit *m, hc_result *r)
{
  m->per_processor = 1;
  return hc_result_rows(r, "hindcast", 2, look_for_units, m, m->error);
}

void hc_emit_processors(hc_emit *m, int64_t units)
{
  char digits[8];
  int64_t rest = m->per_processor > 1 ? units % m->per_processor : 0;
  size_t n = 3;
  if (units == -1 || units == HC_UNKNOWN) return;
  hc_emit_int(m, units / m->per_processor);
  if (rest <= 0) return;
  digits[0] = (char)('0' + rest / 100);
  digits[1] = (char)('0' + rest / 10 % 10);
  digits[2] = (char)('0' + rest % 10);
  while (digits[n - 1] == '0') n--;
  hc_buffer_add(&m->text, ".", 1);
  hc_buffer_add(&m->text, digits, n);
}

int64_t hc_emit_whole_processors(const hc_emit *m, int64_t units)
{
  if (units < 0 || m->per_processor == 1) return units;
  return units / m->per_processor + (units % m->per_processor > 0);
}

static const char *number_text(int64_t n, char buf[24])
{
  buf[0] = '\0';
  if (n != -1 && n != HC_UNKNOWN) (void)snprintf(buf, 24, "%lld", (long long)n);
  return buf;
}

static hc_rc first_row(void *ctx, const char *const *values)
{
  HC_UNUSED(ctx);
  HC_UNUSED(values);
  return 1;
}

bool hc_emit_has_besides(hc_result *r)
{
  return hc_result_rows(r, "task_accounts", 3, first_row, NULL, NULL) == 1;
}

const char *hc_emit_called(hc_result *r, hc_called kind, int64_t number, char buf[24])
{
  const char *name = hc_result_name(r, kind, number);
  return name ? name : number_text(number, buf);
}

const char *hc_emit_task_called(hc_result *r, const hc_task_record *t, char buf[24])
{
  const char *name = hc_result_task_name(r, t->serial);
  return name ? name : number_text(t->id, buf);
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

/* By digits: a row of a schedule has six of them, and printf takes ten times as long. */
void hc_emit_fixed(hc_emit *m, hc_time t)
{
  uint64_t us = ((t < 0 ? 0 - (uint64_t)t : (uint64_t)t) + 500) / 1000;
  const bool is_negative = t < 0 && us > 0;
  char digits[32];
  size_t i = sizeof digits;
  for (int n = 0; n < 6; n++, us /= 10) digits[--i] = (char)('0' + us % 10);
  digits[--i] = '.';
  do {
    digits[--i] = (char)('0' + us % 10);
    us /= 10;
  } while (us > 0);
  if (is_negative) digits[--i] = '-';
  hc_buffer_add(&m->text, digits + i, sizeof digits - i);
}

void hc_emit_real_fixed(hc_emit *m, double value)
{
  const double most = 9e9;
  if (value <= most) hc_emit_fixed(m, (hc_time)(value * 1e9 + 0.5)); /* printf would ask the locale */
  else hc_emit_int(m, (int64_t)HC_MIN(value + 0.5, 9e18));
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
  rc = hc_emit_units(m, r);
  while (rc == 0 && (rewind || n > 0)) {
    rc = order == HC_EMIT_STORED ? hc_result_tasks(r, rewind, block, BLOCK, &n, m->error)
                                 : hc_result_tasks_sorted(r, rewind, block, BLOCK, &n, m->error);
    rewind = false;
    for (size_t i = 0; rc == 0 && i < n; i++) {
      rc = each(ctx, &block[i]);
      if (rc == 0) rc = hc_emit_row(m);
    }
  }
  hc_free(a, block, BLOCK * sizeof *block);
  return rc;
}

/* A fact that arithmetic may rely on: one beyond 2^60 was not written by the program, and is as good as none.
 * */
int64_t hc_emit_fact(hc_result *r, const char *key)
{
  const int64_t most = (int64_t)1 << 60, n = hc_result_fact(r, key, HC_UNKNOWN);
  return n >= -most && n <= most ? n : HC_UNKNOWN;
}

hc_rc hc_emit_number(hc_emit *m, const char *table, const char *text, int64_t low, int64_t high, int64_t *out)
{
  if (text && hc_parse_int(text, strlen(text), out) == 0 && *out >= low && *out <= high) return 0;
  return hc_fail(
      m->error, HC_EINPUT, table, 0, 0,
      "a row of this table has \"%.40s\" where a number from %lld to %lld belongs: the result is damaged; "
      "run "
      "the simulation again",
      text ? text : "", (long long)low, (long long)high);
}

hc_rc hc_emit_need_tasks(hc_result *r, bool every, hc_error *e)
{
  const char *rows = hc_result_config(r, "task_rows");
  if (!rows || strcmp(rows, "all") == 0 || (!every && strcmp(rows, "none") != 0)) return 0;
  return hc_fail(e, HC_EUSAGE, hc_result_path(r), 0, 0,
                 "the result has task_rows: %s, and this format needs %s; run it with task_rows: all", rows,
                 every ? "every task" : "tasks");
}
