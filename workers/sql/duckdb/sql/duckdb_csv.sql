-- How CSV files are written, for the view of their table (duckdb_files.c); ends with the connection that makes views.
CREATE TEMP TABLE carrel_csv_files (number BIGINT, path VARCHAR, options VARCHAR,
  columns STRUCT(name VARCHAR, type VARCHAR)[]);

CREATE TEMP MACRO carrel_csv_quoted(s) AS '''' || replace(s, '''', '''''') || '''';

-- A file's row of that table: the options of read_csv() for it, and its columns.
CREATE TEMP MACRO carrel_csv_file(number, path, rows) AS TABLE
WITH f AS MATERIALIZED (SELECT * FROM sniff_csv(path, sample_size = rows))
SELECT number, path,
  (SELECT string_agg(name || ' = ' || carrel_csv_quoted(CASE value WHEN '(empty)' THEN '' ELSE value END), ', ')
    FROM (UNPIVOT (SELECT Delimiter AS delim, Quote AS quote, Escape AS escape, NewLineDelimiter AS new_line,
        Comment AS comment, SkipRows::VARCHAR AS skip, HasHeader::VARCHAR AS header, DateFormat AS dateformat,
        TimestampFormat AS timestampformat FROM f)
      ON COLUMNS(*))),
  Columns
FROM f;

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
FROM calls
