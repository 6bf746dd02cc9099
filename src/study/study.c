/* study.c -- a study from its file to its store: begun, gone on with, put together from parts.
 *
 * What is known while it is carried out is in a journal beside the store, OUT.points; a part of it that a
 * shard makes is OUT.points-i-of-n. The store is written from a journal alone, once every point of the study
 * is in it. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "hindcast/plugin.h"
#include "output/sqlite.h"
#include "study/carrier.h"
#include "study/inputs.h"
#include "study/stored.h"

#define PATH 4096

/* ---- what is to be done ---- */

static uint64_t combinations(const hc_study *s)
{
  return s->stop.figure ? s->product / s->stop.max : 0;
}

static void close_list(hc_task_list *t)
{
  const hc_allocator *a = t->study->allocator;
  hc_journal_close(t->journal);
  hc_free(a, t->offset, t->study->product * sizeof *t->offset);
  hc_free(a, t->state, t->study->product);
  hc_free(a, t->decided, combinations(t->study) * sizeof *t->decided);
  hc_free(a, t->values, t->study->product * sizeof *t->values);
  hc_free(a, t->sets, t->set_cap * sizeof *t->sets);
}

static hc_rc open_list(hc_task_list *t, hc_study *s, const hc_study_carrying *how, hc_error *e)
{
  const hc_allocator *a = s->allocator;
  *t = (hc_task_list){.study = s, .how = how, .error = e, .end = s->product};
  t->offset = hc_alloc(a, s->product * sizeof *t->offset);
  t->state = hc_alloc(a, s->product);
  if (s->stop.figure) {
    t->decided = hc_alloc(a, combinations(s) * sizeof *t->decided);
    t->values = hc_alloc(a, s->product * sizeof *t->values);
  }
  if (!t->offset || !t->state || (s->stop.figure && (!t->decided || !t->values)))
    return hc_fail(e, HC_ENOMEM, "", 0, 0, "out of memory for %" PRIu64 " points", s->product);
  if (s->stop.figure) t->wave_to = s->stop.min;
  if (how->shards > 1 && !s->stop.figure) {
    t->at = hc_study_shard_begin(s, how->shard, how->shards);
    t->end = hc_study_shard_begin(s, how->shard + 1, how->shards);
  }
  return 0;
}

/* How many points there are to be known, as far as one can say. */
static void count_points(hc_task_list *t)
{
  const hc_study *s = t->study;
  uint64_t n = 0;
  if (!s->stop.figure && t->how->shards <= 1) {
    t->progress.points = s->count;
    return;
  }
  if (s->stop.figure) {
    for (uint64_t p = 0; p < s->product; p++)
      n += (t->how->shards <= 1 || p / s->stop.max % t->how->shards == t->how->shard - 1) &&
           hc_task_counts(t, p);
  } else {
    for (uint64_t at = hc_study_shard_begin(s, t->how->shard, t->how->shards); at < t->end; at++)
      n += !hc_study_is_excluded(s, hc_study_point_at(s, at));
  }
  t->progress.points = n;
}

/* ---- the journal ---- */

static hc_rc begin_journal(hc_task_list *t, hc_error *e)
{
  hc_buffer text, record;
  hc_rc rc;
  hc_buffer_init(&text, t->study->allocator);
  hc_buffer_init(&record, t->study->allocator);
  rc = hc_study_heading(t->study, &text);
  if (rc >= 0) {
    hc_record_write(&record,
                    (hc_record_head){.kind = HC_RECORD_HEAD,
                                     .point = t->study->product,
                                     .count = (uint32_t)t->how->shard,
                                     .state = (uint32_t)t->how->shards},
                    NULL, text.data, text.size);
    rc = record.failed ? HC_ENOMEM : hc_journal_append(t->journal, record.data, record.size, e);
  }
  hc_buffer_fini(&text);
  hc_buffer_fini(&record);
  return rc;
}

static hc_rc journal_path(const hc_study_carrying *how, char out[PATH], hc_error *e)
{
  int n = how->shards > 1
              ? snprintf(out, PATH, "%s.points-%" PRIu64 "-of-%" PRIu64, how->out, how->shard, how->shards)
              : snprintf(out, PATH, "%s.points", how->out);
  return n < PATH ? 0 : hc_fail(e, HC_EIO, how->out, 0, 0, "the path is too long");
}

