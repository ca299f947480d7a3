import { type Advice, type FailureProps, RequestFailure } from "ui-kit/components/failure-notice.tsx";
import type { ApiErrorCode } from "../api/api-error.ts";

/** Titles and remedies by error code. The notice shows the service's own message below them. */
const advice: Record<ApiErrorCode, Advice> = {
  API_UNREACHABLE: {
    title: "The query service does not answer",
    text: "Check that tracing-query is running and that this address still leads to it, then try again.",
  },
  API_NOT_FOUND: {
    title: "Not found",
    text: "The query service knows nothing of that name or id.",
  },
  API_FORBIDDEN: {
    title: "You may not see this",
    text: "Sign in again, or ask whoever runs this server for access.",
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
  API_BAD_ID: {
    title: "This is no trace id",
    text: "An id has up to 32 digits of 0–9 and a–f. Correct the address, or paste the id at the top.",
  },
  API_FILE: {
    title: "The file holds no traces",
    text: "Open traces that were saved here or in Jaeger, or OTLP as JSON or JSON lines.",
  },
};

/** Shows why a request failed and what to do, with a button to retry. */
export function FailureNotice(props: FailureProps) {
  return <RequestFailure {...props} advice={advice} />;
}
