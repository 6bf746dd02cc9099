/* grouping.c -- which group a task is in, by one trait of it or by two.
 *
 * A trait is a 64-bit key: a number, a day, the number of a class, or the bits of an expression's value
 * turned so that they sort as it does. What is not known is the greatest key, so that it comes last. Groups
 * are pairs of keys in a table by open addressing, numbered as they are met. Past the `most`-th they are one
 * to the caller; the table goes on to tell them apart, so that their number can be said, until it has 2^20
 * more.
 *
 * Of a task without an account beside its group the key of `account` is its group's number, and a bit says
 * so: numbers of accounts and of groups are not those of one list. The same of `qos` and the queue.
 *
 * Dates are those of the zone, whose offset is asked for each task: a day on which the clocks change has 23
 * hours or 25, and the hour that comes twice is one group.
 * Cost: a look-up and 28 bytes a group; two searches in the zone's changes a task if dates are asked for. */
#include "hindcast/grouping.h"

#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

#define NOT_KNOWN INT64_MAX
#define FURTHER ((size_t)1 << 20)    /* groups of the rest that are told apart, to be counted */
#define MOST_UNIX ((int64_t)1 << 40) /* s; beyond, an origin is an error of the log */
#define NOT_A_NUMBER __builtin_nan("")

/* Variables of expressions. Those past CALENDAR need to know when the run began. */
#define VARIABLES_(X) \
  X(submit) \
  X(start) \
  X(end) \
  X(wait) \
  X(run) \
  X(response) \
  X(slowdown) \
  X(bounded_slowdown) \
  X(limit) X(estimate) X(procs) X(id) X(user) X(group) X(queue) X(partition) X(executable) X(job_name) \
      X(account) X(qos) X(killed) X(backfilled) X(unix) X(month) X(day) X(weekday) X(hour)

typedef enum variable {
#define X(name) VARIABLE_##name,
  VARIABLES_(X)
#undef X
      VARIABLES
} variable;

static const char *const variable_names[VARIABLES] = {
#define X(name) #name,
    VARIABLES_(X)
#undef X
};

typedef struct dimension {
  hc_trait trait;
  const char *name;
  hc_expr *x; /* of HC_TRAIT_EXPRESSION */
} dimension;

typedef struct group {
  int64_t key[HC_GROUPING_DIMENSIONS];
  uint64_t other; /* a bit for each dimension: hc_group_value.is_other */
} group;

struct hc_grouping {
  const hc_allocator *allocator;
  hc_arena arena;
  dimension dimensions[HC_GROUPING_DIMENSIONS];
  uint32_t count;
  int64_t unix_start;
  hc_zone *zone;
  int32_t zone_offset;
  hc_time tau;
  int64_t core_units;
  const char *(*called)(const void *ctx, hc_called kind, int64_t number);
  const void *called_ctx;
  int64_t *sizes;
  hc_time *estimates;
  size_t size_count, estimate_count;
  size_t most;
  bool (*beside)(void *beside_ctx, int64_t serial, hc_beside *out);
  void *beside_ctx;
  /* state */
  group *groups;
  size_t group_count, group_cap;
  bool is_apart;   /* hc_grouping_is_apart */
  bool is_full;    /* the rest has more groups than are told apart */
  uint32_t *slots; /* number + 1 of the group there; 0: none. Follows from the groups */
  size_t slot_cap;
};

/* ---- words ---- */

const char *hc_trait_word(hc_trait trait)
{
  static const char *const words[] = {
#define X(name, word, text) [HC_TRAIT_##name] = word,
      HC_TRAITS(X)
#undef X
  };
  return (size_t)trait < HC_ARRAY_LEN(words) ? words[trait] : NULL;
}

static bool is_word(const char *word, const char *s, size_t n)
{
  return strlen(word) == n && memcmp(word, s, n) == 0;
}

