-- What a node is told about the sessions it holds, by the others. The bus says "look"; this says what. A row goes when
-- its node has read it, or with its node.
CREATE TABLE frames (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  node      INTEGER NOT NULL,
  kind      TEXT NOT NULL,              -- wake | moved | received
  device_id INTEGER NOT NULL,
  number    INTEGER NOT NULL            -- moved: of the session that is over; received: the task
);
CREATE INDEX frames_node ON frames (node, id);
