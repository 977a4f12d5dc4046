import type { CertificateForm } from '@carillon/protocol/certificate-forms.ts'
import { SegmentedControl, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../api/keys.ts'
import { useSession } from '../api/session.tsx'
import { Page } from '../frame/page.tsx'
import { Failed } from '../parts/failed.tsx'
import { useWords } from '../words/language.tsx'
import { CertificateCard } from './certificates/card.tsx'
import style from './certificates/certificates.module.css'
import { type Environment, PRODUCTION } from './certificates/environment.ts'
import { FormDrawer } from './certificates/form-drawer.tsx'
import { certificatesWords } from './certificates.words.ts'

/** The app's accounts at the makers of phones. */
export const CertificatesPage = () => {
  const say = useWords(certificatesWords)
  const { ask, caller } = useSession()
  const [environment, setEnvironment] = useState<Environment>(PRODUCTION)
  const [editing, setEditing] = useState<CertificateForm>()
  const forms = useQuery({ queryKey: keys.certificateForms, queryFn: () => ask<CertificateForm[]>('/push/certificate/form'), staleTime: Infinity })
  const certificates = useQuery({ queryKey: keys.certificates, queryFn: () => caller.certificates() })
  const lanes = useQuery({ queryKey: keys.lanes, queryFn: () => caller.lanes() })
  const error = forms.error ?? certificates.error
  const find = (provider: number) => certificates.data?.find((each) => each.provider === provider && each.environment === environment)
  return (
    <Page
      title={say.title}
      lead={say.lead}
      actions={
        <SegmentedControl
          aria-label={say.environment}
          value={String(environment)}
          onChange={(value) => setEnvironment(Number(value) as Environment)}
          data={[
            { value: '1', label: say.production },
            { value: '0', label: say.developmentShort },
          ]}
        />
      }
    >
      {error && <Failed error={error} again={() => void Promise.all([forms.refetch(), certificates.refetch()])} />}
      {!error && !(forms.data && certificates.data) && <Skeleton height={420} radius={12} />}
      {forms.data && certificates.data && (
        <div className={style.cards}>
          {forms.data.map((form) => (
            <CertificateCard
              key={form.provider}
              form={form}
              environment={environment}
              certificate={find(form.provider)}
              lane={lanes.data?.find((lane) => lane.provider === form.provider && lane.environment === environment)}
              onEdit={() => setEditing(form)}
            />
          ))}
        </div>
      )}
      <FormDrawer form={editing} environment={environment} replaces={editing !== undefined && find(editing.provider) !== undefined} onClose={() => setEditing(undefined)} />
    </Page>
  )
}
