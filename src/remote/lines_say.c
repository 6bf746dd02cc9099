/* lines_say.c -- what another program is told: a line of JSON a message, with what has changed since the
 * last.
 *
 * A task is told of when the run and what the program knows of it differ: it waits (anew), it runs without
 * the program's own start, it is gone. So one that came and went between two messages is not told at all. Of
 * the program's own starts nothing is said, unless they came to nothing. Times are ns of the run, amounts
 * what the run counts with, as whole numbers: nothing is rounded. What is not known is left out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "remote/lines.h"

/* ---- members of a message ---- */

/* Behind a bracket nothing is separated. */
static void separate(hc_buffer *out)
{
  const char last = out->size > 0 ? out->data[out->size - 1] : '{';
  if (last != '{' && last != '[') hc_buffer_add(out, ",", 1);
}

static void put_int(hc_buffer *out, int64_t n)
{
  char text[24], *at = text + sizeof text;
  uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  do *--at = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (n < 0) *--at = '-';
  hc_buffer_add(out, at, (size_t)(text + sizeof text - at));
}

static void put_key(hc_buffer *out, const char *key)
{
  separate(out);
  hc_buffer_add(out, "\"", 1);
  hc_buffer_text(out, key);
  hc_buffer_add(out, "\":", 2);
}

static void put(hc_buffer *out, const char *key, int64_t n)
{
  put_key(out, key);
  put_int(out, n);
}

static void put_if(hc_buffer *out, const char *key, int64_t n, bool is_known)
{
  if (is_known) put(out, key, n);
}

static void put_item(hc_buffer *out, int64_t n)
{
  separate(out);
  put_int(out, n);
}

static void begin(hc_policy *self)
{
  self->with.message.size = 0;
  hc_buffer_add(&self->with.message, "{", 1);
}

/* ---- the machine ---- */

static bool is_alike(const int64_t *a, const int64_t *b, uint32_t n)
{
  return memcmp(a, b, n * sizeof *a) == 0;
}

/* Hosts by their numbers: each entry is so many that follow each other and are alike. */
static void put_hosts(hc_policy *self, const hc_view *v)
{
  hc_buffer *out = &self->with.message;
  const uint32_t hosts = self->cell->units, dims = self->s->dimensions(v);
  put_key(out, "resources");
  hc_buffer_add(out, "[", 1);
  for (uint32_t d = 0; d < dims; d++) {
    const char *name =
        hc_lexicon_calls_of(self->lexicon)->dimension_name(self->lexicon, self->s->dimension_id(v, d));
    separate(out);
    hc_json_string(out, name, strlen(name));
  }
  hc_buffer_add(out, "]", 1);
  put_key(out, "hosts");
  hc_buffer_add(out, "[", 1);
  for (uint32_t h = 0, next; h < hosts; h = next) {
    int64_t has[HC_DIMENSIONS];
    const int64_t *of;
    (void)self->s->host_free(v, h, &of);
    memcpy(has, of, dims * sizeof *has);
    for (next = h + 1; next < hosts; next++) {
      (void)self->s->host_free(v, next, &of);
      if (!is_alike(has, of, dims) || self->cell->class_of[next] != self->cell->class_of[h]) break;
    }
    const char *name = self->cell->classes[self->cell->class_of[h]].name;
    separate(out);
    hc_buffer_add(out, "{", 1);
    put(out, "count", next - h);
    if (name) {
      put_key(out, "class");
      hc_json_string(out, name, strlen(name));
    }
    put_key(out, "has");
    hc_buffer_add(out, "[", 1);
    for (uint32_t d = 0; d < dims; d++) put_item(out, has[d]);
    hc_buffer_add(out, "]}", 2);
  }
  hc_buffer_add(out, "]", 1);
}

static bool has_hosts(const hc_policy *self)
{
  return self->cell && self->cell->granularity == HC_CELL_HOSTS;
}

void hc_lines_say_hello(hc_policy *self, const hc_view *v)
{
  hc_buffer *out = &self->with.message;
  begin(self);
  put(out, "hello", HC_LINES_VERSION);
  put_key(out, "seed");
  hc_buffer_printf(out, "%" PRIu64, self->seed);
  put_key(out, "replication");
  hc_buffer_printf(out, "%" PRIu64, self->replication);
  put_if(out, "unix_start", self->unix_start, self->unix_start != HC_UNKNOWN);
  put_key(out, "cell");
  hc_buffer_add(out, "{", 1);
  if (has_hosts(self)) put_hosts(self, v);
  else put(out, "processors", self->s->capacity(v, 0));
  hc_buffer_add(out, "}}", 2);
}

/* ---- tasks ---- */

