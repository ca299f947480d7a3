import { randomInt } from "node:crypto";
import { statusText } from "http-protocols/http1/response-start";
import { messageOf, ServerError } from "server-core/errors";
import { httpStatus } from "./http-status.ts";

const idCharacters = "abcdefghijkmnpqrstuvwxyz0123456789";
const idLength = 9;

function randomId(): string {
  return Array.from({ length: idLength }, () => idCharacters[randomInt(idCharacters.length)]).join("");
}

/**
 * The reason why a request failed, for error routes and `{http.error.*}`. Handlers throw an `HttpError` to respond with
 * a status: `throw new HttpError(404, "no such file")`. Source: Caddy 2.11, handler errors
 */
export class HttpError extends ServerError {
  /** 400 to 599; 499 for a client that has disconnected. */
  readonly status: number;
  /** Nine random characters on the error page and in the log, so that a user's report leads to the log line. */
  readonly id = randomId();

  /** @param message by default the text of the status */
  constructor(status: number, message = statusText(status), options?: ErrorOptions) {
    super("HTTP_STATUS", message, options);
    this.status = status;
  }

  /** Converts any error to an HttpError; an unexpected error gets status 500. */
  static from(error: unknown): HttpError {
    return error instanceof HttpError
      ? error
      : new HttpError(httpStatus(error), messageOf(error), { cause: error });
  }

  /** `Not Found`; "" for a status without a text. */
  get statusText(): string {
    return statusText(this.status);
  }
}
