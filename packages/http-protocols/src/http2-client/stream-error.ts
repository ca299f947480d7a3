/** Names of the error codes, by number. Source: RFC 9113, section 7 */
const names = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/** An error code of HTTP/2 for people: `CANCEL (8)`. */
export function errorCodeText(code: number): string {
  return `${names[code] ?? "unknown code"} (${code})`;
}

/** Details of an early end of a stream. */
interface StreamErrorFacts {
  /** True: the server did not process the request, which may be sent again. Source: RFC 9113, section 8.7 */
  readonly isUnseen?: boolean;
  /** True: the whole connection ended, with all its streams. */
  readonly isConnectionLost?: boolean;
  /** The code of RST_STREAM; undefined when the server sent none. */
  readonly resetCode?: number;
}

/** A stream that ended before its response was complete. The message contains the reason. */
export class StreamError extends Error {
  override readonly name = "StreamError";
  readonly isUnseen: boolean;
  readonly isConnectionLost: boolean;
  readonly resetCode: number | undefined;

  constructor(message: string, facts: StreamErrorFacts = {}) {
    super(message);
    this.isUnseen = facts.isUnseen ?? false;
    this.isConnectionLost = facts.isConnectionLost ?? false;
    this.resetCode = facts.resetCode;
  }
}
