/* test_slurm_assoc.c -- associations and QOS of Slurm from dumps, scripts and tables: what they mean, and
 * what is said of those that mean nothing. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "policy/slurm/assoc.h"

#define DATA HC_TEST_SOURCE_DIR "/tests/data/slurm/"

static hc_rc read_text(hc_slurm_assocs *b, const char *text, hc_error *e)
{
  char path[] = "/tmp/assoc_XXXXXX";
  const int fd = mkstemp(path);
  hc_rc rc;
  *e = (hc_error){0};
  assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  rc = hc_slurm_assocs_read(b, path, e);
  unlink(path);
  return rc;
}

static void open_with(hc_slurm_assocs *b, const char *text)
{
  hc_error e = {0};
  assert_int_equal(hc_slurm_assocs_init(b, hc_default_allocator()), 0);
  if (read_text(b, text, &e) < 0 || hc_slurm_assocs_settle(b, &e) < 0) fail_msg("%u: %s", e.line, e.text);
}

/* ---- what files mean ---- */

static void test_a_dump_and_a_table(void **state)
{
  hc_slurm_assocs b;
  hc_error e = {0};
  (void)state;
  assert_int_equal(hc_slurm_assocs_init(&b, hc_default_allocator()), 0);
  assert_int_equal(hc_slurm_assocs_read(&b, DATA "qos.psv", &e), 0);
  assert_int_equal(hc_slurm_assocs_read(&b, DATA "associations.cfg", &e), 0);
  assert_int_equal(hc_slurm_assocs_settle(&b, &e), 0);
  assert_string_equal(b.cluster, "r7");
  assert_int_equal(b.count, 11); /* root twice, 3 accounts, 6 users */
  assert_int_equal(b.user_count, 7);
  const uint32_t psu3 = hc_slurm_assocs_find(&b, NULL, "psu3", NULL);
  assert_string_equal(b.items[psu3].account, "acct_b");
  assert_int_equal(psu3, hc_slurm_assocs_find(&b, "ACCT_B", "psu3", "batch"));
  assert_int_equal(b.items[hc_slurm_assocs_account(&b, "acct_c")].shares, 20);
  const uint32_t limited = hc_slurm_assocs_qos(&b, "limited");
  assert_int_equal(b.qos[limited].priority, 10);
  assert_int_equal(b.qos[limited].bounds.max_user.of[HC_SLURM_CPU], 8);
  assert_int_equal(b.qos[limited].bounds.max_jobs_user, 2);
  assert_int_equal(b.qos[limited].bounds.max_user.of[HC_SLURM_MEM], HC_SLURM_NO_LIMIT);
  assert_int_equal(b.most_qos_priority, 100);
  assert_true(hc_slurm_assocs_may_use(&b, psu3, limited));
  assert_int_equal(hc_slurm_assocs_default_qos(&b, psu3), hc_slurm_assocs_qos(&b, "normal"));
  /* that nothing is known of */
  assert_int_equal(hc_slurm_assocs_find(&b, "acct_b", "psu1", NULL), HC_SLURM_NONE);
  assert_int_equal(hc_slurm_assocs_find(&b, NULL, "ghost", NULL), HC_SLURM_NONE);
  assert_null(hc_slurm_assocs_home(&b, "ghost"));
  assert_true(hc_slurm_assocs_may_use(&b, HC_SLURM_NONE, limited));
  hc_slurm_assocs_fini(&b);
}

