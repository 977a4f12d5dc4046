import { DeviceCalls } from '@carillon/sdk/device-calls.ts'
import { useMemo } from 'react'
import { useSession } from './session.tsx'

/** What a user may ask for themselves and their devices, asked by the admin who is signed in. */
export const useCallsAs = (userId: number): DeviceCalls => {
  const { session } = useSession()
  return useMemo(() => new DeviceCalls({ url: location.origin, appId: session.app_id, userId }), [session, userId])
}
