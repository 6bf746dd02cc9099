/* test_slurm.c -- a slurm.conf becomes hosts, sets, licences and levels. */
#include "written_cell.h"

static const char *name_of(const world *w, const hc_attribute *a)
{
  return hc_lexicon_text(w->lexicon, a->name);
}

/* The value of an attribute that is a number; -1: it has none of that name. */
static int64_t number_of(const world *w, const char *host, const char *name)
{
  const hc_host_class *c = class_of(w, host);
  for (uint32_t i = 0; i < c->attribute_count; i++)
    if (strcmp(name_of(w, &c->attributes[i]), name) == 0) return (int64_t)c->attributes[i].value;
  return -1;
}

static void assert_set(const world *w, uint32_t set, const char *name, hc_time most, const uint32_t *hosts,
                       uint32_t count)
{
  const hc_host_set *s = &w->cell.sets[set];
  uint32_t n = 0;
  assert_string_equal(s->name, name);
  assert_true(s->is_partition);
  assert_int_equal(s->max_time, most);
  assert_int_equal(s->of_count, 1);
  assert_string_equal(s->of[0], name);
  for (size_t i = 0; i < s->host_count; i++)
    for (uint32_t k = 0; k < s->hosts[i].count; k++, n++) assert_int_equal(s->hosts[i].first + k, hosts[n]);
  assert_int_equal(n, count);
}

#define SET(w, set, name, most, ...) \
  assert_set(w, set, name, most, (const uint32_t[]){__VA_ARGS__}, \
             (uint32_t)HC_ARRAY_LEN(((const uint32_t[]){__VA_ARGS__})))

/* Defaults hold for the lines behind them, and a second line of them adds to the first. A partition may stand
 * before its nodes. n5 is down: it is in no set. Without CPUs a node has the threads of all its cores, 2 x
 * 2 x 2; of 8 CPUs that are threads, one core of CoreSpecCount is two. Hosts are in the order of names. */
static void test_nodes(void **state)
{
  static const char text[] =
      "PartitionName=DEFAULT MaxTime=1-0\n"
      "PartitionName=long Nodes=ALL MaxTime=UNLIMITED AllowQos=x\n"
      "NodeName=DEFAULT Sockets=2 CoresPerSocket=2\n"
      "NodeName=DEFAULT ThreadsPerCore=2 RealMemory=1000\n"
      "NodeName=n[01-02] CPUs=4 Weight=7 Features=ib,ssd Port=[1-2]\n"
      "NodeName=n3 MemSpecLimit=200 CoreSpecCount=1 TmpDisk=5\n"
      "NodeName=g4 CPUs=4 Gres=gpu:a100:2(S:0-1),shard:6 RealMemory=2G Gres=gpu:a100:2(S:0-1),shard:6\n"
      "NodeName=n5 State=DOWN\n"
      "NodeSet=fast Feature=ib\n"
      "PartitionName=short Nodes=fast,n5,g4\n"
      "PartitionName=empty State=DRAIN\n"
      "Licenses=matlab:3,other\n";
  world w;
  (void)state;
  if (describe(&w, "use: slurm", text) < 0) fail_msg("%s", w.e.text);
  assert_int_equal(w.cell.units, 4);
  assert_string_equal(w.cell.host_names[0], "g4");
  assert_string_equal(w.cell.host_names[2], "n02");
  assert_string_equal(w.cell.host_names[3], "n3");
  assert_int_equal(w.cell.class_of[1], w.cell.class_of[2]);
  assert_int_equal(class_of(&w, "n01")->capacity[HC_DIM_CPU], 4000);
  assert_int_equal(class_of(&w, "n01")->capacity[HC_DIM_MEMORY], INT64_C(1000) << 20);
  assert_int_equal(number_of(&w, "n01", "weight"), 7);
  assert_int_equal(number_of(&w, "n01", "ssd"), 1);
  assert_int_equal(number_of(&w, "n01", "threads_per_core"), 2);
  assert_int_equal(class_of(&w, "n3")->capacity[HC_DIM_CPU], 6000);
  assert_int_equal(class_of(&w, "n3")->capacity[HC_DIM_MEMORY], INT64_C(800) << 20);
  assert_int_equal(class_of(&w, "n3")->capacity[HC_DIM_DISK], INT64_C(5) << 20);
  assert_int_equal(number_of(&w, "n3", "ssd"), -1);
  assert_int_equal(class_of(&w, "g4")->devices, 2);
  assert_int_equal(class_of(&w, "g4")->capacity[HC_DIM_GPU], 2 * HC_DEVICE);
  assert_int_equal(class_of(&w, "g4")->capacity[hc_lexicon_dimension(w.lexicon, "gres/shard", 10)], 6);
  assert_int_equal(w.cell.set_count, 2);
  SET(&w, 0, "long", HC_NEVER, 0, 1, 2, 3);
  SET(&w, 1, "short", 86400 * HC_SECOND, 0, 1, 2);
  assert_int_equal(w.cell.shared[hc_lexicon_dimension(w.lexicon, "matlab", 6)], 3);
  assert_int_equal(w.cell.shared[hc_lexicon_dimension(w.lexicon, "other", 5)], 1);
  assert_string_equal(
      w.cell.note,
      "the partition empty is DRAIN, which is not followed; the partition empty has no host; nodes that are "
      "down or drained, or will be there in the future only, left out: 1; not taken of partitions: AllowQos");
  world_end(&w);
}

