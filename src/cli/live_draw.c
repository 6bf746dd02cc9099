/* live_draw.c -- a run that is watched, as one frame of lines, none wider than the screen.
 *
 * Characters beyond ASCII are drawn where the locale has them; the only attribute is bold, and NO_COLOR
 * leaves it out. What does not fit is cut, the lists first: of a small terminal the clock and the keys are
 * left. */
#include <string.h>

#include "cli/live.h"

#define LABEL 10 /* columns before a line over time */
#define NOTE 12  /* and behind it */
#define FIXED 9  /* lines beside the two lists and their headings */

static const char *const fine_levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const plain_levels[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};

/* ---- lines ---- */

/* A line of text, cut to the screen; what a terminal would obey is shown. */
static void put_line(const cli_live_picture *p, hc_buffer *out, const char *text, bool is_bold)
{
  const size_t most = p->columns;
  size_t n = 0, width = 0;
  while (text[n] && width < most) {
    n++;
    while (((unsigned char)text[n] & 0xc0) == 0x80) n++;
    width++;
  }
  if (is_bold && p->has_weight) hc_buffer_text(out, "\033[1m");
  hc_shown_text(out, text, n, "");
  if (is_bold && p->has_weight) hc_buffer_text(out, "\033[0m");
  hc_buffer_text(out, "\n");
}

static void put_span(hc_time t, char out[40])
{
  out[hc_format_duration(t > 0 ? t / HC_SECOND * HC_SECOND : 0, out)] = '\0';
}

/* "1h a second" */
static void put_speed(const cli_live_picture *p, char *out, size_t size)
{
  char text[40];
  const double x = p->wanted > 0 ? p->wanted : p->speed;
  const double most = 9e9; /* s: of a clock in ns */
  text[hc_format_duration((hc_time)((x < most ? x : most) * 1e9), text)] = '\0';
  if (p->is_paused) (void)snprintf(out, size, "paused");
  else if (p->wanted > 0) (void)snprintf(out, size, "%s a second", text);
  else if (p->speed > 0) (void)snprintf(out, size, "as fast as it goes: %s a second", text);
  else (void)snprintf(out, size, "as fast as it goes");
}

static void put_head(const cli_live_picture *p, hc_buffer *out)
{
  char line[600], date[48], clock[40], left[64] = "", speed[96];
  hc_progress at = p->progress;
  at.now = p->clock;
  cli_format_now(date, sizeof date, &at);
  put_span(p->clock, clock);
  if (p->is_paused) {
    if (p->share > 0.001 && p->share <= 1) (void)snprintf(left, sizeof left, ", %.0f %%", p->share * 100);
  } else cli_format_left(left, sizeof left, p->elapsed, p->share);
  put_speed(p, speed, sizeof speed);
  (void)snprintf(line, sizeof line, "%.200s", p->name);
  put_line(p, out, line, true);
  if (at.unix_start == HC_UNKNOWN)
    (void)snprintf(line, sizeof line, "clock     %s; %s%s", clock, speed, left);
  else (void)snprintf(line, sizeof line, "clock     %s (%s); %s%s", date, clock, speed, left);
  put_line(p, out, line, false);
}

static void put_counts(const cli_live_picture *p, hc_buffer *out)
{
  char line[400], waiting[40], running[40], ended[40];
  waiting[hc_format_count((int64_t)p->progress.waiting, waiting)] = '\0';
  running[hc_format_count((int64_t)p->progress.running, running)] = '\0';
  ended[hc_format_count((int64_t)p->progress.ended, ended)] = '\0';
  (void)snprintf(line, sizeof line, "tasks     %s running, %s waiting, %s done", running, waiting, ended);
  put_line(p, out, line, false);
}

/* ---- over time ---- */

static void put_series(const cli_live_picture *p, hc_buffer *out, const char *label, const double *values,
                       double full, const char *note)
{
  const char *const *levels = p->is_ascii ? plain_levels : fine_levels;
  const size_t count = cli_series_count(p->series);
  const size_t room = p->columns > LABEL + NOTE + 8 ? p->columns - LABEL - NOTE : 8;
  const size_t pieces = count < room ? count : room;
  double most = full;
  char text[32];
  hc_buffer line;
  hc_buffer_init(&line, out->allocator);
  for (size_t i = 0; full <= 0 && i < pieces; i++) {
    const double x = cli_series_mean(p->series, values, i * count / pieces, (i + 1) * count / pieces);
    if (x > most) most = x;
  }
  hc_buffer_printf(&line, "%-*s", LABEL, label);
  for (size_t i = 0; i < pieces; i++) {
    const double x = cli_series_mean(p->series, values, i * count / pieces, (i + 1) * count / pieces);
    const double share = most > 0 ? x / most : 0;
    /* a mean is added up in parts, and may be a hair less */
    const int level = share <= 0 ? 0 : share >= 1 ? 8 : 1 + (int)(share * 8 + 1e-9);
    hc_buffer_text(&line, levels[level > 8 ? 8 : level]);
  }
  text[hc_format_count((int64_t)(most + 0.5), text)] = '\0';
  if (note) hc_buffer_printf(&line, " %s", note);
  else hc_buffer_printf(&line, " max %s", text);
  put_line(p, out, line.failed ? "" : line.data, false);
  hc_buffer_fini(&line);
}

