/* absent.c -- what a core does not have, and how it says so.
 *
 * A core is the library without SQLite, files, decoders, threads, shared objects and processes: what a run
 * needs and nothing of a system (docs/embedding.md). Each function here stands for a file of the whole
 * library that a core is built without. It refuses, or says that there is nothing; nothing is ignored. */
#include <stdlib.h>
#include <string.h>

#include "base/input_parts.h"
#include "base/threads.h"
#include "base/util.h"
#include "base/xml.h"
#include "engine/side_file.h"
#include "execution/fibers.h"
#include "hindcast/study.h"
#include "hindcast/workload.h"
#include "output/store.h"
#include "plugin/registry.h"

static hc_rc refuse(hc_error *e, const char *where, const char *what)
{
  return hc_fail(e, HC_EUNSUPPORTED, where, 0, 0, "%s", what);
}

/* ---- base/broken.c: there is no stream to say it to; where it happened is on the stack ---- */

void hc_assert_failed(const char *what, const char *file, int line)
{
  HC_UNUSED(what);
  HC_UNUSED(file);
  HC_UNUSED(line);
  abort();
}

/* ---- base/system.c ---- */

static hc_rc open_nothing(void *ctx, const char *name, hc_file *out, hc_error *e)
{
  HC_UNUSED(ctx);
  HC_UNUSED(out);
  return hc_fail(
      e, HC_EIO, strcmp(name, "-") == 0 ? "standard input" : name, 0, 0,
      "cannot be read: this build of the library has no files; give the text a name (hc_texts_add) and its "
      "table to the allocator (hc_allocator.files)");
}

static hc_rc read_nothing(void *ctx, hc_file *f, void *data, size_t room, hc_error *e)
{
  HC_UNUSED(ctx);
  HC_UNUSED(f);
  HC_UNUSED(data);
  HC_UNUSED(room);
  HC_UNUSED(e);
  return 0;
}

static hc_rc seek_nothing(void *ctx, hc_file *f, uint64_t to, hc_error *e)
{
  HC_UNUSED(ctx);
  HC_UNUSED(f);
  HC_UNUSED(to);
  return hc_fail(e, HC_EIO, NULL, 0, 0, "there are no files");
}

static void close_nothing(void *ctx, hc_file *f)
{
  HC_UNUSED(ctx);
  HC_UNUSED(f);
}

static hc_file_kind look_at_nothing(void *ctx, const char *name, uint64_t *size)
{
  HC_UNUSED(ctx);
  HC_UNUSED(name);
  HC_UNUSED(size);
  return HC_FILE_ABSENT;
}

static hc_rc list_nothing(void *ctx, const char *directory, hc_rc (*each)(void *each_ctx, const char *name),
                          void *each_ctx, hc_error *e)
{
  HC_UNUSED(each);
  HC_UNUSED(each_ctx);
  return open_nothing(ctx, directory[0] ? directory : "./", NULL, e);
}

const hc_files *hc_system_files(void)
{
  static const hc_files none = {.open = open_nothing,
                                .read = read_nothing,
                                .seek = seek_nothing,
                                .close = close_nothing,
                                .look = look_at_nothing,
                                .list = list_nothing};
  return &none;
}

/* ---- base/unpack.c: input.c refuses what it has no decoder for ---- */

const hc_decoder_type *hc_decoder_of(hc_packing packing)
{
  HC_UNUSED(packing);
  return NULL;
}

/* ---- base/pack.c: what is packed for size's sake alone stays as it is ---- */

hc_rc hc_pack(const hc_allocator *a, const void *data, size_t size, hc_buffer *out)
{
  HC_UNUSED(a);
  HC_UNUSED(data);
  HC_UNUSED(size);
  HC_UNUSED(out);
  return HC_EUNSUPPORTED;
}

/* ---- base/xml.c ---- */

hc_rc hc_xml_read(const hc_allocator *a, const char *path, const hc_xml_handler *handler, hc_error *e)
{
  HC_UNUSED(a);
  HC_UNUSED(handler);
  return refuse(
      e, path,
      "this build of the library reads no XML; say the machine and its network in the configuration");
}

/* ---- base/threads.c: one thread is always alone ---- */

hc_rc hc_threads_check(hc_error *e)
{
  return refuse(e, "threads", "this build of the library has one thread; set threads to 1, or leave it out");
}

hc_rc hc_thread_start(const hc_allocator *a, void (*work)(void *ctx), void *ctx, hc_thread **out, hc_error *e)
{
  HC_UNUSED(a);
  HC_UNUSED(work);
  HC_UNUSED(ctx);
  HC_UNUSED(out);
  return hc_threads_check(e);
}

