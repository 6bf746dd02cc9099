/* slurm.c -- the carrier `slurm`: an array job of the user's own Slurm.
 *
 * The study is cut into elements that last minutes each. Beside the store, in OUT.slurm, are the study as it
 * was read (study.json), the batch script (array.sh), a log for each element (I.log), the number of the job
 * (job) and the parts that the elements make. Element I runs `hindcast study run study.json --shard I/N`; it
 * may be started as often as one likes, on any node, and goes on where it was. So nothing is asked of Slurm
 * but sbatch, squeue, scancel and scontrol, and no accounting: whether an element is done is seen from its
 * part alone. Elements that leave the queue without that are submitted again, all of a round together.
 *
 * The directory of the store must be the same on the nodes and here. It does not start, configure or load
 * anything. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "study/shell.h"
#include "study/slurm.h"

#define ARRAY_SIZE 1001      /* Slurm's default MaxArraySize, if it does not say */
#define SPEC ((size_t)60000) /* bytes of --array; what does not fit waits for the next round */
#define DEAF 20              /* times in a row that the queue may not answer */

typedef hc_slurm_options options;
typedef hc_slurm_element element;
typedef hc_slurm_array array;

/* Names of variables by which a user changes what these programs show, select or wait for. */
static const char *const not_theirs[] = {"SQUEUE_", "SCANCEL_", "SBATCH_WAIT=", "SBATCH_ARRAY_INX=", NULL};

static hc_time now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (hc_time)t.tv_sec * HC_SECOND + (hc_time)t.tv_nsec;
}

/* What a program said, on one line, for an error. */
static const char *said_text(array *a)
{
  size_t n = a->said.size;
  while (n > 0 && (unsigned char)a->said.data[n - 1] <= ' ') n--;
  if (n == 0) return "(it says nothing)";
  a->said.data[n] = '\0';
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)a->said.data[i] < ' ') a->said.data[i] = ' ';
  return a->said.data;
}

static hc_rc call(array *a, const char *const *argv, int *status, hc_error *e)
{
  hc_error own = {0};
  const hc_rc rc = hc_shell_run(a->t->study->allocator, argv, not_theirs, &a->said, status, &own);
  if (rc == HC_ENOTFOUND)
    return hc_fail(e, HC_EUSAGE, "slurm", 0, 0,
                   "there is no `%s` on PATH: run this where jobs are submitted from, or without --via slurm",
                   argv[0]);
  if (rc < 0) return hc_fail(e, rc, "slurm", 0, 0, "%s: %s", argv[0], own.text);
  return 0;
}

/* ---- files ---- */

static hc_rc part_path(const array *a, uint64_t number, char out[HC_SLURM_PATH], hc_error *e)
{
  return hc_slurm_path(a, out, e, "part.points-%" PRIu64 "-of-%" PRIu64, number, a->count);
}

static hc_rc make_directory(array *a, hc_error *e)
{
  const char *out = a->t->how->out;
  int n;
  if (!getcwd(a->cwd, sizeof a->cwd))
    return hc_fail(e, HC_EIO, ".", 0, 0, "the working directory cannot be told: %s", strerror(errno));
  n = out[0] == '/' ? snprintf(a->dir, HC_SLURM_PATH, "%s.slurm", out)
                    : snprintf(a->dir, HC_SLURM_PATH, "%s/%s.slurm", a->cwd, out);
  if (n < 0 || n >= HC_SLURM_PATH - 64) return hc_fail(e, HC_EIO, out, 0, 0, "the path is too long");
  if (mkdir(a->dir, 0777) == 0 || errno == EEXIST) return 0;
  return hc_fail(e, HC_EIO, a->dir, 0, 0, "cannot make this directory: %s", strerror(errno));
}

