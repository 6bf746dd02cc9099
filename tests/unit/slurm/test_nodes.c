/* test_nodes.c -- virtual nodes: messages byte by byte, the life of jobs, and what is taken of a site's
 * slurm.conf.
 *
 * The messages in tests/fuzz/corpus/vnodes are what the slurmctld of Slurm 22.05.8 sent to three nodes n1,
 * n2, n3: `ask` (1001, in an older protocol), `launch` of job 1 on n[1-2], `time_limit` of job 2, and
 * `terminate` of job 1. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "slurm/cluster.h"
#include "slurm/users.h"
#include "slurm/vnodes.h"

typedef struct bytes {
  uint8_t data[4096];
  size_t size;
} bytes;

static bytes recorded(const char *name)
{
  bytes b = {0};
  char path[512];
  FILE *f;
  (void)snprintf(path, sizeof path, HC_TEST_SOURCE_DIR "/tests/fuzz/corpus/vnodes/%s", name);
  f = fopen(path, "rb");
  assert_non_null(f);
  b.size = fread(b.data, 1, sizeof b.data, f);
  (void)fclose(f);
  assert_true(b.size > 0);
  return b;
}

/* ---- bytes ---- */

/* A clean-up of job 258 by n1, put down by hand: the length of what follows, 57; version, flags, type 6012,
 * length of the body 15, no forwarding, no answers, no address; auth/none (100), root, root, "localhost";
 * the body. */
static void test_a_frame_by_hand(void **state)
{
  static const uint8_t wanted[] = {
      0,    0, 0, 57,                                                            /* length */
      0x26, 0, 0, 0,   0x17, 0x7c, 0,   0,   0,   15,  0,   0,   0,   0,   0, 0, /* header */
      0,    0, 0, 100, 0,    0,    0,   0,   0,   0,   0,   0,                   /* whose */
      0,    0, 0, 10,  'l',  'o',  'c', 'a', 'l', 'h', 'o', 's', 't', 0,         /* */
      0,    0, 1, 2,   0,    0,    0,   0,   0,   0,   0,   3,   'n', '1', 0};   /* body */
  hc_buffer body, out;
  hc_wire_message m;
  (void)state;
  hc_buffer_init(&body, hc_default_allocator());
  hc_buffer_init(&out, hc_default_allocator());
  hc_wire_put_clean(&body, 258, "n1");
  hc_wire_frame(&out, HC_WIRE_CLEAN, &body, NULL, 0);
  assert_int_equal(out.size, sizeof wanted);
  assert_memory_equal(out.data, wanted, sizeof wanted);
  /* what was packed is unpacked */
  assert_int_equal(hc_wire_open((const uint8_t *)out.data + 4, out.size - 4, &m, NULL), 0);
  assert_int_equal(m.type, HC_WIRE_CLEAN);
  assert_int_equal(hc_wire_u32(&m.body), 258);
  assert_int_equal(hc_wire_u32(&m.body), 0);
  assert_string_equal(hc_wire_text(&m.body), "n1");
  assert_false(m.body.is_short);
  assert_ptr_equal(m.body.at, m.body.end);
  hc_buffer_fini(&body);
  hc_buffer_fini(&out);
}

static void test_recorded_messages(void **state)
{
  bytes b = recorded("launch");
  hc_wire_message m;
  hc_wire_launch l;
  uint32_t job = 0;
  (void)state;
  assert_int_equal(hc_wire_open(b.data, b.size, &m, NULL), 0);
  assert_int_equal(m.type, HC_WIRE_LAUNCH);
  assert_int_equal(hc_wire_read_launch(&m, &l, NULL), 0);
  assert_int_equal(l.job, 1);
  assert_int_equal(l.uid, 0);
  assert_string_equal(l.nodes, "n[1-2]");
  assert_string_equal(
      l.script,
      "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n#HINDCAST run=100 end=completed\n");
  b = recorded("time_limit");
  assert_int_equal(hc_wire_open(b.data, b.size, &m, NULL), 0);
  assert_int_equal(m.type, HC_WIRE_TIME_LIMIT);
  assert_int_equal(hc_wire_read_kill(&m, &job, NULL), 0);
  assert_int_equal(job, 2);
  b = recorded("ask");
  assert_int_equal(hc_wire_open(b.data, b.size, &m, NULL), 0);
  assert_int_equal(m.version, 0x2400);
  assert_int_equal(m.type, HC_WIRE_ASK_REGISTRATION);
}

