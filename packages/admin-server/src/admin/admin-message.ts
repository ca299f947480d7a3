import type { IncomingMessage } from "node:http";
import { ServerError } from "../core/errors.ts";
import { encodeJson } from "../core/json/encode-json.ts";
import type { JsonValue } from "../core/json/json-value.ts";

/** The largest body of a request. Source: the public model (Caddy 2.11), seen running */
export const maxBodyBytes = 100 * 1024 * 1024;

/** A request to the admin endpoint. */
export interface AdminRequest {
  readonly method: string;
  /** URL-decoded. */
  readonly path: string;
  /** A request header; "" when absent. */
  header(name: string): string;
  /** The whole body. @throws ServerError ADMIN_TOO_LARGE over {@link maxBodyBytes} */
  body(): Promise<Uint8Array>;
}

export interface AdminReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called when the answer is on its way. */
  readonly afterwards?: () => void;
}

/** 200 with nothing to say. */
export const emptyReply: AdminReply = { status: 200 };

/** A JSON answer with its final newline. */
export function jsonReply(status: number, value: JsonValue): AdminReply {
  return { status, headers: { "Content-Type": "application/json" }, body: `${encodeJson(value)}\n` };
}

/** What the standard multiplexer of the model says to an unknown path. */
export const notFoundReply: AdminReply = {
  status: 404,
  headers: { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" },
  body: "404 page not found\n",
};

/** @throws ServerError ADMIN_METHOD */
export function requireMethod(request: AdminRequest, method: string): void {
  if (request.method !== method) {
    throw new ServerError("ADMIN_METHOD", "method not allowed");
  }
}

/** Reads the whole body of a request. @throws ServerError ADMIN_TOO_LARGE, ADMIN_REQUEST when the client went away */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const tooLarge = () =>
    new ServerError("ADMIN_TOO_LARGE", `request body is larger than the limit of ${maxBodyBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) {
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBodyBytes) {
        throw tooLarge();
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ServerError
      ? error
      : new ServerError("ADMIN_REQUEST", "request body ended early", { cause: error });
  }
  return Buffer.concat(chunks, length);
}
