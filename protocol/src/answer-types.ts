import type { Static, TSchema, TUnsafe } from 'typebox'
import type { Sentences, Told } from './sentences/sentence.ts'
import { Type } from './type.ts'

/** An id we made: a number that JSON holds exactly. */
export const Id = (description: string) => Type.Integer({ format: 'int64', minimum: 1, description })
export const Millis = (description: string) => Type.Integer({ format: 'int64', description: `${description}, in Unix milliseconds.` })
export const Count = (description: string) => Type.Integer({ format: 'int64', minimum: 0, description })
export const Words = (description: string) => Type.String({ description })
export const OrNull = <S extends TSchema>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe({ ...schema, type: [(schema as { type?: string }).type, 'null'] })
export const Rows = <S extends TSchema>(schema: S, description?: string) => Type.Array(schema, description ? { description } : {})

/** What an answer holds of a sentence beside its text: for programs, and for whoever says it in another language. */
export const Sentence = <S extends Sentences>(sentences: S, description: string): TUnsafe<Told<S>> =>
  Type.Unsafe<Told<S>>({
    type: 'object',
    required: ['name', 'values'],
    properties: {
      name: { type: 'string', enum: Object.keys(sentences), description: 'Which sentence it is.' },
      values: {
        type: 'object',
        additionalProperties: { type: ['string', 'number'] },
        description:
          "What is put into it. `said`: another service's own code and words, as they came; `words`: what they mean, " +
          'in English.',
      },
    },
    description,
  })
