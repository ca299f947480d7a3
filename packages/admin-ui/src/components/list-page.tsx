import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { type DataColumn, DataTable } from "./data-table.tsx";
import { type QueryLike, QueryState } from "./query-state.tsx";

/**
 * A page with one table of things that the server tells of.
 * @param lead    stands under the title
 * @param tools   chooses what is listed; stands at the right of the title
 * @param below   stands below the table
 * @param nothing what is said in place of an empty table: a title, a sentence, and where in the config one can be added
 * @param row     draws one of them, as a row with a key
 */
export function ListPage<T>(props: {
  title: string;
  lead: ReactNode;
  tools?: ReactNode;
  below?: ReactNode;
  query: QueryLike<readonly T[]>;
  columns: readonly DataColumn[];
  nothing: { title: string; text: ReactNode; where?: string };
  row: (one: T) => ReactNode;
}) {
  const { title, lead, tools, below, query, columns, nothing, row } = props;
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>{title}</h1>
        <p className="muted">{lead}</p>
        {tools !== undefined && <div className="page-head-actions">{tools}</div>}
      </div>
      <QueryState query={query}>
        {(found) =>
          found.length === 0 ? (
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
            <>
              <DataTable name={title} columns={columns}>
                {found.map(row)}
              </DataTable>
              {below}
            </>
          )
        }
      </QueryState>
    </div>
  );
}
