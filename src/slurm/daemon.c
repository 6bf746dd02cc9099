/* daemon.c -- see daemon.h. */
#define _GNU_SOURCE
#include "slurm/daemon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "slurm/clock.h"
#include "slurm/cluster.h"

#define SENDING 48   /* letters on their way at a time: slurmctld has 256 threads, and others to serve */
#define SERVING 1024 /* connections that are served at a time */
#define EVENTS 64
#define PATIENCE (60 * HC_SECOND) /* for a peer that says nothing */
#define PAUSE (HC_SECOND / 5)     /* after a letter that did not arrive */
#define LOOK (HC_SECOND / 100)    /* how often a clock that may be moved is looked at */
#define SAID_MOST 200             /* lines of complaints; beyond them they are counted only */

typedef struct connection {
  int fd; /* -1: free */
  bool is_letter, is_connecting;
  hc_vletter letter;
  hc_buffer in, out;
  size_t sent;
  hc_time last;
  uint32_t next_free;
} connection;

typedef struct vdaemon {
  const hc_vdaemon_options *o;
  hc_vnodes nodes;
  hc_buffer body;
  connection *all; /* [SENDING + SERVING] */
  uint32_t free_head;
  uint32_t sending, serving;
  hc_time resume; /* no letter is sent before */
  int poll, listener;
  uint64_t complaints;
  hc_clock clock; /* slurmctld's, by which jobs run */
  char next_path[HC_CLUSTER_PATH];
  hc_time next; /* as it was written last; 0: never */
} vdaemon;

#define NO_ONE UINT32_MAX
#define LISTENER UINT32_MAX

static hc_time steady(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (hc_time)t.tv_sec * HC_SECOND + (hc_time)t.tv_nsec;
}

static void complain(vdaemon *d, const char *what)
{
  if (d->complaints++ >= SAID_MOST) return;
  (void)fprintf(stderr, "nodes: %s\n", what);
  if (d->complaints == SAID_MOST) (void)fprintf(stderr, "nodes: more of that is not said\n");
}

static hc_rc io_fail(hc_error *e, const char *what)
{
  return hc_fail(e, HC_EIO, "nodes", 0, 0, "%s: %s", what, strerror(errno));
}

/* ---- connections ---- */

static connection *open_connection(vdaemon *d, int fd, uint32_t events)
{
  const uint32_t at = d->free_head;
  struct epoll_event ev = {.events = events, .data.u32 = at};
  connection *c;
  if (at == NO_ONE || epoll_ctl(d->poll, EPOLL_CTL_ADD, fd, &ev) != 0) {
    (void)close(fd);
    return NULL;
  }
  c = &d->all[at];
  d->free_head = c->next_free;
  c->fd = fd;
  c->is_letter = c->is_connecting = false;
  c->in.size = c->out.size = c->sent = 0;
  c->in.failed = c->out.failed = false;
  c->last = steady();
  return c;
}

static void close_connection(vdaemon *d, connection *c)
{
  (void)close(c->fd);
  c->fd = -1;
  if (c->is_letter) d->sending--;
  else d->serving--;
  if (c->in.cap > 65536) hc_buffer_fini(&c->in), hc_buffer_init(&c->in, d->nodes.allocator);
  if (c->out.cap > 65536) hc_buffer_fini(&c->out), hc_buffer_init(&c->out, d->nodes.allocator);
  c->next_free = d->free_head;
  d->free_head = (uint32_t)(c - d->all);
}

static void wait_for(vdaemon *d, connection *c, uint32_t events)
{
  struct epoll_event ev = {.events = events, .data.u32 = (uint32_t)(c - d->all)};
  (void)epoll_ctl(d->poll, EPOLL_CTL_MOD, c->fd, &ev);
}

/* A letter that did not arrive goes behind the others. */
static void lose_letter(vdaemon *d, connection *c)
{
  const hc_vletter l = c->letter;
  close_connection(d, c);
  d->resume = steady() + PAUSE;
  if (hc_vnodes_post(&d->nodes, &l) < 0) complain(d, "out of memory: a message to slurmctld is lost");
}

/* ---- letters ---- */

static hc_rc send_letter(vdaemon *d, const hc_vletter *l)
{
  const struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(d->o->controller), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  connection *c = fd < 0 ? NULL : open_connection(d, fd, EPOLLOUT);
  if (!c) return HC_EIO;
  c->is_letter = c->is_connecting = true;
  c->letter = *l;
  d->sending++;
  hc_vnodes_write(&d->nodes, l, (int64_t)time(NULL), &d->body, &c->out);
  if (c->out.failed || (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS)) {
    close_connection(d, c);
    return HC_EIO;
  }
  return 0;
}

