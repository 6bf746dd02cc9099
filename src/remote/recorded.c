/* recorded.c -- a scheduler that says again what one has said before: the record of a session.
 *
 * So a run whose thinking was measured is repeated bit for bit, a session is a test, and neither needs the
 * scheduler or ZeroMQ. A message must be the one that was recorded: where it is not, the run is another one
 * and the answers mean nothing. */
#include <inttypes.h>
#include <string.h>

#include "base/files.h"
#include "base/util.h"
#include "remote/transport.h"

#define RECORD_LIMIT ((size_t)1 << 32) /* bytes of a file */
#define SHOWN 160                      /* of a message, in an error */

struct hc_transport {
  const hc_allocator *allocator;
  const char *path;
  char *text, *at; /* [size] and a NUL; at: the next line */
  size_t size, cap;
  uint32_t line;
};

static void recorded_close(hc_transport *t)
{
  if (!t) return;
  const hc_allocator *a = t->allocator;
  hc_free(a, t->text, t->cap);
  hc_free(a, t, sizeof *t);
}

static hc_rc read_all(hc_transport *t, hc_error *e)
{
  TRY(hc_files_read(t->allocator, t->path, RECORD_LIMIT, &t->text, &t->size, &t->cap, e));
  TRY(hc_reserve(t->allocator, (void **)&t->text, &t->cap, t->size + 1, 1));
  t->text[t->size] = '\0';
  t->at = t->text;
  return 0;
}

static hc_rc recorded_open(const hc_allocator *a, const hc_remote_options *o, hc_transport **out, hc_error *e)
{
  hc_transport *t = hc_alloc(a, sizeof *t);
  if (!t) return HC_ENOMEM;
  *t = (hc_transport){.allocator = a, .path = o->replay};
  const hc_rc rc = read_all(t, e);
  if (rc < 0) recorded_close(t);
  else *out = t;
  return rc;
}

/* The next line that says something, cut off. @return NULL: there is none */
static char *next_line(hc_transport *t)
{
  while (*t->at != '\0') {
    char *line = t->at, *end = strchr(line, '\n');
    t->at = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    t->line++;
    if (*line != '\0' && *line != '#') return line;
  }
  return NULL;
}

/* Where two texts part: from a little before it, so that both can be shown. */
static size_t parting(const char *a, const char *b)
{
  size_t k = 0;
  while (a[k] != '\0' && a[k] == b[k]) k++;
  return k > 40 ? k - 40 : 0;
}

static hc_rc recorded_send(hc_transport *t, const char *data, size_t size, hc_error *e)
{
  const char *line = next_line(t);
  if (!line || line[0] != '>' || line[1] != ' ')
    return hc_fail(e, HC_EPOLICY, t->path, t->line, 0,
                   "the record ends here, and the run goes on with \"%.*s\": it is of another run", SHOWN,
                   data);
  if (strlen(line + 2) == size && memcmp(line + 2, data, size) == 0) return 0;
  const size_t from = parting(line + 2, data);
  return hc_fail(e, HC_EPOLICY, t->path, t->line, 0,
                 "the run says another thing than was recorded: \"%.*s\", and here is \"%.*s\"", SHOWN,
                 data + from, SHOWN, line + 2 + from);
}

static hc_rc recorded_receive(hc_transport *t, const char **data, size_t *size, hc_time *took, hc_error *e)
{
  const char *line = next_line(t), *number = line ? line + 2 : NULL;
  int64_t ns;
  if (!line || line[0] != '<' || line[1] != ' ')
    return hc_fail(e, HC_EIO, t->path, t->line, 0,
                   "the record has no answer here: the session ended before it");
  const size_t digits = strcspn(number, " ");
  if (hc_parse_int(number, digits, &ns) < 0 || ns < 0)
    return hc_fail(e, HC_EINPUT, t->path, t->line, 0, "expected \"< NS ANSWER\", got \"%.*s\"", SHOWN, line);
  *took = ns;
  *data = number + digits + (number[digits] == ' ');
  *size = strlen(*data);
  return 1;
}

const hc_transport_type hc_transport_recorded = {.name = "recorded",
                                                 .open = recorded_open,
                                                 .send = recorded_send,
                                                 .receive = recorded_receive,
                                                 .close = recorded_close};
