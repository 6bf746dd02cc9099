/* cache_format.c -- numbers, texts, names and rare facts of a cached trace. See cache_format.h.
 *
 * Reading trusts nothing: counts are bounded by the bytes that are left, names by the names that were read,
 * and what does not fit is told as the damage that it is. */
#include "workload/cache_format.h"
#include "workload/spec.h"

#define MOST_ITEMS ((size_t)1 << 20) /* of one list of a rare fact: as the lexicon has it */

/* ---- numbers and texts ---- */

void hc_cache_put(hc_buffer *b, uint64_t v)
{
  uint8_t bytes[10];
  size_t n = 0;
  for (; v >= 0x80; v >>= 7) bytes[n++] = (uint8_t)(v | 0x80);
  bytes[n++] = (uint8_t)v;
  hc_buffer_add(b, bytes, n);
}

void hc_cache_put_signed(hc_buffer *b, int64_t v)
{
  hc_cache_put(b, hc_fold(v));
}

void hc_cache_put_text(hc_buffer *b, const char *s, size_t n)
{
  hc_cache_put(b, s ? n + 1 : 0);
  if (s && n > 0) hc_buffer_add(b, s, n);
}

void hc_cache_put_fixed(hc_buffer *b, uint64_t v, size_t size)
{
  uint8_t bytes[8];
  hc_store_le(bytes, v, size);
  hc_buffer_add(b, bytes, size);
}

bool hc_cache_get(hc_bytes *b, uint64_t *v)
{
  uint64_t sum = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (b->p == b->end) return false;
    const uint8_t byte = *b->p++;
    sum |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *v = sum;
      return true;
    }
  }
  return false;
}

bool hc_cache_get_signed(hc_bytes *b, int64_t *v)
{
  uint64_t folded;
  if (!hc_cache_get(b, &folded)) return false;
  *v = hc_unfold(folded);
  return true;
}

bool hc_cache_get_text(hc_bytes *b, const char **s, size_t *n)
{
  uint64_t size;
  *s = NULL;
  *n = 0;
  if (!hc_cache_get(b, &size)) return false;
  if (size == 0) return true;
  if (size - 1 > (uint64_t)(b->end - b->p)) return false;
  *s = (const char *)b->p;
  *n = (size_t)size - 1;
  b->p += *n;
  return true;
}

/* A count of things of at least one byte each. */
static bool get_count(hc_bytes *b, size_t *n)
{
  uint64_t count;
  if (!hc_cache_get(b, &count) || count > (uint64_t)(b->end - b->p)) return false;
  *n = (size_t)count;
  return true;
}

static bool get_half(hc_bytes *b, uint32_t *v)
{
  uint64_t whole;
  if (!hc_cache_get(b, &whole) || whole > UINT32_MAX) return false;
  *v = (uint32_t)whole;
  return true;
}

/* ---- the head ---- */

static void put_string(hc_buffer *b, const char *s)
{
  hc_cache_put_text(b, s, s ? strlen(s) : 0);
}

void hc_cache_put_info(hc_buffer *b, const hc_trace_info *i)
{
  hc_cache_put_signed(b, i->processors);
  hc_cache_put_signed(b, i->nodes);
  hc_cache_put_signed(b, i->unix_start);
  hc_cache_put_signed(b, i->jobs);
  hc_cache_put_signed(b, i->records);
  put_string(b, i->zone);
  put_string(b, i->computer);
  put_string(b, i->installation);
  put_string(b, i->acknowledge);
  put_string(b, i->header);
  put_string(b, i->derived);
}

static hc_rc get_string(hc_bytes *b, hc_arena *texts, const char **out)
{
  const char *s;
  size_t n;
  *out = NULL;
  if (!hc_cache_get_text(b, &s, &n) || (n > 0 && memchr(s, '\0', n))) return 0;
  if (!s) return 1;
  *out = hc_arena_text(texts, s, n);
  return *out ? 1 : HC_ENOMEM;
}

