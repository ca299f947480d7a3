import type { PartialAnswer } from "storage/api";
import { goJson } from "../go-text/go-json.ts";

/** One error in the envelope of every answer. */
export interface EnvelopeError {
  readonly code?: number;
  readonly msg: string;
  /** The trace that was asked for, in text form. */
  readonly traceID?: string;
}

interface EnvelopeFacts {
  /** Number of names in `data`; the public model leaves it 0 for everything else. */
  readonly total?: number;
  readonly errors?: readonly EnvelopeError[];
  /** Looked at behind the data: what that takes may still find reasons. */
  readonly reasons?: { readonly partial: PartialAnswer | undefined };
}

/**
 * The frame around every answer under `/api`, its keys always in this order:
 * `{"data":…,"total":0,"limit":0,"offset":0,"errors":null}`; behind them, of an answer that is partial,
 * `"partial":true,"warnings":[…]`. Such an answer has no `errors`: clients of the public model would show nothing else.
 * @param data JSON, in pieces
 */
export function* envelope(data: Iterable<string>, facts: EnvelopeFacts = {}): Generator<string> {
  yield head;
  yield* data;
  yield tail(facts);
}

/** As `envelope`, for data that takes its time. */
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

/** Fields for the end of an object: none for an answer that is whole. */
export function partialFields(partial: PartialAnswer | undefined): string {
  return partial === undefined ? "" : `,"partial":true,"warnings":${goJson(partial.reasons)}`;
}

/** The envelope of a failure, on a line of its own. @param code the HTTP status */
export function errorEnvelope(
  code: number,
  msg: string,
  failure?: { readonly partial?: PartialAnswer | undefined },
): string {
  const facts = { errors: [{ code, msg }], reasons: { partial: failure?.partial } };
  return `${[...envelope(["null"], facts)].join("")}\n`;
}
