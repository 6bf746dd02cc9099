/* fcfs.c -- a scheduler that speaks Batsim's protocol, in a hundred lines: first come, first served.
 *
 *     cc -O2 -o fcfs fcfs.c -lzmq && ./fcfs ipc:///tmp/scheduler &
 *     hindcast batsim -p platform.xml -w workload.json -s ipc:///tmp/scheduler
 *
 * It listens (REP) and answers each message with what it wants now: {"now": ..., "events": [...]}. Jobs start in
 * the order in which they are told of, on the lowest machines that are free. Texts are searched and not parsed,
 * which is enough for messages of this shape. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#define MACHINES 65536

typedef struct job {
  char *id;
  int res;
} job;

static unsigned char busy[MACHINES];
static int machines, available;
static job *queue; /* [first, last) wait */
static size_t first, last, room;
static char *answer;
static size_t used, size;

static void say(const char *text)
{
  const size_t n = strlen(text);
  if (used + n + 1 > size) answer = realloc(answer, size = 2 * size + n + 1);
  if (!answer) exit(1);
  memcpy(answer + used, text, n + 1);
  used += n;
}

/* What stands behind a key, from `at` on: a text without its quotes, or a number. Cut off. */
static char *value(char *at, const char *key)
{
  char *v = strstr(at, key);
  if (!v) exit(1);
  v += strlen(key);
  return v + (*v == '"');
}

static void submitted(char *event)
{
  char *id = value(event, "\"job_id\":");
  const size_t n = strcspn(id, "\"");
  const int res = atoi(value(event, "\"res\":"));
  if (last == room) queue = realloc(queue, (room = 2 * room + 64) * sizeof *queue);
  queue[last].id = malloc(n + 1);
  memcpy(queue[last].id, id, n);
  queue[last].id[n] = '\0';
  queue[last++].res = res;
}

/* "0-3 7" is free again. */
static void completed(char *event)
{
  char *s = value(event, "\"alloc\":");
  while (*s != '"') {
    const long from = strtol(s, &s, 10), to = *s == '-' ? strtol(s + 1, &s, 10) : from;
    for (long m = from; m <= to; m++, available++) busy[m] = 0;
    while (*s == ' ') s++;
  }
}

static void start(const char *now, const job *j)
{
  char text[64];
  int left = j->res, m = 0;
  say(answer[used - 1] == '[' ? "{\"timestamp\":" : ",{\"timestamp\":");
  say(now);
  say(",\"type\":\"EXECUTE_JOB\",\"data\":{\"job_id\":\"");
  say(j->id);
  say("\",\"alloc\":\"");
  while (left > 0) {
    while (busy[m]) m++;
    const int from = m;
    while (left > 0 && m < machines && !busy[m]) busy[m++] = 1, left--;
    (void)snprintf(text, sizeof text, left > 0 ? "%d-%d " : "%d-%d", from, m - 1);
    say(text);
  }
  say("\"}}");
  available -= j->res;
}

int main(int argc, char **argv)
{
  void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_REP);
  int is_over = 0;
  if (zmq_bind(socket, argc > 1 ? argv[1] : "tcp://127.0.0.1:28000") < 0) {
    (void)fprintf(stderr, "fcfs: %s\n", zmq_strerror(zmq_errno()));
    return 1;
  }
  while (!is_over) {
    zmq_msg_t m;
    char now[32];
    (void)zmq_msg_init(&m);
    const int n = zmq_msg_recv(&m, socket, 0);
    if (n < 0) return 1;
    char *text = malloc((size_t)n + 1), *event = text;
    memcpy(text, zmq_msg_data(&m), (size_t)n);
    text[n] = '\0';
    (void)zmq_msg_close(&m);
    (void)snprintf(now, sizeof now, "%.*s", (int)strcspn(text + 7, ","), text + 7); /* {"now":12.000000, */
    while ((event = strstr(event, "\"type\":\"")) != NULL) {
      event += 8;
      if (strncmp(event, "JOB_SUBMITTED", 13) == 0) submitted(event);
      if (strncmp(event, "JOB_COMPLETED", 13) == 0) completed(event);
      if (strncmp(event, "SIMULATION_ENDS", 15) == 0) is_over = 1;
      if (strncmp(event, "SIMULATION_BEGINS", 17) != 0) continue;
      available = machines = atoi(value(event, "\"nb_compute_resources\":"));
      break;
    }
    free(text);
    used = 0;
    say("{\"now\":");
    say(now);
    say(",\"events\":[");
    for (; first < last && queue[first].res <= available; first++) {
      start(now, &queue[first]);
      free(queue[first].id);
    }
    say("]}");
    if (zmq_send(socket, answer, used, 0) < 0) return 1;
  }
  free(queue);
  free(answer);
  (void)zmq_close(socket);
  (void)zmq_ctx_term(context);
  return 0;
}
