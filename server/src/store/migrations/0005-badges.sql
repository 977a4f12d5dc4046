-- A row a device instead of a block of 256: on PostgreSQL a push holds the row it counts in until it is on the disk, and
-- pushes to different devices must not wait for one another. The blocks held Int32, the lowest byte first.
CREATE TABLE device_badges (
  device_id INTEGER PRIMARY KEY,
  count     INTEGER NOT NULL
);
WITH RECURSIVE places (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < 255),
cells (device_id, cell) AS (SELECT block * 256 + place, substr(counts, place * 4 + 1, 4) FROM badges CROSS JOIN places),
digits (device_id, digits) AS (SELECT device_id, hex(cell) FROM cells),
counted (device_id, count) AS (
  SELECT device_id, 16 * instr('123456789ABCDEF', substr(digits, 1, 1)) + instr('123456789ABCDEF', substr(digits, 2, 1))
    + 256 * (16 * instr('123456789ABCDEF', substr(digits, 3, 1)) + instr('123456789ABCDEF', substr(digits, 4, 1)))
    + 65536 * (16 * instr('123456789ABCDEF', substr(digits, 5, 1)) + instr('123456789ABCDEF', substr(digits, 6, 1)))
    + 16777216 * (16 * instr('123456789ABCDEF', substr(digits, 7, 1)) + instr('123456789ABCDEF', substr(digits, 8, 1)))
  FROM digits
)
INSERT INTO device_badges (device_id, count) SELECT device_id, count FROM counted WHERE count > 0;
DROP TABLE badges;
ALTER TABLE device_badges RENAME TO badges;
