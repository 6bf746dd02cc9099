/* compare_by.c -- `hindcast compare A B --by user`: which groups lose and which gain.
 *
 * Both results have the same tasks, so each is compared with itself: B's wait less A's. What group a task is
 * in is read off A, so that an expression over waits means the waits of A. Of a group the differences are put
 * in order of submission and cut into batches (at most 30, each task by itself where there are fewer), whose
 * means are taken as independent: the interval is Student's t over them, as everywhere in compare, and p is
 * of the same t. Many groups are many questions, so the verdict is by p with Holm's correction over all
 * groups that are asked: the chance that any verdict of a table is false is below 5 %. A group of fewer than
 * five tasks is not asked. What is not decided is unclear.
 *
 * The hours that a group waits more in all add up, over groups, to those of all tasks. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/groups.h"

#define LEVEL 0.05

typedef struct lot {
  uint32_t group;                /* of the grouping; its count: the rest */
  size_t at;                     /* in the order of the groups */
  uint64_t tasks, better, worse; /* better: waits that are shorter than in the first */
  double first, other;           /* mean waits, s */
  hc_estimate wait, slowdown;    /* differences */
  double lost;                   /* h, in all */
  double p, adjusted;            /* NaN: not asked */
  double sort;
} lot;

typedef struct table {
  cli *c;
  const cli_by *by;
  uint32_t batches;
  double tau;
  const uint32_t *rank; /* [groups] place of each in the order of the groups */
  size_t groups;        /* with the rest, if there is one */
  bool has_rest;
  lot *lots; /* [count] groups that have a pair */
  size_t count;
  uint64_t left_out; /* pairs of which one did not start and end */
} table;

static bool is_trimmed(const cli *c)
{
  const char *scope = cli_value(c, "scope");
  return scope && strcmp(scope, "trimmed") == 0;
}

bool cli_is_differ(const char *value)
{
  return value && (strcmp(value, "start") == 0 || strcmp(value, "wait") == 0);
}

/* ---- counting ---- */

static bool counts(const hc_task_record *r)
{
  return r->final == HC_FINAL_COMPLETED || r->final == HC_FINAL_KILLED;
}

/* In seconds; a damaged record may have any times. */
static double seconds_between(hc_time from, hc_time to)
{
  return (double)(int64_t)((uint64_t)to - (uint64_t)from) / 1e9;
}

static double wait_of(const hc_task_record *r)
{
  return seconds_between(r->submit, r->start);
}

static double slowdown_of(const hc_task_record *r, double tau)
{
  const double run = seconds_between(r->start, r->end), x = (wait_of(r) + run) / (run > tau ? run : tau);
  return x > 1 ? x : 1;
}

/* Pairs of one group after another, each in order of submission: a counting sort. starts [groups + 1] */
static void gather(const cli_pairing *p, const uint32_t *group, const cli_pair **sorted, size_t *starts,
                   size_t groups)
{
  memset(starts, 0, (groups + 1) * sizeof *starts);
  for (size_t i = 0; i < p->count; i++)
    if (group[i] != UINT32_MAX) starts[group[i] + 1]++;
  for (size_t g = 0; g < groups; g++) starts[g + 1] += starts[g];
  for (size_t i = 0; i < p->count; i++)
    if (group[i] != UINT32_MAX) sorted[starts[group[i]]++] = &p->pairs[i];
  for (size_t g = groups; g > 0; g--) starts[g] = starts[g - 1];
  starts[0] = 0;
}

/* waits, slowdowns [count] are scratch */
static hc_rc count_lot(const table *t, const cli_pair *const *pairs, size_t count, double *waits,
                       double *slowdowns, lot *out)
{
  double first = 0, other = 0, lost = 0;
  out->tasks = count;
  out->p = out->adjusted = (double)__builtin_nanf("");
  for (size_t i = 0; i < count; i++) {
    const double a = wait_of(pairs[i]->a), b = wait_of(pairs[i]->b);
    first += a;
    other += b;
    waits[i] = b - a;
    lost += waits[i];
    slowdowns[i] = slowdown_of(pairs[i]->b, t->tau) - slowdown_of(pairs[i]->a, t->tau);
    out->better += waits[i] < 0;
    out->worse += waits[i] > 0;
  }
  out->first = first / (double)count;
  out->other = other / (double)count;
  out->lost = lost / 3600;
  CLI_TRY(hc_estimate_mean(waits, count, t->batches, &out->wait));
  CLI_TRY(hc_estimate_mean(slowdowns, count, t->batches, &out->slowdown));
  return cli_test_batches(t->c, waits, count, t->batches, &out->p);
}

