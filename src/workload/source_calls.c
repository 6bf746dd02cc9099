/* source_calls.c -- what readers in shared objects have of the library: lines of files, names as numbers,
 * rows that are rejected.
 *
 * Built-in readers call the functions behind it themselves (base/input.h, workload/names.h). */
#include "workload/source_calls.h"

#include "base/input.h"
#include "base/numbers.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/names.h"

/* ---- lines ---- */

struct hc_lines {
  const hc_lines_calls *calls; /* first: see hc_lines_calls_of */
  const hc_allocator *allocator;
  hc_input *in;
};

static hc_rc lines_next(hc_lines *l, char **text, size_t *length, hc_error *e)
{
  return hc_input_line(l->in, text, length, e);
}

static uint64_t lines_number(const hc_lines *l)
{
  return hc_input_lines(l->in);
}

static uint64_t lines_position(const hc_lines *l)
{
  return hc_input_position(l->in);
}

static hc_rc lines_seek(hc_lines *l, uint64_t position, uint64_t number, hc_error *e)
{
  return hc_input_seek(l->in, position, number, e);
}

static hc_rc lines_visit(hc_lines *l, hc_visitor *v, hc_error *e)
{
  uint64_t at[2] = {hc_input_position(l->in), hc_input_lines(l->in)};
  TRY(hc_visit_bytes(v, at, sizeof at));
  return hc_visit_loading(v) ? hc_input_seek(l->in, at[0], at[1], e) : 0;
}

static const char *lines_name(const hc_lines *l)
{
  return hc_input_name(l->in);
}

static void lines_progress(const hc_lines *l, uint64_t *done, uint64_t *total)
{
  hc_input_progress(l->in, done, total);
}

static void lines_close(hc_lines *l)
{
  hc_input_free(l->in);
  hc_free(l->allocator, l, sizeof *l);
}

static const hc_lines_calls lines_calls = {
    .size = sizeof(hc_lines_calls),
    .abi = HC_ABI,
    .next = lines_next,
    .number = lines_number,
    .position = lines_position,
    .seek = lines_seek,
    .visit = lines_visit,
    .name = lines_name,
    .progress = lines_progress,
    .close = lines_close,
};

static hc_rc lines_open(const hc_source_context *c, const char *path, hc_lines **out, hc_error *e)
{
  if (!path || !path[0])
    return hc_fail(e, HC_EUSAGE, "source", 0, 0, "no file is given: set `file`, or `-` for standard input");
  hc_lines *l = hc_alloc(c->allocator, sizeof *l);
  if (!l) return HC_ENOMEM;
  l->calls = &lines_calls;
  l->allocator = c->allocator;
  const hc_rc rc = hc_input_open(c->allocator, path, &l->in, e);
  if (rc < 0) {
    hc_free(c->allocator, l, sizeof *l);
    return rc;
  }
  hc_input_sum(l->in, c->sums);
  *out = l;
  return 0;
}

/* ---- names as numbers ---- */

struct hc_name_numbers {
  const hc_name_numbers_calls *calls; /* first: see hc_name_numbers_calls_of */
  const hc_allocator *allocator;
  hc_interned names;
  hc_buffer scratch;
};

static hc_rc names_number(hc_name_numbers *t, const char *text, size_t n, int64_t *out)
{
  const hc_field f = {.text = text, .length = n};
  return HC_MIN(hc_interned_number(&t->names, &f, &t->scratch, out), 0);
}

static hc_rc names_visit(hc_name_numbers *t, hc_visitor *v)
{
  return hc_interned_visit(&t->names, v);
}

static void names_free(hc_name_numbers *t)
{
  hc_interned_fini(&t->names);
  hc_buffer_fini(&t->scratch);
  hc_free(t->allocator, t, sizeof *t);
}

static const hc_name_numbers_calls names_calls = {
    .size = sizeof(hc_name_numbers_calls),
    .abi = HC_ABI,
    .number = names_number,
    .visit = names_visit,
    .free = names_free,
};

static hc_rc names_new(const hc_source_context *c, hc_called kind, hc_name_numbers **out)
{
  hc_name_numbers *t = hc_alloc(c->allocator, sizeof *t);
  if (!t) return HC_ENOMEM;
  t->calls = &names_calls;
  t->allocator = c->allocator;
  hc_interned_init(&t->names, c->allocator, true);
  t->names.lexicon = c->lexicon;
  t->names.ledger = c->ledger;
  t->names.what = kind;
  hc_buffer_init(&t->scratch, c->allocator);
  *out = t;
  return 0;
}

const hc_source_calls hc_source_calls_of_library = {
    .size = sizeof(hc_source_calls),
    .abi = HC_ABI,
    .numbers = &hc_numbers_of_library,
    .reject = hc_row_reject,
    .lines_open = lines_open,
    .names_new = names_new,
};
