import { Tabs } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page } from '../frame/page.tsx'
import { useWords } from '../words/language.tsx'
import { AppSettings } from './settings/app-settings.tsx'
import { AuditLog } from './settings/audit-log.tsx'
import { AdminTokens } from './settings/admin-tokens.tsx'
import { type Section, sections } from './settings/sections.ts'
import { WebhookSettings } from './settings/webhook.tsx'
import { settingsWords } from './settings.words.ts'

const route = getRouteApi('/settings')

/** What an operator decides for the app, and who did what. */
export const SettingsPage = () => {
  const say = useWords(settingsWords)
  const { section = 'app' } = route.useSearch()
  const navigate = useNavigate({ from: '/settings' })
  return (
    <Page title={say.title}>
      <Tabs value={section} onChange={(value) => void navigate({ search: { section: value as Section }, replace: true })} keepMounted={false}>
        <Tabs.List mb="md" aria-label={say.sections}>
          {sections.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {say[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="app">
          <AppSettings />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <AdminTokens />
        </Tabs.Panel>
        <Tabs.Panel value="webhook">
          <WebhookSettings />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <AuditLog />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