hc_trait hc_trait_find(const char *word, size_t n)
{
  if (is_word("job_name", word, n)) return HC_TRAIT_EXECUTABLE; /* Slurm's word, and that of its results */
  for (int t = 0; t < HC_TRAIT_EXPRESSION; t++)
    if (is_word(hc_trait_word((hc_trait)t), word, n)) return (hc_trait)t;
  return HC_TRAIT_EXPRESSION;
}

/* ---- making one ---- */

static hc_rc needs_calendar(const hc_grouping *g, const char *name, hc_error *e)
{
  if (g->unix_start > -MOST_UNIX && g->unix_start < MOST_UNIX) return 0;
  return hc_fail(
      e, HC_EUSAGE, "by", 0, 0,
      "\"%.80s\" is a matter of the calendar, and when the run began is not known; run it with --set "
      "unix_start=SECONDS, and --set zone=Europe/Stockholm for where",
      name);
}

/* A lone word that is neither a trait nor a variable is more often a slip than a formula. */
static hc_rc no_such_word(const char *name, hc_error *e)
{
  char list[280] = "";
  const char *best = NULL;
  size_t least = 3;
  for (int t = 0; t < HC_TRAIT_EXPRESSION; t++) {
    const char *word = hc_trait_word((hc_trait)t);
    const size_t edits = hc_edit_distance(name, word, 3);
    if (edits < least) {
      least = edits;
      best = word;
    }
    (void)strcat(strcat(list, *list ? ", " : ""), word);
  }
  if (best)
    return hc_fail(e, HC_EUSAGE, "by", 0, 0, "there is no group \"%.80s\"; did you mean \"%s\"?", name, best);
  return hc_fail(e, HC_EUSAGE, "by", 0, 0,
                 "there is no group \"%.80s\"; known are %s, and expressions such as \"wait > 3600\"", name,
                 list);
}

static bool is_plain_word(const char *s)
{
  return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0';
}

static bool is_variable(const char *s)
{
  for (int i = 0; i < VARIABLES; i++)
    if (strcmp(variable_names[i], s) == 0) return true;
  return false;
}

static bool reads_calendar(const hc_expr *x)
{
  for (size_t i = VARIABLE_unix; i < VARIABLES; i++)
    if (hc_expr_reads(x, i)) return true;
  return false;
}

static bool has_name(size_t i)
{
  return i >= VARIABLE_user && i <= VARIABLE_qos;
}

static hc_rc add_dimension(hc_grouping *g, const char *s, size_t n, hc_error *e)
{
  dimension *d = &g->dimensions[g->count];
  if (n == 0)
    return hc_fail(e, HC_EUSAGE, "by", 0, 0,
                   "there is nothing between two commas; name a group, as in \"user,day\"");
  if (g->count == HC_GROUPING_DIMENSIONS)
    return hc_fail(e, HC_EUSAGE, "by", 0, 0,
                   "\"%.*s\" is one too many: tasks are grouped by two things at most",
                   (int)HC_MIN(n, (size_t)80), s);
  if (!(d->name = hc_arena_text(&g->arena, s, n))) return hc_fail(e, HC_ENOMEM, "by", 0, 0, "out of memory");
  d->trait = hc_trait_find(s, n);
  if (d->trait == HC_TRAIT_EXPRESSION) {
    if (is_plain_word(d->name) && !is_variable(d->name)) return no_such_word(d->name, e);
    TRY(hc_expr_compile_called(&g->arena, d->name, variable_names, VARIABLES, has_name, &d->x, e));
    if (reads_calendar(d->x)) TRY(needs_calendar(g, d->name, e));
  } else {
    d->name = hc_trait_word(d->trait);
    if (d->trait >= HC_TRAIT_MONTH && d->trait <= HC_TRAIT_HOUR) TRY(needs_calendar(g, d->name, e));
  }
  for (uint32_t i = 0; i < g->count; i++)
    if (strcmp(g->dimensions[i].name, d->name) == 0)
      return hc_fail(e, HC_EUSAGE, "by", 0, 0, "\"%.80s\" stands there twice; leave one out", d->name);
  g->count++;
  return 0;
}

