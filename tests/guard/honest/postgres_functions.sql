SELECT true AND NULL

SELECT false OR NULL

SELECT NOT NULL::boolean

SELECT 2 BETWEEN 1 AND 3

SELECT 2 NOT BETWEEN 1 AND 3

SELECT 2 BETWEEN SYMMETRIC 3 AND 1

SELECT 1 IS DISTINCT FROM 2, 1.5 IS NOT NULL, 'null' IS NULL, NULL ISNULL, 1 NOTNULL

SELECT true IS TRUE

SELECT NULL::boolean IS FALSE

SELECT NULL::boolean IS UNKNOWN

SELECT num_nonnulls(1, NULL, 2)

SELECT num_nulls(VARIADIC ARRAY[1, NULL])

SELECT 2 + 3

SELECT + 3.5

SELECT 2 - 3

SELECT - (-4)

SELECT 2 * 3

SELECT 5.0 / 2

SELECT 5 / 2

SELECT (-5) / 2

SELECT 5 % 4

SELECT 2 ^ 3

SELECT |/ 25.0

SELECT ||/ 64.0

SELECT @ -5.0

SELECT 91 & 15

SELECT 32 | 3

SELECT 17 # 5

SELECT ~1

SELECT 1 << 4

SELECT 8 >> 2

SELECT abs(-17.4)

SELECT cbrt(64.0)

SELECT ceil(42.2)

SELECT ceil(-42.8)

SELECT ceiling(95.3)

SELECT degrees(0.5)

SELECT div(9, 4)

SELECT exp(1.0)

SELECT factorial(5)

SELECT floor(42.8)

SELECT floor(-42.8)

SELECT gcd(1071, 462)

SELECT lcm(1071, 462)

SELECT ln(2.0)

SELECT log(100)

SELECT log10(1000)

SELECT log(2.0, 64.0)

SELECT min_scale(8.4100)

SELECT mod(9, 4)

SELECT pi()

SELECT power(9, 3)

SELECT radians(45.0)

SELECT round(42.4)

SELECT round(42.4382, 2)

SELECT round(1234.56, -1)

SELECT scale(8.4100)

SELECT sign(-8.4)

SELECT sqrt(2)

SELECT trim_scale(8.4100)

SELECT trunc(42.8)

SELECT trunc(-42.8)

SELECT trunc(42.4382, 2)

SELECT width_bucket(5.35, 0.024, 10.06, 5)

SELECT width_bucket(now(), array['yesterday', 'today', 'tomorrow']::timestamptz[])

SELECT acos(1)

SELECT acosd(0.5)

SELECT asin(1)

SELECT asind(0.5)

SELECT atan(1)

SELECT atand(1)

SELECT atan2(1, 0)

SELECT atan2d(1, 0)

SELECT cos(0)

SELECT cosd(60)

SELECT cot(0.5)

SELECT cotd(45)

SELECT sin(1)

SELECT sind(30)

SELECT tan(1)

SELECT tand(45)

SELECT sinh(1)

SELECT cosh(0)

SELECT tanh(1)

SELECT asinh(1)

SELECT acosh(1)

SELECT atanh(0.5)

SELECT 'Post' || 'greSQL'

SELECT 'Value: ' || 42

SELECT U&'\0061\0308bc' IS NFD NORMALIZED

SELECT bit_length('jose')

SELECT char_length('josé')

SELECT character_length('josé')

SELECT octet_length('josé')

SELECT lower('TOM')

SELECT upper('tom')

SELECT normalize(U&'\0061\0308bc', NFC)

SELECT initcap('hi THOMAS')

SELECT overlay('Txxxxas' placing 'hom' from 2 for 4)

SELECT position('om' in 'Thomas')

SELECT substring('Thomas' from 2 for 3)

SELECT substring('Thomas' from 3)

SELECT substring('Thomas' for 2)

SELECT substring('Thomas' from '...$')

SELECT substring('Thomas' similar '%#"o_a#"_' escape '#')

SELECT substring('Thomas' from '%#"o_a#"_' for '#')

SELECT trim(both 'xyz' from 'yxTomxx')

SELECT trim(both from 'yxTomxx', 'xyz')

SELECT trim('  Tom ')

SELECT trim(trailing from 'x  ')

SELECT ascii('x')

SELECT btrim('xyxtrimyyx', 'xyz')

SELECT chr(65)

SELECT concat('abcde', 2, NULL, 22)

SELECT concat_ws(',', 'abcde', 2, NULL, 22)

SELECT format('Hello %s, %1$s', 'World')

SELECT format('|%10s|%-10s|', 'foo', 'bar')

SELECT format('|%*s|', 10, 'foo')

SELECT format('%I = %L', 'a b', 'it''s')

SELECT left('abcde', 2)

SELECT left('abcde', -2)

SELECT length('jose')

SELECT lpad('hi', 5, 'xy')

SELECT ltrim('zzzytest', 'xyz')

SELECT md5('abc')

SELECT parse_ident('"SomeSchema".someTable')

SELECT quote_ident('Foo bar')

SELECT quote_literal(E'O\'Reilly')

SELECT quote_literal(42.5)

SELECT quote_nullable(42.5)

SELECT regexp_count('123456789012', '\d\d\d', 2)

SELECT regexp_instr('ABCDEF', 'c(.)(..)', 1, 1, 0, 'i')

SELECT regexp_like('Hello World', 'world$', 'i')

SELECT regexp_match('foobarbequebaz', '(bar)(beque)')

SELECT regexp_matches('foobarbequebaz', 'ba.', 'g')

SELECT regexp_substr('ABCDEF', 'c(.)(..)', 1, 1, 'i')

SELECT regexp_replace('Thomas', '.[mN]a.', 'M')

SELECT regexp_replace('foobarbaz', 'b..', 'X', 'g')

SELECT regexp_replace('foobarbaz', 'b(..)', 'X\1Y', 'g')

