import { spanKinds, statusCodes } from "wire/model";
import type { CatalogValue } from "./attribute-catalog.ts";

/** Source of the values of an intrinsic: fixed keywords, texts read from spans, or none. */
export type IntrinsicSource =
  | "status"
  | "kind"
  | "name"
  | "statusMessage"
  | "rootName"
  | "rootService"
  | "eventName"
  | "scopeName"
  | "scopeVersion"
  | "unlisted";

/**
 * TraceQL's intrinsics by name, including the older names without a scope. Source: Tempo's documentation of TraceQL.
 */
export const intrinsics: ReadonlyMap<string, IntrinsicSource> = new Map([
  ["duration", "unlisted"],
  ["event:name", "eventName"],
  ["event:timeSinceStart", "unlisted"],
  ["instrumentation:name", "scopeName"],
  ["instrumentation:version", "scopeVersion"],
  ["kind", "kind"],
  ["link:spanID", "unlisted"],
  ["link:traceID", "unlisted"],
  ["name", "name"],
  ["rootName", "rootName"],
  ["rootServiceName", "rootService"],
  ["span:duration", "unlisted"],
  ["span:id", "unlisted"],
  ["span:kind", "kind"],
  ["span:name", "name"],
  ["span:parentID", "unlisted"],
  ["span:status", "status"],
  ["span:statusMessage", "statusMessage"],
  ["status", "status"],
  ["statusMessage", "statusMessage"],
  ["trace:duration", "unlisted"],
  ["trace:id", "unlisted"],
  ["trace:rootName", "rootName"],
  ["trace:rootService", "rootService"],
  ["traceDuration", "unlisted"],
] as const);

/** @returns undefined when the values must be read from spans */
export function listedValues(source: IntrinsicSource): CatalogValue[] | undefined {
  switch (source) {
    case "status":
      return statusCodes.map((value) => ({ type: "keyword", value }));
    case "kind":
      return spanKinds.map((value) => ({ type: "keyword", value }));
    case "unlisted":
      return [];
    default:
      return undefined;
  }
}
