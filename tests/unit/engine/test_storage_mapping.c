/* test_storage_mapping.c -- what names of storage mean to a task, and input and output beside what it does:
 * ends that follow by hand, in one piece and saved and restored after each instant; what it meets; and
 * errors.
 *
 * All on a star of cables of 10 bytes a second, whose hosts st-0 and st-1 have no cores. */
#include "engine_test.h"

#define CELL \
  "cell: {use: hosts, classes: [{name_prefix: h, count: 4, cpus: 1}, {name_prefix: st, count: 2, memory: " \
  "1GiB}]}\n"
#define ACTS(more) \
  "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 10, duplex: full}" more "}\n"
#define DISKS \
  ", disks: [{hosts: h, mount: /bb, read_bandwidth: 50, write_bandwidth: 20}, {hosts: h, mount: /bb/slow, " \
  "read_bandwidth: 5, write_bandwidth: 2}]"
#define RUN CELL ACTS("") "policy: fcfs\n"
#define ON(id, hosts, profile, more) \
  "- {id: " #id ", submit_time: 0, resources: {nodes_count: " #hosts \
  ", cpu_per_node: 1}, profile: " profile more "}\n"

static hc_rc try_tasks(bench *b, char path[64], const char *tasks, const char *yaml)
{
  char text[2048];
  write_log(path, tasks, strlen(tasks));
  (void)snprintf(text, sizeof text, "paranoid: true\nsource: {use: native, file: %s}\n%s", path, yaml);
  return try_begin(b, text, 8, NULL, 0, NULL);
}

/* Task i + 1 ends at ends[i], seconds. */
static void assert_ends(const char *tasks, const char *yaml, size_t count, const double *ends)
{
  for (int pieces = 0; pieces < 2; pieces++) {
    bench b;
    char path[64];
    check(&b, try_tasks(&b, path, tasks, yaml));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      const double is = r->end == HC_UNKNOWN ? -1 : (double)r->end / 1e9;
      if (is < ends[i] - 1e-6 || is > ends[i] + 1e-6)
        fail_msg("%s%s: task %zu ends at %.9g", tasks, yaml, i + 1, is);
    }
    end(&b);
    (void)unlink(path);
  }
}
#define ENDS(tasks, yaml, ...) \
  assert_ends(tasks, yaml, COUNT(((const double[]){__VA_ARGS__})), (const double[]){__VA_ARGS__})

