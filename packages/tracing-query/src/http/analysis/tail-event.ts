import type { Tail } from "storage/api";
import { toApiV2Span, traceIdText } from "wire/api-v2";
import { lengthNano, type Span } from "wire/model";
import { tagsJson } from "../tag-json.ts";
import { microsOf, timeMicrosOf } from "./micros.ts";

/**
 * Maximum number of characters of an event's spans: 4 Mi. Beyond it, older spans of the event are dropped and counted
 * as `skipped`.
 */
const maxEventLength = 4_194_304;

/**
 * One event of a stream. Source: WHATWG HTML, "Server-sent events".
 * @param data JSON on one line
 */
export function eventText(event: string, data: string, id?: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

/** An event that reports dropped spans. @param reason a word for programs */
export function skippedEvent(spans: number, reason: "too many" | "too long" | "slow client"): string {
  return eventText("skipped", JSON.stringify({ spans, reason }));
}

/** The events for new spans, preceded by an event with the number of dropped spans. */
export function tailEvents({ spans, skipped, cursor }: Tail): string {
  const texts: string[] = [];
  let length = 0;
  // Clients need the newest spans most, so the limit drops older ones.
  for (let index = spans.length - 1; index >= 0; index--) {
    const text = spanJson(spans[index] as Span);
    length += text.length;
    if (length > maxEventLength) {
      break;
    }
    texts.push(text);
  }
  const tooLong = spans.length - texts.length;
  return (
    (skipped > 0 ? skippedEvent(skipped, "too many") : "") +
    (tooLong > 0 ? skippedEvent(tooLong, "too long") : "") +
    eventText("spans", `{"spans":[${texts.reverse().join(",")}]}`, cursor)
  );
}

/**
 * One span of an event. Its tags have the form of Jaeger's JSON, so that the UI can use the same code.
 */
function spanJson(span: Span): string {
  const facts = JSON.stringify({
    traceID: traceIdText(span.traceId),
    spanID: span.spanId,
    parentSpanID: span.parentSpanId,
    service: span.resource.serviceName,
    operation: span.name,
    kind: span.kind,
    start: timeMicrosOf(span.startTimeUnixNano),
    duration: microsOf(lengthNano(span)),
    error: span.status.code === "error",
  });
  return `${facts.slice(0, -1)},"tags":${tagsJson(toApiV2Span(span).tags)}}`;
}
