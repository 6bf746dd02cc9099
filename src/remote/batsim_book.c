/* batsim_book.c -- the jobs and profiles of a workload as Batsim's schedulers are told of them: each as the
 * file has it, without blanks, but for a job's id, which stands behind the workload's name.
 *
 * The run has read the same file (workload/format/batsim.c, `ties: id`), and numbers tasks by submission, and
 * by their ids as text where that is the same: so is the book sorted, and job k is task number k + 1. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/sort.h"
#include "base/util.h"
#include "remote/batsim.h"

#define NAMES_LIMIT ((size_t)1 << 25)

typedef struct reading {
  hc_batsim_book *b;
  hc_json *j;
  const char *path;
  hc_buffer text; /* of the job or profile at hand */
  hc_error *e;
} reading;

/* ---- a value, as it stands ---- */

static hc_rc copy(reading *r, const hc_json_token *t, hc_buffer *out);

static hc_rc copy_members(reading *r, bool is_object, hc_buffer *out)
{
  bool any = false;
  hc_json_token t;
  hc_rc rc;
  hc_buffer_text(out, is_object ? "{" : "[");
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) {
    if (any) hc_buffer_text(out, ",");
    any = true;
    if (is_object) {
      hc_json_string(out, t.text, t.size);
      hc_buffer_text(out, ":");
      if ((rc = hc_json_next(r->j, &t, r->e)) < 0) return rc;
    }
    TRY(copy(r, &t, out));
  }
  hc_buffer_text(out, is_object ? "}" : "]");
  return rc;
}

static hc_rc copy(reading *r, const hc_json_token *t, hc_buffer *out)
{
  switch (t->kind) {
    case HC_JSON_NULL: hc_buffer_text(out, "null"); break;
    case HC_JSON_FALSE: hc_buffer_text(out, "false"); break;
    case HC_JSON_TRUE: hc_buffer_text(out, "true"); break;
    case HC_JSON_NUMBER: hc_buffer_add(out, t->text, t->size); break;
    case HC_JSON_STRING:
    case HC_JSON_KEY: hc_json_string(out, t->text, t->size); break;
    case HC_JSON_OBJECT:
    case HC_JSON_ATTRIBUTES: return copy_members(r, true, out);
    case HC_JSON_ARRAY: return copy_members(r, false, out);
  }
  return out->failed ? HC_ENOMEM : 0;
}

/* ---- jobs ---- */

static hc_rc wrong(const reading *r, const hc_json_token *t, const char *what)
{
  return hc_fail(r->e, HC_EINPUT, r->path, t->line, t->column, "%s", what);
}

static hc_rc take_id(reading *r, const hc_json_token *t, hc_batsim_job *job)
{
  uint32_t number;
  if (t->kind != HC_JSON_STRING && t->kind != HC_JSON_NUMBER)
    return wrong(r, t, "the id of a job is a text or a number");
  char *id = hc_arena_room(&r->b->arena, sizeof HC_BATSIM_WORKLOAD + 1 + t->size);
  if (!id) return HC_ENOMEM;
  memcpy(id, HC_BATSIM_WORKLOAD "!", sizeof HC_BATSIM_WORKLOAD);
  memcpy(id + sizeof HC_BATSIM_WORKLOAD, t->text, t->size);
  id[sizeof HC_BATSIM_WORKLOAD + t->size] = '\0';
  job->id = id;
  TRY(hc_names_add(&r->b->ids, id, strlen(id), &number));
  if (number != r->b->count)
    return wrong(r, t, "two jobs have this id: a scheduler could not tell them apart");
  hc_json_string(&r->text, id, strlen(id));
  return 0;
}

static hc_rc take_member(reading *r, const char *key, const hc_json_token *t, hc_batsim_job *job)
{
  const bool is_number = t->kind == HC_JSON_NUMBER;
  if (strcmp(key, "id") == 0) return take_id(r, t, job);
  if (strcmp(key, "subtime") == 0 && is_number) (void)hc_parse_seconds(t->text, t->size, &job->submit);
  if (strcmp(key, "res") == 0 && is_number) (void)hc_parse_int(t->text, t->size, &job->res);
  if (strcmp(key, "profile") == 0 && t->kind == HC_JSON_STRING)
    TRY(hc_names_add(&r->b->profile_names, t->text, t->size, &job->profile));
  return copy(r, t, &r->text);
}