static void assert_fails(const char *tasks, const char *yaml, const char *part)
{
  bench b;
  char path[64];
  hc_rc rc = try_tasks(&b, path, tasks, yaml);
  if (rc == 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (rc >= 0) fail_msg("%s%s: should fail", tasks, yaml);
  if (!strstr(b.error.text, part)) fail_msg("'%s' lacks '%s'", b.error.text, part);
  end(&b);
  (void)unlink(path);
}

/* ---- what names mean ---- */

#define READS "{exchange: {storage: pfs, read: 500}}"

/* 500 bytes for each of two take 50 from two storage hosts, and 100 from one. */
static void test_hosts(void **state)
{
  (void)state;
  ENDS(ON(1, 1, READS, ", storage_mapping: {pfs: st-0}") ON(2, 1, READS, ", storage_mapping: {pfs: st-1}"),
       RUN, 50, 50);
  ENDS(ON(1, 1, READS, ", storage_mapping: {pfs: st-1}") ON(2, 1, READS, ", storage_mapping: {pfs: st-1}"),
       RUN, 100, 100);
  /* both ends of a staging; from st-0 to st-1 and back at once */
  ENDS(ON(1, 1, "{staging: {from: in, to: out, bytes: 300}}", ", storage_mapping: {in: st-0, out: st-1}")
           ON(2, 1, "{staging: {from: in, to: out, bytes: 300}}", ", storage_mapping: {in: st-1, out: st-0}"),
       RUN, 30, 30);
}

/* Writing 100 bytes takes 5 on /bb and 50 on /bb/slow. The longest label counts, and what lies below it
 * follows; /dat is no label of /data. */
static void test_paths(void **state)
{
#define WRITES(path) "{file_write: {path: " path ", size: 100}}"
  const char *run = CELL ACTS(DISKS) "policy: fcfs\n";
  (void)state;
  ENDS(ON(1, 1, WRITES("/data/x"), ", storage_mapping: {/data: /bb}")
           ON(2, 1, WRITES("/data/x"), ", storage_mapping: {/data: /bb/slow}")
               ON(3, 1, WRITES("/data/x"), ", storage_mapping: {/data: /bb, /data/x: /bb/slow/y}")
                   ON(4, 1, WRITES("/bb/x"), ", storage_mapping: {/bb: /bb/slow}"),
       run, 5, 50, 50, 50);
  ENDS(ON(1, 1,
          "{sequence: [{file_write: {path: /data/x, size: 100}}, {file_copy: {from: /data/x, to: /slow/x}}, "
          "{file_read: /slow/x}, {file_delete: /data/x}]}",
          ", storage_mapping: {/data: /bb, /slow: /bb/slow}"),
       run, 5 + 50 + 20);
  assert_fails(ON(1, 1, WRITES("/dat/x"), ", storage_mapping: {/data: /bb}"), run,
               "nothing that the task does names the storage \"/data\"");
}

/* 4095 bytes are a name, and 4096 are not: where the text of a task says so its place is told, where an inner
 * mapping makes the path its task is. Of a path of 8 bytes below /data ("/" and 7) the label becomes 4087. */
static void test_too_long(void **state)
{
  const char *run = CELL ACTS(DISKS) "policy: fcfs\n";
  (void)state;
  for (int inner = 0; inner < 2; inner++)
    for (size_t n = 4087; n <= 4088; n++) {
      bench b;
      char path[64], *to = malloc(n + 1), *text = malloc(2 * n + 1024);
      memset(to, 'x', n);
      memcpy(to, "/bb/", 4);
      to[n] = '\0';
      (void)sprintf(text, ON(1, 1, "%s%s%s", ", storage_mapping: {/data: %s}"),
                    inner ? "{storage_mapping: {mapping: [/d=/data], profile: " : "",
                    inner ? WRITES("/d/1234567") : WRITES("/data/1234567"), inner ? "}}" : "", to);
      hc_rc rc = try_tasks(&b, path, text, run);
      const bool is_read = rc == 0;
      if (rc == 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
      if (n == 4087) check(&b, rc);
      else {
        assert_int_equal(rc, HC_ELIMIT);
        assert_non_null(strstr(b.error.text, "longer than 4095 bytes: map a longer part of it"));
        assert_int_equal(is_read, inner);
        if (inner) assert_string_equal(b.error.where, "task 1");
        else assert_int_equal(b.error.line, 1);
      }
      end(&b);
      (void)unlink(path);
      free(text);
      free(to);
    }
}

/* What an inner mapping says is a name to the outer one: pfs is a, which is st-1; b stays b. */
static void test_nested(void **state)
{
  (void)state;
  ENDS(ON(1, 1, "{storage_mapping: {mapping: [pfs=a], profile: {sequence: [" READS "]}}}",
          ", storage_mapping: {a: st-1}") ON(2, 1, "{exchange: {storage: st-1, read: 500}}", ""),
       RUN, 100, 100);
  ENDS(ON(1, 1, "{storage_mapping: {mapping: [pfs=st-0], profile: {parallel: [" READS ", " READS "]}}}", ""),
       RUN, 100);
}

/* ---- beside ---- */

/* Computing takes 100, and reading 500 for each of two hosts from one cable 100 as well; less of either is
 * not felt. */
static void test_beside(void **state)
{
#define IO(read) ", additional_io: {exchange: {storage: st-0, read: " #read "}}"
  (void)state;
  ENDS(ON(1, 2, "{compute_homogeneous: 100}", IO(400)), RUN, 100);
  ENDS(ON(1, 2, "{compute_homogeneous: 100}", IO(600)), RUN, 120);
  ENDS(ON(1, 2, "{compute_homogeneous: 100}",
          ", additional_io: {profile: {exchange: {storage: st-0, read: 600}}}"),
       RUN, 120);
  /* a name of storage in both */
  ENDS(ON(1, 2, "{sequence: [{exchange: {storage: pfs, write: 50}}, {idle: 10}]}",
          ", additional_io: {exchange: {storage: pfs, read: 600}}, storage_mapping: {pfs: st-1}"),
       RUN, 120);
  /* a fixed delay as a profile */
  ENDS(ON(1, 2, "{delay: 7}", IO(10)), RUN, 7);
}

/* As one: 150 of work in 150 on two hosts, with 300 read and 10 sent by each. The cable of the storage host
 * is the bottleneck from 750 on; that of a host with 1490 and 10. */
static void test_coupled(void **state)
{
#define BOTH(read, write) \
  ", additional_io: {profile: {exchange: {storage: st-0, read: " #read ", write: " #write "}}, coupled: true}"
  (void)state;
  ENDS(ON(1, 2, "{parallel_homogeneous: {cpu: 150, com: 10}}", BOTH(300, 0)), RUN, 150);
  ENDS(ON(1, 2, "{parallel_homogeneous: {cpu: 150, com: 10}}", BOTH(800, 0)), RUN, 160);
  ENDS(ON(1, 1, "{parallel_task: {cpu: [10], com: [0]}}", BOTH(0, 1490)), RUN, 149);
  ENDS(ON(1, 2, "{parallel_task: {com: [0, 10, 0, 0]}}", BOTH(0, 1490)), RUN, 298);
  ENDS(ON(1, 2, "{staging: {from: st-0, to: st-1, bytes: 200}}", BOTH(100, 0)), RUN, 40);
  /* one rate: the flow beside it has 5 a second until 100, so that 300 are read at 60 in place of 30, and
   * what is computed, 20 alone, takes as long */
  ENDS(ON(1, 1, "{coupled: [{parallel_homogeneous: {cpu: 20}}, {exchange: {storage: st-0, read: 300}}]}", "")
           ON(2, 1, "{coupled: [{parallel_homogeneous: {cpu: 20}}, {exchange: {storage: st-0, read: 300}}]}",
              ""),
       RUN, 60, 60);
}

/* Batsim's I/O on hosts that are not the task's, which may compute: any host is a storage host by its name.
 * Of 100 work and 10 sent between two, beside 1500 from h-3 to st-0 and 200 from h-2 to h-3, the longest is
 * 1500; from the task's own h-0 it shares that cable with the 10. What h-0 has of its own takes nothing. */
static void test_other_hosts(void **state)
{
#define SENDS(from, to, bytes) "{staging: {from: " from ", to: " to ", bytes: " #bytes "}}"
#define TASK "{parallel_homogeneous: {cpu: 100, com: 10}}"
#define COUPLED(profile) ", additional_io: {profile: " profile ", coupled: true}"
  (void)state;
  ENDS(ON(1, 2, "{exchange: {storage: pfs, read: 500}}", ", storage_mapping: {pfs: h-3}"), RUN, 100);
  ENDS(ON(1, 2, "{exchange: {storage: h-0, read: 500}}", ""), RUN, 50);
  ENDS(ON(1, 2, TASK, COUPLED("{exchange: {storage: h-3, read: 600}}")), RUN, 120);
  ENDS(ON(1, 2, TASK, COUPLED("{coupled: [" SENDS("h-3", "st-0", 1500) ", " SENDS("h-2", "h-3", 200) "]}")),
       RUN, 150);
  ENDS(ON(1, 2, TASK, COUPLED("{coupled: [" SENDS("h-0", "st-0", 1500) ", " SENDS("h-2", "h-3", 200) "]}")),
       RUN, 151);
  ENDS(ON(1, 2, "{coupled: [" TASK ", {coupled: [{coupled: [" SENDS("h-3", "h-2", 1700) "]}]}]}", ""), RUN,
       170);
  /* two tasks of one cable, that of h-3: 1500 each in 300, though each computes for 100 only */
  ENDS(ON(1, 1, "{parallel_homogeneous: {cpu: 100}}", COUPLED(SENDS("h-3", "st-0", 1500)))
           ON(2, 1, "{parallel_homogeneous: {cpu: 100}}", COUPLED(SENDS("h-3", "st-1", 1500))),
       RUN, 300, 300);
  assert_fails(ON(1, 2, TASK, COUPLED(SENDS("h-3", "h-9", 1))), RUN, "needs the storage host \"h-9\"");
}

/* Whatever comes first of all pairs of 600 hosts and what they read: 599 and 901 come to each, and the
 * storage host sends 540,600. */
static void test_many(void **state)
{
  const char *run =
      "cell: {use: hosts, classes: [{name_prefix: h, count: 600, cpus: 1}, {name: st-0, memory: 1GiB}]}\n"
      "execution: {use: activities, cpu_speed: 1, network: {use: star, bandwidth: 10}}\npolicy: fcfs\n";
  (void)state;
  ENDS(ON(1, 600, "{coupled: [{parallel_homogeneous: {com: 1}}, {exchange: {read: 901}}]}", ""), run, 54060);
  ENDS(ON(1, 600, "{coupled: [{exchange: {read: 901}}, {parallel_homogeneous: {com: 1}}]}", ""), run, 54060);
  ENDS(ON(1, 600, "{coupled: [{exchange: {write: 1}}, {parallel_homogeneous: {com: 1}}]}", ""), run, 60);
}

/* Numbers of parts depend on the task, and on the round. */
static void test_expressions(void **state)
{
  (void)state;
  ENDS(ON(1, 2,
          "{sequence: {profiles: [{coupled: [{parallel_homogeneous: {cpu: 10 * num_hosts}}, {exchange: "
          "{storage: st-0, read: 100 * (iteration + 1)}}]}], repeat: 2}}",
          ""),
       RUN, 20 + 40);
}

/* ---- what it meets ---- */

/* Two executors of a host share its cable and its core; a task that is suspended every 10 s; one that is
 * killed at its limit in the midst of both. */
static void test_meets(void **state)
{
  (void)state;
  ENDS(ON(1, 1, "{parallel_homogeneous: {cpu: 10}}", ", executors: 2" BOTH(100, 0)), RUN, 20);
  ENDS(
      ON(1, 4, "{compute_homogeneous: 30}", IO(100)) ON(2, 4, "{compute_homogeneous: 30}", IO(100)),
      "cell: {use: hosts, classes: [{name_prefix: h, count: 4, cpus: 1}, {name_prefix: st, count: 2, memory: "
      "1GiB}]}\n" ACTS("") "policy: {use: gang, quantum: 10s, rows: 2}\n",
      70, 80);
  ENDS(ON(1, 2, "{compute_homogeneous: 100}", ", wall_time_limit: 40" IO(600))
           ON(2, 1, "{exchange: {storage: st-0, read: 500}}", ""),
       RUN, 40, 40 + 500 * (1 - 40 / 170.0) / 10);
}

static void test_refused(void **state)
{
  (void)state;
  assert_fails(ON(1, 1, READS, ", storage_mapping: {pfs: st-9}"), RUN, "st-9");
  assert_fails(ON(1, 1, READS, ", storage_mapping: {pfz: st-0}"), RUN, "names the storage \"pfz\"");
  assert_fails(ON(1, 1, WRITES("/database/x"), ", storage_mapping: {/data: /bb}"), RUN,
               "nothing that the task does names the storage \"/data\"");
  assert_fails(ON(1, 1, READS, ", storage_mapping: [st-0]"), RUN, "storage_mapping is a map of labels");
  assert_fails(ON(1, 1, READS, ", storage_mapping: {pfs: [st-0]}"), RUN,
               "which host, or which path, it means");
  assert_fails(ON(1, 1, "{storage_mapping: {mapping: [pfs], profile: " READS "}}", ""), RUN,
               "is no \"LABEL=NAME\"");
  assert_fails(ON(1, 1, "{idle: 1}", ", additional_io: {profile: {idle: 1}, beside: true}"), RUN,
               "and nothing else");
  assert_fails(ON(1, 1, "{idle: 1}", ", additional_io: {profile: {idle: 1}, coupled: perhaps}"), RUN,
               "coupled is true or false");
  assert_fails(ON(1, 1, "{idle: 1}", ", additional_io: {profile: {idle: 1}, coupled: true}"), RUN,
               "does not progress at one rate");
  assert_fails(ON(1, 1, "{parallel_homogeneous: {cpu: 1}}",
                  ", additional_io: {profile: {parallel_homogeneous: {cpu: 1}}, coupled: true}"),
               RUN, "only one may");
  assert_fails(ON(1, 1, "{idle: 1}", ", additional_io: {exhcange: {read: 1}}"), RUN, "did you mean");
  assert_fails(
      "- {id: 1, submit_time: 0, resources: {cpu_per_node: 1}, delay: 5, additional_io: {idle: 1}}\n", RUN,
      "it goes with a `profile`");
}

/* Without a model of execution such a task is rejected, as all whose length depends on a platform. */
static void test_without_execution(void **state)
{
  bench b;
  char path[64];
  (void)state;
  check(&b, try_tasks(&b, path, ON(1, 1, "{idle: 1}", ", additional_io: {idle: 1}") ON(2, 1, "{idle: 1}", ""),
                      CELL "policy: fcfs\n"));
  finish(&b);
  assert_int_equal(b.count, 1);
  end(&b);
  (void)unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hosts),       cmocka_unit_test(test_paths),
      cmocka_unit_test(test_nested),      cmocka_unit_test(test_too_long),
      cmocka_unit_test(test_beside),      cmocka_unit_test(test_coupled),
      cmocka_unit_test(test_other_hosts), cmocka_unit_test(test_many),
      cmocka_unit_test(test_expressions), cmocka_unit_test(test_meets),
      cmocka_unit_test(test_refused),     cmocka_unit_test(test_without_execution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
