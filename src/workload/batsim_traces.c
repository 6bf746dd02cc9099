/* batsim_traces.c -- traces of ranks that a profile of Batsim replays, as profiles.
 *
 * A file lists one trace a rank; a trace has one action a line, which begins with the rank. Usage traces
 * have m_usage alone: each phase lasts as long as one core takes for its work, and keeps the share of its
 * host's cores busy that it names, which power follows from. Of SMPI's time-independent traces computations
 * become works one after another, and where ranks communicate, all of them stand still until that is done: a
 * step. So traces are exact where each communication is one of all ranks (any collective; send and recv
 * between two), and refused elsewhere. Each message has 16 bytes more than it says, SMPI's envelope (tag,
 * receiver, communicator). A barrier is an empty one from each rank to rank 0, and then one back. What is
 * sent of up to 64 KiB does not keep its sender: so ranks that reduce last are done before the root is.
 *
 * At its end each rank reports to the host of the first, one at a time, as Batsim 4 has it: the profile
 * `replay` does this. Sizes of data types are SimGrid's, by number; without one a unit is a byte. */
#include "workload/batsim_traces.h"

#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "base/text.h"
#include "base/util.h"

enum { RANKS_MOST = 384, WORDS = 8, PATH = 4096, EAGER = 65536, ENVELOPE = 16 };

typedef enum action_kind {
  COMPUTE,
  SEND,
  RECV,
  BCAST,
  ALLTOALL,
  BARRIER,
  REDUCE,
  ALLREDUCE,
  END
} action_kind;

typedef struct action {
  double amount; /* work, or bytes */
  double usage;  /* of a usage trace: share of its host's cores that it keeps busy */
  uint32_t kind, other, line, padding;
} action;

typedef struct rank {
  const char *file;
  action *actions;
  size_t count, cap, at;
} rank;

typedef struct replaying {
  hc_arena *a;
  const hc_allocator *allocator;
  rank *ranks;
  size_t count, cap;
  hc_value *steps; /* list */
  double report;   /* B */
  bool is_usage;   /* usage traces */
  hc_error *e;
} replaying;

/* ---- files ---- */

static hc_rc beside(const char *base, const char *name, char *path)
{
  const char *slash = strrchr(base, '/');
  const int n = name[0] == '/' || !slash ? snprintf(path, PATH, "%s", name)
                                         : snprintf(path, PATH, "%.*s/%s", (int)(slash - base), base, name);
  return n > 0 && n < PATH ? 0 : HC_EINPUT;
}

static size_t split(char *line, char **words)
{
  size_t n = 0;
  for (char *p = line; n < WORDS;) {
    p += strspn(p, " \t\r");
    if (*p == '\0') break;
    words[n++] = p;
    p += strcspn(p, " \t\r");
    if (*p != '\0') *p++ = '\0';
  }
  return n;
}

static bool number(char **words, size_t n, size_t i, double *out)
{
  return i < n && hc_parse_real(words[i], strlen(words[i]), out) == 0 && *out >= 0 && *out < 1e300;
}

/* Bytes of a unit: data types of SimGrid, by number. */
static double unit_of(char **words, size_t n, size_t i)
{
  static const uint8_t sizes[] = {8,  4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8,
                                  16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
  int64_t type;
  if (i >= n || hc_parse_int(words[i], strlen(words[i]), &type) < 0) return 1;
  return type >= 0 && type < (int64_t)HC_ARRAY_LEN(sizes) ? sizes[type] : 1;
}

/* @return 1: an action; 0: a line without one; -1: it is not read */
static int parse(char **words, size_t n, bool smpi, action *out)
{
  static const struct {
    const char *word;
    action_kind kind;
    uint32_t amount, other, type; /* which words; 0: none */
  } known[] = {{"compute", COMPUTE, 2, 0, 0},     {"send", SEND, 4, 2, 5},
               {"recv", RECV, 4, 2, 5},           {"bcast", BCAST, 2, 3, 4},
               {"allToAll", ALLTOALL, 2, 0, 4},   {"alltoall", ALLTOALL, 2, 0, 4},
               {"barrier", BARRIER, 0, 0, 0},     {"reduce", REDUCE, 2, 4, 5},
               {"allReduce", ALLREDUCE, 2, 0, 4}, {"allreduce", ALLREDUCE, 2, 0, 4}};
  double other = 0;
  *out = (action){0};
  if (!smpi) {
    out->kind = COMPUTE;
    return n == 4 && strcmp(words[1], "m_usage") == 0 && number(words, n, 2, &out->usage) &&
                   out->usage <= 1 && number(words, n, 3, &out->amount)
               ? 1
               : -1;
  }
  if (n < 2) return -1;
  if (strcmp(words[1], "init") == 0 || strcmp(words[1], "finalize") == 0) return 0;
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++) {
    if (strcmp(known[i].word, words[1]) != 0) continue;
    out->kind = known[i].kind;
    if (known[i].amount && !number(words, n, known[i].amount, &out->amount)) return -1;
    if (known[i].other && (!number(words, n, known[i].other, &other) || other >= RANKS_MOST)) return -1;
    if (out->kind != COMPUTE && known[i].type) out->amount *= unit_of(words, n, known[i].type);
    out->other = (uint32_t)other;
    return 1;
  }
  return -1;
}

