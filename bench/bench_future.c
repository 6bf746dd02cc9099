/* bench_future.c -- when could this task start, on hosts, beside what runs and what is promised?
 *
 * A machine whose hosts are full with about `running` tasks of one to eight cores (or as many as eight cores on each
 * host take), and a selector of the benchmark's own that
 * reserves the next `promises` tasks of the queue, each at its earliest start, and then asks `earliest` for those
 * behind them. A host has as many cores as make the machine full, eight at least. Run times are drawn from 1 to
 * 1,000 s. The unit is one question: the second table takes in that each was reserved before the next was asked. */
#define _GNU_SOURCE
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hindcast/hindcast.h"

enum { ASKED = 50 };

typedef struct setup {
  uint32_t hosts, running, promises, started;
  int64_t asking, making;
  uint64_t checksum;
  char path[64];
} setup;

static setup *current; /* of the run under way: a component is made from options, and this one has none */

struct hc_policy {
  const hc_services *s;
  const hc_allocator *a;
  bool done;
};

static uint32_t flags(const void *options)
{
  (void)options;
  return HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS;
}

static hc_rc init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  (void)options;
  (void)e;
  *out = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_policy){.s = c->services, .a = c->allocator};
  return 0;
}

static void fini(hc_policy *self)
{
  (void)self->a->resize(self->a->ctx, self, sizeof *self, 0);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_cursor at = {0};
  hc_task t;
  hc_rc rc = 0;
  int64_t from;
  (void)why;
  if (self->done) return 0;
  self->done = true;
  for (current->started = 0; rc == 0; current->started++) {
    t = s->next(v, HC_LIST_QUEUE, &at, NULL);
    if (!s->fits(v, t)) break;
    rc = s->start(p, t, NULL, 0);
  }
  from = bench_now();
  for (uint32_t i = 0; i < current->promises && rc == 0; i++) {
    t = s->next(v, HC_LIST_QUEUE, &at, NULL);
    rc = s->reserve(p, t, s->earliest(v, t, s->now(v)).at);
  }
  current->making = bench_now() - from;
  from = bench_now();
  for (uint32_t i = 0; i < ASKED && rc == 0; i++) {
    t = s->next(v, HC_LIST_QUEUE, &at, NULL);
    current->checksum += (uint64_t)s->earliest(v, t, s->now(v)).at;
  }
  current->asking = bench_now() - from;
  return rc < 0 ? rc : s->unreserve_all(p);
}

static const hc_select_type asker = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "asker",
                  .summary = "of a benchmark"},
    .flags = flags,
    .init = init,
    .decide = decide,
    .fini = fini,
};

static bool write_tasks(setup *x)
{
  uint64_t s = 88172645463325252u;
  FILE *f;
  (void)snprintf(x->path, sizeof x->path, "/tmp/hindcast-bench-XXXXXX");
  const int fd = mkstemp(x->path);
  if (fd < 0 || !(f = fdopen(fd, "w"))) return false;
  for (uint32_t i = 1; i <= 2 * x->running + x->promises + ASKED; i++) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    const unsigned run = 1 + (unsigned)(s % 1000), cores = 1 + (unsigned)(s / 1000 % 8);
    (void)fprintf(f, "%u 0 -1 %u %u -1 -1 %u %u -1 1 1 1 1 1 1 -1 -1\n", i, run, cores, cores, run);
  }
  return fclose(f) == 0;
}

static int64_t run(void *ctx)
{
  setup *x = ctx;
  const hc_allocator *a = hc_default_allocator();
  const uint32_t cores = x->running * 9 / 2 / x->hosts;
  hc_registry *registry = NULL;
  hc_config *config = NULL;
  hc_run *r = NULL;
  hc_error e = {0};
  char yaml[512];
  hc_rc rc;
  (void)snprintf(yaml, sizeof yaml,
                 "source: {use: swf, file: %s}\npolicy: {select: asker}\nmetrics: []\n"
                 "cell: {use: hosts, classes: [{count: %u, name_prefix: c, cpus: %u}]}\n",
                 x->path, x->hosts, cores < 8 ? 8 : cores);
  current = x;
  rc = hc_registry_new(a, &registry);
  if (rc >= 0) rc = hc_registry_add(registry, &asker.component, &e);
  if (rc >= 0) rc = hc_config_new(a, registry, &config, &e);
  if (rc >= 0) rc = hc_config_text(config, yaml, strlen(yaml), "bench", &e);
  if (rc >= 0) rc = hc_run_new(a, config, NULL, &r, &e);
  if (rc >= 0) rc = hc_run_advance(r, HC_NEVER, 1, &e);
  if (rc < 0) (void)fprintf(stderr, "bench_future: %s\n", e.text);
  hc_run_free(r);
  hc_config_free(config);
  hc_registry_free(registry);
  return rc < 0 ? -1 : x->asking;
}

int main(void)
{
  static const uint32_t sizes[][3] = {{14, 100, 0},      {14, 100, 100},    {14, 1000, 0},
                                      {14, 1000, 100},   {14, 1000, 1000},  {1000, 1000, 0},
                                      {1000, 1000, 100}, {1000, 1000, 1000}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    setup x = {.hosts = sizes[i][0], .running = sizes[i][1], .promises = sizes[i][2]};
    char name[80];
    int64_t took;
    if (!write_tasks(&x)) return 1;
    took = bench_min(3, run, &x);
    (void)unlink(x.path);
    if (took < 0) return 1;
    (void)snprintf(name, sizeof name, "earliest, %u hosts, %u run, %u promised", x.hosts, x.started,
                   x.promises);
    bench_print(name, (double)took / ASKED, "question");
    if (x.promises == 0) continue;
    (void)snprintf(name, sizeof name, "promise, %u hosts, %u run, to %u", x.hosts, x.started, x.promises);
    bench_print(name, (double)x.making / x.promises, "promise");
  }
  return 0;
}
