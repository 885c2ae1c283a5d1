"""Column policies and published datasets, with the same statements on every engine. Whatever way a statement reaches a
hidden, masked or hashed column, it is refused or shows nothing of it, and the engines agree: rows, masks and digests are the
same. The holder of a token sees the published table alone."""
import json, os, random, re

import matrix

TITLE = 'Column policies and datasets'
SETUP = """CREATE TABLE people (id integer PRIMARY KEY, name text, ssn text, email text, phone text, city text);
INSERT INTO people VALUES (1, 'Ada', 'CANARY-1', 'CANARY-a@x.example', 'CANARY 30', 'Bern'),
    (2, 'Bob', 'CANARY-2', NULL, 'CANARY 31', 'Köln'), (3, 'Cyd', NULL, 'CANARY-c@x.example', NULL, NULL);
CREATE TABLE leads (id integer PRIMARY KEY, phone text DEFAULT 'CANARY-d', ssn text DEFAULT 'CANARY-e' CHECK (ssn <> 'CANARY-f'));
INSERT INTO leads VALUES (1, 'CANARY 31', 'CANARY-2'), (2, 'CANARY 99', 'CANARY-9');
CREATE TABLE salaries (id integer PRIMARY KEY, pay integer);
INSERT INTO salaries VALUES (1, 10), (2, 20);
CREATE TABLE agreements (ssn varchar(20), no integer, label varchar(20), PRIMARY KEY (ssn, no));
CREATE TABLE dues (id integer PRIMARY KEY, ssn varchar(20), no integer, label varchar(20), UNIQUE (ssn, label),
    FOREIGN KEY (ssn, no) REFERENCES agreements (ssn, no));
CREATE VIEW contacts AS SELECT id, name, email, phone FROM people;
CREATE VIEW known AS SELECT p.name FROM people p WHERE p.ssn IS NOT NULL;
CREATE VIEW counted AS SELECT count(p.ssn) AS n FROM people p;"""
POLICY = {'hide': ['*.ssn'], 'mask': ['people.email'], 'hash': ['*.phone']}
STATEMENTS = [
    'SELECT * FROM people ORDER BY id', 'SELECT ssn FROM people', 'SELECT p.ssn FROM people p', 'SELECT "ssn" FROM people',
    'SELECT id FROM people WHERE ssn IS NULL', 'SELECT id FROM people ORDER BY ssn', 'SELECT count(ssn) FROM people',
    'SELECT email, count(*) FROM people GROUP BY email ORDER BY 2', 'SELECT email FROM people ORDER BY id',
    "SELECT id FROM people WHERE email LIKE 'CANARY%'", 'SELECT id FROM people WHERE email IS NULL', 'SELECT count(email) FROM people',
    'SELECT upper(email) FROM people', 
    'SELECT phone FROM people ORDER BY id', 'SELECT phone, count(*) FROM people GROUP BY phone ORDER BY count(*), phone',
    'SELECT p.name FROM people p JOIN leads l ON l.phone = p.phone', 
    'SELECT p.name FROM people p JOIN leads l ON l.ssn = p.ssn', 'SELECT * FROM contacts ORDER BY id', 
    'WITH x AS (SELECT * FROM people) SELECT * FROM x ORDER BY id', 'WITH x(a, b, c, d, e) AS (SELECT * FROM people) SELECT c FROM x',
    'SELECT x.email FROM (SELECT email, id FROM people) x ORDER BY x.id', 'SELECT (SELECT email FROM people WHERE id = 1)',
    'SELECT (SELECT ssn FROM people WHERE id = 1)', 'SELECT name FROM people UNION ALL SELECT ssn FROM people',
     'SELECT name FROM people WHERE EXISTS (SELECT 1 FROM leads WHERE leads.ssn = people.ssn)',
    'SELECT CASE WHEN email IS NULL THEN 0 ELSE 1 END FROM people ORDER BY id', 
    "SELECT CASE WHEN ssn = 'CANARY-1' THEN 1 END FROM people", 'SELECT CAST(email AS integer) FROM people',
    'SELECT min(email) OVER () FROM people', 
    'SELECT city, count(*) FROM people GROUP BY city ORDER BY count(*), city', 'SELECT a.email FROM people a JOIN people b ON a.id = b.id ORDER BY a.id',
    'SELECT * FROM people a JOIN leads USING (ssn)', 'SELECT * FROM people NATURAL JOIN leads', 'SELECT DISTINCT email FROM people ORDER BY 1',
    'SELECT * FROM known', 'SELECT * FROM counted',
]
# Masks and digests are of different types: PostgreSQL refuses by type what SQLite computes from the digest, and the other
# way round.  Nothing may be shown either way.
OWN_WAYS = [
    "SELECT email || '' FROM people", "SELECT coalesce(email, 'none') FROM people", 'SELECT length(phone) FROM people',
    'SELECT max(phone) FROM people', "SELECT id FROM people WHERE phone = 'CANARY 30'", 'SELECT CAST(phone AS integer) FROM people',
    'SELECT name FROM people UNION SELECT email FROM people ORDER BY 1',
    'WITH x(a, b, c, d, e, f) AS (SELECT * FROM people) SELECT c FROM x',
]
# A rule that binds the owner, and not the holder of a token with the scopes TOKEN.
SCOPED = {'memory:write': {'hide': ['salaries.pay']}}
TOKEN = 'research:read,research:query'


