import type { Trace } from "./trace.ts";
import type { ApiAttribute } from "./trace-schema.ts";

/** How long texts are made at a time while nothing else is to be done, in milliseconds. */
const sliceMs = 6;
/** Spans between two looks at the clock. */
const spansPerLook = 64;

/** Texts by trace, made on first use: typing a filter reads them once per letter. */
const known = new WeakMap<Trace["spans"], (string | undefined)[]>();

/** The text of a span that a filter looks in, in lower case: service, operation, id, attributes, events. */
export function searchText(trace: Trace, at: number): string {
  const texts = textsOf(trace);
  texts[at] ??= collectText(trace, at);
  return texts[at];
}

/**
 * Makes the texts of all spans while nothing else is to be done, so that the first letter of a filter does not wait
 * for them.
 * @returns ends it
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

/** By the spans: a trace whose idle time is folded has the same. */
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
