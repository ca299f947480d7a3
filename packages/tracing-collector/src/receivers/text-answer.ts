import type { ServerResponse } from "node:http";

/**
 * Answers with a line of text in the form of Go's `http.Error`, which clients of the public model know.
 * @param text without the final newline
 */
export function answerText(response: ServerResponse, status: number, text: string): void {
  const body = `${text}\n`;
  response
    .writeHead(status, {
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      "X-Content-Type-Options": "nosniff",
    })
    .end(body);
}
