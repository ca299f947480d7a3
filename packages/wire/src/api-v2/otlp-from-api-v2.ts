// The reverse of to-api-v2-span.ts.
import type { Attribute } from "../model/attribute.ts";
import { type Span, type SpanEvent, type SpanKind, type SpanLink, spanKinds } from "../model/span.ts";
import { formatTagKey } from "./to-api-v2-span.ts";

/** The service of an OTLP resource without a service name. */
const noServiceName = "OTLPResourceNoServiceName";

const noSpan = "0".repeat(16);

/**
 * Converts a span of the `api_v2` model back to the OTLP span from which Jaeger made it. Attributes whose type does not
 * exist in the `api_v2` model remain texts.
 * @param span span whose tags, logs and references are unchanged, but whose format tag is removed
 * @returns undefined for a span that no conversion can have produced, so that converting the result again would give a
 * different span
 */
export function otlpFromApiV2(span: Span): Span | undefined {
  const { resource } = span;
  const references = referencesOf(span);
  const isTranslated =
    references !== undefined &&
    span.flags === 0 &&
    span.attributes.at(-1)?.key !== formatTagKey &&
    !resource.attributes.some(({ key }) => key === "service.name");
  if (!isTranslated) {
    return undefined;
  }
  const name: Attribute = { key: "service.name", value: { type: "string", value: resource.serviceName } };
  return {
    ...span,
    ...references,
    ...factsOf(span),
    events: span.events.map(namedEvent),
    resource:
      resource.serviceName === noServiceName
        ? resource
        : { ...resource, attributes: [name, ...resource.attributes] },
  };
}

/**
 * Reads the tags before and after the sender's attributes. Each tag occurs at most once, and their order is always the
 * same.
 */
function factsOf(span: Span): Pick<Span, "attributes" | "kind" | "scope" | "status" | "traceState"> {
  const tags = new TagQueue(span.attributes);
  const name = tags.first("otel.scope.name") ?? "";
  const version = tags.first("otel.scope.version") ?? "";
  const traceState = tags.last("w3c.tracestate") ?? "";
  const message = tags.last("otel.status_description") ?? "";
  const code = tags.lastStatusCode();
  const kind = tags.last("span.kind", isKind) as SpanKind | undefined;
  return {
    attributes: tags.rest(),
    kind: kind ?? "unspecified",
    scope: { ...span.scope, name, version },
    status: { code, message },
    traceState,
  };
}

function isKind(text: string): boolean {
  return text !== "unspecified" && (spanKinds as readonly string[]).includes(text);
}

/** Tags that are removed from either end. */
class TagQueue {
  readonly #tags: readonly Attribute[];
  #start = 0;
  #end: number;

  constructor(tags: readonly Attribute[]) {
    this.#tags = tags;
    this.#end = tags.length;
  }

  first(key: string): string | undefined {
    const text = this.#textAt(this.#start, key);
    if (text !== undefined) {
      this.#start++;
    }
    return text;
  }

  last(key: string, isGood: (text: string) => boolean = () => true): string | undefined {
    const text = this.#textAt(this.#end - 1, key);
    if (text === undefined || !isGood(text)) {
      return undefined;
    }
    this.#end--;
    return text;
  }

  lastStatusCode(): Span["status"]["code"] {
    if (this.last("otel.status_code", (text) => text === "OK") !== undefined) {
      return "ok";
    }
    const error = this.#end > this.#start ? this.#tags[this.#end - 1] : undefined;
    const isError = error?.key === "error" && error.value.type === "bool" && error.value.value;
    if (!isError || this.#textAt(this.#end - 2, "otel.status_code") !== "ERROR") {
      return "unset";
    }
    this.#end -= 2;
    return "error";
  }

  rest(): Attribute[] {
    return this.#tags.slice(this.#start, this.#end);
  }

  /**
   * Text of the tag at `index`, if it has this key and is not empty. The translation writes no tags for empty values.
   */
  #textAt(index: number, key: string): string | undefined {
    const tag = index >= this.#start && index < this.#end ? this.#tags[index] : undefined;
    return tag?.key === key && tag.value.type === "string" && tag.value.value !== ""
      ? tag.value.value
      : undefined;
  }
}

function namedEvent(event: SpanEvent): SpanEvent {
  const [first, ...attributes] = event.attributes;
  const isName = first?.key === "event" && first.value.type === "string" && first.value.value !== "";
  // The conversion drops the name of an event with an attribute `event`, so this name cannot be restored.
  if (!isName || attributes.some(({ key }) => key === "event")) {
    return event;
  }
  return { ...event, name: first.value.value as string, attributes };
}

/** @returns undefined when a later reference also points to the parent */
function referencesOf(span: Span): Pick<Span, "parentSpanId" | "links"> | undefined {
  const [first, ...others] = span.links;
  if (first === undefined || first.traceId !== span.traceId || first.spanId === noSpan) {
    return { parentSpanId: "", links: span.links.map(otlpLink) };
  }
  const leadsToParent = ({ traceId, spanId }: SpanLink) =>
    traceId === span.traceId && spanId === first.spanId;
  if (others.some(leadsToParent)) {
    return undefined;
  }
  // If the parent's reference is not CHILD_OF, it is also a link of the span.
  const links = first.refType === "child_of" ? others : span.links;
  return { parentSpanId: first.spanId, links: links.map(otlpLink) };
}

function otlpLink(link: SpanLink): SpanLink {
  const childOf: Attribute = {
    key: "opentracing.ref_type",
    value: { type: "string", value: "child_of" },
  };
  return { ...link, refType: "none", attributes: link.refType === "child_of" ? [childOf] : [] };
}