/* Cut anywhere, a message is refused, and the bytes behind the cut are not read (they are not there). */
static void test_cut_messages(void **state)
{
  static const char *const names[] = {"ask", "launch", "terminate", "time_limit"};
  (void)state;
  for (size_t k = 0; k < HC_ARRAY_LEN(names); k++) {
    const bytes b = recorded(names[k]);
    for (size_t n = 0; n < b.size; n++) {
      uint8_t *copy = malloc(n + 1);
      hc_wire_message m;
      hc_error e = {0};
      assert_non_null(copy);
      memcpy(copy, b.data, n);
      assert_int_equal(hc_wire_open(copy, n, &m, &e), HC_EINPUT);
      assert_true(e.text[0]);
      free(copy);
    }
  }
}

static void test_other_releases(void **state)
{
  bytes b = recorded("launch");
  hc_wire_message m;
  hc_error e = {0};
  (void)state;
  b.data[0] = 0x27;
  assert_int_equal(hc_wire_open(b.data, b.size, &m, &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "0x2700"));
  b.data[0] = 0x26;
  b.data[19] = 101; /* another kind of credential */
  e = (hc_error){0};
  assert_int_equal(hc_wire_open(b.data, b.size, &m, &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "auth/none"));
}

/* ---- jobs ---- */

static void test_what_a_script_asks_for(void **state)
{
  static const struct {
    const char *script;
    int64_t ms;
    hc_vend end;
    int code;
  } cases[] = {
      {"#!/bin/sh\n#HINDCAST run=12.5 end=failed exit=3\n", 12500, HC_VEND_FAILED, 3},
      {"#HINDCAST run=0 end=cancelled", 0, HC_VEND_CANCELLED, 1},
      {"#HINDCAST run=7", 7000, HC_VEND_COMPLETED, 1},
      {"#HINDCAST run=7 end=never\n", 7000, HC_VEND_NEVER, 1},
      {"#HINDCAST end=failed\n", 1000, HC_VEND_COMPLETED, 1}, /* no run time: as if there were no line */
      {"#HINDCAST run=-1 end=failed\n", 1000, HC_VEND_COMPLETED, 1}, /* nor is this one */
      {"#HINDCAST run=1e300\n", 1000, HC_VEND_COMPLETED, 1},
      {"#HINDCAST run=2 end=later\n", 1000, HC_VEND_COMPLETED, 1},
      {"#HINDCAST run=2 end=failed exit=0\n", 1000, HC_VEND_COMPLETED, 1},
      {"echo #HINDCAST run=2\n", 1000, HC_VEND_COMPLETED, 1}, /* not at the beginning of a line */
      {"", 1000, HC_VEND_COMPLETED, 1},
      {NULL, 1000, HC_VEND_COMPLETED, 1}};
  hc_buffer b;
  hc_vjob_wish w;
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    w = hc_vjob_read(cases[i].script);
    assert_int_equal(w.run, cases[i].ms * (HC_SECOND / 1000));
    assert_int_equal(w.end, cases[i].end);
    assert_int_equal(w.exit, cases[i].code);
  }
  hc_buffer_init(&b, hc_default_allocator());
  hc_vjob_write(&b, &(hc_vjob_wish){.run = 90 * HC_SECOND + HC_SECOND / 2, .end = HC_VEND_OUT_OF_MEMORY});
  assert_string_equal(b.data, "#HINDCAST run=90.5 end=out_of_memory exit=1\n");
  hc_buffer_fini(&b);
}

