/* compare_notes.c -- what sets results apart that stand side by side: machines, inputs, workloads.
 *
 * Figures of different machines or different tasks can be put into one table, and sometimes that is the
 * question; that they are so has to be said. Each result is compared with the first. Of results with the same
 * inputs only transforms can make other tasks of them; of generated workloads every key of the source, and
 * the seed. Shared objects are inputs of a run and no workload: they are told apart. */
#include <string.h>

#include "cli/compare.h"

typedef struct facts {
  /* texts that are equal where the thing is; files and object_files: what is shown of these */
  hc_buffer machine, inputs, files, workload, objects, object_files;
  hc_buffer plugins; /* paths of shared objects, a line each */
  uint64_t hosts;
  bool is_recorded; /* what happened, not what was simulated */
} facts;

static hc_rc note_fact(void *ctx, const char *const *v)
{
  facts *f = ctx;
  if (v[0] && v[1] && strcmp(v[0], "processors") == 0) hc_buffer_printf(&f->machine, "%s processors", v[1]);
  return 0;
}

static hc_rc note_host(void *ctx, const char *const *v)
{
  facts *f = ctx;
  (void)v;
  f->hosts++;
  return 0;
}

/* Whether the configuration loads this path as a shared object. */
static bool is_object(const facts *f, const char *path)
{
  const size_t n = strlen(path);
  for (const char *p = f->plugins.size ? f->plugins.data : ""; *p;) {
    const size_t m = strcspn(p, "\n");
    if (m == n && memcmp(p, path, n) == 0) return true;
    p += m + (p[m] == '\n');
  }
  return false;
}

static hc_rc note_input(void *ctx, const char *const *v)
{
  facts *f = ctx;
  if (!v[0] || !v[2]) return 0;
  const bool is_code = is_object(f, v[0]);
  hc_buffer *sums = is_code ? &f->objects : &f->inputs, *names = is_code ? &f->object_files : &f->files;
  hc_buffer_printf(sums, "%s\n", v[2]);
  hc_buffer_printf(names, "%s%s", names->size ? ", " : "", v[0]);
  return 0;
}

