import type { PointStatement } from "./point-statement.ts";
import type { TableFacts } from "./table-facts.ts";

/** A table that is named by its number from now on. */
export interface TableMessage {
  readonly kind: "table";
  readonly table: number;
  readonly facts: TableFacts;
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
  readonly call: number;
  readonly rows: number;
  readonly places: number;
  readonly statement: PointStatement;
  readonly value: string;
}

export type ToThread = TableMessage | ForgetMessage | ReadMessage;

/** The thread has started; or the answer to a call. */
export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly call: number; readonly bytes: Uint8Array; readonly rows: number }
  /** The engine must answer. `error` is set for an unexpected reason. */
  | { readonly kind: "none"; readonly call: number; readonly error?: string };
