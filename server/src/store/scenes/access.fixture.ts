import { createApp, getApp, getAppById, listApps, renameApp, setAppSettings } from '../apps.ts'
import { type AttemptLane, blockedAttempts, forgiveAttempts, purgeAttempts, releaseAttempt, reserveAttempt } from '../attempts.ts'
import { auditRows } from '../audit.ts'
import { certificatesOf, deleteCertificate, getCertificate, putCertificate, showCertificate, showCertificates } from '../certificates.ts'
import { addChange, lastChange, purgeChanges, readChanges } from '../changes.ts'
import { expiringCertificates } from '../checkup.ts'
import { addAppFile, addFile, dropFiles, filesToRemove, findFile, findFileToken } from '../files.ts'
import { addMembers, createGroup, groupExists, listGroups, removeMembers } from '../groups.ts'
import { claimKeyCheck, readKeyCheck } from '../keycheck.ts'
import { findCandidate, logIn } from '../login.ts'
import { NOW, login, sha } from '../people.fixture.ts'
import { createAdminToken, expiredTokens, findDeviceCallers, findToken, listAdminTokens, logOut, purgeTokens, revokeToken } from '../tokens.ts'
import { deleteUser, insertUsers, kickUser, listUsers, passwordOf, setDisabled, setPassword, takenName, userExists } from '../users.ts'
import type { Book } from './book.fixture.ts'

const by = { actor: 'somebody', now: NOW }

