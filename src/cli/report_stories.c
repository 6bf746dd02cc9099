/* report_stories.c -- which tasks of a report have their story in the page, and the stories (cli/why.h).
 *
 * Those that --story names; then, by turns, those that wait longest in the first result and those whose
 * waits differ most between it and another one. A story is told of each result that has the task, so that
 * one sees beside each other what was in its way. It costs a run up to the task's start: --stories says how
 * many tasks have one; else there are as many, up to STORIES, as STORY_TIME seconds are enough for by what
 * the runs took; of LESSON tasks all that waited. */
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"

#define STORIES 10
#define LESSON 30 /* tasks of a run that the page goes through step by step: all of them have a story */
#define STORIES_MOST 1000
#define STORY_TIME 0.3
#define LINES_FIRST 20 /* of a story that is longer than both */
#define LINES_LAST 20

/* A task of the first result, or of the only one that it is looked for in. */
typedef struct choice {
  size_t run, row;
  double by; /* s: the more, the sooner it is told */
} choice;

typedef struct choosing {
  cli_report *x;
  size_t wanted;
  /* [runs] [rows of the first] the same task in another result; NULL: it has none. Of runs that are not
   * compared there is none at all */
  const hc_task_record ***same;
  choice *all; /* [count] */
  size_t count;
} choosing;

/* ---- choosing ---- */

static const cli_records *records_of(const choosing *k, size_t run)
{
  return &k->x->runs[run].schedule.records;
}

static double wait_of(const hc_task_record *t)
{
  return t->start == HC_UNKNOWN ? 0 : (double)(t->start - t->submit) / HC_SECOND;
}

static bool is_chosen(const choosing *k, size_t run, size_t row)
{
  for (size_t i = 0; i < k->count; i++)
    if (k->all[i].run == run && k->all[i].row == row) return true;
  return false;
}

static void choose(choosing *k, size_t run, size_t row)
{
  if (k->count < STORIES_MOST && !is_chosen(k, run, row))
    k->all[k->count++] = (choice){.run = run, .row = row};
}

/* Keep the `most` greatest, the greatest first; of equal ones the earlier. */
static void keep(choice *best, size_t *count, size_t most, choice c)
{
  size_t at = *count;
  if (most == 0 || !(c.by > 0) || (at == most && !(c.by > best[at - 1].by))) return;
  if (at < most) ++*count;
  else at--;
  for (; at > 0 && c.by > best[at - 1].by; at--) best[at] = best[at - 1];
  best[at] = c;
}

static double difference(const choosing *k, size_t row)
{
  const hc_task_record *a = &records_of(k, 0)->items[row];
  double most = 0;
  for (size_t i = 1; i < k->x->count; i++) {
    const hc_task_record *b = k->same[i] ? k->same[i][row] : NULL;
    if (!b || a->start == HC_UNKNOWN || b->start == HC_UNKNOWN) continue;
    const double d = wait_of(b) - wait_of(a);
    if (d > most || -d > most) most = d < 0 ? -d : d;
  }
  return most;
}

/* By turns from two lists, until there are enough. */
static void take_turns(choosing *k, const choice *a, size_t n, const choice *b, size_t m)
{
  for (size_t i = 0; i < n || i < m; i++) {
    if (i < n && k->count < k->wanted) choose(k, a[i].run, a[i].row);
    if (i < m && k->count < k->wanted) choose(k, b[i].run, b[i].row);
  }
}

static hc_rc choose_by_waits(choosing *k)
{
  choice *waits = malloc((k->wanted + 1) * 2 * sizeof *waits),
         *differences = waits ? waits + k->wanted + 1 : NULL;
  size_t n = 0, m = 0;
  if (!waits) return HC_ENOMEM;
  for (size_t run = 0; run < (k->x->is_compared ? 1 : k->x->count); run++)
    for (size_t i = 0; i < records_of(k, run)->count; i++)
      keep(waits, &n, k->wanted, (choice){run, i, wait_of(&records_of(k, run)->items[i])});
  for (size_t i = 0; k->x->is_compared && i < records_of(k, 0)->count; i++)
    keep(differences, &m, k->wanted, (choice){0, i, difference(k, i)});
  take_turns(k, waits, n, differences, m);
  free(waits);
  return 0;
}

