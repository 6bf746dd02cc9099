/* list.c -- `hindcast list`: every component, or those of a kind. */
#include <string.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "json", .help = "Write JSON."},
    {.name = "names", .help = "Write names only, one a line."},
    {.name = "keys",
     .metavar = "WORD",
     .help = "Write how an assignment of --set that begins so may go on, one a line: policy.sel, policy=ea."},
    {.name = "plugin",
     .metavar = "FILE.so",
     .many = true,
     .complete = CLI_FILE,
     .help = "Load components from a shared object first."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

static hc_rc list_names(cli *c, const char *word)
{
  hc_kind only = word ? hc_kind_find(c->registry, word) : HC_KIND_LIMIT;
  const hc_component *component;
  if (word && only == HC_KIND_LIMIT) {
    hc_sink nowhere = cli_out_sink(c);
    return hc_list_components(c->registry, word, HC_PAGE_TEXT, &nowhere,
                              &c->error); /* it knows the nearest */
  }
  for (int k = 0; k < (int)HC_KIND_LIMIT; k++) {
    if (word && k != (int)only) continue;
    for (size_t i = 0; (component = hc_registry_at(c->registry, (hc_kind)k, i)); i++)
      hc_buffer_printf(&c->out, "%s\n", component->name);
  }
  return 0;
}

static hc_rc run(cli *c)
{
  const char *word = c->operand_count ? c->operands[0] : NULL;
  hc_sink out = cli_out_sink(c);
  if (!cli_registry(c)) return HC_ENOMEM;
  for (size_t i = 0; i < c->given_count; i++) {
    if (strcmp(c->given[i].flag->name, "plugin") == 0)
      CLI_TRY(hc_registry_load(c->registry, c->given[i].value, &c->error));
  }
  if (cli_has(c, "keys")) {
    cli_keys(c, cli_value(c, "keys"));
    return 0;
  }
  if (cli_has(c, "names")) return list_names(c, word);
  return hc_list_components(c->registry, word, c->format == CLI_JSON ? HC_PAGE_JSON : HC_PAGE_TEXT, &out,
                            &c->error);
}

const cli_command cli_command_list = {
    .name = "list",
    .operands = "[KIND]",
    .summary = "List components: readers, policies, orders, metrics ...",
    .examples = "hindcast list\nhindcast list order",
    .flags = flags,
    .max = 1,
    .complete = "reader|transform|cell|architecture|policy|order|select|place|metric|trim|exporter|compat",
    .run = run,
};