/** Apps, users, tokens, certificates, files: who may call, and with what. Conflicts come last: PostgreSQL skips an id at each. */
export const accessScene = async (book: Book): Promise<void> => {
  for (const appId of ['one', 'two', 'Ünïcödé 😀']) await book.write(createApp, { appId, name: `App ${appId}`, ...by })
  await book.write(setAppSettings, { app: 1, change: { inbox_limit: 7, alias_by: 'admin' }, ...by })
  await book.write(setAppSettings, { app: 1, change: { alias_by: null, token_days: 3 }, ...by })
  await book.write(renameApp, { app: 2, name: 'Second', ...by })
  await book.read(listApps, {})
  await book.read(getApp, { appId: 'Ünïcödé 😀' })
  await book.read(getApp, { appId: 'ünïcödé 😀' })
  await book.read(getAppById, { id: 2 })
  await book.read(readKeyCheck, {})
  await book.write(claimKeyCheck, { sealed: sha('key') })
  await book.write(claimKeyCheck, { sealed: sha('another') })

  const users = ['ann', 'bob', 'Ann', 'cleo', 'dora'].map((name, i) => ({
    name, mobile: i === 0 ? '+49' : null, email: i < 2 ? `${name}@X.example` : null, emailKey: i < 2 ? `${name}@x.example` : null,
    passwordHash: i === 3 ? null : `hash of ${name}`,
  }))
  await book.write(insertUsers, { app: 1, users, now: NOW })
  await book.read(listUsers, { app: 1, offset: 1, limit: 2 })
  for (const user of users) await book.read(takenName, { app: 2, user })
  await book.read(takenName, { app: 1, user: { name: 'x', mobile: null, emailKey: 'bob@x.example' } })
  await book.read(userExists, { app: 1, id: 1 })
  await book.read(userExists, { app: 2, id: 1 })
  await book.read(passwordOf, { app: 1, id: 4 })
  await book.write(setPassword, { app: 1, id: 1, passwordHash: 'new', verified: 'wrong', keepToken: 0, ...by })
  await book.write(setPassword, { app: 1, id: 1, passwordHash: 'new', verified: 'hash of ann', keepToken: 0, ...by })
  await book.write(setPassword, { app: 1, id: 4, passwordHash: 'first', verified: null, keepToken: 0, ...by })

  for (const one of [{ id: 1 }, { name: 'Ann' }, { login: '+49', loginKey: '+49' }, { login: 'BOB@x.example', loginKey: 'bob@x.example' }, { login: 'zoe', loginKey: 'zoe' }]) {
    await book.read(findCandidate, { app: 1, by: one, guid: 'phone' })
  }
  await book.write(logIn, login(1, 1, 'phone'))
  await book.read(findCandidate, { app: 1, by: { id: 1 }, guid: 'phone' })
  await book.write(logIn, login(1, 1, 'phone', 'phone again')) // keeps its push token
  await book.write(logIn, login(1, 2, 'phone', 'somebody else')) // has another
  await book.write(logIn, { ...login(1, 3, 'tablet'), by: { passwordHash: 'wrong' } })
  await book.write(logIn, { ...login(1, 3, 'tablet'), by: { passwordHash: 'hash of Ann', renewed: 'argon' } })
  await book.write(logIn, { ...login(1, 3, '-', 'no device'), device: null })
  await book.read(findToken, { hash: sha('token tablet') })
  await book.read(findToken, { hash: sha('token phone') })
  const proof = (push: string, token: string) => ({ pushTokenHash: sha(push), hash: sha(token) })
  await book.read(findDeviceCallers, { proofs: [proof('push tablet', 'token somebody else'), proof('push tablet', 'token tablet')], now: NOW })
  await book.read(findFileToken, { app: 1, storeHash: sha('store tablet'), now: NOW })
  await book.read(expiredTokens, { after: NOW, now: NOW + 2_000_000 })
  await book.write(createAdminToken, { app: 1, hash: sha('admin'), name: 'ci', expiresAt: null, ...by })
  await book.write(createAdminToken, { app: 1, hash: sha('admin 2'), name: null, expiresAt: NOW + 5, ...by })
  await book.read(listAdminTokens, { app: 1 })
  await book.write(revokeToken, { app: 2, id: 6, ...by })
  await book.write(revokeToken, { app: 1, id: 6, ...by })
  await book.write(logOut, { tokenId: 4, now: NOW })
  await book.write(logOut, { tokenId: 4, now: NOW })
  await book.write(kickUser, { app: 1, id: 2, guid: 'phone', ...by })
  await book.write(kickUser, { app: 1, id: 2, guid: 'Phone', ...by })
  await book.write(kickUser, { app: 1, id: 3, guid: null, ...by })
  await book.write(setDisabled, { app: 1, id: 5, disabled: true, ...by })
  await book.write(setDisabled, { app: 1, id: 99, disabled: true, ...by })
  await book.write(logIn, login(1, 5, 'disabled'))

  await book.write(createGroup, { app: 1, name: 'All of them', members: [1, 2, 3], now: NOW })
  await book.write(createGroup, { app: 1, name: 'Strangers', members: [1, 77], now: NOW })
  await book.write(addMembers, { app: 1, groupId: 1, members: [3, 4] })
  await book.write(addMembers, { app: 2, groupId: 1, members: [1] })
  await book.write(removeMembers, { app: 1, groupId: 1, members: [1, 99] })
  await book.write(removeMembers, { app: 1, groupId: 9, members: [1] })
  await book.read(groupExists, { app: 1, id: 1 })
  await book.read(listGroups, { app: 1, offset: 0, limit: 9 })

  const file = { key: 'k1', app: 1, user_id: 2, name: 'a b.png', type: 'image/png', size: 2 ** 40, created_at: NOW, expires_at: NOW + 10 }
  await book.write(addFile, { file })
  await book.write(addAppFile, { file: { key: 'own', app: 1, name: 'n', type: 't', size: 1, created_at: NOW, expires_at: NOW + 9 }, actor: 'x' })
  await book.read(findFile, { key: 'own', now: NOW })
  await book.write(addFile, { file: { ...file, key: 'k2', user_id: 99 } })
  await book.write(addFile, { file: { ...file, key: 'k3', user_id: 1 } })
  await book.read(findFile, { key: 'k1', now: NOW })
  await book.read(findFile, { key: 'k2', now: NOW })
  await book.write(deleteUser, { app: 1, id: 1, ...by })
  await book.write(deleteUser, { app: 1, id: 1, ...by })
  await book.read(filesToRemove, { now: NOW + 5, limit: 9 })
  await book.write(dropFiles, { keys: ['k1', 'k3', 'k9'] })
  await book.read(filesToRemove, { now: NOW + 100, limit: 9 })

  const fields = { name: 'prod', app_id: 'id', app_key: '', secrets: Uint8Array.of(0, 255), expires_at: NOW + 1_000 }
  for (const [vendor, environment] of [['fcm', 1], ['apns', 1], ['apns', 0]] as const) {
    await book.write(putCertificate, { place: { app: 1, vendor, environment }, fields, ...by })
  }
  await book.write(putCertificate, { place: { app: 1, vendor: 'apns', environment: 0 }, fields: { ...fields, name: 'again', expires_at: null }, ...by })
  await book.read(getCertificate, { app: 1, vendor: 'apns', environment: 0 })
  await book.read(certificatesOf, { app: 1 })
  await book.write(showCertificate, { place: { app: 1, vendor: 'apns', environment: 1 }, whole: true, ...by })
  await book.write(showCertificate, { place: { app: 2, vendor: 'apns', environment: 1 }, whole: true, ...by })
  await book.write(showCertificates, { app: 1, ...by })
  await book.read(expiringCertificates, { before: NOW + 2_000 })
  await book.write(deleteCertificate, { place: { app: 1, vendor: 'fcm', environment: 1 }, ...by })
  await book.write(deleteCertificate, { place: { app: 1, vendor: 'fcm', environment: 1 }, ...by })

  const lanes: AttemptLane[] = [
    { bucket: 'account/ann', pace: { kind: 'ladder', free: 1, firstMs: 1_000, capMs: 4_000, forgetMs: 60_000 } },
    { bucket: 'address/::1', pace: { kind: 'rate', burst: 3, everyMs: 500 } },
  ]
  for (const now of [NOW, NOW, NOW, NOW + 1_500, NOW + 1_600, NOW + 60_000]) await book.write(reserveAttempt, { lanes, now })
  await book.read(blockedAttempts, { lanes, now: NOW + 60_001 })
  await book.write(releaseAttempt, { lanes })
  await book.write(forgiveAttempts, { reset: ['account/ann'], release: lanes.slice(1) })
  await book.write(purgeAttempts, { now: NOW + 10_000_000 })

  await book.write(addChange, { kind: 'certificate', key: 2 ** 52, now: NOW + 9_000 })
  await book.read(lastChange, {})
  await book.read(readChanges, { after: 3, missing: [1, 99], limit: 5 })
  await book.write(purgeChanges, { now: NOW + 3_605_000 })
  await book.read(readChanges, { after: 0, limit: 500 })
  await book.write(purgeTokens, { now: NOW + 40 * 86_400_000 })
  await book.read(auditRows, { app: 1, before: 1_000, limit: 500 })
  await book.write(createApp, { appId: 'one', name: 'taken', ...by })
  await book.write(insertUsers, { app: 1, users: [{ ...users[1]!, name: 'x' }, { ...users[1]!, name: 'bob' }, { ...users[1]!, mobile: '1', emailKey: null, name: 'bobby' }].slice(0, 2), now: NOW })
}
