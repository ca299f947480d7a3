import { soughtDoubleText } from "wire/rows";
import { StorageError } from "../../../api/storage-error.ts";
import { hasAttributeText } from "../schema/span-sql.ts";
import { bytesLiteral, intLiteral, textLiteral } from "../sql-text.ts";

/** Maximum number of trace ids in one deletion, because a statement may have at most 256 KiB. */
const maxTraceIds = 1_500;
const maxTextLength = 1_024;

/** Selects the spans to delete: spans that match every given condition. At least one condition must be given. */
export interface DeletionSelection {
  /** Hexadecimal trace ids of 16 or 32 digits. */
  readonly traceIds?: readonly string[] | undefined;
  /** An attribute of the span, its resource or one of its events. The value is compared as text. */
  readonly attribute?: { readonly key: string; readonly value: string } | undefined;
  /** Tenant of the spans. Undefined: all tenants. "": spans that were stored without tenancy. */
  readonly tenant?: string | undefined;
  /** Earliest start to delete; inclusive. */
  readonly fromUnixNano?: bigint | undefined;
  /** End of the starts to delete; exclusive. */
  readonly toUnixNano?: bigint | undefined;
}

/**
 * The condition of a selection, for `spans` and `archived_spans`. The condition needs no index, because a mutation
 * reads all parts.
 * @throws StorageError STORAGE_BAD_QUERY without a condition, and for invalid values
 */
export function deletionCondition(selection: DeletionSelection): string {
  const { traceIds, attribute, tenant, fromUnixNano, toUnixNano } = selection;
  const conditions: string[] = [];
  if (traceIds !== undefined) {
    conditions.push(traceIdCondition(traceIds));
  }
  if (attribute !== undefined) {
    conditions.push(attributeCondition(attribute));
  }
  if (tenant !== undefined) {
    conditions.push(`tenant = ${textLiteral(tenant)}`);
  }
  if (fromUnixNano !== undefined) {
    conditions.push(`start >= fromUnixTimestamp64Nano(${intLiteral(fromUnixNano)}, 'UTC')`);
  }
  if (toUnixNano !== undefined) {
    conditions.push(`start < fromUnixTimestamp64Nano(${intLiteral(toUnixNano)}, 'UTC')`);
  }
  if (conditions.length === 0) {
    throw new StorageError("STORAGE_BAD_QUERY", "a deletion without a condition would delete all spans");
  }
  if (fromUnixNano !== undefined && toUnixNano !== undefined && fromUnixNano >= toUnixNano) {
    throw new StorageError("STORAGE_BAD_QUERY", "the time of the deletion ends before it begins");
  }
  return conditions.join(" AND ");
}

/** @throws StorageError STORAGE_BAD_QUERY */
function traceIdCondition(traceIds: readonly string[]): string {
  if (traceIds.length === 0 || traceIds.length > maxTraceIds) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      `a deletion takes 1 to ${maxTraceIds} trace ids, not ${traceIds.length}`,
    );
  }
  const ids = traceIds.map((id) => {
    const hex = id.toLowerCase();
    if (!/^(?:[0-9a-f]{16}){1,2}$/.test(hex)) {
      throw new StorageError("STORAGE_BAD_QUERY", `"${id}" is no trace id: it has 16 or 32 hex digits`);
    }
    return bytesLiteral(hex.padStart(32, "0"));
  });
  return `trace_id IN (${ids.join(", ")})`;
}

/** @throws StorageError STORAGE_BAD_QUERY */
function attributeCondition({ key, value }: { readonly key: string; readonly value: string }): string {
  if (key === "") {
    throw new StorageError("STORAGE_BAD_QUERY", "the attribute of the deletion has no name");
  }
  if (key.length + value.length > maxTextLength) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      `the attribute of the deletion has ${key.length + value.length} characters, over the limit of ${maxTextLength}`,
    );
  }
  const asDouble = soughtDoubleText(value);
  return hasAttributeText({
    key: { text: key },
    value: { text: value },
    ...(asDouble === undefined ? {} : { asDouble: { text: asDouble } }),
  });
}

/**
 * The condition for the derived counts of a selection: rates, operations and calls between services. These counts
 * contain no trace ids, so only the deletion of a whole tenant removes them.
 * @returns undefined for any other selection
 */
export function wholeTenantCondition(selection: DeletionSelection): string | undefined {
  const { traceIds, attribute, tenant, fromUnixNano, toUnixNano } = selection;
  const others = [traceIds, attribute, fromUnixNano, toUnixNano];
  return tenant !== undefined && others.every((condition) => condition === undefined)
    ? `tenant = ${textLiteral(tenant)}`
    : undefined;
}