typedef struct bench {
  hc_vnodes v;
  hc_buffer answer;
} bench;

static void begin(bench *b, bool epilog)
{
  const hc_vnodes_options o = {
      .names = "n[1-3]", .cpus = 4, .memory = 1000, .speed = 10, .epilog = epilog, .since = 5};
  hc_buffer_init(&b->answer, hc_default_allocator());
  assert_int_equal(hc_vnodes_init(&b->v, hc_default_allocator(), &o, NULL), 0);
}

static void end(bench *b)
{
  hc_buffer_fini(&b->answer);
  hc_vnodes_fini(&b->v);
}

/* @return the code of the answer, or what it is if it is not one */
static uint32_t say(bench *b, const char *name, hc_time now)
{
  const bytes m = recorded(name);
  hc_wire_message answer;
  b->answer.size = 0;
  assert_int_equal(hc_vnodes_hear(&b->v, m.data, m.size, now, &b->answer, NULL), 0);
  assert_int_equal(hc_wire_open((const uint8_t *)b->answer.data + 4, b->answer.size - 4, &answer, NULL), 0);
  return answer.type == HC_WIRE_CODE ? hc_wire_u32(&answer.body) : answer.type;
}

static int letters(bench *b, int kind)
{
  hc_vletter l;
  int n = 0;
  while (hc_vnodes_take(&b->v, &l)) {
    assert_int_equal(l.kind, kind);
    n++;
  }
  return n;
}

/* Job 1 runs 100 s of a clock that is ten times as fast: from 5 s to 15 s here. Then its nodes are free at
 * once (4002). */
static void test_a_job_ends(void **state)
{
  bench b;
  hc_vletter l;
  (void)state;
  begin(&b, false);
  assert_int_equal(say(&b, "launch", 5 * HC_SECOND), 0);
  assert_int_equal(hc_vnodes_tick(&b.v, 14 * HC_SECOND), 15 * HC_SECOND);
  assert_false(hc_vnodes_take(&b.v, &l));
  assert_int_equal(hc_vnodes_tick(&b.v, 15 * HC_SECOND), HC_NEVER);
  assert_true(hc_vnodes_take(&b.v, &l));
  assert_int_equal(l.kind, HC_VLETTER_ENDED);
  assert_int_equal(l.job, 1);
  assert_int_equal(l.node, 0);
  assert_int_equal(l.status, 0);
  assert_int_equal(say(&b, "terminate", 16 * HC_SECOND), HC_WIRE_ALREADY_COMPLETE);
  assert_int_equal(letters(&b, HC_VLETTER_CLEAN), 0);
  assert_int_equal(b.v.count, 1); /* one message for each of its two nodes */
  assert_int_equal(say(&b, "terminate", 16 * HC_SECOND), HC_WIRE_ALREADY_COMPLETE);
  assert_int_equal(b.v.count, 0);
  end(&b);
}

/* Ended from outside, or where there is an epilog, both nodes say that they are clean, once. */
static void test_a_job_is_ended(void **state)
{
  bench b;
  (void)state;
  for (int epilog = 0; epilog < 2; epilog++) {
    begin(&b, epilog);
    assert_int_equal(say(&b, "launch", 0), 0);
    if (epilog) {
      (void)hc_vnodes_tick(&b.v, HC_MINUTE);
      assert_int_equal(letters(&b, HC_VLETTER_ENDED), 1);
    }
    assert_int_equal(say(&b, "terminate", HC_MINUTE), 0);
    assert_int_equal(letters(&b, HC_VLETTER_CLEAN), 2);
    assert_int_equal(say(&b, "terminate", HC_MINUTE), 0);
    assert_int_equal(letters(&b, HC_VLETTER_CLEAN), 0);
    assert_int_equal(hc_vnodes_tick(&b.v, HC_HOUR), HC_NEVER);
    assert_int_equal(letters(&b, HC_VLETTER_ENDED), 0);
    assert_int_equal(b.v.killed, !epilog);
    end(&b);
  }
}

