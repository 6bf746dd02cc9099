/* test_disk.c -- disks and files: DSLab's reference vectors V24 to V29, limits, orders, factors, suspension,
 * cancellation, and that a disk in the middle of it is a value.
 *
 * Each case is a list of what is done at which time, and what comes of it, played twice: as it is, and with
 * the disks saved and loaded into others after each step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/state.h"
#include "base/util.h"
#include "execution/filesystem.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OPS 16

typedef struct bench {
  const hc_allocator *a;
  hc_disks *s;
  hc_filesystem *fs, *other; /* may be NULL */
  hc_disk_facts facts;
  uint32_t disks;
  uint32_t op[OPS]; /* of tag i */
  double end[OPS];  /* s; -1: not ended */
  size_t order[OPS], ended;
  hc_time now;
  bool in_pieces;
} bench;

/* Whole bytes: exactly. */
static void assert_same(double is, double should)
{
  if (is < should || is > should) fail_msg("%f, not %f", is, should);
}

static hc_disk_facts plain(double capacity, double reading, double writing)
{
  return (hc_disk_facts){.capacity = capacity, .lanes = {{.bandwidth = reading}, {.bandwidth = writing}}};
}

static void open(bench *b, const hc_disk_facts *facts, uint32_t disks, bool in_pieces)
{
  *b = (bench){.a = hc_default_allocator(), .facts = *facts, .disks = disks, .in_pieces = in_pieces};
  for (int i = 0; i < OPS; i++) b->end[i] = -1;
  assert_int_equal(hc_disks_new(b->a, &b->s), 0);
  for (uint32_t i = 0; i < disks; i++) {
    uint32_t id;
    assert_int_equal(hc_disks_add(b->s, facts, &id), 0);
    assert_int_equal(id, i);
  }
}

static void shut(bench *b)
{
  hc_filesystem_free(b->fs);
  hc_filesystem_free(b->other);
  hc_disks_free(b->s);
}

static void hash_of(hc_disks *s, uint64_t out[2])
{
  hc_hash h;
  hc_hash_init(&h);
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_HASH, .hash = &h};
  assert_int_equal(hc_disks_visit(s, &v), 0);
  hc_hash_end(&h, out);
}

/* What there is becomes what was saved of it. */
static void move_disks(bench *b)
{
  hc_buffer out;
  hc_disks *fresh;
  uint64_t was[2], is[2];
  hc_buffer_init(&out, b->a);
  hc_visitor save = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = b->a, .out = &out};
  assert_int_equal(hc_disks_visit(b->s, &save), 0);
  hash_of(b->s, was);
  assert_int_equal(hc_disks_new(b->a, &fresh), 0);
  for (uint32_t i = 0, id; i < b->disks; i++) assert_int_equal(hc_disks_add(fresh, &b->facts, &id), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = b->a,
                     .in = (const uint8_t *)out.data,
                     .left = out.size};
  assert_int_equal(hc_disks_visit(fresh, &load), 0);
  assert_int_equal(load.left, 0);
  hash_of(fresh, is);
  assert_memory_equal(was, is, sizeof was);
  hc_disks_free(b->s);
  b->s = fresh;
  hc_buffer_fini(&out);
}

static void maybe_move(bench *b)
{
  if (b->in_pieces && !b->fs) move_disks(b);
}

static hc_time at_s(double s)
{
  return (hc_time)(s * 1e9 + 0.5);
}

/* Go to a time, in s; below 0: until nothing is left. */
static void go_to(bench *b, double s)
{
  hc_disk_end end;
  for (;;) {
    hc_time next;
    assert_int_equal(hc_disks_next(b->s, &next), 0);
    if (next == HC_NEVER || (s >= 0 && next > at_s(s))) break;
    b->now = next;
    while (hc_disks_advance(b->s, next, &end) == 1) {
      assert_true(end.tag < OPS && b->op[end.tag] == end.op);
      b->end[end.tag] = (double)next / 1e9;
      b->order[b->ended++] = (size_t)end.tag;
      if (b->fs) (void)hc_filesystem_ended(b->fs, &end);
      maybe_move(b);
    }
  }
  if (s >= 0) b->now = at_s(s);
  maybe_move(b);
}

