"""What a deep scan keeps of values: dictionary_search finds the same values of the same columns on every engine, whatever
their case and accents, says the same of values that are absent, and leaves the same columns out. Of tables that declare no
key it measures which column tells their rows apart: `ask` counts by it, from each engine and from files, and counts no rows of a
table whose names repeat, whose column counts something else, or whose key a column policy hides."""
import json

import matrix

TITLE = 'Dictionary'
TABLE = """CREATE TABLE places (id INTEGER PRIMARY KEY, city TEXT, country VARCHAR(2), kind CHAR(3), code TEXT, opened DATE, rating REAL,
    note TEXT, is_open BOOLEAN);
CREATE TABLE streets (id INTEGER PRIMARY KEY, place_id INTEGER REFERENCES places (id), name TEXT);"""
KEYLESS = """CREATE TABLE rivers (length INTEGER, name TEXT, country TEXT); CREATE TABLE crossings (name TEXT, state TEXT);
CREATE TABLE lakes (id INTEGER, name TEXT, state TEXT); CREATE TABLE births (name TEXT, births INTEGER);
CREATE TABLE isles (isle_id INTEGER, name TEXT); CREATE TABLE agents (agent_no INTEGER, hired TEXT);
CREATE TABLE tolls (toll_code TEXT, state TEXT);"""
POLICY = {'columns': {'hide': ['agents.agent_no'], 'mask': ['tolls.toll_code']}}
# What is asked, and how many there are; None: it is not counted.
COUNTED = {'how many rivers are there': 40, 'number of rivers in country US': 20, 'how many crossings are there': None,
           'how many lakes are there': None, 'how many births are there': None, 'how many isles are there': None,
           'how many agents are there': None, 'how many tolls are there': None}
MEASURED = {'rivers': {'name': 40}, 'crossings': {}, 'lakes': {}, 'births': {}, 'isles': {}, 'agents': {}, 'tolls': {}}
CITIES = ['São Paulo', 'Köln', 'Oslo', 'Muñoz', "L'Aquila", 'New York', '東京', 'A%b_c', 'o"dd', None]
WANTED = ['köln', 'KÖLN', 'Koln', 'sao paulo', 'Munoz', "l'aquila", 'york', '東京', 'A%b', '%', 'o"dd', 'DE', 'abc', 'K1XY', 'note 3',
          'Street 7', '2024', 'absent', 'Osl']


def rows():
    for i in range(1, 121):
        city = CITIES[i % len(CITIES)]
        yield (i, city, ['DE', 'NO', 'BR'][i % 3], ['abc', 'xyz'][i % 2], 'K%dXY' % (i % 4), '2024-%02d-01' % (i % 12 + 1), i % 5 / 2,
               'note %d' % (i % 7), i % 2)


def literal(value):
    return 'NULL' if value is None else "'%s'" % value.replace("'", "''") if isinstance(value, str) else str(value)


def found(project, value):
    result = project.call('dictionary_search', connectionId='d', values=[value])['results'][0]
    return sorted((m['sourceName'], m['columnName'], m['matchedValue'], m['cardinality']) for m in result['matches']), [
        m['reason'] for m in result['misses']]


def keyless():
    """Rivers; the same rivers by state, with and without a number; regions with their births; too few isles; protected keys."""
    for i in range(1, 41):
        yield "INSERT INTO rivers VALUES (%d, 'River %d', '%s');" % (i % 7, i, ['US', 'CA'][i % 2])
        yield "INSERT INTO births VALUES ('Region %d', %d);" % (i, 1000 + i)
        yield "INSERT INTO agents VALUES (%d, '%d');" % (i, i % 5)
        yield "INSERT INTO tolls VALUES ('T%d', 'S%d');" % (i, i % 5)
        yield ''.join("INSERT INTO crossings VALUES ('River %d', 'S%d'); INSERT INTO lakes VALUES (%d, 'Lake %d', 'S%d');" % (
            i, k, 2 * i + k, i, k) for k in range(2))
        if i < 6:
            yield "INSERT INTO isles VALUES (%d, 'Isle %d');" % (i, i)


