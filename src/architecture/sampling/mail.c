/* sampling_mail.c -- messages on their way: a heap by the time of arrival, and what each does when it is
 * there. */
#include "architecture/sampling/sampling.h"
#include "base/sort.h"
#include "base/util.h"

HC_HEAP(mail, hc_message, a->at != b->at ? a->at < b->at : a->number < b->number)

hc_rc hc_sampling_send_at(hc_sampling *s, hc_time at, const hc_message *m)
{
  hc_message one = *m;
  TRY(hc_reserve(s->c.allocator, (void **)&s->mail, &s->mail_cap, s->mail_count + 1, sizeof *s->mail));
  one.at = at;
  one.number = s->sent++;
  mail_rise(s->mail, s->mail_count++, one);
  if (m->batch != HC_NOBODY) s->batches[m->batch].refs++;
  return 0;
}

hc_rc hc_sampling_send(hc_sampling *s, const hc_message *m)
{
  s->counts.messages++;
  return hc_sampling_send_at(s, hc_time_add(hc_sampling_now(s), s->o.latency), m);
}

hc_rc hc_sampling_arm(hc_sampling *s)
{
  if (s->mail_count == 0 || s->mail[0].at >= s->armed) return 0;
  s->armed = s->mail[0].at;
  return s->c.services->timer(s->c.engine, s->armed, 0);
}

/* ---- what hosts are told ---- */

static hc_rc count_length(hc_sampling *s, uint32_t host, uint32_t *out)
{
  const hc_sampled_host *h = &s->host[host];
  const uint32_t length = h->count + h->asking + h->running;
  s->counts.longest = HC_MAX(s->counts.longest, length);
  *out = length;
  return hc_counted_add(&s->counts.lengths, length);
}

/* A short probe does not stay behind long tasks, unless it has nowhere else to go. */
static hc_rc got_probe(hc_sampling *s, const hc_message *m)
{
  const hc_sampled_host *h = &s->host[m->host];
  uint32_t entry, length;
  if (s->o.marks && m->value < HC_NOBODY && h->long_here + h->long_running > 0) {
    s->counts.rejected++;
    return hc_sampling_send(
        s, &(hc_message){.kind = HC_MAIL_REJECT, .host = m->host, .batch = m->batch, .value = m->value + 1});
  }
  TRY(count_length(s, m->host, &length));
  TRY(hc_sampling_new_entry(s, m->batch, &entry));
  return hc_sampling_enqueue(s, m->host, entry, false);
}

static hc_rc got_task(hc_sampling *s, const hc_message *m, bool first)
{
  uint32_t entry;
  TRY(hc_sampling_new_entry(s, m->batch, &entry));
  s->entries[entry].task = m->task;
  s->entries[entry].serial = m->serial;
  return hc_sampling_enqueue(s, m->host, entry, first);
}

static hc_rc got_answer(hc_sampling *s, const hc_message *m, hc_error *e)
{
  hc_rc rc = 1;
  hc_sampling_unhold(s, m->host, m->batch);
  TRY(hc_sampling_mark(s, m->host));
  if (m->task == HC_NO_TASK) s->counts.empty++;
  else if (hc_sampling_is_bound(s, m->task, m->serial, m->host))
    rc = hc_sampling_start(s, m->task, m->host, e);
  if (rc != 0) return HC_MIN(rc, 0);
  s->counts.misfits++;
  return got_task(s, m, true);
}

static hc_rc got_read(hc_sampling *s, const hc_message *m)
{
  uint32_t length;
  TRY(count_length(s, m->host, &length));
  return hc_sampling_send(
      s, &(hc_message){.kind = HC_MAIL_LENGTH, .host = m->host, .batch = m->batch, .value = length});
}

static hc_rc got_cancel(hc_sampling *s, const hc_message *m)
{
  for (uint32_t at = s->batches[m->batch].entries, next; at != HC_NOBODY; at = next) {
    hc_entry *x = &s->entries[at];
    next = x->batch_next;
    if (x->is_void) continue;
    s->counts.cancelled++;
    x->is_void = 1; /* on its way to a thief */
    if (x->host == HC_NOBODY) continue;
    TRY(hc_sampling_mark(s, x->host));
    hc_sampling_unqueue(s, at);
    hc_sampling_drop_entry(s, at);
  }
  return 0;
}

