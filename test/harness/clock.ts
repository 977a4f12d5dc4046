// Loaded into a node before it starts (`node --import`): its clock stands still, and every SIGUSR2 moves it ahead by
// CLOCK_STEP_MS, which it says in its log. What takes weeks outside is one signal, what happens within a second happens
// at one moment, and nothing of the program is replaced but the time.
let now = Number(process.env.CLOCK_START_MS)
Date.now = () => now
process.on('SIGUSR2', () => {
  now += Number(process.env.CLOCK_STEP_MS)
  process.stderr.write(`the clock stands at ${now}\n`)
})
