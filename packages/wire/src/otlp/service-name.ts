import type { Attribute, AttributeValue } from "../model/attribute.ts";

/**
 * The service name of a resource in the store: the string value of its first `service.name`.
 * `OTLPResourceNoServiceName` for a resource without attributes; `empty-service-name` for a resource whose
 * `service.name` is missing, empty or no string. Source: Jaeger 1.62, its OTLP translator and its collector's
 * sanitizer.
 */
export function serviceNameOf(resourceAttributes: readonly Attribute[]): string {
  const named = resourceAttributes.find((attribute) => attribute.key === "service.name");
  return serviceNameFrom(resourceAttributes.length > 0, named?.value);
}

/**
 * Like `serviceNameOf`, before the resource exists as an object.
 * @param value value of the resource's first `service.name`
 */
export function serviceNameFrom(hasAttributes: boolean, value: AttributeValue | undefined): string {
  if (!hasAttributes) {
    return "OTLPResourceNoServiceName";
  }
  return value?.type === "string" && value.value !== "" ? value.value : "empty-service-name";
}
