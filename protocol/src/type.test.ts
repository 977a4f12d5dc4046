import test from 'node:test'
import { IsOptional, Type as TypeBox } from 'typebox'
import { Type, isOptional } from './type.ts'

const say = (word: string) => ({ description: word })

/** Schemas of every kind, as we use them. */
const schemas = (T: typeof Type) => {
  const part = T.Object({ name: T.String({ maxLength: 9 }), note: T.Optional(T.String(say('a note'))) }, { title: 'Part' })
  return {
    array: T.Array(T.Integer({ minimum: 1 }), { maxItems: 3 }),
    boolean: T.Boolean(say('yes or no')),
    enum: T.Enum(['a', 'b'], say('one of two')),
    part,
    closed: T.Object({}, { additionalProperties: false }),
    optional: T.Object({ a: T.Optional(T.Boolean()), b: T.Optional(part), c: T.Optional(T.Unknown()) }),
    again: T.Object({ ...part.properties, more: T.Unsafe<bigint>(T.Integer({ format: 'int64' })) }),
    required: T.Required(part, { title: 'Whole' }),
    union: T.Union([T.Literal('all'), part], say('all or some')),
    unsafe: T.Object({ kept: T.Unsafe<string>(T.Optional(T.String())) }),
    copied: T.Object({ copy: T.Optional({ ...T.String(), default: 'x' } as ReturnType<typeof T.String>) }),
  }
}

test('the schemas are the ones typebox makes, in the same order of keys', (t) => {
  t.assert.equal(JSON.stringify(schemas(Type), undefined, 1), JSON.stringify(schemas(TypeBox as unknown as typeof Type), undefined, 1))
})

test('what may be left out is known, and a copy that was not marked may not', (t) => {
  for (const T of [Type, TypeBox as unknown as typeof Type]) {
    const known = T === Type ? isOptional : IsOptional
    const optional = T.Optional(T.String())
    t.assert.deepEqual([known(T.String()), known(optional), known({ ...optional })], [false, true, false])
    t.assert.equal(known(T.Required(T.Object({ optional })).properties.optional), false)
  }
})
