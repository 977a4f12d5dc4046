import test from 'node:test'
import { readSetting, readSettingText, settingKeys, withDefaults } from './settings.ts'

const app = { id: 1, app_id: 'bells', name: 'Bells' }

test('an app has the standard settings, but for what it changed', (t) => {
  t.assert.deepEqual(withDefaults({ ...app, settings: { token_days: 7 } }).settings, {
    push_enabled: true,
    registration_enabled: true,
    alias_by: 'user',
    password_min_length: 8,
    token_days: 7,
    inbox_limit: 1000,
    retention_days: 30,
    no_push_start_hour: 0,
    no_push_end_hour: 0,
    time_zone: 'UTC',
  })
})

test('only what differs from the standard is kept', (t) => {
  t.assert.deepEqual(readSetting('token_days', 7), { token_days: 7 })
  t.assert.deepEqual(readSetting('token_days', 30), { token_days: null })
  t.assert.deepEqual(readSetting('push_enabled', false), { push_enabled: false })
})

test('a wrong setting is refused by its name, and nothing is coerced', (t) => {
  const wrong: [string, unknown][] = [
    ['push_enabled', 'false'],
    ['push_enabled', 0],
    ['alias_by', 'nobody'],
    ['alias_by', true],
    ['token_days', 0],
    ['token_days', 1.5],
    ['token_days', '7'],
    ['password_min_length', 257],
    ['toString', 1],
    ['colour', 'red'],
  ]
  for (const [key, value] of wrong) t.assert.throws(() => readSetting(key, value), new RegExp(`^Error: ${key} `), key)
})

test('the command line writes settings as text', (t) => {
  t.assert.deepEqual(readSettingText('push_enabled', 'false'), { push_enabled: false })
  t.assert.deepEqual(readSettingText('inbox_limit', '50'), { inbox_limit: 50 })
  t.assert.deepEqual(readSettingText('alias_by', 'admin'), { alias_by: 'admin' })
  for (const key of settingKeys) t.assert.throws(() => readSettingText(key, 'maybe'), new RegExp(key))
})
