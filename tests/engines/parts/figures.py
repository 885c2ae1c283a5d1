"""Questions over money, large integers, floats, dates, moments, intervals and missing values. Every figure and every text
of the answers (rows, shares, differences, percentages, narrative, checks, caveats, charts, the HTML page and the drawing) is
the same on each engine, fits the output schema, and is right. Averages and extremes of intervals are asked for on PostgreSQL
and DuckDB, totals on PostgreSQL alone: DuckDB has no sum(INTERVAL), SQLite no intervals. Over a second database, of which only a scan is known: values in several spellings,
names that several rows have, groups without a name, sums of 0, numbers in texts."""
import json, math, re

import matrix

TITLE = 'Figures of answers'
TABLE = """CREATE TABLE sales (id INTEGER PRIMARY KEY, sold_on DATE NOT NULL, sold_at DATETIME NOT NULL, region TEXT, product TEXT NOT NULL,
    price DECIMAL(10,2), cost DECIMAL(12,4) NOT NULL, quantity INTEGER NOT NULL, weight DOUBLE NOT NULL, meter BIGINT NOT NULL,
    fee MONEY, seen TIMESTAMPTZ);"""
SOURCE = """
name: sales
table: sales
grain: [id]
default_time_dimension: sold_on
columns:
  - {name: id, type: number, visibility: internal}
  - {name: sold_on, type: time, role: time, natural_granularity: day}
  - {name: sold_at, type: time, natural_granularity: second}
  - {name: region, type: string}
  - {name: product, type: string}
  - {name: price, type: number, unit: EUR}
  - {name: cost, type: number}
  - {name: quantity, type: number}
  - {name: weight, type: number}
  - {name: meter, type: number}
measures:
  - {name: revenue, expr: sum(price * quantity), unit: EUR, synonyms: [sales value, Umsatz]}
  - {name: total cost, expr: sum(cost * quantity), unit: EUR, synonyms: [Kosten]}
  - {name: margin, expr: revenue - total_cost, unit: EUR}
  - {name: average price, expr: avg(price), unit: EUR}
  - {name: highest price, expr: max(price), unit: EUR}
  - {name: cost per piece, expr: total_cost / pieces, unit: EUR}
  - {name: pieces, expr: sum(quantity)}
  - {name: sale count, expr: count(*), synonyms: [number of sales]}
  - {name: total weight, expr: sum(weight), unit: kg}
  - {name: meter reading, expr: max(meter)}
  - {name: refunds, expr: sum(price), filter: quantity < 0, unit: EUR}
""".replace('total cost', 'total_cost').replace('average price', 'average_price').replace('highest price', 'highest_price').replace(
    'cost per piece', 'cost_per_piece').replace('sale count', 'sale_count').replace('total weight', 'total_weight').replace('meter reading', 'meter_reading')
