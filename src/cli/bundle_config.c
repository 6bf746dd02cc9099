/* bundle_config.c -- a stored configuration as a run file.
 *
 * The store has a configuration as paths and values ("source.0.file"). They are laid into a tree and written
 * as YAML: a key of the run a line, what is below it in one piece. A part that has keys of its own is
 * {use: NAME, ...}. Values are texts between quotes, unless they are plain words: the reader takes both. */
#include <stdlib.h>
#include <string.h>

#include "cli/bundle.h"

#define DEEPEST 64

typedef struct node {
  char *key, *value;  /* value NULL: it has none of its own */
  size_t child, next; /* 0: none; the root is 0 */
  bool is_given;      /* it, or something below it, is not at its default */
} node;

typedef struct tree {
  cli *c;
  node *nodes; /* [count] the first is the root */
  size_t count, cap;
  const char *(*place)(void *ctx, const char *value);
  void *ctx;
  hc_buffer *out;
} tree;

static char *copy(const char *s, size_t n)
{
  char *out = malloc(n + 1);
  if (!out) return NULL;
  memcpy(out, s, n);
  out[n] = '\0';
  return out;
}

static hc_rc add_node(tree *t, const char *key, size_t n, size_t *out)
{
  if (t->count == t->cap) {
    const size_t cap = t->cap ? 2 * t->cap : 64;
    node *more = realloc(t->nodes, cap * sizeof *more);
    if (!more) return cli_fail(t->c, HC_ENOMEM, "out of memory");
    t->nodes = more;
    t->cap = cap;
  }
  t->nodes[t->count] = (node){.key = copy(key, n)};
  if (!t->nodes[t->count].key) return cli_fail(t->c, HC_ENOMEM, "out of memory");
  *out = t->count++;
  return 0;
}

/* The child of that name, made behind the others if it is not there. */
static hc_rc child_of(tree *t, size_t parent, const char *key, size_t n, size_t *out)
{
  size_t last = 0, made;
  for (size_t i = t->nodes[parent].child; i; last = i, i = t->nodes[i].next)
    if (strlen(t->nodes[i].key) == n && strncmp(t->nodes[i].key, key, n) == 0) {
      *out = i;
      return 0;
    }
  CLI_TRY(add_node(t, key, n, &made));
  if (last) t->nodes[last].next = made;
  else t->nodes[parent].child = made;
  *out = made;
  return 0;
}

static hc_rc keep_key(void *ctx, const char *const *v)
{
  tree *t = ctx;
  const bool is_given = v[2] && strcmp(v[2], "default") != 0;
  size_t at = 0;
  if (!v[0] || !v[1] || strcmp(v[0], "output") == 0 || strcmp(v[0], "rejected") == 0) return 0;
  for (const char *p = v[0];;) {
    const size_t n = strcspn(p, ".");
    CLI_TRY(child_of(t, at, p, n, &at));
    t->nodes[at].is_given |= is_given;
    if (p[n] == '\0') break;
    p += n + 1;
  }
  if (v[1][0] == '\0' && !is_given) return 0;
  free(t->nodes[at].value);
  t->nodes[at].value = copy(v[1], strlen(v[1]));
  return t->nodes[at].value ? 0 : cli_fail(t->c, HC_ENOMEM, "out of memory");
}

/* A word that YAML cannot take for anything but a text or a number. */
static bool is_plain(const char *s)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
  static const char *const others[] = {"null", "Null", "NULL"};
  for (size_t i = 0; i < CLI_LEN(others); i++)
    if (strcmp(s, others[i]) == 0) return false;
  return s[0] && strchr(letters, s[0]) && s[strspn(s, letters)] == '\0';
}

static void put_scalar(tree *t, const char *s)
{
  const char *placed = t->place(t->ctx, s);
  if (placed) {
    hc_buffer path;
    hc_buffer_init(&path, t->c->allocator);
    hc_buffer_printf(&path, "$here/%s", placed);
    hc_json_string(t->out, path.data ? path.data : "", path.size);
    t->out->failed |= path.failed;
    hc_buffer_fini(&path);
  } else if (is_plain(s)) hc_buffer_text(t->out, s);
  else hc_json_string(t->out, s, strlen(s));
}

static void put_key(tree *t, const char *key)
{
  if (is_plain(key)) hc_buffer_text(t->out, key);
  else hc_json_string(t->out, key, strlen(key));
  hc_buffer_text(t->out, ": ");
}

static hc_rc put_value(tree *t, size_t at, int depth)
{
  const node *x = &t->nodes[at];
  const char *before = "";
  size_t i = x->child;
  while (i && !t->nodes[i].is_given) i = t->nodes[i].next;
  if (depth > DEEPEST) return cli_fail(t->c, HC_ELIMIT, "a configuration is deeper than %d keys", DEEPEST);
  if (!i) {
    put_scalar(t, x->value ? x->value : "");
    return 0;
  }
  const bool is_list = t->nodes[i].key[0] >= '0' && t->nodes[i].key[0] <= '9';
  hc_buffer_text(t->out, is_list ? "[" : "{");
  if (!is_list && x->value && x->value[0]) {
    hc_buffer_text(t->out, "use: ");
    put_scalar(t, x->value);
    before = ", ";
  }
  for (; i; i = t->nodes[i].next) {
    if (!t->nodes[i].is_given) continue;
    hc_buffer_text(t->out, before);
    if (!is_list) put_key(t, t->nodes[i].key);
    CLI_TRY(put_value(t, i, depth + 1));
    before = ", ";
  }
  hc_buffer_text(t->out, is_list ? "]" : "}");
  return 0;
}

static hc_rc write_all(tree *t, hc_result *r)
{
  size_t root;
  CLI_TRY(add_node(t, "", 0, &root));
  CLI_TRY(hc_result_rows(r, "configuration", 3, keep_key, t, &t->c->error));
  for (size_t i = t->nodes[root].child; i; i = t->nodes[i].next) {
    if (!t->nodes[i].is_given) continue;
    put_key(t, t->nodes[i].key);
    CLI_TRY(put_value(t, i, 0));
    hc_buffer_text(t->out, "\n");
  }
  return t->out->failed ? cli_fail(t->c, HC_ENOMEM, "out of memory") : 0;
}

hc_rc cli_bundle_config(cli *c, hc_result *r, const char *(*place)(void *ctx, const char *value), void *ctx,
                        hc_buffer *out)
{
  tree t = {.c = c, .place = place, .ctx = ctx, .out = out};
  const hc_rc rc = write_all(&t, r);
  for (size_t i = 0; i < t.count; i++) {
    free(t.nodes[i].key);
    free(t.nodes[i].value);
  }
  free(t.nodes);
  return rc;
}
