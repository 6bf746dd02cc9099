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
 * Checksums are those of hc_file_checksum(), which results have of their inputs; digests are those of
 * `hindcast digest`. Paths have no tabs, no line ends, no "..". */
#ifndef HC_CLI_BUNDLE_H
#define HC_CLI_BUNDLE_H

#include "cli/cli.h"

#define CLI_BUNDLE_HEAD "hindcast bundle 1"
#define CLI_BUNDLE_MANIFEST "manifest.tsv"
#define CLI_BUNDLE_PATH 1024

extern const cli_command cli_bundle_check;

/* ---- what a stored configuration was given: bundle_config.c ---- */

/** The run file that gives a stored configuration again: every key that is not at its default, with paths
 *  within the bundle in place of those that it was read by.
 *  @param place  says where a value that is a path lies in the bundle; NULL: it is no path. Borrowed for the
 *  call @return 0 or an error */
hc_rc cli_bundle_config(cli *c, hc_result *r, const char *(*place)(void *ctx, const char *value), void *ctx,
                        hc_buffer *out);

/* ---- a folder as one file: bundle_tar.c ---- */

/** Append a file to an archive in the format ustar (POSIX.1-1988), with no time and no owner.
 *  @param path  where it lies; @param name  in the archive
 *  @return 0, HC_EIO, HC_ELIMIT (a name or a size that the format cannot have) */
hc_rc cli_tar_add(cli_file *out, const char *path, const char *name, bool is_executable);
/** @return 0 or HC_EIO */
hc_rc cli_tar_end(cli_file *out);

#endif
