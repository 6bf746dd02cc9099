/* bundle_config.c -- a stored configuration as a run file.
 *
 * The store has a configuration as paths and values ("source.0.file"). They are laid into a tree and written
 * as YAML: a key of the run a line, what is below it in one piece. A part that has keys of its own is
 * {use: NAME, ...}. Values are texts between quotes, unless they are plain words: the reader takes both.
 *
 * Which values are paths is a matter of their keys: a log may be called `easy`, as a policy is. The tree is
 * gone through beside the parameters of its parts, which say so. Of a part that is not built in they are not
 * known without running what it brings along: any of its values may be a path then, and is one if it leads to
 * an input. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cli/bundle.h"

#define DEEPEST 64

typedef struct node {
  char *key, *value;        /* value NULL: it has none of its own */
  size_t child, next;       /* 0: none; the root is 0 */
  bool is_given;            /* it, or something below it, is not at its default */
  bool is_path, is_certain; /* its value names files; or may, since it is not known what the key is */
} node;

struct cli_bundle_keys {
  cli *c;
  node *nodes; /* [count] the first is the root */
  size_t count, cap;
};

typedef cli_bundle_keys tree;

static hc_rc add_node(tree *t, const char *key, size_t n, size_t *out)
{
  if (t->count == t->cap) {
    const size_t cap = t->cap ? 2 * t->cap : 64;
    node *more = realloc(t->nodes, cap * sizeof *more);
    if (!more) return cli_fail(t->c, HC_ENOMEM, "out of memory");
    t->nodes = more;
    t->cap = cap;
  }
  t->nodes[t->count] = (node){.key = strndup(key, n)};
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
  t->nodes[at].value = strdup(v[1]);
  return t->nodes[at].value ? 0 : cli_fail(t->c, HC_ENOMEM, "out of memory");
}

/* ---- which values are paths ---- */

static hc_rc mark_part(tree *t, const hc_registry *known, size_t at, const hc_component *part, int depth);

static const hc_param *param_of(const hc_component *part, const char *name)
{
  for (const hc_param *p = part->params; p && p->name; p++)
    if (strcmp(p->name, name) == 0) return p;
  return NULL;
}

static bool names_files(const hc_component *part, const hc_param *p)
{
  return hc_param_names_files(p) || (part->kind == HC_KIND_RUN && strcmp(p->name, "plugin") == 0);
}

static hc_rc mark_chosen(tree *t, const hc_registry *known, size_t at, hc_kind kind, int depth)
{
  const char *name = t->nodes[at].value;
  return mark_part(t, known, at, name ? hc_registry_find(known, kind, name) : NULL, depth);
}

/* @param p  of the key at `at`; NULL: it is not known, and neither is the part */
static hc_rc mark_key(tree *t, const hc_registry *known, size_t at, const hc_component *part,
                      const hc_param *p, int depth)
{
  const bool is_part = p && p->type == HC_COMPONENT, is_path = !p || names_files(part, p);
  if (!p) {
    t->nodes[at].is_path = t->nodes[at].child == 0;
    return mark_part(t, known, at, NULL, depth);
  }
  if (!p->list && is_part) return mark_chosen(t, known, at, p->kind, depth);
  t->nodes[at].is_path = t->nodes[at].is_certain = is_path && !p->list; /* an empty list is "[]" */
  for (size_t i = t->nodes[at].child; i; i = t->nodes[i].next) {
    t->nodes[i].is_path = t->nodes[i].is_certain = is_path;
    if (is_part) CLI_TRY(mark_chosen(t, known, i, p->kind, depth));
  }
  return 0;
}

/* The keys of a part. @param part  NULL: it is not built in */
static hc_rc mark_part(tree *t, const hc_registry *known, size_t at, const hc_component *part, int depth)
{
  if (depth > DEEPEST) return cli_fail(t->c, HC_ELIMIT, "a configuration is deeper than %d keys", DEEPEST);
  for (size_t i = t->nodes[at].child; i; i = t->nodes[i].next) {
    const hc_param *p = part ? param_of(part, t->nodes[i].key) : NULL;
    if (p || !part) CLI_TRY(mark_key(t, known, i, part, p, depth + 1));
  }
  return 0;
}

/* ---- writing ---- */

/* A word that YAML cannot take for anything but a text or a number. */
static bool is_plain(const char *s)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
  static const char *const others[] = {"null", "Null", "NULL"};
  for (size_t i = 0; i < CLI_LEN(others); i++)
    if (strcmp(s, others[i]) == 0) return false;
  return s[0] && strchr(letters, s[0]) && s[strspn(s, letters)] == '\0';
}

