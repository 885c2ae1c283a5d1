"""Two databases that differ in hidden and masked values alone are asked the same, by every way in: statements, queries of the
semantic layer, questions, the dictionary, search, details, sources, a team's tools and the values of their parameters,
published datasets over REST, files of results, resources. What is asked is drawn, with protected values of one database in
it. Both answer the same, errors included, no answer shows a protected value, and no file that a deep scan writes has one.
A worker that is asked again and again stays as large as it was."""
import itertools, json, os, random, re, shutil, urllib.error, urllib.request

import matrix

TITLE = 'Every way in'
# Statements between two looks at the memory of workers; how many calls of each engine are drawn; where the drawing begins.
ASKED = 600
CALLS, SEED = int(os.environ.get('CARREL_WAYS', 260)), int(os.environ.get('CARREL_WAYS_SEED', 1))
PEOPLE, ORDERS = 60, 120
# Values of protected columns are such, so that they are known wherever they come out.
CANARY = re.compile(r'CANARY\d{5}|(?<!\d)(?:-?7[0-9]{3}7[0-9]{3}7)(?!\d)|(?<!\d)17\d\d-\d\d')
POLICY = {'hide': ['*.ssn', 'orders.secret', 'people.born'], 'mask': ['*.email', '*.salary'], 'hash': ['*.phone']}
TABLES = """CREATE TABLE people (id integer PRIMARY KEY, name varchar(40), city varchar(40), ssn varchar(40), email varchar(40),
    phone varchar(40), salary integer, born date, n integer);
CREATE TABLE orders (no integer PRIMARY KEY, person_id integer, amount integer, note varchar(40), secret varchar(40), day date,
    CONSTRAINT of_person FOREIGN KEY (person_id) REFERENCES people (id));
CREATE TABLE accounts (ssn varchar(40), email varchar(40), salary integer, kind varchar(40));
CREATE VIEW contacts AS SELECT id, name, email, phone FROM people;
CREATE VIEW rich AS SELECT id, name FROM people WHERE salary > 750000000;
CREATE VIEW known AS SELECT id, name, city FROM people;
"""
SOURCES = {
    'people': {
        'name': 'people', 'table': 'people', 'grain': ['id'],
        'columns': [{'name': 'id', 'type': 'number'}, {'name': 'name', 'type': 'string'}, {'name': 'city', 'type': 'string', 'synonyms': ['town']},
                    {'name': 'email', 'type': 'string'}, {'name': 'phone', 'type': 'string'}, {'name': 'salary', 'type': 'number', 'synonyms': ['wage']},
                    {'name': 'n', 'type': 'number', 'label': 'points'},
                    {'name': 'domain', 'type': 'string', 'expr': 'lower(email)'}, {'name': 'paid', 'type': 'boolean', 'expr': 'salary IS NOT NULL'}],
        'measures': [{'name': 'headcount', 'expr': 'count(*)'}, {'name': 'points', 'expr': 'sum(n)'}, {'name': 'payroll', 'expr': 'sum(salary)'},
                     {'name': 'mails', 'expr': 'count(email)'}, {'name': 'top', 'expr': 'sum(n)', 'filter': 'salary > 750000000'}],
        'segments': [{'name': 'rich', 'expr': 'salary > 750000000'}, {'name': 'mailed', 'expr': 'email IS NOT NULL'}, {'name': 'many', 'expr': 'n > 30'}]},
    'orders': {
        'name': 'orders', 'table': 'orders', 'grain': ['no'], 'default_time_dimension': 'day',
        'columns': [{'name': 'no', 'type': 'number'}, {'name': 'person_id', 'type': 'number'}, {'name': 'amount', 'type': 'number'},
                    {'name': 'note', 'type': 'string'}, {'name': 'secret', 'type': 'string'}, {'name': 'day', 'type': 'time'}],
        'joins': [{'to': 'people', 'on': 'orders.person_id = people.id', 'relationship': 'many_to_one', 'verbs': ['place']}],
        'measures': [{'name': 'revenue', 'expr': 'sum(amount)', 'unit': 'EUR'}, {'name': 'order_count', 'expr': 'count(*)'}]},
}
FIELDS = ['people.id', 'people.name', 'people.city', 'people.email', 'people.phone', 'people.salary', 'people.n', 'people.domain', 'people.paid',
          'people.ssn', 'people.born', 'orders.note', 'orders.amount', 'orders.secret', 'orders.day', 'orders.person_id', 'contacts.email',
          'accounts.email', 'accounts.kind', 'accounts.salary', 'accounts.ssn', 'contacts.phone', 'known.city']
