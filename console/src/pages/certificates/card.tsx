import type { CertificateForm } from '@carillon/protocol/certificate-forms.ts'
import { consoleReporters, vendorOfProvider } from '@carillon/protocol/names.ts'
import type { ListedCertificate, ListedLane } from '@carillon/sdk/answers.ts'
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { keys } from '../../api/keys.ts'
import { useSession } from '../../api/session.tsx'
import { Badge } from '../../parts/badges.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useReason } from '../../parts/failed.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { partsWords } from '../../parts/parts.words.ts'
import { TimeAgo } from '../../parts/time-ago.tsx'
import { useNow } from '../../parts/now.ts'
import { toastDone } from '../../parts/toasts.ts'
import { useWords } from '../../words/language.tsx'
import { useTold } from '../../words/told.ts'
import { certificatesWords } from '../certificates.words.ts'
import style from './certificates.module.css'
import type { Environment } from './environment.ts'
import { useFieldWords } from './field-words.ts'
import { triedWords } from './tried.words.ts'

const SOON_MS = 30 * 86_400_000

interface Card {
  form: CertificateForm
  environment: Environment
  certificate: ListedCertificate | undefined
  lane: ListedLane | undefined
  onEdit(): void
}

/** One vendor's certificate in one environment, or the lack of one. */
export const CertificateCard = ({ form, environment, certificate, lane, onEdit }: Card) => {
  const say = useWords(certificatesWords)
  const names = useWords(partsWords)
  const wordsOf = useFieldWords()
  const vendor = vendorOfProvider[form.provider]!
  const title = names[vendor]
  const appId = form.fields.find(({ name }) => name === 'app_id')
  if (!certificate) {
    return (
      <Panel title={title} aside={<Badge>{say.notSet}</Badge>}>
        <Button variant="default" size="xs" aria-label={say.setThis(title)} onClick={onEdit}>
          {say.set}
        </Button>
      </Panel>
    )
  }
  return (
    <Panel title={title} aside={lane && <LaneBadge lane={lane} />}>
      <dl className={style.facts}>
        <dt>{say.name}</dt>
        <dd>{certificate.name}</dd>
        {certificate.app_id && (
          <>
            <dt>{appId ? wordsOf(appId).title : 'app_id'}</dt>
            <dd>
              <code>{certificate.app_id}</code>
            </dd>
          </>
        )}
        <dt>{say.updated}</dt>
        <dd>
          <TimeAgo at={certificate.updated_at} />
        </dd>
        {certificate.expires_at !== null && (
          <>
            <dt>{say.expires}</dt>
            <dd>
              <Expiry at={certificate.expires_at} />
            </dd>
          </>
        )}
        {form.reports && (
          <>
            <dt>{say.receipts}</dt>
            <dd>{certificate.receipt_url ? <ReceiptUrl url={certificate.receipt_url} isPasted={consoleReporters.includes(vendor)} /> : say.receiptsMissing}</dd>
          </>
        )}
      </dl>
      <Actions title={title} place={{ provider: form.provider, environment }} onEdit={onEdit} />
    </Panel>
  )
}

const LaneBadge = ({ lane }: { lane: ListedLane }) => {
  const say = useWords(certificatesWords)
  if (lane.state === 'open') return <Badge tone="good">{say.laneOpen}</Badge>
  return <Badge tone="bad">{lane.state === 'paused' ? say.lanePaused : say.laneTrying}</Badge>
}

const Expiry = ({ at }: { at: number }) => {
  const say = useWords(certificatesWords)
  const now = useNow()
  if (at <= now) return <Badge tone="bad">{say.expired}</Badge>
  return at - now < SOON_MS ? (
    <Badge tone="warn">
      <TimeAgo at={at} />
    </Badge>
  ) : (
    <TimeAgo at={at} />
  )
}

/** `isPasted`: the vendor's console keeps it; otherwise every push tells it. */
const ReceiptUrl = ({ url, isPasted }: { url: string; isPasted: boolean }) => {
  const say = useWords(certificatesWords)
  return (
    <>
      <span className={style.url}>
        <code title={url}>{url}</code>
        <CopyButton text={url} what={say.receipts} />
      </span>
      <span className={style.soft}>{isPasted ? say.receiptsHelp : say.receiptsTold}</span>
    </>
  )
}

const Actions = ({ title, place, onEdit }: { title: string; place: { provider: number; environment: Environment }; onEdit(): void }) => {
  const say = useWords(certificatesWords)
  const reason = useReason()
  const told = useTold(triedWords)
  const { caller } = useSession()
  const queries = useQueryClient()
  const [asks, question] = useDisclosure(false)
  const checking = useMutation({ mutationFn: () => caller.checkCertificate(place), meta: { quiet: true } })
  const removing = useMutation({
    mutationFn: () => caller.deleteCertificate(place),
    onSuccess: () => {
      question.close()
      toastDone(say.removed)
      return queries.invalidateQueries({ queryKey: keys.certificates })
    },
  })
  return (
    <>
      {checking.data && (
        <Notice tone={checking.data.ok ? 'good' : 'bad'} role="status">
          {told(checking.data.told, checking.data.message)}
        </Notice>
      )}
      {checking.isError && (
        <Notice tone="bad" role="alert">
          {reason(checking.error)}
        </Notice>
      )}
      <Group gap="xs" mt={checking.data || checking.isError ? 'sm' : 0}>
        <Button variant="default" size="xs" loading={checking.isPending} aria-label={say.checkThis(title)} onClick={() => checking.mutate()}>
          {say.check}
        </Button>
        <Button variant="default" size="xs" aria-label={say.replaceThis(title)} onClick={onEdit}>
          {say.replace}
        </Button>
        <Button variant="subtle" color="red" size="xs" aria-label={say.removeThis(title)} onClick={question.open}>
          {say.remove}
        </Button>
      </Group>
      <ConfirmDialog opened={asks} title={say.removeTitle(title)} action={say.remove} pending={removing.isPending} onConfirm={() => removing.mutate()} onClose={question.close}>
        {say.removeText}
      </ConfirmDialog>
    </>
  )
}
