/* test_filesystems.c -- files, disks beyond the network, stripes and staging, through whole runs: ends that
 * are drawn by hand, in one piece and saved and restored after each instant; DSLab's vectors of disks and
 * file systems as tasks; what is refused and where it says so. */
#include "scarce_test.h"
#include "tasks_test.h"

#include "hindcast/profile.h"

#define CELL \
  "cell: {use: hosts, classes: [{name_prefix: c, count: 4, cpus: 4}, " \
  "{name_prefix: s, count: 2, memory: 1GB}]}\n"
#define WITH(network, ...) \
  "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: " #network "}, " \
  "disks: [" __VA_ARGS__ "]}\n"
#define DISK "read_bandwidth: 100, write_bandwidth: 50"
#define REMOTE "{at: s-0, mount: /r, " DISK ", capacity: 10000}"
#define STRIPED(more) "{use: striped, servers: 's-[0-1]', mount: /pfs, " DISK more "}"
#define AT(id, at, host, profile) \
  "- {id: " #id ", submit_time: " #at ", hosts: " host \
  ", resources: {nodes_count: 1, cpu_per_node: 1}, profile: " profile "}\n"
#define READ(path, size) "{file_read: {path: " path ", size: " #size "}}"
#define WRITE(path, size) "{file_write: {path: " path ", size: " #size "}}"
#define DELETE(path) "{file_delete: {path: " path "}}"

static const hc_component *const own_profiles[4];
static const setting here = {.cell = CELL, .extra = own_profiles};

/* ---- over the network ---- */

/* 1000 of a disk of 100 over cables of 40: 25, for the network is the slower. Two hosts share the disk's
 * host's cable. Written are 200: 4 on the disk, 5 on the way. What is no file is read at a place, too. */
static void test_remote(void **state)
{
  (void)state;
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)), WITH(40, REMOTE), 25);
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)), WITH(400, REMOTE), 10);
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)) AT(2, 0, "c-1", READ("/r/", 1000)), WITH(40, REMOTE), 50, 50);
  ENDS(AT(1, 0, "c-0", WRITE("/r/", 200)) AT(2, 0, "c-1", READ("/r/", 400)), WITH(40, REMOTE), 5, 10);
  /* Without a mount it is the disk of each of them. */
  ENDS(ON(1, 0, 2, 4, "{disk_ops: {read_size: 1000}}"), WITH(40, "{hosts: c, at: s-0, " DISK "}"), 50);
  /* On the disk's own host nothing goes over the network. */
  ENDS(AT(1, 0, "c-0", READ("/x/", 1000)) AT(2, 50, "c-1", READ("/x/", 1000)),
       WITH(40, "{at: c-0, mount: /x, " DISK "}"), 10, 75);
}

/* One rate of disk and network. Alone it is the slower of the two: 1000 over 40 in 25 s, over 400 at the
 * disk's 100 in 10. Two readers of a disk of 100, one of which has a cable of 10: it gets 10 and the other
 * 90, which ends at 1000 / 90; apart from each other they would halve the disk, and the other end at 20.
 * With a third, on a fast cable too, these two get 45 each: 1000 / 45. A reader on the disk's own host
 * shares the disk alone. What is written goes the other way, over the disk's other direction. Read are 400
 * at a quarter of a share: 1600 of the disk's work at 100, of which each carries a quarter of a byte: the
 * cable of 10 would carry 40. */
static void test_one_rate(void **state)
{
#define ONE_RATE "{at: s-0, mount: /r, one_rate: true, " DISK ", capacity: 10000}"
#define CABLES(...) CABLES_BY("", __VA_ARGS__)
#define CABLES_BY(more, ...) \
  "execution: {use: activities, cpu_speed: 1" more ", network: {use: graph, connections: [" \
  "{from: c-0, to: x, bandwidth: 10}, {from: c-1, to: x, bandwidth: 1000}, " \
  "{from: c-2, to: x, bandwidth: 1000}, {from: c-3, to: x, bandwidth: 20}, " \
  "{from: s-0, to: x, bandwidth: 1000}, {from: s-1, to: x, bandwidth: 1000}]}, " \
  "disks: [" __VA_ARGS__ "]}\n"
  (void)state;
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)), WITH(40, ONE_RATE), 25);
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)), WITH(400, ONE_RATE), 10);
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)) AT(2, 0, "c-1", READ("/r/", 1000)), CABLES(ONE_RATE), 100,
       1000.0 / 90);
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)) AT(2, 0, "c-1", READ("/r/", 1000)), CABLES(REMOTE), 100, 20);
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)) AT(2, 0, "c-1", READ("/r/", 1000))
           AT(3, 0, "c-2", READ("/r/", 1000)),
       CABLES(ONE_RATE), 100, 1000.0 / 45, 1000.0 / 45);
  ENDS(AT(1, 0, "c-0", READ("/x/", 1000)) AT(2, 0, "c-1", READ("/x/", 1000)),
       CABLES("{at: c-1, mount: /x, one_rate: true, " DISK "}"), 100, 1000.0 / 90);
  ENDS(AT(1, 0, "c-0", WRITE("/r/", 100)) AT(2, 0, "c-1", WRITE("/r/", 400))
           AT(3, 0, "c-2", READ("/r/", 100)),
       CABLES(ONE_RATE), 10, 10, 1);
  ENDS(AT(1, 0, "c-0", "{file_read: {path: /r/, size: 400, factor: 0.25}}"), CABLES(ONE_RATE), 40);
  ENDS(AT(1, 0, "c-0", "{file_read: {path: /r/, size: 400, factor: 0.05}}"), CABLES(ONE_RATE), 80);
}