SELECT regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 0, 'i')

SELECT regexp_split_to_array('hello world', '\s+')

SELECT regexp_split_to_table('hello world', '\s+')

SELECT repeat('Pg', 4)

SELECT replace('abcdefabcdef', 'cd', 'XX')

SELECT reverse('abcde')

SELECT right('abcde', 2)

SELECT right('abcde', -2)

SELECT rpad('hi', 5, 'xy')

SELECT rtrim('testxxzx', 'xyz')

SELECT split_part('abc~@~def~@~ghi', '~@~', 2)

SELECT split_part('abc,def,ghi,jkl', ',', -2)

SELECT starts_with('alphabet', 'alph')

SELECT strpos('high', 'ig')

SELECT string_to_array('xx~~yy~~zz', '~~', 'yy')

SELECT string_to_table('xx~^~yy~^~zz', '~^~', 'yy')

SELECT substr('alphabet', 3)

SELECT substr('alphabet', 3, 2)

SELECT to_hex(2147483647)

SELECT translate('12345', '143', 'ax')

SELECT unistr('d\0061t\+000061')

SELECT '\x123456'::bytea || '\x789a00bcde'::bytea

SELECT bit_length('\x123456'::bytea)

SELECT btrim('\x1234567890'::bytea, '\x9012'::bytea)

SELECT octet_length('\x123456'::bytea)

SELECT overlay('\x1234567890'::bytea placing '\002\003'::bytea from 2 for 3)

SELECT position('\x5678'::bytea in '\x1234567890'::bytea)

SELECT substring('\x1234567890'::bytea from 3 for 2)

SELECT bit_count('\x1234567890'::bytea)

SELECT get_bit('\x1234567890'::bytea, 30)

SELECT get_byte('\x1234567890'::bytea, 4)

SELECT set_bit('\x1234567890'::bytea, 30, 0)

SELECT set_byte('\x1234567890'::bytea, 4, 64)

SELECT sha224('abc'::bytea)

SELECT sha256('abc'::bytea)

SELECT sha384('abc'::bytea)

SELECT sha512('abc'::bytea)

SELECT md5('Th\000omas'::bytea)

SELECT convert('text_in_utf8', 'UTF8', 'LATIN1')

SELECT convert_from('text_in_utf8', 'UTF8')

SELECT convert_to('some_text', 'UTF8')

SELECT encode('123\000\001'::bytea, 'base64')

SELECT decode('MTIzAAE=', 'base64')

SELECT encode('\x01', 'hex')

SELECT encode('a\\b', 'escape')

SELECT B'10001' || B'011'

SELECT B'10001' & B'01101'

SELECT B'10001' | B'01101'

SELECT B'10001' # B'01101'

SELECT ~ B'10001'

SELECT B'10001' << 3

SELECT B'10001' >> 2

SELECT bit_count(B'10111')

SELECT length(B'10111')

SELECT get_bit(B'101010101010101010', 6)

SELECT set_bit(B'101010101010101010', 6, 0)

SELECT position(B'010' in B'000001101011')

SELECT 44::bit(10)

SELECT cast(-44 as bit(12))

SELECT '1110'::bit(4)::integer

SELECT 'abc' LIKE 'abc'

SELECT 'abc' LIKE 'a%'

SELECT 'abc' LIKE '_b_'

SELECT 'abc' LIKE 'c'

SELECT 'a%c' LIKE 'a\%c'

SELECT 'abc' NOT LIKE 'd%'

SELECT 'ABC' ILIKE 'abc'

SELECT 'abc' !~~ 'x'

SELECT 'abc' SIMILAR TO 'abc'

SELECT 'abc' SIMILAR TO 'a'

SELECT 'abc' SIMILAR TO '%(b|d)%'

SELECT '-abc-' SIMILAR TO '%\mabc\M%'

SELECT 'xabcy' NOT SIMILAR TO '%\mabc\M%'

SELECT 'abcd' ~ 'bc'

SELECT 'abcd' ~ 'a.c'

SELECT 'abcd' ~ '^(b|c)'

SELECT 'abcd' ~* 'A'

SELECT 'foo.bar' ~ '\.'

SELECT '10' ~ '^\d+$'

SELECT 'ab' ~ '(?i)AB'

SELECT 'aXb' ~ 'a(?=X)'

SELECT 'a1' ~ '[[:alpha:]][[:digit:]]'

SELECT foo FROM regexp_split_to_table('the quick brown fox jumps over the lazy dog', '\s*') AS foo LIMIT 5

SELECT (regexp_matches('http://example.com:8080/path', '^(\w+)://([^:/]+)(?::(\d+))?(/.*)?$'))[3]

SELECT to_char(timestamp '2002-04-20 17:31:12.66', 'HH12:MI:SS')

SELECT to_char(interval '15h 2m 12s', 'HH24:MI:SS')

SELECT to_char(125, '999')

SELECT to_char(125.8::real, '999D9')

SELECT to_char(-125.8, '999D99S')

SELECT to_date('05 Dec 2000', 'DD Mon YYYY')

SELECT to_number('12,454.8-', '99G999D9S')

SELECT to_timestamp('05 Dec 2000', 'DD Mon YYYY')

SELECT to_timestamp('2000-01-01 10:20', 'YYYY-MM-DD HH24:MI')

SELECT to_char(current_timestamp, 'Day, DD  HH12:MI:SS') IS NOT NULL

SELECT to_char(485, '" Good number:"999')

SELECT to_char(-485, '999MI')

SELECT to_char(485, '999th')

SELECT to_char(482, '999th')

SELECT to_char(12.45, '99V9')

SELECT to_char(0.0004859, '9.99EEEE')

SELECT to_char(3148.5, '9G999D999')

SELECT to_char(5.2, 'FMRN')

SELECT to_char(date '2024-03-05', 'YYYY Q MM WW DDD D J IW ID CC')

