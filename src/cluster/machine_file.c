/* machine_file.c -- what the machine files of traces have in common. */
#include "cluster/machine_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define MOST_NAME ((size_t)256)

hc_rc hc_machine_open(hc_machine_file *f, hc_host_builder *b, const char *use, const char *path, hc_error *e)
{
  memset(f, 0, sizeof *f);
  f->b = b;
  if (!path)
    return hc_fail(e, HC_EUSAGE, b->where, 0, 0,
                   "which file? Say it with file, as in cell: {use: %s, file: machines.csv}", use);
  TRY(hc_table_open(&f->t, b->c->allocator, path, e));
  f->t.separator = ',';
  b->where = f->t.name;
  return 0;
}

void hc_machine_close(hc_machine_file *f)
{
  hc_table_close(&f->t);
}

hc_rc hc_machine_next(hc_machine_file *f, hc_error *e)
{
  const hc_rc rc = hc_table_next(&f->t, e);
  f->rows += rc == 1;
  return rc;
}

bool hc_machine_is_titles(hc_machine_file *f, size_t column)
{
  double x;
  if (f->has_titles || f->rows != 1) return false;
  f->has_titles = hc_table_size(&f->t, column) > 0 && !hc_table_real(&f->t, column, &x);
  f->rows -= f->has_titles;
  return f->has_titles;
}

hc_rc hc_machine_reject(hc_machine_file *f, size_t column, const char *why, ...)
{
  va_list args;
  if (f->bad++ > 0) return 0;
  va_start(args, why);
  (void)vsnprintf(f->bad_why, sizeof f->bad_why, why, args);
  va_end(args);
  f->bad_line = (uint32_t)HC_MIN(f->t.line, UINT32_MAX);
  f->bad_column = column - 1 < f->t.count ? f->t.fields[column - 1].at : 0;
  return 0;
}

hc_rc hc_machine_end(hc_machine_file *f, const char *kind, hc_error *e)
{
  if (f->rows == 0) return hc_fail(e, HC_EINPUT, f->t.name, 0, 0, "the file has no rows: give %s", kind);
  if (f->bad == f->rows)
    return hc_fail(e, HC_EINPUT, f->t.name, f->bad_line, f->bad_column,
                   "no row of this file can be read as one of %s. The first: %s", kind, f->bad_why);
  if (f->bad > 0)
    hc_builder_note(f->b, "%" PRIu64 " %s left out, the first in line %u: %s", f->bad,
                    f->bad == 1 ? "row" : "rows", f->bad_line, f->bad_why);
  return 0;
}

/* ---- titles ---- */

/* The first of "a|b" that is there; 0 if none is. */
static size_t find_title(const hc_table *t, const char *titles, size_t n)
{
  while (n > 0) {
    const char *bar = memchr(titles, '|', n);
    const size_t one = bar ? (size_t)(bar - titles) : n;
    char word[64];
    size_t column;
    (void)snprintf(word, sizeof word, "%.*s", (int)HC_MIN(one, sizeof word - 1), titles);
    column = hc_table_column(t, word);
    if (column > 0) return column;
    titles += one + (bar != NULL);
    n -= one + (bar != NULL);
  }
  return 0;
}

hc_rc hc_machine_titles(hc_machine_file *f, const char *const *titles, size_t *columns, size_t count,
                        hc_error *e)
{
  const hc_rc rc = hc_table_next(&f->t, e);
  if (rc < 0) return rc;
  if (rc == 0) return hc_fail(e, HC_EINPUT, f->t.name, 0, 0, "the file is empty");
  if (hc_table_keep_titles(&f->t) < 0) return hc_fail(e, HC_ENOMEM, f->t.name, 0, 0, "out of memory");
  for (size_t i = 0; i < count; i++) {
    const bool optional = titles[i][0] == '(';
    const char *title = titles[i] + optional;
    const size_t n = strcspn(title, ")");
    columns[i] = find_title(&f->t, title, n);
    if (columns[i] == 0 && !optional)
      return hc_fail(e, HC_EINPUT, f->t.name, (uint32_t)HC_MIN(f->t.line, UINT32_MAX), 0,
                     "the first row has no title %.*s; is this the right file?", (int)strcspn(title, "|"),
                     title);
  }
  return 0;
}

/* ---- values ---- */

bool hc_machine_time(const hc_machine_file *f, size_t column, hc_time unit, hc_time *out)
{
  int64_t whole;
  double x;
  if (hc_table_whole(&f->t, column, &whole)) {
    if (whole < 0) return false;
    if (__builtin_mul_overflow(whole, unit, out)) *out = HC_NEVER;
    return true;
  }
  if (!hc_table_real(&f->t, column, &x) || x < 0) return false;
  x *= (double)unit;
  *out = x < 0x1p62 ? (hc_time)x : HC_NEVER;
  return true;
}

