import { reasonPhrase } from "http-protocols/http1/response-start";
import { ServerError } from "server-core/errors";
import { HttpError } from "./http-error.ts";

/** Length limit of the reason that is sent to the client: it may quote bytes of the client. */
const maxReason = 200;

/** The response to bytes that are not a request: its status, and a line of text/plain in UTF-8 with the reason. */
export function refusalOf(error: unknown): { readonly status: number; readonly body: Buffer } {
  const { status } = HttpError.from(error);
  const reason = error instanceof ServerError ? `: ${error.message.slice(0, maxReason)}` : "";
  return { status, body: Buffer.from(`${status} ${reasonPhrase(status)}${reason}`) };
}