static void send_letters(vdaemon *d, hc_time now)
{
  hc_vletter l;
  while (d->sending < SENDING && now >= d->resume && hc_vnodes_take(&d->nodes, &l)) {
    if (send_letter(d, &l) >= 0) continue;
    d->resume = now + PAUSE;
    if (hc_vnodes_post(&d->nodes, &l) < 0) complain(d, "out of memory: a message to slurmctld is lost");
  }
}

/* ---- what comes and goes ---- */

/* @return 1: all is written; 0: not yet; -1: the peer is gone */
static int write_on(connection *c)
{
  while (c->sent < c->out.size) {
    const ssize_t n = send(c->fd, c->out.data + c->sent, c->out.size - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN ? 0 : -1;
    c->sent += (size_t)n;
  }
  return 1;
}

/* @return 1: a frame is whole; 0: not yet; -1: the peer is gone, or says what no frame begins with */
static int read_on(connection *c)
{
  char data[16384];
  for (;;) {
    const ssize_t n = recv(c->fd, data, sizeof data, 0);
    uint32_t length;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN ? 0 : -1;
    if (n == 0) return -1;
    hc_buffer_add(&c->in, data, (size_t)n);
    if (c->in.failed) return -1;
    if (c->in.size < 4) continue;
    length = (uint32_t)(uint8_t)c->in.data[0] << 24 | (uint32_t)(uint8_t)c->in.data[1] << 16 |
             (uint32_t)(uint8_t)c->in.data[2] << 8 | (uint32_t)(uint8_t)c->in.data[3];
    if (length > HC_WIRE_MOST) return -1;
    if (c->in.size - 4 >= length) return 1;
  }
}

static void letter_event(vdaemon *d, connection *c, uint32_t events)
{
  if (c->is_connecting) {
    int wrong = 0;
    socklen_t size = sizeof wrong;
    (void)getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &wrong, &size);
    if (wrong != 0 || (events & EPOLLERR)) {
      lose_letter(d, c);
      return;
    }
    c->is_connecting = false;
  }
  if (c->sent < c->out.size) {
    const int r = write_on(c);
    if (r < 0) lose_letter(d, c);
    if (r <= 0) return;
    if (!hc_vletter_is_answered(&c->letter)) {
      close_connection(d, c);
      return;
    }
    wait_for(d, c, EPOLLIN);
    return;
  }
  switch (read_on(c)) {
    case 1: close_connection(d, c); break; /* the answer says nothing that would be acted upon */
    case -1: lose_letter(d, c); break;
    default: break;
  }
}

static void served_event(vdaemon *d, connection *c)
{
  if (c->out.size == 0) {
    hc_error e = {0};
    const int r = read_on(c);
    if (r < 0) close_connection(d, c);
    if (r <= 0) return;
    if (hc_vnodes_hear(&d->nodes, (const uint8_t *)c->in.data + 4, c->in.size - 4, hc_clock_now(&d->clock),
                       &c->out, &e) < 0) {
      complain(d, e.text[0] ? e.text : "out of memory");
      close_connection(d, c);
      return;
    }
    wait_for(d, c, EPOLLOUT);
  }
  if (write_on(c) != 0) close_connection(d, c);
}

