-- Is the account a member of that role of the server's own?
EXISTS (SELECT FROM pg_catalog.pg_roles x WHERE x.rolname = '{1}' AND pg_catalog.pg_has_role(x.oid, 'MEMBER'))
