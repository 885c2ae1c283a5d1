SELECT abs(-17)

SELECT abs('-3.5')

SELECT abs(NULL)

SELECT changes() >= 0

SELECT char(83, 81, 76)

SELECT coalesce(NULL, NULL, 'x')

SELECT format('%s is %d', 'x', 5)

SELECT glob('a*', 'abc')

SELECT hex(12345)

SELECT hex(x'00ff')

SELECT ifnull(NULL, 0)

SELECT iif(2 > 1, 'yes', 'no')

SELECT instr('hello', 'll')

SELECT instr(x'0102', x'02')

SELECT last_insert_rowid() IS NOT NULL

SELECT length('abc')

SELECT length(x'0011')

SELECT length(12345)

SELECT like('%b%', 'abc')

SELECT like('a!%', 'a%', '!')

SELECT likely(1)

SELECT likelihood(1, 0.9)

SELECT lower('ABC')

SELECT ltrim('  x')

SELECT ltrim('xxabc', 'x')

SELECT max(1, 5, 3)

SELECT min('b', 'a')

SELECT nullif(5, 5)

SELECT nullif(5, 6)

SELECT printf('%d', 42)

SELECT quote('it''s')

SELECT quote(NULL)

SELECT quote(1.5)

SELECT quote(x'ab')

SELECT random() IS NOT NULL

SELECT length(randomblob(16))

SELECT replace('banana', 'a', 'o')

SELECT round(2.5)

SELECT round(-1.235, 2)

SELECT rtrim('x  ')

SELECT rtrim('abcxx', 'x')

SELECT sign(-3)

SELECT sign(0)

SELECT soundex('Robert')

SELECT sqlite_source_id() IS NOT NULL

SELECT sqlite_compileoption_used('THREADSAFE') IN (0, 1)

SELECT sqlite_compileoption_get(0) IS NOT NULL

SELECT sqlite_version() LIKE '3.%'

SELECT substr('hello', 2)

SELECT substr('hello', -3, 2)

SELECT substring('hello', 1, 4)

SELECT total_changes() >= 0

SELECT trim('  x  ')

SELECT trim('--x--', '-')

SELECT typeof(1.0)

SELECT unicode('A')

SELECT unlikely(0)

SELECT upper('straße')

SELECT zeroblob(3)

SELECT hex(zeroblob(2))

SELECT acos(0.5)

SELECT acosh(2)

SELECT asin(0.5)

SELECT asinh(1)

SELECT atan(1)

SELECT atan2(1, 1)

SELECT atanh(0.5)

SELECT ceil(4.1)

SELECT ceiling(-4.1)

SELECT cos(0)

SELECT cosh(1)

SELECT degrees(3.14159)

SELECT exp(2)

SELECT floor(-4.1)

SELECT ln(2.718)

SELECT log(100)

SELECT log10(1000)

SELECT log2(1024)

SELECT log(3, 81)

SELECT mod(17, 5)

SELECT pi()

SELECT pow(2, 8)

SELECT power(2, -1)

SELECT radians(90)

SELECT sin(1)

SELECT sinh(1)

SELECT sqrt(16)

SELECT tan(1)

SELECT tanh(1)

SELECT trunc(-4.7)

SELECT date('2024-02-29')

SELECT date('2024-02-29', '+1 year')

SELECT date('2024-01-31', '+1 month')

SELECT date('2024-03-15', 'start of month')

SELECT date('2024-03-15', 'start of year')

SELECT date('2024-03-15', 'weekday 1')

SELECT date('2024-03-15', '-7 days')

SELECT date(1700000000, 'unixepoch')

SELECT date(2460000.5)

SELECT date('2024-01-01', '+10 days', '+1 month', '-1 year')

SELECT time('12:34:56')

SELECT time('12:34:56', '+90 minutes')

SELECT time('23:59', '+2 hours')

SELECT datetime('2024-01-01 00:00:00', '-1 second')

SELECT datetime('2024-01-01T10:00:00Z')

SELECT datetime('2024-01-01 10:00+02:00')

SELECT datetime(1700000000, 'unixepoch')

SELECT datetime(1700000000, 'auto')

SELECT julianday('2024-01-01')

SELECT unixepoch('2024-01-01')