static hc_rc begin_with(bench *b, double s, uint64_t tag, hc_disk_way way, double bytes, double factor)
{
  go_to(b, s);
  const hc_disk_request r = {.bytes = bytes, .factor = factor, .tag = tag, .serial = tag, .way = way};
  const hc_rc rc = hc_disk_begin(b->s, b->now, 0, &r, &b->op[tag]);
  maybe_move(b);
  return rc;
}

static hc_rc begin(bench *b, double s, uint64_t tag, hc_disk_way way, double bytes)
{
  return begin_with(b, s, tag, way, bytes, 0);
}
#define READS(s, tag, bytes) assert_int_equal(begin(&b, s, tag, HC_DISK_READ, bytes), 1)
#define WRITES(s, tag, bytes) assert_int_equal(begin(&b, s, tag, HC_DISK_WRITE, bytes), 1)
#define FAILS(s, way, bytes) assert_int_equal(begin(&b, s, OPS - 1, way, bytes), 0)

static void assert_ends(bench *b, size_t count, const double *ends)
{
  go_to(b, -1);
  for (size_t i = 0; i < count; i++)
    if (b->end[i] < ends[i] - 1.5e-9 || b->end[i] > ends[i] + 1.5e-9)
      fail_msg("operation %zu ends at %.9f, not %.9f", i, b->end[i], ends[i]);
}
#define ENDS(...) assert_ends(&b, COUNT(((const double[]){__VA_ARGS__})), (const double[]){__VA_ARGS__})
#define EACH(facts) \
  for (int pieces = 0; pieces < 2; pieces++) \
    for (bool once = (open(&b, (facts), 1, pieces), true); once; once = (shut(&b), false))

/* ---- DSLab's vectors ---- */

/* V24: capacity 100, both bandwidths 100: one after the other 2, 2 and 1 bytes take 0.02, 0.02 and 0.01. */
static void test_simple(void **state)
{
  const hc_disk_facts d = plain(100, 100, 100);
  bench b;
  (void)state;
  EACH(&d)
  {
    WRITES(0, 0, 2);
    READS(0.02, 1, 2);
    READS(0.04, 2, 1);
    ENDS(0.02, 0.04, 0.05);
    assert_same(hc_disk_used(b.s, 0), 2);
  }
}

/* V25: more than there is. */
static void test_room(void **state)
{
  const hc_disk_facts d = plain(100, 100, 100);
  bench b;
  (void)state;
  EACH(&d)
  {
    FAILS(0, HC_DISK_READ, 101);
    FAILS(0, HC_DISK_WRITE, 101);
    WRITES(0, 0, 99);
    go_to(&b, 1);
    assert_int_equal(hc_disk_clear(b.s, 0, 100), HC_EINPUT);
    assert_int_equal(hc_disk_clear(b.s, 0, 99), 0);
    WRITES(1, 1, 99);
    FAILS(1, HC_DISK_WRITE, 2); /* what is being written counts whole */
    ENDS(0.99, 1.99);
    assert_same(hc_disk_used(b.s, 0), 99);
    assert_same(hc_disk_capacity(b.s, 0) - hc_disk_used(b.s, 0), 1);
  }
}

/* V26: one operation at once. V27: one of each kind. */
static void test_limits(void **state)
{
  hc_disk_facts d = plain(1000, 100, 100);
  bench b;
  (void)state;
  d.most = 1;
  EACH(&d)
  {
    WRITES(0, 0, 50);
    READS(0, 1, 100);
    WRITES(0, 2, 50);
    READS(0, 3, 100);
    ENDS(0.5, 1.5, 2, 3);
  }
  d.most = 0;
  d.lanes[HC_DISK_READ].most = d.lanes[HC_DISK_WRITE].most = 1;
  EACH(&d)
  {
    WRITES(0, 0, 50);
    READS(0, 1, 100);
    WRITES(0, 2, 50);
    READS(0, 3, 100);
    ENDS(0.5, 1, 1, 2);
  }
}

/* V28: capacity 300, reading 150, writing 125. 100 bytes alone take 0.8 s; two of 50 share, and take as long.
 * Of two reads of 200 a second apart the first has 150 when the second comes: 50 more at half the bandwidth
 * are 0.6667; the second has 50 by then, and 150 more alone are 1 s. */
