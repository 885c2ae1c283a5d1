SELECT
  (orders.amount - orders.cost) AS margin,
  (avg(((orders.amount - orders.cost) * CAST(1 AS double precision) / NULLIF(orders.amount, 0))) * CAST(1 AS double precision)) AS avg_orders_margin_rate,
  max(CAST(orders.status AS text) COLLATE "C") AS max_orders_status
FROM sales.Orders AS orders
GROUP BY 1
ORDER BY margin NULLS FIRST
LIMIT 1000
