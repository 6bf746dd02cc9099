/* slurm_users.c -- `hindcast slurm users`: accounts in whose names a log's jobs are replayed, made and
 * removed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slurm.h"
#include "slurm/users.h"

static const cli_flag own_flags[] = {
    {.name = "list",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "The list of them, a line each of NAME:UID. What is not in it is never removed."},
    {.name = "do", .help = "Do it. Default: only show what would be done."},
    {.name = "prefix", .metavar = "NAME", .help = "Create: what their names begin with. Default: psu."},
    {.name = "first-uid",
     .metavar = "UID",
     .help = "Create: where their uids begin, 20000 at least. Default: 20001."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

static hc_rc need_list(cli *c, const char **list)
{
  *list = cli_value(c, "list");
  return *list ? 0 : cli_fail(c, HC_EUSAGE, "--list FILE says where they are written down");
}

/* Carry a command out, or show it. */
static hc_rc carry_out(cli *c, const hc_pseudo_user *u, bool make, hc_buffer *said)
{
  const char *argv[12];
  char uid[32];
  hc_pseudo_command(u, make, argv, uid);
  if (cli_has(c, "do")) return hc_cluster_ask(c->allocator, NULL, argv, said, &c->error);
  for (size_t i = 0; argv[i]; i++) hc_buffer_printf(&c->out, "%s%s", i ? " " : "would run: ", argv[i]);
  hc_buffer_text(&c->out, "\n");
  return 0;
}

static void conclude(cli *c, const char *verb, size_t count)
{
  if (cli_has(c, "do")) hc_buffer_printf(&c->out, "%zu users %s\n", count, verb);
  else
    hc_buffer_printf(&c->out, "nothing was done: %zu users would be %s; --do does it, as root\n", count,
                     verb);
}

static hc_rc create(cli *c)
{
  const char *list, *prefix = cli_value(c, "prefix");
  int64_t count = 0, first = HC_PSEUDO_LEAST + 1;
  hc_pseudo_users users = {.allocator = c->allocator};
  hc_buffer said;
  size_t from;
  FILE *f;
  hc_rc rc = 0;
  if (c->operand_count != 2)
    return cli_fail(c, HC_EUSAGE, "how many? `hindcast slurm users create 20 --list FILE`");
  CLI_TRY(need_list(c, &list));
  CLI_TRY(cli_int(c, "first-uid", HC_PSEUDO_LEAST, HC_PSEUDO_MOST, &first));
  if (hc_parse_int(c->operands[1], strlen(c->operands[1]), &count) < 0 || count < 1 || count > 10000)
    return cli_fail(c, HC_EUSAGE, "how many? Expected a number from 1 to 10000, got \"%.80s\"",
                    c->operands[1]);
  hc_buffer_init(&said, c->allocator);
  f = fopen(list, "r");
  if (f) {
    (void)fclose(f);
    rc = hc_pseudo_read(c->allocator, list, &users, &c->error);
  }
  from = users.count;
  if (rc >= 0)
    rc = hc_pseudo_plan(&users, (size_t)count, prefix ? prefix : "psu", first, &hc_accounts_of_machine,
                        &c->error);
  /* In the list first: what is made and not listed could never be removed. */
  if (rc >= 0 && cli_has(c, "do")) rc = hc_pseudo_write(&users, 0, list, &c->error);
  for (size_t i = from; rc >= 0 && i < users.count; i++) rc = carry_out(c, &users.items[i], true, &said);
  if (rc >= 0) conclude(c, "created", users.count - from);
  hc_buffer_fini(&said);
  hc_pseudo_fini(&users);
  return rc;
}

static hc_rc delete (cli *c)
{
  const char *list;
  hc_pseudo_users users = {.allocator = c->allocator};
  hc_buffer said;
  size_t count = 0;
  hc_rc rc;
  CLI_TRY(need_list(c, &list));
  hc_buffer_init(&said, c->allocator);
  rc = hc_pseudo_read(c->allocator, list, &users, &c->error);
  /* All are looked at before the first is removed. */
  for (size_t i = 0; rc >= 0 && i < users.count; i++)
    rc = hc_pseudo_may_delete(&users.items[i], &hc_accounts_of_machine, &c->error);
  for (size_t i = 0; rc >= 0 && i < users.count; i++) {
    rc = hc_pseudo_may_delete(&users.items[i], &hc_accounts_of_machine, &c->error);
    if (rc <= 0) continue;
    rc = carry_out(c, &users.items[i], false, &said);
    count += rc >= 0;
  }
  if (rc >= 0 && cli_has(c, "do")) rc = hc_pseudo_write(&users, users.count, list, &c->error);
  if (rc >= 0) conclude(c, "deleted", count);
  hc_buffer_fini(&said);
  hc_pseudo_fini(&users);
  return rc < 0 ? rc : 0;
}

static hc_rc run(cli *c)
{
  if (strcmp(c->operands[0], "create") == 0) return create(c);
  if (strcmp(c->operands[0], "delete") != 0)
    return cli_fail(c, HC_EUSAGE, "expected create or delete, got \"%.80s\"", c->operands[0]);
  if (c->operand_count != 1 || cli_has(c, "prefix") || cli_has(c, "first-uid"))
    return cli_fail(c, HC_EUSAGE,
                    "delete takes the list and nothing else: `hindcast slurm users delete --list FILE`");
  return delete (c);
}

const cli_command cli_slurm_users = {
    .name = "users",
    .operands = "create N | delete",
    .summary = "Make and remove pseudo-users, in whose names a log's jobs are replayed; first show how.",
    .detail =
        "Without --do nothing happens. Each has no home, no password and no shell, and a uid of 20000 at "
        "least that is free; it is in the list before it is made. Removed is what the list names and "
        "no other: if one of it has another uid on this machine, none is removed. Files are left alone.",
    .examples = "hindcast slurm users create 20 --list pseudo-users  # shows how\n"
                "hindcast slurm users create 20 --list pseudo-users --do\n"
                "hindcast slurm replay LOG --on DIR --users pseudo-users\n"
                "hindcast slurm users delete --list pseudo-users --do",
    .flags = flags,
    .min = 1,
    .max = 2,
    .complete = "create|delete",
    .run = run,
};
