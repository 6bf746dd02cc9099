/* screen.h -- a terminal as a screen: keys as they are pressed, frames in place of lines. */
#ifndef HC_CLI_SCREEN_H
#define HC_CLI_SCREEN_H

#include "cli/cli.h"

enum { CLI_KEY_NONE = 0, CLI_KEY_GONE = -1 }; /* GONE: there will be no key any more */

/** Whether standard input and standard error are a terminal that can be one. @return 0, or HC_EUSAGE with the
 *  reason and a remedy @param flag  that asks for it */
hc_rc cli_screen_check(cli *c, const char *flag);
/** Keys are not shown and need no Enter from now on, and the lines that are there are kept. However the
 *  process ends, but for SIGKILL, the terminal is put back as it was; while it is stopped (Ctrl-Z), too. Once
 *  at a time.
 *  @return 0 or HC_EIO */
hc_rc cli_screen_open(cli *c);
void cli_screen_close(void);
/** The next key, for which it waits so long. @param seconds  0: not at all */
int cli_screen_key(double seconds);
void cli_screen_size(size_t *columns, size_t *rows);
/** By the locale; of one that does not say, and of a terminal that is dumb: no. */
bool cli_screen_is_utf8(void);
/** NO_COLOR is not set: letters may be bold. */
bool cli_screen_has_weight(void);
/** Show a frame, lines that end in \n, in place of the one before. Nothing of it may be wider than the
 * screen. */
void cli_screen_show(const hc_buffer *frame);

#endif
