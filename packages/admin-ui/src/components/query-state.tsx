import "./query-state.css";
import type { ReactNode } from "react";
import { FailureNotice } from "./failure-notice.tsx";

/** The parts of a query that decide what is drawn. */
export interface QueryLike<T> {
  /** The latest answer; undefined before the first one. */
  data: T | undefined;
  /** Why the latest request failed; null when it did not. */
  error: Error | null;
  /** Whether the latest request failed. Data of an earlier one may still be there. */
  isError: boolean;
  /** Asks again; called by the button of the failure notice. */
  refetch: () => unknown;
}

/**
 * Shows the state of a query:
 * - with data: the data, however old, and a remark above when the latest request failed
 * - failed without data: why, with a button to ask again
 * - else: that the server is asked
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
