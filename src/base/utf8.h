/* utf8.h -- one decoder for everything that looks at characters. */
#ifndef HC_BASE_UTF8_H
#define HC_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "hindcast/base.h"

/** Decode the character at `s` (`n` > 0 bytes left). Overlong forms, surrogates and codes past U+10FFFF are
 * invalid.
 *  @return its length in bytes, 1 to 4, with `*code` set; 0 if the bytes are not UTF-8. */
static inline size_t hc_utf8_decode(const char *s, size_t n, uint32_t *code)
{
  static const uint32_t lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
  uint8_t first = (uint8_t)s[0];
  size_t length = first < 0x80   ? 1
                  : first < 0xc0 ? 0
                  : first < 0xe0 ? 2
                  : first < 0xf0 ? 3
                  : first < 0xf8 ? 4
                                 : 0;
  uint32_t c = length == 1 ? first : first & (0x7fu >> length);
  if (length == 0 || length > n) return 0;
  for (size_t i = 1; i < length; i++) {
    uint8_t next = (uint8_t)s[i];
    if ((next & 0xc0) != 0x80) return 0;
    c = c << 6 | (next & 0x3fu);
  }
  if (c < lowest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return 0;
  *code = c;
  return length;
}

#endif
