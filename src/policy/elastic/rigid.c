/* rigid.c -- no task changes: tasks run with what they ask for, as under the policy within. With `batch` that
 * is FIFO, shortest job first, first-fit or EASY backfilling of jobs of the size that their source says. */
#include "policy/elastic/sharing.h"

static void share(hc_elastic *x)
{
  (void)x;
}

static int64_t start(int64_t least, int64_t most, int64_t prefers, int64_t room)
{
  (void)least;
  (void)most;
  (void)room;
  return prefers;
}

const hc_elastic_strategy hc_elastic_rigid = {.name = "rigid", .share = share, .start = start};