/* The same with what else there is. A transfer of 1000 from c-1 to c-3, whose cable is 20, leaves a read
 * there half of it: 10 each, and the disk's other reader 90. A bandwidth by number: 100 for one, 60 for two:
 * 10 and 50. Of two stripes each has its own rate: 500 each, that of s-0 shared with a reader there. Files:
 * what is read is there, and a stop leaves the whole bytes that were written. */
static void test_one_rate_meets(void **state)
{
  (void)state;
  ENDS("- {id: 1, submit_time: 0, hosts: [c-1, c-3], resources: {nodes_count: 2, cpu_per_node: 1}, "
       "profile: {communication_matrix: [0, 1000, 0, 0]}}\n" AT(2, 0, "c-3", READ("/r/", 1000))
           AT(3, 0, "c-2", READ("/r/", 900)),
       CABLES(ONE_RATE), 100, 100, 10);
  ENDS(AT(1, 0, "c-0", READ("/b/", 1000)) AT(2, 0, "c-1", READ("/b/", 500)),
       CABLES("{at: s-0, mount: /b, one_rate: true, read_by: [100, 60], write_bandwidth: 1}"), 100, 10);
  ENDS(AT(1, 0, "c-1", READ("/pfs/", 1000)), CABLES(STRIPED(", one_rate: true")), 5);
  ENDS(AT(1, 0, "c-0", READ("/pfs/", 1000)) AT(2, 0, "c-1", READ("/pfs/", 950)),
       CABLES(STRIPED(", one_rate: true")), 100, 5);
  ENDS(AT(1, 0, "c-1", "{sequence: [" WRITE("/r/f", 400) ", " READ("/r/f", 400) "]}"), CABLES(ONE_RATE), 12);
  ENDS(AT(1, 0, "c-1", READ("/r/f", 1)), CABLES(ONE_RATE), -0.0);
  /* By SimGrid's rule for parallel tasks a disk is a resource like any other. */
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)) AT(2, 0, "c-1", READ("/r/", 1000)),
       CABLES_BY(", sharing: bottleneck", ONE_RATE), 100, 1000.0 / 90);
  ENDS(AT(1, 0, "c-0", READ("/b/", 1000)) AT(2, 0, "c-1", READ("/b/", 500)),
       CABLES_BY(", sharing: bottleneck",
                 "{at: s-0, mount: /b, one_rate: true, read_by: [100, 60], write_bandwidth: 1}"),
       100, 10);
  /* In turns of 3 s: both stand still. */
  ENDS(ON(1, 0, 4, 4, READ("/r/", 300)) ON(2, 0, 4, 4, READ("/r/", 300)),
       "policy: {use: gang, quantum: 4s}\n" WITH(1000, ONE_RATE), 20, 24);
}

static void test_one_rate_refused(void **state)
{
  static const struct {
    const char *yaml, *what;
  } cases[] = {
      {WITH(40, "{one_rate: true, " DISK "}"), "reach over the network"},
      {WITH(40, "{use: striped, one_rate: true, " DISK "}"), "reach over the network"},
      {WITH(40, "{at: s-0, one_rate: true, reads: 1, " DISK "}"),
       "all that is read and written goes on at once"},
      {"execution: {use: activities, disks: [{at: s-0, one_rate: true, " DISK "}]}\n",
       "of a disk and a network"},
      {"execution: {use: activities, network: {use: star, bandwidth: 1, factors: lv08}, "
       "disks: [{at: s-0, one_rate: true, " DISK "}]}\n",
       "by their latencies"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    char file[64];
    bench b;
    assert_true(try_tasks(&b, file, AT(1, 0, "c-0", "{idle: 1}"), cases[i].yaml) < 0);
    if (!strstr(b.error.text, cases[i].what)) fail_msg("%s: %s", cases[i].yaml, b.error.text);
    end(&b);
    (void)unlink(file);
  }
}

/* 1000 on two disks of 100: 500 each, 5. Four hosts at once: 2000 on each disk, 20. Their own cables of 100
 * carry 1000 in 10, and the servers' four times 500 in 20. By one stripe each the two processes of a task
 * read from one server each: 10; a third shares one: 20. */
static void test_stripes(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 1, 1, READ("/pfs/", 1000)), WITH(1000, STRIPED("")), 5);
  ENDS(ON(1, 0, 4, 1, READ("/pfs/", 1000)), WITH(1000, STRIPED("")), 20);
  ENDS(ON(1, 0, 1, 1, READ("/pfs/", 1000)), WITH(100, STRIPED("")), 10);
  ENDS(ON(1, 0, 2, 1, READ("/pfs/", 1000)), WITH(1000, STRIPED(", stripes: 1")), 10);
  ENDS(ON(1, 0, 3, 1, READ("/pfs/", 1000)), WITH(1000, STRIPED(", stripes: 1")), 20);
  /* Two disks a server: 250 on each of four. Without servers: the same without the network. */
  ENDS(ON(1, 0, 1, 1, READ("/pfs/", 1000)), WITH(1000, STRIPED(", disks: 2")), 2.5);
  ENDS(ON(1, 0, 1, 1, READ("/pfs/", 1000)), WITH(1, "{use: striped, disks: 4, mount: /pfs, " DISK "}"), 2.5);
  /* In turns of 3 s, of which each takes what it needs for itself: disks and links stand still. */
  ENDS(ON(1, 0, 4, 4, READ("/pfs/", 300)) ON(2, 0, 4, 4, READ("/pfs/", 300)),
       "policy: {use: gang, quantum: 4s}\n" WITH(1000, STRIPED("")), 10, 12);
}

