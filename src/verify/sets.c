/* sets.c -- does a task of a partition that is bound to a set of hosts run on hosts of that set?
 *
 * Sets and the partitions that each of them is (`of`) are those of the configuration, the hosts of a set
 * those of the table `host_sets`, and which partition a task is of its record says: bound anew here, by the
 * name of the partition, or by its number where the run had one source, whose numbers are the records'. A
 * partition of no set is of the set of `*`. Attempts that were stopped are held to it as tasks are.
 *
 * Not held to it: a task whose source may have named a set itself, one of a partition that has a name which
 * no record says, and results of before there was that table. Cost: O(sets) a task, O(ranges of its set) a
 * grant. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"
#include "verify/sweep.h"

/* ---- the tables ---- */

typedef struct reading {
  const hc_allocator *allocator;
  hc_arena *texts;
  hc_verify_sets *out;
  hc_verify_set_hosts *hosts;
  hc_verify_set_word *words, *called;
  size_t host_cap, word_cap, called_cap;
  size_t sources;
  bool others; /* some source may name sets itself */
} reading;

static hc_rc hear_hosts(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[3];
  TRY(hc_numbers_of(values, 3, n));
  TRY(hc_reserve(r->allocator, (void **)&r->hosts, &r->host_cap, r->out->host_count + 1, sizeof *r->hosts));
  r->hosts[r->out->host_count++] = (hc_verify_set_hosts){n[0], n[1], n[2]};
  return 0;
}

static hc_rc add_word(reading *r, hc_verify_set_word **words, size_t *count, size_t *cap, int64_t number,
                      const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = hc_arena_alloc(r->texts, size);
  if (!copy) return HC_ENOMEM;
  memcpy(copy, text, size);
  TRY(hc_reserve(r->allocator, (void **)words, cap, *count + 1, sizeof **words));
  (*words)[(*count)++] = (hc_verify_set_word){number, copy};
  return 0;
}

static void hear_source(reading *r, const char *use)
{
  static const char *const logs[] = {"swf",         "batsim",         "sacct", "sacct_json", "slurmdbd",
                                     "jobcomp",     "ub_events",      "pbs",   "sge",        "lsf",
                                     "loadleveler", "pseudo_cluster", "gwf",   "csv",        "philly",
                                     "helios",      "mixture"};
  bool is_log = false;
  for (size_t i = 0; i < HC_ARRAY_LEN(logs); i++) is_log |= strcmp(use, logs[i]) == 0;
  r->sources++;
  r->others |= !is_log;
}

/* "cell.sets.2.of.0". @return the number of the set, or -1 */
static int64_t set_of(const char *path)
{
  static const char head[] = "cell.sets.";
  char *end;
  if (strncmp(path, head, sizeof head - 1) != 0) return -1;
  const long n = strtol(path + sizeof head - 1, &end, 10);
  return end != path + sizeof head - 1 && strncmp(end, ".of.", 4) == 0 ? n : -1;
}

static hc_rc hear_key(void *ctx, const char *const *values)
{
  static const char source[] = "source.";
  reading *r = ctx;
  const char *path = values[0], *value = values[1];
  if (!path || !value) return 0;
  const int64_t set = set_of(path);
  if (set >= 0) return add_word(r, &r->words, &r->out->word_count, &r->word_cap, set, value);
  if (strncmp(path, source, sizeof source - 1) == 0 && !strchr(path + sizeof source - 1, '.'))
    hear_source(r, value);
  if (strncmp(path, "plugin.", 7) == 0) r->others = true;
  return 0;
}

static hc_rc hear_name(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t number;
  if (!values[1] || !values[2] || strcmp(values[1], "partition") != 0) return 0;
  TRY(hc_numbers_of(values, 1, &number));
  return add_word(r, &r->called, &r->out->called_count, &r->called_cap, number, values[2]);
}

static hc_rc hear_fact(void *ctx, const char *const *values)
{
  reading *r = ctx;
  if (values[0] && strcmp(values[0], "unnamed_partition") == 0) r->out->names_all = false;
  return 0;
}

