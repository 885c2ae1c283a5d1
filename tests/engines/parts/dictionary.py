"""What a deep scan keeps of values: dictionary_search finds the same values of the same columns on every engine, whatever
their case and accents, says the same of values that are absent, and leaves the same columns out."""
import matrix

TITLE = 'Dictionary'
TABLE = """CREATE TABLE places (id INTEGER PRIMARY KEY, city TEXT, country VARCHAR(2), kind CHAR(3), code TEXT, opened DATE, rating REAL,
    note TEXT, is_open BOOLEAN);
CREATE TABLE streets (id INTEGER PRIMARY KEY, place_id INTEGER REFERENCES places (id), name TEXT);"""
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


def run(columns, results):
    insert = ''.join('INSERT INTO places VALUES (%s);' % ', '.join(map(literal, row)) for row in rows())
    streets = ''.join("INSERT INTO streets VALUES (%d, %d, 'Street %d');" % (i, i % 120 + 1, i % 60) for i in range(1, 301))
    path = results.portable('dictionary', TABLE + insert + streets)

    def work(column):
        column.load('dictionary', path)
        project = matrix.Project(results, 'dictionary-' + column.name, {'connections': {'d': column.connection('dictionary')}})
        project.command('scan', '--deep')
        with project:
            return {value: found(project, value) for value in WANTED}

    said = matrix.each(columns, work)
    for column, answers in zip(columns, said):
        wrong = ['%r: %s, on %s %s' % (v, a, columns[0].name, said[0][v]) for v, a in answers.items() if a != said[0][v]]
        wrong += ['%r is not found' % v for v in ('köln', 'KÖLN', "l'aquila", '東京', 'o"dd', 'DE', 'abc', 'K1XY') if not answers[v][0]]
        wrong += ['%r is found: %s' % (v, answers[v][0]) for v in ('absent',) if answers[v][0]]
        results.check('values that people look for', column, wrong, '%d the same' % len(WANTED))
