import { scaleLinear, scaleTime } from '@visx/scale'
import { AreaClosed, LinePath } from '@visx/shape'
import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { useLanguage, useWords } from '../../words/language.tsx'
import { partsWords } from '../parts.words.ts'
import style from './chart.module.css'

/** A moment, and each series' value then, in the order of the series. */
export interface Point {
  at: number
  values: number[]
}

interface TimeChart {
  /** What it shows; read aloud, and the caption of the table behind it. */
  label: string
  /** At most three: each has its colour. */
  series: string[]
  points: Point[]
  height?: number
}

const LEFT = 44
const RIGHT = 8
const TOP = 8
const BOTTOM = 24
const TICK_PX = 90
const HALF_LABEL = 24
const SHORT_MS = 10 * 60_000

/** Within minutes, the seconds tell moments apart. */
const useTimeFormat = (points: Point[]): ((at: number) => string) => {
  const { formats } = useLanguage()
  const span = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)
  return span < SHORT_MS ? formats.clock : formats.time
}

/** Lines over time. Who cannot see them finds the same figures in a table. */
export const TimeChart = ({ label, series, points, height = 220 }: TimeChart) => {
  const { formats } = useLanguage()
  const time = useTimeFormat(points)
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<Point>()
  const most = Math.max(4, ...points.flatMap(({ values }) => values))
  const x = scaleTime({
    domain: [points[0]?.at ?? 0, points.at(-1)?.at ?? 1],
    range: [LEFT, Math.max(LEFT, width - RIGHT)],
  })
  const y = scaleLinear({ domain: [0, most], range: [height - BOTTOM, TOP], nice: 4 })
  const point = ({ nativeEvent }: PointerEvent) => setPointed(nearest(points, Number(x.invert(nativeEvent.offsetX))))
  return (
    <figure className={style.chart}>
      <figcaption className={style.legend}>
        {series.map((name, i) => (
          <span key={name} className={style.entry} data-series={i + 1}>
            {name}
          </span>
        ))}
      </figcaption>
      <div ref={ref} className={style.canvas} style={{ height }}>
        {width > 0 && (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={label}
            onPointerMove={point}
            onPointerLeave={() => setPointed(undefined)}
          >
            {y
              .ticks(4)
              .filter(Number.isInteger)
              .map((value) => (
                <g key={value}>
                  <line className={style.grid} x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
                  <text className={style.tick} x={LEFT - 8} y={y(value)} dy="0.32em" textAnchor="end">
                    {formats.short(value)}
                  </text>
                </g>
              ))}
            {x
              .ticks(Math.max(2, Math.floor(width / TICK_PX)))
              .filter((at) => x(at) < width - RIGHT - HALF_LABEL)
              .filter((at, i, all) => i === 0 || time(Number(at)) !== time(Number(all[i - 1]))) // within a second, one
              .map((at) => (
                <text key={Number(at)} className={style.tick} x={x(at)} y={height - 6} textAnchor="middle">
                  {time(Number(at))}
                </text>
              ))}
            {series.map((name, i) => (
              <g key={name} data-series={i + 1} className={style.series}>
                {i === 0 && (
                  <AreaClosed
                    data={points}
                    x={({ at }) => x(at)}
                    y={({ values }) => y(values[i]!)}
                    yScale={y}
                    className={style.area}
                  />
                )}
                <LinePath
                  data={points}
                  x={({ at }) => x(at)}
                  y={({ values }) => y(values[i]!)}
                  className={style.line}
                />
                {pointed && <circle className={style.dot} cx={x(pointed.at)} cy={y(pointed.values[i]!)} r={3.5} />}
              </g>
            ))}
            {pointed && (
              <line className={style.cursor} x1={x(pointed.at)} x2={x(pointed.at)} y1={TOP} y2={height - BOTTOM} />
            )}
          </svg>
        )}
        {pointed && <Card point={pointed} time={time(pointed.at)} series={series} left={x(pointed.at)} flip={x(pointed.at) > width / 2} />}
      </div>
      <Figures label={label} series={series} points={points} />
    </figure>
  )
}

const nearest = (points: Point[], at: number): Point | undefined =>
  points.reduce<Point | undefined>(
    (best, each) => (!best || Math.abs(each.at - at) < Math.abs(best.at - at) ? each : best),
    undefined,
  )

interface Card {
  point: Point
  time: string
  series: string[]
  left: number
  flip: boolean
}

const Card = ({ point, time, series, left, flip }: Card) => {
  const { formats } = useLanguage()
  return (
    <div
      className={style.card}
      style={{ left, transform: flip ? 'translateX(calc(-100% - 12px))' : 'translateX(12px)' }}
      aria-hidden="true"
    >
      <strong>{time}</strong>
      {series.map((name, i) => (
        <span key={name} className={style.entry} data-series={i + 1}>
          {name} <b>{formats.number(point.values[i]!)}</b>
        </span>
      ))}
    </div>
  )
}

const Figures = ({ label, series, points }: Pick<TimeChart, 'label' | 'series' | 'points'>) => {
  const say = useWords(partsWords)
  const { formats } = useLanguage()
  const time = useTimeFormat(points)
  return (
    <div className="unseen">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{say.time}</th>
            {series.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ at, values }) => (
            <tr key={at}>
              <th scope="row">{time(at)}</th>
              {values.map((value, i) => (
                <td key={series[i]}>{formats.number(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
