/* carrier.c -- what carriers share: which points are next, and what is known of them. */
#include "study/carrier.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "setup/config.h"
#include "study/inputs.h"

/* ---- choosing who carries ---- */

/* `{via: ...}`: what the file says, and what was said later laid upon it. */
static hc_rc lay(hc_study *s, const hc_study_carrying *how, hc_value *top, hc_error *e)
{
  hc_value *value = how->shards > 0 && !how->via ? NULL : s->via, *over = NULL;
  if (how->via) TRY(hc_value_parse(&s->arena, how->via, strlen(how->via), "--via", &over, e));
  if (over && value) value = hc_value_merge(&s->arena, value, over);
  else if (over) value = over;
  else if (!value) value = hc_value_scalar(&s->arena, "local", HC_FROM_DEFAULT);
  if (!value || hc_value_put(&s->arena, top, "via", value) < 0) return HC_ENOMEM;
  for (size_t i = 0; i < how->with_count; i++) {
    const char *path = NULL;
    hc_value *v = NULL;
    char whole[256];
    TRY(hc_value_parse_setting(&s->arena, how->with[i], "--with", "option=value, such as partition=short",
                               &path, &v, e));
    if (snprintf(whole, sizeof whole, "via.%s", path) >= (int)sizeof whole)
      return hc_fail(e, HC_EUSAGE, "--with", 0, 0, "the name of the option is too long");
    TRY(hc_value_set_path(&s->arena, top, whole, v, e));
  }
  return 0;
}

hc_rc hc_carrier_choose(hc_study *s, const hc_study_carrying *how, hc_chosen *out, hc_error *e)
{
  const hc_resolver r = {.registry = s->registry, .arena = &s->arena};
  hc_value *top = hc_value_map(&s->arena);
  hc_rc rc = top ? lay(s, how, top, e) : HC_ENOMEM;
  if (rc >= 0) rc = hc_resolve_component(&r, HC_KIND_CARRIER, hc_value_get(top, "via"), "via", out, e);
  return rc == HC_ENOMEM ? hc_fail(e, rc, "", 0, 0, "out of memory for the carrier of the study") : rc;
}

/* ---- giving ---- */

static uint64_t replications(const hc_study *s)
{
  return s->stop.figure ? s->axes[s->replication_axis].count : 1;
}

/* Whether it is to be carried out here and now. */
static bool is_wanted(const hc_task_list *t, uint64_t point)
{
  const uint64_t n = replications(t->study), combination = point / n, replication = point % n;
  if (t->offset[point] != 0) return false;
  if (t->study->stop.figure) {
    if (t->decided[combination] != 0 || replication < t->wave_from || replication >= t->wave_to) return false;
    if (t->how->shards > 1 && combination % t->how->shards != t->how->shard - 1) return false;
  }
  return !hc_study_is_excluded(t->study, point);
}

size_t hc_task_give(hc_task_list *t, uint64_t *points, size_t cap)
{
  size_t n = 0;
  for (; n < cap && t->at < t->end; t->at++) {
    const uint64_t point = hc_study_point_at(t->study, t->at);
    if (is_wanted(t, point)) points[n++] = point;
  }
  return n;
}

/* ---- taking ---- */

static void count_state(hc_study_progress *p, uint8_t state, uint64_t by)
{
  switch ((hc_point_state)state) {
    case HC_POINT_OPEN: return;
    case HC_POINT_DONE: p->done += by; return;
    case HC_POINT_FAILED: p->failed += by; return;
    case HC_POINT_CRASHED: p->crashed += by; return;
    case HC_POINT_LATE: p->late += by; return;
  }
}

static hc_rc take_point(hc_task_list *t, const hc_record *r, uint64_t offset, hc_error *e)
{
  const uint64_t p = r->head.point;
  if (p >= t->study->product || r->head.state > HC_POINT_LATE || r->head.state == HC_POINT_OPEN)
    return hc_fail(e, HC_EINPUT, "study", 0, 0, "a record of a point that the study does not have");
  count_state(&t->progress, t->state[p], UINT64_MAX);
  count_state(&t->progress, (uint8_t)r->head.state, 1);
  t->state[p] = (uint8_t)r->head.state;
  t->offset[p] = offset + 1;
  if (t->values) t->values[p] = hc_task_value(t, r);
  return 0;
}

static hc_rc take_record(hc_task_list *t, const hc_record *r, uint64_t offset, hc_error *e)
{
  if (r->head.kind == HC_RECORD_SET) return hc_task_set(t, r, e);
  return r->head.kind == HC_RECORD_POINT ? take_point(t, r, offset, e) : 0;
}