hc_rc hc_machine_host(hc_machine_file *f, size_t name, const hc_host_class *class, hc_error *e)
{
  const char *text = hc_table_text(&f->t, name);
  const size_t n = hc_table_size(&f->t, name);
  int64_t any = 0;
  uint32_t class_id, id;
  for (int d = 0; d < HC_DIMENSIONS; d++) any |= class->capacity[d];
  if (any == 0) return hc_machine_reject(f, 0, "a machine that has nothing");
  if (n == 0 || n > MOST_NAME)
    return hc_machine_reject(f, name, "a machine without a name of 1 to 256 bytes");
  if (hc_names_find(&f->b->names, text, n) != HC_MAP_NONE)
    return hc_machine_reject(f, name, "the machine \"%.80s\" stands there already", text);
  TRY(hc_builder_class(f->b, class, &class_id, e));
  return hc_builder_host(f->b, text, n, class_id, &id, e);
}

hc_rc hc_machine_gpus(hc_machine_file *f, size_t count, size_t model, hc_host_class *class,
                      hc_attribute *attribute, hc_error *e)
{
  static const char gpu_model[] = "gpu_model";
  int64_t gpus;
  if (!hc_table_whole(&f->t, count, &gpus) || gpus < 0 || gpus > HC_DEVICES)
    return hc_machine_reject(f, count, "expected a whole number of GPUs from 0 to %d, got \"%.80s\"",
                             HC_DEVICES, hc_table_text(&f->t, count));
  if (gpus == 0) return 1;
  class->capacity[HC_DIM_GPU] = gpus * HC_DEVICE;
  class->devices = (uint32_t)gpus;
  if (hc_table_size(&f->t, model) == 0) return 1;
  attribute->name = hc_lexicon_name(f->b->c->lexicon, gpu_model, sizeof gpu_model - 1);
  if (attribute->name == HC_NO_NAME) return hc_fail(e, HC_ENOMEM, f->t.name, 0, 0, "out of memory");
  TRY(hc_machine_value(f, model, attribute, e));
  class->attributes = attribute;
  class->attribute_count = 1;
  class->name = hc_table_text(&f->t, model);
  return 1;
}

hc_rc hc_machine_value(const hc_machine_file *f, size_t column, hc_attribute *out, hc_error *e)
{
  return hc_builder_value(f->b, hc_table_text(&f->t, column), hc_table_size(&f->t, column), out, e);
}

/* ---- lists of hosts ---- */

static hc_rc read_machine(hc_machine_file *f, const hc_machine_list *l, const size_t *column,
                          int64_t memory_scale, hc_error *e)
{
  const size_t cpus = column[HC_MACHINE_CPUS], memory = column[HC_MACHINE_MEMORY];
  hc_host_class class = {.name = "CPU", .speed = 1};
  hc_attribute model = {0};
  hc_rc rc;
  if (!hc_table_amount(&f->t, cpus, l->cpus, &class.capacity[HC_DIM_CPU]))
    return hc_machine_reject(f, cpus, "expected %s, got \"%.80s\"", l->cpus_are, hc_table_text(&f->t, cpus));
  if (l->memory_is && !hc_table_amount(&f->t, memory, (double)memory_scale, &class.capacity[HC_DIM_MEMORY]))
    return hc_machine_reject(f, memory, "expected %s, got \"%.80s\"", l->memory_is,
                             hc_table_text(&f->t, memory));
  rc = hc_machine_gpus(f, column[HC_MACHINE_GPUS], column[HC_MACHINE_MODEL], &class, &model, e);
  if (rc == 1) rc = hc_machine_host(f, column[HC_MACHINE_NAME], &class, e);
  return HC_MIN(rc, 0);
}

static hc_rc read_list(hc_machine_file *f, const hc_machine_list *l, int64_t memory_scale, hc_error *e)
{
  const bool has_titles = l->titles[HC_MACHINE_NAME] != NULL;
  size_t column[HC_MACHINE_COLUMNS];
  hc_rc rc;
  memcpy(column, l->columns, sizeof column);
  if (has_titles) TRY(hc_machine_titles(f, l->titles, column, HC_MACHINE_COLUMNS, e));
  while ((rc = hc_machine_next(f, e)) == 1)
    if (has_titles || !hc_machine_is_titles(f, column[HC_MACHINE_CPUS]))
      TRY(read_machine(f, l, column, memory_scale, e));
  return rc < 0 ? rc : hc_machine_end(f, l->kind, e);
}

hc_rc hc_machine_list_describe(const hc_cell_context *c, const hc_machine_list *l, const char *path,
                               int64_t memory_scale, hc_cell_spec *out, hc_error *e)
{
  char where[64];
  hc_machine_file f;
  hc_host_builder b;
  hc_rc rc;
  (void)snprintf(where, sizeof where, "cell %s", l->use);
  hc_builder_init(&b, c, where);
  rc = hc_machine_open(&f, &b, l->use, path, e);
  if (rc == 0) rc = read_list(&f, l, memory_scale, e);
  if (rc == 0) rc = hc_builder_finish(&b, out, e);
  hc_builder_fini(&b);
  hc_machine_close(&f);
  return rc;
}
