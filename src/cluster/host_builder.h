/* host_builder.h -- puts a cell of hosts together: classes, names, zones, and what happened to each host.
 *
 * A reader of a description of machines says what it knows, in any order: this host exists, it is of that
 * class or had so much at that time, it is in this rack, it went at that time. At the end the builder makes
 * of it what a cell spec wants: dense ids in order of first sight, one class for all that are alike, events
 * ascending in time, nothing said twice. Working memory comes from the context's allocator and is given back;
 * the spec lies in its arena. */
#ifndef HC_CLUSTER_HOST_BUILDER_H
#define HC_CLUSTER_HOST_BUILDER_H

#include "base/mem.h"
#include "hindcast/cell.h"

#define HC_MOST_HOSTS 16777216u         /* 2^24 */
#define HC_MOST_FACTS ((size_t)1 << 24) /* of all hosts together */
#define HC_MOST_LEVELS ((size_t)64)
#define HC_MOST_ATTRIBUTES ((size_t)1024) /* of one class that a user describes */
#define HC_MOST_AMOUNT ((int64_t)1 << 52) /* of one dimension on one host */
#define HC_MOST_TOTAL ((int64_t)1 << 62)  /* of one dimension on all of them */

/* A host as a log of machines tells it: from `at` on it is there, or not, with so much. */
typedef enum hc_fact_how { HC_FACT_ADD, HC_FACT_REMOVE, HC_FACT_UPDATE } hc_fact_how;
typedef struct hc_host_fact {
  hc_time at;
  uint32_t host, how;
  int64_t capacity[HC_DIMENSIONS]; /* HC_UNKNOWN: not said */
} hc_host_fact;

/* The same as the builder keeps it: with the amounts that it says, and no others. */
typedef struct hc_told_fact {
  hc_time at;
  uint32_t host;
  uint16_t how, count; /* of amounts */
  uint64_t place;      /* order in which it was told */
  size_t first;        /* of its amounts */
} hc_told_fact;

/* An attribute that a host got, or lost, at some time. */
typedef struct hc_host_trait {
  hc_time at;
  uint32_t host;
  bool gone;
  uint64_t place; /* set by the builder */
  hc_attribute attribute;
} hc_host_trait;

typedef struct hc_builder_level {
  const char *name; /* in the context's arena */
  uint32_t *zone_of;
  size_t cap;
  hc_names zones;
} hc_builder_level;

typedef struct hc_host_builder {
  const hc_cell_context *c;
  const char *where;      /* who builds, for errors */
  const char *class_word; /* classes made of facts are called by this word and a number */
  hc_names names;
  uint32_t *class_of; /* [names.count]; HC_NO_NAME: to be found from the facts */
  size_t class_of_cap;
  hc_host_class *classes;
  size_t class_count, class_cap;
  hc_map by_content;
  hc_names class_names; /* those that a user gave, which must differ */
  hc_builder_level *levels;
  size_t level_count, level_cap;
  hc_told_fact *facts;
  size_t fact_count, fact_cap;
  hc_amount *amounts; /* of all facts */
  size_t amount_count, amount_cap;
  hc_host_trait *traits;
  size_t trait_count, trait_cap;
  hc_cell_event *events;
  size_t event_count, event_cap;
  uint8_t *absent; /* [names.count] once the facts are told; NULL */
  hc_buffer note;
} hc_host_builder;

void hc_builder_init(hc_host_builder *b, const hc_cell_context *c, const char *where);
void hc_builder_fini(hc_host_builder *b);
/** Memory of the spec. @return NULL and an error if there is none. */
void *hc_builder_alloc(hc_host_builder *b, size_t size, hc_error *e);
const char *hc_builder_text(hc_host_builder *b, const char *s, size_t n, hc_error *e);
/** Say what was left out or assumed; several are joined by "; ". */
void hc_builder_note(hc_host_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The class with this content, a new one if there is none. Everything is copied.
 *  @return 0, HC_ELIMIT (too many classes), HC_ENOMEM. */
hc_rc hc_builder_class(hc_host_builder *b, const hc_host_class *class, uint32_t *id, hc_error *e);
/** The error of a cell with more than HC_MOST_HOSTS. @return HC_ELIMIT. */
hc_rc hc_builder_too_many(const hc_host_builder *b, hc_error *e);
/** The host of this name. @param class HC_NO_NAME: to be found from the facts.
 *  @return 1: it is new; 0: it was there before, and keeps its class; HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_builder_host(hc_host_builder *b, const char *name, size_t n, uint32_t class, uint32_t *id,
                      hc_error *e);
/** The level of this name. @return 1: new; 0: known; HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_builder_level_of(hc_host_builder *b, const char *name, size_t n, uint32_t *level, hc_error *e);
/** Put a host into a zone of a level; the first word counts. */
hc_rc hc_builder_zone(hc_host_builder *b, uint32_t level, uint32_t host, const char *zone, size_t n,
                      hc_error *e);
/** Tell something of a host that was given no class. @return 0, HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_builder_fact(hc_host_builder *b, const hc_host_fact *fact, hc_error *e);
hc_rc hc_builder_trait(hc_host_builder *b, const hc_host_trait *trait, hc_error *e);

/** An attribute's value: a whole number ("-5", "12.0"; as readers of constraints have it), or a text.
 *  @return 0 or HC_ENOMEM. */
hc_rc hc_builder_value(hc_host_builder *b, const char *text, size_t n, hc_attribute *out, hc_error *e);

/** Make the spec. Hosts of which neither class nor amounts are known are left out, and noted.
 *  @return 0, HC_EINPUT (there is no host), HC_ELIMIT (more in all than can be counted), HC_ENOMEM. */
hc_rc hc_builder_finish(hc_host_builder *b, hc_cell_spec *out, hc_error *e);

/* host_facts.c: a part of finishing. Facts and traits become classes, events and absences. */
hc_rc hc_builder_settle_facts(hc_host_builder *b, hc_error *e);

/** A new fact or class with nothing in it. */
static inline hc_host_fact hc_host_fact_none(hc_time at, uint32_t host, hc_fact_how how)
{
  hc_host_fact f = {.at = at, .host = host, .how = (uint32_t)how};
  for (int d = 0; d < HC_DIMENSIONS; d++) f.capacity[d] = HC_UNKNOWN;
  return f;
}

#endif
