import { Stack } from '@mantine/core'
import { useEffect } from 'react'
import { sawArrivals, useBrowserDevice } from '../device/browser-device.ts'
import { Page } from '../frame/page.tsx'
import { useWords } from '../words/language.tsx'
import { Arrivals } from './browser/arrivals.tsx'
import { DeviceCard } from './browser/device-card.tsx'
import { LogIn } from './browser/log-in.tsx'
import { browserWords } from './browser.words.ts'

/** Makes the browser a device, to see what people will get. */
export const BrowserPage = () => {
  const say = useWords(browserWords)
  const device = useBrowserDevice()
  useEffect(sawArrivals, [device.unseen])
  return (
    <Page title={say.title} lead={say.lead}>
      {device.pushToken === undefined ? (
        <LogIn />
      ) : (
        <Stack>
          <DeviceCard device={device} pushToken={device.pushToken} />
          <Arrivals arrivals={device.arrivals} />
        </Stack>
      )}
    </Page>
  )
}
