import { bodyFact } from "../client/answer-facts.ts";
import { fieldOf } from "../client/message-reader.ts";
import type { MarkedPort } from "../site-marks.ts";
import type { Facts, Field } from "../twin-case.ts";

/** A request as an upstream received it. */
export interface SeenRequest {
  readonly to: MarkedPort;
  readonly start: string;
  readonly fields: readonly Field[];
  readonly body: readonly Buffer[];
  /** Framing of the body. */
  readonly framing: string;
  readonly trailers: readonly Field[];
  /** True when the whole body was received. */
  readonly isComplete: boolean;
}

/** The client's id of a request; empty when the site removed the field. */
export const requestIdOf = (fields: readonly Field[]): string => fieldOf(fields, "x-twin") ?? "";

/** Compared parts of a request at an upstream. */
export function seenFacts(prefix: string, request: SeenRequest): Facts {
  const { to, start, fields, body, framing, trailers, isComplete } = request;
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) {
    // Names are compared in lower case (RFC 9110, 5.1), because our server passes names on unchanged, and the model in
    // their usual form.
    const lower = name.toLowerCase();
    values.set(lower, [...(values.get(lower) ?? []), value]);
  }
  return {
    [`${prefix}to`]: to,
    [`${prefix}start`]: start,
    ...Object.fromEntries([...values].map(([name, list]) => [`${prefix}field.${name}`, list.join("\n")])),
    // The part of a broken body that passes before the error is noticed depends on the size of buffers.
    [`${prefix}body`]: isComplete ? bodyFact(Buffer.concat(body)) : "cut",
    [`${prefix}framing`]: framing,
    ...Object.fromEntries(trailers.map(([name, value]) => [`${prefix}trailer.${name}`, value])),
  };
}
