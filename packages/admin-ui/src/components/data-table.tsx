import "./data-table.css";
import { Fragment, type ReactNode } from "react";
import { useNarrow } from "./use-narrow.ts";

export interface DataColumn<T> {
  /** Heading of the column. Two columns may have the same heading. */
  name: string;
  /** `head` identifies the row; `right` is for figures, `curve` for graphics, `wrap` for long texts. */
  kind?: "head" | "right" | "curve" | "wrap";
  /** True: monospaced text. */
  mono?: boolean;
  /** Draws the cell of a row. */
  cell: (row: T) => ReactNode;
  /** Sort direction, if the rows are sorted by this column. */
  sorted?: "ascending" | "descending" | undefined;
}

/**
 * A table that scrolls sideways in narrow windows. In them the sorted column directly follows the column that
 * identifies the row, so that both are visible without scrolling.
 * @param name    label of the table, for screen readers
 * @param details content below a row, if any
 */
export function DataTable<T>(props: {
  name: string;
  columns: readonly DataColumn<T>[];
  /** Rows in the server's order; all are drawn, so a page has at most 100. */
  rows: readonly T[];
  /** A unique key of a row, stable over refreshes. */
  keyOf: (row: T) => string;
  details?: (row: T) => ReactNode;
}) {
  const { name, rows, keyOf, details } = props;
  const isNarrow = useNarrow();
  const columns = isNarrow ? sortedFirst(props.columns) : props.columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls in narrow windows, so it must be reached by key
    <section className="table-frame" tabIndex={0} aria-label={name}>
      <table className="data-table" aria-label={name}>
        <thead>
          <tr>
            {columns.map(({ name: head, kind, sorted }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <th key={index} scope="col" className={kind} aria-sort={sorted}>
                {head}
                {sorted !== undefined && (
                  <span aria-hidden="true">{sorted === "ascending" ? " ↑" : " ↓"}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const below = details?.(row);
            return (
              <Fragment key={keyOf(row)}>
                <tr>
                  {columns.map((column, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
                    <Cell key={`${column.name} ${index}`} column={column} row={row} />
                  ))}
                </tr>
                {below !== undefined && (
                  <tr>
                    <td colSpan={columns.length}>
                      <div className="row-details">{below}</div>
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** A cell. In a `head` column it is a row header for screen readers. */
function Cell<T>({ column: { kind, mono, cell }, row }: { column: DataColumn<T>; row: T }) {
  const classes = [kind === "head" ? "" : (kind ?? ""), mono ? "mono" : ""].join(" ").trim();
  return kind === "head" ? (
    <th scope="row" className={classes || undefined}>
      {cell(row)}
    </th>
  ) : (
    <td className={classes || undefined}>{cell(row)}</td>
  );
}

/** The columns of a narrow window: the identifying column, the sorted column, then the others in order. */
function sortedFirst<T>(columns: readonly DataColumn<T>[]): readonly DataColumn<T>[] {
  const rank = ({ kind, sorted }: DataColumn<T>) => (kind === "head" ? 0 : sorted === undefined ? 2 : 1);
  return columns.toSorted((a, b) => rank(a) - rank(b));
}
