import './style.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import '@mantine/core/styles.layer.css'
import { Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.layer.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { type ReactNode, StrictMode, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { makeQueries } from './api/queries.ts'
import { frameWords } from './frame/frame.words.ts'
import { Reason } from './parts/failed.tsx'
import { toastFailed } from './parts/toasts.ts'
import { router } from './routes.tsx'
import { themeFor, variables } from './theme.ts'
import { Speaks, useWords } from './words/language.tsx'

// Style sheets that the library writes at run time carry the nonce of this answer; the policy lets no other ones in.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? ''
setNonce(nonce)

const colours = localStorageColorSchemeManager({ key: 'carillon.theme' })

const queries = makeQueries((error) => toastFailed(<Reason error={error} />))

const Dressed = ({ children }: { children: ReactNode }) => {
  const { close, show } = useWords(frameWords)
  const theme = useMemo(() => themeFor({ close, show }), [close, show])
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={colours}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Notifications position="top-right" />
      {children}
    </MantineProvider>
  )
}

createRoot(document.querySelector('#page')!).render(
  <StrictMode>
    <Speaks>
      <Dressed>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Dressed>
    </Speaks>
  </StrictMode>,
)