static hc_rc read_rank(replaying *r, rank *x, bool smpi)
{
  hc_input *in;
  char *line, *words[WORDS];
  size_t size;
  hc_rc rc;
  TRY(hc_input_open(r->allocator, x->file, &in, r->e));
  while ((rc = hc_input_line(in, &line, &size, r->e)) == 1) {
    action act;
    char text[64];
    const uint32_t number_of_line = (uint32_t)hc_input_lines(in);
    (void)snprintf(text, sizeof text, "%s", line);
    const size_t n = split(line, words);
    const int is = n == 0 || words[0][0] == '#' ? 0 : parse(words, n, smpi, &act);
    if (is < 0) {
      rc = hc_fail(r->e, HC_EUNSUPPORTED, x->file, number_of_line, 1, "the action \"%s\" is not replayed: %s",
                   text,
                   smpi ? "init, finalize, compute, send, recv, bcast, alltoall, barrier, reduce and "
                          "allreduce are"
                        : "a usage trace has lines such as \"0 m_usage 0.5 1000\"");
      break;
    }
    if (is == 0) continue;
    act.line = number_of_line;
    rc = hc_reserve(r->allocator, (void **)&x->actions, &x->cap, x->count + 1, sizeof *x->actions);
    if (rc < 0) break;
    x->actions[x->count++] = act;
  }
  hc_input_free(in);
  return rc;
}

static hc_rc read_ranks(replaying *r, const char *list)
{
  hc_input *in;
  char *line, path[PATH], *words[WORDS];
  size_t size;
  hc_rc rc;
  TRY(hc_input_open(r->allocator, list, &in, r->e));
  while ((rc = hc_input_line(in, &line, &size, r->e)) == 1) {
    if (split(line, words) == 0) continue;
    rc = r->count == RANKS_MOST ? HC_ELIMIT : beside(list, words[0], path);
    if (rc == 0) rc = hc_reserve(r->allocator, (void **)&r->ranks, &r->cap, r->count + 1, sizeof *r->ranks);
    if (rc < 0) break;
    r->ranks[r->count] = (rank){.file = hc_arena_text(r->a, path, strlen(path))};
    if (!r->ranks[r->count++].file) rc = HC_ENOMEM;
    if (rc < 0) break;
  }
  hc_input_free(in);
  if (rc == HC_ELIMIT) return hc_fail(r->e, rc, list, 0, 0, "more than %d ranks", RANKS_MOST);
  if (rc == 0 && r->count == 0) return hc_fail(r->e, HC_EINPUT, list, 0, 0, "it lists no trace of a rank");
  return rc;
}

/* ---- profiles ---- */

static hc_value *scalar(replaying *r, const char *text)
{
  return hc_value_scalar(r->a, text, HC_FROM_FILE);
}

static hc_value *list_of(replaying *r)
{
  hc_value *list = hc_value_map(r->a);
  if (list) list->kind = HC_VALUE_LIST;
  return list;
}

static hc_value *real(replaying *r, double x)
{
  char text[32];
  (void)hc_format_real(x, text);
  return scalar(r, text);
}

static hc_rc put(replaying *r, hc_value *map, const char *key, hc_value *v)
{
  return v ? hc_value_put(r->a, map, key, v) : HC_ENOMEM;
}

static hc_value *profile(replaying *r, const char *use)
{
  hc_value *map = hc_value_map(r->a);
  return map && put(r, map, "use", scalar(r, use)) == 0 ? map : NULL;
}

