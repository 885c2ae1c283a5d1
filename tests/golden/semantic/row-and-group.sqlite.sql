SELECT
  orders.status AS status,
  sum(orders.amount) AS gross
FROM sales.Orders AS orders
LEFT JOIN customers AS customers ON orders.customer_id = customers.id
WHERE (orders.status = 'paid' OR orders.amount > 5)
  AND (customers.segment IN ('a', 'b'))
GROUP BY 1
HAVING (sum(orders.amount) BETWEEN 10 AND 20)
ORDER BY orders.status COLLATE BINARY
LIMIT 1000
