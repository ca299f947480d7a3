import { randomInt } from "node:crypto";
import type { Exchange } from "http-engine/exchange";
import { HttpError } from "http-engine/http-error";
import { messageOf } from "server-core/errors";

/** Code of a system error; "" for other errors. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/**
 * Converts the error of a failed `stat` to an error for the client.
 * | Code | Status |
 * |---|---|
 * | ENOENT, ENOTDIR | 404 |
 * | EACCES, EPERM | 403 |
 * | ENAMETOOLONG, ELOOP, EINVAL | 400 |
 * | all else | 500 |
 * Source: Caddy 2.11
 */
export function statError(error: unknown): HttpError {
  const code = codeOf(error);
  const status =
    code === "ENOENT" || code === "ENOTDIR"
      ? 404
      : code === "EACCES" || code === "EPERM"
        ? 403
        : code === "ENAMETOOLONG" || code === "ELOOP" || code === "EINVAL"
          ? 400
          : 500;
  return new HttpError(status, messageOf(error), { cause: error });
}

/** Like `statError`, but a temporary error such as too many open files becomes 503 with `Retry-After`. */
export function openError(error: unknown, exchange: Exchange): HttpError {
  const failure = statError(error);
  if (failure.status !== 500) {
    return failure;
  }
  exchange.responseHeaders.push("Retry-After", String(randomInt(2, 5)));
  return new HttpError(503, messageOf(error), { cause: error });
}
