-- The account's statements that were told to end and have not, the longest first.
SELECT id, (UNIX_TIMESTAMP() - time) * 1000 FROM information_schema.processlist
WHERE command = 'Killed' AND user = LEFT(USER(), CHAR_LENGTH(USER()) - LOCATE('@', REVERSE(USER())))
ORDER BY time DESC LIMIT 64
