/* test_sacct.c -- what Slurm's accounting records hold in practice, one quirk a test. */
#define _GNU_SOURCE
#include "workload_test.h"

#include "workload/slurm_row.h"

READER(sacct);

#define HEADER "JobID|Submit|Start|End|State|NCPUS\n"
#define T "2021-03-01T10:" /* an hour of a day */

/* A bench over one file; `pairs` are options, up to a NULL. */
static void open_sacct(bench *b, const char *text, const char *p1, const char *p2)
{
  memset(b, 0, sizeof *b);
  b->context = (hc_source_context){.allocator = hc_default_allocator(), .ledger = &b->ledger};
  b->options =
      (hc_stream_options){.sources = b->sources, .transforms = b->transforms, .raw = true, .source_count = 1};
  b->files[0] = write_file(text);
  b->sources[0] = choose(&hc_reader_sacct.component, b->files[0].pair, p1, p1 ? p2 : NULL, NULL);
}

static void name_fields(bench *b, const char *const *names, size_t count)
{
  const hc_param *p = hc_reader_sacct.component.params;
  while (strcmp(p->name, "fields") != 0) p++;
  hc_list *list = (hc_list *)(void *)((char *)b->sources[0].options + p->offset);
  list->items = test_malloc(count * sizeof *names);
  memcpy(list->items, names, count * sizeof *names);
  list->count = count;
}

/* The only task of a text. */
static hc_task_spec only(const char *text, const char *p1, const char *p2)
{
  bench b;
  hc_arrival a;
  open_sacct(&b, text, p1, p2);
  if (open_bench(&b) < 0) fail_msg("%s", b.error.text);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  tear_down(&b);
  return a.spec;
}

static void expect_ids(const char *text, const char *p1, const char *p2, const char *want,
                       hc_row_ledger *ledger)
{
  bench b;
  char got[512];
  open_sacct(&b, text, p1, p2);
  if (open_bench(&b) < 0) fail_msg("%s", b.error.text);
  ids(&b, got, sizeof got);
  assert_string_equal(got, want);
  if (ledger) *ledger = b.ledger;
  tear_down(&b);
}

static void expect_error(const char *text, const char *p1, const char *p2, const char *words)
{
  bench b;
  hc_arrival a;
  hc_rc rc;
  open_sacct(&b, text, p1, p2);
  rc = open_bench(&b);
  while (rc >= 0 && (rc = hc_stream_next(b.stream, &a, &b.error)) == 1) continue;
  assert_true(rc < 0);
  if (!strstr(b.error.text, words)) fail_msg("\"%s\" does not say \"%s\"", b.error.text, words);
  tear_down(&b);
}

/* ---- columns ---- */

static void test_every_field(void **state)
{
  const hc_task_spec t =
      only("User|JobIDRaw|JobID|Account|QOS|Partition|JobName|Submit|Eligible|Start|End|Elapsed|"
           "TotalCPU|Timelimit|State|NNodes|"
           "NCPUS|ReqCPUS|ReqMem|Priority\n"
           "ann|11|11|physics|normal|long|a.out|" T "00:00|" T "00:00|" T "00:30|" T
           "02:30|00:02:00|00:08:00|1-00:00:00|"
           "TIMEOUT|2|8|6|2Gc|77\n",
           NULL, NULL);
  HC_UNUSED(state);
  assert_int_equal(t.id, 11);
  assert_int_equal(t.line, 2);
  assert_int_equal(t.submit, 0); /* it is the earliest, and so the origin */
  assert_int_equal(t.wait, 30 * HC_SECOND);
  assert_int_equal(t.run, 120 * HC_SECOND);
  assert_int_equal(t.cpu_time, 60 * HC_SECOND); /* eight minutes of eight processors */
  assert_int_equal(t.limit, HC_DAY);
  assert_int_equal(t.procs_used, 8);
  assert_int_equal(t.procs_asked, 6);
  assert_int_equal(t.memory_asked, INT64_C(2) << 30);
  assert_int_equal(t.status, HC_STATUS_FAILED);
  assert_int_equal(t.priority, 77);
  assert_true(t.user == 1 && t.group == 1 && t.queue == 1 && t.partition == 1 && t.executable == 1);
  assert_true(t.preceding == -1 && t.think == HC_UNKNOWN && t.cancel_at == HC_NEVER);
}