static void test_shared(void **state)
{
  const hc_disk_facts d = plain(300, 150, 125);
  bench b;
  (void)state;
  EACH(&d)
  {
    WRITES(0, 0, 100);
    WRITES(1, 1, 50);
    WRITES(1, 2, 50);
    READS(2, 3, 200);
    READS(3, 4, 200);
    FAILS(4, HC_DISK_WRITE, 101);
    assert_same(hc_disk_used(b.s, 0), 200);
    FAILS(5, HC_DISK_READ, 301);
    go_to(&b, 6);
    assert_int_equal(hc_disk_clear(b.s, 0, 1), 0);
    WRITES(6, 5, 101);
    ENDS(0.8, 1.8, 1.8, 2 + 5.0 / 3, 2 + 8.0 / 3, 6.808);
  }
}

/* V8 and V9 on a disk. Below four at once all of 100, from four on half of it: three of 100 take 3 s, four
 * of them 8 s. With factors 0.8 and 0.5 a share is worth less: 160 bytes at 0, 100 at 1, 25 at 2 are 200, 200
 * and 50 of work: at 2 the first has 50 left, as the third has; both are done at 3.5, and 100 are left of the
 * second. */
static void test_throughput(void **state)
{
  static const double by[] = {100, 100, 100, 50};
  hc_disk_facts d = plain(1e6, 100, 100);
  bench b;
  (void)state;
  EACH(&d)
  {
    assert_int_equal(begin_with(&b, 0, 0, HC_DISK_READ, 160, 0.8), 1);
    assert_int_equal(begin_with(&b, 1, 1, HC_DISK_READ, 100, 0.5), 1);
    assert_int_equal(begin_with(&b, 2, 2, HC_DISK_READ, 25, 0.5), 1);
    ENDS(3.5, 4.5, 3.5);
  }
  d.lanes[HC_DISK_READ] = (hc_disk_lane){.by = by, .by_count = COUNT(by)};
  EACH(&d)
  {
    for (uint64_t i = 0; i < 3; i++) READS(0, i, 100);
    for (uint64_t i = 3; i < 7; i++) READS(10, i, 100);
    ENDS(3, 3, 3, 18, 18, 18, 18);
  }
}

/* ---- more ---- */

/* One at once: 30 goes on at once; of 50, 10, 10 that wait the smallest goes on first, of equal ones the
 * earlier. Reads before writes: what is written at 0 waits for the read that comes with it. */
static void test_orders(void **state)
{
  hc_disk_facts d = plain(1e6, 100, 100);
  bench b;
  (void)state;
  d.most = 1;
  d.order = HC_DISK_SMALLEST;
  EACH(&d)
  {
    READS(0, 0, 30);
    WRITES(0, 1, 50);
    WRITES(0, 2, 10);
    READS(0, 3, 10);
    ENDS(0.3, 1, 0.4, 0.5);
  }
  d.order = HC_DISK_READS_FIRST;
  EACH(&d)
  {
    WRITES(0, 0, 30);
    WRITES(0, 1, 50);
    READS(0, 2, 10);
    READS(0.35, 3, 10);
    ENDS(0.3, 1, 0.4, 0.5);
  }
  /* Three at once and one write: a write that waits for the other does not hold up the read behind it. */
  d.order = HC_DISK_FIFO;
  d.most = 3;
  d.lanes[HC_DISK_WRITE].most = 1;
  EACH(&d)
  {
    WRITES(0, 0, 100);
    WRITES(0, 1, 100);
    READS(0, 2, 50);
    ENDS(1, 2, 0.5);
  }
}

/* A write of 100 is stopped when 40 are done: these stay, 60 are free again, and what waited goes on. One
 * that waits is stopped: all of its space is free again. */
static void test_cancel(void **state)
{
  hc_disk_facts d = plain(200, 100, 100);
  double done = -1;
  bench b;
  (void)state;
  d.most = 1;
  EACH(&d)
  {
    WRITES(0, 0, 100);
    WRITES(0, 1, 60);
    WRITES(0, 2, 40);
    FAILS(0, HC_DISK_WRITE, 1);
    go_to(&b, 0.2);
    assert_int_equal(hc_disk_cancel(b.s, b.now, b.op[1], &done), 0);
    assert_same(done, 0);
    go_to(&b, 0.4);
    assert_int_equal(hc_disk_cancel(b.s, b.now, b.op[0], &done), 0);
    assert_same(done, 40);
    assert_int_equal(hc_disk_cancel(b.s, b.now, b.op[0], &done), HC_EINPUT);
    assert_same(hc_disk_used(b.s, 0), 80);
    assert_int_equal(hc_disks_active(b.s), 1);
    ENDS(-1, -1, 0.8);
    assert_int_equal(hc_disks_active(b.s), 0);
  }
}

