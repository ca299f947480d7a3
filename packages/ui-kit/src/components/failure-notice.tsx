import { RequestError } from "../request-error.ts";
import { Notice } from "./notice.tsx";

/** The title of a kind of failure, and a remedy. */
export interface Advice {
  /** The failure in a few words; the heading of the notice. */
  title: string;
  /** The remedy, in one or two sentences. */
  text: string;
}

/** Advice for errors that no request caused: a bug in the page's code. */
const pageAtFault: Advice = {
  title: "Something in this page went wrong",
  text: "Reload the page. If it happens again, report the text below.",
};

/** The inputs of an app's failure notice. */
export interface FailureProps {
  /** The failure. The code of a `RequestError` selects the advice; any other error counts as a bug in the page. */
  error: unknown;
  /**
   * True when the notice is the only content of the page; then its title is a heading of the first level. Default:
   * false.
   */
  wholePage?: boolean;
  /** Called by the button "Try again". */
  onRetry: () => void;
}

/**
 * Shows why a request failed and what to do, with a button that repeats the request.
 * @param advice advice by error code; an error without an entry counts as a bug in the page
 */
export function RequestFailure(props: FailureProps & { advice: Readonly<Record<string, Advice>> }) {
  const { error, advice, wholePage = false, onRetry } = props;
  const known = error instanceof RequestError ? error : undefined;
  const { title, text } = (known && advice[known.code]) ?? pageAtFault;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Notice kind="error" wholePage={wholePage} title={title}>
      <p>{text}</p>
      <pre className="notice-message">{known?.status ? `${known.status}: ${message}` : message}</pre>
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </Notice>
  );
}