static bool is_complete(const hc_task_list *t)
{
  for (uint64_t p = 0; p < t->study->product; p++)
    if (t->offset[p] == 0 && hc_task_counts(t, p)) return false;
  if (t->study->stop.figure)
    for (uint64_t c = 0; c < combinations(t->study); c++)
      if (t->decided[c] == 0 && !hc_study_is_excluded(t->study, c * t->study->stop.max)) return false;
  return true;
}

/* A study that was begun is gone on with only if that is wanted; elements of a batch system may be started
 * twice. */
static hc_rc check_begun(const hc_task_list *t, const char *path, hc_error *e)
{
  const hc_study_carrying *how = t->how;
  if (!t->has_head || how->resume || how->retry || how->shards > 1) return 0;
  if (is_complete(t)) return 0;
  return hc_fail(e, HC_EUSAGE, path, 0, 0,
                 "this study was begun: %" PRIu64 " of %" PRIu64
                 " points are there. `hindcast study resume` goes on with them, --again forgets them",
                 t->progress.before, t->progress.points);
}

/* A journal that is there says by itself whose it is. */
static hc_rc check_place(const hc_task_list *t, const char *journal, hc_error *e)
{
  struct stat s;
  if (t->how->shards > 1 || (!t->how->again && stat(journal, &s) == 0 && s.st_size > 0)) return 0;
  return hc_study_stored_place(t->study, t->how->out, t->how->again,
                               "--again replaces a study, --out chooses another place", e);
}

static hc_rc open_journal(hc_task_list *t, hc_error *e)
{
  char path[PATH];
  struct stat s;
  bool fresh = t->how->again;
  TRY(journal_path(t->how, path, e));
  TRY(check_place(t, path, e));
  TRY(hc_journal_open(t->study->allocator, path, fresh, &t->journal, e));
  if (fstat(hc_journal_file(t->journal), &s) == 0 && s.st_size > 0) TRY(hc_task_load(t, e));
  TRY(hc_task_decide(t, e));
  count_points(t);
  TRY(check_begun(t, path, e));
  if (!t->has_head) return begin_journal(t, e);
  if (t->how->resume || t->how->retry || t->how->shards > 1 || !is_complete(t)) return 0;
  /* whole, and asked for once more: from the beginning */
  hc_journal_close(t->journal);
  t->journal = NULL;
  memset(t->offset, 0, t->study->product * sizeof *t->offset);
  memset(t->state, 0, t->study->product);
  if (t->decided) memset(t->decided, 0, combinations(t->study) * sizeof *t->decided);
  t->progress = (hc_study_progress){0};
  TRY(hc_journal_open(t->study->allocator, path, true, &t->journal, e));
  count_points(t);
  return begin_journal(t, e);
}

/* ---- carrying out ---- */

/* "policy=easy, load=0.9: what went wrong" */
static void describe_failure(const hc_study *s, uint64_t point, const hc_record *r, char *out, size_t size)
{
  size_t n = 0;
  for (size_t i = 0; i < s->axis_count && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%.60s=%.60s", i ? ", " : "", s->axes[i].name,
                          s->axes[i].levels[hc_study_digit(s, point, i)].label);
  if (n < size)
    (void)snprintf(out + n, size - n, "%s%.*s", s->axis_count ? ": " : "", (int)r->head.text_size, r->text);
}

static void note_failure(hc_task_list *t)
{
  hc_study_progress *p = &t->progress;
  if (p->failed + p->crashed + p->late == 0) return;
  for (uint64_t i = 0; i < t->study->product; i++) {
    hc_record r;
    hc_error ignored = {0};
    if (t->state[i] <= HC_POINT_DONE || !hc_task_counts(t, i)) continue;
    if (hc_journal_at(t->journal, t->offset[i] - 1, &r, &ignored) < 0) return;
    describe_failure(t->study, i, &r, p->failure, sizeof p->failure);
    return;
  }
}