static int by_number(const void *a, const void *b)
{
  const hc_verify_set_word *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static hc_rc read_all(reading *r, hc_result *from, hc_error *e)
{
  hc_verify_sets *s = r->out;
  TRY(hc_result_rows(from, "configuration", 3, hear_key, r, e));
  if (s->word_count == 0) return 0;
  TRY(hc_result_rows(from, "host_sets", 3, hear_hosts, r, e));
  r->others |= s->host_count == 0; /* an older result: it does not say which hosts they are */
  TRY(hc_result_rows(from, "names", 3, hear_name, r, e));
  TRY(hc_result_rows(from, "hindcast", 2, hear_fact, r, e));
  s->by_number = r->sources == 1;
  if (s->called_count > 1) qsort(r->called, s->called_count, sizeof *r->called, by_number);
  TRY(hc_fit(r->allocator, (void **)&r->hosts, &r->host_cap, s->host_count, sizeof *r->hosts));
  TRY(hc_fit(r->allocator, (void **)&r->words, &r->word_cap, s->word_count, sizeof *r->words));
  TRY(hc_fit(r->allocator, (void **)&r->called, &r->called_cap, s->called_count, sizeof *r->called));
  return 1;
}

hc_rc hc_verify_sets_read(const hc_allocator *a, hc_result *r, hc_verify_sets *out, hc_error *e)
{
  reading x = {.allocator = a, .out = out, .texts = hc_alloc(a, sizeof *x.texts)};
  *out = (hc_verify_sets){.names_all = true, .storage = x.texts};
  if (!x.texts) return hc_fail(e, HC_ENOMEM, hc_result_path(r), 0, 0, "out of memory for its sets of hosts");
  hc_arena_init(x.texts, a);
  const hc_rc rc = read_all(&x, r, e);
  out->hosts = x.hosts;
  out->words = x.words;
  out->called = x.called;
  out->may_name = x.others;
  if (rc == 1) return 1;
  hc_free(a, x.hosts, x.host_cap * sizeof *x.hosts);
  hc_free(a, x.words, x.word_cap * sizeof *x.words);
  hc_free(a, x.called, x.called_cap * sizeof *x.called);
  *out = (hc_verify_sets){.storage = x.texts};
  if (rc == 0) return 0;
  return hc_fail(e, rc, hc_result_path(r), 0, 0, "its sets of hosts cannot be read: %s", hc_rc_text(rc));
}

void hc_verify_sets_free(const hc_allocator *a, hc_verify_sets *s)
{
  hc_free(a, (void *)(uintptr_t)s->hosts, s->host_count * sizeof *s->hosts);
  hc_free(a, (void *)(uintptr_t)s->words, s->word_count * sizeof *s->words);
  hc_free(a, (void *)(uintptr_t)s->called, s->called_count * sizeof *s->called);
  if (s->storage) {
    hc_arena_fini(s->storage);
    hc_free(a, s->storage, sizeof(hc_arena));
  }
  *s = (hc_verify_sets){0};
}

/* ---- the rule ---- */

enum { ANY = -1, UNKNOWN = -2 };

static int64_t with_word(const hc_verify_sets *s, const char *text)
{
  for (size_t i = 0; text && i < s->word_count; i++)
    if (strcmp(s->words[i].text, text) == 0) return s->words[i].number;
  return ANY;
}

/* The set that a partition is bound to, ANY, or UNKNOWN. */
static int64_t bound_to(const hc_verify_sets *s, int64_t partition)
{
  const hc_verify_set_word key = {.number = partition};
  const hc_verify_set_word *called =
      s->called_count > 0 ? bsearch(&key, s->called, s->called_count, sizeof key, by_number) : NULL;
  char number[24];
  int64_t set;
  if (partition < 0) return with_word(s, "*");
  (void)snprintf(number, sizeof number, "%" PRId64, partition);
  set = with_word(s, called ? called->text : NULL);
  if (set == ANY && s->by_number) set = with_word(s, number);
  if (set != ANY) return set;
  return called || (s->by_number && s->names_all) ? with_word(s, "*") : UNKNOWN;
}

static bool has(const hc_verify_sets *s, int64_t set, uint32_t host)
{
  for (size_t i = 0; i < s->host_count; i++)
    if (s->hosts[i].set == set && host >= s->hosts[i].first && host - s->hosts[i].first < s->hosts[i].count)
      return true;
  return false;
}

hc_rc hc_check_sets(hc_check *c, const hc_asked *a)
{
  const hc_verify_sets *s = c->options->sets;
  if (!s || s->may_name) return 0;
  const int64_t set = bound_to(s, a->record->partition);
  if (set == ANY) return 0;
  if (set == UNKNOWN) {
    c->report.gaps |= UINT32_C(1) << HC_GAP_SETS;
    return 0;
  }
  hc_held_to(c, HC_RULE_SETS, 1);
  for (size_t i = 0; i < a->grant_count; i++)
    if (!has(s, set, a->grants[i]->host))
      return hc_find_on(c, HC_FOUND_OUTSIDE_SET, a->record->start, a->rank, a->grants[i]->host, 0,
                        a->record->partition, set + 1);
  return 0;
}