static hc_rc got_loot(hc_sampling *s, const hc_message *m)
{
  hc_sampled_host *h = &s->host[m->host];
  if (m->value == HC_NOBODY) {
    if (--h->steals > 0) return hc_sampling_steal(s, m->host);
    return 0;
  }
  h->steals = 0;
  for (uint32_t at = m->value, next; at != HC_NOBODY; at = next) {
    next = s->entries[at].next;
    if (s->entries[at].is_void) hc_sampling_drop_entry(s, at);
    else TRY(hc_sampling_enqueue(s, m->host, at, false));
  }
  return hc_sampling_mark(s, m->host);
}

/* ---- what schedulers are told ---- */

/* Nothing is left to give: hosts that still have a reservation are told. */
static hc_rc cancel_rest(hc_sampling *s, uint32_t batch)
{
  uint64_t n = 0;
  for (uint32_t at = s->batches[batch].entries; at != HC_NOBODY; at = s->entries[at].batch_next) n++;
  if (n == 0) return 0;
  s->counts.messages += n - 1;
  return hc_sampling_send(s, &(hc_message){.kind = HC_MAIL_CANCEL, .batch = batch});
}

static hc_rc got_ask(hc_sampling *s, const hc_message *m)
{
  const hc_task t = hc_sampling_take(s, m->batch, m->host);
  hc_message answer = {.kind = HC_MAIL_ANSWER, .host = m->host, .batch = m->batch, .task = t};
  if (t != HC_NO_TASK) answer.serial = s->tasks[t].serial;
  TRY(hc_sampling_send(s, &answer));
  if (t != HC_NO_TASK && s->o.cancel && s->batches[m->batch].waiting == 0) return cancel_rest(s, m->batch);
  return 0;
}

static hc_rc got_reject(hc_sampling *s, const hc_message *m)
{
  hc_message probe = {.kind = HC_MAIL_PROBE, .batch = m->batch, .value = m->value};
  bool is_last;
  if (s->batches[m->batch].waiting == 0) return 0;
  probe.host = hc_sampling_elsewhere(s, m->batch, m->value, &is_last);
  if (is_last) probe.value = HC_NOBODY;
  if (probe.host == HC_NOBODY) {
    probe.host = m->host;
    probe.value = HC_NOBODY;
  }
  s->counts.probes++;
  return hc_sampling_send(s, &probe);
}

static hc_rc got_length(hc_sampling *s, const hc_message *m)
{
  uint32_t entry;
  TRY(hc_sampling_new_entry(s, m->batch, &entry));
  s->entries[entry].host = m->host;
  s->entries[entry].bypassed = m->value;
  return --s->batches[m->batch].answers == 0 ? hc_sampling_place(s, m->batch) : 0;
}

static hc_rc carry_out(hc_sampling *s, const hc_message *m, hc_error *e)
{
  switch ((hc_mail)m->kind) {
    case HC_MAIL_BEGIN: return hc_sampling_probe(s, m->batch, e);
    case HC_MAIL_PROBE: return got_probe(s, m);
    case HC_MAIL_ASK: return got_ask(s, m);
    case HC_MAIL_ANSWER: return got_answer(s, m, e);
    case HC_MAIL_TASK: return got_task(s, m, false);
    case HC_MAIL_REJECT: return got_reject(s, m);
    case HC_MAIL_READ: return got_read(s, m);
    case HC_MAIL_LENGTH: return got_length(s, m);
    case HC_MAIL_CANCEL: return got_cancel(s, m);
    case HC_MAIL_STEAL:
      return hc_sampling_send(s, &(hc_message){.kind = HC_MAIL_LOOT,
                                               .host = m->host,
                                               .batch = HC_NOBODY,
                                               .value = hc_sampling_loot(s, m->value, m->host)});
    case HC_MAIL_LOOT: return got_loot(s, m);
  }
  return 0;
}

hc_rc hc_sampling_deliver(hc_sampling *s, hc_error *e)
{
  const hc_time now = hc_sampling_now(s);
  if (now >= s->armed) s->armed = HC_NEVER;
  while (s->mail_count > 0 && s->mail[0].at <= now) {
    const hc_message m = mail_pop(s->mail, &s->mail_count);
    const hc_rc rc = carry_out(s, &m, e);
    if (m.batch != HC_NOBODY) hc_sampling_release(s, m.batch);
    TRY(rc);
  }
  return 0;
}
