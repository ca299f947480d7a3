import { ClientStats } from "../gen/thrift/tracing.ts";
import { checkRequired } from "./check-fields.ts";
import type { ThriftCursor } from "./thrift-cursor.ts";
import { thriftTypes } from "./thrift-descriptors.ts";

const { fields } = ClientStats;

/** Numbers of batches and spans that a client lost before sending, since its start. */
export interface ThriftClientLosses {
  readonly fullQueueDroppedSpans: bigint;
  readonly tooLargeDroppedSpans: bigint;
  readonly failedToEmitSpans: bigint;
}

/** The 64-bit number at the cursor's position. */
export function readBigint(cursor: ThriftCursor): bigint {
  cursor.int64();
  return (BigInt(cursor.high) << 32n) | BigInt(cursor.low >>> 0);
}

/**
 * Reads the Thrift struct `ClientStats` at the cursor's position. The statistics are about spans that are already lost,
 * so an invalid struct is skipped, and the batch's spans stay valid.
 * @returns undefined for an invalid struct
 */
export function readClientLosses(cursor: ThriftCursor): ThriftClientLosses | undefined {
  const start = cursor.position;
  try {
    return readStats(cursor);
  } catch (error) {
    cursor.passOverStruct(start, error, ClientStats);
    return undefined;
  }
}

function readStats(cursor: ThriftCursor): ThriftClientLosses {
  const losses = { fullQueueDroppedSpans: 0n, tooLargeDroppedSpans: 0n, failedToEmitSpans: 0n };
  let seen = 0;
  for (let id = 0; cursor.field(id); ) {
    id = cursor.fieldId;
    switch (id) {
      case fields.fullQueueDroppedSpans.id:
        if (!cursor.has(thriftTypes.i64, fields.fullQueueDroppedSpans)) {
          continue;
        }
        losses.fullQueueDroppedSpans = readBigint(cursor);
        break;
      case fields.tooLargeDroppedSpans.id:
        if (!cursor.has(thriftTypes.i64, fields.tooLargeDroppedSpans)) {
          continue;
        }
        losses.tooLargeDroppedSpans = readBigint(cursor);
        break;
      case fields.failedToEmitSpans.id:
        if (!cursor.has(thriftTypes.i64, fields.failedToEmitSpans)) {
          continue;
        }
        losses.failedToEmitSpans = readBigint(cursor);
        break;
      default:
        cursor.skipField();
        continue;
    }
    seen |= 1 << id;
  }
  checkRequired(seen, ClientStats);
  return losses;
}
