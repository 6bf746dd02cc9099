/* news.h -- what a scheduler outside is told. See news.c. */
#ifndef HC_ENGINE_NEWS_H
#define HC_ENGINE_NEWS_H

#include "engine/state.h"

/** Does the run's architecture bring a scheduler outside its news? */
bool hc_news_are_heard(const hc_engine *e);
/** Something has happened of which the architecture is to hear. @return 0 or HC_ENOMEM */
hc_rc hc_news_note(hc_engine *e, const hc_news *news);

/** As hc_engine_services has them: is_outside, tell, next_news, rest, is_own_task. */
bool hc_news_is_outside(const hc_engine *e);
hc_rc hc_news_tell(hc_engine *e, const hc_news *news);
bool hc_news_next(hc_engine *e, hc_news *out);
hc_time hc_news_rest(const hc_engine *e);
bool hc_news_is_own_task(const hc_engine *e);

#endif