static void test_limits_are_handed_down(void **state)
{
  hc_slurm_assocs b;
  (void)state;
  open_with(
      &b, "Cluster - 'c':Fairshare=1:QOS='normal':MaxJobs=9:GrpJobs=50\n"
          "Parent - 'root'\n"
          "Account - \"a\":Description='all: of them':Fairshare=3:MaxTRESPerJob=cpu=8,mem=4G:GrpTRES=node=2\n"
          "Parent - 'a'\n"
          "User - 'u':Fairshare=parent:MaxTRESPerJob=cpu=16:MaxWallDurationPerJob=90\n"
          "Account - 'a2':MaxJobs=4:MaxWall=1-0 # two days less one\n"
          "Parent - 'a2'\n"
          "User - 'u':DefaultAccount='a2':Partition='big':Priority=7\n"
          "User - 'v':GrpTRESMins=cpu=100:MaxSubmitJobs=-1\n");
  const hc_slurm_assoc *u = &b.items[hc_slurm_assocs_find(&b, "a", "u", NULL)];
  const hc_slurm_assoc *v = &b.items[hc_slurm_assocs_find(&b, "a2", "v", "small")];
  assert_int_equal(u->shares, HC_SLURM_PARENT_SHARES);
  assert_int_equal(u->bounds.max_job.of[HC_SLURM_CPU], 16);
  assert_int_equal(u->bounds.max_job.of[HC_SLURM_MEM], 4096); /* MiB, of the account */
  assert_int_equal(u->bounds.max_jobs, 9);                    /* of the cluster */
  assert_int_equal(u->bounds.grp_jobs, HC_SLURM_NO_LIMIT);    /* which is the cluster's own */
  assert_int_equal(u->bounds.grp.of[HC_SLURM_NODE], HC_SLURM_NO_LIMIT);
  assert_int_equal(u->bounds.max_wall, 90);
  assert_int_equal(v->bounds.max_jobs, 4);
  assert_int_equal(v->bounds.max_wall, 24 * 60);
  assert_int_equal(v->bounds.grp_mins.of[HC_SLURM_CPU], 100);
  assert_int_equal(v->bounds.max_submit, HC_SLURM_NO_LIMIT);
  assert_int_equal(v->depth, 3);
  /* a user in a partition, whose default account the line names */
  const uint32_t big = hc_slurm_assocs_find(&b, NULL, "u", "BIG");
  assert_string_equal(b.items[big].partition, "big");
  assert_int_equal(b.items[big].priority, 7);
  assert_int_equal(hc_slurm_assocs_find(&b, NULL, "u", "small"), HC_SLURM_NONE);
  hc_slurm_assocs_fini(&b);
}

