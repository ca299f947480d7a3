import { Notice } from "ui-kit/components/notice.tsx";
import { ApiError, type ApiErrorCode } from "../api/api-error.ts";

const advice: Record<ApiErrorCode, { title: string; text: string }> = {
  API_UNREACHABLE: {
    title: "The server does not answer",
    text: "Check that it is running and that its admin endpoint still has this address. It is asked again by itself.",
  },
  API_FORBIDDEN: {
    title: "The server does not admit this address",
    text: "Its admin endpoint takes requests from some origins only. Open the console by the name that it listens on, or add this address, with its port, to admin.origins in the config.",
  },
  API_NOT_FOUND: {
    title: "The server has no such thing",
    text: "It may be older than this page, or what the address names is gone. Reload the page.",
  },
  API_CHANGED: {
    title: "The config was changed meanwhile",
    text: "Somebody else was faster. Look at the newer version, then decide again.",
  },
  API_REFUSED: {
    title: "The server refused this",
    text: "Its own words are below. What ran before still runs.",
  },
  API_FAILED: {
    title: "The server could not do this",
    text: "Its own words are below; its log says more.",
  },
  API_SHAPE: {
    title: "The answer was not understood",
    text: "Another program, or another version of the server, may be answering at this address.",
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