/* What a rank computes from where it is to its next communication. */
static hc_rc computes(replaying *r, size_t i, hc_value **out, bool *any)
{
  rank *x = &r->ranks[i];
  hc_value *p = profile(r, "trace_rank"), *work = list_of(r), *busy = list_of(r);
  if (!p || !work || !busy) return HC_ENOMEM;
  for (; x->at < x->count && x->actions[x->at].kind == COMPUTE; x->at++) {
    hc_value *v = real(r, x->actions[x->at].amount);
    if (!v) return HC_ENOMEM;
    TRY(hc_value_append(r->a, work, v));
    hc_value *share = r->is_usage ? real(r, x->actions[x->at].usage) : NULL;
    if (r->is_usage && !share) return HC_ENOMEM;
    if (share) TRY(hc_value_append(r->a, busy, share));
    *any = true;
  }
  TRY(put(r, p, "rank", real(r, (double)i)));
  if (work->count > 0) TRY(put(r, p, "work", work));
  if (busy->count > 0) TRY(put(r, p, "busy", busy));
  *out = p;
  return 0;
}

/* All that ranks compute now: at the end a replay with reports, else a step.
 * @param root, then what a rank does then; NULL: nothing */
static hc_rc add_computes(replaying *r, bool is_last, size_t root, hc_value *then)
{
  hc_value *p = profile(r, "replay"), *ranks = list_of(r), *one;
  bool any = false;
  if (!p || !ranks) return HC_ENOMEM;
  for (size_t i = 0; i < r->count; i++) {
    TRY(computes(r, i, &one, &any));
    TRY(hc_value_append(r->a, ranks, then && i == root ? then : one));
  }
  if (!any && !is_last) return 0;
  TRY(put(r, p, "ranks", ranks));
  if (is_last && r->report > 0) TRY(put(r, p, "report", real(r, r->report)));
  return hc_value_append(r->a, r->steps, p);
}

/* Bytes between ranks, all at once: those for which `is` says so. @param out NULL: none */
static hc_rc transfers(replaying *r, double bytes, bool (*is)(uint32_t root, uint32_t from, uint32_t to),
                       uint32_t root, hc_value **out)
{
  hc_value *p = profile(r, "parallel"), *all = list_of(r);
  if (!p || !all) return HC_ENOMEM;
  for (uint32_t i = 0; i < r->count; i++)
    for (uint32_t j = 0; j < r->count; j++) {
      if (i == j || !is(root, i, j)) continue;
      hc_value *t = profile(r, "rank_transfer");
      if (!t) return HC_ENOMEM;
      TRY(put(r, t, "from", real(r, i)));
      TRY(put(r, t, "to", real(r, j)));
      TRY(put(r, t, "bytes", real(r, bytes + ENVELOPE)));
      TRY(hc_value_append(r->a, all, t));
    }
  *out = all->count > 0 ? p : NULL;
  return put(r, p, "profiles", all);
}

static hc_rc add_transfers(replaying *r, double bytes, bool (*is)(uint32_t root, uint32_t from, uint32_t to),
                           uint32_t root)
{
  hc_value *p;
  TRY(transfers(r, bytes, is, root, &p));
  return p ? hc_value_append(r->a, r->steps, p) : 0;
}

static bool from_root(uint32_t root, uint32_t from, uint32_t to)
{
  HC_UNUSED(to);
  return from == root;
}

static bool to_root(uint32_t root, uint32_t from, uint32_t to)
{
  HC_UNUSED(from);
  return to == root;
}

static bool between_all(uint32_t root, uint32_t from, uint32_t to)
{
  HC_UNUSED(root);
  HC_UNUSED(from);
  HC_UNUSED(to);
  return true;
}

/* ---- steps ---- */

static hc_rc refuse(const replaying *r, size_t i, const char *what)
{
  const rank *x = &r->ranks[i];
  return hc_fail(r->e, HC_EUNSUPPORTED, x->file, x->at < x->count ? x->actions[x->at].line : 0, 0, "%s",
                 what);
}

static hc_rc point_to_point(replaying *r, const action *a)
{
  const action *b = &r->ranks[1].actions[r->ranks[1].at];
  const bool forth = a->kind == SEND;
  if (r->count != 2)
    return refuse(r, 0, "messages between two of more than two ranks are not replayed: collectives are");
  if (a->kind == b->kind || (b->kind != SEND && b->kind != RECV) || a->other != 1 || b->other != 0)
    return refuse(r, 0, "this message has no counterpart in the other rank's trace at this point");
  return add_transfers(r, forth ? a->amount : b->amount, from_root, forth ? 0 : 1);
}

