/** @file grouping.h What tasks have in common: by user, by day and hour, by size, by any expression.
 *
 *  A grouping reads a task record and says which group the task is in. It has one dimension or two, and gives
 *  groups numbers in the order in which they are met. The metric `by` counts with it, `hindcast compare --by`
 *  pairs with it. */
#ifndef HINDCAST_GROUPING_H
#define HINDCAST_GROUPING_H

#include "hindcast/component.h"
#include "hindcast/lexicon.h"
#include "hindcast/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(NAME, word, what it is) */
#define HC_TRAITS(X) \
  X(USER, "user", "the user's number in the source") \
  X(GROUP, "group", "the group's; accounts and projects are groups") \
  X(ACCOUNT, "account", "the account's beside the group; of a task without, the group's") \
  X(EXECUTABLE, "executable", "the executable's, or the job name's") \
  X(QUEUE, "queue", "the queue's; a QOS is a queue") \
  X(QOS, "qos", "the QOS's beside the queue; of a task without, the queue's") \
  X(PARTITION, "partition", "the partition's") \
  X(MONTH, "month", "month of submission") \
  X(DAY, "day", "date of submission") \
  X(WEEKDAY, "weekday", "weekday of submission, from Monday") \
  X(HOUR, "hour", "hour of the day of submission, 0 to 23") \
  X(SIZE, "size", "processors, or cores on hosts, in classes") \
  X(ALL, "all", "nothing: all tasks are one group") \
  X(ESTIMATE, "estimate", "what the policy believed of the run time, in classes")

/** What tasks are told apart by. HC_TRAIT_EXPRESSION is anything that is not one of the words. */
typedef enum hc_trait {
#define X(name, word, text) HC_TRAIT_##name,
  HC_TRAITS(X)
#undef X
      HC_TRAIT_EXPRESSION,
  HC_TRAIT_COUNT
} hc_trait;

/** Most dimensions of a grouping, and most groups that are told apart. */
enum { HC_GROUPING_DIMENSIONS = 2, HC_GROUPING_MOST = 100000, HC_GROUPING_TABLE = 96 };

/** How tasks are grouped. Zeroed but for `by`: no calendar, classes by powers. Borrowed for the call. */
typedef struct hc_grouping_options {
  /** [by_count] Dimensions, together at most two. Each text may hold several, with commas between them:
   *  "user,day". What is no word of HC_TRAITS is an expression: "wait > 3600". */
  const char *const *by;
  size_t by_count;
  /** [size_count] Upper limits of classes of size, ascending, in processors or cores; the last class is what
   *  is larger. None: powers of two. */
  const int64_t *sizes;
  size_t size_count;
  /** [estimate_count] The same of estimates, ns. None: powers of ten of seconds. */
  const hc_time *estimates;
  size_t estimate_count;
  hc_time tau;        /* of bounded_slowdown in an expression, ns; 0: 10 s */
  int64_t most;       /* groups; 0: HC_GROUPING_MOST */
  int64_t core_units; /* units that are one core: 1000 on hosts with cores; 0: sizes are units as they are */
  int64_t unix_start; /* of the run's origin, s; HC_UNKNOWN: dates are not known */
  const char *zone;   /* tz database name: dates are local ones; NULL: `zone_offset` all the time */
  int32_t zone_offset;
  /** What a user, a queue ... is called, with which expressions compare names: user == "ann". NULL: nothing
   *  has a name. It is asked task by task. */
  const char *(*called)(const void *called_ctx, hc_called kind, int64_t number);
  const void *called_ctx; /* borrowed for the grouping's life */
  /** As in hc_metric_context. */
  bool (*beside)(void *beside_ctx, int64_t serial, hc_beside *out);
  void *beside_ctx;
} hc_grouping_options;

/** What a group is, in one dimension. A class holds what is above `value` and not above `to`. */
typedef struct hc_group_value {
  bool is_known;    /* false: the group of tasks of which it is not known */
  bool is_class;    /* SIZE, ESTIMATE: `value` and `to` bound it */
  int64_t number;   /* of a user ...; days and months since 1970-01; weekday from 0; hour */
  double value, to; /* of an expression; of a class, in processors, cores or s; `to` infinite: no limit */
  bool is_other;    /* ACCOUNT, QOS: `number` is a group's, or a queue's: the tasks have none beside it */
} hc_group_value;

typedef struct hc_grouping hc_grouping;

/** @return 0; HC_EUSAGE: no dimension, more than two, one twice, no such word or variable, limits that do not
 *  ascend, a date where the calendar is not known; HC_ENOMEM. */
HC_API hc_rc hc_grouping_new(const hc_allocator *a, const hc_grouping_options *o, hc_grouping **out,
                             hc_error *e);
HC_API void hc_grouping_free(hc_grouping *g);
/** Dimensions, and which each is; the name is the word, or the expression's text. */
HC_API uint32_t hc_grouping_dimensions(const hc_grouping *g);
HC_API hc_trait hc_grouping_trait(const hc_grouping *g, uint32_t dimension);
HC_API const char *hc_grouping_name(const hc_grouping *g, uint32_t dimension);
/** Whether an expression is a claim, which holds (1) or does not (0): a comparison, or several joined. */
HC_API bool hc_grouping_is_claim(const hc_grouping *g, uint32_t dimension);
/** The word of a trait; NULL for an expression. Constant. */
HC_API const char *hc_trait_word(hc_trait kind);
/** The trait of a word; HC_TRAIT_EXPRESSION if it is none. */
HC_API hc_trait hc_trait_find(const char *word, size_t n);
/** Whether `account` and `qos` are apart from `group` and `queue`: some task so far had one beside it, or
 *  both words were asked for. */
HC_API bool hc_grouping_is_apart(const hc_grouping *g);
/** What stored tables call a dimension: its name; but "group" for `account`, and "queue" for `qos`, unless
 *  they are apart. */
HC_API const char *hc_grouping_stored_name(const hc_grouping *g, uint32_t dimension, bool is_apart);
/** What a stored table of such groups is called: "by(user,day)"; cut to its room.
 *  @param table [HC_GROUPING_TABLE] out */
HC_API void hc_grouping_table(const hc_grouping *g, bool is_apart, char *table);
/** Which group each record is in. Groups past the `most`-th are one: the rest, whose number is `most`. Of
 *  records that did not start and end what is written is undefined.
 *  @param groups [count] out; @return 0 or HC_ENOMEM. Cost: one look-up a record; an expression's. */
HC_API hc_rc hc_grouping_of(hc_grouping *g, const hc_task_record *records, size_t count, uint32_t *groups);
/** Groups met so far, without the rest; how many groups the rest is, which is exact up to 2^20 and a lower
 *  bound if `*at_least`. */
HC_API uint32_t hc_grouping_count(const hc_grouping *g);
HC_API uint64_t hc_grouping_rest(const hc_grouping *g, bool *at_least);
/** What a group is. @param group below hc_grouping_count */
HC_API hc_group_value hc_grouping_value(const hc_grouping *g, uint32_t group, uint32_t dimension);
/** The groups in ascending order of their values, what is not known last. @param order [hc_grouping_count]
 *  out
 *  @return 0 or HC_ENOMEM. */
HC_API hc_rc hc_grouping_order(const hc_grouping *g, uint32_t *order);
/** Saved, loaded and hashed: the groups met so far. @return as hc_visit_array */
HC_API hc_rc hc_grouping_visit(hc_grouping *g, hc_visitor *v);

#ifdef __cplusplus
}
#endif
#endif
