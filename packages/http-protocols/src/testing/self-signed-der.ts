import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Certificate } from "../quic/tls/handshake-messages.ts";

const der = (tag: number, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content);
  // Readers refuse a length in more bytes than it needs.
  const length =
    body.length < 0x80
      ? Buffer.of(body.length)
      : body.length < 0x100
        ? Buffer.of(0x81, body.length)
        : Buffer.of(0x82, body.length >> 8, body.length & 0xff);
  return Buffer.concat([Buffer.of(tag), length, body]);
};
const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
const time = (at: number) =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`, "latin1"));

const ecdsaWithSha256 = sequence(Buffer.from("06082a8648ce3d040302", "hex"));
const commonName = Buffer.from("0603550403", "hex");
const alternativeName = Buffer.from("0603551d11", "hex");
const dayMs = 86_400_000;

/** A certificate for localhost and 127.0.0.1 that vouches for itself, of P-256, for clients that read certificates. */
export function selfSignedCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from("localhost")))));
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.of(127, 0, 0, 1)));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - dayMs), time(Date.now() + dayMs)),
    name,
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(sequence(alternativeName, der(0x04, names)))),
  );
  const signature = sign("sha256", content, privateKey);
  return {
    chain: [sequence(content, ecdsaWithSha256, der(0x03, Buffer.of(0), signature))],
    key: privateKey,
  };
}
