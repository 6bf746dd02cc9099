/* assoc_read.c -- files of associations and QOS: which kind a file is, dumps, and tables of QOS.
 *
 * The first line that is not empty and no comment decides: "KIND - NAME..." begins a dump, a bar between
 * titles a table, all else is a script (assoc_script.c). In dumps and scripts `#` begins a comment unless a
 * backslash stands before it. A dump's lines stand in a certain order: Cluster, Parent and what is in it. */
#include <string.h>

#include "base/input.h"
#include "base/lexer.h"
#include "base/table.h"
#include "base/util.h"
#include "policy/slurm/assoc.h"

#define PIECES_MOST 64u /* keys in a line of a dump */

static hc_rc no_memory(const hc_slurm_place *at, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, at->file, 0, 0, "out of memory");
}

/* Cut a comment and what is blank before it. @return the length left */
static size_t strip(char *line, size_t n)
{
  size_t end = 0;
  while (end < n && (line[end] != '#' || (end > 0 && line[end - 1] == '\\'))) end++;
  while (end > 0 && hc_is_blank(line[end - 1])) end--;
  line[end] = '\0';
  return end;
}

/* ---- dumps ---- */

/* One piece of a dump's line: NAME or KEY=VALUE, up to a colon outside of quotes. */
typedef struct piece {
  char *key, *value; /* value: NULL for a name alone */
  size_t key_size;
  uint32_t column;
} piece;

typedef struct dump {
  hc_slurm_assocs *b;
  const char *parent; /* in the arena of `b`; NULL before the first */
  hc_slurm_place at;
} dump;

/* The value at `p` without its quotes and backslashes, in place. @return behind it, at a colon or the end;
 * NULL: a quote does not close */
static char *unquote(char *p)
{
  char *to = p, quote = '\0';
  for (; *p && (quote || *p != ':'); p++) {
    if (quote ? *p == quote : *p == '\'' || *p == '"') {
      quote = quote ? '\0' : *p;
      continue;
    }
    if (*p == '\\' && p[1]) p++;
    *to++ = *p;
  }
  if (quote) return NULL;
  char *end = p;
  if (to < end) *to = '\0';
  return end;
}

/* Cut the line behind "KIND - " in pieces. @return how many, or HC_EINPUT */
static hc_rc cut(const dump *d, char *line, char *p, piece *out, hc_error *e)
{
  int n = 0;
  for (;;) {
    char *start = p;
    const uint32_t column = (uint32_t)(start - line) + 1;
    if (n == (int)PIECES_MOST)
      return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, column, "more than %u keys in a line",
                     PIECES_MOST);
    out[n] = (piece){.key = start, .key_size = strcspn(start, "=:'\""), .column = column};
    if (start[out[n].key_size] == '=') p = out[n].value = start + out[n].key_size + 1;
    p = unquote(p);
    if (!p)
      return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, column, "the quote behind this does not close");
    const bool is_last = *p == '\0';
    *p++ = '\0';
    if (start[0] != '\0') n++;
    if (is_last) return n;
  }
}

/* DefaultAccount and Partition say which association a line is of, and are no keys of it. */
static const char *own_key(const piece *pieces, int n, const char *name, size_t least)
{
  for (int i = 1; i < n; i++)
    if (pieces[i].value && hc_slurm_begins(pieces[i].key, pieces[i].key_size, name, least))
      return pieces[i].value;
  return NULL;
}

static bool is_own_key(const piece *x)
{
  return hc_slurm_begins(x->key, x->key_size, "DefaultAccount", 8) ||
         hc_slurm_begins(x->key, x->key_size, "Partition", 2);
}

static hc_rc set_all(dump *d, uint32_t assoc, const piece *pieces, int n, hc_error *e)
{
  for (int i = 1; i < n; i++) {
    const piece *x = &pieces[i];
    const hc_slurm_place at = {d->at.file, d->at.line, x->column};
    const hc_slurm_setting s = {.key = x->key, .value = x->value, .key_size = x->key_size, .at = at};
    if (!x->value)
      return hc_fail(e, HC_EINPUT, at.file, at.line, at.column, "expected KEY=VALUE, got \"%.60s\"", x->key);
    if (!is_own_key(x)) TRY(hc_slurm_assoc_set(d->b, assoc, &s, e));
  }
  return 0;
}

