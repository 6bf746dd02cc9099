/* parts.c -- a table that comes in parts: a file, a list of files, a directory or a pattern, read as one.
 *
 * Large traces are published as hundreds of files that only together are in order. Their names are
 * gathered when the table is opened (base/files.c), and then one file at a time is open. What was counted of
 * one part (rows, malformed rows, the first of them) goes on into the next, so that the whole is judged as
 * one table. Cost: as delimited.c. */
#include "workload/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"

/* ---- which files ---- */

static hc_rc add_file(void *ctx, const char *name, hc_file_kind kind, uint64_t size, hc_error *e)
{
  hc_parts *p = ctx;
  const char *path = hc_arena_text(&p->texts, name, strlen(name));
  if (p->count == HC_PARTS_LIMIT)
    return hc_fail(e, HC_ELIMIT, p->what, 0, 0, "more than %zu files for one table: join some of them",
                   HC_PARTS_LIMIT);
  if (!path) return HC_ENOMEM;
  TRY(hc_reserve(p->allocator, (void **)&p->files, &p->cap, p->count + 1, sizeof *p->files));
  p->files[p->count++] = (hc_part_file){.path = path, .size = kind == HC_FILE_PLAIN ? size : 0};
  return 0;
}

/* ---- opening and moving ---- */

static hc_rc open_part(hc_parts *p, uint64_t part, hc_error *e)
{
  hc_delimited old = p->table;
  hc_rc rc;
  if (p->is_open) hc_delimited_close(&p->table);
  p->is_open = true;
  rc = hc_delimited_open(&p->table, p->allocator, p->files[part].path, e);
  p->table.separator = old.separator;
  p->table.quotes = old.quotes;
  p->table.comment = old.comment;
  p->table.s.rows = old.s.rows;
  p->table.s.malformed = old.s.malformed;
  p->table.s.bad_line = old.s.bad_line;
  p->table.s.bad_column = old.s.bad_column;
  memcpy(p->table.s.bad, old.s.bad, sizeof old.s.bad);
  p->table.s.has_header = old.s.has_header;
  p->files[part].before = p->s.lines;
  p->s.part = part;
  return rc;
}

hc_rc hc_parts_open(hc_parts *p, const hc_allocator *a, const char *what, const char *file,
                    const hc_list *more, hc_error *e)
{
  const char *const *texts = more ? more->items : NULL;
  memset(p, 0, sizeof *p);
  p->allocator = a;
  p->what = what;
  p->table.quotes = true;
  p->table.comment = "";
  p->begins = true;
  hc_arena_init(&p->texts, a);
  TRY(hc_files_expand(a, file, add_file, p, e)); /* opening says what is wrong with a name */
  for (size_t i = 0; more && i < more->count; i++) TRY(hc_files_expand(a, texts[i], add_file, p, e));
  return open_part(p, 0, e);
}

void hc_parts_close(hc_parts *p)
{
  if (!p->allocator) return;
  if (p->is_open) hc_delimited_close(&p->table);
  hc_free(p->allocator, p->files, p->cap * sizeof *p->files);
  hc_arena_fini(&p->texts);
  memset(p, 0, sizeof *p);
}

hc_rc hc_parts_next(hc_parts *p, hc_error *e)
{
  bool first = hc_input_lines(p->table.in) == 0;
  while (p->s.part < p->count) {
    const hc_rc rc = hc_delimited_next(&p->table, e);
    p->begins = first;
    if (rc != 0) return rc;
    if (p->s.part + 1 == p->count) {
      p->s.part = p->count;
      return 0;
    }
    p->s.lines += hc_input_lines(p->table.in);
    TRY(open_part(p, p->s.part + 1, e));
    first = true;
  }
  return 0;
}

uint64_t hc_parts_line(const hc_parts *p)
{
  return p->s.lines + p->table.s.line;
}

/* Mostly it is in the part at hand, or in the one before it. */
uint32_t hc_parts_find(const hc_parts *p, uint64_t *line)
{
  uint64_t part = HC_MIN(p->s.part, p->count - 1);
  while (part > 0 && *line <= p->files[part].before) part--;
  *line -= p->files[part].before;
  return (uint32_t)part;
}

const char *hc_parts_name(const hc_parts *p, uint32_t part)
{
  if (part >= p->count) return NULL;
  return strcmp(p->files[part].path, "-") == 0 ? "standard input" : p->files[part].path;
}

hc_rc hc_parts_refuse(const hc_parts *p, const hc_source_context *c, hc_reason why, hc_error *e)
{
  return hc_row_reject(c, p->table.name, p->table.s.line, 0, why, p->table.record, e);
}

hc_rc hc_parts_refuse_line(const hc_parts *p, const hc_source_context *c, uint64_t line, hc_reason why,
                           hc_error *e)
{
  const uint32_t part = hc_parts_find(p, &line);
  return hc_row_reject(c, hc_parts_name(p, part), line, 0, why, NULL, e);
}

hc_rc hc_parts_reject(hc_parts *p, const hc_source_context *c, const char *at, hc_error *e, const char *why,
                      ...)
{
  hc_delimited *d = &p->table;
  char text[sizeof d->s.bad] = {0};
  const uint32_t line = hc_line_number(d->s.line);
  const bool is_inside = at && at >= d->record && at <= d->record + d->length;
  const uint32_t column = is_inside ? (uint32_t)(at - d->record) + 1 : 0;
  va_list args;
  va_start(args, why);
  (void)vsnprintf(text, sizeof text, why, args);
  va_end(args);
  if (d->s.malformed++ == 0) {
    d->s.bad_line = line;
    d->s.bad_column = column;
    memcpy(d->s.bad, text, sizeof text);
  }
  if (c->strict) /* more than the ledger knows to say; the first error stays */
    (void)hc_fail(
        e, HC_EINPUT, d->name, line, column,
        "row rejected (malformed): %s; correct it, or leave out `strict` to count such rows and go on", text);
  return hc_row_reject(c, d->name, d->s.line, column, HC_REASON_MALFORMED, d->record, e);
}

hc_rc hc_parts_visit(hc_parts *p, hc_visitor *v, hc_error *e)
{
  uint64_t part = p->s.part;
  HC_VISIT(v, p->s);
  if (p->s.part > p->count) return HC_EINPUT;
  for (uint64_t i = 0; i <= p->s.part && i < p->count; i++) HC_VISIT(v, p->files[i].before);
  if (hc_visit_loading(v)) {
    for (uint64_t i = 0; i <= p->s.part && i < p->count; i++)
      if (p->files[i].before > p->s.lines || (i == 0 && p->files[i].before > 0)) return HC_EINPUT;
    if (!hc_input_seekable(p->table.in))
      return hc_fail(e, HC_EUNSUPPORTED, p->table.name, 0, 0,
                     "this input cannot be read twice: save it to a file first");
    part = p->s.part;
    TRY(open_part(p, HC_MIN(part, p->count - 1), e));
    p->s.part = part;
  }
  HC_VISIT(v, p->begins);
  return hc_delimited_visit(&p->table, v, e);
}

void hc_parts_progress(const hc_parts *p, uint64_t *done, uint64_t *total)
{
  uint64_t part_done = 0, part_total = 0, sum = 0;
  bool known = true;
  *done = 0;
  for (size_t i = 0; i < p->count; i++) {
    if (i < p->s.part && i + 1 < p->count) *done += p->files[i].size;
    sum += p->files[i].size;
    known &= p->files[i].size > 0;
  }
  hc_input_progress(p->table.in, &part_done, &part_total);
  *done += part_done;
  *total = p->count == 1 ? part_total : known ? sum : 0;
}
