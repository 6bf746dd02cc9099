/* fcfs.c -- an algorithm that speaks ElastiSim's protocol, in C: first come, first served.
 *
 *     cc -O2 -o fcfs fcfs.c -lzmq && ./fcfs ipc:///tmp/elastisim.ipc &
 *     hindcast run configuration.json --policy elastisim
 *
 * What algorithm.py does beside it with ElastiSim's library: each job starts with its most nodes, the first that are
 * free, and has what it asks for where that is free. Texts are searched and not parsed, which is enough for messages
 * of this shape. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { PENDING = 1, SCHEDULED_CODE = 0x4401, END_CODE = 0x44FF };
#define CODES 0xFFEC0000L

typedef struct job {
  long most, gpus;
  int waits;
} job;

static job *jobs;                       /* [job_count] by their numbers */
static long job_count, first, job_room; /* none before `first` waits */
static long *owner;                     /* [node_count] the job on a node; -1: it is free */
static long node_count, node_room;
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

static void say_number(const char *before, long n)
{
  char text[64];
  (void)snprintf(text, sizeof text, "%s%ld", before, n);
  say(text);
}

/* The number behind a key, from `at` on; -1: there is none before `end`. */
static long number(const char *at, const char *end, const char *key)
{
  const char *v = strstr(at, key);
  return v && v < end ? strtol(v + strlen(key), NULL, 10) : -1;
}

/* Behind the object that begins here. */
static const char *skip(const char *at)
{
  int depth = 0, is_text = 0;
  do {
    if (*at == '\\') at++;
    else if (*at == '"') is_text = !is_text;
    else if (!is_text && *at == '{') depth++;
    else if (!is_text && *at == '}') depth--;
    at++;
  } while (depth > 0 && *at);
  return at;
}

static void hear_job(const char *at, const char *end)
{
  const long id = number(at, end, "\"id\":"), rigid = number(at, end, "\"num_nodes\":");
  while (job_count <= id) {
    if (job_count == job_room) jobs = realloc(jobs, (size_t)(job_room = 2 * job_room + 64) * sizeof *jobs);
    if (!jobs) exit(1);
    jobs[job_count++].waits = 0;
  }
  jobs[id].most = rigid >= 0 ? rigid : number(at, end, "\"num_nodes_max\":");
  jobs[id].gpus = number(at, end, "\"assigned_num_gpus_per_node\":");
  jobs[id].waits = number(at, end, "\"state\":") == PENDING;
  if (jobs[id].waits && id < first) first = id;
}

static void hear_node(const char *at, const char *end)
{
  const long id = number(at, end, "\"id\":"), has = number(at, end, "\"assigned_jobs\":[");
  const char *list = strstr(at, "\"assigned_jobs\":[");
  while (node_count <= id) {
    if (node_count == node_room)
      owner = realloc(owner, (size_t)(node_room = 2 * node_room + 64) * sizeof *owner);
    if (!owner) exit(1);
    node_count++;
  }
  owner[id] = list[17] != ']' ? has : number(at, end, "\"state\":") == 0 ? -1 : -2; /* -2: away, or kept */
}

static void hear_all(const char *text, const char *key, void (*hear)(const char *at, const char *end))
{
  const char *at = strstr(text, key);
  if (!at) exit(1);
  for (at += strlen(key); *at == '{' || *at == ',';) {
    if (*at == ',') at++;
    const char *end = skip(at);
    hear(at, end);
    at = end;
  }
}

static long count_of(long whose)
{
  long n = 0;
  for (long i = 0; i < node_count; i++) n += owner[i] == whose;
  return n;
}

/* So many nodes, those that it has first. */
static void assign(long id, long n)
{
  const long had = count_of(id);
  long left = n, more = n > had ? n - had : 0;
  say_number(answer[used - 1] == '[' ? "{\"id\":" : ",{\"id\":", id);
  say(",\"assigned_node_ids\":[");
  for (long i = 0; i < node_count; i++) {
    if (owner[i] == id && left > more) left--;
    else if (owner[i] == id) {
      owner[i] = -1; /* it is given up */
      continue;
    } else if (owner[i] == -1 && more > 0) more--, left--;
    else continue;
    owner[i] = id;
    say_number(answer[used - 1] == '[' ? "" : ",", i);
  }
  say_number("],\"assigned_num_gpus_per_node\":", jobs[id].gpus);
  say(",\"kill_flag\":false,\"modified_runtime_args\":false}");
}

static void schedule(const char *text)
{
  const char *end = strstr(text, "\"jobs\":");
  const long id = number(text, end, "\"job_id\":"), wants = number(text, end, "\"evolving_request\":");
  used = 0;
  say_number("{\"code\":", CODES + SCHEDULED_CODE);
  say(",\"jobs\":[");
  if (wants >= 0 && wants - count_of(id) <= count_of(-1)) assign(id, wants);
  for (; first < job_count && (!jobs[first].waits || jobs[first].most <= count_of(-1)); first++) {
    if (jobs[first].waits) assign(first, jobs[first].most);
    jobs[first].waits = 0;
  }
  say("]}");
}

int main(int argc, char **argv)
{
  void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
  if (zmq_connect(socket, argc > 1 ? argv[1] : "ipc:///tmp/elastisim.ipc") < 0) {
    (void)fprintf(stderr, "fcfs: %s\n", zmq_strerror(zmq_errno()));
    return 1;
  }
  for (;;) {
    zmq_msg_t m;
    (void)zmq_msg_init(&m);
    const int n = zmq_msg_recv(&m, socket, 0);
    if (n < 0) return 1;
    char *text = malloc((size_t)n + 1);
    if (!text) return 1;
    memcpy(text, zmq_msg_data(&m), (size_t)n);
    text[n] = '\0';
    (void)zmq_msg_close(&m);
    const int is_over = number(text, text + n, "\"code\":") == CODES + END_CODE;
    if (!is_over) {
      hear_all(text, "\"jobs\":[", hear_job);
      hear_all(text, "\"nodes\":[", hear_node);
      schedule(text);
    }
    free(text);
    if (is_over) break;
    if (zmq_send(socket, answer, used, 0) < 0) return 1;
  }
  free(jobs);
  free(owner);
  free(answer);
  (void)zmq_close(socket);
  (void)zmq_ctx_term(context);
  return 0;
}
