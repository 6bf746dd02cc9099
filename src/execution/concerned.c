/* concerned.c -- see concerned.h. */
#include "execution/concerned.h"

#include <string.h>

#include "base/util.h"

enum { BY_EXECUTABLE, BY_USER, BY_GROUP, BY_QUEUE };

static const hc_called kinds[] = {[BY_EXECUTABLE] = HC_CALLED_EXECUTABLE,
                                  [BY_USER] = HC_CALLED_USER,
                                  [BY_GROUP] = HC_CALLED_GROUP,
                                  [BY_QUEUE] = HC_CALLED_QUEUE};

static bool is_number(const char *text)
{
  return text[strspn(text, "0123456789")] == '\0';
}

hc_rc hc_concerned_init(hc_concerned *c, const hc_slowdown_context *context, const hc_concerned_options *o)
{
  const char *const *names = o->tasks.items;
  *c = (hc_concerned){o, context->lexicon, context->number_of};
  for (size_t i = 0; c->lexicon && i < o->tasks.count; i++)
    if (!is_number(names[i])) TRY(hc_lexicon_expect(c->lexicon, kinds[o->by], names[i]));
  return 0;
}

static int64_t number_of(const hc_concerned *c, const hc_slowdown_task *t)
{
  switch (c->o->by) {
    case BY_USER: return t->user;
    case BY_GROUP: return t->group;
    case BY_QUEUE: return t->queue;
    default: return t->executable;
  }
}

/* What its source only makes a number of, as native does of a task's name, is called by its name from the
 * first time on that it is met. */
bool hc_concerns(const hc_concerned *c, const hc_slowdown_task *t)
{
  const char *const *names = c->o->tasks.items;
  const int64_t number = number_of(c, t);
  const char *called;
  if (c->o->tasks.count == 0) return true;
  if (number < 0) return false;
  called = c->lexicon ? hc_lexicon_called(c->lexicon, kinds[c->o->by], number) : NULL;
  for (size_t i = 0; i < c->o->tasks.count; i++) {
    if (called && strcmp(names[i], called) == 0) return true;
    if (called || c->number_of(names[i]) != number) continue;
    if (c->lexicon && !is_number(names[i]))
      (void)hc_lexicon_call(c->lexicon, kinds[c->o->by], number, names[i], strlen(names[i]));
    return true;
  }
  return false;
}
