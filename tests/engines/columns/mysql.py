"""columns/mysql.py - MariaDB in the engine matrix: a server of its own, over TLS, with an account that may only read."""
import contextlib, datetime, os, re, sqlite3, subprocess, urllib.parse

from matrix import SOURCE, Column as Base, eventually

MY = os.path.join(SOURCE, 'tests/support/my.sh')
# What the other engines' scripts mean: "names" in double quotes, backslashes as they are.
ZONE = "SET SESSION time_zone = '+00:00';\n"
OWNER = ZONE + "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES', foreign_key_checks = 0;\n"
MOMENT = re.compile(r'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)([+-])(\d\d):?(\d\d)?$')


class Column(Base):
    name, display = 'mysql', 'MariaDB'
    # Texts have a length, since keys are made of them; a TIMESTAMP is a moment, a DATETIME is not.
    types = {'INTEGER': 'BIGINT', 'INT': 'BIGINT', 'REAL': 'DOUBLE', 'TEXT': 'VARCHAR(250)', '': 'VARCHAR(250)', 'NUMERIC': 'DECIMAL(18,3)',
             'MONEY': 'DECIMAL(12,2)', 'TIMESTAMP': 'DATETIME', 'TIMESTAMPTZ': 'TIMESTAMP'}
    statements = {
        'structure': '''CREATE TABLE customers (id integer AUTO_INCREMENT PRIMARY KEY, name varchar(40) NOT NULL, "E-Mail" varchar(80) UNIQUE,
                limit_eur decimal(10,2) DEFAULT 0 COMMENT 'Ümlaut''s limit' CHECK (limit_eur >= 0), doubled integer AS (1 * 2) STORED, since date,
                seen datetime(3) DEFAULT CURRENT_TIMESTAMP(3), tags set('a','b c'), m enum('sad','it''s') NOT NULL DEFAULT 'sad', b bit(3), y year) COMMENT 'Who buys:\\n"all" of them';
            CREATE TABLE "Order Lines" (order_id bigint unsigned, line smallint, "customer" integer REFERENCES customers (id),
                PRIMARY KEY (line, order_id));
            CREATE TABLE returns (a bigint unsigned, b smallint, "größe" float, FOREIGN KEY (b, a) REFERENCES "Order Lines" (line, order_id));
            CREATE TABLE counted (n integer DEFAULT (1 + 2) CHECK (n <> (4)), s varchar(20) DEFAULT 'it''s, )',
                "a, b" integer AS (n + length(s)) VIRTUAL, UNIQUE (s, n), CONSTRAINT "as (it is)" CHECK (length(s) < 9),
                CONSTRAINT less CHECK (n < 5 AND s <> 'CHECK'));
            CREATE TABLE "quote""d" (a uuid, "select" time(2), j json, g geometry, KEY part (j(10)));
            CREATE TABLE self (id char(3) PRIMARY KEY, parent char(3), FOREIGN KEY (parent) REFERENCES self (id));
            CREATE TABLE parted (id integer, at date) PARTITION BY RANGE (year(at)) (PARTITION old VALUES LESS THAN (2024), PARTITION new VALUES LESS THAN MAXVALUE);
            CREATE TABLE kept (id integer) WITH SYSTEM VERSIONING;
            CREATE VIEW open_lines AS SELECT l.order_id, c.name FROM "Order Lines" l JOIN customers c ON c.id = l.customer;''',
        'comment': "ALTER TABLE customers COMMENT = 'who bought'",
        'policies': '''CREATE TABLE divided (ssn varchar(20), city varchar(20)) PARTITION BY LIST COLUMNS (ssn)
            (PARTITION `p CANARY 1` VALUES IN ('CANARY-1'), PARTITION rest DEFAULT);''',
        'ungranted': ['SELECT * FROM contacts ORDER BY id'],
        'endless': 'SELECT count(*) FROM information_schema.COLLATIONS a, information_schema.COLLATIONS b, information_schema.COLLATIONS c, information_schema.COLLATIONS d',
        'slow': 'WITH RECURSIVE g AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM g WHERE i < 900000) SELECT 1 FROM (SELECT count(*) AS n FROM g) x WHERE n > 0',
        'writes': ["REPLACE INTO kept VALUES (1, 'x')", 'TRUNCATE kept', "SELECT * FROM kept INTO OUTFILE '/tmp/x'", 'SELECT * FROM kept FOR UPDATE',
                   'SELECT * FROM kept LOCK IN SHARE MODE', 'SELECT @a := 1', 'SET sql_mode = \'\'', 'CALL p()', "LOAD DATA INFILE '/etc/passwd' INTO TABLE kept",
                   'HANDLER kept OPEN', 'LOCK TABLES kept WRITE', "SELECT GET_LOCK('x', 1)", 'RENAME TABLE kept TO other', 'CREATE TEMPORARY TABLE t (a int)',
                   'SELECT NEXTVAL(s)', '/*!50000 DELETE FROM kept */', 'SELECT 1 /*! INTO OUTFILE "/tmp/x" */', 'OPTIMIZE TABLE kept', 'ANALYZE SELECT 1',
                   'EXECUTE IMMEDIATE \'DELETE FROM kept\'', 'PREPARE s FROM \'SELECT 1\'', 'DO SLEEP(1)', 'FLUSH TABLES', 'KILL 1'],
        'state': '''SELECT DATABASE(), 7 / 3, 'a' = 'A', TIMESTAMPDIFF(HOUR, UTC_TIMESTAMP(), NOW()), DATE_FORMAT('2024-01-01', '%W'),
            CHARSET('x'), COLLATION('x'), WEEK('2024-01-01'), "text", CURRENT_USER()''',
        'traces': ["SET sql_mode = 'ANSI_QUOTES'", 'SET time_zone = \'+05:00\'', 'SELECT nothing', 'SELECT CAST(-1 AS UNSIGNED) - 1', 'USE mysql', 'BEGIN',
                   'START TRANSACTION READ WRITE', 'ROLLBACK', "SELECT GET_LOCK('x', 1)", 'SET NAMES latin1', 'SELECT 1 UNION SELECT 2 INTO @a',
                   'WITH RECURSIVE g AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM g WHERE i < 90000000) SELECT count(*) FROM g', 'SET @@div_precision_increment = 9'],
        'catalogues': ['mysql.user', 'information_schema.tables', 'information_schema.COLUMNS', 'performance_schema.threads', 'mysql.proc', '`leads`', 'policies.leads', 'DUAL, leads'],
    }
    values = [  # type, value, its cell, its type in headerTypes, and what the client prints where that is another text; {}: bytes
        ('boolean', 'true', '1', 'tinyint'),
        ('smallint', '-32768', '-32768', 'smallint'),
        ('mediumint unsigned', '16777215', '16777215', 'mediumint unsigned'),
        ('integer', '7', '7', 'int'),
        ('bigint', '9007199254740991', '9007199254740991', 'bigint'),
        ('bigint', '-9223372036854775808', '"-9223372036854775808"', 'bigint as string'),
        ('bigint unsigned', '18446744073709551615', '"18446744073709551615"', 'bigint unsigned as string'),
        ('int(6) zerofill', '42', '42', 'int unsigned', '000042'),
        ('decimal(10,2)', '37.50', '37.50', 'decimal'),
        ('decimal(8,2) zerofill', '1.5', '1.50', 'decimal', '000001.50'),
        ('decimal(20,6)', '-0.000001', '-0.000001', 'decimal'),
        ('decimal(17,2)', '123456789012345.67', '"123456789012345.67"', 'decimal as string'),
        ('decimal(65,0)', "'1e40'", '"1' + '0' * 40 + '"', 'decimal as string'),
        ('float', '0.1', '0.1', 'float'),
        ('double', '0.1', '0.1', 'double'),
        ('double', '1e300', '1e+300', 'double'),
        ('varchar(20)', "'Größe 漢字 😀'", '"Größe 漢字 😀"', 'varchar'),
        ('varchar(20)', "''", '""', 'varchar'),
        ('varchar(20) character set latin1', "'Größe €'", '"Größe €"', 'varchar'),
        ('varchar(20) character set utf8mb3', "'Größe 漢'", '"Größe 漢"', 'varchar'),
        ('text character set cp1251', "'Привет'", '"Привет"', 'text'),
        ('char(4)', "'ab'", '"ab"', 'char'),
        ('text', "'12.50'", '"12.50"', 'text'),
        ('blob', "x'00ff'", '{"base64":"AP8="}', 'blob'),
        ('binary(3)', "x'01'", '{"base64":"AQAA"}', 'binary'),
        ('varbinary(3)', "x'fe'", '{"base64":"/g=="}', 'varbinary'),
        ('bit(5)', "b'00101'", '"00101"', 'bit', '{}'),
        ('bit(64)', "b'1" + '0' * 63 + "'", '"1' + '0' * 63 + '"', 'bit', '{}'),
        ('date', "'2024-02-29'", '"2024-02-29"', 'date'),
        ('date', "'0000-00-00'", '"0000-00-00"', 'date with zero dates'),
        ('date', "'2024-00-00'", '"2024-00-00"', 'date with zero dates'),
        ('time(1)', "'838:59:59.5'", '"838:59:59.5"', 'time'),
        ('time', "'-26:00:01'", '"-26:00:01"', 'time'),
        ('datetime(3)', "'2024-03-31 02:30:00.125'", '"2024-03-31 02:30:00.125"', 'datetime'),
        ('datetime', "'0000-00-00 00:00:00'", '"0000-00-00 00:00:00"', 'datetime with zero dates'),
        ('timestamp(3) NULL', "'2024-03-31 02:30:00.5'", '"2024-03-31 02:30:00.500"', 'timestamp'),
        ('year', '2024', '2024', 'year'),
        ("enum('sad','it''s')", "'it''s'", '"it\'s"', 'enum'),
        ("set('a','b')", "'b,a'", '"a,b"', 'set'),
        ('json', '\'{"b": 1, "a": [1.50]}\'', '"{\\"b\\": 1, \\"a\\": [1.50]}"', 'json'),
        ('uuid', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', 'uuid'),
        ('inet6', "'2001:db8::1'", '"2001:db8::1"', 'inet6'),
        ('point', 'POINT(1.5, -2)', '"POINT(1.5 -2)"', 'point', '{}'),
        ('geometry', "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2),POLYGON((0 0,1 0,1 1,0 0)),MULTIPOINT(0.1 2,3 4))')",
         '"GEOMETRYCOLLECTION(POINT(1 2),POLYGON((0 0,1 0,1 1,0 0)),MULTIPOINT(0.1 2,3 4))"', 'geometry', '{}'),
    ]

    def available(self):
        return None if os.path.exists('/usr/sbin/mariadbd') else 'no MariaDB server is installed'

    def start(self, scratch):
        super().start(scratch)
        self.databases = set()
        self.server = os.path.join(scratch, 'mariadb')
        subprocess.run([MY, 'start', self.server], check=True)
        self.client(None, "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'secret'")

    def stop(self):
        subprocess.run([MY, 'remove', self.server], check=True)

    def client(self, database, script, *options):
        done = subprocess.run([MY, 'mysql', self.server, *([database] if database else []), *options], input=script, capture_output=True,
                              text=True, errors='surrogateescape')
        if done.returncode != 0:
            raise RuntimeError('mariadb: %s' % done.stderr.strip()[-400:])
        return done.stdout

    def run(self, database, script):
        if database not in self.databases:
            self.databases.add(database)
            self.client(None, 'CREATE DATABASE `%s`' % database)
            self.client(None, "GRANT SELECT, SHOW VIEW ON `%s`.* TO reader@'127.0.0.1'" % database)
        self.client(database, OWNER + script)

    def query(self, database, sql):
        unescape = lambda text: None if text == 'NULL' else re.sub(r'\\(.)', lambda m: {'n': '\n', 't': '\t', '0': '\0'}.get(m[1], m[1]), text)
        return [[unescape(v) for v in line.split('\t')] for line in self.client(database, ZONE + sql, '--batch', '--skip-column-names').splitlines()]

    def port(self):
        with open(os.path.join(self.server, 'port'), encoding='utf-8') as f:
            return int(f.read())

    @contextlib.contextmanager
    def locked(self, database):
        client = subprocess.Popen([MY, 'mysql', self.server, database, '-e', 'LOCK TABLES t WRITE; SELECT SLEEP(60)'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sleeping = "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"
        rows = eventually(lambda: self.query(database, sleeping))
        yield
        self.client(database, 'KILL %s' % rows[0][0])
        client.wait(30)

    def idle(self, database):
        return self.query(database, "SELECT count(*) FROM information_schema.processlist WHERE user = 'reader' AND command <> 'Sleep'") == [['0']]

    def connection(self, database, port=None, account='reader'):
        path = os.path.join(self.scratch, '%s-%s-%s.my.url' % (database, port, account))
        with open(path, 'w', encoding='utf-8', opener=lambda p, flags: os.open(p, flags, 0o600)) as f:
            f.write('mysql://%s:secret@127.0.0.1:%d/%s' % (account, port or self.port(), urllib.parse.quote(database)))
        return {'driver': 'mysql', 'url': 'file:' + path, 'sslmode': 'verify-full', 'sslrootcert': os.path.join(self.server, 'server.crt')}

    @contextlib.contextmanager
    def log(self, text):
        self.client(None, "SET GLOBAL log_output = 'TABLE', general_log = 1; TRUNCATE mysql.general_log")
        yield lambda: int(self.query('mysql', "SELECT count(*) FROM general_log WHERE argument LIKE '%%%s%%' AND user_host LIKE '%%127.0.0.1%%'" % text)[0][0])
        self.client(None, 'SET GLOBAL general_log = 0')

    def granted(self, database, script):
        self.client(None, script.replace('change-this-password', 'secret'))
        return self.connection(database, account='least')

    def literal(self, value):
        """Quoted, so that the column's type reads it; moments in UTC, since a literal has no zone."""
        moment = MOMENT.match(value) if isinstance(value, str) else None
        if moment:
            offset = datetime.timedelta(hours=int(moment.group(3)), minutes=int(moment.group(4) or 0))
            value = datetime.datetime.fromisoformat(moment.group(1)) - (offset if moment.group(2) == '+' else -offset)
        return super().literal(value)

    def dump(self, database, script):
        """By way of SQLite: texts need a length."""
        path = os.path.join(self.scratch, database + '.dumped')
        db = sqlite3.connect(path)
        db.executescript(script)
        db.close()
        self.load(database, path)

    def own(self, statement):
        return statement.replace('"', '`')

    def model(self, text):
        return re.sub(r'julianday\((\w+)\)', r'to_seconds(\1) / 86400', text)

    def catalogue(self, database):
        """Tables by name, as parts/structure.py compares them; partitions are parts of their table."""
        tables, schema = {}, self.literal(database)
        for name, kind, comment in self.query(database, f"""SELECT table_name, IF(table_type = 'VIEW', 'view', 'table'),
                IF(table_type = 'VIEW' OR table_comment = '', NULL, table_comment) FROM information_schema.tables WHERE table_schema = {schema}"""):
            of = f'table_schema = {schema} AND table_name = {self.literal(name)}'
            columns = self.query(database, f"""SELECT column_name, column_type, is_nullable, column_key, NULLIF(column_comment, ''),
                IF(column_default = 'NULL' OR generation_expression <> '', NULL, column_default), NULLIF(generation_expression, ''),
                IF(extra = 'auto_increment', 'by default', NULL) FROM information_schema.columns WHERE {of} ORDER BY ordinal_position""")
            keys = self.query(database, f"""SELECT column_name, referenced_table_name, referenced_column_name
                FROM information_schema.key_column_usage WHERE {of} AND referenced_table_name IS NOT NULL""")
            unique = self.query(database, f"""SELECT index_name, column_name FROM information_schema.statistics WHERE {of}
                AND non_unique = 0 AND index_name <> 'PRIMARY' ORDER BY index_name, seq_in_index""")
            checks = self.query(database, f"""SELECT check_clause FROM information_schema.check_constraints
                WHERE constraint_schema = {schema} AND table_name = {self.literal(name)}""")
            tables[name] = {'kind': kind, 'comment': comment, 'keys': sorted(map(tuple, keys)), 'checks': sorted(c for c, in checks),
                            'unique': sorted([c for key, c in unique if key == index] for index in {key for key, _ in unique}),
                            'origins': [(n, default, made, identity) for n, _, _, _, _, default, made, identity in columns],
                            'columns': [(n, t, null == 'YES', key == 'PRI', text) for n, t, null, key, text, *_ in columns]}
        return tables
