/* batsim_register.c -- what a scheduler registers while the run goes on: profiles and jobs, as its book has
 * them, and as the run's source reads them.
 *
 * A profile belongs to a workload, as a job does. Those of the workload that is read go by their own names,
 * others behind the name of theirs ("dyn!delay_10"): so they are called in the source, where a job of a
 * workload means its own. Names with escapes are refused. */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "remote/batsim.h"

static bool is_plain(const hc_batsim_text *t)
{
  return t->kind == '"' && t->size > 0 && !memchr(t->text, '\\', t->size);
}

/* How long the name of the workload of a full name is; 0: it has none. */
static size_t workload_of(const hc_batsim_text *full)
{
  const char *mark = memchr(full->text, '!', full->size);
  return mark ? (size_t)(mark - full->text) : 0;
}

static bool is_first(const char *workload, size_t size)
{
  return size == strlen(HC_BATSIM_WORKLOAD) && memcmp(workload, HC_BATSIM_WORKLOAD, size) == 0;
}

/* What a profile of a workload is called in the source. */
static void put_name(hc_buffer *out, const char *workload, size_t size, const char *name, size_t name_size)
{
  if (!is_first(workload, size)) {
    hc_buffer_add(out, workload, size);
    hc_buffer_text(out, "!");
  }
  hc_buffer_add(out, name, name_size);
}

/* ---- profiles ---- */

/* Its parts go by their names in the source. @return false: it is no list of names */
static bool put_parts(hc_buffer *out, const hc_batsim_registered *x, const hc_batsim_text *list)
{
  hc_jsonline j;
  hc_jsonline_token t;
  const char *before = "";
  hc_jsonline_begin(&j, list->text, list->size);
  (void)hc_jsonline_next(&j);
  hc_buffer_text(out, "[");
  while ((t = hc_jsonline_next(&j)).kind == HC_JSONLINE_TEXT) {
    hc_buffer_text(out, before);
    hc_buffer_text(out, "\"");
    const char *mark = memchr(t.text, '!', t.size); /* version 5 says the workload */
    const size_t of = mark ? (size_t)(mark - t.text) : 0;
    if (mark) put_name(out, t.text, of, mark + 1, t.size - of - 1);
    else put_name(out, x->workload.text, x->workload.size, t.text, t.size);
    hc_buffer_text(out, "\"");
    before = ",";
  }
  hc_buffer_text(out, "]");
  return t.kind == HC_JSONLINE_END;
}

