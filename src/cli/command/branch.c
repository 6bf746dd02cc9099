/* branch.c -- `hindcast branch`: a saved run goes on under another policy, or with other parameters of it.
 *
 * A branch is the saved run with one change more (the key `changes`), at the time of the save or later. So
 * its result says by its own configuration what it is, and is that of a run from the beginning with the same
 * `changes`. What can change is what can change in such a run. */
#include <string.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "at",
     .metavar = "TIME",
     .help = "From when on it is another one: 30d, or seconds. Default: the time of the save."},
    {.name = "set",
     .letter = 's',
     .metavar = "PATH=VALUE",
     .many = true,
     .help = "Set a key of the policy from then on, such as policy.select.depth=2."},
    CLI_FLAG_RESULT("Where the result goes. Default: the saved run's with -branch.db in place of .db."),
    CLI_FLAG_ALL,
    CLI_FLAG_DIGEST,
    CLI_FLAG_QUIET,
    CLI_FLAG_FORCE,
    {.name = NULL},
};
static const cli_flag *const flags[] = {cli_policy_flags, own_flags, cli_saving_flags, cli_format_flags,
                                        NULL};

/* "path=value", or the value alone, in JSON, which is YAML. */
static void put_text(hc_buffer *out, const char *path, const char *value)
{
  hc_buffer text;
  hc_buffer_init(&text, out->allocator);
  if (path) hc_buffer_printf(&text, "%s=", path);
  hc_buffer_text(&text, value);
  if (text.failed) out->failed = true;
  else hc_json_string(out, text.data, text.size);
  hc_buffer_fini(&text);
}

/* {at: 3600, set: ["policy=easy", ...]} */
static size_t put_change(const cli *c, hc_time at, hc_buffer *out)
{
  char when[40];
  size_t count = 0;
  (void)hc_format_seconds(at, when);
  hc_buffer_printf(out, "{at: %s, set: [", when);
  for (int flags_now = 0; flags_now < 2; flags_now++) /* flags win over --set */
    for (size_t i = 0; i < c->given_count; i++) {
      const cli_given *g = &c->given[i];
      const bool is_set = strcmp(g->flag->name, "set") == 0;
      const bool is_policy = g->flag->path && strncmp(g->flag->path, "policy", 6) == 0;
      if (flags_now ? !is_policy : !is_set) continue;
      if (count++ > 0) hc_buffer_printf(out, ", ");
      put_text(out, is_set ? NULL : g->flag->path, g->value);
    }
  hc_buffer_printf(out, "]}");
  return count;
}

static hc_rc count_change(void *ctx, const char *path, const char *value, const char *origin)
{
  const size_t n = strlen(path);
  (void)value;
  (void)origin;
  *(size_t *)ctx += strncmp(path, "changes.", 8) == 0 && n > 3 && strcmp(path + n - 3, ".at") == 0;
  return 0;
}

static hc_rc add_change(cli *c, hc_config *config, hc_time at)
{
  hc_buffer text;
  char path[40];
  size_t before = 0, count;
  hc_rc rc;
  CLI_TRY(hc_config_each(config, count_change, &before));
  (void)snprintf(path, sizeof path, "changes.%zu", before);
  hc_buffer_init(&text, c->allocator);
  count = put_change(c, at, &text);
  if (count == 0)
    rc = cli_fail(c, HC_EUSAGE,
                  "say what is another one from then on: --policy easy, or --set policy.select.depth=2; "
                  "as it was, `hindcast resume` carries it on");
  else if (text.failed) rc = cli_fail(c, HC_ENOMEM, "out of memory");
  else rc = hc_config_flag(config, path, text.data, true, &c->error);
  hc_buffer_fini(&text);
  return rc < 0 ? rc : hc_config_resolve(config, &c->error);
}

static hc_rc read_at(cli *c, const hc_saved *saved, hc_time *out)
{
  const char *word = cli_value(c, "at");
  char saved_at[40];
  *out = hc_saved_told(saved)->at;
  if (!word) return 0;
  if (hc_parse_time(word, strlen(word), out) < 0)
    return cli_fail(c, HC_EUSAGE, "--at: expected a time, such as 30d or 3600, got \"%.80s\"", word);
  if (*out >= hc_saved_told(saved)->at) return 0;
  (void)hc_format_seconds(hc_saved_told(saved)->at, saved_at);
  return cli_fail(c, HC_EUSAGE, "--at: the run was saved at t=%s s, and what was before is over", saved_at);
}

static hc_rc go_on(cli *c, hc_saved *saved)
{
  hc_registry *registry = cli_registry(c);
  hc_config *config;
  hc_time at;
  hc_rc rc;
  if (!registry) return cli_fail(c, HC_ENOMEM, "out of memory");
  CLI_TRY(read_at(c, saved, &at));
  CLI_TRY(hc_saved_config(saved, registry, &config, &c->error));
  c->config = config;
  rc = add_change(c, config, at);
  if (rc >= 0) rc = cli_run(c, config, saved, &at);
  c->config = NULL;
  hc_config_free(config);
  return rc;
}

static hc_rc run(cli *c)
{
  return cli_with_save(c, go_on);
}

const cli_command cli_command_branch = {
    .name = "branch",
    .operands = "SAVE",
    .summary = "Carry a saved run on under another policy, or with other parameters of it.",
    .detail =
        "The result is a whole one: up to the time of the save what the saved run did, and from then on what "
        "the other policy does, whose keys stand under `changes` of its configuration. Tasks that run go on, "
        "queued ones are sorted anew, and a selector begins with nothing promised. A policy that is made of "
        "an order, a selector and a placement (batch) can change, under the architecture monolithic; "
        "anything else is refused with the reason.",
    .examples = "hindcast run log.swf --policy easy --save-at 30d --save a.save\n"
                "hindcast branch a.save --policy sjf+easy -o sjf.db\n"
                "hindcast branch a.save --set policy.select.depth=4 -o deep.db",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
