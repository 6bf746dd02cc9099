/* batsim_words.h -- what Batsim 4 and its schedulers say in the sessions of trial.h, for tests of it.
 *
 * Before it is included a test may say what a machine's properties are, and how the configuration that
 * schedulers are told differs from that of a plain run. */
#ifndef HC_TEST_BATSIM_WORDS_H
#define HC_TEST_BATSIM_WORDS_H

#include "trial.h"

#ifndef PROPERTIES
#define PROPERTIES "{}"
#endif
#ifndef CONFIG_DYNAMIC
#define CONFIG_DYNAMIC "false"
#endif
#ifndef CONFIG_FORWARD
#define CONFIG_FORWARD "false"
#endif

#define EVENT(at, type, data) "{\"timestamp\":" at ",\"type\":\"" type "\",\"data\":{" data "}}"
#define SAYS(now, events) "< 0 {\"now\":" now ",\"events\":[" events "]}\n"
#define MESSAGE(now, events) "> {\"now\":" now ",\"events\":[" events "]}\n"

#define MACHINE(id) \
  "{\"id\":" id ",\"name\":\"m-" id "\",\"state\":\"idle\",\"properties\":" PROPERTIES \
  ",\"zone_properties\":{}}"
/* @param acknowledged  does a scheduler hear of the jobs that it has registered? */
#define CONFIG(acknowledged) \
  "{\"redis-enabled\":false,\"redis-hostname\":\"127.0.0.1\",\"redis-port\":6379,\"redis-prefix\":" \
  "\"default\",\"profiles-forwarded-on-submission\":false,\"dynamic-jobs-enabled\":" CONFIG_DYNAMIC \
  ",\"dynamic-jobs-acknowledged\":" acknowledged ",\"profile-reuse-enabled\":" CONFIG_DYNAMIC \
  ",\"sched-config\":\"\",\"forward-unknown-events\":" CONFIG_FORWARD "}"
#define BEGINS_WITH(config) \
  MESSAGE("0.000000", \
          EVENT("0.000000", "SIMULATION_BEGINS", \
                "\"nb_resources\":2,\"nb_compute_resources\":2,\"nb_storage_resources\":0," \
                "\"allow_compute_sharing\":false,\"allow_storage_sharing\":true,\"config\":" config \
                ",\"compute_resources\":[" MACHINE("0") "," MACHINE( \
                    "1") "],\"storage_resources\":[]," \
                         "\"workloads\":{\"w0\":\"" WORKLOAD "\"}," \
                         "\"profiles\":{\"w0\":{\"d5\":{\"type\":\"delay\",\"delay\":5}}}")) \
  SAYS("0.0", "")
#define BEGINS BEGINS_WITH(CONFIG("false"))

#define JOB_A \
  "\"job_id\":\"w0!a\",\"job\":{\"id\":\"w0!a\",\"subtime\":10,\"walltime\":20,\"res\":1," \
  "\"profile\":\"d5\",\"mine\":[1,\"x\"]}"
#define JOB_B "\"job_id\":\"w0!b\",\"job\":{\"id\":\"w0!b\",\"subtime\":10,\"res\":2,\"profile\":\"d5\"}"
/* Both have come, and that there are no more: taken at the time `last`. */
#define BOTH_COME(last) \
  EVENT("11.000000", "JOB_SUBMITTED", JOB_A) \
  "," EVENT("11.000000", "JOB_SUBMITTED", JOB_B) "," EVENT(last, "NOTIFY", \
                                                           "\"type\":\"no_more_static_job_to_submit\"")
#define SUBMITTED MESSAGE("12.000000", BOTH_COME("12.000000"))
#define FIRST BEGINS SUBMITTED

#define EXECUTE(at, job, alloc) EVENT(at, "EXECUTE_JOB", "\"job_id\":\"w0!" job "\",\"alloc\":\"" alloc "\"")
#define REJECT(at, job) EVENT(at, "REJECT_JOB", "\"job_id\":\"w0!" job "\"")
#define ENDS(at) MESSAGE(at, EVENT(at, "SIMULATION_ENDS", "")) SAYS(at, "")

#endif
