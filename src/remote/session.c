/* session.c -- message and answer by turns. See session.h.
 *
 * A scheduler may be slow, gone, mad or hostile. It has `timeout` for an answer, of the wall clock, counted
 * in moments that the transport waits; an answer has a size that is bounded by the transport before it is
 * held in memory. Nothing that it says is done here: an answer that cannot be is the protocol's to refuse. */
#define _GNU_SOURCE
#include "remote/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

#define MOST_BYTES (INT64_C(64) << 20)
#define LINES_BYTES ((size_t)1 << 20) /* of the record that are gathered */

/* ---- the record ---- */

static hc_rc write_lines(hc_session *s, hc_error *e)
{
  size_t done = 0;
  if (s->lines.failed) return HC_ENOMEM;
  while (done < s->lines.size) {
    const ssize_t n = write(s->record.fd, s->lines.data + done, s->lines.size - done);
    if (n <= 0)
      return hc_fail(e, HC_EIO, s->kept.record, 0, 0, "the record cannot be written; is the disk full?");
    done += (size_t)n;
  }
  s->lines.size = 0;
  return 0;
}

/* One line, whatever it holds: between two tokens of JSON a newline means as much as a space. */
static void put_plain(hc_buffer *out, const char *text, size_t size)
{
  const size_t from = out->size;
  hc_buffer_add(out, text, size);
  for (size_t i = from; i < out->size && !out->failed; i++)
    if ((unsigned char)out->data[i] < ' ') out->data[i] = ' ';
  hc_buffer_text(out, "\n");
}

static hc_rc note(hc_session *s, const char *message, size_t size, const char *answer, size_t answer_size,
                  hc_time took, hc_error *e)
{
  if (!s->kept.record) return 0;
  hc_buffer_text(&s->lines, "> ");
  put_plain(&s->lines, message, size);
  if (answer) {
    hc_buffer_printf(&s->lines, "< %" PRId64 " ", took);
    put_plain(&s->lines, answer, answer_size);
  }
  return s->lines.size >= LINES_BYTES || s->lines.failed ? write_lines(s, e) : 0;
}

hc_rc hc_session_claim(const char *path, const char *place, hc_error *e)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0) {
    (void)close(fd);
    return 0;
  }
  if (errno != EEXIST)
    return hc_fail(e, HC_EIO, place, 0, 0, "record: %.300s cannot be written: %s", path, strerror(errno));
  return hc_fail(e, HC_EUSAGE, place, 0, 0,
                 "record: %.300s is there already: take the answers from it with `replay`, or remove it; "
                 "each run, and each scheduler of a run, needs a record of its own",
                 path);
}

/* ---- a session ---- */

hc_time hc_session_wall_ns(void *unused)
{
  struct timespec t;
  HC_UNUSED(unused);
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (hc_time)t.tv_sec * HC_SECOND + (hc_time)t.tv_nsec;
}

hc_rc hc_session_open(hc_session *s, const hc_allocator *a, const hc_remote_options *o,
                      hc_remote_report *report, hc_error *e)
{
  *s = (hc_session){.allocator = a, .kept = *o, .report = report};
  hc_buffer_init(&s->lines, a);
  if (s->kept.most == 0) s->kept.most = MOST_BYTES;
  s->type = o->replay    ? &hc_transport_recorded
            : o->command ? &hc_transport_process
            : o->edc     ? &hc_transport_edc
                         : &hc_transport_zeromq;
  if (o->command) s->kept.endpoint = o->command[0];
  if (!o->replay && !s->kept.endpoint)
    return hc_fail(e, HC_EUSAGE, "scheduler", 0, 0,
                   "missing endpoint: where the scheduler listens, such as tcp://localhost:28000");
  if (o->record) {
    TRY(hc_partial_open(a, o->record, &s->record, e));
    hc_buffer_text(&s->lines, HC_REMOTE_RECORD);
  }
  return s->type->open(a, &s->kept, &s->transport, e);
}

static hc_time clock_of(const hc_session *s)
{
  return s->kept.clock ? s->kept.clock(s->kept.ctx) : 0;
}

/* A moment has passed. @param what  it has not done */
static hc_rc passed(const hc_session *s, hc_time *waited, const char *what, hc_error *e)
{
  *waited += HC_MOMENT;
  if (s->kept.is_cancelled && s->kept.is_cancelled(s->kept.ctx))
    return hc_fail(e, HC_ECANCELLED, "", 0, 0, "interrupted; nothing was written");
  if (s->kept.timeout == 0 || *waited < s->kept.timeout) return 0;
  return hc_fail(e, HC_EIO, "scheduler", 0, 0,
                 "the scheduler at %.200s has not %s for %lld s; if it needs longer, or comes later, say "
                 "another %stimeout",
                 s->kept.endpoint, what, (long long)(s->kept.timeout / HC_SECOND),
                 s->kept.command || s->kept.listens ? "" : "--");
}

static hc_rc wait_for(hc_session *s, const char **answer, size_t *size, hc_time *took, hc_error *e)
{
  hc_rc rc;
  for (hc_time waited = 0; (rc = s->type->receive(s->transport, answer, size, took, e)) == 0;)
    TRY(passed(s, &waited, "answered", e));
  return rc < 0 ? rc : 0;
}

hc_rc hc_session_ask(hc_session *s, const char *message, size_t size, const char **answer,
                     size_t *answer_size, hc_time *took, hc_error *e)
{
  const hc_time began = clock_of(s);
  *took = HC_UNKNOWN;
  TRY(s->type->send(s->transport, message, size, e));
  s->report->messages++;
  s->report->sent += size;
  const hc_rc rc = wait_for(s, answer, answer_size, took, e);
  if (*took == HC_UNKNOWN) *took = HC_MAX(clock_of(s) - began, 0);
  s->report->waited += *took;
  if (rc < 0) {
    (void)note(s, message, size, NULL, 0, 0, e);
    return rc;
  }
  s->report->received += *answer_size;
  return note(s, message, size, *answer, *answer_size, *took, e);
}

hc_rc hc_session_end(hc_session *s, const char *message, size_t size, int *status, hc_error *e)
{
  hc_rc rc = s->type->send(s->transport, message, size, e);
  *status = 0;
  if (rc < 0) return rc;
  s->report->messages++;
  s->report->sent += size;
  TRY(note(s, message, size, NULL, 0, 0, e));
  if (!s->type->end) return 0;
  for (hc_time waited = 0; (rc = s->type->end(s->transport, status, e)) == 0;)
    TRY(passed(s, &waited, "ended", e));
  return rc < 0 ? rc : 0;
}

hc_time hc_session_think(const hc_session *s, hc_time took)
{
  switch (s->kept.think) {
    case HC_THINK_ANSWER:
    case HC_THINK_NONE: return 0;
    case HC_THINK_FIXED: return s->kept.think_time;
    case HC_THINK_MEASURED: return took;
  }
  return 0;
}

hc_rc hc_session_close(hc_session *s, hc_error *e)
{
  hc_rc rc = 0;
  if (s->type) s->type->close(s->transport);
  s->transport = NULL;
  if (s->record.name) {
    rc = write_lines(s, e);
    if (rc >= 0) rc = hc_partial_commit(&s->record, s->kept.record, e);
    if (rc < 0) hc_partial_drop(&s->record);
  }
  hc_buffer_fini(&s->lines);
  return rc;
}
