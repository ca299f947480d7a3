import type { FieldExpression } from "traceql";
import type { SpanFilter, TimeRange } from "./analysis-reader.ts";
import type { ReadOptions } from "./span-reader.ts";

/**
 * Where an attribute stands, in TraceQL's words. `instrumentation` is OTLP's scope; `intrinsic` is what every span has
 * without attributes: see `intrinsics`.
 */
export const attributeScopes = ["span", "resource", "event", "link", "instrumentation", "intrinsic"] as const;
export type AttributeScope = (typeof attributeScopes)[number];

export interface AttributeNamesQuery {
  /** Every scope when absent. */
  readonly scope?: AttributeScope;
  /** When the spans start. */
  readonly range: TimeRange;
  /** Most names of each scope, 1 to 10,000: the most frequent. */
  readonly limit: number;
  /** What names begin with, to the letter. */
  readonly prefix?: string;
  /** Which spans are looked at; its times are not used. */
  readonly filter?: SpanFilter;
  /** What must also be true of them. An engine that cannot tell of a part of it looks at more. */
  readonly condition?: FieldExpression;
}

export interface AttributeName {
  readonly scope: AttributeScope;
  readonly name: string;
}

export interface AttributeValuesQuery {
  readonly scope: AttributeScope;
  readonly name: string;
  /** When the spans start. */
  readonly range: TimeRange;
  /** Most values, 1 to 10,000: the most frequent. */
  readonly limit: number;
  /** What values begin with, in text form, to the letter. */
  readonly prefix?: string;
  /** Which spans are looked at; its times are not used. */
  readonly filter?: SpanFilter;
  /** What must also be true of them. An engine that cannot tell of a part of it looks at more. */
  readonly condition?: FieldExpression;
}

/** TraceQL's words; `keyword` is written without quotes, as in `{ status = error }`. */
export type CatalogValueType = "string" | "int" | "float" | "bool" | "keyword";

export interface CatalogValue {
  readonly type: CatalogValueType;
  /** In text form. */
  readonly value: string;
  /** How often it was seen; absent for keywords. */
  readonly count?: number;
}

/**
 * What there is to search for: data for completion. A look, not an inventory: of many spans, the newest are looked at,
 * some hundred thousand, in whole minutes. Names of services and operations come from counts by minute, of all spans.
 * Every method throws `StorageError`.
 */
export interface AttributeCatalog {
  /** By scope, then name; names are none of the intrinsic ones' aliases. */
  names(query: AttributeNamesQuery, options?: ReadOptions): Promise<AttributeName[]>;
  /**
   * Most frequent first. Plain values only: no arrays, maps or bytes, and none of over 1,024 bytes. Attributes and
   * intrinsics that nobody knows have none.
   */
  values(query: AttributeValuesQuery, options?: ReadOptions): Promise<CatalogValue[]>;
}

/** Longer values are left out: nobody picks them from a list. */
export const maxCatalogValueBytes = 1_024;