static hc_rc read_job(reading *r, const hc_json_token *at)
{
  hc_batsim_book *b = r->b;
  hc_batsim_job job = {.profile = UINT32_MAX, .task = HC_NO_TASK};
  hc_json_token t;
  char key[32];
  hc_rc rc;
  if (at->kind != HC_JSON_OBJECT) return wrong(r, at, "a job is an object with id, subtime, res and profile");
  r->text.size = 0;
  hc_buffer_text(&r->text, "{");
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) {
    if (r->text.size > 1) hc_buffer_text(&r->text, ",");
    hc_json_string(&r->text, t.text, t.size);
    hc_buffer_text(&r->text, ":");
    (void)snprintf(key, sizeof key, "%s", t.text);
    if ((rc = hc_json_next(r->j, &t, r->e)) < 0) return rc;
    TRY(take_member(r, key, &t, &job));
  }
  TRY(rc);
  hc_buffer_text(&r->text, "}");
  if (!job.id) return wrong(r, at, "a job without an id: a scheduler could not name it");
  if (r->text.failed) return HC_ENOMEM;
  job.json = hc_arena_text(&b->arena, r->text.data, r->text.size);
  TRY(hc_reserve(b->allocator, (void **)&b->jobs, &b->cap, b->count + 1, sizeof *b->jobs));
  b->jobs[b->count++] = job;
  return job.json ? 0 : HC_ENOMEM;
}

/* ---- profiles ---- */

static hc_rc room_for(hc_batsim_book *b, uint32_t number)
{
  TRY(hc_reserve(b->allocator, (void **)&b->profiles, &b->profile_cap, (size_t)number + 1,
                 sizeof *b->profiles));
  while (b->profile_count <= number) b->profiles[b->profile_count++] = (hc_profile_text){.delay = -1};
  return 0;
}

static hc_rc read_profile(reading *r, const hc_json_token *name)
{
  hc_batsim_book *b = r->b;
  hc_json_token t;
  uint32_t number;
  bool is_delay = false;
  double delay = -1;
  hc_rc rc;
  TRY(hc_names_add(&b->profile_names, name->text, name->size, &number));
  TRY(room_for(b, number));
  hc_profile_text *p = &b->profiles[number];
  TRY(hc_json_next(r->j, &t, r->e));
  if (t.kind != HC_JSON_OBJECT) return wrong(r, &t, "a profile is an object with a type");
  r->text.size = 0;
  hc_buffer_text(&r->text, "{");
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) {
    const bool is_type = strcmp(t.text, "type") == 0, is_length = strcmp(t.text, "delay") == 0;
    const bool is_ret = strcmp(t.text, "ret") == 0;
    if (r->text.size > 1) hc_buffer_text(&r->text, ",");
    hc_json_string(&r->text, t.text, t.size);
    hc_buffer_text(&r->text, ":");
    if ((rc = hc_json_next(r->j, &t, r->e)) < 0) return rc;
    if (is_type) is_delay = t.kind == HC_JSON_STRING && strcmp(t.text, "delay") == 0;
    if (is_length && t.kind == HC_JSON_NUMBER) (void)hc_parse_real(t.text, t.size, &delay);
    if (is_ret && t.kind == HC_JSON_NUMBER) (void)hc_parse_int(t.text, t.size, &p->ret);
    TRY(copy(r, &t, &r->text));
  }
  TRY(rc);
  hc_buffer_text(&r->text, "}");
  if (is_delay) p->delay = delay;
  if (r->text.failed) return HC_ENOMEM;
  p->json = hc_arena_text(&b->arena, r->text.data, r->text.size);
  return p->json ? 0 : HC_ENOMEM;
}

/* ---- the file ---- */

static hc_rc read_jobs(reading *r)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) TRY(read_job(r, &t));
  return rc;
}

static hc_rc read_profiles(reading *r)
{
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) TRY(read_profile(r, &t));
  return rc;
}

