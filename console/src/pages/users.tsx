import { frameWords } from '../frame/frame.words.ts'
import { Page } from '../frame/page.tsx'
import { useWords } from '../words/language.tsx'

export const UsersPage = () => <Page title={useWords(frameWords).users}>{null}</Page>
