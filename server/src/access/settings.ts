import { badField } from '@carillon/protocol/errors.ts'
import type { StoredApp } from '../store/apps.ts'
import type { App, AppSettings } from '../store/scope.ts'

type Key = keyof AppSettings

type Rule =
  | { kind: 'switch'; standard: boolean }
  | { kind: 'choice'; standard: string; choices: readonly string[] }
  | { kind: 'number'; standard: number; min: number; max: number }
  | { kind: 'time zone'; standard: string }

/** Every setting of an app, said once: its standard value and what it may be. */
export const settingRules: Record<Key, Rule> = {
  push_enabled: { kind: 'switch', standard: true },
  registration_enabled: { kind: 'switch', standard: true },
  alias_by: { kind: 'choice', standard: 'user', choices: ['user', 'admin'] },
  password_min_length: { kind: 'number', standard: 8, min: 1, max: 256 },
  token_days: { kind: 'number', standard: 30, min: 1, max: 3650 },
  inbox_limit: { kind: 'number', standard: 1000, min: 1, max: 100_000 },
  retention_days: { kind: 'number', standard: 30, min: 1, max: 3650 },
  no_push_start_hour: { kind: 'number', standard: 0, min: 0, max: 23 },
  no_push_end_hour: { kind: 'number', standard: 0, min: 0, max: 23 },
  time_zone: { kind: 'time zone', standard: 'UTC' },
}

export const settingKeys = Object.keys(settingRules) as Key[]

const standard: unknown = Object.fromEntries(settingKeys.map((key) => [key, settingRules[key].standard]))

export const withDefaults = (stored: StoredApp): App => ({
  ...stored,
  settings: { ...(standard as AppSettings), ...stored.settings },
})

/** What the store keeps of a setting: null when it is the standard value, so that a later standard reaches it. */
export type SettingChange = { [K in Key]?: AppSettings[K] | null }

/** Checks one setting; the refusal names its key. */
export const readSetting = (key: string, value: unknown): SettingChange => {
  if (!isKey(key)) throw badField(key, `is not a setting; settings are ${settingKeys.join(', ')}`)
  const rule = settingRules[key]
  check(key, rule, value)
  return { [key]: value === rule.standard ? null : value }
}

/** The same from text, as a command line has it. */
export const readSettingText = (key: string, text: string): SettingChange => {
  const rule = isKey(key) ? settingRules[key] : undefined
  if (rule?.kind === 'switch' && /^(true|false)$/.test(text)) return readSetting(key, text === 'true')
  if (rule?.kind === 'number' && /^[0-9]{1,9}$/.test(text)) return readSetting(key, Number(text))
  return readSetting(key, text)
}

const isKey = (key: string): key is Key => Object.hasOwn(settingRules, key)

const check = (key: Key, rule: Rule, value: unknown): void => {
  if (rule.kind === 'switch' && typeof value !== 'boolean') throw badField(key, 'must be true or false')
  if (rule.kind === 'choice' && !rule.choices.includes(value as string)) {
    throw badField(key, `must be ${rule.choices.join(' or ')}`)
  }
  if (rule.kind === 'number') {
    const fits = Number.isSafeInteger(value) && (value as number) >= rule.min && (value as number) <= rule.max
    if (!fits) throw badField(key, `must be a whole number from ${rule.min} to ${rule.max}`)
  }
  if (rule.kind === 'time zone' && !isTimeZone(value)) throw badField(key, 'must be a time zone such as Europe/Berlin')
}

const isTimeZone = (value: unknown): boolean => {
  if (typeof value !== 'string') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: value }).format(0)
    return true
  } catch {
    return false
  }
}