static void test_separators(void **state)
{
  /* Bars, with one at the end as -p prints it, commas, semicolons; a mark, carriage returns,
   * quotes and blanks. */
  const char *const texts[] = {
      "JobID|Submit|Start|End|NCPUS|\n7|" T "00:00|" T "00:01|" T "00:05|3|\n",
      "JobID,Submit,Start,End,NCPUS\n7," T "00:00," T "00:01," T "00:05,3\n",
      "JobID;Submit;Start;End;NCPUS\n7;" T "00:00;" T "00:01;" T "00:05;3\n",
      "\xef\xbb\xbfJobID,Submit,Start,End,NCPUS\r\n\"7\", \"" T "00:00\" ," T "00:01,\"" T "00:05\",3\r\n",
      "ncpus|end|start|submit|jobid%20\n\n3|" T "00:05|" T "00:01|" T
      "00:00|7\n", /* any order, case and width */
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) {
    const hc_task_spec t = only(texts[i], NULL, NULL);
    assert_int_equal(t.id, 7);
    assert_int_equal(t.wait, HC_SECOND);
    assert_int_equal(t.run, 4 * HC_SECOND);
    assert_int_equal(t.procs_used, 3);
  }
}

static void test_name_with_separators(void **state)
{
  /* The name is the only text that users choose: it gets what is too much, and what follows
   * counts from the end. */
  const hc_task_spec t =
      only("JobID|JobName|Submit|Start|End|NCPUS\n7|a|b|c|" T "00:00|" T "00:01|" T "00:05|3\n", NULL, NULL);
  HC_UNUSED(state);
  assert_int_equal(t.procs_used, 3);
  assert_int_equal(t.run, 4 * HC_SECOND);
}

static void test_without_header(void **state)
{
  static const char *const names[] = {"JobID", "NCPUS", "Elapsed", "Submit"};
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  open_sacct(&b, "7|3|00:00:09|" T "00:00\n", NULL, NULL);
  name_fields(&b, names, HC_ARRAY_LEN(names));
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
  assert_int_equal(a.spec.run, 9 * HC_SECOND);
  assert_int_equal(a.spec.wait, HC_UNKNOWN); /* nothing says when it started */
  tear_down(&b);
  expect_error("7|3|00:00:09|" T "00:00\n", NULL, NULL, "layout: xdmod");
}

static void test_header_again(void **state)
{
  hc_row_ledger l;
  HC_UNUSED(state); /* cat jan.psv feb.psv */
  expect_ids(HEADER "1|" T "00:00|" T "00:00|" T "00:05|COMPLETED|1\n" HEADER "2|" T "00:01|" T "00:01|" T
                    "00:05|COMPLETED|1\n",
             NULL, NULL, "1 2", &l);
  assert_int_equal(l.read, 2);
}

static void test_what_must_be_there(void **state)
{
  HC_UNUSED(state);
  expect_error("JobID|Start|End|NCPUS\n", NULL, NULL, "no column Submit");
  expect_error("JobID|Submit|Start|NCPUS\n", NULL, NULL, "no column End");
  expect_error("JobID|Submit|Start|End\n", NULL, NULL, "no column NCPUS");
  expect_error("JobID|Submit|Start|End|NCPUS\n", "units=nodes", NULL, "no column NNodes");
  expect_error("       JobID    JobName\n------------ ----------\n", NULL, NULL, "--parsable2");
  expect_error("", NULL, NULL, "empty");
  expect_error(HEADER "x|y|z\n", NULL, NULL, "no line is a job");
  expect_error(HEADER, "zone=Nowhere/Atall", NULL, "no time zone");
}

/* ---- times ---- */

static hc_time wait_in_zone(const char *submit, const char *start, const char *zone)
{
  char text[512];
  snprintf(text, sizeof text, "JobID|Submit|Start|Elapsed|NCPUS\n1|%s|%s|00:00:01|1\n", submit, start);
  return only(text, zone, NULL).wait;
}

