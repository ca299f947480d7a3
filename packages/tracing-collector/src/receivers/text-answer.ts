import type { ServerResponse } from "node:http";

/**
 * Answers with a line of text as Go's `http.Error` writes it, which clients of the public model know.
 * @param text without its newline
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
