WITH orders_agg AS (
SELECT
  customers.segment AS segment,
  sum(orders.amount) AS gross
FROM sales.Orders AS orders
LEFT JOIN customers AS customers ON orders.customer_id = customers.id
GROUP BY 1
),
refunds_agg AS (
SELECT
  customers.segment AS segment,
  sum(refunds.amount) AS refunded
FROM (
WITH kept AS (SELECT * FROM refund_log WHERE NOT reverted)
SELECT id, order_id, amount FROM kept
) AS refunds
LEFT JOIN sales.Orders AS orders ON refunds.order_id = orders.id
LEFT JOIN customers AS customers ON orders.customer_id = customers.id
GROUP BY 1
)
SELECT
  segment,
  MAX(gross) AS gross,
  MAX(refunded) AS refunded
FROM (
  SELECT segment, gross, NULL AS refunded
  FROM orders_agg
  UNION ALL
  SELECT segment, NULL, refunded
  FROM refunds_agg
) AS facts
GROUP BY segment
ORDER BY gross DESC NULLS LAST, CAST(segment AS text) COLLATE "C" NULLS FIRST
LIMIT 10
