/* broken.c -- what happens when an invariant of ours breaks.
 *
 * The one place where the library may end the process: state that our own code has broken cannot be handed
 * back. */
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"

void hc_assert_failed(const char *what, const char *file, int line)
{
  (void)fprintf(stderr, "hindcast: broken invariant: %s (%s:%d); this is our error, please report it\n", what,
                file, line);
  abort();
}