/* For each part in the directory, of whatever number. */
static hc_rc each_part(array *a, hc_rc (*visit)(array *a, const char *path, hc_error *e), hc_error *e)
{
  DIR *d = opendir(a->dir);
  struct dirent *entry;
  hc_rc rc = 0;
  if (!d) return hc_fail(e, HC_EIO, a->dir, 0, 0, "cannot read this directory: %s", strerror(errno));
  while (rc >= 0 && (entry = readdir(d))) {
    char path[HC_SLURM_PATH];
    if (strncmp(entry->d_name, "part.points-", 12) != 0) continue;
    rc = hc_slurm_path(a, path, e, "%s", entry->d_name);
    if (rc >= 0) rc = visit(a, path, e);
  }
  (void)closedir(d);
  return rc;
}

/* A part that is not there, or not begun, has nothing: its element will say so. */
static hc_rc take_part(array *a, const char *path, bool only_done, hc_error *e)
{
  hc_error own = {0};
  hc_rc rc;
  if (access(path, R_OK) != 0) return 0;
  rc = hc_task_take_part(a->t, path, only_done, &own);
  if (rc == HC_EINPUT) return 0;
  return rc < 0 ? hc_fail(e, rc, own.where, own.line, own.column, "%s", own.text) : 0;
}

static hc_rc take_earlier(array *a, const char *path, hc_error *e)
{
  return take_part(a, path, a->t->how->retry, e);
}

static hc_rc forget_part(array *a, const char *path, hc_error *e)
{
  HC_UNUSED(a);
  if (unlink(path) == 0 || errno == ENOENT) return 0;
  return hc_fail(e, HC_EIO, path, 0, 0, "cannot be removed: %s", strerror(errno));
}

/* ---- what is open ---- */

/* @return how many points (of a study that stops by itself: combinations) are open */
static uint64_t count_open(array *a)
{
  const hc_task_list *t = a->t;
  const hc_study *s = t->study;
  const uint64_t n = s->stop.figure ? s->product / s->stop.max : s->product;
  uint64_t all = 0, shard = 1;
  for (uint64_t i = 0; i < a->count; i++) a->elements[i].open = 0;
  for (uint64_t at = 0; at < n; at++) {
    const uint64_t point = s->stop.figure ? at * s->stop.max : hc_study_point_at(s, at);
    const bool is_known = s->stop.figure ? t->decided[at] != 0 : t->offset[point] != 0;
    if (is_known || hc_study_is_excluded(s, point)) continue;
    all++;
    if (a->count > 0) a->elements[hc_slurm_owner(a, at, &shard) - 1].open++;
  }
  return all;
}

/* ---- how many elements ---- */

static void array_limit(array *a, uint64_t *out)
{
  const char *const argv[] = {"scontrol", "show", "config", NULL};
  const char *at;
  int status = 1;
  *out = ARRAY_SIZE - 1;
  if (call(a, argv, &status, NULL) < 0) return; /* sbatch will say what it thinks of that */
  at = a->said.data ? strstr(a->said.data, "MaxArraySize") : NULL;
  at = status == 0 && at ? strchr(at, '=') : NULL;
  if (at && strtoull(at + 1, NULL, 10) > 2)
    *out = strtoull(at + 1, NULL, 10) - 1; /* the largest number of one */
}

/* Seconds that the whole study takes on one core: the first point, and if that is quick a few more. */
static hc_rc estimate(const array *a, double *seconds, hc_error *e)
{
  hc_study *s = a->t->study;
  const double points = s->stop.figure ? (double)(s->product / s->stop.max * s->stop.min) : (double)s->count;
  hc_study_trial trial;
  TRY(hc_study_try(s, 1, &trial, e));
  if (trial.seconds < 0.5) TRY(hc_study_try(s, 8, &trial, e));
  *seconds = trial.seconds * points;
  return 0;
}

