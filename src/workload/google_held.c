/* google_held.c -- tasks of which something is known: by (job, index), and in line by arrival.
 *
 * Tasks lie in one array, whose free places are used again. A set finds the one that bears a (job,
 * index) now; an earlier bearer that has ended stays in line without it. The line is a queue of (task,
 * stamp): a task that moves to its end leaves a void place behind, which is passed over; when more than half
 * of the line is void, it is made anew. So the line never takes more than two places a task.
 *
 * Invariants: a task is in line, or aside; keys in line never fall. Memory: 128 bytes a task, 32 more with
 * usage and 32 for each step of it (workload/use.h), 24 for each place in line and 12 to 24 in the set. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/google.h"

enum { IN_LINE = HC_GOOGLE_IN_LINE, KEYED = HC_GOOGLE_KEYED };

void hc_google_held_init(hc_google_held *h, const hc_allocator *a, bool has_usage, size_t usage_steps,
                         bool has_resizes)
{
  *h = (hc_google_held){.allocator = a, .has_usage = has_usage, .s.free = HC_MAP_NONE};
  hc_set_init(&h->bearers, a);
  hc_use_init(&h->uses, a, has_usage ? usage_steps : 0);
  hc_google_resizes_init(&h->resizes, a, has_resizes);
}

void hc_google_forget_usage(hc_google_held *h, uint32_t task)
{
  if (!h->has_usage) return;
  hc_use_drop(&h->uses, &h->usage[task].room);
  h->usage[task] = (hc_google_usage_sum){0};
}

void hc_google_held_fini(hc_google_held *h)
{
  const hc_allocator *a = h->allocator;
  if (!a) return;
  hc_free(a, h->tasks, h->cap * sizeof *h->tasks);
  hc_free(a, h->usage, h->usage_cap * sizeof *h->usage);
  hc_set_fini(&h->bearers);
  hc_free(a, h->line, h->line_cap * sizeof *h->line);
  hc_use_fini(&h->uses);
  hc_google_resizes_fini(&h->resizes);
  hc_google_held_init(h, a, h->has_usage, h->uses.most, h->resizes.is_on);
}

/* ---- by job and index ---- */

static hc_keys keys_of(const hc_google_held *h)
{
  return (hc_keys){h->tasks, sizeof *h->tasks, offsetof(hc_google_task, priority)};
}

uint32_t hc_google_find(const hc_google_held *h, int64_t job, int32_t index)
{
  const struct {
    int64_t job;
    int32_t index, unused;
  } key = {job, index, 0};
  return hc_set_find(&h->bearers, keys_of(h), &key);
}

static void give_up_key(hc_google_held *h, uint32_t task)
{
  if (!(h->tasks[task].flags & KEYED)) return;
  h->tasks[task].flags &= (uint8_t)~KEYED;
  hc_set_remove(&h->bearers, keys_of(h), task);
}

static hc_rc take_key(hc_google_held *h, uint32_t task)
{
  const uint32_t earlier = hc_set_find(&h->bearers, keys_of(h), &h->tasks[task]);
  if (earlier != HC_MAP_NONE) give_up_key(h, earlier);
  h->tasks[task].flags |= KEYED;
  return hc_set_put(&h->bearers, keys_of(h), task);
}

/* ---- coming and going ---- */

static hc_rc new_task(hc_google_held *h, uint32_t *out)
{
  if (h->s.free != HC_MAP_NONE) {
    *out = h->s.free;
    h->s.free = h->tasks[*out].next;
    return 0;
  }
  if (h->count >= HC_MAP_NONE - 1) return HC_ENOMEM;
  TRY(hc_reserve(h->allocator, (void **)&h->tasks, &h->cap, h->count + 1, sizeof *h->tasks));
  if (h->has_usage)
    TRY(hc_reserve(h->allocator, (void **)&h->usage, &h->usage_cap, h->count + 1, sizeof *h->usage));
  TRY(hc_google_resizes_add(&h->resizes, (uint32_t)h->count));
  *out = (uint32_t)h->count++;
  return 0;
}

hc_rc hc_google_add(hc_google_held *h, int64_t job, int32_t index, uint32_t *out)
{
  TRY(new_task(h, out));
  h->tasks[*out] = (hc_google_task){.job = job,
                                    .submit = HC_UNKNOWN,
                                    .start = HC_UNKNOWN,
                                    .end = HC_UNKNOWN,
                                    .eligible = HC_UNKNOWN,
                                    .constrained = HC_UNKNOWN,
                                    .need = {HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN},
                                    .index = index,
                                    .next = HC_MAP_NONE,
                                    .queue = -1,
                                    .state = HC_GOOGLE_PENDING};
  if (h->has_usage) h->usage[*out] = (hc_google_usage_sum){0};
  h->s.aside++;
  return take_key(h, *out);
}

void hc_google_remove(hc_google_held *h, uint32_t task)
{
  give_up_key(h, task);
  if (h->tasks[task].flags & IN_LINE) h->s.in_line--;
  else h->s.aside--;
  h->tasks[task] = (hc_google_task){.next = h->s.free}; /* its place in line is void: no stamp is 0 */
  hc_google_forget_usage(h, task);
  hc_google_resizes_drop(&h->resizes, task);
  h->s.free = task;
}

