import type { HttpAnswer } from "./http-messages.ts";

/** A fault in an HTTP request, with a text for the sender. Repeating the same request does not help. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/**
 * Answers with a line of text in the form of Go's `http.Error`, which clients of Jaeger know.
 * @param text without the final newline
 */
export function answerText(response: HttpAnswer, status: number, text: string): void {
  const body = `${text}\n`;
  response
    .writeHead(status, {
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      "X-Content-Type-Options": "nosniff",
    })
    .end(body);
}
