import type { PointStatement } from "./point-statement.ts";
import type { TableFacts } from "./table-facts.ts";

/** A table that is named by its number from now on. */
export interface TableMessage {
  readonly kind: "table";
  /** Its number; the main thread gives them. */
  readonly table: number;
  readonly facts: TableFacts;
  /** Types of the primary key's columns. */
  readonly keyTypes: readonly string[];
}

/** A number that is not used any more. */
export interface ForgetMessage {
  readonly kind: "forget";
  readonly table: number;
}

/** Requests the result of `readPoint`. */
export interface ReadMessage {
  readonly kind: "read";
  /** Number of the call; the answer repeats it. */
  readonly call: number;
  /** Number of the table with the rows. */
  readonly rows: number;
  /** Number of the table with the minutes of keys. */
  readonly places: number;
  readonly statement: PointStatement;
  /** The value that the statement's equal column must have. */
  readonly value: string;
}

export type ToThread = TableMessage | ForgetMessage | ReadMessage;

/** The thread has started; or the answer to a call. */
export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly call: number; readonly bytes: Uint8Array; readonly rows: number }
  /** The engine must answer. `error` is set for an unexpected reason. */
  | { readonly kind: "none"; readonly call: number; readonly error?: string };