/* An epilog of 30 s of the jobs' clock, which is ten times as fast: both nodes are clean 3 s after they were
 * told that the job is over, and until then it is known to be on them. */
static void test_an_epilog_takes_time(void **state)
{
  bench b;
  (void)state;
  begin(&b, true);
  b.v.o.epilog_takes = 30 * HC_SECOND;
  assert_int_equal(say(&b, "launch", 0), 0);
  (void)hc_vnodes_tick(&b.v, HC_MINUTE);
  assert_int_equal(letters(&b, HC_VLETTER_ENDED), 1);
  assert_int_equal(say(&b, "terminate", HC_MINUTE), 0);
  assert_int_equal(say(&b, "terminate", HC_MINUTE), 0);
  assert_int_equal(letters(&b, HC_VLETTER_CLEAN), 0);
  assert_int_equal(b.v.count, 1);
  assert_int_equal(hc_vnodes_next(&b.v, HC_MINUTE), HC_MINUTE + 3 * HC_SECOND);
  assert_int_equal(hc_vnodes_tick(&b.v, HC_MINUTE + 2 * HC_SECOND), HC_MINUTE + 3 * HC_SECOND);
  assert_int_equal(letters(&b, HC_VLETTER_CLEAN), 0);
  assert_int_equal(hc_vnodes_tick(&b.v, HC_MINUTE + 3 * HC_SECOND), HC_NEVER);
  assert_int_equal(letters(&b, HC_VLETTER_CLEAN), 2);
  assert_int_equal(b.v.count, 0);
  end(&b);
}

/* What a clock may be moved to: the end of job 1 at 15 s; nothing while its end is on its way to slurmctld
 * and until that has ended it there. */
static void test_what_happens_next(void **state)
{
  bench b;
  (void)state;
  begin(&b, false);
  assert_int_equal(hc_vnodes_next(&b.v, HC_SECOND), HC_NEVER);
  (void)say(&b, "launch", 5 * HC_SECOND);
  assert_int_equal(hc_vnodes_next(&b.v, 6 * HC_SECOND), 15 * HC_SECOND);
  (void)hc_vnodes_tick(&b.v, 15 * HC_SECOND);
  assert_int_equal(hc_vnodes_next(&b.v, 16 * HC_SECOND), 16 * HC_SECOND);
  assert_int_equal(letters(&b, HC_VLETTER_ENDED), 1);
  assert_int_equal(hc_vnodes_next(&b.v, 17 * HC_SECOND), 17 * HC_SECOND);
  (void)say(&b, "terminate", 18 * HC_SECOND);
  (void)say(&b, "terminate", 18 * HC_SECOND);
  assert_int_equal(hc_vnodes_next(&b.v, 18 * HC_SECOND), HC_NEVER);
  end(&b);
}

static void test_a_job_that_is_not_known(void **state)
{
  bench b;
  (void)state;
  begin(&b, true);
  assert_int_equal(say(&b, "time_limit", 0), HC_WIRE_ALREADY_COMPLETE);
  assert_int_equal(letters(&b, HC_VLETTER_CLEAN), 0);
  end(&b);
}

/* Launched again under its number, it is another attempt: the first one's end is forgotten. */
static void test_a_job_is_requeued(void **state)
{
  bench b;
  (void)state;
  begin(&b, false);
  (void)say(&b, "launch", 0);
  (void)say(&b, "launch", 4 * HC_SECOND);
  assert_int_equal(b.v.count, 1);
  assert_int_equal(hc_vnodes_tick(&b.v, 10 * HC_SECOND), 14 * HC_SECOND);
  end(&b);
}

