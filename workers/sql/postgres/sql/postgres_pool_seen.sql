-- The processes of this role that bear the pool's name and came before us, and
-- those of pools of the same connection in other lives that are overdue.  $1:
-- milliseconds until that; $2: characters of a name in front of the connection.
SELECT a.pid, (extract(epoch FROM coalesce(a.query_start, a.backend_start)) * 1000)::pg_catalog.int8,
a.late, a.application_name = me.application_name
FROM (SELECT s.*, coalesce(s.state = 'active' AND pg_catalog.clock_timestamp() - s.query_start >
  pg_catalog.make_interval(secs => $1::pg_catalog.float8 / 1000), false) AS late
 FROM pg_catalog.pg_stat_activity s) a,
(SELECT * FROM pg_catalog.pg_stat_activity WHERE pid = pg_catalog.pg_backend_pid()) me
WHERE a.pid <> me.pid AND a.usesysid = me.usesysid
AND ((a.application_name = me.application_name AND (a.backend_start, a.pid) < (me.backend_start, me.pid))
 OR (a.late AND a.application_name LIKE 'carrel %' AND pg_catalog.substr(a.application_name, $2::int4)
  = pg_catalog.substr(me.application_name, $2::int4)))
ORDER BY a.late DESC, 2 LIMIT 64
