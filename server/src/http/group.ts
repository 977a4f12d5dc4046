import { GroupMade, GroupPage } from '@carillon/protocol/answers.ts'
import { GroupCreate, GroupMembers, Page } from '@carillon/protocol/bodies.ts'
import { joinGroup, leaveGroup, makeGroup, pageOfGroups } from '../access/groups.ts'
import type { AccessParts } from '../access/parts.ts'
import { some } from './examples.ts'
import { type Route, route } from './route.ts'

export const groupRoutes = (parts: AccessParts): Route[] => [
  route({
    method: 'POST',
    path: '/group/create',
    who: 'admin',
    noun: 'groups',
    summary: 'Makes a named set of users.',
    body: GroupCreate,
    answer: GroupMade,
    example: { body: { name: 'staff', members: [some.user_id] }, answer: { group_id: some.group_id } },
    handle: async ({ app, body }) => ({ group_id: await makeGroup(parts, app, body.name, body.members) }),
  }),
  route({
    method: 'POST',
    path: '/group/member/add',
    who: 'admin',
    noun: 'groups',
    summary: 'Takes users into a group; those who are in it already stay.',
    body: GroupMembers,
    example: { body: { group_id: some.group_id, list: [some.user_id] } },
    handle: async ({ app, body }) => joinGroup(parts, app, body.group_id, body.list),
  }),
  route({
    method: 'POST',
    path: '/group/member/remove',
    who: 'admin',
    noun: 'groups',
    summary: 'Takes users out of a group.',
    body: GroupMembers,
    example: { body: { group_id: some.group_id, list: [some.user_id] } },
    handle: async ({ app, body }) => leaveGroup(parts, app, body.group_id, body.list),
  }),
  route({
    method: 'GET',
    path: '/group/list',
    who: 'admin',
    noun: 'groups',
    summary: "The app's groups, in the order they were made.",
    query: Page,
    answer: GroupPage,
    example: {
      query: { page_num: 1, page_size: 50 },
      answer: { total: 1, list: [{ group_id: some.group_id, name: 'staff', created_at: some.at, member_count: 1 }] },
    },
    handle: async ({ app, query }) => pageOfGroups(parts, app, query),
  }),
]
