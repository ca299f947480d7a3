import type { Readable } from "node:stream";
import { ServerError } from "../errors.ts";
import { encodeJson } from "../json/encode-json.ts";
import type { JsonValue } from "../json/json-value.ts";

/** A request to the admin endpoint. */
export interface AdminRequest {
  readonly method: string;
  /** URL-decoded path. In `/id/<id>`, `%2F` and `%25` of the id stay encoded: see `decodeDocumentPath`. */
  readonly path: string;
  /** Parameters of the query, decoded. */
  readonly query: URLSearchParams;
  /** The author for the history: the client's address, and the name in its certificate, if any. */
  readonly author: string;
  /** Aborted when the client disconnects before it has the answer. */
  readonly signal: AbortSignal;
  /** Checks that the running config allows the request of this client. @throws ServerError when it does not */
  readonly admit: () => void;
  /** A request header; "" when absent. */
  header(name: string): string;
  /**
   * Sends a request to the endpoint with the rights of the same client. An error is returned as an answer: status and
   * `{"error": "…"}`.
   */
  readonly ask: (question: AdminQuestion) => Promise<AdminReply>;
  /** The whole body. @throws ServerError ADMIN_TOO_LARGE over the limit of `request-body.ts` */
  body(): Promise<Uint8Array>;
}

/** A request of the process to its own admin endpoint. */
export interface AdminQuestion {
  readonly method: string;
  /** Like in {@link AdminRequest}. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Headers in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface AdminReply {
  readonly status: number;
  /** Additional headers; `Content-Length` is added automatically. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent without a length. */
  readonly body?: string | Uint8Array | Readable;
  /** Called when the answer was passed to the connection. */
  readonly afterwards?: () => void;
}

/** 200 without a body. */
export const emptyReply: AdminReply = { status: 200 };

/** A JSON answer with a final newline. */
export function jsonReply(status: number, value: JsonValue): AdminReply {
  return { status, headers: { "Content-Type": "application/json" }, body: `${encodeJson(value)}\n` };
}

/** Caddy's answer to an unknown path. */
export const notFoundReply: AdminReply = {
  status: 404,
  headers: { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" },
  body: "404 page not found\n",
};

/** Description of a request in the history. */
export function causeOf({ method, path }: AdminRequest): string {
  return `${method} ${path}`;
}

/** @throws ServerError ADMIN_METHOD */
export function requireMethod(request: AdminRequest, method: string): void {
  if (request.method !== method) {
    throw new ServerError("ADMIN_METHOD", "method not allowed");
  }
}
