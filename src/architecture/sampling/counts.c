/* sampling_counts.c -- waits and times of batches, lengths of queues, messages. */
#include <stdio.h>

#include "architecture/sampling/sampling.h"
#include "base/state.h"
#include "base/util.h"

void hc_sampling_counts_init(hc_sampling_counts *c, const hc_allocator *a)
{
  *c = (hc_sampling_counts){0};
  for (int i = 0; i < 2; i++) {
    hc_quantile_init(&c->of[i].task_wait, a);
    hc_quantile_init(&c->of[i].batch_wait, a);
    hc_quantile_init(&c->of[i].batch_time, a);
  }
  hc_quantile_init(&c->lengths, a);
}

void hc_sampling_counts_fini(hc_sampling_counts *c)
{
  for (int i = 0; i < 2; i++) {
    hc_quantile_fini(&c->of[i].task_wait);
    hc_quantile_fini(&c->of[i].batch_wait);
    hc_quantile_fini(&c->of[i].batch_time);
  }
  hc_quantile_fini(&c->lengths);
}

hc_rc hc_sampling_count(hc_quantile *q, double *sum, double value)
{
  *sum += value;
  return hc_quantile_add(q, &value, 1);
}

static hc_rc find_times(const char *what, const char *suffix, const hc_quantile *q, double sum, uint64_t n,
                        hc_findings *f)
{
  static const int permille[] = {500, 900, 990};
  static const char *const names[] = {"p50", "p90", "p99"};
  double values[HC_ARRAY_LEN(permille)];
  char figure[80];
  TRY(hc_quantile_get(q, permille, HC_ARRAY_LEN(permille), values));
  (void)snprintf(figure, sizeof figure, "%s_mean%s", what, suffix);
  TRY(hc_find_real(f, figure, "s", n > 0 ? sum / (double)n / HC_SECOND : __builtin_nan("")));
  for (size_t i = 0; i < HC_ARRAY_LEN(permille); i++) {
    (void)snprintf(figure, sizeof figure, "%s_%s%s", what, names[i], suffix);
    TRY(hc_find_real(f, figure, "s", values[i] / HC_SECOND));
  }
  return 0;
}

static hc_rc find_class(const hc_sampling_class *k, const char *suffix, hc_findings *f)
{
  char figure[40];
  (void)snprintf(figure, sizeof figure, "batches%s", suffix);
  TRY(hc_find_count(f, figure, "jobs", (int64_t)k->batches));
  TRY(find_times("task_wait", suffix, &k->task_wait, k->task_wait_sum, k->tasks, f));
  TRY(find_times("job_wait", suffix, &k->batch_wait, k->batch_wait_sum, k->batches_started, f));
  return find_times("job_time", suffix, &k->batch_time, k->batch_time_sum, k->batches_ended, f);
}

hc_rc hc_sampling_counts_find(const hc_sampling_counts *c, const hc_sampling_options *o, hc_findings *f)
{
  const int p99 = 990;
  double length;
  TRY(find_class(&c->of[0], o->is_split ? "_short" : "", f));
  if (o->is_split) TRY(find_class(&c->of[1], "_long", f));
  TRY(hc_quantile_get(&c->lengths, &p99, 1, &length));
  TRY(hc_find_count(f, "probes", "probes", (int64_t)c->probes));
  TRY(hc_find_count(f, "messages", "messages", (int64_t)c->messages));
  TRY(hc_find_count(f, "answers_empty", "answers", (int64_t)c->empty));
  TRY(hc_find_count(f, "cancelled", "reservations", (int64_t)c->cancelled));
  TRY(hc_find_count(f, "misfits", "tasks", (int64_t)c->misfits));
  TRY(hc_find_real(f, "queue_length_mean", "tasks",
                   c->lengths.n > 0 ? c->length_sum / (double)c->lengths.n : __builtin_nan("")));
  TRY(hc_find_real(f, "queue_length_p99", "tasks", length));
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
    HC_VISIT(v, k->task_wait_sum);
    HC_VISIT(v, k->batch_wait_sum);
    HC_VISIT(v, k->batch_time_sum);
    HC_VISIT(v, k->tasks);
    HC_VISIT(v, k->batches);
    HC_VISIT(v, k->batches_started);
    HC_VISIT(v, k->batches_ended);
    TRY(hc_quantile_visit(&k->task_wait, v));
    TRY(hc_quantile_visit(&k->batch_wait, v));
    TRY(hc_quantile_visit(&k->batch_time, v));
  }
  TRY(hc_quantile_visit(&c->lengths, v));
  HC_VISIT(v, c->length_sum);
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
