import { seedOf } from "./crc-inverse.ts";
import { endMarkBytes, frameHeaderBytes, knownHeaders, segmentHeaderBytes } from "./segment-format.ts";

/** A header with more changed bytes is not recognized. */
const mostChangedBytes = 4;

/**
 * Repairs a changed header. The seed comes from the header or, when it was changed, from the checksum of the
 * first frame.
 * @returns undefined when more than four bytes differ from every valid header
 */
export function mendedHeader(file: Buffer): Buffer | undefined {
  if (file.length < segmentHeaderBytes + endMarkBytes) {
    return undefined;
  }
  const seeds = [file.readUInt32LE(16), seedOfFirstFrame(file)];
  const headers = seeds.flatMap((seed) => (seed === undefined ? [] : knownHeaders(seed)));
  const [best] = headers
    .map((header) => ({ header, others: header.filter((byte, at) => byte !== file[at]).length }))
    .sort((one, other) => one.others - other.others);
  return best !== undefined && best.others <= mostChangedBytes ? best.header : undefined;
}

function seedOfFirstFrame(file: Buffer): number | undefined {
  const start = segmentHeaderBytes;
  const end = start + frameHeaderBytes + file.readUInt32LE(start);
  if (end === start + frameHeaderBytes || end > file.length) {
    return undefined;
  }
  const covered = Buffer.concat([
    file.subarray(start, start + 8),
    file.subarray(start + frameHeaderBytes, end),
  ]);
  return seedOf(file.readUInt32LE(start + 8), covered);
}
