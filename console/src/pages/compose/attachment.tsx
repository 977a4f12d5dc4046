import { ActionIcon, Button, FileButton, Group, Progress, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type DragEvent, useRef, useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { upload } from '../../api/upload.ts'
import { useReason } from '../../parts/failed.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { isPicture } from './check.ts'
import style from './compose.module.css'
import { useField } from './field.tsx'
import { fieldWords } from './field.words.ts'
import { IMAGE_UNDER, imageEndings, MEDIA_MOST, mediaEndings } from './limits.ts'

const endings = [...imageEndings, ...mediaEndings]

/** What is attached: an address, or a file that gets one. */
export const Attachment = () => {
  const name = useWords(fieldWords)
  const { formats } = useLanguage()
  const { session } = useSession()
  const reason = useReason()
  const { value, set, input } = useField('message.attachment_url')
  const [isOver, setOver] = useState(false)
  const [share, setShare] = useState(0)
  const stop = useRef(new AbortController())

  const putting = useMutation({
    mutationFn: (file: File) => {
      stop.current = new AbortController()
      setShare(0)
      return upload({ appId: session.app_id, file, signal: stop.current.signal, onProgress: setShare })
    },
    onSuccess: set,
    meta: { quiet: true },
  })

  /** What the server would say after the last byte is said before the first one. */
  const objection = (file: File): string | undefined => {
    const ending = /\.([a-z0-9]+)$/i.exec(file.name)?.[1]?.toLowerCase() ?? ''
    if (!endings.includes(ending)) return name.fileEnding(endings.map((each) => `.${each}`).join(' '))
    if (imageEndings.includes(ending))
      return file.size < IMAGE_UNDER ? undefined : name.imageTooLarge(formats.bytes(file.size))
    return file.size <= MEDIA_MOST ? undefined : name.fileTooLarge(formats.bytes(file.size))
  }
  const [objected, setObjected] = useState<string>()
  const take = (file: File | null | undefined) => {
    if (!file || putting.isPending) return
    const wrong = objection(file)
    setObjected(wrong)
    if (wrong === undefined) putting.mutate(file)
    else putting.reset()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files[0])
  }
  const isStopped = putting.error?.name === 'AbortError'
  const failed = objected ?? (putting.isError && !isStopped ? reason(putting.error) : undefined)

  return (
    <div
      className={style.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <TextInput
        {...input}
        label={name.attachment_url}
        description={name.attachment_urlHelp}
        type="url"
        placeholder="https://…"
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
        autoComplete="off"
        rightSection={
          value !== '' && (
            <ActionIcon variant="subtle" color="gray" aria-label={name.removeFile} onClick={() => set('')}>
              <Icon name="close" size={16} />
            </ActionIcon>
          )
        }
      />
      {putting.isPending ? (
        <Group gap="sm" mt={8} wrap="nowrap">
          <Progress value={share * 100} className={style.grow} aria-label={name.uploading(formats.percent(share))} />
          <Text size="xs" c="dimmed">
            {formats.percent(share)}
          </Text>
          <Button variant="default" size="compact-xs" onClick={() => stop.current.abort()}>
            {name.stopUpload}
          </Button>
        </Group>
      ) : (
        <Group gap="xs" mt={8}>
          <FileButton onChange={take} accept={endings.map((ending) => `.${ending}`).join(',')}>
            {(props) => (
              <Button {...props} variant="default" size="compact-sm">
                {name.chooseFile}
              </Button>
            )}
          </FileButton>
          <Text size="xs" c="dimmed" className={style.pointed}>
            {name.dropFile}
          </Text>
        </Group>
      )}
      {isPicture(value) && <Thumbnail key={value} address={value} />}
      <div role="status">
        {failed !== undefined && <p className={style.problem}>{failed}</p>}
        {putting.isSuccess && value === putting.data && (
          <p className={style.good}>{name.uploaded(putting.variables.name)}</p>
        )}
      </div>
    </div>
  )
}

const BEST = { width: 876, height: 324 }

/** The picture as it can be had from here, and its size: the makers crop what is not wide. */
const Thumbnail = ({ address }: { address: string }) => {
  const name = useWords(fieldWords)
  const [size, setSize] = useState<{ width: number; height: number }>()
  const [isLost, setLost] = useState(false)
  if (isLost) return <p className={style.warn}>{name.pictureLost}</p>
  return (
    <div className={style.thumbnail}>
      <img
        src={address}
        alt=""
        referrerPolicy="no-referrer"
        onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
        onError={() => setLost(true)}
      />
      {size && (
        <span className={style.note}>
          {name.pictureSize(String(size.width), String(size.height))}
          {(size.width !== BEST.width || size.height !== BEST.height) && ` · ${name.pictureBest}`}
        </span>
      )}
    </div>
  )
}
