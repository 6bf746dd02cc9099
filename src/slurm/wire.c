/* wire.c -- see wire.h. */
#include "slurm/wire.h"

#include <string.h>

#include "base/util.h"

#define AUTH_NONE 100u /* the number of the plugin auth/none */
#define NO_VALUE 0xfffffffeu
#define AF_NONE 0
#define AF_IPV4 2
#define AF_IPV6 10

/* ---- reading ---- */

static const uint8_t *take(hc_wire_reader *r, uint64_t bytes)
{
  const uint8_t *at = r->at;
  if (r->is_short || (uint64_t)(r->end - r->at) < bytes) {
    r->is_short = true;
    r->at = r->end;
    return NULL;
  }
  r->at += bytes;
  return at;
}

static uint64_t number(hc_wire_reader *r, uint32_t bytes)
{
  const uint8_t *p = take(r, bytes);
  uint64_t x = 0;
  for (uint32_t i = 0; p && i < bytes; i++) x = x << 8 | p[i];
  return x;
}

uint8_t hc_wire_u8(hc_wire_reader *r)
{
  return (uint8_t)number(r, 1);
}

uint16_t hc_wire_u16(hc_wire_reader *r)
{
  return (uint16_t)number(r, 2);
}

uint32_t hc_wire_u32(hc_wire_reader *r)
{
  return (uint32_t)number(r, 4);
}

uint64_t hc_wire_u64(hc_wire_reader *r)
{
  return number(r, 8);
}

const char *hc_wire_text(hc_wire_reader *r)
{
  const uint32_t size = hc_wire_u32(r);
  const uint8_t *p;
  if (size == 0 || r->is_short) return NULL;
  if (size > HC_WIRE_TEXT_MOST) r->is_short = true;
  p = take(r, size);
  if (!p) return NULL;
  if (p[size - 1] != '\0') {
    r->is_short = true;
    return NULL;
  }
  return (const char *)p;
}

void hc_wire_skip(hc_wire_reader *r, uint64_t bytes)
{
  (void)take(r, bytes);
}

static void skip_address(hc_wire_reader *r)
{
  const uint16_t family = hc_wire_u16(r);
  if (family == AF_IPV4) hc_wire_skip(r, 4 + 2);
  else if (family == AF_IPV6) hc_wire_skip(r, 16 + 2);
  else if (family != AF_NONE) r->is_short = true;
}

static hc_rc bad(hc_error *e, const char *what)
{
  return hc_fail(e, HC_EINPUT, "message of Slurm", 0, 0, "%s", what);
}

static bool is_known(uint16_t version, uint16_t type)
{
  if (version == HC_WIRE_VERSION) return true;
  return version >= HC_WIRE_OLDEST && version < HC_WIRE_VERSION &&
         (type == HC_WIRE_ASK_REGISTRATION || type == HC_WIRE_PING);
}

hc_rc hc_wire_open(const uint8_t *data, size_t size, hc_wire_message *out, hc_error *e)
{
  hc_wire_reader r = {.at = data, .end = data + size};
  uint32_t length;
  uint16_t returns;
  *out = (hc_wire_message){0};
  out->version = hc_wire_u16(&r);
  out->flags = hc_wire_u16(&r);
  if (out->version < HC_WIRE_VERSION) hc_wire_skip(&r, 2); /* a number that later ones lack */
  out->type = hc_wire_u16(&r);
  if (!r.is_short && !is_known(out->version, out->type))
    return hc_fail(e, HC_EINPUT, "message of Slurm", 0, 0,
                   "it is of version %#06x of the protocol; only %#06x, Slurm " HC_WIRE_RELEASE ", is known",
                   out->version, HC_WIRE_VERSION);
  length = hc_wire_u32(&r);
  out->forward_count = hc_wire_u16(&r);
  if (out->forward_count > 0) {
    out->forward = hc_wire_text(&r);
    hc_wire_skip(&r, 4 + 2); /* timeout, width of the tree */
  }
  returns = hc_wire_u16(&r);
  skip_address(&r);
  if (r.is_short) return bad(e, "its header is too short");
  if (returns > 0) return bad(e, "it has answers of other nodes, which nothing here asks for");
  if (out->forward_count > 0 && !out->forward) return bad(e, "it is to be forwarded to nodes without names");
  if (hc_wire_u32(&r) != AUTH_NONE) return bad(e, "its credential is not of auth/none");
  out->uid = hc_wire_u32(&r);
  out->gid = hc_wire_u32(&r);
  (void)hc_wire_text(&r);
  if (r.is_short || (size_t)(r.end - r.at) < length) return bad(e, "it is shorter than its header says");
  r.end = r.at + length;
  out->body = r;
  return 0;
}

hc_rc hc_wire_read_launch(const hc_wire_message *m, hc_wire_launch *out, hc_error *e)
{
  hc_wire_reader r = m->body;
  uint32_t n;
  *out = (hc_wire_launch){.job = hc_wire_u32(&r)};
  hc_wire_skip(&r, 4); /* heterogeneous job */
  out->uid = hc_wire_u32(&r);
  out->gid = hc_wire_u32(&r);
  (void)hc_wire_text(&r);                          /* user */
  hc_wire_skip(&r, (uint64_t)hc_wire_u32(&r) * 4); /* groups */
  (void)hc_wire_text(&r);                          /* partition */
  hc_wire_skip(&r, 4 + 8 + 1 + 1 + 4 + 4);         /* tasks, memory, modes of files, array */
  (void)hc_wire_text(&r);
  (void)hc_wire_text(&r);
  hc_wire_skip(&r, 4 * 2);
  n = hc_wire_u32(&r); /* processors, as groups of nodes that have as many */
  if (n > 0) {
    hc_wire_skip(&r, (uint64_t)hc_wire_u32(&r) * 2);
    hc_wire_skip(&r, (uint64_t)hc_wire_u32(&r) * 4);
  }
  (void)hc_wire_text(&r); /* aliases */
  (void)hc_wire_text(&r); /* binding */
  out->nodes = hc_wire_text(&r);
  out->script = hc_wire_text(&r);
  if (r.is_short) return bad(e, "the launch of a batch job is too short");
  return out->nodes ? 0 : bad(e, "a batch job is launched on no node");
}

