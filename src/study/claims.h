/* claims.h -- what the three files of published statements share: claims.c goes through the file,
 * claims_read.c reads one statement's surroundings, claims_decide.c turns tests into comparisons and
 * comparisons into verdicts. */
#ifndef HC_STUDY_CLAIMS_H
#define HC_STUDY_CLAIMS_H

#include "base/value.h"
#include "study/stat_grid.h"

#define HC_CLAIM_DEPTH 6

/* What a test inherits from the file, its statement, and the tests around it. */
typedef struct hc_claim_scope {
  const char **figures, **axes, **where, **over, **each, **besides;
  size_t figure_count, axis_count, where_count, over_count, each_count, beside_count;
  double margin;
  bool margin_of_range; /* a share of what the means of all levels span; else of the first's mean */
  int direction;        /* 0: as the figure says */
  hc_stat_test test;
} hc_claim_scope;

typedef enum hc_claim_kind { HC_CLAIM_EVERY_LINE, HC_CLAIM_MOST } hc_claim_kind;

/* A test after its comparisons were made: which lines are its own. */
typedef struct hc_claim_node {
  hc_claim_kind kind;
  uint32_t first, end; /* lines */
} hc_claim_node;

/* One file at work. */
typedef struct hc_claim_work {
  const hc_allocator *allocator;
  const hc_study_data *data;
  hc_arena *arena;
  double level;
  const char *const *firm; /* [firm_count] conditions that no statement takes the place of */
  size_t firm_count;
  hc_error *error;
  /* of the statement at hand */
  hc_claim_line *lines;
  size_t line_count, line_cap;
  hc_claim_node *nodes;
  size_t node_count, node_cap;
  const char *why; /* first thing that the study lacks */
} hc_claim_work;

/* A text or a list of texts. */
hc_rc hc_claim_texts(hc_claim_work *w, const hc_value *v, const char ***out, size_t *count);
/* Lay what a map says over what it inherits. */
hc_rc hc_claim_scope_read(hc_claim_work *w, const hc_value *map, const hc_claim_scope *outer,
                          hc_claim_scope *out);
/* Conditions over others: one takes the place of those on the same axis. */
hc_rc hc_claim_where(hc_claim_work *w, const char **add, size_t count, hc_claim_scope *s);
/* What holds of a scope, and what holds of all of them. */
hc_rc hc_claim_all_where(hc_claim_work *w, hc_claim_scope *s);
/* Which key of a map is its test; NULL if there is none, an error if there are two or an unknown key. */
hc_rc hc_claim_find_test(hc_claim_work *w, const hc_value *map, bool is_top, const hc_value **out);

/* Make the comparisons of one test. */
hc_rc hc_claim_compare(hc_claim_work *w, const hc_value *map, const hc_claim_scope *outer, int depth);
/* Decide the statement from all its lines. */
hc_rc hc_claim_decide(hc_claim_work *w, hc_claim_verdict *out);

#endif