/* At least two: `--shard 1/1` would be the study itself. */
static hc_rc choose_count(array *a, hc_error *e)
{
  const hc_study *s = a->t->study;
  const uint64_t units = s->stop.figure ? s->product / s->stop.max : s->product;
  double seconds = 0, wanted;
  uint64_t limit = 0;
  array_limit(a, &limit);
  if (a->o->elements > 0) {
    if ((uint64_t)a->o->elements > limit)
      return hc_fail(e, HC_EUSAGE, "slurm", 0, 0,
                     "elements: %" PRId64 " are more than this Slurm takes in one array, %" PRIu64
                     " (MaxArraySize); ask for fewer",
                     a->o->elements, limit);
    wanted = (double)a->o->elements;
  } else {
    TRY(estimate(a, &seconds, e));
    wanted = seconds / ((double)a->o->chunk / 1e9 * (double)hc_slurm_cpus(a));
  }
  limit = HC_MIN(limit, units);
  a->count = wanted >= (double)limit ? limit : (uint64_t)wanted + (wanted > (double)(uint64_t)wanted);
  a->count = HC_MAX(a->count, 2);
  return 0;
}

static hc_rc make_elements(array *a, hc_error *e)
{
  a->elements = hc_alloc(a->t->study->allocator, a->count * sizeof *a->elements);
  return a->elements ? 0
                     : hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for %" PRIu64 " elements", a->count);
}

/* ---- submitting ---- */

/* "1-3,7" of the elements that have something to do, as far as it fits. They are marked as queued. */
static void put_spec(array *a, hc_buffer *b)
{
  for (uint64_t i = 0; i < a->count && b->size < SPEC; i++) {
    uint64_t last = i;
    if (a->elements[i].open == 0) continue;
    while (last + 1 < a->count && a->elements[last + 1].open > 0) last++;
    hc_buffer_printf(b, "%s%" PRIu64, b->data[b->size - 1] == '=' ? "" : ",", i + 1);
    if (last > i) hc_buffer_printf(b, "-%" PRIu64, last + 1);
    for (; i <= last; i++) {
      element *x = &a->elements[i];
      x->before = x->open;
      x->place = HC_SLURM_QUEUED;
      x->state[0] = '\0';
    }
  }
  if (a->o->at_once > 0) hc_buffer_printf(b, "%%%" PRId64, a->o->at_once);
}

/* Per cent signs mean something to Slurm in the name of a log. */
static void put_log(const array *a, hc_buffer *b)
{
  for (const char *c = a->dir; *c; c++) hc_buffer_add(b, *c == '%' ? "%%" : c, *c == '%' ? 2 : 1);
  hc_buffer_text(b, "/%a.log");
}

/* "17" or "17;cluster" on a line of its own; warnings may stand around it. */
static bool read_number(array *a)
{
  const char *line = a->said.size > 0 ? a->said.data : NULL;
  while (line) {
    const size_t n = strspn(line, "0123456789");
    if (n > 0 && n < sizeof a->job && (line[n] == '\0' || strchr(";\n\r", line[n]))) {
      memcpy(a->job, line, n);
      a->job[n] = '\0';
      return true;
    }
    line = strchr(line, '\n');
    if (line) line++;
  }
  return false;
}

static hc_rc note_job(const array *a, hc_error *e)
{
  char text[96];
  const int n = snprintf(text, sizeof text, "%s %" PRIu64 "\n", a->job, a->count);
  return hc_slurm_write(a, "job", "wb", text, (size_t)n, e);
}

static hc_rc submit(array *a, hc_error *e)
{
  hc_buffer spec, log;
  char script[HC_SLURM_PATH];
  int status = 0;
  hc_rc rc = hc_slurm_path(a, script, e, "array.sh");
  hc_buffer_init(&spec, a->t->study->allocator);
  hc_buffer_init(&log, a->t->study->allocator);
  hc_buffer_text(&spec, "--array=");
  put_spec(a, &spec);
  hc_buffer_text(&log, "--output=");
  put_log(a, &log);
  if (spec.failed || log.failed) rc = hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for the array");
  if (rc >= 0) {
    const char *const argv[] = {"sbatch", "--parsable", "--open-mode=truncate", spec.data, log.data,
                                script,   NULL};
    rc = call(a, argv, &status, e);
  }
  hc_buffer_fini(&spec);
  hc_buffer_fini(&log);
  if (rc < 0) return rc;
  if (status != 0 || !read_number(a))
    return hc_fail(e, HC_EIO, "slurm", 0, 0, "sbatch refused %s/array.sh: %.500s", a->dir, said_text(a));
  return note_job(a, e);
}

