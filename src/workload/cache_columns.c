/* cache_columns.c -- columns of a cached trace: how values become bytes, and back.
 *
 * Encoding looks at a column a few times: what is least, which unit divides all (seconds, milliseconds,
 * powers of two ...), whether steps from task to task are smaller than values, whether holes spoil it.
 * Decoding is then a load, a multiplication and an addition per value, into every 272nd byte or so of a few
 * tasks that stay in the first-level cache: about 1 ns. Varints, at 2 to 3 ns, are taken only where they save
 * a third. */
#include "workload/cache_format.h"

enum { SAME = 0, PLAIN = 1, VARYING = 2, KINDS = 3, STEPS = 4, HOLES = 8 };

#define MEMBER(name, rule) \
  { \
    (uint16_t) offsetof(hc_task_spec, name), (uint8_t)sizeof(((hc_task_spec *)0)->name), HC_CACHE_##rule \
  }
#define NEED(d) \
  { \
    (uint16_t)(offsetof(hc_task_spec, need) + (d) * sizeof(int64_t)), 8, HC_CACHE_AMOUNT \
  }

const hc_cache_column hc_cache_columns[HC_COLUMNS] = {MEMBER(id, ANY),
                                                      MEMBER(line, ANY),
                                                      MEMBER(submit, TIME),
                                                      MEMBER(wait, TIME),
                                                      MEMBER(run, TIME),
                                                      MEMBER(limit, DEADLINE),
                                                      MEMBER(cpu_time, TIME),
                                                      MEMBER(think, TIME),
                                                      MEMBER(cancel_at, DEADLINE),
                                                      MEMBER(procs_used, COUNT),
                                                      MEMBER(procs_asked, COUNT),
                                                      MEMBER(memory_used, AMOUNT),
                                                      MEMBER(memory_asked, AMOUNT),
                                                      MEMBER(preceding, ANY),
                                                      MEMBER(user, NUMBER),
                                                      MEMBER(group, NUMBER),
                                                      MEMBER(executable, NUMBER),
                                                      MEMBER(queue, NUMBER),
                                                      MEMBER(partition, NUMBER),
                                                      MEMBER(priority, ANY),
                                                      MEMBER(status, ANY),
                                                      MEMBER(node, ANY),
                                                      MEMBER(job, NUMBER),
                                                      MEMBER(not_before, TIME),
                                                      MEMBER(hosts, COUNT),
                                                      NEED(0),
                                                      NEED(1),
                                                      NEED(2),
                                                      NEED(3),
                                                      NEED(4),
                                                      NEED(5),
                                                      NEED(6),
                                                      NEED(7),
                                                      MEMBER(more, ANY),
                                                      MEMBER(count, ANY),
                                                      MEMBER(flags, ANY),
                                                      MEMBER(held, TIME)};

static bool is_time(unsigned number)
{
  return hc_cache_columns[number].rule == HC_CACHE_TIME || hc_cache_columns[number].rule == HC_CACHE_DEADLINE;
}

static void bounds_of(unsigned number, int64_t *low, int64_t *high)
{
  *low = 0;
  *high = INT64_MAX;
  switch ((hc_cache_rule)hc_cache_columns[number].rule) {
    case HC_CACHE_ANY: *low = INT64_MIN; break;
    case HC_CACHE_TIME: *high = HC_NEVER - 1; break;
    case HC_CACHE_DEADLINE: break;
    case HC_CACHE_COUNT: *high = INT64_C(1) << 52; break;
    case HC_CACHE_AMOUNT: *high = INT64_C(1) << 62; break;
    case HC_CACHE_NUMBER: *low = -1; break;
  }
}

/* Members of 32 bits are widened with their sign if they have one; only `status` does. */
static uint64_t value_of(const hc_task_spec *t, unsigned number)
{
  const hc_cache_column *c = &hc_cache_columns[number];
  uint64_t v;
  uint32_t half;
  if (c->size == 8) {
    memcpy(&v, (const char *)t + c->offset, sizeof v);
    return v;
  }
  memcpy(&half, (const char *)t + c->offset, sizeof half);
  return c->offset == offsetof(hc_task_spec, status) ? (uint64_t)(int64_t)(int32_t)half : half;
}

