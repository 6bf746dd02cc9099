/* shell.h -- running other programs and hearing what they say: for carriers that talk to a batch system. */
#ifndef HC_STUDY_SHELL_H
#define HC_STUDY_SHELL_H

#include "base/mem.h"

/** Run a program that is found on PATH, and wait for it. It has a process group of its own, so that an
 *  interruption of this process does not end it half way, and nothing on standard input.
 *  @param argv     [] its words, the first is its name; NULL ends them
 *  @param without  [] beginnings of names of environment variables that it shall not see; NULL ends them
 *  @param said     what it writes, to standard output and error alike; emptied before. At most 16 MiB are
 *  kept.
 *  @param status   out: its exit status; 128 + the signal that ended it
 *  @return 0; HC_ENOTFOUND: there is no such program; HC_EIO; HC_ENOMEM */
hc_rc hc_shell_run(const hc_allocator *a, const char *const *argv, const char *const *without,
                   hc_buffer *said, int *status, hc_error *e);

/** Append a text between single quotes, as a POSIX shell reads it. */
void hc_shell_quote(hc_buffer *out, const char *text);

#endif
