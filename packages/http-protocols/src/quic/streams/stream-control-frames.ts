import type { ByteWriter } from "../wire/byte-writer.ts";
import { frameTypes } from "../wire/frames.ts";
import type { QuicStream } from "./quic-stream.ts";

export type ControlKind = "resetStream" | "stopSending" | "maxStreamData";

/** Maximum size in bytes of a stream's control frame. */
export const controlFrameBytes = 25;

/** Writes a control frame. @returns false for a frame that is no longer needed */
export function writeControlFrame(writer: ByteWriter, kind: ControlKind, stream: QuicStream): boolean {
  switch (kind) {
    case "resetStream": {
      const { code, finalSize } = stream.resetFrame;
      writer.u8(frameTypes.resetStream).varint(stream.id).varint(code).varint(finalSize);
      return true;
    }
    case "stopSending":
      writer.u8(frameTypes.stopSending).varint(stream.id).varint(stream.stopCode);
      return true;
    case "maxStreamData":
      if (!stream.isReceiving) {
        return false;
      }
      writer.u8(frameTypes.maxStreamData).varint(stream.id).varint(stream.creditLimit);
      return true;
  }
}