SELECT to_char(date '2024-03-05', 'FMMonth FMDay')

SELECT to_char(timestamp '2024-03-05 13:04:05.678', 'HH24:MI:SS.MS US AM')

SELECT to_char(timestamptz '2024-01-01', 'TZ OF')

SELECT date '2001-09-28' + 7

SELECT date '2001-09-28' + interval '1 hour'

SELECT date '2001-09-28' + time '03:00'

SELECT interval '1 day' + interval '1 hour'

SELECT timestamp '2001-09-28 01:00' + interval '23 hours'

SELECT time '01:00' + interval '3 hours'

SELECT - interval '23 hours'

SELECT date '2001-10-01' - date '2001-09-28'

SELECT date '2001-10-01' - 7

SELECT time '05:00' - time '03:00'

SELECT timestamp '2001-09-29 03:00' - timestamp '2001-07-27 12:00'

SELECT interval '1 day' - interval '1 hour'

SELECT interval '1 second' * 900

SELECT interval '1 day' * 21

SELECT double precision '3.5' * interval '1 hour'

SELECT interval '1 hour' / 1.5

SELECT age(timestamp '2001-04-10', timestamp '1957-06-13')

SELECT age(timestamp '1957-06-13') > interval '60 years'

SELECT clock_timestamp() > now()

SELECT current_date

SELECT current_time(0)

SELECT current_timestamp(2)

SELECT localtime(0)

SELECT localtimestamp(2)

SELECT date_bin('15 minutes', timestamp '2001-02-16 20:38:40', timestamp '2001-02-16 20:05:00')

SELECT date_part('hour', timestamp '2001-02-16 20:38:40')

SELECT date_part('month', interval '2 years 3 months')

SELECT date_trunc('hour', interval '2 days 3 hours 40 minutes')

SELECT date_trunc('day', timestamptz '2001-02-16 20:38:40+00', 'Australia/Sydney')

SELECT extract(hour from timestamp '2001-02-16 20:38:40')

SELECT isfinite(interval '4 hours')

SELECT justify_days(interval '35 days')

SELECT justify_hours(interval '27 hours')

SELECT make_date(2013, 7, 15)

SELECT make_interval(days => 10)

SELECT make_time(8, 15, 23.5)

SELECT make_timestamp(2013, 7, 15, 8, 15, 23.5)

SELECT make_timestamptz(2013, 7, 15, 8, 15, 23.5, 'America/New_York')

SELECT to_timestamp(1284352323)

SELECT (DATE '2001-02-16', INTERVAL '100 days') OVERLAPS (DATE '2001-10-30', DATE '2002-10-30')

SELECT (DATE '2001-10-29', DATE '2001-10-30') OVERLAPS (DATE '2001-10-30', DATE '2001-10-31')

SELECT EXTRACT(CENTURY FROM TIMESTAMP '2000-12-16 12:21:13')

SELECT EXTRACT(DECADE FROM TIMESTAMP '2001-02-16')

SELECT EXTRACT(DOW FROM TIMESTAMP '2001-02-16')

SELECT EXTRACT(DOY FROM TIMESTAMP '2001-02-16')

SELECT EXTRACT(EPOCH FROM TIMESTAMPTZ '2001-02-16 20:38:40.12-08')

SELECT EXTRACT(ISODOW FROM TIMESTAMP '2001-02-18')

SELECT EXTRACT(ISOYEAR FROM DATE '2006-01-01')

SELECT EXTRACT(JULIAN FROM DATE '2006-01-01')

SELECT EXTRACT(MICROSECONDS FROM TIME '17:12:28.5')

SELECT EXTRACT(MILLENNIUM FROM TIMESTAMP '2001-02-16')

SELECT EXTRACT(MILLISECONDS FROM TIME '17:12:28.5')

SELECT EXTRACT(QUARTER FROM TIMESTAMP '2001-02-16')

SELECT EXTRACT(WEEK FROM TIMESTAMP '2001-02-16')

SELECT TIMESTAMP '2001-02-16 20:38:40' AT TIME ZONE 'America/Denver'

SELECT TIMESTAMP WITH TIME ZONE '2001-02-16 20:38:40-05' AT TIME ZONE 'America/Denver'

SELECT TIMESTAMP '2001-02-16 20:38:40' AT TIME ZONE 'Asia/Tokyo' AT TIME ZONE 'America/Chicago'

SELECT TIMESTAMP 'epoch' + 982384720.12 * INTERVAL '1 second'

SELECT 'today'::date

SELECT 'tomorrow'::date - 'yesterday'::date

SELECT 'allballs'::time

SELECT 'infinity'::timestamp

SELECT INTERVAL '1 12:59:10' DAY TO SECOND

SELECT INTERVAL 'P1Y2M3DT4H5M6S'

SELECT INTERVAL '1-2'

SELECT INTERVAL '3 4:05:06'

SELECT '1 year 2 months ago'::interval

SELECT enum_first(NULL::mood)

SELECT enum_last(NULL::mood)

SELECT enum_range(NULL::mood)

SELECT enum_range('sad'::mood, 'ok'::mood)

SELECT 'happy'::mood > 'sad'

SELECT point '(1,1)' + point '(0,1)'

SELECT path '[(0,0),(1,1)]' + path '[(2,2),(3,3)]'

SELECT point '(2,0)' * point '(3.0,0)'

SELECT point '(2.0,2.0)' / point '(2.0,0)'

SELECT @-@ path '[(0,0),(1,0),(1,1)]'

SELECT @@ box '(2,2),(0,0)'

SELECT # path '((1,0),(0,1),(-1,0))'

SELECT lseg '[(0,0),(1,1)]' # lseg '[(1,0),(0,1)]'

SELECT box '(2,2),(-1,-1)' # box '(1,1),(-2,-2)'

SELECT point '(0,0)' ## lseg '[(2,0),(0,2)]'

