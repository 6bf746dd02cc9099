/* terms.c -- the books as reservations ask about them: partitions by name, and whose a job is. */
#include <string.h>

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
