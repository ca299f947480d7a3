import * as z from "zod/mini";
import { envelope } from "./envelope.ts";
import { readJson } from "./read-json.ts";

/** The page needs no data of the answer; only its form is checked. */
const answer = envelope(z.unknown());

/**
 * Archives a trace, so that retention does not delete it. A second call changes nothing.
 * @throws ApiError
 */
export async function archiveTrace(traceId: string): Promise<void> {
  await readJson(`api/archive/${encodeURIComponent(traceId)}`, answer, new AbortController().signal, "");
}