static uint64_t none_of(unsigned number)
{
  const hc_task_spec none = hc_task_spec_none();
  return value_of(&none, number);
}

/* ---- encoding ---- */

/* Whether a number divides all, and then dividing all by it: a division by a constant is a multiplication. */
#define DECIMAL(number) \
  static bool divides_##number(uint64_t *u, size_t n) \
  { \
    for (size_t i = 0; i < n; i++) \
      if (u[i] % number##u != 0) return false; \
    for (size_t i = 0; i < n; i++) u[i] /= number##u; \
    return true; \
  }
DECIMAL(1000000000)
DECIMAL(1000000)
DECIMAL(1000)
DECIMAL(100)
DECIMAL(10)
#undef DECIMAL

/* Divide all values by the largest of a few units that leaves no rest. @return the unit. */
static uint64_t take_unit(uint64_t *u, size_t n, bool time)
{
  uint64_t any = 0;
  unsigned zeros;
  for (size_t i = 0; i < n; i++) any |= u[i];
  if (any == 0) return 1;
  zeros = (unsigned)__builtin_ctzll(any);
  if (time && zeros >= 9 && divides_1000000000(u, n)) return 1000000000;
  if (time && zeros >= 6 && divides_1000000(u, n)) return 1000000;
  if (zeros >= 10) {
    for (size_t i = 0; i < n; i++) u[i] >>= zeros;
    return UINT64_C(1) << zeros;
  }
  if (zeros >= 3 && divides_1000(u, n)) return 1000;
  if (zeros >= 2 && divides_100(u, n)) return 100;
  if (zeros >= 1 && divides_10(u, n)) return 10;
  for (size_t i = 0; zeros > 0 && i < n; i++) u[i] >>= zeros;
  return UINT64_C(1) << zeros;
}

static unsigned varint_size(uint64_t v)
{
  return (unsigned)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

static unsigned width_of(uint64_t most)
{
  return most == 0 ? 0 : most < 0x100 ? 1 : most < 0x10000 ? 2 : most < UINT64_C(0x100000000) ? 4 : 8;
}

/* How `n` values would be coded: base, unit, width, size in bytes. */
typedef struct coding {
  uint64_t base, unit, first;
  size_t size;
  unsigned how, width;
} coding;

/* Values in `u` become multiples of the unit above the base. Signed: the base is the least of them as a
 * signed one. */
static coding squeeze(uint64_t *u, size_t n, bool time, unsigned how)
{
  coding c = {.how = how};
  int64_t least = (int64_t)u[0];
  uint64_t most = 0; /* or above it, with as many bits */
  size_t varints = 0;
  for (size_t i = 1; i < n; i++) least = HC_MIN(least, (int64_t)u[i]);
  c.base = (uint64_t)least;
  for (size_t i = 0; i < n; i++) u[i] -= c.base;
  c.unit = take_unit(u, n, time);
  for (size_t i = 0; i < n; i++) most |= u[i];
  c.width = width_of(most);
  c.size = c.width * n;
  if (c.width <= 1) return (c.how |= PLAIN, c);
  for (size_t i = 0; i < n; i++) varints += varint_size(u[i]);
  if (varints * 3 > c.size * 2) return (c.how |= PLAIN, c);
  c.size = varints;
  c.how |= VARYING;
  return c;
}

static void put_plain(hc_buffer *b, size_t width, const uint64_t *u, size_t n)
{
  uint8_t bytes[8 * 512];
  for (size_t i = 0; i < n;) {
    const size_t count = HC_MIN(n - i, 512);
    for (size_t k = 0; k < count; k++) hc_store_le(bytes + k * width, u[i + k], width);
    hc_buffer_add(b, bytes, count * width);
    i += count;
  }
}

static void put_data(hc_buffer *b, const coding *c, const uint64_t *u, size_t n)
{
  if ((c->how & KINDS) == VARYING) {
    for (size_t i = 0; i < n; i++) hc_cache_put(b, u[i]);
    return;
  }
  switch (c->width) { /* a loop for each width, which the compiler unrolls */
    case 0: break;
    case 1: put_plain(b, 1, u, n); break;
    case 2: put_plain(b, 2, u, n); break;
    case 4: put_plain(b, 4, u, n); break;
    default: put_plain(b, 8, u, n); break;
  }
}

static void put_coding(hc_buffer *b, unsigned number, const coding *c, const uint8_t *holes,
                       const uint64_t *u, size_t n)
{
  const uint8_t head[3] = {(uint8_t)number, (uint8_t)c->how, (uint8_t)c->width};
  hc_buffer_add(b, head, sizeof head);
  hc_cache_put_signed(b, (int64_t)c->base);
  hc_cache_put(b, c->unit);
  if (c->how & STEPS) hc_cache_put_signed(b, (int64_t)c->first);
  if (c->how & HOLES) hc_buffer_add(b, holes, (n + 7) / 8);
  put_data(b, c, u, n);
}

static void put_same(hc_buffer *b, unsigned number, uint64_t v)
{
  const uint8_t head[3] = {(uint8_t)number, SAME, 0};
  hc_buffer_add(b, head, sizeof head);
  hc_cache_put_signed(b, (int64_t)v);
}

/* Mark tasks without a value, and let them have that of a neighbour, which costs nothing. */
static unsigned dig_holes(uint64_t *v, size_t n, uint64_t none, uint8_t *holes)
{
  uint64_t known = none;
  size_t count = 0;
  for (size_t i = 0; i < n && known == none; i++) known = v[i];
  memset(holes, 0, (n + 7) / 8);
  for (size_t i = 0; i < n; i++) {
    if (v[i] != none) {
      known = v[i];
      continue;
    }
    holes[i / 8] |= (uint8_t)(1u << i % 8);
    v[i] = known;
    count++;
  }
  return count > 0 ? HOLES : 0;
}

/* Whether the values grow, so that steps are smaller than they. */
static bool is_rising(const uint64_t *v, size_t n)
{
  size_t down = 0;
  for (size_t i = 1; i < n; i++) down += (int64_t)v[i] < (int64_t)v[i - 1];
  return n > 1 && down == 0 && v[0] != v[n - 1];
}

void hc_cache_encode(hc_buffer *b, unsigned number, size_t n, uint64_t *v)
{
  const uint64_t none = none_of(number);
  uint8_t holes[HC_CACHE_ROWS / 8];
  size_t same = 1;
  unsigned how;
  while (same < n && v[same] == v[0]) same++;
  if (n == 0 || (same == n && v[0] == none)) return;
  if (same == n) {
    put_same(b, number, v[0]);
    return;
  }
  how = dig_holes(v, n, none, holes);
  coding c;
  if (is_rising(v, n)) {
    const uint64_t first = v[0];
    for (size_t i = n; i-- > 1;) v[i] -= v[i - 1];
    v[0] = v[1];
    c = squeeze(v, n, is_time(number), how | STEPS);
    c.first = first - (c.base + c.unit * v[0]);
  } else {
    c = squeeze(v, n, is_time(number), how);
  }
  put_coding(b, number, &c, holes, v, n);
}

#define WORDS (sizeof(hc_task_spec) / sizeof(uint64_t))
_Static_assert(sizeof(hc_task_spec) % sizeof(uint64_t) == 0, "a spec is made of words");

/* A bit for each column in which any of the tasks differs from an empty spec. Whole specs are compared: most
 * columns are empty. */
static uint64_t columns_said(const hc_task_spec *tasks, size_t n)
{
  const hc_task_spec none = hc_task_spec_none();
  uint64_t nothing[WORDS], word[WORDS], other[WORDS] = {0}, said = 0;
  memcpy(nothing, &none, sizeof none);
  for (size_t i = 0; i < n; i++) {
    memcpy(word, &tasks[i], sizeof word);
    for (size_t k = 0; k < WORDS; k++) other[k] |= word[k] ^ nothing[k];
  }
  for (unsigned c = 0; c < HC_COLUMNS; c++) {
    const hc_cache_column *m = &hc_cache_columns[c];
    uint64_t bits = 0;
    memcpy(&bits, (const char *)other + m->offset, m->size); /* any byte that differs will do */
    said |= (uint64_t)(bits != 0) << c;
  }
  return said;
}

void hc_cache_gather(const hc_task_spec *tasks, size_t n, size_t before, uint64_t *said, uint64_t *values)
{
  const uint64_t now = columns_said(tasks, n), both = now | *said;
  for (unsigned c = 0; c < HC_COLUMNS; c++) {
    const hc_cache_column *m = &hc_cache_columns[c];
    const char *from = (const char *)tasks + m->offset;
    uint64_t *to = values + (size_t)c * HC_CACHE_ROWS;
    if (!(both >> c & 1)) continue;
    if (!(*said >> c & 1)) {
      const uint64_t nothing = none_of(c);
      for (size_t i = 0; i < before; i++) to[i] = nothing;
    }
    to += before;
    if (m->size == 8)
      for (size_t i = 0; i < n; i++, from += sizeof *tasks) memcpy(&to[i], from, 8);
    else
      for (size_t i = 0; i < n; i++) to[i] = value_of(&tasks[i], c);
  }
  *said = both;
}

/* ---- decoding ---- */

/* Whether base + unit * u is what it may be for every u of the column's width. */
static bool is_within(const hc_cache_decoder *d)
{
  const int64_t base = (int64_t)d->base;
  int64_t most;
  if (d->low == INT64_MIN && d->high == INT64_MAX) return true;
  if ((d->how & (KINDS | STEPS)) != PLAIN || d->width > 4 || base < d->low || d->unit > INT64_MAX)
    return false;
  return !__builtin_mul_overflow((int64_t)d->unit, ((int64_t)1 << 8 * d->width) - 1, &most) &&
         !__builtin_add_overflow(base, most, &most) && most <= d->high;
}

static bool may_be(const hc_cache_decoder *d, uint64_t v)
{
  return v == d->none || ((int64_t)v >= d->low && (int64_t)v <= d->high);
}

const char *hc_cache_decoder_init(hc_cache_decoder *d, hc_bytes *b, size_t rows)
{
  int64_t base, first = 0;
  unsigned kind;
  size_t size;
  if (b->end - b->p < 3) return "a column that is cut";
  *d = (hc_cache_decoder){.number = b->p[0], .how = b->p[1], .width = b->p[2]};
  b->p += 3;
  if (d->number >= HC_COLUMNS) return "a column that does not exist";
  d->member = hc_cache_columns[d->number].offset;
  d->none = none_of(d->number);
  bounds_of(d->number, &d->low, &d->high);
  kind = d->how & KINDS;
  if (kind > VARYING || d->how > (PLAIN | VARYING | STEPS | HOLES)) return "a column in an unknown code";
  if (!hc_cache_get_signed(b, &base)) return "a column that is cut";
  d->base = (uint64_t)base;
  if (kind == SAME && !may_be(d, d->base)) return "a value that cannot be";
  if (kind == SAME) return d->how == SAME ? NULL : "a column in an unknown code";
  if (!hc_cache_get(b, &d->unit)) return "a column that is cut";
  if ((d->how & STEPS) && !hc_cache_get_signed(b, &first)) return "a column that is cut";
  d->last = (uint64_t)first;
  d->is_checked = is_within(d);
  size = d->how & HOLES ? (rows + 7) / 8 : 0;
  if ((size_t)(b->end - b->p) < size) return "a column that is cut";
  d->holes = b->p;
  d->data = b->p += size;
  d->end = b->end;
  if (kind == VARYING) {
    for (size_t left = rows; left > 0; b->p++) {
      if (b->p == b->end) return "a column that is cut";
      left -= *b->p < 0x80;
    }
    d->end = b->p;
    return NULL;
  }
  if (d->width != 0 && d->width != 1 && d->width != 2 && d->width != 4 && d->width != 8)
    return "a column in an unknown code";
  if ((size_t)(b->end - b->p) < d->width * rows) return "a column that is cut";
  d->end = b->p += d->width * rows;
  return NULL;
}

static inline void put_member(char *tasks, size_t i, uint64_t v)
{
  memcpy(tasks + i * sizeof(hc_task_spec), &v, sizeof v);
}

/* The usual column, straight into the tasks: the width is a constant wherever this is called. */
static inline void plain_direct(hc_cache_decoder *d, const uint8_t *p, size_t width, size_t n, char *tasks)
{
  const uint64_t base = d->base, unit = d->unit;
  if (d->how & STEPS) {
    uint64_t last = d->last;
    for (size_t i = 0; i < n; i++)
      put_member(tasks, i, last += base + unit * hc_load_le(p + i * width, width));
    d->last = last;
  } else {
    for (size_t i = 0; i < n; i++) put_member(tasks, i, base + unit * hc_load_le(p + i * width, width));
  }
}

static void decode_directly(hc_cache_decoder *d, size_t from, size_t n, char *tasks)
{
  switch (d->width) {
    case 0: plain_direct(d, d->data, 0, n, tasks); break;
    case 1: plain_direct(d, d->data + from, 1, n, tasks); break;
    case 2: plain_direct(d, d->data + 2 * from, 2, n, tasks); break;
    case 4: plain_direct(d, d->data + 4 * from, 4, n, tasks); break;
    default: plain_direct(d, d->data + 8 * from, 8, n, tasks); break;
  }
}

static void load_plain(const hc_cache_decoder *d, size_t from, size_t n, uint64_t *u)
{
  for (size_t i = 0; i < n; i++) u[i] = hc_load_le(d->data + (from + i) * d->width, d->width);
}

static bool load_varying(hc_cache_decoder *d, size_t n, uint64_t *u)
{
  hc_bytes b = {d->data, d->end};
  for (size_t i = 0; i < n; i++)
    if (!hc_cache_get(&b, &u[i])) return false;
  d->data = b.p;
  return true;
}

static void store(const hc_cache_decoder *d, size_t n, const uint64_t *v, hc_task_spec *tasks)
{
  char *p = (char *)tasks + d->member;
  if (hc_cache_columns[d->number].size == 8) {
    for (size_t i = 0; i < n; i++, p += sizeof *tasks) memcpy(p, &v[i], 8);
    return;
  }
  for (size_t i = 0; i < n; i++, p += sizeof *tasks) {
    const uint32_t half = (uint32_t)v[i];
    memcpy(p, &half, 4);
  }
}

const char *hc_cache_decode(hc_cache_decoder *d, size_t from, size_t n, hc_task_spec *tasks)
{
  const uint64_t base = d->base, unit = d->unit;
  uint64_t v[HC_CACHE_CHUNK];
  switch (d->how & KINDS) {
    case SAME:
      for (size_t i = 0; i < n; i++) v[i] = base;
      store(d, n, v, tasks);
      return NULL;
    case PLAIN:
      if (d->is_checked && !(d->how & HOLES) && hc_cache_columns[d->number].size == 8) {
        decode_directly(d, from, n, (char *)tasks + d->member);
        return NULL;
      }
      load_plain(d, from, n, v);
      break;
    default:
      if (!load_varying(d, n, v)) return "a varint that is too long";
  }
  if (d->how & STEPS) {
    uint64_t last = d->last;
    for (size_t i = 0; i < n; i++) v[i] = last += base + unit * v[i];
    d->last = last;
  } else {
    for (size_t i = 0; i < n; i++) v[i] = base + unit * v[i];
  }
  if (d->how & HOLES)
    for (size_t i = 0; i < n; i++)
      if (d->holes[(from + i) / 8] >> (from + i) % 8 & 1) v[i] = d->none;
  if (!d->is_checked) {
    bool fine = true;
    for (size_t i = 0; i < n; i++) fine &= may_be(d, v[i]);
    if (!fine) return "a value that cannot be";
  }
  store(d, n, v, tasks);
  return NULL;
}
