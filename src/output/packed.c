/* packed.c -- see packed.h. */
#include "output/packed.h"

#include <string.h>

#include "base/text.h"

void hc_packed_init(hc_packed *p, const hc_allocator *a, hc_json_writer *json)
{
  *p = (hc_packed){.allocator = a, .json = json};
  hc_buffer_init(&p->bytes, a);
  hc_buffer_init(&p->packed, a);
}

void hc_packed_fini(hc_packed *p)
{
  hc_free(p->allocator, p->values, p->cap * sizeof *p->values);
  hc_buffer_fini(&p->bytes);
  hc_buffer_fini(&p->packed);
}

hc_rc hc_packed_begin(hc_packed *p, size_t count)
{
  p->count = 0;
  return hc_reserve(p->allocator, (void **)&p->values, &p->cap, count + 1, sizeof *p->values);
}

/* ---- numbers to bytes ---- */

static uint64_t sign_lowest(int64_t x)
{
  return ((uint64_t)x << 1) ^ (x < 0 ? UINT64_MAX : 0);
}

static int bytes_of(uint64_t x)
{
  int n = 0;
  for (; x > 0; x >>= 8) n++;
  return n;
}

/* What is written of the number at i. */
static uint64_t code_at(const hc_packed *p, size_t i, int64_t low, bool delta)
{
  const int64_t x = p->values[i];
  if (!delta) return (uint64_t)x - (uint64_t)low;
  return sign_lowest((int64_t)((uint64_t)x - (uint64_t)(i > 0 ? p->values[i - 1] : 0)));
}

typedef struct way {
  uint64_t total; /* bytes that numbers need */
  int width;
} way;

static way measure(const hc_packed *p, int64_t low, bool delta)
{
  way w = {0, 0};
  for (size_t i = 0; i < p->count; i++) {
    const int n = bytes_of(code_at(p, i, low, delta));
    w.total += (uint64_t)n;
    w.width = HC_MAX(w.width, n);
  }
  return w;
}

/* Numbers that are not known become one less than the lowest. */
static int64_t name_missing(hc_packed *p, bool *missing)
{
  int64_t low = INT64_MAX;
  *missing = false;
  for (size_t i = 0; i < p->count; i++) {
    if (p->values[i] == HC_UNKNOWN) *missing = true;
    else low = HC_MIN(low, p->values[i]);
  }
  if (low == INT64_MAX) low = 0;
  if (!*missing) return low;
  low--;
  for (size_t i = 0; i < p->count; i++)
    if (p->values[i] == HC_UNKNOWN) p->values[i] = low;
  return low;
}

static hc_rc write_bytes(hc_packed *p, int64_t low, bool delta, int width)
{
  const size_t size = p->count * (size_t)width;
  unsigned char piece[1024];
  size_t n = 0;
  p->bytes.size = 0;
  for (int plane = 0; plane < width; plane++) {
    for (size_t i = 0; i < p->count; i++) {
      piece[n++] = (unsigned char)(code_at(p, i, low, delta) >> (8 * plane));
      if (n < sizeof piece) continue;
      hc_buffer_add(&p->bytes, (const char *)piece, n);
      n = 0;
    }
  }
  hc_buffer_add(&p->bytes, (const char *)piece, n);
  HC_ASSERT(p->bytes.failed || p->bytes.size == size);
  return p->bytes.failed ? HC_ENOMEM : 0;
}

hc_rc hc_packed_end(hc_packed *p, const char *name)
{
  hc_json_writer *j = p->json;
  bool missing;
  const int64_t low = name_missing(p, &missing);
  const way plain = measure(p, low, false), step = measure(p, low, true);
  const bool delta = step.total < plain.total;
  const int width = delta ? step.width : plain.width;
  TRY(write_bytes(p, low, delta, width));
  p->packed.size = 0;
  const hc_rc rc = hc_pack(p->allocator, p->bytes.data, p->bytes.size, &p->packed);
  if (rc < 0 && rc != HC_EUNSUPPORTED) return rc;
  const hc_buffer *b = rc < 0 ? &p->bytes : &p->packed;
  hc_json_enter_line(j, NULL, '{');
  hc_json_put_text(j, "name", name);
  hc_json_put_int(j, "count", (int64_t)p->count);
  hc_json_put_int(j, "low", low);
  hc_json_put_int(j, "width", width);
  hc_json_put_bool(j, "delta", delta);
  hc_json_put_bool(j, "missing", missing);
  hc_json_put_bool(j, "deflated", rc >= 0);
  hc_json_key(j, "data");
  hc_buffer_text(j->out, "\"");
  hc_base64(j->out, b->data, b->size);
  hc_buffer_text(j->out, "\"");
  hc_json_leave(j, '}');
  return j->out->failed ? HC_ENOMEM : 0;
}
