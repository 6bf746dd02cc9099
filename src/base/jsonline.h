/* jsonline.h -- one JSON value in a line of text, token by token: for files with an object a line. */
#ifndef HC_BASE_JSONLINE_H
#define HC_BASE_JSONLINE_H

#include "base/lexer.h"
#include "base/mem.h"

#define HC_JSONLINE_DEPTH 32 /* objects and arrays within each other */

typedef enum hc_jsonline_kind {
  HC_JSONLINE_KEY,    /* its value comes next */
  HC_JSONLINE_TEXT,   /* without its quotes */
  HC_JSONLINE_NUMBER, /* as it is written */
  HC_JSONLINE_TRUE,
  HC_JSONLINE_FALSE,
  HC_JSONLINE_NULL,
  HC_JSONLINE_OBJECT, /* it begins */
  HC_JSONLINE_ARRAY,
  HC_JSONLINE_END,   /* of the object or array that was opened last */
  HC_JSONLINE_DONE,  /* the line holds nothing more */
  HC_JSONLINE_WRONG, /* it is no JSON, at `at`; and so it stays */
} hc_jsonline_kind;

/* A line being read. It borrows the text, and leaves it as it is. */
typedef struct hc_jsonline {
  const char *at, *end;
  uint64_t objects; /* bit k: the k-th open bracket is an object's */
  uint32_t depth;
  bool has_item, after_key, wrong;
} hc_jsonline;

/* `escaped`: the text of a key or text holds backslashes; see hc_jsonline_text. */
typedef struct hc_jsonline_token {
  hc_jsonline_kind kind;
  bool escaped;
  const char *text;
  size_t size;
} hc_jsonline_token;

void hc_jsonline_begin(hc_jsonline *j, const char *text, size_t size);
/** The next token. Cost: about 2 ns a byte. */
hc_jsonline_token hc_jsonline_next(hc_jsonline *j);
/** Pass over the value that `t`, the last token, begins. False: it is no JSON. */
bool hc_jsonline_skip(hc_jsonline *j, hc_jsonline_token t);
/** A text with its escapes resolved, in `scratch` if it has any. False: an escape is none, or out of memory
 *  (scratch->failed). */
bool hc_jsonline_text(const hc_jsonline_token *t, hc_buffer *scratch, hc_field *out);

#endif
