export type { HeaderList } from "../header-list.ts";
export { type PromisedRequest, promisedRequest } from "./promised-request.ts";
export { streamWindowBytes } from "./receive-window.ts";
export { type H2RequestHead, readRequestFields, readTrailerFields } from "./request-fields.ts";
export { readResponseFields, type SaidFields, writtenFields } from "./response-fields.ts";
export { SendQueue } from "./send-queue.ts";
export { ServerConnection } from "./server-connection.ts";
export type { OpeningFields, ServerStream, StreamWindows } from "./server-stream.ts";
