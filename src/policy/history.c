/* history.c -- histories of tasks that are alike. See history.h.
 *
 * A history is found by its key, which names its template, so one table serves all templates. Windows are
 * rings of equal size in one array: the n-th ended task of a history takes place n modulo the size. */
#include "policy/history.h"

#include <inttypes.h>
#include <string.h>

#include "base/state.h"

enum { USER, GROUP, EXECUTABLE, QUEUE, USER_EXECUTABLE, USER_UNITS, USER_LIMIT, CLASS, ALL };

struct hc_predictor {
  const hc_allocator *allocator;
  const hc_history_options *options;
  hc_history_answer answer;
  size_t window, most; /* run times of a history; histories at all */
  hc_set places;
  /* state */
  hc_history *histories; /* [count] */
  size_t count, cap;
  hc_time *runs; /* [count * window] */
  size_t run_count, run_cap;
  uint64_t dropped; /* ended tasks that found no room for a history of theirs */
};

/* ---- which history ---- */

/* @return false: the source does not say what the template asks */
static bool key_of(int by, const hc_predictor_task *t, int64_t key[HC_HISTORY_KEY])
{
  const bool known[] = {[USER] = t->user != -1,
                        [GROUP] = t->group != -1,
                        [EXECUTABLE] = t->executable != -1,
                        [QUEUE] = t->queue != -1,
                        [USER_EXECUTABLE] = t->user != -1 && t->executable != -1,
                        [USER_UNITS] = t->user != -1,
                        [USER_LIMIT] = t->user != -1 && t->limit != HC_NEVER,
                        [CLASS] = t->user != -1 && t->executable != -1,
                        [ALL] = true};
  const int64_t numbers[][HC_HISTORY_KEY - 1] = {[USER] = {t->user, -1, -1},
                                                 [GROUP] = {t->group, -1, -1},
                                                 [EXECUTABLE] = {t->executable, -1, -1},
                                                 [QUEUE] = {t->queue, -1, -1},
                                                 [USER_EXECUTABLE] = {t->user, t->executable, -1},
                                                 [USER_UNITS] = {t->user, t->units, -1},
                                                 [USER_LIMIT] = {t->user, t->limit, -1},
                                                 [CLASS] = {t->user, t->executable, t->units},
                                                 [ALL] = {-1, -1, -1}};
  key[0] = by;
  memcpy(key + 1, numbers[by], sizeof numbers[by]);
  return known[by];
}

static hc_keys keys_of(const hc_predictor *self)
{
  return (hc_keys){self->histories, sizeof *self->histories, sizeof self->histories->key};
}

/* @return its number, or HC_MAP_NONE */
static uint32_t find(const hc_predictor *self, const int64_t key[HC_HISTORY_KEY])
{
  return self->count > 0 ? hc_set_find(&self->places, keys_of(self), key) : HC_MAP_NONE;
}

/* @return 1 with its number; 0: there are as many as there may be; or HC_ENOMEM */
static hc_rc add(hc_predictor *self, const int64_t key[HC_HISTORY_KEY], uint32_t *at)
{
  if (self->count >= self->most) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->histories, &self->cap, self->count + 1,
                 sizeof *self->histories));
  TRY(hc_reserve(self->allocator, (void **)&self->runs, &self->run_cap, self->run_count + self->window,
                 sizeof *self->runs));
  hc_history *h = &self->histories[self->count];
  *h = (hc_history){.last = HC_UNKNOWN, .before = HC_UNKNOWN};
  memcpy(h->key, key, sizeof h->key);
  TRY(hc_set_put(&self->places, keys_of(self), (uint32_t)self->count));
  for (size_t i = 0; i < self->window; i++) self->runs[self->run_count + i] = 0;
  self->run_count += self->window;
  *at = (uint32_t)self->count++;
  return 1;
}

/* ---- predictions ---- */

/* Whole seconds, as other programs have them; what is shorter stays what it is. */
static hc_time scaled(const hc_predictor *self, hc_time t)
{
  const double factor = self->options->factor;
  if (t == HC_UNKNOWN) return t;
  if (factor != 1) {
    const double x = (double)t * factor;
    if (x >= 0x1p62) return HC_NEVER;
    t = (hc_time)x;
  }
  return t >= HC_SECOND ? t - t % HC_SECOND : t;
}

