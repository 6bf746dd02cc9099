/* pollux_sizes.c -- see pollux_sizes.h. */
#include "policy/pollux_sizes.h"

#include "base/math.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"

/* The next option of a task, and what it gains for its cost. */
typedef struct step {
  double gain;
  uint32_t task, to;
} step;

HC_HEAP(steps, step, a->gain != b->gain ? a->gain > b->gain : a->task < b->task)

/* From what is chosen on, as far as `room` goes. @return false: nothing gains */
static bool find_step(const hc_pollux_task *t, uint32_t number, int64_t room, step *out)
{
  const hc_pollux_option *from = &t->options[t->chosen];
  *out = (step){.task = number};
  for (uint32_t k = t->chosen + 1; k < t->count; k++) {
    const int64_t cost = t->options[k].cost - from->cost;
    const double gain = (t->options[k].value - from->value) / (double)cost;
    if (cost > room) break;
    if (gain > out->gain) *out = (step){gain, number, k};
  }
  return out->gain > 0;
}

hc_rc hc_pollux_choose(const hc_allocator *a, hc_pollux_task *tasks, size_t count, int64_t room)
{
  step *heap = hc_alloc(a, (count + 1) * sizeof *heap), next;
  size_t n = 0;
  if (!heap) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    tasks[i].chosen = 0;
    if (find_step(&tasks[i], (uint32_t)i, INT64_MAX, &next)) steps_rise(heap, n++, next);
  }
  while (n > 0) {
    const step best = steps_pop(heap, &n);
    hc_pollux_task *t = &tasks[best.task];
    const int64_t cost = t->options[best.to].cost - t->options[t->chosen].cost;
    if (cost <= room) {
      room -= cost;
      t->chosen = best.to;
    }
    /* One that did not fit goes on with what fits. */
    if (find_step(t, best.task, cost <= room ? INT64_MAX : room, &next)) steps_rise(heap, n++, next);
  }
  hc_free(a, heap, (count + 1) * sizeof *heap);
  return 0;
}

double hc_pollux_value(double s, double p)
{
  return p == 0 ? hc_log(s) : hc_pow(s, p) / p;
}

double hc_pollux_between(const double *speed, size_t count, int64_t least, double slots)
{
  const double last = (double)least + (double)(count - 1);
  if (slots <= (double)least) return speed[0] * slots / (double)least;
  if (slots >= last) return speed[count - 1];
  const size_t k = (size_t)(slots - (double)least);
  const double part = slots - (double)least - (double)k;
  return speed[k] + part * (speed[k + 1] - speed[k]);
}