/* The two scripts of a simulator's examples, cut short, and options as sacctmgr(1) writes them. */
static void test_a_script(void **state)
{
  hc_slurm_assocs b;
  hc_buffer note;
  (void)state;
  open_with(&b, "# add/modify QOS\n"
                "modify QOS set normal Priority=0\n"
                "add QOS Name=supporters Priority=100 MaxSubmitJobsPerUser=1000 Flags=DenyOnLimit,NoDecay\n"
                "sacctmgr -i add qos scavenge,idle UsageFactor=0.25 GraceTime=120 Preempt=normal,supporters "
                "PreemptMode=cancel,within PreemptExemptTime=3 GrpJobsAccrue=7\n"
                "add cluster Name=micro Fairshare=1 QOS=normal,supporters\n"
                "add account name=account1,account2 Fairshare=100 Description=\"two of them\"\n"
                "create account sub parent=account2 fairshare=10\n"
                "add user name=admin DefaultAccount=account1 MaxSubmitJobs=1000 AdminLevel=Administrator\n"
                "add user user1,user2 account=sub,account1 DefaultAccount=sub fairshare=5\n"
                "modify user set qoslevel=\"normal,supporters\"\n"
                "modify user where name=user2 account=sub set qos+=scavenge qos-=normal MaxJobs=3\n"
                "modify account account2 set GrpCPUs=64 GrpNodes=4\n"
                "mod user name=user1 set DefaultAccount=account1 MaxCPUs=4 DefaultQOS=supporters\n"
                "add user lone account=account2\n"
                "remove qos where name=idle\n"
                "list associations format=Account,Cluster,User,Fairshare tree withd\n");
  const uint32_t scavenge = hc_slurm_assocs_qos(&b, "scavenge"), normal = hc_slurm_assocs_qos(&b, "normal");
  const uint32_t supporters = hc_slurm_assocs_qos(&b, "supporters");
  assert_int_equal(b.count, 2 + 3 + 1 + 4 + 1);
  assert_int_equal(b.qos[supporters].bounds.max_submit_user, 1000);
  assert_int_equal(b.qos[supporters].flags, HC_SLURM_DENY_ON_LIMIT | HC_SLURM_NO_DECAY);
  assert_true(b.qos[scavenge].usage_factor == 0.25);
  assert_true(hc_slurm_qos_has(&b.qos[scavenge].preempts, supporters));
  assert_int_equal(b.qos[scavenge].grace, 120);
  assert_int_equal(b.qos[scavenge].exempt, 180);
  assert_true(b.qos[scavenge].mode == HC_SLURM_MODE_CANCEL && b.qos[scavenge].within);
  assert_true(b.qos[normal].mode == HC_SLURM_MODE_CLUSTER && b.qos[normal].exempt == -1);
  assert_int_equal(hc_slurm_assocs_qos(&b, "idle"), HC_SLURM_NONE);
  const hc_slurm_assoc *u2 = &b.items[hc_slurm_assocs_find(&b, "sub", "user2", NULL)];
  assert_true(hc_slurm_qos_has(&u2->qos, scavenge) && !hc_slurm_qos_has(&u2->qos, normal));
  assert_int_equal(u2->bounds.max_jobs, 3);
  assert_int_equal(u2->shares, 5);
  assert_string_equal(b.items[u2->parent].account, "sub");
  const uint32_t other = hc_slurm_assocs_find(&b, "account1", "user2", NULL);
  assert_int_equal(b.items[other].bounds.max_jobs, HC_SLURM_NO_LIMIT);
  assert_string_equal(hc_slurm_assocs_home(&b, "user2"), "sub");
  assert_string_equal(hc_slurm_assocs_home(&b, "user1"), "account1");
  const uint32_t u1 = hc_slurm_assocs_find(&b, NULL, "user1", NULL);
  assert_int_equal(hc_slurm_assocs_default_qos(&b, u1), supporters);
  assert_int_equal(b.items[u1].bounds.max_job.of[HC_SLURM_CPU], 4);
  const hc_slurm_assoc *a2 = &b.items[hc_slurm_assocs_account(&b, "account2")];
  assert_int_equal(a2->bounds.grp.of[HC_SLURM_CPU], 64);
  assert_int_equal(a2->bounds.grp.of[HC_SLURM_NODE], 4);
  /* handed down from the cluster */
  const uint32_t lone = hc_slurm_assocs_find(&b, NULL, "lone", NULL);
  assert_true(hc_slurm_assocs_may_use(&b, lone, supporters) && !hc_slurm_assocs_may_use(&b, lone, scavenge));
  hc_buffer_init(&note, hc_default_allocator());
  hc_slurm_assocs_note(&b, &note);
  assert_string_equal(note.data, "not taken of associations and QOS: GrpJobsAccrue");
  hc_buffer_fini(&note);
  hc_slurm_assocs_fini(&b);
}

static void test_qos_that_only_a_dump_names(void **state)
{
  hc_slurm_assocs b;
  hc_buffer note;
  (void)state;
  open_with(&b, "Cluster - 'c':QOS='normal,fast'\n");
  hc_buffer_init(&note, hc_default_allocator());
  hc_slurm_assocs_note(&b, &note);
  assert_non_null(
      strstr(note.data, "named and not described, so that they have no limits and priority 0: fast"));
  hc_buffer_fini(&note);
  hc_slurm_assocs_fini(&b);
}