/* ---- following ---- */

static bool is_end(const char *state)
{
  static const char *const ends[] = {"COMPLETED", "FAILED",    "CANCELLED", "TIMEOUT",       "NODE_FAIL",
                                     "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY", "REVOKED"};
  for (size_t i = 0; i < HC_ARRAY_LEN(ends); i++)
    if (strcmp(state, ends[i]) == 0) return true;
  return false;
}

/* One line of the queue: number, state, reason. @return whether it is waiting or running */
static bool read_line(array *a, const char *line, uint64_t *running, char reason[32])
{
  unsigned long long number = 0;
  char state[20] = "", why[32] = "";
  element *x;
  if (sscanf(line, "%llu %19s %31[^\n]", &number, state, why) < 2 || number < 1 || number > a->count)
    return false;
  x = &a->elements[number - 1];
  if (x->place == HC_SLURM_ENDED) return false;
  x->listed = !is_end(state);
  if (!x->listed) memcpy(x->state, state, sizeof state);
  if (x->listed) x->place = HC_SLURM_QUEUED;
  *running += strcmp(state, "RUNNING") == 0;
  if (strcmp(state, "PENDING") == 0 && strcmp(why, "JobArrayTaskLimit") != 0) memcpy(reason, why, sizeof why);
  return x->listed;
}

/* Ask where the elements are. @return 1: something of them is in the queue; 0: nothing is, or it did not
 *  answer (a->deaf > 0) */
static hc_rc look(array *a, hc_error *e)
{
  char jobs[48], reason[32] = "";
  const char *const argv[] = {"squeue", "--noheader",        "--array", "--states=all",
                              jobs,     "--format=%K %T %r", NULL};
  uint64_t running = 0, live = 0;
  int status = 0;
  (void)snprintf(jobs, sizeof jobs, "--jobs=%s", a->job);
  TRY(call(a, argv, &status, e));
  if (status != 0 && !(a->said.data && strstr(a->said.data, "Invalid job id"))) {
    if (++a->deaf < DEAF) return 0;
    return hc_fail(
        e, HC_EIO, "slurm", 0, 0,
        "squeue does not answer: %.300s. Job %s is left in the queue; `hindcast study resume` waits for it",
        said_text(a), a->job);
  }
  a->deaf = 0;
  for (uint64_t i = 0; i < a->count; i++) a->elements[i].listed = false;
  for (const char *line = status == 0 ? a->said.data : NULL; line && *line;
       line = strchr(line, '\n'), line += !!line)
    live += read_line(a, line, &running, reason);
  (void)snprintf(a->t->progress.note, sizeof a->t->progress.note,
                 "slurm job %s: %" PRIu64 " running, %" PRIu64 " waiting%s%s%s", a->job, running,
                 live - running, reason[0] ? " (" : "", reason, reason[0] ? ")" : "");
  return live > 0;
}

/* Take over what has left the queue. @return 1: a part that must be there is not to be seen yet */
static hc_rc collect(array *a, hc_error *e)
{
  bool any = false, waits = false;
  for (uint64_t i = 0; i < a->count; i++) {
    element *x = &a->elements[i];
    char path[HC_SLURM_PATH];
    if (x->place == HC_SLURM_IDLE || x->listed || (x->place == HC_SLURM_ENDED && x->open == 0)) continue;
    if (x->place == HC_SLURM_QUEUED) x->ended = now();
    x->place = HC_SLURM_ENDED;
    TRY(part_path(a, i + 1, path, e));
    TRY(take_part(a, path, false, e));
    any = true;
  }
  if (!any) return 0;
  TRY(hc_task_decide(a->t, e));
  (void)count_open(a);
  for (uint64_t i = 0; i < a->count; i++) {
    const element *x = &a->elements[i];
    waits |= x->place == HC_SLURM_ENDED && x->open > 0 && strcmp(x->state, "COMPLETED") == 0 &&
             now() - x->ended < a->o->patience;
  }
  return waits;
}

