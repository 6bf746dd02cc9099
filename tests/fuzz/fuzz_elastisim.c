/* fuzz_elastisim.c -- any bytes as jobs of ElastiSim, and as an application model of jobs of one to eight
 * nodes: no crash, no endless loop, every row accounted for, and what is made of a model is a profile. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "claims.h"
#include "hindcast/plugin.h"
#include "setup/config.h"
#include "workload/elastisim_model.h"
#include "workload/ledger.h"
#include "workload/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_elastisim;

static void read_jobs(const char *path)
{
  char *options = calloc(1, hc_reader_elastisim.component.options_size);
  const hc_chosen source = {.type = &hc_reader_elastisim.component, .options = options};
  hc_row_ledger ledger = {0};
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger};
  const hc_stream_options o = {.sources = &source, .source_count = 1, .window = 1, .raw = true};
  hc_stream *s = NULL;
  hc_error e = {0};
  hc_arrival a;
  hc_rc rc;
  memcpy(options + hc_reader_elastisim.component.params[0].offset, &path, sizeof path);
  rc = hc_stream_open(&c, &o, &s, &e);
  while (rc >= 0 && (rc = hc_stream_next(s, &a, &e)) == 1)
    check(false, "without a model no job has a length");
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(rc < 0 || hc_ledger_balances(&ledger), "read = used + merged + rejected, at the end");
  hc_stream_close(s);
  free(options);
}

static hc_rc resolve(const hc_book *b, hc_arena *a, const hc_value *tree, hc_chosen *out, hc_error *e)
{
  const hc_resolver r = {.registry = b->registry, .arena = a};
  return hc_resolve_component(&r, HC_KIND_PROFILE, tree, "profile", out, e);
}

static void read_model(const char *path)
{
  hc_registry *registry;
  check(hc_registry_new(hc_default_allocator(), &registry) == 0, "there is a registry");
  const hc_book book = {.registry = registry, .speed = 1, .resolve = resolve};
  hc_elastisim_models m;
  hc_elastisim_init(&m, hc_default_allocator(), &book);
  m.pfs = "/pfs/";
  m.burst_buffer = "/bb/";
  for (int64_t nodes = 1; nodes <= 8; nodes *= 2) {
    const hc_elastisim_job job = {.nodes = nodes, .gpus = nodes / 2};
    const char *text = NULL;
    size_t n = 0;
    hc_error e = {0};
    const hc_rc rc = hc_elastisim_profile(&m, path, &job, &text, &n, &e);
    check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
    check(rc < 0 || (n > 0 && n <= HC_PROFILE_TEXT && text[0] == '{'), "a model is a profile");
  }
  hc_elastisim_fini(&m);
  hc_registry_free(registry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("jobs", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  read_jobs(path);
  read_model(path);
  close(fd);
  return 0;
}