/* All columns that `sacctmgr -P show qos` prints. */
static void test_all_columns(void **state)
{
  hc_slurm_assocs b;
  (void)state;
  open_with(
      &b,
      "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode|Flags|UsageThres|UsageFactor|GrpTRES|"
      "GrpTRESMins|GrpTRESRunMins|GrpJobs|GrpSubmit|GrpWall|MaxTRES|MaxTRESPerNode|MaxTRESMins|MaxWall|"
      "MaxTRESPU|MaxJobsPU|MaxSubmitPU|MaxTRESPA|MaxJobsPA|MaxSubmitPA|MinTRES\n"
      "normal|0|00:00:00|||cluster|||1.000000|||||||||||||||||\n"
      "q|5|00:00:00|normal||requeue|OverPartQOS||2.000000|cpu=1,gres/gpu=3|cpu=2|cpu=3|4|5|00:06:00|cpu=7|"
      "cpu=8|cpu=9|10:00:00|cpu=11|12|13|cpu=14|15|16|cpu=17\n");
  const hc_slurm_qos *q = &b.qos[hc_slurm_assocs_qos(&b, "q")];
  const hc_slurm_bounds *x = &q->bounds;
  const uint32_t gpu = hc_slurm_tres_find(&b.tres, "GRES/gpu", 8);
  assert_int_equal(q->priority, 5);
  assert_string_equal(q->preempt_mode, "requeue");
  assert_int_equal(q->flags, HC_SLURM_OVER_PART_QOS);
  assert_true(q->usage_factor == 2 && hc_slurm_qos_has(&q->preempts, hc_slurm_assocs_qos(&b, "normal")));
  assert_int_equal(x->grp.of[0], 1);
  assert_int_equal(x->grp.of[gpu], 3);
  assert_int_equal(x->grp_mins.of[0], 2);
  assert_int_equal(x->grp_run_mins.of[0], 3);
  assert_int_equal(x->grp_jobs, 4);
  assert_int_equal(x->grp_submit, 5);
  assert_int_equal(x->grp_wall, 6);
  assert_int_equal(x->max_job.of[0], 7);
  assert_int_equal(x->max_node.of[0], 8);
  assert_int_equal(x->max_mins.of[0], 9);
  assert_int_equal(x->max_wall, 600);
  assert_int_equal(x->max_user.of[0], 11);
  assert_int_equal(x->max_jobs_user, 12);
  assert_int_equal(x->max_submit_user, 13);
  assert_int_equal(x->max_account.of[0], 14);
  assert_int_equal(x->max_jobs_account, 15);
  assert_int_equal(x->max_submit_account, 16);
  assert_int_equal(x->min_job.of[0], 17);
  hc_slurm_assocs_fini(&b);
}

/* ---- what is wrong ---- */

static void refuses(const char *text, uint32_t line, uint32_t column, const char *words)
{
  hc_slurm_assocs b;
  hc_error e = {0};
  assert_int_equal(hc_slurm_assocs_init(&b, hc_default_allocator()), 0);
  hc_rc rc = read_text(&b, text, &e);
  if (rc == 0) rc = hc_slurm_assocs_settle(&b, &e);
  if (rc != HC_EINPUT || e.line != line || e.column != column || !strstr(e.text, words))
    fail_msg("%s: %d at %u:%u: %s", text, rc, e.line, e.column, e.text);
  hc_slurm_assocs_fini(&b);
}

static void test_dumps_that_are_wrong(void **state)
{
  (void)state;
  refuses("Cluster - 'c'\nUser - 'u':Fairshere=2\n", 2, 12, "no key \"Fairshere\": did you mean FairShare?");
  refuses("Cluster - 'c'\nParent - 'a'\n", 2, 0,
          "there is no account \"a\": a line \"Account - 'a'\" has to");
  refuses("Cluster - 'c'\nUser - 'u':MaxJobs=many\n", 2, 12,
          "MaxJobs: expected a whole number, or -1 for no limit");
  refuses("Cluster - 'c':QOS='normal\n", 1, 15, "the quote behind this does not close");
  refuses("Cluster - 'c'\nAccount - :MaxJobs=3\n", 2, 11, "a name is missing behind the dash");
  refuses("Cluster - 'c'\nTeam - 'x'\n", 2, 1, "\"Team\" is none of Cluster, Parent, Account and User");
  refuses("Cluster - 'c'\nCluster - 'd'\n", 2, 0, "a second cluster, \"d\"");
  refuses("Cluster - 'c':GrpTRES=cpus=4\n", 1, 15,
          "there is no TRES \"cpus\": write cpu, mem, node, billing, gres/NAME");
  refuses("Cluster - 'c':GrpTRES=cpu\n", 1, 15, "expected TRES=AMOUNT such as cpu=8 or mem=4G");
  refuses("Cluster - 'c':MaxWall=soon\n", 1, 15, "minutes, a time such as 1-12:00:00");
  refuses("Cluster - 'c'\nadd user u\n", 2, 1, "expected \"Cluster - 'NAME'\"");
  refuses("Cluster - 'c':Fairshare\n", 1, 15, "expected KEY=VALUE, got \"Fairshare\"");
  refuses("Cluster - 'c':QOS='normal':DefaultQOS=fast\nParent - 'root'\nUser - 'u':DefaultQOS=fast\n", 0, 0,
          "user u in account root has the default QOS fast and may not use it");
}