VISITS = """
name: visits
table: sales
grain: [id]
default_time_dimension: seen
columns:
  - {name: id, type: number, visibility: internal}
  - {name: seen, type: time, role: time, natural_granularity: second}
  - {name: region, type: string}
  - {name: fee, type: number, unit: EUR}
measures:
  - {name: visit_count, expr: count(*), synonyms: [number of visits]}
  - {name: fees, expr: sum(fee), unit: EUR}
  - {name: average_fee, expr: avg(fee), unit: EUR}
"""
# An engine with intervals, and what it answers about them; DuckDB's avg(INTERVAL) is off by some microseconds.
WAITED = [('average wait by region in 2024', ' seconds'), ('longest wait by month in 2024', ' seconds')]
INTERVALS = {'postgres': WAITED + [('total wait by region in 2024', ' seconds'), ('share of total wait by region in 2024', ' %')], 'duckdb': WAITED}
WAITS = """
name: waits
table: sales
grain: [id]
default_time_dimension: sold_on
columns:
  - {name: id, type: number, visibility: internal}
  - {name: sold_on, type: time, role: time}
  - {name: sold_at, type: time}
  - {name: seen, type: time}
  - {name: region, type: string}
measures:
  - {name: total_wait, expr: sum(seen - sold_at), additive: full}
  - {name: average_wait, expr: avg(seen - sold_at)}
  - {name: longest_wait, expr: max(seen - sold_at)}
"""
# A question, and what the reader must be told.
QUESTIONS = [
    ('total revenue in 2024', '1,086.08 EUR'), ('revenue by region in 2024', '543.49 EUR'), ('share of revenue by region in 2024', '22.7 %'),
    ('share of revenue by product in 2024', '45.2 %'), ('revenue 2024 vs 2023', '53.5 %'), ('Umsatz pro Monat 2024', '239,20 EUR'),
    ('revenue by quarter in 2024', None), ('revenue by year from 2023 to 2024', None), ('top 2 products by revenue in 2024', None),
    ('revenue by product and region in 2024', None), ('average price by product in 2024', None), ('highest price by region in 2024', None),
    ('highest price in 2024', '199.99'), ('margin by month in 2024', None), ('margin 2024 vs 2023', '55.4 %'),
    ('cost per piece by product in 2024', None), ('Kosten nach Region 2024', None), ('number of sales by region in 2024', None),
    ('share of number of sales by region in 2024', '%'), ('total weight by product in 2024', None), ('meter reading by region in 2024', None),
    ('meter reading in 2024', '9,007,199,254,740,993'), ('refunds by region in 2024', None), ('revenue in 1999', None), ('revenue 2024 vs 1999', None),
    ('What share of revenue came from North in 2024?', '50.0 %'), ('revenue in North vs South in 2024', '-54.7 %'),
    ('pieces by month in 2023', None), ('revenue in March 2024', '239.20 EUR'), ('revenue by week in March 2024', None),
    ('number of visits by month in 2024', None), ('number of visits on 31 March 2024', '**visit count: 2**'), ('fees by region in 2024', None),
    ('share of fees by region in 2024', '%'), ('fees 2024 vs 2023', '%'), ('fees by month in 2024', None),
    ('average fee by region in 2024', None), ('average fee in 2024', 'EUR'), ('number of visits with fee over 10 in 2024', None),
    ('average price 2024 vs 2023', '35.3 %'), ('Wie hoch war der Umsatz im Jahr 2023?', '707,60 EUR'),
]

