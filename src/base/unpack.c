/* unpack.c -- gzip, zstd and xz, each as a decoder of input.c. A core is built without this file.
 *
 * All members of a gzip file, frames of a zstd file and streams of an xz file are read, checksums included.
 * Decoders take their memory from the allocator; a file may ask them for a window of 128 MiB at most, since a
 * few bytes of header are enough to ask for gigabytes.
 * Sources: RFC 1952, RFC 8878, the .xz format 1.1.0. */
#define ZSTD_STATIC_LINKING_ONLY /* for a decoder with our allocator */
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/input_parts.h"
#include "base/util.h"

#define WINDOW_LOG 27 /* 128 MiB: what zstd itself reads unless told to read more */
#define XZ_MEMORY \
  (((uint64_t)1 << WINDOW_LOG) + ((uint64_t)1 << 20)) /* the window, and the decoder's tables */

/* ---- failing ---- */

static const char *packing_name(hc_packing p)
{
  switch (p) {
    case HC_GZIP: return "gzip";
    case HC_ZSTD: return "zstd";
    case HC_XZ: return "xz";
    case HC_PACKING_UNKNOWN:
    case HC_PACKING_NONE: break;
  }
  return "plain";
}

static void truncated(hc_input *in)
{
  hc_input_broke(in, HC_EINPUT,
                 "the %s data stops before its end: the file is truncated; fetch or pack it again",
                 packing_name(in->packing));
}

static void damaged(hc_input *in, const char *why)
{
  hc_input_broke(in, HC_EINPUT, "the %s data is damaged (%s); fetch or pack it again",
                 packing_name(in->packing), why ? why : "no details");
}

