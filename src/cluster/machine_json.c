/* machine_json.c -- machine tables as one JSON object a line, which is how BigQuery exports nested columns.
 *
 * A line is read as a table's row of one field, and then cut again into the columns that are wanted: members of the
 * object by their names, those of an object within it as outer.inner. What else there is, is passed over. Texts are
 * unescaped where they lie. null is the empty text. */
#include <string.h>

#include "base/util.h"
#include "cluster/machine_file.h"

#define NO_SEPARATOR '\x01' /* a byte that no text has: the line is one field */
#define MOST_NAME ((size_t)64)

typedef struct scan {
  char *at;
  size_t depth;
} scan;

static void skip_blanks(scan *s)
{
  while (*s->at == ' ' || *s->at == '\t' || *s->at == '\r') s->at++;
}

static int hexadecimal(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* What stands behind a backslash, from its letter on: a quote, a stroke, or \u0041 of ASCII. @return 0: something else */
static char escaped(char **p)
{
  if (strchr("\"\\/", **p) && **p) return *(*p)++;
  if ((*p)[0] != 'u' || (*p)[1] != '0' || (*p)[2] != '0') return '\0';
  const int high = hexadecimal((*p)[3]), low = high < 0 ? -1 : hexadecimal((*p)[4]);
  if (high > 7 || low < 0) return '\0';
  *p += 5;
  return (char)(high * 16 + low);
}

/* From its quote; left without escapes. The byte behind the text may be overwritten. */
static bool take_text(scan *s, hc_table_field *out)
{
  char *to = ++s->at;
  out->text = to;
  while (*s->at != '"') {
    char c = *s->at++;
    if (c == '\\') c = escaped(&s->at);
    if (c == '\0') return false;
    *to++ = c;
  }
  s->at++;
  out->size = (uint32_t)(to - out->text);
  return true;
}

/* A number, true, false or null. */
static bool take_word(scan *s, hc_table_field *out)
{
  out->text = s->at;
  while (*s->at && !strchr(",}] \t\r", *s->at)) s->at++;
  out->size = (uint32_t)(s->at - out->text);
  if (out->size == 4 && memcmp(out->text, "null", 4) == 0) out->size = 0;
  return s->at > out->text;
}

/* Pass over a list, with all that is in it. */
static bool pass_list(scan *s)
{
  size_t depth = 0;
  for (; *s->at; s->at++) {
    hc_table_field ignored;
    if (*s->at == '"') {
      if (!take_text(s, &ignored)) return false;
      s->at--;
    }
    depth += *s->at == '[' || *s->at == '{';
    if ((*s->at == ']' || *s->at == '}') && --depth == 0) {
      s->at++;
      return true;
    }
  }
  return false;
}

/* Is `name` one of "(a|b)"? */
static bool is_one_of(const char *name, const char *titles)
{
  titles += *titles == '(';
  for (;;) {
    const size_t n = strcspn(titles, "|)");
    if (strlen(name) == n && memcmp(name, titles, n) == 0) return true;
    if (titles[n] != '|') return false;
    titles += n + 1;
  }
}

static void put(hc_machine_json *j, const char *name, const hc_table_field *v)
{
  for (size_t i = 0; i < j->count; i++)
    if (is_one_of(name, j->titles[i])) j->fields[i] = *v;
}

/* A member's name, behind that of the object that it is in. */
static bool take_name(scan *s, const char *outer, char name[MOST_NAME])
{
  hc_table_field key;
  const size_t n = strlen(outer);
  skip_blanks(s);
  if (*s->at != '"' || !take_text(s, &key) || n + key.size + 2 > MOST_NAME) return false;
  if (n > 0) {
    memcpy(name, outer, n);
    name[n] = '.';
  }
  memcpy(name + n + (n > 0), key.text, key.size);
  name[n + (n > 0) + key.size] = '\0';
  skip_blanks(s);
  if (*s->at++ != ':') return false;
  skip_blanks(s);
  return true;
}

/* Members up to the closing bracket; an object in an object in the object is none of ours. */
static bool take_members(hc_machine_json *j, scan *s, const char *outer)
{
  if (*s->at++ != '{' || ++s->depth > 2) return false;
  skip_blanks(s);
  for (bool more = *s->at != '}'; more; more = *s->at++ == ',') {
    char name[MOST_NAME];
    hc_table_field v = {0};
    if (!take_name(s, outer, name)) return false;
    if (*s->at == '{') {
      if (!take_members(j, s, name)) return false;
    } else if (*s->at == '[') {
      if (!pass_list(s)) return false;
    } else {
      v.at = (uint32_t)(s->at - j->line) + 1;
      if (!(*s->at == '"' ? take_text(s, &v) : take_word(s, &v))) return false;
      put(j, name, &v);
    }
    skip_blanks(s);
    if (*s->at == '}') break;
  }
  if (*s->at++ != '}') return false;
  s->depth--;
  return true;
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
    scan s = {0};
    if (j->whole) f->t.fields = j->whole;
    rc = hc_machine_next(f, e);
    j->whole = f->t.fields;
    if (rc != 1) return rc;
    for (size_t i = 0; i < j->count; i++) j->fields[i] = (hc_table_field){.text = j->nothing};
    s.at = f->t.fields[0].text;
    j->line = s.at;
    if (take_members(j, &s, "")) break;
    (void)hc_machine_reject(f, 0, "this is no JSON object");
  } while (true);
  for (size_t i = 0; i < j->count; i++)
    if (j->fields[i].text != j->nothing) j->fields[i].text[j->fields[i].size] = '\0';
  f->t.fields = j->fields;
  f->t.count = j->count;
  return 1;
}