SELECT circle '<(0,0),1>' <-> circle '<(5,0),1>'

SELECT circle '<(0,0),2>' @> point '(1,1)'

SELECT point '(1,1)' <@ circle '<(0,0),2>'

SELECT box '(1,1),(0,0)' && box '(2,2),(0,0)'

SELECT circle '<(0,0),1>' << circle '<(5,0),1>'

SELECT box '(3,3),(0,0)' <<| box '(5,5),(3,4)'

SELECT lseg '[(-1,0),(1,0)]' ?# box '(2,2),(-2,-2)'

SELECT ?- lseg '[(-1,0),(1,0)]'

SELECT point '(1,0)' ?| point '(0,0)'

SELECT area(box '(2,2),(0,0)')

SELECT center(box '(1,2),(0,0)')

SELECT diagonal(box '(1,2),(0,0)')

SELECT diameter(circle '<(0,0),2>')

SELECT height(box '(1,2),(0,0)')

SELECT isclosed(path '((0,0),(1,1),(2,0))')

SELECT isopen(path '[(0,0),(1,1),(2,0)]')

SELECT length(path '((-1,0),(1,0))')

SELECT npoints(path '[(0,0),(1,1),(2,0)]')

SELECT pclose(path '[(0,0),(1,1),(2,0)]')

SELECT popen(path '((0,0),(1,1),(2,0))')

SELECT radius(circle '<(0,0),2>')

SELECT slope(point '(0,0)', point '(2,1)')

SELECT width(box '(1,2),(0,0)')

SELECT box(circle '<(0,0),2>')

SELECT box(point '(1,0)')

SELECT bound_box(box '(1,1),(0,0)', box '(4,4),(3,3)')

SELECT circle(box '(1,1),(0,0)')

SELECT line(point '(-1,0)', point '(1,0)')

SELECT lseg(box '(1,0),(-1,0)')

SELECT path(polygon '((0,0),(1,1),(2,0))')

SELECT point(box '(1,0),(-1,0)')

SELECT polygon(4, circle '<(3,0),1>')

SELECT inet '192.168.1.5' << inet '192.168.1/24'

SELECT inet '192.168.1/24' <<= inet '192.168.1/24'

SELECT inet '192.168.1/24' >> inet '192.168.1.5'

SELECT inet '192.168.1/24' && inet '192.168.1.80/28'

SELECT ~ inet '192.168.1.6'

SELECT inet '192.168.1.6' & inet '0.0.0.255'

SELECT inet '192.168.1.6' + 25

SELECT inet '192.168.1.43' - inet '192.168.1.19'

SELECT abbrev(inet '10.1.0.0/32')

SELECT abbrev(cidr '10.1.0.0/16')

SELECT broadcast(inet '192.168.1.5/24')

SELECT family(inet '::1')

SELECT host(inet '192.168.1.0/24')

SELECT hostmask(inet '192.168.23.20/30')

SELECT inet_merge(inet '192.168.1.5/24', inet '192.168.2.5/24')

SELECT inet_same_family(inet '192.168.1.5/24', inet '::1')

SELECT masklen(inet '192.168.1.5/24')

SELECT netmask(inet '192.168.1.5/24')

SELECT network(inet '192.168.1.5/24')

SELECT set_masklen(inet '192.168.1.5/24', 16)

SELECT text(inet '192.168.1.5')

SELECT trunc(macaddr '12:34:56:78:90:ab')

SELECT macaddr8_set7bit(macaddr8 '00:34:56:ab:cd:ef')

SELECT macaddr '08:00:2b:01:02:03' < macaddr '08:00:2b:01:02:04'

SELECT to_tsvector('fat cats ate rats') @@ to_tsquery('cat & rat')

SELECT 'fat & rat'::tsquery && 'cat'::tsquery

SELECT 'fat | rat'::tsquery || 'cat'::tsquery

SELECT !! 'cat'::tsquery

SELECT to_tsquery('fat') <-> to_tsquery('rat')

SELECT 'cat'::tsquery @> 'cat & rat'::tsquery

SELECT 'a:1 b:2'::tsvector || 'c:1 d:2 b:3'::tsvector

SELECT array_to_tsvector(array['fat', 'cat', 'rat'])

SELECT get_current_ts_config()

SELECT length('fat:2,4 cat:3 rat:5A'::tsvector)

SELECT numnode('(fat & rat) | cat'::tsquery)

SELECT plainto_tsquery('english', 'The Fat Rats')

SELECT phraseto_tsquery('english', 'The Cat and Rats')

SELECT websearch_to_tsquery('english', '"fat rat" or cat dog')

SELECT querytree('foo & ! bar'::tsquery)

SELECT setweight('fat:2,4 cat:3 rat:5B'::tsvector, 'A')

SELECT setweight('fat:2,4 cat:3 rat:5,6B'::tsvector, 'A', '{cat,rat}')

SELECT strip('fat:2,4 cat:3 rat:5A'::tsvector)

SELECT to_tsvector('english', '{"aa": "The Fat Rats"}'::jsonb)

SELECT json_to_tsvector('english', '{"aa": "The Fat Rats", "b": 123}'::json, '["string", "numeric"]')

SELECT jsonb_to_tsvector('english', '{"aa": "x"}'::jsonb, '"all"')

SELECT ts_delete('fat:2,4 cat:3 rat:5A'::tsvector, 'fat')

SELECT ts_filter('fat:2,4 cat:3b,7c rat:5A'::tsvector, '{a,b}')

SELECT ts_headline('The fat cat ate the rat.', 'cat')

SELECT ts_rank(to_tsvector('raining cats and dogs'), 'cat')

SELECT ts_rank_cd(to_tsvector('raining cats and dogs'), 'cat')

SELECT ts_rewrite('a & b'::tsquery, 'a'::tsquery, 'foo|bar'::tsquery)

