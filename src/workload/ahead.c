/* ahead.c -- tasks that are made on a thread of its own, a few blocks before they are taken.
 *
 * The thread calls the maker's `next` and packs tasks into a ring of blocks; the other side takes whole
 * blocks, in order, and unpacks them a few at a time. What crosses is what differs within a block, and of
 * words that are the same in each task one: of the 46 words of a task some six, so that they are one line of
 * the cache, which is what it costs to hand them from one core to another. They lie word by word, not task by
 * task: so either side copies a word of many tasks in a loop of two instructions a task. A side that waits is
 * woken when there is work for a while, not for each block. Where a row was rejected or merged, an amount
 * rounded, or a number given a name between rows, a *mark* in the block says how the ledger stood and what is
 * to be told: tasks come out up to the next mark, so that a caller that stops in the middle has seen no more
 * than without the thread. Nothing else is shared but the lexicon, which locks itself.
 *
 * To look at the maker (a snapshot) the thread is stopped; what it had made is taken out of the ring first.
 * */
#include "workload/ahead.h"

#include <string.h>

#include "base/threads.h"
#include "base/util.h"

enum { BLOCKS = 8, TASKS = 256, BATCH = 16, WORDS = sizeof(hc_arrival) / sizeof(uint64_t) };
_Static_assert(sizeof(hc_arrival) == WORDS * sizeof(uint64_t), "a task is whole words");

typedef union in_words {
  hc_arrival task;
  uint64_t words[WORDS];
} in_words;

/* Of a row that was rejected, or of a number that has a name. */
typedef struct told {
  bool is_name;
  hc_called kind;
  int64_t number;
  uint64_t line;
  hc_reason why;
  size_t file, text; /* in the block's texts; SIZE_MAX: there is none */
} told;

/* Before task `at` of its block the ledger was this, and these had been told of. */
typedef struct mark {
  uint32_t at;
  size_t told;
  hc_row_ledger ledger;
} mark;

typedef struct block {
  uint64_t columns[WORDS][TASKS]; /* each a word of every task: those that differ */
  uint64_t base[WORDS];           /* the others, and those of the first task */
  uint8_t which[WORDS];           /* [width] the words that differ */
  uint8_t column[WORDS];          /* [width] where each is to be found */
  uint32_t width, count;
  bool is_simple; /* its tasks come in order, one a row, and all are admitted */
  hc_rc rc;       /* behind the tasks: 1 there is more, 0 the end, or an error */
  hc_error error;
  uint64_t done, total; /* progress */
  told *told;
  mark *marks;
  size_t told_count, told_cap, mark_count, mark_cap;
  hc_buffer texts;
} block;

struct hc_ahead {
  hc_source_context given;
  const hc_allocator *allocator;
  hc_ahead_maker maker;
  hc_row_ledger ledger; /* the maker counts here */
  uint64_t counted;     /* what it had counted at the last mark */
  block *filling;       /* NULL: no thread */
  in_words made[TASKS]; /* the thread's: tasks before they are packed */
  block blocks[BLOCKS];
  hc_monitor *monitor;
  hc_thread *thread;   /* NULL: there is none */
  size_t first, ready; /* the blocks to be taken */
  bool stops, ended;   /* asked to; has done so */
  bool sleeps, asks;   /* the thread waits for room; the other side for tasks */
  in_words out[BATCH]; /* what is handed out */
  uint32_t out_at, out_count;
  bool is_based; /* it holds what the block has in common */
  block *taken;  /* the one being handed out, or NULL */
  uint32_t at;   /* in it */
  size_t next_mark, next_told;
  hc_row_ledger seen;
  uint64_t done, total;
};

/* ---- on the thread ---- */

static uint64_t count_of(const hc_row_ledger *l)
{
  return l->rejections + l->merged + l->rounded;
}

static size_t keep_text(block *b, const char *text)
{
  const size_t at = b->texts.size;
  if (!text) return SIZE_MAX;
  hc_buffer_add(&b->texts, text, strlen(text) + 1);
  return at;
}

static void tell(const hc_ahead *h, block *b, const told *t)
{
  if (hc_reserve(h->allocator, (void **)&b->told, &b->told_cap, b->told_count + 1, sizeof *b->told) < 0)
    b->texts.failed = true;
  else b->told[b->told_count++] = *t;
}

