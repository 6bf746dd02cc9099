/* filesystem.h -- files on disks, by path.
 *
 * A file system has *mounts*: a directory and the disk below it. A path belongs to the longest mount that it
 * lies in ("/data/1/x" to "/data/1" before "/data"; "/database" not to "/data"). Paths begin with a slash and
 * are compared byte by byte; there are no directories but as parts of names.
 *
 * Writing appends: a file is as long as what writes have ended on it, and its disk has what writes take, from
 * their beginning on. A disk may be mounted at several places, and by several file systems: each sees the
 * space that all of them use.
 *
 * Source: DSLab (dslab-storage, file system; reference vector V29).
 *
 * Ownership: a file system owns its names and borrows its disks. Not thread-safe. Operations are disk.h's,
 * with its times: what hc_disks_advance tells is handed to hc_filesystem_ended of the file systems of these
 * disks. */
#ifndef HC_EXECUTION_FILESYSTEM_H
#define HC_EXECUTION_FILESYSTEM_H

#include "execution/disk.h"

typedef struct hc_filesystem hc_filesystem;

/* What a call comes to, of its own. Errors of memory and of use are below 0. */
typedef enum hc_file_answer {
  HC_FILE_OK,
  HC_FILE_NOT_MOUNTED, /* no mount has this path */
  HC_FILE_MOUNTED,     /* mount: there is one at this place. unmount: it has files */
  HC_FILE_EXISTS,
  HC_FILE_MISSING,
  HC_FILE_BUSY,  /* it is being read or written */
  HC_FILE_SHORT, /* read: it has not so many bytes */
  HC_FILE_FULL   /* write: its disk has no room */
} hc_file_answer;
const char *hc_file_answer_text(hc_file_answer answer);

/** @param disks borrowed, and outlives it @return 0 or HC_ENOMEM */
hc_rc hc_filesystem_new(const hc_allocator *a, hc_disks *disks, hc_filesystem **out);
void hc_filesystem_free(hc_filesystem *f); /* NULL is nothing */

/** @return HC_FILE_OK, MOUNTED; HC_EINPUT: no such disk, or a path that is none; HC_ENOMEM */
int hc_filesystem_mount(hc_filesystem *f, const char *path, uint32_t disk);
/** @return HC_FILE_OK, NOT_MOUNTED, MOUNTED: it has files */
int hc_filesystem_unmount(hc_filesystem *f, const char *path);

/** An empty file. @return HC_FILE_OK, NOT_MOUNTED, EXISTS; HC_EINPUT: no path; HC_ENOMEM */
int hc_filesystem_create(hc_filesystem *f, const char *path);
/** A file that is there, of so many bytes. @return as create, and HC_FILE_FULL */
int hc_filesystem_put(hc_filesystem *f, const char *path, double bytes);
/** Does something read or write it? */
bool hc_filesystem_is_busy(const hc_filesystem *f, const char *path);
/** Its space is free again. @return HC_FILE_OK, NOT_MOUNTED, MISSING, BUSY */
int hc_filesystem_delete(hc_filesystem *f, const char *path);
/** @param bytes out @return HC_FILE_OK, NOT_MOUNTED, MISSING */
int hc_filesystem_size(const hc_filesystem *f, const char *path, double *bytes);
/** Used space of all disks that are mounted, each counted once. */
double hc_filesystem_used(const hc_filesystem *f);

/** Read or append so many bytes. @param r as disk.h's; reading, bytes below 0: all of it @param op out: of
 *  the disks @return HC_FILE_OK, NOT_MOUNTED, MISSING, SHORT, FULL; or as hc_disk_begin */
int hc_filesystem_begin(hc_filesystem *f, hc_time now, const char *path, const hc_disk_request *r,
                        uint32_t *op);
/** Stop an operation that this file system began; what has been written of it is part of the file.
 *  @return 0; HC_EINPUT: there is none of that number; HC_ENOMEM */
hc_rc hc_filesystem_cancel(hc_filesystem *f, hc_time now, uint32_t op);
/** An operation of the disks has ended. @return true: it was on a file of this file system */
bool hc_filesystem_ended(hc_filesystem *f, const hc_disk_end *end);

/** Mounts, files, and what goes on on them. Its disks are visited by themselves. @return 0; HC_EINPUT: what
 *  is loaded is damaged; HC_ENOMEM. Then it can only be freed. */
hc_rc hc_filesystem_visit(hc_filesystem *f, hc_visitor *v);

#endif