static void test_daylight_saving(void **state)
{
  const char *zone = "zone=Europe/Berlin";
  HC_UNUSED(state);
  /* In spring the clock goes from 2 to 3: an hour less has passed. */
  assert_int_equal(wait_in_zone("2021-03-28T01:30:00", "2021-03-28T03:30:00", zone), HC_HOUR);
  /* In autumn from 3 to 2: an hour more. */
  assert_int_equal(wait_in_zone("2021-10-31T01:30:00", "2021-10-31T03:30:00", zone), 3 * HC_HOUR);
  /* A start whose clock reads less than the submission's is in the second of the two hours. */
  assert_int_equal(wait_in_zone("2021-10-31T02:50:00", "2021-10-31T02:10:00", zone), 20 * HC_MINUTE);
  assert_int_equal(wait_in_zone("2021-10-31T02:10:00", "2021-10-31T02:50:00", zone), 40 * HC_MINUTE);
  /* Without a zone hours are hours. */
  assert_int_equal(wait_in_zone("2021-03-28T01:30:00", "2021-03-28T03:30:00", NULL), 2 * HC_HOUR);
  /* A time that says its own offset needs none. */
  assert_int_equal(wait_in_zone("2021-03-28T01:30:00+01:00", "2021-03-28T03:30:00+0200", NULL), HC_HOUR);
}

static void test_unix_seconds(void **state)
{
  const hc_task_spec t =
      only("JobID|Submit|Start|End|NCPUS\n1|1700000000|1700000060|1700000100|1\n", "zone=Asia/Tokyo", NULL);
  HC_UNUSED(state);
  assert_int_equal(t.wait, 60 * HC_SECOND);
  assert_int_equal(t.run, 40 * HC_SECOND);
}

static void test_origin(void **state)
{
  bench b;
  char got[64];
  HC_UNUSED(state);
  open_sacct(
      &b,
      HEADER
      "2|1700000010|1700000010|1700000020|COMPLETED|1\n1|1700000000|1700000010|1700000020|COMPLETED|1\n",
      NULL, NULL);
  assert_int_equal(open_bench(&b), 0);
  assert_int_equal(hc_stream_info(b.stream)->unix_start, 1700000000); /* the second row's */
  ids(&b, got, sizeof got);
  assert_string_equal(got, "1 2");
  tear_down(&b);
  expect_error(
      HEADER
      "2|1700000010|1700000010|1700000020|COMPLETED|1\n1|1700000000|1700000010|1700000020|COMPLETED|1\n",
      "ahead=1", NULL, "raise `ahead`");
}

static void test_eligible(void **state)
{
  const char *text = "JobID|Submit|Eligible|Start|End|NCPUS\n"
                     "1|" T "00:00|" T "10:00|" T "11:00|" T "12:00|1\n";
  hc_task_spec t = only(text, "wait_from=submit", NULL);
  HC_UNUSED(state);
  assert_int_equal(t.wait, 11 * HC_MINUTE);
  t = only(text, "wait_from=eligible", NULL);
  assert_int_equal(t.submit, 10 * HC_MINUTE); /* from the earliest Submit all the same */
  assert_int_equal(t.wait, HC_MINUTE);
  /* Never eligible: as submitted. */
  t = only("JobID|Submit|Eligible|Start|End|NCPUS\n1|" T "00:00|Unknown|" T "11:00|" T "12:00|1\n",
           "wait_from=eligible", NULL);
  assert_int_equal(t.wait, 11 * HC_MINUTE);
}

static void test_run_from(void **state)
{
  const char *text = "JobID|Submit|Start|End|Elapsed|NCPUS\n1|" T "00:00|" T "00:00|" T "10:00|00:04:00|1\n";
  HC_UNUSED(state); /* six of the ten minutes it was suspended */
  assert_int_equal(only(text, NULL, NULL).run, 4 * HC_MINUTE);
  assert_int_equal(only(text, "run_from=end", NULL).run, 10 * HC_MINUTE);
}

