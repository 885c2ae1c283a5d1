-- What tells that the relations, or what runs functions unnamed, have changed.
SELECT pg_catalog.sum(pg_catalog.hashint8((x::pg_catalog.text::pg_catalog.int8 << 32) | o::pg_catalog.int8))
FROM (SELECT c.xmin, c.oid FROM {{plain_relations}} UNION ALL SELECT u.xmin, u.oid FROM ({{plain_unnamed}}) u) s(x, o)
