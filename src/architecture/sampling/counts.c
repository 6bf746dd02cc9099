/* sampling_counts.c -- waits and times of batches, lengths of queues, messages. */
#include <stdio.h>

#include "architecture/sampling/sampling.h"
#include "base/state.h"
#include "base/util.h"

void hc_sampling_counts_init(hc_sampling_counts *c, const hc_allocator *a)
{
  *c = (hc_sampling_counts){0};
  for (int i = 0; i < 2; i++) {
    hc_counted_init(&c->of[i].task_wait, a);
    hc_counted_init(&c->of[i].batch_wait, a);
    hc_counted_init(&c->of[i].batch_time, a);
  }
  hc_counted_init(&c->lengths, a);
}

void hc_sampling_counts_fini(hc_sampling_counts *c)
{
  for (int i = 0; i < 2; i++) {
    hc_counted_fini(&c->of[i].task_wait);
    hc_counted_fini(&c->of[i].batch_wait);
    hc_counted_fini(&c->of[i].batch_time);
  }
  hc_counted_fini(&c->lengths);
}

static hc_rc find_times(const char *what, const char *suffix, const hc_counted *times, hc_findings *f)
{
  static const int permille[] = {500, 900, 990};
  const hc_counted_name name = {what, suffix, "s", HC_SECOND};
  TRY(hc_counted_find_mean(times, &name, f));
  return hc_counted_find_quantiles(times, &name, permille, HC_ARRAY_LEN(permille), f);
}

static hc_rc find_class(const hc_sampling_class *k, const char *suffix, hc_findings *f)
{
  char figure[40];
  (void)snprintf(figure, sizeof figure, "batches%s", suffix);
  TRY(hc_find_count(f, figure, "jobs", (int64_t)k->batches));
  TRY(find_times("task_wait", suffix, &k->task_wait, f));
  TRY(find_times("job_wait", suffix, &k->batch_wait, f));
  return find_times("job_time", suffix, &k->batch_time, f);
}

hc_rc hc_sampling_counts_find(const hc_sampling_counts *c, const hc_sampling_options *o, hc_findings *f)
{
  static const int p99 = 990;
  const hc_counted_name length = {"queue_length", "", "tasks", 1};
  TRY(find_class(&c->of[0], o->is_split ? "_short" : "", f));
  if (o->is_split) TRY(find_class(&c->of[1], "_long", f));
  TRY(hc_find_count(f, "probes", "probes", (int64_t)c->probes));
  TRY(hc_find_count(f, "messages", "messages", (int64_t)c->messages));
  TRY(hc_find_count(f, "answers_empty", "answers", (int64_t)c->empty));
  TRY(hc_find_count(f, "cancelled", "reservations", (int64_t)c->cancelled));
  TRY(hc_find_count(f, "misfits", "tasks", (int64_t)c->misfits));
  TRY(hc_counted_find_mean(&c->lengths, &length, f));
  TRY(hc_counted_find_quantiles(&c->lengths, &length, &p99, 1, f));
  TRY(hc_find_count(f, "queue_length_max", "tasks", (int64_t)c->longest));
  TRY(hc_find_count(f, "tasks_without_host", "tasks", (int64_t)c->nowhere));
  if (!o->is_split) return 0;
  TRY(hc_find_count(f, "steals", "hosts", (int64_t)c->steals));
  TRY(hc_find_count(f, "stolen", "reservations", (int64_t)c->stolen));
  if (!o->marks) return 0;
  TRY(hc_find_count(f, "probes_rejected", "probes", (int64_t)c->rejected));
  return hc_find_count(f, "sticky", "questions", (int64_t)c->sticky);
}

hc_rc hc_sampling_counts_visit(hc_sampling_counts *c, hc_visitor *v)
{
  for (int i = 0; i < 2; i++) {
    hc_sampling_class *k = &c->of[i];
    HC_VISIT(v, k->batches);
    TRY(hc_counted_visit(&k->task_wait, v));
    TRY(hc_counted_visit(&k->batch_wait, v));
    TRY(hc_counted_visit(&k->batch_time, v));
  }
  TRY(hc_counted_visit(&c->lengths, v));
  HC_VISIT(v, c->probes);
  HC_VISIT(v, c->messages);
  HC_VISIT(v, c->empty);
  HC_VISIT(v, c->cancelled);
  HC_VISIT(v, c->nowhere);
  HC_VISIT(v, c->rejected);
  HC_VISIT(v, c->steals);
  HC_VISIT(v, c->stolen);
  HC_VISIT(v, c->sticky);
  HC_VISIT(v, c->misfits);
  HC_VISIT(v, c->longest);
  return 0;
}
