SELECT
  CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`
FROM `customers` AS `customers`
WHERE (EXISTS (SELECT 1
FROM `sales`.`Orders` AS `orders`
WHERE `orders`.`customer_id` = `customers`.`id` AND (CONVERT(`orders`.`status` USING utf8mb4) COLLATE utf8mb4_nopad_bin = 'paid' AND (`orders`.`amount` - `orders`.`cost`) > 5)))
  AND (NOT EXISTS (SELECT 1
FROM (
WITH kept AS (SELECT * FROM refund_log WHERE NOT reverted)
SELECT id, order_id, amount FROM kept
) AS `refunds`
LEFT JOIN `sales`.`Orders` AS `orders` ON `refunds`.`order_id` = `orders`.`id`
WHERE `orders`.`customer_id` = `customers`.`id`))
  AND ((SELECT COUNT(*)
FROM `sales`.`Orders` AS `orders`
WHERE `orders`.`customer_id` = `customers`.`id`) > 2)
GROUP BY 1
ORDER BY CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