hc_rc hc_cache_get_info(hc_bytes *b, hc_arena *texts, hc_trace_info *i)
{
  const char **const members[] = {&i->zone,        &i->computer, &i->installation,
                                  &i->acknowledge, &i->header,   &i->derived};
  *i = (hc_trace_info){0};
  if (!hc_cache_get_signed(b, &i->processors) || !hc_cache_get_signed(b, &i->nodes) ||
      !hc_cache_get_signed(b, &i->unix_start) || !hc_cache_get_signed(b, &i->jobs) ||
      !hc_cache_get_signed(b, &i->records))
    return 0;
  for (size_t k = 0; k < HC_ARRAY_LEN(members); k++) {
    const hc_rc rc = get_string(b, texts, members[k]);
    if (rc != 1) return rc;
  }
  return 1;
}

/* ---- names ---- */

void hc_cache_names_init(hc_cache_names *n, const hc_allocator *a, hc_lexicon *l)
{
  *n = (hc_cache_names){.allocator = a, .lexicon = l, .dimensions = HC_DIM_OTHER};
  for (int d = 0; d < HC_DIMENSIONS; d++) n->dimension[d] = d < HC_DIM_OTHER ? (uint8_t)d : UINT8_MAX;
}

void hc_cache_names_fini(hc_cache_names *n)
{
  hc_free(n->allocator, n->map, n->cap * sizeof *n->map);
}

uint32_t hc_cache_name(hc_cache_names *n, hc_buffer *fresh, uint32_t *fresh_count, uint32_t name)
{
  const char *text;
  if (name == HC_NO_NAME) return 0;
  if (name >= n->count) {
    const size_t was = n->count;
    if (hc_reserve(n->allocator, (void **)&n->map, &n->cap, (size_t)name + 1, sizeof *n->map) < 0) {
      fresh->failed = true;
      return 0;
    }
    n->count = (size_t)name + 1;
    memset(n->map + was, 0, (n->count - was) * sizeof *n->map);
  }
  if (n->map[name] == 0) {
    text = hc_lexicon_text(n->lexicon, name);
    hc_cache_put_text(fresh, text, strlen(text));
    ++*fresh_count;
    n->map[name] = ++n->names;
  }
  return n->map[name];
}

/* Those with columns of their own get the first numbers of the file, which are as many as there are
 * columns. */
uint32_t hc_cache_dimension(hc_cache_names *n, hc_buffer *fresh, uint32_t *fresh_count, uint32_t d)
{
  for (uint32_t k = HC_DIM_OTHER; d >= HC_NEEDS && k < HC_NEEDS; k++)
    (void)hc_cache_dimension(n, fresh, fresh_count, k);
  if (n->dimension[d] == UINT8_MAX) {
    const char *text = hc_lexicon_dimension_name(n->lexicon, d);
    if (!text) text = "?";
    hc_cache_put_text(fresh, text, strlen(text));
    ++*fresh_count;
    n->dimension[d] = (uint8_t)n->dimensions++;
  }
  return n->dimension[d];
}

static const char *read_dimension(hc_cache_names *n, hc_bytes *b)
{
  const char *text;
  size_t size;
  int d;
  if (n->dimensions >= HC_DIMENSIONS) return "more dimensions than there can be";
  if (!hc_cache_get_text(b, &text, &size) || !text || size == 0 || memchr(text, '\0', size))
    return "a name that is cut";
  d = hc_lexicon_dimension(n->lexicon, text, size);
  if (d < 0) return "a dimension for which this run has no room";
  n->dimension[n->dimensions++] = (uint8_t)d;
  return NULL;
}

const char *hc_cache_read_names(hc_cache_names *n, hc_bytes *b, hc_rc *rc)
{
  size_t count;
  *rc = 0;
  if (!get_count(b, &count)) return "a name that is cut";
  for (; count > 0; count--) {
    const char *text;
    size_t size;
    uint32_t name;
    if (!hc_cache_get_text(b, &text, &size) || !text || (size > 0 && memchr(text, '\0', size)))
      return "a name that is cut";
    name = hc_lexicon_name(n->lexicon, text, size);
    if (name == HC_NO_NAME ||
        hc_reserve(n->allocator, (void **)&n->map, &n->cap, n->count + 1, sizeof *n->map) < 0) {
      *rc = HC_ENOMEM;
      return "out of memory for names";
    }
    n->map[n->count++] = name;
  }
  if (!get_count(b, &count)) return "a name that is cut";
  for (; count > 0; count--) {
    const char *wrong = read_dimension(n, b);
    if (wrong) return wrong;
  }
  return NULL;
}

/* ---- rare facts ---- */

