import type { PartialAnswer } from "storage/api";
import { goJson } from "../go-text/quote.ts";

export interface EnvelopeError {
  readonly code?: number;
  readonly msg: string;
  /** The requested trace id, as text. */
  readonly traceID?: string;
}

interface EnvelopeFacts {
  /** Number of names in `data`; 0 for other results, as in Jaeger. */
  readonly total?: number;
  readonly errors?: readonly EnvelopeError[];
  /** Read after the data, because reading the data may add reasons. */
  readonly reasons?: { readonly partial: PartialAnswer | undefined };
}

/**
 * Writes the envelope of Jaeger's JSON API. Its keys have this order:
 * `{"data":…,"total":0,"limit":0,"offset":0,"errors":null}`. A partial answer ends with
 * `"partial":true,"warnings":[…]`. The reasons are not among the `errors`, because clients of Jaeger would show
 * nothing but the errors.
 * @param data pieces of JSON
 */
export function* envelope(data: Iterable<string>, facts: EnvelopeFacts = {}): Generator<string> {
  yield head;
  yield* data;
  yield tail(facts);
}

/** Like {@link envelope}, for data that arrives over time. */
export async function* slowEnvelope<Piece>(
  data: AsyncIterable<Piece>,
  facts: EnvelopeFacts = {},
): AsyncGenerator<Piece | string> {
  yield head;
  yield* data;
  yield tail(facts);
}

const head = '{"data":';

function tail({ total = 0, errors = [], reasons }: EnvelopeFacts): string {
  const listed = errors.map(({ code, msg, traceID }) => ({ code, msg, traceID }));
  return `,"total":${total},"limit":0,"offset":0,"errors":${listed.length === 0 ? "null" : goJson(listed)}${partialFields(reasons?.partial)}}`;
}

/** Fields for the end of an object; empty for a complete answer. */
export function partialFields(partial: PartialAnswer | undefined): string {
  return partial === undefined ? "" : `,"partial":true,"warnings":${goJson(partial.reasons)}`;
}

/** The envelope of a failure, on one line. @param code the HTTP status */
export function errorEnvelope(
  code: number,
  msg: string,
  failure?: { readonly partial?: PartialAnswer | undefined },
): string {
  const facts = { errors: [{ code, msg }], reasons: { partial: failure?.partial } };
  return `${[...envelope(["null"], facts)].join("")}\n`;
}