static void test_registration(void **state)
{
  bench b;
  hc_buffer body, frame;
  hc_vletter l;
  hc_wire_message m;
  (void)state;
  begin(&b, false);
  hc_buffer_init(&body, hc_default_allocator());
  hc_buffer_init(&frame, hc_default_allocator());
  assert_int_equal(say(&b, "ask", 0), HC_WIRE_PONG);
  assert_int_equal(say(&b, "ask", 0),
                   HC_WIRE_PONG); /* asked on behalf of another node: they are on their way */
  assert_true(hc_vnodes_take(&b.v, &l));
  hc_vnodes_write(&b.v, &l, 77, &body, &frame);
  assert_int_equal(hc_wire_open((const uint8_t *)frame.data + 4, frame.size - 4, &m, NULL), 0);
  assert_int_equal(m.type, HC_WIRE_REGISTRATION);
  assert_int_equal(hc_wire_u64(&m.body), 77);
  assert_int_equal(hc_wire_u64(&m.body), 5);
  hc_wire_skip(&m.body, 4 + 4 + 4);
  assert_string_equal(hc_wire_text(&m.body), "n1");
  assert_int_equal(letters(&b, HC_VLETTER_REGISTRATION), 2);
  assert_int_equal(say(&b, "ask", 10 * HC_SECOND), HC_WIRE_PONG);
  assert_int_equal(letters(&b, HC_VLETTER_REGISTRATION), 0);
  assert_int_equal(say(&b, "ask", HC_MINUTE), HC_WIRE_PONG);
  assert_int_equal(letters(&b, HC_VLETTER_REGISTRATION), 3);
  hc_buffer_fini(&body);
  hc_buffer_fini(&frame);
  end(&b);
}

/* A ping that is forwarded to n[2-3] is answered for both, each with the body of the first: u32 load, u64
 * memory. */
static void test_forwarding(void **state)
{
  static const uint8_t header[] = {0x26, 0,   0,   0,   0x03, 0xf0, 0, 0, 0, 0,  0, 2,  0, 0, 0, 7, 'n',
                                   '[',  '2', '-', '3', ']',  0,    0, 0, 0, 10, 0, 50, 0, 0, 0, 0, 0,
                                   0,    0,   100, 0,   0,    0,    0, 0, 0, 0,  0, 0,  0, 0, 0};
  uint8_t other[sizeof header];
  bench b;
  hc_wire_reader r;
  hc_error e = {0};
  (void)state;
  begin(&b, false);
  assert_int_equal(hc_vnodes_hear(&b.v, header, sizeof header, 0, &b.answer, NULL), 0);
  r = (hc_wire_reader){.at = (const uint8_t *)b.answer.data + 4 + 12,
                       .end = (const uint8_t *)b.answer.data + b.answer.size};
  assert_int_equal(hc_wire_u16(&r), 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(hc_wire_u32(&r), 0);
    assert_int_equal(hc_wire_u16(&r), HC_WIRE_PONG);
    assert_string_equal(hc_wire_text(&r), i ? "n3" : "n2");
    hc_wire_skip(&r, 4 + 8);
  }
  assert_int_equal(hc_wire_u16(&r), 0);
  assert_false(r.is_short);
  memcpy(other, header, sizeof other);
  other[20] = '9'; /* n[2-9]: some are none of ours */
  b.answer.size = 0;
  assert_int_equal(hc_vnodes_hear(&b.v, other, sizeof other, 0, &b.answer, &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "n4 is none of the nodes"));
  assert_int_equal(b.answer.size, 0);
  end(&b);
}

static void test_names_that_are_refused(void **state)
{
  static const char *const names[] = {"", "n[1-3", "n1,n1", "n[1-70000]"};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++) {
    const hc_vnodes_options o = {.names = names[i], .cpus = 1, .speed = 1};
    hc_vnodes v;
    hc_error e = {0};
    assert_int_equal(hc_vnodes_init(&v, hc_default_allocator(), &o, &e), HC_EUSAGE);
    assert_true(e.text[0]);
    hc_vnodes_fini(&v);
  }
}

/* ---- a site's file ---- */