/* Room is that of each disk: 2 x 500. 1 has 600 until 22; so 2 fails at once; 3 finds room after it. */
static void test_room(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 1, 1, "{sequence: [" WRITE("/pfs/", 600) ", {idle: 16}]}") ON(2, 5, 1, 1, WRITE("/pfs/", 500))
           ON(3, 30, 1, 1, WRITE("/pfs/", 1000)) ON(4, 60, 1, 1, WRITE("/pfs/", 1001))
               ON(5, 70, 1, 1, READ("/pfs/", 1001)),
       WITH(1000, STRIPED(", capacity: 500")), 22, -5, 40, -60, -70);
  ENDS(ON(1, 0, 1, 1, WRITE("/pfs/", 600)) ON(2, 30, 1, 1, WRITE("/pfs/", 600)),
       WITH(1000, STRIPED(", capacity: 500, kept: always")), 6, -30);
  /* As the hosts' own disk, and given back: a half of each stripe. */
  ENDS(ON(1, 0, 1, 1, "{sequence: [{disk_ops: {write_size: 600}}, {disk_ops: {discard_size: 300}}]}")
           ON(2, 30, 1, 1, "{disk_ops: {write_size: 701}}") ON(3, 40, 1, 1, "{disk_ops: {write_size: 700}}"),
       WITH(1000, "{use: striped, servers: 's-[0-1]', " DISK ", capacity: 500, kept: always}"), 6, -30, 47);
}

/* ---- over the disks of all hosts of a task ---- */

#define WIDE(more) "{hosts: c, wide: true, mount: /bb, " DISK more "}"
#define OF_ROOT "{file_read: {path: /bb/, size: 1000, processes: [0]}}"

/* S bytes of each of n hosts are S / n on each disk for each of them, S of it in all: as long as with the
 * host's own disk. Of one host alone it is S / n, and n times as fast; a total of S / n each, too. Where two
 * read, 1000 and 2000, each disk gives 250 and 500. Its own disk alone needs no network. */
static void test_wide(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 4, 1, READ("/bb/", 1000)), WITH(1000, WIDE("")), 10);
  ENDS(ON(1, 0, 4, 1, WRITE("/bb/", 1000)), WITH(1000, WIDE("")), 20);
  ENDS(ON(1, 0, 4, 1, OF_ROOT), WITH(1000, WIDE("")), 2.5);
  ENDS(ON(1, 0, 4, 1, READ("/bb/", 1000 / num_hosts)), WITH(1000, WIDE("")), 2.5);
  ENDS(ON(1, 0, 4, 1, "{parallel: [" OF_ROOT ", {file_read: {path: /bb/, size: 2000, processes: [1]}}]}"),
       WITH(1000, WIDE("")), 7.5);
  ENDS(ON(1, 0, 1, 1, READ("/bb/", 1000)), "execution: {use: activities, disks: [" WIDE("") "]}\n", 10);
  /* Three quarters of it come over the host's cable, or go. Without a mount it is the same. */
  ENDS(ON(1, 0, 4, 1, OF_ROOT), WITH(40, WIDE("")), 750 / 40.0);
  ENDS(ON(1, 0, 4, 1, "{file_write: {path: /bb/, size: 1000, processes: [2]}}"), WITH(40, WIDE("")),
       750 / 40.0);
  ENDS(ON(1, 0, 4, 1, "{disk_ops: {processes: [3], read_size: 1000}}"),
       WITH(40, "{hosts: c, wide: true, " DISK "}"), 750 / 40.0);
  /* At one rate: 40 / 3 on each of three disks, which leave the rest of them to another task. */
  ENDS(ON(1, 0, 4, 1, OF_ROOT) AT(2, 0, "c-1", READ("/bb/", 200)), WITH(40, WIDE(", one_rate: true")),
       750 / 40.0, 200 / (100 - 40 / 3.0));
  /* In turns of 3 s. */
  ENDS(ON(1, 0, 4, 4, READ("/bb/", 300)) ON(2, 0, 4, 4, READ("/bb/", 300)),
       "policy: {use: gang, quantum: 4s}\n" WITH(1000, WIDE("")), 3, 6);
}