CLOSED = ['people.email', 'people.phone', 'people.salary']
OPEN = ['people.name', 'people.city', 'people.n', 'orders.note', 'orders.amount', 'accounts.kind', 'known.city']
MEASURES = ['people.headcount', 'people.points', 'people.payroll', 'people.mails', 'people.top', 'orders.revenue', 'orders.order_count']
# What looks at %s, as a condition or as a value; L a literal that may be a protected value of the first database.
CONDITIONS = ['{f} = {L}', '{f} > {L}', '{f} IS NULL', '{f} IS NOT NULL', "{f} LIKE 'CANARY5%'", '{f} IN ({L}, {L})', 'NOT {f} = {L}', '{f} BETWEEN {L} AND {L}',
              'length({f}) > 5', 'coalesce({f}, {L}) = {L}', '{f} = {g}', 'lower({f}) = {L}', 'CASE WHEN {f} = {L} THEN 1 ELSE 0 END = 1', '{o} > 20 OR {f} = {L}',
              'has(orders, {f} = {L})', 'NOT has(people, {f} > {L})', 'number_of(orders, {f} = {L}) >= 1', 'people.n > average_of({f})',
              '{f} = highest_of({f})', '{f} = lowest_of({f}, {g} > {L})', 'people.n = highest_of(people.n, {f} > {L})', 'people.n > average_of(people.n, {f} IS NULL)',
              'orders.amount >= lowest_of(orders.amount, {f} = {L})', 'highest_of({f}) > {L}', 'highest_in(orders.amount, {f})', 'lowest_in({f}, orders.note)', 'highest_in(people.n, {f})', 'NOT lowest_in({f}, people.city)', 'people.id IN (SELECT id FROM people WHERE {b} = {L})',
              'EXISTS (SELECT 1 FROM orders x WHERE x.{b} = {L})', 'max({f}) > {L}', 'count({f}) > 1', 'count(DISTINCT {f}) > 1', 'sum({f}) > 5', '{m} > 10',
              'people.n > (SELECT avg(salary) FROM people)', '{f} || {g} = {L}', 'CAST({f} AS CHAR(20)) > {L}', '{f} - {f} = 0', '({f}) = ({L})']
EXPRESSIONS = ['max({f})', 'min({f})', 'sum({f})', 'avg({f})', 'count({f})', 'count(DISTINCT {f})', 'sum(people.n) FILTER (WHERE {f} = {L})',
               'sum(CASE WHEN {f} > {L} THEN 1 ELSE 0 END)', 'median({f})', 'percentile({f}, 0.5)', '{m} / count({f})', 'max(length({f}))', 'count(*)', '{m} + {m}']
LISTED = ['{b}'] * 5 + ['count({b})', 'count(DISTINCT {b})', 'max({b})', 'upper({b})', '{b} IS NULL', 'CASE WHEN {b} = {L} THEN 1 ELSE 0 END', 'coalesce({b}, {L})',
          '(SELECT max({b}) FROM people)', 'row_number() OVER (ORDER BY {b})', 'max({b}) OVER (PARTITION BY {b})', '{b} = {L}', 'CAST({b} AS CHAR(20))', '*', '1', 'count(*)', 'p.{b}',
          'nullif({b}, {L})', 'length({b})', '{b} || {L}', 'min({b})', 'p.{b} = o.{b}', 'round({b} / 2)', 'EXISTS (SELECT 1 FROM accounts a WHERE a.{b} = {L})']
P, O, A = (['id', 'name', 'city', 'email', 'phone', 'salary', 'n', 'email', 'salary', 'ssn', 'born'], ['no', 'person_id', 'amount', 'note', 'day', 'secret'],
           ['email', 'salary', 'kind', 'ssn'])
