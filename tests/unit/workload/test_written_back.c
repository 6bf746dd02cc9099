/* test_written_back.c -- Philly's jobs, SWIM's bytes and Google's events of 2019 as they are written, what
 * was lost, and what their readers make of it. */
#define _GNU_SOURCE
#include "reader_test.h"
#include "writer_test.h"

#define WRITER(x) extern const hc_writer_type hc_writer_##x
WRITER(philly);
WRITER(swim);
WRITER(google2019);
READER(philly);
READER(swim);
READER(google2019);

#define GIB ((int64_t)1 << 30)

static uint32_t keep(writing *d, const hc_task_extras *m)
{
  const uint32_t handle = hc_lexicon_keep(d->lexicon, m);
  assert_true(handle != 0);
  return handle;
}

/* 8 GPUs on each of two hosts and 3 on a third, from 10:00:05 to 10:01:05 Pacific, submitted 5 s before. */
static hc_task_spec gpu_task(writing *d)
{
  const hc_chunk less = {
      .hosts = 1,
      .need = {6000, HC_UNKNOWN, HC_UNKNOWN, 3000, HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN, HC_UNKNOWN}};
  hc_task_spec t = hc_task_spec_none();
  hc_task_extras m = hc_task_extras_none();
  m.chunks = &less, m.chunk_count = 1;
  t.id = 7, t.submit = 36000 * HC_SECOND, t.wait = 5 * HC_SECOND, t.run = HC_MINUTE;
  t.user = 3, t.queue = 4, t.status = HC_STATUS_FAILED, t.hosts = 2, t.flags = HC_SPEC_SPREAD;
  t.need[HC_DIM_CPU] = 16000, t.need[HC_DIM_GPU] = 8000;
  t.procs_asked = t.procs_used = 19;
  t.more = keep(d, &m);
  return t;
}

static void begin_at(writing *d, const hc_writer_type *type, const char *option, int64_t unix_start)
{
  begin(d, type, option);
  type->close(d->writer);
  d->text.size = 0;
  d->info.unix_start = unix_start;
  assert_int_equal(type->open(&d->context, d->chosen.options, &d->writer, &d->error), 0);
}

static void test_philly(void **state)
{
  writing d;
  reading r;
  HC_UNUSED(state);
  begin_at(&d, &hc_writer_philly, "cpus_per_gpu=2",
           1507532400); /* midnight of 2017-10-09, 7 hours behind UTC */
  hc_task_spec t = gpu_task(&d), u = hc_task_spec_none();
  assert_int_equal(hc_lexicon_call(d.lexicon, HC_CALLED_USER, 3, "ann", 3), 0);
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, 0);
  u.id = 8, u.submit = 40000 * HC_SECOND, u.status = HC_STATUS_CANCELLED; /* it never ran */
  assert_int_equal(put(&d, &u), 0);
  assert_int_equal(d.lost, 0);
  u.run = HC_SECOND; /* without a GPU nothing runs */
  assert_int_equal(put(&d, &u), 1);
  u.need[HC_DIM_GPU] = 129 * HC_DEVICE;
  assert_int_equal(put(&d, &u), 1);
  end(&d);
  assert_string_equal(
      d.text.data,
      "[\n{\"status\": \"Failed\", \"vc\": \"4\", \"jobid\": \"7\", \"attempts\": [{\"start_time\": "
      "\"2017-10-09 10:00:05\", \"end_time\": \"2017-10-09 10:01:05\", \"detail\": ["
      "{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\", \"gpu2\", \"gpu3\", \"gpu4\", \"gpu5\", \"gpu6\", "
      "\"gpu7\"]}, {\"ip\": \"m2\", \"gpus\": [\"gpu0\", \"gpu1\", \"gpu2\", \"gpu3\", \"gpu4\", \"gpu5\", "
      "\"gpu6\", \"gpu7\"]}, {\"ip\": \"m3\", \"gpus\": [\"gpu0\", \"gpu1\", \"gpu2\"]}]}], "
      "\"submitted_time\": \"2017-10-09 10:00:00\", \"user\": \"ann\"},\n"
      "{\"status\": \"Killed\", \"vc\": null, \"jobid\": \"8\", \"attempts\": [], \"submitted_time\": "
      "\"2017-10-09 11:06:40\", \"user\": null}\n]\n");
  read_all(&r, &hc_reader_philly, d.text.data, "cpus_per_gpu=2", NULL, NULL);
  assert_int_equal(r.count, 2);
  const hc_task_spec *b = &r.tasks[0];
  const hc_task_extras *m = more_of(&r, 0);
  assert_true(b->id == 7 && b->submit == t.submit && b->wait == t.wait && b->run == t.run && b->hosts == 2);
  assert_true(b->user == 1 && b->queue == 1); /* anew, by first sight */
  assert_memory_equal(b->need, t.need, sizeof t.need);
  assert_true(b->procs_asked == 19 && b->flags == HC_SPEC_SPREAD && b->status == HC_STATUS_FAILED);
  assert_true(m->chunk_count == 1 && m->chunks[0].hosts == 1 && m->chunks[0].need[HC_DIM_CPU] == 6000 &&
              m->chunks[0].need[HC_DIM_GPU] == 3000);
  assert_true(r.tasks[1].run == HC_UNKNOWN && r.tasks[1].status == HC_STATUS_CANCELLED);
  end_reading(&r);
  hc_lexicon_drop(d.lexicon, t.more);
  drop_writing(&d);
}

