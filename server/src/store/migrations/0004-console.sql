-- What people who look at an app ask for, kept where asking must not cost a walk through everything.

-- How many users and devices an app has: changes to be summed up, so that nobody who adds one waits for another. They
-- are folded into one from time to time.
CREATE TABLE sizes (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  app     INTEGER NOT NULL,
  users   INTEGER NOT NULL,
  devices INTEGER NOT NULL
);
CREATE INDEX sizes_app ON sizes (app);
INSERT INTO sizes (app, users, devices) SELECT app, count(*), 0 FROM users GROUP BY app;
INSERT INTO sizes (app, users, devices) SELECT app, 0, count(*) FROM devices GROUP BY app;

-- What happened in each of the last minutes, written down each second by the node it happened on: every node has rows
-- of its own. A crash loses a second of them; what must be exact stands in the ledger.
CREATE TABLE minutes (
  app      INTEGER NOT NULL,
  minute   INTEGER NOT NULL,             -- Unix time / 60 s
  channel  TEXT NOT NULL,                -- '' for what no channel was chosen for yet: accepted tasks
  node     INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  target   INTEGER NOT NULL,
  sent     INTEGER NOT NULL,
  received INTEGER NOT NULL,
  PRIMARY KEY (app, minute, channel, node)
) WITHOUT ROWID;
CREATE INDEX minutes_minute ON minutes (minute);

-- How many devices of an app are connected to a node; of nodes that live, it is so.
CREATE TABLE node_sessions (
  node   INTEGER NOT NULL,
  app    INTEGER NOT NULL,
  online INTEGER NOT NULL,
  PRIMARY KEY (node, app)
) WITHOUT ROWID;

-- Devices by where they are connected, and by their vendors. The second one is partial also for PostgreSQL's sake: before
-- it knows how large the table is, it would take it for a look by token, and walk all tokens of the vendor.
CREATE INDEX devices_presence ON devices (presence_node, app, id) WHERE presence_node IS NOT NULL;
CREATE INDEX vendor_tokens_vendor ON vendor_tokens (app, vendor, device_id) WHERE quarantined_at IS NULL;

-- Tasks by what people look for: what is not over yet or did not end well, broadcasts, what one user or device was sent,
-- one caller's own id.
ALTER TABLE tasks ADD COLUMN audience_kind TEXT;  -- all | tag | alias | user_id | push_token
ALTER TABLE tasks ADD COLUMN sole_user INTEGER;   -- where the audience is one user
ALTER TABLE tasks ADD COLUMN sole_device INTEGER; -- or one device
ALTER TABLE tasks ADD COLUMN title TEXT;          -- the beginning of what is shown; purged with the message
UPDATE tasks SET audience_kind = CASE
  WHEN audience LIKE '{"all"%' THEN 'all' WHEN audience LIKE '{"tag"%' THEN 'tag' WHEN audience LIKE '{"alias"%' THEN 'alias'
  WHEN audience LIKE '{"user_id"%' THEN 'user_id' WHEN audience LIKE '{"device_id"%' THEN 'push_token' END;
CREATE INDEX tasks_state ON tasks (app, state, id) WHERE state <> 'done';
CREATE INDEX tasks_audience ON tasks (app, audience_kind, id);
CREATE INDEX tasks_user ON tasks (sole_user, id) WHERE sole_user IS NOT NULL;
CREATE INDEX tasks_device ON tasks (sole_device, id) WHERE sole_device IS NOT NULL;
CREATE INDEX tasks_broad ON tasks (app, id) WHERE sole_user IS NULL AND sole_device IS NULL;

-- The same rows in another order: who asks by a request_id may not know whose it was.
CREATE TABLE requests_by_id (
  app        INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  scope_kind TEXT NOT NULL,
  scope_id   INTEGER NOT NULL,
  task_id    INTEGER NOT NULL,
  PRIMARY KEY (app, request_id, scope_kind, scope_id)
) WITHOUT ROWID;
INSERT INTO requests_by_id (app, request_id, scope_kind, scope_id, task_id) SELECT app, request_id, scope_kind, scope_id, task_id FROM requests;
DROP TABLE requests;
ALTER TABLE requests_by_id RENAME TO requests;

CREATE INDEX events_open ON events (app, due_at) WHERE due_at IS NOT NULL;
