SELECT
  customers.segment AS segment,
  sum(orders.amount) AS gross,
  COUNT(orders.customer_id) AS orders,
  (sum(orders.amount) * 1.0 / NULLIF(COUNT(orders.customer_id), 0)) AS average
FROM customers AS customers
LEFT JOIN sales.Orders AS orders ON orders.customer_id = customers.id
GROUP BY 1
ORDER BY customers.segment COLLATE BINARY
LIMIT 1000