/* Of 250 on each disk 1 has all until 25: 2 fails, 3 comes after 1, and 4 wants too much. What a task gives
 * back it may write again, on each disk, and without that there is no room. Of one that is killed after 2 s
 * of 5 nothing stays: the next needs all of the room. */
static void test_wide_room(void **state)
{
#define PUT(size) "{file_write: {path: /bb/, size: " #size ", processes: [0]}}"
#define OPS(what) "{disk_ops: {processes: [1], " what "}}"
  const char *disks = WITH(1000, WIDE(", capacity: 250"));
  (void)state;
  ENDS(ON(1, 0, 4, 1, "{sequence: [" PUT(1000) ", {idle: 20}]}") ON(2, 6, 4, 1, PUT(4))
           ON(3, 30, 4, 1, PUT(1000)) ON(4, 60, 4, 1, PUT(1001)),
       disks, 25, -6, 35, -60);
  ENDS(ON(1, 0, 2, 1,
          "{sequence: [" OPS("write_size: 500") ", " OPS("discard_size: 500") ", " OPS(
              "write_size: 500") "]}"),
       WITH(1000, "{hosts: c, wide: true, capacity: 250, " DISK "}"), 10);
  ENDS(ON(1, 0, 2, 1, "{sequence: [" OPS("write_size: 500") ", " OPS("write_size: 2") "]}"),
       WITH(1000, "{hosts: c, wide: true, capacity: 250, " DISK "}"), -5);
  ENDS("- {id: 1, submit_time: 0, wall_time_limit: 2, resources: {nodes_count: 4, cpu_per_node: 1}, "
       "profile: " PUT(1000) "}\n" ON(2, 10, 4, 1, PUT(1000)),
       disks, 2, 15);
}

/* ---- files ---- */

/* 1 writes by 10; 2 reads what it wrote on another host; 3 wants more than there is; 4 reads all after 5 has
 * appended 100; 6 deletes it and 7 finds nothing. Space that files take stays, whatever tasks end. */
static void test_files(void **state)
{
  const char *tasks = AT(1, 0, "c-0", WRITE("/pfs/a/x", 1000)) AT(2, 20, "c-1", READ("/pfs/a/x", 400))
      AT(3, 30, "c-2", READ("/pfs/a/x", 1001)) AT(4, 50, "c-3", "{file_read: {path: /pfs/a/x}}")
          AT(5, 40, "c-1", WRITE("/pfs/a/x", 100)) AT(6, 60, "c-1", DELETE("/pfs/a/x"))
              AT(7, 70, "c-1", READ("/pfs/a/x", 1)) AT(8, 80, "c-1", DELETE("/pfs/a/x"));
  (void)state;
  ENDS(tasks, WITH(1000, STRIPED("")), 10, 22, -30, 55.5, 41, 60, -70, -80);
  /* By one stripe, on one disk: twice as long, so that 4 still reads what 6 wants to delete. */
  ENDS(tasks, WITH(1000, STRIPED(", stripes: 1")), 20, 24, -30, 61, 42, -60, 70.01, 80);
}

/* A file per process, and per task; on disks of their own a file is where it was written. */
static void test_names(void **state)
{
#define OWN_DISKS WITH(1000, "{hosts: c, mount: /tmp, " DISK ", capacity: 1000}")
  (void)state;
  ENDS(AT(1, 0, "c-0", WRITE("'/tmp/{task}.{process}'", 100)) AT(2, 10, "c-0", READ("/tmp/1.0", 100))
           AT(3, 20, "c-1", READ("/tmp/1.0", 100)) ON(4, 30, 4, 1, WRITE("'/tmp/y{process}'", 100))
               AT(5, 40, "c-2", READ("/tmp/y2", 100)) AT(6, 50, "c-2", READ("/tmp/y1", 100)),
       OWN_DISKS, 2, 11, -20, 32, 41, -50);
  /* What is deleted while it is written stays, and so does what is read. */
  ENDS(AT(1, 0, "c-0", WRITE("/tmp/x", 500)) AT(2, 5, "c-0", DELETE("/tmp/x"))
           AT(3, 15, "c-0", DELETE("/tmp/x")) AT(4, 20, "c-0", WRITE("/tmp/x", 1000))
               AT(5, 50, "c-0", WRITE("/tmp/z", 1)),
       OWN_DISKS, 10, -5, 15, 40, -50);
}

/* Files that are there from the beginning take space. Of two mounts the longer has a path. */
static void test_there(void **state)
{
  const char *yaml =
      WITH(1000, "{hosts: c, mount: /data, " DISK
                 ", capacity: 1000, files: [in=800, /more/in=100B]}, {at: s-0, mount: /data/more, "
                 "read_bandwidth: 10, write_bandwidth: 10, files: [in=100]}");
  (void)state;
  ENDS(AT(1, 0, "c-0", "{file_read: {path: /data/in}}") AT(2, 0, "c-1", WRITE("/data/x", 100))
           AT(3, 0, "c-2", WRITE("/data/x", 101)) AT(4, 0, "c-3", "{file_read: {path: /data/more/in}}"),
       yaml, 8, 2, -0.0, 10);
}

