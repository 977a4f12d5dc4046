import { Caller } from '@carillon/sdk/caller.ts'
import { connectDevice, type Device, type DeviceState } from '@carillon/sdk/device.ts'
import { DeviceCalls } from '@carillon/sdk/device-calls.ts'
import { presentInTime, type Push } from '@carillon/sdk/push.ts'
import { seenInStorage } from '@carillon/sdk/seen.ts'

// serve.ts hands calls over to Carillon; a page of yours names its server here.
const url = location.origin

const find = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E
const login = find<HTMLFormElement>('login')

/** Stays the same on this installation, so that logging in again finds the same device. */
const deviceGuid = (localStorage.deviceGuid ??= crypto.randomUUID()) as string

let device: Device | undefined

const logIn = async (fields: Fields, isNew: boolean): Promise<void> => {
  const { app: appId, name, password } = fields as { app: string; name: string; password: string }
  const calls = new DeviceCalls({ url, appId })
  if (isNew) await calls.register({ username: name, password })
  const { token, push_token } = await calls.loginByName({ name, password, device_guid: deviceGuid })

  device = connectDevice({
    url,
    pushToken: push_token!,
    accessToken: token,
    seen: seenInStorage(localStorage, `seen of ${push_token}`),
    // Resolving acknowledges: an app would store the push here first.
    onPush: (push) => void presentInTime(push, show),
  })
  device.on('state', showState)
  device.on('failure', ({ error }) => tell(error))
  showState(device.state)
  login.hidden = true
  find('device').hidden = false

  showTags(calls, await calls.tags())
  onSubmit(find('tag'), async ({ tag: name }) => {
    showTags(calls, await calls.addTags([name!]))
    find<HTMLFormElement>('tag').reset()
  })
  const caller = new Caller({ url, appId, accessToken: token })
  onSubmit(find('send'), async ({ title, body }) => sendToMe(caller, title!, body!))
  find('logout').onclick = async () => {
    device?.stop()
    await calls.logout()
    location.reload()
  }
}

const sendToMe = async (caller: Caller, title: string, body: string): Promise<void> => {
  // With a request_id it is asked again by itself if the network fails, and still sent once.
  const { task_id } = await caller.notify({
    audience: 'all',
    message: { title, body },
    setting: { request_id: crypto.randomUUID() },
  })
  await showCounters(caller, task_id)
}

/** Counters rise as devices acknowledge: looked at until all have, or for ten seconds. */
const showCounters = async (caller: Caller, taskId: number): Promise<void> => {
  for (let look = 0; look < 20; look += 1) {
    const [row] = await caller.counters([taskId])
    const { nativepush_target: meant, nativepush_sent: sent, nativepush_received: received } = row!
    find('counters').textContent = `Task ${taskId}: ${meant} meant, ${sent} sent, ${received} received`
    if (meant > 0 && received === meant) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

const show = (push: Push): void => {
  const item = document.createElement('li')
  const button = document.createElement('button')
  button.textContent = 'Click'
  button.className = 'quiet'
  button.onclick = () => {
    button.disabled = true
    void device?.report(push, 'clicked').then((outcome) => (button.textContent = `Click ${outcome}`))
  }
  const buttons = document.createElement('div')
  buttons.className = 'buttons'
  buttons.append(button)
  item.append(
    text('h3', push.title ?? ''),
    text('p', push.big_text ?? push.body ?? ''),
    text('small', `Task ${push.task_id}, ${new Date(push.sent_at).toLocaleTimeString()}`),
    buttons,
  )
  find('pushes').prepend(item)
  find('empty').hidden = true
  if (push.badge !== undefined) find('badge').textContent = String(push.badge)
  void device?.report(push, 'shown')
}

const text = (name: 'h3' | 'p' | 'small', content: string): HTMLElement => {
  const element = document.createElement(name)
  element.textContent = content
  return element
}

const showState = (state: DeviceState): void => {
  const element = find('state')
  element.dataset.kind = state.kind
  element.textContent = 'message' in state ? `${state.kind}: ${state.message}` : state.kind
}

const showTags = (calls: DeviceCalls, tags: string[]): void => {
  const buttons = tags.map((name) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.textContent = `${name} ×`
    button.ariaLabel = `Remove ${name}`
    button.onclick = () => void calls.removeTags([name]).then((left) => showTags(calls, left), tell)
    return button
  })
  find('tags').replaceChildren(...buttons.map(inItem))
}

const inItem = (content: HTMLElement): HTMLElement => {
  const item = document.createElement('li')
  item.append(content)
  return item
}

const tell = (error: unknown): void => void (find('problem').textContent = (error as Error).message)

type Fields = Record<string, string>

const onSubmit = (form: HTMLFormElement, work: (fields: Fields, button: string) => Promise<void>): void => {
  form.onsubmit = async (event) => {
    event.preventDefault()
    find('problem').textContent = ''
    const button = event.submitter as HTMLButtonElement
    button.disabled = true
    try {
      await work(Object.fromEntries(new FormData(form)) as Fields, button.value)
    } catch (error) {
      tell(error)
    }
    button.disabled = false
  }
}

onSubmit(login, (fields, button) => logIn(fields, button === 'register'))
// The network is back: there is no reason to wait for the next try.
addEventListener('online', () => device?.hurry())
