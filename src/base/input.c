/* input.c -- lines of a plain, gzip, zstd or xz file, in place.
 *
 * One buffer holds unpacked text. A line is found with memchr and handed out where it lies: its newline
 * becomes a NUL and nothing is copied. When no newline is left, the rest moves to the front and the next
 * block is read behind it; a NUL byte is looked for once per block, not per line. Only a line longer than
 * what fits makes the buffer grow, up to the limit. Packed bytes go through a second buffer to the
 * decoder. What was unpacked before a damage is handed out first, so that the error names the line
 * reached.
 *
 * Bytes come from a table of functions (hindcast/files.h), decoders from unpack.c. A decoder is offered the
 * same room each time, so that what comes out of damaged data before the damage is found is the same at every
 * reading. It does not guess encodings, read several threads' worth ahead, or keep an index into packed
 * files: seeking there unpacks from the start.
 * Cost: plain text at 6 GB/s from the page cache, packed text at what the decoder gives. */
#include "base/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/input_parts.h"
#include "base/util.h"

#define MAGIC 10 /* bytes that tell every format from text */
#define NONE SIZE_MAX

/* ---- failing ---- */

void hc_input_broke(hc_input *in, hc_rc rc, const char *format, ...)
{
  va_list args;
  if (in->failed < 0) return;
  in->failed = rc;
  va_start(args, format);
  (void)vsnprintf(in->failure, sizeof in->failure, format, args);
  va_end(args);
}

/* Tell the failure with the line it stands in. */
static hc_rc tell(const hc_input *in, hc_error *e)
{
  uint32_t line = in->lines < UINT32_MAX ? (uint32_t)in->lines + 1 : UINT32_MAX;
  return hc_fail(e, in->failed, in->name, line, 0, "%s", in->failure);
}

static void out_of_memory(hc_input *in)
{
  hc_input_broke(in, HC_ENOMEM, "out of memory while reading");
}

/* ---- reading the file ---- */

/* Read some bytes; 0 at the end or after a failure. */
static size_t read_file(hc_input *in, void *out, size_t room)
{
  hc_error e = {0};
  const hc_rc n = in->files->read(in->files->ctx, &in->file, out, room, &e);
  if (n > 0) {
    in->read += (uint64_t)n;
    if (in->sums) hc_hash_add(&in->hash, out, (size_t)n);
    return (size_t)n;
  }
  in->file_ended = true;
  if (in->sums && n == 0) hc_sums_note(in->sums, in->name, in->read, &in->hash);
  if (n < 0) hc_input_broke(in, n, "%s", e.rc ? e.text : hc_rc_text(n));
  return 0;
}

void hc_input_want_packed(hc_input *in)
{
  if (in->packed_begin < in->packed_end || in->file_ended) return;
  in->packed_begin = 0;
  in->packed_end = read_file(in, in->packed, HC_INPUT_BLOCK);
}

/* ---- telling the formats apart ---- */

typedef struct magic {
  const char *bytes;
  size_t size, least; /* this many bytes are enough to know, in a file that ends there */
  hc_packing packing;
  const char *name, *unpack; /* and the command that unpacks it */
} magic;

static const magic *find_magic(const char *data, size_t n)
{
  static const magic table[] = {
      {.bytes = "\x1f\x8b", .size = 2, .least = 1, .packing = HC_GZIP, .name = "gzip", .unpack = "gzip -dc"},
      {.bytes = "\x28\xb5\x2f\xfd",
       .size = 4,
       .least = 2,
       .packing = HC_ZSTD,
       .name = "zstd",
       .unpack = "zstd -dc"},
      {.bytes = "\xfd"
                "7zXZ\0",
       .size = 6,
       .least = 1,
       .packing = HC_XZ,
       .name = "xz",
       .unpack = "xz -dc"},
      {.bytes = "BZh91AY&SY", .size = 10, .least = 10, .name = "bzip2", .unpack = "bzip2 -dc"},
      {.bytes = "PK\3\4", .size = 4, .least = 4, .name = "zip", .unpack = "unzip -p"},
      {.bytes = "7z\xbc\xaf\x27\x1c", .size = 6, .least = 6, .name = "7-Zip", .unpack = "7z x -so"},
      {.bytes = "\x04\x22\x4d\x18", .size = 4, .least = 4, .name = "lz4", .unpack = "lz4 -dc"},
      {.bytes = "\x1f\x9d", .size = 2, .least = 2, .name = "compress", .unpack = "gzip -dc"},
      {.bytes = "LZIP\1", .size = 5, .least = 5, .name = "lzip", .unpack = "lzip -dc"},
  };
  static const magic skippable = {
      .packing = HC_ZSTD, .name = "zstd", .unpack = "zstd -dc"}; /* pzstd begins with a frame to be skipped */
  if (n >= 4 && (data[0] & 0xf0) == 0x50 && memcmp(data + 1, "\x2a\x4d\x18", 3) == 0) return &skippable;
  for (size_t i = 0; i < HC_ARRAY_LEN(table); i++) {
    const magic *m = &table[i];
    if (n >= m->least && memcmp(data, m->bytes, HC_MIN(n, m->size)) == 0) return m;
  }
  return NULL;
}

