/* live.c -- `hindcast run --live`: a run that is watched on the terminal, held, stepped through, hurried and
 * ended by keys.
 *
 * The run is carried on in slices that take a small part of a frame each, so that keys are heard at once;
 * with a speed, up to where its clock has come by the wall clock's. Neither changes what happens, nor does
 * what is looked at or asked: the result is that of a run without --live. A run that is ended by hand has the
 * result of one with `until` there, and says so in its configuration. */
#include <string.h>

#include "cli/live.h"

#define FRAME 0.1         /* s between two frames */
#define SLICE_SHORT 0.005 /* s; a slice that takes less is made longer, */
#define SLICE_LONG 0.03   /* and one that takes more shorter */
#define SLICE_MOST 8192   /* instants */
#define SPEED_OVER 0.5    /* s over which the speed is measured at least */

typedef struct watching {
  cli *c;
  hc_run *run;
  cli_live_picture picture;
  cli_series series;
  cli_reasons reasons;
  hc_seen_task queued[CLI_LIVE_TASKS], running[CLI_LIVE_TASKS];
  hc_buffer frame;
  hc_time until;  /* by the configuration; HC_NEVER */
  uint64_t slice; /* instants */
  double wanted;  /* virtual seconds a second; 0: as fast as it goes */
  bool is_paused, is_left, explains;
  double next; /* wall time of the next frame */
  struct {
    double wall;
    hc_time clock;
    double share;
  } since, measured; /* when the clock was set to go on; where the speed is measured from */
  hc_time clock;
} watching;

/* What + and - go through, in seconds. */
static const double speeds[] = {1,    2,    5,     10,    30,    60,     120,    300,     600,     1800,
                                3600, 7200, 14400, 43200, 86400, 172800, 604800, 2592000, 31536000};

/* ---- flags ---- */

static hc_rc read_pace(cli *c, double *out)
{
  const char *word = cli_value(c, "pace");
  hc_time t;
  if (!word) return 0;
  if (!cli_has(c, "live"))
    return cli_fail(c, HC_EUSAGE, "--pace is of a run that is watched: say --live, too");
  if (hc_parse_time(word, strlen(word), &t) < 0 || t <= 0 || t == HC_NEVER)
    return cli_fail(c, HC_EUSAGE,
                    "--pace: expected a time that passes in a second, such as 1h, got \"%.80s\"", word);
  *out = (double)t * 1e-9;
  return 0;
}

hc_rc cli_live_check(cli *c)
{
  static const char *const others[] = {"step", "save-at", "save-every", "save"};
  double pace;
  CLI_TRY(read_pace(c, &pace));
  if (!cli_has(c, "live")) return 0;
  for (size_t i = 0; i < CLI_LEN(others); i++)
    if (cli_has(c, others[i]))
      return cli_fail(
          c, HC_EUSAGE,
          "--live and --%s: a run is watched, or stepped through, or saved; leave one of them out, or "
          "watch a saved run with `hindcast resume SAVE --live`",
          others[i]);
  return cli_screen_check(c, "live");
}

/* ---- speed ---- */

static void set_off(watching *x)
{
  x->since.wall = x->measured.wall = cli_wall();
  x->since.clock = x->measured.clock = x->clock;
  x->since.share = cli_run_share(&x->picture.progress, x->until);
}

static void measure(watching *x, double now)
{
  const double span = now - x->measured.wall;
  if (x->is_paused || span < SPEED_OVER) return;
  x->picture.speed = (double)(x->clock - x->measured.clock) * 1e-9 / span;
  x->measured.wall = now;
  x->measured.clock = x->clock;
}

static void change_speed(watching *x, bool up)
{
  const double from = x->wanted > 0 ? x->wanted : x->picture.speed;
  size_t i = 0;
  if (up && x->wanted <= 0) return;
  while (i < CLI_LEN(speeds) && (up ? speeds[i] <= from * 1.0001 : speeds[i] < from * 0.9999)) i++;
  if (up) x->wanted = i < CLI_LEN(speeds) ? speeds[i] : 0;
  else x->wanted = speeds[i > 0 ? i - 1 : 0];
}

