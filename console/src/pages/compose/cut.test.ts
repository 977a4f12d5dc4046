import { test } from 'node:test'
import { cutOf, follow } from './cut.ts'

test('a text that was cut is shown with what is lost behind it', (t) => {
  t.assert.deepEqual(cutOf('Doors open at nine', 'Doors open'), { kept: 'Doors open', mark: '', lost: ' at nine' })
})

test('the mark that a cut leaves is not taken for the writer’s own', (t) => {
  t.assert.deepEqual(cutOf('Doors open at nine', 'Doors op…'), { kept: 'Doors op', mark: '…', lost: 'en at nine' })
  t.assert.deepEqual(cutOf('Soon…', 'Soon…'), { kept: 'Soon…', mark: '', lost: '' })
})

test('a text that another took the place of is not called cut', (t) => {
  t.assert.deepEqual(cutOf('', 'Bell tower'), { kept: 'Bell tower', mark: '', lost: '' })
})

test('while one writes on, a text is cut where it was cut a moment ago, and not where it was not', (t) => {
  t.assert.deepEqual(follow('Doors', 'Doors', 'Doors op'), { kept: 'Doors op', mark: '', lost: '' })
  t.assert.deepEqual(follow('Doors op', 'Doors', 'Doors open'), { kept: 'Doors', mark: '', lost: ' open' })
  t.assert.deepEqual(follow('Doors op', 'Doors', 'Door'), { kept: 'Door', mark: '', lost: '' })
  t.assert.deepEqual(follow('', 'Bell tower', 'D'), { kept: 'Bell tower', mark: '', lost: '' })
})
