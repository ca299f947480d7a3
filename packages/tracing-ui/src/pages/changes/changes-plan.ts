import type { TimedConditions } from "../../api/analysis.ts";
import type { ChangesAsked } from "../../api/changes.ts";
import { lookbacks } from "../../searches/search-address.ts";
import { parseTagText, tagText } from "../../searches/tag-text.ts";
import { type ChangesAddress, versionKey } from "./changes-address.ts";

/** Microseconds of a day. */
const dayUs = 86_400e6;

/** Error messages by field of the form. */
export type ChangesErrors = Partial<Record<"tags" | "a" | "b" | "sides", string>>;

/**
 * Builds the comparison request from an address. Both sides share service, operation and tags; the values of A and B
 * are added as tags of `key`.
 * @param nowUs end of the range for a `lookback`, microseconds since 1970
 * @returns `asked`, undefined when a field is wrong, and `errors` by field
 */
export function changesPlan(
  address: ChangesAddress,
  nowUs: number,
): { asked: ChangesAsked | undefined; errors: ChangesErrors } {
  const errors: ChangesErrors = {};
  const tags = parseTagText(address.tags ?? "");
  if (!tags.ok) {
    errors.tags = tags.message;
  }
  const timeA = timeOfA(address, nowUs);
  const timeB = timeA && timeOfB(address, timeA);
  if (timeA === undefined) {
    errors.a = "Give a start and a later end";
  } else if (timeB === undefined) {
    errors.b = "Give a start and a later end";
  }
  const isSame = address.against === "same" && (address.a ?? "") === (address.b ?? "");
  if (isSame) {
    errors.sides = "A and B are the same: choose another time, or another value";
  }
  if (!tags.ok || timeA === undefined || timeB === undefined || isSame) {
    return { asked: undefined, errors };
  }
  const { service, operation, key = versionKey } = address;
  const side = (time: { start: number; end: number }, value: string | undefined): TimedConditions => ({
    ...(service === undefined ? {} : { service }),
    ...(operation === undefined ? {} : { operation }),
    ...{ tags: value === undefined ? tags.tags : { ...tags.tags, [key]: value }, ...time },
  });
  return { asked: { a: side(timeA, address.a), b: side(timeB, address.b) }, errors };
}

/** A time range, in microseconds since 1970. */
interface Time {
  start: number;
  end: number;
}

/** The time range of A; undefined for a custom range without a start and a later end. */
function timeOfA({ lookback, start, end }: ChangesAddress, nowUs: number): Time | undefined {
  if (lookback === "custom") {
    return start === undefined || end === undefined || end <= start ? undefined : { start, end };
  }
  const us = lookbacks.find(({ value }) => value === lookback)?.us ?? 3_600e6;
  return { start: nowUs - us, end: nowUs };
}

/** The time range of B. It is computed from the range of A unless it is custom. */
function timeOfB({ against, bstart, bend }: ChangesAddress, { start, end }: Time): Time | undefined {
  const earlier = (us: number) => ({ start: start - us, end: end - us });
  switch (against) {
    case "custom":
      return bstart === undefined || bend === undefined || bend <= bstart
        ? undefined
        : { start: bstart, end: bend };
    case "same":
      return { start, end };
    case "day":
      return earlier(dayUs);
    case "week":
      return earlier(7 * dayUs);
    default:
      return earlier(end - start);
  }
}

/**
 * Fields of the search page's address that find the traces of a side.
 * @param more additional conditions; they override the conditions of the side
 */
export function searchOfSide(
  side: TimedConditions,
  more: { service?: string; operation?: string; tags?: Readonly<Record<string, string>>; failed?: boolean },
): Record<string, string> {
  const service = more.service ?? side.service;
  const operation = more.operation ?? side.operation;
  const tags = { ...side.tags, ...more.tags, ...(more.failed === true ? { error: "true" } : {}) };
  return {
    ...(service === undefined ? {} : { service }),
    ...(operation === undefined ? {} : { operation }),
    ...(Object.keys(tags).length === 0 ? {} : { tags: tagText(tags) }),
    ...{ lookback: "custom", start: String(Math.round(side.start)), end: String(Math.round(side.end)) },
  };
}
