import { parseExactJson } from "./exact-json.ts";
import { httpRequest } from "./http-request.ts";

/** An answer of the query API: all members of its JSON, with `data` in a comparable form. */
export interface EnvelopeAnswer {
  readonly status: number;
  readonly type: string;
  readonly json: { readonly data: unknown };
}

export type QueryAnswer =
  | EnvelopeAnswer
  | { readonly status: number; readonly type: string; readonly json: unknown }
  | { readonly status: number; readonly type: string; readonly text: string };

/** The list in an answer's data; empty when the answer has no list. */
export function dataList(answer: QueryAnswer): readonly unknown[] {
  const json = "json" in answer ? (answer.json as { readonly data?: unknown } | null) : null;
  return Array.isArray(json?.data) ? json.data : [];
}

/** Sends a GET request. @param shape converts the envelope's data into a comparable form */
export async function askHttp(
  address: string,
  path: string,
  shape: (data: unknown) => unknown = (data) => data,
): Promise<QueryAnswer> {
  const { status, contentType, body } = await httpRequest(address, path);
  const answer = { status, type: contentType };
  let parsed: unknown;
  try {
    parsed = parseExactJson(body.toString());
  } catch {
    return { ...answer, text: body.toString() };
  }
  if (typeof parsed !== "object" || parsed === null || !("data" in parsed)) {
    return { ...answer, json: parsed };
  }
  return { ...answer, json: { ...parsed, data: shape(parsed.data) } };
}

/** Sends a GET request. @returns the unchanged bytes of the answer, as UTF-8 */
export async function askExactly(address: string, path: string): Promise<QueryAnswer> {
  const { status, contentType, body } = await httpRequest(address, path);
  return { status, type: contentType, text: body.toString() };
}