void hc_thread_join(hc_thread *t)
{
  HC_UNUSED(t);
}

hc_rc hc_monitor_new(const hc_allocator *a, hc_monitor **out)
{
  HC_UNUSED(a);
  *out = NULL;
  return 0;
}

void hc_monitor_free(hc_monitor *m)
{
  HC_UNUSED(m);
}

void hc_monitor_enter(hc_monitor *m)
{
  HC_UNUSED(m);
}

void hc_monitor_leave(hc_monitor *m)
{
  HC_UNUSED(m);
}

void hc_monitor_wait(hc_monitor *m)
{
  HC_UNUSED(m);
}

void hc_monitor_wake(hc_monitor *m)
{
  HC_UNUSED(m);
}

/* ---- engine/side_file.c ---- */

hc_rc hc_side_file_open(const hc_allocator *a, const char *path, const char *title, bool replaces,
                        hc_side_file **out, hc_error *e)
{
  HC_UNUSED(a);
  HC_UNUSED(title);
  HC_UNUSED(replaces);
  HC_UNUSED(out);
  return refuse(
      e, path,
      "`rejected` names a file, and this build of the library has none; leave it out: the first thousand rejected "
      "rows are in the result");
}

/* ---- output/sqlite_*.c ---- */

hc_rc hc_sqlite_store_new(const hc_allocator *a, const char *path, bool replace, hc_store **out, hc_error *e)
{
  HC_UNUSED(a);
  HC_UNUSED(replace);
  HC_UNUSED(out);
  return refuse(
      e, path,
      "this build of the library has no files for results; give the store no path, and it stays in memory");
}

hc_rc hc_sqlite_result_open(const hc_allocator *a, const char *path, hc_result **out, hc_error *e)
{
  HC_UNUSED(a);
  HC_UNUSED(out);
  return refuse(
      e, path,
      "this build of the library reads no stored results; ask the store that a run has filled (hc_result_of_store)");
}

/* ---- plugin/load.c ---- */

hc_rc hc_registry_load(hc_registry *r, const char *path, hc_error *e)
{
  HC_UNUSED(r);
  return refuse(
      e, path,
      "this build of the library loads no shared objects; link the components, and add them with hc_registry_add or "
      "hc_registry_take");
}

void hc_registry_unload(hc_registry *r)
{
  HC_UNUSED(r);
}

/* ---- workload/extsort.c ---- */

hc_rc hc_sort_lines(const hc_allocator *a, const char *in, const char *out, const hc_sort_options *o,
                    hc_error *e)
{
  HC_UNUSED(a);
  HC_UNUSED(out);
  HC_UNUSED(o);
  return refuse(
      e, in,
      "this build of the library has no files to sort in; give a run a sort_window that is large enough, or sort "
      "the log with `hindcast trace sort`");
}

hc_rc hc_trace_sort(const hc_allocator *a, const char *in, const char *out, size_t memory_bytes, hc_error *e)
{
  HC_UNUSED(memory_bytes);
  return hc_sort_lines(a, in, out, NULL, e);
}

/* ---- base/target.c: no file is any other ---- */

bool hc_same_file(const char *a, const char *b)
{
  HC_UNUSED(a);
  HC_UNUSED(b);
  return false;
}

/* ---- execution/fibers.c: no profile has a stack of its own ---- */

hc_rc hc_fiber_new(const hc_allocator *a, const hc_profile_type *type, size_t room, hc_fiber **out)
{
  HC_UNUSED(a);
  HC_UNUSED(type);
  HC_UNUSED(room);
  HC_UNUSED(out);
  return HC_EUNSUPPORTED;
}

void *hc_fiber_room(hc_fiber *f)
{
  HC_UNUSED(f);
  return NULL;
}

void hc_fiber_free(const hc_allocator *a, hc_fiber *f)
{
  HC_UNUSED(a);
  HC_UNUSED(f);
}

hc_rc hc_fiber_resume(hc_fiber *f, hc_profile *p)
{
  HC_UNUSED(f);
  HC_UNUSED(p);
  return HC_EUNSUPPORTED;
}

void hc_fiber_wait(hc_profile *p)
{
  HC_UNUSED(p);
}

/* ---- study/: the JSON Schema of a core has no keys of studies ---- */

static const hc_file_key no_keys[] = {{.name = NULL}};

const hc_file_key *hc_study_keys(void)
{
  return no_keys;
}

const hc_file_key *hc_claims_keys(void)
{
  return no_keys;
}