def keys(project, column):
    """The parts that are told of keys with a hidden column: without it they would be other keys."""
    answer = project.call('entity_details', connectionId=column.name, entities=[{'table': 'agreements'}, {'table': 'dues'}])
    return [part for e in answer['results'] for part in (
        *(c['name'] for c in e['columns'] if c['primaryKey'] and c['name'] != 'id'), *e['foreignKeys'],
        *(i for i in e.get('indexes', []) if i['columns'] != ['id']))]


def outcome(call):
    try:
        return json.dumps(call()['rows'], ensure_ascii=False)
    except matrix.Failed as e:
        return str(e.error.get('code'))


def alternates(project, columns, wrong):
    """Callers that see different columns, in turns."""
    project.command('connectivity', 'enable')
    secret = project.json('token', 'create', '--label', 't', '--scopes', TOKEN)['secret']
    for token, expected in ((None, 'refused'), (secret, '[[10], [20]]')) * 2:
        project.token = token
        for column in columns:
            text = outcome(lambda: project.sql(column.name, 'SELECT pay FROM salaries ORDER BY id'))
            if (text if text.startswith('[') else 'refused') != expected:
                wrong[column.name].append('a column that is hidden from some: %s for %s' % (text, expected))
    project.token = None


def least(project, columns, results, wrong):
    """The account of `connection grants` serves the same; of a masked column it is not told what is NULL."""
    digest = re.compile('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}')
    plain = lambda text: digest.sub('digest', text).replace('null', '"***"')
    granted = {c.name: c.granted('policies', project.command('connection', 'grants', c.name, '--to', 'least').stdout)
               for c in columns if type(c).granted is not matrix.Column.granted}
    other = matrix.Project(results, 'granted', {'connections': {n: {**entry, 'columns': POLICY} for n, entry in granted.items()}})
    for column in (c for c in columns if c.name in granted):
        with column.log('FROM information_schema.VIEWS') as asked:
            other.command('scan', column.name)
            if asked() not in (None, 1):
                wrong[column.name].append('a scan asks %d times for the views' % asked())
    with other:
        for column in (c for c in columns if c.name in granted):
            for statement in [s for s in STATEMENTS if 'email IS' not in s and '(email' not in s]:
                text, expected = (plain(outcome(lambda: p.sql(column.name, column.own(statement)))) for p in (other, project))
                if statement not in column.statements.get('ungranted', ()) and text != expected and (text + expected).find('[') >= 0:
                    wrong[column.name].append('the account of connection grants: %s: %s for %s' % (statement, text, expected))
            tested = other.command('connection', 'test', column.name, '--json').stdout
            if '"accountReadsCount":0' not in tested or 'REFERENCES' in tested:
                wrong[column.name].append('the account of connection grants: %s' % tested)


DRAWN = 200     # statements


def draw(lot, parts):
    """A statement of the parts, which name a relation with the columns that it has, functions, and ends."""
    relation, names = lot.choice(parts['relations'])
    listed = [lot.choice(parts['functions']) % lot.choice(names) for _ in range(lot.choice((1, 1, 2, 3)))]
    statement = 'SELECT %s FROM %s %s' % (', '.join(listed), relation, lot.choice(parts['ends']) % lot.choice(names))
    return lot.choice(parts['around']) % statement


def drawn(results, column):
    """Two databases that differ in protected values alone: whatever is asked of them, they say the same."""
    parts, scratch, wrong, answered, connections = column.statements['drawn'], column.scratch, [], 0, {}
    for which in ('one', 'other'):
        lot = random.Random(which)
        secret = lambda without: column.literal(None if without else 'CANARY%06d' % lot.randrange(10 ** 6))
        rows = ["(%d, 'n%d', %s, %s, %d)" % (i, i % 20, secret(i % 7 == 0), secret(i % 5 == 0), i * 37 % 100) for i in range(200)]
        column.scratch = os.path.join(scratch, 'drawn-' + which)
        os.makedirs(column.scratch)
        column.run('drawn', parts['before'] + 'INSERT INTO people (id, name, ssn, email, n) VALUES %s;' % ', '.join(rows))
        connections[which] = {**column.connection('drawn'), 'columns': {'hide': ['*.ssn'], 'mask': ['*.email']}}
    column.scratch = scratch

    def says(which, statement):
        try:
            return json.dumps(project.sql(which, statement, maxRows=20)['rows'], ensure_ascii=False)
        except matrix.Failed as e:
            return '%s: %s' % (e.error.get('code'), e.error.get('message'))

    project, lot = matrix.Project(results, 'drawn-' + column.name, {'connections': connections}), random.Random(7)
    project.command('scan')
    with project:
        for _ in range(DRAWN):
            statement = draw(lot, parts)
            one, other = (says(which, statement) for which in connections)
            answered += one.startswith('[')
            if one != other or 'CANARY' in one:
                wrong.append('%s says %s, %s' % (statement, one, other))
    if answered < DRAWN / 5:
        wrong.append('only %d of %d drawn statements are answered' % (answered, DRAWN))
    return wrong


