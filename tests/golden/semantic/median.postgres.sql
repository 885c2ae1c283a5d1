SELECT
  customers.segment AS segment,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY (orders.amount) * CAST(1 AS double precision)) AS median_orders_amount,
  percentile_cont(0.9) WITHIN GROUP (ORDER BY (orders.amount) * CAST(1 AS double precision)) AS percentile_orders_amount_0_9
FROM customers AS customers
LEFT JOIN sales.Orders AS orders ON orders.customer_id = customers.id
GROUP BY 1
ORDER BY CAST(customers.segment AS text) COLLATE "C" NULLS FIRST
LIMIT 1000
