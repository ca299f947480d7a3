import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its key, PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A CA made for one test. */
export interface TestAuthority extends TestCertificate {
  /**
   * Makes a certificate of this CA for servers and clients. It is valid from one hour ago until tomorrow.
   * @param names host names and IP addresses; the first is the subject
   */
  issue(...names: string[]): TestCertificate;
}

// DER, the encoding of certificates: a tag, the length, the content. Source: ITU-T X.690.

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const octets = (...parts: readonly Uint8Array[]) => der(0x04, ...parts);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const yes = der(0x01, Buffer.from([0xff]));

const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(name)))));
}

/** Two digits of the year until 2049, as RFC 5280 requires. */
function utcTime(time: Date): Buffer {
  return der(0x17, Buffer.from(`${time.toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`));
}

function alternativeName(name: string): Buffer {
  const isIpv4 = isIP(name) === 4;
  return isIpv4 ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name));
}

interface CertificateRequest {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: Buffer;
  readonly from: Date;
  readonly to: Date;
}

/** Source: RFC 5280, section 4.1 */
function certificatePem(request: CertificateRequest): string {
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    commonName(request.issuer),
    sequence(utcTime(request.from), utcTime(request.to)),
    commonName(request.subject),
    request.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, request.extensions),
  );
  const signed = sequence(toBeSigned, ecdsaWithSha256, bits(sign("sha256", toBeSigned, request.signingKey)));
  const lines = signed.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { publicKey, privateKey, pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

const hourMs = 3_600_000;

/**
 * Makes a CA during the test, because certificates in committed files would expire. For tests only.
 * @param name subject of the CA, which tells CAs apart
 * @param at certificates are valid from an hour before this time to a day after it; now by default
 */
export function createTestAuthority(name = "test authority", at: Date = new Date()): TestAuthority {
  const from = new Date(at.getTime() - hourMs);
  const to = new Date(at.getTime() + 24 * hourMs);
  const own = newKey();
  const isAuthority = sequence(sequence(objectId("551d13"), yes, octets(sequence(yes))));
  const cert = certificatePem({
    subject: name,
    issuer: name,
    publicKey: own.publicKey,
    signingKey: own.privateKey,
    extensions: isAuthority,
    from,
    to,
  });
  return {
    cert,
    key: own.pem,
    issue(...names) {
      const issued = newKey();
      const alternatives = sequence(
        sequence(objectId("551d11"), octets(sequence(...names.map(alternativeName)))),
      );
      return {
        cert: certificatePem({
          subject: names[0] ?? "nobody",
          issuer: name,
          publicKey: issued.publicKey,
          signingKey: own.privateKey,
          extensions: alternatives,
          from,
          to,
        }),
        key: issued.pem,
      };
    },
  };
}