def policies(columns, results):
    project = matrix.Project(results, 'policies', {'connections': {
        c.name: {**c.connection('policies'), 'columns': {**POLICY, 'scopes': SCOPED}} for c in columns}})
    project.command('scan', '--deep')
    row, wrong, shown = 'column policies', {c.name: [] for c in columns}, 0
    with project:
        for statement in [*STATEMENTS, *OWN_WAYS]:
            said = {c.name: outcome(lambda: project.sql(c.name, c.own(statement))) for c in columns}
            # The engines' own names for a column that is not there, and their places for NULL, are no difference of the policy.
            plain = {n: 'refused' if not s.startswith('[') else sorted(json.loads(s), key=str) for n, s in said.items()}
            shown += statement in STATEMENTS and plain[columns[0].name] != 'refused'
            for name, text in said.items():
                if 'CANARY' in text:
                    wrong[name].append('%s shows %s' % (statement, text))
            if statement in STATEMENTS and any(p != plain[columns[0].name] for p in plain.values()):
                wrong[columns[-1].name].append('%s: not the same: %s' % (statement, said))
        for column in columns:
            wrong[column.name] += ['a part of a key with a hidden column: %s' % part for part in keys(project, column)]
            for tool, arguments in (('entity_details', {'entities': [{'table': t} for t in ('people', 'leads', 'known', *(['divided'] if 'divided' in column.statements.get('policies', '') else []))]}), ('dictionary_search', {'values': ['CANARY']}),
                                    ('discover_data', {'query': 'CANARY'})):
                answer = json.dumps(project.call(tool, connectionId=column.name, **arguments)).replace('"value": "CANARY"', '')
                if 'CANARY' in answer or '"ssn"' in answer:
                    wrong[column.name].append('%s shows %s' % (tool, answer[:400]))
            for statement, expected in column.statements.get('ways', []):
                text = outcome(lambda: project.sql(column.name, statement))
                if 'CANARY' in text or not text.startswith(expected):
                    wrong[column.name].append('%s shows %s' % (statement, text))
        least(project, columns, results, wrong)
        alternates(project, columns, wrong)
    for column in columns:
        if 'drawn' in column.statements:
            wrong[column.name] += drawn(results, column)
        results.check(row, column, wrong[column.name], '%d statements the same, %d answered' % (len(STATEMENTS), shown))


def datasets(columns, results):
    def work(column):
        project = matrix.Project(results, 'datasets-' + column.name, {'connections': {
            'd': {**column.connection('policies'), 'columns': POLICY}}})
        project.command('scan')
        wrong = []
        with project:
            project.command('connectivity', 'enable')
            head = {'Authorization': 'Bearer ' + project.json('token', 'create', '--label', 'd')['secret']}
            ask = lambda sql: project.http('POST', '/api/v1/ext/sql', {'sql': sql}, head)
            people = project.json('dataset', 'publish', 'd', 'people')['dataset']['table_name']
            status, text = ask('SELECT * FROM %s ORDER BY id' % people)
            if status != 200 or 'Ada' not in text or 'CANARY' in text:
                wrong.append('the published table: %d %s' % (status, text[:300]))
            status, text = ask('SELECT city, count(*) AS n FROM %s GROUP BY city ORDER BY n DESC' % people)
            if status != 200:
                wrong.append('grouped: %d %s' % (status, text[:300]))
            others = ['people', 'leads', 'contacts', 'public.people', 'main.people', '"leads"', *column.statements['catalogues']]
            for other in others:
                for sql in ('SELECT * FROM ' + other, 'SELECT count(*) FROM %s' % other,
                            'SELECT 1 FROM %s a, %s b' % (people, other), 'WITH x AS (SELECT * FROM %s) SELECT * FROM x' % other,
                            'SELECT (SELECT count(*) FROM %s) FROM %s' % (other, people)):
                    status, text = ask(sql)
                    if status not in (400, 404) or 'CANARY' in text:
                        wrong.append('%s: %d %s' % (sql, status, text[:200]))
            for call in column.statements.get('macros', []):
                status, text = ask('SELECT %s FROM %s' % (call, people))
                if status != 400 or 'CANARY' in text:
                    wrong.append('a function of the database, %s: %d %s' % (call, status, text[:200]))
            project.command('dataset', 'unpublish', 'people')
            status, text = ask('SELECT 1 FROM ' + people)
            if status != 404:
                wrong.append('unpublished: %d %s' % (status, text[:200]))
        results.check('published datasets', column, wrong, '1 table seen, %d others not' % len(others))

    matrix.each(columns, work)


def run(columns, results):
    for column in columns:
        column.run('policies', SETUP + column.statements.get('policies', ''))
    policies(columns, results)
    datasets(columns, results)
