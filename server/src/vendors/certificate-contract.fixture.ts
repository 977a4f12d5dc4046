import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { VendorName } from '@carillon/protocol/names.ts'
import { inEnglish } from '@carillon/protocol/sentences/sentence.ts'
import { warningSentences } from '@carillon/protocol/sentences/warnings.ts'
import type { GivenFields } from './fields.ts'
import type { Checked, Environment } from './vendor.ts'
import { checkCredentials, vendors } from './vendors.ts'

/** A complete record: `needed` are the fields that may not be blank, `options` every option the vendor knows. */
export interface Complete {
  given: GivenFields
  needed: string[]
  options: Record<string, unknown>
}

export const clean: Checked = { problems: [], warnings: [], expiresAt: null }
export const wrongFields = (checked: Pick<Checked, 'problems'>) => checked.problems.map((problem) => problem.field)

/** What every vendor promises of its certificates: its own test calls this with a record that is complete. */
export const keepsCertificateContract = (name: VendorName, { given, needed, options }: Complete): void => {
  const check = (changes: GivenFields, environment: Environment = 1) =>
    checkCredentials(name, environment, { ...given, ...changes }, Date.now())

  test(`${name}: a complete record passes without a word, in both environments`, (t: TestContext) => {
    t.assert.equal(vendors[name].name, name)
    for (const environment of [0, 1] as const) t.assert.deepEqual(check({}, environment), clean)
  })

  test(`${name}: each needed field is named when it is blank, and nothing else is`, (t: TestContext) => {
    for (const field of needed) {
      for (const blank of [undefined, null, '', ' \n', [], {}]) {
        t.assert.deepEqual(wrongFields(check({ [field]: blank })), [field])
      }
    }
  })

  test(`${name}: a field of the wrong type is a problem of that field`, (t: TestContext) => {
    for (const field of Object.keys(vendors[name].credentials.properties)) {
      t.assert.ok(wrongFields(check({ [field]: 7 })).includes(field), field)
    }
  })

  test(`${name}: every option is taken, a blank one is absent, a wrong type is told by its path`, (t: TestContext) => {
    t.assert.deepEqual(Object.keys(options).sort(), Object.keys(vendors[name].options.properties).sort())
    t.assert.deepEqual(check({ options }), clean)
    for (const key of Object.keys(options)) {
      t.assert.deepEqual(wrongFields(check({ options: { ...options, [key]: [1] } })), [`options.${key}`])
      t.assert.deepEqual(check({ options: { [key]: ' ' } }), clean)
    }
  })

  test(`${name}: an option nobody knows warns, options that are no object are a problem`, (t: TestContext) => {
    const { problems, warnings } = check({ options: { ...options, constructor: 1, colour: 'red' } })
    t.assert.deepEqual(problems, [])
    t.assert.equal(warnings.length, 1)
    t.assert.match(inEnglish(warningSentences, warnings[0]!), /constructor, colour/)
    t.assert.deepEqual(wrongFields(check({ options: [1] })), ['options'])
  })

  test(`${name}: the page for operators names every field and option`, async (t: TestContext) => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/vendors.md'), 'utf8')
    const section = page.split(/^## /m).find((part) => part.startsWith(vendors[name].title))
    t.assert.ok(section, vendors[name].title)
    for (const key of Object.keys(vendors[name].options.properties)) t.assert.ok(section.includes(`\`${key}\``), key)
    for (const [field, { title }] of Object.entries<{ title?: string }>(vendors[name].credentials.properties)) {
      t.assert.ok(section.includes(`| \`${field}\` | ${title} |`), field)
    }
  })

  test(`${name}: what is wrong is told without the value that is wrong`, (t: TestContext) => {
    const spoiled = Object.fromEntries(Object.keys(given).map((field) => [field, `my secret ${field}`]))
    const told = JSON.stringify(check({ ...spoiled, options: { receipt_key: 'my secret key' } }))
    t.assert.ok(!told.includes('my secret'), told)
  })
}
