/* fgd.c -- fragmentation gradient descent: the host, and the GPU, where free GPUs stay most useful.
 *
 * What is free of a host's GPUs is a fragment for a task that could not use it. With typical tasks m of
 * popularity p_m, the fragment of a host is F = sum of p_m F(m), where F(m) is everything that is free of its
 * GPUs if m needs none or cannot run there, and else what is free of those GPUs that have too little for m.
 * Score: F before - F after, in thousandths of a GPU. The source's score is 100 / (1 + e^-(that / 1000)), cut
 * to whole numbers: the same order, but for ties that the cut makes. A part of a GPU is tried on every GPU of
 * the host; the best is its score, and the one that it gets.
 *
 * Typical tasks are given, or learned: slots of equal need are counted as tasks arrive, and the most popular
 * are taken, `step` more at a time, until they are `popularity` of all. The list is made anew when an eighth
 * more slots have arrived. At most 4096 different needs are counted, those that came first. The source knows
 * the whole workload beforehand, and which models of GPU a task accepts; a placement knows neither.
 *
 * Popularities are whole numbers, so scores are exact. F falls by no more than what the task takes of GPUs:
 * what it takes was a fragment, or was not, and what is left becomes one or stays what it was. That is the
 * bound: 0 for a task without GPUs, its need for others.
 *
 * Cost: typical tasks x different GPUs of the host x GPUs, a score; 600 KiB of state if it learns. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "policy/placing.h"

#define NEEDS_MOST 4096u
#define TABLE (2 * NEEDS_MOST)
#define SHARE_UNIT 1e6 /* popularities that are given become whole numbers of this */

enum { CPU_GPU, ALL };

typedef struct options {
  int64_t popularity, step;
  bool cpu_only;
  int by;
  hc_list typical; /* const char * */
} options;

typedef struct spec {
  int64_t need[HC_DIMENSIONS];
  uint64_t count;
} spec;

/* The part that is saved, with the needs counted, and the typical ones with the counts that they had when
 * they were chosen. */
typedef struct counts {
  uint64_t slots, next; /* that arrived; when to look again */
  uint32_t needs, typical;
} counts;

struct hc_policy {
  const hc_allocator *allocator;
  const options *options;
  counts counts;
  spec *typical; /* [typical_cap], by need of GPUs */
  uint32_t typical_cap;
  uint64_t weight; /* sum of their counts */
  /* NULL if they are given: */
  spec *needs;     /* [NEEDS_MOST] in order of arrival */
  uint32_t *table; /* [TABLE] index + 1 by hash */
};

/* ---- what is free ---- */

typedef struct room {
  int64_t free[HC_DIMENSIONS]; /* by the lexicon's number */
  int64_t devices[HC_DEVICES]; /* one for all if the host's GPUs are divisible at will */
  uint32_t count;
  bool divisible;
} room;

static void read_room(const hc_host_view *h, room *r)
{
  memset(r, 0, sizeof *r);
  for (uint32_t d = 0; d < h->dimensions; d++) r->free[h->which[d]] = h->free[d];
  r->count = HC_MIN(h->device_count, (uint32_t)HC_DEVICES);
  r->divisible = r->count == 0 && r->free[HC_DIM_GPU] > 0;
  if (r->divisible) r->count = 1;
  for (uint32_t i = 0; i < r->count; i++) r->devices[i] = r->divisible ? r->free[HC_DIM_GPU] : h->devices[i];
}

/* How many GPUs a need is made of, and how much of each. */
static uint32_t gpus_of(const room *r, int64_t need, int64_t *each)
{
  int64_t n = r->divisible || need <= HC_DEVICE ? 1 : (need + HC_DEVICE - 1) / HC_DEVICE;
  *each = n > 1 ? HC_DEVICE : need;
  return n > HC_DEVICES ? HC_DEVICES + 1 : (uint32_t)n;
}

static int64_t sum_free(const room *r)
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

static pieces pieces_for(const room *r, int64_t need)
{
  pieces p = {0, false};
  int64_t each;
  uint32_t wanted = gpus_of(r, need, &each), large = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    bool is_small = r->devices[i] < each;
    p.small += is_small ? r->devices[i] : 0;
    large += !is_small;
  }
  p.enough = large >= wanted;
  return p;
}

static bool has_the_rest(const room *r, const spec *m)
{
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++)
    if (d != HC_DIM_GPU && m->need[d] > 0 && m->need[d] > r->free[d]) return false;
  return true;
}

/* Sum over typical tasks of popularity x F(m). Those of equal need of GPUs follow each other and share a
 * look. */
