/* show_longest.c -- `hindcast show RESULT --longest N`: the tasks that waited longest, from the task rows.
 *
 * A wait is from the submission to the start; of equal ones the earlier task comes first. Tasks that never
 * started have none, and are counted below the table. Cost: the rows, sorted. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* A damaged record may have any times. */
static hc_time between(hc_time from, hc_time to)
{
  return (hc_time)((uint64_t)to - (uint64_t)from);
}

static hc_time wait_of(const hc_task_record *t)
{
  return t->start == HC_UNKNOWN ? -1 : between(t->submit, t->start);
}

static int by_wait(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  const hc_time v = wait_of(x), w = wait_of(y);
  if (v != w) return v < w ? 1 : -1;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static void add_duration(cli_table *t, hc_time time)
{
  char plain[40], human[40];
  if (time < 0) {
    cli_add_pair(t, NULL, "-", false);
    return;
  }
  plain[hc_format_seconds(time, plain)] = '\0';
  human[hc_format_duration(time, human)] = '\0';
  cli_add_pair(t, plain, human, false);
}

/* Seconds since the origin, and for people the date instead, where it is known. */
static void add_moment(cli_table *t, int64_t unix_start, hc_time at)
{
  char plain[40], date[32];
  cli_format_date(date, sizeof date, unix_start, at);
  plain[hc_format_seconds(at, plain)] = '\0';
  cli_add_pair(t, plain, date[0] ? date : NULL, false);
}

static void add_called(cli_table *t, const char *name, int64_t number)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%lld", (long long)number);
  cli_add_text(t, name ? name : number >= 0 ? text : "");
}

static void add_task(cli_table *t, hc_result *r, const hc_result_facts *facts, const hc_task_record *x)
{
  char date[32], serial[32];
  add_called(t, hc_result_task_name(r, x->serial), x->id);
  (void)snprintf(serial, sizeof serial, "%lld", (long long)x->serial);
  cli_add_pair(t, serial, NULL, false);
  add_called(t, hc_result_name(r, HC_CALLED_USER, x->user), x->user);
  cli_add_real(t, (double)x->units / (double)(facts->core_units > 0 ? facts->core_units : 1), NULL);
  add_moment(t, facts->unix_start, x->submit);
  add_moment(t, facts->unix_start, x->start);
  add_duration(t, wait_of(x));
  add_duration(t, x->end != HC_UNKNOWN ? between(x->start, x->end) : -1);
  cli_add_text(t, hc_final_name((hc_final)x->final));
  if (t->width == 9) return;
  cli_format_date(date, sizeof date, facts->unix_start, x->submit);
  cli_add_text(t, date);
  cli_format_date(date, sizeof date, facts->unix_start, x->start);
  cli_add_text(t, date);
}

static void show(cli *c, hc_result *r, const cli_records *all, size_t most)
{
  hc_result_facts facts;
  cli_table t;
  size_t n = 0;
  hc_result_facts_of(r, &facts);
  const cli_column columns[] = {{.name = "job"},
                                {.name = "serial", .right = true},
                                {.name = "user"},
                                {.name = facts.core_units == 1      ? "processors"
                                         : facts.core_units == 1000 ? "cores"
                                                                    : "units",
                                 .right = true},
                                {.name = "submit", .right = true},
                                {.name = "start", .right = true},
                                {.name = "wait", .right = true},
                                {.name = "run", .right = true},
                                {.name = "state"},
                                {.name = "submit_date"}, /* for programs; people see dates alone */
                                {.name = "start_date"}};
  const bool has_dates = facts.unix_start != HC_UNKNOWN && c->format != CLI_TEXT;
  cli_table_init(&t, c->allocator, columns, has_dates ? CLI_LEN(columns) : CLI_LEN(columns) - 2);
  while (n < all->count && wait_of(&all->items[n]) >= 0) n++;
  for (size_t i = 0; i < n && i < most; i++) add_task(&t, r, &facts, &all->items[i]);
  cli_table_show(c, &t);
  c->out.failed |= t.failed;
  cli_table_fini(&t);
  if (c->format != CLI_TEXT) return;
  if (n < all->count)
    hc_buffer_printf(&c->out, "  note: %llu task%s never started, and %s no wait\n",
                     (unsigned long long)(all->count - n), all->count - n == 1 ? "" : "s",
                     all->count - n == 1 ? "has" : "have");
  if (n > 0 && !cli_result_is_recorded(c, r))
    hc_buffer_printf(&c->out, "  hindcast why %s '#%lld' says why the first of them waited\n", c->operands[0],
                     (long long)all->items[0].serial);
}

hc_rc cli_show_longest(cli *c, hc_result *r)
{
  cli_records all = {0};
  int64_t most = 10;
  CLI_TRY(cli_int(c, "longest", 1, INT64_MAX, &most));
  CLI_TRY(cli_records_load(c, r, &all));
  qsort(all.items, all.count, sizeof *all.items, by_wait);
  show(c, r, &all, (size_t)most);
  cli_records_fini(c, &all);
  return 0;
}
