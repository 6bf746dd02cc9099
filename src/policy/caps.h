/* caps.h -- caps on what parts of a machine draw, and on what tasks of a user, a group or a queue add to
 * that, as a configuration's lists say them.
 *
 * An entry is NAME=WATTS. Of hosts NAME is a zone, a class or a set of hosts, or a list of their names
 * in brackets; of tasks it is the name by which the source knows a user (group, queue), else its number,
 * else * for each that the list does not name. */
#ifndef HC_POLICY_CAPS_H
#define HC_POLICY_CAPS_H

#include "base/mem.h"
#include "hindcast/policy.h"

typedef enum hc_cap_of { HC_CAP_USER, HC_CAP_GROUP, HC_CAP_QUEUE, HC_CAP_HOSTS } hc_cap_of;

typedef struct hc_cap {
  double watts;
  const char *name; /* [length] as it is written; NULL: the machine */
  size_t length;
  hc_cap_of of;
  uint64_t *hosts; /* HOSTS: [words] which */
} hc_cap;

typedef struct hc_caps {
  const hc_allocator *allocator;
  const hc_lexicon *lexicon;
  const hc_cell_spec *cell;
  hc_cap *all; /* [count] */
  size_t count, cap, words;
} hc_caps;

void hc_caps_init(hc_caps *c, const hc_policy_context *context);
void hc_caps_fini(hc_caps *c);
/** A cap of all hosts. @return 0 or HC_ENOMEM */
hc_rc hc_caps_add_machine(hc_caps *c, double watts);
/** One of the lists: const char * entries. @return 0; HC_EUSAGE: which entry, and how it is written;
 *  HC_ENOMEM */
hc_rc hc_caps_read(hc_caps *c, hc_cap_of of, const hc_list *list, hc_error *e);
static inline bool hc_cap_has(const hc_cap *c, uint32_t host)
{
  return c->hosts[host / 64] >> (host % 64) & 1;
}
/** The cap that a user, group or queue is under; NULL: none. */
const hc_cap *hc_caps_of(const hc_caps *c, hc_cap_of of, int64_t number);

#endif
