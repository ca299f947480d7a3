import { ServerError } from "server-core/errors";
import { getHeader, type HeaderList, removeHeaders } from "./header-list.ts";

/** Checks the body of a response against the length that its head declares. */
export class DeclaredBody {
  /** True for a HEAD request, 204 or 304: the body is not sent. */
  isLeftOut = false;
  /** Unsent bytes of the declared length; -1: no length was declared. */
  #left = -1;

  /**
   * Starts with the head of a response.
   * @param length declared length; undefined for none
   * @returns true when this server may declare a length that the handler left out: not for 204 and 304, and not a
   * length of 0 for HEAD
   * @throws ServerError HTTP_RESPONSE for a status that is not final
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

  /** Counts bytes that will be sent. @returns false when they exceed the declared length */
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

  /** True when declared bytes are missing: the connection must be cut, so that the response does not look complete. */
  get isShort(): boolean {
    return this.#left > 0 && !this.isLeftOut;
  }
}

/** The fields of a response, without the length that 204 must not have. Source: RFC 9110, section 8.6 */
export function fieldsFor(status: number, headers: HeaderList): HeaderList {
  if (status !== 204 || getHeader(headers, "content-length") === undefined) {
    return headers;
  }
  return withoutLength(headers);
}

/** Copies the fields without `Content-Length`. */
export function withoutLength(headers: HeaderList): HeaderList {
  const kept = [...headers];
  removeHeaders(kept, (name) => name === "content-length");
  return kept;
}

/** The error for a handler that writes more bytes than declared. */
export function bodyTooLong(): ServerError {
  return new ServerError("HTTP_RESPONSE", "the body is longer than its Content-Length");
}
