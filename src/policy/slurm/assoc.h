/* assoc.h -- what Slurm's accounting knows of a cluster: the tree of accounts, the users in them with shares
 * and limits (together: associations), and the qualities of service (QOS).
 *
 * Three kinds of text are read, told apart by their content:
 *   a dump          `sacctmgr dump CLUSTER file=F`: "Account - 'a':Fairshare=50:MaxJobs=4", "Parent - 'a'"
 *   a script        commands of sacctmgr, with or without the word itself: "add user name=u account=a"
 *   a table of QOS  `sacctmgr -P show qos`: titles and rows between bars, whatever the columns
 * Several files may be read one after the other; hc_slurm_assocs_settle ends it. As in slurmdbd there are
 * from the begin the account root, the user root in it (which counts in every rank), and the QOS normal.
 *
 * An association that is not given a limit of the kind Max..., QOS or a default QOS has its parent's; limits
 * of the kind Grp... hold for all below it together and are never handed down. Names of accounts, users, QOS
 * and partitions are the same whatever their case, as sacctmgr makes them all lower case.
 *
 * Not here: coordinators, administrators, WCKeys, federations, several clusters (a dump is of one). Keys
 * that the model takes no account of are listed by hc_slurm_assocs_note; a key that Slurm does not know is
 * an error. Accounts are nested 64 deep at most. Source: sacctmgr(1) of Slurm 22.05; the words of its
 * parser. */
#ifndef HC_POLICY_SLURM_ASSOC_H
#define HC_POLICY_SLURM_ASSOC_H

#include "policy/slurm/preempt_conf.h"
#include "policy/slurm/tres.h"

#define HC_SLURM_NONE UINT32_MAX /* no association, no QOS */
#define HC_SLURM_PARENT_SHARES (-1)
#define HC_SLURM_QOS_MOST 256u
#define HC_SLURM_DEEPEST 64u

/* Limits of an association or of a QOS, HC_SLURM_NO_LIMIT where there is none. Counts are of jobs; walls are
 * minutes; minutes of TRES are amounts x minutes. */
typedef struct hc_slurm_bounds {
  int64_t grp_jobs, grp_submit, grp_wall;
  int64_t max_jobs, max_submit;                                                 /* of an association */
  int64_t max_wall;                                                             /* of a job */
  int64_t max_jobs_user, max_submit_user, max_jobs_account, max_submit_account; /* of a QOS */
  hc_slurm_amounts grp, grp_mins, grp_run_mins;
  hc_slurm_amounts max_job, max_node, max_mins;    /* of a job; of it on each node; of it times its limit */
  hc_slurm_amounts max_user, max_account, min_job; /* of a QOS */
} hc_slurm_bounds;

typedef struct hc_slurm_qos_set {
  uint64_t bits[HC_SLURM_QOS_MOST / 64];
} hc_slurm_qos_set;

typedef struct hc_slurm_assoc {
  const char *account;
  const char *user;             /* NULL: an account */
  const char *partition;        /* NULL: any */
  uint32_t parent;              /* HC_SLURM_NONE: the root */
  uint32_t first_child, next;   /* children, the last added first, as Slurm walks them; next: of its parent */
  uint32_t user_id, account_id; /* dense numbers of the names */
  int64_t shares;               /* HC_SLURM_PARENT_SHARES: its parent's */
  int64_t priority;             /* for the factor; 0: none */
  hc_slurm_bounds bounds;
  hc_slurm_qos_set qos; /* that it may use */
  uint32_t default_qos; /* HC_SLURM_NONE: none */
  uint32_t depth;       /* of the root: 0 */
  bool has_qos;
} hc_slurm_assoc;

typedef enum hc_slurm_qos_flag {
  HC_SLURM_DENY_ON_LIMIT = 1,
  HC_SLURM_ENFORCE_THRESHOLD = 2,
  HC_SLURM_NO_DECAY = 4,
  HC_SLURM_NO_RESERVE = 8,
  HC_SLURM_OVER_PART_QOS = 16,
  HC_SLURM_PART_MAX_NODE = 32, /* beyond the partition's limit */
  HC_SLURM_PART_MIN_NODE = 64,
  HC_SLURM_PART_TIME = 128,
  HC_SLURM_REQUIRES_RESERVATION = 256,
  HC_SLURM_FACTOR_SAFE = 512 /* UsageFactorSafe: limits of time times the factor */
} hc_slurm_qos_flag;

typedef struct hc_slurm_qos {
  const char *name; /* in lower case */
  int64_t priority;
  uint32_t flags;      /* hc_slurm_qos_flag */
  double usage_factor; /* 1 */
  double limit_factor; /* 0: limits of associations hold as they are */
  hc_slurm_bounds bounds;
  hc_slurm_qos_set preempts;  /* whose jobs its own may stop */
  const char *preempt_mode;   /* "cluster" */
  hc_slurm_preempt_mode mode; /* what it says */
  bool within;                /* its jobs may stop each other */
  int64_t grace;              /* GraceTime, s */
  int64_t exempt;             /* PreemptExemptTime, s; -1: as the cluster has it */
  hc_slurm_place named;       /* where it was first named */
  bool is_described, is_gone;
} hc_slurm_qos;

typedef struct hc_slurm_assocs {
  const hc_allocator *allocator;
  hc_arena arena;
  hc_slurm_tres tres;
  const char *cluster;   /* "": none was named */
  hc_slurm_assoc *items; /* [count], parents before children; 0 is the root */
  size_t count, cap;
  hc_slurm_qos *qos; /* [qos_count] */
  size_t qos_count, qos_cap;
  uint32_t user_count; /* associations of users, root's too: what ranks are of */
  int64_t most_priority, most_qos_priority;
  hc_names keys;            /* account, user and partition -> number of the association */
  hc_names users, accounts; /* names -> dense numbers */
  const char **home;        /* [users.count] default account; NULL: none */
  size_t home_cap;
  hc_names unmodelled; /* keys that play no part */
  bool has_qos_source, is_settled;
} hc_slurm_assocs;

