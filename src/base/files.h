/* files.h -- what every room asks of the table of files that an allocator has: hindcast/files.h. */
#ifndef HC_BASE_FILES_H
#define HC_BASE_FILES_H

#include "base/mem.h"
#include "hindcast/files.h"

/** The table that an allocator names; the system's if it names none. */
const hc_files *hc_files_of(const hc_allocator *a);
/** The whole of a file, for what is no longer than a text is. @param limit bytes; of a longer file one more
 * is read
 *  @param data out, of `*cap` bytes, to be freed; NULL if it is empty. @return 0, as hc_files.open and read,
 *  HC_ENOMEM */
hc_rc hc_files_read(const hc_allocator *a, const char *name, size_t limit, char **data, size_t *size,
                    size_t *cap, hc_error *e);
/** Size and checksum of a file as it lies there. @return as hc_files_read. Cost: one reading. */
hc_rc hc_files_sum(const hc_allocator *a, const char *name, uint64_t *bytes, hc_hash *hash, hc_error *e);

/** The files that a name stands for, in the order of their names' bytes: itself; those of a directory; those
 * that
 *  match a last step with * or ?. Names that begin with a dot do not count, directories in a directory
 *  neither.
 *  @param each  gets the name, the kind, and bytes (0: unknown); what is not there is told as HC_FILE_ABSENT
 *  @return 0, HC_EIO (a directory, or a pattern, without a file), what `each` returned, HC_ENOMEM */
typedef hc_rc (*hc_files_visit)(void *ctx, const char *name, hc_file_kind kind, uint64_t size, hc_error *e);
hc_rc hc_files_expand(const hc_allocator *a, const char *name, hc_files_visit each, void *ctx, hc_error *e);

/** Whether a text matches a pattern in which * stands for any text and ? for any character. */
bool hc_text_matches(const char *text, const char *pattern);

#endif
