import "./query-state.css";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FailureNotice } from "./failure-notice.tsx";

/**
 * What a query gives: the data, however old, once there is some; before that, that it is asked for, or why it failed.
 * @param children draws the data
 */
export function QueryState<T>(props: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  const { query, children } = props;
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && (
          <p className="stale-note" role="alert">
            This could not be read anew: {query.error.message} What you see is from before.
          </p>
        )}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <FailureNotice error={query.error} onRetry={() => query.refetch()} />;
  return (
    <p className="muted" role="status">
      Asking the server …
    </p>
  );
}
