import type { PackedTrace } from "storage/api";
import { nextTurn } from "storage/next-turn";
import type { Attribute, AttributeValue, Span } from "wire/model";
import { attributeText } from "wire/rows";

/** Maximum number of spans whose attributes are measured. */
const maxSpans = 20_000;
const spansPerTurn = 500;

/** Where an attribute stands. */
export type UsageScope = "span" | "resource" | "event" | "link" | "instrumentation";

/** The spans of a sample, added up. Bytes are those of names and values as text, before the store shares and packs them. */
export interface UsageSample {
  readonly traces: number;
  spans: number;
  bytes: number;
  readonly services: Map<string, { spans: number; bytes: number }>;
  readonly attributes: Map<string, { scope: UsageScope; name: string; spans: number; bytes: number }>;
}

/** Measures the spans of traces. */
export async function sampleOf(traces: readonly PackedTrace[]): Promise<UsageSample> {
  const sample: UsageSample = {
    traces: traces.length,
    spans: 0,
    bytes: 0,
    services: new Map(),
    attributes: new Map(),
  };
  for (const { spans } of traces) {
    for (let index = 0; index < spans.length && sample.spans < maxSpans; index++) {
      add(sample, spans.at(index) as Span);
      if (sample.spans % spansPerTurn === 0) {
        await nextTurn();
      }
    }
  }
  return sample;
}

function add(sample: UsageSample, span: Span): void {
  let bytes = span.name.length + span.status.message.length;
  /** Names that count for this span already, with their scope. */
  const seen = new Set<string>();
  const addAll = (scope: UsageScope, attributes: readonly Attribute[]) => {
    for (const { key, value } of attributes) {
      bytes += addAttribute(sample, { scope, name: key, seen }, value);
    }
  };
  addAll("span", span.attributes);
  addAll("resource", span.resource.attributes);
  addAll("instrumentation", span.scope.attributes);
  for (const event of span.events) {
    bytes += event.name.length;
    addAll("event", event.attributes);
  }
  for (const link of span.links) {
    addAll("link", link.attributes);
  }
  const { serviceName } = span.resource;
  const service = sample.services.get(serviceName) ?? { spans: 0, bytes: 0 };
  sample.services.set(serviceName, { spans: service.spans + 1, bytes: service.bytes + bytes });
  sample.spans++;
  sample.bytes += bytes;
}

/** An attribute's name, and the names that its span has had before. */
interface SeenName {
  readonly scope: UsageScope;
  readonly name: string;
  readonly seen: Set<string>;
}

/** @returns bytes of the name and the value */
function addAttribute(sample: UsageSample, { scope, name, seen }: SeenName, value: AttributeValue): number {
  const bytes = Buffer.byteLength(name) + Buffer.byteLength(attributeText(value));
  const key = `${scope} ${name}`;
  const known = sample.attributes.get(key) ?? { scope, name, spans: 0, bytes: 0 };
  sample.attributes.set(key, known);
  // Events of a span may have the same attribute.
  known.spans += seen.has(key) ? 0 : 1;
  known.bytes += bytes;
  seen.add(key);
  return bytes;
}
