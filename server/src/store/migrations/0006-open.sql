-- A task that is being sent is found by its open batches: with an entry of its own among the states, every push to one
-- device wrote that entry and took it away again a moment later.
DROP INDEX tasks_state;
CREATE INDEX tasks_state ON tasks (app, state, id) WHERE state <> 'done' AND state <> 'sending';
DROP INDEX batches_open;
CREATE INDEX batches_open ON batches (app, task_id) WHERE due_at IS NOT NULL;