static hc_rc in_cluster(dump *d, const char *name, const piece *pieces, int n, hc_error *e)
{
  if (d->b->cluster[0] != '\0' && !hc_same_word(name, strlen(name), d->b->cluster))
    return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, 0,
                   "a second cluster, \"%.60s\": associations are of one, and \"%.60s\" was named before",
                   name, d->b->cluster);
  d->b->cluster = hc_arena_text(&d->b->arena, name, strlen(name));
  return d->b->cluster ? set_all(d, 0, pieces, n, e) : no_memory(&d->at, e);
}

static hc_rc in_parent(dump *d, const char *name, hc_error *e)
{
  const uint32_t id = hc_slurm_assocs_account(d->b, name);
  if (id == HC_SLURM_NONE)
    return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, 0,
                   "there is no account \"%.60s\": a line \"Account - '%.60s'\" has to stand before", name,
                   name);
  d->parent = d->b->items[id].account;
  return 0;
}

static hc_rc in_account(dump *d, const char *name, const piece *pieces, int n, hc_error *e)
{
  uint32_t id;
  TRY(hc_slurm_assocs_add(d->b, name, NULL, NULL, d->parent, &d->at, &id, e));
  return set_all(d, id, pieces, n, e);
}

static hc_rc in_user(dump *d, const char *name, const piece *pieces, int n, hc_error *e)
{
  const char *home = own_key(pieces, n, "DefaultAccount", 8);
  uint32_t id;
  TRY(hc_slurm_assocs_add(d->b, d->parent, name, own_key(pieces, n, "Partition", 2), NULL, &d->at, &id, e));
  if (hc_slurm_assocs_set_home(d->b, name, home ? home : d->parent, !home) < 0) return no_memory(&d->at, e);
  return set_all(d, id, pieces, n, e);
}

/* The begin of a dump's line, KIND and a dash. @return behind it; NULL: the line is of another kind */
static char *behind_dash(char *line)
{
  char *p = line;
  while (hc_is_blank(*p)) p++;
  while ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') p++;
  if (!hc_is_blank(*p)) return NULL;
  while (hc_is_blank(*p)) p++;
  if (*p != '-' || !hc_is_blank(p[1])) return NULL;
  for (p++; hc_is_blank(*p);) p++;
  return p;
}

static hc_rc read_dump_line(dump *d, char *line, hc_error *e)
{
  piece pieces[PIECES_MOST];
  char *p = behind_dash(line), *kind = line;
  while (hc_is_blank(*kind)) kind++;
  const size_t size = strcspn(kind, " \t");
  if (!p)
    return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, 1,
                   "expected \"Cluster - 'NAME'\", or Parent, Account or User in its place, got \"%.40s\"",
                   kind);
  const int n = cut(d, line, p, pieces, e);
  if (n < 0) return n;
  if (n == 0 || pieces[0].value)
    return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, (uint32_t)(p - line) + 1,
                   "a name is missing behind the dash: %.*s - 'NAME':KEY=VALUE",
                   (int)HC_MIN(size, (size_t)20), kind);
  const char *name = pieces[0].key;
  d->at.column = pieces[0].column;
  if (hc_same_word(kind, size, "Cluster")) return in_cluster(d, name, pieces, n, e);
  if (hc_same_word(kind, size, "Parent")) return in_parent(d, name, e);
  if (hc_same_word(kind, size, "Account") || hc_same_word(kind, size, "Project"))
    return in_account(d, name, pieces, n, e);
  if (hc_same_word(kind, size, "User")) return in_user(d, name, pieces, n, e);
  return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, 1,
                 "\"%.*s\" is none of Cluster, Parent, Account and User", (int)HC_MIN(size, (size_t)40),
                 kind);
}

/* ---- tables of QOS ---- */

