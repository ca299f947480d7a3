import type { Trace } from "./trace.ts";
import type { ApiAttribute } from "./trace-schema.ts";

/** Milliseconds for one slice of background work, so that the page stays responsive. */
const sliceMs = 6;
/** Number of spans between two readings of the clock. */
const spansPerLook = 64;

/** Cached texts by list of spans, made on first use: a filter reads all texts after each typed letter. */
const known = new WeakMap<Trace["spans"], (string | undefined)[]>();

/** The text of a span that a filter searches, in lower case: service, operation, id, attributes, events. */
export function searchText(trace: Trace, at: number): string {
  const texts = textsOf(trace);
  texts[at] ??= collectText(trace, at);
  return texts[at];
}

/**
 * Makes the texts of all spans in the background, so that the first letter of a filter does not wait
 * for the texts.
 * @returns a function that stops the background work
 */
export function makeSearchTexts(trace: Trace): () => void {
  const texts = textsOf(trace);
  let at = 0;
  const slice = () => {
    const end = performance.now() + sliceMs;
    while (at < texts.length && performance.now() < end) {
      for (const stop = Math.min(texts.length, at + spansPerLook); at < stop; at += 1) {
        texts[at] ??= collectText(trace, at);
      }
    }
    timer = at < texts.length ? setTimeout(slice) : undefined;
  };
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(slice);
  return () => clearTimeout(timer);
}

/** The cache entry, keyed by the spans, because a trace with folded idle time shares its list of spans. */
function textsOf({ spans }: Trace): (string | undefined)[] {
  let texts = known.get(spans);
  if (texts === undefined) {
    texts = new Array<string | undefined>(spans.length);
    known.set(spans, texts);
  }
  return texts;
}

/** Makes the text of a span: `cart\nGET /\n00f0…\nhttp.method=GET`. */
function collectText(trace: Trace, at: number): string {
  const span = trace.spans[at];
  if (span === undefined) {
    return "";
  }
  let text = `${trace.services[trace.service[at] as number] ?? ""}\n${span.operationName}\n${span.spanID}`;
  const add = ({ key, value }: ApiAttribute) => {
    text += `\n${key}=${value}`;
  };
  span.tags?.forEach(add);
  for (const log of span.logs ?? []) {
    log.fields.forEach(add);
  }
  return text.toLowerCase();
}
