SELECT
  (orders.amount - orders.cost) AS margin,
  avg(((orders.amount - orders.cost) * 1.0 / NULLIF(orders.amount, 0))) AS avg_orders_margin_rate,
  max(orders.status) AS max_orders_status
FROM sales.Orders AS orders
GROUP BY 1
ORDER BY margin
LIMIT 1000
