/* vnodes.c -- see vnodes.h. */
#include "slurm/vnodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "base/util.h"

#define MARK "#HINDCAST "
#define LATE (5 * HC_MINUTE)            /* slurmctld may end a job behind its limit */
#define REGISTER_AGAIN (20 * HC_SECOND) /* slurmctld asks for nodes that are on their way to it */
#define JOBS_MOST ((size_t)1 << 20)
#define RUN_MOST ((double)(1000 * 365) * 86400) /* seconds */

static const char *const end_words[] = {"completed", "failed", "cancelled", "out_of_memory", "never"};

/* ---- what a script asks for ---- */

static bool value_of(const char *line, size_t n, const char *key, const char **value, size_t *size)
{
  const size_t k = strlen(key);
  for (size_t i = 0; i + k < n; i++) {
    if ((i > 0 && line[i - 1] != ' ') || memcmp(line + i, key, k) != 0) continue;
    *value = line + i + k;
    for (*size = 0; i + k + *size < n && line[i + k + *size] != ' '; ++*size) continue;
    return true;
  }
  return false;
}

static bool read_line(const char *line, size_t n, hc_vjob_wish *w)
{
  const char *value;
  size_t size;
  double run;
  int64_t code = 1;
  size_t word = 0;
  if (!value_of(line, n, "run=", &value, &size) || hc_parse_real(value, size, &run) < 0) return false;
  if (!(run >= 0 && run <= RUN_MOST)) return false;
  if (value_of(line, n, "end=", &value, &size)) {
    while (word < HC_ARRAY_LEN(end_words) &&
           (strlen(end_words[word]) != size || memcmp(end_words[word], value, size) != 0))
      word++;
    if (word == HC_ARRAY_LEN(end_words)) return false;
  }
  if (value_of(line, n, "exit=", &value, &size) &&
      (hc_parse_int(value, size, &code) < 0 || code < 1 || code > 255))
    return false;
  *w = (hc_vjob_wish){.run = (hc_time)(run * (double)HC_SECOND), .end = (hc_vend)word, .exit = (uint8_t)code};
  return true;
}

hc_vjob_wish hc_vjob_read(const char *script)
{
  hc_vjob_wish w = {.run = HC_SECOND, .exit = 1};
  for (const char *at = script; at && *at;) {
    const size_t n = strcspn(at, "\n");
    if (strncmp(at, MARK, strlen(MARK)) == 0 && read_line(at + strlen(MARK), n - strlen(MARK), &w)) break;
    at += n + (at[n] == '\n');
  }
  return w;
}

void hc_vjob_write(hc_buffer *out, const hc_vjob_wish *w)
{
  char seconds[40];
  seconds[hc_format_seconds(w->run, seconds)] = '\0';
  hc_buffer_printf(out, MARK "run=%s end=%s exit=%u\n", seconds, end_words[w->end], w->exit ? w->exit : 1u);
}

/* ---- life ---- */

static hc_rc take_name(void *ctx, const char *name, hc_error *e)
{
  hc_vnodes *v = ctx;
  uint32_t id;
  const size_t before = v->names.count;
  const hc_rc rc = hc_names_add(&v->names, name, strlen(name), &id);
  if (rc == HC_ELIMIT)
    return hc_fail(e, HC_EUSAGE, "nodes", 0, 0, "%.80s: more than %u nodes", v->o.names, HC_VNODES_MOST);
  if (rc < 0) return hc_fail(e, rc, "nodes", 0, 0, "out of memory for the names of nodes");
  if (v->names.count == before)
    return hc_fail(e, HC_EUSAGE, "nodes", 0, 0, "the node %.80s is named twice; name each once", name);
  return 0;
}

hc_rc hc_vnodes_init(hc_vnodes *v, const hc_allocator *a, const hc_vnodes_options *o, hc_error *e)
{
  const hc_hostlist list = {
      .text = o->names, .wrong = HC_EUSAGE, .where = "nodes", .take = take_name, .ctx = v};
  *v = (hc_vnodes){.allocator = a, .o = *o};
  hc_names_init(&v->names, a, HC_VNODES_MOST);
  hc_map_init(&v->by_id, a);
  if (!(o->speed > 0)) return hc_fail(e, HC_EUSAGE, "nodes", 0, 0, "a speed is above 0");
  TRY(hc_hostlist_each(&list, e));
  if (v->names.count == 0) return hc_fail(e, HC_EUSAGE, "nodes", 0, 0, "no node is named: n[001-100]");
  return 0;
}