/* Stage in: 1000 from the parallel file system to a node's own disk of 20: 50, for that is the slowest; then
 * 500 of it are read there at 40, and 100 staged out at 100 / (2 x 50). A shared burst buffer: both go
 * through the host's cable of 100, one in and one out. */
static void test_staging(void **state)
{
#define BURST \
  "{hosts: c, mount: /bb, read_bandwidth: 40, write_bandwidth: 20}, " \
  "{use: striped, servers: 's-[0-1]', mount: /pfs, " DISK ", files: [in=1000]}"
  (void)state;
  ENDS(ON(1, 0, 1, 1,
          "{sequence: [{file_copy: {from: /pfs/in, to: /bb/in}}, " READ("/bb/in", 500) ", " WRITE(
              "/bb/out", 100) ", {file_copy: {from: /bb/out, to: /pfs/out}}, " DELETE("/bb/in") "]}")
           ON(2, 100, 1, 1, READ("/pfs/out", 100)),
       WITH(1000, BURST), 50 + 12.5 + 5 + 2.5, 100.5);
  ENDS(ON(1, 0, 1, 1, "{file_copy: {from: /pfs/in, to: /bb/in}}"),
       WITH(100, "{use: striped, servers: s-0, mount: /bb, read_bandwidth: 500, write_bandwidth: 500}, "
                 "{use: striped, servers: s-1, mount: /pfs, read_bandwidth: 500, write_bandwidth: 500, "
                 "files: [in=1000]}"),
       10);
  ENDS(ON(1, 0, 1, 1, "{file_copy: {from: /pfs/none, to: /bb/in}}"), WITH(1000, BURST), -0.0);
}

/* At 4 the host of 2 goes, and all that it reads with it: 1 has the disk and the cable of the server for
 * itself from then on. Both have 50 of 100 until 4, then 1 its last 800 at 100. What 2 had written is gone:
 * 3 finds 1000 of 1000. */
static void test_stopped(void **state)
{
  const char *yaml =
      "host_loss: lost\nevents: {use: list, changes: [{at: 4, hosts: c-1, change: down}]}\n" WITH(
          1000, "{at: s-0, mount: /r, read_bandwidth: 100, write_bandwidth: 100, capacity: 1000}");
  (void)state;
  ENDS(AT(1, 0, "c-0", READ("/r/", 1000)) AT(2, 0, "c-1", READ("/r/", 1000)), yaml, 12, 4);
  ENDS(AT(1, 0, "c-0", WRITE("/r/", 500)) AT(2, 0, "c-1", WRITE("/r/", 500))
           AT(3, 20, "c-2", WRITE("/r/", 1000)),
       yaml, 7, 4, 30);
  /* Of a file its bytes stay: 200 of 2's, so that 800 find room, and no more. */
  ENDS(AT(1, 0, "c-0", WRITE("/r/", 500)) AT(2, 0, "c-1", WRITE("/r/x", 500))
           AT(3, 20, "c-2", WRITE("/r/", 801)) AT(4, 20, "c-2", WRITE("/r/", 800))
               AT(5, 30, "c-0", "{file_read: {path: /r/x}}"),
       yaml, 7, 4, -20, 28, 32);
}

/* ---- DSLab's vectors, as tasks and as profiles of the test's own ---- */

#define V(...) \
  "execution: {use: activities, disks: [{read_bandwidth: 100, write_bandwidth: 100, " \
  "capacity: 100" __VA_ARGS__ "}]}\n"
#define DR(n) "{disk_ops: {read_size: " #n "}}"
#define DW(n) "{disk_ops: {write_size: " #n "}}"
#define ONE "cell: {use: hosts, classes: [{name_prefix: c, count: 1, cpus: 8}]}\n"

/* V24 to V27. */
static void test_vectors(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 1, 1, DW(2)) ON(2, 0, 1, 1, "{sequence: [{idle: 0.02}, " DR(2) "]}")
           ON(3, 0, 1, 1, "{sequence: [{idle: 0.04}, " DR(1) "]}"),
       ONE V(), 0.02, 0.04, 0.05);
  ENDS(ON(1, 0, 1, 1, DR(101)) ON(2, 1, 1, 1, DW(101))
           ON(3, 2, 1, 1, "{sequence: [" DW(99) ", {disk_ops: {discard_size: 100}}]}")
               ON(4, 4, 1, 1, "{sequence: [" DW(99) ", {disk_ops: {discard_size: 99}}, " DW(99) "]}"),
       ONE V(), -0.0, -1, -2.99, 5.98);
  ENDS(ON(1, 0, 1, 1, DW(50)) ON(2, 0, 1, 1, DR(100)) ON(3, 0, 1, 1, DW(50)) ON(4, 0, 1, 1, DR(100)),
       ONE V(", operations: 1, kept: always"), 0.5, 1.5, 2, 3);
  ENDS(ON(1, 0, 1, 1, DW(50)) ON(2, 0, 1, 1, DR(100)) ON(3, 0, 1, 1, DW(50)) ON(4, 0, 1, 1, DR(100)),
       ONE V(", reads: 1, writes: 1, kept: always"), 0.5, 1, 1, 2);
}

