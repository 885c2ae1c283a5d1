"""The shared cases of the semantic layer by way of sl_query: the same query gives the same rows on every engine."""
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

    def work(column):
        column.load('semantic', path)
        project = matrix.Project(results, 'semantic-' + column.name, {
            'connections': {m: {**column.connection('semantic'), 'workers': 1} for m in models}})
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
        results.check('shared cases', column, wrong, 'all')

    matrix.each(columns, work)
