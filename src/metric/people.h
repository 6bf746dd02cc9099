/* people.h -- a level for each user, by number: for all of them the mean, the greatest, and the last; for
 * those who came first also a column of spans.
 *
 * Users are found through a map and come out by ascending number; -1, who is not known, is one of them.
 * Memory is in proportion to the users. */
#ifndef HC_METRIC_PEOPLE_H
#define HC_METRIC_PEOPLE_H

#include "metric/order.h"
#include "metric/spans.h"

typedef struct hc_person {
  int64_t user;
  hc_level level;
  hc_wide sum;
  uint64_t column; /* in spans, from 1; 0: has none */
} hc_person;

typedef struct hc_people {
  const hc_allocator *allocator;
  hc_map index; /* user -> place in items */
  hc_person *items;
  size_t count, cap;
  size_t first, most; /* columns of spans: from `first`, at most so many */
  hc_order order;     /* after hc_people_order */
} hc_people;

/* @param first column of the first user; @param most how many users have one */
void hc_people_init(hc_people *p, const hc_allocator *a, size_t first, size_t most);
void hc_people_fini(hc_people *p);
/* The user's place, made if new. @return 0, HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_people_find(hc_people *p, hc_spans *s, int64_t user, size_t *out);
/* From `t` on a user's level has this value. @return 0 or HC_ENOMEM. */
hc_rc hc_people_set(hc_people *p, hc_spans *s, size_t at, hc_time t, int64_t value);
/* Time has come to the end of `s`, which is closed. */
void hc_people_close(hc_people *p, const hc_spans *s);
/* Put them in order by ascending user: the i-th is hc_people_at. @return 0 or HC_ENOMEM. */
hc_rc hc_people_order(hc_people *p);
hc_rc hc_people_visit(hc_people *p, hc_visitor *v);

static inline const hc_person *hc_people_at(const hc_people *p, size_t i)
{
  return &p->items[p->order.at[i]];
}

/* Mean since the first change, in the level's amounts. */
static inline double hc_people_mean(const hc_person *x, const hc_spans *s)
{
  return hc_wide_ratio(x->sum, hc_wide_product(s->times.end - s->times.begin, 1));
}

#endif
