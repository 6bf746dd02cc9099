/* slurm_batch.c -- see slurm_batch.h. */
#define _GNU_SOURCE
#include "slurm/slurm_batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/util.h"
#include "hindcast/workload.h"
#include "slurm/clock.h"
#include "slurm/process.h"

#define NAP (HC_SECOND / 5)    /* the longest sleep: between two, what has ended is looked at */
#define SELDOM (2 * HC_SECOND) /* how often a Slurm that is not ours is asked what has ended */
#define JUST_BEFORE (2 * HC_SECOND)
#define LATE (5 * HC_MINUTE) /* slurmctld may end a job behind its limit */
#define TRIES 20             /* of a submission that Slurm has no time for */

struct hc_slurm_batch {
  hc_batch batch; /* the first member: what the replayer has is the whole */
  const hc_allocator *a;
  const hc_cluster *c;
  hc_buffer said, script;
  hc_clock clock;
  char clock_path[HC_CLUSTER_PATH], next_path[HC_CLUSTER_PATH];
  hc_time settle,
      quiet; /* of its clock: how long nothing may have happened before it is moved; since when nothing has */
  size_t known; /* jobs that had ended then */
  size_t submitted;
  bool has_default_limits; /* a job without a limit was submitted: slurmctld gives it one */
  /* of one that is not ours */
  hc_cluster own; /* what `c` is then */
  bool is_existing;
  double compress;
  int64_t base;   /* Unix seconds of its beginning */
  hc_time polled; /* of a steady clock */
  struct ended {
    char id[HC_BATCH_ID], name[64];
    hc_batch_record r;
  } * records; /* [record_count] of those that have ended */
  size_t record_count, record_cap;
  long at;      /* how far jobs.txt was read */
  hc_map ended; /* by the job's number there */
};

/* ---- records ---- */

/* Seconds of a date and time as Slurm writes it, in UTC. */
static int64_t seconds_of(const char *s)
{
  int v[6];
  hc_calendar c;
  if (sscanf(s, "%4d-%2d-%2dT%2d:%2d:%2d", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]) != 6) return HC_UNKNOWN;
  if (v[0] < 1970 || v[1] < 1 || v[1] > 12 || v[2] < 1 || v[2] > 31) return HC_UNKNOWN;
  c = (hc_calendar){.year = v[0], .month = v[1], .day = v[2], .hour = v[3], .minute = v[4], .second = v[5]};
  return hc_calendar_unix(&c, 0);
}

/* The value of a key, which begins the line or stands behind a blank; cut off behind it. */
static char *value_of(char *line, const char *key)
{
  const size_t n = strlen(key);
  for (char *at = line; (at = strstr(at, key)); at += n)
    if (at == line || at[-1] == ' ') return at + n;
  return NULL;
}

bool hc_jobcomp_read(char *line, hc_batch_record *out)
{
  static const char *const keys[] = {
      "JobId=", "Name=", "JobState=", "StartTime=", "EndTime=", "NodeList=", "SubmitTime="};
  char *v[HC_ARRAY_LEN(keys)];
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) {
    v[i] = value_of(line, keys[i]);
    if (!v[i]) return false;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) v[i][strcspn(v[i], " \n")] = '\0';
  *out = (hc_batch_record){.id = v[0], .name = v[1], .end = seconds_of(v[4]), .submit = seconds_of(v[6])};
  (void)snprintf(out->state, sizeof out->state, "%s", v[2]);
  out->start = strcmp(v[5], "(null)") == 0 ? HC_UNKNOWN : seconds_of(v[3]); /* without nodes it never ran */
  return out->submit != HC_UNKNOWN && out->end != HC_UNKNOWN;
}