/* Where the clock is by the wall clock's. */
static hc_time due(const watching *x)
{
  const double passed = (cli_wall() - x->since.wall) * x->wanted * 1e9;
  return passed < (double)(HC_NEVER - x->since.clock) ? x->since.clock + (hc_time)passed : HC_NEVER - 1;
}

/* ---- the run ---- */

static void look(watching *x)
{
  hc_seen *s = &x->picture.seen;
  const size_t cap[2] = {s->queued_cap, s->running_cap};
  hc_run_progress(x->run, &x->picture.progress);
  if (x->picture.progress.now > x->clock) x->clock = x->picture.progress.now;
  s->queued_cap = s->running_cap = 0;
  hc_run_look(x->run, s);
  s->queued_cap = cap[0];
  s->running_cap = cap[1];
  cli_series_add(&x->series, x->clock, s->capacity > 0 ? (double)s->held / (double)s->capacity : 0,
                 (double)x->picture.progress.waiting);
}

/* An instant, if that is due, of which one task is asked whether and why it still waits. */
static hc_rc asked_instant(watching *x, hc_time target)
{
  const uint64_t before = x->picture.progress.instants;
  CLI_TRY(cli_reasons_ask(&x->reasons, x->run));
  const hc_rc rc = hc_run_advance(x->run, target, 1, &x->c->error);
  look(x);
  x->reasons.at += x->picture.progress.instants > before;
  return rc;
}

static hc_rc one_instant(watching *x)
{
  if (x->explains && x->reasons.at >= x->reasons.count) x->reasons.at = 0;
  const hc_rc rc = asked_instant(x, HC_NEVER);
  set_off(x);
  return rc;
}

static hc_rc one_slice(watching *x)
{
  const double began = cli_wall();
  const hc_time target = x->wanted > 0 ? due(x) : HC_NEVER;
  const uint64_t before = x->picture.progress.instants;
  const bool asks = x->explains && x->reasons.at < x->reasons.count;
  hc_rc rc = asks ? asked_instant(x, target) : x->explains ? cli_reasons_ask(&x->reasons, x->run) : 0;
  if (!asks && rc >= 0) rc = hc_run_advance(x->run, target, x->slice, &x->c->error);
  const double took = cli_wall() - began;
  look(x);
  /* nothing more happens until then */
  const bool is_there = x->picture.progress.instants - before < (asks ? 1 : x->slice);
  if (x->wanted > 0 && is_there && target > x->clock && rc == 1) {
    x->clock = target;
    look(x);
  } else if (x->wanted > 0 && took > FRAME)
    set_off(x); /* it is slower than it should be: what is lost is lost */
  if (took > SLICE_LONG && x->slice > 1) x->slice /= 2;
  else if (took < SLICE_SHORT && !asks && !is_there && x->slice < SLICE_MOST) x->slice *= 2;
  return rc;
}

static hc_rc end_here(watching *x, hc_time *stopped)
{
  CLI_TRY(hc_run_stop(x->run, x->clock, &x->c->error));
  *stopped = x->clock;
  return hc_run_advance(x->run, HC_NEVER, 0, &x->c->error);
}

/* ---- keys ---- */

static hc_rc obey(watching *x, int key)
{
  hc_rc rc = 1;
  switch (key) {
    case ' ': x->is_paused = !x->is_paused; break;
    case 's':
    case '.':
      x->is_paused = true;
      rc = one_instant(x);
      break;
    case '+':
    case '=': change_speed(x, true); break;
    case '-': change_speed(x, false); break;
    case 'f':
      x->wanted = 0;
      x->is_paused = false;
      break;
    case 'q': x->is_left = true; break;
    case '?':
    case 'h': x->picture.has_help = !x->picture.has_help; break;
    case CLI_KEY_GONE: return cli_fail(x->c, HC_ECANCELLED, "interrupted; nothing was written");
    default: return 1;
  }
  set_off(x);
  x->next = 0;
  return rc;
}

/* ---- frames ---- */

