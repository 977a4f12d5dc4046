-- What single pushes count, a row a device: on PostgreSQL a push holds the row it counts in until it is on the disk, and
-- pushes to different devices must not wait for one another. Broadcasts go on counting in blocks; a badge is the sum.
CREATE TABLE device_badges (
  device_id INTEGER PRIMARY KEY,
  count     INTEGER NOT NULL
);