static void test_times_that_are_wrong(void **state)
{
  static const char *const bad[] = {"2021-02-30T10:00:00",
                                    "2021-13-01T10:00:00",
                                    "2021-03-01T25:00:00",
                                    "yesterday",
                                    "2021-03-01",
                                    "99999999999",
                                    "-5",
                                    "2021-03-01T10:00:00+9",
                                    "2021-03-01T10:00:00x"};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(bad); i++) {
    char text[512];
    hc_row_ledger l;
    snprintf(text, sizeof text,
             HEADER "1|%s|" T "00:00|" T "00:01|COMPLETED|1\n2|" T "00:00|" T "00:00|" T
                    "00:01|COMPLETED|1\n",
             bad[i]);
    expect_ids(text, NULL, NULL, "2", &l);
    assert_int_equal(l.rejected[HC_REASON_MALFORMED], 1);
  }
  /* A start before the submission says nothing of the wait. */
  assert_int_equal(only(HEADER "1|" T "05:00|" T "00:00|" T "06:00|COMPLETED|1\n", NULL, NULL).wait,
                   HC_UNKNOWN);
}

static hc_time limit_of(const char *limit, const char *pair)
{
  char text[256];
  snprintf(text, sizeof text, "JobID|Submit|Elapsed|NCPUS|Timelimit\n1|" T "00:00|1|1|%s\n", limit);
  return only(text, pair, NULL).limit;
}

static void test_limits(void **state)
{
  HC_UNUSED(state);
  assert_int_equal(limit_of("37-14:00:00", NULL), 37 * HC_DAY + 14 * HC_HOUR);
  assert_int_equal(limit_of("01:02:03", NULL), HC_HOUR + 2 * HC_MINUTE + 3 * HC_SECOND);
  assert_int_equal(limit_of("02:03", NULL), 2 * HC_MINUTE + 3 * HC_SECOND);
  assert_int_equal(limit_of("3-12", NULL), 84 * HC_HOUR); /* days-hours[:minutes], as sbatch takes them */
  assert_int_equal(limit_of("2-03:30", NULL), 51 * HC_HOUR + 30 * HC_MINUTE);
  assert_int_equal(limit_of("90", NULL), 90 * HC_MINUTE); /* TimelimitRaw's unit */
  assert_int_equal(limit_of("UNLIMITED", NULL), HC_UNKNOWN);
  assert_int_equal(limit_of("INVALID", NULL), HC_UNKNOWN);
  assert_int_equal(limit_of("", NULL), HC_UNKNOWN);
  assert_int_equal(limit_of("Partition_Limit", NULL), HC_UNKNOWN);
  assert_int_equal(limit_of("Partition_Limit", "partition_limit=2d"), 2 * HC_DAY);
  assert_int_equal(only("JobID|Submit|Elapsed|NCPUS|TimelimitRaw\n1|" T "00:00|1|1|2\n", NULL, NULL).limit,
                   2 * HC_MINUTE);
}

/* ---- amounts ---- */

static int64_t memory_of(const char *memory, const char *pair)
{
  char text[256];
  snprintf(text, sizeof text,
           "JobID|Submit|Elapsed|ReqCPUS|NNodes|ReqMem|AllocTRES\n1|" T "00:00|1|8|2|%s|cpu=8,mem=62.50G\n",
           memory);
  return only(text, pair, NULL).memory_asked;
}

static void test_memory(void **state)
{
  const int64_t mb = 1 << 20;
  HC_UNUSED(state);
  assert_int_equal(memory_of("2800Mc", NULL), 2800 * mb);
  assert_int_equal(memory_of("48000Mn", NULL), 12000 * mb); /* two nodes, eight processors */
  assert_int_equal(memory_of("48000M", NULL), 6000 * mb);   /* since 21.08 the total */
  assert_int_equal(memory_of("4G", NULL), 512 * mb);
  assert_int_equal(memory_of("800", NULL), 100 * mb); /* no unit: MB */
  assert_int_equal(memory_of("2147486648Mn", NULL),
                   3000 * mb); /* 2^31 + 3000: per processor, whatever it says */
  assert_int_equal(memory_of("0n", NULL), (int64_t)8000 * mb); /* all of it: what AllocTRES says */
  assert_int_equal(memory_of("48000Mn", "units=nodes"), 48000 * mb);
  assert_int_equal(memory_of("2800Mc", "units=nodes"), 11200 * mb);
}