static void free_job(hc_vnodes *v, hc_vjob *j)
{
  hc_free(v->allocator, j->nodes, j->count * sizeof *j->nodes);
}

void hc_vnodes_fini(hc_vnodes *v)
{
  for (size_t i = 0; i < v->count; i++) free_job(v, &v->jobs[i]);
  hc_free(v->allocator, v->jobs, v->cap * sizeof *v->jobs);
  hc_free(v->allocator, v->letters, v->letter_cap * sizeof *v->letters);
  hc_free(v->allocator, v->heard, v->heard_cap * sizeof *v->heard);
  hc_free(v->allocator, (void *)v->heard_names, v->heard_name_cap * sizeof *v->heard_names);
  hc_map_fini(&v->by_id);
  hc_names_fini(&v->names);
}

static void forget_job(hc_vnodes *v, uint32_t at)
{
  hc_map_remove(&v->by_id, v->jobs[at].id);
  free_job(v, &v->jobs[at]);
  v->jobs[at] = v->jobs[--v->count];
  if (at < v->count)
    (void)hc_map_set(&v->by_id, v->jobs[at].id, at); /* it is in the map: no memory is needed */
}

/* ---- letters ---- */

hc_rc hc_vnodes_post(hc_vnodes *v, const hc_vletter *l)
{
  if (v->letter_at > 0 && v->letter_count == v->letter_cap) {
    v->letter_count -= v->letter_at;
    memmove(v->letters, v->letters + v->letter_at, v->letter_count * sizeof *v->letters);
    v->letter_at = 0;
  }
  TRY(hc_reserve(v->allocator, (void **)&v->letters, &v->letter_cap, v->letter_count + 1,
                 sizeof *v->letters));
  v->letters[v->letter_count++] = *l;
  return 0;
}

bool hc_vnodes_take(hc_vnodes *v, hc_vletter *out)
{
  if (v->letter_at == v->letter_count) return false;
  *out = v->letters[v->letter_at++];
  if (v->letter_at == v->letter_count) v->letter_at = v->letter_count = 0;
  return true;
}

hc_rc hc_vnodes_register(hc_vnodes *v, hc_time now)
{
  if (v->has_registered && now - v->registered < (v->o.again ? v->o.again : REGISTER_AGAIN)) return 0;
  v->has_registered = true;
  v->registered = now;
  for (size_t i = v->letter_at; i < v->letter_count; i++)
    if (v->letters[i].kind == HC_VLETTER_REGISTRATION) return 0;
  for (uint32_t i = 0; i < v->names.count; i++)
    TRY(hc_vnodes_post(v, &(hc_vletter){.kind = HC_VLETTER_REGISTRATION, .node = i}));
  return 0;
}

void hc_vnodes_write(const hc_vnodes *v, const hc_vletter *l, int64_t unix_now, hc_buffer *body,
                     hc_buffer *out)
{
  const char *name = v->names.names[l->node];
  uint16_t type = HC_WIRE_REGISTRATION;
  body->size = 0;
  switch (l->kind) {
    case HC_VLETTER_REGISTRATION:
      hc_wire_put_registration(
          body,
          &(hc_wire_node){
              .name = name, .cpus = v->o.cpus, .memory = v->o.memory, .now = unix_now, .since = v->o.since});
      break;
    case HC_VLETTER_ENDED:
      type = HC_WIRE_ENDED;
      hc_wire_put_ended(body, l->job, l->uid, l->status, name);
      break;
    case HC_VLETTER_CLEAN:
      type = HC_WIRE_CLEAN;
      hc_wire_put_clean(body, l->job, name);
      break;
  }
  hc_wire_frame(out, type, body, NULL, 0);
}

bool hc_vletter_is_answered(const hc_vletter *l)
{
  return l->kind != HC_VLETTER_CLEAN;
}

/* ---- messages ---- */

/* A node of the message at hand, by its number; one that is not ours ends it. */
static hc_rc take_heard(void *ctx, const char *name, hc_error *e)
{
  hc_vnodes *v = ctx;
  const uint32_t id = hc_names_find(&v->names, name, strlen(name));
  if (id == HC_MAP_NONE)
    return hc_fail(e, HC_EINPUT, "message of Slurm", 0, 0, "%.80s is none of the nodes", name);
  if (v->heard_count >= v->names.count)
    return hc_fail(e, HC_EINPUT, "message of Slurm", 0, 0, "it names more nodes than there are");
  TRY(hc_reserve(v->allocator, (void **)&v->heard, &v->heard_cap, v->heard_count + 1, sizeof *v->heard));
  v->heard[v->heard_count++] = id;
  return 0;
}