static hc_wide fragments(const hc_policy *self, const room *r)
{
  hc_wide sum = {0};
  int64_t all = sum_free(r), known = 0;
  pieces p = {0, false};
  for (uint32_t i = 0; i < self->counts.typical && all > 0; i++) {
    const spec *m = &self->typical[i];
    int64_t need = m->need[HC_DIM_GPU];
    if (need > 0 && need != known) p = pieces_for(r, known = need);
    hc_wide_add_product(&sum, (int64_t)m->count, need > 0 && p.enough && has_the_rest(r, m) ? p.small : all);
  }
  return sum;
}

/* ---- the choice ---- */

/* F before - F after, over all typical tasks, and which GPUs that takes. */
static hc_wide fall(const hc_policy *self, const hc_host_view *h, int64_t need, uint32_t *taken)
{
  hc_wide before, best = {0};
  int64_t each = 0;
  uint32_t wanted, found = 0;
  room r;
  read_room(h, &r);
  before = fragments(self, &r);
  for (uint32_t d = 0; d < h->dimensions; d++) r.free[h->which[d]] -= h->need[d];
  *taken = 0;
  wanted = need > 0 ? gpus_of(&r, need, &each) : 0;
  if (wanted != 1 || each == HC_DEVICE) {
    for (uint32_t i = 0; i < r.count && found < wanted; i++) {
      if (r.devices[i] < each) continue;
      r.devices[i] -= each;
      *taken |= 1u << i;
      found++;
    }
    return hc_wide_minus(before, fragments(self, &r));
  }
  for (uint32_t i = 0; i < r.count; i++) {
    bool is_like_another = false;
    hc_wide change;
    for (uint32_t k = 0; k < i; k++) is_like_another |= r.devices[k] == r.devices[i];
    if (r.devices[i] < each || is_like_another) continue;
    r.devices[i] -= each;
    change = hc_wide_minus(before, fragments(self, &r));
    r.devices[i] += each;
    if (*taken && hc_wide_load(change) <= hc_wide_load(best)) continue;
    best = change;
    *taken = 1u << i;
  }
  return best;
}

static int64_t gpu_need(const uint8_t *which, const int64_t *need, uint32_t n)
{
  for (uint32_t d = 0; d < n; d++)
    if (which[d] == HC_DIM_GPU) return need[d];
  return 0;
}

static double score(void *state, const hc_host_view *h)
{
  const hc_policy *self = state;
  uint32_t taken;
  if (self->weight == 0) return 0;
  return hc_wide_real(fall(self, h, gpu_need(h->which, h->need, h->dimensions), &taken)) /
         (double)self->weight;
}

static double bound(void *state, const hc_host_box *b)
{
  const hc_policy *self = state;
  int64_t need = gpu_need(b->which, b->need, b->dimensions);
  if (self->weight == 0 || need <= 0) return 0;
  return hc_wide_real(hc_wide_product((int64_t)self->weight, need)) / (double)self->weight;
}

static uint32_t devices(void *state, const hc_host_view *h, int64_t amount)
{
  uint32_t taken;
  (void)fall(state, h, amount, &taken);
  return h->device_count > 0 ? taken : 0;
}

static void chooser(const void *opts, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(opts);
  *out =
      (hc_chooser){.how = HC_CHOOSE_BEST, .self = self, .score = score, .bound = bound, .devices = devices};
}

/* ---- learning ---- */

/* More popular first; of equally popular ones the larger, as in the source. */
static bool is_before(const spec *a, const spec *b)
{
  static const uint8_t first[] = {HC_DIM_CPU, HC_DIM_GPU};
  if (a->count != b->count) return a->count > b->count;
  for (size_t i = 0; i < HC_ARRAY_LEN(first); i++)
    if (a->need[first[i]] != b->need[first[i]]) return a->need[first[i]] > b->need[first[i]];
  return memcmp(a->need, b->need, sizeof a->need) > 0;
}

static bool needs_less(const spec *a, const spec *b)
{
  return a->need[HC_DIM_GPU] != b->need[HC_DIM_GPU] ? a->need[HC_DIM_GPU] < b->need[HC_DIM_GPU]
                                                    : is_before(a, b);
}

typedef bool (*before)(const spec *a, const spec *b);

/* Sift the spec at `at` down a heap whose root is the last in order. */
static void sift(spec *s, uint32_t at, uint32_t n, before is)
{
  for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
    spec kept;
    if (child + 1 < n && is(&s[child], &s[child + 1])) child++;
    if (!is(&s[at], &s[child])) return;
    kept = s[at];
    s[at] = s[child];
    s[child] = kept;
  }
}

