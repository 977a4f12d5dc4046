import { Skeleton, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import style from './data-table.module.css'

export interface Column<Row> {
  title: string
  cell(row: Row): ReactNode
  /** Numbers stand at the end, under one another. */
  align?: 'start' | 'end'
  /** Left out where there is no room for it. */
  wide?: boolean
}

interface DataTable<Row> {
  /** What the rows are; read aloud before them. */
  label: string
  /** undefined while they are on their way. */
  rows: Row[] | undefined
  columns: Column<Row>[]
  rowKey(row: Row): string | number
}

const WAITING_ROWS = 6

/** Rows and columns. Inside a `<Panel flush>`. */
export const DataTable = <Row,>({ label, rows, columns, rowKey }: DataTable<Row>) => (
  <div className={style.scroll}>
    <Table className={style.table} aria-label={label} aria-busy={rows === undefined} highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ title, align, wide }) => (
            <Table.Th key={title} scope="col" ta={align} data-wide={wide}>
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows
          ? rows.map((row) => (
              <Table.Tr key={rowKey(row)}>
                {columns.map(({ title, cell, align, wide }) => (
                  <Table.Td key={title} ta={align} data-wide={wide}>
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))
          : Array.from({ length: WAITING_ROWS }, (_, i) => <WaitingRow key={i} columns={columns} />)}
      </Table.Tbody>
    </Table>
  </div>
)

const WaitingRow = <Row,>({ columns }: { columns: Column<Row>[] }) => (
  <Table.Tr>
    {columns.map(({ title, wide }) => (
      <Table.Td key={title} data-wide={wide}>
        <Skeleton height={12} my={6} />
      </Table.Td>
    ))}
  </Table.Tr>
)
