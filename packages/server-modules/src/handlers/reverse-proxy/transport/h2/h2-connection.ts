import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";

/** A connection as its streams see it. */
export interface H2Connection {
  /** Session of `node:http2`. */
  readonly session: ClientHttp2Session;
  /** It takes no more calls, and ends with the last of them: told to end now, it could break calls off that it just took. */
  runsOut: boolean;
  /** The upstream's last message before it went away; undefined while it is there. */
  goneAway: { readonly code: number; readonly lastStreamId: number } | undefined;
}

/** Whether the upstream did not look at a stream that was closed. Source: RFC 9113, sections 6.8 and 8.7 */
export function wasUnseen({ goneAway }: H2Connection, { id, rstCode }: ClientHttp2Stream): boolean {
  if (id === undefined || (goneAway !== undefined && id > goneAway.lastStreamId)) {
    return true;
  }
  // With an error, node gives all streams its code.
  const isOwnCode = goneAway === undefined || goneAway.code === constants.NGHTTP2_NO_ERROR;
  return isOwnCode && rstCode === constants.NGHTTP2_REFUSED_STREAM;
}
