/* assoc_script.c -- commands of sacctmgr: `add`, `modify` and what they may be of.
 *
 *   [sacctmgr [-i ...]] add account|cluster|qos|user  NAMES KEY=VALUE ...
 *   ... modify account|cluster|qos|user  [where] CONDITIONS set KEY=VALUE ...
 *   ... remove qos [where] name=NAMES
 * Words are cut at blanks outside of quotes; kinds and verbs may be cut short. NAMES are words without `=`,
 * or Name=, Account= or User=, with commas between several. A user is added to the accounts of Account=,
 * else to that of DefaultAccount=. Without conditions a command modifies all that there are. `list` and
 * `show` print, and change nothing; other verbs change what the model would have to know, and are errors.
 * Source: sacctmgr(1) of Slurm 22.05. */
#include <string.h>

#include "base/lexer.h"
#include "base/util.h"
#include "policy/slurm/assoc.h"

#define WORDS_MOST 128u

typedef struct word {
  const char *text, *value; /* value: behind `=`; NULL: there is none */
  size_t key_size;
  char op; /* '+' or '-' before the `=` */
  uint32_t column;
} word;

/* Lists of names between commas; NULL: not given. */
typedef struct names {
  const char *cluster, *account, *user, *partition, *parent, *home, *qos;
} names;

typedef struct command {
  hc_slurm_assocs *b;
  const hc_slurm_place *at;
  word words[WORDS_MOST];
  int count, next;
  names names;
  int set; /* the first word that is a setting */
} command;

static hc_rc no_memory(const command *c, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, c->at->file, 0, 0, "out of memory");
}

static hc_rc wrong(const command *c, int at, const char *text, hc_error *e)
{
  const uint32_t column = at < c->count ? c->words[at].column : 0;
  return hc_fail(e, HC_EINPUT, c->at->file, c->at->line, column, "%s%s%.60s%s", text,
                 at < c->count ? ": \"" : "", at < c->count ? c->words[at].text : "",
                 at < c->count ? "\"" : "");
}

/* ---- words ---- */

/* A word from `*p` on, without quotes, to `*out`, behind which that is left. @return false: a quote does not
 * close */
static bool next_word(const char **p, char **out)
{
  char quote = '\0', *to = *out;
  for (; **p && (quote || !hc_is_blank(**p)); ++*p) {
    if (quote ? **p == quote : **p == '\'' || **p == '"') {
      quote = quote ? '\0' : **p;
      continue;
    }
    if (**p == '\\' && (*p)[1]) ++*p;
    *to++ = **p;
  }
  *to = '\0';
  *out = to + 1;
  return quote == '\0';
}

static void split(word *w)
{
  const char *equals = strchr(w->text, '=');
  w->key_size = equals ? (size_t)(equals - w->text) : strlen(w->text);
  w->value = equals ? equals + 1 : NULL;
  if (equals && w->key_size > 0 && (equals[-1] == '+' || equals[-1] == '-')) w->op = w->text[--w->key_size];
}

static hc_rc cut(command *c, hc_arena *a, const char *line, hc_error *e)
{
  const char *p = line;
  char *room = hc_arena_room(a, strlen(line) + 1); /* words take no more than what they are cut from */
  if (!room) return no_memory(c, e);
  for (;;) {
    const char *text = room;
    while (hc_is_blank(*p)) p++;
    if (*p == '\0') return 0;
    const uint32_t column = (uint32_t)(p - line) + 1;
    if (c->count == (int)WORDS_MOST)
      return hc_fail(e, HC_EINPUT, c->at->file, c->at->line, column, "more than %u words in a command",
                     WORDS_MOST);
    if (!next_word(&p, &room))
      return hc_fail(e, HC_EINPUT, c->at->file, c->at->line, column, "the quote behind this does not close");
    c->words[c->count] = (word){.text = text, .column = column};
    split(&c->words[c->count++]);
  }
}

static bool is_key(const word *w, const char *name, size_t least)
{
  return w->value && hc_slurm_begins(w->text, w->key_size, name, least);
}

static bool is_word(const word *w, const char *name, size_t least)
{
  return !w->value && hc_slurm_begins(w->text, w->key_size, name, least);
}

/* ---- what a command is about ---- */

typedef enum kind { ACCOUNT, CLUSTER, QOS, USER } kind;