/* The hour that clocks showed twice in 2017, from 09:00 UTC on 5 November on: its second half comes back as
 * the first. */
static void test_philly_loses_an_hour(void **state)
{
  writing d;
  hc_task_spec t;
  HC_UNUSED(state);
  begin_at(&d, &hc_writer_philly, NULL, 1509872400 - 3600); /* 08:00 UTC, 01:00 for the first time */
  t = gpu_task(&d);
  t.submit = 0, t.wait = HC_HOUR, t.run = 1500 * HC_MS; /* starts at 01:00 for the second time */
  assert_int_equal(put(&d, &t), 0);
  /* cores come with nothing, and so the chunk's are lost too; a second and a half is none */
  assert_int_equal(d.lost, HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(CPU) | HC_FACT_BIT(CHUNKS) |
                               HC_FACT_BIT(FRACTION));
  t.submit = HC_HOUR;
  t.wait = t.run = HC_HOUR;
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(CPU) | HC_FACT_BIT(CHUNKS));
  hc_lexicon_drop(d.lexicon, t.more);
  finish(&d, NULL);
  begin(&d, &hc_writer_philly, "zone=UTC"); /* has no hour twice */
  t = gpu_task(&d);
  t.need[HC_DIM_CPU] = HC_UNKNOWN;
  t.need[HC_DIM_GPU] = 7500; /* half a GPU is one, and 8 are more than 3 */
  assert_int_equal(put(&d, &t), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(PRECISION) | HC_FACT_BIT(CHUNKS));
  hc_lexicon_drop(d.lexicon, t.more);
  finish(&d, NULL);
}

/* 24 maps of 256 MiB at 16 MiB/s take 16 s and 2 s to begin; two reduces get 1.5 GiB through at 16 MiB/s. */
static void test_swim(void **state)
{
  const hc_after after = {.job = 5, .task = 1, .how = HC_AFTER_ENDED};
  hc_task_spec maps = hc_task_spec_none(), reduces, alone;
  hc_task_extras m = hc_task_extras_none();
  writing d;
  reading r;
  HC_UNUSED(state);
  begin(&d, &hc_writer_swim, "block_size=256MiB");
  maps.id = 1, maps.job = 5, maps.submit = 30 * HC_SECOND, maps.run = 18 * HC_SECOND, maps.count = 24;
  maps.hosts = 1, maps.need[HC_DIM_CPU] = 1000, maps.need[HC_DIM_MEMORY] = GIB;
  reduces = maps;
  reduces.id = 2, reduces.count = 2, reduces.run = 98 * HC_SECOND;
  m.after = &after, m.after_count = 1;
  reduces.more = keep(&d, &m);
  assert_int_equal(put(&d, &maps), 0);
  assert_int_equal(d.lost, 0);
  assert_int_equal(put(&d, &reduces), 0);
  assert_int_equal(d.lost, 0);
  alone = maps; /* 16 s more than 256 MiB take, in which it writes as much */
  alone.id = 9, alone.job = -1, alone.count = 0, alone.submit = 31500 * HC_MS, alone.run = 34 * HC_SECOND;
  alone.need[HC_DIM_CPU] = 2000;
  assert_int_equal(put(&d, &alone), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(ID) | HC_FACT_BIT(CPU)); /* it will be called 3, and need one core */
  alone.run = HC_SECOND;                                        /* less than a task takes to begin */
  alone.need[HC_DIM_CPU] = 1000;
  assert_int_equal(put(&d, &alone), 0);
  assert_int_equal(d.lost, HC_FACT_BIT(ID) | HC_FACT_BIT(RUN));
  alone.run = HC_UNKNOWN;
  assert_int_equal(put(&d, &alone), 1);
  end(&d);
  assert_string_equal(d.text.data, "5\t30\t30\t6442450944\t2147483648\t1073741824\n"
                                   "9\t31.5\t1.5\t268435456\t0\t268435456\n"
                                   "9\t31.5\t0\t0\t0\t0\n");
  read_all(&r, &hc_reader_swim, d.text.data, "block_size=256MiB", NULL, NULL);
  assert_int_equal(r.count, 4);
  assert_true(r.tasks[0].job == 5 && r.tasks[0].count == 24 && r.tasks[0].run == 18 * HC_SECOND);
  assert_true(r.tasks[1].count == 2 && r.tasks[1].run == 98 * HC_SECOND &&
              more_of(&r, 1)->after[0].task == 1);
  assert_true(r.tasks[2].count == 1 && r.tasks[2].run == 34 * HC_SECOND &&
              r.tasks[2].submit == 31500 * HC_MS);
  assert_int_equal(r.tasks[3].run, 2 * HC_SECOND);
  end_reading(&r);
  hc_lexicon_drop(d.lexicon, reduces.more);
  drop_writing(&d);
}