hc_rc hc_task_take(hc_task_list *t, const char *data, size_t size, hc_error *e)
{
  uint64_t at = hc_journal_size(t->journal);
  TRY(hc_journal_append(t->journal, data, size, e));
  for (size_t used = 0; used < size;) {
    hc_record r = {0};
    if (hc_record_look(data + used, size - used, &r) != 1)
      return hc_fail(e, HC_EINPUT, "study", 0, 0, "a damaged record");
    TRY(take_record(t, &r, at, e));
    used += r.size;
    at += r.size;
  }
  return 0;
}

/* ---- what a journal knows already ---- */

static hc_rc known_set(void *ctx, const hc_record *r, hc_error *e)
{
  return hc_task_set(ctx, r, e);
}

static hc_rc known_point(void *ctx, const hc_record *r, uint64_t offset, hc_error *e)
{
  hc_task_list *t = ctx;
  if (t->how->retry && r->head.state != HC_POINT_DONE) return 0;
  return take_point(t, r, offset, e);
}

/* @param path  of the journal whose beginning it is */
static hc_rc check_head(hc_task_list *t, const hc_record *r, const char *path, hc_error *e)
{
  const char *inputs = memchr(r->text, '\n', r->head.text_size), *end = r->text + r->head.text_size;
  const size_t size = inputs ? (size_t)(inputs - r->text) : r->head.text_size;
  hc_buffer text;
  bool same;
  hc_buffer_init(&text, t->study->allocator);
  if (hc_study_text(t->study, &text) < 0) return HC_ENOMEM;
  same = text.size == size && memcmp(text.data, r->text, text.size) == 0;
  hc_buffer_fini(&text);
  if (!same)
    return hc_fail(
        e, HC_EUSAGE, path, 0, 0,
        "this holds what is known of another study, or of an earlier form of this one (--set and --shake are "
        "part of it): --again forgets it, --out chooses another place");
  if (!inputs) inputs = end - 1;
  return hc_study_compare_inputs(t->study, inputs + 1, (size_t)(end - inputs - 1), path, e);
}

static hc_rc known_head(void *ctx, const hc_record *r, hc_error *e)
{
  hc_task_list *t = ctx;
  TRY(check_head(t, r, hc_journal_path(t->journal), e));
  t->has_head = true;
  return 0;
}

hc_rc hc_task_load(hc_task_list *t, hc_error *e)
{
  const hc_journal_visit visit = {t, known_head, known_set, known_point};
  TRY(hc_journal_each(t->journal, &visit, e));
  t->progress.before = t->progress.done + t->progress.failed + t->progress.crashed + t->progress.late;
  return 0;
}

typedef struct part {
  hc_task_list *task;
  const char *path;
  hc_buffer out;
  bool only_done;
} part;

static hc_rc copy_record(part *p, const hc_record *r)
{
  hc_record_write(&p->out, r->head, r->values, r->text, r->head.text_size);
  return p->out.failed ? HC_ENOMEM : 0;
}

static hc_rc part_set(void *ctx, const hc_record *r, hc_error *e)
{
  part *p = ctx;
  hc_rc rc = copy_record(p, r);
  if (rc >= 0) rc = hc_task_take(p->task, p->out.data, p->out.size, e);
  p->out.size = 0;
  return rc;
}

static hc_rc part_point(void *ctx, const hc_record *r, uint64_t offset, hc_error *e)
{
  const part *p = ctx;
  HC_UNUSED(offset);
  if (r->head.point < p->task->study->product && p->task->offset[r->head.point] != 0) return 0;
  if (p->only_done && r->head.state != HC_POINT_DONE) return 0;
  return part_set(ctx, r, e);
}

static hc_rc part_head(void *ctx, const hc_record *r, hc_error *e)
{
  part *p = ctx;
  return check_head(p->task, r, p->path, e);
}

hc_rc hc_task_take_part(hc_task_list *t, const char *path, bool only_done, hc_error *e)
{
  part p = {.task = t, .path = path, .only_done = only_done};
  const hc_journal_visit visit = {&p, part_head, part_set, part_point};
  hc_journal *j;
  hc_rc rc;
  TRY(hc_journal_read(t->study->allocator, path, &j, e));
  hc_buffer_init(&p.out, t->study->allocator);
  rc = hc_journal_each(j, &visit, e);
  hc_buffer_fini(&p.out);
  hc_journal_close(j);
  return rc;
}

bool hc_task_tick(hc_task_list *t)
{
  return !t->how->tick || t->how->tick(t->how->ctx, &t->progress);
}
