/* schedulers_test.h -- what the tests of schedulers that share a cell share: tasks as a small table, and when
 * they start. */
#ifndef HC_SCHEDULERS_TEST_H
#define HC_SCHEDULERS_TEST_H

#include "starts_test.h"

#define SOURCE \
  "source: {use: csv, file: FILE, job: job, id: id, submit: at, run: run, cpu: cpu, user: user}\n" \
  "policy: fcfs\nmetrics: [tasks]\nparanoid: true\n"
#define TITLES "job,id,at,run,cpu,user\n"
#define HOSTS(count, cpus) \
  "cell: {use: hosts, classes: [{count: " #count ", name_prefix: c, cpus: " #cpus "}]}\n"

static inline void assert_refused(const char *yaml, const char *why)
{
  bench b;
  assert_true(try_text(&b, yaml, TITLES "1,1,0,5,1,1\n") < 0);
  if (!strstr(b.error.text, why))
    fail_msg("%s\nis refused by\n%s\nwhich does not say: %s", yaml, b.error.text, why);
  end(&b);
}

#endif
