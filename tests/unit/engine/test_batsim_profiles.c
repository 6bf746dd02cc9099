/* test_batsim_profiles.c -- profiles of Batsim through whole runs, on a platform of the test's own: lengths
 * that Batsim's tests expect of them (the numbers are those of the vectors in its workloads), what limits do,
 * what is refused, and the messages of the architecture that goes with them.
 *
 * The platform has eight hosts of 1 Gflop/s on links of 1 GB/s and 5 us, over a backbone of 3 GB/s and 3 us,
 * so a route has 13 us; a storage host on a link of 100 MB/s and 10 us; and a master. */
#include "engine_test.h"

#include "base/mem.h"

#define CLUSTER(id, prefix, hosts, bw, lat, role) \
  "<cluster id=\"" id "\" prefix=\"" prefix "\" suffix=\"\" radical=\"" hosts "\" speed=\"1Gf\" bw=\"" bw \
  "\" lat=\"" lat "\" bb_bw=\"3GBps\" bb_lat=\"3us\">" role "</cluster>\n"
#define BETWEEN(a, pa, b, pb) \
  "<zoneRoute src=\"" a "\" dst=\"" b "\" gw_src=\"" pa a "_router\" gw_dst=\"" pb b \
  "_router\"><link_ctn id=\"far\"/></zoneRoute>\n"

#define HEAD "<?xml version='1.0'?>\n<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">\n"
#define COMPUTING CLUSTER("c", "n", "0-7", "1GBps", "5us", "")
#define MASTER CLUSTER("m", "master_host", "0-0", "1GBps", "5us", "<prop id=\"role\" value=\"master\"/>")
#define STORAGE CLUSTER("s", "disk", "0-0", "100MBps", "10us", "<prop id=\"role\" value=\"storage\"/>")
#define FAR "<link id=\"far\" bandwidth=\"10GBps\" latency=\"100us\"/>\n"

static const char platform[] = HEAD COMPUTING MASTER STORAGE FAR BETWEEN("c", "n", "m", "master_host")
    BETWEEN("c", "n", "s", "disk") BETWEEN("m", "master_host", "s", "disk") "</zone>\n</platform>\n";

typedef struct vector {
  const char *profile; /* of the job: the text of an object, or a name in quotes that `others` defines */
  int res, limit;      /* limit: s, 0: none */
  hc_time length;      /* ns */
  bool killed;
} vector;

typedef struct files {
  char platform[64], workload[64];
} files;

static void put_platform(files *f)
{
  write_log(f->platform, platform, strlen(platform));
}

static void drop(const files *f)
{
  (void)unlink(f->platform);
  (void)unlink(f->workload);
}

/* Job i + 1 is submitted at i times 20000 s, by itself. */
static void put_vectors(files *f, const char *others, const vector *v, size_t count)
{
  hc_buffer b;
  char text[256];
  hc_buffer_init(&b, hc_default_allocator());
  hc_buffer_text(&b, "{\"nb_res\": 8, \"jobs\": [");
  for (size_t i = 0; i < count; i++) {
    (void)snprintf(text, sizeof text, "%s{\"id\": %zu, \"subtime\": %zu, \"res\": %d, \"walltime\": %d, ",
                   i ? ",\n" : "", i + 1, i * 20000, v[i].res, v[i].limit > 0 ? v[i].limit : -1);
    hc_buffer_text(&b, text);
    if (v[i].profile[0] == '"') (void)snprintf(text, sizeof text, "\"profile\": %s}", v[i].profile);
    else (void)snprintf(text, sizeof text, "\"profile\": \"p%zu\"}", i);
    hc_buffer_text(&b, text);
  }
  hc_buffer_text(&b, "],\n\"profiles\": {\"none\": {\"type\": \"delay\", \"delay\": 1}");
  for (size_t i = 0; i < count; i++) {
    if (v[i].profile[0] == '"') continue;
    (void)snprintf(text, sizeof text, ",\n\"p%zu\": ", i);
    hc_buffer_text(&b, text);
    hc_buffer_text(&b, v[i].profile);
  }
  hc_buffer_text(&b, others);
  hc_buffer_text(&b, "}}\n");
  write_log(f->workload, b.data, b.size);
  hc_buffer_fini(&b);
}

