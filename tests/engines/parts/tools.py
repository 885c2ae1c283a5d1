"""Statements with parameters that a team defines in carrel.yaml, called over MCP, over REST with a token made for one tool,
and by `carrel tool try`. The values of a call reach the engine apart from the statement, and never in its text."""
import csv, io, os, re, subprocess, urllib.error, urllib.request

import matrix

TITLE = 'Tools of a team'
SALES = '''CREATE TABLE sales (n INTEGER PRIMARY KEY, region TEXT, day DATE, moment TIMESTAMP, amount NUMERIC, email TEXT);
INSERT INTO sales VALUES (1, 'EU', '2024-01-31', '2024-01-31 10:00:00', 10.5, 'a@example.org'),
    (2, 'US', '2024-02-29', '2024-02-29 11:00:00', 20, 'b@example.org'), (3, 'EU', '2024-03-31', '2024-03-31 12:00:00', 7.25, 'c@example.org'),
    (4, 'it''s; --', '2024-04-30', '2024-04-30 13:00:00', 1, 'd@example.org');'''


def parameter(kind, **more):
    return {'type': kind, 'description': 'A %s.' % kind, **more}


def tool(name, sql, scopes=None, **parameters):
    made = {'name': name, 'title': 'Tool ' + name, 'description': 'What %s says.' % name, 'connection': 'shop', 'sql': sql,
            'parameters': parameters}
    return made if scopes is None else {**made, 'scopes': scopes}


TOOLS = [
    tool('of_all_types', '''SELECT n, ':region' AS text /* :nothing */ FROM sales -- :nothing
        WHERE region = :region AND day >= :since AND moment >= :moment AND amount >= :least AND n > :above AND (:flag) ORDER BY n LIMIT :top''',
         region=parameter('string'), since=parameter('date'), moment=parameter('timestamp'), least=parameter('number'),
         above=parameter('integer', minimum=-5, maximum=100), flag=parameter('boolean'), top=parameter('integer', default=10)),
    tool('of_choice', 'SELECT count(*) AS n FROM sales WHERE region = :region', ['ext:tools'],
         region=parameter('string', values=['EU', 'US'])),
    tool('optional', 'SELECT count(*) AS n FROM sales WHERE (:region IS NULL OR region = :region)', [], region=parameter('string', default=None)),
    tool('without', 'SELECT max(n) AS n FROM sales'),
    tool('large', 'SELECT n FROM sales WHERE :n > 9007199254740992 AND :n < 9007199254740994 AND n = :least', n=parameter('integer'),
         least=parameter('integer', default=1)),
    tool('addresses', 'SELECT email FROM sales WHERE n = :n', n=parameter('integer')),
    tool('several', 'SELECT 1; SELECT :n', n=parameter('integer')),
    tool('writes', 'DELETE FROM sales WHERE n = :n', n=parameter('integer')),
    tool('misspelt', 'SELECT nothing FROM sales WHERE n = :n', n=parameter('integer')),
    tool('undeclared', 'SELECT n FROM sales WHERE n = :n AND region = :other', n=parameter('integer')),
]
SALES_SOURCE = {
    'name': 'sales', 'table': 'sales', 'grain': ['n'],
    'columns': [{'name': 'n', 'type': 'number'}, {'name': 'region', 'type': 'string'}, {'name': 'day', 'type': 'time'},
                {'name': 'amount', 'type': 'number'}, {'name': 'email', 'type': 'string'}],
    'measures': [{'name': 'total', 'expr': 'sum(amount)'}, {'name': 'large', 'expr': 'sum(amount)', 'filter': 'amount > 8'}],
}


def query(name, parameters, **made):
    return {'name': name, 'description': 'What %s says.' % name, 'connection': 'shop', 'query': made, 'parameters': parameters}


QUERIES = [
    query('totals', {'region': parameter('string', default=None), 'since': parameter('date'), 'least': parameter('number', default=0)},
          measures=['sales.total', 'sales.large'], dimensions=['sales.region', {'field': 'sales.day', 'granularity': 'month'}],
          filters=['(:region IS NULL OR sales.region = :region)', 'sales.day >= :since', "sales.total > :least AND sales.region <> ':region'"],
          order_by=['sales.total desc'], limit=2),
    {**query('published', {'region': parameter('string', default=None, values={'dimension': 'sales.region'})}, measures=['sales.total'],
             filters=['(:region IS NULL OR sales.region = :region)']), 'scopes': ['ext:tools']},
    query('unknown_measure', {}, measures=['sales.nothing'], dimensions=['sales.region']),
]
GOOD = {'region': 'EU', 'since': '2024-01-01', 'moment': '2024-01-31 10:00:00', 'least': 7.25, 'above': 0, 'flag': True}
CHOSEN = [  # parameters whose values are those of a dimension
    tool('of_region', 'SELECT n, region FROM sales WHERE region = :region AND day >= :since ORDER BY n',
         region=parameter('string', values={'dimension': 'sales.region'}), since=parameter('date', default='2000-01-01', values={'dimension': 'sales.day'})),
    query('sum_of_region', {'region': parameter('string', default=None, values={'dimension': 'sales.region'}),
                            'n': parameter('integer', default=None, values={'dimension': 'sales.n'})},
          measures=['sales.total'], filters=['(:region IS NULL OR sales.region = :region)', '(:n IS NULL OR sales.n = :n)']),
    tool('of_email', 'SELECT n FROM sales WHERE n = 1 OR n > length(:email)', email=parameter('string', values={'dimension': 'sales.email'})),
    tool('of_list', 'SELECT n FROM sales WHERE region = :region', region=parameter('string', values=['EU', 'US'])),
    tool('of_nothing', 'SELECT n FROM sales WHERE region = :region', region=parameter('string', values={'dimension': 'sales.nothing'})),
]
UNFIT = ['misspelt', 'several', 'undeclared', 'writes']
ASIDE = {  # what is no parameter in the engine's own dialect
    'postgres': '''SELECT n::text, '{"a": [1]}'::jsonb #>> '{a,0}', E'it\\'s :n', $$ :n $$, $q$ :n $q$ FROM sales WHERE n = :n::int''',
    'duckdb': "SELECT n::VARCHAR, {'a': 1}.a, E'it\\'s :n', $$ :n $$ FROM sales WHERE n = :n",
    'sqlite': 'SELECT n, "n", [n], \':n\' FROM sales WHERE n = :n',
    'mysql': "SELECT n, `n`, ':n', 'it\\'s :n' FROM sales WHERE n = :n # :n",
}


