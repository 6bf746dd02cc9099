/* schedule.c -- schedules to compare and verify: results, and files that other programs wrote. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

bool cli_is_result(const char *path)
{
  char head[16] = {0};
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not fopen: that needs memory */
  const ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
  if (fd >= 0) (void)close(fd);
  return n == (ssize_t)sizeof head && memcmp(head, "SQLite format 3", sizeof head) == 0;
}

/* The library's memory becomes the command's, so that both kinds of schedule are freed alike. */
static hc_rc read_file(cli *c, const char *path, cli_schedule *out)
{
  hc_schedule s;
  CLI_TRY(hc_schedule_read(c->allocator, path, &s, &c->error));
  out->records.items = malloc((s.count + 1) * sizeof *s.records);
  if (out->records.items) {
    memcpy(out->records.items, s.records, s.count * sizeof *s.records);
    out->records.count = s.count;
    out->records.cap = s.count + 1;
    out->format = s.format;
  }
  hc_schedule_free(c->allocator, &s);
  return out->records.items ? 0 : cli_fail(c, HC_ENOMEM, "out of memory for a schedule");
}

hc_rc cli_schedule_open(cli *c, const char *path, cli_schedule *out)
{
  hc_rc rc;
  *out = (cli_schedule){.path = path};
  cli_stem(path, out->name, sizeof out->name);
  if (!cli_is_result(path)) return read_file(c, path, out);
  CLI_TRY(cli_result_open(c, path, &out->result));
  out->format = "result";
  rc = cli_records_load(c, out->result, &out->records);
  if (rc < 0) cli_schedule_close(c, out);
  return rc;
}

void cli_schedule_close(cli *c, cli_schedule *s)
{
  cli_result_close(c, s->result);
  cli_records_fini(c, &s->records);
  *s = (cli_schedule){0};
}
