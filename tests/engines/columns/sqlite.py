"""columns/sqlite.py - SQLite in the engine matrix."""
import contextlib, os, re, shutil, sqlite3, subprocess

from matrix import Column as Base, native_rows


class Column(Base):
    name, display = 'sqlite', 'SQLite'
    statements = {
        'structure': '''CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, "E-Mail" TEXT UNIQUE,
                limit_eur DECIMAL(10,2) DEFAULT 0 CHECK (limit_eur >= 0), doubled INTEGER AS (id * 2), since DATE);
            CREATE TABLE "Order Lines" (order_id INTEGER, line INTEGER, "customer" INTEGER REFERENCES customers,
                PRIMARY KEY (line, order_id)) WITHOUT ROWID;
            CREATE TABLE returns (a INTEGER, b INTEGER, "größe" REAL, FOREIGN KEY (b, a) REFERENCES "Order Lines" (line, order_id));
            CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER DEFAULT (1 + 2) CHECK (n <> (4)),
                s TEXT DEFAULT 'it''s, )' CONSTRAINT "as (it is)" CHECK (length(s) < 9),
                "a, b" AS (n + length(s)) STORED, UNIQUE (s, n), CHECK (n < 5 AND s <> 'CHECK'));
            CREATE TABLE untyped (a, "select", "quote""d" BLOB);
            CREATE TABLE self (id TEXT PRIMARY KEY NOT NULL, parent TEXT REFERENCES self (id));
            CREATE VIEW open_lines AS SELECT l.order_id, c.name FROM "Order Lines" l JOIN customers c ON c.id = l.customer;''',
        'endless': 'WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g) SELECT count(*) FROM g',
        'slow': '''WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 10000000)
            SELECT 1 FROM (SELECT count(*) AS n FROM g) WHERE n > 0''',
        'writes': ["ATTACH 'other.db' AS o", 'PRAGMA writable_schema = 1', 'VACUUM', "REPLACE INTO kept VALUES (1, 'x')", 'REINDEX',
                   "SELECT writefile('x', 'y')", 'CREATE TEMP TABLE t (a)', 'SAVEPOINT s', "DETACH 'main'", 'ANALYZE'],
        'state': '''SELECT changes(), total_changes(), last_insert_rowid(), (SELECT count(*) FROM sqlite_temp_schema), 'A' LIKE 'a' ''',
        'traces': ['PRAGMA case_sensitive_like = 1', 'PRAGMA query_only = 0', 'SELECT 1 / 0', 'SELECT nothing', 'SELECT abs(-9223372036854775808)',
                   'CREATE TEMP TABLE kept (id)', 'BEGIN', 'WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g) SELECT count(*) FROM g'],
        'catalogues': ['sqlite_schema', 'sqlite_master', 'pragma_table_list', "pragma_table_info('people')", 'sqlite_temp_master', 'dbstat'],
    }
    values = [  # declared type, value, its cell, its type in headerTypes
        ('INTEGER', '-7', '-7', 'INTEGER'),
        ('BIGINT', '9007199254740991', '9007199254740991', 'BIGINT'),
        ('BIGINT', '9223372036854775807', '"9223372036854775807"', 'BIGINT as string'),
        ('REAL', '0.1', '0.1', 'REAL'),
        ('DOUBLE PRECISION', '1e300', '1e+300', 'DOUBLE PRECISION'),
        ('REAL', '9e999', '"Infinity"', 'REAL as string'),
        ('DECIMAL(10,2)', '37.62', '37.62', 'DECIMAL(10,2)'),
        ('NUMERIC', '5', '5', 'NUMERIC'),
        ('NUMERIC', "'12345678901234567890.125'", '1.2345678901234567e+19', 'NUMERIC'),
        ('BOOLEAN', 'TRUE', '1', 'BOOLEAN'),
        ('DATE', "'2024-02-29'", '"2024-02-29"', 'DATE'),
        ('DATETIME', "'2024-03-31 02:30:00.125'", '"2024-03-31 02:30:00.125"', 'DATETIME'),
        ('TIMESTAMP', "'2024-03-31T02:30:00+02:00'", '"2024-03-31T02:30:00+02:00"', 'TIMESTAMP'),
        ('VARCHAR(3)', "'more than three'", '"more than three"', 'VARCHAR(3)'),
        ('TEXT', "'Größe 漢字 😀'", '"Größe 漢字 😀"', 'TEXT'),
        ('TEXT', "''", '""', 'TEXT'),
        ('TEXT', "CAST(x'C328' AS TEXT)", '{"base64":"wyg="}', 'TEXT'),
        ('TEXT', "'12.50'", '"12.50"', 'TEXT'),
        ('BLOB', "x'00FF'", '{"base64":"AP8="}', 'BLOB'),
        ('JSON', '\'{"b": 1, "a": [1.50]}\'', '"{\\"b\\": 1, \\"a\\": [1.50]}"', 'JSON'),
        ('', "'as it is'", '"as it is"', None),
    ]

    def path(self, database):
        return os.path.join(self.scratch, database + '.db')

    def client(self, database, script, *options):
        done = subprocess.run(['sqlite3', '-bail', *options, self.path(database)], input=script, capture_output=True, text=True, errors='backslashreplace')
        if done.returncode != 0:
            raise RuntimeError('sqlite3: %s' % done.stderr.strip()[:400])
        return done.stdout

    def run(self, database, script):
        self.client(database, script)

    def query(self, database, sql):
        return native_rows(self.client(database, sql, '-csv', '-nullvalue', '\\N'))

    def connection(self, database):
        return {'driver': 'sqlite', 'path': self.path(database)}

    @contextlib.contextmanager
    def locked(self, database):
        db = sqlite3.connect(self.path(database), isolation_level=None)
        db.execute('BEGIN EXCLUSIVE')
        yield
        db.execute('ROLLBACK')
        db.close()

    def load(self, database, path):
        shutil.copyfile(path, self.path(database))

    def catalogue(self, database):
        """Tables by name, as parts/structure.py compares them."""
        tables = {}
        for name, kind in self.query(database, """SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')
                AND name <> 'sqlite_sequence';"""):
            quoted = self.literal(name)
            columns = self.query(database, f'SELECT name, type, "notnull", pk FROM pragma_table_xinfo({quoted});')
            keys = self.query(database, f"""SELECT "from", "table", coalesce("to", (SELECT name FROM pragma_table_info("table") i
                WHERE i.pk = seq + 1)) FROM pragma_foreign_key_list({quoted});""")
            made = self.query(database, f"SELECT sql FROM sqlite_schema WHERE name = {quoted};")[0][0]
            # The catalogue has no expressions of these but in the text of the statement.
            texts = {word: re.findall(word + r' \(((?:[^()]|\([^()]*\))*)\)', made) for word in ('AS', 'CHECK')}
            origins = self.query(database, f'SELECT name, dflt_value, hidden, pk FROM pragma_table_xinfo({quoted});')
            generated = iter(texts['AS'])
            unique = self.query(database, f"""SELECT l.name, i.name
                FROM pragma_index_list({quoted}) l, pragma_index_info(l.name) i WHERE l.origin = 'u' ORDER BY l.name, i.seqno;""")
            rowid = self.query(database, f"SELECT wr FROM pragma_table_list({quoted});")[0][0] == '0'
            tables[name] = {
                'kind': kind, 'comment': None, 'keys': sorted(map(tuple, keys)), 'checks': sorted(texts['CHECK']),
                'unique': sorted([c for key, c in unique if key == index] for index in {key for key, _ in unique}),
                'origins': [(n, default, next(generated) if hidden in '23' else None,
                             'by default' if pk != '0' and ' AUTOINCREMENT' in made else None)
                            for n, default, hidden, pk in origins],
                # An INTEGER PRIMARY KEY is the rowid and is never NULL; the engine lets any other key be NULL unless it says not.
                'columns': [(n, t, nn == '0' and not (pk != '0' and (t == 'INTEGER' or not rowid)), pk != '0', None)
                            for n, t, nn, pk in columns]}
        return tables