static hc_rc set_column(hc_slurm_assocs *b, const hc_table *t, const char *file, uint32_t qos, size_t column,
                        hc_error *e)
{
  const char *title = t->titles[column - 1];
  const hc_slurm_setting s = {.key = title,
                              .value = hc_table_text(t, column),
                              .key_size = strlen(title),
                              .at = {file, (uint32_t)HC_MIN(t->line, (uint64_t)UINT32_MAX),
                                     column <= t->count ? t->fields[column - 1].at : 0}};
  return s.value[0] == '\0' ? 0 : hc_slurm_qos_set_key(b, qos, &s, e);
}

static hc_rc read_qos_row(hc_slurm_assocs *b, const hc_table *t, const char *file, size_t name, hc_error *e)
{
  const hc_slurm_place at = {file, (uint32_t)HC_MIN(t->line, (uint64_t)UINT32_MAX), 1};
  uint32_t qos;
  if (hc_table_size(t, name) == 0) return hc_table_fail(t, name, e, "a QOS without a name");
  TRY(hc_slurm_assocs_add_qos(b, hc_table_text(t, name), &at, &qos, e));
  b->qos[qos].is_described = true;
  for (size_t i = 1; i <= t->title_count; i++)
    if (i != name && t->titles[i - 1][0] != '\0') TRY(set_column(b, t, file, qos, i, e));
  return 0;
}

static hc_rc read_qos_rows(hc_slurm_assocs *b, hc_table *t, const char *file, hc_error *e)
{
  hc_rc rc = hc_table_next(t, e);
  if (rc <= 0) return rc;
  if (hc_table_keep_titles(t) < 0) return no_memory(&(hc_slurm_place){.file = file}, e);
  const size_t name = hc_table_column(t, "Name");
  if (name == 0)
    return hc_fail(e, HC_EINPUT, file, (uint32_t)t->line, 1,
                   "a table of QOS has a column Name, as `sacctmgr -P show qos` prints it");
  b->has_qos_source = true;
  while ((rc = hc_table_next(t, e)) == 1) TRY(read_qos_row(b, t, file, name, e));
  return rc;
}

static hc_rc read_qos_table(hc_slurm_assocs *b, const char *path, hc_error *e)
{
  hc_table t;
  hc_rc rc = hc_table_open(&t, b->allocator, path, e);
  t.separator = '|';
  if (rc >= 0) rc = read_qos_rows(b, &t, path, e);
  hc_table_close(&t);
  return rc;
}

/* ---- which kind ---- */

typedef enum kind { EMPTY, DUMP, SCRIPT, TABLE } kind;

static kind kind_of(char *line)
{
  if (behind_dash(line)) return DUMP;
  return strchr(line, '|') ? TABLE : SCRIPT;
}

static hc_rc read_line(dump *d, char *line, kind *k, hc_error *e)
{
  const size_t n = strlen(line);
  if (*k == EMPTY) *k = kind_of(line);
  if (*k == TABLE) return 0;
  if (line[n - 1] == '\\')
    return hc_fail(e, HC_EINPUT, d->at.file, d->at.line, (uint32_t)n,
                   "a line that goes on in the next: write it as one line");
  d->at.column = 1;
  return *k == DUMP ? read_dump_line(d, line, e) : hc_slurm_assocs_command(d->b, line, &d->at, e);
}

static hc_rc read_lines(dump *d, hc_input *in, kind *k, hc_error *e)
{
  char *text;
  size_t n;
  hc_rc rc = 0;
  while (*k != TABLE && (rc = hc_input_line(in, &text, &n, e)) == 1) {
    d->at.line = (uint32_t)HC_MIN(hc_input_lines(in), (uint64_t)UINT32_MAX);
    n = strip(text, n);
    if (n > 0) TRY(read_line(d, text, k, e));
  }
  return HC_MIN(rc, 0);
}

hc_rc hc_slurm_assocs_read(hc_slurm_assocs *b, const char *path, hc_error *e)
{
  dump d = {.b = b, .parent = "root", .at = {.file = path}};
  kind k = EMPTY;
  hc_input *in = NULL;
  hc_rc rc = hc_input_open(b->allocator, path, &in, e);
  if (rc >= 0) rc = read_lines(&d, in, &k, e);
  hc_input_free(in);
  if (rc < 0 || k != TABLE) return rc;
  return read_qos_table(b, path, e);
}