def counted(project, connection):
    """What is counted, and what entity_details says of keys: (by question, by table)."""
    ontology, answers = project.ontologies()[connection], {}
    for question in COUNTED:
        said = project.ask(ontology, question)
        rows = said['rows']['data'] if said['status'] == 'answered' else [[None]]
        answers[question] = rows[0][0] if rows == [[None]] or any('declares no key' in c for c in said['caveats']) else 'no caveat'
    tables = project.call('entity_details', connectionId=connection, entities=[{'table': t} for t in MEASURED])
    return answers, {e['tableRef']['name']: {c['name']: c['measuredUniqueRows'] for c in e['columns'] if 'measuredUniqueRows' in c}
                     for e in tables['results']}, [e['tableRef']['name'] for e in tables['results'] if any(c['primaryKey'] for c in e['columns'])]


def later(column, project):
    """By the command: a scan of the structure keeps what was measured, a policy made later hides it, a deep scan measures again."""
    told, connection = [], {'d': column.connection('dictionary')}
    column.run('dictionary', "INSERT INTO rivers VALUES (1, 'River 1', 'US');")
    for hidden, scan in ((POLICY, ['scan', 'd']), ({'columns': {'hide': ['rivers.name']}}, None), (POLICY, ['scan', 'd', '--deep'])):
        project.write('carrel.yaml', json.dumps({'connections': {'d': {**connection['d'], **hidden}}}))
        if scan:
            project.command(*scan)
        said = project.command('ask', '--ontology', 'd', 'how many rivers are there', check=False)
        told.append((said.stdout + said.stderr).splitlines()[0])
        if not scan:
            shown = project.command('sl', 'read', 'rivers', check=False), project.command('details', 'rivers', check=False)
            told += ['it is told: ' + s.stdout for s in shown if 'length' not in s.stdout or 'name: name' in s.stdout or 'measured' in s.stdout or
                     '- name\n' in s.stdout]
    return told


def run(columns, results):
    insert = ''.join('INSERT INTO places VALUES (%s);' % ', '.join(map(literal, row)) for row in rows())
    streets = ''.join("INSERT INTO streets VALUES (%d, %d, 'Street %d');" % (i, i % 120 + 1, i % 60) for i in range(1, 301))
    path = results.portable('dictionary', TABLE + KEYLESS + insert + streets + ''.join(keyless()))

    def work(column):
        column.load('dictionary', path)
        ways, files = {'d': column.connection('dictionary')}, column.files('dictionary')
        if files:
            ways['f'] = files[0]
        project = matrix.Project(results, 'dictionary-' + column.name, {'connections': {k: {**v, **POLICY} for k, v in ways.items()}})
        project.command('scan', '--deep')
        with project:
            counts = {way: counted(project, way) for way in ways}
            values = {value: found(project, value) for value in WANTED}
        return values, counts, later(column, project)

    said, counts, told = zip(*matrix.each(columns, work))
    for column, answers in zip(columns, said):
        wrong = ['%r: %s, on %s %s' % (v, a, columns[0].name, said[0][v]) for v, a in answers.items() if a != said[0][v]]
        wrong += ['%r is not found' % v for v in ('köln', 'KÖLN', "l'aquila", '東京', 'o"dd', 'DE', 'abc', 'K1XY') if not answers[v][0]]
        wrong += ['%r is found: %s' % (v, answers[v][0]) for v in ('absent',) if answers[v][0]]
        results.check('values that people look for', column, wrong, '%d the same' % len(WANTED))
    for column, ways, after in zip(columns, counts, told):
        wrong = ['%s: %s' % (way, what) for way, what in ways.items() if what != (COUNTED, MEASURED, [])]
        if after[0] != 'number of rivers: 40' or len(after) != 3 or not all('cannot be counted' in a for a in after[1:]):
            wrong.append('later: %s' % after)
        results.check('keys that a scan measured', column, wrong, 'yes, also over files' if 'f' in ways else 'yes')
