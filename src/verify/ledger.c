/* ledger.c -- is every task there once, and do the tables that count agree with those that are counted?
 *
 * Serials are ranks of submission, so that of n tasks they are 0 to n - 1: one that is missing or stands
 * twice is seen whatever else was changed with it. Final states are counted anew; rows that were read are
 * used, merged or rejected; facts (preempted, requeued, suspensions, resizes) are the rows of their tables;
 * and a task's marks are there if and only if these have rows of it. Of a schedule of which nothing is
 * counted (another program's) nothing is checked. Cost: O(n). */
#include <string.h>

#include "base/util.h"
#include "verify/parts.h"

typedef struct ledger {
  hc_check *c;
  const hc_verify_told *told;
  uint8_t *seen; /* [tasks] bits of mark_of, of rows that a task has */
} ledger;

/* ---- serials ---- */

static hc_rc find_ranks(hc_check *c)
{
  const size_t n = (size_t)c->report.tasks;
  c->ranks = hc_alloc(c->allocator, n * sizeof *c->ranks + 1);
  c->serials = hc_alloc(c->allocator, n * sizeof *c->serials + 1);
  if (!c->ranks || !c->serials) return HC_ENOMEM;
  for (uint32_t rank = 0; rank < c->count; rank++)
    if (c->tasks[rank].record < n) c->ranks[c->tasks[rank].record] = rank;
  memset(c->serials, 0xff, n * sizeof *c->serials);
  return 0;
}

static hc_rc check_serials(hc_check *c)
{
  const size_t n = (size_t)c->report.tasks;
  size_t missing = n;
  for (size_t i = 0; i < n; i++) {
    const int64_t s = c->given[i].serial;
    if (s < 0 || (uint64_t)s >= n) continue;
    if (c->serials[s] != UINT32_MAX)
      TRY(hc_find(c, HC_FOUND_TWICE, HC_UNKNOWN, c->ranks[i], UINT32_MAX, s, 0));
    else c->serials[s] = (uint32_t)i;
  }
  for (size_t s = n; s-- > 0;)
    if (c->serials[s] == UINT32_MAX) missing = s;
  hc_held_to(c, HC_RULE_LEDGER, n);
  if (missing == n) return 0;
  return hc_find(c, HC_FOUND_MISSING_SERIAL, HC_UNKNOWN, UINT32_MAX, UINT32_MAX, (int64_t)missing,
                 (int64_t)n);
}

/* ---- counts ---- */

static const hc_verify_counted *counted(const ledger *l, hc_counter table, const char *name)
{
  for (size_t i = 0; i < l->told->counted_count; i++) {
    const hc_verify_counted *k = &l->told->counted[i];
    if (k->table == table && strcmp(k->name, name) == 0) return k;
  }
  return NULL;
}

/* @param missing what a row that is not there stands for */
static hc_rc compare(ledger *l, hc_counter table, const char *name, int64_t missing, int64_t is)
{
  const hc_verify_counted *k = counted(l, table, name);
  const int64_t says = k ? k->n : missing;
  hc_held_to(l->c, HC_RULE_LEDGER, 1);
  return says == is ? 0 : hc_find_word(l->c, HC_FOUND_OTHER_COUNT, name, UINT32_MAX, says, is);
}

static hc_rc check_finals(ledger *l)
{
  int64_t n[HC_FINAL_COUNT] = {0};
  for (size_t i = 0; i < l->c->report.tasks; i++) n[l->c->given[i].final]++;
  for (int f = 0; f < HC_FINAL_COUNT; f++)
    TRY(compare(l, HC_COUNTS_FINALS, hc_final_name((hc_final)f), -1, n[f]));
  return 0;
}

static hc_rc check_rows(ledger *l)
{
  int64_t sum = 0;
  for (size_t i = 0; i < l->told->counted_count; i++) {
    const hc_verify_counted *k = &l->told->counted[i];
    if (k->table != HC_COUNTS_ROWS || strcmp(k->name, "read") == 0) continue;
    if (k->n < 0 || __builtin_add_overflow(sum, k->n, &sum)) sum = INT64_MIN;
  }
  TRY(compare(l, HC_COUNTS_ROWS, "read", -1, sum));
  if (!l->told->row_a_task) return 0;
  return compare(l, HC_COUNTS_ROWS, "used", -1, (int64_t)l->c->report.tasks);
}