static hc_rc begin_files(bench *b, const files *f, const char *source, const char *yaml)
{
  char text[2048];
  (void)snprintf(text, sizeof text,
                 "paranoid: true\ncompat: batsim\nsource: {use: batsim, file: %s%s}\n"
                 "cell: {use: simgrid, file: %s}\n"
                 "execution: {use: activities, network: {use: simgrid, file: %s}}\n%s",
                 f->workload, source, f->platform, f->platform, yaml);
  return try_begin(b, text, 8, NULL, 0, NULL);
}

/* In one piece, cut after each instant, and read ahead by a thread: the source is sorted, and handed on row
 * by row. */
static void assert_lengths(const char *others, const vector *v, size_t count)
{
  enum { WHOLE, IN_PIECES, READ_AHEAD, WAYS };
  for (int way = WHOLE; way < WAYS; way++) {
    bench b;
    files f;
    put_platform(&f);
    put_vectors(&f, others, v, count);
    check(&b, begin_files(&b, &f, ", report: 0",
                          way == READ_AHEAD ? "architecture: monolithic\nthreads: 2\n"
                                            : "architecture: monolithic\n"));
    if (way == IN_PIECES) finish_in_pieces(&b, 1);
    else finish(&b);
    assert_int_equal(b.count, count);
    for (size_t i = 0; i < count; i++) {
      const hc_task_record *r = record_of(&b, (int64_t)i + 1);
      const hc_time off = r->end - r->start - v[i].length;
      if (off > 1 || off < -1) /* sums of fractions are rounded */
        fail_msg("%s on %d: %" PRId64 " ns, not %" PRId64, v[i].profile, v[i].res, r->end - r->start,
                 v[i].length);
      assert_int_equal(r->final, v[i].killed ? HC_FINAL_KILLED : HC_FINAL_COMPLETED);
    }
    end(&b);
    drop(&f);
  }
}
#define LENGTHS(others, ...) \
  assert_lengths(others, (const vector[]){__VA_ARGS__}, COUNT(((const vector[]){__VA_ARGS__})))

#define S(s) ((s)*HC_SECOND)
#define TASK(cpu, com) "{\"type\": \"parallel\", \"cpu\": [" cpu "], \"com\": [" com "]}"
#define ZERO4 "0,0,0,0"
#define EACH(type, cpu, com) "{\"type\": \"" type "\", \"cpu\": " cpu ", \"com\": " com "}"

/* 1 to 10: all that a task computes and sends progresses at one rate. */
static void test_parallel_tasks(void **state)
{
  const hc_time far = 13 * HC_US;
  (void)state;
  LENGTHS("", {TASK("1e10,0,0,0", ""), 4, 0, S(10), false},
          {TASK("1e10,1e10,1e10,1e10", ""), 4, 0, S(10), false},
          {TASK("1e10,1e9,1e8,1e7", ""), 4, 0, S(10), false},
          {TASK("", "0,1e10,0,0, " ZERO4 ", " ZERO4 ", " ZERO4), 4, 0, S(10) + far, false},
          {TASK("", "0,1e10,0,0, 0,0,1e10,0, 0,0,0,1e10, " ZERO4), 4, 0, S(10) + far, false},
          {TASK("", "0,5e9,0,0,0,0, 0,0,5e9,0,0,0, 0,0,0,5e9,0,0, 0,0,0,0,5e9,0, 0,0,0,0,0,5e9, "
                    "5e9,0,0,0,0,0"),
           6, 0, S(10) + far, false},
          {TASK("5e9,0,0,0", "0,2e9,0,0, " ZERO4 ", " ZERO4 ", " ZERO4), 4, 0, S(5) + far, false},
          {TASK("3e9,0,0,0", "0,4e9,0,0, " ZERO4 ", " ZERO4 ", " ZERO4), 4, 0, S(4) + far, false},
          {TASK("7e9,0,0,0", "0,7e9,0,0, " ZERO4 ", " ZERO4 ", " ZERO4), 4, 0, S(7) + far, false},
          {TASK("1e10,0,0,0", ""), 4, 1, S(1), true});
}

/* 11 to 16. A total of 2e10 B on 2 is 1e10 each way; of 6e10 on 5 it is 1.2e10 on each of 20 pairs, and
 * Batsim 5 has them spread over pairs, so its 6e10 is 1.5e10 here: 20 x 3e9 over 3 GB/s. */