def code(project, name, **arguments):
    try:
        project.call(name, **arguments)
    except matrix.Failed as e:
        return e.error.get('code')
    return 'ok'


def values(project, wrong):
    for change, rows in (({}, [[1, ':region'], [3, ':region']]), ({'since': '2024-02-01'}, [[3, ':region']]), ({'top': 1}, [[1, ':region']]),
                         ({'moment': '2024-01-31 10:00:01'}, [[3, ':region']]), ({'least': 8}, [[1, ':region']]), ({'above': 1}, [[3, ':region']]),
                         ({'flag': False}, []), ({'region': "it's; --"}, [[4, ':region']]), ({'region': "' OR 1=1 --"}, []),
                         ({'region': 'Größe 漢字 😀 \\ " ` $1 ?'}, []), ({'region': 'x' * 1000}, [])):
        given = {**GOOD, **({'least': 0} if change.get('region') else {}), **change}
        got = project.call('of_all_types', **given)['rows']
        if [[float(a), b] for a, b in got] != [[float(a), b] for a, b in rows]:
            wrong.append('%r: %r' % (change, got))
    for change in ({'since': '2024-02-30'}, {'since': "2024-01-01'"}, {'region': 'x' * 1001}, {'above': 101}, {'above': 1.5},
                   {'flag': 'true'}, {'least': '1'}, {'region': None}, {'region': ['EU']}, {'since': '2024-01-01 10:00'}, {'more': 1},
                   {'connectionId': 'shop'}):
        got = code(project, 'of_all_types', **{**GOOD, **change})
        if got != 'invalid_arguments':
            wrong.append('%r: %s' % (change, got))


def others(project, wrong):
    for name, arguments, expected in (('of_choice', {'region': 'EU'}, 2), ('without', {}, 4)):
        got = project.call(name, **arguments)['rows'] if name != 'of_choice' else None
        if got is not None and [[float(c) for c in r] for r in got] != [[expected]]:
            wrong.append('%s: %r' % (name, got))
    for arguments in ({'n': '9007199254740993'}, {'n': 9007199254740993, 'least': None}):
        got = project.call('large', **arguments)['rows']
        if [[int(c) for c in r] for r in got] != [[1]]:
            wrong.append('large(%r): %r' % (arguments, got))
    for n, rows in ((9007199254740992, 0), (9007199254740993, 1), (9007199254740994, 0)):
        got = project.json('tool', 'try', 'large', '--n', str(n))
        if got.get('rowCount') != rows:
            wrong.append('tool try large --n %d: %r' % (n, got))
    statement = 'SELECT n, region, amount FROM sales ORDER BY n'
    whole = project.sql('shop', statement)
    columns = project.sql('shop', statement, format='columns')
    if 'rows' in columns or [list(r) for r in zip(*columns['columns'])] != whole['rows'] or columns['rowCount'] != 4:
        wrong.append('format columns: %r' % columns)
    wide = 'SELECT a.n, a.region, b.amount FROM sales a, sales b, sales c, sales d ORDER BY 1, 2, 3'
    for form in ('rows', 'columns'):
        got = project.sql('shop', wide, maxBytes=1000, format=form)
        size = len(matrix.json.dumps(got, separators=(',', ':'), ensure_ascii=False).encode())
        if not 850 < size <= 1000 or got['truncatedBy'] != 'bytes' or 'OFFSET %d' % got['rowCount'] not in got['note']:
            wrong.append('maxBytes %s: %d bytes, %r' % (form, size, got))
    if project.call('of_all_types', **{**GOOD, 'top': None})['rowCount'] != 2:
        wrong.append('a null for what may be left out')
    got = project.call('aside', n=3)['rows']
    if len(got) != 1 or str(got[0][0]) not in ('3', '3.0'):
        wrong.append('aside: %r' % got)


def queries(project, wrong):
    """The semantic layer's SQL, with values bound as in statements of the owner's."""
    for arguments, expected, cut in (
            ({'since': '2024-01-01'}, [['US', 20, 20], ['EU', 10.5, 10.5]], True),
            ({'since': '2024-01-01', 'region': None, 'least': 15}, [['US', 20, 20]], False),
            ({'since': '2024-02-01', 'region': 'EU'}, [['EU', 7.25, None]], False),
            ({'since': '2024-01-01', 'region': "it's; --"}, [["it's; --", 1, None]], False),
            ({'since': '2024-01-01', 'region': "' OR 1=1 --"}, [], False)):
        got = project.call('totals', **arguments)
        rows = [[r[0], float(r[2]), None if r[3] is None else float(r[3])] for r in got['rows']]
        if rows != expected or got['truncated'] != cut or got['connectionId'] != 'shop':
            wrong.append('totals(%r): %r' % (arguments, got))
    for arguments in ({}, {'since': 'x'}, {'since': '2024-01-01', 'least': 'x'}, {'since': '2024-01-01', 'query': {}}):
        if code(project, 'totals', **arguments) != 'invalid_arguments':
            wrong.append('totals(%r) is not refused' % arguments)
    if code(project, 'unknown_measure') != 'service_unavailable':
        wrong.append('a query of a measure that does not exist: %s' % code(project, 'unknown_measure'))
    for inner in ('team_query', 'team_execution', 'team_tool'):
        try:
            project.rpc('tools/call', inner, {'name': inner, 'arguments': {'tool': 'totals', 'arguments': {}, 'sql': 'SELECT 1', 'maxRows': 1}})
            wrong.append('%s can be called' % inner)
        except matrix.Failed as e:
            if e.error.get('code') != -32602:
                wrong.append('%s: %s' % (inner, e))
    if code(project, 'sl_query', measures=['sales.total'], filters=['sales.region = :region']) != 'invalid_query':
        wrong.append('sl_query takes a parameter')
    said = project.command('tool', 'try', 'totals', '--since', '2024-02-01', '--region', 'EU')
    if '7.25' not in said.stdout:
        wrong.append('tool try totals: %s' % said.stdout)
    project.write('semantic-layer/shop/sales.yaml', matrix.json.dumps({**SALES_SOURCE, 'measures': SALES_SOURCE['measures'] + [
        {'name': 'nothing', 'expr': 'count(*)'}]}))
    if not matrix.eventually(lambda: 'unknown_measure' in [t['name'] for t in project.rpc('tools/list', '', {})['tools']]):
        wrong.append('a query is not listed once its measure exists')
    elif len(project.call('unknown_measure')['rows']) != 3:
        wrong.append('unknown_measure: %r' % project.call('unknown_measure'))


