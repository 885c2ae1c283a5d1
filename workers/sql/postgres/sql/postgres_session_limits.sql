-- Lowers the session's limits to $1 (statements), $2 (locks) and $3 (idle in a transaction), in ms; smaller ones stay.
-- The first row is statement_timeout's: its name and value.
SELECT name, ms, pg_catalog.set_config(name, ms, false) FROM
(SELECT s.name, CASE WHEN s.setting::int8 BETWEEN 1 AND l.most THEN s.setting ELSE l.most::text END ms
 FROM pg_catalog.pg_settings s
 JOIN (VALUES ('statement_timeout', $1::int8), ('lock_timeout', $2::int8),
  ('idle_in_transaction_session_timeout', $3::int8)) l(name, most) ON l.name = s.name) smaller
ORDER BY name DESC
