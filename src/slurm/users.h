/* users.h -- pseudo-users: accounts of this machine in whose names a log's jobs are replayed.
 *
 * A list in a file, a line each of NAME:UID, is all that is known of them. What is created is in the list
 * before it is created; what is deleted is in the list, has that very uid on the machine, and is not below
 * HC_PSEUDO_LEAST: so nothing made by others is ever removed. Both are first shown (a dry run),
 * and done only when asked for. */
#ifndef HC_SLURM_USERS_H
#define HC_SLURM_USERS_H

#include "base/mem.h"

#define HC_PSEUDO_LEAST 20000
#define HC_PSEUDO_MOST 59999 /* those above are not for users on Debian */

typedef struct hc_pseudo_user {
  char name[32];
  int64_t uid;
} hc_pseudo_user;

typedef struct hc_pseudo_users {
  const hc_allocator *allocator;
  hc_pseudo_user *items; /* [count] in the order of the file */
  size_t count, cap;
} hc_pseudo_users;

/* The accounts of the machine, as those who plan see them; tests have others. */
typedef struct hc_accounts {
  void *ctx;
  int64_t (*uid_of)(void *ctx, const char *name); /* -1: there is none of that name */
  bool (*has_uid)(void *ctx, int64_t uid);
} hc_accounts;
extern const hc_accounts hc_accounts_of_machine;

/** @return 0; HC_EINPUT: a line that is none, a uid that is not one for them, a name twice; HC_EIO;
 *  HC_ENOMEM */
hc_rc hc_pseudo_read(const hc_allocator *a, const char *path, hc_pseudo_users *out, hc_error *e);
void hc_pseudo_fini(hc_pseudo_users *u);

/** Add `count` users that are not in the list: PREFIX1, PREFIX2 ... with uids that are free, from `first`
 *  on.
 *  @return 0; HC_EUSAGE: the prefix, the uids, or a name that is taken; HC_ENOMEM */
hc_rc hc_pseudo_plan(hc_pseudo_users *u, size_t count, const char *prefix, int64_t first,
                     const hc_accounts *m, hc_error *e);
/** Whether one may be deleted. @return 1; 0: it is gone; HC_EUSAGE: it is not the one that was made */
hc_rc hc_pseudo_may_delete(const hc_pseudo_user *u, const hc_accounts *m, hc_error *e);
/** The command that makes or removes it. @param argv  [12] out; @param uid  [32] its memory */
void hc_pseudo_command(const hc_pseudo_user *u, bool make, const char *argv[12], char uid[32]);
/** Write the list, from the `from`-th on, as a file that changes as a whole. @return 0 or HC_EIO */
hc_rc hc_pseudo_write(const hc_pseudo_users *u, size_t from, const char *path, hc_error *e);

#endif
