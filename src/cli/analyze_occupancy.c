/* analyze_occupancy.c -- `hindcast analyze occupancy`: how much of the machine was busy, away, reserved and
 * idle over time, as the log and what sacctmgr says of nodes and reservations have it. */
#include "cli/analyze_parts.h"

#include <stdlib.h>
#include <string.h>

static const cli_flag own_flags[] = {
    CLI_FLAG_PROCS,
    {.name = "down",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "When nodes were away: what `sacctmgr --parsable2 show event "
             "format=NodeName,TimeStart,TimeEnd,State,TRES` printed. Default: none were."},
    {.name = "reserved",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "When cores were reserved in advance: what `sacctmgr --parsable2 show reservation "
             "format=Name,TimeStart,TimeEnd,TRES` printed. Default: none were."},
    {.name = "every",
     .metavar = "TIME",
     .help = "Length of a piece of time, from midnight on: 1h, 1d, 7d. Default: 1d, or 1h of a log of up to "
             "three days."},
    {.name = "svg", .metavar = "FILE", .complete = CLI_FILE, .help = "Draw it there, too, as lines."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_transform_flags, cli_config_flags, cli_format_flags,
                                        NULL};

typedef struct occupancy {
  cli *c;
  hc_node_times down, reserved;
  hc_result_facts facts;
  hc_occupancy *rows;
  size_t count, cap;
} occupancy;

static const cli_column columns[] = {{.name = "from"},
                                     {.name = "hours", .right = true},
                                     {.name = "busy", .right = true},
                                     {.name = "down", .right = true},
                                     {.name = "reserved", .right = true},
                                     {.name = "idle", .right = true},
                                     {.name = "occupancy", .right = true}};

static double cores_of(const occupancy *x)
{
  return (double)x->facts.capacity / (double)(x->facts.core_units > 0 ? x->facts.core_units : 1);
}

/* Cores that are there and that nothing has. A node that drains is away and may be busy. */
static double idle_of(const occupancy *x, const hc_occupancy *r)
{
  const double idle = cores_of(x) - r->down - r->busy;
  return idle > 0 ? idle : 0;
}

/* Busy of what is there. */
static double share_of(const occupancy *x, const hc_occupancy *r)
{
  const double there = r->busy + idle_of(x, r);
  return there > 0 ? r->busy / there : (double)__builtin_nanf("");
}

static void date_of(const occupancy *x, const hc_occupancy *r, char out[48])
{
  const hc_calendar d = hc_calendar_of(r->at, 0);
  const int64_t second = ((r->at % 86400) + 86400) % 86400;
  if (x->facts.unix_start == HC_UNKNOWN) {
    hc_format_duration(r->at * HC_SECOND, out);
    return;
  }
  (void)snprintf(out, 48, "%04lld-%02d-%02d %02d:%02d", (long long)d.year, d.month, d.day,
                 (int)(second / 3600), (int)(second / 60 % 60));
}

static void add_row(cli_table *t, const occupancy *x, const hc_occupancy *r, const char *from)
{
  char plain[40], human[64];
  const double share = share_of(x, r);
  cli_add_text(t, from);
  cli_add_real(t, r->seconds / 3600, "1");
  cli_add_real(t, r->busy, "cores");
  cli_add_real(t, r->down, "cores");
  cli_add_real(t, r->reserved, "cores");
  cli_add_real(t, idle_of(x, r), "cores");
  plain[hc_format_real(share, plain)] = '\0';
  cli_human(100 * share, NULL, human);
  (void)strcat(human, " %");
  cli_add_pair(t, share == share ? plain : NULL, share == share ? human : NULL, false);
}

/* Of the whole time: means weighted by how long pieces are. */
static hc_occupancy all_of(const occupancy *x)
{
  hc_occupancy all = {.seconds = 0};
  for (size_t i = 0; i < x->count; i++) {
    const hc_occupancy *r = &x->rows[i];
    all.seconds += r->seconds;
    all.busy += r->busy * r->seconds;
    all.down += r->down * r->seconds;
    all.reserved += r->reserved * r->seconds;
  }
  all.busy /= all.seconds;
  all.down /= all.seconds;
  all.reserved /= all.seconds;
  return all;
}

static hc_rc draw(occupancy *x, const char *name, const char *path)
{
  static const char *const titles[] = {"busy (cores)", "down (cores)", "reserved (cores)", "idle (cores)",
                                       "occupancy"};
  cli *c = x->c;
  const size_t n = x->count;
  const char **labels = calloc(n + 1, sizeof *labels);
  char(*texts)[48] = calloc(n + 1, sizeof *texts);
  double *values = calloc(5 * n + 1, sizeof *values);
  hc_chart_panel panels[5];
  cli_file file = {.c = c};
  hc_rc rc = labels && texts && values ? 0 : cli_fail(c, HC_ENOMEM, "out of memory for the picture");
  size_t count = 0;
  for (size_t i = 0; i < n && rc >= 0; i++) {
    const hc_occupancy *r = &x->rows[i];
    const double of[] = {r->busy, r->down, r->reserved, idle_of(x, r), share_of(x, r)};
    date_of(x, r, texts[i]);
    labels[i] = texts[i];
    for (size_t k = 0; k < CLI_LEN(of); k++) values[k * n + i] = of[k];
  }
  for (size_t k = 0; k < CLI_LEN(titles); k++) {
    if ((k == 1 && !cli_has(c, "down")) || (k == 2 && !cli_has(c, "reserved"))) continue;
    panels[count++] = (hc_chart_panel){.title = titles[k], .values = values + k * n};
  }
  const hc_chart chart = {
      .title = name, .labels = labels, .rows = n, .panels = panels, .panel_count = count, .is_ordered = true};
  if (rc >= 0) rc = cli_file_open(c, path, &file);
  if (rc >= 0) {
    rc = hc_chart_draw(c->allocator, &chart, &file.sink, &c->error);
    if (rc >= 0) rc = cli_file_commit(&file);
    else cli_file_drop(&file);
  }
  free(labels);
  free(texts);
  free(values);
  return rc;
}

/* Tasks that have more than there is: the machine is larger than was said, or tasks share cores. */
static void say_too_much(const occupancy *x)
{
  const hc_occupancy *most = x->rows;
  char busy[64], from[48];
  for (size_t i = 1; i < x->count; i++)
    if (x->rows[i].busy > most->busy) most = &x->rows[i];
  if (!(most->busy > cores_of(x))) return;
  cli_human(most->busy, NULL, busy);
  date_of(x, most, from);
  hc_buffer_printf(&x->c->out,
                   "  note: tasks had %s cores from %s on, more than the machine has: is that what it has "
                   "(--procs), "
                   "and how many cores a job had (NCPUS)?\n",
                   busy, from);
}

static void say(occupancy *x, const char *name)
{
  cli *c = x->c;
  const hc_occupancy all = all_of(x);
  cli_table t;
  char text[48];
  cli_table_init(&t, c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; i < x->count; i++) {
    date_of(x, &x->rows[i], text);
    add_row(&t, x, &x->rows[i], text);
  }
  if (c->format == CLI_TEXT) {
    add_row(&t, x, &all, "all");
    text[hc_format_count(x->facts.capacity / (x->facts.core_units > 0 ? x->facts.core_units : 1), text)] =
        '\0';
    hc_buffer_printf(&c->out, "%s: mean cores of %s, from the first start to the last end\n", name, text);
    cli_table_people(c, &t, 2);
    say_too_much(x);
  } else cli_table_show(c, &t);
  c->out.failed |= t.failed;
  cli_table_fini(&t);
}

static hc_rc read_every(cli *c, const cli_records *tasks, hc_time *out)
{
  const char *every = cli_value(c, "every");
  hc_time from = INT64_MAX, to = 0;
  for (size_t i = 0; i < tasks->count; i++) {
    from = tasks->items[i].start < from ? tasks->items[i].start : from;
    to = tasks->items[i].end > to ? tasks->items[i].end : to;
  }
  *out = tasks->count > 0 && to - from <= 3 * HC_DAY ? HC_HOUR : HC_DAY;
  if (!every) return 0;
  if (hc_parse_time(every, strlen(every), out) == 0 && *out >= HC_SECOND) return 0;
  return cli_fail(c, HC_EUSAGE,
                  "--every: expected a time of a second or more, such as 1h or 1d, got "
                  "\"%.80s\"",
                  every);
}

static hc_rc of_result(void *ctx, hc_result *r, const cli_records *tasks)
{
  occupancy *x = ctx;
  cli *c = x->c;
  const char *name = hc_result_config(r, "name"), *down = cli_value(c, "down"),
             *reserved = cli_value(c, "reserved");
  hc_time every;
  hc_result_facts_of(r, &x->facts);
  CLI_TRY(read_every(c, tasks, &every));
  if (down) CLI_TRY(hc_node_times_read(c->allocator, down, x->facts.zone, &x->down, &c->error));
  if (reserved) CLI_TRY(hc_node_times_read(c->allocator, reserved, x->facts.zone, &x->reserved, &c->error));
  CLI_TRY(hc_occupancy_of(c->allocator, &x->facts, tasks->items, tasks->count, down ? &x->down : NULL,
                          reserved ? &x->reserved : NULL, every, &x->rows, &x->count, &x->cap, &c->error));
  if (cli_has(c, "svg")) CLI_TRY(draw(x, name ? name : "occupancy", cli_value(c, "svg")));
  say(x, name ? name : "occupancy");
  return 0;
}

static hc_rc run(cli *c)
{
  occupancy x = {.c = c};
  const hc_rc rc = cli_analyse(c, NULL, of_result, &x);
  hc_node_times_free(c->allocator, &x.down);
  hc_node_times_free(c->allocator, &x.reserved);
  hc_occupancy_free(c->allocator, x.rows, x.cap);
  return rc < 0 ? rc : 0;
}

const cli_command cli_analyze_occupancy = {
    .name = "occupancy",
    .operands = "LOG | RUN.yaml",
    .summary = "How much of the machine was busy, down, reserved and idle over time.",
    .detail = "Mean cores in each piece of time, by the site's clock. Down are nodes that were down, "
              "drained, failing, in "
              "maintenance or rebooting; a node that drains runs its tasks on, and counts as both. Reserved "
              "are cores in "
              "windows of advance reservations, used or not. Idle is what is there, not down and not busy; "
              "occupancy is "
              "busy of busy and idle. What the log does not say (jobs that ran before it begins) is missing "
              "at its edges.",
    .examples = "hindcast analyze occupancy site.yaml --down events.psv --reserved reservations.psv --svg "
                "month.svg\n"
                "hindcast analyze occupancy KTH.swf.gz --every 7d",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