/* Replications that were made in vain are not in the store, and not in what is said of it. */
static void count_states(hc_task_list *t)
{
  hc_study_progress *p = &t->progress;
  if (!t->study->stop.figure) return;
  p->done = p->failed = p->crashed = p->late = 0;
  for (uint64_t i = 0; i < t->study->product; i++) {
    if (!hc_task_counts(t, i)) continue;
    p->done += t->state[i] == HC_POINT_DONE;
    p->failed += t->state[i] == HC_POINT_FAILED;
    p->crashed += t->state[i] == HC_POINT_CRASHED;
    p->late += t->state[i] == HC_POINT_LATE;
  }
}

static hc_rc finish(hc_task_list *t, hc_error *e)
{
  TRY(hc_journal_sync(t->journal, e));
  TRY(hc_task_decide(t, e));
  TRY(hc_study_recheck_inputs(t->study, hc_journal_path(t->journal), e));
  if (t->how->shards <= 1 && !is_complete(t))
    return hc_fail(e, HC_EIO, t->how->out, 0, 0,
                   "the carrier left points out; `hindcast study resume` goes on");
  count_points(t);
  count_states(t);
  note_failure(t);
  return t->how->shards > 1 ? 0 : hc_study_store(t, t->how->out, e);
}

static hc_rc check_how(const hc_study_carrying *how, hc_error *e)
{
  if (how->shards > 0 && (how->shard < 1 || how->shard > how->shards))
    return hc_fail(e, HC_EUSAGE, "--shard", 0, 0, "expected i/n with i from 1 to n, got %" PRIu64 "/%" PRIu64,
                   how->shard, how->shards);
  return 0;
}

hc_rc hc_study_carry_out(hc_study *s, const hc_study_carrying *how, hc_study_progress *p, hc_error *e)
{
  hc_chosen carrier = {0};
  hc_task_list t;
  uint64_t at;
  hc_rc rc;
  *p = (hc_study_progress){0};
  TRY(check_how(how, e));
  TRY(hc_carrier_choose(s, how, &carrier, e));
  if (how->time_limit > 0) s->time_limit = how->time_limit;
  if (how->cpu_limit > 0) s->cpu_limit = how->cpu_limit;
  rc = open_list(&t, s, how, e);
  at = t.at;
  if (rc >= 0) rc = hc_study_sum_inputs(s, e);
  if (rc >= 0) rc = open_journal(&t, e);
  t.at = at;
  if (rc >= 0) {
    rc = ((const hc_carrier_type *)carrier.type)->carry(&t, carrier.options, e);
    if (rc < 0) (void)hc_journal_sync(t.journal, &(hc_error){0});
  }
  if (rc >= 0) rc = finish(&t, e);
  *p = t.progress;
  close_list(&t);
  return rc;
}

/* ---- from journals alone ---- */

typedef struct heading {
  const hc_allocator *allocator;
  char *text;
  size_t size;
  uint64_t shard, shards;
} heading;

static hc_rc note_head(void *ctx, const hc_record *r, hc_error *e)
{
  heading *h = ctx;
  HC_UNUSED(e);
  if (h->text) return 0;
  h->text = hc_alloc(h->allocator, (size_t)r->head.text_size + 1);
  if (!h->text) return HC_ENOMEM;
  h->size = r->head.text_size;
  memcpy(h->text, r->text, h->size);
  h->shard = r->head.count;
  h->shards = r->head.state;
  return 0;
}

/* The study that a journal is about. */
static hc_rc study_of(const hc_allocator *a, hc_registry *registry, const char *path, hc_study **out,
                      heading *h, hc_error *e)
{
  const hc_journal_visit visit = {.ctx = h, .head = note_head};
  hc_journal *j;
  hc_rc rc;
  *h = (heading){.allocator = a};
  TRY(hc_journal_read(a, path, &j, e));
  rc = hc_journal_each(j, &visit, e);
  hc_journal_close(j);
  if (rc >= 0 && !h->text) rc = hc_fail(e, HC_EINPUT, path, 0, 0, "this journal of a study is empty");
  if (rc >= 0) {
    const char *inputs = memchr(h->text, '\n', h->size);
    const size_t size = inputs ? (size_t)(inputs - h->text) : h->size;
    rc = hc_study_parse(a, registry, h->text, size, path, out, e);
    if (rc >= 0 && inputs) rc = hc_study_take_inputs(*out, inputs + 1, h->size - size - 1);
    if (rc == HC_ENOMEM) (void)hc_fail(e, rc, path, 0, 0, "out of memory for the study");
  }
  hc_free(a, h->text, h->size + 1);
  return rc;
}

