"""columns/duckdb.py - DuckDB in the engine matrix; its library is a package of npm (tests/package.json)."""
import contextlib, json, os, re, sqlite3, subprocess

from matrix import SOURCE, Column as Base, native_rows

LIBRARY = os.path.join(SOURCE, 'build/bin/libduckdb.so')
CLIENT = os.path.join(SOURCE, 'build/tests/duckdb_client')


class Column(Base):
    name, display = 'duckdb', 'DuckDB'
    types = {'INTEGER': 'BIGINT', 'INT': 'BIGINT', 'REAL': 'DOUBLE', 'DATETIME': 'TIMESTAMP', 'NUMERIC': 'DECIMAL(18,3)', 'MONEY': 'DECIMAL(12,2)'}
    statements = {
        'before values': "CREATE TYPE mood AS ENUM ('sad', 'ok');",
        'structure': '''CREATE TYPE mood AS ENUM ('sad', 'ok');
            CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, "E-Mail" VARCHAR UNIQUE,
                limit_eur DECIMAL(10,2) DEFAULT 0 CHECK (limit_eur >= 0), doubled INTEGER AS (id * 2), since DATE,
                seen TIMESTAMPTZ, tags VARCHAR[], m mood, s STRUCT(a INTEGER, b VARCHAR));
            COMMENT ON TABLE customers IS 'Who buys: "all" of them';
            COMMENT ON COLUMN customers.limit_eur IS 'Ümlaut''s limit';
            CREATE TABLE "Order Lines" (order_id BIGINT, line SMALLINT, "customer" INTEGER REFERENCES customers (id),
                PRIMARY KEY (line, order_id));
            CREATE TABLE returns (a BIGINT, b SMALLINT, "größe" FLOAT, FOREIGN KEY (b, a) REFERENCES "Order Lines" (line, order_id));
            CREATE SEQUENCE numbers;
            CREATE TABLE counted (id INTEGER DEFAULT nextval('numbers'), n INTEGER DEFAULT (1 + 2) CHECK (n <> (4)),
                s VARCHAR DEFAULT 'it''s, )' CONSTRAINT "as (it is)" CHECK (length(s) < 9), e ENUM('check (', 'as (1)'),
                "a, b" INTEGER AS (n + length(s)), UNIQUE (s, n), CHECK (n < 5 AND s <> 'CHECK'));
            CREATE TABLE "quote""d" (a HUGEINT, "select" INTERVAL, j JSON);
            CREATE TABLE self (id VARCHAR PRIMARY KEY, parent VARCHAR REFERENCES self (id));
            CREATE VIEW open_lines AS SELECT l.order_id, c.name FROM "Order Lines" l JOIN customers c ON c.id = l.customer;
            COMMENT ON VIEW open_lines IS 'A view';''',
        'comment': "COMMENT ON TABLE customers IS 'who bought'",
        'endless': 'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE hash(a.range) <> hash(b.range + 1)',
        'slow': 'SELECT 1 FROM (SELECT count(*) AS n FROM range(300000000) t(i) WHERE hash(i) % 7 <> 8) x WHERE n > 0',
        'writes': ["COPY kept TO 'x.csv'", "ATTACH 'other.db' AS o", 'PRAGMA version', 'VACUUM', 'CHECKPOINT', 'TRUNCATE kept',
                   'CREATE TEMP TABLE t (a INTEGER)', "SELECT * FROM read_text('/etc/passwd')", "SET threads = 4", 'ANALYZE',
                   'INSTALL httpfs', 'LOAD parquet', 'CALL pragma_version()', 'PREPARE p AS SELECT 1', "EXPORT DATABASE 'x'",
                   'EXPLAIN ANALYZE DELETE FROM kept', "FROM 'x.parquet'", 'CREATE MACRO m(a) AS a', 'DETACH reading',
                   'COMMENT ON TABLE kept IS NULL', 'USE memory', 'SELECT * FROM force_checkpoint()'],
        'state': '''SELECT (SELECT count(*) FROM duckdb_tables WHERE temporary), (SELECT count(*) FROM duckdb_types WHERE NOT internal),
            'A' = 'a', date_trunc('hour', TIMESTAMPTZ '2024-01-01 00:00:00+00')::VARCHAR, 7 / 2, abs(-1)''',
        'traces': ['SET VARIABLE a = 1', "SET TimeZone = 'Asia/Tokyo'", 'SELECT 1 // 0', 'SELECT nothing', "SELECT 'x'::INTEGER",
                   'CREATE TEMP TABLE kept (id INTEGER)', 'CREATE TEMP MACRO abs(x) AS 5', 'BEGIN', 'ROLLBACK', 'SELECT setseed(0.5)',
                   'SELECT count(*) FROM range(10000000000000) t(i) WHERE hash(i) <> 1', 'SELECT repeat(repeat(\'x\', 100000), 100000)',
                   'PREPARE p AS SELECT 1', 'RESET ALL', 'SET default_collation = NOCASE'],
        # Further ways to a protected column, and how the answer begins.
        'policies': '''CREATE MACRO median(x) AS (SELECT max(ssn) FROM leads);
            CREATE SCHEMA s;
            CREATE TABLE s.deep (id integer, ssn text, loud text AS (upper(ssn)), louder text AS (loud || '!'));
            INSERT INTO s.deep (id, ssn) VALUES (1, 'CANARY-d');
            CREATE VIEW renamed(a, b) AS SELECT id, email FROM policies.main.people;
            CREATE VIEW aaa AS SELECT * FROM renamed;
            CREATE VIEW computed AS SELECT id, upper(email) AS x FROM people;
            CREATE VIEW s.own AS SELECT name AS phone FROM main.people;
            CREATE UNIQUE INDEX by_email ON people (email);
            CREATE TYPE grade AS ENUM ('CANARY 41');
            CREATE TABLE nested (id integer, who STRUCT(x integer, y STRUCT("SSN" VARCHAR)[]), moments MAP(TIMESTAMPTZ, STRUCT(q integer)), m UNION(ssn VARCHAR, i integer));
            INSERT INTO nested VALUES (1, {'x': 1, 'y': [{'SSN': 'CANARY-n'}]}, NULL, 'CANARY-u');
            CREATE VIEW packed AS SELECT id, {'ssn': name} AS pack FROM people;
            CREATE VIEW of_columns AS SELECT column_default FROM duckdb_columns();
            CREATE VIEW of_checks AS SELECT constraint_text FROM duckdb_constraints;
            CREATE VIEW of_types AS WITH pg_class AS (SELECT 1) SELECT enumlabel FROM pg_enum, pg_class;
            CREATE VIEW of_schema AS SELECT data_type FROM information_schema.columns;
            CREATE VIEW of_paths AS SELECT current_setting('temp_directory') || 'CANARY';
            CREATE VIEW of_names AS WITH w AS (SELECT table_name AS n FROM information_schema.tables) SELECT n FROM w WHERE n = 'people';
            USE s; CREATE VIEW near AS SELECT id FROM deep; USE main;''',
        'ways': [
            ('SELECT ssn FROM carrel_file.main.people', 'invalid_sql'),
            ('SELECT ssn FROM carrel_file.people', 'invalid_sql'),
            ('SELECT * FROM policies.people ORDER BY id LIMIT 1', '[[1, "Ada", "***", "'),
            ('SELECT policies.main.people.ssn FROM people', 'forbidden_sql'),
            ('SELECT email FROM main.people WHERE main.people.id = 2', '[[null]]'),
            ('SELECT to_json(p) FROM people p WHERE id = 2', '[["{'),
            ('SELECT unnest(people) FROM people WHERE id = 2', '[[2, "Bob", null'),
            ('SELECT COLUMNS(*) FROM people WHERE id = 3', '[[3, "Cyd", "***", null, null]]'),
            ('SELECT * FROM people AS p(a, b, c, d, e) WHERE a = 2', '[[2, "Bob", null, "'),
            ('SELECT * FROM people AS p(a, b, c, d, e, f)', 'invalid_sql'),
            ("FROM (PIVOT people ON ssn IN ('CANARY-1') USING count(*))", 'forbidden_sql'),
            ('SUMMARIZE people', '[["id", "INTEGER", "1", "3"'),
            ('EXPLAIN SELECT phone FROM people', '[["physical_plan"'), ('SELECT * FROM people USING SAMPLE 1', '[['),
            ('SELECT * FROM s.deep', '[[1]]'), ('SELECT loud FROM s.deep', 'forbidden_sql'),
            ('SELECT louder FROM s.deep', 'forbidden_sql'), ('SELECT * FROM aaa WHERE a = 1', '[[1, "***"]]'),
            ('SELECT b || a FROM aaa', 'forbidden_sql'), ('SELECT * FROM computed', 'forbidden_sql'),
            ('SELECT phone IS NULL FROM s.own WHERE phone IS NOT NULL', '[[false]'),
            ('SELECT CAST(phone AS VARCHAR) FROM s.own ORDER BY phone LIMIT 1', '[["'),
            ("SELECT carrel_digest('CANARY 30')", 'forbidden_sql'), ('SELECT rowid FROM people', 'invalid_sql'),
            ("SELECT stats(ssn) FROM people", 'forbidden_sql'),
            ('SELECT column_default FROM duckdb_columns', 'forbidden_sql'),
            ('SELECT enum_range(NULL::carrel_file.main.grade)', 'forbidden_sql'),
            ("SELECT enum_range(json_transform('null', '\"carrel_file.grade\"'))", 'forbidden_sql'),
            ('FROM information_schema.columns', 'forbidden_sql'), ('DESCRIBE people', '[["id", "INTEGER"'),
            ('SELECT sql FROM duckdb_indexes', 'forbidden_sql'), ('SELECT email::VARIANT FROM people', 'forbidden_sql'),
            ("SELECT 1::VARIANT, 'POINT (1 2)'::GEOMETRY AS g, {'k': 2::BIGNUM} -- as text", '[["1", "POINT (1 2)", "{\'k\': 2}"]]'),
            ('SELECT x FROM (FROM people SELECT phone AS x) WHERE x = x', '[["'),
            ('SELECT who.y FROM nested', 'forbidden_sql'), ('SELECT * FROM nested', '[[1, null]]'), ('SELECT * FROM packed LIMIT 1', '[[1]]'),
            *[('SELECT * FROM ' + view, 'forbidden_sql') for view in ('of_columns', 'of_checks', 'of_types', 'of_schema', 'of_paths')],
            ('SELECT DISTINCT n FROM of_names', '[["people"]]'), ('SELECT * FROM s.near', '[[1]]'),
        ],
        'macros': ['median(id)', 'MEDIAN(id)', 'main.median(id)'],
        # Parts of drawn statements over a database with protected columns.
        'drawn': {
            'before': '''CREATE TABLE people (id integer PRIMARY KEY, name text, ssn text, email text, n integer, g text AS (lower(ssn) || n));
                CREATE TABLE orders (oid integer, pid integer, note text, ssn text);
                INSERT INTO orders SELECT i, i % 200, 'x' || (i % 9), NULL FROM range(300) t(i);
                CREATE INDEX by_ssn ON people (ssn); CREATE INDEX by_email ON people (email);
                CREATE VIEW v AS SELECT * FROM people; CREATE VIEW w(a, b) AS SELECT id, email FROM v;
                CREATE VIEW f AS SELECT id FROM people WHERE ssn > 'CANARY5'; CREATE VIEW o AS SELECT id, name FROM people ORDER BY ssn;''',
            'relations': [
                ('people', ['id', 'name', 'email', 'n', 'people', 'COLUMNS(*)', '#1', 'people.email', 'main.people.n']),
                ('people p', ['p.id', 'p.email', 'n', 'p', 'ssn', 'g', 'rowid', '#3']), ('v', ['id', 'email', 'v.n', 'v', 'ssn']),
                ('w', ['a', 'b', 'w', '#2']), ('f', ['id']), ('o', ['id']),
                ('people p JOIN orders o ON p.id = o.pid', ['p.id', 'email', 'o.note', 'o.ssn']),
                ('people NATURAL JOIN orders', ['id', 'ssn']), ('people JOIN v USING (id)', ['id', 'people.email', 'v.email', 'v.n']),
                ('(SELECT * FROM people) p', ['p.email', 'n', 'p']), ('(SELECT email AS x, id FROM people)', ['x', 'id']),
                ('(SELECT id AS email, email AS id FROM people)', ['email', 'id']), ('(SUMMARIZE people)', ['min', 'column_name']),
                ('people TABLESAMPLE reservoir(9 ROWS) REPEATABLE (3)', ['id', 'email']), ('drawn.people', ['id', 'email', 'n']),
                ('people p, LATERAL (SELECT p.email AS e, p.n AS k)', ['e', 'k', 'p.id'])],
            'functions': ['%s'] * 4 + ['count(%s)', '%s IS NULL', 'upper(%s)', 'max(%s)', 'CAST(%s AS VARCHAR)', 'any_value(%s)', 'list(%s)',
                          'hash(%s)', 'count(DISTINCT %s)', 'to_json(%s)', 'mode(%s)', 'row_number() OVER (ORDER BY %s)', '(SELECT %s)'],
            'ends': ['%.0s'] * 3 + ['%.0sLIMIT 5', '%.0sORDER BY 1', 'ORDER BY %s LIMIT 3', 'WHERE %s IS NULL', "WHERE CAST(%s AS VARCHAR) LIKE 'CANARY5%%'",
                     '%.0sGROUP BY ALL', 'QUALIFY row_number() OVER (ORDER BY %s) < 3', '%.0sUSING SAMPLE reservoir(4 ROWS) REPEATABLE (1)'],
            'around': ['%s'] * 8 + ['SUMMARIZE %s', 'WITH q AS (%s) SELECT * FROM q', 'WITH q AS (%s) SELECT count(*) FROM q', 'SELECT DISTINCT * FROM (%s)'],
        },
        'catalogues': ['duckdb_tables', 'main.duckdb_tables', 'information_schema.tables', 'duckdb_settings()', "'/etc/passwd'",
                       'sqlite_master', 'pg_catalog.pg_class'],
    }
    values = [  # type, value, its cell, its type in headerTypes, and what the client prints where that is another text
        ('BOOLEAN', 'true', 'true', 'BOOLEAN'),
        ('TINYINT', '-128', '-128', 'TINYINT'),
        ('INTEGER', '7', '7', 'INTEGER'),
        ('BIGINT', '9007199254740991', '9007199254740991', 'BIGINT'),
        ('BIGINT', '-9223372036854775808', '"-9223372036854775808"', 'BIGINT as string'),
        ('UBIGINT', '18446744073709551615', '"18446744073709551615"', 'UBIGINT as string'),
        ('HUGEINT', '-170141183460469231731687303715884105728', '"-170141183460469231731687303715884105728"', 'HUGEINT as string'),
        ('UHUGEINT', '340282366920938463463374607431768211455', '"340282366920938463463374607431768211455"', 'UHUGEINT as string'),
        ('DECIMAL(4,1)', '-0.5', '-0.5', 'DECIMAL(4,1)'),
        ('DECIMAL(10,2)', '37.50', '37.50', 'DECIMAL(10,2)'),
        ('DECIMAL(38,10)', '1234567890123456789.5', '"1234567890123456789.5000000000"', 'DECIMAL(38,10) as string'),
        ('FLOAT', '0.1', '0.1', 'FLOAT'),
        ('DOUBLE', '0.1', '0.1', 'DOUBLE'),
        ('DOUBLE', "'-Infinity'", '"-Infinity"', 'DOUBLE as string'),
        ('VARCHAR', "'Größe 漢字 😀'", '"Größe 漢字 😀"', 'VARCHAR'),
        ('VARCHAR', "''", '""', 'VARCHAR'),
        ('VARCHAR', "'12.50'", '"12.50"', 'VARCHAR'),
        ('VARCHAR', "repeat('x', 13)", '"xxxxxxxxxxxxx"', 'VARCHAR'),
        ('BLOB', "'\\x00\\xFF'", '{"base64":"AP8="}', 'BLOB'),
        ('BIT', "'0101011'", '"0101011"', 'BIT'),
        ('DATE', "'2024-02-29'", '"2024-02-29"', 'DATE'),
        ('DATE', "'infinity'", '"infinity"', 'DATE'),
        ('DATE', "'0044-03-15 (BC)'", '"0044-03-15 (BC)"', 'DATE'),
        ('TIME', "'23:59:59.5'", '"23:59:59.5"', 'TIME'),
        ('TIMETZ', "'23:59:59+02:30'", '"23:59:59+02:30"', 'TIME WITH TIME ZONE'),
        ('TIMESTAMP', "'2024-03-31 02:30:00.125'", '"2024-03-31 02:30:00.125"', 'TIMESTAMP'),
        ('TIMESTAMP', "'1969-12-31 23:59:59.9'", '"1969-12-31 23:59:59.9"', 'TIMESTAMP'),
        ('TIMESTAMP', "'0044-03-15 (BC) 01:02:03.5'", '"0044-03-15 (BC) 01:02:03.5"', 'TIMESTAMP'),
        ('TIMESTAMPTZ', "'0044-03-15 (BC) 01:02:03+00'", '"0044-03-15 (BC) 01:02:03+00"', 'TIMESTAMP WITH TIME ZONE'),
        ('TIMESTAMP_S', "'2024-03-31 02:30:00'", '"2024-03-31 02:30:00"', 'TIMESTAMP_S'),
        ('TIMESTAMP_MS', "'2024-03-31 02:30:00.12'", '"2024-03-31 02:30:00.12"', 'TIMESTAMP_MS'),
        ('TIMESTAMP_NS', "'2024-03-31 02:30:00.123456789'", '"2024-03-31 02:30:00.123456789"', 'TIMESTAMP_NS'),
        ('TIMESTAMPTZ', "'2024-03-31 02:30:00+02'", '"2024-03-31 00:30:00+00"', 'TIMESTAMP WITH TIME ZONE'),
        ('INTERVAL', "INTERVAL '1 year 2 months -3 days 04:05:06.7'", '"1 year 2 months -3 days 04:05:06.7"', 'INTERVAL'),
        ('INTERVAL', "INTERVAL '-90 seconds'", '"-00:01:30"', 'INTERVAL'),
        ('UUID', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', 'UUID'),
        ('BIGNUM', "repeat('9', 50)::BIGNUM", '"' + '9' * 50 + '"', 'BIGNUM'),
        ('BIGNUM[]', '[1::BIGNUM, NULL]', '"[1, NULL]"', 'BIGNUM[]'),
        ('JSON', '\'{"b": 1, "a": [1.50]}\'', '"{\\"b\\": 1, \\"a\\": [1.50]}"', 'JSON'),
        ('mood', "'ok'", '"ok"', 'ENUM'),
        ('INTEGER[]', '[1, NULL, 3]', '"[1,null,3]"', 'INTEGER[]', '"[1, NULL, 3]"'),
        ('INTEGER[2]', '[1, 2]', '"[1,2]"', 'INTEGER[2]', '"[1, 2]"'),
        ('BIGINT[]', '[9223372036854775807]', '"[\\"9223372036854775807\\"]"', 'BIGINT[]', '"[9223372036854775807]"'),
        ('STRUCT(a INTEGER, b VARCHAR[])', "{'a': 1, 'b': ['x', 'y\"']}", '"{\\"a\\":1,\\"b\\":[\\"x\\",\\"y\\\\\\"\\"]}"',
         'STRUCT("a" INTEGER, "b" VARCHAR[])', '"{\'a\': 1, \'b\': [x, \'y\\"\']}"'),
        ('MAP(VARCHAR, INTEGER)', "MAP {'k': 1}", '"{\\"k\\":1}"', 'MAP(VARCHAR, INTEGER)', '"{k=1}"'),
        ('UNION(num INTEGER, str VARCHAR)', "'two'::UNION(num INTEGER, str VARCHAR)", '"\\"two\\""', 'UNION("num" INTEGER, "str" VARCHAR)', '"two"'),
    ]

    def available(self):
        """None, or what is missing."""
        return None if os.path.exists(LIBRARY) else 'libduckdb.so is not in the directory of the programs'

    def path(self, database):
        return os.path.join(self.scratch, database + '.duckdb')

    def client(self, database, script, *mode):
        done = subprocess.run([CLIENT, LIBRARY, self.path(database), *mode], input=script, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[:600])
        return done.stdout

    def run(self, database, script):
        self.client(database, script)

    def query(self, database, sql):
        return native_rows(self.client(database, 'SELECT COLUMNS(*)::VARCHAR FROM (%s)' % sql.strip().rstrip(';'), 'read'))

    def connection(self, database):
        return {'driver': 'duckdb', 'path': self.path(database)}

    def files(self, database):
        """Each table as CSV or JSON lines, in turn, where all its types and rows are found again in them, else as Parquet."""
        folder, copies, same, used = os.path.join(self.scratch, database + '-files'), [], [], []
        os.makedirs(folder)
        tables = [t for (t,) in self.query(database, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'")]
        for i, table in enumerate(tables):
            kind, suffix = (('csv', 'csv'), ('json', 'jsonl'))[i % 2]
            path = os.path.join(folder, '%s.%s' % (table, suffix))
            copies += ['COPY "%s" TO \'%s\' (FORMAT %s);' % (table, to, how)
                       for to, how in ((path, kind), (os.path.join(folder, table + '.parquet'), 'parquet'))]
            read = "read_%s('%s', sample_size = -1)" % (kind, path)
            of = [part % what for part in ('(SELECT list(column_name || column_type) FROM (DESCRIBE FROM %s))',
                                           '(SELECT list(x::VARCHAR ORDER BY x::VARCHAR) FROM %s AS x)') for what in (read, '"%s"' % table)]
            same.append("SELECT '%s', %s = %s AND %s IS NOT DISTINCT FROM %s" % (table, *of))
        self.run(database, '\n'.join(copies))
        found = dict(self.query(database, ' UNION ALL '.join(same)))
        for i, table in enumerate(tables):
            suffix = ('csv', 'jsonl')[i % 2] if found[table] == 'true' else 'parquet'
            used.append({'name': table, 'path': os.path.join(folder, '%s.%s' % (table, suffix))})
        return {'driver': 'duckdb', 'files': used}, ', '.join(sorted({u['path'].rsplit('.', 1)[1] for u in used}))

    @contextlib.contextmanager
    def locked(self, database):
        holder = subprocess.Popen([CLIENT, LIBRARY, self.path(database), 'hold'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        holder.stdout.readline()
        yield
        holder.communicate('')

    def load(self, database, path):
        """As the base, but keys stand in CREATE TABLE, behind the tables that they refer to: DuckDB adds none later."""
        db = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
        names = [t for (t,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")]
        keys = {t: db.execute('SELECT * FROM pragma_foreign_key_list(?)', (t,)).fetchall() for t in names}
        tables = []
        while len(tables) < len(names):
            tables += [t for t in names if t not in tables and all(k[2] in tables or k[2] == t for k in keys[t])]
        script = []
        for table in tables:
            columns = db.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (table,)).fetchall()
            parts = ['"%s" %s%s' % (n, self.type_of(t), ' NOT NULL' if nn or pk else '') for n, t, nn, pk in columns]
            primary = ['"%s"' % n for n, _, _, pk in sorted(columns, key=lambda c: c[3]) if pk]
            if primary:
                parts.append('PRIMARY KEY (%s)' % ', '.join(primary))
            for _, _, to, child, parent, *_ in keys[table]:
                parts.append('FOREIGN KEY ("%s") REFERENCES "%s" ("%s")' % (child, to, parent or self.primary(db, to)))
            script.append('CREATE TABLE "%s" (%s);' % (table, ', '.join(parts)))
            rows = db.execute('SELECT * FROM "%s"' % table).fetchall()
            for at in range(0, len(rows), 500):
                script.append('INSERT INTO "%s" VALUES %s;' % (
                    table, ',\n'.join('(%s)' % ', '.join(map(self.literal, r)) for r in rows[at:at + 500])))
        db.close()
        self.run(database, '\n'.join(script))

    def model(self, text):
        return re.sub(r"strftime\('%Y-%m', (\w+)\)", r"strftime(\1, '%Y-%m')", text)

    def catalogue(self, database):
        """Tables by name, as parts/structure.py compares them."""
        tables = {}
        for name, kind, comment in self.query(database, """SELECT table_name, CASE table_type WHEN 'VIEW' THEN 'view' ELSE 'table' END,
                TABLE_COMMENT FROM information_schema.tables WHERE table_schema = 'main'"""):
            quoted = self.literal(name)
            columns = self.query(database, f"""SELECT c.column_name, CASE WHEN data_type LIKE 'ENUM(%' THEN 'ENUM' ELSE data_type END, is_nullable,
                EXISTS (SELECT 1 FROM information_schema.key_column_usage k JOIN information_schema.table_constraints t
                    USING (table_name, constraint_name) WHERE t.constraint_type = 'PRIMARY KEY' AND k.table_name = c.table_name
                    AND k.column_name = c.column_name), COLUMN_COMMENT
                FROM information_schema.columns c WHERE table_name = {quoted} ORDER BY ordinal_position""")
            keys = self.query(database, f"""SELECT unnest(constraint_column_names), referenced_table, unnest(referenced_column_names)
                FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' AND table_name = {quoted}""")
            origins = self.query(database, f"""SELECT column_name, column_default FROM duckdb_columns()
                WHERE table_name = {quoted} ORDER BY column_index""")
            # The catalogue tells a generated column from one with a default only in the statement that it writes.
            made = self.query(database, f"SELECT coalesce(max(sql), '') FROM duckdb_tables() WHERE table_name = {quoted}")
            generated = [n.strip('"') for n in re.findall(r'(\w+|"[^"]*") INTEGER GENERATED ALWAYS', made[0][0])]
            rules = self.query(database, f"""SELECT constraint_type, expression, to_json(constraint_column_names)
                FROM duckdb_constraints() WHERE table_name = {quoted}""")
            tables[name] = {'kind': kind, 'comment': comment, 'checks': sorted(e for t, e, _ in rules if t == 'CHECK'),
                            'unique': sorted(json.loads(c) for t, _, c in rules if t == 'UNIQUE'),
                            'origins': [(n, None, d, None) if n in generated else (n, d, None, None) for n, d in origins],
                            'keys': sorted(map(tuple, keys)),
                            'columns': [(n, t, nullable == 'YES', key == 'true', said) for n, t, nullable, key, said in columns]}
        return tables
