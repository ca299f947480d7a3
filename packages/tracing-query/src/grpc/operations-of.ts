import type { Operation } from "storage/api";
import { type SpanKind, spanKinds } from "wire/model";
import type { QueryService } from "../service/query-service.ts";
import type { CallReadOptions } from "./read-options-of.ts";

function isSpanKind(text: string): text is SpanKind {
  return (spanKinds as readonly string[]).includes(text);
}

/**
 * Operations of a service for one span kind, or for all kinds when `kind` is "". An unknown kind has none.
 */
export async function operationsOf(
  names: QueryService["names"],
  { service, spanKind }: { readonly service: string; readonly spanKind: string },
  read: CallReadOptions,
): Promise<readonly Pick<Operation, "name" | "spanKind">[]> {
  if (spanKind !== "" && !isSpanKind(spanKind)) {
    return [];
  }
  const operations = await names.getOperations(service, spanKind === "" ? undefined : spanKind, read);
  return operations.map((operation) => ({ name: operation.name, spanKind: operation.spanKind }));
}
