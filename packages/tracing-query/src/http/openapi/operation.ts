import type { z } from "zod";

/** The form of failures in a group of operations; `openapi/failures.ts` has the schemas. */
export type FailureKind = "envelope" | "gateway" | "problem" | "text";

/** An example of a request; tests send it, and readers copy it. */
export interface OperationExample {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
}

/** Describes one method of one path. It is kept beside the endpoint that serves it. */
export interface OperationDescription {
  readonly method: "GET" | "POST";
  /** Express notation: `/api/traces/:traceId`. */
  readonly path: string;
  /** Unique, in lower camel case; generated clients name their methods after it. */
  readonly id: string;
  /** One line. */
  readonly summary: string;
  /** Markdown of more than one line. */
  readonly description?: string;
  /** Schema of the path's parts. */
  readonly pathParts?: z.ZodObject;
  /** Schema of the query; numbers, booleans and arrays are sent as text. */
  readonly query?: z.ZodObject;
  /** Schema of the JSON body. */
  readonly body?: z.ZodType;
  readonly answer: {
    readonly contentType: string;
    /** Schema of the JSON answer; absent for a text answer. */
    readonly schema?: z.ZodType;
  };
  readonly failures: FailureKind;
  /** Statuses that this endpoint itself can fail with, without the common ones. */
  readonly failureStatuses: readonly number[];
  readonly example: OperationExample;
  /** A request that fails, and its status. */
  readonly failingExample?: { readonly status: number; readonly request: OperationExample };
}

/** Operations that belong together. */
export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly OperationDescription[];
}
