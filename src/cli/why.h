/* why.h -- the story of a task: what blocked it, when, and who passed it. For `hindcast why` and `report`. */
#ifndef HC_CLI_WHY_H
#define HC_CLI_WHY_H

#include "cli/cli.h"

typedef struct cli_story {
  cli_table lines;   /* time, text; as many as were asked for */
  hc_time *promised; /* [lines] when it is promised its start, as that line says; HC_NEVER: none does */
  size_t promised_cap;
  uint64_t heard; /* how many there are */
} cli_story;

/** The task that a word means: its number, its name or that of its job, or # and a serial.
 *  @return 0, HC_EUSAGE (it names none, or several), HC_ENOTFOUND, HC_EIO, HC_ENOMEM */
hc_rc cli_why_task(cli *c, hc_result *r, const char *word, hc_task_record *out);

/** Run a result's configuration again up to a task's start, and hear what is said of that task.
 *  @param limit  lines that are kept  @param out  the caller's to free, also after a failure
 * @return 0; HC_EUSAGE (a log was recorded, not run), HC_EUNSUPPORTED (a closed world), HC_EINPUT (an input
 * has
 *  changed or gone), or what the run says. Cost: that of the run up to then */
hc_rc cli_why_tell(cli *c, hc_result *r, const hc_task_record *task, int64_t limit, cli_story *out);
void cli_story_free(cli_story *s);

#endif