/* Where the names of a kind are kept. */
static const char **names_of(names *n, kind k)
{
  const char **const lists[] = {&n->account, &n->cluster, &n->qos, &n->user};
  return lists[k];
}

/* A word that says which. @return true: it was one */
static bool take_name(command *c, kind k, const word *w)
{
  static const struct {
    const char *name;
    size_t least;
  } own[] = {{"Accounts", 1}, {"Clusters", 1}, {"Names", 1}, {"Users", 1}};
  names *n = &c->names;
  const char **mine = names_of(n, k);
  if (!w->value || is_key(w, "Names", 1) || is_key(w, own[k].name, own[k].least))
    *mine = w->value ? w->value : w->text;
  else if (k == QOS) return false;
  else if (is_key(w, "Accounts", 1) || is_key(w, "Acct", 4)) n->account = w->value;
  else if (is_key(w, "Clusters", 1)) n->cluster = w->value;
  else if (k == USER && is_key(w, "Partitions", 3)) n->partition = w->value;
  else if (k == ACCOUNT && is_key(w, "Parent", 3)) n->parent = w->value;
  else if (k == USER && is_key(w, "DefaultAccount", 8)) n->home = w->value;
  else return false;
  return true;
}

/* The words of a command: names are taken, the rest is settings, which move to the front. `where` and `set`
 * say which of both follow in `modify`. */
static hc_rc take_words(command *c, kind k, bool is_modify, hc_error *e)
{
  bool is_set = !is_modify;
  int kept = c->next;
  c->set = c->next;
  for (int i = c->next; i < c->count; i++) {
    const word w = c->words[i];
    if (is_word(&w, "where", 5) || is_word(&w, "set", 3)) {
      is_set = is_word(&w, "set", 3);
      continue;
    }
    const bool is_bare = !w.value && (!is_modify || !is_set || k == QOS);
    if (is_modify && is_set && w.value && !is_key(&w, "DefaultAccount", 8)) c->words[kept++] = w;
    else if (!is_bare && !w.value) return wrong(c, i, "expected KEY=VALUE behind `set`", e);
    else if (!take_name(c, k, &w)) {
      if (is_modify && !is_set)
        return wrong(c, i, "a condition that is not modelled: name users, accounts or QOS", e);
      c->words[kept++] = w;
    }
  }
  c->count = kept;
  return 0;
}

/* The next name of a list between commas, in the arena. @return false at the end; out NULL: no memory */
static bool next_name(command *c, const char **p, const char **out)
{
  while (**p == ',' || hc_is_blank(**p)) ++*p;
  const size_t n = strcspn(*p, ",");
  if (n == 0) return false;
  *out = hc_arena_text(&c->b->arena, *p, n);
  *p += n;
  return true;
}

static bool is_listed(const char *list, const char *name)
{
  return hc_slurm_is_listed(list, name, strlen(name));
}

static hc_slurm_setting setting(const command *c, int i)
{
  const word *w = &c->words[i];
  return (hc_slurm_setting){.key = w->text,
                            .value = w->value,
                            .key_size = w->key_size,
                            .op = w->op,
                            .at = {c->at->file, c->at->line, w->column}};
}

static hc_rc set_assoc(command *c, uint32_t assoc, hc_error *e)
{
  for (int i = c->set; i < c->count; i++) {
    const hc_slurm_setting s = setting(c, i);
    TRY(hc_slurm_assoc_set(c->b, assoc, &s, e));
  }
  return 0;
}

static hc_rc set_qos(command *c, uint32_t qos, hc_error *e)
{
  for (int i = c->set; i < c->count; i++) {
    const hc_slurm_setting s = setting(c, i);
    TRY(hc_slurm_qos_set_key(c->b, qos, &s, e));
  }
  return 0;
}

/* ---- add ---- */

static hc_rc add_cluster(command *c, hc_error *e)
{
  const char *p = c->names.cluster ? c->names.cluster : "";
  const char *name = NULL;
  if (!next_name(c, &p, &name)) return wrong(c, c->count, "a cluster needs a name: add cluster NAME", e);
  if (!name) return no_memory(c, e);
  if (c->b->cluster[0] != '\0' && !hc_same_word(name, strlen(name), c->b->cluster))
    return wrong(c, c->count, "a second cluster: associations are of one", e);
  c->b->cluster = name;
  return set_assoc(c, 0, e);
}

