export type { HeaderList } from "../header-list.ts";
export { streamWindowBytes } from "../http2/receive-window.ts";
export { readTrailerFields } from "../http2/received-fields.ts";
export { SendQueue } from "../http2/send-queue.ts";
export { readSentFields, type SaidFields, writtenFields } from "../http2/sent-fields.ts";
export { type PromisedRequest, promisedRequest } from "./promised-request.ts";
export { type H2RequestHead, readRequestFields } from "./request-fields.ts";
export { ServerConnection } from "./server-connection.ts";
export type { OpeningFields, ServerStream, StreamOpening, StreamWindows } from "./server-stream.ts";