static void test_homogeneous(void **state)
{
  const hc_time far = 13 * HC_US;
  (void)state;
  LENGTHS("", {EACH("parallel_homogeneous", "1e10", "0"), 1, 0, S(10), false},
          {EACH("parallel_homogeneous", "1e10", "0"), 4, 0, S(10), false},
          {EACH("parallel_homogeneous", "0", "1e10"), 2, 0, S(10) + far, false},
          {EACH("parallel_homogeneous_total", "0", "2e10"), 2, 0, S(10) + far, false},
          {EACH("parallel_homogeneous", "0", "3e9"), 5, 0, S(20) + far, false},
          {EACH("parallel_homogeneous_total", "0", "1.5e10"), 5, 0, S(20) + far, false},
          {EACH("parallel_homogeneous_total", "4e10", "0"), 4, 0, S(10), false});
}

#define SEQ(repeat, ...) "{\"type\": \"composed\", \"repeat\": " repeat ", \"seq\": [" __VA_ARGS__ "]}"

/* 17 to 27, of delays and of computations alike; a limit is one of the whole. */
static void test_sequences(void **state)
{
  static const char *const leaves[] = {
      ", \"ten\": {\"type\": \"delay\", \"delay\": 10}, \"three\": {\"type\": \"delay\", \"delay\": 3}",
      ", \"ten\": " EACH("parallel_homogeneous", "1e10", "0") ", \"three\": " EACH("parallel_homogeneous",
                                                                                   "3e9", "0")};
  (void)state;
  for (size_t i = 0; i < COUNT(leaves); i++) {
    char others[1024];
    (void)snprintf(
        others, sizeof others,
        "%s, \"both\": " SEQ("1", "\"three\", \"ten\"") ", \"x7\": " SEQ("7", "\"both\"") ", \"x3\": " SEQ(
            "3", "\"x7\"") ", \"x5\": " SEQ("5", "\"x3\"") ", \"all\": " SEQ("7", "\"x7\", \"x3\", \"x5\""),
        leaves[i]);
    LENGTHS(others, {SEQ("1", "\"ten\""), 2, 0, S(10), false}, {SEQ("7", "\"ten\""), 2, 0, S(70), false},
            {SEQ("5", "\"ten\", \"three\""), 2, 0, S(65), false},
            {SEQ("2", "\"three\", \"ten\", \"three\""), 2, 0, S(32), false}, {"\"x7\"", 2, 0, S(91), false},
            {"\"x3\"", 2, 0, S(273), false}, {"\"x5\"", 2, 0, S(1365), false},
            {"\"all\"", 2, 0, S(12103), false}, {"\"all\"", 2, 7, S(7), true});
  }
}

/* A delay as long as its limit is killed, a computation is done: 10 and 1010 of Batsim's test_walltime. A
 * return code other than 0 ends a sequence. */
static void test_limits(void **state)
{
  (void)state;
  LENGTHS(", \"two\": {\"type\": \"delay\", \"delay\": 2}"
          ", \"bad\": {\"type\": \"delay\", \"delay\": 3, \"ret\": 1}",
          {"{\"type\": \"delay\", \"delay\": 10}", 1, 10, S(10), true},
          {"{\"type\": \"delay\", \"delay\": 10}", 1, 11, S(10), false},
          {EACH("parallel_homogeneous", "1e10", "0"), 1, 10, S(10), false},
          {SEQ("5", "\"two\""), 1, 10, S(10), true},
          {SEQ("4", "\"two\", \"bad\", \"two\""), 1, 0, S(5), true});
}

/* Two processes read 1e8 B each over the storage's link of 100 MB/s: 2 s, after 5 + 3 + 100 + 3 + 10 us.
 * Writing has a link of its own, the other way. */
static void test_storage(void **state)
{
  const hc_time far = 121 * HC_US;
  (void)state;
  LENGTHS(
      "",
      {"{\"type\": \"parallel_homogeneous_pfs\", \"bytes_to_read\": 1e8, \"bytes_to_write\": 0}", 2, 0,
       S(2) + far, false},
      {"{\"type\": \"parallel_homogeneous_pfs\", \"bytes_to_read\": 1e8, \"bytes_to_write\": 1e8, "
       "\"storage\": \"disk0\"}",
       4, 0, S(4) + far, false},
      {"{\"type\": \"parallel_homogeneous_pfs\", \"bytes_to_read\": 1e8, \"bytes_to_write\": 0, \"host\": "
       "\"anything\"}",
       1, 0, S(1) + far, false});
}

