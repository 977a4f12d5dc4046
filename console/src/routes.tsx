import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { understood } from './address.ts'
import { Broke, NotFound, Waiting, Whole } from './frame/whole.tsx'
import { sectionOf } from './pages/settings/sections.ts'
import { taskFilter } from './pages/tasks/filter.ts'
import { deviceFilter } from './pages/devices/filter.ts'
import { userFilter } from './pages/users/filter.ts'
import { openedWith } from './pages/compose/opened-with.ts'

// The address of a page stands behind #: the server never sees it, so no page can be taken for a call of the API, and
// what it names (a user, a device) is in no proxy's log.

const root = createRootRoute({ component: Whole })
const at = <P extends string>(path: P) => ({ getParentRoute: () => root, path }) as const
const idOf = (text: string): number => Number(text)

export const overviewRoute = createRoute({
  ...at('/'),
  component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage'),
})

export const composeRoute = createRoute({
  ...at('/compose'),
  validateSearch: understood(openedWith),
  component: lazyRouteComponent(() => import('./pages/compose.tsx'), 'ComposePage'),
})

export const tasksRoute = createRoute({
  ...at('/tasks'),
  validateSearch: understood(taskFilter),
  component: lazyRouteComponent(() => import('./pages/tasks.tsx'), 'TasksPage'),
})

export const taskRoute = createRoute({
  ...at('/tasks/$taskId'),
  params: {
    parse: ({ taskId }) => ({ taskId: idOf(taskId) }),
    stringify: ({ taskId }) => ({ taskId: String(taskId) }),
  },
  /** The device whose trace is asked for. */
  validateSearch: understood(({ device }): { device?: string } => (typeof device === 'string' ? { device } : {})),
  component: lazyRouteComponent(() => import('./pages/task.tsx'), 'TaskPage'),
})

export const devicesRoute = createRoute({
  ...at('/devices'),
  validateSearch: understood(deviceFilter),
  component: lazyRouteComponent(() => import('./pages/devices.tsx'), 'DevicesPage'),
})

export const deviceRoute = createRoute({
  ...at('/devices/$pushToken'),
  component: lazyRouteComponent(() => import('./pages/device.tsx'), 'DevicePage'),
})

export const usersRoute = createRoute({
  ...at('/users'),
  validateSearch: understood(userFilter),
  component: lazyRouteComponent(() => import('./pages/users.tsx'), 'UsersPage'),
})

export const userRoute = createRoute({
  ...at('/users/$userId'),
  params: {
    parse: ({ userId }) => ({ userId: idOf(userId) }),
    stringify: ({ userId }) => ({ userId: String(userId) }),
  },
  component: lazyRouteComponent(() => import('./pages/user.tsx'), 'UserPage'),
})

export const certificatesRoute = createRoute({
  ...at('/certificates'),
  component: lazyRouteComponent(() => import('./pages/certificates.tsx'), 'CertificatesPage'),
})

export const settingsRoute = createRoute({
  ...at('/settings'),
  validateSearch: understood(sectionOf),
  component: lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
})

export const browserRoute = createRoute({
  ...at('/browser'),
  component: lazyRouteComponent(() => import('./pages/browser.tsx'), 'BrowserPage'),
})

const pages = [
  overviewRoute, composeRoute, tasksRoute, taskRoute, devicesRoute, deviceRoute, usersRoute, userRoute,
  certificatesRoute, settingsRoute, browserRoute,
] as const

/** The pages and their addresses. */
export const router = createRouter({
  routeTree: root.addChildren(pages),
  history: createHashHistory(),
  defaultPreload: 'intent',
  defaultPendingComponent: Waiting,
  defaultPendingMs: 200,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broke,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
