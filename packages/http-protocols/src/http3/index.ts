export { http3Errors } from "./http3-error.ts";
export type { Http3RequestHandler, Http3RequestStream } from "./request-stream.ts";
export { Http3ServerSession, type Http3SessionOptions } from "./server-session.ts";