/* Suspended from 0.5 to 2, the first of two has its share as before and after; meanwhile the other has all. A
 * suspended one keeps its place, and of those that wait one that is suspended is passed over. */
static void test_pause(void **state)
{
  hc_disk_facts d = plain(1e6, 100, 100);
  bench b;
  (void)state;
  EACH(&d)
  {
    READS(0, 0, 100); /* 25 by 0.5, then none until 2; the other ends at 1.25 */
    READS(0, 1, 100);
    go_to(&b, 0.5);
    assert_int_equal(hc_disk_pause(b.s, b.now, b.op[0], true), 0);
    go_to(&b, 2);
    assert_int_equal(hc_disk_pause(b.s, b.now, b.op[0], false), 0);
    ENDS(2.75, 1.25);
  }
  d.most = 1;
  EACH(&d)
  {
    READS(0, 0, 100);
    READS(0, 1, 100);
    READS(0, 2, 100);
    assert_int_equal(hc_disk_pause(b.s, b.now, b.op[1], true), 0);
    go_to(&b, 0.5);
    assert_int_equal(hc_disk_pause(b.s, b.now, b.op[0], true), 0);
    go_to(&b, 1);
    assert_int_equal(hc_disk_pause(b.s, b.now, b.op[0], false), 0); /* 1.5, then the third */
    go_to(&b, 3);
    assert_int_equal(hc_disk_pause(b.s, b.now, b.op[1], false), 0);
    ENDS(1.5, 4, 2.5);
  }
}

/* What there cannot be, and what takes no time. */
static void test_refused(void **state)
{
  const hc_disk_facts d = plain(HC_DISK_FREE, HC_DISK_FREE, 100);
  static const double none[] = {100, 0};
  hc_disk_facts x;
  bench b;
  uint32_t id;
  (void)state;
  EACH(&d)
  {
    READS(1, 0, 1e12);
    WRITES(1, 1, 0);
    ENDS(1, 1);
    assert_int_equal(begin(&b, 2, 2, HC_DISK_READ, -1), HC_EINPUT);
    assert_int_equal(begin_with(&b, 2, 2, HC_DISK_READ, 1, -1), HC_EINPUT);
    assert_int_equal(begin(&b, 2, 2, HC_DISK_READ, HC_DISK_FREE), HC_EINPUT);
    assert_int_equal(hc_disk_begin(b.s, b.now, 1, &(hc_disk_request){.bytes = 1}, &id), HC_EINPUT);
    assert_int_equal(hc_disk_clear(b.s, 1, 0), HC_EINPUT);
    assert_int_equal(hc_disk_pause(b.s, b.now, 7, true), HC_EINPUT);
    x = plain(-1, 1, 1);
    assert_int_equal(hc_disks_add(b.s, &x, &id), HC_EINPUT);
    x = plain(1, 0, 1);
    assert_int_equal(hc_disks_add(b.s, &x, &id), HC_EINPUT);
    x = plain(1, 1, 1);
    x.lanes[1] = (hc_disk_lane){.by = none, .by_count = 2};
    assert_int_equal(hc_disks_add(b.s, &x, &id), HC_EINPUT);
  }
}

/* A snapshot of other disks, and each cut of one. */
static void test_damaged(void **state)
{
  hc_disk_facts d = plain(1000, 100, 100);
  hc_buffer out;
  bench b;
  (void)state;
  d.most = 1;
  open(&b, &d, 1, false);
  READS(0, 0, 100);
  WRITES(0, 1, 100);
  hc_buffer_init(&out, b.a);
  hc_visitor save = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = b.a, .out = &out};
  assert_int_equal(hc_disks_visit(b.s, &save), 0);
  for (size_t i = 0; i < out.size; i++) {
    hc_disks *fresh;
    uint32_t id;
    assert_int_equal(hc_disks_new(b.a, &fresh), 0);
    assert_int_equal(hc_disks_add(fresh, &d, &id), 0);
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = b.a,
                       .in = (const uint8_t *)out.data,
                       .left = i};
    assert_int_equal(hc_disks_visit(fresh, &load), HC_EINPUT);
    hc_disks_free(fresh);
  }
  hc_buffer_fini(&out);
  shut(&b);
}

