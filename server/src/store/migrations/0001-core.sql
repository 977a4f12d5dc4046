-- Times are Unix milliseconds in columns that end in _at. Ids are never reused: the ledger and the plan cursor rely on it.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value BLOB NOT NULL
);

CREATE TABLE apps (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  app_id     TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  settings   TEXT NOT NULL DEFAULT '{}', -- JSON; only what differs from the defaults in access/settings.ts
  created_at INTEGER NOT NULL
);

CREATE TABLE users (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  app           INTEGER NOT NULL REFERENCES apps (id),
  name          TEXT NOT NULL,
  mobile        TEXT,
  email         TEXT,
  email_key     TEXT,              -- lower case: email is compared without case
  password_hash TEXT,              -- PHC string; NULL: this user cannot log in with a password
  disabled      INTEGER NOT NULL DEFAULT 0,
  push_enabled  INTEGER NOT NULL DEFAULT 1,
  quiet_start   INTEGER,           -- hour 0..23 in time_zone; both or neither
  quiet_end     INTEGER,
  time_zone     TEXT,
  created_at    INTEGER NOT NULL
);
CREATE UNIQUE INDEX users_name ON users (app, name);
CREATE UNIQUE INDEX users_mobile ON users (app, mobile) WHERE mobile IS NOT NULL;
CREATE UNIQUE INDEX users_email ON users (app, email_key) WHERE email_key IS NOT NULL;
CREATE INDEX users_app ON users (app, id);

