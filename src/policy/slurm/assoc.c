/* assoc.c -- the tree of associations and the list of QOS: see assoc.h. */
#include "policy/slurm/assoc.h"

#include <string.h>

#include "base/lexer.h"
#include "base/util.h"

#define NAME_MOST 250u /* bytes of a name: longer ones are cut out of keys of bounded size */

/* The names of accounts and users under which an association is found. */
typedef struct key {
  char text[3 * (NAME_MOST + 1)];
  size_t size;
} key;

static bool append(key *k, const char *name)
{
  const size_t n = name ? strlen(name) : 0;
  if (n > NAME_MOST) return false;
  for (size_t i = 0; i < n; i++)
    k->text[k->size++] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 0x20) : name[i];
  k->text[k->size++] = '\n'; /* in no name */
  return true;
}

static bool make_key(key *k, const char *account, const char *user, const char *partition)
{
  k->size = 0;
  return append(k, account) && append(k, user) && append(k, partition);
}

/* A name alone, in lower case. */
static bool make_name(key *k, const char *name)
{
  k->size = 0;
  if (!append(k, name)) return false;
  k->text[--k->size] = '\0';
  return true;
}

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "associations", 0, 0, "out of memory");
}

/* ---- begin and end ---- */

static void no_bounds(hc_slurm_bounds *x)
{
  int64_t *all = (int64_t *)(void *)x;
  for (size_t i = 0; i < sizeof *x / sizeof *all; i++) all[i] = HC_SLURM_NO_LIMIT;
}

hc_rc hc_slurm_assocs_init(hc_slurm_assocs *b, const hc_allocator *a)
{
  const hc_slurm_place at = {.file = "associations"};
  uint32_t id;
  *b = (hc_slurm_assocs){.allocator = a, .cluster = ""};
  hc_arena_init(&b->arena, a);
  hc_names_init(&b->keys, a, UINT32_MAX - 1);
  hc_names_init(&b->users, a, UINT32_MAX - 1);
  hc_names_init(&b->accounts, a, UINT32_MAX - 1);
  hc_names_init(&b->unmodelled, a, UINT32_MAX - 1);
  hc_slurm_tres_init(&b->tres);
  TRY(hc_slurm_assocs_add_qos(b, "normal", &at, &id, NULL));
  b->qos[id].is_described = true;
  TRY(hc_slurm_assocs_add(b, "root", NULL, NULL, NULL, &at, &id, NULL));
  TRY(hc_slurm_assocs_add(b, "root", "root", NULL, NULL, &at, &id, NULL));
  return hc_slurm_assocs_set_home(b, "root", "root", true);
}

void hc_slurm_assocs_fini(hc_slurm_assocs *b)
{
  if (!b->allocator) return;
  hc_free(b->allocator, b->items, b->cap * sizeof *b->items);
  hc_free(b->allocator, b->qos, b->qos_cap * sizeof *b->qos);
  hc_free(b->allocator, b->home, b->home_cap * sizeof *b->home);
  hc_names_fini(&b->keys);
  hc_names_fini(&b->users);
  hc_names_fini(&b->accounts);
  hc_names_fini(&b->unmodelled);
  hc_arena_fini(&b->arena);
}

/* ---- finding ---- */

static uint32_t find_key(const hc_slurm_assocs *b, const char *account, const char *user,
                         const char *partition)
{
  key k;
  return make_key(&k, account, user, partition) ? hc_names_find(&b->keys, k.text, k.size) : HC_SLURM_NONE;
}

uint32_t hc_slurm_assocs_account(const hc_slurm_assocs *b, const char *account)
{
  return find_key(b, account, NULL, NULL);
}

const char *hc_slurm_assocs_home(const hc_slurm_assocs *b, const char *user)
{
  key k;
  const uint32_t id = user && make_name(&k, user) ? hc_names_find(&b->users, k.text, k.size) : HC_MAP_NONE;
  return id == HC_MAP_NONE ? NULL : b->home[id];
}