static void sort(spec *s, uint32_t n, before is)
{
  for (uint32_t i = n / 2; i-- > 0;) sift(s, i, n, is);
  for (uint32_t i = n; i-- > 1;) {
    spec last = s[0];
    s[0] = s[i];
    s[i] = last;
    sift(s, 0, i, is);
  }
}

/* Take the most popular, `step` at a time, until they are enough of all. */
static void choose_typical(hc_policy *self)
{
  const options *o = self->options;
  uint64_t all = 0, sum = 0;
  uint32_t n = 0, end = 0;
  memcpy(self->typical, self->needs, self->counts.needs * sizeof *self->typical);
  sort(self->typical, self->counts.needs, is_before);
  for (uint32_t i = 0; i < self->counts.needs; i++) all += self->typical[i].count;
  while (n < self->counts.needs && (double)sum * 100 < (double)all * (double)o->popularity) {
    end += (uint32_t)o->step;
    for (; n < end && n < self->counts.needs; n++) sum += self->typical[n].count;
  }
  sort(self->typical, n, needs_less);
  self->counts.typical = n;
  self->weight = sum;
  self->counts.next = self->counts.slots + 1 + self->counts.slots / 8;
}

static uint32_t place_of(const int64_t *need)
{
  uint64_t x = 0;
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
    x = (x ^ (uint64_t)need[d]) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
  }
  return (uint32_t)(x >> 32) % TABLE;
}

/* The count of a need, which is new if it has not come yet; NULL if there is no room for it. */
static spec *find_need(hc_policy *self, const int64_t *need)
{
  uint32_t at = place_of(need);
  for (; self->table[at]; at = (at + 1) % TABLE) {
    spec *s = &self->needs[self->table[at] - 1];
    if (memcmp(s->need, need, sizeof s->need) == 0) return s;
  }
  if (self->counts.needs >= NEEDS_MOST) return NULL;
  self->table[at] = self->counts.needs + 1;
  memcpy(self->needs[self->counts.needs].need, need, sizeof self->needs->need);
  self->needs[self->counts.needs].count = 0;
  return &self->needs[self->counts.needs++];
}

static void arrived(hc_policy *self, const int64_t *need, int64_t slots)
{
  const options *o = self->options;
  int64_t known[HC_DIMENSIONS] = {0};
  spec *s;
  if (!self->needs || slots <= 0) return;
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++)
    if (need[d] > 0 && (o->by == ALL || d == HC_DIM_CPU || d == HC_DIM_GPU)) known[d] = need[d];
  if (known[HC_DIM_GPU] == 0 && !o->cpu_only) return;
  s = find_need(self, known);
  if (!s) return;
  s->count += (uint64_t)slots;
  self->counts.slots += (uint64_t)slots;
  if (self->counts.slots >= self->counts.next) choose_typical(self);
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

static hc_rc read_typical(hc_policy *self, hc_error *e)
{
  const char *const *texts = self->options->typical.items;
  for (uint32_t i = 0; i < self->typical_cap; i++) {
    const char *s = texts[i];
    double x[3] = {0, 0, 0};
    bool ok = read_number(&s, &x[0]) && read_number(&s, &x[1]) && read_number(&s, &x[2]);
    while (*s == ' ') s++;
    if (!ok || *s || x[2] * SHARE_UNIT < 1)
      return hc_fail(
          e, HC_EUSAGE, "place fgd", 0, 0,
          "typical: \"%.80s\" is no typical task; write cores, GPUs and popularity, such as \"8 0.5 0.2\"",
          texts[i]);
    self->typical[i] = (spec){.count = (uint64_t)(x[2] * SHARE_UNIT)};
    self->typical[i].need[HC_DIM_CPU] = (int64_t)(x[0] * 1000 + 0.5);
    self->typical[i].need[HC_DIM_GPU] = (int64_t)(x[1] * HC_DEVICE + 0.5);
    self->weight += self->typical[i].count;
  }
  self->counts.typical = self->typical_cap;
  sort(self->typical, self->typical_cap, needs_less);
  return 0;
}

/* ---- birth, state, death ---- */

