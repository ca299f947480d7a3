import * as z from "zod/mini";
import { conditionParameters, type SpanConditions } from "./analysis.ts";

/** A span in an event of the tail. */
const tailSpan = z.object({
  traceID: z.string(),
  spanID: z.string(),
  parentSpanID: z.string(),
  service: z.string(),
  operation: z.string(),
  kind: z.string(),
  start: z.number(),
  duration: z.number(),
  error: z.boolean(),
});

/** A span as it arrives; times in microseconds, the start since 1970. */
export type TailSpan = z.infer<typeof tailSpan>;

/** Event `spans`: the newest spans since the last event. */
const spansEvent = z.object({ spans: z.array(tailSpan) });
/** Event `skipped`: number of spans that were dropped, because there were too many. */
const skippedEvent = z.object({ spans: z.int(), reason: z.string() });
/** Event `problem`: the store is unreachable at the moment. */
const problemEvent = z.object({ detail: z.string() });

/** Receives the events of a tail. */
export interface TailListener {
  /** Called when the stream is open, for the first time or again. */
  opened(): void;
  /** Called with the newest matching spans, at most `limit`. */
  spans(spans: readonly TailSpan[]): void;
  /** Called with the number of dropped spans. */
  skipped(spans: number): void;
  /** Called when the stream breaks, when an event is unreadable, and when the store is unreachable. */
  failed(message: string): void;
}

/**
 * Receives spans as they arrive, as server-sent events. The browser reconnects automatically.
 *
 * Life of a tail:
 * - connected: `opened`, then `spans` once a second while there are some
 * - broken: `failed`, then `opened` again
 * - refused: `failed` once; the browser does not try again
 * @param limit maximum number of spans per event; the newest are kept
 * @returns a function that closes the stream
 */
export function followTail(conditions: SpanConditions, limit: number, listener: TailListener): () => void {
  const parameters = conditionParameters(conditions);
  parameters.set("limit", String(limit));
  const source = new EventSource(new URL(`api/analysis/v1/tail?${parameters}`, document.baseURI));
  source.onopen = () => listener.opened();
  source.onerror = () =>
    listener.failed(
      source.readyState === EventSource.CLOSED
        ? "The server refuses to follow these conditions, or this user: search to see why."
        : "The connection broke; trying again.",
    );
  const on = <T>(name: string, schema: z.ZodMiniType<T>, take: (value: T) => void) =>
    source.addEventListener(name, (event) => {
      const parsed = schema.safeParse(parse(event.data));
      if (parsed.success) {
        take(parsed.data);
      } else {
        listener.failed("The server sent something that was not understood.");
      }
    });
  on("spans", spansEvent, ({ spans }) => listener.spans(spans));
  on("skipped", skippedEvent, ({ spans }) => listener.skipped(spans));
  on("problem", problemEvent, ({ detail }) => listener.failed(detail));
  return () => source.close();
}

/** Parses JSON; undefined for invalid JSON. */
function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
