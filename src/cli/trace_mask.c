/* trace_mask.c -- `hindcast trace mask`: a workload that can be given away, as far as names go. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

#define KEY_MOST ((size_t)1 << 20)

static const cli_flag mask_flags[] = {
    {.name = "key-file",
     .letter = 'k',
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "The key: all bytes of this file, at least 16. Default: the variable HINDCAST_KEY."},
    CLI_FLAG_WRITE_HERE,
    {.name = "usable", .help = "Leave out what a run could not use, by its rules."},
    {.name = NULL},
};
static const cli_flag *const mask_tables[] = {mask_flags,          cli_to_flags,     cli_window_flags,
                                              cli_transform_flags, cli_config_flags, NULL};

typedef struct masking {
  char *key;
  size_t size;
  hc_mask *mask;
} masking;

static hc_rc read_key_file(cli *c, const char *path, masking *m)
{
  FILE *f = fopen(path, "rb");
  size_t n = 1;
  if (!f)
    return hc_fail(&c->error, errno == ENOMEM ? HC_ENOMEM : HC_EIO, path, 0, 0,
                   "cannot be read: %s; name the file of the key", strerror(errno));
  m->key = malloc(KEY_MOST + 1);
  while (m->key && n > 0 && m->size <= KEY_MOST) {
    n = fread(m->key + m->size, 1, KEY_MOST + 1 - m->size, f);
    m->size += n;
  }
  n = ferror(f) ? 1 : 0;
  (void)fclose(f);
  if (!m->key) return cli_fail(c, HC_ENOMEM, "out of memory for the key");
  if (n) return hc_fail(&c->error, HC_EIO, path, 0, 0, "cannot be read; name the file of the key");
  if (m->size > KEY_MOST)
    return hc_fail(&c->error, HC_EUSAGE, path, 0, 0,
                   "is longer than 1 MiB; give a key, such as 32 random bytes");
  return 0;
}

static hc_rc read_key(cli *c, masking *m)
{
  const char *path = cli_value(c, "key-file"), *word = getenv("HINDCAST_KEY");
  if (path) return read_key_file(c, path, m);
  if (!word || !word[0])
    return cli_fail(
        c, HC_EUSAGE,
        "which key? `head -c 32 /dev/urandom > key` makes one, --key-file key takes it; or set HINDCAST_KEY");
  m->size = strlen(word);
  m->key = malloc(m->size);
  if (!m->key) return cli_fail(c, HC_ENOMEM, "out of memory for the key");
  memcpy(m->key, word, m->size);
  return 0;
}

/* Comments may name people and places, and what made the file may name where it lay. */
static hc_rc begin(cli *c, hc_trace *t, cli_trace_facts *f, void *ctx)
{
  masking *m = ctx;
  f->info.header = NULL;
  f->info.derived = NULL;
  f->info.computer = f->info.installation = f->info.acknowledge = NULL;
  f->note.size = 0;
  hc_buffer_text(&f->note, "masked by hindcast " HC_VERSION);
  return hc_mask_new(c->allocator, m->key, m->size, hc_trace_lexicon(t), &m->mask, &c->error);
}

static hc_rc each(cli *c, hc_trace_task *task, void *ctx)
{
  return hc_mask_task(((masking *)ctx)->mask, &task->spec, &c->error);
}

static void end(void *ctx)
{
  masking *m = ctx;
  hc_mask_free(m->mask);
  m->mask = NULL;
}

static void forget_key(masking *m)
{
  volatile char *p = m->key;
  for (size_t i = 0; p && i < m->size; i++) p[i] = 0;
  free(m->key);
}

static hc_rc mask(cli *c)
{
  masking m = {0};
  hc_rc rc = read_key(c, &m);
  if (rc >= 0)
    rc = cli_trace_write(c, &(cli_trace_job){.doing = "masked",
                                             .progress = "masking",
                                             .mode = cli_has(c, "usable") ? HC_TRACE_TASKS : HC_TRACE_ROWS,
                                             .fewer = cli_trace_changes(c),
                                             .begin = begin,
                                             .each = each,
                                             .end = end,
                                             .ctx = &m});
  forget_key(&m);
  return rc;
}

const cli_command cli_trace_mask = {
    .name = "mask",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Write a workload whose users, groups, programs and names are replaced by a keyed hash.",
    .detail =
        "Users, groups, programs, and queues and partitions that have names become numbers of 48 bits, names "
        "of hosts, zones, features and further dimensions (licences) sixteen digits, by BLAKE2s with the "
        "key: the same key gives the same replacements, and without it names cannot be tried out. The "
        "source's comments are left out.\n"
        "It does not hide times, sizes, run times, states, numbers of jobs (--renumber gives others), queues "
        "and partitions that are numbers, or which tasks are of one user: anyone who knows when a person ran "
        "what finds that person's number, and with it everything else of theirs. Keep the key secret, and "
        "look at what is left before you give the trace away.",
    .examples = "head -c 32 /dev/urandom > key\n"
                "hindcast trace mask january.psv --key-file key --output january.swf",
    .flags = mask_tables,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = mask,
};
