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
}

/**
 * The frame around every answer under `/api`, its keys always in this order:
 * `{"data":…,"total":0,"limit":0,"offset":0,"errors":null}`.
 * @param data JSON, in pieces
 */
export function* envelope(
  data: Iterable<string>,
  { total = 0, errors = [] }: EnvelopeFacts = {},
): Generator<string> {
  yield head;
  yield* data;
  yield tail({ total, errors });
}

/** As `envelope`, for data that takes its time. */
export async function* slowEnvelope<Piece>(
  data: AsyncIterable<Piece>,
  { total = 0, errors = [] }: EnvelopeFacts = {},
): AsyncGenerator<Piece | string> {
  yield head;
  yield* data;
  yield tail({ total, errors });
}

const head = '{"data":';

function tail({ total, errors }: Required<EnvelopeFacts>): string {
  const listed = errors.map(({ code, msg, traceID }) => ({ code, msg, traceID }));
  return `,"total":${total},"limit":0,"offset":0,"errors":${listed.length === 0 ? "null" : goJson(listed)}}`;
}

/** The envelope of a failure, on a line of its own. @param code the HTTP status */
export function errorEnvelope(code: number, msg: string): string {
  return `${[...envelope(["null"], { errors: [{ code, msg }] })].join("")}\n`;
}
