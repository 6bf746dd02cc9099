-- MariaDB dump 10.19
DROP TABLE IF EXISTS `c_event_table`;
CREATE TABLE `c_event_table` (
  `id` int(11) NOT NULL,
  KEY `id` (`id`)
) ENGINE=InnoDB;
INSERT INTO `c_event_table` VALUES (1);
CREATE TABLE `c_job_table` (
  `job_db_inx` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `deleted` tinyint(4) NOT NULL DEFAULT 0,
  `account` tinytext DEFAULT NULL,
  `array_task_str` text DEFAULT NULL,
  `cpus_req` int(10) unsigned NOT NULL,
  `id_job` int(10) unsigned NOT NULL,
  `id_array_job` int(10) unsigned NOT NULL DEFAULT 0,
  `id_array_task` int(10) unsigned NOT NULL DEFAULT 4294967294,
  `het_job_id` int(10) unsigned NOT NULL,
  `het_job_offset` int(10) unsigned NOT NULL,
  `id_qos` int(10) unsigned NOT NULL DEFAULT 0,
  `id_user` int(10) unsigned NOT NULL,
  `job_name` tinytext NOT NULL,
  `mem_req` bigint(20) unsigned NOT NULL DEFAULT 0,
  `nodes_alloc` int(10) unsigned NOT NULL,
  `partition` tinytext NOT NULL,
  `priority` int(10) unsigned NOT NULL,
  `state` int(10) unsigned NOT NULL,
  `timelimit` int(10) unsigned NOT NULL DEFAULT 0,
  `time_submit` bigint(20) unsigned NOT NULL DEFAULT 0,
  `time_eligible` bigint(20) unsigned NOT NULL DEFAULT 0,
  `time_start` bigint(20) unsigned NOT NULL DEFAULT 0,
  `time_end` bigint(20) unsigned NOT NULL DEFAULT 0,
  `time_suspended` bigint(20) unsigned NOT NULL DEFAULT 0,
  `tres_alloc` text NOT NULL DEFAULT '',
  `tres_req` text NOT NULL DEFAULT '',
  PRIMARY KEY (`job_db_inx`),
  KEY `rollup` (`time_eligible`,`time_end`)
) ENGINE=InnoDB;
INSERT INTO `c_job_table` VALUES (11,0,'physics',NULL,6,11,0,4294967294,0,4294967294,1,1001,'it\'s (a), "b"',0,2,'long',77,6,1440,1614592800,1614592800,1614592830,1614592950,0,'1=8,2=12288,4=2,1001=4','1=6,2=12288,4=2'),(12,0,'physics',NULL,6,12,0,4294967294,0,4294967294,1,1001,'',0,0,'long',77,4,1440,1614592800,1614592800,0,1614592860,0,'','1=6,2=12288,4=2'),(13,1,'physics',NULL,6,13,0,4294967294,0,4294967294,1,1001,'a',0,2,'long',77,3,1440,1614592800,1614592800,1614592830,1614592950,0,'1=8,2=12288,4=2,1001=4','1=6,2=12288,4=2');
INSERT INTO `c_job_table` VALUES
(21,0,'physics',NULL,6,21,20,3,0,4294967294,1,1001,'a',9223372036854777808,2,'long',77,3,4294967295,1614592800,1614592800,1614592830,1614592950,0,'1=8,2=12288,4=2,1001=4','1=6,2=12288,4=2'),
(20,0,'physics','4-5%1',6,20,20,4294967294,0,4294967294,1,1001,'a',0,0,'long',77,0,1440,1614592800,1614592800,0,0,0,'','1=6,2=12288,4=2'),
(31,0,'physics',NULL,6,31,0,4294967294,30,1,1,1001,'a',0,2,'long',77,1,1440,1614592800,1614592800,1614592830,0,0,'1=8,2=12288,4=2,1001=4','1=6,2=12288,4=2'),
(41,0,'physics',NULL,6,41,0,4294967294,0,4294967294,1,1001,'a',0,2,'long',77,1027,1440,1614592800,1614592800,1614592830,1614592950,20,'1=8,2=12288,4=2,1001=4','1=6,2=12288,4=2');
