/* inputs.h -- the files that a study reads, and whether they are still what they were. */
#ifndef HC_STUDY_INPUTS_H
#define HC_STUDY_INPUTS_H

#include "base/text.h"
#include "hindcast/setup.h"
#include "study/plan.h"

/** Note what a resolved configuration of the study would read. @return 0 or HC_ENOMEM */
hc_rc hc_study_note_inputs(hc_study *s, const hc_config *c, hc_error *e);
/** Read them all: their sizes and checksums. What cannot be read has none: its points fail and say why.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_study_sum_inputs(hc_study *s, hc_error *e);
/** Read again those whose size or time has changed since. @return 0; HC_EINPUT: one is another file now;
 *  HC_ENOMEM */
hc_rc hc_study_recheck_inputs(const hc_study *s, const char *where, hc_error *e);

/** What a journal keeps: "BYTES CHECKSUM PATH\n" of each, by path; "- -" of one that has none. */
hc_rc hc_study_write_inputs(const hc_study *s, hc_buffer *out);
/** The next of such lines. @return false: no more. The path is borrowed from the text, without an end. */
bool hc_study_next_input(const char **at, const char *end, hc_study_input *out, size_t *path_size);
/** Take over what a journal kept. @return 0 or HC_ENOMEM */
hc_rc hc_study_take_inputs(hc_study *s, const char *text, size_t size);
/** Compare with what a journal kept; what had no checksum there or here is no difference, and is taken over.
 *  @return 0; HC_EUSAGE: a file is another one, with the remedy; HC_ENOMEM */
hc_rc hc_study_compare_inputs(hc_study *s, const char *text, size_t size, const char *where, hc_error *e);

#endif
