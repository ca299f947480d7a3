export {
  ClientConnection,
  type ClientConnectionLimits,
  type ClientConnectionOwner,
  type RequestFields,
} from "./client-connection.ts";
export type { ClientStream, ResponseListener } from "./client-stream.ts";
export { StreamError } from "./stream-error.ts";
