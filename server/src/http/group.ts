import { GroupCreate, GroupMembers, Page } from '@carillon/protocol/bodies.ts'
import { joinGroup, leaveGroup, makeGroup, pageOfGroups } from '../access/groups.ts'
import type { AccessParts } from '../access/parts.ts'
import { type Route, route } from './route.ts'

export const groupRoutes = (parts: AccessParts): Route[] => [
  route({
    method: 'POST',
    path: '/group/create',
    who: 'admin',
    summary: 'Makes a named set of users.',
    body: GroupCreate,
    handle: async ({ app, body }) => ({ group_id: await makeGroup(parts, app, body.name, body.members) }),
  }),
  route({
    method: 'POST',
    path: '/group/member/add',
    who: 'admin',
    summary: 'Takes users into a group; those who are in it already stay.',
    body: GroupMembers,
    handle: async ({ app, body }) => joinGroup(parts, app, body.group_id, body.list),
  }),
  route({
    method: 'POST',
    path: '/group/member/remove',
    who: 'admin',
    summary: 'Takes users out of a group.',
    body: GroupMembers,
    handle: async ({ app, body }) => leaveGroup(parts, app, body.group_id, body.list),
  }),
  route({
    method: 'GET',
    path: '/group/list',
    who: 'admin',
    summary: "The app's groups, in the order they were made.",
    query: Page,
    handle: async ({ app, query }) => pageOfGroups(parts, app, query),
  }),
]
