"""What a team wrote for Looker and Cube, imported: each measure in each group is the number of the SQL by which the tool
defines it, written by hand and run over drawn data, on every engine; joins that fan out change nothing."""
import collections, math, os, random, sqlite3

import matrix

TITLE = 'Imported knowledge'
TABLES = """CREATE TABLE people (id INTEGER PRIMARY KEY, country TEXT, rate INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, seller_id INTEGER, status TEXT, note TEXT, qty INTEGER, amount INTEGER, sold_at DATETIME);
CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER, price INTEGER);
"""
LOOKML = """
view: people {
  dimension: id { primary_key: yes type: number }
  dimension: country {}
  dimension: rate { type: number }
  measure: count { type: count }
}
view: orders {
  dimension: id { primary_key: yes type: number }
  dimension: user_id { type: number }
  dimension: status {}
  dimension: note {}
  dimension: qty { type: number }
  dimension: amount { type: number }
  dimension: large { type: yesno sql: ${qty} > 2 ;; }
  dimension: size { case: { when: { sql: ${large} ;; label: "big" } else: "small" } }
  dimension_group: sold { timeframes: [raw, date, week, month, quarter, year] sql: ${TABLE}.sold_at ;; }
  dimension: sold_in { sql: ${sold_month} ;; }
  measure: count { type: count }
  measure: total { type: sum sql: ${amount} ;; }
  measure: mean { type: average sql: ${amount} ;; }
  measure: lowest { type: min sql: ${amount} ;; }
  measure: middle { type: median sql: ${amount} ;; }
  measure: buyers { type: count_distinct sql: ${user_id} ;; }
  measure: rated { type: sum sql: ${amount} * ${people.rate} ;; }
  measure: large_count { type: count filters: [large: "yes"] }
  measure: small_total { type: sum sql: ${amount} ;; filters: [large: "no"] }
  measure: done_total { type: sum sql: ${amount} ;; filters: [status: "in_progress,done"] }
  measure: open_count { type: count filters: [status: "-done,-void"] }
  measure: noted { type: count filters: [note: "-EMPTY"] }
  measure: unnoted { type: count filters: [note: "EMPTY"] }
  measure: with_x { type: count filters: [note: "%x%"] }
  measure: from_ab { type: count filters: [note: "ab%"] }
  measure: to_yz { type: count filters: [note: "%yz,A%Z"] }
  measure: not_ab { type: count filters: [note: "-ab%"] }
  measure: few { type: count filters: [qty: ">=1 AND <3, 7"] }
  measure: not_two { type: count filters: [qty: "NOT 2, 3"] }
  measure: between { type: count filters: [qty: "(1, 4]"] }
  measure: spring { type: sum sql: ${amount} ;; filters: [sold_date: "2024-03-05 to 2024-06"] }
  measure: march_buyers { type: count_distinct sql: ${user_id} ;; filters: [sold_date: "2024-03"] }
  measure: at_home { type: average sql: ${amount} ;; filters: [people.country: "-US"] }
  measure: days { type: count_distinct sql: ${sold_date} ;; }
  measure: weeks { type: count_distinct sql: ${sold_week} ;; }
  measure: months { type: count_distinct sql: ${sold_in} ;; }
  measure: quarters { type: count_distinct sql: ${sold_quarter} ;; }
  measure: latest { type: max sql: ${sold_year} + 1 ;; }
  measure: late_days { type: count_distinct sql: CASE WHEN ${sold_month} >= '2024-05' THEN ${sold_date} END ;; }
  measure: two_months { type: count filters: [sold_month: "2024-03 to 2024-05"] }
  measure: second_quarter { type: sum sql: ${amount} ;; filters: [sold_quarter: "2024-04 to 2024-07"] }
  measure: done_share { type: number sql: 1.0 * ${done_total} / NULLIF(${total}, 0) ;; }
  measure: per_buyer { type: number sql: ${total} / NULLIF(${buyers}, 0) ;; }
}
view: items {
  dimension: id { primary_key: yes type: number }
  dimension: order_id { type: number }
  measure: value { type: sum sql: ${TABLE}.price ;; }
  measure: pieces { type: count }
}
view: spenders {
  derived_table: {
    sql: SELECT o.user_id AS who, count(*) AS made, sum(o.amount) AS spent -- of each
           FROM ${orders.SQL_TABLE_NAME} o GROUP BY o.user_id ;;
    datagroup_trigger: nightly
  }
  dimension: who { primary_key: yes type: number }
  dimension: made { type: number }
  dimension: often { type: yesno sql: ${made} > 9 ;; }
  measure: spent_in_all { type: sum sql: ${TABLE}.spent ;; }
  measure: most { type: max sql: ${made} ;; }
  measure: often_count { type: count filters: [often: "yes"] }
}
view: big_spenders {
  derived_table: { sql: SELECT s.who, s.spent FROM ${spenders.SQL_TABLE_NAME} s WHERE s.spent > 300; ;; }
  dimension: who { primary_key: yes type: number }
  measure: big { type: average sql: ${TABLE}.spent ;; }
}
explore: spenders {
  join: people { sql_on: ${spenders.who} = ${people.id} ;; }
  join: big_spenders { sql_on: ${spenders.who} = ${big_spenders.who} ;; relationship: one_to_one }
}
explore: big_spenders { join: people { sql_on: ${big_spenders.who} = ${people.id} ;; } }
explore: orders {
  join: people { sql_on: ${orders.user_id} = ${people.id} ;; relationship: many_to_one }
  join: items { sql_on: ${items.order_id} = ${orders.id} ;; relationship: one_to_many }
  join: sellers { from: people sql_on: ${orders.TABLE}.seller_id = ${sellers.id} ;; }
}
explore: done_orders { from: orders sql_always_where: ${done_orders.status} = 'done' ;; }
explore: people {}
explore: items {
  sql_always_where: ${orders.status} <> 'void' ;;
  join: orders { sql_on: ${items.order_id} = ${orders.id} ;; }
  join: people { sql_on: ${orders.user_id} = ${people.id} ;; }
}
""".replace('${orders.TABLE}.seller_id', 'orders.seller_id')
CUBE = """
cubes:
  - name: people
    sql_table: people
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: country, sql: country, type: string}]
    measures: [{name: count, type: count}]
  - name: orders
    sql: SELECT * FROM orders
    joins:
      - {name: people, relationship: many_to_one, sql: "{CUBE}.user_id = {people.id}"}
      - {name: items, relationship: one_to_many, sql: "{CUBE.id} = {items}.order_id"}
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: status, sql: "{CUBE}.status", type: string}
      - {name: bulk, type: string, case: {when: [{sql: "{CUBE}.qty > 2", label: big}], else: {label: small}}}
    measures:
      - {name: orders, type: count}
      - {name: sold, type: sum, sql: "{CUBE}.amount"}
      - {name: average, type: avg, sql: amount}
      - {name: highest, type: max, sql: amount}
      - {name: users, type: count_distinct, sql: user_id}
      - {name: kept, type: sum, sql: amount, filters: [{sql: "{status} <> 'void'"}, {sql: "{people.country} = 'US' OR {CUBE}.qty > 2"}]}
      - {name: done, type: count, filters: [{sql: "{CUBE}.status = 'done'"}]}
      - {name: done_rate, type: number, sql: "100.0 * {done} / NULLIF({orders}, 0)"}
      - {name: recent, type: sum, sql: amount, rolling_window: {trailing: 1 month}}
    segments: [{name: finished, sql: "{CUBE}.status = 'done'"}]
  - name: buyers
    sql: SELECT user_id AS who, sum(amount) AS spent FROM {orders.sql()} AS o GROUP BY user_id
    joins: [{name: people, relationship: many_to_one, sql: "{CUBE}.who = {people.id}"}]
    dimensions: [{name: who, sql: who, type: number, primary_key: true}]
    measures: [{name: top, type: max, sql: spent}]
  - name: items
    sql_table: items
    dimensions: [{name: id, sql: id, type: number, primary_key: true}]
    measures: [{name: worth, type: sum, sql: price}]
"""
BY = {'people.country': 'p.country', 'orders.status': 'o.status', 'orders.user_id': 'o.user_id', 'orders.size': "CASE WHEN o.qty > 2 THEN 'big' ELSE 'small' END",
      'orders.sold_in': "strftime('%Y-%m', o.sold_at)"}
