-- What the nodes that send to vendors know of one another. A lane is one app at one vendor in one environment; its
-- account is the certificate at hand: what was wrong with one does not hold up the one that took its place. There are a
-- few rows for each certificate, which change several times a second: so they have hardly an index beside their key.

-- Up to when a vendor's rate is given out. Whoever sends takes the next stretch of time for itself. By place, not by
-- account: for the vendor a new certificate is the same app.
CREATE TABLE lane_rates (
  app         INTEGER NOT NULL,
  vendor      TEXT NOT NULL,
  environment INTEGER NOT NULL,
  free_us     INTEGER NOT NULL,         -- Unix microseconds: of a hundred thousand a second, each has ten
  PRIMARY KEY (app, vendor, environment)
) WITHOUT ROWID;

CREATE TABLE lane_states (
  account      TEXT PRIMARY KEY,
  app          INTEGER NOT NULL,
  vendor       TEXT NOT NULL,
  environment  INTEGER NOT NULL,
  paused_until INTEGER NOT NULL DEFAULT 0,
  trouble      TEXT NOT NULL DEFAULT '{}',   -- JSON: why, failures in a row, what the operator was told of it
  doubted_at   INTEGER,                      -- since when its dead tokens are not believed
  answers      TEXT NOT NULL DEFAULT '{}',   -- JSON: those of the last minute, see store/guard.ts
  under_way    TEXT NOT NULL DEFAULT '{}',   -- JSON: requests under way on each node, and when it said so
  written_at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX lane_states_app ON lane_states (app);

-- Devices that their vendor asked to leave alone for a while.
CREATE TABLE lane_rests (
  account   TEXT NOT NULL,
  device_id INTEGER NOT NULL,
  until_at  INTEGER NOT NULL,
  told_at   INTEGER NOT NULL,
  PRIMARY KEY (account, device_id)
) WITHOUT ROWID;
CREATE INDEX lane_rests_told ON lane_rests (told_at);
CREATE INDEX lane_rests_until ON lane_rests (until_at);

-- What shows a vendor who sends, where that runs out: asked for by one node and used by all.
CREATE TABLE vendor_access (
  account       TEXT NOT NULL,
  region        TEXT NOT NULL,
  made_at       INTEGER NOT NULL DEFAULT 0,  -- only rises: tells a token from the one before it
  token         BLOB,                        -- sealed; NULL: none yet
  renew_at      INTEGER NOT NULL DEFAULT 0,
  ends_at       INTEGER NOT NULL DEFAULT 0,
  asked_until   INTEGER NOT NULL DEFAULT 0,  -- somebody is asking for a new one, and has until then
  refusal       TEXT,                        -- JSON: why the vendor gave none, which holds until refused_until
  refused_until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account, region)
) WITHOUT ROWID;