static void put_name(hc_buffer *b, uint32_t name, hc_cache_names *names, hc_cache_fresh *fresh)
{
  hc_cache_put(b, hc_cache_name(names, &fresh->names, &fresh->name_count, name));
}

/* A vector: how many amounts are said, then which and how much. */
static void put_need(hc_buffer *b, const int64_t *need, uint32_t count, hc_cache_names *names,
                     hc_cache_fresh *fresh)
{
  uint64_t said = 0;
  for (uint32_t d = 0; d < count; d++) said += need[d] != HC_UNKNOWN;
  hc_cache_put(b, said);
  for (uint32_t d = 0; d < count; d++) {
    if (need[d] == HC_UNKNOWN) continue;
    hc_cache_put(b, hc_cache_dimension(names, &fresh->dimensions, &fresh->dimension_count, d));
    hc_cache_put_signed(b, need[d]);
  }
}

static void put_items(hc_buffer *b, const hc_data_item *items, size_t count)
{
  hc_cache_put(b, count);
  for (size_t i = 0; i < count; i++) {
    hc_cache_put_signed(b, items[i].name);
    hc_cache_put_signed(b, items[i].bytes);
  }
}

static void put_sizes(hc_buffer *b, const hc_task_extras *m)
{
  hc_cache_put(b, m->preferred);
  hc_cache_put(b, m->size_count);
  for (size_t i = 0; i < m->size_count; i++) {
    const hc_task_size *s = &m->sizes[i];
    uint64_t speed;
    memcpy(&speed, &s->speed, sizeof speed);
    hc_cache_put(b, s->size);
    hc_cache_put(b, speed);
    hc_cache_put_signed(b, s->run);
    hc_cache_put_signed(b, s->limit);
    hc_cache_put_signed(b, s->estimate);
  }
}

/* What came later: where no more follows, nothing does, as in caches from before there was any. */
static void put_later(hc_buffer *b, const hc_task_extras *m, hc_cache_names *names, hc_cache_fresh *fresh)
{
  const bool has_data = m->input_count + m->output_count > 0;
  const bool has_sizes = m->size_count > 0 || m->preferred > 0; /* and `changes` with them */
  const bool has_terms =
      hc_task_has_terms(m) || m->set_count > 0 || m->again != HC_AGAIN_UNSAID || m->changes > 0 || has_sizes;
  const bool has_hosts = m->least_hosts + m->most_hosts + m->at_once > 0 || has_terms;
  const bool has_cores = m->most_cpu > 0 || m->executor_count > 0 || has_hosts;
  const bool has_prefers = m->prefer_count > 0 || has_data || has_cores,
             has_further = m->further_count > 0 || has_prefers;
  if (m->resize_count == 0 && m->of == 0 && !has_further) return;
  hc_cache_put(b, m->resize_count);
  for (size_t i = 0; i < m->resize_count; i++) {
    hc_cache_put_signed(b, m->resizes[i].after);
    put_need(b, m->resizes[i].need, HC_NEEDS, names, fresh);
  }
  if (m->of == 0 && !has_further) return;
  hc_cache_put(b, m->least);
  hc_cache_put(b, m->of);
  hc_cache_put(b, m->most);
  if (!has_further) return;
  hc_cache_put(b, m->further_count);
  for (size_t i = 0; i < m->further_count; i++) {
    const uint32_t d = m->further[i].dimension;
    hc_cache_put(b, hc_cache_dimension(names, &fresh->dimensions, &fresh->dimension_count, d));
    hc_cache_put_signed(b, m->further[i].amount);
  }
  if (!has_prefers) return;
  hc_cache_put(b, m->prefer_count);
  for (size_t i = 0; i < m->prefer_count; i++) put_name(b, m->prefers[i], names, fresh);
  if (!has_data && !has_cores) return;
  put_items(b, m->inputs, m->input_count);
  put_items(b, m->outputs, m->output_count);
  if (!has_cores) return;
  hc_cache_put_signed(b, m->least_cpu);
  hc_cache_put_signed(b, m->most_cpu);
  if (m->executor_count == 0 && !has_hosts) return;
  hc_cache_put(b, m->executor_count);
  for (size_t i = 0; i < m->executor_count; i++) hc_cache_put(b, m->executors[i]);
  if (!has_hosts) return;
  hc_cache_put(b, m->least_hosts);
  hc_cache_put(b, m->most_hosts);
  if (m->at_once > 0 || has_terms) hc_cache_put(b, m->at_once);
  if (!has_terms) return;
  put_name(b, m->reservation, names, fresh);
  hc_cache_put(b, m->switches);
  hc_cache_put_signed(b, m->switch_wait);
  hc_cache_put_signed(b, m->least_limit);
  hc_cache_put(b, m->set_count);
  for (size_t i = 0; i < m->set_count; i++) put_name(b, m->sets[i], names, fresh);
  if (m->exclusive + m->component + m->again + m->changes == 0 && !has_sizes) return;
  hc_cache_put(b, m->exclusive);
  hc_cache_put(b, m->component);
  if (m->again != HC_AGAIN_UNSAID || m->changes > 0 || has_sizes) hc_cache_put(b, m->again);
  if (m->changes > 0 || has_sizes) hc_cache_put(b, m->changes);
  if (has_sizes) put_sizes(b, m);
}

