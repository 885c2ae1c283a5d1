"""The shared questions over a project with a model written by hand. The judge's verdict is the same on every engine; the
counts are those that `tests/engines/baseline.json` promises, and only get better."""
import collections, datetime, json, os, re, subprocess, sys

import matrix

TITLE = 'Questions over a written model'
SHARED = ['oracle/ask/cases.jsonl']
MODEL = 'semantic-layer/billing'


def settings(project, values):
    status, text = project.http('PATCH', '/api/user-settings', {'dataAgent': values})
    if status >= 300:
        raise matrix.Failed('PATCH /api/user-settings: %d %s' % (status, text[:200]))


def ask(project, ontology, case):
    """A line of results, as score.py of the oracle reads it."""
    preferences = case.get('preferences') or {}
    if preferences:
        settings(project, preferences)
    try:
        result = project.rpc('tools/call', 'ask_question', {'name': 'ask_question', 'arguments': {
            'ontologyId': ontology, 'question': case['question']}})
    except matrix.Failed as e:
        result = {'isError': True, 'structuredContent': {'error': e.error}}
    if preferences:
        settings(project, {k: None for k in preferences})
    return result


def run(columns, results):
    oracle = os.path.join(results.shared, 'oracle/ask')
    score = matrix.module(os.path.join(oracle, 'score.py'))
    cases = score.load(os.path.join(oracle, 'cases.jsonl'))
    today = datetime.datetime.now(datetime.timezone.utc).date()
    data = score.Data([oracle])
    base = data.project('subscriptions')
    path = os.path.join(results.scratch, 'billing.portable')
    subprocess.run([sys.executable, '-B', os.path.join(base, 'build.py'), path], check=True, stdout=subprocess.DEVNULL)

    def work(column):
        column.load('billing', path)
        project = matrix.Project(results, 'ask-' + column.name, {'connections': {'billing': column.connection('billing')}})
        project.copy(os.path.join(base, 'semantic-layer'), 'semantic-layer')
        project.copy(os.path.join(base, 'wiki'), 'wiki')
        for name in os.listdir(os.path.join(project.dir, MODEL)):
            with open(os.path.join(project.dir, MODEL, name), encoding='utf-8') as f:
                project.write(MODEL + '/' + name, column.model(f.read()))
        project.command('scan', '--deep')
        with project:
            ontology = project.ontologies()['billing']
            return [ask(project, ontology, case) for case in cases]

    answers = matrix.each(columns, work)
    verdicts = []
    for column, given in zip(columns, answers):
        judged = [score.judge(c, r, data, today) for c, r in zip(cases, given)]
        verdicts.append([v for v, _ in judged])
        counts = collections.Counter(verdicts[-1])
        for case, (verdict, why), answer in zip(cases, judged, given):
            if verdict != 'right':
                results.say(column.name, verdict, case['id'], repr(case['question']), why)
        results.counts('shared cases', column,
                       {k: counts[k] for k in ('right', 'missed', 'wrong', 'bad')}, len(cases))
    for case, found in zip(cases, zip(*verdicts)):
        if len(set(found)) > 1:
            results.fail('all', '%s %r: %s' % (case['id'], case['question'], dict(zip((c.name for c in columns), found))))