static void test_what_is_taken_of_a_site(void **state)
{
  static const char conf[] =
      "ClusterName=site\nAuthType=auth/munge\nProlog=/etc/prolog\n"
      "SchedulerParameters=bf_interval=60\nPriorityType=priority/multifactor\n"
      "NodeName=DEFAULT Sockets=2 CoresPerSocket=8 Gres=gpu:2\nNodeName=a[1-2] RealMemory=64000\n"
      "PartitionName=batch Nodes=ALL AllowGroups=staff MaxTime=60\n";
  char path[] = "conf_XXXXXX";
  const int fd = mkstemp(path);
  hc_buffer b[4];
  int64_t cpus = 0;
  (void)state;
  assert_true(fd >= 0);
  assert_int_equal(write(fd, conf, sizeof conf - 1), sizeof conf - 1);
  (void)close(fd);
  for (int i = 0; i < 4; i++) hc_buffer_init(&b[i], hc_default_allocator());
  assert_int_equal(
      hc_cluster_take_conf(hc_default_allocator(), path, "h", 99, &b[0], &b[1], &b[2], &cpus, &b[3], NULL),
      0);
  assert_string_equal(
      b[0].data, "PriorityType=priority/multifactor\n"
                 "NodeName=DEFAULT Sockets=2 CoresPerSocket=8 \n"
                 "NodeName=a[1-2] RealMemory=64000 NodeHostname=h NodeAddr=127.0.0.1 Port=99 State=UNKNOWN\n"
                 "PartitionName=batch Nodes=ALL MaxTime=60 \n");
  assert_string_equal(b[1].data, "a[1-2]");
  assert_string_equal(b[2].data, "bf_interval=60");
  assert_non_null(strstr(b[3].data, ": ClusterName, AuthType, Prolog, Gres, AllowGroups\n"));
  for (int i = 0; i < 4; i++) hc_buffer_fini(&b[i]);
  (void)unlink(path);
}

/* Nothing is ended where `up` has not been, or where a number is another process's by now: this one's, with
 * another start. */
static void test_clusters_of_others_are_left_alone(void **state)
{
  char directory[] = "cluster_XXXXXX", path[64];
  hc_cluster *c = calloc(1, sizeof *c);
  hc_error e = {0};
  int ended = -1, gone = -1;
  FILE *f;
  (void)state;
  assert_non_null(mkdtemp(directory));
  assert_non_null(c);
  assert_int_equal(hc_cluster_down(hc_default_allocator(), directory, &ended, &gone, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "no other is touched"));
  (void)snprintf(path, sizeof path, "%s/processes", directory);
  f = fopen(path, "w");
  assert_non_null(f);
  (void)fprintf(
      f, "hindcast slurm 1 nodes=1 cpus=1 speed=1 jumps=0 real=0 memory=0\nslurmctld %ld 1\nnodes %ld 1\n",
      (long)getpid(), (long)getppid());
  (void)fclose(f);
  e = (hc_error){0};
  assert_int_equal(hc_cluster_open(hc_default_allocator(), directory, c, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "has ended"));
  assert_int_equal(hc_cluster_down(hc_default_allocator(), directory, &ended, &gone, NULL), 0);
  assert_int_equal(ended, 0);
  assert_int_equal(gone, 2);
  assert_int_equal(access(path, F_OK), -1);
  (void)rmdir(directory);
  free(c);
}

/* ---- pseudo-users ---- */

/* A machine with the users ann (1000), psu2 (20002) and, under a uid of ours, bob (20003). */
static int64_t uid_of(void *ctx, const char *name)
{
  (void)ctx;
  return strcmp(name, "ann") == 0    ? 1000
         : strcmp(name, "psu2") == 0 ? 20002
         : strcmp(name, "bob") == 0  ? 20003
                                     : -1;
}

static bool has_uid(void *ctx, int64_t uid)
{
  (void)ctx;
  return uid == 1000 || uid == 20002 || uid == 20003;
}

static const hc_accounts accounts = {NULL, uid_of, has_uid};