/* All ranks stand before a communication: it is the same for all. */
static hc_rc add_step(replaying *r)
{
  const action *a = &r->ranks[0].actions[r->ranks[0].at];
  if (a->kind == SEND || a->kind == RECV) return point_to_point(r, a);
  for (size_t i = 1; i < r->count; i++)
    if (r->ranks[i].actions[r->ranks[i].at].kind != a->kind)
      return refuse(r, i, "ranks communicate in different ways here: each communication must be one of all");
  switch ((action_kind)a->kind) {
    case BCAST: return add_transfers(r, a->amount, from_root, a->other);
    case REDUCE: return add_transfers(r, a->amount, to_root, a->other);
    case ALLTOALL: return add_transfers(r, a->amount, between_all, 0);
    case ALLREDUCE:
      TRY(add_transfers(r, a->amount, to_root, 0));
      return add_transfers(r, a->amount, from_root, 0);
    case BARRIER: TRY(add_transfers(r, 0, to_root, 0)); return add_transfers(r, 0, from_root, 0);
    case COMPUTE:
    case SEND:
    case RECV:
    case END: break;
  }
  return 0;
}

/* Is the last thing that all do a reduction of which senders need not wait? All have computed. */
static bool is_last_reduce(const replaying *r)
{
  for (size_t i = 0; i < r->count; i++) {
    const rank *x = &r->ranks[i];
    if (x->at + 1 != x->count || x->actions[x->at].kind != REDUCE || x->actions[x->at].amount > EAGER)
      return false;
  }
  return true;
}

static hc_rc end_by_reduce(replaying *r)
{
  const action *a = &r->ranks[0].actions[r->ranks[0].at];
  hc_value *all;
  TRY(transfers(r, a->amount, to_root, a->other, &all));
  for (size_t i = 0; i < r->count; i++) r->ranks[i].at++;
  return add_computes(r, true, a->other, all);
}

static hc_rc make(replaying *r)
{
  for (;;) {
    size_t over = 0;
    for (size_t i = 0; i < r->count; i++) {
      size_t at = r->ranks[i].at;
      while (at < r->ranks[i].count && r->ranks[i].actions[at].kind == COMPUTE) at++;
      over += at == r->ranks[i].count;
    }
    TRY(add_computes(r, over == r->count, 0, NULL));
    if (over == r->count) return 0;
    for (size_t i = 0; i < r->count && over > 0; i++)
      if (r->ranks[i].at == r->ranks[i].count)
        return refuse(r, i, "this rank ends before a communication of another: each must be one of all");
    if (is_last_reduce(r)) return end_by_reduce(r);
    TRY(add_step(r));
    for (size_t i = 0; i < r->count; i++) r->ranks[i].at++;
  }
}

static hc_rc finish(replaying *r, hc_value **out)
{
  if (r->steps->count == 1) {
    *out = r->steps->items[0];
    return 0;
  }
  *out = profile(r, "sequence");
  return *out ? put(r, *out, "profiles", r->steps) : HC_ENOMEM;
}

hc_rc hc_batsim_trace(hc_arena *a, const hc_allocator *allocator, const char *workload, const char *trace,
                      bool smpi, double report, hc_value **out, hc_error *e)
{
  replaying r = {.a = a, .allocator = allocator, .report = report, .is_usage = !smpi, .e = e};
  char path[PATH];
  r.steps = list_of(&r);
  if (!r.steps) return HC_ENOMEM;
  TRY(beside(workload, trace, path));
  hc_rc rc = read_ranks(&r, path);
  for (size_t i = 0; i < r.count && rc == 0; i++) rc = read_rank(&r, &r.ranks[i], smpi);
  if (rc == 0) rc = make(&r);
  if (rc == 0) rc = finish(&r, out);
  for (size_t i = 0; i < r.count; i++)
    hc_free(allocator, r.ranks[i].actions, r.ranks[i].cap * sizeof *r.ranks[i].actions);
  hc_free(allocator, r.ranks, r.cap * sizeof *r.ranks);
  return rc;
}

hc_rc hc_batsim_trace_files(const hc_allocator *a, const char *workload, const char *trace,
                            hc_rc (*each)(void *ctx, const char *path, hc_error *e), void *ctx, hc_error *e)
{
  hc_arena arena;
  hc_error none = {0};
  char path[PATH];
  if (beside(workload, trace, path) < 0) return 0;
  hc_rc rc = each(ctx, path, e);
  if (rc < 0) return rc;
  hc_arena_init(&arena, a);
  replaying r = {.a = &arena, .allocator = a, .e = &none};
  if (read_ranks(&r, path) == HC_ENOMEM) rc = HC_ENOMEM;
  for (size_t i = 0; i < r.count && rc >= 0; i++)
    if (r.ranks[i].file) rc = each(ctx, r.ranks[i].file, e);
  hc_free(a, r.ranks, r.cap * sizeof *r.ranks);
  hc_arena_fini(&arena);
  return rc;
}
