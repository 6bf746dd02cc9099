/* state.c -- saving, loading and hashing state through one visitor. */
#include "base/state.h"

#include <string.h>

#include "base/util.h"

bool hc_visit_loading(const hc_visitor *v)
{
  return v->mode == HC_VISIT_LOAD;
}

hc_rc hc_visit_bytes(hc_visitor *v, void *p, size_t size)
{
  switch (v->mode) {
    case HC_VISIT_SAVE: hc_buffer_add(v->out, p, size); return v->out->failed ? HC_ENOMEM : 0;
    case HC_VISIT_HASH: hc_hash_add(v->hash, p, size); return 0;
    case HC_VISIT_LOAD:
      if (size > v->left) return HC_EINPUT;
      if (size > 0) memcpy(p, v->in, size);
      v->in += size;
      v->left -= size;
      return 0;
  }
  return HC_EINPUT;
}

hc_rc hc_visit_array(hc_visitor *v, void **items, size_t *count, size_t *cap, size_t item)
{
  uint64_t n = *count;
  TRY(hc_visit_bytes(v, &n, sizeof n));
  if (v->mode == HC_VISIT_LOAD) {
    if (n > v->left / item) return HC_EINPUT; /* also bounds what a damaged snapshot can make us allocate */
    TRY(hc_reserve(v->allocator, items, cap, (size_t)n, item));
    *count = (size_t)n;
  }
  return n > 0 ? hc_visit_bytes(v, *items, (size_t)n * item) : 0;
}

const hc_visitor_calls hc_state_calls = {.size = (uint32_t)sizeof(hc_visitor_calls),
                                         .abi = HC_ABI,
                                         .bytes = hc_visit_bytes,
                                         .array = hc_visit_array,
                                         .loading = hc_visit_loading};
