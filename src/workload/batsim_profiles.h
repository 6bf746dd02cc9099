/* batsim_profiles.h -- the profiles of a Batsim workload, as far as they are a length of time. */
#ifndef HC_WORKLOAD_BATSIM_PROFILES_H
#define HC_WORKLOAD_BATSIM_PROFILES_H

#include "base/json.h"
#include "base/value.h"

#define HC_PROFILE_LIMIT ((size_t)1 << 24) /* names */

enum { HC_BATSIM_CPU, HC_BATSIM_COM, HC_BATSIM_AMOUNTS };

typedef struct hc_batsim_profile hc_batsim_profile;

typedef struct hc_profiles {
  const hc_allocator *allocator;
  hc_names names; /* of all that are defined or named; the id is the index in `all` */
  hc_batsim_profile *all;
  size_t cap;
  uint32_t *children; /* of all sequences, one after the other */
  size_t child_count, child_cap;
  bool keeps; /* what other types say is kept: set behind init */
  hc_arena kept;
  const char *last_type, *last_amounts[HC_BATSIM_AMOUNTS]; /* in it, of the profile before; NULL */
} hc_profiles;

/* One as it is written, for those that carry it out. */
typedef struct hc_batsim_facts {
  const char *name, *type;                /* type: NULL where none is given */
  const char *amounts[HC_BATSIM_AMOUNTS]; /* `cpu` and `com`, numbers as they are written; NULL */
  const hc_value *members;                /* all else of those that are neither delay nor sequence; NULL */
  hc_time delay;                          /* ns */
  int64_t repeat;
  const uint32_t *parts; /* [part_count] */
  size_t part_count;
  uint32_t line, column;
  bool is_delay, is_sequence, fails; /* fails: by its own return code */
} hc_batsim_facts;

typedef enum hc_profile_kind {
  HC_PROFILE_UNDEFINED, /* named only */
  HC_PROFILE_OTHER,     /* its length depends on the platform */
  HC_PROFILE_DELAY,
  HC_PROFILE_SEQUENCE
} hc_profile_kind;

void hc_profiles_init(hc_profiles *p, const hc_allocator *a);
void hc_profiles_fini(hc_profiles *p);
/** The id of a name, defined or not yet. @return 0, HC_EINPUT past HC_PROFILE_LIMIT names, HC_ENOMEM. */
hc_rc hc_profiles_id(hc_profiles *p, const hc_json *j, const hc_json_token *name, uint32_t *id, hc_error *e);
/** Read the object of all profiles, whose first token was just read. @return 0, or as hc_json_next. */
hc_rc hc_profiles_read(hc_profiles *p, hc_json *j, hc_error *e);
/** Sum up the sequences, once all is read. @return 0, HC_EINPUT (a sequence that names what is not there,
 *  contains itself, or is endless). */
hc_rc hc_profiles_resolve(hc_profiles *p, const char *name, hc_error *e);
/** What a profile comes to, once resolved: never HC_PROFILE_SEQUENCE. @param time out, ns, of a delay
 *  @param fails  out: it ends with a return code other than 0 */
hc_profile_kind hc_profiles_get(const hc_profiles *p, uint32_t id, hc_time *time, bool *fails);
/** What one says, once resolved. Only with `keeps`. */
void hc_profiles_facts(const hc_profiles *p, uint32_t id, hc_batsim_facts *out);

#endif
