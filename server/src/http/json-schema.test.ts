import test from 'node:test'
import { Type } from '@carillon/protocol/type.ts'
import { Default, Int, Int64, List, Name, Text } from '@carillon/protocol/types.ts'
import { JsonSchemas } from './json-schema.ts'

test('limits of ours that JSON Schema does not know are said in words or in its own terms', (t) => {
  const { properties } = new JsonSchemas().of(
    Type.Object({
      name: Name,
      url: Type.Optional(Text(9, { format: 'web-address', description: 'Where.' })),
      zone: Text(64, { format: 'time-zone' }),
      mobile: Text(21, { format: 'mobile' }),
    }),
  )
  t.assert.deepEqual(properties, {
    name: { type: 'string', maxLength: 128, description: 'At most 512 bytes of UTF-8.' },
    url: { type: 'string', maxLength: 9, format: 'uri', description: 'Where. It must be an http or https URL.' },
    zone: { type: 'string', maxLength: 64, description: 'It must be the name of a time zone, such as Asia/Shanghai.' },
    mobile: {
      type: 'string',
      maxLength: 21,
      pattern: '^\\+?[0-9]{5,20}$',
      description: 'It must be 5 to 20 digits, with an optional + in front.',
    },
  })
})

test('every integer says how many bits hold it', (t) => {
  const list = Type.Object({ small: Int(0, 9), large: Int(0, 2 ** 40), ids: List(Int64()), page: Default(Int(1, 5), 1) })
  const { properties, required } = new JsonSchemas().of(list)
  const format = (name: string) => properties?.[name]?.format ?? properties?.[name]?.items?.format
  t.assert.deepEqual(['small', 'large', 'ids', 'page'].map(format), ['int32', 'int64', 'int64', 'int32'])
  t.assert.deepEqual([properties?.page?.default, required], [1, ['small', 'large', 'ids']])
})

test('a schema with a title is told once and pointed at, with the words of each place', (t) => {
  const schemas = new JsonSchemas()
  const Point = Type.Object({ x: Int(0, 9) }, { title: 'Point' })
  const from = Type.Optional({ ...Point, description: 'From here.' } as typeof Point)
  t.assert.deepEqual(schemas.of(Type.Object({ from, to: Point })).properties, {
    from: { $ref: '#/components/schemas/Point', description: 'From here.' },
    to: { $ref: '#/components/schemas/Point' },
  })
  t.assert.deepEqual(Object.keys(schemas.components), ['Point'])
  t.assert.throws(() => schemas.of(Type.Object({ y: Int(0, 9) }, { title: 'Point' })), /two schemas have the title Point/)
})
