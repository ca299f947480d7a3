import { Notice } from "./notice.tsx";

/** What a failure of a kind is called, and what helps against it. */
export interface Advice {
  title: string;
  text: string;
}

/**
 * Says why a request failed and what to do, with a button to ask again.
 * @param advice undefined: the page itself is at fault
 * @param status of the answer, written before the message; 0 where there was none
 */
export function FailureNotice(props: {
  error: unknown;
  advice: Advice | undefined;
  status: number;
  wholePage?: boolean;
  onRetry: () => void;
}) {
  const { error, advice, status, wholePage = false, onRetry } = props;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Notice kind="error" wholePage={wholePage} title={advice?.title ?? "Something in this page went wrong"}>
      <p>{advice?.text ?? "Reload the page. If it happens again, report the text below."}</p>
      <pre className="notice-message">{status > 0 ? `${status}: ${message}` : message}</pre>
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </Notice>
  );
}