static void out_of_memory(hc_input *in)
{
  hc_input_broke(in, HC_ENOMEM, "out of memory while reading");
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

/* The callbacks' context; they take it as const again. */
static void *memory_of(const hc_input *in)
{
  return (void *)(uintptr_t)in->allocator;
}

/* ---- gzip ---- */

static bool start_gzip(hc_input *in)
{
  z_stream *z = hc_alloc(in->allocator, sizeof *z);
  if (!z) return false;
  *z = (z_stream){.zalloc = gzip_alloc, .zfree = decoder_free, .opaque = memory_of(in)};
  if (inflateInit2(z, 15 + 16) == Z_OK) { /* the largest window, with a gzip header */
    in->decoder = z;
    return true;
  }
  hc_free(in->allocator, z, sizeof *z);
  return false;
}

static void stop_gzip(hc_input *in)
{
  (void)inflateEnd(in->decoder);
  hc_free(in->allocator, in->decoder, sizeof(z_stream));
  in->decoder = NULL;
}

/* After a member: another one, zeros (tapes pad with them), or the end. True if there is something to
 * decode. */
static bool next_member(hc_input *in)
{
  for (; hc_input_packed_left(in) > 0; in->packed_begin++, hc_input_want_packed(in)) {
    uint8_t byte = in->packed[in->packed_begin];
    if (byte == 0) continue;
    if (byte != 0x1f) damaged(in, "something else follows it");
    else if (inflateReset((z_stream *)in->decoder) != Z_OK) damaged(in, "the decoder lost its state");
    in->between = false;
    return in->failed == 0;
  }
  in->text_ended = in->failed == 0;
  return false;
}

static size_t unpack_gzip(hc_input *in, char *out, size_t room)
{
  z_stream *z = in->decoder;
  z->next_out = (Bytef *)out;
  z->avail_out = (uInt)room;
  while (in->failed == 0 && z->avail_out == room) {
    hc_input_want_packed(in);
    if (in->between && !next_member(in)) break;
    z->next_in = in->packed + in->packed_begin;
    z->avail_in = (uInt)hc_input_packed_left(in);
    int status = inflate(z, Z_NO_FLUSH);
    in->packed_begin = in->packed_end - z->avail_in;
    if (status == Z_STREAM_END) in->between = true;
    else if (status == Z_MEM_ERROR) out_of_memory(in);
    else if (status == Z_BUF_ERROR && hc_input_packed_left(in) == 0 && in->file_ended) truncated(in);
    else if (status != Z_OK) damaged(in, z->msg);
  }
  return room - z->avail_out;
}

/* ---- zstd ---- */

static bool start_zstd(hc_input *in)
{
  in->decoder = ZSTD_createDCtx_advanced((ZSTD_customMem){decoder_alloc, decoder_free, memory_of(in)});
  if (!in->decoder) return false;
  (void)ZSTD_DCtx_setParameter(in->decoder, ZSTD_d_windowLogMax, WINDOW_LOG);
  return true;
}

static void stop_zstd(hc_input *in)
{
  (void)ZSTD_freeDCtx(in->decoder);
  in->decoder = NULL;
}

static void zstd_failed(hc_input *in, size_t status)
{
  ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
  if (code == ZSTD_error_memory_allocation) {
    out_of_memory(in);
  } else if (code == ZSTD_error_frameParameter_windowTooLarge) {
    hc_input_broke(
        in, HC_EINPUT,
        "the zstd data needs a window of more than 128 MiB; pack it again without --long, or unpack it "
        "first, as in `zstd -dc --long=31 FILE | hindcast ... -`");
  } else {
    damaged(in, ZSTD_getErrorName(status));
  }
}

static size_t unpack_zstd(hc_input *in, char *out, size_t room)
{
  ZSTD_outBuffer text = {.dst = out, .size = room};
  while (in->failed == 0 && text.pos == 0) {
    hc_input_want_packed(in);
    ZSTD_inBuffer data = {.src = in->packed, .size = in->packed_end, .pos = in->packed_begin};
    if (data.pos == data.size && in->between) { /* a frame just ended, and so does the file */
      in->text_ended = in->failed == 0;
      break;
    }
    size_t status = ZSTD_decompressStream(in->decoder, &text, &data);
    bool idle = data.pos == in->packed_begin && text.pos == 0;
    in->packed_begin = data.pos;
    in->between = status == 0;
    if (ZSTD_isError(status)) zstd_failed(in, status);
    else if (idle && status != 0) truncated(in);
  }
  return text.pos;
}

/* ---- xz ---- */

typedef struct xz_decoder {
  lzma_stream stream;
  lzma_allocator memory;
} xz_decoder;

static bool start_xz(hc_input *in)
{
  xz_decoder *x = hc_alloc(in->allocator, sizeof *x);
  if (!x) return false;
  x->memory = (lzma_allocator){.alloc = counted_alloc, .free = decoder_free, .opaque = memory_of(in)};
  x->stream = (lzma_stream)LZMA_STREAM_INIT;
  x->stream.allocator = &x->memory;
  if (lzma_stream_decoder(&x->stream, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK) {
    in->decoder = x;
    return true;
  }
  lzma_end(&x->stream);
  hc_free(in->allocator, x, sizeof *x);
  return false;
}

static void stop_xz(hc_input *in)
{
  lzma_end(&((xz_decoder *)in->decoder)->stream);
  hc_free(in->allocator, in->decoder, sizeof(xz_decoder));
  in->decoder = NULL;
}

static size_t unpack_xz(hc_input *in, char *out, size_t room)
{
  lzma_stream *x = &((xz_decoder *)in->decoder)->stream;
  x->next_out = (uint8_t *)out;
  x->avail_out = room;
  while (in->failed == 0 && x->avail_out == room) {
    hc_input_want_packed(in);
    x->next_in = in->packed + in->packed_begin;
    x->avail_in = hc_input_packed_left(in);
    lzma_ret status = lzma_code(x, in->file_ended ? LZMA_FINISH : LZMA_RUN);
    in->packed_begin = in->packed_end - x->avail_in;
    if (status == LZMA_STREAM_END) {
      in->text_ended = true;
      break;
    }
    if (status == LZMA_MEM_ERROR) out_of_memory(in);
    else if (status == LZMA_MEMLIMIT_ERROR)
      hc_input_broke(
          in, HC_EINPUT,
          "the xz data needs a window of more than 128 MiB; pack it again with `xz -9`, or unpack it first, "
          "as in `xz -dc FILE | hindcast ... -`");
    else if (status == LZMA_BUF_ERROR) truncated(in);
    else if (status != LZMA_OK)
      damaged(in,
              status == LZMA_OPTIONS_ERROR ? "options that this version does not know" : "incorrect data");
  }
  return room - x->avail_out;
}

const hc_decoder_type *hc_decoder_of(hc_packing packing)
{
  static const hc_decoder_type gzip = {start_gzip, unpack_gzip, stop_gzip},
                               zstd = {start_zstd, unpack_zstd, stop_zstd},
                               xz = {start_xz, unpack_xz, stop_xz};
  switch (packing) {
    case HC_GZIP: return &gzip;
    case HC_ZSTD: return &zstd;
    case HC_XZ: return &xz;
    case HC_PACKING_UNKNOWN:
    case HC_PACKING_NONE: break;
  }
  return NULL;
}
