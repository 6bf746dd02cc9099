/* input.c -- lines of a plain, gzip, zstd or xz file, in place.
 *
 * One buffer holds unpacked text. A line is found with memchr and handed out where it lies: its newline
 * becomes a NUL and nothing is copied. When no newline is left, the rest moves to the front and the next
 * block is read behind it; a NUL byte is looked for once per block, not per line. Only a line longer than
 * what fits makes the buffer grow, up to the limit. Packed bytes go through a second buffer to the
 * decoder. What was unpacked before a damage is handed out first, so that the error names the line
 * reached.
 *
 * All members of a gzip file, frames of a zstd file and streams of an xz file are read, checksums
 * included. Decoders take their memory from the allocator; a file may ask them for a window of 128 MiB at
 * most, since a few bytes of header are enough to ask for gigabytes. A decoder is offered the same room each
 * time, so that what comes out of damaged data before the damage is found is the same at every reading. It does
 * not guess encodings, read several threads' worth ahead, or keep an index into packed files: seeking there
 * unpacks from the start.
 * Cost: plain text at 6 GB/s from the page cache, packed text at what the decoder gives.
 * Sources: RFC 1952, RFC 8878, the .xz format 1.1.0. */
#define _GNU_SOURCE
#define ZSTD_STATIC_LINKING_ONLY /* for a decoder with our allocator */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/util.h"

#define BLOCK ((size_t)256 << 10) /* read at once: fits the second-level cache */
#define PIPE ((size_t)1 << 20)    /* what any user may make a pipe hold */
#define ROOM (BLOCK / 2)          /* offered to a decoder, always: there is at least so much */
#define WINDOW_LOG 27             /* 128 MiB: what zstd itself reads unless told to read more */
#define XZ_MEMORY \
  (((uint64_t)1 << WINDOW_LOG) + ((uint64_t)1 << 20)) /* the window, and the decoder's tables */
#define MAGIC 10                                      /* bytes that tell every format from text */
#define NONE SIZE_MAX

typedef enum kind { KIND_UNKNOWN, KIND_PLAIN, KIND_GZIP, KIND_ZSTD, KIND_XZ } kind;

struct hc_input {
  const hc_allocator *allocator;
  char *name;
  int file;
  bool seekable;
  bool file_ended; /* nothing more to read */
  bool text_ended; /* nothing more to unpack */
  bool between;    /* at the end of a gzip member or a zstd frame: the data may stop here */
  kind kind;

  char *data; /* [cap + 1] text; one byte more for the NUL after a last line */
  size_t cap, begin, end;
  size_t scanned;  /* no newline in [begin, scanned) */
  size_t nul;      /* place of the first NUL byte in [begin, end), or NONE */
  uint64_t origin; /* position of data[0] in the unpacked text */
  uint64_t lines;

  uint8_t *packed; /* [BLOCK] */
  size_t packed_begin, packed_end;
  uint64_t read, total; /* bytes of the file */
  hc_sums *sums;        /* who asks what they were; NULL: nobody */
  hc_hash hash;         /* of all that was read, if so */
  union {
    z_stream gzip;
    ZSTD_DCtx *zstd;
    lzma_stream xz;
  } decoder;
  lzma_allocator xz_memory;

  hc_rc failed; /* told when the lines before it are used up, and again after that */
  char failure[512];
};

/* ---- failing ---- */

