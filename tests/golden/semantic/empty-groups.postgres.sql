SELECT
  customers.segment AS segment,
  sum(orders.amount) AS gross,
  COUNT(orders.customer_id) AS orders,
  (sum(orders.amount) * CAST(1 AS double precision) / NULLIF(COUNT(orders.customer_id), 0)) AS average
FROM customers AS customers
LEFT JOIN sales.Orders AS orders ON orders.customer_id = customers.id
GROUP BY 1
ORDER BY CAST(customers.segment AS text) COLLATE "C" NULLS FIRST
LIMIT 1000
