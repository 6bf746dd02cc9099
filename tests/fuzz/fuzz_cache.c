/* fuzz_cache.c -- any bytes as a cached trace: no crash, no endless loop, no memory beyond what the bytes
 * allow.
 *
 * Each input is read twice: as it is, and with its checksums made right, since nearly every change is caught
 * by them before it meets the code behind. Tasks that are read are written again, and read back alike. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/state.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "given.h"
#include "workload/cache_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_cache;
extern const hc_writer_type hc_writer_cache;

/* ---- checksums made right ---- */

static void put_sum(uint8_t *p, size_t size)
{
  uint64_t words[2];
  hc_hash h;
  hc_hash_init(&h);
  hc_hash_add(&h, p, size);
  hc_hash_end(&h, words);
  hc_store_le(p + size, words[0], 8);
  hc_store_le(p + size + 8, words[1], 8);
}

/* Follow the parts as far as their sizes lead. */
static void make_right(uint8_t *p, size_t size)
{
  const uint8_t *newline = memchr(p, '\n', size);
  size_t at = 0, line = newline ? (size_t)(newline - p) + 1 : size;
  uint64_t words[2];
  hc_hash chain;
  hc_hash_init(&chain);
  while (size - at >= line + HC_CACHE_FRAME) {
    const uint64_t tag = hc_load_le(p + at + line, 4);
    size_t part = line + HC_CACHE_FRAME + (size_t)hc_load_le(p + at + line + 4, 4);
    if (tag == HC_CACHE_END_TAG) part = HC_CACHE_END - HC_CACHE_SUM;
    if (part > size - at || size - at - part < HC_CACHE_SUM) return;
    if (tag == HC_CACHE_END_TAG) {
      hc_hash_end(&chain, words);
      hc_store_le(p + at + 32, words[0], 8);
      hc_store_le(p + at + 40, words[1], 8);
    }
    put_sum(p + at, part);
    hc_hash_add(&chain, p + at + part, HC_CACHE_SUM);
    at += part + HC_CACHE_SUM;
    line = 0;
  }
}

/* ---- reading ---- */

typedef struct copy {
  hc_lexicon *lexicon;
  hc_buffer bytes;
  hc_writer *writer;
} copy;

static char *make_options(const char *path)
{
  const hc_component *c = &hc_reader_cache.component;
  char *options = calloc(1, c->options_size);
  const hc_param *p = c->params;
  while (p->name && strcmp(p->name, "file") != 0) p++;
  check(options && p->name, "the reader has a file");
  memcpy(options + p->offset, &path, sizeof path);
  return options;
}

static hc_rc gather(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

static hc_source *open_cache(const hc_source_context *c, const void *options, hc_error *e)
{
  hc_source *s = NULL;
  const hc_rc rc = hc_reader_cache.open(c, options, &s, e);
  check(rc == 0 || e->text[0] != '\0', "an error says what is wrong");
  return rc == 0 ? s : NULL;
}

static void write_to(copy *to, const hc_task_spec *t, hc_error *e)
{
  const hc_trace_task task = {.spec = *t};
  uint64_t lost = 0;
  check(hc_writer_cache.task(to->writer, &task, &lost, e) == 0, "what was read can be written");
}

/* @param again  also write it, and look that it reads back as the same */
static void read_all(const char *path, bool again)
{
  char *options = make_options(path);
  hc_row_ledger ledger = {0};
  copy to = {0};
  hc_error e = {0};
  hc_job job;
  uint64_t tasks = 0;
  hc_rc rc;
  check(hc_lexicon_new(hc_default_allocator(), &to.lexicon) == 0, "memory");
  hc_buffer_init(&to.bytes, hc_default_allocator());
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &ledger, .lexicon = to.lexicon};
  const hc_writer_context w = {
      .allocator = hc_default_allocator(), .lexicon = to.lexicon, .sink = {&to.bytes, gather}};
  hc_source *s = open_cache(&c, options, &e);
  if (again) check(hc_writer_cache.open(&w, NULL, &to.writer, &e) == 0, "a cache can be begun");
  for (rc = s ? 1 : 0; rc == 1;) {
    rc = hc_reader_cache.next(s, &job, &e);
    for (uint32_t i = 0; rc == 1 && i < job.task_count; i++) {
      if (again) write_to(&to, &job.tasks[i], &e);
      give_back(to.lexicon, &job.tasks[i]);
    }
    if (rc == 1) tasks += job.task_count;
    check(rc >= 0 || e.text[0] != '\0' || rc == HC_ENOMEM, "an error says what is wrong");
  }
  check(ledger.read == tasks + ledger.merged + ledger.rejections,
        "every task is counted, and every row left out");
  if (s) hc_reader_cache.close(s);
  if (again) {
    check(hc_writer_cache.finish(to.writer, &e) == 0, "a cache can be ended");
    hc_writer_cache.close(to.writer);
    check(to.bytes.size >= HC_CACHE_END && !to.bytes.failed, "a cache has an end");
    check(hc_load_le((const uint8_t *)to.bytes.data + to.bytes.size - HC_CACHE_END + 8, 8) == tasks,
          "as many tasks as were read");
  }
  check(hc_lexicon_held(to.lexicon) == 0, "nothing is kept that no task holds");
  hc_buffer_fini(&to.bytes);
  hc_lexicon_free(to.lexicon);
  free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("cache", MFD_CLOEXEC);
  uint8_t *right = malloc(size + 1);
  if (fd < 0 || !right || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  read_all(path, false);
  if (size > 0) memcpy(right, data, size);
  make_right(right, size);
  if (size > 0 && pwrite(fd, right, size, 0) != (ssize_t)size) abort();
  read_all(path, true);
  free(right);
  close(fd);
  return 0;
}
