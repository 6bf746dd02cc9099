/* spoken.c -- the session of a policy whose decisions another program says. See spoken.h. */
#include "remote/spoken.h"

#include <string.h>

#include "base/util.h"

void hc_spoken_init(hc_spoken *with, const hc_policy_context *c, const char *place)
{
  *with = (hc_spoken){.s = c->services, .allocator = c->allocator, .place = place};
  hc_buffer_init(&with->message, c->allocator);
  hc_hash_init(&with->said);
}

void hc_spoken_fini(hc_spoken *with)
{
  hc_buffer_fini(&with->message);
}

static bool is_cancelled(void *ctx)
{
  const hc_spoken *with = ctx;
  return with->view && with->s->is_cancelled(with->view);
}

hc_rc hc_spoken_open(hc_spoken *with, hc_remote_options how)
{
  how.clock = hc_session_wall_ns;
  how.is_cancelled = is_cancelled;
  how.ctx = with;
  if (how.record) TRY(hc_session_claim(how.record, with->place, &with->error));
  with->is_open = true;
  return hc_session_open(&with->session, with->allocator, &how, &with->report, &with->error);
}

hc_rc hc_spoken_ask(hc_spoken *with, const char **answer, size_t *size, hc_time *took)
{
  const hc_buffer *m = &with->message;
  if (m->failed) return HC_ENOMEM;
  TRY(hc_session_ask(&with->session, m->data, m->size, answer, size, took, &with->error));
  hc_hash_add(&with->said, m->data, m->size);
  hc_hash_add(&with->said, *answer, *size);
  return 0;
}

hc_rc hc_spoken_end(hc_spoken *with, int *status)
{
  const hc_buffer *m = &with->message;
  if (m->failed) return HC_ENOMEM;
  return hc_session_end(&with->session, m->data, m->size, status, &with->error);
}

hc_rc hc_spoken_failed(hc_spoken *with, hc_rc rc)
{
  const hc_error *e = &with->error;
  const bool has_place = e->where[0] != '\0' && strcmp(e->where, "scheduler") != 0;
  with->has_failed = true;
  return e->rc == 0 ? rc : with->s->fail(with->view, rc, has_place ? e->where : with->place, e->text);
}

hc_rc hc_spoken_close(hc_spoken *with)
{
  if (!with->is_open) return 0;
  with->is_open = false;
  return hc_session_close(&with->session, &with->error);
}