static void accept_all(vdaemon *d)
{
  for (;;) {
    const int fd = d->serving < SERVING ? accept4(d->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;
    if (fd < 0) return;
    if (open_connection(d, fd, EPOLLIN)) d->serving++;
  }
}

/* Peers that say nothing, so that they do not hold a place for ever. */
static void drop_silent(vdaemon *d, hc_time now)
{
  for (uint32_t i = 0; i < SENDING + SERVING; i++) {
    connection *c = &d->all[i];
    if (c->fd < 0 || now - c->last < PATIENCE) continue;
    if (c->is_letter) lose_letter(d, c);
    else close_connection(d, c);
  }
}

/* ---- the loop ---- */

static int wait_ms(const vdaemon *d, hc_time now, hc_time due)
{
  const bool waits = d->nodes.letter_at < d->nodes.letter_count && d->sending < SENDING;
  hc_time until = now + (d->o->clock ? LOOK : HC_SECOND / 2);
  if (due != HC_NEVER)
    until = HC_MIN(until, now + hc_clock_real(&d->clock, HC_MAX(due - hc_clock_now(&d->clock), 0)));
  if (waits) until = HC_MIN(until, d->resume);
  return until <= now ? 0 : (int)((until - now + 999999) / 1000000);
}

/* Say when something is to happen next, if that has changed. */
static void tell_next(vdaemon *d)
{
  const hc_time at = hc_clock_now(&d->clock), next = hc_vnodes_next(&d->nodes, at);
  const hc_time said = next <= at ? 1 : next; /* now */
  if (said == d->next) return;
  if (hc_clock_tell(d->next_path, said) < 0)
    complain(d, "it cannot be written when something is to happen next");
  d->next = said;
}

static hc_rc serve(vdaemon *d, hc_error *e)
{
  hc_time swept = steady();
  while (!d->o->stopped || !d->o->stopped()) {
    struct epoll_event events[EVENTS];
    hc_time now = steady();
    hc_time due;
    int n;
    hc_clock_read(&d->clock);
    due = hc_vnodes_tick(&d->nodes, hc_clock_now(&d->clock));
    send_letters(d, now);
    if (d->o->clock) tell_next(d);
    n = epoll_wait(d->poll, events, EVENTS, wait_ms(d, now, due));
    if (n < 0 && errno != EINTR) return io_fail(e, "waiting for messages");
    for (int i = 0; i < n; i++) {
      const uint32_t at = events[i].data.u32;
      if (at == LISTENER) {
        accept_all(d);
        continue;
      }
      if (d->all[at].fd < 0) continue;
      d->all[at].last = now;
      if (d->all[at].is_letter) letter_event(d, &d->all[at], events[i].events);
      else served_event(d, &d->all[at]);
    }
    now = steady();
    if (now - swept > PATIENCE / 4) {
      drop_silent(d, now);
      swept = now;
    }
  }
  return 0;
}

static hc_rc listen_on(vdaemon *d, hc_error *e)
{
  const struct sockaddr_in at = {
      .sin_family = AF_INET, .sin_port = htons(d->o->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event ev = {.events = EPOLLIN, .data.u32 = LISTENER};
  const int yes = 1;
  d->poll = epoll_create1(EPOLL_CLOEXEC);
  d->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (d->poll < 0 || d->listener < 0) return io_fail(e, "no socket");
  (void)setsockopt(d->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(d->listener, (const struct sockaddr *)&at, sizeof at) != 0)
    return hc_fail(e, HC_EIO, "nodes", 0, 0, "port %u of 127.0.0.1 cannot be had: %s; name another one",
                   d->o->port, strerror(errno));
  if (listen(d->listener, 4096) != 0 || epoll_ctl(d->poll, EPOLL_CTL_ADD, d->listener, &ev) != 0)
    return io_fail(e, "listening");
  return 0;
}

static hc_rc begin(vdaemon *d, const hc_allocator *a, hc_error *e)
{
  const uint32_t count = SENDING + SERVING;
  d->all = hc_alloc(a, count * sizeof *d->all);
  if (!d->all) return hc_fail(e, HC_ENOMEM, "nodes", 0, 0, "out of memory");
  for (uint32_t i = 0; i < count; i++) {
    d->all[i].fd = -1;
    d->all[i].next_free = i + 1 < count ? i + 1 : NO_ONE;
    hc_buffer_init(&d->all[i].in, a);
    hc_buffer_init(&d->all[i].out, a);
  }
  hc_buffer_init(&d->body, a);
  TRY(listen_on(d, e));
  return hc_vnodes_register(&d->nodes, hc_clock_now(&d->clock)) < 0
             ? hc_fail(e, HC_ENOMEM, "nodes", 0, 0, "out of memory")
             : 0;
}

hc_rc hc_vdaemon_run(const hc_allocator *a, const hc_vdaemon_options *o, int ready, hc_error *e)
{
  vdaemon d = {.o = o, .poll = -1, .listener = -1};
  hc_vnodes_options nodes = o->nodes;
  hc_rc rc;
  d.clock = (hc_clock){.speed = o->speed, .path = o->clock};
  hc_clock_read(&d.clock);
  if (o->clock) (void)snprintf(d.next_path, sizeof d.next_path, "%.4000s.next", o->clock);
  nodes.speed = 1; /* they are told the time by that clock */
  nodes.again = (hc_time)(20e9 * o->speed);
  rc = hc_vnodes_init(&d.nodes, a, &nodes, e);
  if (rc >= 0) rc = begin(&d, a, e);
  if (rc >= 0 && ready >= 0) {
    if (write(ready, "1", 1) != 1) complain(&d, "who started the nodes is gone");
    (void)close(ready);
  }
  if (rc >= 0) rc = serve(&d, e);
  if (rc >= 0)
    (void)fprintf(stderr, "nodes: %" PRIu64 " jobs launched, %" PRIu64 " ended, %" PRIu64 " killed\n",
                  d.nodes.launched, d.nodes.ended, d.nodes.killed);
  for (uint32_t i = 0; d.all && i < SENDING + SERVING; i++) {
    if (d.all[i].fd >= 0) (void)close(d.all[i].fd);
    hc_buffer_fini(&d.all[i].in);
    hc_buffer_fini(&d.all[i].out);
  }
  hc_free(a, d.all, d.all ? (SENDING + SERVING) * sizeof *d.all : 0);
  hc_buffer_fini(&d.body);
  if (d.poll >= 0) (void)close(d.poll);
  if (d.listener >= 0) (void)close(d.listener);
  hc_vnodes_fini(&d.nodes);
  return rc;
}
