/* fuzz_azure2019.c -- any bytes as the three tables of a day of the Azure Functions dataset: no crash, no
 * endless loop, an error has a text, what is invoked is within the day.
 *
 * A line of % alone ends a table: durations, then memory, then invocations. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../worlds/functions/functions.h"
#include "base/mem.h"
#include "base/util.h"
#include "claims.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_invocations_type hc_invocations_azure2019;

#define MOST 10000

static void set(char *options, const char *name, const void *value, size_t size)
{
  const hc_param *p = hc_invocations_azure2019.component.params;
  while (p->name && strcmp(p->name, name) != 0) p++;
  check(p->name != NULL, name);
  memcpy(options + p->offset, value, size);
}

typedef struct told {
  uint32_t applications;
  uint64_t invocations;
} told;

static hc_rc application(void *ctx, const char *name, size_t size, uint32_t *out)
{
  told *t = ctx;
  check(size > 0 && name[0] != '\0', "an application has a name");
  *out = t->applications++;
  return 1;
}

static hc_rc invoke(void *ctx, uint32_t of, hc_time arrival, hc_time duration)
{
  told *t = ctx;
  check(of < t->applications, "it is of an application");
  check(arrival >= 0 && arrival <= 7 * HC_DAY, "it arrives within a week");
  check(duration >= HC_MS && duration <= (hc_time)(HC_FN_LONGEST * 1e9),
        "it takes so long at least, and at most");
  return ++t->invocations < MOST ? 0 : HC_ELIMIT;
}

static void memory(void *ctx, uint32_t of, int64_t bytes)
{
  check(of < ((told *)ctx)->applications && bytes >= 0, "memory is an application's");
}

static void reject(void *ctx, hc_reason why, uint64_t count)
{
  HC_UNUSED(ctx);
  check(why < HC_REASON_COUNT && count > 0, "there is a reason");
}

/* The bytes before the next line of % alone. */
static size_t part(const uint8_t **data, size_t *size)
{
  const uint8_t *at = memmem(*data, *size, "%\n", 2);
  const size_t n = at ? (size_t)(at - *data) : *size;
  *data += at ? n + 2 : n;
  *size -= at ? n + 2 : n;
  return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"durations", "memory", "file"};
  const double share = 1;
  const hc_time until = HC_NEVER, least = HC_MS;
  char *options = calloc(1, hc_invocations_azure2019.component.options_size), paths[3][64];
  int files[3];
  told t = {0};
  hc_error e = {0};
  for (int i = 0; i < 3; i++) {
    const uint8_t *text = data;
    const size_t n = part(&data, &size);
    const char *path = paths[i];
    files[i] = memfd_create(names[i], MFD_CLOEXEC);
    if (files[i] < 0 || (n > 0 && write(files[i], text, n) != (ssize_t)n)) abort();
    snprintf(paths[i], sizeof paths[i], "/proc/self/fd/%d", files[i]);
    set(options, names[i], &path, sizeof path);
  }
  set(options, "share", &share, sizeof share);
  set(options, "until", &until, sizeof until);
  set(options, "least", &least, sizeof least);
  const hc_invocations_context c = {.allocator = hc_default_allocator(),
                                    .ctx = &t,
                                    .application = application,
                                    .invoke = invoke,
                                    .memory = memory,
                                    .reject = reject};
  const hc_rc rc = hc_invocations_azure2019.make(&c, options, &e);
  check(rc >= 0 || rc == HC_ENOMEM || e.text[0] != '\0', "an error says what is wrong");
  for (int i = 0; i < 3; i++) close(files[i]);
  free(options);
  return 0;
}
