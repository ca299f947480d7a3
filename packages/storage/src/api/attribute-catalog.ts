import type { FieldExpression } from "traceql";
import type { SpanFilter, TimeRange } from "./analysis-reader.ts";
import type { ReadOptions } from "./span-reader.ts";

/**
 * The scope of an attribute, named as in TraceQL. `instrumentation` is OTLP's scope; `intrinsic` is a field of every
 * span, see `intrinsics`.
 */
export const attributeScopes = ["span", "resource", "event", "link", "instrumentation", "intrinsic"] as const;
export type AttributeScope = (typeof attributeScopes)[number];

export interface AttributeNamesQuery {
  /** Absent: every scope. */
  readonly scope?: AttributeScope;
  /** Time range in which the spans start. */
  readonly range: TimeRange;
  /** Maximum number of names of each scope, 1 to 10,001. The most frequent names are returned. */
  readonly limit: number;
  /** Names must begin with this text. */
  readonly prefix?: string;
  /** Conditions on the spans to read. The times of the filter are ignored. */
  readonly filter?: SpanFilter;
  /** A further condition on the spans. If the engine cannot evaluate a part of the condition, it reads more spans. */
  readonly condition?: FieldExpression;
}

export interface AttributeName {
  /**
   * Owner of the attribute: spans, resources, events, links or instrumentation scopes. `intrinsic`: a field of every
   * span.
   */
  readonly scope: AttributeScope;
  readonly name: string;
}

export interface AttributeValuesQuery {
  /** Owner of the attribute. */
  readonly scope: AttributeScope;
  readonly name: string;
  /** Time range in which the spans start. */
  readonly range: TimeRange;
  /** Maximum number of values, 1 to 10,001. The most frequent values are returned. */
  readonly limit: number;
  /** Values must, as text, begin with this text. */
  readonly prefix?: string;
  /** Conditions on the spans to read. The times of the filter are ignored. */
  readonly filter?: SpanFilter;
  /** A further condition on the spans. If the engine cannot evaluate a part of the condition, it reads more spans. */
  readonly condition?: FieldExpression;
}

/** Types, named as in TraceQL. `keyword` is written without quotes, as in `{ status = error }`. */
export type CatalogValueType = "string" | "int" | "float" | "bool" | "keyword";

export interface CatalogValue {
  /** Type of the value, which decides how a query writes the value: 5, "5" or 5.0. */
  readonly type: CatalogValueType;
  /** The value as text. */
  readonly value: string;
  /** Number of occurrences in the sample. Absent for keywords. */
  readonly count?: number;
}

/**
 * Names and values to search for, for completion. The lists are a sample: an engine reads at most the newest few
 * hundred thousand spans, in whole minutes. Names of services and operations come from counts by minute, which cover
 * all spans. Methods fail with `StorageError`.
 */
export interface AttributeCatalog {
  /** Names of attributes, ordered by scope, then name. Aliases of intrinsics are left out. */
  names(query: AttributeNamesQuery, options?: ReadOptions): Promise<AttributeName[]>;
  /**
   * Values of an attribute, most frequent first. Arrays, maps, bytes and values over 1,024 bytes are left out. Unknown
   * attributes and intrinsics return an empty list.
   */
  values(query: AttributeValuesQuery, options?: ReadOptions): Promise<CatalogValue[]>;
}

/** Longer values are left out, because nobody picks them from a list. */
export const maxCatalogValueBytes = 1_024;