/* The names of Batsim 5. Vector 16 as it has it: 6e10 B over the 20 pairs of 5 are 3e9 each; 2e10 over the
 * two of 2 are 1e10; and of one process there is none. Storage of which only reading or writing is said. */
static void test_names_of_5(void **state)
{
#define OF_5(cpu, com, strategy) \
  "{\"type\": \"ParallelTaskHomogeneousProfile\", \"cpu\": " cpu ", \"com\": " com strategy "}"
#define SPREAD ", \"generation_strategy\": \"DefinedAmountsSpreadUniformly\""
#define EACH_HAS ", \"generation_strategy\": \"DefinedAmountsUsedForEachValue\""
  const hc_time far = 13 * HC_US, store = 121 * HC_US;
  (void)state;
  LENGTHS(", \"d\": {\"type\": \"DelayProfile\", \"delay\": 3}",
          {OF_5("1e10", "0", ""), 4, 0, S(10), false},
          {OF_5("0", "3e9", EACH_HAS), 5, 0, S(20) + far, false},
          {OF_5("0", "6e10", SPREAD), 5, 0, S(20) + far, false},
          {OF_5("0", "2e10", SPREAD), 2, 0, S(10) + far, false},
          {OF_5("4e10", "0", SPREAD), 4, 0, S(10), false}, {OF_5("1e10", "7", SPREAD), 1, 0, S(10), false},
          {"{\"type\": \"SequentialCompositionProfile\", \"repeat\": 2, \"seq\": [\"d\"]}", 1, 0, S(6),
           false},
          {"{\"type\": \"ParallelTaskOnStorageHomogeneousProfile\", \"bytes_to_read\": 1e8, \"storage\": "
           "\"disk0\"}",
           2, 0, S(2) + store, false},
          {"{\"type\": \"ParallelTaskOnStorageHomogeneousProfile\", \"bytes_to_write\": 1e8}", 1, 0,
           S(1) + store, false});
}

/* ---- traces ---- */

typedef struct traces {
  char list[64], ranks[2][64];
} traces;

static void put_traces(traces *t, const char *first, const char *second)
{
  char text[160];
  write_log(t->ranks[0], first, strlen(first));
  write_log(t->ranks[1], second, strlen(second));
  (void)snprintf(text, sizeof text, "%s\n%s\n", t->ranks[0], t->ranks[1]);
  write_log(t->list, text, strlen(text));
}

static void drop_traces(const traces *t)
{
  (void)unlink(t->list);
  (void)unlink(t->ranks[0]);
  (void)unlink(t->ranks[1]);
}

static void assert_trace(const char *type, const char *first, const char *second, hc_time length)
{
  traces t;
  char profile[160];
  put_traces(&t, first, second);
  (void)snprintf(profile, sizeof profile, "{\"type\": \"%s\", \"trace\": \"%s\"}", type, t.list);
  LENGTHS("", {profile, 2, 0, length, false}, {profile, 2, 1, S(1), true});
  (void)snprintf(profile, sizeof profile,
                 "{\"type\": \"TraceReplayProfile\", \"trace_type\": \"%s\", \"filename\": \"%s\"}",
                 strcmp(type, "smpi") == 0 ? "SMPI" : "FractionalComputation", t.list);
  LENGTHS("", {profile, 2, 0, length, false});
  drop_traces(&t);
}

/* 28 to 30. Four messages of 1 GB, and 10 s between; of collectives one latency each, two for a barrier,
 * 2^27 x 16 B each way, and 4 and 256 B and two of a byte: 1e9 B/s. */
