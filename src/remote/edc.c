/* edc.c -- the way to a decision component of Batsim 5: a shared object that is called, or a process at a
 * socket of ZeroMQ (zeromq.c).
 *
 * What a component says first is a greeting, which has another form than all that follows: the simulator
 * gives it a text of the user, and it gives flags, which say how messages are written, and its first message.
 * To a process they go as a 32-bit number in the machine's byte order before the rest: the text's length, the
 * flags. In a session the greeting is a message like any other (hc_edc_greeting), so that a record is text;
 * here it becomes the call, or those bytes.
 *
 * Messages end with a NUL, which is sent with them, as Batsim 5 does; an answer may have one or none. A
 * component that wants binary messages is refused: members have numbers in them, which its version of
 * batprotocol gives them, where JSON has names. What a shared object answers is copied, since it may change
 * the buffer at its next call. Source: Batsim 5.0.0-rc2, batsim_edc.h and its server. */
#include <dlfcn.h>
#include <string.h>

#include "base/util.h"
#include "remote/transport.h"

enum { FORMAT_BINARY = 1, FORMAT_JSON = 2 }; /* BATSIM_EDC_FORMAT_... */

typedef uint8_t init_function(const uint8_t *data, uint32_t size, uint32_t *flags, uint8_t **reply,
                              uint32_t *reply_size);
typedef uint8_t decide_function(const uint8_t *message, uint32_t size, uint8_t **reply, uint32_t *reply_size);
typedef uint8_t deinit_function(void);

struct hc_transport {
  const hc_allocator *allocator;
  const hc_remote_options *o;
  void *library; /* NULL: it is a process, or not loaded yet */
  init_function *init;
  decide_function *decide;
  deinit_function *deinit;
  hc_transport *process; /* NULL: it is a shared object */
  bool is_greeted, has_begun;
  uint8_t *reply; /* of the shared object, not taken yet */
  uint32_t reply_size;
  char *answer;
  size_t cap;
};

static void edc_close(hc_transport *t)
{
  if (!t) return;
  const hc_allocator *a = t->allocator;
  hc_transport_zeromq.close(t->process);
  if (t->has_begun) (void)t->deinit();
  if (t->library) (void)dlclose(t->library);
  hc_free(a, t->answer, t->cap);
  hc_free(a, t, sizeof *t);
}

static hc_rc find(const hc_transport *t, const char *name, void *out, hc_error *e)
{
  void *address = dlsym(t->library, name);
  memcpy(out, &address, sizeof address); /* a function's address, which no cast of C makes of a pointer */
  if (address) return 0;
  return hc_fail(e, HC_EUSAGE, t->o->endpoint, 0, 0,
                 "it has no function %s: no decision component of Batsim 5", name);
}

static hc_rc load(hc_transport *t, hc_error *e)
{
  t->library = dlopen(t->o->endpoint, RTLD_NOW | RTLD_LOCAL);
  if (!t->library)
    return hc_fail(e, HC_EUSAGE, "scheduler", 0, 0,
                   "the shared object cannot be loaded: %.300s; one beside you is named with a slash: ./NAME",
                   dlerror());
  TRY(find(t, "batsim_edc_init", &t->init, e));
  TRY(find(t, "batsim_edc_take_decisions", &t->decide, e));
  return find(t, "batsim_edc_deinit", &t->deinit, e);
}

static hc_rc edc_open(const hc_allocator *a, const hc_remote_options *o, hc_transport **out, hc_error *e)
{
  hc_transport *t = hc_alloc(a, sizeof *t);
  if (!t) return HC_ENOMEM;
  *t = (hc_transport){.allocator = a, .o = o};
  const hc_rc rc = o->edc->is_library ? load(t, e) : hc_transport_zeromq.open(a, o, &t->process, e);
  if (rc < 0) edc_close(t);
  else *out = t;
  return rc;
}

/* ---- the greeting ---- */

static hc_rc has_failed(const char *function, unsigned code, hc_error *e)
{
  return hc_fail(e, HC_EPOLICY, "scheduler", 0, 0, "%s has failed: it returned %u, where 0 is success",
                 function, code);
}

