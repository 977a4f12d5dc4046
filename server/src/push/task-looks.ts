import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { type TaskRow, type Viewer, visibleTask } from '../store/tasks.ts'
import { type TaskLook, lookAtTask } from './look.ts'
import { Looks } from './looks.ts'

/** What becomes of a task that somebody follows. */
export type LiveTask = { task_id: number; state: TaskRow['state'] } & TaskLook

/** The task as it stands; undefined: there is none that the viewer may see. */
export const followTasks = (store: Store, clock: Clock) => {
  const looks = new Looks<LiveTask>()
  return async (viewer: Viewer, id: number): Promise<LiveTask | undefined> => {
    const task = await store.read(visibleTask, { viewer, id })
    if (!task) return undefined
    const look = () => lookAtTask(store, viewer, task, clock.now())
    return looks.get(id, async () => ({ task_id: id, state: task.state, ...(await look()) }))
  }
}
