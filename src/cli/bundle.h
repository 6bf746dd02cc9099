/* bundle.h -- what others need to carry out runs again: a folder with a manifest.
 *
 * The manifest is lines of fields with tabs between them, so that any program can read it:
 *   hindcast bundle 1
 *   made_by  PROGRAM
 *   input    BYTES  CHECKSUM  PATH       a file that runs read; the path is within the folder
 *   absent   BYTES  CHECKSUM  PATH       one that was left out: who has it puts it there
 *   config   BYTES  CHECKSUM  PATH       a run file
 *   script   BYTES  CHECKSUM  PATH
 *   result   BYTES  CHECKSUM  PATH  DIGEST  CONFIG
 *   end      COUNT                      of the lines that name a path; nothing follows
 * Checksums are those of hc_file_checksum(), which results have of their inputs; digests are those of
 * `hindcast digest`. Paths have no tabs, no line ends, no component "..". */
#ifndef HC_CLI_BUNDLE_H
#define HC_CLI_BUNDLE_H

#include "cli/cli.h"

#define CLI_BUNDLE_HEAD "hindcast bundle 1"
#define CLI_BUNDLE_END "end"
#define CLI_BUNDLE_MANIFEST "manifest.tsv"
#define CLI_BUNDLE_PATH 1024

extern const cli_command cli_bundle_check;

/** Whether a path stays within the folder: it is relative, and no component is "..". */
bool cli_bundle_is_within(const char *path);

/* ---- what a stored configuration was given: bundle_config.c ---- */

typedef struct cli_bundle_keys cli_bundle_keys;

/** @param out  to be freed. @return 0 or an error */
hc_rc cli_bundle_keys_read(cli *c, hc_result *r, cli_bundle_keys **out);
void cli_bundle_keys_free(cli_bundle_keys *keys); /* NULL is allowed */
/** Each value whose key names a file, a folder or a pattern of files to be read; of parts that are not built
 *  in, any value, which is not certain to be one. @return 0 or the first thing else that `each` returned */
hc_rc cli_bundle_keys_paths(const cli_bundle_keys *keys,
                            hc_rc (*each)(void *ctx, const char *value, bool is_certain), void *ctx);
/** The run file that gives the configuration again: every key that is not at its default, with paths within
 *  the bundle in place of those that it was read by.
 *  @param place  of such a value: where it lies in the bundle, borrowed for the call; NULL: it is no path
 *  @return 0 or an error */
hc_rc cli_bundle_keys_write(const cli_bundle_keys *keys, const char *(*place)(void *ctx, const char *value),
                            void *ctx, hc_buffer *out);

/* ---- a folder as one file: bundle_tar.c ---- */

/** Append a file to an archive in the format ustar (POSIX.1-1988), with no time and no owner.
 *  @param path  where it lies; @param name  in the archive
 *  @return 0, HC_EIO, HC_ELIMIT (a name or a size that the format cannot have) */
hc_rc cli_tar_add(cli_file *out, const char *path, const char *name, bool is_executable);
/** @return 0 or HC_EIO */
hc_rc cli_tar_end(cli_file *out);

#endif