static void test_pseudo_users_are_planned(void **state)
{
  hc_pseudo_users u = {.allocator = hc_default_allocator()};
  hc_error e = {0};
  const char *argv[12];
  char uid[32];
  (void)state;
  assert_int_equal(hc_pseudo_plan(&u, 3, "u", 20001, &accounts, NULL), 0);
  assert_string_equal(u.items[2].name, "u3");
  assert_int_equal(u.items[0].uid, 20001);
  assert_int_equal(u.items[1].uid, 20004); /* 20002 and 20003 are taken */
  assert_int_equal(u.items[2].uid, 20005);
  hc_pseudo_command(&u.items[1], true, argv, uid);
  assert_string_equal(argv[0], "useradd");
  assert_string_equal(argv[8], "20004");
  assert_string_equal(argv[9], "u2");
  assert_null(argv[10]);
  hc_pseudo_command(&u.items[1], false, argv, uid);
  assert_string_equal(argv[0], "userdel");
  assert_string_equal(argv[1], "u2");
  assert_null(argv[2]);
  hc_pseudo_fini(&u);
  assert_int_equal(hc_pseudo_plan(&u, 2, "psu", 20001, &accounts, &e),
                   HC_EUSAGE); /* psu2 is there, and not of a list */
  assert_non_null(strstr(e.text, "psu2"));
  hc_pseudo_fini(&u);
  assert_int_equal(hc_pseudo_plan(&u, 1, "u", 19999, &accounts, NULL), HC_EUSAGE);
  hc_pseudo_fini(&u);
  assert_int_equal(hc_pseudo_plan(&u, 1, "u;rm", 20001, &accounts, NULL), HC_EUSAGE);
  hc_pseudo_fini(&u);
}

static void test_only_pseudo_users_are_deleted(void **state)
{
  static const struct {
    hc_pseudo_user user;
    hc_rc may;
  } cases[] = {{{"psu2", 20002}, 1},        /* as it was made */
               {{"psu9", 20009}, 0},        /* gone */
               {{"bob", 20001}, HC_EUSAGE}, /* another one by now */
               {{"ann", 1000}, HC_EUSAGE}}; /* never one of ours */
  static const char *const wrong[] = {
      "ann:1000\n",         "root:0\n", "psu1\n",     "psu1:20001\npsu1:20002\n",
      "a:20001\nb:20001\n", "psu1:x\n", "-r:20001\n", "psu1:70000\n"};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++)
    assert_int_equal(hc_pseudo_may_delete(&cases[i].user, &accounts, NULL), cases[i].may);
  for (size_t i = 0; i < HC_ARRAY_LEN(wrong); i++) {
    char path[] = "users_XXXXXX";
    const int fd = mkstemp(path);
    hc_pseudo_users u;
    hc_error e = {0};
    assert_true(fd >= 0);
    assert_int_equal(write(fd, wrong[i], strlen(wrong[i])), strlen(wrong[i]));
    (void)close(fd);
    assert_int_equal(hc_pseudo_read(hc_default_allocator(), path, &u, &e), HC_EINPUT);
    assert_true(e.line > 0);
    hc_pseudo_fini(&u);
    (void)unlink(path);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_frame_by_hand),
      cmocka_unit_test(test_recorded_messages),
      cmocka_unit_test(test_cut_messages),
      cmocka_unit_test(test_other_releases),
      cmocka_unit_test(test_what_a_script_asks_for),
      cmocka_unit_test(test_a_job_ends),
      cmocka_unit_test(test_a_job_is_ended),
      cmocka_unit_test(test_an_epilog_takes_time),
      cmocka_unit_test(test_what_happens_next),
      cmocka_unit_test(test_a_job_that_is_not_known),
      cmocka_unit_test(test_a_job_is_requeued),
      cmocka_unit_test(test_registration),
      cmocka_unit_test(test_forwarding),
      cmocka_unit_test(test_names_that_are_refused),
      cmocka_unit_test(test_what_is_taken_of_a_site),
      cmocka_unit_test(test_clusters_of_others_are_left_alone),
      cmocka_unit_test(test_pseudo_users_are_planned),
      cmocka_unit_test(test_only_pseudo_users_are_deleted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
