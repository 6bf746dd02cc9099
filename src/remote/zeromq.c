/* zeromq.c -- a scheduler at the other end of a socket of ZeroMQ: it listens and answers (REP), we ask
 * (REQ). Or we listen, and it comes to us (PAIR, both), as ElastiSim's do.
 *
 * ZeroMQ connects again and again by itself, and tells nothing of a peer that has gone: a monitor beside
 * the socket hears that. So a scheduler may be started after the run; one that goes away before it has
 * answered is an error within a moment, and not a wait for ever. Where we listen, the first message waits
 * here until one has come.
 *
 * The library is loaded when a scheduler is to be reached, and not before: it brings a dozen others, whose
 * loading costs more than most commands take, and neither building nor anything else needs it. So the
 * functions that are called are declared here, as ZeroMQ 4.1 and everything since has them (its ABI is
 * that of libzmq.so.5). Source: api.zeromq.org, RFC 28/REQREP, RFC 31/EXPAIR. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "remote/transport.h"

/* ---- ZeroMQ's functions ---- */

enum {
  PAIR = 0,
  REQ = 3,
  LINGER = 17,
  MAXMSGSIZE = 22,
  RCVTIMEO = 27,
  SNDTIMEO = 28,
  DONTWAIT = 1,
  EVENT_DISCONNECTED = 0x200
};

typedef union frame { /* zmq_msg_t */
  unsigned char bytes[64];
  void *aligned;
} frame;

/* X(name, result, parameters) */
#define FUNCTIONS(X) \
  X(ctx_new, void *, (void)) \
  X(ctx_term, int, (void *context)) \
  X(socket, void *, (void *context, int type)) \
  X(close, int, (void *socket)) \
  X(setsockopt, int, (void *socket, int option, const void *value, size_t size)) \
  X(bind, int, (void *socket, const char *endpoint)) \
  X(connect, int, (void *socket, const char *endpoint)) \
  X(socket_monitor, int, (void *socket, const char *endpoint, int events)) \
  X(send, int, (void *socket, const void *data, size_t size, int flags)) \
  X(recv, int, (void *socket, void *data, size_t size, int flags)) \
  X(msg_init, int, (frame * m)) \
  X(msg_recv, int, (frame * m, void *socket, int flags)) \
  X(msg_data, void *, (frame * m)) \
  X(msg_size, size_t, (const frame *m)) \
  X(msg_more, int, (const frame *m)) \
  X(msg_close, int, (frame * m)) \
  X(errno, int, (void)) \
  X(strerror, const char *, (int code))

typedef struct functions {
#define X(name, result, parameters) result(*of_##name) parameters;
  FUNCTIONS(X)
#undef X
} functions;