FROM = [('people', P), ('people p', P), ('orders', O), ('accounts', A), ('contacts', ['id', 'name', 'email', 'phone']), ('rich', ['id', 'name']), ('known', ['id', 'name', 'city']),
        ('people p JOIN orders o ON o.person_id = p.id', P + O), ('people p JOIN accounts a ON a.{b} = p.{b}', ['p.email', 'kind', 'a.salary', 'n', 'city']), ('people NATURAL JOIN accounts', P),
        ('people JOIN accounts USING ({b})', P), ('(SELECT * FROM people) p', P), ('(SELECT {b}, id FROM people) p', ['id', 'email', 'salary']),
        ('(SELECT email AS name, name AS email, id FROM people) p', ['id', 'name', 'email']), ('(SELECT salary AS n, n AS salary, id FROM people) p', ['n', 'id', 'salary']),
        ('(SELECT id, {b} AS x FROM people UNION ALL SELECT no, note FROM orders) p', ['id', 'x']), ('people p LEFT JOIN orders o ON o.person_id = p.id AND p.{b} = {L}', P + O),
        ('(SELECT {b} AS x, count(*) AS n FROM people GROUP BY 1) p', ['x', 'n']), ('people p CROSS JOIN (SELECT max({b}) AS m FROM people) x', P + ['m'])]
ENDS = [''] * 3 + ['WHERE {b} = {L}', 'WHERE {b} > {L}', 'WHERE {b} IS NULL', 'GROUP BY {b}', 'ORDER BY {b}', 'ORDER BY 1', 'ORDER BY {b} LIMIT 3', 'GROUP BY 1 HAVING max({b}) > {L}', 'LIMIT 5',
                   "WHERE {b} LIKE 'CANARY%'", 'WHERE {b} IN (SELECT {b} FROM accounts)', 'WHERE id IN (SELECT person_id FROM orders WHERE {b} = {L})', 'ORDER BY length({b}), 1', 'ORDER BY CASE WHEN {b} > {L} THEN 0 ELSE 1 END, 1']
AROUND = ['{s}'] * 6 + ['WITH q AS ({s}) SELECT * FROM q', 'WITH q AS ({s}) SELECT count(*) FROM q', 'SELECT count(*) FROM ({s}) q', 'EXPLAIN {s}', 'SELECT 1 WHERE EXISTS ({s})', '{s} UNION SELECT {b} FROM people', 'WITH q(a, b, c, d) AS ({s}) SELECT a FROM q']
QUESTIONS = ['highest {w} of people', 'average {w} per town', 'how many people have the {w} {V}', 'people with the {w} {V}', 'how many people by {w}', 'list of people by {w}', 'the {w} of {N}',
             'people whose {w} is above average', 'people whose {w} is greater than {V}', 'what is the {w} of the person with the most points', 'how many different {w}', 'total {w} in 2025',
             'people without {w}', 'revenue by {w}', 'orders of people with the {w} {V}', 'people in {C} ordered by {w}', 'the person with the highest {w}', 'list the names of people and their {w}',
             'which people have the same {w} as {N}', 'who has {V}', '{V}', 'how many orders have the {w} {V}', 'number of people per {w} in {C}', 'people with a higher {w} than {N}', 'lowest {w} of people in {C}',
             'the three people with the highest {w}', 'people who place orders with the {w} {V}', 'headcount where {w} is {V}', 'share of headcount by {w}', 'points by town']
WORDS = ['salary', 'wage', 'email', 'emails', 'phone', 'ssn', 'born', 'secret', 'points', 'city', 'name', 'domain', 'paid', 'note', 'amount', 'payroll', 'mails', 'rich', 'date of birth', 'kind']
TYPES = {'salary': 'integer', 'n': 'integer', 'born': 'date', 'day': 'date'}
CHOSEN = ['people.city', 'people.email', 'people.salary', 'people.phone', 'people.domain', 'people.ssn', 'people.born', 'orders.secret', 'people.n', 'contacts.email', 'accounts.ssn']
UNSAID = re.compile('elapsed|request_?id|syncId|scanRunId|snapshot|estimatedRows|sqlstate|lastModified|execution_ms|_at$|At$|^url$|receipt')


