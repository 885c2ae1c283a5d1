SELECT
  CONVERT(ranked.c1 USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `segment`,
  (MAX(CASE WHEN ranked.c3 = FLOOR(ranked.c4) THEN ranked.c2 END) + MAX(ranked.c4 - FLOOR(ranked.c4)) * (MAX(CASE WHEN ranked.c3 = CEILING(ranked.c4) THEN ranked.c2 END) - MAX(CASE WHEN ranked.c3 = FLOOR(ranked.c4) THEN ranked.c2 END))) AS `median_orders_amount`,
  (MAX(CASE WHEN ranked.c3 = FLOOR(ranked.c5) THEN ranked.c2 END) + MAX(ranked.c5 - FLOOR(ranked.c5)) * (MAX(CASE WHEN ranked.c3 = CEILING(ranked.c5) THEN ranked.c2 END) - MAX(CASE WHEN ranked.c3 = FLOOR(ranked.c5) THEN ranked.c2 END))) AS `percentile_orders_amount_0_9`
FROM (
SELECT
  `customers`.`segment` AS c1,
  (`orders`.`amount`) * 1e0 AS c2,
  ROW_NUMBER() OVER (PARTITION BY CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin ORDER BY (`orders`.`amount`) * 1e0 IS NULL, (`orders`.`amount`) * 1e0) - 1 AS c3,
  (0.5) * 1e0 * (COUNT(`orders`.`amount`) OVER (PARTITION BY CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin ) - 1) AS c4,
  (0.9) * 1e0 * (COUNT(`orders`.`amount`) OVER (PARTITION BY CONVERT(`customers`.`segment` USING utf8mb4) COLLATE utf8mb4_nopad_bin ) - 1) AS c5
FROM `customers` AS `customers`
LEFT JOIN `sales`.`Orders` AS `orders` ON `orders`.`customer_id` = `customers`.`id`
) AS ranked
GROUP BY 1
ORDER BY CONVERT(ranked.c1 USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
