import type { Http1Request, Http1Response } from "http-protocols/http1-server";

/** A request with spans, or for a sampling strategy. */
export type HttpRequest = Http1Request;

/** The part of a request before its body that receivers look at. Requests of `node:http` have it too. */
export interface HttpRequestHead {
  readonly method?: string | undefined;
  /** The target: a path with its query. */
  readonly url?: string | undefined;
  /** Fields by name in lower case. */
  readonly headers: {
    readonly origin?: string | undefined;
    readonly "access-control-request-method"?: string | undefined;
    readonly "access-control-request-headers"?: string | undefined;
  };
}

export type HttpResponse = Http1Response;

/** The part of a response that is written. Responses of `node:http` have it too. */
export interface HttpAnswer {
  setHeader(name: string, value: string | number): unknown;
  writeHead(status: number, headers?: Record<string, string | number>): HttpAnswer;
  end(body?: string | Uint8Array): unknown;
}
