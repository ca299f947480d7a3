import {
  type Span as ApiV2Span,
  type KeyValue,
  type SpanRef,
  SpanRefType,
  ValueType,
} from "wire/api-v2-model";

/** An id as a map key: one character for each byte. Cheaper than hex digits. */
export function idKey(id: Buffer): string {
  return id.toString("latin1");
}

/** The key of the zero id, which means "none". */
export const noSpan = "\0".repeat(8);

/**
 * The reference to the parent: the first CHILD_OF of the same trace, otherwise the first reference of the
 * same trace. Undefined for a root.
 */
export function parentReference(span: ApiV2Span): SpanRef | undefined {
  let other: SpanRef | undefined;
  for (const reference of span.references) {
    if (reference.traceId.equals(span.traceId)) {
      if (reference.refType === SpanRefType.CHILD_OF) {
        return reference;
      }
      other ??= reference;
    }
  }
  return other;
}

/** `idKey` of the parent; `noSpan` for a root. */
export function parentKey(span: ApiV2Span): string {
  const reference = parentReference(span);
  return reference === undefined ? noSpan : idKey(reference.spanId);
}

export function findTag(tags: readonly KeyValue[], key: string): KeyValue | undefined {
  return tags.find((tag) => tag.key === key);
}

/** True when the tag `span.kind` has this value. */
export function hasKind(span: ApiV2Span, kind: "client" | "server"): boolean {
  const tag = findTag(span.tags, "span.kind");
  return tag !== undefined && tag.vType === ValueType.STRING && tag.vStr === kind;
}