static hc_rc check_flags(uint32_t flags, hc_error *e)
{
  if (flags == FORMAT_JSON) return 0;
  if (flags & FORMAT_BINARY)
    return hc_fail(
        e, HC_EUNSUPPORTED, "scheduler", 0, 0,
        "it wants binary messages, and JSON is spoken here: many components take `{\"format_json\": "
        "true}` as the text that they are given");
  return hc_fail(e, HC_EPOLICY, "scheduler", 0, 0,
                 "its flags are %u, where 2 (JSON) is known: how messages are to be written it does not say",
                 (unsigned)flags);
}

static hc_rc greet_library(hc_transport *t, hc_error *e)
{
  static const uint8_t nothing[1] = {0};
  const hc_edc *x = t->o->edc;
  uint32_t flags = 0;
  const unsigned code =
      t->init(x->init ? (const uint8_t *)x->init : nothing, x->init_size, &flags, &t->reply, &t->reply_size);
  if (code != 0) return has_failed("batsim_edc_init", code, e);
  t->has_begun = true;
  return check_flags(flags, e);
}

static hc_rc greet_process(hc_transport *t, hc_error *e)
{
  const hc_edc *x = t->o->edc;
  const size_t size = sizeof x->init_size + x->init_size;
  TRY(hc_reserve(t->allocator, (void **)&t->answer, &t->cap, size, 1));
  memcpy(t->answer, &x->init_size, sizeof x->init_size);
  if (x->init_size > 0) memcpy(t->answer + sizeof x->init_size, x->init, x->init_size);
  return hc_transport_zeromq.send(t->process, t->answer, size, e);
}

/* Flags, and the message behind them. */
static hc_rc take_flags(const char **data, size_t *size, hc_error *e)
{
  uint32_t flags;
  if (*size < sizeof flags)
    return hc_fail(
        e, HC_EPOLICY, "scheduler", 0, 0,
        "what it answers the first message has %zu bytes, where 4 of flags and a message are to be", *size);
  memcpy(&flags, *data, sizeof flags);
  *data += sizeof flags;
  *size -= sizeof flags;
  return check_flags(flags, e);
}

/* ---- messages ---- */

static hc_rc call(hc_transport *t, const char *data, size_t size, hc_error *e)
{
  if (size >= UINT32_MAX)
    return hc_fail(e, HC_ELIMIT, "scheduler", 0, 0, "a message of %zu bytes: more than 4 GiB", size);
  const unsigned code = t->decide((const uint8_t *)data, (uint32_t)size + 1, &t->reply, &t->reply_size);
  return code == 0 ? 0 : has_failed("batsim_edc_take_decisions", code, e);
}

/* `data` has a NUL behind it. */
static hc_rc edc_send(hc_transport *t, const char *data, size_t size, hc_error *e)
{
  t->reply = NULL;
  t->reply_size = 0;
  if (!t->is_greeted) return t->process ? greet_process(t, e) : greet_library(t, e);
  return t->process ? hc_transport_zeromq.send(t->process, data, size + 1, e) : call(t, data, size, e);
}

static hc_rc take_reply(hc_transport *t, const char **data, size_t *size, hc_error *e)
{
  if (!t->reply || t->reply_size == 0)
    return hc_fail(e, HC_EPOLICY, "scheduler", 0, 0, "it has given no message: its buffer is %s",
                   t->reply ? "empty" : "NULL");
  if (t->reply_size > t->o->most)
    return hc_fail(e, HC_EPOLICY, "scheduler", 0, 0, "its answer has %u bytes, and may have %lld",
                   (unsigned)t->reply_size, (long long)t->o->most);
  TRY(hc_reserve(t->allocator, (void **)&t->answer, &t->cap, (size_t)t->reply_size + 1, 1));
  memcpy(t->answer, t->reply, t->reply_size);
  t->answer[t->reply_size] = '\0';
  *data = t->answer;
  *size = t->reply_size;
  return 1;
}

static hc_rc edc_receive(hc_transport *t, const char **data, size_t *size, hc_time *took, hc_error *e)
{
  const hc_rc rc = t->process ? hc_transport_zeromq.receive(t->process, data, size, took, e)
                              : take_reply(t, data, size, e);
  if (rc != 1) return rc;
  if (t->process && !t->is_greeted) TRY(take_flags(data, size, e));
  t->is_greeted = true;
  while (*size > 0 && (*data)[*size - 1] == '\0') (*size)--;
  return 1;
}

const hc_transport_type hc_transport_edc = {
    .name = "edc", .open = edc_open, .send = edc_send, .receive = edc_receive, .close = edc_close};