typedef struct none {
  int64_t unused;
} none;

static void at(const hc_profile *p, uint32_t tag, hc_act_end how, double seconds)
{
  const double off = (double)p->calls->now(p) - seconds * 1e9;
  if (p->ended.tag != tag || p->ended.how != how || off < -1e6 || off > 1e6)
    fail_msg("%u has ended as %d at %.9f, not %u as %d at %.9f", p->ended.tag, p->ended.how,
             (double)p->calls->now(p) / 1e9, tag, how, seconds);
}

#define UNTIL(time) \
  (void)hc_profile_sleep(p, (time)-p->calls->now(p), 99); \
  HC_WAIT_ANY(p)

/* V28: capacity 300, read 150, write 125. */
static hc_rc v28(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  (void)p->calls->write(p, 0, 100, 1);
  HC_WAIT_ANY(p);
  at(p, 1, HC_ACT_OK, 0.8);
  UNTIL(HC_SECOND);
  (void)p->calls->write(p, 0, 50, 2);
  (void)p->calls->write(p, 0, 50, 3);
  HC_WAIT_ANY(p);
  at(p, 2, HC_ACT_OK, 1.8);
  HC_WAIT_ANY(p);
  at(p, 3, HC_ACT_OK, 1.8);
  UNTIL(2 * HC_SECOND);
  (void)p->calls->read(p, 0, 200, 4);
  UNTIL(3 * HC_SECOND);
  (void)p->calls->read(p, 0, 200, 5);
  HC_WAIT_ANY(p);
  at(p, 4, HC_ACT_OK, 3 + 2.0 / 3);
  UNTIL(4 * HC_SECOND);
  (void)p->calls->write(p, 0, 101, 6);
  HC_WAIT_ANY(p);
  at(p, 6, HC_ACT_FAILED, 4);
  HC_WAIT_ANY(p);
  at(p, 5, HC_ACT_OK, 4 + 2.0 / 3);
  UNTIL(5 * HC_SECOND);
  (void)p->calls->read(p, 0, 301, 7);
  HC_WAIT_ANY(p);
  at(p, 7, HC_ACT_FAILED, 5);
  UNTIL(6 * HC_SECOND);
  assert_true(p->calls->discard(p, 0, 1));
  (void)p->calls->write(p, 0, 101, 8);
  HC_WAIT_ANY(p);
  at(p, 8, HC_ACT_OK, 6.808);
  p->failures = 0;
  HC_PROFILE_END(p);
}

static hc_act file(hc_profile *p, const char *path, hc_file_does does, double bytes, uint32_t tag)
{
  return p->calls->file(p, 0, &(hc_file_io){.path = path, .bytes = bytes, .does = does}, tag);
}

/* V29: files on two disks; one that is written is not deleted, and is when that is over. */
static hc_rc v29(hc_profile *p)
{
  HC_PROFILE_BEGIN(p);
  (void)file(p, "/a/f", HC_FILE_WRITES, 2, 1);
  (void)file(p, "/b/g", HC_FILE_WRITES, 3, 2);
  (void)file(p, "/b/g", HC_FILE_DELETES, 0, 3);
  HC_WAIT_ANY(p);
  at(p, 3, HC_ACT_FAILED, 0);
  HC_WAIT_ANY(p);
  at(p, 1, HC_ACT_OK, 0.02);
  HC_WAIT_ANY(p);
  at(p, 2, HC_ACT_OK, 0.03);
  assert_true(p->calls->file_size(p, 0, "/a/f") == 2 && p->calls->file_size(p, 0, "/b/g") == 3);
  (void)file(p, "/b/g", HC_FILE_DELETES, 0, 4);
  HC_WAIT_ANY(p);
  at(p, 4, HC_ACT_OK, 0.03);
  assert_true(p->calls->file_size(p, 0, "/b/g") < 0);
  (void)file(p, "/b/h", HC_FILE_WRITES, 100, 5);
  HC_WAIT_ANY(p);
  (void)file(p, "/a/h", HC_FILE_WRITES, 99, 6);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.how, HC_ACT_FAILED);
  p->failures = 0;
  HC_PROFILE_END(p);
}

/* It has no patience: what it has read of two disks over the network is stopped at 3, by hand; and what it
 * writes when its process is released. */