/* The end of a name in quotes, at its last one; of one that has no end that of the text. */
static const char *end_of_name(const char *s)
{
  const char quote = *s++;
  for (; *s && *s != quote; s++)
    if (*s == '\\' && s[1]) s++;
  return *s ? s : s - 1;
}

/* Whether what a task has beside its group and queue is to be asked for. */
static bool asks_beside(const hc_grouping *g)
{
  for (uint32_t i = 0; i < g->count; i++) {
    const dimension *d = &g->dimensions[i];
    if (d->trait == HC_TRAIT_ACCOUNT || d->trait == HC_TRAIT_QOS) return true;
    if (d->x && (hc_expr_reads(d->x, VARIABLE_account) || hc_expr_reads(d->x, VARIABLE_qos))) return true;
  }
  return false;
}

/* [account, group]: each has its own word, even where all accounts are groups. */
static bool asks_both(const hc_grouping *g)
{
  uint32_t asked = 0;
  for (uint32_t i = 0; i < g->count; i++) asked |= UINT32_C(1) << g->dimensions[i].trait;
  const uint32_t accounts = UINT32_C(1) << HC_TRAIT_ACCOUNT | UINT32_C(1) << HC_TRAIT_GROUP;
  const uint32_t qoses = UINT32_C(1) << HC_TRAIT_QOS | UINT32_C(1) << HC_TRAIT_QUEUE;
  return (asked & accounts) == accounts || (asked & qoses) == qoses;
}

