-- The functions of the databases that read or compute, with the rights of their caller.
SELECT ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA IN (${schemas})
AND ROUTINE_TYPE = 'FUNCTION' AND SECURITY_TYPE = 'INVOKER' AND SQL_DATA_ACCESS IN ('READS SQL DATA', 'NO SQL')
