import { expect } from "vitest";
import type { Span } from "wire/model";
import { type SpanRows, SpanRowWriter } from "wire/rows";
import { StorageError, type StorageErrorCode } from "../api/storage-error.ts";
import type { TraceStore } from "../api/trace-store.ts";

/** The inputs of each part of the contract. */
export interface ContractContext {
  /** The store under test, open. */
  readonly store: () => TraceStore;
  /** Declares one test, unless the engine skips the test. */
  readonly test: (name: string, run: () => Promise<void>) => void;
}

let tokens = 0;

export function newToken(): string {
  return `contract-${process.pid}-${Date.now()}-${++tokens}`;
}

export function rowsOf(...spans: readonly Span[]): SpanRows {
  return rowsOfTenant("", ...spans);
}

export function rowsOfTenant(tenant: string, ...spans: readonly Span[]): SpanRows {
  const writer = new SpanRowWriter();
  for (const span of spans) {
    writer.append(span, tenant);
  }
  return writer.take();
}

/** Writes the spans as one block. */
export async function write(store: TraceStore, spans: readonly Span[], token = newToken()): Promise<void> {
  await store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: token });
}

/** Fails unless the promise rejects with a StorageError of this code. */
export async function expectStorageError(work: Promise<unknown>, code: StorageErrorCode): Promise<void> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StorageError);
  expect((error as StorageError).code).toBe(code);
}