static void hear_rejected(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text)
{
  hc_ahead *h = ctx;
  block *b = h->filling;
  if (!h->given.rejected) return;
  if (!b) {
    h->given.rejected(h->given.rejected_ctx, file, line, why, text);
    return;
  }
  told t = {.line = line, .why = why, .file = keep_text(b, file)};
  t.text = keep_text(b, text);
  tell(h, b, &t);
}

static hc_rc hear_called(void *ctx, hc_called kind, int64_t number, const char *text, size_t n)
{
  hc_ahead *h = ctx;
  block *b = h->filling;
  if (!b) return hc_source_call(&h->given, kind, number, text, n);
  tell(h, b, &(told){.is_name = true, .kind = kind, .number = number, .text = b->texts.size});
  hc_buffer_add(&b->texts, text, n);
  hc_buffer_add(&b->texts, "", 1);
  return 0; /* no room is said with the block */
}

static size_t told_before(const block *b)
{
  return b->mark_count > 0 ? b->marks[b->mark_count - 1].told : 0;
}

static hc_rc set_mark(hc_ahead *h, block *b)
{
  if (count_of(&h->ledger) == h->counted && b->told_count == told_before(b)) return 0;
  TRY(hc_reserve(h->allocator, (void **)&b->marks, &b->mark_cap, b->mark_count + 1, sizeof *b->marks));
  b->marks[b->mark_count++] = (mark){b->count, b->told_count, h->ledger};
  h->counted = count_of(&h->ledger);
  return 0;
}

/* The column that has a word of each task: one that is there already, or a new one. */
static uint32_t column_of(const hc_ahead *h, block *b, uint32_t word, uint32_t *columns)
{
  uint64_t *new = b->columns[*columns];
  for (uint32_t c = 0; c < *columns; c++) {
    uint32_t i = 0;
    while (i < b->count && b->columns[c][i] == h->made[i].words[word]) i++;
    if (i == b->count) return c;
  }
  for (uint32_t i = 0; i < b->count; i++) new[i] = h->made[i].words[word];
  return (*columns)++;
}

static void pack(const hc_ahead *h, block *b)
{
  uint64_t differ[WORDS] = {0};
  uint32_t columns = 0;
  b->width = 0;
  if (b->count == 0) return;
  memcpy(b->base, h->made[0].words, sizeof b->base);
  for (uint32_t i = 1; i < b->count; i++)
    for (uint32_t w = 0; w < WORDS; w++) differ[w] |= h->made[i].words[w] ^ b->base[w];
  for (uint32_t w = 0; w < WORDS; w++) {
    if (differ[w] == 0) continue;
    b->column[b->width] = (uint8_t)column_of(h, b, w, &columns);
    b->which[b->width++] = (uint8_t)w;
  }
}

/* Whether a task that comes right after `last` need not be looked at. */
static inline bool is_simple(const hc_arrival *a, hc_time last)
{
  return a->spec.submit >= last && a->spec.submit != HC_UNKNOWN && a->spec.count <= 1 && !a->unjudged;
}

static void fill(hc_ahead *h, block *b)
{
  b->count = 0;
  b->rc = 1;
  b->error = (hc_error){0};
  b->told_count = b->mark_count = b->texts.size = 0;
  b->is_simple = true;
  h->filling = b;
  for (hc_time last = INT64_MIN; b->rc == 1 && b->count < TASKS;) {
    const hc_arrival *made = &h->made[b->count].task;
    b->rc = h->maker.next(h->maker.ctx, &h->made[b->count].task, &b->error);
    if (set_mark(h, b) < 0 || b->texts.failed) b->rc = HC_ENOMEM;
    if (b->rc != 1) break;
    b->is_simple &= is_simple(made, last);
    last = made->spec.submit;
    b->count++;
  }
  pack(h, b);
  h->maker.progress(h->maker.ctx, &b->done, &b->total);
  h->filling = NULL;
}

static bool is_full(const hc_ahead *h)
{
  return h->ready + (h->taken != NULL) == BLOCKS;
}

