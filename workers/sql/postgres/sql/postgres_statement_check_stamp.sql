-- What tells that the catalogue has changed.
{{statement_check_stamp}}
