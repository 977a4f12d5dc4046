// What the pinned Node runs. The channel to the launcher carries nothing; it closes when the launcher dies, even by a
// kill -9 of which nobody else would hear, and then this process must not live on.
const GRACE_MS = 10_000

const end = () => {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref()
  process.kill(process.pid, 'SIGTERM')
}

process.once('disconnect', end)
process.channel?.unref()
// The launcher may have died before anybody listened.
if (!process.connected) end()

await import('./run.js')
