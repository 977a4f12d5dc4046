import {
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core'

/** Bell bronze: the one accent. Shade 7 carries white text, shade 3 carries black. */
const bronze: MantineColorsTuple = [
  '#fbf5e9', '#f4e7cc', '#e9d09d', '#ddb76b', '#d0a045', '#bd882c', '#a47221', '#85591a', '#694516', '#4c3110',
]

/** Greys with a breath of warmth in them, so that bronze does not look foreign. */
const gray: MantineColorsTuple = [
  '#faf9f7', '#f4f3f0', '#e9e7e2', '#dcd9d3', '#c2beb6', '#9d988f', '#76726a', '#5b5750', '#3d3a35', '#262420',
]

/** From text (0) down to the page (7) and what lies under it. */
const dark: MantineColorsTuple = [
  '#eae7e1', '#cdc9c1', '#aba69c', '#827d74', '#3d3a36', '#322f2b', '#262421', '#1b1a18', '#151412', '#0f0e0d',
]

const sans =
  '-apple-system, BlinkMacSystemFont, "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", ' +
  'Arial, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif'

const red: MantineColorsTuple = [
  '#fcebe9', '#f9d3cf', '#fcb8b0', '#ff9c92', '#f0776b', '#dd5347', '#c83a30', '#b3261e', '#931d17', '#701410',
]

const green: MantineColorsTuple = [
  '#e4f4ea', '#c6e8d4', '#9cdcb8', '#74d3a0', '#4fbd85', '#34a26c', '#268a5b', '#1f7a4d', '#18603d', '#11472d',
]

/** Filled things are deep on light pages and bright on dark ones: their text is the other way round. */
const coloursOf: VariantColorsResolver = (input) => {
  const colours = defaultVariantColorsResolver(input)
  return input.variant === 'filled' ? { ...colours, color: `light-dark(#ffffff, ${dark[8]})` } : colours
}

const looks = createTheme({
  colors: { bronze, gray, dark, red, green },
  primaryColor: 'bronze',
  primaryShade: { light: 7, dark: 3 },
  variantColorResolver: coloursOf,
  fontFamily: sans,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '600' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
})

/** How the library's parts look here, and what their own buttons are called in the language spoken. */
export const themeFor = (words: { close: string; show: string }) =>
  createTheme({
    ...looks,
    components: {
      Drawer: { defaultProps: { closeButtonProps: { 'aria-label': words.close } } },
      Modal: { defaultProps: { closeButtonProps: { 'aria-label': words.close } } },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': words.close } } },
      // Reachable with a keyboard, which the library leaves out.
      PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': words.show, tabIndex: 0 } } },
    },
  })

/** Text that is there to be read keeps 4.5 : 1 on every ground it stands on (WCAG 1.4.3). */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': '#68645c',
    '--mantine-color-placeholder': '#726e66',
    '--mantine-color-error': '#c0262d',
    '--mantine-color-default-border': gray[3],
    '--ground': gray[0],
    '--line': gray[2],
    '--soft': gray[1],
    '--accent': bronze[7],
    '--accent-soft': bronze[0],
    '--good': '#1f7a4d',
    '--good-soft': '#e4f4ea',
    '--bad': '#b3261e',
    '--bad-soft': '#fcebe9',
    '--warn': '#8a5300',
    '--warn-soft': '#fdf1d8',
    '--cool': '#2f5f9e',
    '--cool-soft': '#e7effa',
    '--series-1': '#85591a',
    '--series-2': '#2f6fb0',
    '--series-3': '#23865a',
  },
  dark: {
    '--mantine-color-body': dark[6],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#98938a',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-default-border': '#66615a',
    '--ground': dark[7],
    '--line': dark[4],
    '--soft': dark[5],
    '--accent': bronze[3],
    '--accent-soft': '#3a2f1c',
    '--good': '#74d3a0',
    '--good-soft': '#1d3529',
    '--bad': '#ff9c92',
    '--bad-soft': '#44211e',
    '--warn': '#f0c063',
    '--warn-soft': '#3d3017',
    '--cool': '#94bff2',
    '--cool-soft': '#1f2f44',
    '--series-1': '#ddb76b',
    '--series-2': '#7fb2ea',
    '--series-3': '#6fcb99',
  },
})
