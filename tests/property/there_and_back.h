/* there_and_back.h -- tasks that are written in a format and read back by the reader of the same name: a text
 * into a file, what each task was told to lose, and what that reader must be told. */
#ifndef HC_TEST_THERE_AND_BACK_H
#define HC_TEST_THERE_AND_BACK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "hindcast/hindcast.h"

/* The sink of a writer into a buffer. */
static inline hc_rc gather(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

/* What a writer has told to be lost so far, of all tasks together. */
typedef struct losses {
  uint64_t facts[HC_FACT_COUNT], left_out;
} losses;

/* Of the task written last: the facts that it lost, as bits, and whether it was left out. */
static inline uint64_t lost_by_last(losses *before, const hc_trace_writer *out, bool *is_left_out)
{
  uint64_t lost = 0;
  for (int k = 0; k < HC_FACT_COUNT; k++) {
    const uint64_t n = hc_trace_writer_lost(out, (hc_fact)k);
    if (n > before->facts[k]) lost |= UINT64_C(1) << k;
    before->facts[k] = n;
  }
  *is_left_out = hc_trace_writer_left_out(out) > before->left_out;
  before->left_out = hc_trace_writer_left_out(out);
  return lost;
}

/* The text becomes the whole of the file, and is freed. */
static inline void put_in_file(const char *path, hc_buffer *text)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text->data ? text->data : "", 1, text->size, f), text->size);
  assert_int_equal(fclose(f), 0);
  hc_buffer_fini(text);
}

static inline bool has_choice(const hc_component *c, const char *param, const char *choice)
{
  for (const hc_param *p = c->params; p && p->name; p++)
    if (strcmp(p->name, param) == 0 && p->choices && strstr(p->choices, choice)) return true;
  return false;
}

/* What a source says beside its file so that every task comes back: also those that failed. */
static inline const char *all_that_ended(const hc_component *reader)
{
  return has_choice(reader, "statuses", "ended") ? ", statuses: ended" : "";
}

#endif
