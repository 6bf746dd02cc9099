/* study.c -- `hindcast study`: many runs from one file. The parts are in cli/study_*.c. */
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"
#include "cli/study_stats.h"

hc_rc cli_study_read(cli *c, hc_study **out)
{
  hc_registry *registry = cli_registry(c);
  hc_study_laid laid = {0};
  int64_t shakes = 0;
  const char **set;
  hc_rc rc;
  if (!registry) return HC_ENOMEM;
  CLI_TRY(cli_int(c, "shake", 1, 1000000, &shakes));
  set = calloc(c->given_count + 1, sizeof *set);
  if (!set) return cli_fail(c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "set") == 0) set[laid.set_count++] = c->given[i].value;
  laid.shakes = (uint64_t)shakes;
  laid.set = set;
  rc = hc_study_read(c->allocator, registry, c->operands[0], &laid, out, &c->error);
  free((void *)set);
  return rc;
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
