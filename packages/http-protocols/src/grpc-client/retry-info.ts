import { BinaryReader } from "@bufbuild/protobuf/wire";

const retryInfoType = /\/google\.rpc\.RetryInfo$/;

/**
 * The delay that a gRPC error requests with `google.rpc.RetryInfo`.
 * @param statusDetails `grpc-status-details-bin`: a `google.rpc.Status`
 * @returns milliseconds, or undefined when there is no (readable) `RetryInfo`
 * Source: googleapis, google/rpc/status.proto and error_details.proto; OTLP specification, "OTLP/gRPC Throttling"
 */
export function retryDelayMs(statusDetails: Uint8Array): number | undefined {
  try {
    for (const any of messagesOf(statusDetails, 3)) {
      const [typeUrl] = messagesOf(any, 1);
      if (typeUrl === undefined || !retryInfoType.test(Buffer.from(typeUrl).toString())) {
        continue;
      }
      const [retryInfo = new Uint8Array()] = messagesOf(any, 2);
      const [delay] = messagesOf(retryInfo, 1);
      return delay === undefined ? 0 : durationMs(delay);
    }
  } catch {
    // Malformed details are ignored: the call has failed in any case.
  }
  return undefined;
}

/** All values of one length-delimited field. */
function messagesOf(message: Uint8Array, field: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field && wireType === 2) {
      found.push(reader.bytes());
    } else {
      reader.skip(wireType, number);
    }
  }
  return found;
}

/** `google.protobuf.Duration`: seconds in field 1, nanoseconds in field 2. */
function durationMs(duration: Uint8Array): number {
  const reader = new BinaryReader(duration);
  let ms = 0;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === 0) {
      ms += Number(reader.int64()) * 1000;
    } else if (number === 2 && wireType === 0) {
      ms += reader.int32() / 1e6;
    } else {
      reader.skip(wireType, number);
    }
  }
  return Math.max(0, ms);
}
