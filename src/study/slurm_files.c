/* slurm_files.c -- what the carrier `slurm` writes for its elements: the study, the batch script, and parts
 * that begin with what is known already. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "study/shell.h"
#include "study/slurm.h"

typedef hc_slurm_options options;
typedef hc_slurm_array array;

hc_rc hc_slurm_path(const array *a, char out[HC_SLURM_PATH], hc_error *e, const char *format, ...)
{
  va_list args;
  size_t n = strlen(a->dir);
  int more;
  memcpy(out, a->dir, n);
  out[n++] = '/';
  va_start(args, format);
  more = vsnprintf(out + n, HC_SLURM_PATH - n, format, args);
  va_end(args);
  return more >= 0 && n + (size_t)more < HC_SLURM_PATH
             ? 0
             : hc_fail(e, HC_EIO, a->dir, 0, 0, "the path is too long");
}

hc_rc hc_slurm_write(const array *a, const char *name, const char *mode, const void *data, size_t size,
                     hc_error *e)
{
  char path[HC_SLURM_PATH];
  FILE *f;
  bool ok;
  TRY(hc_slurm_path(a, path, e, "%s", name));
  f = fopen(path, mode);
  ok = f && fwrite(data, 1, size, f) == size;
  if (f && fclose(f) != 0) ok = false;
  return ok ? 0
            : hc_fail(e, errno == ENOMEM ? HC_ENOMEM : HC_EIO, path, 0, 0, "cannot write: %s",
                      strerror(errno));
}

/* Which element does the combination or the position `at`; `at` must not fall from call to call. */
uint64_t hc_slurm_owner(const array *a, uint64_t at, uint64_t *shard)
{
  const hc_study *s = a->t->study;
  if (s->stop.figure) return at % a->count + 1;
  while (at >= hc_study_shard_begin(s, *shard + 1, a->count)) ++*shard;
  return *shard;
}

/* ---- what is known already goes into the parts, so that no element does it again ---- */

typedef struct seeds {
  array *a;
  uint32_t *owners; /* [product] number of the element; 0: none needs it */
  bool *begun;      /* [count] */
  hc_buffer head, record, sets;
} seeds;

static hc_rc add_seed(seeds *s, uint64_t number, const hc_buffer *b, hc_error *e)
{
  char name[96];
  (void)snprintf(name, sizeof name, "part.points-%" PRIu64 "-of-%" PRIu64, number, s->a->count);
  return b->failed ? HC_ENOMEM : hc_slurm_write(s->a, name, "ab", b->data, b->size, e);
}

static hc_rc seed_set(void *ctx, const hc_record *r, hc_error *e)
{
  seeds *s = ctx;
  s->record.size = 0;
  hc_record_write(&s->record, r->head, r->values, r->text, r->head.text_size);
  hc_record_write(&s->sets, r->head, r->values, r->text, r->head.text_size);
  for (uint64_t i = 0; i < s->a->count; i++)
    if (s->begun[i]) TRY(add_seed(s, i + 1, &s->record, e));
  return 0;
}

static hc_rc seed_point(void *ctx, const hc_record *r, uint64_t offset, hc_error *e)
{
  seeds *s = ctx;
  const uint64_t p = r->head.point;
  const uint32_t number = p < s->a->t->study->product ? s->owners[p] : 0;
  if (number == 0 || s->a->t->offset[p] != offset + 1) return 0; /* or it was found anew later */
  s->record.size = 0;
  if (!s->begun[number - 1]) {
    hc_record_write(&s->record,
                    (hc_record_head){.kind = HC_RECORD_HEAD,
                                     .point = s->a->t->study->product,
                                     .count = number,
                                     .state = (uint32_t)s->a->count},
                    NULL, s->head.data, s->head.size);
    hc_buffer_add(&s->record, s->sets.data, s->sets.size);
    s->begun[number - 1] = true;
  }
  hc_record_write(&s->record, r->head, r->values, r->text, r->head.text_size);
  return add_seed(s, number, &s->record, e);
}

static hc_rc fill_seeds(seeds *s, hc_error *e)
{
  const hc_study *study = s->a->t->study;
  const hc_journal_visit visit = {.ctx = s, .set = seed_set, .point = seed_point};
  uint64_t shard = 1;
  hc_journal *j;
  hc_rc rc;
  if (!s->owners || !s->begun || hc_study_heading(study, &s->head) < 0) return HC_ENOMEM;
  for (uint64_t at = 0; at < study->product; at++) {
    const uint64_t point = hc_study_point_at(study, at);
    const uint64_t number = hc_slurm_owner(s->a, study->stop.figure ? point / study->stop.max : at, &shard);
    if (s->a->elements[number - 1].open > 0) s->owners[point] = (uint32_t)number;
  }
  TRY(hc_journal_read(study->allocator, hc_journal_path(s->a->t->journal), &j, e));
  rc = hc_journal_each(j, &visit, e);
  hc_journal_close(j);
  return rc;
}

hc_rc hc_slurm_seed(array *a, hc_error *e)
{
  const hc_allocator *m = a->t->study->allocator;
  const uint64_t product = a->t->study->product;
  const hc_study_progress *p = &a->t->progress;
  seeds s = {.a = a};
  hc_rc rc;
  if (p->done + p->failed + p->crashed + p->late == 0) return 0;
  s.owners = hc_alloc(m, product * sizeof *s.owners);
  s.begun = hc_alloc(m, a->count * sizeof *s.begun);
  hc_buffer_init(&s.head, m);
  hc_buffer_init(&s.record, m);
  hc_buffer_init(&s.sets, m);
  rc = fill_seeds(&s, e);
  hc_buffer_fini(&s.head);
  hc_buffer_fini(&s.record);
  hc_buffer_fini(&s.sets);
  hc_free(m, s.owners, product * sizeof *s.owners);
  hc_free(m, s.begun, a->count * sizeof *s.begun);
  return rc == HC_ENOMEM ? hc_fail(e, rc, "", 0, 0, "out of memory for what is known of the study") : rc;
}

