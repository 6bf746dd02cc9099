/* workload_test.h -- what the tests of this room share: options filled from a component's own table, small
 * files, and a stream over them. */
#ifndef HC_WORKLOAD_TEST_H
#define HC_WORKLOAD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/stream.h"

#define READER(x) extern const hc_reader_type hc_reader_##x
#define TRANSFORM(x) extern const hc_transform_type hc_transform_##x
READER(swf);
READER(synthetic);
READER(lublin);
TRANSFORM(window);
TRANSFORM(first);
TRANSFORM(filter);
TRANSFORM(sample);
TRANSFORM(clamp);
TRANSFORM(shift);
TRANSFORM(load);
TRANSFORM(scale);
TRANSFORM(repeat);
TRANSFORM(renumber);
TRANSFORM(greenest);

/* ---- options ---- */

static inline int choice_number(const char *choices, const char *word)
{
  int i = 0;
  for (const char *p = choices; *p; i++) {
    const size_t n = strcspn(p, "|");
    if (n == strlen(word) && strncmp(p, word, n) == 0) return i;
    p += n + (p[n] == '|');
  }
  fail_msg("no choice %s in %s", word, choices);
  return -1;
}

static inline void set_item(const hc_param *p, const char *text, void *at)
{
  const size_t n = strlen(text);
  switch (p->type) {
    case HC_INT:
      if (strcmp(text, "unknown") == 0) *(int64_t *)at = HC_UNKNOWN;
      else assert_int_equal(hc_parse_int(text, n, at), 0);
      break;
    case HC_REAL: assert_int_equal(hc_parse_real(text, n, at), 0); break;
    case HC_TIME: assert_int_equal(hc_parse_time(text, n, at), 0); break;
    case HC_SIZE: assert_int_equal(hc_parse_size(text, n, at), 0); break;
    case HC_BOOL: assert_int_equal(hc_parse_bool(text, n, at), 0); break;
    case HC_TEXT: memcpy(at, &text, sizeof text); break;
    case HC_CHOICE: *(int *)at = choice_number(p->choices, text); break;
    case HC_COMPONENT: fail_msg("not here"); break;
  }
}

/* A list is written "1,2,3"; its items are numbers, or texts, which stand behind their pointers. */
static inline void set_list(const hc_param *p, const char *text, hc_list *list)
{
  char item[64];
  size_t count = 1;
  for (const char *c = text; *c; c++) count += *c == ',';
  if (p->type == HC_TEXT) {
    char **items = test_calloc(1, count * sizeof *items + strlen(text) + 1);
    char *copy = strcpy((char *)(items + count), text);
    list->items = items;
    for (list->count = 0; list->count < count; copy += strlen(copy) + 1) {
      items[list->count++] = copy;
      copy[strcspn(copy, ",")] = '\0';
    }
    return;
  }
  list->items = test_calloc(count, sizeof(int64_t));
  for (list->count = 0; list->count < count; list->count++) {
    const size_t n = strcspn(text, ",");
    snprintf(item, sizeof item, "%.*s", (int)n, text);
    set_item(p, item, (int64_t *)list->items + list->count);
    text += n + 1;
  }
}

static inline void set_param(const hc_param *p, const char *text, char *options)
{
  if (p->list) set_list(p, text, (hc_list *)(void *)(options + p->offset));
  else set_item(p, text, options + p->offset);
}

/* "name=value" pairs up to a NULL, over the defaults of the table. Free with drop(). */
static inline hc_chosen choose(const hc_component *type, ...)
{
  char *options = test_calloc(1, type->options_size ? type->options_size : 1);
  const hc_chosen chosen = {.type = type, .options = options};
  const char *pair;
  va_list args;
  for (const hc_param *p = type->params; p && p->name; p++) {
    const hc_time unknown = HC_UNKNOWN;
    if (p->list) continue;
    if (p->fallback) set_param(p, p->fallback, options);
    else if (p->type == HC_TIME) memcpy(options + p->offset, &unknown, sizeof unknown);
  }
  va_start(args, type);
  while ((pair = va_arg(args, const char *)) != NULL) {
    const size_t n = strcspn(pair, "=");
    const hc_param *p = type->params;
    while (p->name && (strlen(p->name) != n || strncmp(p->name, pair, n) != 0)) p++;
    if (!p->name) fail_msg("%s has no parameter for %s", type->name, pair);
    set_param(p, pair + n + 1, options);
  }
  va_end(args);
  return chosen;
}

static inline void drop(hc_chosen *c)
{
  for (const hc_param *p = c->type->params; p && p->name; p++)
    if (p->list) test_free(((hc_list *)(void *)((char *)c->options + p->offset))->items);
  test_free(c->options);
}

/* ---- files ---- */

typedef struct trace_file {
  char path[64], pair[80];
} trace_file;

static inline trace_file write_file(const char *text)
{
  trace_file f;
  int fd;
  snprintf(f.path, sizeof f.path, "/tmp/hindcast-test-XXXXXX");
  fd = mkstemp(f.path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  snprintf(f.pair, sizeof f.pair, "file=%s", f.path);
  return f;
}

/* ---- a stream over files ---- */

typedef struct bench {
  trace_file files[3];
  hc_chosen sources[3], transforms[4];
  hc_row_ledger ledger;
  hc_source_context context;
  hc_stream_options options;
  hc_stream *stream;
  hc_error error;
} bench;

/* Make a bench over the texts given up to a NULL, with every choice at zero: its first word. */
static inline void set_up(bench *b, const char *text, ...)
{
  va_list args;
  memset(b, 0, sizeof *b);
  b->context = (hc_source_context){.allocator = hc_default_allocator(), .seed = 1, .ledger = &b->ledger};
  b->options.sources = b->sources;
  b->options.transforms = b->transforms;
  va_start(args, text);
  for (; text; text = va_arg(args, const char *)) {
    const size_t i = b->options.source_count++;
    b->files[i] = write_file(text);
    b->sources[i] = choose(&hc_reader_swf.component, b->files[i].pair, NULL);
  }
  va_end(args);
}

static inline void add_transform(bench *b, hc_chosen c)
{
  b->transforms[b->options.transform_count++] = c;
}

static inline hc_rc open_bench(bench *b)
{
  return hc_stream_open(&b->context, &b->options, &b->stream, &b->error);
}

static inline void tear_down(bench *b)
{
  hc_stream_close(b->stream);
  for (size_t i = 0; i < b->options.source_count; i++) {
    unlink(b->files[i].path);
    drop(&b->sources[i]);
  }
  for (size_t i = 0; i < b->options.transform_count; i++) drop(&b->transforms[i]);
}

static inline bool balances(const hc_row_ledger *l)
{
  uint64_t sum = l->used + l->merged;
  for (size_t i = 0; i < HC_REASON_COUNT; i++) sum += l->rejected[i];
  return sum == l->read;
}

/* The ids of what is left, as text: "1 2 3"; stops at the end, at a wait (" wait") or an error (" error"). */
static inline void ids(bench *b, char *out, size_t size)
{
  hc_arrival a;
  hc_rc rc;
  size_t n = 0;
  out[0] = '\0';
  while ((rc = hc_stream_next(b->stream, &a, &b->error)) == 1 && n < size)
    n += (size_t)snprintf(out + n, size - n, "%s%lld", n ? " " : "", (long long)a.spec.id);
  assert_true(balances(&b->ledger) || b->error.rc != 0);
  if (rc != 0 && n < size) snprintf(out + n, size - n, " %s", rc == 2 ? "wait" : "error");
}

#endif
