/* slurm_conf.c -- see slurm_conf.h. */
#include "base/slurm_conf.h"

#include <string.h>

#include "base/input.h"
#include "base/lexer.h"
#include "base/text.h"
#include "base/util.h"

#define DEEPEST 8
#define MOST_LINES ((size_t)1 << 20)
#define LAST_SECOND INT64_C(9000000000) /* nanoseconds up to here fit 64 bits */
#define MOST_AMOUNT ((int64_t)1 << 52)

typedef struct reading {
  const hc_allocator *allocator;
  hc_conf *out;
  hc_buffer joined; /* the line at hand */
  hc_conf_pair *pairs;
  size_t count, cap; /* of it */
} reading;

/* Where the line at hand is. */
typedef struct place {
  const char *file;
  uint32_t line;
  int depth;
} place;

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static bool is_key(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

bool hc_conf_same(const char *a, const char *b)
{
  return hc_same_word(a, strlen(a), b);
}

const hc_conf_pair *hc_conf_find(const hc_conf_line *l, const char *key)
{
  for (uint32_t i = l->count; i-- > 0;)
    if (hc_conf_same(l->pairs[i].key, key)) return &l->pairs[i];
  return NULL;
}

/* ---- values ---- */

/* Up to 18 digits from `*at`. @return how many there were. */
static size_t digits(const char *s, size_t n, size_t *at, int64_t *out)
{
  const size_t first = *at;
  int64_t v = 0;
  while (*at < n && hc_is_digit(s[*at]) && *at - first < 18) v = v * 10 + (s[(*at)++] - '0');
  *out = v;
  return *at - first;
}

/* HH:MM:SS or MM:SS from `*at`; behind days HH:MM:SS, HH:MM or HH, as sbatch takes them. Seconds. */
static bool clock_parts(const char *s, size_t n, size_t *at, bool behind_days, int64_t *out)
{
  int64_t v;
  int parts = 0;
  *out = 0;
  for (;;) {
    if (digits(s, n, at, &v) == 0 || v > LAST_SECOND || ++parts > 3) return false;
    *out = *out * 60 + v;
    if (*at >= n || s[*at] != ':') break;
    (*at)++;
  }
  for (int i = parts; behind_days && i < 3; i++) *out *= 60;
  return behind_days || parts >= 2;
}

bool hc_conf_duration(const char *s, size_t n, hc_time unit, hc_time *out)
{
  int64_t days = 0, seconds, nanos = 0;
  size_t at = 0;
  if (digits(s, n, &at, &seconds) > 0 && at == n) {
    if (seconds > LAST_SECOND * HC_SECOND / unit) return false;
    *out = seconds * unit;
    return true;
  }
  at = 0;
  if (digits(s, n, &at, &days) > 0 && at < n && s[at] == '-') at++;
  else at = 0;
  if (at == 0) days = 0;
  if (!clock_parts(s, n, &at, at > 0, &seconds) || days > LAST_SECOND / 86400) return false;
  if (at < n && s[at] == '.') {
    hc_time scale = HC_SECOND / 10;
    for (at++; at < n && hc_is_digit(s[at]); at++, scale /= 10) nanos += (s[at] - '0') * scale;
  }
  seconds += days * 86400;
  if (at != n || seconds >= LAST_SECOND) return false;
  *out = seconds * HC_SECOND + nanos;
  return true;
}

bool hc_conf_limit(const char *s, hc_time *out)
{
  *out = HC_NEVER;
  return hc_conf_same(s, "INFINITE") || hc_conf_same(s, "UNLIMITED") || strcmp(s, "-1") == 0 ||
         hc_conf_duration(s, strlen(s), 60 * HC_SECOND, out);
}

bool hc_conf_amount(const char *s, size_t n, int64_t *out)
{
  static const char units[] = "kmgt";
  size_t at = 0;
  int shift = 0;
  if (digits(s, n, &at, out) == 0) return false;
  if (at < n) {
    const char *unit = strchr(units, s[at] | 0x20);
    if (!unit || at + 1 != n) return false;
    shift = 10 * (int)(unit - units + 1);
  }
  if (*out > (MOST_AMOUNT >> shift)) return false;
  *out <<= shift;
  return true;
}

/* ---- one line ---- */

/* What stands before a comment, without the backslashes that keep a `#` from being one. @return its length */
static size_t strip(char *text, size_t n)
{
  size_t to = 0;
  for (size_t i = 0; i < n && text[i] != '#'; i++) {
    if (text[i] == '\\' && i + 1 < n && text[i + 1] == '#') i++;
    text[to++] = text[i];
  }
  while (to > 0 && is_blank(text[to - 1])) to--;
  text[to] = '\0';
  return to;
}

static hc_rc keep(reading *r, const place *at, const char *key, size_t key_size, const char *value,
                  size_t value_size, size_t column, hc_error *e)
{
  hc_conf_pair *p;
  if (hc_reserve(r->allocator, (void **)&r->pairs, &r->cap, r->count + 1, sizeof *r->pairs) < 0)
    return hc_fail(e, HC_ENOMEM, at->file, 0, 0, "out of memory");
  p = &r->pairs[r->count++];
  p->key = hc_arena_text(&r->out->arena, key, key_size);
  p->value = hc_arena_text(&r->out->arena, value, value_size);
  p->column = (uint32_t)column;
  return p->key && p->value ? 0 : hc_fail(e, HC_ENOMEM, at->file, 0, 0, "out of memory");
}

/* The pairs of a line. */
static hc_rc read_pairs(reading *r, const place *at, const char *text, hc_error *e)
{
  const char *p = text;
  r->count = 0;
  for (;;) {
    while (is_blank(*p)) p++;
    if (*p == '\0') return 0;
    const char *key = p, *value, *end;
    const uint32_t column = (uint32_t)(key - text) + 1;
    while (is_key(*p)) p++;
    const size_t key_size = (size_t)(p - key);
    while (is_blank(*p)) p++;
    if (key_size == 0 || *p != '=')
      return hc_fail(e, HC_EINPUT, at->file, at->line, column, "expected KEY=VALUE, got \"%.40s\"", key);
    for (p++; is_blank(*p);) p++;
    const bool is_quoted = *p == '"';
    value = p += is_quoted;
    while (*p && (is_quoted ? *p != '"' : !is_blank(*p))) p++;
    end = p;
    if (is_quoted && *p != '"')
      return hc_fail(e, HC_EINPUT, at->file, at->line, column, "the quote after %.*s= does not close",
                     (int)key_size, key);
    p += is_quoted;
    TRY(keep(r, at, key, key_size, value, (size_t)(end - value), column, e));
  }
}

static hc_rc add_line(reading *r, const place *at, hc_error *e)
{
  hc_conf *c = r->out;
  const size_t bytes = r->count * sizeof *r->pairs;
  hc_conf_pair *pairs;
  if (r->count == 0) return 0;
  if (c->count == MOST_LINES)
    return hc_fail(e, HC_ELIMIT, at->file, at->line, 0, "more than %zu lines in all", MOST_LINES);
  pairs = hc_arena_alloc(&c->arena, bytes);
  if (!pairs || hc_reserve(r->allocator, (void **)&c->lines, &c->cap, c->count + 1, sizeof *c->lines) < 0)
    return hc_fail(e, HC_ENOMEM, at->file, 0, 0, "out of memory");
  memcpy(pairs, r->pairs, bytes);
  c->lines[c->count++] =
      (hc_conf_line){.file = at->file, .line = at->line, .count = (uint32_t)r->count, .pairs = pairs};
  return 0;
}

/* ---- files ---- */

static hc_rc read_file(reading *r, const char *path, int depth, hc_error *e);

/* The file that "Include FILE" names; NULL: the line is of another kind. */
static const char *included(const char *text)
{
  static const char word[] = "include";
  const size_t n = sizeof word - 1;
  while (is_blank(*text)) text++;
  if (strlen(text) <= n || !is_blank(text[n]) || !hc_same_word(text, n, word)) return NULL;
  for (text += n; is_blank(*text);) text++;
  return *text == '=' ? NULL : text;
}

/* A relative path is one from the folder of the file that names it. */
static hc_rc include(reading *r, const place *at, const char *path, hc_error *e)
{
  const char *slash = strrchr(at->file, '/');
  const int folder = path[0] == '/' || !slash ? 0 : (int)(slash - at->file + 1);
  const char *whole = hc_arena_printf(&r->out->arena, "%.*s%s", folder, at->file, path);
  if (!whole) return hc_fail(e, HC_ENOMEM, at->file, 0, 0, "out of memory");
  if (at->depth == DEEPEST)
    return hc_fail(e, HC_ELIMIT, at->file, at->line, 0,
                   "includes are nested deeper than %d: does %.80s include itself?", DEEPEST, path);
  return read_file(r, whole, at->depth + 1, e);
}

static hc_rc read_line(reading *r, const place *at, hc_error *e)
{
  (void)strip(r->joined.data, r->joined.size);
  const char *path = included(r->joined.data);
  if (path) return include(r, at, path, e);
  TRY(read_pairs(r, at, r->joined.data, e));
  return add_line(r, at, e);
}

/* A line that ends in a backslash goes on in the next. */
static bool goes_on(const char *text, size_t n)
{
  return n > 0 && text[n - 1] == '\\';
}

static hc_rc read_lines(reading *r, hc_input *in, const char *file, int depth, hc_error *e)
{
  place at = {.file = file, .depth = depth};
  bool joins = false;
  for (;;) {
    char *text;
    size_t n;
    const hc_rc rc = hc_input_line(in, &text, &n, e);
    if (rc < 0) return rc;
    if (!joins) {
      r->joined.size = 0;
      at.line = (uint32_t)HC_MIN(hc_input_lines(in), (uint64_t)UINT32_MAX);
    }
    if (rc == 1) {
      const bool more = goes_on(text, n);
      hc_buffer_add(&r->joined, text, n - more);
      if (r->joined.size > HC_LINE_LIMIT)
        return hc_fail(e, HC_EINPUT, file, at.line, 0, "a line that is longer than 1 MiB");
      joins = more;
      if (more) continue;
    }
    hc_buffer_add(&r->joined, "", 1);
    if (r->joined.failed) return hc_fail(e, HC_ENOMEM, file, 0, 0, "out of memory");
    r->joined.size--;
    if (rc == 1 || joins) TRY(read_line(r, &at, e));
    if (rc == 0) return 0;
  }
}

static hc_rc read_file(reading *r, const char *path, int depth, hc_error *e)
{
  hc_input *in = NULL;
  hc_rc rc = hc_input_open(r->allocator, path, &in, e);
  if (rc >= 0) rc = read_lines(r, in, path, depth, e);
  hc_input_free(in);
  return rc;
}

hc_rc hc_conf_is_default(hc_conf_defaults *d, const hc_allocator *a, const hc_conf_line *l)
{
  if (!hc_conf_same(l->pairs[0].value, "DEFAULT")) return 0;
  TRY(hc_reserve(a, (void **)&d->lines, &d->cap, d->count + 1, sizeof(const hc_conf_line *)));
  d->lines[d->count++] = l;
  return 1;
}

const hc_conf_pair *hc_conf_get(const hc_conf_defaults *d, const hc_conf_line *l, const char *key)
{
  const hc_conf_pair *p = hc_conf_find(l, key);
  for (size_t i = d->count; !p && i-- > 0;) p = hc_conf_find(d->lines[i], key);
  return p;
}

hc_rc hc_conf_read(const hc_allocator *a, const char *path, hc_conf *out, hc_error *e)
{
  reading r = {.allocator = a, .out = out};
  hc_rc rc;
  *out = (hc_conf){.count = 0};
  hc_arena_init(&out->arena, a);
  hc_buffer_init(&r.joined, a);
  const char *name = hc_arena_text(&out->arena, path, strlen(path));
  rc = name ? read_file(&r, name, 0, e) : hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory");
  hc_buffer_fini(&r.joined);
  hc_free(a, r.pairs, r.cap * sizeof *r.pairs);
  return rc;
}

/* ---- lines that are laid over a file ---- */

/* Kinds of lines of which there is one a name. */
static bool is_record(const char *key)
{
  static const char *const kinds[] = {"NodeName",     "PartitionName", "NodeSet",   "DownNodes",
                                      "FrontendName", "SwitchName",    "BlockName", "Name"};
  for (size_t i = 0; i < HC_ARRAY_LEN(kinds); i++)
    if (hc_conf_same(key, kinds[i])) return true;
  return false;
}

/* The pairs at hand behind those of a line that is there. */
static hc_rc extend_line(reading *r, const place *at, hc_conf_line *l)
{
  hc_conf_pair *pairs = hc_arena_alloc(&r->out->arena, (l->count + r->count) * sizeof *pairs);
  if (!pairs) return HC_ENOMEM;
  memcpy(pairs, l->pairs, l->count * sizeof *pairs);
  memcpy(pairs + l->count, r->pairs, r->count * sizeof *pairs);
  l->pairs = pairs;
  l->count += (uint32_t)r->count;
  l->file = at->file; /* what is wrong now is wrong of this */
  l->line = 0;
  return 0;
}

static void move_to_front(hc_conf *c)
{
  const hc_conf_line last = c->lines[c->count - 1];
  memmove(c->lines + 1, c->lines, (c->count - 1) * sizeof *c->lines);
  c->lines[0] = last;
}

static hc_rc lay_line(reading *r, const place *at, const char *text, hc_error *e)
{
  hc_conf *c = r->out;
  const bool is_include = included(text) != NULL;
  size_t found = 0;
  if (!is_include) TRY(read_pairs(r, at, text, e));
  if (is_include || r->count == 0)
    return hc_fail(e, HC_EUSAGE, at->file, 0, 0,
                   "expected a line such as NodeName=n[1-8] CPUs=64, got \"%.80s\"", text);
  const bool is_default = hc_conf_same(r->pairs[0].value, "DEFAULT");
  for (size_t i = 0; is_record(r->pairs[0].key) && i < c->count; i++) {
    hc_conf_line *l = &c->lines[i];
    if (!hc_conf_same(l->pairs[0].key, r->pairs[0].key)) continue;
    if (strcmp(l->pairs[0].value, r->pairs[0].value) != 0 &&
        !(is_default && hc_conf_same(l->pairs[0].value, "DEFAULT")))
      continue;
    if (extend_line(r, at, l) < 0) return hc_fail(e, HC_ENOMEM, at->file, 0, 0, "out of memory");
    found++;
  }
  if (found > 0) return 0;
  TRY(add_line(r, at, e));
  if (is_default) move_to_front(c);
  return 0;
}

hc_rc hc_conf_lay(const hc_allocator *a, hc_conf *c, const char *const *texts, size_t count,
                  const char *where, hc_error *e)
{
  reading r = {.allocator = a, .out = c};
  hc_rc rc = 0;
  for (size_t i = 0; rc >= 0 && i < count; i++) {
    const place at = {.file = hc_arena_printf(&c->arena, "%s.%zu", where, i)};
    rc = at.file ? lay_line(&r, &at, texts[i], e) : hc_fail(e, HC_ENOMEM, where, 0, 0, "out of memory");
    if (rc == HC_EINPUT) rc = HC_EUSAGE;
  }
  if (rc < 0) e->rc = rc;
  hc_free(a, r.pairs, r.cap * sizeof *r.pairs);
  return rc;
}

void hc_conf_close(hc_conf *c, const hc_allocator *a)
{
  hc_free(a, c->lines, c->cap * sizeof *c->lines);
  hc_arena_fini(&c->arena);
}
