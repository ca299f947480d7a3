import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";

/** A request to the admin API, and the config that runs when the request arrives. */
export interface AdminQuestion {
  /** Method, target, and a text that makes the name unique; the list of known differences uses this name. */
  readonly name: string;
  readonly method: string;
  /** The target is sent unchanged. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The config that is loaded before the request; null unloads. */
  readonly before: unknown;
}

export interface AdminReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Sends one request to 127.0.0.1 on a new connection, with exactly these headers and the correct Host. */
export function sendAdminRequest(
  port: number,
  question: Pick<AdminQuestion, "method" | "target" | "headers" | "body">,
): Promise<AdminReply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method: question.method,
        path: question.target,
        headers: {
          ...question.headers,
          ...(question.body === undefined
            ? {}
            : { "Content-Length": String(Buffer.byteLength(question.body)) }),
        },
        agent: false,
      },
      (response) => {
        text(response).then((body) => {
          const headers = response.headers as Record<string, string | undefined>;
          resolve({ status: response.statusCode ?? 0, headers, body });
        }, reject);
      },
    );
    request.on("error", reject);
    request.end(question.body);
  });
}