def tools():
    """A parameter with the values of each dimension, and statements that a value may be compared with."""
    for i, dimension in enumerate(CHOSEN):
        made = {'name': 'by_%d' % i, 'description': 'd', 'connection': 'shop', 'parameters': {'x': {
            'type': TYPES.get(dimension.split('.')[1], 'string'), 'description': 'p', 'values': {'dimension': dimension}}}}
        yield {**made, 'sql': 'SELECT count(*) AS n FROM people WHERE :x IS NOT NULL'}
        yield {**made, 'name': 'query_%d' % i, 'query': {'measures': ['people.headcount'], 'filters': [dimension + ' = :x']}}


def rows(which):
    """INSERTs: open values are those of both databases, protected ones of this."""
    both, own = random.Random(SEED), random.Random('%s %d' % (which, SEED))
    text = lambda without=6: None if own.randrange(6) == 0 and without is None else 'CANARY%05d' % own.randrange(10 ** 5)
    number = lambda: int('7%03d7%03d7' % (own.randrange(1000), own.randrange(1000)))
    day = lambda: '17%02d-%02d-11' % (own.randrange(100), own.randrange(1, 13))
    null = [[both.randrange(5) == 0 for _ in range(6)] for _ in range(ORDERS)]   # of masked columns, to be seen
    people = [(i, 'Name %d' % i, both.choice(['Bern', 'Köln', 'Linz', None]), text(None), None if null[i][0] else text(), both.choice(['CANARY00001', 'CANARY00002', None]),
               None if null[i][1] else number(), day(), both.randrange(60)) for i in range(PEOPLE)]
    orders = [(i, both.randrange(PEOPLE), both.randrange(100), 'note %d' % both.randrange(9), text(None), '2025-%02d-11' % both.randrange(1, 13)) for i in range(ORDERS)]
    accounts = [(own.choice(people)[3], None if null[i][2] else text(), None if null[i][3] else number(), both.choice('abc')) for i in range(40)]
    return {'people': people, 'orders': orders, 'accounts': accounts}


