import { Button, Tabs } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page } from '../frame/page.tsx'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { type UserFilter, type UserSection, userSections } from './users/filter.ts'
import { Groups } from './users/groups.tsx'
import { NewUserDialog } from './users/new-user.tsx'
import { UserList } from './users/user-list.tsx'
import { usersWords } from './users.words.ts'

const route = getRouteApi('/users')

/** The people of the app, and the groups they are in. */
export const UsersPage = () => {
  const say = useWords(usersWords)
  const { section = 'users', search } = route.useSearch()
  const navigate = useNavigate({ from: '/users' })
  const [isNew, form] = useDisclosure(false)
  const go = (to: UserFilter): void => void navigate({ search: to, replace: true })
  return (
    <Page
      title={say.title}
      lead={say.lead}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={form.open}>
          {say.newUser}
        </Button>
      }
    >
      <Tabs value={section} onChange={(value) => go({ section: value as UserSection })} keepMounted={false}>
        <Tabs.List mb="md" aria-label={say.sections}>
          {userSections.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {say[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="users">
          <UserList search={search} onSearch={(text) => go(text === '' ? {} : { search: text })} />
        </Tabs.Panel>
        <Tabs.Panel value="groups">
          <Groups />
        </Tabs.Panel>
      </Tabs>
      <NewUserDialog opened={isNew} onClose={form.close} />
    </Page>
  )
}