FROM = ' FROM orders o LEFT JOIN people p ON o.user_id = p.id'
LIMITED = " FROM items i LEFT JOIN orders o ON i.order_id = o.id LEFT JOIN people p ON o.user_id = p.id WHERE o.status <> 'void'"
ITEMS = LIMITED.split(' WHERE')[0]
# What Looker computes when a join to items multiplies the orders: each order once, by its key.
ONCE = ' FROM (SELECT DISTINCT o.* FROM orders o LEFT JOIN items i ON i.order_id = o.id) o LEFT JOIN people p ON o.user_id = p.id'


SPENDERS = ' FROM (SELECT user_id AS who, count(*) AS made, sum(amount) AS spent FROM orders GROUP BY user_id) f'
SPENDERS += ' LEFT JOIN people p ON f.who = p.id'
DAY = '(julianday(date(o.sold_at)) + 0.5)'


def when(condition, value='1'):
    return 'CASE WHEN %s THEN %s END' % (condition, value)


def total(value):
    return 'coalesce(sum(%s), 0)' % value


MEDIAN = 'median(o.amount)'
DONE = total(when("o.status LIKE 'in_progress' OR o.status = 'done'", 'o.amount'))
SPRING = "o.sold_at >= '2024-03-05' AND o.sold_at < '2024-06-01'"
# A measure, the tool's aggregate of it, and its rows.
MEASURES = {
    'lookml': [
        ('orders.count', 'count(*)', FROM), ('orders.total', total('o.amount'), ONCE), ('orders.mean', 'avg(o.amount)', ONCE),
        ('orders.lowest', 'min(o.amount)', FROM), ('orders.middle', MEDIAN, FROM), ('orders.buyers', 'count(DISTINCT o.user_id)', ONCE),
        ('orders.rated', total('o.amount * p.rate'), FROM), ('orders.large_count', 'count(%s)' % when('o.qty > 2'), FROM),
        ('orders.small_total', total(when('NOT coalesce(o.qty > 2, 0)', 'o.amount')), FROM), ('orders.done_total', DONE, FROM),
        ('orders.open_count', 'count(%s)' % when("o.status NOT IN ('done', 'void') OR o.status IS NULL"), FROM),
        ('orders.noted', 'count(%s)' % when("o.note IS NOT NULL AND length(o.note) <> 0"), FROM),
        ('orders.unnoted', 'count(%s)' % when("o.note IS NULL OR length(o.note) = 0"), FROM),
        ('orders.with_x', 'count(%s)' % when("o.note LIKE '%x%'"), FROM), ('orders.from_ab', 'count(%s)' % when("o.note LIKE 'ab%'"), FROM),
        ('orders.to_yz', 'count(%s)' % when("o.note LIKE '%yz' OR o.note LIKE 'A%Z'"), FROM),
        ('orders.not_ab', 'count(%s)' % when("o.note NOT LIKE 'ab%' OR o.note IS NULL"), FROM),
        ('orders.few', 'count(%s)' % when('(o.qty >= 1 AND o.qty < 3) OR o.qty = 7'), FROM),
        ('orders.not_two', 'count(%s)' % when('(o.qty <> 2 AND o.qty <> 3) OR o.qty IS NULL'), FROM),
        ('orders.between', 'count(%s)' % when('o.qty > 1 AND o.qty <= 4'), FROM), ('orders.spring', total(when(SPRING, 'o.amount')), FROM),
        ('orders.march_buyers', 'count(DISTINCT %s)' % when("o.sold_at >= '2024-03-01' AND o.sold_at < '2024-04-01'", 'o.user_id'), FROM),
        ('orders.at_home', 'avg(%s)' % when("p.country <> 'US' OR p.country IS NULL", 'o.amount'), FROM),
        ('orders.done_share', '1.0 * %s / nullif(%s, 0)' % (DONE, total('o.amount')), FROM),
        ('orders.per_buyer', '1.0 * %s / nullif(count(DISTINCT o.user_id), 0)' % total('o.amount'), FROM),
        ('orders.days', 'count(DISTINCT date(o.sold_at))', FROM),
        ('orders.quarters', "count(DISTINCT (strftime('%m', o.sold_at) + 2) / 3)", FROM),
        ('orders.weeks', 'count(DISTINCT %s / 7 - (%s %% 7) / 7.0)' % (DAY, DAY), FROM),
        ('orders.months', "count(DISTINCT strftime('%Y-%m', o.sold_at))", FROM), ('orders.latest', '2025', FROM),
        ('orders.late_days', "count(DISTINCT %s)" % when("o.sold_at >= '2024-05-01'", 'date(o.sold_at)'), FROM),
        ('orders.two_months', 'count(%s)' % when("o.sold_at >= '2024-03-01' AND o.sold_at < '2024-05-01'"), FROM),
        ('orders.second_quarter',
         total(when("o.sold_at >= '2024-04-01' AND o.sold_at < '2024-07-01'", 'o.amount')), FROM),
        ('orders.count', 'count(*)', FROM, 'orders.sold_in'),
        ('spenders.spent_in_all', total('f.spent'), SPENDERS, 'people.country'),
        ('spenders.most', 'max(f.made)', SPENDERS, 'people.country'),
        ('spenders.often_count', 'count(%s)' % when('f.made > 9'), SPENDERS, 'people.country'),
        ('big_spenders.big', 'avg(f.spent)', SPENDERS + ' WHERE f.spent > 300', 'people.country'),
        ('items.value', total('i.price'), LIMITED), ('items.pieces', 'count(*)', LIMITED),
    ],
    'cube': [
        ('orders.orders', 'count(o.id)', ONCE), ('orders.sold', 'sum(o.amount)', ONCE), ('orders.average', 'avg(o.amount)', ONCE),
        ('orders.highest', 'max(o.amount)', FROM), ('orders.users', 'count(DISTINCT o.user_id)', FROM),
        ('orders.kept', 'sum(%s)' % when("(o.status <> 'void') AND (p.country = 'US' OR o.qty > 2)", 'o.amount'), FROM),
        ('orders.done', 'count(%s)' % when("o.status = 'done'", 'o.id'), FROM),
        ('orders.done_rate', '100.0 * count(%s) / nullif(count(o.id), 0)' % when("o.status = 'done'", 'o.id'), FROM),
        ('buyers.top', 'max(f.spent)', SPENDERS, 'people.country'),
        ('items.worth', 'sum(i.price)', ITEMS),
    ],
}
# A segment, a measure of its rows, the same as the tool limits them.
SEGMENTS = {'lookml': ('orders.done_orders', 'orders.total', total('o.amount')), 'cube': ('orders.finished', 'orders.sold', 'sum(o.amount)')}