void hc_cache_put_more(hc_buffer *b, const hc_task_extras *m, hc_cache_names *names, hc_cache_fresh *fresh)
{
  hc_cache_put(b, m->after_count);
  for (size_t i = 0; i < m->after_count; i++) {
    hc_cache_put_signed(b, m->after[i].job);
    hc_cache_put_signed(b, m->after[i].task);
    hc_cache_put(b, m->after[i].how);
  }
  hc_cache_put(b, m->constraint_count);
  for (size_t i = 0; i < m->constraint_count; i++) {
    const hc_constraint *c = &m->constraints[i];
    put_name(b, c->attribute, names, fresh);
    hc_cache_put(b, c->compare);
    hc_cache_put(b, c->group);
    hc_cache_put(b, c->is_text);
    if (c->is_text) put_name(b, (uint32_t)c->value, names, fresh);
    else hc_cache_put_signed(b, c->value);
  }
  hc_cache_put(b, m->host_count);
  for (size_t i = 0; i < m->host_count; i++) put_name(b, m->hosts[i], names, fresh);
  hc_cache_put(b, m->chunk_count);
  for (size_t i = 0; i < m->chunk_count; i++) {
    hc_cache_put(b, m->chunks[i].hosts);
    put_need(b, m->chunks[i].need, HC_DIMENSIONS, names, fresh);
  }
  put_name(b, m->set, names, fresh);
  put_name(b, m->same, names, fresh);
  put_name(b, m->differ, names, fresh);
  put_name(b, m->zone_level, names, fresh);
  hc_cache_put(b, m->per_host);
  hc_cache_put(b, m->per_zone);
  hc_cache_put_signed(b, m->rival);
  hc_cache_put(b, m->use_count);
  for (size_t i = 0; i < m->use_count; i++) {
    hc_cache_put_signed(b, m->uses[i].until);
    hc_cache_put_signed(b, m->uses[i].cpu);
    hc_cache_put_signed(b, m->uses[i].memory);
  }
  put_later(b, m, names, fresh);
}

static bool get_name(hc_bytes *b, const hc_cache_names *names, uint32_t *out)
{
  uint64_t n;
  if (!hc_cache_get(b, &n) || n > names->count) return false;
  *out = n == 0 ? HC_NO_NAME : names->map[n - 1];
  return true;
}

/* @param need [HC_DIMENSIONS] by the numbers of this run */
static bool get_need(hc_bytes *b, const hc_cache_names *names, int64_t *need)
{
  size_t count;
  for (int d = 0; d < HC_DIMENSIONS; d++) need[d] = HC_UNKNOWN;
  if (!get_count(b, &count)) return false;
  for (; count > 0; count--) {
    uint64_t d;
    int64_t amount;
    if (!hc_cache_get(b, &d) || d >= names->dimensions || !hc_cache_get_signed(b, &amount) || amount < 0)
      return false;
    need[names->dimension[d]] = amount;
  }
  return true;
}

static bool get_after(hc_bytes *b, hc_after *a)
{
  return hc_cache_get_signed(b, &a->job) && hc_cache_get_signed(b, &a->task) && get_half(b, &a->how) &&
         a->how <= HC_AFTER_ARRIVED;
}