static void put_machine(const cli_live_picture *p, hc_buffer *out)
{
  char line[200];
  const double load = p->seen.capacity > 0 ? (double)p->seen.held / (double)p->seen.capacity : 0;
  (void)snprintf(line, sizeof line, "load      %.1f %% of %s", load * 100, p->seen.machine);
  put_line(p, out, line, false);
  put_series(p, out, "", p->series->load, 1, "of 100 %");
}

/* ---- tasks ---- */

/* "  task 17, of user3, 8 cores, waits 1:02:00: ..." */
static void put_task(const cli_live_picture *p, hc_buffer *out, const hc_seen_task *t, bool runs)
{
  const char *why = runs ? NULL : cli_reasons_of(p->reasons, t->serial);
  char line[700], only[100] = "", user[80] = "", span[40], promised[64] = "", at[40];
  put_span(p->clock - t->since, span);
  if (!runs && !why &&
      t->units > p->seen.capacity - p->seen.held) { /* as far as can be seen without asking */
    (void)snprintf(only, sizeof only, "%s free", p->seen.free);
    why = only;
  }
  if (t->user) (void)snprintf(user, sizeof user, " (%.60s)", t->user);
  if (!runs && t->promised != HC_NEVER && !(why && strstr(why, "promised"))) {
    put_span(t->promised - p->clock, at);
    (void)snprintf(promised, sizeof promised, ", promised in %s", at);
  }
  (void)snprintf(line, sizeof line, "  task %lld%s  %s  %s %s%s%s%s", (long long)t->id, user, t->wants,
                 runs ? "runs" : "waits", span, promised, why ? ": " : "", why ? why : "");
  put_line(p, out, line, false);
}

size_t cli_live_room(const cli_live_picture *p)
{
  const size_t fixed = FIXED + 2;
  const size_t each = p->rows > fixed ? (p->rows - fixed) / 2 : 0;
  return each < CLI_LIVE_TASKS ? each : CLI_LIVE_TASKS;
}

static void put_list(const cli_live_picture *p, hc_buffer *out, const char *heading,
                     const hc_seen_task *tasks, size_t count, uint64_t all, bool runs)
{
  char line[200], n[40];
  if (cli_live_room(p) == 0) return;
  if (all > count) {
    n[hc_format_count((int64_t)all, n)] = '\0';
    (void)snprintf(line, sizeof line, "%s (%zu of %s)", heading, count, n);
  } else {
    (void)snprintf(line, sizeof line, "%s%s", heading, all == 0 ? ": none" : "");
  }
  put_line(p, out, line, true);
  for (size_t i = 0; i < count; i++) put_task(p, out, &tasks[i], runs);
}

/* ---- keys ---- */

static void put_help(const cli_live_picture *p, hc_buffer *out)
{
  static const char *const lines[] = {"space   pause, and go on",
                                      "s or .  pause, and carry out one instant",
                                      "+ -     more or less virtual time a second",
                                      "f       as fast as it goes",
                                      "q       end the run here, and store what there is: a run with `until`",
                                      "Ctrl-C  leave the run, and store nothing",
                                      "?       the tasks again"};
  put_line(p, out, "keys", true);
  for (size_t i = 0; i < CLI_LEN(lines); i++) {
    char line[120];
    (void)snprintf(line, sizeof line, "  %s", lines[i]);
    put_line(p, out, line, false);
  }
}

/* As many lines as there are rows, the keys on the last. */
static void cut(const cli_live_picture *p, hc_buffer *out)
{
  size_t lines = 0;
  for (size_t i = 0; i < out->size; i++) {
    if (out->data[i] != '\n' || ++lines + 1 < p->rows) continue;
    out->size = i + 1;
    return;
  }
}

void cli_live_draw(const cli_live_picture *p, hc_buffer *out)
{
  out->size = 0;
  put_head(p, out);
  put_counts(p, out);
  if (!p->is_world) put_machine(p, out);
  put_series(p, out, "waiting", p->series->queue, 0, NULL);
  put_line(p, out, "", false);
  if (p->has_help) {
    put_help(p, out);
  } else if (p->is_world) {
    put_line(p, out, "a closed world does not tell of single tasks", false);
  } else {
    put_list(p, out, "waiting, in the order of the queue", p->seen.queued, p->seen.queued_count,
             p->progress.waiting, false);
    put_list(p, out, "running, those that hold most", p->seen.running, p->seen.running_count,
             p->progress.running, true);
  }
  if (out->failed) return;
  cut(p, out);
  put_line(p, out, "space pause  s step  + - speed  f fast  q stop and store  ? help", true);
}
