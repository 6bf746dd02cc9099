/* whatif_change.c -- what --change says.
 *
 *   [NAME:]PATH=VALUE             a key of the run, as --set takes it
 *   [NAME:]Key=VALUE ...          a line of slurm.conf, laid over that of the cell and of the policy
 *   [NAME:]sacctmgr COMMAND ...   a command of sacctmgr, laid over the policy's accounting
 *
 * Keys of a run are written small and those of a slurm.conf begin with a capital: this tells them apart.
 * Changes of one NAME make one variant; without a name a change is a variant of its own, called as it is
 * written. */
#include <stdlib.h>
#include <string.h>

#include "cli/whatif.h"

static const char command_word[] = "sacctmgr ";

/* Length of a name in front of a colon; 0: there is none. */
static size_t name_size(const char *text)
{
  size_t n = 0;
  while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z') ||
         (text[n] >= '0' && text[n] <= '9') || text[n] == '_' || text[n] == '-')
    n++;
  return text[n] == ':' ? n : 0;
}

static cli_variant *find(cli_variants *v, const char *name)
{
  for (size_t i = 0; i < v->count; i++)
    if (strcmp(v->items[i].name, name) == 0) return &v->items[i];
  return NULL;
}

static hc_rc add(cli *c, cli_variants *v, const char *text)
{
  const size_t n = name_size(text);
  const char *change = text + n + (n > 0);
  char name[sizeof v->items->name];
  cli_variant *x;
  while (*change == ' ') change++;
  if (!strchr(change, '='))
    return cli_fail(
        c, HC_EUSAGE,
        "--change: expected [NAME:]PATH=VALUE, a line of slurm.conf or a command of sacctmgr, got "
        "\"%.100s\"",
        text);
  if (n >= sizeof name)
    return cli_fail(c, HC_EUSAGE, "--change: the name \"%.80s\" has more than 63 characters", text);
  (void)snprintf(name, sizeof name, "%.*s", n ? (int)n : 60, n ? text : change);
  if (strcmp(name, "base") == 0)
    return cli_fail(c, HC_EUSAGE, "--change: \"base\" is what all are compared with; choose another name");
  x = find(v, name);
  if (!x) {
    x = &v->items[v->count++];
    (void)snprintf(x->name, sizeof x->name, "%s", name);
    x->changes = calloc(c->given_count + 1, sizeof *x->changes);
    if (!x->changes) return cli_fail(c, HC_ENOMEM, "out of memory for the changes");
  }
  x->changes[x->count++] = change;
  return 0;
}

hc_rc cli_variants_read(cli *c, cli_variants *out)
{
  *out = (cli_variants){.items = calloc(c->given_count + 2, sizeof *out->items)};
  if (!out->items) return cli_fail(c, HC_ENOMEM, "out of memory for the changes");
  (void)snprintf(out->items[out->count++].name, sizeof out->items->name, "base");
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "change") == 0) CLI_TRY(add(c, out, c->given[i].value));
  return 0;
}

void cli_variants_close(cli_variants *v)
{
  for (size_t i = 0; i < v->count; i++) free((void *)v->items[i].changes);
  free(v->items);
  *v = (cli_variants){.count = 0};
}

/* ---- laying ---- */

/* The items of a list of the base, "PATH.0" and so on, as JSON behind each other. */
typedef struct items {
  const char *path;
  hc_buffer *out;
  size_t count;
} items;

static void put_item(items *x, const char *text)
{
  hc_buffer_text(x->out, x->count++ ? ", " : "");
  hc_json_string(x->out, text, strlen(text));
}

static hc_rc copy_item(void *ctx, const char *path, const char *value, const char *origin)
{
  items *x = ctx;
  const size_t n = strlen(x->path);
  (void)origin;
  if (strncmp(path, x->path, n) == 0 && path[n] == '.') put_item(x, value);
  return 0;
}

static bool is_line(const char *change)
{
  return change[0] >= 'A' && change[0] <= 'Z';
}

static bool is_command(const char *change)
{
  return strncmp(change, command_word, sizeof command_word - 1) == 0;
}

/* Set a list of texts: what the base has, and behind it the changes of a kind. */
static hc_rc set_list(cli *c, const cli_variant *v, const hc_config *base, hc_config *config,
                      const char *path, bool commands)
{
  hc_buffer b;
  items x = {path, &b, 0};
  hc_rc rc;
  hc_buffer_init(&b, c->allocator);
  hc_buffer_printf(&b, "%s=[", path);
  rc = hc_config_each(base, copy_item, &x);
  for (size_t i = 0; i < v->count; i++)
    if (commands ? is_command(v->changes[i]) : is_line(v->changes[i]))
      put_item(&x, v->changes[i] + (commands ? sizeof command_word - 1 : 0));
  hc_buffer_text(&b, "]");
  if (b.failed) rc = cli_fail(c, HC_ENOMEM, "out of memory for the changes");
  if (rc >= 0) rc = hc_config_set(config, b.data, &c->error);
  hc_buffer_fini(&b);
  return rc;
}

static bool has(const hc_config *base, const char *path, const char *value)
{
  char text[64];
  return cli_config_value(base, path, text, sizeof text) && (!value || strcmp(text, value) == 0);
}

hc_rc cli_variant_lay(cli *c, const cli_variant *v, const hc_config *base, hc_config *config)
{
  const bool cell = has(base, "cell", "slurm"), policy = has(base, "policy", "slurm"),
             conf = policy && has(base, "policy.conf", NULL);
  bool lines = false, commands = false;
  for (size_t i = 0; i < v->count; i++) {
    const char *change = v->changes[i];
    lines |= is_line(change);
    commands |= is_command(change);
    if (is_line(change) && !cell && !conf)
      return cli_fail(
          c, HC_EUSAGE,
          "--change: \"%.80s\" is a line of slurm.conf, and neither cell nor policy reads one; say `cell: "
          "{use: slurm, file: slurm.conf}`, or change a key: PATH=VALUE",
          change);
    if (is_command(change) && !policy)
      return cli_fail(
          c, HC_EUSAGE,
          "--change: \"%.80s\" is a command of sacctmgr, which the policy slurm alone understands; say "
          "`policy: {use: slurm, accounting: [...]}`",
          change);
    if (!is_line(change) && !is_command(change)) CLI_TRY(hc_config_set(config, change, &c->error));
  }
  if (lines && cell) CLI_TRY(set_list(c, v, base, config, "cell.lines", false));
  if (lines && conf) CLI_TRY(set_list(c, v, base, config, "policy.lines", false));
  if (commands) CLI_TRY(set_list(c, v, base, config, "policy.sacctmgr", true));
  return 0;
}