static bool get_constraint(hc_bytes *b, const hc_cache_names *names, hc_constraint *c)
{
  uint32_t name;
  if (!get_name(b, names, &c->attribute) || !get_half(b, &c->compare) || c->compare > HC_ABSENT ||
      !get_half(b, &c->group) || !get_half(b, &c->is_text) || c->is_text > 1)
    return false;
  if (!c->is_text) return hc_cache_get_signed(b, &c->value);
  if (!get_name(b, names, &name)) return false;
  c->value = name;
  return true;
}

static bool get_use(hc_bytes *b, int64_t after, hc_use_step *u)
{
  return hc_cache_get_signed(b, &u->until) && hc_cache_get_signed(b, &u->cpu) &&
         hc_cache_get_signed(b, &u->memory) && u->until > after && (u->cpu >= 0 || u->cpu == HC_UNKNOWN) &&
         (u->memory >= 0 || u->memory == HC_UNKNOWN);
}

static bool get_resize(hc_bytes *b, const hc_cache_names *names, int64_t before, hc_resize_step *s)
{
  int64_t need[HC_DIMENSIONS];
  hc_amount further[HC_DIMENSIONS];
  if (!hc_cache_get_signed(b, &s->after) || s->after <= before || !get_need(b, names, need) ||
      hc_further_of(need, further) > 0)
    return false;
  memcpy(s->need, need, sizeof s->need);
  return true;
}

/* A dimension that has a column in the file may have none in this run, and the other way round. */
static bool get_further(hc_bytes *b, const hc_cache_names *names, hc_arena *a, hc_task_extras *m,
                        int64_t *own, hc_rc *rc)
{
  int64_t need[HC_DIMENSIONS];
  hc_amount *further = hc_arena_alloc(a, HC_DIMENSIONS * sizeof *further);
  if (!further) *rc = HC_ENOMEM;
  if (!further || !get_need(b, names, need)) return false;
  memcpy(own, need, HC_NEEDS * sizeof *own);
  m->further = further;
  m->further_count = hc_further_of(need, further);
  return true;
}

/* Room for `count` things, whose bytes are there. @return false at the end of these, or of memory (`rc`). */
static bool get_room(hc_bytes *b, hc_arena *a, size_t *count, size_t size, void *out, hc_rc *rc)
{
  void *room;
  if (!get_count(b, count) || *count > MOST_ITEMS) return false;
  room = hc_arena_alloc(a, *count > 0 ? *count * size : 1);
  if (!room) *rc = HC_ENOMEM;
  memcpy(out, &room, sizeof room);
  return room != NULL;
}

static bool get_items(hc_bytes *b, hc_arena *a, const hc_data_item **out, size_t *count, hc_rc *rc)
{
  hc_data_item *items;
  if (!get_room(b, a, count, sizeof *items, &items, rc)) return false;
  for (size_t i = 0; i < *count; i++)
    if (!hc_cache_get_signed(b, &items[i].name) || !hc_cache_get_signed(b, &items[i].bytes) ||
        (items[i].bytes < 0 && items[i].bytes != HC_UNKNOWN))
      return false;
  *out = items;
  return true;
}

static bool get_size(hc_bytes *b, const hc_task_extras *m, hc_task_size *s)
{
  uint64_t speed;
  if (!get_half(b, &s->size) || !hc_cache_get(b, &speed) || !hc_cache_get_signed(b, &s->run) ||
      !hc_cache_get_signed(b, &s->limit) || !hc_cache_get_signed(b, &s->estimate))
    return false;
  memcpy(&s->speed, &speed, sizeof speed);
  s->padding = 0;
  return s->size >= m->least && s->size <= m->most && s->speed >= 0 && s->speed - s->speed == 0 &&
         (s->speed > 0 || s->run >= 0);
}

static bool get_sizes(hc_bytes *b, hc_arena *a, hc_task_extras *m, hc_rc *rc)
{
  hc_task_size *sizes;
  if (!get_half(b, &m->preferred) || !get_room(b, a, &m->size_count, sizeof *sizes, &sizes, rc)) return false;
  m->sizes = sizes;
  for (size_t i = 0; i < m->size_count; i++)
    if (!get_size(b, m, &sizes[i]) || (i > 0 && sizes[i].size <= sizes[i - 1].size)) return false;
  return m->of > 0 && m->preferred <= m->most && (m->preferred == 0 || m->preferred >= m->least) &&
         m->preferred + m->size_count > 0;
}

