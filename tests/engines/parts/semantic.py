"""The shared cases of the semantic layer by way of sl_query: the same query gives the same rows on every engine,
and over Parquet, CSV and JSON files with the same tables."""
import json, os

import matrix

TITLE = 'Semantic layer'
SHARED = ['oracle/semantic-layer/cases.jsonl']


def answer(project, connection, query):
    try:
        got = project.call('sl_query', connectionId=connection, **query)
        return {'headers': got['headers'], 'rows': got['rows']}
    except matrix.Failed as e:
        return {'error': ' '.join([str((e.error.get('details') or {}).get('category')), e.error.get('code', ''), e.error.get('message', '')])}


def run(columns, results):
    oracle = os.path.join(results.shared, 'oracle/semantic-layer')
    judge = matrix.module(os.path.join(oracle, 'compare.py')).judge
    with open(os.path.join(oracle, 'cases.jsonl'), encoding='utf-8') as f:
        cases = [json.loads(line) for line in f]
    with open(os.path.join(oracle, 'build.sql'), encoding='utf-8') as f:
        path = results.portable('semantic', f.read())
    models = sorted({c.get('model') or c['id'] for c in cases})

    def work(way):
        column, row, connection, value = way
        project = matrix.Project(results, 'semantic-%s-%s' % (column.name, row.split()[-1]), {
            'connections': {m: {**connection, 'workers': 1} for m in models}})
        for case in cases:
            if 'sources' in case:
                for i, source in enumerate(case['sources']):
                    project.write('semantic-layer/%s/source-%d.yaml' % (case['id'], i), json.dumps(source))
        project.copy(os.path.join(oracle, 'sources'), 'semantic-layer')
        wrong = []
        with project:
            for case in cases:
                verdict, why = judge(case, answer(project, case.get('model') or case['id'], case['query']))
                if verdict not in ('pass', 'alt'):
                    wrong.append('%s: %s %s' % (case['id'], verdict, why))
        results.check(row, column, wrong, value)

    matrix.each(columns, lambda column: column.load('semantic', path))
    ways = [(c, 'shared cases', c.connection('semantic'), 'all') for c in columns]
    for column, files in zip(columns, matrix.each(columns, lambda column: column.files('semantic'))):
        if files:
            ways.append((column, 'over files', files[0], 'all: ' + files[1]))
        else:
            results.put('over files', column, '-')
    matrix.each(ways, work)
