import { sequenceItems, strategies } from '@carillon/protocol/names.ts'
import {
  ActionIcon,
  Button,
  Checkbox,
  MultiSelect,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { useWords } from '../../words/language.tsx'
import style from './compose.module.css'
import { composeWords } from './compose.words.ts'
import { isSent } from './draft-store.ts'
import { ChoiceField, LineField, useField } from './field.tsx'
import { fieldWords } from './field.words.ts'
import { MomentField } from './moment-field.tsx'
import { nextHour } from './times.ts'
import { useComposing, useDraftStore } from './use-draft.ts'

/** How it is sent: when, by which ways, for how long. */
export const Delivery = () => {
  const say = useWords(composeWords)
  const name = useWords(fieldWords)
  const strategy = useField('setting.distribution_strategy').value || 'combined'
  const isFilled = useComposing(({ draft: { values } }) =>
    Boolean(values['setting.collapse_id'] || values['setting.ospush_sequence'] || values['setting.dry_run']),
  )
  const [asked, unfold] = useDisclosure(false)
  const opened = asked || isFilled
  return (
    <Panel title={say.how}>
      <Stack gap="md">
        <When />
        <ChoiceField
          path="setting.distribution_strategy"
          label={name.distribution_strategy}
          help={name[`${strategy as 'combined'}Help`]}
          blank={name.combined}
          options={strategies.filter((each) => each !== 'combined').map((value) => ({ value, label: name[value] }))}
        />
        <TimeToLive />
        <ChoiceField
          path="setting.priority"
          label={name.priority}
          blank={name.normal}
          options={[{ value: 'high', label: name.high }]}
        />
        <RequestId />
        {opened && (
          <>
            <Sequence />
            <LineField path="setting.collapse_id" label={name.collapse_id} help={name.collapse_idHelp} />
            <DryRun />
          </>
        )}
        {!isFilled && (
          <Button
            variant="subtle"
            size="compact-sm"
            className={style.fold}
            aria-expanded={opened}
            onClick={unfold.toggle}
          >
            {opened ? say.fewer : say.more}
          </Button>
        )}
      </Stack>
    </Panel>
  )
}

const When = () => {
  const say = useWords(composeWords)
  const name = useWords(fieldWords)
  const { value, set } = useField('setting.send_time')
  return (
    <div>
      <SegmentedControl
        fullWidth
        aria-label={say.when}
        value={value === '' ? 'now' : 'later'}
        onChange={(when) => set(when === 'now' ? '' : nextHour(Date.now()))}
        data={[
          { value: 'now', label: say.now },
          { value: 'later', label: say.laterOn },
        ]}
      />
      {value !== '' && (
        <div className={style.below}>
          <MomentField path="setting.send_time" label={name.send_time} keepsValue />
        </div>
      )}
    </div>
  )
}

const HOUR = 3600
const DAY = 24 * HOUR
const lives = [0, HOUR, 6 * HOUR, 3 * DAY, 7 * DAY, 30 * DAY]
const OTHER = 'other'

const TimeToLive = () => {
  const say = useWords(composeWords)
  const name = useWords(fieldWords)
  const { value, set, input } = useField('setting.time_to_live')
  const [isOther, setOther] = useState(false)
  const listed = value === '' || lives.includes(Number(value))
  const shown = isOther || !listed ? OTHER : value
  const inWords = (seconds: number): string =>
    seconds === 0 ? say.ttl0 : seconds < DAY ? say.hours(seconds / HOUR) : say.days(seconds / DAY)
  return (
    <div>
      <NativeSelect
        id={shown === OTHER ? undefined : input.id}
        label={name.time_to_live}
        description={name.time_to_liveHelp}
        value={shown}
        onChange={({ currentTarget: { value: chosen } }) => {
          setOther(chosen === OTHER)
          set(chosen === OTHER ? value || String(DAY) : chosen)
        }}
        data={[
          { value: '', label: say.ttlDefault },
          ...lives.map((seconds) => ({ value: String(seconds), label: inWords(seconds) })),
          { value: OTHER, label: say.ttlOther },
        ]}
      />
      {shown === OTHER && (
        <NumberInput
          {...input}
          mt={6}
          label={say.ttlSeconds}
          value={value}
          onChange={(seconds) => set(String(seconds))}
          min={0}
          max={30 * DAY}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="none"
        />
      )}
    </div>
  )
}

const Sequence = () => {
  const name = useWords(fieldWords)
  const vendor = useWords(partsWords)
  const { value, set, input } = useField('setting.ospush_sequence')
  const chosen = value === '' ? [] : value.split(',')
  const labelOf = (item: string): string =>
    item === 'ups' ? name.ups : item === 'flyme' ? `${vendor.flyme} (flyme)` : vendor[sequenceItems[item]![0]!]
  // Meizu answers to two names; one is enough to choose from.
  const offered = Object.keys(sequenceItems).filter((item) => item !== 'flyme' || chosen.includes(item))
  return (
    <MultiSelect
      {...input}
      label={name.ospush_sequence}
      description={name.ospush_sequenceHelp}
      value={chosen}
      onChange={(items) => set(items.join(','))}
      data={offered.map((item) => ({ value: item, label: labelOf(item) }))}
    />
  )
}

const DryRun = () => {
  const name = useWords(fieldWords)
  const { value, set, input } = useField('setting.dry_run')
  return (
    <Checkbox
      id={input.id}
      label={name.dry_run}
      checked={value === 'true'}
      onChange={(event) => set(event.currentTarget.checked ? 'true' : '')}
    />
  )
}

const RequestId = () => {
  const say = useWords(composeWords)
  const name = useWords(fieldWords)
  const store = useDraftStore()
  const { value, set, input } = useField('setting.request_id')
  const usedFor = useComposing((composing) => (isSent(composing) ? composing.sent!.taskId : undefined))
  return (
    <TextInput
      {...input}
      label={name.request_id}
      description={usedFor === undefined ? name.request_idHelp : say.idUsed(usedFor)}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: style.code }}
      rightSection={
        <Tooltip label={say.newId} withArrow>
          <ActionIcon variant="subtle" color="gray" aria-label={say.newId} onClick={() => store.renewId()}>
            <Icon name="refresh" size={16} />
          </ActionIcon>
        </Tooltip>
      }
    />
  )
}