CLINIC = """CREATE TABLE insurers (insurer_id INTEGER PRIMARY KEY, name TEXT, form TEXT);
CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, name TEXT, city TEXT, weight TEXT, fee TEXT, plan TEXT, insurer_id INTEGER REFERENCES insurers);
CREATE TABLE "case" (case_id INTEGER PRIMARY KEY, title TEXT, points INTEGER, patient_id INTEGER REFERENCES patients);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients, visited_on DATE, cost DECIMAL(10,2), status TEXT);"""
CLINIC_ROWS = """INSERT INTO insurers VALUES (1,'Nordkasse','AG'),(2,'Westkasse','ag'),(3,'Landkasse','GmbH');
INSERT INTO patients VALUES (1,'Ada Stern','Köln','70 kg','1,200','basic',1),(2,'Ben Wolf','köln','9 kg','95',NULL,1),(3,'Cleo Rau','Bonn','101 kg','800','',2),
    (4,'Dan Abel','Bonn','88 kg','2,100.50',NULL,3),(5,'Ada Stern','Essen','60 kg','15','full',1);
INSERT INTO "case" VALUES (1,'Broken arm',3,1),(2,'Sprained arm',9,3),(3,'Fever',9,3),(4,'Jäger''s cough',1,NULL);
INSERT INTO visits VALUES (1,1,'2024-01-05',10,'done'),(2,5,'2024-02-05',20,'Done'),(3,2,'2024-03-05',0,'open'),(4,3,'2025-04-05',-5,'void'),(5,3,'2025-05-05',5,'DONE ')"""
# A question, its rows (None: it is not answered), and what a caveat says; no other caveat says "found" or "have the name".
NAMES = [
    ('how many patients are from Köln', [[2]], ''), ('Wie viele Patienten wohnen in Köln?', [[2]], ''), ('list insurers with form ag', [['Nordkasse'], ['Westkasse']], ''),
    ('list insurers with form not AG', [['Landkasse']], ''), ('how many visits have status done', [[3]], ''),
    ('which plan has the most patients', [['basic', 1], ['full', 1]], 'not ranked'), ('which insurer has the fewest patients', [['Landkasse', 1], ['Westkasse', 1]], ''),
    ('number of visits by status', [['DONE ', 1], ['Done', 1], ['done', 1], ['open', 1], ['void', 1]], 'spelling'), ('most common status of visits', None, ''),
    ('total cost of visits with status open', [[0]], ''), ('total cost of visits in 2025', [[0]], ''), ('total cost of visits of Ada Stern', [[30]], '2 rows of patients have the name'),
    ('how many visits of Ada Stern', [[2]], '2 rows of patients have the name'), ('how many visits of Ben Wolf', [[1]], ''),
    ('list patients sorted by weight', [['Ben Wolf', '9 kg', 2], ['Ada Stern', '60 kg', 5], ['Ada Stern', '70 kg', 1], ['Dan Abel', '88 kg', 4], ['Cleo Rau', '101 kg', 3]], ''),
    ('list patients sorted by fee', None, ''), ('how many cases are there', [[4]], ''), ('which patients have no cases', [['Ada Stern'], ['Ben Wolf'], ['Dan Abel']], ''),
    ('list the cases whose title contains arm', [['Broken arm'], ['Sprained arm']], ''), ('how many cases have a title that contains "a"', [[2]], ''),
    ('list the cases whose title contains "ä"', [["Jäger's cough"]], ''), ('list the cases whose title starts with JÄ', [["Jäger's cough"]], ''),
    ('list the cases whose title does not contain Ä', [['Broken arm'], ['Fever'], ['Sprained arm']], ''), ('list the cases whose title contains "o_e"', [], 'found'),
    ('list the cases whose title contains "n%m"', [], 'found'),
    ('list the cases whose title does not start with B', [["Fever"], ["Jäger's cough"], ['Sprained arm']], ''), ('list the titles of cases whose title ends in arm', [['Broken arm'], ['Sprained arm']], ''),
    ('how many patients are neither from Köln nor from Essen', [[2]], 'left out'), ('list the first 2 cases ordered by points', [["Jäger's cough", 1], ['Broken arm', 3]], ''),
    ('list cases sorted by points descending and title', [['Fever', 9], ['Sprained arm', 9], ['Broken arm', 3], ["Jäger's cough", 1]], ''),
    ('show the cases of the patient with the highest fee', None, ''),
    ('list the patients whose case title is Fever', [['Cleo Rau']], ''), ('list the patients with case points over 5', [['Cleo Rau']], ''),
    ('list the title and city of the cases', [['Broken arm', 'Köln'], ['Fever', 'Bonn'], ["Jäger's cough", None], ['Sprained arm', 'Bonn']], ''),
    ('list the cases with points below the average points of cases with title Fever', [['Broken arm'], ["Jäger's cough"]], ''),
    ('list the cases that have higher points than all cases with city Köln', [['Fever'], ['Sprained arm']], ''),
    ('number of visits for different status', [['DONE ', 1], ['Done', 1], ['done', 1], ['open', 1], ['void', 1]], 'spelling'),
]