/* Verdicts ask all groups of a table at once. */
static hc_rc adjust(table *t)
{
  double *p = malloc((t->count + 1) * sizeof *p);
  hc_rc rc = p ? 0 : HC_ENOMEM;
  for (size_t i = 0; rc == 0 && i < t->count; i++) p[i] = t->lots[i].p;
  if (rc == 0) rc = hc_stat_adjust(t->c->allocator, HC_STAT_HOLM, p, t->count, p);
  for (size_t i = 0; rc == 0 && i < t->count; i++) t->lots[i].adjusted = p[i];
  free(p);
  return rc;
}

static hc_rc count_lots(table *t, const cli_pairing *p, const uint32_t *group)
{
  const cli_pair **sorted = malloc((p->count + 1) * sizeof *sorted);
  size_t *starts = malloc((t->groups + 2) * sizeof *starts);
  double *waits = malloc((p->count + 1) * sizeof *waits),
         *slowdowns = malloc((p->count + 1) * sizeof *slowdowns);
  hc_rc rc = 0;
  t->lots = calloc(t->groups + 1, sizeof *t->lots);
  if (!sorted || !starts || !waits || !slowdowns || !t->lots) rc = HC_ENOMEM;
  else gather(p, group, sorted, starts, t->groups);
  for (size_t g = 0; rc == 0 && g < t->groups; g++) {
    lot *x = &t->lots[t->count];
    if (starts[g] == starts[g + 1]) continue;
    *x = (lot){.group = (uint32_t)g, .at = t->has_rest && g + 1 == t->groups ? g : t->rank[g]};
    rc = count_lot(t, sorted + starts[g], starts[g + 1] - starts[g], waits, slowdowns, x);
    t->count++;
  }
  free(sorted);
  free(starts);
  free(waits);
  free(slowdowns);
  return rc == 0 ? adjust(t) : rc;
}

/* ---- order ---- */

static const char *const sorts[] = {
    "lost_hours", "wait_difference", "slowdown_difference", "tasks", "first_wait", "wait", "p"};

static double sort_value(const lot *x, size_t which)
{
  const double values[] = {x->lost,  x->wait.mean, x->slowdown.mean, (double)x->tasks,
                           x->first, x->other,     x->adjusted};
  return values[which];
}

