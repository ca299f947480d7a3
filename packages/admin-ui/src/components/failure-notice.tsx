import { type Advice, type FailureProps, RequestFailure } from "ui-kit/components/failure-notice.tsx";
import type { ApiErrorCode } from "../api/api-error.ts";

/** Titles and remedies of failures, for the operator. The server's own message is shown below. */
const advice: Record<ApiErrorCode, Advice> = {
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

/** Shows the reason of a failed request and the remedy, with a button to retry. */
export function FailureNotice(props: FailureProps) {
  return <RequestFailure {...props} advice={advice} />;
}
