/* fragments.c -- what of a host's free GPUs typical tasks cannot use. See fragments.h. */
#include "cluster/fragments.h"

#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"

#define NEEDS_MOST 4096u
#define TABLE (2 * NEEDS_MOST)
#define SHARE_UNIT 1e6 /* popularities that are given become whole numbers of this */

enum { CPU_GPU, ALL };

/* ---- fragments ---- */

uint32_t hc_free_gpus_wanted(const hc_free_gpus *r, int64_t need, int64_t *each)
{
  int64_t n = r->divisible || need <= HC_DEVICE ? 1 : (need + HC_DEVICE - 1) / HC_DEVICE;
  *each = n > 1 ? HC_DEVICE : need;
  return n > HC_DEVICES ? HC_DEVICES + 1 : (uint32_t)n;
}

static int64_t sum_free(const hc_free_gpus *r)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < r->count; i++) sum += r->devices[i];
  return sum;
}

/* What is free of GPUs that have too little for a task, and whether enough have not. */
typedef struct pieces {
  int64_t small;
  bool enough;
} pieces;

static pieces pieces_for(const hc_free_gpus *r, int64_t need)
{
  pieces p = {0, false};
  int64_t each;
  uint32_t wanted = hc_free_gpus_wanted(r, need, &each), large = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    bool is_small = r->devices[i] < each;
    p.small += is_small ? r->devices[i] : 0;
    large += !is_small;
  }
  p.enough = large >= wanted;
  return p;
}

static bool has_the_rest(const hc_free_gpus *r, const hc_typical *m)
{
  for (uint32_t d = 0; d < HC_NEEDS; d++)
    if (d != HC_DIM_GPU && m->need[d] > 0 && m->need[d] > r->free[d]) return false;
  return true;
}

/* Sum over typical tasks of popularity x F(m). Those of equal need of GPUs follow each other and share a
 * look. */
hc_wide hc_fragments(const hc_typicals *self, const hc_free_gpus *r)
{
  hc_wide sum = {0};
  int64_t all = sum_free(r), known = 0;
  pieces p = {0, false};
  for (uint32_t i = 0; i < self->counts.typical && all > 0; i++) {
    const hc_typical *m = &self->typical[i];
    int64_t need = m->need[HC_DIM_GPU];
    if (need > 0 && need != known) p = pieces_for(r, known = need);
    hc_wide_add_product(&sum, (int64_t)m->count, need > 0 && p.enough && has_the_rest(r, m) ? p.small : all);
  }
  return sum;
}

/* ---- learning ---- */

/* More popular first; of equally popular ones the larger, as in the source. */
static bool is_before(const hc_typical *a, const hc_typical *b)
{
  static const uint8_t first[] = {HC_DIM_CPU, HC_DIM_GPU};
  if (a->count != b->count) return a->count > b->count;
  for (size_t i = 0; i < HC_ARRAY_LEN(first); i++)
    if (a->need[first[i]] != b->need[first[i]]) return a->need[first[i]] > b->need[first[i]];
  return memcmp(a->need, b->need, sizeof a->need) > 0;
}

static bool needs_less(const hc_typical *a, const hc_typical *b)
{
  return a->need[HC_DIM_GPU] != b->need[HC_DIM_GPU] ? a->need[HC_DIM_GPU] < b->need[HC_DIM_GPU]
                                                    : is_before(a, b);
}

HC_SORT(sort_by_popularity, hc_typical, is_before(a, b))
HC_SORT(sort_by_gpu, hc_typical, needs_less(a, b))

/* Take the most popular, `step` at a time, until they are enough of all. */
static void choose_typical(hc_typicals *self)
{
  const hc_typical_options *o = self->options;
  uint64_t all = 0, sum = 0;
  uint32_t n = 0, end = 0;
  memcpy(self->typical, self->needs, self->counts.needs * sizeof *self->typical);
  sort_by_popularity(self->typical, self->counts.needs);
  for (uint32_t i = 0; i < self->counts.needs; i++) all += self->typical[i].count;
  while (n < self->counts.needs && (double)sum * 100 < (double)all * (double)o->popularity) {
    end += (uint32_t)o->step;
    for (; n < end && n < self->counts.needs; n++) sum += self->typical[n].count;
  }
  sort_by_gpu(self->typical, n);
  self->counts.typical = n;
  self->weight = sum;
  self->counts.next = self->counts.slots + 1 + self->counts.slots / 8;
}

static uint32_t slot_of(const int64_t *need)
{
  uint64_t x = 0;
  for (uint32_t d = 0; d < HC_NEEDS; d++) {
    x = (x ^ (uint64_t)need[d]) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
  }
  return (uint32_t)(x >> 32) % TABLE;
}

/* The count of a need, which is new if it has not come yet; NULL if there is no room for it. */
static hc_typical *find_need(hc_typicals *self, const int64_t *need)
{
  uint32_t at = slot_of(need);
  for (; self->table[at]; at = (at + 1) % TABLE) {
    hc_typical *s = &self->needs[self->table[at] - 1];
    if (memcmp(s->need, need, sizeof s->need) == 0) return s;
  }
  if (self->counts.needs >= NEEDS_MOST) return NULL;
  self->table[at] = self->counts.needs + 1;
  memcpy(self->needs[self->counts.needs].need, need, sizeof self->needs->need);
  self->needs[self->counts.needs].count = 0;
  return &self->needs[self->counts.needs++];
}

