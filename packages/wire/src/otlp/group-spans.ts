import type { Attribute, AttributeValue } from "../model/attribute.ts";
import type { Resource, Scope, Span } from "../model/span.ts";
import { attributeText } from "../rows/attribute-text.ts";
import { otlpOfModel, resourceOfProcess } from "./model-as-otlp.ts";

/** Spans of one resource, grouped by scope; all spans are in the form of OTLP. */
export interface ResourceGroup {
  readonly resource: Resource;
  readonly scopes: readonly ScopeGroup[];
}

export interface ScopeGroup {
  readonly scope: Scope;
  readonly spans: readonly Span[];
}

export interface EncodeOptions {
  /**
   * True: spans have the form of Jaeger's query service. The last attribute of each span is then
   * `internal.span.format`, and each resource with attributes has a `service.name`. Default: false.
   */
  readonly likeQueryService?: boolean;
}

/**
 * Groups spans as in OTLP: by resource, and inside a resource by scope. Groups have the order of their first spans, and
 * spans keep their order. Spans of the `api_v2` model become OTLP spans (see `otlpOfModel`).
 */
export function groupSpans(
  spans: readonly Span[],
  { likeQueryService = false }: EncodeOptions = {},
): ResourceGroup[] {
  const resources = new Groups<Resource, { resource: Resource; scopes: Groups<Scope, Span[]> }>(resourceKey);
  const ofProcesses = new Map<Resource, Resource>();
  const shownResources = new Map<Resource, Resource>();
  for (const original of spans) {
    let span = asOtlp(original, ofProcesses);
    if (likeQueryService) {
      span = asShown(span, original, shownResources);
    }
    const { scopes } = resources.of(span.resource, (resource) => ({
      resource,
      scopes: new Groups(scopeKey),
    }));
    const group = scopes.of(span.scope, () => []);
    group.push(span);
  }
  return resources.all.map(([, { resource, scopes }]) => ({
    resource,
    scopes: scopes.all.map(([scope, group]) => ({ scope, spans: group })),
  }));
}

function asOtlp(span: Span, ofProcesses: Map<Resource, Resource>): Span {
  if (span.format === "otlp" || span.format === "zipkin") {
    return span;
  }
  let resource = ofProcesses.get(span.resource);
  if (resource === undefined) {
    resource = resourceOfProcess(span.resource);
    ofProcesses.set(span.resource, resource);
  }
  return otlpOfModel(span, resource);
}

function asShown(span: Span, { format }: Span, shownResources: Map<Resource, Resource>): Span {
  let resource = shownResources.get(span.resource);
  if (resource === undefined) {
    resource = withService(span.resource);
    shownResources.set(span.resource, resource);
  }
  const attribute: Attribute = { key: "internal.span.format", value: { type: "string", value: format } };
  return { ...span, resource, attributes: [...span.attributes, attribute] };
}

/** Adds the service name that the store uses for a resource without a valid `service.name` (see `serviceNameOf`). */
function withService(resource: Resource): Resource {
  const { attributes, serviceName } = resource;
  if (attributes.length === 0) {
    return resource;
  }
  const own = attributes.find(({ key }) => key === "service.name")?.value;
  if (own?.type === "string" && own.value === serviceName) {
    return resource;
  }
  const others = attributes.filter(({ key }) => key !== "service.name");
  const named: Attribute = { key: "service.name", value: { type: "string", value: serviceName } };
  return { ...resource, attributes: [named, ...others] };
}

/** A map whose keys are compared by content. The text of a key object is computed once. */
class Groups<Key extends object, Value> {
  readonly #byObject = new Map<Key, Value>();
  readonly #byText = new Map<string, Value>();
  readonly #textOf: (key: Key) => string;
  /** Entries in the order in which their keys first occurred. */
  readonly all: [Key, Value][] = [];

  constructor(textOf: (key: Key) => string) {
    this.#textOf = textOf;
  }

  of(key: Key, make: (key: Key) => Value): Value {
    let value = this.#byObject.get(key);
    if (value !== undefined) {
      return value;
    }
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