/* Commas within parentheses are those of a function, and in quotes those of a name: min(wait, 60). */
static hc_rc add_text(hc_grouping *g, const char *text, hc_error *e)
{
  for (const char *s = text;; s++) {
    const char *end;
    size_t n;
    int depth = 0;
    s += strspn(s, " \t");
    for (end = s; *end && (*end != ',' || depth > 0); end++) {
      if (*end == '"' || *end == '\'') end = end_of_name(end);
      else depth += (*end == '(') - (*end == ')');
    }
    for (n = (size_t)(end - s); n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t');) n--;
    TRY(add_dimension(g, s, n, e));
    if (*end == '\0') return 0;
    s = end;
  }
}

static hc_rc copy_limits(hc_grouping *g, const int64_t *from, size_t count, const char *what, int64_t **out,
                         hc_error *e)
{
  if (count == 0) return 0;
  for (size_t i = 0; i < count; i++)
    if (from[i] <= 0 || (i > 0 && from[i] <= from[i - 1]))
      return hc_fail(e, HC_EUSAGE, what, 0, 0,
                     "the upper limits of classes have to be above zero and to ascend; sort them, each once");
  *out = hc_arena_room(&g->arena, count * sizeof **out);
  if (!*out) return hc_fail(e, HC_ENOMEM, what, 0, 0, "out of memory");
  memcpy(*out, from, count * sizeof **out);
  return 0;
}

static hc_rc set_up(hc_grouping *g, const hc_grouping_options *o, hc_error *e)
{
  g->unix_start = o->unix_start;
  g->zone_offset = o->zone_offset;
  g->tau = o->tau > 0 ? o->tau : 10 * HC_SECOND;
  g->core_units = HC_MAX(o->core_units, 0);
  g->called = o->called;
  g->called_ctx = o->called_ctx;
  g->most = o->most > 0 ? (size_t)HC_MIN(o->most, HC_GROUPING_MOST) : HC_GROUPING_MOST;
  g->size_count = o->size_count;
  g->estimate_count = o->estimate_count;
  for (size_t i = 0; i < o->by_count; i++) TRY(add_text(g, o->by[i], e));
  if (g->count == 0)
    return hc_fail(e, HC_EUSAGE, "by", 0, 0, "there is nothing to group by; say it, as in by: [user, day]");
  g->beside = o->beside && asks_beside(g) ? o->beside : NULL;
  g->beside_ctx = o->beside_ctx;
  g->is_apart = asks_both(g);
  TRY(copy_limits(g, o->sizes, o->size_count, "sizes", &g->sizes, e));
  TRY(copy_limits(g, o->estimates, o->estimate_count, "estimates", &g->estimates, e));
  if (!o->zone) return 0;
  const hc_rc rc = hc_zone_open(g->allocator, o->zone, &g->zone);
  if (rc == HC_ENOTFOUND)
    return hc_fail(e, HC_EUSAGE, "zone", 0, 0, "no time zone \"%.80s\" in the tz database %s", o->zone,
                   hc_zone_version());
  return rc < 0 ? hc_fail(e, rc, "by", 0, 0, "out of memory") : 0;
}

hc_rc hc_grouping_new(const hc_allocator *a, const hc_grouping_options *o, hc_grouping **out, hc_error *e)
{
  hc_grouping *g = hc_alloc(a, sizeof *g);
  hc_rc rc;
  if (!g) return hc_fail(e, HC_ENOMEM, "by", 0, 0, "out of memory");
  g->allocator = a;
  hc_arena_init(&g->arena, a);
  rc = set_up(g, o, e);
  if (rc < 0) hc_grouping_free(g);
  else *out = g;
  return rc;
}

void hc_grouping_free(hc_grouping *g)
{
  if (!g) return;
  const hc_allocator *a = g->allocator;
  hc_zone_free(g->zone);
  hc_free(a, g->groups, g->group_cap * sizeof *g->groups);
  hc_free(a, g->slots, g->slot_cap * sizeof *g->slots);
  hc_arena_fini(&g->arena);
  hc_free(a, g, sizeof *g);
}

uint32_t hc_grouping_dimensions(const hc_grouping *g)
{
  return g->count;
}

hc_trait hc_grouping_trait(const hc_grouping *g, uint32_t d)
{
  return g->dimensions[d].trait;
}

const char *hc_grouping_name(const hc_grouping *g, uint32_t d)
{
  return g->dimensions[d].name;
}

bool hc_grouping_is_claim(const hc_grouping *g, uint32_t d)
{
  return g->dimensions[d].x && hc_expr_is_claim(g->dimensions[d].x);
}

bool hc_grouping_is_apart(const hc_grouping *g)
{
  return g->is_apart;
}

const char *hc_grouping_stored_name(const hc_grouping *g, uint32_t d, bool is_apart)
{
  if (is_apart || asks_both(g)) return g->dimensions[d].name;
  switch (g->dimensions[d].trait) {
    case HC_TRAIT_ACCOUNT: return hc_trait_word(HC_TRAIT_GROUP);
    case HC_TRAIT_QOS: return hc_trait_word(HC_TRAIT_QUEUE);
    default: return g->dimensions[d].name;
  }
}

void hc_grouping_table(const hc_grouping *g, bool is_apart, char *table)
{
  const int room = HC_GROUPING_TABLE;
  int n = 0;
  for (uint32_t d = 0; d < g->count && n < room; d++)
    n += snprintf(table + n, (size_t)(room - n), "%s%s", d ? "," : "by(",
                  hc_grouping_stored_name(g, d, is_apart));
  if (n < room - 1) (void)strcat(table, ")");
}

/* ---- keys ---- */

/* A double as a whole number that sorts as it does; 0 and -0 are one. */
static int64_t key_of_real(double x)
{
  int64_t bits;
  if (x != x) return NOT_KNOWN;
  if (x == 0) return 0;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

static double real_of_key(int64_t key)
{
  double x;
  if (key < 0) key ^= INT64_MAX;
  memcpy(&x, &key, sizeof x);
  return x;
}

static int64_t known(int64_t number)
{
  return number == -1 ? NOT_KNOWN : number;
}

static double real_or_nan(int64_t number)
{
  return number == -1 ? NOT_A_NUMBER : (double)number;
}

static double seconds_or_nan(hc_time t)
{
  return t == HC_UNKNOWN || t == HC_NEVER ? NOT_A_NUMBER : (double)t / 1e9;
}

static int64_t unix_of(const hc_grouping *g, hc_time t)
{
  return g->unix_start + hc_floor_div(t, HC_SECOND);
}

static int64_t date_key(const hc_grouping *g, hc_trait trait, hc_time submit)
{
  const int64_t at = unix_of(g, submit);
  const int32_t offset = g->zone ? hc_zone_offset(g->zone, at) : g->zone_offset;
  const int64_t local = at + offset, day = hc_floor_div(local, 86400);
  hc_calendar c;
  if (trait == HC_TRAIT_DAY) return day;
  if (trait == HC_TRAIT_HOUR) return (local - day * 86400) / 3600;
  c = hc_calendar_of(at, offset);
  return trait == HC_TRAIT_WEEKDAY ? c.weekday : (c.year - 1970) * 12 + c.month - 1;
}

/* Whole limits: x is above a limit if x in whole units, rounded up, is. */
static int64_t rounded_up(int64_t x, int64_t unit)
{
  return x / unit + (x % unit > 0);
}

/* The number of the class: that of the first limit that is not below. */
static int64_t class_by_limits(const int64_t *limits, size_t count, int64_t n)
{
  size_t i = 0;
  while (i < count && limits[i] < n) i++;
  return (int64_t)i;
}

/* Powers are multiplied out, so that a limit is in the class that it ends. */
static int64_t class_by_powers(int64_t base, int64_t n)
{
  int64_t limit = 1, k = 0;
  for (; limit < n; k++) limit = limit > INT64_MAX / base ? INT64_MAX : limit * base;
  return k;
}

static int64_t size_class(const hc_grouping *g, int64_t units)
{
  const int64_t n = rounded_up(units, HC_MAX(g->core_units, 1));
  return g->size_count ? class_by_limits(g->sizes, g->size_count, n) : class_by_powers(2, n);
}

static int64_t estimate_class(const hc_grouping *g, hc_time estimate)
{
  if (estimate == HC_NEVER || estimate == HC_UNKNOWN) return NOT_KNOWN;
  return g->estimate_count ? class_by_limits(g->estimates, g->estimate_count, estimate)
                           : class_by_powers(10, rounded_up(estimate, HC_SECOND));
}

static void fill_variables(const hc_grouping *g, const hc_expr *x, const hc_task_record *r,
                           const hc_beside *b, double *v)
{
  const double response = (double)hc_time_between(r->submit, r->end) / 1e9,
               run = (double)hc_task_ran(r) / 1e9;
  const double tau = (double)g->tau / 1e9, bounded = response / (run > tau ? run : tau);
  v[VARIABLE_submit] = (double)r->submit / 1e9;
  v[VARIABLE_start] = (double)r->start / 1e9;
  v[VARIABLE_end] = (double)r->end / 1e9;
  v[VARIABLE_wait] = (double)hc_time_between(r->submit, r->start) / 1e9;
  v[VARIABLE_run] = run;
  v[VARIABLE_response] = response;
  v[VARIABLE_slowdown] = run > 0 ? response / run : NOT_A_NUMBER;
  v[VARIABLE_bounded_slowdown] = bounded > 1 ? bounded : 1;
  v[VARIABLE_limit] = seconds_or_nan(r->limit);
  v[VARIABLE_estimate] = seconds_or_nan(r->estimate);
  v[VARIABLE_procs] = (double)r->units / (double)HC_MAX(g->core_units, 1);
  v[VARIABLE_id] = (double)r->id;
  v[VARIABLE_user] = real_or_nan(r->user);
  v[VARIABLE_group] = real_or_nan(r->group);
  v[VARIABLE_queue] = real_or_nan(r->queue);
  v[VARIABLE_partition] = real_or_nan(r->partition);
  v[VARIABLE_executable] = v[VARIABLE_job_name] = real_or_nan(r->executable);
  v[VARIABLE_account] = real_or_nan(b->account != -1 ? b->account : r->group);
  v[VARIABLE_qos] = real_or_nan(b->qos != -1 ? b->qos : r->queue);
  v[VARIABLE_killed] = r->final == HC_FINAL_KILLED;
  v[VARIABLE_backfilled] = (r->flags & HC_TASK_BACKFILLED) != 0;
  if (!reads_calendar(x)) return;
  v[VARIABLE_unix] = (double)unix_of(g, r->submit);
  v[VARIABLE_month] = (double)(date_key(g, HC_TRAIT_MONTH, r->submit) % 12 + 1);
  v[VARIABLE_day] = (double)date_key(g, HC_TRAIT_DAY, r->submit);
  v[VARIABLE_weekday] = (double)date_key(g, HC_TRAIT_WEEKDAY, r->submit);
  v[VARIABLE_hour] = (double)date_key(g, HC_TRAIT_HOUR, r->submit);
}

typedef struct asked {
  const hc_grouping *g;
  const hc_task_record *r;
  const hc_beside *b;
} asked;

static const char *called(const void *ctx, size_t i)
{
  const asked *a = ctx;
  const hc_task_record *r = a->r;
  const hc_beside *b = a->b;
  if (!a->g->called) return NULL;
  switch ((variable)i) {
    case VARIABLE_user: return a->g->called(a->g->called_ctx, HC_CALLED_USER, r->user);
    case VARIABLE_group: return a->g->called(a->g->called_ctx, HC_CALLED_GROUP, r->group);
    case VARIABLE_account:
      if (b->account != -1) return a->g->called(a->g->called_ctx, HC_CALLED_ACCOUNT, b->account);
      return a->g->called(a->g->called_ctx, HC_CALLED_GROUP, r->group);
    case VARIABLE_queue: return a->g->called(a->g->called_ctx, HC_CALLED_QUEUE, r->queue);
    case VARIABLE_qos:
      if (b->qos != -1) return a->g->called(a->g->called_ctx, HC_CALLED_QOS, b->qos);
      return a->g->called(a->g->called_ctx, HC_CALLED_QUEUE, r->queue);
    case VARIABLE_partition: return a->g->called(a->g->called_ctx, HC_CALLED_PARTITION, r->partition);
    case VARIABLE_executable:
    case VARIABLE_job_name: return a->g->called(a->g->called_ctx, HC_CALLED_EXECUTABLE, r->executable);
    default: return NULL;
  }
}

/* A formula over what is not known has no value, even where the comparison of a NaN would have one. */
static int64_t expression_key(const hc_grouping *g, const hc_expr *x, const hc_task_record *r,
                              const hc_beside *b)
{
  const asked a = {g, r, b};
  double v[VARIABLES] = {0};
  fill_variables(g, x, r, b, v);
  for (size_t i = 0; i < VARIABLES; i++)
    if (v[i] != v[i] && hc_expr_reads(x, i)) return NOT_KNOWN;
  return key_of_real(hc_expr_value_called(x, v, called, &a));
}

/* What a task has beside its group or queue, or else that. */
static int64_t beside_key(int64_t beside, int64_t other, bool *is_other)
{
  *is_other = beside == -1 && other != -1;
  return known(beside != -1 ? beside : other);
}

static int64_t key_of(const hc_grouping *g, const dimension *d, const hc_task_record *r, const hc_beside *b,
                      bool *is_other)
{
  switch (d->trait) {
    case HC_TRAIT_USER: return known(r->user);
    case HC_TRAIT_GROUP: return known(r->group);
    case HC_TRAIT_EXECUTABLE: return known(r->executable);
    case HC_TRAIT_QUEUE: return known(r->queue);
    case HC_TRAIT_PARTITION: return known(r->partition);
    case HC_TRAIT_ACCOUNT: return beside_key(b->account, r->group, is_other);
    case HC_TRAIT_QOS: return beside_key(b->qos, r->queue, is_other);
    case HC_TRAIT_MONTH:
    case HC_TRAIT_DAY:
    case HC_TRAIT_WEEKDAY:
    case HC_TRAIT_HOUR: return date_key(g, d->trait, r->submit);
    case HC_TRAIT_SIZE: return size_class(g, r->units);
    case HC_TRAIT_ESTIMATE: return estimate_class(g, r->estimate);
    case HC_TRAIT_ALL: return 0;
    case HC_TRAIT_EXPRESSION: return expression_key(g, d->x, r, b);
    case HC_TRAIT_COUNT: break;
  }
  return NOT_KNOWN;
}

/* ---- the table of groups ---- */

static size_t slot_of(const hc_grouping *g, const group *k)
{
  uint64_t z = (uint64_t)k->key[0] * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)k->key[1] + k->other;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (size_t)(z ^ (z >> 31)) & (g->slot_cap - 1);
}

/* The slot of a group, or the free one where it belongs. */
static size_t find_slot(const hc_grouping *g, const group *k)
{
  size_t at = slot_of(g, k);
  while (g->slots[at] != 0 && memcmp(&g->groups[g->slots[at] - 1], k, sizeof *k) != 0)
    at = (at + 1) & (g->slot_cap - 1);
  return at;
}

static hc_rc make_slots(hc_grouping *g, size_t cap)
{
  uint32_t *slots = hc_alloc(g->allocator, cap * sizeof *slots);
  if (!slots) return HC_ENOMEM;
  hc_free(g->allocator, g->slots, g->slot_cap * sizeof *g->slots);
  g->slots = slots;
  g->slot_cap = cap;
  for (size_t i = 0; i < g->group_count; i++) g->slots[find_slot(g, &g->groups[i])] = (uint32_t)i + 1;
  return 0;
}

static hc_rc number_of(hc_grouping *g, const group *k, uint32_t *out)
{
  size_t at;
  if (g->group_count * 10 >= g->slot_cap * 7) TRY(make_slots(g, g->slot_cap ? 2 * g->slot_cap : 64));
  at = find_slot(g, k);
  if (g->slots[at] == 0 && g->group_count == g->most + FURTHER) {
    g->is_full = true;
    *out = (uint32_t)g->most;
    return 0;
  }
  if (g->slots[at] == 0) {
    TRY(hc_reserve(g->allocator, (void **)&g->groups, &g->group_cap, g->group_count + 1, sizeof *g->groups));
    g->groups[g->group_count++] = *k;
    g->slots[at] = (uint32_t)g->group_count;
  }
  *out = (uint32_t)HC_MIN((size_t)g->slots[at] - 1, g->most);
  return 0;
}

static group group_of(hc_grouping *g, const hc_task_record *r)
{
  hc_beside b = {-1, -1};
  group k = {.other = 0};
  if (g->beside && !g->beside(g->beside_ctx, r->serial, &b)) b = (hc_beside){-1, -1};
  for (uint32_t d = 0; d < g->count; d++) {
    const hc_trait trait = g->dimensions[d].trait;
    bool is_other = false;
    k.key[d] = key_of(g, &g->dimensions[d], r, &b, &is_other);
    k.other |= (uint64_t)is_other << d;
    g->is_apart |= trait == HC_TRAIT_ACCOUNT ? b.account != -1 : trait == HC_TRAIT_QOS && b.qos != -1;
  }
  return k;
}

hc_rc hc_grouping_of(hc_grouping *g, const hc_task_record *records, size_t count, uint32_t *groups)
{
  for (size_t i = 0; i < count; i++) {
    if (!hc_task_counts(&records[i])) continue;
    const group k = group_of(g, &records[i]);
    TRY(number_of(g, &k, &groups[i]));
  }
  return 0;
}

uint32_t hc_grouping_count(const hc_grouping *g)
{
  return (uint32_t)HC_MIN(g->group_count, g->most);
}

uint64_t hc_grouping_rest(const hc_grouping *g, bool *at_least)
{
  if (at_least) *at_least = g->is_full;
  return g->group_count - hc_grouping_count(g);
}

/* ---- what a group is ---- */

static double power(double base, int64_t k)
{
  double x = 1;
  for (; k > 0; k--) x *= base;
  return x;
}

static hc_group_value class_of_limits(const int64_t *limits, size_t count, double unit, int64_t key)
{
  const size_t i = (size_t)key;
  return (hc_group_value){.is_known = true,
                          .is_class = true,
                          .value = i > 0 ? (double)limits[i - 1] / unit : 0,
                          .to = i < count ? (double)limits[i] / unit : __builtin_inf()};
}

static hc_group_value class_of_powers(double base, int64_t key)
{
  return (hc_group_value){.is_known = true,
                          .is_class = true,
                          .value = key > 0 ? power(base, key - 1) : 0,
                          .to = power(base, key)};
}

hc_group_value hc_grouping_value(const hc_grouping *g, uint32_t number, uint32_t d)
{
  const int64_t key = g->groups[number].key[d];
  if (key == NOT_KNOWN) return (hc_group_value){.is_known = false};
  switch (g->dimensions[d].trait) {
    case HC_TRAIT_SIZE:
      return g->size_count ? class_of_limits(g->sizes, g->size_count, 1, key) : class_of_powers(2, key);
    case HC_TRAIT_ESTIMATE:
      return g->estimate_count ? class_of_limits(g->estimates, g->estimate_count, 1e9, key)
                               : class_of_powers(10, key);
    case HC_TRAIT_EXPRESSION: return (hc_group_value){.is_known = true, .value = real_of_key(key)};
    default:
      return (hc_group_value){.is_known = true,
                              .number = key,
                              .value = (double)key,
                              .is_other = g->groups[number].other >> d & 1};
  }
}

typedef struct sorted {
  group k;
  uint8_t rank[HC_GROUPING_DIMENSIONS];
  uint32_t number;
} sorted;

/* What is another kind's number stands behind those of its own. */
HC_SORT(sort_groups, sorted,
        a->rank[0] != b->rank[0]     ? a->rank[0] < b->rank[0]
        : a->k.key[0] != b->k.key[0] ? a->k.key[0] < b->k.key[0]
        : a->rank[1] != b->rank[1]   ? a->rank[1] < b->rank[1]
                                     : a->k.key[1] < b->k.key[1])

/* 0: as the dimension says; 1: of another kind; 2: not known. */
static uint8_t rank_of(const group *k, uint32_t d)
{
  return (uint8_t)(k->key[d] == NOT_KNOWN ? 2 : k->other >> d & 1);
}

hc_rc hc_grouping_order(const hc_grouping *g, uint32_t *order)
{
  const uint32_t n = hc_grouping_count(g);
  sorted *all = hc_alloc(g->allocator, n * sizeof *all);
  if (!all && n > 0) return HC_ENOMEM;
  for (uint32_t i = 0; i < n; i++)
    all[i] = (sorted){g->groups[i], {rank_of(&g->groups[i], 0), rank_of(&g->groups[i], 1)}, i};
  sort_groups(all, n);
  for (uint32_t i = 0; i < n; i++) order[i] = all[i].number;
  hc_free(g->allocator, all, n * sizeof *all);
  return 0;
}

hc_rc hc_grouping_visit(hc_grouping *g, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, g->groups, g->group_count, g->group_cap);
  HC_VISIT(v, g->is_full);
  HC_VISIT(v, g->is_apart);
  if (!hc_visit_loading(v)) return 0;
  if (g->group_count > g->most + FURTHER) return HC_EINPUT;
  hc_free(g->allocator, g->slots, g->slot_cap * sizeof *g->slots);
  g->slots = NULL;
  g->slot_cap = 0;
  for (size_t cap = 64;; cap *= 2)
    if (g->group_count * 10 < cap * 7) return make_slots(g, cap);
}