SELECT tsquery_phrase(to_tsquery('fat'), to_tsquery('cat'), 10)

SELECT tsvector_to_array('fat:2,4 cat:3 rat:5A'::tsvector)

SELECT * FROM unnest('cat:3 fat:2,4 rat:5A'::tsvector)

SELECT * FROM ts_debug('english', 'The Brightest supernovaes')

SELECT * FROM ts_parse('default', 'foo - bar'), ts_token_type('default') t WHERE t.tokid = 1

SELECT ts_lexize('english_stem', 'stars')

SELECT ts_lexize('simple', 'YeS')

SELECT xmlcomment('hello')

SELECT xmlconcat('<abc/>', '<bar>foo</bar>')

SELECT xmlelement(name foo, xmlattributes('xyz' as bar), 'cont', 'ent')

SELECT xmlforest('abc' AS foo, 123 AS bar)

SELECT xmlpi(name php, 'echo "hello world";')

SELECT xmlroot(xmlparse(document '<?xml version="1.1"?><content>abc</content>'), version '1.0', standalone yes)

SELECT xmlagg(x) FROM (VALUES (xml '<foo>abc</foo>'), ('<bar/>')) t(x)

SELECT xml '<a/>' IS DOCUMENT

SELECT xml '<a/><b/>' IS NOT DOCUMENT

SELECT xmlexists('//town[text() = ''Toronto'']' PASSING BY VALUE '<towns><town>Toronto</town></towns>')

SELECT xml_is_well_formed('<>')

SELECT xml_is_well_formed_document('<a/>')

SELECT xml_is_well_formed_content('abc')

SELECT xpath_exists('/my:a/text()', '<my:a xmlns:my="http://example.com">test</my:a>', ARRAY[ARRAY['my', 'http://example.com']])

SELECT xpath('/my:a/text()', '<my:a xmlns:my="http://example.com">test</my:a>', ARRAY[ARRAY['my', 'http://example.com']])

SELECT xpath('//b/@id', '<a><b id="1"/><b id="2"/></a>')

SELECT xmltable.* FROM XMLTABLE(XMLNAMESPACES('http://example.com/myns' AS x, 'http://example.com/b' AS "B"), '/x:example/x:item' PASSING xml '<example xmlns="http://example.com/myns" xmlns:B="http://example.com/b"><item foo="1" B:bar="2"/></example>' COLUMNS foo int PATH '@foo', bar int PATH '@B:bar')

SELECT '[{"a":"foo"},{"b":"bar"},{"c":"baz"}]'::json -> 2

SELECT '[{"a":"foo"},{"c":"baz"}]'::json -> -1

SELECT '{"a": {"b":"foo"}}'::json -> 'a'

SELECT '[1,2,3]'::json ->> 2

SELECT '{"a":1,"b":2}'::json ->> 'b'

SELECT '{"a": {"b": ["foo","bar"]}}'::json #> '{a,b,1}'

SELECT '{"a": {"b": ["foo","bar"]}}'::json #>> '{a,b,1}'

SELECT '{"a":1, "b":2}'::jsonb @> '{"b":2}'::jsonb

SELECT '{"b":2}'::jsonb <@ '{"a":1, "b":2}'::jsonb

SELECT '{"a":1, "b":2}'::jsonb ? 'b'

SELECT '{"a":1, "b":2, "c":3}'::jsonb ?| array['b', 'd']

SELECT '["a", "b", "c"]'::jsonb ?& array['a', 'b']

SELECT '["a", "b"]'::jsonb || '["a", "d"]'::jsonb

SELECT '{"a": "b", "c": "d"}'::jsonb - 'a'

SELECT '["a", "b"]'::jsonb - 1

SELECT '{"a": "b", "c": "d"}'::jsonb - '{a,c}'::text[]

SELECT '["a", {"b":1}]'::jsonb #- '{1,b}'

SELECT '{"a":[1,2,3,4,5]}'::jsonb @? '$.a[*] ? (@ > 2)'

SELECT '{"a":[1,2,3,4,5]}'::jsonb @@ '$.a[*] > 2'

SELECT jsonb_path_match('{"a":[1,2,3,4,5]}', 'exists($.a[*] ? (@ >= $min && @ <= $max))', '{"min":2, "max":4}')

SELECT jsonb_path_exists_tz('["2015-08-01 12:00:00-05"]', '$[*] ? (@.datetime() < "2015-08-02".datetime())')

SELECT to_json('Fred said "Hi."'::text)

SELECT array_to_json(ARRAY[[1, 5], [99, 100]])

SELECT row_to_json(row(1, 'foo'))

SELECT json_build_array(1, 2, 'foo', 4, 5)

SELECT json_build_object('foo', 1, 2, row(3, 'bar'))

SELECT json_object('{a, 1, b, "def", c, 3.5}')

SELECT jsonb_object('{a, b}', '{1,2}')

SELECT jsonb_build_array(VARIADIC ARRAY[1, 2])

SELECT json_array_elements('[1,true, [2,false]]')

SELECT json_array_elements_text('["foo", "bar"]')

SELECT json_array_length('[1,2,3,{"f1":1,"f2":[5,6]},4]')

SELECT json_object_keys('{"f1":"abc","f2":{"f3":"a"}}')

SELECT * FROM json_each('{"a":"foo", "b":"bar"}'), json_each_text('{"a":"foo"}') AS t(k, v)

SELECT json_extract_path('{"f2":{"f3":1},"f4":{"f5":99,"f6":"foo"}}', 'f4', 'f6')

SELECT jsonb_extract_path_text('{"f2":{"f3":1},"f4":{"f5":99,"f6":"foo"}}', 'f4', 'f6')

SELECT * FROM jsonb_populate_record(null::couple, '{"a": 1, "b": "x"}'), jsonb_populate_recordset(null::couple, '[{"a":1,"b":"x"},{"a":3,"b":"y"}]') s

