/* test_azure.c -- Azure's virtual machines of 2017: files, and the tasks that they hold. */
#define _GNU_SOURCE
#include "reader_test.h"

#include <inttypes.h>

extern const hc_reader_type hc_reader_azure_v1;

/* A file, and a line "user group submit run queue cores bytes" for each of its tasks, times in seconds. */
static const struct {
  const char *file, *tasks;
  uint64_t malformed;
} cases[] = {
    {"a=,s1,d1,0,300,99.1,5.5,90,Interactive,2,3.5\n", "1 1 0 300 2 2000 3758096384\n", 0}, /* 3.5 GiB */
    {"a,s1,d1,0,300,9,5,9,Unknown,1,1.75\nb,s2,d1,600,600,9,5,9,Delay-insensitive,4,7\n",
     "1 1 0 300 3 1000 1879048192\n2 1 600 0 1 4000 7516192768\n", 0},
    {"vmcorecount,vmid,vmcreated,vmdeleted\n8,7,60,120.5\n", "-1 -1 60 60 -1 8000 -\n", 0}, /* by titles */
    {"a,s1,d1,900,300,9,5,9,Unknown,1,1.75\nb,s2,d1,0,1,9,5,9,Unknown,1,2\n", /* deleted before it was created */
     "1 1 0 1 3 1000 2147483648\n", 1}};

static void test_files(void **state)
{
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char got[512] = "";
    reading r;
    read_all(&r, &hc_reader_azure_v1, cases[i].file, NULL, NULL, NULL);
    for (size_t k = 0; k < r.count; k++) {
      const hc_task_spec *t = &r.tasks[k];
      const size_t n = strlen(got);
      const int m = snprintf(
          got + n, sizeof got - n, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " ",
          t->user, t->group, t->submit / HC_SECOND, t->run / HC_SECOND, t->queue, t->need[HC_DIM_CPU]);
      if (t->need[HC_DIM_MEMORY] == HC_UNKNOWN)
        snprintf(got + n + (size_t)m, sizeof got - n - (size_t)m, "-\n");
      else snprintf(got + n + (size_t)m, sizeof got - n - (size_t)m, "%" PRId64 "\n", t->need[HC_DIM_MEMORY]);
      assert_true(t->flags & HC_SPEC_AT_START && t->hosts == 1);
    }
    assert_string_equal(got, cases[i].tasks);
    assert_int_equal(r.ledger.rejected[HC_REASON_MALFORMED], cases[i].malformed);
    end_reading(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