static void fini(hc_policy *self)
{
  if (!self) return;
  hc_free(self->allocator, self->typical, self->typical_cap * sizeof *self->typical);
  hc_free(self->allocator, self->needs, NEEDS_MOST * sizeof *self->needs);
  hc_free(self->allocator, self->table, TABLE * sizeof *self->table);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  hc_rc rc = 0;
  if (!self) return hc_fail(e, HC_ENOMEM, "place fgd", 0, 0, "no memory for the typical tasks");
  self->allocator = c->allocator;
  self->options = o;
  if (o->typical.count > NEEDS_MOST) {
    rc = hc_fail(e, HC_ELIMIT, "place fgd", 0, 0, "typical: %zu tasks; give at most %u", o->typical.count,
                 NEEDS_MOST);
    goto fail;
  }
  self->typical_cap = o->typical.count > 0 ? (uint32_t)o->typical.count : NEEDS_MOST;
  self->typical = hc_alloc(c->allocator, self->typical_cap * sizeof *self->typical);
  if (o->typical.count == 0) {
    self->needs = hc_alloc(c->allocator, NEEDS_MOST * sizeof *self->needs);
    self->table = hc_alloc(c->allocator, TABLE * sizeof *self->table);
  }
  if (!self->typical || (o->typical.count == 0 && (!self->needs || !self->table)))
    rc = hc_fail(e, HC_ENOMEM, "place fgd", 0, 0, "no memory for the typical tasks");
  else if (o->typical.count > 0) rc = read_typical(self, e);
  if (rc < 0) goto fail;
  *out = self;
  return 0;
fail:
  fini(self);
  return rc;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  counts *c = &self->counts;
  if (!self->needs) return 0;
  HC_VISIT(v, *c);
  if (c->needs > NEEDS_MOST || c->typical > c->needs) return HC_EINPUT;
  TRY(hc_visit_bytes(v, self->needs, c->needs * sizeof *self->needs));
  TRY(hc_visit_bytes(v, self->typical, c->typical * sizeof *self->typical));
  if (!hc_visit_loading(v)) return 0;
  memset(self->table, 0, TABLE * sizeof *self->table);
  for (uint32_t i = 0; i < c->needs; i++) {
    uint32_t at = place_of(self->needs[i].need);
    while (self->table[at]) at = (at + 1) % TABLE;
    self->table[at] = i + 1;
  }
  self->weight = 0;
  for (uint32_t i = 0; i < c->typical; i++) self->weight += self->typical[i].count;
  return 0;
}

static const hc_param params[] = {
    {.name = "popularity",
     .type = HC_INT,
     .unit = "%",
     .fallback = "60",
     .min = 1,
     .max = 100,
     .offset = offsetof(options, popularity),
     .help =
         "The most popular tasks are typical until they are this part of all. The source's experiments take "
         "95."},
    {.name = "step",
     .type = HC_INT,
     .unit = "tasks",
     .fallback = "10",
     .min = 1,
     .max = 4096,
     .offset = offsetof(options, step),
     .help = "So many are taken at a time. The source's experiments take 1."},
    {.name = "cpu_only",
     .type = HC_BOOL,
     .fallback = "true",
     .offset = offsetof(options, cpu_only),
     .help = "Tasks without GPUs are counted too: to them all that is free of GPUs is a fragment."},
    {.name = "by",
     .type = HC_CHOICE,
     .choices = "cpu_gpu|all",
     .fallback = "cpu_gpu",
     .offset = offsetof(options, by),
     .help = "Which dimensions make a typical task, and may be lacking on a host: cores and GPUs, as in the "
             "source, or all of them."},
    {.name = "typical",
     .type = HC_TEXT,
     .list = true,
     .offset = offsetof(options, typical),
     .help =
         "Typical tasks, in place of learning them: each \"CORES GPUS POPULARITY\", such as \"8 0.5 0.2\". "
         "Popularities are relative to each other."},
    {.name = NULL}};

const hc_place_type hc_place_fgd = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "fgd",
         .summary = "fragmentation gradient descent: the host and GPU where free GPUs stay most useful",
         .detail =
             "Score of a host: F before - F after the task, in thousandths of a GPU. F = sum over typical "
             "tasks m of popularity x F(m); F(m) is all that is free of the host's GPUs if m needs none or "
             "cannot run there, else what is free of those GPUs that have too little for m. A part of a GPU "
             "goes to the GPU with the best score. Typical tasks are learned from the arrivals so far, "
             "unless they are given; the source knows the whole workload, and the GPU models that a task "
             "accepts. The source's sigmoid orders in the same way, but it cuts scores to whole "
             "numbers." HC_LOWEST_TEXT,
         .source =
             "Weng et al., Beware of fragmentation: scheduling GPU-sharing workloads with fragmentation "
             "gradient descent, USENIX ATC 2023",
         .params = params, .options_size = sizeof(options)},
    .place = hc_place_lowest,
    .chooser = chooser,
    .init = init,
    .arrived = arrived,
    .visit = visit,
    .fini = fini,
};