static void broke(hc_input *in, hc_rc rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Note the failure; the first one counts. */
static void broke(hc_input *in, hc_rc rc, const char *format, ...)
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

static const char *kind_name(kind k)
{
  switch (k) {
    case KIND_GZIP: return "gzip";
    case KIND_ZSTD: return "zstd";
    case KIND_XZ: return "xz";
    case KIND_UNKNOWN:
    case KIND_PLAIN: break;
  }
  return "plain";
}

static void truncated(hc_input *in)
{
  broke(in, HC_EINPUT, "the %s data stops before its end: the file is truncated; fetch or pack it again",
        kind_name(in->kind));
}

static void damaged(hc_input *in, const char *why)
{
  broke(in, HC_EINPUT, "the %s data is damaged (%s); fetch or pack it again", kind_name(in->kind),
        why ? why : "no details");
}

static void out_of_memory(hc_input *in)
{
  broke(in, HC_ENOMEM, "out of memory while reading");
}

/* ---- the decoders' memory: ours, with the size kept in front since they do not give it back ---- */

typedef union sized {
  size_t size;
  max_align_t align;
} sized;

static void *decoder_alloc(void *allocator, size_t size)
{
  const hc_allocator *a = allocator;
  sized *p;
  if (size > SIZE_MAX - sizeof *p) return NULL;
  p = a->resize(a->ctx, NULL, 0, size + sizeof *p);
  if (!p) return NULL;
  p->size = size + sizeof *p;
  return p + 1;
}

static void decoder_free(void *allocator, void *p)
{
  if (p) hc_free(allocator, (sized *)p - 1, ((sized *)p - 1)->size);
}

static void *counted_alloc(void *allocator, size_t count, size_t size)
{
  return size > 0 && count > SIZE_MAX / size ? NULL : decoder_alloc(allocator, count * size);
}

static void *gzip_alloc(void *allocator, unsigned count, unsigned size)
{
  return counted_alloc(allocator, count, size);
}

/* ---- reading the file ---- */

/* Read some bytes; 0 at the end or after a failure. */
static size_t read_file(hc_input *in, void *out, size_t room)
{
  ssize_t n;
  do n = read(in->file, out, room);
  while (n < 0 && errno == EINTR);
  if (n > 0) {
    in->read += (uint64_t)n;
    if (in->sums) hc_hash_add(&in->hash, out, (size_t)n);
    return (size_t)n;
  }
  in->file_ended = true;
  if (in->sums && n == 0) hc_sums_note(in->sums, in->name, in->read, &in->hash);
  if (n < 0)
    broke(in, HC_EIO, "reading failed: %s; check the device or the network, then try again", strerror(errno));
  return 0;
}

/* Have packed bytes at hand if there are any. */
static void want_packed(hc_input *in)
{
  if (in->packed_begin < in->packed_end || in->file_ended) return;
  in->packed_begin = 0;
  in->packed_end = read_file(in, in->packed, BLOCK);
}

static size_t packed_left(const hc_input *in)
{
  return in->packed_end - in->packed_begin;
}

/* ---- unpacking: each makes some text, unless it sets text_ended or fails; returns how much ---- */

/* After a member: another one, zeros (tapes pad with them), or the end. True if there is something to
 * decode. */
static bool next_member(hc_input *in)
{
  for (; packed_left(in) > 0; in->packed_begin++, want_packed(in)) {
    uint8_t byte = in->packed[in->packed_begin];
    if (byte == 0) continue;
    if (byte != 0x1f) damaged(in, "something else follows it");
    else if (inflateReset(&in->decoder.gzip) != Z_OK) damaged(in, "the decoder lost its state");
    in->between = false;
    return in->failed == 0;
  }
  in->text_ended = in->failed == 0;
  return false;
}

static size_t unpack_gzip(hc_input *in, char *out, size_t room)
{
  z_stream *z = &in->decoder.gzip;
  z->next_out = (Bytef *)out;
  z->avail_out = (uInt)room;
  while (in->failed == 0 && z->avail_out == room) {
    want_packed(in);
    if (in->between && !next_member(in)) break;
    z->next_in = in->packed + in->packed_begin;
    z->avail_in = (uInt)packed_left(in);
    int status = inflate(z, Z_NO_FLUSH);
    in->packed_begin = in->packed_end - z->avail_in;
    if (status == Z_STREAM_END) in->between = true;
    else if (status == Z_MEM_ERROR) out_of_memory(in);
    else if (status == Z_BUF_ERROR && packed_left(in) == 0 && in->file_ended) truncated(in);
    else if (status != Z_OK) damaged(in, z->msg);
  }
  return room - z->avail_out;
}

static void zstd_failed(hc_input *in, size_t status)
{
  ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
  if (code == ZSTD_error_memory_allocation) {
    out_of_memory(in);
  } else if (code == ZSTD_error_frameParameter_windowTooLarge) {
    broke(
        in, HC_EINPUT,
        "the zstd data needs a window of more than 128 MiB; pack it again without --long, or unpack it first, as "
        "in `zstd -dc --long=31 FILE | hindcast ... -`");
  } else {
    damaged(in, ZSTD_getErrorName(status));
  }
}

static size_t unpack_zstd(hc_input *in, char *out, size_t room)
{
  ZSTD_outBuffer text = {.dst = out, .size = room};
  while (in->failed == 0 && text.pos == 0) {
    want_packed(in);
    ZSTD_inBuffer data = {.src = in->packed, .size = in->packed_end, .pos = in->packed_begin};
    if (data.pos == data.size && in->between) { /* a frame just ended, and so does the file */
      in->text_ended = in->failed == 0;
      break;
    }
    size_t status = ZSTD_decompressStream(in->decoder.zstd, &text, &data);
    bool idle = data.pos == in->packed_begin && text.pos == 0;
    in->packed_begin = data.pos;
    in->between = status == 0;
    if (ZSTD_isError(status)) zstd_failed(in, status);
    else if (idle && status != 0) truncated(in);
  }
  return text.pos;
}

static size_t unpack_xz(hc_input *in, char *out, size_t room)
{
  lzma_stream *x = &in->decoder.xz;
  x->next_out = (uint8_t *)out;
  x->avail_out = room;
  while (in->failed == 0 && x->avail_out == room) {
    want_packed(in);
    x->next_in = in->packed + in->packed_begin;
    x->avail_in = packed_left(in);
    lzma_ret status = lzma_code(x, in->file_ended ? LZMA_FINISH : LZMA_RUN);
    in->packed_begin = in->packed_end - x->avail_in;
    if (status == LZMA_STREAM_END) {
      in->text_ended = true;
      break;
    }
    if (status == LZMA_MEM_ERROR) out_of_memory(in);
    else if (status == LZMA_MEMLIMIT_ERROR)
      broke(
          in, HC_EINPUT,
          "the xz data needs a window of more than 128 MiB; pack it again with `xz -9`, or unpack it first, as "
          "in `xz -dc FILE | hindcast ... -`");
    else if (status == LZMA_BUF_ERROR) truncated(in);
    else if (status != LZMA_OK)
      damaged(in,
              status == LZMA_OPTIONS_ERROR ? "options that this version does not know" : "incorrect data");
  }
  return room - x->avail_out;
}

/* ---- telling the formats apart ---- */

typedef struct magic {
  const char *bytes;
  size_t size, least; /* this many bytes are enough to know, in a file that ends there */
  kind kind;
  const char *name, *unpack; /* of formats that are not read */
} magic;

static const magic *find_magic(const char *data, size_t n)
{
  static const magic table[] = {
      {.bytes = "\x1f\x8b", .size = 2, .least = 1, .kind = KIND_GZIP},
      {.bytes = "\x28\xb5\x2f\xfd", .size = 4, .least = 2, .kind = KIND_ZSTD},
      {.bytes = "\xfd"
                "7zXZ\0",
       .size = 6,
       .least = 1,
       .kind = KIND_XZ},
      {.bytes = "BZh91AY&SY", .size = 10, .least = 10, .name = "bzip2", .unpack = "bzip2 -dc"},
      {.bytes = "PK\3\4", .size = 4, .least = 4, .name = "zip", .unpack = "unzip -p"},
      {.bytes = "7z\xbc\xaf\x27\x1c", .size = 6, .least = 6, .name = "7-Zip", .unpack = "7z x -so"},
      {.bytes = "\x04\x22\x4d\x18", .size = 4, .least = 4, .name = "lz4", .unpack = "lz4 -dc"},
      {.bytes = "\x1f\x9d", .size = 2, .least = 2, .name = "compress", .unpack = "gzip -dc"},
      {.bytes = "LZIP\1", .size = 5, .least = 5, .name = "lzip", .unpack = "lzip -dc"},
  };
  static const magic skippable = {.kind = KIND_ZSTD}; /* pzstd begins with a frame to be skipped */
  if (n >= 4 && (data[0] & 0xf0) == 0x50 && memcmp(data + 1, "\x2a\x4d\x18", 3) == 0) return &skippable;
  for (size_t i = 0; i < HC_ARRAY_LEN(table); i++) {
    const magic *m = &table[i];
    if (n >= m->least && memcmp(data, m->bytes, HC_MIN(n, m->size)) == 0) return m;
  }
  return NULL;
}

static void start_decoder(hc_input *in)
{
  void *memory = (void *)(uintptr_t)in->allocator; /* the callbacks' context; they take it as const again */
  in->between = false;
  switch (in->kind) {
    case KIND_UNKNOWN:
    case KIND_PLAIN: return;
    case KIND_GZIP:
      in->decoder.gzip = (z_stream){.zalloc = gzip_alloc, .zfree = decoder_free, .opaque = memory};
      if (inflateInit2(&in->decoder.gzip, 15 + 16) != Z_OK)
        break; /* the largest window, with a gzip header */
      return;
    case KIND_ZSTD:
      in->decoder.zstd = ZSTD_createDCtx_advanced((ZSTD_customMem){decoder_alloc, decoder_free, memory});
      if (!in->decoder.zstd) break;
      (void)ZSTD_DCtx_setParameter(in->decoder.zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
      return;
    case KIND_XZ:
      in->xz_memory = (lzma_allocator){.alloc = counted_alloc, .free = decoder_free, .opaque = memory};
      in->decoder.xz = (lzma_stream)LZMA_STREAM_INIT;
      in->decoder.xz.allocator = &in->xz_memory;
      if (lzma_stream_decoder(&in->decoder.xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK) break;
      return;
  }
  in->kind = KIND_UNKNOWN; /* there is no decoder to stop */
  out_of_memory(in);
}

static void stop_decoder(hc_input *in)
{
  switch (in->kind) {
    case KIND_UNKNOWN:
    case KIND_PLAIN: break;
    case KIND_GZIP: (void)inflateEnd(&in->decoder.gzip); break;
    case KIND_ZSTD: (void)ZSTD_freeDCtx(in->decoder.zstd); break;
    case KIND_XZ: lzma_end(&in->decoder.xz); break;
  }
}

/* Read the first block and see what it is. Plain text is then already in place. Returns its size. */
static size_t sniff(hc_input *in)
{
  size_t n = 0;
  while (n < MAGIC && !in->file_ended) n += read_file(in, in->data + n, BLOCK - n);
  if (in->failed < 0) return 0;
  const magic *m = find_magic(in->data, n);
  if (m && m->name) {
    broke(in, HC_EINPUT,
          "this is %s data, which is not read directly; unpack it first, as in `%s FILE | hindcast ... -`",
          m->name, m->unpack);
    return 0;
  }
  in->kind = m ? m->kind : KIND_PLAIN;
  if (in->kind == KIND_PLAIN) return n;
  if (!in->packed) in->packed = in->allocator->resize(in->allocator->ctx, NULL, 0, BLOCK);
  if (!in->packed) {
    in->kind = KIND_UNKNOWN;
    out_of_memory(in);
    return 0;
  }
  memcpy(in->packed, in->data, n);
  in->packed_begin = 0;
  in->packed_end = n;
  start_decoder(in);
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
  while (grown - held < ROOM) grown *= 2; /* ends: a held line is not longer than the limit */
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

/* Get more text, or set text_ended or the failure. */
static void fill(hc_input *in)
{
  size_t made = 0;
  if (!make_room(in)) return;
  if (in->kind == KIND_UNKNOWN) made = sniff(in);
  char *out = in->data + in->end;
  if (in->failed == 0 && made == 0) {
    switch (in->kind) {
      case KIND_UNKNOWN: break;
      case KIND_PLAIN:
        made = in->file_ended ? 0 : read_file(in, out, HC_MIN(in->cap - in->end, BLOCK));
        break;
      case KIND_GZIP: made = unpack_gzip(in, out, ROOM); break;
      case KIND_ZSTD: made = unpack_zstd(in, out, ROOM); break;
      case KIND_XZ: made = unpack_xz(in, out, ROOM); break;
    }
  }
  if (in->kind == KIND_PLAIN && in->file_ended) in->text_ended = true;
  in->end += made;
  if (in->nul == NONE) in->nul = find_nul(in, in->end - made);
}

/* ---- lines ---- */

/* Hand out [begin, end), and go on after the newline if there is one. */
static hc_rc hand_out(hc_input *in, size_t end, bool newline, char **text, size_t *length, hc_error *e)
{
  size_t begin = in->begin, size = end - begin;
  if (newline && size > 0 && in->data[end - 1] == '\r') size--;
  if (in->nul < end) {
    broke(in, HC_EINPUT,
          "a NUL byte: this is binary data, not text; give a text file (iconv turns UTF-16 into UTF-8)");
    return tell(in, e);
  }
  if (size > HC_LINE_LIMIT) {
    broke(in, HC_EINPUT, "the line is longer than %zu bytes; give a text file with one record per line",
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
  return in->seekable;
}

void hc_input_progress(const hc_input *in, uint64_t *done, uint64_t *total)
{
  *done = in->read;
  *total = HC_MAX(in->total, in->total > 0 ? in->read : 0); /* a log may be growing */
}

/* ---- opening, seeking, closing ---- */

static hc_rc refuse_open(hc_error *e, const char *name, int error)
{
  const char *remedy = "check the path and the device";
  if (error == ENOENT || error == ENOTDIR) remedy = "check the path, which starts at the current directory";
  if (error == EACCES || error == EPERM) remedy = "make it readable (chmod +r) or ask its owner";
  if (error == EISDIR) remedy = "name a file in it";
  return hc_fail(e, HC_EIO, name, 0, 0, "cannot be read: %s; %s", strerror(error), remedy);
}

/* Open, and see what kind of file it is. @return 0 or an errno. */
static int open_file(hc_input *in, const char *path)
{
  struct stat st;
  bool standard = strcmp(path, "-") == 0;
  in->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (in->file < 0 || fstat(in->file, &st) != 0) return errno;
  if (S_ISDIR(st.st_mode)) return EISDIR;
  if (S_ISREG(st.st_mode)) {
    in->seekable = !standard;
    in->total = (uint64_t)st.st_size;
    (void)posix_fadvise(in->file, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  /* A pipe holds 64 KiB by itself, which is a thousand rows: both ends would wake each other every fifth of a millisecond. */
  if (S_ISFIFO(st.st_mode)) (void)fcntl(in->file, F_SETPIPE_SZ, (int)PIPE);
  return 0;
}

hc_rc hc_input_open(const hc_allocator *a, const char *path, hc_input **out, hc_error *e)
{
  const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
  hc_input *in = hc_alloc(a, sizeof *in);
  if (!in) return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory");
  in->allocator = a;
  in->file = -1;
  in->nul = NONE;
  in->cap = BLOCK;
  in->name = hc_alloc(a, strlen(name) + 1);
  if (in->name) memcpy(in->name, name, strlen(name) + 1);
  in->data = a->resize(a->ctx, NULL, 0, in->cap + 1);
  if (!in->name || !in->data) {
    hc_input_free(in);
    return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory");
  }
  int error = open_file(in, path);
  if (error != 0) {
    hc_input_free(in);
    return refuse_open(e, name, error);
  }
  *out = in;
  return 0;
}

void hc_input_free(hc_input *in)
{
  if (!in) return;
  const hc_allocator *a = in->allocator;
  stop_decoder(in);
  if (in->file > STDERR_FILENO) (void)close(in->file);
  hc_free(a, in->packed, BLOCK);
  hc_free(a, in->data, in->cap + 1);
  if (in->name) hc_free(a, in->name, strlen(in->name) + 1);
  hc_free(a, in, sizeof *in);
}

void hc_input_sum(hc_input *in, hc_sums *sums)
{
  HC_ASSERT(in->kind == KIND_UNKNOWN);
  if (in->file == STDIN_FILENO) return;
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
  if (lseek(in->file, (off_t)offset, SEEK_SET) < 0) broke(in, HC_EIO, "seeking failed: %s", strerror(errno));
}

/* Plain text is where the position says, if the file still reaches there. True if it does. */
static bool seek_plain(hc_input *in, uint64_t position)
{
  struct stat st;
  restart(in, position);
  if (fstat(in->file, &st) == 0 && position > (uint64_t)st.st_size)
    broke(in, HC_EINPUT, "the file is shorter than when it was read before; give the same file");
  return in->failed == 0;
}

/* Packed text is unpacked and dropped. Text already handed out may have been written over, so only what
 * lies ahead is used from the buffer. True on arrival; a failure may still wait behind lines to be handed
 * out. */
static bool seek_packed(hc_input *in, uint64_t position)
{
  if (in->failed < 0 || position < in->origin + in->begin) {
    stop_decoder(in);
    restart(in, 0);
    start_decoder(in);
  }
  while (position > in->origin + in->end) {
    if (in->text_ended)
      broke(in, HC_EINPUT, "the text is shorter than when it was read before; give the same file");
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
  if (!in->seekable)
    return hc_fail(e, HC_EUNSUPPORTED, in->name, 0, 0,
                   "this input cannot be read twice: save it to a file first");
  in->lines = lines;
  if (in->kind == KIND_UNKNOWN) { /* nothing was read so far, or it could not be */
    restart(in, 0);
    fill(in);
  }
  bool has_arrived = false;
  if (in->kind == KIND_PLAIN) has_arrived = seek_plain(in, position);
  else if (in->kind != KIND_UNKNOWN) has_arrived = seek_packed(in, position);
  return has_arrived ? 0 : tell(in, e);
}
