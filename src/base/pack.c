/* pack.c -- bytes made smaller by zlib. A core is built without this file. */
#define ZLIB_CONST /* its input is only read */
#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/util.h"

#define LEVEL 6
#define PIECE ((size_t)1 << 16)

/* ---- zlib's memory: ours, with the size kept in front since it does not give it back ---- */

typedef union sized {
  size_t size;
  max_align_t align;
} sized;

static void *packer_alloc(void *allocator, unsigned items, unsigned size)
{
  const size_t bytes = sizeof(sized) + (size_t)items * size;
  sized *p = hc_alloc(allocator, bytes);
  if (!p) return NULL;
  p->size = bytes;
  return p + 1;
}

static void packer_free(void *allocator, void *memory)
{
  sized *p = memory;
  if (!p) return;
  p--;
  hc_free(allocator, p, p->size);
}

/* ---- packing ---- */

static hc_rc pack(z_stream *z, const unsigned char *data, size_t size, hc_buffer *out)
{
  unsigned char piece[PIECE];
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    const size_t part = HC_MIN(size, (size_t)UINT_MAX);
    if (z->avail_in == 0) {
      z->next_in = data;
      z->avail_in = (unsigned)part;
      data += part;
      size -= part;
    }
    z->next_out = piece;
    z->avail_out = sizeof piece;
    status = deflate(z, size == 0 ? Z_FINISH : Z_NO_FLUSH);
    if (status == Z_STREAM_ERROR) return HC_ENOMEM;
    hc_buffer_add(out, (const char *)piece, sizeof piece - z->avail_out);
  }
  return out->failed ? HC_ENOMEM : 0;
}

hc_rc hc_pack(const hc_allocator *a, const void *data, size_t size, hc_buffer *out)
{
  hc_allocator own = *a; /* zlib wants it not const */
  z_stream z = {.zalloc = packer_alloc, .zfree = packer_free, .opaque = &own};
  if (deflateInit(&z, LEVEL) != Z_OK) return HC_ENOMEM;
  const hc_rc rc = pack(&z, data, size, out);
  (void)deflateEnd(&z);
  return rc;
}
