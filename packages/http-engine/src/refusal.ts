import { ServerError } from "server-core/errors";
import { HttpError } from "./http-error.ts";
import { reasonPhrase } from "./status-text.ts";

/** Most characters of the reason that the client reads: it may quote what the client sent. */
const maxReason = 200;

/** The answer to what is no request: its status, and a line of text/plain in UTF-8 that says why. */
export function refusalOf(error: unknown): { readonly status: number; readonly body: Buffer } {
  const { status } = HttpError.from(error);
  const reason = error instanceof ServerError ? `: ${error.message.slice(0, maxReason)}` : "";
  return { status, body: Buffer.from(`${status} ${reasonPhrase(status)}${reason}`) };
}
