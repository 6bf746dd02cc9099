/* storage_mapping.c -- another profile, to which names of storage mean others: labels become hosts, and paths
 * lie elsewhere. */
#include <stdio.h>
#include <string.h>

#include "hindcast/profile.h"

typedef struct options {
  hc_list mapping;
  hc_chosen profile;
} options;

/* Of "LABEL=NAME" the name; NULL: it is no such text. @param size out: of the label */
static const char *name_in(const char *text, size_t *size)
{
  const char *is = strchr(text, '=');
  *size = is ? (size_t)(is - text) : 0;
  return is && is > text && is[1] != '\0' ? is + 1 : NULL;
}

/* Is it the label, or a path that begins with it? */
static bool is_below(const char *name, const char *label, size_t size)
{
  if (strncmp(name, label, size) != 0) return false;
  return name[size] == '\0' || (label[0] == '/' && (name[size] == '/' || label[size - 1] == '/'));
}

/* By the longest label that it begins with. */
static const char *storage(const void *given, const char *name, char *room)
{
  const options *o = given;
  const char *const *texts = o->mapping.items, *best = NULL;
  size_t most = 0;
  for (size_t i = 0; i < o->mapping.count; i++) {
    size_t size;
    const char *to = name_in(texts[i], &size);
    if (!to || size <= most || !is_below(name, texts[i], size)) continue;
    best = to;
    most = size;
  }
  if (!best) return name;
  if (name[most] == '\0') return best;
  const int n = snprintf(room, HC_PROFILE_PATH, "%s%s", best, name + most);
  return n > 0 && n < HC_PROFILE_PATH ? room : NULL;
}

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  const char *const *texts = o->mapping.items;
  (void)processes;
  for (size_t i = 0; i < o->mapping.count; i++) {
    size_t size;
    if (name_in(texts[i], &size)) continue;
    return hc_fail(e, HC_EINPUT, "", 0, 0,
                   "storage_mapping: \"%.80s\" is no \"LABEL=NAME\", such as \"pfs=storage_1\"", texts[i]);
  }
  return 0;
}

static hc_rc resume(hc_profile *p)
{
  return hc_profile_do(p, &((const options *)p->options)->profile);
}

static const hc_param params[] = {
    HC_PARAM(TEXTS, options, mapping, NULL,
             "Labels and the names that replace them: \"pfs=storage_1\" names a host, \"/data=/scratch\" the "
             "begin of paths. Of several labels that match, the longest counts."),
    HC_PARAM(COMPONENT, options, profile, HC_KIND_PROFILE, NULL,
             "The profile that is done. Default: nothing."),
    {0}};

const hc_profile_type hc_profile_storage_mapping = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "storage_mapping",
                  .summary = "another profile, in which names of storage are replaced",
                  .detail = "It holds for all profiles within, at any depth, and for profiles in C. The name "
                            "that replaces a label is in turn looked up in the next mapping further out. A "
                            "host of that name must be in the cell.",
                  .source = "Batsim 4, storage_mapping of EXECUTE_JOB", .params = params,
                  .options_size = sizeof(options)},
    .is_uniform = true,
    .check = check,
    .resume = resume,
    .storage = storage};
