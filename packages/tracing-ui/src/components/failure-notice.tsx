import { Notice } from "ui-kit/components/notice.tsx";
import { ApiError } from "../api/api-error.ts";

const advice: Record<ApiError["code"], { title: string; text: string }> = {
  API_UNREACHABLE: {
    title: "The query service does not answer",
    text: "Check that tracing-query is running and that this address still leads to it, then try again.",
  },
  API_NOT_FOUND: {
    title: "Not found",
    text: "The query service knows nothing of that name or id.",
  },
  API_REFUSED: {
    title: "The query service refused the question",
    text: "Change what it names below, then try again.",
  },
  API_FAILED: {
    title: "The query service could not answer",
    text: "Its store may be starting or away. Its own words are below; its log says more.",
  },
  API_SHAPE: {
    title: "The answer was not understood",
    text: "Another program, or another version of the query service, may be answering at this address.",
  },
  API_TOO_LARGE: {
    title: "The answer is too large for a browser tab",
    text: "Ask for fewer traces or a shorter time range, or read the trace through the API.",
  },
};

/** Says why a request failed and what to do, with a button to ask again. */
export function FailureNotice(props: { error: unknown; wholePage?: boolean; onRetry: () => void }) {
  const { error, wholePage = false, onRetry } = props;
  const known = error instanceof ApiError ? advice[error.code] : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Notice kind="error" wholePage={wholePage} title={known?.title ?? "Something in this page went wrong"}>
      <p>{known?.text ?? "Reload the page. If it happens again, report the text below."}</p>
      <pre className="notice-message">
        {error instanceof ApiError && error.status > 0 ? `${error.status}: ${message}` : message}
      </pre>
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </Notice>
  );
}