static void refuse(const char *text, uint32_t line, const char *words)
{
  world w;
  const hc_rc rc = describe(&w, "use: slurm", text);
  if (rc != HC_EINPUT || w.e.line != line || !strstr(w.e.text, words))
    fail_msg("%s: %d, line %u: %s", text, rc, w.e.line, w.e.text);
  world_end(&w);
}

static void test_what_is_wrong(void **state)
{
  (void)state;
  refuse("ClusterName=x\n", 0, "is it a slurm.conf?");
  refuse("NodeName=n1 CPUs=four\n", 1, "CPUs=four: expected a whole number");
  refuse("NodeName=n1 CoresPerSocket=0\n", 1, "are at least 1");
  refuse("NodeName=n1 CPUs=1 CoreSpecCount=1\n", 1, "have no processors");
  refuse("NodeName=n1\nNodeName=n[1-2]\n", 2, "n1 stands there twice");
  refuse("NodeName=n1\nNodeName=n1 State=DOWN\n", 2, "n1 stands there twice");
  refuse("NodeName=n1 Gres=gpu:200\n", 1, "at most 128 GPUs");
  refuse("NodeName=n1 Gres=gpu:a:b:1\n", 1, "expected NAME[:TYPE]:COUNT");
  refuse("NodeName=n1\n\nPartitionName=p Nodes=n[1-2]\n", 3, "there is no node \"n2\"");
  refuse("NodeName=n1\nPartitionName=p Nodes=n1 MaxTime=long\n", 2, "MaxTime=long: expected minutes");
  refuse("NodeName=n1\nLicenses=a:b\n", 2, "expected NAME:COUNT, got \"a:b\"");
}

/* A table of sinfo: a row for a node in a partition. c03 is down, and in no set; a star is the default's,
 * signs behind a state are not the state's. 30:00 are minutes. */
static void test_sinfo(void **state)
{
#define HEADER "PARTITION|NODELIST|CPUS|MEMORY|AVAIL_FEATURES|GRES|WEIGHT|TIMELIMIT|STATE\n"
  static const char text[] = HEADER "cpu*|c01|32|128000|ib|(null)|1|2-00:00:00|idle~\n"
                                    "debug|c01|32|128000|ib|(null)|1|30:00|idle~\n"
                                    "cpu*|c02|32|128000|ib|(null)|1|2-00:00:00|idle\n"
                                    "cpu*|c03|32|128000|ib|(null)|1|2-00:00:00|down*\n"
                                    "gpu|g01|16|256000|(null)|gpu:a100:4(S:0-1)|5|infinite|mixed\n";
  world w;
  (void)state;
  if (describe(&w, "use: slurm", text) < 0) fail_msg("%s", w.e.text);
  assert_int_equal(w.cell.units, 3);
  assert_int_equal(class_of(&w, "c02")->capacity[HC_DIM_CPU], 32000);
  assert_int_equal(class_of(&w, "c02")->capacity[HC_DIM_MEMORY], INT64_C(128000) << 20);
  assert_int_equal(number_of(&w, "c01", "ib"), 1);
  assert_int_equal(class_of(&w, "g01")->devices, 4);
  assert_int_equal(number_of(&w, "g01", "weight"), 5);
  assert_int_equal(w.cell.set_count, 3);
  SET(&w, 0, "cpu", 2 * 86400 * HC_SECOND, 0, 1);
  SET(&w, 1, "debug", 1800 * HC_SECOND, 0);
  SET(&w, 2, "gpu", HC_NEVER, 2);
  world_end(&w);
  refuse(HEADER "cpu*|c[01-02]|32|128000|ib|(null)|1|2-00:00:00|idle\n", 2, "ask sinfo with --Node");
  refuse(HEADER "cpu*|c01|32\n", 2, "not as many columns");
  refuse("PARTITION|NODELIST|STATE\ncpu*|c01|idle\n", 1, "there is no column CPUS");
  refuse(HEADER, 0, "is it a slurm.conf?");
#undef HEADER
}

