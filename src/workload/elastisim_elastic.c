/* elastisim_elastic.c -- application models of ElastiSim as profiles of jobs whose number of nodes is settled
 * when they start, and may change.
 *
 *   phases                a `phase` each, of `iterations` rounds; before each but the very first a `point`:
 *     scheduling_point      of the phase whose round is over (after its last round: final_scheduling_point),
 *                           for jobs that are malleable or adaptive
 *     evolving_request      of the phase whose round follows, for jobs that are evolving or adaptive; only
 * where
 *                           it comes to another number than the job has, and then it comes before the point
 *   on_reconfiguration    on all nodes, when they have changed; on_expansion  then on those that are new
 *   cpu                   `ranks`, which deals out by the number of nodes at that time; or a computation
 * alone
 *   gpu                   `gpus`, beside `ranks` for messages of nodes, and a delay for those on a node
 *   pfs_read ... bb_write file_read and file_write of those ranks
 *
 * What a payload comes to follows from the number of nodes at the time, so performance models become
 * expressions of profiles: a job's arguments, num_nodes_min, num_nodes_max and num_gpus_per_node are put in
 * as numbers, name by name (ElastiSim replaces texts, so that an argument x spoils exp); num_nodes and
 * phase_iteration, counted from 0, stay. In on_expansion num_nodes is how many are new. What names neither
 * becomes a number. Vectors and matrices that are written out are for rigid jobs. The rest is as in
 * elastisim_model.c. */
#include <string.h>

#include "base/expr.h"
#include "base/text.h"
#include "base/util.h"
#include "execution/expressions.h"
#include "workload/elastisim_model.h"
#include "workload/elastisim_tree.h"

enum { NESTING = 32 };

typedef struct making {
  hc_elastisim_models *m;
  const hc_elastisim_job *job;
  hc_arena *a;
  const hc_value *change, *growth; /* profiles; NULL: none */
  hc_error *e;
} making;

/* ---- trees ---- */

static hc_rc new_idle(making *k, hc_value **out)
{
  TRY(hc_elastisim_new_profile(k->a, "idle", out));
  return hc_elastisim_put_number(k->a, *out, "time", 0);
}

/* ---- performance models ---- */