/** An empty cluster: root, its user, the QOS normal. Give it back by hc_slurm_assocs_fini in every case.
 *  @return 0 or HC_ENOMEM */
hc_rc hc_slurm_assocs_init(hc_slurm_assocs *b, const hc_allocator *a);
void hc_slurm_assocs_fini(hc_slurm_assocs *b);

/** Read a file of one of the three kinds over what is known. A second line for the same association changes
 *  it, as in sacctmgr.
 *  @return 0; HC_EINPUT with file, line, column and what to write instead (unknown key, value that is none,
 *  account that was not added before its users, command that cannot be modelled); HC_ELIMIT (accounts nested
 *  deeper than HC_SLURM_DEEPEST, more QOS than HC_SLURM_QOS_MOST, more TRES than there may be), HC_EIO,
 *  HC_ENOMEM. Cost: O(bytes), and O(associations) per command that names no user or account. */
hc_rc hc_slurm_assocs_read(hc_slurm_assocs *b, const char *path, hc_error *e);
/** Hand limits, QOS and default QOS down the tree, and find the largest priorities. Once, behind the last
 *  file. @return 0; HC_EINPUT: a QOS is named that no file describes, though one describes others (with its
 *  place); a user has the default QOS that it may not use. Cost: O(associations) */
hc_rc hc_slurm_assocs_settle(hc_slurm_assocs *b, hc_error *e);

/** The association of a user in an account (NULL or "": its default account) for jobs in a partition (NULL:
 *  any), that of this partition before that of all. @return HC_SLURM_NONE: there is none. Such a job has no
 *  factor of fair share and no limits, and is rejected where AccountingStorageEnforce has associations. */
uint32_t hc_slurm_assocs_find(const hc_slurm_assocs *b, const char *account, const char *user,
                              const char *partition);
/** An account as such. @return HC_SLURM_NONE */
uint32_t hc_slurm_assocs_account(const hc_slurm_assocs *b, const char *account);
/** The default account of a user: what DefaultAccount names, else the first it was added to. NULL: none. */
const char *hc_slurm_assocs_home(const hc_slurm_assocs *b, const char *user);
/** A QOS by its name. @return HC_SLURM_NONE */
uint32_t hc_slurm_assocs_qos(const hc_slurm_assocs *b, const char *name);
/** What a job that names no QOS has: the association's default, or `normal`, or, as Slurm does where the
 *  association may use one only, that one; HC_SLURM_NONE without an association and without `normal`. */
uint32_t hc_slurm_assocs_default_qos(const hc_slurm_assocs *b, uint32_t assoc);
/** Whether an association may use a QOS. Without an association: yes. */
bool hc_slurm_assocs_may_use(const hc_slurm_assocs *b, uint32_t assoc, uint32_t qos);

static inline bool hc_slurm_qos_has(const hc_slurm_qos_set *s, uint32_t qos)
{
  return (s->bits[qos / 64] >> (qos % 64) & 1) != 0;
}

/** What a result should say: keys that play no part, QOS that are named and not described. Nothing is added
 *  if there is nothing to say. */
void hc_slurm_assocs_note(const hc_slurm_assocs *b, hc_buffer *out);

/* ---- for the readers of the three texts (assoc_keys.c, assoc_read.c, assoc_script.c) ---- */

/** Add an association, or find it. @param user  NULL: the account itself. @return 0; HC_EINPUT with `at`:
 *  there is no such parent; HC_ELIMIT, HC_ENOMEM */
hc_rc hc_slurm_assocs_add(hc_slurm_assocs *b, const char *account, const char *user, const char *partition,
                          const char *parent, const hc_slurm_place *at, uint32_t *out, hc_error *e);
/** The default account of a user from now on, unless `weakly` and it has one. */
hc_rc hc_slurm_assocs_set_home(hc_slurm_assocs *b, const char *user, const char *account, bool weakly);
/** A QOS by its name, added if it is new. @return 0, HC_ELIMIT or HC_ENOMEM, with their text */
hc_rc hc_slurm_assocs_add_qos(hc_slurm_assocs *b, const char *name, const hc_slurm_place *at, uint32_t *out,
                              hc_error *e);

/* KEY=VALUE, or KEY+=VALUE with `op` '+', KEY-=VALUE with '-'. */
typedef struct hc_slurm_setting {
  const char *key, *value;
  size_t key_size;
  char op;
  hc_slurm_place at; /* of the key */
} hc_slurm_setting;

/** Set a key of an association, or of a QOS. @return 0; HC_EINPUT with the place, HC_ELIMIT, HC_ENOMEM */
hc_rc hc_slurm_assoc_set(hc_slurm_assocs *b, uint32_t assoc, const hc_slurm_setting *s, hc_error *e);
hc_rc hc_slurm_qos_set_key(hc_slurm_assocs *b, uint32_t qos, const hc_slurm_setting *s, hc_error *e);
/** Whether a word is the begin of `name`, at least `least` characters of it, whatever the case: how sacctmgr
 *  takes its keys and commands. */
bool hc_slurm_begins(const char *word, size_t n, const char *name, size_t least);
/** Whether a name of `n` bytes stands in a list between commas and blanks, whatever the case. */
bool hc_slurm_is_listed(const char *list, const char *name, size_t n);
/** A line of commands ("add user name=u"): assoc_script.c. @param at  of the line */
hc_rc hc_slurm_assocs_command(hc_slurm_assocs *b, const char *line, const hc_slurm_place *at, hc_error *e);

#endif