class Asked:
    """What is drawn for one engine."""

    def __init__(self, seed, secrets):
        self.lot, self.secrets = random.Random(seed), secrets

    def value(self):
        lot = self.lot
        return lot.choice([lambda: lot.choice(self.secrets['text']), lambda: lot.choice(self.secrets['text'])[:8], lambda: str(lot.choice(self.secrets['number'])),
                           lambda: lot.choice(self.secrets['day']), lambda: 'Bern', lambda: '17', lambda: 'Name %d' % lot.randrange(PEOPLE)])()

    def literal(self):
        value = self.value()
        return value if value.isdigit() else "'%s'" % value

    def fill(self, text, columns=P):
        lot = self.lot
        draws = {'f': self.field, 'g': self.field, 'o': lambda: lot.choice(OPEN), 'L': self.literal, 'b': lambda: lot.choice(columns), 'm': lambda: lot.choice(MEASURES),
                 'w': lambda: lot.choice(WORDS), 'V': self.value, 'N': lambda: 'Name %d' % lot.randrange(PEOPLE), 'C': lambda: lot.choice(['Bern', 'Köln', 'Linz'])}
        field = {key: draws[key]() for key in 'fg'}
        return re.sub(r'\{(\w)\}', lambda m: field.get(m[1]) or draws[m[1]](), text)

    def field(self):
        return self.lot.choice((FIELDS, OPEN, OPEN, CLOSED, CLOSED)[self.lot.randrange(5)])

    def statement(self):
        lot = self.lot
        relation, columns = lot.choice(FROM if lot.randrange(2) else FROM[:3])
        made = 'SELECT %s FROM %s %s' % (', '.join(lot.choice(LISTED) for _ in range(lot.choice((1, 1, 1, 2, 3)))), relation, lot.choice(ENDS))
        return self.fill(lot.choice(AROUND).replace('{s}', made), columns)

    def query(self):
        lot, some = self.lot, lambda most, what: [what() for _ in range(lot.randrange(most + 1))]
        field = lambda: self.field() if lot.randrange(2) else lot.choice(OPEN[:5])
        made = {'measures': [lot.choice(MEASURES[:2] * 3 + MEASURES) if lot.randrange(3) else {'expr': self.fill(lot.choice(EXPRESSIONS)), 'name': 'x%d' % i} for i in range(lot.choice((1, 1, 2)))],
                'dimensions': some(2, field)[:2 - lot.randrange(2)], 'filters': some(1, lambda: self.fill(lot.choice(CONDITIONS))),
                'segments': some(1, lambda: lot.choice(['people.rich', 'people.mailed', 'people.many'])) if lot.randrange(4) == 0 else [],
                'limit': lot.choice((5, 1000))}
        made['order_by'] = some(1, lambda: lot.choice([*made['dimensions'], *(m if isinstance(m, str) else m['name'] for m in made['measures']), field()]) + lot.choice(['', ' desc']))
        if lot.randrange(4) == 0:
            made['include'] = ['sql', 'plan']
        if lot.randrange(6) == 0:
            made['measures'] = []
        return {k: v for k, v in made.items() if v or k == 'measures'}

    def call(self):
        """A way in, and what is asked by it."""
        lot = self.lot
        way = lot.choice(['sql'] * 6 + ['query'] * 8 + ['ask'] * 4 + ['dictionary', 'discover', 'details', 'source', 'values', 'values', 'tool', 'tool', 'tool', 'dataset', 'dataset', 'dataset_search', 'file', 'file', 'resource'])
        i = lot.randrange(len(CHOSEN))
        typed = {'people.city': lot.choice(['Bern', 'Köln']), 'people.n': str(lot.randrange(60))}.get(CHOSEN[i]) if lot.randrange(2) else None
        typed = typed or self.value()
        given = int(typed) if TYPES.get(CHOSEN[i].split('.')[1]) == 'integer' and typed.isdigit() else typed
        return way, {
            'sql': self.statement, 'query': self.query, 'file': lambda: self.statement() if lot.randrange(2) else self.query(), 'ask': lambda: self.fill(lot.choice(QUESTIONS)),
            'dictionary': lambda: [self.value() for _ in range(3)], 'discover': lambda: lot.choice([self.value, lambda: lot.choice(WORDS)])(), 'dataset_search': self.value,
            'details': lambda: lot.choice(['people', 'orders', 'accounts', 'contacts', 'rich']), 'source': lambda: lot.choice(['people', 'orders', 'accounts', 'contacts', 'rich']),
            'values': lambda: (lot.choice(['by', 'query']) + '_%d' % i, typed[:lot.randrange(9)]), 'tool': lambda: (lot.choice(['by', 'query']) + '_%d' % i, given),
            'dataset': lambda: self.statement(), 'resource': lambda: lot.choice(['carrel://ontologies', 'ontology', 'list', 'templates', 'prompts', *range(20)])}[way]()