static hc_rc hear_nodes(hc_vnodes *v, const char *list, hc_error *e)
{
  const hc_hostlist l = {
      .text = list, .wrong = HC_EINPUT, .where = "message of Slurm", .take = take_heard, .ctx = v};
  v->heard_count = 0;
  return list ? hc_hostlist_each(&l, e) : 0;
}

static uint32_t status_of(const hc_vjob_wish *w)
{
  switch (w->end) {
    case HC_VEND_COMPLETED:
    case HC_VEND_NEVER: return 0;
    case HC_VEND_FAILED: return (uint32_t)w->exit << 8;
    case HC_VEND_CANCELLED: return HC_WIRE_CANCELLED;
    case HC_VEND_OUT_OF_MEMORY: return HC_WIRE_OUT_OF_MEMORY;
  }
  return 0;
}

static hc_rc launch(hc_vnodes *v, const hc_wire_message *m, hc_time now, hc_error *e)
{
  hc_wire_launch l;
  hc_vjob_wish w;
  hc_vjob j;
  uint32_t at;
  TRY(hc_wire_read_launch(m, &l, e));
  TRY(hear_nodes(v, l.nodes, e));
  if (v->heard_count == 0)
    return hc_fail(e, HC_EINPUT, "message of Slurm", 0, 0, "a job is launched on no node");
  if (v->count >= JOBS_MOST)
    return hc_fail(e, HC_EINPUT, "message of Slurm", 0, 0, "more than 2^20 jobs are launched at once");
  w = hc_vjob_read(l.script);
  j = (hc_vjob){.id = l.job, .uid = l.uid, .count = (uint32_t)v->heard_count, .status = status_of(&w)};
  j.due = w.end == HC_VEND_NEVER ? HC_NEVER : hc_time_add(now, (hc_time)((double)w.run / v->o.speed));
  j.wake = w.end == HC_VEND_NEVER && w.run > 0 ? hc_time_add(now, (hc_time)((double)w.run / v->o.speed))
                                               : HC_NEVER;
  j.nodes = hc_alloc(v->allocator, j.count * sizeof *j.nodes);
  if (!j.nodes) return HC_ENOMEM;
  memcpy(j.nodes, v->heard, j.count * sizeof *j.nodes);
  at = hc_map_get(&v->by_id, l.job);
  if (at != HC_MAP_NONE) forget_job(v, at); /* it was requeued */
  if (hc_reserve(v->allocator, (void **)&v->jobs, &v->cap, v->count + 1, sizeof *v->jobs) < 0 ||
      hc_map_set(&v->by_id, j.id, (uint32_t)v->count) < 0) {
    free_job(v, &j);
    return HC_ENOMEM;
  }
  v->jobs[v->count++] = j;
  v->launched++;
  return 0;
}

/* All that have not yet say that they are clean. */
static hc_rc say_clean(hc_vnodes *v, hc_vjob *j)
{
  for (; j->clean < j->count; j->clean++)
    TRY(hc_vnodes_post(v, &(hc_vletter){.kind = HC_VLETTER_CLEAN, .job = j->id, .node = j->nodes[j->clean]}));
  j->due = HC_NEVER;
  return 0;
}

/* Its nodes have heard that it is over, and have no more to say. */
static bool is_done(const hc_vjob *j)
{
  return j->answered >= j->count && (j->state != HC_VJOB_CLEANS || j->due == HC_NEVER);
}

/* @param code  out: what the nodes answer */
static hc_rc terminate(hc_vnodes *v, const hc_wire_message *m, hc_time now, uint32_t *code, hc_error *e)
{
  uint32_t id = 0, at;
  hc_vjob *j;
  TRY(hc_wire_read_kill(m, &id, e));
  at = hc_map_get(&v->by_id, id);
  *code = HC_WIRE_ALREADY_COMPLETE;
  if (at == HC_MAP_NONE) return 0;
  j = &v->jobs[at];
  if (j->state == HC_VJOB_RUNS) v->killed++;
  if (j->state == HC_VJOB_RUNS || (j->state == HC_VJOB_ENDED && v->o.epilog)) {
    const hc_time takes = v->o.epilog ? v->o.epilog_takes : 0;
    if (takes == 0) TRY(say_clean(v, j));
    else j->due = hc_time_add(now, (hc_time)((double)takes / v->o.speed));
    j->state = HC_VJOB_CLEANS;
  }
  if (j->state == HC_VJOB_CLEANS) *code = 0;
  j->answered += 1 + m->forward_count; /* the message comes once for some nodes each */
  if (is_done(j)) forget_job(v, at);
  return 0;
}

