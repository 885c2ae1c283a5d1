-- How CSV and JSON files are written, for the views of tables (duckdb_files.c); ends with the connection making them.
CREATE TEMP TABLE carrel_csv_files (number BIGINT, path VARCHAR, options VARCHAR,
  columns STRUCT(name VARCHAR, type VARCHAR)[], torn BOOLEAN, unsure BOOLEAN);

-- What sniff_csv() finds of one file, whose columns it replaces.
CREATE TEMP TABLE carrel_csv_sniffed (Delimiter VARCHAR, Quote VARCHAR, Escape VARCHAR, NewLineDelimiter VARCHAR,
  Comment VARCHAR, SkipRows UINTEGER, HasHeader BOOLEAN, Columns STRUCT(name VARCHAR, type VARCHAR)[],
  DateFormat VARCHAR, TimestampFormat VARCHAR);

CREATE TEMP MACRO carrel_csv_quoted(s) AS '''' || replace(s, '''', '''''') || '''';

-- Names and types of columns, as a struct of C texts.
CREATE TEMP MACRO carrel_types(name, type) AS
CASE WHEN contains(string_agg(name || type, ''), chr(0)) THEN error('the name of a column has a NUL byte')
  ELSE '{' || string_agg(carrel_csv_quoted(name) || ': ' || carrel_csv_quoted(type), ', ') || '}' END;

-- A file's row of that table: the options of read_csv() for it, and its columns, from carrel_csv_sniffed.  torn: rows have different numbers of
-- fields, for which the library takes a delimiter that all rows have, or skips all rows before the one that differs:
-- lines with delimiters are skipped, or names hold delimiters.  unsure: the names may not be those of the columns, or
-- are made by the library, as ssn_1 is for a second ssn.
CREATE TEMP MACRO carrel_csv_file(number, path, packing) AS TABLE
WITH f AS (FROM carrel_csv_sniffed),
  names AS (SELECT unnest(Columns).name AS whole, replace(whole, replace(Delimiter, '\t', chr(9)), '') AS name FROM f),
  lines AS MATERIALIZED (
    SELECT line, row_number() OVER () AS line_number
    FROM (FROM read_csv(path, compression = packing, auto_detect = false, columns = {'line': 'VARCHAR'},
      delim = E'\x01', quote = '', escape = '', strict_mode = false, ignore_errors = true) LIMIT 20)),
  skipped AS (SELECT SkipRows > 20 OR (SkipRows > 0 AND NOT HasHeader) OR EXISTS (
      FROM lines WHERE line_number <= SkipRows AND regexp_matches(line, '[,;|\t]')) AS torn FROM f),
  named AS (SELECT coalesce(bool_or(regexp_matches(name, ',[^,]*,|;[^;]*;|[|][^|]*[|]|\t[^\t]*\t')), false) AS torn,
      coalesce(bool_or(regexp_matches(name, '[,;|\t]')), false) AS unsure,
      coalesce(bool_and(contains((FROM lines SELECT line WHERE line_number = 1), whole)), false) AS written FROM names)
SELECT number, path,
  (SELECT string_agg(name || ' = ' || carrel_csv_quoted(CASE value WHEN '(empty)' THEN '' ELSE value END), ', ')
    FROM (UNPIVOT (SELECT packing AS compression, Delimiter AS delim, Quote AS quote, Escape AS escape,
        NewLineDelimiter AS new_line, Comment AS comment, SkipRows::VARCHAR AS skip, HasHeader::VARCHAR AS header,
        DateFormat AS dateformat, TimestampFormat AS timestampformat FROM f)
      ON COLUMNS(*))),
  Columns, skipped.torn OR named.torn OR (len(Columns) = 1 AND HasHeader AND named.unsure),
  named.unsure OR NOT named.written OR SkipRows > 0 OR NOT HasHeader
FROM f, skipped, named;

-- Why the files are not served: the first reason; NULL: they are.  policed: names decide what is protected.
CREATE TEMP MACRO carrel_csv_doubt(policed) AS TABLE
SELECT arg_min(CASE
    WHEN torn THEN 'the rows of ' || path || ' have different numbers of fields; quote fields that hold delimiters, ' ||
      'and remove lines that are no rows, the header apart'
    ELSE path || ' has no header in its first line, by which a column policy knows its columns; write one there, ' ||
      'with a name of its own for each column and without delimiters in names' END,
  number) FROM carrel_csv_files WHERE torn OR (policed AND unsure);

CREATE TEMP MACRO carrel_csv_columns() AS TABLE
SELECT number, path, options, unnest(columns, recursive := true), generate_subscripts(columns, 1) AS place
FROM carrel_csv_files;

-- The names and types of all files together, if they agree and are texts of C; else NULL.
CREATE TEMP MACRO carrel_csv_types() AS TABLE
SELECT CASE WHEN max(types) = 1 AND count(*) = count(DISTINCT lower(name)) AND NOT bool_or(contains(name, chr(0))) THEN
  '{' || string_agg(carrel_csv_quoted(name) || ': ' || carrel_csv_quoted(type), ', ' ORDER BY first) || '}' END
FROM (SELECT name, any_value(type) AS type, count(DISTINCT type) AS types, min((number, place)) AS first
  FROM carrel_csv_columns() GROUP BY name);

