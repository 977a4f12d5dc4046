// @ts-nocheck: the tests' types know no document.
// Runs inside the browser: what tests ask of a page that no locator answers.
const groups = '[role=tablist], [role=radiogroup]'
const controls = 'a[href], button, input, select, textarea, summary, [role=tab], [tabindex="0"]'
const typed = ['text', 'password', 'url', 'search', 'email', 'tel']

window.tester = {
  /** Goes to another page; the heading that is left behind is marked, so that the next one can be waited for. */
  go(place) {
    const [from, to] = [location.hash.slice(1) || '/', place].map((each) => each.split('?')[0])
    if (from !== to) document.querySelector('h1')?.setAttribute('data-left', '')
    location.assign(`/#${place}`)
  },

  /** What axe-core finds, and whether the page is wider than the window. */
  async faults(rules) {
    for (const animation of document.getAnimations()) {
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()
    }
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
    const wide = document.documentElement.scrollWidth - innerWidth
    return [
      ...violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' | ')}`),
      ...(wide > 0 ? [`scrolls sideways by ${wide} px`] : []),
    ]
  },

  /** Begins to note where the focus comes to. */
  beginTour() {
    const tour = { first: undefined, isRound: false, reached: new Set() }
    window.tester.tour = tour
    document.addEventListener('focusin', ({ target }) => {
      tour.isRound ||= target === tour.first
      tour.first ??= target
      tour.reached.add(target)
    })
  },

  /** The controls to which the focus never came. Of tabs and of radio buttons one is a stop; arrow keys lead to the others. */
  missed() {
    const { reached } = window.tester.tour
    const isShown = (control) =>
      control.checkVisibility({ visibilityProperty: true }) && !control.matches(':disabled') && !control.closest('[aria-hidden=true], [inert]')
    const isBesideStop = (control) => {
      const group = control.matches('[role=tab], [type=radio]') ? control.closest(groups) : null
      return group !== null && [...reached].some((other) => group.contains(other))
    }
    return [...document.querySelectorAll(controls)]
      .filter((control) => isShown(control) && !reached.has(control) && !isBesideStop(control))
      .map((control) => control.outerHTML.slice(0, 300))
  },

  /** Puts each text into each field, as typing would; resolves to how many fields there were. */
  async type(texts) {
    const fields = [...document.querySelectorAll('input, textarea')].filter(({ tagName, type }) => tagName === 'TEXTAREA' || typed.includes(type))
    for (const text of texts) {
      for (const field of fields) {
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, text)
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
      await new Promise((resolve) => setTimeout(resolve))
    }
    for (const field of fields) field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }))
    return fields.length
  },
}
