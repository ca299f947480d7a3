import type { z } from "zod";

/** The form of failures in a group of operations; `openapi/failures.ts` has their schemas. */
export type FailureKind = "envelope" | "gateway" | "problem" | "text";

/** An example request; tests send it, and readers copy it. */
export interface OperationExample {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
}

/** Describes one method of one path. */
export interface OperationDescription {
  readonly method: "GET" | "POST";
  /** Express notation: `/api/traces/:traceId`. */
  readonly path: string;
  /** Unique id in lower camel case; generated clients derive method names from it. */
  readonly id: string;
  /** Summary on one line. */
  readonly summary: string;
  /** Markdown with several lines. */
  readonly description?: string;
  /** Schema of the path's parts. */
  readonly pathParts?: z.ZodObject;
  /** Schema of the query parameters; numbers, booleans and arrays are sent as text. */
  readonly query?: z.ZodObject;
  /** Schema of the JSON body. */
  readonly body?: z.ZodType;
  readonly answer: {
    readonly contentType: string;
    /** Schema of the JSON answer; absent for a text answer. */
    readonly schema?: z.ZodType;
  };
  readonly failures: FailureKind;
  /** Failure statuses of this endpoint, without the common ones. */
  readonly failureStatuses: readonly number[];
  readonly example: OperationExample;
  readonly failingExample?: { readonly status: number; readonly request: OperationExample };
}

export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly OperationDescription[];
}