/* ---- marks, and the rows that they stand for ---- */

enum { STOPPED = 1, RATED = 2, RESIZED = 4, LOST = 8, HELD = 16 };

static hc_rc note(ledger *l, const char *table, int64_t serial, int bit)
{
  const uint32_t record = hc_record_with(l->c, serial);
  if (record == UINT32_MAX) return hc_find_word(l->c, HC_FOUND_NO_TASK, table, UINT32_MAX, serial, 0);
  l->seen[record] |= (uint8_t)bit;
  return 0;
}

static hc_rc check_stops(ledger *l)
{
  const hc_verify_stops *s = l->c->options->stops;
  int64_t again = 0, killed = 0;
  for (size_t i = 0; s && i < s->count; i++) {
    const bool for_good = s->stops[i].how == HC_STOPPED_FOR_GOOD;
    TRY(note(l, "stops", s->stops[i].serial, STOPPED));
    if (s->stops[i].how == HC_STOPPED_LOST) continue; /* by no plan */
    for_good ? killed++ : again++;
  }
  TRY(compare(l, HC_COUNTS_FACTS, "preempted", 0, again));
  return compare(l, HC_COUNTS_FACTS, "preempt_killed", 0, killed);
}

static hc_rc check_rates(ledger *l)
{
  const hc_verify_rates *s = l->c->options->rates;
  int64_t suspended = 0;
  for (size_t i = 0; s && i < s->count; i++) {
    TRY(note(l, "rates", s->rates[i].serial, RATED));
    suspended += !s->rates[i].holds;
  }
  return compare(l, HC_COUNTS_FACTS, "suspensions", 0, suspended);
}

/* Rows that follow one another at one time are one change, on several hosts. */
static hc_rc check_resizes(ledger *l)
{
  const hc_verify_hosts *h = l->c->options->hosts;
  int64_t n = 0;
  for (size_t i = 0; h && i < h->resize_count; i++) {
    const hc_verify_resize *z = &h->resizes[i];
    TRY(note(l, "resizes", z->serial, RESIZED));
    n += i == 0 || z->serial != z[-1].serial || z->at != z[-1].at;
  }
  return compare(l, HC_COUNTS_FACTS, "resizes", 0, n);
}

/* Those that a plan made have numbers, from 1. */
static hc_rc check_regrants(ledger *l)
{
  const hc_verify_regrants *s = l->c->options->regrants;
  int64_t n = 0;
  if (!s && !counted(l, HC_COUNTS_FACTS, "plan_resizes")) return 0;
  for (size_t i = 0; s && i < s->count; i++) {
    TRY(note(l, "regrants", s->rows[i].serial, RESIZED));
    n = HC_MAX(n, s->rows[i].number);
  }
  return compare(l, HC_COUNTS_FACTS, "plan_resizes", 0, n);
}

/* The last start of a task is in its row, with the size that it had then: on hosts as many times what it
 * holds in one slot. One that was resized has a mean there. */
static hc_rc check_molds(ledger *l)
{
  const bool on_hosts = l->c->options->hosts != NULL;
  if (l->told->mold_count == 0 && !counted(l, HC_COUNTS_FACTS, "plan_molds")) return 0;
  for (size_t i = 0; i < l->told->mold_count; i++) {
    const hc_verify_mold *m = &l->told->molds[i];
    const uint32_t record = hc_record_with(l->c, m->serial);
    if (record == UINT32_MAX) {
      TRY(hc_find_word(l->c, HC_FOUND_NO_TASK, "molds", UINT32_MAX, m->serial, 0));
      continue;
    }
    const hc_task_record *t = &l->c->given[record];
    if (t->start != m->start || (t->flags & HC_TASK_RESIZED)) continue;
    if (m->size < 1 || (on_hosts ? t->units % m->size != 0 : t->units != m->size))
      TRY(hc_find_word(l->c, HC_FOUND_OTHER_COUNT, "size at its start", l->c->ranks[record], m->size,
                       t->units));
  }
  return compare(l, HC_COUNTS_FACTS, "plan_molds", 0, (int64_t)l->told->mold_count);
}