static hc_rc interrupted(array *a, hc_error *e)
{
  const char *const argv[] = {"scancel", a->job, NULL};
  int status = 0;
  if (a->o->on_interrupt == 1)
    return hc_fail(e, HC_ECANCELLED, "", 0, 0,
                   "interrupted; job %s is left in the queue, and `hindcast study resume` waits for it",
                   a->job);
  TRY(call(a, argv, &status, e));
  if (status != 0)
    return hc_fail(e, HC_ECANCELLED, "", 0, 0, "interrupted, but job %s could not be cancelled: %.300s",
                   a->job, said_text(a));
  return hc_fail(e, HC_ECANCELLED, "", 0, 0,
                 "interrupted; job %s is cancelled. `hindcast study resume` goes on with what is done",
                 a->job);
}

/* @return 0, or what an interruption comes to */
static hc_rc pause_for(array *a, hc_time length, hc_error *e)
{
  const struct timespec moment = {.tv_nsec = 50000000};
  const hc_time until = now() + length;
  do {
    if (!hc_task_tick(a->t)) return interrupted(a, e);
    (void)nanosleep(&moment, NULL);
  } while (now() < until);
  return 0;
}

/* Until nothing of the job is left in the queue. Questions come more and more rarely. */
static hc_rc follow(array *a, hc_error *e)
{
  hc_time length = HC_MIN(HC_SECOND, a->o->poll);
  for (;;) {
    const hc_rc live = look(a, e);
    hc_rc waits = 1;
    if (live < 0) return live;
    if (a->deaf == 0) waits = collect(a, e);
    if (waits < 0) return waits;
    if (live == 0 && waits == 0) break;
    TRY(pause_for(a, length, e));
    length = HC_MIN(length + length / 2, a->o->poll);
  }
  a->t->progress.note[0] = '\0';
  return 0;
}

/* ---- what went wrong ---- */

/* The end of a log, from the beginning of a line. */
static void put_tail(const array *a, uint64_t number, hc_buffer *b)
{
  char path[HC_SLURM_PATH], text[321];
  FILE *f = NULL;
  size_t n = 0, from = 0;
  if (hc_slurm_path(a, path, NULL, "%" PRIu64 ".log", number) >= 0) f = fopen(path, "rb");
  if (!f) {
    hc_buffer_printf(
        b, "; it left no log in %s: is that directory shared with the nodes, and can they write there?",
        a->dir);
    return;
  }
  if (fseek(f, -(long)(sizeof text - 1), SEEK_END) != 0) rewind(f);
  n = fread(text, 1, sizeof text - 1, f);
  (void)fclose(f);
  while (n > 0 && (unsigned char)text[n - 1] <= ' ') n--;
  text[n] = '\0';
  if (n > 280 && strchr(text + n - 280, '\n')) from = (size_t)(strchr(text + n - 280, '\n') + 1 - text);
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)text[i] < ' ') text[i] = ' ';
  if (n == 0) hc_buffer_text(b, "; its log is empty");
  else hc_buffer_printf(b, "; its log %s ends: %s", path, text + from);
}