typedef struct writing {
  const tree *tree;
  const char *(*place)(void *ctx, const char *value);
  void *ctx;
  hc_buffer *out;
} writing;

static void put_scalar(writing *w, const char *s, bool is_path)
{
  const char *placed = is_path ? w->place(w->ctx, s) : NULL;
  if (placed) {
    hc_buffer path;
    hc_buffer_init(&path, w->tree->c->allocator);
    hc_buffer_printf(&path, "$here/%s", placed);
    hc_json_string(w->out, path.data ? path.data : "", path.size);
    w->out->failed |= path.failed;
    hc_buffer_fini(&path);
  } else if (is_plain(s)) hc_buffer_text(w->out, s);
  else hc_json_string(w->out, s, strlen(s));
}

static void put_key(writing *w, const char *key)
{
  if (is_plain(key)) hc_buffer_text(w->out, key);
  else hc_json_string(w->out, key, strlen(key));
  hc_buffer_text(w->out, ": ");
}

static hc_rc put_value(writing *w, size_t at, int depth)
{
  const node *nodes = w->tree->nodes, *x = &nodes[at];
  const char *before = "";
  size_t i = x->child;
  while (i && !nodes[i].is_given) i = nodes[i].next;
  if (depth > DEEPEST)
    return cli_fail(w->tree->c, HC_ELIMIT, "a configuration is deeper than %d keys", DEEPEST);
  if (!i) {
    put_scalar(w, x->value ? x->value : "", x->is_path);
    return 0;
  }
  const bool is_list = nodes[i].key[0] >= '0' && nodes[i].key[0] <= '9';
  hc_buffer_text(w->out, is_list ? "[" : "{");
  if (!is_list && x->value && x->value[0]) {
    hc_buffer_text(w->out, "use: ");
    put_scalar(w, x->value, false);
    before = ", ";
  }
  for (; i; i = nodes[i].next) {
    if (!nodes[i].is_given) continue;
    hc_buffer_text(w->out, before);
    if (!is_list) put_key(w, nodes[i].key);
    CLI_TRY(put_value(w, i, depth + 1));
    before = ", ";
  }
  hc_buffer_text(w->out, is_list ? "]" : "}");
  return 0;
}

hc_rc cli_bundle_keys_write(const cli_bundle_keys *keys, const char *(*place)(void *ctx, const char *value),
                            void *ctx, hc_buffer *out)
{
  writing w = {keys, place, ctx, out};
  for (size_t i = keys->nodes[0].child; i; i = keys->nodes[i].next) {
    if (!keys->nodes[i].is_given) continue;
    put_key(&w, keys->nodes[i].key);
    CLI_TRY(put_value(&w, i, 0));
    hc_buffer_text(out, "\n");
  }
  return out->failed ? cli_fail(keys->c, HC_ENOMEM, "out of memory") : 0;
}

hc_rc cli_bundle_keys_paths(const cli_bundle_keys *keys,
                            hc_rc (*each)(void *ctx, const char *value, bool is_certain), void *ctx)
{
  for (size_t i = 1; i < keys->count; i++) {
    const node *x = &keys->nodes[i];
    if (x->is_path && x->value && x->value[0]) CLI_TRY(each(ctx, x->value, x->is_certain));
  }
  return 0;
}

hc_rc cli_bundle_keys_read(cli *c, hc_result *r, cli_bundle_keys **out)
{
  const hc_registry *known = cli_registry(c);
  tree *t = known ? calloc(1, sizeof *t) : NULL;
  size_t root;
  if (!t) return cli_fail(c, HC_ENOMEM, "out of memory");
  t->c = c;
  hc_rc rc = add_node(t, "", 0, &root);
  if (rc >= 0) rc = hc_result_rows(r, "configuration", 3, keep_key, t, &c->error);
  if (rc >= 0) rc = mark_part(t, known, root, hc_registry_find(known, HC_KIND_RUN, "run"), 0);
  if (rc >= 0) *out = t;
  else cli_bundle_keys_free(t);
  return rc;
}

void cli_bundle_keys_free(cli_bundle_keys *t)
{
  if (!t) return;
  for (size_t i = 0; i < t->count; i++) {
    free(t->nodes[i].key);
    free(t->nodes[i].value);
  }
  free(t->nodes);
  free(t);
}
