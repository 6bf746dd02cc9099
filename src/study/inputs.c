/* inputs.c -- the files that a study reads, and whether they are still what they were.
 *
 * What is found for a point depends on the study and its inputs alone, so parts of one study may be put
 * together only if their inputs were the same. The paths are those of the configurations that check.c
 * resolves: the base with each level, and every combination of the axes that change a source, the events or
 * the cell, up to COMBINATIONS of them. A directory or a pattern is taken apart when the files are read.
 *
 * Checksums are taken once, before the first point, and are not cryptographic: they are for files that change
 * by mistake. At the end a file whose size and time are as they were is believed to be the same. */
#define _GNU_SOURCE /* st_mtim */
#include "study/inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/util.h"
#include "setup/config.h"
#include "setup/inputs.h"

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the inputs of the study");
}

/* ---- which ---- */

typedef struct noting {
  hc_study *study;
  hc_noted_input **items; /* the list that grows: names, or files */
  size_t *count, *cap;
} noting;

static hc_rc note(void *ctx, const char *path, hc_error *e)
{
  const noting *n = ctx;
  hc_study *s = n->study;
  char *text;
  for (size_t i = 0; i < *n->count; i++)
    if (strcmp((*n->items)[i].path, path) == 0) return 0;
  text = hc_arena_text(&s->arena, path, strlen(path));
  if (!text || hc_reserve(s->allocator, (void **)n->items, n->cap, *n->count + 1, sizeof **n->items) < 0)
    return no_memory(e);
  (*n->items)[(*n->count)++] = (hc_noted_input){.path = text};
  return 0;
}

hc_rc hc_study_note_inputs(hc_study *s, const hc_config *c, hc_error *e)
{
  noting n = {s, &s->named, &s->named_count, &s->named_cap};
  return hc_inputs_named(s->allocator, hc_config_options(c), note, &n, e);
}

HC_SORT(sort_inputs, hc_noted_input, strcmp(a->path, b->path) < 0)

/* ---- reading them ---- */

