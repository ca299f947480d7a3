import { ByteReader } from "../quic/wire/byte-reader.ts";
import { ByteWriter, varintBytes } from "../quic/wire/byte-writer.ts";
import { frameTypes } from "./frame-reader.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";

/** IDs of settings. Source: RFC 9114, section 7.2.4.1; RFC 9204, section 5 */
export const settingIds = {
  qpackMaxTableCapacity: 0x01,
  maxFieldSectionSize: 0x06,
  qpackBlockedStreams: 0x07,
  enableConnectProtocol: 0x08,
} as const;

/** Settings of HTTP/2 that must not occur. Source: RFC 9114, section 7.2.4.1 */
const ofHttp2: ReadonlySet<number> = new Set([0x00, 0x02, 0x03, 0x04, 0x05]);

export interface PeerSettings {
  /** Size limit of field sections that the peer accepts; 2^53 - 1 means no limit. */
  readonly maxFieldSectionSize: number;
  /** Size limit of the dynamic table for the peer, in bytes; 0: none. */
  readonly qpackMaxTableCapacity: number;
  /** Streams whose sections may wait for entries of that table. */
  readonly qpackBlockedStreams: number;
}

/**
 * Parses the payload of a SETTINGS frame.
 * @throws Http3Error H3_SETTINGS_ERROR, H3_FRAME_ERROR
 */
export function readSettings(payload: Buffer): PeerSettings {
  const reader = new ByteReader(
    payload,
    () => new Http3Error(http3Errors.frameError, "a setting ends too early"),
  );
  const seen = new Set<number>();
  let maxFieldSectionSize = Number.MAX_SAFE_INTEGER;
  let qpackMaxTableCapacity = 0;
  let qpackBlockedStreams = 0;
  while (reader.left > 0) {
    const id = reader.varint();
    const value = reader.varint();
    if (ofHttp2.has(id) || seen.has(id)) {
      throw new Http3Error(http3Errors.settingsError, `setting ${id} comes twice or is of HTTP/2`);
    }
    // Unknown IDs above 2^53 all have the same value here, so they are not checked for duplicates.
    if (id < Number.MAX_SAFE_INTEGER) {
      seen.add(id);
    }
    if (id === settingIds.maxFieldSectionSize) {
      maxFieldSectionSize = value;
    } else if (id === settingIds.qpackMaxTableCapacity) {
      qpackMaxTableCapacity = value;
    } else if (id === settingIds.qpackBlockedStreams) {
      qpackBlockedStreams = value;
    }
  }
  return { maxFieldSectionSize, qpackMaxTableCapacity, qpackBlockedStreams };
}

/** Settings that this side sends. */
export interface OwnSettings {
  /** True: extended CONNECT is allowed, for example for WebSocket. Default: false. Source: RFC 9220 */
  readonly extendedConnect?: boolean;
  /** Limits of the peer's dynamic table. Default: it must not be used. */
  readonly qpack?: { readonly tableCapacity: number; readonly blockedStreams: number };
}

/** The first bytes of the server's control stream: its type and SETTINGS. */
export function encodeControlStream(
  maxFieldSectionSize: number,
  { extendedConnect = false, qpack = { tableCapacity: 0, blockedStreams: 0 } }: OwnSettings = {},
): Buffer {
  const payload = new ByteWriter(32)
    .varint(settingIds.qpackMaxTableCapacity)
    .varint(qpack.tableCapacity)
    .varint(settingIds.qpackBlockedStreams)
    .varint(qpack.blockedStreams)
    .varint(settingIds.maxFieldSectionSize)
    .varint(maxFieldSectionSize)
    .varint(settingIds.enableConnectProtocol)
    .varint(extendedConnect ? 1 : 0).written;
  return new ByteWriter(64).u8(streamTypes.control).bytes(encodeFrame(frameTypes.settings, payload)).written;
}

/** Types of unidirectional streams. Source: RFC 9114, section 6.2; RFC 9204, section 4.2 */
export const streamTypes = { control: 0x00, push: 0x01, qpackEncoder: 0x02, qpackDecoder: 0x03 } as const;

export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  return new ByteWriter(9 + payload.length).varint(type).varint(payload.length).bytes(payload).written;
}

export function encodeGoAway(streamId: number): Buffer {
  return encodeFrame(frameTypes.goAway, new ByteWriter(varintBytes(streamId)).varint(streamId).written);
}

/** Head of a DATA frame. The bytes of the frame are sent after it. */
export function encodeDataHead(length: number): Buffer {
  return new ByteWriter(9).varint(frameTypes.data).varint(length).written;
}