/* ", exit code 7, on n1", if Slurm remembers. */
static void put_exit(array *a, uint64_t number, hc_buffer *b)
{
  char name[80];
  const char *const argv[] = {"scontrol", "--oneliner", "show", "job", name, NULL};
  const char *code, *host;
  int status = 1, exit = 0, signal = 0;
  (void)snprintf(name, sizeof name, "%s_%" PRIu64, a->job, number);
  if (call(a, argv, &status, NULL) < 0 || status != 0 || !a->said.data) return;
  code = strstr(a->said.data, "ExitCode=");
  host = strstr(a->said.data, "BatchHost=");
  if (code && sscanf(code, "ExitCode=%d:%d", &exit, &signal) == 2 && (exit || signal))
    hc_buffer_printf(b, exit ? ", exit code %d" : ", signal %d", exit ? exit : signal);
  if (host) hc_buffer_printf(b, ", on %.*s", (int)HC_MIN(strcspn(host + 10, " \n"), 64), host + 10);
}

static hc_rc report(array *a, uint64_t number, uint64_t failed, hc_error *e)
{
  const element *x = &a->elements[number - 1];
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, a->t->study->allocator);
  hc_buffer_printf(&b, "%" PRIu64 " of %" PRIu64 " elements failed; element %" PRIu64 ": %s", failed,
                   a->count, number, x->state[0] ? x->state : "it left the queue");
  put_exit(a, number, &b);
  if (strcmp(x->state, "COMPLETED") == 0)
    hc_buffer_printf(&b, ", but what it found is not in %s: is that directory shared with the nodes?",
                     a->dir);
  else put_tail(a, number, &b);
  hc_buffer_text(&b, "\n  what is done is kept; `hindcast study resume` submits the rest");
  rc = b.failed ? hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory")
                : hc_fail(e, HC_EIO, "slurm", 0, 0, "%s", b.data);
  hc_buffer_fini(&b);
  return rc;
}

/* Ended from outside: no fault of its own, and if it came further it may go on as often as that takes. */
static bool was_stopped(const element *x)
{
  static const char *const stops[] = {"TIMEOUT", "PREEMPTED", "NODE_FAIL", "BOOT_FAIL"};
  for (size_t i = 0; i < HC_ARRAY_LEN(stops); i++)
    if (strcmp(x->state, stops[i]) == 0) return true;
  return false;
}

/* After a round. @return 1: some elements are to be submitted again; 0: nothing is left, or nothing that may
 * be */
static hc_rc judge(array *a, uint64_t *failed, uint64_t *first)
{
  bool again = false;
  *failed = 0;
  for (uint64_t i = a->count; i-- > 0;) {
    element *x = &a->elements[i];
    if (x->open == 0) continue;
    if (x->place == HC_SLURM_ENDED && strcmp(x->state, "COMPLETED") == 0)
      x->tries = UINT32_MAX; /* it will not change */
    else if (x->place == HC_SLURM_ENDED && !(was_stopped(x) && x->open < x->before)) x->tries++;
    x->place = HC_SLURM_IDLE;
    if ((int64_t)x->tries <= a->o->retries) {
      again = true;
      continue;
    }
    ++*failed;
    *first = i + 1;
  }
  return again;
}

/* ---- the whole ---- */

/* Rounds until nothing is open. An element that has failed for good takes no part in further rounds. */
static hc_rc carry_rounds(array *a, hc_error *e)
{
  uint64_t failed = 0, first = 0;
  for (;;) {
    if (a->job[0]) TRY(follow(a, e)); /* else it was never submitted */
    TRY(hc_task_decide(a->t, e));
    if (count_open(a) == 0) return 0;
    if (a->job[0] && judge(a, &failed, &first) == 0) return report(a, first, failed, e);
    for (uint64_t i = 0; i < a->count; i++)
      if ((int64_t)a->elements[i].tries > a->o->retries) a->elements[i].open = 0;
    TRY(submit(a, e));
  }
}