static hc_rc choose_named(choosing *k)
{
  cli *c = k->x->c;
  const cli_records *of = records_of(k, 0);
  for (size_t i = 0; i < c->given_count; i++) {
    hc_task_record task;
    size_t row = 0;
    if (strcmp(c->given[i].flag->name, "story") != 0) continue;
    if (k->count == STORIES_MOST)
      return cli_fail(c, HC_EUSAGE, "--story: a page has at most %d of them", STORIES_MOST);
    CLI_TRY(cli_why_task(c, k->x->runs[0].schedule.result, c->given[i].value, &task));
    while (of->items[row].serial != task.serial) row++;
    choose(k, 0, row);
  }
  return 0;
}

static hc_rc match(choosing *k)
{
  const size_t n = records_of(k, 0)->count;
  for (size_t i = 1; k->x->is_compared && i < k->x->count; i++) {
    cli_pairing p;
    if (!(k->same[i] = calloc(n + 1, sizeof **k->same))) return HC_ENOMEM;
    CLI_TRY(cli_match(k->x->c, &k->x->schedules[0], &k->x->schedules[i], &p));
    for (size_t j = 0; j < p.count; j++) k->same[i][p.pairs[j].a - records_of(k, 0)->items] = p.pairs[j].b;
    free(p.pairs);
  }
  return 0;
}

/* How many tasks there is time for: by what the runs took. A result that does not say it has none. */
static size_t affordable(const cli_report *x)
{
  double once = 0;
  size_t most = 0;
  for (size_t i = 0; i < x->count; i++)
    if (x->runs[i].schedule.records.count > most) most = x->runs[i].schedule.records.count;
  if (most <= LESSON) return LESSON;
  for (size_t i = 0; i < x->count; i++) {
    double s;
    char text[64];
    if (!x->runs[i].has_rows) continue;
    if (!cli_result_info(x->c, x->runs[i].schedule.result, "run_info", "cpu_s", text, sizeof text)) return 0;
    if (hc_parse_real(text, strlen(text), &s) < 0) return 0;
    once += s;
  }
  if (!(once > 0)) return 0;
  return once * STORIES < STORY_TIME ? STORIES : (size_t)(STORY_TIME / once);
}

/* ---- telling ---- */

/* When, what, and for when its start is promised, if that is what the line says. */
static void put_line(const cli_story *s, size_t line, hc_json_writer *j)
{
  const cli_cell *cell = &s->lines.cells[line * s->lines.width];
  hc_json_enter(j, NULL, '[');
  hc_json_put_raw(j, NULL, cell[0].plain);
  hc_json_put_text(j, NULL, cell[1].plain);
  const hc_time promised = s->times[line].promised;
  if (promised != HC_NEVER) hc_json_put_real(j, NULL, (double)promised / HC_SECOND);
  hc_json_leave(j, ']');
}

/* Its beginning and its end: most of what is between repeats itself. */
static hc_rc write_story(size_t run, int64_t serial, const cli_story *s, hc_buffer *out)
{
  const cli_table *t = &s->lines;
  hc_json_writer j = {.out = out, .compact = true};
  const size_t lines = t->count / t->width;
  if (t->failed) return HC_ENOMEM;
  const bool is_cut = lines > LINES_FIRST + LINES_LAST;
  hc_json_enter(&j, NULL, '{');
  hc_json_put_int(&j, "run", (int64_t)run);
  hc_json_put_int(&j, "serial", serial);
  hc_json_put_int(&j, "cut", is_cut ? (int64_t)(lines - LINES_FIRST - LINES_LAST) : 0);
  hc_json_enter(&j, "first", '[');
  for (size_t i = 0; i < lines && (!is_cut || i < LINES_FIRST); i++) put_line(s, i, &j);
  hc_json_leave(&j, ']');
  hc_json_enter(&j, "last", '[');
  for (size_t i = lines - LINES_LAST; is_cut && i < lines; i++) put_line(s, i, &j);
  hc_json_leave(&j, ']');
  hc_json_leave(&j, '}');
  return out->failed ? HC_ENOMEM : 0;
}

