/* fuzz_irmasim.c -- any bytes as IRMaSim's files: no crash, no endless loop, every job accounted for, nothing
 * kept.
 *
 * An input is three files with a line "====" between them: options, platform, workload, which is JSON if it
 * begins with {, else a table. 64 MiB of memory at most, and 20,000 events. */
#include <stdint.h>
#include <string.h>

#include "bounded.h"
#include "claims.h"
#include "hindcast/hindcast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *next_file(const char **at, const char *end, size_t *size)
{
  const char *begin = *at, *cut = begin;
  while (end - cut >= 6 && memcmp(cut, "\n====\n", 6) != 0) cut++;
  if (end - cut < 6) cut = end;
  *size = (size_t)(cut - begin);
  *at = cut == end ? end : cut + 6;
  return begin;
}

static int64_t rows(hc_result *r)
{
  uint64_t n = hc_result_task_count(r);
  return (int64_t)n;
}

static void finish(hc_run *r, hc_store *store, hc_rc rc)
{
  hc_error e = {0};
  hc_result *result = NULL;
  hc_progress p;
  hc_run_progress(r, &p);
  if (rc < 0 || hc_run_finish(r, &e) < 0) return;
  if (hc_result_of_store(store, &result, &e) < 0) return;
  check(rows(result) >= (int64_t)p.submitted, "each job that came has a row");
  check(p.submitted == p.waiting + p.running + p.ended, "it waits, runs or has ended");
  hc_result_free(result);
}

static void run(const hc_allocator *a, const char *workload)
{
  hc_registry *registry = NULL;
  hc_config *config = NULL;
  hc_store *store = NULL;
  hc_run *r = NULL;
  hc_error e = {0};
  char text[200];
  const int n = snprintf(text, sizeof text,
                         "world: {use: irmasim, options: o.json, platform: p.json, workload: %s}", workload);
  check(hc_registry_new(hc_default_allocator(), &registry) >= 0, "a registry is made");
  check(hc_config_new(hc_default_allocator(), registry, &config, &e) >= 0, "a configuration is made");
  check(hc_config_text(config, text, (size_t)n, "fuzz", &e) >= 0, "it is read");
  check(hc_store_new(hc_default_allocator(), NULL, &store, &e) >= 0, "a store is made");
  hc_rc rc = hc_run_new(a, config, store, &r, &e);
  check(rc >= 0 || rc == HC_ENOMEM || e.text[0] != '\0', "a refusal says why");
  if (rc >= 0) finish(r, store, hc_run_advance(r, HC_NEVER, 20000, &e));
  hc_run_free(r);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"o.json", "p.json", "w"};
  const char *at = (const char *)data, *const end = at + size;
  const char *workload = "w.csv";
  hc_texts *texts = NULL;
  hc_error e = {0};
  bounds b = {(size_t)64 << 20, 0};
  check(hc_texts_new(hc_default_allocator(), &texts) >= 0, "texts are made");
  for (int i = 0; i < 3; i++) {
    size_t n;
    const char *file = next_file(&at, end, &n);
    if (i == 2 && n > 0 && file[0] == '{') workload = "w.json";
    check(hc_texts_add(texts, i < 2 ? names[i] : workload, file, n, &e) >= 0, "a text is added");
  }
  const hc_allocator a = {&b, bounded, hc_texts_files(texts)};
  run(&a, workload);
  check(b.used == 0, "nothing is kept");
  hc_texts_free(texts);
  return 0;
}
