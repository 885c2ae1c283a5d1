-- parse_ident() folds as the server's scanner does.
SELECT pg_catalog.getdatabaseencoding() = 'UTF8', e.n = 1,
pg_catalog.current_setting('max_identifier_length') = '63',
(SELECT pg_catalog.string_agg(pg_catalog.chr(i), '') FROM pg_catalog.generate_series(128,
 CASE WHEN e.n = 1 THEN 255 ELSE 127 END) i WHERE (pg_catalog.parse_ident(pg_catalog.chr(i)))[1] <> pg_catalog.chr(i))
FROM (SELECT pg_catalog.pg_encoding_max_length(d.encoding) AS n FROM pg_catalog.pg_database d
 WHERE d.datname = pg_catalog.current_database()) e
