import { Button, Drawer, Group, Tabs, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { useWords } from '../../words/language.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { curlOf } from './curl.ts'
import { isObject, parseText, writeText } from './json-text.ts'
import { readRequest } from './read-request.ts'
import { requestOf } from './request.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

/** The request that the form stands for: to read, to change, to take along. */
export const RequestDrawer = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const say = useWords(composeWords)
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="xl"
      title={say.requestTitle}
      closeButtonProps={{ 'aria-label': say.close }}
    >
      <Tabs defaultValue="json" keepMounted>
        <Tabs.List aria-label={say.requestTitle}>
          <Tabs.Tab value="json">{say.json}</Tabs.Tab>
          <Tabs.Tab value="curl">{say.curl}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="json" pt="md">
          <JsonView />
        </Tabs.Panel>
        <Tabs.Panel value="curl" pt="md">
          <CurlView />
        </Tabs.Panel>
      </Tabs>
    </Drawer>
  )
}

const JsonView = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const formText = writeText(requestOf(useComposing(({ draft }) => draft)))
  const [typed, setTyped] = useState<string>()
  /** What the form had no place for, once something was put into it. */
  const [left, setLeft] = useState<string[]>()
  const text = typed ?? formText
  const parsed = parseText(text)
  const isChanged = typed !== undefined && typed !== formText
  const wrong = () => {
    if (!('value' in parsed)) return say.jsonWrong(parsed.line, parsed.column, parsed.what)
    return isObject(parsed.value) ? undefined : say.jsonNotObject
  }
  const put = () => {
    if (!('value' in parsed)) return
    const read = readRequest(parsed.value)
    store.replace(read.draft, { from: 'json' })
    setLeft(read.left)
    setTyped(undefined)
  }
  return (
    <>
      <Textarea
        label={say.jsonField}
        description={say.jsonHelp}
        value={text}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setLeft(undefined)
        }}
        error={isChanged ? wrong() : undefined}
        autosize
        minRows={12}
        maxRows={30}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: style.code }}
      />
      <div role="status">
        {left && <p className={style.good}>{say.jsonTaken}</p>}
        {left && left.length > 0 && <p className={style.warn}>{say.notTaken(left.join(', '))}</p>}
      </div>
      <Group mt="md" justify="space-between">
        <Text size="xs" c="dimmed" className={style.grow}>
          {isChanged && say.notSaved}
        </Text>
        <Button variant="default" disabled={!isChanged} onClick={() => setTyped(undefined)}>
          {say.undoJson}
        </Button>
        <Button disabled={!isChanged || wrong() !== undefined} onClick={put}>
          {say.toForm}
        </Button>
      </Group>
    </>
  )
}

const PLACEHOLDER = 'YOUR_ADMIN_TOKEN'

const CurlView = () => {
  const say = useWords(composeWords)
  const { session } = useSession()
  const request = requestOf(useComposing(({ draft }) => draft))
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {say.curlHelp}
      </Text>
      <CodeBlock code={curlOf(location.origin, session.app_id, request, PLACEHOLDER)} what={say.curlCommand} />
    </>
  )
}