const char *hc_cache_get_more(hc_bytes *b, hc_cache_names *names, hc_arena *a, hc_task_extras *m,
                              int64_t *own, hc_rc *rc)
{
  static const char cut[] = "rare facts that are cut";
  hc_after *after;
  hc_constraint *constraints;
  uint32_t *hosts;
  hc_chunk *chunks;
  hc_use_step *uses;
  hc_resize_step *resizes;
  uint32_t *executors;
  *m = hc_task_extras_none();
  *rc = 0;
  for (int d = 0; d < HC_NEEDS; d++) own[d] = HC_UNKNOWN;
  if (!get_room(b, a, &m->after_count, sizeof *after, &after, rc)) return cut;
  for (size_t i = 0; i < m->after_count; i++)
    if (!get_after(b, &after[i])) return cut;
  if (!get_room(b, a, &m->constraint_count, sizeof *constraints, &constraints, rc)) return cut;
  for (size_t i = 0; i < m->constraint_count; i++)
    if (!get_constraint(b, names, &constraints[i])) return cut;
  if (!get_room(b, a, &m->host_count, sizeof *hosts, &hosts, rc)) return cut;
  for (size_t i = 0; i < m->host_count; i++)
    if (!get_name(b, names, &hosts[i])) return cut;
  if (!get_room(b, a, &m->chunk_count, sizeof *chunks, &chunks, rc)) return cut;
  for (size_t i = 0; i < m->chunk_count; i++)
    if (!get_half(b, &chunks[i].hosts) || !get_need(b, names, chunks[i].need)) return cut;
  m->after = after;
  m->constraints = constraints;
  m->hosts = hosts;
  m->chunks = chunks;
  if (!get_name(b, names, &m->set) || !get_name(b, names, &m->same) || !get_name(b, names, &m->differ) ||
      !get_name(b, names, &m->zone_level) || !get_half(b, &m->per_host) || !get_half(b, &m->per_zone) ||
      !hc_cache_get_signed(b, &m->rival))
    return cut;
  if (!get_room(b, a, &m->use_count, sizeof *uses, &uses, rc)) return cut;
  for (size_t i = 0; i < m->use_count; i++)
    if (!get_use(b, i > 0 ? uses[i - 1].until : 0, &uses[i])) return cut;
  m->uses = uses;
  if (b->p == b->end) return NULL;
  if (!get_room(b, a, &m->resize_count, sizeof *resizes, &resizes, rc)) return cut;
  for (size_t i = 0; i < m->resize_count; i++)
    if (!get_resize(b, names, i > 0 ? resizes[i - 1].after : 0, &resizes[i])) return cut;
  m->resizes = resizes;
  if (b->p == b->end) return m->resize_count > 0 ? NULL : cut;
  if (!get_half(b, &m->least) || !get_half(b, &m->of) || !get_half(b, &m->most)) return cut;
  if (b->p == b->end) return m->least > 0 && m->least <= m->of && m->of <= m->most ? NULL : cut;
  if (m->of == 0 ? m->least + m->most > 0 : m->least == 0 || m->least > m->of || m->of > m->most) return cut;
  if (!get_further(b, names, a, m, own, rc)) return cut;
  if (b->p == b->end) return NULL;
  if (!get_room(b, a, &m->prefer_count, sizeof *hosts, &hosts, rc)) return cut;
  for (size_t i = 0; i < m->prefer_count; i++)
    if (!get_name(b, names, &hosts[i]) || hosts[i] == HC_NO_NAME) return cut;
  m->prefers = hosts;
  if (b->p == b->end) return m->prefer_count > 0 ? NULL : cut;
  if (!get_items(b, a, &m->inputs, &m->input_count, rc) ||
      !get_items(b, a, &m->outputs, &m->output_count, rc))
    return cut;
  if (b->p == b->end) return m->input_count + m->output_count > 0 ? NULL : cut;
  if (!hc_cache_get_signed(b, &m->least_cpu) || !hc_cache_get_signed(b, &m->most_cpu)) return cut;
  if (m->least_cpu < 0 || m->most_cpu < m->least_cpu) return cut;
  if (b->p == b->end) return m->most_cpu > 0 ? NULL : cut;
  if (!get_room(b, a, &m->executor_count, sizeof *executors, &executors, rc)) return cut;
  for (size_t i = 0; i < m->executor_count; i++)
    if (!get_half(b, &executors[i])) return cut;
  m->executors = executors;
  if (b->p == b->end) return m->executor_count > 0 ? NULL : cut;
  if (!get_half(b, &m->least_hosts) || !get_half(b, &m->most_hosts)) return cut;
  if (b->p == b->end) return m->least_hosts + m->most_hosts > 0 ? NULL : cut;
  if (!get_half(b, &m->at_once)) return cut;
  if (b->p == b->end) return m->at_once > 0 ? NULL : cut;
  if (!get_name(b, names, &m->reservation) || !get_half(b, &m->switches) ||
      !hc_cache_get_signed(b, &m->switch_wait) || !hc_cache_get_signed(b, &m->least_limit) ||
      m->least_limit < 0 || !get_room(b, a, &m->set_count, sizeof *hosts, &hosts, rc) ||
      m->set_count >= HC_TASK_SETS)
    return cut;
  for (size_t i = 0; i < m->set_count; i++)
    if (!get_name(b, names, &hosts[i]) || hosts[i] == HC_NO_NAME) return cut;
  m->sets = hosts;
  if (b->p == b->end) return NULL;
  if (!get_half(b, &m->exclusive) || !get_half(b, &m->component) || m->exclusive > HC_EXCLUSIVE_NEVER)
    return cut;
  if (b->p == b->end) return m->exclusive + m->component > 0 ? NULL : cut;
  if (!get_half(b, &m->again) || m->again > HC_AGAIN_ALWAYS) return cut;
  if (b->p == b->end) return m->again != HC_AGAIN_UNSAID ? NULL : cut;
  if (!get_half(b, &m->changes) || m->changes >= 8) return cut;
  if (b->p == b->end) return m->changes > 0 ? NULL : cut;
  return get_sizes(b, a, m, rc) ? NULL : cut;
}

