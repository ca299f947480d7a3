import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

/** The whole answer to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

export interface AskOptions {
  readonly method?: string;
  /** Headers that are sent unchanged. Unlike with `fetch`, `Host` may be set, and no headers are added. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /** Sent instead of the path of the URL. */
  readonly target?: string;
}

/** For tests: one request on a new connection. Rejects when the answer is incomplete. */
export function ask(url: string, options: AskOptions = {}): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const request = httpRequest(
      {
        host: hostname.replace(/^\[|\]$/g, ""),
        port,
        path: options.target ?? pathname + search,
        method: options.method ?? "GET",
        headers: options.headers ?? {},
        agent: false,
      },
      (response) => {
        text(response).then((body) => {
          const { statusCode, headers, rawHeaders } = response;
          resolve({ status: statusCode ?? 0, headers, rawHeaders, text: body });
        }, reject);
      },
    );
    request.on("error", reject);
    request.end(options.body ?? "");
  });
}
