/* inputs.h -- which files a resolved configuration reads, and checksums of them.
 *
 * What a run's result says of a file are the bytes that were read, if its reader has read it whole; if not,
 * those that stand there when the run is finished, which are the same unless they are changed meanwhile. */
#ifndef HC_SETUP_INPUTS_H
#define HC_SETUP_INPUTS_H

#include "base/sums.h"
#include "hindcast/setup.h"
#include "setup/options.h"

typedef hc_rc (*hc_input_visit)(void *ctx, const char *path, hc_error *e);

/** What its components name: files, directories, patterns, "-"; and what workloads name in their turn, if the
 *  run carries profiles out, as far as it is there. One may come twice.
 *  @return 0, HC_ENOMEM, or what `each` returned. Opens nothing but such workloads. */
hc_rc hc_inputs_named(const hc_allocator *a, const hc_run_options *o, hc_input_visit each, void *ctx,
                      hc_error *e);
/** The files that a name stands for, by name: itself, those of a directory, those of a pattern. A name that
 *  is nothing of this is told as it is; a directory or a pattern without a file, not at all.
 *  @return as hc_inputs_named. */
hc_rc hc_inputs_expand(const hc_allocator *a, const char *name, hc_input_visit each, void *ctx, hc_error *e);
/** Refuse a result and a file of rejected rows that would take the place of an input, or of each other.
 *  @return as hc_config_protect */
hc_rc hc_outputs_check(const hc_config *c, const hc_store *store, hc_error *e);
/** Write every file that a run reads to its store, once, with size and checksum.
 *  @param sums  of those that were read whole; may be NULL
 *  @return 0, HC_EIO, HC_ENOMEM. Cost: one reading of each file that has no sum yet. */
hc_rc hc_inputs_store(const hc_allocator *a, const hc_run_options *o, hc_sums *sums, hc_store *store,
                      hc_error *e);
/** Size and fast 128-bit checksum of a file as it lies there, packed or not. Not cryptographic.
 *  @param sum [33] out, hexadecimal. @return 0, HC_EIO, HC_ENOMEM. Cost: one reading of it. */
hc_rc hc_inputs_sum(const hc_allocator *a, const char *path, uint64_t *bytes, char sum[33], hc_error *e);

#endif
