import { BinaryWriter } from "@bufbuild/protobuf/wire";

/**
 * Number of rejected spans, and the reason, for the answer to an export; 0 means full success. A `TranscodeResult` also
 * has these fields.
 */
export interface ExportOutcome {
  readonly rejectedSpans: number;
  readonly errorMessage: string;
}

/** The answer as protobuf; without rejected spans it is `0a 00` (an empty `partial_success`), as in Jaeger. */
export function encodeExportResponse(outcome: ExportOutcome): Uint8Array {
  return isFull(outcome) ? fullResponse : encodeResponse(outcome);
}

/** The answer as OTLP JSON; without rejected spans it is `{"partialSuccess":{}}`. */
export function encodeExportResponseJson(outcome: ExportOutcome): string {
  return isFull(outcome) ? fullResponseJson : encodeResponseJson(outcome);
}

function isFull({ rejectedSpans, errorMessage }: ExportOutcome): boolean {
  return rejectedSpans === 0 && errorMessage === "";
}

/** `ExportTraceServiceResponse`, whose field 1 is `partial_success`. Fields with their default value are left out. */
function encodeResponse({ rejectedSpans, errorMessage }: ExportOutcome): Uint8Array {
  const partialSuccess = new BinaryWriter();
  if (rejectedSpans !== 0) {
    partialSuccess.uint32(8).int64(rejectedSpans);
  }
  if (errorMessage !== "") {
    partialSuccess.uint32(18).string(errorMessage);
  }
  return new BinaryWriter().uint32(10).bytes(partialSuccess.finish()).finish();
}

/** JSON of protobuf writes an int64 as a string. */
function encodeResponseJson({ rejectedSpans, errorMessage }: ExportOutcome): string {
  return JSON.stringify({
    partialSuccess: {
      rejectedSpans: rejectedSpans === 0 ? undefined : String(rejectedSpans),
      errorMessage: errorMessage === "" ? undefined : errorMessage,
    },
  });
}

/** Answer of full success, encoded once because nearly all answers are equal. */
const full: ExportOutcome = { rejectedSpans: 0, errorMessage: "" };
const fullResponse = encodeResponse(full);
const fullResponseJson = encodeResponseJson(full);