hc_rc hc_wire_read_kill(const hc_wire_message *m, uint32_t *job, hc_error *e)
{
  hc_wire_reader r = m->body;
  if (hc_wire_u8(&r) == 0) { /* no credential: the job stands behind what devices it has */
    if (hc_wire_u16(&r) > 0) return bad(e, "the end of a job names devices, which nodes here do not have");
    (void)hc_wire_text(&r); /* details */
  }
  *job = hc_wire_u32(&r);
  return r.is_short ? bad(e, "the end of a job is too short") : 0;
}

/* ---- writing ---- */

static void put(hc_buffer *b, uint64_t x, int bytes)
{
  uint8_t p[8];
  for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(x >> (8 * (bytes - 1 - i)));
  hc_buffer_add(b, p, (size_t)bytes);
}

void hc_wire_put_u8(hc_buffer *b, uint8_t x)
{
  put(b, x, 1);
}

void hc_wire_put_u16(hc_buffer *b, uint16_t x)
{
  put(b, x, 2);
}

void hc_wire_put_u32(hc_buffer *b, uint32_t x)
{
  put(b, x, 4);
}

void hc_wire_put_u64(hc_buffer *b, uint64_t x)
{
  put(b, x, 8);
}

void hc_wire_put_text(hc_buffer *b, const char *s)
{
  const size_t n = s ? strlen(s) + 1 : 0;
  put(b, n, 4);
  if (n > 0) hc_buffer_add(b, s, n);
}

void hc_wire_put_registration(hc_buffer *b, const hc_wire_node *n)
{
  put(b, (uint64_t)n->now, 8);
  put(b, (uint64_t)n->since, 8);
  put(b, 0, 4); /* status */
  hc_wire_put_text(b, NULL);
  hc_wire_put_text(b, NULL);
  hc_wire_put_text(b, n->name);
  hc_wire_put_text(b, n->name);
  hc_wire_put_text(b, "virtual");
  hc_wire_put_text(b, NULL); /* cores that are set apart */
  hc_wire_put_text(b, "hindcast");
  put(b, n->cpus, 2);
  put(b, 1, 2); /* boards */
  put(b, 1, 2); /* sockets */
  put(b, n->cpus, 2);
  put(b, 1, 2); /* threads */
  put(b, n->memory, 8);
  put(b, 0, 4);        /* disk */
  put(b, 1000, 4);     /* seconds since it booted */
  put(b, NO_VALUE, 4); /* hash of the configuration: not compared */
  put(b, 0, 4);        /* load */
  put(b, n->memory, 8);
  put(b, 0, 4); /* jobs */
  put(b, 0, 2); /* flags */
  put(b, 4, 4); /* devices: their size, then a version and that there are none; without them slurmctld dies */
  put(b, 4, 4);
  put(b, HC_WIRE_VERSION, 2);
  put(b, 0, 2);
  put(b, 0, 8); /* energy */
  put(b, 0, 4);
  put(b, 0, 8);
  put(b, 0, 4);
  put(b, 0, 8);
  put(b, 0, 8);
  hc_wire_put_text(b, HC_WIRE_RELEASE);
  put(b, 0, 1); /* not dynamic */
  hc_wire_put_text(b, NULL);
  hc_wire_put_text(b, NULL);
}

void hc_wire_put_pong(hc_buffer *b)
{
  put(b, 0, 4);
  put(b, 0, 8);
}

void hc_wire_put_ended(hc_buffer *b, uint32_t job, uint32_t uid, uint32_t status, const char *node)
{
  put(b, 0, 1);
  put(b, job, 4);
  put(b, status, 4);
  put(b, 0, 4);
  put(b, uid, 4);
  hc_wire_put_text(b, node);
}

void hc_wire_put_clean(hc_buffer *b, uint32_t job, const char *node)
{
  put(b, job, 4);
  put(b, 0, 4);
  hc_wire_put_text(b, node);
}

void hc_wire_frame(hc_buffer *out, uint16_t type, const hc_buffer *body, const char *const *forwarded,
                   size_t count)
{
  const size_t begin = out->size;
  size_t length;
  put(out, 0, 4);
  put(out, HC_WIRE_VERSION, 2);
  put(out, 0, 2);
  put(out, type, 2);
  put(out, body->size, 4);
  put(out, 0, 2);
  put(out, count, 2);
  for (size_t i = 0; i < count; i++) {
    put(out, 0, 4);
    put(out, type, 2);
    hc_wire_put_text(out, forwarded[i]);
    hc_buffer_add(out, body->data, body->size);
  }
  put(out, AF_NONE, 2);
  put(out, AUTH_NONE, 4);
  put(out, 0, 4); /* root */
  put(out, 0, 4);
  hc_wire_put_text(out, "localhost");
  hc_buffer_add(out, body->data, body->size);
  if (out->failed) return;
  length = out->size - begin - 4;
  for (int i = 0; i < 4; i++) out->data[begin + (size_t)i] = (char)(uint8_t)(length >> (8 * (3 - i)));
}