def complete(project, name, parameter, typed=''):
    got = project.rpc('completion/complete', '', {'ref': {'type': 'ref/resource', 'uri': 'carrel://tools/%s/{%s}' % (name, parameter)},
                                                  'argument': {'name': parameter, 'value': typed}})['completion']
    return got['values'], got['total'], got['hasMore']


def refusal(project, name, **arguments):
    try:
        return project.call(name, **arguments)['rows']
    except matrix.Failed as e:
        return [e.error.get('code'), e.error['message']] + [i['path'] for i in e.error.get('details', {}).get('issues', [])]


def dimension(project, wrong):
    """Values of a dimension, read for who asks: offered, and the only ones that a call may have."""
    for name, parameter, typed, expected in (
            ('of_region', 'region', '', (['EU', 'US', "it's; --"], 3, False)), ('of_region', 'region', 'u', (['US', 'EU'], 2, False)),
            ('of_region', 'region', 'eu', (['EU'], 1, False)), ('of_region', 'region', "' OR 1=1 --", ([], 0, False)),
            ('of_region', 'since', '2024-02', (['2024-02-29'], 1, False)), ('sum_of_region', 'n', '', (['1', '2', '3', '4'], 4, False)),
            ('of_list', 'region', '', (['EU', 'US'], 2, False)), ('of_list', 'region', 's', (['US'], 1, False)), ('without', 'x', '', None)):
        try:
            got = complete(project, name, parameter, typed)
        except matrix.Failed as e:
            got = None if e.error.get('code') == -32602 else e
        if got != expected:
            wrong.append('values of %s %s %r: %r' % (name, parameter, typed, got))
    for arguments, expected in (({'region': 'EU'}, [1, 3]), ({'region': 'EU', 'since': '2024-02-29'}, [3]), ({'region': "it's; --"}, [4])):
        got = project.call('of_region', **arguments)['rows']
        if [float(r[0]) for r in got] != expected:
            wrong.append('of_region(%r): %r' % (arguments, got))
    for name, arguments, path, near in (('of_region', {'region': 'EUR'}, 'region', '"EU"'), ('of_region', {'region': 'Größe 漢字'}, 'region', 'such as "EU"'),
                                        ('of_region', {'region': 'EU', 'since': '2024-02-28'}, 'since', '"2024-02-29"'),
                                        ('sum_of_region', {'region': 'EU', 'n': 44}, 'n', '"4"'), ('sum_of_region', {'region': ''}, 'region', '')):
        got = refusal(project, name, **arguments)
        if got[0] != 'invalid_arguments' or got[2:] != [path] or near not in got[1] or 'is not one of the values of sales.' not in got[1]:
            wrong.append('%s(%r): %r' % (name, arguments, got))
    for arguments, expected in (({}, 38.75), ({'region': 'EU'}, 17.75), ({'n': 2}, 20), ({'region': None, 'n': 2}, 20)):
        got = project.call('sum_of_region', **arguments)['rows']
        if float(got[0][0]) != expected:
            wrong.append('sum_of_region(%r): %r' % (arguments, got))
    said = project.command('tool', 'try', 'of_region', '--region', 'EUR', check=False)
    if said.returncode != 1 or '"EU"' not in said.stderr:
        wrong.append('tool try: %d %s' % (said.returncode, said.stderr))
    try:
        wrong.append('values of a masked column: %r' % (complete(project, 'of_email', 'email'),))
    except matrix.Failed as e:
        if (e.error.get('data') or {}).get('code') != 'forbidden_sql':
            wrong.append('values of a masked column: %s' % e)
    if code(project, 'of_email', email='a@example.org') not in ('service_unavailable', 'forbidden_sql'):
        wrong.append('a masked column tells its values: %s' % code(project, 'of_email', email='a@example.org'))
    if code(project, 'of_nothing', region='EU') != 'service_unavailable' or 'of_nothing' in [t['name'] for t in project.rpc('tools/list', '', {})['tools']]:
        wrong.append('a tool whose dimension does not exist: %s' % code(project, 'of_nothing', region='EU'))


