import { encodeFields } from "http-engine/h1/response-head";
import { ServerError } from "server-core/errors";
import { oneUserAgent } from "../one-user-agent.ts";
import { requestLineProblem, saysNoBody } from "../request-line.ts";
import type { UpstreamRequest } from "../transport.ts";

/** Encodes the fields. The text is cached if several requests share their fields. */
function fieldsText({ headers, wireText }: UpstreamRequest): string {
  if (wireText === undefined) {
    return encodeFields(oneUserAgent(headers));
  }
  if (wireText.text === "") {
    // The text is stored as one flat string: a concatenated string would be flattened again for each request.
    wireText.text = Buffer.from(encodeFields(oneUserAgent(headers)), "latin1").toString("latin1");
  }
  return wireText.text;
}

/** Writes the request heads for one upstream. Method and target are checked only when they change. */
export class RequestHeadWriter {
  /** Method and target of the last successful check. */
  #goodMethod = "";
  #goodTarget = "";

  /**
   * Encodes the request up to its body. A body of known length gets `Content-Length`; a body of unknown length gets
   * `Transfer-Encoding: chunked`. A POST, PUT or PATCH without a body gets `Content-Length: 0`.
   * @param isLast true when the connection is not used again
   * @throws ServerError HTTP_BAD_REQUEST
   */
  write(request: UpstreamRequest, isLast: boolean): string {
    this.#check(request);
    let text: string;
    try {
      text = `${request.method} ${request.target} HTTP/1.1\r\n${fieldsText(request)}`;
    } catch (error) {
      throw new ServerError("HTTP_BAD_REQUEST", `cannot be sent on: ${(error as Error).message}`, {
        cause: error,
      });
    }
    if (isLast && request.upgrade === "") {
      text += "Connection: close\r\n";
    }
    const { body } = request;
    if (body instanceof Uint8Array) {
      return `${text}Content-Length: ${body.length}\r\n\r\n`;
    }
    if (body !== undefined) {
      return request.bodyLength === undefined
        ? `${text}Transfer-Encoding: chunked\r\n\r\n`
        : `${text}Content-Length: ${request.bodyLength}\r\n\r\n`;
    }
    return request.bodyLength === undefined && !saysNoBody(request.method)
      ? `${text}\r\n`
      : `${text}Content-Length: 0\r\n\r\n`;
  }

  #check({ method, target }: UpstreamRequest): void {
    if (method === this.#goodMethod && target === this.#goodTarget) {
      return;
    }
    const problem = requestLineProblem(method, target);
    if (problem !== "") {
      throw new ServerError("HTTP_BAD_REQUEST", problem);
    }
    this.#goodMethod = method;
    this.#goodTarget = target;
  }
}
