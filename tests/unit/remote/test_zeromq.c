/* test_zeromq.c -- a scheduler at the other end of a socket: one that answers, and those that die, keep
 * silent, say too much, or say it in parts. Each is a process of its own. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "remote/session.h"
#include "remote/transport.h"

#define MOST 1000 /* bytes of an answer */

typedef enum peer {
  ANSWERS,
  DIES,
  IS_SILENT,
  FLOODS,
  SAYS_IN_PARTS,
  COMES_LATE,
  GREETS, /* and those behind it: components of Batsim 5 */
  GREETS_SHORTLY,
  GREETS_IN_BINARY
} peer;

static char endpoint[64];

/* A greeting is four bytes that say how many come behind them, and these. */
static void receive(void *socket, peer p)
{
  char text[64];
  const int size = zmq_recv(socket, text, sizeof text, 0);
  if (size < 0 || (p >= GREETS && (size != 7 || memcmp(text, "\3\0\0\0now", 7) != 0))) _exit(1);
}

static void be(peer p)
{
  static const char much[2 * MOST];
  void *socket = zmq_socket(zmq_ctx_new(), ZMQ_REP);
  if (p == COMES_LATE) (void)usleep(600000);
  if (!socket || zmq_bind(socket, endpoint) < 0) _exit(1);
  receive(socket, p);
  if (p == DIES) _exit(0);
  if (p == IS_SILENT) (void)sleep(60);
  if (p == FLOODS) (void)zmq_send(socket, much, sizeof much, 0);
  if (p == SAYS_IN_PARTS) {
    (void)zmq_send(socket, "one", 3, ZMQ_SNDMORE);
    (void)zmq_send(socket, "two", 3, 0);
  }
  if (p == ANSWERS || p == COMES_LATE) (void)zmq_send(socket, "{}", 2, 0);
  if (p == GREETS) (void)zmq_send(socket, "\2\0\0\0{}\0", 7, 0);
  if (p == GREETS_SHORTLY) (void)zmq_send(socket, "\2\0", 2, 0);
  if (p == GREETS_IN_BINARY) (void)zmq_send(socket, "\1\0\0\0xyz", 7, 0);
  (void)sleep(60); /* until it is killed: what is sent has to go */
  _exit(0);
}

static bool is_over(void *ctx)
{
  int *left = ctx;
  return --*left < 0;
}

/* One message to a peer. @param patience times that it is asked whether to give up; < 0: it never does */
static hc_rc ask(peer p, int patience, hc_error *e)
{
  const hc_allocator *a = hc_default_allocator();
  const hc_edc edc = {.init = "now", .init_size = 3};
  const hc_remote_options o = {.endpoint = endpoint,
                               .edc = p >= GREETS ? &edc : NULL,
                               .timeout = 2 * HC_SECOND,
                               .most = MOST,
                               .is_cancelled = patience < 0 ? NULL : is_over,
                               .ctx = &patience};
  hc_remote_report report = {0};
  hc_session s;
  const char *answer;
  size_t size;
  hc_time took;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) be(p);
  hc_rc rc = hc_session_open(&s, a, &o, &report, e);
  assert_int_equal(rc, 0);
  rc = hc_session_ask(&s, "hello", 5, &answer, &size, &took, e);
  if (rc == 0) assert_string_equal(answer, "{}");
  if (rc == 0) assert_int_equal(size, 2);
  assert_int_equal(hc_session_close(&s, NULL), 0);
  (void)kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  return rc;
}

static void test_answers(void **state)
{
  hc_error e = {0};
  (void)state;
  assert_true(hc_remote_has_zeromq());
  assert_int_equal(ask(ANSWERS, -1, &e), 0);
  assert_int_equal(ask(COMES_LATE, -1, &e), 0);
}

static void fails(peer p, int patience, hc_rc rc, const char *says)
{
  hc_error e = {0};
  assert_int_equal(ask(p, patience, &e), rc);
  if (!strstr(e.text, says)) fail_msg("\"%s\" does not say \"%s\"", e.text, says);
}