def chosen(project, wrong):
    """The same for who may use one tool alone, over REST and MCP."""
    project.command('connectivity', 'enable')
    project.token = project.json('token', 'create', '--label', 'chosen', '--scopes', 'tools:of_region')['secret']
    if complete(project, 'of_region', 'region', 'E')[0] != ['EU'] or refusal(project, 'of_region', region='EU') != [[1, 'EU'], [3, 'EU']]:
        wrong.append('a token of one tool: %r %r' % (complete(project, 'of_region', 'region', 'E'), refusal(project, 'of_region', region='EU')))
    try:
        wrong.append('a token of one tool reads values of another: %r' % (complete(project, 'sum_of_region', 'n'),))
    except matrix.Failed as e:
        if (e.error.get('data') or {}).get('code') != 'FORBIDDEN':
            wrong.append('values of another tool: %s' % e)
    for path, status, expected in (('of_region/values/region', 200, ['EU', 'US', "it's; --"]), ('of_region/values/nothing', 404, None),
                                   ('nothing/values/region', 404, None), ('sum_of_region/values/n', 403, None), ('of_region.region/values/n', 404, None)):
        got, text = project.http('GET', '/api/v1/ext/tools/' + path)
        if got != status or (expected is not None and matrix.loads(text)['values'] != expected):
            wrong.append('GET %s: %d %s' % (path, got, text[:200]))
    for name in ('of_region.region', 'of_region.region='):
        if project.http('POST', '/api/v1/ext/tools/' + name, {})[0] != 404 or code(project, name) != -32602:
            wrong.append('%s can be called' % name)
    status, text = project.http('POST', '/api/v1/ext/tools/of_region', {'region': 'EUR'})
    if status != 400 or '"EU"' not in matrix.loads(text)['error']['message']:
        wrong.append('REST: %d %s' % (status, text))
    project.token = None
    entries = [matrix.loads(line) for line in project.command('audit', 'export').stdout.splitlines()]
    asked = [e for e in entries if e.get('target') == 'of_region.region']
    if not any(e['surface'] == 'rest' and e['outcome'] == 'ok' and e['statement'] == 'sales.region' and e['connection'] == 'shop' for e in asked):
        wrong.append('audit: %r' % asked[:1])