/* Whatever bytes come to, they come back as the same time: for every number of maps, a time that they can
 * take. */
static void test_swim_times(void **state)
{
  HC_UNUSED(state);
  for (int64_t maps = 1; maps < 2000; maps = maps * 3 + 1) {
    for (int64_t bytes = (maps - 1) * ((int64_t)128 << 20) + 1; bytes <= maps * ((int64_t)128 << 20);
         bytes += (11 << 20) + 12345) {
      char text[80], again[80];
      writing d;
      reading r;
      snprintf(text, sizeof text, "7\t0\t0\t%lld\t0\t0\n", (long long)bytes);
      read_all(&r, &hc_reader_swim, text, NULL, NULL, NULL);
      begin(&d, &hc_writer_swim, NULL);
      assert_int_equal(put(&d, &r.tasks[0]), 0);
      assert_int_equal(d.lost, 0);
      const hc_time run = r.tasks[0].run;
      end_reading(&r);
      end(&d);
      snprintf(again, sizeof again, "%s", d.text.data);
      drop_writing(&d);
      read_all(&r, &hc_reader_swim, again, NULL, NULL, NULL);
      assert_true(r.tasks[0].run == run && r.tasks[0].count == maps);
      end_reading(&r);
    }
  }
}

/* A task of job 9 that may start at 15 only, starts at 20 and fails at 21.5; one that is still there; one
 * that is killed in the queue. */
static void put_google(writing *d, uint32_t more)
{
  hc_task_spec t = hc_task_spec_none();
  t.id = 2, t.job = 9, t.submit = 10 * HC_SECOND, t.wait = 10 * HC_SECOND, t.run = 1500 * HC_MS;
  t.not_before = 15 * HC_SECOND, t.status = HC_STATUS_FAILED, t.priority = 103, t.queue = 2, t.user = 1;
  t.executable = 6;
  t.need[HC_DIM_CPU] = 100, t.need[HC_DIM_MEMORY] = 1000000007, t.more = more;
  assert_int_equal(put(d, &t), 0);
  t.id = 3, t.submit = 12 * HC_SECOND, t.wait = 0, t.run = 88 * HC_SECOND, t.not_before = HC_UNKNOWN;
  t.status = HC_STATUS_UNKNOWN, t.flags = HC_SPEC_NO_END | HC_SPEC_AT_START, t.more = 0;
  assert_int_equal(put(d, &t), 0);
  t.id = 4, t.job = -1, t.submit = 13 * HC_SECOND, t.run = t.wait = HC_UNKNOWN, t.cancel_at = 14 * HC_SECOND;
  t.status = HC_STATUS_CANCELLED, t.flags = 0, t.user = -1, t.executable = -1;
  assert_int_equal(put(d, &t), 0);
  assert_int_equal(d->lost & HC_FACT_BIT(CANCEL_AT), 0);
}