uint32_t hc_slurm_assocs_find(const hc_slurm_assocs *b, const char *account, const char *user,
                              const char *partition)
{
  uint32_t id = HC_SLURM_NONE;
  if (!user || !*user) return HC_SLURM_NONE;
  if (!account || !*account) account = hc_slurm_assocs_home(b, user);
  if (!account) return HC_SLURM_NONE;
  if (partition && *partition) id = find_key(b, account, user, partition);
  return id != HC_SLURM_NONE ? id : find_key(b, account, user, NULL);
}

uint32_t hc_slurm_assocs_qos(const hc_slurm_assocs *b, const char *name)
{
  for (size_t i = 0; i < b->qos_count; i++)
    if (!b->qos[i].is_gone && hc_same_word(name, strlen(name), b->qos[i].name)) return (uint32_t)i;
  return HC_SLURM_NONE;
}

bool hc_slurm_assocs_may_use(const hc_slurm_assocs *b, uint32_t assoc, uint32_t qos)
{
  if (assoc == HC_SLURM_NONE) return true;
  return qos != HC_SLURM_NONE && hc_slurm_qos_has(&b->items[assoc].qos, qos);
}

uint32_t hc_slurm_assocs_default_qos(const hc_slurm_assocs *b, uint32_t assoc)
{
  const uint32_t normal = hc_slurm_assocs_qos(b, "normal");
  uint32_t only = HC_SLURM_NONE, count = 0;
  if (assoc == HC_SLURM_NONE) return normal;
  if (b->items[assoc].default_qos != HC_SLURM_NONE) return b->items[assoc].default_qos;
  for (uint32_t i = 0; i < b->qos_count; i++) {
    if (!hc_slurm_qos_has(&b->items[assoc].qos, i)) continue;
    only = i;
    count++;
  }
  return count == 1 ? only : normal;
}

/* ---- adding ---- */

hc_rc hc_slurm_assocs_add_qos(hc_slurm_assocs *b, const char *name, const hc_slurm_place *at, uint32_t *out,
                              hc_error *e)
{
  const uint32_t known = hc_slurm_assocs_qos(b, name);
  key k;
  if (known != HC_SLURM_NONE) {
    *out = known;
    return 0;
  }
  if (!make_name(&k, name))
    return hc_fail(e, HC_ELIMIT, at->file, at->line, at->column, "a name of more than %u bytes", NAME_MOST);
  if (b->qos_count == HC_SLURM_QOS_MOST)
    return hc_fail(e, HC_ELIMIT, at->file, at->line, at->column, "more than %u QOS", HC_SLURM_QOS_MOST);
  const char *kept = hc_arena_text(&b->arena, k.text, k.size);
  const char *file = hc_arena_text(&b->arena, at->file, strlen(at->file));
  if (!kept || !file ||
      hc_reserve(b->allocator, (void **)&b->qos, &b->qos_cap, b->qos_count + 1, sizeof *b->qos) < 0)
    return no_memory(e);
  *out = (uint32_t)b->qos_count;
  b->qos[b->qos_count] =
      (hc_slurm_qos){.name = kept, .usage_factor = 1, .preempt_mode = "cluster", .exempt = -1, .named = *at};
  b->qos[b->qos_count].named.file = file;
  no_bounds(&b->qos[b->qos_count++].bounds);
  return 0;
}

/* The dense number of a name; what is new has no default account. */
static hc_rc number_of(hc_slurm_assocs *b, hc_names *names, const char *name, uint32_t *out)
{
  const size_t known = names->count;
  key k;
  if (!make_name(&k, name)) return HC_ELIMIT;
  TRY(hc_names_add(names, k.text, k.size, out));
  if (names == &b->users && names->count > known) {
    TRY(hc_reserve(b->allocator, (void **)&b->home, &b->home_cap, names->count, sizeof *b->home));
    b->home[known] = NULL;
  }
  return 0;
}

