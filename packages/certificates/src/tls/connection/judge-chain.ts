import { Duplex } from "node:stream";
import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from "node:tls";

/** The length of `content` as a number of `bytes` bytes, followed by the content. */
function vector(bytes: number, content: Buffer): Buffer {
  const head = Buffer.alloc(bytes);
  head.writeUIntBE(content.length, 0, bytes);
  return Buffer.concat([head, content]);
}

/** Size limit of one record's content in bytes. Source: RFC 5246, section 6.2.1 */
const maxRecordBytes = 16_384;
/** Source: RFC 5246, section 6.2.1 */
const recordTypes = { alert: 21, handshake: 22 } as const;

/** Content in records of TLS 1.2: type, version 3.3, length, bytes. */
function records(type: number, content: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += maxRecordBytes) {
    pieces.push(Buffer.of(type, 3, 3), vector(2, content.subarray(at, at + maxRecordBytes)));
  }
  return Buffer.concat(pieces);
}

/** A handshake message: type, length of three bytes, content. */
const message = (type: number, content: Buffer) =>
  records(recordTypes.handshake, Buffer.concat([Buffer.of(type), vector(3, content)]));
/** Numbers as two bytes each. */
const numbers = (...list: number[]) => Buffer.from(list.flatMap((number) => [number >> 8, number & 0xff]));
/** An extension: type, length, content. */
const extension = (type: number, content: Buffer) => Buffer.concat([numbers(type), vector(2, content)]);

/** ECDHE with AES-128-GCM, for certificates of either kind of key. */
const suites = {
  ids: numbers(0xc02b, 0xc02f),
  names: "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
};
const groups = { ids: numbers(0x17, 0x18, 0x19), names: "P-256:P-384:P-521" };
/**
 * Schemes that the hello offers: ECDSA, RSA-PSS, EdDSA, and RSA with SHA-256. Source: IANA, "TLS
 * SignatureScheme"
 */
const signatures = numbers(
  0x403,
  0x503,
  0x603,
  0x804,
  0x805,
  0x806,
  0x809,
  0x80a,
  0x80b,
  0x807,
  0x808,
  0x401,
);

/** A ClientHello of TLS 1.2. In that version, the client's certificate is not encrypted. */
const hello = message(
  1,
  Buffer.concat([
    numbers(0x303),
    Buffer.alloc(32),
    Buffer.of(0),
    vector(2, suites.ids),
    Buffer.of(1, 0),
    vector(2, Buffer.concat([extension(10, vector(2, groups.ids)), extension(13, vector(2, signatures))])),
  ]),
);
/** The fatal alert `user_canceled`, which ends the handshake. */
const goodbye = records(recordTypes.alert, Buffer.of(2, 90));

/** A context for {@link judgeChain}. @param options certificate, key and authorities of the server */
export function judgingContext(options: SecureContextOptions): SecureContext {
  return createSecureContext({
    ...options,
    minVersion: "TLSv1.2",
    maxVersion: "TLSv1.2",
    ciphers: suites.names,
    ecdhCurve: groups.names,
  });
}

/**
 * Lets the TLS library check a client's chain that came over QUIC. Node has no function for this, so a handshake in
 * memory passes the chain to the library. The handshake in memory ends before the client would sign, because QUIC's
 * handshake has already checked the signature.
 * @param chain DER, the client's own certificate first
 * @param judge checks the connection when the library has read the chain
 * @returns the reason for a refusal; undefined when the client is accepted
 */
export function judgeChain(
  chain: readonly Buffer[],
  secureContext: SecureContext,
  judge: (socket: TLSSocket) => string | undefined,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const wire = new Duplex({ read() {}, write: (_, __, done) => done() });
    const socket = new TLSSocket(wire, {
      isServer: true,
      secureContext,
      requestCert: true,
      rejectUnauthorized: false,
    });
    const end = () => {
      try {
        // Without a certificate, `judge` must not be called: the library would end the process.
        const isRead = socket.getPeerX509Certificate() !== undefined;
        resolve(isRead ? judge(socket) : "the client's certificates cannot be read");
      } catch (error) {
        reject(error);
      } finally {
        socket.destroy();
        wire.destroy();
      }
    };
    // The alert that ends the handshake arrives as an error. Any other error would be a fault of this code; calling
    // `end` again changes nothing.
    socket.once("_tlsError", end);
    socket.once("secure", end);
    socket.once("close", end);
    socket.on("error", () => {});
    wire.on("error", () => {});
    wire.push(
      Buffer.concat([
        hello,
        message(11, vector(3, Buffer.concat(chain.map((each) => vector(3, each))))),
        goodbye,
      ]),
    );
  });
}