hc_time hc_history_predict(const hc_predictor *self, const hc_predictor_task *t)
{
  const int *by = self->options->by.items;
  for (size_t i = 0; i < self->options->by.count; i++) {
    int64_t key[HC_HISTORY_KEY];
    uint32_t at;
    if (!key_of(by[i], t, key) || (at = find(self, key)) == HC_MAP_NONE) continue;
    const hc_history *h = &self->histories[at];
    if (h->count < (uint64_t)self->options->least) continue;
    const size_t n = HC_MIN((size_t)h->count, self->window);
    const hc_time *window = self->window > 0 ? self->runs + (size_t)at * self->window : NULL;
    const hc_time answer = self->answer(h, window, n, self->options);
    if (answer != HC_UNKNOWN) return scaled(self, answer);
  }
  return HC_UNKNOWN;
}

hc_rc hc_history_learn(hc_predictor *self, const hc_predictor_task *t, hc_time run)
{
  const int *by = self->options->by.items;
  bool dropped = false;
  for (size_t i = 0; i < self->options->by.count; i++) {
    int64_t key[HC_HISTORY_KEY];
    uint32_t at;
    if (!key_of(by[i], t, key)) continue;
    if ((at = find(self, key)) == HC_MAP_NONE) {
      hc_rc rc;
      TRY(rc = add(self, key, &at));
      dropped |= rc == 0;
      if (rc == 0) continue;
    }
    hc_history *h = &self->histories[at];
    if (self->window > 0) self->runs[(size_t)at * self->window + h->count % self->window] = run;
    h->count++;
    h->before = h->last;
    h->last = run;
    hc_wide_add(&h->sum, run);
  }
  self->dropped += dropped;
  return 0;
}

/* ---- life ---- */

/* A template that is named twice would learn each task twice. */
static hc_rc check(const hc_history_options *o, hc_error *e)
{
  const int *by = o->by.items;
  for (size_t i = 0; i < o->by.count; i++)
    for (size_t k = 0; k < i; k++)
      if (by[i] == by[k])
        return hc_fail(
            e, HC_EUSAGE, "predictor", 0, 0,
            "`by` names a template twice: name each once, in the order in which they are to be tried");
  return 0;
}

hc_rc hc_history_new(const hc_allocator *a, const void *options, size_t window, hc_history_answer answer,
                     hc_predictor **out, hc_error *e)
{
  hc_predictor *self;
  TRY(check(options, e));
  self = hc_alloc(a, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->allocator = a;
  self->options = options;
  self->answer = answer;
  self->window = window;
  self->most = window > 0 ? HC_MIN(HC_HISTORIES_MOST, HC_RUNS_MOST / window) : HC_HISTORIES_MOST;
  hc_set_init(&self->places, a);
  *out = self;
  return 0;
}

void hc_history_free(hc_predictor *self)
{
  hc_set_fini(&self->places);
  hc_free(self->allocator, self->histories, self->cap * sizeof *self->histories);
  hc_free(self->allocator, self->runs, self->run_cap * sizeof *self->runs);
  hc_free(self->allocator, self, sizeof *self);
}

hc_rc hc_history_visit(hc_predictor *self, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, self->histories, self->count, self->cap);
  HC_VISIT_ARRAY(v, self->runs, self->run_count, self->run_cap);
  HC_VISIT(v, self->dropped);
  if (!hc_visit_loading(v)) return 0;
  if (self->count > self->most || self->run_count != self->count * self->window) return HC_EINPUT;
  hc_set_fini(&self->places);
  for (size_t i = 0; i < self->count; i++) TRY(hc_set_put(&self->places, keys_of(self), (uint32_t)i));
  return 0;
}

hc_rc hc_history_note(const hc_predictor *self, hc_buffer *out)
{
  if (self->dropped == 0) return 0;
  hc_buffer_printf(
      out,
      "%" PRIu64
      " tasks that ended found no room for a history of theirs: %zu are kept, those that came first",
      self->dropped, self->most);
  return 0;
}

bool hc_history_renews(const void *options)
{
  return ((const hc_history_options *)options)->renew;
}
