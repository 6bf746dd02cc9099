/* fcfs.c -- first come, first served as another program, on a machine that counts processors.
 *
 *     cc -O2 -o fcfs fcfs.c
 *     hindcast run log.swf --set 'policy={use: process, command: [./fcfs]}'
 *
 * A line of JSON each way; the protocol is in docs/process.md. Texts are searched and not parsed: members of a
 * message always stand in the same order, without spaces. */
#define _GNU_SOURCE /* getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct task {
  long long number, processors;
} task;

static task *queue; /* [first, last) wait */
static size_t first, last, room;

static long long member(const char *text, const char *key)
{
  return atoll(strstr(text, key) + strlen(key));
}

static void join(char *at)
{
  while ((at = strstr(at, "\"task\":"))) {
    if (last == room) queue = realloc(queue, (room = 2 * room + 64) * sizeof *queue);
    if (!queue) exit(1);
    queue[last++] = (task){member(at, "\"task\":"), member(at, "\"processors\":")};
    at++;
  }
}

int main(void)
{
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0 && strncmp(line, "{\"bye\"", 6) != 0) {
    if (strncmp(line, "{\"hello\"", 8) == 0) {
      puts("{\"hello\": 1}");
    } else {
      long long available = member(line, "\"free\":");
      const char *comma = "";
      join(line);
      printf("{\"plan\": [");
      for (; first < last && queue[first].processors <= available; first++, comma = ", ") {
        available -= queue[first].processors;
        printf("%s{\"start\": %lld}", comma, queue[first].number);
      }
      puts("]}");
    }
    (void)fflush(stdout);
  }
  free(line);
  free(queue);
  return 0;
}