static void test_processors(void **state)
{
  hc_task_spec t;
  HC_UNUSED(state);
  t = only("JobID|Submit|Elapsed|ReqTRES|AllocTRES\n1|" T
           "00:00|1|cpu=6,node=1|billing=9,cpu=8,gres/gpu:v100=2,node=2\n",
           NULL, NULL);
  assert_true(t.procs_used == 8 && t.procs_asked == 6);
  t = only("JobID|Submit|Elapsed|ReqTRES|AllocTRES\n1|" T "00:00|1|cpu=6,node=1|billing=9,cpu=8,node=2\n",
           "units=nodes", NULL);
  assert_true(t.procs_used == 2 && t.procs_asked == 1);
  t = only("JobID|Submit|Elapsed|NNodes|ReqNodes|NCPUS\n1|" T "00:00|1|2|1-4|8\n", "units=nodes", NULL);
  assert_true(t.procs_used == 2 && t.procs_asked == HC_UNKNOWN); /* a range asked for is no number */
}

#define NODES "JobID|Submit|Elapsed|NNodes|NCPUS|ReqMem|ReqTRES|AllocTRES|ReqGRES\n1|" T "00:00|1|"

/* Equal parts of everything on each of so many different nodes. */
static void test_nodes(void **state)
{
  const int64_t mb = 1 << 20;
  const struct {
    const char *fields;
    int64_t hosts, cpu, memory, gpu;
  } rows[] = {
      {"2|8|48000Mn||billing=9,cpu=8,gres/gpu=4,node=2|", 2, 4000, 48000 * mb, 2000},
      {"2|8|2800Mc|||", 2, 4000, 11200 * mb, 0},
      {"2|7|48000M||cpu=7,gres/gpu:v100=2,gres/gpu:a100=1|", 2, 4000, 24000 * mb, 1500}, /* rounded up */
      {"3|3|10M||gres/gpu=4,gres/gpu:v100=4|", 3, 1000, (10 * mb + 2) / 3, 1334},        /* not both */
      {"1|12|2800Mc|||gpu:2", 1, 12000, 33600 * mb, 2000},
      {"4|16|2800Mc|||gpu:v100:2(S:0-1),shard:9", 4, 4000, 11200 * mb, 2000}, /* of each node */
      {"2|16||||gpu,gpu:v100", 2, 8000, HC_UNKNOWN, 2000},
      {"|16||gres/gpu=4||", HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN}, /* nobody says how many nodes */
      {"||2G|cpu=6,gres/gpu=1,node=2||", 2, 3000, 1024 * mb, 500},           /* what it asked for */
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) {
    char text[300];
    snprintf(text, sizeof text, NODES "%s\n", rows[i].fields);
    hc_task_spec t = only(text, "demand=nodes", NULL);
    assert_int_equal(t.hosts, rows[i].hosts);
    assert_int_equal(t.need[HC_DIM_CPU], rows[i].cpu);
    assert_int_equal(t.need[HC_DIM_MEMORY], rows[i].memory);
    assert_int_equal(t.need[HC_DIM_GPU], rows[i].gpu);
    assert_int_equal(t.flags, rows[i].hosts > 1 ? HC_SPEC_SPREAD : 0);
    const hc_task_spec as_before = only(text, NULL, NULL);
    assert_true(as_before.hosts == HC_UNKNOWN && as_before.need[HC_DIM_CPU] == HC_UNKNOWN &&
                as_before.flags == 0);
    t.hosts = as_before.hosts;
    t.flags = 0;
    memcpy(t.need, as_before.need, sizeof t.need);
    assert_memory_equal(&t, &as_before, sizeof t); /* nothing else differs */
  }
  expect_ids(NODES "2|8|||gres/gpu=many|\n2|" T "00:00|1|2|8|||gres/gpu=2|\n", "demand=nodes", NULL, "2",
             NULL);
  expect_ids(NODES "2|8||||gpu:a:b\n2|" T "00:00|1|2|8||||gpu:a\n", "demand=nodes", NULL, "2", NULL);
}

