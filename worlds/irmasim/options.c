/* options.c -- what a run is made with: IRMaSim's own options file, and the keys of the run above it.
 *
 * Its defaults are IRMaSim's. Files that it names are looked for beside it, wherever the run is started. */
#include <string.h>

#include "base/util.h"
#include "irmasim/irmasim.h"

int hc_irm_choice(const char *key, const char *word, const char *words, const char *fallback, hc_error *e)
{
  const char *s = words;
  if (!word) word = fallback;
  const size_t n = strlen(word);
  for (int i = 0;; i++) {
    const size_t m = strcspn(s, "|");
    if (m == n && memcmp(s, word, n) == 0) return i;
    if (!s[m]) break;
    s += m + 1;
  }
  return hc_fail(e, HC_EUSAGE, HC_IRM_WHERE, 0, 0, "%s: there is no \"%.80s\"; known are %s", key, word,
                 words);
}

/* The name of a file that another names. */
static const char *beside(hc_arena *a, const char *file, const char *name)
{
  const char *slash = strrchr(file, '/');
  if (name[0] == '/' || !slash) return hc_arena_text(a, name, strlen(name));
  return hc_arena_printf(a, "%.*s/%s", (int)(slash - file), file, name);
}

typedef struct settling {
  hc_world *w;
  const hc_irm_json *file; /* NULL: none */
  const char *path;        /* of it */
  hc_error *e;
} settling;

static hc_rc wrong(const settling *s, const char *key, const char *what)
{
  const hc_irm_json *v = hc_irm_member(s->file, key);
  return hc_fail(s->e, HC_EINPUT, s->path, v->line, v->column, "%s: expected %s", key, what);
}

static hc_rc file_of(const settling *s, const char *said, const char *key, const char **out)
{
  const char *name = hc_irm_string(s->file, key);
  *out = said;
  if (said || !hc_irm_member(s->file, key)) return 0;
  if (!name) return wrong(s, key, "a name");
  *out = beside(&s->w->arena, s->path, name);
  return *out ? 0 : HC_ENOMEM;
}

static hc_rc word_of(const settling *s, const char *said, const char *key, const char **out)
{
  const hc_irm_json *manager = hc_irm_member(s->file, "workload_manager");
  *out = said;
  if (said || !hc_irm_member(manager, key)) return 0;
  *out = hc_irm_string(manager, key);
  if (*out) return 0;
  return hc_fail(s->e, HC_EINPUT, s->path, manager->line, manager->column,
                 "workload_manager.%s: expected a word", key);
}

/* A count, which may be a number or, as the command line of IRMaSim has it, its text. */
static hc_rc count_of(const settling *s, int64_t said, const char *key, bool may_be_random, double most,
                      int64_t fallback, int64_t *out)
{
  const hc_irm_json *v = hc_irm_member(s->file, key);
  hc_irm_number x = {(double)fallback, true};
  *out = said;
  if (said >= 0) return 0;
  if (v && may_be_random && strcmp(v->text, "random") == 0) return 0;
  if (v && !(hc_irm_read(v->text, strlen(v->text), &x) && x.is_whole && x.value >= 0 && x.value <= most))
    return wrong(s, key, may_be_random ? "a whole number of jobs, or \"random\"" : "a whole number from 0");
  *out = (int64_t)x.value;
  return 0;
}

static hc_rc counts(const settling *s)
{
  const hc_irm_options *o = s->w->options;
  hc_irm_settings *set = &s->w->set;
  int64_t seed, n, origin, length;
  TRY(count_of(s, o->seed, "seed", false, 4294967295.0, 0, &seed));
  TRY(count_of(s, o->trajectories, "nbtrajectories", false, 1e6, 1, &n));
  TRY(count_of(s, o->trajectory_origin, "trajectory_origin", true, 4e9, 0, &origin));
  TRY(count_of(s, o->trajectory_length, "trajectory_length", true, 4e9, 0, &length));
  set->seed = (uint32_t)seed;
  set->trajectories = (uint32_t)n;
  set->origin = origin < 0 ? HC_IRM_NONE : (uint32_t)origin;
  set->length = length < 0 ? HC_IRM_NONE : (uint32_t)length;
  return 0;
}

static hc_rc manager_of(const settling *s)
{
  const char *name = NULL;
  TRY(word_of(s, s->w->options->manager, "type", &name));
  if (!name) name = "Minimal";
  s->w->set.manager = hc_irm_manager_find(name);
  if (s->w->set.manager) return 0;
  if (strcmp(name, "Policy") == 0)
    return hc_fail(s->e, HC_EUSAGE, HC_IRM_WHERE, 0, 0,
                   "manager: Policy learns, with torch, and is not part of this program; write a "
                   "policy of your own instead (docs/adding-a-part.md)");
  return hc_fail(s->e, HC_EUSAGE, HC_IRM_WHERE, 0, 0,
                 "manager: there is no \"%.80s\"; known are Minimal, Heuristic, EnergyHeuristic, Backfill, "
                 "Duplex, NodeWM",
                 name);
}

static hc_rc log_type(const settling *s)
{
  const char *name = hc_irm_string(s->file, "log_resource_type");
  if (!hc_irm_member(s->file, "log_resource_type")) return 0;
  s->w->set.log_nodes = name && strcmp(name, "Node") == 0;
  return s->w->set.log_nodes
             ? 0
             : wrong(s, "log_resource_type", "Node, the only one of which IRMaSim writes a log");
}

hc_rc hc_irm_settle(hc_world *w, hc_error *e)
{
  const hc_irm_options *o = w->options;
  hc_irm_settings *set = &w->set;
  settling s = {.w = w, .path = o->options, .e = e};
  if (o->options) TRY(hc_irm_json_read(&w->arena, o->options, &s.file, e));
  TRY(file_of(&s, o->workload, "workload_file", &set->workload));
  TRY(file_of(&s, o->platform, "platform_file", &set->platform));
  TRY(file_of(&s, o->library, "platform_library_path", &set->library));
  set->workload_name = o->workload ? o->workload : hc_irm_string(s.file, "workload_file");
  set->platform_name = o->platform_name ? o->platform_name : hc_irm_string(s.file, "platform_name");
  TRY(word_of(&s, o->job_selection, "job_selection", &set->job_selection));
  TRY(word_of(&s, o->resource_selection, "resource_selection", &set->resource_selection));
  TRY(word_of(&s, o->metric, "metric", &set->metric));
  TRY(word_of(&s, o->scheduling_option, "scheduling_option", &set->scheduling_option));
  TRY(counts(&s));
  TRY(manager_of(&s));
  TRY(log_type(&s));
  if (!set->workload)
    return hc_fail(e, HC_EUSAGE, HC_IRM_WHERE, 0, 0,
                   "there is no workload: say `options: options.json`, IRMaSim's own file, or `workload:`");
  if (!set->platform_name)
    return hc_fail(e, HC_EUSAGE, HC_IRM_WHERE, 0, 0, "which platform is meant? Say `platform_name:`");
  if (!set->platform && !set->library)
    return hc_fail(e, HC_EUSAGE, HC_IRM_WHERE, 0, 0,
                   "there is no platform: say `platform:`, a file, or `library:`");
  return 0;
}