static bool ends_in(const char *path, const char *part)
{
  const char *at = strstr(path, part);
  return at && (at[strlen(part)] == '\0' || at[strlen(part)] == '-');
}

static hc_rc journal_of(const char *path, char out[PATH], hc_error *e)
{
  const int n = snprintf(out, PATH, "%s%s", path, ends_in(path, ".points") ? "" : ".points");
  return n < PATH ? 0 : hc_fail(e, HC_EIO, path, 0, 0, "the path is too long");
}

/* A store that was merged or copied has no journal, and says itself what is known of it. */
static bool is_alone(const char *path, const char *journal)
{
  struct stat s;
  return stat(journal, &s) != 0 && stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

hc_rc hc_study_inputs_each(const hc_allocator *a, const char *path,
                           hc_rc (*each)(void *ctx, const hc_study_input *input), void *ctx, hc_error *e)
{
  heading h = {.allocator = a};
  const hc_journal_visit visit = {.ctx = &h, .head = note_head};
  char name[PATH];
  hc_journal *j;
  hc_study_input x;
  const char *at;
  size_t n;
  hc_rc rc;
  TRY(journal_of(path, name, e));
  if (is_alone(path, name)) return hc_study_stored_inputs(path, each, ctx, e);
  TRY(hc_journal_read(a, name, &j, e));
  rc = hc_journal_each(j, &visit, e);
  hc_journal_close(j);
  at = rc >= 0 && h.text ? memchr(h.text, '\n', h.size) : NULL;
  if (at) at++;
  while (rc >= 0 && at && hc_study_next_input(&at, h.text + h.size, &x, &n)) {
    h.text[x.path + n - h.text] = '\0'; /* where its line ended */
    rc = each(ctx, &x);
  }
  hc_free(a, h.text, h.size + 1);
  return rc < 0 ? rc : 0;
}

/* What a journal knows, which may be written to meanwhile. @param s, how, t  out: to be closed by
 * close_known, also if this fails */
static hc_rc open_known(const hc_allocator *a, hc_registry *registry, const char *journal, hc_study **s,
                        hc_study_carrying *how, hc_task_list *t, hc_error *e)
{
  heading h;
  TRY(study_of(a, registry, journal, s, &h, e));
  how->shard = h.shard;
  how->shards = h.shards;
  TRY(open_list(t, *s, how, e));
  TRY(hc_journal_read(a, journal, &t->journal, e));
  TRY(hc_task_load(t, e));
  TRY(hc_task_decide(t, e));
  count_points(t);
  count_states(t);
  note_failure(t);
  return 0;
}

static void close_known(hc_study *s, hc_task_list *t)
{
  if (!s) return;
  close_list(t);
  hc_study_free(s);
}

hc_rc hc_study_status(const hc_allocator *a, hc_registry *registry, const char *path, hc_study_progress *out,
                      hc_error *e)
{
  char journal[PATH];
  hc_study_carrying how = {.out = path};
  hc_study *s = NULL;
  hc_task_list t = {0};
  TRY(journal_of(path, journal, e));
  if (is_alone(path, journal)) return hc_study_stored_status(path, out, e);
  const hc_rc rc = open_known(a, registry, journal, &s, &how, &t, e);
  if (rc >= 0) *out = t.progress;
  close_known(s, &t);
  return rc;
}

/* ---- while it is carried out ---- */

/* As a store in memory: what is read from it is what would be read from the store. */
static hc_rc read_known(hc_task_list *t, const char *path, hc_study_data **out, hc_error *e)
{
  sqlite3 *db = NULL;
  const int sql = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  hc_rc rc = sql == SQLITE_OK ? 0 : hc_sql_fail(db, sql, path, "read the study", e);
  if (rc >= 0) rc = hc_study_store_in(t, db, path, e);
  if (rc >= 0) rc = hc_study_data_read(t->study->allocator, db, path, out, e);
  (void)sqlite3_close(db);
  return rc;
}

/* Of all that the study has, also where it is a part of a shard. */
static void count_known(const hc_study_data *d, hc_study_progress *p)
{
  p->points = d->point_count;
  for (uint64_t i = 0; i < d->point_count; i++) {
    p->done += d->state[i] == HC_POINT_DONE;
    p->failed += d->state[i] == HC_POINT_FAILED;
    p->crashed += d->state[i] == HC_POINT_CRASHED;
    p->late += d->state[i] == HC_POINT_LATE;
  }
}

hc_rc hc_study_data_so_far(const hc_allocator *a, hc_registry *registry, const char *path,
                           hc_study_data **out, hc_study_progress *p, hc_error *e)
{
  char journal[PATH];
  hc_study_carrying how = {.out = path};
  hc_study *s = NULL;
  hc_registry *own = NULL;
  hc_task_list t = {0};
  *p = (hc_study_progress){0};
  TRY(journal_of(path, journal, e));
  if (!hc_study_is_open(path)) return hc_study_data_load(a, path, out, e);
  if (!registry && hc_registry_new(a, &own) < 0)
    return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for the study");
  hc_rc rc = open_known(a, registry ? registry : own, journal, &s, &how, &t, e);
  if (rc >= 0) rc = read_known(&t, journal, out, e);
  if (rc >= 0) count_known(*out, p);
  close_known(s, &t);
  hc_registry_free(own);
  return rc;
}

bool hc_study_is_open(const char *path)
{
  char journal[PATH];
  hc_error ignored = {0};
  if (journal_of(path, journal, &ignored) < 0) return false;
  return strcmp(path, journal) == 0 || (access(path, F_OK) != 0 && access(journal, F_OK) == 0);
}

static hc_rc missing(const hc_task_list *t, hc_error *e)
{
  uint64_t known = 0, wanted = 0;
  for (uint64_t p = 0; p < t->study->product; p++) {
    const bool counts = hc_task_counts(t, p);
    wanted += counts;
    known += counts && t->offset[p] != 0;
  }
  return hc_fail(e, HC_EUSAGE, "merge", 0, 0,
                 "the parts have %" PRIu64 " of %" PRIu64
                 " points: name the missing parts too, carry them out, or leave the points open with "
                 "--partial",
                 known, wanted);
}

static hc_rc merge_into(hc_task_list *t, const char *const *paths, size_t count, const char *out,
                        bool partial, hc_error *e)
{
  char path[PATH];
  hc_rc rc = 0;
  if (snprintf(path, sizeof path, "%s.merging", out) >= PATH)
    return hc_fail(e, HC_EIO, out, 0, 0, "the path is too long");
  TRY(hc_study_stored_place(t->study, out, false, "choose another --out, or remove it", e));
  TRY(hc_journal_open(t->study->allocator, path, true, &t->journal, e));
  rc = begin_journal(t, e);
  for (size_t i = 0; i < count && rc >= 0; i++) rc = hc_task_take_part(t, paths[i], false, e);
  if (rc >= 0) rc = hc_task_decide(t, e);
  if (rc >= 0 && !partial && !is_complete(t)) rc = missing(t, e);
  if (rc >= 0) {
    count_points(t);
    count_states(t);
    note_failure(t);
    rc = hc_study_store(t, out, e);
  }
  (void)unlink(path);
  return rc;
}

hc_rc hc_study_merge(const hc_allocator *a, hc_registry *registry, const char *const *paths, size_t count,
                     const char *out, bool partial, hc_study_progress *p, hc_error *e)
{
  const hc_study_carrying how = {.out = out};
  hc_study *s = NULL;
  hc_task_list t;
  heading h;
  hc_rc rc;
  *p = (hc_study_progress){0};
  if (count == 0)
    return hc_fail(e, HC_EUSAGE, "merge", 0, 0, "which parts? Name the files that shards have made");
  TRY(study_of(a, registry, paths[0], &s, &h, e));
  rc = open_list(&t, s, &how, e);
  if (rc >= 0) rc = merge_into(&t, paths, count, out, partial, e);
  *p = t.progress;
  close_list(&t);
  hc_study_free(s);
  return rc;
}
