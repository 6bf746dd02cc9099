/* compare.h -- what the files of `hindcast compare` share. */
#ifndef HC_CLI_COMPARE_H
#define HC_CLI_COMPARE_H

#include "cli/cli.h"

/** Append a line for each thing that sets a result apart from the first: machine, inputs, workload. Results
 *  whose schedules came from other programs say nothing. @return 0, HC_EIO, HC_ENOMEM */
hc_rc cli_compare_notes(cli *c, const cli_schedule *s, size_t count, hc_buffer *out);
void cli_show_notes(const hc_buffer *notes, hc_buffer *out);    /* as lines behind what is there */
void cli_json_notes(hc_json_writer *j, const hc_buffer *notes); /* as a list; the buffer is cut up */

/** A task in two schedules. */
typedef struct cli_pair {
  const hc_task_record *a, *b;
} cli_pair;

typedef struct cli_pairing {
  cli_pair *pairs; /* [count] in order of submission; the caller's to free */
  size_t count;
  uint64_t only_a, only_b;
  bool by_id;
} cli_pairing;

/** Tasks by serial if both sides have the same ones, else by job id and submission. @return 0 or HC_ENOMEM */
hc_rc cli_match(cli *c, const cli_schedule *a, const cli_schedule *b, cli_pairing *out);

/** "start" and "wait" after --by say what --differ does. */
bool cli_is_differ(const char *value);
/** `compare --by`: which groups lose and which gain, each result against the first. */
hc_rc cli_compare_by(cli *c, const cli_schedule *s, size_t count, uint32_t batches, double tau);

#endif