SELECT unixepoch('2024-01-01', '+1 day')

SELECT strftime('%Y', '2024-03-05')

SELECT strftime('%m', '2024-03-05')

SELECT strftime('%d', '2024-03-05')

SELECT strftime('%H:%M:%S', '2024-03-05 06:07:08')

SELECT strftime('%j', '2024-12-31')

SELECT strftime('%w', '2024-03-05')

SELECT strftime('%W', '2024-03-05')

SELECT strftime('%s', '2024-03-05')

SELECT strftime('%f', '2024-03-05 01:02:03.456')

SELECT strftime('%J', '2024-03-05')

SELECT strftime('%Y-%m-%dT%H:%M:%SZ', '2024-03-05 06:07:08')

SELECT strftime('%%')

SELECT json(' { "this" : "is", "a": [ "test" ] } ')

SELECT json_array(1, 2, '3', 4)

SELECT json_array('[1,2]')

SELECT json_array(json_array(1, 2))

SELECT json_array(1, NULL, '3', '[4,5]', json('[4,5]'))

SELECT json_array_length('[1,2,3,4]')

SELECT json_array_length('{"one":[1,2,3]}', '$.one')

SELECT json_array_length('{"one":[1,2,3]}', '$.two')

SELECT json_extract('{"a":2,"c":[4,5,{"f":7}]}', '$')

SELECT json_extract('{"a":2,"c":[4,5,{"f":7}]}', '$.c')

SELECT json_extract('{"a":2,"c":[4,5,{"f":7}]}', '$.c[2].f')

SELECT json_extract('{"a":2,"c":[4,5]}', '$.c', '$.a')

SELECT json_extract('{"a":2,"c":[4,5]}', '$.x')

SELECT json_extract('{"a":"xyz"}', '$.a')

SELECT json_extract('[1,2,3]', '$[#-1]')

SELECT json_extract('{"a b":1}', '$."a b"')

SELECT '{"a":2,"c":[4,5,{"f":7}]}' -> '$.c[2]'

SELECT '{"a":2,"c":[4,5]}' ->> '$.c[0]'

SELECT '{"a":"xyz"}' -> 'a'

SELECT '{"a":"xyz"}' ->> 'a'

SELECT '[11,22,33]' -> 1

SELECT '[11,22,33]' ->> 2

SELECT '{"a":null}' ->> '$.a'

SELECT json_insert('[1,2,3,4]', '$[#]', 99)

SELECT json_insert('{"a":2}', '$.b', 3)

SELECT json_replace('{"a":2,"c":4}', '$.a', 99)

SELECT json_set('{"a":2,"c":4}', '$.e', 99)

SELECT json_set('{"a":2}', '$.c', json('[97,96]'))

SELECT json_object('a', 2, 'c', 4)

SELECT json_object('a', 2, 'c', '{e:5}')

SELECT json_object('a', json_object('b', 1))

SELECT json_patch('{"a":1,"b":2}', '{"c":3,"d":4}')

SELECT json_patch('{"a":[1,2],"b":2}', '{"a":9}')

SELECT json_patch('{"a":1,"b":2}', '{"a":9,"b":null,"c":8}')

SELECT json_remove('[0,1,2,3,4]', '$[2]')

SELECT json_remove('[0,1,2,3,4]', '$[2]', '$[0]')

SELECT json_remove('{"x":25,"y":42}', '$.y')

SELECT json_type('{"a":[2,3.5,true,false,null,"x"]}')

SELECT json_type('{"a":[2,3.5]}', '$.a[1]')

SELECT json_valid('{"x":35}')

SELECT json_valid('{"x":35')

SELECT json_quote(3.14159)

SELECT json_quote('verdant')

SELECT json_quote(json('[1]'))

SELECT 1 + 2

SELECT 7 - 10

SELECT 6 * 7

SELECT 7 / 2

SELECT 7 / 2.0

SELECT -7 / 2

SELECT 7 % 3

SELECT -7 % 3

SELECT 5 & 3

SELECT 5 | 3

SELECT ~5

SELECT 1 << 3

SELECT 16 >> 2

SELECT 'a' || 'b'

SELECT 1 || 2

SELECT +'5'

SELECT -'5'

SELECT NOT 0