static hc_rc add_accounts(command *c, hc_error *e)
{
  const char *p = c->names.account, *name;
  if (!p) return wrong(c, c->count, "an account needs a name: add account NAME", e);
  while (next_name(c, &p, &name)) {
    uint32_t id;
    if (!name) return no_memory(c, e);
    TRY(hc_slurm_assocs_add(c->b, name, NULL, NULL, c->names.parent, c->at, &id, e));
    TRY(set_assoc(c, id, e));
  }
  return 0;
}

/* A user in one account, for each partition that is named. */
static hc_rc add_user_in(command *c, const char *user, const char *account, hc_error *e)
{
  const char *p = c->names.partition, *partition = NULL;
  do {
    uint32_t id;
    if (p && (!next_name(c, &p, &partition) || !partition)) break;
    TRY(hc_slurm_assocs_add(c->b, account, user, partition, NULL, c->at, &id, e));
    TRY(set_assoc(c, id, e));
  } while (p && *p);
  if (hc_slurm_assocs_set_home(c->b, user, account, true) < 0) return no_memory(c, e);
  return 0;
}

static hc_rc add_users(command *c, hc_error *e)
{
  const char *p = c->names.user, *user, *account;
  const char *accounts = c->names.account ? c->names.account : c->names.home;
  if (!p) return wrong(c, c->count, "a user needs a name: add user NAME account=ACCOUNT", e);
  if (!accounts) return wrong(c, c->count, "a user is in an account: add user NAME account=ACCOUNT", e);
  while (next_name(c, &p, &user)) {
    if (!user) return no_memory(c, e);
    for (const char *q = accounts; next_name(c, &q, &account);) {
      if (!account) return no_memory(c, e);
      TRY(add_user_in(c, user, account, e));
    }
    if (c->names.home && hc_slurm_assocs_set_home(c->b, user, c->names.home, false) < 0)
      return no_memory(c, e);
  }
  return 0;
}

static hc_rc add_qos(command *c, hc_error *e)
{
  const char *p = c->names.qos, *name;
  if (!p) return wrong(c, c->count, "a QOS needs a name: add qos NAME", e);
  c->b->has_qos_source = true;
  while (next_name(c, &p, &name)) {
    uint32_t id;
    if (!name) return no_memory(c, e);
    TRY(hc_slurm_assocs_add_qos(c->b, name, c->at, &id, e));
    c->b->qos[id].is_described = true;
    TRY(set_qos(c, id, e));
  }
  return 0;
}

/* ---- modify and remove ---- */

/* Whether an association is one that the command is about. */
static bool is_meant(const command *c, kind k, const hc_slurm_assoc *x)
{
  const names *n = &c->names;
  if (k == CLUSTER) return x->depth == 0;
  if ((k == USER) != (x->user != NULL) || (x->user && strcmp(x->user, "root") == 0 && !n->user)) return false;
  if (n->user && !(x->user && is_listed(n->user, x->user))) return false;
  if (n->account && !is_listed(n->account, x->account)) return false;
  return !n->partition || (x->partition && is_listed(n->partition, x->partition));
}

static hc_rc modify_assocs(command *c, kind k, hc_error *e)
{
  size_t meant = 0;
  for (size_t i = 0; i < c->b->count; i++) {
    const hc_slurm_assoc *x = &c->b->items[i];
    if (!is_meant(c, k, x)) continue;
    meant++;
    if (k == USER && c->names.home && hc_slurm_assocs_set_home(c->b, x->user, c->names.home, false) < 0)
      return no_memory(c, e);
    TRY(set_assoc(c, (uint32_t)i, e));
  }
  if (meant > 0) return 0;
  return hc_fail(e, HC_EINPUT, c->at->file, c->at->line, 1,
                 "there is no such %s: it has to be added before it is modified",
                 k == USER ? "user" : "account");
}

static hc_rc modify_qos(command *c, hc_error *e)
{
  size_t meant = 0;
  for (size_t i = 0; i < c->b->qos_count; i++) {
    const hc_slurm_qos *q = &c->b->qos[i];
    if (q->is_gone || !q->is_described || (c->names.qos && !is_listed(c->names.qos, q->name))) continue;
    meant++;
    TRY(set_qos(c, (uint32_t)i, e));
  }
  return meant > 0 ? 0
                   : wrong(c, c->count, "there is no such QOS: it has to be added before it is modified", e);
}