SELECT * FROM json_to_record('{"a":1,"b":[1,2,3],"c":[1,2,3],"e":"bar","r": {"a": 123, "b": "a b c"}}') AS x(a int, b text, c int[], d text, r couple)

SELECT jsonb_set('[{"f1":1,"f2":null},2,null,3]', '{0,f1}', '[2,3,4]', false)

SELECT jsonb_set_lax('[{"f1":1,"f2":null},2,null,3]', '{0,f1}', null)

SELECT jsonb_set_lax('[{"f1":99}]', '{0,f3}', null, true, 'return_target')

SELECT jsonb_insert('{"a": [0,1,2]}', '{a, 1}', '"new_value"', true)

SELECT jsonb_strip_nulls('[{"f1":1, "f2":null}, 2, null, 3]')

SELECT jsonb_pretty('[{"f1":1}, 2]')

SELECT jsonb_typeof('-123.4')

SELECT jsonb_path_query('{"track": {"segments": [{"HR": 73}, {"HR": 135}]}}', '$.track.segments[*].HR ? (@ > 130)')

SELECT jsonb_path_query_array('[1, 2, 3]', '$[*] ? (@ % 2 == 1)')

SELECT jsonb_path_query('[2, "a", true]', '$[*].type()')

SELECT jsonb_path_query('{"x": [2.85, -14.7]}', '-$.x.floor()')

SELECT jsonb_path_query('{"a": "2021-01-01"}', '$.a.datetime()')

SELECT jsonb_path_query('["abc", "abd", "aBdC"]', '$[*] ? (@ like_regex "^ab.*c" flag "i")')

SELECT jsonb_path_query('["John Smith", "Mary"]', '$[*] ? (@ starts with "John")')

SELECT jsonb_path_query('{"a": [1, {"b": 2}]}', '$.**.b')

SELECT jsonb_path_query('{"x": "20", "y": 32}', '$.keyvalue()')

SELECT jsonb_path_query('[1, 2]', 'strict $.size()')

SELECT (jsonb '{"a": {"b": [1, 2]}}')['a']['b'][1], (payload)['user']['name'] FROM events LIMIT 1

SELECT coalesce(NULL, 'x', 'y')

SELECT nullif('none', 'none')

SELECT greatest(1, NULL, 3)

SELECT least('b', 'a')

SELECT ARRAY[1.1, 2.1, 3.1]::int[] = ARRAY[1, 2, 3]

SELECT ARRAY[1, 3] > ARRAY[1, 2, 4]

SELECT ARRAY[1, 4, 3] @> ARRAY[3, 1, 3]

SELECT ARRAY[2, 2, 7] <@ ARRAY[1, 7, 4, 2, 6]

SELECT ARRAY[1, 4, 3] && ARRAY[2, 1]

SELECT ARRAY[1, 2, 3] || ARRAY[4, 5]

SELECT 3 || ARRAY[4, 5]

SELECT ARRAY[4, 5] || 7

SELECT array_append(ARRAY[1, 2], 3)

SELECT array_cat(ARRAY[1, 2, 3], ARRAY[4, 5])

SELECT array_dims(ARRAY[[1, 2, 3], [4, 5, 6]])

SELECT array_fill(11, ARRAY[2, 3])

SELECT array_fill(7, ARRAY[3], ARRAY[2])

SELECT array_length(array[1, 2, 3], 1)

SELECT array_lower('[0:2]={1,2,3}'::int[], 1)

SELECT array_ndims(ARRAY[[1, 2, 3], [4, 5, 6]])

SELECT array_position(ARRAY['sun', 'mon', 'tue'], 'mon')

SELECT array_positions(ARRAY['A', 'A', 'B', 'A'], 'A')

SELECT array_prepend(1, ARRAY[2, 3])

SELECT array_remove(ARRAY[1, 2, 3, 2], 2)

SELECT array_replace(ARRAY[1, 2, 5, 4], 5, 3)

SELECT array_to_string(ARRAY[1, 2, 3, NULL, 5], ',', '*')

SELECT array_upper(ARRAY[1, 8, 3, 7], 1)

SELECT cardinality(ARRAY[[1, 2], [3, 4]])

SELECT trim_array(ARRAY[1, 2, 3, 4, 5, 6], 2)

SELECT * FROM unnest(ARRAY[1, 2], ARRAY['foo', 'bar', 'baz']) AS x(a, b)

SELECT int4range(1, 4) @> int4range(2, 3)

SELECT '[2011-01-01,2011-03-01)'::tsrange @> '2011-01-10'::timestamp

SELECT int4range(2, 4) <@ int4range(1, 7)

SELECT 42 <@ int4range(1, 7)

SELECT int8range(3, 7) && int8range(4, 12)

SELECT int8range(1, 10) << int8range(100, 110)

SELECT int8range(50, 60) >> int8range(20, 30)

SELECT int8range(1, 20) &< int8range(18, 20)

SELECT numrange(1.1, 2.2) -|- numrange(2.2, 3.3)

SELECT numrange(5, 15) + numrange(10, 20)

SELECT int8range(5, 15) * int8range(10, 20)

SELECT int8range(5, 15) - int8range(10, 20)

SELECT '{[2,4)}'::int4multirange @> '{[2,3)}'::int4multirange

SELECT '{[1,5), [8,9)}'::int4multirange && int4range(4, 6)

SELECT '{[5,10)}'::nummultirange + '{[15,20)}'::nummultirange

SELECT '{[5,20)}'::int8multirange - '{[10,15)}'::int8multirange

SELECT '{[5,15)}'::int8multirange * '{[10,20)}'::int8multirange

SELECT lower(numrange(1.1, 2.2))

SELECT upper(numrange(1.1, 2.2))

SELECT isempty(numrange(1.1, 2.2))

SELECT lower_inc(numrange(1.1, 2.2))

SELECT upper_inc(numrange(1.1, 2.2))

