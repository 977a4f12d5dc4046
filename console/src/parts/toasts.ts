import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

const LONG_MS = 10_000

/** Says shortly that something worked. Read aloud, too. */
export const toastDone = (message: ReactNode): void => {
  notifications.show({ message, color: 'green', withBorder: true })
}

/** Says what did not work; stays long enough to be read. */
export const toastFailed = (message: ReactNode): void => {
  notifications.show({ message, color: 'red', withBorder: true, autoClose: LONG_MS })
}
