/* terms.c -- the books as reservations ask about them: partitions by name, and whose a job is. */
#include <string.h>

#include "cluster/lexicon.h"
#include "policy/slurm/books.h"

uint32_t hc_slurm_books_partition(void *books, const char *name)
{
  const hc_slurm_books *b = books;
  for (size_t i = 0; i + 1 < b->partition_count; i++)
    if (strcmp(hc_lexicon_text(b->reservations.lexicon, b->partitions[i].set), name) == 0) return (uint32_t)i;
  return HC_NO_NAME;
}

static const char *called(const hc_slurm_books *b, hc_called kind, int64_t number)
{
  const hc_lexicon *l = b->reservations.lexicon;
  return l && number >= 0 ? hc_lexicon_called(l, kind, number) : NULL;
}

/* Its account, then those above it: who may use a reservation of an account may use it in all below. Where
 * associations are not enforced the account alone counts. */
static size_t accounts_of(const hc_slurm_books *b, const hc_slurm_job *job, const char *out[HC_SLURM_LINES])
{
  const hc_slurm_accounting *a = b->accounting;
  const char *own = called(b, HC_CALLED_GROUP, job->account);
  size_t n = 0;
  if (a && a->limits.enforce != 0 && job->task < a->client_cap) {
    for (uint32_t i = a->clients[job->task].assoc; i != HC_SLURM_NONE && n < HC_SLURM_LINES;
         i = a->assocs.items[i].parent)
      out[n++] = a->assocs.items[i].account;
    return n;
  }
  if (own) out[n++] = own;
  return n;
}

hc_slurm_reserver hc_slurm_reserver_of(const hc_slurm_books *b, const hc_slurm_job *job)
{
  hc_slurm_reserver r = {
      .name = job->reservation, .partition = job->partition, .nodes = b->partitions[job->partition].nodes};
  if (job->reservation == HC_NO_NAME) return r;
  r.user = called(b, HC_CALLED_USER, job->user);
  r.line_count = accounts_of(b, job, r.lines);
  return r;
}

/* ---- whose reservations are ---- */

static hc_rc tell_guest(const hc_slurm_books *b, size_t item, const char *user, const char *account,
                        int64_t *key, hc_findings *f)
{
  static const char table[] = "slurm_window_guests";
  int64_t number;
  if (!hc_lexicon_number(b->reservations.lexicon, user ? HC_CALLED_USER : HC_CALLED_GROUP,
                         user ? user : account, &number))
    return 0;
  TRY(hc_find_cell(f, table, *key, "of", "1", (double)item));
  TRY(hc_find_cell(f, table, *key, user ? "user" : "account", "1", (double)number));
  ++*key;
  return 0;
}

/* An account, and those below it. Associations stand behind those above them. */
static hc_rc tell_account(const hc_slurm_books *b, size_t item, const char *account, int64_t *key,
                          hc_findings *f)
{
  const hc_slurm_accounting *a = b->accounting;
  TRY(tell_guest(b, item, NULL, account, key, f));
  if (!a || a->limits.enforce == 0) return 0;
  for (uint32_t i = 0; i < a->assocs.count; i++) {
    const hc_slurm_assoc *x = &a->assocs.items[i];
    uint32_t above = x->parent;
    if (x->user) continue;
    while (above != HC_SLURM_NONE && strcmp(a->assocs.items[above].account, account) != 0)
      above = a->assocs.items[above].parent;
    if (above != HC_SLURM_NONE) TRY(tell_guest(b, item, NULL, x->account, key, f));
  }
  return 0;
}

hc_rc hc_slurm_books_tell_guests(const hc_slurm_books *b, hc_findings *f)
{
  const hc_slurm_reservations *r = &b->reservations;
  int64_t key = 0;
  for (size_t i = 0; i < r->count && r->lexicon; i++) {
    const hc_slurm_reservation *x = &r->items[i];
    for (size_t k = 0; k < x->user_count; k++) TRY(tell_guest(b, i, x->users[k], NULL, &key, f));
    for (size_t k = 0; k < x->account_count; k++) TRY(tell_account(b, i, x->accounts[k], &key, f));
  }
  return 0;
}
