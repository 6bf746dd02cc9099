/* blake2s.h -- the keyed hash BLAKE2s-256, for names that must not be told. */
#ifndef HC_WORKLOAD_BLAKE2S_H
#define HC_WORKLOAD_BLAKE2S_H

#include <stddef.h>
#include <stdint.h>

#include "hindcast/base.h"

#define HC_BLAKE2S_SIZE 32 /* bytes of a hash, and of a key at most */

/** Hash `n` bytes. @param key [key_size] at most 32 bytes; size 0: no key. @param out [32].
 *  Cost: about 5 ns a byte, at least 0.3 us. */
void hc_blake2s(const void *key, size_t key_size, const void *data, size_t n, uint8_t out[HC_BLAKE2S_SIZE]);

#endif
