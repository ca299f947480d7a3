import "./data-table.css";
import type { ReactNode } from "react";

/** A column of a table. */
export interface DataColumn {
  name: string;
  /** `right` for figures, `curve` for what is drawn. */
  kind?: "right" | "curve";
}

/**
 * A table that scrolls sideways in narrow windows.
 * @param name     what it lists, for screen readers
 * @param children its rows, with a cell for each column
 */
export function DataTable(props: { name: string; columns: readonly DataColumn[]; children: ReactNode }) {
  const { name, columns, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls in narrow windows, so it must be reached by key
    <section className="table-frame" tabIndex={0} aria-label={name}>
      <table className="data-table">
        <thead>
          <tr>
            {columns.map(({ name: head, kind }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <th key={index} scope="col" className={kind}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