/* A message lasts 13 us and a nanosecond for each of its bytes, and of 16 more. */
static void test_traces(void **state)
{
  (void)state;
  assert_trace("smpi", "0 init\n0 compute 1e10\n0 finalize\n", "1 init\n1 compute 1e9\n1 finalize\n", S(10));
  assert_trace("smpi", "0 send 1 0 1e9\n0 recv 1 0 1e9\n0 compute 1e10\n0 send 1 0 1e9\n0 recv 1 0 1e9\n",
               "1 recv 0 0 1e9\n1 send 0 0 1e9\n1 compute 1e10\n1 recv 0 0 1e9\n1 send 0 0 1e9\n",
               S(14) + 4 * (13 * HC_US + 16));
  assert_trace(
      "smpi",
      "0 compute 1e9\n0 bcast 1 0 1\n0 alltoall 134217728 134217728 26 26\n0 barrier\n0 reduce 16 0 0 26\n",
      "1 bcast 1 0 1\n1 alltoall 134217728 134217728 26 26\n1 barrier\n1 reduce 16 0 0 26\n",
      S(1) + 5 * (13 * HC_US + 16) + 4 + 2147483648 + 256);
  assert_trace("usage_trace", "0 m_usage 0.5 4e9\n0 m_usage 1 1e9\n", "1 m_usage 0.1 3e9\n", S(5));
}

/* ---- what is refused ---- */

static void assert_refused(const char *profile, hc_rc rc, const char *what)
{
  bench b;
  files f;
  const vector v = {profile, 2, 0, 0, false};
  put_platform(&f);
  put_vectors(&f, "", &v, 1);
  hc_rc is = begin_files(&b, &f, "", "architecture: monolithic\n");
  if (is == 0) is = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
  if (is != rc || !strstr(b.error.text, what)) fail_msg("%s: %d, \"%s\"", profile, is, b.error.text);
  end(&b);
  drop(&f);
}

static void test_refused(void **state)
{
  traces t;
  char profile[160];
  (void)state;
  assert_refused("{\"type\": \"send\", \"msg\": {}}", HC_EUNSUPPORTED, "talks with the scheduler");
  assert_refused("{\"type\": \"recv\"}", HC_EUNSUPPORTED, "talks with the scheduler");
  assert_refused("{\"type\": \"dance\"}", HC_EUNSUPPORTED, "its type is none of");
  assert_refused(OF_5("1", "1", ", \"generation_strategy\": \"Any\""), HC_EUNSUPPORTED,
                 "its `generation_strategy`");
  assert_refused("{\"type\": \"ParallelTaskOnStorageHomogeneousProfile\", \"bytes_to_read\": 1" SPREAD "}",
                 HC_EUNSUPPORTED, "its `generation_strategy`");
  assert_refused("{\"type\": \"ParallelTaskOnStorageHomogeneousProfile\"}", HC_EINPUT,
                 "needs `bytes_to_read`");
  assert_refused("{\"type\": \"TraceReplayProfile\", \"trace_type\": \"Any\", \"filename\": \"x\"}",
                 HC_EUNSUPPORTED, "its type is none of");
  assert_refused("{\"type\": \"TraceReplayProfile\", \"trace_type\": \"SMPI\"}", HC_EINPUT,
                 "needs `filename`");
  assert_refused("{\"type\": \"ForkJoinCompositionProfile\"}", HC_EUNSUPPORTED, "its type is none of");
  assert_refused("{\"type\": \"parallel_homogeneous\", \"cpu\": 1}", HC_EINPUT, "needs `com`");
  assert_refused("{\"type\": \"parallel\", \"cpu\": [1, 2, 3]}", HC_EINPUT, "has the work (cpu) of 3");
  assert_refused("{\"type\": \"data_staging\", \"nb_bytes\": 1, \"from\": \"a\", \"to\": \"disk0\"}",
                 HC_EUNSUPPORTED, "the storage host \"a\"");
  put_traces(&t, "0 isend 1 0 1e9\n", "1 irecv 0 0 1e9\n");
  (void)snprintf(profile, sizeof profile, "{\"type\": \"smpi\", \"trace\": \"%s\"}", t.list);
  assert_refused(profile, HC_EUNSUPPORTED, "the action \"0 isend 1 0 1e9\" is not replayed");
  drop_traces(&t);
  put_traces(&t, "0 send 1 0 1e9\n", "1 barrier\n");
  (void)snprintf(profile, sizeof profile, "{\"type\": \"smpi\", \"trace\": \"%s\"}", t.list);
  assert_refused(profile, HC_EUNSUPPORTED, "no counterpart");
  drop_traces(&t);
}

/* ---- messages ---- */

