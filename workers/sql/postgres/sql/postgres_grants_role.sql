-- Whether there is such a role.  $1: its name.
SELECT FROM pg_catalog.pg_roles WHERE rolname = $1