/* @return false: it is no object */
static bool put_profile(hc_buffer *out, const hc_batsim_registered *x)
{
  hc_jsonline j;
  hc_jsonline_token key;
  bool any = false;
  if (x->object.kind != '{') return false;
  hc_jsonline_begin(&j, x->object.text, x->object.size);
  (void)hc_jsonline_next(&j);
  hc_buffer_text(out, "{");
  while ((key = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
    hc_batsim_text value;
    if (!hc_batsim_take(&j, &value)) return false;
    hc_buffer_text(out, any ? ",\"" : "\"");
    any = true;
    hc_buffer_add(out, key.text, key.size);
    hc_buffer_text(out, "\":");
    const bool are_parts = key.size == 3 && memcmp(key.text, "seq", 3) == 0 && value.kind == '[';
    if (are_parts && !put_parts(out, x, &value)) return false;
    if (are_parts) continue;
    if (value.kind == '"') hc_buffer_text(out, "\"");
    hc_buffer_add(out, value.text, value.size);
    if (value.kind == '"') hc_buffer_text(out, "\"");
  }
  hc_buffer_text(out, "}");
  return key.kind == HC_JSONLINE_END;
}

static hc_rc keep_profile(hc_batsim_book *b, const char *name, size_t size, const char *json,
                          size_t json_size)
{
  static const hc_batsim_member members[] = {
      {"type", 0}, {"delay", sizeof(hc_batsim_text)}, {"ret", 2 * sizeof(hc_batsim_text)}};
  const hc_batsim_text all = {.text = json, .size = json_size, .kind = '{'};
  hc_batsim_text said[3] = {{0}};
  hc_profile_text p = {.delay = -1};
  uint32_t number;
  TRY(hc_names_add(&b->profile_names, name, size, &number));
  TRY(hc_reserve(b->allocator, (void **)&b->profiles, &b->profile_cap, (size_t)number + 1,
                 sizeof *b->profiles));
  while (b->profile_count <= number) b->profiles[b->profile_count++] = (hc_profile_text){.delay = -1};
  (void)hc_batsim_members(&all, members, HC_ARRAY_LEN(members), said);
  const bool is_delay = (said[0].size == 5 && memcmp(said[0].text, "delay", 5) == 0) ||
                        (said[0].size == 12 && memcmp(said[0].text, "DelayProfile", 12) == 0);
  if (is_delay && said[1].kind == '0') (void)hc_parse_real(said[1].text, said[1].size, &p.delay);
  if (said[2].kind == '0') (void)hc_parse_int(said[2].text, said[2].size, &p.ret);
  p.json = hc_arena_text(&b->arena, json, json_size);
  b->profiles[number] = p;
  return p.json ? 0 : HC_ENOMEM;
}

hc_rc hc_batsim_add_profile(hc_batsim_book *b, const hc_batsim_registered *x, hc_buffer *feed,
                            const char **what)
{
  *what = "it names no workload, or no profile, or its profile is no object";
  if (!is_plain(&x->workload) || !is_plain(&x->name)) return HC_EPOLICY;
  feed->size = 0;
  hc_buffer_text(feed, "{\"profiles\":{\"");
  const size_t from = feed->size;
  put_name(feed, x->workload.text, x->workload.size, x->name.text, x->name.size);
  const size_t to = feed->size;
  hc_buffer_text(feed, "\":");
  const size_t object = feed->size;
  if (!put_profile(feed, x)) return HC_EPOLICY;
  const size_t end = feed->size;
  hc_buffer_text(feed, "}}");
  if (feed->failed) return HC_ENOMEM;
  const uint32_t known = hc_names_find(&b->profile_names, feed->data + from, to - from);
  *what = "there is a profile of this name";
  if (known != HC_MAP_NONE && known < b->profile_count && b->profiles[known].json) return HC_EPOLICY;
  return keep_profile(b, feed->data + from, to - from, feed->data + object, end - object);
}

/* ---- jobs ---- */

static hc_rc add_to_book(hc_batsim_book *b, const hc_batsim_job *job, const hc_batsim_text *id)
{
  uint32_t number;
  TRY(hc_names_add(&b->ids, id->text, id->size, &number));
  TRY(hc_reserve(b->allocator, (void **)&b->jobs, &b->cap, b->count + 1, sizeof *b->jobs));
  TRY(hc_reserve(b->allocator, (void **)&b->place, &b->place_cap, (size_t)number + 1, sizeof *b->place));
  b->place[number] = (uint32_t)b->count;
  b->jobs[b->count++] = *job;
  return 0;
}

/* As schedulers are told of it: as it was said, but for its id, which stands behind its workload's name. */
static const char *told(hc_batsim_book *b, const hc_batsim_registered *x)
{
  hc_buffer text;
  hc_jsonline j;
  hc_jsonline_token key;
  hc_buffer_init(&text, b->allocator);
  hc_jsonline_begin(&j, x->object.text, x->object.size);
  (void)hc_jsonline_next(&j);
  hc_buffer_text(&text, "{\"id\":\"");
  hc_buffer_add(&text, x->name.text, x->name.size);
  hc_buffer_text(&text, "\"");
  while ((key = hc_jsonline_next(&j)).kind == HC_JSONLINE_KEY) {
    hc_batsim_text value;
    if (!hc_batsim_take(&j, &value)) break;
    if (key.size == 2 && memcmp(key.text, "id", 2) == 0) continue;
    hc_buffer_text(&text, ",\"");
    hc_buffer_add(&text, key.text, key.size);
    hc_buffer_text(&text, value.kind == '"' ? "\":\"" : "\":");
    hc_buffer_add(&text, value.text, value.size);
    if (value.kind == '"') hc_buffer_text(&text, "\"");
  }
  hc_buffer_text(&text, "}");
  const char *out = text.failed ? NULL : hc_arena_text(&b->arena, text.data, text.size);
  hc_buffer_fini(&text);
  return out;
}

/* @return NULL, or what is wrong with it */
static const char *check_job(const hc_batsim_book *b, const hc_batsim_registered *x, size_t workload,
                             const hc_batsim_machines *m, int64_t *res, hc_time *limit)
{
  if (workload == 0 || !is_plain(&x->name)) return "its `job_id` is no \"WORKLOAD!NAME\"";
  if (hc_names_find(&b->ids, x->name.text, x->name.size) != HC_MAP_NONE) return "there is a job of this name";
  const char *own = x->name.text + workload + 1;
  const size_t own_size = x->name.size - workload - 1;
  if (x->object.kind != '{') return "it has no object `job`";
  if (x->own_id.kind == '"' && !(x->own_id.size == own_size && memcmp(x->own_id.text, own, own_size) == 0) &&
      !(x->own_id.size == x->name.size && memcmp(x->own_id.text, x->name.text, x->name.size) == 0))
    return "the `id` of its job is another one";
  if (x->res.kind != '0' || hc_parse_int(x->res.text, x->res.size, res) < 0 || *res < 1)
    return "its job asks for no whole number of machines from 1 on";
  if (*res > m->count) return "its job asks for more machines than there are";
  *limit = HC_UNKNOWN;
  if (x->limit.kind == '0' &&
      (hc_parse_seconds(x->limit.text, x->limit.size, limit) < 0 || *limit == HC_NEVER))
    return "the walltime of its job is no number of seconds";
  if (*limit == -HC_SECOND) *limit = HC_UNKNOWN;
  if (*limit != HC_UNKNOWN && *limit <= 0) return "the walltime of its job is not positive";
  return is_plain(&x->profile) ? NULL : "its job names no profile";
}

static void put_job(hc_buffer *feed, const hc_batsim_registered *x, hc_time now)
{
  char at[32];
  hc_buffer_text(feed, "{\"jobs\":[{\"id\":\"");
  hc_buffer_add(feed, x->name.text, x->name.size);
  hc_buffer_text(feed, "\",\"subtime\":");
  hc_buffer_add(feed, at, hc_format_seconds(now, at));
  hc_buffer_text(feed, ",\"res\":");
  hc_buffer_add(feed, x->res.text, x->res.size);
  if (x->limit.kind == '0') hc_buffer_text(feed, ",\"walltime\":");
  if (x->limit.kind == '0') hc_buffer_add(feed, x->limit.text, x->limit.size);
  hc_buffer_text(feed, ",\"profile\":\"");
}

hc_rc hc_batsim_add_job(hc_batsim_book *b, const hc_batsim_registered *x, const hc_batsim_machines *m,
                        hc_time now, hc_buffer *feed, const char **what)
{
  const size_t workload = x->name.kind == '"' ? workload_of(&x->name) : 0;
  hc_batsim_job job = {.task = HC_NO_TASK, .submit = now, .state = HC_JOB_WAITS};
  hc_time limit;
  *what = check_job(b, x, workload, m, &job.res, &limit);
  if (*what) return HC_EPOLICY;
  feed->size = 0;
  put_job(feed, x, now);
  const size_t from = feed->size;
  const size_t of = workload_of(&x->profile); /* "WORKLOAD!NAME" of version 5 */
  if (of > 0) put_name(feed, x->profile.text, of, x->profile.text + of + 1, x->profile.size - of - 1);
  else put_name(feed, x->name.text, workload, x->profile.text, x->profile.size);
  if (feed->failed) return HC_ENOMEM;
  job.profile = hc_names_find(&b->profile_names, feed->data + from, feed->size - from);
  hc_buffer_text(feed, "\"}]}");
  *what = "its job names a profile that there is not: it has to be registered first";
  if (job.profile == HC_MAP_NONE || job.profile >= b->profile_count || !b->profiles[job.profile].json)
    return HC_EPOLICY;
  job.id = hc_arena_text(&b->arena, x->name.text, x->name.size);
  job.json = told(b, x);
  if (!job.id || !job.json || feed->failed) return HC_ENOMEM;
  return add_to_book(b, &job, &x->name);
}
