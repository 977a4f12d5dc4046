import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where the dev server finds Carillon. */
const server = process.env.CARILLON_URL ?? 'http://127.0.0.1:7700'

export default defineConfig({
  plugins: [react()],
  build: {
    // Browsers of the last two years or so; the page uses no syntax that would have to be rewritten for them.
    target: 'baseline-widely-available',
    assetsInlineLimit: 0, // the policy lets no data: script or style in, and a hashed file is cached for good
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900, // before compression; what counts is measured by a test: the first view, compressed
  },
  server: {
    host: '127.0.0.1',
    // The page's own modules are files of this folder; everything else is a call.
    proxy: { '^/(?!@|src/|node_modules/|index\\.html|$|\\?)': { target: server, ws: true } },
  },
})
