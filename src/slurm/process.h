/* process.h -- processes that are started to outlive this one, and known again by number and start. */
#ifndef HC_SLURM_PROCESS_H
#define HC_SLURM_PROCESS_H

#include "base/mem.h"

typedef struct hc_process {
  char name[32];
  int64_t pid;
  uint64_t
      start; /* clock ticks after the boot, as /proc has it: a number that is used again has another one */
} hc_process;

/** Start a program in a session of its own, with nothing on standard input and both outputs appended to a
 *  file.
 *  @param settings  [] "NAME=VALUE" over the environment; NULL ends them @return 0, HC_EIO, HC_ENOTFOUND */
hc_rc hc_process_start(const char *name, const char *const *argv, const char *const *settings,
                       const char *log, hc_process *out, hc_error *e);
/** Whether it is this very one, and runs. */
bool hc_process_runs(const hc_process *p);
/** End it: ask, wait for some seconds, then force. Nothing happens to a process that is not this one.
 *  @return 1: it was ended; 0: it had ended before; HC_EIO: it does not end, or may not be ended */
hc_rc hc_process_end(const hc_process *p, hc_error *e);
/** Sleep. @param time ns */
void hc_process_sleep(hc_time time);
/** A steady clock. */
hc_time hc_process_now(void);

#endif