static hc_rc check_switches(ledger *l)
{
  int64_t off = 0, on = 0;
  if (l->told->power_count == 0 && !counted(l, HC_COUNTS_FACTS, "switched_off")) return 0;
  for (size_t i = 0; i < l->told->power_count; i++) {
    off += l->told->power[i].state == HC_STATE_STOPPING;
    on += l->told->power[i].state == HC_STATE_STARTING;
  }
  TRY(compare(l, HC_COUNTS_FACTS, "switched_off", 0, off));
  return compare(l, HC_COUNTS_FACTS, "switched_on", 0, on);
}

static hc_rc check_marks(ledger *l)
{
  static const struct {
    int64_t flag;
    int bit;
    const char *word;
  } marks[] = {{HC_TASK_PREEMPTED, STOPPED, "stopped"},
               {HC_TASK_RATED, RATED, "suspended"},
               {HC_TASK_RESIZED, RESIZED, "resized"}};
  hc_check *c = l->c;
  for (size_t i = 0; i < c->report.tasks; i++)
    for (size_t k = 0; k < HC_ARRAY_LEN(marks); k++) {
      const bool has_mark = (c->given[i].flags & marks[k].flag) != 0,
                 has_row = (l->seen[i] & marks[k].bit) != 0;
      /* what was marked in an attempt that was lost or stopped is marked no more */
      const bool may_differ = !has_mark && marks[k].bit != STOPPED && (l->seen[i] & (LOST | STOPPED)) != 0;
      if (has_mark != has_row && !may_differ)
        TRY(hc_find_word(c, has_mark ? HC_FOUND_NO_ROW : HC_FOUND_NO_MARK, marks[k].word, c->ranks[i], 0, 0));
    }
  hc_held_to(c, HC_RULE_LEDGER, c->report.tasks);
  return 0;
}

static hc_rc check_tables(ledger *l)
{
  const hc_verify_hosts *h = l->c->as_given->hosts;
  for (size_t i = 0; i < l->told->loss_count; i++) TRY(note(l, "attempts", l->told->losses[i].serial, LOST));
  TRY(compare(l, HC_COUNTS_FACTS, "requeued", 0, (int64_t)l->told->loss_count));
  TRY(check_stops(l));
  TRY(check_rates(l));
  TRY(check_resizes(l));
  TRY(check_regrants(l));
  TRY(check_molds(l));
  TRY(check_switches(l));
  for (size_t i = 0; h && i < h->demand_count; i++) TRY(note(l, "demands", h->demands[i].serial, HELD));
  for (size_t i = 0; h && i < h->grant_count; i++) TRY(note(l, "grants", h->grants[i].serial, HELD));
  for (size_t i = 0; i < l->told->place_count; i++) TRY(note(l, "placements", l->told->places[i].serial, 0));
  for (size_t i = 0; i < l->c->report.tasks; i++)
    if ((l->seen[i] & HELD) && l->c->given[i].start == HC_UNKNOWN)
      TRY(hc_find_word(l->c, HC_FOUND_NEVER_RAN, "grants", l->c->ranks[i], 0, 0));
  return 0;
}

static hc_rc check_names(ledger *l)
{
  hc_held_to(l->c, HC_RULE_LEDGER, l->told->names);
  for (size_t i = 0; i < l->told->twice_count; i++)
    TRY(hc_find_word(l->c, HC_FOUND_TWO_NAMES, l->told->named_twice[i].word, UINT32_MAX,
                     l->told->named_twice[i].number, 0));
  return 0;
}

hc_rc hc_check_ledger(hc_check *c)
{
  ledger l = {.c = c, .told = c->as_given->told};
  hc_rc rc;
  if (!l.told) return 0;
  l.seen = hc_alloc(c->allocator, (size_t)c->report.tasks + 1);
  rc = l.seen ? find_ranks(c) : HC_ENOMEM;
  if (rc >= 0) rc = check_finals(&l);
  if (rc >= 0) rc = check_rows(&l);
  if (rc >= 0) rc = check_names(&l);
  if (rc >= 0 && l.told->by_run) rc = check_serials(c);
  if (rc >= 0 && l.told->by_run) rc = check_tables(&l);
  if (rc >= 0 && l.told->by_run) rc = check_marks(&l);
  hc_free(c->allocator, l.seen, (size_t)c->report.tasks + 1);
  return rc;
}
