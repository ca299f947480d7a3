import { type Field, isRepeated } from "traceql";
import type { Attribute, Span } from "wire/model";
import { attributeQueryValue, isList, type QueryValue, type Scalar } from "./query-value.ts";

/** True when a span may have several values of a field: fields of its events or links. */
export function isOfEach(field: Field): boolean {
  return field.type === "attribute"
    ? field.scope === "event" || field.scope === "link"
    : isRepeated(field.name);
}

/** Reads the value of a field from the span itself. */
export function storedValue(span: Span, field: Field): QueryValue {
  if (field.type === "attribute") {
    switch (field.scope) {
      case "span":
        return valueIn(span.attributes, field.name);
      case "resource":
        return resourceValue(span, field.name);
      case "instrumentation":
        return valueIn(span.scope.attributes, field.name);
      case "event":
        return listed(span.events.map(({ attributes }) => valueIn(attributes, field.name)));
      case "link":
        return listed(span.links.map(({ attributes }) => valueIn(attributes, field.name)));
      case "any":
        return valueIn(span.attributes, field.name) ?? resourceValue(span, field.name);
    }
  }
  switch (field.name) {
    case "span:statusMessage":
      return span.status.message;
    case "instrumentation:name":
      return span.scope.name;
    case "instrumentation:version":
      return span.scope.version;
    case "event:name":
      return listed(span.events.map(({ name }) => name));
    case "event:timeSinceStart":
      return listed(span.events.map(({ timeUnixNano }) => timeUnixNano - span.startTimeUnixNano));
    case "link:traceID":
      return listed(span.links.map(({ traceId }) => traceId));
    case "link:spanID":
      return listed(span.links.map(({ spanId }) => spanId));
    default:
      return undefined;
  }
}

/** Value of a resource attribute. `service.name` always exists and comes from the store's field, in every format. */
function resourceValue({ resource }: Span, name: string): QueryValue {
  return name === "service.name" ? resource.serviceName : valueIn(resource.attributes, name);
}

/** Value of the first attribute with this name. */
function valueIn(attributes: readonly Attribute[], name: string): QueryValue {
  const found = attributes.find(({ key }) => key === name);
  return found === undefined ? undefined : attributeQueryValue(found.value);
}

/** Values of all events or links as one list; undefined when there is no value. */
function listed(values: readonly QueryValue[]): QueryValue {
  const all: Scalar[] = [];
  let isThere = false;
  for (const value of values) {
    if (value === undefined) {
      continue;
    }
    isThere = true;
    if (isList(value)) {
      all.push(...value);
    } else {
      all.push(value);
    }
  }
  return isThere ? all : undefined;
}
