/* keys.c -- how an assignment of `--set` may go on, for the shells: keys of the configuration, and behind `=`
 * the names of components and choices.
 *
 * A path is walked through the tables of parameters. Where it goes through a component, each of that kind may
 * be meant, so all their keys are offered; numbers within a list are passed over. */
#include <string.h>

#include "cli/cli.h"

#define USE "use" /* the key that says which component */

/* A piece of the word, within it. */
typedef struct piece {
  const char *text;
  size_t size;
} piece;

typedef void (*hear)(cli *c, const char *word, size_t kept, const hc_param *p);

static bool is_called(const hc_param *p, piece name)
{
  return strlen(p->name) == name.size && memcmp(p->name, name.text, name.size) == 0;
}

/* ---- lists, each line once ---- */

static bool is_said(const hc_buffer *out, const char *line, size_t size)
{
  for (const char *at = out->size ? out->data : ""; *at;) {
    const size_t n = strcspn(at, "\n");
    if (n == size && memcmp(at, line, n) == 0) return true;
    at += n + (at[n] == '\n');
  }
  return false;
}

/* What the word begins with, and another end. */
static void say(cli *c, const char *word, size_t kept, const char *text, size_t size, const char *end)
{
  hc_buffer line;
  hc_buffer_init(&line, c->out.allocator);
  hc_buffer_add(&line, word, kept);
  hc_buffer_add(&line, text, size);
  hc_buffer_text(&line, end);
  c->out.failed |= line.failed;
  const size_t typed = strlen(word);
  if (!line.failed && line.size >= typed && memcmp(line.data, word, typed) == 0 &&
      !is_said(&c->out, line.data, line.size))
    hc_buffer_printf(&c->out, "%s\n", line.data);
  hc_buffer_fini(&line);
}

static void say_key(cli *c, const char *word, size_t kept, const hc_param *p)
{
  say(c, word, kept, p->name, strlen(p->name), "=");
  if (p->type == HC_COMPONENT && strcmp(p->name, USE) != 0) say(c, word, kept, p->name, strlen(p->name), ".");
}

static void say_components(cli *c, const char *word, size_t kept, hc_kind kind)
{
  const hc_component *x;
  for (size_t i = 0; (x = hc_registry_at(c->registry, kind, i)); i++)
    say(c, word, kept, x->name, strlen(x->name), "");
}

static void say_values(cli *c, const char *word, size_t kept, const hc_param *p)
{
  if (p->type == HC_BOOL) {
    say(c, word, kept, "true", 4, "");
    say(c, word, kept, "false", 5, "");
  }
  for (const char *s = p->type == HC_CHOICE ? p->choices : ""; *s;) {
    const size_t n = strcspn(s, "|");
    say(c, word, kept, s, n, "");
    s += n + (s[n] == '|');
  }
  if (p->type != HC_COMPONENT) return;
  say_components(c, word, kept, p->kind);
  if (p->kind != HC_KIND_POLICY || strcmp(p->name, USE) == 0) return;
  say_components(c, word, kept, HC_KIND_SELECT); /* `policy: easy`, `policy: sjf` */
  say_components(c, word, kept, HC_KIND_ORDER);
}

/* ---- the walk ---- */

/* If it may be the last piece of a path. @param at  in the word */
static void meet(cli *c, const char *word, const char *at, const hc_param *p, hear f)
{
  const size_t size = strcspn(at, ".=");
  if (f == say_key) f(c, word, (size_t)(at - word), p);
  else if (is_called(p, (piece){at, size})) f(c, word, (size_t)(at + size + 1 - word), p);
}

/* Every parameter that the last piece of a path may be. @param at  the piece at hand, in the word
 * @param kind  of the components whose parameters it may be */
static void walk(cli *c, const char *word, const char *at, hc_kind kind, hear f)
{
  const size_t size = strcspn(at, ".=");
  const piece name = {at, size};
  const bool is_last = at[size] != '.';
  const hc_component *component;
  if (!is_last && size > 0 && strspn(at, "0123456789") == size) {
    walk(c, word, at + size + 1, kind, f);
    return;
  }
  const hc_param use = {.name = USE, .type = HC_COMPONENT, .kind = kind};
  if (is_last && kind != HC_KIND_RUN) meet(c, word, at, &use, f);
  for (size_t i = 0; (component = hc_registry_at(c->registry, kind, i)); i++)
    for (const hc_param *p = component->params; p && p->name; p++) {
      if (is_last) meet(c, word, at, p, f);
      else if (is_called(p, name) && p->type == HC_COMPONENT) walk(c, word, at + size + 1, p->kind, f);
    }
}

void cli_keys(cli *c, const char *word)
{
  walk(c, word, word, HC_KIND_RUN, strchr(word, '=') ? say_values : say_key);
}
