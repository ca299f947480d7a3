import "./query-state.css";
import type { ReactNode } from "react";
import { FailureNotice } from "./failure-notice.tsx";

/** The parts of a query that decide what is drawn. */
export interface QueryLike<T> {
  data: T | undefined;
  error: Error | null;
  isError: boolean;
  refetch: () => unknown;
}

/**
 * Shows a query's data, however old, once there is some; before that, that it is loading, or why it failed.
 * @param children draws the data
 */
export function QueryState<T>(props: { query: QueryLike<T>; children: (data: T) => ReactNode }) {
  const { query, children } = props;
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && (
          <p className="stale-note" role="alert">
            This could not be read anew: {query.error?.message} What you see is from before.
          </p>
        )}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) {
    return <FailureNotice error={query.error} onRetry={() => query.refetch()} />;
  }
  return (
    <p className="muted" role="status">
      Asking the server …
    </p>
  );
}
