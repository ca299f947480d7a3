import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { type DataColumn, DataTable } from "./data-table.tsx";
import { type QueryLike, QueryState } from "./query-state.tsx";

/**
 * A page with one table of data from the server. States: "Asking the server …" until the first response, a failure
 * notice when that fails, a notice for an empty list, else the table. After a later failure the old table stays, with a
 * remark above.
 * @param lead content below the title
 * @param tools controls that select the listed rows; to the right of the title
 * @param above content above the table
 * @param below content below the table
 * @param nothing notice for an empty table: a title, a sentence, and a link to the place in the config where an entry
 * can be added
 * @param details content below a row
 */
export function ListPage<T>(props: {
  /** Heading of the page, and label of the table for screen readers. */
  title: string;
  lead: ReactNode;
  tools?: ReactNode;
  above?: ReactNode;
  below?: ReactNode;
  /** State of the request; its data are the rows. */
  query: QueryLike<readonly T[]>;
  /** Columns from left to right. */
  columns: readonly DataColumn<T>[];
  nothing: { title: string; text: ReactNode; where?: string };
  /** A unique key of a row. */
  keyOf: (one: T) => string;
  details?: (one: T) => ReactNode;
}) {
  const { title, lead, tools, above, below, query, columns, nothing, keyOf, details } = props;
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>{title}</h1>
        <p className="muted">{lead}</p>
        {tools !== undefined && <div className="page-head-actions">{tools}</div>}
      </div>
      <QueryState query={query}>
        {(found) => (
          <>
            {above}
            {found.length === 0 ? (
              <Notice kind="plain" title={nothing.title}>
                <p>
                  {nothing.text}
                  {nothing.where !== undefined && (
                    <>
                      {" "}
                      <Link to="/config">in the config</Link>
                      {nothing.where}.
                    </>
                  )}
                </p>
              </Notice>
            ) : (
              <DataTable name={title} rows={found} {...{ columns, keyOf }} {...(details && { details })} />
            )}
            {below}
          </>
        )}
      </QueryState>
    </div>
  );
}