static void work(void *ctx)
{
  hc_ahead *h = ctx;
  bool more = true;
  hc_monitor_enter(h->monitor);
  while (more) {
    while (is_full(h) && !h->stops) {
      h->sleeps = true;
      hc_monitor_wait(h->monitor);
    }
    h->sleeps = false;
    if (h->stops) break;
    block *b = &h->blocks[(h->first + (h->taken != NULL) + h->ready) % BLOCKS];
    hc_monitor_leave(h->monitor);
    fill(h, b);
    hc_monitor_enter(h->monitor);
    more = b->rc == 1;
    h->ready++;
    if (h->asks) hc_monitor_wake(h->monitor);
  }
  h->ended = true;
  hc_monitor_wake(h->monitor);
  hc_monitor_leave(h->monitor);
}

/* ---- on the other side ---- */

hc_rc hc_ahead_new(const hc_source_context *given, const hc_ahead_maker *maker, hc_ahead **out,
                   hc_source_context *for_maker)
{
  hc_ahead *h = hc_alloc(given->allocator, sizeof *h);
  if (!h) return HC_ENOMEM;
  h->given = *given;
  h->allocator = given->allocator;
  h->maker = *maker;
  if (hc_monitor_new(h->allocator, &h->monitor) < 0) {
    hc_free(given->allocator, h, sizeof *h);
    return HC_ENOMEM;
  }
  for (int i = 0; i < BLOCKS; i++) hc_buffer_init(&h->blocks[i].texts, h->allocator);
  *for_maker = *given;
  for_maker->ledger = &h->ledger;
  for_maker->rejected = hear_rejected;
  for_maker->rejected_ctx = h;
  for_maker->called = hear_called;
  for_maker->called_ctx = h;
  *out = h;
  return 0;
}

static hc_rc start(hc_ahead *h, hc_error *e)
{
  h->stops = h->ended = false;
  h->counted = count_of(&h->ledger);
  h->seen = h->ledger;
  return hc_thread_start(h->allocator, work, h, &h->thread, e);
}

void hc_ahead_stop(hc_ahead *h)
{
  if (!h->thread) return;
  hc_monitor_enter(h->monitor);
  h->stops = true;
  hc_monitor_wake(h->monitor);
  hc_monitor_leave(h->monitor);
  hc_thread_join(h->thread);
  h->thread = NULL;
}

void hc_ahead_reset(hc_ahead *h, const hc_row_ledger *ledger)
{
  HC_ASSERT(!h->thread);
  h->taken = NULL;
  h->ready = h->first = 0;
  h->out_at = h->out_count = 0;
  h->ledger = h->seen = *ledger;
}

/* Give the block back that was handed out, and wait for the next; false if the thread has stopped and none is
 * left. */
static bool take(hc_ahead *h)
{
  hc_monitor_enter(h->monitor);
  if (h->taken) h->first = (h->first + 1) % BLOCKS;
  h->taken = NULL;
  if (h->sleeps && h->ready <= BLOCKS / 2) hc_monitor_wake(h->monitor);
  while (h->ready == 0 && h->thread && !h->ended) {
    h->asks = true;
    hc_monitor_wait(h->monitor);
  }
  h->asks = h->is_based = false;
  if (h->ready > 0) {
    h->taken = &h->blocks[h->first];
    h->ready--;
  }
  hc_monitor_leave(h->monitor);
  h->at = 0;
  h->next_mark = h->next_told = 0;
  return h->taken != NULL;
}

static const char *text_at(const block *b, size_t at)
{
  return at == SIZE_MAX ? NULL : b->texts.data + at;
}

/* What a mark says has happened. */
static hc_rc pass_mark(hc_ahead *h)
{
  const block *b = h->taken;
  const mark *m = &b->marks[h->next_mark++];
  for (; h->next_told < m->told; h->next_told++) {
    const told *t = &b->told[h->next_told];
    const char *text = text_at(b, t->text);
    if (t->is_name) TRY(hc_source_call(&h->given, t->kind, t->number, text, strlen(text)));
    else h->given.rejected(h->given.rejected_ctx, text_at(b, t->file), t->line, t->why, text);
  }
  h->seen = m->ledger;
  return 0;
}