bool hc_scontrol_read(char *line, hc_batch_record *out)
{
  static const char *const keys[] = {
      "JobId=", "JobName=", "JobState=", "StartTime=", "EndTime=", "NodeList=", "SubmitTime="};
  static const char *const open[] = {"PENDING",   "RUNNING",   "COMPLETING",  "CONFIGURING",
                                     "SUSPENDED", "REQUEUED",  "RESIZING",    "STOPPED",
                                     "SIGNALING", "STAGE_OUT", "SPECIAL_EXIT"};
  char *v[HC_ARRAY_LEN(keys)];
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) {
    v[i] = value_of(line, keys[i]);
    if (!v[i]) return false;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) v[i][strcspn(v[i], " \n")] = '\0';
  for (size_t i = 0; i < HC_ARRAY_LEN(open); i++)
    if (strcmp(v[2], open[i]) == 0) return false;
  *out = (hc_batch_record){.id = v[0], .name = v[1], .end = seconds_of(v[4]), .submit = seconds_of(v[6])};
  (void)snprintf(out->state, sizeof out->state, "%s", v[2]);
  out->start = strcmp(v[5], "(null)") == 0 || !v[5][0] ? HC_UNKNOWN : seconds_of(v[3]);
  return out->submit != HC_UNKNOWN && out->end != HC_UNKNOWN;
}

/* Lines from where `at` points to, as far as they are whole. */
static hc_rc read_jobs(hc_slurm_batch *b, long *at, hc_rc (*take)(void *ctx, const hc_batch_record *r),
                       void *ctx, hc_error *e)
{
  char path[HC_CLUSTER_PATH], *line = NULL;
  size_t size = 0;
  ssize_t n;
  hc_rc rc = 0;
  FILE *f;
  hc_cluster_path(b->c, "jobs.txt", path);
  f = fopen(path, "re");
  if (!f) return 0; /* no job has ended yet */
  if (fseek(f, *at, SEEK_SET) != 0) rc = hc_fail(e, HC_EIO, path, 0, 0, "cannot be read");
  while (rc >= 0 && (n = getline(&line, &size, f)) > 0 && line[n - 1] == '\n') {
    hc_batch_record r;
    *at += (long)n;
    if (hc_jobcomp_read(line, &r)) rc = take(ctx, &r);
  }
  free(line);
  (void)fclose(f);
  return rc;
}

/* ---- the table ---- */

static hc_slurm_batch *of(hc_batch *b)
{
  return (hc_slurm_batch *)b;
}

static hc_time now(hc_batch *batch)
{
  const hc_slurm_batch *b = of(batch);
  return hc_clock_now(&b->clock);
}

/* Unix seconds of slurmctld's clock; HC_UNKNOWN: it does not say. */
static int64_t unix_now(hc_slurm_batch *b)
{
  static const char *const argv[] = {"sdiag", NULL};
  hc_error own = {0};
  if (hc_cluster_ask(b->a, b->c, argv, &b->said, &own) < 0) return HC_UNKNOWN;
  const char *line = b->said.size ? strstr(b->said.data, "output at ") : NULL;
  const char *number = line ? strchr(line, '(') : NULL;
  return number ? strtoll(number + 1, NULL, 10) : HC_UNKNOWN;
}

/* When the first of the running jobs is at its limit, as slurmctld has it: nodes do not know the limit of a
 * job that names none. One that is over for long is none. @return HC_NEVER: none is; `at`: Slurm is busy */
static hc_time first_limit(hc_slurm_batch *b, hc_time at)
{
  static const char *const argv[] = {"squeue", "--noheader", "--states=RUNNING", "--format=%e", NULL};
  hc_time first = HC_NEVER;
  hc_error own = {0};
  const int64_t now = unix_now(b);
  if (now == HC_UNKNOWN || hc_cluster_ask(b->a, b->c, argv, &b->said, &own) < 0) return at;
  for (const char *line = b->said.size ? b->said.data : NULL; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    const int64_t end = seconds_of(line);
    const hc_time left = end == HC_UNKNOWN ? -LATE : (end - now) * HC_SECOND;
    if (left > -LATE) first = HC_MIN(first, at + HC_MAX(left, 0));
  }
  return first;
}

/* Nothing happens: move the clock to just before the next thing that will, if that is worth it. What
 * slurmctld has to do after the last one is done by then: `settle` covers its periods. */
static void jump(hc_slurm_batch *b, hc_time until)
{
  const hc_time at = hc_clock_now(&b->clock);
  hc_time next = HC_NEVER;
  if (b->ended.count != b->known) {
    b->known = b->ended.count;
    b->quiet = at;
  }
  if (at - b->quiet < b->settle || !hc_clock_told(b->next_path, &next)) return;
  next = HC_MIN(next, until);
  if (next == HC_NEVER || next - at < b->settle) return;
  if (b->has_default_limits) next = HC_MIN(next, first_limit(b, at));
  if (next - at < b->settle) return;
  (void)hc_clock_move(&b->clock, next - at - JUST_BEFORE,
                      NULL); /* one that cannot be moved goes on as it does */
}

