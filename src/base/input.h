/* input.h -- a file of text lines: plain, gzip, zstd or xz, or standard input; recognised by content, not by
 * name.
 *
 * Lines are borrowed until the next call. The reader never holds more than one line and one block,
 * whatever the input. Position counts bytes of the *unpacked* text, so that a reader can be reopened where
 * it was. */
#ifndef HC_BASE_INPUT_H
#define HC_BASE_INPUT_H

#include "base/mem.h"
#include "base/sums.h"

#define HC_LINE_LIMIT ((size_t)1 << 20) /* a longer line is an error with its number */

typedef struct hc_input hc_input;

/** Open `path` ("-": standard input). @return 0, HC_EIO (does not exist, a directory, unreadable ...; the
 *  text says which and what to do), HC_ENOMEM. */
hc_rc hc_input_open(const hc_allocator *a, const char *path, hc_input **out, hc_error *e);
void hc_input_free(hc_input *in);
/** Sum the file's bytes as they are read, packed or not, and note that under its path once its end was
 *  reached; if it is never read whole in one go, nothing is noted. Right after opening. Not of standard
 *  input, nor for NULL. */
void hc_input_sum(hc_input *in, hc_sums *sums);

/** The next line, without its newline (and without a carriage return before it); `*text` is NUL-terminated
 *  and may be written over by the caller until the next call. A last line without a newline counts.
 *  @return 1 with a line, 0 at the end, or HC_EINPUT (line too long; a NUL byte: "binary"; damaged or
 *  truncated compressed data, with the line reached), HC_EIO, HC_ENOMEM. */
hc_rc hc_input_line(hc_input *in, char **text, size_t *length, hc_error *e);

/** What is unread of the text at hand, at most a few hundred KiB, for formats that are not made of lines;
 *  borrowed until the next call. NUL bytes are handed out like all others. @return as hc_input_line. */
hc_rc hc_input_block(hc_input *in, char **data, size_t *size, hc_error *e);

/** Unread text that lies at hand, for those who find its lines themselves; it stays unread, and may end
 *  within a line. Borrowed until the next call but hc_input_take. Holds no NUL byte. @param before  how many
 *  bytes before it may be read too, whatever they are; @return its size, 0 if nothing is at hand:
 *  hc_input_line knows more. */
size_t hc_input_at_hand(const hc_input *in, const char **text, size_t *before);
/** Count the first `size` bytes of it as read: `lines` whole lines. */
void hc_input_take(hc_input *in, size_t size, uint64_t lines);

uint64_t hc_input_lines(const hc_input *in);    /* number of the last line returned, 1-based */
uint64_t hc_input_position(const hc_input *in); /* unpacked bytes up to the end of the last line returned */
const char *hc_input_name(const hc_input *in);  /* the path; "standard input" for "-" */
bool hc_input_seekable(const hc_input *in);     /* false for standard input and other streams */
/** Is it text as it stands, which nothing has to unpack? Its first block may be read for that. */
bool hc_input_is_plain(hc_input *in);

/** Go to an unpacked position that hc_input_position gave, `lines` lines in. A packed file is unpacked
 *  again up to there. @return 0, HC_EUNSUPPORTED if the input cannot be read twice, or as hc_input_line. */
hc_rc hc_input_seek(hc_input *in, uint64_t position, uint64_t lines, hc_error *e);

/** Packed bytes read so far and in all (0 if unknown), for a progress line. */
void hc_input_progress(const hc_input *in, uint64_t *done, uint64_t *total);

#endif