/* Each message takes 1 s, that of an end 3 s. The greeting comes at 1, and that the scheduler is ready at 2;
 * the three jobs of time 0 were sent at 1 and come at 3: their starts come at 4, 5 and 6. Ends at 14, 15 and
 * 16 come at 17, 20 and 23, since one is taken at a time; the scheduler is told when none waits, and is ready
 * again at 24. The submitter woke last at 1 and goes on at 3 to wait for 40 - 1: it sends at 42; that comes
 * at 43, its farewell at 44, the start at 45. Jobs of one time are in the order of 1, 10, 2. */
static void test_messages(void **state)
{
  (void)state;
  for (int pieces = 0; pieces < 2; pieces++) {
    static const char jobs[] =
        "{\"nb_res\": 8, \"jobs\": [{\"id\": 10, \"subtime\": 0, \"res\": 4, \"profile\": \"d\"},"
        "{\"id\": 2, \"subtime\": 0, \"res\": 2, \"profile\": \"d\"},"
        "{\"id\": 1, \"subtime\": 0, \"res\": 2, \"profile\": \"d\"},"
        "{\"id\": 3, \"subtime\": 40, \"res\": 8, \"profile\": \"d\"}],"
        "\"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 10}}}";
    static const int64_t starts[] = {4, 5, 6, 45};
    bench b;
    files f;
    put_platform(&f);
    write_log(f.workload, jobs, sizeof jobs - 1);
    check(&b,
          begin_files(&b, &f, "", "architecture: {use: messages, latency: 1s, report: 3s}\npolicy: fcfs\n"));
    if (pieces) finish_in_pieces(&b, 1);
    else finish(&b);
    for (int64_t i = 0; i < 4; i++) { /* numbers are ranks: 1, 10, 2, 3 */
      assert_int_equal(start_of(&b, i + 1), starts[i]);
      assert_int_equal(end_of(&b, i + 1), starts[i] + 10);
    }
    end(&b);
    drop(&f);
  }
}

/* Labels that are no names of hosts, and what they mean: 100 MB from the storage host's link of 100 MB/s to
 * each of two, 2 s, and the latency of the way; the same label of a staging is no other host. */
static void test_mapping(void **state)
{
  const vector one = {
      "{\"type\": \"parallel_homogeneous_pfs\", \"bytes_to_read\": 1e8, \"bytes_to_write\": 0, "
      "\"storage\": \"nfs\"}",
      2, 0, 0, false};
  static const struct {
    const char *source, *error; /* NULL: it is right */
  } cases[] = {
      {", report: 0", NULL},
      {", report: 0, storage_mapping: [nfs=disk0]", NULL},
      {", storage_mapping: [nfs]", "LABEL=HOST"},
      {", storage_mapping: [nfs=]", "LABEL=HOST"},
      {", storage_mapping: [nfs=disk0, nf=n0]", "names the storage \"nf\""},
      {", storage_mapping: [nfs=disk9]", "needs the storage host \"disk9\""}}; /* though there is one */
  hc_time ends[2];
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b;
    files f;
    put_platform(&f);
    put_vectors(&f, "", &one, 1);
    hc_rc rc = begin_files(&b, &f, cases[i].source, "architecture: monolithic\n");
    if (!cases[i].error) {
      check(&b, rc);
      finish(&b);
      ends[i] = record_of(&b, 1)->end;
    } else if (rc == 0) {
      rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
    }
    if (cases[i].error && (rc >= 0 || !strstr(b.error.text, cases[i].error)))
      fail_msg("%s: %d, %s", cases[i].source, rc, b.error.text);
    end(&b);
    drop(&f);
  }
  assert_true(ends[0] == ends[1]); /* there is one storage host, so that nothing need be said */
  assert_true(ends[0] > 2 * HC_SECOND && ends[0] < 2 * HC_SECOND + HC_SECOND / 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mapping),     cmocka_unit_test(test_parallel_tasks),
      cmocka_unit_test(test_homogeneous), cmocka_unit_test(test_sequences),
      cmocka_unit_test(test_limits),      cmocka_unit_test(test_storage),
      cmocka_unit_test(test_names_of_5),  cmocka_unit_test(test_traces),
      cmocka_unit_test(test_refused),     cmocka_unit_test(test_messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
