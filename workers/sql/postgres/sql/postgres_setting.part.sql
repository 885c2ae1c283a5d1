-- A setting's value.
pg_catalog.current_setting('{1}')
