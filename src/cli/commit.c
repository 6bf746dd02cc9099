/* commit.c -- the one file that is made anew when the commit is another one. */
#include "cli/commit.h"

#include "cli/cli.h"

const char *cli_commit(void)
{
  return CLI_COMMIT;
}
