-- A task that is being sent is found by its open batches: with an entry of its own among the states, every push to one
-- device wrote that entry and took it away again a moment later.
DROP INDEX tasks_state;
CREATE INDEX tasks_state ON tasks (app, state, id) WHERE state <> 'done' AND state <> 'sending';
DROP INDEX batches_open;
CREATE INDEX batches_open ON batches (app, task_id) WHERE due_at IS NOT NULL;

-- What one user or device was sent, by blocks of tasks: entries of new pushes stay together on a few pages, whomever they
-- are for. Sorted by device first, every push wrote a page of its own, somewhere in all there ever was.
DROP INDEX tasks_user;
CREATE INDEX tasks_user ON tasks ((id / 4096), sole_user) WHERE sole_user IS NOT NULL;
DROP INDEX tasks_device;
CREATE INDEX tasks_device ON tasks ((id / 4096), sole_device) WHERE sole_device IS NOT NULL;
