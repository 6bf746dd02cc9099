/* xml.h -- documents of XML, element by element, by expat.
 *
 * For formats whose meaning is in elements and attributes: text between elements is not handed out. What
 * could make a small document large, or read other files, is refused: entities that a document declares,
 * references to entities that it does not, subsets of a DTD within it. The DTD that a document names is not
 * read. A core has no expat, and refuses. */
#ifndef HC_BASE_XML_H
#define HC_BASE_XML_H

#include "hindcast/base.h"

#define HC_XML_DEPTH 64 /* elements within elements */

/* Where reading is, for errors. */
typedef struct hc_xml_place {
  const char *file;
  uint32_t line, column;
} hc_xml_place;

/* `attributes`: name, value, name, value ..., NULL. Everything is borrowed until the call returns. An error
 * ends the reading. `close` may be NULL. */
typedef struct hc_xml_handler {
  void *ctx;
  hc_rc (*open)(void *ctx, const hc_xml_place *at, const char *name, const char *const *attributes,
                hc_error *e);
  hc_rc (*close)(void *ctx, const hc_xml_place *at, const char *name, hc_error *e);
} hc_xml_handler;

/** Read a document, plain or packed. @return 0; HC_EINPUT: it is not well-formed, or is refused, with its
 * place;
 *  HC_EIO; HC_ENOMEM; HC_EUNSUPPORTED in a core; what the handler returned. */
hc_rc hc_xml_read(const hc_allocator *a, const char *path, const hc_xml_handler *handler, hc_error *e);

#endif