-- The query of the view: one read_csv() for all files with the same options and columns.  NULL: a column of a file is
-- not in types, or there are more than 64 ways.  below: the path of the first file from where wildcards begin, if
-- directories are columns; else empty.
CREATE TEMP MACRO carrel_csv_query(types, below) AS TABLE
WITH t AS MATERIALIZED (
    SELECT unnest(map_entries(types), recursive := true), generate_subscripts(map_keys(types), 1) AS place),
  hive AS (
    SELECT ', hive_partitioning = ' || (below <> '') || coalesce(', hive_types = {' ||
      string_agg(carrel_csv_quoted(key) || ': ' || carrel_csv_quoted(value), ', ') || '}', '') AS stated
    FROM t WHERE contains('/' || below, '/' || key || '=')),
  files AS (
    SELECT number, path, CASE WHEN count(*) = count(value) THEN options || ', columns = {' ||
      string_agg(carrel_csv_quoted(name) || ': ' || carrel_csv_quoted(value), ', ' ORDER BY c.place) || '}' END
      AS stated
    FROM carrel_csv_columns() c LEFT JOIN t ON key = name GROUP BY number, path, options),
  calls AS (
    SELECT stated, min(number) AS first, string_agg(carrel_csv_quoted(path), ', ' ORDER BY number) AS paths
    FROM files GROUP BY stated)
SELECT CASE WHEN count(*) <= 64 AND count(*) = count(stated) THEN
  'SELECT ' || (SELECT string_agg('"' || replace(key, '"', '""') || '"', ', ' ORDER BY place) FROM t) || ' FROM (' ||
  string_agg('SELECT * FROM read_csv([' || paths || '], auto_detect = false, ' || stated ||
    (SELECT stated FROM hive) || ')', ' UNION ALL BY NAME ' ORDER BY first) || ')' END
FROM calls;

-- Whether a name is like those that the library makes for JSON keys that are empty or differ in case alone; else NULL.
CREATE TEMP MACRO carrel_json_made(types) AS TABLE
WITH t AS (SELECT lower(unnest(map_keys(types))) AS name)
SELECT CASE WHEN bool_or(regexp_matches(name, '^c[0-9]+$') OR
  (regexp_matches(name, '_[0-9]+$') AND regexp_replace(name, '_[0-9]+$', '') IN (SELECT name FROM t))) THEN true END
FROM t;

-- The type of a column of JSON in which json_group_structure() found this.
CREATE TEMP MACRO carrel_json_type(shape) AS
CASE WHEN shape = '"UBIGINT"' THEN 'HUGEINT' WHEN shape IN ('"BIGINT"', '"BOOLEAN"', '"DOUBLE"', '"VARCHAR"')
  THEN trim(shape, '"') ELSE 'JSON' END;

-- The types with texts in place of these.
CREATE TEMP MACRO carrel_texts(types, these) AS TABLE
SELECT carrel_types(key, CASE WHEN list_contains(these, value) THEN 'VARCHAR' ELSE value END)
FROM (SELECT unnest(map_entries(types), recursive := true));

-- The type that has all digits of the integers in the texts of a column, which are shown so by the type found.
CREATE TEMP MACRO carrel_exact_type(type, text, shown) AS
CASE WHEN NOT coalesce(bool_or(length(text) > 15 AND len(list_filter(
    regexp_extract_all(text, '(?:^|[^0-9.eE+])([0-9]{16,})(?:$|[^0-9.eE])', 1),
    lambda digits: NOT contains(coalesce(shown, ''), digits))) > 0), false) THEN type
  WHEN type <> 'DOUBLE' THEN 'JSON'
  WHEN bool_and(regexp_full_match(trim(text), '0|-?[1-9][0-9]{0,37}')) THEN 'HUGEINT'
  ELSE 'VARCHAR' END;

CREATE TEMP MACRO carrel_named(types) AS TABLE
WITH t AS (
  SELECT unnest(map_entries(types), recursive := true), generate_subscripts(map_keys(types), 1) AS place)
SELECT *, '"' || replace(key, '"', '""') || '"' AS name FROM t;

-- The query that finds such types, as carrel_types().  source: columns of these names as text or JSON.
CREATE TEMP MACRO carrel_exact(types, source) AS TABLE
SELECT 'SELECT ''{'' || concat_ws('', '', ' || string_agg(
  carrel_csv_quoted(carrel_csv_quoted(key) || ': ') || ' || carrel_csv_quoted(' ||
  CASE WHEN contains(value, 'DOUBLE') THEN 'carrel_exact_type(' || carrel_csv_quoted(value) || ', ' || name ||
    '::VARCHAR, TRY_CAST(' || name || ' AS ' || value || ')::VARCHAR)' ELSE carrel_csv_quoted(value) END || ')',
  ', ' ORDER BY place) || ') || ''}'' FROM ' || source
FROM carrel_named(types);

-- The query of a table whose integers, texts in source, are not rounded where later rows have fractions.
CREATE TEMP MACRO carrel_whole(types, these, source) AS TABLE
SELECT 'SELECT ' || string_agg(CASE WHEN NOT list_contains(these, value) THEN name ELSE
    'CASE WHEN NOT (contains(' || name || ', ''.'') OR contains(' || name || ', ''e'')) OR TRY_CAST(' || name ||
    ' AS DECIMAL(38, 10)) = TRY_CAST(' || name || ' AS ' || value || ') THEN coalesce(TRY_CAST(' || name || ' AS ' ||
    value || '), ' || fault || ') WHEN ' || name || ' IS NOT NULL THEN ' || fault || ' END AS ' || name END,
  ', ' ORDER BY place) || ' FROM (' || source || ')'
FROM (SELECT *, 'error(' || carrel_csv_quoted('a value of the column ' || key || ' is no whole number, as those are ' ||
  'that were looked at; convert the file to Parquet') || ')' AS fault FROM carrel_named(types))
