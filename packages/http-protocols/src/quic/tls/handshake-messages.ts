import type { KeyObject } from "node:crypto";
import { ByteWriter } from "../wire/byte-writer.ts";
import type { ClientAuthentication } from "./client-authentication.ts";
import type { SealedTicket } from "./session-tickets.ts";

/** Types of handshake messages. Source: RFC 8446, section 4 */
export const handshakeTypes = {
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  encryptedExtensions: 8,
  certificate: 11,
  certificateRequest: 13,
  certificateVerify: 15,
  finished: 20,
  messageHash: 254,
} as const;

/** Types of extensions. Source: RFC 8446, section 4.2; RFC 9001, section 8.2 */
export const extensionTypes = {
  serverName: 0,
  supportedGroups: 10,
  signatureAlgorithms: 13,
  alpn: 16,
  preSharedKey: 41,
  earlyData: 42,
  supportedVersions: 43,
  pskModes: 45,
  certificateAuthorities: 47,
  keyShare: 51,
  transportParameters: 57,
} as const;

export const tls12 = 0x0303;
export const tls13 = 0x0304;

/** The random bytes that make a ServerHello a HelloRetryRequest. Source: RFC 8446, section 4.1.3 */
export const retryRandom: Buffer = Buffer.from(
  "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c",
  "hex",
);

/** A certificate with its chain and its key. */
export interface Certificate {
  /** Certificate chain in DER: the server's certificate first, without the root. */
  readonly chain: readonly Buffer[];
  /** Private key of the first certificate. */
  readonly key: KeyObject;
  /** Demands for the client's certificate. Default: none is requested. With demands, no tickets are issued. */
  readonly clientAuthentication?: ClientAuthentication;
}

/** Encodes a handshake message: its header, and the bytes that `fill` writes. */
export function encodeMessage(type: number, fill: (writer: ByteWriter) => void): Buffer {
  return new ByteWriter(1_024).u8(type).vector(3, fill).written;
}

export function writeExtension(writer: ByteWriter, type: number, fill: (writer: ByteWriter) => void): void {
  writer.u16(type).vector(2, fill);
}

/** The choices of a server, or its request for another key share. Source: RFC 8446, section 4.1.3 */
export interface ServerHello {
  /** Random of 32 bytes; the value `retryRandom` makes the message a HelloRetryRequest. */
  readonly random: Buffer;
  /** Number of the cipher suite. */
  readonly suite: number;
  /** Number of the key exchange. */
  readonly group: number;
  /** Undefined in a HelloRetryRequest, which contains only the group. */
  readonly keyShare?: Buffer;
  /** Index of the ticket that is used; undefined for none. */
  readonly ticketIndex?: number | undefined;
}

export function encodeServerHello(hello: ServerHello): Buffer {
  const { random, suite, group, keyShare, ticketIndex } = hello;
  return encodeMessage(handshakeTypes.serverHello, (message) => {
    // QUIC clients send no session ID, so the response has none.
    message.u16(tls12).bytes(random).u8(0).u16(suite).u8(0);
    message.vector(2, (extensions) => {
      writeExtension(extensions, extensionTypes.supportedVersions, (writer) => writer.u16(tls13));
      writeExtension(extensions, extensionTypes.keyShare, (writer) => {
        writer.u16(group);
        if (keyShare !== undefined) {
          writer.vector(2, (share) => share.bytes(keyShare));
        }
      });
      if (ticketIndex !== undefined) {
        writeExtension(extensions, extensionTypes.preSharedKey, (writer) => writer.u16(ticketIndex));
      }
    });
  });
}

/** The answers of a server that only its client can read. */
interface EncryptedExtensions {
  /** The agreed ALPN protocol. */
  readonly protocol: string;
  /** True when the client named a server. */
  readonly namedServer: boolean;
  /** Encoded parameters of the transport. */
  readonly transportParameters: Buffer;
  /** True when the server reads the client's early data. */
  readonly takesEarlyData: boolean;
}

export function encodeEncryptedExtensions(content: EncryptedExtensions): Buffer {
  const { protocol, namedServer, transportParameters, takesEarlyData } = content;
  return encodeMessage(handshakeTypes.encryptedExtensions, (message) => {
    message.vector(2, (extensions) => {
      if (namedServer) {
        writeExtension(extensions, extensionTypes.serverName, () => {});
      }
      writeExtension(extensions, extensionTypes.alpn, (writer) =>
        writer.vector(2, (list) => list.vector(1, (name) => name.bytes(Buffer.from(protocol, "latin1")))),
      );
      writeExtension(extensions, extensionTypes.transportParameters, (writer) =>
        writer.bytes(transportParameters),
      );
      if (takesEarlyData) {
        writeExtension(extensions, extensionTypes.earlyData, () => {});
      }
    });
  });
}

export function encodeCertificate(chain: readonly Buffer[]): Buffer {
  return encodeMessage(handshakeTypes.certificate, (message) => {
    message.u8(0).vector(3, (list) => {
      for (const certificate of chain) {
        list.vector(3, (writer) => writer.bytes(certificate)).u16(0);
      }
    });
  });
}

export function encodeCertificateVerify(scheme: number, signature: Buffer): Buffer {
  return encodeMessage(handshakeTypes.certificateVerify, (message) =>
    message.u16(scheme).vector(2, (writer) => writer.bytes(signature)),
  );
}

export function encodeFinished(verifyData: Buffer): Buffer {
  return encodeMessage(handshakeTypes.finished, (message) => message.bytes(verifyData));
}

/** QUIC limits early data by its own flow control; TLS knows only this number. Source: RFC 9001, section 4.6.1 */
const earlyDataBytes = 0xffff_ffff;

/** @param nonce makes the secrets of several tickets differ @param earlyData true: the client may send early data */
export function encodeNewSessionTicket(
  { ticket, lifetimeSeconds, ageAdd }: SealedTicket,
  nonce: Buffer,
  earlyData: boolean,
): Buffer {
  return encodeMessage(handshakeTypes.newSessionTicket, (message) =>
    message
      .u32(lifetimeSeconds)
      .u32(ageAdd)
      .vector(1, (writer) => writer.bytes(nonce))
      .vector(2, (writer) => writer.bytes(ticket))
      .vector(2, (extensions) => {
        if (earlyData) {
          writeExtension(extensions, extensionTypes.earlyData, (writer) => writer.u32(earlyDataBytes));
        }
      }),
  );
}