/* It stays loaded. @return false: it is not on this machine */
static bool load(functions *out)
{
  void *library = dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define X(name, result, parameters) \
  *(void **)&out->of_##name = dlsym(library, "zmq_" #name); \
  if (!out->of_##name) return false;
  FUNCTIONS(X)
#undef X
  return true;
}

bool hc_remote_has_zeromq(void)
{
  functions f;
  return load(&f);
}

/* ---- a socket ---- */

struct hc_transport {
  functions f;
  const hc_allocator *allocator;
  void *context, *socket, *monitor;
  const char *endpoint;
  int64_t most;
  char *answer;
  size_t cap;
  bool listens;
  const char *waits; /* [wait_size] the message that no scheduler has come for yet, borrowed; NULL: none */
  size_t wait_size;
};

/* "tcp://localhost:1", "tcp://127.x:1", "tcp://[::1]:1", "ipc://...": nothing of it leaves this machine. */
static bool is_local(const char *endpoint)
{
  static const char *const local[] = {"localhost:", "127.", "[::1]:"};
  if (strncmp(endpoint, "ipc://", 6) == 0) return true;
  if (strncmp(endpoint, "tcp://", 6) != 0) return false;
  for (size_t i = 0; i < HC_ARRAY_LEN(local); i++)
    if (strncmp(endpoint + 6, local[i], strlen(local[i])) == 0) return endpoint[6 + strlen(local[i])] != '\0';
  return false;
}

/* ZeroMQ would take away what is there, to listen in its place. */
static hc_rc check_place(const char *path, hc_error *e)
{
  struct stat about;
  if (stat(path, &about) != 0 || S_ISSOCK(about.st_mode)) return 0;
  return hc_fail(e, HC_EUSAGE, "scheduler", 0, 0,
                 "%.200s is there and is no socket: name another place to listen at", path);
}

static hc_rc check_endpoint(const hc_remote_options *o, hc_error *e)
{
  if (strncmp(o->endpoint, "tcp://", 6) != 0 && strncmp(o->endpoint, "ipc://", 6) != 0)
    return hc_fail(e, HC_EUSAGE, "scheduler", 0, 0,
                   "the endpoint \"%.200s\" is neither tcp://HOST:PORT nor ipc://PATH", o->endpoint);
  if (!o->is_public && !is_local(o->endpoint))
    return hc_fail(
        e, HC_EUSAGE, "scheduler", 0, 0,
        "the endpoint \"%.200s\" is on another machine, to which what is said would go in plain text: "
        "say --public (is_public) if that is meant",
        o->endpoint);
  if (o->listens && strncmp(o->endpoint, "ipc://", 6) == 0) return check_place(o->endpoint + 6, e);
  return 0;
}

static hc_rc failed(const hc_transport *t, const char *what, hc_error *e)
{
  const int code = t->f.of_errno();
  if (code == ENOMEM) return HC_ENOMEM;
  return hc_fail(e, HC_EIO, "scheduler", 0, 0, "%s %.200s: %s", what, t->endpoint, t->f.of_strerror(code));
}

/* The monitor is stopped first: of a peer that goes away while all this is closed ZeroMQ 4.3 would write an
 * event to a reader that is closed already, and lose its memory. */
static void zeromq_close(hc_transport *t)
{
  if (!t) return;
  const hc_allocator *a = t->allocator;
  if (t->socket) (void)t->f.of_socket_monitor(t->socket, NULL, 0);
  if (t->monitor) (void)t->f.of_close(t->monitor);
  if (t->socket) (void)t->f.of_close(t->socket);
  if (t->context) (void)t->f.of_ctx_term(t->context);
  hc_free(a, t->answer, t->cap);
  hc_free(a, t, sizeof *t);
}

static bool set_options(hc_transport *t)
{
  const int moment = (int)(HC_MOMENT / HC_MS), linger = 0;
  const int64_t most = t->most;
  return t->f.of_setsockopt(t->socket, RCVTIMEO, &moment, sizeof moment) == 0 &&
         t->f.of_setsockopt(t->socket, SNDTIMEO, &moment, sizeof moment) == 0 &&
         t->f.of_setsockopt(t->socket, LINGER, &linger, sizeof linger) == 0 &&
         t->f.of_setsockopt(t->socket, MAXMSGSIZE, &most, sizeof most) == 0 &&
         t->f.of_setsockopt(t->monitor, LINGER, &linger, sizeof linger) == 0;
}

static hc_rc zeromq_open(const hc_allocator *a, const hc_remote_options *o, hc_transport **out, hc_error *e)
{
  static const char gone[] = "inproc://gone"; /* within this context alone */
  TRY(check_endpoint(o, e));
  hc_transport *t = hc_alloc(a, sizeof *t);
  if (!t) return HC_ENOMEM;
  *t = (hc_transport){.allocator = a, .endpoint = o->endpoint, .most = o->most, .listens = o->listens};
  if (!load(&t->f)) {
    hc_free(a, t, sizeof *t);
    return hc_fail(
        e, HC_EUNSUPPORTED, "scheduler", 0, 0,
        "ZeroMQ, by which the scheduler is reached, is not on this machine: install libzmq.so.5 "
        "(Debian: libzmq5); a session that was recorded is replayed without it");
  }
  t->context = t->f.of_ctx_new();
  if (t->context) t->socket = t->f.of_socket(t->context, t->listens ? PAIR : REQ);
  if (t->socket && t->f.of_socket_monitor(t->socket, gone, EVENT_DISCONNECTED) == 0)
    t->monitor = t->f.of_socket(t->context, PAIR);
  const bool is_fine = t->monitor && t->f.of_connect(t->monitor, gone) == 0 && set_options(t) &&
                       (t->listens ? t->f.of_bind(t->socket, o->endpoint)
                                   : t->f.of_connect(t->socket, o->endpoint)) == 0;
  if (is_fine) {
    *out = t;
    return 0;
  }
  const hc_rc rc = failed(t, t->listens ? "cannot listen at" : "cannot connect to", e);
  zeromq_close(t);
  return rc;
}

/* @return 1; 0: no scheduler has come within a moment */
static hc_rc try_send(hc_transport *t, const char *data, size_t size, int flags, hc_error *e)
{
  while (t->f.of_send(t->socket, data, size, flags) < 0) {
    if (t->f.of_errno() == EAGAIN) return 0;
    if (t->f.of_errno() != EINTR) return failed(t, "cannot send to", e);
  }
  return 1;
}

static hc_rc zeromq_send(hc_transport *t, const char *data, size_t size, hc_error *e)
{
  const hc_rc rc = try_send(t, data, size, t->listens ? DONTWAIT : 0, e);
  t->waits = rc == 0 ? data : NULL;
  t->wait_size = size;
  return HC_MIN(rc, 0);
}

/* Whatever the monitor says is that a peer has gone. */
static bool has_gone(const hc_transport *t)
{
  char event[256];
  return t->f.of_recv(t->monitor, event, sizeof event, DONTWAIT) >= 0;
}

static hc_rc take(hc_transport *t, frame *m, const char **data, size_t *size, hc_error *e)
{
  if (t->f.of_msg_more(m))
    return hc_fail(e, HC_EPOLICY, "scheduler", 0, 0, "its answer is in several parts, and has to be in one");
  *size = t->f.of_msg_size(m);
  TRY(hc_reserve(t->allocator, (void **)&t->answer, &t->cap, *size + 1, 1));
  memcpy(t->answer, t->f.of_msg_data(m), *size);
  t->answer[*size] = '\0';
  *data = t->answer;
  return 1;
}

static hc_rc zeromq_receive(hc_transport *t, const char **data, size_t *size, hc_time *took, hc_error *e)
{
  frame m;
  HC_UNUSED(took);
  if (t->waits) {
    const hc_rc rc = try_send(t, t->waits, t->wait_size, 0, e);
    if (rc <= 0) return rc;
    t->waits = NULL;
  }
  (void)t->f.of_msg_init(&m);
  if (t->f.of_msg_recv(&m, t->socket, 0) >= 0) {
    const hc_rc rc = take(t, &m, data, size, e);
    (void)t->f.of_msg_close(&m);
    return rc;
  }
  (void)t->f.of_msg_close(&m);
  if (t->f.of_errno() == EINTR) return 0;
  if (t->f.of_errno() != EAGAIN) return failed(t, "cannot receive from", e);
  if (!has_gone(t)) return 0;
  return hc_fail(
      e, HC_EIO, "scheduler", 0, 0,
      "the scheduler at %.200s went away before it had answered: it has ended, or its answer had more "
      "than %lld bytes",
      t->endpoint, (long long)t->most);
}

/* It is sent when the socket is closed, if it can be within a moment. */
static hc_rc zeromq_end(hc_transport *t, int *status, hc_error *e)
{
  const int moment = (int)(HC_MOMENT / HC_MS);
  *status = 0;
  if (t->f.of_setsockopt(t->socket, LINGER, &moment, sizeof moment) != 0)
    return failed(t, "cannot send to", e);
  return 1;
}

const hc_transport_type hc_transport_zeromq = {.name = "zeromq",
                                               .open = zeromq_open,
                                               .send = zeromq_send,
                                               .receive = zeromq_receive,
                                               .close = zeromq_close,
                                               .end = zeromq_end};
