import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import type { Changes } from './changes.ts'
import type { Passwords } from './password.ts'
import type { Seal } from './seal.ts'
import type { Throttle } from './throttle.ts'

/** What the steps of this folder work with; put together once, by whoever starts the program. */
export interface AccessParts {
  store: Store
  clock: Clock
  changes: Changes
  seal: Seal
  passwords: Passwords
  throttle: Throttle
  /** Told to devices with every token: 1 when their doors are TLS, and the key to pin (base64 SPKI) or "". */
  encryptType: 0 | 1
  publicKey: string
}
