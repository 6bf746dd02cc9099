/* slurm_conf.h -- the text of slurm.conf and its sisters (gres.conf, topology.conf): lines of KEY=VALUE
 * pairs.
 *
 * A `#` begins a comment, unless a backslash stands before it; a backslash at the end of a line joins the
 * next to it; values may be in quotes; blanks around `=` count for nothing; `Include FILE` puts the lines
 * of another file in its place. What a line means is its reader's matter. Everything lies in memory: these
 * files have thousands of lines, not millions. Source: https://slurm.schedmd.com/slurm.conf.html. */
#ifndef HC_BASE_SLURM_CONF_H
#define HC_BASE_SLURM_CONF_H

#include "base/mem.h"

typedef struct hc_conf_pair {
  const char *key, *value; /* without quotes */
  uint32_t column;         /* of the key, from 1 in the line with those that are joined to it */
} hc_conf_pair;

typedef struct hc_conf_line {
  const char *file;
  uint32_t line; /* where it begins, from 1 */
  uint32_t count;
  const hc_conf_pair *pairs; /* [count], at least one */
} hc_conf_line;

typedef struct hc_conf {
  hc_arena arena;
  hc_conf_line *lines; /* [count] in the order of the files */
  size_t count, cap;
} hc_conf;

/** Read a file and all that it includes. Close it in every case.
 *  @return 0; HC_EINPUT (no KEY=VALUE, a quote that does not close; with file, line and column), HC_ELIMIT
 *  (includes nested deeper than eight, more than 2^20 lines), HC_EIO, HC_ENOMEM. */
hc_rc hc_conf_read(const hc_allocator *a, const char *path, hc_conf *out, hc_error *e);
/** Lay lines over what was read, each as it would stand in the file: a line NodeName=, PartitionName=,
 *  NodeSet= or the like whose name one of the file has, to the letter, adds its keys to that, and wins; a new
 *  name, or a setting of the whole cluster, goes behind all others. DEFAULT is laid on every line of defaults
 *  of its kind, or becomes the first of them.
 *  @param texts  [count] borrowed for the call  @param where  what errors call them, with the number of each
 *  @return 0; HC_EUSAGE (no KEY=VALUE, Include, an empty line), HC_ELIMIT, HC_ENOMEM. Cost: O(count lines) */
hc_rc hc_conf_lay(const hc_allocator *a, hc_conf *c, const char *const *texts, size_t count,
                  const char *where, hc_error *e);
void hc_conf_close(hc_conf *c, const hc_allocator *a);

/** The last pair of this key in the line, upper and lower case alike. NULL: there is none. */
const hc_conf_pair *hc_conf_find(const hc_conf_line *l, const char *key);
/* Lines of one kind, NodeName or PartitionName, with the defaults that hold for each. */
typedef struct hc_conf_defaults {
  const hc_conf_line **lines; /* [count] those so far */
  size_t count, cap;
} hc_conf_defaults;

/** A value of the line, or of the last line of defaults that has it. NULL: none says it. */
const hc_conf_pair *hc_conf_get(const hc_conf_defaults *d, const hc_conf_line *l, const char *key);
/** Take a line whose first value is DEFAULT as one of defaults. @return 1 if it is, 0, HC_ENOMEM. */
hc_rc hc_conf_is_default(hc_conf_defaults *d, const hc_allocator *a, const hc_conf_line *l);

/** A length of time: [D-]HH:MM:SS, MM:SS, D-HH:MM, D-HH, each with a fraction; a number alone counts `unit`.
 *  @return false: it is none, or longer than 285 years */
bool hc_conf_duration(const char *s, size_t n, hc_time unit, hc_time *out);
/** The same in minutes, with INFINITE, UNLIMITED and -1 as HC_NEVER. */
bool hc_conf_limit(const char *s, hc_time *out);
/** An amount: 4, 4K, 4M, 4G, 4T, by 1024. @return false: it is none, or more than 2^52 */
bool hc_conf_amount(const char *s, size_t n, int64_t *out);

/** Whether two keys are one, upper and lower case alike. */
bool hc_conf_same(const char *a, const char *b);

#endif
