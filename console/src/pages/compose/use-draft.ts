import type { ConsoleSession } from '@carillon/protocol/console-answers.ts'
import { useSyncExternalStore } from 'react'
import { useSession } from '../../api/session.tsx'
import { type Composing, DraftStore } from './draft-store.ts'

const stores = new WeakMap<ConsoleSession, DraftStore>()

/** The draft of who is signed in. */
export const useDraftStore = (): DraftStore => {
  const { session } = useSession()
  let store = stores.get(session)
  if (!store) stores.set(session, (store = new DraftStore()))
  return store
}

/** A part of what is known of the draft; drawn anew only when that part changes. */
export const useComposing = <Part>(partOf: (composing: Composing) => Part): Part => {
  const store = useDraftStore()
  return useSyncExternalStore(store.subscribe, () => partOf(store.get()))
}