def plain(value):
    """Without what differs between any two answers."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if not UNSAID.search(k)}
    return [plain(v) for v in value] if isinstance(value, list) else value


class Way:
    """One of the two projects, asked."""

    def __init__(self, project, which):
        self.project, self.which = project, which

    def prepare(self, connections):
        p = self.project
        p.command('connectivity', 'enable')
        self.datasets = {c: [p.json('dataset', 'publish', c, t, '--name', '%s %s' % (c, t))['dataset'] for t in ('people', 'accounts')] for c in connections}
        self.token = p.json('token', 'create', '--label', 'w')['secret']
        self.ontologies = p.ontologies()

    def rest(self, path, body):
        status, text = self.project.http('POST', '/api/v1/ext/' + path, body, {'Authorization': 'Bearer ' + self.token})
        return [status, matrix.loads(text)]

    def file(self, connection, what):
        p, name = self.project, 'sql_execution' if isinstance(what, str) else 'sl_query'
        result = p.rpc('tools/call', name, {'name': name, 'arguments': {'connectionId': connection, **({'sql': what} if isinstance(what, str) else what)}})
        link = (result.get('_meta') or {}).get('carrel/export')
        if not link:
            return result.get('structuredContent')
        return {form: self.fetched(link['url'][link['url'].index('/export/'):-len('csv')] + form) for form in link['formats']}

    def fetched(self, path):
        try:
            with urllib.request.urlopen(self.project.url[:-len('/mcp')] + path, timeout=90) as answer:
                return answer.read().decode('utf-8', 'backslashreplace')
        except urllib.error.HTTPError as e:
            return [e.code, e.read().decode()]

    def resource(self, connection, what):
        methods = {'list': 'resources/list', 'templates': 'resources/templates/list', 'prompts': 'prompts/list'}
        if what in methods:
            return self.project.rpc(methods[what], '', {})
        if isinstance(what, int):
            listed = [r['uri'] for r in self.project.rpc('resources/list', '', {})['resources'] if '/%s/' % connection in r['uri']]
            uri = listed[what % len(listed)]
            return self.project.rpc('resources/read', uri, {'uri': uri})
        uri = what if what != 'ontology' else 'carrel://ontologies/' + self.ontologies[connection]
        return self.project.rpc('resources/read', uri, {'uri': uri})

    def says(self, connection, way, what):
        p = self.project
        try:
            got = {
                'sql': lambda: p.sql(connection, what), 'query': lambda: p.call('sl_query', connectionId=connection, **what), 'file': lambda: self.file(connection, what),
                'ask': lambda: p.ask(self.ontologies[connection], what), 'dictionary': lambda: p.call('dictionary_search', connectionId=connection, values=what),
                'discover': lambda: p.call('discover_data', connectionId=connection, query=what, limit=50), 'details': lambda: p.call('entity_details', connectionId=connection, entities=[{'table': what}]),
                'source': lambda: p.call('sl_read_source', connectionId=connection, sourceName=what),
                'values': lambda: p.rpc('completion/complete', '', {'ref': {'type': 'ref/resource', 'uri': 'carrel://tools/%s_%s/{x}' % (connection, what[0])}, 'argument': {'name': 'x', 'value': what[1]}}),
                'tool': lambda: p.call('%s_%s' % (connection, what[0]), x=what[1]),
                'dataset': lambda: self.rest('sql', {'sql': re.sub(r'\b(people|accounts)\b(?!\.)', lambda m: self.datasets[connection][m[1] == 'accounts']['table_name'], what)}),
                'dataset_search': lambda: self.rest('search', {'query': what, 'top_k': 20}),
                'resource': lambda: self.resource(connection, what),
            }[way]()
        except matrix.Failed as e:
            got = {'error': e.error}
        text = re.sub(r'\\"(snapshot\\":\{.*?\}|estimatedRows\\":\d+)', '', json.dumps(plain(got), ensure_ascii=False, default=str))
        for d in self.datasets[connection]:
            text = text.replace(d['id'], 'ID').replace(d['table_name'], 'DATASET')
        return text.replace(self.ontologies.get(connection) or 'none', 'ONTOLOGY').replace('ways_b', 'ways_a')


def unsteady(connection, one, other):
    """MariaDB orders rows that are alike in what they are ordered by as its memory lies, so that the same database says now
    one, now the other. There the numbers of rows have to agree."""
    row = re.compile(r'"rows": \[.*?\], "row_?[cC]ount"|"csv": ".*')
    return connection == 'mysql' and row.search(one) and row.sub('', one) == row.sub('', other)


def shows(text, asked):
    """Protected values of an answer that the caller did not say itself."""
    said = json.dumps(asked, ensure_ascii=False)
    return sorted({v for v in CANARY.findall(text) if v not in said})


def written(project, wrong):
    """Of the project's files, what a scan and the daemon wrote."""
    for folder, _, names in os.walk(project.dir):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not name.startswith(('state.db', 'carrel.yaml')) and 'semantic-layer/' not in path[len(project.dir):] or '_schema' in path:
                with open(path, 'rb') as f:
                    found = CANARY.findall(f.read().decode('utf-8', 'replace'))
                if found:
                    wrong.append('%s has %s' % (path[len(project.dir):], sorted(set(found))[:5]))


def resident(project, connection):
    """KiB of the workers of a connection, by their process ids."""
    return {c['pid']: c['memoryKb'] for c in project.json('status')['daemon']['children'] if c['connection'] == connection}