SELECT 1 = 1, 1 == 1, 1 <> 2, 1 != 1, 1 < 2, 2 <= 2, 3 > 2, 3 >= 4, 1 IS 1, 1 IS NOT NULL, NULL IS NULL, NULL = NULL, 1 IS DISTINCT FROM 2, 1 IS NOT DISTINCT FROM 1, NULL ISNULL, 1 NOTNULL, 1 NOT NULL

SELECT 1 AND 0

SELECT 1 OR NULL

SELECT NULL AND 0

SELECT NOT NULL

SELECT 2 BETWEEN 1 AND 3

SELECT 2 NOT BETWEEN 3 AND 4

SELECT 'b' IN ('a', 'b')

SELECT 'c' NOT IN ('a', 'b')

SELECT 1 IN ()

SELECT 'abc' LIKE 'A%'

SELECT 'abc' LIKE 'a_c'

SELECT 'a%c' LIKE 'a\%c' ESCAPE '\'

SELECT 'abc' NOT LIKE 'x%'

SELECT 'abc' GLOB 'a[bx]c'

SELECT 'abc' GLOB '?b?'

SELECT 'abc' NOT GLOB 'A*'

SELECT CAST('123abc' AS INTEGER)

SELECT CAST('1.5e3' AS REAL)

SELECT CAST(1.99 AS INTEGER)

SELECT CAST(65 AS TEXT)

SELECT CAST('abc' AS BLOB)

SELECT CAST(x'616263' AS TEXT)

SELECT CAST('007' AS NUMERIC)

SELECT CAST(NULL AS TEXT)

SELECT CAST('' AS INT)

SELECT CAST(-1.5 AS INT)

SELECT CAST('9223372036854775808' AS INTEGER)

SELECT 'text', "name" FROM (SELECT 1 AS name)

SELECT 1.5

SELECT .5

SELECT 5.

SELECT 1e3

SELECT 1.5E-3

SELECT 0xFF

SELECT -0x10

SELECT 9223372036854775807

SELECT TRUE

SELECT FALSE

SELECT NULL

SELECT CURRENT_DATE = date('now')

SELECT CURRENT_TIME IS NOT NULL

SELECT CURRENT_TIMESTAMP IS NOT NULL

SELECT x''

SELECT X'AB'

SELECT CASE WHEN 1 THEN 'a' END

SELECT CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END

SELECT CASE NULL WHEN NULL THEN 1 ELSE 0 END

SELECT CASE WHEN NULL THEN 1 ELSE 2 END

SELECT (1, 2) = (1, 2)

SELECT (1, 2) <> (1, 3)

SELECT (1, 2) < (2, 0)

SELECT (1, NULL) IS (1, NULL)

SELECT (SELECT 1, 2) = (1, 2)

SELECT (1, 2) IN (SELECT 1, 2)

SELECT (1, 2) BETWEEN (1, 1) AND (1, 3)

SELECT 'a' < 'B'

SELECT 'a' < 'B' COLLATE NOCASE

SELECT 'a ' = 'a' COLLATE RTRIM

SELECT 'A' = 'a' COLLATE BINARY

SELECT typeof(1 + 1.0)

SELECT typeof('1' + '2')

SELECT typeof(1 = 1)

SELECT typeof(count(*))

SELECT typeof(sum(1))

SELECT typeof(avg(1))

SELECT typeof(total(1))

SELECT typeof(group_concat(1))

SELECT typeof(max(NULL))

SELECT printf('%05.1f', 3.14159)

SELECT printf('%-8s|', 'ab')

SELECT printf('%+d', 5)

SELECT printf('%x %X %o', 255, 255, 8)

SELECT printf('%e', 12345.678)

SELECT printf('%g', 0.00001)

SELECT printf('%,d', 1234567)

SELECT printf('%c', 'abc')

SELECT printf('%q', 'it''s')

SELECT printf('%Q', NULL)

SELECT printf('%w', 'a"b')

SELECT printf('%%')

SELECT printf('%.3s', 'abcdef')

SELECT printf('%*d', 6, 42)

SELECT printf('%s', x'41')

SELECT printf('%i', '12')

SELECT printf('%u', -1)

SELECT printf('%lld', 9223372036854775807)

SELECT printf('%!.20g', 0.1)
