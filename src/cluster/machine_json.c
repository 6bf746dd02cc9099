/* machine_json.c -- machine tables as one JSON object a line, which is how BigQuery exports nested columns.
 *
 * A line is read as a table's row of one field, and then cut again into the columns that are wanted: members
 * of the object by their names, those of an object within it as outer.inner. What else there is, is passed
 * over. Texts are unescaped where they lie. null is the empty text. */
#include <string.h>

#include "base/jsonline.h"
#include "base/util.h"
#include "cluster/machine_file.h"

#define NO_SEPARATOR '\x01' /* a byte that no text has: the line is one field */

/* Is it one of "(a|b)"? `outer` stands before the name, and a point. */
static bool is_one_of(const hc_jsonline_token *outer, const hc_jsonline_token *name, const char *titles)
{
  titles += *titles == '(';
  for (;;) {
    const size_t n = strcspn(titles, "|)"), m = outer ? outer->size + 1 : 0;
    if (n == m + name->size && memcmp(titles + m, name->text, name->size) == 0 &&
        (!outer || (titles[m - 1] == '.' && memcmp(titles, outer->text, m - 1) == 0)))
      return true;
    if (titles[n] != '|') return false;
    titles += n + 1;
  }
}

/* A value, if a column holds it. @return false: it is none, or there is no memory */
static bool put(hc_machine_json *j, const hc_jsonline_token *outer, const hc_jsonline_token *name,
                const hc_jsonline_token *v, hc_buffer *scratch)
{
  for (size_t i = 0; i < j->count && v->kind != HC_JSONLINE_WRONG; i++) {
    hc_table_field *f = &j->fields[i];
    hc_field text;
    if (!is_one_of(outer, name, j->titles[i])) continue;
    if (!hc_jsonline_text(v, scratch, &text)) return false;
    *f = (hc_table_field){.text = j->line + (v->text - j->line), .at = (uint32_t)(v->text - j->line) + 1};
    f->at -= v->kind == HC_JSONLINE_TEXT; /* its quote */
    if (v->kind != HC_JSONLINE_NULL) f->size = (uint32_t)text.length;
    memmove(f->text, text.text, f->size);
  }
  return v->kind != HC_JSONLINE_WRONG;
}

/* Members up to the closing bracket, with those of objects among them; an object within these is none of a
 * table. */
static bool take_members(hc_machine_json *j, hc_jsonline *line, const hc_jsonline_token *outer,
                         hc_buffer *scratch)
{
  hc_jsonline_token name;
  while ((name = hc_jsonline_next(line)).kind == HC_JSONLINE_KEY) {
    const hc_jsonline_token v = hc_jsonline_next(line);
    const bool fine = v.kind == HC_JSONLINE_OBJECT  ? !outer && take_members(j, line, &name, scratch)
                      : v.kind == HC_JSONLINE_ARRAY ? hc_jsonline_skip(line, v)
                                                    : put(j, outer, &name, &v, scratch);
    if (!fine) return false;
  }
  return name.kind == HC_JSONLINE_END;
}

static bool take_line(const hc_machine_file *f, hc_machine_json *j, size_t size)
{
  hc_jsonline line;
  hc_buffer scratch;
  hc_buffer_init(&scratch, f->b->c->allocator);
  hc_jsonline_begin(&line, j->line, size);
  const bool fine =
      hc_jsonline_next(&line).kind == HC_JSONLINE_OBJECT && take_members(j, &line, NULL, &scratch);
  hc_buffer_fini(&scratch);
  return fine;
}

/* Whether the first line of the file is an object. What it is otherwise, whoever reads it next will say. */
bool hc_machine_is_json(const hc_allocator *a, const char *path)
{
  hc_error ignored = {0};
  hc_table t;
  bool is = false;
  if (!path || strcmp(path, "-") == 0) return false; /* it could not be read again */
  if (hc_table_open(&t, a, path, &ignored) == 0) {
    t.separator = NO_SEPARATOR;
    is = hc_table_next(&t, &ignored) == 1 && hc_table_text(&t, 1)[0] == '{';
  }
  hc_table_close(&t);
  return is;
}

void hc_machine_json_begin(hc_machine_file *f, const char *const *titles, size_t count, hc_machine_json *j)
{
  *j = (hc_machine_json){.titles = titles, .count = count};
  f->t.separator = NO_SEPARATOR;
}

hc_rc hc_machine_json_next(hc_machine_file *f, hc_machine_json *j, hc_error *e)
{
  hc_rc rc;
  do {
    if (j->whole) f->t.fields = j->whole;
    rc = hc_machine_next(f, e);
    j->whole = f->t.fields;
    if (rc != 1) return rc;
    for (size_t i = 0; i < j->count; i++) j->fields[i] = (hc_table_field){.text = j->nothing};
    j->line = f->t.fields[0].text;
    if (take_line(f, j, f->t.fields[0].size)) break;
    (void)hc_machine_reject(f, 0, "this is no JSON object");
  } while (true);
  for (size_t i = 0; i < j->count; i++)
    if (j->fields[i].text != j->nothing) j->fields[i].text[j->fields[i].size] = '\0';
  f->t.fields = j->fields;
  f->t.count = j->count;
  return 1;
}
