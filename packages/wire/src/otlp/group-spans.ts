import type { Attribute, AttributeValue } from "../model/attribute.ts";
import type { Resource, Scope, Span } from "../model/span.ts";
import { attributeText } from "../rows/attribute-text.ts";
import { otlpOfModel, resourceOfProcess } from "./model-as-otlp.ts";

/** Spans of one resource, by scope, all by OTLP's rules. */
export interface ResourceGroup {
  readonly resource: Resource;
  readonly scopes: readonly ScopeGroup[];
}

export interface ScopeGroup {
  readonly scope: Scope;
  readonly spans: readonly Span[];
}

/** How spans are shown in OTLP. */
export interface EncodeOptions {
  /**
   * Whether each span gets the attribute `internal.span.format`, last, as the public model's query service shows its
   * spans; false by default.
   */
  readonly formatAttribute?: boolean;
}

/**
 * Spans as OTLP groups them: those of equal resources together, in these those of equal scopes, each group where its
 * first span came, spans in their order. Spans of the older model become OTLP spans (see `otlpOfModel`).
 */
export function groupSpans(
  spans: readonly Span[],
  { formatAttribute = false }: EncodeOptions = {},
): ResourceGroup[] {
  const resources = new Groups<Resource, { resource: Resource; scopes: Groups<Scope, Span[]> }>(resourceKey);
  const ofProcesses = new Map<Resource, Resource>();
  for (const original of spans) {
    const span = asOtlp(original, ofProcesses);
    const { scopes } = resources.of(span.resource, (resource) => ({
      resource,
      scopes: new Groups(scopeKey),
    }));
    const group = scopes.of(span.scope, () => []);
    group.push(formatAttribute ? withFormat(span, original) : span);
  }
  return resources.all.map(([, { resource, scopes }]) => ({
    resource,
    scopes: scopes.all.map(([scope, group]) => ({ scope, spans: group })),
  }));
}

function asOtlp(span: Span, ofProcesses: Map<Resource, Resource>): Span {
  if (span.format === "otlp" || span.format === "zipkin") return span;
  let resource = ofProcesses.get(span.resource);
  if (resource === undefined) {
    resource = resourceOfProcess(span.resource);
    ofProcesses.set(span.resource, resource);
  }
  return otlpOfModel(span, resource);
}

function withFormat(span: Span, { format }: Span): Span {
  const attribute: Attribute = { key: "internal.span.format", value: { type: "string", value: format } };
  return { ...span, attributes: [...span.attributes, attribute] };
}

/** Values by keys that are compared by what is in them; the key of an object is made once. */
class Groups<Key extends object, Value> {
  readonly #byObject = new Map<Key, Value>();
  readonly #byText = new Map<string, Value>();
  readonly #textOf: (key: Key) => string;
  /** In the order in which they came first. */
  readonly all: [Key, Value][] = [];

  constructor(textOf: (key: Key) => string) {
    this.#textOf = textOf;
  }

  of(key: Key, make: (key: Key) => Value): Value {
    let value = this.#byObject.get(key);
    if (value !== undefined) return value;
    const text = this.#textOf(key);
    value = this.#byText.get(text);
    if (value === undefined) {
      value = make(key);
      this.#byText.set(text, value);
      this.all.push([key, value]);
    }
    this.#byObject.set(key, value);
    return value;
  }
}

function resourceKey({ attributes, droppedAttributesCount, schemaUrl }: Resource): string {
  return JSON.stringify([attributesKey(attributes), droppedAttributesCount, schemaUrl]);
}

function scopeKey({ name, version, attributes, droppedAttributesCount, schemaUrl }: Scope): string {
  return JSON.stringify([name, version, attributesKey(attributes), droppedAttributesCount, schemaUrl]);
}

function attributesKey(
  attributes: readonly Attribute[],
): readonly (readonly [string, AttributeValue["type"], string])[] {
  return attributes.map(({ key, value }) => [key, value.type, attributeText(value)]);
}