static void test_hostile(void **state)
{
  (void)state;
  fails(DIES, -1, HC_EIO, "went away before it had answered");
  fails(FLOODS, -1, HC_EIO, "its answer had more than 1000 bytes");
  fails(SAYS_IN_PARTS, -1, HC_EPOLICY, "in several parts");
  fails(IS_SILENT, -1, HC_EIO, "has not answered for 2 s");
  fails(IS_SILENT, 1, HC_ECANCELLED, "interrupted");
}

/* What a component of Batsim 5 says first has flags in front and a NUL behind it, which are no part of it. */
static void test_greetings(void **state)
{
  hc_error e = {0};
  (void)state;
  assert_int_equal(ask(GREETS, -1, &e), 0);
  fails(GREETS_SHORTLY, -1, HC_EPOLICY, "has 2 bytes, where 4 of flags");
  fails(GREETS_IN_BINARY, -1, HC_EUNSUPPORTED, "it wants binary messages");
}

/* An algorithm that came to us has answered and goes: ZeroMQ hears of it before or after all is closed. */
static void leave(void)
{
  char text[64];
  void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
  if (zmq_connect(socket, endpoint) < 0) _exit(1);
  if (zmq_recv(socket, text, sizeof text, 0) != 5 || zmq_send(socket, "{}", 2, 0) != 2) _exit(1);
  (void)zmq_close(socket);
  (void)zmq_ctx_term(context);
  _exit(0);
}

/* Whichever comes first, AddressSanitizer finds no memory that is left: of an endpoint of more than 33 bytes,
 * for which ZeroMQ's message has to allocate. */
static void test_going_and_closing(void **state)
{
  const hc_remote_options o = {.endpoint = endpoint, .most = MOST, .listens = true};
  (void)state;
  for (useconds_t pause = 0; pause < 600; pause += 15) {
    hc_transport *t;
    hc_error e = {0};
    const char *answer;
    size_t size = 0;
    hc_time took;
    hc_rc rc = 0;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) leave();
    assert_int_equal(hc_transport_zeromq.open(hc_default_allocator(), &o, &t, &e), 0);
    assert_int_equal(hc_transport_zeromq.send(t, "hello", 5, &e), 0);
    while (rc == 0) rc = hc_transport_zeromq.receive(t, &answer, &size, &took, &e);
    assert_int_equal(rc, 1);
    assert_string_equal(answer, "{}");
    (void)usleep(pause);
    hc_transport_zeromq.close(t);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
  }
}

/* Only what stays on this machine, unless that is asked for. */
static void test_endpoints(void **state)
{
  static const struct {
    const char *endpoint, *says; /* NULL: it may be */
  } all[] = {{"tcp://localhost:28000", NULL},
             {"tcp://127.0.0.1:28000", NULL},
             {"tcp://[::1]:28000", NULL},
             {"ipc:///tmp/hindcast-test-nothing", NULL},
             {"tcp://192.0.2.1:28000", "on another machine"},
             {"tcp://localhost.example.org:28000", "on another machine"},
             {"tcp://localhost", "on another machine"},
             {"pgm://localhost:1", "neither tcp://HOST:PORT nor ipc://PATH"}};
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const hc_remote_options o = {.endpoint = all[i].endpoint};
    hc_remote_report report = {0};
    hc_error e = {0};
    hc_session s;
    const hc_rc rc = hc_session_open(&s, hc_default_allocator(), &o, &report, &e);
    (void)hc_session_close(&s, NULL);
    assert_int_equal(rc, all[i].says ? HC_EUSAGE : 0);
    if (all[i].says) assert_non_null(strstr(e.text, all[i].says));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_answers),
      cmocka_unit_test(test_hostile),
      cmocka_unit_test(test_greetings),
      cmocka_unit_test(test_going_and_closing),
      cmocka_unit_test(test_endpoints),
  };
  (void)snprintf(endpoint, sizeof endpoint, "ipc:///tmp/hindcast-test-of-a-scheduler-%ld", (long)getpid());
  return cmocka_run_group_tests(tests, NULL, NULL);
}
