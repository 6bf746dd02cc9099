/* pack.h -- bytes made smaller. */
#ifndef HC_BASE_PACK_H
#define HC_BASE_PACK_H

#include "base/mem.h"

/** Append bytes in zlib's format (RFC 1950).
 *  @return 0, HC_EUNSUPPORTED from a core, which packs nothing (`out` is as it was), HC_ENOMEM. Cost: about
 *  20 ns a byte. */
hc_rc hc_pack(const hc_allocator *a, const void *data, size_t size, hc_buffer *out);

#endif