/* ---- V29: files ---- */

static void open_files(bench *b, uint32_t disks)
{
  const hc_disk_facts d = plain(100, 100, 100);
  open(b, &d, disks, false);
  assert_int_equal(hc_filesystem_new(b->a, b->s, &b->fs), 0);
}

static int file_op(bench *b, const char *path, uint64_t tag, hc_disk_way way, double bytes)
{
  const hc_disk_request r = {.bytes = bytes, .tag = tag, .serial = tag, .way = way};
  return hc_filesystem_begin(b->fs, b->now, path, &r, &b->op[tag]);
}

static double size_of(const bench *b, const char *path)
{
  double bytes = -1;
  (void)hc_filesystem_size(b->fs, path, &bytes);
  return bytes;
}

static void test_files(void **state)
{
  bench b;
  (void)state;
  open_files(&b, 3);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/a/f"), HC_FILE_NOT_MOUNTED);
  assert_int_equal(hc_filesystem_mount(b.fs, "/mnt/a", 0), HC_FILE_OK);
  assert_int_equal(hc_filesystem_mount(b.fs, "/mnt/a/", 1), HC_FILE_MOUNTED);
  assert_int_equal(hc_filesystem_mount(b.fs, "/mnt/b/", 1), HC_FILE_OK);
  assert_int_equal(hc_filesystem_mount(b.fs, "mnt", 1), HC_EINPUT);
  assert_int_equal(hc_filesystem_mount(b.fs, "/mnt/c", 3), HC_EINPUT);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/ab"), HC_FILE_NOT_MOUNTED);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/a/f"), HC_FILE_OK);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/a/f"), HC_FILE_EXISTS);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/b/g"), HC_FILE_OK);
  assert_int_equal(file_op(&b, "/mnt/b/h", 0, HC_DISK_READ, 1), HC_FILE_MISSING);
  assert_int_equal(file_op(&b, "/x", 0, HC_DISK_READ, 1), HC_FILE_NOT_MOUNTED);
  /* 2 and 3 bytes on two disks, at once: 0.02 and 0.03 s. */
  assert_int_equal(file_op(&b, "/mnt/a/f", 0, HC_DISK_WRITE, 2), HC_FILE_OK);
  assert_int_equal(file_op(&b, "/mnt/b/g", 1, HC_DISK_WRITE, 3), HC_FILE_OK);
  assert_int_equal(hc_filesystem_delete(b.fs, "/mnt/a/f"), HC_FILE_BUSY);
  assert_same(size_of(&b, "/mnt/a/f"), 0);
  ENDS(0.02, 0.03);
  assert_same(hc_filesystem_used(b.fs), 5);
  assert_same(size_of(&b, "/mnt/a/f"), 2);
  /* All of it; more than it has; more than the disk has. */
  assert_int_equal(file_op(&b, "/mnt/b/g", 2, HC_DISK_READ, -1), HC_FILE_OK);
  assert_int_equal(file_op(&b, "/mnt/b/g", 3, HC_DISK_READ, 4), HC_FILE_SHORT);
  assert_int_equal(file_op(&b, "/mnt/b/g", 3, HC_DISK_WRITE, 98), HC_FILE_FULL);
  assert_int_equal(hc_filesystem_delete(b.fs, "/mnt/b/g"), HC_FILE_BUSY);
  ENDS(0.02, 0.03, 0.06);
  assert_int_equal(hc_filesystem_unmount(b.fs, "/mnt/b"), HC_FILE_MOUNTED);
  assert_int_equal(hc_filesystem_delete(b.fs, "/mnt/b/g"), HC_FILE_OK);
  assert_int_equal(hc_filesystem_delete(b.fs, "/mnt/b/g"), HC_FILE_MISSING);
  assert_same(hc_filesystem_used(b.fs), 2);
  assert_int_equal(hc_filesystem_unmount(b.fs, "/mnt/b"), HC_FILE_OK);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/b/g"), HC_FILE_NOT_MOUNTED);
  /* The longest mount has it. */
  assert_int_equal(hc_filesystem_mount(b.fs, "/", 2), HC_FILE_OK);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/b/g"), HC_FILE_OK);
  assert_int_equal(hc_filesystem_create(b.fs, "/mnt/a/k"), HC_FILE_OK);
  assert_int_equal(file_op(&b, "/mnt/b/g", 3, HC_DISK_WRITE, 10), HC_FILE_OK);
  assert_same(hc_disk_used(b.s, 2), 10);
  /* Half-way: what has been written is the file's, and no more. */
  go_to(&b, 0.11);
  assert_int_equal(hc_filesystem_cancel(b.fs, b.now, b.op[3]), 0);
  assert_int_equal(hc_filesystem_cancel(b.fs, b.now, b.op[3]), HC_EINPUT);
  assert_same(size_of(&b, "/mnt/b/g"), 5);
  assert_same(hc_disk_used(b.s, 2), 5);
  shut(&b);
}

