import { messageOf, ServerError } from "server-core/errors";
import { readWithin } from "server-core/net/read-within";
import type { Dispatcher } from "undici";
import { httpOneAgent } from "../http-one-agent.ts";

/** Size limit of an answer: a chain with its key, or a bundle of authorities. */
const maxAnswerBytes = 1024 * 1024;
/** Timeout in milliseconds, equal to the timeout of permission modules. */
const timeoutMs = 10_000;

/**
 * Requests PEM data from a web service.
 * @returns undefined for status 204
 * @throws ServerError CERTIFICATE with the URL of the service
 */
export async function readAnswer(url: URL, dispatcher?: Dispatcher): Promise<Buffer | undefined> {
  try {
    const { request } = await import("undici"); // loaded on first use, because most servers never need it
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.timeout(timeoutMs),
      dispatcher: dispatcher ?? (await httpOneAgent()),
    });
    if (statusCode !== 200) {
      await body.dump();
      if (statusCode === 204) {
        return undefined;
      }
      throw new Error(`status ${statusCode}`);
    }
    return await readWithin(body, maxAnswerBytes);
  } catch (error) {
    throw new ServerError("CERTIFICATE", `${url.origin}${url.pathname}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
