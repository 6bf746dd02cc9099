/* slurm_sinfo.c -- see slurm_sinfo.h.
 *
 *   sinfo --Node --format='%N|%P|%c|%m|%f|%G|%w|%l|%T'
 *
 * A row is a node in a partition, with a bar between columns, which are found by their titles, in any order.
 * Nodes that are alike become a line NodeName=, the nodes of a partition a line PartitionName=. What is down,
 * drained or failing now is left out as a slurm.conf's State leaves it out. So a cluster is known without its
 * slurm.conf, as it stands at this moment; what only that file says (tiers, sockets) is not.
 * Source: https://slurm.schedmd.com/sinfo.html. */
#include "cluster/slurm_sinfo.h"

#include <string.h>

#include "base/input.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/util.h"

#define MOST_COLUMNS 64

enum { NODE, PARTITION, CPUS, MEMORY, FEATURES, GRES, WEIGHT, TIME, STATE, DISK, COLUMNS };

static const struct {
  const char *title;
  int column;
  const char *key; /* of the line NodeName; NULL: of no such line */
} titles[] = {{"NODELIST", NODE, NULL},           {"HOSTNAMES", NODE, NULL},
              {"PARTITION", PARTITION, NULL},     {"CPUS", CPUS, "CPUs"},
              {"MEMORY", MEMORY, "RealMemory"},   {"AVAIL_FEATURES", FEATURES, "Features"},
              {"FEATURES", FEATURES, "Features"}, {"GRES", GRES, "Gres"},
              {"WEIGHT", WEIGHT, "Weight"},       {"TIMELIMIT", TIME, NULL},
              {"STATE", STATE, "State"},          {"TMP_DISK", DISK, "TmpDisk"}};

/* Nodes of a kind, or of a partition: the list of a line that is made. */
typedef struct group {
  hc_buffer nodes;
} group;

typedef struct reading {
  const hc_allocator *allocator;
  const char *path;
  hc_input *in;
  int at[COLUMNS]; /* -1: there is none */
  size_t columns;
  hc_names kinds, partitions, nodes;
  group *of[2]; /* [count] nodes of a kind, of a partition */
  size_t count[2], cap[2];
  hc_error *e;
} reading;

static hc_rc no_memory(const reading *r)
{
  return hc_fail(r->e, HC_ENOMEM, r->path, 0, 0, "out of memory for the nodes");
}

static hc_rc wrong(const reading *r, const char *text)
{
  return hc_fail(r->e, HC_EINPUT, r->path, (uint32_t)HC_MIN(hc_input_lines(r->in), UINT32_MAX), 0, "%s",
                 text);
}

/* Cut a line at its bars, and fields of their blanks. @return how many, at most MOST_COLUMNS + 1 */
static size_t cut(char *line, char *fields[MOST_COLUMNS])
{
  size_t n = 0;
  for (char *at = line, *end; at; at = end ? end + 1 : NULL) {
    end = strchr(at, '|');
    if (end) *end = '\0';
    while (*at == ' ') at++;
    for (size_t k = strlen(at); k > 0 && (at[k - 1] == ' ' || at[k - 1] == '\r'); k--) at[k - 1] = '\0';
    if (n == MOST_COLUMNS) return n + 1;
    fields[n++] = at;
  }
  return n;
}

static bool find_titles(reading *r, char *line)
{
  char *fields[MOST_COLUMNS];
  r->columns = cut(line, fields);
  for (size_t c = 0; c < COLUMNS; c++) r->at[c] = -1;
  for (size_t i = 0; i < r->columns && r->columns <= MOST_COLUMNS; i++)
    for (size_t k = 0; k < HC_ARRAY_LEN(titles); k++)
      if (strcmp(fields[i], titles[k].title) == 0) r->at[titles[k].column] = (int)i;
  return r->at[NODE] >= 0;
}