static void test_processor_seconds(void **state)
{
  /* Neither Start nor End: elapsed and waited times processors. */
  const hc_task_spec t =
      only("JobID|Submit|CPUTimeRAW|ResvCPURAW|ReqCPUS|State\n1|" T "00:00|80|40|4|COMPLETED\n", NULL, NULL);
  HC_UNUSED(state);
  assert_int_equal(t.run, 20 * HC_SECOND);
  assert_int_equal(t.wait, 10 * HC_SECOND);
}

/* ---- jobs ---- */

static void test_steps_are_merged(void **state)
{
  hc_row_ledger l;
  HC_UNUSED(state);
  expect_ids(HEADER
             "1|" T "00:00|" T "00:00|" T "00:05|COMPLETED|1\n"
             "1.batch||" T "00:00|" T "00:05|COMPLETED|1\n1.extern||" T "00:00|" T "00:05|COMPLETED|1\n"
             "1.0||" T "00:00|" T "00:05|COMPLETED|1\n2_7.0||" T "00:00|" T "00:05|COMPLETED|1\n"
             "3+1|" T "00:01|" T "00:01|" T "00:05|COMPLETED|1\n3+1.0||" T "00:00|" T "00:05|COMPLETED|1\n",
             NULL, NULL, "1 3", &l);
  assert_int_equal(l.read, 7);
  assert_int_equal(l.merged, 5);
}

static void test_arrays(void **state)
{
  hc_row_ledger l;
  HC_UNUSED(state);
  /* Tasks that ran are rows of their own; those that wait are one row, here of 1 + 3 + 2. */
  expect_ids(HEADER "5_1|" T "00:00|" T "00:00|" T "00:05|COMPLETED|1\n5_2|" T "00:00|" T "00:00|" T
                    "00:05|COMPLETED|1\n"
                    "5_[3,5-7,10-12:2%2]|" T "00:00|None|" T "00:09|CANCELLED by 7|1\n",
             NULL, NULL, "5 5 5 5 5 5 5 5", &l);
  assert_int_equal(l.read, 8);
  expect_ids(HEADER "5_[1-]|" T "00:00|None|" T "00:09|CANCELLED|1\n5_[0-9999999]|" T "00:00|None|" T
                    "00:09|CANCELLED|1\n5_[1-3...]|" T "00:00|None|" T "00:09|CANCELLED|1\n5_[]|" T
                    "00:00|None|" T "00:09|CANCELLED|1\n6|" T "00:00|None|" T "00:09|CANCELLED|1\n",
             NULL, NULL, "6", &l);
  assert_int_equal(l.rejected[HC_REASON_MALFORMED], 4);
}

static void test_raw_ids(void **state)
{
  HC_UNUSED(state); /* unique where the array's number is not */
  expect_ids("JobID|JobIDRaw|Submit|Elapsed|NCPUS\n18_0|19|" T "00:00|5|1\n18_1|18|" T "00:00|5|1\n", NULL,
             NULL, "18 19", NULL);
}

static void test_requeues(void **state)
{
  const char *text = HEADER "1|" T "00:00|" T "00:10|" T "00:20|REQUEUED|1\n1|" T "00:20|" T "00:40|" T
                            "00:50|COMPLETED|1\n2|" T "00:30|" T "00:30|" T "00:31|COMPLETED|1\n";
  hc_row_ledger l;
  HC_UNUSED(state);
  expect_ids(text, "requeues=last", NULL, "1 2", &l);
  assert_int_equal(l.merged, 1);
  assert_int_equal(only(text, "requeues=last", NULL).wait, 20 * HC_SECOND); /* the second run's */
  expect_ids(text, "requeues=each", NULL, "1 1 2", &l);
  assert_int_equal(l.merged, 0);
  assert_int_equal(only(text, "requeues=each", NULL).status, HC_STATUS_PARTIAL);
  /* The last run, in whatever order they stand, and even if it has not ended. */
  expect_ids(HEADER "1|" T "00:20|" T "00:40|Unknown|RUNNING|1\n1|" T "00:00|" T "00:10|" T
                    "00:20|NODE_FAIL|1\n",
             NULL, NULL, "", &l);
  assert_true(l.merged == 1 && l.rejected[HC_REASON_STILL_RUNNING] == 1);
  /* The same number in another cluster is another job. */
  expect_ids("Cluster|JobID|Submit|Elapsed|NCPUS\na|1|" T "00:00|5|1\nb|1|" T "00:00|5|1\n", NULL, NULL,
             "1 1", NULL);
}

