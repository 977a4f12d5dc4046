import type { Page } from '@carillon/protocol/bodies.ts'
import { Refused } from '@carillon/protocol/errors.ts'
import { addMembers, createGroup, listGroups, removeMembers } from '../store/groups.ts'
import type { App } from '../store/scope.ts'
import { idOf } from './ids.ts'
import type { AccessParts } from './parts.ts'

type Ids = readonly (number | bigint)[]

const stranger = (field: string, place: number): Refused =>
  new Refused('userUnknown', `${field}[${place}] is not a user of this app`)

export const makeGroup = async (
  { store, clock }: AccessParts,
  app: App,
  name: string,
  members: Ids,
): Promise<number> => {
  const made = await store.write(createGroup, { app: app.id, name, members: members.map(idOf), now: clock.now() })
  if (!made.ok) throw stranger('members', made.stranger)
  return made.id
}

export const joinGroup = async (
  { store }: AccessParts,
  app: App,
  groupId: number | bigint,
  members: Ids,
): Promise<void> => {
  const joined = await store.write(addMembers, { app: app.id, groupId: idOf(groupId), members: members.map(idOf) })
  if (joined.ok) return
  if (joined.stranger === null) throw new Refused('groupUnknown')
  throw stranger('list', joined.stranger)
}

export const leaveGroup = async (
  { store }: AccessParts,
  app: App,
  groupId: number | bigint,
  members: Ids,
): Promise<void> => {
  const found = await store.write(removeMembers, { app: app.id, groupId: idOf(groupId), members: members.map(idOf) })
  if (!found) throw new Refused('groupUnknown')
}

export const pageOfGroups = async ({ store }: AccessParts, app: App, { page_num, page_size }: Page) => {
  const place = { app: app.id, offset: (page_num - 1) * page_size, limit: page_size }
  const { total, groups } = await store.read(listGroups, place)
  return { total, list: groups.map(({ id, members, ...group }) => ({ group_id: id, ...group, member_count: members })) }
}
