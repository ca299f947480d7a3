import type { HeaderList } from "../header-list.ts";
import type { StreamPriority } from "../quic/streams/stream-priority.ts";

/** One member of the dictionary: a key, and a token, number, string or boolean as value. Parameters are ignored. */
const member = /^\s*([a-z*][a-z0-9_\-.*]*)(?:=([^;]*))?(?:;.*)?$/;
const defaultUrgency = 3;
const maxUrgency = 7;

/**
 * Parses a Priority field, such as `u=1, i`. Malformed or out-of-range members count as absent, as the RFC requires.
 * @returns urgency 3 and not incremental when the field does not set them
 * Source: RFC 9218, section 4
 */
export function readPriority(value: string): StreamPriority {
  let urgency = defaultUrgency;
  let isIncremental = false;
  for (const part of value.split(",")) {
    const [, key, text] = member.exec(part) ?? [];
    if (key === "u" && text !== undefined && /^[0-7]\s*$/.test(text)) {
      urgency = Math.min(Number(text), maxUrgency);
    } else if (key === "i") {
      isIncremental = text === undefined ? true : text.trim() === "?1";
    }
  }
  return { urgency, isIncremental };
}

/** @returns the joined values of all Priority fields; undefined without such a field */
export function priorityField(headers: HeaderList): string | undefined {
  let joined: string | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    if ((headers[index] as string).toLowerCase() === "priority") {
      const value = headers[index + 1] as string;
      joined = joined === undefined ? value : `${joined},${value}`;
    }
  }
  return joined;
}

/** Combines both Priority fields; members of the response override the request's. Source: RFC 9218, section 8 */
export function mergedPriority(request: string, answer: string): StreamPriority {
  return readPriority(`${request},${answer}`);
}