class Median:
    def __init__(self):
        self.values = []

    def step(self, value):
        self.values += [] if value is None else [value]

    def finalize(self):
        v, n = sorted(self.values), len(self.values)
        return None if n == 0 else (v[(n - 1) // 2] + v[n // 2]) / 2


def draw(seed):
    """Rows with keys that lead nowhere, values that are missing, orders without items and people without orders."""
    r = random.Random(seed)
    notes = [None, '', 'ab', 'abx', 'Abx', 'xyz', 'yz', 'AxZ', 'aXb', 'a_b', 'äbx', '%x']
    some = lambda v: None if r.random() < .1 else v
    yield from (('people', (i, some(r.choice(['US', 'DE', 'us'])), some(r.randrange(4)))) for i in range(1, 9))
    for i in range(1, 91):
        yield 'orders', (i, some(r.randrange(1, 11)), some(r.randrange(1, 9)), some(r.choice(['done', 'in_progress', 'in-progress', 'void', 'Done'])),
                         r.choice(notes), some(r.randrange(9)), some(r.randrange(100)), '2024-%02d-%02d 10:00:00' % (r.randrange(2, 8), r.randrange(1, 29)))
    yield from (('items', (i, r.randrange(1, 100), some(r.randrange(20)))) for i in range(1, 201))


def expected(path, statement):
    db = sqlite3.connect(path)
    db.create_aggregate('median', 1, Median)
    db.execute('PRAGMA case_sensitive_like = 1')
    return {k: v for k, v in db.execute(statement)}


def is_same(a, b):
    return a == b or (a is not None and b is not None and math.isclose(float(a), float(b), rel_tol=1e-9))


def compare(project, path, measure, aggregate, rows, dimension, segment=None):
    """Each group of the tool has its number; one that it does not have is 0 or empty.  (Rows that lead to no row of a
    dimension's table are a group of the tool, and none here.)"""
    theirs = expected(path, 'SELECT %s AS k, %s AS v%s GROUP BY 1' % (BY[dimension], aggregate, rows))
    query = {'measures': [measure], 'dimensions': [dimension], **({'segments': [segment]} if segment else {})}
    try:
        rows = project.call('sl_query', connectionId='shop', **query)['rows']
    except matrix.Failed as e:
        return ['%s by %s: %s' % (measure, dimension, e)]
    ours = {str(k) if k is not None else None: v for k, v in rows}
    theirs = {str(k) if k is not None else None: v for k, v in theirs.items()}
    if dimension.split('.')[0] != measure.split('.')[0]:
        theirs.pop(None, None)
        ours.pop(None, None)
    wrong = ['%s: %s, not %s' % (k, ours.get(k), v) for k, v in theirs.items() if k not in ours or not is_same(ours[k], v)]
    wrong += ['%s: %s, which the tool does not have' % (k, v) for k, v in ours.items() if k not in theirs and v not in (None, 0)]
    wrong += [] if any(theirs.values()) and ours else ['no numbers']
    return ['%s by %s: %s' % (measure, dimension, w) for w in wrong[:2]]


def take(project, results, kind):
    """Import the kind twice; what is wrong with that."""
    path = os.path.join(results.scratch, kind)
    skipped = project.json('import-knowledge', kind, path)['report']['skipped']
    wrong = ['%(as)s %(name)s is skipped: %(reason)s' % s for s in skipped if s['name'] != 'orders.recent']
    return wrong + ['a second run changes %(path)s' % c for c in project.json('import-knowledge', kind, path)['changes']]


def work(column, path, results):
    """What is wrong, by kind; both are imported into one project."""
    project = matrix.Project(results, 'knowledge-' + column.name, {'connections': {'shop': column.connection('knowledge')}})
    project.command('scan')
    dimensions = [d for d in BY if d != 'orders.sold_in']
    with project:
        wrong = {kind: take(project, results, kind) for kind in MEASURES}
        for kind, measures in MEASURES.items():
            for i, (measure, aggregate, rows, *by) in enumerate(measures):
                by = by or [dimensions[i % len(dimensions)]]
                wrong[kind] += compare(project, path, measure, aggregate, rows, *by)
            segment, measure, aggregate = SEGMENTS[kind]
            limited = aggregate.replace('o.amount', when("o.status = 'done'", 'o.amount'))
            wrong[kind] += compare(project, path, measure, limited, FROM, 'people.country', segment)
    return wrong


def run(columns, results):
    rows = collections.defaultdict(list)
    for table, values in draw(5):
        rows[table].append('(%s)' % ', '.join('NULL' if v is None else "'%s'" % v if isinstance(v, str) else str(v) for v in values))
    path = results.portable('knowledge', TABLES, *['INSERT INTO %s VALUES %s;' % (t, ', '.join(v)) for t, v in rows.items()])
    for kind, name, text in (('lookml', 'shop.lkml', LOOKML), ('cube', 'shop.yml', CUBE)):
        os.makedirs(os.path.join(results.scratch, kind))
        with open(os.path.join(results.scratch, kind, name), 'w', encoding='utf-8') as f:
            f.write(text)
    matrix.each(columns, lambda column: column.load('knowledge', path))
    for column, wrong in zip(columns, matrix.each(columns, lambda column: work(column, path, results))):
        for kind, name in (('lookml', 'LookML'), ('cube', 'Cube')):
            results.check('measures of ' + name, column, wrong[kind], '%d' % len(MEASURES[kind]))