static void test_scripts_that_are_wrong(void **state)
{
  (void)state;
  refuses("ad user u\n", 1, 1, "expected a command of sacctmgr (add, modify, remove)");
  refuses("add wckey u\n", 1, 5, "expected account, cluster, qos or user");
  refuses("add user u\n", 1, 0, "a user is in an account");
  refuses("add user u account=a\n", 1, 1,
          "there is no account \"a\": it has to be added before what is in it");
  refuses("add account a parent=b\n", 1, 1, "there is no account \"b\"");
  refuses("add qos q\nadd account a qos=normal,qq\n", 2, 15,
          "there is no QOS \"qq\": add it (add qos name=qq)");
  refuses("add account a\nmodify user where name=x set MaxJobs=1\n", 2, 1, "there is no such user");
  refuses("add account a\nremove account a\n", 2, 1, "removing accounts, users and clusters is not modelled");
  refuses("add account a fairshare=-2\n", 1, 15, "expected a number of shares, or parent");
  refuses("add qos q flags=Fast\n", 1, 11, "expected DenyOnLimit");
  refuses("add qos q usagefactor=1e9\n", 1, 11, "expected a number from 0 to 1000000");
  refuses("add account a set \"x y\n", 1, 19, "the quote behind this does not close");
  refuses("remove qos nightly\n", 1, 1, "there is no QOS \"nightly\"");
}

static void test_tables_that_are_wrong(void **state)
{
  (void)state;
  refuses("QOS|Priority\na|1\n", 1, 1, "a table of QOS has a column Name");
  refuses("Name|Priority\na|high\n", 2, 3, "Priority: expected a whole number");
  refuses("Name|Colour\na|red\n", 2, 3, "a QOS has no key \"Colour\"");
}

static void test_accounts_nested_without_end(void **state)
{
  hc_slurm_assocs b;
  hc_error e = {0};
  hc_buffer text;
  (void)state;
  hc_buffer_init(&text, hc_default_allocator());
  for (int i = 0; i <= 65; i++)
    hc_buffer_printf(&text, "add account a%d parent=%s%d\n", i, i ? "a" : "root #", i - 1);
  assert_int_equal(hc_slurm_assocs_init(&b, hc_default_allocator()), 0);
  assert_int_equal(read_text(&b, text.data, &e), HC_ELIMIT);
  assert_int_equal(e.line, 65); /* a0 is at depth 1 */
  hc_slurm_assocs_fini(&b);
  hc_buffer_fini(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_dump_and_a_table),
                                     cmocka_unit_test(test_limits_are_handed_down),
                                     cmocka_unit_test(test_a_script),
                                     cmocka_unit_test(test_qos_that_only_a_dump_names),
                                     cmocka_unit_test(test_all_columns),
                                     cmocka_unit_test(test_dumps_that_are_wrong),
                                     cmocka_unit_test(test_scripts_that_are_wrong),
                                     cmocka_unit_test(test_tables_that_are_wrong),
                                     cmocka_unit_test(test_accounts_nested_without_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
