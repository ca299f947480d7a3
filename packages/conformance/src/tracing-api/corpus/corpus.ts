import { badRequests } from "./bad-requests.ts";
import type { CorpusMessage } from "./corpus-message.ts";
import { otlpMessages } from "./otlp-messages.ts";
import { postSpansMessages } from "./post-spans-messages.ts";
import { thriftMessages } from "./thrift-messages.ts";
import { zipkinMessages } from "./zipkin-messages.ts";

/** Every message, of every protocol: always the same bytes, so that answers to questions about them can be kept. */
export const corpus: readonly CorpusMessage[] = [
  ...otlpMessages,
  ...postSpansMessages,
  ...thriftMessages,
  ...zipkinMessages,
  ...badRequests,
];
