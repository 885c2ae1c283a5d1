#!/usr/bin/env python3
"""judge.py ASK_ORACLE ORACLE_DIR [-v]   - oracle/ask's cases through the engine, judged by its score.py, by type"""
import collections, datetime as dt, json, os, subprocess, sys, tempfile

oracle, where, verbose = sys.argv[1], sys.argv[2], '-v' in sys.argv
sys.path.insert(0, where)
import score

SHAPES = ['scalar', 'groups', 'time', 'ranking', 'share', 'compare', 'periods', 'list']


def shown(result):
    """The rows without keys that only tell rows of the same name apart, where no two have one."""
    keys, hidden, rows = result['keys'], result['hidden'], result['rows']
    if not hidden or len({tuple(r[:keys]) for r in rows}) < len(rows):
        return rows
    return [r[:keys] + r[keys + hidden:] for r in rows]


def content(r):
    """What the engine read and the queries gave, as ask_question's structuredContent."""
    s = {'status': r['status'], 'interpretation': r['interpretation'], 'questions': r.get('questions', []), 'code': r.get('code'), 'message': r.get('message'), 'cells': r.get('cells')}
    if 'results' not in r:
        return s
    errors = [x['error'] for x in r['results'] if x['error']]
    if errors:
        return {'status': 'error', 'why': errors[0]}
    rows, shape = [shown(x) for x in r['results']], SHAPES[r['shape']]
    if shape == 'share':
        total = rows[1][0][0] if rows[1] else None
        data = [x + [total, 100.0 * (x[-1] or 0) / total if total else None] for x in rows[0]]
    elif shape in ('compare', 'periods'):
        v = [(x[0][0] if x else None) or 0 for x in rows]
        base = 0
        if shape == 'periods':
            base = 1 if r['results'][0]['label'] > r['results'][1]['label'] else 0
        diff = v[1 - base] - v[base]
        data = [[r['results'][i]['label'], v[i], diff, 100.0 * diff / v[base] if v[base] else None] if i != base else [r['results'][i]['label'], v[i], None, None] for i in (0, 1)]
    else:
        data = rows[0]
    s['rows'] = {'headers': [], 'data': data}
    return s


def main():
    cases = score.load(os.path.join(where, 'cases.jsonl'))
    today = dt.datetime.now(dt.timezone.utc).date()
    data = score.Data([where])
    results, us = {}, []
    for project in sorted({c['project'] for c in cases}):
        base = data.project(project)
        with tempfile.TemporaryDirectory() as tmp:
            db, ask = os.path.join(tmp, 'x.db'), os.path.join(tmp, 'cases')
            subprocess.run([sys.executable, '-B', os.path.join(base, 'build.py'), db], check=True, stdout=subprocess.DEVNULL)
            with open(ask, 'w') as f:
                f.writelines(json.dumps(c) + '\n' for c in cases if c['project'] == project)
            connection = os.listdir(os.path.join(base, 'semantic-layer'))[0]
            out = subprocess.run([oracle, os.path.join(base, 'semantic-layer', connection), os.path.join(base, 'wiki', 'global'), db, ask, '--trace'], check=True, capture_output=True, text=True).stdout
        for line in out.splitlines():
            r = json.loads(line)
            us.append(r['us'])
            results[r['id']] = r['reading']
    types, total = collections.OrderedDict(), collections.Counter()
    for c in cases:
        r = results.get(c['id'])
        verdict, why = score.judge(c, None if r is None else {'structuredContent': content(r)}, data, today)
        total[verdict] += 1
        types.setdefault(c['type'].split('/')[0], collections.Counter())[verdict] += 1
        if verbose and verdict != 'right':
            said = r.get('message') or [q['question'] + ' ' + str(q['suggestions']) for q in r.get('questions', [])] or r['interpretation']
            left = [w for w, by in r.get('words', []) if not by]
            print(verdict, c['id'], c['type'], repr(c['question']), '|', why, '|', str(said)[:200], left, [x['error'] for x in r.get('results', []) if x['error']])
    us.sort()
    print(dict(total), {t: dict(v) for t, v in types.items()}, 'us: p50 %d, p99 %d' % (us[len(us) // 2], us[len(us) * 99 // 100]))
    sys.exit(1 if total['wrong'] or total['bad'] else 0)


main()