static hc_rc start_decoder(hc_input *in)
{
  const hc_decoder_type *type = hc_decoder_of(in->packing);
  in->between = false;
  if (in->packing == HC_PACKING_NONE || type->start(in)) return 0;
  in->packing = HC_PACKING_UNKNOWN;
  return HC_ENOMEM;
}

static void stop_decoder(hc_input *in)
{
  if (in->decoder) hc_decoder_of(in->packing)->stop(in);
}

/* Read the first block and see what it is. Plain text is then already in place. Returns its size. */
static size_t sniff(hc_input *in)
{
  size_t n = 0;
  while (n < MAGIC && !in->file_ended) n += read_file(in, in->data + n, HC_INPUT_BLOCK - n);
  if (in->failed < 0) return 0;
  const magic *m = find_magic(in->data, n);
  if (m && m->packing == HC_PACKING_UNKNOWN) {
    hc_input_broke(
        in, HC_EINPUT,
        "this is %s data, which is not read directly; unpack it first, as in `%s FILE | hindcast ... -`",
        m->name, m->unpack);
    return 0;
  }
  in->packing = m ? m->packing : HC_PACKING_NONE;
  if (in->packing == HC_PACKING_NONE) return n;
  if (!hc_decoder_of(in->packing)) {
    hc_input_broke(
        in, HC_EUNSUPPORTED,
        "this is %s data, and this build of the library unpacks nothing; give it the text unpacked, as "
        "`%s` writes it",
        m->name, m->unpack);
    in->packing = HC_PACKING_UNKNOWN;
    return 0;
  }
  if (!in->packed) in->packed = in->allocator->resize(in->allocator->ctx, NULL, 0, HC_INPUT_BLOCK);
  if (!in->packed) {
    in->packing = HC_PACKING_UNKNOWN;
    out_of_memory(in);
    return 0;
  }
  memcpy(in->packed, in->data, n);
  in->packed_begin = 0;
  in->packed_end = n;
  if (start_decoder(in) < 0) out_of_memory(in);
  return 0;
}

/* ---- the buffer ---- */

/* Move the unfinished line to the front and have half a block of room behind it, or more. */
static bool make_room(hc_input *in)
{
  size_t held = in->end - in->begin, grown = in->cap;
  if (in->begin > 0 && held > 0) memmove(in->data, in->data + in->begin, held);
  in->origin += in->begin;
  in->scanned -= in->begin;
  in->end = held;
  in->begin = 0;
  while (grown - held < HC_INPUT_ROOM) grown *= 2; /* ends: a held line is not longer than the limit */
  if (grown > in->cap) {
    char *p = in->allocator->resize(in->allocator->ctx, in->data, in->cap + 1, grown + 1);
    if (!p) {
      out_of_memory(in);
      return false;
    }
    in->data = p;
    in->cap = grown;
  }
  return true;
}

/* Place of the first NUL byte from `begin` on, or NONE. */
static size_t find_nul(const hc_input *in, size_t begin)
{
  const char *nul = memchr(in->data + begin, '\0', in->end - begin);
  return nul ? (size_t)(nul - in->data) : NONE;
}

/* So much text has come behind what is held. */
static void note_text(hc_input *in, size_t made)
{
  if (in->packing == HC_PACKING_NONE && in->file_ended) in->text_ended = true;
  in->end += made;
  if (in->nul == NONE) in->nul = find_nul(in, in->end - made);
}