static void stamp(const char *path, hc_noted_input *out)
{
  struct stat s = {0};
  (void)stat(path, &s);
  out->size = (uint64_t)s.st_size;
  out->changed = (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
}

hc_rc hc_study_sum_inputs(hc_study *s, hc_error *e)
{
  noting files = {s, &s->inputs, &s->input_count, &s->input_cap};
  s->input_count = 0;
  for (size_t i = 0; i < s->named_count; i++)
    TRY(hc_inputs_expand(s->allocator, s->named[i].path, note, &files, e));
  sort_inputs(s->inputs, s->input_count);
  for (size_t i = 0; i < s->input_count; i++) {
    hc_noted_input *x = &s->inputs[i];
    hc_error ignored = {0};
    hc_rc rc;
    stamp(x->path, x);
    rc = hc_inputs_sum(s->allocator, x->path, &x->bytes, x->checksum, &ignored);
    if (rc == HC_ENOMEM) return no_memory(e);
    if (rc < 0) x->checksum[0] = '\0';
  }
  return 0;
}

hc_rc hc_study_recheck_inputs(const hc_study *s, const char *where, hc_error *e)
{
  for (size_t i = 0; i < s->input_count; i++) {
    const hc_noted_input *x = &s->inputs[i];
    hc_noted_input now = {0};
    hc_error ignored = {0};
    hc_rc rc;
    if (!x->checksum[0]) continue;
    stamp(x->path, &now);
    if (now.size == x->size && now.changed == x->changed) continue;
    rc = hc_inputs_sum(s->allocator, x->path, &now.bytes, now.checksum, &ignored);
    if (rc == HC_ENOMEM) return no_memory(e);
    if (rc >= 0 && strcmp(now.checksum, x->checksum) == 0) continue;
    return hc_fail(
        e, HC_EINPUT, where, 0, 0,
        "%s changed while the study was carried out, so its points are of different inputs: begin anew with "
        "--again",
        x->path);
  }
  return 0;
}

/* ---- before anything runs ---- */

typedef struct looking {
  const hc_study *study;
  hc_rc (*tell)(void *ctx, const char *text);
  void *ctx;
} looking;

static hc_rc look_at(void *ctx, const char *path, hc_error *e)
{
  const looking *l = ctx;
  char text[1024];
  if (access(path, R_OK) == 0) return 0;
  if (!l->study->inputs_vary)
    return hc_fail(
        e, HC_EINPUT, path, 0, 0,
        "cannot be read: %s; every point of the study needs it: check the path, which starts at the current "
        "directory",
        strerror(errno));
  (void)snprintf(text, sizeof text, "%s cannot be read: %s; the points that need it will fail", path,
                 strerror(errno));
  return l->tell(l->ctx, text);
}

hc_rc hc_study_look_at_inputs(const hc_study *s, hc_rc (*tell)(void *ctx, const char *text), void *ctx,
                              hc_error *e)
{
  looking l = {s, tell, ctx};
  for (size_t i = 0; i < s->named_count; i++)
    TRY(hc_inputs_expand(s->allocator, s->named[i].path, look_at, &l, e));
  return 0;
}

/* ---- as a journal keeps them ---- */

hc_rc hc_study_write_inputs(const hc_study *s, hc_buffer *out)
{
  for (size_t i = 0; i < s->input_count; i++) {
    const hc_noted_input *x = &s->inputs[i];
    if (x->checksum[0]) hc_buffer_printf(out, "%" PRIu64 " %s ", x->bytes, x->checksum);
    else hc_buffer_text(out, "- - ");
    for (const char *p = x->path; *p; p++) hc_buffer_add(out, *p == '\n' ? "?" : p, 1);
    hc_buffer_text(out, "\n");
  }
  return out->failed ? HC_ENOMEM : 0;
}

bool hc_study_next_input(const char **at, const char *end, hc_study_input *out, size_t *path_size)
{
  const char *line = *at, *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
  const char *blank = stop ? memchr(line, ' ', (size_t)(stop - line)) : NULL;
  const char *second = blank ? memchr(blank + 1, ' ', (size_t)(stop - blank - 1)) : NULL;
  int64_t bytes = 0;
  if (!second) return false;
  *out = (hc_study_input){.path = second + 1};
  *path_size = (size_t)(stop - second - 1);
  out->is_known = second - blank - 1 == 32 && hc_parse_int(line, (size_t)(blank - line), &bytes) >= 0;
  out->bytes = (uint64_t)bytes;
  if (out->is_known) memcpy(out->checksum, blank + 1, 32);
  *at = stop + 1;
  return true;
}

hc_rc hc_study_take_inputs(hc_study *s, const char *text, size_t size)
{
  hc_study_input x;
  size_t n;
  s->input_count = 0;
  for (const char *at = text; hc_study_next_input(&at, text + size, &x, &n);) {
    hc_noted_input taken = {.path = hc_arena_text(&s->arena, x.path, n), .bytes = x.bytes};
    if (!taken.path || hc_reserve(s->allocator, (void **)&s->inputs, &s->input_cap, s->input_count + 1,
                                  sizeof *s->inputs) < 0)
      return HC_ENOMEM;
    memcpy(taken.checksum, x.checksum, sizeof taken.checksum);
    s->inputs[s->input_count++] = taken;
  }
  return 0;
}

static hc_noted_input *find(hc_study *s, const char *path, size_t size)
{
  for (size_t i = 0; i < s->input_count; i++)
    if (strlen(s->inputs[i].path) == size && memcmp(s->inputs[i].path, path, size) == 0) return &s->inputs[i];
  return NULL;
}

static hc_rc differs(const hc_noted_input *here, const hc_study_input *there, const char *where, hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, where, 0, 0,
                 "%s is another file than the one that these points were made from: %" PRIu64
                 " bytes with checksum %.8s... there, %" PRIu64
                 " with %.8s... here. Put that file back, or carry the points out again (--again)",
                 here->path, there->bytes, there->checksum, here->bytes, here->checksum);
}

hc_rc hc_study_compare_inputs(hc_study *s, const char *text, size_t size, const char *where, hc_error *e)
{
  hc_study_input x;
  size_t n, seen = 0;
  for (const char *at = text; hc_study_next_input(&at, text + size, &x, &n); seen++) {
    hc_noted_input *here = find(s, x.path, n);
    if (!here)
      return hc_fail(
          e, HC_EUSAGE, where, 0, 0,
          "these points were made from %.*s too, which is not among the files that the study reads now: put "
          "it back, or carry the points out again (--again)",
          (int)HC_MIN(n, 300), x.path);
    if (!x.is_known) continue;
    if (here->checksum[0] && (here->bytes != x.bytes || strcmp(here->checksum, x.checksum) != 0))
      return differs(here, &x, where, e);
    here->bytes = x.bytes;
    memcpy(here->checksum, x.checksum, sizeof here->checksum);
  }
  if (seen < s->input_count)
    return hc_fail(
        e, HC_EUSAGE, where, 0, 0,
        "the study reads %zu files, and these points were made from %zu: take away what was added, or carry "
        "the points out again (--again)",
        s->input_count, seen);
  return 0;
}
