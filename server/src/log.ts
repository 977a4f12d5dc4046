import { type Logger, pino } from 'pino'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/**
 * Structured lines on stderr; stdout is for what a person or a script waits for. Secrets never reach a log call; what
 * could carry one by accident is blanked here.
 */
export const makeLog = (level: string): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: ['password', 'token', 'access_token', 'push_token', 'app_secret', 'certificate', '*.password', '*.token', '*.app_secret'],
    },
    pino.destination({ fd: 2, sync: true }),
  )