/* No association has it any more. */
static void drop_qos(hc_slurm_assocs *b, uint32_t qos)
{
  b->qos[qos].is_gone = true;
  for (size_t i = 0; i < b->count; i++) {
    b->items[i].qos.bits[qos / 64] &= ~(UINT64_C(1) << (qos % 64));
    if (b->items[i].default_qos == qos) b->items[i].default_qos = HC_SLURM_NONE;
  }
}

static hc_rc remove_qos(command *c, hc_error *e)
{
  const char *p = c->names.qos, *name;
  if (!p) return wrong(c, c->count, "which QOS is removed? remove qos name=NAME", e);
  while (next_name(c, &p, &name)) {
    const uint32_t id = name ? hc_slurm_assocs_qos(c->b, name) : HC_SLURM_NONE;
    if (!name) return no_memory(c, e);
    if (id == HC_SLURM_NONE)
      return hc_fail(e, HC_EINPUT, c->at->file, c->at->line, 1, "there is no QOS \"%.60s\"", name);
    drop_qos(c->b, id);
  }
  return 0;
}

/* ---- the command ---- */

typedef enum verb { ADD, MODIFY, REMOVE, PRINT } verb;

static hc_rc verb_of(command *c, verb *out, hc_error *e)
{
  static const struct {
    const char *name;
    size_t least;
    verb verb;
  } verbs[] = {{"add", 3, ADD},       {"create", 3, ADD},    {"modify", 3, MODIFY}, {"update", 1, MODIFY},
               {"delete", 3, REMOVE}, {"remove", 3, REMOVE}, {"list", 1, PRINT},    {"show", 3, PRINT},
               {"quit", 4, PRINT},    {"exit", 4, PRINT}};
  while (c->next < c->count &&
         (c->words[c->next].text[0] == '-' || is_word(&c->words[c->next], "sacctmgr", 8)))
    c->next++;
  for (size_t i = 0; c->next < c->count && i < HC_ARRAY_LEN(verbs); i++) {
    if (!is_word(&c->words[c->next], verbs[i].name, verbs[i].least)) continue;
    *out = verbs[i].verb;
    c->next++;
    return 0;
  }
  return wrong(c, c->next,
               "expected a command of sacctmgr (add, modify, remove), a line of `sacctmgr dump`, or a "
               "table of `sacctmgr -P show qos`",
               e);
}

static hc_rc kind_of(command *c, kind *out, hc_error *e)
{
  static const char *const kinds[] = {"accounts", "clusters", "qos", "users"};
  for (int i = 0; c->next < c->count && i < (int)HC_ARRAY_LEN(kinds); i++) {
    if (!is_word(&c->words[c->next], kinds[i], 1)) continue;
    *out = (kind)i;
    c->next++;
    return 0;
  }
  return wrong(c, c->next, "expected account, cluster, qos or user", e);
}

static hc_rc add(command *c, kind k, hc_error *e)
{
  switch (k) {
    case ACCOUNT: return add_accounts(c, e);
    case CLUSTER: return add_cluster(c, e);
    case QOS: return add_qos(c, e);
    case USER: return add_users(c, e);
  }
  return 0;
}

static hc_rc obey(command *c, hc_error *e)
{
  verb v = PRINT;
  kind k = ACCOUNT;
  TRY(verb_of(c, &v, e));
  if (v == PRINT) return 0;
  TRY(kind_of(c, &k, e));
  TRY(take_words(c, k, v == MODIFY, e));
  if (v == ADD) return add(c, k, e);
  if (v == MODIFY) return k == QOS ? modify_qos(c, e) : modify_assocs(c, k, e);
  if (k == QOS) return remove_qos(c, e);
  return hc_fail(
      e, HC_EINPUT, c->at->file, c->at->line, 1,
      "removing accounts, users and clusters is not modelled: leave out the commands that add them");
}

hc_rc hc_slurm_assocs_command(hc_slurm_assocs *b, const char *line, const hc_slurm_place *at, hc_error *e)
{
  command c = {.b = b, .at = at};
  TRY(cut(&c, &b->arena, line, e));
  return c.count == 0 ? 0 : obey(&c, e);
}