SELECT lower_inf('(,)'::daterange)

SELECT upper_inf('(,)'::daterange)

SELECT range_merge('[1,2)'::int4range, '[3,4)'::int4range)

SELECT multirange('[1,2)'::int4range)

SELECT unnest('{[1,2), [3,4)}'::int4multirange)

SELECT range_merge('{[1,2), [3,4)}'::int4multirange)

SELECT range_agg(r), range_intersect_agg(r) FROM (VALUES ('[1,5)'::int4range), ('[3,9)')) t(r)

SELECT array_agg(x), avg(x), bit_and(x), bit_or(x), bit_xor(x), bool_and(x > 0), bool_or(x > 1), count(*), every(x > 0), max(x), min(x), sum(x) FROM (VALUES (1), (2), (3)) v(x)

SELECT json_agg(x), jsonb_agg(x), json_object_agg(x, y), jsonb_object_agg(y, x), string_agg(y, ';'), string_agg(y::bytea, '\x00') FROM (VALUES (1, 'a'), (2, 'b')) v(x, y)

SELECT corr(y, x), covar_pop(y, x), covar_samp(y, x), regr_avgx(y, x), regr_avgy(y, x), regr_count(y, x), regr_intercept(y, x), regr_r2(y, x), regr_slope(y, x), regr_sxx(y, x), regr_sxy(y, x), regr_syy(y, x), stddev(x), stddev_pop(x), variance(x), var_pop(x), var_samp(x) FROM (VALUES (1.0, 2.0), (2.0, 3.5)) v(x, y)

SELECT mode() WITHIN GROUP (ORDER BY x), percentile_cont(0.5) WITHIN GROUP (ORDER BY x), percentile_disc(0.5) WITHIN GROUP (ORDER BY x), percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY x), rank(3) WITHIN GROUP (ORDER BY x), dense_rank(3) WITHIN GROUP (ORDER BY x), percent_rank(3) WITHIN GROUP (ORDER BY x), cume_dist(3) WITHIN GROUP (ORDER BY x) FROM generate_series(1, 9) x

SELECT make, model, GROUPING(make, model), sum(sales) FROM (VALUES ('Foo', 'GT', 10), ('Foo', 'Tour', 20), ('Bar', 'City', 15)) items_sold(make, model, sales) GROUP BY ROLLUP (make, model)

SELECT EXISTS (SELECT 1 FROM orders WHERE amount > 1e6)

SELECT 5 IN (SELECT id FROM orders)

SELECT 5 NOT IN (SELECT id FROM orders WHERE id IS NOT NULL)

SELECT 5 = ANY (SELECT id FROM orders)

SELECT 5 <> SOME (SELECT id FROM orders)

SELECT 5 >= ALL (SELECT id FROM orders)

SELECT ROW(1, 2.5, 'this is a test'), ROW(1, 2.5, 'this is a test') = ROW(1, 3, 'not the same'), ROW(1, NULL) IS NOT NULL, ROW(table_name.*) IS NULL FROM (SELECT 1 AS a) table_name

SELECT ROW(1, 2) < ROW(1, 3), ROW(1, NULL) IS DISTINCT FROM ROW(1, 2), ROW(1, 2) IN (SELECT 1, 2)

SELECT * FROM generate_series(2, 4), generate_series(5, 1, -2) AS b, generate_series(1.1, 4, 1.3) AS c

SELECT * FROM generate_series('2008-03-01 00:00'::timestamp, '2008-03-04 12:00', '10 hours')

SELECT s AS i, generate_subscripts('{NULL,1,NULL,2}'::int[], 1, true) FROM generate_series(1, 1) s

SELECT current_catalog

SELECT current_database()

SELECT current_role

SELECT current_schema

SELECT current_schema()

SELECT current_schemas(false)

SELECT current_user

SELECT pg_backend_pid() > 0

SELECT pg_postmaster_start_time() < now()

SELECT session_user

SELECT user

SELECT version()

SELECT has_any_column_privilege('orders', 'SELECT')

SELECT has_column_privilege('orders', 'id', 'SELECT')

SELECT has_database_privilege('postgres', 'CONNECT')

SELECT has_function_privilege('lower(text)', 'EXECUTE')

SELECT has_schema_privilege('public', 'USAGE')

SELECT has_sequence_privilege('s1', 'USAGE')

SELECT has_table_privilege('orders', 'INSERT')

SELECT has_type_privilege('int4', 'USAGE')

SELECT pg_has_role('postgres', 'MEMBER')

SELECT row_security_active('orders')

SELECT acldefault('r', 10), aclexplode(relacl) FROM pg_class WHERE relname = 'orders'

SELECT pg_table_is_visible('orders'::regclass)

SELECT pg_function_is_visible('lower(text)'::regprocedure)

SELECT pg_type_is_visible('int4'::regtype)

SELECT pg_operator_is_visible('+(int4,int4)'::regoperator)

SELECT format_type(1043, 24)

SELECT pg_char_to_encoding('UTF8')

SELECT pg_encoding_to_char(6)

SELECT pg_get_keywords()

SELECT pg_get_catalog_foreign_keys() LIMIT 3

SELECT pg_get_constraintdef(oid, true), pg_get_expr(conbin, conrelid) FROM pg_constraint WHERE conrelid = 'orders'::regclass

SELECT pg_get_functiondef('recent(date)'::regprocedure)

SELECT pg_get_function_arguments('recent(date)'::regprocedure)

SELECT pg_get_function_identity_arguments('recent(date)'::regprocedure)

SELECT pg_get_function_result('recent(date)'::regprocedure)

SELECT pg_get_indexdef(indexrelid, 1, true), pg_index_has_property(indexrelid, 'clusterable'), pg_index_column_has_property(indexrelid, 1, 'orderable') FROM pg_index WHERE indrelid = 'orders'::regclass