/* ---- rows left out ---- */

bool hc_cache_has_rows(const hc_row_ledger *l)
{
  return l->merged > 0 || l->rejections > 0 || l->rounded > 0;
}

void hc_cache_put_rows(hc_buffer *b, const hc_row_ledger *l)
{
  uint64_t bits, reasons = 0;
  memcpy(&bits, &l->rounding, sizeof bits);
  for (int r = 0; r < HC_REASON_COUNT; r++) reasons += l->rejected[r] > 0;
  hc_cache_put(b, l->merged);
  hc_cache_put(b, l->rounded);
  hc_cache_put_fixed(b, bits, 8);
  hc_cache_put(b, reasons);
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    const char *word = hc_reason_name((hc_reason)r);
    if (l->rejected[r] == 0) continue;
    hc_cache_put_text(b, word, strlen(word));
    hc_cache_put(b, l->rejected[r]);
  }
}

static bool get_reason(hc_bytes *b, hc_row_ledger *out)
{
  const char *text;
  size_t n;
  uint64_t count;
  if (!hc_cache_get_text(b, &text, &n) || !text || !hc_cache_get(b, &count) || count > HC_CACHE_ROWS_MOST)
    return false;
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    const char *word = hc_reason_name((hc_reason)r);
    if (strlen(word) != n || memcmp(word, text, n) != 0 || out->rejected[r] > 0) continue;
    out->rejected[r] = count;
    out->rejections += count;
    return true;
  }
  return false;
}

const char *hc_cache_get_rows(hc_bytes *b, hc_row_ledger *out)
{
  static const char wrong[] = "rows left out that cannot be";
  uint64_t bits;
  size_t reasons;
  *out = (hc_row_ledger){0};
  if (!hc_cache_get(b, &out->merged) || !hc_cache_get(b, &out->rounded) || b->end - b->p < 8) return wrong;
  if (out->merged > HC_CACHE_ROWS_MOST || out->rounded > HC_CACHE_ROWS_MOST) return wrong;
  bits = hc_load_le(b->p, 8);
  b->p += 8;
  memcpy(&out->rounding, &bits, sizeof bits);
  if (!(out->rounding >= 0 && out->rounding <= 1e18)) return wrong;
  if (!get_count(b, &reasons)) return wrong;
  for (; reasons > 0; reasons--)
    if (!get_reason(b, out)) return wrong;
  out->read = out->merged + out->rejections;
  return b->p == b->end ? NULL : wrong;
}
