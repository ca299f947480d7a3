import { QuicError, transportErrors } from "../quic-error.ts";
import { ByteReader } from "../wire/byte-reader.ts";
import { ByteWriter, varintBytes } from "../wire/byte-writer.ts";
import { ownCopy } from "../wire/own-copy.ts";
import { maxConnectionIdBytes } from "../wire/packet-header.ts";

/** IDs of transport parameters. Source: RFC 9000, section 18.2 */
const ids = {
  originalDestinationId: 0x00,
  maxIdleTimeoutMs: 0x01,
  statelessResetToken: 0x02,
  maxUdpPayloadBytes: 0x03,
  maxData: 0x04,
  maxStreamDataBidiLocal: 0x05,
  maxStreamDataBidiRemote: 0x06,
  maxStreamDataUni: 0x07,
  maxStreamsBidi: 0x08,
  maxStreamsUni: 0x09,
  ackDelayExponent: 0x0a,
  maxAckDelayMs: 0x0b,
  disableActiveMigration: 0x0c,
  preferredAddress: 0x0d,
  activeConnectionIdLimit: 0x0e,
  initialSourceId: 0x0f,
  retrySourceId: 0x10,
} as const;

/** Numeric parameters, with their values when they are absent. */
export interface NumericParameters {
  /** Idle timeout in milliseconds; 0: no timeout. */
  maxIdleTimeoutMs: number;
  /** Size limit of datagrams that its sender accepts. Default 65,527: the limit of UDP. */
  maxUdpPayloadBytes: number;
  /** Initial limit in bytes for all streams together. Default 0. */
  maxData: number;
  /** Initial limit in bytes of each bidirectional stream that the sender of the parameters opens. */
  maxStreamDataBidiLocal: number;
  /** Initial limit in bytes of each bidirectional stream that the receiver of the parameters opens. */
  maxStreamDataBidiRemote: number;
  /** Initial limit in bytes of each unidirectional stream that the receiver of the parameters opens. */
  maxStreamDataUni: number;
  /**
   * Number of bidirectional streams that the receiver of the parameters may open. Default 0: none before MAX_STREAMS.
   */
  maxStreamsBidi: number;
  /** Number of unidirectional streams that the receiver of the parameters may open. Default 0. */
  maxStreamsUni: number;
  /** Exponent of the unit of delays in ACK frames: 2 to this power, in microseconds. Default 3. */
  ackDelayExponent: number;
  /** Longest delay of the sender's acknowledgments, in milliseconds. Default 25. */
  maxAckDelayMs: number;
  /** Number of IDs that its sender stores for packets to the other end. Default 2, the minimum. */
  activeConnectionIdLimit: number;
}

/** Values of absent parameters. Source: RFC 9000, section 18.2 */
export const defaultParameters: Readonly<NumericParameters> = {
  maxIdleTimeoutMs: 0,
  maxUdpPayloadBytes: 65_527,
  maxData: 0,
  maxStreamDataBidiLocal: 0,
  maxStreamDataBidiRemote: 0,
  maxStreamDataUni: 0,
  maxStreamsBidi: 0,
  maxStreamsUni: 0,
  ackDelayExponent: 3,
  maxAckDelayMs: 25,
  activeConnectionIdLimit: 2,
};

/** The parameters of one end in its TLS handshake. */
export interface TransportParameters extends NumericParameters {
  /** True when the receiver of the parameters must not move to another address by itself. */
  disableActiveMigration: boolean;
  /**
   * Source ID of the sender's first packet. The handshake confirms it, so nobody can replace it. Source: RFC 9000, section
   * 7.3
   */
  initialSourceId: Buffer | undefined;
  /** Destination ID of the client's first packet. Only servers send this and the two fields below. */
  originalDestinationId: Buffer | undefined;
  /** Source ID of the Retry packet; undefined without one. */
  retrySourceId: Buffer | undefined;
  /** Token of 16 bytes. A datagram that ends with it ends the connection. Source: RFC 9000, section 10.3 */
  statelessResetToken: Buffer | undefined;
}

const numericNames = new Map<number, keyof NumericParameters>(
  (Object.keys(defaultParameters) as (keyof NumericParameters)[]).map((name) => [ids[name], name]),
);

const malformed = (message: string) => new QuicError(transportErrors.transportParameterError, message, 0x06);
const shortParameters = () => malformed("transport parameters end too early");