static hc_rc draw(watching *x, double now)
{
  cli_live_picture *p = &x->picture;
  cli_screen_size(&p->columns, &p->rows);
  p->seen.queued_cap = p->seen.running_cap = cli_live_room(p);
  look(x);
  hc_run_look(x->run, &p->seen);
  measure(x, now);
  p->clock = x->clock;
  p->wanted = x->wanted;
  p->is_paused = x->is_paused;
  p->share = cli_run_share(&p->progress, x->until);
  if (x->explains) cli_reasons_see(&x->reasons, &p->seen);
  p->elapsed = p->share > x->since.share ? (now - x->since.wall) * p->share /
                                               (p->share - x->since.share) /* by the speed since then */
                                         : 0;
  cli_live_draw(p, &x->frame);
  cli_screen_show(&x->frame);
  x->next = cli_wall() + FRAME;
  return x->frame.failed ? cli_fail(x->c, HC_ENOMEM, "out of memory") : 0;
}

/* How long the next key is waited for. */
static double patience(const watching *x, double now)
{
  if (!x->is_paused && x->wanted <= 0) return 0;
  return x->is_paused ? FRAME : x->next > now ? (x->next - now) / 4 : 0;
}

static hc_rc watch(watching *x, hc_time *stopped)
{
  hc_rc rc = 1;
  while (rc == 1) {
    const double now = cli_wall();
    if (now >= x->next) CLI_TRY(draw(x, now));
    rc = obey(x, cli_screen_key(patience(x, now)));
    if (rc != 1) break;
    if (cli_interrupted()) return HC_ECANCELLED;
    if (x->is_left) return end_here(x, stopped);
    if (!x->is_paused) rc = one_slice(x);
  }
  return rc;
}

/* "first: fcfs+easy": the name, and who decides. */
static void put_name(const hc_config *config, char *name, size_t size)
{
  char value[200], order[100], select[100], policy[100];
  const char *of = cli_config_value(config, "name", value, sizeof value) ? value : "run";
  if (cli_config_value(config, "world", policy, sizeof policy))
    (void)snprintf(name, size, "%s: world %s", of, policy);
  else if (cli_config_value(config, "policy.order", order, sizeof order) &&
           cli_config_value(config, "policy.select", select, sizeof select))
    (void)snprintf(name, size, "%s: %s+%s", of, order, select);
  else if (cli_config_value(config, "policy", policy, sizeof policy))
    (void)snprintf(name, size, "%s: %s", of, policy);
  else (void)snprintf(name, size, "%s", of);
}

static void read_about(watching *x, const hc_config *config)
{
  char value[200];
  x->picture.is_world = cli_config_value(config, "world", value, sizeof value) != NULL;
  x->explains = !x->picture.is_world;
  x->until = HC_NEVER;
  if (cli_config_value(config, "until", value, sizeof value) &&
      hc_parse_time(value, strlen(value), &x->until) < 0)
    x->until = HC_NEVER;
}

hc_rc cli_live(cli *c, const hc_config *config, hc_run *run, hc_time *stopped)
{
  char name[420];
  watching x = {.c = c, .run = run, .slice = 64};
  hc_rc rc;
  CLI_TRY(read_pace(c, &x.wanted));
  put_name(config, name, sizeof name);
  read_about(&x, config);
  x.reasons.asked = UINT64_MAX;
  x.picture.name = name;
  x.picture.series = &x.series;
  x.picture.reasons = &x.reasons;
  x.picture.seen.queued = x.queued;
  x.picture.seen.running = x.running;
  x.picture.is_ascii = !cli_screen_is_utf8();
  x.picture.has_weight = cli_screen_has_weight();
  hc_run_progress(run, &x.picture.progress);
  x.clock = x.picture.progress.now;
  hc_buffer_init(&x.frame, c->allocator);
  CLI_TRY(cli_screen_open(c));
  set_off(&x);
  rc = watch(&x, stopped);
  cli_screen_close();
  if (x.explains) (void)hc_run_explain_waits(run, UINT64_MAX, NULL, NULL);
  hc_buffer_fini(&x.frame);
  return rc;
}
