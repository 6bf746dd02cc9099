/** @file files.h Where inputs come from: the system's files, or texts that the program holds.
 *
 *  Every input that a run names (its log, its run files, machines, events, tables) is opened through a table
 *  of functions, which stands in the allocator that everything is made with. A program that has its inputs in
 *  memory gives them names:
 *
 *      hc_texts_new(hc_default_allocator(), &texts);
 *      hc_texts_add(texts, "log.swf", data, size, &e);
 *      hc_allocator a = *hc_default_allocator();
 *      a.files = hc_texts_files(texts);
 *      ... hc_config_new(&a, ...), hc_config_file(c, "run.yaml", &e), hc_run_new(&a, ...) ...
 *
 *  Outputs do not go through it: a store has a path or none, exporters write to a sink. */
#ifndef HINDCAST_FILES_H
#define HINDCAST_FILES_H

#include "hindcast/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An input that is open. The table that opened it fills it; its reader only passes it on. */
typedef struct hc_file {
  void *is;       /* what the table knows it by */
  int64_t number; /* the same, or where reading stands */
  uint64_t size;  /* bytes as they are stored; 0: unknown */
  bool can_seek;  /* it can be read twice */
  bool is_stream; /* it has no name that could be opened again: standard input */
} hc_file;

typedef enum hc_file_kind {
  HC_FILE_ABSENT,
  HC_FILE_PLAIN,
  HC_FILE_DIRECTORY,
  HC_FILE_OTHER /* a pipe, a device: it can be read once */
} hc_file_kind;

/** A program may have a table of its own. Names are as users write them, "-" is standard input. It is
 *  borrowed for as long as anything that was made with its allocator lives. One run reads from one thread
 *  unless it says `threads: 2`: then `open` and all that follow may be called on another one. */
typedef struct hc_files {
  void *ctx;
  /** @param out filled on success. @return 0, HC_EIO (with what is wrong and what to do), HC_ENOMEM. */
  hc_rc (*open)(void *ctx, const char *name, hc_file *out, hc_error *e);
  /** Read what comes next. @param room at least 1, at most 2^30. @return how many bytes were read, 0 at
   *  the end, HC_EIO */
  hc_rc (*read)(void *ctx, hc_file *f, void *data, size_t room, hc_error *e);
  /** Go on at a byte; asked only if `can_seek`. @return 0; HC_EINPUT: the file ends before; HC_EIO */
  hc_rc (*seek)(void *ctx, hc_file *f, uint64_t to, hc_error *e);
  void (*close)(void *ctx, hc_file *f);
  /** What there is of this name. @param size may be NULL; out: of a plain file, bytes */
  hc_file_kind (*look)(void *ctx, const char *name, uint64_t *size);
  /** The names in a directory ("" is the one that names start at), without their directory, in any order.
   *  @return 0, HC_EIO, or the first thing other than 0 that `each` returned */
  hc_rc (*list)(void *ctx, const char *directory, hc_rc (*each)(void *each_ctx, const char *name),
                void *each_ctx, hc_error *e);
  /** Whether an output that is written to the path would take the place of the input; NULL: never. */
  bool (*same)(void *ctx, const char *output, const char *input);
} hc_files;

/** The system's files. In a core there are none: each name is refused, with what to do instead. */
HC_API const hc_files *hc_system_files(void);

/** Append what a file holds, unpacked if it is packed (gzip, zstd, xz; not in a core): what a run that reads
 *  it sees.
 *  @param most  bytes @return 0; HC_ELIMIT: it holds more, and `out` has some of them; HC_EIO, HC_EINPUT
 *  (packed data that are damaged), HC_EUNSUPPORTED (packed, in a core), HC_ENOMEM. Since 0.3. */
HC_API hc_rc hc_file_text(const hc_allocator *a, const char *path, uint64_t most, hc_buffer *out,
                          hc_error *e);

/** Texts with names, which lie in memory. A name with slashes stands in directories, as a path does; a
 *  leading "./" means nothing. */
typedef struct hc_texts hc_texts;

/** @return 0 or HC_ENOMEM. */
HC_API hc_rc hc_texts_new(const hc_allocator *a, hc_texts **out);
/** After all that was made with its table. NULL is fine. */
HC_API void hc_texts_free(hc_texts *t);
/** Give a text a name, or one in the place of another that had it. Not while a run reads.
 *  @param data [size] borrowed until it is freed or replaced; may hold what is packed or any bytes; NULL if
 *  size is 0
 *  @return 0, HC_EUSAGE (no name, "-", or one that ends in a slash), HC_ENOMEM. */
HC_API hc_rc hc_texts_add(hc_texts *t, const char *name, const void *data, size_t size, hc_error *e);
/** The same of a copy, which the texts own. @return as hc_texts_add. */
HC_API hc_rc hc_texts_copy(hc_texts *t, const char *name, const void *data, size_t size, hc_error *e);
/** The table, for hc_allocator.files. Borrowed from the texts. */
HC_API const hc_files *hc_texts_files(const hc_texts *t);

#ifdef __cplusplus
}
#endif
#endif
