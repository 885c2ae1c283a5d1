"""matrix.py - what the parts of the engine matrix share: projects, calls, columns, results.

A column is a file columns/<driver>.py with a class Column, for a row of project/config/drivers.def; the class below says
what it has to provide.  A part is a file parts/<name>.py with TITLE and run(columns, results): it does the same on every
column and records one cell a row and column with results.check() or results.counts().  The docstrings of parts and these
cells are docs/engines.md (table.py).  engines.py runs a part.
"""
import concurrent.futures, contextlib, csv, importlib.util, io, json, os, re, shutil, sqlite3, subprocess, sys, tempfile, time
import urllib.error, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
VERSION = '2026-07-28'
META = {'io.modelcontextprotocol/protocolVersion': VERSION, 'io.modelcontextprotocol/clientCapabilities': {}}
QUICK = {'connectivity': {'sql_per_min': 1000000, 'requests_per_min': 1000000, 'global_per_min': 1000000}}


def module(path):
    name = 'engines_' + re.sub(r'\W', '_', os.path.relpath(path, HERE))
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def drivers():
    """Names of the rows of project/config/drivers.def, with how people write them, as their folders say."""
    with open(os.path.join(SOURCE, 'project/config/drivers.def'), encoding='utf-8') as f:
        names = re.findall(r'^DRIVER\((\w+)\)', f.read(), re.M)
    made = []
    for name in names:
        with open(os.path.join(SOURCE, 'workers/sql', name, name + '_driver.c'), encoding='utf-8') as f:
            made.append((name, re.search(r'\.display = "([^"]*)"', f.read()).group(1)))
    return made


class Number(float):
    """A number of JSON that kept its digits."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


def loads(text):
    return json.loads(text, parse_float=Number)


def dumps(value):
    """JSON with every number as it was read."""
    if isinstance(value, dict):
        return '{%s}' % ','.join('%s:%s' % (dumps(k), dumps(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return '[%s]' % ','.join(map(dumps, value))
    return value.text if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def native_rows(text):
    """Rows of an engine's own client: CSV in which a bare \\N is NULL."""
    return [[None if v == '\\N' else v for v in row or ['']] for row in csv.reader(io.StringIO(text, newline=''))]


