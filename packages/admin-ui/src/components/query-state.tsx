import "./query-state.css";
import type { ReactNode } from "react";
import { FailureNotice } from "./failure-notice.tsx";

/** The parts of a query that determine the display. */
export interface QueryLike<T> {
  /** The latest response; undefined before the first. */
  data: T | undefined;
  /** Error of the latest request; null after a success. */
  error: Error | null;
  /** True when the latest request failed. Data of an earlier request may still be present. */
  isError: boolean;
  /** Sends the request again; called by the button of the failure notice. */
  refetch: () => unknown;
}

/**
 * Shows the state of a query:
 * - with data: the data, however old, and a remark above if the latest request failed
 * - failed without data: the reason, with a button to retry
 * - else: a note that the request is running
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
