/* input_parts.h -- what input.c and the decoders (unpack.c) share: an input's inside.
 *
 * A core is built without unpack.c. It knows no decoder, and refuses what is packed. */
#ifndef HC_BASE_INPUT_PARTS_H
#define HC_BASE_INPUT_PARTS_H

#include "base/files.h"
#include "base/input.h"

#define HC_INPUT_BLOCK ((size_t)256 << 10) /* read at once: fits the second-level cache */
#define HC_INPUT_ROOM (HC_INPUT_BLOCK / 2) /* offered to a decoder, always: there is at least so much */

typedef enum hc_packing { HC_PACKING_UNKNOWN, HC_PACKING_NONE, HC_GZIP, HC_ZSTD, HC_XZ } hc_packing;

struct hc_input {
  const hc_allocator *allocator;
  const hc_files *files;
  char *name;
  hc_file file;
  bool is_open;
  bool file_ended; /* nothing more to read */
  bool text_ended; /* nothing more to unpack */
  bool between;    /* at the end of a gzip member or a zstd frame: the data may stop here */
  hc_packing packing;

  char *data; /* [cap + 1] text; one byte more for the NUL after a last line */
  size_t cap, begin, end;
  size_t scanned;  /* no newline in [begin, scanned) */
  size_t nul;      /* place of the first NUL byte in [begin, end), or none */
  uint64_t origin; /* position of data[0] in the unpacked text */
  uint64_t lines;

  uint8_t *packed; /* [HC_INPUT_BLOCK] */
  size_t packed_begin, packed_end;
  uint64_t read; /* bytes of the file */
  hc_sums *sums; /* what asks for the file's checksum; NULL: nothing does */
  hc_hash hash;  /* of all that was read, if so */
  void *decoder; /* the decoder's own; NULL: it was not started */

  hc_rc failed; /* told when the lines before it are used up, and again after that */
  char failure[512];
};

/** One way to unpack. It takes packed bytes from `packed` and asks for more (hc_input_want_packed). */
typedef struct hc_decoder_type {
  bool (*start)(hc_input *in); /* sets `decoder`; false without memory */
  size_t (*unpack)(hc_input *in, char *out,
                   size_t room); /* makes some text, unless it sets text_ended or fails; returns how much */
  void (*stop)(hc_input *in);    /* only of one that was started */
} hc_decoder_type;

/** NULL in a core. */
const hc_decoder_type *hc_decoder_of(hc_packing packing);

/** Note the failure; the first one counts. */
void hc_input_broke(hc_input *in, hc_rc rc, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** Have packed bytes at hand if there are any. */
void hc_input_want_packed(hc_input *in);

static inline size_t hc_input_packed_left(const hc_input *in)
{
  return in->packed_end - in->packed_begin;
}

#endif
