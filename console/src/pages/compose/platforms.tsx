import { Accordion, Stack } from '@mantine/core'
import { Badge, ChannelBadge } from '../../parts/badges.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useWords } from '../../words/language.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { isBlank, valueOf } from './draft.ts'
import { problemAt } from './draft-store.ts'
import { ChoiceField, LineField, TextField } from './field.tsx'
import { fieldWords } from './field.words.ts'
import { type FieldPath, fieldsOf, type Holder, holders } from './fields.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

/** What differs from one platform or vendor to the other. */
export const Platforms = () => {
  const say = useWords(composeWords)
  const store = useDraftStore()
  const opened = useComposing((composing) => composing.opened)
  return (
    <Panel title={say.platforms} flush>
      <Accordion
        multiple
        value={[...opened]}
        onChange={(values) => store.open(values as Holder[])}
        keepMounted={false}
        order={3}
        classNames={{ item: style.holder, control: style.holderControl, content: style.holderContent }}
      >
        {holders.map((holder) => (
          <Accordion.Item key={holder} value={holder}>
            <Accordion.Control>
              <HolderName holder={holder} />
            </Accordion.Control>
            <Accordion.Panel>
              <HolderFields holder={holder} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Panel>
  )
}

const pathsOf = (holder: Holder): FieldPath[] =>
  Object.keys(fieldsOf[holder]).map((leaf) => `message.${holder}.${leaf}` as FieldPath)

const HolderName = ({ holder }: { holder: Holder }) => {
  const name = useWords(fieldWords)
  const filled = useComposing(({ draft }) => pathsOf(holder).filter((path) => !isBlank(valueOf(draft, path))).length)
  const wrong = useComposing((composing) => pathsOf(holder).filter((path) => problemAt(path, composing)).length)
  return (
    <span className={style.holderName}>
      {holder === 'ios' ? (
        name.holderIos
      ) : holder === 'android' ? (
        name.holderAndroid
      ) : (
        <ChannelBadge channel={holder} />
      )}
      {wrong > 0 ? (
        <Badge tone="bad">{name.wrong(wrong)}</Badge>
      ) : (
        filled > 0 && <Badge tone="accent">{name.filled(filled)}</Badge>
      )}
    </span>
  )
}

const HolderFields = ({ holder }: { holder: Holder }) => {
  const name = useWords(fieldWords)
  const isVendor = holder !== 'ios' && holder !== 'android'
  return (
    <Stack gap="md">
      {holder !== 'ios' && <p className={style.note}>{isVendor ? name.holderVendorHelp : name.holderAndroidHelp}</p>}
      {pathsOf(holder).map((path) => (
        <HolderField key={path} path={path} isVendor={isVendor} />
      ))}
    </Stack>
  )
}

/** Every field with the input that suits it. A vendor's blank one means Android's. */
const HolderField = ({ path, isVendor }: { path: FieldPath; isVendor: boolean }) => {
  const name = useWords(fieldWords)
  const clicked = useComposing(({ draft }) => {
    const own = valueOf(draft, path.replace(/\.intent$/, '.click_action') as FieldPath)
    return own || valueOf(draft, 'message.android.click_action')
  })
  const yesOrNo = [
    { value: 'true', label: name.yes },
    { value: 'false', label: name.no },
  ]
  const leaf = path.slice(path.lastIndexOf('.') + 1) as Leaf
  const blank = isVendor ? name.asAndroid : name.byDefault
  switch (leaf) {
    case 'click_action':
      return (
        <ChoiceField
          path={path}
          label={name.click_action}
          blank={isVendor ? name.asAndroid : name.open_app}
          options={[
            ...(isVendor ? [{ value: 'open_app', label: name.open_app }] : []),
            { value: 'intent', label: name.intentAction },
          ]}
        />
      )
    case 'intent':
      // Without a click that uses it, an intent has no meaning, but one that was given is not hidden.
      return clicked === 'intent' ? (
        <TextField path={path} label={name.intent} help={name.intentHelp} code />
      ) : (
        <UnusedIntent path={path} />
      )
    case 'push_mode':
    case 'classification':
      return (
        <ChoiceField
          path={path}
          label={name[leaf]}
          blank={name[`${leaf}0`]}
          options={[{ value: '1', label: name[`${leaf}1`] }]}
        />
      )
    case 'content_available':
      return <ChoiceField path={path} label={name[leaf]} blank={blank} options={yesOrNo} />
    case 'mutable_content':
      return (
        <ChoiceField path={path} label={name[leaf]} help={name.mutable_contentHelp} blank={blank} options={yesOrNo} />
      )
    case 'subtitle':
      return <LineField path={path} label={name.subtitle} />
    default:
      return <LineField path={path} label={name[leaf]} help={name[`${leaf}Help`]} />
  }
}

type Leaf = { [H in Holder]: keyof (typeof fieldsOf)[H] & string }[Holder]

const UnusedIntent = ({ path }: { path: FieldPath }) => {
  const name = useWords(fieldWords)
  const isGiven = useComposing(({ draft }) => !isBlank(valueOf(draft, path)))
  return isGiven ? <TextField path={path} label={name.intent} help={name.intentUnused} code /> : null
}