/* A job of an earlier time that may still be in the queue: @return 1: there is one, and `a` is about it */
static hc_rc find_job(array *a, hc_error *e)
{
  char path[HC_SLURM_PATH];
  unsigned long long count = 0;
  FILE *f;
  int n;
  hc_rc rc;
  TRY(hc_slurm_path(a, path, e, "job"));
  f = fopen(path, "r");
  if (!f && errno == ENOMEM) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory while reading");
  if (!f) return 0;
  n = fscanf(f, "%31[0-9] %llu", a->job, &count);
  (void)fclose(f);
  if (n == 2 && count >= 2 && count <= a->t->study->product + 2) {
    a->count = count;
    TRY(make_elements(a, e));
    do {
      rc = look(a, e);
      if (rc == 0 && a->deaf > 0) TRY(pause_for(a, HC_MIN(HC_SECOND, a->o->poll), e));
    } while (rc == 0 && a->deaf > 0);
    if (rc != 0) return rc;
    hc_free(a->t->study->allocator, a->elements, a->count * sizeof *a->elements);
    a->elements = NULL;
    a->count = 0;
  }
  a->job[0] = '\0';
  return 0;
}

/* One that is not to be gone on with: cancelled, and waited for, because it writes where the new one will. */
static hc_rc drop_job(array *a, hc_error *e)
{
  const char *const argv[] = {"scancel", a->job, NULL};
  int status = 0;
  hc_rc rc;
  TRY(call(a, argv, &status, e));
  while ((rc = look(a, e)) > 0 || a->deaf > 0) TRY(pause_for(a, HC_MIN(HC_SECOND, a->o->poll), e));
  if (rc < 0) return rc;
  hc_free(a->t->study->allocator, a->elements, a->count * sizeof *a->elements);
  a->elements = NULL;
  a->count = 0;
  a->job[0] = '\0';
  return 0;
}

/* Everything up to the first submission. */
static hc_rc prepare(array *a, hc_error *e)
{
  const char *const version[] = {"sbatch", "--version", NULL};
  int status = 0;
  const bool goes_on = a->t->how->resume || a->t->how->retry;
  hc_rc rc = call(a, version, &status, e);
  if (rc >= 0) rc = find_job(a, e);
  if (rc < 0) return rc;
  if (rc > 0 && goes_on && !a->t->how->retry) { /* adopted: all that is not done may be in it */
    for (uint64_t i = 0; i < a->count; i++) a->elements[i].place = HC_SLURM_QUEUED;
    (void)count_open(a);
    for (uint64_t i = 0; i < a->count; i++) a->elements[i].before = a->elements[i].open;
    return 0;
  }
  if (rc > 0) TRY(drop_job(a, e));
  if (goes_on) TRY(each_part(a, take_earlier, e));
  TRY(each_part(a, forget_part, e));
  TRY(hc_task_decide(a->t, e));
  if (count_open(a) == 0) return 0;
  TRY(choose_count(a, e));
  TRY(make_elements(a, e));
  (void)count_open(a);
  TRY(hc_slurm_write_files(a, e));
  return hc_slurm_seed(a, e);
}

/* The script, the study and logs that say something stay. */
static hc_rc clean(array *a, hc_error *e)
{
  char path[HC_SLURM_PATH];
  struct stat s;
  TRY(each_part(a, forget_part, e));
  TRY(hc_slurm_path(a, path, e, "job"));
  (void)unlink(path);
  for (uint64_t i = 1; i <= a->count; i++) {
    TRY(hc_slurm_path(a, path, e, "%" PRIu64 ".log", i));
    if (stat(path, &s) == 0 && s.st_size == 0) (void)unlink(path);
  }
  return 0;
}

static hc_rc carry(hc_task_list *t, const void *chosen, hc_error *e)
{
  array a = {.t = t, .o = chosen};
  hc_rc rc;
  if (t->how->shards > 0)
    return hc_fail(
        e, HC_EUSAGE, "--shard", 0, 0,
        "the carrier slurm cuts the study by itself: leave --shard out, or carry the part out --via local");
  hc_buffer_init(&a.said, t->study->allocator);
  rc = make_directory(&a, e);
  if (rc >= 0) rc = prepare(&a, e);
  if (rc >= 0) rc = carry_rounds(&a, e);
  if (rc >= 0) rc = clean(&a, e);
  hc_buffer_fini(&a.said);
  hc_free(t->study->allocator, a.elements, a.count * sizeof *a.elements);
  return rc;
}

