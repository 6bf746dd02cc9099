/* fuzz_batsim.c -- any bytes as a Batsim workload: no crash, no endless loop, every row accounted for.
 *
 * The tokens are read on their own first, so that what the reader passes over is looked at as well. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/util.h"
#include "claims.h"
#include "workload/ledger.h"
#include "workload/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_batsim;

/* @return whether all of it is JSON. */
static bool read_tokens(const char *path)
{
  hc_json *j = NULL;
  hc_error e = {0};
  size_t open = 0;
  hc_rc rc = hc_json_open(hc_default_allocator(), path, &j, &e);
  check(rc == 0, "a file that is there can be opened");
  for (;;) {
    hc_json_token t;
    rc = hc_json_next(j, &t, &e);
    if (rc < 0) break;
    if (rc == 0 && open == 0) break;
    if (rc == 0) {
      open--;
      continue;
    }
    check(strlen(t.text) == t.size, "a text ends where it says");
    if (t.kind == HC_JSON_OBJECT || t.kind == HC_JSON_ARRAY) open++;
    check(open <= HC_JSON_DEPTH, "nesting is bounded");
  }
  check(rc == 0 || e.text[0] != '\0', "an error says what is wrong");
  hc_json_free(j);
  return rc == 0;
}

static void read_once(const char *path, int other_profiles, bool is_json)
{
  char *options = calloc(1, hc_reader_batsim.component.options_size);
  const hc_chosen source = {.type = &hc_reader_batsim.component, .options = options};
  hc_row_ledger ledger = {0};
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger};
  const hc_stream_options o = {.sources = &source, .source_count = 1, .window = 1, .raw = true};
  const hc_param *p = hc_reader_batsim.component.params;
  hc_stream *s = NULL;
  hc_error e = {0};
  hc_arrival a;
  hc_rc rc;
  memcpy(options + p[0].offset, &path, sizeof path);
  memcpy(options + p[1].offset, &other_profiles, sizeof other_profiles);
  rc = hc_stream_open(&c, &o, &s, &e);
  while (rc >= 0 && (rc = hc_stream_next(s, &a, &e)) == 1) {
    check(a.spec.submit >= 0 || a.spec.submit == HC_UNKNOWN, "a submission is a time");
    check(a.spec.run >= 0 && a.spec.run < HC_NEVER, "a task has a length");
    check(hc_ledger_balances(&ledger), "read = used + merged + rejected");
  }
  check(rc < 0 || is_json, "what is read is JSON");
  check(rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(rc < 0 || hc_ledger_balances(&ledger), "read = used + merged + rejected, at the end");
  check(ledger.rejected[HC_REASON_UNSORTED] == 0, "rows come in order");
  hc_stream_close(s);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("workload", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const bool is_json = read_tokens(path);
  read_once(path, 0, is_json);
  read_once(path, 1, is_json);
  close(fd);
  return 0;
}
