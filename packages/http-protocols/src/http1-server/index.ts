export type { Http1Request } from "./http1-request.ts";
export type { Http1Response } from "./http1-response.ts";
export { type Http1Handler, Http1Server } from "./http1-server.ts";
