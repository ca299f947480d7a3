import type { DedicatedColumns } from "./block-meta.ts";

/** A block to read; it is the `workerData` of the reading thread. */
export interface BlockToRead {
  /** Path of `data.parquet`. */
  readonly path: string;
  /** Tenant of the spans here; "" without tenants. */
  readonly tenant: string;
  readonly dedicated: DedicatedColumns;
}

/** Counts of a block that was read to its end. */
export interface BlockCounts {
  readonly traces: number;
  readonly spans: number;
  /** Spans that cannot be stored, and the reason of the first. */
  readonly leftOut: number;
  readonly why: string;
}

/** The thread sends rows, and continues when it gets a message. After `end` and `failed` it ends. */
export type FromReader =
  | {
      readonly kind: "rows";
      readonly bytes: Uint8Array;
      readonly count: number;
      readonly plainBytes?: number;
    }
  | { readonly kind: "end"; readonly counts: BlockCounts }
  | { readonly kind: "failed"; readonly message: string };
