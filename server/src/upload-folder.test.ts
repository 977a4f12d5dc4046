import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { uploadFolder } from './upload-folder.ts'

test('of nodes that share a folder, one that starts removes what the dead were receiving, and nobody else', (t: TestContext) => {
  const data = mkdtempSync(join(tmpdir(), 'carillon-uploads-'))
  t.after(() => rmSync(data, { recursive: true }))
  const folderOf = (node: number) => uploadFolder(data, { node, alive: [1, 2, node] })()
  const [living, dead, later] = [folderOf(2), folderOf(3), folderOf(9)]
  folderOf(8) // it started before node 9, and has not heard of it
  t.assert.deepEqual([living, dead, later].map((folder) => existsSync(folder)), [true, false, true])
})

test('a node that got a new number, or whose folder was removed by mistake, takes uploads as before', (t: TestContext) => {
  const data = mkdtempSync(join(tmpdir(), 'carillon-uploads-'))
  t.after(() => rmSync(data, { recursive: true }))
  const membership = { node: 1, alive: [1] }
  const folder = uploadFolder(data, membership)
  rmSync(folder(), { recursive: true })
  t.assert.equal(existsSync(folder()), true)
  membership.node = 4
  t.assert.equal(basename(folder()), '4')
  t.assert.equal(existsSync(folder()), true)
})