/* One more node of a kind or a partition, whose line begins so. */
static hc_rc add_node(reading *r, int which, hc_names *names, const hc_buffer *line, const char *node)
{
  uint32_t id;
  if (line->failed || hc_names_add(names, line->data, line->size, &id) < 0) return no_memory(r);
  if (id == r->count[which]) {
    if (hc_reserve(r->allocator, (void **)&r->of[which], &r->cap[which], (size_t)id + 1,
                   sizeof *r->of[which]) < 0)
      return no_memory(r);
    hc_buffer_init(&r->of[which][r->count[which]++].nodes, r->allocator);
  }
  hc_buffer *nodes = &r->of[which][id].nodes;
  hc_buffer_printf(nodes, "%s%s", nodes->size > 0 ? "," : "", node);
  return nodes->failed ? no_memory(r) : 0;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* " CPUs=4 RealMemory=1000 State=idle"; states end in signs ("down*"). */
static void say_kind(const reading *r, char *fields[MOST_COLUMNS], hc_buffer *out)
{
  bool said[COLUMNS] = {false};
  for (size_t k = 0; k < HC_ARRAY_LEN(titles); k++) {
    const int c = titles[k].column;
    if (!titles[k].key || r->at[c] < 0 || said[c]) continue;
    const char *value = fields[r->at[c]];
    size_t n = strlen(value);
    said[c] = true;
    while (c == STATE && n > 0 && !is_letter(value[n - 1])) n--;
    if (n > 0 && strcmp(value, "(null)") != 0)
      hc_buffer_printf(out, " %s=%.*s", titles[k].key, (int)n, value);
  }
}

/* The default partition has a star. */
static hc_rc add_to_partition(reading *r, char *fields[MOST_COLUMNS], hc_buffer *line, const char *node)
{
  char *name = fields[r->at[PARTITION]];
  const size_t n = strlen(name);
  if (n > 0 && name[n - 1] == '*') name[n - 1] = '\0';
  line->size = 0;
  hc_buffer_printf(line, "PartitionName=%s", name);
  if (r->at[TIME] >= 0) hc_buffer_printf(line, " MaxTime=%s", fields[r->at[TIME]]);
  return *name ? add_node(r, 1, &r->partitions, line, node) : 0;
}

static hc_rc take_row(reading *r, char *text, hc_buffer *line)
{
  char *fields[MOST_COLUMNS];
  uint32_t id;
  if (cut(text, fields) != r->columns)
    return wrong(r, "this row has not as many columns as the header: ask sinfo with "
                    "--Node --format='%N|%P|%c|%m|%f|%G|%w|%l|%T'");
  const char *node = fields[r->at[NODE]];
  if (strcmp(node, "NODELIST") == 0 || strcmp(node, "HOSTNAMES") == 0) return 0; /* the header again */
  if (!*node || strpbrk(node, "[,"))
    return wrong(r, "a row of several nodes does not say what each of them has: ask sinfo with --Node");
  const size_t known = r->nodes.count;
  if (hc_names_add(&r->nodes, node, strlen(node), &id) < 0) return no_memory(r);
  line->size = 0;
  say_kind(r, fields, line);
  if (line->size == 0) hc_buffer_text(line, " ");
  if (r->nodes.count > known) TRY(add_node(r, 0, &r->kinds, line, node));
  return r->at[PARTITION] >= 0 ? add_to_partition(r, fields, line, node) : 0;
}

/* Lines as a slurm.conf has them. */
static hc_rc lay(reading *r, hc_conf *out)
{
  hc_buffer line;
  hc_rc rc = 0;
  hc_buffer_init(&line, r->allocator);
  for (int which = 0; which < 2; which++)
    for (size_t i = 0; i < r->count[which] && rc >= 0; i++) {
      const char *of = which == 0 ? r->kinds.names[i] : r->partitions.names[i];
      const char *nodes = r->of[which][i].nodes.data;
      line.size = 0;
      if (which == 0) hc_buffer_printf(&line, "NodeName=%s%s", nodes, of);
      else hc_buffer_printf(&line, "%s Nodes=%s", of, nodes);
      const char *text = line.data;
      rc = line.failed ? no_memory(r) : hc_conf_lay(r->allocator, out, &text, 1, r->path, r->e);
    }
  hc_buffer_fini(&line);
  return rc < 0 ? rc : 1;
}

static hc_rc read_rows(reading *r, hc_conf *out)
{
  hc_buffer line;
  char *text;
  size_t n;
  hc_rc rc = hc_input_line(r->in, &text, &n, r->e);
  if (rc <= 0 || !memchr(text, '|', n) || !find_titles(r, text)) return HC_MIN(rc, 0);
  if (r->at[CPUS] < 0)
    return wrong(r, "there is no column CPUS: ask sinfo with --Node --format='%N|%P|%c|%m|%f|%G|%w|%l|%T'");
  hc_buffer_init(&line, r->allocator);
  while ((rc = hc_input_line(r->in, &text, &n, r->e)) == 1)
    if (n > 0 && (rc = take_row(r, text, &line)) < 0) break;
  hc_buffer_fini(&line);
  return rc < 0 ? rc : lay(r, out);
}

hc_rc hc_sinfo_read(const hc_allocator *a, const char *path, hc_conf *out, hc_error *e)
{
  reading r = {.allocator = a, .path = path, .e = e};
  *out = (hc_conf){.count = 0};
  hc_arena_init(&out->arena, a);
  hc_names_init(&r.kinds, a, UINT32_MAX);
  hc_names_init(&r.partitions, a, UINT32_MAX);
  hc_names_init(&r.nodes, a, UINT32_MAX);
  hc_error unread = {0};
  hc_rc rc =
      hc_input_open(a, path, &r.in, &unread) < 0 ? 0 : 1; /* if not, reading it as a slurm.conf tells why */
  if (rc > 0) rc = read_rows(&r, out);
  hc_input_free(r.in);
  for (int which = 0; which < 2; which++) {
    for (size_t i = 0; i < r.count[which]; i++) hc_buffer_fini(&r.of[which][i].nodes);
    hc_free(a, r.of[which], r.cap[which] * sizeof *r.of[which]);
  }
  hc_names_fini(&r.kinds);
  hc_names_fini(&r.partitions);
  hc_names_fini(&r.nodes);
  return rc;
}
