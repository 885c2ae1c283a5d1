"""The shared public questions over databases that were only scanned. The verdict is the same on every engine; the counts
are those that `tests/engines/baseline.json` promises, and only get better."""
import collections, gzip, json, os

import matrix

TITLE = 'Questions over a scan'
SHARED = ['oracle/ask-public/cases.jsonl']
STATUS = {'clarification': 'clarified', 'cannot_answer': 'declined', 'answered': None}


def ask(project, ontology, question):
    try:
        return project.ask(ontology, question)
    except matrix.Failed as e:
        return {'status': 'failed', 'error': str(e)}


def run(columns, results):
    oracle = os.path.join(results.shared, 'oracle/ask-public')
    score = matrix.module(os.path.join(oracle, 'score.py'))
    with open(os.path.join(oracle, 'cases.jsonl'), encoding='utf-8') as f:
        cases = [json.loads(line) for line in f]
    databases = sorted({c['db'] for c in cases})
    scripts = {d: gzip.open(os.path.join(oracle, 'db', d + '.sql.gz'), 'rt', encoding='utf-8').read() for d in databases}

    def work(column):
        for name, script in scripts.items():
            column.dump(name, script)
        project = matrix.Project(results, 'public-' + column.name, {
            'connections': {d: {**column.connection(d), 'workers': 1} for d in databases}})
        project.command('scan', '--deep')
        with project:
            ontologies = project.ontologies()
            return [ask(project, ontologies[c['db']], c['question']) for c in cases]

    answers = matrix.each(columns, work)
    verdicts = []
    for column, given in zip(columns, answers):
        verdicts.append([score.verdict(c, a) for c, a in zip(cases, given)])
        counts = collections.Counter(verdicts[-1])
        for case, verdict, answer in zip(cases, verdicts[-1], given):
            if verdict in ('wrong', 'failed'):
                results.say(column.name, verdict, case['id'], repr(case['question']), str(score.rows(answer)[:3])[:200], answer.get('error', ''))
        results.counts('public cases', column,
                       {k: counts[k] for k in ('right', 'clarified', 'declined', 'wrong', 'failed')}, len(cases))
    for i, (case, found) in enumerate(zip(cases, zip(*verdicts))):
        if len(set(found)) > 1:
            results.fail('all', '%s %r: %s' % (case['id'], case['question'], {
                c.name: (v, (a[i].get('interpretation') or {}).get('text')) for c, v, a in zip(columns, found, answers)}))
