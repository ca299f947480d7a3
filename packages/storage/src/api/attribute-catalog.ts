import type { FieldExpression } from "traceql";
import type { SpanFilter, TimeRange } from "./analysis-reader.ts";
import type { ReadOptions } from "./span-reader.ts";

/**
 * The scope of an attribute, in TraceQL's words. `instrumentation` is OTLP's scope; `intrinsic` is a field
 * that every span has: see `intrinsics`.
 */
export const attributeScopes = ["span", "resource", "event", "link", "instrumentation", "intrinsic"] as const;
export type AttributeScope = (typeof attributeScopes)[number];

export interface AttributeNamesQuery {
  /** Absent: every scope. */
  readonly scope?: AttributeScope;
  /** The time in which the spans start. */
  readonly range: TimeRange;
  /** Most names of each scope, 1 to 10,001; the most frequent are returned. */
  readonly limit: number;
  /** Exact prefix of the names. */
  readonly prefix?: string;
  /** Conditions on the spans that are read; its times are ignored. */
  readonly filter?: SpanFilter;
  /** A further condition. When the engine cannot evaluate a part of it, more spans are read. */
  readonly condition?: FieldExpression;
}

export interface AttributeName {
  /** Owner of the attribute: spans, processes (`resource`), events, links or scopes; `intrinsic` for a value that each span has. */
  readonly scope: AttributeScope;
  /** Name of the attribute. */
  readonly name: string;
}

export interface AttributeValuesQuery {
  /** Where the attribute stands. */
  readonly scope: AttributeScope;
  /** Name of the attribute. */
  readonly name: string;
  /** The time in which the spans start. */
  readonly range: TimeRange;
  /** Most values, 1 to 10,001; the most frequent are returned. */
  readonly limit: number;
  /** Exact prefix of the values, as text. */
  readonly prefix?: string;
  /** Conditions on the spans that are read; its times are ignored. */
  readonly filter?: SpanFilter;
  /** A further condition. When the engine cannot evaluate a part of it, more spans are read. */
  readonly condition?: FieldExpression;
}

/** TraceQL's words; `keyword` is written without quotes, as in `{ status = error }`. */
export type CatalogValueType = "string" | "int" | "float" | "bool" | "keyword";

export interface CatalogValue {
  /** Type, so that a query can be written with the right literal. */
  readonly type: CatalogValueType;
  /** The value as text. */
  readonly value: string;
  /** How often it was seen; absent for keywords. */
  readonly count?: number;
}

/**
 * Names and values to search for, for completion. The lists are a sample: when there are many spans, only the
 * newest are read, some hundred thousand, in whole minutes. Names of services and operations come from counts
 * by minute, which cover all spans. Every method throws `StorageError`.
 */
export interface AttributeCatalog {
  /** Ordered by scope, then name. The aliases of intrinsics are no names. */
  names(query: AttributeNamesQuery, options?: ReadOptions): Promise<AttributeName[]>;
  /**
   * Values, most frequent first. Only plain values: no arrays, maps or bytes, and none over 1,024 bytes.
   * Unknown attributes and intrinsics have none.
   */
  values(query: AttributeValuesQuery, options?: ReadOptions): Promise<CatalogValue[]>;
}

/** Longer values are left out, because nobody picks them from a list. */
export const maxCatalogValueBytes = 1_024;