CREATE TABLE user_groups (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  app        INTEGER NOT NULL REFERENCES apps (id),
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX user_groups_app ON user_groups (app, id);

CREATE TABLE group_members (
  group_id INTEGER NOT NULL REFERENCES user_groups (id),
  user_id  INTEGER NOT NULL REFERENCES users (id),
  PRIMARY KEY (group_id, user_id)
) WITHOUT ROWID;
CREATE INDEX group_members_user ON group_members (user_id);

CREATE TABLE devices (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  app              INTEGER NOT NULL REFERENCES apps (id),
  user_id          INTEGER NOT NULL REFERENCES users (id),
  guid             TEXT NOT NULL,
  push_token_hash  BLOB NOT NULL,
  push_token       BLOB NOT NULL,             -- sealed
  platform         TEXT NOT NULL DEFAULT 'other',
  alias            TEXT,
  logged_in        INTEGER NOT NULL DEFAULT 1, -- 0 after a logout or kick: no vendor is used for it
  presence_node    INTEGER,                    -- the node incarnation that holds its session
  presence_session INTEGER,
  created_at       INTEGER NOT NULL,
  seen_at          INTEGER NOT NULL
);
CREATE UNIQUE INDEX devices_guid ON devices (app, guid);
CREATE UNIQUE INDEX devices_push_token ON devices (push_token_hash);
CREATE INDEX devices_app ON devices (app, id);
CREATE INDEX devices_user ON devices (user_id, id);
CREATE INDEX devices_alias ON devices (app, alias, id) WHERE alias IS NOT NULL;

CREATE TABLE device_tags (
  app       INTEGER NOT NULL,
  tag       TEXT NOT NULL,
  device_id INTEGER NOT NULL REFERENCES devices (id),
  PRIMARY KEY (app, tag, device_id)
) WITHOUT ROWID;
CREATE INDEX device_tags_device ON device_tags (device_id, tag);

CREATE TABLE vendor_tokens (
  device_id      INTEGER NOT NULL REFERENCES devices (id),
  vendor         TEXT NOT NULL,
  environment    INTEGER NOT NULL,
  app            INTEGER NOT NULL,
  token          TEXT NOT NULL,
  quarantined_at INTEGER,
  bound_at       INTEGER NOT NULL,
  PRIMARY KEY (device_id, vendor, environment)
) WITHOUT ROWID;
CREATE UNIQUE INDEX vendor_tokens_token ON vendor_tokens (app, vendor, environment, token);
CREATE INDEX vendor_tokens_quarantine ON vendor_tokens (app, vendor, environment, quarantined_at) WHERE quarantined_at IS NOT NULL;

CREATE TABLE access_tokens (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  hash       BLOB NOT NULL,        -- SHA-256 of the token
  kind       TEXT NOT NULL,        -- admin | user
  app        INTEGER NOT NULL REFERENCES apps (id),
  user_id    INTEGER REFERENCES users (id),
  device_id  INTEGER REFERENCES devices (id),
  name       TEXT,
  store_hash BLOB,                 -- SHA-256 of the file token
  file_key   BLOB,                 -- sealed
  created_at INTEGER NOT NULL,
  expires_at INTEGER
);
CREATE UNIQUE INDEX access_tokens_hash ON access_tokens (hash);
CREATE UNIQUE INDEX access_tokens_store ON access_tokens (store_hash) WHERE store_hash IS NOT NULL;
CREATE INDEX access_tokens_user ON access_tokens (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX access_tokens_device ON access_tokens (device_id) WHERE device_id IS NOT NULL;
CREATE INDEX access_tokens_app ON access_tokens (app, kind, id);
CREATE INDEX access_tokens_expiry ON access_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- Guesses at passwords, by bucket: an account, a known device of an account, a source address.
CREATE TABLE attempts (
  bucket      TEXT PRIMARY KEY,
  failures    INTEGER NOT NULL,
  next_at     INTEGER NOT NULL,    -- no attempt before this
  forgets_at  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX attempts_forgets ON attempts (forgets_at);

CREATE TABLE certificates (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  app         INTEGER NOT NULL REFERENCES apps (id),
  vendor      TEXT NOT NULL,
  environment INTEGER NOT NULL,
  name        TEXT NOT NULL,
  app_id      TEXT NOT NULL,
  app_key     TEXT NOT NULL,
  secrets     BLOB NOT NULL,       -- sealed JSON: app_secret, certificate, options
  expires_at  INTEGER,             -- of the credential itself, where it has a date
  updated_at  INTEGER NOT NULL
);
CREATE UNIQUE INDEX certificates_place ON certificates (app, vendor, environment);

CREATE TABLE audit_log (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  app    INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  actor  TEXT NOT NULL,            -- "admin token 3 (ci)", "user 7", "command line"
  action TEXT NOT NULL,
  detail TEXT NOT NULL             -- JSON, no secrets
);
CREATE INDEX audit_log_app ON audit_log (app, id);

-- Attachments. The key is the public, unguessable part of the address.
CREATE TABLE files (
  key        TEXT PRIMARY KEY,
  app        INTEGER NOT NULL REFERENCES apps (id),
  user_id    INTEGER NOT NULL REFERENCES users (id),
  name       TEXT NOT NULL,
  type       TEXT NOT NULL,
  size       INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_user ON files (user_id);
CREATE INDEX files_expiry ON files (expires_at);

-- Where an app wants to be told what happens, and what there is to tell. Events are written with what they tell of, and
-- only where somebody listens.
CREATE TABLE webhooks (
  app        INTEGER PRIMARY KEY REFERENCES apps (id),
  url        TEXT NOT NULL,
  secret     BLOB NOT NULL,        -- sealed
  updated_at INTEGER NOT NULL
);

CREATE TABLE events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  app          INTEGER NOT NULL REFERENCES apps (id),
  kind         TEXT NOT NULL,
  data         TEXT NOT NULL,      -- JSON
  once         TEXT,               -- an event with the same one was told already
  at           INTEGER NOT NULL,
  due_at       INTEGER,            -- NULL: delivered, or given up
  attempt      INTEGER NOT NULL DEFAULT 0,
  delivered_at INTEGER,
  answer       TEXT                -- what the last attempt met, in words
);
CREATE INDEX events_due ON events (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX events_app ON events (app, id);
CREATE UNIQUE INDEX events_once ON events (app, kind, once) WHERE once IS NOT NULL;

-- What nodes must forget they knew (revoked tokens, replaced certificates). The bus says "look"; this says what.
CREATE TABLE changes (
  id   INTEGER PRIMARY KEY AUTOINCREMENT,
  at   INTEGER NOT NULL,
  kind TEXT NOT NULL,              -- token | user | device | app | certificate
  key  INTEGER NOT NULL            -- the id of that kind
);

CREATE TABLE nodes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT, -- one incarnation: a new one at every start
  started_at INTEGER NOT NULL,
  beat_at    INTEGER NOT NULL DEFAULT 0,   -- each second, where there are many nodes; a single one has nobody to tell
  parts      TEXT NOT NULL DEFAULT '',     -- http, gateway, worker; comma separated
  address    TEXT NOT NULL DEFAULT ''      -- its HTTP door, for people who look for it
);

-- The path of a push.

CREATE TABLE tasks (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  app          INTEGER NOT NULL,
  scope_kind   TEXT NOT NULL,      -- app | group | user
  scope_id     INTEGER NOT NULL,   -- 0 for app
  collapse_id  TEXT,
  dry_run      INTEGER NOT NULL DEFAULT 0,
  state        TEXT NOT NULL,
  accepted_at  INTEGER NOT NULL,
  plan_at      INTEGER,            -- when planning is due; NULL once planned
  expires_at   INTEGER NOT NULL,
  finished_at  INTEGER,
  plan_cursor  INTEGER NOT NULL DEFAULT 0, -- devices up to this id are planned
  held_by      INTEGER,
  held_until   INTEGER NOT NULL DEFAULT 0,
  wide         INTEGER NOT NULL DEFAULT 0, -- has inbox places that are found through the ledger, not through inbox rows
  live         INTEGER NOT NULL DEFAULT 1, -- 0 once expiry has been settled
  -- Last, because what stands behind a large text is read through it: 1,000 waiting pushes of 48 KiB made an inbox about three times slower.
  audience     TEXT,               -- JSON; NULL once purged, like setting and message
  setting      TEXT,
  message      TEXT
);
CREATE INDEX tasks_app ON tasks (app, id);
CREATE INDEX tasks_plan ON tasks (plan_at) WHERE plan_at IS NOT NULL;
CREATE INDEX tasks_wide ON tasks (app, id) WHERE wide = 1 AND live = 1;
CREATE INDEX tasks_expiry ON tasks (expires_at) WHERE live = 1;
CREATE INDEX tasks_purge ON tasks (app, accepted_at) WHERE message IS NOT NULL;

-- Kept when the task's content is purged: a request_id has no time window.
CREATE TABLE requests (
  app        INTEGER NOT NULL,
  scope_kind TEXT NOT NULL,
  scope_id   INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  task_id    INTEGER NOT NULL,
  PRIMARY KEY (app, scope_kind, scope_id, request_id)
) WITHOUT ROWID;

-- The ledger: up to ~1,000 devices of one task on one channel. See store/ledger.ts for the bytes. What changes with every
-- receipt stands in a table of its own, so that the list of devices is not rewritten with it.
CREATE TABLE batches (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id     INTEGER NOT NULL,
  app         INTEGER NOT NULL,
  page        INTEGER NOT NULL,    -- the upper device id of the planning window it comes from; children keep it
  channel     TEXT NOT NULL,       -- a channel's name; held: not routed yet; none: not targeted, see reason
  environment INTEGER NOT NULL DEFAULT 1,
  lane        INTEGER,             -- a vendor's batches of one app and environment: app * 2 + environment; NULL for the others
  reason      TEXT,                -- why held or none
  tried       TEXT NOT NULL DEFAULT '', -- channels tried before this one, comma separated
  devices     BLOB NOT NULL,       -- Float64 ids, ascending
  badges      BLOB,                -- Int32 per device; NULL: badge untouched
  node        INTEGER,             -- own channel: the incarnation that holds the devices' sessions
  due_at      INTEGER,             -- NULL: nothing left to do
  urgent      INTEGER NOT NULL,    -- lists before all and tags
  held_by     INTEGER,
  held_until  INTEGER NOT NULL DEFAULT 0,
  attempt     INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX batches_task ON batches (task_id, page);
CREATE INDEX batches_due ON batches (channel, due_at) WHERE due_at IS NOT NULL AND lane IS NULL;
CREATE INDEX batches_lane ON batches (channel, lane, urgent, due_at) WHERE due_at IS NOT NULL AND lane IS NOT NULL;
CREATE INDEX batches_open ON batches (task_id) WHERE due_at IS NOT NULL;

CREATE TABLE batch_states (
  batch_id INTEGER PRIMARY KEY,
  bytes    BLOB NOT NULL,          -- one per device
  target   INTEGER NOT NULL,
  sent     INTEGER NOT NULL DEFAULT 0,
  received INTEGER NOT NULL DEFAULT 0,
  waiting  INTEGER NOT NULL DEFAULT 0, -- inbox places
  inboxed  INTEGER NOT NULL DEFAULT 0, -- 1 once it had inbox rows: most never have, and need none removed
  log      TEXT NOT NULL DEFAULT '[]'  -- JSON, short: what was done, when, with which outcomes
);

-- Tallies of tasks whose ledger was purged.
CREATE TABLE tallies (
  task_id  INTEGER NOT NULL,
  channel  TEXT NOT NULL,
  target   INTEGER NOT NULL,
  sent     INTEGER NOT NULL,
  received INTEGER NOT NULL,
  PRIMARY KEY (task_id, channel)
) WITHOUT ROWID;

-- Waiting places of small batches. Those of wide tasks are found through the ledger.
CREATE TABLE inbox (
  device_id INTEGER NOT NULL,
  task_id   INTEGER NOT NULL,
  batch_id  INTEGER NOT NULL,
  PRIMARY KEY (device_id, task_id)
) WITHOUT ROWID;
CREATE INDEX inbox_batch ON inbox (batch_id);

-- Badge counters, 256 device ids a row: a broadcast rewrites few rows, a single push one small one.
CREATE TABLE badges (
  block  INTEGER PRIMARY KEY,      -- device id / 256
  counts BLOB NOT NULL             -- Int32 × 256
);