static hc_rc answer_all(hc_vnodes *v, uint16_t type, const hc_buffer *body, hc_buffer *answer)
{
  TRY(hc_reserve(v->allocator, (void **)&v->heard_names, &v->heard_name_cap, v->heard_count + 1,
                 sizeof *v->heard_names));
  for (size_t i = 0; i < v->heard_count; i++) v->heard_names[i] = v->names.names[v->heard[i]];
  hc_wire_frame(answer, type, body, v->heard_names, v->heard_count);
  return answer->failed || body->failed ? HC_ENOMEM : 0;
}

hc_rc hc_vnodes_hear(hc_vnodes *v, const uint8_t *data, size_t size, hc_time now, hc_buffer *answer,
                     hc_error *e)
{
  hc_wire_message m;
  hc_buffer body;
  uint32_t code = 0;
  uint16_t type = HC_WIRE_CODE;
  hc_rc rc = hc_wire_open(data, size, &m, e);
  if (rc == 0 && m.forward_count > 0) rc = hear_nodes(v, m.forward, e);
  if (rc < 0) return rc;
  hc_buffer_init(&body, v->allocator);
  switch (m.type) {
    case HC_WIRE_ASK_REGISTRATION:
      rc = hc_vnodes_register(v, now);
      type = HC_WIRE_PONG;
      break;
    case HC_WIRE_PING: type = HC_WIRE_PONG; break;
    case HC_WIRE_LAUNCH: rc = launch(v, &m, now, e); break;
    case HC_WIRE_TIME_LIMIT:
    case HC_WIRE_TERMINATE:
    case HC_WIRE_ABORT:
    case HC_WIRE_PREEMPT: rc = terminate(v, &m, now, &code, e); break;
    default: break; /* health, reconfiguration and the like: done */
  }
  if (type == HC_WIRE_PONG) hc_wire_put_pong(&body);
  else hc_wire_put_u32(&body, code);
  v->heard_count = 0;
  if (rc >= 0) rc = hear_nodes(v, m.forward_count > 0 ? m.forward : NULL, e);
  if (rc >= 0) rc = answer_all(v, type, &body, answer);
  hc_buffer_fini(&body);
  return rc;
}

/* ---- time ---- */

hc_time hc_vnodes_tick(hc_vnodes *v, hc_time now)
{
  hc_time next = HC_NEVER;
  for (size_t i = 0; i < v->count; i++) {
    hc_vjob *j = &v->jobs[i];
    if (j->due <= now && j->state == HC_VJOB_RUNS) {
      const hc_vletter l = {
          .kind = HC_VLETTER_ENDED, .node = j->nodes[0], .job = j->id, .uid = j->uid, .status = j->status};
      if (hc_vnodes_post(v, &l) < 0) {
        next = HC_MIN(next, now + HC_SECOND / 10); /* out of memory: again when there may be some */
        continue;
      }
      j->state = HC_VJOB_ENDED;
      j->due = HC_NEVER;
      v->ended++;
    }
    if (j->due <= now && j->state == HC_VJOB_CLEANS) {
      if (say_clean(v, j) < 0) {
        next = HC_MIN(next, now + HC_SECOND / 10);
        continue;
      }
      if (is_done(j)) {
        forget_job(v, (uint32_t)i--); /* the last one takes its place */
        continue;
      }
    }
    next = HC_MIN(next, j->due);
  }
  return next;
}

hc_time hc_vnodes_next(const hc_vnodes *v, hc_time now)
{
  hc_time next = HC_NEVER;
  if (v->letter_at < v->letter_count) return now;
  for (size_t i = 0; i < v->count; i++) {
    const hc_vjob *j = &v->jobs[i];
    next = HC_MIN(next, j->due);
    const bool is_told = j->state == HC_VJOB_CLEANS && j->answered >= j->count;
    if (j->state != HC_VJOB_RUNS && !is_told) next = HC_MIN(next, now); /* slurmctld is not heard of it yet */
    else if (j->state == HC_VJOB_RUNS && j->wake != HC_NEVER && j->wake + LATE > now)
      next = HC_MIN(next, HC_MAX(j->wake, now));
  }
  return next;
}
