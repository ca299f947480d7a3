import type { z } from "zod";

/** How a group of operations tells failures; `openapi/failures.ts` has their schemas. */
export type FailureKind = "envelope" | "gateway" | "problem" | "text";

/** What a request to an operation looks like; tests send it, readers copy it. */
export interface OperationExample {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
}

/** One method of one path, as the API's description has it; kept beside the endpoint that serves it. */
export interface OperationDescription {
  readonly method: "GET" | "POST";
  /** As Express writes it: `/api/traces/:traceId`. */
  readonly path: string;
  /** Unique, in lower camel case; clients that are generated name their methods by it. */
  readonly id: string;
  /** A line. */
  readonly summary: string;
  /** More than a line, in Markdown. */
  readonly description?: string;
  /** Of each part of the path. */
  readonly pathParts?: z.ZodObject;
  /** Of the query: numbers, booleans and arrays as their text. */
  readonly query?: z.ZodObject;
  /** Of the JSON in the body. */
  readonly body?: z.ZodType;
  readonly answer: {
    readonly contentType: string;
    /** Of the JSON; absent where the answer is text. */
    readonly schema?: z.ZodType;
  };
  readonly failures: FailureKind;
  /** Statuses of failures that the endpoint itself can answer with; those that all have need no mention. */
  readonly failureStatuses: readonly number[];
  readonly example: OperationExample;
  /** A request that fails, and with what. */
  readonly failingExample?: { readonly status: number; readonly request: OperationExample };
}

/** Operations that belong together. */
export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly OperationDescription[];
}