static void wait(hc_batch *batch, hc_time until)
{
  hc_slurm_batch *b = of(batch);
  const hc_time nap = b->c->jumps ? NAP / 10 : NAP;
  hc_time at;
  if (b->c->jumps) jump(b, until);
  at = now(batch);
  if (until <= at) return;
  if (until == HC_NEVER) hc_process_sleep(nap);
  else hc_process_sleep(HC_MIN(nap, hc_clock_real(&b->clock, until - at) + 1));
}

/* What the job is to do. A real node carries it out, a virtual one reads its line. */
static void put_script(hc_slurm_batch *b, const hc_batch_job *job)
{
  static const char *const ends[] = {[HC_VEND_COMPLETED] = "exit 0\n",
                                     [HC_VEND_FAILED] = "exit 1\n",
                                     [HC_VEND_CANCELLED] = "scancel $SLURM_JOB_ID; sleep 600\n",
                                     [HC_VEND_OUT_OF_MEMORY] = "exit 1\n",
                                     [HC_VEND_NEVER] = "while :; do sleep 600; done\n"};
  char seconds[40];
  b->script.size = 0;
  hc_vjob_write(&b->script, &job->wish);
  if (!b->c->real) return;
  seconds[hc_format_seconds((hc_time)((double)job->wish.run / b->compress), seconds)] = '\0';
  if (job->wish.end != HC_VEND_NEVER) hc_buffer_printf(&b->script, "sleep %s\n", seconds);
  hc_buffer_text(&b->script, ends[job->wish.end]);
}

int64_t hc_compressed_minutes(int64_t minutes, double compress)
{
  const double m = (double)minutes / compress;
  return minutes <= 0 ? 0 : (int64_t)m + ((double)(int64_t)m < m);
}

static bool is_busy(const char *said)
{
  return strstr(said, "imed out") || strstr(said, "emporarily") || strstr(said, "ontact slurm controller");
}

static hc_rc submit(hc_batch *batch, const hc_batch_job *job, char id[HC_BATCH_ID], char *said, size_t size,
                    hc_error *e)
{
  hc_slurm_batch *b = of(batch);
  char name[96], nodes[48], cpus[48], minutes[48], memory[48], partition[160], user[96], wrap[512];
  const char *argv[16] = {"sbatch", "--parsable", "--export=NIL", "--output=/dev/null", "--chdir=/"};
  size_t n = 5;
  put_script(b, job);
  if (b->script.failed) return hc_fail(e, HC_ENOMEM, "sbatch", 0, 0, "out of memory");
  (void)snprintf(name, sizeof name, "--job-name=%.80s", job->name);
  (void)snprintf(nodes, sizeof nodes, "--nodes=%" PRId64 "-%" PRId64, job->nodes, job->nodes);
  (void)snprintf(cpus, sizeof cpus, "--ntasks-per-node=%" PRId64, job->cpus);
  (void)snprintf(wrap, sizeof wrap, "--wrap=%.480s", b->script.data);
  argv[n++] = name;
  argv[n++] = nodes;
  argv[n++] = cpus;
  if (job->minutes > 0) {
    (void)snprintf(minutes, sizeof minutes, "--time=%" PRId64,
                   hc_compressed_minutes(job->minutes, b->compress));
    argv[n++] = minutes;
  }
  if (job->memory > 0) {
    (void)snprintf(memory, sizeof memory, "--mem-per-cpu=%" PRId64, job->memory);
    argv[n++] = memory;
  }
  if (job->partition) {
    (void)snprintf(partition, sizeof partition, "--partition=%.120s", job->partition);
    argv[n++] = partition;
  }
  if (job->user) {
    (void)snprintf(user, sizeof user, "--uid=%.60s", job->user);
    argv[n++] = user;
  }
  if (job->exclusive == HC_EXCLUSIVE_NEVER) argv[n++] = "--oversubscribe";
  else if (job->exclusive != HC_EXCLUSIVE_NOT)
    argv[n++] = job->exclusive == HC_EXCLUSIVE_USER ? "--exclusive=user" : "--exclusive";
  argv[n++] = wrap;
  argv[n] = NULL;
  for (int i = 0;; i++) {
    hc_error own = {0};
    const hc_rc rc = hc_cluster_ask(b->a, b->is_existing ? NULL : b->c, argv, &b->said, &own);
    if (rc >= 0) break;
    if (rc != HC_EIO) return hc_fail(e, rc, own.where, 0, 0, "%s", own.text);
    if (!is_busy(own.text)) {
      (void)snprintf(said, size, "%s", own.text);
      return 1;
    }
    if (i == TRIES) return hc_fail(e, HC_EIO, own.where, 0, 0, "%s", own.text);
    hc_process_sleep(HC_SECOND / 10);
  }
  /* The number is the last line, behind what Slurm may have to say of the request; `;` begins a cluster's
   * name. */
  {
    const char *last = b->said.size ? strrchr(b->said.data, '\n') : NULL;
    last = last ? last + 1 : b->said.size ? b->said.data : "";
    (void)snprintf(id, HC_BATCH_ID, "%.*s", (int)strspn(last, "0123456789"), last);
  }
  if (!id[0])
    return hc_fail(e, HC_EIO, "sbatch", 0, 0, "no number of a job: %.200s", b->said.size ? b->said.data : "");
  b->submitted++;
  b->has_default_limits |= job->minutes == 0;
  b->quiet = hc_clock_now(&b->clock);
  return 0;
}