static bool starts(const char *path, const char *root)
{
  const size_t n = strlen(root);
  return strncmp(path, root, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

static hc_rc note_plugin(void *ctx, const char *const *v)
{
  facts *f = ctx;
  if (v[0] && v[1] && v[1][0] && starts(v[0], "plugin")) hc_buffer_printf(&f->plugins, "%s\n", v[1]);
  return 0;
}

static hc_rc note_key(void *ctx, const char *const *v)
{
  facts *f = ctx;
  const bool made = f->inputs.size == 0 && !f->is_recorded;
  if (!v[0]) return 0;
  if (starts(v[0], "transforms") ||
      (made && (starts(v[0], "source") || starts(v[0], "seed") || starts(v[0], "replication"))))
    hc_buffer_printf(&f->workload, "%s: %s\n", v[0], v[1] ? v[1] : "");
  return 0;
}

static hc_rc gather(cli *c, hc_result *r, facts *f)
{
  hc_buffer *all[] = {&f->machine, &f->inputs,       &f->files,  &f->workload,
                      &f->objects, &f->object_files, &f->plugins};
  *f = (facts){.is_recorded = cli_result_is_recorded(c, r)};
  for (size_t i = 0; i < CLI_LEN(all); i++) hc_buffer_init(all[i], c->allocator);
  CLI_TRY(hc_result_rows(r, "hindcast", 2, note_fact, f, &c->error));
  CLI_TRY(hc_result_rows(r, "hosts", 12, note_host, f, &c->error));
  if (f->hosts) {
    f->machine.size = 0;
    hc_buffer_printf(&f->machine, "%llu hosts", (unsigned long long)f->hosts);
  }
  CLI_TRY(hc_result_rows(r, "configuration", 3, note_plugin, f, &c->error));
  CLI_TRY(hc_result_rows(r, "inputs", 3, note_input, f, &c->error));
  CLI_TRY(hc_result_rows(r, "configuration", 3, note_key, f, &c->error));
  for (size_t i = 0; i < CLI_LEN(all); i++)
    if (all[i]->failed) return cli_fail(c, HC_ENOMEM, "out of memory for the notes");
  return 0;
}

static void drop(facts *f)
{
  hc_buffer_fini(&f->machine);
  hc_buffer_fini(&f->inputs);
  hc_buffer_fini(&f->files);
  hc_buffer_fini(&f->workload);
  hc_buffer_fini(&f->objects);
  hc_buffer_fini(&f->object_files);
  hc_buffer_fini(&f->plugins);
}

static bool same(const hc_buffer *a, const hc_buffer *b)
{
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static const char *text(const hc_buffer *b)
{
  return b->size ? b->data : "none";
}

/* The first line of two texts that is not the same in both. */
static void first_difference(const hc_buffer *a, const hc_buffer *b, const char **x, int *n, const char **y,
                             int *m)
{
  const char *p = a->size ? a->data : "", *q = b->size ? b->data : "";
  for (;;) {
    const size_t i = strcspn(p, "\n"), k = strcspn(q, "\n");
    if (i != k || memcmp(p, q, i) != 0 || !p[i] || !q[k]) {
      *x = p;
      *n = (int)i;
      *y = q;
      *m = (int)k;
      return;
    }
    p += i + 1;
    q += k + 1;
  }
}

static void say(hc_buffer *out, const cli_schedule *first, const facts *a, const cli_schedule *s,
                const facts *b)
{
  const char *x, *y;
  int n, m;
  if (!same(&a->machine, &b->machine))
    hc_buffer_printf(out, "the machines differ: %s in %s, %s in %s\n", text(&a->machine), first->name,
                     text(&b->machine), s->name);
  if (!same(&a->objects, &b->objects))
    hc_buffer_printf(out, "the shared objects differ: %s in %s, %s in %s%s\n", text(&a->object_files),
                     first->name, text(&b->object_files), s->name,
                     same(&a->object_files, &b->object_files) ? " (the file has changed between)" : "");
  if (a->is_recorded != b->is_recorded)
    hc_buffer_printf(
        out,
        "%s is what happened, under rules that a log does not tell (limits, partitions, downtime): "
        "compare policies with each other rather than with it\n",
        a->is_recorded ? first->name : s->name);
  /* an analysis has no table of inputs */
  if (a->is_recorded != b->is_recorded && (a->inputs.size == 0 || b->inputs.size == 0)) return;
  if (!same(&a->inputs, &b->inputs))
    hc_buffer_printf(out, "the inputs differ: %s in %s, %s in %s%s\n", text(&a->files), first->name,
                     text(&b->files), s->name,
                     same(&a->files, &b->files) ? " (the file has changed between)" : "");
  else if (!same(&a->workload, &b->workload)) {
    first_difference(&a->workload, &b->workload, &x, &n, &y, &m);
    hc_buffer_printf(out, "the workloads differ: %.*s in %s, %.*s in %s\n", n ? n : 7, n ? x : "nothing",
                     first->name, m ? m : 7, m ? y : "nothing", s->name);
  }
}

hc_rc cli_compare_notes(cli *c, const cli_schedule *s, size_t count, hc_buffer *out)
{
  facts first = {.hosts = 0};
  hc_rc rc = 0;
  if (count < 2 || !s[0].result) return 0;
  rc = gather(c, s[0].result, &first);
  for (size_t i = 1; rc >= 0 && i < count; i++) {
    facts f;
    if (!s[i].result) continue;
    rc = gather(c, s[i].result, &f);
    if (rc >= 0) say(out, &s[0], &first, &s[i], &f);
    drop(&f);
  }
  drop(&first);
  return rc < 0 ? rc : 0;
}
