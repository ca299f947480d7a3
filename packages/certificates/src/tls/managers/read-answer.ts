import { messageOf, ServerError } from "server-core/errors";
import { readWithin } from "server-core/net/read-within";
import type { Dispatcher } from "undici";
import { httpOneAgent } from "../http-one-agent.ts";

/** Limit of one answer: a chain with its key, or a bundle of authorities. */
const maxAnswerBytes = 1024 * 1024;
/** The same time as a permission module has for its answer. */
const timeoutMs = 10_000;

/**
 * Reads something in PEM from a web service.
 * @returns undefined when it answers 204
 * @throws ServerError CERTIFICATE naming the service
 */
export async function readAnswer(url: URL, dispatcher?: Dispatcher): Promise<Buffer | undefined> {
  try {
    const { request } = await import("undici"); // when it is needed: most servers ask nobody
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