hc_rc hc_slurm_assocs_set_home(hc_slurm_assocs *b, const char *user, const char *account, bool weakly)
{
  uint32_t who, where;
  TRY(number_of(b, &b->users, user, &who));
  TRY(number_of(b, &b->accounts, account, &where));
  if (!b->home[who] || !weakly) b->home[who] = b->accounts.names[where];
  return 0;
}

/* What stands above a new association: of a user its account, of an account its parent. */
static uint32_t above(const hc_slurm_assocs *b, const char *account, const char *user, const char *parent)
{
  if (user) return hc_slurm_assocs_account(b, account);
  return b->count == 0 ? HC_SLURM_NONE : hc_slurm_assocs_account(b, parent ? parent : "root");
}

/* Beneath `parent`, which there is unless it is the root. */
static hc_rc append_assoc(hc_slurm_assocs *b, const char *account, const char *user, const char *partition,
                          uint32_t parent)
{
  uint32_t user_id = HC_SLURM_NONE, account_id;
  TRY(hc_reserve(b->allocator, (void **)&b->items, &b->cap, b->count + 1, sizeof *b->items));
  TRY(number_of(b, &b->accounts, account, &account_id));
  if (user) TRY(number_of(b, &b->users, user, &user_id));
  const char *where = partition ? hc_arena_text(&b->arena, partition, strlen(partition)) : NULL;
  if (partition && !where) return HC_ENOMEM;
  hc_slurm_assoc *x = &b->items[b->count];
  *x = (hc_slurm_assoc){.account = b->accounts.names[account_id],
                        .user = user ? b->users.names[user_id] : NULL,
                        .partition = where,
                        .parent = parent,
                        .first_child = HC_SLURM_NONE,
                        .next = HC_SLURM_NONE,
                        .user_id = user_id,
                        .account_id = account_id,
                        .shares = 1,
                        .default_qos = HC_SLURM_NONE};
  no_bounds(&x->bounds);
  if (parent != HC_SLURM_NONE) {
    x->depth = b->items[parent].depth + 1;
    x->next = b->items[parent].first_child;
    b->items[parent].first_child = (uint32_t)b->count;
  }
  b->count++;
  b->user_count += user != NULL;
  return 0;
}

hc_rc hc_slurm_assocs_add(hc_slurm_assocs *b, const char *account, const char *user, const char *partition,
                          const char *parent, const hc_slurm_place *at, uint32_t *out, hc_error *e)
{
  const uint32_t up = above(b, account, user, parent);
  uint32_t id;
  key k;
  if (!make_key(&k, account, user, partition))
    return hc_fail(e, HC_ELIMIT, at->file, at->line, at->column, "a name of more than %u bytes", NAME_MOST);
  *out = hc_names_find(&b->keys, k.text, k.size);
  if (*out != HC_MAP_NONE) return 0;
  if (up == HC_SLURM_NONE && b->count > 0)
    return hc_fail(e, HC_EINPUT, at->file, at->line, at->column,
                   "there is no account \"%.60s\": it has to be added before what is in it",
                   user ? account : parent);
  if (b->count > 0 && b->items[up].depth >= HC_SLURM_DEEPEST)
    return hc_fail(e, HC_ELIMIT, at->file, at->line, at->column, "accounts are nested deeper than %u",
                   HC_SLURM_DEEPEST);
  if (append_assoc(b, account, user, partition, up) < 0 || hc_names_add(&b->keys, k.text, k.size, &id) < 0)
    return no_memory(e);
  *out = id;
  return 0;
}

/* ---- settling ---- */

static void inherit(int64_t *x, const int64_t *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (x[i] == HC_SLURM_NO_LIMIT) x[i] = from[i];
}

