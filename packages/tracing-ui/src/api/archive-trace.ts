import * as z from "zod/mini";
import { envelope } from "./envelope.ts";
import { readJson } from "./read-json.ts";

/** The answer holds nothing that the page uses; only its form is checked. */
const answer = envelope(z.unknown());

/**
 * Keeps a trace, whatever retention removes. Once is enough: it is not doubled.
 * @throws ApiError
 */
export async function archiveTrace(traceId: string): Promise<void> {
  await readJson(`api/archive/${encodeURIComponent(traceId)}`, answer, new AbortController().signal, "");
}