/* One disk in two file systems: each sees the 4 bytes that the other wrote; a disk that is mounted twice
 * counts once. */
static void test_two_systems(void **state)
{
  bench b;
  (void)state;
  open_files(&b, 1);
  assert_int_equal(hc_filesystem_new(b.a, b.s, &b.other), 0);
  assert_int_equal(hc_filesystem_mount(b.fs, "/one", 0), HC_FILE_OK);
  assert_int_equal(hc_filesystem_mount(b.fs, "/again", 0), HC_FILE_OK);
  assert_int_equal(hc_filesystem_mount(b.other, "/two", 0), HC_FILE_OK);
  assert_int_equal(hc_filesystem_create(b.fs, "/one/f"), HC_FILE_OK);
  assert_int_equal(file_op(&b, "/one/f", 0, HC_DISK_WRITE, 4), HC_FILE_OK);
  ENDS(0.04);
  assert_same(hc_filesystem_used(b.fs), 4);
  assert_same(hc_filesystem_used(b.other), 4);
  assert_int_equal(hc_filesystem_create(b.other, "/one/f"), HC_FILE_NOT_MOUNTED);
  shut(&b);
}

/* Saved while a file is written, and loaded into another: it is busy there too, and as long at the end. */
static void test_files_saved(void **state)
{
  hc_buffer out;
  hc_filesystem *fresh;
  bench b;
  (void)state;
  open_files(&b, 1);
  assert_int_equal(hc_filesystem_mount(b.fs, "/d", 0), HC_FILE_OK);
  assert_int_equal(hc_filesystem_create(b.fs, "/d/f"), HC_FILE_OK);
  assert_int_equal(file_op(&b, "/d/f", 0, HC_DISK_WRITE, 40), HC_FILE_OK);
  hc_buffer_init(&out, b.a);
  hc_visitor save = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = b.a, .out = &out};
  assert_int_equal(hc_filesystem_visit(b.fs, &save), 0);
  for (size_t i = 0; i <= out.size; i++) {
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = b.a,
                       .in = (const uint8_t *)out.data,
                       .left = i};
    assert_int_equal(hc_filesystem_new(b.a, b.s, &fresh), 0);
    assert_int_equal(hc_filesystem_visit(fresh, &load), i < out.size ? HC_EINPUT : 0);
    if (i < out.size) hc_filesystem_free(fresh);
  }
  hc_filesystem_free(b.fs);
  b.fs = fresh;
  assert_int_equal(hc_filesystem_delete(b.fs, "/d/f"), HC_FILE_BUSY);
  ENDS(0.4);
  assert_same(size_of(&b, "/d/f"), 40);
  assert_string_equal(hc_file_answer_text(HC_FILE_BUSY), "it is being read or written");
  hc_buffer_fini(&out);
  shut(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_simple),     cmocka_unit_test(test_room),
                                     cmocka_unit_test(test_limits),     cmocka_unit_test(test_shared),
                                     cmocka_unit_test(test_throughput), cmocka_unit_test(test_orders),
                                     cmocka_unit_test(test_cancel),     cmocka_unit_test(test_pause),
                                     cmocka_unit_test(test_refused),    cmocka_unit_test(test_damaged),
                                     cmocka_unit_test(test_files),      cmocka_unit_test(test_two_systems),
                                     cmocka_unit_test(test_files_saved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