/* Get more text, or set text_ended or the failure. */
static void fill(hc_input *in)
{
  size_t made = 0;
  if (!make_room(in)) return;
  if (in->packing == HC_PACKING_UNKNOWN) made = sniff(in);
  char *out = in->data + in->end;
  if (in->failed == 0 && made == 0) {
    if (in->packing == HC_PACKING_NONE)
      made = in->file_ended ? 0 : read_file(in, out, HC_MIN(in->cap - in->end, HC_INPUT_BLOCK));
    else if (in->packing != HC_PACKING_UNKNOWN)
      made = hc_decoder_of(in->packing)->unpack(in, out, HC_INPUT_ROOM);
  }
  note_text(in, made);
}

/* ---- lines ---- */

/* Hand out [begin, end), and go on after the newline if there is one. */
static hc_rc hand_out(hc_input *in, size_t end, bool newline, char **text, size_t *length, hc_error *e)
{
  size_t begin = in->begin, size = end - begin;
  if (newline && size > 0 && in->data[end - 1] == '\r') size--;
  if (in->nul < end) {
    hc_input_broke(
        in, HC_EINPUT,
        "a NUL byte: this is binary data, not text; give a text file (iconv turns UTF-16 into UTF-8)");
    return tell(in, e);
  }
  if (size > HC_LINE_LIMIT) {
    hc_input_broke(in, HC_EINPUT,
                   "the line is longer than %zu bytes; give a text file with one record per line",
                   HC_LINE_LIMIT);
    return tell(in, e);
  }
  in->data[begin + size] = '\0';
  in->begin = in->scanned = end + newline;
  in->lines++;
  *text = in->data + begin;
  *length = size;
  return 1;
}

hc_rc hc_input_line(hc_input *in, char **text, size_t *length, hc_error *e)
{
  for (;;) {
    const char *newline = memchr(in->data + in->scanned, '\n', in->end - in->scanned);
    if (newline) return hand_out(in, (size_t)(newline - in->data), true, text, length, e);
    if (in->nul < in->end || in->end - in->begin > HC_LINE_LIMIT + 1) /* one may be a carriage return */
      return hand_out(in, in->end, false, text, length, e);
    if (in->failed < 0) return tell(in, e);
    if (in->text_ended) return in->begin < in->end ? hand_out(in, in->end, false, text, length, e) : 0;
    in->scanned = in->end;
    fill(in);
  }
}

hc_rc hc_input_block(hc_input *in, char **data, size_t *size, hc_error *e)
{
  while (in->begin == in->end) {
    if (in->failed < 0) return tell(in, e);
    if (in->text_ended) return 0;
    fill(in);
  }
  *data = in->data + in->begin;
  *size = in->end - in->begin;
  for (const char *p = *data; (p = memchr(p, '\n', (size_t)(in->data + in->end - p))) != NULL; p++)
    in->lines++;
  in->begin = in->scanned = in->end;
  in->nul = NONE;
  return 1;
}

size_t hc_input_at_hand(const hc_input *in, const char **text, size_t *before)
{
  *text = in->data + in->begin;
  *before = in->begin;
  return HC_MIN(in->end, in->nul) - in->begin;
}

void hc_input_take(hc_input *in, size_t size, uint64_t lines)
{
  in->begin += size;
  in->scanned = HC_MAX(in->scanned, in->begin);
  in->lines += lines;
}

uint64_t hc_input_lines(const hc_input *in)
{
  return in->lines;
}

uint64_t hc_input_position(const hc_input *in)
{
  return in->origin + in->begin;
}

const char *hc_input_name(const hc_input *in)
{
  return in->name;
}

bool hc_input_seekable(const hc_input *in)
{
  return in->file.can_seek;
}

bool hc_input_is_plain(hc_input *in)
{
  if (in->packing == HC_PACKING_UNKNOWN && in->failed == 0 && make_room(in)) note_text(in, sniff(in));
  return in->packing == HC_PACKING_NONE;
}

void hc_input_progress(const hc_input *in, uint64_t *done, uint64_t *total)
{
  *done = in->read;
  *total = HC_MAX(in->file.size, in->file.size > 0 ? in->read : 0); /* a log may be growing */
}