static uint32_t google_rules(writing *d)
{
  const hc_after after[] = {{.job = 5, .task = HC_UNKNOWN}, {.job = 6, .task = HC_UNKNOWN}};
  hc_lexicon *l = d->lexicon;
  const hc_constraint constraints[] = {
      {.attribute = hc_lexicon_name(l, "a=b", 3),
       .compare = HC_UNEQUAL,
       .is_text = 1,
       .value = hc_lexicon_name(l, "x\"y", 3)},
      {.attribute = hc_lexicon_name(l, "clock", 5), .compare = HC_AT_LEAST, .group = 1, .value = 3},
      {.attribute = hc_lexicon_name(l, "ssd", 3), .compare = HC_ABSENT, .group = 2}};
  hc_task_extras m = hc_task_extras_none();
  m.after = after, m.after_count = 2;
  m.constraints = constraints, m.constraint_count = 3;
  m.per_host = 2, m.per_zone = 3, m.zone_level = hc_lexicon_name(l, "switch", 6), m.rival = 9;
  return keep(d, &m);
}

static void test_google2019(void **state)
{
  writing d, j;
  reading r;
  trace_file jobs;
  char pair[96];
  HC_UNUSED(state);
  begin(&d, &hc_writer_google2019, "cpu_scale=64");
  const uint32_t more = google_rules(&d);
  put_google(&d, more);
  hc_lexicon_drop(d.lexicon, more);
  end(&d);
  assert_string_equal(
      d.text.data,
      "{\"time\":\"610000000\",\"type\":\"0\",\"collection_id\":\"9\",\"instance_index\":\"2\","
      "\"scheduling_class\":"
      "\"2\",\"priority\":\"103\",\"collection_type\":\"0\",\"resource_request\":{\"cpus\":0.0015625,"
      "\"memory\":"
      "0.0036379788325575646},\"constraint\":[{\"name\":\"a=b\",\"value\":\"x\\\"y\",\"relation\":\"1\"},"
      "{\"name\":"
      "\"clock\",\"value\":\"3\",\"relation\":\"5\"},{\"name\":\"ssd\",\"relation\":\"7\"}]}\n"
      "{\"time\":\"612000000\",\"type\":\"3\",\"collection_id\":\"9\",\"instance_index\":\"3\","
      "\"scheduling_class\":"
      "\"2\",\"priority\":\"103\",\"collection_type\":\"0\",\"resource_request\":{\"cpus\":0.0015625,"
      "\"memory\":"
      "0.0036379788325575646}}\n"
      "{\"time\":\"613000000\",\"type\":\"0\",\"collection_id\":\"4\",\"instance_index\":\"0\","
      "\"scheduling_class\":"
      "\"2\",\"priority\":\"103\",\"collection_type\":\"0\",\"resource_request\":{\"cpus\":0.0015625,"
      "\"memory\":"
      "0.0036379788325575646}}\n"
      "{\"time\":\"614000000\",\"type\":\"7\",\"collection_id\":\"4\",\"instance_index\":\"0\"}\n"
      "{\"time\":\"615000000\",\"type\":\"2\",\"collection_id\":\"9\",\"instance_index\":\"2\"}\n"
      "{\"time\":\"620000000\",\"type\":\"3\",\"collection_id\":\"9\",\"instance_index\":\"2\"}\n"
      "{\"time\":\"621500000\",\"type\":\"5\",\"collection_id\":\"9\",\"instance_index\":\"2\"}\n"
      "{\"time\":\"700000000\",\"type\":\"10\",\"collection_id\":\"9\",\"instance_index\":\"3\"}\n");
  begin(&j, &hc_writer_google2019, "table=collection_events");
  assert_int_equal(hc_lexicon_call(j.lexicon, HC_CALLED_USER, 1, "ann=", 4), 0);
  const uint32_t rules = google_rules(&j);
  put_google(&j, rules);
  hc_lexicon_drop(j.lexicon, rules);
  end(&j);
  assert_string_equal(
      j.text.data,
      "{\"time\":\"610000000\",\"type\":\"0\",\"collection_id\":\"9\",\"collection_type\":\"0\","
      "\"user\":\"ann=\",\"collection_logical_name\":\"6\",\"start_after_collection_ids\":[\"5\",\"6\"]"
      ",\"max_per_machine\":\"2\",\"max_per_switch\":\"3\"}\n"
      "{\"time\":\"613000000\",\"type\":\"0\",\"collection_id\":\"4\",\"collection_type\":\"0\"}\n");
  jobs = write_file(j.text.data);
  snprintf(pair, sizeof pair, "jobs=%s", jobs.path);
  read_all(&r, &hc_reader_google2019, d.text.data, pair, "origin=600s", NULL);
  unlink(jobs.path);
  assert_int_equal(r.count, 3);
  const hc_task_spec *t = &r.tasks[0];
  const hc_task_extras *m = more_of(&r, 0);
  assert_true(t->id == 2 && t->job == 9 && t->submit == 10 * HC_SECOND && t->not_before == 15 * HC_SECOND);
  assert_true(t->wait == 10 * HC_SECOND && t->run == 1500 * HC_MS && t->status == HC_STATUS_FAILED);
  assert_true(t->priority == 103 && t->queue == 2 && t->user == 1 && t->need[HC_DIM_CPU] == 100);
  assert_int_equal(t->need[HC_DIM_MEMORY], 1000000007); /* to the byte */
  assert_true(m->after_count == 2 && m->after[1].job == 6 && m->constraint_count == 3 && m->per_host == 2);
  assert_true(m->per_zone == 3 && m->rival == 9 && m->constraints[1].value == 3 &&
              !m->constraints[1].is_text);
  assert_string_equal(hc_lexicon_text(r.lexicon, (uint32_t)m->constraints[0].value), "x\"y");
  assert_true(r.tasks[1].flags == (HC_SPEC_NO_END | HC_SPEC_AT_START) && r.tasks[1].run == 88 * HC_SECOND);
  assert_true(r.tasks[2].cancel_at == 14 * HC_SECOND && r.tasks[2].run == HC_UNKNOWN && r.tasks[2].job == 4);
  end_reading(&r);
  drop_writing(&d);
  drop_writing(&j);
}