def rows():
    """Two years of sales; money whose binary fractions do not add up, a region that is missing, prices that are not known."""
    state, made = 7, []
    for i in range(1, 121):
        state = (state * 1103515245 + 12345) % 2147483648
        n = state >> 8
        day = '%d-%02d-%02d' % (2023 + n % 2, n // 7 % 12 + 1, n // 89 % 28 + 1)
        price = None if n % 13 == 0 else '%d.%02d' % (n % 17, n // 11 % 100)
        made.append((i, day, '%s %02d:%02d:00' % (day, n % 24, n // 3 % 60), [None, 'North', 'South', 'Süd-West'][n // 5 % 4],
                     ['Bolt', 'Saw', "O'Neil & Söhne"][n // 19 % 3], price, '%d.%04d' % (n % 5, n // 23 % 10000), n // 41 % 5 - (n % 29 == 0) * 7,
                     n % 1000 / 8, 9007199254740000 + n % 900, None if n % 7 == 0 else n % 2000 / 100, '%s %02d:30:00' % (day, n % 24)))
    made.append((121, '2024-03-15', '2024-03-15 23:59:59', 'North', 'Saw', '199.99', '0.1000', 1, 0.1, 9007199254740993, 0.1, '2024-03-31 00:00:00'))
    made.append((122, '2024-03-31', '2024-03-31 00:30:00', 'North', 'Saw', '0.10', '0.2000', 3, 0.2, 1, 0.2, '2024-03-31 23:59:59.999'))
    return made


def schema_faults(value, schema, path='answer'):
    """Where a value does not fit a JSON Schema, of which the keywords are read that tools use for their output."""
    kinds = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None), 'number': (int, float), 'integer': int}
    for key in ('anyOf', 'oneOf'):
        if key in schema and all(schema_faults(value, s, path) for s in schema[key]):
            return ['%s: %s fits none of %s' % (path, matrix.dumps(value)[:100], json.dumps(schema[key])[:200])]
    wanted = schema.get('type')
    names = [wanted] if isinstance(wanted, str) else wanted or []
    if names and not any(isinstance(value, kinds[n]) and not (isinstance(value, bool) and n in ('number', 'integer')) for n in names):
        return ['%s: %s is not %s' % (path, matrix.dumps(value)[:100], wanted)]
    faults = []
    if 'enum' in schema and value not in schema['enum']:
        faults.append('%s: %s is not one of %s' % (path, value, schema['enum']))
    if isinstance(value, dict):
        faults += ['%s lacks %s' % (path, k) for k in schema.get('required', []) if k not in value]
        for k, v in value.items():
            faults += schema_faults(v, schema.get('properties', {}).get(k, {}), '%s.%s' % (path, k))
    for i, v in enumerate(value if isinstance(value, list) else []):
        faults += schema_faults(v, schema.get('items', {}), '%s[%d]' % (path, i))
    return faults


OWN = {'sql', 'connectionId', 'snapshot', 'requestId', 'ontologyId', 'traceId', 'elapsedMs'}   # what each engine or call has of its own


def told(value):
    """An answer without what is the engine's or the call's own."""
    if isinstance(value, dict):
        return {k: told(v) for k, v in value.items() if k not in OWN}
    return [told(v) for v in value] if isinstance(value, list) else value


def number(value):
    """The number that a cell is; decimals of more than 15 digits are strings.  None: it is none."""
    if isinstance(value, str) and re.fullmatch(r'-?\d+(\.\d+)?', value):
        return float(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def differences(a, b, near, path='answer'):
    if number(a) is not None and number(b) is not None:
        return [] if math.isclose(number(a), number(b), rel_tol=near, abs_tol=near) else ['%s: %s, %s' % (path, a, b)]
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [d for k in a for d in differences(a[k], b[k], near, '%s.%s' % (path, k))]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, near, '%s[%d]' % (path, i))]
    return [] if a == b else ['%s: %s, %s' % (path, matrix.dumps(a)[:300], matrix.dumps(b)[:300])]


def page(project, question, option):
    """What --html or --svg writes, without the statement and the moment; an error's text where nothing can be drawn."""
    done = project.command('ask', '--ontology', 'shop', question, option, '-', check=False)
    return re.sub(r'<(pre|code)\b.*?</\1>|\d{4}-\d\d-\d\dT[\d:.]+Z', '', done.stdout, flags=re.S) or done.stderr


def asked(column, path, clinic, results):
    """Answers by question: (structuredContent, page, drawing)."""
    column.load('figures', path)
    column.load('clinic', clinic)
    project = matrix.Project(results, 'figures-' + column.name, {'connections': {'shop': column.connection('figures'), 'clinic': column.connection('clinic')}},
                             {'semantic-layer/shop/sales.yaml': SOURCE, 'semantic-layer/shop/visits.yaml': VISITS,
                              **({'semantic-layer/shop/waits.yaml': WAITS} if column.name in INTERVALS else {})})
    project.command('scan', '--deep')
    answers = {}
    with project:
        schema = next(t for t in project.rpc('tools/list', '', {})['tools'] if t['name'] == 'ask_question')['outputSchema']
        ontology = project.ontologies()['shop']
        for question, _ in QUESTIONS + INTERVALS.get(column.name, []):
            try:
                answers[question] = (project.ask(ontology, question), page(project, question, '--html'), page(project, question, '--svg'))
            except matrix.Failed as e:
                answers[question] = ({'status': 'failed', 'error': e.error}, '', '')
        for question, *_ in NAMES:
            answers[question] = project.ask(project.ontologies()['clinic'], question), '', ''
    return answers, schema


def misread(question, must, caveat, answer):
    """What is wrong of an answer over the clinic."""
    found = answer['rows']['data'] if answer['status'] == 'answered' else None
    said = ' '.join(answer.get('caveats', []))
    if found != must or caveat not in said or (not caveat and re.search('found|have the name|not ranked', said)):
        yield '%r: %s, %s; %s' % (question, found, said, answer['interpretation'].get('text'))


def run(columns, results):
    values = ',\n'.join('(%s)' % ', '.join('NULL' if v is None else "'%s'" % str(v).replace("'", "''") if isinstance(v, str) else str(v) for v in r) for r in rows())
    path = results.portable('figures', TABLE, 'INSERT INTO sales VALUES ' + values)
    clinic = results.portable('clinic', CLINIC, CLINIC_ROWS)
    found = matrix.each(columns, lambda c: asked(c, path, clinic, results))
    first = {question: answer for answers, _ in reversed(found) for question, answer in answers.items()}
    for column, (answers, schema) in zip(columns, found):
        wrong = {'figures and texts': [], 'output schema': [], 'charts and pages': []}
        for question, must in QUESTIONS + INTERVALS.get(column.name, []):
            (answer, html, svg), near = answers[question], 1e-6 if (question, must) in WAITED else 1e-9
            results.say(column.name, question, '|', answer.get('status'), '|', (answer.get('narrative') or str(answer))[:300].replace('\n', ' / '))
            if answer.get('status') != 'answered':
                wrong['figures and texts'].append('%r: %s' % (question, matrix.dumps(answer)[:300]))
                continue
            if 'could not be' in ' '.join(answer['caveats']):
                wrong['figures and texts'].append('%r is not checked: %s' % (question, answer['caveats']))
            if must and must not in answer['narrative'] + matrix.dumps(answer['rows']):
                wrong['figures and texts'].append('%r does not say %s: %s' % (question, must, answer['narrative'][:200]))
            wrong['output schema'] += ['%r: %s' % (question, f) for f in schema_faults(answer, schema)[:3]]
            wrong['figures and texts'] += ['%r: %s' % (question, d) for d in differences(told(first[question][0]), told(answer), near)[:3]]
            if re.search(r'\d\.\d{3,}e\+\d', answer['narrative'] + html + svg):
                wrong['charts and pages'].append('%r: a figure with an exponent' % question)
            if '<html' not in html or ('<svg' in svg) != bool(answer['charts']):
                wrong['charts and pages'].append('%r: %d charts: %s; %s' % (question, len(answer['charts']), html[:80], svg[:80]))
            for what, a, b in (('the page', first[question][1], html), ('the drawing', first[question][2], svg)):
                if a != b:
                    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
                    wrong['charts and pages'].append('%r: %s: %s, there %s' % (question, what, b[at - 40:at + 80], a[at - 40:at + 80]))
        for row, texts in wrong.items():
            results.check(row, column, texts, '%d questions' % len(QUESTIONS))
        results.check('names and texts', column, [w for case in NAMES for w in misread(*case, answers[case[0]][0])], '%d questions' % len(NAMES))