/* ---- opening, seeking, closing ---- */

hc_rc hc_input_open(const hc_allocator *a, const char *path, hc_input **out, hc_error *e)
{
  const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
  hc_input *in = hc_alloc(a, sizeof *in);
  if (!in) return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory");
  in->allocator = a;
  in->files = hc_files_of(a);
  in->nul = NONE;
  in->cap = HC_INPUT_BLOCK;
  in->name = hc_alloc(a, strlen(name) + 1);
  if (in->name) memcpy(in->name, name, strlen(name) + 1);
  in->data = a->resize(a->ctx, NULL, 0, in->cap + 1);
  if (!in->name || !in->data) {
    hc_input_free(in);
    return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory");
  }
  const hc_rc rc = in->files->open(in->files->ctx, path, &in->file, e);
  if (rc < 0) {
    hc_input_free(in);
    return rc;
  }
  in->is_open = true;
  *out = in;
  return 0;
}

void hc_input_free(hc_input *in)
{
  if (!in) return;
  const hc_allocator *a = in->allocator;
  stop_decoder(in);
  if (in->is_open) in->files->close(in->files->ctx, &in->file);
  hc_free(a, in->packed, HC_INPUT_BLOCK);
  hc_free(a, in->data, in->cap + 1);
  if (in->name) hc_free(a, in->name, strlen(in->name) + 1);
  hc_free(a, in, sizeof *in);
}

void hc_input_sum(hc_input *in, hc_sums *sums)
{
  HC_ASSERT(in->packing == HC_PACKING_UNKNOWN);
  if (in->file.is_stream) return;
  in->sums = sums;
  hc_hash_init(&in->hash);
}

/* Forget the text and go on reading the file at `offset`. */
static void restart(hc_input *in, uint64_t offset)
{
  if (offset > 0) in->sums = NULL; /* what lies before it may not have been read */
  hc_hash_init(&in->hash);
  in->begin = in->end = in->scanned = in->packed_begin = in->packed_end = 0;
  in->nul = NONE;
  in->origin = offset;
  in->read = offset;
  in->file_ended = in->text_ended = false;
  in->failed = 0;
  hc_error e = {0};
  const hc_rc rc = in->files->seek(in->files->ctx, &in->file, offset, &e);
  if (rc < 0) hc_input_broke(in, rc, "%s", e.rc ? e.text : hc_rc_text(rc));
}

/* Packed text is unpacked and dropped. Text already handed out may have been written over, so only what
 * lies ahead is used from the buffer. True on arrival; a failure may still wait behind lines to be handed
 * out. */
static bool seek_packed(hc_input *in, uint64_t position)
{
  if (in->failed < 0 || position < in->origin + in->begin) {
    stop_decoder(in);
    restart(in, 0);
    if (start_decoder(in) < 0) {
      out_of_memory(in);
      return false;
    }
  }
  while (position > in->origin + in->end) {
    if (in->text_ended)
      hc_input_broke(in, HC_EINPUT, "the text is shorter than when it was read before; give the same file");
    if (in->failed < 0) return false;
    in->begin = in->scanned = in->end;
    in->nul = NONE;
    fill(in);
  }
  in->begin = in->scanned = (size_t)(position - in->origin);
  if (in->nul < in->begin) in->nul = find_nul(in, in->begin);
  return true;
}

hc_rc hc_input_seek(hc_input *in, uint64_t position, uint64_t lines, hc_error *e)
{
  if (!in->file.can_seek)
    return hc_fail(e, HC_EUNSUPPORTED, in->name, 0, 0,
                   "this input cannot be read twice: save it to a file first");
  in->lines = lines;
  if (in->packing == HC_PACKING_UNKNOWN) { /* nothing was read so far, or it could not be */
    restart(in, 0);
    fill(in);
  }
  bool has_arrived = false;
  if (in->packing == HC_PACKING_NONE) {
    restart(in, position); /* plain text is where the position says, if the file still reaches there */
    has_arrived = in->failed == 0;
  } else if (in->packing != HC_PACKING_UNKNOWN) has_arrived = seek_packed(in, position);
  return has_arrived ? 0 : tell(in, e);
}