static void put_demand(hc_policy *self, const hc_view *v, hc_task t)
{
  hc_buffer *out = &self->part;
  hc_task_shape shape = {0};
  bool is_picky;
  self->s->shape(v, t, &shape);
  is_picky = shape.has_rules || shape.set != HC_NO_NAME || shape.set_count > 0;
  put(out, "slots", self->s->slots(v, t));
  put_key(out, "each");
  hc_buffer_add(out, "[", 1);
  for (uint32_t d = 0; d < self->s->dimensions(v); d++) {
    put_item(out, self->s->demand(v, t, d));
    is_picky |= self->s->is_shared(v, d) && self->s->demand(v, t, d) > 0;
  }
  hc_buffer_add(out, "]", 1);
  if (shape.is_whole) hc_buffer_text(out, ",\"whole\":true");
  if (shape.is_spread) hc_buffer_text(out, ",\"spread\":true");
  if (is_picky) hc_buffer_text(out, ",\"picky\":true");
}

/* In self->part, behind what is there. */
static void put_task(hc_policy *self, const hc_view *v, hc_task t, bool runs)
{
  const hc_services *s = self->s;
  hc_buffer *out = &self->part;
  const hc_time estimate = self->flags & HC_IGNORES_TIME ? HC_NEVER : s->estimate(v, t);
  separate(out);
  hc_buffer_add(out, "{", 1);
  put(out, "task", (int64_t)s->serial(v, t));
  put(out, "submitted", s->submitted(v, t));
  if (runs) put(out, "started", s->started(v, t));
  if (has_hosts(self)) put_demand(self, v, t);
  else put(out, "processors", s->units(v, t));
  put_if(out, "estimate", estimate, estimate != HC_NEVER);
  put_if(out, "user", s->user(v, t), s->user(v, t) >= 0);
  put_if(out, "priority", s->priority(v, t), s->priority(v, t) >= 0);
  if (self->flags & HC_ASKS_JOBS) {
    put_if(out, "job", s->job(v, t), s->job(v, t) >= 0);
    put_if(out, "group", s->group(v, t), s->group(v, t) >= 0);
    put_if(out, "queue", s->queue(v, t), s->queue(v, t) >= 0);
  }
  hc_buffer_add(out, "}", 1);
}

static uint8_t state_of(const hc_policy *self, const hc_view *v, hc_task t)
{
  const hc_lines_task *x = &self->tasks[t];
  if (x->is_queued) return HC_LINES_WAITS;
  return self->s->serial(v, t) == x->serial && self->s->rate(v, t) >= 0 ? HC_LINES_RUNS : HC_LINES_UNKNOWN;
}

/* Those that are in a state that the program does not know them in. */
static void put_tasks(hc_policy *self, const hc_view *v, uint8_t state, const char *key)
{
  self->part.size = 0;
  for (size_t i = 0; i < self->changed_count; i++) {
    const hc_task t = self->changed[i].task;
    hc_lines_task *x = &self->tasks[t];
    if (!x->is_here || x->known == state || state_of(self, v, t) != state) continue;
    x->known = state;
    put_task(self, v, t, state == HC_LINES_RUNS);
  }
  if (self->part.size == 0) return;
  put_key(&self->with.message, key);
  hc_buffer_add(&self->with.message, "[", 1);
  hc_buffer_add(&self->with.message, self->part.data, self->part.size);
  hc_buffer_add(&self->with.message, "]", 1);
}

static void put_ended(hc_policy *self, const hc_view *v)
{
  hc_buffer *out = &self->part;
  out->size = 0;
  for (size_t i = 0; i < self->gone_count; i++) put_item(out, (int64_t)self->gone[i]);
  self->gone_count = 0;
  for (size_t i = 0; i < self->changed_count; i++) {
    const hc_task t = self->changed[i].task;
    hc_lines_task *x = &self->tasks[t];
    if (!x->is_here || state_of(self, v, t) != HC_LINES_UNKNOWN) continue;
    if (x->known != HC_LINES_UNKNOWN) put_item(out, (int64_t)x->serial);
    hc_map_remove(&self->by_serial, x->serial);
    x->is_here = false;
  }
  if (out->size == 0) return;
  put_key(&self->with.message, "ended");
  hc_buffer_add(&self->with.message, "[", 1);
  hc_buffer_add(&self->with.message, out->data, out->size);
  hc_buffer_add(&self->with.message, "]", 1);
}

/* ---- what is free ---- */