static hc_rc stops(hc_profile *p)
{
  uint64_t *s = p->state;
  HC_PROFILE_BEGIN(p);
  s[0] = file(p, "/pfs/", HC_FILE_READS, 1000, 1);
  HC_WAIT_ALL_FOR(p, 3 * HC_SECOND);
  assert_true(p->timed_out && p->active == 1);
  p->calls->cancel(p, s[0]);
  (void)file(p, "/pfs/x", HC_FILE_WRITES, 500, 2);
  HC_WAIT_ALL_FOR(p, HC_SECOND);
  assert_true(p->timed_out);
  p->calls->release(p, 0);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.tag, 2);
  assert_int_equal(p->ended.how, HC_ACT_CANCELLED);
  (void)file(p, "/pfs/x", HC_FILE_READS, 1, 3);
  HC_WAIT_ANY(p);
  assert_int_equal(p->ended.how, HC_ACT_FAILED);
  p->failures = 0;
  HC_PROFILE_END(p);
}

#define OWN(function) \
  static const hc_profile_type own_##function = { \
      .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = #function, \
                    .summary = "of the test", .options_size = sizeof(none)}, \
      .state_size = 8, \
      .resume = function}
OWN(v28);
OWN(v29);
OWN(stops);
static const hc_component *const own_profiles[4] = {&own_v28.component, &own_v29.component,
                                                    &own_stops.component, NULL};

/* 2 has a half of each disk until 3, 150 of 500, and all of it then. Of what was stopped 100 are in the file:
 * 50 on each disk in a second. */
static void test_calls(void **state)
{
  (void)state;
  ENDS(ON(1, 0, 1, 1, "v28"),
       ONE
       "execution: {use: activities, disks: [{read_bandwidth: 150, write_bandwidth: 125, capacity: 300}]}\n",
       6.808);
  ENDS(ON(1, 0, 1, 1, "v29"),
       ONE "execution: {use: activities, disks: [{read_bandwidth: 100, write_bandwidth: 100, capacity: 100, "
           "mount: "
           "/a}, {read_bandwidth: 100, write_bandwidth: 100, capacity: 100, mount: /b}]}\n",
       1.03);
  ENDS(AT(1, 0, "c-0", "stops") AT(2, 0, "c-1", READ("/pfs/", 1000))
           AT(3, 10, "c-1", "{sequence: [" READ("/pfs/x", 100) ", " READ("/pfs/x", 101) "]}"),
       WITH(1000, STRIPED("")), 4, 6.5, -10.5);
}

/* ---- disks of a platform ---- */

static const char platform[] =
    "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
    "<host id=\"a\" speed=\"1Gf\" core=\"4\">\n"
    "<disk id=\"d1\" read_bw=\"100Bps\" write_bw=\"50Bps\"><prop id=\"size\" value=\"1000B\"/>"
    "<prop id=\"mount\" value=\"/nfs\"/></disk>\n"
    "<disk id=\"d2\" read_bw=\"200Bps\" write_bw=\"100Bps\"/>\n"
    "<disk id=\"d3\" read_bw=\"10Bps\" write_bw=\"10Bps\"/></host>\n"
    "<host id=\"b\" speed=\"1Gf\" core=\"4\"><prop id=\"remote_disk\" value=\"/far:d1:a\"/></host>\n"
    "<link id=\"l\" bandwidth=\"40Bps\" latency=\"0s\"/>\n"
    "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\n</zone></platform>\n";

static void with_platform(const char *tasks, size_t count, const double *ends)
{
  char file[64], yaml[1024];
  write_log(file, platform, strlen(platform));
  (void)snprintf(yaml, sizeof yaml,
                 "cell: {use: simgrid, file: %s}\n"
                 "execution: {use: activities, network: {use: simgrid, file: %s, factors: plain}, disks: "
                 "[{use: "
                 "simgrid, file: %s}]}\n",
                 file, file, file);
  assert_ends(tasks, yaml, count, ends);
  (void)unlink(file);
}

/* A disk by its mount, one without, another by its name; and one of another host, which both see: 600 of 1000
 * are taken from afar, so that 500 more find no room and 400 do. */
static void test_platform(void **state)
{
  (void)state;
  with_platform(AT(1, 0, "a", READ("/nfs/", 500)) AT(2, 0, "a", DR(500)) AT(3, 0, "a", READ("/d3/", 50))
                    AT(4, 10, "b", WRITE("/far/x", 600)) AT(5, 30, "a", WRITE("/nfs/y", 500))
                        AT(6, 30, "a", WRITE("/nfs/y", 400)) AT(7, 50, "a", READ("/nfs/x", 600)),
                7, (const double[]){5, 2.5, 5, 25, -30, 38, 56});
}

/* ---- what is refused ---- */

static void refuses(const char *profile, const char *yaml, hc_rc expected, const char *text)
{
  char task[512];
  (void)snprintf(task, sizeof task,
                 "- {id: 7, submit_time: 0, resources: {nodes_count: 2, cpu_per_node: 1}, profile: %s}\n",
                 profile);
  assert_refused(task, yaml, expected, text);
}

