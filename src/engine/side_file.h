/* side_file.h -- a file of lines beside the result: where rejected rows go.
 *
 * A core is built without side_file.c, and refuses to begin one. */
#ifndef HC_ENGINE_SIDE_FILE_H
#define HC_ENGINE_SIDE_FILE_H

#include "base/mem.h"

/* One that is being written. */
typedef struct hc_side_file hc_side_file;
struct hc_side_file {
  const hc_allocator *allocator;
  void (*line)(hc_side_file *s, const char *text); /* with its newline; a failure is told at the end */
  hc_rc (*finish)(hc_side_file *s, hc_error *e);   /* give it its name. @return 0, HC_EIO */
  void (*drop)(hc_side_file *s);                   /* in any case; what was not finished is removed */
};

/** Begin one. It takes the place of a file that begins with the same title, of any if `replaces`, and has
 *  another name until it is finished. @param title  its first line, with the newline
 *  @return 0, HC_EIO, HC_EUSAGE (there is another file), HC_ENOMEM; HC_EUNSUPPORTED from a core */
hc_rc hc_side_file_open(const hc_allocator *a, const char *path, const char *title, bool replaces,
                        hc_side_file **out, hc_error *e);

#endif
