import { badRequests } from "./bad-requests.ts";
import type { CorpusMessage } from "./corpus-message.ts";
import { otlpMessages } from "./otlp-messages.ts";
import { postSpansMessages } from "./post-spans-messages.ts";
import { thriftMessages } from "./thrift-messages.ts";
import { zipkinMessages } from "./zipkin-messages.ts";

/** All messages of all protocols. Their bytes never change, so that answers about them can be recorded. */
export const corpus: readonly CorpusMessage[] = [
  ...otlpMessages,
  ...postSpansMessages,
  ...thriftMessages,
  ...zipkinMessages,
  ...badRequests,
];