static void test_still_running(void **state)
{
  hc_row_ledger l;
  HC_UNUSED(state);
  expect_ids(HEADER "1|" T "00:00|" T "00:01|Unknown|RUNNING|4\n2|" T "00:00|" T "00:01|Unknown||4\n3|" T
                    "00:00|" T "00:01|" T "59:00|RUNNING|4\n4|" T "00:00|" T "00:01|" T "00:03|COMPLETED|4\n",
             NULL, NULL, "4", &l);
  assert_int_equal(l.rejected[HC_REASON_STILL_RUNNING], 3); /* with -T the window's end stands as End */
}

static void test_never_started(void **state)
{
  /* As newer versions print it, as older ones do, and one that still waits. */
  static const char *const rows[] = {"None|" T "00:09|CANCELLED by 12|8|None assigned",
                                     T "00:09|" T "00:09|CANCELLED+|8|None assigned",
                                     "Unknown|Unknown|PENDING|8|None assigned"};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(rows); i++) {
    char text[256];
    snprintf(text, sizeof text, "JobID|Submit|Start|End|State|NCPUS|NodeList\n1|" T "00:00|%s\n", rows[i]);
    const hc_task_spec t = only(text, NULL, NULL);
    assert_int_equal(t.run, HC_UNKNOWN);
    assert_int_equal(t.procs_used, 0);
    assert_int_equal(t.procs_asked, 8);
    assert_int_equal(t.wait, i < 2 ? 9 * HC_SECOND : HC_UNKNOWN); /* it left the queue at its End */
    assert_int_equal(t.status, i < 2 ? HC_STATUS_CANCELLED : HC_STATUS_UNKNOWN);
  }
}

static void test_states(void **state)
{
  static const struct {
    const char *word;
    int32_t status;
  } cases[] = {{"COMPLETED", 1}, {"CANCELLED by 10099", 5}, {"CANCELLED+", 5}, {"FAILED", 0},
               {"TIMEOUT", 0},   {"OUT_OF_ME+", 0},         {"NODE_FAIL", 0},  {"PREEMPTED", 5},
               {"REQUEUED", 2},  {"DEADLINE", 0},           {"FROBBED", -1}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[256];
    snprintf(text, sizeof text, HEADER "1|" T "00:00|" T "00:00|" T "00:05|%s|1\n", cases[i].word);
    assert_int_equal(only(text, NULL, NULL).status, cases[i].status);
  }
}

static void test_names(void **state)
{
  bench b;
  hc_arrival a;
  HC_UNUSED(state);
  open_sacct(&b,
             "JobID|Submit|Elapsed|NCPUS|User|UID|Account|Group\n1|" T "00:00|5|1|bob||lab|\n2|" T
             "00:01|5|1|ann||lab|\n3|" T "00:02|5|1|bob|||g\n4|" T "00:03|5|1||501||\n",
             NULL, NULL);
  assert_int_equal(open_bench(&b), 0);
  static const int64_t users[] = {1, 2, 1, 3}, groups[] = {1, 1, 2, -1};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(hc_stream_next(b.stream, &a, &b.error), 1);
    assert_int_equal(a.spec.user, users[i]);
    assert_int_equal(a.spec.group, groups[i]);
    assert_int_equal(a.spec.queue, -1);
  }
  tear_down(&b);
}

/* ---- the source ---- */