static void test_google2019_losses(void **state)
{
  const hc_constraint either[] = {{.attribute = 1, .compare = HC_PRESENT},
                                  {.attribute = 2, .compare = HC_PRESENT}};
  hc_task_spec t = hc_task_spec_none();
  hc_task_extras m = hc_task_extras_none();
  writing d;
  HC_UNUSED(state);
  begin(&d, &hc_writer_google2019, NULL);
  assert_true(hc_lexicon_name(d.lexicon, "a", 1) != HC_NO_NAME &&
              hc_lexicon_name(d.lexicon, "b", 1) != HC_NO_NAME);
  m.constraints = either, m.constraint_count = 2;
  t.id = 1, t.job = 2, t.submit = 1, t.run = HC_SECOND, t.count = 3, t.user = 4, t.limit = 5, t.queue = 9;
  t.need[HC_DIM_DISK] = 1, t.more = keep(&d, &m);
  assert_int_equal(put(&d, &t),
                   0); /* a nanosecond is less than its microseconds, and three tasks need other indices */
  assert_int_equal(d.lost, HC_FACT_BIT(USER) | HC_FACT_BIT(LIMIT) | HC_FACT_BIT(QUEUE) | HC_FACT_BIT(DISK) |
                               HC_FACT_BIT(CONSTRAINTS) | HC_FACT_BIT(FRACTION) | HC_FACT_BIT(ID));
  t.submit = HC_UNKNOWN;
  assert_int_equal(put(&d, &t), 1);
  hc_lexicon_drop(d.lexicon, t.more);
  finish(&d, NULL);
}

static void test_out_of_memory(void **state)
{
  static const hc_writer_type *const types[] = {&hc_writer_philly, &hc_writer_swim, &hc_writer_google2019};
  hc_task_spec t = hc_task_spec_none();
  HC_UNUSED(state);
  t.id = 1, t.submit = 2, t.run = 3, t.user = 4, t.need[HC_DIM_GPU] = HC_DEVICE;
  for (size_t i = 0; i < HC_ARRAY_LEN(types); i++) expect_out_of_memory(types[i], &t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_philly),        cmocka_unit_test(test_philly_loses_an_hour),
      cmocka_unit_test(test_swim),          cmocka_unit_test(test_swim_times),
      cmocka_unit_test(test_google2019),    cmocka_unit_test(test_google2019_losses),
      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