static inline void unpack_words(hc_ahead *h, const block *b, uint32_t n)
{
  for (uint32_t k = 0; k < b->width; k++) {
    const uint64_t *from = b->columns[b->column[k]] + h->at;
    const uint32_t w = b->which[k];
    for (uint32_t i = 0; i < n; i++) h->out[i].words[w] = from[i];
  }
}

static void unpack(hc_ahead *h, const block *b, uint32_t n)
{
  for (uint32_t i = 0; i < BATCH && !h->is_based; i++) memcpy(h->out[i].words, b->base, sizeof b->base);
  h->is_based = true;
  if (n == BATCH) unpack_words(h, b, BATCH); /* as nearly always: loops of a length that is known */
  else unpack_words(h, b, n);
}

/* The tasks of the block at hand up to the next mark. @return 1; otherwise how the block ends, 3: there is
 * another. */
static hc_rc hand_out(hc_ahead *h)
{
  const block *b = h->taken;
  uint32_t end;
  while (h->next_mark < b->mark_count && b->marks[h->next_mark].at <= h->at) TRY(pass_mark(h));
  end = h->next_mark < b->mark_count ? b->marks[h->next_mark].at : b->count;
  if (h->at < end) {
    h->out_at = 0;
    h->out_count = HC_MIN(end - h->at, BATCH);
    unpack(h, b, h->out_count);
    h->at += h->out_count;
    return 1;
  }
  h->done = b->done;
  h->total = b->total;
  return b->rc == 1 ? 3 : b->rc;
}

/* @return 3: there is nothing more now, and no thread that makes it. */
static hc_rc next_made(hc_ahead *h, const hc_arrival **out, hc_row_ledger *ledger, hc_error *e)
{
  hc_rc rc = h->out_at < h->out_count ? 1 : 3;
  if (rc == 3 && h->taken) rc = hand_out(h);
  while (rc == 3 && take(h)) rc = hand_out(h);
  *ledger = h->seen;
  if (rc == 1) *out = &h->out[h->out_at++].task;
  if (rc >= 0) return rc;
  const hc_error *said = &h->taken->error;
  return hc_fail(e, rc, said->where, said->line, said->column, "%s", said->rc ? said->text : hc_rc_text(rc));
}

hc_rc hc_ahead_next(hc_ahead *h, const hc_arrival **out, hc_row_ledger *ledger, hc_error *e)
{
  hc_rc rc;
  if (h->out_at < h->out_count) { /* as nearly always */
    *out = &h->out[h->out_at++].task;
    return 1;
  }
  while ((rc = next_made(h, out, ledger, e)) == 3) TRY(start(h, e));
  return rc;
}

uint32_t hc_ahead_stretch(hc_ahead *h, const hc_arrival **first)
{
  const uint32_t n = h->taken && h->taken->is_simple ? h->out_count - h->out_at : 0;
  *first = n > 0 ? &h->out[h->out_at].task : NULL;
  h->out_at += n;
  return n;
}

void hc_ahead_give_back(hc_ahead *h, uint32_t n)
{
  HC_ASSERT(n < h->out_at); /* the one before them was taken by itself */
  h->out_at -= n;
}

hc_rc hc_ahead_left(hc_ahead *h, const hc_arrival **out, hc_row_ledger *ledger, hc_error *e)
{
  HC_ASSERT(!h->thread);
  const hc_rc rc = next_made(h, out, ledger, e);
  return rc == 3 ? 0 : rc;
}

void hc_ahead_progress(const hc_ahead *h, uint64_t *done, uint64_t *total)
{
  *done = h->done;
  *total = h->total;
}

void hc_ahead_free(hc_ahead *h)
{
  if (!h) return;
  hc_ahead_stop(h);
  for (int i = 0; i < BLOCKS; i++) {
    block *b = &h->blocks[i];
    hc_free(h->allocator, b->told, b->told_cap * sizeof *b->told);
    hc_free(h->allocator, b->marks, b->mark_cap * sizeof *b->marks);
    hc_buffer_fini(&b->texts);
  }
  hc_monitor_free(h->monitor);
  hc_free(h->allocator, h, sizeof *h);
}