/* Saved in the middle of an array and of a file, and loaded over a source that is fresh. */
static void test_saved_and_loaded(void **state)
{
  const char *text =
      "JobID|User|Submit|Start|End|State|NCPUS\n1|ann|" T "00:00|" T "00:00|" T "00:05|COMPLETED|1\n"
      "2_[1-4]|bob|" T "00:01|None|" T "00:09|CANCELLED|1\n3|cid|" T "00:02|" T "00:02|" T
      "00:05|COMPLETED|1\n4|bob|" T "00:03|" T "00:03|" T "00:05|COMPLETED|1\n";
  HC_UNUSED(state);
  for (int taken = 0; taken <= 7; taken++) {
    trace_file f = write_file(text);
    hc_chosen chosen = choose(&hc_reader_sacct.component, f.pair, "ahead=2", NULL);
    const hc_source_context c = {.allocator = hc_default_allocator()};
    hc_source *a, *b;
    hc_job from_a, from_b;
    hc_error e = {0};
    hc_buffer saved;
    hc_buffer_init(&saved, c.allocator);
    assert_int_equal(hc_reader_sacct.open(&c, chosen.options, &a, &e), 0);
    assert_int_equal(hc_reader_sacct.open(&c, chosen.options, &b, &e), 0);
    for (int i = 0; i < taken; i++) assert_int_equal(hc_reader_sacct.next(a, &from_a, &e), 1);
    hc_visitor save = {
        .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = c.allocator, .out = &saved};
    assert_int_equal(hc_reader_sacct.visit(a, &save, &e), 0);
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = c.allocator,
                       .in = (const uint8_t *)saved.data,
                       .left = saved.size};
    if (hc_reader_sacct.visit(b, &load, &e) < 0) fail_msg("%s", e.text);
    for (int i = taken; i < 7; i++) {
      assert_int_equal(hc_reader_sacct.next(a, &from_a, &e), 1);
      assert_int_equal(hc_reader_sacct.next(b, &from_b, &e), 1);
      assert_memory_equal(from_a.tasks, from_b.tasks, sizeof *from_a.tasks);
    }
    assert_int_equal(hc_reader_sacct.next(b, &from_b, &e), 0);
    hc_reader_sacct.close(a);
    hc_reader_sacct.close(b);
    hc_buffer_fini(&saved);
    unlink(f.path);
    drop(&chosen);
  }
}

static void test_recognised(void **state)
{
  static const struct {
    const char *head;
    int least, most;
  } cases[] = {
      {HEADER "1|", 90, 100},
      {"JobID,NCPUS,NNodes,Submit,Start,End,ElapsedRaw,State\n", 90, 100},
      {"163485|163485|phillips|2016-12-22T07:15:12|2016-12-22T07:15:12|x\n", 60, 80},
      {"JobID           JobName  Partition\n------------ ----------\n", 50,
       70}, /* so that the error can say it */
      {"; Version: 2\n1 2 3\n", 0, 0},
      {"id,submit,run\n", 0, 0},
      {"", 0, 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    const int score = hc_reader_sacct.recognise("x", cases[i].head, strlen(cases[i].head));
    assert_in_range(score, cases[i].least, cases[i].most);
  }
}

static void test_strict_names_the_place(void **state)
{
  bench b;
  HC_UNUSED(state);
  open_sacct(&b, HEADER "1|" T "00:00|" T "00:00|never|COMPLETED|1\n", NULL, NULL);
  b.context.strict = true;
  hc_arrival a;
  hc_rc rc = open_bench(&b);
  if (rc >= 0) rc = hc_stream_next(b.stream, &a, &b.error);
  assert_int_equal(rc, HC_EINPUT);
  assert_int_equal(b.error.line, 2);
  assert_int_equal(b.error.column, 43); /* two times of 19 characters, three bars, the number */
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_field),
      cmocka_unit_test(test_separators),
      cmocka_unit_test(test_name_with_separators),
      cmocka_unit_test(test_without_header),
      cmocka_unit_test(test_header_again),
      cmocka_unit_test(test_what_must_be_there),
      cmocka_unit_test(test_daylight_saving),
      cmocka_unit_test(test_unix_seconds),
      cmocka_unit_test(test_origin),
      cmocka_unit_test(test_eligible),
      cmocka_unit_test(test_run_from),
      cmocka_unit_test(test_times_that_are_wrong),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_processors),
      cmocka_unit_test(test_nodes),
      cmocka_unit_test(test_processor_seconds),
      cmocka_unit_test(test_steps_are_merged),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_raw_ids),
      cmocka_unit_test(test_requeues),
      cmocka_unit_test(test_still_running),
      cmocka_unit_test(test_never_started),
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_saved_and_loaded),
      cmocka_unit_test(test_recognised),
      cmocka_unit_test(test_strict_names_the_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