/* ---- the line ---- */

static bool is_void(const hc_google_held *h, const hc_google_place *p)
{
  return h->tasks[p->task].stamp != p->stamp;
}

/* Move what counts to the front. */
static void close_ranks(hc_google_held *h)
{
  size_t n = 0;
  for (size_t i = 0; i < h->line_count; i++) {
    const hc_google_place p = h->line[h->head + i];
    if (!is_void(h, &p)) h->line[n++] = p;
  }
  h->line_count = n;
  h->head = 0;
}

hc_rc hc_google_line_up(hc_google_held *h, uint32_t task, hc_time key)
{
  hc_google_task *t = &h->tasks[task];
  if (h->head + h->line_count == h->line_cap) {
    if (h->head > h->line_cap / 2 || h->line_count > 2 * (h->s.in_line + 1)) close_ranks(h);
    TRY(hc_reserve(h->allocator, (void **)&h->line, &h->line_cap, h->head + h->line_count + 1,
                   sizeof *h->line));
  }
  t->stamp = ++h->s.stamp;
  h->line[h->head + h->line_count++] = (hc_google_place){.stamp = t->stamp, .key = key, .task = task};
  if (t->flags & IN_LINE) return 0;
  t->flags |= IN_LINE;
  h->s.in_line++;
  h->s.aside--;
  return 0;
}

const hc_google_place *hc_google_first(hc_google_held *h)
{
  while (h->line_count > 0 && is_void(h, &h->line[h->head])) {
    h->head++;
    h->line_count--;
  }
  if (h->line_count == 0) h->head = 0;
  return h->line_count > 0 ? &h->line[h->head] : NULL;
}

void hc_google_leave_line(hc_google_held *h, uint32_t task)
{
  hc_google_task *t = &h->tasks[task];
  if (!(t->flags & IN_LINE)) return;
  t->stamp = 0;
  t->flags &= (uint8_t)~IN_LINE;
  h->s.in_line--;
  h->s.aside++;
}

void hc_google_step_out(hc_google_held *h)
{
  hc_google_leave_line(h, h->line[h->head].task);
  h->head++;
  h->line_count--;
}

/* ---- state ---- */

/* What was loaded must be what could have been saved. */
static hc_rc check(hc_google_held *h, const hc_lexicon *lexicon)
{
  uint64_t used = 0, in_line = 0, links = 0, places = 0;
  for (size_t i = 0; i < h->count; i++) {
    const hc_google_task *t = &h->tasks[i];
    used += t->state != 0;
    in_line += (t->flags & IN_LINE) != 0;
    if (t->state == 0 && (t->flags || t->stamp || t->more)) return HC_EINPUT;
    if (t->more != 0 && (!lexicon || !hc_lexicon_more(lexicon, t->more))) return HC_EINPUT;
  }
  for (uint32_t i = h->s.free; i != HC_MAP_NONE; i = h->tasks[i].next)
    if (i >= h->count || h->tasks[i].state != 0 || ++links > h->count) return HC_EINPUT;
  for (size_t i = 0; i < h->line_count; i++) {
    const hc_google_place *p = &h->line[i];
    if (p->task >= h->count || p->stamp == 0) return HC_EINPUT;
    if (is_void(h, p)) continue;
    if (!(h->tasks[p->task].flags & IN_LINE)) return HC_EINPUT;
    places++;
  }
  if (links + used != h->count || in_line != h->s.in_line || places != in_line) return HC_EINPUT;
  return used - in_line == h->s.aside ? 0 : HC_EINPUT;
}

static hc_rc find_again(hc_google_held *h)
{
  hc_set_fini(&h->bearers);
  for (size_t i = 0; i < h->count; i++)
    if (h->tasks[i].flags & KEYED) TRY(take_key(h, (uint32_t)i));
  return 0;
}

hc_rc hc_google_held_visit(hc_google_held *h, const hc_lexicon *lexicon, hc_visitor *v)
{
  size_t usage_count = h->has_usage ? h->count : 0;
  close_ranks(h);
  HC_VISIT(v, h->s);
  HC_VISIT_ARRAY(v, h->tasks, h->count, h->cap);
  HC_VISIT_ARRAY(v, h->line, h->line_count, h->line_cap);
  HC_VISIT_ARRAY(v, h->usage, usage_count, h->usage_cap);
  TRY(hc_use_visit(&h->uses, v));
  TRY(hc_google_resizes_visit(&h->resizes, h->count, v));
  if (!hc_visit_loading(v)) return 0;
  for (size_t i = 0; i < usage_count; i++)
    if (!hc_use_is_sound(&h->uses, &h->usage[i].room)) return HC_EINPUT;
  if (usage_count != (h->has_usage ? h->count : 0) || check(h, lexicon) < 0) {
    h->count = h->line_count = 0;
    return HC_EINPUT;
  }
  return find_again(h);
}