/** Minimum and maximum of parameters that do not allow every number. */
const bounds: Partial<Record<keyof NumericParameters, readonly [number, number]>> = {
  maxUdpPayloadBytes: [1_200, Number.MAX_SAFE_INTEGER],
  maxStreamsBidi: [0, Number.MAX_SAFE_INTEGER],
  ackDelayExponent: [0, 20],
  maxAckDelayMs: [0, 2 ** 14 - 1],
  activeConnectionIdLimit: [2, Number.MAX_SAFE_INTEGER],
};

function readNumber(value: Buffer, name: keyof NumericParameters): number {
  const reader = new ByteReader(value, shortParameters);
  const number = reader.varint();
  const [low, high] = bounds[name] ?? [0, Number.MAX_SAFE_INTEGER];
  if (reader.left > 0 || number < low || number > high) {
    throw malformed(`transport parameter ${name} is malformed or out of bounds`);
  }
  // The reader cuts numbers to 2^53 - 1, so the limit 2^60 is checked in the bytes: RFC 9000, section 4.6.
  if (
    name.startsWith("maxStreams") &&
    value.length === 8 &&
    value.readBigUInt64BE() - (0xc0n << 56n) > 2n ** 60n
  ) {
    throw malformed(`transport parameter ${name} is over 2^60`);
  }
  return number;
}

function readId(value: Buffer): Buffer {
  if (value.length > maxConnectionIdBytes) {
    throw malformed("a connection id of over 20 bytes");
  }
  return ownCopy(value);
}

/**
 * Reads the peer's parameters.
 * @param sender a client must not send the parameters of servers
 * @throws QuicError TRANSPORT_PARAMETER_ERROR
 */
export function readTransportParameters(bytes: Buffer, sender: "client" | "server"): TransportParameters {
  const parameters: TransportParameters = {
    ...defaultParameters,
    disableActiveMigration: false,
    initialSourceId: undefined,
    originalDestinationId: undefined,
    retrySourceId: undefined,
    statelessResetToken: undefined,
  };
  const seen = new Set<number>();
  const reader = new ByteReader(bytes, shortParameters);
  while (reader.left > 0) {
    const id = reader.varint();
    const value = reader.take(reader.varint());
    // Unknown ones may be above 2^53 and look equal.
    if (id < 0x4000_0000) {
      if (seen.has(id)) {
        throw malformed(`transport parameter ${id} comes twice`);
      }
      seen.add(id);
    }
    const name = numericNames.get(id);
    if (name !== undefined) {
      parameters[name] = readNumber(value, name);
      continue;
    }
    readOther(parameters, id, value, sender);
  }
  if (parameters.initialSourceId === undefined) {
    throw malformed("initial_source_connection_id is missing");
  }
  return parameters;
}

function readOther(parameters: TransportParameters, id: number, value: Buffer, sender: string): void {
  const ofServers =
    id === ids.originalDestinationId ||
    id === ids.retrySourceId ||
    id === ids.statelessResetToken ||
    id === ids.preferredAddress;
  if (ofServers && sender === "client") {
    throw malformed(`transport parameter ${id} of a client`);
  }
  switch (id) {
    case ids.initialSourceId:
      parameters.initialSourceId = readId(value);
      break;
    case ids.originalDestinationId:
      parameters.originalDestinationId = readId(value);
      break;
    case ids.retrySourceId:
      parameters.retrySourceId = readId(value);
      break;
    case ids.disableActiveMigration:
      if (value.length > 0) {
        throw malformed("disable_active_migration has a value");
      }
      parameters.disableActiveMigration = true;
      break;
    case ids.statelessResetToken:
      if (value.length !== 16) {
        throw malformed("stateless_reset_token has not 16 bytes");
      }
      parameters.statelessResetToken = ownCopy(value);
  }
}

/** Encodes the parameters. Numbers equal to their default are left out. */
export function encodeTransportParameters(parameters: TransportParameters): Buffer {
  const writer = new ByteWriter(256);
  for (const [id, name] of numericNames) {
    const value = parameters[name];
    if (value !== defaultParameters[name]) {
      writer.varint(id).varint(varintBytes(value)).varint(value);
    }
  }
  const bytes = (id: number, value: Buffer | undefined) => {
    if (value !== undefined) {
      writer.varint(id).varint(value.length).bytes(value);
    }
  };
  bytes(ids.initialSourceId, parameters.initialSourceId);
  bytes(ids.originalDestinationId, parameters.originalDestinationId);
  bytes(ids.retrySourceId, parameters.retrySourceId);
  bytes(ids.statelessResetToken, parameters.statelessResetToken);
  bytes(ids.disableActiveMigration, parameters.disableActiveMigration ? Buffer.alloc(0) : undefined);
  return writer.written;
}
