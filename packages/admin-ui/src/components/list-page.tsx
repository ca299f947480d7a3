import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { type DataColumn, DataTable } from "./data-table.tsx";
import { type QueryLike, QueryState } from "./query-state.tsx";

/**
 * A page with one table of things that the server tells of. States: "Asking the server …" until the first
 * answer, a failure notice when that fails, a notice when the list is empty, else the table. Later failures
 * leave the old table with a remark above it.
 * @param lead    stands under the title
 * @param tools   chooses what is listed; stands at the right of the title
 * @param above   stands above the table
 * @param below   stands below the table
 * @param nothing what is said instead of an empty table: a title, a sentence, and where in the config one
 * can be added
 * @param details what is shown below a row
 */
export function ListPage<T>(props: {
  /** Heading of the page, and name of the table for screen readers. */
  title: string;
  lead: ReactNode;
  tools?: ReactNode;
  above?: ReactNode;
  below?: ReactNode;
  /** State of the request; its data are the rows of the page. */
  query: QueryLike<readonly T[]>;
  /** Columns from left to right. */
  columns: readonly DataColumn<T>[];
  nothing: { title: string; text: ReactNode; where?: string };
  /** Names a row among the others. */
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
