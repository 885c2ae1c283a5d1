"""columns/postgres.py - PostgreSQL in the engine matrix: a server of its own, with a role that may only read."""
import contextlib, os, re, subprocess, urllib.parse

from matrix import SOURCE, Column as Base, eventually, native_rows

PG = os.path.join(SOURCE, 'tests/support/pg.sh')


class Column(Base):
    name, display = 'postgres', 'PostgreSQL'
    types = {'INTEGER': 'bigint', 'INT': 'bigint', 'REAL': 'numeric', 'DATETIME': 'timestamp', 'DOUBLE': 'double precision'}
    statements = {
        'before values': '''CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE pair AS (a int, b text);
            CREATE DOMAIN plz AS varchar(5); CREATE EXTENSION hstore; CREATE EXTENSION citext;''',
        'structure': '''CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN plz AS varchar(5) NOT NULL;
            CREATE TABLE customers (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(40) NOT NULL,
                "E-Mail" text UNIQUE, limit_eur numeric(10,2) DEFAULT 0 CHECK (limit_eur >= 0),
                doubled integer GENERATED ALWAYS AS (1 * 2) STORED, since date, seen timestamptz(3), tags text[], m mood, code plz);
            COMMENT ON TABLE customers IS E'Who buys:\\n"all" of them';
            COMMENT ON COLUMN customers.limit_eur IS 'Ümlaut''s limit';
            CREATE TABLE "Order Lines" (order_id bigint, line smallint, "customer" integer REFERENCES customers,
                PRIMARY KEY (line, order_id));
            CREATE TABLE returns (a bigint, b smallint, "größe" real, FOREIGN KEY (b, a) REFERENCES "Order Lines" (line, order_id));
            CREATE TABLE "quote""d" (a money, "select" interval, j jsonb, dropped text); ALTER TABLE "quote""d" DROP COLUMN dropped;
            CREATE TABLE self (id char(3) PRIMARY KEY, parent char(3) REFERENCES self (id));
            CREATE TABLE parted (id integer, at date) PARTITION BY RANGE (at);
            CREATE TABLE parted_2024 PARTITION OF parted FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
            CREATE VIEW open_lines AS SELECT l.order_id, c.name FROM "Order Lines" l JOIN customers c ON c.id = l.customer;
            COMMENT ON VIEW open_lines IS 'A view';
            CREATE MATERIALIZED VIEW kept AS SELECT id, name FROM customers; GRANT SELECT ON kept TO reader;''',
        'endless': 'SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b',
        'slow': 'SELECT 1 FROM (SELECT count(*) AS n FROM generate_series(1, 9000000) g WHERE g % 7 <> 8) x WHERE n > 0',
        'writes': ["TRUNCATE kept", 'SELECT * INTO other FROM kept', "COPY kept TO '/tmp/x'", 'DO $$ BEGIN DELETE FROM kept; END $$',
                   'CREATE TEMP TABLE t (a int)', 'SELECT * FROM kept FOR UPDATE', "SELECT setval('s', 1)", 'VACUUM', 'LOCK TABLE kept',
                   'WITH d AS (DELETE FROM kept RETURNING *) SELECT * FROM d', 'EXPLAIN ANALYZE DELETE FROM kept', "SELECT lo_create(0)",
                   'SET default_transaction_read_only = off', 'PREPARE p AS SELECT 1', "NOTIFY n", 'ANALYZE kept'],
        'state': '''SELECT current_setting('search_path'), current_setting('TimeZone'), current_setting('DateStyle'), current_user,
            current_setting('transaction_read_only'), current_setting('statement_timeout') <> '0', pg_my_temp_schema()::int ''',
        'traces': ["SELECT set_config('search_path', 'x', false)", 'SET TimeZone = 5', 'SELECT 1 / 0', 'SELECT nothing', "SELECT 'x'::int",
                   'CREATE TEMP TABLE kept (id int)', 'BEGIN', 'ROLLBACK', 'SELECT count(*) FROM generate_series(1, 1000000000) a',
                   'SELECT pg_advisory_lock(1)', 'DECLARE c CURSOR WITH HOLD FOR SELECT 1', 'RESET ALL', 'DISCARD ALL', 'SET ROLE postgres'],
        'catalogues': ['pg_class', 'pg_catalog.pg_class', 'information_schema.tables', 'pg_stats', 'pg_roles', 'pg_settings'],
    }
    values = [  # type, value, its cell, its type in headerTypes, and what psql prints where that is another text
        ('boolean', 'true', 'true', 'boolean'),
        ('smallint', '-32768', '-32768', 'smallint'),
        ('integer', '7', '7', 'integer'),
        ('bigint', '9007199254740991', '9007199254740991', 'bigint'),
        ('bigint', '9223372036854775807', '"9223372036854775807"', 'bigint as string'),
        ('numeric(10,2)', '37.50', '37.50', 'numeric'),
        ('numeric', '-0.000001', '-0.000001', 'numeric'),
        ('numeric', '123456789012345.67', '"123456789012345.67"', 'numeric as string'),
        ('numeric', "'NaN'", '"NaN"', 'numeric as string'),
        ('numeric(40,0)', '1e30', '"1000000000000000000000000000000"', 'numeric as string'),
        ('real', '0.1', '0.1', 'real'),
        ('double precision', '0.1', '0.1', 'double precision'),
        ('double precision', "'-Infinity'", '"-Infinity"', 'double precision as string'),
        ('money', "'1234.50'", '1234.50', 'money', '"$1,234.50"'),
        ('text', "'Größe 漢字 😀'", '"Größe 漢字 😀"', 'text'),
        ('text', "''", '""', 'text'),
        ('varchar(20)', "'12.50'", '"12.50"', 'character varying'),
        ('char(4)', "'ab'", '"ab  "', 'character'),
        ('"char"', "'x'", '"x"', '"char"'),
        ('name', "'orders'", '"orders"', 'name'),
        ('bytea', "'\\x00ff'", '{"base64":"AP8="}', 'bytea'),
        ('date', "'2024-02-29'", '"2024-02-29"', 'date'),
        ('date', "'infinity'", '"infinity"', 'date'),
        ('date', "'0044-03-15 BC'", '"0044-03-15 BC"', 'date'),
        ('time', "'23:59:59.5'", '"23:59:59.5"', 'time without time zone'),
        ('timetz', "'23:59:59+02'", '"23:59:59+02"', 'time with time zone'),
        ('timestamp', "'2024-03-31 02:30:00.125'", '"2024-03-31 02:30:00.125"', 'timestamp without time zone'),
        ('timestamptz', "'2024-03-31 02:30:00+02'", '"2024-03-31 00:30:00+00"', 'timestamp with time zone'),
        ('interval', "'1 year 2 mons -3 days 04:05:06.7'", '"1 year 2 mons -3 days +04:05:06.7"', 'interval'),
        ('uuid', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', 'uuid'),
        ('json', '\'{"b": 1, "a": [1.50]}\'', '"{\\"b\\": 1, \\"a\\": [1.50]}"', 'json'),
        ('jsonb', '\'{"b":1}\'', '"{\\"b\\": 1}"', 'jsonb'),
        ('xml', "'<a>1</a>'", '"<a>1</a>"', 'xml'),
        ('inet', "'192.0.2.1/24'", '"192.0.2.1/24"', 'inet'),
        ('macaddr', "'08:00:2b:01:02:03'", '"08:00:2b:01:02:03"', 'macaddr'),
        ('bit(4)', "B'0101'", '"0101"', 'bit'),
        ('varbit', "B'011'", '"011"', 'bit varying'),
        ('int[]', "'{1,NULL,3}'", '"{1,NULL,3}"', 'integer[]'),
        ('text[]', "ARRAY['a,b', 'c']", '"{\\"a,b\\",c}"', 'text[]'),
        ('mood', "'ok'", '"ok"', 'mood'),
        ('pair', "ROW(1, 'x y')", '"(1,\\"x y\\")"', 'pair'),
        ('plz', "'01234'", '"01234"', 'character varying'),
        ('int4range', "'[1,5)'", '"[1,5)"', 'int4range'),
        ('datemultirange', "'{[2024-01-01,2024-02-01)}'", '"{[2024-01-01,2024-02-01)}"', 'datemultirange'),
        ('tsvector', "'a:1 b:2'", '"\'a\':1 \'b\':2"', 'tsvector'),
        ('point', "'(1.5,2)'", '"(1.5,2)"', 'point'),
        ('oid', '4294967295', '4294967295', 'oid'),
        ('pg_lsn', "'16/B374D848'", '"16/B374D848"', 'pg_lsn'),
        ('hstore', "'k=>v'", '"\\"k\\"=>\\"v\\""', 'hstore'),
        ('citext', "'AbC'", '"AbC"', 'citext'),
    ]

    def start(self, scratch):
        super().start(scratch)
        self.databases = set()
        self.server = os.path.join(scratch, 'postgres')
        subprocess.run([PG, 'start', self.server], check=True)
        self.client('postgres', "CREATE ROLE reader LOGIN PASSWORD 'secret'")

    def stop(self):
        subprocess.run([PG, 'remove', self.server], check=True)

    def client(self, database, script, *options):
        done = subprocess.run([PG, 'psql', self.server, '-d', database, '-P', 'null=\\N', *options],
                              input=script, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError('psql: %s' % done.stderr.strip()[:400])
        return done.stdout

    def run(self, database, script):
        if database not in self.databases:
            self.databases.add(database)
            self.client('postgres', 'CREATE DATABASE "%s"' % database)
            self.client(database, 'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader')
        self.client(database, script)

    def query(self, database, sql):
        return native_rows(self.client(database, sql, '--csv', '-t'))

    def port(self):
        with open(os.path.join(self.server, 'port'), encoding='utf-8') as f:
            return int(f.read())

    @contextlib.contextmanager
    def locked(self, database):
        client = subprocess.Popen([PG, 'psql', self.server, '-d', database, '-c', 'BEGIN; LOCK TABLE t; SELECT pg_sleep(60)'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(lambda: self.query(database, "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 't'::regclass"))
        yield
        self.client(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE%pg_sleep%' AND pid <> pg_backend_pid()")
        client.wait(30)

    def idle(self, database):
        return self.query(database, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'") == [['0']]

    def connection(self, database, port=None):
        path = os.path.join(self.scratch, '%s-%s.url' % (database, port))
        with open(path, 'w', encoding='utf-8', opener=lambda p, flags: os.open(p, flags, 0o600)) as f:
            f.write('postgres://reader:secret@127.0.0.1:%d/%s?sslmode=disable' % (port or self.port(), urllib.parse.quote(database)))
        return {'driver': 'postgres', 'url': 'file:' + path}

    def literal(self, value):
        """Quoted, so that the column's type reads it."""
        return 'NULL' if value is None else "'%s'" % str(value).replace("'", "''")

    def model(self, text):
        text = re.sub(r'julianday\((\w+)\)', r'extract(epoch FROM \1) / 86400', text)
        return re.sub(r'sum\(reopened\)', 'count(*) FILTER (WHERE reopened)', text)

    def catalogue(self, database):
        """Tables by name, as parts/structure.py compares them; partitions are parts of their table."""
        tables = {}
        for oid, name, kind, comment in self.query(database, """SELECT oid, relname, CASE relkind WHEN 'v' THEN 'view'
                WHEN 'm' THEN 'materialized_view' ELSE 'table' END, obj_description(oid, 'pg_class') FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p') AND NOT relispartition"""):
            columns = self.query(database, f"""SET search_path = ''; SELECT attname, format_type(atttypid, atttypmod),
                NOT (attnotnull OR typnotnull), EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary
                AND attnum = ANY(indkey)), col_description(attrelid, attnum) FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
                WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped ORDER BY attnum""")
            keys = self.query(database, f"""SELECT c.attname, confrelid::regclass::oid::regclass, p.attname FROM pg_constraint,
                unnest(conkey, confkey) k(child, parent), pg_attribute c, pg_attribute p WHERE contype = 'f' AND conrelid = {oid}
                AND c.attrelid = conrelid AND c.attnum = k.child AND p.attrelid = confrelid AND p.attnum = k.parent""")
            tables[name] = {'kind': kind, 'comment': comment, 'keys': sorted((c, t.strip('"'), p) for c, t, p in keys),
                            'columns': [(n, t, null == 't', pk == 't', text) for n, t, null, pk, text in columns]}
        return tables
