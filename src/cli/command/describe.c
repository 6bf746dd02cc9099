/* describe.c -- `hindcast describe`: the manual page of a component, or the reference manual of a kind. */
#include <string.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "json", .help = "Write JSON."},
    {.name = "markdown",
     .help = "Write the reference page of a whole kind (or of all, without a name) in Markdown."},
    {.name = "plugin",
     .metavar = "FILE.so",
     .many = true,
     .complete = CLI_FILE,
     .help = "Load components from a shared object first."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

/* Of a kind that has one component, such as run or scheduler, that is what is meant. NULL: it has several, or
 * none */
static const hc_component *only_one(const hc_registry *r, hc_kind kind)
{
  return hc_registry_at(r, kind, 0) && !hc_registry_at(r, kind, 1) ? hc_registry_at(r, kind, 0) : NULL;
}

static hc_rc run(cli *c)
{
  const char *name = c->operand_count ? c->operands[0] : NULL, *slash = name ? strchr(name, '/') : NULL;
  hc_page page = c->format == CLI_JSON ? HC_PAGE_JSON : HC_PAGE_TEXT;
  hc_sink out = cli_out_sink(c);
  char kind[32];
  if (!cli_registry(c)) return HC_ENOMEM;
  for (size_t i = 0; i < c->given_count; i++) {
    if (c->given[i].flag == &own_flags[2])
      CLI_TRY(hc_registry_load(c->registry, c->given[i].value, &c->error));
  }
  if (cli_has(c, "markdown")) return hc_manual(c->registry, name, &out, &c->error);
  if (!name)
    return cli_fail(c, HC_EUSAGE,
                    "describe what? A component such as easy or order/sjf, a kind such as order, or run");
  if (slash) {
    (void)snprintf(kind, sizeof kind, "%.*s", (int)(slash - name < 30 ? slash - name : 30), name);
    return hc_describe(c->registry, kind, slash + 1, page, &out, &c->error);
  }
  if (hc_kind_find(c->registry, name) != HC_KIND_LIMIT) {
    const hc_component *only = only_one(c->registry, hc_kind_find(c->registry, name));
    if (only) return hc_describe(c->registry, name, only->name, page, &out, &c->error);
    return hc_list_components(c->registry, name, page, &out, &c->error);
  }
  return hc_describe(c->registry, NULL, name, page, &out, &c->error);
}

const cli_command cli_command_describe = {
    .name = "describe",
    .operands = "NAME | KIND/NAME | KIND",
    .summary = "Describe a component: what it does, its source, its parameters.",
    .detail =
        "`hindcast describe run` lists every key of a run file. Of a kind that has one component, such as "
        "scheduler, it describes that.",
    .examples = "hindcast describe easy\nhindcast describe metric/wait\nhindcast describe run",
    .flags = flags,
    .max = 1,
    .run = run,
};