static int by_value(const void *a, const void *b)
{
  const lot *x = a, *y = b;
  if ((x->sort != x->sort) != (y->sort != y->sort)) return x->sort != x->sort ? 1 : -1;
  if (x->sort > y->sort || x->sort < y->sort) return x->sort > y->sort ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static hc_rc sort_lots(table *t)
{
  const char *column = cli_value(t->c, "sort");
  const bool least = column && column[0] == '-';
  const bool plain = column && strcmp(column + least, "group") == 0;
  size_t which = 0;
  while (!plain && column && which < CLI_LEN(sorts) && strcmp(sorts[which], column + least) != 0) which++;
  if (which == CLI_LEN(sorts))
    return cli_fail(
        t->c, HC_EUSAGE,
        "--sort: expected lost_hours, wait_difference, slowdown_difference, tasks, first_wait, wait, p or "
        "group, got \"%.80s\"",
        column);
  for (size_t i = 0; i < t->count; i++) {
    lot *x = &t->lots[i];
    x->sort = plain ? -(double)x->at : sort_value(x, which);
    if (least) x->sort = -x->sort;
  }
  qsort(t->lots, t->count, sizeof *t->lots, by_value);
  return 0;
}

/* ---- saying so ---- */

typedef struct heads {
  cli_column columns[HC_GROUPING_DIMENSIONS + 16];
  char first[240], other[240];
  size_t width;
} heads;

static void make_heads(const cli_by *b, bool has_rest, const char *first, const char *other, heads *h)
{
  const cli_column rest[] = {{.name = "tasks", .right = true},
                             {.name = "first_wait", .title = h->first, .right = true},
                             {.name = "wait", .title = h->other, .right = true},
                             {.name = "wait_difference", .title = "difference (s)", .right = true},
                             {.name = "wait_half_width", .title = "+/-", .right = true},
                             {.name = "slowdown_difference", .title = "bounded slowdown", .right = true},
                             {.name = "slowdown_half_width", .title = "+/-", .right = true},
                             {.name = "better", .right = true},
                             {.name = "worse", .right = true},
                             {.name = "lost_hours", .title = "hours lost", .right = true},
                             {.name = "p", .right = true},
                             {.name = "verdict"}};
  (void)snprintf(h->first, sizeof h->first, "wait %s (s)", first);
  (void)snprintf(h->other, sizeof h->other, "wait %s (s)", other);
  h->width = 0;
  if (!other[0]) h->columns[h->width++] = (cli_column){.name = "result"};
  cli_by_columns(b, h->columns + h->width);
  h->width += b->dimensions;
  if (has_rest) h->columns[h->width++] = (cli_column){.name = "groups", .right = true};
  memcpy(h->columns + h->width, rest, sizeof rest);
  h->width += CLI_LEN(rest);
}

static const char *verdict(const lot *x)
{
  if (x->better + x->worse == 0) return "equal";
  if (!(x->adjusted < LEVEL)) return "unclear";
  return x->wait.mean > 0 ? "loses" : "gains";
}

static void add_lot(cli_table *out, const table *t, const lot *x)
{
  const bool is_rest = t->has_rest && x->group + 1 == t->groups;
  bool at_least;
  const uint64_t rest = hc_grouping_rest(t->by->grouping, &at_least);
  for (uint32_t d = 0; !is_rest && d < t->by->dimensions; d++) {
    const hc_group_value v = hc_grouping_value(t->by->grouping, x->group, d);
    cli_add_group(out, t->by, d, &v);
  }
  if (is_rest) cli_add_rest(out, t->by, rest, at_least);
  if (t->has_rest) cli_add_int(out, is_rest ? (int64_t)rest : 1);
  cli_add_int(out, (int64_t)x->tasks);
  cli_add_real(out, x->first, "s");
  cli_add_real(out, x->other, "s");
  cli_add_real(out, x->wait.mean, "s");
  cli_add_real(out, x->wait.half_width, "s");
  cli_add_real(out, x->slowdown.mean, "1");
  cli_add_real(out, x->slowdown.half_width, "1");
  cli_add_int(out, (int64_t)x->better);
  cli_add_int(out, (int64_t)x->worse);
  cli_add_real(out, x->lost, "h");
  cli_add_batch_p(out, x->adjusted);
  cli_add_text(out, verdict(x));
}

typedef struct number {
  char text[40];
} number;

static number number_of(uint64_t n)
{
  number x;
  x.text[hc_format_count((int64_t)n, x.text)] = '\0';
  return x;
}

static void say_counts(const table *t, hc_buffer *out)
{
  uint64_t loses = 0, gains = 0, equal = 0, better = 0, worse = 0, tasks = 0;
  double lost = 0;
  char hours[64];
  for (size_t i = 0; i < t->count; i++) {
    const lot *x = &t->lots[i];
    const char *word = verdict(x);
    loses += strcmp(word, "loses") == 0;
    gains += strcmp(word, "gains") == 0;
    equal += strcmp(word, "equal") == 0;
    better += x->better;
    worse += x->worse;
    tasks += x->tasks;
    lost += x->lost;
  }
  cli_human(lost < 0 ? -lost : lost, NULL, hours);
  hc_buffer_printf(out, "%s %s: losing %s, gaining %s, equal %s, not decided %s. ", number_of(t->count).text,
                   t->count == 1 ? "group" : "groups", number_of(loses).text, number_of(gains).text,
                   number_of(equal).text, number_of(t->count - loses - gains - equal).text);
  hc_buffer_printf(out, "Of %s tasks %s wait less and %s longer: %s hours %s in all\n", number_of(tasks).text,
                   number_of(better).text, number_of(worse).text, hours, lost < 0 ? "gained" : "lost");
}

/* Groups that are not shown, and how many of them are decided: what a limit hides is not to be missed. */
static void say_more(const table *t, size_t shown, hc_buffer *out)
{
  uint64_t decided = 0;
  if (shown >= t->count) return;
  for (size_t i = shown; i < t->count; i++) {
    const char *word = verdict(&t->lots[i]);
    decided += strcmp(word, "loses") == 0 || strcmp(word, "gains") == 0;
  }
  hc_buffer_printf(out, "... and %s more", number_of(t->count - shown).text);
  if (decided > 0)
    hc_buffer_printf(out, ", %s of them decided: --sort -p shows these first", number_of(decided).text);
  hc_buffer_text(out, "\n");
}

/* One result against the first, for people. */
static void say_text(table *t, const char *first, const char *name, size_t limit)
{
  cli *c = t->c;
  const bool mark = cli_has(c, "markdown");
  const size_t shown = limit < t->count ? limit : t->count;
  heads h;
  cli_table out;
  make_heads(t->by, t->has_rest, first, name, &h);
  cli_table_init(&out, c->allocator, h.columns, h.width);
  for (size_t i = 0; i < shown; i++) add_lot(&out, t, &t->lots[i]);
  c->out.failed |= out.failed;
  hc_buffer_printf(&c->out, "%s%s against %s by %s", c->out.size ? "\n" : "", name, first,
                   cli_by_title(t->by, 0));
  if (t->by->dimensions > 1) hc_buffer_printf(&c->out, " and %s", cli_by_title(t->by, 1));
  hc_buffer_printf(
      &c->out,
      ", task by task%s: mean difference, 95 %% confidence interval (t over at most %lu batch means in order "
      "of submission), p of the same t with Holm's correction over the groups\n%s",
      is_trimmed(c) ? ", those that the trim of the first keeps" : "", (unsigned long)t->batches,
      mark ? "\n" : "");
  cli_table_people(c, &out, 2);
  if (mark) hc_buffer_text(&c->out, "\n");
  if (shown < t->count && !mark) hc_buffer_text(&c->out, "  ");
  say_more(t, shown, &c->out);
  say_counts(t, &c->out);
  cli_table_fini(&out);
}

/* ---- all of them ---- */

typedef struct comparing {
  cli *c;
  const cli_schedule *s;
  size_t count, limit;
  uint32_t batches;
  double tau;
  cli_by by;
  uint32_t *first; /* [records of the first] group of each; UINT32_MAX: of none */
  uint32_t *rank;
  cli_table all; /* for programs */
  hc_buffer notes;
  const cli_group_taker *taker; /* NULL: it is said as the command's format has it */
} comparing;

/* Records are by serial. */
static hc_rc keep(void *ctx, const hc_task_record *kept)
{
  comparing *x = ctx;
  const cli_records *r = &x->s[0].records;
  size_t from = 0, to = r->count;
  while (from < to) {
    const size_t middle = (from + to) / 2;
    if (r->items[middle].serial < kept->serial) from = middle + 1;
    else to = middle;
  }
  if (from < r->count && r->items[from].serial == kept->serial) x->first[from] = 0;
  return 0;
}

/* Which tasks are compared, and in which groups they are. Groups of others are not met. */
static hc_rc choose_tasks(comparing *x)
{
  const cli_records *r = &x->s[0].records;
  const bool trimmed = is_trimmed(x->c);
  for (size_t i = 0; i < r->count; i++) x->first[i] = trimmed ? UINT32_MAX : 0;
  if (trimmed && !x->s[0].result)
    return cli_fail(x->c, HC_EUSAGE, "--scope trimmed: %.200s is no result, and has no trim", x->s[0].path);
  if (trimmed && !cli_registry(x->c)) return HC_ENOMEM;
  if (trimmed)
    CLI_TRY(hc_result_kept(x->c->allocator, x->c->registry, x->s[0].result, keep, x, &x->c->error));
  for (size_t i = 0; i < r->count; i++) {
    if (!counts(&r->items[i])) x->first[i] = UINT32_MAX;
    if (x->first[i] == 0) CLI_TRY(hc_grouping_of(x->by.grouping, &r->items[i], 1, &x->first[i]));
  }
  return 0;
}

/* The first result says which groups there are. */
static hc_rc group_first(comparing *x)
{
  uint32_t *order;
  x->first = malloc((x->s[0].records.count + 1) * sizeof *x->first);
  if (!x->first) return HC_ENOMEM;
  CLI_TRY(choose_tasks(x));
  const uint32_t n = hc_grouping_count(x->by.grouping);
  order = malloc((n + 1) * sizeof *order);
  x->rank = malloc((n + 1) * sizeof *x->rank);
  hc_rc rc = order && x->rank ? hc_grouping_order(x->by.grouping, order) : HC_ENOMEM;
  for (uint32_t i = 0; rc >= 0 && i < n; i++) x->rank[order[i]] = i;
  free(order);
  return rc;
}

static hc_rc group_pairs(const comparing *x, const cli_pairing *p, table *t, uint32_t *group)
{
  for (size_t i = 0; i < p->count; i++) {
    const cli_pair *pair = &p->pairs[i];
    const bool both = counts(pair->a) && counts(pair->b);
    const uint32_t first = x->first[pair->a - x->s[0].records.items];
    t->left_out += counts(pair->a) != counts(pair->b) && (!is_trimmed(x->c) || first != UINT32_MAX);
    group[i] = both ? first : UINT32_MAX;
  }
  return count_lots(t, p, group);
}

static void note_left_out(comparing *x, const table *t, const cli_pairing *p, const char *name)
{
  if (p->only_a || p->only_b)
    hc_buffer_printf(&x->notes,
                     "tasks that only one of them has are left out: %llu are in %s alone, %llu in %s alone\n",
                     (unsigned long long)p->only_a, x->s[0].name, (unsigned long long)p->only_b, name);
  if (t->left_out)
    hc_buffer_printf(&x->notes, "%llu %s left out, which started and ended in only one of %s and %s\n",
                     (unsigned long long)t->left_out, t->left_out == 1 ? "task is" : "tasks are",
                     x->s[0].name, name);
}

/* One result against the first, for one who takes the table. */
static hc_rc hand_over(comparing *x, const table *t, const char *name)
{
  hc_buffer counts;
  heads h;
  cli_table out;
  make_heads(t->by, t->has_rest, x->s[0].name, name, &h);
  cli_table_init(&out, x->c->allocator, h.columns, h.width);
  hc_buffer_init(&counts, x->c->allocator);
  for (size_t i = 0; i < t->count; i++) add_lot(&out, t, &t->lots[i]);
  say_counts(t, &counts);
  hc_rc rc = out.failed || counts.failed ? HC_ENOMEM : 0;
  if (rc == 0) rc = x->taker->take(x->taker->ctx, name, cli_by_title(t->by, 0), &out, counts.data);
  cli_table_fini(&out);
  hc_buffer_fini(&counts);
  return rc;
}

static hc_rc say(comparing *x, table *t, const char *name)
{
  CLI_TRY(sort_lots(t));
  if (x->taker) return hand_over(x, t, name);
  if (x->c->format == CLI_TEXT) {
    say_text(t, x->s[0].name, name, x->limit);
    return 0;
  }
  for (size_t i = 0; i < t->count && i < x->limit; i++) {
    cli_add_text(&x->all, name);
    add_lot(&x->all, t, &t->lots[i]);
  }
  return 0;
}

static hc_rc compare_one(comparing *x, const cli_schedule *other)
{
  table t = {.c = x->c, .by = &x->by, .batches = x->batches, .tau = x->tau, .rank = x->rank};
  cli_pairing p;
  uint32_t *group;
  hc_rc rc;
  t.has_rest = hc_grouping_rest(x->by.grouping, NULL) > 0;
  t.groups = (size_t)hc_grouping_count(x->by.grouping) + t.has_rest;
  rc = cli_match(x->c, &x->s[0], other, &p);
  group = rc >= 0 ? malloc((p.count + 1) * sizeof *group) : NULL;
  if (rc >= 0) rc = group ? group_pairs(x, &p, &t, group) : HC_ENOMEM;
  if (rc >= 0 && t.count == 0 && !x->taker)
    rc = hc_fail(&x->c->error, HC_EUSAGE, other->path, 0, 0,
                 "no task started and ended in it and in %s; compare results of one workload", x->s[0].path);
  if (rc >= 0) rc = say(x, &t, other->name);
  if (rc >= 0) note_left_out(x, &t, &p, other->name);
  free(group);
  free(p.pairs);
  free(t.lots);
  return rc;
}

static void say_programs(comparing *x)
{
  cli *c = x->c;
  hc_json_writer j = {.out = &c->out};
  c->out.failed |= x->all.failed;
  if (c->format == CLI_CSV) {
    cli_table_csv(&x->all, &c->out);
    return;
  }
  hc_json_enter(&j, NULL, '{');
  hc_json_put_text(&j, "first", x->s[0].path);
  hc_json_enter(&j, "by", '[');
  for (uint32_t d = 0; d < x->by.dimensions; d++)
    hc_json_put_text(&j, NULL, hc_grouping_name(x->by.grouping, d));
  hc_json_leave(&j, ']');
  cli_table_member(&x->all, &j, "groups");
  cli_json_notes(&j, &x->notes);
  hc_json_leave(&j, '}');
}

static hc_rc compare_all(comparing *x)
{
  int64_t limit = INT64_MAX;
  heads h;
  hc_rc rc;
  CLI_TRY(cli_int(x->c, "limit", 1, INT64_MAX, &limit));
  x->limit = (size_t)limit;
  CLI_TRY(cli_by_open(x->c, x->s[0].result, &x->by));
  CLI_TRY(group_first(x));
  CLI_TRY(cli_compare_notes(x->c, x->s, x->count, &x->notes));
  make_heads(&x->by, hc_grouping_rest(x->by.grouping, NULL) > 0, "", "", &h);
  cli_table_init(&x->all, x->c->allocator, h.columns, h.width);
  rc = 0;
  for (size_t i = 1; rc >= 0 && i < x->count; i++) rc = compare_one(x, &x->s[i]);
  if (rc >= 0 && x->c->format == CLI_TEXT) cli_show_notes(&x->notes, &x->c->out);
  else if (rc >= 0) say_programs(x);
  cli_table_fini(&x->all);
  return rc;
}

static hc_rc end(comparing *x, hc_rc rc)
{
  if (rc == HC_ENOMEM) rc = cli_fail(x->c, rc, "out of memory for the groups");
  x->c->out.failed |= x->notes.failed;
  hc_buffer_fini(&x->notes);
  free(x->first);
  free(x->rank);
  cli_by_close(&x->by);
  return rc;
}

hc_rc cli_compare_by(cli *c, const cli_schedule *s, size_t count, uint32_t batches, double tau)
{
  comparing x = {.c = c, .s = s, .count = count, .batches = batches, .tau = tau};
  hc_buffer_init(&x.notes, c->allocator);
  return end(&x, compare_all(&x));
}

hc_rc cli_compare_groups(cli *c, const cli_schedule *s, size_t count, const char *word,
                         const cli_group_taker *taker)
{
  comparing x = {
      .c = c, .s = s, .count = count, .limit = SIZE_MAX, .batches = CLI_BATCHES, .tau = 10, .taker = taker};
  hc_rc rc;
  hc_buffer_init(&x.notes, c->allocator);
  rc = cli_by_open_word(c, s[0].result, word, &x.by);
  if (rc >= 0) rc = group_first(&x);
  for (size_t i = 1; rc >= 0 && i < count; i++) rc = compare_one(&x, &s[i]);
  return end(&x, rc);
}
