/* edc.c -- a decision component of Batsim 5, a shared object, in a hundred and fifty lines: first come, first
 * served.
 *
 *     cc -O2 -shared -fPIC -o libfcfs.so edc.c
 *     hindcast batsim -p platform.xml -w workload.json -l ./libfcfs.so '' -e out/
 *
 * Three functions are called: batsim_edc_init once, which says that messages are JSON and who it is,
 * batsim_edc_take_decisions for each message, which answers with what it wants now, batsim_edc_deinit at the
 * end. Jobs start in the order in which it is told of them, on the lowest machines that are free. Texts are
 * searched and not parsed, which is enough for messages of this shape. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES 65536

typedef struct job {
  char *id; /* NULL: it is over */
  int res;
  int *on; /* [res] its machines; NULL: it waits */
} job;

static unsigned char busy[MACHINES];
static int machines, available;
static job *jobs; /* [count]: those before `first` have been started, those before `over` are over */
static size_t count, first, over, room;
static char *answer;
static size_t used, size;

/* As Batsim's batsim_edc.h declares them. */
uint8_t batsim_edc_init(const uint8_t *data, uint32_t data_size, uint32_t *flags, uint8_t **reply,
                        uint32_t *reply_size);
uint8_t batsim_edc_take_decisions(const uint8_t *message, uint32_t message_size, uint8_t **decisions,
                                  uint32_t *decisions_size);
uint8_t batsim_edc_deinit(void);

static void say(const char *text)
{
  const size_t n = strlen(text);
  if (used + n + 1 > size) answer = realloc(answer, size = 2 * size + n + 1);
  if (!answer) abort();
  memcpy(answer + used, text, n + 1);
  used += n;
}

/* What stands behind a key, from `at` on: a text without its quotes, or a number. Cut off. */
static const char *value(const char *at, const char *key)
{
  const char *v = strstr(at, key);
  if (!v) abort();
  v += strlen(key);
  return v + (*v == '"');
}

static void submitted(const char *event)
{
  const char *id = value(event, "\"job_id\":");
  const size_t n = strcspn(id, "\"");
  if (count == room) jobs = realloc(jobs, (room = 2 * room + 64) * sizeof *jobs);
  job *j = &jobs[count++];
  j->id = malloc(n + 1);
  memcpy(j->id, id, n);
  j->id[n] = '\0';
  j->res = atoi(value(event, "\"resource_request\":"));
  j->on = NULL;
}

/* Its machines are free again. */
static void completed(const char *event)
{
  const char *id = value(event, "\"job_id\":");
  while (over < first && !jobs[over].id) over++;
  for (size_t i = over; i < first; i++) {
    job *j = &jobs[i];
    if (!j->id || strncmp(id, j->id, strlen(j->id)) != 0 || id[strlen(j->id)] != '"') continue;
    for (int k = 0; k < j->res; k++) busy[j->on[k]] = 0;
    available += j->res;
    free(j->on);
    free(j->id);
    j->id = NULL;
  }
}

static void start(const char *now, job *j)
{
  char text[32];
  say(answer[used - 1] == '[' ? "{\"timestamp\":" : ",{\"timestamp\":");
  say(now);
  say(",\"event_type\":\"ExecuteJobEvent\",\"event\":{\"job_id\":\"");
  say(j->id);
  say("\",\"allocation\":{\"host_allocation\":\"");
  j->on = malloc((size_t)(j->res > 0 ? j->res : 1) * sizeof *j->on);
  for (int m = 0, k = 0; k < j->res; m++) {
    if (busy[m]) continue;
    busy[m] = 1;
    j->on[k++] = m;
    (void)snprintf(text, sizeof text, k < j->res ? "%d " : "%d", m);
    say(text);
  }
  say("\",\"executor_placement_type\":\"PredefinedExecutorPlacementStrategyWrapper\","
      "\"executor_placement\":{\"strategy\":\"SpreadOverHostsFirst\"}}}}");
  available -= j->res;
}

uint8_t batsim_edc_init(const uint8_t *data, uint32_t data_size, uint32_t *flags, uint8_t **reply,
                        uint32_t *reply_size)
{
  (void)data;
  (void)data_size;
  *flags = 2; /* JSON */
  used = 0;
  say("{\"now\":0.0,\"events\":[{\"timestamp\":0.0,\"event_type\":\"EDCHelloEvent\",\"event\":{"
      "\"batprotocol_version\":\"1.0.0\",\"decision_component_name\":\"fcfs\","
      "\"decision_component_version\":\"1.0.0\",\"requested_simulation_features\":{}}}]}");
  *reply = (uint8_t *)answer;
  *reply_size = (uint32_t)used + 1;
  return 0;
}

uint8_t batsim_edc_take_decisions(const uint8_t *message, uint32_t message_size, uint8_t **decisions,
                                  uint32_t *decisions_size)
{
  const char *event = (const char *)message;
  char now[32];
  (void)message_size; /* it ends with a NUL */
  (void)snprintf(now, sizeof now, "%.*s", (int)strcspn(event + 7, ","), event + 7); /* {"now":12.000000, */
  while ((event = strstr(event, "\"event_type\":\"")) != NULL) {
    event += 14;
    if (strncmp(event, "JobSubmittedEvent", 17) == 0) submitted(event);
    if (strncmp(event, "JobCompletedEvent", 17) == 0) completed(event);
    if (strncmp(event, "SimulationBeginsEvent", 21) != 0) continue;
    available = machines = atoi(value(event, "\"computation_host_number\":"));
    if (machines > MACHINES) return 1;
  }
  used = 0;
  say("{\"now\":");
  say(now);
  say(",\"events\":[");
  for (; first < count && jobs[first].res <= available; first++) start(now, &jobs[first]);
  say("]}");
  *decisions = (uint8_t *)answer;
  *decisions_size = (uint32_t)used + 1;
  return 0;
}

uint8_t batsim_edc_deinit(void)
{
  for (size_t i = 0; i < count; i++) {
    free(jobs[i].id);
    if (i < first && jobs[i].id) free(jobs[i].on);
  }
  free(jobs);
  free(answer);
  jobs = NULL;
  answer = NULL;
  count = first = over = room = used = size = 0;
  memset(busy, 0, sizeof busy);
  return 0;
}
