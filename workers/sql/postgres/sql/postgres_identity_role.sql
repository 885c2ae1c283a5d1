-- Of role $1, NULL for the account: does it exist, may the account take it, does row security not bind it?
SELECT r.oid IS NOT NULL,
 r.oid IS NOT NULL AND pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER'),
 coalesce(r.rolsuper OR r.rolbypassrls, false)
FROM (SELECT coalesce($1::pg_catalog.text, session_user::pg_catalog.text) AS name) n
LEFT JOIN pg_catalog.pg_roles r ON r.rolname::pg_catalog.text = n.name