#define OPTION(member, type_, ...) \
  { \
    .name = #member, .type = (type_), .offset = offsetof(options, member), .help = __VA_ARGS__ \
  }

static const hc_param params[] = {
    OPTION(partition, HC_TEXT, "Partition to submit to. Default: Slurm's default."),
    OPTION(account, HC_TEXT, "Account to charge. Default: Slurm's default."),
    OPTION(qos, HC_TEXT, "Quality of service. Default: Slurm's default."),
    OPTION(time, HC_TIME, "Time limit of an element. Default: the partition's.", .unit = "s", .min = 1,
           .max = 1e9),
    OPTION(memory, HC_TEXT,
           "Memory of an element as sbatch --mem takes it, such as 2G. Default: Slurm's default."),
    OPTION(cpus, HC_INT, "Number of processors, and of workers, of an element. The option -j overrides it.",
           .unit = "processors", .fallback = "1", .min = 1, .max = 1024),
    OPTION(chunk, HC_TIME,
           "How long an element should take. A few points are computed on this machine first, to estimate "
           "how many points that is.",
           .unit = "s", .fallback = "10m", .min = 1e-6, .max = 1e9),
    OPTION(elements, HC_INT,
           "Number of elements; no point is computed first. A study has at least two, and at most as many as "
           "Slurm's MaxArraySize allows. 0, the default: as `chunk` says.",
           .unit = "elements", .min = 0, .max = 1e7),
    OPTION(at_once, HC_INT,
           "Greatest number of elements that run at one time (%N of an array). 0, the default: no limit.",
           .unit = "elements", .min = 0, .max = 1e7),
    OPTION(retries, HC_INT,
           "How often an element that failed is submitted again. A failure is not counted if the element "
           "reached its time limit, was preempted or was lost with its node, and had made progress.",
           .unit = "times", .fallback = "2", .min = 0, .max = 1000),
    OPTION(on_interrupt, HC_CHOICE,
           "What becomes of the array job when this command is interrupted. cancel: it is cancelled. leave: "
           "it goes on, and `study resume` waits for it.",
           .choices = "cancel|leave", .fallback = "cancel"),
    OPTION(sbatch, HC_TEXT, "Further options of sbatch, such as --constraint=avx2. Default: none.",
           .list = true),
    OPTION(setup, HC_TEXT,
           "Lines of the script before the command, such as `module load hindcast`. Default: none.",
           .list = true),
    OPTION(command, HC_TEXT, "Path of the command hindcast on the nodes. Default: the path of this command."),
    OPTION(poll, HC_TIME,
           "Longest time between two questions to Slurm's queue; the first is asked after a second, later "
           "ones less and less often.",
           .unit = "s", .fallback = "30s", .min = 0.05, .max = 3600),
    OPTION(patience, HC_TIME,
           "How long it may take until the files of an ended element are seen on this machine.", .unit = "s",
           .fallback = "30s", .min = 0, .max = 3600),
    {.name = NULL},
};

const hc_carrier_type hc_carrier_slurm = {
    .component = {HC_COMPONENT_HEAD(hc_carrier_type, HC_KIND_CARRIER), .name = "slurm",
                  .summary = "an array job of the user's Slurm",
                  .detail = "Each element of the array carries out one part of the study (--shard), with a "
                            "log and a journal of its own in OUT.slurm beside the store, which must be in a "
                            "directory that the nodes share. Points that an element leaves undone are "
                            "submitted again; points that are done are never done twice.",
                  .source = "Slurm, Job Array Support, https://slurm.schedmd.com/job_array.html",
                  .params = params, .options_size = sizeof(options)},
    .carry = carry,
};
