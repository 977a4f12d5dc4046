/** One value that is counted up. Whoever counts keeps it: on the hot path an increment is a property add. */
export interface Cell {
  value: number
}

/** A value that is asked for when somebody looks; with a label, one for each of its values. */
export interface Gauge {
  read: () => number | Record<string, number>
}

/** How often something took up to so much. */
export class Histogram {
  readonly bounds: readonly number[]
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let place = 0
    while (place < bounds.length && value > bounds[place]!) place += 1
    counts[place]! += 1
    this.sum += value
  }
}

/** The cells of one metric by the values of its labels. Who needs one often keeps it. */
export class Family<T> {
  readonly #make: () => T
  readonly #members = new Map<string, { values: readonly string[]; cell: T }>()

  constructor(make: () => T) {
    this.#make = make
  }

  of(...values: string[]): T {
    const key = values.length === 1 ? values[0]! : values.join('\n')
    let member = this.#members.get(key)
    if (member === undefined) this.#members.set(key, (member = { values, cell: this.#make() }))
    return member.cell
  }

  members(): Iterable<{ values: readonly string[]; cell: T }> {
    return this.#members.values()
  }
}

type Lines = Iterable<string>

/** All metrics of a process, and the text that Prometheus reads (exposition format 0.0.4). */
export class Registry {
  readonly #metrics = new Map<string, { head: string; lines: () => Lines }>()

  counter(name: string, help: string): Cell {
    return this.counters(name, help, []).of()
  }

  counters(name: string, help: string, labels: readonly string[]): Family<Cell> {
    const family = new Family<Cell>(() => ({ value: 0 }))
    this.#add(name, 'counter', help, function* () {
      for (const { values, cell } of family.members()) yield line(name, labels, values, cell.value)
    })
    return family
  }

  /** `type`: counter for what only rises but is counted elsewhere. */
  gauge(name: string, help: string, label?: string, type: 'gauge' | 'counter' = 'gauge'): Gauge {
    const gauge: Gauge = { read: () => (label === undefined ? 0 : {}) }
    this.#add(name, type, help, function* () {
      const now = gauge.read()
      if (typeof now === 'number') yield line(name, [], [], now)
      else for (const [value, reading] of Object.entries(now)) yield line(name, [label!], [value], reading)
    })
    return gauge
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.histograms(name, help, [], bounds).of()
  }

  histograms(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Family<Histogram> {
    const family = new Family<Histogram>(() => new Histogram(bounds))
    this.#add(name, 'histogram', help, function* () {
      for (const { values, cell } of family.members()) {
        let count = 0
        for (const [place, more] of cell.counts.entries()) {
          count += more
          yield line(`${name}_bucket`, [...labels, 'le'], [...values, String(bounds[place] ?? '+Inf')], count)
        }
        yield line(`${name}_sum`, labels, values, cell.sum)
        yield line(`${name}_count`, labels, values, count)
      }
    })
    return family
  }

  text(): string {
    let text = ''
    for (const { head, lines } of this.#metrics.values()) {
      text += head
      for (const one of lines()) text += one
    }
    return text
  }

  #add(name: string, type: string, help: string, lines: () => Lines): void {
    if (this.#metrics.has(name)) throw new Error(`two metrics are called ${name}`)
    this.#metrics.set(name, { head: `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`, lines })
  }
}

const line = (name: string, labels: readonly string[], values: readonly string[], value: number): string => {
  const pairs = labels.map((label, i) => `${label}="${escaped(values[i]!)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