static void test_refused(void **state)
{
  const char *one = READ("/r/", 1);
  (void)state;
  refuses(READ("/x/y", 1), WITH(1, REMOTE), HC_EUNSUPPORTED, "/x/y on process 0, and nothing");
  refuses(READ("/rr/y", 1), WITH(1, REMOTE), HC_EUNSUPPORTED,
          "nothing that its host, number 0, has is mounted");
  refuses(READ("r/y", 1), WITH(1, REMOTE), HC_EINPUT, "which is no path");
  refuses(READ("/r//y", 1), WITH(1, REMOTE), HC_EINPUT, "which is no path");
  refuses("{file_read: {size: 1}}", WITH(1, REMOTE), HC_EINPUT, "which is no path");
  refuses("{file_read: {path: /r/, size: 1, processes: [2]}}", WITH(1, REMOTE), HC_EINPUT, "names process 2");
  refuses("{file_write: {path: /r/x, size: -1}}", WITH(1, REMOTE), HC_EUSAGE, "size");
  refuses(one, "execution: {use: activities, disks: [" REMOTE "]}\n", HC_EUNSUPPORTED, "no network");
  refuses(one, WITH(1, "{at: s-9, " DISK "}"), HC_EUSAGE, "no host or class");
  refuses(one, WITH(1, "{at: s, " DISK "}"), HC_EUSAGE, "are several hosts");
  refuses(one, WITH(1, "{mount: r, " DISK "}"), HC_EUSAGE, "is no path");
  refuses(one, WITH(1, "{mount: /r, " DISK "}, {hosts: c-1, mount: /r/, " DISK "}"), HC_EUSAGE,
          "two entries mount something at /r/ on the host c-1");
  refuses(one, WITH(1, "{files: [x=1], " DISK "}"), HC_EUSAGE, "say `mount` too");
  refuses(one, WITH(1, "{mount: /r, files: [x], " DISK "}"), HC_EUSAGE, "\"x\" is no file");
  refuses(one, WITH(1, "{mount: /r, files: [x=-1], " DISK "}"), HC_EUSAGE, "is no file");
  refuses(one, WITH(1, "{mount: /r, files: [x=1, x=2], " DISK "}"), HC_EUSAGE, "there is such a file");
  refuses(one, WITH(1, "{mount: /r, files: [x=2], capacity: 1, " DISK "}"), HC_EUSAGE,
          "its disk has no room");
  refuses(one, WITH(1, STRIPED(", stripes: 3")), HC_EUSAGE, "stripes: there are 2 disks");
  refuses(READ("/bb/y", 1), WITH(1, WIDE("")), HC_EUNSUPPORTED,
          "the file /bb/y, and what lies on the disks of all");
  refuses("{file_delete: {path: /bb/y}}", WITH(1, WIDE("")), HC_EUNSUPPORTED, "the file /bb/y, and");
  refuses(one, WITH(1, "{at: s-0, wide: true, " DISK "}"), HC_EUSAGE, "leave out `at`");
  refuses(one, WITH(1, "{shared: true, wide: true, " DISK "}"), HC_EUSAGE, "leave out `shared`");
  refuses(one, WITH(1, "{wide: true, mount: /r, files: [x=1], " DISK "}"), HC_EUNSUPPORTED, "has no name");
  assert_refused(ON(1, 0, 4, 1, READ("/bb/", 1)),
                 WITH(1, "{hosts: 'c-[0-1]', wide: true, mount: /bb, " DISK "}, "
                         "{hosts: 'c-[2-3]', mount: /bb, " DISK "}"),
                 HC_EUNSUPPORTED, "the disks of all of its hosts (`wide`), and number 2 has none");
  refuses(one, WITH(1, "{use: striped, mount: /x}"), HC_EUSAGE, "needs `read_bandwidth`");
  refuses(one, WITH(1, "{use: simgrid}"), HC_EUSAGE, "simgrid needs `file`");
  refuses(one, WITH(1, "{use: stripd, mount: /x}"), HC_EUSAGE, "did you mean \"striped\"");
}

/* Each allocation of a small run fails once: an error, and nothing is lost. */
static void test_scarce(void **state)
{
  const char *tasks = ON(1, 0, 2, 1, WRITE("'/pfs/{task}.{process}'", 100 / num_hosts))
      ON(2, 0, 1, 1, "{file_copy: {from: /pfs/in, to: /tmp/in}}") ON(3, 0, 1, 1, WRITE("/tmp/", 100));
  char text[1024], file[64];
  (void)state;
  write_log(file, tasks, strlen(tasks));
  (void)snprintf(text, sizeof text, "metrics: []\nsource: {use: native, file: %s}\n%s%s", file, CELL,
                 WITH(100, STRIPED(", files: [in=100]") ", {hosts: c, mount: /tmp, " DISK "}"));
  assert_scarce(text);
  (void)unlink(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_remote),         cmocka_unit_test(test_one_rate),
      cmocka_unit_test(test_one_rate_meets), cmocka_unit_test(test_one_rate_refused),
      cmocka_unit_test(test_stripes),        cmocka_unit_test(test_room),
      cmocka_unit_test(test_wide),           cmocka_unit_test(test_wide_room),
      cmocka_unit_test(test_files),          cmocka_unit_test(test_names),
      cmocka_unit_test(test_there),          cmocka_unit_test(test_staging),
      cmocka_unit_test(test_stopped),        cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_calls),          cmocka_unit_test(test_platform),
      cmocka_unit_test(test_refused),        cmocka_unit_test(test_scarce)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