static hc_rc cancel(hc_batch *batch, const char *id, hc_error *e)
{
  hc_slurm_batch *b = of(batch);
  const char *const argv[] = {"scancel", "--quiet", id, NULL};
  for (int i = 0;; i++) {
    hc_error own = {0};
    const hc_rc rc = hc_cluster_ask(b->a, b->is_existing ? NULL : b->c, argv, &b->said, &own);
    b->quiet = hc_clock_now(&b->clock);
    if (rc >= 0) return 0;
    if (rc != HC_EIO || !is_busy(own.text) || i == TRIES) {
      if (strstr(own.text, "nvalid job id")) return 0; /* it has ended, and Slurm forgot it */
      return hc_fail(e, rc, own.where, 0, 0, "%s", own.text);
    }
    hc_process_sleep(HC_SECOND / 10);
  }
}

static hc_rc take_ended(void *ctx, const hc_batch_record *r)
{
  hc_slurm_batch *b = ctx;
  int64_t id;
  if (hc_parse_int(r->id, strlen(r->id), &id) < 0) return 0;
  return hc_map_set(&b->ended, (uint64_t)id, 1);
}

/* What has ended by now, of our names. */
static hc_rc look(hc_slurm_batch *b, hc_error *e)
{
  static const char *const argv[] = {"scontrol", "--oneliner", "show", "job", NULL};
  hc_error own = {0};
  hc_rc rc = hc_cluster_ask(b->a, NULL, argv, &b->said, &own);
  if (rc < 0 && (!is_busy(own.text) || rc != HC_EIO)) return hc_fail(e, rc, own.where, 0, 0, "%s", own.text);
  for (char *at = rc < 0 ? NULL : b->said.data, *next; at && *at; at = next) {
    const size_t n = strcspn(at, "\n");
    hc_batch_record r;
    struct ended *x;
    int64_t id;
    next = at + n + (at[n] == '\n');
    at[n] = '\0';
    if (!hc_scontrol_read(at, &r) || hc_parse_int(r.id, strlen(r.id), &id) < 0) continue;
    if (hc_map_get(&b->ended, (uint64_t)id) != HC_MAP_NONE || strncmp(r.name, "hindcast.", 9) != 0 ||
        r.submit < b->base)
      continue;
    TRY(hc_reserve(b->a, (void **)&b->records, &b->record_cap, b->record_count + 1, sizeof *b->records));
    TRY(hc_map_set(&b->ended, (uint64_t)id, 1));
    x = &b->records[b->record_count++];
    x->r = r;
    (void)snprintf(x->id, sizeof x->id, "%s", r.id);
    (void)snprintf(x->name, sizeof x->name, "%s", r.name);
  }
  return 0;
}