/* What is wrong with the result, not with this machine: then the page says so. */
static bool is_its_own(hc_rc rc)
{
  return rc == HC_EINPUT || rc == HC_EUSAGE || rc == HC_EUNSUPPORTED;
}

static hc_rc tell(cli_report *x, size_t run, const hc_task_record *task)
{
  cli *c = x->c;
  cli_story story;
  if (!task || x->runs[run].is_untold) return 0;
  hc_rc rc = cli_why_tell(c, x->runs[run].schedule.result, task, INT64_MAX, &story, NULL);
  if (rc >= 0) rc = write_story(run, task->serial, &story, &x->stories[x->story_count++]);
  cli_story_free(&story);
  if (rc >= 0 || !is_its_own(rc) || cli_has(c, "stories") || cli_has(c, "story")) return rc;
  hc_buffer_printf(&x->untold, "%s: %s\n", x->schedules[run].name, c->error.text);
  c->error = (hc_error){0};
  x->runs[run].is_untold = true;
  return 0;
}

static hc_rc tell_all(choosing *k)
{
  cli_report *x = k->x;
  const size_t most = k->count * x->count;
  x->stories = malloc((most + 1) * sizeof *x->stories);
  if (!x->stories) return HC_ENOMEM;
  for (size_t i = 0; i < most; i++) hc_buffer_init(&x->stories[i], x->c->allocator);
  cli_listen();
  for (size_t i = 0; i < k->count; i++) {
    const choice *c = &k->all[i];
    CLI_TRY(tell(x, c->run, &records_of(k, c->run)->items[c->row]));
    for (size_t run = 1; x->is_compared && run < x->count; run++) CLI_TRY(tell(x, run, k->same[run][c->row]));
  }
  return 0;
}

static hc_rc tell_chosen(choosing *k, int64_t asked)
{
  CLI_TRY(choose_named(k));
  k->wanted = asked >= 0 ? (size_t)asked : affordable(k->x);
  if (k->wanted < k->count) k->wanted = k->count;
  CLI_TRY(match(k));
  CLI_TRY(choose_by_waits(k));
  return tell_all(k);
}

hc_rc cli_report_tell(cli_report *x)
{
  int64_t asked = -1;
  CLI_TRY(cli_int(x->c, "stories", 0, STORIES_MOST, &asked));
  if (cli_has(x->c, "story") && !x->runs[0].has_rows)
    return cli_fail(x->c, HC_EUSAGE, "--story: %.200s does not have a row for every task",
                    x->runs[0].schedule.path);
  choosing k = {
      .x = x, .same = calloc(x->count, sizeof *k.same), .all = malloc(STORIES_MOST * sizeof *k.all)};
  const hc_rc rc = k.same && k.all ? tell_chosen(&k, asked) : HC_ENOMEM;
  for (size_t i = 0; k.same && i < x->count; i++) free(k.same[i]);
  free(k.same);
  free(k.all);
  return rc;
}

/* ---- the page ---- */

void cli_report_stories(const cli_report *x, hc_json_writer *j)
{
  hc_json_enter(j, "stories", '[');
  for (size_t i = 0; i < x->story_count; i++) hc_json_put_raw(j, NULL, x->stories[i].data);
  hc_json_leave(j, ']');
}

void cli_report_stories_free(cli_report *x)
{
  for (size_t i = 0; i < x->story_count; i++) hc_buffer_fini(&x->stories[i]);
  free(x->stories);
}
