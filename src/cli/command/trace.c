/* trace.c -- `hindcast trace`: looks at workloads and changes them, without a run. The parts are in
 * cli/trace_*.c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

const cli_flag cli_window_flags[] = {
    {.name = "from",
     .metavar = "TIME",
     .path = "transforms",
     .many = true,
     .wrap = "{use: window, from: %q}",
     .help = "Only tasks submitted at this time or later, counted from the log's origin: 30d, or seconds."},
    {.name = "until",
     .metavar = "TIME",
     .path = "transforms",
     .many = true,
     .wrap = "{use: window, to: %q}",
     .help = "Only tasks submitted before this time."},
    {.name = NULL},
};

/* ---- the side file of rejected rows ---- */

/* Every row that is rejected, as `hindcast run` writes them too, and on to what else wants to hear of it. */
struct cli_rejects {
  cli_file file;
  hc_buffer line;
  hc_rc rc; /* of writing */
  void (*next)(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text);
  void *next_ctx;
};

static void keep_rejected(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text)
{
  cli_rejects *r = ctx;
  hc_buffer_printf(&r->line, "%s\t%" PRIu64 "\t%s\t%s\n", file, line, hc_reason_name(why), text ? text : "");
  if (r->rc >= 0) r->rc = cli_file_send(&r->file, &r->line);
  if (r->next) r->next(r->next_ctx, file, line, why, text);
}

static hc_rc give_up_rejects(cli_rejects *r)
{
  const hc_rc rc = r->rc;
  cli_file_drop(&r->file);
  hc_buffer_fini(&r->line);
  free(r);
  return rc;
}

/* Open the file that `rejected` names, if it names one, and listen. */
static hc_rc open_rejects(cli *c, const hc_config *config, hc_trace_options *o)
{
  char path[4096];
  cli_rejects *r;
  if (!cli_config_value(config, "rejected", path, sizeof path)) return 0;
  if (strcmp(path, "-") == 0)
    return cli_fail(c, HC_EUSAGE, "rejected: standard output has the result; name a file");
  r = calloc(1, sizeof *r);
  if (!r) return cli_fail(c, HC_ENOMEM, "out of memory for the rejected rows");
  hc_buffer_init(&r->line, c->allocator);
  r->rc = cli_file_open(c, path, &r->file);
  if (r->rc < 0) {
    const hc_rc rc = r->rc;
    free(r);
    return rc;
  }
  hc_buffer_text(&r->line, "file\tline\treason\ttext\n");
  r->rc = cli_file_send(&r->file, &r->line);
  if (r->rc >= 0) r->rc = cli_file_look(&r->file);
  if (r->rc < 0) return give_up_rejects(r);
  r->next = o->rejected;
  r->next_ctx = o->rejected_ctx;
  o->rejected = keep_rejected;
  o->rejected_ctx = r;
  c->rejects = r;
  return 0;
}

hc_rc cli_trace_settle(cli *c)
{
  cli_rejects *r = c->rejects;
  if (r && r->rc >= 0 && fflush(r->file.stream) != 0) r->rc = cli_file_failed(&r->file);
  return r ? r->rc : 0;
}

/* Give the file its name; drop it after a failure that is not about the rows themselves. */
static hc_rc close_rejects(cli *c, hc_rc rc)
{
  cli_rejects *r = c->rejects;
  if (!r) return rc;
  c->rejects = NULL;
  if (rc >= 0) rc = r->rc;
  if (rc >= 0 || (rc == HC_EINPUT && r->rc >= 0)) {
    const hc_rc kept = cli_file_commit(&r->file);
    if (rc >= 0) rc = kept;
  } else {
    cli_file_drop(&r->file);
  }
  hc_buffer_fini(&r->line);
  free(r);
  return rc;
}

/* ---- opening and closing ---- */

hc_rc cli_trace_open(cli *c, const hc_trace_options *o, hc_config **config, hc_trace **out)
{
  hc_trace_options options = *o;
  hc_rc rc;
  if (c->operand_count == 0 && !cli_has(c, "set"))
    return cli_fail(c, HC_EUSAGE, "which workload? usage: hindcast trace %s %s", c->command->name,
                    c->command->operands);
  CLI_TRY(cli_config(c, config));
  rc = hc_config_resolve(*config, &c->error);
  if (rc >= 0) c->config = *config;
  if (rc >= 0) rc = open_rejects(c, *config, &options);
  options.renumber = cli_has(c, "renumber");
  if (rc >= 0) rc = hc_trace_open(c->allocator, *config, &options, out, &c->error);
  if (rc < 0) {
    (void)close_rejects(c, rc);
    c->config = NULL;
    hc_config_free(*config);
  }
  return rc;
}

hc_rc cli_trace_close(cli *c, hc_config *config, hc_trace *t, hc_rc rc)
{
  hc_trace_close(t);
  c->config = NULL;
  hc_config_free(config);
  return close_rejects(c, rc);
}

const char *cli_trace_name(const cli *c, const hc_config *config, char *buffer, size_t size)
{
  const char *name =
      c->operand_count ? c->operands[0] : cli_config_value(config, "source.file", buffer, size);
  if (!name) name = cli_config_value(config, "source.0.file", buffer, size);
  return name ? name : "the workload";
}

static const cli_command *const commands[] = {
    &cli_trace_info,   &cli_trace_head,  &cli_trace_validate, &cli_trace_sort, &cli_trace_convert,
    &cli_trace_sample, &cli_trace_merge, &cli_trace_split,    &cli_trace_mask, NULL};

const cli_command cli_command_trace = {
    .name = "trace",
    .operands = "",
    .summary = "Look at a workload, check it, sort it, change it.",
    .commands = commands,
};