static bool is_letter(char c)
{
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static size_t word_at(const char *s)
{
  size_t n = 0;
  while (is_letter(s[n]) || is_digit(s[n])) n++;
  return n;
}

/* A number with its exponent: 1e9 names nothing. */
static size_t number_at(const char *s)
{
  size_t n = 0;
  while (is_digit(s[n]) || s[n] == '.') n++;
  if (n > 0 && (s[n] == 'e' || s[n] == 'E')) {
    const size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
    if (is_digit(s[n + 1 + sign])) n += 1 + sign;
    while (is_digit(s[n])) n++;
  }
  return n;
}

static bool is_word(const char *s, size_t n, const char *word)
{
  return strlen(word) == n && memcmp(s, word, n) == 0;
}

/* What a name stands for. @return false: for itself */
static bool value_of(const making *k, const char *s, size_t n, double *out)
{
  const hc_value *arguments = k->job->arguments;
  for (size_t i = 0; arguments && i < arguments->count; i++)
    if (is_word(s, n, arguments->items[i]->key)) {
      const char *text = arguments->items[i]->text;
      return arguments->items[i]->kind == HC_VALUE_SCALAR && hc_parse_real(text, strlen(text), out) == 0;
    }
  if (is_word(s, n, "num_nodes_min")) *out = (double)k->job->least;
  else if (is_word(s, n, "num_nodes_max")) *out = (double)k->job->most;
  else if (is_word(s, n, "num_gpus_per_node")) *out = (double)k->job->gpus;
  else return false;
  return true;
}

/* With names replaced. */
static hc_rc translate(making *k, const hc_value *v, hc_buffer *b)
{
  const char *s = v->text;
  char text[32];
  while (*s) {
    size_t n = number_at(s);
    double x;
    if (n == 0) n = word_at(s);
    if (n == 0) hc_buffer_add(b, s++, 1);
    if (n == 0) continue;
    if (is_digit(*s) || *s == '.' || s[n] == '(') hc_buffer_add(b, s, n);
    else if (is_word(s, n, "phase_iteration")) hc_buffer_text(b, "iteration");
    else if (is_word(s, n, "num_gpus")) hc_buffer_printf(b, "(num_nodes * %lld)", (long long)k->job->gpus);
    else if (!value_of(k, s, n, &x)) hc_buffer_add(b, s, n);
    else {
      (void)hc_format_real(x, text);
      hc_buffer_text(b, "(");
      hc_buffer_text(b, text);
      hc_buffer_text(b, ")");
    }
    s += n;
  }
  return b->failed ? HC_ENOMEM : 0;
}

/* A number, or the text of an expression over what is known when it is needed.
 * @param by  "%s" in it is the payload; NULL: it alone @param text out: NULL: `x` is the number */
static hc_rc payload(making *k, const hc_value *v, const char *before, const char *behind, const char **text,
                     double *x)
{
  static const char *const names[] = {"num_nodes", "iteration"};
  static const double nothing[] = {1, 0};
  hc_error mine = {0};
  hc_expr *expr;
  hc_buffer b;
  hc_rc rc;
  if (v->kind != HC_VALUE_SCALAR)
    return hc_value_fail(
        v, k->e, HC_EINPUT,
        "%s: vectors and matrices that are written out are for rigid jobs: this one may have "
        "%lld to %lld nodes",
        v->key ? v->key : "payload", (long long)k->job->least, (long long)k->job->most);
  hc_buffer_init(&b, k->m->allocator);
  hc_buffer_text(&b, before);
  rc = translate(k, v, &b);
  hc_buffer_text(&b, behind);
  *text = rc == 0 && !b.failed ? hc_arena_text(k->a, b.data, b.size) : NULL;
  hc_buffer_fini(&b);
  if (!*text) return HC_ENOMEM;
  rc = hc_expr_compile(k->a, *text, names, HC_ARRAY_LEN(names), &expr, &mine);
  if (rc < 0) return hc_value_fail(v, k->e, HC_EINPUT, "%s: %s", v->key ? v->key : "payload", mine.text);
  if (hc_expr_reads(expr, 0) || hc_expr_reads(expr, 1)) return 0;
  *text = NULL;
  *x = hc_expr_value(expr, nothing);
  if (*x - *x == 0) return 0;
  return hc_value_fail(v, k->e, HC_EINPUT, "\"%.80s\" comes to %g", v->text, *x);
}

/* @param before, behind  of the payload in brackets: "(" ... ") / num_nodes" */
static hc_rc put_payload(making *k, hc_value *map, const char *key, const hc_value *v, const char *before,
                         const char *behind)
{
  const char *text;
  double x = 0;
  TRY(payload(k, v, before, behind, &text, &x));
  if (!text) return hc_elastisim_put_number(k->a, map, key, x);
  text = hc_arena_printf(k->a, "=%s", text);
  return text ? hc_elastisim_put_word(k->a, map, key, text, true) : HC_ENOMEM;
}

/* One of a list of words. */
static hc_rc word_of(making *k, const hc_value *task, const char *key, const char *const (*words)[2],
                     size_t count, size_t *out)
{
  const hc_value *v;
  TRY(hc_elastisim_need(task, key, &v, k->e));
  for (*out = 0; *out < count; (*out)++)
    if (v->kind == HC_VALUE_SCALAR && strcmp(v->text, words[*out][0]) == 0) return 0;
  return hc_value_fail(v, k->e, HC_EINPUT, "%s: \"%.60s\" is not known, or for rigid jobs alone", key,
                       v->kind == HC_VALUE_SCALAR ? v->text : "");
}

/* ---- tasks ---- */

/* ElastiSim's words, and ours. */
static const char *const deals[][2] = {{"uniform", "uniform"}, {"total", "total"},     {"all_ranks", "total"},
                                       {"root_only", "root"},  {"even_ranks", "even"}, {"odd_ranks", "odd"}};
static const char *const talks[][2] = {{"all_to_all", "all_to_all"},
                                       {"gather", "gather"},
                                       {"scatter", "scatter"},
                                       {"ring", "ring"},
                                       {"ring_clockwise", "clockwise"},
                                       {"ring_counter_clockwise", "counter"},
                                       {"master_worker", "master_worker"}};
/* What one of those that have something has, of a payload in brackets; and which those are. */
static const char *const shares[] = {")", ") / num_nodes",           ") / num_nodes",
                                     ")", ") / ceil(num_nodes / 2)", ") / max(floor(num_nodes / 2), 1)"};
static const char *const ranks[] = {"all", "all", "all", "root", "even", "odd"};

static hc_rc make_cpu(making *k, const hc_value *task, hc_value **out)
{
  const hc_value *flops = hc_value_get(task, "flops"), *bytes = hc_value_get(task, "bytes");
  size_t deal = 0, talk = 0;
  bool coupled;
  if (!flops && !bytes)
    return hc_value_fail(task, k->e, HC_EINPUT, "a cpu task has `flops`, `bytes` or both");
  TRY(hc_elastisim_flag(task, "coupled", false, &coupled, k->e));
  if (flops) TRY(word_of(k, task, "computation_pattern", deals, HC_ARRAY_LEN(deals), &deal));
  if (bytes) TRY(word_of(k, task, "communication_pattern", talks, HC_ARRAY_LEN(talks), &talk));
  if (!bytes && deal < 3) {
    TRY(hc_elastisim_new_profile(k->a, "compute_homogeneous", out));
    return put_payload(k, *out, "compute_work", flops, "(", shares[deal]);
  }
  TRY(hc_elastisim_new_profile(k->a, "ranks", out));
  if (flops) TRY(put_payload(k, *out, "work", flops, "(", ")"));
  if (flops) TRY(hc_elastisim_put_word(k->a, *out, "compute", deals[deal][1], false));
  if (bytes) TRY(put_payload(k, *out, "size", bytes, "(", ")"));
  if (bytes) TRY(hc_elastisim_put_word(k->a, *out, "send", talks[talk][1], false));
  return coupled ? hc_elastisim_put_word(k->a, *out, "coupled", "true", false) : 0;
}

/* As elastisim_model.c deals it out, with the number of nodes to come. */
static hc_rc make_gpu_talk(making *k, const hc_value *task, hc_value *list)
{
  const hc_value *bytes = hc_value_get(task, "bytes");
  const long long g = (long long)k->job->gpus;
  hc_value *part;
  size_t talk;
  TRY(word_of(k, task, "communication_pattern", talks, HC_ARRAY_LEN(talks), &talk));
  TRY(hc_elastisim_gpus(task, talks[talk][0], g, k->m->gpu_bandwidth, k->e));
  const bool is_ring = talk >= 3 && g > 1, is_all = talk == 0 && g > 1;
  const char *apart =
      is_all    ? hc_arena_printf(k->a, ") * (num_nodes * %lld - %lld) / (num_nodes * %lld - 1)", g, g, g)
      : is_ring ? hc_arena_printf(k->a, ") / %lld", g)
                : ")";
  if (!apart) return HC_ENOMEM;
  TRY(hc_elastisim_new_profile(k->a, "ranks", &part));
  TRY(put_payload(k, part, "size", bytes, "(", apart));
  TRY(hc_elastisim_put_word(k->a, part, "send", talks[talk][1], false));
  TRY(hc_value_append(k->a, list, part));
  if (g == 1) return 0;
  const char *inside =
      is_all ? hc_arena_printf(k->a, ") * 2 / (num_nodes * %lld * (num_nodes * %lld - 1)) / %.17g", g, g,
                               k->m->gpu_bandwidth)
             : hc_arena_printf(k->a, ") * (num_nodes == 1 ? 1 : %lld / (num_nodes * %lld)) / %lld / %.17g",
                               g - 1, g, g == 2 ? 1 : g, k->m->gpu_bandwidth);
  if (!inside) return HC_ENOMEM;
  TRY(hc_elastisim_new_profile(k->a, "idle", &part));
  TRY(put_payload(k, part, "time", bytes, "(", inside));
  return hc_value_append(k->a, list, part);
}

static hc_rc make_gpu(making *k, const hc_value *task, hc_value **out)
{
  const hc_value *flops = hc_value_get(task, "flops"), *bytes = hc_value_get(task, "bytes");
  hc_value *list, *part;
  size_t deal;
  if (!flops && !bytes)
    return hc_value_fail(task, k->e, HC_EINPUT, "a gpu task has `flops`, `bytes` or both");
  TRY(hc_elastisim_gpus(task, NULL, k->job->gpus, 0, k->e));
  TRY(hc_elastisim_new_profile(k->a, "parallel", out));
  TRY(hc_elastisim_new_list(k->a, *out, "profiles", &list));
  if (flops) {
    TRY(word_of(k, task, "computation_pattern", deals, HC_ARRAY_LEN(deals), &deal));
    TRY(hc_elastisim_new_profile(k->a, "gpus", &part));
    TRY(put_payload(k, part, "work", flops, "(", ")"));
    TRY(hc_elastisim_put_word(k->a, part, "deal", deals[deal][1], false));
    TRY(hc_elastisim_put_number(k->a, part, "gpus", (double)k->job->gpus));
    TRY(hc_value_append(k->a, list, part));
  }
  return bytes ? make_gpu_talk(k, task, list) : 0;
}

static hc_rc make_io(making *k, const hc_value *task, const char *type, hc_value **out)
{
  const hc_value *bytes;
  size_t deal;
  TRY(hc_elastisim_need(task, "bytes", &bytes, k->e));
  TRY(word_of(k, task, "pattern", deals, HC_ARRAY_LEN(deals), &deal));
  TRY(hc_elastisim_new_profile(k->a, strstr(type, "read") ? "file_read" : "file_write", out));
  TRY(hc_elastisim_put_word(k->a, *out, "path", type[0] == 'p' ? k->m->pfs : k->m->burst_buffer, true));
  TRY(put_payload(k, *out, "size", bytes, "(", shares[deal]));
  return hc_elastisim_put_word(k->a, *out, "ranks", ranks[deal], false);
}

/* It lasts as long as on the node where it is the longest. */
static hc_rc make_idle(making *k, const hc_value *task, hc_value **out)
{
  const hc_value *delay;
  size_t deal = 0;
  TRY(hc_elastisim_need(task, "delay", &delay, k->e));
  if (hc_value_get(task, "pattern")) TRY(word_of(k, task, "pattern", deals, HC_ARRAY_LEN(deals), &deal));
  const char *unit = hc_arena_printf(k->a, "%s * %.17g", shares[deal], k->m->unit);
  if (!unit) return HC_ENOMEM;
  TRY(hc_elastisim_new_profile(k->a, "idle", out));
  return put_payload(k, *out, "time", delay, "(", unit);
}

static hc_rc make_tasks(making *k, const hc_value *tasks, size_t from, const hc_value *times, int depth,
                        hc_value **out);

static hc_rc make_once(making *k, const hc_value *task, const char *type, int depth, hc_value **out)
{
  const hc_value *tasks;
  hc_elastisim_kind kind;
  TRY(hc_elastisim_kind_of(task, type, &kind, k->e));
  switch (kind) {
    case HC_ELASTISIM_CPU: return make_cpu(k, task, out);
    case HC_ELASTISIM_GPU: return make_gpu(k, task, out);
    case HC_ELASTISIM_IO: return make_io(k, task, type, out);
    case HC_ELASTISIM_IDLE: return make_idle(k, task, out);
    case HC_ELASTISIM_SEQUENCE: break;
  }
  TRY(hc_elastisim_need(task, "tasks", &tasks, k->e));
  return make_tasks(k, tasks, 0, NULL, depth + 1, out);
}

/* So many times, rounded down. @param is_nothing out: not once */
static hc_rc put_times(making *k, hc_value *map, const char *key, const hc_value *times, bool *is_nothing)
{
  const char *text = NULL;
  double x = 1;
  *is_nothing = false;
  if (!times) return 0;
  TRY(payload(k, times, "", "", &text, &x));
  if (text) return put_payload(k, map, key, times, "floor(", ")");
  if (!(x >= 0 && x <= 1e12))
    return hc_value_fail(times, k->e, HC_EINPUT, "%g iterations are not 0 to 10^12", x);
  *is_nothing = x < 1;
  return x < 2 ? 0 : hc_elastisim_put_number(k->a, map, key, (double)(int64_t)x);
}

static hc_rc make_repeated(making *k, const hc_value *task, int depth, bool *is_async, hc_value **out)
{
  const hc_value *type;
  hc_value *once, *list;
  bool is_nothing;
  if (task->kind != HC_VALUE_MAP) return hc_value_fail(task, k->e, HC_EINPUT, "a task is an object");
  TRY(hc_elastisim_need(task, "type", &type, k->e));
  TRY(hc_elastisim_flag(task, "async", false, is_async, k->e));
  TRY(make_once(k, task, type->kind == HC_VALUE_SCALAR ? type->text : "", depth, &once));
  *out = once;
  if (!hc_value_get(task, "iterations")) return 0;
  TRY(hc_elastisim_new_profile(k->a, "sequence", out));
  TRY(hc_elastisim_new_list(k->a, *out, "profiles", &list));
  TRY(hc_value_append(k->a, list, once));
  TRY(put_times(k, *out, "repeat", hc_value_get(task, "iterations"), &is_nothing));
  return is_nothing ? new_idle(k, out) : 0;
}

static hc_rc make_task(making *k, const hc_value *task, int depth, bool *is_async, hc_value **out)
{
  TRY(make_repeated(k, task, depth, is_async, out));
  return k->m->labels ? hc_elastisim_label(k->a, task, out) : 0;
}

/* Those from `from` on, so many times: what is asynchronous goes on beside those behind it. */
static hc_rc make_tasks(making *k, const hc_value *tasks, size_t from, const hc_value *times, int depth,
                        hc_value **out)
{
  hc_value *list, *task, *rest, *pair, *both;
  bool is_nothing;
  if (tasks->kind != HC_VALUE_LIST) return hc_value_fail(tasks, k->e, HC_EINPUT, "tasks are an array");
  if (depth > NESTING)
    return hc_value_fail(tasks, k->e, HC_ELIMIT, "tasks are nested deeper than %d", NESTING);
  TRY(hc_elastisim_new_profile(k->a, "sequence", out));
  TRY(hc_elastisim_new_list(k->a, *out, "profiles", &list));
  TRY(put_times(k, *out, "repeat", times, &is_nothing));
  if (is_nothing) return new_idle(k, out);
  for (size_t i = from; i < tasks->count; i++) {
    bool is_async;
    TRY(make_task(k, tasks->items[i], depth, &is_async, &task));
    if (is_async && i + 1 < tasks->count) {
      TRY(make_tasks(k, tasks, i + 1, NULL, depth + 1, &rest));
      TRY(hc_elastisim_new_profile(k->a, "parallel", &pair));
      TRY(hc_elastisim_new_list(k->a, pair, "profiles", &both));
      TRY(hc_value_append(k->a, both, task));
      TRY(hc_value_append(k->a, both, rest));
      return hc_value_append(k->a, list, pair);
    }
    TRY(hc_value_append(k->a, list, task));
  }
  return list->count > 0 ? 0 : new_idle(k, out);
}

/* ---- phases ---- */

static hc_rc make_once_only(making *k, const hc_value *model, const char *key, hc_value **out)
{
  const hc_value *phase = hc_value_get(model, key), *tasks;
  *out = NULL;
  if (!phase) return 0;
  TRY(hc_elastisim_need(phase, "tasks", &tasks, k->e));
  return make_tasks(k, tasks, 0, hc_value_get(phase, "iterations"), 0, out);
}

/* Between a round of `last` and one of `next`. @param out NULL: there is none */
static hc_rc make_point(making *k, const hc_value *last, const hc_value *next, hc_value **out)
{
  const hc_value *asks = k->job->changes & HC_SIZED_BY_ITSELF ? hc_value_get(next, "evolving_request") : NULL;
  bool scheduling, final = true;
  *out = NULL;
  TRY(hc_elastisim_flag(last, "scheduling_point", true, &scheduling, k->e));
  if (last != next) TRY(hc_elastisim_flag(last, "final_scheduling_point", true, &final, k->e));
  scheduling = scheduling && final && (k->job->changes & HC_SIZED_RUNNING);
  if (!scheduling && !asks) return 0;
  TRY(hc_elastisim_new_profile(k->a, "point", out));
  TRY(hc_elastisim_put_word(k->a, *out, "scheduling", scheduling ? "true" : "false", false));
  if (asks) TRY(hc_elastisim_put_word(k->a, *out, "asks", "true", false));
  if (asks) TRY(put_payload(k, *out, "request", asks, "", ""));
  if (k->change) TRY(hc_value_put(k->a, *out, "on_change", (hc_value *)(uintptr_t)k->change));
  if (k->growth) TRY(hc_value_put(k->a, *out, "on_growth", (hc_value *)(uintptr_t)k->growth));
  return 0;
}

/* @param last the phase before it; NULL: it is the first */
static hc_rc make_phase(making *k, const hc_value *phase, const hc_value *last, hc_value *all)
{
  const hc_value *tasks;
  hc_value *part, *body, *point;
  bool is_nothing;
  TRY(hc_elastisim_need(phase, "tasks", &tasks, k->e));
  TRY(make_tasks(k, tasks, 0, NULL, 0, &body));
  TRY(hc_elastisim_new_profile(k->a, "phase", &part));
  TRY(hc_value_put(k->a, part, "profile", body));
  TRY(put_times(k, part, "iterations", hc_value_get(phase, "iterations"), &is_nothing));
  if (is_nothing) return 0;
  TRY(make_point(k, phase, phase, &point));
  if (point) TRY(hc_value_put(k->a, part, "between", point));
  if (last) TRY(make_point(k, last, phase, &point));
  if (last && point) TRY(hc_value_put(k->a, part, "enter", point));
  return hc_value_append(k->a, all, part);
}

static hc_rc make_model(making *k, const hc_value *model, hc_value **out)
{
  const hc_value *phases, *last = NULL;
  hc_value *all, *init, *change, *growth;
  TRY(hc_elastisim_need(model, "phases", &phases, k->e));
  if (phases->kind != HC_VALUE_LIST) return hc_value_fail(phases, k->e, HC_EINPUT, "phases are an array");
  TRY(make_once_only(k, model, "on_init", &init));
  TRY(make_once_only(k, model, "on_reconfiguration", &change));
  TRY(make_once_only(k, model, "on_expansion", &growth));
  k->change = change;
  k->growth = growth;
  TRY(hc_elastisim_new_profile(k->a, "sequence", out));
  TRY(hc_elastisim_new_list(k->a, *out, "profiles", &all));
  if (init) TRY(hc_value_append(k->a, all, init));
  for (size_t i = 0; i < phases->count; i++) {
    const size_t before = all->count;
    TRY(make_phase(k, phases->items[i], last, all));
    if (all->count > before) last = phases->items[i];
  }
  return all->count > 0 ? 0 : new_idle(k, out);
}

hc_rc hc_elastisim_elastic(hc_elastisim_models *m, const char *file, const hc_elastisim_job *job,
                           const char **text, size_t *size, hc_error *e)
{
  making k = {.m = m, .job = job, .a = &m->scratch, .e = e};
  const hc_value *model;
  hc_value *tree = NULL;
  hc_chosen unused;
  hc_arena_reset(&m->scratch);
  TRY(hc_elastisim_read(m, file, &model, e));
  TRY(make_model(&k, model, &tree));
  TRY(hc_expressions_resolve(m->book, &m->scratch, tree, &unused, NULL, e));
  return hc_elastisim_text(m, tree, model, job->most, text, size, e);
}