/* Hosts of which something else is free than was told last; at first all of what they have. */
static hc_rc put_free_hosts(hc_policy *self, const hc_view *v)
{
  static const int64_t nothing[HC_DIMENSIONS];
  hc_buffer *out = &self->part;
  const uint32_t hosts = self->cell->units, dims = self->s->dimensions(v);
  const bool is_first = !self->free;
  TRY(hc_reserve(self->allocator, (void **)&self->free, &self->free_cap, (size_t)hosts * dims,
                 sizeof *self->free));
  out->size = 0;
  for (uint32_t h = 0; h < hosts; h++) {
    int64_t *told = self->free + (size_t)h * dims;
    const int64_t *has, *is_free = self->s->host_free(v, h, &has);
    if (is_first) memcpy(told, has, dims * sizeof *told);
    if (!self->s->takes_new(v, h)) is_free = nothing;
    if (is_alike(told, is_free, dims)) continue;
    memcpy(told, is_free, dims * sizeof *told);
    separate(out);
    hc_buffer_add(out, "[", 1);
    put_item(out, h);
    for (uint32_t d = 0; d < dims; d++) put_item(out, told[d]);
    hc_buffer_add(out, "]", 1);
  }
  if (out->size == 0) return 0;
  put_key(&self->with.message, "free");
  hc_buffer_add(&self->with.message, "[", 1);
  hc_buffer_add(&self->with.message, out->data, out->size);
  hc_buffer_add(&self->with.message, "]", 1);
  return 0;
}

/* Hosts that this call may use, where those are not all: [[first, count], ...]. */
static void put_scope(hc_policy *self, const hc_view *v)
{
  const hc_range *hosts;
  const size_t n = self->s->scope(v, &hosts);
  if (n == 0) return;
  put_key(&self->with.message, "scope");
  hc_buffer_add(&self->with.message, "[", 1);
  for (size_t i = 0; i < n; i++) {
    separate(&self->with.message);
    hc_buffer_add(&self->with.message, "[", 1);
    put_item(&self->with.message, hosts[i].first);
    put_item(&self->with.message, hosts[i].count);
    hc_buffer_add(&self->with.message, "]", 1);
  }
  hc_buffer_add(&self->with.message, "]", 1);
}

/* ---- a message ---- */

static void put_why(hc_buffer *out, const hc_why *why, bool is_more)
{
  static const struct {
    uint32_t bit;
    const char *word;
  } words[] = {{HC_WHY_ARRIVAL, "arrival"}, {HC_WHY_END, "end"},           {HC_WHY_CELL, "cell"},
               {HC_WHY_TIMER, "timer"},     {HC_WHY_PERIOD, "period"},     {HC_WHY_HEARTBEAT, "heartbeat"},
               {HC_WHY_OFFER, "offer"},     {HC_WHY_CONFLICT, "conflict"}, {HC_WHY_LAST_CALL, "last_call"}};
  put_key(out, "why");
  hc_buffer_add(out, "[", 1);
  if (is_more) hc_buffer_text(out, "\"more\"");
  for (size_t i = 0; i < HC_ARRAY_LEN(words) && !is_more; i++) {
    if (!(why->bits & words[i].bit)) continue;
    separate(out);
    hc_json_string(out, words[i].word, strlen(words[i].word));
  }
  hc_buffer_add(out, "]", 1);
}

static int by_serial(const void *a, const void *b)
{
  const uint64_t x = ((const hc_lines_change *)a)->serial, y = ((const hc_lines_change *)b)->serial;
  return (x > y) - (x < y);
}

/* A number that several tasks have had stands once, as that of the last. */
static void sort_changes(hc_policy *self)
{
  for (size_t i = 0; i < self->changed_count; i++)
    self->changed[i].serial = self->tasks[self->changed[i].task].serial;
  qsort(self->changed, self->changed_count, sizeof *self->changed, by_serial);
}

static void forget_changes(hc_policy *self)
{
  for (size_t i = 0; i < self->changed_count; i++) self->tasks[self->changed[i].task].is_changed = false;
  self->changed_count = 0;
}

hc_rc hc_lines_say_decide(hc_policy *self, hc_view *v, const hc_why *why, bool is_more)
{
  hc_buffer *out = &self->with.message;
  begin(self);
  put(out, "decide", (int64_t)self->decisions);
  put(out, "now", self->s->now(v));
  put_why(out, why, is_more);
  put_if(out, "host", why->host, (why->bits & HC_WHY_HEARTBEAT) != 0);
  if (self->changed_count > 1) sort_changes(self);
  put_tasks(self, v, HC_LINES_WAITS, "queued");
  put_tasks(self, v, HC_LINES_RUNS, "started");
  put_ended(self, v);
  forget_changes(self);
  if (has_hosts(self)) TRY(put_free_hosts(self, v));
  else put(out, "free", self->s->free_units(v));
  put_scope(self, v);
  hc_buffer_add(out, "}", 1);
  return out->failed || self->part.failed ? HC_ENOMEM : 0;
}

void hc_lines_say_bye(hc_policy *self)
{
  begin(self);
  put(&self->with.message, "bye", (int64_t)self->decisions);
  hc_buffer_add(&self->with.message, "}", 1);
}
