import "./data-table.css";
import { Fragment, type ReactNode } from "react";
import { useNarrow } from "./use-narrow.ts";

/** A column of a table of `T`. */
export interface DataColumn<T> {
  /** Heading of the column. Two columns may have the same one. */
  name: string;
  /** `head` names the row; `right` is for figures, `curve` for what is drawn, `wrap` for long texts. */
  kind?: "head" | "right" | "curve" | "wrap";
  /** True: monospaced text. */
  mono?: boolean;
  /** Draws the cell of a row. */
  cell: (row: T) => ReactNode;
  /** How the rows are ordered, where it is by this column. */
  sorted?: "ascending" | "descending" | undefined;
}

/**
 * A table that scrolls sideways in narrow windows. There the column that orders it comes right after the
 * one that names the row, so that both are seen without scrolling.
 * @param name    label of the table, for screen readers
 * @param details what is shown below a row, if anything
 */
export function DataTable<T>(props: {
  name: string;
  columns: readonly DataColumn<T>[];
  /** Rows in the order of the server; all are drawn, so pages hold 100 at most. */
  rows: readonly T[];
  /** A unique and stable key of a row, also after a refresh. */
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

/** The columns of a narrow window: the row's name, the sorted column, then the others in their order. */
function sortedFirst<T>(columns: readonly DataColumn<T>[]): readonly DataColumn<T>[] {
  const rank = ({ kind, sorted }: DataColumn<T>) => (kind === "head" ? 0 : sorted === undefined ? 2 : 1);
  return columns.toSorted((a, b) => rank(a) - rank(b));
}
