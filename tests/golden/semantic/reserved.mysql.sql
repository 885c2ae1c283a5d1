SELECT
  CONVERT(`group`.`select` USING utf8mb4) COLLATE utf8mb4_nopad_bin AS `select`,
  COUNT(*) AS `total`,
  max(CONVERT(`group`.`select` USING utf8mb4) COLLATE utf8mb4_nopad_bin) AS `the largest`
FROM `order` AS `group`
WHERE (`group`.`key` > 1)
GROUP BY 1
ORDER BY max(CONVERT(`group`.`select` USING utf8mb4) COLLATE utf8mb4_nopad_bin) DESC, CONVERT(`group`.`select` USING utf8mb4) COLLATE utf8mb4_nopad_bin
LIMIT 1000