/* What is wrong with the file as a whole the run's own reader has said. */
static hc_rc read_file(reading *r)
{
  hc_json_token t;
  hc_rc rc;
  TRY(hc_json_next(r->j, &t, r->e));
  while ((rc = hc_json_next(r->j, &t, r->e)) == 1) {
    const bool are_jobs = strcmp(t.text, "jobs") == 0, are_profiles = strcmp(t.text, "profiles") == 0;
    if ((rc = hc_json_next(r->j, &t, r->e)) < 0) return rc;
    if (are_jobs && t.kind == HC_JSON_ARRAY) TRY(read_jobs(r));
    else if (are_profiles && t.kind == HC_JSON_OBJECT) TRY(read_profiles(r));
    else TRY(hc_json_skip(r->j, &t, r->e));
  }
  return rc;
}

typedef struct ranked {
  hc_time submit;
  const char *id;
  uint32_t was;
} ranked;

static bool comes_before(const ranked *a, const ranked *b)
{
  if (a->submit != b->submit) return a->submit < b->submit;
  return strcmp(a->id, b->id) < 0;
}

HC_SORT(sort_ranked, ranked, comes_before(a, b))

static hc_rc sort_jobs(hc_batsim_book *b)
{
  const size_t n = b->count, size = n * sizeof(ranked);
  ranked *all = hc_alloc(b->allocator, size);
  hc_batsim_job *sorted = hc_alloc(b->allocator, b->cap * sizeof *sorted);
  b->place = hc_alloc(b->allocator, n * sizeof *b->place);
  b->place_cap = b->place ? n : 0;
  const bool is_fine = n == 0 || (all && sorted && b->place);
  for (size_t i = 0; i < n && is_fine; i++) all[i] = (ranked){b->jobs[i].submit, b->jobs[i].id, (uint32_t)i};
  if (is_fine) sort_ranked(all, n);
  for (size_t i = 0; i < n && is_fine; i++) {
    sorted[i] = b->jobs[all[i].was];
    b->place[all[i].was] = (uint32_t)i;
  }
  hc_free(b->allocator, all, size);
  hc_free(b->allocator, is_fine ? b->jobs : sorted, b->cap * sizeof *sorted);
  if (is_fine) b->jobs = sorted;
  return is_fine ? 0 : HC_ENOMEM;
}

hc_rc hc_batsim_book_read(hc_batsim_book *b, const hc_allocator *a, const char *path, hc_error *e)
{
  reading r = {.b = b, .path = path, .e = e};
  *b = (hc_batsim_book){.allocator = a};
  hc_arena_init(&b->arena, a);
  hc_names_init(&b->ids, a, NAMES_LIMIT);
  hc_names_init(&b->profile_names, a, NAMES_LIMIT);
  if (strcmp(path, "-") == 0)
    return hc_fail(e, HC_EUSAGE, "batsim", 0, 0,
                   "the workload is read twice, by the run and for its scheduler: name a file in place of -");
  TRY(hc_json_open(a, path, &r.j, e));
  hc_buffer_init(&r.text, a);
  hc_rc rc = read_file(&r);
  hc_buffer_fini(&r.text);
  hc_json_free(r.j);
  if (rc >= 0 && b->profile_names.count > 0) rc = room_for(b, (uint32_t)b->profile_names.count - 1);
  return rc < 0 ? rc : sort_jobs(b);
}

void hc_batsim_book_fini(hc_batsim_book *b)
{
  if (!b->allocator) return;
  hc_free(b->allocator, b->jobs, b->cap * sizeof *b->jobs);
  hc_free(b->allocator, b->place, b->place_cap * sizeof *b->place);
  hc_free(b->allocator, b->profiles, b->profile_cap * sizeof *b->profiles);
  hc_names_fini(&b->profile_names);
  hc_names_fini(&b->ids);
  hc_arena_fini(&b->arena);
}

hc_batsim_job *hc_batsim_find(hc_batsim_book *b, const char *id, size_t size)
{
  const uint32_t number = hc_names_find(&b->ids, id, size);
  return number == HC_MAP_NONE ? NULL : &b->jobs[b->place[number]];
}