def steady(project, connection):
    """What is wrong with the memory of the workers when the same is asked again and again. Sanitizers keep what is freed."""
    with open(os.path.join(project.programs, 'carrel-front'), 'rb') as f:
        if b'__asan_init' in f.read():
            return []
    ask = lambda n: [project.sql(connection, 'SELECT id, email FROM people WHERE id < 3') for _ in range(n)]
    ask(150)
    before = resident(project, connection)
    ask(ASKED)
    after = resident(project, connection)
    grown = sum(after.get(pid, 0) - size for pid, size in before.items())
    return ['%d statements: its workers were %s, and are %s KiB' % (ASKED, before, after)] if set(after) != set(before) or grown > ASKED * 4 else []


def project_of(results, columns, which):
    connections = {c.name: {**c.connection('ways_' + which), 'columns': POLICY} for c in columns}
    made = [{**t, 'connection': c.name, 'name': '%s_%s' % (c.name, t['name'])} for c in columns for t in tools()]
    project = matrix.Project(results, 'ways-' + which, {'connections': connections, 'tools': made, 'limits': {'export_rows': 100000},
                                                        'connectivity': {**matrix.QUICK['connectivity'], 'in_flight': 100}})
    for c in columns:
        for name, source in SOURCES.items():
            project.write('semantic-layer/%s/%s.yaml' % (c.name, name), json.dumps(source))
    return project


def run(columns, results):
    secrets, ways, wrong, counts = {'text': [], 'number': [], 'day': []}, [], {c.name: [] for c in columns}, {}
    for which in 'ab':
        made = rows(which)
        for table, of in made.items() if which == 'a' else ():
            for value in itertools.chain(*of):
                kind = ('number' if value > 10 ** 6 else None) if isinstance(value, int) else 'text' if 'CANARY' in str(value) else 'day' if str(value).startswith('17') else None
                if kind:
                    secrets[kind].append(value)
        for c in columns:
            c.run('ways_' + which, TABLES + ''.join('INSERT INTO %s VALUES %s;\n' % (t, ', '.join('(%s)' % ', '.join(map(c.literal, r)) for r in of)) for t, of in made.items()))
        project = project_of(results, columns, which)
        if ways:
            os.makedirs(os.path.join(project.dir, '.carrel'), 0o700, exist_ok=True)
            shutil.copy(os.path.join(ways[0].project.dir, '.carrel/signing.key'), os.path.join(project.dir, '.carrel/signing.key'))
        project.command('scan', '--deep')
        for c in columns:
            written(project, wrong[c.name])
        ways.append(Way(project, which))

    def work(column):
        asked, answered = Asked('%s %d' % (column.name, SEED), secrets), {}
        for _ in range(CALLS):
            way, what = asked.call()
            one, other = (w.says(column.name, way, what) for w in ways)
            of = answered.setdefault(way, [0, 0])
            of[0] += 1
            of[1] += '"error"' not in one
            results.say(column.name, way, what, one[:300])
            if one != other and not unsteady(column.name, one, other):
                at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), 0)
                wrong[column.name].append('%s %s: one says …%s, the other …%s' % (
                    way, json.dumps(what, ensure_ascii=False), one[max(0, at - 80):at + 160], other[max(0, at - 80):at + 160]))
            elif shows(one, what):
                wrong[column.name].append('%s %s shows %s: %s' % (way, json.dumps(what, ensure_ascii=False), shows(one, what)[:3], one[:300]))
        counts[column.name] = answered

    with ways[0].project, ways[1].project:
        for w in ways:
            w.prepare([c.name for c in columns])
        matrix.each(columns, work)
        grown = matrix.each(columns, lambda c: steady(ways[0].project, c.name))
    for c, wrong_of_memory in zip(columns, grown):
        results.say(c.name, counts[c.name])
        total, good = (sum(n[i] for n in counts[c.name].values()) for i in (0, 1))
        if good < total / 4:
            wrong[c.name].append('only %d of %d calls were answered: %s' % (good, total, counts[c.name]))
        results.check('protected values', c, wrong[c.name], '%d drawn calls the same' % total)
        results.check('memory of its workers', c, wrong_of_memory, 'steady')
