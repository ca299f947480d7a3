import { ServerError } from "server-core/errors";
import { getHeader, type HeaderList, removeHeaders } from "./header-list.ts";

/** Holds the body of a response to the length that its head declares. */
export class DeclaredBody {
  /** A HEAD request, 204 or 304: the body stays here. */
  isLeftOut = false;
  /** Bytes of the declared length still to come; -1: none was declared. */
  #left = -1;

  /**
   * Starts with the head of a response.
   * @param length as the head declares it; undefined for none
   * @returns whether this server may declare a length that the handler left out: the status allows a body
   * @throws ServerError HTTP_RESPONSE for a status that is not that of a final response
   */
  begin(method: string, status: number, length: number | undefined): boolean {
    if (!(status >= 200 && status <= 999)) {
      throw new ServerError("HTTP_RESPONSE", `status ${status} is not that of a final response`);
    }
    const hasNone = status === 204 || status === 304;
    this.isLeftOut = hasNone || method === "HEAD";
    this.#left = length ?? -1;
    return !hasNone && !(method === "HEAD" && length === 0);
  }

  /** Bytes are about to be sent. @returns false when they are more than was declared */
  take(bytes: number): boolean {
    if (this.#left < 0) {
      return true;
    }
    if (bytes > this.#left) {
      return false;
    }
    this.#left -= bytes;
    return true;
  }

  /** Whether declared bytes are missing: the response must be cut, so that it does not look whole. */
  get isShort(): boolean {
    return this.#left > 0 && !this.isLeftOut;
  }
}

/** The fields of a response, without the length that 204 must not have. Source: RFC 9110, section 8.6 */
export function fieldsFor(status: number, headers: HeaderList): HeaderList {
  if (status !== 204 || getHeader(headers, "content-length") === undefined) {
    return headers;
  }
  const kept = [...headers];
  removeHeaders(kept, (name) => name === "content-length");
  return kept;
}

/** The error of a handler that writes more than it declared. */
export function bodyTooLong(): ServerError {
  return new ServerError("HTTP_RESPONSE", "the body is longer than its Content-Length");
}