/* What is handed down: limits of a job and of counts, not of groups. */
static void inherit_bounds(hc_slurm_bounds *x, const hc_slurm_bounds *from)
{
  inherit(&x->max_jobs, &from->max_jobs, 1);
  inherit(&x->max_submit, &from->max_submit, 1);
  inherit(&x->max_wall, &from->max_wall, 1);
  inherit(x->max_job.of, from->max_job.of, HC_SLURM_TRES_MOST);
  inherit(x->max_node.of, from->max_node.of, HC_SLURM_TRES_MOST);
  inherit(x->max_mins.of, from->max_mins.of, HC_SLURM_TRES_MOST);
}

static hc_rc check_qos(const hc_slurm_assocs *b, hc_error *e)
{
  for (size_t i = 0; i < b->qos_count && b->has_qos_source; i++) {
    const hc_slurm_qos *q = &b->qos[i];
    if (q->is_described || q->is_gone) continue;
    return hc_fail(
        e, HC_EINPUT, q->named.file, q->named.line, q->named.column,
        "there is no QOS \"%.80s\": add it (add qos name=%.80s), or read `sacctmgr -P show qos` of "
        "the same cluster",
        q->name, q->name);
  }
  return 0;
}

/* A default QOS that a user may not use is an error if it is its own, and none if it was handed down. */
static hc_rc settle_one(hc_slurm_assocs *b, hc_slurm_assoc *x, hc_error *e)
{
  const bool is_own = x->default_qos != HC_SLURM_NONE;
  if (x->parent != HC_SLURM_NONE) {
    const hc_slurm_assoc *up = &b->items[x->parent];
    inherit_bounds(&x->bounds, &up->bounds);
    if (!x->has_qos) x->qos = up->qos;
    if (x->default_qos == HC_SLURM_NONE) x->default_qos = up->default_qos;
  }
  b->most_priority = HC_MAX(b->most_priority, x->priority);
  if (!x->user || x->default_qos == HC_SLURM_NONE || hc_slurm_qos_has(&x->qos, x->default_qos)) return 0;
  const char *name = b->qos[x->default_qos].name;
  x->default_qos = HC_SLURM_NONE;
  if (!is_own) return 0;
  return hc_fail(e, HC_EINPUT, "associations", 0, 0,
                 "user %.60s in account %.60s has the default QOS %.60s and may not use it: add it to the "
                 "user's QOS",
                 x->user, x->account, name);
}

hc_rc hc_slurm_assocs_settle(hc_slurm_assocs *b, hc_error *e)
{
  const uint32_t normal = hc_slurm_assocs_qos(b, "normal");
  if (b->is_settled) return 0;
  TRY(check_qos(b, e));
  if (!b->items[0].has_qos && normal != HC_SLURM_NONE)
    b->items[0].qos.bits[normal / 64] |= UINT64_C(1) << (normal % 64);
  for (size_t i = 0; i < b->count; i++) TRY(settle_one(b, &b->items[i], e));
  for (size_t i = 0; i < b->qos_count; i++)
    if (!b->qos[i].is_gone) b->most_qos_priority = HC_MAX(b->most_qos_priority, b->qos[i].priority);
  b->is_settled = true;
  return 0;
}

/* ---- notes ---- */

void hc_slurm_assocs_note(const hc_slurm_assocs *b, hc_buffer *out)
{
  const char *before = "QOS that are named and not described, so that they have no limits and priority 0: ";
  for (size_t i = 0; i < b->unmodelled.count; i++)
    hc_buffer_printf(out, "%s%s", i == 0 ? "not taken of associations and QOS: " : ", ",
                     b->unmodelled.names[i]);
  for (size_t i = 0; i < b->qos_count; i++) {
    if (b->qos[i].is_described || b->qos[i].is_gone) continue;
    if (out->size > 0 && *before == 'Q') hc_buffer_text(out, "; ");
    hc_buffer_printf(out, "%s%s", before, b->qos[i].name);
    before = ", ";
  }
}