class Column:
    """One engine.  Databases are made by name; nothing of a column outlives stop()."""
    name = display = None
    types = {}          # declared types of the portable schemas -> the engine's; see load()
    values = []         # see parts/values.py
    statements = {}     # SQL in the engine's dialect, by what the parts call it

    def available(self):
        """None, or what is missing on this machine to try the engine."""
        return None

    def start(self, scratch):
        self.scratch = scratch

    def stop(self):
        pass

    def run(self, database, script):
        """Run native SQL as the owner of a database; makes the database if need be."""
        raise NotImplementedError

    def query(self, database, sql):
        """Rows of the engine's own client, as texts; NULL is None."""
        raise NotImplementedError

    def connection(self, database):
        """The entry of carrel.yaml for an account that may only read; of a server also with port=, of a proxy before it."""
        raise NotImplementedError

    @contextlib.contextmanager
    def log(self, text):
        """A context that gives a function: how many statements with the text the server got in it; None: no log is asked."""
        yield lambda: None

    def granted(self, database, script):
        """The entry of carrel.yaml for the account that a script of `connection grants … --to least` makes; None: there are none."""
        return None

    def files(self, database):
        """The entry of carrel.yaml for the same tables as files, and which files they are; None: the engine reads none."""
        return None

    def locked(self, database):
        """A context in which another program holds the database, or its table t."""
        raise NotImplementedError

    port = None         # of a server: a function

    def idle(self, database):
        """Whether the server runs nothing for the reader; of a file always."""
        return True

    def literal(self, value):
        if value is None:
            return 'NULL'
        return str(value) if isinstance(value, (int, float)) else "'%s'" % str(value).replace("'", "''")

    def dump(self, database, script):
        """SQL that SQLite and PostgreSQL both read: CREATE TABLE and INSERT."""
        self.run(database, script)

    def own(self, statement):
        """A statement with names in double quotes, as the engine quotes them."""
        return statement

    def model(self, text):
        """A source of a semantic layer written for SQLite, in this engine's dialect."""
        return text

    def type_of(self, declared):
        base = re.match(r'\w*', declared.upper()).group()
        return self.types.get(declared.upper(), self.types.get(base, declared))

    @staticmethod
    def primary(db, table):
        """The primary key of a table of a SQLite file."""
        return db.execute('SELECT name FROM pragma_table_info(?) WHERE pk = 1', (table,)).fetchone()[0]

    def load(self, database, path):
        """The tables, keys and rows of a SQLite file, in this engine's types."""
        db = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
        tables = [t for (t,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")]
        script, keys = [], []
        for table in tables:
            columns = db.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (table,)).fetchall()
            parts = ['"%s" %s%s' % (n, self.type_of(t), ' NOT NULL' if nn or pk else '') for n, t, nn, pk in columns]
            primary = ['"%s"' % n for n, _, _, pk in sorted(columns, key=lambda c: c[3]) if pk]
            if primary:
                parts.append('PRIMARY KEY (%s)' % ', '.join(primary))
            script.append('CREATE TABLE "%s" (%s);' % (table, ', '.join(parts)))
            rows = db.execute('SELECT * FROM "%s"' % table).fetchall()
            for at in range(0, len(rows), 500):
                script.append('INSERT INTO "%s" VALUES %s;' % (
                    table, ',\n'.join('(%s)' % ', '.join(map(self.literal, r)) for r in rows[at:at + 500])))
            for _, _, to, child, parent, *_ in db.execute('SELECT * FROM pragma_foreign_key_list(?)', (table,)):
                keys.append('ALTER TABLE "%s" ADD FOREIGN KEY ("%s") REFERENCES "%s" ("%s");' % (
                    table, child, to, parent or self.primary(db, to)))
        db.close()
        self.run(database, '\n'.join(script + keys))


class Failed(Exception):
    """A call that ended with an error; error is its object, as the client gets it."""

    def __init__(self, error):
        super().__init__(json.dumps(error, ensure_ascii=False)[:600])
        self.error = error if isinstance(error, dict) else {'message': error}


class Project:
    """A project in a directory of its own, and its daemon."""

    def __init__(self, results, name, config, files=()):
        self.programs, self.dir, self.url, self.token = results.programs, os.path.join(results.scratch, name), None, None
        os.makedirs(self.dir)
        self.write('carrel.yaml', json.dumps({**QUICK, **config}))
        for path, text in dict(files).items():
            self.write(path, text)

    def write(self, path, text):
        path = os.path.join(self.dir, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + '~', 'w', encoding='utf-8') as f:
            f.write(text)
        os.replace(path + '~', path)  # as editors do: no reader sees half of it

    def copy(self, source, target=''):
        shutil.copytree(source, os.path.join(self.dir, target), dirs_exist_ok=True, copy_function=shutil.copyfile)
        for folder, _, _ in os.walk(self.dir):
            os.chmod(folder, 0o755)

    def command(self, *arguments, check=True, timeout=120):
        done = subprocess.run([os.path.join(self.programs, 'carrel'), *arguments, '--project-dir', self.dir],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
        if check and done.returncode != 0:
            raise Failed('carrel %s: %s' % (' '.join(arguments)[:200], (done.stderr or done.stdout).strip()[:600]))
        return done

    def json(self, *arguments):
        return loads(self.command(*arguments, '--json').stdout)

    def __enter__(self):
        self.url = self.json('mcp', 'start', '--port', '0')['url']
        return self

    def __exit__(self, *_):
        self.command('mcp', 'stop', check=False)

    def http(self, method, path, body=None, headers=()):
        head = {'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream', **dict(headers)}
        if self.token:
            head['Authorization'] = 'Bearer ' + self.token
        request = urllib.request.Request(self.url[:-len('/mcp')] + path, None if body is None else json.dumps(body).encode(),
                                         head, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode()

    def rpc(self, method, name, params):
        """The result of a request; Failed for an error."""
        status, text = self.http('POST', '/mcp', {'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': {**params, '_meta': META}},
                                 {'MCP-Protocol-Version': VERSION, 'Mcp-Method': method, 'Mcp-Name': name})
        lines = [line.removeprefix('data: ') for line in text.splitlines() if line.startswith(('data: {', '{'))]
        answer = loads(lines[-1]) if lines else {'error': 'HTTP %d: %s' % (status, text[:200])}
        if 'result' not in answer:
            raise Failed(answer['error'])
        return answer['result']

    def call(self, tool, **arguments):
        """What a tool answers; Failed for an error."""
        result = self.rpc('tools/call', tool, {'name': tool, 'arguments': arguments})
        if result.get('isError'):
            raise Failed((result.get('structuredContent') or {}).get('error') or result.get('content'))
        return result.get('structuredContent', result)

    def sql(self, connection, statement, **arguments):
        return self.call('sql_execution', connectionId=connection, sql=statement, **arguments)

    def ontologies(self):
        """Ids by connection."""
        read = self.rpc('resources/read', 'carrel://ontologies', {'uri': 'carrel://ontologies'})
        return {o.get('connectionId') or o['name']: o['id'] for o in json.loads(read['contents'][0]['text'])}

    def ask(self, ontology, question):
        return self.call('ask_question', ontologyId=ontology, question=question)


class Results:
    """Cells of the table: rows of a part, one value a column; and what failed."""

    def __init__(self, part, programs, shared, scratch, verbose):
        self.part, self.programs, self.shared, self.scratch, self.verbose = part, programs, shared, scratch, verbose
        self.cells, self.failures = {}, []
        with open(os.path.join(HERE, 'baseline.json'), encoding='utf-8') as f:
            self.baseline = json.load(f).get(part, {})

    def say(self, *words):
        if self.verbose:
            print(*words, flush=True)

    def put(self, row, column, value):
        self.cells.setdefault(row, {})[column.name] = value

    def fail(self, column, text):
        self.failures.append('%s: %s' % (column.name if isinstance(column, Column) else column, text))
        print('FAILED: %s: %s' % (self.part, self.failures[-1]), flush=True)

    def check(self, row, column, wrong, value='yes'):
        """A cell: value when nothing is wrong, else a failure for each text in wrong."""
        for text in wrong:
            self.fail(column, '%s: %s' % (row, text))
        self.put(row, column, value if not wrong else 'wrong')

    def counts(self, row, column, counts, of):
        """A cell of counts, of which "right" may only grow and "wrong", "bad" and "failed" only shrink, as shares of
        all cases.  The cell says what baseline.json promises; what is better is printed, to be written there."""
        known = self.baseline.get(row, {}).get(column.name)
        better = known is None or any(counts[k] * known['of'] > n * of for k, n in known.items() if k == 'right')
        if known is None:
            self.fail(column, '%s: not in tests/engines/baseline.json' % row)
        for k, n in (known or {}).items():
            now, then = counts.get(k, 0) * known['of'], n * of
            if k != 'of' and (now < then if k == 'right' else now > then):
                self.fail(column, '%s: %d of %d %s; tests/engines/baseline.json promises %d of %d' % (
                    row, counts.get(k, 0), of, k, n, known['of']))
        if better:
            print('%s, %s: better than the baseline: %s' % (row, column.name, json.dumps({**counts, 'of': of})))
        self.put(row, column, '%(right)d of %(of)d right or more, %(wrong)d wrong at most' % known if known else 'unknown')

    def portable(self, name, *scripts):
        """A SQLite file made by scripts, for Column.load()."""
        path = os.path.join(self.scratch, name + '.portable')
        db = sqlite3.connect(path)
        for script in scripts:
            db.executescript(script)
        db.close()
        return path


def write_results(directory, part, what):
    """What a part found; None: its shared cases are not there."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, part + '.json'), 'w', encoding='utf-8') as f:
        json.dump(what, f, ensure_ascii=False, indent=1)


def each(columns, work):
    """work(column) for all columns at once; the values in their order."""
    with concurrent.futures.ThreadPoolExecutor(len(columns)) as pool:
        return list(pool.map(work, columns))


def eventually(what, seconds=30):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = what()
        if value:
            return value
        time.sleep(0.05)
    return None