static hc_rc poll(hc_batch *batch, size_t *open, hc_error *e)
{
  hc_slurm_batch *b = of(batch);
  hc_rc rc;
  if (b->is_existing && hc_process_now() - b->polled < SELDOM) {
    *open = b->submitted - HC_MIN(b->submitted, b->ended.count);
    return 0;
  }
  b->polled = hc_process_now();
  rc = b->is_existing ? look(b, e) : read_jobs(b, &b->at, take_ended, b, e);
  if (rc < 0) return hc_fail(e, rc, "jobs.txt", 0, 0, "out of memory");
  *open = b->submitted - HC_MIN(b->submitted, b->ended.count);
  return 0;
}

/* A moment of the machine's clock as one of the log's. */
static int64_t map_back(const hc_slurm_batch *b, int64_t t)
{
  return t == HC_UNKNOWN ? t : b->base + (int64_t)((double)(t - b->base) * b->compress);
}

static hc_rc collect(hc_batch *batch, hc_rc (*take)(void *ctx, const hc_batch_record *r), void *ctx,
                     hc_error *e)
{
  hc_slurm_batch *b = of(batch);
  long at = 0;
  if (!b->is_existing) return read_jobs(b, &at, take, ctx, e);
  for (size_t i = 0; i < b->record_count; i++) {
    hc_batch_record r = b->records[i].r;
    r.id = b->records[i].id;
    r.name = b->records[i].name;
    r.submit = map_back(b, r.submit);
    r.start = map_back(b, r.start);
    r.end = map_back(b, r.end);
    TRY(take(ctx, &r));
  }
  return 0;
}

static hc_rc skip(void *ctx, const hc_batch_record *r)
{
  HC_UNUSED(ctx);
  HC_UNUSED(r);
  return 0;
}

hc_rc hc_slurm_batch_new(const hc_allocator *a, const hc_cluster *c, hc_time settle, hc_slurm_batch **out,
                         hc_error *e)
{
  hc_slurm_batch *b = hc_alloc(a, sizeof *b);
  if (!b) return hc_fail(e, HC_ENOMEM, "slurm", 0, 0, "out of memory");
  *b = (hc_slurm_batch){.batch = {submit, cancel, poll, collect, now, wait}, .a = a, .c = c};
  hc_buffer_init(&b->said, a);
  hc_buffer_init(&b->script, a);
  hc_map_init(&b->ended, a);
  hc_cluster_path(c, "clock", b->clock_path);
  hc_cluster_path(c, "clock.next", b->next_path);
  b->clock = (hc_clock){.speed = c->speed, .path = c->jumps ? b->clock_path : NULL};
  hc_clock_read(&b->clock);
  b->settle = settle;
  b->compress = 1;
  *out = b;
  return read_jobs(b, &b->at, skip, NULL, e); /* of replays before this one */
}

hc_rc hc_slurm_batch_existing(const hc_allocator *a, double compress, hc_slurm_batch **out, hc_error *e)
{
  hc_slurm_batch *b = hc_alloc(a, sizeof *b);
  if (!b || setenv("TZ", "UTC", 1) != 0) {
    hc_free(a, b, sizeof *b);
    return hc_fail(e, HC_ENOMEM, "slurm", 0, 0, "out of memory");
  }
  *b = (hc_slurm_batch){.batch = {submit, cancel, poll, collect, now, wait}, .a = a};
  b->own = (hc_cluster){.real = true, .speed = compress};
  b->c = &b->own;
  b->is_existing = true;
  b->compress = compress;
  b->base = (int64_t)time(NULL);
  b->clock = (hc_clock){.speed = compress};
  hc_buffer_init(&b->said, a);
  hc_buffer_init(&b->script, a);
  hc_map_init(&b->ended, a);
  *out = b;
  return 0;
}

hc_batch *hc_slurm_batch_of(hc_slurm_batch *b)
{
  return &b->batch;
}

void hc_slurm_batch_free(hc_slurm_batch *b)
{
  if (!b) return;
  hc_buffer_fini(&b->said);
  hc_buffer_fini(&b->script);
  hc_map_fini(&b->ended);
  hc_free(b->a, b->records, b->record_cap * sizeof *b->records);
  hc_free(b->a, b, sizeof *b);
}