def stdio(project, wrong):
    """The same over stdio, by a revision that has sessions."""
    say = [{'id': 1, 'method': 'initialize', 'params': {'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'x', 'version': '1'}}},
           {'method': 'notifications/initialized'}, {'id': 2, 'method': 'tools/list'},
           {'id': 3, 'method': 'tools/call', 'params': {'name': 'totals', 'arguments': {'since': '2024-02-01', 'region': 'EU', 'least': None}}},
           {'id': 4, 'method': 'tools/call', 'params': {'name': 'without'}},
           {'id': 5, 'method': 'tools/call', 'params': {'name': 'totals', 'arguments': {'since': 'never'}}},
           {'id': 6, 'method': 'completion/complete', 'params': {'ref': {'type': 'ref/resource', 'uri': 'carrel://tools/of_region/{region}'},
                                                                 'argument': {'name': 'region', 'value': 'e'}}},
           {'id': 7, 'method': 'tools/call', 'params': {'name': 'of_region', 'arguments': {'region': 'EUR'}}},
           {'id': 8, 'method': 'tools/call', 'params': {'name': 'of_region', 'arguments': {'region': 'US'}}}]
    server = subprocess.Popen([project.programs + '/carrel', 'mcp', 'stdio', '--project-dir', project.dir], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    server.stdin.write(''.join(matrix.json.dumps({'jsonrpc': '2.0', **m}) + '\n' for m in say))
    server.stdin.flush()
    answers = {}
    while not set(range(2, 9)) <= answers.keys() and (line := server.stdout.readline()):
        answers[matrix.json.loads(line).get('id')] = matrix.json.loads(line)
    server.stdin.close()
    server.wait(30)
    server.stdout.close()
    if not {'totals', 'without'} <= {t['name'] for t in answers[2]['result']['tools']}:
        wrong.append('stdio lists %s' % [t['name'] for t in answers[2]['result']['tools']])
    rows = [answers[i]['result']['structuredContent']['rows'] for i in (3, 4)]
    if float(rows[0][0][2]) != 7.25 or float(rows[1][0][0]) != 4 or not answers[5]['result'].get('isError'):
        wrong.append('stdio: %r %r' % (rows, answers[5]))
    said = str(answers[7].get('error'))
    if answers[6].get('result', {}).get('completion', {}).get('values') != ['EU'] or '-32602' not in said or '"EU"' not in said \
            or float(answers[8]['result']['structuredContent']['rows'][0][0]) != 2:
        wrong.append('stdio: %r' % [answers[i] for i in (6, 7, 8)])


def listed(project, wrong):
    names = [t['name'] for t in project.rpc('tools/list', '', {})['tools']]
    if names[-4:] != ['large', 'addresses', 'aside', 'totals']:
        wrong.append('listed: %s' % names)
    for name in UNFIT:
        if code(project, name, n=1) != 'service_unavailable':
            wrong.append('%s can be called: %s' % (name, code(project, name, n=1)))
        said = project.command('tool', 'try', name, '--n', '1', check=False)
        if said.returncode != 1 or len(said.stderr) < 20:
            wrong.append('tool try %s: %d %s' % (name, said.returncode, said.stderr))


def token(project, wrong):
    project.command('connectivity', 'enable')
    project.token = project.json('token', 'create', '--label', 'one', '--scopes', 'tools:optional')['secret']
    names = [t['name'] for t in project.rpc('tools/list', '', {})['tools']]
    if names != ['optional']:
        wrong.append('a token of one tool lists %s' % names)
    for arguments, expected in (({}, 4), ({'region': None}, 4), ({'region': 'EU'}, 2)):
        got = project.call('optional', **arguments)['rows']
        if [float(c) for c in got[0]] != [expected]:
            wrong.append('optional(%r): %r' % (arguments, got))
    for name in ('without', 'sql_execution', 'connection_list'):
        if code(project, name) in ('ok', 'service_unavailable', 'invalid_arguments'):
            wrong.append('a token of one tool calls %s' % name)
    status, text = project.http('POST', '/api/v1/ext/tools/optional', {'region': 'US'})
    if status != 200 or matrix.loads(text)['rowCount'] != 1:
        wrong.append('REST: %d %s' % (status, text[:200]))
    for path, body, expected in (('/optional', {'region': 1}, 400), ('/without', {}, 403), ('/nosuch', {}, 404), ('/sql_execution', {}, 404)):
        status, text = project.http('POST', '/api/v1/ext/tools' + path, body)
        if status != expected:
            wrong.append('REST %s: %d %s' % (path, status, text[:200]))
    project.token = project.json('token', 'create', '--label', 'published', '--scopes', 'ext:tools')['secret']
    status, text = project.http('POST', '/api/v1/ext/tools/of_choice', {'region': 'EU'})
    paths = [p for p in matrix.loads(project.http('GET', '/api/v1/ext/openapi.json')[1])['paths'] if p.startswith('/tools/')]
    answered, total = project.http('POST', '/api/v1/ext/tools/published', {})
    if answered != 200 or float(matrix.loads(total)['rows'][0][0]) != 38.75:
        wrong.append('a published query: %d %s' % (answered, total))
    if status != 200 or paths != ['/tools/of_choice', '/tools/published', '/tools/published/values/region']:
        wrong.append('published: %d %s %s' % (status, text[:200], paths))
    try:
        project.call('optional')
        wrong.append('a tool with its own scope alone is called without it')
    except matrix.Failed as e:
        if (e.error.get('data') or {}).get('missing') != ['tools:optional']:
            wrong.append('a tool with its own scope alone: %s' % e)
    project.token = None


def audited(project, wrong):
    entries = [matrix.loads(line) for line in project.command('audit', 'export').stdout.splitlines()]
    mine = [e for e in entries if e.get('target') == 'optional' and e.get('surface') == 'rest' and e['outcome'] == 'ok']
    if not mine or mine[0]['connection'] != 'shop' or mine[0]['statement'] != '{"region":"US"}':
        wrong.append('audit: %r' % mine[:1])


def protected(project, wrong):
    """As sql_execution: a masked column has no value, also by a statement of the owner's."""
    try:
        own = project.sql('shop', 'SELECT email FROM sales WHERE n = 1')['rows']
        got = project.call('addresses', n=1)['rows']
        if got != own or 'example' in str(got):
            wrong.append('addresses: %r, sql_execution: %r' % (got, own))
    except matrix.Failed as e:
        wrong.append('addresses: %s' % e)


def files(project, wrong):
    """What a result has, its file has: every cell, under the same policy; a link opens for its owner alone."""
    def same(tool, **arguments):
        result = project.rpc('tools/call', tool, {'name': tool, 'arguments': arguments})
        link, said = (result['_meta'].get('carrel/export') or {}).get('url'), result['structuredContent']
        if link is None:
            wrong.append('%s has no link: %r' % (tool, said))
            return None
        path = link[link.index('/export/'):]
        status, lines = project.http('GET', path.replace('.csv', '.jsonl'))
        rows = [list(matrix.loads(line).values()) for line in lines.splitlines()]
        if status != 200 or matrix.dumps(rows) != matrix.dumps(said['rows']):
            wrong.append('%s: %d %s and not %s' % (tool, status, lines[:300], matrix.dumps(said['rows'])[:300]))
        status, text = project.http('GET', path)
        table = list(csv.reader(io.StringIO(text, newline='')))
        if status != 200 or table[0] != said['headers'] or len(table) != len(rows) + 1 or not text.endswith('\r\n'):
            wrong.append('%s as CSV: %d %s' % (tool, status, text[:300]))
        return table, path

    table, path = same('sql_execution', connectionId='shop', sql='SELECT n, region, day, moment, amount, email FROM sales ORDER BY n') or ([], '')
    if len(table) != 5 or table[4][:2] != ['4', "it's; --"] or any('@' in cell for row in table[1:] for cell in row):
        wrong.append('rows of a file: %r' % table)
    same('sql_execution', connectionId='shop', sql='SELECT n, n AS other, NULL AS missing FROM sales WHERE n > 100')
    same('sql_execution', connectionId='shop', sql="SELECT '' AS empty, CAST(NULL AS CHAR) AS missing, 'a,\"b' AS quoted")
    same('sl_query', connectionId='shop', measures=['sales.total'], dimensions=['sales.region'], order_by=['sales.region'])
    same('totals', since='2024-02-01', region='EU')
    same('without')
    same('of_region', region='US')
    # more rows than the answer: all of them, in their order
    table, _ = same_many(project, wrong)
    if [row[0] for row in table[1:]] != [str(i) for i in range(1, 3001)]:
        wrong.append('many rows: %d, %r' % (len(table), table[:3]))
    project.token = project.json('token', 'create', '--label', 'files', '--scopes', 'research:query')['secret']
    if project.http('GET', path)[0] != 404:
        wrong.append("another's link opens")
    project.token = None
    files_of_rest(project, wrong)
    # the command line tells of it where rows are missing, and nowhere else
    for n, told in ((1, True), (10, False)):
        said = project.command('sql', '--connection', 'shop', '--max-rows', str(n), 'SELECT n FROM sales ORDER BY n').stderr
        link = re.search(r'http://\S+/export/\S+\.csv', said)
        if bool(link) != told or (told and project.http('GET', link[0][link[0].index('/export/'):]) != (200, 'n\r\n1\r\n2\r\n3\r\n4\r\n')):
            wrong.append('carrel sql: %s' % said)


# A column of each type that a statement can have, NULLs, nested values, and names that differ in nothing or in case.
KINDS = """SELECT i, CASE WHEN i = 2 THEN NULL ELSE true END AS b, (-i)::TINYINT AS ti, (i * -1000)::SMALLINT AS si, (i * 9007199254740993)::BIGINT AS bi,
    (250 + i)::UTINYINT AS ut, 65535::USMALLINT AS us, 4294967295::UINTEGER AS ui, 18446744073709551615::UBIGINT AS ub,
    170141183460469231731687303715884105727::HUGEINT AS h, (i / 3)::FLOAT AS f, (i / 7)::DOUBLE AS d, 'nan'::DOUBLE AS nan, '-inf'::FLOAT AS inf,
    (-1.25 * i)::DECIMAL(4,2) AS d4, (12345.678 * i)::DECIMAL(9,3) AS d9, (-123456789012.3456)::DECIMAL(18,4) AS d18,
    (-12345678901234567890123456789.123456789)::DECIMAL(38,9) AS d38, DATE '2024-02-29' - (i * 100000) AS dt, 'infinity'::DATE AS dinf,
    TIME '23:59:59.123456' AS tm, TIMESTAMP '1969-12-31 23:59:59.999999' AS ts, '2024-01-01 10:20:30'::TIMESTAMP_S AS tss,
    '2024-01-01 10:20:30.123'::TIMESTAMP_MS AS tsm, '2024-01-01 10:20:30.123456789'::TIMESTAMP_NS AS tsn, TIMESTAMPTZ '2024-01-01 10:20:30.5+02' AS tz,
    '-infinity'::TIMESTAMP AS tinf, TIMETZ '10:20:30+02' AS ttz, INTERVAL '1 year 2 days 3 microseconds' AS iv, 'ö"x' || repeat('y', i) AS s,
    '' AS empty, '{"a": [1,2]}'::JSON AS js, '\\x00\\xFF'::BLOB AS bl, '550e8400-e29b-41d4-a716-446655440000'::UUID AS u, '01'::BIT AS bits,
    CASE i WHEN 1 THEN [1, NULL, 3] WHEN 2 THEN [] END AS l, CASE WHEN i <> 2 THEN {'a': i, 'b': ['x', NULL], 'c': {'d': NULL::DATE}} END AS st,
    CASE i WHEN 1 THEN MAP {'k': [1, 2], 'q': NULL} WHEN 2 THEN MAP {} END AS m, [i, NULL]::INTEGER[2] AS ar, [[1], [], NULL, [2, NULL]] AS ll,
    [{'x': i, 'y': [i]}, NULL] AS lst, 123456789012345678901234567890::BIGNUM AS bg, NULL AS nothing, 1 AS "N", 2 AS n
    FROM (VALUES (1), (2), (3)) t(i) ORDER BY i"""
MANY = """SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE i * 1.5 END AS a, CASE WHEN i % 5 > 1 THEN 'text ' || i END AS t, i % 2 = 0 AS b,
    CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN [] WHEN 2 THEN [i, NULL] ELSE [i] END AS l,
    CASE WHEN i % 11 > 0 THEN {'x': i, 'y': CASE WHEN i % 2 = 0 THEN [{'z': i}] END} END AS s FROM (SELECT unnest(generate_series(1, 100000)) AS i)"""


def raw(project, path):
    head = {'Authorization': 'Bearer ' + project.token} if project.token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(project.url[:-len('/mcp')] + path, headers=head), timeout=90) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()


def numbers(rows):
    """Rows whose numbers are compared as such: 7.250 is 7.25."""
    return [[float(c) if re.fullmatch(r'-?[0-9.]+', str(c)) else c for c in row] for row in rows]


def parquet(project, column, wrong):
    """As a Parquet file a result has the types and values that DuckDB itself gives; for other engines that is refused."""
    def save(tool, **arguments):
        result = project.rpc('tools/call', tool, {'name': tool, 'arguments': arguments})
        link = result['_meta']['carrel/export']
        status, data = raw(project, link['url'][link['url'].index('/export/'):].replace('.csv', '.parquet'))
        return link['formats'], status, data, result['structuredContent']

    own = {'connectionId': 'shop', 'sql': 'SELECT n, region, day, moment, amount, email FROM sales ORDER BY n'}
    formats, status, data, said = save('sql_execution', **own)
    if column.name != 'duckdb':
        for way in ((formats, status, data), save('totals', since='2024-02-01', region='EU')[:3],
                    save('sl_query', connectionId='shop', measures=['sales.total'])[:3]):
            if way[0] != ['csv', 'jsonl'] or way[1] != 400 or b'.csv or .jsonl' not in way[2]:
                wrong.append('Parquet: %r' % (way,))
        return
    path = os.path.join(project.dir, 'export.parquet')

    def read(sql, data):
        with open(path, 'wb') as file:
            file.write(data)
        return column.query('tools', sql % ("'%s'" if 'metadata' in sql else "FROM '%s'") % path)

    if formats != ['csv', 'jsonl', 'parquet'] or status != 200 or b'example' in data:
        wrong.append('%s as Parquet: %d %r' % (formats, status, data[:300]))
    masked = [[*row[:5], cells[5]] for row, cells in zip(column.query('tools', own['sql']), said['rows'])]
    if read('%s', data) != masked:
        wrong.append('rows of a Parquet file: %r, not %r' % (read('%s', data), masked))
    for tool, arguments in (('sl_query', {'connectionId': 'shop', 'measures': ['sales.total'], 'dimensions': ['sales.region'], 'order_by': ['sales.region']}),
                            ('totals', {'since': '2024-02-01', 'region': 'EU'})):
        _, status, data, said = save(tool, **arguments)
        if status != 200 or numbers(read('%s', data)) != numbers(said['rows']):
            wrong.append('%s as Parquet: %d %r, not %r' % (tool, status, data[:300], said['rows']))
    _, status, data, said = save('sql_execution', connectionId='shop', sql=KINDS)
    if status != 200 or read('%s', data) != column.query('tools', KINDS):
        wrong.append('kinds as Parquet: %d %r' % (status, data[:300]))
    # the types, too, but of those of which a file has none
    texts = {'h', 'ttz', 'iv', 'bits', 'bg'}
    same = {'tss': 'TIMESTAMP', 'tsm': 'TIMESTAMP', 'ar': 'INTEGER[]', **dict.fromkeys(texts, 'VARCHAR')}
    want = [[name, same.get(name, kind)] for name, kind in column.query('tools', 'SELECT column_name, column_type FROM (DESCRIBE %s)' % KINDS)]
    got = read('SELECT column_name, column_type FROM (DESCRIBE %s)', data)
    want[-1][0] = 'n_%d' % len(want)
    if got != want:
        wrong.append('types of a Parquet file: %r, not %r' % ([g for g, w in zip(got, want) if g != w], [w for g, w in zip(got, want) if g != w]))
    # many rows, in several groups; a file that is cut is refused
    _, status, data, said = save('sql_execution', connectionId='shop', sql=MANY, maxRows=1)
    digest = 'SELECT count(*), bit_xor(hash(i, a, t, b, l, s)) FROM (%s)'
    if status != 200 or read(digest, data) != column.query('tools', digest % MANY):
        wrong.append('many rows as Parquet: %d' % status)
    if int(read('SELECT count(DISTINCT row_group_id) FROM parquet_metadata(%s)', data)[0][0]) < 2:
        wrong.append('many rows are one group')
    try:
        wrong.append('a file that is cut is read: %r' % read(digest, data[:len(data) - 1000]))
    except RuntimeError:
        pass


def files_of_rest(project, wrong):
    """The link stands in the answer of a tool over REST, and opens to the token that may use this tool alone."""
    project.command('connectivity', 'enable')
    project.token = project.json('token', 'create', '--label', 'rest', '--scopes', 'tools:optional')['secret']
    status, text = project.http('POST', '/api/v1/ext/tools/optional', {'region': 'EU'})
    link = matrix.loads(text).get('export') or {}
    path = link.get('url', '/export/')
    if status != 200 or link.get('formats')[:2] != ['csv', 'jsonl'] or project.http('GET', path[path.index('/export/'):]) != (200, 'n\r\n2\r\n'):
        wrong.append('REST: %d %s' % (status, text))
    project.token = None
    schemas = matrix.loads(project.http('GET', '/api/v1/ext/openapi.json')[1])['components']['schemas']
    if [list(of['properties'])[-1] for of in schemas['ToolAnswer'].get('allOf', [])] != ['elapsedMs', 'export']:
        wrong.append('OpenAPI does not tell of the link: %r' % schemas['ToolAnswer'])


def files_of_datasets(project, column, wrong):
    """Of a published table carrel_sql gives the same link, over MCP and REST: to the rows that it may give, while it may."""
    project.command('connectivity', 'enable')
    project.command('scan')
    dataset = project.json('dataset', 'publish', 'shop', 'sales')['dataset']
    name = dataset['table_name']
    made = [project.json('token', 'create', '--label', 'd%d' % i, '--scopes', 'ext:sql')['secret'] for i in range(2)]
    statement = 'SELECT n, region, email FROM %s ORDER BY n' % name
    project.token = made[0]
    result = project.rpc('tools/call', 'carrel_sql', {'name': 'carrel_sql', 'arguments': {'sql': statement}})
    status, text = project.http('POST', '/api/v1/ext/sql', {'sql': statement})
    said, rest = result['structuredContent'], matrix.loads(text)
    for way, link in (('MCP', result['_meta'].get('carrel/export')), ('REST', rest.get('export'))):
        if not link or link['maxRows'] != 500 or ('parquet' in link['formats']) != (column.name == 'duckdb'):
            wrong.append('carrel_sql over %s has no link: %r' % (way, link))
            continue
        path = link['url'][link['url'].index('/export/'):]
        status, lines = project.http('GET', path.replace('.csv', '.jsonl'))
        rows = [list(matrix.loads(line).values()) for line in lines.splitlines()]
        if status != 200 or len(rows) != 4 or matrix.dumps(rows) != matrix.dumps(said['rows']) or '@' in lines:
            wrong.append('a file of a dataset: %d %s and not %r' % (status, lines[:300], said['rows']))
        status, data = raw(project, path.replace('.csv', '.parquet'))
        if (status, data[-4:]) != (200, b'PAR1') if column.name == 'duckdb' else (status, b'.csv or .jsonl' in data) != (400, True):
            wrong.append('a file of a dataset as Parquet: %d %r' % (status, data[:200]))
        project.token = made[1]
        if project.http('GET', path)[0] != 404:
            wrong.append("another token opens a dataset's link")
        project.token = made[0]
    # the rows of this surface are the bound of its files, too
    many = 'SELECT 1 AS one FROM %s' % ', '.join('%s q%d' % (name, i) for i in range(5))
    link = project.rpc('tools/call', 'carrel_sql', {'name': 'carrel_sql', 'arguments': {'sql': many}})['_meta']['carrel/export']['url']
    if project.http('GET', link[link.index('/export/'):]) != (200, 'one\r\n' + '1\r\n' * 500):
        wrong.append('many rows of a dataset: %r' % (project.http('GET', link[link.index('/export/'):])[1][:100],))
    project.command('dataset', 'unpublish', dataset['id'])
    status, text = project.http('GET', path)
    if status != 404 or 'dataset_not_found' not in text:
        wrong.append('a file of what is published no more: %d %s' % (status, text[:300]))
    project.token = None
    schemas = matrix.loads(project.http('GET', '/api/v1/ext/openapi.json')[1])['components']['schemas']
    if 'export' not in str(schemas['RunSqlAnswer']):
        wrong.append('OpenAPI does not tell of the link of carrel_sql: %r' % schemas['RunSqlAnswer'])


def same_many(project, wrong):
    statement = 'SELECT (a.n - 1) * 1000 + (b.n - 1) * 100 + (c.n - 1) * 10 + d.n AS i FROM %s ORDER BY 1' % ' CROSS JOIN '.join(
        '(%s) %s' % (' UNION ALL '.join('SELECT %d AS n' % n for n in range(1, most + 1)), name) for name, most in (('a', 3), ('b', 10), ('c', 10), ('d', 10)))
    result = project.rpc('tools/call', 'sql_execution', {'name': 'sql_execution', 'arguments': {'connectionId': 'shop', 'sql': statement, 'maxRows': 10}})
    link = result['_meta']['carrel/export']['url']
    if not any(block['type'] == 'resource_link' and block['uri'] == link for block in result['content']):
        wrong.append('a result that is cut has no link for its person')
    status, text = project.http('GET', link[link.index('/export/'):])
    return list(csv.reader(io.StringIO(text, newline=''))), link


def changed(project, tools, connections, wrong):
    """Tools of other texts while calls run: none fails, and one that was mended is listed without a call of it."""
    texts = {'addresses': 'SELECT 40 + :n AS n', 'misspelt': 'SELECT n FROM sales WHERE n = :n'}
    made = [{**t, 'sql': texts.get(t['name'], t['sql'])} for t in tools if 'sql' in t]
    running = [subprocess.Popen([project.programs + '/carrel', 'tool', 'try', 'without', '--project-dir', project.dir],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(2)]
    project.write('carrel.yaml', matrix.json.dumps({**matrix.QUICK, 'connections': connections, 'tools': made}))
    project.command('mcp', 'reload')
    for call in running:
        said = call.communicate(timeout=60)[0]
        if call.returncode != 0:
            wrong.append('a call during a reload: %s' % said)
    got = matrix.eventually(lambda: [r for r in [attempt(project)] if r and str(r[0][0]) in ('42', '42.0')])
    if not got:
        wrong.append('after a reload: %r' % attempt(project))
    if not matrix.eventually(lambda: 'misspelt' in [t['name'] for t in project.rpc('tools/list', '', {})['tools']]):
        wrong.append('a tool that was mended is not listed')


def attempt(project, name='addresses', **arguments):
    try:
        return project.call(name, **(arguments or {'n': 2}))['rows']
    except (matrix.Failed, OSError):
        return None


TOOLBOX = """sources:
  elsewhere: {kind: %(kind)s, database: x}
tools:
  search-sales:
    kind: %(kind)s-sql
    source: elsewhere
    description: "Sales: of a region"
    parameters:
      - {name: regionName, type: string, description: The region}
      - {name: least, type: float, description: At least, required: false, minValue: 0}
      - {name: n, type: integer, description: Rows, default: 1}
    statement: |
      SELECT n FROM sales -- ? and $1 are no parameters
      WHERE region = %(first)s AND (%(second)s IS NULL OR amount >= %(second)s) AND 'a?:b$1' <> ''
      ORDER BY n DESC LIMIT %(third)s;
  book: {kind: %(kind)s-sql, source: elsewhere, description: d, statement: UPDATE sales SET n = 1}
  table: {kind: %(kind)s-sql, source: elsewhere, description: d, statement: "SELECT * FROM {{.t}}",
    templateParameters: [{name: t, type: string, description: d}]}
"""
MARKS = {'postgres': ('$1', '$2', '$3'), 'sqlite': ('?1', '?2', '?3'), 'mysql': ('?', None, '?')}


def imported(project, column, connections, wrong):
    """A configuration of MCP Toolbox: what can be taken is served, the rest is named."""
    first, second, third = MARKS[column.name]
    text = TOOLBOX % {'kind': column.name, 'first': first, 'second': second or '0', 'third': third}
    if second is None:
        text = text.replace("(0 IS NULL OR amount >= 0)", 'amount >= coalesce(?, 0)')
    project.write('toolbox.yaml', text)
    made = project.command('import-tools', 'toolbox', os.path.join(project.dir, 'toolbox.yaml'))
    for left in ('left out: book: ', 'left out: table: '):
        if left not in made.stderr:
            wrong.append('not said: %s: %s' % (left, made.stderr))
    project.write('carrel.yaml', 'connections: %s\n%s' % (matrix.json.dumps(connections), made.stdout))
    project.command('mcp', 'reload')
    for arguments, expected in (({}, [3]), ({'least': 8}, [1]), ({'n': 5}, [3, 1])):
        got = matrix.eventually(lambda: attempt(project, 'search_sales', region_name='EU', **arguments))
        if got is None or [float(r[0]) for r in got] != expected:
            wrong.append('%r: %r' % (arguments, got))


def tried(look, project, *more):
    """What is wrong by look."""
    wrong = []
    try:
        look(project, *more, wrong)
    except matrix.Failed as e:
        wrong.append(str(e))
    return wrong


def run(columns, results):
    path = results.portable('sales', SALES)

    def work(column):
        column.load('tools', path)
        tools = CHOSEN + TOOLS[:6] + [tool('aside', ASIDE[column.name], n=parameter('integer'))] + TOOLS[6:] + QUERIES
        connections = {'shop': {**column.connection('tools'), 'columns': {'mask': ['sales.email']}}}
        limits = {**matrix.QUICK.get('limits', {}), 'export_rows': 100000}
        project = matrix.Project(results, 'tools-' + column.name, {'connections': connections, 'tools': tools, 'limits': limits})
        cells = {}
        project.write('semantic-layer/shop/sales.yaml', matrix.json.dumps(SALES_SOURCE))
        with project:
            matrix.eventually(lambda: code(project, 'writes', n=1) == 'service_unavailable')
            for row, look in (('values are bound, by type and within bounds', values), ('statements that pass no guard are not listed', listed),
                              ('a token that may use one tool alone; REST; OpenAPI', token), ('the audit has tool, connection and values', audited),
                              ('column policies hold', protected)):
                cells[row] = tried(look, project)
            cells['values of a dimension'] = tried(dimension, project) + tried(chosen, project)
            cells['results as files'] = tried(files, project) + tried(parquet, project, column) + \
                tried(files_of_datasets, project, column)
            cells['queries of the semantic layer'] = tried(stdio, project) + tried(queries, project)
            cells['texts and casts are no parameters'] = tried(others, project)
            cells['changed while calls run'] = tried(changed, project, tools, connections)
            if column.name in MARKS:
                cells['a configuration of MCP Toolbox'] = tried(imported, project, column, connections)
        return cells

    for column, cells in zip(columns, matrix.each(columns, work)):
        for row, wrong in cells.items():
            results.check(row, column, wrong)
