/* machine.h -- the machine as metrics follow it: which dimensions there are and what they are called, and
 * what each host has at the moment.
 *
 * On a cell of processors there is one dimension, cpu, each processor having 1000 of it, and no hosts.
 * Where no cell is described (a log that is only counted) the capacity of the context says how many
 * processors there are. Amounts of the cell as a whole (licences) are in the totals and on no host. */
#ifndef HC_METRIC_MACHINE_H
#define HC_METRIC_MACHINE_H

#include "hindcast/metric.h"

typedef struct hc_machine {
  const hc_metric_context *context; /* borrowed */
  const hc_cell_spec *spec;         /* NULL: processors */
  uint32_t hosts, dimensions;
  uint32_t width; /* amounts of changes are told up to here, by the lexicon's number; at least HC_NEEDS */
  uint8_t which[HC_DIMENSIONS]; /* the lexicon's number of each dimension */
  bool shared[HC_DIMENSIONS];   /* by the lexicon's number: of the cell as a whole */
  int64_t total[HC_DIMENSIONS]; /* by the lexicon's number, like all amounts here */
  int64_t *capacity;            /* [hosts][width] now; NULL */
} hc_machine;

static inline int64_t *hc_machine_capacity(const hc_machine *m, uint32_t host)
{
  return m->capacity + (size_t)host * m->width;
}

/* @param context lives as long as the machine. @return 0 or HC_ENOMEM. */
hc_rc hc_machine_init(hc_machine *m, const hc_metric_context *context);
void hc_machine_fini(hc_machine *m);
/* What a dimension is called, in what it is shown, and how many of its amounts that is. */
const char *hc_machine_name(const hc_machine *m, uint8_t which, char buffer[32]);
const char *hc_machine_unit(uint8_t which);
double hc_machine_per_unit(uint8_t which);
/* A change of kind HOST. @param more [width] out: by how much each amount has grown. @return false: of no
 * host. */
bool hc_machine_change(hc_machine *m, const hc_change *c, int64_t *more);
/* What a task in a queue asks for altogether. */
int64_t hc_machine_asked(const hc_machine *m, const hc_change *c, uint8_t which);
hc_rc hc_machine_visit(hc_machine *m, hc_visitor *v);

/* Which groups each host is in: those of host h are group[first[h]] to group[first[h + 1] - 1]. */
typedef struct hc_belonging {
  size_t *first; /* [hosts + 1] */
  uint32_t *group;
  size_t count;    /* of `group` */
  uint32_t groups; /* how many there are */
} hc_belonging;

/* By sets of hosts; or by those that are failure domains, numbered among themselves. @return 0, HC_ELIMIT
 * (sets that overlap beyond 2^24 members in all), HC_ENOMEM. */
hc_rc hc_belonging_of_sets(const hc_machine *m, bool only_domains, hc_belonging *out);
/* Each host by itself, or in the zone of a level that it is in. @param level NULL: by itself. @return 0,
 * HC_ENOMEM. */
hc_rc hc_belonging_of_level(const hc_machine *m, const hc_zone_level *level, hc_belonging *out);
void hc_belonging_fini(const hc_machine *m, hc_belonging *b);

/* A host whose records belong to one; HC_NO_HOST and what is beyond the cell are none. */
static inline bool hc_machine_has(const hc_machine *m, uint32_t host)
{
  return host < m->hosts;
}

/* Sums of amounts wrap, so that what is added and taken away again leaves what was there. */
static inline int64_t hc_amount_plus(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t hc_amount_minus(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