bool hc_typicals_arrived(hc_typicals *self, const int64_t *need, int64_t slots)
{
  const hc_typical_options *o = self->options;
  int64_t known[HC_NEEDS] = {0};
  hc_typical *s;
  if (!self->needs || slots <= 0) return false;
  for (uint32_t d = 0; d < HC_NEEDS; d++)
    if (need[d] > 0 && (o->by == ALL || d == HC_DIM_CPU || d == HC_DIM_GPU)) known[d] = need[d];
  if (known[HC_DIM_GPU] == 0 && !o->cpu_only) return false;
  s = find_need(self, known);
  if (!s) return false;
  s->count += (uint64_t)slots;
  self->counts.slots += (uint64_t)slots;
  if (self->counts.slots < self->counts.next) return false;
  choose_typical(self);
  return true;
}

/* ---- typical tasks that are given: "cores GPUs popularity" ---- */

static bool read_number(const char **s, double *out)
{
  size_t n;
  while (**s == ' ') (*s)++;
  n = strcspn(*s, " ");
  if (n == 0 || hc_parse_real(*s, n, out) < 0 || !(*out >= 0) || *out > 1e9) return false;
  *s += n;
  return true;
}

static hc_rc read_typical(hc_typicals *self, const char *who, hc_error *e)
{
  const char *const *texts = self->options->typical.items;
  for (uint32_t i = 0; i < self->typical_cap; i++) {
    const char *s = texts[i];
    double x[3] = {0, 0, 0};
    bool ok = read_number(&s, &x[0]) && read_number(&s, &x[1]) && read_number(&s, &x[2]);
    while (*s == ' ') s++;
    if (!ok || *s || x[2] * SHARE_UNIT < 1)
      return hc_fail(
          e, HC_EUSAGE, who, 0, 0,
          "typical: \"%.80s\" is no typical task; write cores, GPUs and popularity, such as \"8 0.5 0.2\"",
          texts[i]);
    self->typical[i] = (hc_typical){.count = (uint64_t)(x[2] * SHARE_UNIT)};
    self->typical[i].need[HC_DIM_CPU] = (int64_t)(x[0] * 1000 + 0.5);
    self->typical[i].need[HC_DIM_GPU] = (int64_t)(x[1] * HC_DEVICE + 0.5);
    self->weight += self->typical[i].count;
  }
  self->counts.typical = self->typical_cap;
  sort_by_gpu(self->typical, self->typical_cap);
  return 0;
}

/* ---- birth, state, death ---- */

void hc_typicals_fini(hc_typicals *self)
{
  if (!self->allocator) return;
  hc_free(self->allocator, self->typical, self->typical_cap * sizeof *self->typical);
  hc_free(self->allocator, self->needs, NEEDS_MOST * sizeof *self->needs);
  hc_free(self->allocator, self->table, TABLE * sizeof *self->table);
}

hc_rc hc_typicals_init(hc_typicals *self, const hc_allocator *a, const hc_typical_options *o, const char *who,
                       hc_error *e)
{
  *self = (hc_typicals){.allocator = a, .options = o};
  if (o->typical.count > NEEDS_MOST)
    return hc_fail(e, HC_ELIMIT, who, 0, 0, "typical: %zu tasks; give at most %u", o->typical.count,
                   NEEDS_MOST);
  self->typical_cap = o->typical.count > 0 ? (uint32_t)o->typical.count : NEEDS_MOST;
  self->typical = hc_alloc(a, self->typical_cap * sizeof *self->typical);
  if (o->typical.count == 0) {
    self->needs = hc_alloc(a, NEEDS_MOST * sizeof *self->needs);
    self->table = hc_alloc(a, TABLE * sizeof *self->table);
  }
  if (!self->typical || (o->typical.count == 0 && (!self->needs || !self->table)))
    return hc_fail(e, HC_ENOMEM, who, 0, 0, "no memory for the typical tasks");
  return o->typical.count > 0 ? read_typical(self, who, e) : 0;
}

hc_rc hc_typicals_visit(hc_typicals *self, hc_visitor *v)
{
  hc_typical_counts *c = &self->counts;
  if (!self->needs) return 0;
  HC_VISIT(v, *c);
  if (c->needs > NEEDS_MOST || c->typical > c->needs) return HC_EINPUT;
  TRY(hc_visit_bytes(v, self->needs, c->needs * sizeof *self->needs));
  TRY(hc_visit_bytes(v, self->typical, c->typical * sizeof *self->typical));
  if (!hc_visit_loading(v)) return 0;
  memset(self->table, 0, TABLE * sizeof *self->table);
  for (uint32_t i = 0; i < c->needs; i++) {
    uint32_t at = slot_of(self->needs[i].need);
    while (self->table[at]) at = (at + 1) % TABLE;
    self->table[at] = i + 1;
  }
  self->weight = 0;
  for (uint32_t i = 0; i < c->typical; i++) self->weight += self->typical[i].count;
  return 0;
}