/* With another file beside it. */
static hc_rc describe_with(world *w, const char *key, const char *other, const char *text)
{
  char path[] = "/tmp/hindcast_test_XXXXXX", keys[160];
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, other, strlen(other)), (ssize_t)strlen(other));
  close(fd);
  (void)snprintf(keys, sizeof keys, "use: slurm, %s: \"%s\"", key, path);
  const hc_rc rc = describe(w, keys, text);
  unlink(path);
  return rc;
}

/* n0 and n1 are below s0, n2 below s1, both below s2; n3 is on no switch. */
static void test_switches(void **state)
{
  static const char text[] = "NodeName=n[0-3]\n";
  world w;
  (void)state;
  if (describe_with(
          &w, "topology_file",
          "SwitchName=s2 Switches=s[0-1]\nSwitchName=s0 Nodes=n[0-1] LinkSpeed=9\nSwitchName=s1 Nodes=n2\n",
          text) < 0)
    fail_msg("%s", w.e.text);
  assert_int_equal(w.cell.level_count, 2);
  assert_string_equal(w.cell.levels[0].name, "switch");
  assert_string_equal(w.cell.levels[1].name, "switch2");
  assert_int_equal(w.cell.levels[0].zone_count, 2);
  assert_int_equal(w.cell.levels[0].zone_of[0], w.cell.levels[0].zone_of[1]);
  assert_int_not_equal(w.cell.levels[0].zone_of[0], w.cell.levels[0].zone_of[2]);
  assert_int_equal(w.cell.levels[1].zone_of[0], w.cell.levels[1].zone_of[2]);
  assert_int_equal(w.cell.levels[0].zone_of[3], HC_NO_NAME);
  world_end(&w);
  assert_int_equal(describe_with(&w, "topology_file", "SwitchName=a Switches=a Nodes=n0\n", text), HC_EINPUT);
  assert_non_null(strstr(w.e.text, "is one above itself?"));
  world_end(&w);
  assert_int_equal(describe_with(&w, "topology_file", "SwitchName=a Nodes=n9\n", text), HC_EINPUT);
  assert_non_null(strstr(w.e.text, "there is no node \"n9\""));
  world_end(&w);
}

/* slurm.conf counts GPUs, and gres.conf says what those of g1 are. */
static void test_types_of_gpus(void **state)
{
  world w;
  (void)state;
  if (describe_with(&w, "gres_file",
                    "NodeName=g[1-2] Name=gpu Type=v100 File=/dev/nvidia[0-3]\nName=mps Count=100\n",
                    "NodeName=g1 Gres=gpu:4\nNodeName=n2 Gres=gpu:1\n") < 0)
    fail_msg("%s", w.e.text);
  const hc_host_class *g = class_of(&w, "g1");
  assert_int_equal(g->attribute_count, 1);
  assert_string_equal(name_of(&w, &g->attributes[0]), "gpu_model");
  assert_true(g->attributes[0].is_text);
  assert_string_equal(hc_lexicon_text(w.lexicon, (uint32_t)g->attributes[0].value), "v100");
  assert_int_equal(class_of(&w, "n2")->attribute_count, 0);
  world_end(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nodes), cmocka_unit_test(test_what_is_wrong),
                                     cmocka_unit_test(test_switches), cmocka_unit_test(test_types_of_gpus),
                                     cmocka_unit_test(test_sinfo)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