SELECT pg_indexam_has_property(oid, 'can_order'), amname FROM pg_am WHERE amtype = 'i'

SELECT pg_get_ruledef(oid), pg_get_viewdef(ev_class) FROM pg_rewrite WHERE ev_class = 'big_orders'::regclass

SELECT pg_get_serial_sequence('orders', 'id')

SELECT pg_get_userbyid(10)

SELECT pg_typeof(33)

SELECT to_regclass('orders')

SELECT to_regproc('nosuch')

SELECT to_regtype('integer')

SELECT to_regrole('postgres')

SELECT to_regnamespace('public')

SELECT to_regoper('||/')

SELECT to_regcollation('"C"')

SELECT pg_describe_object(classid, objid, 0), pg_identify_object(classid, objid, 0) FROM pg_depend WHERE refobjid = 'orders'::regclass LIMIT 3

SELECT col_description('orders'::regclass, 1), obj_description('orders'::regclass, 'pg_class'), shobj_description(oid, 'pg_database') FROM pg_database LIMIT 1

SELECT pg_column_size(row(1, 'x')), pg_column_compression(notes), pg_database_size('postgres') > 0, pg_size_bytes('1.5 GB'), pg_size_pretty(12345678::numeric), pg_table_size('orders'), pg_indexes_size('orders'), pg_total_relation_size('orders'), pg_relation_size('orders', 'fsm') FROM customers LIMIT 1

SELECT pg_collation_for('a'::text)

SELECT 'a' < 'b' COLLATE "C"

SELECT pg_collation_is_visible(100)

SELECT pg_is_in_recovery()

SELECT pg_client_encoding()

SELECT getdatabaseencoding()

SELECT txid_snapshot_xmin(txid_current_snapshot()) > 0

SELECT pg_snapshot_xmax(pg_current_snapshot()) > '3'::xid8

SELECT age('3'::xid) > 0

SELECT similarity('word', 'two words')

SELECT word_similarity('word', 'two words')

SELECT strict_word_similarity('word', 'two words')

SELECT show_trgm('word')

SELECT 'word' % 'words'

SELECT 'word' <-> 'words'

SELECT 'word' <% 'two words'

SELECT 'two words' %> 'word'

SELECT 'a=>1, b=>2'::hstore -> 'a'

SELECT akeys('a=>1,b=>2')

SELECT avals('a=>1')

SELECT hstore('a', '1') || 'b=>2'

SELECT 'a=>1'::hstore ? 'a'

SELECT 'a=>1,b=>2'::hstore @> 'a=>1'

SELECT hstore_to_json('a=>1')

SELECT hstore_to_jsonb('"k"=>t')

SELECT delete('a=>1,b=>2'::hstore, 'b')

SELECT skeys('a=>1')

SELECT svals('a=>1')

SELECT slice('a=>1,b=>2', ARRAY['b'])

SELECT exist('a=>1', 'a')

SELECT hstore_to_array('a=>1')

SELECT * FROM each('a=>1,b=>2'::hstore)

SELECT path @> 'top.mid.leaf.x', path ~ 'top.*', path ? '{*.mid.*, x}', subpath(path, 1), nlevel(path), index(path, 'mid'), lca(path, 'top.mid.other'), path || 'x', text2ltree('a.b'), ltree2text('a.b'), path @ 'leaf & !x*' FROM events LIMIT 1

SELECT nick = 'NICK1', nick LIKE 'nick%', regexp_replace(nick, 'N', 'x'), split_part(nick, 'i', 1), nick || 'x' FROM events LIMIT 2

SELECT soundex('hello')

SELECT difference('Anne', 'Andrew')

SELECT levenshtein('GUMBO', 'GAMBOL', 2, 1, 1)

SELECT levenshtein_less_equal('extensive', 'exhaustive', 2)

SELECT metaphone('GUMBO', 4)

SELECT dmetaphone('gumbo')

SELECT dmetaphone_alt('gumbo')

SELECT unaccent('Hôtel')

SELECT unaccent('unaccent', 'Hôtel')

SELECT uuid_nil()

SELECT uuid_ns_dns()

SELECT uuid_generate_v3(uuid_ns_url(), 'http://www.postgresql.org')

SELECT uuid_generate_v5(uuid_ns_dns(), 'x')

SELECT icount('{1,2,3}'::int[])

SELECT sort('{3,1,2}'::int[], 'desc')

SELECT sort_asc('{3,1}')

SELECT uniq(sort('{1,2,1}'::int[]))

SELECT idx(array[11, 22, 33], 22)

SELECT subarray('{1,2,3,2,1}'::int[], 2, 3)

SELECT '{1,2}'::int[] & '{2,3}'::int[]

SELECT '{1,2}'::int[] | '{3}'::int[]

SELECT '{1,2,3}'::int[] - 2

SELECT '{1,2}'::int[] @@ '1&(2|3)'::query_int

SELECT # '{1,2}'::int[]

SELECT cube(1.0, 2.0)

SELECT cube_distance('(0,0)', '(3,4)')

SELECT cube_dim('(1,2,3)')

SELECT '(0,0),(2,2)'::cube @> '(1,1)'

SELECT cube_union('(1,2)', '(3,4)')

SELECT cube_ll_coord('(1,2),(3,4)', 2)

SELECT cube_inter('(0,0),(2,2)', '(1,1),(3,3)')

SELECT cube_enlarge('(1,1)', 1, 2)

SELECT '(0,0)'::cube <-> '(3,4)'

SELECT earth_distance(ll_to_earth(52.5, 13.4), ll_to_earth(48.1, 11.6)) / 1000

SELECT latitude(ll_to_earth(10, 20))

SELECT longitude(ll_to_earth(10, 20))

SELECT earth_box(ll_to_earth(1, 1), 100)

SELECT sec_to_gc(1)

SELECT gc_to_sec(1)

SELECT point(1, 2) <@> point(3, 4)
