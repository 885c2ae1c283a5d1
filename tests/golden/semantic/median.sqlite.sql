SELECT
  customers.segment AS segment,
  percentile_cont(orders.amount, 0.5) AS median_orders_amount,
  percentile_cont(orders.amount, 0.9) AS percentile_orders_amount_0_9
FROM customers AS customers
LEFT JOIN sales.Orders AS orders ON orders.customer_id = customers.id
GROUP BY 1
ORDER BY customers.segment COLLATE BINARY
LIMIT 1000