int64_t hc_slurm_cpus(const array *a)
{
  return a->t->how->jobs > 0 ? (int64_t)a->t->how->jobs : a->o->cpus;
}

/* ---- the script ---- */

static hc_rc put_option(hc_buffer *b, const char *name, const char *value, hc_error *e)
{
  if (!value || !value[0]) return 0;
  for (const char *c = value; *c; c++)
    if ((unsigned char)*c < ' ')
      return hc_fail(e, HC_EUSAGE, "slurm", 0, 0, "via.%s has a line break or another unprintable character",
                     name);
  hc_buffer_printf(b, "#SBATCH --%s%s%s\n", name[0] == '-' ? name + 2 : name, value[0] ? "=" : "", value);
  return 0;
}

/* Letters that have no meaning anywhere. */
static void put_name(hc_buffer *b, const char *name)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  for (; *name; name++) hc_buffer_add(b, strchr(plain, *name) ? name : "_", 1);
}

static hc_rc put_options(const array *a, hc_buffer *b, hc_error *e)
{
  const options *o = a->o;
  hc_buffer_text(b, "#SBATCH --job-name=hindcast-");
  put_name(b, a->t->study->name);
  hc_buffer_printf(b, "\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%" PRId64 "\n",
                   hc_slurm_cpus(a));
  if (o->time != HC_UNKNOWN) {
    const int64_t s = (o->time + HC_SECOND - 1) / HC_SECOND;
    hc_buffer_printf(b, "#SBATCH --time=%" PRId64 "-%02d:%02d:%02d\n", s / 86400, (int)(s / 3600 % 24),
                     (int)(s / 60 % 60), (int)(s % 60));
  }
  TRY(put_option(b, "partition", o->partition, e));
  TRY(put_option(b, "account", o->account, e));
  TRY(put_option(b, "qos", o->qos, e));
  TRY(put_option(b, "mem", o->memory, e));
  for (size_t i = 0; i < o->sbatch.count; i++) {
    const char *text = ((const char *const *)o->sbatch.items)[i];
    if (strncmp(text, "--", 2) != 0 || strpbrk(text, "\n\r"))
      return hc_fail(e, HC_EUSAGE, "slurm", 0, 0,
                     "via.sbatch: expected options of sbatch such as --constraint=avx2, got \"%.80s\"", text);
    hc_buffer_printf(b, "#SBATCH %s\n", text);
  }
  return 0;
}

/* This very program, if it is the command and not another program that uses the library. */
static void put_command(const array *a, hc_buffer *b)
{
  char path[HC_SLURM_PATH];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  const char *name = a->o->command, *slash;
  if (!name && n > 0) {
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (slash && strcmp(slash, "/hindcast") == 0) name = path;
  }
  hc_shell_quote(b, name ? name : "hindcast");
}

static void put_limit(hc_buffer *b, const char *name, double seconds)
{
  char text[40];
  if (!(seconds > 0)) return;
  text[hc_format_real(seconds, text)] = '\0';
  hc_buffer_printf(b, " --limit %s=%s", name, text);
}

static hc_rc write_script(const array *a, hc_buffer *b, hc_error *e)
{
  const hc_study *s = a->t->study;
  hc_buffer_printf(b,
                   "#!/bin/sh\n# One of %" PRIu64
                   " elements of a study; made by `hindcast study run --via slurm`. "
                   "Started twice, it goes on where it was.\n",
                   a->count);
  TRY(put_options(a, b, e));
  for (size_t i = 0; i < a->o->setup.count; i++)
    hc_buffer_printf(b, "%s\n", ((const char *const *)a->o->setup.items)[i]);
  hc_buffer_text(b, "cd ");
  hc_shell_quote(b, a->cwd);
  hc_buffer_text(b, " || exit\ndir=");
  hc_shell_quote(b, a->dir);
  hc_buffer_text(b, "\nexec ");
  put_command(a, b);
  hc_buffer_printf(b,
                   " study run \"$dir/study.json\" --via local --jobs %" PRId64 " \\\n"
                   "  --shard \"$SLURM_ARRAY_TASK_ID/%" PRIu64 "\" --out \"$dir/part\" --quiet",
                   hc_slurm_cpus(a), a->count);
  put_limit(b, "time", s->time_limit);
  put_limit(b, "cpu", s->cpu_limit);
  hc_buffer_text(b, "\n");
  return b->failed ? HC_ENOMEM : hc_slurm_write(a, "array.sh", "wb", b->data, b->size, e);
}

hc_rc hc_slurm_write_files(const array *a, hc_error *e)
{
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, a->t->study->allocator);
  rc = write_script(a, &b, e);
  b.size = 0;
  if (rc >= 0) rc = hc_study_text(a->t->study, &b);
  if (rc >= 0) rc = hc_slurm_write(a, "study.json", "wb", b.data, b.size, e);
  hc_buffer_fini(&b);
  return rc == HC_ENOMEM ? hc_fail(e, rc, "", 0, 0, "out of memory for the batch script") : rc;
}
