import type { PointStatement } from "./point-statement.ts";
import type { TableFacts } from "./table-facts.ts";

/** Describes a table; later messages contain only its number. */
export interface TableMessage {
  readonly kind: "table";
  /** Number of the table, which the main thread chooses. */
  readonly table: number;
  readonly facts: TableFacts;
  /** Types of the primary key's columns. */
  readonly keyTypes: readonly string[];
}

/** Says that a number is no longer used. */
export interface ForgetMessage {
  readonly kind: "forget";
  readonly table: number;
}

/** Requests the result of `readPoint`. */
export interface ReadMessage {
  readonly kind: "read";
  /** Number of the call; the answer contains it. */
  readonly call: number;
  /** Number of the table with the rows of the answer. */
  readonly rows: number;
  /** Number of the table with the minutes of keys. */
  readonly places: number;
  readonly statement: PointStatement;
  /** Required value of the statement's equal column. */
  readonly value: string;
}

export type ToThread = TableMessage | ForgetMessage | ReadMessage;

/** The thread has started, or the answer to a call. */
export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly call: number; readonly bytes: Uint8Array; readonly rows: number }
  /** The engine must answer. `error` is set for an unexpected reason. */
  | { readonly kind: "none"; readonly call: number; readonly error?: string };
