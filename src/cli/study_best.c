/* study_best.c -- `hindcast study best`: Polezhaev's eight steps over a study. */
#include <stdlib.h>
#include <string.h>

#include "cli/study_stats.h"

static const cli_flag own_flags[] = {
    {.name = "group",
     .metavar = "AXIS",
     .help = "The axis that is judged, each level with its best choice: selection."},
    {.name = "choice",
     .metavar = "AXIS",
     .help = "The axis of which each group gets its best level: placement. Default: none."},
    {.name = "scenes",
     .metavar = "AXIS",
     .help = "The axis whose levels are judged each by itself; what is common is said last."},
    {.name = "primary",
     .letter = 'p',
     .metavar = "FIGURES",
     .many = true,
     .help = "Figures that decide, with commas. Default: utilisation, capacity loss and makespan, of these "
             "what was kept."},
    {.name = "performance",
     .metavar = "FIGURES",
     .many = true,
     .help = "Figures that decide among equals. Default: those of wait_mean, bounded_slowdown_mean that were "
             "kept."},
    {.name = "secondary",
     .metavar = "FIGURES",
     .many = true,
     .help = "Figures that are only shown. Default: all others."},
    {.name = "top", .metavar = "N", .help = "Rows of each overlay, for people. Default: 5."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_study_flags, cli_format_flags, NULL};

static const cli_column row_columns[] = {{.name = "scene"},
                                         {.name = "figure"},
                                         {.name = "role"},
                                         {.name = "rank", .right = true},
                                         {.name = "group"},
                                         {.name = "choice"},
                                         {.name = "choice_ties"},
                                         {.name = "count", .right = true},
                                         {.name = "mean", .right = true},
                                         {.name = "half_width", .right = true},
                                         {.name = "may_be_best"}};
static const cli_column overlay_columns[] = {{.name = "rank", .title = "  #", .right = true},
                                             {.name = "combination"},
                                             {.name = "mean", .right = true},
                                             {.name = "best", .title = "may be best"},
                                             {.name = "ties", .title = "as good a choice"}};
static const cli_column candidate_columns[] = {
    {.name = "scene"},
    {.name = "combination"},
    {.name = "chosen"},
    {.name = "firsts", .right = true},
    {.name = "primary_ranks", .title = "primary ranks", .right = true},
    {.name = "performance_ranks", .title = "performance ranks", .right = true}};
static const cli_column beside_columns[] = {{.name = "scene"},
                                            {.name = "figure"},
                                            {.name = "chosen"},
                                            {.name = "mean_chosen", .title = "its mean", .right = true},
                                            {.name = "champion"},
                                            {.name = "mean_champion", .title = "its mean", .right = true},
                                            {.name = "p_adjusted", .title = "p corrected", .right = true},
                                            {.name = "verdict"}};
static const cli_column vote_columns[] = {{.name = "scene"},
                                          {.name = "choice"},
                                          {.name = "best", .right = true},
                                          {.name = "tied", .title = "as good", .right = true},
                                          {.name = "of", .right = true}};

/* ---- the question ---- */

typedef struct lists {
  const char **primary, **performance, **secondary;
  size_t primary_count, performance_count, secondary_count;
  const char **given[3]; /* what is to be freed */
  size_t given_count[3];
} lists;

static bool is_listed(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

/* What was given, or else what stands in `names`. */
static hc_rc take(cli *c, const char *flag, const char *const *names, size_t name_count, lists *l, int which,
                  const char ***out, size_t *count)
{
  CLI_TRY(cli_values(c, flag, &l->given[which], &l->given_count[which]));
  *out = calloc(l->given_count[which] + name_count + 1, sizeof **out);
  if (!*out) return cli_fail(c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < l->given_count[which]; i++) (*out)[(*count)++] = l->given[which][i];
  for (size_t i = 0; l->given_count[which] == 0 && i < name_count; i++) (*out)[(*count)++] = names[i];
  return 0;
}

/* The figures of a study that declare a role. @param names [figures + 1] out; @return how many */
static size_t with_role(const cli *c, const hc_study_data *d, hc_figure_role role, const char **names)
{
  size_t count = 0;
  for (uint32_t i = 0; i < d->figure_count; i++)
    if (hc_figure_has(c->registry, d->figures[i].name, role)) names[count++] = d->figures[i].name;
  return count;
}

/* Whether choices can be ranked by a figure that the question does not name. */
static bool is_ranked(const cli_question *q, uint32_t figure)
{
  const char *name = q->data->figures[figure].name;
  return q->data->figures[figure].direction || is_listed(q->higher, q->higher_count, name) ||
         is_listed(q->lower, q->lower_count, name);
}

static hc_rc take_lists(cli *c, const cli_question *q, lists *l)
{
  const hc_study_data *d = q->data;
  const char **names = calloc(d->figure_count + 1u, sizeof *names);
  size_t count;
  hc_rc rc;
  if (!names || !cli_registry(c)) {
    free((void *)names);
    return cli_fail(c, HC_ENOMEM, "out of memory");
  }
  count = with_role(c, d, HC_FIGURE_PRIMARY, names);
  rc = take(c, "primary", names, count, l, 0, &l->primary, &l->primary_count);
  count = with_role(c, d, HC_FIGURE_PERFORMANCE, names);
  if (rc >= 0) rc = take(c, "performance", names, count, l, 1, &l->performance, &l->performance_count);
  count = 0;
  for (uint32_t i = 0; rc >= 0 && i < d->figure_count; i++) {
    const char *name = d->figures[i].name;
    if (is_listed(l->primary, l->primary_count, name) ||
        is_listed(l->performance, l->performance_count, name) || !is_ranked(q, i))
      continue;
    names[count++] = name;
  }
  if (rc >= 0) rc = take(c, "secondary", names, count, l, 2, &l->secondary, &l->secondary_count);
  free((void *)names);
  return rc;
}

static void free_lists(lists *l)
{
  for (int i = 0; i < 3; i++) cli_values_free(l->given[i], l->given_count[i]);
  free((void *)l->primary);
  free((void *)l->performance);
  free((void *)l->secondary);
}

/* ---- tables ---- */

static void add_rows(cli_table *t, const hc_best_scene *s)
{
  for (uint32_t f = 0; f < s->figure_count; f++) {
    for (uint32_t i = 0; i < s->figures[f].count; i++) {
      const hc_best_row *r = &s->figures[f].rows[i];
      cli_add_text(t, s->label);
      cli_add_text(t, s->figures[f].name);
      cli_add_text(t, hc_best_role_name(s->figures[f].role));
      cli_add_int(t, r->rank);
      cli_add_text(t, r->group);
      cli_add_text(t, r->choice);
      cli_add_text(t, r->ties);
      cli_add_int(t, (int64_t)r->stat.count);
      cli_add_real(t, r->stat.mean, s->figures[f].unit);
      cli_add_real(t, r->stat.half_width, s->figures[f].unit);
      cli_add_pair(t, r->may_be_best ? "true" : "false", NULL, false);
    }
  }
}

static void add_mean(cli_table *t, const hc_stat_mean *m)
{
  char plain[40], human[96];
  plain[hc_format_real(m->mean, plain)] = '\0';
  cli_plus_minus(m, human);
  cli_add_pair(t, m->count ? plain : NULL, human, false);
}

static void add_candidates(cli_table *t, const hc_best_scene *s)
{
  for (uint32_t i = 0; i < s->candidate_count; i++) {
    const hc_best_candidate *x = &s->candidates[i];
    cli_add_text(t, s->label);
    cli_add_text(t, x->label);
    cli_add_pair(t, x->is_chosen ? "true" : "false", x->is_chosen ? "yes" : "", false);
    cli_add_int(t, x->firsts);
    cli_add_int(t, x->primary_ranks);
    cli_add_int(t, x->performance_ranks);
  }
}

static void add_beside(cli_table *t, const hc_best_scene *s)
{
  for (uint32_t i = 0; i < s->beside_count; i++) {
    const hc_best_beside *x = &s->beside[i];
    cli_add_text(t, s->label);
    cli_add_text(t, x->figure);
    cli_add_text(t, x->chosen);
    add_mean(t, &x->of_chosen);
    cli_add_text(t, x->champion);
    add_mean(t, &x->of_champion);
    cli_add_p(t, x->adjusted);
    cli_add_text(t, hc_study_verdict_name(x->verdict));
  }
}

static void add_votes(cli_table *t, const hc_best_scene *s)
{
  for (uint32_t i = 0; i < s->vote_count; i++) {
    if (s->votes[i].of == 0) continue;
    cli_add_text(t, s->label);
    cli_add_text(t, s->votes[i].choice);
    cli_add_int(t, s->votes[i].best);
    cli_add_int(t, s->votes[i].tied);
    cli_add_int(t, s->votes[i].of);
  }
}

/* ---- text ---- */

static void show_overlay(cli *c, const cli_question *q, const hc_best_figure *f, int64_t top)
{
  cli_table t;
  hc_buffer title;
  cli_table_init(&t, c->allocator, overlay_columns, CLI_LEN(overlay_columns));
  hc_buffer_init(&title, c->allocator);
  cli_study_title(&title, q, f->name, f->unit, f->direction);
  hc_buffer_printf(&title, "; %s", hc_best_role_name(f->role));
  for (uint32_t i = 0; i < f->count && i < top; i++) {
    const hc_best_row *r = &f->rows[i];
    const char *others = r->ties[strlen(r->choice)] ? r->ties + strlen(r->choice) + 1 : "";
    char label[256];
    (void)snprintf(label, sizeof label, "%s%s%s", r->group, *r->choice ? " " : "", r->choice);
    cli_add_int(&t, r->rank);
    cli_add_text(&t, label);
    add_mean(&t, &r->stat);
    cli_add_text(&t, r->may_be_best ? "yes" : "");
    cli_add_text(&t, others);
  }
  cli_study_show(c, &t, title.data);
  cli_table_fini(&t);
  hc_buffer_fini(&title);
}

static void show_part(cli *c, const hc_best_scene *s, const char *title, const cli_column *columns,
                      size_t width, void (*add)(cli_table *, const hc_best_scene *))
{
  cli_table t;
  cli_table_init(&t, c->allocator, columns, width);
  add(&t, s);
  if (t.count) cli_study_show(c, &t, title);
  cli_table_fini(&t);
}

static void show_scene(cli *c, const cli_question *q, const hc_best_scene *s, int64_t top)
{
  const char *mark = cli_has(c, "markdown") ? "## " : "";
  if (*s->label)
    hc_buffer_printf(&c->out, "%s%s%s %s\n", c->out.size ? "\n" : "", mark, cli_value(c, "scenes"), s->label);
  for (uint32_t i = 0; i < s->figure_count; i++) show_overlay(c, q, &s->figures[i], top);
  show_part(c, s, "Choice by the primary figures: by how many it may be the best, then ranks",
            candidate_columns, CLI_LEN(candidate_columns), add_candidates);
  show_part(c, s, "Secondary figures: what is chosen beside the champion", beside_columns,
            CLI_LEN(beside_columns), add_beside);
  show_part(c, s, "Choices: for how many groups and primary figures each is the best", vote_columns,
            CLI_LEN(vote_columns), add_votes);
}

static void show_common(cli *c, const hc_best_found *f)
{
  if (f->scene_count < 2) return;
  hc_buffer_printf(&c->out, "\nChosen at every level of %s: ", cli_value(c, "scenes"));
  for (uint32_t i = 0; i < f->common_count; i++)
    hc_buffer_printf(&c->out, "%s%s", i ? ", " : "", f->common[i]);
  if (f->common_count == 0) hc_buffer_text(&c->out, "none");
  hc_buffer_printf(&c->out, "\nWhatever the choice: ");
  for (uint32_t i = 0; i < f->common_group_count; i++)
    hc_buffer_printf(&c->out, "%s%s", i ? ", " : "", f->common_group[i]);
  if (f->common_group_count == 0) hc_buffer_text(&c->out, "none");
  hc_buffer_text(&c->out, "\n");
}

static void json_part(cli *c, hc_json_writer *j, const char *key, const hc_best_found *f,
                      const cli_column *columns, size_t width,
                      void (*add)(cli_table *, const hc_best_scene *))
{
  cli_table t;
  cli_table_init(&t, c->allocator, columns, width);
  for (uint32_t i = 0; i < f->scene_count; i++) add(&t, &f->scenes[i]);
  cli_table_member(&t, j, key);
  c->out.failed |= t.failed;
  cli_table_fini(&t);
}

static void show_json(cli *c, const hc_best_found *f)
{
  hc_json_writer j = {.out = &c->out};
  hc_json_enter(&j, NULL, '{');
  json_part(c, &j, "overlay", f, row_columns, CLI_LEN(row_columns), add_rows);
  json_part(c, &j, "candidates", f, candidate_columns, CLI_LEN(candidate_columns), add_candidates);
  json_part(c, &j, "secondary", f, beside_columns, CLI_LEN(beside_columns), add_beside);
  json_part(c, &j, "choices", f, vote_columns, CLI_LEN(vote_columns), add_votes);
  hc_json_enter(&j, "common", '[');
  for (uint32_t i = 0; i < f->common_count; i++) hc_json_put_text(&j, NULL, f->common[i]);
  hc_json_leave(&j, ']');
  hc_json_enter(&j, "common_groups", '[');
  for (uint32_t i = 0; i < f->common_group_count; i++) hc_json_put_text(&j, NULL, f->common_group[i]);
  hc_json_leave(&j, ']');
  hc_json_leave(&j, '}');
}

static void show(cli *c, const cli_question *q, const hc_best_found *f, int64_t top)
{
  cli_table t;
  switch (c->format) {
    case CLI_JSON: show_json(c, f); break;
    case CLI_CSV:
      cli_table_init(&t, c->allocator, row_columns, CLI_LEN(row_columns));
      for (uint32_t i = 0; i < f->scene_count; i++) add_rows(&t, &f->scenes[i]);
      cli_table_show(c, &t);
      cli_table_fini(&t);
      break;
    case CLI_TEXT:
      for (uint32_t i = 0; i < f->scene_count; i++) show_scene(c, q, &f->scenes[i], top);
      show_common(c, f);
      break;
  }
}

static hc_rc ask(cli *c, const cli_question *q, const lists *l)
{
  hc_best_query b = {
      .group = cli_value(c, "group"), .choice = cli_value(c, "choice"), .scene = cli_value(c, "scenes")};
  hc_best_found *f;
  int64_t top = 5;
  CLI_TRY(cli_int(c, "top", 1, 100000, &top));
  if (!b.group) b.group = cli_question_axis(q);
  b.primary = l->primary;
  b.primary_count = l->primary_count;
  b.performance = l->performance;
  b.performance_count = l->performance_count;
  b.secondary = l->secondary;
  b.secondary_count = l->secondary_count;
  b.where = q->where;
  b.where_count = q->where_count;
  b.over = q->over;
  b.over_count = q->over_count;
  b.higher = q->higher;
  b.higher_count = q->higher_count;
  b.lower = q->lower;
  b.lower_count = q->lower_count;
  b.level = q->level;
  CLI_TRY(hc_study_best(c->allocator, q->data, &b, &f, &c->error));
  show(c, q, f, top);
  hc_best_found_free(c->allocator, f);
  return 0;
}

static hc_rc run(cli *c)
{
  cli_question q = {0};
  lists l = {0};
  hc_rc rc = cli_question_open(c, &q);
  if (rc >= 0) rc = take_lists(c, &q, &l);
  if (rc >= 0) rc = ask(c, &q, &l);
  free_lists(&l);
  cli_question_close(c, &q);
  return rc;
}

const cli_command cli_study_best = {
    .name = "best",
    .operands = "STUDY",
    .summary = "Which combination is best: each group with its best choice, by each figure, and overall.",
    .detail =
        "By each figure, each level of --group gets the level of --choice that suits it best; these winners "
        "are ranked. Candidates are those that may be the best by a primary figure; the one that may be the "
        "best by most of them is chosen. \"May be best\" is multiple comparisons with the best (Hsu) over "
        "paired replications: a lead within chance is shown as a tie. What is chosen stands beside the "
        "champion of each secondary figure; with --scenes, what is chosen at all of its levels is said last.",
    .examples =
        "hindcast study best results/polezhaev.db --group selection --choice placement --scenes scenario "
        "--where load>=0.5",
    .flags = flags,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
