/* study.c -- `hindcast study`: many runs from one file. The parts are in cli/study_*.c. */
#include "cli/study.h"
#include "cli/study_stats.h"

hc_rc cli_study_read(cli *c, hc_study **out)
{
  hc_registry *registry = cli_registry(c);
  int64_t shakes = 0;
  if (!registry) return HC_ENOMEM;
  CLI_TRY(cli_int(c, "shake", 1, 1000000, &shakes));
  return hc_study_read(c->allocator, registry, c->operands[0], (uint64_t)shakes, out, &c->error);
}

void cli_study_path(const cli *c, const hc_study *s, char *out, size_t size)
{
  const char *given = cli_value(c, "out");
  hc_study_facts facts;
  hc_study_facts_of(s, &facts);
  if (given) (void)snprintf(out, size, "%s", given);
  else (void)snprintf(out, size, "results/%s.db", facts.name);
}

static const cli_command *const commands[] = {&cli_study_plan,
                                              &cli_study_run,
                                              &cli_study_status,
                                              &cli_study_resume,
                                              &cli_study_merge,
                                              &cli_study_table,
                                              &cli_study_compare,
                                              &cli_study_best,
                                              &cli_study_shake,
                                              &cli_study_check,
                                              NULL};

const cli_command cli_command_study = {
    .name = "study",
    .operands = "",
    .summary = "Carry out many runs from one file, and put what they found in one store.",
    .commands = commands,
};
